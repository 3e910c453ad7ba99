//! `pthread_exit` and `pthread_cancel`, which glibc carries out as a forced unwinding.
//!
//! The C library keeps, per thread, the place where the next cleanup handler waits. A callback that is unwound leaves its
//! own place there, in a frame that has gone. So a thread that is about to call the program notes what is there, in the
//! form in which the C library itself would put it back, and a forced unwinding that ends at the unwind boundary puts it back.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use crate::system;

/// Room for glibc's `__pthread_unwind_buf_t`, which is at most half of this on all machines.
#[repr(C, align(16))]
struct Place([u8; 512]);

unsafe extern "C" {
    fn __pthread_register_cancel(place: *mut Place);
    fn __pthread_unregister_cancel(place: *mut Place);
}

thread_local! {
    /// The place of a thread of libdvm below all callbacks.
    static BASE: UnsafeCell<Place> = const { UnsafeCell::new(Place([0; 512])) };
    /// What a forced unwinding that ends here puts back.
    static PLACE: Cell<*mut Place> = const { Cell::new(ptr::null_mut()) };
}

/// Writes down where this thread's cleanup handlers are now.
fn note(place: *mut Place) {
    // SAFETY: the place belongs to this thread; it is taken back at once, and nothing is unwound in between.
    unsafe {
        __pthread_register_cancel(place);
        __pthread_unregister_cancel(place);
    }
}

/// For a thread of libdvm: notes the place, and makes the thread deaf to `pthread_cancel`, which would unwind libdvm's
/// own frames.
pub(crate) fn guard_thread() {
    BASE.with(|base| {
        note(base.get());
        PLACE.set(base.get());
    });
    system::ignore_cancellation();
}

/// Runs `body`, which calls the program across the unwind boundary, on a thread or at a depth whose cleanup handlers are
/// not those of [`guard_thread`]: on the program's own threads, and inside other callbacks.
pub(crate) fn with_place<R>(body: impl FnOnce() -> R) -> R {
    struct Back {
        place: *mut Place,
        state: c_int,
    }
    impl Drop for Back {
        fn drop(&mut self) {
            PLACE.set(self.place);
            system::set_cancellation(self.state);
        }
    }
    let mut place = MaybeUninit::<Place>::uninit();
    note(place.as_mut_ptr());
    let _back = Back { place: PLACE.replace(place.as_mut_ptr()), state: system::ignore_cancellation() };
    body()
}

/// After a forced unwinding that has ended at the unwind boundary.
pub(super) fn put_back() {
    // SAFETY: noted by this thread, further down on its stack; in its C library the handlers below the unwind boundary are
    // the ones that were there.
    unsafe { __pthread_unregister_cancel(PLACE.get()) };
    system::ignore_cancellation(); // the callback may have allowed what libdvm's frames do not
}
