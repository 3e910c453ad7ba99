//! A call into the running engine. The calling thread keeps the engine until the call returns.

use std::any::Any;
use std::sync::atomic::Ordering;

use super::ThreadContext;
use super::forked_child;
use super::shared::{ENGINE, Engine, KeptEngine};
use crate::error::{Error, dvm_retcode_t};
use crate::id::Rank;
use crate::machine::Machine;

/// The message of a panic.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without words")
}

/// A call into the running engine; it lasts as long as the value.
pub(crate) struct Call {
    pub(crate) context: &'static ThreadContext,
    pub(crate) engine: KeptEngine,
    pub(crate) outermost: bool,
}

/// The error of a call while no engine runs.
#[cold]
pub(crate) fn not_running() -> Error {
    if forked_child::is_orphan() {
        return forked_child::orphaned(dvm_retcode_t::DVM_ERR_NOT_INITIALIZED);
    }
    Error::new(dvm_retcode_t::DVM_ERR_NOT_INITIALIZED, "libdvm is not running: call dvm_init first")
}

/// Enters the running engine.
#[inline]
pub(crate) fn enter() -> Result<Call, Error> {
    let context = ThreadContext::of_caller()?;
    // Workers have entered for as long as they work, and callbacks of the program run inside a call.
    if let Some(engine) = context.engine.get() {
        return Ok(Call { context, engine, outermost: false });
    }
    let found = context.presence.enter(|| {
        // SAFETY: the thread entered before the engine was hidden, so the engine stays until the thread leaves.
        unsafe { KeptEngine::new(ENGINE.load(Ordering::Acquire)) }.filter(|engine| !engine.closing.is_closed())
    });
    let Some(engine) = found else {
        context.end_borrowing();
        return Err(not_running());
    };
    context.engine.set(Some(engine));
    Ok(Call { context, engine, outermost: true })
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        self.context.give_back();
        if self.outermost {
            self.context.engine.set(None);
            self.context.presence.leave();
            self.context.end_borrowing();
        }
    }
}

impl Call {
    #[inline]
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn machine(&self) -> &Machine {
        &self.engine().machine
    }

    /// The worker that the calling thread is.
    pub(crate) fn worker(&self) -> Option<usize> {
        self.context.worker()
    }

    /// Whether a worker, or a callback of libdvm, makes the call.
    pub(crate) fn inside_task(&self) -> bool {
        self.context.inside()
    }

    /// Runs a callback of the program on the calling thread. The callback may do what a task may do, and no more.
    pub(crate) fn as_task<R>(&self, callback: impl FnOnce() -> R) -> R {
        struct Back<'a>(&'a ThreadContext);
        impl Drop for Back<'_> {
            fn drop(&mut self) {
                self.0.depth.set(self.0.depth.get().saturating_sub(1)); // 0 already in a forked child
            }
        }
        self.context.depth.set(self.context.depth.get() + 1);
        let _back = Back(self.context);
        callback()
    }

    /// The worker with this rank.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each placed task")]
    pub(crate) fn worker_at(&self, rank: &Rank) -> Result<usize, Error> {
        self.machine().worker_of(rank).ok_or_else(|| no_such_rank(rank))
    }

    /// Refuses calls that make something new once the end has begun: first those of threads outside tasks, then all.
    #[inline]
    pub(crate) fn open(&self) -> Result<(), Error> {
        if self.engine().closing.has_begun() { self.open_at_the_end() } else { Ok(()) }
    }

    /// Refuses a caller that may make nothing new after the end has begun. Tasks and tiles may until the engine is
    /// closed.
    #[cold]
    #[inline(never)]
    fn open_at_the_end(&self) -> Result<(), Error> {
        if self.engine().closing.is_closed() {
            return Err(not_running());
        }
        // Free callbacks that run outside tasks are refused, too: each could make the datum whose free callback is the
        // next.
        let outside = self.context.presence.is_inside();
        if outside && (self.context.depth.get() == 0 || self.context.is_giving_back()) {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_NOT_INITIALIZED,
                "dvm_finalize has begun: threads outside tasks can make nothing new",
            ));
        }
        Ok(())
    }

    /// While the value exists, the calling thread sleeps until other threads have acted, and makes nothing new.
    pub(crate) fn sleeps(&self) -> impl Drop + use<> {
        self.context.presence.sleeps()
    }
}

#[cold]
#[inline(never)]
pub(crate) fn no_such_rank(rank: &Rank) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_RANK,
        format!("no processing unit has the rank {:?}: dvm_rank_at gives the ranks there are", rank.raw()),
    )
}
