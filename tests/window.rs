//! `DVM_WINDOW` holds a submitter back, but never for ever.
#![allow(unsafe_code, reason = "calls the C interface")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use support::*;

const WINDOW: u64 = 200;

/// The most tasks between two looks of a thread at the window.
const SLACK: u64 = 64;

/// The longest hold while no task ends.
const PATIENCE: Duration = Duration::from_millis(10);

fn with_window(body: impl FnOnce()) {
    let _turn = turn();
    workers(2);
    // SAFETY: tests take turns, and no other thread reads the environment.
    unsafe { std::env::set_var("DVM_WINDOW", WINDOW.to_string()) };
    init().unwrap();
    body();
    finalize().unwrap_or_else(|code| panic!("{code:?}: {}", last_error()));
}

#[test]
fn a_submitter_stays_within_the_window() {
    with_window(|| {
        let ended = Arc::new(AtomicU64::new(0));
        let theirs = ended.clone();
        let spin = processing(&[], c"spin", move |_| {
            (0..2000).for_each(|_| std::hint::spin_loop());
            theirs.fetch_add(1, Ordering::Relaxed);
            0
        });
        // After that hold a thread goes on in any case, with the tasks of one more look.
        let (mut most, mut stalls) = (0, 0);
        for made in 1..=5000_u64 {
            let begin = Instant::now();
            near(spin, &[]).unwrap();
            stalls += u64::from(begin.elapsed() >= PATIENCE);
            most = most.max(made - ended.load(Ordering::Relaxed).min(made));
        }
        wait().unwrap();
        assert_eq!(ended.load(Ordering::Relaxed), 5000);
        // A worker counts a task a moment after the task counts itself.
        assert!(most <= WINDOW + SLACK * (1 + stalls) + 2, "{most} tasks were under way, {stalls} stalls");
    });
}

#[test]
fn who_must_still_publish_goes_on() {
    with_window(|| {
        let read = processing(&[IN], c"read", |_| 0);
        let datum = promise(8).unwrap();
        for _ in 0..10 * WINDOW {
            acquire(datum).unwrap();
            near(read, &[datum]).unwrap();
        }
        publish(datum).unwrap();
        wait().unwrap();
        relax(datum).unwrap();
    });
}

#[test]
fn a_task_that_waits_for_the_submitter_does_not_hold_it_for_ever() {
    with_window(|| {
        let go = Arc::new(AtomicBool::new(false));
        let theirs = go.clone();
        let hang = processing(&[], c"hang", move |_| {
            while !theirs.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            0
        });
        let after = processing(&[], c"after", |_| 0);
        onto(rank_at(0), hang, &[]).unwrap();
        for _ in 0..WINDOW + 3 * SLACK {
            onto(rank_at(0), after, &[]).unwrap();
        }
        go.store(true, Ordering::Release);
        wait().unwrap();
    });
}

#[test]
fn tasks_are_never_held_back() {
    with_window(|| {
        let ended = Arc::new(AtomicU64::new(0));
        let theirs = ended.clone();
        let leaf = processing(&[], c"leaf", move |_| {
            theirs.fetch_add(1, Ordering::Relaxed);
            0
        });
        let many = processing(&[], c"many", move |_| {
            (0..20 * WINDOW).for_each(|_| onto(here(), leaf, &[]).unwrap());
            0
        });
        onto(rank_at(0), many, &[]).unwrap();
        wait().unwrap();
        assert_eq!(ended.load(Ordering::Relaxed), 20 * WINDOW);
    });
}
