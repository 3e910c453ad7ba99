//! Processings: functions that tasks run.
//!
//! - `unwind_boundary`: calls functions of the program, and stops whatever they throw
//! - `forced`: threads that a callback wants to end
//! - `callee`: a function of the program, and how to call it with any number of arguments
//! - `is_code`: tells functions of the program from its data
//! - `access`: what a program says of arguments, and what tasks have of each
//! - `registry`: ids and what stands behind them
//! - `image`: where a function is, as other processes of the job understand it
//! - `shipping`: loads objects that other processes have sent
//! - `announcement`: what another process is told of a processing, and what it makes of that
#![allow(unsafe_code, reason = "calls functions of the program through their addresses")]

pub(crate) mod access;
pub(crate) mod announcement;
mod callee;
pub(crate) mod forced;
pub(crate) mod image;
mod is_code;
mod registry;
pub(crate) mod shipping;
pub(crate) mod unwind_boundary;

pub(crate) use access::{ArgumentAccess, Mode};
pub(crate) use callee::{Callee, MAX_PLAIN_ARGUMENTS};
pub(crate) use registry::{Found, REGISTRY, Signature};

pub(crate) use crate::id::ProcessingId;
