//! A job from its start to its end: signals, output, failures, time.

use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use crate::processes::{Failure, Processes};
use crate::stdin_relay::StdinRelay;
use crate::system::{self, Signals};

/// What is asked for.
pub struct Wishes<'a> {
    pub processes: usize,
    pub label: bool,
    pub keep_going: bool,
    /// The job does without processes other than 0 that are killed (`DVM_RECOVER`).
    pub recovers: bool,
    pub timeout: Option<Duration>,
    pub grace: Duration,
    pub program: &'a [OsString],
}

/// Signals that are passed on as they are, and those that stop and continue.
const PASSED_ON: [i32; 6] = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];
const OWN: [i32; 3] = [libc::SIGTSTP, libc::SIGCONT, libc::SIGCHLD];

/// How long output may still come when all processes have ended, from what they have started.
const LATE_OUTPUT: Duration = Duration::from_millis(200);

/// How often is looked whether something is left.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// What `timeout` ends with.
const TIME_IS_OVER: u8 = 124;

/// Runs the job; its exit code.
///
/// # Errors
/// The program cannot be started, or the system refuses what the job needs.
pub fn run(wishes: &Wishes<'_>) -> Result<u8, Failure> {
    let signals = Signals::take(&[&PASSED_ON[..], &OWN].concat())
        .map_err(|error| Failure { code: 125, text: format!("signals cannot be taken over: {error}") })?;
    let processes = Processes::start(wishes.processes, wishes.program, wishes.label, &signals)?;
    let mut running = Running {
        processes,
        signals,
        grace: wishes.grace,
        keep_going: wishes.keep_going,
        recovers: wishes.recovers,
        timeout: wishes.timeout.and_then(|time| Instant::now().checked_add(time)),
        ending: false,
        kill: None,
        code: 0,
        told: 0,
    };
    running.until_all_have_ended();
    running.last_output();
    running.processes.reap();
    Ok(running.code)
}

/// A job that runs.
struct Running {
    processes: Processes,
    signals: Signals,
    grace: Duration,
    keep_going: bool,
    recovers: bool,
    timeout: Option<Instant>,
    /// The processes were told to end.
    ending: bool,
    /// When they are killed.
    kill: Option<Instant>,
    code: u8,
    /// The last signal that was passed on: a process that it ends is no surprise.
    told: i32,
}

impl Running {
    fn until_all_have_ended(&mut self) {
        loop {
            for (index, code) in self.processes.look() {
                self.fail(index, code);
            }
            let over = self.processes.are_over();
            if over && !(self.ending && self.processes.have_left_something()) {
                return;
            }
            self.watch_time();
            // The end of what the processes have started is told to nobody.
            let limit = if over { Some(LOOK_AGAIN) } else { self.next_time() };
            self.wait(limit);
            while let Some(signal) = self.signals.next() {
                self.pass_on(signal);
            }
        }
    }

    /// A process has failed: the first one decides the exit code, and the others are told to end.
    fn fail(&mut self, index: usize, code: u8) {
        if self.code != 0 {
            return;
        }
        let was_told = self.told != 0 && i32::from(code) == 128 + self.told;
        if self.recovers && index != 0 && code > 128 && !was_told && !self.ending {
            return eprintln!("dvmrun: process {index} was ended by signal {}: the others go on", code - 128);
        }
        self.code = code;
        if !was_told {
            let how =
                if code > 128 { format!("was ended by signal {}", code - 128) } else { format!("failed with {code}") };
            eprintln!("dvmrun: process {index} {how}");
        }
        if !self.keep_going {
            self.end();
        }
    }

    fn end(&mut self) {
        if !self.ending {
            self.ending = true;
            self.kill = Instant::now().checked_add(self.grace);
            self.processes.signal(libc::SIGTERM);
            // A stopped process hears it when it goes on.
            self.processes.signal(libc::SIGCONT);
        }
    }

    fn watch_time(&mut self) {
        let is_over = |time: Instant| time <= Instant::now();
        if self.timeout.is_some_and(is_over) {
            self.timeout = None;
            if self.code == 0 {
                self.code = TIME_IS_OVER;
            }
            if !self.ending {
                eprintln!("dvmrun: the time is over");
            }
            self.end();
        }
        if self.kill.is_some_and(is_over) {
            self.kill = None;
            self.processes.signal(libc::SIGKILL);
        }
    }

    fn next_time(&self) -> Option<Duration> {
        let next = self.timeout.into_iter().chain(self.kill).min();
        next.map(|time| time.saturating_duration_since(Instant::now()))
    }

    fn pass_on(&mut self, signal: i32) {
        match signal {
            libc::SIGCHLD => {}
            libc::SIGTSTP => {
                self.processes.signal(libc::SIGTSTP);
                system::stop_self();
            }
            _ => {
                self.processes.signal(signal);
                if signal != libc::SIGCONT {
                    self.told = signal;
                }
            }
        }
    }

    /// Waits for signals, output and input, at most so long, and passes output and input on.
    fn wait(&mut self, limit: Option<Duration>) -> bool {
        let Processes { outputs, relay, .. } = &mut self.processes;
        let input = relay.as_ref().and_then(StdinRelay::watched);
        let mut watched: Vec<_> = outputs.iter().map(|output| (output.descriptor(), false)).collect();
        watched.push((self.signals.as_raw_fd(), false));
        watched.extend(input);
        let ready = system::wait(&watched, limit);
        let mut some = false;
        let mut at = 0;
        outputs.retain_mut(|output| {
            at += 1;
            some |= ready[at - 1];
            !ready[at - 1] || output.pass_on()
        });
        if input.is_some() && ready[at + 1] && relay.as_mut().is_some_and(|relay| !relay.pass_on()) {
            *relay = None;
        }
        some
    }

    /// Passes on what the processes have left in their pipes.
    fn last_output(&mut self) {
        self.processes.relay = None;
        let end = Instant::now() + LATE_OUTPUT;
        while !self.processes.outputs.is_empty() && Instant::now() < end {
            self.wait(Some(end.saturating_duration_since(Instant::now())));
            while self.signals.next().is_some() {}
        }
        self.processes.outputs.iter_mut().for_each(super::labels::Labelled::end);
    }
}
