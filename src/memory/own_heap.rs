//! A heap that is not the program's: while pages of the program's memory are closed ([`turn_to`] was called), whatever
//! libdvm allocates comes from here.
//!
//! The program may have freed an array whose pages are closed. Its allocator hands that memory out again, and writes to
//! it: for the program that is an access like any other. In the middle of libdvm, with its locks held, nobody could open
//! the page. A thread of the program may wait for a page in the middle of its allocator, too, whose lock a thread that is to
//! open it must not need. So what libdvm has allocated before is given back when it holds no lock ([`give_back`]).

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use dlmalloc::{Allocator, Dlmalloc};

use crate::error::{Error, dvm_retcode_t};
use crate::system::signals::WithoutHandlers;

/// Addresses that are asked for: no memory until it is used. The least is enough for the lists of large jobs.
const SIZES: [usize; 3] = [1 << 36, 1 << 32, 1 << 28];

/// Pages of all systems are as large, or divide it.
const PIECE: usize = 1 << 16;

/// Where the heap lies; 0 and 0: there is none.
static BASE: AtomicUsize = AtomicUsize::new(0);
static SIZE: AtomicUsize = AtomicUsize::new(0);
/// What `Pages` has given out; only changed under `LOCK`.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Allocations come from here.
static IN_USE: AtomicBool = AtomicBool::new(false);
/// A forked child frees nothing here: another thread of its parent may have been about to.
static FORKED: AtomicBool = AtomicBool::new(false);
static LOCK: AtomicBool = AtomicBool::new(false);

struct Heap(UnsafeCell<Dlmalloc<Pages>>);

// SAFETY: used under `LOCK` only.
unsafe impl Sync for Heap {}

static HEAP: Heap = Heap(UnsafeCell::new(Dlmalloc::new_with_allocator(Pages)));

/// Gives the heap its pages, one after another.
struct Pages;

// SAFETY: gives out each page once, and takes the last ones back.
unsafe impl Allocator for Pages {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        let nothing = (ptr::null_mut(), 0, 0);
        let used = USED.load(Ordering::Relaxed);
        let Some(size) = size.checked_next_multiple_of(PIECE) else { return nothing };
        if size > SIZE.load(Ordering::Relaxed) - used {
            return nothing;
        }
        let address = at(used);
        // SAFETY: inside the addresses that were reserved; nobody has this part.
        if unsafe { libc::mprotect(address.cast(), size, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
            return nothing;
        }
        USED.store(used + size, Ordering::Relaxed);
        (address, size, 0)
    }

    fn remap(&self, _: *mut u8, _: usize, _: usize, _: bool) -> *mut u8 {
        ptr::null_mut()
    }

    fn free_part(&self, address: *mut u8, old: usize, new: usize) -> bool {
        self.free(address.wrapping_add(new), old - new)
    }

    fn free(&self, address: *mut u8, size: usize) -> bool {
        let first = address.addr() - BASE.load(Ordering::Relaxed);
        if first + size != USED.load(Ordering::Relaxed) || !first.is_multiple_of(PIECE) {
            return false;
        }
        // SAFETY: the heap does not use this part any more. It is zero when it is given out again.
        if unsafe { libc::madvise(address.cast(), size, libc::MADV_DONTNEED) } != 0 {
            return false;
        }
        USED.store(first, Ordering::Relaxed);
        true
    }

    fn can_release_part(&self, _: u32) -> bool {
        true
    }

    fn allocates_zeros(&self) -> bool {
        true
    }

    fn page_size(&self) -> usize {
        PIECE
    }
}

fn at(offset: usize) -> *mut u8 {
    ptr::with_exposed_provenance_mut(BASE.load(Ordering::Relaxed) + offset)
}

fn with_heap<R>(body: impl FnOnce(&mut Dlmalloc<Pages>) -> R) -> R {
    let _quiet = WithoutHandlers::begin();
    while LOCK.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    // SAFETY: under the lock, and the heap calls nobody who allocates.
    let result = body(unsafe { &mut *HEAP.0.get() });
    LOCK.store(false, Ordering::Release);
    result
}

/// From now on all allocations of libdvm come from here. To be called where nothing else turns to it at the same time.
///
/// # Errors
/// There are no addresses for it.
pub(crate) fn turn_to() -> Result<(), Error> {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Error::state("a forked process has no heap of its own"));
    }
    if BASE.load(Ordering::Acquire) == 0 && !SIZES.iter().any(|size| reserve(*size)) {
        return Err(Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "there are no addresses for a heap of libdvm's own"));
    }
    IN_USE.store(true, Ordering::Release);
    Ok(())
}

