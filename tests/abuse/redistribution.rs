//! Wrong calls of distributions, plans, redistributions and strided copies.

use super::*;

use dvm::ffi::c_functions::*;

/// A descriptor that is right.
const GOOD: [i64; 9] = [1, 0, 8, 8, 2, 2, 0, 0, 8];
type PerDimension = unsafe extern "C" fn(dvm_distribution_t, i64, *mut i64, c_int) -> Code;
type Side = fn(dvm_dma_t, i64, i64, i64, i64) -> Code;

/// Handles of distributions, plans and engines that were never given, or are not given any more.
const NO_HANDLE: [u64; 4] = [0, u64::MAX, 1 << 32 | 0xffff_ffff, 7 << 48];

/// A distribution of 8 elements over two memories, 0 to 3 in the first.
fn halves() -> dvm_distribution_t {
    let (mut handle, eight, none, two) = (dvm_distribution_t::from(0), 8_i64, 0_i64, 2_i64);
    let code =
        unsafe { dvm_distribution_block_cyclic(1, &raw const eight, &raw const none, &raw const two, &raw mut handle) };
    assert_eq!(code, DVM_SUCCESS);
    handle
}

/// A plan from halves to halves, of 4 elements per memory.
fn plan_of_halves() -> dvm_redistribution_t {
    let mut plan = 0.into();
    assert_eq!(unsafe { dvm_redistribution_plan(halves(), halves(), 0, &raw mut plan) }, DVM_SUCCESS);
    plan
}

impl Table {
    /// Rows for a function that takes a handle of a distribution, a plan or an engine. Distributions and plans may be used at any
    /// time, so that no state is wrong for them.
    fn handle<H: From<u64> + Copy + 'static>(
        &mut self,
        function: &'static str,
        freed: H,
        call: impl Fn(H) -> Code + Clone + 'static,
    ) {
        for never in NO_HANDLE {
            let call = call.clone();
            self.row(function, Wrong::Range, "never given", DVM_ERR_ID, move |_| call(never.into()));
        }
        self.row(function, Wrong::Stale, "freed", DVM_ERR_ID, move |_| call(freed));
    }

    /// A function that may be called at any time.
    fn any_time(&mut self, function: &'static str, spared: &[Wrong]) {
        self.spared.insert(function, spared.to_vec());
    }
}

type MadeOfSizes = unsafe extern "C" fn(c_int, *const i64, *const i64, *const i64, *mut dvm_distribution_t) -> Code;

