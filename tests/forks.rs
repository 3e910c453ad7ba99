//! A process that is forked inside a callback: in a task, a tile, a function of a graph, a free callback. In the child every
//! call fails at once, and a callback that returns finds no worker to go on with.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call has ended"
)]

mod support;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::*;
use support::*;

/// The exit code of a child that got the right answers.
const WELL: c_int = 42;

/// The child of the last fork.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// Tries all calls in a child; the number of the first wrong answer, from 1, or 0.
fn every_call_fails() -> c_int {
    let mut id = [0, 1 << 32];
    let mut rank = [0; 8];
    let (mut addr, mut size, mut number) = (ptr::null_mut::<c_void>(), 0_usize, 0_u64);
    let (one, mut made) = ([1_i64], 0.into());
    let mut byte = 0_u8;
    let at = (&raw mut byte).cast::<c_void>();
    let graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: ptr::null(),
        dimension: 0,
        lower: ptr::null(),
        upper: ptr::null(),
        carried: ptr::null(),
        run: Some(tile),
        predecessors: None,
        successors: None,
        context: ptr::null_mut(),
        bounds: None,
        exists: None,
    };
    let answers = unsafe {
        [
            dvm_wait(),
            dvm_finalize(),
            dvm_serve(),
            dvm_process(&raw mut number, &raw mut number),
            dvm_rank_count(&raw mut number),
            dvm_rank_at(0, rank.as_mut_ptr(), 8),
            dvm_rank_get(rank.as_mut_ptr(), 8),
            dvm_data_allocate(8, &raw mut id),
            dvm_data_register(at, 1, None, &raw mut id),
            dvm_data_promise(8, &raw mut id),
            dvm_data_next(id.as_mut_ptr(), &raw mut id),
            dvm_data_acquire(id.as_mut_ptr()),
            dvm_data_relax(id.as_mut_ptr()),
            dvm_data_get(id.as_mut_ptr(), &raw mut addr, &raw mut size),
            dvm_data_put(id.as_mut_ptr()),
            dvm_data_write(id.as_mut_ptr(), &raw mut addr, &raw mut size),
            dvm_data_publish(id.as_mut_ptr()),
            dvm_processing_register_v(Some(fork_task), ptr::null_mut(), 0, ptr::null_mut(), id.as_mut_ptr()),
            dvm_processing_unregister(&raw mut id),
            dvm_sched_onto_v(rank.as_mut_ptr(), id.as_mut_ptr(), ptr::null_mut(), 0),
            dvm_sched_near(id.as_mut_ptr(), ptr::null_mut(), 0),
            dvm_sched_load(rank.as_mut_ptr(), &raw mut number),
            dvm_blocking_begin(),
            dvm_blocking_end(),
            dvm_graph_run(&raw const graph),
            dvm_distribution_block_cyclic(1, one.as_ptr(), one.as_ptr(), one.as_ptr(), &raw mut made),
        ]
    };
    let wrong = answers.iter().position(|&answer| answer != Code::DVM_ERR_NOT_INITIALIZED);
    if let Some(place) = wrong {
        return place as c_int + 1;
    }
    let starts = [unsafe { dvm_init() }, dvm_graph_start()];
    if starts == [Code::DVM_ERR_UNSUPPORTED; 2] { 0 } else { 99 }
}

/// Forks; true in the child, after it has tried everything.
fn fork(returns: bool) -> bool {
    match unsafe { libc::fork() } {
        0 => {
            unsafe { libc::alarm(60) };
            let wrong = every_call_fails();
            if !returns || wrong != 0 {
                unsafe { libc::_exit(if wrong == 0 { WELL } else { wrong }) };
            }
            true
        }
        child => {
            assert!(child > 0);
            CHILD.store(child, Ordering::SeqCst);
            false
        }
    }
}

/// Waits for the child; its exit status.
fn child() -> c_int {
    let (mut status, child) = (0, CHILD.swap(0, Ordering::SeqCst));
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert!(libc::WIFEXITED(status), "the child hangs, or has crashed: status {status}");
    libc::WEXITSTATUS(status)
}

unsafe extern "C" fn fork_task(_: *mut c_void, _: *mut Id, _: c_int) -> c_int {
    0
}
unsafe extern "C" fn tile(_: *mut c_void, _: *const i64) -> c_int {
    0
}

/// While the value lives, other threads take and leave the locks that a fork may find taken.
struct Bustle(Vec<std::thread::JoinHandle<()>>);
static BUSTLE: AtomicBool = AtomicBool::new(false);

