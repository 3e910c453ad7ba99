//! Memory for lists that grow with the problem can be refused: a vector of the standard library that cannot grow ends the process.
//!
//! Lists of locations, memories, classes, runs and copies are made by the functions below, and so is every list inside one of
//! those. What has an entry for each dimension, variable or bound stays with the standard library: it is small.

use crate::error::{Error, Result};
use std::cell::Cell;
use std::collections::{HashMap, TryReserveError};
use std::hash::{BuildHasher, Hash};

thread_local! {
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread is asking for memory that it can do without. An allocator that keeps a reserve for what cannot
/// be refused keeps it then.
pub fn asks() -> bool {
    ASKS.get()
}

#[cold]
#[inline(never)]
fn refused(_: TryReserveError) -> Error {
    Error::no_memory("plan")
}

fn ask(grow: impl FnOnce() -> std::result::Result<(), TryReserveError>) -> Result<()> {
    let before = ASKS.replace(true);
    let grown = grow();
    ASKS.set(before);
    grown.map_err(refused)
}

/// An empty list with room for so many items.
///
/// # Errors
/// [`Error::is_no_memory`].
pub fn list<T>(items: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    if items > 0 {
        ask(|| list.try_reserve_exact(items))?;
    }
    Ok(list)
}

/// A list of so many equal items. Errors as for [`list`].
pub fn filled<T: Copy>(item: T, items: usize) -> Result<Vec<T>> {
    let mut filled = list(items)?;
    filled.resize(items, item);
    Ok(filled)
}

/// So many empty lists. Errors as for [`list`].
pub fn lists<T>(items: usize) -> Result<Vec<Vec<T>>> {
    let mut lists = list(items)?;
    lists.resize_with(items, Vec::new);
    Ok(lists)
}

/// A list of the same items. Errors as for [`list`].
pub fn copied<T: Copy>(items: &[T]) -> Result<Vec<T>> {
    let mut copied = list(items.len())?;
    copied.extend_from_slice(items);
    Ok(copied)
}

/// A list of what there is. Errors as for [`list`].
pub fn collected<T>(items: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let items = items.into_iter();
    let (least, most) = items.size_hint();
    let mut collected = list(least)?;
    if most == Some(least) {
        collected.extend(items); // as many as there is room for
    } else {
        extend(&mut collected, items)?;
    }
    Ok(collected)
}

/// A list of what there is, or the first error. Errors as for [`list`].
pub fn tried<T>(items: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut items = items.into_iter();
    let mut tried = list(items.size_hint().0)?;
    items.try_for_each(|item| push(&mut tried, item?))?;
    Ok(tried)
}

/// One more item. Errors as for [`list`].
#[inline]
pub fn push<T>(list: &mut Vec<T>, item: T) -> Result<()> {
    if list.len() == list.capacity() {
        grow(list)?;
    }
    list.push(item);
    Ok(())
}

#[cold]
#[inline(never)]
fn grow<T>(list: &mut Vec<T>) -> Result<()> {
    ask(|| list.try_reserve(1))
}

/// More items. Errors as for [`list`].
#[inline]
pub fn extend<T>(list: &mut Vec<T>, items: impl IntoIterator<Item = T>) -> Result<()> {
    items.into_iter().try_for_each(|item| push(list, item))
}

/// Makes sure that so many more keys find room. Errors as for [`list`].
pub fn keys<K: Eq + Hash, V, S: BuildHasher>(map: &mut HashMap<K, V, S>, more: usize) -> Result<()> {
    if map.capacity() - map.len() >= more { Ok(()) } else { ask(|| map.try_reserve(more)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_can_be_is_refused() {
        assert!(list::<u64>(1 << 60).unwrap_err().is_no_memory() && filled(0_u8, 1 << 62).unwrap_err().is_no_memory());
        assert!(lists::<u8>(1 << 60).unwrap_err().is_no_memory());
        assert!(keys(&mut HashMap::<u8, u8>::new(), 1 << 62).unwrap_err().is_no_memory());
        assert!(tried([Ok(1), Err(Error::no_memory("here"))]).unwrap_err().place == "here");
        assert!(!asks());
    }

    #[test]
    fn lists_hold_what_was_put_in() {
        assert_eq!((filled(3, 2), collected((1..4).filter(|k| k % 2 == 1))), (Ok(vec![3, 3]), Ok(vec![1, 3])));
        assert_eq!(
            (copied(&[1, 2]), tried([Ok(1), Ok(2)]), lists::<u8>(1)),
            (Ok(vec![1, 2]), Ok(vec![1, 2]), Ok(vec![vec![]]))
        );
        let mut more = Vec::new();
        assert!(push(&mut more, 1).is_ok() && extend(&mut more, 2..9).is_ok() && more.len() == 8);
        let mut map = HashMap::new();
        assert!(keys(&mut map, 3).is_ok() && map.insert(1, 2).is_none());
    }
}