pub(super) fn distribution_rows(t: &mut Table) {
    let made = &[Wrong::State, Wrong::Stale];
    let numbers = || at([4_i64; 16]).cast::<i64>().cast_const();
    let text = |text: &'static std::ffi::CStr| text.as_ptr();
    t.any_time("dvm_distribution_parse", made);
    t.row("dvm_distribution_parse", Wrong::Null, "text", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_distribution_parse(ptr::null(), ptr::null(), out())
    });
    t.row("dvm_distribution_parse", Wrong::Null, "distribution", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_parse(text(c"t = 0"), ptr::null(), null_mut())
    });
    for (what, wrong, values) in [
        ("empty", c"", c""),
        ("no dimension", c"# nothing", c""),
        ("unknown name", c"t = N", c"M=1"),
        ("values", c"t = N", c"N=one"),
        ("circle", c"t=0; + 1*a data cell 0 .. b; + 1*b data cell 0 .. a", c""),
        ("overflow", c"t=0; + 1*a data cell 0 .. 4611686018427387905", c""),
        ("brackets", c"{\"dims\": [[[[", c""),
    ] {
        t.row("dvm_distribution_parse", Wrong::Range, what, DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_parse(text(wrong), text(values), out())
        });
    }

    t.any_time("dvm_distribution_make", made);
    let make = move |dimensions: c_int,
                     variables: c_int,
                     dimension: c_int,
                     lists: *const i64,
                     into: *mut dvm_distribution_t| unsafe {
        let (dims, arch) = (at([dimension; 4]).cast_const().cast(), at([0; 4]).cast_const().cast());
        dvm_distribution_make(dimensions, ptr::null(), ptr::null(), variables, dims, arch, lists, lists, lists, into)
    };
    t.row("dvm_distribution_make", Wrong::Null, "coef", DVM_ERR_ARGUMENT, move |_| make(1, 1, 0, ptr::null(), out()));
    t.row("dvm_distribution_make", Wrong::Null, "out", DVM_ERR_ARGUMENT, move |_| make(1, 1, 0, numbers(), null_mut()));
    for (dimensions, variables, dimension) in
        [(0, 1, 0), (-1, 1, 0), (17, 1, 0), (c_int::MAX, 1, 0), (1, -1, 0), (1, c_int::MIN, 0), (1, 1, 1), (1, 1, -1)]
    {
        t.row("dvm_distribution_make", Wrong::Range, "count", DVM_ERR_ARGUMENT, move |_| {
            make(dimensions, variables, dimension, numbers(), out())
        });
    }
    for (number, what) in [(i64::MAX, "overflow"), (i64::MIN, "overflow below")] {
        t.row("dvm_distribution_make", Wrong::Range, what, DVM_ERR_ARGUMENT, move |_| {
            make(1, 1, 0, at([number; 16]).cast_const().cast(), out())
        });
    }

    let halo: MadeOfSizes = {
        unsafe extern "C" fn halo(
            d: c_int,
            e: *const i64,
            p: *const i64,
            b: *const i64,
            into: *mut dvm_distribution_t,
        ) -> Code {
            unsafe { dvm_distribution_halo(d, e, p, b, b, into) }
        }
        halo
    };
    for (function, call) in [
        ("dvm_distribution_block_cyclic", dvm_distribution_block_cyclic as MadeOfSizes),
        ("dvm_distribution_halo", halo),
    ] {
        t.any_time(function, made);
        t.row(function, Wrong::Null, "elements", DVM_ERR_ARGUMENT, move |_| unsafe {
            call(1, ptr::null(), numbers(), numbers(), out())
        });
        t.row(function, Wrong::Null, "second", DVM_ERR_ARGUMENT, move |_| unsafe {
            call(1, numbers(), ptr::null(), numbers(), out())
        });
        t.row(function, Wrong::Null, "third", DVM_ERR_ARGUMENT, move |_| unsafe {
            call(1, numbers(), numbers(), ptr::null(), out())
        });
        t.row(function, Wrong::Null, "out", DVM_ERR_ARGUMENT, move |_| unsafe {
            call(1, numbers(), numbers(), numbers(), null_mut())
        });
        for dimensions in [0, -1, 17, c_int::MIN] {
            t.row(function, Wrong::Range, "dimensions", DVM_ERR_ARGUMENT, move |_| unsafe {
                call(dimensions, numbers(), numbers(), numbers(), out())
            });
        }
        for number in [-1, i64::MIN, i64::MAX] {
            let wrong = move || at([number; 16]).cast_const().cast();
            t.row(function, Wrong::Range, "numbers", DVM_ERR_ARGUMENT, move |_| unsafe {
                call(1, numbers(), wrong(), wrong(), out())
            });
            t.row(function, Wrong::Range, "elements", DVM_ERR_ARGUMENT, move |_| unsafe {
                call(1, wrong(), wrong(), numbers(), out())
            });
        }
    }

    let narrow = |d: [i64; 9]| at(d.map(|v| v as c_int)).cast_const().cast::<c_int>();
    let wide = |d: [i64; 9]| at(d).cast_const().cast::<i64>();
    t.any_time("dvm_distribution_scalapack", made);
    t.any_time("dvm_distribution_scalapack_64", made);
    t.row("dvm_distribution_scalapack", Wrong::Null, "descriptor", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_distribution_scalapack(ptr::null(), 2, 2, out())
    });
    t.row("dvm_distribution_scalapack_64", Wrong::Null, "descriptor", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_distribution_scalapack_64(ptr::null(), 2, 2, out())
    });
    t.row("dvm_distribution_scalapack", Wrong::Null, "out", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_scalapack(narrow(GOOD), 2, 2, null_mut())
    });
    t.row("dvm_distribution_scalapack_64", Wrong::Null, "out", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_scalapack_64(wide(GOOD), 2, 2, null_mut())
    });
    for (place, value) in [(0, 2), (2, -1), (3, -1), (4, 0), (5, -2), (6, 2), (7, -1), (8, 0), (8, 3)] {
        let mut wrong = GOOD;
        wrong[place] = value;
        t.row("dvm_distribution_scalapack", Wrong::Range, "descriptor", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_scalapack(narrow(wrong), 2, 2, out())
        });
        t.row("dvm_distribution_scalapack_64", Wrong::Range, "descriptor", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_scalapack_64(wide(wrong), 2, 2, out())
        });
    }
    for grid in [0, -1, i32::MIN] {
        t.row("dvm_distribution_scalapack", Wrong::Range, "grid", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_scalapack(narrow(GOOD), 2, grid, out())
        });
        t.row("dvm_distribution_scalapack_64", Wrong::Range, "grid", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_scalapack_64(wide(GOOD), grid.into(), 2, out())
        });
    }
    layout_rows(t);
}

