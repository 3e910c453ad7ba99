//! Locks, conditions and owned values of the protocols that loom checks (`src/idle`): the library's own, and loom's in
//! a model. Statics need constant values, which loom's are not: they stay with `lock`.
#![allow(unsafe_code, reason = "who owns a value is decided by a protocol, not by a borrow")]

#[cfg(not(loom))]
pub(crate) use super::lock::{Condvar, Mutex};
#[cfg(loom)]
pub(crate) use in_model::{Condvar, Mutex};

#[cfg(loom)]
use loom::cell::UnsafeCell;
#[cfg(not(loom))]
use std::cell::UnsafeCell;

/// A value that one thread at a time owns; a protocol says which.
#[derive(Debug, Default)]
pub(crate) struct Owned<T>(UnsafeCell<T>);

// SAFETY: `with` is for the owner, of whom there is one at a time; the value changes threads with the ownership.
unsafe impl<T: Send> Sync for Owned<T> {}

impl<T> Owned<T> {
    /// Nobody's yet.
    pub(crate) fn new(value: T) -> Owned<T> {
        Owned(UnsafeCell::new(value))
    }

    /// Lends the value to its owner.
    ///
    /// # Safety
    /// The calling thread owns the value, and `body` does not come back here.
    #[inline]
    pub(crate) unsafe fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        #[cfg(loom)]
        // SAFETY: by this function's contract, which loom watches.
        return self.0.with_mut(|value| body(unsafe { &mut *value }));
        #[cfg(not(loom))]
        // SAFETY: by this function's contract.
        body(unsafe { &mut *self.0.get() })
    }
}

#[cfg(loom)]
mod in_model {
    use std::ops::{Deref, DerefMut};
    use std::time::Duration;

    /// As `sync::lock::Mutex`.
    #[derive(Debug, Default)]
    pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

    /// The lock, held. Nothing while a thread waits for a condition.
    #[derive(Debug)]
    pub(crate) struct MutexGuard<'a, T>(&'a Mutex<T>, Option<loom::sync::MutexGuard<'a, T>>);

    impl<T> Mutex<T> {
        pub(crate) fn new(value: T) -> Mutex<T> {
            Mutex(loom::sync::Mutex::new(value))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            MutexGuard(self, self.0.lock().ok())
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;
        fn deref(&self) -> &T {
            self.1.as_deref().expect("held")
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        fn deref_mut(&mut self) -> &mut T {
            self.1.as_deref_mut().expect("held")
        }
    }

    /// As `sync::lock::Condvar`. It never wakes a thread for no reason.
    #[derive(Debug, Default)]
    pub(crate) struct Condvar(loom::sync::Condvar);

    /// Why a wait has ended.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Waited(bool);

    impl Waited {
        pub(crate) fn timed_out(self) -> bool {
            self.0
        }
    }

    impl Condvar {
        pub(crate) fn new() -> Condvar {
            Condvar::default()
        }

        pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            let held = guard.1.take().expect("held");
            guard.1 = self.0.wait(held).ok();
        }

        /// No time at all is over at once; any other never ends: a protocol may rely on neither.
        pub(crate) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, time: Duration) -> Waited {
            if time.is_zero() {
                guard.1 = None;
                loom::thread::yield_now();
                guard.1 = guard.0.0.lock().ok();
            } else {
                self.wait(guard);
            }
            Waited(time.is_zero())
        }

        pub(crate) fn notify_one(&self) {
            self.0.notify_one();
        }

        pub(crate) fn notify_all(&self) {
            self.0.notify_all();
        }
    }
}
