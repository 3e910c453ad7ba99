//! What the program calls its data, for messages and explanations. A name costs data without one nothing: no datum knows
//! its own, and those of freed data go when the table has doubled.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, dvm_retcode_t};
use crate::id::{DatumId, IdMap};
use crate::memory;
use crate::sync::lock::{ForkLock, Mutex};

/// From this number of names the table is looked through before it grows.
const FEW: usize = 1 << 10;

struct Names {
    by_id: Option<IdMap<DatumId, String>>,
    /// The number of names from which the table is looked through.
    much: usize,
}

static NAMES: Mutex<Names> = Mutex::new(Names { by_id: None, much: FEW });

/// Whether a datum was ever named: programs that name none take no lock.
static ANY: AtomicBool = AtomicBool::new(false);

/// The lock of the names, for forks.
pub(crate) fn fork_lock() -> &'static dyn ForkLock {
    &NAMES
}

/// Names a datum of this process that exists, or takes its name away.
///
/// # Errors
/// No memory.
pub(crate) fn give(id: DatumId, name: Option<String>, exists: impl Fn(DatumId) -> bool) -> Result<(), Error> {
    if let Some(name) = name {
        return insert(id, name, exists);
    }
    if let Some(by_id) = &mut NAMES.lock().by_id {
        by_id.remove(&id);
    }
    Ok(())
}

/// A datum that carries another one on is called as that one. Without memory it has no name.
#[inline]
pub(crate) fn carry_on(current: DatumId, next: DatumId, exists: impl Fn(DatumId) -> bool) {
    if ANY.load(Ordering::Relaxed) {
        copy(current, next, exists);
    }
}

#[cold]
#[inline(never)]
fn copy(current: DatumId, next: DatumId, exists: impl Fn(DatumId) -> bool) {
    let name = NAMES.lock().of(current).map(memory::text);
    if let Some(Ok(name)) = name {
        let _ = insert(next, name, exists);
    }
}

/// A datum in messages: its id, and what the program calls it. May be called with a datum locked.
pub(crate) fn in_words(id: DatumId) -> String {
    let named = |name: &str| format!("datum {id} '{name}'");
    let words = if ANY.load(Ordering::Relaxed) { NAMES.lock().of(id).map(named) } else { None };
    words.unwrap_or_else(|| format!("datum {id}"))
}

/// Forgets all names, when no datum is left.
pub(crate) fn forget() {
    NAMES.lock().by_id = None;
}

impl Names {
    fn of(&self, id: DatumId) -> Option<&str> {
        self.by_id.as_ref()?.get(&id).map(String::as_str)
    }
}

/// The name on one line of a message; the text keeps its memory.
fn on_one_line(name: String) -> String {
    let mut bytes = name.into_bytes();
    for at in 0..bytes.len() {
        // The others have two bytes, U+0080 to U+009F.
        if bytes[at] == 0xc2 && bytes.get(at + 1).is_some_and(|next| *next < 0xa0) {
            bytes[at..at + 2].fill(b' ');
        } else if bytes[at].is_ascii_control() {
            bytes[at] = b' ';
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn insert(id: DatumId, name: String, exists: impl Fn(DatumId) -> bool) -> Result<(), Error> {
    if NAMES.lock().by_id.as_ref().is_some_and(|by_id| by_id.len() >= FEW) {
        forget_freed(exists)?;
    }
    let mut names = NAMES.lock();
    let by_id = names.by_id.get_or_insert_default();
    memory::strictly(|| by_id.try_reserve(1))
        .map_err(|_| Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "no memory for a name"))?;
    by_id.insert(id, on_one_line(name));
    ANY.store(true, Ordering::Relaxed);
    Ok(())
}

/// Forgets the names of freed data, if there are many names. Looks at the data without the lock: a thread that has locked
/// one may ask for a name. Ids are never given twice.
fn forget_freed(exists: impl Fn(DatumId) -> bool) -> Result<(), Error> {
    let ids: Vec<DatumId> = {
        let names = NAMES.lock();
        let Some(by_id) = names.by_id.as_ref().filter(|by_id| by_id.len() >= names.much) else { return Ok(()) };
        memory::list(by_id.keys().copied())?
    };
    let freed = memory::list(ids.iter().map(|id| !exists(*id)))?;
    let mut names = NAMES.lock();
    if let Some(by_id) = &mut names.by_id {
        for (id, _) in ids.iter().zip(freed).filter(|(_, freed)| *freed) {
            by_id.remove(id);
        }
        names.much = (2 * by_id.len()).max(FEW);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(id: DatumId, name: &str) {
        assert_eq!(in_words(id), format!("datum {id} '{name}'"));
    }

    #[test]
    fn freed_data_lose_their_names_and_successors_keep_them() {
        // No datum of the other tests has such an id.
        let id = |number: usize| DatumId::here(1 << 60 | number as u64);
        let (kept, next) = (id(0), id(1));
        let exists = |id| id == kept || id == next;
        give(kept, Some("kept".to_owned()), exists).unwrap();
        for k in 2..3 * FEW {
            give(id(k), Some(k.to_string()), exists).unwrap();
            words(id(k), &k.to_string());
        }
        let left = NAMES.lock().by_id.as_ref().unwrap().len();
        assert!(left <= FEW + 1, "{left} names are left");
        words(kept, "kept");
        carry_on(kept, next, exists);
        words(next, "kept");
        give(next, None, exists).unwrap();
        assert_eq!(in_words(next), format!("datum {next}"));
        assert_eq!(on_one_line("a\n\u{85}\u{9b}\u{a0}é\u{7f}b".to_owned()), "a     \u{a0}é b");
        words(kept, "kept");
    }
}
