//! Memory for small data: blocks of a few sizes, which threads cache and exchange in batches.
//!
//! If one thread allocates and another frees, the C allocator takes its slow path for each datum. Chunks are freed when
//! the engine ends.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

use super::middling_blocks::{self, ALIGNMENT, MAGAZINES};
use crate::memory::{self, Allocation};
use crate::sync::lock::Mutex;
use crate::sync::magazine::{Depot, Magazine};
use crate::system;

/// The number of block sizes; a block of a class has `ALIGNMENT << class` bytes.
const CLASSES: usize = 5;

/// The number of blocks that move at once between a thread and the pool.
const BATCH: usize = 64;

/// The bytes that are allocated at once.
const CHUNK: usize = 64 << 10;

/// The size of the largest block in bytes.
pub(super) const LARGEST: usize = ALIGNMENT << (CLASSES - 1);

const _: () = assert!(LARGEST == middling_blocks::SMALLEST);

/// A free block: only the list that holds it uses it.
#[derive(Clone, Copy)]
struct Free(NonNull<u8>);

// SAFETY: the block belongs to the list that holds it.
unsafe impl Send for Free {}

/// The free blocks that a thread caches.
pub(super) struct BlockCache {
    /// The blocks, by class.
    small: [Magazine<Free>; CLASSES],
    pub(super) middling: middling_blocks::MagazineCache,
}

impl BlockCache {
    /// An empty cache.
    pub(super) const fn new() -> BlockCache {
        BlockCache { small: [const { Magazine::new() }; CLASSES], middling: middling_blocks::MagazineCache::new() }
    }
}

/// The free blocks that no thread caches, by class, and the memory of all blocks.
pub(super) struct Blocks {
    free: [Depot<Free>; CLASSES],
    chunks: Mutex<Vec<Allocation>>,
}

/// The pool of all threads.
pub(super) static BLOCKS: Blocks = Blocks::new();

/// Whether small data are in blocks: 0 undecided, 1 yes, 2 no.
static POOLED: AtomicU8 = AtomicU8::new(0);

/// True if data of this size are in blocks, of this module or of `middling_blocks`. False under a memory checker: it
/// could not tell one datum of a chunk from the next, or a freed datum from a living one.
#[inline]
pub(super) fn serve(size: usize) -> bool {
    size.wrapping_sub(1) < middling_blocks::LARGEST
        && match POOLED.load(Ordering::Relaxed) {
            0 => decide(),
            decided => decided == 1,
        }
}

#[cold]
fn decide() -> bool {
    let sanitizer = system::symbol(c"__asan_init").is_some();
    let valgrind = std::env::var_os("LD_PRELOAD").is_some_and(|list| list.to_string_lossy().contains("vgpreload"));
    let pooled = !sanitizer && !valgrind;
    POOLED.store(if pooled { 1 } else { 2 }, Ordering::Relaxed);
    pooled
}

/// The class of blocks for a size; `None` for 0 and for sizes that are too large.
#[inline]
fn class_of(size: usize) -> Option<usize> {
    if size == 0 || size > LARGEST {
        return None;
    }
    Some((size.div_ceil(ALIGNMENT)).next_power_of_two().trailing_zeros() as usize)
}

fn chunk_layout() -> Layout {
    Layout::from_size_align(CHUNK, 4096).expect("constants")
}

impl Blocks {
    const fn new() -> Blocks {
        Blocks { free: [const { Depot::new() }; CLASSES], chunks: Mutex::new(Vec::new()) }
    }

    /// A block of at least this size, with arbitrary contents; `None` if there is no memory.
    ///
    /// # Panics
    /// If no class has blocks of this size: 1 to [`LARGEST`] bytes.
    #[inline]
    pub(super) fn take(&self, cache: &mut BlockCache, size: usize) -> Option<NonNull<u8>> {
        let class = class_of(size).expect("the caller keeps to small sizes");
        let block = cache.small[class].take().or_else(|| self.refill(&mut cache.small[class], class));
        block.map(|block| block.0)
    }

    #[cold]
    fn refill(&self, kept: &mut Magazine<Free>, class: usize) -> Option<Free> {
        kept.make_room(BATCH).ok()?;
        if !self.free[class].supply(kept, BATCH) {
            let chunk = Allocation::new(chunk_layout())?;
            let step = ALIGNMENT << class;
            let blocks = (0..CHUNK / step).rev().map(|place| Free(chunk.part(place * step, step)));
            // This lock is taken before a depot's.
            let mut chunks = self.chunks.lock();
            memory::room_for(&mut chunks, 1).ok()?;
            self.free[class].enlarge(CHUNK / step, blocks, kept, BATCH).ok()?;
            chunks.push(chunk);
        }
        kept.take()
    }

    /// Frees a block.
    ///
    /// # Safety
    /// The block was taken for this size, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn give(&self, cache: &mut BlockCache, block: NonNull<u8>, size: usize) {
        let class = class_of(size).expect("it was taken with this size");
        cache.small[class].give(Free(block), BATCH, &self.free[class]);
    }

    /// Frees all memory.
    ///
    /// # Safety
    /// No block is in use, and `caches` are those of all threads that ever took or freed a block; none of these threads
    /// does so now.
    pub(super) unsafe fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut BlockCache>) {
        MAGAZINES.clear(caches.map(|cache| {
            cache.small = [const { Magazine::new() }; CLASSES];
            &mut cache.middling
        }));
        self.free.iter().for_each(|free| drop(free.empty()));
        *self.chunks.lock() = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_apart_and_used_again() {
        let (pool, mut cache) = (Blocks::new(), BlockCache::new());
        let give_all = |cache: &mut BlockCache, blocks: Vec<NonNull<u8>>, size: usize| {
            // SAFETY: the blocks were taken for this size, and nobody uses them.
            blocks.into_iter().for_each(|block| unsafe { pool.give(cache, block, size) });
        };
        for size in [1, 64, 65, 128, 200, 512, 513, LARGEST] {
            let mut blocks: Vec<_> = (0..1000).map(|_| pool.take(&mut cache, size).unwrap()).collect();
            blocks.sort_unstable();
            assert!(blocks.iter().all(|block| block.addr().get() % ALIGNMENT == 0));
            assert!(blocks.windows(2).all(|two| two[1].addr().get() - two[0].addr().get() >= size));
            let chunks = pool.chunks.lock().len();
            give_all(&mut cache, blocks, size);
            let again: Vec<_> = (0..1000).map(|_| pool.take(&mut cache, size).unwrap()).collect();
            assert_eq!(pool.chunks.lock().len(), chunks, "no new memory");
            give_all(&mut cache, again, size);
        }
        // SAFETY: all blocks are back.
        unsafe { pool.clear(std::iter::once(&mut cache)) };
        assert!(pool.chunks.lock().is_empty());
    }
}
