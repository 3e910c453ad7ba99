//! The pool of descriptors: after a while no task allocates.
//!
//! A descriptor is a block of one of few sizes, by the number of its arguments. Each thread keeps some free descriptors of each
//! size to itself; what one thread uses up and another gives back travels between them in batches. Memory goes back when
//! the engine ends.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr::NonNull;

use crate::sync::lock::Mutex;

use super::Task;
use crate::error::Error;
use crate::memory;
use crate::processing::MAX_PLAIN_ARGUMENTS;
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

/// Free descriptors that a thread keeps to itself, by class.
pub(crate) struct Cache([Vec<NonNull<Task>>; CLASSES]);

impl Cache {
    /// Nothing kept.
    pub(crate) const fn new() -> Cache {
        Cache([const { Vec::new() }; CLASSES])
    }
}

/// The free descriptors that no thread keeps, and the memory of all.
struct Shared {
    free: [Vec<NonNull<Task>>; CLASSES],
    chunks: Vec<NonNull<u8>>,
    /// The descriptors of all chunks.
    made: [usize; CLASSES],
}

impl Shared {
    const NONE: Shared = Shared { free: [const { Vec::new() }; CLASSES], chunks: Vec::new(), made: [0; CLASSES] };
}

// SAFETY: a free descriptor belongs to the list that holds it.
unsafe impl Send for Shared {}

/// The pool of all threads.
pub(crate) struct Pool(Mutex<Shared>);

/// The pool.
pub(crate) static POOL: Pool = Pool(Mutex::new(Shared::NONE));

impl Pool {
    /// A free descriptor with room for so many arguments, owned by the caller, who fills it.
    #[inline]
    pub(crate) fn take(&self, cache: &mut Cache, count: usize) -> Result<*mut Task, Error> {
        let class = class_of(count);
        let Some(kept) = cache.0.get_mut(class) else { return take_alone(count) };
        let task = kept.pop();
        if let Some(soon) = kept.len().checked_sub(AHEAD) {
            prefetch::to_write(kept[soon].as_ptr());
        }
        match task {
            Some(task) => Ok(task.as_ptr()),
            None => self.refill(kept, class),
        }
    }

    #[cold]
    #[inline(never)]
    fn refill(&self, kept: &mut Vec<NonNull<Task>>, class: usize) -> Result<*mut Task, Error> {
        memory::room_for(kept, 2 * BATCH)?;
        let mut shared = self.0.lock();
        if shared.free[class].is_empty() {
            // New memory comes page by page, which takes its time: others are not to wait for that.
            drop(shared);
            let chunk = Chunk::new(class)?;
            shared = self.0.lock();
            // Room for all that may ever come back, so that to give back needs no memory.
            let all = shared.made[class] + CHUNK / SIZES[class];
            let missing = all - shared.free[class].len();
            memory::room_for(&mut shared.free[class], missing)?;
            memory::room_for(&mut shared.chunks, 1)?;
            shared.made[class] = all;
            let memory = chunk.keep(&mut shared.free[class]);
            shared.chunks.push(memory);
        }
        let rest = shared.free[class].len().saturating_sub(BATCH);
        kept.extend(shared.free[class].drain(rest..));
        Ok(kept.pop().expect("just filled").as_ptr())
    }

    /// Gives a descriptor back.
    ///
    /// # Safety
    /// It came from this pool, with room for so many arguments; the caller owns it, and nobody has its address any more.
    #[inline]
    pub(crate) unsafe fn give(&self, cache: &mut Cache, task: *mut Task, count: usize) {
        // SAFETY: it came from the pool, so it is not NULL.
        let task = unsafe { NonNull::new_unchecked(task) };
        let class = class_of(count);
        let Some(kept) = cache.0.get_mut(class) else {
            // SAFETY: it was allocated alone, for so many arguments.
            return unsafe { give_alone(task, count) };
        };
        if kept.len() == kept.capacity() {
            return self.give_first(kept, class, task);
        }
        kept.push(task);
        if kept.len() >= 2 * BATCH {
            self.0.lock().free[class].extend(kept.drain(BATCH..));
        }
    }

