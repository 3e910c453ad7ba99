//! Properties of orders of the instances: independent iterations, increasing iterators.

use super::IslRegion;
use crate::{Refusal, model::Region};
use dvm_isl::{Map, UnionMap};

/// Operations of isl for each further loop after a stage has used up its own.
const LOOP_OPERATIONS: u64 = 100_000;

/// Whether the iterations of a loop touch nothing in common; false if the answer takes too long. `order` orders the
/// instances in the loop, up to the loop's own counter.
pub fn independent(dependences: &UnionMap, order: &UnionMap) -> dvm_isl::Result<bool> {
    match independence(dependences, order) {
        Err(error) if error.is_quota() => {
            order.context().allow_operations(LOOP_OPERATIONS);
            Ok(false)
        }
        answer => answer,
    }
}

fn independence(dependences: &UnionMap, order: &UnionMap) -> dvm_isl::Result<bool> {
    let pairs = dependences.apply_domain(order)?.apply_range(order)?;
    for pair in pairs.maps()? {
        let length = pair.outputs()?;
        let outer: Vec<String> = (0..length - 1).map(|k| format!("e{k}")).collect();
        let outer = outer.join(", ") + if length > 1 { ", " } else { "" };
        let carried = Map::parse(pair.context(), &format!("{{ [{outer}x] -> [{outer}y] : x != y }}"))?;
        if !pair.intersect(&carried)?.is_empty()? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// For each statement and each of its iterators: at equal outer iterators, the original order never decreases it.
pub fn increasing(region: &Region, isl_region: &IslRegion) -> Result<Vec<Vec<bool>>, Refusal> {
    let mut all: Vec<Vec<bool>> = Vec::new();
    let mut sets = isl_region.statements.iter();
    for (statement, count) in region.statements.iter().zip(&isl_region.groups) {
        if *count == 0 {
            // The loops of a group are the same for all.
            all.push(all.last().cloned().unwrap_or_default());
            continue;
        }
        let Some(sets) = sets.next() else { break };
        let count = statement.iterators.len();
        let mut own = Vec::new();
        let schedule = UnionMap::from_map(&sets.schedule)?;
        let everywhere = UnionMap::from_map(&sets.everywhere)?.functions()?;
        for k in 0..count {
            let names = |side: &str| (0..count).map(|at| format!("{side}{at}")).collect::<Vec<_>>().join(", ");
            let equal: String = (0..k).map(|at| format!("x{at} = y{at} and ")).collect();
            let name = sets.domain.name().unwrap_or_default();
            let up = format!("{{ {name}[{}] -> {name}[{}] : {equal}x{k} < y{k} }}", names("x"), names("y"));
            let up = UnionMap::parse(&isl_region.ctx, &up)?;
            // The test over all values of the iterators is quick, and mostly decides.
            let rises = up.decreasing_at(&everywhere)?.is_empty()?
                || up.intersect(&schedule.lex_lt(&schedule)?.reverse()?)?.is_empty()?;
            own.push(rises);
        }
        all.push(own);
    }
    Ok(all)
}
