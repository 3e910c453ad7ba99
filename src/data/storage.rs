//! Where a datum's bytes lie, and how they are given back.

use std::ffi::c_void;
use std::ptr;

/// The alignment of memory that libdvm allocates.
pub(crate) const ALIGNMENT: usize = 64;

/// From this size on fresh pages are asked for, which come zeroed and are placed where they are first touched.
const FRESH_PAGES: usize = 128 << 10;

/// What gives registered memory back to its owner.
pub(crate) type FreeCallback = unsafe extern "C" fn(addr: *mut c_void, size: usize);

/// Where a datum's bytes lie.
#[derive(Debug)]
pub(crate) enum Storage {
    /// Nowhere: they do not exist, or are zeros that nobody has asked for yet.
    Absent,
    /// In memory of libdvm; `base` is what the allocator gave, NULL when the datum is empty.
    Owned { addr: *mut u8, base: *mut c_void },
    /// In memory of the program.
    Registered { addr: *mut u8, free: Option<FreeCallback> },
    /// In memory that a successor carries on and answers for.
    Lent { addr: *mut u8 },
}

// SAFETY: memory may be given back on any thread; a program that registers memory agrees to that (free_cb's contract).
unsafe impl Send for Storage {}

impl Storage {
    /// Zeroed memory; `None` when there is not that much.
    pub(crate) fn zeroed(size: usize) -> Option<Storage> {
        Storage::allocate(size, true)
    }

    /// Memory with the same bytes as those at `from`; `None` when there is not that much.
    ///
    /// # Safety
    /// `from` is the address of `size` bytes that nobody writes during the call.
    pub(crate) unsafe fn copied(from: *const u8, size: usize) -> Option<Storage> {
        let storage = Storage::allocate(size, false)?;
        if let Storage::Owned { addr, .. } = storage {
            // SAFETY: the new memory has `size` bytes and overlaps nothing; `from` by this function's contract.
            unsafe { ptr::copy_nonoverlapping(from, addr, size) };
        }
        Some(storage)
    }

    fn allocate(size: usize, zeroed: bool) -> Option<Storage> {
        if size == 0 {
            return Some(Storage::Owned { addr: ptr::without_provenance_mut(ALIGNMENT), base: ptr::null_mut() });
        }
        let total = size.checked_add(ALIGNMENT - 1).filter(|&total| isize::try_from(total).is_ok())?;
        // SAFETY: the C allocator takes any size.
        let base = unsafe { if zeroed && size >= FRESH_PAGES { libc::calloc(1, total) } else { libc::malloc(total) } };
        if base.is_null() {
            return None;
        }
        let bytes = base.cast::<u8>();
        // SAFETY: aligning moves by less than ALIGNMENT, and so many bytes were added to the size.
        let addr = unsafe { bytes.add(bytes.addr().wrapping_neg() % ALIGNMENT) };
        if zeroed && size < FRESH_PAGES {
            // SAFETY: `size` bytes from `addr` lie in the new memory.
            unsafe { addr.write_bytes(0, size) };
        }
        Some(Storage::Owned { addr, base })
    }

    /// The address of the bytes, if they exist.
    pub(crate) fn addr(&self) -> Option<*mut u8> {
        match *self {
            Storage::Absent => None,
            Storage::Owned { addr, .. } | Storage::Registered { addr, .. } | Storage::Lent { addr } => Some(addr),
        }
    }

    /// What has to be given back when the datum goes.
    pub(super) fn release(self, size: usize) -> Option<Released> {
        match self {
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

    /// Gives the memory back: frees it, or calls the program's `free_cb`. The caller holds no lock.
    pub(crate) fn give_back(self) {
        match self.0 {
            // SAFETY: `base` came from the C allocator; the value is consumed, so it is freed once.
            Kind::Owned { base } => unsafe { libc::free(base) },
            // SAFETY: whoever registered the memory gave this function for it; the value is consumed: called once.
            Kind::Registered { addr, size, free } => unsafe { free(addr.cast(), size) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_zeroed_at_every_size() {
        for size in [0, 1, 63, 64, 65, 4096, FRESH_PAGES - 1, FRESH_PAGES, 1 << 20] {
            let storage = Storage::zeroed(size).unwrap();
            let addr = storage.addr().unwrap();
            assert_eq!(addr.addr() % ALIGNMENT, 0);
            // SAFETY: the storage has `size` bytes.
            assert!(unsafe { std::slice::from_raw_parts(addr, size) }.iter().all(|&byte| byte == 0));
            assert_eq!(storage.release(size).map(Released::give_back).is_some(), size > 0);
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        for size in [usize::MAX, usize::MAX - 63, isize::MAX as usize, isize::MAX as usize - 62] {
            assert!(Storage::zeroed(size).is_none());
        }
    }

    #[test]
    fn a_copy_has_the_same_bytes() {
        let bytes: Vec<u8> = (0..200).collect();
        // SAFETY: the vector has that many bytes.
        let storage = unsafe { Storage::copied(bytes.as_ptr(), bytes.len()) }.unwrap();
        // SAFETY: so does the copy.
        assert_eq!(unsafe { std::slice::from_raw_parts(storage.addr().unwrap(), 200) }, bytes);
        storage.release(200).unwrap().give_back();
    }
}
