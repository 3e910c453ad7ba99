//! Data: blobs of bytes with an id, references and one moment of publication.
//!
//! - `slot`: the state of one datum, and when the datum may be freed
//! - `store`: ids, creation, freeing; entries are never unmapped, so a stale id is always recognised
//! - `references`: those that the program holds, and those that its scheduled tasks have taken
//! - `publication`: promises, producers, poison, and storage that a successor carries on; `outcome`: how promises end
//! - `get_put`: the calls that ask for the address of a datum's bytes, and give it back
//! - `shared`: data that other processes use as well, and proxies of theirs
//! - `pending_view`: unpublished promises, for explanations
//! - `storage`: the bytes; `small_blocks`, `middling_blocks`: memory for small and medium data; `shared_memory`: for large data
//!   that other processes read
//! - `names`: what the program calls its data, for messages
//! - `waiting`, `sleepers`: tasks and threads that wait for data
//!
//! This module knows no threads, tasks or workers: calls return the tasks to wake, and leave memory to give back in the
//! caller's [`DataCache`]. No two data are ever locked at once.
#![allow(unsafe_code, reason = "the byte store: memory of any origin, and lists that allocate nothing")]

mod get_put;
mod middling_blocks;
pub(crate) mod names;
mod outcome;
mod pending_view;
mod publication;
mod references;
mod shared;
mod shared_memory;
mod sleepers;
mod slot;
mod small_blocks;
mod storage;
mod store;

pub(crate) use get_put::{Reach, not_got};
pub(crate) use outcome::Outcome;
pub(crate) use pending_view::Publisher;
pub(crate) use publication::Carry;
pub(crate) use references::Readiness;
pub(crate) use shared::FreshBytes;
pub(crate) use shared_memory::share_memory;
pub(crate) use slot::{MOST_BYTES, NOWHERE};
pub(crate) use storage::{FreeCallback, Released, Storage};
pub(crate) use store::{DataCache, Initial, STORE, no_memory, too_many_gets};
#[cfg(test)]
pub(crate) use store::{Store, made};

pub(crate) use crate::id::DatumId;

#[cfg(test)]
mod tests;
