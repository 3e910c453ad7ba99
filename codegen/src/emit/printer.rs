//! What the printers of isl's syntax trees have in common.

use super::expression::CScope;
use crate::Refusal;
use dvm_isl::{AstExpr, AstNode};

/// Prints a syntax tree of isl as C, line by line.
pub trait Printer {
    /// isl's names in C.
    fn scope(&self) -> &CScope;

    /// The text so far.
    fn lines(&mut self) -> &mut String;

    /// Writes a node and its children.
    fn node(&mut self, node: &AstNode, indent: usize) -> Result<(), Refusal>;

    /// Writes a line.
    fn line(&mut self, indent: usize, text: &str) {
        let lines = self.lines();
        lines.push_str(&"  ".repeat(indent));
        lines.push_str(text);
        lines.push('\n');
    }

    /// Writes the nodes of a block.
    fn block(&mut self, children: &[AstNode], indent: usize) -> Result<(), Refusal> {
        children.iter().try_for_each(|child| self.node(child, indent))
    }

    /// Writes a condition and what depends on it.
    fn branch(
        &mut self,
        cond: &AstExpr,
        then: &AstNode,
        otherwise: Option<&AstNode>,
        indent: usize,
    ) -> Result<(), Refusal> {
        let cond = self.scope().text(cond)?;
        self.line(indent, &format!("if ({cond}) {{"));
        self.node(then, indent + 1)?;
        if let Some(otherwise) = otherwise {
            self.line(indent, "} else {");
            self.node(otherwise, indent + 1)?;
        }
        self.line(indent, "}");
        Ok(())
    }
}
