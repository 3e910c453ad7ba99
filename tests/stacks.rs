//! The stacks of workers: as large as the main thread's may grow, or as `DVM_STACK` asks. Each case is a process of its own.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::process::Command;

use dvm::ffi::c_functions::{dvm_blocking_begin, dvm_blocking_end};
use support::*;
use testkit::{part_by, passes, playing};

/// Plays the part of a test, with this environment and limit (in KiB).
fn again(test: &str, limit: &str, environment: &[(&str, &str)]) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -Ss \"$1\" && shift && exec \"$@\"", "sh", limit]);
    passes(part_by(shell, test).env("DVM_WORKERS", "2").envs(environment.iter().copied()));
}

/// Stack and guard of the calling thread, in bytes.
fn mine() -> (usize, usize) {
    let mut attributes = MaybeUninit::uninit();
    let (mut base, mut size, mut guard) = (std::ptr::null_mut(), 0, 0);
    unsafe {
        assert_eq!(libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()), 0);
        assert_eq!(libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut base, &raw mut size), 0);
        assert_eq!(libc::pthread_attr_getguardsize(attributes.as_ptr(), &raw mut guard), 0);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    (size, guard)
}

/// Uses this many KiB of stack.
#[inline(never)]
fn dig(kib: usize) -> u8 {
    let mut page = [kib as u8; 1024];
    std::hint::black_box(&mut page);
    if kib == 0 { page[7] } else { dig(kib - 1).wrapping_add(page[9]) }
}

/// Every thread that runs tasks has so many KiB, and can use them: a worker, and one that stands in for it.
fn all_have(kib: usize) {
    init().unwrap();
    let check = processing(&[], c"check", move |_| {
        let (size, guard) = mine();
        std::hint::black_box(dig(kib * 3 / 4));
        // The system rounds, and takes a little.
        c_int::from(size >> 10 < kib - kib / 16 || size >> 10 > kib + kib / 16 + 64 || guard == 0)
    });
    let block = processing(&[], c"block", move |_| {
        assert_eq!(unsafe { dvm_blocking_begin() }, Code::DVM_SUCCESS);
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert_eq!(unsafe { dvm_blocking_end() }, Code::DVM_SUCCESS);
        0
    });
    for worker in 0..2 {
        onto(rank_at(worker), check, &[]).unwrap();
        onto(rank_at(worker), block, &[]).unwrap();
        onto(rank_at(worker), check, &[]).unwrap();
    }
    wait().unwrap_or_else(|code| panic!("{code:?}: {}", last_error()));
    finalize().unwrap();
}

#[test]
fn workers_have_what_the_main_thread_may_have() {
    if let Some(kib) = std::env::var_os("DVM_TEST_KIB").filter(|_| playing()) {
        return all_have(kib.to_str().unwrap().parse().unwrap());
    }
    let name = "workers_have_what_the_main_thread_may_have";
    for (limit, kib) in [("1024", "1024"), ("40000", "40000")] {
        again(name, limit, &[("DVM_TEST_KIB", kib)]);
    }
    // `DVM_STACK` overrides the limit.
    again(name, "1024", &[("DVM_TEST_KIB", "30000"), ("DVM_STACK", "30000")]);
}

#[test]
fn a_stack_that_is_not_to_be_had_is_told() {
    if playing() {
        assert_eq!(init(), Err(Code::DVM_ERR_MEMORY));
        let told = last_error();
        for part in ["worker 0 of 2", "1099511627776 KiB", "DVM_STACK", "ulimit -s"] {
            assert!(told.contains(part), "{told}");
        }
        unsafe { std::env::set_var("DVM_STACK", "256") };
        init().unwrap();
        return finalize().unwrap();
    }
    again("a_stack_that_is_not_to_be_had_is_told", "8192", &[("DVM_STACK", "1099511627776")]);
}
