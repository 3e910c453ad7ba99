//! isl's context: all objects belong to one, and it keeps the last error.
#![allow(unsafe_code)]

use crate::raw;
use std::{cell::Cell, ffi::CStr, fmt, ptr::NonNull, rc::Rc};

/// A failure of isl, with isl's message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The operation that failed.
    pub operation: &'static str,
    /// isl's message.
    pub message: String,
    kind: Kind,
}

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// isl refused.
    Refused,
    /// The limit of operations was reached.
    Quota,
    /// A syntax tree does not have the meaning requested.
    Unfaithful,
}

impl Error {
    pub(crate) fn unfaithful() -> Error {
        let message = "isl's code does not mean what it was made for".to_owned();
        Error { operation: "reading back", message, kind: Kind::Unfaithful }
    }

    /// A syntax tree could not be read back, so its meaning is unknown.
    pub(crate) fn unread() -> Error {
        let message = "isl's code could not be read back".to_owned();
        Error { operation: "reading back", message, kind: Kind::Unfaithful }
    }

    /// Whether isl's code is wrong, or cannot be shown to be right.
    pub fn is_unfaithful(&self) -> bool {
        self.kind == Kind::Unfaithful
    }

    /// Whether the context's limit of operations was reached.
    pub fn is_quota(&self) -> bool {
        self.kind == Kind::Quota
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "isl: {}: {}", self.operation, self.message)
    }
}

impl std::error::Error for Error {}

/// The result of an operation of isl.
pub type Result<T> = std::result::Result<T, Error>;

struct Owned {
    ptr: NonNull<raw::isl_ctx>,
    max_operations: Cell<u64>,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the context was allocated by `Ctx::new`; every object holds an `Rc` of it, so the last
        // one has been freed when this runs.
        unsafe { raw::isl_ctx_free(self.ptr.as_ptr()) }
    }
}

/// A context of isl with a limit of operations. Clones share the context, which lives as long as its objects.
#[derive(Clone)]
pub struct Ctx(Rc<Owned>);

impl Ctx {
    /// A context whose computations fail after `max_operations` operations (0: never).
    pub fn new(max_operations: u64) -> Ctx {
        // SAFETY: allocation has no precondition; null is dealt with; the options are set on a live context.
        unsafe {
            let ctx = NonNull::new(raw::isl_ctx_alloc()).expect("memory for an isl context");
            raw::isl_options_set_on_error(ctx.as_ptr(), raw::ISL_ON_ERROR_CONTINUE as i32);
            raw::isl_ctx_set_max_operations(ctx.as_ptr(), max_operations);
            Ctx(Rc::new(Owned { ptr: ctx, max_operations: Cell::new(max_operations) }))
        }
    }

    /// Allows the following computations `max_operations` operations together (0: any number).
    pub fn allow_operations(&self, max_operations: u64) {
        self.0.max_operations.set(max_operations);
        // SAFETY: the context is live.
        unsafe {
            raw::isl_ctx_reset_operations(self.as_ptr());
            raw::isl_ctx_set_max_operations(self.as_ptr(), max_operations);
        }
    }

    /// Allows the following computations as many operations as the last call allowed.
    pub(crate) fn renew_operations(&self) {
        self.allow_operations(self.0.max_operations.get());
    }

    /// Runs `work` without the limit of operations: for short work that would report the limit as another error.
    pub(crate) fn unlimited<T>(&self, work: impl FnOnce() -> T) -> T {
        // SAFETY: the context is live.
        unsafe { raw::isl_ctx_set_max_operations(self.as_ptr(), 0) };
        let result = work();
        // SAFETY: the context is live.
        unsafe { raw::isl_ctx_set_max_operations(self.as_ptr(), self.0.max_operations.get()) };
        result
    }

    pub(crate) fn as_ptr(&self) -> *mut raw::isl_ctx {
        self.0.ptr.as_ptr()
    }

    /// isl's last error, for `operation`.
    pub(crate) fn error(&self, operation: &'static str) -> Error {
        // SAFETY: the context is live; the message is a string that isl owns until the next error.
        unsafe {
            let quota = raw::isl_ctx_last_error(self.as_ptr()) == raw::isl_error_isl_error_quota;
            let message = raw::isl_ctx_last_error_msg(self.as_ptr());
            let message = if quota {
                "the limit of operations was reached".to_owned()
            } else if message.is_null() {
                "failed without a message".to_owned()
            } else {
                CStr::from_ptr(message).to_string_lossy().into_owned()
            };
            raw::isl_ctx_reset_error(self.as_ptr());
            Error { operation, message, kind: if quota { Kind::Quota } else { Kind::Refused } }
        }
    }

    /// Converts one of isl's three-valued answers.
    pub(crate) fn truth(&self, operation: &'static str, answer: raw::isl_bool) -> Result<bool> {
        match answer {
            raw::isl_bool_isl_bool_true => Ok(true),
            raw::isl_bool_isl_bool_false => Ok(false),
            _ => Err(self.error(operation)),
        }
    }

    /// Converts a size; negative means failure.
    pub(crate) fn count(&self, operation: &'static str, size: raw::isl_size) -> Result<usize> {
        usize::try_from(size).map_err(|_| self.error(operation))
    }
}
