//! One redistribution of some arrays between memories of several processes, as this process takes part in it.
//!
//! A round is three tasks. *Offer* reads this process's source memories and offers each taker its elements. *Copy* waits for
//! the offers of others and for this process's memories, makes all copies into its target memories, and tells the senders.
//! *End* keeps the source memories until no taker reads them any longer. What each task needs is a datum, freed with it: a task
//! that is cancelled tells the others when that is freed, so that nobody waits for it.
#![allow(unsafe_code, reason = "addresses of data, kept by the references that the tasks have taken")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::far_plan::{FarPlan, PlanPart, process};
use super::messages::Digest;
use super::plan::Redistribution;
use super::round::{Array, Arrays, Ending, Memories, drop_all, fits, refuse_element, schedule, within};
use super::running::{Work, perform};
use crate::data::{DatumId, FreshBytes};
use crate::engine::{self, Call, Delivered, PackedElements, RemoteRounds};
use crate::error::{Error, dvm_retcode_t};
use crate::id::ProcessId;
use crate::memory;
use crate::processing::ArgumentAccess;
use crate::protocol::rounds::Opening;
use crate::sync::lock::Mutex;
use crate::wire::{RoundKey, RoundRole};

/// The task of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Offer,
    Copy,
    End,
}

/// A round under way: what its tasks share.
struct FarRound {
    plan: Arc<Redistribution>,
    key: RoundKey,
    arrays: u64,
    elements: Vec<usize>,
    memories: Memories,
    /// Settled when this process's target memories are done with.
    copied: DatumId,
    done: Option<DatumId>,
    /// The others count on this process: whatever becomes of a task, they are told.
    begun: AtomicBool,
    ending: Arc<Ending>,
    failure: Mutex<Option<Error>>,
    /// Takers that have been offered their elements.
    offered: Mutex<BTreeSet<ProcessId>>,
    /// Packed elements that takers read.
    packed: Mutex<Vec<FreshBytes>>,
}

/// What a task needs: freed with it.
struct StageState {
    round: Arc<FarRound>,
    stage: Stage,
    /// The task has run, and has not failed.
    good: AtomicBool,
}

/// Starts a round. `done`: a datum that is published with its end.
pub(super) fn start(
    call: &Call,
    plan: &Arc<Redistribution>,
    arrays: &Arrays,
    done: Option<DatumId>,
) -> Result<Arc<Ending>, Error> {
    let Some((far, rounds)) = plan.far.as_ref().zip(call.job().map(|job| job.scheduler.rounds())) else {
        return Err(Error::state("the plan was made in a job of several processes, which has ended: make it anew"));
    };
    far.check_life(rounds)?;
    let key = rounds.begin(far.number)?;
    let prepared = prepare(call, plan, far, (key, arrays, done));
    let (round, promises, states) = prepared.inspect_err(|error| refuse(rounds, far, key, error))?;
    let packed = |message: &super::messages::ElementMessage| {
        round.elements.iter().map(|&element| message.elements as u64 * element as u64).sum()
    };
    let senders: BTreeMap<ProcessId, u64> =
        far.parts.from.iter().map(|(from, message)| (process(*from), packed(message))).collect();
    let [come, free, _] = promises;
    round.begun.store(true, Ordering::Release);
    rounds.open(key, Opening { arrays: round.arrays, senders, takers: far.takers(), come, free });
    schedule_all(call, &round, promises, states)?;
    Ok(Arc::clone(&round.ending))
}

/// Tells all others that this process takes no part in a round that has begun.
fn refuse(rounds: &dyn RemoteRounds, far: &FarPlan, key: RoundKey, why: &Error) {
    rounds.refuse(key, RoundRole::Sender, &far.takers(), why);
    rounds.refuse(key, RoundRole::Taker, &far.senders(), why);
    rounds.close(key);
}

