//! Ids, creation and freeing.

use crate::sync::lock::Mutex;

use super::DatumId;
use super::names;
use super::outcome::Outcome;
use super::sleepers::Sleepers;
use super::slot::{Locked, NOWHERE, Phase, Producer, Slot};
use super::small_blocks::{self, BLOCKS};
use super::storage::{Released, Storage};
use crate::error::{Error, dvm_retcode_t};
use crate::memory;
use crate::sync::inbox::Chain;
use crate::sync::magazine::{Depot, Magazine};
use crate::sync::prefetch;
use crate::sync::slab::Slab;

/// The number of free entries that move at once between a thread and the store.
const BATCH: usize = 64;

/// An entry's cache line is prefetched when this number of other entries are used before it.
const AHEAD: usize = 4;

/// All data of this process.
pub(crate) struct Store {
    slots: Slab<Slot>,
    /// Free entries that no thread caches.
    free: Depot<u32>,
    /// Held while new entries are made.
    growing: Mutex<()>,
    /// Threads that wait for a publication. The locks of their lists are taken before a slot's lock, never while one is
    /// held.
    pub(super) asleep: Sleepers,
}

/// The store. It outlives the engine: ids are not reused after finalize and init.
pub(crate) static STORE: Store = Store::new();

/// A thread's own free entries and blocks, and memory to give back once the thread holds no lock.
pub(crate) struct DataCache {
    free: Magazine<u32>,
    blocks: small_blocks::BlockCache,
    released: Vec<Released>,
}

impl DataCache {
    /// An empty cache.
    pub(crate) const fn new() -> DataCache {
        DataCache { free: Magazine::new(), blocks: small_blocks::BlockCache::new(), released: Vec::new() }
    }

    /// The next piece of memory to give back.
    #[inline]
    pub(crate) fn released(&mut self) -> Option<Released> {
        self.released.pop()
    }

    /// True if there is no memory to give back.
    #[inline]
    pub(crate) fn owes_nothing(&self) -> bool {
        self.released.is_empty()
    }

    /// True if giving memory back will call the program.
    pub(crate) fn owes_a_call(&self) -> bool {
        self.released.iter().any(Released::calls_out)
    }

    /// Zeroed memory.
    #[inline]
    pub(crate) fn zeroed(&mut self, size: usize) -> Result<Storage, Error> {
        Storage::zeroed(&mut self.blocks, size).ok_or_else(|| no_memory(size))
    }

    /// Memory with a copy of these bytes.
    pub(crate) fn copied(&mut self, from: &[u8]) -> Result<Storage, Error> {
        Storage::copied(&mut self.blocks, from).ok_or_else(|| no_memory(from.len()))
    }

    /// Ends the use of a storage of this size.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each datum")]
    fn release(&mut self, storage: Storage, size: usize) {
        let Some(released) = storage.release(&mut self.blocks, size) else { return };
        if self.released.len() == self.released.capacity() {
            return self.release_with_more_room(released);
        }
        self.released.push(released);
    }

    /// Tells whoever marked the datum if nobody else here needs it.
    #[cold]
    #[inline(never)]
    fn tell_if_lonely(&mut self, id: DatumId, body: &Locked<'_>) {
        if body.is_lonely() {
            self.tell(id);
        }
    }

    /// Tells whoever marked the datum of a change.
    #[cold]
    pub(super) fn tell(&mut self, id: DatumId) {
        Released::tell(&mut self.released, id);
    }

    #[cold]
    #[inline(never)]
    fn release_with_more_room(&mut self, released: Released) {
        if !released.calls_out() && memory::room_for(&mut self.released, 1).is_err() {
            return released.give_back(); // no lock is held here, and the program is not called
        }
        self.released.push(released);
    }
}

/// The initial state of a datum.
pub(crate) struct Initial {
    pub(crate) size: usize,
    pub(crate) storage: Storage,
    pub(crate) published: bool,
    pub(crate) home: u32,
}

/// The name of a datum in messages.
pub(super) fn name(id: DatumId) -> String {
    names::in_words(id)
}

/// The error of a call that names a datum which does not exist.
#[cold]
#[inline(never)]
pub(super) fn unknown(id: DatumId, freed: bool) -> Error {
    let why =
        if freed { "has been freed: its last reference has gone" } else { "does not exist: this id was never given" };
    Error::new(dvm_retcode_t::DVM_ERR_ID, format!("{} {why}", name(id)))
}

/// The error of memory that is not available.
#[cold]
#[inline(never)]
pub(crate) fn no_memory(size: usize) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_MEMORY, format!("{size} bytes are not to be had: free data, or use smaller ones"))
}

/// The error of one get too many: if the count wrapped to 0, the next put would free bytes in use.
#[cold]
#[inline(never)]
pub(crate) fn too_many_gets(id: DatumId) -> Error {
    Error::state(format!("{} was got as often as can be counted: put it before the next get", name(id)))
}

impl Store {
    pub(super) const fn new() -> Store {
        Store { slots: Slab::new(), free: Depot::new(), growing: Mutex::new(()), asleep: Sleepers::new() }
    }

