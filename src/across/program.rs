//! A program of one process whose regions run on all: process 0 runs main, the others serve its regions.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Arc;

use super::call::{self, Meeting, RegionFacts, no_job};
use super::call_arrays::CallArrays;
use super::exchange::Role;
use super::functions::Functions;
use super::keeper;
use super::kept_served::KeptHere;
use super::known::{self, KnownRegion, ProgramPart};
use super::remembered::RememberedCalls;
use super::reservation::Reservation;
use super::served::{GivenArray, ServedRegion};
use crate::config::Config;
use crate::engine::{AcrossEvent, Call};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::memory::own_heap;
use crate::wire::{AcrossBody, ServedCall};

/// What a process that has served is to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterServing {
    /// End: process 0 finalizes.
    End,
    /// Run main: process 0 has called dvm_init there, so the program is one for all processes.
    RunMain,
}

/// Runs a region of the program that process 0 runs; false: it is to run in this process alone.
///
/// # Safety
/// The context is one of the region with this table, and `functions` are its functions.
#[allow(unsafe_code, reason = "hands on the context of generated code")]
pub(crate) unsafe fn lead(
    call: &Call,
    facts: RegionFacts,
    functions: Functions,
    (table, context, arrays): (usize, *const c_void, &[GivenArray]),
) -> Result<bool, Error> {
    if !facts.willing {
        return Ok(false);
    }
    own_heap::give_back();
    let turn = super::call::turn();
    let led = keeper::open(call, &turn, facts.name, arrays).and_then(|(given, kept)| {
        let served = known::by_table(table).and_then(|(number, region)| {
            // SAFETY: by this function's contract.
            unsafe { region.call(number, context, arrays, &kept, facts.digest) }
        });
        let Some(served) = served else {
            let name = facts.name;
            call.engine().config().note(|| format!("region '{name}' runs in process 0: the others cannot serve it"));
            return Ok(None);
        };
        super::call::lead(call, &turn, facts, functions, (served, given))
    });
    let (ran, led) = match led {
        Ok(after) => (after.is_some(), keeper::close(call, &turn, after)),
        Err(error) => (false, keeper::close(call, &turn, None).and(Err(error))),
    };
    led.inspect_err(|_| known::set_part(ProgramPart::Alone)).map(|()| ran)
}

/// Refuses `dvm_init` after the others have served: their variables are no longer as main expects to find them.
pub(crate) fn refuse_late_init() -> Result<(), Error> {
    if !known::has_led() {
        return Ok(());
    }
    let text = "a region has run on several processes before dvm_init, and the others cannot run main any more: call dvm_init \
                before the first region with `across`, or set DVM_ACROSS=0";
    Err(Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, text))
}

/// `dvm_init` in main: the program is one for all processes, which all run main from now on.
pub(crate) fn becomes_equal(call: &Call) -> Result<(), Error> {
    if known::part() == ProgramPart::Leads {
        let job = call.job().ok_or_else(no_job)?;
        let number = job.scheduler.across().next_call();
        for to in 1..job.processes as u32 {
            job.scheduler.across().tell(number, ProcessId::from_index(to), AcrossBody::RunsMain);
        }
    }
    known::set_part(ProgramPart::Equal);
    Ok(())
}

/// Serves the regions of process 0's program, until that ends or turns out to be one for all processes.
pub(crate) fn serve(call: &Call) -> Result<AfterServing, Error> {
    let job = call.job().filter(|job| job.processes > 1).ok_or_else(no_job)?;
    let (me, processes) = (job.me.index() as u32, job.processes as u32);
    let mut here = Serving::default();
    loop {
        let number = job.scheduler.across().next_call();
        let Some((said, kept)) = next(call, number)? else { return Ok(AfterServing::End) };
        let served = match said {
            AcrossBody::Serve(served) => served,
            AcrossBody::Kept { extent, event, spans } => {
                let send = &mut |bytes: &[u8]| {
                    let body = AcrossBody::Entering { more: true, bytes };
                    job.scheduler.across().tell(number, ProcessId::FIRST, body);
                };
                if let Err(error) = here.kept.event(me, (extent, event), spans, send) {
                    let failed = AcrossBody::Failed { code: error.code(), text: error.message().to_owned() };
                    job.scheduler.across().tell(number, ProcessId::FIRST, failed);
                }
                continue;
            }
            _ => return Ok(AfterServing::RunMain),
        };
        let meeting = Meeting::new(&job.scheduler, (number, me, processes), Role::Serves, kept);
        // A call that fails is told to process 0, which may go on without it.
        if let Err(error) = here.take_part(call, &meeting, served) {
            call.engine().config().note(|| error.message().to_owned());
            here.memory.clear();
        }
    }
}

