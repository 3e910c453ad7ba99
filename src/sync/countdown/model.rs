//! The table of counters under loom.

use super::*;
use loom::sync::Arc;

fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

fn arrive(countdown: &Countdown, key: u64, total: u64) -> bool {
    countdown.arrive(countdown.table_in_use(), key, || total)
}

/// Four inputs of one key, two from each thread: one is the last, and sees what both have written before theirs.
#[test]
fn the_last_input_sees_what_was_done_before_the_others() {
    check(|| {
        let shared = Arc::new((Countdown::new(8, 1, false), [AtomicU64::new(0), AtomicU64::new(0)]));
        let bring = |thread: usize| {
            let shared = Arc::clone(&shared);
            move || {
                let (countdown, written) = &*shared;
                let last = [1, 2].map(|times| {
                    written[thread].store(times, Ordering::Relaxed);
                    let last = arrive(countdown, 3, 4);
                    assert!(!last || written.iter().all(|word| word.load(Ordering::Relaxed) == 2));
                    last
                });
                last.into_iter().filter(|&last| last).count()
            }
        };
        let other = loom::thread::spawn(bring(0));
        let mine = bring(1)();
        assert_eq!(mine + other.join().unwrap(), 1);
        assert_eq!(shared.0.left(), (0, None));
    });
}

/// Keys 0, 1 and 4 share a bucket of two entries, which makes the table grow while others count down.
#[test]
fn inputs_are_counted_while_the_table_grows() {
    check(|| {
        let countdown = Arc::new(Countdown::new(8, 1, false));
        assert!(!arrive(&countdown, 0, 2) && !arrive(&countdown, 1, 2));
        let grower = Arc::clone(&countdown);
        let grower = loom::thread::spawn(move || arrive(&grower, 4, 2));
        assert!(arrive(&countdown, 0, 2), "the second of two");
        let mine = arrive(&countdown, 4, 2);
        assert!(grower.join().unwrap() != mine, "one of them is the last");
        assert!(arrive(&countdown, 1, 2));
        assert_eq!(countdown.left(), (0, None));
    });
}

/// A key away from home and the key whose home that is come and go at the same time.
#[test]
fn strays_are_found() {
    check(|| {
        let countdown = Arc::new(Countdown::new(8, 1, false));
        assert!(!arrive(&countdown, 0, 2) && !arrive(&countdown, 4, 2));
        let other = Arc::clone(&countdown);
        let other = loom::thread::spawn(move || (arrive(&other, 0, 2), arrive(&other, 1, 2)));
        let mine = (arrive(&countdown, 4, 2), arrive(&countdown, 1, 2));
        let theirs = other.join().unwrap();
        assert!(mine.0 && theirs.0 && mine.1 != theirs.1);
        assert_eq!(countdown.left(), (0, None));
    });
}
