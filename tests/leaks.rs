//! Many of anything, one after the other: an ended object costs no memory, no thread and no time.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call has ended"
)]

mod support;

use std::ffi::{CString, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::*;
use support::*;

/// Bytes that the C allocator has given out.
fn in_use() -> usize {
    let info = unsafe { libc::mallinfo2() };
    info.uordblks + info.hblkhd
}

unsafe extern "C" fn nothing(_: *mut c_void, _: *mut Id, _: c_int) -> c_int {
    0
}

/// Registers with a context, a description and modes of its own each time, runs a task, and unregisters.
fn register_afresh(turn: usize, task: bool) {
    let mut id = [0; 2];
    let context = ptr::without_provenance_mut(turn + 1);
    let description = CString::new(format!("number {turn}")).unwrap();
    let text = description.as_ptr().cast_mut();
    assert_eq!(
        unsafe { dvm_processing_register_v(Some(nothing), context, 0, text, id.as_mut_ptr()) },
        Code::DVM_SUCCESS
    );
    assert_eq!(unsafe { dvm_processing_cores(id.as_mut_ptr(), 1 + (turn % 2) as c_int) }, Code::DVM_SUCCESS);
    if task {
        near(id, &[]).unwrap();
        wait().unwrap();
    }
    assert_eq!(unsafe { dvm_processing_unregister(&raw mut id) }, Code::DVM_SUCCESS);
}

#[test]
fn processings_that_were_forgotten_take_no_memory() {
    const MANY: usize = 100_000;
    // Other tests keep objects, such as contexts of threads: they must not run meanwhile.
    let _turn = turn();
    in_turn(|| {
        (0..5_000).for_each(|turn| register_afresh(turn, turn % 10 == 0));
        let before = in_use();
        (0..MANY).for_each(|turn| register_afresh(5_000 + turn, turn % 100 == 0));
        let grown = in_use().saturating_sub(before);
        assert!(grown < 1 << 20, "{grown} bytes for {MANY} processings");
    });
    // Nor do processings that finalize has forgotten.
    let round = |round: usize| {
        in_turn(|| {
            for turn in 0..20_000 {
                let (mut id, context) = ([0; 2], ptr::without_provenance_mut(round << 32 | turn << 4));
                let code = unsafe {
                    dvm_processing_register_v(Some(nothing), context, 0, c"left".as_ptr().cast_mut(), id.as_mut_ptr())
                };
                assert_eq!(code, Code::DVM_SUCCESS);
            }
        });
    };
    (1..3).for_each(round);
    let before = in_use();
    (3..9).for_each(round);
    let grown = in_use().saturating_sub(before);
    assert!(grown < 1 << 20, "{grown} bytes after finalize");
}

/// Tasks of a forgotten processing still run.
#[test]
fn a_task_keeps_what_its_forgotten_processing_had() {
    with_engine(|| {
        static RAN: AtomicU64 = AtomicU64::new(0);
        let gate = promise(8).unwrap();
        let mut late = processing(&[IN], c"late", |_| {
            RAN.fetch_add(1, Ordering::SeqCst);
            0
        });
        near(late, &[gate]).unwrap();
        assert_eq!(unsafe { dvm_processing_unregister(&raw mut late) }, Code::DVM_SUCCESS);
        (0..5_000).for_each(|turn| register_afresh(turn, false));
        publish(gate).unwrap();
        wait().unwrap();
        assert_eq!(RAN.load(Ordering::SeqCst), 1);
        (0..5_000).for_each(|turn| register_afresh(turn, false));
    });
}

/// The threads of libdvm, by their names: threads of the test driver come and go.
fn threads() -> usize {
    let name = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
    std::fs::read_dir("/proc/self/task").unwrap().flatten().map(name).filter(|name| name.starts_with("dvm-")).count()
}

#[test]
fn threads_of_blocking_sections_end_when_they_are_idle() {
    const BLOCKED: usize = 100;
    static GATE: AtomicU64 = AtomicU64::new(0);
    static MOST: AtomicU64 = AtomicU64::new(0);
    with_engine(|| {
        let blocks = processing(&[], c"blocks", |_| {
            assert_eq!(unsafe { dvm_blocking_begin() }, Code::DVM_SUCCESS);
            if GATE.fetch_add(1, Ordering::SeqCst) + 1 == BLOCKED as u64 {
                MOST.store(threads() as u64, Ordering::SeqCst);
            }
            while GATE.load(Ordering::SeqCst) < BLOCKED as u64 {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(unsafe { dvm_blocking_end() }, Code::DVM_SUCCESS);
            0
        });
        for round in 0..2 {
            GATE.store(0, Ordering::SeqCst);
            (0..BLOCKED).for_each(|task| onto(rank_at(task as u64 % 2), blocks, &[]).unwrap());
            wait().unwrap();
            assert!(MOST.load(Ordering::SeqCst) >= BLOCKED as u64, "each that blocks has one");
            let end = Instant::now() + Duration::from_mins(1);
            while threads() > 2 && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(20));
            }
            assert!(threads() <= 2, "{} threads of 2 workers after round {round}", threads());
        }
    });
}
