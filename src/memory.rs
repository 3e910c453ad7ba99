//! Memory that is not to be had: where it is refused, and where it cannot be.
//!
//! What the program's wishes make large, or makes last, is asked for by functions that can be refused, [`strictly`]: task
//! descriptors, arguments, data, lists of free entries, lanes; the planner of redistributions has its own (`redist/room`).
//! The call then answers `DVM_ERR_MEMORY`.
//!
//! The rest is small and short: words of an error, lists of a few entries, what the standard library needs to start a
//! thread. Rust ends the process when such an allocation fails, so the allocator keeps a reserve for it, which is part of the
//! library's own data: addresses, and no memory until it is used. Calls that allocate such things look at the door
//! ([`check`]) whether much of it is out, and a call whose result would lie in it is refused afterwards ([`lasting`]): the
//! reserve is lent, and comes back.
#![allow(unsafe_code, reason = "an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, UnsafeCell};
use std::collections::{HashMap, TryReserveError};
use std::hash::Hash;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crate::error::{Error, dvm_retcode_t};

mod kept;
pub(crate) mod own_heap;

pub use kept::KeptMemory;
pub(crate) use kept::{MemorySource, NewMemory};

/// What the reserve is lent in.
const UNIT: usize = 64;

/// The units of the reserve.
const UNITS: usize = 1 << 15;

/// With so many units out, calls that may need some are refused.
const MANY: usize = UNITS / 4;

#[repr(align(4096))]
struct Bytes(UnsafeCell<[u8; UNIT * UNITS]>);

// SAFETY: parts are handed out to one owner each.
unsafe impl Sync for Bytes {}

/// Which units are out, one bit for each; only changed under `LOCK`.
type Map = [AtomicU64; UNITS / 64];

static BYTES: Bytes = Bytes(UnsafeCell::new([0; UNIT * UNITS]));
static MAP: Map = [const { AtomicU64::new(0) }; UNITS / 64];
static LOCK: AtomicBool = AtomicBool::new(false);
/// Where the search goes on; only touched under `LOCK`.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static OUT: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// True while this thread's allocations may be refused.
    static STRICT: Cell<bool> = const { Cell::new(false) };
    /// How often this thread has got something of the reserve.
    static LENT: Cell<u64> = const { Cell::new(0) };
}

/// Lends the map of units.
fn with_map<R>(body: impl FnOnce(&Map) -> R) -> R {
    while LOCK.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    let result = body(&MAP);
    LOCK.store(false, Ordering::Release);
    result
}

/// In a forked child: a thread that is not there may have had the map. What it was about to note is lost, and no more.
pub(crate) fn in_child() {
    LOCK.store(false, Ordering::Release);
    own_heap::in_child();
}

fn base() -> *mut u8 {
    BYTES.0.get().cast()
}

/// The first unit of an address in the reserve.
#[inline]
fn unit_of(address: *mut u8) -> Option<usize> {
    let distance = address.addr().wrapping_sub(base().addr());
    (distance < UNIT * UNITS).then_some(distance / UNIT)
}

fn units_of(layout: Layout) -> usize {
    layout.size().div_ceil(UNIT).max(1)
}

/// Memory of the reserve; NULL when this may be refused, or there is not that much in one piece.
#[cold]
#[inline(never)]
fn lend(layout: Layout) -> *mut u8 {
    let (count, step) = (units_of(layout), layout.align().div_ceil(UNIT));
    let refusable = STRICT.get() || dvm_redist::room::asks();
    if refusable || count > UNITS || layout.align() > 4096 {
        return ptr::null_mut();
    }
    let found = with_map(|map| {
        // On from where the last one was found: what was lent before it mostly is still out.
        let from = NEXT.load(Ordering::Relaxed).next_multiple_of(step);
        let first = free_units(map, from, count, step).or_else(|| free_units(map, 0, count, step))?;
        (first..first + count).for_each(|unit| {
            map[unit / 64].fetch_or(1 << (unit % 64), Ordering::Relaxed);
        });
        NEXT.store(first + count, Ordering::Relaxed);
        Some(first)
    });
    let Some(first) = found else { return ptr::null_mut() };
    OUT.fetch_add(count, Ordering::Relaxed);
    LENT.set(LENT.get() + 1);
    base().wrapping_add(first * UNIT) // inside the reserve
}

