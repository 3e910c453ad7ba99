//! The graph interface as a C program sees it: run by the engine, sizes, errors.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use dvm::ffi::c_functions::{
    DVM_REGION_CLASSES, dvm_graph_run, dvm_graph_sizes, dvm_graph_start, dvm_graph_t, dvm_last_error, dvm_region_enter,
    dvm_region_entry_t, dvm_region_leave, dvm_region_run, dvm_region_t,
};
use dvm::ffi::dvm_retcode_t::{self, DVM_ERR_IN_TASK, DVM_ERR_NOT_INITIALIZED, DVM_ERR_TASK, DVM_SUCCESS};
use dvm::ffi::lifecycle;

fn dvm_init() -> dvm_retcode_t {
    // SAFETY: takes nothing; the tests take turns.
    unsafe { lifecycle::dvm_init() }
}

fn dvm_finalize() -> dvm_retcode_t {
    // SAFETY: takes nothing; the tests take turns.
    unsafe { lifecycle::dvm_finalize() }
}

/// libdvm is one per process: tests that start it take turns.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[derive(Default)]
struct Sum {
    tiles: AtomicU64,
    total: AtomicU64,
    nested: AtomicU64,
}

unsafe extern "C" fn add(context: *mut c_void, tile: *const i64) -> c_int {
    // SAFETY: the tests pass a `Sum` and two coordinates.
    let (sum, tile) = unsafe { (&*context.cast::<Sum>(), std::slice::from_raw_parts(tile, 2)) };
    sum.tiles.fetch_add(1, Ordering::Relaxed);
    sum.total.fetch_add((tile[0] * 1000 + tile[1]) as u64, Ordering::Relaxed);
    c_int::from(tile[0] == -1)
}

unsafe extern "C" fn nest(context: *mut c_void, _: *const i64) -> c_int {
    // SAFETY: the test passes a `Sum`.
    let sum = unsafe { &*context.cast::<Sum>() };
    let graph = graph(&[0, 0], &[1, 1], None, sum);
    // SAFETY: the graph is complete.
    sum.nested.fetch_add(unsafe { dvm_graph_run(&raw const graph) } as u64, Ordering::Relaxed);
    0
}

fn graph(lower: &[i64], upper: &[i64], carried: Option<&[c_int]>, sum: &Sum) -> dvm_graph_t {
    dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: c"test".as_ptr(),
        dimension: lower.len() as c_int,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: carried.map_or(ptr::null(), <[c_int]>::as_ptr),
        run: Some(add),
        predecessors: None,
        successors: None,
        context: ptr::from_ref(sum).cast_mut().cast(),
        bounds: None,
        exists: None,
    }
}

fn run(graph: &dvm_graph_t) -> dvm_retcode_t {
    // SAFETY: each graph of these tests is complete, or wrong in a way that must be refused.
    unsafe { dvm_graph_run(ptr::from_ref(graph)) }
}

fn message() -> String {
    // SAFETY: the text is valid until this thread's next failure.
    unsafe { CStr::from_ptr(dvm_last_error()) }.to_string_lossy().into_owned()
}

#[test]
fn graphs_run_between_start_and_finalize_also_several_at_once() {
    let _turn = turn();
    let sum = Sum::default();
    assert_eq!(run(&graph(&[0, 0], &[9, 9], None, &sum)), DVM_ERR_NOT_INITIALIZED);
    assert_eq!(dvm_graph_start(), DVM_SUCCESS);
    assert_eq!(dvm_graph_start(), DVM_SUCCESS);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert_eq!(run(&graph(&[0, 0], &[9, 9], Some(&[1, 1]), &sum)), DVM_SUCCESS);
                }
            });
        }
    });
    assert_eq!(sum.tiles.load(Ordering::Relaxed), 4 * 50 * 100);
    assert_eq!(sum.total.load(Ordering::Relaxed), 4 * 50 * (45 * 10 * 1000 + 45 * 10));
    // An explicit init takes the implicit start over, once.
    assert_eq!(dvm_init(), DVM_SUCCESS);
    assert_ne!(dvm_init(), DVM_SUCCESS);
    assert_eq!(dvm_finalize(), DVM_SUCCESS);
}

#[test]
fn empty_graphs_succeed_and_a_failed_tile_is_named() {
    let _turn = turn();
    assert_eq!(dvm_init(), DVM_SUCCESS);
    let sum = Sum::default();
    assert_eq!(run(&graph(&[0, 3], &[9, 2], None, &sum)), DVM_SUCCESS, "no tiles are no error");
    assert_eq!(run(&graph(&[-3, 0], &[3, 3], Some(&[1, 1]), &sum)), DVM_ERR_TASK);
    assert!(message().contains("tile [-1, "), "{}", message());
    assert_eq!(dvm_finalize(), DVM_SUCCESS, "the failure was reported by the run");
}

#[test]
fn a_tile_cannot_wait_for_a_graph() {
    let _turn = turn();
    assert_eq!(dvm_init(), DVM_SUCCESS);
    let sum = Sum::default();
    let outer = dvm_graph_t { run: Some(nest), ..graph(&[0, 0], &[1, 2], None, &sum) };
    assert_eq!(run(&outer), DVM_SUCCESS);
    assert_eq!(sum.nested.load(Ordering::Relaxed), 6 * DVM_ERR_IN_TASK as u64);
    assert_eq!(dvm_finalize(), DVM_SUCCESS);
}

