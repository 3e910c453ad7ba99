//! Data that other processes use as well: a datum of this process that others know of, and the local slot of a datum
//! with another home, its *proxy*. Both are marked; the mark keeps the datum, and whoever set it is told when nobody
//! else here needs the datum, and when it comes to something (`Released::told`).
//!
//! A proxy has no references of the program's: those of far data are counted elsewhere. Only tasks hold it, and gets.

use super::DatumId;
use super::outcome::Outcome;
use super::slot::{Locked, NOWHERE, Phase, Producer, Slot};
use super::storage::{Released, Storage};
use super::store::{DataCache, Initial, Store, no_memory, unknown};
use crate::error::Error;
use crate::sync::inbox::{Chain, Link};
use std::ptr::NonNull;

/// What the home of a datum finds when another process names it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedState {
    pub(crate) size: usize,
    /// Whether the bytes exist, or will never exist.
    pub(crate) outcome: Option<Outcome>,
    /// Whether it has a producer.
    pub(crate) produced: bool,
    /// The datum whose storage it carries on.
    pub(crate) predecessor: Option<DatumId>,
}

impl Locked<'_> {
    fn state(&self) -> SharedState {
        SharedState {
            size: self.slot().size(),
            outcome: match self.slot().phase() {
                Phase::Published => Some(Outcome::Published),
                Phase::Poisoned => Some(Outcome::Poisoned),
                Phase::Promised | Phase::Free => None,
            },
            produced: self.produced(),
            predecessor: self.slot().predecessor().map(DatumId::here),
        }
    }
}

impl Store {
    /// Marks a datum of this process, which stays until [`Store::unmark`]. An error for an id that names none.
    pub(crate) fn mark(&self, id: DatumId) -> Result<SharedState, Error> {
        let body = self.lock(id)?;
        if !body.needed() {
            return Err(unknown(id, true));
        }
        body.set_shared(true);
        Ok(body.state())
    }

    /// Whether a datum is marked.
    pub(crate) fn is_marked(&self, id: DatumId) -> bool {
        self.lock(id).is_ok_and(|body| body.is_shared())
    }

    /// Whether this is a promise that somebody may still publish.
    pub(crate) fn may_come(&self, id: DatumId) -> bool {
        self.lock(id).is_ok_and(|body| body.slot().phase() == Phase::Promised && !body.abandoned())
    }

    /// Tells whoever marked the promise that somebody waits for it.
    pub(crate) fn tell_awaited(&self, cache: &mut DataCache, id: DatumId) {
        if self.is_marked(id) {
            cache.tell(id);
        }
    }

    /// The state of a marked datum.
    pub(crate) fn marked(&self, id: DatumId) -> Option<SharedState> {
        self.lock(id).ok().map(|body| body.state())
    }

    /// Takes the mark away: the datum is freed when nobody here needs it.
    pub(crate) fn unmark(&self, cache: &mut DataCache, id: DatumId) {
        if let Ok(body) = self.lock(id) {
            body.set_shared(false);
            if body.producer() == Producer::Away {
                body.set_producer(Producer::Nobody);
            }
            self.settle(cache, id, body);
        }
    }

    /// Changes the references of a datum: those that the program may use, and those that tasks have taken.
    pub(crate) fn with_references<R>(&self, id: DatumId, change: impl FnOnce(&mut u32, &mut u32) -> R) -> Option<R> {
        let body = self.lock(id).ok()?;
        let (mut available, mut taken) = (body.available(), body.taken());
        let result = change(&mut available, &mut taken);
        body.set_available(available);
        body.set_taken(taken);
        Some(result)
    }

    /// Frees a datum of this process whose references went away by [`Store::with_references`], or tells of it.
    pub(crate) fn reconsider(&self, cache: &mut DataCache, id: DatumId) {
        if let Ok(body) = self.lock(id) {
            self.settle(cache, id, body);
        }
    }

