//! The pool of descriptors: after a while no task allocates.
//!
//! A descriptor is a block of one of few sizes, by the number of its arguments. Each thread keeps some free descriptors of each
//! size to itself; what one thread uses up and another gives back travels between them in batches. Memory goes back when
//! the engine ends.

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

/// Classes of descriptors: so many arguments have room in one of each. The last has room for those of a plain callback.
const ROOM: [usize; CLASSES] = [1, 5, 13, 29, 69];

const CLASSES: usize = 5;

/// The bytes of a descriptor, by class: half a cache line, or whole ones.
const SIZES: [usize; CLASSES] = [bytes(ROOM[0]), bytes(ROOM[1]), bytes(ROOM[2]), bytes(ROOM[3]), bytes(ROOM[4])];

const LINE: usize = 64;

#[cfg(not(loom))]
const _: () = assert!(SIZES[0] == LINE / 2 && SIZES[1] == LINE && SIZES[4].is_multiple_of(LINE));

/// The class of descriptors with more arguments than any in the pool: each is allocated alone.
const ALONE: usize = CLASSES;

/// Descriptors move between a thread and the pool in batches of this size.
const BATCH: usize = 64;

/// A descriptor's line is asked for when so many others are to be used before it: it was last written by the worker that
/// ran its last task.
const AHEAD: usize = 4;

/// The memory that is asked for at once.
const CHUNK: usize = 64 << 10;

/// The bytes of a descriptor for so many arguments.
const fn bytes(count: usize) -> usize {
    size_of::<Task>() + count * size_of::<u64>()
}

/// The class of a task with so many arguments.
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

/// The memory of a descriptor that is allocated alone. A processing has fewer arguments than an `int` counts.
fn alone(count: usize) -> Layout {
    Layout::from_size_align(bytes(count), LINE).expect("no processing has so many arguments")
}

fn chunk_layout() -> Layout {
    Layout::from_size_align(CHUNK, LINE).expect("constants")
}

/// A free descriptor: nobody uses it but the list that holds it.
struct Free(NonNull<Task>);

// SAFETY: it belongs to the list that holds it.
unsafe impl Send for Free {}

/// Free descriptors that a thread keeps to itself, by class.
pub(crate) struct TaskCache([Magazine<Free>; CLASSES]);

impl TaskCache {
    /// Nothing kept.
    pub(crate) const fn new() -> TaskCache {
        TaskCache([const { Magazine::new() }; CLASSES])
    }
}

/// The free descriptors that no thread keeps, by class, and the memory of all.
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

    /// A new task of this processing on these data, of which there are as many as it has arguments.
    #[inline]
    pub(crate) fn take(
        &self,
        cache: &mut TaskCache,
        signature: &'static Signature,
        ids: &[DatumId],
        worker: u16,
    ) -> Result<OwnedTask, Error> {
        let free = self.take_free(cache, signature.count)?;
        // SAFETY: a free block with room for so many numbers, which the pool has just handed out.
        Ok(unsafe { OwnedTask::fill(free.0, signature, ids, worker) })
    }

    /// A free descriptor with room for so many arguments.
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

    /// Makes new descriptors, and hands some of them out. Those on one line lie far apart in the depot: they go to
    /// different workers, but hardly at the same time.
    fn add_chunk(&self, kept: &mut Magazine<Free>, class: usize) -> Result<(), Error> {
        let mut chunk = Allocation::new(chunk_layout()).ok_or_else(memory::none)?;
        let (size, count) = (SIZES[class], CHUNK / SIZES[class]);
        for place in 0..count {
            chunk.write(place * size, Task::blank());
        }
        let (first, step) = (chunk.part(0, count * size), (LINE / size).max(1));
        let apart = (0..step).rev().flat_map(|line| (line..count).step_by(step).rev());
        let tasks = apart.map(|place| Free(first.map_addr(|addr| addr.saturating_add(place * size)).cast()));
        // Taken before the lock of a depot.
        let mut chunks = self.chunks.lock();
        memory::room_for(&mut chunks, 1)?;
        self.free[class].enlarge(count, tasks, kept, BATCH)?;
        chunks.push(chunk);
        Ok(())
    }

    /// Gives a descriptor back.
    #[inline]
    pub(crate) fn give(&self, cache: &mut TaskCache, task: OwnedTask) {
        let count = task.signature().count;
        let (class, free) = (class_of(count), Free(task.into_raw()));
        match cache.0.get_mut(class) {
            Some(kept) => kept.give(free, BATCH, &self.free[class]),
            // SAFETY: an owned task came from this pool, in a block for so many arguments as it has.
            None => unsafe { give_alone(free, count) },
        }
    }

    /// Gives all memory back.
    ///
    /// # Safety
    /// No task exists, and `caches` are those of all threads that ever took or gave a descriptor; none does so now.
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
/// It came from [`take_alone`] for so many arguments.
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

    /// A processing with so many arguments.
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
