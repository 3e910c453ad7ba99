//! Threads that sleep until a datum is published: each on a condition of its own, so that a publication wakes those that wait
//! for it and no others, however many there are.

use std::ptr;

use crate::sync::lock::{Condvar, Mutex, MutexGuard};

/// Lists that sleepers are spread over, by the indices of their data.
const LISTS: usize = 1024;

/// A thread that sleeps. It lies on that thread's stack as long as it is in a list.
struct Sleeper {
    previous: *mut Sleeper,
    next: *mut Sleeper,
    index: u32,
    changed: Condvar,
}

/// The first sleeper of a list.
struct First(*mut Sleeper);

// SAFETY: a list is reached under its lock only, and who is in it stays until it has taken itself out.
unsafe impl Send for First {}

/// All threads that sleep on data.
pub(super) struct Sleepers([Mutex<First>; LISTS]);

impl Sleepers {
    /// Nobody.
    pub(super) const fn new() -> Sleepers {
        Sleepers([const { Mutex::new(First(ptr::null_mut())) }; LISTS])
    }

    fn list(&self, index: u32) -> MutexGuard<'_, First> {
        self.0[index as usize % LISTS].lock()
    }

    /// Sleeps on the datum with this index until `over` gives something, which is asked at first and then whenever somebody
    /// calls [`Sleepers::wake`]. Who makes it true does so first and then wakes; `over` may lock the datum.
    pub(super) fn sleep<R>(&self, index: u32, mut over: impl FnMut() -> Option<R>) -> R {
        let mut me = Sleeper { previous: ptr::null_mut(), next: ptr::null_mut(), index, changed: Condvar::new() };
        let me = &raw mut me;
        let mut list = self.list(index);
        // SAFETY: under the list's lock; `me` stays on this stack until it is taken out below.
        unsafe { list.add(me) };
        let result = loop {
            if let Some(result) = over() {
                break result;
            }
            // SAFETY: others use the condition by shared reference only.
            unsafe { &(*me).changed }.wait(&mut list);
        };
        // SAFETY: under the list's lock, and it is in the list.
        unsafe { list.remove(me) };
        result
    }

    /// Wakes those who sleep on this datum, which is not locked.
    #[cold]
    pub(super) fn wake(&self, index: u32) {
        let list = self.list(index);
        let mut sleeper = list.0;
        while !sleeper.is_null() {
            // SAFETY: who is in the list stays while its lock is held.
            unsafe {
                if (*sleeper).index == index {
                    (*sleeper).changed.notify_one();
                }
                sleeper = (*sleeper).next;
            }
        }
    }
}

impl First {
    /// # Safety
    /// It is in no list, and stays where it is until it has been removed.
    unsafe fn add(&mut self, new: *mut Sleeper) {
        // SAFETY: `new` by this function's contract, the first by the same one.
        unsafe {
            (*new).next = self.0;
            if !self.0.is_null() {
                (*self.0).previous = new;
            }
        }
        self.0 = new;
    }

    /// # Safety
    /// It is in this list.
    unsafe fn remove(&mut self, old: *mut Sleeper) {
        // SAFETY: it and its neighbours are in this list.
        unsafe {
            let (previous, next) = ((*old).previous, (*old).next);
            if previous.is_null() {
                self.0 = next;
            } else {
                (*previous).next = next;
            }
            if !next.is_null() {
                (*next).previous = previous;
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    use super::*;

    /// Some indices share a list.
    #[test]
    fn who_is_woken_is_who_waits_for_the_datum() {
        const DATA: usize = 6;
        let indices: [u32; DATA] = [0, 1, LISTS as u32, 2 * LISTS as u32, LISTS as u32 + 1, 7];
        let sleepers = Sleepers::new();
        let published: [AtomicU32; DATA] = std::array::from_fn(|_| AtomicU32::new(0));
        let looks: [AtomicU64; DATA] = std::array::from_fn(|_| AtomicU64::new(0));
        std::thread::scope(|scope| {
            for thread in 0..30 {
                let (sleepers, published, looks) = (&sleepers, &published, &looks);
                scope.spawn(move || {
                    let datum = thread % DATA;
                    sleepers.sleep(indices[datum], || {
                        looks[datum].fetch_add(1, Ordering::SeqCst);
                        (published[datum].load(Ordering::SeqCst) != 0).then_some(())
                    });
                });
            }
            while looks.iter().any(|looks| looks.load(Ordering::SeqCst) < 5) {
                std::thread::yield_now();
            }
            for datum in (0..DATA).rev() {
                let before: Vec<_> = looks.iter().map(|looks| looks.load(Ordering::SeqCst)).collect();
                published[datum].store(1, Ordering::SeqCst);
                sleepers.wake(indices[datum]);
                while looks[datum].load(Ordering::SeqCst) < 10 {
                    std::thread::yield_now();
                }
                for other in (0..datum).filter(|&other| other != datum) {
                    assert_eq!(looks[other].load(Ordering::SeqCst), before[other], "only those of the datum are woken");
                }
            }
        });
        assert!(sleepers.0.iter().all(|list| list.lock().0.is_null()));
    }
}
