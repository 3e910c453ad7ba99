//! What of an MPI is in this process already, found by the names of its functions; and where libdvm itself lies.
#![allow(unsafe_code, reason = "functions found by name")]

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY, RTLD_NOW};

/// The names of the libraries of all MPIs; the last one is Debian's for MPICH. The standard's own first: others may lie
/// under it.
const LIBRARIES: [&str; 4] = [STANDARD, OPEN_MPI, "libmpi.so.12", "libmpich.so.12"];

/// The name of the standard's.
pub(crate) const STANDARD: &str = "libmpi_abi.so.1";

/// The name of Open MPI's.
pub(crate) const OPEN_MPI: &str = "libmpi.so.40";

/// The names of MPICH's, and of what takes its place.
pub(crate) const MPICH: &[&str] = &[LIBRARIES[2], LIBRARIES[3]];

/// The most bytes of a version text; no MPI's `MPI_MAX_LIBRARY_VERSION_STRING` is larger.
const LONGEST: usize = 1 << 14;

/// An MPI in this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LoadedMpi {
    /// What it says of itself.
    pub(crate) version: String,
    /// It works: it was initialised, and is not finalized.
    pub(crate) works: bool,
    pub(crate) is_finalised: bool,
    /// The process uses it by the standard's binary interface.
    pub(crate) by_standard: bool,
}

type Version = unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int;
type Asks = unsafe extern "C" fn(*mut c_int) -> c_int;

/// Opens a library by its name.
fn open(name: &str, flags: i32) -> Result<Library, libloading::Error> {
    // SAFETY: what a shared object does when it is loaded is up to whoever has installed it under an MPI's name.
    unsafe { Library::open(Some(name), flags) }
}

/// A library that the process has loaded already, wherever it was loaded from.
fn loaded(name: &str) -> Option<Library> {
    open(name, RTLD_LAZY | libc::RTLD_NOLOAD).ok()
}

/// Lets plugins find the functions of an MPI, whose library has one of these names: the process's own, or else the first
/// one that the system finds. For the life of the process.
///
/// # Errors
/// There is none, in the system's words.
pub(crate) fn expose(names: &[&str]) -> Result<(), String> {
    // A module of a script language may have loaded it for itself alone.
    let flags = RTLD_NOW | RTLD_GLOBAL;
    let own = names.iter().find_map(|name| open(name, flags | libc::RTLD_NOLOAD).ok());
    if let Some(own) = own {
        std::mem::forget(own);
        return Ok(());
    }
    // Linked into the program.
    if find().is_some() {
        return Ok(());
    }
    let mut failures = Vec::new();
    for name in names {
        match open(name, flags) {
            Ok(library) => {
                std::mem::forget(library);
                return Ok(());
            }
            Err(error) => failures.push(error.to_string()),
        }
    }
    Err(failures.join("; "))
}

/// The MPI that this process has.
pub(crate) fn find() -> Option<LoadedMpi> {
    let standard = loaded(LIBRARIES[0]);
    let by_standard = standard.is_some();
    // First what the whole process sees; a library that a module of a script language has loaded is only seen by name.
    let places = [Some(Library::this()), standard].into_iter().chain(LIBRARIES[1..].iter().map(|name| loaded(name)));
    places.flatten().find_map(|library| ask(&library)).map(|found| LoadedMpi { by_standard, ..found })
}

fn ask(library: &Library) -> Option<LoadedMpi> {
    let mut text = vec![0_u8; LONGEST];
    let mut length = 0;
    let (mut initialised, mut finalised) = (0, 0);
    // SAFETY: functions of these names have these types in every MPI, and may be called at any time. The text has room.
    unsafe {
        let version = library.get::<Version>(b"MPI_Get_library_version\0").ok()?;
        let (begun, ended) =
            (library.get::<Asks>(b"MPI_Initialized\0").ok()?, library.get::<Asks>(b"MPI_Finalized\0").ok()?);
        version(text.as_mut_ptr().cast(), &raw mut length);
        begun(&raw mut initialised);
        ended(&raw mut finalised);
    }
    text.truncate(usize::try_from(length).unwrap_or(0));
    let version = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
    let (begun, is_finalised) = (initialised != 0, finalised != 0);
    Some(LoadedMpi { version, works: begun && !is_finalised, is_finalised, by_standard: false })
}

/// The folder of the shared object, or of the program, that contains libdvm.
pub(crate) fn own_folder() -> Option<PathBuf> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the address is this function's; the name, if there is one, stays while the object is loaded, as it is.
    let name = unsafe {
        if libc::dladdr((own_folder as fn() -> Option<PathBuf>) as *const _, found.as_mut_ptr()) == 0 {
            return None;
        }
        let name = found.assume_init().dli_fname;
        if name.is_null() {
            return None;
        }
        CStr::from_ptr(name)
    };
    // The program's own name may be relative to a folder that is no more the current one.
    let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
    let path = path.canonicalize().or_else(|_| std::env::current_exe()).ok()?;
    path.parent().map(PathBuf::from)
}
