//! Copies that come one by one, as pairs of a send and a receive (`dvm_dma.h`).

use std::sync::Arc;

use crate::sync::lock::Mutex;

use super::copy_list::{Copies, Level};
use super::far_plan::BothHolders;
use super::far_round;
use super::plan::Redistribution;
use super::planning::{agree, decline};
use super::program::Program;
use super::round::{Arrays, Ending, Round};
use super::shape::LONGEST_ELEMENT;
use crate::data::{DatumId, Readiness, STORE};
use crate::engine::Call;
use crate::error::{Error, dvm_retcode_t};
use crate::memory;

/// Copies are started once so many bytes, or so many copies, have come together.
const BATCH_BYTES: i64 = 4 << 20;
const BATCH_COPIES: usize = 4096;

/// One side of a copy, in elements: (count, stride) per level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) memory: i64,
    pub(crate) offset: i64,
    pub(crate) levels: Vec<(i64, i64)>,
}

/// A memory and how many elements it has.
struct Memory {
    id: DatumId,
    elements: i64,
}

#[derive(Default)]
struct State {
    /// A send without its receive.
    pending: Option<Side>,
    batch: Copies,
    bytes: i64,
    /// The first failure since the last wait.
    failure: Option<Error>,
    /// Batches under way.
    started: Vec<Arc<Ending>>,
}

/// An engine between source and target memories.
pub(crate) struct Dma {
    element: usize,
    source: Vec<Memory>,
    target: Vec<Memory>,
    /// The processes of the memories, if they are not all this one's.
    holders: Option<BothHolders>,
    state: Mutex<State>,
}

impl Dma {
    /// An engine for elements of so many bytes.
    pub(crate) fn open(element: usize, source: &[DatumId], target: &[DatumId]) -> Result<Self, Error> {
        if !(1..=LONGEST_ELEMENT).contains(&element) {
            return Err(Error::argument(format!("an element has {element} bytes: give 1 to {LONGEST_ELEMENT}")));
        }
        let memories = |ids: &[DatumId], written: bool| -> Result<Vec<Memory>, Error> {
            memory::tried(ids.iter().map(|&id| memory_of(id, element, written)))
        };
        Ok(Self {
            element,
            source: memories(source, false)?,
            target: memories(target, true)?,
            holders: None,
            state: Mutex::new(State::default()),
        })
    }

    /// The same between memories of these processes; the ids of others' memories are those of none.
    pub(crate) fn open_over(
        call: &Call,
        element: usize,
        (source, source_process): (&[DatumId], &[i64]),
        (target, target_process): (&[DatumId], &[i64]),
    ) -> Result<Self, Error> {
        let mut engine = Self::open(element, source, target)?;
        let source = holders(call, "source", source_process, &mut engine.source)?;
        engine.holders = Some((source, holders(call, "target", target_process, &mut engine.target)?));
        Ok(engine)
    }

    /// The source side of a copy.
    pub(crate) fn send(&self, side: Side) -> Result<(), Error> {
        let mut state = self.state.lock();
        let checked = match &state.pending {
            Some(_) => Err(Error::state("a send follows a send: each needs its receive")),
            None => check(&side, &self.source, "source"),
        };
        // Also after a refused send its receive is expected.
        state.pending = Some(side);
        state.note(checked)
    }

    /// The target side of the copy that the last send began.
    pub(crate) fn receive(&self, call: &Call, side: &Side) -> Result<(), Error> {
        let mut state = self.state.lock();
        let Some(from) = state.pending.take() else {
            return state.note(Err(Error::state("a receive without a send")));
        };
        let checked = match_up(&from, side)
            .and_then(|()| check(&from, &self.source, "source"))
            .and_then(|()| check(side, &self.target, "target"));
        state.note(checked)?;
        if state.failure.is_some() {
            return Ok(());
        }
        let levels: Vec<Level> =
            from.levels.iter().zip(&side.levels).map(|(s, t)| Level { count: s.0, source: s.1, target: t.1 }).collect();
        // Not more than the target has places, so it fits.
        let volume: i64 = levels.iter().map(|l| l.count).product();
        let added = state.batch.add((from.memory as u32, side.memory as u32), (from.offset, side.offset), levels);
        state.note(added)?;
        state.bytes = state.bytes.saturating_add(volume.saturating_mul(self.element as i64));
        let full = state.bytes >= BATCH_BYTES || state.batch.list.len() >= BATCH_COPIES;
        if full && self.holders.is_none() {
            let started = self.start(call, &mut state);
            return state.note(started);
        }
        Ok(())
    }

