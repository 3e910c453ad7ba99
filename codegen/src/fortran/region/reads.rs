//! Values that operations compute, and what they read.

use super::{Answer, Translator, c_name, refusal, refuse, unknown};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::numeric_functions::numeric_function;
use crate::fortran::places::Place;
use crate::fortran::types::Element;
use crate::fortran::values::{self, HlfirValue, ValueShape};
use crate::fortran::variables::{FortranKind, FortranVariable, is_of_call};
use crate::fortran::views::KEPT;

/// A text that stands twice in a minimum or maximum is no longer than this.
const LONG: usize = 2000;

impl<'a> Translator<'a> {
    pub(super) fn keep(&mut self, op: &'a HlfirOp, mut value: HlfirValue) -> Answer<()> {
        let [result] = op.results.as_slice() else { return unknown(op) };
        value.statement = if self.enters { KEPT } else { self.statement };
        self.values.insert(result.as_str(), value);
        if let Some(before) = self.last_kept.replace(result.as_str()).filter(|_| op.name.starts_with("arith.sub")) {
            self.kept_before.insert(result.as_str(), before);
        }
        Ok(())
    }

    pub(super) fn value(&mut self, op: &'a HlfirOp) -> Answer<HlfirValue> {
        if op.name == "arith.constant" {
            return values::constant(&op.text).ok_or(refusal(op, "a constant that C cannot write", ""));
        }
        if op.name == "fir.load" {
            return self.load(op);
        }
        if op.name == "fir.undefined" {
            return values::undefined(op).map_or_else(|| unknown(op), Ok);
        }
        let operands = op.operands();
        let written_out = self.written_out(op)?;
        let made = match operands.as_slice() {
            _ if written_out.is_some() => written_out,
            [a] if op.name == "fir.convert" && self.is_of_bounds(op, a)? => self.capture(op, a)?,
            // gfortran computes this power as one product.
            [a, b] if op.name == "math.fpowi" && self.operand(op, b)?.number == Some(2) => {
                values::square(&self.operand(op, a)?)
            }
            _ if numeric_function(op).is_some() => self.numeric(op)?,
            [a] => values::unary(op, &self.operand(op, a)?),
            [a, _] if op.name == "arith.subi" && self.is_magnitude(op) => {
                // The operand is a number without its sign bits: the value before.
                let of = self.seen.get(base(a)).and_then(|op| op.operands().first().copied());
                values::magnitude(&self.operand(op, of.unwrap_or_default())?)
            }
            [a, b] if op.name == "fir.insert_value" => {
                values::with_part(op, &self.operand(op, a)?, &self.operand(op, b)?)
            }
            [a, b] if op.name == "math.ipowi" => values::whole_power(&self.operand(op, a)?, &self.operand(op, b)?),
            [a, b] => values::binary(op, &self.operand(op, a)?, &self.operand(op, b)?),
            [condition, a, b] if op.name == "arith.select" => self.select(op, [condition, a, b])?,
            _ => None,
        };
        let mut made = made.map_or_else(|| unknown(op), Ok)?;
        let of: Vec<&HlfirValue> = operands.iter().filter_map(|operand| self.values.get(base(operand))).collect();
        (made.reads, made.varies) = (of.iter().any(|value| value.reads), of.iter().any(|value| value.varies));
        Ok(made)
    }

    /// One of two values: the smaller or the larger one, a lower bound, or what `merge` takes.
    fn select(&mut self, op: &'a HlfirOp, operands: [&str; 3]) -> Answer<Option<HlfirValue>> {
        let compare = self.seen.get(base(operands[0])).copied();
        let (a, b) = (self.operand(op, operands[1])?, self.operand(op, operands[2])?);
        let is_real = matches!(a.element, Element::F32 | Element::F64) && a.element == b.element;
        // Both are computed once for a minimum or maximum, and again for the mask of a `merge`.
        let is_extreme = compare.is_some_and(|compare| compare.operands() == op.operands()[1..]);
        // Sums of counters stay what they are: they may be bounds and subscripts.
        let is_other = |value: &HlfirValue| matches!(value.shape, ValueShape::Other(_));
        let is_data = self.before_assignment && a.element.is_whole() && (is_other(&a) || is_other(&b));
        let is_update = || self.updates(operands[1]).is_some() && a.text.len() <= LONG;
        let (a, b) = if is_extreme && (is_real || is_data) && !is_update() {
            (self.short(op, a)?, self.short(op, b)?)
        } else {
            (a, b)
        };
        if is_extreme && is_real {
            return Ok(compare.and_then(|compare| values::real_extreme(compare, op, &a, &b)));
        }
        let bound = compare.and_then(|compare| {
            let lower = self.lower_of_some(compare, &a, &b);
            lower.or_else(|| values::extreme(compare, op, &a, &b))
        });
        if bound.is_some() {
            return Ok(bound);
        }
        let condition = self.operand(op, operands[0])?;
        Ok(values::choice(&condition, &a, &b))
    }

    /// Whether an operation ends what flang makes of `abs` of a whole number: `(x ^ s) - s`, with `s` of x's sign bits.
    pub(super) fn is_magnitude(&self, op: &HlfirOp) -> bool {
        let operands = op.operands();
        let [flipped, sign] = operands.as_slice() else { return false };
        let find = |operand: &str, name: &str| self.seen.get(base(operand)).filter(|op| op.name == name);
        let (Some(flipped), Some(shift)) = (find(flipped, "arith.xori"), find(sign, "arith.shrsi")) else {
            return false;
        };
        let (of, shifted) = (flipped.operands(), shift.operands());
        of.len() == 2 && shifted.len() == 2 && of[0] == shifted[0] && of[1] == *sign
    }

