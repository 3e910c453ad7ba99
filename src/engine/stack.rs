//! The stacks of workers.

use std::mem::MaybeUninit;

use crate::config::Config;

/// The least that a worker can do with.
const LEAST: usize = 64 << 10;

/// What stands for no limit.
const UNLIMITED: usize = 8 << 20;

/// The bytes of a worker's stack: what is asked for, else what the program's main thread may have.
pub(super) fn size(config: &Config) -> usize {
    config.stack().unwrap_or_else(|| by_limit(soft_limit()))
}

/// The size for this limit of the main thread's; `None`: there is none.
fn by_limit(limit: Option<u64>) -> usize {
    let bytes = limit.and_then(|bytes| usize::try_from(bytes).ok());
    bytes.map_or(UNLIMITED, |bytes| bytes.max(LEAST))
}

fn soft_limit() -> Option<u64> {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the call writes to what it is given, and says when it has not.
    let limit = unsafe {
        if libc::getrlimit(libc::RLIMIT_STACK, limit.as_mut_ptr()) != 0 {
            return None;
        }
        limit.assume_init()
    };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
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
