//! Finalize ends, whatever other threads and tasks do meanwhile.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use dvm::ffi::c_functions::{dvm_blocking_begin, dvm_blocking_end};
use support::*;

/// Changes while a test makes progress.
static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// The longest time for a finalize that waits for nothing. After it the process aborts: nothing else ends a stuck call.
fn begin() -> std::sync::MutexGuard<'static, ()> {
    static WATCH: OnceLock<()> = OnceLock::new();
    let turn = turn();
    WATCH.get_or_init(|| watch(&PROGRESS, |_| "finalize does not end".to_owned()));
    PROGRESS.fetch_add(1, Ordering::Relaxed);
    workers(2);
    init().unwrap();
    turn
}

/// Repeats `body` on this many threads until it is refused; the codes that each thread got.
fn hammer(threads: usize, body: impl Fn() -> Outcome + Sync, end: impl FnOnce()) -> Vec<Code> {
    std::thread::scope(|scope| {
        let hammers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    loop {
                        if let Err(code) = body() {
                            return code;
                        }
                    }
                })
            })
            .collect();
        std::thread::sleep(Duration::from_millis(50));
        end();
        hammers.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Each task takes longer than scheduling the next one: a task always runs.
#[test]
fn threads_that_go_on_scheduling_are_refused_and_do_not_hold_the_end_up() {
    for near_data in [true, false] {
        let _turn = begin();
        let slow = processing(&[], c"slow", |_| {
            std::thread::sleep(Duration::from_micros(200));
            0
        });
        let rank = rank_at(0);
        let schedule = || {
            std::thread::sleep(Duration::from_micros(150));
            if near_data { near(slow, &[]) } else { onto(rank, slow, &[]) }
        };
        let codes = hammer(4, schedule, || finalize().unwrap());
        assert_eq!(codes, [Code::DVM_ERR_NOT_INITIALIZED; 4]);
    }
}

#[test]
fn whatever_makes_something_new_is_refused_from_outside() {
    let _turn = begin();
    let over = Arc::new(AtomicBool::new(false));
    let seen = over.clone();
    let lasts = processing(&[], c"lasts", move |_| {
        while !seen.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        0
    });
    let datum = number(7);
    let promised = promise(8).unwrap();
    let waits = processing(&[IN], c"waits", |ids| std::ffi::c_int::from(value(ids[0]) != Ok(9)));
    near(lasts, &[]).unwrap();
    acquire(promised).unwrap();
    near(waits, &[promised]).unwrap();
    let told = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            struct Over<'a>(&'a AtomicBool);
            impl Drop for Over<'_> {
                fn drop(&mut self) {
                    self.0.store(true, Ordering::Release);
                }
            }
            let _over = Over(&over);
            // Finalize has begun as soon as the first call is refused, and waits for the task.
            while let Ok(id) = allocate(8) {
                relax(id).unwrap();
                std::thread::yield_now();
            }
            let refused = Err(Code::DVM_ERR_NOT_INITIALIZED);
            assert_eq!(near(lasts, &[]), refused);
            assert!(last_error().contains("dvm_finalize has begun"), "{}", last_error());
            assert_eq!(onto(rank_at(0), lasts, &[]), refused);
            assert_eq!(promise(8).map(drop), refused);
            assert_eq!(next(datum).map(drop), refused);
            assert_eq!(register((&raw const PROGRESS).cast_mut().cast(), 8, None).map(drop), refused);
            // Tasks may wait for this work: it is still done.
            unsafe { *write(promised).unwrap().0 = 9 };
            publish(promised).unwrap();
            assert_eq!(value(datum), Ok(7));
        });
        let told = finalize();
        other.join().unwrap();
        told
    });
    told.unwrap_or_else(|code| panic!("{code:?}: {}", last_error()));
}

#[test]
fn tasks_go_on_scheduling_until_all_have_ended() {
    let _turn = begin();
    let ran = Arc::new(AtomicU64::new(0));
    let me: Arc<OnceLock<Id>> = Arc::default();
    let (mine, counted) = (me.clone(), ran.clone());
    let link = processing(&[IN], c"link", move |ids| {
        let left = value(ids[0]).unwrap();
        if left > 0 {
            // A task in a section is still a task.
            let section = left.is_multiple_of(16);
            if section {
                assert_eq!(unsafe { dvm_blocking_begin() }, Code::DVM_SUCCESS);
                std::thread::sleep(Duration::from_micros(100));
            }
            near(*mine.get().unwrap(), &[number(left - 1)]).unwrap();
            if section {
                assert_eq!(unsafe { dvm_blocking_end() }, Code::DVM_SUCCESS);
            }
        }
        counted.fetch_add(1, Ordering::Relaxed);
        0
    });
    me.set(link).unwrap();
    for _ in 0..4 {
        near(link, &[number(2000)]).unwrap();
    }
    let codes = hammer(2, || allocate(8).and_then(|zero| near(link, &[zero])), || finalize().unwrap());
    assert_eq!(codes, [Code::DVM_ERR_NOT_INITIALIZED; 2]);
    assert!(ran.load(Ordering::Relaxed) >= 4 * 2001);
}

#[test]
fn of_several_finalizers_one_ends_it_and_the_others_are_told() {
    for _ in 0..20 {
        let _turn = begin();
        let slow = processing(&[], c"slow", |_| {
            std::thread::sleep(Duration::from_micros(300));
            0
        });
        for _ in 0..10 {
            near(slow, &[]).unwrap();
        }
        let codes: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(finalize)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(codes.iter().filter(|code| code.is_ok()).count(), 1, "{codes:?}");
        let told = [Err(Code::DVM_ERR_STATE), Err(Code::DVM_ERR_NOT_INITIALIZED), Ok(())];
        assert!(codes.iter().all(|code| told.contains(code)), "{codes:?}");
    }
}

/// Threads that are nearly always inside a call: finalize waits for each once, not for a moment without any.
#[test]
fn threads_in_quick_calls_do_not_hold_the_end_up() {
    let _turn = begin();
    let data: Vec<Id> = (0..8).map(number).collect();
    let over = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        for &id in &data {
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    let _ = acquire(id);
                    let _ = relax(id);
                }
            });
        }
        std::thread::sleep(Duration::from_millis(20));
        finalize().unwrap();
        over.store(true, Ordering::Relaxed);
    });
}

/// A thread that sleeps in a get wakes when no task can publish any more.
#[test]
fn threads_that_sleep_in_a_get_are_woken() {
    let _turn = begin();
    let promised = promise(8).unwrap();
    std::thread::scope(|scope| {
        let sleeper = scope.spawn(|| get(promised).map(drop));
        until_sleepers(1);
        finalize().unwrap();
        assert_eq!(sleeper.join().unwrap(), Err(Code::DVM_ERR_POISONED));
    });
}
