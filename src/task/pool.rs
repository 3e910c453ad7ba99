//! The pool of descriptors: after a while no task allocates.
//!
//! Each thread keeps some free descriptors to itself; what one thread uses up and another gives back travels between
//! them in batches. Memory goes back when the engine ends.

use std::ptr::NonNull;

use crate::sync::lock::Mutex;

use super::Task;
use crate::error::Error;
use crate::memory;
use crate::sync::prefetch;

/// Descriptors move between a thread and the pool in batches of this size.
const BATCH: usize = 64;

/// A descriptor's line is asked for when so many others are to be used before it: it was last written by the worker that
/// ran its last task.
const AHEAD: usize = 4;

/// Descriptors that are allocated at once.
const CHUNK: usize = 1024;

/// Free descriptors that a thread keeps to itself.
pub(crate) struct Cache(Vec<NonNull<Task>>);

impl Cache {
    /// Nothing kept.
    pub(crate) const fn new() -> Cache {
        Cache(Vec::new())
    }
}

/// The free descriptors that no thread keeps, and the memory of all.
struct Shared {
    free: Vec<NonNull<Task>>,
    chunks: Vec<Vec<Task>>,
}

// SAFETY: a free descriptor belongs to the list that holds it.
unsafe impl Send for Shared {}

/// The pool of all threads.
pub(crate) struct Pool(Mutex<Shared>);

/// The pool.
pub(crate) static POOL: Pool = Pool(Mutex::new(Shared { free: Vec::new(), chunks: Vec::new() }));

impl Pool {
    /// A free descriptor, owned by the caller.
    #[inline]
    pub(crate) fn take(&self, cache: &mut Cache) -> Result<*mut Task, Error> {
        let task = cache.0.pop();
        if let Some(soon) = cache.0.len().checked_sub(AHEAD) {
            prefetch::to_write(cache.0[soon].as_ptr());
        }
        match task {
            Some(task) => Ok(task.as_ptr()),
            None => self.refill(cache),
        }
    }

    #[cold]
    fn refill(&self, cache: &mut Cache) -> Result<*mut Task, Error> {
        memory::room_for(&mut cache.0, 2 * BATCH)?;
        let mut shared = self.0.lock();
        if shared.free.is_empty() {
            // New memory comes page by page, which takes its time: others are not to wait for that.
            drop(shared);
            let mut chunk = memory::list((0..CHUNK).map(|_| Task::blank()))?;
            let first = NonNull::from(&mut chunk[..]).cast::<Task>();
            shared = self.0.lock();
            // Room for all that may ever come back, so that to give back needs no memory.
            let all = (shared.chunks.len() + 1) * CHUNK;
            let missing = all - shared.free.len();
            memory::room_for(&mut shared.free, missing)?;
            memory::room_for(&mut shared.chunks, 1)?;
            // SAFETY: the chunk has CHUNK descriptors, and keeps its address when the list, which never grows, moves.
            shared.free.extend((0..CHUNK).rev().map(|place| unsafe { first.add(place) }));
            shared.chunks.push(chunk);
        }
        let rest = shared.free.len().saturating_sub(BATCH);
        cache.0.extend(shared.free.drain(rest..));
        Ok(cache.0.pop().expect("just filled").as_ptr())
    }

    /// Gives a descriptor back.
    ///
    /// # Safety
    /// It came from this pool, the caller owns it, and nobody has its address any more.
    #[inline]
    pub(crate) unsafe fn give(&self, cache: &mut Cache, task: *mut Task) {
        // SAFETY: owned by the caller; came from the pool, so it is not NULL.
        unsafe {
            (*task).clear();
            let task = NonNull::new_unchecked(task);
            if cache.0.capacity() == 0 && memory::room_for(&mut cache.0, 2 * BATCH).is_err() {
                // The list of all has room.
                return self.0.lock().free.push(task);
            }
            cache.0.push(task);
        }
        if cache.0.len() >= 2 * BATCH {
            self.0.lock().free.extend(cache.0.drain(BATCH..));
        }
    }

    /// Gives all memory back.
    ///
    /// # Safety
    /// No task exists, and `caches` are those of all threads that ever took or gave a descriptor; none does so now.
    pub(crate) unsafe fn clear<'a>(&self, caches: impl Iterator<Item = &'a mut Cache>) {
        caches.for_each(|cache| cache.0 = Vec::new());
        let mut shared = self.0.lock();
        shared.free = Vec::new();
        shared.chunks = Vec::new();
    }
}
