//! Wakes the watching thread: it polls a pipe, to which a signal handler may write.
#![allow(unsafe_code, reason = "system calls of the C library")]

use std::io::{PipeReader, PipeWriter, Read, Result, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use crate::system::descriptors;
use crate::system::signals::{self, SignalSet};

/// Why the thread woke up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Woken {
    /// The time is over.
    Time,
    /// This signal arrived.
    Signal(i32),
    /// The thread must end.
    Stop,
}

/// A byte that is no signal's number.
const STOP: u8 = u8::MAX;

pub(super) struct Pipe {
    read: PipeReader,
    write: PipeWriter,
}

impl Pipe {
    pub(super) fn new() -> Result<Pipe> {
        let (read, write) = std::io::pipe()?;
        descriptors::forbid_waiting(read.as_raw_fd())?;
        descriptors::forbid_waiting(write.as_raw_fd())?;
        Ok(Pipe { read, write })
    }

    /// Wakes the thread and ends it.
    pub(super) fn stop(&self) {
        // A full pipe holds signals only, and they are read at once: try again until there is room.
        while !matches!((&self.write).write(&[STOP]), Ok(1)) {
            std::thread::yield_now();
        }
    }

    /// Sleeps for `time` (`None`: for ever), or until the pipe has a byte.
    pub(super) fn sleep(&self, time: Option<Duration>) -> Woken {
        let ready = descriptors::wait(std::iter::once(self.read.as_raw_fd()), time.unwrap_or(Duration::MAX));
        if ready != [true] {
            return Woken::Time;
        }
        let mut byte = [0];
        // Others stay for the next time.
        match (&self.read).read(&mut byte) {
            Ok(1) if byte[0] == STOP => Woken::Stop,
            Ok(1) => Woken::Signal(i32::from(byte[0])),
            _ => Woken::Time,
        }
    }
}

/// The handler's end of the pipe, or -1; and the process that owns it: a forked child shares the pipe and must not
/// write to it.
static END: AtomicI32 = AtomicI32::new(-1);
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// The signals, one bit each, that would end the process without the handler.
static FATAL: AtomicU64 = AtomicU64::new(0);

/// Number of running handlers, on any thread: the pipe stays open for them.
static HANDLERS: AtomicU64 = AtomicU64::new(0);

/// Only uses what a handler may use: atomics, getpid, write, sigaction, raise; errno stays as it was.
extern "C" fn ask(signal: libc::c_int) {
    HANDLERS.fetch_add(1, Ordering::SeqCst);
    // SAFETY: errno of this thread; the calls are safe in a handler; all zeros describe the default.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        let end = END.load(Ordering::SeqCst);
        if end >= 0 && libc::getpid() == PROCESS.load(Ordering::SeqCst) {
            let number = signal as u8;
            libc::write(end, (&raw const number).cast(), 1);
        } else if FATAL.load(Ordering::SeqCst) >> signal & 1 == 1 {
            // A forked child has the handler, and nobody who would end it.
            let default = default_action();
            libc::sigaction(signal, &raw const default, std::ptr::null_mut());
            libc::raise(signal);
        }
        *errno = before;
    }
    HANDLERS.fetch_sub(1, Ordering::SeqCst);
}

/// Detaches the pipe, and waits for handlers that may have seen it: another file may soon get its number.
fn close() {
    END.store(-1, Ordering::SeqCst);
    // In a forked child, a handler may have been lost with its thread.
    while HANDLERS.load(Ordering::SeqCst) > 0 && PROCESS.load(Ordering::SeqCst) == std::process::id().cast_signed() {
        std::thread::yield_now();
    }
}

/// A signal that writes to a pipe as long as the value lives.
pub(super) struct Signal {
    number: i32,
    before: libc::sigaction,
}

// SAFETY: the description of a handler is plain data.
unsafe impl Send for Signal {}

/// The description of the default.
fn default_action() -> libc::sigaction {
    // SAFETY: all zeros are a valid description, and this one.
    unsafe { std::mem::zeroed::<libc::sigaction>() }
}

fn action(number: i32, new: Option<&libc::sigaction>) -> Option<libc::sigaction> {
    let mut old = default_action();
    // SAFETY: both descriptions live; a handler that is given here is `ask`, or was there before.
    let done = unsafe { libc::sigaction(number, new.map_or(std::ptr::null(), std::ptr::from_ref), &raw mut old) };
    (done == 0).then_some(old)
}

impl Signal {
    /// Makes a signal write to the pipe, which outlives the value. `None` if the program handles the signal.
    pub(super) fn catch(number: i32, pipe: &Pipe) -> Option<Signal> {
        let before = action(number, None)?;
        let free = !signals::is_function(before.sa_sigaction);
        if free { Signal::take(number, before, pipe) } else { None }
    }

    /// The same for a signal that would end the process. `None` if it would not.
    pub(super) fn catch_end(number: i32, pipe: &Pipe) -> Option<Signal> {
        let before = action(number, None)?;
        if before.sa_sigaction != libc::SIG_DFL {
            return None;
        }
        FATAL.fetch_or(1 << number, Ordering::SeqCst);
        Signal::take(number, before, pipe)
    }

    fn take(number: i32, before: libc::sigaction, pipe: &Pipe) -> Option<Signal> {
        if PROCESS.swap(std::process::id().cast_signed(), Ordering::SeqCst) != std::process::id().cast_signed() {
            HANDLERS.store(0, Ordering::SeqCst); // those of the parent, at the fork
        }
        END.store(pipe.write.as_raw_fd(), Ordering::SeqCst);
        let mut mine = default_action();
        mine.sa_sigaction = ask as *const () as usize;
        mine.sa_flags = libc::SA_RESTART;
        action(number, Some(&mine))?;
        Some(Signal { number, before })
    }
}

/// Ends the process by this signal, as if libdvm had no handler. Call it on a thread of libdvm.
pub(super) fn end_by(number: i32) {
    let Some(now) = action(number, None) else { return };
    // The default handler is back if libdvm ended after the signal arrived.
    if now.sa_sigaction != ask as *const () as usize && now.sa_sigaction != libc::SIG_DFL {
        return; // the program has set its own handler meanwhile
    }
    action(number, Some(&default_action()));
    // The program's threads may all block the signal by now: this one takes it.
    SignalSet::only(number).unblock();
    signals::raise(number);
}

impl Drop for Signal {
    fn drop(&mut self) {
        // A handler that the program set meanwhile stays.
        if action(self.number, None).is_some_and(|now| now.sa_sigaction == ask as *const () as usize) {
            action(self.number, Some(&self.before));
        }
        close();
    }
}
