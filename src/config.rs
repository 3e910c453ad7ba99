//! The table of the environment variables that libdvm reads, once at init.
//!
//! A knob whose variable is unset or empty has its default. A value that is not allowed is an error that names the
//! variable, the value and what is allowed: nothing is silently ignored.
#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;
#[allow(clippy::wildcard_imports, reason = "the whole table")]
use knobs::*;
use values::{Knob, TileSizes, ValueKind, choice, flag, number, or_default, signal, sizes, text};

pub(crate) use knobs::MAX_WORKERS;
pub(crate) use values::{refused, signal_name};

#[allow(clippy::struct_excessive_bools, reason = "independent switches of the environment")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    workers: Option<usize>,
    synthetic: Option<String>,
    bind: bool,
    spin: Duration,
    stack: Option<usize>,
    window: u64,
    tile: TileSizes,
    model: Option<PathBuf>,
    tune: bool,
    tune_file: Option<PathBuf>,
    across: bool,
    across_always: bool,
    keep: bool,
    place: Option<String>,
    region_steps: u64,
    forecast: Option<String>,
    trace: Option<PathBuf>,
    trace_events: usize,
    summary: bool,
    profile: Option<PathBuf>,
    dot: Option<PathBuf>,
    dot_nodes: usize,
    watchdog: Option<Duration>,
    explain_signal: Option<i32>,
    verbose: bool,
    seed: Option<u64>,
    process: Option<usize>,
    processes: Option<usize>,
    job: Option<String>,
    pull: String,
    cache: Option<u64>,
    eager: usize,
    peer_timeout: Duration,
    transport: String,
    plugin_dir: Option<PathBuf>,
    rings: bool,
    ship_code: bool,
    code_dir: Option<PathBuf>,
    recover: bool,
    rank: u32,
}

impl Config {
    /// Reads the process's environment.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` if the value of a variable is not allowed.
    pub fn load() -> Result<Config, Error> {
        Config::read(|variable| env::var_os(variable))
    }

