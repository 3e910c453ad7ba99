//! The border guard: every exported function runs inside it.
//!
//! It stops panics, turns a failure into its code and keeps the story for `dvm_last_error`, and checks what comes in.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{DVM_MAX_RANK_DEPTH, DataId, dvm_retcode_t};
use crate::engine::{self, Call};
use crate::error::Error;

thread_local! {
    /// The story of this thread's last failure; `None` before the first.
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Runs the body of an exported function that can be called at any time.
#[inline]
pub(super) fn guarded(function: &'static str, body: impl FnOnce() -> Result<(), Error>) -> dvm_retcode_t {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => dvm_retcode_t::DVM_SUCCESS,
        Ok(Err(error)) => remember(function, &error),
        Err(payload) => remember(function, &defect(payload.as_ref())),
    }
}

#[cold]
fn defect(payload: &(dyn Any + Send)) -> Error {
    let story = format!("a defect inside libdvm: {}; please report it", engine::panic_text(payload));
    Error::new(dvm_retcode_t::DVM_ERR_PANIC, story)
}

/// Runs the body of an exported function that needs libdvm to be running.
#[inline]
pub(super) fn running(function: &'static str, body: impl FnOnce(&Call) -> Result<(), Error>) -> dvm_retcode_t {
    guarded(function, || body(&engine::enter()?))
}

/// Keeps the story of a failure for `dvm_last_error`; its code.
#[cold]
#[inline(never)]
fn remember(function: &'static str, error: &Error) -> dvm_retcode_t {
    let story = format!("{function}: {}", error.message()).replace('\0', "?");
    let story = CString::new(story).unwrap_or_default();
    // At a thread's very end the slot is gone: then nobody can ask any more.
    let _ = LAST.try_with(|last| last.replace(Some(story)));
    error.code()
}

/// The story of the calling thread's last failure; empty when there was none.
pub(super) fn last_story() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ref().map_or(c"".as_ptr(), |story| story.as_ptr())).unwrap_or(c"".as_ptr())
}

#[cold]
#[inline(never)]
fn is_null(name: &str) -> Error {
    Error::argument(format!("`{name}` is NULL"))
}

#[cold]
#[inline(never)]
fn is_negative(value: c_int, name: &str) -> Error {
    Error::argument(format!("`{name}` is {value}: it must not be negative"))
}

/// Refuses NULL.
#[inline]
pub(super) fn given<T>(pointer: *const T, name: &str) -> Result<(), Error> {
    if pointer.is_null() { Err(is_null(name)) } else { Ok(()) }
}

/// Refuses a count below zero.
#[inline]
pub(super) fn count(value: c_int, name: &str) -> Result<usize, Error> {
    usize::try_from(value).map_err(|_| is_negative(value, name))
}

/// A list of `count` entries; NULL is refused unless the count is 0.
///
/// # Safety
/// `pointer` is NULL or the address of `count` entries that stay as they are (the caller of the C function guarantees it).
pub(super) unsafe fn list<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T], Error> {
    if count == 0 {
        return Ok(&[]);
    }
    given(pointer, name)?;
    // SAFETY: not NULL, so `count` entries by this function's contract.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Reads an id of two numbers; NULL is refused.
///
/// # Safety
/// `id` is NULL or the address of two numbers (the caller of the C function guarantees it).
#[inline]
pub(super) unsafe fn read_id(id: *const u64, name: &str) -> Result<DataId, Error> {
    given(id, name)?;
    // SAFETY: not NULL, so two numbers by this function's contract.
    Ok(unsafe { [id.read(), id.add(1).read()] })
}

/// Reads a rank; NULL is refused.
///
/// # Safety
/// `rank` is NULL or the address of `DVM_MAX_RANK_DEPTH` numbers (the caller of the C function guarantees it).
#[inline]
pub(super) unsafe fn read_rank<'a>(rank: *const u64, name: &str) -> Result<&'a [u64; DVM_MAX_RANK_DEPTH], Error> {
    given(rank, name)?;
    // SAFETY: not NULL, so that many numbers by this function's contract.
    Ok(unsafe { &*rank.cast::<[u64; DVM_MAX_RANK_DEPTH]>() })
}

/// Copies a string; NULL stands for none.
///
/// # Safety
/// `text` is NULL or ends with a NUL (the caller of the C function guarantees it).
pub(super) unsafe fn read_text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: not NULL, so ended by a NUL by this function's contract.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
