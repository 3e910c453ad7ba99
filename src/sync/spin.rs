//! A lock for a few instructions: one atomic exchange to take it, one plain store to leave it.
//!
//! What it protects is never held across a call of the program or of the system. A holder that the system has taken off
//! its core is waited for by giving the core away.

use super::atomic::{AtomicBool, Ordering};

/// Looks so often before the core is given away.
const LOOKS: u32 = 64;

/// Pauses that are left to the holder, so that it gets ahead.
const HEAD_START: u32 = 32;

/// The lock alone; what it protects lies beside it.
#[derive(Debug)]
pub(crate) struct Spin(AtomicBool);

impl Spin {
    /// Not taken.
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Spin {
        Spin(AtomicBool::new(false))
    }

    /// Not taken.
    #[cfg(loom)]
    pub(crate) fn new() -> Spin {
        Spin(AtomicBool::new(false))
    }

    /// Takes the lock.
    #[inline]
    pub(crate) fn lock(&self) {
        if !self.try_lock() {
            self.contend();
        }
    }

    #[inline]
    fn try_lock(&self) -> bool {
        self.0.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[cold]
    fn contend(&self) {
        let mut looks = 0;
        // Whoever holds it goes on to other locks, often those that this thread wants next: side by side they would meet
        // at each.
        for _ in 0..if cfg!(loom) { 0 } else { HEAD_START } {
            std::hint::spin_loop();
        }
        while !self.try_lock() {
            // A load leaves the line where it is. (In loom's model it may see what was there before for ever.)
            while cfg!(not(loom)) && self.0.load(Ordering::Relaxed) {
                looks += 1;
                if looks % LOOKS == 0 {
                    yield_now();
                } else {
                    std::hint::spin_loop();
                }
            }
            #[cfg(loom)]
            loom::hint::spin_loop();
        }
    }

    /// Leaves the lock. Only who has taken it does.
    #[inline]
    pub(crate) fn unlock(&self) {
        self.0.store(false, Ordering::Release);
    }
}

#[cfg(loom)]
use loom::thread::yield_now;
#[cfg(not(loom))]
use std::thread::yield_now;

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU32;

    #[test]
    fn one_at_a_time_sees_what_the_one_before_wrote() {
        // No bound on preemptions: who waits is preempted as often as it looks.
        loom::model(|| {
            /// A number that only the lock orders.
            struct Shared(Spin, AtomicU32);
            fn add(shared: &Shared) {
                shared.0.lock();
                shared.1.store(shared.1.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                shared.0.unlock();
            }
            let shared = Arc::new(Shared(Spin::new(), AtomicU32::new(0)));
            let theirs = Arc::clone(&shared);
            let other = loom::thread::spawn(move || add(&theirs));
            add(&shared);
            other.join().unwrap();
            assert_eq!(shared.1.load(Ordering::Relaxed), 2);
        });
    }
}
