//! `private(x)`: variables of which each iteration of the region's outermost loops has its own.

use super::atomic_groups::children;
use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::attributes;
use crate::frontend::effects::control_flow::ControlFlowGraph;
use crate::frontend::effects::liveness;
use crate::frontend::survey::address_uses::AddressUses;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::planted::planted;
use crate::refusal::Code;
use crate::source::Directive;

/// Elements of an array up to which each iteration gets its own without being asked: such an array holds what belongs to
/// one point, and its statements stay together, so that none of their loops is tiled.
const MOST_SCRATCH: usize = 64;

impl<'a> RegionBuilder<'a> {
    /// Finds the variables that `private(x)` names. The statements of an outermost loop's body from the first to the last
    /// that names one become a single statement, which has its own copy.
    pub fn find_private(
        &mut self,
        names: &[String],
        roots: &[&'a Node],
        graph: &ControlFlowGraph,
        pragma: &Directive,
    ) -> Result<(), Refusal> {
        for name in names {
            let refuse = |reason: String, remedy: &str| {
                Refusal::span(Code::PrivateClause, pragma.begin, pragma.end, reason, remedy)
            };
            let mut named = roots.iter().flat_map(|root| root.walk()).filter_map(|n| n.variable());
            let variable = named.find(|v| &v.name == name).and_then(|v| self.unit.declaration(v.id));
            let Some(variable) = variable.filter(|v| !self.variables.declared.contains_key(&v.id)) else {
                let reason = format!("`private({name})`: the region uses no variable `{name}` from before it");
                return Err(refuse(reason, "name a variable that is declared before the region and used in it"));
            };
            // Tiles count by variables of their own: authors name counters where OpenMP wants them named.
            if self.variables.is_counter(variable.id) {
                continue;
            }
            let plain = variable.ty.plain();
            let lengths = plain.split('[').skip(1).all(|part| {
                let part = part.trim_end().trim_end_matches(']');
                !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
            });
            let usable = !ctype::is_pointer(plain) && !ctype::is_untouchable(plain) && lengths;
            if !usable || self.is_reduced(variable.id) {
                let reason =
                    format!("`private({name})`: `{name}` is a pointer, reduced, or an array whose length is no number");
                return Err(refuse(reason, "declare the variable in the loop"));
            }
            if !self.is_hidden(variable) && !self.is_only_passed(variable) && !self.is_only_named(variable) {
                let reason = format!(
                    "`private({name})`: `{name}` is not local to the function, or its address is known elsewhere"
                );
                return Err(refuse(reason, "declare the variable in the loop, or copy it to a local one"));
            }
            // An element that is written says nothing about the others: of arrays this is the author's word. So it is of a
            // number that a function may have set.
            if !ctype::is_array(plain) && graph.alive(variable.id, &variable.name) {
                let reason = format!(
                    "`private({name})`: `{name}` may be read after the region, or before it is written in the next entry"
                );
                return Err(refuse(reason, "declare the variable in the loop, or keep its last value in another one"));
            }
            for root in roots {
                self.keep_private(root, variable)?;
            }
            self.private.insert(variable.id);
        }
        Ok(())
    }

    /// Finds small arrays that are private though no clause says so: only the region names them, and each iteration of its
    /// outermost loops writes the elements that it reads.
    pub fn find_scratch(&mut self, roots: &[&'a Node]) -> Result<(), Refusal> {
        let mut named: Vec<Id> =
            roots.iter().flat_map(|root| root.walk()).filter_map(|n| n.variable()).map(|v| v.id).collect();
        named.sort_unstable();
        named.dedup();
        for id in named {
            let Some(variable) = self.unit.declaration(id).filter(|v| self.is_scratch(v, roots)) else { continue };
            if roots.iter().all(|root| self.is_written_in(root, variable)) {
                for root in roots {
                    self.keep_private(root, variable)?;
                }
                self.private.insert(id);
            }
        }
        Ok(())
    }

    /// Whether an array is small, and nothing but the region can read it.
    fn is_scratch(&self, variable: &Node, roots: &[&Node]) -> bool {
        let id = variable.id;
        let plain = ctype::unqualified(variable.ty.plain());
        let element = plain.split('[').next().unwrap_or_default().trim_end();
        let numbers = ctype::is_array(&plain) && ctype::is_number(element);
        let elements = ctype::constant_lengths(&plain)
            .and_then(|lengths| lengths.iter().try_fold(1, |product: usize, &length| product.checked_mul(length)));
        let small = numbers && elements.is_some_and(|count| (1..=MOST_SCRATCH).contains(&count));
        let free = !self.private.contains(&id) && !self.variables.declared.contains_key(&id);
        let part = if self.unit.at_file_scope(id) { &self.unit.root } else { self.function };
        let uses = |node: &Node| node.walk().filter(|n| n.variable().is_some_and(|v| v.id == id)).count();
        let inside: usize = roots.iter().map(|root| uses(root)).sum();
        small
            && free
            && (self.is_hidden(variable) || self.is_only_named(variable))
            && (uses(part) == inside || planted("a37-scratch"))
            && self.is_all_shown(variable)
    }

    /// Whether each iteration of the outermost loops of `node` writes what it reads of an array, in the bodies only.
    fn is_written_in(&self, node: &Node, array: &Node) -> bool {
        if !liveness::mentions(node, array.id) {
            return true;
        }
        match node.kind {
            SyntaxKind::CompoundStmt => node.inner.iter().all(|inner| self.is_written_in(inner, array)),
            SyntaxKind::ForStmt if !node.inner[..4].iter().any(|head| liveness::mentions(head, array.id)) => {
                self.is_array_written_first(&children(&node.inner[4]), array)
            }
            _ => false,
        }
    }

    /// The innermost block with all that name a variable, in which each iteration writes an array's elements before it
    /// reads them: there, an iteration may have its own array as well. Few statements in one group leave more loops to tile.
    fn innermost(&self, block: Id, (first, last): (usize, usize), list: &[&Node], array: &Node) -> (Id, usize, usize) {
        let here = (block, first, last);
        let [inner] = list[first..=last] else { return here };
        let body = match inner.kind {
            SyntaxKind::CompoundStmt => inner,
            SyntaxKind::ForStmt if !inner.inner[..4].iter().any(|head| liveness::mentions(head, array.id)) => {
                &inner.inner[4]
            }
            _ => return here,
        };
        let list = children(body);
        let named = |statement: &&Node| liveness::mentions(statement, array.id);
        let (Some(first), Some(last)) = (list.iter().position(named), list.iter().rposition(named)) else {
            return here;
        };
        if self.is_array_written_first(&list[first..=last], array) {
            self.innermost(body.id, (first, last), &list, array)
        } else {
            here
        }
    }

    /// Whether a static variable of the file is only used by its name, and by no function that the region calls: its
    /// iterations may have their own. That nothing reads it after the region is the author's word.
    fn is_only_named(&self, variable: &Node) -> bool {
        let id = variable.id;
        let plain = self.unit.at_file_scope(id)
            && variable.storage == "static"
            && !variable.thread_local
            && attributes::of_variable(variable).is_none();
        let all = || self.unit.root.inner.iter();
        let once = all().filter(|n| n.is(&SyntaxKind::VarDecl) && n.name == variable.name).count() == 1;
        let known = |n: &Node| {
            let other = n.is(&SyntaxKind::VarDecl) && n.id != id && liveness::mentions(n, id);
            other || n.body().is_some() && AddressUses::of(n).addressed.contains(&id)
        };
        // A function of the system can't name it, and those that call back are not pure.
        let of_system = |call: &Node| {
            let name = expression_parts::callee(call);
            let mut functions = all().filter(|n| n.is(&SyntaxKind::FunctionDecl) && Some(n.name.as_str()) == name);
            name.is_some_and(|name| !self.pure.iter().any(|own| own == name))
                && functions.all(|f| f.system && f.body().is_none())
        };
        let mut calls = self.variables.roots.iter().flat_map(|r| r.walk()).filter(|n| n.is(&SyntaxKind::CallExpr));
        plain && once && !all().any(known) && calls.all(of_system)
    }

    /// Groups the statements of an outermost loop's body that name a variable.
    fn keep_private(&mut self, node: &'a Node, variable: &Node) -> Result<(), Refusal> {
        let id: Id = variable.id;
        if !liveness::mentions(node, id) {
            return Ok(());
        }
        match node.kind {
            SyntaxKind::CompoundStmt => node.inner.iter().try_for_each(|inner| self.keep_private(inner, variable)),
            SyntaxKind::ForStmt if !node.inner[..4].iter().any(|head| liveness::mentions(head, id)) => {
                let body = &node.inner[4];
                let list = children(body);
                let named = |statement: &&Node| liveness::mentions(statement, id);
                if let (Some(first), Some(last)) = (list.iter().position(named), list.iter().rposition(named)) {
                    if !self.variables.passed.contains_key(&id) {
                        check_written(&list[first..=last], variable)?;
                    }
                    let (block, first, last) = self.innermost(body.id, (first, last), &list, variable);
                    self.groups.entry(block).or_default().push((first, last));
                }
                Ok(())
            }
            _ => Err(Refusal::at(
                Code::PrivateClause,
                node,
                format!("`{}` is private, and is used outside of the body of an outermost loop", variable.name),
                "use it in the bodies of the region's outermost loops only",
            )),
        }
    }
}

/// Refuses a number that the statements of an iteration only read before they write it: it comes from outside.
fn check_written(statements: &[&Node], variable: &Node) -> Result<(), Refusal> {
    let plain = ctype::unqualified(variable.ty.plain());
    let number = ctype::is_number(&plain);
    let mut named = statements.iter().flat_map(|n| n.walk());
    if !number || ControlFlowGraph::of_part(statements).is_written_first(variable.id, &variable.name) {
        return Ok(());
    }
    let name = &variable.name;
    let place = named.find(|n| n.variable().is_some_and(|v| v.id == variable.id)).unwrap_or(statements[0]);
    Err(Refusal::at(
        Code::PrivateReadFirst,
        place,
        format!("`private({name})`: each iteration reads `{name}` before it writes it"),
        "remove it from the clause: an iteration needs what the one before it wrote",
    ))
}
