//! The storage of a datum's bytes, and how it is freed.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::slice;

use super::DatumId;
use super::middling_blocks::{ALIGNMENT, MAGAZINES};
use super::shared_memory;
use super::small_blocks::{self, BLOCKS};
use crate::memory::KeptMemory;

/// From this size in bytes on, the allocator is asked for fresh pages, which are zeroed and placed at their first
/// touch.
const FRESH_PAGES: usize = 128 << 10;

/// The function that returns registered memory to its owner.
pub(crate) type FreeCallback = unsafe extern "C" fn(addr: *mut c_void, size: usize);

/// The storage of a datum's bytes.
#[derive(Debug)]
pub(crate) enum Storage {
    /// None: the bytes do not exist, or are zeros that nobody has asked for yet.
    Absent,
    /// None yet: the storage will be that of the datum with this number, or a copy.
    Successor { of: u64 },
    /// A block of the pool.
    Block { addr: NonNull<u8> },
    /// Memory of libdvm. `base` is the allocator's address, NULL for an empty datum.
    Owned { addr: *mut u8, base: *mut c_void },
    /// Memory of the program.
    Registered { addr: *mut u8, free: Option<FreeCallback> },
    /// Memory that a successor has taken over.
    Lent { addr: *mut u8 },
    /// Memory that a keeper keeps until it is dropped. `keeper`: made by `Box::into_raw`.
    Kept { addr: *mut u8, keeper: *mut Box<dyn KeptMemory>, writable: bool },
}

// SAFETY: any thread may free memory; a program that registers memory agrees to that (free_cb's contract).
unsafe impl Send for Storage {}

const ABSENT: u8 = 0;
const SUCCESSOR: u8 = 1;
const BLOCK: u8 = 2;
const OWNED: u8 = 3;
const REGISTERED: u8 = 4;
const LENT: u8 = 5;
const KEPT: u8 = 6;
const KEPT_FOR_READING: u8 = 7;

impl Storage {
    /// Zeroed memory; `None` if there is not enough.
    #[inline(never)]
    pub(super) fn zeroed(blocks: &mut small_blocks::BlockCache, size: usize) -> Option<Storage> {
        Some(New::allocate(blocks, size, true)?.zeroed())
    }

    /// Memory with a copy of these bytes; `None` if there is not enough.
    pub(super) fn copied(blocks: &mut small_blocks::BlockCache, from: &[u8]) -> Option<Storage> {
        Some(New::allocate(blocks, from.len(), false)?.filled(from))
    }

    /// The fields that a slot keeps of a storage: its kind, the address of the bytes, and the field that the kind adds.
    #[inline]
    pub(super) fn parts(&self) -> (u8, *mut u8, *mut c_void) {
        match *self {
            Storage::Absent => (ABSENT, ptr::null_mut(), ptr::null_mut()),
            Storage::Successor { of } => (SUCCESSOR, ptr::null_mut(), ptr::without_provenance_mut(of as usize)),
            Storage::Block { addr } => (BLOCK, addr.as_ptr(), ptr::null_mut()),
            Storage::Owned { addr, base } => (OWNED, addr, base),
            Storage::Registered { addr, free } => {
                (REGISTERED, addr, free.map_or(ptr::null_mut(), |free| free as *mut c_void))
            }
            Storage::Lent { addr } => (LENT, addr, ptr::null_mut()),
            Storage::Kept { addr, keeper, writable } => {
                (if writable { KEPT } else { KEPT_FOR_READING }, addr, keeper.cast())
            }
        }
    }

    /// The inverse of [`Storage::parts`].
    ///
    /// # Safety
    /// One call of `parts` returned all three fields.
    #[inline]
    pub(super) unsafe fn assemble(kind: u8, addr: *mut u8, extra: *mut c_void) -> Storage {
        match kind {
            SUCCESSOR => Storage::Successor { of: extra.addr() as u64 },
            BLOCK => NonNull::new(addr).map_or(Storage::Absent, |addr| Storage::Block { addr }),
            OWNED => Storage::Owned { addr, base: extra },
            REGISTERED => {
                // SAFETY: `parts` made the value from a function of this type, or NULL for none.
                let free = unsafe { std::mem::transmute::<*mut c_void, Option<FreeCallback>>(extra) };
                Storage::Registered { addr, free }
            }
            LENT => Storage::Lent { addr },
            KEPT | KEPT_FOR_READING => Storage::Kept { addr, keeper: extra.cast(), writable: kind == KEPT },
            _ => Storage::Absent,
        }
    }

    /// The number of the datum to be carried on, from two of the parts.
    #[inline]
    pub(super) fn predecessor(kind: u8, extra: *mut c_void) -> Option<u64> {
        (kind == SUCCESSOR).then(|| extra.addr() as u64)
    }

    /// True if a successor has taken over the memory.
    #[inline]
    pub(super) fn is_lent(kind: u8) -> bool {
        kind == LENT
    }

    /// True if the memory can be written by whoever has it to itself.
    #[inline]
    pub(super) fn is_writable(kind: u8) -> bool {
        kind != KEPT_FOR_READING
    }

