//! The engine: workers that run ready tasks, and the calls that feed them.
//!
//! - `context`: what each thread keeps to itself; the counters that tell when all is done
//! - `lifecycle`: init, wait, finalize, and the start on behalf of generated code; `closing`: who may still call at the end
//! - `schedule`: from a call to a ready task; `values`: what calls do with data
//! - `blocking`, `cores`: tasks that block, and tasks that need several cores
//! - `window`: holding a submitter back
//! - `worker`: the loop; `backoff`: how rarely an idle one looks; `run`: one task from start to end; `frame`: what it has
//!   got meanwhile
//! - `reclaim`: what forgotten processings have left
//! - `forked`: a child of fork has no workers
//! - `view`: what it is at, for explanations; `blocked_tasks`: tasks in blocking sections; `progress_samples`: for how
//!   long tasks run
//! - `holders`: who may have tasks for others, where there are many workers; `lookers`: who need not be woken then
//! - `sleep`, `completion`: sleeping and waking (`README.md`); `source`: polled work; `failures`: what wait reports;
//!   `stack`: of workers
#![allow(unsafe_code, reason = "descriptors and the engine itself are shared by address under stated protocols")]

mod blocked_tasks;
mod blocking;
mod callback;
mod context;
mod cores;
mod failures;
pub(crate) mod forked;
mod frame;
mod lifecycle;
mod progress_samples;
mod reclaim;
mod run;
mod schedule;
mod source;
mod stack;
mod values;
pub(crate) mod view;
mod window;
mod worker;

use std::any::Any;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::sync::lock::Mutex;

pub(crate) use blocking::sealed;
pub(crate) use context::ThreadContext;
pub(crate) use lifecycle::{finalize, init, init_comm, running, serve, start_implicit, wait, without_signals};
pub(crate) use source::{Account, Missed, Source, WaitingTile};

use crate::config::Config;
use crate::data::{DatumId, STORE};
use crate::error::{Error, dvm_retcode_t};
use crate::idle::arbiter::Arbiter;
use crate::idle::closing::Closing;
use crate::idle::completion::Completion;
use crate::idle::parking::IdleSet;
use crate::idle::worker_set::WorkerSet;
use crate::machine::Machine;
use crate::sched::Seeded;
use crate::trace::Trace;
use blocked_tasks::BlockedTasks;
use failures::Failures;
use progress_samples::ProgressSamples;
use source::Sources;
use worker::Worker;

/// A running engine.
pub(crate) struct Engine {
    config: Config,
    machine: Machine,
    trace: Trace,
    workers: Box<[Worker]>,
    /// The bytes of a worker's stack.
    stack: usize,
    idle_set: IdleSet,
    /// Workers that may have tasks for others.
    holders: WorkerSet,
    /// Who stands still for whom.
    arbiter: Arbiter,
    /// Draws the orders of tasks, when a seed was given.
    seeded: Option<Seeded>,
    /// Threads started for blocking sections.
    stand_ins: Mutex<blocking::StandIns>,
    /// Tasks in blocking sections.
    blocked_tasks: BlockedTasks,
    /// What the workers were last seen at.
    progress_samples: ProgressSamples,
    sources: Sources,
    completion: Completion,
    failures: Failures,
    /// How far the end has come.
    closing: Closing,
    /// Set when the workers are to end.
    stopping: AtomicBool,
    /// The message of a defect of libdvm, once one has been met: counts can no longer be relied upon.
    defect: Mutex<Option<String>>,
    defective: AtomicBool,
}

/// The engine that runs, or NULL.
static ENGINE: AtomicPtr<Engine> = AtomicPtr::new(ptr::null_mut());

/// The words of a panic.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without words")
}

/// A call into the running engine, which stays while the value lives.
pub(crate) struct Call {
    context: &'static ThreadContext,
    engine: *const Engine,
    outermost: bool,
}

/// The failure of a call while nothing runs.
#[cold]
fn not_running() -> Error {
    if forked::is_orphan() {
        return forked::orphaned(dvm_retcode_t::DVM_ERR_NOT_INITIALIZED);
    }
    Error::new(dvm_retcode_t::DVM_ERR_NOT_INITIALIZED, "libdvm is not running: call dvm_init first")
}

/// Enters the running engine.
#[inline]
pub(crate) fn enter() -> Result<Call, Error> {
    let context = ThreadContext::of_caller()?;
    if context.inside() {
        return Ok(Call { context, engine: context.engine.get(), outermost: false });
    }
    let found = context.presence.enter(|| {
        let engine = ENGINE.load(Ordering::Acquire);
        // SAFETY: the thread is inside, and the engine was not hidden before that: it stays until the thread has left.
        (!engine.is_null() && unsafe { !(*engine).closing.is_closed() }).then_some(engine)
    });
    let Some(engine) = found else {
        context.end_borrowing();
        return Err(not_running());
    };
    context.engine.set(engine);
    Ok(Call { context, engine, outermost: true })
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        self.context.give_back();
        if self.outermost {
            self.context.engine.set(ptr::null());
            self.context.presence.leave();
            self.context.end_borrowing();
        }
    }
}

impl Call {
    /// The engine.
    #[inline]
    pub(crate) fn engine(&self) -> &Engine {
        // SAFETY: on a worker or inside a callback the engine outlives the stack frame; elsewhere the context is active.
        unsafe { &*self.engine }
    }

    /// The machine.
    pub(crate) fn machine(&self) -> &Machine {
        &self.engine().machine
    }

