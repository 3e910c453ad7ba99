//! An MPI as a program of its own uses it: by the names of its functions, so that no test needs one to be built.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// A communicator: an address in one MPI, a number in the other; both are passed as a word is.
type Handle = usize;

type Init = unsafe extern "C" fn(*mut c_int, *mut *mut *mut c_char, c_int, *mut c_int) -> c_int;
type Rank = unsafe extern "C" fn(Handle, *mut c_int) -> c_int;
type Split = unsafe extern "C" fn(Handle, c_int, c_int, *mut Handle) -> c_int;
type ToFortran = unsafe extern "C" fn(Handle) -> c_int;

pub struct HostMpi {
    library: *mut c_void,
    world: Handle,
    /// Communicators are numbers, in Fortran as well.
    numbers: bool,
}

impl HostMpi {
    /// Loads the MPI that has started this process, for all that is loaded later, and initialises it.
    pub fn initialise(level: c_int) -> HostMpi {
        let open = std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some();
        let name = if open { c"libmpi.so.40" } else { c"libmpich.so.12" };
        // SAFETY: an MPI's library, whose initialisers do nothing that a program would not.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        assert!(!library.is_null(), "the MPI that has started this process is there");
        let mut host = HostMpi { library, world: 0x4400_0000, numbers: !open };
        if open {
            host.world = host.address(c"ompi_mpi_comm_world").addr();
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
            if self.numbers {
                return new as i32;
            }
            let number: ToFortran = std::mem::transmute(self.address(c"MPI_Comm_c2f"));
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
