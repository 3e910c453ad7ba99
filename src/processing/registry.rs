//! The registry: ids of processings and what stands behind them.
//!
//! Looking a processing up takes no lock: each entry is read under its generation, which is odd while a processing is
//! registered there and checked again after reading (a sequence lock). Entries are never unmapped and a generation is
//! never used twice, so a stale id is always recognised. What an entry points to (signature, description, modes) is kept once
//! per distinct content, until a moment without tasks and without other calls
//! (`engine::lifecycle::forgotten_processings`). That is why queued tasks survive `unregister` and why no task touches a
//! counter that others touch.

use std::collections::HashSet;
use std::hash::Hash;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering, fence};

use crate::sync::lock::Mutex;

use super::ProcessingId;
use super::access::{self, ArgumentAccess, Mode};
use super::callee::{Callee, MAX_PLAIN_ARGUMENTS, Registrant};
use crate::error::{Error, dvm_retcode_t};
use crate::memory;
use crate::sync::slab::Slab;

/// So many arguments have a bit in the masks of a [`Signature`].
const MARKED: usize = u64::BITS as usize;

/// The bits of the first `count` arguments.
fn first(count: usize) -> u64 {
    u64::MAX.checked_shr(MARKED.saturating_sub(count) as u32).unwrap_or(0)
}

/// What a task needs to know of its processing. Kept once per distinct content, for the life of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pub(crate) callee: Callee,
    /// The number of arguments of a task.
    pub(crate) count: usize,
    /// The number of workers that a task of it needs for itself, from 1.
    pub(crate) cores: u32,
    pub(crate) description: &'static String,
    /// Whether the description is the name by which the function was found.
    pub(super) named: bool,
    /// One bit for each of the first [`MARKED`] arguments: whether it is an output.
    outputs: u64,
    /// The same for inputs.
    inputs: u64,
    /// The place of the input, where there is just one; else [`NONE`].
    only_input: u32,
    /// One mode per argument; `None` when all are inputs.
    modes: Option<&'static Vec<Mode>>,
    /// What the program gives for the task's arguments, where that differs.
    pub(crate) given: Option<&'static Vec<ArgumentAccess>>,
}

/// No place.
const NONE: u32 = u32::MAX;

/// The place of the input, where there is just one of so many arguments.
fn only(inputs: u64, count: usize) -> u32 {
    if inputs.is_power_of_two() && count <= MARKED { inputs.trailing_zeros() } else { NONE }
}

impl Signature {
    /// The signature of a descriptor that was never used.
    pub(crate) fn none() -> &'static Signature {
        static NAME: String = String::new();
        static NONE: Signature = Signature::argumentless(Callee::idle(), &NAME);
        &NONE
    }

    /// The signature of a function without arguments.
    pub(crate) const fn argumentless(callee: Callee, description: &'static String) -> Signature {
        let (named, modes, given) = (false, None, None);
        Signature {
            callee,
            count: 0,
            cores: 1,
            description,
            named,
            outputs: 0,
            inputs: 0,
            only_input: NONE,
            modes,
            given,
        }
    }

    /// The number of arguments that the program gives, and that the function gets.
    #[inline]
    pub(crate) fn arguments(&self) -> usize {
        self.given.map_or(self.count, Vec::len)
    }

    /// What the program says of an argument.
    pub(super) fn access(&self, place: usize) -> ArgumentAccess {
        match (self.given, self.mode(place)) {
            (Some(given), _) => given[place],
            (None, Mode::In) => ArgumentAccess::In,
            (None, Mode::Out) => ArgumentAccess::Out,
        }
    }

    /// The mode of an argument of a task.
    #[inline]
    pub(crate) fn mode(&self, place: usize) -> Mode {
        if place < MARKED {
            return if self.outputs >> place & 1 == 0 { Mode::In } else { Mode::Out };
        }
        self.modes.map_or(Mode::In, |modes| modes[place])
    }

    /// True when some argument is an output.
    #[inline]
    pub(crate) fn produces(&self) -> bool {
        self.modes.is_some()
    }

    /// The places of the outputs, in order.
    #[inline]
    pub(crate) fn outputs(&self) -> Places<'_> {
        Places { signature: self, mode: Mode::Out, marked: self.outputs, rest: MARKED }
    }

    /// The places of the inputs, in order.
    #[inline]
    pub(crate) fn inputs(&self) -> Places<'_> {
        Places { signature: self, mode: Mode::In, marked: self.inputs, rest: MARKED }
    }
}

