//! Loops and branches.

use super::{Answer, Translator, c_name, refuse, unknown};
use crate::fortran::hlfir::{HlfirOp, base};
use crate::fortran::types::Element;
use crate::fortran::values::{HlfirValue, ValueShape};
use crate::fortran::variables::FortranVariable;
use crate::fortran::views::KEPT;

impl<'a> Translator<'a> {
    pub(super) fn do_loop(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let ([_, from, to, step, ..], Some(body)) = (operands.as_slice(), op.regions.first()) else {
            return unknown(op);
        };
        let (from, to) = (self.operand(op, from)?, self.operand(op, to)?);
        let step_name = base(step);
        let step = self.operand(op, step)?;
        let (compare, next) = self.step(op, &step)?;
        // The last operations of each iteration count on by it.
        if let Some(value) = self.values.get_mut(step_name) {
            value.statement = KEPT;
        }
        // The counter of a `do concurrent` is a variable of its own, and what is stored in it is converted before.
        let (count, body) = match body.as_slice() {
            [count, rest @ ..] if count.name == "fir.convert" => (Some(count), rest),
            all => (None, all),
        };
        let Some((store, rest)) = body.split_first().filter(|(store, _)| store.name == "fir.store") else {
            return unknown(op);
        };
        let stored = store.operands();
        let [counted, counter] = stored.as_slice() else { return unknown(op) };
        let counts = match count {
            Some(count) if count.results.first().map(String::as_str) == Some(*counted) => {
                count.operands().first().copied()
            }
            Some(_) => None,
            None => Some(*counted),
        };
        if !counts.is_some_and(|counts| counts.starts_with("%arg")) {
            return unknown(op);
        }
        let (key, variable) = self.variable(op, counter)?;
        if self.active.contains(&key) {
            return refuse(op, &format!("the counter `{}` is also written", variable.name), "use another variable");
        }
        self.is_one_variable(op, key, variable)?;
        let element = self.private(op, key, variable)?;
        for bound in [&from, &to] {
            if let ValueShape::Other(what) = bound.shape
                && !(bound.element.is_whole() && self.is_inner())
            {
                let remedy = "bounds are sums of counters and variables that stay as they are, with whole factors";
                return refuse(op, &format!("a bound of the loop over `{}` has {what}", variable.name), remedy);
            }
            if element == Element::I32 && bound.written != element && bound.number.is_none() {
                return refuse(op, "a bound whose kind is not that of the counter", "give both the same kind");
            }
        }
        if element == Element::I32 && step.written != element && step.number.is_none() {
            return refuse(op, "a step whose kind is not that of the counter", "give both the same kind");
        }
        let name = c_name(&variable.name);
        let first = self.held(op, &from, !from.shape.is_other());
        let last = self.held(op, &to, !to.shape.is_other() && !to.reads);
        // How many iterations data choose is looked at in C, as which elements are.
        self.made.has_computed |= from.reads || to.reads;
        let head = format!("for ({name} = {first}; {name} {compare} {last}; {name} {next}) {{");
        self.line(op, &head);
        self.statement += 1;
        self.counted_again(op, key);
        self.active.push(key);
        self.depth += 1;
        self.block(&rest.iter().collect::<Vec<_>>())?;
        self.depth -= 1;
        self.active.pop();
        self.line(op, "}");
        self.statement += 1;
        // C's counter has behind the loop what Fortran's has. One that is also assigned is another variable in C.
        if self.is_inner() && !self.written.contains(key) {
            self.defined.push(key);
        }
        Ok(())
    }

    /// Whether a loop of the region, or one around the call of the subroutine, is around what comes.
    fn is_inner(&self) -> bool {
        !self.active.is_empty() || !self.callers.is_empty()
    }

    /// A bound of a loop as the head names it: by its text, or by a variable that holds it. Fortran reads a bound once, C before each
    /// iteration; and what is no sum is a value that C looks up, as that of a variable.
    fn held(&mut self, op: &'a HlfirOp, bound: &HlfirValue, is_plain: bool) -> String {
        if is_plain {
            return bound.text.clone();
        }
        self.made.bounds.push(bound.written);
        let held = format!("_b{}", self.made.bounds.len());
        self.made.has_computed = true;
        self.line(op, &format!("{held} = {};", bound.text));
        held
    }

    /// How a loop compares its counter with the last value, and how it goes on. That a step of the run is positive is a
    /// condition of the call.
    fn step(&mut self, op: &HlfirOp, step: &HlfirValue) -> Answer<(&'static str, String)> {
        match (step.number, &step.fortran) {
            (Some(1), _) => Ok(("<=", "++".to_owned())),
            (Some(-1), _) => Ok((">=", "--".to_owned())),
            (Some(number), _) if number > 0 => Ok(("<=", format!("+= {number}"))),
            (Some(number), _) if number < 0 => Ok((">=", format!("-= {}", number.unsigned_abs()))),
            (None, Some(text)) if step.shape.is_affine() => {
                self.made.conditions.push(format!("{text} > 0"));
                Ok(("<=", format!("+= {}", step.text)))
            }
            _ => {
                let remedy = "let it be a number, or a variable that stays as it is";
                refuse(op, "a step that is neither a number nor a variable that the region leaves as it is", remedy)
            }
        }
    }

