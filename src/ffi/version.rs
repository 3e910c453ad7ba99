//! The version.

use std::ffi::c_int;

/// The first number of this header's version: another one changes or removes what was there.
pub const DVM_VERSION_MAJOR: c_int = 0;

/// The second number of this header's version: a higher one adds. Before 1.0 it may also change what was there.
pub const DVM_VERSION_MINOR: c_int = 1;

/// The third number of this header's version: a higher one corrects defects.
pub const DVM_VERSION_PATCH: c_int = 0;

/// The version of this header as one number that grows: 10000 times the first, 100 times the second, and the third.
pub const DVM_VERSION: c_int = 100;

/// @brief The version of the library that the program runs with.
///
/// It may be higher than DVM_VERSION, the version of the header that the program was compiled with: docs/abi.md says which
/// libraries a program can run with.
///
/// @return the version, as DVM_VERSION counts
///
/// Thread safety: any thread, any task, any time, also before dvm_init and after dvm_finalize.
/// Source: added to the report's interface.
#[unsafe(no_mangle)]
pub extern "C" fn dvm_version() -> c_int {
    DVM_VERSION
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_packages() {
        assert_eq!(format!("{DVM_VERSION_MAJOR}.{DVM_VERSION_MINOR}.{DVM_VERSION_PATCH}"), env!("CARGO_PKG_VERSION"));
        const { assert!(DVM_VERSION_MINOR < 100 && DVM_VERSION_PATCH < 100, "DVM_VERSION has two digits for each") };
        assert_eq!(dvm_version(), 10000 * DVM_VERSION_MAJOR + 100 * DVM_VERSION_MINOR + DVM_VERSION_PATCH);
    }
}