    /// Reads an environment given as a function from variable to value.
    pub fn read(environment: impl Fn(&str) -> Option<OsString>) -> Result<Config, Error> {
        let get = |knob: &Knob| environment(knob.variable).filter(|value| !value.is_empty());
        // Generated code reads it, too.
        flag(&CHECK, get(&CHECK))?;
        Ok(Config {
            workers: get(&WORKERS).map(|value| number(&WORKERS, &value)).transpose()?.map(|n| n as usize),
            synthetic: get(&SYNTHETIC).map(|value| text(&SYNTHETIC, &value).map(str::to_owned)).transpose()?,
            bind: flag(&BIND, get(&BIND))?,
            spin: Duration::from_micros(number(&SPIN, &or_default(&SPIN, get(&SPIN)))?),
            stack: get(&STACK)
                .map(|value| number(&STACK, &value))
                .transpose()?
                .map(|n| (n as usize).saturating_mul(1024)),
            window: number(&WINDOW, &or_default(&WINDOW, get(&WINDOW)))?,
            tile: get(&TILE).map(|value| sizes(&TILE, &value)).transpose()?.unwrap_or_default(),
            model: get(&MODEL).map(PathBuf::from),
            tune: flag(&TUNE, get(&TUNE))?,
            tune_file: get(&TUNE_FILE).map(PathBuf::from),
            across: flag(&ACROSS, get(&ACROSS))?,
            across_always: get(&ACROSS).is_some() && flag(&ACROSS, get(&ACROSS))?,
            keep: flag(&KEEP, get(&KEEP))?,
            place: get(&PLACE).map(|value| text(&PLACE, &value).map(str::to_owned)).transpose()?,
            region_steps: number(&REGION_STEPS, &or_default(&REGION_STEPS, get(&REGION_STEPS)))?,
            forecast: get(&FORECAST).map(|value| text(&FORECAST, &value).map(str::to_owned)).transpose()?,
            trace: get(&TRACE).map(PathBuf::from),
            trace_events: number(&TRACE_EVENTS, &or_default(&TRACE_EVENTS, get(&TRACE_EVENTS)))? as usize,
            summary: flag(&SUMMARY, get(&SUMMARY))?,
            profile: get(&PROFILE).map(PathBuf::from),
            dot: get(&DOT).map(PathBuf::from),
            dot_nodes: number(&DOT_NODES, &or_default(&DOT_NODES, get(&DOT_NODES)))? as usize,
            watchdog: Some(Duration::from_secs(number(&WATCHDOG, &or_default(&WATCHDOG, get(&WATCHDOG)))?))
                .filter(|period| !period.is_zero()),
            explain_signal: get(&EXPLAIN_SIGNAL).map(|value| signal(&EXPLAIN_SIGNAL, &value)).transpose()?,
            verbose: flag(&VERBOSE, get(&VERBOSE))?,
            process: get(&PROCESS).map(|value| number(&PROCESS, &value)).transpose()?.map(|n| n as usize),
            processes: get(&PROCESSES).map(|value| number(&PROCESSES, &value)).transpose()?.map(|n| n as usize),
            job: get(&JOB).map(|value| text(&JOB, &value).map(str::to_owned)).transpose()?,
            pull: choice(&PULL, &or_default(&PULL, get(&PULL)))?.to_owned(),
            cache: get(&CACHE).map(|value| number(&CACHE, &value)).transpose()?.map(|mebibytes| mebibytes << 20),
            peer_timeout: Duration::from_secs(number(&PEER_TIMEOUT, &or_default(&PEER_TIMEOUT, get(&PEER_TIMEOUT)))?),
            eager: number(&EAGER, &or_default(&EAGER, get(&EAGER)))? as usize,
            transport: choice(&TRANSPORT, &or_default(&TRANSPORT, get(&TRANSPORT)))?.to_owned(),
            plugin_dir: get(&PLUGIN_DIR).map(PathBuf::from),
            rings: flag(&RINGS, get(&RINGS))?,
            ship_code: flag(&SHIP_CODE, get(&SHIP_CODE))?,
            code_dir: get(&CODE_DIR).map(PathBuf::from),
            recover: flag(&RECOVER, get(&RECOVER))?,
            rank: launcher::rank(&environment),
            seed: get(&SEED).map(|value| number(&SEED, &value)).transpose()?,
        })
    }

