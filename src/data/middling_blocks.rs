//! Memory for data of medium size: blocks that threads cache and exchange in batches, as those for small data
//! (`small_blocks`).
//!
//! If one thread allocates and another frees, the C allocator is slow, because its lists belong to threads. Here a free
//! block belongs to the thread that frees it. A thread with several free blocks of one size moves them to a common
//! store. The store keeps a bounded number of bytes; blocks beyond that go back to the allocator.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::memory::Allocation;
use crate::sync::magazine::{Depot, Magazine};

/// The alignment in bytes of memory that libdvm allocates.
pub(super) const ALIGNMENT: usize = 64;

/// Data up to this size in bytes are in small blocks.
pub(super) const SMALLEST: usize = 1 << 10;

/// The number of sizes between a power of two and the next: a block is at most a quarter larger than its datum.
const STEPS: usize = 4;

/// The number of powers of two from the largest small block to [`LARGEST`].
const OCTAVES: usize = 6;

const CLASSES: usize = OCTAVES * STEPS;

/// The size of the largest block in bytes.
pub(super) const LARGEST: usize = SMALLEST << OCTAVES;

/// The bytes of blocks that move at once between a thread and the store. A thread keeps up to twice as many of each
/// class.
const BATCH_BYTES: usize = 64 << 10;

/// The largest number of blocks that move at once.
const MAX_BATCH_BLOCKS: usize = 16;

/// The largest number of bytes that the store keeps.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// The free blocks that a thread caches, by class.
pub(super) struct MagazineCache([Magazine<Allocation>; CLASSES]);

impl MagazineCache {
    /// An empty cache.
    pub(super) const fn new() -> MagazineCache {
        MagazineCache([const { Magazine::new() }; CLASSES])
    }
}

/// The free blocks that no thread caches.
pub(super) struct Magazines {
    free: [Depot<Allocation>; CLASSES],
    /// The bytes of all these blocks, and of those that are about to be added.
    bytes: AtomicUsize,
}

/// The store of all threads.
pub(super) static MAGAZINES: Magazines = Magazines::new();

/// The class of blocks for a size above that of small blocks.
#[inline]
fn class_of(size: usize) -> usize {
    let last = size - 1;
    let octave = last.ilog2() as usize;
    (octave - SMALLEST.ilog2() as usize) * STEPS + (last >> (octave - STEPS.ilog2() as usize)) % STEPS
}

/// The size of a class's blocks in bytes.
#[inline]
fn bytes_of(class: usize) -> usize {
    ((SMALLEST / STEPS) * (STEPS + class % STEPS + 1)) << (class / STEPS)
}

/// The number of a class's blocks that move at once.
#[inline]
fn batch_of(class: usize) -> usize {
    (BATCH_BYTES / bytes_of(class)).clamp(1, MAX_BATCH_BLOCKS)
}

fn layout_of(class: usize) -> Layout {
    Layout::from_size_align(bytes_of(class), ALIGNMENT).expect("constants")
}

impl Magazines {
    const fn new() -> Magazines {
        Magazines { free: [const { Depot::new() }; CLASSES], bytes: AtomicUsize::new(0) }
    }

    /// A block of at least this size, with arbitrary contents; `None` if there is no memory. The size is above that of
    /// small blocks, and at most [`LARGEST`].
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
            // The store may have enough memory in blocks of other sizes.
            self.free_all();
            Allocation::new(layout_of(class))
        })
    }

    /// Frees a block.
    ///
    /// # Safety
    /// The block was taken for this size, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn give(&self, cache: &mut MagazineCache, block: NonNull<u8>, size: usize) {
        let class = class_of(size);
        // SAFETY: by this function's contract; the block was allocated with this layout.
        let block = unsafe { Allocation::from_raw(block, layout_of(class)) };
        if let Err(block) = cache.0[class].keep(block, batch_of(class)) {
            self.pass_on(&mut cache.0[class], class, block);
        }
    }

    /// Moves a batch to the store, or back to the allocator if the store is full.
    #[inline(never)]
    fn pass_on(&self, kept: &mut Magazine<Allocation>, class: usize, block: Allocation) {
        let Err(block) = kept.keep_first(block, batch_of(class)) else { return };
        let batch = kept.newest(batch_of(class));
        let bytes = (batch.len() + 1) * bytes_of(class);
        let fits = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes <= MAX_KEPT_BYTES;
        let refused = if fits { self.free[class].try_put(batch, block).err() } else { Some((batch, block)) };
        if refused.is_some() {
            self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// Returns the memory of the blocks that no thread caches to the allocator.
    #[cold]
    #[inline(never)]
    fn free_all(&self) {
        for (class, free) in self.free.iter().enumerate() {
            let blocks = free.empty();
            self.bytes.fetch_sub(blocks.len() * bytes_of(class), Ordering::Relaxed);
        }
    }

    /// Frees all memory, including the blocks in these caches.
    pub(super) fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut MagazineCache>) {
        caches.for_each(|cache| *cache = MagazineCache::new());
        self.free_all();
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

    /// One thread allocates, another frees: freed blocks are used again, and the store stays small.
    #[test]
    fn blocks_go_round_between_threads_and_the_store_is_bounded() {
        let store = Magazines::new();
        let (mut maker, mut user) = (MagazineCache::new(), MagazineCache::new());
        let give = |user: &mut MagazineCache, block: NonNull<u8>, size: usize| {
            // SAFETY: the block has `size` bytes; it was taken below, and nobody else uses it.
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
        let many: Vec<_> =
            (0..2 * MAX_KEPT_BYTES / LARGEST).map(|_| store.take(&mut maker, LARGEST).unwrap()).collect();
        for block in many {
            give(&mut user, block, LARGEST);
        }
        let bytes = |(class, blocks): (usize, &Depot<_>)| blocks.len() * bytes_of(class);
        let kept = store.bytes.load(Ordering::Relaxed);
        assert_eq!(kept, store.free.iter().enumerate().map(bytes).sum::<usize>());
        assert!(kept <= MAX_KEPT_BYTES);
        store.clear([&mut maker, &mut user].into_iter());
        assert_eq!(store.bytes.load(Ordering::Relaxed), 0);
    }
}
