//! Functions of numbers for which C has no operator.

use super::{Answer, Translator, refuse};
use crate::fortran::hlfir::HlfirOp;
use crate::fortran::numeric_functions::numeric_function;
use crate::fortran::values::{HlfirValue, ValueShape};

impl<'a> Translator<'a> {
    /// The value of a function of numbers, if the operation computes one.
    pub(super) fn numeric(&mut self, op: &'a HlfirOp) -> Answer<Option<HlfirValue>> {
        let Some(function) = numeric_function(op) else { return Ok(None) };
        let given: Vec<String> =
            self.clauses.pure.iter().filter(|name| function.names.contains(&name.as_str())).cloned().collect();
        if let (true, Some(name)) = (given.is_empty(), function.names.first()) {
            let what =
                if *name == "pow" { "a power with a real exponent, for which Fortran calls" } else { "the function" };
            let reason = format!("{what} `{name}`: compilers evaluate it differently for vectors");
            return refuse(op, &reason, &format!("write `pure({name})` in the mark, if its last bits may differ"));
        }
        self.made.called.extend(given);
        let (operands, parameters) = (op.operands(), function.parameters());
        if operands.len() != parameters.len() {
            return Ok(None);
        }
        let mut arguments = Vec::new();
        for (operand, element) in operands.iter().zip(parameters) {
            let value = self.operand(op, operand)?;
            if value.element != element {
                return Ok(None);
            }
            arguments.push(value.whole_text());
        }
        let text = format!("{}({})", function.name(), arguments.join(", "));
        let result = function.result;
        if !self.made.numeric.contains(&function) {
            self.made.numeric.push(function);
        }
        Ok(Some(HlfirValue::of(text, result, ValueShape::Other("a function of numbers"))))
    }
}
