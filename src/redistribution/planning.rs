//! Plans whose memories lie in several processes: all make them together, and compare what they have made.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::far_plan::{BothHolders, FarPlan, process};
use super::layout::Layout;
use super::messages::{Digest, Holders};
use super::plan::Redistribution;
use crate::engine::Call;
use crate::error::Error;
use crate::protocol::rounds::NO_PLAN;

/// Plans a redistribution between the memories of several processes; all of them do so together.
pub(crate) fn plan_with_others(
    call: &Call,
    make: impl FnOnce() -> Result<(Arc<Layout>, Arc<Layout>, bool), Error>,
) -> Result<Redistribution, Error> {
    let (me, processes) = call.process();
    let made = make().and_then(|(source, target, balance)| {
        let holders = (known(&source, "source", processes)?, known(&target, "target", processes)?);
        Ok((Redistribution::plan(&source, &target, balance)?, holders))
    });
    agree(call, me as u32, made)
}

/// Agrees on a plan with all other processes, or tells them that it could not be made.
pub(super) fn agree(
    call: &Call,
    me: u32,
    made: Result<(Redistribution, BothHolders), Error>,
) -> Result<Redistribution, Error> {
    let Some(job) = call.job() else { return made.map(|(plan, _)| plan) };
    let rounds = job.scheduler.rounds();
    let (digest, all) = match &made {
        Ok((plan, (source, target))) => {
            let holders = Holders { source, target };
            let all = holders.all().into_iter().map(process).collect();
            (Digest::of_plan(&plan.copies, [&plan.source_sizes, &plan.target_sizes], holders), all)
        }
        Err(_) => (NO_PLAN, BTreeSet::new()),
    };
    let agreed = rounds.agree(digest, &all);
    let (mut plan, (source, target)) = made?;
    let number = agreed?;
    plan.far = Some(FarPlan::new((number, me, rounds.life()), &plan.copies, (source, target)));
    Ok(plan)
}

/// Tells all others that this process does not make the next plan, and does not wait for them.
pub(crate) fn decline(call: &Call) {
    if let Some(job) = call.job() {
        job.scheduler.rounds().decline();
    }
}

/// The processes of a layout's memories.
fn known(layout: &Layout, side: &str, processes: u64) -> Result<Arc<[u32]>, Error> {
    let Some(holders) = layout.holders() else {
        return Err(Error::state(format!(
            "nobody has said which processes the memories of the {side} distribution belong to: call \
             dvm_distribution_set_processes or dvm_distribution_set_grid"
        )));
    };
    match holders.iter().find(|&&holder| u64::from(holder) >= processes) {
        Some(holder) => Err(Error::argument(format!(
            "a memory of the {side} distribution belongs to process {holder}, but the job has {processes} processes"
        ))),
        None => Ok(Arc::clone(holders)),
    }
}
