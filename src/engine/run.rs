//! One task, from start to end.

use std::ptr;
use std::sync::atomic::Ordering;

use super::Call;
use super::lane::{FEW, count};
use crate::data::{Carry, DataId, Outcome, STORE};
use crate::error::Error;
use crate::processing::Mode;
use crate::sync::inbox::Chain;
use crate::task::{POOL, Task};

impl Call {
    /// Runs a task, or cancels it, and lets everything go that it held. The caller is the worker `me`.
    #[inline]
    pub(super) fn run(&self, task: *mut Task, me: usize) {
        // SAFETY: a task out of a queue belongs to the worker that took it out.
        unsafe {
            if (*task).near && (*task).worker != me as u16 {
                self.moved(&mut (*task).worker, me);
            }
        }
        // SAFETY: as above; nobody writes to a task that runs.
        let task_ref = unsafe { &*task };
        let outcome = if task_ref.poisoned {
            self.engine().failures.cancelled();
            Outcome::Poisoned
        } else {
            match self.traced(task_ref, me) {
                Ok(()) => Outcome::Published,
                Err(story) => {
                    self.failed(task_ref, &story, me);
                    Outcome::Poisoned
                }
            }
        };
        self.finish(task, outcome, me);
    }

    /// A near task runs elsewhere than it was to: it is counted here.
    #[cold]
    fn moved(&self, worker: &mut u16, me: usize) {
        let workers = &self.engine().workers;
        count(&workers[me].counts.0.own);
        workers[*worker as usize].assigned.0.fetch_sub(1, Ordering::Relaxed);
        *worker = me as u16;
    }

    /// Notes that a task has failed.
    #[cold]
    fn failed(&self, task: &Task, story: &str, me: usize) {
        let description = task.plan().description;
        let rank = &self.machine().rank(me)[..self.machine().dimension()];
        self.engine().failures.failed(|| format!("processing '{description}' {story} on rank {rank:?}"));
    }

    /// Executes a task, for all to see, and records it when a trace is on.
    #[inline]
    fn traced(&self, task: &Task, me: usize) -> Result<(), String> {
        let trace = self.engine().trace();
        let start = trace.begin();
        self.engine().note_running(me, task);
        let result = self.execute(task);
        self.engine().note_idle(me);
        if trace.is_on() {
            trace.task(me, start, task.plan().description);
        }
        result
    }

    /// Calls the function; what went wrong is told in words.
    #[inline]
    fn execute(&self, task: &Task) -> Result<(), String> {
        if task.plan().modes.is_some() {
            carry_all(self, task).map_err(|error| format!("could not start: {error}"))?;
        }
        if task.count() > FEW {
            let mut ids: Vec<DataId> = task.ids().collect();
            return self.call(task, &mut ids);
        }
        let mut ids = [[0; 2]; FEW];
        for (place, id) in task.ids().enumerate() {
            ids[place] = id;
        }
        let count = task.count();
        self.call(task, &mut ids[..count])
    }

    /// Calls the function with ids that it may write to.
    #[inline]
    fn call(&self, task: &Task, ids: &mut [DataId]) -> Result<(), String> {
        let (callee, cores) = (task.plan().callee, task.plan().cores);
        self.lane.with(|own| own.frame.task = ptr::from_ref(task).cast_mut());
        let result = self.call_back(callee, cores, ids);
        self.lane.put_all();
        result
    }

    /// Publishes or poisons the outputs, drops the references, and gives the descriptor back.
    #[inline]
    fn finish(&self, task: *mut Task, outcome: Outcome, me: usize) {
        // SAFETY: the task belongs to this worker; nobody else looks at it.
        let task_ref = unsafe { &*task };
        let plan = task_ref.plan();
        let waiters = if plan.modes.is_some() { self.publish_outputs(task_ref, outcome, me) } else { Chain::EMPTY };
        self.lane.with(|own| {
            for (place, id) in task_ref.ids().enumerate() {
                if plan.mode(place) == Mode::In {
                    STORE.drop_taken(&mut own.data, id);
                }
            }
            // SAFETY: it came from the pool, and belongs to this worker; it is in no list.
            unsafe { POOL.give(&mut own.tasks, task) };
            own.finishing = true;
        });
        self.activate(waiters, outcome);
        self.lane.with(|own| own.finishing = false);
        self.lane.give_back();
        count(&self.engine().workers[me].counts.0.ended);
        count(&self.lane.counters.ended);
    }
}

impl Call {
    /// Publishes or poisons the outputs of a task that has ended. Who waited for the last one is left to the caller,
    /// who has something else to do while their descriptors come from another core.
    #[inline]
    fn publish_outputs(&self, task: &Task, outcome: Outcome, me: usize) -> Chain {
        let mut waiters = Chain::EMPTY;
        for (place, id) in task.ids().enumerate() {
            if task.plan().mode(place) == Mode::Out {
                let bytes = if outcome == Outcome::Published { self.traced_size(id) } else { None };
                self.trace_publication(id, bytes);
                self.activate(std::mem::replace(&mut waiters, Chain::EMPTY), outcome);
                waiters = self.lane.with(|own| STORE.finish(&mut own.data, id, outcome, me as u32));
            }
        }
        waiters.expect();
        waiters
    }
}

/// Gives each output of a starting task that carries an input on its storage: the last one of each input may have the
/// input's own, the others get copies before that.
#[inline]
fn carry_all(call: &Call, task: &Task) -> Result<(), Error> {
    let plan = task.plan();
    let outputs = || (0..task.count()).filter(|&place| plan.mode(place) == Mode::Out);
    for place in outputs() {
        STORE.expect_waiter(task.id(place));
        let Some(predecessor) = STORE.predecessor(task.id(place)) else { continue };
        let last = !outputs().any(|later| later > place && STORE.predecessor(task.id(later)) == Some(predecessor));
        let reads = |input: &usize| task.id(*input) == predecessor && plan.mode(*input) == Mode::In;
        let mine = (0..task.count()).filter(reads).count();
        carry(call, task.id(place), predecessor, mine as u32, last)?;
    }
    Ok(())
}

fn carry(call: &Call, id: DataId, predecessor: DataId, mine: u32, may_move: bool) -> Result<(), Error> {
    let storage = match STORE.carry(predecessor, mine, may_move) {
        Carry::Moved(storage) => storage,
        Carry::Copy { from, size } => {
            let trace = call.engine().trace();
            let start = trace.begin();
            // SAFETY: the task holds a reference of its published input: the bytes stay and do not change.
            let copy = call.lane.with(|own| unsafe { own.data.copied(from, size) });
            trace.copy(call.worker(), start, predecessor[1], size);
            copy?
        }
    };
    STORE.adopt(id, &storage);
    Ok(())
}