    /// Whether only the mark keeps a datum: no reference, no get, no task that produces it here.
    pub(crate) fn is_lonely(&self, id: DatumId) -> bool {
        self.lock(id).is_ok_and(|body| body.is_lonely())
    }

    /// A task in another process, or one that is still to be made here, will produce this promise.
    pub(crate) fn claim_away(&self, id: DatumId) -> Result<(), Error> {
        let body = self.lock(id)?;
        if body.slot().phase() != Phase::Promised || body.producer() != Producer::Nobody {
            return Err(Error::state(format!("datum {id} has a producer, or a value, already")));
        }
        body.set_producer(Producer::Away);
        Ok(())
    }

    /// Takes a claim of another process back.
    pub(crate) fn unclaim_away(&self, cache: &mut DataCache, id: DatumId) {
        if let Ok(body) = self.lock(id) {
            if body.producer() == Producer::Away {
                body.set_producer(Producer::Nobody);
            }
            self.settle(cache, id, body);
        }
    }

    /// A task of this process produces the promise from now on.
    ///
    /// # Safety
    /// As for [`Store::claim`].
    pub(crate) unsafe fn produce(&self, id: DatumId, task: *mut Link) {
        self.kept(id).lock().set_task(task);
    }

    /// Makes the proxy of a datum: with its bytes, or a promise that a task of this process is about to produce.
    pub(crate) fn proxy(
        &self,
        cache: &mut DataCache,
        size: usize,
        storage: Storage,
        published: bool,
        home: u32,
    ) -> Result<DatumId, Error> {
        let id = self.create(cache, Initial { size, storage, published, home })?;
        let body = self.kept(id).lock();
        body.set_available(0);
        body.set_shared(true);
        Ok(id)
    }

    /// Makes a datum of a task's own: published, with one reference, which the task has taken.
    pub(crate) fn private(
        &self,
        cache: &mut DataCache,
        size: usize,
        storage: Storage,
        home: u32,
    ) -> Result<DatumId, Error> {
        let id = self.create(cache, Initial { size, storage, published: true, home })?;
        let body = self.kept(id).lock();
        body.set_available(0);
        body.set_taken(1);
        Ok(id)
    }

    /// Takes a reference for a task, whatever references there are.
    pub(crate) fn pin(&self, id: DatumId) {
        let body = self.kept(id).lock();
        body.set_taken(body.taken() + 1);
    }

    /// The bytes of a promise that another process produces have come, or never will: gives the tasks that waited.
    pub(crate) fn arrive(&self, cache: &mut DataCache, id: DatumId, storage: Option<Storage>, home: u32) -> Chain {
        let Ok(body) = self.lock(id) else { return Chain::EMPTY };
        if body.slot().phase() != Phase::Promised {
            return Chain::EMPTY;
        }
        body.set_producer(Producer::Nobody);
        let waiters = match storage {
            Some(storage) => {
                body.slot().set_storage(&storage);
                body.conclude(Outcome::Published, home)
            }
            None => body.conclude(Outcome::Poisoned, NOWHERE),
        };
        self.concluded(cache, id, body);
        waiters
    }

    /// Whether tasks or threads wait for a promise.
    pub(crate) fn is_awaited(&self, id: DatumId) -> bool {
        self.lock(id).is_ok_and(|body| {
            body.slot().phase() == Phase::Promised && (!body.slot().last_waiter().is_null() || body.sleepers() > 0)
        })
    }

    /// The bytes of a published datum that is marked. Once they are dropped, the caller calls [`Store::reconsider`].
    pub(crate) fn lend(&'static self, cache: &mut DataCache, id: DatumId) -> Option<LentBytes> {
        let body = self.lock(id).ok()?;
        let slot = body.slot();
        if slot.phase() != Phase::Published || !body.is_shared() {
            return None;
        }
        let addr = NonNull::new(slot.materialise(cache).ok()?)?;
        body.set_gets(body.gets().checked_add(1)?);
        Some(LentBytes { slot, bytes: NonNull::slice_from_raw_parts(addr, slot.size()) })
    }

