//! Functions of whole numbers, and `dim`, which flang writes out as several operations: the last of them is a call of a function of C.
//! Those before it have values that only the whole uses.

use super::{Answer, Translator, unknown};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::numeric_functions::{NumericFunction, WrittenOut};
use crate::fortran::types::Element;
use crate::fortran::values::{self, HlfirValue};

impl<'a> Translator<'a> {
    /// The value of the function that an operation ends, if it ends one.
    pub(super) fn written_out(&mut self, op: &'a HlfirOp) -> Answer<Option<HlfirValue>> {
        let found = match op.name.as_str() {
            "arith.select" => {
                self.difference(op).or_else(|| self.modulo(op)).or_else(|| self.shift(op)).or_else(|| self.bits(op))
            }
            "arith.ori" | "arith.andi" | "fir.convert" => self.bit(op),
            _ => None,
        };
        let Some((function, arguments)) = found else { return Ok(None) };
        let arguments = arguments.into_iter().map(|one| self.operand(op, one)).collect::<Answer<Vec<HlfirValue>>>()?;
        let Some(element) = arguments.first().map(|value| value.element) else { return Ok(None) };
        let is_real = function == WrittenOut::Difference;
        let is_known = if is_real { values::is_real(element) } else { element.is_whole() };
        if !is_known || arguments.iter().any(|value| value.element != element) {
            return unknown(op);
        }
        if let ([x, by], WrittenOut::Modulo) = (arguments.as_slice(), function)
            && let Some(value) = values::modulo(x, by)
        {
            return Ok(Some(value));
        }
        Ok(Some(self.called(NumericFunction::written_out(function, element), &arguments)))
    }

    /// `dim(x, y)`: zero, `d = x - y`, and `d` if it is larger. Zero stands directly before the difference, and behind it in
    /// `max(x - y, 0)`, whose value is another one where the difference wraps, or is no number.
    fn difference(&self, op: &'a HlfirOp) -> Option<(WrittenOut, Vec<&'a str>)> {
        let [condition, difference, zero] = operands(op)?;
        let compare = self.made_by(condition, &["arith.cmpi", "arith.cmpf"])?;
        let subtract = self.made_by(difference, &["arith.subi", "arith.subf"])?;
        let is_larger = compares(compare, &["sgt", "ogt"]) && compare.operands() == [difference, zero];
        let is_before = self.kept_before.get(base(difference)) == Some(&base(zero));
        let is_real = subtract.name == "arith.subf";
        let function = if is_real { WrittenOut::Difference } else { WrittenOut::WholeDifference };
        (is_larger && is_before && self.is_number(zero, 0)).then(|| (function, subtract.operands()))
    }

    /// `modulo(x, y)`: the remainder, with `y` added if it is not zero and `x` and `y` have different signs.
    fn modulo(&self, op: &'a HlfirOp) -> Option<(WrittenOut, Vec<&'a str>)> {
        let [condition, added, remainder] = operands(op)?;
        let [x, y] = operands(self.made_by(remainder, &["arith.remsi"])?)?;
        let [is_rest, differ] = operands(self.made_by(condition, &["arith.andi"])?)?;
        let (is_rest, differ) = (self.made_by(is_rest, &["arith.cmpi"])?, self.made_by(differ, &["arith.cmpi"])?);
        let ([rest, zero], [signs, nothing]) = (operands(is_rest)?, operands(differ)?);
        let fits = compares(is_rest, &["ne"])
            && compares(differ, &["slt"])
            && rest == remainder
            && self.is_number(zero, 0)
            && self.is_number(nothing, 0)
            && operands(self.made_by(signs, &["arith.xori"])?)? == [x, y]
            && operands(self.made_by(added, &["arith.addi"])?)? == [remainder, y];
        fits.then(|| (WrittenOut::Modulo, vec![x, y]))
    }

