//! What a task costs: nanoseconds per task of three programs that do nothing else.
//!
//! `dvm-tasks [REPETITIONS]` prints the best and the median of the repetitions (default 5).
#![allow(unsafe_code, reason = "calls the C interface")]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::time::{Duration, Instant};

use dvm::ffi::data::{dvm_data_acquire, dvm_data_allocate, dvm_data_next, dvm_data_relax};
use dvm::ffi::lifecycle::{dvm_finalize, dvm_init, dvm_wait};
use dvm::ffi::processing::{dvm_processing_access, dvm_processing_register, dvm_processing_register_v};
use dvm::ffi::rank::{dvm_rank_at, dvm_rank_count};
use dvm::ffi::scheduling::{dvm_sched_near, dvm_sched_onto_v};
use dvm::ffi::{DVM_IN, DVM_OUT, dvm_retcode_t};

type Id = [u64; 2];

/// Stops the measurement when a call fails.
fn check(code: dvm_retcode_t) {
    assert_eq!(code, dvm_retcode_t::DVM_SUCCESS);
}

extern "C" fn nothing() -> c_int {
    0
}

/// Registers the empty function for so many arguments; the last one is an output if asked for.
fn empty(arguments: usize, output: bool) -> Id {
    let mut id = [0; 2];
    // SAFETY: the function ignores whatever arguments it is called with, by the calling convention of this platform.
    check(unsafe { dvm_processing_register(Some(nothing), arguments as c_int, ptr::null_mut(), id.as_mut_ptr()) });
    if output {
        let mut modes = vec![DVM_IN; arguments];
        modes[arguments - 1] = DVM_OUT;
        // SAFETY: one mode per argument.
        check(unsafe { dvm_processing_access(id.as_mut_ptr(), modes.as_mut_ptr()) });
    }
    id
}

fn ranks() -> Vec<[u64; 8]> {
    let mut count = 0;
    // SAFETY: the address of a number.
    check(unsafe { dvm_rank_count(&raw mut count) });
    let rank = |index| {
        let mut rank = [0; 8];
        // SAFETY: the array has 8 components.
        check(unsafe { dvm_rank_at(index, rank.as_mut_ptr(), 8) });
        rank
    };
    (0..count).map(rank).collect()
}

fn allocate() -> Id {
    let mut id = [0; 2];
    // SAFETY: the address of an id.
    check(unsafe { dvm_data_allocate(8, &raw mut id) });
    id
}

fn onto(rank: &mut [u64; 8], function: &mut Id, ids: &mut [Id]) {
    // SAFETY: all are addresses of what the call wants.
    check(unsafe { dvm_sched_onto_v(rank.as_mut_ptr(), function.as_mut_ptr(), ids.as_mut_ptr(), ids.len() as c_int) });
}

fn wait() {
    // SAFETY: called by the main thread alone.
    check(unsafe { dvm_wait() });
}

/// Independent tasks on one datum each, dealt out over the ranks; `fresh`: a new datum for each task.
fn independent(tasks: usize, fresh: bool) -> Duration {
    let (mut ranks, mut function) = (ranks(), empty(1, false));
    let mut shared = allocate();
    let start = Instant::now();
    for turn in 0..tasks {
        let datum = if fresh {
            allocate()
        } else {
            // SAFETY: the address of an id.
            check(unsafe { dvm_data_acquire(shared.as_mut_ptr()) });
            shared
        };
        let place = turn % ranks.len();
        onto(&mut ranks[place], &mut function, &mut [datum]);
    }
    wait();
    let taken = start.elapsed();
    // SAFETY: the address of an id.
    check(unsafe { dvm_data_relax(shared.as_mut_ptr()) });
    taken
}

/// A chain of tasks, each of which carries the datum of the one before on.
fn chain(tasks: usize) -> Duration {
    let (mut ranks, mut function) = (ranks(), empty(2, true));
    let mut current = allocate();
    let start = Instant::now();
    for _ in 0..tasks {
        let mut next = [0; 2];
        // SAFETY: both are addresses of ids.
        check(unsafe { dvm_data_next(current.as_mut_ptr(), &raw mut next) });
        onto(&mut ranks[0], &mut function, &mut [current, next]);
        current = next;
    }
    wait();
    let taken = start.elapsed();
    // SAFETY: the address of an id.
    check(unsafe { dvm_data_relax(current.as_mut_ptr()) });
    taken
}

/// What the spawning tasks know: their own processing.
struct Spawner {
    function: Id,
}

/// Spawns two tasks of half the size, until the size is 1. The datum's size stands for the size of the tree.
unsafe extern "C" fn spawn(context: *mut c_void, ids: *mut Id, _count: c_int) -> c_int {
    // SAFETY: the context is a spawner that outlives the tasks; the task has one argument.
    unsafe {
        let mut function = (*context.cast::<Spawner>()).function;
        let (mut addr, mut size) = (ptr::null_mut(), 0);
        check(dvm::ffi::data::dvm_data_get((*ids).as_mut_ptr(), &raw mut addr, &raw mut size));
        for _ in 0..if size > 1 { 2 } else { 0 } {
            let mut half = [0; 2];
            check(dvm_data_allocate(size - 1, &raw mut half));
            check(dvm_sched_near(function.as_mut_ptr(), &raw mut half, 1));
        }
    }
    0
}

/// A binary tree of tasks that spawn each other, of this depth.
fn tree(depth: usize) -> Duration {
    let mut spawner = Box::new(Spawner { function: [0; 2] });
    let context = (&raw mut *spawner).cast();
    // SAFETY: the context lives until the last task has ended.
    unsafe {
        let id = spawner.function.as_mut_ptr();
        check(dvm_processing_register_v(Some(spawn), context, 1, ptr::null_mut(), id));
        let mut root = [0; 2];
        check(dvm_data_allocate(depth, &raw mut root));
        let start = Instant::now();
        check(dvm_sched_near(spawner.function.as_mut_ptr(), &raw mut root, 1));
        wait();
        start.elapsed()
    }
}

fn report(name: &str, tasks: usize, repetitions: usize, mut measure: impl FnMut() -> Duration) {
    let mut each: Vec<f64> = (0..repetitions).map(|_| measure().as_nanos() as f64 / tasks as f64).collect();
    each.sort_by(f64::total_cmp);
    println!("{name:44} {tasks:9} tasks  best {:7.1}  median {:7.1} ns per task", each[0], each[each.len() / 2]);
}

fn main() {
    let repetitions = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(5);
    // SAFETY: called by the main thread alone.
    check(unsafe { dvm_init() });
    let million = 1_000_000;
    report("independent, by rank, one datum for all", million, repetitions, || independent(million, false));
    report("independent, by rank, a new datum each", million, repetitions, || independent(million, true));
    report("chain through dvm_data_next", million, repetitions, || chain(million));
    report("spawn tree, near the data", (1 << 17) - 1, repetitions, || tree(17));
    // SAFETY: called by the main thread alone.
    check(unsafe { dvm_finalize() });
}
