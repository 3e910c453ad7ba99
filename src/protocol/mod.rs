//! What processes agree on, as state machines: an event goes in, what is to be done comes out.
//!
//! Nothing here does input or output, reads a clock, or knows threads; a test runs any number of processes in one loop
//! (`simulation`), and a defect is found again from its seed. Who owns a machine sends what it asks to be sent, in order,
//! over channels that keep the order of each pair of processes and lose nothing but with a process.
//! A message that the protocol does not allow is a [`Breach`]: the owner ends the connection.

mod breach;
pub mod copies;
pub mod images;
pub mod loans;
pub mod membership;
pub(crate) mod planted;
mod process_set;
pub mod promises;
pub mod recovery;
pub mod rounds;
pub mod shipping;
#[cfg(test)]
mod simulation;
pub mod tasks;
pub mod termination;

pub use breach::Breach;
pub use process_set::ProcessSet;
