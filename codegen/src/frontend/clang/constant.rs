//! Evaluates integer constant expressions as C does: each value in its type, with C's conversions.

use super::ast::{Id, Node, Unit};
use super::ctype::{self, Integer};
use super::syntax_kind::SyntaxKind;

/// A value with its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constant {
    /// The value; it fits the type.
    pub value: i128,
    /// The type.
    pub ty: Integer,
}

impl Constant {
    /// The value converted by C's rule: modulo the range of the type.
    fn converted(value: i128, ty: Integer) -> Constant {
        if ty.width == 1 {
            return Constant { value: i128::from(value != 0), ty };
        }
        let low = value.rem_euclid(1_i128 << ty.width);
        let value = if ty.signed && low > ty.max() { low - (1_i128 << ty.width) } else { low };
        Constant { value, ty }
    }

    /// The result of an operation: unsigned results wrap around, signed results must be in range.
    fn result(value: Option<i128>, ty: Integer) -> Option<Constant> {
        let value = value?;
        if ty.signed && !(ty.min()..=ty.max()).contains(&value) { None } else { Some(Constant::converted(value, ty)) }
    }
}

impl Unit {
    /// The integer type named by `plain` (without typedefs), if that is certain.
    pub fn integer(&self, plain: &str) -> Option<Integer> {
        let name = ctype::unqualified(plain);
        if let Some(tag) = name.strip_prefix("enum ").filter(|tag| !tag.contains(['*', '[', '('])) {
            return self.enumeration(tag.trim());
        }
        if name == "char" && self.integer_options.char_by_option && !crate::planted::planted("a5-constants") {
            return None;
        }
        ctype::integer(&name)
    }

    /// The type of an enumeration: the one that gcc and clang choose for the values of its constants.
    fn enumeration(&self, tag: &str) -> Option<Integer> {
        if crate::planted::planted("a5-constants") {
            return Some(Integer { width: 32, signed: true });
        }
        let mut chosen = None;
        // Nested scopes may declare other enumerations of the same name: all must agree.
        for declaration in self.root.walk().filter(|n| n.is(&SyntaxKind::EnumDecl) && n.name == tag) {
            let constants: Vec<&Node> =
                declaration.inner.iter().filter(|n| n.is(&SyntaxKind::EnumConstantDecl)).collect();
            if declaration.fixed.is_none() && constants.is_empty() {
                continue;
            }
            let own = match &declaration.fixed {
                Some(fixed) => ctype::integer(fixed.plain())?,
                // Attributes may make the type narrower.
                None if self.integer_options.short_enums || declaration.inner.iter().any(|n| n.kind.is_attribute()) => {
                    return None;
                }
                None => {
                    let values: Vec<i128> = constants.iter().map(|c| self.enumerator(c.id)).collect::<Option<_>>()?;
                    let signed = values.iter().any(|v| *v < 0);
                    let int = Integer { width: 32, signed };
                    if values.iter().any(|v| !(int.min()..=int.max()).contains(v)) {
                        return None;
                    }
                    int
                }
            };
            if chosen.is_some_and(|other| other != own) {
                return None;
            }
            chosen = Some(own);
        }
        chosen
    }

    /// The value of an enumerator.
    pub fn enumerator(&self, id: Id) -> Option<i128> {
        let holder = self.holder(id)?;
        let mut next = 0;
        for constant in holder.inner.iter().filter(|n| n.is(&SyntaxKind::EnumConstantDecl)) {
            if let Some(explicit) = constant.inner.iter().find(|n| !n.kind.is_attribute()) {
                let value = explicit.walk().find(|n| n.is(&SyntaxKind::ConstantExpr)).and_then(|n| n.value.as_ref());
                next = value?.parse().ok()?;
            }
            if constant.id == id {
                return Some(next);
            }
            next += 1;
        }
        None
    }

