//! Updates of a `reduction` by several values: `m = min(m, x, y)` becomes one update for each, as C reads them.

use super::{Answer, Translator, c_name, values};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::values::HlfirValue;
use crate::fortran::variables::FortranVariable;

/// No call of an intrinsic has so many arguments.
const MANY: usize = 200;

impl<'a> Translator<'a> {
    /// The variable of a `reduction` that an operand is, or is an extreme of with other values; and the choices that
    /// lead to it, the last one first.
    pub(super) fn updates(&self, operand: &str) -> Option<(&'a str, Vec<&'a HlfirOp>)> {
        let mut steps = Vec::new();
        let mut op = *self.seen.get(base(operand))?;
        while op.name == "arith.select" && steps.len() < MANY {
            steps.push(op);
            op = self.seen.get(base(op.operands().get(1)?))?;
        }
        let key = (op.name == "fir.load").then(|| op.operands().first().map(|from| base(from)))??;
        let variable = self.declared.variables.get(key)?;
        self.clauses.reduces(&variable.name).then_some((key, steps))
    }

    /// Updates a variable by the values of which the assigned one is an extreme; false if it is none, or only of one.
    pub(super) fn update_by_several(
        &mut self,
        op: &'a HlfirOp,
        value: &str,
        key: &str,
        variable: &FortranVariable,
    ) -> Answer<bool> {
        let Some((_, steps)) = self.updates(value).filter(|(updated, steps)| *updated == key && steps.len() > 1) else {
            return Ok(false);
        };
        let name = c_name(&variable.name);
        let mut lines = Vec::new();
        for step in steps.iter().rev() {
            let operands = step.operands();
            let [condition, own, other] = operands.as_slice() else { return Ok(false) };
            let Some(compare) = self.seen.get(base(condition)).copied() else { return Ok(false) };
            let (own, other) = (self.operand(op, own)?, self.operand(op, other)?);
            // What the variable was is gone after the first update.
            if mentions(&other.text, &name) {
                return Ok(false);
            }
            let own = HlfirValue { written: own.element, text: name.clone(), ..own };
            let other = self.short(op, other)?;
            let made = values::real_extreme(compare, step, &own, &other);
            let Some(made) = made.or_else(|| values::extreme(compare, step, &own, &other)) else { return Ok(false) };
            lines.push(format!("{name} = {};", made.whole_text()));
        }
        for line in lines {
            self.line(op, &line);
            self.statement += 1;
        }
        Ok(true)
    }
}

/// Whether a text of C has a name.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}
