//! Processings: functions that tasks run.
//!
//! - `callee`: a function of the program, and how to call it with any number of arguments
//! - `registry`: ids and what stands behind them
#![allow(unsafe_code, reason = "calls functions of the program through their addresses")]

mod callee;
mod registry;

pub(crate) use callee::{Callee, MAX_PLAIN_ARGUMENTS};
pub(crate) use registry::{Found, Mode, Plan, REGISTRY};

/// A processing's id: the process that registered it, and a number that is never given twice.
pub(crate) type ProcId = [u64; 2];
