//! The frame of the running task: its arguments, and the addresses that it has got.
//!
//! A task with few arguments is searched linearly. A task with many gets an index from the numbers of data to places,
//! built at its first lookup: n gets then take a few steps each, not n.

use std::collections::HashMap;
use std::ptr;

use crate::data::{DatumId, Reach};
use crate::error::Error;
use crate::memory;
use crate::processing::{Mode, Signature};
use crate::task::OwnedTask;

/// Tasks with up to this number of arguments are cheaper to run: arrays hold their ids and gets.
pub(crate) const FEW_ARGUMENTS: usize = 8;

/// Up to this number of entries are searched linearly.
const MAX_SEARCHED: usize = 16;

/// A table with more entries than this is freed with its task.
const MAX_KEPT_ENTRIES: usize = 1 << 12;

/// An address that a task has got.
pub(crate) struct HeldAddress {
    pub(crate) id: DatumId,
    pub(crate) addr: *mut u8,
    pub(crate) size: usize,
    /// Gets minus puts. The gets of an argument are added to earlier ones.
    pub(crate) count: u64,
    /// True if the store counts the get.
    pub(crate) counted: bool,
}

/// The task that a worker runs.
pub(crate) struct Frame {
    /// `None` between tasks, and while a task without descriptor runs.
    task: Option<OwnedTask>,
    /// The processing of a task without arguments or descriptor.
    argumentless: Option<&'static Signature>,
    /// Gets minus puts of the first arguments, as long as only the task can reach their bytes, or the task's references
    /// keep the bytes.
    arguments: [u32; FEW_ARGUMENTS],
    /// The same for the further arguments, once the task asks for one of them.
    further: Vec<u32>,
    /// The places of many arguments, once the task asks for one.
    index: Index,
    /// The other addresses that the task has got.
    pub(crate) held: Addresses,
    /// The ids of the arguments, where some are far data.
    ids: Vec<DatumId>,
}

impl Frame {
    /// No task.
    pub(crate) fn new() -> Frame {
        Frame {
            task: None,
            argumentless: None,
            arguments: [0; FEW_ARGUMENTS],
            further: Vec::new(),
            index: Index::new(),
            held: Addresses { few: Vec::new(), more: HashMap::new() },
            ids: Vec::new(),
        }
    }

    /// Begins a task.
    #[inline]
    pub(crate) fn begin(&mut self, task: OwnedTask) {
        self.task = Some(task);
    }

    /// Says which ids the function of the task that is about to begin gets.
    pub(crate) fn name_arguments(&mut self, ids: &[DatumId]) {
        self.ids.clear();
        self.ids.extend_from_slice(ids);
    }

    /// The local slot of a far datum that is an argument.
    pub(crate) fn slot_of(&self, id: DatumId) -> Option<DatumId> {
        let place = self.ids.iter().position(|named| *named == id)?;
        Some(DatumId::here(*self.task.as_ref()?.numbers().get(place)?))
    }

    /// Forgets the ids of the arguments.
    pub(crate) fn forget_names(&mut self) {
        self.ids.clear();
    }

    /// Begins a task without arguments or descriptor; returns the address that [`Frame::running`] gives for it.
    #[inline]
    pub(crate) fn begin_argumentless(&mut self, signature: &'static Signature) -> usize {
        self.argumentless = Some(signature);
        self.address()
    }

    /// Ends a task that was begun without a descriptor.
    #[inline]
    pub(crate) fn end_argumentless(&mut self) {
        self.argumentless = None;
    }

