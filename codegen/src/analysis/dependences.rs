//! Dependences: the pairs of instances that must stay in order.

use super::IslRegion;
use crate::Refusal;
use dvm_isl::{FlowProblem, UnionMap};

/// Maximum of isl's operations in the exact analysis; beyond it, all conflicting pairs are the dependences.
const EXACT_OPERATIONS: u64 = 300_000;

/// Pairs of instances, from the earlier to the later.
///
/// The exact analysis finds the nearest pairs: the last writer before a read, the last accesses before a write. Chains
/// of nearest pairs order all earlier accesses. A possible write hides no earlier one. If the exact analysis takes too
/// long, the dependences are all pairs that touch one element; they demand the same order.
pub struct Dependences {
    /// A value is written, then read.
    pub flow: UnionMap,
    /// A value is read, then overwritten.
    pub anti: UnionMap,
    /// A value is written, then overwritten.
    pub output: UnionMap,
    /// All of them.
    pub all: UnionMap,
    /// All pairs that touch one element of which one writes. Plans are proven against these pairs: they come from the
    /// accesses without isl's flow analysis.
    pub conflicts: UnionMap,
    /// The dependences are nearest pairs.
    pub exact: bool,
}

impl Dependences {
    /// Computes the dependences of a region.
    pub fn of(isl_region: &IslRegion) -> Result<Dependences, Refusal> {
        // Without the pairs that the user declares independent, chains of nearest pairs may break.
        if isl_region.independent.is_some() {
            isl_region.begin_stage();
            return Ok(Dependences::conflicts(isl_region)?);
        }
        isl_region.ctx.allow_operations(EXACT_OPERATIONS);
        match Dependences::nearest(isl_region) {
            Err(error) if error.is_quota() => {
                isl_region.begin_stage();
                Ok(Dependences::conflicts(isl_region)?)
            }
            nearest => {
                let nearest = nearest?;
                isl_region.begin_stage();
                Ok(Dependences { conflicts: Conflicts::of(isl_region)?.all()?, ..nearest })
            }
        }
    }

    /// Between nearest accesses.
    fn nearest(isl_region: &IslRegion) -> dvm_isl::Result<Dependences> {
        let writes = isl_region.writes.union(&isl_region.may_writes)?;
        let before = |sink: &UnionMap, may_source: &UnionMap| -> dvm_isl::Result<UnionMap> {
            let problem =
                FlowProblem { sink, must_source: &isl_region.writes, may_source, schedule: &isl_region.schedule };
            let flow = problem.solve()?;
            flow.must.union(&flow.may)
        };
        let flow = before(&isl_region.reads, &isl_region.may_writes)?;
        // Reads are possible sources. A certain write between a read and a later write orders the two.
        let before_writes = before(&writes, &isl_region.reads.union(&isl_region.may_writes)?)?;
        let anti = before_writes.intersect(&isl_region.reads.apply_range(&writes.reverse()?)?)?;
        let output = before_writes.intersect(&writes.apply_range(&writes.reverse()?)?)?;
        Dependences::from_parts(&flow, &anti, &output)
    }

    /// Between all accesses to one element.
    fn conflicts(isl_region: &IslRegion) -> dvm_isl::Result<Dependences> {
        let Conflicts { flow, anti, output } = Conflicts::of(isl_region)?;
        Ok(Dependences { exact: false, ..Dependences::from_parts(&flow, &anti, &output)? })
    }

    fn from_parts(flow: &UnionMap, anti: &UnionMap, output: &UnionMap) -> dvm_isl::Result<Dependences> {
        let (flow, anti, output) = (flow.coalesce()?, anti.coalesce()?, output.coalesce()?);
        let all = flow.union(&anti)?.union(&output)?.coalesce()?.detect_equalities()?;
        Ok(Dependences { flow, anti, output, conflicts: all.clone(), all, exact: true })
    }
}

/// All pairs of accesses to one element of which one writes, from the earlier to the later.
struct Conflicts {
    flow: UnionMap,
    anti: UnionMap,
    output: UnionMap,
}

impl Conflicts {
    fn of(isl_region: &IslRegion) -> dvm_isl::Result<Conflicts> {
        let writes = isl_region.writes.union(&isl_region.may_writes)?;
        let earlier = isl_region.schedule.lex_lt(&isl_region.schedule)?;
        let earlier = match &isl_region.independent {
            Some(independent) => earlier.subtract(independent)?,
            None => earlier,
        };
        let between = |first: &UnionMap, second: &UnionMap| first.apply_range(&second.reverse()?)?.intersect(&earlier);
        let (flow, anti) = (between(&writes, &isl_region.reads)?, between(&isl_region.reads, &writes)?);
        Ok(Conflicts { flow, anti, output: between(&writes, &writes)? })
    }

    fn all(&self) -> dvm_isl::Result<UnionMap> {
        self.flow.union(&self.anti)?.union(&self.output)
    }
}