    /// The worker that makes the call.
    pub(crate) fn worker(&self) -> Option<usize> {
        self.context.worker()
    }

    /// Whether the call comes from a worker, or from a callback of libdvm.
    pub(crate) fn inside_task(&self) -> bool {
        self.context.inside()
    }

    /// Runs a callback of the program on the calling thread, where it may do what a task may do, and no more.
    pub(crate) fn as_task<R>(&self, callback: impl FnOnce() -> R) -> R {
        struct Back<'a>(&'a ThreadContext);
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                self.0.depth.set(self.0.depth.get().saturating_sub(1)); // 0 already in a forked child
            }
        }
        self.context.depth.set(self.context.depth.get() + 1);
        let _back = Back(self.context);
        callback()
    }

    /// The worker with this rank.
    #[inline]
    pub(crate) fn worker_at(&self, rank: &[u64; 8]) -> Result<usize, Error> {
        self.machine().worker_of(rank).ok_or_else(|| {
            Error::new(
                dvm_retcode_t::DVM_ERR_RANK,
                format!("no processing unit has the rank {rank:?}: dvm_rank_at gives the ranks there are"),
            )
        })
    }

    /// Refuses what makes something new once the end has begun: first to threads outside tasks, then to all.
    #[inline]
    pub(crate) fn open(&self) -> Result<(), Error> {
        if self.engine().closing.has_begun() { self.open_at_the_end() } else { Ok(()) }
    }

    /// Whether the caller may make something new although the end has begun: a task, or a tile.
    #[cold]
    #[inline(never)]
    fn open_at_the_end(&self) -> Result<(), Error> {
        if self.engine().closing.is_closed() {
            return Err(not_running());
        }
        // Data that a thread of the program has freed could go on and on, each making the next.
        let outside = self.context.presence.is_inside();
        if outside && (self.context.depth.get() == 0 || self.context.is_giving_back()) {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_NOT_INITIALIZED,
                "dvm_finalize has begun: threads outside tasks can make nothing new",
            ));
        }
        Ok(())
    }

    /// While the value lives, the calling thread sleeps until others have done something, and makes nothing new.
    pub(crate) fn sleeps(&self) -> impl Drop + use<> {
        self.context.presence.sleeps()
    }
}

impl Engine {
    /// The number of workers.
    pub(crate) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// The machine.
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// What the environment has set.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The trace, on or off.
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Adds a source: workers without tasks poll it from now on.
    pub(crate) fn attach(&self, source: std::sync::Arc<dyn Source>) {
        self.sources.attach(source);
        self.wake_all();
    }

    /// Removes a source. When this returns no worker is inside it, apart from the calling one, and none will be.
    pub(crate) fn detach(&self, source: &std::sync::Arc<dyn Source>) {
        let me = ThreadContext::current().worker();
        let others = self.workers.iter().enumerate().filter(|&(worker, _)| Some(worker) != me);
        self.sources.detach(source, others.map(|(_, worker)| &worker.polling.0));
    }

    /// Wakes one sleeping worker, if there is one, for work that is visible already. Cheap when nobody sleeps.
    pub(crate) fn wake_one(&self) {
        if self.idle_set.announce() {
            self.wake_near(ThreadContext::current().worker().unwrap_or(0));
        }
    }

    /// Wakes all workers, for work that is visible already.
    pub(crate) fn wake_all(&self) {
        if self.idle_set.announce() {
            self.workers.iter().for_each(|worker| {
                worker.parker.0.wake();
            });
        }
    }

    /// Adds a worker to those that have tasks for others, and wakes somebody for what was just put into its queue: that
    /// worker, the nearest that sleeps, or nobody if enough others are about to look around.
    #[inline]
    fn show_tasks(&self, worker: usize) {
        self.holders.add(worker);
        self.wake_for_task(worker);
    }

    /// Wakes somebody, best this worker, for a task that any worker may run and that is visible already.
    #[inline]
    fn wake_for_task(&self, worker: usize) {
        if self.idle_set.announce_task() {
            self.wake_near(worker);
        }
    }

    /// Wakes this worker if it sleeps, else the nearest that does.
    fn wake_near(&self, worker: usize) {
        let nearest = || self.machine.neighbours(worker).iter().map(|&other| other as usize);
        self.idle_set.wake_near(worker, |worker| &self.workers[worker].parker.0, nearest);
    }

    /// While the value lives, a thread of the program waits for everything.
    pub(crate) fn program_waits(&self) -> Option<impl Drop + '_> {
        self.seeded.as_ref().map(Seeded::wait)
    }

    /// While the value lives, a thread of the program waits for this datum, if that is not published yet.
    #[inline]
    fn program_waits_for(&self, id: DatumId) -> Option<impl Drop + '_> {
        self.seeded.as_ref().filter(|_| STORE.is_promised(id)).map(|seeded| seeded.wait_for(id))
    }

    /// The message of a defect that workers have met: what they were doing may never end.
    pub(crate) fn defect(&self) -> Option<Error> {
        if !self.defective.load(Ordering::Acquire) {
            return None;
        }
        let message = self.defect.lock().clone().unwrap_or_default();
        Some(Error::new(
            dvm_retcode_t::DVM_ERR_PANIC,
            format!("a worker met a defect of libdvm: {message}; please report it"),
        ))
    }

    /// Notes a defect, so that nobody waits for what may never end.
    fn note_defect(&self, message: &str) {
        self.defect.lock().get_or_insert_with(|| message.to_owned());
        self.defective.store(true, Ordering::Release);
        self.completion.notify();
    }
}
