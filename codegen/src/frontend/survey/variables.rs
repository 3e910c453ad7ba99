//! Declarations, reads and writes of a region, gathered before any statement is made.

use super::address_uses::AddressUses;
use super::loop_header;
use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::{base_variable, write_target};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::refusal::Code;
use std::collections::{HashMap, HashSet};

/// The result of a walk over the region and its function.
#[derive(Debug, Default, Clone)]
pub struct RegionVariables<'a> {
    /// The region's statements.
    pub roots: Vec<&'a Node>,
    /// Variables declared in the region.
    pub declared: HashMap<Id, &'a Node>,
    /// Loop counters, each with one of its loops.
    pub counters: HashMap<Id, &'a Node>,
    /// Counters that are named outside of the loops that set them: statements may need the value that a loop leaves.
    pub left: HashSet<Id>,
    /// Variables assigned in the region (except counters by their own loops), each with one such place.
    pub written: HashMap<Id, &'a Node>,
    /// Variables whose address may be known elsewhere, because of anything in the function.
    pub addressed: HashSet<Id>,
    /// Those of them that are arrays and only passed, with the functions that get them.
    pub passed: HashMap<Id, HashSet<String>>,
    /// Variables that the function assigns after their declaration.
    pub changed: HashSet<Id>,
    /// Types declared inside the function.
    pub local_types: HashSet<String>,
    /// How often the function, including its parameters, declares each name.
    pub names: HashMap<String, usize>,
}

impl<'a> RegionVariables<'a> {
    /// Walks the function and the region.
    pub fn new(unit: &'a Unit, function: &'a Node, roots: Vec<&'a Node>) -> Result<RegionVariables<'a>, Refusal> {
        let AddressUses { addressed, passed, changed, .. } = AddressUses::until(function, &roots);
        let mut found =
            RegionVariables { roots: roots.clone(), addressed, passed, changed, ..RegionVariables::default() };
        for node in function.walk() {
            if node.kind.is_declaration() && node.id != function.id {
                *found.names.entry(node.name.clone()).or_default() += 1;
            }
            match node.kind {
                SyntaxKind::TypedefDecl | SyntaxKind::RecordDecl | SyntaxKind::EnumDecl => {
                    found.local_types.insert(node.name.clone());
                }
                // The tree does not show the operands of assembly.
                SyntaxKind::GCCAsmStmt | SyntaxKind::MSAsmStmt => {
                    found.addressed.extend(variables(function));
                    found.passed.clear();
                }
                _ => {}
            }
        }
        for root in roots {
            found.gather(unit, root)?;
        }
        found.left = found.counters.keys().copied().filter(|id| found.is_left(unit, *id)).collect();
        for (counter, loop_node) in &found.counters {
            if let Some(place) = found.written.get(counter) {
                let inside = loop_node.walk().any(|n| std::ptr::eq(n, *place));
                let what = if inside { "in its loop" } else { "in the region outside its loop" };
                return Err(Refusal::at(
                    Code::CounterAssigned,
                    place,
                    format!("the loop counter is assigned {what}"),
                    "use another variable, so that only the loop's header changes the counter",
                ));
            }
        }
        Ok(found)
    }

    fn gather(&mut self, unit: &'a Unit, node: &'a Node) -> Result<(), Refusal> {
        match node.kind {
            SyntaxKind::ForStmt => {
                let header = loop_header::header(unit, node)?;
                self.counters.insert(header.counter, node);
                if header.declared {
                    self.declared.insert(header.counter, header.declaration);
                }
                self.declared.extend(header.declared_beside().map(|variable| (variable.id, variable)));
                self.expressions(header.first);
                header.beside_first.iter().chain(&header.beside_step).for_each(|part| self.expressions(part));
                self.expressions(header.condition);
                return self.gather(unit, header.body);
            }
            SyntaxKind::VarDecl => drop(self.declared.insert(node.id, node)),
            _ => self.note_write(node),
        }
        for child in node.inner.iter().filter(|n| !n.kind.is_absent()) {
            self.gather(unit, child)?;
        }
        Ok(())
    }

    fn expressions(&mut self, node: &'a Node) {
        node.walk().for_each(|n| self.note_write(n));
    }

    fn note_write(&mut self, node: &'a Node) {
        // A function may write where it is given an address.
        if node.is(&SyntaxKind::CallExpr) {
            for argument in node.inner[1..].iter().filter(|a| may_be_written(a.ty.plain())) {
                if let Some(id) = base_variable(argument) {
                    self.written.entry(id).or_insert(node);
                }
            }
        }
        if let Some(target) = write_target(node)
            && let Some(id) = base_variable(target)
        {
            self.written.entry(id).or_insert(node);
        }
    }

    /// Whether anything but its loops needs a counter's value. A loop without a first value needs the one before it,
    /// unless that is the value at the region's entry.
    fn is_left(&self, unit: &Unit, counter: Id) -> bool {
        let headers = self.roots.iter().flat_map(|root| root.walk()).filter(|n| n.is(&SyntaxKind::ForStmt));
        let mut own = headers.filter_map(|n| loop_header::header(unit, n).ok()).filter(|h| h.counter == counter);
        let entered = own.next().is_some_and(|h| h.entered) && own.next().is_none();
        let enters = entered && !self.declared.contains_key(&counter);
        self.roots.iter().any(|root| is_named(unit, root, counter, enters))
    }

    /// Whether a variable is the counter of some loop in the region.
    pub fn is_counter(&self, id: Id) -> bool {
        self.counters.contains_key(&id)
    }
}

/// Whether a counter is named outside of its loops; those that have no first value are such loops if `enters`.
fn is_named(unit: &Unit, node: &Node, counter: Id, enters: bool) -> bool {
    let header = if node.is(&SyntaxKind::ForStmt) { loop_header::header(unit, node).ok() } else { None };
    let own = header.is_some_and(|header| header.counter == counter && (enters || !header.entered));
    let named = node.is(&SyntaxKind::DeclRefExpr) && node.reference.as_ref().is_some_and(|r| r.id == counter);
    !own && (named || node.inner.iter().any(|inner| is_named(unit, inner, counter, enters)))
}

/// Whether a type is a pointer to what is not constant.
fn may_be_written(plain: &str) -> bool {
    ctype::is_pointer(plain) && !plain.starts_with("const ")
}

fn variables(function: &Node) -> impl Iterator<Item = Id> + '_ {
    function.walk().filter(|n| n.is(&SyntaxKind::VarDecl) || n.is(&SyntaxKind::ParmVarDecl)).map(|n| n.id)
}
