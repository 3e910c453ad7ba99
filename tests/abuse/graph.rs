//! Rows for parameterised graphs, and calls that are not for tasks.

use super::*;
use dvm::ffi::c_functions::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Tiles that ran although their graph was wrong.
pub static RAN: AtomicU64 = AtomicU64::new(0);

unsafe extern "C" fn tile(_: *mut c_void, _: *const i64) -> c_int {
    RAN.fetch_add(1, Ordering::Relaxed);
    0
}
unsafe extern "C" fn predecessors(_: *mut c_void, _: *const i64) -> i64 {
    0
}

unsafe extern "C" fn successors(_: *mut c_void, _: *const i64, _: dvm_graph_visit_t, _: *mut c_void) {}
unsafe extern "C" fn bounds(_: *mut c_void, _: i64, _: *const i64, _: *mut i64) {}

fn run(function: unsafe fn(*const dvm_graph_t) -> Code, change: impl FnOnce(&mut dvm_graph_t)) -> Code {
    let (lower, upper) = ([0_i64, 0], [3_i64, 3]);
    let mut graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: c"abused".as_ptr(),
        dimension: 2,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: ptr::null(),
        run: Some(tile),
        predecessors: None,
        successors: None,
        context: null_mut(),
        bounds: None,
        exists: None,
    };
    change(&mut graph);
    unsafe { function(&raw const graph) }
}

fn sizes(dimension: c_int, extent: *const i64, sizes: *mut i64) -> Code {
    unsafe { dvm_graph_sizes(c"abused".as_ptr(), dimension, extent, ptr::null(), None, null_mut(), sizes) }
}

static HUGE: [i64; 2] = [i64::MAX; 2];
static EXTENT: [i64; 2] = [100; 2];

unsafe fn run_graph(graph: *const dvm_graph_t) -> Code {
    unsafe { dvm_graph_run(graph) }
}

unsafe fn run_region(graph: *const dvm_graph_t) -> Code {
    unsafe { dvm_region_run(graph) }
}

type Change = fn(&mut dvm_graph_t);

pub fn rows(t: &mut Table) {
    t.spared.insert("dvm_graph_start", vec![Wrong::Null, Wrong::Range, Wrong::State, Wrong::Stale]);
    t.usual("dvm_graph_run", &[Wrong::Stale], |_| run(run_graph, |_| ()));
    t.usual("dvm_region_run", &[Wrong::Stale], |_| run(run_region, |_| ()));
    t.row("dvm_graph_run", Wrong::Null, "graph", DVM_ERR_ARGUMENT, |_| unsafe { dvm_graph_run(ptr::null()) });
    t.row("dvm_region_run", Wrong::Null, "graph", DVM_ERR_ARGUMENT, |_| unsafe { dvm_region_run(ptr::null()) });
    let wrong: [(Wrong, &str, Change); 9] = [
        (Wrong::State, "bounds beside predecessors", |graph| {
            graph.predecessors = Some(predecessors);
            graph.successors = Some(successors);
            graph.bounds = Some(bounds);
        }),
        (Wrong::Null, "run", |graph| graph.run = None),
        (Wrong::Null, "lower", |graph| graph.lower = ptr::null()),
        (Wrong::Null, "upper", |graph| graph.upper = ptr::null()),
        (Wrong::Null, "successors alone", |graph| graph.predecessors = Some(predecessors)),
        (Wrong::Range, "size", |graph| graph.size = 8),
        (Wrong::Range, "dimension", |graph| graph.dimension = -1),
        (Wrong::Range, "dimension", |graph| graph.dimension = 17),
        (Wrong::Range, "upper", |graph| graph.upper = HUGE.as_ptr()),
    ];
    for (kind, what, change) in wrong {
        t.row("dvm_graph_run", kind, what, DVM_ERR_ARGUMENT, move |_| run(run_graph, change));
        t.row("dvm_region_run", kind, what, DVM_ERR_ARGUMENT, move |_| run(run_region, change));
    }
    t.usual("dvm_graph_sizes", &[Wrong::State, Wrong::Stale], |_| sizes(2, EXTENT.as_ptr(), at([0_i64; 2]).cast()));
    t.row("dvm_graph_sizes", Wrong::Null, "extent", DVM_ERR_ARGUMENT, |_| sizes(2, ptr::null(), at([0_i64; 2]).cast()));
    t.row("dvm_graph_sizes", Wrong::Null, "sizes", DVM_ERR_ARGUMENT, |_| sizes(2, EXTENT.as_ptr(), null_mut()));
    for dimension in [-1, c_int::MIN, 17, c_int::MAX] {
        t.row("dvm_graph_sizes", Wrong::Range, "dimension", DVM_ERR_ARGUMENT, move |_| {
            sizes(dimension, EXTENT.as_ptr(), at([0_i64; 2]).cast())
        });
    }
    t.row("dvm_graph_sizes", Wrong::Range, "size", DVM_ERR_ARGUMENT, |_| {
        let wanted = at([-5_i64, 7]);
        let code = sizes(2, EXTENT.as_ptr(), wanted.cast());
        assert_eq!(unsafe { *wanted }, [-5, 7], "an output was written");
        code
    });
}

