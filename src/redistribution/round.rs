//! One redistribution of some arrays.
//!
//! A round is one task of the engine: it reads the source memories, waits for them without taking a worker, and
//! publishes the targets that are promises. Its worker attaches the copies as polled work, so that all idle workers help, and ends
//! when the last one is made. What the task needs is itself a datum, freed with the task, whatever becomes of it.
#![allow(unsafe_code, reason = "addresses of data, kept by the references that the task has taken")]

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::plan::Redistribution;
use super::program::Program;
use crate::data::{DataId, Readiness, STORE};
use crate::engine::{self, Call, Engine, Source};
use crate::error::{Error, dvm_retcode_t};
use crate::processing::{Callee, Mode, REGISTRY};
use crate::trace::Name;

/// The arrays of a round: the size of an element, the source and the target memories of each.
pub(crate) struct Arrays<'a> {
    pub(crate) elements: &'a [usize],
    /// As many as the plan has source memories, for each array.
    pub(crate) source: &'a [DataId],
    /// As many as the plan has target memories, for each array.
    pub(crate) target: &'a [DataId],
}

/// One array of a round.
struct Array {
    program: Arc<Program>,
    source: Vec<DataId>,
    target: Vec<DataId>,
}

/// A round that was asked for.
pub(crate) struct Round {
    arrays: Vec<Array>,
}

/// The id of a memory that is not given: allowed where nothing lies in it.
const NONE: DataId = [0, 0];

/// What a memory is to the task.
#[derive(Default)]
struct Arguments {
    inputs: Vec<DataId>,
    outputs: Vec<DataId>,
}

impl Round {
    /// Checks what is to be redistributed; nothing is taken or changed.
    pub(crate) fn new(call: &Call, plan: &Redistribution, arrays: &Arrays) -> Result<Self, Error> {
        let (sources, targets) = (plan.source_sizes.len(), plan.target_sizes.len());
        let mut list = Vec::with_capacity(arrays.elements.len());
        for (k, &element) in arrays.elements.iter().enumerate() {
            if !(1..=super::shape::LONGEST_ELEMENT).contains(&element) {
                let most = super::shape::LONGEST_ELEMENT;
                return Err(Error::argument(format!("array {k}: an element has {element} bytes: give 1 to {most}")));
            }
            let source = &arrays.source[k * sources..(k + 1) * sources];
            let target = &arrays.target[k * targets..(k + 1) * targets];
            for (side, ids, sizes) in [("source", source, &plan.source_sizes), ("target", target, &plan.target_sizes)] {
                for (m, (&id, &size)) in ids.iter().zip(sizes).enumerate() {
                    fits(id, size, element).map_err(|e| within(&e, &format!("array {k}, {side} memory {m}")))?;
                }
            }
            list.push(Array { program: plan.program(element)?, source: source.to_vec(), target: target.to_vec() });
        }
        let round = Self { arrays: list };
        round.refuse_overlap(|id| match STORE.readiness(id) {
            // What is published now can be looked at now; the task looks again at everything.
            Readiness::Published { .. } => {
                let got = call.get(id);
                let put = got.is_ok().then(|| call.put(id)).transpose();
                got.and_then(|got| put.map(|_| Some(got)))
            }
            _ => Ok(None),
        })?;
        Ok(round)
    }

    /// A round of one array whose places were checked already.
    pub(super) fn of(program: Program, source: Vec<DataId>, target: Vec<DataId>) -> Self {
        Self { arrays: vec![Array { program: Arc::new(program), source, target }] }
    }

    /// Starts the round; the datum is published when all copies are made, and poisoned when that cannot be.
    pub(crate) fn start(self, call: &Call) -> Result<DataId, Error> {
        let arguments = self.arguments();
        let done = call.promise(0)?;
        let state = match self.into_datum(call) {
            Ok(state) => state,
            Err(error) => return Err(drop_all(call, &[done], error)),
        };
        let mut taken = vec![state, done];
        for &id in &arguments.inputs {
            if let Err(error) = call.acquire(id) {
                return Err(drop_all(call, &taken, error));
            }
            taken.push(id);
        }
        let ids: Vec<DataId> = [&[state][..], &arguments.inputs, &arguments.outputs, &[done]].concat();
        let outputs = arguments.outputs.len() + 1;
        let modes: Vec<Mode> =
            (0..ids.len()).map(|k| if k < ids.len() - outputs { Mode::In } else { Mode::Out }).collect();
        match schedule(call, &ids, &modes) {
            Ok(()) => Ok(done),
            Err(error) => Err(drop_all(call, &taken, error)),
        }
    }

