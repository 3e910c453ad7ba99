//! Addresses of scalars as arguments of calls whose bodies are seen: `x = next(&seed)`. The scalar belongs to the statement
//! that calls, and the body's uses of its parameter are uses of the scalar.

use super::statement_effects::Effects;
use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::base_variable;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::surrounding_loops::Scope;
use crate::refusal::Code;

/// The variable of `&x`.
fn addressed(argument: &Node) -> Option<&Node> {
    match (&argument.kind, argument.cast.as_str()) {
        (SyntaxKind::ParenExpr, _) | (SyntaxKind::ImplicitCastExpr, "NoOp") => addressed(argument.child(0)?),
        (SyntaxKind::UnaryOperator, _) if argument.opcode == "&" => {
            argument.child(0).map(Node::bare).filter(|n| n.variable().is_some())
        }
        _ => None,
    }
}

/// The number whose address an argument is.
fn number<'u>(unit: &'u Unit, argument: &Node) -> Option<&'u Node> {
    let variable = unit.declaration(addressed(argument)?.variable()?.id)?;
    ctype::is_number(&ctype::unqualified(variable.ty.plain())).then_some(variable)
}

impl<'a> RegionBuilder<'a> {
    /// Whether an argument is the address of a number.
    pub fn passes_number(&self, argument: &Node) -> bool {
        number(self.unit, argument).is_some()
    }

    /// Adds the use of a number whose address a call passes; false if the argument is something else.
    pub fn pass_number(&mut self, argument: &'a Node, scope: &Scope, out: &mut Effects) -> Result<bool, Refusal> {
        let Some(variable) = number(self.unit, argument) else { return Ok(false) };
        let id = variable.id;
        Self::check_storage(variable, argument)?;
        let own = out.own.contains(&id);
        let of_iteration = self.variables.declared.contains_key(&id) || self.private.contains(&id);
        if !own && of_iteration && !self.variables.is_counter(id) {
            self.scalar(variable, argument, scope, true, self.variables.written.contains_key(&id), out)?;
        }
        let has = |ids: &[Id]| ids.contains(&id);
        let placed = own || has(&out.copies) || has(&out.repeated);
        if placed && !self.variables.is_counter(id) {
            return Ok(true);
        }
        let name = &variable.name;
        let reason = format!("the address of `{name}` is taken, which is not a variable of one iteration");
        let remedy =
            "declare the variable in the loop, or add `private` for it to the pragma if each iteration sets it first";
        Err(Refusal::at(Code::AddressUsed, argument, reason, remedy))
    }

    /// Whether a callee's lvalue is a number whose address a call passed.
    pub fn is_passed_number(&self, node: &Node, write: bool) -> Result<bool, Refusal> {
        let Some(mut root) = base_variable(node) else { return Ok(false) };
        while let Some(argument) = self.callees.values.get(&root) {
            if !self.unit.declaration(root).is_some_and(|v| ctype::is_pointer(v.ty.plain())) {
                return Ok(false);
            }
            if let Some(variable) = number(self.unit, argument) {
                let seen =
                    self.callees.variables.contains(&variable.id) || self.variables.written.contains_key(&variable.id);
                if write && !seen {
                    let reason = format!("`{}` is written through a pointer to a constant", variable.name);
                    let remedy = "declare the parameter as a pointer to what it writes";
                    return Err(Refusal::at(Code::WrittenByFunction, node, reason, remedy));
                }
                return Ok(true);
            }
            let Some(next) = base_variable(argument) else { return Ok(false) };
            root = next;
        }
        Ok(false)
    }
}
