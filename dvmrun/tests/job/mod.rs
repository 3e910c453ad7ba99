//! A job that a test runs, under a deadline.
#![allow(dead_code, reason = "each test program uses a part")]

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// No job of a test takes longer.
const DEADLINE: Duration = Duration::from_mins(1);

/// Signals have their defaults, whatever has started the tests: a background job of a shell ignores some.
pub fn dvmrun(arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_dvmrun")]).args(arguments);
    for variable in ["DVM_PROCESS", "DVM_PROCESSES", "DVM_JOB", "DVM_PULL"] {
        command.env_remove(variable);
    }
    command
}

pub struct Job {
    child: Child,
    out: JoinHandle<String>,
    err: JoinHandle<String>,
}

pub struct Ended {
    /// None: by a signal.
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

fn all(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

impl Job {
    pub fn start(command: &mut Command) -> Job {
        Job::start_with_input(command, b"")
    }

    pub fn start_with_input(command: &mut Command, input: &[u8]) -> Job {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (all(child.stdout.take().unwrap()), all(child.stderr.take().unwrap()));
        // Nobody may read it.
        let _ = child.stdin.take().unwrap().write_all(input);
        Job { child, out, err }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: i32) {
        kill(self.pid(), signal);
    }

    /// Waits for its end and the end of its output.
    pub fn end(mut self) -> Ended {
        let end = Instant::now() + DEADLINE;
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            if Instant::now() > end {
                self.child.kill().unwrap();
                panic!("the job does not end: {} {}", self.out.join().unwrap(), self.err.join().unwrap());
            }
            thread::sleep(Duration::from_millis(2));
        };
        Ended { code, out: self.out.join().unwrap(), err: self.err.join().unwrap() }
    }
}

/// Sends a signal to a process.
pub fn kill(pid: u32, signal: i32) {
    let status = Command::new("kill").args([format!("-{signal}"), pid.to_string()]).status().unwrap();
    assert!(status.success(), "process {pid} is there");
}

/// The state of a process, as the system has it in letters; none: it is gone.
pub fn state(pid: u32) -> Option<char> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    text.rsplit(") ").next()?.chars().next()
}

pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < end, "not in time: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
