//! Checks `include/dvm.h` against the Rust functions: this crate only compiles if every declaration of the header, read
//! by clang, has the type of the exported function, and every structure has the same layout.

/// The header, read by clang.
#[allow(missing_docs, non_camel_case_types, dead_code, unsafe_code, clippy::all, clippy::pedantic)]
mod header {
    include!(concat!(env!("OUT_DIR"), "/header.rs"));
}

/// The comparison, which the build script writes: constants whose types only fit when both sides agree.
#[allow(
    unsafe_code,
    clippy::undocumented_unsafe_blocks,
    clippy::too_many_arguments,
    reason = "calls that are compiled and never made"
)]
mod comparison {
    #[allow(clippy::wildcard_imports, reason = "the types that the header defines are among what is compared")]
    use super::header::*;

    include!(concat!(env!("OUT_DIR"), "/comparison.rs"));
}

pub use comparison::FUNCTIONS;

/// C's enumeration of the codes has the size of the number used for it in parameters.
const _: () = assert!(size_of::<header::dvm_retcode_t>() == size_of::<dvm::ffi::RetcodeArg>());

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, header};
    use dvm::ffi::dvm_retcode_t as Code;

    #[test]
    fn the_reports_functions_are_among_those_compared() {
        for name in
            ["dvm_rank_get", "dvm_data_register", "dvm_processing_unregister", "dvm_sched_onto", "dvm_sched_load"]
        {
            assert!(FUNCTIONS.contains(&name), "{name} was not compared");
        }
    }

    #[test]
    fn codes_have_the_same_values() {
        assert_eq!(header::dvm_retcode_t::DVM_SUCCESS as u32, Code::DVM_SUCCESS as u32);
        assert_eq!(header::dvm_retcode_t::DVM_ERR_PANIC as u32, Code::DVM_ERR_PANIC as u32);
        assert_eq!(Code::ALL.len(), header::dvm_retcode_t::DVM_ERR_PANIC as usize + 1);
    }
}