fn layout_rows(t: &mut Table) {
    let known = halves();
    let freed = halves();
    assert_eq!(dvm_distribution_free(freed), DVM_SUCCESS);
    t.any_time("dvm_distribution_free", &[Wrong::Null, Wrong::State]);
    t.handle("dvm_distribution_free", freed, |d| dvm_distribution_free(d));
    t.any_time("dvm_distribution_memories", &[Wrong::State]);
    t.handle("dvm_distribution_memories", freed, |d| unsafe { dvm_distribution_memories(d, out()) });
    t.row("dvm_distribution_memories", Wrong::Null, "memories", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_memories(known, null_mut())
    });
    t.any_time("dvm_distribution_size", &[Wrong::State]);
    t.handle("dvm_distribution_size", freed, |d| unsafe { dvm_distribution_size(d, 0, out()) });
    t.row("dvm_distribution_size", Wrong::Null, "elements", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_size(known, 0, null_mut())
    });
    for (function, call) in [
        ("dvm_distribution_extents", dvm_distribution_extents as PerDimension),
        ("dvm_distribution_strides", dvm_distribution_strides as PerDimension),
    ] {
        t.any_time(function, if function == "dvm_distribution_strides" { &[] } else { &[Wrong::State] });
        t.handle(function, freed, move |d| unsafe { call(d, 0, out(), 1) });
        t.row(function, Wrong::Null, "array", DVM_ERR_ARGUMENT, move |_| unsafe { call(known, 0, null_mut(), 1) });
        for count in [-1, 0, 2, c_int::MAX] {
            t.row(function, Wrong::Range, "count", DVM_ERR_SIZE, move |_| unsafe { call(known, 0, out(), count) });
        }
        for memory in [-1, 2, i64::MIN, i64::MAX] {
            t.row(function, Wrong::Range, "memory", DVM_ERR_ARGUMENT, move |_| unsafe {
                call(known, memory, out(), 1)
            });
        }
    }
    let mut mixed = 0.into();
    let tiles = c"t=0; + 2*a data cell 0 .. 3; + 1*b data cell 0 .. 1; t=0; + 2*c data cell 0 .. 3; + 1*d data cell 0 .. 1; layout a, c, b, d";
    assert_eq!(unsafe { dvm_distribution_parse(tiles.as_ptr(), ptr::null(), &raw mut mixed) }, DVM_SUCCESS);
    t.row("dvm_distribution_strides", Wrong::State, "interleaved", DVM_ERR_STATE, move |_| unsafe {
        dvm_distribution_strides(mixed, 0, at([0_i64; 2]).cast(), 2)
    });
    t.row("dvm_distribution_set_strides", Wrong::State, "interleaved", DVM_ERR_STATE, move |_| unsafe {
        dvm_distribution_set_strides(mixed, 0, at([8_i64, 1]).cast_const().cast(), 2)
    });
    for memory in [-1, 2, i64::MIN, i64::MAX] {
        t.row("dvm_distribution_size", Wrong::Range, "memory", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_size(known, memory, out())
        });
    }
    t.any_time("dvm_distribution_set_order", &[Wrong::State]);
    t.handle("dvm_distribution_set_order", freed, |d| unsafe { dvm_distribution_set_order(d, at(0), 1) });
    t.row("dvm_distribution_set_order", Wrong::Null, "order", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_set_order(known, ptr::null(), 1)
    });
    t.any_time("dvm_distribution_set_strides", &[]);
    t.handle("dvm_distribution_set_strides", freed, |d| unsafe { dvm_distribution_set_strides(d, -1, at(1), 1) });
    t.row("dvm_distribution_set_strides", Wrong::Null, "strides", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_set_strides(known, -1, ptr::null(), 1)
    });
    process_rows(t, known, freed);
    for (count, value) in [(-1, 0), (0, 0), (2, 0), (17, 0), (1, -1), (1, 1)] {
        t.row("dvm_distribution_set_order", Wrong::Range, "order", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_set_order(known, at([value; 17]).cast_const().cast(), count)
        });
    }
    for (memory, stride, count) in
        [(-1, 0, 1), (-1, -1, 1), (0, i64::MIN, 1), (-1, i64::MAX, 1), (2, 1, 1), (-2, 1, 1), (-1, 1, 2)]
    {
        t.row("dvm_distribution_set_strides", Wrong::Range, "strides", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_set_strides(known, memory, at([stride; 2]).cast_const().cast(), count)
        });
    }
}

