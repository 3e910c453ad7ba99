//! The loops of the calling thread, which run the phases one after the other.

use super::{Plan, phase::place_text};
use crate::{
    Refusal,
    analysis::IslRegion,
    lowered::{Ends, HostLoops, TileSymbols, phase_name},
};
use dvm_isl::{AstBuild, AstExpr, PwAff, Set, UnionMap};

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
    Ok(HostLoops { tree, leaves_row, work: work(isl_region) })
}

/// The boxes around the statements' instances. A box that takes isl too long is left out: nothing but speed depends on
/// them.
fn work(isl_region: &IslRegion) -> Vec<Vec<Ends>> {
    let mut boxes: Vec<Vec<Ends>> = Vec::new();
    let sets = isl_region.domain.sets().unwrap_or_default();
    for set in &sets {
        isl_region.begin_stage();
        let Ok(ends) = box_of(isl_region, set) else { continue };
        let text = |ends: &[Ends]| ends.iter().map(ToString::to_string).collect::<Vec<_>>();
        if boxes.iter().all(|known| text(known) != text(&ends)) {
            boxes.push(ends);
        }
    }
    boxes
}

/// The least and the greatest value of each iterator.
fn box_of(isl_region: &IslRegion, set: &Set) -> Result<Vec<Ends>, Refusal> {
    let known = &isl_region.context;
    let build = AstBuild::from_context(known)?;
    let end = |value: PwAff| -> Result<AstExpr, Refusal> { Ok(build.expression(&value.coalesce()?.gist(known)?)?) };
    (0..set.dimensions()?).map(|k| Ok(Ends { least: end(set.dim_min(k)?)?, greatest: end(set.dim_max(k)?)? })).collect()
}