    /// A value that its text may name twice: a long one gets a variable, where it is computed in any case.
    pub(super) fn short(&mut self, op: &'a HlfirOp, value: HlfirValue) -> Answer<HlfirValue> {
        const SHORT: usize = 40;
        if value.text.len() <= SHORT || !self.before_assignment && value.text.len() <= LONG {
            return Ok(value);
        }
        if !self.before_assignment {
            return refuse(op, "a minimum or maximum of long expressions", "assign them to variables first");
        }
        self.computed += 1;
        let name = format!("_m{}", self.computed);
        self.line(op, &format!("{name} = {};", value.whole_text()));
        self.made.locals.insert(name.clone(), value.element);
        Ok(HlfirValue { text: name, written: value.element, ..value })
    }

    /// The value of an operand, which this statement must have computed.
    pub(super) fn operand(&mut self, op: &'a HlfirOp, operand: &str) -> Answer<HlfirValue> {
        match self.values.get(base(operand)) {
            Some(value) if [self.statement, KEPT].contains(&value.statement) || value.number.is_some() => {
                Ok(value.clone())
            }
            _ if operand.starts_with("%arg") => {
                // The count of iterations goes on in the loop's last operations, and nowhere else.
                let shape = ValueShape::Other("a count of iterations");
                Ok(HlfirValue::of("0".to_owned(), Element::I64, shape))
            }
            None => self.outer(operand).map_or_else(|| unknown(op), Ok),
            _ => unknown(op),
        }
    }

    /// Keeps what branches that follow in each other depend on.
    pub(super) fn keep_conditions(&mut self, op: &'a HlfirOp) -> Answer<()> {
        for condition in op.operands() {
            self.operand(op, condition)?;
            let Some(value) = self.values.get_mut(base(condition)) else { return unknown(op) };
            value.statement = KEPT;
        }
        Ok(())
    }

    pub(super) fn load(&mut self, op: &'a HlfirOp) -> Answer<HlfirValue> {
        let operands = op.operands();
        let [from] = operands.as_slice() else { return unknown(op) };
        self.read(op, from)
    }

    /// The value of an element or a variable.
    pub(super) fn read(&mut self, op: &'a HlfirOp, from: &str) -> Answer<HlfirValue> {
        if let Some(found) = self.elements.get(base(from)) {
            if ![self.statement, KEPT].contains(&found.statement) {
                return unknown(op);
            }
            let found = found.clone();
            self.access_again(&found);
            return Ok(Self::value_of(&found));
        }
        if let Some(value) = self.kept_value(from) {
            return Ok(value);
        }
        let (key, variable) = self.variable(op, from)?;
        let FortranKind::Scalar { element, target, .. } = &variable.kind else {
            return Self::not_scalar(op, variable);
        };
        let mut shape = if element.is_whole() { ValueShape::Affine } else { ValueShape::Other("a real number") };
        let is_truth = *element == Element::Condition;
        let is_steady = !self.written.contains(key) && !self.counters.contains(key);
        let is_own = is_of_call(&variable.name) && !self.counters.contains(key);
        let is_left = self.counters.contains(key) && !self.active.contains(&key);
        let is_written = self.written.contains(key) && !self.active.contains(&key);
        if is_written || is_own {
            if !self.defined.contains(&key) && !self.carried.contains(&key) {
                let reason = format!("`{}` is read where the same iteration has not surely written it", variable.name);
                return refuse(op, &reason, "write it before it is read, or keep the value in an element of an array");
            }
            // Which value a whole number has is found in C.
            if element.is_whole() {
                self.made.has_computed = true;
            } else {
                shape = ValueShape::Other("a variable that the region writes");
            }
        } else if is_left {
            // What the loop has left in it: C finds that, as the value of a variable.
            if !self.defined.contains(&key) {
                let reason = format!("the counter `{}` is read outside of its loop", variable.name);
                return refuse(op, &reason, "use another variable there");
            }
            self.made.has_computed = true;
        }
        if is_steady && *target && is_truth {
            let reason = format!("`{}` is a logical variable that a pointer may reach", variable.name);
            return refuse(op, &reason, "copy it to a local variable before the region");
        }
        if is_steady && *target {
            let place = Place::of(variable).ok_or(refusal(op, "a variable that is not taken", ""))?;
            let text = format!("{}[0]", self.reference(&place, *element));
            return Ok(HlfirValue { reads: true, ..HlfirValue::of(text, *element, shape) });
        }
        if is_steady {
            self.made.parameters.insert(variable.name.clone(), *element);
        }
        let fortran = Some(variable.name.clone()).filter(|_| is_steady && element.is_whole());
        let name = if is_written { self.written_name(key, variable) } else { c_name(&variable.name) };
        let name = if is_truth { format!("({name} != 0)") } else { name };
        let varies = (is_written || is_own || !self.callers.is_empty()) && !is_left && !self.shared.contains(key);
        Ok(HlfirValue { fortran, reads: is_written || is_left, varies, ..HlfirValue::of(name, *element, shape) })
    }

    /// The name in C of a scalar that is assigned. A counter that is also assigned between its loops is another variable
    /// there: a loop leaves nothing in it.
    pub(super) fn written_name(&self, key: &str, variable: &FortranVariable) -> String {
        if self.counters.contains(key) { format!("_v_{}", variable.name) } else { c_name(&variable.name) }
    }
}
