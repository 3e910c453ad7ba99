//! The pool of descriptors: after a while no task allocates.
//!
//! A descriptor is a block of one of few sizes, by the number of its arguments. Each thread keeps some free descriptors of each
//! size to itself; what one thread uses up and another gives back travels between them in batches. Memory goes back when
//! the engine ends.

use std::alloc::Layout;
use std::ptr::NonNull;

use super::Task;
use crate::error::Error;
use crate::memory::{self, Allocation};
use crate::processing::MAX_PLAIN_ARGUMENTS;
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
#[derive(Clone, Copy)]
struct Free(*mut Task);

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

    /// A free descriptor with room for so many arguments, owned by the caller, who fills it.
    #[inline]
    pub(crate) fn take(&self, cache: &mut TaskCache, count: usize) -> Result<*mut Task, Error> {
        let class = class_of(count);
        let Some(kept) = cache.0.get_mut(class) else { return take_alone(count) };
        let task = kept.take();
        if let Some(soon) = kept.ahead(AHEAD) {
            prefetch::to_write(soon.0);
        }
        match task {
            Some(task) => Ok(task.0),
            None => self.refill(kept, class),
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&self, kept: &mut Magazine<Free>, class: usize) -> Result<*mut Task, Error> {
        kept.make_room(BATCH)?;
        if !self.free[class].supply(kept, BATCH) {
            self.add_chunk(kept, class)?;
        }
        Ok(kept.take().expect("just filled").0)
    }

    /// Makes new descriptors, and hands some of them out. Those on one line lie far apart in the depot: they go to
    /// different workers, but hardly at the same time.
    fn add_chunk(&self, kept: &mut Magazine<Free>, class: usize) -> Result<(), Error> {
        let mut chunk = Allocation::new(chunk_layout()).ok_or_else(memory::none)?;
        let (size, count) = (SIZES[class], CHUNK / SIZES[class]);
        for place in 0..count {
            chunk.write(place * size, Task::blank());
        }
        let (first, step) = (chunk.part(0, count * size).as_ptr(), (LINE / size).max(1));
        let apart = (0..step).rev().flat_map(|line| (line..count).step_by(step).rev());
        let tasks = apart.map(|place| Free(first.wrapping_add(place * size).cast()));
        // Taken before the lock of a depot.
        let mut chunks = self.chunks.lock();
        memory::room_for(&mut chunks, 1)?;
        self.free[class].enlarge(count, tasks, kept, BATCH)?;
        chunks.push(chunk);
        Ok(())
    }

    /// Gives a descriptor back.
    ///
    /// # Safety
    /// It came from this pool, with room for so many arguments; the caller owns it, and nobody has its address any more.
    #[inline]
    pub(crate) unsafe fn give(&self, cache: &mut TaskCache, task: *mut Task, count: usize) {
        let class = class_of(count);
        match cache.0.get_mut(class) {
            Some(kept) => kept.give(Free(task), BATCH, &self.free[class]),
            // SAFETY: it was allocated alone, for so many arguments.
            None => unsafe { give_alone(task, count) },
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
fn take_alone(count: usize) -> Result<*mut Task, Error> {
    let mut new = Allocation::new(alone(count)).ok_or_else(memory::none)?;
    let task = new.write(0, Task::blank());
    new.into_raw();
    Ok(task.as_ptr())
}

/// # Safety
/// It came from [`take_alone`] for so many arguments, and nobody has its address any more.
#[cold]
#[inline(never)]
unsafe fn give_alone(task: *mut Task, count: usize) {
    let address = NonNull::new(task.cast()).expect("it has an address");
    // SAFETY: by this function's contract.
    drop(unsafe { Allocation::from_raw(address, alone(count)) });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_of_arguments_has_room_in_the_smallest_class_that_has_it() {
        for count in 0..=2 * MAX_PLAIN_ARGUMENTS {
            let class = class_of(count);
            assert_eq!(class == ALONE, count > ROOM[CLASSES - 1], "{count}");
            assert!(class == ALONE || bytes(count) <= SIZES[class], "{count}");
            assert!(class == 0 || bytes(count) > SIZES[class - 1], "{count}");
        }
    }

    /// Descriptors of all classes do not overlap, keep their numbers, and are used again.
    #[test]
    fn descriptors_are_apart_and_used_again() {
        let (pool, mut cache) = (Pool::new(), TaskCache::new());
        for count in [0, 1, 2, 5, 6, 13, 14, 29, 30, 64, 69, 70, 1000] {
            let mut tasks: Vec<_> = (0..3000).map(|_| pool.take(&mut cache, count).unwrap()).collect();
            tasks.sort_unstable();
            assert!(tasks.windows(2).all(|two| two[1].addr() - two[0].addr() >= bytes(count)), "{count}");
            let chunks = pool.chunks.lock().len();
            let give_all = |cache: &mut TaskCache, tasks: &[*mut Task]| {
                // SAFETY: taken for so many arguments, and used by nobody.
                tasks.iter().for_each(|&task| unsafe { pool.give(cache, task, count) });
            };
            for _ in 0..2 {
                give_all(&mut cache, &tasks);
                tasks = (0..3000).map(|_| pool.take(&mut cache, count).unwrap()).collect();
            }
            assert_eq!(pool.chunks.lock().len(), chunks, "no new memory: {count}");
            give_all(&mut cache, &tasks);
        }
        // SAFETY: all descriptors are back.
        unsafe { pool.clear(std::iter::once(&mut cache)) };
        assert!(pool.chunks.lock().is_empty());
    }
}
