//! What an MPI with ULFM (user-level failure mitigation) knows of peers that are gone. Its functions are found by name: most
//! MPIs have none of them, and one that has does nothing about failures unless the launcher was told to.
//!
//! A receive from anybody tells of a failure by an error, and stays under way. Once the failure is acknowledged, it takes the
//! messages of those that are left: all that a connection needs, so communicators stay as they are.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use mpi::ffi;

use crate::calls::{Communicator, checked};

type Acknowledge = unsafe extern "C" fn(ffi::MPI_Comm) -> c_int;
type Acknowledged = unsafe extern "C" fn(ffi::MPI_Comm, *mut ffi::MPI_Group) -> c_int;

/// The functions of ULFM.
#[derive(Clone, Copy)]
pub struct Faults {
    acknowledge: Acknowledge,
    acknowledged: Acknowledged,
}

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A function of the process with this name.
fn find(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: NULL stands for all that the process sees; the name ends with a NUL.
    let found = unsafe { dlsym(ptr::null_mut(), name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

impl Faults {
    /// Those of the MPI that this process has.
    pub fn find() -> Option<Faults> {
        let (acknowledge, acknowledged) = (find(c"MPIX_Comm_failure_ack")?, find(c"MPIX_Comm_failure_get_acked")?);
        // SAFETY: functions of these names have these types in every MPI that has them.
        unsafe {
            Some(Faults {
                acknowledge: std::mem::transmute::<*mut c_void, Acknowledge>(acknowledge),
                acknowledged: std::mem::transmute::<*mut c_void, Acknowledged>(acknowledged),
            })
        }
    }

    /// Acknowledges what is known to have failed, and gives the ranks of all that has.
    pub fn acknowledge(self, over: Communicator) -> Vec<u32> {
        // SAFETY: the communicator is the plugin's own, and MPI works.
        unsafe {
            let mut failed = ffi::RSMPI_GROUP_EMPTY;
            if checked((self.acknowledge)(over.0)).is_err()
                || checked((self.acknowledged)(over.0, &raw mut failed)).is_err()
            {
                return Vec::new();
            }
            let ranks = ranks_of(failed, over);
            ffi::MPI_Group_free(&raw mut failed);
            ranks
        }
    }
}

/// The ranks that the members of a group have in a communicator.
///
/// # Safety
/// Both are valid, and MPI works.
unsafe fn ranks_of(group: ffi::MPI_Group, over: Communicator) -> Vec<u32> {
    // SAFETY: as the caller promises; both lists have one number for each member.
    unsafe {
        let (mut all, mut many) = (group, 0);
        if checked(ffi::MPI_Group_size(group, &raw mut many)).is_err() || many <= 0 {
            return Vec::new();
        }
        if checked(ffi::MPI_Comm_group(over.0, &raw mut all)).is_err() {
            return Vec::new();
        }
        let members: Vec<c_int> = (0..many).collect();
        let mut ranks: Vec<c_int> = vec![-1; members.len()];
        let translated = ffi::MPI_Group_translate_ranks(group, many, members.as_ptr(), all, ranks.as_mut_ptr());
        ffi::MPI_Group_free(&raw mut all);
        if checked(translated).is_err() {
            return Vec::new();
        }
        ranks.into_iter().filter_map(|rank| u32::try_from(rank).ok()).collect()
    }
}
