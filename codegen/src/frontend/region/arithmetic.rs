//! Statements that are arithmetic on elements of one type: with vectors in the elements' places, their text means the
//! same for each part of the vectors.

use crate::frontend::clang::ast::Node;
use crate::frontend::clang::ctype;
use crate::frontend::clang::extent::token_end;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::statement_effects::Effects;
use crate::frontend::survey::region_builder::{RawAccess, RawArithmetic, RegionBuilder};

/// The element types, which have vectors.
const ELEMENTS: [&str; 8] =
    ["double", "float", "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"];

/// The operands found so far, in bytes of the source.
struct Operands<'e> {
    element: &'static str,
    elements: &'e std::collections::HashMap<u64, RawAccess>,
    found: Vec<(usize, usize, Option<RawAccess>)>,
}

impl RegionBuilder<'_> {
    /// The statement as arithmetic; its text begins at `begin`. Nothing that this does not know is arithmetic.
    pub(super) fn arithmetic_form(&self, nodes: &[&Node], begin: usize, out: &Effects) -> Option<RawArithmetic> {
        let [statement] = nodes else { return None };
        let assigns = match statement.kind {
            SyntaxKind::BinaryOperator => statement.opcode == "=",
            SyntaxKind::CompoundAssignOperator => matches!(statement.opcode.as_str(), "+=" | "-=" | "*="),
            _ => false,
        };
        let [target, value] = statement.inner.as_slice() else { return None };
        let element = *ELEMENTS.iter().find(|element| **element == target.ty.plain())?;
        let own = out.starts.is_empty() && out.copies.is_empty() && out.repeated.is_empty();
        if !assigns || !own {
            return None;
        }
        let mut operands = Operands { element, elements: &out.elements, found: Vec::new() };
        self.element(target, &mut operands)?;
        self.operand(value, &mut operands)?;
        operands.found.sort_by_key(|(first, ..)| *first);
        let place = |at: usize| self.edited_place(begin, at, out);
        let moved = operands.found.into_iter().map(|(first, end, access)| Some((place(first)?, place(end)?, access)));
        Some(RawArithmetic { element, operands: moved.collect::<Option<_>>()? })
    }

    /// A part of the value, which has the elements' type.
    fn operand(&self, node: &Node, operands: &mut Operands) -> Option<()> {
        if ctype::unqualified(node.ty.plain()) != operands.element {
            return None;
        }
        let floating = matches!(operands.element, "double" | "float");
        match node.kind {
            SyntaxKind::ParenExpr => self.operand(node.inner.first()?, operands),
            SyntaxKind::UnaryOperator if node.opcode == "-" => self.operand(node.inner.first()?, operands),
            SyntaxKind::BinaryOperator
                if matches!(node.opcode.as_str(), "+" | "-" | "*") || (floating && node.opcode == "/") =>
            {
                node.inner.iter().try_for_each(|side| self.operand(side, operands))
            }
            SyntaxKind::FloatingLiteral | SyntaxKind::IntegerLiteral => Some(()),
            SyntaxKind::ImplicitCastExpr if node.cast == "LValueToRValue" => {
                let read = node.inner.first()?;
                if self.is_number(read) { Some(()) } else { self.element(read, operands) }
            }
            SyntaxKind::ImplicitCastExpr if node.cast == "IntegralToFloating" => {
                let converted = node.inner.first()?;
                let number = converted.is(&SyntaxKind::IntegerLiteral)
                    || (converted.cast == "LValueToRValue" && self.is_number(converted.inner.first()?));
                let place = self.plain_place(converted).filter(|_| number)?;
                operands.found.push((place.0, place.1, None));
                Some(())
            }
            _ => None,
        }
    }

    /// Whether a node names a variable that has one value while the region runs.
    fn is_number(&self, node: &Node) -> bool {
        let known = |id| {
            self.values.iter().any(|(value, _)| *value == id)
                || self.parameters.iter().any(|parameter| parameter.variable == id)
        };
        node.variable().is_some_and(|variable| known(variable.id))
    }

    /// An element of an array, written as subscripts of the array's name.
    fn element(&self, node: &Node, operands: &mut Operands) -> Option<()> {
        let mut base = node;
        while let SyntaxKind::ArraySubscriptExpr = base.kind {
            base = base.inner.first()?;
            while matches!(base.kind, SyntaxKind::ImplicitCastExpr | SyntaxKind::ParenExpr) {
                base = base.inner.first()?;
            }
        }
        let typed = ctype::unqualified(node.ty.plain()) == operands.element;
        if !typed || !node.is(&SyntaxKind::ArraySubscriptExpr) || base.variable().is_none() {
            return None;
        }
        let (first, end) = self.plain_place(node)?;
        operands.found.push((first, end, Some(operands.elements.get(&node.id)?.clone())));
        Some(())
    }

    /// The bytes of a node whose ends are not in macros.
    fn plain_place(&self, node: &Node) -> Option<(usize, usize)> {
        let plain = |place: &crate::frontend::clang::ast::FilePlace| place.known && !place.expanded && !place.made;
        (plain(&node.begin) && plain(&node.end)).then(|| (node.begin.offset, token_end(self.source, node)))
    }

    /// Where a byte of the source is in the edited text that begins at `begin`; `None` in the middle of an edit.
    fn edited_place(&self, begin: usize, at: usize, out: &Effects) -> Option<usize> {
        let edits = self.hoisted.edits.range(begin..).chain(out.edits.range(begin..));
        let torn = |(first, (length, _)): (&usize, &(usize, String))| *first < at && at < first + length;
        (!edits.clone().any(torn)).then(|| self.edited(begin, at, out).len())
    }
}
