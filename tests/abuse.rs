//! Every function of the C interface with every kind of wrong argument, in every wrong state, on every wrong thread. The
//! functions, and who may call them, are read from the header: one without rows fails the test.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

#[path = "abuse/graph.rs"]
mod graph;
#[path = "abuse/header.rs"]
mod header;
#[path = "abuse/redistribution.rs"]
mod redistribution;
mod support;

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::ptr::{self, null_mut};

use dvm::ffi::c_functions::*;
use support::{Code, IN, Id, OUT, Rank, last_error, turn, variadic};

use Code::*;

/// What is wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Wrong {
    Null,
    Range,
    State,
    Stale,
    /// A thread that may not make the call. Needed where the header names who may.
    Thread,
}

const KINDS: [Wrong; 4] = [Wrong::Null, Wrong::Range, Wrong::State, Wrong::Stale];

/// What calls are made on.
struct World {
    /// Published, with one reference.
    datum: Id,
    /// Published, and its only reference is taken by a task that waits.
    taken: Id,
    /// A promise without a producer.
    promise: Id,
    /// A promise that is the output of a task which waits.
    claimed: Id,
    /// The output of a task that failed.
    poisoned: Id,
    /// A promise that carries `datum` on.
    next: Id,
    /// A datum that was freed.
    freed: Id,
    /// A processing of one input, of which tasks were scheduled.
    reads: Id,
    /// A processing of one output.
    writes: Id,
    /// A processing of an input and an output.
    updates: Id,
    /// A processing that was unregistered.
    gone: Id,
    rank: Rank,
    /// The promise that the waiting tasks wait for.
    gate: Id,
}

extern "C" fn succeed() -> c_int {
    0
}
extern "C" fn fail() -> c_int {
    3
}
unsafe extern "C" fn free(_addr: *mut c_void, _size: usize) {}
unsafe extern "C" fn with_context(_context: *mut c_void, _ids: *mut Id, _count: c_int) -> c_int {
    0
}

fn plain(callback: extern "C" fn() -> c_int, modes: &mut [c_int]) -> Id {
    let mut id = [0; 2];
    unsafe {
        assert_eq!(
            dvm_processing_register(Some(callback), modes.len() as c_int, null_mut(), id.as_mut_ptr()),
            DVM_SUCCESS
        );
        assert_eq!(dvm_processing_access(id.as_mut_ptr(), modes.as_mut_ptr()), DVM_SUCCESS);
    }
    id
}

impl World {
    /// Ids that were never given.
    fn nowhere() -> World {
        let id = [0, 1 << 32];
        World {
            datum: id,
            taken: id,
            promise: id,
            claimed: id,
            poisoned: id,
            next: id,
            freed: id,
            reads: id,
            writes: id,
            updates: id,
            gone: id,
            rank: [0; 8],
            gate: id,
        }
    }

    fn build() -> World {
        let rank = support::rank_at(0);
        let (datum, taken) = (support::number(1), support::number(2));
        let (gate, freed) = (support::promise(0).unwrap(), support::number(3));
        let reads = plain(succeed, &mut [IN]);
        let writes = plain(succeed, &mut [OUT]);
        let updates = plain(succeed, &mut [IN, OUT]);
        let fails = plain(fail, &mut [OUT]);
        let holds = plain(succeed, &mut [IN, IN, OUT]);
        let mut gone = plain(succeed, &mut [IN]);
        assert_eq!(unsafe { dvm_processing_unregister(&raw mut gone) }, DVM_SUCCESS);
        support::relax(freed).unwrap();
        let (claimed, poisoned) = (support::promise(8).unwrap(), support::promise(8).unwrap());
        support::onto(rank, holds, &[taken, gate, claimed]).unwrap();
        support::onto(rank, fails, &[poisoned]).unwrap();
        assert_eq!(support::get(poisoned).unwrap_err(), DVM_ERR_POISONED);
        support::onto(rank, reads, &[support::number(4)]).unwrap();
        let (promise, next) = (support::promise(8).unwrap(), support::next(datum).unwrap());
        World { datum, taken, promise, claimed, poisoned, next, freed, reads, writes, updates, gone, rank, gate }
    }
}

struct Row {
    function: &'static str,
    wrong: Wrong,
    what: &'static str,
    call: Box<dyn Fn(&World) -> Code>,
    expected: Code,
}

