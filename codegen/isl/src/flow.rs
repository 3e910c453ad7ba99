//! Exact dependence analysis: who wrote last what is read.
#![allow(unsafe_code)]

use crate::{Ctx, Result, UnionMap, raw};

/// A question of data flow: which sources does each sink see, in the order of the schedule?
pub struct FlowProblem<'a> {
    /// The accesses that depend on something.
    pub sink: &'a UnionMap,
    /// The accesses that hide all that was there before.
    pub must_source: &'a UnionMap,
    /// The accesses that may have taken place and hide nothing.
    pub may_source: &'a UnionMap,
    /// The order of execution.
    pub schedule: &'a UnionMap,
}

/// The answer: pairs from the source's instance to the sink's.
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
