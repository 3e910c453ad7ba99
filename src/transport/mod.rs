//! Bytes between the processes of a job: batches, larger memory, and who is gone. Knows no messages.
//!
//! - `contract`: the trait `Transport`, and what it says
//! - `ring`, `doorbell`: records and wake-ups in shared memory (`README.md`), checked by loom
//! - `bulk`: larger memory under tickets; `extents`, `heap`: memory that peers map
//! - `shared`: mapped files as atomics; `socket_message`: messages over sockets
//! - `link`: one peer of the same host; `embedded`: all of them
//! - `job`: what a launcher makes; `join`: how a process takes it
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
mod embedded;
#[cfg(not(loom))]
mod extents;
#[cfg(not(loom))]
mod heap;
#[cfg(not(loom))]
pub mod job;
#[cfg(not(loom))]
mod join;
#[cfg(not(loom))]
mod link;
#[cfg(not(loom))]
mod shared;
#[cfg(not(loom))]
mod socket_message;

pub use contract::{
    Incoming, LossCause, Outgoing, Peer, RemoteAddress, Sent, SharedBlock, Transport, TransportEvent, Wake,
};
#[cfg(not(loom))]
pub use embedded::{Embedded, PullBy};
#[cfg(not(loom))]
pub use join::{connect, from_environment};

#[cfg(all(test, not(loom)))]
mod tests;
