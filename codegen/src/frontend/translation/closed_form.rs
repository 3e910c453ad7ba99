//! Values of scalars that loops change by the same amount in each iteration, as functions of the loops' counters.

use super::integer_expression::not_affine;
use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::syntax_kind::SyntaxKind;
use crate::frontend::survey::carried_values::{self, Change};
use crate::frontend::survey::loop_header::{self, LoopHeader};
use crate::frontend::survey::reaching_definitions::Definition;
use crate::frontend::survey::region_builder::{KnownParameter, RegionBuilder};
use crate::frontend::values::affine::{Affine, Cases};
use crate::frontend::values::surrounding_loops::Scope;
use crate::model::{Condition, Parameter, WIDE_LIMIT};
use crate::refusal::Code;
use std::collections::HashSet;
use std::fmt::Write;

impl<'a> RegionBuilder<'a> {
    /// The value that `variable` has where a carried definition reaches; `ended`: after its loop.
    pub fn carried_value(
        &mut self,
        index: usize,
        ended: bool,
        variable: &'a Node,
        at: &Node,
        scope: &Scope,
    ) -> Result<Cases, Refusal> {
        let refuse = || not_affine(at);
        let carried = self.definitions.carried(index).cloned().ok_or_else(refuse)?;
        let header = loop_header::header(self.unit, carried.node)?;
        let before = self.defined(carried.before, variable, at, scope)?;
        let inside = carried_values::counters_inside(self.unit, carried.node);
        let amount = self.total(&carried.changes, variable, &inside, at, scope)?;
        let (times, amount) = if ended {
            (self.iterations(&header, &inside, at, scope)?, amount)
        } else {
            let symbol = scope.symbol(header.counter).ok_or_else(refuse)?.to_owned();
            let first = self.first_value(&header, scope)?;
            let passed = first.single().and_then(|f| Affine::symbol(&symbol).plus(f, -1)).ok_or_else(refuse)?;
            let passed = passed.times(header.step.signum()).ok_or_else(refuse)?;
            // `passed` is a multiple of the step.
            let step = header.step.abs();
            let whole = amount.terms.values().all(|f| f % step == 0) && amount.constant % step == 0;
            if step == 1 {
                (passed, amount)
            } else if whole {
                let terms = amount.terms.into_iter().map(|(atom, factor)| (atom, factor / step)).collect();
                (passed, Affine { terms, constant: amount.constant / step })
            } else {
                return Err(refuse());
            }
        };
        let sum = self.product(&amount, &times, at)?;
        let after = before.combine(&before, |value, _| value.plus(&sum, 1));
        self.arithmetic(after, variable, scope)
    }

