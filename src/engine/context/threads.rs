//! Threads of workers: their stacks, their signals, and those that stand in while tasks block.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

use crate::config::Config;
use crate::sync::lock::Mutex;
use crate::sync::thread::Thread;
use crate::system;

/// The least that a worker can do with.
const LEAST: usize = 64 << 10;

/// What stands for no limit.
const UNLIMITED: usize = 8 << 20;

/// The bytes of a worker's stack: what is asked for, else what the program's main thread may have.
pub(crate) fn stack_size(config: &Config) -> usize {
    config.stack().unwrap_or_else(|| by_limit(system::stack_limit()))
}

/// The size for this limit of the main thread's; `None`: there is none.
fn by_limit(limit: Option<u64>) -> usize {
    let bytes = limit.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.map_or(UNLIMITED, |bytes| bytes.max(LEAST))
}

/// Signals that a thread gets for what it has itself done: they are never blocked, or a fault in a task would not reach
/// the program's handler.
const FAULTS: [c_int; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Runs `body` with all other signals blocked, so that the program's handlers never run on threads that it starts.
pub(crate) fn without_signals<R>(body: impl FnOnce() -> R) -> R {
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: plain calls on two signal sets of this frame; both are filled in before they are read.
    unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        for fault in FAULTS {
            libc::sigdelset(all.as_mut_ptr(), fault);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let result = body();
    // SAFETY: `before` was filled in above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    result
}

/// Threads started for blocking sections.
#[derive(Default)]
pub(crate) struct StandIns {
    pub(crate) list: Vec<Thread>,
    /// The last one that has ended, or is about to.
    pub(crate) retired: Option<Thread>,
}

impl StandIns {
    /// The calling thread, which has stood in for a worker, ends: it is joined by the next one that does, or by the end of
    /// the engine, so that at most one thread keeps its stack after its end.
    pub(crate) fn retire(all: &Mutex<StandIns>) {
        let before = {
            let mut all = all.lock();
            let Some(place) = all.list.iter().position(Thread::is_current) else { return };
            let mine = all.list.swap_remove(place);
            all.retired.replace(mine)
        };
        if let Some(before) = before {
            before.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_has_what_the_main_thread_may_have() {
        assert_eq!(by_limit(Some(3 << 20)), 3 << 20);
        assert_eq!((by_limit(None), by_limit(Some(1))), (UNLIMITED, LEAST));
    }
}
