//! The calls of MPI that the plugin makes, with their return codes as results. All of them need an initialised MPI, and
//! leave from it to call: the thread level.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::time::{Duration, Instant};

use mpi::ffi;

/// A return code of MPI other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code(c_int);

/// What MPI says about the code.
pub fn text(code: Code) -> String {
    let mut bytes = vec![0_u8; 4096];
    let mut length = 0;
    // SAFETY: no MPI's texts are longer than that.
    let known = unsafe { ffi::MPI_Error_string(code.0, bytes.as_mut_ptr().cast(), &raw mut length) } == 0;
    bytes.truncate(length.max(0) as usize);
    if known { String::from_utf8_lossy(&bytes).into_owned() } else { format!("MPI's error {}", code.0) }
}

pub fn checked(code: c_int) -> Result<(), Code> {
    if code == ffi::MPI_SUCCESS as c_int { Ok(()) } else { Err(Code(code)) }
}

/// A communicator of the plugin's own.
#[derive(Clone, Copy)]
pub struct Communicator(pub ffi::MPI_Comm);

// SAFETY: a handle; whoever uses it sees to the thread level.
unsafe impl Send for Communicator {}
// SAFETY: as above.
unsafe impl Sync for Communicator {}

impl Communicator {
    /// That of all processes.
    pub fn world() -> Communicator {
        // SAFETY: a constant of MPI.
        Communicator(unsafe { ffi::RSMPI_COMM_WORLD })
    }

    /// The one that Fortran calls by this number.
    pub fn of_fortran(number: i32) -> Communicator {
        // SAFETY: takes a number; the caller of libdvm answers for it, as with every handle of MPI.
        Communicator(unsafe { ffi::RSMPI_Comm_f2c(number) })
    }

    /// Another one of the same processes, whose errors are returned. Collective.
    pub fn duplicate(self) -> Result<Communicator, Code> {
        let mut new = self.0;
        // SAFETY: the handles live during the calls; what is made is this program's.
        unsafe {
            checked(ffi::MPI_Comm_dup(self.0, &raw mut new))?;
            checked(ffi::MPI_Comm_set_errhandler(new, ffi::RSMPI_ERRORS_RETURN))?;
        }
        Ok(Communicator(new))
    }

    pub fn rank(self) -> Result<u32, Code> {
        let mut rank = 0;
        // SAFETY: writes one number.
        checked(unsafe { ffi::MPI_Comm_rank(self.0, &raw mut rank) }).map(|()| rank as u32)
    }

    pub fn size(self) -> Result<u32, Code> {
        let mut size = 0;
        // SAFETY: writes one number.
        checked(unsafe { ffi::MPI_Comm_size(self.0, &raw mut size) }).map(|()| size as u32)
    }

    /// The largest tag.
    pub fn largest_tag(self) -> u32 {
        let (mut value, mut found) = (ptr::null_mut::<c_int>(), 0);
        // SAFETY: this attribute's value is the address of a number.
        unsafe {
            let key = ffi::MPI_TAG_UB as c_int;
            let known = ffi::MPI_Comm_get_attr(self.0, key, (&raw mut value).cast(), &raw mut found);
            // What every MPI has.
            if known == 0 && found != 0 && !value.is_null() { (*value).max(32767) as u32 } else { 32767 }
        }
    }

    pub fn free(mut self) {
        // SAFETY: the plugin's own, and nothing is under way on it. A failure leaves a handle behind.
        unsafe { ffi::MPI_Comm_free(&raw mut self.0) };
    }
}

/// The source of a receive that was not under way.
pub const NOBODY: u32 = u32::MAX;

/// Who has sent what, of a completed receive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Arrival {
    pub source: u32,
    pub tag: u32,
    pub bytes: usize,
}

/// What a receive tells instead of a message, or with one: after the failure of a process an MPI tells of it by receives that
/// have got a message from another one.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    pub code: Code,
    /// What has come all the same: the receive has ended.
    pub complete: Option<Arrival>,
}

impl From<Code> for Failure {
    fn from(code: Code) -> Failure {
        Failure { code, complete: None }
    }
}

/// What became of a receive that was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its memory is its owner's again.
    Over,
    /// A message has begun to come from a peer that is gone: MPI may write to the memory at any time.
    Never,
}

/// An operation under way.
pub struct Request(ffi::MPI_Request);

// SAFETY: a handle; whoever uses it sees to the thread level.
unsafe impl Send for Request {}

impl Request {
    fn null() -> Request {
        // SAFETY: a constant of MPI.
        Request(unsafe { ffi::RSMPI_REQUEST_NULL })
    }