impl Bustle {
    fn new() -> Bustle {
        BUSTLE.store(true, Ordering::SeqCst);
        let work = || {
            while BUSTLE.load(Ordering::Relaxed) {
                let (one, mut made) = ([1_i64], 0.into());
                let code = unsafe {
                    dvm_distribution_block_cyclic(1, one.as_ptr(), one.as_ptr(), one.as_ptr(), &raw mut made)
                };
                assert_eq!(code, Code::DVM_SUCCESS);
                assert_eq!(dvm_distribution_free(made), Code::DVM_SUCCESS);
                let data: Vec<Id> = (0..300).map(|_| allocate(64).unwrap()).collect();
                for id in data {
                    relax(id).unwrap();
                }
                std::thread::spawn(count).join().unwrap(); // a lane that is made or taken
            }
        };
        Bustle((0..2).map(|_| std::thread::spawn(work)).collect())
    }
}

impl Drop for Bustle {
    fn drop(&mut self) {
        BUSTLE.store(false, Ordering::SeqCst);
        self.0.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

const ROUNDS: usize = 30;

#[test]
fn a_task_forks() {
    with_engine(|| {
        let _bustle = Bustle::new();
        for returns in [false, true] {
            let forks = processing(&[IN], c"forks", move |_| if fork(returns) { WELL } else { 0 });
            for _ in 0..ROUNDS {
                onto(rank_at(1), forks, &[number(7)]).unwrap();
                wait().unwrap();
                assert_eq!(child(), WELL);
            }
        }
    });
}

#[test]
fn a_task_without_arguments_forks() {
    with_engine(|| {
        let forks = processing(&[], c"forks", move |_| if fork(true) { WELL } else { 0 });
        let makes = processing(&[], c"makes", move |_| near(forks, &[]).map_or(1, |()| 0));
        for _ in 0..ROUNDS {
            near(makes, &[]).unwrap();
            wait().unwrap();
            assert_eq!(child(), WELL);
        }
    });
}

#[test]
fn a_task_forks_in_a_blocking_section() {
    with_engine(|| {
        let forks = processing(&[], c"forks", move |_| {
            assert_eq!(unsafe { dvm_blocking_begin() }, Code::DVM_SUCCESS);
            if fork(true) { WELL } else { 0 }
        });
        for _ in 0..ROUNDS {
            onto(rank_at(0), forks, &[]).unwrap();
            wait().unwrap();
            assert_eq!(child(), WELL);
        }
    });
}

static RETURNS: AtomicBool = AtomicBool::new(false);
static IN_CHILD: AtomicBool = AtomicBool::new(false);
static FREES: AtomicI32 = AtomicI32::new(0);

unsafe extern "C" fn fork_and_free(_: *mut c_void, _: usize) {
    FREES.fetch_add(1, Ordering::SeqCst);
    if fork(RETURNS.load(Ordering::SeqCst)) {
        IN_CHILD.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_free_callback_forks() {
    static BYTES: [u8; 8] = [0; 8];
    with_engine(|| {
        let reads = processing(&[IN], c"reads", |_| 0);
        let registered = || register(BYTES.as_ptr().cast_mut().cast(), 8, Some(fork_and_free)).unwrap();
        for returns in [false, true] {
            RETURNS.store(returns, Ordering::SeqCst);
            for _ in 0..ROUNDS {
                onto(rank_at(1), reads, &[registered()]).unwrap();
                wait().unwrap();
                assert_eq!(child(), if returns { 0 } else { WELL }, "on a worker");
                let id = registered();
                let relaxed = relax(id);
                if IN_CHILD.load(Ordering::SeqCst) {
                    // On the program's own thread the call returns, also in the child.
                    unsafe { libc::_exit(if every_call_fails() == 0 { WELL } else { 1 }) };
                }
                relaxed.unwrap();
                assert_eq!(child(), WELL, "on a thread of the program");
            }
        }
        // At the end: finalize itself returns in the child.
        FREES.store(0, Ordering::SeqCst);
        let _left = [registered()];
        let finalized = finalize();
        if IN_CHILD.load(Ordering::SeqCst) {
            unsafe { libc::_exit(if finalized.is_err() && every_call_fails() == 0 { WELL } else { 1 }) };
        }
        finalized.unwrap();
        assert_eq!((child(), FREES.load(Ordering::SeqCst)), (WELL, 1));
        init().unwrap();
    });
}

unsafe extern "C" fn fork_tile(context: *mut c_void, tile: *const i64) -> c_int {
    if unsafe { *tile } == 3 && context.is_null() && fork(true) { WELL } else { 0 }
}
unsafe extern "C" fn one_before(context: *mut c_void, tile: *const i64) -> i64 {
    let tile = unsafe { *tile };
    if tile == 3 && !context.is_null() {
        fork(true);
    }
    i64::from(tile > 0)
}
unsafe extern "C" fn one_after(_: *mut c_void, tile: *const i64, visit: dvm_graph_visit_t, visitor: *mut c_void) {
    let next = unsafe { *tile } + 1;
    if next < 8 {
        unsafe { visit.unwrap()(visitor, &raw const next) };
    }
}

#[test]
fn a_tile_or_a_function_of_a_graph_forks() {
    with_engine(|| {
        let (lower, upper) = ([0_i64], [7_i64]);
        let mut some = 0_u8;
        for counts in [false, true] {
            let graph = dvm_graph_t {
                size: size_of::<dvm_graph_t>(),
                name: ptr::null(),
                dimension: 1,
                lower: lower.as_ptr(),
                upper: upper.as_ptr(),
                carried: ptr::null(),
                run: Some(fork_tile),
                predecessors: Some(one_before),
                successors: Some(one_after),
                context: if counts { (&raw mut some).cast() } else { ptr::null_mut() },
                bounds: None,
                exists: None,
            };
            for _ in 0..ROUNDS {
                CHILD.store(0, Ordering::SeqCst);
                assert_eq!(unsafe { dvm_graph_run(&raw const graph) }, Code::DVM_SUCCESS);
                let end = Instant::now() + Duration::from_mins(1);
                until(|| CHILD.load(Ordering::SeqCst) != 0 || Instant::now() > end);
                assert_eq!(child(), 0, "ends where its worker would go on");
            }
        }
    });
}

/// The first call of a thread in the child. The standard library's threads take a lock of its own that another thread may have
/// held during the fork, so this one is made without it.
fn a_new_thread_is_answered() -> bool {
    extern "C" fn wait(_: *mut c_void) -> *mut c_void {
        let refused = unsafe { dvm_wait() } == Code::DVM_ERR_NOT_INITIALIZED;
        ptr::without_provenance_mut(usize::from(refused))
    }
    let (mut thread, mut refused) = (0, ptr::null_mut());
    unsafe {
        libc::pthread_create(&raw mut thread, ptr::null(), wait, ptr::null_mut()) == 0
            && libc::pthread_join(thread, &raw mut refused) == 0
            && !refused.is_null()
    }
}

/// What a child answers that may have been forked while libdvm began or ended, or did not run: no call hangs or says that
/// another thread is at it.
fn answers_beside_the_end() -> bool {
    let mut id = [0, 1 << 32];
    let (one, mut made) = ([1_i64], 0.into());
    let mut distribute =
        || unsafe { dvm_distribution_block_cyclic(1, one.as_ptr(), one.as_ptr(), one.as_ptr(), &raw mut made) };
    let answers = unsafe { [dvm_data_relax(id.as_mut_ptr()), dvm_wait(), dvm_finalize()] };
    if answers != [Code::DVM_ERR_NOT_INITIALIZED; 3] || !a_new_thread_is_answered() {
        return false;
    }
    match unsafe { dvm_init() } {
        Code::DVM_ERR_UNSUPPORTED => distribute() == Code::DVM_ERR_NOT_INITIALIZED,
        Code::DVM_SUCCESS => distribute() == Code::DVM_SUCCESS && unsafe { dvm_finalize() } == Code::DVM_SUCCESS,
        _ => false,
    }
}

#[test]
fn a_child_that_is_forked_while_libdvm_begins_or_ends_is_answered() {
    let _turn = turn();
    workers(2);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Threads whose first calls take the lock of all contexts.
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = std::thread::spawn(|| allocate(8).map(relax)).join();
            }
        });
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                init().unwrap();
                let _ = finalize();
            }
        });
        for turn in 0..400_u64 {
            std::thread::sleep(Duration::from_micros(turn * 37 % 1000));
            let child = unsafe { libc::fork() };
            if child == 0 {
                unsafe {
                    libc::alarm(60);
                    libc::_exit(if answers_beside_the_end() { WELL } else { 1 });
                }
            }
            let mut status = 0;
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            if (libc::WIFEXITED(status), libc::WEXITSTATUS(status)) != (true, WELL) {
                over.store(true, Ordering::Relaxed);
                panic!("fork {turn}: the child hangs, or has got a wrong answer: status {status}");
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}