    /// The sum of the changes of one iteration.
    fn total(
        &mut self,
        changes: &[Change<'a>],
        variable: &'a Node,
        inside: &HashSet<Id>,
        at: &Node,
        scope: &Scope,
    ) -> Result<Affine, Refusal> {
        let refuse = || not_affine(at);
        let mut sum = Affine::default();
        for change in changes {
            let one = match change {
                Change::Update(update) => {
                    let (amount, sign) = carried_values::amount(update).ok_or_else(refuse)?;
                    let own = self.unit.integer(variable.ty.plain()).filter(|ty| ty.width >= 32).ok_or_else(refuse)?;
                    match amount {
                        None => Affine::constant(sign),
                        Some(amount) => {
                            let other = self.unit.integer(amount.ty.plain()).ok_or_else(refuse)?;
                            // The sum is computed in the variable's own type.
                            if own.signed != other.signed || own.width < other.width.max(32) {
                                return Err(refuse());
                            }
                            let value = self.unvarying(amount, inside, scope).ok_or_else(refuse)?;
                            value.times(sign).ok_or_else(refuse)?
                        }
                    }
                }
                Change::Loop(node, changes) => {
                    let header = loop_header::header(self.unit, node)?;
                    let times = self.iterations(&header, inside, at, scope)?;
                    let amount = self.total(changes, variable, inside, at, scope)?;
                    self.product(&amount, &times, at)?
                }
            };
            sum = sum.plus(&one, 1).ok_or_else(refuse)?;
        }
        Ok(sum)
    }

    /// The number of iterations of a loop whose header has one value in all of them.
    fn iterations(
        &mut self,
        header: &LoopHeader<'a>,
        inside: &HashSet<Id>,
        at: &Node,
        scope: &Scope,
    ) -> Result<Affine, Refusal> {
        let refuse = || not_affine(at);
        let mut test = header.condition;
        while test.is(&SyntaxKind::ParenExpr) {
            test = test.child(0).ok_or_else(refuse)?;
        }
        let [left, right] = test.inner.as_slice() else { return Err(refuse()) };
        let is_counter = |n: &Node| -> bool {
            let mut n = n;
            while matches!(n.kind, SyntaxKind::ParenExpr | SyntaxKind::ImplicitCastExpr) && n.cast != "IntegralCast" {
                let Some(inner) = n.child(0) else { return false };
                n = inner;
            }
            n.variable().is_some_and(|r| r.id == header.counter)
        };
        let (last, operator) = match test.opcode.as_str() {
            operator @ ("<" | "<=" | ">" | ">=") if is_counter(left) => (right, operator),
            "<" if is_counter(right) => (left, ">"),
            "<=" if is_counter(right) => (left, ">="),
            ">" if is_counter(right) => (left, "<"),
            ">=" if is_counter(right) => (left, "<="),
            _ => return Err(refuse()),
        };
        if header.assumed.is_some() || header.step.abs() != 1 || (header.step > 0) != operator.starts_with('<') {
            return Err(refuse());
        }
        let first = if header.entered {
            self.first_value(header, scope)?.single().cloned()
        } else {
            self.unvarying(header.first, inside, scope)
        };
        let first = first.ok_or_else(refuse)?;
        let last = self.unvarying(last, inside, scope).ok_or_else(refuse)?;
        let equal = Affine::constant(i64::from(operator.ends_with('=')));
        let times = last.plus(&first, -1).and_then(|d| d.times(header.step)).and_then(|d| d.plus(&equal, 1));
        let times = times.ok_or_else(refuse)?;
        if !self.require(&times, scope, &[]) {
            return Err(refuse());
        }
        Ok(times)
    }

    /// The value of an expression that no loop of `inside` changes: of numbers, of variables that the region does not
    /// write, and of the other counters in scope.
    pub fn unvarying(&mut self, node: &'a Node, inside: &HashSet<Id>, scope: &Scope) -> Option<Affine> {
        let kept = |n: &Node| {
            n.reference.as_ref().filter(|r| r.kind.is_variable()).is_none_or(|r| {
                let counter = self.variables.is_counter(r.id);
                let around = counter && !inside.contains(&r.id) && scope.symbol(r.id).is_some();
                let outside = !counter
                    && !self.variables.written.contains_key(&r.id)
                    && !self.variables.declared.contains_key(&r.id);
                around || outside
            })
        };
        if !node.walk().all(kept) {
            return None;
        }
        let value = self.value(node, scope).ok()?;
        value.single().filter(|v| !v.has_products()).cloned()
    }

    fn product(&mut self, amount: &Affine, times: &Affine, at: &Node) -> Result<Affine, Refusal> {
        let product = match (amount.as_constant(), times.as_constant()) {
            (Some(factor), _) => times.times(factor),
            (_, Some(factor)) => amount.times(factor),
            _ if !self.allows_products => None,
            _ => self.as_parameter(amount).multiplied(times),
        };
        product.ok_or_else(|| not_affine(at))
    }

    /// A sum of parameters as a parameter of its own, so that it can be the length of a row.
    fn as_parameter(&mut self, sum: &Affine) -> Affine {
        let single = sum.terms.len() == 1 && sum.constant == 0;
        let plain = sum.symbols().iter().all(|s| self.parameters.iter().any(|p| p.parameter.symbol == *s));
        if single || !plain || sum.has_products() {
            return sum.clone();
        }
        let text = self.c_sum(sum);
        let known = self.parameters.iter().find(|p| p.parameter.expression.as_deref() == Some(&text));
        if let Some(known) = known {
            return Affine::symbol(&known.parameter.symbol);
        }
        let symbol = self.fresh("dvm__turns");
        self.ground.ranges.insert(symbol.clone(), (-WIDE_LIMIT, WIDE_LIMIT));
        let parameter = Parameter {
            symbol: symbol.clone(),
            name: symbol.clone(),
            ctype: "dvm__int64".to_owned(),
            global: false,
            expression: Some(text.clone()),
        };
        self.parameters.push(KnownParameter { parameter, variable: 0 });
        let reason = format!("`{sum}` is beyond 2^48");
        self.check_at_entry(Condition::new(reason, format!("{text} > {WIDE_LIMIT}LL || {text} < -{WIDE_LIMIT}LL")));
        Affine::symbol(&symbol)
    }

    /// The C text of a variable's value at the beginning of a statement (`None`: at the region's end), in its type.
    /// `in_tile`: the text stands in a tile, where parameters have names of their own.
    pub fn closed_text(
        &mut self,
        variable: &'a Node,
        definition: Definition<'a>,
        at: &Node,
        scope: &Scope,
        in_tile: bool,
    ) -> Result<String, Refusal> {
        let refuse = || {
            let reason = format!("the value of `{}` here is no sum of counters and unchanging integers", variable.name);
            Refusal::at(Code::UnclearValue, at, reason, "compute it from the loops' counters")
        };
        let before = std::mem::replace(&mut self.allows_products, true);
        let value = self.attempt(|b| b.defined(definition, variable, at, scope));
        self.allows_products = before;
        let value = value?;
        let value = value.single().ok_or_else(refuse)?;
        let mut text = format!("{}ULL", value.constant as u64);
        for (atom, factor) in &value.terms {
            let _ = write!(text, " + {}ULL", *factor as u64);
            for symbol in atom.factors().ok_or_else(refuse)? {
                let counter = scope.dimensions().iter().find(|d| d.symbol == *symbol).map(|d| &d.iterator.name);
                let known = self.parameters.iter().find(|p| p.parameter.symbol == *symbol);
                let name = match (counter, known) {
                    (Some(name), _) => name.clone(),
                    (None, Some(known)) if in_tile => known.parameter.name.clone(),
                    (None, Some(_)) => self.c_value(symbol),
                    (None, None) => return Err(refuse()),
                };
                let _ = write!(text, " * (unsigned long long){name}");
            }
        }
        let ty = self.type_name(variable);
        // C90 has no `long long`: pedantic compilers would say so at the program's own line.
        Ok(format!("({ty})(__extension__({text}))"))
    }
}
