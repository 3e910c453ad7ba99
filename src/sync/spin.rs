//! A lock for a few instructions: one atomic exchange to take it, one plain store to leave it.
//!
//! What it protects is never held across a call of the program or of the system. A holder that the system has taken off
//! its core is waited for by giving the core away.

use super::atomic::{AtomicBool, Ordering};

/// Looks so often before the core is given away.
const LOOKS: u32 = 64;

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
        if self.0.swap(true, Ordering::Acquire) {
            self.contend();
        }
    }

    #[cold]
    fn contend(&self) {
        let mut looks = 0;
        loop {
            while self.0.load(Ordering::Relaxed) {
                looks += 1;
                if cfg!(loom) || looks % LOOKS == 0 {
                    yield_now();
                } else {
                    std::hint::spin_loop();
                }
            }
            if !self.0.swap(true, Ordering::Acquire) {
                return;
            }
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
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    #[test]
    fn one_at_a_time_sees_what_the_one_before_wrote() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            struct Shared(Spin, UnsafeCell<u32>);
            unsafe impl Sync for Shared {}
            unsafe impl Send for Shared {}
            fn add(shared: &Shared) {
                shared.0.lock();
                // SAFETY: the lock is held; loom's cell checks exactly that.
                shared.1.with_mut(|sum| unsafe { *sum += 1 });
                shared.0.unlock();
            }
            let shared = Arc::new(Shared(Spin::new(), UnsafeCell::new(0)));
            let others: Vec<_> = (0..2)
                .map(|_| {
                    let shared = Arc::clone(&shared);
                    loom::thread::spawn(move || add(&shared))
                })
                .collect();
            add(&shared);
            others.into_iter().for_each(|other| other.join().unwrap());
            // SAFETY: the others have ended.
            assert_eq!(shared.1.with(|sum| unsafe { *sum }), 3);
        });
    }
}
