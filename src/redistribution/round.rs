//! One redistribution of some arrays.
//!
//! A round is one task of the engine: it reads the source memories, waits for them without taking a worker, and
//! publishes the targets that are promises. Its worker attaches the copies as polled work, so that all idle workers help,
//! and ends when the last one is made. What the task needs is itself a datum, freed with the task, whatever becomes of it.
#![allow(unsafe_code, reason = "addresses of data, kept by the references that the task has taken")]

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use crate::sync::lock::{Condvar, Mutex};

use super::plan::Redistribution;
use super::program::Program;
use super::running::{Work, perform};
use crate::data::{DatumId, Readiness, STORE};
use crate::engine::{self, Call};
use crate::error::{Error, dvm_retcode_t};
use crate::memory;
use crate::processing::{ArgumentAccess, Callee, REGISTRY};

/// The arrays of a round: the size of an element, the source and the target memories of each.
pub(crate) struct Arrays<'a> {
    pub(crate) elements: &'a [usize],
    /// As many as the plan has source memories, for each array.
    pub(crate) source: &'a [DatumId],
    /// As many as the plan has target memories, for each array.
    pub(crate) target: &'a [DatumId],
}

/// One array of a round.
pub(super) struct Array {
    pub(super) program: Arc<Program>,
    pub(super) source: Vec<DatumId>,
    pub(super) target: Vec<DatumId>,
}

/// The memories of some arrays, those of this process.
pub(super) struct Memories {
    pub(super) arrays: Vec<Array>,
}

/// A round that was asked for.
pub(crate) struct Round {
    memories: Memories,
    /// Room for what the task makes, which could not be refused any more. Used up when the round is performed.
    room: Cell<Option<Room>>,
}

/// Where a datum lies, whether it is written, and which it is.
pub(super) type MemoryReach = (usize, usize, bool, DatumId);

/// Empty lists that are long enough for a round.
#[derive(Default)]
struct Room {
    works: Vec<Work>,
    reaches: Vec<MemoryReach>,
}

/// The id of a memory that is not given: allowed where nothing lies in it.
const NONE: DatumId = DatumId::NONE;

/// What a memory is to the task.
#[derive(Default)]
pub(super) struct RoundArguments {
    pub(super) inputs: Vec<DatumId>,
    pub(super) outputs: Vec<DatumId>,
}

impl Round {
    /// Checks what is to be redistributed; nothing is taken or changed.
    pub(crate) fn new(call: &Call, plan: &Redistribution, arrays: &Arrays) -> Result<Self, Error> {
        let (sources, targets) = (plan.source_sizes.len(), plan.target_sizes.len());
        let mut list = Vec::new();
        memory::room_for(&mut list, arrays.elements.len())?;
        for (k, &element) in arrays.elements.iter().enumerate() {
            refuse_element(k, element)?;
            let source = &arrays.source[k * sources..(k + 1) * sources];
            let target = &arrays.target[k * targets..(k + 1) * targets];
            for (side, ids, sizes) in [("source", source, &plan.source_sizes), ("target", target, &plan.target_sizes)] {
                for (m, (&id, &size)) in ids.iter().zip(sizes).enumerate() {
                    fits(id, size, element).map_err(|e| within(&e, &format!("array {k}, {side} memory {m}")))?;
                }
            }
            let ids = |ids: &[DatumId]| memory::list(ids.iter().copied());
            list.push(Array { program: plan.program(element)?, source: ids(source)?, target: ids(target)? });
        }
        let round = Self::with_room(list)?;
        let mut room = round.room.take().unwrap_or_default();
        let refused = round.memories.refuse_known_overlap(call, &mut room.reaches);
        round.room.set(Some(room));
        refused.map(|()| round)
    }

    fn with_room(arrays: Vec<Array>) -> Result<Self, Error> {
        let mut room = Room::default();
        let reaches = arrays.iter().map(|a| a.source.len() + a.target.len()).sum();
        memory::room_for(&mut room.reaches, reaches)?;
        room.works = memory::tried(arrays.iter().map(|array| {
            let mut work = Work { program: Arc::clone(&array.program), source: Vec::new(), target: Vec::new() };
            memory::room_for(&mut work.source, array.source.len())?;
            memory::room_for(&mut work.target, array.target.len())?;
            Ok(work)
        }))?;
        Ok(Self { memories: Memories { arrays }, room: Cell::new(Some(room)) })
    }

