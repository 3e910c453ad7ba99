//! Where the text of a node ends in the source.

use super::ast::Node;
use super::syntax_kind::SyntaxKind;
use crate::source::Source;

/// The offset after the last token of a node; after a macro's arguments if that token is a macro with arguments.
pub fn token_end(source: &Source, node: &Node) -> usize {
    let end = node.end.offset + node.end.length;
    if node.end.expanded {
        let open = source.skip_blank(end);
        if source.byte(open) == b'(' {
            return source.skip_brackets(open);
        }
    }
    end
}

/// The offset after a statement, including its `;` if it has one.
pub fn statement_end(source: &Source, node: &Node) -> usize {
    let end = token_end(source, node);
    let braced = source.byte(end.saturating_sub(1)) == b'}' && node.kind.is_statement();
    let next = source.skip_blank(end);
    let closed = source.byte(end.saturating_sub(1)) == b';';
    if !braced && !closed && source.byte(next) == b';' { next + 1 } else { end }
}

/// Whether a statement ends with a `;` that is no part of its node.
pub fn wants_semicolon(node: &Node) -> bool {
    match node.kind {
        SyntaxKind::CompoundStmt | SyntaxKind::DeclStmt | SyntaxKind::NullStmt => false,
        SyntaxKind::ForStmt
        | SyntaxKind::IfStmt
        | SyntaxKind::WhileStmt
        | SyntaxKind::SwitchStmt
        | SyntaxKind::LabelStmt
        | SyntaxKind::CaseStmt
        | SyntaxKind::DefaultStmt
        | SyntaxKind::AttributedStmt => node.inner.last().is_none_or(wants_semicolon),
        _ => true,
    }
}
