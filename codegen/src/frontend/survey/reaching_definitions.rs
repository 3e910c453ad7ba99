//! Which assignment gives a scalar the value that a use of it reads, where exactly one does: `k = i * n; a[k] = 0;`.
//!
//! A definition reaches the uses after it in its block and in the blocks inside. A loop or branch that assigns the
//! variable ends that, so the counters around a definition have the same values at its uses.

use super::carried_values::{Change, changes, update_in};
use crate::frontend::clang::ast::{Id, Node, Unit};
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
    /// The region's entry.
    Entry,
    /// Before the region, and all earlier iterations of a loop: an index into the carried values.
    Carried(usize),
    /// The end of a loop that changes it: an index into the carried values.
    After(usize),
}

/// A scalar that a loop changes.
#[derive(Debug, Clone)]
pub struct CarriedValue<'a> {
    /// The loop.
    pub node: &'a Node,
    /// What gave the scalar its value before the loop.
    pub before: Definition<'a>,
    /// Its changes in each iteration.
    pub changes: Vec<Change<'a>>,
}

/// Definitions by the expressions that use them.
#[derive(Debug, Clone, Default)]
pub struct ReachingDefinitions<'a> {
    by_use: HashMap<*const Node, Definition<'a>>,
    /// Before each statement.
    before: HashMap<*const Node, Current<'a>>,
    /// After the region.
    last: Current<'a>,
    carried: Vec<CarriedValue<'a>>,
}

/// What decides which variables have definitions.
pub struct Following<'a, 'f> {
    /// The syntax tree.
    pub unit: &'a Unit,
    /// Whether to look for definitions of a variable.
    pub follows: &'f dyn Fn(Id) -> bool,
}

type Current<'a> = HashMap<Id, Definition<'a>>;

impl<'a> ReachingDefinitions<'a> {
    /// The definitions of the variables for which `follows` holds, in a sequence of statements.
    /// `entering` have values at the region's entry.
    pub fn of(roots: &[&'a Node], entering: &[Id], following: &Following<'a, '_>) -> ReachingDefinitions<'a> {
        let mut found = ReachingDefinitions::default();
        let mut current: Current = entering.iter().map(|id| (*id, Definition::Entry)).collect();
        for root in roots {
            found.statement(root, &mut current, following);
        }
        found.last = current;
        found
    }

    /// The definition that reaches the beginning of a statement.
    pub fn before(&self, statement: &Node, id: Id) -> Option<Definition<'a>> {
        self.before.get(&std::ptr::from_ref(statement))?.get(&id).copied()
    }

    /// The definition that reaches the region's end.
    pub fn at_end(&self, id: Id) -> Option<Definition<'a>> {
        self.last.get(&id).copied()
    }

    /// A value that a loop changes.
    pub fn carried(&self, index: usize) -> Option<&CarriedValue<'a>> {
        self.carried.get(index)
    }

    /// The definition of the variable that `node` names.
    pub fn of_use(&self, node: &Node) -> Option<Definition<'a>> {
        self.by_use.get(&std::ptr::from_ref(node)).copied()
    }

    fn statement(&mut self, node: &'a Node, current: &mut Current<'a>, following: &Following<'a, '_>) {
        let follows = following.follows;
        if !current.is_empty() {
            self.before.insert(std::ptr::from_ref(node), current.clone());
        }
        let parts = || node.inner.iter().filter(|n| !n.kind.is_absent());
        match node.kind {
            SyntaxKind::CompoundStmt => parts().for_each(|n| self.statement(n, current, following)),
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
                    self.statement(first, current, following);
                }
                let repeated: Vec<&Node> = node.inner.iter().skip(1).filter(|n| !n.kind.is_absent()).collect();
                let mut carried = Vec::new();
                for (id, before) in current.iter() {
                    if !repeated.iter().any(|part| part.walk().any(|n| written_variable(n) == Some(*id))) {
                        continue;
                    }
                    if let Some(changes) = changes(following.unit, node, *id) {
                        carried.push((*id, self.carried.len()));
                        self.carried.push(CarriedValue { node, before: *before, changes });
                    }
                }
                forget(&repeated, current);
                let mut inside = current.clone();
                inside.extend(carried.iter().map(|(id, index)| (*id, Definition::Carried(*index))));
                // The condition comes before the body, and the step after it.
                for part in [node.child(2), node.child(4), node.child(3)].into_iter().flatten() {
                    self.statement(part, &mut inside, following);
                }
                current.extend(carried.iter().map(|(id, index)| (*id, Definition::After(*index))));
            }
            SyntaxKind::IfStmt => {
                let Some((test, branches)) = node.inner.split_first() else { return };
                self.expression(test, current);
                for branch in branches {
                    self.statement(branch, &mut current.clone(), following);
                }
                forget(&branches.iter().collect::<Vec<_>>(), current);
            }
            SyntaxKind::NullStmt => {}
            SyntaxKind::BinaryOperator if node.opcode == "," => {
                parts().for_each(|n| self.statement(n, current, following));
            }
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
        // `a[k++] = 0`: the only mention of the variable, so that it has one value there.
        let updated: Vec<(Id, &'a Node)> = written
            .iter()
            .filter(|id| current.contains_key(*id))
            .filter_map(|id| update_in(node, *id).map(|update| (*id, update)))
            .collect();
        current.retain(|id, _| !written.contains(id) || updated.iter().any(|(other, _)| other == id));
        let target = write_target(node).filter(|_| node.is(&SyntaxKind::BinaryOperator)).map(Node::bare);
        for used in node.walk().filter(|n| n.is(&SyntaxKind::DeclRefExpr)) {
            let definition = used.reference.as_ref().and_then(|r| current.get(&r.id));
            if let Some(definition) = definition.filter(|_| !target.is_some_and(|t| std::ptr::eq(t, used))) {
                self.by_use.insert(std::ptr::from_ref(used), *definition);
            }
        }
        for (id, update) in updated {
            let sum = update.inner.get(1).filter(|_| update.is(&SyntaxKind::BinaryOperator));
            current.insert(id, sum.map_or(Definition::Updated(update), Definition::Assigned));
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
