//! Tasks that block, and tasks that need several cores: nothing hangs, and no core runs two tasks.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

#[path = "random/program.rs"]
#[allow(dead_code, reason = "only the numbers are used here")]
mod program;
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use dvm::ffi::c_functions::*;
use parking_lot::{Condvar, Mutex};
use program::Random;
use support::*;

fn begin() -> Outcome {
    let code = unsafe { dvm_blocking_begin() };
    if code == Code::DVM_SUCCESS { Ok(()) } else { Err(code) }
}
fn end() -> Outcome {
    let code = unsafe { dvm_blocking_end() };
    if code == Code::DVM_SUCCESS { Ok(()) } else { Err(code) }
}
fn cores(mut id: Id, cores: i32) -> Code {
    unsafe { dvm_processing_cores(id.as_mut_ptr(), cores) }
}

/// Two tasks of one worker; the first waits for the second. Without a section both hang.
#[test]
fn a_task_that_blocks_lets_others_run_in_its_place() {
    let _turn = turn();
    workers(1);
    init().unwrap();
    let rank = rank_at(0);
    let (send, receive) = channel::<u64>();
    let receive = Mutex::new(receive);
    let order: &'static Mutex<Vec<&str>> = Box::leak(Box::default());
    let waits = processing(&[], c"waits", move |_| {
        let thread = std::thread::current().id();
        assert_eq!(end(), Err(Code::DVM_ERR_STATE));
        begin().unwrap();
        assert_eq!(begin(), Err(Code::DVM_ERR_STATE));
        assert_eq!(here(), rank, "the section is still on its processing unit");
        let got = receive.lock().recv().unwrap();
        end().unwrap();
        order.lock().push("waited");
        assert_eq!(thread, std::thread::current().id());
        i32::from(got != 5)
    });
    let sends = processing(&[], c"sends", move |_| {
        send.send(5).unwrap();
        std::thread::sleep(Duration::from_millis(30));
        order.lock().push("sent");
        0
    });
    onto(rank, waits, &[]).unwrap();
    onto(rank, sends, &[]).unwrap();
    wait().unwrap();
    assert_eq!(*order.lock(), ["sent", "waited"], "the task goes on when the one in its place has ended");
    finalize().unwrap();
}

static REFUSED: AtomicU64 = AtomicU64::new(0);
unsafe extern "C" fn free(_: *mut std::ffi::c_void, _: usize) {
    let refused = [begin(), end()].iter().filter(|&&code| code == Err(Code::DVM_ERR_STATE)).count();
    REFUSED.fetch_add(refused as u64, Ordering::SeqCst);
}

#[test]
fn sections_are_for_tasks() {
    let _turn = turn();
    workers(2);
    init().unwrap();
    assert_eq!(begin(), Err(Code::DVM_ERR_STATE));
    assert_eq!(end(), Err(Code::DVM_ERR_STATE));
    let memory = Box::leak(Box::new([0_u64; 1])).as_mut_ptr();
    let outside = register(memory.cast(), 8, Some(free)).unwrap();
    relax(outside).unwrap();
    let inside = register(memory.cast(), 8, Some(free)).unwrap();
    let reads = processing(&[IN], c"reads", |_| 0);
    near(reads, &[inside]).unwrap();
    wait().unwrap();
    assert_eq!(REFUSED.load(Ordering::SeqCst), 4);
    // An open section ends with its task, and the worker works on.
    let forgets = processing(&[], c"forgets", |_| begin().map_or(1, |()| 0));
    for _ in 0..100 {
        onto(rank_at(0), forgets, &[]).unwrap();
    }
    wait().unwrap();
    let fails = processing(&[], c"fails", |_| {
        begin().unwrap();
        3
    });
    near(fails, &[]).unwrap();
    assert_eq!(wait(), Err(Code::DVM_ERR_TASK));
    finalize().unwrap();
}

/// The header's bound: sections that may end on a processing unit before a ready task goes first.
const RETURNS: u64 = 64;