    /// The memories that something lies in, each once: the promises among the targets are outputs.
    fn arguments(&self) -> Arguments {
        let mut found = Arguments::default();
        let mut targets: Vec<DataId> = self.arrays.iter().flat_map(|a| a.target.iter().copied()).collect();
        let mut sources: Vec<DataId> = self.arrays.iter().flat_map(|a| a.source.iter().copied()).collect();
        for list in [&mut targets, &mut sources] {
            list.retain(|&id| id != NONE);
            list.sort_unstable();
            list.dedup();
        }
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
        found
    }

    /// Makes a datum of the round, which frees it with its last reference.
    fn into_datum(self, call: &Call) -> Result<DataId, Error> {
        unsafe extern "C" fn free(addr: *mut c_void, _size: usize) {
            // SAFETY: the address that `into_raw` gave below; a datum calls this once.
            drop(unsafe { Box::from_raw(addr.cast::<Round>()) });
        }
        let address = Box::into_raw(Box::new(self));
        call.register(address.cast(), size_of::<Self>(), Some(free)).inspect_err(|_| {
            // SAFETY: the datum was not made, so the box is still ours.
            drop(unsafe { Box::from_raw(address) });
        })
    }

    /// Refuses memories that overlap where one of them is a target. `address`: where a datum lies, if that is known.
    fn refuse_overlap(
        &self,
        mut address: impl FnMut(DataId) -> Result<Option<(*mut u8, usize)>, Error>,
    ) -> Result<(), Error> {
        let mut places: Vec<(usize, usize, bool, DataId)> = Vec::new();
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
        let mut reach: [Option<(usize, DataId)>; 2] = [None, None];
        for (from, to, written, id) in places {
            let met =
                reach.iter().enumerate().find(|(kind, r)| (written || *kind == 1) && r.is_some_and(|r| r.0 > from));
            if let Some((_, Some((_, other)))) = met {
                return Err(Error::argument(format!(
                    "data {{{}, {}}} and {{{}, {}}} share memory, and one of them is a target: a redistribution does not \
                     work in place",
                    other[0], other[1], id[0], id[1]
                )));
            }
            let kind = &mut reach[usize::from(written)];
            if kind.is_none_or(|r| r.0 < to) {
                *kind = Some((to, id));
            }
        }
        Ok(())
    }

    /// Makes all copies; called in a task.
    pub(super) fn perform(&self, call: &Call) -> Result<(), Error> {
        self.refuse_overlap(|id| call.get(id).map(Some))?;
        let mut works = Vec::with_capacity(self.arrays.len());
        for array in &self.arrays {
            let address = |ids: &[DataId]| -> Result<Vec<*mut u8>, Error> {
                let one = |&id: &DataId| if id == NONE { Ok(std::ptr::null_mut()) } else { call.get(id).map(|g| g.0) };
                ids.iter().map(one).collect()
            };
            works.push(Work {
                program: Arc::clone(&array.program),
                source: address(&array.source)?,
                target: address(&array.target)?,
            });
        }
        // SAFETY: the sizes were checked when the round was made; the task has references of all memories, and they do not
        // overlap. That nobody else writes them meanwhile is the caller's promise to `dvm_redistribute`.
        unsafe { perform(call, works) };
        Ok(())
    }
}

