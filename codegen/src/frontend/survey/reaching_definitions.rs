//! Which assignment gives a scalar the value that a use of it reads, where exactly one does: `k = i * n; a[k] = 0;`.
//!
//! A definition reaches the uses after it in its block and in the blocks inside. A loop or branch that assigns the
//! variable ends that, so the counters around a definition have the same values at its uses.

use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use std::collections::{HashMap, HashSet};

/// What gives a variable its value.
#[derive(Debug, Clone, Copy)]
pub enum Definition<'a> {
    /// The right side of an assignment, or an initial value.
    Assigned(&'a Node),
    /// A compound assignment or `++` or `--`: its operand is a use of the value before.
    Updated(&'a Node),
}

/// Definitions by the expressions that use them.
#[derive(Debug, Clone, Default)]
pub struct ReachingDefinitions<'a> {
    by_use: HashMap<*const Node, Definition<'a>>,
}

type Current<'a> = HashMap<Id, Definition<'a>>;

impl<'a> ReachingDefinitions<'a> {
    /// The definitions of the variables for which `follows` holds, in a sequence of statements.
    pub fn of(roots: &[&'a Node], follows: &dyn Fn(Id) -> bool) -> ReachingDefinitions<'a> {
        let mut found = ReachingDefinitions::default();
        let mut current = Current::new();
        for root in roots {
            found.statement(root, &mut current, follows);
        }
        found
    }

    /// The definition of the variable that `node` names.
    pub fn of_use(&self, node: &Node) -> Option<Definition<'a>> {
        self.by_use.get(&std::ptr::from_ref(node)).copied()
    }

    fn statement(&mut self, node: &'a Node, current: &mut Current<'a>, follows: &dyn Fn(Id) -> bool) {
        let parts = || node.inner.iter().filter(|n| !n.kind.is_absent());
        match node.kind {
            SyntaxKind::CompoundStmt => parts().for_each(|n| self.statement(n, current, follows)),
            SyntaxKind::DeclStmt => {
                for variable in parts() {
                    parts_of(variable).for_each(|initial| self.expression(initial, current));
                    current.remove(&variable.id);
                    let initial = parts_of(variable).next();
                    if let Some(initial) = initial.filter(|_| variable.initialised && follows(variable.id)) {
                        current.insert(variable.id, Definition::Assigned(initial));
                    }
                }
            }
            SyntaxKind::ForStmt => {
                if let Some(first) = node.child(0) {
                    self.statement(first, current, follows);
                }
                let repeated: Vec<&Node> = node.inner.iter().skip(1).filter(|n| !n.kind.is_absent()).collect();
                forget(&repeated, current);
                let mut inside = current.clone();
                // The step comes after the body, and has no definitions that matter: counters are not followed.
                for part in repeated.iter().copied() {
                    self.statement(part, &mut inside, follows);
                }
            }
            SyntaxKind::IfStmt => {
                let Some((test, branches)) = node.inner.split_first() else { return };
                self.expression(test, current);
                for branch in branches {
                    self.statement(branch, &mut current.clone(), follows);
                }
                forget(&branches.iter().collect::<Vec<_>>(), current);
            }
            SyntaxKind::NullStmt => {}
            _ if node.kind.is_statement() => current.clear(),
            _ => {
                let target = write_target(node).and_then(Node::variable).filter(|r| follows(r.id)).map(|r| r.id);
                self.expression(node, current);
                let Some(id) = target else { return };
                // A second assignment in the expression has no order with this one.
                let once = node.walk().filter(|n| written_variable(n) == Some(id)).count() == 1;
                if !once {
                    return;
                }
                let plain = node.is(&SyntaxKind::BinaryOperator);
                match node.inner.get(1).filter(|_| plain) {
                    Some(value) => drop(current.insert(id, Definition::Assigned(value))),
                    None => drop(current.insert(id, Definition::Updated(node))),
                }
            }
        }
    }

    /// Notes the uses in an expression; what it assigns has no known value after it, nor inside, except in the operands
    /// of its outermost assignment.
    fn expression(&mut self, node: &'a Node, current: &mut Current<'a>) {
        let written: HashSet<Id> =
            node.walk().filter(|n| !std::ptr::eq(*n, node)).filter_map(written_variable).collect();
        current.retain(|id, _| !written.contains(id));
        let target = write_target(node).filter(|_| node.is(&SyntaxKind::BinaryOperator)).map(Node::bare);
        for used in node.walk().filter(|n| n.is(&SyntaxKind::DeclRefExpr)) {
            let definition = used.reference.as_ref().and_then(|r| current.get(&r.id));
            if let Some(definition) = definition.filter(|_| !target.is_some_and(|t| std::ptr::eq(t, used))) {
                self.by_use.insert(std::ptr::from_ref(used), *definition);
            }
        }
        if let Some(id) = written_variable(node) {
            current.remove(&id);
        }
    }
}

fn parts_of(variable: &Node) -> impl Iterator<Item = &Node> {
    variable.inner.iter().filter(|n| !n.kind.is_absent() && !n.kind.is_attribute())
}

/// The variable that an expression assigns, if it is one as a whole.
fn written_variable(node: &Node) -> Option<Id> {
    write_target(node).and_then(Node::variable).map(|r| r.id)
}

/// Forgets the definitions of what the statements assign or declare.
fn forget(nodes: &[&Node], current: &mut Current) {
    for node in nodes.iter().flat_map(|n| n.walk()) {
        let id = written_variable(node).unwrap_or(node.id);
        current.remove(&id);
    }
}