/// Rows of the calls that say which processes have the memories: the distribution has two.
fn process_rows(t: &mut Table, known: dvm_distribution_t, freed: dvm_distribution_t) {
    let zeros = || at([0_i64; 4]).cast::<i64>().cast_const();
    t.any_time("dvm_distribution_set_processes", &[Wrong::State]);
    t.handle("dvm_distribution_set_processes", freed, move |d| unsafe {
        dvm_distribution_set_processes(d, zeros(), 2)
    });
    t.row("dvm_distribution_set_processes", Wrong::Null, "processes", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_distribution_set_processes(known, ptr::null(), 2)
    });
    for (count, process) in [(-1, 0), (1, 0), (3, 0), (2, -1), (2, 1 << 32), (2, i64::MIN)] {
        t.row("dvm_distribution_set_processes", Wrong::Range, "processes", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_set_processes(known, at([process; 4]).cast_const().cast(), count)
        });
    }
    t.any_time("dvm_distribution_set_grid", &[Wrong::Null, Wrong::State]);
    t.handle("dvm_distribution_set_grid", freed, move |d| unsafe { dvm_distribution_set_grid(d, 0, zeros(), 2) });
    for (order, count, process) in [(2, 2, 0), (-1, 2, 0), (0, 1, 0), (1, -1, 0), (0, 2, -1)] {
        t.row("dvm_distribution_set_grid", Wrong::Range, "processes", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_distribution_set_grid(known, order, at([process; 4]).cast_const().cast(), count)
        });
    }
}

/// Calls that a task may not make.
pub const NOT_IN_TASKS: [super::graph::Named; 1] = [("dvm_redistribute", || unsafe {
    dvm_redistribute(dvm_redistribution_t { number: 0 }, 0, ptr::null(), null_mut(), null_mut())
})];

