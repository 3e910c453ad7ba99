//! Who waits for a datum: an intrusive list, so that waiting allocates nothing.
//!
//! A task owns one [`Wait`] per argument. While the node is in a datum's list it belongs to that list; it comes back
//! to its task when the list is taken at publication. The data know tasks only as [`Owner`]s.

use std::ptr;

/// A task as the data see it: an address that they compare and hand back, and never follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner(pub(crate) *mut ());

// SAFETY: an owner is only compared and handed back; who follows it is answerable for it.
unsafe impl Send for Owner {}

/// One task waiting for one datum.
pub(crate) struct Wait {
    next: *mut Wait,
    owner: Owner,
}

impl Wait {
    /// A node that waits for nothing.
    pub(crate) const IDLE: Wait = Wait { next: ptr::null_mut(), owner: Owner(ptr::null_mut()) };

    /// Prepares the node for the list of a datum.
    pub(crate) fn prepare(&mut self, owner: Owner) {
        *self = Wait { next: ptr::null_mut(), owner };
    }

    /// True between [`Wait::prepare`] and [`Wait::clear`].
    pub(crate) fn prepared(&self) -> bool {
        !self.owner.0.is_null()
    }

    /// Marks the node as waiting for nothing.
    pub(crate) fn clear(&mut self) {
        *self = Wait::IDLE;
    }
}

/// The nodes of one datum in the order in which they came.
pub(crate) struct Waiters {
    first: *mut Wait,
    last: *mut Wait,
}

// SAFETY: the list owns its nodes while they are in it.
unsafe impl Send for Waiters {}

impl Waiters {
    /// Nobody.
    pub(crate) const NONE: Waiters = Waiters { first: ptr::null_mut(), last: ptr::null_mut() };

    /// True when nobody waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_null()
    }

    /// Appends a node.
    ///
    /// # Safety
    /// The node is prepared, in no list, and stays valid until the list hands its owner out.
    pub(super) unsafe fn append(&mut self, node: *mut Wait) {
        if self.last.is_null() {
            self.first = node;
        } else {
            // SAFETY: `last` is in this list, hence valid by the contract under which it was appended.
            unsafe { (*self.last).next = node };
        }
        self.last = node;
    }

    /// Those who wait, in the order in which they came; the list stays as it is.
    pub(super) fn owners(&self) -> impl Iterator<Item = Owner> {
        // SAFETY: nodes are in this list, hence valid; the list does not change while it is borrowed.
        let node = |node: *mut Wait| unsafe { node.as_ref() };
        std::iter::successors(node(self.first), move |before| node(before.next)).map(|node| node.owner)
    }

    /// Takes the whole list, leaving nobody.
    pub(super) fn take_all(&mut self) -> Waiters {
        std::mem::replace(self, Waiters::NONE)
    }
}

impl Iterator for Waiters {
    type Item = Owner;

    /// Hands out the next owner; its node is no longer touched, so that the owner may vanish at once.
    fn next(&mut self) -> Option<Owner> {
        if self.first.is_null() {
            return None;
        }
        // SAFETY: the node is in this list, hence valid until its owner is handed out, which happens here.
        let (next, owner) = unsafe { ((*self.first).next, (*self.first).owner) };
        self.first = next;
        if next.is_null() {
            self.last = ptr::null_mut();
        }
        Some(owner)
    }
}
