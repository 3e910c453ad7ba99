//! Static numbers that programs use as they would use local variables: `static double tmp;` of a file, which each function
//! writes before it reads it.

use super::attributes;
use super::control_flow::ControlFlowGraph;
use super::liveness::mentions;
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::address_uses::AddressUses;
use crate::frontend::survey::region_builder::RegionBuilder;

impl RegionBuilder<'_> {
    /// Whether a static number carries no value from one function into another, nor from one call into the next: each
    /// function that names it writes it first, anew after each call that may reach a function of this file. Nothing
    /// outside the file can name it, and nothing has its address.
    pub fn is_static_temporary(&self, variable: &Node) -> bool {
        let plain = ctype::unqualified(variable.ty.plain());
        let number = ctype::integer(&plain).is_some() || matches!(plain.as_str(), "float" | "double" | "long double");
        let own = variable.is(&SyntaxKind::VarDecl)
            && variable.storage == "static"
            && !variable.thread_local
            && number
            && !ctype::is_untouchable(variable.ty.plain())
            && attributes::of_variable(variable).is_none();
        own && self.is_declared_once(variable)
            && self.unit.root.inner.iter().all(|part| self.leaves_nothing(part, variable))
    }

    /// Whether the file has one declaration of the variable: `extern` in a block would name it, too.
    fn is_declared_once(&self, variable: &Node) -> bool {
        let names_it = |n: &Node| n.is(&SyntaxKind::VarDecl) && n.name == variable.name && n.id != variable.id;
        let at_file_scope = self.unit.at_file_scope(variable.id);
        let other = |n: &Node| names_it(n) && (n.storage == "extern" || at_file_scope && self.unit.at_file_scope(n.id));
        !self.unit.root.walk().any(other)
    }

    /// Whether a declaration of the file neither reads a value that others have left in the variable, nor tells its address.
    fn leaves_nothing(&self, part: &Node, variable: &Node) -> bool {
        if part.id == variable.id || !mentions(part, variable.id) {
            return true;
        }
        let Some(body) = part.body().filter(|_| part.is(&SyntaxKind::FunctionDecl)) else { return false };
        let graph = ControlFlowGraph::of_function(body, body);
        // What cleans up behind a variable is called where the tree shows nothing.
        let unusual = |n: &Node| n.is(&SyntaxKind::VarDecl) && attributes::of_variable(n).is_some();
        !part.walk().any(unusual)
            && !AddressUses::of(part).addressed.contains(&variable.id)
            && !graph.takes_value(variable.id, &variable.name, &|callee| self.is_library(callee))
    }
}