pub(super) fn plan_rows(t: &mut Table) {
    let (known, freed) = (halves(), halves());
    assert_eq!(dvm_distribution_free(freed), DVM_SUCCESS);
    t.any_time("dvm_redistribution_plan", &[Wrong::State]);
    t.handle("dvm_redistribution_plan", freed, move |d| unsafe { dvm_redistribution_plan(d, known, 0, out()) });
    t.handle("dvm_redistribution_plan", freed, move |d| unsafe { dvm_redistribution_plan(known, d, 0, out()) });
    t.row("dvm_redistribution_plan", Wrong::Null, "plan", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_redistribution_plan(known, known, 0, null_mut())
    });
    t.row("dvm_redistribution_plan", Wrong::Range, "unnamed", DVM_ERR_STATE, move |_| unsafe {
        dvm_redistribution_plan(known, known, 2, out())
    });
    for flags in [4, -1, c_int::MIN] {
        t.row("dvm_redistribution_plan", Wrong::Range, "flags", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_redistribution_plan(known, known, flags, out())
        });
    }
    let (plan, gone) = (plan_of_halves(), plan_of_halves());
    assert_eq!(dvm_redistribution_free(gone), DVM_SUCCESS);
    t.any_time("dvm_redistribution_free", &[Wrong::Null, Wrong::State]);
    t.handle("dvm_redistribution_free", gone, |p| dvm_redistribution_free(p));
    let figures = |size: usize| {
        let mut figures: dvm_redistribution_figures_t = unsafe { std::mem::zeroed() };
        figures.size = size;
        ptr::from_mut(Box::leak(Box::new(figures)))
    };
    let size = size_of::<dvm_redistribution_figures_t>();
    t.any_time("dvm_redistribution_figures", &[Wrong::State]);
    t.handle("dvm_redistribution_figures", gone, move |p| unsafe { dvm_redistribution_figures(p, 8, figures(size)) });
    t.row("dvm_redistribution_figures", Wrong::Null, "figures", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_redistribution_figures(plan, 8, null_mut())
    });
    for (element, size) in [(0, size), (65, size), (usize::MAX, size), (8, 0), (8, size - 8), (8, size + 8)] {
        t.row("dvm_redistribution_figures", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_redistribution_figures(plan, element, figures(size))
        });
    }
    t.any_time("dvm_redistribution_message", &[Wrong::State]);
    t.handle("dvm_redistribution_message", gone, |p| unsafe { dvm_redistribution_message(p, 0, 0, out()) });
    t.row("dvm_redistribution_message", Wrong::Null, "elements", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_redistribution_message(plan, 0, 0, null_mut())
    });
    for (source, target) in [(-1, 0), (2, 0), (0, -1), (0, 2), (i64::MAX, 0), (0, i64::MIN)] {
        t.row("dvm_redistribution_message", Wrong::Range, "memory", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_redistribution_message(plan, source, target, out())
        });
    }
    t.any_time("dvm_redistribution_received", &[Wrong::State]);
    t.handle("dvm_redistribution_received", gone, |p| unsafe { dvm_redistribution_received(p, out(), out()) });
    t.row("dvm_redistribution_received", Wrong::Null, "messages", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_redistribution_received(plan, null_mut(), out())
    });
    t.row("dvm_redistribution_received", Wrong::Null, "bytes", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_redistribution_received(plan, out(), null_mut())
    });
    let room = || at([0_i64; 64]).cast::<i64>();
    t.any_time("dvm_redistribution_descriptor", &[Wrong::State]);
    t.handle("dvm_redistribution_descriptor", gone, move |p| unsafe {
        dvm_redistribution_descriptor(p, 0, room(), 64)
    });
    t.row("dvm_redistribution_descriptor", Wrong::Null, "descriptor", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_redistribution_descriptor(plan, 0, null_mut(), 64)
    });
    for (index, count, expected) in
        [(-1, 64, DVM_ERR_ARGUMENT), (2, 64, DVM_ERR_ARGUMENT), (0, -1, DVM_ERR_ARGUMENT), (0, 7, DVM_ERR_SIZE)]
    {
        t.row("dvm_redistribution_descriptor", Wrong::Range, "place", expected, move |_| unsafe {
            dvm_redistribution_descriptor(plan, index, room(), count)
        });
    }
    round_rows(t, plan, gone);
}

