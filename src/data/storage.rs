//! Where a datum's bytes lie, and how they are given back.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use super::blocks::{self, BLOCKS};
use super::magazines::{ALIGNMENT, MAGAZINES};

/// From this size on fresh pages are asked for, which come zeroed and are placed where they are first touched.
const FRESH_PAGES: usize = 128 << 10;

/// What gives registered memory back to its owner.
pub(crate) type FreeCallback = unsafe extern "C" fn(addr: *mut c_void, size: usize);

/// Where a datum's bytes lie.
#[derive(Debug)]
pub(crate) enum Storage {
    /// Nowhere: they do not exist, or are zeros that nobody has asked for yet.
    Absent,
    /// Nowhere yet: they are to be those of the datum with this number, or a copy of them.
    Successor { of: u64 },
    /// In a block of the pool.
    Block { addr: NonNull<u8> },
    /// In memory of libdvm; `base` is what the allocator gave, NULL when the datum is empty.
    Owned { addr: *mut u8, base: *mut c_void },
    /// In memory of the program.
    Registered { addr: *mut u8, free: Option<FreeCallback> },
    /// In memory that a successor carries on and answers for.
    Lent { addr: *mut u8 },
}

// SAFETY: memory may be given back on any thread; a program that registers memory agrees to that (free_cb's contract).
unsafe impl Send for Storage {}

const ABSENT: u8 = 0;
const SUCCESSOR: u8 = 1;
const BLOCK: u8 = 2;
const OWNED: u8 = 3;
const REGISTERED: u8 = 4;
const LENT: u8 = 5;

impl Storage {
    /// Zeroed memory; `None` when there is not that much.
    #[inline]
    pub(super) fn zeroed(blocks: &mut blocks::BlockCache, size: usize) -> Option<Storage> {
        Storage::allocate(blocks, size, true)
    }

    /// Memory with the same bytes as those at `from`; `None` when there is not that much.
    ///
    /// # Safety
    /// `from` is the address of `size` bytes that nobody writes during the call.
    pub(super) unsafe fn copied(blocks: &mut blocks::BlockCache, from: *const u8, size: usize) -> Option<Storage> {
        let storage = Storage::allocate(blocks, size, false)?;
        if let Some(addr) = storage.addr().filter(|_| size > 0) {
            // SAFETY: the new memory has `size` bytes and overlaps nothing; `from` by this function's contract.
            unsafe { ptr::copy_nonoverlapping(from, addr, size) };
        }
        Some(storage)
    }

    /// What a slot keeps of it: which kind it is, the address of the bytes, and what else belongs to the kind.
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
        }
    }

    /// The reverse of [`Storage::parts`].
    ///
    /// # Safety
    /// The three came from one call of `parts`.
    #[inline]
    pub(super) unsafe fn assemble(kind: u8, addr: *mut u8, extra: *mut c_void) -> Storage {
        match kind {
            SUCCESSOR => Storage::Successor { of: extra.addr() as u64 },
            BLOCK => NonNull::new(addr).map_or(Storage::Absent, |addr| Storage::Block { addr }),
            OWNED => Storage::Owned { addr, base: extra },
            REGISTERED => {
                // SAFETY: `parts` took it from a function of this type, or NULL, which stands for none.
                let free = unsafe { std::mem::transmute::<*mut c_void, Option<FreeCallback>>(extra) };
                Storage::Registered { addr, free }
            }
            LENT => Storage::Lent { addr },
            _ => Storage::Absent,
        }
    }

    /// The number of the datum to be carried on, from two of the parts.
    #[inline]
    pub(super) fn predecessor(kind: u8, extra: *mut c_void) -> Option<u64> {
        (kind == SUCCESSOR).then(|| extra.addr() as u64)
    }

    /// True when a successor answers for the memory.
    #[inline]
    pub(super) fn is_lent(kind: u8) -> bool {
        kind == LENT
    }

    fn allocate(blocks: &mut blocks::BlockCache, size: usize, zeroed: bool) -> Option<Storage> {
        let (storage, addr, fresh) = if blocks::serve(size) {
            let addr = if size <= blocks::LARGEST {
                BLOCKS.take(blocks, size)?
            } else {
                MAGAZINES.take(&mut blocks.middling, size)?
            };
            (Storage::Block { addr }, addr.as_ptr(), false)
        } else {
            Storage::allocate_large(size, zeroed)?
        };
        if zeroed && !fresh {
            // SAFETY: the new memory has `size` bytes and is nobody else's.
            unsafe { addr.write_bytes(0, size) };
        }
        Some(storage)
    }

    /// Memory of the C allocator, its address, and whether it has come with zeros, which it does where that is
    /// `wanted`.
    fn allocate_large(size: usize, wanted: bool) -> Option<(Storage, *mut u8, bool)> {
        if size == 0 {
            let addr = ptr::without_provenance_mut(ALIGNMENT);
            return Some((Storage::Owned { addr, base: ptr::null_mut() }, addr, true));
        }
        let total = size.checked_add(ALIGNMENT - 1).filter(|&total| isize::try_from(total).is_ok())?;
        let fresh = wanted && size >= FRESH_PAGES;
        // SAFETY: the C allocator takes any size.
        let base = unsafe { if fresh { libc::calloc(1, total) } else { libc::malloc(total) } };
        if base.is_null() {
            return None;
        }
        let bytes = base.cast::<u8>();
        // Aligning moves by less than ALIGNMENT, and so many bytes were added to the size.
        let addr = bytes.wrapping_add(bytes.addr().wrapping_neg() % ALIGNMENT);
        Some((Storage::Owned { addr, base }, addr, fresh))
    }

    /// The address of the bytes, if they exist.
    pub(crate) fn addr(&self) -> Option<*mut u8> {
        match *self {
            Storage::Absent | Storage::Successor { .. } => None,
            Storage::Block { addr } => Some(addr.as_ptr()),
            Storage::Owned { addr, .. } | Storage::Registered { addr, .. } | Storage::Lent { addr } => Some(addr),
        }
    }

    /// Ends the datum's use of the memory: a block goes back at once, other memory is what the caller has to give back.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "a link of a chain takes 20 instructions less")]
    pub(super) fn release(self, blocks: &mut blocks::BlockCache, size: usize) -> Option<Released> {
        match self {
            Storage::Block { addr } => {
                // SAFETY: it was taken for a datum of this size, which nobody uses any more.
                unsafe {
                    if size <= blocks::LARGEST {
                        BLOCKS.give(blocks, addr, size);
                    } else {
                        MAGAZINES.give(&mut blocks.middling, addr, size);
                    }
                }
                None
            }
            Storage::Owned { base, .. } if !base.is_null() => Some(Released(Kind::Owned { base })),
            Storage::Registered { addr, free: Some(free) } => Some(Released(Kind::Registered { addr, size, free })),
            _ => None,
        }
    }
}

