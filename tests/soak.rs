//! Many tasks of all kinds, for as long as asked: results are right, and memory does not grow.
//!
//! `DVM_SOAK_TASKS` sets the number of tasks (two million), or `DVM_SOAK_MINUTES` the time. A line is printed after each tenth
//! of the tasks, or ten million. A case of `DVM_TEST_SEED` is one round. `make soak` runs for hours.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

#[path = "random/program.rs"]
#[allow(dead_code, reason = "only the numbers are used here")]
mod program;
mod support;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::*;
use program::{Random, mix};
use support::*;

/// The most tasks between two progress lines.
const TASKS_PER_LINE: u64 = 10_000_000;

/// Bytes that the process may grow after its first tenth: allocators keep some, a stand-in's stack takes pages.
const MAY_GROW: u64 = 16 << 20;

/// The resident bytes of this process.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split(' ').nth(1).unwrap().parse().unwrap();
    pages * unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64
}

/// The sum of the tasks of this round.
static SUM: AtomicU64 = AtomicU64::new(0);

struct Kinds {
    stencil: Id,
    update: Id,
    add: Id,
    spawn: Id,
    block: Id,
    wide: Id,
    fail: Id,
    ranks: Vec<Rank>,
}

/// The number of the kind that schedules itself.
static SPAWN: AtomicU64 = AtomicU64::new(0);

fn read(id: Id) -> u64 {
    unsafe { *get(id).unwrap().0 }
}

impl Kinds {
    fn register() -> Kinds {
        let stencil = processing(&[IN, IN, IN, OUT], c"stencil", |ids| {
            let value = mix(mix(read(ids[0]), read(ids[1])), read(ids[2]));
            unsafe { *get(ids[3]).unwrap().0 = value };
            0
        });
        let update = processing(&[IN, OUT], c"update", |ids| {
            let value = mix(read(ids[0]), 7);
            unsafe { *get(ids[1]).unwrap().0 = value };
            0
        });
        let add = processing(&[IN], c"add", |ids| {
            SUM.fetch_add(read(ids[0]), Ordering::Relaxed);
            0
        });
        let spawn = processing(&[IN], c"spawn", move |ids| {
            let depth = read(ids[0]);
            SUM.fetch_add(1, Ordering::Relaxed);
            let this = [0, SPAWN.load(Ordering::Relaxed)];
            for _ in 0..if depth > 0 { 2 } else { 0 } {
                near(this, &[number(depth - 1)]).unwrap();
            }
            0
        });
        SPAWN.store(spawn[1], Ordering::Relaxed);
        let block = processing(&[IN], c"block", |ids| {
            unsafe { assert_eq!(dvm_blocking_begin(), Code::DVM_SUCCESS) };
            SUM.fetch_add(read(ids[0]), Ordering::Relaxed);
            std::thread::yield_now();
            unsafe { assert_eq!(dvm_blocking_end(), Code::DVM_SUCCESS) };
            0
        });
        let wide = processing(&[IN], c"wide", |ids| {
            SUM.fetch_add(read(ids[0]), Ordering::Relaxed);
            0
        });
        let mut id = wide;
        unsafe { assert_eq!(dvm_processing_cores(id.as_mut_ptr(), 2), Code::DVM_SUCCESS) };
        let fail = processing(&[IN, OUT], c"fail", |_| 1);
        Kinds { stencil, update, add, spawn, block, wide, fail, ranks: (0..count()).map(rank_at).collect() }
    }

    fn place(&self, turn: usize, kind: Id, ids: &[Id]) {
        if turn.is_multiple_of(3) {
            near(kind, ids).unwrap();
        } else {
            onto(self.ranks[turn % self.ranks.len()], kind, ids).unwrap();
        }
    }
}

/// A row of cells, each step a task per cell; compared cell by cell.
fn stencil(kinds: &Kinds, random: &mut Random) -> u64 {
    const CELLS: usize = 64;
    const STEPS: usize = 100;
    let mut expected: Vec<u64> = (0..CELLS).map(|_| random.number()).collect();
    let mut row: Vec<Id> = expected.iter().map(|&value| number(value)).collect();
    let around = |cell: usize| [(cell + CELLS - 1) % CELLS, cell, (cell + 1) % CELLS];
    for _ in 0..STEPS {
        for &id in &row {
            acquire(id).unwrap();
            acquire(id).unwrap();
        }
        let next: Vec<Id> = row.iter().map(|_| promise(8).unwrap()).collect();
        for (cell, &after) in next.iter().enumerate() {
            let [left, mine, right] = around(cell).map(|cell| row[cell]);
            kinds.place(cell, kinds.stencil, &[left, mine, right, after]);
        }
        row = next;
        expected = (0..CELLS)
            .map(|cell| {
                let [left, mine, right] = around(cell).map(|cell| expected[cell]);
                mix(mix(left, mine), right)
            })
            .collect();
    }
    for (id, value) in row.into_iter().zip(expected) {
        assert_eq!(support::value(id).unwrap(), value);
        relax(id).unwrap();
    }
    (CELLS * STEPS) as u64
}

