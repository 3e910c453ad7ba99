//! Statements that are arithmetic on elements of one type: with vectors in the elements' places, their text means the
//! same for each part of the vectors.

use crate::frontend::clang::ast::{FilePlace, Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::extent::token_end;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::statement_effects::Effects;
use crate::frontend::survey::region_builder::{RawArithmetic, RegionBuilder};
use std::collections::HashMap;

/// The element types, which have vectors.
const ELEMENTS: [&str; 8] =
    ["double", "float", "int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"];

/// The operands found so far.
pub(super) struct Operands<'e> {
    /// The type of all of them.
    pub element: &'static str,
    /// What the nodes name.
    pub effects: &'e Effects,
    /// Scalars that may stand in an element's place.
    pub scalars: &'e HashMap<Id, usize>,
    /// Counters that have one value for all parts of a vector.
    pub counters: &'e [Id],
    /// Bytes of the source, and what is there.
    pub found: Vec<(usize, usize, OperandFound)>,
}

/// What an operand names.
pub(super) enum OperandFound {
    /// The element of a node.
    Element(Id),
    /// A scalar, by number.
    Scalar(usize),
    /// A number of another type.
    Number,
}

/// The element type of a target's type, if it has vectors.
pub(super) fn element_of(target: &Node) -> Option<&'static str> {
    ELEMENTS.iter().find(|element| **element == target.ty.plain()).copied()
}

/// Whether a text is the token of a number without a sign, also in its exponent.
fn is_number_token(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
}

/// Whether a statement assigns, with an operator of arithmetic.
pub(super) fn assigns(statement: &Node, element: &str) -> bool {
    match statement.kind {
        SyntaxKind::BinaryOperator => statement.opcode == "=",
        SyntaxKind::CompoundAssignOperator => {
            matches!(statement.opcode.as_str(), "+=" | "-=" | "*=")
                || (statement.opcode == "/=" && is_floating(element))
        }
        _ => false,
    }
}

fn is_floating(element: &str) -> bool {
    matches!(element, "double" | "float")
}