impl Signature {
    /// The place of the input, where there is just one.
    #[inline]
    pub(crate) fn only_input(&self) -> Option<usize> {
        (self.only_input != NONE).then_some(self.only_input as usize)
    }

    /// The place of the last input.
    #[inline]
    pub(crate) fn last_input(&self) -> Option<usize> {
        if self.count > MARKED {
            return self.inputs().last();
        }
        self.inputs.checked_ilog2().map(|place| place as usize)
    }
}

/// Places of the arguments of one mode.
pub(crate) struct Places<'a> {
    signature: &'a Signature,
    mode: Mode,
    /// Those that are left among the first [`MARKED`].
    marked: u64,
    /// From here on the others are looked at one by one.
    rest: usize,
}

impl Iterator for Places<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.marked != 0 {
            let place = self.marked.trailing_zeros() as usize;
            self.marked &= self.marked - 1;
            return Some(place);
        }
        if self.rest >= self.signature.count {
            return None;
        }
        let place = self.signature.next_of_many(self.mode, self.rest);
        self.rest = place.map_or(self.signature.count, |place| place + 1);
        place
    }
}

impl Signature {
    /// The first place from `rest` on of an argument with this mode. It takes no part of an iterator by reference, which
    /// therefore lies in registers.
    #[cold]
    #[inline(never)]
    fn next_of_many(&self, mode: Mode, rest: usize) -> Option<usize> {
        (rest..self.count).find(|&place| self.mode(place) == mode)
    }
}

/// A processing that was looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) signature: &'static Signature,
    /// True when no task was scheduled with it yet: the first one settles its modes.
    pub(crate) fresh: bool,
}

/// So many processings are forgotten before what they needed is freed: that takes a look at all that are registered.
const FORGOTTEN: usize = 1024;

/// The modes of a processing are settled.
const SETTLED: u32 = u32::MAX;

/// One entry. The fields behind `generation` mean something while it is odd.
struct Entry {
    generation: AtomicU32,
    /// [`SETTLED`] once a task was scheduled with it; before that, how many calls are about to do so.
    used: AtomicU32,
    signature: AtomicPtr<Signature>,
}

