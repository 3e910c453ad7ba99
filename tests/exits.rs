//! Programs that end without finalize, in any state, neither crash nor hang. Each is a process of its own.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call has ended"
)]

mod support;

use std::process::Stdio;
use std::time::{Duration, Instant};

use support::*;
use testkit::{part, playing};

/// Plays the part of a test; the exit code.
#[allow(clippy::zombie_processes, reason = "it is waited for, by polling")]
fn play(test: &str) -> Option<i32> {
    let mut process = part(test).stdout(Stdio::null()).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(90);
    while Instant::now() < end {
        if let Some(status) = process.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    process.kill().unwrap();
    process.wait().unwrap();
    panic!("{test} hangs at exit");
}

fn busy() {
    workers(3);
    init().unwrap();
    let spin = processing(&[IN], c"spin", |ids| {
        let until = Instant::now() + Duration::from_micros(200);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        relax(number(value(ids[0]).unwrap())).unwrap();
        0
    });
    let never = promise(8).unwrap();
    near(spin, &[never]).unwrap();
    for turn in 0..1_000 {
        onto(rank_at(turn % 3), spin, &[number(turn)]).unwrap();
    }
}

#[test]
fn exit_while_tasks_run() {
    if playing() {
        busy();
        std::process::exit(17);
    }
    for _ in 0..10 {
        assert_eq!(play("exit_while_tasks_run"), Some(17));
    }
}

#[test]
fn exit_inside_a_task() {
    if playing() {
        busy();
        let leave = processing(&[], c"leave", |_| std::process::exit(18));
        onto(rank_at(1), leave, &[]).unwrap();
        let _ = wait();
        unreachable!("a task has left");
    }
    for _ in 0..5 {
        assert_eq!(play("exit_inside_a_task"), Some(18));
    }
}

#[test]
fn exit_while_another_thread_sleeps_on_a_promise() {
    if playing() {
        workers(2);
        init().unwrap();
        let never = promise(8).unwrap();
        std::thread::spawn(move || get(never).is_ok());
        std::thread::sleep(Duration::from_millis(20));
        std::process::exit(19);
    }
    assert_eq!(play("exit_while_another_thread_sleeps_on_a_promise"), Some(19));
}

#[test]
fn exit_after_an_implicit_start() {
    if playing() {
        assert_eq!(dvm::ffi::c_functions::dvm_graph_start(), Code::DVM_SUCCESS);
        let nothing = processing(&[], c"nothing", |_| 0);
        near(nothing, &[]).unwrap();
        std::process::exit(20);
    }
    for _ in 0..5 {
        assert_eq!(play("exit_after_an_implicit_start"), Some(20));
    }
}

#[test]
fn the_child_of_a_fork_can_exit() {
    if playing() {
        assert_eq!(dvm::ffi::c_functions::dvm_graph_start(), Code::DVM_SUCCESS);
        let child = unsafe { libc::fork() };
        if child == 0 {
            unsafe { libc::exit(0) };
        }
        let mut status = -1;
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        std::process::exit(21 + status);
    }
    assert_eq!(play("the_child_of_a_fork_can_exit"), Some(21));
}

#[test]
fn init_takes_an_implicit_start_over() {
    if playing() {
        assert_eq!(dvm::ffi::c_functions::dvm_graph_start(), Code::DVM_SUCCESS);
        init().unwrap();
        assert_eq!(init(), Err(Code::DVM_ERR_ALREADY_INITIALIZED));
        finalize().unwrap();
        assert_eq!(finalize(), Err(Code::DVM_ERR_NOT_INITIALIZED));
        std::process::exit(22);
    }
    assert_eq!(play("init_takes_an_implicit_start_over"), Some(22));
}

#[test]
fn workers_block_all_signals() {
    if playing() {
        workers(2);
        init().unwrap();
        let look = processing(&[], c"look", |_| {
            let mut set = unsafe { std::mem::zeroed::<libc::sigset_t>() };
            unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut set) };
            let blocked = [libc::SIGINT, libc::SIGTERM, libc::SIGALRM, libc::SIGUSR1, libc::SIGCHLD];
            i32::from(!blocked.iter().all(|&signal| unsafe { libc::sigismember(&raw const set, signal) } == 1))
        });
        onto(rank_at(0), look, &[]).unwrap();
        onto(rank_at(1), look, &[]).unwrap();
        wait().unwrap();
        finalize().unwrap();
        std::process::exit(23);
    }
    assert_eq!(play("workers_block_all_signals"), Some(23));
}

/// The child of a fork has no workers: a wait in it once slept for ever.
#[test]
fn a_forked_child_is_told_that_it_has_no_workers() {
    if playing() {
        workers(2);
        init().unwrap();
        let nothing = processing(&[], c"nothing", |_| 0);
        onto(rank_at(0), nothing, &[]).unwrap();
        // Unpublished data keep their tasks outstanding in the child's copy.
        let never = promise(8).unwrap();
        near(processing(&[IN], c"reads", |_| 0), &[never]).unwrap();
        let child = unsafe { libc::fork() };
        if child == 0 {
            let refused = [
                (onto([0; 8], nothing, &[]).err(), Code::DVM_ERR_NOT_INITIALIZED),
                (get(never).err(), Code::DVM_ERR_NOT_INITIALIZED),
                (wait().err(), Code::DVM_ERR_NOT_INITIALIZED),
                (init().err(), Code::DVM_ERR_UNSUPPORTED),
                (finalize().err(), Code::DVM_ERR_NOT_INITIALIZED),
            ];
            let right = refused.iter().all(|(found, wanted)| *found == Some(*wanted));
            let right = right && dvm::ffi::c_functions::dvm_graph_start() == Code::DVM_ERR_UNSUPPORTED;
            // Through exit, so that what runs at exit runs here too.
            unsafe { libc::exit(i32::from(!right)) };
        }
        let mut status = 0;
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        publish(never).unwrap();
        wait().unwrap();
        finalize().unwrap();
        std::process::exit(if status == 0 { 21 } else { 1 });
    }
    for _ in 0..5 {
        assert_eq!(play("a_forked_child_is_told_that_it_has_no_workers"), Some(21));
    }
}

/// A process that was told of others, and not how to reach them, would take itself for the only one.
#[test]
fn a_process_of_a_job_that_it_cannot_join_is_refused_in_words() {
    const TEST: &str = "a_process_of_a_job_that_it_cannot_join_is_refused_in_words";
    if playing() {
        let refused = init().unwrap_err();
        println!("{refused:?}: {}", last_error());
        return;
    }
    for (process, processes) in [("1", "4"), ("0", "1")] {
        let told = testkit::passes(part(TEST).env("DVM_PROCESS", process).env("DVM_PROCESSES", processes));
        assert!(
            told.contains("DVM_ERR_ARGUMENT: dvm_init: DVM_PROCESS or DVM_PROCESSES is set without DVM_JOB"),
            "{told}"
        );
    }
}
