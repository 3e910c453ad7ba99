//! Iteration domains from the headers of `for` loops.

use crate::Refusal;
use crate::frontend::clang::ast::{Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::loop_header::{self, CANONICAL, LoopHeader};
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::affine::{Affine, Atom, Cases, Formula, compare};
use crate::frontend::values::surrounding_loops::{Dimension, Scope};
use crate::model::{Condition, Iterator};
use crate::refusal::Code;
use std::collections::HashSet;

impl<'a> RegionBuilder<'a> {
    /// The scope of a loop's body.
    pub fn enter(&mut self, header: &LoopHeader<'a>, scope: &Scope) -> Result<Scope, Refusal> {
        let name = &header.declaration.name;
        let of_callee = !self.callees.open.is_empty();
        if !of_callee && scope.loops.iter().any(|l| &l.iterator.name == name) {
            let reason = format!("the counter `{name}` is used by a loop around this one, too");
            return Err(Refusal::at(
                Code::CounterShared,
                header.first,
                reason,
                "give each loop of a nest its own counter",
            ));
        }
        let ty = self
            .unit
            .integer(header.declaration.ty.plain())
            .ok_or_else(|| super::integer_expression::not_affine(header.first))?;
        if let Some(amount) = header.assumed {
            // The step is evaluated after the first iteration, if there is one.
            let uncertain = !crate::planted::planted("a44-early");
            self.assume_one(amount, &Scope { uncertain, ..scope.clone() })?;
        }
        let first = self.first_value(header, scope)?;
        // A callee's counters may have the names of the region's.
        let symbol = if of_callee { self.fresh(name) } else { self.symbols.counter(name) };
        let mut inside = scope.clone();
        let ctype = self.type_name(header.declaration);
        let iterator = Iterator { name: name.clone(), ctype };
        inside.loops.push(Dimension { counter: header.counter, symbol: symbol.clone(), iterator });
        let counter = Affine::symbol(&symbol);
        inside.restrict(begins(&counter, &first, header)?);
        let (mut bound, assumed) = match self.attempt(|b| b.bound(header.condition, header, &first, &inside)) {
            Err(_) if ty.width == 64 => {
                // Where the condition has held, the counter was small, and one step later it still is: see below.
                let small = Formula { conjuncts: vec![], facts: small_counter(&counter, 0) };
                let mut near = inside.clone();
                near.restrict(small);
                (self.bound(header.condition, header, &first, &near)?, true)
            }
            bound => (bound?, false),
        };
        // `0 <= i` and `i < n` next to each other print best; strides come after them.
        let stride = stride(&counter, &first, header.step);
        if let Some(stride) = stride.ok_or_else(|| super::integer_expression::not_affine(header.first))? {
            bound = bound.and(stride);
        }
        inside.restrict(bound);
        if assumed {
            let begins =
                first.0.iter().flat_map(|(c, v)| small_counter(v, 0).into_iter().map(|b| (b, c.facts.clone())));
            let after = small_counter(&counter, header.step.abs()).into_iter().map(|b| (b, vec![]));
            let places = begins.map(|b| (b, scope)).chain(after.map(|b| (b, &inside)));
            for ((bound, facts), place) in places.collect::<Vec<_>>() {
                if !self.require(&bound, place, &facts) {
                    let reason = "the values in this loop's condition may wrap around";
                    return Err(Refusal::at(
                        Code::ValueWraps,
                        header.condition,
                        reason,
                        "compare the counter alone, or use signed types",
                    ));
                }
            }
        }
        self.check_last(&counter, header, ty, &inside)?;
        inside.uncertain = true;
        inside.schedule.push(if header.step > 0 { symbol } else { format!("-{symbol}") });
        Ok(inside)
    }

    /// Has it checked at entry that a loop's step is 1.
    fn assume_one(&mut self, amount: &'a Node, scope: &Scope) -> Result<(), Refusal> {
        let value = self.unvarying(amount, &HashSet::new(), scope).filter(|v| v.constant == 0);
        let symbols = value.map(|v| v.terms.into_iter().collect::<Vec<_>>());
        let parameter = match symbols.as_deref() {
            Some([(Atom::Symbol(symbol), 1)]) => self.parameters.iter().find(|p| p.parameter.symbol == *symbol),
            _ => None,
        };
        let Some(parameter) = parameter.map(|p| &p.parameter) else {
            return Err(Refusal::at(Code::LoopStep, amount, "this loop's step may change, or is not known", CANONICAL));
        };
        let reason = format!("the step `{}` is not 1", parameter.expression.as_ref().unwrap_or(&parameter.name));
        let fails = format!("{} != 1", self.c_value(&parameter.symbol));
        let symbol = parameter.symbol.clone();
        self.ground.ranges.insert(symbol, (1, 1));
        if !crate::planted::planted("a20-step") {
            self.check_at_entry(Condition::new(reason, fails));
        }
        Ok(())
    }

    /// The counter's first value. Without one in the header it is the value at the region's entry, if that is known:
    /// the loop runs once, and no other loop has the counter.
    pub fn first_value(&mut self, header: &LoopHeader<'a>, scope: &Scope) -> Result<Cases, Refusal> {
        if !header.entered {
            return self.value(header.first, scope);
        }
        let around = scope.loops.iter().take_while(|l| l.counter != header.counter).count();
        let same = |n: &&Node| {
            n.is(&SyntaxKind::ForStmt)
                && loop_header::header(self.unit, n).is_ok_and(|other| other.counter == header.counter)
        };
        let loops = self.variables.roots.iter().flat_map(|root| root.walk()).filter(same).count();
        if around > 0 || loops != 1 || !self.callees.open.is_empty() {
            let reason = "this loop has no first value in its header, and runs more than once or shares its counter";
            return Err(Refusal::at(Code::CounterShared, header.first, reason, CANONICAL));
        }
        Ok(Cases::one(Affine::symbol(&self.captured(&header.declaration.name, header.declaration))))
    }

    /// The value after the last iteration must fit the counter's type if its overflow is defined.
    fn check_last(
        &mut self,
        counter: &Affine,
        header: &LoopHeader,
        ty: ctype::Integer,
        scope: &Scope,
    ) -> Result<(), Refusal> {
        if !header.wraps && ty.width >= 32 {
            return Ok(());
        }
        let most = i128::from(super::integer_expression::COMPUTABLE);
        let (min, max) = (ty.min().max(-most) as i64, ty.max().min(most) as i64);
        let limit = if header.step > 0 {
            Affine::constant(max - header.step).plus(counter, -1)
        } else {
            min.checked_sub(header.step).and_then(|m| counter.plus(&Affine::constant(m), -1))
        };
        if limit.is_some_and(|limit| self.require(&limit, scope, &[])) {
            return Ok(());
        }
        Err(Refusal::at(
            Code::CounterWraps,
            header.condition,
            format!("the counter of type `{}` may wrap around at the end of this loop", header.declaration.ty.written),
            "use a signed counter of type int or wider",
        ))
    }

    /// The loop's condition: as the counter advances, it must turn false once and for all.
    fn bound(
        &mut self,
        node: &'a Node,
        header: &LoopHeader<'a>,
        first: &Cases,
        scope: &Scope,
    ) -> Result<Formula, Refusal> {
        let [left, right] = match node.kind {
            SyntaxKind::ParenExpr => return self.bound(&node.inner[0], header, first, scope),
            // `step < 0 ? i >= last : i <= last`
            SyntaxKind::ConditionalOperator if header.assumed.is_some() && node.inner.len() == 3 => {
                let chosen = chosen_by_step(self.unit, &node.inner[0], header).ok_or_else(|| {
                    Refusal::at(Code::LoopCondition, node, "this loop's condition is not told by its step", CANONICAL)
                })?;
                return self.bound(&node.inner[if chosen { 1 } else { 2 }], header, first, scope);
            }
            SyntaxKind::BinaryOperator if node.inner.len() == 2 => [&node.inner[0], &node.inner[1]],
            _ => {
                return Err(Refusal::at(
                    Code::LoopCondition,
                    node,
                    "this loop's condition is not a comparison",
                    CANONICAL,
                ));
            }
        };
        match node.opcode.as_str() {
            "&&" => {
                let a = self.bound(left, header, first, scope)?;
                let mut after = scope.clone();
                after.restrict(a.clone());
                after.uncertain = true;
                Ok(a.and(self.bound(right, header, first, &after)?))
            }
            "||" => {
                let a = self.bound(left, header, first, scope)?;
                let after = Scope { uncertain: true, ..scope.clone() };
                Ok(a.or(self.bound(right, header, first, &after)?))
            }
            operator @ ("<" | "<=" | ">" | ">=" | "!=") => {
                let (a, b) = (self.value(left, scope)?, self.value(right, scope)?);
                let symbol = &scope.loops[scope.loops.len() - 1].symbol;
                let direction = direction(&a, &b, symbol).ok_or_else(|| {
                    Refusal::at(
                        Code::LoopCondition,
                        node,
                        "this condition does not compare the loop's counter",
                        CANONICAL,
                    )
                })?;
                if operator == "!=" {
                    return self.different(&a, &b, direction, header, first, scope, node);
                }
                let falls = matches!(operator, "<" | "<=") == (direction * header.step.signum() > 0);
                if !falls {
                    let reason = "this condition does not end the loop in the direction of its step";
                    return Err(Refusal::at(Code::LoopCondition, node, reason, CANONICAL));
                }
                a.compare(operator, &b).ok_or_else(|| super::integer_expression::not_affine(node))
            }
            _ => Err(Refusal::at(Code::LoopCondition, node, "this loop's condition is not a comparison", CANONICAL)),
        }
    }

    /// `i != last` means `i < last` if the first value is not beyond the last and no step can skip it.
    #[allow(clippy::too_many_arguments)]
    fn different(
        &mut self,
        a: &Cases,
        b: &Cases,
        direction: i64,
        header: &LoopHeader<'a>,
        first: &Cases,
        scope: &Scope,
        node: &Node,
    ) -> Result<Formula, Refusal> {
        let refuse = || {
            Refusal::at(
                Code::LoopCondition,
                node,
                "it cannot be told that this loop ends at this value",
                "use `<` or `>` in the loop's condition",
            )
        };
        let symbol = &scope.loops[scope.loops.len() - 1].symbol;
        let (Some(a), Some(b), Some(first)) = (a.single(), b.single(), first.single()) else { return Err(refuse()) };
        let difference = a.plus(b, -1).ok_or_else(refuse)?;
        if difference.factor(symbol).is_none_or(|f| f.abs() != 1) || header.step.abs() != 1 {
            return Err(refuse());
        }
        // distance = last - i for rising loops, i - last for falling ones; at the first value it must be at least 0.
        let distance = difference.times(-direction * header.step).ok_or_else(refuse)?;
        let factor = distance.factor(symbol).unwrap_or(0);
        let at_first =
            distance.plus(&Affine::symbol(symbol), -factor).and_then(|d| d.plus(first, factor)).ok_or_else(refuse)?;
        let mut outside = scope.clone();
        outside.loops.pop();
        if !self.require(&at_first, &outside, &[]) {
            return Err(refuse());
        }
        let operator = if direction * header.step > 0 { "<" } else { ">" };
        compare(operator, a, b).ok_or_else(refuse)
    }
}

/// Whether a comparison of a loop's step with a number holds for the step 1.
fn chosen_by_step(unit: &Unit, test: &Node, header: &LoopHeader) -> Option<bool> {
    let test = loop_header::stripped(test);
    let variable = |n: &Node| {
        let read = loop_header::stripped(n);
        (read.cast == "LValueToRValue").then(|| read.child(0)?.variable().map(|r| r.id)).flatten()
    };
    let step = header.assumed.and_then(variable)?;
    if variable(test.child(0)?) != Some(step) {
        return None;
    }
    let other = unit.constant(test.child(1)?)?.value;
    Some(match test.opcode.as_str() {
        "<" => 1 < other,
        "<=" => 1 <= other,
        ">" => 1 > other,
        ">=" => 1 >= other,
        _ => return None,
    })
}

/// Forms that are at least 0 if a counter stays `room` away from the limits of 64 bits.
fn small_counter(counter: &Affine, room: i64) -> Vec<Affine> {
    let most = Affine::constant((1 << 56) - room);
    [most.plus(counter, -1), most.plus(counter, 1)].into_iter().flatten().collect()
}

/// Sign of the counter's factor in `a - b`, if it is the same in all cases.
fn direction(a: &Cases, b: &Cases, symbol: &str) -> Option<i64> {
    let difference = a.combine(b, |x, y| x.plus(y, -1))?;
    let sign = |v: &Affine| v.factor(symbol).map(i64::signum).filter(|s| *s != 0);
    let first = sign(&difference.0.first()?.1)?;
    let free = |c: &Formula| c.conjuncts.iter().all(|t| !ctype::words(t).any(|w| w == symbol));
    difference.0.iter().all(|(c, v)| free(c) && sign(v) == Some(first)).then_some(first)
}

fn begins(counter: &Affine, first: &Cases, header: &LoopHeader) -> Result<Formula, Refusal> {
    let operator = if header.step > 0 { ">=" } else { "<=" };
    Cases::one(counter.clone())
        .compare(operator, first)
        .ok_or_else(|| super::integer_expression::not_affine(header.first))
}

/// The condition of a step other than 1; the outer `None` if the numbers are too large.
#[allow(clippy::option_option)]
fn stride(counter: &Affine, first: &Cases, step: i64) -> Option<Option<Formula>> {
    if step.abs() == 1 {
        return Some(None);
    }
    let mut whole = Formula::constant(false);
    for (condition, value) in &first.0 {
        let text = format!("({}) mod {} = 0", counter.plus(value, -1)?, step.abs());
        whole = whole.or(condition.clone().and(Formula::constraint(text, vec![])));
    }
    Some(Some(whole))
}
