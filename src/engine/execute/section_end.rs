//! The blocking section of a thread: its task has left the worker, and gets it back at the section's end.
//! `section_begin` begins a section.

use std::cell::Cell;

use crate::engine::context::call::Call;
use crate::engine::context::source::Mark;
use crate::engine::context::{ThreadContext, forked_child};
use crate::error::Error;

/// A section that a task on this thread has begun.
#[derive(Clone, Copy)]
pub(crate) struct Section {
    pub(crate) worker: usize,
    /// The source that the worker was polling when the section began: a tile that begins a section is part of that source.
    pub(crate) polled: Mark,
    /// The cores that the task had before the section.
    pub(crate) cores: u32,
}

thread_local! {
    pub(crate) static SECTION: Cell<Option<Section>> = const { Cell::new(None) };
}

/// True on a thread whose task is in a blocking section.
pub(crate) fn is_in_section() -> bool {
    SECTION.get().is_some()
}

impl Call {
    /// The worker whose task makes the call, also from the task's blocking section.
    pub(crate) fn executor(&self) -> Option<usize> {
        self.worker().or_else(|| SECTION.get().map(|section| section.worker))
    }

    /// Refuses sections where no task could have one; true if there is a worker to leave.
    pub(crate) fn may_have_sections(&self, function: &str) -> Result<bool, Error> {
        if !self.inside_task() {
            return Err(Error::state(format!("{function} is for tasks and tiles: no worker waits for this thread")));
        }
        if self.context.is_giving_back() {
            return Err(Error::state(format!("{function} is not for free callbacks: they belong to no task")));
        }
        if self.context.sealed.get() {
            return Err(Error::state(format!("{function} is not for a graph's predecessors function: it only counts")));
        }
        Ok(self.worker().is_some())
    }

    /// `dvm_blocking_end`.
    pub(crate) fn blocking_end(&self) -> Result<(), Error> {
        let on_worker = self.may_have_sections("dvm_blocking_end")?;
        if SECTION.get().is_some() {
            self.return_to_slot();
            return Ok(());
        }
        if on_worker {
            return Err(Error::state("this task is in no blocking section: dvm_blocking_begin begins one"));
        }
        Ok(())
    }

    /// Ends the section that a task left open, if the task has just ended here, in whatever way.
    #[inline]
    pub(crate) fn end_section(&self) {
        if self.context.worker().is_none() && SECTION.get().is_some() {
            self.return_to_slot();
        }
    }

    #[cold]
    fn return_to_slot(&self) {
        let Some(section) = SECTION.take() else { return };
        let engine = self.engine();
        let worker = &engine.workers[section.worker];
        worker.slot.0.come_back(|| {
            worker.parker.0.wake();
        });
        // SAFETY: the thread holds the slot again, until it is dismissed or ends.
        unsafe { self.context.employ(self.engine, section.worker) };
        if let Some(post) = self.context.post() {
            self.context.with(|own| own.receive(post));
        }
        worker.polling.0.set(section.polled);
        self.context.depth.set(self.context.depth.get() - 1);
        self.note_return(section.worker);
        engine.take_cores(section.worker, section.cores);
    }

    /// Notes that the task of this thread has its worker again.
    pub(crate) fn note_return(&self, worker: usize) {
        if let Some((task, signature)) = self.context.with(|own| own.frame.running()) {
            self.engine().workers[worker].counts.0.note_running(task, signature);
            self.engine().blocked_tasks.remove(task);
        }
    }
}

/// Calls a function of the program during which this thread stays its worker.
#[inline]
pub(crate) fn sealed<R>(ask: impl FnOnce() -> R) -> R {
    let context = ThreadContext::current();
    context.sealed.set(true);
    let answer = ask();
    if forked_child::is_orphan() {
        forked_child::end_without_worker(0);
    }
    context.sealed.set(false);
    answer
}

/// Ends the section that a tile left open, if the tile has just ended on this thread.
#[inline]
pub(crate) fn end_section() {
    let context = ThreadContext::current();
    if context.worker().is_none() {
        forked_child::end_without_worker(0);
        if SECTION.get().is_some()
            && let Some(engine) = context.engine.get()
        {
            Call { context, engine, outermost: false }.return_to_slot();
        }
    }
}
