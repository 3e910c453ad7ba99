//! Pointers that the function has certainly followed when it comes to the region: what they point to can be read at the
//! region's entry in any case.
//!
//! Statements before the region count if it cannot be reached without them. A call may free what a pointer points to,
//! so everything is forgotten at calls, labels and whatever is not recognised.

use super::address_uses::AddressUses;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use std::collections::HashSet;

/// A pointer variable, and it or an element as C text: what was followed.
pub type Followed = HashSet<(Id, String)>;

/// What a function has certainly followed when it comes to the statement `region`.
pub fn used_before(unit: &Unit, function: &Node, region: &Node) -> Followed {
    let uses = AddressUses::of(function);
    let mut before = Before { region, followed: Followed::new() };
    if let Some(body) = function.body() {
        before.enter(body);
    }
    let kept = |id: &Id| {
        let own = unit.declaration(*id).is_some_and(|v| !unit.at_file_scope(*id) && v.storage != "static");
        own && !uses.changed.contains(id) && !uses.addressed.contains(id)
    };
    before.followed.into_iter().filter(|(id, _)| kept(id)).collect()
}

struct Before<'a> {
    region: &'a Node,
    followed: Followed,
}

impl Before<'_> {
    fn holds_region(&self, node: &Node) -> bool {
        node.walk().any(|inner| std::ptr::eq(inner, self.region))
    }

    /// Goes into the statement that holds the region.
    fn enter(&mut self, node: &Node) {
        if std::ptr::eq(node, self.region) {
            return;
        }
        match node.kind {
            SyntaxKind::CompoundStmt => {
                for statement in node.inner.iter().filter(|n| !n.kind.is_absent()) {
                    if self.holds_region(statement) {
                        return self.enter(statement);
                    }
                    self.pass(statement);
                }
            }
            SyntaxKind::IfStmt => {
                let Some((test, branches)) = node.inner.split_first() else { return };
                self.evaluate(test, Some(!branches.get(1).is_some_and(|other| self.holds_region(other))));
                self.enter_one_of(branches);
            }
            // The next iteration comes after all of this one.
            SyntaxKind::ForStmt | SyntaxKind::WhileStmt | SyntaxKind::DoStmt => {
                if !is_quiet(node, Some(self.region)) {
                    self.followed.clear();
                }
                self.enter_one_of(&node.inner);
            }
            _ => {
                self.followed.clear();
                self.enter_one_of(&node.inner);
            }
        }
    }

    fn enter_one_of(&mut self, parts: &[Node]) {
        if let Some(part) = parts.iter().find(|part| self.holds_region(part)) {
            self.enter(part);
        }
    }

    /// Passes a statement before the region.
    fn pass(&mut self, node: &Node) {
        match node.kind {
            SyntaxKind::IfStmt if node.inner.len() == 2 && leaves(&node.inner[1]) => {
                self.evaluate(&node.inner[0], Some(false));
            }
            _ if !is_quiet(node, None) => self.followed.clear(),
            SyntaxKind::IfStmt => self.evaluate(&node.inner[0], None),
            SyntaxKind::DeclStmt => {
                let initial = node.inner.iter().filter(|v| v.initialised && v.storage != "static");
                initial.flat_map(|v| &v.inner).filter(|n| !n.kind.is_attribute()).for_each(|n| self.evaluate(n, None));
            }
            _ if node.kind.is_statement() => {}
            _ => self.evaluate(node, None),
        }
    }

    /// Notes what an expression follows; `outcome`: its truth, if only that leads to the region.
    fn evaluate(&mut self, node: &Node, outcome: Option<bool>) {
        if !is_quiet(node, None) {
            return self.followed.clear();
        }
        let parts = || node.inner.iter().filter(|n| !n.kind.is_absent());
        match (&node.kind, node.opcode.as_str()) {
            (SyntaxKind::ParenExpr, _) => parts().for_each(|n| self.evaluate(n, outcome)),
            (SyntaxKind::UnaryOperator, "!") => parts().for_each(|n| self.evaluate(n, outcome.map(|truth| !truth))),
            (SyntaxKind::BinaryOperator, "&&" | "||") => {
                // Both sides were evaluated if the left one did not decide.
                let passed = outcome.filter(|truth| *truth == (node.opcode == "&&"));
                parts().take(if passed.is_some() { 2 } else { 1 }).for_each(|n| self.evaluate(n, passed));
            }
            (SyntaxKind::ConditionalOperator, _) => parts().take(1).for_each(|n| self.evaluate(n, None)),
            (SyntaxKind::UnaryExprOrTypeTraitExpr, _) => {}
            _ => {
                if node.cast == "LValueToRValue" {
                    self.followed.extend(node.child(0).and_then(followed));
                }
                parts().for_each(|n| self.evaluate(n, None));
            }
        }
    }
}