    /// A round of one array whose places were checked already.
    pub(super) fn of(program: Program, source: Vec<DatumId>, target: Vec<DatumId>) -> Result<Self, Error> {
        Self::with_room(vec![Array { program: Arc::new(program), source, target }])
    }

    /// Starts the round.
    pub(crate) fn start(self, call: &Call) -> Result<Arc<Ending>, Error> {
        self.start_before(call, None)
    }

    /// Starts the round; the datum is published when all copies are made, and poisoned when that cannot be.
    pub(crate) fn start_with_datum(self, call: &Call) -> Result<DatumId, Error> {
        let done = call.promise(0)?;
        match self.start_before(call, Some(done)) {
            Ok(_) => Ok(done),
            Err(error) => Err(drop_all(call, &[done], error)),
        }
    }

    fn start_before(self, call: &Call, done: Option<DatumId>) -> Result<Arc<Ending>, Error> {
        let RoundArguments { inputs: mut ids, outputs } = self.memories.arguments()?;
        // The request comes last among the inputs: when it is freed, the references of the others have been dropped.
        let request = ids.len();
        memory::room_for(&mut ids, 2 + outputs.len())?;
        let mode = |k| if k <= request { ArgumentAccess::In } else { ArgumentAccess::Out };
        let modes = memory::list((0..request + 1 + outputs.len() + usize::from(done.is_some())).map(mode))?;
        let ending = Arc::new(Ending::default());
        let state = Request { round: self, ending: Arc::clone(&ending) }.into_datum(call)?;
        for (k, &id) in ids.iter().enumerate() {
            if let Err(error) = call.acquire(id) {
                return Err(drop_all(call, &ids[..k], drop_all(call, &[state], error)));
            }
        }
        ids.push(state);
        ids.extend(outputs);
        ids.extend(done);
        match schedule(call, &ids, &modes, (request, run_task)) {
            Ok(()) => Ok(ending),
            Err(error) => Err(drop_all(call, &ids[..=request], error)),
        }
    }

    /// Makes all copies; called in a task.
    pub(super) fn perform(&self, call: &Call) -> Result<(), Error> {
        let Room { mut works, mut reaches } = self.room.take().expect("a round is performed once");
        self.memories.refuse_overlap(&mut reaches, |id| call.get(id).map(Some))?;
        for (work, array) in works.iter_mut().zip(&self.memories.arrays) {
            for (addresses, ids) in [(&mut work.source, &array.source), (&mut work.target, &array.target)] {
                for &id in ids {
                    addresses.push(if id == NONE { std::ptr::null_mut() } else { call.get(id)?.0 });
                }
            }
        }
        // SAFETY: the sizes were checked when the round was made; the task has references of all memories, and they do not
        // overlap. That nobody else writes them meanwhile is the caller's promise to `dvm_redistribute`.
        unsafe { perform(call, works) };
        Ok(())
    }
}

impl Memories {
    /// The memories that something lies in, each once: the promises among the targets are outputs.
    pub(super) fn arguments(&self) -> Result<RoundArguments, Error> {
        let mut found = RoundArguments::default();
        let targets = self.distinct(|a| &a.target)?;
        let sources = self.distinct(|a| &a.source)?;
        memory::room_for(&mut found.inputs, targets.len() + sources.len())?;
        memory::room_for(&mut found.outputs, targets.len())?;
        for id in targets {
            if matches!(STORE.readiness(id), Readiness::Promised) {
                found.outputs.push(id);
                // A promise that carries a datum on begins as its copy; the task has to read that datum.
                found.inputs.extend(STORE.predecessor(id));
            } else {
                found.inputs.push(id);
            }
        }
        found.inputs.extend(sources);
        found.inputs.sort_unstable();
        found.inputs.dedup();
        Ok(found)
    }