    /// Waits for all copies so far; the first failure since the last wait.
    pub(crate) fn wait(&self, call: &Call) -> Result<(), Error> {
        let mut state = self.state.lock();
        if !state.started.is_empty() && call.inside_task() {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_IN_TASK,
                "a task cannot wait for copies that were started outside of it",
            ));
        }
        if state.pending.take().is_some() {
            let _ = state.note(Err(Error::state("a send without a receive")));
        }
        if let Some(holders) = &self.holders {
            return self.exchange(call, &mut state, holders);
        }
        if state.failure.is_none() {
            let started = self.start(call, &mut state);
            let _ = state.note(started);
        }
        state.batch = Copies::default();
        state.bytes = 0;
        let _sleeps = call.sleeps();
        for batch in std::mem::take(&mut state.started) {
            let _ = state.note(batch.wait());
        }
        state.failure.take().map_or(Ok(()), Err)
    }

    /// Makes all copies so far together with the other processes, which have listed the same.
    fn exchange(&self, call: &Call, state: &mut State, holders: &BothHolders) -> Result<(), Error> {
        let batch = std::mem::take(&mut state.batch);
        state.bytes = 0;
        if call.inside_task() {
            decline(call);
            return Err(Error::new(dvm_retcode_t::DVM_ERR_IN_TASK, "a task cannot wait for the other processes"));
        }
        let made = state.failure.take().map_or(Ok(()), Err).and_then(|()| {
            let plan = Redistribution::of_copies(batch, self.source.len(), self.target.len())?;
            Ok((plan, (Arc::clone(&holders.0), Arc::clone(&holders.1))))
        });
        let plan = Arc::new(agree(call, call.process().0 as u32, made)?);
        let ended = self.start_round(call, &plan).and_then(|ending| {
            let _sleeps = call.sleeps();
            ending.drive(call);
            ending.wait()
        });
        if let Some(far) = &plan.far {
            far.free(call);
        }
        ended
    }

    fn start_round(&self, call: &Call, plan: &Arc<Redistribution>) -> Result<Arc<Ending>, Error> {
        // Memories without a copy take no part.
        let ids = |memories: &[Memory], sizes: &[i64]| {
            let used = |(memory, &size): (&Memory, &i64)| if size > 0 { memory.id } else { DatumId::NONE };
            memory::list(memories.iter().zip(sizes).map(used))
        };
        let sides = ids(&self.source, &plan.source_sizes)
            .and_then(|source| Ok((source, ids(&self.target, &plan.target_sizes)?)))
            .inspect_err(|error| far_round::abstain(call, plan, error))?;
        let arrays = Arrays { elements: &[self.element], source: &sides.0, target: &sides.1 };
        match &plan.far {
            Some(_) => far_round::start(call, plan, &arrays, None),
            None => Round::new(call, plan, &arrays)?.start(call),
        }
    }

    /// Starts the copies that have come together. In a task they are made at once.
    fn start(&self, call: &Call, state: &mut State) -> Result<(), Error> {
        if state.batch.list.is_empty() {
            return Ok(());
        }
        let batch = std::mem::take(&mut state.batch);
        state.bytes = 0;
        memory::room_for(&mut state.started, 1)?;
        let none = |memories: &[Memory]| memory::list(memories.iter().map(|_| DatumId::NONE));
        let (mut source, mut target) = (none(&self.source)?, none(&self.target)?);
        for copy in &batch.list {
            source[copy.source as usize] = self.source[copy.source as usize].id;
            target[copy.target as usize] = self.target[copy.target as usize].id;
        }
        let round = Round::of(Program::new(&batch, self.element)?, source, target)?;
        if call.inside_task() {
            return round.perform(call);
        }
        state.started.push(round.start(call)?);
        Ok(())
    }
}

