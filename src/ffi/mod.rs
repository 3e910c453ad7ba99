//! The C interface: every exported function, one file per section of the header.
//!
//! The comments of the exported functions are the documentation of the header: `dvm.h` is generated from them. They
//! therefore address a C programmer. Rules that hold for all of them and are not repeated:
//!
//! * Pointers are never kept beyond the call, unless a function says so.
//! * A call that fails changes nothing, writes no output and takes no reference, unless a function says so; it leaves
//!   its message with `dvm_last_error`.
//! * Every function can also return `DVM_ERR_PANIC`: libdvm has met a defect of its own. No panic crosses into C.
//!
//! Array parameters are pointers in C. The aliases `RankArg`, `DataIdArg`, `ProcIdArg` and `RetcodeArg` say which
//! array (or code) is meant; the header prints them under their C names. What only reads takes the `Const...` ones, unless the
//! report prints it without `const`: those prototypes stay as they are.
#![allow(unsafe_code, reason = "this is the boundary to C")]
#![allow(clippy::missing_safety_doc, reason = "the comments are those of the C header: each parameter is described")]

use std::ffi::c_int;

/// The type of a handle for C and the number in it.
macro_rules! handle {
    ($name:ident) => {
        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self { number }
            }
        }

        impl From<$name> for u64 {
            fn from(handle: $name) -> u64 {
                handle.number
            }
        }
    };
}
use handle;

pub mod across;
mod argument;
pub mod blocking;
pub mod c_functions;
pub mod data;
pub mod distribution;
pub mod dma;
pub mod errors;
pub mod explain;
pub mod graph;
mod guard;
pub mod lifecycle;
pub mod processing;
pub mod rank;
pub mod redistribution;
pub mod region;
pub mod scheduling;
pub mod version;

use crate::id::Rank;
use argument::IdParts;

pub use crate::error::dvm_retcode_t;
pub use argument::Arg;

/// The greatest number of components of a rank.
pub const DVM_MAX_RANK_DEPTH: usize = 8;
const _: () = assert!(DVM_MAX_RANK_DEPTH == Rank::DEPTH);

/// The greatest number of arguments of a callback registered with `dvm_processing_register` or
/// `dvm_processing_register_by_name`; `dvm_processing_register_v` has no such limit.
pub const DVM_MAX_PLAIN_ARGUMENTS: c_int = 64;
const _: () = assert!(DVM_MAX_PLAIN_ARGUMENTS as usize == crate::processing::MAX_PLAIN_ARGUMENTS);

/// Access mode of an argument: the task reads it, and takes over one of the caller's references. The default.
pub const DVM_IN: c_int = 0;

/// Access mode of an argument: the task produces it.
pub const DVM_OUT: c_int = 1;

/// Access mode of an argument: the task reads it, and takes a reference of its own. The caller keeps its references, so that
/// a datum may be given to many tasks without dvm_data_acquire.
pub const DVM_READ: c_int = 2;

/// Access mode of an argument: the task updates it. The call that schedules the task makes the next version as
/// dvm_data_next does, and writes its id where it has read the argument's, before the task can begin: from then on the
/// caller's variable names the datum as it is after the task, with the one reference that the caller gave for it. The
/// function gets that id alone, and dvm_data_get gives it the bytes, which it may read and write. If nobody else refers
/// to the old version, nothing is copied; another argument that is the same datum has the old bytes. If the call fails,
/// the id stays as it was.
pub const DVM_INOUT: c_int = 3;

const _: () =
    assert!(DVM_IN == 0 && DVM_OUT == 1 && DVM_READ == 2 && DVM_INOUT == 3, "as `processing::ArgumentAccess` counts");

/// A rank as a parameter: `dvm_rank_t`, an array of `DVM_MAX_RANK_DEPTH` components.
/// cbindgen:ignore
pub type RankArg<'a> = Arg<'a, *mut u64, Rank>;

/// A rank that is only read: `const dvm_rank_t`.
/// cbindgen:ignore
pub type ConstRankArg<'a> = Arg<'a, *const u64, Rank>;

/// A datum's id as a parameter: `dvm_data_id_t`, an array of two numbers.
/// cbindgen:ignore
pub type DataIdArg<'a> = Arg<'a, *mut u64, IdParts>;

/// A datum's id that is only read: `const dvm_data_id_t`.
/// cbindgen:ignore
pub type ConstDataIdArg<'a> = Arg<'a, *const u64, IdParts>;

/// A datum's id behind a pointer: `dvm_data_id_t *`.
/// cbindgen:ignore
pub type DataId = [u64; 2];

/// A processing's id as a parameter: `dvm_processing_id_t`, an array of two numbers.
/// cbindgen:ignore
pub type ProcIdArg<'a> = Arg<'a, *mut u64, IdParts>;

/// A processing's id that is only read: `const dvm_processing_id_t`.
/// cbindgen:ignore
pub type ConstProcIdArg<'a> = Arg<'a, *const u64, IdParts>;

/// A processing's id behind a pointer: `dvm_processing_id_t *`.
/// cbindgen:ignore
pub type ProcId = [u64; 2];

/// A letter of a description, which the report prints as `char *`: `const` in C++, where a literal is.
/// cbindgen:ignore
pub type Letter = std::ffi::c_char;

/// A code as a parameter: `dvm_retcode_t`, which from C may hold any number.
/// cbindgen:ignore
pub type RetcodeArg = u32;