    /// Begins to send.
    ///
    /// # Safety
    /// The bytes stay until the request is complete.
    pub unsafe fn send(
        bytes: *const u8,
        length: usize,
        to: u32,
        tag: u32,
        over: Communicator,
    ) -> Result<Request, Code> {
        let mut request = Request::null();
        // SAFETY: as the caller promises.
        checked(unsafe {
            ffi::MPI_Isend(
                bytes.cast(),
                length as c_int,
                ffi::RSMPI_UINT8_T,
                to as c_int,
                tag as c_int,
                over.0,
                &raw mut request.0,
            )
        })?;
        Ok(request)
    }

    /// Begins to receive from one process.
    ///
    /// # Safety
    /// The memory stays until the request is complete, and is nobody else's.
    pub unsafe fn receive(
        into: *mut u8,
        length: usize,
        from: u32,
        tag: u32,
        over: Communicator,
    ) -> Result<Request, Code> {
        let mut request = Request::null();
        // SAFETY: as the caller promises.
        checked(unsafe {
            ffi::MPI_Irecv(
                into.cast(),
                length as c_int,
                ffi::RSMPI_UINT8_T,
                from as c_int,
                tag as c_int,
                over.0,
                &raw mut request.0,
            )
        })?;
        Ok(request)
    }

    /// Whether the operation is complete.
    pub fn test(&mut self) -> Result<Option<Arrival>, Failure> {
        let mut done = 0;
        let mut status = MaybeUninit::<ffi::MPI_Status>::zeroed();
        // SAFETY: the request is this value's; all of a status may be zero, and `test` fills it.
        unsafe {
            let tested = checked(ffi::MPI_Test(&raw mut self.0, &raw mut done, status.as_mut_ptr()));
            if done == 0 {
                return tested.map(|()| None).map_err(|code| Failure { code, complete: None });
            }
            let status = status.assume_init();
            let mut bytes = 0;
            ffi::MPI_Get_count(&raw const status, ffi::RSMPI_UINT8_T, &raw mut bytes);
            let whole = |number: c_int| number.max(0) as u32;
            let (source, tag) = (u32::try_from(status.MPI_SOURCE).unwrap_or(NOBODY), whole(status.MPI_TAG));
            let arrival = Arrival { source, tag, bytes: bytes.max(0) as usize };
            tested.map(|()| Some(arrival)).map_err(|code| Failure { code, complete: Some(arrival) })
        }
    }

    /// Whether the operation is complete, of which nothing else is asked: less work than `test`.
    pub fn is_complete(&mut self) -> Result<bool, Code> {
        let mut done = 0;
        // SAFETY: the request is this value's; the constant says that no status is wanted.
        checked(unsafe { ffi::MPI_Test(&raw mut self.0, &raw mut done, ffi::RSMPI_STATUS_IGNORE) })?;
        Ok(done != 0)
    }

    /// Ends a receive that is under way.
    pub fn cancel(&mut self) -> Ended {
        // SAFETY: the request is this value's, and under way.
        unsafe { ffi::MPI_Cancel(&raw mut self.0) };
        // What is cancelled ends without another process's help; what has begun to come needs it, and may wait for ever.
        let limit = Instant::now() + Duration::from_secs(1);
        loop {
            match self.is_complete() {
                Ok(true) | Err(_) => return Ended::Over,
                Ok(false) if Instant::now() > limit => return Ended::Never,
                Ok(false) => std::thread::yield_now(),
            }
        }
    }
}

/// A message that has come, which no other receive gets.
pub struct Message(ffi::MPI_Message);

/// The earliest message that nobody has received, from anybody and with any tag, if there is one.
pub fn next_message(over: Communicator) -> Result<Option<Message>, Code> {
    let mut found = 0;
    let mut message = MaybeUninit::<ffi::MPI_Message>::zeroed();
    // SAFETY: writes two values; a handle may be zero, and is used only where MPI has set it.
    unsafe {
        checked(ffi::MPI_Improbe(
            ffi::RSMPI_ANY_SOURCE,
            ffi::RSMPI_ANY_TAG,
            over.0,
            &raw mut found,
            message.as_mut_ptr(),
            ffi::RSMPI_STATUS_IGNORE,
        ))?;
        Ok((found != 0).then(|| Message(message.assume_init())))
    }
}

