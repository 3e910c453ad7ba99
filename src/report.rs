//! What `dvm-info` tells, as plain data: for that program, and no part of the interface.
#![forbid(unsafe_code)]

pub use crate::config::option_report::Setting;
pub use crate::config::spelling::Misspelling;
pub use crate::machine::report_tree::{Branch, Description};
pub use crate::machine::speed_model::{CacheModel, CacheModels, Count, MemoryModel, PeakModel, Rate, SpeedModel};
#[cfg(not(loom))]
pub use crate::transport::Choices;

use crate::config::{Config, option_report, spelling};
use crate::error::Error;
use crate::machine::{Machine, report_tree};

/// What there is to tell.
#[derive(Clone, Debug)]
pub struct Report {
    /// The version of libdvm.
    pub version: &'static str,
    /// How it was built: what, and its value.
    pub build: Vec<(&'static str, String)>,
    /// The machine, or why it cannot be read.
    pub machine: Result<Description, String>,
    /// The ways to other processes.
    #[cfg(not(loom))]
    pub transports: Choices,
    /// All options.
    pub options: Vec<Setting>,
    /// Variables that are set, and probably meant to be others.
    pub misspellings: Vec<Misspelling>,
}

/// Tells everything about the calling process.
pub fn report() -> Report {
    let machine = Config::load().and_then(|config| report_tree::describe(&config));
    Report {
        version: env!("CARGO_PKG_VERSION"),
        build: build(),
        machine: machine.map_err(|error| error.message().to_owned()),
        #[cfg(not(loom))]
        transports: crate::transport::choices(),
        options: options(),
        misspellings: spelling::misspellings(),
    }
}

/// All options and their values in the environment of the process.
pub fn options() -> Vec<Setting> {
    option_report::settings()
}

/// A data cache of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerCache {
    /// Size in bytes.
    pub bytes: u64,
    /// The PUs with a worker that share it, at least 1.
    pub sharers: u64,
}

/// The number of workers that libdvm would start.
pub fn workers() -> Result<usize, String> {
    Ok(machine()?.workers())
}

/// The data caches of the levels 1, 2 and 3 that the choice of tile sizes counts on.
pub fn worker_caches() -> Result<[WorkerCache; 3], String> {
    let caches = machine()?.cache();
    let level = [caches.l1d, caches.l2, caches.l3];
    Ok(level.map(|cache| WorkerCache { bytes: cache.bytes, sharers: cache.sharers as u64 }))
}

/// Runs a function for each worker, on threads that are bound as the workers would be; the results, by worker.
pub fn on_workers<T: Send>(run: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, String> {
    let machine = machine()?;
    std::thread::scope(|scope| {
        let (machine, run) = (&machine, &run);
        let start = |worker: usize| {
            scope.spawn(move || {
                machine.bind(worker);
                run(worker)
            })
        };
        let threads: Vec<_> = (0..machine.workers()).map(start).collect();
        threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread failed".to_owned())).collect()
    })
}

fn machine() -> Result<Machine, String> {
    let machine = Config::load().and_then(|config| Machine::configured(&config));
    machine.map_err(|error: Error| error.message().to_owned())
}

fn build() -> Vec<(&'static str, String)> {
    vec![
        ("compiler", env!("DVM_BUILD_RUSTC").into()),
        ("profile", env!("DVM_BUILD_PROFILE").into()),
        ("target", env!("DVM_BUILD_TARGET").into()),
        (
            "hwloc",
            format!(
                "{} (interface of the library that runs: {})",
                env!("DVM_BUILD_HWLOC"),
                report_tree::hwloc_running()
            ),
        ),
    ]
}