/// One datum, updated in place many times.
fn chain(kinds: &Kinds, random: &mut Random) -> u64 {
    const LENGTH: u64 = 5000;
    let mut expected = random.number();
    let mut datum = number(expected);
    for turn in 0..LENGTH {
        let after = next(datum).unwrap();
        kinds.place(turn as usize, kinds.update, &[datum, after]);
        expected = mix(expected, 7);
        datum = after;
    }
    assert_eq!(support::value(datum).unwrap(), expected);
    relax(datum).unwrap();
    LENGTH
}

/// Tasks of one datum each, a tree of tasks, some that block or are wide; compared by their sum.
fn crowd(kinds: &Kinds, random: &mut Random) -> u64 {
    const TASKS: u64 = 10_000;
    const DEPTH: u64 = 11;
    SUM.store(0, Ordering::Relaxed);
    let mut expected = (2 << DEPTH) - 1;
    near(kinds.spawn, &[number(DEPTH)]).unwrap();
    for turn in 0..TASKS {
        let value = random.number() >> 20;
        let kind = match turn % 500 {
            77 => kinds.block,
            99 => kinds.wide,
            _ => kinds.add,
        };
        kinds.place(turn as usize, kind, &[number(value)]);
        expected += value;
    }
    wait().unwrap();
    assert_eq!(SUM.load(Ordering::Relaxed), expected);
    TASKS + (2 << DEPTH) - 1
}

/// A failure and what depends on it.
fn failure(kinds: &Kinds) -> u64 {
    const LENGTH: usize = 20;
    let mut data = vec![number(1)];
    data.extend((0..LENGTH).map(|_| promise(8).unwrap()));
    for (turn, pair) in data.windows(2).enumerate() {
        kinds.place(turn, if turn == 3 { kinds.fail } else { kinds.update }, pair);
    }
    assert_eq!(wait(), Err(Code::DVM_ERR_TASK));
    assert_eq!(get(data[LENGTH]).unwrap_err(), Code::DVM_ERR_POISONED);
    relax(data[LENGTH]).unwrap();
    LENGTH as u64
}

unsafe extern "C" fn tile(context: *mut c_void, at: *const i64) -> c_int {
    let sum = unsafe { &*context.cast::<AtomicU64>() };
    sum.fetch_add(unsafe { (*at * 100 + *at.add(1)) as u64 }, Ordering::Relaxed);
    0
}

/// A box of tiles in wavefront order.
fn graph() -> u64 {
    let (sum, lower, upper, carried) = (AtomicU64::new(0), [0_i64; 2], [99_i64; 2], [1, 1]);
    let graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: c"soak".as_ptr(),
        dimension: 2,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: carried.as_ptr(),
        run: Some(tile),
        predecessors: None,
        successors: None,
        context: ptr::from_ref(&sum).cast_mut().cast(),
        bounds: None,
        exists: None,
    };
    assert_eq!(unsafe { dvm_graph_run(&raw const graph) }, Code::DVM_SUCCESS);
    assert_eq!(sum.load(Ordering::Relaxed), (0..10_000).sum::<u64>());
    10_000
}

fn round(kinds: &Kinds, seed: u64) -> u64 {
    let mut random = Random::new(seed);
    stencil(kinds, &mut random) + chain(kinds, &mut random) + crowd(kinds, &mut random) + failure(kinds) + graph()
}

#[test]
fn many_tasks_are_right_and_leave_nothing_behind() {
    let _turn = turn();
    let minutes = testkit::setting("DVM_SOAK_MINUTES");
    let tasks = testkit::setting("DVM_SOAK_TASKS").unwrap_or(2_000_000);
    let end = minutes.map(|minutes| Instant::now() + Duration::from_mins(minutes));
    init().unwrap();
    let kinds = Kinds::register();
    let per_line = if minutes.is_some() { TASKS_PER_LINE } else { (tasks / 10).clamp(1, TASKS_PER_LINE) };
    let (mut done, mut told, mut since, mut ground) = (0, 0, Instant::now(), None);
    for seed in testkit::seeds(u64::MAX) {
        if end.map_or(done >= tasks, |end| Instant::now() >= end) {
            break;
        }
        done += round(&kinds, seed);
        if done - told >= per_line {
            let (now, nanoseconds) = (resident(), since.elapsed().as_nanos() as u64 / (done - told));
            println!("{done} tasks: {} KiB in memory, {nanoseconds} ns per task, seed {seed}", now >> 10);
            let ground = *ground.get_or_insert(now);
            // A checker keeps freed memory for a while: the size would be the checker's.
            let shadowed = std::env::var_os("DVM_TEST_SHADOWED").is_some();
            assert!(shadowed || now <= ground + MAY_GROW, "the process has grown from {ground} to {now} bytes");
            (told, since) = (done, Instant::now());
        }
    }
    finalize().unwrap();
}
