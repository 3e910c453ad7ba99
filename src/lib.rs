//! libdvm: every core of every process as one machine of processing units.
//!
//! The layers, lowest first; each may use those before it (`ARCHITECTURE.md`, checked by a test).

mod error;

#[doc(hidden)]
pub mod id;

mod memory;

mod system;

mod config;

mod sync;

mod idle;

#[doc(hidden)]
pub mod wire;

#[doc(hidden)]
pub mod protocol;

mod trace;

mod machine;

mod world;

#[doc(hidden)]
pub mod transport;

#[doc(hidden)]
pub mod report;

mod data;

mod processing;

mod task;

mod sched;

mod engine;

#[cfg(not(loom))]
mod remote;

/// Models run no jobs.
#[cfg(loom)]
mod remote {
    use crate::config::Config;
    use crate::engine;
    use crate::error::Error;

    pub(crate) fn init() -> Result<(), Error> {
        engine::init(|_| Ok(None))
    }

    pub(crate) fn init_program(_: impl FnOnce(&Config) -> bool) -> Result<bool, Error> {
        Ok(false)
    }

    pub(crate) fn init_comm(_: std::ffi::c_int) -> Result<(), Error> {
        init()
    }
}

mod graph;

mod across;

mod explain;
mod redistribution;

pub mod ffi;

/// All of the library allocates here; a program that has the crate, too.
#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;
