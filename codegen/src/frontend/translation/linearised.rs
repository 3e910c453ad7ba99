//! Subscripts with products, `a[i * n + j]`: recovers the shape of the array, and the subscripts in that shape.
//!
//! The region is read twice if it has such subscripts: the first time gathers them, and the second time knows the
//! shapes, since all accesses of an array need the same one.

use super::integer_expression::COMPUTABLE;
use super::lvalue::{Lvalue, TO_POINTER};
use crate::Refusal;
use crate::frontend::clang::ast::{Id, Node};
use crate::frontend::clang::ctype::Integer;
use crate::frontend::survey::linear_accesses::{LinearAccess, Linearised};
use crate::frontend::survey::region_builder::{KnownParameter, ParameterOfShape, RegionBuilder};
use crate::frontend::values::affine::{Affine, Atom, Cases};
use crate::frontend::values::shape::{Monomial, SHORTEST_ROW, Shape};
use crate::frontend::values::surrounding_loops::{Proof, Scope};
use crate::model::{Condition, Parameter, WIDE_LIMIT};
use crate::refusal::Code;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

impl<'a> RegionBuilder<'a> {
    /// The value of an integer expression, which may have products of counters and parameters.
    pub fn polynomial(&mut self, node: &'a Node, scope: &Scope) -> Result<Cases, Refusal> {
        let before = std::mem::replace(&mut self.allows_products, true);
        let value = self.attempt(|b| b.value(node, scope));
        self.allows_products = before;
        value
    }

    /// Whether a variable is known to be a linearised array.
    pub fn is_linearised(&self, variable: Id) -> bool {
        self.linearised.shapes.contains_key(&variable)
    }

