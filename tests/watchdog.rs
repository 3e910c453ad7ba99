//! The watchdog, the signal and `dvm_explain` print on stderr, each in a process of its own.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::io::{BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};

use dvm::ffi::c_functions::dvm_explain;
use support::*;
use testkit::{part, playing};

/// Starts the part of a test.
fn play(test: &str, environment: &[(&str, &str)]) -> Child {
    part(test)
        .env("DVM_SYNTHETIC", "pu:2")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Reads up to the line with these words; the text read. Panics if the output ends first.
fn read_until(output: &mut impl std::io::BufRead, words: &str) -> String {
    let mut text = String::new();
    loop {
        let before = text.len();
        assert!(output.read_line(&mut text).unwrap() > 0, "{words:?} never came: {text}");
        if text[before..].contains(words) {
            return text;
        }
    }
}

/// Lets the part end; its exit code and the rest of its stderr.
fn let_go(mut child: Child, mut errors: impl std::io::Read) -> (Option<i32>, String) {
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    (child.wait().unwrap().code(), rest)
}

/// A task waits for a promise until the tester lets it go.
fn wait_for_the_tester() {
    init().unwrap();
    let gate = promise(8).unwrap();
    let reads = processing(&[IN], c"reads", |_| 0);
    near(reads, &[gate]).unwrap();
    println!("\nready");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    publish(gate).unwrap();
    wait().unwrap();
    finalize().unwrap();
}

#[test]
fn the_watchdog_explains_and_says_when_nothing_has_changed() {
    if playing() {
        wait_for_the_tester();
        std::process::exit(31);
    }
    let mut child = play("the_watchdog_explains_and_says_when_nothing_has_changed", &[("DVM_WATCHDOG", "1")]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let told = read_until(&mut errors, "'reads' (in ");
    assert!(told.contains("(DVM_WATCHDOG=1)\nlibdvm: what waits for what\n1 task has not ended"), "{told}");
    assert!(told.contains("nobody is to publish it"), "{told}");
    let again = read_until(&mut errors, "as told before");
    assert!(!again.contains("Missing:"), "the same is not told twice: {again}");
    assert_eq!(let_go(child, errors).0, Some(31));
}

#[test]
fn the_watchdog_sees_a_thread_in_get() {
    if playing() {
        init().unwrap();
        let gate = promise(8).unwrap();
        let sleeper = std::thread::spawn(move || get(gate).map(|_| ()));
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        publish(gate).unwrap();
        sleeper.join().unwrap().unwrap();
        finalize().unwrap();
        std::process::exit(32);
    }
    let mut child = play("the_watchdog_sees_a_thread_in_get", &[("DVM_WATCHDOG", "1")]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    read_until(&mut errors, "Waiting: 0 tasks for it, 1 thread in dvm_data_get.");
    assert_eq!(let_go(child, errors).0, Some(32));
}

#[test]
fn an_idle_program_is_not_explained() {
    if playing() {
        init().unwrap();
        let promised = promise(8).unwrap();
        // Longer than the period: only the printed text counts.
        std::thread::sleep(std::time::Duration::from_millis(2500));
        relax(promised).unwrap();
        finalize().unwrap();
        std::process::exit(33);
    }
    let mut child = play("an_idle_program_is_not_explained", &[("DVM_WATCHDOG", "1")]);
    let errors = child.stderr.take().unwrap();
    let (code, printed) = let_go(child, errors);
    assert_eq!(code, Some(33));
    assert!(!printed.contains("libdvm"), "{printed}");
}

#[test]
fn a_signal_asks_for_an_explanation() {
    if playing() {
        wait_for_the_tester();
        let mut now = unsafe { std::mem::zeroed::<libc::sigaction>() };
        unsafe { libc::sigaction(libc::SIGUSR2, std::ptr::null(), &raw mut now) };
        std::process::exit(if now.sa_sigaction == libc::SIG_DFL { 34 } else { 1 });
    }
    let mut child = play("a_signal_asks_for_an_explanation", &[("DVM_EXPLAIN_SIGNAL", "SIGUSR2")]);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    read_until(&mut output, "ready");
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    for _ in 0..3 {
        assert_eq!(unsafe { libc::kill(child.id().cast_signed(), libc::SIGUSR2) }, 0);
        let told = read_until(&mut errors, "'reads' (in ");
        assert!(told.contains("libdvm: what waits for what\n1 task has not ended"), "{told}");
    }
    let drain = std::thread::spawn(move || output.read_to_string(&mut String::new()));
    assert_eq!(let_go(child, errors).0, Some(34), "the signal is as it was before");
    drain.join().unwrap().unwrap();
}

extern "C" fn mine(_signal: libc::c_int) {}

#[test]
fn a_signal_that_the_program_handles_is_not_taken() {
    if playing() {
        unsafe { libc::signal(libc::SIGUSR1, mine as *const () as usize) };
        assert_eq!(init(), Err(Code::DVM_ERR_ARGUMENT));
        let message = last_error();
        assert!(message.contains("DVM_EXPLAIN_SIGNAL") && message.contains("has a handler"), "{message}");
        // Nothing is left running.
        assert_eq!(finalize(), Err(Code::DVM_ERR_NOT_INITIALIZED));
        assert_eq!(unsafe { libc::signal(libc::SIGUSR1, libc::SIG_DFL) }, mine as *const () as usize);
        init().unwrap();
        finalize().unwrap();
        std::process::exit(35);
    }
    let mut child = play("a_signal_that_the_program_handles_is_not_taken", &[("DVM_EXPLAIN_SIGNAL", "USR1")]);
    let errors = child.stderr.take().unwrap();
    assert_eq!(let_go(child, errors).0, Some(35));
}

/// A forked child shares its parent's pipe: a signal in the child must not reach the parent.
#[test]
fn a_forked_child_does_not_ask_its_parent() {
    if playing() {
        init().unwrap();
        let child = unsafe { libc::fork() };
        if child == 0 {
            unsafe { libc::raise(libc::SIGUSR1) };
            let ended = finalize();
            unsafe { libc::_exit(i32::from(ended != Err(Code::DVM_ERR_NOT_INITIALIZED))) };
        }
        let mut status = -1;
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        finalize().unwrap();
        std::process::exit(if status == 0 { 36 } else { 1 });
    }
    let mut child =
        play("a_forked_child_does_not_ask_its_parent", &[("DVM_EXPLAIN_SIGNAL", "SIGUSR1"), ("DVM_WATCHDOG", "100")]);
    let errors = child.stderr.take().unwrap();
    let (code, printed) = let_go(child, errors);
    assert_eq!(code, Some(36));
    assert!(!printed.contains("libdvm"), "{printed}");
}

#[test]
fn explain_prints_on_stderr_also_from_a_task() {
    if playing() {
        init().unwrap();
        let asks = processing(&[], c"asks", |_| i32::from(unsafe { dvm_explain() } != Code::DVM_SUCCESS));
        onto(rank_at(0), asks, &[]).unwrap();
        wait().unwrap();
        finalize().unwrap();
        std::process::exit(37);
    }
    let mut child = play("explain_prints_on_stderr_also_from_a_task", &[]);
    let errors = child.stderr.take().unwrap();
    let (code, printed) = let_go(child, errors);
    assert_eq!(code, Some(37));
    assert!(printed.contains("  the worker of rank 0 0 runs 'asks'\n"), "{printed}");
}

/// An engine that generated code started has a watchdog too, and the program ends.
#[test]
fn an_implicit_start_is_watched() {
    if playing() {
        assert_eq!(dvm::ffi::c_functions::dvm_graph_start(), Code::DVM_SUCCESS);
        assert_eq!(dvm::ffi::c_functions::dvm_graph_start(), Code::DVM_SUCCESS);
        let gate = promise(8).unwrap();
        near(processing(&[IN], c"reads", |_| 0), &[gate]).unwrap();
        let mut line = String::new();
        std::io::stdin().read_line(&mut line).unwrap();
        std::process::exit(38);
    }
    let mut child = play("an_implicit_start_is_watched", &[("DVM_WATCHDOG", "1")]);
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    read_until(&mut errors, "'reads' (in ");
    assert_eq!(let_go(child, errors).0, Some(38));
}