    /// Refuses the counter of a `do concurrent` whose name is also that of a variable around it that the region uses: in C they
    /// would be one.
    fn is_one_variable(&self, op: &HlfirOp, key: &str, variable: &FortranVariable) -> Answer<()> {
        let same = self.declared.variables.iter();
        let mut same = same.filter(|(other, v)| **other != key && v.name == variable.name).map(|(other, _)| *other);
        let is_used =
            |other: &str| self.active.contains(&other) || self.written.contains(other) || self.carried.contains(other);
        let made = &self.made;
        let is_read = made.parameters.contains_key(&variable.name) || made.carried.contains_key(&variable.name);
        if is_read || same.any(is_used) {
            let reason = format!("the counter `{}` has the name of another variable of the region", variable.name);
            return refuse(op, &reason, "give the counter of the `do concurrent` another name");
        }
        Ok(())
    }

    /// Forgets what was assigned to the counters of a loop and of those in it: an iteration may leave another value there.
    fn counted_again(&mut self, op: &HlfirOp, key: &str) {
        let inner = op.inner();
        let counts = |other: &str| {
            let stores = inner.iter().filter(|op| op.name == "fir.store");
            other == key || stores.filter_map(|op| op.operands().get(1).copied()).any(|to| base(to) == other)
        };
        // Blocks count what was defined before them: the place stays, without a name.
        self.defined.iter_mut().filter(|other| counts(other)).for_each(|other| *other = "");
    }

    /// What a loop leaves in its counter: who reads it is looked for elsewhere.
    pub(super) fn last_value(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let [value, to] = operands.as_slice() else { return unknown(op) };
        let of_loop = self.seen.get(base(value)).is_some_and(|d| d.name == "fir.do_loop");
        let (key, _) = self.variable(op, to)?;
        if of_loop && self.made.declarations.contains(key) { Ok(()) } else { unknown(op) }
    }

    /// A jump out of the loop around. In C, a loop with such a jump is a part of one statement; the outermost one cannot be.
    pub(super) fn leave(&mut self, op: &'a HlfirOp) -> Answer<()> {
        if self.active.len() < 2 && self.callers.is_empty() {
            let reason =
                "an `exit` or `goto` out of the outermost loop: the number of its iterations would depend on data";
            return refuse(
                op,
                reason,
                "keep this loop out of the region, or put what it has to find out into a loop before",
            );
        }
        if let Some(flag) = op.operands().first() {
            let Some(name) = self.flags.get(base(flag)).cloned() else { return unknown(op) };
            self.line(op, &format!("{name} = 1;"));
        }
        self.line(op, "break;");
        Ok(())
    }

    /// A variable that tells whether the loop behind it was left by a jump.
    pub(super) fn flag(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let [result] = op.results.as_slice() else { return unknown(op) };
        self.computed += 1;
        let name = format!("_x{}", self.computed);
        self.line(op, &format!("{name} = 0;"));
        self.made.locals.insert(name.clone(), Element::I32);
        self.flags.insert(result.as_str(), name);
        Ok(())
    }

    /// Whether a flag is raised.
    pub(super) fn raised(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let name = op.operands().first().and_then(|flag| self.flags.get(base(flag)).cloned());
        let Some(name) = name else { return unknown(op) };
        let value = HlfirValue::of(format!("({name} != 0)"), Element::Condition, ValueShape::Affine);
        self.keep(op, HlfirValue { reads: true, varies: true, ..value })
    }

    pub(super) fn branch(&mut self, op: &'a HlfirOp) -> Answer<()> {
        let operands = op.operands();
        let [condition] = operands.as_slice() else { return unknown(op) };
        let condition = self.operand(op, condition)?;
        if condition.element != Element::Condition || !op.results.is_empty() {
            return unknown(op);
        }
        self.line(op, &format!("if ({}) {{", condition.bare_text()));
        let mut defined = Vec::new();
        for (at, region) in op.regions.iter().enumerate() {
            if at > 0 && region.is_empty() {
                continue;
            }
            if at > 0 {
                self.line(op, "} else {");
            }
            self.statement += 1;
            self.depth += 1;
            defined.push(self.block(&region.iter().collect::<Vec<_>>())?);
            self.depth -= 1;
        }
        if let [one, other] = defined.as_slice() {
            self.defined.extend(one.iter().filter(|key| other.contains(key)));
        }
        self.line(op, "}");
        self.statement += 1;
        Ok(())
    }
}
