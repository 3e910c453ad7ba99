//! What orders of the instances are known to do.

use super::IslRegion;
use crate::{Refusal, model::Region};
use dvm_isl::{Map, UnionMap};

/// Operations of isl that each further loop may take after a stage's own are used up.
const LOOP_OPERATIONS: u64 = 100_000;

/// True when the iterations of a loop touch nothing in common; when that takes too long, they may. `order` is that of
/// the instances in the loop, up to and with its own counter.
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

/// For each statement and each of its iterators: the original order never goes down.
pub fn increasing(region: &Region, isl_region: &IslRegion) -> Result<Vec<Vec<bool>>, Refusal> {
    let mut all = Vec::new();
    for (statement, sets) in region.statements.iter().zip(&isl_region.statements) {
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
            // Mostly that is so for all values of the iterators, which is quick to see.
            let rises = up.decreasing_at(&everywhere)?.is_empty()?
                || up.intersect(&schedule.lex_lt(&schedule)?.reverse()?)?.is_empty()?;
            own.push(rises);
        }
        all.push(own);
    }
    Ok(all)
}
