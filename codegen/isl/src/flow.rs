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
        self.solved(|ctx, flow| {
            // SAFETY: the flow is live and only looked at; what comes back is handed over.
            unsafe {
                let must = raw::isl_union_flow_get_must_dependence(flow);
                let must = UnionMap::own(ctx, "isl_union_access_info_compute_flow", must);
                let may = raw::isl_union_flow_get_may_dependence(flow);
                let may = UnionMap::own(ctx, "isl_union_access_info_compute_flow", may);
                Ok(Flow { must: must?, may: may? })
            }
        })
    }

    /// Computes the certain dependences with the elements that cause them: `source -> [sink -> element]`.
    pub fn elements(&self) -> Result<UnionMap> {
        self.solved(|ctx, flow| {
            // SAFETY: the flow is live and only looked at; what comes back is handed over.
            unsafe {
                let full = raw::isl_union_flow_get_full_must_dependence(flow);
                UnionMap::own(ctx, "isl_union_flow_get_full_must_dependence", full)
            }
        })
    }

    /// Computes the flow, and lets `read` take from it what is wanted; the flow may be null.
    fn solved<T>(&self, read: impl FnOnce(&Ctx, *mut raw::isl_union_flow) -> Result<T>) -> Result<T> {
        let ctx: &Ctx = self.sink.ctx();
        let (sink, schedule) = (self.sink.unshared()?, self.schedule.unshared()?);
        let (must, may) = (self.must_source.unshared()?, self.may_source.unshared()?);
        // SAFETY: isl takes references made for it and passes null on as failure; the flow is owned here and freed
        // once.
        unsafe {
            let mut access = raw::isl_union_access_info_from_sink(sink.give());
            access = raw::isl_union_access_info_set_must_source(access, must.give());
            access = raw::isl_union_access_info_set_may_source(access, may.give());
            access = raw::isl_union_access_info_set_schedule_map(access, schedule.give());
            let flow = raw::isl_union_access_info_compute_flow(access);
            let found = read(ctx, flow);
            raw::isl_union_flow_free(flow);
            found
        }
    }
}
