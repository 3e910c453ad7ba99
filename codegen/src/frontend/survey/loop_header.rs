//! Analysis of `for` headers: counter, first value, condition, constant step.

use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node, Unit};
use crate::frontend::clang::constant::Constant;
use crate::frontend::clang::ctype::{self, Integer};
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::planted::planted;
use crate::refusal::Code;

/// The parts of a `for` loop.
#[derive(Debug, Clone)]
pub struct LoopHeader<'a> {
    /// The counter's declaration.
    pub counter: Id,
    /// The declaration's node.
    pub declaration: &'a Node,
    /// The header declares the counter.
    pub declared: bool,
    /// First value; if there is none, the counter in the condition.
    pub first: &'a Node,
    /// The counter begins with the value that it has.
    pub entered: bool,
    /// Condition.
    pub condition: &'a Node,
    /// The amount added after each iteration, never 0.
    pub step: i64,
    /// C defines that the addition wraps around.
    pub wraps: bool,
    /// The amount of a step that is no constant: `step` is right if its value is 1, as the entry has to check.
    pub assumed: Option<&'a Node>,
    /// What stands beside the counter's first value: the assignment `k = 0` of `i = 0, k = 0`, or the declaration of `k`.
    pub beside_first: Vec<&'a Node>,
    /// Updates beside the counter's step: `k += 2` of `i++, k += 2`.
    pub beside_step: Vec<&'a Node>,
    /// Body.
    pub body: &'a Node,
}

impl<'a> LoopHeader<'a> {
    /// The variables that it declares beside the counter.
    pub fn declared_beside(&self) -> impl Iterator<Item = &'a Node> {
        self.beside_first.iter().copied().filter(|part| part.is(&SyntaxKind::VarDecl))
    }
}

/// The remedy for a header of another form.
pub const CANONICAL: &str = "write the loop as `for (i = first; i < last; i += step)` with a constant step";

/// Analyses a loop's header, but not its bounds.
pub fn header<'a>(unit: &'a Unit, node: &'a Node) -> Result<LoopHeader<'a>, Refusal> {
    let refuse = |at: &Node, reason: &str| Err(Refusal::at(Code::LoopHeader, at, reason, CANONICAL));
    let [init, _, condition, increment, body] = node.inner.as_slice() else {
        return refuse(node, "this loop's header is not understood");
    };
    for (part, name) in [(condition, "condition"), (increment, "step")] {
        if part.kind.is_absent() {
            return refuse(node, &format!("this loop has no {name} in its header"));
        }
    }
    let (increment, beside_step) = main_part(increment, condition);
    let (init, beside_first) =
        if init.is(&SyntaxKind::DeclStmt) { main_declaration(init, increment)? } else { main_part(init, condition) };
    let entered = init.kind.is_absent();
    let (counter, first, declared) = if entered {
        let target = write_target(increment).and_then(Node::variable).map(|r| r.id);
        let is_target = |n: &&Node| n.reference.as_ref().is_some_and(|r| Some(r.id) == target);
        let Some((first, id)) = condition.walk().find(is_target).zip(target) else {
            return refuse(node, "this loop has no first value in its header, and its counter is not told by its step");
        };
        (id, first, false)
    } else if init.is(&SyntaxKind::VarDecl) {
        let Some(first) = init.initial_value() else {
            return refuse(init, "this loop's counter has no first value");
        };
        (init.id, first, true)
    } else {
        let target = if init.is(&SyntaxKind::BinaryOperator) && init.opcode == "=" { init.inner.first() } else { None };
        let Some((reference, first)) = target.and_then(Node::variable).zip(init.inner.get(1)) else {
            return refuse(init, "this loop's first part does not set one counter");
        };
        (reference.id, first, false)
    };
    let Some(declaration) = unit.declaration(counter) else { return refuse(init, "this loop's counter is not known") };
    if ctype::is_untouchable(declaration.ty.plain()) || declaration.thread_local {
        return Err(Refusal::at(
            Code::VolatileOrAtomic,
            init,
            format!("the loop counter `{}` is volatile, atomic or thread-local", declaration.name),
            "use a plain integer as counter",
        ));
    }
    let Some(ty) = unit.integer(declaration.ty.plain()).filter(|i| i.width >= 8) else {
        let reason = format!("the loop counter `{}` is not of an integer type that is certain", declaration.name);
        return Err(Refusal::at(Code::CounterType, init, reason, "use an integer as counter"));
    };
    let constant = step(unit, increment, counter, ty).map(|(step, wraps)| (step, wraps, None));
    let assumed = || assumed_step(unit, increment, counter, ty).map(|(step, by)| (step, !ty.signed, Some(by)));
    let Some((step, wraps, assumed)) = constant.or_else(assumed).filter(|(step, ..)| *step != 0) else {
        return refuse(increment, "this loop's step is not a constant added to its counter");
    };
    let changed = beside_first.iter().chain(&beside_step).find(|part| {
        let target = write_target(part).and_then(Node::variable);
        !(declared && part.is(&SyntaxKind::VarDecl)) && target.is_none_or(|r| r.id == counter)
    });
    if let Some(part) = changed {
        return refuse(part, "this part of the loop's header is not the assignment of another variable");
    }
    // After the first iteration the counter has another value.
    let by_counter = beside_first.iter().find(|part| mentions(part, counter) && !planted("a41-beside"));
    if let Some(part) = by_counter {
        let name = &declaration.name;
        let reason = format!("the loop's header gives another variable a first value that reads the counter `{name}`");
        let remedy = "write the counter's first value there: `j = 3, k = 3` for `j = 3, k = j`";
        return Err(Refusal::at(Code::LoopHeader, part, reason, remedy));
    }
    Ok(LoopHeader {
        counter,
        declaration,
        declared,
        first,
        entered,
        condition,
        step,
        wraps,
        assumed,
        beside_first,
        beside_step,
        body,
    })
}

