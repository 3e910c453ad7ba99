//! The C interface as tests call it: results instead of codes, closures instead of function pointers.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::*;
pub use dvm::ffi::dvm_retcode_t as Code;
use dvm::ffi::{DVM_IN, DVM_OUT, errors};

pub type Id = [u64; 2];
pub type Rank = [u64; 8];
pub type Outcome<T = ()> = Result<T, Code>;

pub const IN: c_int = DVM_IN;
pub const OUT: c_int = DVM_OUT;

fn outcome<T>(code: Code, value: T) -> Outcome<T> {
    if code == Code::DVM_SUCCESS { Ok(value) } else { Err(code) }
}

/// The tests of a binary share one engine: they take turns.
pub static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

pub fn turn() -> std::sync::MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A program without progress for this long hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// Aborts when `progress` does not change any more, with the message that `tell` has of its last value: there is no other
/// way out of a call that does not return. Once per progress; at 0 nothing has begun.
pub fn watch(progress: &'static AtomicU64, tell: impl Fn(u64) -> String + Send + 'static) {
    std::thread::spawn(move || {
        let (mut last, mut since) = (0, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = progress.load(Ordering::Relaxed);
            if now != last || now == 0 {
                (last, since) = (now, Instant::now());
            } else if since.elapsed() > PATIENCE {
                eprintln!("{}", tell(now));
                std::process::abort();
            }
        }
    });
}

/// Spins until another thread has acted, and yields the core to it.
pub fn until(mut done: impl FnMut() -> bool) {
    for turn in 0_u64.. {
        if done() {
            return;
        }
        if turn % 1000 == 999 {
            std::thread::yield_now();
        }
        std::hint::spin_loop();
    }
}

/// Waits until this many threads sleep in `dvm_data_get`.
pub fn until_sleepers(count: usize) {
    let told = format!("In dvm_data_get: {count} thread");
    let mut text = vec![0_u8; 1 << 16];
    let end = Instant::now() + PATIENCE;
    loop {
        let mut needed = 0;
        let code = unsafe { dvm_explain_text(text.as_mut_ptr().cast(), text.len(), &raw mut needed) };
        assert_eq!(code, Code::DVM_SUCCESS);
        let text = String::from_utf8_lossy(&text[..needed.clamp(1, text.len()) - 1]);
        if text.contains(&told) {
            return;
        }
        assert!(Instant::now() < end, "nobody sleeps: {text}");
        std::thread::yield_now();
    }
}

/// Limits the workers of this binary's engines; called before the first starts.
pub fn workers(count: usize) {
    // SAFETY: tests take turns, and no other thread reads the environment.
    unsafe { std::env::set_var("DVM_WORKERS", count.to_string()) };
}

/// Runs `body`, which starts engines, with one worker and this `DVM_SEED`.
pub fn seeded<R>(seed: u64, body: impl FnOnce() -> R) -> R {
    let before = std::env::var_os("DVM_WORKERS");
    workers(1);
    // SAFETY: tests take turns, and no other thread reads the environment.
    unsafe {
        std::env::set_var("DVM_SEED", seed.to_string());
        let result = body();
        std::env::remove_var("DVM_SEED");
        match before {
            Some(before) => std::env::set_var("DVM_WORKERS", before),
            None => std::env::remove_var("DVM_WORKERS"),
        }
        result
    }
}

/// Runs a test with a fresh engine of two workers, which must end without anything left to say.
pub fn with_engine(body: impl FnOnce()) {
    let _turn = turn();
    in_turn(body);
}

/// The same for a test that holds its turn over several engines.
pub fn in_turn(body: impl FnOnce()) {
    workers(2);
    init().unwrap();
    body();
    finalize().unwrap_or_else(|code| panic!("{code:?}: {}", last_error()));
}

pub fn init() -> Outcome {
    outcome(unsafe { dvm_init() }, ())
}
pub fn finalize() -> Outcome {
    outcome(unsafe { dvm_finalize() }, ())
}
pub fn wait() -> Outcome {
    outcome(unsafe { dvm_wait() }, ())
}
pub fn last_error() -> String {
    unsafe { CStr::from_ptr(errors::dvm_last_error()) }.to_str().unwrap().to_owned()
}

pub fn count() -> u64 {
    let mut count = 0;
    assert_eq!(unsafe { dvm_rank_count(&raw mut count) }, Code::DVM_SUCCESS);
    count
}
pub fn rank_at(index: u64) -> Rank {
    let mut rank = [0; 8];
    assert_eq!(unsafe { dvm_rank_at(index, rank.as_mut_ptr(), 8) }, Code::DVM_SUCCESS);
    rank
}
pub fn here() -> Rank {
    let mut rank = [0; 8];
    assert_eq!(unsafe { dvm_rank_get(rank.as_mut_ptr(), 8) }, Code::DVM_SUCCESS);
    rank
}
pub fn distance(mut a: Rank, mut b: Rank) -> u64 {
    let mut distance = u64::MAX;
    assert_eq!(unsafe { dvm_rank_distance(a.as_mut_ptr(), b.as_mut_ptr(), &raw mut distance) }, Code::DVM_SUCCESS);
    distance
}