/// The address of a copy that lives until the program ends.
fn at<T: Copy + 'static>(value: T) -> *mut T {
    Box::leak(Box::new(value))
}
fn id(value: Id) -> *mut u64 {
    at(value).cast()
}
fn rank(value: Rank) -> *mut u64 {
    at(value).cast()
}
fn out<T: Copy + Default + 'static>() -> *mut T {
    at(T::default())
}
fn somewhere() -> *mut *mut c_void {
    at(ptr::dangling_mut())
}
/// An id of another process, one beyond every entry, and one of a generation to come.
const NEVER_GIVEN: [Id; 4] = [[1, 1 << 32], [0, u64::MAX], [0, 1 << 32 | 0xffff_ffff], [0, 0]];
const NO_RANK: Rank = [9999, 0, 0, 0, 0, 0, 0, 0];
const LONG_RANK: Rank = [0, 0, 0, 0, 0, 0, 0, 1];

type Call = Box<dyn Fn(&World) -> Code>;

#[derive(Default)]
struct Table {
    rows: Vec<Row>,
    /// Calls whose only mistake is that libdvm does not run.
    usual: BTreeMap<&'static str, Call>,
    /// Mistakes that this function has no argument for.
    spared: BTreeMap<&'static str, Vec<Wrong>>,
}

impl Table {
    fn row(
        &mut self,
        function: &'static str,
        wrong: Wrong,
        what: &'static str,
        expected: Code,
        call: impl Fn(&World) -> Code + 'static,
    ) {
        self.rows.push(Row { function, wrong, what, call: Box::new(call), expected });
    }

    fn usual(&mut self, function: &'static str, spared: &[Wrong], call: impl Fn(&World) -> Code + 'static) {
        self.usual.insert(function, Box::new(call));
        self.spared.insert(function, spared.to_vec());
    }

    /// Rows for a function whose first or only id must name a datum.
    fn datum(&mut self, function: &'static str, call: impl Fn(*mut u64) -> Code + Clone + 'static) {
        let (null, stale) = (call.clone(), call.clone());
        self.row(function, Wrong::Null, "id", DVM_ERR_ARGUMENT, move |_| null(null_mut()));
        self.row(function, Wrong::Stale, "freed", DVM_ERR_ID, move |w| stale(id(w.freed)));
        for never in NEVER_GIVEN {
            let call = call.clone();
            self.row(function, Wrong::Range, "never given", DVM_ERR_ID, move |_| call(id(never)));
        }
    }

    /// Rows for a function whose id must name a processing.
    fn processing(&mut self, function: &'static str, call: impl Fn(*mut u64, &World) -> Code + Clone + 'static) {
        let (null, stale) = (call.clone(), call.clone());
        self.row(function, Wrong::Null, "id", DVM_ERR_ARGUMENT, move |w| null(null_mut(), w));
        self.row(function, Wrong::Stale, "unregistered", DVM_ERR_PROCESSING, move |w| stale(id(w.gone), w));
        for never in NEVER_GIVEN {
            let call = call.clone();
            self.row(function, Wrong::Range, "never given", DVM_ERR_PROCESSING, move |w| call(id(never), w));
        }
    }

    /// Rows for a function that fills an array of components.
    fn components(&mut self, function: &'static str, call: impl Fn(*mut u64, c_int) -> Code + Clone + 'static) {
        let null = call.clone();
        self.row(function, Wrong::Null, "array", DVM_ERR_ARGUMENT, move |_| null(null_mut(), 8));
        for (size, expected) in
            [(-1, DVM_ERR_ARGUMENT), (c_int::MIN, DVM_ERR_ARGUMENT), (0, DVM_ERR_SIZE), (9, DVM_ERR_SIZE)]
        {
            let call = call.clone();
            self.row(function, Wrong::Range, "size", expected, move |_| {
                let array = at([77_u64; 16]);
                let code = call(array.cast(), size);
                assert_eq!(unsafe { *array }, [77; 16], "an output was written");
                code
            });
        }
    }

    /// Rows for a function that takes a rank.
    fn rank(&mut self, function: &'static str, call: impl Fn(*mut u64, &World) -> Code + Clone + 'static) {
        let null = call.clone();
        self.row(function, Wrong::Null, "rank", DVM_ERR_ARGUMENT, move |w| null(null_mut(), w));
        for wrong in [NO_RANK, LONG_RANK] {
            let call = call.clone();
            self.row(function, Wrong::Range, "rank", DVM_ERR_RANK, move |w| call(rank(wrong), w));
        }
    }