    /// Memory that its keeper keeps.
    pub(crate) fn kept(keeper: Box<dyn KeptMemory>) -> Storage {
        let (addr, writable) = (keeper.memory().cast().as_ptr(), keeper.is_writable());
        Storage::Kept { addr, keeper: Box::into_raw(Box::new(keeper)), writable }
    }

    /// Zeroed memory of the C allocator, whatever the size.
    pub(super) fn fresh(size: usize) -> Option<Storage> {
        Some(New::of_the_allocator(size, true)?.zeroed())
    }

    /// Frees memory that [`Storage::fresh`] made and no datum has.
    pub(super) fn discard_fresh(self) {
        if let Storage::Owned { base, .. } = self {
            Released(Kind::Owned { base }).give_back();
        }
    }

    /// The address of the bytes, if they exist.
    pub(crate) fn addr(&self) -> Option<*mut u8> {
        match *self {
            Storage::Absent | Storage::Successor { .. } => None,
            Storage::Block { addr } => Some(addr.as_ptr()),
            Storage::Owned { addr, .. }
            | Storage::Registered { addr, .. }
            | Storage::Lent { addr }
            | Storage::Kept { addr, .. } => Some(addr),
        }
    }

    /// Ends the datum's use of the storage: a block is freed at once, and the caller has to give other memory back.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a link of a chain takes 20 instructions less")]
    pub(super) fn release(self, blocks: &mut small_blocks::BlockCache, size: usize) -> Option<Released> {
        match self {
            Storage::Block { addr } => {
                // SAFETY: the block was taken for a datum of this size, which nobody uses any more.
                unsafe {
                    if size <= small_blocks::LARGEST {
                        BLOCKS.give(blocks, addr, size);
                    } else {
                        MAGAZINES.give(&mut blocks.middling, addr, size);
                    }
                }
                None
            }
            Storage::Owned { base, .. } if !base.is_null() => Some(Released(Kind::Owned { base })),
            Storage::Registered { addr, free: Some(free) } => Some(Released(Kind::Registered { addr, size, free })),
            Storage::Kept { keeper, .. } => Some(Released(Kind::Kept { keeper })),
            _ => None,
        }
    }
}

/// Memory that has just been made: `size` bytes at `addr` that nobody else has.
struct New {
    storage: Storage,
    addr: *mut u8,
    size: usize,
    is_zeroed: bool,
}

impl New {
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: a new datum takes 20 instructions less")]
    fn allocate(blocks: &mut small_blocks::BlockCache, size: usize, zeroed: bool) -> Option<New> {
        if !small_blocks::serve(size) {
            return New::allocate_large(size, zeroed);
        }
        let addr = if size <= small_blocks::LARGEST {
            BLOCKS.take(blocks, size)?
        } else {
            MAGAZINES.take(&mut blocks.middling, size)?
        };
        Some(New { storage: Storage::Block { addr }, addr: addr.as_ptr(), size, is_zeroed: false })
    }

    /// Memory that other processes can read where it lies, or memory of the C allocator.
    fn allocate_large(size: usize, wanted: bool) -> Option<New> {
        let Some(shared) = shared_memory::allocate(size) else { return New::of_the_allocator(size, wanted) };
        let storage = Storage::kept(shared.keeper);
        Some(New { addr: storage.addr()?, storage, size, is_zeroed: shared.is_zero })
    }

    /// Memory of the C allocator. Large memory is zeroed if that is `wanted`.
    fn of_the_allocator(size: usize, wanted: bool) -> Option<New> {
        if size == 0 {
            let addr = ptr::without_provenance_mut(ALIGNMENT);
            let storage = Storage::Owned { addr, base: ptr::null_mut() };
            return Some(New { storage, addr, size, is_zeroed: true });
        }
        let total = size.checked_add(ALIGNMENT - 1).filter(|&total| isize::try_from(total).is_ok())?;
        let is_zeroed = wanted && size >= FRESH_PAGES;
        // SAFETY: the C allocator accepts any size.
        let base = unsafe { if is_zeroed { libc::calloc(1, total) } else { libc::malloc(total) } };
        if base.is_null() {
            return None;
        }
        let bytes = base.cast::<u8>();
        // Alignment moves the address by less than ALIGNMENT, and the size includes that.
        let addr = bytes.wrapping_add(bytes.addr().wrapping_neg() % ALIGNMENT);
        Some(New { storage: Storage::Owned { addr, base }, addr, size, is_zeroed })
    }

    /// The bytes.
    #[inline]
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        // SAFETY: by the type's invariant.
        unsafe { slice::from_raw_parts_mut(self.addr.cast(), self.size) }
    }

    /// Zeroed.
    #[inline]
    fn zeroed(mut self) -> Storage {
        if !self.is_zeroed {
            self.bytes().fill(MaybeUninit::new(0));
        }
        self.storage
    }

    /// With these bytes, which are as many.
    fn filled(mut self, from: &[u8]) -> Storage {
        self.bytes().write_copy_of_slice(from);
        self.storage
    }
}

