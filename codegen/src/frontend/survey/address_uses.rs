//! Uses of a function's variables other than reading their values: an allow-list, so that an unrecognised use makes an
//! address known.

use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::planted::planted;
use std::collections::{HashMap, HashSet};

/// Variables of a function whose values or addresses others may have.
#[derive(Debug, Clone, Default)]
pub struct AddressUses {
    /// Variables whose address, or a part's address, may be known elsewhere.
    pub addressed: HashSet<Id>,
    /// Variables whose address is known elsewhere only because arrays and `&x` are passed, with the functions that get it.
    pub passed: HashMap<Id, HashSet<String>>,
    /// Variables assigned, entirely or in part, after their declaration.
    pub changed: HashSet<Id>,
    /// Where to end: what the text has after this offset counts as not run.
    end: Option<usize>,
}

/// The use of an lvalue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Its value is loaded, or only its type matters.
    Value,
    /// It is assigned.
    Target,
    /// It is the operand of `&`.
    Address,
    /// Anything else: an operand of assembly, an array that becomes a pointer.
    Other,
}

/// Attributes of variables that do not reveal their addresses.
const SILENT: [SyntaxKind; 6] = [
    SyntaxKind::AlignedAttr,
    SyntaxKind::UnusedAttr,
    SyntaxKind::UsedAttr,
    SyntaxKind::NonNullAttr,
    SyntaxKind::NoEscapeAttr,
    SyntaxKind::MayAliasAttr,
];

impl AddressUses {
    /// Finds the uses in a function.
    pub fn of(function: &Node) -> AddressUses {
        let mut uses = AddressUses::default();
        uses.visit(function, Use::Other);
        let AddressUses { addressed, passed, .. } = &mut uses;
        passed.retain(|id, _| !addressed.contains(id));
        addressed.extend(passed.keys());
        uses
    }

    /// Finds the uses that may have happened when a region's statements run: not those after it in the text, unless
    /// control may come back.
    pub fn until(function: &Node, roots: &[&Node]) -> AddressUses {
        let whole = AddressUses::of(function);
        let Some(end) = roots.last().filter(|_| !may_return(function, roots)).map(|last| last.end.offset) else {
            return whole;
        };
        let mut uses = AddressUses { end: Some(end), ..AddressUses::default() };
        uses.visit(function, Use::Other);
        let AddressUses { addressed, passed, .. } = &mut uses;
        passed.retain(|id, _| !addressed.contains(id));
        addressed.extend(passed.keys());
        AddressUses { changed: whole.changed, ..uses }
    }

    fn visit(&mut self, node: &Node, usage: Use) {
        if self.end.is_some_and(|end| node.begin.known && node.begin.offset > end) {
            return;
        }
        let present = || node.inner.iter().filter(|n| !n.kind.is_absent());
        match node.kind {
            SyntaxKind::DeclRefExpr => self.mention(node, usage),
            SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl => {
                if node.inner.iter().any(|n| n.kind.is_attribute() && !SILENT.contains(&n.kind)) {
                    self.addressed.insert(node.id);
                }
                present().for_each(|n| self.visit(n, Use::Other));
            }
            SyntaxKind::ParenExpr => present().for_each(|n| self.visit(n, usage)),
            SyntaxKind::MemberExpr if !node.arrow => present().for_each(|n| self.visit(n, usage)),
            SyntaxKind::MemberExpr => present().for_each(|n| self.pointer(n, usage)),
            SyntaxKind::ArraySubscriptExpr => present().for_each(|n| {
                if ctype::integer(n.ty.plain()).is_some() { self.visit(n, Use::Other) } else { self.pointer(n, usage) }
            }),
            SyntaxKind::UnaryOperator => {
                let operand = match node.opcode.as_str() {
                    "*" => return present().for_each(|n| self.pointer(n, usage)),
                    "++" | "--" => Use::Target,
                    "&" => Use::Address,
                    "__extension__" => usage,
                    _ => Use::Other,
                };
                present().for_each(|n| self.visit(n, operand));
            }
            SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => {
                let operand = match node.cast.as_str() {
                    "LValueToRValue" | "ToVoid" => Use::Value,
                    "NoOp" => usage,
                    _ => Use::Other,
                };
                present().for_each(|n| self.visit(n, operand));
            }
            SyntaxKind::CallExpr => present().for_each(|n| match passed_object(n) {
                Some(id) => {
                    let callee = expression_parts::callee(node).unwrap_or_default();
                    self.passed.entry(id).or_default().insert(callee.to_owned());
                }
                None => self.visit(n, Use::Other),
            }),
            SyntaxKind::UnaryExprOrTypeTraitExpr => present().for_each(|n| self.visit(n, Use::Value)),
            _ => {
                let target = expression_parts::write_target(node);
                for inner in present() {
                    let assigned = target.is_some_and(|t| std::ptr::eq(t, inner));
                    self.visit(inner, if assigned { Use::Target } else { Use::Other });
                }
            }
        }
    }

