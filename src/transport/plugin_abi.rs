//! The binary interface between libdvm and a plugin that moves bytes by an MPI: no type of MPI is in it, so one libdvm
//! works with all of them. The crate of the plugins includes this file.
//!
//! A plugin exports [`ENTRY`], an [`Entry`], whose table stays where it is. Any thread may call any function of it, unless
//! noted; none but `open`, `gather` and `close` waits.

use std::ffi::{c_char, c_void};
use std::ptr::NonNull;

/// The version of this interface. A plugin of another one is refused.
pub const VERSION: u32 = 1;

/// The name of the function that a plugin exports, ended by a NUL.
pub const ENTRY: &[u8] = b"dvm_transport_plugin\0";

/// The type of that function.
pub type Entry = extern "C" fn() -> Option<&'static PluginTable>;

/// In `open`'s flags: `fortran_communicator` is one; otherwise the job's are all processes of MPI_COMM_WORLD.
pub const HAS_COMMUNICATOR: u32 = 1;

/// Thread levels, as MPI orders them.
pub const FUNNELED: u32 = 1;
pub const SERIALIZED: u32 = 2;
pub const MULTIPLE: u32 = 3;

/// What `send` answers.
pub const TAKEN: i32 = 0;
pub const FULL: i32 = 1;
pub const GONE: i32 = 2;

/// The kinds of events, as `TransportEvent` has them.
pub const BATCH: u32 = 0;
pub const BULK_SENT: u32 = 1;
pub const BULK_RECEIVED: u32 = 2;
pub const BULK_FAILED: u32 = 3;
pub const LEFT: u32 = 4;
pub const LOST: u32 = 5;
/// Failed, and MPI may use the memory at any time: libdvm never frees it.
pub const BULK_ABANDONED: u32 = 6;

/// What `poll` hands over.
#[repr(C)]
pub struct PluginEvent {
    pub kind: u32,
    /// Whom it concerns; nobody for what has a token.
    pub peer: u32,
    /// Of `bulk_send` and `bulk_receive`.
    pub token: u64,
    /// A batch, or why a peer is lost as UTF-8: until the call that hands it over returns.
    pub bytes: *const u8,
    pub length: u64,
}

/// What `open` tells.
#[repr(C)]
pub struct PluginInfo {
    /// The bytes of this structure, set by libdvm.
    pub size: u32,
    pub rank: u32,
    pub processes: u32,
    pub thread_level: u32,
    /// 1: the plugin has initialised MPI, and finalizes it when the process exits.
    pub initialised_here: u32,
    pub reserved: u32,
    pub largest_batch: u64,
    /// What the MPI says of itself; ended by a NUL.
    pub library: [c_char; 512],
}

/// Takes an event. May call everything of the table but `open`, `gather` and `close`.
pub type Deliver = unsafe extern "C" fn(context: *mut c_void, event: *const PluginEvent);

/// Takes what process `peer` has given to `gather`.
pub type Given = unsafe extern "C" fn(context: *mut c_void, peer: u32, bytes: *const u8, length: u64);

/// The functions of a plugin. `connection` is what `open` has given.
#[repr(C)]
pub struct PluginTable {
    /// [`VERSION`].
    pub version: u32,
    /// The bytes of this structure.
    pub size: u32,
    /// Collective: duplicates the communicator, or that of all processes; initialises MPI if nobody has. NULL on failure.
    pub open: extern "C" fn(fortran_communicator: i32, flags: u32, info: &mut PluginInfo) -> Option<NonNull<c_void>>,
    /// Collective: gives each process's bytes to `given`, in order. 0, or another number on failure.
    pub gather: unsafe extern "C" fn(
        connection: *mut c_void,
        bytes: *const u8,
        length: u64,
        given: Given,
        context: *mut c_void,
    ) -> i32,
    /// Sends a batch, of which it keeps a copy. Where only one thread may call MPI, other threads are told [`FULL`].
    pub send: unsafe extern "C" fn(connection: *mut c_void, to: u32, bytes: *const u8, length: u64) -> i32,
    /// Hands over what has come: how many events. Where only one thread may call MPI, none in other threads.
    pub poll: unsafe extern "C" fn(connection: *mut c_void, deliver: Deliver, context: *mut c_void) -> u32,
    /// Sends memory, which stays until [`BULK_SENT`] or a failure is told.
    pub bulk_send:
        unsafe extern "C" fn(connection: *mut c_void, to: u32, ticket: u64, bytes: *const u8, length: u64, token: u64),
    /// Fills memory, which stays until [`BULK_RECEIVED`] or a failure is told.
    pub bulk_receive:
        unsafe extern "C" fn(connection: *mut c_void, from: u32, ticket: u64, bytes: *mut u8, length: u64, token: u64),
    /// Leaves, and is the last call. `clean` is 1: the others are told that this is no loss, and what was sent arrives.
    /// 1: memory of transfers that are under way is the caller's again. 0: it is never freed.
    pub close: unsafe extern "C" fn(connection: *mut c_void, clean: u32) -> i32,
    /// A peer is lost, or the job ends without order: MPI, which would wait for it, is not finalized at exit.
    pub forgo_end: extern "C" fn(),
    /// The calling thread's last failure as UTF-8 into `into`, at most `room` bytes: how many.
    pub error_text: unsafe extern "C" fn(into: *mut u8, room: u64) -> u64,
}
