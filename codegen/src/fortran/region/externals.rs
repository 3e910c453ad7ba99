//! Calls of functions that the mark declares `pure`: gfortran's own functions are called, by the names that they have for
//! the linker. What they do is the user's word; what is passed to them must be clear.

use super::{Answer, Translator, call_arguments, refuse, unknown};
use crate::fortran::external_functions::{ExternalFunction, PassedNumber, label, number_type};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::values::{HlfirValue, ValueShape};
use crate::fortran::variables::attribute;

const INTERFACE: &str = "have the function in a module, or write an interface block for it";

impl<'a> Translator<'a> {
    /// Whether the mark declares a function `pure`.
    pub(super) fn is_declared_pure(&self, name: &str) -> bool {
        self.file.functions.means(&self.clauses.pure, name)
    }

    /// A call of a function that the mark declares `pure`.
    pub(super) fn external_call(&mut self, op: &'a HlfirOp, symbol: &str) -> Answer<()> {
        let function = self.external(op, symbol)?;
        let name = function.fortran_name.clone();
        let operands = op.operands();
        if operands.len() != function.parameters.len() {
            return unknown(op);
        }
        let is_seen = !symbol.starts_with("_QP")
            || self.file.functions.is_explicit(&name)
            || self.file.procedure(symbol).is_some();
        let mut arguments = Vec::new();
        for (operand, passed) in operands.iter().zip(&function.parameters) {
            let is_value = self.values.get(base(operand)).is_some_and(|value| value.statement == self.statement);
            if !is_value && !is_seen && self.elements.contains_key(base(operand)) {
                let reason = format!(
                    "an element is passed to `{name}`, whose interface is not seen: the array from there on may be meant"
                );
                return refuse(op, &reason, INTERFACE);
            }
            let value = if is_value { self.operand(op, operand)? } else { self.read(op, operand)? };
            if value.element != passed.kind.element {
                return refuse(op, &format!("an argument of `{name}` has another type"), INTERFACE);
            }
            arguments.push(value.whole_text());
        }
        let text = format!("{}({})", function.wrapper(), arguments.join(", "));
        let value = HlfirValue::of(text, function.result.element, ValueShape::Other("a call of a function"));
        self.keep(op, HlfirValue { reads: true, varies: true, ..value })
    }

    /// The function that flang calls `symbol`.
    fn external(&mut self, op: &'a HlfirOp, symbol: &str) -> Answer<ExternalFunction> {
        if let Some(known) = self.made.externals.iter().find(|known| known.symbol == symbol) {
            return Ok(known.clone());
        }
        let name = self.file.functions.name_of(symbol).to_owned();
        let Some(label) = label(symbol, op.text.contains("is_bind_c")) else {
            let reason = format!("`{name}` is a function of a procedure or of a submodule, which others cannot call");
            return refuse(op, &reason, "have it in a module");
        };
        let heads = || self.file.all.iter().filter(|op| op.name == "func.func");
        let head = heads().find(|head| attribute(&head.text, "@", '(') == Some(symbol));
        let Some(head) = head else { return unknown(op) };
        if head.text.contains("fir.optional") {
            return refuse(
                op,
                &format!("`{name}` has `optional` arguments"),
                "declare the arguments without `optional`",
            );
        }
        let (Some(types), true) = (op.text.rsplit_once(" : ").map(|(_, types)| types), !head.text.contains("fir.host"))
        else {
            return unknown(op);
        };
        let mut parameters = Vec::new();
        for spelling in call_arguments::argument_types(types).into_iter().filter(|one| !one.is_empty()) {
            let bare = spelling.strip_prefix("!fir.ref<").and_then(|rest| rest.strip_suffix('>'));
            let Some(kind) = number_type(bare.unwrap_or(spelling)) else {
                return call_arguments::of_arguments(op).map_or_else(|| unknown(op), Err);
            };
            parameters.push(PassedNumber { kind, by_value: bare.is_none() });
        }
        let result = types.rsplit_once("-> ").and_then(|(_, result)| number_type(result.trim()));
        let Some(result) = result else {
            let remedy = "its result must be an integer or real of 4 or 8 bytes, or a logical of 4";
            return refuse(op, &format!("the result of `{name}` has a type that is not taken"), remedy);
        };
        let number = self.made.externals.len() + 1;
        let made =
            ExternalFunction { symbol: symbol.to_owned(), fortran_name: name, label, number, result, parameters };
        self.made.externals.push(made.clone());
        Ok(made)
    }
}
