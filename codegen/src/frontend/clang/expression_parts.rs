//! Parts of expressions by their role: assigned lvalue, variable at the root of an lvalue, called function.

use super::ast::{Id, Node};
use super::ctype;
use super::syntax_kind::SyntaxKind;

/// The lvalue that an assignment, `++` or `--` changes.
pub fn write_target(node: &Node) -> Option<&Node> {
    let assigns = match node.kind {
        SyntaxKind::BinaryOperator => node.opcode == "=",
        SyntaxKind::CompoundAssignOperator => true,
        SyntaxKind::UnaryOperator => node.opcode == "++" || node.opcode == "--",
        _ => false,
    };
    if assigns { node.inner.first() } else { None }
}

/// The C text of an integer literal: the number in its own type, whatever the source's spelling.
pub fn integer_literal(node: &Node) -> Option<String> {
    let suffix = match node.ty.plain() {
        "int" => "",
        "unsigned int" => "u",
        "long" => "l",
        "unsigned long" => "ul",
        "long long" => "ll",
        "unsigned long long" => "ull",
        _ => return None,
    };
    Some(format!("{}{suffix}", node.value.as_ref()?))
}

/// The variable at the root of an lvalue: `a` of `a[i].x` and of `(&a[1])[i]`; `None` for other expressions.
pub fn base_variable(node: &Node) -> Option<Id> {
    if let Some(reference) = node.variable() {
        return Some(reference.id);
    }
    match node.kind {
        SyntaxKind::ArraySubscriptExpr | SyntaxKind::BinaryOperator => {
            let address = |n: &&Node| ctype::is_pointer(n.ty.plain()) || ctype::is_array(n.ty.plain());
            node.inner.iter().find(address).and_then(base_variable)
        }
        SyntaxKind::ParenExpr | SyntaxKind::MemberExpr | SyntaxKind::ImplicitCastExpr | SyntaxKind::CStyleCastExpr => {
            node.inner.iter().find_map(base_variable)
        }
        SyntaxKind::UnaryOperator if matches!(node.opcode.as_str(), "*" | "&") => {
            node.inner.iter().find_map(base_variable)
        }
        _ => None,
    }
}

/// The name of a directly called function.
pub fn callee(call: &Node) -> Option<&str> {
    let mut node = call.inner.first()?;
    while matches!(node.kind, SyntaxKind::ImplicitCastExpr | SyntaxKind::ParenExpr) {
        node = node.inner.first()?;
    }
    node.reference
        .as_ref()
        .filter(|r| node.is(&SyntaxKind::DeclRefExpr) && r.kind == SyntaxKind::FunctionDecl)
        .map(|r| r.name.as_str())
}
