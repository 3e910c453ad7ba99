//! What can go wrong: the stable codes of the C interface and the value that carries one with its message.
#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fmt;

/// What a call of libdvm came to. The values are stable: a code is never renumbered and never reused.
///
/// `dvm_strerror` gives the meaning of a code, `dvm_last_error` the message of the calling thread's last failure.
/// A call that fails changes nothing and takes no reference, unless its own text says otherwise.
#[allow(non_camel_case_types)]
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum dvm_retcode_t {
    /// The call did what it says.
    DVM_SUCCESS = 0,
    /// An argument is NULL, negative, of unknown mode, or of the wrong count.
    DVM_ERR_ARGUMENT = 1,
    /// libdvm is not running: before `dvm_init`, or after `dvm_finalize`.
    DVM_ERR_NOT_INITIALIZED = 2,
    /// `dvm_init` was called while libdvm is running.
    DVM_ERR_ALREADY_INITIALIZED = 3,
    /// No processing unit has this rank, or no processing unit has this index.
    DVM_ERR_RANK = 4,
    /// An array is too short for the dimension of the ranks, or longer than `DVM_MAX_RANK_DEPTH`.
    DVM_ERR_SIZE = 5,
    /// The datum (or distribution, plan, copy engine) is unknown: its id was never given, or it has been freed.
    DVM_ERR_ID = 6,
    /// The processing is unknown or has been unregistered.
    DVM_ERR_PROCESSING = 7,
    /// No function of this name can be found in the running program.
    DVM_ERR_SYMBOL = 8,
    /// All references of the datum are taken by tasks that are already scheduled.
    DVM_ERR_NO_REFERENCE = 9,
    /// The call does not fit the state of its object: put without get, second publish, second producer, and the like.
    DVM_ERR_STATE = 10,
    /// The datum is not published yet, and a task may not wait for it.
    DVM_ERR_NOT_READY = 11,
    /// The datum will never have a value: the task that was to produce it has failed or was cancelled.
    DVM_ERR_POISONED = 12,
    /// The call is not allowed inside a task or a free callback.
    DVM_ERR_IN_TASK = 13,
    /// At least one task has failed since the last wait.
    DVM_ERR_TASK = 14,
    /// The memory asked for is not to be had.
    DVM_ERR_MEMORY = 15,
    /// This build, or this way of launching, does not offer what was asked for.
    DVM_ERR_UNSUPPORTED = 16,
    /// Another process of the job has gone away.
    DVM_ERR_PEER_LOST = 17,
    /// libdvm has met a defect of its own; what it was doing may be half done.
    DVM_ERR_PANIC = 18,
}

use dvm_retcode_t as Code;

impl dvm_retcode_t {
    /// All codes in the order of their values.
    pub const ALL: [Code; 19] = [
        Code::DVM_SUCCESS,
        Code::DVM_ERR_ARGUMENT,
        Code::DVM_ERR_NOT_INITIALIZED,
        Code::DVM_ERR_ALREADY_INITIALIZED,
        Code::DVM_ERR_RANK,
        Code::DVM_ERR_SIZE,
        Code::DVM_ERR_ID,
        Code::DVM_ERR_PROCESSING,
        Code::DVM_ERR_SYMBOL,
        Code::DVM_ERR_NO_REFERENCE,
        Code::DVM_ERR_STATE,
        Code::DVM_ERR_NOT_READY,
        Code::DVM_ERR_POISONED,
        Code::DVM_ERR_IN_TASK,
        Code::DVM_ERR_TASK,
        Code::DVM_ERR_MEMORY,
        Code::DVM_ERR_UNSUPPORTED,
        Code::DVM_ERR_PEER_LOST,
        Code::DVM_ERR_PANIC,
    ];

    /// The meaning of the code in words, ended by a NUL for C.
    pub const fn text(self) -> &'static std::ffi::CStr {
        match self {
            Code::DVM_SUCCESS => c"success",
            Code::DVM_ERR_ARGUMENT => c"an argument is NULL, negative, of unknown mode, or of the wrong count",
            Code::DVM_ERR_NOT_INITIALIZED => c"libdvm is not running: call dvm_init first",
            Code::DVM_ERR_ALREADY_INITIALIZED => {
                c"libdvm is already running: call dvm_finalize before another dvm_init"
            }
            Code::DVM_ERR_RANK => c"no processing unit has this rank or index",
            Code::DVM_ERR_SIZE => c"the array is shorter than the ranks' dimension, or longer than DVM_MAX_RANK_DEPTH",
            Code::DVM_ERR_ID => c"the datum (or distribution, plan, copy engine) is unknown or has been freed",
            Code::DVM_ERR_PROCESSING => c"the processing is unknown or has been unregistered",
            Code::DVM_ERR_SYMBOL => c"no function of this name can be found in the running program",
            Code::DVM_ERR_NO_REFERENCE => c"all references of the datum are taken: acquire one per further use",
            Code::DVM_ERR_STATE => c"the call does not fit the state of its object",
            Code::DVM_ERR_NOT_READY => c"the datum is not published yet and a task may not wait for it",
            Code::DVM_ERR_POISONED => c"the datum will never have a value: its producer failed or was cancelled",
            Code::DVM_ERR_IN_TASK => c"not allowed inside a task or a free callback",
            Code::DVM_ERR_TASK => c"a task has failed",
            Code::DVM_ERR_MEMORY => c"out of memory",
            Code::DVM_ERR_UNSUPPORTED => c"not offered by this build or this way of launching",
            Code::DVM_ERR_PEER_LOST => c"another process of the job has gone away",
            Code::DVM_ERR_PANIC => c"libdvm has met a defect of its own",
        }
    }

    /// The code with this value, if there is one.
    pub fn from_value(value: u32) -> Option<Code> {
        Code::ALL.get(value as usize).copied()
    }
}

/// A failure: its stable code and its message, which says what, where, why and what to do. One word, so that calls that
/// succeed do not pay for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<(Code, Cow<'static, str>)>);

impl Error {
    /// A failure with this code, told in these words.
    #[cold]
    pub(crate) fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Error {
        debug_assert_ne!(code, Code::DVM_SUCCESS, "success is no error");
        Error(Box::new((code, message.into())))
    }

    /// `DVM_ERR_ARGUMENT`, told in these words.
    pub(crate) fn argument(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Code::DVM_ERR_ARGUMENT, message)
    }

    /// `DVM_ERR_STATE`, told in these words.
    pub(crate) fn state(message: impl Into<Cow<'static, str>>) -> Error {
        Error::new(Code::DVM_ERR_STATE, message)
    }

    /// The stable code.
    pub(crate) fn code(&self) -> Code {
        self.0.0
    }

    /// The message in words.
    pub(crate) fn message(&self) -> &str {
        &self.0.1
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_their_places_in_the_list() {
        for (place, code) in Code::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, place);
            assert_eq!(Code::from_value(place as u32), Some(code));
        }
        assert_eq!(Code::from_value(Code::ALL.len() as u32), None);
    }

    #[test]
    fn every_code_has_its_own_text() {
        let texts: std::collections::HashSet<_> = Code::ALL.into_iter().map(Code::text).collect();
        assert_eq!(texts.len(), Code::ALL.len());
    }
}