impl State {
    /// Keeps a failure for the next wait.
    fn note(&mut self, result: Result<(), Error>) -> Result<(), Error> {
        if let Err(error) = &result {
            self.failure.get_or_insert_with(|| error.clone());
        }
        result
    }
}

/// The processes of memories; how long those of others are is not known here.
fn holders(call: &Call, side: &str, given: &[i64], memories: &mut [Memory]) -> Result<Arc<[u32]>, Error> {
    let (me, processes) = call.process();
    let mut holders = Vec::new();
    memory::room_for(&mut holders, given.len())?;
    for (number, (&process, memory)) in given.iter().zip(memories).enumerate() {
        let Some(process) = u32::try_from(process).ok().filter(|&p| u64::from(p) < processes) else {
            let text = format!("{side} memory {number} is to be of process {process}, the job has {processes}");
            return Err(Error::argument(text));
        };
        if u64::from(process) != me {
            if memory.id != DatumId::NONE {
                let text = format!("{side} memory {number} belongs to process {process}: give {{0, 0}} here");
                return Err(Error::argument(text));
            }
            // Its process refuses what is outside of it.
            memory.elements = i64::MAX;
        }
        holders.push(process);
    }
    Ok(holders.into())
}

fn memory_of(id: DatumId, element: usize, written: bool) -> Result<Memory, Error> {
    if id == DatumId::NONE {
        return Ok(Memory { id, elements: 0 });
    }
    let size = STORE.size(id)?;
    if written && STORE.readiness(id) == Readiness::Promised {
        return Err(Error::new(
            dvm_retcode_t::DVM_ERR_NOT_READY,
            format!("datum {id} is a promise: a target memory has to be published"),
        ));
    }
    Ok(Memory { id, elements: (size / element) as i64 })
}

/// Makes sure that the two sides of a copy have the same counts.
fn match_up(from: &Side, to: &Side) -> Result<(), Error> {
    let counts = |side: &Side| side.levels.iter().map(|l| l.0).collect::<Vec<_>>();
    if counts(from) == counts(to) {
        return Ok(());
    }
    Err(Error::argument(format!("the send has the counts {:?}, its receive {:?}", counts(from), counts(to))))
}

/// Makes sure that all places of a side lie in its memory.
fn check(side: &Side, memories: &[Memory], which: &str) -> Result<(), Error> {
    let memory = usize::try_from(side.memory).ok().and_then(|m| memories.get(m)).ok_or_else(|| {
        Error::argument(format!("{which} memory {} is none of the {} of the engine", side.memory, memories.len()))
    })?;
    let (mut least, mut most) = (i128::from(side.offset), i128::from(side.offset));
    let mut volume = 1_i128;
    for &(count, stride) in &side.levels {
        if count < 1 {
            return Err(Error::argument(format!("a count is {count}: counts are positive")));
        }
        if count > 1 && stride == 0 && which == "target" {
            return Err(Error::argument(format!("{count} elements go to one place: a target stride is 0")));
        }
        volume = volume.saturating_mul(count.into());
        let far = i128::from(count - 1) * i128::from(stride);
        (least, most) = (least + far.min(0), most + far.max(0));
    }
    if which == "target" && volume > i128::from(memory.elements) {
        let text = format!("{volume} elements have no places in target memory {}", side.memory);
        return Err(Error::new(dvm_retcode_t::DVM_ERR_SIZE, text));
    }
    if least < 0 || most >= i128::from(memory.elements) {
        return Err(Error::new(
            dvm_retcode_t::DVM_ERR_SIZE,
            format!(
                "the places {least} to {most} are not in {which} memory {}, which has {} elements",
                side.memory, memory.elements
            ),
        ));
    }
    Ok(())
}
