//! Blocking sections: a task that is about to wait for something outside libdvm leaves its worker to another thread.
//!
//! `idle::slot` has the protocol; a section also gives up the task's cores, and takes them back.

use std::cell::Cell;

use crate::sync::thread::Thread;

use super::source::Mark;
use super::worker::{self, Address};
use super::{Call, Engine, ThreadContext};
use crate::error::{Error, dvm_retcode_t};
use crate::memory;

/// Threads started for blocking sections.
#[derive(Default)]
pub(super) struct StandIns {
    pub(super) list: Vec<Thread>,
    /// The last one that has ended, or is about to.
    pub(super) retired: Option<Thread>,
}

/// A section that a task on this thread has begun.
#[derive(Clone, Copy)]
struct Section {
    worker: usize,
    /// What the worker was polling when the section began: the tile that began it is a part of that.
    polled: Mark,
    /// The cores that the task had, and gave up for the section.
    cores: u32,
}

thread_local! {
    static SECTION: Cell<Option<Section>> = const { Cell::new(None) };
}

/// True on a thread whose task is in a blocking section.
pub(super) fn is_in_section() -> bool {
    SECTION.get().is_some()
}

impl Call {
    /// The worker whose task makes the call, also from a blocking section of it.
    pub(crate) fn executor(&self) -> Option<usize> {
        self.worker().or_else(|| SECTION.get().map(|section| section.worker))
    }

    /// Refuses sections where there is no task that could have one; true when there is a worker to leave.
    fn may_have_sections(&self, function: &str) -> Result<bool, Error> {
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

    /// `dvm_blocking_begin`.
    pub(crate) fn blocking_begin(&self) -> Result<(), Error> {
        let Some(me) = self.may_have_sections("dvm_blocking_begin")?.then(|| self.worker()).flatten() else {
            return match SECTION.get() {
                Some(_) => Err(Error::state("this task is in a blocking section already: end that one first")),
                None => Ok(()), // a lone tile on a thread of the program, which keeps no worker
            };
        };
        memory::check()?;
        let engine = self.engine();
        let worker = &engine.workers[me];
        let task = self.context.with(|own| own.frame.task);
        engine.blocked_tasks.add(task, me, &worker.counts.0);
        worker.counts.0.note_idle();
        let section = Section { worker: me, polled: worker.polling.0.mark(), cores: engine.arbiter.held_by(me) };
        engine.give_up_cores(me);
        self.context.with(|own| worker.leave_behind(own, || engine.holders.add(me)));
        let left = worker.slot.0.leave(|number| {
            let thread = super::lifecycle::without_signals(|| worker::start(Address(engine), me, number))?;
            engine.stand_ins.lock().list.push(thread);
            Ok(())
        });
        if let Err(error) = left {
            self.note_return(me);
            self.context.with(|own| worker.receive(own));
            engine.take_cores(me, section.cores);
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_MEMORY,
                format!(
                    "no thread with a stack of {} KiB could be started to stand in for worker {me} ({error}): the task keeps its \
                     worker; DVM_STACK, or ulimit -s, may ask for less",
                    engine.stack >> 10
                ),
            ));
        }
        SECTION.set(Some(section));
        self.context.employ(engine, None);
        self.context.depth.set(self.context.depth.get() + 1);
        Ok(())
    }

    /// `dvm_blocking_end`.
    pub(crate) fn blocking_end(&self) -> Result<(), Error> {
        let on_worker = self.may_have_sections("dvm_blocking_end")?;
        if SECTION.get().is_some() {
            self.return_to_seat();
            return Ok(());
        }
        if on_worker {
            return Err(Error::state("this task is in no blocking section: dvm_blocking_begin begins one"));
        }
        Ok(())
    }

    /// Ends the section that the task which has just ended here, in whatever way, has left open.
    #[inline]
    pub(super) fn end_section(&self) {
        if self.context.worker().is_none() && SECTION.get().is_some() {
            self.return_to_seat();
        }
    }

    #[cold]
    fn return_to_seat(&self) {
        let Some(section) = SECTION.take() else { return };
        let engine = self.engine();
        let worker = &engine.workers[section.worker];
        worker.slot.0.come_back(|| {
            worker.parker.0.wake();
        });
        self.context.with(|own| worker.receive(own));
        worker.polling.0.set(section.polled);
        self.context.depth.set(self.context.depth.get() - 1);
        self.context.employ(engine, Some(section.worker));
        self.note_return(section.worker);
        engine.take_cores(section.worker, section.cores);
    }
}

/// Asks the program something on this thread, which is to stay the worker that it is meanwhile.
#[inline]
pub(crate) fn sealed<R>(ask: impl FnOnce() -> R) -> R {
    let context = ThreadContext::current();
    context.sealed.set(true);
    let answer = ask();
    if super::forked::is_orphan() {
        super::forked::end_without_worker(0);
    }
    context.sealed.set(false);
    answer
}

impl Engine {
    /// The calling thread, which has stood in for a worker, ends: it is joined by the next one that does, or by the end of
    /// the engine, so that at most one thread keeps its stack after its end.
    pub(super) fn retire_stand_in(&self) {
        let before = {
            let mut all = self.stand_ins.lock();
            let Some(place) = all.list.iter().position(Thread::is_current) else { return };
            let mine = all.list.swap_remove(place);
            all.retired.replace(mine)
        };
        if let Some(before) = before {
            before.join();
        }
    }

    /// Ends the section that a tile which has just ended on this thread has left open.
    #[inline]
    pub(crate) fn end_section(&self) {
        let context = ThreadContext::current();
        if context.worker().is_none() {
            super::forked::end_without_worker(0);
            if SECTION.get().is_some() {
                Call { context, engine: self, outermost: false }.return_to_seat();
            }
        }
    }
}
