//! Memory for data of middling size: blocks that threads keep and pass on in batches, as those for small data (`blocks`).
//!
//! What one thread allocates and another frees is the C allocator's slow case: its lists belong to threads. Here a free block
//! belongs to whoever frees it, and goes back to a common store when a thread has a few of its size. The store keeps a bounded
//! number of bytes; what is beyond that is the allocator's again.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use crate::memory;
use crate::sync::lock::Mutex;

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
pub(super) struct Cache([Vec<NonNull<u8>>; CLASSES]);

// SAFETY: a free block belongs to the list that holds it.
unsafe impl Send for Cache {}

impl Cache {
    /// Nothing kept.
    pub(super) const fn new() -> Cache {
        Cache([const { Vec::new() }; CLASSES])
    }
}

struct Shared {
    free: [Vec<NonNull<u8>>; CLASSES],
    /// The bytes of all these.
    bytes: usize,
}

// SAFETY: as for `Cache`.
unsafe impl Send for Shared {}

/// The free blocks that no thread keeps.
pub(super) struct Magazines(Mutex<Shared>);

/// The store of all threads.
pub(super) static MAGAZINES: Magazines =
    Magazines(Mutex::new(Shared { free: [const { Vec::new() }; CLASSES], bytes: 0 }));

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

/// # Safety
/// The block is of this class, and nobody uses it any more.
unsafe fn free(block: NonNull<u8>, class: usize) {
    // SAFETY: allocated with this layout.
    unsafe { dealloc(block.as_ptr(), layout_of(class)) };
}

impl Magazines {
    /// A block for so many bytes, with whatever was in it; `None` when there is no memory. There are more bytes than a small
    /// block has, and no more than [`LARGEST`].
    #[inline]
    pub(super) fn take(&self, cache: &mut Cache, size: usize) -> Option<NonNull<u8>> {
        let class = class_of(size);
        cache.0[class].pop().or_else(|| self.refill(&mut cache.0[class], class))
    }

    #[inline(never)]
    fn refill(&self, kept: &mut Vec<NonNull<u8>>, class: usize) -> Option<NonNull<u8>> {
        memory::room_for(kept, 2 * batch_of(class)).ok()?;
        let mut shared = self.0.lock();
        let rest = shared.free[class].len().saturating_sub(batch_of(class));
        kept.extend(shared.free[class].drain(rest..));
        shared.bytes -= kept.len() * bytes_of(class);
        drop(shared);
        kept.pop().or_else(|| allocate(class)).or_else(|| {
            // Of other sizes there may be enough.
            self.let_go();
            allocate(class)
        })
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// It was taken for so many bytes, and nobody uses it any more.
    #[inline]
    pub(super) unsafe fn give(&self, cache: &mut Cache, block: NonNull<u8>, size: usize) {
        let class = class_of(size);
        let kept = &mut cache.0[class];
        if kept.len() < kept.capacity().min(2 * batch_of(class)) {
            kept.push(block);
        } else {
            // SAFETY: by this function's contract.
            unsafe { self.give_more(kept, class, block) };
        }
    }

    /// # Safety
    /// As for [`Magazines::give`].
    #[inline(never)]
    unsafe fn give_more(&self, kept: &mut Vec<NonNull<u8>>, class: usize, block: NonNull<u8>) {
        if kept.is_empty() && memory::room_for(kept, 2 * batch_of(class)).is_ok() {
            return kept.push(block);
        }
        // SAFETY: by this function's contract; those that are kept are of this class and used by nobody.
        let let_go = |block| unsafe { free(block, class) };
        let from = kept.len().saturating_sub(batch_of(class));
        let count = kept.len() - from + 1;
        let batch = kept.drain(from..).chain([block]);
        let mut shared = self.0.lock();
        let bytes = count * bytes_of(class);
        let fits = shared.bytes + bytes <= KEPT && memory::room_for(&mut shared.free[class], count).is_ok();
        if fits {
            shared.free[class].extend(batch);
            shared.bytes += bytes;
        } else {
            drop(shared);
            batch.for_each(let_go);
        }
    }

    /// Gives the memory of the blocks that no thread keeps back.
    #[cold]
    #[inline(never)]
    fn let_go(&self) {
        let mut shared = self.0.lock();
        let all = std::mem::replace(&mut shared.free, [const { Vec::new() }; CLASSES]);
        shared.bytes = 0;
        drop(shared);
        for (class, blocks) in all.into_iter().enumerate() {
            // SAFETY: of this class, and free.
            blocks.into_iter().for_each(|block| unsafe { free(block, class) });
        }
    }

    /// Gives all memory back, also what these threads keep.
    pub(super) fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut Cache>) {
        for cache in caches {
            for (class, blocks) in std::mem::replace(cache, Cache::new()).0.into_iter().enumerate() {
                // SAFETY: of this class, and free.
                blocks.into_iter().for_each(|block| unsafe { free(block, class) });
            }
        }
        self.let_go();
    }
}

/// A new block.
fn allocate(class: usize) -> Option<NonNull<u8>> {
    // SAFETY: the layout has a size.
    NonNull::new(memory::strictly(|| unsafe { alloc(layout_of(class)) }))
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
        let store = Magazines(Mutex::new(Shared { free: [const { Vec::new() }; CLASSES], bytes: 0 }));
        let (mut maker, mut user) = (Cache::new(), Cache::new());
        for size in [1025, 4096, 5000, 16 << 10, LARGEST] {
            let mut seen = std::collections::HashSet::new();
            for _ in 0..200 {
                let blocks: Vec<_> = (0..20).map(|_| store.take(&mut maker, size).unwrap()).collect();
                for block in blocks {
                    assert_eq!(block.addr().get() % ALIGNMENT, 0);
                    // SAFETY: it has `size` bytes; taken above and used by nobody else.
                    unsafe {
                        block.write_bytes(7, size);
                        store.give(&mut user, block, size);
                    }
                    seen.insert(block);
                }
            }
            assert!(seen.len() <= 20 + 4 * batch_of(class_of(size)), "{size}: {} blocks", seen.len());
        }
        let many: Vec<_> = (0..2 * KEPT / LARGEST).map(|_| store.take(&mut maker, LARGEST).unwrap()).collect();
        // SAFETY: taken above.
        many.into_iter().for_each(|block| unsafe { store.give(&mut user, block, LARGEST) });
        let shared = store.0.lock();
        let bytes = |(class, blocks): (usize, &Vec<_>)| blocks.len() * bytes_of(class);
        assert_eq!(shared.bytes, shared.free.iter().enumerate().map(bytes).sum::<usize>());
        assert!(shared.bytes <= KEPT);
        drop(shared);
        store.clear([&mut maker, &mut user].into_iter());
        assert_eq!(store.0.lock().bytes, 0);
    }
}
