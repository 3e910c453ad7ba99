//! The tasks that wait for a datum: an intrusive list, so that waiting allocates nothing.
//!
//! A task waits for one datum at a time, with the link at its beginning. While the link is in a datum's list, the link
//! belongs to that list. Publication takes the list and returns the link to its task. Data know tasks only as links.

use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::sync::inbox::{Chain, Link, Node, NodeRef};

/// The waiting links of one datum, in a ring: the last one points to the first. Changed under the datum's lock.
pub(super) struct Waiters {
    last: AtomicPtr<Link>,
}

impl Waiters {
    /// No waiters.
    pub(super) const fn none() -> Waiters {
        Waiters { last: AtomicPtr::new(ptr::null_mut()) }
    }

    /// The last link of the list. Without the lock the answer is a guess.
    #[inline]
    pub(super) fn last(&self) -> *mut Link {
        self.last.load(Ordering::Relaxed)
    }

    /// Appends a node.
    ///
    /// # Safety
    /// The datum's lock is held.
    #[inline]
    pub(super) unsafe fn append(&self, node: Node) {
        let link = node.address();
        // SAFETY: the list owns its nodes, and nobody removes them while the lock is held.
        match unsafe { self.last().as_ref() } {
            None => node.set_next(link),
            Some(last) => {
                node.set_next(last.next());
                last.set_next(link);
            }
        }
        self.last.store(node.into_raw(), Ordering::Relaxed);
    }

    /// Takes the whole list and leaves an empty one: a chain in the order of arrival.
    ///
    /// # Safety
    /// The datum's lock is held.
    #[inline]
    pub(super) unsafe fn take_all(&self) -> Chain {
        let last = self.last();
        if last.is_null() {
            return Chain::EMPTY;
        }
        self.last.store(ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: the links of the list are valid, and belong to the chain from now on.
        unsafe {
            let first = (*last).next();
            (*last).set_next(ptr::null_mut());
            Chain::of(first)
        }
    }

    /// Visits each node, in the order of arrival.
    ///
    /// # Safety
    /// The datum's lock is held.
    pub(super) unsafe fn each(&self, mut visit: impl FnMut(NodeRef<'_>)) {
        let last = self.last();
        let mut link = last;
        // SAFETY: the list owns its nodes, and nobody removes them while the lock is held.
        while let Some(before) = unsafe { link.as_ref() } {
            link = before.next();
            // SAFETY: as above.
            unsafe { NodeRef::of(link) }.into_iter().for_each(&mut visit);
            if link == last {
                return;
            }
        }
    }
}
