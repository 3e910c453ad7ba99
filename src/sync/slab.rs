//! A row of entries that only grows: an entry, once there, stays at its address for ever.
//!
//! This is what lets a stale id be looked at: whatever index it names, there is an entry or there never was one. The
//! row consists of levels; each holds twice as many entries as the one before, so that a few levels suffice for all
//! 32-bit indices and finding an entry takes two loads.
//!
//! Invariant: every index below `length` has an initialised entry. `length` is stored with release after the entries
//! are written and loaded with acquire before they are read.

use std::alloc::Layout;

use crate::memory::Allocation;

use super::slab_parts::{AtomicPtr, AtomicU32, FIRST, Ordering};

/// Levels enough for every 32-bit index.
pub(super) const LEVELS: usize = 33 - FIRST.ilog2() as usize;

/// A row of entries that only grows.
pub(crate) struct Slab<T> {
    pub(super) levels: [AtomicPtr<T>; LEVELS],
    pub(super) length: AtomicU32,
}

/// The level of an index and the place in it.
fn locate(index: u32) -> (usize, usize) {
    let shifted = u64::from(index) + u64::from(FIRST);
    let level = shifted.ilog2() - FIRST.ilog2();
    (level as usize, (shifted - (u64::from(FIRST) << level)) as usize)
}

impl<T: Sync> Slab<T> {
    /// The number of entries.
    pub(crate) fn len(&self) -> u32 {
        self.length.load(Ordering::Acquire)
    }

    /// The entry with this index, if the row has grown so far.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        if index >= self.len() {
            return None;
        }
        // SAFETY: by the invariant.
        Some(unsafe { self.there(index) })
    }

    /// The entry with an index that [`Slab::push`] has given, as the caller knows.
    ///
    /// # Safety
    /// It has given the index, and the caller knows that from a thread that has seen it happen.
    #[inline]
    pub(crate) unsafe fn there(&self, index: u32) -> &T {
        debug_assert!(index < self.len());
        // SAFETY: by the invariant and this function's contract the entry is initialised; it is never moved, changed but
        // through `&T`, or freed.
        unsafe {
            if index < FIRST {
                // Not by `address`: of an address that may wrap around nobody knows that it is not NULL.
                &*self.levels[0].load(Ordering::Relaxed).add(index as usize)
            } else {
                &*self.further(index)
            }
        }
    }

    /// Where the entry with this index lies, if there is one; else the address means nothing.
    #[inline]
    pub(crate) fn address(&self, index: u32) -> *const T {
        if index < FIRST {
            self.levels[0].load(Ordering::Relaxed).wrapping_add(index as usize)
        } else {
            self.further(index)
        }
    }

    /// The address of an entry behind the first level.
    #[cold]
    #[inline(never)]
    fn further(&self, index: u32) -> *const T {
        let (level, place) = locate(index);
        self.levels[level].load(Ordering::Relaxed).wrapping_add(place)
    }

    /// Appends an entry; `None` when memory or indices have run out. One thread at a time: the caller holds a lock.
    pub(crate) fn push(&self, entry: T) -> Option<u32> {
        let index = self.length.load(Ordering::Relaxed);
        let following = index.checked_add(1)?;
        let (level, place) = locate(index);
        let mut entries = self.levels[level].load(Ordering::Relaxed);
        if entries.is_null() {
            let layout = Layout::array::<T>((FIRST as usize) << level).ok()?;
            entries = Allocation::new(layout)?.into_raw().cast().as_ptr();
            self.levels[level].store(entries, Ordering::Relaxed);
        }
        // SAFETY: the place lies in the level, and nobody reads it before `length` covers it.
        unsafe { entries.add(place).write(entry) };
        self.length.store(following, Ordering::Release);
        Some(index)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_its_own_place() {
        assert_eq!(locate(0), (0, 0));
        assert_eq!(locate(FIRST - 1), (0, FIRST as usize - 1));
        assert_eq!(locate(FIRST), (1, 0));
        assert_eq!(locate(3 * FIRST - 1), (1, 2 * FIRST as usize - 1));
        assert_eq!(locate(3 * FIRST), (2, 0));
        assert!(locate(u32::MAX).0 < LEVELS);
    }

    #[test]
    fn entries_stay_where_they_are() {
        let slab = Slab::new();
        assert!(slab.get(0).is_none());
        let many = 3 * FIRST + 5000;
        for number in 0..5000_u32 {
            assert_eq!(slab.push(number), Some(number));
        }
        let first = std::ptr::from_ref(slab.get(0).unwrap());
        for number in 5000..many {
            slab.push(number);
        }
        assert_eq!(first, std::ptr::from_ref(slab.get(0).unwrap()));
        assert!((0..many).all(|number| slab.get(number) == Some(&number)));
        // SAFETY: the row has grown so far on this thread.
        assert!((0..many).all(|number| unsafe { slab.there(number) } == &number));
        assert!(slab.get(many).is_none());
    }
}
