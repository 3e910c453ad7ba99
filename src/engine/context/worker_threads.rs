//! Threads of workers: their stacks, their signals, and stand-ins for tasks that block.

use crate::config::Config;
use crate::sync::lock::Mutex;
use crate::sync::thread::Thread;
use crate::system;

/// The least stack size of a worker, in bytes.
const MIN_STACK_BYTES: usize = 64 << 10;

/// The stack size of a worker, in bytes, if the main thread's stack has no limit.
const UNLIMITED_STACK_BYTES: usize = 8 << 20;

/// The size of a worker's stack in bytes: the configured one, else the limit of the program's main thread.
pub(crate) fn stack_size(config: &Config) -> usize {
    config.stack().unwrap_or_else(|| by_limit(system::stack_limit()))
}

/// The stack size for a limit of the main thread's stack; `None`: no limit.
fn by_limit(limit: Option<u64>) -> usize {
    let bytes = limit.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.map_or(UNLIMITED_STACK_BYTES, |bytes| bytes.max(MIN_STACK_BYTES))
}

/// Threads started for blocking sections.
#[derive(Default)]
pub(crate) struct StandIns {
    pub(crate) list: Vec<Thread>,
    /// The last stand-in that has ended, or is about to end.
    pub(crate) retired: Option<Thread>,
}

impl StandIns {
    /// Ends the calling thread, which was a stand-in. The next stand-in that ends joins it, else the end of the engine
    /// does: at most one thread keeps its stack after its end.
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
        assert_eq!((by_limit(None), by_limit(Some(1))), (UNLIMITED_STACK_BYTES, MIN_STACK_BYTES));
    }
}
