//! The pool of descriptors: after a while no task allocates memory.
//!
//! A descriptor is a block of one of a few sizes, by the number of its arguments. Each thread caches some free
//! descriptors of each size. If one thread takes descriptors and another returns them, they travel between the two in
//! batches. The memory is freed when the engine ends.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::{OwnedTask, Task};
use crate::data::DatumId;
use crate::error::Error;
use crate::memory::{self, Allocation};
use crate::processing::{MAX_PLAIN_ARGUMENTS, Signature};
use crate::sync::lock::Mutex;
use crate::sync::magazine::{Depot, Magazine};
use crate::sync::prefetch;

/// The number of arguments that fit into a descriptor, by class. The last class has room for the arguments of a plain
/// callback.
const ROOM: [usize; CLASSES] = [1, 5, 13, 29, 69];

const CLASSES: usize = 5;

/// The size of a descriptor in bytes, by class: half a cache line, or whole lines.
const SIZES: [usize; CLASSES] = [bytes(ROOM[0]), bytes(ROOM[1]), bytes(ROOM[2]), bytes(ROOM[3]), bytes(ROOM[4])];

const LINE: usize = 64;

#[cfg(not(loom))]
const _: () = assert!(SIZES[0] == LINE / 2 && SIZES[1] == LINE && SIZES[4].is_multiple_of(LINE));

/// The class of descriptors with more arguments than any in the pool has: each is allocated alone.
const ALONE: usize = CLASSES;

/// The number of descriptors that move at once between a thread and the pool.
const BATCH: usize = 64;

/// A descriptor's cache line is prefetched when this number of others are used before it: the worker that ran its last
/// task wrote the line.
const AHEAD: usize = 4;

/// The bytes that are allocated at once.
const CHUNK: usize = 64 << 10;

/// The size in bytes of a descriptor for this number of arguments.
const fn bytes(count: usize) -> usize {
    size_of::<Task>() + count * size_of::<u64>()
}

/// The class of a task with this number of arguments.
#[inline]
fn class_of(count: usize) -> usize {
    const { assert!(ROOM[CLASSES - 1] >= MAX_PLAIN_ARGUMENTS) };
    if count <= ROOM[0] {
        0
    } else if count <= ROOM[1] {
        1
    } else {
        class_of_many(count)
    }
}

#[inline(never)]
fn class_of_many(count: usize) -> usize {
    ROOM.iter().position(|&room| count <= room).unwrap_or(ALONE)
}

/// The layout of a descriptor that is allocated alone. A processing has fewer arguments than an `int` counts.
fn alone(count: usize) -> Layout {
    Layout::from_size_align(bytes(count), LINE).expect("no processing has so many arguments")
}

fn chunk_layout() -> Layout {
    Layout::from_size_align(CHUNK, LINE).expect("constants")
}

/// A free descriptor: only the list that holds it uses it.
struct Free(NonNull<Task>);

// SAFETY: the descriptor belongs to the list that holds it.
unsafe impl Send for Free {}

/// The free descriptors that a thread caches, by class.
pub(crate) struct TaskCache([Magazine<Free>; CLASSES]);

impl TaskCache {
    /// An empty cache.
    pub(crate) const fn new() -> TaskCache {
        TaskCache([const { Magazine::new() }; CLASSES])
    }
}

/// The free descriptors that no thread caches, by class, and the memory of all descriptors.
pub(crate) struct Pool {
    free: [Depot<Free>; CLASSES],
    chunks: Mutex<Vec<Allocation>>,
}

/// The pool.
pub(crate) static POOL: Pool = Pool::new();

impl Pool {
    const fn new() -> Pool {
        Pool { free: [const { Depot::new() }; CLASSES], chunks: Mutex::new(Vec::new()) }
    }