/// Takes no part in the next round.
pub(super) fn abstain(call: &Call, plan: &Redistribution, why: &Error) {
    if let Some((far, rounds)) = plan.far.as_ref().zip(call.job().map(|job| job.scheduler.rounds()))
        && far.check_life(rounds).is_ok()
        && let Ok(key) = rounds.begin(far.number)
    {
        refuse(rounds, far, key, why);
    }
}

type Prepared = (Arc<FarRound>, [DatumId; 3], [DatumId; 3]);

/// Checks what is to be redistributed, and makes what the tasks need.
fn prepare(
    call: &Call,
    plan: &Arc<Redistribution>,
    far: &FarPlan,
    (key, arrays, done): (RoundKey, &Arrays, Option<DatumId>),
) -> Result<Prepared, Error> {
    let memories = Memories { arrays: own_arrays(plan, far, arrays)? };
    memories.refuse_known_overlap(call, &mut memories.reaches()?)?;
    let mut promises = [DatumId::NONE; 3];
    for k in 0..promises.len() {
        promises[k] = call.promise(0).map_err(|error| drop_all(call, &promises[..k], error))?;
    }
    let elements = memory::list(arrays.elements.iter().copied()).map_err(|e| drop_all(call, &promises, e))?;
    let round = Arc::new(FarRound {
        plan: Arc::clone(plan),
        key,
        arrays: Digest::of_arrays(&elements),
        elements,
        memories,
        copied: promises[2],
        done,
        begun: AtomicBool::new(false),
        ending: Arc::new(Ending::default()),
        failure: Mutex::new(None),
        offered: Mutex::new(BTreeSet::new()),
        packed: Mutex::new(Vec::new()),
    });
    let mut states = [DatumId::NONE; 3];
    for (k, stage) in [Stage::Offer, Stage::Copy, Stage::End].into_iter().enumerate() {
        let state = StageState { round: Arc::clone(&round), stage, good: AtomicBool::new(false) };
        states[k] = state.into_datum(call).map_err(|error| {
            let error = drop_all(call, &states[..k], error);
            drop_all(call, &promises, error)
        })?;
    }
    Ok((round, promises, states))
}

/// The arrays with the memories of this process.
fn own_arrays(plan: &Redistribution, far: &FarPlan, arrays: &Arrays) -> Result<Vec<Array>, Error> {
    let (sources, targets) = (plan.source_sizes.len(), plan.target_sizes.len());
    let mut list = Vec::new();
    memory::room_for(&mut list, arrays.elements.len())?;
    for (k, &element) in arrays.elements.iter().enumerate() {
        refuse_element(k, element)?;
        let source = &arrays.source[k * sources..(k + 1) * sources];
        let target = &arrays.target[k * targets..(k + 1) * targets];
        for (is_source, ids, sizes) in [(true, source, &plan.source_sizes), (false, target, &plan.target_sizes)] {
            for (m, (&id, &size)) in ids.iter().zip(sizes).enumerate() {
                let holder = far.holder(is_source, m);
                let checked = match holder == far.me {
                    true => fits(id, size, element),
                    false if id == DatumId::NONE => Ok(()),
                    false => Err(Error::argument(format!("it belongs to process {holder}: give {{0, 0}} here"))),
                };
                let side = if is_source { "source" } else { "target" };
                checked.map_err(|e| within(&e, &format!("array {k}, {side} memory {m}")))?;
            }
        }
        let ids = |ids: &[DatumId]| memory::list(ids.iter().copied());
        let program = far.program(plan.copies_and_targets(), PlanPart::Direct(far.me), element)?;
        list.push(Array { program, source: ids(source)?, target: ids(target)? });
    }
    Ok(list)
}

