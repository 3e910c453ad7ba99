//! Data flow of scalars: read before written? used after the region?

use super::attributes;
use super::control_flow::ControlFlowGraph;
use crate::frontend::clang::ast::{Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;

pub use super::control_flow::{Flow, mentions};

/// The flow of a sequence of statements.
pub fn sequence(nodes: &[&Node], variable: &Node) -> Flow {
    ControlFlowGraph::of_part(nodes).flow(variable.id, &variable.name)
}

/// The flow of a statement or expression.
pub fn of(node: &Node, variable: &Node) -> Flow {
    sequence(&[node], variable)
}

impl RegionBuilder<'_> {
    /// Whether only the function's own text, by the variable's name, reads and writes a variable.
    pub fn is_hidden(&self, variable: &Node) -> bool {
        !self.variables.addressed.contains(&variable.id) && is_automatic(self.unit, variable)
    }

    /// Whether a variable's address is known only to functions that the region passes it to: their bodies are seen.
    pub fn is_only_passed(&self, variable: &Node) -> bool {
        let passes = |node: &Node, callee: &String| {
            node.is(&SyntaxKind::CallExpr)
                && expression_parts::callee(node) == Some(callee)
                && node.inner[1..].iter().any(|argument| expression_parts::base_variable(argument) == Some(variable.id))
        };
        let in_region = |callee: &String| self.variables.roots.iter().flat_map(|r| r.walk()).any(|n| passes(n, callee));
        let passed = self.variables.passed.get(&variable.id);
        passed.is_some_and(|callees| callees.iter().all(in_region)) && is_automatic(self.unit, variable)
    }

    /// Whether a variable's value may be used after the region, whose last statement is `last`.
    pub fn alive_after(&self, graph: &ControlFlowGraph, variable: &Node) -> bool {
        let known = self.is_hidden(variable) || self.is_static_temporary(variable);
        !known || graph.alive(variable.id, &variable.name)
    }
}

/// Whether a variable lives as long as a block of the function, and has nothing unusual.
fn is_automatic(unit: &Unit, variable: &Node) -> bool {
    let automatic = matches!(variable.storage.as_str(), "" | "auto" | "register") && !variable.thread_local;
    automatic
        && matches!(variable.kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl)
        && !unit.at_file_scope(variable.id)
        && !ctype::is_untouchable(variable.ty.plain())
        && attributes::of_variable(variable).is_none()
}
