//! Who waits for a datum: an intrusive list, so that waiting allocates nothing.
//!
//! A task waits for one datum at a time, with the link at its beginning. While the link is in a datum's list it belongs
//! to that list; it comes back to its task when the list is taken at publication. The data know tasks only as links.

use std::ptr;

use crate::sync::inbox::{Chain, Link};

/// The waiting links of one datum, in a ring: the last one points to the first.
pub(crate) struct Waiters {
    last: *mut Link,
}

// SAFETY: the list owns its links while they are in it.
unsafe impl Send for Waiters {}

impl Waiters {
    /// Nobody.
    pub(crate) const NONE: Waiters = Waiters { last: ptr::null_mut() };

    /// True when nobody waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_null()
    }

    /// Appends a link.
    ///
    /// # Safety
    /// The link is in no list, and stays valid until the list hands it out.
    #[inline]
    pub(super) unsafe fn append(&mut self, link: *mut Link) {
        // SAFETY: `link` by this function's contract; `last` is in this list, hence valid by the same contract.
        unsafe {
            if self.last.is_null() {
                (*link).set_next(link);
            } else {
                (*link).set_next((*self.last).next());
                (*self.last).set_next(link);
            }
        }
        self.last = link;
    }

    /// Takes the whole list, leaving nobody: a chain in the order in which they came.
    #[inline]
    pub(super) fn take_all(&mut self) -> Chain {
        let last = std::mem::replace(&mut self.last, ptr::null_mut());
        if last.is_null() {
            return Chain::EMPTY;
        }
        // SAFETY: the links of the list are valid, and belong to the chain from now on.
        unsafe {
            let first = (*last).next();
            (*last).set_next(ptr::null_mut());
            Chain::of(first)
        }
    }
}
