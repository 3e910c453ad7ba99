//! The end of an engine in two steps.
//!
//! 1. Threads outside tasks can make nothing new: otherwise one that goes on scheduling would put the end off for ever. They
//!    may still publish, get and put, which tasks wait for maybe. Tasks go on as before, until all have ended.
//! 2. Nobody can make anything new, and threads outside tasks cannot even begin a call.
//!
//! With each step whoever ends the engine waits for the calls that have begun before it: until each context has been seen
//! outside once. Calls that begin later are refused, so that it does not matter how often.

use std::sync::atomic::{AtomicU8, Ordering};

use super::{Call, ThreadContext, context, not_running};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::fence;

const OPEN: u8 = 0;
const FOR_TASKS: u8 = 1;
const CLOSED: u8 = 2;

/// How far the end has come.
#[derive(Default)]
pub(super) struct Closing(AtomicU8);

impl Closing {
    /// True from the first step on.
    #[inline]
    pub(super) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed) != OPEN
    }

    /// True from the second step on.
    #[inline]
    pub(super) fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) == CLOSED
    }

    /// Takes the first step. Gives the contexts that are inside a call.
    pub(super) fn begin(&self, mine: &ThreadContext) -> Inside {
        self.step(FOR_TASKS, mine)
    }

    /// Takes the second one.
    pub(super) fn close(&self, mine: &ThreadContext) -> Inside {
        self.step(CLOSED, mine)
    }

    fn step(&self, step: u8, mine: &ThreadContext) -> Inside {
        self.0.store(step, Ordering::SeqCst);
        Inside::now(mine)
    }
}

/// Lanes other than one's own that have not been seen outside since something was stored that their later calls will see. They
/// are marked, so that there is one such value at a time: its owner holds the lock of the engine's life.
pub(super) struct Inside {
    any: bool,
}

impl Inside {
    /// Those that are inside now.
    pub(super) fn now(mine: &ThreadContext) -> Inside {
        fence::heavy();
        context::expect_others(mine);
        Inside { any: true }
    }

    /// True while there are some.
    pub(super) fn any(&mut self) -> bool {
        self.look(|context| context.active.load(Ordering::SeqCst))
    }

    /// True while there are some that may still make something new: those that sleep inside a call will not.
    pub(super) fn any_at_work(&mut self) -> bool {
        self.look(|context| context.active.load(Ordering::SeqCst) && !context.sleeps.load(Ordering::SeqCst))
    }

    fn look(&mut self, stays: impl Fn(&ThreadContext) -> bool) -> bool {
        self.any = self.any && context::any_expected(stays);
        self.any
    }
}

impl Call {
    /// Whether the caller may make something new although the end has begun: a task, or a tile.
    #[cold]
    #[inline(never)]
    pub(super) fn open_at_the_end(&self) -> Result<(), Error> {
        if self.engine().closing.is_closed() {
            return Err(not_running());
        }
        // Data that a thread of the program has freed could go on and on, each making the next.
        let outside = self.context.active.load(Ordering::Relaxed);
        if outside && (self.context.depth.get() == 0 || self.context.is_giving_back()) {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_NOT_INITIALIZED,
                "dvm_finalize has begun: threads outside tasks can make nothing new",
            ));
        }
        Ok(())
    }

    /// While the value lives, the calling thread sleeps until others have done something, and makes nothing new.
    pub(crate) fn sleeps(&self) -> impl Drop + use<> {
        struct Sleeps(&'static ThreadContext);
        impl Drop for Sleeps {
            fn drop(&mut self) {
                self.0.sleeps.store(false, Ordering::Release);
            }
        }
        self.context.sleeps.store(true, Ordering::Release);
        Sleeps(self.context)
    }
}
