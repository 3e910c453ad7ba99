//! Names that the text of a type contains but clang's tree does not show: lengths, `typeof`, `__func__` in a `sizeof`.
//! In the tiles, before the function, such a name would mean something else, or nothing.

use crate::Refusal;
use crate::c_tokens::{for_each_identifier, identifiers};
use crate::frontend::clang::ast::{Node, Type};
use crate::frontend::clang::ctype;
use crate::frontend::clang::extent::token_end;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::text::preprocess::Macros;
use crate::refusal::Code;
use std::collections::BTreeSet;

/// Operands of `sizeof` whose names the tree shows.
const OPERANDS: [SyntaxKind; 14] = [
    SyntaxKind::DeclRefExpr,
    SyntaxKind::MemberExpr,
    SyntaxKind::ArraySubscriptExpr,
    SyntaxKind::ParenExpr,
    SyntaxKind::ConstantExpr,
    SyntaxKind::ImplicitCastExpr,
    SyntaxKind::CStyleCastExpr,
    SyntaxKind::UnaryOperator,
    SyntaxKind::BinaryOperator,
    SyntaxKind::ConditionalOperator,
    SyntaxKind::IntegerLiteral,
    SyntaxKind::FloatingLiteral,
    SyntaxKind::CharacterLiteral,
    SyntaxKind::UnaryExprOrTypeTraitExpr,
];

impl RegionBuilder<'_> {
    /// Refuses types spelled with names of the function: `char v[N]` where `N` is its own enumerator.
    pub fn check_type_text(&self, node: &Node) -> Result<(), Refusal> {
        let spoken = matches!(
            node.kind,
            SyntaxKind::CStyleCastExpr | SyntaxKind::UnaryExprOrTypeTraitExpr | SyntaxKind::VarDecl
        );
        let types = [Some(&node.ty), node.argument.as_ref()];
        let has = |test: &dyn Fn(&Type) -> bool| spoken && types.into_iter().flatten().any(test);
        if has(&|t| self.is_local_type(&t.written)) {
            let reason = format!(
                "the type `{}` is declared inside the function, or leads to what is",
                node.argument.as_ref().unwrap_or(&node.ty).written
            );
            return Err(Refusal::at(Code::LocalName, node, reason, "declare the type at file scope"));
        }
        // Another check refuses a computed size.
        let computed = node.argument.as_ref().is_some_and(|t| ctype::varies(&t.written));
        if computed || !has(&|t| t.written.contains('[')) {
            return Ok(());
        }
        let own = if node.is(&SyntaxKind::VarDecl) { node.name.as_str() } else { "" };
        let end = self.end_of_type(node);
        let text = self.source.text(self.declarator(node, end), end);
        let mut words = Vec::new();
        for_each_identifier(&text, |word| words.push(word.to_owned()));
        // The declared name is no part of its type: other blocks may declare it as well.
        if let Some(at) = words.iter().position(|word| word == own) {
            words.remove(at);
        }
        let again = |name: &str| self.variables.names.get(name).is_some_and(|count| *count > usize::from(name == own));
        match reached(words, self.macros).into_iter().find(|name| again(name)) {
            None => Ok(()),
            Some(name) => {
                let reason = format!("`{name}`, which the function declares, stands in a type of a statement");
                Err(Refusal::at(
                    Code::LocalName,
                    node,
                    reason,
                    "declare the type at file scope, or give the length as a number",
                ))
            }
        }
    }

    /// The start of one variable's own declarator: after the comma in `double t[2], u[3]`.
    fn declarator(&self, node: &Node, end: usize) -> usize {
        let (mut at, mut begin) = (node.begin.offset, node.begin.offset);
        while node.is(&SyntaxKind::VarDecl) && at < end {
            at = match self.source.byte(at) {
                b'(' | b'[' | b'{' => self.source.skip_brackets(at),
                _ => self.source.skip_token(at),
            };
            if self.source.byte(at - 1) == b',' {
                begin = at;
            }
            at = self.source.skip_blank(at);
        }
        begin.min(end)
    }

    /// The end of the text of a node's type: before the converted value, or the initialiser.
    fn end_of_type(&self, node: &Node) -> usize {
        let end = token_end(self.source, node);
        let value = node.inner.iter().find(|n| !n.kind.is_absent() && !n.kind.is_attribute());
        let value = value.filter(|_| node.is(&SyntaxKind::CStyleCastExpr) || node.initialised);
        value.map(|n| n.begin.offset).filter(|at| node.begin.offset < *at && *at < end).unwrap_or(end)
    }

    /// Refuses operands of `sizeof` and `alignof` that differ in a tile, or that the tree does not show.
    pub fn check_operand(&self, node: &Node) -> Result<(), Refusal> {
        let refuse = |at: &Node, reason: &str| Err(Refusal::at(Code::Size, at, reason, "compute it before the region"));
        if node.argument.as_ref().is_some_and(|ty| ctype::varies(&ty.written)) {
            return refuse(node, "the size of a type is taken whose length is computed");
        }
        let Some(operand) = node.child(0).filter(|_| node.argument.is_none()) else { return Ok(()) };
        if node.name != "sizeof" {
            return refuse(node, "the alignment of an object is taken");
        }
        if ctype::varies(&operand.ty.written) || ctype::varies(operand.ty.plain()) {
            return refuse(node, "the size of an object is taken whose length is computed");
        }
        match operand.walk().find(|n| !n.kind.is_absent() && !OPERANDS.contains(&n.kind)) {
            Some(strange) if strange.is(&SyntaxKind::StringLiteral) => Ok(()),
            Some(strange) => refuse(strange, "the size of such an operand may differ before the function"),
            None => operand.walk().try_for_each(|n| self.check_type_text(n)),
        }
    }
}

/// Words of a text, and those that its macros lead to.
fn reached(words: Vec<String>, macros: &Macros) -> BTreeSet<String> {
    let mut reached: BTreeSet<String> = words.iter().cloned().collect();
    let mut ahead = words;
    while let Some(name) = ahead.pop() {
        let Some(body) = macros.get(&name) else { continue };
        ahead.extend(identifiers(body).into_iter().filter(|word| reached.insert(word.clone())));
    }
    reached
}