    /// `ishft(x, n)`: `x` shifted to the right by `-n` or to the left by `n`, and zero if that is at least the number of bits.
    fn shift(&self, op: &'a HlfirOp) -> Option<(WrittenOut, Vec<&'a str>)> {
        let [is_all, zero, shifted] = operands(op)?;
        let [is_negative, right, left] = operands(self.made_by(shifted, &["arith.select"])?)?;
        let (is_all, is_negative) =
            (self.made_by(is_all, &["arith.cmpi"])?, self.made_by(is_negative, &["arith.cmpi"])?);
        let ([width, bits], [n, nothing]) = (operands(is_all)?, operands(is_negative)?);
        let [x, by] = operands(self.made_by(left, &["arith.shli"])?)?;
        let magnitude = self.made_by(width, &["arith.subi"]).filter(|op| self.is_magnitude(op))?;
        let of = operands::<2>(self.made_by(operands::<2>(magnitude)?[0], &["arith.xori"])?)?[0];
        let size = self.size(x)?;
        let fits = compares(is_all, &["sge"])
            && compares(is_negative, &["slt"])
            && (by, of) == (width, n)
            && operands(self.made_by(right, &["arith.shrui"])?)? == [x, width]
            && self.is_number(bits, size)
            && self.is_number(zero, 0)
            && self.is_number(nothing, 0);
        fits.then(|| (WrittenOut::Shift, vec![x, n]))
    }

    /// `ibits`, `ishftc`, `shiftl`, `shiftr` and `shifta`.
    fn bits(&self, op: &'a HlfirOp) -> Option<(WrittenOut, Vec<&'a str>)> {
        let [condition, one, other] = operands(op)?;
        let some = self.some_bits(condition, one, other).or_else(|| self.rotated(condition, one, other));
        some.or_else(|| self.shifted(condition, one, other)).or_else(|| self.shifted_signed(condition, one, other))
    }

    /// `ibits(x, y, z)`: `x` shifted to the right by `y`, without the bits from `z` on, and zero if `z` is zero.
    fn some_bits(&self, is_none: &'a str, zero: &'a str, kept: &'a str) -> Option<(WrittenOut, Vec<&'a str>)> {
        let [shifted, mask] = operands(self.made_by(kept, &["arith.andi"])?)?;
        let [x, y] = operands(self.made_by(shifted, &["arith.shrsi"])?)?;
        let [all, left] = operands(self.made_by(mask, &["arith.shrui"])?)?;
        let [size, z] = operands(self.made_by(left, &["arith.subi"])?)?;
        let fits = self.compared("eq", is_none)? == [z, zero]
            && self.is_number(zero, 0)
            && self.is_number(all, -1)
            && self.is_number(size, self.size(x)?);
        fits.then_some((WrittenOut::Bits, vec![x, y, z]))
    }

    /// `ishftc(x, y, z)`: `x` if `y` is zero or its magnitude is `z`; else the bits from `z` on, and those before it, of which some
    /// are shifted to the right and others to the left.
    fn rotated(&self, is_same: &'a str, x: &'a str, turned: &'a str) -> Option<(WrittenOut, Vec<&'a str>)> {
        let [is_none, is_all] = operands(self.made_by(is_same, &["arith.ori"])?)?;
        let ([y, zero], [magnitude, z]) = (self.compared("eq", is_none)?, self.compared("eq", is_all)?);
        let magnitude = self.made_by(magnitude, &["arith.subi"]).filter(|op| self.is_magnitude(op))?;
        let [of, _] = operands(self.made_by(operands::<2>(magnitude)?[0], &["arith.xori"])?)?;
        let [others, left] = operands(self.made_by(turned, &["arith.ori"])?)?;
        let [beyond, right] = operands(self.made_by(others, &["arith.ori"])?)?;
        let [has_beyond, kept, nothing] = operands(self.made_by(beyond, &["arith.select"])?)?;
        let [below, by] = operands(self.made_by(kept, &["arith.shli"])?)?;
        let [moved, _] = operands(self.made_by(left, &["arith.shli"])?)?;
        let [again, _] = operands(self.made_by(right, &["arith.andi"])?)?;
        let is_of_x = |made: &str, name: &str| Some(operands::<2>(self.made_by(made, &[name])?)?[0] == x);
        let [width, size] = self.compared("ne", has_beyond)?;
        let fits = of == y
            && (by, width) == (z, z)
            && operands(self.made_by(below, &["arith.shrui"])?)? == [x, z]
            && is_of_x(moved, "arith.andi")?
            && is_of_x(again, "arith.shrui")?
            && self.is_number(zero, 0)
            && self.is_number(nothing, 0)
            && self.is_number(size, self.size(x)?);
        fits.then_some((WrittenOut::Rotate, vec![x, y, z]))
    }