/// The one tile of a graph runs on the calling thread, and once could run graphs until the stack was full.
#[test]
fn the_only_tile_of_a_graph_cannot_wait_for_a_graph_either() {
    let _turn = turn();
    assert_eq!(dvm_init(), DVM_SUCCESS);
    let sum = Sum::default();
    let outer = dvm_graph_t { run: Some(nest), ..graph(&[5, 5], &[5, 5], None, &sum) };
    assert_eq!(run(&outer), DVM_SUCCESS);
    assert_eq!(sum.nested.load(Ordering::Relaxed), DVM_ERR_IN_TASK as u64);
    assert_eq!(run(&outer), DVM_SUCCESS, "the thread is no tile any more");
    assert_eq!(dvm_finalize(), DVM_SUCCESS);
}

#[test]
fn sizes_are_chosen_and_given_ones_stay() {
    let _turn = turn();
    assert_eq!(dvm_init(), DVM_SUCCESS);
    let mut sizes = [0_i64, 7];
    let extent = [1000_i64, 1000];
    let ask = |dimension, sizes: &mut [i64; 2]| {
        let (name, carried) = (c"r".as_ptr(), ptr::null());
        // SAFETY: arrays of two, or a dimension that must be refused.
        unsafe { dvm_graph_sizes(name, dimension, extent.as_ptr(), carried, None, ptr::null_mut(), sizes.as_mut_ptr()) }
    };
    assert_eq!(ask(2, &mut sizes), DVM_SUCCESS);
    assert!(sizes[0] >= 1 && sizes[1] == 7, "{sizes:?}");
    assert_eq!(dvm_finalize(), DVM_SUCCESS);
}

/// Loops of a region: each tile runs once, whoever takes it, from several threads at a time and one after the other.
#[test]
fn loops_of_regions_run_each_tile_once() {
    let _turn = turn();
    assert_eq!(dvm_init(), DVM_SUCCESS);
    let loops = |upper: i64, rounds: u64| {
        for _ in 0..rounds {
            let sum = Sum::default();
            let ends = [upper, 4];
            let graph = graph(&[0, 1], &ends, None, &sum);
            // SAFETY: the graph is complete.
            assert_eq!(unsafe { dvm_region_run(&raw const graph) }, DVM_SUCCESS);
            let tiles = (upper as u64 + 1) * 4;
            assert_eq!(sum.tiles.load(Ordering::Relaxed), tiles);
            assert_eq!(sum.total.load(Ordering::Relaxed), (0..=upper as u64).map(|row| row * 4000 + 10).sum::<u64>());
        }
    };
    loops(30, 2000);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            scope.spawn(move || loops(5 + thread, 2000));
        }
    });
    loops(0, 1);
    assert_eq!(dvm_finalize(), DVM_SUCCESS);
}

#[test]
fn a_loop_of_a_region_fails_with_its_tile_and_is_refused_in_a_tile() {
    let _turn = turn();
    assert_eq!(dvm_init(), DVM_SUCCESS);
    let sum = Sum::default();
    let failing = graph(&[-1, 0], &[3, 3], None, &sum);
    // SAFETY: the graph is complete.
    assert_eq!(unsafe { dvm_region_run(&raw const failing) }, DVM_ERR_TASK);
    assert!(message().contains("tile [-1, ") && message().contains("failed with code 1"), "{}", message());
    let mut outer = graph(&[0, 0], &[2, 2], None, &sum);
    outer.run = Some(nest);
    // SAFETY: as above.
    assert_eq!(unsafe { dvm_region_run(&raw const outer) }, DVM_SUCCESS);
    assert_eq!(sum.nested.load(Ordering::Relaxed), 9 * DVM_ERR_IN_TASK as u64);
    assert_eq!(dvm_finalize(), DVM_SUCCESS);
}

/// Enters a region; the plain way takes `plain`, the other `tiled`, in milliseconds. Returns the way.
fn enter(region: &mut dvm_region_t, [plain, tiled]: [u64; 2]) -> i64 {
    if region.unasked[9] > 0 {
        region.unasked[9] -= 1; // 2^9 is the power of two of 1000
        return 0;
    }
    let mut entry = dvm_region_entry_t { way: -1, work: 0, begun: 0 };
    // SAFETY: both are complete.
    assert_eq!(unsafe { dvm_region_enter(region, 1000, &raw mut entry) }, DVM_SUCCESS);
    if entry.begun != 0 {
        std::thread::sleep(std::time::Duration::from_millis(if entry.way == 0 { plain } else { tiled }));
        // SAFETY: as above.
        assert_eq!(unsafe { dvm_region_leave(region, &raw const entry) }, DVM_SUCCESS);
    }
    entry.way
}

#[test]
fn a_region_keeps_the_faster_way() {
    let _turn = turn();
    assert_eq!(dvm_init(), DVM_SUCCESS);
    for (times, best) in [([1, 20], 0), ([20, 1], 1)] {
        let mut region = dvm_region_t {
            size: size_of::<dvm_region_t>(),
            name: c"learns".as_ptr(),
            line: 7,
            phase: -1,
            number: 0,
            unasked: [0; DVM_REGION_CLASSES],
        };
        for _ in 0..10 {
            enter(&mut region, times);
        }
        assert!((0..90).all(|_| enter(&mut region, times) == best));
        assert_eq!(region.unasked[9] > 0, best == 0);
    }
    assert_eq!(dvm_finalize(), DVM_SUCCESS);
}
