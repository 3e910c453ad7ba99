//! A process that runs the program of `workload`, its lines, and its end.

#![allow(dead_code, reason = "each test program uses a part")]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use dvm::transport::job::Ticket;

/// A process whose peer has gone ends within this time. Usually it takes milliseconds; machines may be busy.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// The most memory, in KiB, that a process may have had.
const MOST_MEMORY: u64 = 400 << 10;

/// A process of a job, and its lines.
pub struct Player {
    pub child: Child,
    lines: Receiver<(Instant, String)>,
    errors: Option<thread::JoinHandle<String>>,
    pub said: Vec<String>,
    /// When a call first told of a loss.
    pub told_of_loss: Option<Instant>,
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Player {
    pub fn start(ticket: Ticket, seed: u64, rounds: u64, patience: u64) -> Player {
        let mut command = testkit::part("worker");
        command.envs(ticket.environment()).env("DVM_TEST_PROGRAM", seed.to_string());
        command
            .env("DVM_TEST_ROUNDS", rounds.to_string())
            .env("DVM_TRANSPORT", "auto")
            .env("DVM_SHIP_CODE", "1")
            .env("DVM_PEER_TIMEOUT", patience.to_string());
        for variable in ["DVM_TEST_SEED", "DVM_TEST_FIRST", "DVM_TEST_CASES"] {
            command.env_remove(variable);
        }
        if testkit::setting("DVM_TEST_SEED").is_some() {
            command.env("DVM_VERBOSE", "1");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: between `fork` and `exec` it clears a flag of a descriptor.
        unsafe { command.pre_exec(move || ticket.pass_on()) };
        let mut child = command.spawn().unwrap();
        let (out, mut err) = (BufReader::new(child.stdout.take().unwrap()), child.stderr.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            out.lines().map_while(Result::ok).all(|line| sender.send((Instant::now(), line)).is_ok())
        });
        let errors = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = err.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Player { child, lines, errors: Some(errors), said: Vec::new(), told_of_loss: None }
    }

    /// Waits for a line with this word; the line.
    pub fn hear(&mut self, word: &str, until: Instant) -> Result<String, String> {
        loop {
            match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((time, line)) => {
                    self.take(time, line.clone());
                    if line.starts_with(word) {
                        return Ok(line);
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    return Err(format!("does not say {word:?}: {}", self.where_it_stands()));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(self.last_words()),
            }
        }
    }

    fn take(&mut self, time: Instant, line: String) {
        if line.starts_with("lost ") || line.contains("init refused") {
            self.told_of_loss.get_or_insert(time);
        }
        self.said.push(line);
    }

    /// Whether it has said this by now.
    pub fn has_said(&mut self, word: &str) -> bool {
        while let Ok((time, line)) = self.lines.try_recv() {
            self.take(time, line);
        }
        self.said.iter().any(|line| line.starts_with(word))
    }

    /// Its threads' stacks, if gdb is there, and its end.
    pub fn where_it_stands(&mut self) -> String {
        let stacks = self.stacks();
        format!("{stacks}\n{}", self.last_state())
    }

    /// Its threads' stacks, if gdb is there.
    pub fn stacks(&mut self) -> String {
        let mut gdb = std::process::Command::new("gdb");
        gdb.args(["-p", &self.child.id().to_string(), "-batch", "-ex", "thread apply all bt 12"]);
        let stacks = gdb.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        stacks.unwrap_or_default()
    }

    /// What it has said by now, and its end.
    pub fn last_state(&mut self) -> String {
        let _ = self.child.kill();
        self.has_said("");
        self.last_words()
    }

    fn last_words(&mut self) -> String {
        let status = self.child.wait().unwrap();
        let errors = self.errors.take().map(|errors| errors.join().unwrap()).unwrap_or_default();
        format!("{status}: {:?} {errors}", self.said)
    }

    /// Waits for a good end; what it said last.
    pub fn end(&mut self, until: Instant) -> Result<String, String> {
        let line = match self.said.iter().find(|line| line.starts_with("well ")) {
            Some(line) => line.clone(),
            None => self.hear("well ", until)?,
        };
        let memory: u64 = line.split(' ').nth(1).and_then(|number| number.parse().ok()).unwrap();
        if memory > MOST_MEMORY {
            return Err(format!("had {memory} KiB: {:?}", self.said));
        }
        while self.child.try_wait().unwrap().is_none() {
            if Instant::now() > until {
                return Err(format!("does not end: {}", self.where_it_stands()));
            }
            thread::sleep(Duration::from_millis(1));
        }
        let status = self.child.wait().unwrap();
        let errors = self.errors.take().map(|errors| errors.join().unwrap()).unwrap_or_default();
        if !status.success() || errors.contains("panicked") {
            return Err(format!("{status}: {:?} {errors}", self.said));
        }
        Ok(line)
    }
}
