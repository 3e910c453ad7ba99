//! Data: blobs of bytes with an id, references and one moment of publication.
//!
//! - `slot`: one datum's state, and when it may go
//! - `store`: ids, creation, freeing: entries that are never unmapped, so that a stale id is always recognised
//! - `references`: what the program holds and what its scheduled tasks have taken
//! - `publication`: promises, producers, poison, and storage carried on by a successor; `outcome`: what they come to
//! - `access`: addresses of bytes
//! - `pending_view`: what is not published yet, for explanations
//! - `storage`, `blocks`: the bytes, and memory for small ones
//! - `waiting`, `sleepers`: tasks and threads that wait for them
//!
//! Nothing here knows threads, tasks or workers: calls return who is to be woken, and leave what is to be given back
//! in the caller's [`DataCache`]. At no time are two data locked.
#![allow(unsafe_code, reason = "the byte store: memory of any origin, and lists that allocate nothing")]

mod access;
mod blocks;
mod magazines;
mod outcome;
mod pending_view;
mod publication;
mod references;
mod sleepers;
mod slot;
mod storage;
mod store;
mod waiting;

pub(crate) use access::Reach;
pub(crate) use outcome::Outcome;
pub(crate) use pending_view::Publisher;
pub(crate) use publication::Carry;
pub(crate) use references::Readiness;
pub(crate) use slot::NOWHERE;
pub(crate) use storage::{FreeCallback, Released, Storage};
pub(crate) use store::{DataCache, Initial, STORE, too_many_gets};
#[cfg(test)]
pub(crate) use store::{Store, made};

pub(crate) use crate::id::DatumId;

#[cfg(test)]
mod tests;