/// A record; libdvm keeps what belongs to it, so each has a place of its own.
fn record(size: usize) -> *mut dvm_region_t {
    let name = c"abused".as_ptr();
    let unasked = [0; DVM_REGION_CLASSES];
    Box::leak(Box::new(dvm_region_t { size, name, line: 1, phase: -1, number: 0, unasked }))
}

fn entry(begun: u64) -> *mut dvm_region_entry_t {
    Box::leak(Box::new(dvm_region_entry_t { way: 1, work: 10, begun }))
}

/// Rows for what generated code calls at a region.
pub fn region_rows(t: &mut Table) {
    const SIZE: usize = size_of::<dvm_region_t>();
    let enter = |region, entry| unsafe { dvm_region_enter(region, 1000, entry) };
    let leave = |region, entry: *mut dvm_region_entry_t| unsafe { dvm_region_leave(region, entry) };
    t.usual("dvm_region_enter", &[Wrong::State, Wrong::Stale], move |_| enter(record(SIZE), entry(0)));
    t.row("dvm_region_enter", Wrong::Null, "region", DVM_ERR_ARGUMENT, move |_| enter(null_mut(), entry(0)));
    t.row("dvm_region_enter", Wrong::Null, "entry", DVM_ERR_ARGUMENT, move |_| enter(record(SIZE), null_mut()));
    t.row("dvm_region_enter", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |_| enter(record(8), entry(0)));
    t.usual("dvm_region_leave", &[Wrong::Stale], move |_| leave(record(SIZE), entry(1)));
    t.row("dvm_region_leave", Wrong::Null, "region", DVM_ERR_ARGUMENT, move |_| leave(null_mut(), entry(1)));
    t.row("dvm_region_leave", Wrong::Null, "entry", DVM_ERR_ARGUMENT, move |_| leave(record(SIZE), null_mut()));
    t.row("dvm_region_leave", Wrong::State, "not timed", DVM_ERR_ARGUMENT, move |_| leave(record(SIZE), entry(0)));
    t.row("dvm_region_leave", Wrong::Range, "later", DVM_ERR_ARGUMENT, move |_| leave(record(SIZE), entry(u64::MAX)));
    t.row("dvm_region_leave", Wrong::Range, "work", DVM_ERR_ARGUMENT, move |_| {
        let past: *mut dvm_region_entry_t = entry(1);
        unsafe { (*past).work = 64 };
        leave(record(SIZE), past)
    });
    let sizes = |region, dimension, extent, sizes| unsafe {
        dvm_region_sizes(region, dimension, extent, ptr::null(), None, null_mut(), sizes)
    };
    let (extent, none) = (EXTENT.as_ptr(), || at([0_i64; 2]).cast());
    t.usual("dvm_region_sizes", &[Wrong::State, Wrong::Stale], move |_| sizes(record(SIZE), 2, extent, none()));
    t.row("dvm_region_sizes", Wrong::Null, "region", DVM_ERR_ARGUMENT, move |_| sizes(null_mut(), 2, extent, none()));
    t.row("dvm_region_sizes", Wrong::Null, "extent", DVM_ERR_ARGUMENT, move |_| {
        sizes(record(SIZE), 2, ptr::null(), none())
    });
    t.row("dvm_region_sizes", Wrong::Range, "dimension", DVM_ERR_ARGUMENT, move |_| {
        sizes(record(SIZE), 17, extent, none())
    });
    t.row("dvm_region_sizes", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |_| {
        sizes(record(SIZE), 2, extent, at([-70_000_i64, 7]).cast())
    });
    t.spared.insert("dvm_region_waits", vec![Wrong::Range, Wrong::State, Wrong::Stale]);
    t.row("dvm_region_waits", Wrong::Null, "waits", DVM_ERR_ARGUMENT, |_| unsafe { dvm_region_waits(1, null_mut()) });
}

unsafe extern "C" fn body(_: *mut c_void, _: *mut c_void) -> c_int {
    RAN.fetch_add(1, Ordering::Relaxed);
    0
}

unsafe extern "C" fn places(_: *mut c_void, _: *mut *mut c_void) {}

/// A region of no phases that can run on several processes.
fn region_of_several() -> dvm_across_t {
    dvm_across_t {
        size: size_of::<dvm_across_t>(),
        name: c"abused".as_ptr(),
        flows_count: 0,
        phases_count: 0,
        arrays_count: 0,
        flows: ptr::null(),
        phases: ptr::null(),
        body: Some(body),
        context: 0,
        members_count: 0,
        members: ptr::null(),
        places: Some(places),
        buffers: 0,
        ahead: -1,
        offered: null_mut(),
        work: None,
        record: null_mut(),
    }
}

