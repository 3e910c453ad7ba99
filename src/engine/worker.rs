//! Workers: each runs its ready tasks in order, then helps others, then polls, then sleeps.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::thread::Builder;
use std::time::Instant;

use super::sleep::Bed;
use super::source::{Copied, Polling};
use super::{Call, Engine, Lane, panic_text};
use crate::sched::ReadyQueue;
use crate::task::Task;

/// A worker polls the sources once per so many tasks of its own, so that neither starves the other.
const TASKS_PER_POLL: u32 = 64;

/// The stack of a worker: what a program's main thread usually has.
const STACK: usize = 8 << 20;

/// What others see of a worker.
#[repr(align(128))]
pub(super) struct Worker {
    pub(super) queue: ReadyQueue,
    pub(super) bed: Bed,
    /// Tasks that were given to this worker.
    pub(super) assigned: AtomicU64,
    /// Tasks that ended here. Written by the worker alone.
    pub(super) ended: AtomicU64,
    pub(super) polling: Polling,
    /// The description of the task that it runs; NULL between tasks. Written by the worker alone.
    pub(super) running: AtomicPtr<String>,
}

impl Worker {
    pub(super) fn new() -> Worker {
        Worker {
            queue: ReadyQueue::new(),
            bed: Bed::default(),
            assigned: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            polling: Polling::default(),
            running: AtomicPtr::default(),
        }
    }
}

/// The address of an engine, on its way to a worker's thread.
#[derive(Clone, Copy)]
pub(super) struct Address(pub(super) *const Engine);

// SAFETY: whoever starts the worker keeps the engine until the worker's thread has ended.
unsafe impl Send for Address {}

/// Starts the thread of a worker. The caller keeps the engine until the thread has ended.
pub(super) fn start(engine: Address, me: usize) -> std::io::Result<std::thread::JoinHandle<()>> {
    Builder::new().name(format!("dvm-{me}")).stack_size(STACK).spawn(move || {
        let engine = engine;
        let lane = Lane::current();
        lane.employ(engine.0, Some(me));
        // SAFETY: whoever started the thread keeps the engine until it has ended.
        let shared = unsafe { &*engine.0 };
        shared.machine.bind(me);
        shared.workers[me].bed.assign(std::thread::current());
        let call = Call { lane, engine: engine.0, outermost: false };
        let mut state =
            Loop { call: &call, shared, me, batch: VecDeque::new(), sources: Copied::default(), ran: false };
        while let Err(payload) = catch_unwind(AssertUnwindSafe(|| state.work())) {
            shared.note_defect(panic_text(payload.as_ref()));
            state.sources.recover(&shared.workers[me].polling);
        }
        lane.employ(std::ptr::null(), None);
    })
}

/// What a worker keeps to itself.
struct Loop<'a> {
    call: &'a Call,
    shared: &'a Engine,
    me: usize,
    /// Tasks taken from the queue, to be run in this order.
    batch: VecDeque<*mut Task>,
    sources: Copied,
    /// True when a task was run since the waiting thread was last told.
    ran: bool,
}

impl Loop<'_> {
    /// Works until the engine stops.
    fn work(&mut self) {
        loop {
            self.work_off();
            if self.steal() || self.poll() {
                continue;
            }
            if std::mem::take(&mut self.ran) {
                self.shared.completion.notify();
            }
            if self.shared.stopping.load(Ordering::Acquire) {
                return;
            }
            if !self.spin() {
                self.sleep();
            }
        }
    }

    fn mine(&self) -> &super::Worker {
        &self.shared.workers[self.me]
    }

    /// Runs the worker's own tasks until there are none.
    fn work_off(&mut self) {
        let mut since_poll = 0;
        loop {
            if self.batch.is_empty() {
                self.shared.workers[self.me].queue.take(&mut self.batch);
            }
            let Some(task) = self.batch.pop_front() else { return };
            self.run(task);
            since_poll += 1;
            if since_poll == TASKS_PER_POLL {
                since_poll = 0;
                self.poll();
            }
        }
    }

    fn run(&mut self, task: *mut Task) {
        self.ran = true;
        self.call.run(task, self.me);
    }

    /// Runs a task of the nearest worker that has one to spare.
    fn steal(&mut self) -> bool {
        let since = self.shared.trace.begin();
        for &other in self.shared.machine.neighbours(self.me) {
            let victim = &self.shared.workers[other as usize];
            if let Some(task) = victim.queue.steal() {
                self.mine().assigned.fetch_add(1, Ordering::Relaxed);
                victim.assigned.fetch_sub(1, Ordering::Relaxed);
                self.shared.trace.steal(self.me, since, other as usize);
                self.run(task);
                return true;
            }
        }
        false
    }

    /// Polls the sources.
    fn poll(&mut self) -> bool {
        self.shared.sources.poll(&mut self.sources, &self.shared.workers[self.me].polling, self.me)
    }

    /// True when there is a task that this worker could run.
    fn sees_task(&self) -> bool {
        let others = self.shared.machine.neighbours(self.me);
        !self.mine().queue.is_empty()
            || others.iter().any(|&other| self.shared.workers[other as usize].queue.has_stealable())
    }

    /// Looks around for a short while; true when there is something to do. Polled work is done here.
    fn spin(&mut self) -> bool {
        if self.shared.machine.oversubscribed() {
            return false;
        }
        let end = Instant::now() + self.shared.config.spin();
        loop {
            for _ in 0..16 {
                if self.sees_task() || self.poll() {
                    return true;
                }
                std::hint::spin_loop();
            }
            if Instant::now() >= end {
                std::thread::yield_now();
                return false;
            }
        }
    }

    /// Sleeps until there may be work: see `README.md` beside this file.
    fn sleep(&mut self) {
        let shared = self.shared;
        let idle = shared.dormitory.enter();
        if self.sees_task() || self.poll() || shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        self.sources.forget();
        let mine = &shared.workers[self.me];
        let since = shared.trace.begin();
        idle.sleep(&mine.bed, || !mine.queue.is_empty() || shared.stopping.load(Ordering::SeqCst));
        shared.trace.sleep(self.me, since);
    }
}
