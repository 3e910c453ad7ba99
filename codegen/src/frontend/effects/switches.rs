//! Reads and writes of a `switch`.

use super::statement_effects::{Effects, unknown};
use crate::Refusal;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::surrounding_loops::Scope;
use crate::refusal::Code;

impl<'a> RegionBuilder<'a> {
    /// A `switch` whose labels all stand directly in its block: any of its parts may run.
    pub fn switch_effects(&mut self, node: &'a Node, scope: &Scope, out: &mut Effects) -> Result<(), Refusal> {
        let [value, body] = node.inner.as_slice() else { return Err(unknown(node)) };
        if !body.is(&SyntaxKind::CompoundStmt) {
            let reason = "the body of this `switch` is no block";
            return Err(Refusal::at(Code::Jump, node, reason, "put `{ }` around its labels"));
        }
        body.inner.iter().try_for_each(|part| check_case(part, true))?;
        self.effects(value, scope, out)?;
        self.effects(body, &scope.perhaps(), out)
    }
}

/// Refuses labels of a `switch` elsewhere than `direct`ly in its block, and declarations that they pass over.
fn check_case(node: &Node, direct: bool) -> Result<(), Refusal> {
    let refuse = |reason, remedy| Err(Refusal::at(Code::Jump, node, reason, remedy));
    match node.kind {
        SyntaxKind::CaseStmt | SyntaxKind::DefaultStmt if direct => {
            node.inner.last().map_or(Ok(()), |inner| check_case(inner, true))
        }
        SyntaxKind::CaseStmt | SyntaxKind::DefaultStmt => {
            refuse("a label of a `switch` stands inside of another statement", "put all labels directly into its block")
        }
        SyntaxKind::DeclStmt if direct => refuse(
            "a variable is declared among the labels of a `switch`",
            "put `{ }` around the statements of a label",
        ),
        SyntaxKind::SwitchStmt => Ok(()),
        _ => node.inner.iter().try_for_each(|inner| check_case(inner, false)),
    }
}
