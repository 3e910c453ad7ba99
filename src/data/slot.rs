//! The state of one datum, and when the datum may be freed: one cache line.
//!
//! Only the holder of the slot's lock changes the state; the lock takes one atomic exchange. The creation of a datum
//! needs no lock. Some fields are atomics because they are also read without the lock. A caller that keeps the datum
//! (it holds a reference of a published datum, or is the task that produces the datum) reads fields that do not change
//! for it. A caller that has only an id reads the size, and then compares the generation. `addr` and `home` are written
//! before `phase` makes them valid.

mod waiting;

use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::storage::Storage;
use crate::sync::inbox::Link;
use crate::sync::spin::Spin;

/// The most bytes of a datum: more than the address space has. Messages have 48 bits for a size.
pub(crate) const MOST_BYTES: usize = (1 << 48) - 1;

/// The home of a datum that no worker has written.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The state of a datum's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Phase {
    /// There is no datum: the entry is free.
    Free,
    /// The bytes do not exist yet.
    Promised,
    /// The bytes exist and do not change any more.
    Published,
    /// The bytes will never exist: the producer failed or was cancelled.
    Poisoned,
}

/// The producer of a datum. A datum with a producer stays, whatever its references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Producer {
    /// There is none yet, or none any more.
    Nobody,
    /// The program, between write and publish.
    Hand,
    /// A task, from its scheduling to its end.
    Task,
    /// A task of another process, or one that is still to come from there.
    Away,
}

/// The bit of the producer's byte that marks a datum which other processes use as well (`shared`).
const SHARED: u8 = 0x80;

/// The references, changed under the lock only.
pub(super) struct References {
    available: AtomicU32,
    taken: AtomicU32,
}

/// A datum.
#[repr(align(64))]
pub(super) struct Slot {
    references: References,
    /// Gets without a put, including those of sleeping threads. Changed under the lock only, as is the next field.
    gets: AtomicU32,
    /// Threads that sleep until the datum is published.
    sleepers: AtomicU32,
    addr: AtomicPtr<u8>,
    /// By `kind`: a predecessor's number, a `free_cb`, or the allocator's address.
    extra: AtomicPtr<c_void>,
    size: AtomicUsize,
    /// The origin of the bytes: [`Slot::home`] and [`Locked::outside`], or the task that produces the promise.
    origin: AtomicU64,
    phase: AtomicU8,
    kind: AtomicU8,
    producer: AtomicU8,
    lock: Spin,
    /// Distinguishes the successive data of this entry; the upper half of the id's number.
    generation: AtomicU32,
    /// The end of the list of tasks that wait (`waiting`).
    last_waiter: AtomicPtr<Link>,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Slot>() == 64, "one cache line");

/// A datum whose lock is held.
pub(super) struct Locked<'a>(&'a Slot);

