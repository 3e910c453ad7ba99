//! The registry: ids of processings and what stands behind them.
//!
//! Looking a processing up takes no lock: each entry is read under its generation, which is odd while a processing is
//! registered there and checked again after reading (a sequence lock). Entries are never unmapped and a generation is
//! never used twice, so a stale id is always recognised. A task copies what it needs from the entry; what the copy
//! points to (descriptions, modes) is kept once per distinct content, for the life of the program. That is why queued
//! tasks survive `unregister` and why no task touches a counter that others touch.

use std::collections::HashSet;
use std::ffi::c_void;
use std::hash::Hash;
use std::mem::transmute;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering, fence};

use parking_lot::Mutex;

use super::ProcId;
use super::callee::{Callee, MAX_PLAIN_ARGUMENTS, PlainCalled, WithContextCalled};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::slab::Slab;

/// What a task does with an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// Reads it.
    In,
    /// Produces it.
    Out,
}

/// What a task needs to know of its processing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) callee: Callee,
    /// The number of arguments.
    pub(crate) count: usize,
    pub(crate) description: &'static String,
    /// One mode per argument; `None` when all are inputs.
    pub(crate) modes: Option<&'static [Mode]>,
}

impl Plan {
    /// The mode of an argument.
    #[inline]
    pub(crate) fn mode(&self, place: usize) -> Mode {
        self.modes.map_or(Mode::In, |modes| modes[place])
    }
}

/// One entry. The fields behind `generation` mean something while it is odd.
struct Entry {
    generation: AtomicU32,
    count: AtomicU32,
    function: AtomicPtr<()>,
    context: AtomicPtr<c_void>,
    with_context: AtomicBool,
    description: AtomicPtr<String>,
    modes: AtomicPtr<Vec<Mode>>,
    /// True once a task was scheduled with it.
    used: AtomicBool,
}

impl Entry {
    fn new() -> Entry {
        Entry {
            generation: AtomicU32::new(0),
            count: AtomicU32::new(0),
            function: AtomicPtr::new(ptr::null_mut()),
            context: AtomicPtr::new(ptr::null_mut()),
            with_context: AtomicBool::new(false),
            description: AtomicPtr::new(ptr::null_mut()),
            modes: AtomicPtr::new(ptr::null_mut()),
            used: AtomicBool::new(false),
        }
    }

    /// Reads the entry; `None` unless it is and stays of this generation.
    #[inline]
    fn read(&self, generation: u32) -> Option<Plan> {
        if self.generation.load(Ordering::Acquire) != generation {
            return None;
        }
        let count = self.count.load(Ordering::Relaxed);
        let function = self.function.load(Ordering::Relaxed);
        let context = self.context.load(Ordering::Relaxed);
        let with_context = self.with_context.load(Ordering::Relaxed);
        let description = self.description.load(Ordering::Relaxed);
        let modes = self.modes.load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        if self.generation.load(Ordering::Relaxed) != generation {
            return None;
        }
        // SAFETY: the generation did not change while reading, so `function` is what `write` took from a callee of
        // this kind, and the two others are NULL or leaked.
        unsafe {
            let callee = if with_context {
                Callee::WithContext(transmute::<*mut (), WithContextCalled>(function), context)
            } else {
                Callee::Plain(transmute::<*mut (), PlainCalled>(function))
            };
            let modes = modes.as_ref().map(Vec::as_slice);
            Some(Plan { callee, count: count as usize, description: description.as_ref()?, modes })
        }
    }

