//! A program whose `main` has ended by `pthread_exit`. Without this library it would end with its last thread; the threads of
//! this library would keep it for ever. One more thread then waits until only those are left, and ends the process. It takes
//! the program's signals, as the first thread did.

use std::fs;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::sync::thread::{self, Thread};
use crate::system;
use crate::system::signals::SignalSet;

/// Between two looks at the threads, at first; then ever longer.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// That thread was started.
static WAITS: AtomicBool = AtomicBool::new(false);

/// How many tasks have ended; `None` while some are ready or run.
pub(super) type Ended = fn() -> Option<u64>;

/// A thread of the program ends that has called this library.
pub(super) fn thread_ends(tasks: Ended) {
    let first = libc::pid_t::try_from(std::process::id()).unwrap_or(0);
    let ended = || system::thread_number() == first || has_ended(first);
    if thread::any_is_own()
        && !thread::is_own(system::thread_number())
        && ended()
        && !WAITS.swap(true, Ordering::Relaxed)
    {
        // Signals for the process may find no other thread that takes them.
        let before = SignalSet::blocked();
        let wait = move || {
            before.block();
            end_with_the_program(tasks);
        };
        if Thread::spawn("dvm-last", None, wait).is_err() {
            WAITS.store(false, Ordering::Relaxed);
        }
    }
}

fn end_with_the_program(tasks: Ended) {
    let mut pause = SHORTEST_PAUSE;
    loop {
        let ended = tasks();
        let Some(others) = others_are_left() else { return };
        // A task that has ended meanwhile may have started a thread.
        if !others && ended.is_some() && ended == tasks() {
            system::exit_in_order(0);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Whether the process has a thread that is not of this library. `None`: the system does not tell.
fn others_are_left() -> Option<bool> {
    Some(system::threads::all()?.into_iter().any(|number| !thread::is_own(number) && !has_ended(number)))
}

/// Whether this thread of the process has ended. The first one stays in the list until the last has ended.
fn has_ended(number: libc::pid_t) -> bool {
    match fs::read_to_string(format!("/proc/self/task/{number}/stat")) {
        // The name, in parentheses, may hold anything; the state follows it.
        Ok(text) => text.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X'])),
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}
