//! A work-stealing deque of 64-bit words.
//!
//! The owner pushes and pops at the bottom (last in, first out: the newest item's data are still in its
//! cache), thieves take the oldest at the top. The algorithm is Chase and Lev's with the memory orders of Lê, Pop,
//! Cohen and Zappa Nardelli, "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013), Figure 1, except
//! that each store to `bottom` is a release, so that a thief sees what an item stands for.
//! Items are words in atomics, so that no read is ever a data race.
#![allow(unsafe_code, reason = "the buffer in use is found by its address")]

use std::ptr;
use std::sync::OnceLock;

use super::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering};
use super::fence;
use crate::memory;

/// Slots of the first buffer; each further buffer doubles it.
#[cfg(not(loom))]
const FIRST: usize = 64;
#[cfg(loom)]
const FIRST: usize = 2;

/// Number of buffers: `FIRST << (CLASSES - 1)` slots are more than memory holds.
const CLASSES: usize = 32;

/// What a thief got.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) enum Steal {
    /// An item.
    Item(u64),
    /// Nothing there.
    Empty,
    /// Another thief or the owner was faster: there may be more.
    Retry,
}

/// An index on a pair of cache lines of its own, which processors fetch together: thieves look at `top` while the owner
/// writes `bottom`.
#[derive(Debug)]
#[repr(align(128))]
struct Line(AtomicI64);

/// The deque. `push` and `pop` belong to one thread at a time, the owner; `steal` to everybody. Misuse loses or
/// doubles items but never touches memory that is not the deque's.
#[derive(Debug)]
pub(crate) struct Deque {
    top: Line,
    bottom: Line,
    /// The buffer in use: the last one of `buffers`.
    buffer: AtomicPtr<Buffer>,
    /// Buffers are only ever added; a thief may still read an old one, whose live slots stay valid.
    buffers: [OnceLock<Box<Buffer>>; CLASSES],
}

#[derive(Debug)]
struct Buffer {
    /// Its place among the buffers.
    class: usize,
    slots: Box<[AtomicU64]>,
}

impl Buffer {
    fn new(class: usize) -> Buffer {
        Buffer { class, slots: (0..FIRST << class).map(|_| AtomicU64::new(0)).collect() }
    }

    #[inline]
    fn slot(&self, index: i64) -> &AtomicU64 {
        &self.slots[index as usize & (self.slots.len() - 1)]
    }
}

impl Deque {
    /// An empty deque.
    pub(crate) fn new() -> Self {
        let deque = Self {
            top: Line(AtomicI64::new(0)),
            bottom: Line(AtomicI64::new(0)),
            buffer: AtomicPtr::new(ptr::null_mut()),
            buffers: std::array::from_fn(|_| OnceLock::new()),
        };
        deque.put_in_use(0);
        deque
    }

    /// The buffer in use.
    #[inline]
    fn buffer(&self, order: Ordering) -> &Buffer {
        // SAFETY: it points to one of `buffers`, which are never freed or changed before the deque is; a thief that has
        // not seen this buffer put in use sees the one before it.
        unsafe { &*self.buffer.load(order) }
    }

    /// Puts the buffer of this class in use.
    fn put_in_use(&self, class: usize) {
        let buffer = self.buffers[class].get_or_init(|| Box::new(Buffer::new(class)));
        self.buffer.store(ptr::from_ref::<Buffer>(buffer).cast_mut(), Ordering::Release);
    }

    /// Adds an item; false when there is no memory for that. Owner only.
    #[inline]
    pub(crate) fn push(&self, item: u64) -> bool {
        let bottom = self.bottom.0.load(Ordering::Relaxed);
        let top = self.top.0.load(Ordering::Acquire);
        let mut buffer = self.buffer(Ordering::Relaxed);
        if bottom - top >= buffer.slots.len() as i64 {
            match self.grow(top, bottom) {
                Some(larger) => buffer = larger,
                None => return false,
            }
        }
        buffer.slot(bottom).store(item, Ordering::Relaxed);
        self.bottom.0.store(bottom + 1, Ordering::Release);
        true
    }

    /// Copies the live items to a buffer of twice the size and puts it in use.
    #[cold]
    #[inline(never)]
    fn grow(&self, top: i64, bottom: i64) -> Option<&Buffer> {
        let old = self.buffer(Ordering::Relaxed);
        let class = old.class + 1;
        let slots = memory::list((0..FIRST << class).map(|_| AtomicU64::new(0))).ok()?;
        let new = memory::boxed(Buffer { class, slots: slots.into_boxed_slice() }).ok()?;
        for index in top..bottom {
            new.slot(index).store(old.slot(index).load(Ordering::Relaxed), Ordering::Relaxed);
        }
        // Only the owner adds buffers, and it has not had this one.
        let _ = self.buffers[class].set(new);
        self.put_in_use(class);
        Some(self.buffer(Ordering::Relaxed))
    }

