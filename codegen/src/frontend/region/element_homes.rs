//! Scalars that the element of an array can stand for: `w = a[i][j]; for (k ...) w -= ...; a[i][j] = w;`.
//!
//! A scalar keeps the statements that it passes a value to together, as one statement of the model, in which no loop is
//! tiled. If its last value goes into an element that nothing else of these statements touches meanwhile, the element can
//! hold the earlier values, too. Each of the statements is then one of the model. (The inverse of scalar replacement:
//! Carr and Kennedy, "Scalar replacement in the presence of conditional control flow", 1994.)

use super::arithmetic::element_of;
use super::chain::is_scalar;
use super::model_assembly::tuple;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::expression_parts::write_target;
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::effects::statement_effects::Effects;
use crate::frontend::survey::region_builder::{PossibleHome, RawAccess, RegionBuilder};
use crate::frontend::survey::scalar_homes::ScalarHome;
use crate::frontend::text::preprocess::Macros;
use crate::frontend::values::surrounding_loops::Scope;
use crate::planted::planted;
use dvm_isl::{Ctx, Map, Set};
use std::collections::{HashMap, HashSet};

/// Maximum of isl's operations for the proofs of a region.
const OPERATIONS: u64 = 100_000;

impl<'a> RegionBuilder<'a> {
    /// Notes the element that can stand for a scalar, if there is one; `nodes` would be the next statement.
    pub fn note_home(&mut self, nodes: &[&'a Node], scope: &Scope) {
        if self.reductions.is_empty() && self.independent.is_none() && keeps_precision(self.macros) {
            let home = self.home(nodes, scope);
            self.homes.extend(home);
        }
    }

    fn home(&mut self, nodes: &[&'a Node], scope: &Scope) -> Option<PossibleHome> {
        let [first, middle @ .., last] = nodes else { return None };
        let (scalar, initial) = assignment(first)?;
        let (element, value) = assignment(last)?;
        let id = scalar.variable().filter(|_| scalar.is(&SyntaxKind::DeclRefExpr))?.id;
        let ty = element_of(element)?;
        let fits = self.private.contains(&id) && is_scalar(self.unit.declaration(id)?, ty);
        if !fits || !is_plain_element(element) || !nodes.iter().flat_map(|node| node.walk()).all(is_known) {
            return None;
        }
        // Only the scalar, the element and counters of loops inside are written, and the element is one and the same.
        let named: HashSet<Id> = element.walk().filter_map(|n| n.reference.as_ref()).map(|r| r.id).collect();
        for target in nodes.iter().flat_map(|node| node.walk()).filter_map(write_target) {
            let own = std::ptr::eq(target, element);
            let variable = target.variable().filter(|_| target.is(&SyntaxKind::DeclRefExpr)).map(|r| r.id);
            let other = variable.is_some_and(|v| v == id || (self.variables.is_counter(v) && !named.contains(&v)));
            if !own && !other {
                return None;
            }
        }
        let mut names = HashMap::new();
        for node in nodes.iter().flat_map(|node| node.walk()) {
            if node.reference.as_ref().is_some_and(|r| r.id == id) {
                let (begin, end) = self.plain_place(node).filter(|_| node.is(&SyntaxKind::DeclRefExpr))?;
                names.insert(node.id, (begin, end));
            }
        }
        let (begin, end) = self.plain_place(element)?;
        let text = self.source.text(begin, end);
        let of_element = |node: &Node| {
            let place = self.plain_place(node);
            place.is_some_and(|(begin, end)| self.source.text(begin, end) == text)
        };
        let mut copies = HashSet::new();
        copies.extend(of_element(initial.bare()).then_some(first.id).filter(|_| converts_nothing(initial)));
        let whole = value.bare().variable().is_some_and(|v| v.id == id) && converts_nothing(value);
        copies.extend(whole.then_some(last.id));
        if text.contains('\n') {
            return None;
        }
        let inside = Scope { split: Some(scope.loops.len()), ..scope.clone() };
        let (mut own, mut rest) = (Effects::default(), Effects::default());
        self.effects(last, &inside, &mut own).ok()?;
        middle.iter().try_for_each(|node| self.effects(node, &inside, &mut rest)).ok()?;
        self.effects(value, &inside, &mut rest).ok()?;
        let access = own.elements.get(&element.id)?.clone();
        let others = rest.accesses.into_iter().filter(|other| other.array == access.array).collect();
        let statement = self.statements.len();
        let home = ScalarHome { node: element.clone(), text, names, copies };
        Some(PossibleHome { home, statement, element: access, others })
    }

    /// The homes whose elements nothing else touches while they hold the scalars' values.
    pub fn proven_homes(&mut self) -> Vec<ScalarHome> {
        let homes = std::mem::take(&mut self.homes);
        let ctx = Ctx::new(OPERATIONS);
        let proven = homes.into_iter().filter(|possible| self.is_apart(&ctx, possible).unwrap_or(false));
        proven.map(|possible| possible.home).collect()
    }

    fn is_apart(&self, ctx: &Ctx, home: &PossibleHome) -> dvm_isl::Result<bool> {
        // A chain of which all loops are even runs as blocks itself.
        let Some(raw) = self.statements.get(home.statement) else { return Ok(false) };
        if raw.chain.as_ref().is_some_and(|chain| chain.uneven.is_empty()) {
            return Ok(false);
        }
        let (space, tuple) = (self.space(), tuple("S", raw));
        let domain = if raw.scope.domain.is_true() { String::new() } else { format!(" : {}", raw.scope.domain.text()) };
        let domain = Set::parse(ctx, &format!("{space}{{ {tuple}{domain} }}"))?;
        let domain = domain.intersect_params(&Set::parse(ctx, &self.context())?)?;
        let relation = |access: &RawAccess| Map::parse(ctx, &format!("{space}{{ {tuple} -> {} }}", access.image));
        let element = relation(&home.element)?.intersect_domain(&domain)?;
        for other in home.others.iter().filter(|_| !planted("a35-home")) {
            if !relation(other)?.intersect(&element)?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The target and the value of a plain assignment.
fn assignment(node: &Node) -> Option<(&Node, &Node)> {
    match node.inner.as_slice() {
        [target, value] if node.is(&SyntaxKind::BinaryOperator) && node.opcode == "=" => Some((target, value)),
        _ => None,
    }
}

/// Whether a value is loaded as it is.
fn converts_nothing(value: &Node) -> bool {
    match value.kind {
        SyntaxKind::ImplicitCastExpr => value.cast == "LValueToRValue",
        SyntaxKind::ParenExpr => value.inner.first().is_some_and(converts_nothing),
        _ => false,
    }
}

/// Whether an element is subscripts of an array's or a pointer's name, by sums and products of integer variables.
fn is_plain_element(node: &Node) -> bool {
    let [base, index] = node.inner.as_slice() else { return false };
    let subscript = |n: &Node| match n.kind {
        SyntaxKind::DeclRefExpr => n.variable().is_some(),
        SyntaxKind::IntegerLiteral | SyntaxKind::ParenExpr => true,
        SyntaxKind::BinaryOperator => matches!(n.opcode.as_str(), "+" | "-" | "*"),
        SyntaxKind::ImplicitCastExpr => matches!(n.cast.as_str(), "LValueToRValue" | "IntegralCast"),
        _ => false,
    };
    let base = match (base.kind.clone(), base.cast.as_str(), base.inner.as_slice()) {
        (SyntaxKind::ImplicitCastExpr, "ArrayToPointerDecay", [inner]) => {
            inner.is(&SyntaxKind::DeclRefExpr) || (inner.is(&SyntaxKind::ArraySubscriptExpr) && is_plain_element(inner))
        }
        (SyntaxKind::ImplicitCastExpr, "LValueToRValue", [inner]) => inner.is(&SyntaxKind::DeclRefExpr),
        _ => false,
    };
    base && index.walk().all(subscript)
}

/// Whether a part of the statements is one that this knows: loops and assignments of arithmetic.
fn is_known(node: &Node) -> bool {
    match node.kind {
        SyntaxKind::CompoundStmt
        | SyntaxKind::ForStmt
        | SyntaxKind::NullStmt
        | SyntaxKind::DeclRefExpr
        | SyntaxKind::ParenExpr
        | SyntaxKind::ArraySubscriptExpr
        | SyntaxKind::IntegerLiteral
        | SyntaxKind::FloatingLiteral
        | SyntaxKind::BinaryOperator
        | SyntaxKind::CompoundAssignOperator => true,
        SyntaxKind::UnaryOperator => matches!(node.opcode.as_str(), "-" | "+" | "++" | "--"),
        SyntaxKind::ImplicitCastExpr => matches!(
            node.cast.as_str(),
            "LValueToRValue" | "ArrayToPointerDecay" | "IntegralCast" | "IntegralToFloating" | "FloatingCast"
        ),
        _ => node.kind.is_absent(),
    }
}

/// Whether a value in memory is the one in a register: no more digits stay in registers.
fn keeps_precision(macros: &Macros) -> bool {
    ["__SSE2_MATH__", "__aarch64__"].iter().any(|name| macros.contains_key(*name))
}