    /// Rows for a function that schedules.
    fn scheduling(&mut self, function: &'static str, call: fn(*mut u64, &[Id], &World) -> Code) {
        self.processing(function, move |f, w| call(f, &[w.datum], w));
        for never in NEVER_GIVEN {
            self.row(function, Wrong::Range, "datum", DVM_ERR_ID, move |w| call(id(w.reads), &[never], w));
        }
        self.row(function, Wrong::Stale, "datum", DVM_ERR_ID, move |w| call(id(w.reads), &[w.freed], w));
        self.row(function, Wrong::Stale, "second datum", DVM_ERR_ID, move |w| {
            call(id(w.updates), &[w.datum, w.freed], w)
        });
        self.row(function, Wrong::State, "no reference", DVM_ERR_NO_REFERENCE, move |w| {
            call(id(w.reads), &[w.taken], w)
        });
        self.row(function, Wrong::State, "published output", DVM_ERR_STATE, move |w| call(id(w.writes), &[w.datum], w));
        self.row(function, Wrong::State, "second producer", DVM_ERR_STATE, move |w| {
            call(id(w.writes), &[w.claimed], w)
        });
        self.row(function, Wrong::State, "failed producer", DVM_ERR_POISONED, move |w| {
            call(id(w.writes), &[w.poisoned], w)
        });
        self.row(function, Wrong::State, "next alone", DVM_ERR_STATE, move |w| call(id(w.writes), &[w.next], w));
        self.row(function, Wrong::State, "next of another", DVM_ERR_STATE, move |w| {
            call(id(w.updates), &[w.promise, w.next], w)
        });
        self.row(function, Wrong::State, "own output", DVM_ERR_STATE, move |w| {
            call(id(w.updates), &[w.promise, w.promise], w)
        });
    }
}

fn onto_v(function: *mut u64, ids: &[Id], world: &World) -> Code {
    unsafe { dvm_sched_onto_v(rank(world.rank), function, ids.as_ptr().cast_mut(), ids.len() as c_int) }
}
fn near(function: *mut u64, ids: &[Id], _world: &World) -> Code {
    unsafe { dvm_sched_near(function, ids.as_ptr().cast_mut(), ids.len() as c_int) }
}
fn onto(function: *mut u64, ids: &[Id], world: &World) -> Code {
    let place = |place: usize| ids.get(place).map_or(null_mut(), |&value| id(value));
    unsafe { variadic()(rank(world.rank), function, place(0), place(1), place(2)) }
}

fn rank_rows(t: &mut Table) {
    t.usual("dvm_rank_dimension", &[Wrong::Range, Wrong::State, Wrong::Stale], |_| unsafe {
        dvm_rank_dimension(out())
    });
    t.row("dvm_rank_dimension", Wrong::Null, "dimension", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_rank_dimension(null_mut())
    });
    t.usual("dvm_rank_count", &[Wrong::Range, Wrong::State, Wrong::Stale], |_| unsafe { dvm_rank_count(out()) });
    t.row("dvm_rank_count", Wrong::Null, "count", DVM_ERR_ARGUMENT, |_| unsafe { dvm_rank_count(null_mut()) });
    t.usual("dvm_rank_get", &[Wrong::State, Wrong::Stale], |_| unsafe { dvm_rank_get(rank([0; 8]), 8) });
    t.components("dvm_rank_get", |array, size| unsafe { dvm_rank_get(array, size) });
    t.usual("dvm_rank_size", &[Wrong::State, Wrong::Stale], |_| unsafe { dvm_rank_size(rank([0; 8]), 8) });
    t.components("dvm_rank_size", |array, size| unsafe { dvm_rank_size(array, size) });
    t.usual("dvm_rank_at", &[Wrong::State, Wrong::Stale], |_| unsafe { dvm_rank_at(0, rank([0; 8]), 8) });
    t.components("dvm_rank_at", |array, size| unsafe { dvm_rank_at(0, array, size) });
    for index in [u64::MAX, 1 << 32, 100_000] {
        t.row("dvm_rank_at", Wrong::Range, "index", DVM_ERR_RANK, move |_| unsafe {
            dvm_rank_at(index, rank([0; 8]), 8)
        });
    }
    t.usual("dvm_rank_distance", &[Wrong::State, Wrong::Stale], |w| unsafe {
        dvm_rank_distance(rank(w.rank), rank(w.rank), out())
    });
    t.rank("dvm_rank_distance", |a, w| unsafe { dvm_rank_distance(a, rank(w.rank), out()) });
    t.rank("dvm_rank_distance", |b, w| unsafe { dvm_rank_distance(rank(w.rank), b, out()) });
    t.row("dvm_rank_distance", Wrong::Null, "distance", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_rank_distance(rank(w.rank), rank(w.rank), null_mut())
    });
}