/// Memory whose datum has gone and that is to be given back, with no lock held.
#[must_use = "the memory has to be given back"]
#[derive(Debug)]
pub(crate) struct Released(Kind);

#[derive(Debug)]
enum Kind {
    Owned { base: *mut c_void },
    Registered { addr: *mut u8, size: usize, free: FreeCallback },
}

// SAFETY: as for `Storage`.
unsafe impl Send for Released {}

impl Released {
    /// True when giving back calls the program.
    pub(crate) fn calls_out(&self) -> bool {
        matches!(self.0, Kind::Registered { .. })
    }

    /// Gives the memory back: frees it, or calls the program's `free_cb`, which may unwind. The caller holds no lock.
    pub(crate) fn give_back(self) {
        match self.0 {
            // SAFETY: `base` came from the C allocator; the value is consumed, so it is freed once.
            Kind::Owned { base } => unsafe { libc::free(base) },
            // SAFETY: whoever registered the memory gave this function for it; the value is consumed: called once.
            Kind::Registered { addr, size, free } => unsafe {
                // The two types differ only in what happens when the callee unwinds, where the new one allows more.
                let free = std::mem::transmute::<FreeCallback, unsafe extern "C-unwind" fn(*mut c_void, usize)>(free);
                free(addr.cast(), size);
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::magazines;
    use super::*;

    fn bytes(storage: &Storage, size: usize) -> &[u8] {
        // SAFETY: the tests ask for the size that it was made with.
        unsafe { std::slice::from_raw_parts(storage.addr().unwrap(), size) }
    }

    #[test]
    fn memory_is_aligned_and_zeroed_at_every_size() {
        let mut blocks = blocks::BlockCache::new();
        for size in [
            0,
            1,
            64,
            65,
            blocks::LARGEST,
            4096,
            magazines::LARGEST,
            magazines::LARGEST + 1,
            FRESH_PAGES - 1,
            FRESH_PAGES,
        ] {
            let storage = Storage::zeroed(&mut blocks, size).unwrap();
            let addr = storage.addr().unwrap();
            assert_eq!(addr.addr() % ALIGNMENT, 0);
            assert!(bytes(&storage, size).iter().all(|&byte| byte == 0));
            let large = storage.release(&mut blocks, size).map(Released::give_back).is_some();
            assert_eq!(large, size > magazines::LARGEST);
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for size in [usize::MAX, usize::MAX - 63, isize::MAX as usize, isize::MAX as usize - 62] {
            assert!(Storage::zeroed(&mut blocks::BlockCache::new(), size).is_none());
        }
    }

    #[test]
    fn a_copy_has_the_same_bytes() {
        let mut blocks = blocks::BlockCache::new();
        for size in [0, 200, 5000] {
            let from: Vec<u8> = (0..size).map(|place| (place % 251) as u8).collect();
            // SAFETY: the vector has that many bytes.
            let storage = unsafe { Storage::copied(&mut blocks, from.as_ptr(), from.len()) }.unwrap();
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
            // SAFETY: the three come from one call.
            let again = unsafe { Storage::assemble(kind, addr, extra) };
            assert_eq!(format!("{again:?}"), format!("{storage:?}"));
        }
    }
}