/// Rows of the two calls that redistribute. Each memory of the plan has 4 elements; the world's data have 8 bytes.
fn round_rows(t: &mut Table, plan: dvm_redistribution_t, gone: dvm_redistribution_t) {
    type Call = fn(dvm_redistribution_t, c_int, *const usize, *mut Id, *mut Id) -> Code;
    let calls: [(&'static str, Call); 2] = [
        ("dvm_redistribute", |p, n, e, s, t| unsafe { dvm_redistribute(p, n, e, s, t) }),
        ("dvm_redistribute_start", |p, n, e, s, t| unsafe { dvm_redistribute_start(p, n, e, s, t, out()) }),
    ];
    for (function, call) in calls {
        let ids = |a: Id, b: Id| at([a, b]).cast::<Id>();
        let two = move |source: Id, target: Id, bytes: usize| {
            call(plan, 1, at(bytes), ids(source, source), ids(target, [0, 0]))
        };
        t.usual(function, &[], move |w| call(plan, 0, ptr::null(), ids(w.datum, w.datum), ids(w.promise, w.promise)));
        t.handle(function, gone, move |p| call(p, 0, ptr::null(), null_mut(), null_mut()));
        t.row(function, Wrong::Null, "element", DVM_ERR_ARGUMENT, move |w| {
            call(plan, 1, ptr::null(), ids(w.datum, w.datum), ids(w.promise, w.promise))
        });
        t.row(function, Wrong::Null, "source", DVM_ERR_ARGUMENT, move |w| {
            call(plan, 1, at(1), null_mut(), ids(w.promise, w.promise))
        });
        t.row(function, Wrong::Null, "target", DVM_ERR_ARGUMENT, move |w| {
            call(plan, 1, at(1), ids(w.datum, w.datum), null_mut())
        });
        for arrays in [-1, c_int::MIN] {
            t.row(function, Wrong::Range, "arrays", DVM_ERR_ARGUMENT, move |w| {
                call(plan, arrays, at(1), ids(w.datum, w.datum), ids(w.promise, w.promise))
            });
        }
        for bytes in [0, 65, usize::MAX] {
            t.row(function, Wrong::Range, "bytes", DVM_ERR_ARGUMENT, move |w| two(w.datum, w.promise, bytes));
        }
        t.row(function, Wrong::Range, "too small", DVM_ERR_SIZE, move |w| two(w.datum, w.promise, 3));
        t.row(function, Wrong::Range, "no memory", DVM_ERR_ID, move |w| two(w.datum, w.promise, 1));
        for never in NEVER_GIVEN {
            t.row(function, Wrong::Range, "datum", DVM_ERR_ID, move |w| two(never, w.promise, 1));
        }
        t.row(function, Wrong::Stale, "datum", DVM_ERR_ID, move |w| two(w.freed, w.promise, 1));
        let both =
            move |source: Id, target: Id, other: Id| call(plan, 1, at(1), ids(source, source), ids(target, other));
        t.row(function, Wrong::State, "in place", DVM_ERR_ARGUMENT, move |w| both(w.datum, w.datum, w.promise));
        t.row(function, Wrong::State, "one target twice", DVM_ERR_ARGUMENT, move |w| both(w.taken, w.datum, w.datum));
        t.row(function, Wrong::State, "has a producer", DVM_ERR_STATE, move |w| both(w.datum, w.claimed, w.promise));
        t.row(function, Wrong::State, "is its source", DVM_ERR_STATE, move |w| {
            call(plan, 1, at(1), ids(w.datum, w.promise), ids(w.promise, w.next))
        });
    }
    t.row("dvm_redistribute_start", Wrong::Null, "done", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_redistribute_start(plan, 0, ptr::null(), null_mut(), null_mut(), null_mut())
    });
    t.row("dvm_redistribute", Wrong::State, "poisoned", DVM_ERR_POISONED, move |w| {
        let (source, target) = (at([w.poisoned; 2]).cast(), at([support::number(1), support::number(2)]).cast());
        unsafe { dvm_redistribute(plan, 1, at(1), source, target) }
    });
}

