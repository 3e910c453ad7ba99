//! The engine's outline: what the border to C asks of it. Its works follow.
use crate::error::{Error, dvm_retcode_t};
use crate::machine::Machine;
use std::any::Any;
use std::ffi::c_int;
pub(crate) struct Call {
    machine: Machine,
}
pub(crate) fn absent<T>() -> Result<T, Error> {
    Err(Error::new(dvm_retcode_t::DVM_ERR_UNSUPPORTED, "the engine is being built"))
}
impl Call {
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }
    pub(crate) fn worker(&self) -> Option<usize> {
        None
    }
    pub(crate) fn worker_at(&self, rank: &[u64; 8]) -> Result<usize, Error> {
        self.machine
            .worker_of(rank)
            .ok_or_else(|| Error::new(dvm_retcode_t::DVM_ERR_RANK, format!("no processing unit has the rank {rank:?}")))
    }
}
pub(crate) fn enter() -> Result<Call, Error> {
    absent()
}
pub(crate) fn init() -> Result<(), Error> {
    absent()
}
pub(crate) fn init_comm(_: c_int) -> Result<(), Error> {
    absent()
}
pub(crate) fn finalize() -> Result<(), Error> {
    absent()
}
pub(crate) fn wait() -> Result<(), Error> {
    absent()
}
pub(crate) fn serve() -> Result<(), Error> {
    absent()
}
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> &str {
    payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("?")
}