    /// Fills a free entry in and gives its new generation. The caller holds the registry's lock.
    fn write(&self, callee: Callee, count: usize, description: &'static String) -> u32 {
        let (function, context) = match callee {
            Callee::Plain(function) => (function as *mut (), ptr::null_mut()),
            Callee::WithContext(function, context) => (function as *mut (), context),
        };
        // A reader that sees any of the new fields also sees that the old generation has gone.
        fence(Ordering::Release);
        self.count.store(count as u32, Ordering::Relaxed);
        self.function.store(function, Ordering::Relaxed);
        self.context.store(context, Ordering::Relaxed);
        self.with_context.store(matches!(callee, Callee::WithContext(..)), Ordering::Relaxed);
        self.description.store(ptr::from_ref(description).cast_mut(), Ordering::Relaxed);
        self.modes.store(ptr::null_mut(), Ordering::Relaxed);
        self.used.store(false, Ordering::Relaxed);
        let generation = self.generation.load(Ordering::Relaxed) + 1;
        self.generation.store(generation, Ordering::Release);
        generation
    }
}

/// What only writers touch.
struct Writers {
    free: Vec<u32>,
    descriptions: Kept<String>,
    modes: Kept<Vec<Mode>>,
}

impl Writers {
    /// Ends the generation of an entry, and keeps the entry for the next.
    fn retire(&mut self, entry: &Entry, index: u32, generation: u32) {
        entry.generation.store(generation + 1, Ordering::Relaxed);
        // An entry whose generations are used up is never used again.
        if generation < u32::MAX - 2 {
            self.free.push(index);
        }
    }
}

/// Values of which one copy each is kept for the life of the program.
struct Kept<T: 'static>(Option<HashSet<&'static T>>);

impl<T: Hash + Eq> Kept<T> {
    fn keep(&mut self, value: T) -> &'static T {
        let kept = self.0.get_or_insert_default();
        if let Some(&same) = kept.get(&value) {
            return same;
        }
        let value: &'static T = Box::leak(Box::new(value));
        kept.insert(value);
        value
    }
}

/// All processings of this process.
pub(crate) struct Registry {
    entries: Slab<Entry>,
    writers: Mutex<Writers>,
}

/// The registry. It outlives the engine: ids are not given again after finalize and init.
pub(crate) static REGISTRY: Registry = Registry {
    entries: Slab::new(),
    writers: Mutex::new(Writers { free: Vec::new(), descriptions: Kept(None), modes: Kept(None) }),
};

/// The failure of a call that names a processing which is not there.
#[cold]
fn unknown(id: ProcId) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_PROCESSING,
        format!("processing {{{}, {}}} is unknown: it was never registered, or has been unregistered", id[0], id[1]),
    )
}