/// Rows of engines over processes: this process is number 0, and alone.
fn dma_over_rows(t: &mut Table) {
    type Ids = *mut Id;
    let open = |element: usize, source: Ids, process: i64, count: i64, target: Ids| unsafe {
        let of = || at(process).cast_const();
        dvm_dma_open_over(out(), element, source, of(), count, target, of(), count)
    };
    t.usual("dvm_dma_open_over", &[], move |w| open(1, at(w.datum), 0, 1, at(w.taken)));
    t.row("dvm_dma_open_over", Wrong::Null, "source", DVM_ERR_ARGUMENT, move |w| {
        open(1, null_mut(), 0, 1, at(w.taken))
    });
    t.row("dvm_dma_open_over", Wrong::Null, "target", DVM_ERR_ARGUMENT, move |w| {
        open(1, at(w.datum), 0, 1, null_mut())
    });
    t.row("dvm_dma_open_over", Wrong::Null, "processes", DVM_ERR_ARGUMENT, |w| unsafe {
        let (source, target) = (at(w.datum), at(w.taken));
        dvm_dma_open_over(out(), 1, source, ptr::null(), 1, target, ptr::null(), 1)
    });
    for (element, process, count) in [(0, 0, 1), (65, 0, 1), (1, -1, 1), (1, 1, 1), (1, 0, -1), (1, 0, i64::MAX)] {
        t.row("dvm_dma_open_over", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |w| {
            open(element, at(w.datum), process, count, at(w.taken))
        });
    }
    t.row("dvm_dma_open_over", Wrong::State, "promise", DVM_ERR_NOT_READY, move |w| {
        open(1, at(w.datum), 0, 1, at(w.promise))
    });
    t.row("dvm_dma_open_over", Wrong::Stale, "datum", DVM_ERR_ID, move |w| open(1, at(w.freed), 0, 1, at(w.taken)));
}