/// Picks a datum.
type Which = fn(&World) -> Id;

fn data_rows(t: &mut Table) {
    let memory = || ptr::from_mut(Box::leak(Box::new([0_u64; 4]))).cast::<c_void>();
    t.usual("dvm_data_register", &[Wrong::State, Wrong::Stale], move |_| unsafe {
        dvm_data_register(memory(), 32, None, out())
    });
    t.row("dvm_data_register", Wrong::Null, "addr", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_data_register(null_mut(), 8, Some(free), out())
    });
    t.row("dvm_data_register", Wrong::Null, "addr, empty", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_data_register(null_mut(), 0, None, out())
    });
    t.row("dvm_data_register", Wrong::Null, "id", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_data_register(memory(), 8, None, null_mut())
    });
    t.row("dvm_data_register", Wrong::Range, "size", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_data_register(memory(), usize::MAX, None, out())
    });
    t.usual("dvm_data_allocate", &[Wrong::State, Wrong::Stale], |_| unsafe { dvm_data_allocate(8, out()) });
    t.usual("dvm_data_promise", &[Wrong::State, Wrong::Stale], |_| unsafe { dvm_data_promise(8, out()) });
    t.row("dvm_data_allocate", Wrong::Null, "id", DVM_ERR_ARGUMENT, |_| unsafe { dvm_data_allocate(8, null_mut()) });
    t.row("dvm_data_promise", Wrong::Null, "id", DVM_ERR_ARGUMENT, |_| unsafe { dvm_data_promise(8, null_mut()) });
    for size in [usize::MAX, usize::MAX - 4096, isize::MAX as usize] {
        t.row("dvm_data_allocate", Wrong::Range, "size", DVM_ERR_MEMORY, move |_| unsafe {
            dvm_data_allocate(size, out())
        });
        t.row("dvm_data_promise", Wrong::Range, "size", DVM_ERR_MEMORY, move |_| unsafe {
            dvm_data_promise(size, out())
        });
    }
    t.usual("dvm_data_acquire", &[Wrong::State], |w| unsafe { dvm_data_acquire(id(w.datum)) });
    t.datum("dvm_data_acquire", |id| unsafe { dvm_data_acquire(id) });
    t.usual("dvm_data_relax", &[], |w| unsafe { dvm_data_relax(id(w.datum)) });
    t.datum("dvm_data_relax", |id| unsafe { dvm_data_relax(id) });
    t.row("dvm_data_relax", Wrong::State, "taken", DVM_ERR_NO_REFERENCE, |w| unsafe { dvm_data_relax(id(w.taken)) });
    t.usual("dvm_data_get", &[], |w| unsafe { dvm_data_get(id(w.datum), somewhere(), out()) });
    t.datum("dvm_data_get", |id| unsafe { dvm_data_get(id, somewhere(), out()) });
    t.row("dvm_data_get", Wrong::Null, "addr", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_data_get(id(w.datum), null_mut(), out())
    });
    t.row("dvm_data_get", Wrong::Null, "size", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_data_get(id(w.datum), somewhere(), null_mut())
    });
    t.row("dvm_data_get", Wrong::State, "poisoned", DVM_ERR_POISONED, |w| unsafe {
        dvm_data_get(id(w.poisoned), somewhere(), out())
    });
    t.usual("dvm_data_put", &[], |w| unsafe { dvm_data_put(id(w.datum)) });
    t.datum("dvm_data_put", |id| unsafe { dvm_data_put(id) });
    t.row("dvm_data_put", Wrong::State, "without get", DVM_ERR_STATE, |w| unsafe { dvm_data_put(id(w.datum)) });
    t.usual("dvm_data_write", &[], |w| unsafe { dvm_data_write(id(w.promise), somewhere(), out()) });
    t.datum("dvm_data_write", |id| unsafe { dvm_data_write(id, somewhere(), out()) });
    t.row("dvm_data_write", Wrong::Null, "addr", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_data_write(id(w.promise), null_mut(), out())
    });
    t.row("dvm_data_write", Wrong::Null, "size", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_data_write(id(w.promise), somewhere(), null_mut())
    });
    t.usual("dvm_data_publish", &[], |w| unsafe { dvm_data_publish(id(w.promise)) });
    t.datum("dvm_data_publish", |id| unsafe { dvm_data_publish(id) });
    let written: [(&str, Which, Code); 4] = [
        ("published", |w| w.datum, DVM_ERR_STATE),
        ("of a task", |w| w.claimed, DVM_ERR_STATE),
        ("next", |w| w.next, DVM_ERR_STATE),
        ("poisoned", |w| w.poisoned, DVM_ERR_POISONED),
    ];
    for (what, which, expected) in written {
        t.row("dvm_data_write", Wrong::State, what, expected, move |w| unsafe {
            dvm_data_write(id(which(w)), somewhere(), out())
        });
        t.row("dvm_data_publish", Wrong::State, what, expected, move |w| unsafe { dvm_data_publish(id(which(w))) });
    }
    t.usual("dvm_data_next", &[Wrong::State], |w| unsafe { dvm_data_next(id(w.datum), out()) });
    t.datum("dvm_data_next", |id| unsafe { dvm_data_next(id, out()) });
    t.row("dvm_data_next", Wrong::Null, "next", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_data_next(id(w.datum), null_mut())
    });
}

