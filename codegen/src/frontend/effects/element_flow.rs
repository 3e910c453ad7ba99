//! Data flow of the elements of small arrays: is each element that statements read written by them before?
//!
//! The statements run in the abstract: loops with constant bounds are unrolled, and what is known is which elements are
//! certainly written. Forms that are not listed here make the answer no.

use std::collections::{HashMap, HashSet};

use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::liveness::mentions;
use crate::frontend::survey::region_builder::RegionBuilder;

/// The number of elements up to which arrays are followed.
const MOST_ELEMENTS: usize = 1 << 12;
/// The number of statements that run in the abstract.
const MOST_STATEMENTS: usize = 1 << 16;

impl RegionBuilder<'_> {
    /// Whether statements write every element of the array, whose type has constant lengths, before they read it.
    pub fn is_array_written_first(&self, statements: &[&Node], array: &Node) -> bool {
        is_written_first(self.unit, statements, array, &|variable| self.is_hidden(variable))
    }
}

/// As above; `hidden` tells which variables nobody else writes.
fn is_written_first(unit: &Unit, statements: &[&Node], array: &Node, hidden: &dyn Fn(&Node) -> bool) -> bool {
    let Some(lengths) = ctype::constant_lengths(array.ty.plain()) else { return false };
    let elements = lengths.iter().try_fold(1, |product: usize, &length| product.checked_mul(length));
    if elements.is_none_or(|count| count == 0 || count > MOST_ELEMENTS) {
        return false;
    }
    let mut run = Run { unit, hidden, array: array.id, lengths, counters: HashMap::new(), left: MOST_STATEMENTS };
    statements.iter().all(|statement| !leaves(statement))
        && run.list(statements.iter().copied(), &mut HashSet::new()).is_some()
}

/// Whether control may leave a statement, or come into it, elsewhere than at its ends.
fn leaves(statement: &Node) -> bool {
    statement.walk().any(|node| {
        node.kind.is_statement()
            && !matches!(
                node.kind,
                SyntaxKind::CompoundStmt
                    | SyntaxKind::ForStmt
                    | SyntaxKind::IfStmt
                    | SyntaxKind::DeclStmt
                    | SyntaxKind::NullStmt
            )
    })
}

/// The elements that are certainly written, by their place in the array.
type Written = HashSet<usize>;

struct Run<'a> {
    unit: &'a Unit,
    hidden: &'a dyn Fn(&Node) -> bool,
    array: Id,
    lengths: Vec<usize>,
    /// Values of counters of the loops that are unrolled.
    counters: HashMap<Id, i64>,
    left: usize,
}

