//! Numbers for what the program holds: generations tell a stale one from one that is in use.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::sync::lock::{Mutex, MutexGuard};

use crate::engine::forked;
use crate::error::{Error, dvm_retcode_t};
use crate::memory;

/// One entry: its generation, and what it holds while it is in use.
struct Entry<T> {
    generation: u32,
    held: Option<Arc<T>>,
}

struct Entries<T> {
    list: Vec<Entry<T>>,
    free: Vec<u32>,
}

/// What the program holds, by its handle of type `H`, a number. The number 0 is never given, and none is given twice.
pub(crate) struct Handles<T, H> {
    what: &'static str,
    entries: Mutex<Entries<T>>,
    /// Whether forks wait for the entries.
    watched: AtomicBool,
    handle: PhantomData<fn(H)>,
}

impl<T: Send + Sync, H: From<u64> + Into<u64>> Handles<T, H> {
    /// No entries yet; `what` is the word for one in messages.
    pub(crate) const fn new(what: &'static str) -> Self {
        let entries = Mutex::new(Entries { list: Vec::new(), free: Vec::new() });
        Self { what, entries, watched: AtomicBool::new(false), handle: PhantomData }
    }

    /// Gives a handle to something.
    pub(crate) fn insert(&'static self, held: T) -> Result<H, Error> {
        let mut entries = self.lock()?;
        let held = memory::lasting(|| Ok(Arc::new(held)))?;
        let index = if let Some(index) = entries.free.pop() {
            index
        } else {
            // Room for all numbers that may ever come back, so that to take one back needs no memory.
            let missing = entries.list.len() + 1 - entries.free.len();
            memory::room_for(&mut entries.free, missing)?;
            memory::room_for(&mut entries.list, 1)?;
            entries.list.push(Entry { generation: 0, held: None });
            entries.list.len() as u32 - 1
        };
        let entry = &mut entries.list[index as usize];
        entry.generation += 1;
        entry.held = Some(held);
        Ok(H::from(u64::from(entry.generation) << 32 | u64::from(index)))
    }

    /// In a forked child the lock may be held for ever.
    fn lock(&'static self) -> Result<MutexGuard<'static, Entries<T>>, Error> {
        if forked::is_orphan() {
            return Err(forked::orphaned(dvm_retcode_t::DVM_ERR_NOT_INITIALIZED));
        }
        if !self.watched.swap(true, Ordering::Relaxed) {
            forked::keep_whole(&self.entries);
        }
        Ok(self.entries.lock())
    }

    /// What has this handle.
    pub(crate) fn get(&'static self, handle: H) -> Result<Arc<T>, Error> {
        let mut entries = self.lock()?;
        self.entry(&mut entries, handle.into()).map(|held| Arc::clone(held))
    }

    /// Exchanges what has this handle for what `change` makes of it; on an error it stays.
    pub(crate) fn replace(&'static self, handle: H, change: impl FnOnce(&T) -> Result<T, Error>) -> Result<(), Error> {
        let mut entries = self.lock()?;
        let held = self.entry(&mut entries, handle.into())?;
        *held = memory::lasting(|| Ok(Arc::new(change(held)?)))?;
        Ok(())
    }

    /// Takes the handle back; whoever still uses what it named keeps it.
    pub(crate) fn remove(&'static self, handle: H) -> Result<Arc<T>, Error> {
        let handle = handle.into();
        let mut entries = self.lock()?;
        self.entry(&mut entries, handle)?;
        let index = handle as u32;
        let entry = &mut entries.list[index as usize];
        let held = entry.held.take();
        // An entry whose generations are used up is never used again.
        let again = entry.generation < u32::MAX;
        if again {
            entries.free.push(index);
        }
        held.ok_or_else(|| self.unknown(handle))
    }

    fn entry<'a>(&self, entries: &'a mut Entries<T>, handle: u64) -> Result<&'a mut Arc<T>, Error> {
        let entry = entries.list.get_mut(handle as u32 as usize);
        let held = entry.filter(|e| u64::from(e.generation) == handle >> 32).and_then(|e| e.held.as_mut());
        held.ok_or_else(|| self.unknown(handle))
    }

    #[cold]
    fn unknown(&self, handle: u64) -> Error {
        let what = self.what;
        Error::new(
            dvm_retcode_t::DVM_ERR_ID,
            format!("{what} {handle:#x} is unknown: this number was never given, or the {what} has been freed"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_never_given_twice_and_stale_ones_are_recognised() {
        let handles: &Handles<u32, u64> = Box::leak(Box::new(Handles::new("thing")));
        assert!(handles.get(0).is_err());
        let mut seen = std::collections::HashSet::new();
        let kept = handles.insert(7).unwrap();
        for k in 0..100 {
            let handle = handles.insert(k).unwrap();
            assert!(handle != 0 && seen.insert(handle));
            assert_eq!(*handles.get(handle).unwrap(), k);
            handles.replace(handle, |old| Ok(old + 1)).unwrap();
            assert!(handles.replace(handle, |_| Err(Error::argument("no"))).is_err());
            assert_eq!(*handles.remove(handle).unwrap(), k + 1);
            for stale in [handles.get(handle), handles.remove(handle)] {
                assert_eq!(stale.unwrap_err().code(), dvm_retcode_t::DVM_ERR_ID);
            }
        }
        assert_eq!(*handles.get(kept).unwrap(), 7);
        assert!(handles.get(kept + (1 << 32)).is_err());
        assert!(handles.get(u64::MAX).is_err());
    }
}
