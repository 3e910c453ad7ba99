//! Threads that start and end without memory of their own: the standard library's note a destructor when they begin, and the C
//! library ends the process when it has no memory for that.

use std::ffi::c_void;
use std::io::{Error, ErrorKind};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use super::lock::{ForkLock, Mutex};
use crate::memory;
use crate::system;
use crate::system::signals::{WithoutHandlers, without_signals};

/// A thread to be joined.
#[derive(Debug)]
pub(crate) struct Thread(libc::pthread_t);

/// What a thread begins with.
struct Start<F> {
    /// As the system shows it, with its NUL, cut to what it shows.
    name: [u8; 16],
    body: F,
}

/// The threads of this library, by the system's numbers; [`ABOUT_TO_BEGIN`] for each that has not said its own yet.
static OWN: Mutex<Vec<libc::pid_t>> = Mutex::new(Vec::new());

const ABOUT_TO_BEGIN: libc::pid_t = 0;

/// Replaces one number of [`OWN`], or takes it out.
fn note(old: libc::pid_t, new: Option<libc::pid_t>) {
    let mut own = OWN.lock();
    if let Some(place) = own.iter().position(|number| *number == old) {
        match new {
            Some(new) => own[place] = new,
            None => drop(own.swap_remove(place)),
        }
    }
}

/// Whether there is a thread of this library.
pub(crate) fn any_is_own() -> bool {
    !OWN.lock().is_empty()
}

/// Whether the thread with this number is one of this library.
pub(crate) fn is_own(number: libc::pid_t) -> bool {
    OWN.lock().contains(&number)
}

/// Whether a thread of this library has been started and has not said its number yet.
pub(crate) fn any_begins() -> bool {
    OWN.lock().contains(&ABOUT_TO_BEGIN)
}

/// Looks at the numbers of this library's threads, none of which begins or ends meanwhile; not if one is about to begin.
pub(crate) fn with_own(look: impl FnOnce(&[libc::pid_t]) -> bool) -> bool {
    let own = OWN.lock();
    !own.contains(&ABOUT_TO_BEGIN) && look(&own)
}

/// Threads that a library has started for this one.
static OF_LIBRARIES: Mutex<Vec<libc::pid_t>> = Mutex::new(Vec::new());

/// Notes the threads that `body` starts as those of a library: they use no memory of the program but what it is given.
pub(crate) fn starting_library<R>(body: impl FnOnce() -> R) -> R {
    let listed = || system::threads::all().unwrap_or_default();
    let before = listed();
    let result = body();
    let begun = listed().into_iter().filter(|number| !before.contains(number) && !is_own(*number));
    OF_LIBRARIES.lock().extend(begun);
    result
}

/// Whether a thread was started by such a library.
pub(crate) fn is_of_library(number: libc::pid_t) -> bool {
    OF_LIBRARIES.lock().contains(&number)
}

/// The lock of the list of this library's threads.
pub(crate) fn fork_lock() -> &'static dyn ForkLock {
    &OWN
}

extern "C" fn begin<F: FnOnce()>(start: *mut c_void) -> *mut c_void {
    // SAFETY: the box that `spawn` has given away.
    let Start { name, body } = *unsafe { Box::from_raw(start.cast::<Start<F>>()) };
    WithoutHandlers::for_good(); // `spawn` has seen to that
    // SAFETY: a text that ends with a NUL.
    unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr().cast()) };
    note(ABOUT_TO_BEGIN, Some(system::thread_number()));
    // Nobody is left who could be told: panics were told when they began.
    let _ = catch_unwind(AssertUnwindSafe(body));
    note(system::thread_number(), None);
    ptr::null_mut()
}

impl Thread {
    /// Starts a thread with a stack of so many bytes, or of the system's size. It begins with all signals blocked but those of
    /// faults, so it runs no handlers of the program. What `body` has taken is dropped when that fails.
    ///
    /// # Errors
    /// The system's, or that there is no memory.
    pub(crate) fn spawn<F: FnOnce() + Send + 'static>(
        name: &str,
        stack: Option<usize>,
        body: F,
    ) -> Result<Thread, Error> {
        let mut shown = [0; 16];
        let length = name.len().min(shown.len() - 1);
        shown[..length].copy_from_slice(&name.as_bytes()[..length]);
        let start = memory::boxed(Start { name: shown, body }).map_err(|_| Error::from(ErrorKind::OutOfMemory))?;
        {
            let mut own = OWN.lock();
            memory::room_for(&mut own, 1).map_err(|_| Error::from(ErrorKind::OutOfMemory))?;
            own.push(ABOUT_TO_BEGIN);
        }
        let mut start = ManuallyDrop::new(start);
        let mut thread: libc::pthread_t = 0;
        // SAFETY: the attributes are made, used and ended here; the start is the new thread's when there is one.
        let code = unsafe {
            let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
            let mut code = libc::pthread_attr_init(attributes.as_mut_ptr());
            if code == 0 {
                if let Some(stack) = stack {
                    code = libc::pthread_attr_setstacksize(attributes.as_mut_ptr(), whole_pages(stack));
                }
                if code == 0 {
                    let start = (&raw mut **start).cast();
                    code = without_signals(|| {
                        libc::pthread_create(&raw mut thread, attributes.as_ptr(), begin::<F>, start)
                    });
                }
                libc::pthread_attr_destroy(attributes.as_mut_ptr());
            }
            code
        };
        if code != 0 {
            note(ABOUT_TO_BEGIN, None);
            drop(ManuallyDrop::into_inner(start)); // nobody else has it
            return Err(Error::from_raw_os_error(code));
        }
        Ok(Thread(thread))
    }

    /// True on this thread.
    pub(crate) fn is_current(&self) -> bool {
        self.0 == system::this_thread()
    }

    /// Waits until it has ended.
    pub(crate) fn join(self) {
        // SAFETY: it was not joined before: that takes the value.
        unsafe { libc::pthread_join(self.0, ptr::null_mut()) };
    }
}

/// A legal size of a stack.
fn whole_pages(bytes: usize) -> usize {
    bytes.max(libc::PTHREAD_STACK_MIN).next_multiple_of(system::page())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    #[test]
    fn a_thread_runs_what_it_was_given_and_is_joined() {
        let sum = Arc::new(AtomicU64::new(0));
        let named = Arc::new(Mutex::new(String::new()));
        let threads: Vec<Thread> = (1..=5)
            .map(|number| {
                let (sum, named) = (Arc::clone(&sum), Arc::clone(&named));
                let body = move || {
                    *named.lock().unwrap() = std::fs::read_to_string("/proc/thread-self/comm").unwrap();
                    sum.fetch_add(number, Ordering::SeqCst);
                    assert_ne!(number, 5, "a panic ends this thread alone");
                };
                Thread::spawn("a-name-that-is-too-long", Some(70_001), body).unwrap()
            })
            .collect();
        assert!(threads.iter().all(|thread| !thread.is_current()));
        threads.into_iter().for_each(Thread::join);
        assert_eq!(sum.load(Ordering::SeqCst), 15);
        assert_eq!(*named.lock().unwrap(), "a-name-that-is-\n");
        assert_eq!(Arc::strong_count(&sum), 1);
    }

    #[test]
    fn what_cannot_be_started_is_refused_and_dropped() {
        let kept = Arc::new(());
        let taken = Arc::clone(&kept);
        assert!(Thread::spawn("too large", Some(1 << 60), move || drop(taken)).is_err());
        assert_eq!(Arc::strong_count(&kept), 1);
    }
}