/// Runs a region on several processes.
fn across(change: impl FnOnce(&mut dvm_across_t), ran: *mut c_int) -> Code {
    let mut region = region_of_several();
    change(&mut region);
    unsafe { dvm_across_run(&raw const region, null_mut(), ptr::null(), 0, 1, ran) }
}

/// Gives a graph to no call of a region.
unsafe fn give_graph(graph: *const dvm_graph_t) -> Code {
    let (zero, one) = ([0_i64; 2], [1_i64; 2]);
    unsafe { dvm_across_graph(null_mut(), graph, 0, 0, ptr::null(), zero.as_ptr(), one.as_ptr()) }
}

/// Rows for what generated code calls at a region that runs on several processes; here there is one.
pub fn across_rows(t: &mut Table) {
    let ran = || at(0 as c_int).cast();
    t.spared.insert("dvm_across_begins", vec![Wrong::Range, Wrong::State, Wrong::Stale]);
    t.row("dvm_across_begins", Wrong::Null, "across", DVM_ERR_ARGUMENT, |_| unsafe { dvm_across_begins(null_mut()) });
    t.spared.insert("dvm_across_loop", vec![Wrong::Null, Wrong::Range, Wrong::State, Wrong::Stale]);
    t.usual("dvm_across_run", &[Wrong::Stale], move |_| across(|_| (), ran()));
    t.row("dvm_across_run", Wrong::State, "one process", DVM_ERR_STATE, move |_| across(|_| (), ran()));
    t.row("dvm_across_run", Wrong::Null, "ran", DVM_ERR_ARGUMENT, |_| across(|_| (), null_mut()));
    t.row("dvm_across_run", Wrong::Null, "body", DVM_ERR_ARGUMENT, move |_| across(|region| region.body = None, ran()));
    t.row("dvm_across_run", Wrong::Null, "flows", DVM_ERR_ARGUMENT, move |_| {
        across(|region| region.flows_count = 1, ran())
    });
    t.row("dvm_across_run", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |_| across(|region| region.size = 8, ran()));
    let known = |change: fn(&mut dvm_across_t)| {
        let mut region = region_of_several();
        change(&mut region);
        unsafe { dvm_across_known(&raw const region) }
    };
    t.spared.insert("dvm_across_known", vec![Wrong::State, Wrong::Stale]);
    t.row("dvm_across_known", Wrong::Null, "body", DVM_ERR_ARGUMENT, move |_| known(|region| region.body = None));
    t.row("dvm_across_known", Wrong::Null, "places", DVM_ERR_ARGUMENT, move |_| known(|region| region.places = None));
    t.row("dvm_across_known", Wrong::Null, "members", DVM_ERR_ARGUMENT, move |_| {
        known(|region| region.members_count = 1)
    });
    t.row("dvm_across_known", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |_| known(|region| region.size = 8));
    t.spared.insert("dvm_across_serve", vec![Wrong::Null, Wrong::Range, Wrong::State, Wrong::Stale]);
    let sizes = |count, sizes| unsafe { dvm_across_sizes(null_mut(), count, sizes) };
    t.usual("dvm_across_sizes", &[Wrong::State, Wrong::Stale], move |_| sizes(2, at([1_i64; 2]).cast()));
    t.row("dvm_across_sizes", Wrong::Null, "call", DVM_ERR_ARGUMENT, move |_| sizes(2, at([1_i64; 2]).cast()));
    t.row("dvm_across_sizes", Wrong::Null, "sizes", DVM_ERR_ARGUMENT, move |_| sizes(2, null_mut()));
    t.row("dvm_across_sizes", Wrong::Range, "count", DVM_ERR_ARGUMENT, move |_| sizes(17, at([1_i64; 2]).cast()));
    t.usual("dvm_across_graph", &[Wrong::State, Wrong::Stale], |_| run(give_graph, |_| ()));
    t.row("dvm_across_graph", Wrong::Null, "call", DVM_ERR_ARGUMENT, |_| run(give_graph, |_| ()));
    t.row("dvm_across_graph", Wrong::Range, "dimension", DVM_ERR_ARGUMENT, |_| {
        run(give_graph, |graph| graph.dimension = 17)
    });
}

/// A function and a call of it.
pub type Named = (&'static str, fn() -> Code);

/// Calls that a task may not make.
pub const NOT_IN_TASKS: [Named; 10] = [
    ("dvm_init", || unsafe { dvm_init() }),
    ("dvm_init_comm", || unsafe { dvm_init_comm(0) }),
    ("dvm_finalize", || unsafe { dvm_finalize() }),
    ("dvm_wait", || unsafe { dvm_wait() }),
    ("dvm_serve", || unsafe { dvm_serve() }),
    ("dvm_graph_run", || run(run_graph, |_| ())),
    ("dvm_region_run", || run(run_region, |_| ())),
    ("dvm_across_run", || across(|_| (), at(0 as c_int).cast())),
    ("dvm_across_sizes", || unsafe { dvm_across_sizes(null_mut(), 2, at([1_i64; 2]).cast()) }),
    ("dvm_across_graph", || run(give_graph, |_| ())),
];