impl Slot {
    /// A free entry.
    pub(super) fn new() -> Slot {
        Slot {
            references: References { available: AtomicU32::new(0), taken: AtomicU32::new(0) },
            gets: AtomicU32::new(0),
            sleepers: AtomicU32::new(0),
            addr: AtomicPtr::new(ptr::null_mut()),
            extra: AtomicPtr::new(ptr::null_mut()),
            size: AtomicUsize::new(0),
            origin: AtomicU64::new(u64::from(NOWHERE)),
            phase: AtomicU8::new(Phase::Free as u8),
            kind: AtomicU8::new(0),
            producer: AtomicU8::new(Producer::Nobody as u8),
            lock: Spin::new(),
            generation: AtomicU32::new(1),
            last_waiter: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// Locks the datum.
    #[inline]
    pub(super) fn lock(&self) -> Locked<'_> {
        self.lock.lock();
        Locked(self)
    }

    /// Makes a free entry a datum with one reference; returns its generation. The entry is free, and only the caller
    /// has its index. No lock is needed: until `phase` is stored, other threads see a free entry, and rely on nothing
    /// but its generation and phase.
    #[inline]
    pub(super) fn begin(&self, phase: Phase, size: usize, home: u32, storage: &Storage) -> u32 {
        // A thread that reads these two without the lock sees their generation, or a later one.
        self.references.available.store(1, Ordering::Release);
        self.size.store(size, Ordering::Release);
        self.origin.store(u64::from(home), Ordering::Relaxed);
        self.set_storage(storage);
        self.phase.store(phase as u8, Ordering::Release);
        self.generation()
    }

    /// The generation, which changes when the datum is freed.
    #[inline]
    pub(super) fn generation(&self) -> u32 {
        self.generation.load(Ordering::Relaxed)
    }

    /// The last task that began to wait for the datum. Without the lock the answer is a guess.
    #[inline]
    pub(super) fn last_waiter(&self) -> *mut Link {
        self.last_waiter.load(Ordering::Relaxed)
    }

    /// The state of the value. A thread that reads `Published` sees the bytes.
    #[inline]
    pub(super) fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Free,
            1 => Phase::Promised,
            2 => Phase::Published,
            _ => Phase::Poisoned,
        }
    }

    /// The size in bytes; it never changes.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// The size of the datum of this generation, if it exists and has references. The call takes no lock, and a change
    /// under way may cause a `None`.
    #[inline]
    pub(super) fn size_of_referenced(&self, generation: u32) -> Option<usize> {
        let size = self.size.load(Ordering::Acquire);
        let there = self.phase() != Phase::Free && self.references.any();
        // Read last: if the entry was given to another datum before the other reads, the generation differs by now.
        (there && self.generation() == generation).then_some(size)
    }

    /// Sets the size of a promise that was made before its size was known. The caller holds the lock.
    pub(super) fn set_size(&self, size: usize) {
        self.size.store(size, Ordering::Release);
    }

    /// The worker that wrote the bytes of a published datum.
    #[inline]
    pub(super) fn home(&self) -> u32 {
        self.origin.load(Ordering::Relaxed) as u32
    }

    /// The address of the bytes, if they exist.
    #[inline]
    pub(super) fn addr(&self) -> Option<*mut u8> {
        let addr = self.addr.load(Ordering::Acquire);
        (!addr.is_null()).then_some(addr)
    }

    /// The storage of the bytes. The caller holds the lock, or is the task that produces the datum.
    pub(super) fn storage(&self) -> Storage {
        let (kind, extra) = (self.kind.load(Ordering::Relaxed), self.extra.load(Ordering::Relaxed));
        // SAFETY: the three were taken from a storage by `set_storage`.
        unsafe { Storage::assemble(kind, self.addr.load(Ordering::Relaxed), extra) }
    }

    /// Sets the storage of the bytes. The caller holds the lock, or is the task that produces the datum.
    #[inline]
    pub(super) fn set_storage(&self, storage: &Storage) {
        let (kind, addr, extra) = storage.parts();
        self.kind.store(kind, Ordering::Relaxed);
        self.extra.store(extra, Ordering::Relaxed);
        self.addr.store(addr, Ordering::Release);
    }

    /// Whether whoever has the bytes to itself may write them.
    #[inline]
    pub(super) fn is_writable(&self) -> bool {
        Storage::is_writable(self.kind.load(Ordering::Relaxed))
    }

    /// Moves the storage to a successor, which has none yet. The bytes stay where they are, and the successor becomes
    /// responsible for them. The caller holds the lock of this datum and is the task that produces the other one.
    #[inline]
    pub(super) fn hand_on(&self, successor: &Slot) {
        let addr = self.addr.load(Ordering::Relaxed);
        successor.kind.store(self.kind.load(Ordering::Relaxed), Ordering::Relaxed);
        successor.extra.store(self.extra.load(Ordering::Relaxed), Ordering::Relaxed);
        successor.addr.store(addr, Ordering::Release);
        self.set_storage(&Storage::Lent { addr });
    }

    /// The number of the datum whose storage this one will carry on.
    #[inline]
    pub(super) fn predecessor(&self) -> Option<u64> {
        Storage::predecessor(self.kind.load(Ordering::Relaxed), self.extra.load(Ordering::Relaxed))
    }
}

impl References {
    #[inline]
    fn any(&self) -> bool {
        self.available.load(Ordering::Acquire) | self.taken.load(Ordering::Acquire) > 0
    }
}

impl Drop for Locked<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.lock.unlock();
    }
}

