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

fn run(change: impl FnOnce(&mut dvm_graph_t)) -> Code {
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
    unsafe { dvm_graph_run(&raw const graph) }
}

fn sizes(dimension: c_int, extent: *const i64, sizes: *mut i64) -> Code {
    unsafe { dvm_graph_sizes(c"abused".as_ptr(), dimension, extent, ptr::null(), None, null_mut(), sizes) }
}

static HUGE: [i64; 2] = [i64::MAX; 2];
static EXTENT: [i64; 2] = [100; 2];

type Change = fn(&mut dvm_graph_t);

pub fn rows(t: &mut Table) {
    t.spared.insert("dvm_graph_start", vec![Wrong::Null, Wrong::Range, Wrong::State, Wrong::Stale]);
    t.usual("dvm_graph_run", &[Wrong::Stale], |_| run(|_| ()));
    t.row("dvm_graph_run", Wrong::Null, "graph", DVM_ERR_ARGUMENT, |_| unsafe { dvm_graph_run(ptr::null()) });
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
        t.row("dvm_graph_run", kind, what, DVM_ERR_ARGUMENT, move |_| run(change));
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

/// A function and a call of it.
pub type Named = (&'static str, fn() -> Code);

/// Calls that a task may not make.
pub const NOT_IN_TASKS: [Named; 6] = [
    ("dvm_init", || unsafe { dvm_init() }),
    ("dvm_init_comm", || unsafe { dvm_init_comm(0) }),
    ("dvm_finalize", || unsafe { dvm_finalize() }),
    ("dvm_wait", || unsafe { dvm_wait() }),
    ("dvm_serve", || unsafe { dvm_serve() }),
    ("dvm_graph_run", || run(|_| ())),
];