    /// The value of a constant expression, if its form is known.
    pub fn constant(&self, node: &Node) -> Option<Constant> {
        let child = |k: usize| node.child(k).and_then(|n| self.constant(n));
        let ty = self.integer(node.ty.plain())?;
        match node.kind {
            SyntaxKind::IntegerLiteral => exact(node.value.as_ref()?.parse().ok()?, ty),
            // Clang prints the value's 32 bits as unsigned.
            SyntaxKind::CharacterLiteral => Some(Constant::converted(node.value.as_ref()?.parse().ok()?, ty)),
            SyntaxKind::CXXBoolLiteralExpr => {
                Some(Constant { value: i128::from(node.value.as_deref()? == "true"), ty })
            }
            SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr => child(0).filter(|c| c.ty == ty),
            SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => match node.cast.as_str() {
                "IntegralCast" | "IntegralToBoolean" | "NoOp" => Some(Constant::converted(child(0)?.value, ty)),
                _ => None,
            },
            SyntaxKind::DeclRefExpr => {
                let reference = node.reference.as_ref().filter(|r| r.kind == SyntaxKind::EnumConstantDecl)?;
                exact(self.enumerator(reference.id)?, ty)
            }
            SyntaxKind::UnaryExprOrTypeTraitExpr => {
                let of = node.argument.as_ref().or_else(|| node.child(0).map(|n| &n.ty))?;
                let size = self.size(of.plain())?;
                (node.name == "sizeof").then_some(Constant { value: i128::from(size), ty })
            }
            SyntaxKind::UnaryOperator => {
                let operand = child(0)?;
                match node.opcode.as_str() {
                    "+" => exact(operand.value, ty),
                    "-" => Constant::result(Some(-operand.value), ty),
                    "~" => Some(Constant::converted(!operand.value, ty)),
                    "!" => Some(Constant { value: i128::from(operand.value == 0), ty }),
                    _ => None,
                }
            }
            SyntaxKind::BinaryOperator => binary(&node.opcode, child(0)?, child(1)?, ty),
            SyntaxKind::ConditionalOperator => {
                let (test, yes, no) = (child(0)?, child(1)?, child(2)?);
                Some(Constant::converted(if test.value != 0 { yes.value } else { no.value }, ty))
            }
            _ => None,
        }
    }

    /// The size in bytes of an arithmetic type.
    fn size(&self, plain: &str) -> Option<u64> {
        if plain.contains("char") && !plain.contains(['*', '[', '(']) {
            return Some(1);
        }
        if plain.contains("enum ") {
            return self.integer(plain).map(|ty| u64::from(ty.width / 8));
        }
        Some(ctype::size(plain)).filter(|size| *size > 0)
    }
}

fn exact(value: i128, ty: Integer) -> Option<Constant> {
    (ty.min()..=ty.max()).contains(&value).then_some(Constant { value, ty })
}

/// Except for shifts and comparisons, both operands already have the operator's type.
fn binary(operator: &str, a: Constant, b: Constant, ty: Integer) -> Option<Constant> {
    let (x, y) = (a.value, b.value);
    let truth = |yes: bool| Some(Constant { value: i128::from(yes), ty });
    let shift = || u32::try_from(y).ok().filter(|y| *y < a.ty.width);
    match operator {
        "+" => Constant::result(x.checked_add(y), ty),
        "-" => Constant::result(x.checked_sub(y), ty),
        "*" => Constant::result(x.checked_mul(y), ty),
        "/" => Constant::result(x.checked_div(y), ty),
        "%" => Constant::result(x.checked_rem(y), ty),
        "&" => Constant::result(Some(x & y), ty),
        "|" => Constant::result(Some(x | y), ty),
        "^" => Constant::result(Some(x ^ y), ty),
        "<<" if x >= 0 => Constant::result(x.checked_mul(1_i128 << shift()?), ty),
        ">>" => Constant::result(Some(x >> shift()?), ty),
        "<" => truth(x < y),
        "<=" => truth(x <= y),
        ">" => truth(x > y),
        ">=" => truth(x >= y),
        "==" => truth(x == y),
        "!=" => truth(x != y),
        "&&" => truth(x != 0 && y != 0),
        "||" => truth(x != 0 || y != 0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Integer = Integer { width: 32, signed: true };
    const UNSIGNED: Integer = Integer { width: 32, signed: false };
    const BYTE: Integer = Integer { width: 8, signed: false };

    #[test]
    fn conversions_are_modulo_the_range() {
        assert_eq!(Constant::converted(258, BYTE).value, 2);
        assert_eq!(Constant::converted(-1, UNSIGNED).value, 4_294_967_295);
        assert_eq!(Constant::converted(4_294_967_295, INT).value, -1);
        assert_eq!(Constant::converted(256, Integer { width: 1, signed: false }).value, 1);
    }

    #[test]
    fn signed_overflow_is_no_value() {
        let (big, one) = (Constant { value: INT.max(), ty: INT }, Constant { value: 1, ty: INT });
        assert_eq!(binary("+", big, one, INT), None);
        let (big, one) = (Constant { value: UNSIGNED.max(), ty: UNSIGNED }, Constant { value: 1, ty: UNSIGNED });
        assert_eq!(binary("+", big, one, UNSIGNED).map(|c| c.value), Some(0));
        assert_eq!(binary("/", one, Constant { value: 0, ty: UNSIGNED }, UNSIGNED), None);
        assert_eq!(binary("<<", one, Constant { value: 32, ty: UNSIGNED }, UNSIGNED), None);
    }
}
