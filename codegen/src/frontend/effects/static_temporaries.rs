//! Static numbers that programs use as they would use local variables: `static double tmp;` of a file, which each function
//! writes before it reads it.

use super::attributes;
use super::control_flow::ControlFlowGraph;
use super::liveness::mentions;
use crate::c_tokens::for_each_identifier;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::address_uses::AddressUses;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::planted::planted;
use std::collections::HashSet;

impl RegionBuilder<'_> {
    /// Whether a static number carries no value from one function into another, nor from one call into the next: each
    /// function that names it writes it first, anew after each call that may reach a function of this file. Nothing
    /// else can name it, and nothing has its address.
    pub fn is_static_temporary(&self, variable: &Node) -> bool {
        let own = variable.is(&SyntaxKind::VarDecl)
            && variable.storage == "static"
            && !variable.thread_local
            && ctype::is_number(&ctype::unqualified(variable.ty.plain()))
            && !ctype::is_untouchable(variable.ty.plain())
            && attributes::of_variable(variable).is_none();
        own && self.unit.root.inner.iter().all(|part| self.leaves_nothing(part, variable))
            && self.is_all_shown(variable)
    }

    /// Whether the syntax tree shows each place of the file that names a variable, as that variable. It does not show the
    /// lengths of array types, pragmas, and strings that assembly and attributes have; and what `extern` in a block
    /// declares is another variable there. Where a section begins and ends, the linker defines names.
    pub fn is_all_shown(&self, variable: &Node) -> bool {
        if planted("a38-shown") {
            return true;
        }
        let name = variable.name.as_str();
        let names_it = |n: &&Node| match n.kind {
            SyntaxKind::VarDecl | SyntaxKind::ParmVarDecl | SyntaxKind::FieldDecl => n.name == name,
            _ => n.reference.as_ref().is_some_and(|r| r.name == name),
        };
        let shown: HashSet<Id> = self.unit.root.walk().filter(names_it).map(|n| n.id).collect();
        let for_the_linker =
            |n: &Node| matches!(n.kind, SyntaxKind::SectionAttr | SyntaxKind::UsedAttr | SyntaxKind::RetainAttr);
        let at_file_scope = self.unit.at_file_scope(variable.id);
        let is_other = |n: &Node| {
            let outside = n.storage == "extern" || self.unit.at_file_scope(n.id);
            let same = n.name == name && n.id != variable.id && (n.storage == "extern" || at_file_scope && outside);
            n.is(&SyntaxKind::VarDecl) && (same || outside && !n.system && attributes::of_variable(n).is_some())
        };
        !self.unit.root.walk().any(is_other)
            && !variable.inner.iter().any(for_the_linker)
            && !self.has_other_names(variable)
            && places_of(name, self.preprocessed) == Some(shown.len())
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

/// How often a preprocessed text names something outside of strings and directives; `None`: a pragma does, too.
fn places_of(name: &str, preprocessed: &str) -> Option<usize> {
    let mut code = 0;
    let mut pragmas = 0;
    for line in preprocessed.lines() {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let count = match directive {
            None => &mut code,
            Some(words) if words.starts_with("pragma") => &mut pragmas,
            Some(_) => continue,
        };
        for_each_identifier(line, |word| *count += usize::from(word == name));
    }
    (pragmas == 0).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::places_of;

    #[test]
    fn names_count_in_code_and_forbid_themselves_in_pragmas() {
        let text = "# 1 \"t.c\"\n#define t 1\nstatic int t; int f(void) { s.t = 't'; p(\"t\"); return t + tt; }\n";
        assert_eq!(places_of("t", text), Some(2));
        assert_eq!(places_of("t", &format!("{text}  # pragma omp parallel if (t)\n")), None);
    }
}
