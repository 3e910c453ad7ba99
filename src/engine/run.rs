//! One task, from start to end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use super::lane::count;
use super::{Call, panic_text};
use crate::data::{Carry, DataId, Outcome, STORE, Storage};
use crate::error::Error;
use crate::processing::Mode;
use crate::task::{POOL, Task};

impl Call {
    /// Runs a task, or cancels it, and lets everything go that it held. The caller is the worker `me`.
    pub(super) fn run(&self, task: *mut Task, me: usize) {
        // SAFETY: a task out of a queue belongs to the worker that took it out.
        let outcome = if unsafe { (*task).poisoned.load(Ordering::Relaxed) } {
            self.engine().failures.cancelled();
            Outcome::Poisoned
        } else {
            match self.traced(task, me) {
                Ok(()) => Outcome::Published,
                Err(story) => {
                    // SAFETY: as above.
                    let description = unsafe { (*task).plan().description };
                    let rank = self.machine().rank(me);
                    let rank = &rank[..self.machine().dimension()];
                    self.engine().failures.failed(|| format!("processing '{description}' {story} on rank {rank:?}"));
                    Outcome::Poisoned
                }
            }
        };
        self.finish(task, outcome, me);
    }

    /// Executes a task, and records it when a trace is on.
    fn traced(&self, task: *mut Task, me: usize) -> Result<(), String> {
        let trace = self.engine().trace();
        let start = trace.begin();
        // SAFETY: the task belongs to this worker.
        self.engine().note_running(me, Some(unsafe { (*task).plan().description }));
        let result = self.execute(task);
        self.engine().note_running(me, None);
        if trace.is_on() {
            // SAFETY: the task belongs to this worker.
            trace.task(me, start, unsafe { (*task).plan().description });
        }
        result
    }

    /// Calls the function; what went wrong is told in words.
    fn execute(&self, task: *mut Task) -> Result<(), String> {
        // SAFETY: the task belongs to this worker; nobody else looks at it until it has ended.
        let task_ref = unsafe { &*task };
        let plan = *task_ref.plan();
        if task_ref.carries {
            carry_all(self, task_ref).map_err(|error| format!("could not start: {error}"))?;
        }
        let mut ids = self.lane.with(|own| {
            own.frame.task = task;
            std::mem::take(&mut own.frame.ids)
        });
        ids.clear();
        ids.extend_from_slice(task_ref.ids());
        self.lane.depth.set(self.lane.depth.get() + 1);
        // SAFETY: whoever registered the function says that it takes so many arguments.
        let result = catch_unwind(AssertUnwindSafe(|| unsafe { plan.callee.call(&mut ids) }));
        self.lane.depth.set(self.lane.depth.get() - 1);
        self.lane.with(|own| own.frame.ids = ids);
        self.lane.put_all();
        match result {
            Ok(0) => Ok(()),
            Ok(code) => Err(format!("returned {code}")),
            Err(payload) => Err(format!("panicked ({})", panic_text(payload.as_ref()))),
        }
    }

    /// Publishes or poisons the outputs, drops the references, and gives the descriptor back.
    fn finish(&self, task: *mut Task, outcome: Outcome, me: usize) {
        // SAFETY: the task belongs to this worker; nobody else looks at it.
        let task_ref = unsafe { &*task };
        let plan = *task_ref.plan();
        if plan.modes.is_some() {
            for (place, &id) in task_ref.ids().iter().enumerate() {
                if plan.mode(place) == Mode::Out {
                    let bytes = if outcome == Outcome::Published { self.traced_size(id) } else { None };
                    self.trace_publication(id, bytes);
                    let waiters = self.lane.with(|own| STORE.finish(&mut own.data, id, outcome, me as u32));
                    self.activate(waiters, outcome);
                }
            }
        }
        self.lane.with(|own| {
            for (place, &id) in task_ref.ids().iter().enumerate() {
                if plan.mode(place) == Mode::In {
                    STORE.drop_taken(&mut own.data, id);
                }
            }
            // SAFETY: it came from the pool, and belongs to this worker; no datum has it on its list.
            unsafe { POOL.give(&mut own.tasks, task) };
        });
        self.lane.give_back();
        let worker = &self.engine().workers[me];
        count(&worker.ended);
        count(&self.lane.counters.ended);
    }
}

/// Gives each output of a starting task that carries an input on its storage: the last one of each input may have the
/// input's own, the others get copies before that.
fn carry_all(call: &Call, task: &Task) -> Result<(), Error> {
    let ids = task.ids();
    let plan = task.plan();
    let outputs = || (0..ids.len()).filter(|&place| plan.mode(place) == Mode::Out);
    for place in outputs() {
        let Some(predecessor) = STORE.predecessor(ids[place]) else { continue };
        let last = !outputs().any(|later| later > place && STORE.predecessor(ids[later]) == Some(predecessor));
        let mine = (0..ids.len()).filter(|&input| ids[input] == predecessor && plan.mode(input) == Mode::In).count();
        carry(call, ids[place], predecessor, mine as u32, last)?;
    }
    Ok(())
}

fn carry(call: &Call, id: DataId, predecessor: DataId, mine: u32, may_move: bool) -> Result<(), Error> {
    let storage = match STORE.carry(predecessor, mine, may_move)? {
        Carry::Moved(storage) => storage,
        Carry::Copy { from, size } => {
            let trace = call.engine().trace();
            let start = trace.begin();
            // SAFETY: the task holds a reference of its published input: the bytes stay and do not change.
            let copy = unsafe { Storage::copied(from, size) };
            trace.copy(call.worker(), start, predecessor[1], size);
            copy.ok_or_else(|| crate::data::no_memory(size))?
        }
    };
    STORE.adopt(id, storage);
    Ok(())
}
