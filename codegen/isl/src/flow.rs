//! Exact dependence analysis: which write each read sees.
#![allow(unsafe_code)]

use crate::{Ctx, Result, UnionMap, raw};

/// A data flow problem: which sources does each sink see, in the order of the schedule?
pub struct FlowProblem<'a> {
    /// The dependent accesses.
    pub sink: &'a UnionMap,
    /// Accesses that hide all earlier ones.
    pub must_source: &'a UnionMap,
    /// Accesses that may happen and hide nothing.
    pub may_source: &'a UnionMap,
    /// The order of execution.
    pub schedule: &'a UnionMap,
}

/// The solution: pairs of a source instance and a sink instance.
pub struct Flow {
    /// Certain dependences.
    pub must: UnionMap,
    /// Possible dependences.
    pub may: UnionMap,
}

impl FlowProblem<'_> {
    /// Computes the dependences.
    pub fn solve(&self) -> Result<Flow> {
        let ctx: &Ctx = self.sink.ctx();
        let (sink, schedule) = (self.sink.unshared()?, self.schedule.unshared()?);
        let (must, may) = (self.must_source.unshared()?, self.may_source.unshared()?);
        // SAFETY: isl takes references made for it and passes null on as failure; the flow is owned here, freed
        // once, and its maps are handed over.
        unsafe {
            let mut access = raw::isl_union_access_info_from_sink(sink.give());
            access = raw::isl_union_access_info_set_must_source(access, must.give());
            access = raw::isl_union_access_info_set_may_source(access, may.give());
            access = raw::isl_union_access_info_set_schedule_map(access, schedule.give());
            let flow = raw::isl_union_access_info_compute_flow(access);
            let must =
                UnionMap::own(ctx, "isl_union_access_info_compute_flow", raw::isl_union_flow_get_must_dependence(flow));
            let may =
                UnionMap::own(ctx, "isl_union_access_info_compute_flow", raw::isl_union_flow_get_may_dependence(flow));
            raw::isl_union_flow_free(flow);
            Ok(Flow { must: must?, may: may? })
        }
    }
}