    /// Which of its launcher's processes this one is.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn workers(&self) -> Option<usize> {
        self.workers
    }

    pub fn synthetic(&self) -> Option<&str> {
        self.synthetic.as_deref()
    }

    pub fn bind(&self) -> bool {
        self.bind
    }

    pub fn spin(&self) -> Duration {
        self.spin
    }

    /// The requested stack of a worker, in bytes.
    pub fn stack(&self) -> Option<usize> {
        self.stack
    }

    /// Scheduled, unfinished tasks at which the scheduling thread waits; 0 for no limit.
    pub fn window(&self) -> u64 {
        self.window
    }

    pub fn tile(&self) -> &TileSizes {
        &self.tile
    }

    /// The file of the machine's speed; `None`: what hwloc tells.
    pub fn model(&self) -> Option<&std::path::Path> {
        self.model.as_deref()
    }

    /// Whether regions learn how to run.
    pub fn tune(&self) -> bool {
        self.tune
    }

    /// Whether regions may run on several processes.
    pub fn across(&self) -> bool {
        self.across
    }

    /// Whether those without the clause `across` run so, too, even where that does not pay.
    pub fn across_always(&self) -> bool {
        self.across_always
    }

    /// Whether their arrays stay on the processes within a loop of regions.
    pub fn keep(&self) -> bool {
        self.keep
    }

    /// How their tiles are dealt out, if the environment says so.
    pub fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// How many steps tiles run ahead of the processes that they send to.
    pub fn region_steps(&self) -> u64 {
        self.region_steps
    }

    /// What is to be foretold of regions on several processes.
    pub fn forecast(&self) -> Option<&str> {
        self.forecast.as_deref()
    }

    /// The file of what regions have learnt; `None`: nothing is kept.
    pub fn tune_file(&self) -> Option<&std::path::Path> {
        self.tune_file.as_deref()
    }

    /// The file of the timeline; `None`: no timeline.
    pub fn trace(&self) -> Option<&PathBuf> {
        self.trace.as_ref()
    }

    pub fn trace_events(&self) -> usize {
        self.trace_events
    }

    /// This process's index in its job, from the launcher.
    #[cfg(not(loom))]
    pub fn process(&self) -> Option<usize> {
        self.process
    }

    /// The number of processes of the job.
    pub fn processes(&self) -> Option<usize> {
        self.processes
    }

    /// How the process joins its job.
    #[cfg(not(loom))]
    pub fn job(&self) -> Option<&str> {
        self.job.as_deref()
    }

    /// How the data of other processes are read: a word of the table.
    #[cfg(not(loom))]
    pub fn pull(&self) -> &str {
        &self.pull
    }

    /// The limit of the copies of other processes' data, in bytes.
    #[cfg(not(loom))]
    pub fn cache(&self) -> Option<u64> {
        self.cache
    }

    /// The largest data that go with a task, in bytes.
    #[cfg(not(loom))]
    pub fn eager(&self) -> usize {
        self.eager
    }

    /// How long a process may be silent.
    #[cfg(not(loom))]
    pub fn peer_timeout(&self) -> Duration {
        self.peer_timeout
    }

    /// Which transport is to be used: a word of the table.
    #[cfg(not(loom))]
    pub fn transport(&self) -> &str {
        &self.transport
    }

    /// Where the plugins for MPI are; `None`: around libdvm.
    #[cfg(not(loom))]
    pub fn plugin_dir(&self) -> Option<&std::path::Path> {
        self.plugin_dir.as_deref()
    }

    /// Whether tasks of a lost process run again.
    pub fn recover(&self) -> bool {
        self.recover
    }

    /// Whether processes of one host reach each other by rings, whoever has started them.
    #[cfg(not(loom))]
    pub fn rings(&self) -> bool {
        self.rings
    }

    /// Whether shared objects are sent, and loaded.
    #[cfg(not(loom))]
    pub fn ship_code(&self) -> bool {
        self.ship_code
    }

    /// Where shared objects that have come are put; `None`: memory files.
    #[cfg(not(loom))]
    pub fn code_dir(&self) -> Option<&std::path::Path> {
        self.code_dir.as_deref()
    }

    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    pub fn summary(&self) -> bool {
        self.summary
    }

    /// The file of the report; `None`: no report.
    pub fn profile(&self) -> Option<&PathBuf> {
        self.profile.as_ref()
    }

    /// The file of the task graph's drawing; `None`: no drawing.
    pub fn dot(&self) -> Option<&PathBuf> {
        self.dot.as_ref()
    }

    pub fn dot_nodes(&self) -> usize {
        self.dot_nodes
    }

    /// Time without the end of a task after which the watchdog reports; `None`: no watchdog.
    pub fn watchdog(&self) -> Option<Duration> {
        self.watchdog
    }

    pub fn explain_signal(&self) -> Option<i32> {
        self.explain_signal
    }

    /// Whether notes are printed on stderr.
    pub fn verbose(&self) -> bool {
        self.verbose
    }

    /// Prints on stderr what the user has to know.
    pub fn warn(text: &str) {
        print(text);
    }

    /// Prints a note on stderr with `DVM_VERBOSE=1`; otherwise does not call `text`.
    pub fn note(&self, text: impl FnOnce() -> String) {
        if self.verbose {
            print(&text());
        }
    }
}

/// In one piece: other processes of the job print, too.
fn print(text: &str) {
    let _ = std::io::stderr().lock().write_all(format!("libdvm: {text}\n").as_bytes());
}

mod knobs;
mod launcher;
pub(crate) mod option_report;
pub(crate) mod spelling;
mod values;

#[cfg(test)]
mod tests;
