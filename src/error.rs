//! Errors.

/// Stable codes.
#[allow(non_camel_case_types, missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum dvm_retcode_t {
    DVM_ERR_ARGUMENT = 1,
    DVM_ERR_STATE = 10,
    DVM_ERR_UNSUPPORTED = 16,
}

/// A code and its detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: dvm_retcode_t,
    message: String,
}

#[allow(missing_docs)]
impl Error {
    pub fn new(code: dvm_retcode_t, message: impl Into<String>) -> Error {
        Error { code, message: message.into() }
    }
    pub fn code(&self) -> dvm_retcode_t {
        self.code
    }
    pub fn message(&self) -> &str {
        &self.message
    }
}
