//! `for` headers: counter, first value, condition, constant step; and the domain that they make.

use super::affine::{Affine, Cases, Formula, compare};
use super::ast::{Id, Node, Unit};
use super::builder::Builder;
use super::ctype::{self, Integer};
use super::inventory::write_target;
use super::refusal::Refused;
use super::scope::{Dimension, Scope};
use crate::model::Iterator;

/// A `for` loop, taken apart.
#[derive(Debug, Clone, Copy)]
pub struct Header<'a> {
    /// The counter's declaration.
    pub counter: Id,
    /// That declaration.
    pub declaration: &'a Node,
    /// Declared in the header.
    pub declared: bool,
    /// First value.
    pub first: &'a Node,
    /// Condition.
    pub condition: &'a Node,
    /// Added after each turn, never 0.
    pub step: i64,
    /// C defines that the addition wraps around.
    pub wraps: bool,
    /// Body.
    pub body: &'a Node,
}

const CANONICAL: &str = "write the loop as `for (i = first; i < last; i += step)` with a constant step";

/// Takes a loop apart without looking at its bounds.
pub fn header<'a>(unit: &'a Unit, node: &'a Node) -> Result<Header<'a>, Refused> {
    let refuse = |at: &Node, reason: &str| Err(Refused::at(at, reason, CANONICAL));
    let [init, _, condition, increment, body] = node.inner.as_slice() else {
        return refuse(node, "this loop's header is not understood");
    };
    for (part, name) in [(init, "first value"), (condition, "condition"), (increment, "step")] {
        if part.kind.is_empty() {
            return refuse(node, &format!("this loop has no {name} in its header"));
        }
    }
    let (counter, first, declared) = if init.is("DeclStmt") {
        let [variable] = init.inner.as_slice() else {
            return refuse(init, "this loop declares several variables");
        };
        let Some(first) = variable.inner.iter().find(|n| !n.kind.ends_with("Attr") && variable.initialised) else {
            return refuse(init, "this loop's counter has no first value");
        };
        (variable.id, first, true)
    } else {
        let target = if init.is("BinaryOperator") && init.opcode == "=" { init.inner.first() } else { None };
        let Some((reference, first)) = target.and_then(Node::variable).zip(init.inner.get(1)) else {
            return refuse(init, "this loop's first part does not set one counter");
        };
        (reference.id, first, false)
    };
    let Some(declaration) = unit.declaration(counter) else { return refuse(init, "this loop's counter is not known") };
    if ctype::is_untouchable(declaration.ty.plain()) || declaration.thread_local {
        return Err(Refused::at(
            init,
            format!("the loop counter `{}` is volatile, atomic or thread-local", declaration.name),
            "use a plain integer as counter",
        ));
    }
    let Some(ty) = unit.integer(declaration.ty.plain()).filter(|i| i.width >= 8) else {
        let reason = format!("the loop counter `{}` is not of an integer type that is certain", declaration.name);
        return Err(Refused::at(init, reason, "use an integer as counter"));
    };
    let Some((step, wraps)) = step(unit, increment, counter, ty).filter(|(s, _)| *s != 0) else {
        return refuse(increment, "this loop's step is not a constant added to its counter");
    };
    Ok(Header { counter, declaration, declared, first, condition, step, wraps, body })
}

