//! Integer expressions that are constant in the region but not plain names: evaluated once, on entry.

use crate::Refusal;
use crate::frontend::clang::ast::{Node, Unit};
use crate::frontend::clang::ctype;
use crate::frontend::clang::expression_parts::{base_variable, integer_literal};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::affine::Affine;
use crate::frontend::values::surrounding_loops::Scope;
use crate::model::AccessKind;
use crate::planted::planted;

impl<'a> RegionBuilder<'a> {
    /// The parameter for a constant expression; `None` if the expression may change or cannot be evaluated early.
    pub fn capture(&mut self, node: &'a Node, scope: &Scope) -> Result<Option<Affine>, Refusal> {
        let worth = matches!(
            node.bare().kind,
            SyntaxKind::BinaryOperator
                | SyntaxKind::MemberExpr
                | SyntaxKind::ArraySubscriptExpr
                | SyntaxKind::UnaryExprOrTypeTraitExpr
                | SyntaxKind::UnaryOperator
        );
        // Names of a callee mean nothing in the region.
        if !worth || !self.callees.open.is_empty() || self.unit.integer(node.ty.plain()).is_none_or(|i| i.width < 8) {
            return Ok(None);
        }
        // Text that stands elsewhere may be in a loop without iterations.
        let here = self.definitions_open == 0 || planted("a44-early");
        let certain = !scope.uncertain && !scope.conditional && here;
        if !self.unchanging(node, certain) {
            return Ok(None);
        }
        let Some(text) = c_text(self.unit, node) else { return Ok(None) };
        for load in loads(node) {
            let mut place = self.place(load, &Scope::default())?;
            if place.subscripts.is_empty() {
                self.entry_objects.push(place.variable.id);
                continue;
            }
            let array = self.array(&mut place, load, &Scope::default())?;
            self.keep_rows(&array, &place, load, &Scope::default())?;
            let access = Self::access(&array, AccessKind::Read, &place.subscripts, &Scope::default());
            if !self.entry_reads.contains(&access) {
                self.entry_reads.push(access);
            }
        }
        let symbol = self.captured(&text, node);
        Ok(Some(Affine::symbol(&symbol)))
    }

    /// Whether an expression has a single value in the whole region and may be evaluated on entry.
    fn unchanging(&self, node: &Node, certain: bool) -> bool {
        let unchanged = |id| {
            !self.variables.written.contains_key(&id)
                && !self.variables.declared.contains_key(&id)
                && !self.variables.is_counter(id)
        };
        let here = match node.kind {
            SyntaxKind::UnaryExprOrTypeTraitExpr => {
                return node.name == "sizeof"
                    && node.walk().filter_map(|n| n.reference.as_ref()).all(|r| unchanged(r.id));
            }
            SyntaxKind::DeclRefExpr => node.reference.as_ref().is_some_and(|r| {
                let plain = self.unit.declaration(r.id).map_or("", |d| d.ty.plain());
                unchanged(r.id) && r.kind != SyntaxKind::FunctionDecl && !ctype::is_untouchable(plain)
            }),
            SyntaxKind::IntegerLiteral
            | SyntaxKind::CharacterLiteral
            | SyntaxKind::ParenExpr
            | SyntaxKind::ConstantExpr => true,
            SyntaxKind::ImplicitCastExpr => {
                matches!(node.cast.as_str(), "LValueToRValue" | "IntegralCast" | "NoOp" | "ArrayToPointerDecay")
            }
            SyntaxKind::CStyleCastExpr => matches!(node.cast.as_str(), "IntegralCast" | "NoOp"),
            SyntaxKind::UnaryOperator => {
                matches!(node.opcode.as_str(), "+" | "-" | "~") || (node.opcode == "*" && certain)
            }
            SyntaxKind::BinaryOperator => match node.opcode.as_str() {
                "+" | "-" | "*" | "&" | "|" | "^" | "<<" | ">>" => true,
                "/" | "%" => node.inner.get(1).is_some_and(|n| certain || is_nonzero_literal(n)),
                _ => false,
            },
            SyntaxKind::MemberExpr | SyntaxKind::ArraySubscriptExpr => {
                let object = base_variable(node).and_then(|id| self.unit.declaration(id));
                let inside =
                    object.is_some_and(|d| !ctype::is_pointer(d.ty.plain())) && node.is(&SyntaxKind::MemberExpr);
                !ctype::is_untouchable(node.ty.plain()) && (certain || inside)
            }
            _ => false,
        };
        here && node.inner.iter().filter(|n| !n.kind.is_absent()).all(|n| self.unchanging(n, certain))
    }
}

