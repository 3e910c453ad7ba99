//! Workers. A worker runs its ready tasks in order, then helps others, then polls, then sleeps.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::engine::context::call::{Call, panic_text};
use crate::engine::context::shared::{Engine, KeptEngine};
use crate::engine::context::source::Copied;
use crate::engine::context::worker_threads::StandIns;
use crate::engine::context::{Own, Post, ThreadContext};
use crate::idle::backoff::Backoff;
use crate::idle::slot::STILL_WANTED;
use crate::processing::forced;
use crate::sync::atomic::Ordering;
use crate::sync::thread::Thread;
use crate::task::{Item, OwnedTask, Ready};

/// A worker polls the sources once per this number of tasks, so that neither starves the other.
const TASKS_PER_POLL: u32 = 64;

/// Per this number of tasks, four old ones go first: the oldest near task that the worker has kept, the oldest from the
/// stealable inbox, the oldest placed one, and whatever task is next. The header states this number.
const ROUND: u32 = 4 * TASKS_PER_POLL;

/// The time that a spare thread waits for the next section before it ends.
const SPARE_THREAD_TIMEOUT: Duration = Duration::from_secs(1);

/// Pauses before an idle worker yields its core for a moment.
const PAUSES_PER_YIELD: u32 = 128;

/// The most pauses between two looks of a worker that other processes may send tasks.
const PAUSES_IN_JOB: u32 = 2;

/// Starts a thread of a worker: number 0, or a stand-in for tasks that block.
pub(crate) fn start(engine: KeptEngine, me: usize, number: usize) -> std::io::Result<Thread> {
    let name = if number == 0 { format!("dvm-{me}") } else { format!("dvm-{me}-{number}") };
    let stack = engine.stack;
    let context = ThreadContext::prepare().map_err(|_| std::io::Error::from(std::io::ErrorKind::OutOfMemory))?;
    let run = move || {
        let context = context.adopt();
        // SAFETY: until the thread is dismissed, below and in `section_begin`, it only waits for the slot, or works
        // while it holds the slot.
        unsafe { context.employ(engine, me) };
        forced::guard_thread();
        let shared: &Engine = &engine;
        shared.machine.bind(me);
        serve(context, engine, me);
        StandIns::retire(&shared.stand_ins);
        ThreadContext::detach();
    };
    Thread::spawn(&name, Some(stack), run)
}

/// Works as worker `me` until a spare thread is not needed any more, or the engine stops. The call ends here, because its
/// end looks into the context, which the thread gives away next.
fn serve(context: &'static ThreadContext, engine: KeptEngine, me: usize) {
    let shared: &Engine = &engine;
    let post = context.post().expect("just employed");
    let call = Call { context, engine, outermost: false };
    let mut state = Loop {
        call: &call,
        shared,
        worker: post,
        me,
        stolen: 0,
        spun: 0,
        backoff: Backoff::new(),
        sources: Copied::default(),
        ran: false,
        dues: false,
        looked: false,
    };
    while let Some(turn) = post.slot.0.acquire(SPARE_THREAD_TIMEOUT, || shared.stopping.load(Ordering::SeqCst)) {
        context.with(|own| own.receive(post));
        let mut first = turn;
        while let Err(payload) = catch_unwind(AssertUnwindSafe(|| state.work(std::mem::take(&mut first)))) {
            shared.note_defect(panic_text(payload.as_ref()));
            state.sources.recover(&post.polling.0);
        }
        context.with(|own| own.leave_behind(post, || shared.holders.add(me)));
        post.slot.0.release();
    }
    context.dismiss(None);
}

/// The state of a worker's loop.
struct Loop<'a> {
    call: &'a Call,
    shared: &'a Engine,
    worker: Post<'a>,
    me: usize,
    /// Stolen tasks that were run here. They do not count as turns, because they go before the sources.
    stolen: u32,
    /// The turn when the worker last ran out of tasks.
    spun: u32,
    backoff: Backoff,
    sources: Copied,
    /// True if a task was run since the waiting thread was last notified.
    ran: bool,
    /// True if something is to be done before the next task runs.
    dues: bool,
    /// True if others may rely on this worker to look around for them.
    looked: bool,
}

