//! The tasks that wait for a datum: an intrusive list, so that waiting allocates nothing.
//!
//! A task waits for one datum at a time, with the link at its beginning. While the link is in a datum's list, the link
//! belongs to that list: a ring, of which the slot has the last one, which points to the first. Only who has the datum's
//! lock follows or changes it. Publication takes the list and returns the link to its task. Data know tasks only as links.

use std::ptr;
use std::sync::atomic::Ordering;

use super::Locked;
use crate::sync::inbox::{Chain, Node, NodeRef};

impl Locked<'_> {
    /// The last waiting task.
    #[inline]
    fn last_in_line(&self) -> Option<NodeRef<'_>> {
        // SAFETY: the list owns its nodes, and nobody removes them while the lock is held.
        unsafe { NodeRef::of(self.0.last_waiter()) }
    }

    /// Appends a task to the waiters.
    #[inline]
    pub(in crate::data) fn add_waiter(&self, node: Node) {
        let link = node.address();
        match self.last_in_line() {
            None => node.set_next(link),
            Some(last) => {
                node.set_next(last.next());
                last.set_next(link);
            }
        }
        self.0.last_waiter.store(node.into_raw(), Ordering::Relaxed);
    }

    /// Takes all waiting tasks: a chain in the order of arrival.
    #[inline]
    pub(in crate::data) fn take_waiters(&self) -> Chain {
        let Some(last) = self.last_in_line() else { return Chain::EMPTY };
        self.0.last_waiter.store(ptr::null_mut(), Ordering::Relaxed);
        let first = last.next();
        last.set_next(ptr::null_mut());
        // SAFETY: the links of the list are valid, and belong to the chain from now on.
        unsafe { Chain::of(first) }
    }

    /// Visits each waiting task, in the order of arrival.
    pub(in crate::data) fn each_waiter(&self, mut visit: impl FnMut(NodeRef<'_>)) {
        let last = self.last_in_line();
        let mut before = last;
        while let Some(node) = before {
            // SAFETY: as for `last_in_line`.
            let next = unsafe { NodeRef::of(node.next()) };
            next.into_iter().for_each(&mut visit);
            before = next.filter(|_| next != last);
        }
    }
}