fn name_rows(t: &mut Table) {
    t.usual("dvm_data_name", &[Wrong::State], |w| unsafe { dvm_data_name(id(w.datum), c"name".as_ptr()) });
    t.datum("dvm_data_name", |id| unsafe { dvm_data_name(id, c"name".as_ptr()) });
}

fn processing_rows(t: &mut Table) {
    let made = &[Wrong::State, Wrong::Stale];
    t.usual("dvm_processing_register", made, |_| unsafe {
        dvm_processing_register(Some(succeed), 1, null_mut(), id([0; 2]))
    });
    t.row("dvm_processing_register", Wrong::Null, "callback", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_processing_register(None, 1, null_mut(), id([0; 2]))
    });
    t.row("dvm_processing_register", Wrong::Null, "id", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_processing_register(Some(succeed), 1, null_mut(), null_mut())
    });
    let name = || c"getpid".as_ptr().cast_mut();
    t.usual("dvm_processing_register_by_name", made, move |_| unsafe {
        dvm_processing_register_by_name(name(), 0, id([0; 2]))
    });
    t.row("dvm_processing_register_by_name", Wrong::Null, "name", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_processing_register_by_name(null_mut(), 0, id([0; 2]))
    });
    t.row("dvm_processing_register_by_name", Wrong::Null, "id", DVM_ERR_ARGUMENT, move |_| unsafe {
        dvm_processing_register_by_name(name(), 0, null_mut())
    });
    t.row("dvm_processing_register_by_name", Wrong::Range, "name", DVM_ERR_SYMBOL, |_| unsafe {
        dvm_processing_register_by_name(c"no function has this name".as_ptr().cast_mut(), 0, id([0; 2]))
    });
    t.row("dvm_processing_register_by_name", Wrong::Range, "data", DVM_ERR_SYMBOL, |_| unsafe {
        dvm_processing_register_by_name(c"environ".as_ptr().cast_mut(), 0, id([0; 2]))
    });
    for count in [-1, c_int::MIN, dvm::ffi::DVM_MAX_PLAIN_ARGUMENTS + 1, c_int::MAX] {
        t.row("dvm_processing_register", Wrong::Range, "count", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_processing_register(Some(succeed), count, null_mut(), id([0; 2]))
        });
        t.row("dvm_processing_register_by_name", Wrong::Range, "count", DVM_ERR_ARGUMENT, move |_| unsafe {
            dvm_processing_register_by_name(name(), count, id([0; 2]))
        });
    }
    t.usual("dvm_processing_register_v", made, |_| unsafe {
        dvm_processing_register_v(Some(with_context), null_mut(), 1, null_mut(), id([0; 2]))
    });
    t.row("dvm_processing_register_v", Wrong::Null, "callback", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_processing_register_v(None, null_mut(), 1, null_mut(), id([0; 2]))
    });
    t.row("dvm_processing_register_v", Wrong::Null, "id", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_processing_register_v(Some(with_context), null_mut(), 1, null_mut(), null_mut())
    });
    t.row("dvm_processing_register_v", Wrong::Range, "count", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_processing_register_v(Some(with_context), null_mut(), -1, null_mut(), id([0; 2]))
    });
    t.usual("dvm_processing_access", &[], |w| unsafe { dvm_processing_access(id(w.reads), at([IN]).cast()) });
    t.processing("dvm_processing_access", |id, _| unsafe { dvm_processing_access(id, at([IN]).cast()) });
    t.row("dvm_processing_access", Wrong::Null, "modes", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_processing_access(id(w.reads), null_mut())
    });
    t.row("dvm_processing_access", Wrong::State, "after its first task", DVM_ERR_STATE, |w| unsafe {
        dvm_processing_access(id(w.reads), at([IN]).cast())
    });
    for mode in [-1, 4, c_int::MAX] {
        t.row("dvm_processing_access", Wrong::Range, "mode", DVM_ERR_ARGUMENT, move |w| unsafe {
            dvm_processing_access(id(w.reads), at([mode]).cast())
        });
    }
    t.usual("dvm_processing_unregister", &[Wrong::State], |w| unsafe { dvm_processing_unregister(id(w.reads).cast()) });
    t.processing("dvm_processing_unregister", |id, _| unsafe { dvm_processing_unregister(id.cast()) });
}