/// So many units in a row that are not out, from the first that begins at a multiple of `step`.
fn free_units(map: &Map, mut first: usize, count: usize, step: usize) -> Option<usize> {
    let word = |unit: usize| map[unit / 64].load(Ordering::Relaxed);
    let taken = |unit: usize| word(unit) >> (unit % 64) & 1 == 1;
    while first + count <= UNITS {
        if word(first) == u64::MAX {
            first = (first / 64 * 64 + 64).next_multiple_of(step);
        } else if let Some(unit) = (first..first + count).rev().find(|&unit| taken(unit)) {
            first = (unit + 1).next_multiple_of(step);
        } else {
            return Some(first);
        }
    }
    None
}

/// Takes memory of the reserve back.
#[cold]
#[inline(never)]
fn take_back(first: usize, layout: Layout) {
    let count = units_of(layout);
    with_map(|map| {
        (first..first + count).for_each(|unit| {
            map[unit / 64].fetch_and(!(1 << (unit % 64)), Ordering::Relaxed);
        });
    });
    OUT.fetch_sub(count, Ordering::Relaxed);
}

/// The system's allocator, with the reserve behind it.
pub(crate) struct Allocator;

// SAFETY: memory is the system's, or units of the reserve that nobody else has; what was lent is told by its address.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if own_heap::is_in_use() {
            return or_lent(own_heap::alloc(layout, false), layout);
        }
        // SAFETY: by this function's contract.
        let address = unsafe { System.alloc(layout) };
        or_lent(address, layout)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let address = if own_heap::is_in_use() {
            own_heap::alloc(layout, true)
        } else {
            // SAFETY: by this function's contract.
            unsafe { System.alloc_zeroed(layout) }
        };
        if !address.is_null() {
            return address;
        }
        let lent = lend(layout);
        if !lent.is_null() {
            // SAFETY: so many bytes were lent.
            unsafe { lent.write_bytes(0, layout.size()) };
        }
        lent
    }

    #[inline]
    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        match unit_of(address) {
            Some(unit) => take_back(unit, layout),
            // SAFETY: by this function's contract, and it is of that heap.
            None if own_heap::has(address) => unsafe { own_heap::dealloc(address, layout) },
            // SAFETY: by this function's contract, and it is neither the reserve's nor that heap's.
            None if own_heap::is_in_use() => unsafe { own_heap::put_off(address, layout) },
            // SAFETY: as above.
            None => unsafe { System.dealloc(address, layout) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if unit_of(address).is_none() && !own_heap::has(address) && !own_heap::is_in_use() {
            // SAFETY: by this function's contract, and it is neither the reserve's nor that heap's.
            let grown = unsafe { System.realloc(address, layout, size) };
            if !grown.is_null() {
                return grown;
            }
        }
        // SAFETY: the size is legal with this alignment by this function's contract; both have the bytes that are copied.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(address, new, size.min(layout.size()));
                self.dealloc(address, layout);
            }
            new
        }
    }
}

#[inline]
fn or_lent(address: *mut u8, layout: Layout) -> *mut u8 {
    if address.is_null() { lend(layout) } else { address }
}

/// The failure of a call whose bookkeeping finds no memory. Its words need none.
#[cold]
#[inline(never)]
pub(crate) fn none() -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "there is no memory for the bookkeeping: free some, or raise its limits")
}

impl From<TryReserveError> for Error {
    fn from(_: TryReserveError) -> Error {
        none()
    }
}