    /// `shiftl(x, y)` and `shiftr(x, y)`: `x` shifted by `y`, and zero if `y` is below zero or at least the number of bits.
    fn shifted(&self, is_outside: &'a str, zero: &'a str, shifted: &'a str) -> Option<(WrittenOut, Vec<&'a str>)> {
        let made = self.made_by(shifted, &["arith.shli", "arith.shrui"])?;
        let [x, y] = operands(made)?;
        let [is_below, is_beyond] = operands(self.made_by(is_outside, &["arith.ori"])?)?;
        let ([below, nothing], [beyond, size]) = (self.compared("slt", is_below)?, self.compared("sge", is_beyond)?);
        let fits = (below, beyond) == (y, y)
            && self.is_number(zero, 0)
            && self.is_number(nothing, 0)
            && self.is_number(size, self.size(x)?);
        let function = if made.name == "arith.shli" { WrittenOut::ShiftLeft } else { WrittenOut::ShiftRight };
        fits.then_some((function, vec![x, y]))
    }

    /// `shifta(x, y)`: `x` shifted to the right by `y`, and its sign in all bits if `y` is their number.
    fn shifted_signed(&self, is_all: &'a str, sign: &'a str, shifted: &'a str) -> Option<(WrittenOut, Vec<&'a str>)> {
        let [x, y] = operands(self.made_by(shifted, &["arith.shrsi"])?)?;
        let [is_below, ones, zeros] = operands(self.made_by(sign, &["arith.select"])?)?;
        let ([by, size], [of, nothing]) = (self.compared("eq", is_all)?, self.compared("slt", is_below)?);
        let fits = (by, of) == (y, x)
            && self.is_number(ones, -1)
            && self.is_number(zeros, 0)
            && self.is_number(nothing, 0)
            && self.is_number(size, self.size(x)?);
        fits.then_some((WrittenOut::ShiftSigned, vec![x, y]))
    }

    /// The operands of a comparison of whole numbers with this sign.
    fn compared(&self, sign: &str, condition: &'a str) -> Option<[&'a str; 2]> {
        operands(self.made_by(condition, &["arith.cmpi"]).filter(|op| compares(op, &[sign]))?)
    }

    /// `ibset`, `ibclr` and `btest`: one bit, which `1` shifted to the left or the number shifted to the right tells.
    fn bit(&self, op: &'a HlfirOp) -> Option<(WrittenOut, Vec<&'a str>)> {
        let one_at = |shifted: &str| {
            let [one, at] = operands(self.made_by(shifted, &["arith.shli"])?)?;
            self.is_number(one, 1).then_some(at)
        };
        match op.name.as_str() {
            "arith.ori" => {
                let [x, shifted] = operands(op)?;
                Some((WrittenOut::SetBit, vec![x, one_at(shifted)?]))
            }
            "arith.andi" => {
                let [x, others] = operands(op)?;
                let [all, shifted] = operands(self.made_by(others, &["arith.xori"])?)?;
                self.is_number(all, -1).then_some((WrittenOut::ClearBit, vec![x, one_at(shifted)?]))
            }
            _ if op.text.contains("-> !fir.logical<") => {
                let [bit, one] = operands(self.made_by(operands::<1>(op)?[0], &["arith.andi"])?)?;
                let [x, at] = operands(self.made_by(bit, &["arith.shrui"])?)?;
                self.is_number(one, 1).then_some((WrittenOut::TestBit, vec![x, at]))
            }
            _ => None,
        }
    }

    /// The operation that made a value, if it is one of these.
    fn made_by(&self, operand: &str, names: &[&str]) -> Option<&'a HlfirOp> {
        self.seen.get(base(operand)).copied().filter(|op| names.contains(&op.name.as_str()))
    }

    /// Whether a value is this constant, also as a real number.
    fn is_number(&self, operand: &str, number: i64) -> bool {
        let value = self.values.get(base(operand));
        value.is_some_and(|value| {
            value.number == Some(number) || number == 0 && ["0.0", "0.0f"].contains(&value.text.as_str())
        })
    }

    /// The bits of a whole number.
    fn size(&self, operand: &str) -> Option<i64> {
        let element = self.values.get(base(operand)).map(|value| value.element)?;
        Some(if element == Element::I64 { 64 } else { 32 })
    }
}

fn operands<const N: usize>(op: &HlfirOp) -> Option<[&str; N]> {
    op.operands().try_into().ok()
}

/// Whether a comparison is one of these.
fn compares(op: &HlfirOp, signs: &[&str]) -> bool {
    op.text.split([' ', ',']).next().is_some_and(|sign| signs.contains(&sign.trim_matches('"')))
}
