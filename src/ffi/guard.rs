//! The boundary to C: every exported function runs inside `guarded`, `running` or `making`.
//!
//! The boundary stops panics, turns an error into its code, and keeps the message for `dvm_last_error`. `argument`
//! checks what C passes.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_char;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::argument::Arg;
pub(super) use super::argument::non_negative;
use super::dvm_retcode_t;
use crate::engine::{self, Call};
use crate::error::Error;
use crate::memory::{self, own_heap};
use crate::redistribution::Handles;

thread_local! {
    /// The message of this thread's last error; empty before the first. The buffer is in the thread's own storage: to
    /// report that memory is missing takes no memory.
    static LAST: RefCell<Message> = const { RefCell::new(Message::NONE) };
}

/// The size of a message's buffer in bytes, including the NUL; a longer message is cut.
const MESSAGE_BYTES: usize = 2048;

/// A text that ends with a NUL.
#[repr(C)]
struct Message {
    bytes: [u8; MESSAGE_BYTES],
    length: usize,
}

impl Message {
    const NONE: Message = Message { bytes: [0; MESSAGE_BYTES], length: 0 };
}

impl fmt::Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            let c = if c == '\0' { '?' } else { c };
            let room = &mut self.bytes[self.length..MESSAGE_BYTES - 1];
            if room.len() < c.len_utf8() {
                return Err(fmt::Error);
            }
            self.length += c.encode_utf8(room).len();
        }
        Ok(())
    }
}

/// Runs the body of an exported function that can be called at any time. While pages are closed, handlers of signals wait
/// until it has ended.
#[inline]
pub(super) fn guarded(function: &'static str, body: impl FnOnce() -> Result<(), Error>) -> dvm_retcode_t {
    let _quiet = own_heap::without_handlers();
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => dvm_retcode_t::DVM_SUCCESS,
        Ok(Err(error)) => remember(function, &error),
        Err(payload) => remember(function, &defect(payload.as_ref())),
    }
}

#[cold]
fn defect(payload: &(dyn Any + Send)) -> Error {
    let message = format!("a defect inside libdvm: {}; please report it", engine::panic_text(payload));
    Error::new(dvm_retcode_t::DVM_ERR_PANIC, message)
}

/// Runs the body of an exported function that needs libdvm to be running.
#[inline]
pub(super) fn running(function: &'static str, body: impl FnOnce(&Call) -> Result<(), Error>) -> dvm_retcode_t {
    guarded(function, || body(&engine::enter()?))
}

/// Runs the body of an exported function that makes something and writes its handle. What it makes is permanent, so
/// none of its parts may come from the reserve of memory.
pub(super) fn making<T: Send + Sync, H: From<u64> + Into<u64>>(
    function: &'static str,
    handles: &'static Handles<T, H>,
    (into, name): (Arg<*mut H>, &str),
    make: impl FnOnce() -> Result<T, Error>,
) -> dvm_retcode_t {
    guarded(function, || {
        let into = into.result(name)?;
        into.write(handles.insert(memory::lasting(make)?)?);
        Ok(())
    })
}

/// Keeps the message of an error for `dvm_last_error`; returns the error's code.
#[cold]
#[inline(never)]
fn remember(function: &'static str, error: &Error) -> dvm_retcode_t {
    LAST.with_borrow_mut(|message| {
        message.length = 0;
        let whole = fmt::Write::write_fmt(message, format_args!("{function}: {}", error.message())).is_ok();
        let end = message.length;
        message.bytes[end] = 0;
        if !whole {
            const CUT: &[u8] = b" ...";
            let mut from = end - CUT.len();
            while message.bytes[from] & 0xc0 == 0x80 {
                from -= 1; // not into the middle of a character
            }
            message.bytes[from..from + CUT.len()].copy_from_slice(CUT);
            message.bytes[from + CUT.len()] = 0;
        }
    });
    error.code()
}

/// The message of the calling thread's last error; empty if there was none.
pub(super) fn last_message() -> *const c_char {
    // The text is the first field, and stays until the thread's next error.
    const { assert!(std::mem::offset_of!(Message, bytes) == 0) };
    LAST.with(RefCell::as_ptr).cast()
}