pub fn allocate(size: usize) -> Outcome<Id> {
    let mut id = [0; 2];
    outcome(unsafe { dvm_data_allocate(size, &raw mut id) }, ()).map(|()| id)
}
pub fn register(addr: *mut c_void, size: usize, free: Option<unsafe extern "C" fn(*mut c_void, usize)>) -> Outcome<Id> {
    let mut id = [0; 2];
    outcome(unsafe { dvm_data_register(addr, size, free, &raw mut id) }, ()).map(|()| id)
}
pub fn promise(size: usize) -> Outcome<Id> {
    let mut id = [0; 2];
    outcome(unsafe { dvm_data_promise(size, &raw mut id) }, ()).map(|()| id)
}
pub fn next(mut current: Id) -> Outcome<Id> {
    let mut id = [0; 2];
    outcome(unsafe { dvm_data_next(current.as_mut_ptr(), &raw mut id) }, ()).map(|()| id)
}
pub fn acquire(mut id: Id) -> Outcome {
    outcome(unsafe { dvm_data_acquire(id.as_mut_ptr()) }, ())
}
pub fn relax(mut id: Id) -> Outcome {
    outcome(unsafe { dvm_data_relax(id.as_mut_ptr()) }, ())
}
pub fn publish(mut id: Id) -> Outcome {
    outcome(unsafe { dvm_data_publish(id.as_mut_ptr()) }, ())
}
pub fn put(mut id: Id) -> Outcome {
    outcome(unsafe { dvm_data_put(id.as_mut_ptr()) }, ())
}
fn address(
    function: unsafe extern "C" fn(*const u64, *mut *mut c_void, *mut usize) -> Code,
    mut id: Id,
) -> Outcome<(*mut u64, usize)> {
    let (mut addr, mut size) = (ptr::null_mut(), 0);
    let code = unsafe { function(id.as_mut_ptr(), &raw mut addr, &raw mut size) };
    outcome(code, ()).map(|()| (addr.cast(), size))
}
pub fn get(id: Id) -> Outcome<(*mut u64, usize)> {
    address(dvm_data_get, id)
}
pub fn write(id: Id) -> Outcome<(*mut u64, usize)> {
    address(dvm_data_write, id)
}
/// The number in a datum of 8 bytes.
pub fn value(id: Id) -> Outcome<u64> {
    let value = unsafe { *get(id)?.0 };
    put(id)?;
    Ok(value)
}
/// A datum of 8 bytes with this number.
pub fn number(value: u64) -> Id {
    let id = allocate(8).unwrap();
    unsafe { *get(id).unwrap().0 = value };
    put(id).unwrap();
    id
}

/// What a task does: gets its ids, returns the callback's code.
pub type Body = Box<dyn Fn(&[Id]) -> c_int + Sync>;

unsafe extern "C" fn call_body(context: *mut c_void, ids: *mut Id, count: c_int) -> c_int {
    let body = unsafe { &*context.cast::<Body>() };
    let ids = if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(ids, count as usize) } };
    // An assertion that fails in a task fails the task, and the test's next wait.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(ids))).unwrap_or(-99)
}

/// Registers a closure, which is leaked.
pub fn processing(modes: &[c_int], description: &CStr, body: impl Fn(&[Id]) -> c_int + Sync + 'static) -> Id {
    let body: Body = Box::new(body);
    let context = Box::into_raw(Box::new(body)).cast();
    let mut id = [0; 2];
    let count = modes.len() as c_int;
    let text = description.as_ptr().cast_mut();
    let code = unsafe { dvm_processing_register_v(Some(call_body), context, count, text, id.as_mut_ptr()) };
    assert_eq!(code, Code::DVM_SUCCESS, "{}", last_error());
    if modes.contains(&OUT) {
        let mut modes = modes.to_vec();
        assert_eq!(unsafe { dvm_processing_access(id.as_mut_ptr(), modes.as_mut_ptr()) }, Code::DVM_SUCCESS);
    }
    id
}

pub fn onto(mut rank: Rank, mut function: Id, ids: &[Id]) -> Outcome {
    let ids_pointer = ids.as_ptr().cast_mut();
    let code = unsafe { dvm_sched_onto_v(rank.as_mut_ptr(), function.as_mut_ptr(), ids_pointer, ids.len() as c_int) };
    outcome(code, ())
}
pub fn near(mut function: Id, ids: &[Id]) -> Outcome {
    let ids_pointer = ids.as_ptr().cast_mut();
    outcome(unsafe { dvm_sched_near(function.as_mut_ptr(), ids_pointer, ids.len() as c_int) }, ())
}
pub fn load(mut rank: Rank) -> u64 {
    let mut load = 0;
    assert_eq!(unsafe { dvm_sched_load(rank.as_mut_ptr(), &raw mut load) }, Code::DVM_SUCCESS);
    load
}

/// `dvm_sched_onto` as C sees it.
pub type Variadic = unsafe extern "C" fn(rank: *mut u64, function: *mut u64, ...) -> Code;

pub fn variadic() -> Variadic {
    unsafe { std::mem::transmute::<unsafe extern "C" fn(), Variadic>(dvm_sched_onto) }
}
