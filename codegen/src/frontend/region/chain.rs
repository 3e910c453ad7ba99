//! Statements that are assignments of arithmetic in loops: what a scalar carries from one to the next keeps them together.

use super::arithmetic::{OperandFound, Operands, assigns, element_of};
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::statement_effects::Effects;
use crate::frontend::survey::loop_header;
use crate::frontend::survey::region_builder::RegionBuilder;
use crate::frontend::values::surrounding_loops::Scope;
use crate::model::{Chain, ChainStep, Named, Operand};
use std::collections::HashMap;

/// What a chain may consist of, while it is gathered.
struct Gathered<'g> {
    element: &'static str,
    effects: &'g Effects,
    scope: &'g Scope,
    /// Where the text begins in the source.
    begin: usize,
    scalars: HashMap<Id, usize>,
    /// Counters of the loops of the text, and those that the text does not declare.
    counters: Vec<Id>,
    undeclared: Vec<Id>,
    uneven: Vec<usize>,
    steps: Vec<ChainStep>,
}

impl RegionBuilder<'_> {
    /// The statement as a chain; its text begins at `begin`. Nothing that this does not know is part of a chain.
    pub(super) fn chain_form(&self, nodes: &[&Node], begin: usize, out: &Effects, scope: &Scope) -> Option<Chain> {
        let loops = nodes.iter().flat_map(|node| node.walk()).any(|node| node.is(&SyntaxKind::ForStmt));
        let mut targets = nodes.iter().flat_map(|node| node.walk()).filter(|node| {
            matches!(node.kind, SyntaxKind::BinaryOperator | SyntaxKind::CompoundAssignOperator)
                && node.inner.first().is_some_and(|target| target.is(&SyntaxKind::ArraySubscriptExpr))
                && assigns(node, "")
        });
        let element = element_of(targets.next()?.inner.first()?)?;
        if !loops || !out.starts.is_empty() || !out.repeated.is_empty() {
            return None;
        }
        let mut gathered = Gathered {
            element,
            effects: out,
            scope,
            begin,
            scalars: HashMap::new(),
            counters: Vec::new(),
            undeclared: Vec::new(),
            uneven: Vec::new(),
            steps: Vec::new(),
        };
        for id in &out.copies {
            let copy = self.unit.declaration(*id)?;
            if is_scalar(copy, element) {
                let number = gathered.scalars.len();
                gathered.scalars.insert(*id, number);
            }
        }
        nodes.iter().try_for_each(|node| self.chain_part(node, &mut gathered))?;
        // Blocks declare the iterators beside the assignments: nothing of the text may have their names.
        let hides = |id: &Id| {
            let name = self.unit.declaration(*id).map(|own| &own.name);
            scope.dimensions().iter().any(|dimension| Some(&dimension.iterator.name) == name)
        };
        if gathered.counters.iter().chain(gathered.scalars.keys()).any(hides) {
            return None;
        }
        let counters = &gathered.undeclared;
        if out.copies.iter().any(|id| !gathered.scalars.contains_key(id) && !counters.contains(id)) {
            return None;
        }
        let mut declared = Vec::new();
        for id in counters {
            let counter = self.unit.declaration(*id)?;
            declared.push(format!("{} {};", self.type_name(counter), counter.name));
        }
        Some(Chain {
            element: element.to_owned(),
            scalars: gathered.scalars.len(),
            counters: declared.join(" "),
            uneven: gathered.uneven,
            steps: gathered.steps,
        })
    }

    fn chain_part(&self, node: &Node, gathered: &mut Gathered) -> Option<()> {
        match node.kind {
            SyntaxKind::NullStmt => Some(()),
            SyntaxKind::CompoundStmt => node.inner.iter().try_for_each(|part| self.chain_part(part, gathered)),
            SyntaxKind::ForStmt => self.chain_loop(node, gathered),
            SyntaxKind::DeclStmt => self.chain_declaration(node, gathered),
            SyntaxKind::BinaryOperator | SyntaxKind::CompoundAssignOperator if assigns(node, gathered.element) => {
                let [target, value] = node.inner.as_slice() else { return None };
                let place = self.plain_place(node)?;
                let scalar = target.variable().and_then(|variable| gathered.scalars.get(&variable.id).copied());
                let target = if let Some(at) = scalar {
                    Operand { place: self.chain_place(place, gathered)?, named: Named::Scalar(at) }
                } else {
                    self.chain_operands(gathered, |own, all| own.element(target, all))?.pop()?
                };
                self.chain_step(place, &node.opcode, target, Some(value), gathered)
            }
            _ => None,
        }
    }

    /// A loop whose header names nothing but numbers and counters: these are the same for all that runs together.
    fn chain_loop(&self, node: &Node, gathered: &mut Gathered) -> Option<()> {
        let header = loop_header::header(self.unit, node).ok()?;
        let plain = header.beside_first.is_empty() && header.beside_step.is_empty() && header.assumed.is_none();
        if !plain || header.entered {
            return None;
        }
        for part in header.first.walk().chain(header.condition.walk()) {
            match part.kind {
                SyntaxKind::IntegerLiteral | SyntaxKind::ParenExpr => {}
                SyntaxKind::ImplicitCastExpr if matches!(part.cast.as_str(), "LValueToRValue" | "IntegralCast") => {}
                SyntaxKind::BinaryOperator
                    if matches!(part.opcode.as_str(), "+" | "-" | "*" | "<" | "<=" | ">" | ">=" | "!=") => {}
                SyntaxKind::UnaryOperator if part.opcode == "-" => {}
                SyntaxKind::DeclRefExpr => {
                    let variable = part.variable()?;
                    let dimensions = gathered.scope.dimensions();
                    let around = dimensions.iter().position(|dimension| dimension.counter == variable.id);
                    if let Some(at) = around {
                        gathered.uneven.push(at);
                    } else if variable.id != header.counter
                        && !gathered.counters.contains(&variable.id)
                        && !self.is_number(part)
                    {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        gathered.uneven.sort_unstable();
        gathered.uneven.dedup();
        gathered.counters.push(header.counter);
        if !header.declared && !gathered.undeclared.contains(&header.counter) {
            gathered.undeclared.push(header.counter);
        }
        self.chain_part(header.body, gathered)
    }

    fn chain_declaration(&self, node: &Node, gathered: &mut Gathered) -> Option<()> {
        let mut begin = self.plain_place(node)?.0;
        for variable in &node.inner {
            if !variable.is(&SyntaxKind::VarDecl) || !is_scalar(variable, gathered.element) {
                return None;
            }
            let initial = variable.inner.first();
            if variable.inner.len() > 1 || initial.is_some() != variable.initialised {
                return None;
            }
            let end = self.plain_place(variable)?.1;
            let number = gathered.scalars.len();
            let place = (begin, end);
            let target = Operand { place: self.chain_place(place, gathered)?, named: Named::Scalar(number) };
            // The value does not name the variable: that has none yet.
            self.chain_step(place, if initial.is_some() { "=" } else { "" }, target, initial, gathered)?;
            gathered.scalars.insert(variable.id, number);
            begin = end;
        }
        Some(())
    }

    fn chain_step(
        &self,
        place: (usize, usize),
        operator: &str,
        target: Operand,
        value: Option<&Node>,
        gathered: &mut Gathered,
    ) -> Option<()> {
        let place = self.chain_place(place, gathered)?;
        let (value, operands) = match value {
            Some(value) => {
                let bytes = self.chain_place(self.plain_place(value)?, gathered)?;
                (bytes, self.chain_operands(gathered, |own, all| own.operand(value, all))?)
            }
            None => ((place.1, place.1), Vec::new()),
        };
        gathered.steps.push(ChainStep { place, operator: operator.to_owned(), target, value, operands });
        Some(())
    }

    /// What a part of the text names, in its order.
    fn chain_operands(
        &self,
        gathered: &Gathered,
        find: impl FnOnce(&Self, &mut Operands) -> Option<()>,
    ) -> Option<Vec<Operand>> {
        let Gathered { element, effects, scalars, counters, .. } = gathered;
        let mut operands = Operands { element, effects, scalars, counters, found: Vec::new() };
        find(self, &mut operands)?;
        operands.found.sort_by_key(|(first, ..)| *first);
        let operand = |(first, end, found): (usize, usize, OperandFound)| {
            let named = match found {
                OperandFound::Element(node) => Named::Element(effects.strides.get(&node)?.clone()),
                OperandFound::Scalar(at) => Named::Scalar(at),
                OperandFound::Number => Named::Number,
            };
            Some(Operand { place: self.chain_place((first, end), gathered)?, named })
        };
        operands.found.into_iter().map(operand).collect()
    }

    fn chain_place(&self, (first, end): (usize, usize), gathered: &Gathered) -> Option<(usize, usize)> {
        let place = |at| self.edited_place(gathered.begin, at, gathered.effects);
        Some((place(first)?, place(end)?))
    }
}

/// Whether a variable is a plain scalar of the element type.
pub(super) fn is_scalar(variable: &Node, element: &str) -> bool {
    ctype::unqualified(variable.ty.plain()) == element
        && !ctype::is_untouchable(variable.ty.plain())
        && matches!(variable.storage.as_str(), "" | "auto" | "register")
}