impl Entry {
    fn new() -> Entry {
        Entry { generation: AtomicU32::new(0), used: AtomicU32::new(0), signature: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Reads the entry; `None` unless it is and stays of this generation.
    #[inline]
    fn read(&self, generation: u32) -> Option<Found> {
        if self.generation.load(Ordering::Acquire) != generation {
            return None;
        }
        let fresh = self.used.load(Ordering::Relaxed) != SETTLED;
        let signature = self.signature.load(Ordering::Acquire);
        fence(Ordering::Acquire);
        if self.generation.load(Ordering::Relaxed) != generation {
            return None;
        }
        // SAFETY: NULL, or a signature that is kept for the life of the program and does not change.
        Some(Found { signature: unsafe { signature.as_ref() }?, fresh })
    }

    /// Fills a free entry in and gives its new generation. The caller holds the registry's lock.
    fn write(&self, signature: &'static Signature) -> u32 {
        // A reader that sees any of the new fields also sees that the old generation has gone.
        fence(Ordering::Release);
        self.signature.store(ptr::from_ref(signature).cast_mut(), Ordering::Release);
        self.used.store(0, Ordering::Relaxed);
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
    given: Kept<Vec<ArgumentAccess>>,
    signatures: Kept<Signature>,
    /// Processings that were forgotten, and signatures that were exchanged, since what they needed was last freed.
    forgotten: usize,
}

impl Writers {
    /// Ends the generation of an entry, and keeps the entry for the next.
    fn retire(&mut self, entry: &Entry, index: u32, generation: u32) {
        entry.generation.store(generation + 1, Ordering::Relaxed);
        self.forgotten += 1;
        // An entry whose generations are used up is never used again.
        if generation < u32::MAX - 2 {
            self.free.push(index);
        }
    }
}

/// Values of which one copy each is kept for the life of the program.
struct Kept<T: 'static>(Option<HashSet<&'static T>>);

impl<T: Hash + Eq> Kept<T> {
    fn keep(&mut self, value: T) -> Result<&'static T, Error> {
        let kept = self.0.get_or_insert_default();
        if let Some(&same) = kept.get(&value) {
            return Ok(same);
        }
        memory::strictly(|| kept.try_reserve(1))?;
        let value: &'static T = Box::leak(memory::boxed(value)?);
        kept.insert(value);
        Ok(value)
    }

    /// Frees all but these.
    ///
    /// # Safety
    /// Nobody uses another one of the values, or will.
    unsafe fn free_others(&mut self, used: &HashSet<*const T>) {
        for value in self.0.iter_mut().flat_map(|kept| kept.extract_if(|&value| !used.contains(&ptr::from_ref(value))))
        {
            // SAFETY: `keep` has leaked it from a box; it is in the set no more, and nobody uses it.
            drop(unsafe { Box::from_raw(ptr::from_ref(value).cast_mut()) });
        }
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
    writers: Mutex::new(Writers {
        free: Vec::new(),
        descriptions: Kept(None),
        modes: Kept(None),
        given: Kept(None),
        signatures: Kept(None),
        forgotten: 0,
    }),
};

/// The failure of a call that names a processing which is not there.
#[cold]
#[inline(never)]
fn unknown(id: ProcessingId) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_PROCESSING,
        format!("processing {id} is unknown: it was never registered, or has been unregistered"),
    )
}

/// The failure of a task whose arguments were taken for others than they are.
#[cold]
#[inline(never)]
fn changed(signature: &Signature) -> Error {
    Error::state(format!(
        "what processing '{}' does with its arguments was said anew while its first task was being scheduled",
        signature.description
    ))
}

/// The signature of a processing that no task was scheduled with yet. The caller holds the registry's lock.
fn unsettled(entry: &Entry, generation: u32, id: ProcessingId, what: &str) -> Result<&'static Signature, Error> {
    let Found { signature, fresh } = entry.read(generation).ok_or_else(|| unknown(id))?;
    if fresh && entry.used.load(Ordering::Relaxed) == 0 {
        return Ok(signature);
    }
    Err(Error::state(format!(
        "tasks of processing '{}' were scheduled already: say {what} before the first one",
        signature.description
    )))
}