fn scheduling_rows(t: &mut Table) {
    t.usual("dvm_sched_onto", &[], |w| onto(id(w.reads), &[w.datum], w));
    t.scheduling("dvm_sched_onto", onto);
    t.row("dvm_sched_onto", Wrong::Null, "datum", DVM_ERR_ARGUMENT, |w| onto(id(w.reads), &[], w));
    t.rank("dvm_sched_onto", |rank, w| unsafe { variadic()(rank, id(w.reads), id(w.datum)) });
    t.usual("dvm_sched_onto_v", &[], |w| onto_v(id(w.reads), &[w.datum], w));
    t.scheduling("dvm_sched_onto_v", onto_v);
    t.rank("dvm_sched_onto_v", |rank, w| unsafe { dvm_sched_onto_v(rank, id(w.reads), at(w.datum), 1) });
    t.row("dvm_sched_onto_v", Wrong::Null, "ids", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_sched_onto_v(rank(w.rank), id(w.reads), null_mut(), 1)
    });
    t.usual("dvm_sched_near", &[], |w| near(id(w.reads), &[w.datum], w));
    t.scheduling("dvm_sched_near", near);
    t.row("dvm_sched_near", Wrong::Null, "ids", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_sched_near(id(w.reads), null_mut(), 1)
    });
    for count in [-1, 0, 2, c_int::MIN] {
        t.row("dvm_sched_onto_v", Wrong::Range, "count", DVM_ERR_ARGUMENT, move |w| unsafe {
            dvm_sched_onto_v(rank(w.rank), id(w.reads), at([w.datum; 2]).cast(), count)
        });
        t.row("dvm_sched_near", Wrong::Range, "count", DVM_ERR_ARGUMENT, move |w| unsafe {
            dvm_sched_near(id(w.reads), at([w.datum; 2]).cast(), count)
        });
    }
    t.usual("dvm_sched_load", &[Wrong::State, Wrong::Stale], |w| unsafe { dvm_sched_load(rank(w.rank), out()) });
    t.rank("dvm_sched_load", |rank, _| unsafe { dvm_sched_load(rank, out()) });
    t.row("dvm_sched_load", Wrong::Null, "load", DVM_ERR_ARGUMENT, |w| unsafe {
        dvm_sched_load(rank(w.rank), null_mut())
    });
}