/// Schedules the three tasks. What is left when one of them cannot be scheduled tells the others as it is dropped.
fn schedule_all(
    call: &Call,
    round: &FarRound,
    [come, free, copied]: [DatumId; 3],
    [offer, copy, end]: [DatumId; 3],
) -> Result<(), Error> {
    let mut left = [offer, copy, end, come, free, copied];
    let scheduled = (|| {
        let arguments = round.memories.arguments()?;
        let sources = round.memories.sources()?;
        one(call, &sources, &[free, copied, end], &[])?;
        [left[2], left[4], left[5]] = [DatumId::NONE; 3];
        one(call, &arguments.inputs, &[come, copy], &arguments.outputs)?;
        [left[1], left[3]] = [DatumId::NONE; 2];
        one(call, &sources, &[offer], &[])?;
        left[0] = DatumId::NONE;
        Ok(())
    })();
    scheduled.map_err(|error: Error| {
        round.failure.lock().get_or_insert_with(|| error.clone());
        let unused: Vec<DatumId> = left.into_iter().filter(|id| *id != DatumId::NONE).collect();
        drop_all(call, &unused, error)
    })
}

/// Schedules a task on data of the program, on data whose references it takes over, the state last, and with outputs.
fn one(call: &Call, data: &[DatumId], own: &[DatumId], outputs: &[DatumId]) -> Result<(), Error> {
    let request = data.len() + own.len() - 1;
    let mut ids = Vec::new();
    memory::room_for(&mut ids, request + 1 + outputs.len())?;
    ids.extend_from_slice(data);
    ids.extend_from_slice(own);
    ids.extend_from_slice(outputs);
    let modes =
        memory::list((0..ids.len()).map(|k| if k <= request { ArgumentAccess::In } else { ArgumentAccess::Out }))?;
    for (k, &id) in data.iter().enumerate() {
        call.acquire(id).map_err(|error| drop_all(call, &data[..k], error))?;
    }
    schedule(call, &ids, &modes, (request, run_stage)).map_err(|error| drop_all(call, data, error))
}

/// The task of a stage. Its context is not an address but the place of the state among its arguments.
unsafe extern "C" fn run_stage(context: *mut c_void, ids: *mut [u64; 2], _count: c_int) -> c_int {
    let made = engine::enter().and_then(|call| {
        // SAFETY: that argument is the datum that `into_datum` made; the task has a reference of it until it has ended.
        #[allow(clippy::cast_ptr_alignment, reason = "it is the address of a state, and aligned as such")]
        let state = unsafe { &*call.get(DatumId::from_raw(ids.add(context.addr()).read()))?.0.cast::<StageState>() };
        let made = state.run(&call);
        match &made {
            Ok(()) => state.good.store(true, Ordering::Release),
            Err(error) => drop(state.round.failure.lock().get_or_insert_with(|| error.clone())),
        }
        made
    });
    made.err().map_or(0, |error| error.code() as c_int)
}

fn no_job() -> Error {
    Error::state("the job has ended")
}

impl StageState {
    /// Makes a datum of it, which ends it with its last reference.
    fn into_datum(self, call: &Call) -> Result<DatumId, Error> {
        unsafe extern "C" fn free(addr: *mut c_void, _size: usize) {
            // SAFETY: the address of the box below, which is the datum's; a datum calls this once.
            drop(unsafe { Box::from_raw(addr.cast::<StageState>()) });
        }
        let mut state = ManuallyDrop::new(Box::new(self));
        let made = call.register((&raw mut **state).cast(), size_of::<Self>(), Some(free));
        if made.is_err() {
            drop(ManuallyDrop::into_inner(state)); // no datum has it
        }
        made
    }

    fn run(&self, call: &Call) -> Result<(), Error> {
        let rounds = call.job().ok_or_else(no_job)?.scheduler.rounds();
        match self.stage {
            Stage::Offer => self.round.offer(call, rounds),
            Stage::Copy => self.round.copy(call, rounds),
            Stage::End => Ok(()),
        }
    }
}

impl Drop for StageState {
    fn drop(&mut self) {
        let good = self.good.load(Ordering::Acquire);
        let call = engine::enter();
        let rounds = call.as_ref().ok().and_then(Call::job).map(|job| job.scheduler.rounds());
        if let (Ok(call), Some(rounds)) = (&call, rounds) {
            self.round.stage_over(call, rounds, self.stage, good);
        }
        if self.stage == Stage::End {
            self.round.ending.end();
        }
    }
}