    /// The source memories, each once.
    pub(super) fn sources(&self) -> Result<Vec<DatumId>, Error> {
        self.distinct(|a| &a.source)
    }

    /// The memories of one side in which something lies, each once.
    fn distinct(&self, side: impl Fn(&Array) -> &Vec<DatumId>) -> Result<Vec<DatumId>, Error> {
        let mut list = Vec::new();
        memory::room_for(&mut list, self.arrays.iter().map(|a| side(a).len()).sum())?;
        self.arrays.iter().for_each(|a| list.extend(side(a).iter().copied().filter(|&id| id != NONE)));
        list.sort_unstable();
        list.dedup();
        Ok(list)
    }

    /// Refuses memories that overlap where one of them is a target. `places`: an empty list that is long enough; `address`:
    /// where a datum lies, if that is known.
    pub(super) fn refuse_overlap(
        &self,
        places: &mut Vec<MemoryReach>,
        mut address: impl FnMut(DatumId) -> Result<Option<(*mut u8, usize)>, Error>,
    ) -> Result<(), Error> {
        places.clear();
        for array in &self.arrays {
            for (ids, written) in [(&array.source, false), (&array.target, true)] {
                for &id in ids.iter().filter(|&&id| id != NONE) {
                    if let Some((addr, size)) = address(id)?.filter(|a| a.1 > 0) {
                        places.push((addr.addr(), addr.addr() + size, written, id));
                    }
                }
            }
        }
        places.sort_unstable();
        let mut reach: [Option<(usize, DatumId)>; 2] = [None, None];
        for &mut (from, to, written, id) in places {
            let met =
                reach.iter().enumerate().find(|(kind, r)| (written || *kind == 1) && r.is_some_and(|r| r.0 > from));
            if let Some((_, Some((_, other)))) = met {
                return Err(Error::argument(format!(
                    "data {other} and {id} share memory, and one of them is a target: a redistribution does not \
                     work in place"
                )));
            }
            let kind = &mut reach[usize::from(written)];
            if kind.is_none_or(|r| r.0 < to) {
                *kind = Some((to, id));
            }
        }
        Ok(())
    }

    /// The same where those that are published now are looked at now; the task looks again at everything.
    pub(super) fn refuse_known_overlap(&self, call: &Call, places: &mut Vec<MemoryReach>) -> Result<(), Error> {
        self.refuse_overlap(places, |id| match STORE.readiness(id) {
            Readiness::Published { .. } => {
                let got = call.get(id);
                let put = got.is_ok().then(|| call.put(id)).transpose();
                got.and_then(|got| put.map(|_| Some(got)))
            }
            _ => Ok(None),
        })
    }

    /// An empty list that is long enough for [`Memories::refuse_overlap`].
    pub(super) fn reaches(&self) -> Result<Vec<MemoryReach>, Error> {
        let mut reaches = Vec::new();
        memory::room_for(&mut reaches, self.arrays.iter().map(|a| a.source.len() + a.target.len()).sum())?;
        Ok(reaches)
    }
}

/// Refuses an element that is too long, or empty.
pub(super) fn refuse_element(array: usize, element: usize) -> Result<(), Error> {
    let most = super::shape::LONGEST_ELEMENT;
    if (1..=most).contains(&element) {
        return Ok(());
    }
    Err(Error::argument(format!("array {array}: an element has {element} bytes: give 1 to {most}")))
}

/// Makes sure that a memory has room for so many elements.
pub(super) fn fits(id: DatumId, elements: i64, element: usize) -> Result<(), Error> {
    if elements == 0 && id == NONE {
        return Ok(());
    }
    let size = STORE.size(id)?;
    let wanted = i128::from(elements) * element as i128;
    if (size as i128) < wanted {
        return Err(Error::new(
            dvm_retcode_t::DVM_ERR_SIZE,
            format!("{elements} elements of {element} bytes need {wanted} bytes, the datum has {size}"),
        ));
    }
    Ok(())
}

/// The same failure, told with its place.
pub(super) fn within(error: &Error, place: &str) -> Error {
    Error::new(error.code(), format!("{place}: {}", error.message()))
}