/// The declaration of the counter, which the step changes, among those of a header, and the others.
fn main_declaration<'a>(init: &'a Node, increment: &Node) -> Result<(&'a Node, Vec<&'a Node>), Refusal> {
    let mut all: Vec<&Node> = init.inner.iter().collect();
    if let Some(other) = all.iter().find(|n| !n.is(&SyntaxKind::VarDecl)) {
        let reason = "this loop's header declares what is no variable";
        return Err(Refusal::at(Code::LoopHeader, other, reason, CANONICAL));
    }
    let changed = write_target(increment).and_then(Node::variable).map(|r| r.id);
    let Some(at) = all.iter().position(|variable| all.len() == 1 || Some(variable.id) == changed) else {
        let reason = "this loop declares several variables, and its step changes none of them";
        return Err(Refusal::at(Code::LoopHeader, init, reason, CANONICAL));
    };
    let main = all.remove(at);
    Ok((main, all))
}

fn mentions(node: &Node, id: Id) -> bool {
    node.walk().any(|n| n.reference.as_ref().is_some_and(|r| r.id == id))
}

/// The part of `i = 0, k = 0` about a variable of the condition, and the other parts.
fn main_part<'a>(node: &'a Node, condition: &Node) -> (&'a Node, Vec<&'a Node>) {
    fn parts<'n>(node: &'n Node, out: &mut Vec<&'n Node>) {
        match node.kind {
            SyntaxKind::BinaryOperator if node.opcode == "," => node.inner.iter().for_each(|n| parts(n, out)),
            _ => out.push(node),
        }
    }
    let mut all = Vec::new();
    parts(node, &mut all);
    let compared = |part: &&Node| {
        let variable = write_target(part).and_then(Node::variable).map(|r| r.id);
        variable.is_some() && condition.walk().any(|n| n.reference.as_ref().map(|r| r.id) == variable)
    };
    let at = all.iter().position(compared).filter(|_| all.len() > 1).unwrap_or(0);
    let main = all.remove(at);
    (main, all)
}