    /// The product of two values; sums of parameters become parameters of their own.
    pub fn multiplied(
        &mut self,
        (left, a): (&'a Node, &Cases),
        (right, b): (&'a Node, &Cases),
        scope: &Scope,
    ) -> Result<Option<Cases>, Refusal> {
        let (Some(a), Some(b)) = (a.single(), b.single()) else { return Ok(None) };
        let (a, b) = (self.as_factor(left, a, scope)?, self.as_factor(right, b, scope)?);
        Ok(a.multiplied(&b).map(Cases::one))
    }

    fn as_factor(&mut self, node: &'a Node, value: &Affine, scope: &Scope) -> Result<Affine, Refusal> {
        let counters = value.symbols().iter().any(|s| scope.loops.iter().any(|l| &l.symbol == s));
        let plain = value.terms.is_empty() || (value.terms.len() == 1 && value.constant == 0);
        if counters || plain || value.has_products() {
            return Ok(value.clone());
        }
        let captured = self.attempt(|b| b.capture(node, scope))?;
        if let Some(Atom::Symbol(symbol)) = captured.as_ref().and_then(|c| c.terms.keys().next()) {
            self.sums.insert(symbol.clone(), value.clone());
        }
        Ok(captured.unwrap_or_else(|| value.clone()))
    }

    /// A subscript without products, of which those of parameters become parameters of their own: `[k * m + j]`, where
    /// the plane `k` is the same in the whole region. Planes beside each other keep their distance, because sums are
    /// multiplied out. `None` if a counter is a factor.
    fn settled(&mut self, subscript: &Affine, scope: &Scope) -> Option<Affine> {
        if !subscript.has_products() {
            return Some(subscript.clone());
        }
        let is_counter = |s: &String| scope.loops.iter().any(|l| &l.symbol == s);
        let mut sum = Affine::constant(subscript.constant);
        for (atom, factor) in &subscript.terms {
            let one = || Some(Affine { terms: [(atom.clone(), 1)].into(), constant: 0 });
            let product = match atom.factors() {
                Some(symbols) if !symbols.iter().any(is_counter) => {
                    let known = |s: &String| self.sums.get(s).cloned().unwrap_or_else(|| Affine::symbol(s));
                    symbols.iter().try_fold(Affine::constant(1), |all, s| all.multiplied(&known(s))).or_else(one)
                }
                _ => one(),
            };
            sum = sum.plus(&product?, *factor)?;
        }
        let mut settled = Affine::constant(sum.constant);
        for (atom, factor) in &sum.terms {
            let part = match atom {
                Atom::Product(symbols) if symbols.iter().any(is_counter) => return None,
                Atom::Product(symbols) => self.length(&Monomial::product(1, symbols.clone())),
                _ => Affine { terms: [(atom.clone(), 1)].into(), constant: 0 },
            };
            settled = settled.plus(&part, *factor)?;
        }
        Some(settled)
    }

    /// Gives an access of a linearised array the subscripts of the array's shape.
    pub fn delinearise(&mut self, place: &mut Lvalue<'a>, at: &'a Node, scope: &Scope) -> Result<(), Refusal> {
        let products = place.subscripts.iter().any(|s| s.0.iter().any(|(_, value)| value.has_products()));
        if place.subscripts.len() != 1 {
            return if products {
                Err(no_shape(at, "a subscript of an array of rank 2 or more is a product"))
            } else {
                Ok(())
            };
        }
        let id = place.variable.id;
        let Some(shape) = self.linearised.shapes.get(&id).cloned() else {
            let value = place.subscripts[0].clone();
            if value.is_unknown() {
                return Ok(());
            }
            self.linearised.seen.entry(id).or_default().push(LinearAccess { node: at, value, scope: scope.clone() });
            place.subscripts[0].0.iter_mut().for_each(|(_, value)| *value = value.without_products());
            return Ok(());
        };
        let mut lengths = Vec::new();
        for length in &shape.lengths {
            lengths.push(self.length(length));
        }
        let mut all: Vec<Cases> = vec![Cases(vec![]); lengths.len() + 1];
        for (condition, value) in &place.subscripts[0].0 {
            let parts = shape.parts(value).unwrap_or_default();
            let settled: Option<Vec<Affine>> = parts.iter().map(|part| self.settled(part, scope)).collect();
            let mut subscripts = settled.filter(|s| !s.is_empty()).ok_or_else(|| {
                let reason = format!("the subscripts of `{}` do not have one shape in the region", place.variable.name);
                no_shape(at, &reason)
            })?;
            for k in (0..lengths.len()).rev() {
                self.carry(&mut subscripts, k, &lengths[k], shape.begins[k], scope, &condition.facts);
            }
            for (cases, subscript) in all.iter_mut().zip(subscripts) {
                cases.0.push((condition.clone(), subscript));
            }
        }
        let element = place.types.last().cloned().flatten();
        place.types = vec![None; all.len()];
        place.types.push(element);
        place.subscripts = all;
        place.rows = Some(lengths.into_iter().zip(shape.begins).collect());
        Ok(())
    }

    /// Moves whole rows from subscript `k + 1` to subscript `k` if that keeps it in its row: in `a[i * n + n - 1 - j]`
    /// the division gives `[i + 1][-1 - j]`.
    fn carry(&self, subscripts: &mut [Affine], k: usize, length: &Affine, begin: i64, scope: &Scope, facts: &[Affine]) {
        let points = |proof: Proof| match proof {
            Proof::Proved => 2,
            Proof::Assuming(_) => 1,
            Proof::Unknown => 0,
        };
        let moved = |rows: i64| {
            let inner = subscripts[k + 1].plus(length, rows)?;
            let outer = subscripts[k].plus(&Affine::constant(rows), -1)?;
            let [low, high] = self.in_row(&inner, length, begin, scope, facts);
            Some((points(low) + points(high), outer, inner))
        };
        let mut best = moved(0);
        for other in [1, -1, 2, -2].into_iter().map(moved) {
            if other.as_ref().map(|o| o.0) > best.as_ref().map(|b| b.0) {
                best = other;
            }
        }
        if let Some((_, outer, inner)) = best {
            (subscripts[k], subscripts[k + 1]) = (outer, inner);
        }
    }

    /// Whether a subscript is not before its row, and not after it.
    fn in_row(&self, inner: &Affine, length: &Affine, begin: i64, scope: &Scope, facts: &[Affine]) -> [Proof; 2] {
        let low = inner.plus(&Affine::constant(begin), -1);
        let high = length.plus(inner, -1).and_then(|h| h.plus(&Affine::constant(begin - 1), 1));
        [low, high].map(|side| match (side, length.as_constant()) {
            // Parameters may be as large as the row is long.
            (Some(side), Some(_)) => self.ground.prove_assuming(&side, scope, facts, SHORTEST_ROW),
            (Some(side), None) => self.ground.prove(&side, scope, facts),
            (None, _) => Proof::Unknown,
        })
    }

    /// The shape in rows of constant length of an array that is written, where only the sizes tell whether subscripts
    /// stay in their rows: `a[260 * i + j]` with `j < n`. Without it, the dependences would be those of rows of any
    /// length, and tiles along `520 * i + j` the only ones. Where the rows are proven, they are exact anyway.
    fn constant_rows(&self, id: Id, accesses: &[LinearAccess<'a>]) -> Option<Shape> {
        self.arrays.iter().find(|array| array.variable == id && array.written)?;
        let values = accesses.iter().flat_map(|a| a.value.0.iter().map(|(_, v)| v));
        let is_counter = |name: &str| accesses.iter().any(|a| a.scope.loops.iter().any(|l| l.symbol == name));
        let has_counter = |value: &Affine| value.symbols().iter().any(|s| is_counter(s));
        let shapes = Shape::of_constants(values.clone(), is_counter);
        shapes.into_iter().find_map(|mut shape| {
            let mut divided = values.clone().filter_map(|value| shape.divide(value));
            if !divided.any(|subscripts| subscripts.iter().filter(|s| has_counter(s)).count() > 1) {
                return None;
            }
            for k in 0..shape.begins.len() {
                shape.begins[k] = self.begin(&shape, k, accesses);
            }
            self.might_hold(&shape, accesses).then_some(shape)
        })
    }

    /// Whether all subscripts stay in rows of constant length, if some sums of parameters are at least 0; false also if
    /// they do so for all parameters.
    fn might_hold(&self, shape: &Shape, accesses: &[LinearAccess<'a>]) -> bool {
        let mut assumed: Vec<Affine> = Vec::new();
        for access in accesses {
            for (condition, value) in &access.value.0 {
                let Some(mut subscripts) = shape.divide(value) else { return false };
                for k in (0..shape.lengths.len()).rev() {
                    let (length, begin) = (Affine::constant(shape.lengths[k].factor), shape.begins[k]);
                    self.carry(&mut subscripts, k, &length, begin, &access.scope, &condition.facts);
                    for side in self.in_row(&subscripts[k + 1], &length, begin, &access.scope, &condition.facts) {
                        match side {
                            Proof::Proved => {}
                            Proof::Assuming(sum) => assumed.push(sum),
                            Proof::Unknown => return false,
                        }
                    }
                }
            }
        }
        let exclude = |one: &Affine, other: &Affine| {
            one.plus(other, 1).and_then(|sum| sum.as_constant()).is_some_and(|sum| sum < 0)
        };
        let contradict = assumed.iter().any(|one| assumed.iter().any(|other| exclude(one, other)));
        !assumed.is_empty() && !contradict
    }

    /// A dimension's length as an affine value; a product or quotient of parameters becomes a parameter of its own.
    fn length(&mut self, length: &Monomial) -> Affine {
        if length.symbols.len() < 2 && length.over.is_empty() {
            return Affine::product(length.symbols.clone()).times(length.factor).unwrap_or_default();
        }
        let (mut text, by) = (self.c_product(&length.symbols), self.c_product(&length.over));
        let mut fails = None;
        if !length.over.is_empty() {
            let (one, other) = (format!("(long long){text}"), format!("(long long){by}"));
            text = format!("({other} > 0 ? {one} / {other} : 0)");
            let (many, few) = (length.symbols.join(" * "), length.over.join(" * "));
            let reason = format!("the distance of {many} elements is no multiple of the one of {few}");
            fails =
                Some(Condition::new(reason, format!("{other} <= 0 || {one} > {WIDE_LIMIT}LL || {one} % {other} != 0")));
        }
        let known = self.parameters.iter().find(|p| p.parameter.expression.as_deref() == Some(&text));
        let symbol = if let Some(known) = known {
            known.parameter.symbol.clone()
        } else {
            let symbol = self.fresh(&format!("dvm__of_{}", [&length.symbols[..], &length.over[..]].concat().join("_")));
            self.ground.ranges.insert(symbol.clone(), (-WIDE_LIMIT, WIDE_LIMIT));
            let parameter = Parameter {
                symbol: symbol.clone(),
                name: symbol.clone(),
                ctype: "dvm__int64".to_owned(),
                global: false,
                expression: Some(text.clone()),
            };
            self.parameters.push(KnownParameter { parameter, variable: 0 });
            let reason = format!("a distance of {} elements is longer than 2^48", length.symbols.join(" * "));
            self.check_at_entry(Condition::new(reason, format!("{text} > {WIDE_LIMIT}LL || {text} < -{WIDE_LIMIT}LL")));
            symbol
        };
        if let Some(condition) = fails {
            self.check_at_entry(condition);
        }
        Affine::symbol(&symbol).times(length.factor).unwrap_or_default()
    }

    /// The C text of a product of parameters, which becomes the limit where it is too large.
    fn c_product(&self, symbols: &[String]) -> String {
        let Some((first, others)) = symbols.split_first() else { return "1".to_owned() };
        others.iter().fold(self.c_value(first), |all, symbol| format!("dvm__product({all}, {})", self.c_value(symbol)))
    }

    /// The C text of a parameter in the enclosing function.
    pub fn c_value(&self, symbol: &str) -> String {
        let known = self.parameters.iter().find(|p| p.parameter.symbol == symbol);
        known.map_or(symbol.to_owned(), |k| {
            k.parameter.expression.as_ref().map_or_else(|| k.parameter.name.clone(), |e| format!("({e})"))
        })
    }

    /// The C text of a sum of parameters, computed in 64 bits.
    pub fn c_sum(&self, sum: &Affine) -> String {
        let mut text = format!("{}LL", sum.constant);
        for (atom, factor) in &sum.terms {
            let Atom::Symbol(symbol) = atom else { continue };
            let _ = write!(text, " + {factor}LL * (long long){}", self.c_value(symbol));
        }
        text
    }

    /// The C text of a dimension's length.
    pub fn c_length(&self, length: &Affine) -> String {
        let mut text = String::new();
        for (atom, factor) in &length.terms {
            let Atom::Symbol(symbol) = atom else { continue };
            let value = self.c_value(symbol);
            text = if *factor == 1 { value } else { format!("{factor} * {value}") };
        }
        if text.is_empty() { length.constant.to_string() } else { text }
    }

    /// The shapes that the subscripts of the first reading tell; empty if no array is linearised.
    pub fn recovered_shapes(&self) -> Result<Linearised<'a>, Refusal> {
        let mut shapes = HashMap::new();
        let mut seen: Vec<_> = self.linearised.seen.iter().collect();
        seen.sort_by_key(|(_, accesses)| accesses.first().map(|a| a.node.begin.offset));
        for (id, accesses) in seen {
            let values = accesses.iter().flat_map(|a| a.value.0.iter().map(|(_, v)| v));
            let Some(first) = accesses.iter().find(|a| a.value.0.iter().any(|(_, v)| v.has_products())) else {
                shapes.extend(self.constant_rows(*id, accesses).map(|shape| (*id, shape)));
                continue;
            };
            let around = |a: &LinearAccess, name: &str| a.scope.loops.iter().position(|l| l.symbol == name);
            let depth = |name: &str| accesses.iter().find_map(|a| around(a, name));
            let mut shape = Shape::of(values, depth).map_err(|why| {
                let name = self.unit.declaration(*id).map_or("", |d| &d.name);
                no_shape(first.node, &format!("`{name}` has no recognisable shape: {why}"))
            })?;
            for k in 0..shape.begins.len() {
                shape.begins[k] = self.begin(&shape, k, accesses);
            }
            shapes.insert(*id, shape);
        }
        Ok(Linearised { seen: HashMap::new(), shapes })
    }

    /// The parameters that shapes name.
    pub fn parameters_of_shapes(&self, linearised: &Linearised<'a>) -> Vec<ParameterOfShape> {
        let names: BTreeSet<&str> = linearised.shapes.values().flat_map(Shape::symbols).collect();
        let named = self.parameters.iter().filter(|known| names.contains(known.parameter.symbol.as_str()));
        named
            .map(|known| {
                let range = self.ground.ranges.get(&known.parameter.symbol).copied();
                ParameterOfShape { known: known.clone(), range }
            })
            .collect()
    }

    /// 1 if subscripts along this dimension are known to be at least 1, and none is known to reach 0.
    fn begin(&self, shape: &Shape, k: usize, accesses: &[LinearAccess]) -> i64 {
        let mut begin = 0;
        for access in accesses {
            for (condition, value) in &access.value.0 {
                let Some(subscripts) = shape.divide(value) else { continue };
                let proved = |value: Option<Affine>| {
                    value.is_some_and(|v| self.ground.prove(&v, &access.scope, &condition.facts) == Proof::Proved)
                };
                let above = subscripts[k + 1].plus(&Affine::constant(1), -1);
                if proved(above) {
                    begin = 1;
                } else if proved(Some(subscripts[k + 1].clone())) {
                    return 0;
                }
            }
        }
        begin
    }

    /// Has it checked at entry that a value with products fits an unsigned type; false if that cannot be told. `low`:
    /// the value might be negative.
    pub fn fits_unsigned(&mut self, value: &Affine, ty: Integer, low: bool, scope: &Scope, facts: &[Affine]) -> bool {
        // By the parameters that they are multiplied with: sums of counters.
        let mut groups: BTreeMap<Vec<String>, Affine> = BTreeMap::from([(vec![], Affine::constant(value.constant))]);
        for (atom, factor) in &value.terms {
            let Some(symbols) = atom.factors() else { return false };
            let is_counter = |s: &String| scope.loops.iter().any(|l| &l.symbol == s);
            let (counters, rest): (Vec<String>, Vec<String>) = symbols.iter().cloned().partition(is_counter);
            let sum = groups.entry(rest).or_default();
            let Some(more) = sum.plus(&Affine::product(counters), *factor) else { return false };
            *sum = more;
        }
        let mut terms = Vec::new();
        for (symbols, sum) in &groups {
            let positive = symbols.iter().all(|s| self.require(&Affine::symbol(s), scope, facts));
            if !positive || sum.has_products() || (low && !self.require(sum, scope, facts)) {
                return false;
            }
            let Some(most) = self.greatest(sum, scope, facts) else { return false };
            let product = |all: String, s: &String| format!("dvm__product({all}, {})", self.c_value(s));
            terms.push(symbols.iter().fold(most, product));
        }
        let most = terms.into_iter().reduce(|a, b| format!("dvm__sum({a}, {b})")).unwrap_or_default();
        let limit = COMPUTABLE.min(i64::try_from(ty.max()).unwrap_or(COMPUTABLE));
        let reason = "a subscript may wrap around".to_owned();
        self.check_at_entry(Condition::new(reason, format!("{most} > {limit}LL")));
        true
    }

    /// An upper bound of a value, as a C expression over parameters.
    fn greatest(&mut self, value: &Affine, scope: &Scope, facts: &[Affine]) -> Option<String> {
        let unknown = "dvm__greatest";
        self.ground.ranges.insert(unknown.to_owned(), (-WIDE_LIMIT, WIDE_LIMIT));
        let difference = Affine::symbol(unknown).plus(value, -1);
        let proof = difference.map(|d| self.ground.prove(&d, scope, facts));
        self.ground.ranges.remove(unknown);
        let Some(Proof::Assuming(least)) = proof else { return None };
        let bound = Affine::symbol(unknown).plus(&least, -1)?;
        (!bound.symbols().contains(unknown)).then(|| self.c_sum(&bound))
    }
}

/// The refusal of subscripts that no shape explains.
fn no_shape(at: &Node, reason: &str) -> Refusal {
    Refusal::at(Code::NoShape, at, reason, TO_POINTER)
}