fn is_nonzero_literal(node: &Node) -> bool {
    let bare = node.bare();
    let bare = if bare.is(&SyntaxKind::ImplicitCastExpr) { bare.inner.first().map_or(bare, Node::bare) } else { bare };
    bare.is(&SyntaxKind::IntegerLiteral) && bare.value.as_deref() != Some("0")
}

/// The outermost memory loads of an expression.
fn loads(node: &Node) -> Vec<&Node> {
    match node.kind {
        SyntaxKind::UnaryExprOrTypeTraitExpr => vec![],
        SyntaxKind::MemberExpr | SyntaxKind::ArraySubscriptExpr => vec![node],
        SyntaxKind::UnaryOperator if node.opcode == "*" => vec![node],
        _ => node.inner.iter().flat_map(loads).collect(),
    }
}

/// C text of a simple expression, made from the tree so that macros have no influence.
pub fn c_text(unit: &Unit, node: &Node) -> Option<String> {
    print(unit, node).map(|printed| printed.text)
}

/// A piece of C text.
struct Printed {
    text: String,
    /// No context can split the text: a name, a number, a call, or bracketed text.
    whole: bool,
}

impl Printed {
    fn whole(text: String) -> Printed {
        Printed { text, whole: true }
    }

    /// The text as an operand: in parentheses unless no context can split it. `- -n` without them is `--n`.
    fn operand(&self) -> String {
        let bare = self.whole || planted("a6-text");
        if bare { self.text.clone() } else { format!("({})", self.text) }
    }
}

/// Prints an expression of the tree as C; no other code does.
fn print(unit: &Unit, node: &Node) -> Option<Printed> {
    let child = |k: usize| node.child(k).and_then(|n| print(unit, n));
    let compound = |text: String| Some(Printed { text, whole: false });
    match node.kind {
        SyntaxKind::IntegerLiteral => Some(Printed::whole(integer_literal(node)?)),
        // A character literal becomes its number, which clang prints without a sign.
        SyntaxKind::CharacterLiteral if node.ty.plain() == "int" => compound(unit.constant(node)?.value.to_string()),
        SyntaxKind::DeclRefExpr => Some(Printed::whole(node.reference.as_ref()?.name.clone())),
        SyntaxKind::ParenExpr | SyntaxKind::ConstantExpr | SyntaxKind::ImplicitCastExpr => child(0),
        SyntaxKind::CStyleCastExpr => compound(format!("({}){}", nameable(&node.ty.written)?, child(0)?.operand())),
        SyntaxKind::UnaryOperator => compound(format!("{}{}", node.opcode, child(0)?.operand())),
        SyntaxKind::BinaryOperator => {
            compound(format!("{} {} {}", child(0)?.operand(), node.opcode, child(1)?.operand()))
        }
        SyntaxKind::ArraySubscriptExpr => Some(Printed::whole(format!("{}[{}]", child(0)?.operand(), child(1)?.text))),
        SyntaxKind::MemberExpr => {
            let arrow = if node.arrow { "->" } else { "." };
            Some(Printed::whole(format!("{}{arrow}{}", child(0)?.operand(), node.name)))
        }
        SyntaxKind::UnaryExprOrTypeTraitExpr if node.name == "sizeof" => Some(Printed::whole(match &node.argument {
            Some(ty) => format!("sizeof({})", nameable(&ty.written)?),
            None => format!("sizeof({})", child(0)?.text),
        })),
        _ => None,
    }
}

/// The text of a type if C can spell it; `None` for an unnamed type.
fn nameable(written: &str) -> Option<&str> {
    (!written.contains("(unnamed") && !written.contains("(anonymous")).then_some(written)
}
