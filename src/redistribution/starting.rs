//! Begins rounds: those of this process alone, and those of several.

use std::sync::Arc;

use super::far_round;
use super::plan::Redistribution;
use super::round::{Arrays, Ending, Round, drop_all};
use crate::data::DatumId;
use crate::engine::Call;
use crate::error::Error;

/// Starts a round.
pub(crate) fn start(call: &Call, plan: &Arc<Redistribution>, arrays: &Arrays) -> Result<Arc<Ending>, Error> {
    let ending = match &plan.far {
        Some(_) => far_round::start(call, plan, arrays, None),
        None => Round::new(call, plan, arrays)?.start(call),
    }?;
    record(call, plan, arrays);
    Ok(ending)
}

/// Records what a round of all its arrays moves, for the report.
fn record(call: &Call, plan: &Redistribution, arrays: &Arrays) {
    let memories = (plan.source_sizes.len(), plan.target_sizes.len());
    let bytes: u64 = arrays.elements.iter().map(|&size| size as u64).sum();
    let moved = move |&((source, target), elements): &((u32, u32), i64)| (source, target, elements as u64 * bytes);
    call.engine().trace().redistribution(memories, || plan.messages().iter().map(moved));
}

/// The next round of a plan is not started here: other processes are told, so that they do not wait.
pub(crate) fn abstain(call: &Call, plan: &Redistribution, why: &Error) {
    far_round::abstain(call, plan, why);
}

/// Starts a round; the datum is published when all copies are made, and poisoned when that cannot be.
pub(crate) fn start_with_datum(call: &Call, plan: &Arc<Redistribution>, arrays: &Arrays) -> Result<DatumId, Error> {
    let done = if plan.far.is_none() {
        Round::new(call, plan, arrays)?.start_with_datum(call)?
    } else {
        let done = call.promise(0).inspect_err(|error| abstain(call, plan, error))?;
        let started = far_round::start(call, plan, arrays, Some(done));
        started.map(|_| done).map_err(|error| drop_all(call, &[done], error))?
    };
    record(call, plan, arrays);
    Ok(done)
}