/// The pointer that an lvalue follows, or its element.
fn followed(object: &Node) -> Option<(Id, String)> {
    let variable = |pointer: &Node| {
        let reference = pointer.variable()?;
        Some((reference.id, reference.name.clone()))
    };
    match object.kind {
        SyntaxKind::ParenExpr => followed(object.child(0)?),
        SyntaxKind::UnaryOperator if object.opcode == "*" => variable(object.child(0)?),
        SyntaxKind::MemberExpr if object.arrow => variable(object.child(0)?),
        SyntaxKind::ArraySubscriptExpr => {
            let (id, name) = variable(object.child(0)?)?;
            let index = object.child(1).filter(|n| n.is(&SyntaxKind::IntegerLiteral) && n.ty.plain() == "int")?;
            Some((id, format!("{name}[{}]", index.value.as_ref()?)))
        }
        _ => None,
    }
}

/// Whether a statement certainly leaves the function.
fn leaves(node: &Node) -> bool {
    match node.kind {
        SyntaxKind::ReturnStmt => true,
        SyntaxKind::CompoundStmt => node.inner.last().is_some_and(leaves) && !node.walk().any(is_label),
        _ => false,
    }
}

fn is_label(node: &Node) -> bool {
    matches!(node.kind, SyntaxKind::LabelStmt | SyntaxKind::CaseStmt | SyntaxKind::DefaultStmt)
}

/// Statements and expressions that neither call anything nor can be jumped to.
const QUIET: [SyntaxKind; 27] = [
    SyntaxKind::CompoundStmt,
    SyntaxKind::DeclStmt,
    SyntaxKind::VarDecl,
    SyntaxKind::IfStmt,
    SyntaxKind::ForStmt,
    SyntaxKind::WhileStmt,
    SyntaxKind::DoStmt,
    SyntaxKind::NullStmt,
    SyntaxKind::ReturnStmt,
    SyntaxKind::BreakStmt,
    SyntaxKind::ContinueStmt,
    SyntaxKind::DeclRefExpr,
    SyntaxKind::IntegerLiteral,
    SyntaxKind::FloatingLiteral,
    SyntaxKind::CharacterLiteral,
    SyntaxKind::StringLiteral,
    SyntaxKind::ParenExpr,
    SyntaxKind::ImplicitCastExpr,
    SyntaxKind::CStyleCastExpr,
    SyntaxKind::ConstantExpr,
    SyntaxKind::UnaryOperator,
    SyntaxKind::BinaryOperator,
    SyntaxKind::CompoundAssignOperator,
    SyntaxKind::ConditionalOperator,
    SyntaxKind::ArraySubscriptExpr,
    SyntaxKind::MemberExpr,
    SyntaxKind::UnaryExprOrTypeTraitExpr,
];

/// Whether all parts are quiet; those of `except` are: the region's own text is judged elsewhere.
fn is_quiet(node: &Node, except: Option<&Node>) -> bool {
    let excepted = except.is_some_and(|region| std::ptr::eq(region, node));
    excepted
        || node.kind.is_absent()
        || node.kind.is_attribute()
        || (QUIET.contains(&node.kind) && node.inner.iter().all(|inner| is_quiet(inner, except)))
}
