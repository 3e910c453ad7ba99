//! What else may use arrays while a region of the calling thread runs: other threads of the process. What is not certain
//! counts as one that does. Handlers of signals wait meanwhile ([`crate::system::signals::WithoutHandlers`]).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use crate::sync::thread;
use crate::system;

/// More bytes than that function has.
const LONGEST: i64 = 256;

/// How long a thread of libdvm may take to begin or to end before it counts as one of the program.
const PAUSES: u32 = 20;
const PAUSE: Duration = Duration::from_micros(100);

/// Whether there is none: the process has only threads of libdvm, of the MPI that it began, and some that sleep until
/// another one wakes them, as those of a team of OpenMP between its regions.
pub(super) fn none() -> bool {
    if alone_at_a_glance() {
        return true;
    }
    for _ in 0..PAUSES {
        match look() {
            Found::None => return true,
            Found::Some => return false,
            Found::Unclear => std::thread::sleep(PAUSE),
        }
    }
    false
}

/// Whether so many threads are there as libdvm has, and the calling one.
fn alone_at_a_glance() -> bool {
    // A directory has a link of each directory in it, its own and that of the one around it.
    let directories = || fs::metadata("/proc/self/task").map(|task| task.nlink());
    thread::with_own(|own| directories().is_ok_and(|links| links == 3 + own.len() as u64))
}

/// Where the stacks of other threads end now, as far as they wait.
pub(super) fn other_stacks() -> Vec<i64> {
    let threads = system::threads::all().unwrap_or_default().into_iter();
    let texts = threads.filter_map(|number| fs::read_to_string(format!("/proc/self/task/{number}/syscall")).ok());
    texts.filter_map(|text| stack_place(&text)).collect()
}

/// The stack pointer, the last but one word of a thread's `syscall`; not of one that runs.
fn stack_place(call: &str) -> Option<i64> {
    let word = call.split_whitespace().rev().nth(1)?.strip_prefix("0x")?;
    i64::from_str_radix(word, 16).ok()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Found {
    None,
    /// One begins or ends.
    Unclear,
    Some,
}

fn look() -> Found {
    let threads = system::threads::all().unwrap_or_default().into_iter();
    threads.map(of_thread).max().unwrap_or(Found::Some)
}

fn of_thread(number: libc::pid_t) -> Found {
    if number == system::thread_number() || thread::is_own(number) || thread::is_of_library(number) {
        return Found::None;
    }
    let text = |file: &str| fs::read_to_string(format!("/proc/self/task/{number}/{file}"));
    let (Ok(call), Ok(name)) = (text("syscall"), text("comm")) else {
        // It has ended, or the system does not tell.
        return if text("comm").is_err() { Found::None } else { Found::Some };
    };
    let of_libdvm = name.strip_prefix("dvm-");
    if sleeps_for_good(&call) || of_libdvm.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit())) {
        // The second: a library's thread, which a thread of libdvm that runs no task has begun.
        return Found::None;
    }
    if of_libdvm.is_some() || thread::any_begins() { Found::Unclear } else { Found::Some }
}

/// Waiting for a word that only this process changes.
const WAIT: i64 = (libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG) as i64;
const WAIT_BITS: i64 = (libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG) as i64;

/// Whether a thread waits, without a time, for a word that only this process changes: what `syscall` of its directory tells.
/// Not if it called the C library's `syscall` for it, as this library does, whose threads may wake it at any time.
fn sleeps_for_good(call: &str) -> bool {
    let mut words = call.split_whitespace();
    let number = |word: Option<&str>| word.and_then(|word| i64::from_str_radix(word.strip_prefix("0x")?, 16).ok());
    let function = libc::syscall as *const () as i64;
    if number(call.split_whitespace().next_back()).is_none_or(|at| (function..function + LONGEST).contains(&at)) {
        return false;
    }
    if words.next().and_then(|word| word.parse().ok()) != Some(libc::SYS_futex) {
        return false;
    }
    let (_, operation, _, limit) = (words.next(), number(words.next()), words.next(), number(words.next()));
    let clock = i64::from(libc::FUTEX_CLOCK_REALTIME);
    operation.is_some_and(|operation| [WAIT, WAIT_BITS].contains(&(operation & !clock))) && limit == Some(0)
}

#[cfg(all(test, not(loom)))]
#[allow(unsafe_code, reason = "uses a lock of the C library")]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, mpsc};

    #[test]
    fn only_waits_that_another_thread_ends_are_for_good() {
        let futex = libc::SYS_futex;
        let told = |rest: &str| sleeps_for_good(&format!("{futex} {rest}\n"));
        assert!(told("0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f01"));
        assert!(told("0x7f00 0x189 0x2 0x0 0x0 0xffffffff 0x7ffd 0x7f01"));
        assert!(!told("0x7f00 0x189 0x2 0x7ffd10 0x0 0xffffffff 0x7ffd 0x7f01"), "with a time");
        assert!(!told("0x7f00 0x0 0x2 0x0 0x0 0x0 0x7ffd 0x7f01"), "another process may wake it");
        assert!(!told("0x7f00 0x81 0x2 0x0 0x0 0x0 0x7ffd 0x7f01"), "it wakes others");
        let function = libc::syscall as *const () as i64;
        assert!(
            !told(&format!("0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd {:#x}", function + 27)),
            "this library's threads wake it"
        );
        assert!(!sleeps_for_good("running\n") && !sleeps_for_good("-1 0x7ffd 0x7f01\n"));
        assert!(!sleeps_for_good("7 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f01\n"));
    }

    #[test]
    fn a_thread_that_waits_tells_where_its_stack_ends() {
        assert_eq!(stack_place("202 0x7f00 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f01\n"), Some(0x7ffd));
        assert_eq!(stack_place("-1 0x7ffd 0x7f01\n"), Some(0x7ffd));
        assert_eq!(stack_place("running\n"), None);
    }

    /// A lock of the C library, as programs have them.
    struct Door(UnsafeCell<libc::pthread_mutex_t>);

    // SAFETY: a lock is for several threads.
    unsafe impl Sync for Door {}

    static DOOR: Door = Door(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER));

    #[test]
    fn threads_are_found_unless_they_sleep_for_good() {
        let (tell, told) = mpsc::channel();
        let open = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&open);
        // SAFETY: the lock is there, and this thread gives it back below.
        unsafe { libc::pthread_mutex_lock(DOOR.0.get()) };
        let sleeper = std::thread::spawn(move || {
            tell.send(system::thread_number()).unwrap();
            // SAFETY: as above.
            unsafe { libc::pthread_mutex_lock(DOOR.0.get()) };
            tell.send(0).unwrap();
            while !over.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let number = told.recv().unwrap();
        let mut turns = 0;
        while of_thread(number) != Found::None {
            turns += 1;
            assert!(turns < 20_000, "it waits");
            std::thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: this thread has it.
        unsafe { libc::pthread_mutex_unlock(DOOR.0.get()) };
        told.recv().unwrap();
        assert_eq!(of_thread(number), Found::Some);
        assert!(!none());
        open.store(true, Ordering::SeqCst);
        sleeper.join().unwrap();
    }
}