impl Run<'_> {
    fn list<'n>(&mut self, mut statements: impl Iterator<Item = &'n Node>, written: &mut Written) -> Option<()> {
        statements.try_for_each(|statement| self.statement(statement, written))
    }

    /// Runs a statement; `None`: an element may be read first, or nothing is known.
    fn statement(&mut self, node: &Node, written: &mut Written) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if !mentions(node, self.array) {
            return Some(());
        }
        match node.kind {
            SyntaxKind::CompoundStmt => self.list(node.inner.iter(), written),
            SyntaxKind::ForStmt => self.loop_of(node, written),
            SyntaxKind::IfStmt => {
                self.reads(node.child(0)?, written)?;
                let mut branches = vec![written.clone(); 2];
                for (branch, known) in node.inner[1..].iter().zip(&mut branches) {
                    self.statement(branch, known)?;
                }
                *written = branches[0].intersection(&branches[1]).copied().collect();
                Some(())
            }
            _ => match write_target(node).filter(|target| self.element(target).is_some()) {
                Some(target) => {
                    node.inner.iter().skip(1).try_for_each(|value| self.reads(value, written))?;
                    let element = self.element(target)?;
                    if !node.is(&SyntaxKind::BinaryOperator) && !written.contains(&element) {
                        return None;
                    }
                    written.insert(element);
                    Some(())
                }
                None => self.reads(node, written),
            },
        }
    }

    /// Unrolls a loop with constant bounds. Of another one the body may not run, and its counter is unknown.
    fn loop_of(&mut self, node: &Node, written: &mut Written) -> Option<()> {
        let (head, body) = node.inner.split_at_checked(4)?;
        let body = body.first()?;
        if head.iter().any(|part| mentions(part, self.array)) {
            return None;
        }
        let Some((counter, values)) = self.constant_loop(head, body) else {
            return self.statement(body, &mut written.clone());
        };
        let outer = self.counters.get(&counter).copied();
        for value in values {
            self.counters.insert(counter, value);
            self.statement(body, written)?;
        }
        match outer {
            Some(value) => self.counters.insert(counter, value),
            None => self.counters.remove(&counter),
        };
        Some(())
    }

    /// The counter of `for (i = a; i < b; i++)` or `for (i = a; i > b; i--)` and its values, if the body does not write the
    /// counter.
    fn constant_loop(&self, head: &[Node], body: &Node) -> Option<(Id, Vec<i64>)> {
        let [start, _, test, step] = head else { return None };
        let (counter, first) = match start.kind {
            SyntaxKind::DeclStmt => match start.inner.as_slice() {
                [variable] => (variable.id, self.value(variable.inner.iter().find(|n| !n.kind.is_attribute())?)?),
                _ => return None,
            },
            SyntaxKind::BinaryOperator if start.opcode == "=" => {
                (start.child(0)?.variable()?.id, self.value(start.child(1)?)?)
            }
            _ => return None,
        };
        let is_counter = |node: Option<&Node>| node.and_then(Node::variable).is_some_and(|v| v.id == counter);
        if !test.is(&SyntaxKind::BinaryOperator) || !is_counter(test.child(0)) {
            return None;
        }
        let end = self.value(test.child(1)?)?;
        let (lowest, end, step_of_one) = match test.opcode.as_str() {
            "<" => (first, end, "++"),
            "<=" => (first, end.checked_add(1)?, "++"),
            ">" => (end.checked_add(1)?, first.checked_add(1)?, "--"),
            ">=" => (end, first.checked_add(1)?, "--"),
            _ => return None,
        };
        let counts = step.is(&SyntaxKind::UnaryOperator) && step.opcode == step_of_one && is_counter(step.child(0));
        let changed = body.walk().any(|node| {
            is_counter(write_target(node))
                || node.is(&SyntaxKind::UnaryOperator) && node.opcode == "&" && is_counter(node.child(0))
        });
        let own = self.unit.declaration(counter).is_some_and(self.hidden);
        if !own || !counts || changed || end.saturating_sub(lowest) > MOST_ELEMENTS as i64 {
            return None;
        }
        let upwards = lowest..end;
        Some((counter, if step_of_one == "++" { upwards.collect() } else { upwards.rev().collect() }))
    }

    /// Looks at all that an expression reads.
    fn reads(&self, node: &Node, written: &Written) -> Option<()> {
        if let Some(element) = self.element(node) {
            return written.contains(&element).then_some(());
        }
        // The array itself, or an element that is not known; or a write inside an expression.
        let whole = node.variable().is_some_and(|variable| variable.id == self.array);
        if whole || write_target(node).is_some_and(|target| mentions(target, self.array)) {
            return None;
        }
        node.inner.iter().try_for_each(|inner| self.reads(inner, written))
    }

    /// The element of the array that an expression names by known subscripts.
    fn element(&self, node: &Node) -> Option<usize> {
        let mut node = node.bare();
        let mut subscripts = Vec::new();
        while node.is(&SyntaxKind::ArraySubscriptExpr) {
            subscripts.push(self.value(node.child(1)?)?);
            node = decayed(node.child(0)?);
        }
        subscripts.reverse();
        let named = node.variable().is_some_and(|variable| variable.id == self.array);
        if !named || subscripts.len() != self.lengths.len() {
            return None;
        }
        subscripts.iter().zip(&self.lengths).try_fold(0, |place, (&subscript, &length)| {
            let subscript = usize::try_from(subscript).ok().filter(|&subscript| subscript < length)?;
            Some(place * length + subscript)
        })
    }

    /// The value of an integer expression of constants and known counters.
    fn value(&self, node: &Node) -> Option<i64> {
        let bare = node.bare();
        if let Some(variable) = bare.variable() {
            return self.counters.get(&variable.id).copied();
        }
        if let Some(constant) = self.unit.constant(node) {
            return i64::try_from(constant.value).ok();
        }
        match bare.kind {
            // Counters are of at most 64 bits, and their values small: a wider or signed type keeps them.
            SyntaxKind::ImplicitCastExpr if bare.cast == "IntegralCast" => {
                let value = self.value(bare.child(0)?)?;
                let ty = self.unit.integer(bare.ty.plain())?;
                (ty.min()..=ty.max()).contains(&i128::from(value)).then_some(value)
            }
            SyntaxKind::BinaryOperator => {
                let (a, b) = (self.value(bare.child(0)?)?, self.value(bare.child(1)?)?);
                let value = match bare.opcode.as_str() {
                    "+" => a.checked_add(b)?,
                    "-" => a.checked_sub(b)?,
                    "*" => a.checked_mul(b)?,
                    _ => return None,
                };
                let ty = self.unit.integer(bare.ty.plain())?;
                (ty.min()..=ty.max()).contains(&i128::from(value)).then_some(value)
            }
            _ => None,
        }
    }
}

/// An array without its conversion to a pointer.
fn decayed(node: &Node) -> &Node {
    match node.inner.first() {
        Some(inner) if node.is(&SyntaxKind::ImplicitCastExpr) && node.cast == "ArrayToPointerDecay" => inner.bare(),
        _ => node.bare(),
    }
}