/// Runs `body`, whose allocations may be refused: they get nothing of the reserve, and `body` bears that.
pub(crate) fn strictly<R>(body: impl FnOnce() -> R) -> R {
    struct Back(bool);
    impl Drop for Back {
        fn drop(&mut self) {
            STRICT.set(self.0);
        }
    }
    let _back = Back(STRICT.replace(true));
    body()
}

/// Room for one entry more, or a refusal. Cheap when there is room.
#[inline]
pub(crate) fn room_for<T>(list: &mut Vec<T>, more: usize) -> Result<(), Error> {
    if list.capacity() - list.len() >= more { Ok(()) } else { grow(list, more) }
}

#[cold]
#[inline(never)]
fn grow<T>(list: &mut Vec<T>, more: usize) -> Result<(), Error> {
    strictly(|| list.try_reserve(more)).map_err(Error::from)
}

/// A list of what an iterator with a known length gives, or a refusal.
pub(crate) fn list<T>(items: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut list = Vec::new();
    room_for(&mut list, items.len())?;
    list.extend(items);
    Ok(list)
}

/// The beginning of a room, filled with what an iterator gives until there is no more, or no more room; or its first
/// failure.
#[inline]
pub(crate) fn filled<T: Copy, E>(
    room: &mut [MaybeUninit<T>],
    items: impl Iterator<Item = Result<T, E>>,
) -> Result<&mut [T], E> {
    let mut count = 0;
    for (place, item) in room.iter_mut().zip(items) {
        place.write(item?);
        count += 1;
    }
    // SAFETY: so many were just written.
    Ok(unsafe { room[..count].assume_init_mut() })
}

/// A list of what an iterator gives, or its first failure, or a refusal.
pub(crate) fn tried<T>(items: impl ExactSizeIterator<Item = Result<T, Error>>) -> Result<Vec<T>, Error> {
    let (mut items, mut list) = (items, Vec::new());
    room_for(&mut list, items.len())?;
    items.try_for_each(|item| item.map(|item| list.push(item)))?;
    Ok(list)
}

/// Room for one key more, or a refusal.
pub(crate) fn room_in<K: Eq + Hash, V>(map: &mut HashMap<K, V>) -> Result<(), Error> {
    if map.len() < map.capacity() { Ok(()) } else { strictly(|| map.try_reserve(1)).map_err(Error::from) }
}

/// A box, or a refusal.
pub(crate) fn boxed<T>(value: T) -> Result<Box<T>, Error> {
    let Some(mut room) = Allocation::new(Layout::new::<T>()) else { return Err(none()) };
    let place = room.write(0, value).as_ptr();
    std::mem::forget(room);
    // SAFETY: new memory for one value, as a box has it.
    Ok(unsafe { Box::from_raw(place) })
}

/// Memory that was asked for by its layout, until it is dropped.
#[derive(Debug)]
pub(crate) struct Allocation {
    address: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory belongs to the value.
unsafe impl Send for Allocation {}
// SAFETY: by reference it gives addresses, and no more.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// New memory with this layout, which has a size; `None` when there is none.
    pub(crate) fn new(layout: Layout) -> Option<Allocation> {
        assert!(layout.size() > 0, "there is no memory of no size");
        // SAFETY: the layout has a size.
        let address = strictly(|| unsafe { std::alloc::alloc(layout) });
        NonNull::new(address).map(|address| Allocation { address, layout })
    }

    /// The memory that [`Allocation::into_raw`] has given.
    ///
    /// # Safety
    /// It had this layout, and belongs to the caller.
    pub(crate) unsafe fn from_raw(address: NonNull<u8>, layout: Layout) -> Allocation {
        Allocation { address, layout }
    }

    /// The memory's address: it belongs to the caller from now on.
    pub(crate) fn into_raw(self) -> NonNull<u8> {
        ManuallyDrop::new(self).address
    }

