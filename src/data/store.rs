//! Ids, creation and freeing.

use parking_lot::{Mutex, MutexGuard};

use super::DataId;
use super::publication::Outcome;
use super::slot::{Body, NOWHERE, Phase, Producer, Slot};
use super::storage::{Released, Storage};
use super::waiting::Waiters;
use crate::error::{Error, dvm_retcode_t};
use crate::sync::slab::Slab;

/// Free entries move between a thread and the store in batches of this size.
const BATCH: usize = 64;

/// All data of this process.
pub(crate) struct Store {
    slots: Slab<Slot>,
    /// Free entries that no thread keeps. Taken once per [`BATCH`] data.
    free: Mutex<Vec<u32>>,
}

/// The store. It outlives the engine: ids are not given again after finalize and init.
pub(crate) static STORE: Store = Store::new();

/// What a thread keeps to itself: free entries, and memory that is to be given back once no lock is held.
pub(crate) struct Cache {
    free: Vec<u32>,
    released: Vec<Released>,
}

impl Cache {
    /// Nothing kept.
    pub(crate) const fn new() -> Cache {
        Cache { free: Vec::new(), released: Vec::new() }
    }

    /// The next piece of memory to be given back.
    #[inline]
    pub(crate) fn released(&mut self) -> Option<Released> {
        self.released.pop()
    }
}

/// What a new datum starts as.
pub(crate) struct Initial {
    pub(crate) size: usize,
    pub(crate) storage: Storage,
    pub(crate) published: bool,
    pub(crate) home: u32,
    /// The datum whose storage it carries on.
    pub(crate) predecessor: Option<DataId>,
}

/// How messages call a datum.
pub(super) fn name(id: DataId) -> String {
    format!("datum {{{}, {}}}", id[0], id[1])
}

/// The failure of a call that names a datum which is not there.
pub(super) fn unknown(id: DataId, freed: bool) -> Error {
    let why =
        if freed { "has been freed: its last reference has gone" } else { "does not exist: this id was never given" };
    Error::new(dvm_retcode_t::DVM_ERR_ID, format!("{} {why}", name(id)))
}

/// The failure of memory that is not to be had.
pub(crate) fn no_memory(size: usize) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_MEMORY, format!("{size} bytes are not to be had: free data, or use smaller ones"))
}

impl Store {
    pub(super) const fn new() -> Store {
        Store { slots: Slab::new(), free: Mutex::new(Vec::new()) }
    }

    /// Makes a datum with one reference.
    pub(crate) fn create(&self, cache: &mut Cache, initial: Initial) -> Result<DataId, Error> {
        let Some(index) = cache.free.pop().or_else(|| self.refill(cache)) else {
            initial.storage.release(initial.size).into_iter().for_each(|released| cache.released.push(released));
            return Err(no_memory(size_of::<Slot>()));
        };
        let slot = self.slots.get(index).expect("a free index names an entry");
        let mut body = slot.body.lock();
        debug_assert_eq!(body.phase, Phase::Free);
        body.phase = if initial.published { Phase::Published } else { Phase::Promised };
        body.available = 1;
        body.home = initial.home;
        body.size = initial.size;
        body.storage = initial.storage;
        body.predecessor = initial.predecessor.map_or(0, |id| id[1]);
        Ok([0, u64::from(body.generation) << 32 | u64::from(index)])
    }

    /// Gets free entries for a thread that has none left, and one of them to use.
    #[cold]
    fn refill(&self, cache: &mut Cache) -> Option<u32> {
        let mut free = self.free.lock();
        if free.is_empty() {
            let grown = (0..BATCH).map_while(|_| self.slots.push(Slot::new()));
            cache.free.extend(grown);
        } else {
            let rest = free.len().saturating_sub(BATCH);
            cache.free.extend(free.drain(rest..));
        }
        cache.free.pop()
    }

