//! The end of an engine, in two steps.
//!
//! 1. Threads outside tasks can make nothing new: a thread that keeps scheduling would delay the end for ever. They may
//!    still publish, get and put, since tasks may wait for that. Tasks continue until all have ended.
//! 2. No thread can make anything new, and threads outside tasks cannot even begin a call.
//!
//! With each step, the thread that ends the engine waits for the calls that began before it, until each other thread
//! was seen outside once. Later calls are refused, however many there are.

use super::planted::planted;
use crate::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use crate::sync::fence;

const OPEN: u8 = 0;
const FOR_TASKS: u8 = 1;
const CLOSED: u8 = 2;

/// The step that the end has reached.
#[derive(Default)]
pub(crate) struct Closing(AtomicU8);

impl Closing {
    /// True from the first step on.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed) != OPEN
    }

    /// True from the second step on.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.0.load(Ordering::Acquire) == CLOSED
    }

    /// Takes the first step. Returns the other threads that are inside a call.
    pub(crate) fn begin<E: Fn(&mut dyn FnMut(&Presence))>(&self, others: E) -> Inside<E> {
        self.0.store(FOR_TASKS, Ordering::SeqCst);
        Inside::now(others)
    }

    /// Takes the second step. Returns the other threads that are inside a call.
    pub(crate) fn close<E: Fn(&mut dyn FnMut(&Presence))>(&self, others: E) -> Inside<E> {
        self.0.store(CLOSED, Ordering::SeqCst);
        Inside::now(others)
    }
}

/// Whether a thread is inside a call. Only the thread itself enters and leaves.
#[derive(Default)]
pub(crate) struct Presence {
    active: AtomicBool,
    /// True inside a call that sleeps and does nothing else.
    sleeps: AtomicBool,
    /// True while the end waits for the thread's current call.
    expected: AtomicBool,
}

impl Presence {
    /// Marks the thread as inside, and then looks for what it may enter; if there is nothing, the thread is outside
    /// again. What `look` returned stays until the thread leaves.
    #[inline]
    pub(crate) fn enter<T>(&self, look: impl FnOnce() -> Option<T>) -> Option<T> {
        self.active.store(true, Ordering::Relaxed);
        if !planted("enter_call_without_fence") {
            fence::light();
        }
        let found = look();
        if found.is_none() {
            self.leave();
        }
        found
    }

    /// Marks the thread as outside.
    #[inline]
    pub(crate) fn leave(&self) {
        let order = if planted("leave_call_relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.active.store(false, order);
    }

    /// Whether the thread is inside, for the thread itself.
    #[inline]
    pub(crate) fn is_inside(&self) -> bool {
        self.active.load(Ordering::Relaxed)
    }

    /// The same for another thread, whose call may begin or end at the same time.
    pub(crate) fn is_seen_inside(&self) -> bool {
        self.active.load(Ordering::SeqCst)
    }

    /// While the value exists, the thread sleeps inside its call until other threads have acted, and makes nothing new.
    pub(crate) fn sleeps(&self) -> impl Drop + '_ {
        struct Sleeps<'a>(&'a AtomicBool);
        impl Drop for Sleeps<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }
        self.sleeps.store(true, Ordering::Release);
        Sleeps(&self.sleeps)
    }
}

/// The other threads that were not seen outside since a store that their later calls will see. They are marked, so
/// there is one such value at a time: its owner holds the lock of the engine's life cycle. `E` shows the presence of
/// each other thread.
pub(crate) struct Inside<E> {
    any: bool,
    others: E,
}

impl<E: Fn(&mut dyn FnMut(&Presence))> Inside<E> {
    /// The threads that are inside now.
    pub(crate) fn now(others: E) -> Inside<E> {
        if !planted("close_without_fence") {
            fence::heavy();
        }
        others(&mut |presence| presence.expected.store(presence.is_seen_inside(), Ordering::Relaxed));
        Inside { any: true, others }
    }

    /// True while such threads are left.
    pub(crate) fn any(&mut self) -> bool {
        self.look(Presence::is_seen_inside)
    }

    /// True while threads are left that may still make something new: a thread that sleeps inside a call will not.
    pub(crate) fn any_at_work(&mut self) -> bool {
        self.look(|presence| presence.is_seen_inside() && !presence.sleeps.load(Ordering::SeqCst))
    }

    /// Removes the mark from threads for which `stays` is false; true if some are left.
    fn look(&mut self, stays: impl Fn(&Presence) -> bool) -> bool {
        let mut any = false;
        if self.any {
            (self.others)(&mut |presence| {
                if presence.expected.load(Ordering::Relaxed) {
                    let still = stays(presence);
                    any |= still;
                    presence.expected.store(still, Ordering::Relaxed);
                }
            });
        }
        self.any = any;
        any
    }
}
