//! The loop nests of a file outside of its regions: where they are, what they write, and how much they do, as far as the
//! text tells.

use super::clang::ast::{Node, Unit};
use super::clang::expression_parts::{callee, write_target};
use super::clang::process::{self, ClangError};
use super::clang::syntax_kind::SyntaxKind;
use super::text::missing_headers;
use super::text::pragma::{marks, sites};
use crate::source::Source;

/// How often a loop runs whose bounds are no numbers.
const USUAL: f64 = 1000.0;

/// What a call counts as, in operations.
const CALL: f64 = 10.0;

/// A loop with all that is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Nest {
    /// The function around it.
    pub function: String,
    /// Offset of its first token.
    pub begin: usize,
    /// A `for` loop, and not `while` or `do`.
    pub is_for: bool,
    /// The loop comes from a macro: there is no line for a pragma.
    pub in_macro: bool,
    /// A region stands inside.
    pub holds_region: bool,
    /// How many loops stand in each other.
    pub depth: usize,
    /// Estimated number of operations; a loop without constant bounds counts as [`USUAL`] iterations.
    pub work: f64,
    /// Scalars from before the loop that it assigns, with the operator by which alone it updates them.
    pub scalars: Vec<Scalar>,
    /// The outermost loops inside.
    pub inner: Vec<Nest>,
}

/// A scalar that a nest assigns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// Its name.
    pub name: String,
    /// A real number, whose sums depend on their order.
    pub real: bool,
    /// `+`, `*`, `&`, `^`, `|`, `min` or `max`, if each assignment updates the variable by that operator.
    pub operation: Option<&'static str>,
}

/// What a file has.
#[derive(Debug, Clone, PartialEq)]
pub struct NestsOfFile {
    /// The outermost loops of its functions that stand in no region, in the order of the text.
    pub nests: Vec<Nest>,
    /// How many regions the compiler sees.
    pub regions: usize,
}

/// The nests of a file, and its regions.
pub fn nests(source: &Source, flags: &[String]) -> Result<NestsOfFile, ClangError> {
    let (_, headers) = missing_headers::preprocess(source, flags)?;
    let unit = process::parse(&source.path, &headers.flags())?;
    let functions = || unit.root.inner.iter().filter(|n| n.body().is_some_and(|body| body.begin.known));
    let marked = MarkedParts::of(source);
    let reader = NestReader { unit: &unit, marked: &marked };
    let outermost = |f: &Node| f.body().map(|body| reader.outermost(&f.name, body)).unwrap_or_default();
    let mut nests: Vec<Nest> = functions().flat_map(outermost).collect();
    // A macro may hold two loops at one place.
    nests.dedup_by_key(|nest| nest.begin);
    let seen = |part: &&(usize, usize)| functions().flat_map(Node::walk).any(|node| MarkedParts::begins(part, node));
    let regions = marked.parts.iter().filter(seen).count();
    Ok(NestsOfFile { nests, regions })
}

/// The parts of a text that are regions already: where each first token stands, from its first offset to the one behind.
struct MarkedParts {
    parts: Vec<(usize, usize)>,
}

impl MarkedParts {
    fn of(source: &Source) -> MarkedParts {
        let sites = sites(source, marks(source)).into_iter().flatten();
        // Of a statement its first token is enough: what is below it is not looked at.
        let part = |begin, end: Option<usize>| (begin, end.unwrap_or(begin + 1));
        MarkedParts { parts: sites.map(|site| part(site.begin, site.end.map(|end| end.begin))).collect() }
    }

    fn begins((begin, end): &(usize, usize), node: &Node) -> bool {
        node.begin.known && (*begin..*end).contains(&node.begin.offset)
    }

    /// Whether a node belongs to a region, if those around it do not.
    fn hold(&self, node: &Node) -> bool {
        self.parts.iter().any(|part| MarkedParts::begins(part, node))
    }
}

fn is_loop(node: &Node) -> bool {
    matches!(node.kind, SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt)
}

struct NestReader<'u> {
    unit: &'u Unit,
    marked: &'u MarkedParts,
}

impl NestReader<'_> {
    /// The loops below a node that stand in no other loop below it, and in no region.
    fn outermost(&self, function: &str, node: &Node) -> Vec<Nest> {
        let mut found = Vec::new();
        for inner in node.inner.iter().filter(|inner| !self.marked.hold(inner)) {
            if is_loop(inner) {
                found.push(self.nest(function, inner));
            } else {
                found.extend(self.outermost(function, inner));
            }
        }
        found
    }

    fn nest(&self, function: &str, node: &Node) -> Nest {
        let inner = self.outermost(function, node);
        Nest {
            function: function.to_owned(),
            begin: node.begin.offset,
            is_for: node.is(&SyntaxKind::ForStmt),
            in_macro: node.begin.expanded || !node.begin.known,
            holds_region: node.walk().any(|below| self.marked.hold(below)),
            depth: 1 + inner.iter().map(|nest| nest.depth).max().unwrap_or(0),
            work: work(node),
            scalars: scalars(self.unit, node),
            inner,
        }
    }
}

/// Estimated number of operations of a statement or expression.
fn work(node: &Node) -> f64 {
    let below: f64 = node.inner.iter().map(work).sum();
    match node.kind {
        SyntaxKind::ForStmt => below * iterations(node),
        SyntaxKind::WhileStmt | SyntaxKind::DoStmt => below * USUAL,
        SyntaxKind::CallExpr => below + CALL,
        SyntaxKind::BinaryOperator | SyntaxKind::CompoundAssignOperator | SyntaxKind::UnaryOperator => below + 1.0,
        _ => below,
    }
}

