//! Scalars that a loop changes by the same amount in each iteration: which statements of the body change them.

use super::loop_header;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use std::collections::HashSet;

/// A change of a scalar in each iteration of a loop.
#[derive(Debug, Clone)]
pub enum Change<'a> {
    /// One update, as `k++` or `k = k + step`.
    Update(&'a Node),
    /// Those of an inner loop, in each of its iterations.
    Loop(&'a Node, Vec<Change<'a>>),
}

/// The changes of a variable in each iteration of a loop, if they happen in every iteration and all are updates.
pub fn changes<'a>(unit: &'a Unit, node: &'a Node, id: Id) -> Option<Vec<Change<'a>>> {
    let header = loop_header::header(unit, node).ok()?;
    let mut all = Vec::new();
    if !mentions_write(header.condition, id) && !header.first.walk().any(|n| is_write(n, id)) {
        collect(unit, header.body, id, &mut all)?;
        for part in &header.beside_step {
            collect(unit, part, id, &mut all)?;
        }
        return Some(all);
    }
    None
}

fn collect<'a>(unit: &'a Unit, node: &'a Node, id: Id, out: &mut Vec<Change<'a>>) -> Option<()> {
    if !mentions_write(node, id) {
        return Some(());
    }
    match node.kind {
        SyntaxKind::CompoundStmt => node.inner.iter().try_for_each(|n| collect(unit, n, id, out)),
        SyntaxKind::ForStmt => {
            if node.child(0).is_some_and(|first| mentions_write(first, id)) {
                return None;
            }
            out.push(Change::Loop(node, changes(unit, node, id)?));
            Some(())
        }
        _ if node.kind.is_statement() => None,
        SyntaxKind::BinaryOperator if node.opcode == "," => {
            node.inner.iter().try_for_each(|n| collect(unit, n, id, out))
        }
        _ => {
            out.push(Change::Update(update_in(node, id)?));
            Some(())
        }
    }
}

/// The only update of a variable in an expression, which always happens and is the only mention of the variable.
pub fn update_in(node: &Node, id: Id) -> Option<&Node> {
    let mut writes = node.walk().filter(|n| is_write(n, id));
    let update = writes.next().filter(|_| writes.next().is_none())?;
    amount(update)?;
    let mentions = |n: &Node| n.walk().filter(|n| n.reference.as_ref().is_some_and(|r| r.id == id)).count();
    (mentions(node) == mentions(update) && always_runs(node, update)).then_some(update)
}

/// What an update adds: the amount, `None` for 1, and its sign.
pub fn amount(update: &Node) -> Option<(Option<&Node>, i64)> {
    let variable = write_target(update)?.variable()?.id;
    let free = |n: &Node| !n.walk().any(|n| n.reference.as_ref().is_some_and(|r| r.id == variable));
    let amount = |n: &'_ Node| free(n).then_some(());
    match (&update.kind, update.opcode.as_str()) {
        (SyntaxKind::UnaryOperator, "++") => Some((None, 1)),
        (SyntaxKind::UnaryOperator, "--") => Some((None, -1)),
        (SyntaxKind::CompoundAssignOperator, operator @ ("+=" | "-=")) => {
            let added = update.inner.get(1)?;
            amount(added)?;
            Some((Some(added), if operator == "+=" { 1 } else { -1 }))
        }
        (SyntaxKind::BinaryOperator, "=") => {
            let mut sum = update.inner.get(1)?;
            while sum.is(&SyntaxKind::ParenExpr) {
                sum = sum.inner.first()?;
            }
            let (left, right) = (sum.inner.first()?, sum.inner.get(1)?);
            let is_it = |n: &Node| read_variable(n) == Some(variable);
            let (added, sign) = match sum.opcode.as_str() {
                "+" if is_it(left) => (right, 1),
                "+" if is_it(right) => (left, 1),
                "-" if is_it(left) => (right, -1),
                _ => return None,
            };
            amount(added)?;
            Some((Some(added), sign))
        }
        _ => None,
    }
}

/// The variable that an expression reads, without conversions of its value.
fn read_variable(node: &Node) -> Option<Id> {
    match (&node.kind, node.inner.first()) {
        (SyntaxKind::ParenExpr, Some(inner)) => read_variable(inner),
        (SyntaxKind::ImplicitCastExpr, Some(inner)) if node.cast == "LValueToRValue" => inner.variable().map(|r| r.id),
        _ => None,
    }
}

/// Whether evaluating `node` always evaluates `inner`, once.
fn always_runs(node: &Node, inner: &Node) -> bool {
    if std::ptr::eq(node, inner) {
        return true;
    }
    let parts: &[Node] = match (&node.kind, node.opcode.as_str()) {
        (SyntaxKind::ConditionalOperator, _) | (SyntaxKind::BinaryOperator, "&&" | "||") => &node.inner[..1],
        (SyntaxKind::UnaryExprOrTypeTraitExpr | SyntaxKind::CallExpr | SyntaxKind::StmtExpr, _) => &[],
        _ => &node.inner,
    };
    parts.iter().any(|n| always_runs(n, inner))
}

fn is_write(node: &Node, id: Id) -> bool {
    write_target(node).and_then(Node::variable).is_some_and(|r| r.id == id)
}

fn mentions_write(node: &Node, id: Id) -> bool {
    node.walk().any(|n| is_write(n, id))
}

/// The counters of a loop and of the loops in it.
pub fn counters_inside(unit: &Unit, node: &Node) -> HashSet<Id> {
    let loops = node.walk().filter(|n| n.is(&SyntaxKind::ForStmt));
    loops.filter_map(|n| loop_header::header(unit, n).ok()).map(|header| header.counter).collect()
}
