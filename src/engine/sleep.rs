//! Sleeping and waking: see `README.md` beside this file for the protocol and why no wake-up is lost.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::sync::lock::{Condvar, Mutex};

use crate::sync::fence;

/// What one worker sleeps on.
#[derive(Default)]
pub(super) struct Parker {
    /// True while the worker sleeps, or is about to; whoever sets it to false wakes the worker.
    asleep: AtomicBool,
    lock: Mutex<()>,
    woken: Condvar,
}

impl Parker {
    /// Wakes the worker if it sleeps; true when this call did. Work was made visible, and a fence passed, before.
    #[inline]
    pub(super) fn wake(&self) -> bool {
        let mine = self.asleep.load(Ordering::Relaxed) && self.asleep.swap(false, Ordering::SeqCst);
        if mine {
            // Whoever looks at `asleep` under the lock, and then sleeps, is woken.
            drop(self.lock.lock());
            self.woken.notify_one();
        }
        mine
    }
}

/// What the workers share about sleeping. Written only by workers that run out of work, and by those who wake them.
#[repr(align(128))]
#[derive(Default)]
pub(super) struct IdleSet {
    /// Workers between their last look around and their awakening.
    idle: AtomicUsize,
    /// Changes whenever work for anybody is announced while somebody is idle.
    epoch: AtomicU64,
}

/// A worker that has said that it is idle.
pub(super) struct Idle<'a> {
    idle_set: &'a IdleSet,
    epoch: u64,
}

impl IdleSet {
    /// Says that the caller is idle. It then looks around once more, and sleeps if there is still nothing.
    pub(super) fn enter(&self) -> Idle<'_> {
        self.idle.fetch_add(1, Ordering::SeqCst);
        let epoch = self.epoch.load(Ordering::SeqCst);
        fence::heavy();
        Idle { idle_set: self, epoch }
    }

    /// Announces work for anybody, which is visible already. True when somebody is idle: then one worker is to be woken.
    #[inline]
    pub(super) fn announce(&self) -> bool {
        fence::light();
        if self.idle.load(Ordering::Relaxed) == 0 {
            return false;
        }
        self.epoch.fetch_add(1, Ordering::SeqCst);
        true
    }
}

impl Idle<'_> {
    /// Sleeps until woken, unless `work` has come for this worker or was announced to anybody meanwhile.
    pub(super) fn sleep(self, parker: &Parker, work: impl Fn() -> bool) {
        parker.asleep.store(true, Ordering::SeqCst);
        fence::heavy();
        if self.idle_set.epoch.load(Ordering::SeqCst) != self.epoch || work() {
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