impl RegionBuilder<'_> {
    /// The statement as arithmetic; its text begins at `begin`. Nothing that this does not know is arithmetic.
    pub(super) fn arithmetic_form(&self, nodes: &[&Node], begin: usize, out: &Effects) -> Option<RawArithmetic> {
        let [statement] = nodes else { return None };
        let [target, value] = statement.inner.as_slice() else { return None };
        let element = element_of(target)?;
        let own = out.starts.is_empty() && out.copies.is_empty() && out.repeated.is_empty();
        if !assigns(statement, element) || !own {
            return None;
        }
        let scalars = HashMap::new();
        let mut operands = Operands { element, effects: out, scalars: &scalars, counters: &[], found: Vec::new() };
        self.element(target, &mut operands)?;
        self.operand(value, &mut operands)?;
        operands.found.sort_by_key(|(first, ..)| *first);
        let place = |at: usize| self.edited_place(begin, at, out);
        let named = |found: &OperandFound| match found {
            OperandFound::Element(node) => out.elements.get(node).cloned(),
            _ => None,
        };
        let moved = operands.found.iter().map(|(first, end, found)| Some((place(*first)?, place(*end)?, named(found))));
        Some(RawArithmetic { element, operands: moved.collect::<Option<_>>()? })
    }

    /// A part of the value, which has the elements' type.
    pub(super) fn operand(&self, node: &Node, operands: &mut Operands) -> Option<()> {
        if ctype::unqualified(node.ty.plain()) != operands.element {
            return None;
        }
        match node.kind {
            SyntaxKind::ParenExpr => self.operand(node.inner.first()?, operands),
            SyntaxKind::UnaryOperator if node.opcode == "-" => self.operand(node.inner.first()?, operands),
            SyntaxKind::BinaryOperator
                if matches!(node.opcode.as_str(), "+" | "-" | "*")
                    || (is_floating(operands.element) && node.opcode == "/") =>
            {
                node.inner.iter().try_for_each(|side| self.operand(side, operands))
            }
            SyntaxKind::FloatingLiteral | SyntaxKind::IntegerLiteral => Some(()),
            SyntaxKind::ImplicitCastExpr if node.cast == "LValueToRValue" => {
                let read = node.inner.first()?;
                match read.variable().and_then(|variable| operands.scalars.get(&variable.id)) {
                    Some(at) => self.note_operand(read, OperandFound::Scalar(*at), operands),
                    None if self.is_number(read) => Some(()),
                    None => self.element(read, operands),
                }
            }
            SyntaxKind::ImplicitCastExpr if node.cast == "IntegralToFloating" => {
                let converted = node.inner.first()?;
                let number = converted.is(&SyntaxKind::IntegerLiteral)
                    || (converted.cast == "LValueToRValue" && {
                        let read = converted.inner.first()?;
                        self.is_number(read) || read.variable().is_some_and(|v| operands.counters.contains(&v.id))
                    });
                if number { self.note_operand(converted, OperandFound::Number, operands) } else { None }
            }
            SyntaxKind::ImplicitCastExpr if matches!(node.cast.as_str(), "IntegralCast" | "FloatingCast") => {
                let converted = node.inner.first()?;
                let literal = matches!(converted.kind, SyntaxKind::IntegerLiteral | SyntaxKind::FloatingLiteral);
                if literal { self.note_operand(converted, OperandFound::Number, operands) } else { None }
            }
            _ => None,
        }
    }

    /// Whether a node names a variable that has one value while the region runs.
    pub(super) fn is_number(&self, node: &Node) -> bool {
        let known = |id| {
            self.values.iter().any(|(value, _)| *value == id)
                || self.parameters.iter().any(|parameter| parameter.variable == id)
        };
        node.variable().is_some_and(|variable| known(variable.id))
    }

    /// An element of an array, written as subscripts of the array's name, or a variable that the model has as an array
    /// without subscripts.
    pub(super) fn element(&self, node: &Node, operands: &mut Operands) -> Option<()> {
        let mut base = node;
        while let SyntaxKind::ArraySubscriptExpr = base.kind {
            base = base.inner.first()?;
            while matches!(base.kind, SyntaxKind::ImplicitCastExpr | SyntaxKind::ParenExpr) {
                base = base.inner.first()?;
            }
        }
        let typed = ctype::unqualified(node.ty.plain()) == operands.element;
        let named = matches!(node.kind, SyntaxKind::ArraySubscriptExpr | SyntaxKind::DeclRefExpr);
        if !typed || !named || base.variable().is_none() {
            return None;
        }
        operands.effects.elements.get(&node.id)?;
        self.note_operand(node, OperandFound::Element(node.id), operands)
    }

    fn note_operand(&self, node: &Node, found: OperandFound, operands: &mut Operands) -> Option<()> {
        let (first, end) = self.plain_place(node)?;
        operands.found.push((first, end, found));
        Some(())
    }

    /// The bytes of a node whose ends are not in macros, but for macros that stand for one number, nor between a
    /// conditional's directives.
    pub(super) fn plain_place(&self, node: &Node) -> Option<(usize, usize)> {
        let plain = |place: &FilePlace| place.known && !place.expanded && !place.made;
        let whole = |place: &FilePlace| plain(place) || (place.known && place.expanded && self.is_one_number(place));
        let (first, end) = (node.begin.offset, token_end(self.source, node));
        let whole = whole(&node.begin) && whole(&node.end) && self.source.torn(first, end).is_none();
        whole.then_some((first, end))
    }

    /// Whether what a macro stands for at a place of the source is one number: `#define ZERO 0.0`, or `F(0.0)` with
    /// `#define F(x) x##f`.
    fn is_one_number(&self, place: &FilePlace) -> bool {
        let end = place.offset + place.length;
        let Some(definition) = self.macros.get(&self.source.text(place.offset, end)) else { return false };
        let Some(function) = definition.strip_prefix('(') else { return is_number_token(definition.trim()) };
        let Some((parameter, body)) = function.split_once(')') else { return false };
        let mut parts = body.split("##").map(str::trim);
        let pasted = parts.next() == Some(parameter.trim())
            && parts
                .next()
                .is_none_or(|suffix| !suffix.is_empty() && suffix.bytes().all(|b| b.is_ascii_alphanumeric()))
            && parts.next().is_none();
        let open = self.source.skip_blank(end);
        let argument = self.source.text(open + 1, self.source.skip_brackets(open).saturating_sub(1));
        pasted && self.source.byte(open) == b'(' && is_number_token(argument.trim())
    }

    /// Where a byte of the source is in the edited text that begins at `begin`; `None` in the middle of an edit.
    pub(super) fn edited_place(&self, begin: usize, at: usize, out: &Effects) -> Option<usize> {
        let edits = self.hoisted.edits.range(begin..).chain(out.edits.range(begin..));
        let torn = |(first, (length, _)): (&usize, &(usize, String))| *first < at && at < first + length;
        (!edits.clone().any(torn)).then(|| self.edited(begin, at, out).len())
    }
}
