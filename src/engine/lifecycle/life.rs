//! The life cycle of the one engine, and the lock under which it starts, is waited for, and ends.

use crate::engine::context::{ThreadContext, forked_child};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::lock::{Mutex, MutexGuard};
use crate::sync::thread::Thread;

/// The state that is needed to end the engine.
pub(crate) struct Life {
    pub(crate) threads: Vec<Thread>,
    /// True if no thread has called init: the engine then ends with the program.
    pub(crate) implicit: bool,
    /// True once [`end_at_exit`] is registered for the program's end.
    pub(crate) exit_watched: bool,
    /// The process that started the workers: a forked child has none.
    pub(crate) process: u32,
}

/// Held by a thread in init, wait or finalize.
pub(crate) static LIFE: Mutex<Life> =
    Mutex::new(Life { threads: Vec::new(), implicit: false, exit_watched: false, process: 0 });

/// The right to init, wait or finalize.
pub(crate) struct Alone(MutexGuard<'static, Life>);

impl std::ops::Deref for Alone {
    type Target = Life;
    fn deref(&self) -> &Life {
        &self.0
    }
}

impl std::ops::DerefMut for Alone {
    fn deref_mut(&mut self) -> &mut Life {
        &mut self.0
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        ThreadContext::current().end_borrowing();
    }
}

/// Ensures that the calling thread may init, wait or finalize, and that no other thread does.
pub(crate) fn alone() -> Result<Alone, Error> {
    let context = ThreadContext::of_caller()?;
    if context.inside() {
        return Err(Error::new(
            dvm_retcode_t::DVM_ERR_IN_TASK,
            "init, wait, serve and finalize are not allowed in a task or a free callback: schedule a task on what you \
             would wait for",
        ));
    }
    if forked_child::is_orphan() {
        return Err(forked_child::orphaned(dvm_retcode_t::DVM_ERR_NOT_INITIALIZED));
    }
    let life = LIFE.try_lock().map(Alone);
    if life.is_none() {
        context.end_borrowing();
    }
    life.ok_or_else(|| Error::state("another thread is in init, wait, serve or finalize: one thread at a time may be"))
}

/// Whether a thread starts or ends libdvm, or waits.
pub(crate) fn in_flux() -> bool {
    LIFE.try_lock().is_none()
}
