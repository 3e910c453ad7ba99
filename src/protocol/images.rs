//! Processings of other processes: who has been told of which, how the code is found here, and which tasks wait to know.

use super::breach::Breach;
use super::process_set::ProcessSet;
use crate::id::{IdMap, ProcessId, ProcessingId};
use crate::wire::{Image, Processing};
use std::collections::hash_map::Entry;

/// Who has been told what a processing is: the first task of it to a process goes behind a `Processing` message.
#[derive(Debug, Default)]
pub struct Announcements {
    told: IdMap<ProcessingId, ProcessSet>,
}

impl Announcements {
    /// A task of it goes to this process; says whether the processing has to be told before.
    pub fn announce(&mut self, id: ProcessingId, to: ProcessId) -> bool {
        self.told.entry(id).or_default().insert(to)
    }

    /// It was unregistered at home: gives those to whom that is said.
    pub fn unregister(&mut self, id: ProcessingId) -> ProcessSet {
        self.told.remove(&id).unwrap_or_default()
    }

    /// A process is lost.
    pub fn lost(&mut self, process: ProcessId) {
        for told in self.told.values_mut() {
            told.remove(process);
        }
    }
}

/// How the code of a processing is found, the first that is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means<'a, A> {
    /// It is here, at this address.
    Here(A),
    /// The object's bytes from the process that registered it.
    Ship {
        /// Whom to ask.
        from: ProcessId,
        /// The object.
        build_id: &'a [u8],
        /// The distance from its beginning.
        offset: u64,
    },
    /// None: the task fails, with the names of both processes.
    Nothing,
}

/// How the code of this processing is found. `in_image` looks for an object with the same build-id and gives the address
/// at the offset; `of_symbol` looks a name up in the whole process; `may_ship` is `DVM_SHIP_CODE`.
pub fn means<'a, A>(
    processing: &Processing<'a>,
    in_image: impl FnOnce(Image<'a>) -> Option<A>,
    of_symbol: impl FnOnce(&'a str) -> Option<A>,
    may_ship: bool,
) -> Means<'a, A> {
    let symbol = Some(processing.symbol).filter(|symbol| !symbol.is_empty());
    if let Some(address) = processing.image.and_then(in_image).or_else(|| symbol.and_then(of_symbol)) {
        return Means::Here(address);
    }
    match processing.image {
        Some(own) if may_ship && !own.program => {
            Means::Ship { from: processing.id.home(), build_id: own.build_id, offset: own.offset }
        }
        _ => Means::Nothing,
    }
}

/// The processings of other processes that this one knows. `P` is what the code was found as, `T` a task that waits.
#[derive(Debug)]
pub struct KnownProcessings<P, T> {
    known: IdMap<ProcessingId, State<P, T>>,
}

#[derive(Debug)]
enum State<P, T> {
    Asked(Vec<T>),
    Known(P),
    Unregistered,
}

/// What becomes of a task whose processing is needed.
#[derive(Debug, PartialEq, Eq)]
pub enum Need<'a, P, T> {
    /// It can run.
    Run(&'a P, T),
    /// It waits; if it is the first to do so, `ProcessingAsk` goes to the processing's home.
    Wait {
        /// Whether it is the first.
        ask: bool,
    },
    /// There is no such processing any more.
    Unregistered(T),
}

impl<P, T> Default for KnownProcessings<P, T> {
    fn default() -> Self {
        KnownProcessings { known: IdMap::default() }
    }
}