impl FarRound {
    fn far(&self) -> Result<&FarPlan, Error> {
        self.plan.far.as_ref().ok_or_else(no_job)
    }

    /// A task is over: whoever waits for it is told.
    fn stage_over(&self, call: &Call, rounds: &dyn RemoteRounds, stage: Stage, good: bool) {
        let Some(far) = self.plan.far.as_ref().filter(|_| self.begun.load(Ordering::Acquire)) else { return };
        let why = || {
            rounds.failure(self.key).or_else(|| self.failure.lock().clone()).unwrap_or_else(|| {
                let text = format!("a memory of process {} will never have a value", far.me);
                Error::new(dvm_retcode_t::DVM_ERR_POISONED, text)
            })
        };
        match stage {
            Stage::Offer if !good => rounds.refuse(self.key, RoundRole::Sender, &self.not_offered(far), &why()),
            Stage::Offer => {}
            Stage::Copy => {
                if !good {
                    rounds.refuse(self.key, RoundRole::Taker, &far.senders(), &why());
                }
                call.settle(self.copied, true);
            }
            Stage::End => {
                let failure = rounds.close(self.key).or_else(|| self.failure.lock().clone());
                let outcome = match failure {
                    Some(failure) => Some(Err(failure)),
                    None => good.then_some(Ok(())),
                };
                if let Some(done) = self.done {
                    call.settle(done, matches!(outcome, Some(Ok(()))));
                }
                self.ending.told(outcome);
            }
        }
    }

    /// Those that have got no offer: an offer that fails leaves the rest without one.
    fn not_offered(&self, far: &FarPlan) -> BTreeSet<ProcessId> {
        let offered = self.offered.lock();
        far.takers().into_iter().filter(|taker| !offered.contains(taker)).collect()
    }

    /// Offers all takers their elements.
    fn offer(&self, call: &Call, rounds: &dyn RemoteRounds) -> Result<(), Error> {
        let far = self.far()?;
        let after = far.parts.to.range(far.me..).chain(far.parts.to.range(..far.me));
        for (&to, message) in after {
            let mut memories = Vec::new();
            for array in &self.memories.arrays {
                for &memory in &message.memories {
                    memories.push(source_bytes(call, array.source[memory as usize])?);
                }
            }
            if !rounds.offer_memories(self.key, self.arrays, process(to), &memories) {
                let packed = self.pack(call, far, to)?;
                self.packed.lock().extend(rounds.offer_packed(self.key, self.arrays, process(to), packed));
            }
            self.offered.lock().insert(process(to));
        }
        Ok(())
    }

    /// The elements for a taker.
    fn pack(&self, call: &Call, far: &FarPlan, to: u32) -> Result<FreshBytes, Error> {
        let elements = far.parts.to[&to].elements as usize;
        let mut packed = FreshBytes::new(self.elements.iter().map(|element| element * elements).sum())?;
        let (mut works, mut at) = (Vec::new(), 0);
        for (array, &element) in self.memories.arrays.iter().zip(&self.elements) {
            let program = far.program(self.plan.copies_and_targets(), PlanPart::Pack(to), element)?;
            let source = addresses(call, &array.source)?;
            works.push(Work { program, source, target: vec![packed.as_mut()[at..].as_mut_ptr()] });
            at += elements * element;
        }
        // SAFETY: the sizes were checked when the round was made; the task has references of all source memories, and the
        // message is as long as all its elements and nobody else's.
        unsafe { perform(call, works) };
        Ok(packed)
    }