impl Registry {
    /// Registers a function of `count` arguments. The description of one that was found by its name is the name.
    pub(crate) fn register(
        &self,
        function: impl Into<Registrant>,
        count: usize,
        description: &str,
    ) -> Result<ProcessingId, Error> {
        let Registrant { callee, named } = function.into();
        if matches!(callee, Callee::Plain(_)) && count > MAX_PLAIN_ARGUMENTS {
            return Err(Error::argument(format!(
                "a plain callback has at most {MAX_PLAIN_ARGUMENTS} arguments, not {count}: use dvm_processing_register_v"
            )));
        }
        let mut writers = self.writers.lock();
        // What is kept without an entry goes when something is freed next.
        writers.forgotten += 1;
        let description = writers.descriptions.keep(memory::text(description)?)?;
        let signature = writers.signatures.keep(Signature {
            count,
            named,
            inputs: first(count),
            only_input: only(first(count), count),
            ..Signature::argumentless(callee, description)
        })?;
        // Room for all entries that may ever come back, so that to unregister needs no memory.
        let missing = self.entries.len() as usize + 1 - writers.free.len();
        memory::room_for(&mut writers.free, missing)?;
        let index = writers.free.pop().or_else(|| self.entries.push(Entry::new())).ok_or_else(|| {
            Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "no memory for another processing: unregister some")
        })?;
        let entry = self.entries.get(index).expect("a free index names an entry");
        Ok(ProcessingId::here(u64::from(entry.write(signature)) << 32 | u64::from(index)))
    }

    /// The entry that an id names, whether or not it is still registered, and the id's generation.
    #[inline]
    fn entry(&self, id: ProcessingId) -> Result<(&Entry, u32), Error> {
        let generation = (id.number() >> 32) as u32;
        match self.entries.get(id.number() as u32) {
            Some(entry) if id.is_here() && generation % 2 == 1 => Ok((entry, generation)),
            _ => Err(unknown(id)),
        }
    }

    /// Looks a processing up.
    #[inline]
    pub(crate) fn find(&self, id: ProcessingId) -> Result<Found, Error> {
        let (entry, generation) = self.entry(id)?;
        match entry.read(generation) {
            Some(found) => Ok(found),
            None => Err(unknown(id)),
        }
    }

    /// The signature of a processing, if it is registered.
    pub(crate) fn signature(&self, id: ProcessingId) -> Option<&'static Signature> {
        self.find(id).ok().map(|found| found.signature)
    }

    /// Schedules what may be the first task of a processing, which had the signature `known` when it was looked up: from
    /// before `schedule` is called until it has succeeded or failed, nobody changes the modes, and afterwards nobody does if
    /// it has succeeded.
    ///
    /// # Errors
    /// Those of `schedule`; or the modes were changed since the look-up, so that the arguments may be wrong.
    #[cold]
    pub(crate) fn first<T>(
        &self,
        id: ProcessingId,
        known: &'static Signature,
        schedule: impl FnOnce(&'static Signature) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (entry, generation) = self.entry(id)?;
        let signature = {
            let _writers = self.writers.lock();
            let found = entry.read(generation).ok_or_else(|| unknown(id))?;
            if found.fresh {
                entry.used.fetch_add(1, Ordering::Relaxed);
            }
            found.signature
        };
        // Other arguments may have been made for the task than it has now.
        let differs = !ptr::eq(signature, known) && (signature.given.is_some() || known.given.is_some());
        let result = if differs { Err(changed(signature)) } else { schedule(signature) };
        let _writers = self.writers.lock();
        // One that has been unregistered meanwhile has no modes, and one that another call has settled stays so.
        let used = entry.used.load(Ordering::Relaxed);
        if entry.generation.load(Ordering::Relaxed) == generation && used != SETTLED {
            entry.used.store(if result.is_ok() { SETTLED } else { used.saturating_sub(1) }, Ordering::Relaxed);
        }
        result
    }

    /// Says what the arguments are of a processing that no task was scheduled with yet.
    pub(crate) fn access(&self, id: ProcessingId, accesses: &[ArgumentAccess]) -> Result<(), Error> {
        let (entry, generation) = self.entry(id)?;
        let mut writers = self.writers.lock();
        let signature = unsettled(entry, generation, id, "what its arguments are")?;
        if accesses.len() != signature.arguments() {
            return Err(Error::argument(format!("{} modes for {} arguments", accesses.len(), signature.arguments())));
        }
        let modes = access::modes(accesses)?;
        let count = modes.len();
        let modes = if modes.contains(&Mode::Out) { Some(writers.modes.keep(modes)?) } else { None };
        let given = if access::are_plain(accesses) {
            None
        } else {
            Some(writers.given.keep(memory::list(accesses.iter().copied())?)?)
        };
        let output = |place: usize| u64::from(modes.is_some_and(|modes| modes[place] == Mode::Out));
        let outputs = (0..count.min(MARKED)).fold(0, |outputs, place| outputs | output(place) << place);
        let inputs = !outputs & first(count);
        let signature = writers.signatures.keep(Signature {
            count,
            outputs,
            inputs,
            only_input: only(inputs, count),
            modes,
            given,
            ..*signature
        })?;
        writers.forgotten += 1;
        entry.signature.store(ptr::from_ref(signature).cast_mut(), Ordering::Release);
        Ok(())
    }

    /// Sets how many workers a task of the processing needs, before its first task.
    pub(crate) fn set_cores(&self, id: ProcessingId, cores: u32) -> Result<(), Error> {
        let (entry, generation) = self.entry(id)?;
        let mut writers = self.writers.lock();
        let signature = unsettled(entry, generation, id, "how many cores it needs")?;
        let signature = writers.signatures.keep(Signature { cores, ..*signature })?;
        writers.forgotten += 1;
        entry.signature.store(ptr::from_ref(signature).cast_mut(), Ordering::Release);
        Ok(())
    }

    /// Forgets a processing.
    pub(crate) fn unregister(&self, id: ProcessingId) -> Result<(), Error> {
        let (entry, generation) = self.entry(id)?;
        let mut writers = self.writers.lock();
        entry.read(generation).ok_or_else(|| unknown(id))?;
        writers.retire(entry, id.number() as u32, generation);
        Ok(())
    }

    /// True when so much is kept for processings that were forgotten that it is worth looking whether it can go.
    pub(crate) fn has_much_to_free(&self) -> bool {
        self.writers.lock().forgotten >= FORGOTTEN
    }

    /// Frees what no registered processing needs; called again when as much as that was forgotten since.
    ///
    /// # Safety
    /// No task exists of a processing that was forgotten before the call, and no thread has one that it has looked up before.
    pub(crate) unsafe fn free_forgotten(&self) {
        let mut writers = self.writers.lock();
        let (mut signatures, mut descriptions) = (HashSet::new(), HashSet::new());
        let (mut modes, mut given) = (HashSet::new(), HashSet::new());
        let most = self.entries.len() as usize - writers.free.len();
        let room = memory::strictly(|| {
            signatures
                .try_reserve(most)
                .and_then(|()| descriptions.try_reserve(most))
                .and_then(|()| modes.try_reserve(most))
                .and_then(|()| given.try_reserve(most))
        });
        if room.is_err() {
            return; // another time
        }
        for index in 0..self.entries.len() {
            let entry = self.entries.get(index).expect("below the length");
            let generation = entry.generation.load(Ordering::Relaxed);
            if let Some(Found { signature, .. }) = entry.read(generation).filter(|_| generation % 2 == 1) {
                signatures.insert(ptr::from_ref(signature));
                descriptions.insert(ptr::from_ref(signature.description));
                modes.extend(signature.modes.map(ptr::from_ref));
                given.extend(signature.given.map(ptr::from_ref));
            }
        }
        writers.forgotten = 0;
        // SAFETY: the processings that had the others were forgotten; the rest by this function's contract.
        unsafe {
            writers.signatures.free_others(&signatures);
            writers.descriptions.free_others(&descriptions);
            writers.modes.free_others(&modes);
            writers.given.free_others(&given);
        }
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
    use std::ffi::{c_int, c_void};

    extern "C" fn nothing() -> c_int {
        0
    }

    extern "C" fn nothing_with(_: *mut c_void, _: *mut [u64; 2], _: c_int) -> c_int {
        0
    }

    #[test]
    fn ids_are_never_given_twice_and_stale_ones_are_recognised() {
        let mut seen = HashSet::new();
        for _ in 0..1000 {
            let id = REGISTRY.register(Callee::plain(nothing), 2, "nothing").unwrap();
            assert!(seen.insert(id));
            assert_ne!(id.number(), 0);
            assert_eq!(REGISTRY.find(id).unwrap().signature.description, "nothing");
            REGISTRY.unregister(id).unwrap();
            for refused in [REGISTRY.find(id).map(|_| ()), REGISTRY.unregister(id), REGISTRY.access(id, &[])] {
                assert_eq!(refused.unwrap_err().code(), dvm_retcode_t::DVM_ERR_PROCESSING);
            }
        }
    }

    #[test]
    fn modes_are_settled_by_the_first_task() {
        let id = REGISTRY.register(Callee::plain(nothing), 2, "settled").unwrap();
        REGISTRY.access(id, &[ArgumentAccess::In, ArgumentAccess::Out]).unwrap();
        assert_eq!(REGISTRY.find(id).unwrap().signature.mode(1), Mode::Out);
        let known = || REGISTRY.find(id).unwrap().signature;
        let refused = REGISTRY.first(id, known(), |_| {
            let meanwhile = REGISTRY.access(id, &[ArgumentAccess::In, ArgumentAccess::In]).unwrap_err();
            assert_eq!(meanwhile.code(), dvm_retcode_t::DVM_ERR_STATE, "a task is being scheduled");
            Err::<(), _>(meanwhile)
        });
        assert!(refused.is_err());
        REGISTRY.access(id, &[ArgumentAccess::In, ArgumentAccess::Out]).expect("that task was not scheduled after all");
        let old = known();
        REGISTRY.access(id, &[ArgumentAccess::Read, ArgumentAccess::In]).unwrap();
        assert_eq!(REGISTRY.first(id, old, |_| Ok(())).unwrap_err().code(), dvm_retcode_t::DVM_ERR_STATE);
        REGISTRY.access(id, &[ArgumentAccess::In, ArgumentAccess::Out]).expect("that task was not scheduled either");
        assert_eq!(REGISTRY.first(id, known(), |signature| Ok(signature.mode(1))).unwrap(), Mode::Out);
        assert_eq!(
            REGISTRY.access(id, &[ArgumentAccess::In, ArgumentAccess::In]).unwrap_err().code(),
            dvm_retcode_t::DVM_ERR_STATE
        );
        REGISTRY.unregister(id).unwrap();
    }

    #[test]
    fn places_are_those_of_their_mode() {
        for count in [0, 1, 2, 3, 63, 64, 65, 127, 128, 200] {
            for every in [1, 2, 3, 64, 1000] {
                let output = |place: usize| place % every == every - 1;
                let modes: Vec<Mode> =
                    (0..count).map(|place| if output(place) { Mode::Out } else { Mode::In }).collect();
                let accesses: Vec<ArgumentAccess> = (0..count)
                    .map(|place| if output(place) { ArgumentAccess::Out } else { ArgumentAccess::In })
                    .collect();
                let callee = Callee::with_context(nothing_with, ptr::null_mut());
                let id = REGISTRY.register(callee, count, "places").unwrap();
                REGISTRY.access(id, &accesses).unwrap();
                let signature = REGISTRY.find(id).unwrap().signature;
                let expected = |mode: Mode| (0..count).filter(|&place| modes[place] == mode).collect::<Vec<_>>();
                assert_eq!(signature.outputs().collect::<Vec<_>>(), expected(Mode::Out), "{count} {every}");
                assert_eq!(signature.inputs().collect::<Vec<_>>(), expected(Mode::In), "{count} {every}");
                assert_eq!(signature.last_input(), expected(Mode::In).last().copied(), "{count} {every}");
                let only = |inputs: &[usize]| if let [only] = inputs { Some(*only) } else { None };
                assert_eq!(
                    signature.only_input(),
                    only(&expected(Mode::In)).filter(|_| count <= MARKED),
                    "{count} {every}"
                );
                assert!((0..count).all(|place| signature.mode(place) == modes[place]));
                REGISTRY.unregister(id).unwrap();
            }
        }
    }

    #[test]
    fn arguments_are_inputs_unless_it_was_said_otherwise() {
        for count in [0, 1, 63, 64, 65] {
            let callee = Callee::with_context(nothing_with, ptr::null_mut());
            let id = REGISTRY.register(callee, count, "inputs").unwrap();
            let signature = REGISTRY.find(id).unwrap().signature;
            assert!(signature.inputs().eq(0..count) && signature.outputs().next().is_none() && !signature.produces());
            assert_eq!(
                (signature.last_input(), signature.only_input()),
                (count.checked_sub(1), (count == 1).then_some(0))
            );
            REGISTRY.unregister(id).unwrap();
        }
    }

    #[test]
    fn plain_callbacks_have_an_end() {
        let refused = REGISTRY.register(Callee::plain(nothing), MAX_PLAIN_ARGUMENTS + 1, "").unwrap_err();
        assert_eq!(refused.code(), dvm_retcode_t::DVM_ERR_ARGUMENT);
        let id = REGISTRY.register(Callee::plain(nothing), MAX_PLAIN_ARGUMENTS, "").unwrap();
        REGISTRY.unregister(id).unwrap();
    }
}