/// What process 0 says next, and what others have said before; nothing: it finalizes.
#[allow(clippy::type_complexity, reason = "a pair of what was said")]
fn next(call: &Call, number: u32) -> Result<Option<(AcrossBody<Vec<u8>>, VecDeque<AcrossEvent>)>, Error> {
    let job = call.job().ok_or_else(no_job)?;
    let (mut kept, mut said) = (VecDeque::new(), None);
    while said.is_none() {
        let events = job.scheduler.across().serve_and_take(number);
        if events.is_empty() {
            return Ok(None);
        }
        for event in events {
            match event {
                AcrossEvent::Lost(error) => return Err(error),
                AcrossEvent::Said(
                    ProcessId::FIRST,
                    body @ (AcrossBody::Serve(_) | AcrossBody::Kept { .. } | AcrossBody::RunsMain),
                ) => {
                    said = Some(body);
                }
                other @ AcrossEvent::Said(..) => kept.push_back(other),
            }
        }
    }
    Ok(said.map(|said| (said, kept)))
}

/// A process that serves.
#[derive(Default)]
struct Serving {
    kept: KeptHere,
    /// Of arrays that are not kept, for the next call.
    memory: Vec<Reservation>,
    remembered: RememberedCalls<ServedRegion>,
}

impl Serving {
    /// Takes part in one call.
    fn take_part(&mut self, call: &Call, meeting: &Meeting, mut served: ServedCall<Vec<u8>>) -> Result<(), Error> {
        self.kept.begin(&served.arrays, meeting.processes);
        let again = served.again.take();
        let known = known::by_number(served.region);
        let name = known.as_ref().map_or("of process 0", |region| &region.name);
        let made = self
            .region(known.as_deref(), &served)
            .inspect_err(|error| Config::warn(&format!("region '{name}': {}", error.message())));
        let preferences = known.as_ref().map(|region| region.preferences.clone()).unwrap_or_default();
        let bounds = known.as_ref().and_then(|region| region.bounds);
        let mut facts = RegionFacts { name, preferences, digest: served.digest, willing: made.is_ok(), bounds };
        let kept: Vec<_> = served.arrays.iter().map(|array| array.kept).collect();
        let elements = served.arrays.iter().map(|array| array.element as usize);
        let arrays = CallArrays::with_kept(elements, &kept, |id| self.kept.extent(id).cloned())?;
        let (ran, made) = match again {
            None => {
                let layout = facts.layout(call);
                let functions = made.as_ref().ok().map(|made| Arc::new(made.functions.clone()));
                (meeting.run(call, &facts, layout, functions.as_ref(), &arrays)?, made.ok())
            }
            Some(sizes) => {
                let made = made.inspect_err(|error| meeting.tell_failed(error))?;
                let part = self.remembered.part(&served, &sizes, &arrays);
                let functions = made.functions.clone();
                let part = call::serve_again(call, meeting, facts, functions, (&sizes, &arrays), part)?;
                (Some((sizes, part)), Some(made))
            }
        };
        if let (Some((sizes, part)), Some(made)) = (ran, made) {
            self.kept.set(part.after.clone());
            let made = made.keeps_no_memory().map_err(|memory| self.memory = memory).ok();
            self.remembered.add(served, sizes, arrays, part, made);
        }
        Ok(())
    }

    /// The region with the call's values, from an earlier call or anew.
    fn region(&mut self, known: Option<&KnownRegion>, served: &ServedCall<Vec<u8>>) -> Result<ServedRegion, Error> {
        let region = known.ok_or_else(|| Error::state("process 0 runs a region that this process does not know"))?;
        if let Some(mut made) = self.remembered.take_served(served) {
            self.memory.clear();
            made.set_values(region, &served.values)?;
            return Ok(made);
        }
        ServedRegion::new(region, served, std::mem::take(&mut self.memory), &mut self.kept)
    }
}
