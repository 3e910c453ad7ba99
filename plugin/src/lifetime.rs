//! When MPI begins and ends, and what is open in between. A program that has initialised MPI finalizes it; for one that
//! has not, the plugin does both, the end when the process exits: libdvm may be started again before that, MPI never.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mpi::ffi;

use crate::calls;
use crate::engine::Engine;

/// How long a process waits for the others when it closes; at the end of MPI they are waited for anyway.
const CLOSING: Duration = Duration::from_secs(2);

/// Connections that are open, or that the others have not closed yet.
static OPEN: Mutex<Vec<Arc<Engine>>> = Mutex::new(Vec::new());

/// The process whose MPI the plugin has initialised; 0: none.
static OURS: AtomicU32 = AtomicU32::new(0);

/// A peer was lost, or a connection was not closed in order: MPI_Finalize might wait for ever.
static LOSSES: AtomicBool = AtomicBool::new(false);

fn open() -> MutexGuard<'static, Vec<Arc<Engine>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes sure that MPI is initialised. True: by the plugin.
pub fn begin() -> Result<bool, String> {
    static HOOKED: AtomicBool = AtomicBool::new(false);
    if calls::is_finalised() {
        return Err("MPI is finalized already, and cannot be used again".to_owned());
    }
    if !calls::is_initialised() {
        calls::initialise().map_err(|code| format!("MPI cannot be initialised: {}", calls::text(code)))?;
        OURS.store(std::process::id(), Ordering::Release);
        // SAFETY: the function lives as long as the process: the plugin is never unloaded.
        unsafe { atexit(at_exit) };
    }
    if !HOOKED.swap(true, Ordering::AcqRel) {
        calls::at_finalise(finalising).map_err(calls::text)?;
    }
    Ok(OURS.load(Ordering::Acquire) == std::process::id())
}

unsafe extern "C" {
    fn atexit(body: extern "C" fn()) -> c_int;
}

pub fn add(engine: &Arc<Engine>) {
    open().push(Arc::clone(engine));
}

/// MPI is not finalized at exit.
pub fn forgo_end() {
    LOSSES.store(true, Ordering::Release);
}

/// Closes a connection. True: MPI uses none of libdvm's memory any more.
pub fn close(engine: &Arc<Engine>, clean: bool) -> bool {
    let closed = match (clean, engine.may_call()) {
        (true, true) => engine.leave(CLOSING),
        (false, true) => {
            engine.abandon();
            true
        }
        // Another thread's MPI: this connection ends with it.
        (_, false) => !engine.works(),
    };
    if !clean || engine.has_losses() {
        forgo_end();
    }
    if closed {
        open().retain(|one| !Arc::ptr_eq(one, engine));
    }
    engine.is_at_rest()
}

/// Closes what is open, before MPI ends. The lock is not held meanwhile.
fn close_all() -> bool {
    let all = std::mem::take(&mut *open());
    let mut in_order = true;
    for engine in all {
        if !engine.leave(CLOSING) {
            engine.abandon();
            in_order = false;
        }
    }
    in_order
}

/// Called by MPI_Finalize, while MPI still works.
unsafe extern "C" fn finalising(_: ffi::MPI_Comm, _: c_int, _: *mut c_void, _: *mut c_void) -> c_int {
    close_all();
    0
}

/// Ends what the plugin has begun. Without MPI_Finalize the launcher says that this process has failed: so it is where
/// peers are missing, for which MPI_Finalize would wait.
extern "C" fn at_exit() {
    // Not in a copy of the process.
    if OURS.load(Ordering::Acquire) != std::process::id() || calls::is_finalised() {
        return;
    }
    if close_all() && !LOSSES.load(Ordering::Acquire) {
        calls::finalise();
    }
}