    /// Makes a datum with one reference. On an error, registered memory stays the caller's, and other memory is freed.
    #[inline]
    pub(crate) fn create(&self, cache: &mut DataCache, initial: Initial) -> Result<DatumId, Error> {
        let index = cache.free.take();
        if let Some(&soon) = cache.free.ahead(AHEAD) {
            prefetch::to_write(self.slots.address(soon));
        }
        let Some(index) = index.or_else(|| self.refill(cache)) else {
            if !matches!(initial.storage, Storage::Registered { .. }) {
                cache.release(initial.storage, initial.size);
            }
            return Err(no_memory(size_of::<Slot>()));
        };
        // SAFETY: the table of slots has given this index.
        let slot = unsafe { self.slots.there(index) };
        debug_assert_eq!(slot.phase(), Phase::Free);
        let phase = if initial.published { Phase::Published } else { Phase::Promised };
        // The index came from a list of free ones: no other thread has it.
        let generation = slot.begin(phase, initial.size, initial.home, &initial.storage);
        let id = DatumId::here(u64::from(generation) << 32 | u64::from(index));
        #[cfg(test)]
        made::tell(self, id);
        Ok(id)
    }

    /// Prefetches the entry with this index, if it exists, for writing.
    #[inline]
    pub(crate) fn expect(&self, index: u32) {
        prefetch::to_write(self.slots.address(index));
    }

    /// Prefetches the slot of a datum that comes a little later in a list of data that are used in order. The numbers
    /// may name no datum. To prefetch all slots at once would be too early: another thread that uses the same data
    /// takes their lines away again.
    #[inline]
    pub(crate) fn expect_next<T>(&self, list: &[T], place: usize, number: impl FnOnce(&T) -> u64) {
        if let Some(soon) = list.get(place + AHEAD)
            && let Some(slot) = self.slots.get(number(soon) as u32)
        {
            prefetch::to_write(slot);
        }
    }

    /// Gets free entries for a thread that has none left; returns one of them.
    #[cold]
    fn refill(&self, cache: &mut DataCache) -> Option<u32> {
        cache.free.make_room(BATCH).ok()?;
        if !self.free.supply(&mut cache.free, BATCH) {
            self.free.admit(BATCH).ok()?;
            let _growing = self.growing.lock();
            cache.free.fill((0..BATCH).map_while(|_| self.slots.push(Slot::new())));
        }
        cache.free.take()
    }

    /// The entry of a datum that the caller keeps, by a reference or as the task that produces it.
    #[inline]
    pub(super) fn kept(&self, id: DatumId) -> &Slot {
        // SAFETY: a datum that is kept exists, so its index was given; only tasks and threads that have checked the id
        // keep a datum.
        unsafe { self.slots.there(id.number() as u32) }
    }

    /// The entry of this id, whatever datum it holds now.
    #[inline]
    pub(super) fn entry(&self, id: DatumId) -> Option<&Slot> {
        self.slots.get(id.number() as u32)
    }

