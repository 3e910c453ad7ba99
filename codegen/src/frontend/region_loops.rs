//! Loops of the program around regions in which nothing but the regions uses their arrays. Where process 0 alone runs main,
//! these may stay on the processes from one region to the next.
//!
//! The run-time closes the arrays' pages to main, so that a use that is missed here is slow but right. What must not happen
//! is that the loop is left without passing its end: a statement that might do that rules the loop out.

use super::clang::ast::{Node, Unit};
use super::clang::{ctype, expression_parts, extent, syntax_kind::SyntaxKind};
use super::effects::{callee_reads, purity};
use super::region::region_reader::Found;
use crate::source::Source;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Such a loop, as offsets in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionLoop {
    /// Its first token.
    pub begin: usize,
    /// Behind its last token.
    pub end: usize,
    /// The first tokens of its regions, also of those in functions that it calls.
    regions: BTreeSet<usize>,
}

impl RegionLoop {
    /// Whether it runs a region.
    pub fn runs(&self, region: &Found) -> bool {
        self.regions.contains(&region.begin)
    }
}

/// Functions of the C library that take numbers and texts, and return. None of them gets the address of an array.
const HARMLESS: [&str; 9] = ["printf", "fprintf", "puts", "fputs", "putchar", "fputc", "fflush", "clock", "time"];

/// How deeply functions of the file may call each other inside of such a loop.
const MAX_CALL_DEPTH: u32 = 8;

/// The outermost such loops, in the order of the text.
pub fn region_loops(unit: &Unit, source: &Source, regions: &[Found]) -> Vec<RegionLoop> {
    let mut all = Vec::new();
    if regions.iter().any(runs_on_several) {
        let reader = Reader { unit, source, regions };
        for body in unit.root.inner.iter().filter_map(Node::body).filter(|body| is_written(body)) {
            reader.block(body, &mut all);
        }
    }
    all
}

/// Whether a region may run on several processes.
fn runs_on_several(found: &Found) -> bool {
    (found.region.options.across || found.region.options.offered) && found.region.ties.is_empty()
}

/// Whether the file itself spells the first and the last token of a node.
fn is_written(node: &Node) -> bool {
    [&node.begin, &node.end].iter().all(|place| place.known && !place.expanded)
}

struct Reader<'a> {
    unit: &'a Unit,
    source: &'a Source,
    regions: &'a [Found],
}

/// What a loop, or a function that it calls, may do, and has been found to do.
#[derive(Default)]
struct Part {
    /// How many calls lead to it.
    depth: u32,
    /// The first tokens of its regions.
    regions: BTreeSet<usize>,
}