/// Drops references after a failure, which is passed on.
pub(super) fn drop_all(call: &Call, ids: &[DatumId], error: Error) -> Error {
    for &id in ids {
        // Each reference was taken just now: it is there.
        let _ = call.relax(id);
    }
    error
}

/// The function of a task.
type TaskFunction = unsafe extern "C" fn(*mut c_void, *mut [u64; 2], c_int) -> c_int;

/// Schedules a task of a round. `request`: which of its arguments is the request.
pub(super) fn schedule(
    call: &Call,
    ids: &[DatumId],
    modes: &[ArgumentAccess],
    (request, task): (usize, TaskFunction),
) -> Result<(), Error> {
    let callee = Callee::with_context(task, std::ptr::without_provenance_mut(request));
    let function = REGISTRY.register(callee, ids.len(), "redistribution")?;
    let scheduled = |()| call.near(function, REGISTRY.find(function)?, ids);
    let result = REGISTRY.access(function, modes).and_then(scheduled);
    // A task keeps what it needs of its processing.
    REGISTRY.unregister(function).and(result)
}

/// The task. Its context is not an address but the place of the request among its arguments.
unsafe extern "C" fn run_task(context: *mut c_void, ids: *mut [u64; 2], _count: c_int) -> c_int {
    let made = engine::enter().and_then(|call| {
        // SAFETY: that argument is the datum that `into_datum` made; the task has a reference of it until it has ended.
        #[allow(clippy::cast_ptr_alignment, reason = "it is the address of a request, and aligned as such")]
        let request = unsafe { &*call.get(DatumId::from_raw(ids.add(context.addr()).read()))?.0.cast::<Request>() };
        let made = request.round.perform(&call);
        *request.ending.outcome.lock() = Some(made.clone());
        made
    });
    made.err().map_or(0, |error| error.code() as c_int)
}

/// A round on its way to its task.
struct Request {
    round: Round,
    ending: Arc<Ending>,
}

/// How a round ended, for whoever waits.
#[derive(Default)]
pub(crate) struct Ending {
    /// What the task came to; `None`: it has not run.
    outcome: Mutex<Option<Result<(), Error>>>,
    over: Mutex<bool>,
    changed: Condvar,
}

impl Request {
    /// Makes a datum of it, which ends it with its last reference.
    fn into_datum(self, call: &Call) -> Result<DatumId, Error> {
        unsafe extern "C" fn free(addr: *mut c_void, _size: usize) {
            // SAFETY: the address of the box below, which is the datum's; a datum calls this once.
            drop(unsafe { Box::from_raw(addr.cast::<Request>()) });
        }
        let mut request = ManuallyDrop::new(Box::new(self));
        let made = call.register((&raw mut **request).cast(), size_of::<Self>(), Some(free));
        if made.is_err() {
            drop(ManuallyDrop::into_inner(request)); // no datum has it
        }
        made
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.ending.end();
    }
}

impl Ending {
    /// Keeps what the tasks came to.
    pub(super) fn told(&self, outcome: Option<Result<(), Error>>) {
        *self.outcome.lock() = outcome;
    }

    /// The tasks have ended.
    pub(super) fn end(&self) {
        *self.over.lock() = true;
        self.changed.notify_all();
    }

    /// Whether they have.
    fn is_over(&self) -> bool {
        *self.over.lock()
    }

    /// Moves messages until they have, if the calling thread has to.
    pub(crate) fn drive(&self, call: &Call) {
        if let Some(job) = call.job() {
            job.scheduler.rounds().drive(&|| self.is_over());
        }
    }

    /// Sleeps until the task has ended and holds no reference any more; what it came to.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        let mut over = self.over.lock();
        while !*over {
            self.changed.wait(&mut over);
        }
        drop(over);
        self.outcome.lock().clone().unwrap_or_else(|| {
            Err(Error::new(
                dvm_retcode_t::DVM_ERR_POISONED,
                "a source will never have a value: the task that was to produce it has failed or was cancelled",
            ))
        })
    }
}