    /// Sets the size of a promise, which was not known when the promise was made.
    pub(crate) fn set_size(&self, id: DatumId, size: usize) {
        if let Ok(body) = self.lock(id)
            && body.slot().phase() == Phase::Promised
            && body.slot().addr().is_none()
        {
            body.slot().set_size(size);
        }
    }

    /// A task of another process carries the bytes on, which lie there only.
    pub(crate) fn carry_away(&self, id: DatumId) {
        let body = self.kept(id).lock();
        if body.slot().addr().is_none() {
            body.slot().set_storage(&Storage::Lent { addr: std::ptr::null_mut() });
        }
    }

    /// Makes a promise of this process carry on the local slot of a far datum.
    pub(crate) fn set_predecessor(&self, id: DatumId, of: DatumId) {
        let body = self.kept(id).lock();
        if body.slot().addr().is_none() {
            body.slot().set_storage(&Storage::Successor { of: of.number() });
        }
    }

    /// At the end: poisons the promises that nobody produces, here or elsewhere; returns the tasks that waited.
    pub(crate) fn poison_unproduced(&self, cache: &mut DataCache, mut wake: impl FnMut(Chain)) {
        let mut promises = Vec::new();
        self.each(|id, body| {
            let by_program = matches!(body.producer(), Producer::Nobody | Producer::Hand);
            if body.slot().phase() == Phase::Promised && by_program {
                promises.push(id);
            }
        });
        for id in promises {
            wake(self.arrive(cache, id, None, NOWHERE));
        }
    }
}

/// Bytes of a datum that are read without a get of the program's.
pub(crate) struct LentBytes {
    slot: &'static Slot,
    bytes: NonNull<[u8]>,
}

// SAFETY: the bytes of a published datum do not change, and any thread may end the get.
unsafe impl Send for LentBytes {}

impl AsRef<[u8]> for LentBytes {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the datum is published, and the get keeps its bytes.
        unsafe { self.bytes.as_ref() }
    }
}

impl Drop for LentBytes {
    fn drop(&mut self) {
        let body = self.slot.lock();
        body.set_gets(body.gets().saturating_sub(1)); // at the end all gets are over
    }
}

/// Memory that is filled from elsewhere before it becomes a datum's.
pub(crate) struct FreshBytes {
    storage: Storage,
    size: usize,
}

impl FreshBytes {
    /// Memory of so many bytes.
    pub(crate) fn new(size: usize) -> Result<FreshBytes, Error> {
        let storage = Storage::fresh(size).ok_or_else(|| no_memory(size))?;
        Ok(FreshBytes { storage, size })
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self.storage.addr() {
            // SAFETY: the memory has this size, was initialised, and is this value's.
            Some(addr) => unsafe { std::slice::from_raw_parts(addr, self.size) },
            None => &[],
        }
    }

    /// The storage, and its size.
    pub(crate) fn into_storage(mut self) -> (Storage, usize) {
        (std::mem::replace(&mut self.storage, Storage::Absent), self.size)
    }
}

impl AsMut<[u8]> for FreshBytes {
    fn as_mut(&mut self) -> &mut [u8] {
        match self.storage.addr() {
            // SAFETY: the memory has this size, was initialised, and is this value's.
            Some(addr) => unsafe { std::slice::from_raw_parts_mut(addr, self.size) },
            None => &mut [],
        }
    }
}

impl Drop for FreshBytes {
    fn drop(&mut self) {
        std::mem::replace(&mut self.storage, Storage::Absent).discard_fresh();
    }
}

impl Released {
    /// Appends what tells that a marked datum has changed.
    pub(super) fn tell(list: &mut Vec<Released>, id: DatumId) {
        list.push(Released::of_marked(id));
    }
}
