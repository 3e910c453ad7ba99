//! Memory for small data: blocks of few sizes that threads keep and pass on in batches.
//!
//! What one thread uses up and another gives back would send the C allocator to its slow path with each datum. Chunks
//! go back to the system when the engine ends.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::sync::lock::Mutex;

use super::magazines::{self, ALIGNMENT, MAGAZINES};
use crate::memory;

/// Sizes: `ALIGNMENT << class` bytes.
const CLASSES: usize = 5;

/// Blocks move between a thread and the pool in batches of this number.
const BATCH: usize = 64;

/// The memory that is asked for at once.
const CHUNK: usize = 64 << 10;

/// The largest block.
pub(super) const LARGEST: usize = ALIGNMENT << (CLASSES - 1);

const _: () = assert!(LARGEST == magazines::SMALLEST);

/// Free blocks that a thread keeps.
pub(super) struct Cache {
    /// By class.
    small: [Vec<NonNull<u8>>; CLASSES],
    pub(super) middling: magazines::Cache,
}

// SAFETY: a free block belongs to the list that holds it.
unsafe impl Send for Cache {}

impl Cache {
    /// Nothing kept.
    pub(super) const fn new() -> Cache {
        Cache { small: [const { Vec::new() }; CLASSES], middling: magazines::Cache::new() }
    }
}

struct Shared {
    free: [Vec<NonNull<u8>>; CLASSES],
    chunks: Vec<NonNull<u8>>,
    /// The blocks of all chunks.
    made: [usize; CLASSES],
}

// SAFETY: as for `Cache`.
unsafe impl Send for Shared {}

/// The free blocks that no thread keeps, and the memory of all.
pub(super) struct Blocks(Mutex<Shared>);

/// The pool of all threads.
pub(super) static BLOCKS: Blocks =
    Blocks(Mutex::new(Shared { free: [const { Vec::new() }; CLASSES], chunks: Vec::new(), made: [0; CLASSES] }));

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
    // SAFETY: the name ends with a NUL; RTLD_DEFAULT asks the whole program.
    let sanitizer = !unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__asan_init".as_ptr()) }.is_null();
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
    /// A block for so many bytes, with whatever was in it; `None` when there is no memory.
    ///
    /// # Panics
    /// When no class has blocks of this size: 1 to [`LARGEST`] bytes.
    #[inline]
    pub(super) fn take(&self, cache: &mut Cache, size: usize) -> Option<NonNull<u8>> {
        let class = class_of(size).expect("the caller keeps to small sizes");
        cache.small[class].pop().or_else(|| self.refill(&mut cache.small[class], class))
    }

    #[cold]
    fn refill(&self, kept: &mut Vec<NonNull<u8>>, class: usize) -> Option<NonNull<u8>> {
        memory::room_for(kept, 2 * BATCH).ok()?;
        let mut shared = self.0.lock();
        if shared.free[class].is_empty() {
            // The allocator may take its time: others are not to wait for that.
            drop(shared);
            // SAFETY: the layout has a size.
            let chunk = NonNull::new(memory::strictly(|| unsafe { alloc(chunk_layout()) }))?;
            shared = self.0.lock();
            let step = ALIGNMENT << class;
            // Room for all that may ever come back, so that to give back needs no memory.
            shared.made[class] += CHUNK / step;
            let missing = shared.made[class] - shared.free[class].len();
            let room = memory::room_for(&mut shared.free[class], missing);
            if room.and_then(|()| memory::room_for(&mut shared.chunks, 1)).is_err() {
                shared.made[class] -= CHUNK / step;
                drop(shared);
                // SAFETY: just allocated with this layout.
                unsafe { dealloc(chunk.as_ptr(), chunk_layout()) };
                return None;
            }
            shared.chunks.push(chunk);
            // SAFETY: all offsets lie in the chunk.
            shared.free[class].extend((0..CHUNK / step).rev().map(|place| unsafe { chunk.add(place * step) }));
        }
        let rest = shared.free[class].len().saturating_sub(BATCH);
        kept.extend(shared.free[class].drain(rest..));
        kept.pop()
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// It was taken for so many bytes, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn give(&self, cache: &mut Cache, block: NonNull<u8>, size: usize) {
        let class = class_of(size).expect("it was taken with this size");
        let kept = &mut cache.small[class];
        if kept.len() == kept.capacity() {
            return self.give_first(kept, class, block);
        }
        kept.push(block);
        if kept.len() >= 2 * BATCH {
            self.0.lock().free[class].extend(kept.drain(BATCH..));
        }
    }

    /// The list of a thread that has used no block yet has no room; that of all has.
    #[cold]
    #[inline(never)]
    fn give_first(&self, kept: &mut Vec<NonNull<u8>>, class: usize, block: NonNull<u8>) {
        match memory::room_for(kept, 2 * BATCH) {
            Ok(()) => kept.push(block),
            Err(_) => self.0.lock().free[class].push(block),
        }
    }

    /// Gives all memory back.
    ///
    /// # Safety
    /// No block is in use, and `caches` are those of all threads that ever took or gave one; none does so now.
    pub(super) unsafe fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut Cache>) {
        MAGAZINES.clear(caches.map(|cache| {
            cache.small = [const { Vec::new() }; CLASSES];
            &mut cache.middling
        }));
        let mut shared = self.0.lock();
        shared.free = [const { Vec::new() }; CLASSES];
        shared.made = [0; CLASSES];
        for chunk in std::mem::take(&mut shared.chunks) {
            // SAFETY: it was allocated with this layout, and no block of it is in use.
            unsafe { dealloc(chunk.as_ptr(), chunk_layout()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_apart_and_used_again() {
        let (pool, mut cache) = (
            Blocks(Mutex::new(Shared {
                free: [const { Vec::new() }; CLASSES],
                chunks: Vec::new(),
                made: [0; CLASSES],
            })),
            Cache::new(),
        );
        for size in [1, 64, 65, 128, 200, 512, 513, LARGEST] {
            let mut blocks: Vec<_> = (0..1000).map(|_| pool.take(&mut cache, size).unwrap()).collect();
            blocks.sort_unstable();
            assert!(blocks.iter().all(|block| block.addr().get() % ALIGNMENT == 0));
            assert!(blocks.windows(2).all(|two| two[1].addr().get() - two[0].addr().get() >= size));
            let chunks = pool.0.lock().chunks.len();
            // SAFETY: taken above, used by nobody.
            blocks.iter().for_each(|&block| unsafe { pool.give(&mut cache, block, size) });
            let again: Vec<_> = (0..1000).map(|_| pool.take(&mut cache, size).unwrap()).collect();
            assert_eq!(pool.0.lock().chunks.len(), chunks, "no new memory");
            // SAFETY: as above.
            again.into_iter().for_each(|block| unsafe { pool.give(&mut cache, block, size) });
        }
        // SAFETY: all blocks are back.
        unsafe { pool.clear(std::iter::once(&mut cache)) };
        assert!(pool.0.lock().chunks.is_empty());
    }
}
