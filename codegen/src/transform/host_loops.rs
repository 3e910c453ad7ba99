//! The loops of the calling thread, which run the phases one after the other.

use super::{Plan, phase::place_text};
use crate::{
    Refusal,
    analysis::IslRegion,
    lowered::{HostLoops, TileSymbols, phase_name},
};
use dvm_isl::{AstBuild, Set, UnionMap};

/// The loops around the phases of a plan; `leaving` are the parameters for which a subscript leaves its row.
pub fn host_loops(
    isl_region: &IslRegion,
    plan: &Plan,
    leaving: Option<&Set>,
    symbols: &TileSymbols,
) -> Result<HostLoops, Refusal> {
    isl_region.begin_stage();
    let length = plan.phases.iter().map(|phase| phase.steps.len()).max().unwrap_or(0);
    let mut order = UnionMap::parse(&isl_region.ctx, "{ }")?;
    for (at, phase) in plan.phases.iter().enumerate() {
        let place = UnionMap::parse(&isl_region.ctx, &place_text(phase, length))?;
        let own = place.intersect_domain(&phase.hosts.intersect_domain(&phase.domain)?.range()?.coalesce()?)?;
        for map in own.maps()? {
            order = order.union(&UnionMap::from_map(&map.named_input(&phase_name(at))?)?)?;
        }
    }
    let build = AstBuild::from_context(&isl_region.context)?.with_iterators(&symbols.counters)?;
    let tree = build.scan(&order, &mut |_| Ok(String::new()))?;
    let leaves_row = match leaving {
        Some(leaving) => Some(AstBuild::from_context(&isl_region.context)?.condition(leaving)?),
        None => None,
    };
    Ok(HostLoops { tree, leaves_row })
}
