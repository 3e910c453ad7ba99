//! Which instances must stay in order, and why.

use super::Program;
use crate::Refusal;
use dvm_isl::{FlowProblem, UnionMap};

/// Pairs of instances, from the earlier to the later.
///
/// They are exact where the accesses are: only the last writer before a read, the last accesses before a write. What lies
/// further back is ordered through them. Possible writes hide nothing.
pub struct Dependences {
    /// A value is written, then read.
    pub flow: UnionMap,
    /// A value is read, then overwritten.
    pub anti: UnionMap,
    /// A value is written, then overwritten.
    pub output: UnionMap,
    /// All of them.
    pub all: UnionMap,
}

impl Dependences {
    /// Computes the dependences of a program.
    pub fn of(program: &Program) -> Result<Dependences, Refusal> {
        program.ctx.reset_operations();
        let writes = program.writes.union(&program.may_writes)?;
        let before = |sink: &UnionMap, may_source: &UnionMap| -> Result<_, Refusal> {
            let problem = FlowProblem { sink, must_source: &program.writes, may_source, schedule: &program.schedule };
            Ok(problem.solve()?)
        };
        let flow = before(&program.reads, &program.may_writes)?;
        let flow = flow.must.union(&flow.may)?.coalesce()?;
        let output = before(&writes, &program.may_writes)?;
        let output = output.must.union(&output.may)?.coalesce()?;
        // Reads as possible sources: a certain write between a read and a later write orders the two.
        let readers = before(&writes, &program.reads)?;
        let readers = readers.must.union(&readers.may)?;
        let conflicts = program.reads.apply_range(&writes.reverse()?)?;
        let anti = readers.intersect(&conflicts)?.coalesce()?;
        let all = flow.union(&anti)?.union(&output)?.coalesce()?.detect_equalities()?;
        Ok(Dependences { flow, anti, output, all })
    }
}
