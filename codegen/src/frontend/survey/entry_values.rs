//! C expressions for values that the region's entry can compute.

use super::entry_loads::{Finder, Text, When, is_real};
use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::integer_literal;
use crate::frontend::clang::syntax_kind::SyntaxKind;

impl<'a> Finder<'a> {
    /// The value of an expression at the entry.
    pub fn value(&mut self, node: &'a Node, when: When) -> Option<Text> {
        let text = |text: String| Some((text.clone(), text));
        if when != When::Always
            && self.is_test(node)
            && let Some(test) = self.test(node)
        {
            return Some(test);
        }
        match node.kind {
            SyntaxKind::IntegerLiteral => text(integer_literal(node)?),
            SyntaxKind::FloatingLiteral if when != When::Always && is_real(node.ty.plain()) => {
                text(format!("(({})({}))", node.ty.plain(), whole_number(node.value.as_ref()?)?))
            }
            SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr => self.value(node.child(0)?, when),
            SyntaxKind::DeclRefExpr => self.named_value(node, when),
            SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => self.cast_value(node, when),
            SyntaxKind::UnaryOperator if matches!(node.opcode.as_str(), "+" | "-" | "~" | "!") => {
                let (text, user) = self.value(node.child(0)?, when)?;
                Some((format!("({}({text}))", node.opcode), format!("{}{user}", node.opcode)))
            }
            SyntaxKind::BinaryOperator => self.binary_value(node, when),
            SyntaxKind::ConditionalOperator if when != When::Always => {
                let (test, _) = self.value(node.child(0)?, when)?;
                let (yes, _) = self.value(node.child(1)?, when)?;
                let (no, _) = self.value(node.child(2)?, when)?;
                Some((format!("({test} ? {yes} : {no})"), String::new()))
            }
            _ => None,
        }
    }

    /// Whether an expression was found to test a pointer.
    fn is_test(&self, node: &Node) -> bool {
        let found = self.found.uses.get(&std::ptr::from_ref(node));
        found.is_some_and(|load| self.found.loads[*load].kind.is_test())
    }

    fn named_value(&mut self, node: &'a Node, when: When) -> Option<Text> {
        let reference = node.reference.as_ref()?;
        if let Some(value) = self.values.get(&reference.id).filter(|_| when == When::First) {
            return Some((value.clone(), reference.name.clone()));
        }
        if reference.kind == SyntaxKind::EnumConstantDecl {
            let text = self.unit.constant(node)?.value.to_string();
            return Some((format!("({text})"), reference.name.clone()));
        }
        let (id, variable) = self.steady(node)?;
        let plain = variable.ty.plain();
        if self.unit.integer(plain).is_none() && (when == When::Always || !is_real(plain)) {
            return None;
        }
        self.found.variables.insert(id);
        Some((variable.name.clone(), variable.name.clone()))
    }

    fn cast_value(&mut self, node: &'a Node, when: When) -> Option<Text> {
        let inner = node.child(0)?;
        match node.cast.as_str() {
            "LValueToRValue" if inner.variable().is_some() => self.value(inner, when),
            "LValueToRValue" => {
                let plain = node.ty.plain();
                if self.unit.integer(plain).is_none() && (when == When::Always || !is_real(plain)) {
                    return None;
                }
                self.load(node)
            }
            "NoOp" | "IntegralCast" | "IntegralToBoolean" => {
                let (text, user) = self.value(inner, when)?;
                let ty = ctype::unqualified(node.ty.plain());
                if ctype::integer(&ty).is_none() && !(node.cast == "NoOp" && is_real(&ty)) {
                    return None;
                }
                Some((format!("(({ty})({text}))"), user))
            }
            _ => None,
        }
    }

    /// Floating-point numbers are compared only.
    fn binary_value(&mut self, node: &'a Node, when: When) -> Option<Text> {
        const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];
        const TESTS: [&str; 9] = ["&&", "||", "/", "%", "<<", ">>", "&", "|", "^"];
        let operator = node.opcode.as_str();
        let (left, right) = (node.child(0)?, node.child(1)?);
        let compared = when != When::Always && COMPARISONS.contains(&operator);
        let known =
            compared || ["+", "-", "*"].contains(&operator) || (when != When::Always && TESTS.contains(&operator));
        if !known || (!compared && [left, right].iter().any(|side| is_real(side.ty.plain()))) {
            return None;
        }
        let (left, left_user) = self.value(left, when)?;
        let (right, right_user) = self.value(right, when)?;
        Some((format!("({left} {operator} {right})"), format!("{left_user} {operator} {right_user}")))
    }
}

/// The text of a floating-point literal that is a small whole number.
fn whole_number(value: &str) -> Option<String> {
    let number: f64 = value.parse().ok()?;
    (number.fract() == 0.0 && number.abs() <= f64::from(1 << 20)).then(|| format!("{number:.1}"))
}
