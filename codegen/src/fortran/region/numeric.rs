//! Functions of numbers for which C has no operator.

use super::{Answer, Translator, refuse};
use crate::fortran::hlfir::HlfirOp;
use crate::fortran::numeric_functions::{NumericFunction, numeric_function};
use crate::fortran::types::Element;
use crate::fortran::values::{self, HlfirValue, ValueShape};
use crate::fortran::variables::attribute;

/// Why a power with a whole exponent needs the user's word.
pub(super) const KNOWN_POWER: &str = "compilers compute it differently where they know its base or its exponent";

/// The name of powers in `pure`.
const POWER: &str = "pow";

/// Whether an operation is a call of flang's library: behind the numbers, it passes the name of the file and the line.
fn is_of_library(op: &HlfirOp) -> bool {
    attribute(&op.text, "@", '(').is_some_and(|symbol| symbol.starts_with("_FortranA"))
}

impl<'a> Translator<'a> {
    /// The value of a function of numbers, if the operation computes one.
    pub(super) fn numeric(&mut self, op: &'a HlfirOp) -> Answer<Option<HlfirValue>> {
        let Some(function) = numeric_function(op) else { return self.quotient(op) };
        let given: Vec<String> =
            self.clauses.pure.iter().filter(|name| function.names.contains(&name.as_str())).cloned().collect();
        if let (true, Some(name)) = (given.is_empty(), function.names.first()) {
            let what =
                if *name == "pow" { "a power with a real exponent, for which Fortran calls" } else { "the function" };
            let reason = format!("{what} `{name}`: compilers evaluate it differently for vectors");
            return refuse(op, &reason, &format!("write `pure({name})` in the mark, if its last bits may differ"));
        }
        self.made.called.extend(given);
        self.power(op)?;
        let (mut operands, parameters) = (op.operands(), function.parameters());
        if is_of_library(op) {
            operands.truncate(parameters.len());
        }
        if operands.len() != parameters.len() {
            return Ok(None);
        }
        let mut arguments = Vec::new();
        for (operand, element) in operands.iter().zip(parameters) {
            let value = self.operand(op, operand)?;
            if value.element != element {
                return Ok(None);
            }
            arguments.push(value);
        }
        if function.is_magnitude() {
            self.magnitude(op, &arguments)?;
        }
        Ok(Some(self.called(function, &arguments)))
    }

    /// The value of a function of these arguments, which have its types.
    pub(super) fn called(&mut self, function: NumericFunction, arguments: &[HlfirValue]) -> HlfirValue {
        let arguments: Vec<String> = arguments.iter().map(HlfirValue::whole_text).collect();
        let text = format!("{}({})", function.name(), arguments.join(", "));
        let result = function.result;
        if !self.made.numeric.contains(&function) {
            self.made.numeric.push(function);
        }
        let is_truth = result == Element::Condition;
        let shape = if is_truth { ValueShape::Affine } else { ValueShape::Other("a function of numbers") };
        HlfirValue::of(text, result, shape)
    }

    /// A quotient of complex numbers, of which flang passes the parts to a function of C. Gfortran divides by Fortran's rules, as the C
    /// compiler is told to.
    fn quotient(&mut self, op: &'a HlfirOp) -> Answer<Option<HlfirValue>> {
        let element = match attribute(&op.text, "@", '(') {
            Some("__divdc3") => Element::C64,
            Some("__divsc3") => Element::C32,
            _ => return Ok(None),
        };
        let mut parts = Vec::new();
        for operand in op.operands() {
            let part = self.operand(op, operand)?;
            if element.part() != Some(part.element) {
                return Ok(None);
            }
            parts.push(part.whole_text());
        }
        let [a, b, c, d] = parts.as_slice() else { return Ok(None) };
        Ok(Some(values::complex(format!("({} / {})", values::of_parts(a, b), values::of_parts(c, d)), element)))
    }

    /// Refuses `abs` of a complex number that gfortran may know: it then rounds the exact value, and its library another one.
    fn magnitude(&mut self, op: &HlfirOp, arguments: &[HlfirValue]) -> Answer<()> {
        if !arguments.iter().all(|value| value.varies) {
            let reason = "`abs` of a complex number that all iterations share: compilers compute it differently where they know it";
            return refuse(op, reason, "assign it to a variable before the region");
        }
        self.made.has_power = true;
        Ok(())
    }

    /// Refuses a power of a real that gfortran computes otherwise where it knows the base, or an exponent that is a variable, unless the
    /// mark has `pure(pow)`: it then rounds the exact value, or multiplies in another order.
    fn power(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let ("math.fpowi", [base, exponent]) = (op.name.as_str(), operands.as_slice()) else { return Ok(()) };
        let exponent = self.operand(op, exponent)?.number;
        // One operation, or none.
        if exponent.is_some_and(|exponent| (-1..=2).contains(&exponent)) {
            return Ok(());
        }
        if self.clauses.pure.iter().any(|name| name == POWER) {
            self.made.called.insert(POWER.to_owned());
            return Ok(());
        }
        let remedy = "assign the power to a variable before the region; or write `pure(pow)` in the mark, if its last bits may differ";
        match exponent {
            None => refuse(op, &format!("a power whose exponent is a variable: {KNOWN_POWER}"), remedy),
            Some(_) if !self.operand(op, base)?.varies => {
                refuse(op, &format!("a power of what all iterations share: {KNOWN_POWER}"), remedy)
            }
            Some(_) => {
                self.made.has_power = true;
                Ok(())
            }
        }
    }
}
