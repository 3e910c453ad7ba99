//! `pthread_exit` and `pthread_cancel`, which glibc carries out as a forced unwinding.
//!
//! The C library keeps, per thread, the place where the next cleanup handler waits. A callback that is unwound leaves its
//! own place there, in a frame that has gone. So a thread that is about to call the program notes what is there, in the
//! form in which the C library itself would put it back, and a forced unwinding that ends at the border puts it back.

use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::ptr;

/// Room for glibc's `__pthread_unwind_buf_t`, which is at most half of this on all machines.
#[repr(C, align(16))]
struct Place([u8; 512]);

/// `PTHREAD_CANCEL_DISABLE` of Linux's C libraries.
const CANCEL_DISABLE: c_int = 1;

unsafe extern "C" {
    fn __pthread_register_cancel(place: *mut Place);
    fn __pthread_unregister_cancel(place: *mut Place);
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

thread_local! {
    static PLACE: UnsafeCell<Place> = const { UnsafeCell::new(Place([0; 512])) };
}

/// Notes where this thread's cleanup handlers are, until further notice: before it calls the program.
pub(crate) fn note_place() {
    PLACE.with(|place| {
        // SAFETY: the place belongs to this thread; it is taken back at once, and nothing is unwound in between.
        unsafe {
            __pthread_register_cancel(place.get());
            __pthread_unregister_cancel(place.get());
        }
    });
}

/// For a thread of libdvm: notes the place, and makes the thread deaf to `pthread_cancel`, which would unwind libdvm's
/// own frames.
pub(crate) fn guard_thread() {
    note_place();
    // SAFETY: a plain call; nobody asks for the state before.
    unsafe { pthread_setcancelstate(CANCEL_DISABLE, ptr::null_mut()) };
}

/// After a forced unwinding that has ended at the border.
pub(super) fn put_back() {
    // SAFETY: noted by this thread, in whose C library the handlers below the border are the ones that were there.
    PLACE.with(|place| unsafe { __pthread_unregister_cancel(place.get()) });
    // SAFETY: a plain call. The callback may have allowed what libdvm's frames do not.
    unsafe { pthread_setcancelstate(CANCEL_DISABLE, ptr::null_mut()) };
}
