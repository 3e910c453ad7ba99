//! Sleeping and waking: `README.md` beside this file has the protocol and why no wake-up is lost.

use super::lookers::Lookers;
use super::planted::planted;
use super::worker_bits::WorkerSet;
use crate::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use crate::sync::fence;
use crate::sync::modelled::{Condvar, Mutex};

/// The state on which one worker sleeps.
#[derive(Default)]
pub(crate) struct Parker {
    /// True while the worker sleeps, or is about to. The thread that sets it to false wakes the worker.
    asleep: AtomicBool,
    lock: Mutex<()>,
    woken: Condvar,
}

impl Parker {
    /// Wakes the worker if it sleeps; true if this call did. Before the call, work was made visible, and a fence
    /// passed.
    #[inline]
    pub(crate) fn wake(&self) -> bool {
        let mine = self.asleep.load(Ordering::Relaxed) && self.asleep.swap(false, Ordering::SeqCst);
        if mine {
            // The worker checks `asleep` under the lock and then sleeps: either it sees the change, or the notice wakes
            // it.
            if !planted("wake_without_lock") {
                drop(self.lock.lock());
            }
            self.woken.notify_one();
        }
        mine
    }

    /// The same for work that was just put where only this worker finds it.
    #[inline]
    pub(crate) fn wake_for_own(&self) {
        if !planted("own_work_without_fence") {
            fence::light();
        }
        self.wake();
    }
}

/// The shared state of sleeping workers. Only workers that run out of work, and threads that wake them, write it.
#[repr(align(128))]
pub(crate) struct IdleSet {
    /// Workers between their last look around and their waking up.
    idle: AtomicUsize,
    /// Changes when work for any worker is announced while a worker is idle.
    epoch: AtomicU64,
    /// Workers that sleep, or are about to. Empty with few workers.
    sleepers: WorkerSet,
    lookers: Lookers,
}

/// A worker that has declared itself idle.
pub(crate) struct Idle<'a> {
    idle_set: &'a IdleSet,
    epoch: u64,
}

impl IdleSet {
    /// The set of this number of workers, all awake. With `enough` lookers, a task wakes no worker; 0: it always wakes
    /// one.
    pub(crate) fn new(workers: usize, enough: usize) -> IdleSet {
        IdleSet {
            idle: AtomicUsize::new(0),
            epoch: AtomicU64::new(0),
            sleepers: WorkerSet::new(workers),
            lookers: Lookers::new(enough),
        }
    }

    /// Declares the caller idle. The caller then looks around once more, and sleeps if there is still no work.
    pub(crate) fn enter(&self) -> Idle<'_> {
        self.idle.fetch_add(1, Ordering::SeqCst);
        let epoch = self.epoch.load(Ordering::SeqCst);
        if !planted("enter_without_fence") {
            fence::heavy();
        }
        Idle { idle_set: self, epoch }
    }

    /// Announces visible work for any worker. True if a worker is idle: the caller then has to wake one.
    #[inline]
    pub(crate) fn announce(&self) -> bool {
        let any = self.sees_idle();
        if any {
            self.advance();
        }
        any
    }

    /// The same for one task that any worker may run: no wake-up is needed if enough workers are about to look around.
    #[inline]
    pub(crate) fn announce_task(&self) -> bool {
        self.sees_idle() && self.announce_to_idle()
    }

    #[inline]
    fn sees_idle(&self) -> bool {
        if !planted("announce_without_fence") {
            fence::light();
        }
        self.idle.load(Ordering::Relaxed) != 0
    }

    /// Out of line: while no worker is idle, an announcement costs only the load above.
    #[inline(never)]
    fn announce_to_idle(&self) -> bool {
        self.advance();
        !self.lookers.suffice()
    }

    fn advance(&self) {
        if !planted("announce_without_epoch") {
            self.epoch.fetch_add(1, Ordering::SeqCst);
        }
        // A worker that does not see the new epoch is seen asleep.
        if !planted("look_for_sleepers_without_fence") && !planted("lookers_counted_without_fence") {
            fence::light();
        }
    }

    /// Wakes this worker if it sleeps, else the nearest sleeper.
    pub(crate) fn wake_near<'a, N: Iterator<Item = usize>>(
        &self,
        worker: usize,
        parker: impl Fn(usize) -> &'a Parker,
        nearest: impl FnOnce() -> N,
    ) {
        if !parker(worker).wake() {
            if self.sleepers.is_kept() {
                self.sleepers.others(worker).any(|other| parker(other).wake());
            } else {
                nearest().any(|other| parker(other).wake());
            }
        }
    }

    /// Yields the CPU for a moment; true if other threads relied on the caller in that time. The caller then looks
    /// around. Before it runs the first task that it takes, it wakes a worker if there are more tasks.
    pub(crate) fn yield_cpu(&self) -> bool {
        self.lookers.yield_cpu()
    }

    /// Whether workers that yield their CPU are counted. If so, a worker that has slept, or was about to, also wakes
    /// another one if there are more tasks than the first one that it takes.
    pub(crate) fn are_lookers_counted(&self) -> bool {
        self.lookers.are_counted()
    }
}

impl Idle<'_> {
    /// Puts worker `me` to sleep until woken, unless `work` has come for it or was announced to any worker in between.
    pub(crate) fn sleep(self, me: usize, parker: &Parker, work: impl Fn() -> bool) {
        // Added first: a thread that looks for a sleeper and does not find this one has advanced the epoch.
        if !planted("sleep_unlisted") {
            self.idle_set.sleepers.add(me);
        }
        self.park(parker, work);
        self.idle_set.sleepers.leave(me);
    }

    fn park(&self, parker: &Parker, work: impl Fn() -> bool) {
        parker.asleep.store(true, Ordering::SeqCst);
        if !planted("sleep_without_fence") {
            fence::heavy();
        }
        let announced = self.idle_set.epoch.load(Ordering::SeqCst) != self.epoch;
        if (announced && !planted("sleep_through_epoch")) || work() {
            parker.asleep.store(false, Ordering::SeqCst);
            return;
        }
        let mut lock = parker.lock.lock();
        while parker.asleep.load(Ordering::SeqCst) {
            parker.woken.wait(&mut lock);
        }
    }
}

impl Drop for Idle<'_> {
    fn drop(&mut self) {
        self.idle_set.idle.fetch_sub(1, Ordering::SeqCst);
    }
}