impl Reader<'_> {
    /// Finds the loops among the statements of a block, and below them.
    fn block(&self, block: &Node, all: &mut Vec<RegionLoop>) {
        // Only white space and comments stand between a statement and the loop: a pragma there may be about the loop.
        let mut before = block.begin.offset + 1;
        for statement in block.inner.iter().filter(|statement| is_written(statement)) {
            if self.region(statement).is_none() {
                match self.region_loop(statement, before) {
                    Some(found) => all.push(found),
                    None => self.blocks_below(statement, all),
                }
            }
            before = extent::statement_end(self.source, statement);
        }
    }

    /// The same for the blocks of a statement.
    fn blocks_below(&self, node: &Node, all: &mut Vec<RegionLoop>) {
        if node.is(&SyntaxKind::CompoundStmt) {
            return self.block(node, all);
        }
        let inner = node.inner.iter().filter(|inner| is_written(inner) && self.region(inner).is_none());
        inner.for_each(|inner| self.blocks_below(inner, all));
    }

    fn region_loop(&self, node: &Node, before: usize) -> Option<RegionLoop> {
        if !is_loop(node) || self.source.skip_blank(before) != node.begin.offset {
            return None;
        }
        let mut part = Part::default();
        let quiet = self.statement(node, &mut part) && !part.regions.is_empty();
        let end = extent::statement_end(self.source, node);
        quiet.then_some(RegionLoop { begin: node.begin.offset, end, regions: part.regions })
    }

    /// The region that a statement belongs to.
    fn region(&self, node: &Node) -> Option<&Found> {
        let holds = |region: &&Found| (region.begin..region.end).contains(&node.begin.offset);
        self.regions.iter().find(holds).filter(|_| node.begin.known)
    }

    /// Whether a statement leaves the arrays alone, and ends where the next one begins, or its function: an allow-list.
    fn statement(&self, node: &Node, part: &mut Part) -> bool {
        if let Some(region) = self.region(node) {
            part.regions.insert(region.begin);
            return runs_on_several(region);
        }
        let mut all = |inner: &[Node]| inner.iter().all(|inner| self.statement(inner, part));
        match node.kind {
            SyntaxKind::Absent | SyntaxKind::NullStmt | SyntaxKind::BreakStmt | SyntaxKind::ContinueStmt => true,
            SyntaxKind::CompoundStmt
            | SyntaxKind::DeclStmt
            | SyntaxKind::IfStmt
            | SyntaxKind::ForStmt
            | SyntaxKind::WhileStmt
            | SyntaxKind::DoStmt => all(&node.inner),
            SyntaxKind::VarDecl => is_scalar(node.ty.plain()) && node.storage.is_empty() && all(&node.inner),
            SyntaxKind::ReturnStmt => part.depth > 0 && node.inner.iter().all(|inner| self.value(inner)),
            SyntaxKind::CallExpr if self.function(node).is_some() => self.own_call(node, part),
            _ => self.value(node),
        }
    }

    /// The body of the file's own function that a call calls.
    fn function(&self, call: &Node) -> Option<&Node> {
        let name = expression_parts::callee(call)?;
        let all: Vec<&Node> = self.unit.declarations_of(name).filter(|n| n.is(&SyntaxKind::FunctionDecl)).collect();
        callee_reads::certain_body(&all)
    }

    /// Whether a function of the file, called as a statement, only does what the loop may do.
    fn own_call(&self, call: &Node, part: &mut Part) -> bool {
        let argument = |node: &Node| self.value(node) || is_address(node);
        let Some(body) = self.function(call).filter(|body| is_written(body) && part.depth < MAX_CALL_DEPTH) else {
            return false;
        };
        part.depth += 1;
        let quiet = call.inner.iter().skip(1).all(argument) && self.statement(body, part);
        part.depth -= 1;
        quiet
    }

    /// Whether an expression only computes with scalars, and with elements of arrays that no region uses.
    fn value(&self, node: &Node) -> bool {
        let below = || node.inner.iter().all(|inner| self.value(inner));
        match node.kind {
            SyntaxKind::IntegerLiteral
            | SyntaxKind::FloatingLiteral
            | SyntaxKind::CharacterLiteral
            | SyntaxKind::StringLiteral
            | SyntaxKind::UnaryExprOrTypeTraitExpr => true,
            SyntaxKind::ParenExpr
            | SyntaxKind::ConstantExpr
            | SyntaxKind::ImplicitCastExpr
            | SyntaxKind::CStyleCastExpr
            | SyntaxKind::BinaryOperator
            | SyntaxKind::CompoundAssignOperator
            | SyntaxKind::ConditionalOperator => below(),
            SyntaxKind::UnaryOperator => ["+", "-", "!", "~", "++", "--"].contains(&node.opcode.as_str()) && below(),
            SyntaxKind::DeclRefExpr => node.reference.as_ref().is_some_and(|reference| match reference.kind {
                SyntaxKind::EnumConstantDecl => true,
                SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl => is_scalar(node.ty.plain()),
                _ => false,
            }),
            SyntaxKind::ArraySubscriptExpr => self.element(node),
            SyntaxKind::CallExpr => self.call(node),
            _ => false,
        }
    }

    /// An element of an array variable that no region uses.
    fn element(&self, node: &Node) -> bool {
        let [base, subscript] = node.inner.as_slice() else { return false };
        let array = base.inner.first().filter(|_| base.cast == "ArrayToPointerDecay");
        let own = array.is_some_and(|array| match array.kind {
            SyntaxKind::ArraySubscriptExpr => self.element(array),
            _ => array.variable().is_some_and(|variable| {
                let used = |region: &Found| region.region.arrays.iter().any(|array| array.name == variable.name);
                ctype::is_array(array.ty.plain()) && !self.regions.iter().any(used)
            }),
        });
        own && self.value(subscript)
    }

    /// A call of a function of the C library that only gets numbers and texts.
    fn call(&self, node: &Node) -> bool {
        let Some(name) = expression_parts::callee(node) else { return false };
        let mut definitions = self.unit.declarations_of(name).filter(|n| n.is(&SyntaxKind::FunctionDecl)).peekable();
        let of_library = definitions.peek().is_some()
            && definitions.all(|f| f.body().is_none() && f.storage != "static" && f.inner.iter().all(is_no_label));
        let known = HARMLESS.contains(&name) || purity::is_math(name);
        known && of_library && node.inner.iter().skip(1).all(|argument| self.value(argument) || is_text(argument))
    }
}

fn is_no_label(attribute: &Node) -> bool {
    !attribute.is(&SyntaxKind::AsmLabelAttr)
}

fn is_loop(node: &Node) -> bool {
    matches!(node.kind, SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt)
}

/// A number, or a pointer whose value is used and not what it leads to.
fn is_scalar(plain: &str) -> bool {
    let bare = ctype::unqualified(plain);
    !ctype::is_untouchable(plain)
        && (ctype::is_pointer(plain) || ctype::is_number(&bare) || ctype::integer(&bare).is_some())
}

/// The address of a variable, or of an array's first element, maybe as another pointer.
fn is_address(node: &Node) -> bool {
    match node.kind {
        SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr | SyntaxKind::ParenExpr => {
            node.inner.iter().all(is_address)
        }
        SyntaxKind::UnaryOperator => node.opcode == "&" && node.inner.iter().all(is_address),
        _ => node.variable().is_some(),
    }
}

/// A text in quotes.
fn is_text(node: &Node) -> bool {
    node.walk().all(|n| matches!(n.kind, SyntaxKind::ImplicitCastExpr | SyntaxKind::StringLiteral))
}