    /// Makes all copies into the target memories of this process.
    fn copy(&self, call: &Call, rounds: &dyn RemoteRounds) -> Result<(), Error> {
        let far = self.far()?;
        self.memories.refuse_overlap(&mut self.memories.reaches()?, |id| call.get(id).map(Some))?;
        let deliveries = rounds.deliveries(self.key)?;
        let mut works = Vec::new();
        for array in &self.memories.arrays {
            let program = Arc::clone(&array.program);
            works.push(Work {
                program,
                source: addresses(call, &array.source)?,
                target: addresses(call, &array.target)?,
            });
        }
        for (from, delivered) in &deliveries {
            self.add_works(call, far, from.index() as u32, delivered, &mut works)?;
        }
        // SAFETY: the sizes of this process's memories were checked when the round was made, those of others just now; the task
        // has references of all memories, the senders keep theirs until they are told below, and none overlap. That nobody else
        // writes them meanwhile is the callers' promise to `dvm_redistribute`.
        unsafe { perform(call, works) };
        for from in far.parts.from.values() {
            far.count(self.elements.iter().map(|&element| from.elements as u64 * element as u64).sum());
        }
        rounds.taken(self.key, &far.senders());
        Ok(())
    }

    /// Adds the copies of what a sender has delivered.
    fn add_works(
        &self,
        call: &Call,
        far: &FarPlan,
        from: u32,
        delivered: &Delivered,
        works: &mut Vec<Work>,
    ) -> Result<(), Error> {
        let message = far.parts.from.get(&from).ok_or_else(|| other_memories(from))?;
        let mut at = 0;
        for (k, (array, &element)) in self.memories.arrays.iter().zip(&self.elements).enumerate() {
            let target = addresses(call, &array.target)?;
            let (part, source) = match delivered {
                Delivered::Packed(packed) => {
                    let bytes = packed.bytes();
                    let length = message.elements as usize * element;
                    if bytes.len() < at + length {
                        return Err(other_memories(from));
                    }
                    let start = bytes.cast::<u8>().as_ptr().wrapping_add(at);
                    at += length;
                    (PlanPart::Unpack(from), vec![start])
                }
                Delivered::Memories(memories) => {
                    let count = message.memories.len();
                    let own = memories.get(k * count..(k + 1) * count).ok_or_else(|| other_memories(from))?;
                    (PlanPart::Direct(from), self.sender_addresses(from, &message.memories, own, element)?)
                }
            };
            works.push(Work { program: far.program(self.plan.copies_and_targets(), part, element)?, source, target });
        }
        Ok(())
    }

    /// The addresses of a sender's memories, at the places of their numbers.
    fn sender_addresses(
        &self,
        from: u32,
        numbers: &[u32],
        memories: &[PackedElements],
        element: usize,
    ) -> Result<Vec<*mut u8>, Error> {
        let mut addresses = vec![std::ptr::null_mut(); self.plan.source_sizes.len()];
        for (&memory, bytes) in numbers.iter().zip(memories) {
            let bytes = bytes.bytes();
            if bytes.len() < self.plan.source_sizes[memory as usize] as usize * element {
                return Err(other_memories(from));
            }
            addresses[memory as usize] = bytes.cast::<u8>().as_ptr();
        }
        Ok(addresses)
    }
}

#[cold]
fn other_memories(from: u32) -> Error {
    Error::argument(format!("process {from} offers other memories than those of the plan"))
}

/// The bytes of a source memory.
fn source_bytes(call: &Call, id: DatumId) -> Result<NonNull<[u8]>, Error> {
    let (address, size) = call.get(id)?;
    let address = NonNull::new(address).ok_or_else(|| Error::state(format!("datum {id} has no bytes")))?;
    Ok(NonNull::slice_from_raw_parts(address, size))
}

/// The addresses of the memories of this process.
fn addresses(call: &Call, ids: &[DatumId]) -> Result<Vec<*mut u8>, Error> {
    memory::tried(
        ids.iter().map(|&id| if id == DatumId::NONE { Ok(std::ptr::null_mut()) } else { Ok(call.get(id)?.0) }),
    )
}