/// The amount added to the counter after each iteration, and whether C defines that the sum wraps around.
fn step(unit: &Unit, node: &Node, counter: Id, ty: Integer) -> Option<(i64, bool)> {
    let is_counter = |n: &Node| plain(unit, n, ty).variable().is_some_and(|r| r.id == counter);
    if node.is(&SyntaxKind::ParenExpr) {
        return step(unit, node.inner.first()?, counter, ty);
    }
    if !is_counter(write_target(node)?) {
        return None;
    }
    let amount = |n: &Node, sign: i128| amount(unit, n, sign, ty);
    match (&node.kind, node.opcode.as_str()) {
        (SyntaxKind::UnaryOperator, "++") => Some((1, !ty.signed)),
        (SyntaxKind::UnaryOperator, "--") => Some((-1, !ty.signed)),
        (SyntaxKind::CompoundAssignOperator, "+=") => amount(node.inner.get(1)?, 1),
        (SyntaxKind::CompoundAssignOperator, "-=") => amount(node.inner.get(1)?, -1),
        (SyntaxKind::BinaryOperator, "=") => {
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

/// The step by a variable or a value in memory whose value is assumed to be 1, and that value.
fn assumed_step<'n>(unit: &Unit, node: &'n Node, counter: Id, ty: Integer) -> Option<(i64, &'n Node)> {
    let is_counter = |n: &Node| plain(unit, n, ty).variable().is_some_and(|r| r.id == counter);
    if node.is(&SyntaxKind::ParenExpr) {
        return assumed_step(unit, node.inner.first()?, counter, ty);
    }
    if !is_counter(write_target(node)?) {
        return None;
    }
    let value = node.inner.get(1)?;
    let (sign, amount) = match (&node.kind, node.opcode.as_str()) {
        (SyntaxKind::CompoundAssignOperator, "+=") => (1, value),
        (SyntaxKind::CompoundAssignOperator, "-=") => (-1, value),
        (SyntaxKind::BinaryOperator, "=") => {
            let sum = plain(unit, value, ty);
            let (left, right) = (sum.inner.first()?, sum.inner.get(1)?);
            match sum.opcode.as_str() {
                "+" if is_counter(left) => (1, right),
                "+" if is_counter(right) => (1, left),
                "-" if is_counter(left) => (-1, right),
                _ => return None,
            }
        }
        _ => return None,
    };
    unit.integer(amount.ty.plain())?;
    let read = stripped(amount);
    (read.is(&SyntaxKind::ImplicitCastExpr) && read.cast == "LValueToRValue").then_some((sign, read))
}

/// An expression without parentheses and conversions between integers: 1 stays 1 in all of them.
pub fn stripped(node: &Node) -> &Node {
    match (&node.kind, node.inner.first()) {
        (SyntaxKind::ParenExpr, Some(inner)) => stripped(inner),
        (SyntaxKind::ImplicitCastExpr, Some(inner)) if node.cast == "IntegralCast" => stripped(inner),
        _ => node,
    }
}

/// A step as a number. The sum is computed in a type at least as wide as the counter's and converted back, so only the
/// step modulo the counter's range counts: `i -= -1u` adds 1 to an `int`, and subtracts 4294967295 from a `long`.
fn amount(unit: &Unit, node: &Node, sign: i128, ty: Integer) -> Option<(i64, bool)> {
    if planted("a5-constants") {
        return text_literal(node).map(|v| (sign as i64 * v, !ty.signed));
    }
    let constant = unit.constant(node).or_else(|| constant_variable(unit, node))?;
    let added = (sign * constant.value).rem_euclid(1_i128 << ty.width);
    let added = if added >> (ty.width - 1) == 1 { added - (1_i128 << ty.width) } else { added };
    let step = i64::try_from(added).ok().filter(|v| v.unsigned_abs() < 1 << 31)?;
    let unsigned = !constant.ty.signed && constant.ty.width >= 32.max(ty.width);
    Some((step, !ty.signed || unsigned || unit.integer_options.wraps))
}

/// The value of a constant variable whose initial value is a constant, as `const int step = 2;`.
fn constant_variable(unit: &Unit, node: &Node) -> Option<Constant> {
    let variable = unit.declaration(node.variable()?.id).filter(|v| v.initialised)?;
    let plain = variable.ty.plain();
    if !plain.starts_with("const ")
        || ctype::is_untouchable(plain)
        || unit.integer(plain) != unit.integer(node.ty.plain())
    {
        return None;
    }
    unit.constant(variable.inner.iter().find(|n| !n.kind.is_absent() && !n.kind.is_attribute())?)
}

/// The former way to read a step, from its text: the defect `a5-constants`.
fn text_literal(node: &Node) -> Option<i64> {
    match node.kind {
        SyntaxKind::IntegerLiteral => node.value.as_ref()?.parse().ok(),
        SyntaxKind::UnaryOperator if node.opcode == "-" => text_literal(node.inner.first()?)?.checked_neg(),
        SyntaxKind::ParenExpr
        | SyntaxKind::ConstantExpr
        | SyntaxKind::ImplicitCastExpr
        | SyntaxKind::CStyleCastExpr => text_literal(node.inner.first()?),
        _ => None,
    }
}

/// The expression without parentheses and without conversions that keep every value of the counter's type, or its sums
/// modulo its range.
fn plain<'n>(unit: &Unit, node: &'n Node, counter: Integer) -> &'n Node {
    match (&node.kind, node.inner.first()) {
        (SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr, Some(inner)) => plain(unit, inner, counter),
        (SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr, Some(inner))
            if matches!(node.cast.as_str(), "IntegralCast" | "LValueToRValue" | "NoOp") =>
        {
            let wide = unit.integer(node.ty.plain()).is_some_and(|ty| ty.width >= counter.width);
            if wide { plain(unit, inner, counter) } else { node }
        }
        _ => node,
    }
}