pub(super) fn dma_rows(t: &mut Table) {
    t.usual("dvm_dma_open", &[], |w| unsafe { dvm_dma_open(out(), 1, at(w.datum), 1, at(w.taken), 1) });
    t.row("dvm_dma_open", Wrong::Null, "dma", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_dma_open(null_mut(), 1, at(w.datum), 1, at(w.taken), 1)
    });
    t.row("dvm_dma_open", Wrong::Null, "source", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_dma_open(out(), 1, null_mut(), 1, at(w.taken), 1)
    });
    t.row("dvm_dma_open", Wrong::Null, "target", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_dma_open(out(), 1, at(w.datum), 1, null_mut(), 1)
    });
    for (element, count) in [(0, 1), (65, 1), (1, -1), (1, i64::MIN), (1, i64::MAX)] {
        t.row("dvm_dma_open", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |w| unsafe {
            dvm_dma_open(out(), element, at(w.datum), count, at(w.taken), count)
        });
    }
    t.row("dvm_dma_open", Wrong::State, "promise", DVM_ERR_NOT_READY, |w| unsafe {
        dvm_dma_open(out(), 1, at(w.datum), 1, at(w.promise), 1)
    });
    t.row("dvm_dma_open", Wrong::Stale, "datum", DVM_ERR_ID, |w| unsafe {
        dvm_dma_open(out(), 1, at(w.freed), 1, at(w.taken), 1)
    });
    dma_over_rows(t);
    // Engines need libdvm to be running: those of the rows are made in the call.
    let open = |w: &World| {
        let dma = out();
        assert_eq!(unsafe { dvm_dma_open(dma, 1, at(w.datum), 1, at(w.taken), 1) }, DVM_SUCCESS);
        unsafe { *dma }
    };
    let closed = move |w: &World| {
        let dma = open(w);
        assert_eq!(dvm_dma_close(dma), DVM_SUCCESS);
        dma
    };
    let sides: [(&'static str, bool, Side); 6] = [
        ("dvm_dma_send", true, |d, m, o, c, s| dvm_dma_send(d, m, o, c, s)),
        ("dvm_dma_send_2d", true, |d, m, o, c, s| dvm_dma_send_2d(d, m, o, 1, 1, c, s)),
        ("dvm_dma_send_3d", true, |d, m, o, c, s| dvm_dma_send_3d(d, m, o, 1, 1, 1, 1, c, s)),
        ("dvm_dma_receive", false, |d, m, o, c, s| dvm_dma_receive(d, m, o, c, s)),
        ("dvm_dma_receive_2d", false, |d, m, o, c, s| dvm_dma_receive_2d(d, m, o, 1, 1, c, s)),
        ("dvm_dma_receive_3d", false, |d, m, o, c, s| dvm_dma_receive_3d(d, m, o, 1, 1, 1, 1, c, s)),
    ];
    for (function, sends, call) in sides {
        t.usual(function, &[Wrong::Null], move |_| call(1.into(), 0, 0, 1, 1));
        for never in NO_HANDLE {
            t.row(function, Wrong::Range, "never given", DVM_ERR_ID, move |_| call(never.into(), 0, 0, 1, 1));
        }
        t.row(function, Wrong::Stale, "closed", DVM_ERR_ID, move |w| call(closed(w), 0, 0, 1, 1));
        t.row(function, Wrong::State, "its turn", DVM_ERR_STATE, move |w| {
            let dma = open(w);
            if sends {
                assert_eq!(call(dma, 0, 0, 1, 1), DVM_SUCCESS);
            }
            call(dma, 0, 0, 1, 1)
        });
        for (memory, offset, count, stride, expected) in [
            (1, 0, 1, 1, DVM_ERR_ARGUMENT),
            (-1, 0, 1, 1, DVM_ERR_ARGUMENT),
            (0, 0, 0, 1, DVM_ERR_ARGUMENT),
            (0, 0, i64::MIN, 1, DVM_ERR_ARGUMENT),
            (0, 8, 1, 1, DVM_ERR_SIZE),
            (0, -1, 1, 1, DVM_ERR_SIZE),
            (0, 0, 2, i64::MAX, DVM_ERR_SIZE),
            (0, i64::MAX, 8, i64::MAX, DVM_ERR_SIZE),
        ] {
            t.row(function, Wrong::Range, "place", expected, move |w| {
                let dma = open(w);
                if !sends {
                    let send = [("", sides[0].2), ("_2d", sides[1].2), ("_3d", sides[2].2)];
                    let form = send.iter().rev().find(|(name, _)| function.ends_with(name)).unwrap().1;
                    // The same shape at places that are there: only the receive is wrong.
                    let count = if count > 1 { count } else { 1 };
                    assert_eq!(form(dma, 0, 0, count, 0), DVM_SUCCESS);
                }
                call(dma, memory, offset, count, stride)
            });
        }
    }
    for (function, call) in
        [("dvm_dma_wait", dvm_dma_wait as extern "C" fn(dvm_dma_t) -> Code), ("dvm_dma_close", dvm_dma_close)]
    {
        t.usual(function, &[Wrong::Null], move |_| call(1.into()));
        for never in NO_HANDLE {
            t.row(function, Wrong::Range, "never given", DVM_ERR_ID, move |_| call(never.into()));
        }
        t.row(function, Wrong::Stale, "closed", DVM_ERR_ID, move |w| call(closed(w)));
        t.row(function, Wrong::State, "half a copy", DVM_ERR_STATE, move |w| {
            let dma = open(w);
            assert_eq!(dvm_dma_send(dma, 0, 0, 1, 1), DVM_SUCCESS);
            call(dma)
        });
    }
}
