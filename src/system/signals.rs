//! Sets of signals, and which of them a thread blocks.

use std::ffi::{c_int, c_ulong};
use std::mem::{align_of, size_of};

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

    /// Has the calling thread block these signals, and no others; what it has blocked before.
    pub(crate) fn block(&self) -> SignalSet {
        let mut before = SignalSet::none();
        pthread_sigmask(libc::SIG_SETMASK, Some(self), Some(&mut before));
        before
    }

    /// Has the calling thread no longer block these signals.
    pub(crate) fn unblock(&self) {
        pthread_sigmask(libc::SIG_UNBLOCK, Some(self), None);
    }
}

/// Sends a signal to the calling thread.
pub(crate) fn raise(signal: c_int) {
    raise_signal(signal);
}
