//! Memory for data of middling size: blocks that threads keep and pass on in batches, as those for small data (`blocks`).
//!
//! What one thread allocates and another frees is the C allocator's slow case: its lists belong to threads. Here a free block
//! belongs to whoever frees it, and goes back to a common store when a thread has a few of its size. The store keeps a bounded
//! number of bytes; what is beyond that is the allocator's again.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::memory::Allocation;
use crate::sync::magazine::{Depot, Magazine};

/// The alignment of memory that libdvm allocates.
pub(super) const ALIGNMENT: usize = 64;

/// What is not larger lies in a small block.
pub(super) const SMALLEST: usize = 1 << 10;

/// Sizes between a power of two and the next: a block is at most a quarter larger than its datum.
const STEPS: usize = 4;

/// The powers of two: from the largest small block to [`LARGEST`].
const OCTAVES: usize = 6;

const CLASSES: usize = OCTAVES * STEPS;

/// The largest block.
pub(super) const LARGEST: usize = SMALLEST << OCTAVES;

/// Blocks of about so many bytes move between a thread and the store at once; a thread keeps up to twice as many of each class.
const BATCH: usize = 64 << 10;

/// More blocks than that never move at once.
const MOST: usize = 16;

/// The bytes that the store keeps.
const KEPT: usize = 16 << 20;

/// Free blocks that a thread keeps, by class.
pub(super) struct MagazineCache([Magazine<Allocation>; CLASSES]);

impl MagazineCache {
    /// Nothing kept.
    pub(super) const fn new() -> MagazineCache {
        MagazineCache([const { Magazine::new() }; CLASSES])
    }
}

/// The free blocks that no thread keeps.
pub(super) struct Magazines {
    free: [Depot<Allocation>; CLASSES],
    /// The bytes of all these, and of those that are about to be put here.
    bytes: AtomicUsize,
}

/// The store of all threads.
pub(super) static MAGAZINES: Magazines = Magazines::new();

/// The class of blocks for so many bytes, more than small ones have.
#[inline]
fn class_of(size: usize) -> usize {
    let last = size - 1;
    let octave = last.ilog2() as usize;
    (octave - SMALLEST.ilog2() as usize) * STEPS + (last >> (octave - STEPS.ilog2() as usize)) % STEPS
}

/// The bytes of the blocks of a class.
#[inline]
fn bytes_of(class: usize) -> usize {
    ((SMALLEST / STEPS) * (STEPS + class % STEPS + 1)) << (class / STEPS)
}

/// How many blocks of a class move at once.
#[inline]
fn batch_of(class: usize) -> usize {
    (BATCH / bytes_of(class)).clamp(1, MOST)
}

fn layout_of(class: usize) -> Layout {
    Layout::from_size_align(bytes_of(class), ALIGNMENT).expect("constants")
}

impl Magazines {
    const fn new() -> Magazines {
        Magazines { free: [const { Depot::new() }; CLASSES], bytes: AtomicUsize::new(0) }
    }

    /// A block for so many bytes, with whatever was in it; `None` when there is no memory. There are more bytes than a small
    /// block has, and no more than [`LARGEST`].
    #[inline]
    pub(super) fn take(&self, cache: &mut MagazineCache, size: usize) -> Option<NonNull<u8>> {
        let class = class_of(size);
        let block = cache.0[class].take().or_else(|| self.refill(&mut cache.0[class], class));
        block.map(Allocation::into_raw)
    }

    #[inline(never)]
    fn refill(&self, kept: &mut Magazine<Allocation>, class: usize) -> Option<Allocation> {
        kept.make_room(batch_of(class)).ok()?;
        self.free[class].supply(kept, batch_of(class));
        self.bytes.fetch_sub(kept.len() * bytes_of(class), Ordering::Relaxed);
        kept.take().or_else(|| Allocation::new(layout_of(class))).or_else(|| {
            // Of other sizes there may be enough.
            self.let_go();
            Allocation::new(layout_of(class))
        })
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// It was taken for so many bytes, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn give(&self, cache: &mut MagazineCache, block: NonNull<u8>, size: usize) {
        let class = class_of(size);
        // SAFETY: by this function's contract; it was allocated with this layout.
        let block = unsafe { Allocation::from_raw(block, layout_of(class)) };
        if let Err(block) = cache.0[class].keep(block, batch_of(class)) {
            self.pass_on(&mut cache.0[class], class, block);
        }
    }