    /// The address that stands for the task without a descriptor; there is one such task at a time.
    #[inline]
    fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }

    /// True while a task runs.
    pub(crate) fn runs(&self) -> bool {
        self.task.is_some() || self.argumentless.is_some()
    }

    /// The address and the processing of the running task.
    pub(crate) fn running(&self) -> Option<(usize, &'static Signature)> {
        let with_descriptor = self.task.as_ref().map(|task| (task.address(), task.signature()));
        with_descriptor.or_else(|| Some((self.address(), self.argumentless?)))
    }

    /// If the running task has few arguments and the datum is one of them: the datum's role, and its gets minus puts.
    #[inline]
    pub(crate) fn few(&mut self, id: DatumId) -> Option<(Reach, &mut u32)> {
        let task = self.task.as_ref()?;
        let (signature, numbers) = (task.signature(), task.numbers());
        if numbers.len() > FEW_ARGUMENTS {
            return None;
        }
        let place = numbers.iter().position(|&number| number == id.number() && id.is_here())?;
        let reach = if signature.mode(place) == Mode::Out { Reach::Output } else { Reach::Input };
        Some((reach, self.arguments.get_mut(place)?))
    }

    /// True if the running task has more arguments than [`Frame::few`] searches.
    #[inline]
    pub(crate) fn has_many(&self) -> bool {
        self.task.as_ref().is_some_and(|task| task.signature().count > FEW_ARGUMENTS)
    }

    /// The place of a datum among the running task's arguments, and the role of the datum.
    #[inline]
    pub(crate) fn place(&mut self, id: DatumId) -> Option<(usize, Reach)> {
        let task = self.task.as_ref()?;
        let (signature, numbers) = (task.signature(), task.numbers());
        let place = if numbers.len() <= MAX_SEARCHED {
            numbers.iter().position(|&number| number == id.number() && id.is_here())?
        } else {
            self.index.place_among(numbers, id)?
        };
        Some((place, if signature.mode(place) == Mode::Out { Reach::Output } else { Reach::Input }))
    }

    /// Gets minus puts of the argument at a place; `None` if there is no memory to count them.
    pub(crate) fn count(&mut self, place: usize) -> Option<&mut u32> {
        if place < FEW_ARGUMENTS { self.arguments.get_mut(place) } else { self.further_count(place - FEW_ARGUMENTS) }
    }

    #[cold]
    #[inline(never)]
    fn further_count(&mut self, place: usize) -> Option<&mut u32> {
        if self.further.len() <= place {
            let count = self.task.as_ref()?.numbers().len().checked_sub(FEW_ARGUMENTS)?;
            memory::strictly(|| self.further.try_reserve_exact(count)).ok()?;
            self.further.resize(count, 0);
        }
        self.further.get_mut(place)
    }

    /// Forgets the task's arguments, and returns the task.
    #[inline]
    pub(crate) fn end(&mut self) -> Option<OwnedTask> {
        self.arguments = [0; FEW_ARGUMENTS];
        if !self.further.is_empty() || self.index.is_made() {
            self.end_many();
        }
        self.task.take()
    }

    #[cold]
    #[inline(never)]
    fn end_many(&mut self) {
        self.further.clear();
        self.further.shrink_to(MAX_KEPT_ENTRIES);
        self.index.clear();
    }
}

/// Addresses of data, by id.
pub(crate) struct Addresses {
    few: Vec<HeldAddress>,
    /// Addresses that do not fit into `few`.
    more: HashMap<DatumId, HeldAddress>,
}

impl Addresses {
    /// True if there are no addresses.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.few.is_empty()
    }

    /// The address of a datum.
    pub(crate) fn find(&mut self, id: DatumId) -> Option<&mut HeldAddress> {
        match self.few.iter().position(|held| held.id == id) {
            Some(place) => self.few.get_mut(place),
            None if self.more.is_empty() => None,
            None => self.more.get_mut(&id),
        }
    }

    /// Makes room for one more address, or refuses.
    #[inline]
    pub(crate) fn make_room(&mut self) -> Result<(), Error> {
        if self.few.len() < self.few.capacity().min(MAX_SEARCHED) { Ok(()) } else { self.make_more_room() }
    }

    #[cold]
    #[inline(never)]
    fn make_more_room(&mut self) -> Result<(), Error> {
        if self.few.len() < MAX_SEARCHED {
            return memory::room_for(&mut self.few, 1);
        }
        memory::strictly(|| self.more.try_reserve(1)).map_err(Error::from)
    }

    /// Adds the address of a datum that has none yet.
    #[inline]
    pub(crate) fn add(&mut self, held: HeldAddress) {
        if self.few.len() < MAX_SEARCHED {
            self.few.push(held);
        } else {
            self.add_to_many(held);
        }
    }

    #[cold]
    #[inline(never)]
    fn add_to_many(&mut self, held: HeldAddress) {
        self.more.insert(held.id, held);
    }

    /// Ends one get of a datum. `None` if the datum has no get; else whether this was the last get of a counted
    /// address.
    #[inline]
    pub(crate) fn put(&mut self, id: DatumId) -> Option<bool> {
        match self.few.last_mut() {
            // Mostly there is one address, or the last one that was got is put first.
            Some(last) if last.id == id => {
                last.count -= 1;
                if last.count > 0 {
                    return Some(false);
                }
                let counted = last.counted;
                self.few.pop();
                if self.few.is_empty() && !self.more.is_empty() {
                    self.refill();
                }
                Some(counted)
            }
            _ => self.put_earlier(id),
        }
    }

    #[inline(never)]
    fn put_earlier(&mut self, id: DatumId) -> Option<bool> {
        let Some(place) = self.few.iter().position(|held| held.id == id) else { return self.put_further(id) };
        let held = &mut self.few[place];
        held.count -= 1;
        if held.count > 0 {
            return Some(false);
        }
        // The last address stays, so that `few` is not empty.
        Some(self.few.swap_remove(place).counted)
    }

    #[cold]
    #[inline(never)]
    fn put_further(&mut self, id: DatumId) -> Option<bool> {
        if self.more.is_empty() {
            return None;
        }
        let held = self.more.get_mut(&id)?;
        held.count -= 1;
        let (last, counted) = (held.count == 0, held.counted);
        if last {
            self.more.remove(&id);
        }
        Some(last && counted)
    }

    /// Takes one address out; `None` if there are none.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<HeldAddress> {
        let held = self.few.pop()?;
        if self.few.is_empty() && !self.more.is_empty() {
            self.refill();
        }
        Some(held)
    }

    /// An empty `few` means that there are no addresses.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        let Some(&id) = self.more.keys().next() else { return };
        self.few.extend(self.more.remove(&id));
    }
}

