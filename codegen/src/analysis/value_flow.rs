//! Value-based flow: for each element that is read, the instance whose value is there.
//!
//! Two instances of our own stand around the region: one writes every element before it, the other reads afterwards
//! what the region wrote. Flow from the former is what has to be there at the start, flow to the latter is what the
//! region leaves behind. A possible write counts as a read and a write: whoever takes the element over then has the right
//! value, whether it was written or not.

use super::IslRegion;
use crate::refusal::Code;
use crate::{Refusal, model::Region};
use dvm_isl::{FlowProblem, Map, UnionMap, UnionSet};

/// The instance before the region.
const BEFORE: &str = "dvm__before";
/// The instance after the region.
const AFTER: &str = "dvm__after";

/// The flow of a region's values, each map `[writer -> reader] -> element`.
pub struct ValueFlow {
    /// Between instances of the region.
    pub inside: UnionMap,
    /// From before the region: reads that no write of the region comes before. The writer is one point.
    pub entering: UnionMap,
    /// To after the region: writes that no later write replaces. The reader is one point.
    pub leaving: UnionMap,
}

impl ValueFlow {
    /// Computes the flow of a region; refuses one whose flow is not known exactly.
    pub fn of(region: &Region, isl_region: &IslRegion) -> Result<ValueFlow, Refusal> {
        known(region)?;
        isl_region.begin_stage();
        let reads = isl_region.reads.union(&isl_region.may_writes)?.coalesce()?;
        let writes = isl_region.writes.union(&isl_region.may_writes)?.coalesce()?;
        let point = |name: &str| UnionSet::parse(&isl_region.ctx, &format!("{{ {name}[] }}"));
        let (before, after) = (point(BEFORE)?, point(AFTER)?);
        let touched = reads.range()?.union(&writes.range()?)?.coalesce()?;
        let flow = FlowProblem {
            sink: &reads.union(&after.pairs(&writes.range()?.coalesce()?)?)?,
            must_source: &writes.union(&before.pairs(&touched)?)?,
            may_source: &UnionMap::parse(&isl_region.ctx, "{ }")?,
            schedule: &surrounded(&isl_region.schedule)?,
        };
        let elements = flow.elements()?;
        let inside = elements.intersect_domain(&isl_region.domain)?.uncurry()?;
        let leaves = isl_region.domain.pairs(&after)?.wrap()?;
        let leaving = inside.intersect_domain(&leaves)?;
        let entering = elements.intersect_domain(&before)?.uncurry()?;
        let enters = before.pairs(&isl_region.domain)?.wrap()?;
        Ok(ValueFlow {
            inside: inside.subtract(&leaving)?.coalesce()?,
            entering: entering.intersect_domain(&enters)?.coalesce()?,
            leaving: leaving.coalesce()?,
        })
    }

    /// The convex pieces of some flow.
    pub fn pieces(flow: &UnionMap) -> Result<Vec<Map>, Refusal> {
        let mut all = Vec::new();
        for map in flow.maps()? {
            all.extend(map.convex()?);
        }
        Ok(all)
    }
}

/// The original order with the instances around the region.
fn surrounded(schedule: &UnionMap) -> dvm_isl::Result<UnionMap> {
    let length = schedule.maps()?.first().map_or(Ok(0), Map::outputs)?;
    let places: Vec<String> = (0..length).map(|k| format!("p{k}")).collect();
    let places = places.join(", ");
    let separator = if length > 0 { ", " } else { "" };
    let within = format!("{{ [{places}] -> [0{separator}{places}] }}");
    let within = UnionMap::parse(schedule.context(), &within)?;
    let zeros = format!("{separator}{}", vec!["0"; length].join(", "));
    let around = format!("{{ {BEFORE}[] -> [-1{zeros}]; {AFTER}[] -> [1{zeros}] }}");
    schedule.apply_range(&within)?.union(&UnionMap::parse(schedule.context(), &around)?)
}

/// Refuses what hides which value a read sees.
fn known(region: &Region) -> Result<(), Refusal> {
    let refused = |reason: String, remedy: &str| Err(Refusal::new(Code::FlowUnknown, reason, remedy));
    if region.statements.iter().any(|statement| statement.independent.is_some()) {
        let reason = "the pragma declares iterations independent, so which value a read sees is not known";
        return refused(reason.to_owned(), "leave `independent` out if the loops show that themselves");
    }
    if !region.reductions.is_empty() {
        let reason = "a reduction combines the values of all tiles";
        return refused(reason.to_owned(), "reduce in a region of its own, which runs in one process");
    }
    for array in &region.arrays {
        let name = region.said(&array.name);
        if let Some((reason, remedy)) = &array.scattered {
            return refused(format!("which elements of `{name}` are touched is not known: {reason}"), remedy);
        }
        if array.tables > 0 {
            let reason = format!("the rows of `{name}` are found through pointers, which mean nothing elsewhere");
            return refused(reason, "use an array whose rows follow each other");
        }
    }
    Ok(())
}
