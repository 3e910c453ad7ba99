//! Free items that threads keep to themselves and pass on in batches.
//!
//! What one thread uses up and another gives back travels through a depot, a batch at a time: a thread's own list is
//! its magazine, after Bonwick and Adams, "Magazines and Vmem" (USENIX 2001). A thread takes the lock of a depot once
//! per batch, and never asks the allocator for fresh memory under it: that comes page by page, and others are not to
//! wait for it. What the items are, and where new ones come from, is for the pool that uses this.

use std::vec::Drain;

use crate::error::Error;
use crate::memory;

use super::magazine_parts::Mutex;

/// The items that one thread keeps: up to two batches.
pub(crate) struct Magazine<T>(Vec<T>);

impl<T> Magazine<T> {
    /// Nothing kept, and no room yet.
    pub(crate) const fn new() -> Magazine<T> {
        Magazine(Vec::new())
    }

    /// The item that was given last.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<T> {
        self.0.pop()
    }

    /// The item that is taken when so many others were taken before it.
    #[inline]
    pub(crate) fn ahead(&self, others: usize) -> Option<&T> {
        self.0.len().checked_sub(others).map(|place| &self.0[place])
    }

    /// Keeps an item; what is too much goes to the depot, which has room for all of its items.
    #[inline]
    pub(crate) fn give(&mut self, item: T, batch: usize, depot: &Depot<T>) {
        if let Err(item) = self.keep(item, batch) {
            self.give_slowly(item, batch, depot);
        }
    }

    #[cold]
    #[inline(never)]
    fn give_slowly(&mut self, item: T, batch: usize, depot: &Depot<T>) {
        if let Err(item) = self.keep_first(item, batch) {
            depot.put(self.newest(batch), item);
        }
    }

    /// Keeps an item, unless there are two batches or there is no room.
    #[inline]
    pub(crate) fn keep(&mut self, item: T, batch: usize) -> Result<(), T> {
        if self.0.len() < self.0.capacity().min(2 * batch) {
            self.0.push(item);
            return Ok(());
        }
        Err(item)
    }

    /// Keeps the first item of a thread that has used none yet, and has no room, if there is memory for that.
    pub(crate) fn keep_first(&mut self, item: T, batch: usize) -> Result<(), T> {
        if self.0.is_empty() && self.make_room(batch).is_ok() {
            self.0.push(item);
            return Ok(());
        }
        Err(item)
    }

    /// Hands out the newest batch.
    pub(crate) fn newest(&mut self, batch: usize) -> Drain<'_, T> {
        let rest = self.0.len().saturating_sub(batch);
        self.0.drain(rest..)
    }

    /// Room for what is about to be taken out of a depot, or a refusal.
    pub(crate) fn make_room(&mut self, batch: usize) -> Result<(), Error> {
        memory::room_for(&mut self.0, 2 * batch)
    }

    /// Keeps new items, for which room was made: a batch at most.
    pub(crate) fn fill(&mut self, items: impl Iterator<Item = T>) {
        self.0.extend(items);
    }

    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Hands all items out; the memory of the list goes.
    #[cfg(test)]
    #[cfg_attr(loom, allow(dead_code, reason = "the model has a copy of its own"))]
    pub(crate) fn empty(&mut self) -> impl Iterator<Item = T> + use<T> {
        std::mem::take(&mut self.0).into_iter()
    }
}

/// The items that no thread keeps.
pub(crate) struct Depot<T>(pub(super) Mutex<Stock<T>>);

/// What is under the lock of a depot.
pub(super) struct Stock<T> {
    items: Vec<T>,
    /// For so many items there is room: all that may ever come back, so that to give back needs no memory.
    admitted: usize,
}

impl<T> Stock<T> {
    pub(super) const EMPTY: Stock<T> = Stock { items: Vec::new(), admitted: 0 };

    fn admit(&mut self, more: usize) -> Result<(), Error> {
        let missing = (self.admitted + more).saturating_sub(self.items.len());
        memory::room_for(&mut self.items, missing)?;
        self.admitted += more;
        Ok(())
    }

    fn supply(&mut self, magazine: &mut Magazine<T>, batch: usize) -> bool {
        let rest = self.items.len().saturating_sub(batch);
        magazine.0.extend(self.items.drain(rest..));
        !magazine.0.is_empty()
    }
}

