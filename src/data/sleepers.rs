//! Threads that sleep until a datum is published. Each thread has a condition of its own, so a publication wakes the
//! threads that wait for it and no others.

use std::cell::Cell;
use std::ptr;

use crate::sync::lock::{Condvar, Mutex, MutexGuard};

/// The number of lists; the index of a datum selects the list of its sleepers.
const LISTS: usize = 1024;

/// A thread that sleeps. The value is on that thread's stack as long as it is in a list.
struct Sleeper {
    previous: Member,
    next: Member,
    index: u32,
    changed: Condvar,
}

/// A sleeper of a list, or none.
struct Member(Cell<*const Sleeper>);

impl Member {
    const fn nobody() -> Member {
        Member(Cell::new(ptr::null()))
    }

    /// The sleeper, while its list, which is `list`, is held.
    fn of<'a>(&self, _list: &'a List) -> Option<&'a Sleeper> {
        // SAFETY: a sleeper in the list stays while the list's lock is held.
        unsafe { self.0.get().as_ref() }
    }

    fn set(&self, sleeper: Option<&Sleeper>) {
        self.0.set(sleeper.map_or(ptr::null(), ptr::from_ref));
    }
}

/// A list of sleepers, by its first.
struct List(Member);

// SAFETY: a list and its sleepers are accessed under the list's lock only, and a sleeper stays until it has removed
// itself.
unsafe impl Send for List {}

/// All threads that sleep on data.
pub(super) struct Sleepers([Mutex<List>; LISTS]);

impl Sleepers {
    /// No sleepers.
    pub(super) const fn new() -> Sleepers {
        Sleepers([const { Mutex::new(List(Member::nobody())) }; LISTS])
    }

    fn list(&self, index: u32) -> MutexGuard<'_, List> {
        self.0[index as usize % LISTS].lock()
    }

    /// Sleeps on the datum with this index until `over` returns a result. `over` is called first, and then after each
    /// [`Sleepers::wake`]. A thread that changes the result does so first and then wakes. `over` may lock the datum.
    pub(super) fn sleep<R>(&self, index: u32, mut over: impl FnMut() -> Option<R>) -> R {
        /// Removes the sleeper again, on every way out.
        struct Leaves<'a>(MutexGuard<'a, List>, &'a Sleeper);
        impl Drop for Leaves<'_> {
            fn drop(&mut self) {
                self.0.remove(self.1);
            }
        }
        let me = Sleeper { previous: Member::nobody(), next: Member::nobody(), index, changed: Condvar::new() };
        let mut list = self.list(index);
        // SAFETY: the sleeper stays on this stack until it is removed below.
        unsafe { list.add(&me) };
        let mut inside = Leaves(list, &me);
        loop {
            if let Some(result) = over() {
                return result;
            }
            me.changed.wait(&mut inside.0);
        }
    }

    /// Wakes the sleepers of this datum. The caller does not hold the datum's lock.
    #[cold]
    pub(super) fn wake(&self, index: u32) {
        let list = self.list(index);
        let mut next = list.0.of(&list);
        while let Some(sleeper) = next {
            if sleeper.index == index {
                sleeper.changed.notify_one();
            }
            next = sleeper.next.of(&list);
        }
    }
}

impl List {
    /// # Safety
    /// The sleeper is in no list, and stays where it is until it has been removed from this one.
    unsafe fn add(&mut self, new: &Sleeper) {
        let first = self.0.of(self);
        new.next.set(first);
        if let Some(first) = first {
            first.previous.set(Some(new));
        }
        self.0.set(Some(new));
    }

    /// Removes a sleeper of this list.
    fn remove(&mut self, old: &Sleeper) {
        let (previous, next) = (old.previous.of(self), old.next.of(self));
        previous.map_or(&self.0, |previous| &previous.next).set(next);
        if let Some(next) = next {
            next.previous.set(previous);
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
        assert!(sleepers.0.iter().all(|list| list.lock().0.0.get().is_null()));
    }
}
