//! A tile in a worker's hand-off slot runs elsewhere when the worker turns to a long task.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::{dvm_graph_run, dvm_graph_t};
use support::*;

/// An event that only the other worker can bring about.
#[derive(Default)]
struct Event(AtomicBool);

impl Event {
    fn happens(&self) {
        self.0.store(true, Ordering::Release);
    }
    fn has_happened(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
    fn comes(&self) -> bool {
        let end = Instant::now() + Duration::from_mins(1);
        while !self.has_happened() && Instant::now() < end {
            std::thread::yield_now();
        }
        self.has_happened()
    }
}

/// Workers that sleep as soon as they are idle: a sleeper must be woken for a tile that is kept later.
fn start(count: usize) -> std::sync::MutexGuard<'static, ()> {
    let turn = turn();
    workers(count);
    unsafe { std::env::set_var("DVM_SPIN", "0") };
    // A failed test may have left the engine running.
    let _ = finalize();
    init().unwrap();
    turn
}

/// The ranks of all workers but the calling one.
fn others() -> Vec<Rank> {
    (0..count()).map(rank_at).filter(|rank| *rank != here()).collect()
}

/// Gives idle workers time to fall asleep. A worker that stays awake weakens the test, and breaks nothing.
fn a_moment() {
    std::thread::sleep(Duration::from_millis(20));
}

/// Runs `body` for the tiles 0 to `most`, one after the other.
fn chain<F: Fn(i64) + Sync>(most: i64, body: F) {
    unsafe extern "C" fn run<F: Fn(i64)>(context: *mut c_void, tile: *const i64) -> c_int {
        unsafe { (*context.cast::<F>())(*tile) };
        0
    }
    let (lower, upper, carried) = ([0], [most], [1]);
    let graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: c"chain".as_ptr(),
        dimension: 1,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: carried.as_ptr(),
        run: Some(run::<F>),
        predecessors: None,
        successors: None,
        context: ptr::from_ref(&body).cast_mut().cast(),
        bounds: None,
        exists: None,
    };
    assert_eq!(unsafe { dvm_graph_run(&raw const graph) }, Code::DVM_SUCCESS, "{}", last_error());
}

fn event() -> &'static Event {
    Box::leak(Box::default())
}

/// A task on the worker that runs a chain of tiles; the task ends after the last tile.
#[test]
fn a_kept_tile_does_not_wait_for_a_long_task() {
    let _turn = start(2);
    let over = event();
    let long = processing(&[], c"long", |_| c_int::from(!over.comes()));
    chain(100, |tile| match tile {
        3 => {
            a_moment();
            onto(here(), long, &[]).unwrap();
        }
        100 => over.happens(),
        _ => {}
    });
    assert_eq!(wait(), Ok(()), "{}", last_error());
    finalize().unwrap();
}

/// A tile of another graph on that worker.
#[test]
fn a_kept_tile_does_not_wait_for_a_tile_of_another_graph() {
    let _turn = start(2);
    let (began, over, came) = (event(), event(), event());
    let hold = processing(&[], c"hold", |_| c_int::from(!began.comes()));
    let second = |tile: i64| {
        if tile == 0 {
            began.happens();
            if over.comes() {
                came.happens();
            }
        }
    };
    std::thread::scope(|scope| {
        chain(100_000, |tile| match tile {
            0 => {
                // The other worker is busy until this one is at both graphs.
                onto(others()[0], hold, &[]).unwrap();
                scope.spawn(|| chain(1, second));
            }
            100_000 => over.happens(),
            _ if !began.has_happened() => std::thread::sleep(Duration::from_micros(100)),
            _ => {}
        });
    });
    assert!(came.has_happened(), "the first graph stood still while a tile of the second one ran");
    assert_eq!(wait(), Ok(()), "{}", last_error());
    finalize().unwrap();
}

/// A worker stands still for a task of two cores; the third worker continues its tiles.
#[test]
fn a_kept_tile_does_not_wait_for_a_worker_that_stands_still() {
    let _turn = start(3);
    let over = event();
    let wide = processing(&[], c"wide", |_| c_int::from(!over.comes()));
    let mut id = wide;
    assert_eq!(unsafe { dvm::ffi::c_functions::dvm_processing_cores(id.as_mut_ptr(), 2) }, Code::DVM_SUCCESS);
    // On one of the others it needs the worker of the chain, on whichever that runs.
    for place in 0..2 {
        over.0.store(false, Ordering::Release);
        chain(100, |tile| match tile {
            3 => {
                a_moment();
                onto(others()[place], wide, &[]).unwrap();
                a_moment();
            }
            100 => over.happens(),
            _ => {}
        });
        assert_eq!(wait(), Ok(()), "{}", last_error());
    }
    finalize().unwrap();
}

/// A task is ready as soon as another ends, while the free callback of that one's input still runs.
#[test]
fn a_ready_successor_does_not_wait_for_a_free_callback() {
    static SUCCESSOR: Event = Event(AtomicBool::new(false));
    static CAME: Event = Event(AtomicBool::new(false));
    unsafe extern "C" fn free(_: *mut c_void, _: usize) {
        if SUCCESSOR.comes() {
            CAME.happens();
        }
    }
    let mut bytes = [0_u64; 2];
    for outputs in 1..=2 {
        let _turn = start(2);
        SUCCESSOR.0.store(false, Ordering::Release);
        CAME.0.store(false, Ordering::Release);
        let made: Vec<Id> = (0..outputs).map(|_| promise(8).unwrap()).collect();
        let modes: Vec<c_int> = std::iter::once(IN).chain(made.iter().map(|_| OUT)).collect();
        let produce = processing(&modes, c"produce", |_| {
            a_moment();
            0
        });
        let succeed = processing(&[IN], c"succeed", |_| {
            SUCCESSOR.happens();
            0
        });
        let input = register(bytes.as_mut_ptr().cast(), 16, Some(free)).unwrap();
        near(succeed, &[made[outputs - 1]]).unwrap();
        near(produce, &[&[input], &made[..]].concat()).unwrap();
        for &id in &made[..outputs - 1] {
            relax(id).unwrap();
        }
        assert_eq!(wait(), Ok(()), "{}", last_error());
        finalize().unwrap();
        assert!(CAME.has_happened(), "{outputs} outputs: the successor ran after the callback");
    }
}
