//! Data flow of scalars: read before written? used after the region?

use super::attributes;
use super::control_flow::ControlFlowGraph;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
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
        let automatic = matches!(variable.storage.as_str(), "" | "auto" | "register") && !variable.thread_local;
        automatic
            && matches!(variable.kind, SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl)
            && !self.unit.at_file_scope(variable.id)
            && !self.variables.addressed.contains(&variable.id)
            && !ctype::is_untouchable(variable.ty.plain())
            && attributes::of_variable(variable).is_none()
    }

    /// Whether a variable's value may be used after the region, whose last statement is `last`.
    pub fn alive_after(&self, graph: &ControlFlowGraph, variable: &Node) -> bool {
        !self.is_hidden(variable) || graph.alive(variable.id, &variable.name)
    }
}
