//! Which instances must stay in order, and why.

use super::IslRegion;
use crate::Refusal;
use dvm_isl::{FlowProblem, UnionMap};

/// Operations of isl for the exact analysis; past it the simpler one is taken.
const EXACT_OPERATIONS: u64 = 300_000;

/// Pairs of instances, from the earlier to the later.
///
/// They are exact where the accesses are: only the last writer before a read, the last accesses before a write. What lies
/// further back is ordered through them. Possible writes hide nothing. Where that takes too long, all pairs that
/// touch one element are taken, which orders the same.
pub struct Dependences {
    /// A value is written, then read.
    pub flow: UnionMap,
    /// A value is read, then overwritten.
    pub anti: UnionMap,
    /// A value is written, then overwritten.
    pub output: UnionMap,
    /// All of them.
    pub all: UnionMap,
    /// Every pair that touches one element and writes it: what plans are proven against in the end. No flow of isl's
    /// stands between it and the accesses.
    pub conflicts: UnionMap,
    /// Nearest accesses only.
    pub exact: bool,
}

impl Dependences {
    /// Computes the dependences of a region.
    pub fn of(isl_region: &IslRegion) -> Result<Dependences, Refusal> {
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
        // Reads as possible sources: a certain write between a read and a later write orders the two.
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
        let between = |first: &UnionMap, second: &UnionMap| first.apply_range(&second.reverse()?)?.intersect(&earlier);
        let (flow, anti) = (between(&writes, &isl_region.reads)?, between(&isl_region.reads, &writes)?);
        Ok(Conflicts { flow, anti, output: between(&writes, &writes)? })
    }

    fn all(&self) -> dvm_isl::Result<UnionMap> {
        self.flow.union(&self.anti)?.union(&self.output)
    }
}
