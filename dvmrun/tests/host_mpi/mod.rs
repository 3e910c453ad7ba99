//! An MPI as a program of its own uses it: by the names of its functions, so that no test needs one to be built.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// A communicator: an address in one MPI, a number in another; both are passed as a word is.
type Handle = usize;

/// That of all processes, where it is a number: in MPICH and what takes its place; by the standard's binary interface.
const WORLD_OF_MPICH: Handle = 0x4400_0000;
const WORLD_OF_STANDARD: Handle = 0x101;

type Init = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int;
type Rank = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
type Split = unsafe extern "C" fn(Handle, c_int, c_int, *mut Handle) -> c_int;
type ToFortran = unsafe extern "C" fn(Handle) -> c_int;

pub struct HostMpi {
    library: *mut c_void,
    world: Handle,
    /// The function that gives a communicator's number in Fortran. None: it is one.
    number: Option<&'static CStr>,
}

impl HostMpi {
    /// Loads the MPI that has started this process, for all that is loaded later, and initialises it.
    pub fn initialise(level: c_int) -> HostMpi {
        let name = std::env::var("DVM_TEST_MPI_LIBRARY").unwrap();
        let file = CString::new(&*name).unwrap();
        // SAFETY: an MPI's library, whose initialisers do nothing that a program would not.
        let library = unsafe { libc::dlopen(file.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        assert!(!library.is_null(), "the MPI that has started this process is there");
        let mut host = HostMpi { library, world: WORLD_OF_MPICH, number: None };
        match &*name {
            "libmpi.so.40" => {
                host.world = host.address(c"ompi_mpi_comm_world").addr();
                host.number = Some(c"MPI_Comm_c2f");
            }
            "libmpi_abi.so.1" => {
                host.world = WORLD_OF_STANDARD;
                host.number = Some(c"MPI_Comm_toint");
            }
            _ => {}
        }
        let mut provided = 0;
        // SAFETY: the function of this name has this type.
        let code = unsafe {
            let init: Init = std::mem::transmute(host.address(c"MPI_Init_thread"));
            init(ptr::null_mut(), ptr::null_mut(), level, &raw mut provided)
        };
        assert!(code == 0, "MPI_Init_thread gives {provided}");
        host
    }

    fn address(&self, name: &CStr) -> *mut c_void {
        // SAFETY: the library is never unloaded.
        let address = unsafe { libc::dlsym(self.library, name.as_ptr()) };
        assert!(!address.is_null(), "{name:?} is there");
        address
    }

    /// The communicator of every second process, in reverse order, as Fortran knows it.
    pub fn reversed_half(&self) -> i32 {
        let (mut rank, mut new) = (0, 0);
        // SAFETY: the functions of these names have these types, with handles as words: the MPI stores one, which is no
        // longer.
        unsafe {
            let ask: Rank = std::mem::transmute(self.address(c"MPI_Comm_rank"));
            assert_eq!(ask(self.world, &raw mut rank), 0);
            let split: Split = std::mem::transmute(self.address(c"MPI_Comm_split"));
            assert_eq!(split(self.world, rank % 2, -rank, &raw mut new), 0);
            let Some(name) = self.number else { return new as i32 };
            let number: ToFortran = std::mem::transmute(self.address(name));
            number(new)
        }
    }
}

/// Finalizes the MPI that this process has.
pub fn finalise() {
    let name = CString::new("MPI_Finalize").unwrap();
    // SAFETY: the function of this name has this type, and nobody uses the MPI any more.
    unsafe {
        let address = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
        assert!(!address.is_null());
        let finalise: unsafe extern "C" fn() -> c_int = std::mem::transmute(address);
        finalise();
    }
}