fn reserve(size: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: new addresses, without access.
    let address: *mut c_void = unsafe { libc::mmap(ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
    if address == libc::MAP_FAILED {
        return false;
    }
    SIZE.store(size, Ordering::Relaxed);
    BASE.store(address.expose_provenance(), Ordering::Release);
    true
}

/// In a forked child.
pub(super) fn in_child() {
    IN_USE.store(false, Ordering::Relaxed);
    FORKED.store(true, Ordering::Relaxed);
}

/// Whether allocations come from here.
#[inline]
pub(super) fn is_in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// To be held by whoever takes locks of libdvm: while pages are closed, it holds the program's handlers off.
#[inline]
pub(crate) fn without_handlers() -> Option<WithoutHandlers> {
    is_in_use().then(WithoutHandlers::begin)
}

/// Whether memory is of this heap.
#[inline]
pub(super) fn has(address: *mut u8) -> bool {
    let base = BASE.load(Ordering::Relaxed);
    base != 0 && address.addr().wrapping_sub(base) < SIZE.load(Ordering::Relaxed)
}

/// Memory of this heap; NULL: there is none left.
#[cold]
#[inline(never)]
pub(super) fn alloc(layout: Layout, zeroed: bool) -> *mut u8 {
    // SAFETY: the size and the alignment are those of a layout.
    with_heap(|heap| unsafe {
        if zeroed { heap.calloc(layout.size(), layout.align()) } else { heap.malloc(layout.size(), layout.align()) }
    })
}

/// Gives memory back.
///
/// # Safety
/// It is of this heap, has this layout, and nobody uses it.
#[cold]
#[inline(never)]
pub(super) unsafe fn dealloc(address: *mut u8, layout: Layout) {
    if !FORKED.load(Ordering::Relaxed) {
        // SAFETY: by this function's contract.
        with_heap(|heap| unsafe { heap.free(address, layout.size(), layout.align()) });
    }
}

/// Memory of the system's allocator that is to be given back: each block begins with the address of the next.
static PUT_OFF: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

/// Notes memory that [`give_back`] gives back. What is smaller than an address is not worth it, and stays.
///
/// # Safety
/// It is of the system's allocator, has this layout, and nobody uses it.
#[cold]
#[inline(never)]
pub(super) unsafe fn put_off(address: *mut u8, layout: Layout) {
    if layout.size() < size_of::<*mut u8>() {
        return;
    }
    let mut next = PUT_OFF.load(Ordering::Relaxed);
    loop {
        // SAFETY: by this function's contract, and it has room for an address.
        unsafe { address.cast::<*mut u8>().write_unaligned(next) };
        match PUT_OFF.compare_exchange_weak(next, address, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => next = other,
        }
    }
}

/// Gives back what was put off. To be called by a thread of the program that holds no lock of libdvm: the allocator may touch
/// closed pages.
pub(crate) fn give_back() {
    let mut block = PUT_OFF.swap(ptr::null_mut(), Ordering::Acquire);
    while !block.is_null() {
        // SAFETY: `put_off` has written it, and nobody else has the block since the list was taken.
        let next = unsafe { block.cast::<*mut u8>().read_unaligned() };
        // SAFETY: as above: the system's allocator gives back by the address alone.
        unsafe { libc::free(block.cast()) };
        block = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    #[test]
    fn what_is_put_off_is_given_back() {
        let layout = Layout::from_size_align(100, 1).unwrap();
        for _ in 0..10 {
            // SAFETY: the layout has bytes; the block is given away.
            unsafe { put_off(std::alloc::GlobalAlloc::alloc(&std::alloc::System, layout), layout) };
        }
        give_back();
        assert!(PUT_OFF.load(Ordering::Relaxed).is_null());
    }

    /// Random allocations against a list of what is out: nothing overlaps, zeros are zeros, bytes stay.
    #[test]
    fn blocks_do_not_overlap_and_keep_their_bytes() {
        assert!(BASE.load(Ordering::Relaxed) != 0 || reserve(1 << 32));
        let mut random = Random::new(7);
        let mut out: Vec<(*mut u8, Layout, u8)> = Vec::new();
        for step in 0..20_000_usize {
            if out.len() > 200 || (step % 3 == 2 && !out.is_empty()) {
                let (address, layout, byte) = out.swap_remove(random.below(out.len()));
                // SAFETY: allocated with this layout.
                let bytes = unsafe { std::slice::from_raw_parts(address, layout.size()) };
                assert!(bytes.iter().all(|found| *found == byte));
                // SAFETY: as above.
                unsafe { dealloc(address, layout) };
                continue;
            }
            let most = 2 << random.below(18);
            let size = 1 + random.below(most);
            let layout = Layout::from_size_align(size, 1 << random.below(13)).unwrap();
            let (zeroed, byte) = (step % 2 == 0, step as u8);
            let address = alloc(layout, zeroed);
            assert!(has(address) && address.addr().is_multiple_of(layout.align()));
            // SAFETY: so many bytes were allocated.
            let bytes = unsafe { std::slice::from_raw_parts_mut(address, size) };
            assert!(!zeroed || bytes.iter().all(|found| *found == 0));
            bytes.fill(byte);
            out.push((address, layout, byte));
        }
        for (address, layout, _) in out {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(address, layout) };
        }
    }
}
