//! What the workers share: the engine, and the shared part of each worker.
//!
//! A worker keeps its address until the engine ends, so that threads keep pointers to the fields that they use most.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::Deref;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::job::Job;
use super::source::{Polling, Sources};
use super::worker_counts::WorkerCounts;
use super::worker_threads::StandIns;
use crate::config::Config;
use crate::data::{DatumId, STORE};
use crate::engine::observe::blocked_tasks::BlockedTasks;
use crate::engine::observe::failures::Failures;
use crate::engine::observe::progress_samples::ProgressSamples;
use crate::error::{Error, dvm_retcode_t};
use crate::idle::arbiter::Arbiter;
use crate::idle::closing::Closing;
use crate::idle::completion::Completion;
use crate::idle::parking::{IdleSet, Parker};
use crate::idle::slot::WorkerSlot;
use crate::idle::worker_bits::WorkerSet;
use crate::machine::Machine;
use crate::sched::{Placed, ReadyQueue, Seeded};
use crate::sync::lock::Mutex;
use crate::task::Item;
use crate::trace::Trace;

/// A running engine.
pub(crate) struct Engine {
    pub(crate) config: Config,
    pub(crate) machine: Machine,
    pub(crate) trace: Trace,
    pub(crate) workers: Box<[Worker]>,
    /// The size of a worker's stack in bytes.
    pub(crate) stack: usize,
    pub(crate) idle_set: IdleSet,
    /// Workers that may have tasks for others.
    pub(crate) holders: WorkerSet,
    /// Which worker stands still for which other worker.
    pub(crate) arbiter: Arbiter,
    /// Draws the orders of tasks, if a seed was given.
    pub(crate) seeded: Option<Seeded>,
    /// Threads started for blocking sections.
    pub(crate) stand_ins: Mutex<StandIns>,
    /// Tasks in blocking sections.
    pub(crate) blocked_tasks: BlockedTasks,
    /// The tasks at which the workers were last seen.
    pub(crate) progress_samples: ProgressSamples,
    pub(crate) sources: Sources,
    /// A source for loops that the threads entering them run as well, made with the first loop.
    pub(crate) sweeps: OnceLock<Arc<dyn Any + Send + Sync>>,
    /// How long a worker looks for more work at least, in microseconds.
    pub(crate) patience: AtomicU64,
    /// The worker that does not do so: a thread of the program works on its CPU.
    pub(crate) spared: AtomicUsize,
    /// The job of several processes that this one is a part of.
    pub(crate) job: Option<Job>,
    pub(crate) completion: Completion,
    pub(crate) failures: Failures,
    /// The step that the end has reached.
    pub(crate) closing: Closing,
    /// Set once the workers have to end.
    pub(crate) stopping: AtomicBool,
    /// The message of a defect of libdvm, once one was found: the counts are no longer reliable.
    pub(crate) defect: Mutex<Option<String>>,
    pub(crate) defective: AtomicBool,
}

/// The engine, kept for as long as the value is used.
#[derive(Clone, Copy)]
pub(crate) struct KeptEngine(NonNull<Engine>);

// SAFETY: all threads share the engine, and a thread that keeps the engine keeps it for all of them.
unsafe impl Send for KeptEngine {}

impl KeptEngine {
    /// The engine at this address; `None` for NULL.
    ///
    /// # Safety
    /// The engine exists as long as the value, or a copy, is used.
    #[inline]
    pub(crate) unsafe fn new(engine: *mut Engine) -> Option<KeptEngine> {
        NonNull::new(engine).map(KeptEngine)
    }
}

impl Deref for KeptEngine {
    type Target = Engine;
    #[inline]
    fn deref(&self) -> &Engine {
        // SAFETY: by the contract of `new`.
        unsafe { self.0.as_ref() }
    }
}

/// The running engine, or NULL.
pub(crate) static ENGINE: AtomicPtr<Engine> = AtomicPtr::new(ptr::null_mut());

impl Engine {
    pub(crate) fn workers(&self) -> usize {
        self.workers.len()
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The configuration from the environment.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The trace, on or off.
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Whether `DVM_SEED` draws the order of tasks.
    pub(crate) fn is_seeded(&self) -> bool {
        self.seeded.is_some()
    }

    /// How long a worker without work looks around before it sleeps.
    pub(crate) fn spin(&self, worker: usize) -> Duration {
        if self.spared.load(Ordering::Relaxed) == worker {
            return self.config.spin();
        }
        self.config.spin().max(Duration::from_micros(self.patience.load(Ordering::Relaxed)))
    }

    /// Lets workers look around for this long at least, except the one on whose CPU the calling thread works.
    pub(crate) fn linger(&self, patience: Duration, spared: usize) {
        if self.spared.load(Ordering::Relaxed) != spared {
            self.spared.store(spared, Ordering::Relaxed);
        }
        let wanted = patience.as_micros() as u64;
        if self.patience.load(Ordering::Relaxed) != wanted {
            self.patience.store(wanted, Ordering::Relaxed);
        }
    }

    /// While the value exists, a thread of the program waits for everything.
    pub(crate) fn program_waits(&self) -> Option<impl Drop + '_> {
        self.seeded.as_ref().map(Seeded::wait)
    }

    /// While the value exists, a thread of the program waits for this datum, unless the datum is published.
    #[inline]
    pub(crate) fn program_waits_for(&self, id: DatumId) -> Option<impl Drop + '_> {
        self.seeded.as_ref().filter(|_| STORE.is_promised(id)).map(|seeded| seeded.wait_for(id))
    }

    /// The defect that workers have found, as an error: what they were doing may never end.
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

    /// Notes a defect, so that no thread waits for what may never end.
    pub(crate) fn note_defect(&self, message: &str) {
        self.defect.lock().get_or_insert_with(|| message.to_owned());
        self.defective.store(true, Ordering::Release);
        self.completion.notify();
    }
}

/// The shared part of a worker. What other threads write and what the worker writes are on different cache lines.
#[repr(align(128))]
pub(crate) struct Worker {
    pub(crate) queue: ReadyQueue,
    /// Read at each hand-over, written when the worker falls asleep.
    pub(crate) parker: OwnLine<Parker>,
    pub(crate) polling: OwnLine<Polling>,
    pub(crate) slot: OwnLine<WorkerSlot<Left>>,
    pub(crate) counts: OwnLine<WorkerCounts>,
}

/// What stays with a worker's slot when the slot changes hands.
pub(crate) struct Left {
    /// Placed tasks that the worker has taken out of its inbox.
    pub(crate) placed: Placed,
    /// With a seed: all ready tasks.
    pub(crate) batch: VecDeque<Item>,
}

/// A value on cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct OwnLine<T>(pub(crate) T);

impl Worker {
    pub(crate) fn new() -> Worker {
        Worker {
            queue: ReadyQueue::new(),
            parker: OwnLine::default(),
            polling: OwnLine::default(),
            slot: OwnLine(WorkerSlot::new(Left { placed: Placed::new(), batch: VecDeque::new() })),
            counts: OwnLine::default(),
        }
    }
}