fn blocking_rows(t: &mut Table) {
    let none = &[Wrong::Null, Wrong::Range, Wrong::State, Wrong::Stale];
    t.usual("dvm_blocking_begin", none, |_| unsafe { dvm_blocking_begin() });
    t.row("dvm_blocking_begin", Wrong::Thread, "outside tasks", DVM_ERR_STATE, |_| unsafe { dvm_blocking_begin() });
    t.usual("dvm_blocking_end", none, |_| unsafe { dvm_blocking_end() });
    t.row("dvm_blocking_end", Wrong::Thread, "outside tasks", DVM_ERR_STATE, |_| unsafe { dvm_blocking_end() });
    t.usual("dvm_processing_cores", &[], |w| unsafe { dvm_processing_cores(id(w.reads), 2) });
    t.processing("dvm_processing_cores", |id, _| unsafe { dvm_processing_cores(id, 2) });
    for cores in [0, -1, c_int::MIN] {
        t.row("dvm_processing_cores", Wrong::Range, "cores", DVM_ERR_ARGUMENT, move |w| unsafe {
            dvm_processing_cores(id(w.reads), cores)
        });
    }
    t.row("dvm_processing_cores", Wrong::State, "after its first task", DVM_ERR_STATE, |w| unsafe {
        dvm_processing_cores(id(w.reads), 2)
    });
}

fn lifecycle_rows(t: &mut Table) {
    let none = &[Wrong::Null, Wrong::Range, Wrong::Stale];
    t.spared.insert("dvm_init", none.to_vec());
    t.row("dvm_init", Wrong::State, "twice", DVM_ERR_ALREADY_INITIALIZED, |_| unsafe { dvm_init() });
    t.spared.insert("dvm_init_comm", none.to_vec());
    t.row("dvm_init_comm", Wrong::State, "twice", DVM_ERR_ALREADY_INITIALIZED, |_| unsafe { dvm_init_comm(0) });
    t.usual("dvm_finalize", &KINDS, |_| unsafe { dvm_finalize() });
    t.usual("dvm_wait", &KINDS, |_| unsafe { dvm_wait() });
    t.usual("dvm_serve", none, |_| unsafe { dvm_serve() });
    t.row("dvm_serve", Wrong::State, "process 0", DVM_ERR_UNSUPPORTED, |_| unsafe { dvm_serve() });
    t.usual("dvm_explain", &KINDS, |_| unsafe { dvm_explain() });
    t.usual("dvm_explain_text", &[Wrong::Range, Wrong::State, Wrong::Stale], |_| unsafe {
        dvm_explain_text(null_mut(), 0, out())
    });
    t.row("dvm_explain_text", Wrong::Null, "needed", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_explain_text(null_mut(), 0, null_mut())
    });
    t.row("dvm_explain_text", Wrong::Null, "buffer", DVM_ERR_ARGUMENT, |_| unsafe {
        dvm_explain_text(null_mut(), 8, out())
    });
    t.usual("dvm_process", &[Wrong::Range, Wrong::State, Wrong::Stale], |_| unsafe { dvm_process(out(), out()) });
    t.row("dvm_process", Wrong::Null, "index", DVM_ERR_ARGUMENT, |_| unsafe { dvm_process(null_mut(), out()) });
    t.row("dvm_process", Wrong::Null, "count", DVM_ERR_ARGUMENT, |_| unsafe { dvm_process(out(), null_mut()) });
}

fn table() -> Table {
    let mut table = Table::default();
    rank_rows(&mut table);
    data_rows(&mut table);
    name_rows(&mut table);
    processing_rows(&mut table);
    scheduling_rows(&mut table);
    blocking_rows(&mut table);
    lifecycle_rows(&mut table);
    graph::rows(&mut table);
    graph::region_rows(&mut table);
    graph::across_rows(&mut table);
    redistribution::distribution_rows(&mut table);
    redistribution::plan_rows(&mut table);
    redistribution::dma_rows(&mut table);
    table
}

/// Calls that a task may not make.
fn not_in_tasks() -> impl Iterator<Item = (&'static str, fn() -> Code)> {
    graph::NOT_IN_TASKS.into_iter().chain(redistribution::NOT_IN_TASKS)
}

#[test]
fn every_function_has_rows_for_every_kind_of_wrong() {
    let table = table();
    // These functions answer at any time, for all arguments.
    let any_time = ["dvm_strerror", "dvm_last_error", "dvm_version"];
    let names = header::exported();
    assert!(names.len() > 30, "{names:?}");
    for (name, callers) in names.iter().map(|(name, callers)| (name.as_str(), callers)) {
        if any_time.contains(&name) {
            continue;
        }
        let barred = table.rows.iter().any(|row| row.function == name && row.wrong == Wrong::Thread)
            || not_in_tasks().any(|(function, _)| function == name);
        assert_eq!(barred, header::bars_threads(callers), "{name}: rows for wrong threads, and what the header says");
        let spared = table.spared.get(name).unwrap_or_else(|| panic!("{name} has no rows"));
        for kind in KINDS {
            let rows = table.rows.iter().any(|row| row.function == name && row.wrong == kind);
            assert!(rows != spared.contains(&kind), "{name}: {kind:?} needs rows, or a word that it cannot happen");
        }
    }
    for row in &table.rows {
        assert!(names.contains_key(row.function), "{} is not exported", row.function);
    }
}