/// The memory of a freed datum, which the caller has to give back while it holds no lock.
#[must_use = "the memory has to be given back"]
#[derive(Debug)]
pub(crate) struct Released(Kind);

#[derive(Debug)]
enum Kind {
    /// No memory: a marked datum has changed.
    Marked {
        id: DatumId,
    },
    Owned {
        base: *mut c_void,
    },
    Kept {
        keeper: *mut Box<dyn KeptMemory>,
    },
    Registered {
        addr: *mut u8,
        size: usize,
        free: FreeCallback,
    },
}

// SAFETY: as for `Storage`.
unsafe impl Send for Released {}

impl Released {
    /// Tells that a marked datum has changed.
    pub(super) fn of_marked(id: DatumId) -> Released {
        Released(Kind::Marked { id })
    }

    /// The marked datum that has changed; then there is no memory to give back.
    pub(crate) fn told(&self) -> Option<DatumId> {
        match self.0 {
            Kind::Marked { id } => Some(id),
            _ => None,
        }
    }

    /// True if there is memory to give back, and the program is not called for it.
    #[inline]
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self.0, Kind::Owned { .. } | Kind::Kept { .. })
    }

    /// True if giving the memory back calls the program.
    pub(crate) fn calls_out(&self) -> bool {
        matches!(self.0, Kind::Registered { .. })
    }

    /// Gives the memory back: frees it, or calls the program's `free_cb`, which may unwind. The caller holds no lock.
    pub(crate) fn give_back(self) {
        match self.0 {
            Kind::Marked { .. } => {}
            // SAFETY: `Storage::kept` made the pointer; the value is consumed, so it is dropped once.
            Kind::Kept { keeper } => drop(unsafe { Box::from_raw(keeper) }),
            // SAFETY: `base` came from the C allocator; the value is consumed, so it is freed once.
            Kind::Owned { base } => unsafe { libc::free(base) },
            // SAFETY: the program gave this function for the memory that it registered; the value is consumed, so the
            // call happens once.
            Kind::Registered { addr, size, free } => unsafe {
                // The two types differ only in that the new one lets the callee unwind.
                let free = std::mem::transmute::<FreeCallback, unsafe extern "C-unwind" fn(*mut c_void, usize)>(free);
                free(addr.cast(), size);
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::middling_blocks;
    use super::*;

    fn bytes(storage: &Storage, size: usize) -> &[u8] {
        // SAFETY: the tests ask for the size that it was made with.
        unsafe { std::slice::from_raw_parts(storage.addr().unwrap(), size) }
    }

    #[test]
    fn memory_is_aligned_and_zeroed_at_every_size() {
        let mut blocks = small_blocks::BlockCache::new();
        for size in [
            0,
            1,
            64,
            65,
            small_blocks::LARGEST,
            4096,
            middling_blocks::LARGEST,
            middling_blocks::LARGEST + 1,
            FRESH_PAGES - 1,
            FRESH_PAGES,
        ] {
            let storage = Storage::zeroed(&mut blocks, size).unwrap();
            let addr = storage.addr().unwrap();
            assert_eq!(addr.addr() % ALIGNMENT, 0);
            assert!(bytes(&storage, size).iter().all(|&byte| byte == 0));
            let large = storage.release(&mut blocks, size).map(Released::give_back).is_some();
            assert_eq!(large, size > middling_blocks::LARGEST);
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for size in [usize::MAX, usize::MAX - 63, isize::MAX as usize, isize::MAX as usize - 62] {
            assert!(Storage::zeroed(&mut small_blocks::BlockCache::new(), size).is_none());
        }
    }

    #[test]
    fn a_copy_has_the_same_bytes() {
        let mut blocks = small_blocks::BlockCache::new();
        for size in [0, 200, 5000] {
            let from: Vec<u8> = (0..size).map(|place| (place % 251) as u8).collect();
            let storage = Storage::copied(&mut blocks, &from).unwrap();
            assert_eq!(bytes(&storage, size), from);
            storage.release(&mut blocks, size).into_iter().for_each(Released::give_back);
        }
    }

    #[test]
    fn what_a_slot_keeps_is_the_whole_of_it() {
        unsafe extern "C" fn free(_: *mut c_void, _: usize) {}
        let addr = NonNull::<u8>::dangling();
        for storage in [
            Storage::Absent,
            Storage::Successor { of: 7 << 32 | 9 },
            Storage::Block { addr },
            Storage::Owned { addr: addr.as_ptr(), base: addr.as_ptr().cast() },
            Storage::Registered { addr: addr.as_ptr(), free: None },
            Storage::Registered { addr: addr.as_ptr(), free: Some(free) },
            Storage::Lent { addr: addr.as_ptr() },
        ] {
            let (kind, addr, extra) = storage.parts();
            // SAFETY: one call returned all three.
            let again = unsafe { Storage::assemble(kind, addr, extra) };
            assert_eq!(format!("{again:?}"), format!("{storage:?}"));
        }
    }
}