/// Makes sure that a memory has room for so many elements.
fn fits(id: DataId, elements: i64, element: usize) -> Result<(), Error> {
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
fn within(error: &Error, place: &str) -> Error {
    Error::new(error.code(), format!("{place}: {}", error.message()))
}

/// Drops references after a failure, which is passed on.
fn drop_all(call: &Call, ids: &[DataId], error: Error) -> Error {
    for &id in ids {
        // Each reference was taken just now: it is there.
        let _ = call.relax(id);
    }
    error
}

/// Schedules the task of a round.
fn schedule(call: &Call, ids: &[DataId], modes: &[Mode]) -> Result<(), Error> {
    let callee = Callee::with_context(run_task, std::ptr::null_mut());
    let function = REGISTRY.register(callee, ids.len(), "redistribution")?;
    let result = REGISTRY.access(function, modes).and_then(|()| call.near(function, ids));
    // A task keeps what it needs of its processing.
    REGISTRY.unregister(function).and(result)
}

/// The task: its first argument is the round.
unsafe extern "C" fn run_task(_context: *mut c_void, ids: *mut [u64; 2], _count: c_int) -> c_int {
    let made = engine::enter().and_then(|call| {
        // SAFETY: a round's task has at least two arguments, and its first is the datum that `into_datum` made; the task
        // has a reference of it until it has ended.
        let round = unsafe { &*call.get(ids.read())?.0.cast::<Round>() };
        round.perform(&call)
    });
    made.err().map_or(0, |error| error.code() as c_int)
}

/// A program and the addresses that it runs on.
struct Work {
    program: Arc<Program>,
    source: Vec<*mut u8>,
    target: Vec<*mut u8>,
}

/// Works under way: units are taken in order by whoever comes.
struct Running {
    works: Vec<Work>,
    units: usize,
    next: AtomicUsize,
    ended: AtomicUsize,
    engine: *const Engine,
    name: Name,
}

// SAFETY: the addresses belong to memories that `perform`'s caller answers for until it returns, and the engine stays as
// long: it is reached only while the source is attached.
unsafe impl Send for Running {}
// SAFETY: as above; units are disjoint, and each is taken once.
unsafe impl Sync for Running {}

/// Counts a unit as ended, also when it panics: somebody waits for it.
struct Ending<'a>(&'a AtomicUsize);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

impl Running {
    /// Runs a unit; false when all were taken.
    fn take(&self, worker: usize) -> bool {
        if self.next.load(Ordering::Relaxed) >= self.units {
            return false;
        }
        let unit = self.next.fetch_add(1, Ordering::Relaxed);
        if unit >= self.units {
            return false;
        }
        let _ending = Ending(&self.ended);
        // SAFETY: whoever is here is the thread inside `perform`, or a worker that polls the attached source: the engine stays.
        let trace = unsafe { (*self.engine).trace() };
        let start = trace.begin();
        let mut rest = unit;
        for work in &self.works {
            if rest < work.program.units() {
                // SAFETY: by the promise of `perform`'s caller; each unit is taken once.
                unsafe { work.program.run(rest, &work.source, &work.target) };
                break;
            }
            rest -= work.program.units();
        }
        trace.tile(worker, start, self.name, &[unit as i64]);
        true
    }

    /// Lets no more units be taken, and waits for those that were.
    fn end(&self) {
        let taken = self.next.fetch_add(self.units, Ordering::Relaxed).min(self.units);
        while self.ended.load(Ordering::Acquire) < taken {
            std::thread::yield_now();
        }
    }
}

impl Source for Running {
    fn poll(&self, worker: usize) -> bool {
        self.take(worker)
    }
}

/// Runs programs with the help of all idle workers; returns when all copies are made. The caller is a worker.
///
/// # Safety
/// For each work: the contract of [`Program::run`], until this function returns.
unsafe fn perform(call: &Call, works: Vec<Work>) {
    /// Detaches the source on every way out: the addresses are good until then.
    struct Attached<'a>(&'a Engine, Arc<dyn Source>, &'a Running);
    impl Drop for Attached<'_> {
        fn drop(&mut self) {
            self.2.end();
            self.0.detach(&self.1);
        }
    }
    let engine = call.engine();
    let units = works.iter().map(|w| w.program.units()).sum();
    let name = engine.trace().name("redistribution");
    let running =
        Arc::new(Running { works, units, next: AtomicUsize::new(0), ended: AtomicUsize::new(0), engine, name });
    let worker = call.worker().unwrap_or(0);
    if units < 2 || engine.workers() < 2 {
        while running.take(worker) {}
        return;
    }
    let source: Arc<dyn Source> = running.clone();
    engine.attach(Arc::clone(&source));
    let _attached = Attached(engine, source, &running);
    while running.take(worker) {}
}