/// Tasks of one worker that begin and end sections until all others have run. Returns the most sections that have ended while one
/// of the others was the next.
fn sections_without_end(loopers: u64, others: u64, schedule: impl Fn(Id) + Sync + 'static) -> u64 {
    const ENOUGH: u64 = 200_000;
    workers(1);
    init().unwrap();
    let (ends, ran, last, most) = <(AtomicU64, AtomicU64, AtomicU64, AtomicU64)>::default().leaked();
    let other = processing(&[], c"other", move |_| {
        let now = ends.load(Ordering::SeqCst);
        most.fetch_max(now - last.swap(now, Ordering::SeqCst), Ordering::SeqCst);
        ran.fetch_add(1, Ordering::SeqCst);
        0
    });
    let inside: &'static AtomicU64 = Box::leak(Box::default());
    let again = processing(&[], c"again", move |_| {
        if inside.fetch_add(1, Ordering::SeqCst) + 1 == loopers {
            last.store(ends.load(Ordering::SeqCst), Ordering::SeqCst);
            (0..others).for_each(|_| schedule(other));
        }
        while ran.load(Ordering::SeqCst) < others && ends.load(Ordering::SeqCst) < ENOUGH {
            begin().unwrap();
            end().unwrap();
            ends.fetch_add(1, Ordering::SeqCst);
        }
        0
    });
    (0..loopers).for_each(|_| onto(rank_at(0), again, &[]).unwrap());
    wait().unwrap();
    finalize().unwrap();
    most.load(Ordering::SeqCst)
}

/// A value that lives until the program ends.
trait Leaked: Sized {
    fn leaked(self) -> &'static Self {
        Box::leak(Box::new(self))
    }
}
impl<T> Leaked for T {}

#[test]
fn tasks_that_block_again_and_again_keep_no_other_waiting() {
    let _turn = turn();
    for loopers in 1..=4 {
        let placed = sections_without_end(loopers, 5, |other| onto(rank_at(0), other, &[]).unwrap());
        let near = sections_without_end(loopers, 5, |other| near(other, &[]).unwrap());
        // A thread with the worker's slot counts its section a moment later.
        let limit = RETURNS + loopers;
        assert!(placed <= limit && near <= limit, "{loopers} tasks: {placed} and {near} sections went before one task");
    }
}

/// The same for a task that needs the core of the worker on which sections never end. How long the other worker takes to begin with that
/// task is not counted in sections: so only many rounds together tell.
#[test]
fn tasks_that_block_again_and_again_give_their_core_away() {
    const ROUNDS: u64 = 5;
    const ENOUGH: u64 = ROUNDS * 20_000;
    let _turn = turn();
    workers(2);
    init().unwrap();
    let (ends, ran) = <(AtomicU64, AtomicBool)>::default().leaked();
    let wide = processing(&[], c"wide", |_| {
        ran.store(true, Ordering::SeqCst);
        0
    });
    assert_eq!(cores(wide, 2), Code::DVM_SUCCESS);
    let again = processing(&[], c"again", |_| {
        while !ran.load(Ordering::SeqCst) && ends.fetch_add(1, Ordering::SeqCst) < ENOUGH {
            begin().unwrap();
            end().unwrap();
        }
        0
    });
    for round in 1..=ROUNDS {
        ran.store(false, Ordering::SeqCst);
        (0..2).for_each(|_| onto(rank_at(0), again, &[]).unwrap());
        let begun = ends.load(Ordering::SeqCst);
        until(|| ends.load(Ordering::SeqCst) > begun + RETURNS);
        onto(rank_at(1), wide, &[]).unwrap();
        wait().unwrap();
        let ends = ends.load(Ordering::SeqCst);
        assert!(ends < ENOUGH, "in {round} rounds {ends} sections ended before the tasks of two cores began");
    }
    finalize().unwrap();
}

/// Many tasks of one worker block at once, each until a later task comes: as many threads nest as there are tasks.
#[test]
fn a_tower_of_blocked_tasks_comes_down() {
    const HEIGHT: u64 = 40;
    let _turn = turn();
    workers(2);
    init().unwrap();
    let reached: &'static AtomicU64 = Box::leak(Box::default());
    let climbs = processing(&[], c"climbs", move |_| {
        reached.fetch_add(1, Ordering::SeqCst);
        begin().unwrap();
        while reached.load(Ordering::SeqCst) < HEIGHT {
            std::thread::sleep(Duration::from_micros(100));
        }
        end().unwrap();
        0
    });
    for _ in 0..3 {
        reached.store(0, Ordering::SeqCst);
        for _ in 0..HEIGHT {
            onto(rank_at(0), climbs, &[]).unwrap();
        }
        wait().unwrap();
    }
    finalize().unwrap();
}

/// What runs where: a worker runs one task at a time, and a task of n cores has n workers to itself.
struct Watch {
    /// Tasks that run now, without those in sections.
    running: AtomicI64,
    /// Cores of these tasks in sum.
    cores: AtomicI64,
    most: i64,
    wrong: AtomicBool,
}

