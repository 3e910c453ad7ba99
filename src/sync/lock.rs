//! Locks and condition variables where threads may sleep. They allocate nothing, also at a thread's first call: others
//! keep something for each thread, and have the C library note a destructor, which ends the process when there is no
//! memory for that.

#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) use futex::{Condvar, Mutex, MutexGuard};

/// A lock that a fork waits for, so that a child never finds it held by a thread that it has not.
pub(crate) trait ForkLock: Sync {
    /// Takes it, for the calling thread.
    fn hold(&self);

    /// Lets go of it.
    ///
    /// # Safety
    /// The calling thread has taken it by [`ForkLock::hold`], or is the copy of that thread in a child.
    unsafe fn release(&self);
}

impl<T: Send> ForkLock for Mutex<T> {
    fn hold(&self) {
        std::mem::forget(self.lock());
    }

    unsafe fn release(&self) {
        // SAFETY: by this function's contract.
        unsafe { self.force_unlock() };
    }
}

#[cfg(not(all(target_os = "linux", not(loom))))]
pub(crate) use elsewhere::LockState;
#[cfg(not(all(target_os = "linux", not(loom))))]
pub(crate) use parking_lot::{Condvar, Mutex, MutexGuard};

#[cfg(not(all(target_os = "linux", not(loom))))]
mod elsewhere {
    /// What the own lock can do besides.
    pub(crate) trait LockState<T> {
        /// What the lock protects, without its guard.
        ///
        /// # Safety
        /// The calling thread holds the lock, and nobody changes the value meanwhile.
        unsafe fn held(&self) -> &T;
    }

    impl<T> LockState<T> for parking_lot::Mutex<T> {
        unsafe fn held(&self) -> &T {
            // SAFETY: by this function's contract.
            unsafe { &*self.data_ptr() }
        }
    }
}

#[cfg(all(target_os = "linux", not(loom)))]
mod futex {
    use std::cell::UnsafeCell;
    use std::fmt;
    use std::marker::PhantomData;
    use std::ops::{Deref, DerefMut};
    use std::ptr;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::{Duration, Instant};

    const FREE: u32 = 0;
    const HELD: u32 = 1;
    /// Held, and somebody may sleep.
    const AWAITED: u32 = 2;

    /// Looks before a thread sleeps: most locks are held for less.
    const LOOKS: u32 = 40;

    /// What is asked of the kernel.
    enum Ask {
        /// To sleep while the word has this value, for so long at most.
        Sleep(u32, Option<libc::timespec>),
        /// To wake so many threads.
        Wake(i32),
    }

