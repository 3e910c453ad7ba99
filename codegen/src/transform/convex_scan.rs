//! Loops over the points of a convex set whose constraints are known.
//!
//! isl's loops are exact at every level, which takes it seconds for a set with the bounds of two tiles as parameters. Here
//! a constraint stands at its innermost coordinate, and coordinates that equalities tell are replaced, not scanned.

use crate::lowered::{ConvexScan, Quotient, ScanLoop, Sum};
use dvm_isl::Constraint;
use std::{collections::BTreeMap, ops::Range};

/// A sum of parameters and coordinates, in the order of the loops, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    parameters: BTreeMap<String, i64>,
    coordinates: Vec<i64>,
    constant: i64,
}

impl Row {
    fn new(constraint: &Constraint, order: &[usize]) -> Option<Row> {
        Some(Row {
            parameters: constraint.parameters.iter().cloned().collect(),
            coordinates: order.iter().map(|at| constraint.coordinates.get(*at).copied()).collect::<Option<_>>()?,
            constant: constraint.constant,
        })
    }

    /// The sum of this row and another one with a factor; nothing if a number is too large.
    fn plus(&self, other: &Row, factor: i64) -> Option<Row> {
        let sum = |own: i64, other: i64| own.checked_add(other.checked_mul(factor)?);
        let mut parameters = self.parameters.clone();
        for (name, value) in &other.parameters {
            let own = parameters.entry(name.clone()).or_default();
            *own = sum(*own, *value)?;
        }
        parameters.retain(|_, value| *value != 0);
        let coordinates = self.coordinates.iter().zip(&other.coordinates).map(|(own, other)| sum(*own, *other));
        Some(Row {
            parameters,
            coordinates: coordinates.collect::<Option<_>>()?,
            constant: sum(self.constant, other.constant)?,
        })
    }

    fn negated(&self) -> Option<Row> {
        let zero = Row { parameters: BTreeMap::new(), coordinates: vec![0; self.coordinates.len()], constant: 0 };
        zero.plus(self, -1)
    }

    fn innermost(&self) -> Option<usize> {
        self.coordinates.iter().rposition(|factor| *factor != 0)
    }

    /// Without a coordinate, by an equality that has it with the factor 1 or -1.
    fn without(&self, at: usize, equality: &Row) -> Option<Row> {
        match self.coordinates[at] {
            0 => Some(self.clone()),
            own => self.plus(equality, own.checked_mul(-equality.coordinates[at])?),
        }
    }

    /// The sum without coordinate `at`, which this row does not have or which stands apart from it.
    fn sum(&self, at: Option<usize>, counters: &[String]) -> Sum {
        let own = self.coordinates.iter().zip(counters).enumerate().filter(|(k, _)| Some(*k) != at);
        let own = own.map(|(_, (factor, name))| (name.clone(), *factor));
        let all = self.parameters.iter().map(|(name, factor)| (name.clone(), *factor)).chain(own);
        Sum { terms: all.filter(|(_, factor)| *factor != 0).collect(), constant: self.constant }
    }
}