    /// A pointer whose target is used: an array that decays to one counts as an array here.
    fn pointer(&mut self, node: &Node, usage: Use) {
        let present = || node.inner.iter().filter(|n| !n.kind.is_absent());
        match node.kind {
            SyntaxKind::ParenExpr => present().for_each(|n| self.pointer(n, usage)),
            SyntaxKind::ImplicitCastExpr if node.cast == "ArrayToPointerDecay" => {
                present().for_each(|n| self.visit(n, usage));
            }
            SyntaxKind::BinaryOperator if matches!(node.opcode.as_str(), "+" | "-") => present().for_each(|n| {
                if ctype::integer(n.ty.plain()).is_some() { self.visit(n, Use::Other) } else { self.pointer(n, usage) }
            }),
            _ => self.visit(node, Use::Other),
        }
    }

    fn mention(&mut self, node: &Node, usage: Use) {
        let Some(reference) = node.reference.as_ref().filter(|r| r.kind.is_variable()) else { return };
        match usage {
            Use::Value => {}
            Use::Target => drop(self.changed.insert(reference.id)),
            Use::Other if planted("a9-escape") => {}
            Use::Address | Use::Other => drop(self.addressed.insert(reference.id)),
        }
    }
}

/// Whether control may come back to a region: by a loop around it, a label before it, a second return of a call, or by
/// anything that the tree does not show.
fn may_return(function: &Node, roots: &[&Node]) -> bool {
    let (Some(first), Some(last)) = (roots.first(), roots.last()) else { return true };
    let holds = |n: &Node, inner: &Node| n.walk().any(|n| std::ptr::eq(n, inner));
    let looped = |n: &Node| {
        let is_loop = matches!(n.kind, SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt);
        is_loop && holds(n, first) && !roots.iter().any(|root| holds(root, n))
    };
    let twice = |n: &Node| {
        let name = n.reference.as_ref().map_or("", |r| r.name.as_str());
        ["setjmp", "savectx", "vfork", "getcontext"].iter().any(|known| name.contains(known))
    };
    let strange = |n: &Node| {
        matches!(n.kind, SyntaxKind::GCCAsmStmt | SyntaxKind::MSAsmStmt | SyntaxKind::StmtExpr)
            || n.kind.is_statement() && !n.begin.known
            || n.is(&SyntaxKind::LabelStmt) && n.begin.offset <= last.end.offset
    };
    function.walk().any(|n| looped(n) || twice(n) || strange(n))
        || !holds(function, first)
        || !first.begin.known
        || !last.end.known
}

/// The variable that is an argument as a whole array, or whose address is one.
fn passed_object(argument: &Node) -> Option<Id> {
    match (&argument.kind, argument.cast.as_str()) {
        (SyntaxKind::UnaryOperator, _) if argument.opcode == "&" => argument.child(0)?.variable().map(|r| r.id),
        (SyntaxKind::ImplicitCastExpr, "ArrayToPointerDecay") => argument.child(0)?.variable().map(|r| r.id),
        (SyntaxKind::ImplicitCastExpr, "NoOp") | (SyntaxKind::ParenExpr, _) => passed_object(argument.child(0)?),
        _ => None,
    }
}
