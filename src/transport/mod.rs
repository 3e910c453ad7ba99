//! Bytes between the processes of a job: batches, larger memory, and who is gone. Knows no messages.
//!
//! - `contract`: the trait `Transport`, and what it says
//! - `ring`, `doorbell`: records and wake-ups in shared memory (`README.md`), checked by loom
//! - `bulk`: larger memory under tickets; `extents`, `heap`: memory that peers map
//! - `shared`: mapped files as atomics; `socket_message`: messages over sockets
//! - `link`: one peer of the same host; `embedded`: all of them
//! - `job`: what a launcher makes; `join`: how a process takes it
//! - `plugin_abi`, `plugin`: a shared object that moves bytes by an MPI; `meeting`: how processes that an MPI has started
//!   find those of their host; `hybrid`: rings to these, MPI to the others
//! - `detection`: which transport it is to be, and why, also from `loaded_mpi`; `choice`: makes it
//!
//! No lock lies in shared memory, and nothing that is read there is believed: a peer that breaks the rules is a lost
//! one.

mod contract;
mod doorbell;
#[cfg(all(test, loom))]
mod models;
mod ring;

#[cfg(not(loom))]
mod bulk;
#[cfg(not(loom))]
mod choice;
#[cfg(not(loom))]
mod detection;
#[cfg(not(loom))]
mod embedded;
#[cfg(not(loom))]
mod extents;
#[cfg(not(loom))]
mod heap;
#[cfg(not(loom))]
mod hybrid;
#[cfg(not(loom))]
pub mod job;
#[cfg(not(loom))]
mod join;
#[cfg(not(loom))]
mod link;
#[cfg(not(loom))]
mod loaded_mpi;
#[cfg(not(loom))]
mod meeting;
#[cfg(not(loom))]
mod plugin;
#[cfg(not(loom))]
#[allow(dead_code, reason = "the constants that only plugins read")]
mod plugin_abi;
#[cfg(not(loom))]
mod shared;
#[cfg(not(loom))]
mod socket_message;

#[cfg(not(loom))]
pub(crate) use choice::starts_several;
#[cfg(not(loom))]
pub use choice::{Choices, Chosen, choices, choose, choose_for_communicator, from_environment};
pub use contract::{
    Incoming, KeptMemory, LossCause, Outgoing, Peer, RemoteAddress, Sent, SharedBlock, Transport, TransportEvent, Wake,
};
#[cfg(not(loom))]
pub use embedded::{Embedded, PullBy};
#[cfg(not(loom))]
pub(crate) use heap::PAGE;
#[cfg(not(loom))]
pub use join::connect;

#[cfg(all(test, not(loom)))]
mod detection_tests;
#[cfg(all(test, not(loom)))]
mod tests;