impl Registry {
    /// Registers a function of `count` arguments.
    pub(crate) fn register(&self, callee: Callee, count: usize, description: &str) -> Result<ProcId, Error> {
        if matches!(callee, Callee::Plain(_)) && count > MAX_PLAIN_ARGUMENTS {
            return Err(Error::argument(format!(
                "a plain callback has at most {MAX_PLAIN_ARGUMENTS} arguments, not {count}: use dvm_processing_register_v"
            )));
        }
        let mut writers = self.writers.lock();
        let index = writers.free.pop().or_else(|| self.entries.push(Entry::new())).ok_or_else(|| {
            Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "no memory for another processing: unregister some")
        })?;
        let description = writers.descriptions.keep(description.to_owned());
        let entry = self.entries.get(index).expect("a free index names an entry");
        Ok([0, u64::from(entry.write(callee, count, description)) << 32 | u64::from(index)])
    }

    /// The entry that an id names, whether or not it is still registered, and the id's generation.
    #[inline]
    fn entry(&self, id: ProcId) -> Result<(&Entry, u32), Error> {
        let generation = (id[1] >> 32) as u32;
        let entry = self.entries.get(id[1] as u32).filter(|_| id[0] == 0 && generation % 2 == 1);
        Ok((entry.ok_or_else(|| unknown(id))?, generation))
    }

    /// Looks a processing up.
    #[inline]
    pub(crate) fn plan(&self, id: ProcId) -> Result<Plan, Error> {
        let (entry, generation) = self.entry(id)?;
        entry.read(generation).ok_or_else(|| unknown(id))
    }

    /// A task was scheduled with a processing: from now on its modes are settled. One that has been unregistered
    /// meanwhile has none.
    #[inline]
    pub(crate) fn settle(&self, id: ProcId) {
        if let Ok((entry, generation)) = self.entry(id)
            && !entry.used.load(Ordering::Relaxed)
        {
            self.settle_modes(entry, generation);
        }
    }

    #[cold]
    fn settle_modes(&self, entry: &Entry, generation: u32) {
        let _writers = self.writers.lock();
        if entry.generation.load(Ordering::Relaxed) == generation {
            entry.used.store(true, Ordering::Relaxed);
        }
    }

    /// Sets the modes of a processing that no task was scheduled with yet.
    pub(crate) fn access(&self, id: ProcId, modes: &[Mode]) -> Result<(), Error> {
        let (entry, generation) = self.entry(id)?;
        let mut writers = self.writers.lock();
        let plan = entry.read(generation).ok_or_else(|| unknown(id))?;
        if entry.used.load(Ordering::Relaxed) {
            return Err(Error::state(format!(
                "tasks of processing '{}' were scheduled already: say what its arguments are before the first one",
                plan.description
            )));
        }
        if modes.len() != plan.count {
            return Err(Error::argument(format!("{} modes for {} arguments", modes.len(), plan.count)));
        }
        let kept = if modes.contains(&Mode::Out) {
            ptr::from_ref(writers.modes.keep(modes.to_vec())).cast_mut()
        } else {
            ptr::null_mut()
        };
        entry.modes.store(kept, Ordering::Release);
        Ok(())
    }

    /// Forgets a processing.
    pub(crate) fn unregister(&self, id: ProcId) -> Result<(), Error> {
        let (entry, generation) = self.entry(id)?;
        let mut writers = self.writers.lock();
        entry.read(generation).ok_or_else(|| unknown(id))?;
        writers.retire(entry, id[1] as u32, generation);
        Ok(())
    }

    /// Forgets all processings: for the end.
    pub(crate) fn clear(&self) {
        let mut writers = self.writers.lock();
        for index in 0..self.entries.len() {
            let entry = self.entries.get(index).expect("below the length");
            let generation = entry.generation.load(Ordering::Relaxed);
            if generation % 2 == 1 {
                writers.retire(entry, index, generation);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::c_int;

    extern "C" fn nothing() -> c_int {
        0
    }

    #[test]
    fn ids_are_never_given_twice_and_stale_ones_are_recognised() {
        let mut seen = HashSet::new();
        for _ in 0..1000 {
            let id = REGISTRY.register(Callee::plain(nothing), 2, "nothing").unwrap();
            assert!(seen.insert(id));
            assert_ne!(id, [0, 0]);
            assert_eq!(REGISTRY.plan(id).unwrap().description, "nothing");
            REGISTRY.unregister(id).unwrap();
            for refused in [REGISTRY.plan(id).map(|_| ()), REGISTRY.unregister(id), REGISTRY.access(id, &[])] {
                assert_eq!(refused.unwrap_err().code(), dvm_retcode_t::DVM_ERR_PROCESSING);
            }
        }
    }

    #[test]
    fn modes_are_settled_by_the_first_task() {
        let id = REGISTRY.register(Callee::plain(nothing), 2, "settled").unwrap();
        REGISTRY.access(id, &[Mode::In, Mode::Out]).unwrap();
        assert_eq!(REGISTRY.plan(id).unwrap().mode(1), Mode::Out);
        REGISTRY.settle(id);
        assert_eq!(REGISTRY.access(id, &[Mode::In, Mode::In]).unwrap_err().code(), dvm_retcode_t::DVM_ERR_STATE);
        REGISTRY.unregister(id).unwrap();
    }

    #[test]
    fn plain_callbacks_have_an_end() {
        let refused = REGISTRY.register(Callee::plain(nothing), MAX_PLAIN_ARGUMENTS + 1, "").unwrap_err();
        assert_eq!(refused.code(), dvm_retcode_t::DVM_ERR_ARGUMENT);
        let id = REGISTRY.register(Callee::plain(nothing), MAX_PLAIN_ARGUMENTS, "").unwrap();
        REGISTRY.unregister(id).unwrap();
    }
}