/// The number of iterations of `for (i = number; i < number; ...)`.
fn iterations(node: &Node) -> f64 {
    let [init, _, condition, ..] = node.inner.as_slice() else { return USUAL };
    let number = |node: &Node| {
        node.walk().filter(|n| n.is(&SyntaxKind::IntegerLiteral)).find_map(|n| n.value.as_ref()?.parse::<f64>().ok())
    };
    let variables = |node: &Node| node.walk().filter(|n| n.variable().is_some() && n.inner.is_empty()).count();
    match (number(init), number(condition)) {
        (Some(first), Some(last)) if variables(condition) <= 1 => (last - first).abs().max(1.0),
        _ => USUAL,
    }
}

/// The scalars that a loop assigns and that are declared before it.
fn scalars(unit: &Unit, node: &Node) -> Vec<Scalar> {
    let declared: Vec<u64> = node.walk().filter(|n| n.is(&SyntaxKind::VarDecl)).map(|n| n.id).collect();
    let counters = counters(node);
    let mut found: Vec<(u64, Scalar)> = Vec::new();
    for write in node.walk() {
        let Some(target) = write_target(write).and_then(Node::variable) else { continue };
        let Some(variable) = unit.declaration(target.id) else { continue };
        let plain = variable.ty.plain();
        if declared.contains(&target.id) || counters.contains(&target.id) || plain.contains(['*', '[']) {
            continue;
        }
        let operation = update(write, target.id).or_else(|| extreme(node, write, target.id));
        match found.iter_mut().find(|(id, _)| *id == target.id) {
            Some((_, known)) if known.operation != operation => known.operation = None,
            Some(_) => {}
            None => {
                let real = matches!(plain, "float" | "double" | "long double");
                found.push((target.id, Scalar { name: target.name.clone(), real, operation }));
            }
        }
    }
    found.into_iter().map(|(_, scalar)| scalar).collect()
}

/// The variables that headers of `for` loops set.
fn counters(node: &Node) -> Vec<u64> {
    let loops = node.walk().filter(|n| n.is(&SyntaxKind::ForStmt));
    loops.filter_map(|n| write_target(n.inner.first()?).and_then(Node::variable)).map(|r| r.id).collect()
}

/// The operator of `x += e` or `x = x + e`.
fn update(write: &Node, id: u64) -> Option<&'static str> {
    let known = |operator: &str| {
        let all = [("+", "+"), ("-", "+"), ("++", "+"), ("--", "+"), ("*", "*"), ("&", "&"), ("^", "^"), ("|", "|")];
        all.into_iter().find(|(text, _)| *text == operator).map(|(_, operation)| operation)
    };
    match write.kind {
        SyntaxKind::CompoundAssignOperator => known(write.opcode.trim_end_matches('=')),
        SyntaxKind::UnaryOperator => known(&write.opcode),
        _ => {
            let sum = write.child(1)?.bare();
            let left = sum.child(0).filter(|_| sum.is(&SyntaxKind::BinaryOperator))?;
            left.variable().filter(|r| r.id == id).and_then(|_| known(&sum.opcode))
        }
    }
}

/// `min` or `max`, if a write keeps the least or greatest of the variable and a value: `if (e > x) x = e`,
/// `x = e > x ? e : x` and `x = fmax(x, e)`.
fn extreme(node: &Node, write: &Node, id: u64) -> Option<&'static str> {
    let value = without_casts(write.child(1)?);
    match value.kind {
        SyntaxKind::CallExpr => {
            let name = callee(value)?;
            let known = [("fmax", "max"), ("fmin", "min")].into_iter().find(|(own, _)| name.starts_with(own));
            known.map(|(_, operation)| operation)
        }
        SyntaxKind::ConditionalOperator => {
            let kept = without_casts(value.child(1)?).variable().is_some_and(|r| r.id == id);
            chosen(value.child(0)?, id, kept)
        }
        _ => {
            let guards = node.walk().filter(|n| n.is(&SyntaxKind::IfStmt) && n.inner.len() == 2);
            let mut around = guards.filter(|n| n.inner[1].walk().any(|inner| std::ptr::eq(inner, write)));
            around.find_map(|n| chosen(&n.inner[0], id, false))
        }
    }
}

/// `min` or `max`, if a variable is compared with a value and stays (`kept`) or is replaced where the comparison holds.
fn chosen(test: &Node, id: u64, kept: bool) -> Option<&'static str> {
    let test = test.bare();
    let below = match test.opcode.as_str() {
        "<" | "<=" => true,
        ">" | ">=" => false,
        _ => return None,
    };
    let side = |k: usize| test.child(k).is_some_and(|n| without_casts(n).variable().is_some_and(|r| r.id == id));
    let least = match (side(0), side(1)) {
        (true, false) => below == kept,
        (false, true) => below != kept,
        _ => return None,
    };
    Some(if least { "min" } else { "max" })
}

fn without_casts(node: &Node) -> &Node {
    match (&node.kind, node.inner.first()) {
        (SyntaxKind::ParenExpr | SyntaxKind::ImplicitCastExpr, Some(inner)) => without_casts(inner),
        _ => node,
    }
}