    /// Locks the datum with this id.
    #[inline]
    pub(super) fn lock(&self, id: DataId) -> Result<(&Slot, MutexGuard<'_, Body>), Error> {
        let slot = self.slots.get(id[1] as u32).filter(|_| id[0] == 0).ok_or_else(|| unknown(id, false))?;
        let body = slot.body.lock();
        let generation = (id[1] >> 32) as u32;
        if body.generation == generation && body.phase != Phase::Free {
            Ok((slot, body))
        } else {
            Err(unknown(id, generation != 0 && generation < body.generation))
        }
    }

    /// Locks the datum with this id, if it still has references.
    #[inline]
    pub(super) fn lock_referenced(&self, id: DataId) -> Result<(&Slot, MutexGuard<'_, Body>), Error> {
        let (slot, body) = self.lock(id)?;
        if body.referenced() { Ok((slot, body)) } else { Err(unknown(id, true)) }
    }

    /// Frees the datum if nobody needs it any more.
    #[inline]
    pub(super) fn settle(&self, cache: &mut Cache, id: DataId, slot: &Slot, body: MutexGuard<'_, Body>) {
        if !body.needed() {
            self.free(cache, id, body);
        } else if body.sleepers > 0 && body.abandoned() {
            slot.changed.notify_all();
        }
    }

    fn free(&self, cache: &mut Cache, id: DataId, mut body: MutexGuard<'_, Body>) {
        debug_assert!(body.waiters.is_empty(), "who waits holds a reference");
        body.phase = Phase::Free;
        let storage = std::mem::replace(&mut body.storage, Storage::Absent);
        let size = body.size;
        let again = body.generation.checked_add(1);
        // An entry whose generations are used up is never used again: its last generation stays behind as freed.
        body.generation = again.unwrap_or(u32::MAX);
        drop(body);
        cache.released.extend(storage.release(size));
        if again.is_some() {
            cache.free.push(id[1] as u32);
            if cache.free.len() >= 2 * BATCH {
                self.free.lock().extend(cache.free.drain(BATCH..));
            }
        }
    }

    /// Every datum that exists, one after the other.
    pub(super) fn each(&self, mut visit: impl FnMut(DataId, &Slot, MutexGuard<'_, Body>)) {
        for index in 0..self.slots.len() {
            let slot = self.slots.get(index).expect("below the length");
            let body = slot.body.lock();
            if body.phase != Phase::Free {
                let id = [0, u64::from(body.generation) << 32 | u64::from(index)];
                visit(id, slot, body);
            }
        }
    }

    /// Poisons every promise that is not published: for the end, when nobody is left who could. Hands out who waited.
    pub(crate) fn poison_promises(&self, mut wake: impl FnMut(Waiters)) {
        self.each(|_, slot, mut body| {
            if body.phase == Phase::Promised {
                let waiters = body.conclude(Outcome::Poisoned, NOWHERE);
                if body.sleepers > 0 {
                    slot.changed.notify_all();
                }
                drop(body);
                wake(waiters);
            }
        });
    }

    /// Frees every datum, whatever its references: for the end, when no task is left. True when there was any.
    pub(crate) fn free_all(&self, cache: &mut Cache) -> bool {
        let mut any = false;
        self.each(|id, _, mut body| {
            any = true;
            body.available = 0;
            body.taken = 0;
            body.gets = 0;
            body.outside = 0;
            body.producer = Producer::Nobody;
            body.waiters = Waiters::NONE;
            self.free(cache, id, body);
        });
        any
    }

    /// The size of a datum.
    pub(crate) fn size(&self, id: DataId) -> Result<usize, Error> {
        Ok(self.lock_referenced(id)?.1.size)
    }

    /// Gives a datum that has no bytes its storage.
    pub(crate) fn adopt(&self, id: DataId, storage: Storage) {
        let (_, mut body) = self.lock(id).expect("the caller keeps the datum");
        debug_assert!(body.storage.addr().is_none(), "a datum gets its storage once");
        body.storage = storage;
    }

    /// The number of data that exist.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        let mut count = 0;
        self.each(|_, _, _| count += 1);
        count
    }
}