impl<'a> Locked<'a> {
    /// The datum itself.
    #[inline]
    pub(super) fn slot(&self) -> &'a Slot {
        self.0
    }

    /// Sets the state of the value.
    #[inline]
    pub(super) fn set_phase(&self, phase: Phase) {
        self.0.phase.store(phase as u8, Ordering::Release);
    }

    /// Ends the generation.
    #[inline]
    pub(super) fn set_generation(&self, generation: u32) {
        self.0.generation.store(generation, Ordering::Relaxed);
    }

    /// Sets the worker that has written the bytes. Nobody has their address outside tasks.
    #[inline]
    pub(super) fn set_home(&self, home: u32) {
        self.0.origin.store(u64::from(home), Ordering::Relaxed);
    }

    /// The gets of a published datum that were made outside tasks and have no put yet.
    pub(super) fn outside(&self) -> u32 {
        (self.0.origin.load(Ordering::Relaxed) >> 32) as u32
    }

    /// Sets the number of such gets.
    pub(super) fn set_outside(&self, gets: u32) {
        self.0.origin.store(u64::from(gets) << 32 | u64::from(self.0.home()), Ordering::Relaxed);
    }

    /// The producer of the datum.
    #[inline]
    pub(super) fn producer(&self) -> Producer {
        match self.0.producer.load(Ordering::Relaxed) & !SHARED {
            0 => Producer::Nobody,
            1 => Producer::Hand,
            2 => Producer::Task,
            _ => Producer::Away,
        }
    }

    /// Sets the producer of the datum.
    #[inline]
    pub(super) fn set_producer(&self, producer: Producer) {
        let mark = self.0.producer.load(Ordering::Relaxed) & SHARED;
        self.0.producer.store(producer as u8 | mark, Ordering::Relaxed);
    }

    /// Whether other processes use the datum as well.
    #[inline]
    pub(super) fn is_shared(&self) -> bool {
        self.0.producer.load(Ordering::Relaxed) & SHARED != 0
    }

    /// Marks the datum, or takes the mark away.
    pub(super) fn set_shared(&self, shared: bool) {
        let producer = self.0.producer.load(Ordering::Relaxed) & !SHARED;
        self.0.producer.store(if shared { producer | SHARED } else { producer }, Ordering::Relaxed);
    }

    /// True if only the mark keeps the datum, or a producer in another process.
    pub(super) fn is_lonely(&self) -> bool {
        !self.referenced() && self.gets() == 0 && !matches!(self.producer(), Producer::Hand | Producer::Task)
    }

    /// Sets the task that produces this promise.
    #[inline]
    pub(super) fn set_task(&self, task: *mut Link) {
        self.set_producer(Producer::Task);
        self.0.origin.store(task.expose_provenance() as u64, Ordering::Relaxed);
    }

    /// The task that produces this promise, if a task does.
    pub(super) fn task(&self) -> *mut Link {
        debug_assert!(self.0.phase() == Phase::Promised && self.producer() == Producer::Task);
        ptr::with_exposed_provenance_mut(self.0.origin.load(Ordering::Relaxed) as usize)
    }

    /// Gets without a put, including those of sleeping threads.
    #[inline]
    pub(super) fn gets(&self) -> u32 {
        self.0.gets.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_gets(&self, gets: u32) {
        self.0.gets.store(gets, Ordering::Relaxed);
    }

    /// Threads that sleep until the datum is published.
    #[inline]
    pub(super) fn sleepers(&self) -> u32 {
        self.0.sleepers.load(Ordering::Relaxed)
    }

    pub(super) fn set_sleepers(&self, sleepers: u32) {
        self.0.sleepers.store(sleepers, Ordering::Relaxed);
    }

    /// References that the program holds.
    #[inline]
    pub(super) fn available(&self) -> u32 {
        self.0.references.available.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_available(&self, references: u32) {
        self.0.references.available.store(references, Ordering::Relaxed);
    }

    /// References that scheduled tasks have taken.
    #[inline]
    pub(super) fn taken(&self) -> u32 {
        self.0.references.taken.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn set_taken(&self, references: u32) {
        self.0.references.taken.store(references, Ordering::Relaxed);
    }

    /// True while the datum has references: every call then accepts its id.
    #[inline]
    pub(super) fn referenced(&self) -> bool {
        self.0.references.any()
    }

    /// True while the datum has a producer.
    #[inline]
    pub(super) fn produced(&self) -> bool {
        self.producer() != Producer::Nobody
    }

    /// True while anybody needs the bytes.
    #[inline]
    pub(super) fn needed(&self) -> bool {
        // The mark is part of the producer's byte.
        self.referenced() || self.0.producer.load(Ordering::Relaxed) != 0 || self.gets() > 0
    }

    /// True when nobody will ever publish this promise: only threads that sleep on it are left.
    pub(super) fn abandoned(&self) -> bool {
        self.0.phase() == Phase::Promised && !self.referenced() && !self.produced()
    }

    /// True if a successor has taken over the storage: this datum then ends with the task that reads it.
    #[inline]
    pub(super) fn carried_on(&self) -> bool {
        Storage::is_lent(self.0.kind.load(Ordering::Relaxed))
    }
}