impl Loop<'_> {
    /// Works until the engine stops, or another thread wants the slot. With `first`, runs one task or polls before that
    /// check.
    fn work(&mut self, mut first: bool) {
        loop {
            if !first && self.worker.slot.0.signalled() && self.step_aside() {
                return;
            }
            self.work_off(std::mem::take(&mut first));
            if self.worker.slot.0.signalled() || self.steal() || self.poll() {
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

    /// Does what was signalled to this worker between two tasks; true if the thread has to release its slot.
    #[cold]
    fn step_aside(&mut self) -> bool {
        if std::mem::take(&mut self.ran) {
            self.shared.completion.notify();
        }
        self.pay_dues();
        if let Some(lifo_slot) = self.call.context.with(Own::lifo_slot) {
            self.worker.queue().keep(lifo_slot); // others may run it meanwhile
            self.shared.show_tasks(self.me);
        }
        let slot = &self.worker.slot.0;
        if slot.asked(STILL_WANTED) {
            self.shared.arbiter.stand_still(self.shared, self.me);
        }
        slot.is_wanted()
    }

    /// Runs the worker's own tasks until there are none, or a signal arrives. With `first`, one task runs in spite of a
    /// signal; without a task, the worker polls.
    // The loop has few variables. Inside `work` they shared the registers with all that `work` does besides, and the
    // smallest task took 282 to 299 instructions, by what the compiler had inlined there; here 284.
    #[inline(never)]
    fn work_off(&mut self, mut first: bool) {
        while first || !self.worker.slot.0.signalled() {
            let turn = self.turn();
            let task = if turn.is_multiple_of(TASKS_PER_POLL) { self.next_in_turn(turn) } else { self.next(turn) };
            let Some(task) = task else {
                if first {
                    self.poll();
                }
                return;
            };
            first = false;
            self.worker.counts.0.turn.store(turn.wrapping_add(1), Ordering::Relaxed);
            self.run(task);
        }
    }

    /// The number of tasks that were taken out of the worker's queue so far.
    #[inline]
    fn turn(&self) -> u32 {
        self.worker.counts.0.turn.load(Ordering::Relaxed)
    }

    /// The worker's next task: the one in the LIFO slot, the next placed one, then the near ones, newest first. Once
    /// per [`TASKS_PER_POLL`] the oldest of one kind goes first, so that newer tasks delay no task for ever.
    #[inline]
    fn next(&self, turn: u32) -> Option<Item> {
        if self.shared.seeded.is_some() { self.next_seeded(turn) } else { self.next_in_order() }
    }

    /// The next task, by `DVM_SEED`.
    #[cold]
    fn next_seeded(&self, turn: u32) -> Option<Item> {
        let (worker, seeded) = (self.worker, self.shared.seeded.as_ref()?);
        let wanted = || worker.slot.0.signalled() || self.shared.stopping.load(Ordering::SeqCst);
        let any = || {
            let queue = &worker.queue;
            !queue.nothing_handed_over() || queue.has_stealable() || self.call.context.with(|own| own.has_task())
        };
        let gather = |batch: &mut VecDeque<Item>| {
            let in_turn = |turn: u32| if turn.is_multiple_of(TASKS_PER_POLL) { self.old(turn) } else { None };
            while let Some(task) = in_turn(turn).or_else(|| self.next_in_order()) {
                batch.push_back(task);
            }
        };
        let mut batch = worker.exchange_batch(VecDeque::new());
        let next = seeded.next(self.me, &mut batch, any, gather, wanted);
        worker.exchange_batch(batch);
        next
    }

    #[inline(always)]
    #[allow(
        clippy::inline_always,
        reason = "with this and `call_back` inlined the smallest task takes 284 instructions, without 306"
    )]
    fn next_in_order(&self) -> Option<Item> {
        if let Some(lifo_slot) = self.call.context.with(Own::lifo_slot) {
            return Some(Item::task(lifo_slot));
        }
        match self.next_placed() {
            Some(task) => Some(Item::task(task)),
            None => self.worker.queue().take(|| self.shared.show_tasks(self.me)),
        }
    }

    /// The next task when it is the sources' turn: an old task goes first.
    #[cold]
    #[inline(never)]
    fn next_in_turn(&mut self, turn: u32) -> Option<Item> {
        if self.looked {
            self.pay_dues();
        }
        self.poll();
        if self.shared.seeded.is_some() {
            return self.next_seeded(turn);
        }
        self.old(turn).or_else(|| self.next_in_order())
    }

    /// An old task; the kinds take turns.
    fn old(&self, turn: u32) -> Option<Item> {
        let queue = self.worker.queue();
        if let Some(lifo_slot) = self.call.context.with(Own::lifo_slot) {
            queue.keep(lifo_slot);
            self.shared.show_tasks(self.me);
        }
        match turn % ROUND / TASKS_PER_POLL {
            0 => queue.take_oldest(),
            1 => queue.take_sent(|| self.shared.show_tasks(self.me)),
            _ => None, // the oldest placed one, or whatever is next
        }
    }

    #[inline]
    fn next_placed(&self) -> Option<OwnedTask> {
        self.call.context.with(|own| {
            if let Some(task) = own.placed.pop() {
                return Some(task);
            }
            if self.worker.queue.nothing_handed_over() {
                return None;
            }
            own.placed.collect(&self.worker.queue);
            own.placed.pop()
        })
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "with this the smallest task takes 280 instructions, without it 325")]
    fn run(&mut self, item: Item) {
        self.ran = true;
        if self.dues {
            self.pay_dues();
        }
        match item.open() {
            Ready::Task(task) => self.call.run(task, self.me, &self.worker.counts.0),
            Ready::Argumentless(signature) => self.call.run_argumentless(signature, self.me, &self.worker.counts.0),
        }
    }

    /// Runs a task of the nearest worker that has one to spare.
    fn steal(&mut self) -> bool {
        let since = self.shared.trace.begin();
        let steal = |other: usize| {
            let item = self.shared.workers[other].queue.steal(self.worker.queue())?;
            Some((other, item))
        };
        let stolen = if self.shared.holders.is_kept() {
            self.holds_something(self.me);
            self.shared.holders.others(self.me).find_map(|other| {
                let stolen = steal(other);
                if stolen.is_none() {
                    self.holds_something(other);
                }
                stolen
            })
        } else {
            self.shared.machine.neighbours(self.me).iter().find_map(|&other| steal(other as usize))
        };
        let Some((other, item)) = stolen else { return false };
        self.shared.trace.steal(self.me, since, other);
        if self.worker.queue.has_stealable() {
            self.shared.show_tasks(self.me); // the stealable inbox has moved here
        }
        if item.is_argumentless() {
            self.call.counted_for(other, self.me);
        }
        self.run(item);
        self.stolen = self.stolen.wrapping_add(1);
        if self.stolen.is_multiple_of(TASKS_PER_POLL) {
            self.poll();
        }
        true
    }

    /// Whether a worker has tasks for others. A worker without any leaves the set of holders: it may be without a core
    /// for long, and all others would look at its empty queue again and again.
    fn holds_something(&self, worker: usize) -> bool {
        let queue = &self.shared.workers[worker].queue;
        if queue.has_stealable() {
            return true;
        }
        self.shared.holders.leave(worker);
        let again = queue.has_stealable();
        if again {
            self.shared.show_tasks(worker); // others may have looked in between
        }
        again
    }

    /// Polls the sources.
    fn poll(&mut self) -> bool {
        let any = self.shared.sources.poll(&mut self.sources, &self.worker.polling.0, self.me);
        self.dues |= any;
        any
    }

    /// Makes stealable what the sources have set aside for this worker, because something else is about to run, and
    /// wakes a worker for tasks that were left to this one's look around.
    #[cold]
    fn pay_dues(&mut self) {
        self.dues = false;
        self.shared.sources.make_stealable(&mut self.sources, &self.worker.polling.0, self.me);
        if std::mem::take(&mut self.looked) && self.sees_stealable() {
            self.shared.wake_for_task(self.me);
        }
    }

    /// True if this worker has set tasks aside for itself: what a source calls may have made some ready.
    fn has_own(&self) -> bool {
        self.call.context.with(|own| own.has_task())
    }

    /// True if there is a task that this worker could run.
    fn sees_task(&self) -> bool {
        !self.worker.queue.nothing_handed_over()
            || self.has_own()
            || self.worker.slot.0.signalled()
            || self.sees_stealable()
    }

    /// True if there is a task that any worker may run.
    fn sees_stealable(&self) -> bool {
        let stealable = |other: usize| self.shared.workers[other].queue.has_stealable();
        self.worker.queue.has_stealable()
            || if self.shared.holders.is_kept() {
                self.shared.holders.others(self.me).any(|other| self.holds_something(other))
            } else {
                self.shared.machine.neighbours(self.me).iter().any(|&other| stealable(other as usize))
            }
    }

    /// Looks around for a short while; true if there is something to do. Polled work runs here.
    fn spin(&mut self) -> bool {
        if self.shared.machine.oversubscribed() {
            return self.spin_yielding();
        }
        self.backoff.ran(self.turn().wrapping_sub(self.spun));
        let begun = Instant::now();
        let mut paused = 0;
        // What comes from another process has been under way for long enough.
        let most = if self.shared.job.is_some() { PAUSES_IN_JOB } else { u32::MAX };
        let found = loop {
            let pauses = self.backoff.pauses().min(most);
            for _ in 0..pauses {
                std::hint::spin_loop();
            }
            if self.sees_task() || self.poll() {
                break true;
            }
            paused += pauses;
            self.backoff.found_nothing();
            if paused >= PAUSES_PER_YIELD {
                paused = 0;
                // A thread with work may be waiting for this very core.
                std::thread::yield_now();
                if begun.elapsed() >= self.shared.spin(self.me) {
                    break false;
                }
            }
        };
        self.spun = self.turn();
        found
    }

    /// The same with more workers than CPUs. After each look another thread has the CPU, and may make work for this
    /// one. The time limit is longer than in `spin`, by the turns of the other threads: to fall asleep and be woken
    /// costs more than a few turns.
    fn spin_yielding(&mut self) -> bool {
        let end = Instant::now() + self.shared.config.spin() * self.shared.machine.crowd() as u32;
        let mut looked = false;
        loop {
            if self.sees_task() || self.poll() {
                self.looked |= looked;
                self.dues |= looked;
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            looked = self.shared.idle_set.yield_cpu();
        }
    }

    /// Sleeps until there may be work (`src/idle/README.md`).
    fn sleep(&mut self) {
        let shared = self.shared;
        // A worker that is woken for one of several tasks wakes the next worker.
        self.looked |= shared.idle_set.are_lookers_counted();
        self.dues |= self.looked;
        let idle = shared.idle_set.enter();
        if self.sees_task() || self.poll() || shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        self.sources.forget();
        if let Some(job) = &shared.job {
            job.scheduler.worker_sleeps();
        }
        let mine = &shared.workers[self.me];
        let since = shared.trace.begin();
        idle.sleep(self.me, &mine.parker.0, || {
            !mine.queue.nothing_handed_over()
                || self.has_own()
                || mine.slot.0.signalled()
                || shared.stopping.load(Ordering::SeqCst)
        });
        shared.trace.sleep(self.me, since);
    }
}
