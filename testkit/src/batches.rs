//! Random cases that are judged several at a time, because making a program of them costs more than they do.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::setting;

/// Judges the cases `seeds` in batches of `size`, on `DVM_TEST_THREADS` threads (default: one per core), and returns
/// what the batches gave, in any order.
///
/// Panics with `text` of the first case that fails alone, or of its batch if each of its cases passes alone.
pub fn in_batches<R: Send>(
    seeds: std::ops::Range<u64>,
    size: usize,
    judge: impl Fn(&[u64]) -> Result<R, String> + Sync,
    text: impl Fn(&[u64]) -> String + Sync,
) -> Vec<R> {
    let all: Vec<u64> = seeds.collect();
    let batches: Vec<&[u64]> = all.chunks(size).collect();
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let threads = setting("DVM_TEST_THREADS").unwrap_or(cores).max(1);
    let (next, given) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(&some) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = judge(some).unwrap_or_else(|why| {
                // Nothing further begins.
                next.store(batches.len(), Ordering::Relaxed);
                panic!("{}", smallest_failing(some, &why, &judge, &text))
            });
            given.lock().expect("no thread failed").push(result);
        }
    };
    let failed = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        // All are joined: a panic that nobody takes would be the scope's own.
        let ended: Vec<_> = threads.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        ended.into_iter().find_map(Result::err)
    });
    if let Some(panic) = failed {
        std::panic::resume_unwind(panic);
    }
    given.into_inner().expect("no thread failed")
}

fn smallest_failing<R>(
    some: &[u64],
    together: &str,
    judge: impl Fn(&[u64]) -> Result<R, String>,
    text: impl Fn(&[u64]) -> String,
) -> String {
    for &seed in some {
        if let Err(why) = judge(&[seed]) {
            return format!("seed {seed}: {why}\n{}", text(&[seed]));
        }
    }
    format!("seeds {some:?}: {together}\n{}", text(some))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_case_is_judged_once() {
        let mut seen: Vec<u64> =
            in_batches(3..40, 4, |some| Ok(some.to_vec()), |_| String::new()).into_iter().flatten().collect();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(3..40));
    }

    #[test]
    fn the_case_that_fails_is_named() {
        let wrong = |some: &[u64]| if some.contains(&17) { Err("odd".to_owned()) } else { Ok(()) };
        let panic = std::panic::catch_unwind(|| in_batches(0..64, 8, wrong, |some| format!("text of {some:?}")));
        let said = *panic.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(said, "seed 17: odd\ntext of [17]");
    }

    #[test]
    fn cases_that_fail_only_together_are_shown_together() {
        let wrong = |some: &[u64]| if some.len() > 1 { Err("crowd".to_owned()) } else { Ok(()) };
        let panic = std::panic::catch_unwind(|| in_batches(0..2, 2, wrong, |some| format!("{}", some.len())));
        let said = *panic.unwrap_err().downcast::<String>().unwrap();
        assert_eq!(said, "seeds [0, 1]: crowd\n2");
    }
}