    /// Takes the newest item. Owner only.
    #[inline]
    pub(crate) fn pop(&self) -> Option<u64> {
        let bottom = self.bottom.0.load(Ordering::Relaxed) - 1;
        // An empty deque needs no fence: only the owner could have added something.
        if bottom < self.top.0.load(Ordering::Relaxed) {
            return None;
        }
        let buffer = self.buffer(Ordering::Relaxed);
        self.bottom.0.store(bottom, Ordering::Release);
        fence::full();
        let top = self.top.0.load(Ordering::Relaxed);
        if top > bottom {
            self.bottom.0.store(bottom + 1, Ordering::Release);
            return None;
        }
        let item = buffer.slot(bottom).load(Ordering::Relaxed);
        if top == bottom {
            // The last item: thieves may want it too.
            let won = self.top.0.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed).is_ok();
            self.bottom.0.store(bottom + 1, Ordering::Release);
            return won.then_some(item);
        }
        Some(item)
    }

    /// True when there seems to be nothing.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.top.0.load(Ordering::Relaxed) >= self.bottom.0.load(Ordering::Relaxed)
    }

    /// Takes the oldest item. Any thread.
    pub(crate) fn steal(&self) -> Steal {
        let top = self.top.0.load(Ordering::Acquire);
        // What looks empty is reported as empty: who must not miss an item has passed a fence since it was announced.
        if top >= self.bottom.0.load(Ordering::Relaxed) {
            return Steal::Empty;
        }
        fence::full();
        let bottom = self.bottom.0.load(Ordering::Acquire);
        if top >= bottom {
            return Steal::Empty;
        }
        let buffer = self.buffer(Ordering::Acquire);
        let item = buffer.slot(top).load(Ordering::Relaxed);
        match self.top.0.compare_exchange(top, top + 1, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => Steal::Item(item),
            Err(_) => Steal::Retry,
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn owner_sees_a_stack_and_thieves_a_queue() {
        // The seed is fixed: the space of three operations is small.
        let (deque, mut model, mut random) = (Deque::new(), VecDeque::new(), testkit::Random::new(12345));
        for step in 0..200_000_u64 {
            match random.below(4) {
                0 | 1 => {
                    deque.push(step);
                    model.push_back(step);
                }
                2 => assert_eq!(deque.pop(), model.pop_back()),
                _ => assert_eq!(deque.steal(), model.pop_front().map_or(Steal::Empty, Steal::Item)),
            }
        }
    }

    #[test]
    fn every_item_is_taken_once() {
        const ITEMS: u64 = 300_000;
        let (deque, over) = (Deque::new(), AtomicBool::new(false));
        let mut taken: Vec<u64> = std::thread::scope(|scope| {
            let thieves: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let mut mine = Vec::new();
                        loop {
                            match deque.steal() {
                                Steal::Item(item) => mine.push(item),
                                Steal::Empty if over.load(Ordering::Acquire) => return mine,
                                _ => std::thread::yield_now(),
                            }
                        }
                    })
                })
                .collect();
            let mut mine = Vec::new();
            for item in 0..ITEMS {
                deque.push(item);
                if item % 3 == 0 {
                    mine.extend(deque.pop());
                }
            }
            while let Some(item) = deque.pop() {
                mine.push(item);
            }
            over.store(true, Ordering::Release);
            mine.extend(thieves.into_iter().flat_map(|thief| thief.join().expect("thief")));
            mine
        });
        taken.sort_unstable();
        assert_eq!(taken, (0..ITEMS).collect::<Vec<_>>());
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    fn steal_some(deque: &Deque, tries: usize) -> Vec<u64> {
        (0..tries).filter_map(|_| if let Steal::Item(item) = deque.steal() { Some(item) } else { None }).collect()
    }

    #[test]
    fn items_are_taken_once_across_growth() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let deque = Arc::new(Deque::new());
            let other = Arc::clone(&deque);
            let thief = loom::thread::spawn(move || steal_some(&other, 2));
            let mut taken = Vec::new();
            for item in 1..=3 {
                deque.push(item);
            }
            taken.extend(deque.pop());
            taken.extend(thief.join().unwrap());
            while let Some(item) = deque.pop() {
                taken.push(item);
            }
            taken.sort_unstable();
            assert_eq!(taken, [1, 2, 3]);
        });
    }

    #[test]
    fn two_thieves_and_the_owner_share_the_last_item() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let deque = Arc::new(Deque::new());
            deque.push(7);
            let thieves: Vec<_> = (0..2)
                .map(|_| {
                    let other = Arc::clone(&deque);
                    loom::thread::spawn(move || steal_some(&other, 1))
                })
                .collect();
            let mut taken: Vec<u64> = deque.pop().into_iter().collect();
            for thief in thieves {
                taken.extend(thief.join().unwrap());
            }
            taken.extend(deque.pop());
            assert_eq!(taken, [7]);
        });
    }
}