    /// The address of a part: so many bytes, from there on.
    pub(crate) fn part(&self, at: usize, bytes: usize) -> NonNull<u8> {
        assert!(at.checked_add(bytes).is_some_and(|end| end <= self.layout.size()), "a part lies inside");
        // No part of it is at NULL: it does not wrap around.
        NonNull::new(self.address.as_ptr().wrapping_add(at)).unwrap_or(self.address)
    }

    /// Writes a value there; its address.
    pub(crate) fn write<T>(&mut self, at: usize, value: T) -> NonNull<T> {
        let place = self.part(at, size_of::<T>()).cast::<T>();
        assert!(place.is_aligned(), "values are aligned");
        // SAFETY: aligned, inside the memory, and that is borrowed alone.
        unsafe { place.write(value) };
        place
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody else's.
        unsafe { std::alloc::dealloc(self.address.as_ptr(), self.layout) };
    }
}

/// A text of one's own, or a refusal.
pub(crate) fn text(from: &str) -> Result<String, Error> {
    Ok(String::from_utf8(list(from.bytes())?).expect("copied from a text"))
}

/// Makes sure that so many bytes are to be had in one piece at this moment: for what comes next, and cannot be refused one
/// by one.
#[cold]
pub(crate) fn at_hand(bytes: usize) -> Result<(), Error> {
    strictly(|| Vec::<u8>::new().try_reserve_exact(bytes)).map_err(Error::from)
}

/// At the door of a call that allocates what cannot be refused.
#[inline]
pub(crate) fn check() -> Result<(), Error> {
    enough(OUT.load(Ordering::Relaxed))
}

/// Whether enough is left when so many units are out.
#[inline]
fn enough(out: usize) -> Result<(), Error> {
    if out < MANY { Ok(()) } else { Err(none()) }
}

/// Makes something that lasts. When a part of it may lie in the reserve it is dropped again, and refused.
pub(crate) fn lasting<T>(make: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    check()?;
    let before = LENT.get();
    let made = make()?;
    if LENT.get() == before { Ok(made) } else { Err(none()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All in one test: the reserve is one for all threads.
    #[test]
    fn the_reserve_is_lent_and_comes_back() {
        let layouts: Vec<Layout> = [(1, 1), (64, 8), (65, 64), (5000, 16), (4096, 4096), (100_000, 128)]
            .map(|(size, align)| Layout::from_size_align(size, align).unwrap())
            .into();
        let reserve = base().addr()..base().addr() + UNIT * UNITS;
        let mut lent: Vec<(*mut u8, Layout)> = Vec::with_capacity(3 * layouts.len() + 1);
        for _ in 0..3 {
            for &layout in &layouts {
                let address = lend(layout);
                let part = address.addr()..address.addr() + layout.size();
                assert!(address.addr().is_multiple_of(layout.align()));
                assert!(reserve.start <= part.start && part.end <= reserve.end, "it is the reserve's");
                let apart = |&(other, of): &(*mut u8, Layout)| {
                    part.end <= other.addr() || other.addr() + of.size() <= part.start
                };
                assert!(lent.iter().all(apart), "nobody else has it");
                lent.push((address, layout));
            }
        }
        assert!(strictly(|| lend(layouts[0])).is_null());
        let before = OUT.load(Ordering::Relaxed);
        assert!(before > 0 && lasting(|| Ok(())).is_ok());
        let refused = lasting(|| {
            lent.push((lend(layouts[0]), layouts[0]));
            Ok(())
        });
        assert_eq!(refused.unwrap_err().code(), dvm_retcode_t::DVM_ERR_MEMORY);
        // Told, not done: the calls of tests beside this one would be refused.
        assert!(before < MANY && enough(MANY - 1).is_ok() && enough(MANY).is_err());
        for (address, layout) in lent {
            // SAFETY: lent with this layout, and nobody uses it.
            unsafe { Allocator.dealloc(address, layout) };
        }
        assert!(check().is_ok());
        assert!(lend(Layout::from_size_align(UNITS * UNIT + 1, 1).unwrap()).is_null());
    }
}
