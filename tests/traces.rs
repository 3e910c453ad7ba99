//! A program leaves its trace however it ends. Each is a process of its own.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call has ended"
)]

mod support;

use std::ffi::c_int;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use support::*;
use testkit::{part, part_by, playing};

/// A program that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(90);

const FILE: &str = "trace.json";

/// Starts the part of a test, with a trace.
fn play(test: &str, trace: &str, more: &[(&str, &str)]) -> Child {
    play_after(test, trace, more, || ())
}

/// The same, after `prepare` has run in the new process, where only what a handler may do is allowed.
fn play_after(test: &str, trace: &str, more: &[(&str, &str)], prepare: fn()) -> Child {
    let mut command = part(test);
    command
        .envs([("DVM_TRACE", trace), ("DVM_WORKERS", "2")])
        .envs(more.iter().copied())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // What a process ignores or blocks, its children do: a shell that runs a check in the background ignores SIGINT.
    let prepare = move || {
        unsafe {
            for signal in ENDS {
                libc::signal(signal, libc::SIG_DFL);
            }
            mask(libc::SIG_UNBLOCK);
        }
        prepare();
        Ok(())
    };
    unsafe { command.pre_exec(prepare) }.spawn().unwrap()
}

const ENDS: [c_int; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// Blocks the signals by which a process is asked to end on this thread, or lets them through.
fn mask(how: c_int) {
    unsafe {
        let mut ends = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut ends);
        for signal in ENDS {
            libc::sigaddset(&raw mut ends, signal);
        }
        libc::pthread_sigmask(how, &raw const ends, std::ptr::null_mut());
    }
}

/// Reads the part's output up to "ready".
fn wait_until_ready(child: &mut Child) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("ready")));
}

fn wait_for(mut child: Child) -> (ExitStatus, String) {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            let mut told = String::new();
            child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
            return (status, told);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    panic!("hangs");
}

/// The trace, or the text that is no complete one.
fn read_trace(path: &Path) -> Result<serde_json::Value, String> {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))
}

/// The trace is complete, and has the task.
fn check(path: &Path) {
    let trace = read_trace(path).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    assert!(events.iter().any(|event| event["name"] == "traced"), "{trace}");
}

/// Runs a task, then keeps running others.
fn run() {
    init().unwrap();
    near(processing(&[], c"traced", |_| 0), &[]).unwrap();
    wait().unwrap();
    let busy = processing(&[], c"busy", |_| {
        std::thread::sleep(Duration::from_micros(50));
        0
    });
    (0..1_000_000).for_each(|_| near(busy, &[]).unwrap());
    println!("\nready");
}

fn sleep_for_long() -> ! {
    loop {
        std::thread::sleep(Duration::from_mins(1));
    }
}

#[test]
fn a_signal_that_ends_the_program_leaves_the_trace() {
    if playing() {
        run();
        sleep_for_long();
    }
    let test = "a_signal_that_ends_the_program_leaves_the_trace";
    for signal in ENDS {
        let folder = testkit::scratch(&[]);
        let path = folder.join(FILE);
        let mut child = play(test, path.to_str().unwrap(), &[]);
        wait_until_ready(&mut child);
        assert_eq!(unsafe { libc::kill(child.id().cast_signed(), signal) }, 0);
        assert_eq!(wait_for(child).0.signal(), Some(signal), "it ends the program as before");
        check(&path);
    }
}

/// As if the check itself ran in the background of a shell, where SIGINT is ignored, or under nohup.
#[test]
fn the_tests_of_signals_do_not_hang_on_what_they_inherit() {
    if playing() {
        return;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "a_signal_that_ends_the_program_leaves_the_trace", "--test-threads=1"]);
    let ignore = || {
        for signal in ENDS {
            unsafe { libc::signal(signal, libc::SIG_IGN) };
        }
        mask(libc::SIG_BLOCK);
        Ok(())
    };
    let output = unsafe { command.pre_exec(ignore) }.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// Only the thread that got the signal may take it, and it has ended before the trace is written.
#[test]
fn a_signal_that_no_thread_takes_any_more_ends_the_program() {
    if playing() {
        run();
        let taker = std::thread::spawn(|| {
            mask(libc::SIG_UNBLOCK);
            unsafe { libc::raise(libc::SIGTERM) };
            mask(libc::SIG_BLOCK);
        });
        taker.join().unwrap();
        sleep_for_long();
    }
    let test = "a_signal_that_no_thread_takes_any_more_ends_the_program";
    let folder = testkit::scratch(&[]);
    let path = folder.join(FILE);
    let child = play_after(test, path.to_str().unwrap(), &[], || mask(libc::SIG_BLOCK));
    assert_eq!(wait_for(child).0.signal(), Some(libc::SIGTERM));
    check(&path);
}