    /// The kernel's queue of threads that sleep on a word: what it answers.
    fn futex(word: &AtomicU32, ask: &Ask) -> libc::c_long {
        let (operation, number, limit) = match ask {
            Ask::Sleep(value, limit) => (libc::FUTEX_WAIT, *value, limit.as_ref().map_or(ptr::null(), ptr::from_ref)),
            Ask::Wake(threads) => (libc::FUTEX_WAKE, threads.cast_unsigned(), ptr::null()),
        };
        // SAFETY: the word lives during the call, and so does the time.
        unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation | libc::FUTEX_PRIVATE_FLAG, number, limit) }
    }

    /// Sleeps while the word has this value, for so long at most. False when the time is over.
    fn sleep(word: &AtomicU32, value: u32, time: Option<Duration>) -> bool {
        let limit = time.map(|time| libc::timespec {
            tv_sec: libc::time_t::try_from(time.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: time.subsec_nanos().into(),
        });
        let result = futex(word, &Ask::Sleep(value, limit));
        result == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ETIMEDOUT)
    }

    #[cold]
    #[inline(never)]
    fn wake(word: &AtomicU32, threads: i32) {
        futex(word, &Ask::Wake(threads));
    }

    /// Takes the lock with this state.
    #[inline]
    fn take(state: &AtomicU32) {
        if !take_if_free(state) {
            take_contended(state);
        }
    }

    #[inline]
    fn take_if_free(state: &AtomicU32) -> bool {
        state.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Takes a lock that another thread held a moment ago.
    #[cold]
    #[inline(never)]
    fn take_contended(state: &AtomicU32) {
        for _ in 0..LOOKS {
            if state.load(Ordering::Relaxed) == FREE && take_if_free(state) {
                return;
            }
            std::hint::spin_loop();
        }
        // Whoever sleeps, or may have to, leaves word: the holder wakes one.
        while state.swap(AWAITED, Ordering::Acquire) != FREE {
            sleep(state, AWAITED, None);
        }
    }

    /// Lets go of a lock that this thread holds.
    #[inline]
    fn let_go(state: &AtomicU32) {
        if state.swap(FREE, Ordering::Release) == AWAITED {
            wake(state, 1);
        }
    }

    /// A lock and what it protects.
    #[derive(Default)]
    pub(crate) struct Mutex<T> {
        state: AtomicU32,
        value: UnsafeCell<T>,
    }

    // SAFETY: the value is reached through the guard only, of which there is one at a time.
    unsafe impl<T: Send> Sync for Mutex<T> {}

    /// The lock, held.
    pub(crate) struct MutexGuard<'a, T> {
        mutex: &'a Mutex<T>,
        /// It is the holding thread's.
        stays: PhantomData<*const ()>,
    }

    // SAFETY: a shared guard gives no more than a shared value.
    unsafe impl<T: Sync> Sync for MutexGuard<'_, T> {}

    impl<T> Mutex<T> {
        /// Free, with this value.
        pub(crate) const fn new(value: T) -> Mutex<T> {
            Mutex { state: AtomicU32::new(FREE), value: UnsafeCell::new(value) }
        }

        /// Takes the lock when it is free.
        #[inline]
        pub(crate) fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
            // Not made ahead: a guard that is dropped lets go of the lock, whoever holds it.
            take_if_free(&self.state).then(|| MutexGuard { mutex: self, stays: PhantomData })
        }

        /// Takes the lock, and sleeps until it is free.
        #[inline]
        pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
            take(&self.state);
            MutexGuard { mutex: self, stays: PhantomData }
        }

        /// What the lock protects, without its guard.
        ///
        /// # Safety
        /// The calling thread holds the lock, and nobody changes the value meanwhile.
        pub(crate) unsafe fn held(&self) -> &T {
            // SAFETY: by this function's contract.
            unsafe { &*self.value.get() }
        }

        /// Lets go of the lock without its guard.
        ///
        /// # Safety
        /// The lock is held, and its guard was forgotten.
        pub(crate) unsafe fn force_unlock(&self) {
            drop(MutexGuard { mutex: self, stays: PhantomData });
        }
    }

    impl<T> fmt::Debug for Mutex<T> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("Mutex")
        }
    }

    impl<T> Deref for MutexGuard<'_, T> {
        type Target = T;
        #[inline]
        fn deref(&self) -> &T {
            // SAFETY: the lock is held.
            unsafe { &*self.mutex.value.get() }
        }
    }

    impl<T> DerefMut for MutexGuard<'_, T> {
        #[inline]
        fn deref_mut(&mut self) -> &mut T {
            // SAFETY: the lock is held, and this guard is borrowed alone.
            unsafe { &mut *self.mutex.value.get() }
        }
    }

    impl<T> Drop for MutexGuard<'_, T> {
        #[inline]
        fn drop(&mut self) {
            let_go(&self.mutex.state);
        }
    }

    /// What threads sleep on until something has changed.
    #[derive(Debug, Default)]
    pub(crate) struct Condvar {
        /// Changes with each notice: who has seen it before it let go of the lock does not miss one.
        notices: AtomicU32,
        waiting: AtomicU32,
    }

    /// Why a wait has ended.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Waited(bool);

    impl Waited {
        /// True when the time was over.
        pub(crate) fn timed_out(self) -> bool {
            self.0
        }
    }

    impl Condvar {
        /// Nobody waits.
        pub(crate) const fn new() -> Condvar {
            Condvar { notices: AtomicU32::new(0), waiting: AtomicU32::new(0) }
        }

        /// Lets go of the lock, sleeps until a notice comes (or for no reason), and takes the lock again.
        pub(crate) fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
            self.wait_at_most(&guard.mutex.state, None);
        }

        /// The same, for so long at most.
        pub(crate) fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, time: Duration) -> Waited {
            self.wait_at_most(&guard.mutex.state, Some(time))
        }

        /// The same, until this time at most.
        pub(crate) fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, end: Instant) -> Waited {
            self.wait_at_most(&guard.mutex.state, Some(end.saturating_duration_since(Instant::now())))
        }

        /// The same with the state of the lock. The guard goes on to hold the lock.
        fn wait_at_most(&self, lock: &AtomicU32, time: Option<Duration>) -> Waited {
            // Both under the lock: whoever changes something under it and then tells sees that somebody waits.
            self.waiting.fetch_add(1, Ordering::SeqCst);
            let seen = self.notices.load(Ordering::SeqCst);
            let_go(lock);
            let told = sleep(&self.notices, seen, time);
            self.waiting.fetch_sub(1, Ordering::SeqCst);
            take(lock);
            Waited(!told)
        }

        /// Wakes one of those who wait.
        pub(crate) fn notify_one(&self) {
            self.notify(1);
        }

        /// Wakes all who wait.
        pub(crate) fn notify_all(&self) {
            self.notify(i32::MAX);
        }

        fn notify(&self, threads: i32) {
            if self.waiting.load(Ordering::SeqCst) > 0 {
                self.notices.fetch_add(1, Ordering::SeqCst);
                wake(&self.notices, threads);
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::sync::Arc;

        #[test]
        fn one_thread_at_a_time_holds_it() {
            let counter = Arc::new(Mutex::new(0_u64));
            let count = |counter: Arc<Mutex<u64>>| move || (0..100_000).for_each(|_| *counter.lock() += 1);
            let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(count(Arc::clone(&counter)))).collect();
            for thread in threads {
                thread.join().unwrap();
            }
            assert_eq!(*counter.lock(), 400_000);
            let held = counter.lock();
            assert!(counter.try_lock().is_none());
            assert!(counter.try_lock().is_none(), "a failed attempt does not let go of it");
            drop(held);
            assert!(counter.try_lock().is_some());
        }

        #[test]
        fn no_notice_is_missed() {
            let turn = Arc::new((Mutex::new(0_u32), Condvar::new()));
            let player = |me: u32| {
                let turn = Arc::clone(&turn);
                std::thread::spawn(move || {
                    for round in 0..20_000 {
                        let mut now = turn.0.lock();
                        while *now != 2 * round + me {
                            turn.1.wait(&mut now);
                        }
                        *now += 1;
                        turn.1.notify_one();
                    }
                })
            };
            for player in [player(0), player(1)] {
                player.join().unwrap();
            }
            let mut now = turn.0.lock();
            assert!(turn.1.wait_for(&mut now, Duration::from_millis(1)).timed_out());
            assert!(turn.1.wait_until(&mut now, Instant::now()).timed_out());
            assert_eq!(*now, 40_000);
        }
    }
}