/// Makes the call and checks its code, and that the failure left its message.
fn expect(function: &str, what: &str, expected: Code, call: impl FnOnce() -> Code) {
    let code = call();
    assert_eq!(code, expected, "{function}, {what}: {}", last_error());
    let told = last_error();
    assert!(
        told.starts_with(&format!("{function}: ")) && told.len() > function.len() + 10,
        "{function}, {what}: {told:?}"
    );
}

#[test]
fn every_wrong_call_gets_its_code_and_changes_nothing() {
    let _turn = turn();
    let table = table();
    for (function, call) in &table.usual {
        expect(function, "before init", DVM_ERR_NOT_INITIALIZED, || call(&World::nowhere()));
    }
    expect("dvm_init_comm", "no transport", DVM_ERR_UNSUPPORTED, || unsafe { dvm_init_comm(0) });
    support::init().unwrap();
    let world = World::build();
    // Twice: a failing call that keeps a reference has none left the second time.
    for _ in 0..2 {
        for row in &table.rows {
            expect(row.function, row.what, row.expected, || (row.call)(&world));
        }
    }
    let barred = support::processing(&[], c"makes calls that are not for tasks", |_| {
        for (function, call) in not_in_tasks() {
            expect(function, "in a task", DVM_ERR_IN_TASK, call);
        }
        0
    });
    support::onto(world.rank, barred, &[]).unwrap();
    assert_eq!(graph::RAN.load(std::sync::atomic::Ordering::Relaxed), 0);
    // Nothing changed: each datum has its references and its producer.
    support::onto(world.rank, world.updates, &[world.datum, world.next]).unwrap();
    // The task has the only reference, or has ended with it.
    let relaxed = support::relax(world.datum);
    assert!([Err(DVM_ERR_NO_REFERENCE), Err(DVM_ERR_ID)].contains(&relaxed), "{relaxed:?}");
    support::publish(world.promise).unwrap();
    assert_eq!(support::value(world.promise).unwrap(), 0);
    support::publish(world.gate).unwrap();
    // Only `fails` has failed.
    assert_eq!(support::wait(), Err(DVM_ERR_TASK));
    assert!(last_error().contains("1 task failed"), "{}", last_error());
    assert_eq!(support::acquire(world.taken), Err(DVM_ERR_ID));
    assert_eq!(support::acquire(world.datum), Err(DVM_ERR_ID));
    assert_eq!(support::value(world.next).unwrap(), 1);
    for datum in [world.next, world.claimed, world.poisoned, world.promise] {
        support::relax(datum).unwrap();
        assert_eq!(support::relax(datum), Err(DVM_ERR_ID));
    }
    support::finalize().unwrap();
    for (function, call) in &table.usual {
        expect(function, "after finalize", DVM_ERR_NOT_INITIALIZED, || call(&world));
    }
    // The ids of an earlier life stay stale.
    support::init().unwrap();
    for (function, call) in &table.usual {
        if function.starts_with("dvm_data")
            || function.starts_with("dvm_sched")
            || function.starts_with("dvm_processing")
        {
            let code = call(&world);
            let expected = [DVM_SUCCESS, DVM_ERR_ID, DVM_ERR_PROCESSING];
            assert!(expected.contains(&code), "{function}: {code:?}");
        }
    }
    support::finalize().unwrap();
}

#[test]
fn codes_and_stories_are_there_at_any_time() {
    let _turn = turn();
    for code in [0, 1, 18, 19, u32::MAX] {
        let text = unsafe { std::ffi::CStr::from_ptr(dvm_strerror(code)) }.to_str().unwrap();
        assert!(!text.is_empty());
    }
    std::thread::spawn(|| assert_eq!(last_error(), "")).join().unwrap();
    assert!(!dvm_last_error().is_null());
}