impl Watch {
    fn new(workers: i64) -> Arc<Watch> {
        Arc::new(Watch {
            running: AtomicI64::new(0),
            cores: AtomicI64::new(0),
            most: workers,
            wrong: AtomicBool::new(false),
        })
    }
    fn enter(&self, cores: i64) {
        let cores = cores.min(self.most);
        self.running.fetch_add(1, Ordering::SeqCst);
        if self.cores.fetch_add(cores, Ordering::SeqCst) + cores > self.most {
            self.wrong.store(true, Ordering::SeqCst);
        }
    }
    fn leave(&self, cores: i64) {
        self.cores.fetch_sub(cores.min(self.most), Ordering::SeqCst);
        self.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn pause(turns: u64) {
    for _ in 0..turns {
        std::hint::spin_loop();
    }
}

#[test]
fn tasks_of_several_cores_have_them_to_themselves() {
    let _turn = turn();
    workers(4);
    init().unwrap();
    let watch = Watch::new(4);
    let mut kinds = Vec::new();
    for wanted in 1..=6 {
        let seen = Arc::clone(&watch);
        let kind = processing(&[], c"wide", move |_| {
            seen.enter(i64::from(wanted));
            pause(2000);
            seen.leave(i64::from(wanted));
            0
        });
        assert_eq!(cores(kind, wanted), Code::DVM_SUCCESS);
        kinds.push(kind);
    }
    for turn in 0..4000_usize {
        let kind = kinds[(turn * 7 + turn / 5) % kinds.len()];
        if turn % 3 == 0 {
            near(kind, &[]).unwrap();
        } else {
            onto(rank_at(turn as u64 % 4), kind, &[]).unwrap();
        }
    }
    wait().unwrap();
    assert!(!watch.wrong.load(Ordering::SeqCst));
    assert_eq!(cores(kinds[0], 2), Code::DVM_ERR_STATE, "after its first task");
    finalize().unwrap();
}

/// Random programs of tasks that block, need cores, wait for each other in sections, fail, and schedule more.
#[test]
fn random_programs_of_blocking_and_wide_tasks_end() {
    let _turn = turn();
    watch(&SEED, |seed| format!("the program with DVM_TEST_SEED={seed} hangs"));
    for seed in testkit::costly_seeds(60, 10) {
        SEED.store(seed, Ordering::Relaxed);
        one_program(seed);
    }
    SEED.store(0, Ordering::Relaxed);
}

/// The seed of the running program.
static SEED: AtomicU64 = AtomicU64::new(0);

fn one_program(seed: u64) {
    let mut random = Random::new(seed);
    let count = random.below(5) + 1;
    workers(count);
    init().unwrap();
    let watch = Watch::new(count as i64);
    // Locks of parking_lot, which sanitizers see through: the standard library is not instrumented.
    let tokens: &'static (Mutex<u64>, Condvar) = Box::leak(Box::default());
    let leaf = processing(&[], c"leaf", |_| 0);
    let kinds: Vec<(Id, bool)> = (0..6)
        .map(|_| {
            let (wanted, shape) = (random.below(count + 2) + 1, random.below(5));
            let spins = random.below(3000) as u64;
            let seen = Arc::clone(&watch);
            let kind = processing(&[], c"random", move |_| {
                let cores = wanted as i64;
                seen.enter(cores);
                pause(spins);
                if shape == 1 || shape == 2 {
                    seen.leave(cores);
                    begin().unwrap();
                    let (lock, changed) = tokens;
                    let mut left = lock.lock();
                    while *left == 0 && shape == 1 {
                        changed.wait(&mut left);
                    }
                    *left -= u64::from(shape == 1);
                    drop(left);
                    end().unwrap();
                    seen.enter(cores);
                    pause(spins / 2);
                } else if shape == 3 {
                    near(leaf, &[]).unwrap();
                }
                seen.leave(cores);
                if shape == 4 {
                    begin().unwrap();
                }
                0
            });
            assert_eq!(cores(kind, wanted as i32), Code::DVM_SUCCESS);
            (kind, shape == 1)
        })
        .collect();
    // For each task that waits for a token, another task brings one, at any time and on any worker.
    let seen = Arc::clone(&watch);
    let brings = processing(&[], c"brings", move |_| {
        seen.enter(1);
        *tokens.0.lock() += 1;
        tokens.1.notify_one();
        seen.leave(1);
        0
    });
    for _ in 0..random.below(400) {
        let (kind, waits) = kinds[random.below(6)];
        let place = |random: &mut Random, kind| match random.below(3) {
            0 => near(kind, &[]).unwrap(),
            _ => onto(rank_at(random.below(count) as u64), kind, &[]).unwrap(),
        };
        place(&mut random, kind);
        if waits {
            place(&mut random, brings);
        }
    }
    wait().unwrap();
    assert!(!watch.wrong.load(Ordering::SeqCst), "cores were used twice");
    assert_eq!(watch.running.load(Ordering::SeqCst), 0);
    finalize().unwrap();
}

/// The tiles of a graph check that each runs once, after its predecessors in all carried coordinates.
struct Grid {
    rows: i64,
    columns: i64,
    ran: Vec<AtomicU64>,
    wrong: AtomicU64,
    pause: u64,
}

unsafe extern "C" fn blocking_tile(context: *mut std::ffi::c_void, tile: *const i64) -> i32 {
    let grid = unsafe { &*context.cast::<Grid>() };
    let (row, column) = unsafe { (*tile, *tile.add(1)) };
    let at = |row: i64, column: i64| &grid.ran[(row * grid.columns + column) as usize];
    let before = |row: i64, column: i64| row < 0 || column < 0 || at(row, column).load(Ordering::Acquire) == 1;
    if !before(row - 1, column) || !before(row, column - 1) {
        grid.wrong.fetch_add(1, Ordering::Relaxed);
    }
    // Some tiles pass their worker's slot to another thread, which continues the same graph.
    let blocks = (row * 7 + column * 3) % 4 == 0;
    if blocks {
        begin().unwrap();
        (0..grid.pause).for_each(|_| std::thread::yield_now());
        end().unwrap();
    }
    if at(row, column).fetch_add(1, Ordering::Release) != 0 {
        grid.wrong.fetch_add(1, Ordering::Relaxed);
    }
    0
}

/// A stand-in takes over the tiles in its worker's hand-off slot, and may fill that slot again.
#[test]
fn every_tile_runs_once_when_tiles_block() {
    let _turn = turn();
    for (count, rows, columns, pause) in
        [(1, 3, 400, 3), (2, 40, 60, 5), (2, 1, 500, 2), (3, 64, 64, 20), (2, 30, 100, 50)]
    {
        workers(count);
        init().unwrap();
        let ran = (0..rows * columns).map(|_| AtomicU64::new(0)).collect();
        let mut grid = Grid { rows, columns, ran, wrong: AtomicU64::new(0), pause };
        let (lower, upper, carried) = ([0, 0], [grid.rows - 1, grid.columns - 1], [1, 1]);
        let graph = dvm::ffi::c_functions::dvm_graph_t {
            size: size_of::<dvm::ffi::c_functions::dvm_graph_t>(),
            name: c"blocking".as_ptr(),
            dimension: 2,
            lower: lower.as_ptr(),
            upper: upper.as_ptr(),
            carried: carried.as_ptr(),
            context: (&raw mut grid).cast(),
            bounds: None,
            exists: None,
            run: Some(blocking_tile),
            predecessors: None,
            successors: None,
        };
        assert_eq!(
            unsafe { dvm::ffi::c_functions::dvm_graph_run(&raw const graph) },
            Code::DVM_SUCCESS,
            "{}",
            last_error()
        );
        assert_eq!(grid.wrong.load(Ordering::Relaxed), 0);
        assert!(grid.ran.iter().all(|ran| ran.load(Ordering::Relaxed) == 1), "{rows} x {columns}");
        finalize().unwrap();
    }
}

unsafe extern "C" fn asks_to_block(refused: *mut std::ffi::c_void, _tile: *const i64) -> i64 {
    let refused = unsafe { &*refused.cast::<AtomicU64>() };
    refused.fetch_add(u64::from(begin() == Err(Code::DVM_ERR_STATE)), Ordering::Relaxed);
    0
}

unsafe extern "C" fn does_nothing(_: *mut std::ffi::c_void, _tile: *const i64) -> i32 {
    0
}

unsafe extern "C" fn has_no_successors(
    _: *mut std::ffi::c_void,
    _tile: *const i64,
    _visit: dvm::ffi::c_functions::dvm_graph_visit_t,
    _visitor: *mut std::ffi::c_void,
) {
}

/// A worker asks for a tile's predecessors in the middle of a change of its lists.
#[test]
fn who_counts_predecessors_may_not_block() {
    let _turn = turn();
    workers(2);
    init().unwrap();
    let (lower, upper, refused) = ([0], [99], AtomicU64::new(0));
    let graph = dvm::ffi::c_functions::dvm_graph_t {
        size: size_of::<dvm::ffi::c_functions::dvm_graph_t>(),
        name: c"asks".as_ptr(),
        dimension: 1,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: std::ptr::null(),
        context: std::ptr::from_ref(&refused).cast_mut().cast(),
        bounds: None,
        exists: None,
        run: Some(does_nothing),
        predecessors: Some(asks_to_block),
        successors: Some(has_no_successors),
    };
    assert_eq!(
        unsafe { dvm::ffi::c_functions::dvm_graph_run(&raw const graph) },
        Code::DVM_SUCCESS,
        "{}",
        last_error()
    );
    assert!(refused.load(Ordering::Relaxed) >= 100);
    finalize().unwrap();
}