    /// Hands a batch on to the store, or, when that has enough, to the allocator.
    #[inline(never)]
    fn pass_on(&self, kept: &mut Magazine<Allocation>, class: usize, block: Allocation) {
        let Err(block) = kept.keep_first(block, batch_of(class)) else { return };
        let batch = kept.newest(batch_of(class));
        let bytes = (batch.len() + 1) * bytes_of(class);
        let fits = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= KEPT;
        let refused = if fits { self.free[class].try_put(batch, block).err() } else { Some((batch, block)) };
        if refused.is_some() {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Gives the memory of the blocks that no thread keeps back.
    #[cold]
    #[inline(never)]
    fn let_go(&self) {
        for (class, free) in self.free.iter().enumerate() {
            let blocks = free.empty();
            self.bytes.fetch_sub(blocks.len() * bytes_of(class), Ordering::Relaxed);
        }
    }

    /// Gives all memory back, also what these threads keep.
    pub(super) fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut MagazineCache>) {
        caches.for_each(|cache| *cache = MagazineCache::new());
        self.let_go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_size_has_the_smallest_class_with_room() {
        let sizes = (SMALLEST + 1..=LARGEST).step_by(7).chain((0..CLASSES).map(bytes_of));
        for size in sizes.filter(|&size| size > SMALLEST) {
            let class = class_of(size);
            assert!(bytes_of(class) >= size && bytes_of(class) * 4 <= size * 5 + 4 * ALIGNMENT, "{size}");
            assert!(class == 0 || bytes_of(class - 1) < size, "{size}");
            assert_eq!(bytes_of(class) % ALIGNMENT, 0);
        }
        assert_eq!((class_of(SMALLEST + 1), class_of(LARGEST)), (0, CLASSES - 1));
    }

    /// One thread takes, another gives: what comes back is used again, and the store stays small.
    #[test]
    fn blocks_go_round_between_threads_and_the_store_is_bounded() {
        let store = Magazines::new();
        let (mut maker, mut user) = (MagazineCache::new(), MagazineCache::new());
        let give = |user: &mut MagazineCache, block: NonNull<u8>, size: usize| {
            // SAFETY: it has `size` bytes; taken below and used by nobody else.
            unsafe {
                block.write_bytes(7, size);
                store.give(user, block, size);
            }
        };
        for size in [1025, 4096, 5000, 16 << 10, LARGEST] {
            let mut seen = std::collections::HashSet::new();
            for _ in 0..200 {
                let blocks: Vec<_> = (0..20).map(|_| store.take(&mut maker, size).unwrap()).collect();
                for block in blocks {
                    assert_eq!(block.addr().get() % ALIGNMENT, 0);
                    give(&mut user, block, size);
                    seen.insert(block);
                }
            }
            assert!(seen.len() <= 20 + 4 * batch_of(class_of(size)), "{size}: {} blocks", seen.len());
        }
        let many: Vec<_> = (0..2 * KEPT / LARGEST).map(|_| store.take(&mut maker, LARGEST).unwrap()).collect();
        for block in many {
            give(&mut user, block, LARGEST);
        }
        let bytes = |(class, blocks): (usize, &Depot<_>)| blocks.len() * bytes_of(class);
        let kept = store.bytes.load(Ordering::Relaxed);
        assert_eq!(kept, store.free.iter().enumerate().map(bytes).sum::<usize>());
        assert!(kept <= KEPT);
        store.clear([&mut maker, &mut user].into_iter());
        assert_eq!(store.bytes.load(Ordering::Relaxed), 0);
    }
}
