//! Expressions of a syntax tree in isl's own notation: what they compute, and when conditions hold.

use crate::{AstExpr, AstExprKind, Error, Operator, Result};

/// A condition as isl text.
pub(crate) fn truth(expr: &AstExpr) -> Result<String> {
    let AstExprKind::Op(operator, operands) = expr.kind()? else {
        // A number used as a condition.
        return Ok(format!("({} != 0)", value(expr)?));
    };
    let join = |word: &str, parts: Result<Vec<String>>| Ok(format!("({})", parts?.join(word)));
    let all = |of: fn(&AstExpr) -> Result<String>| operands.iter().map(of).collect::<Result<Vec<_>>>();
    let compare = |word: &str| match &operands[..] {
        [one, other] => compared(&Side::Expr(one), word, &Side::Expr(other)),
        _ => Err(Error::unread()),
    };
    match operator {
        Operator::And | Operator::AndThen => join(" and ", all(truth)),
        Operator::Or | Operator::OrElse => join(" or ", all(truth)),
        Operator::Eq => join(" = ", all(value)),
        Operator::Le => compare("<="),
        Operator::Lt => compare("<"),
        Operator::Ge => compare(">="),
        Operator::Gt => compare(">"),
        _ => Ok(format!("({} != 0)", value(expr)?)),
    }
}

/// An operand of a comparison.
pub(crate) enum Side<'a> {
    Expr(&'a AstExpr),
    Text(&'a str),
}

impl Side<'_> {
    /// The operands of a maximum (`true`) or a minimum.
    fn extremes(&self) -> Result<Option<(bool, Vec<AstExpr>)>> {
        let Side::Expr(expr) = self else { return Ok(None) };
        Ok(match expr.kind()? {
            AstExprKind::Op(Operator::Max, operands) => Some((true, operands)),
            AstExprKind::Op(Operator::Min, operands) => Some((false, operands)),
            _ => None,
        })
    }
}

/// A comparison as isl text. `a <= min(b, c)` becomes `a <= b and a <= c`, and so on: isl splits a minimum into one
/// piece per operand, and many of them into all combinations.
pub(crate) fn compared(one: &Side, word: &str, other: &Side) -> Result<String> {
    let less = word.starts_with('<');
    if let Some((largest, operands)) = one.extremes()? {
        let parts = operands.iter().map(|operand| compared(&Side::Expr(operand), word, other));
        return joined(parts.collect(), largest == less);
    }
    if let Some((largest, operands)) = other.extremes()? {
        let parts = operands.iter().map(|operand| compared(one, word, &Side::Expr(operand)));
        return joined(parts.collect(), largest != less);
    }
    let text = |side: &Side| match side {
        Side::Expr(expr) => value(expr),
        Side::Text(text) => Ok((*text).to_owned()),
    };
    Ok(format!("({} {word} {})", text(one)?, text(other)?))
}

fn joined(parts: Result<Vec<String>>, all: bool) -> Result<String> {
    Ok(format!("({})", parts?.join(if all { " and " } else { " or " })))
}

/// A value as isl text. isl wants plain numbers as factors and divisors.
pub(crate) fn value(expr: &AstExpr) -> Result<String> {
    let (operator, operands) = match expr.kind()? {
        AstExprKind::Id(name) => return Ok(name),
        AstExprKind::Int(number) => return Ok(if number.starts_with('-') { format!("({number})") } else { number }),
        AstExprKind::Op(operator, operands) => (operator, operands),
    };
    let all = operands.iter().map(value).collect::<Result<Vec<_>>>()?;
    let nested = |word: &str| all.iter().skip(1).fold(all[0].clone(), |text, next| format!("{word}({text}, {next})"));
    Ok(match (operator, &all[..]) {
        (Operator::Max, [_, ..]) => nested("max"),
        (Operator::Min, [_, ..]) => nested("min"),
        (Operator::Minus, [one]) => format!("(-{one})"),
        (Operator::Add, [one, other]) => format!("({one} + {other})"),
        (Operator::Sub, [one, other]) => format!("({one} - {other})"),
        (Operator::Mul, [one, other]) => product(one, other)?,
        (Operator::Div | Operator::FloorDiv | Operator::PositiveDiv, [one, other]) => format!("floor(({one})/{other})"),
        (Operator::PositiveRem | Operator::ZeroRem, [one, other]) => format!("(({one}) mod {other})"),
        _ => return Err(Error::unread()),
    })
}

/// A product with a numeric factor.
pub(crate) fn product(one: &str, other: &str) -> Result<String> {
    let number = |text: &str| text.trim_matches(['(', ')']).parse::<i64>().ok();
    let (factor, rest) = match (number(one), number(other)) {
        (Some(factor), _) => (factor, other),
        (_, Some(factor)) => (factor, one),
        _ => return Err(Error::unread()),
    };
    let text = format!("({} * {rest})", factor.unsigned_abs());
    Ok(if factor < 0 { format!("(-{text})") } else { text })
}
