//! Sets of signals, and which of them a thread blocks.

use std::cell::Cell;
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
    safe fn sigismember(set: &SignalSet, signal: c_int) -> c_int;
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

    /// Whether it has a signal.
    pub(crate) fn has(&self, signal: c_int) -> bool {
        sigismember(self, signal) == 1
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
pub(crate) fn has_handler(signal: c_int) -> bool {
    handler(signal).is_some()
}

/// The signals that are handled, and the addresses of the functions that do.
pub(crate) fn handlers() -> impl Iterator<Item = (c_int, usize)> {
    (1..=LAST_SIGNAL).filter_map(|signal| Some((signal, handler(signal)?)))
}

/// The greatest number of a signal.
const LAST_SIGNAL: c_int = 64;

#[allow(unsafe_code, reason = "asks the system for the action")]
fn handler(signal: c_int) -> Option<usize> {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the call only writes the action, of which all bits being zero is a value.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    Some(action.sa_sigaction).filter(|handler| is_function(*handler))
}

/// Whether this handler of a signal is a function: neither the default nor that the signal is ignored.
pub(crate) fn is_function(handler: usize) -> bool {
    ![libc::SIG_DFL, libc::SIG_IGN].contains(&handler)
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

/// While it exists, the calling thread runs no handler of the program: signals wait, but for faults of its own instructions,
/// the clock of profilers, and those that end programs, where the program has no handler for them. It allocates nothing.
///
/// A handler may touch a page that is closed ([`crate::memory::own_heap`]), or one that is open to tiles only. Who opens it
/// needs the locks and the memory of libdvm, which the thread that the handler has interrupted may hold.
pub(crate) struct WithoutHandlers(Option<SignalSet>);

/// Signals by which people, batch systems and time limits end programs.
const ENDING: [c_int; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGALRM,
    libc::SIGXCPU,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

thread_local! {
    /// Whether the thread runs no handlers now.
    static WITHOUT_HANDLERS: Cell<bool> = const { Cell::new(false) };
}

impl WithoutHandlers {
    pub(crate) fn begin() -> WithoutHandlers {
        if WITHOUT_HANDLERS.get() {
            return WithoutHandlers(None);
        }
        let mut waiting = SignalSet::all_but(&FAULTS);
        sigdelset(&mut waiting, libc::SIGPROF);
        for signal in ENDING.into_iter().filter(|signal| !has_handler(*signal)) {
            sigdelset(&mut waiting, signal);
        }
        let before = waiting.and_blocked();
        WITHOUT_HANDLERS.set(true);
        WithoutHandlers(Some(before))
    }

    /// The calling thread never runs one.
    pub(crate) fn for_good() {
        WITHOUT_HANDLERS.set(true);
    }
}

impl Drop for WithoutHandlers {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            WITHOUT_HANDLERS.set(false);
            before.block();
        }
    }
}

/// Sends a signal to the calling thread.
pub(crate) fn raise(signal: c_int) {
    raise_signal(signal);
}
