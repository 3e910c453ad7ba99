//! Sets of signals, and which of them a thread blocks.

use std::ffi::{c_int, c_ulong};
use std::mem::{MaybeUninit, align_of, size_of};

/// A set of signals, as the C library has it.
#[repr(transparent)]
pub(crate) struct SignalSet([c_ulong; size_of::<libc::sigset_t>() / size_of::<c_ulong>()]);

const _: () = assert!(
    size_of::<SignalSet>() == size_of::<libc::sigset_t>() && align_of::<SignalSet>() == align_of::<libc::sigset_t>()
);

// A number that is no signal is refused.
unsafe extern "C" {
    safe fn sigemptyset(set: &mut SignalSet) -> c_int;
    safe fn sigfillset(set: &mut SignalSet) -> c_int;
    safe fn sigaddset(set: &mut SignalSet, signal: c_int) -> c_int;
    safe fn sigdelset(set: &mut SignalSet, signal: c_int) -> c_int;
    safe fn pthread_sigmask(how: c_int, set: Option<&SignalSet>, before: Option<&mut SignalSet>) -> c_int;
    #[link_name = "raise"]
    safe fn raise_signal(signal: c_int) -> c_int;
}

impl SignalSet {
    /// No signals.
    fn none() -> SignalSet {
        let mut set = SignalSet([0; _]);
        sigemptyset(&mut set);
        set
    }

    /// This signal.
    pub(crate) fn only(signal: c_int) -> SignalSet {
        let mut set = SignalSet::none();
        sigaddset(&mut set, signal);
        set
    }

    /// All signals but these.
    pub(crate) fn all_but(signals: &[c_int]) -> SignalSet {
        let mut set = SignalSet::none();
        sigfillset(&mut set);
        for &signal in signals {
            sigdelset(&mut set, signal);
        }
        set
    }

    /// What the calling thread blocks.
    pub(crate) fn blocked() -> SignalSet {
        SignalSet::none().and_blocked()
    }

    /// Has the calling thread block these signals, and no others; what it has blocked before.
    pub(crate) fn block(&self) -> SignalSet {
        let mut before = SignalSet::none();
        pthread_sigmask(libc::SIG_SETMASK, Some(self), Some(&mut before));
        before
    }

    /// Has the calling thread block these signals as well; what it has blocked before.
    pub(crate) fn and_blocked(&self) -> SignalSet {
        let mut before = SignalSet::none();
        pthread_sigmask(libc::SIG_BLOCK, Some(self), Some(&mut before));
        before
    }

    /// Has the calling thread no longer block these signals.
    pub(crate) fn unblock(&self) {
        pthread_sigmask(libc::SIG_UNBLOCK, Some(self), None);
    }
}

/// Whether the program handles a signal by a function of its own.
#[allow(unsafe_code, reason = "asks the system for the action")]
pub(crate) fn has_handler(signal: c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the call only writes the action, of which all bits being zero is a value.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    ![libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction)
}

/// Signals that a thread's own instructions raise. They are never blocked: a fault in a task must reach the program's
/// handler.
pub(crate) const FAULTS: [c_int; 6] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Runs `body` with all other signals blocked: threads that it starts never run the program's handlers.
pub(crate) fn without_signals<R>(body: impl FnOnce() -> R) -> R {
    let before = SignalSet::all_but(&FAULTS).block();
    let result = body();
    before.block();
    result
}

/// Sends a signal to the calling thread.
pub(crate) fn raise(signal: c_int) {
    raise_signal(signal);
}
