//! What `dvm-info` tells, as plain data: for that program, and no part of the interface.
#![forbid(unsafe_code)]

pub use crate::config::option_report::Setting;
pub use crate::machine::report_tree::{Branch, Description};
#[cfg(not(loom))]
pub use crate::transport::Choices;

use crate::config::{Config, option_report};
use crate::machine::report_tree;

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
    }
}

/// All options and their values in the environment of the process.
pub fn options() -> Vec<Setting> {
    option_report::settings()
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