impl Message {
    /// Begins to receive it.
    ///
    /// # Safety
    /// The memory stays until the request is complete, and is nobody else's.
    pub unsafe fn receive(mut self, into: *mut u8, length: usize) -> Result<Request, Code> {
        let mut request = Request::null();
        // SAFETY: as the caller promises; the message is received once.
        checked(unsafe {
            ffi::MPI_Imrecv(into.cast(), length as c_int, ffi::RSMPI_UINT8_T, &raw mut self.0, &raw mut request.0)
        })?;
        Ok(request)
    }
}

/// Begins to gather equally many bytes of each process.
///
/// # Safety
/// Both memories stay until the request is complete; `into` has room for those of all processes.
pub unsafe fn gather_equal(from: *const u8, bytes: usize, into: *mut u8, over: Communicator) -> Result<Request, Code> {
    let mut request = Request::null();
    let kind = || {
        // SAFETY: a constant of MPI.
        unsafe { ffi::RSMPI_UINT8_T }
    };
    // SAFETY: as the caller promises.
    checked(unsafe {
        ffi::MPI_Iallgather(
            from.cast(),
            bytes as c_int,
            kind(),
            into.cast(),
            bytes as c_int,
            kind(),
            over.0,
            &raw mut request.0,
        )
    })?;
    Ok(request)
}

/// The thread level.
pub fn thread_level() -> u32 {
    let mut level = 0;
    // SAFETY: writes one number; no MPI's levels are numbered but 0 to 3 in order, or are the constants below.
    unsafe {
        ffi::MPI_Query_thread(&raw mut level);
        match level {
            level if level == ffi::RSMPI_THREAD_MULTIPLE => 3,
            level if level == ffi::RSMPI_THREAD_SERIALIZED => 2,
            level if level == ffi::RSMPI_THREAD_FUNNELED => 1,
            _ => 0,
        }
    }
}

/// Whether this thread is the one that has initialised MPI.
pub fn is_main_thread() -> bool {
    let mut is = 0;
    // SAFETY: writes one number.
    unsafe { ffi::MPI_Is_thread_main(&raw mut is) };
    is != 0
}

pub fn is_initialised() -> bool {
    let mut is = 0;
    // SAFETY: writes one number; may be called at any time.
    unsafe { ffi::MPI_Initialized(&raw mut is) };
    is != 0
}

pub fn is_finalised() -> bool {
    let mut is = 0;
    // SAFETY: writes one number; may be called at any time.
    unsafe { ffi::MPI_Finalized(&raw mut is) };
    is != 0
}

/// Initialises MPI for any thread's calls.
pub fn initialise() -> Result<(), Code> {
    let mut level = 0;
    // SAFETY: MPI was not initialised; it takes no arguments of the program's.
    checked(unsafe {
        ffi::MPI_Init_thread(ptr::null_mut(), ptr::null_mut(), ffi::RSMPI_THREAD_MULTIPLE, &raw mut level)
    })
}

/// Ends MPI. Collective.
pub fn finalise() {
    // SAFETY: the plugin has initialised it, and uses it no more.
    unsafe { ffi::MPI_Finalize() };
}

/// What the MPI says of itself.
pub fn library_version() -> String {
    let mut bytes = vec![0_u8; 16384];
    let mut length = 0;
    // SAFETY: no MPI's text is longer than that.
    unsafe { ffi::MPI_Get_library_version(bytes.as_mut_ptr().cast(), &raw mut length) };
    bytes.truncate(length.max(0) as usize);
    String::from_utf8_lossy(&bytes).trim_end_matches(['\0', '\n', ' ']).to_owned()
}

/// Has a function called when MPI is finalized, while it still works: as the deletion of an attribute of the first
/// communicator that goes.
pub fn at_finalise(
    body: unsafe extern "C" fn(ffi::MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int,
) -> Result<(), Code> {
    /// Copies nothing. NULL is not allowed by one MPI, and the constant for it is NULL in the other.
    unsafe extern "C" fn copy_none(
        _: ffi::MPI_Comm,
        _: c_int,
        _: *mut c_void,
        _: *mut c_void,
        _: *mut c_void,
        copied: *mut c_int,
    ) -> c_int {
        // SAFETY: MPI passes the address of a flag.
        unsafe { *copied = 0 };
        0
    }
    let mut key = 0;
    // SAFETY: both functions have the types that MPI asks for, and live as long as the process.
    unsafe {
        checked(ffi::MPI_Comm_create_keyval(Some(copy_none), Some(body), &raw mut key, ptr::null_mut()))?;
        checked(ffi::MPI_Comm_set_attr(ffi::RSMPI_COMM_SELF, key, ptr::null_mut()))
    }
}
