//! A ready task as queues hold it: one word.
//!
//! A task without arguments that its worker has made for itself needs no descriptor: it is its processing's signature, which is
//! kept for ever. Every other task is its descriptor.

use std::ptr;

use super::Task;
use crate::processing::Signature;

/// A ready task. Whoever holds it owns the descriptor, if there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item(u64);

/// Descriptors and signatures lie on even addresses; a signature's is marked with this bit.
const BARE: u64 = 1;

/// What an item stands for.
pub(crate) enum Ready {
    /// A task with a descriptor.
    Task(*mut Task),
    /// A task without arguments.
    Argumentless(&'static Signature),
}

impl Item {
    /// The task of this descriptor.
    #[inline]
    pub(crate) fn task(task: *mut Task) -> Item {
        Item(task.expose_provenance() as u64)
    }

    /// A task of this processing, which has no arguments.
    #[inline]
    pub(crate) fn argumentless(signature: &'static Signature) -> Item {
        const { assert!(align_of::<Signature>() > 1 && align_of::<Task>() > 1) };
        Item(ptr::from_ref(signature).expose_provenance() as u64 | BARE)
    }

    /// What it stands for.
    #[inline]
    pub(crate) fn open(self) -> Ready {
        if self.0 & BARE == 0 {
            Ready::Task(ptr::with_exposed_provenance_mut(self.0 as usize))
        } else {
            // SAFETY: made from a signature that is never freed.
            Ready::Argumentless(unsafe { &*ptr::with_exposed_provenance((self.0 & !BARE) as usize) })
        }
    }

    /// The word.
    #[inline]
    pub(crate) fn word(self) -> u64 {
        self.0
    }

    /// The item that this word was taken from.
    #[inline]
    pub(crate) fn from_word(word: u64) -> Item {
        Item(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{POOL, TaskCache};

    #[test]
    fn items_are_what_they_were_made_of() {
        let mut cache = TaskCache::new();
        let task = POOL.take(&mut cache, 0).unwrap();
        assert!(matches!(Item::from_word(Item::task(task).word()).open(), Ready::Task(found) if found == task));
        // SAFETY: just taken, and in no list.
        unsafe { POOL.give(&mut cache, task, 0) };
        let signature = Signature::none();
        assert!(
            matches!(Item::from_word(Item::argumentless(signature).word()).open(), Ready::Argumentless(found) if ptr::eq(found, signature))
        );
    }
}
