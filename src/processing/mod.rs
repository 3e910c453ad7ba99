//! Processings: outline.
use crate::engine::{Call, absent};
use crate::error::Error;
use std::ffi::{CStr, c_int, c_void};
pub(crate) const MAX_PLAIN_ARGUMENTS: usize = 64;
pub(crate) type ProcId = [u64; 2];
pub(crate) struct Callee;
#[derive(Clone, Copy)]
pub(crate) enum Mode {
    In,
    Out,
}
impl Callee {
    pub(crate) fn plain(_: unsafe extern "C" fn() -> c_int) -> Callee {
        Callee
    }
    pub(crate) fn with_context(
        _: unsafe extern "C" fn(*mut c_void, *mut [u64; 2], c_int) -> c_int,
        _: *mut c_void,
    ) -> Callee {
        Callee
    }
    pub(crate) fn named(_: &CStr) -> Result<Callee, Error> {
        absent()
    }
}
pub(crate) fn register(_: &Call, _: Callee, _: usize, _: &str) -> Result<ProcId, Error> {
    absent()
}
pub(crate) fn arguments(_: &Call, _: ProcId) -> Result<usize, Error> {
    absent()
}
pub(crate) fn access(_: &Call, _: ProcId, _: &[Mode]) -> Result<(), Error> {
    absent()
}
pub(crate) fn unregister(_: &Call, _: ProcId) -> Result<(), Error> {
    absent()
}