    /// A new task of this processing on these data; there are as many data as the processing has arguments.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    pub(crate) fn take(
        &self,
        cache: &mut TaskCache,
        signature: &'static Signature,
        ids: &[DatumId],
        worker: u16,
    ) -> Result<OwnedTask, Error> {
        let free = self.take_free(cache, signature.count)?;
        // SAFETY: a free block with room for the numbers, which the pool has just handed out.
        Ok(unsafe { OwnedTask::fill(free.0, signature, ids, worker) })
    }

    /// A free descriptor for this number of arguments.
    #[inline]
    fn take_free(&self, cache: &mut TaskCache, count: usize) -> Result<Free, Error> {
        let class = class_of(count);
        let Some(kept) = cache.0.get_mut(class) else { return take_alone(count) };
        let task = kept.take();
        if let Some(soon) = kept.ahead(AHEAD) {
            prefetch::to_write(soon.0.as_ptr());
        }
        match task {
            Some(task) => Ok(task),
            None => self.refill(kept, class),
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&self, kept: &mut Magazine<Free>, class: usize) -> Result<Free, Error> {
        kept.make_room(BATCH)?;
        if !self.free[class].supply(kept, BATCH) {
            self.add_chunk(kept, class)?;
        }
        Ok(kept.take().expect("just filled"))
    }

    /// Makes new descriptors, and hands some of them out. Descriptors on one cache line are far apart in the depot:
    /// different workers may get them, but hardly at the same time.
    fn add_chunk(&self, kept: &mut Magazine<Free>, class: usize) -> Result<(), Error> {
        let mut chunk = Allocation::new(chunk_layout()).ok_or_else(memory::none)?;
        let (size, count) = (SIZES[class], CHUNK / SIZES[class]);
        for place in 0..count {
            chunk.write(place * size, Task::blank());
        }
        let (first, step) = (chunk.part(0, count * size), (LINE / size).max(1));
        let apart = (0..step).rev().flat_map(|line| (line..count).step_by(step).rev());
        let tasks = apart.map(|place| Free(first.map_addr(|addr| addr.saturating_add(place * size)).cast()));
        // This lock is taken before a depot's.
        let mut chunks = self.chunks.lock();
        memory::room_for(&mut chunks, 1)?;
        self.free[class].enlarge(count, tasks, kept, BATCH)?;
        chunks.push(chunk);
        Ok(())
    }

    /// Frees a descriptor.
    #[inline]
    pub(crate) fn give(&self, cache: &mut TaskCache, task: OwnedTask) {
        let count = task.signature().count;
        let (class, free) = (class_of(count), Free(task.into_raw()));
        match cache.0.get_mut(class) {
            Some(kept) => kept.give(free, BATCH, &self.free[class]),
            // SAFETY: an owned task came from this pool, in a block for its number of arguments.
            None => unsafe { give_alone(free, count) },
        }
    }

    /// Frees all memory.
    ///
    /// # Safety
    /// No task exists, and `caches` are those of all threads that ever took or freed a descriptor; none of these
    /// threads does so now.
    pub(crate) unsafe fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut TaskCache>) {
        caches.for_each(|cache| *cache = TaskCache::new());
        self.free.iter().for_each(|free| drop(free.empty()));
        *self.chunks.lock() = Vec::new();
    }
}

#[cold]
#[inline(never)]
fn take_alone(count: usize) -> Result<Free, Error> {
    let mut new = Allocation::new(alone(count)).ok_or_else(memory::none)?;
    let task = new.write(0, Task::blank());
    new.into_raw();
    Ok(Free(task))
}

/// # Safety
/// The descriptor came from [`take_alone`] for this number of arguments.
#[cold]
#[inline(never)]
#[expect(clippy::needless_pass_by_value, reason = "nobody has it any more")]
unsafe fn give_alone(free: Free, count: usize) {
    // SAFETY: by this function's contract.
    drop(unsafe { Allocation::from_raw(free.0.cast(), alone(count)) });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::processing::Callee;
    use crate::task::UNPLACED;

    #[test]
    fn each_number_of_arguments_has_room_in_the_smallest_class_that_has_it() {
        for count in 0..=2 * MAX_PLAIN_ARGUMENTS {
            let class = class_of(count);
            assert_eq!(class == ALONE, count > ROOM[CLASSES - 1], "{count}");
            assert!(class == ALONE || bytes(count) <= SIZES[class], "{count}");
            assert!(class == 0 || bytes(count) > SIZES[class - 1], "{count}");
        }
    }

    /// A processing with this number of arguments.
    fn signature(count: usize) -> &'static Signature {
        static NAME: String = String::new();
        let mut signature = Signature::argumentless(Callee::idle(), &NAME);
        signature.count = count;
        Box::leak(Box::new(signature))
    }

    /// Descriptors of all classes do not overlap, keep their numbers, and are used again.
    #[test]
    fn descriptors_are_apart_and_used_again() {
        let (pool, mut cache) = (Pool::new(), TaskCache::new());
        for count in [0, 1, 2, 5, 6, 13, 14, 29, 30, 64, 69, 70, 1000] {
            let signature = signature(count);
            let ids = |task: u64| (0..count as u64).map(|place| DatumId::here(task << 32 | place)).collect::<Vec<_>>();
            let take = |cache: &mut TaskCache| -> Vec<OwnedTask> {
                (0..3000).map(|task| pool.take(cache, signature, &ids(task), UNPLACED).unwrap()).collect()
            };
            let give_all = |cache: &mut TaskCache, tasks: Vec<OwnedTask>| {
                for task in tasks {
                    pool.give(cache, task);
                }
            };
            let mut tasks = take(&mut cache);
            for (number, task) in (0..).zip(&tasks) {
                assert!(ids(number).iter().map(|id| id.number()).eq(task.numbers().iter().copied()));
            }
            tasks.sort_unstable_by_key(OwnedTask::address);
            assert!(tasks.windows(2).all(|two| two[1].address() - two[0].address() >= bytes(count)), "{count}");
            let chunks = pool.chunks.lock().len();
            for _ in 0..2 {
                give_all(&mut cache, tasks);
                tasks = take(&mut cache);
            }
            assert_eq!(pool.chunks.lock().len(), chunks, "no new memory: {count}");
            give_all(&mut cache, tasks);
        }
        // SAFETY: all descriptors are back.
        unsafe { pool.clear(std::iter::once(&mut cache)) };
        assert!(pool.chunks.lock().is_empty());
    }
}
