//! A ready task as queues hold it: one word.
//!
//! A task without arguments that its worker has made for itself needs no descriptor: the signature of its processing
//! stands for it, and signatures in use are never freed. Every other task is its descriptor.

use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use super::{OwnedTask, Task};
use crate::processing::Signature;
use crate::sync::deque::{Deque, Steal};

/// A ready task. The owner of the item owns the descriptor, if there is one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Item(u64);

/// The mark of a signature's address. Descriptors and signatures have even addresses.
const ARGUMENTLESS: u64 = 1;

/// The content of an item.
pub(crate) enum Ready {
    /// A task with a descriptor.
    Task(OwnedTask),
    /// A task without arguments.
    Argumentless(&'static Signature),
}

impl Item {
    /// The item of a task with a descriptor.
    #[inline]
    pub(crate) fn task(task: OwnedTask) -> Item {
        Item(task.into_raw().expose_provenance().get() as u64)
    }

    /// The item of a task of this processing, which has no arguments.
    #[inline]
    pub(crate) fn argumentless(signature: &'static Signature) -> Item {
        const { assert!(align_of::<Signature>() > 1 && align_of::<Task>() > 1) };
        Item(ptr::from_ref(signature).expose_provenance() as u64 | ARGUMENTLESS)
    }

    /// The content of the item.
    #[inline]
    pub(crate) fn open(self) -> Ready {
        if self.0 & ARGUMENTLESS == 0 {
            let task = ptr::with_exposed_provenance_mut::<Task>(self.0 as usize);
            // SAFETY: an unmarked word was made from a task, which has an address.
            Ready::Task(OwnedTask(unsafe { NonNull::new_unchecked(task) }))
        } else {
            // SAFETY: a marked word was made from a signature, which stays until its tasks have ended.
            Ready::Argumentless(unsafe { &*ptr::with_exposed_provenance((self.0 & !ARGUMENTLESS) as usize) })
        }
    }
}

impl Item {
    /// True for a task without arguments or descriptor.
    #[inline]
    pub(crate) fn is_argumentless(&self) -> bool {
        self.0 & ARGUMENTLESS != 0
    }

    /// The task, if the item has a descriptor.
    #[inline]
    pub(crate) fn into_task(self) -> Option<OwnedTask> {
        match self.open() {
            Ready::Task(task) => Some(task),
            Ready::Argumentless(_) => None,
        }
    }
}

/// A deque of items. Each item that was put in is taken out once.
pub(crate) struct ItemDeque(Deque);

impl ItemDeque {
    /// An empty deque.
    pub(crate) fn new() -> ItemDeque {
        ItemDeque(Deque::new())
    }

    /// The owner's end.
    ///
    /// # Safety
    /// Whenever the value is used, the calling thread owns the deque, and no other thread does.
    #[inline]
    pub(crate) unsafe fn worker_end(&self) -> WorkerEnd<'_> {
        WorkerEnd(&self.0, PhantomData)
    }

    /// Takes the oldest item. Any thread may call.
    pub(crate) fn steal(&self) -> Option<Item> {
        loop {
            match self.0.steal() {
                Steal::Item(word) => return Some(Item(word)),
                Steal::Retry => std::hint::spin_loop(),
                Steal::Empty => return None,
            }
        }
    }

    /// True if the deque seems to be empty.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The owner's end of a deque. It stays on the owner's thread.
#[derive(Clone, Copy)]
pub(crate) struct WorkerEnd<'a>(&'a Deque, PhantomData<*const ()>);

impl WorkerEnd<'_> {
    /// Adds an item; returns it if there is no memory for that.
    #[inline]
    pub(crate) fn push(self, item: Item) -> Result<(), Item> {
        if self.0.push(item.0) { Ok(()) } else { Err(item) }
    }

    /// Takes the newest item.
    #[inline]
    pub(crate) fn pop(self) -> Option<Item> {
        self.0.pop().map(Item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{POOL, TaskCache, UNPLACED};

    #[test]
    fn items_are_what_they_were_made_of() {
        let (mut cache, signature) = (TaskCache::new(), Signature::none());
        let task = POOL.take(&mut cache, signature, &[], UNPLACED).unwrap();
        let address = task.address();
        let Ready::Task(found) = Item::task(task).open() else { panic!("a task") };
        assert_eq!(found.address(), address);
        POOL.give(&mut cache, found);
        assert!(
            matches!(Item::argumentless(signature).open(), Ready::Argumentless(found) if ptr::eq(found, signature))
        );
    }
}
