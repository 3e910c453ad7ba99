//! Memory for small data: blocks of few sizes that threads keep and pass on in batches.
//!
//! What one thread uses up and another gives back would send the C allocator to its slow path with each datum. Chunks
//! go back to the system when the engine ends.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

use super::magazines::{self, ALIGNMENT, MAGAZINES};
use crate::memory::{self, Allocation};
use crate::sync::lock::Mutex;
use crate::sync::magazine::{Depot, Magazine};
use crate::system;

/// Sizes: `ALIGNMENT << class` bytes.
const CLASSES: usize = 5;

/// Blocks move between a thread and the pool in batches of this number.
const BATCH: usize = 64;

/// The memory that is asked for at once.
const CHUNK: usize = 64 << 10;

/// The largest block.
pub(super) const LARGEST: usize = ALIGNMENT << (CLASSES - 1);

const _: () = assert!(LARGEST == magazines::SMALLEST);

/// A free block: nobody uses it but the list that holds it.
#[derive(Clone, Copy)]
struct Free(NonNull<u8>);

// SAFETY: it belongs to the list that holds it.
unsafe impl Send for Free {}

/// Free blocks that a thread keeps.
pub(super) struct BlockCache {
    /// By class.
    small: [Magazine<Free>; CLASSES],
    pub(super) middling: magazines::MagazineCache,
}

impl BlockCache {
    /// Nothing kept.
    pub(super) const fn new() -> BlockCache {
        BlockCache { small: [const { Magazine::new() }; CLASSES], middling: magazines::MagazineCache::new() }
    }
}

/// The free blocks that no thread keeps, by class, and the memory of all.
pub(super) struct Blocks {
    free: [Depot<Free>; CLASSES],
    chunks: Mutex<Vec<Allocation>>,
}

/// The pool of all threads.
pub(super) static BLOCKS: Blocks = Blocks::new();

/// Whether small data lie in blocks: 0 not decided, 1 yes, 2 no.
static POOLED: AtomicU8 = AtomicU8::new(0);

/// True when data of so many bytes lie in blocks, of this module or of `magazines`: not when a checker of memory is there,
/// which could not tell one datum from the next in a chunk, or a freed one from a living one.
#[inline]
pub(super) fn serve(size: usize) -> bool {
    size.wrapping_sub(1) < magazines::LARGEST
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

/// The class of blocks for so many bytes; `None` for none and for too many.
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

    /// A block for so many bytes, with whatever was in it; `None` when there is no memory.
    ///
    /// # Panics
    /// When no class has blocks of this size: 1 to [`LARGEST`] bytes.
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
            // Taken before the lock of a depot.
            let mut chunks = self.chunks.lock();
            memory::room_for(&mut chunks, 1).ok()?;
            self.free[class].enlarge(CHUNK / step, blocks, kept, BATCH).ok()?;
            chunks.push(chunk);
        }
        kept.take()
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// It was taken for so many bytes, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn give(&self, cache: &mut BlockCache, block: NonNull<u8>, size: usize) {
        let class = class_of(size).expect("it was taken with this size");
        cache.small[class].give(Free(block), BATCH, &self.free[class]);
    }

    /// Gives all memory back.
    ///
    /// # Safety
    /// No block is in use, and `caches` are those of all threads that ever took or gave one; none does so now.
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
            // SAFETY: taken for so many bytes, used by nobody.
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
