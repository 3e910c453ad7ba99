//! Forward substitution of integer scalars: `k = i * n;` once, and `k` in later statements.

use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::{base_variable, write_target};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::control_flow::ControlFlowGraph;
use crate::frontend::survey::jumps::has_jumps;
use crate::frontend::survey::reaching_definitions::{Definition, Following, ReachingDefinitions};
use crate::frontend::survey::region_builder::RegionBuilder;
use std::collections::HashSet;

impl<'a> RegionBuilder<'a> {
    /// Finds the definitions of the region's integer scalars, and those that later statements can repeat.
    pub fn follow_definitions(&mut self, roots: &[&'a Node], graph: &ControlFlowGraph) {
        // A jump may pass over a definition.
        if roots.iter().any(|root| has_jumps(root)) {
            return;
        }
        let follows = |id: Id| self.unit.declaration(id).is_some_and(|variable| self.is_followed(variable));
        let mut written: Vec<(Id, &'a Node)> = self.variables.written.iter().map(|(id, n)| (*id, *n)).collect();
        written.sort_by_key(|(_, n)| n.begin.offset);
        let entering = written.iter().map(|(id, _)| *id);
        let entering = entering.filter(|id| !self.variables.declared.contains_key(id) && follows(*id));
        let entering: Vec<Id> = entering.filter(|_| self.looks_for_closed).collect();
        self.definitions = ReachingDefinitions::of(roots, &entering, &Following { unit: self.unit, follows: &follows });
        for (id, place) in written {
            let Some(variable) = self.unit.declaration(id).filter(|v| self.is_followed(v)) else { continue };
            // A copy in each statement that uses the variable: nothing else may see its value.
            let dead = self
                .variables
                .declared
                .get(&id)
                .map_or_else(|| !self.alive_after(graph, variable), |declared| !declared.initialised);
            if let Some(value) = self.single_value(id, place, roots).filter(|_| dead)
                && self.is_repeatable_value(value)
            {
                self.forwarded.insert(id, value);
            } else if self.looks_for_closed
                && !self.is_reduced(id)
                && !self.private.contains(&id)
                && self.has_closed_form(id, roots)
            {
                let alive = !self.variables.declared.contains_key(&id) && self.alive_after(graph, variable);
                if !alive || self.definitions.at_end(id).is_some() {
                    self.closed.insert(id);
                }
            }
        }
    }

    /// Whether every use of a variable has a definition, one of them from the entry or from other iterations.
    fn has_closed_form(&self, id: Id, roots: &[&'a Node]) -> bool {
        let targets: HashSet<*const Node> = roots
            .iter()
            .flat_map(|root| root.walk())
            .filter(|n| n.is(&SyntaxKind::BinaryOperator))
            .filter_map(write_target)
            .map(|target| std::ptr::from_ref(target.bare()))
            .collect();
        let uses = roots.iter().flat_map(|root| root.walk()).filter(|n| {
            let named = n.is(&SyntaxKind::DeclRefExpr) && n.reference.as_ref().is_some_and(|r| r.id == id);
            named && !targets.contains(&std::ptr::from_ref(*n))
        });
        let definitions: Option<Vec<Definition>> = uses.map(|n| self.definitions.of_use(n)).collect();
        let carried = |d: &Definition| !matches!(d, Definition::Assigned(_));
        definitions.is_some_and(|all| all.iter().any(carried))
    }

    fn is_followed(&self, variable: &Node) -> bool {
        self.is_hidden(variable)
            && self.unit.integer(variable.ty.plain()).is_some_and(|ty| ty.width >= 8)
            && !self.variables.is_counter(variable.id)
    }

    /// The right side of the only assignment of a variable, if that one reaches every use.
    fn single_value(&self, id: Id, place: &'a Node, roots: &[&'a Node]) -> Option<&'a Node> {
        let value = place.inner.get(1).filter(|_| place.is(&SyntaxKind::BinaryOperator))?;
        let target = write_target(place)?.bare();
        for node in roots.iter().flat_map(|root| root.walk()) {
            let second = write_target(node).and_then(base_variable) == Some(id) && !std::ptr::eq(node, place);
            let used = node.is(&SyntaxKind::DeclRefExpr)
                && node.reference.as_ref().is_some_and(|r| r.id == id)
                && !std::ptr::eq(node, target);
            let reached = || {
                let definition = self.definitions.of_use(node);
                matches!(definition, Some(Definition::Assigned(from)) if std::ptr::eq(from, value))
            };
            if second || (used && !reached()) {
                return None;
            }
        }
        Some(value)
    }

    /// Whether an expression has the same value wherever its definition reaches.
    fn is_repeatable_value(&self, value: &Node) -> bool {
        let casts = |n: &Node| {
            n.is(&SyntaxKind::ParenExpr)
                || (n.is(&SyntaxKind::ImplicitCastExpr) && matches!(n.cast.as_str(), "LValueToRValue" | "IntegralCast"))
        };
        let mut load = value;
        while casts(load) {
            let Some(inner) = load.child(0) else { return false };
            load = inner;
        }
        self.steady(value) || self.is_unwritten_load(load)
    }

    /// Whether an expression reads an element or member that the region does not write.
    fn is_unwritten_load(&self, load: &Node) -> bool {
        let memory = matches!(load.kind, SyntaxKind::ArraySubscriptExpr | SyntaxKind::MemberExpr)
            || (load.is(&SyntaxKind::UnaryOperator) && load.opcode == "*");
        let unwritten = |n: &Node| {
            n.reference.as_ref().is_none_or(|r| {
                let kept = !self.variables.written.contains_key(&r.id) || self.forwarded.contains_key(&r.id);
                let array = ctype::is_pointer(n.ty.plain()) || ctype::is_array(n.ty.plain());
                kept && !(array && self.variables.declared.contains_key(&r.id))
            })
        };
        let plain = |n: &Node| {
            matches!(
                n.kind,
                SyntaxKind::ArraySubscriptExpr
                    | SyntaxKind::MemberExpr
                    | SyntaxKind::DeclRefExpr
                    | SyntaxKind::ImplicitCastExpr
                    | SyntaxKind::ParenExpr
                    | SyntaxKind::IntegerLiteral
            ) || (n.is(&SyntaxKind::UnaryOperator) && matches!(n.opcode.as_str(), "*" | "-"))
                || (n.is(&SyntaxKind::BinaryOperator) && matches!(n.opcode.as_str(), "+" | "-" | "*"))
        };
        memory && load.walk().all(|n| plain(n) && unwritten(n))
    }

    /// Whether a statement is the assignment of a scalar that later statements repeat.
    pub fn is_forwarded(&self, node: &Node) -> bool {
        let target = write_target(node).filter(|_| node.is(&SyntaxKind::BinaryOperator)).and_then(Node::variable);
        target.is_some_and(|r| self.forwarded.contains_key(&r.id))
    }

    /// What a statement gives a repeated variable as its initial value.
    pub fn repeated_value(&self, id: Id) -> Option<&'a Node> {
        let forwarded = self.forwarded.get(&id).copied();
        forwarded.or_else(|| {
            let variable = self.unit.declaration(id)?;
            variable.initial_value()
        })
    }
}