/// libdvm has caught the signal, which no other thread sees; it ends the program in any state.
#[test]
fn a_signal_while_libdvm_begins_or_ends_is_not_lost() {
    if playing() {
        println!("\nready");
        loop {
            init().unwrap();
            // This thread mostly takes the signal, and is quicker than the thread that acts on it.
            unsafe { libc::sched_yield() };
            finalize().unwrap();
        }
    }
    let test = "a_signal_while_libdvm_begins_or_ends_is_not_lost";
    for round in 0..60 {
        let mut child = play(test, "/dev/null", &[]);
        wait_until_ready(&mut child);
        std::thread::sleep(Duration::from_micros(137 * round));
        assert_eq!(unsafe { libc::kill(child.id().cast_signed(), libc::SIGTERM) }, 0);
        assert_eq!(wait_for(child).0.signal(), Some(libc::SIGTERM), "round {round}");
    }
}

#[test]
fn a_program_that_ignores_or_handles_the_signal_goes_on() {
    if playing() {
        unsafe extern "C" fn handler(_: c_int) {
            unsafe { libc::_exit(23) };
        }
        unsafe {
            libc::signal(libc::SIGINT, libc::SIG_IGN);
            libc::signal(libc::SIGTERM, handler as *const () as usize);
            run();
            libc::raise(libc::SIGINT);
            std::thread::sleep(Duration::from_millis(100));
            libc::raise(libc::SIGTERM);
        }
        sleep_for_long();
    }
    let test = "a_program_that_ignores_or_handles_the_signal_goes_on";
    let folder = testkit::scratch(&[]);
    let path = folder.join(FILE);
    assert_eq!(wait_for(play(test, path.to_str().unwrap(), &[])).0.code(), Some(23));
    assert!(path.exists());
}

#[test]
fn a_forked_child_is_ended_by_the_signal() {
    if playing() {
        init().unwrap();
        let child = unsafe { libc::fork() };
        if child == 0 {
            unsafe { libc::alarm(10) };
            sleep_for_long();
        }
        std::thread::sleep(Duration::from_millis(100));
        let mut status = 0;
        unsafe {
            libc::kill(child, libc::SIGTERM);
            libc::waitpid(child, &raw mut status, 0);
        }
        finalize().unwrap();
        std::process::exit(libc::WTERMSIG(status));
    }
    let test = "a_forked_child_is_ended_by_the_signal";
    let folder = testkit::scratch(&[]);
    let path = folder.join(FILE);
    assert_eq!(wait_for(play(test, path.to_str().unwrap(), &[])).0.code(), Some(libc::SIGTERM));
    assert!(path.exists());
}

#[test]
fn the_watchdog_writes_the_trace_when_it_has_spoken() {
    if playing() {
        init().unwrap();
        near(processing(&[], c"traced", |_| 0), &[]).unwrap();
        wait().unwrap();
        let never = promise(8).unwrap();
        near(processing(&[IN], c"never", |_| 0), &[never]).unwrap();
        sleep_for_long();
    }
    let test = "the_watchdog_writes_the_trace_when_it_has_spoken";
    let folder = testkit::scratch(&[]);
    let path = folder.join(FILE);
    let mut child = play(test, path.to_str().unwrap(), &[("DVM_WATCHDOG", "1")]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("nobody is to publish it")));
    let end = Instant::now() + PATIENCE;
    while read_trace(&path).is_err() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    check(&path);
}

#[test]
fn an_exit_without_finalize_leaves_the_trace() {
    if playing() {
        run();
        std::process::exit(21);
    }
    let test = "an_exit_without_finalize_leaves_the_trace";
    let folder = testkit::scratch(&[]);
    let path = folder.join(FILE);
    assert_eq!(wait_for(play(test, path.to_str().unwrap(), &[])).0.code(), Some(21));
    check(&path);
}

/// Generated code never calls finalize: no call can return the failure.
#[test]
fn a_trace_of_generated_code_that_cannot_be_written_is_told() {
    if playing() {
        assert_eq!(dvm::ffi::c_functions::dvm_graph_start(), Code::DVM_SUCCESS);
        near(processing(&[], c"traced", |_| 0), &[]).unwrap();
        wait().unwrap();
        std::process::exit(22);
    }
    let test = "a_trace_of_generated_code_that_cannot_be_written_is_told";
    let (status, told) = wait_for(play(test, "/dev/full", &[]));
    assert_eq!(status.code(), Some(22));
    assert!(told.contains("cannot write the trace to \"/dev/full\""), "{told}");
    assert_eq!(told.matches("/dev/full").count(), 1, "once: {told}");
}

/// Only environment variables silence hwloc, and the environment belongs to the program.
#[test]
fn nothing_is_printed_where_the_kernel_s_files_are_hidden() {
    if playing() {
        unsafe { std::env::remove_var("DVM_TRACE") };
        init().unwrap();
        assert!(count() > 0);
        finalize().unwrap();
        std::process::exit(24);
    }
    let test = "nothing_is_printed_where_the_kernel_s_files_are_hidden";
    let mut hidden = Command::new("unshare");
    let hide = "mount -t tmpfs none /sys || exit 77; exec \"$0\" \"$@\"";
    hidden.args(["--user", "--map-root-user", "--mount", "sh", "-c", hide]);
    let output = part_by(hidden, test).output();
    match output.map(|output| (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())) {
        Ok((Some(24), told)) => assert_eq!(told, ""),
        other => println!("no namespace of its own here: {other:?}"),
    }
}