impl<P, T> KnownProcessings<P, T> {
    /// A task of this processing has come.
    pub fn need(&mut self, id: ProcessingId, task: T) -> Need<'_, P, T> {
        match self.known.entry(id) {
            Entry::Vacant(entry) => {
                entry.insert(State::Asked(vec![task]));
                Need::Wait { ask: true }
            }
            Entry::Occupied(entry) => match entry.into_mut() {
                State::Asked(waiting) => {
                    waiting.push(task);
                    Need::Wait { ask: false }
                }
                State::Known(processing) => Need::Run(processing, task),
                State::Unregistered => Need::Unregistered(task),
            },
        }
    }

    /// What it is has been told: gives the tasks that waited. What is known already stays.
    pub fn learn(&mut self, id: ProcessingId, processing: P) -> Vec<T> {
        match self.known.entry(id) {
            Entry::Vacant(entry) => {
                entry.insert(State::Known(processing));
                Vec::new()
            }
            Entry::Occupied(mut entry) => match entry.get_mut() {
                State::Asked(waiting) => {
                    let waiting = std::mem::take(waiting);
                    entry.insert(State::Known(processing));
                    waiting
                }
                State::Known(_) | State::Unregistered => Vec::new(),
            },
        }
    }

    /// Home says that there is no such processing any more: gives the tasks that waited, which fail. Those that run or are
    /// queued with it go on.
    pub fn unregister(&mut self, from: ProcessId, id: ProcessingId) -> Result<Vec<T>, Breach> {
        if from != id.home() {
            return Err(Breach::new(from, "it unregisters another process's processing"));
        }
        match self.known.insert(id, State::Unregistered) {
            Some(State::Asked(waiting)) => Ok(waiting),
            _ => Ok(Vec::new()),
        }
    }

    /// A process is lost, which nobody can ask any more: gives the tasks that fail.
    pub fn lost(&mut self, process: ProcessId) -> Vec<T> {
        let mut failed = Vec::new();
        for (id, state) in &mut self.known {
            if id.home() == process
                && let State::Asked(waiting) = state
            {
                failed.append(waiting);
                *state = State::Unregistered;
            }
        }
        failed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: ProcessId = ProcessId::from_index(1);
    const OTHER: ProcessId = ProcessId::from_index(2);

    fn id(number: u64) -> ProcessingId {
        ProcessingId::from_raw([1, number])
    }

    #[test]
    fn a_processing_is_told_once_to_each() {
        let mut announcements = Announcements::default();
        assert!(announcements.announce(id(1), OTHER));
        assert!(!announcements.announce(id(1), OTHER));
        assert!(announcements.announce(id(2), OTHER));
        assert_eq!(announcements.unregister(id(2)).iter().collect::<Vec<_>>(), [OTHER]);
        announcements.lost(OTHER);
        assert!(announcements.unregister(id(1)).is_empty());
    }

    #[test]
    fn code_is_found_by_image_then_symbol_then_shipped() {
        let mut processing = Processing {
            id: id(1),
            arguments: 0,
            accesses: &[],
            cores: 1,
            array: false,
            context: 0,
            description: "",
            symbol: "work",
            image: Some(Image { build_id: &[7, 7], offset: 64, object: "libwork.so", program: false }),
        };
        let base = |image: Image<'_>| (image.build_id == [7, 7]).then_some(1000 + image.offset);
        let none = |_: Image<'_>| None;
        let work = |name: &str| (name == "work").then_some(5);
        assert_eq!(means(&processing, base, work, true), Means::Here(1064));
        assert_eq!(means(&processing, none, work, true), Means::Here(5));
        let ship = Means::Ship { from: HOME, build_id: &[7, 7], offset: 64 };
        assert_eq!(means(&processing, none, |_| None, true), ship);
        assert_eq!(means(&processing, none, |_| None, false), Means::Nothing);
        processing.image = processing.image.map(|image| Image { program: true, ..image });
        assert_eq!(means(&processing, none, |_| None, true), Means::Nothing, "no program can load another one");
        (processing.symbol, processing.image) = ("", None);
        let no_name = |name: &str| unreachable!("'{name}' is no symbol");
        assert_eq!(means(&processing, base, no_name, true), Means::Nothing);
    }

    #[test]
    fn tasks_wait_until_their_processing_is_known() {
        let mut known: KnownProcessings<&str, char> = KnownProcessings::default();
        assert_eq!(known.need(id(1), 'a'), Need::Wait { ask: true });
        assert_eq!(known.need(id(1), 'b'), Need::Wait { ask: false });
        assert_eq!(known.learn(id(1), "work"), ['a', 'b']);
        assert!(known.learn(id(1), "other").is_empty());
        assert_eq!(known.need(id(1), 'c'), Need::Run(&"work", 'c'));
        assert!(known.unregister(OTHER, id(1)).is_err());
        assert_eq!(known.unregister(HOME, id(1)), Ok(vec![]));
        assert_eq!(known.need(id(1), 'd'), Need::Unregistered('d'));
        assert_eq!(known.need(id(2), 'e'), Need::Wait { ask: true });
        assert!(known.lost(OTHER).is_empty());
        assert_eq!(known.lost(HOME), ['e']);
        assert_eq!(known.need(id(2), 'f'), Need::Unregistered('f'));
    }
}