/// The loops over the points with these constraints. `order`: which coordinate of the set each loop is for, outermost first;
/// `results`: those that are asked for. `counters`: as many names. Nothing if some coordinate has no bound that only those
/// outside it have, if more than one is left inside of those that are asked for, or if a number is too large.
pub fn convex_scan(
    constraints: &[Constraint],
    order: &[usize],
    results: Range<usize>,
    counters: &[String],
) -> Option<ConvexScan> {
    let rows: Vec<Row> = constraints.iter().map(|row| Row::new(row, order)).collect::<Option<_>>()?;
    let (mut equal, mut least) = (Vec::new(), Vec::new());
    for row in rows {
        match row.negated().and_then(|other| least.iter().position(|known| *known == other)) {
            Some(at) => equal.push(least.swap_remove(at)),
            None => least.push(row),
        }
    }
    let mut values: Vec<Option<Row>> = vec![None; order.len()];
    for at in (0..order.len()).rev() {
        let unit = |row: &Row| row.innermost() == Some(at) && row.coordinates[at].abs() == 1;
        let Some(found) = equal.iter().position(unit) else { continue };
        let value = equal.swap_remove(found);
        for row in equal.iter_mut().chain(&mut least).chain(values.iter_mut().flatten()) {
            *row = row.without(at, &value)?;
        }
        values[at] = Some(if value.coordinates[at] == 1 { value.negated()? } else { value });
    }
    for row in equal {
        least.push(row.negated()?);
        least.push(row);
    }
    let bounds = |at: usize, upper: bool| -> Option<Vec<Quotient>> {
        let own = least.iter().filter(|row| row.innermost() == Some(at) && (row.coordinates[at] < 0) == upper);
        let quotient = |row: &Row| {
            let row = if upper { row.clone() } else { row.negated()? };
            Some(Quotient { sum: row.sum(Some(at), counters), divisor: row.coordinates[at].checked_abs()? })
        };
        let mut all: Vec<Quotient> = own.map(quotient).collect::<Option<_>>()?;
        all.sort_by(|one, other| (&one.sum.terms, one.sum.constant).cmp(&(&other.sum.terms, other.sum.constant)));
        all.dedup();
        (!all.is_empty()).then_some(all)
    };
    let scan_loop = |at: usize| {
        let counter = counters.get(at)?.clone();
        Some(ScanLoop { counter, least: bounds(at, false)?, greatest: bounds(at, true)? })
    };
    let (outer, inner): (Vec<usize>, Vec<usize>) =
        (0..order.len()).filter(|at| values[*at].is_none()).partition(|at| *at < results.end);
    let loops = outer.into_iter().map(scan_loop).collect::<Option<_>>()?;
    let exists = match inner[..] {
        [] => None,
        [at] => Some(scan_loop(at)?),
        _ => return None,
    };
    let guards = least.iter().filter(|row| row.innermost().is_none());
    let guards = guards.filter(|row| !row.parameters.is_empty() || row.constant < 0);
    let guards = guards.map(|row| row.sum(None, counters)).collect();
    let result = |at: usize| match &values[at] {
        Some(value) => value.sum(Some(at), counters),
        None => Sum { terms: vec![(counters[at].clone(), 1)], constant: 0 },
    };
    Some(ConvexScan { guards, loops, exists, results: results.map(result).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, HashMap};
    use testkit::Random;

    const DIMENSIONS: usize = 4;

    fn visit(scan: &ConvexScan, depth: usize, values: &mut HashMap<String, i64>, found: &mut BTreeSet<Vec<i64>>) {
        let of = |values: &HashMap<String, i64>, sum: &Sum| sum.value(&|name| values[name]);
        if depth == 0 && scan.guards.iter().any(|guard| of(values, guard) < 0) {
            return;
        }
        let ends = |own: &ScanLoop, values: &HashMap<String, i64>| {
            let least = own.least.iter().map(|one| -(-of(values, &one.sum)).div_euclid(one.divisor)).max();
            let greatest = own.greatest.iter().map(|one| of(values, &one.sum).div_euclid(one.divisor)).min();
            least.expect("a bound")..=greatest.expect("a bound")
        };
        let Some(own) = scan.loops.get(depth) else {
            if scan.exists.as_ref().is_some_and(|own| ends(own, values).is_empty()) {
                return;
            }
            found.insert(scan.results.iter().map(|sum| of(values, sum)).collect());
            return;
        };
        for value in ends(own, values) {
            values.insert(own.counter.clone(), value);
            visit(scan, depth + 1, values, found);
        }
        values.remove(&own.counter);
    }

    /// A box, and constraints, some of them equalities, that may have each coordinate and the parameter.
    fn constraints(dice: &mut Random) -> Vec<Constraint> {
        let row = |coordinates: Vec<i64>, parameter: i64, constant: i64| Constraint {
            parameters: [("p".to_owned(), parameter)].into_iter().filter(|(_, factor)| *factor != 0).collect(),
            coordinates,
            constant,
        };
        let mut all = Vec::new();
        for k in 0..DIMENSIONS {
            for (sign, constant) in [(1, dice.below(4) as i64), (-1, dice.below(4) as i64)] {
                all.push(row((0..DIMENSIONS).map(|at| if at == k { sign } else { 0 }).collect(), 0, constant));
            }
        }
        for _ in 0..dice.below(5) {
            let mut number = |most: i64| dice.below(2 * most as usize + 1) as i64 - most;
            let coordinates: Vec<i64> = (0..DIMENSIONS).map(|_| number(2)).collect();
            let (parameter, constant) = (number(1), number(3));
            if dice.below(2) == 0 {
                all.push(row(coordinates.iter().map(|factor| -factor).collect(), -parameter, -constant));
            }
            all.push(row(coordinates, parameter, constant));
        }
        all
    }

    #[test]
    fn loops_visit_the_points_of_the_set() {
        let counters: Vec<String> = (0..DIMENSIONS).map(|k| format!("x{k}")).collect();
        let (mut some, mut replaced, mut existing) = (0, 0, 0);
        for mut dice in testkit::seeds(2000).map(Random::new) {
            let constraints = constraints(&mut dice);
            let mut order: Vec<usize> = (0..DIMENSIONS).collect();
            (0..DIMENSIONS).for_each(|k| order.swap(k, k + dice.below(DIMENSIONS - k)));
            let parameter = dice.below(5) as i64 - 2;
            let mut expected = BTreeSet::new();
            for number in 0..7_i64.pow(DIMENSIONS as u32) {
                let point: Vec<i64> = (0..DIMENSIONS as u32).map(|k| number / 7_i64.pow(k) % 7 - 3).collect();
                let holds = |row: &Constraint| {
                    let own: i64 = row.coordinates.iter().zip(&point).map(|(factor, value)| factor * value).sum();
                    own + row.parameters.iter().map(|(_, factor)| factor * parameter).sum::<i64>() + row.constant >= 0
                };
                if constraints.iter().all(holds) {
                    expected.insert(order.iter().map(|at| point[*at]).collect::<Vec<i64>>());
                }
            }
            let scan = convex_scan(&constraints, &order, 0..DIMENSIONS, &counters).expect("a box has bounds");
            let mut found = BTreeSet::new();
            visit(&scan, 0, &mut HashMap::from([("p".to_owned(), parameter)]), &mut found);
            assert_eq!(found, expected, "{constraints:?} in the order {order:?}, p = {parameter}: {scan}");
            let asked = dice.below(DIMENSIONS);
            if let Some(scan) = convex_scan(&constraints, &order, 0..asked, &counters) {
                let expected: BTreeSet<Vec<i64>> = expected.iter().map(|point| point[..asked].to_vec()).collect();
                let mut found = BTreeSet::new();
                visit(&scan, 0, &mut HashMap::from([("p".to_owned(), parameter)]), &mut found);
                assert_eq!(
                    found, expected,
                    "{asked} of {constraints:?} in the order {order:?}, p = {parameter}: {scan}"
                );
                existing += usize::from(scan.exists.is_some() && !expected.is_empty());
            }
            some += usize::from(!expected.is_empty());
            replaced += usize::from(scan.loops.len() < DIMENSIONS);
        }
        assert!(some > 500 && replaced > 200, "{some} sets with points, {replaced} with fewer loops");
        assert!(existing > 200, "{existing} with a coordinate that needs any value");
    }

    #[test]
    fn a_coordinate_without_a_bound_of_its_own_has_no_loops() {
        // 0 <= x + y <= 3
        let row = |sign: i64, constant| Constraint { parameters: Vec::new(), coordinates: vec![sign, sign], constant };
        assert_eq!(convex_scan(&[row(1, 0), row(-1, 3)], &[0, 1], 0..2, &["x".to_owned(), "y".to_owned()]), None);
    }
}