/// What is added to the counter after each turn, and whether C defines that the sum wraps around.
fn step(unit: &Unit, node: &Node, counter: Id, ty: Integer) -> Option<(i64, bool)> {
    let is_counter = |n: &Node| plain(unit, n, ty).variable().is_some_and(|r| r.id == counter);
    if node.is("ParenExpr") {
        return step(unit, node.inner.first()?, counter, ty);
    }
    if !is_counter(write_target(node)?) {
        return None;
    }
    let amount = |n: &Node, sign: i128| amount(unit, n, sign, ty);
    match (node.kind.as_str(), node.opcode.as_str()) {
        ("UnaryOperator", "++") => Some((1, !ty.signed)),
        ("UnaryOperator", "--") => Some((-1, !ty.signed)),
        ("CompoundAssignOperator", "+=") => amount(node.inner.get(1)?, 1),
        ("CompoundAssignOperator", "-=") => amount(node.inner.get(1)?, -1),
        ("BinaryOperator", "=") => {
            let sum = plain(unit, node.inner.get(1)?, ty);
            let (left, right) = (sum.inner.first()?, sum.inner.get(1)?);
            match sum.opcode.as_str() {
                "+" if is_counter(left) => amount(right, 1),
                "+" if is_counter(right) => amount(left, 1),
                "-" if is_counter(left) => amount(right, -1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A step as a number. The sum is computed in a type at least as wide as the counter's and converted back, so only the
/// step's remainder in the counter's range counts: `i -= -1u` of an `int` adds 1, of a `long` it takes 4294967295 away.
fn amount(unit: &Unit, node: &Node, sign: i128, ty: Integer) -> Option<(i64, bool)> {
    if crate::planted::planted("a5-constants") {
        return text_literal(node).map(|v| (sign as i64 * v, !ty.signed));
    }
    let constant = unit.constant(node)?;
    let added = (sign * constant.value).rem_euclid(1_i128 << ty.width);
    let added = if added >> (ty.width - 1) == 1 { added - (1_i128 << ty.width) } else { added };
    let step = i64::try_from(added).ok().filter(|v| v.unsigned_abs() < 1 << 31)?;
    let unsigned = !constant.ty.signed && constant.ty.width >= 32.max(ty.width);
    Some((step, !ty.signed || unsigned || unit.dialect.wraps))
}

/// The old reading of a step from its text: the defect `a5-constants`.
fn text_literal(node: &Node) -> Option<i64> {
    match node.kind.as_str() {
        "IntegerLiteral" => node.value.as_ref()?.parse().ok(),
        "UnaryOperator" if node.opcode == "-" => text_literal(node.inner.first()?)?.checked_neg(),
        "ParenExpr" | "ConstantExpr" | "ImplicitCastExpr" | "CStyleCastExpr" => text_literal(node.inner.first()?),
        _ => None,
    }
}

/// Without parentheses and conversions that keep every value of the counter's type, and the counter's sums modulo its
/// range.
fn plain<'n>(unit: &Unit, node: &'n Node, counter: Integer) -> &'n Node {
    match (node.kind.as_str(), node.inner.first()) {
        ("ParenExpr" | "ConstantExpr", Some(inner)) => plain(unit, inner, counter),
        ("ImplicitCastExpr" | "CStyleCastExpr", Some(inner))
            if matches!(node.cast.as_str(), "IntegralCast" | "LValueToRValue" | "NoOp") =>
        {
            let wide = unit.integer(node.ty.plain()).is_some_and(|ty| ty.width >= counter.width);
            if wide { plain(unit, inner, counter) } else { node }
        }
        _ => node,
    }
}

impl<'a> Builder<'a> {
    /// The scope of a loop's body.
    pub fn enter(&mut self, header: &Header<'a>, scope: &Scope) -> Result<Scope, Refused> {
        let name = &header.declaration.name;
        if scope.loops.iter().any(|l| &l.iterator.name == name) {
            let reason = format!("the counter `{name}` is used by a loop around this one, too");
            return Err(Refused::at(header.first, reason, "give each loop of a nest its own counter"));
        }
        let ty =
            self.unit.integer(header.declaration.ty.plain()).ok_or_else(|| super::integer::not_affine(header.first))?;
        let first = self.value(header.first, scope)?;
        let symbol = self.symbols.counter(name);
        let mut inside = scope.clone();
        let ctype = self.type_name(header.declaration);
        let iterator = Iterator { name: name.clone(), ctype };
        inside.loops.push(Dimension { counter: header.counter, symbol: symbol.clone(), iterator });
        let counter = Affine::symbol(&symbol);
        inside.restrict(begins(&counter, &first, header)?);
        let (mut bound, assumed) = match self.attempt(|b| b.bound(header.condition, header, &first, &inside)) {
            Err(_) if ty.width == 64 => {
                // Where the condition has held, the counter was small, and so it is one step later: see below.
                let small = Formula { conjuncts: vec![], facts: small_counter(&counter, 0) };
                let mut near = inside.clone();
                near.restrict(small);
                (self.bound(header.condition, header, &first, &near)?, true)
            }
            bound => (bound?, false),
        };
        // `0 <= i` and `i < n` next to each other print best, strides after them.
        let stride = stride(&counter, &first, header.step);
        if let Some(stride) = stride.ok_or_else(|| super::integer::not_affine(header.first))? {
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
                    return Err(Refused::at(
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

    /// The value after the last turn must exist in the counter's type when its overflow is defined.
    fn check_last(
        &mut self,
        counter: &Affine,
        header: &Header,
        ty: ctype::Integer,
        scope: &Scope,
    ) -> Result<(), Refused> {
        if !header.wraps && ty.width >= 32 {
            return Ok(());
        }
        let most = i128::from(super::integer::COMPUTABLE);
        let (min, max) = (ty.min().max(-most) as i64, ty.max().min(most) as i64);
        let limit = if header.step > 0 {
            Affine::constant(max - header.step).plus(counter, -1)
        } else {
            min.checked_sub(header.step).and_then(|m| counter.plus(&Affine::constant(m), -1))
        };
        if limit.is_some_and(|limit| self.require(&limit, scope, &[])) {
            return Ok(());
        }
        Err(Refused::at(
            header.condition,
            format!("the counter of type `{}` may wrap around at the end of this loop", header.declaration.ty.written),
            "use a signed counter of type int or wider",
        ))
    }

    /// The loop's condition: it must turn false once and for all as the counter goes on.
    fn bound(&mut self, node: &'a Node, header: &Header<'a>, first: &Cases, scope: &Scope) -> Result<Formula, Refused> {
        let [left, right] = match node.kind.as_str() {
            "ParenExpr" => return self.bound(&node.inner[0], header, first, scope),
            "BinaryOperator" if node.inner.len() == 2 => [&node.inner[0], &node.inner[1]],
            _ => return Err(Refused::at(node, "this loop's condition is not a comparison", CANONICAL)),
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
                    Refused::at(node, "this condition does not compare the loop's counter", CANONICAL)
                })?;
                if operator == "!=" {
                    return self.different(&a, &b, direction, header, first, scope, node);
                }
                let falls = matches!(operator, "<" | "<=") == (direction * header.step.signum() > 0);
                if !falls {
                    let reason = "this condition does not end the loop in the direction of its step";
                    return Err(Refused::at(node, reason, CANONICAL));
                }
                a.compare(operator, &b).ok_or_else(|| super::integer::not_affine(node))
            }
            _ => Err(Refused::at(node, "this loop's condition is not a comparison", CANONICAL)),
        }
    }

    /// `i != last` means `i < last` when the first value is not beyond the last and no step can jump over it.
    #[allow(clippy::too_many_arguments)]
    fn different(
        &mut self,
        a: &Cases,
        b: &Cases,
        direction: i64,
        header: &Header<'a>,
        first: &Cases,
        scope: &Scope,
        node: &Node,
    ) -> Result<Formula, Refused> {
        let refuse = || {
            Refused::at(
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

/// What is at least 0 when a counter stays `room` away from where 64 bits might end.
fn small_counter(counter: &Affine, room: i64) -> Vec<Affine> {
    let most = Affine::constant((1 << 56) - room);
    [most.plus(counter, -1), most.plus(counter, 1)].into_iter().flatten().collect()
}

/// Sign of the counter's factor in `a - b`, where that is one sign in all cases.
fn direction(a: &Cases, b: &Cases, symbol: &str) -> Option<i64> {
    let difference = a.combine(b, |x, y| x.plus(y, -1))?;
    let sign = |v: &Affine| v.factor(symbol).map(i64::signum).filter(|s| *s != 0);
    let first = sign(&difference.0.first()?.1)?;
    let free = |c: &Formula| c.conjuncts.iter().all(|t| !ctype::words(t).any(|w| w == symbol));
    difference.0.iter().all(|(c, v)| free(c) && sign(v) == Some(first)).then_some(first)
}

fn begins(counter: &Affine, first: &Cases, header: &Header) -> Result<Formula, Refused> {
    let operator = if header.step > 0 { ">=" } else { "<=" };
    Cases::one(counter.clone()).compare(operator, first).ok_or_else(|| super::integer::not_affine(header.first))
}

/// The condition that a step other than 1 leaves; the outer `None` when the numbers are too large.
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