    /// The list of a thread that has given none back, and taken none, has no room; that of all has.
    #[cold]
    #[inline(never)]
    fn give_first(&self, kept: &mut Vec<NonNull<Task>>, class: usize, task: NonNull<Task>) {
        match memory::room_for(kept, 2 * BATCH) {
            Ok(()) => kept.push(task),
            Err(_) => self.0.lock().free[class].push(task),
        }
    }

    /// Gives all memory back.
    ///
    /// # Safety
    /// No task exists, and `caches` are those of all threads that ever took or gave a descriptor; none does so now.
    pub(crate) unsafe fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut Cache>) {
        caches.for_each(|cache| *cache = Cache::new());
        let shared = std::mem::replace(&mut *self.0.lock(), Shared::NONE);
        for chunk in shared.chunks {
            // SAFETY: allocated with this layout, and no descriptor of it is in use.
            unsafe { dealloc(chunk.as_ptr(), chunk_layout()) };
        }
    }
}

/// New descriptors.
struct Chunk {
    memory: NonNull<u8>,
    class: usize,
}

impl Chunk {
    fn new(class: usize) -> Result<Chunk, Error> {
        // SAFETY: the layout has a size.
        let memory = NonNull::new(memory::strictly(|| unsafe { alloc(chunk_layout()) })).ok_or_else(memory::none)?;
        for place in 0..CHUNK / SIZES[class] {
            // SAFETY: all lie in the chunk, and are aligned as it is: sizes are multiples of a descriptor's alignment.
            unsafe { memory.add(place * SIZES[class]).cast::<Task>().write(Task::blank()) };
        }
        Ok(Chunk { memory, class })
    }

    /// Hands its descriptors out to a list, which has room. Two on one line lie far apart there: they go to different workers,
    /// but hardly at the same time.
    fn keep(self, free: &mut Vec<NonNull<Task>>) -> NonNull<u8> {
        let (size, count) = (SIZES[self.class], CHUNK / SIZES[self.class]);
        let step = (LINE / size).max(1);
        for first in (0..step).rev() {
            // SAFETY: all lie in the chunk.
            free.extend(
                (first..count).step_by(step).rev().map(|place| unsafe { self.memory.add(place * size).cast() }),
            );
        }
        let memory = self.memory;
        std::mem::forget(self);
        memory
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and not handed out.
        unsafe { dealloc(self.memory.as_ptr(), chunk_layout()) };
    }
}

#[cold]
#[inline(never)]
fn take_alone(count: usize) -> Result<*mut Task, Error> {
    // SAFETY: the layout has a size.
    let new = NonNull::new(memory::strictly(|| unsafe { alloc(alone(count)) })).ok_or_else(memory::none)?;
    let task = new.cast::<Task>();
    // SAFETY: new memory, large enough and aligned.
    unsafe { task.write(Task::blank()) };
    Ok(task.as_ptr())
}

/// # Safety
/// It came from [`take_alone`] for so many arguments, and nobody has its address any more.
#[cold]
#[inline(never)]
unsafe fn give_alone(task: NonNull<Task>, count: usize) {
    // SAFETY: by this function's contract.
    unsafe { dealloc(task.as_ptr().cast(), alone(count)) };
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
        let (pool, mut cache) = (Pool(Mutex::new(Shared::NONE)), Cache::new());
        for count in [0, 1, 2, 5, 6, 13, 14, 29, 30, 64, 69, 70, 1000] {
            let mut tasks: Vec<_> = (0..3000).map(|_| pool.take(&mut cache, count).unwrap()).collect();
            tasks.sort_unstable();
            assert!(tasks.windows(2).all(|two| two[1].addr() - two[0].addr() >= bytes(count)), "{count}");
            let chunks = pool.0.lock().chunks.len();
            for _ in 0..2 {
                // SAFETY: taken for so many arguments, and used by nobody.
                tasks.iter().for_each(|&task| unsafe { pool.give(&mut cache, task, count) });
                tasks = (0..3000).map(|_| pool.take(&mut cache, count).unwrap()).collect();
            }
            assert_eq!(pool.0.lock().chunks.len(), chunks, "no new memory: {count}");
            // SAFETY: as above.
            tasks.iter().for_each(|&task| unsafe { pool.give(&mut cache, task, count) });
        }
        // SAFETY: all descriptors are back.
        unsafe { pool.clear(std::iter::once(&mut cache)) };
        assert!(pool.0.lock().chunks.is_empty());
    }
}
