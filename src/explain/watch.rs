//! The thread that explains when no task ends any more (`DVM_WATCHDOG`) or on a signal (`DVM_EXPLAIN_SIGNAL`). It also
//! writes a trace that would be lost: when a signal ends the process, and after each report of the watchdog. It exists
//! only if one of these, or a trace, is requested.

use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::sync::lock::Mutex;
use crate::sync::thread::Thread;

use super::wake::{Pipe, Signal, Woken, end_by};
use super::{explain, explain_twice, snapshot};
use crate::config;
use crate::engine::{self, Call, forked};
use crate::error::{Error, dvm_retcode_t};
use crate::trace::{Moment, Trace};

/// The thread, and the pipe that ends it.
struct Watch {
    /// The process that owns the thread: a forked child does not have it.
    process: u32,
    pipe: Arc<Pipe>,
    signals: Vec<Signal>,
    thread: Thread,
}

static WATCH: Mutex<Option<Watch>> = Mutex::new(None);

/// Starts the thread if the environment requests one and there is none. Call it after the engine has started.
pub(crate) fn begin() -> Result<(), Error> {
    let Ok(call) = engine::enter() else { return Ok(()) };
    let (period, number) = (call.engine().config().watchdog(), call.engine().config().explain_signal());
    let trace = call.engine().trace().clone();
    drop(call);
    if period.is_none() && number.is_none() && !trace.has_files() {
        return Ok(());
    }
    forked::keep_whole(&WATCH);
    let mut watch = WATCH.lock();
    // A child forked while libdvm ended still has its parent's value.
    if watch.as_ref().is_some_and(|watch| watch.process == std::process::id()) {
        return Ok(());
    }
    *watch = None;
    let failed = |why: std::io::Error| {
        Error::new(
            dvm_retcode_t::DVM_ERR_MEMORY,
            format!("the thread of DVM_WATCHDOG, DVM_EXPLAIN_SIGNAL or DVM_TRACE cannot start: {why}"),
        )
    };
    let pipe = Arc::new(Pipe::new().map_err(failed)?);
    let asked = number.map(|number| Signal::catch(number, &pipe).ok_or_else(|| taken(number))).transpose()?;
    let ends = if trace.has_files() { &ENDS[..] } else { &[] };
    let signals: Vec<_> =
        asked.into_iter().chain(ends.iter().filter_map(|&end| Signal::catch_end(end, &pipe))).collect();
    let mine = Arc::clone(&pipe);
    let run = move || run(&mine, period, number, &trace);
    match Thread::spawn("dvm-watch", None, run) {
        Ok(thread) => {
            *watch = Some(Watch { process: std::process::id(), pipe, signals, thread });
            Ok(())
        }
        Err(why) => {
            drop(signals);
            // Serve signals that arrived meanwhile: no other thread will.
            while let Woken::Signal(came) = pipe.sleep(Some(Duration::ZERO)) {
                if Some(came) != number {
                    end_by(came);
                }
            }
            Err(failed(why))
        }
    }
}

/// Signals that ask a process to end.
const ENDS: [i32; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

fn taken(number: i32) -> Error {
    let name = config::signal_name(number);
    config::refused("DVM_EXPLAIN_SIGNAL", name, "the program has a handler for this signal: choose another one")
}

/// Ends the thread. Call it after the engine has ended.
pub(crate) fn end() {
    let Some(watch) = WATCH.lock().take() else { return };
    drop(watch.signals);
    if watch.process == std::process::id() {
        watch.pipe.stop();
        watch.thread.join();
    }
}

fn run(pipe: &Pipe, period: Option<Duration>, asks: Option<i32>, trace: &Trace) {
    let mut patience = period.map(Patience::new);
    loop {
        match pipe.sleep(period.map(|period| period / 4)) {
            Woken::Stop => return,
            Woken::Signal(number) if Some(number) != asks => {
                tell_failure(trace.save(Moment::Death));
                end_by(number);
            }
            Woken::Signal(_) => {
                if let Ok(call) = engine::enter() {
                    let text = explain(&call);
                    drop(call);
                    print(&text);
                }
            }
            Woken::Time => {
                if patience.as_mut().is_some_and(Patience::look) {
                    tell_failure(trace.save(Moment::Meanwhile));
                }
            }
        }
    }
}

/// Reports that a trace could not be written, where no call can return the error.
pub(crate) fn tell_failure(written: Result<(), Error>) {
    if let Err(error) = written {
        print(&format!("libdvm: {error}\n"));
    }
}

/// Prints in one write, so that no other lines come between. Failures cannot be reported.
pub(crate) fn print(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Measures how long no task has ended.
struct Patience {
    period: Duration,
    progress: u64,
    /// Time of the last progress.
    since: Instant,
    /// Time of the last progress or print.
    silent: Instant,
    /// The last printed text, without times.
    last: String,
}

impl Patience {
    fn new(period: Duration) -> Patience {
        let now = Instant::now();
        Patience { period, progress: 0, since: now, silent: now, last: String::new() }
    }

    fn begin_anew(&mut self, progress: u64) {
        (self.progress, self.since, self.silent) = (progress, Instant::now(), Instant::now());
        self.last.clear();
    }

    /// Explains after a period without progress, and once in each further one; returns whether it did.
    fn look(&mut self) -> bool {
        let Ok(call) = engine::enter() else { return false };
        call.look();
        let progress = call.progress();
        if progress != self.progress {
            self.begin_anew(progress);
            return false;
        }
        if self.silent.elapsed() < self.period {
            return false;
        }
        if !waits(&call) {
            self.begin_anew(progress);
            return false;
        }
        let [text, timeless] = explain_twice(&call);
        drop(call);
        self.silent = Instant::now();
        let time = self.since.elapsed().as_secs();
        if timeless == self.last {
            print(&format!("libdvm: no task has ended for {time} s; what waits for what is as told before\n"));
        } else {
            print(&format!("libdvm: no task has ended for {time} s (DVM_WATCHDOG={})\n{text}", self.period.as_secs()));
            self.last = timeless;
        }
        true
    }
}

/// Whether anything is outstanding.
fn waits(call: &Call) -> bool {
    call.busy() || snapshot::sleepers() > 0
}