    /// Locks the datum with this id.
    #[inline]
    pub(super) fn lock(&self, id: DatumId) -> Result<Locked<'_>, Error> {
        let Some(slot) = self.slots.get(id.number() as u32).filter(|_| id.is_here()) else {
            return Err(unknown(id, false));
        };
        let body = slot.lock();
        let (there, generation) = (slot.phase() != Phase::Free, (id.number() >> 32) as u32);
        if there && slot.generation() == generation {
            Ok(body)
        } else {
            Err(unknown(id, generation != 0 && generation < slot.generation()))
        }
    }

    /// Locks the datum with this id, if it still has references, here or in other processes.
    #[inline]
    pub(super) fn lock_referenced(&self, id: DatumId) -> Result<Locked<'_>, Error> {
        let body = self.lock(id)?;
        if body.referenced() || body.is_shared() { Ok(body) } else { Err(unknown(id, true)) }
    }

    /// Frees the datum if nobody needs it any more.
    #[inline]
    pub(super) fn settle(&self, cache: &mut DataCache, id: DatumId, body: Locked<'_>) {
        if !body.needed() {
            self.free(cache, id, body);
        } else if body.is_shared() {
            cache.tell_if_lonely(id, &body);
        } else if body.sleepers() > 0 && body.abandoned() {
            drop(body);
            self.asleep.wake(id.number() as u32);
        }
    }

    fn free(&self, cache: &mut DataCache, id: DatumId, body: Locked<'_>) {
        debug_assert!(body.slot().last_waiter().is_null(), "who waits holds a reference");
        let slot = body.slot();
        body.set_phase(Phase::Free);
        let (storage, size) = (slot.storage(), slot.size());
        slot.set_storage(&Storage::Absent);
        let again = slot.generation().checked_add(1);
        // An entry whose generations are used up is never used again: its last generation stays freed.
        body.set_generation(again.unwrap_or(u32::MAX));
        drop(body);
        cache.release(storage, size);
        if again.is_some() {
            cache.free.give(id.number() as u32, BATCH, &self.free);
        }
    }

    /// Visits every existing datum.
    pub(super) fn each(&self, mut visit: impl FnMut(DatumId, Locked<'_>)) {
        for index in 0..self.slots.len() {
            let body = self.slots.get(index).expect("below the length").lock();
            if body.slot().phase() != Phase::Free {
                let id = DatumId::here(u64::from(body.slot().generation()) << 32 | u64::from(index));
                visit(id, body);
            }
        }
    }

    /// At the end, when no producer is left: poisons every unpublished promise, and returns the tasks that waited.
    pub(crate) fn poison_promises(&self, mut wake: impl FnMut(Chain)) {
        self.each(|id, body| {
            if body.slot().phase() == Phase::Promised {
                let waiters = body.conclude(Outcome::Poisoned, NOWHERE);
                let sleepers = body.sleepers() > 0;
                drop(body);
                if sleepers {
                    self.asleep.wake(id.number() as u32);
                }
                wake(waiters);
            }
        });
    }

    /// At the end, when no task is left: frees data from this entry on, whatever their references. The call stops after
    /// some data, so that the caller can give their memory back; it returns the entry to continue with.
    pub(crate) fn free_some(&self, cache: &mut DataCache, from: u32) -> Option<u32> {
        for index in from..self.slots.len() {
            if cache.released.len() >= BATCH {
                return Some(index);
            }
            let body = self.slots.get(index).expect("below the length").lock();
            if body.slot().phase() == Phase::Free {
                continue;
            }
            let id = DatumId::here(u64::from(body.slot().generation()) << 32 | u64::from(index));
            body.set_available(0);
            body.set_taken(0);
            body.set_gets(0);
            body.set_producer(Producer::Nobody);
            let _nobody = body.take_waiters();
            self.free(cache, id, body);
        }
        None
    }

    /// Frees the memory of blocks.
    ///
    /// # Safety
    /// No datum exists, and `caches` are those of all threads; no thread is inside a call or can enter one.
    #[allow(clippy::unused_self, reason = "the data of this store are the only ones")]
    pub(crate) unsafe fn give_blocks_back<'a>(&self, caches: impl Iterator<Item = &'a mut DataCache>) {
        // SAFETY: without data no block is in use; otherwise by this function's contract.
        unsafe { BLOCKS.clear(caches.map(|cache| &mut cache.blocks)) };
    }

    /// The size of a datum.
    #[inline]
    pub(crate) fn size(&self, id: DatumId) -> Result<usize, Error> {
        let slot = self.slots.get(id.number() as u32).filter(|_| id.is_here());
        let size = |slot: &Slot| {
            // The caller is about to schedule a task that reads the datum: one transfer of the cache line, for writing,
            // suffices.
            prefetch::to_write(slot);
            slot.size_of_referenced((id.number() >> 32) as u32)
        };
        match slot.and_then(size) {
            Some(size) => Ok(size),
            None => Ok(self.lock_referenced(id)?.slot().size()),
        }
    }

    /// The size of a datum for a record; 0 if it has gone.
    #[cold]
    pub(crate) fn noted_size(&self, id: DatumId) -> usize {
        self.entry(id).map_or(0, Slot::size)
    }

    /// At the end, when no task is left: how many data still have references, but for those that other processes use as
    /// well, and their bytes.
    pub(crate) fn left(&self) -> (usize, u64) {
        let (mut data, mut bytes) = (0, 0);
        self.each(|_, body| {
            if body.referenced() && !body.is_shared() {
                data += 1;
                bytes += body.slot().size() as u64;
            }
        });
        (data, bytes)
    }

    /// Prefetches a task that waits for an output of the calling task: it will run next.
    #[inline]
    pub(crate) fn expect_waiter(&self, id: DatumId) {
        prefetch::to_write(self.kept(id).last_waiter());
    }

    /// Gives storage to a datum without bytes. Only the caller asks for the bytes: it has just made the datum, or is
    /// the task that produces it.
    pub(crate) fn adopt(&self, id: DatumId, storage: &Storage) {
        let slot = self.kept(id);
        debug_assert!(slot.addr().is_none(), "a datum gets its storage once");
        slot.set_storage(storage);
    }

    /// The number of data that exist.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        let mut count = 0;
        self.each(|_, _| count += 1);
        count
    }
}

/// For tests: what another thread finds that guesses the id of a datum while the datum is made.
#[cfg(test)]
pub(crate) mod made {
    use super::{DatumId, Store};
    use std::cell::Cell;

    type Look = fn(&Store, DatumId);

    thread_local! {
        static LOOK: Cell<Option<Look>> = const { Cell::new(None) };
    }

    /// Calls `look` for each datum that this thread makes, as soon as its id is valid, until `body` has ended.
    pub(crate) fn looking<R>(look: Look, body: impl FnOnce() -> R) -> R {
        LOOK.set(Some(look));
        let result = body();
        LOOK.set(None);
        result
    }

    pub(super) fn tell(store: &Store, id: DatumId) {
        if let Some(look) = LOOK.get() {
            look(store, id);
        }
    }
}