/// From numbers to their first places: a hash table with open addressing, at most half full.
pub(crate) struct Index {
    /// A place plus 1, or 0 for a free entry. The length is a power of two, or 0.
    table: Vec<u32>,
}

impl Index {
    /// An index without a table.
    pub(crate) const fn new() -> Index {
        Index { table: Vec::new() }
    }

    /// True if the index has a table.
    #[inline]
    pub(crate) fn is_made(&self) -> bool {
        !self.table.is_empty()
    }

    /// Builds the index of the numbers at these places; false if there is no memory for the table.
    pub(crate) fn make(&mut self, numbers: &[u64], places: impl Iterator<Item = usize>) -> bool {
        self.table.clear();
        let size = (2 * numbers.len()).next_power_of_two();
        if memory::strictly(|| self.table.try_reserve_exact(size)).is_err() {
            return false;
        }
        self.table.resize(size, 0);
        for place in places {
            let slot = self.slot(numbers, numbers[place]);
            if self.table[slot] == 0 {
                self.table[slot] = place as u32 + 1;
            }
        }
        true
    }

    /// The first place of a number.
    #[inline]
    pub(crate) fn find(&self, numbers: &[u64], number: u64) -> Option<usize> {
        (self.table[self.slot(numbers, number)] as usize).checked_sub(1)
    }

    /// The place of a datum among the numbers that the index covers; builds the index first if there is none.
    #[cold]
    #[inline(never)]
    fn place_among(&mut self, numbers: &[u64], id: DatumId) -> Option<usize> {
        if !id.is_here() {
            None
        } else if self.is_made() || self.make(numbers, 0..numbers.len()) {
            self.find(numbers, id.number())
        } else {
            numbers.iter().position(|&number| number == id.number())
        }
    }

    /// The table entry that holds the number, or would hold it.
    #[inline]
    fn slot(&self, numbers: &[u64], number: u64) -> usize {
        let mask = self.table.len() - 1;
        let mixed = (number ^ (number >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut slot = (mixed >> 32) as usize & mask;
        while let Some(place) = (self.table[slot] as usize).checked_sub(1)
            && numbers[place] != number
        {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Clears the index, and frees a large table.
    pub(crate) fn clear(&mut self) {
        self.table.clear();
        self.table.shrink_to(MAX_KEPT_ENTRIES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_finds_the_first_place_of_each_number() {
        let mut index = Index::new();
        for count in [1_u64, 2, 17, 1000, 70_000] {
            // Numbers as ids have them, a generation and an index: some of them occur twice, and some are far apart.
            let numbers: Vec<u64> = (0..count).map(|place| (place % 7 + 1) << 32 | (place * place % count)).collect();
            assert!(index.make(&numbers, 0..numbers.len()));
            for &number in numbers.iter().step_by(1 + numbers.len() / 1000) {
                assert_eq!(index.find(&numbers, number), numbers.iter().position(|&other| other == number));
            }
            assert_eq!(index.find(&numbers, 9 << 32), None);
            assert!(index.make(&numbers, 1..numbers.len()));
            assert_eq!(
                index.find(&numbers, numbers[0]),
                numbers[1..].iter().position(|&other| other == numbers[0]).map(|place| place + 1)
            );
        }
        index.clear();
        assert!(!index.is_made() && index.table.capacity() <= MAX_KEPT_ENTRIES);
    }

    #[test]
    fn addresses_are_found_added_and_removed_in_any_number() {
        let mut addresses = Addresses { few: Vec::new(), more: HashMap::new() };
        let held = |number| HeldAddress {
            id: DatumId::here(number),
            addr: ptr::null_mut(),
            size: 0,
            count: 1,
            counted: false,
        };
        for number in 0..100 {
            assert!(addresses.make_room().is_ok() && addresses.find(DatumId::here(number)).is_none());
            addresses.add(held(number));
        }
        for number in 0..99 {
            assert!(
                addresses.find(DatumId::here(number)).is_some() && addresses.put(DatumId::here(number)) == Some(false)
            );
            assert!(addresses.put(DatumId::here(number)).is_none() && !addresses.is_empty());
        }
        addresses.add(held(100));
        let mut left: Vec<_> = std::iter::from_fn(|| addresses.pop().map(|held| held.id)).collect();
        left.sort_unstable();
        assert_eq!(left, [99, 100].map(DatumId::here));
        assert!(addresses.is_empty());
    }
}