impl<T> Depot<T> {
    /// Moves a batch, or what there is, to a magazine that is empty and has room; false when there is nothing.
    pub(crate) fn supply(&self, magazine: &mut Magazine<T>, batch: usize) -> bool {
        self.0.lock().supply(magazine, batch)
    }

    /// Makes room for so many further items, or refuses.
    pub(crate) fn admit(&self, more: usize) -> Result<(), Error> {
        self.0.lock().admit(more)
    }

    /// Takes so many new items in, or refuses, and moves the last ones to a magazine that is empty and has room.
    pub(crate) fn enlarge(
        &self,
        count: usize,
        items: impl Iterator<Item = T>,
        magazine: &mut Magazine<T>,
        batch: usize,
    ) -> Result<(), Error> {
        let mut stock = self.0.lock();
        stock.admit(count)?;
        stock.items.extend(items);
        stock.supply(magazine, batch);
        Ok(())
    }

    /// Takes items back, for which there is room.
    fn put(&self, items: Drain<'_, T>, item: T) {
        let mut stock = self.0.lock();
        stock.items.extend(items);
        stock.items.push(item);
    }

    /// Takes items in if there is memory for that; else they are the caller's still.
    pub(crate) fn try_put<'a>(&self, items: Drain<'a, T>, item: T) -> Result<(), (Drain<'a, T>, T)> {
        let mut stock = self.0.lock();
        if memory::room_for(&mut stock.items, items.len() + 1).is_err() {
            return Err((items, item));
        }
        stock.items.extend(items);
        stock.items.push(item);
        Ok(())
    }

    /// Hands all items out and forgets how many there were.
    pub(crate) fn empty(&self) -> impl ExactSizeIterator<Item = T> + use<T> {
        let stock = std::mem::replace(&mut *self.0.lock(), Stock::EMPTY);
        stock.items.into_iter()
    }

    /// The number of items.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.lock().items.len()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const BATCH: usize = 8;

    /// An item for a thread, from a pool of numbers.
    fn take(depot: &Depot<u32>, magazine: &mut Magazine<u32>, made: &mut u32) -> u32 {
        magazine.take().unwrap_or_else(|| {
            magazine.make_room(BATCH).unwrap();
            if !depot.supply(magazine, BATCH) {
                let new = *made..*made + 3 * BATCH as u32;
                *made = new.end;
                depot.enlarge(new.len(), new, magazine, BATCH).unwrap();
            }
            magazine.take().expect("just filled")
        })
    }

    /// One thread takes, another gives: each item is with one of them, and they go round.
    #[test]
    fn items_go_round_between_threads_and_none_is_lost() {
        let (depot, mut made) = (Depot::new(), 0);
        let (mut taker, mut giver) = (Magazine::new(), Magazine::new());
        for turn in 0..1000 {
            let count = 1 + turn * 7 % 50;
            let items: Vec<u32> = (0..count).map(|_| take(&depot, &mut taker, &mut made)).collect();
            assert_eq!(items.iter().collect::<HashSet<_>>().len(), count, "each is given once");
            for item in items {
                giver.give(item, BATCH, &depot);
            }
        }
        assert!(made <= 50 + 4 * 3 * BATCH as u32, "{made} items for 50 at a time");
        let rest: HashSet<u32> = taker.empty().chain(giver.empty()).chain(depot.empty()).collect();
        assert_eq!(rest, (0..made).collect(), "all are somewhere");
        assert_eq!(depot.len(), 0);
    }

    #[test]
    fn a_magazine_keeps_two_batches_and_hands_on_the_newest() {
        let (depot, mut magazine) = (Depot::new(), Magazine::new());
        depot.admit(100).unwrap();
        for item in 0..2 * BATCH as u32 {
            magazine.give(item, BATCH, &depot);
        }
        assert_eq!((depot.len(), magazine.ahead(1), magazine.ahead(2 * BATCH)), (0, Some(&15), Some(&0)));
        assert_eq!(magazine.keep(16, BATCH), Err(16));
        magazine.give(16, BATCH, &depot);
        assert_eq!(depot.len(), BATCH + 1);
        assert_eq!((magazine.take(), magazine.ahead(BATCH)), (Some(7), None));
    }
}
