//! Data: outline.
use crate::engine::{Call, absent};
use crate::error::Error;
pub(crate) type DataId = [u64; 2];
type Free = Option<unsafe extern "C" fn(*mut std::ffi::c_void, usize)>;
pub(crate) fn register(_: &Call, _: *mut u8, _: usize, _: Free) -> Result<DataId, Error> {
    absent()
}
pub(crate) fn allocate(_: &Call, _: usize) -> Result<DataId, Error> {
    absent()
}
pub(crate) fn promise(_: &Call, _: usize) -> Result<DataId, Error> {
    absent()
}
pub(crate) fn next(_: &Call, _: DataId) -> Result<DataId, Error> {
    absent()
}
pub(crate) fn acquire(_: &Call, _: DataId) -> Result<(), Error> {
    absent()
}
pub(crate) fn relax(_: &Call, _: DataId) -> Result<(), Error> {
    absent()
}
pub(crate) fn put(_: &Call, _: DataId) -> Result<(), Error> {
    absent()
}
pub(crate) fn publish(_: &Call, _: DataId) -> Result<(), Error> {
    absent()
}
pub(crate) fn get(_: &Call, _: DataId) -> Result<(*mut u8, usize), Error> {
    absent()
}
pub(crate) fn write(_: &Call, _: DataId) -> Result<(*mut u8, usize), Error> {
    absent()
}
