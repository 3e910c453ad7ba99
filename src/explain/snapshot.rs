//! Reads the running engine.
//!
//! Each datum is read under its own lock, one after the other, so a snapshot is not one moment: while tasks still end,
//! parts may be out of date, and the text says so. In a deadlock, where it matters, it is exact.

use std::collections::HashMap;

use crate::data::{DatumId, Publisher, STORE};
use crate::engine::Call;
use crate::engine::view::{EngineView, Whereabouts};
use crate::memory;
use crate::processing::Mode;
use crate::task::{TaskRef, TaskView};

/// Number of tasks per awaited datum whose arguments are described; the others are only named and counted.
const DESCRIBED: usize = 16;

/// The input of an explanation.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// Unpublished promises, in the order of their ids' indices.
    pub(super) data: Vec<Datum>,
    /// Tasks that wait for them, including publishers that wait themselves.
    pub(super) tasks: Vec<TaskNode>,
    /// Tasks that are to publish an awaited promise and do not wait themselves.
    pub(super) busy: Vec<Busy>,
    pub(super) engine: EngineView,
    /// Whether tasks began or ended during the reading.
    pub(super) moved: bool,
    /// Whether parts are missing for lack of memory.
    pub(super) short: bool,
}

/// An unpublished promise.
#[derive(Clone, Debug)]
pub(super) struct Datum {
    pub(super) id: DatumId,
    pub(super) size: usize,
    pub(super) predecessor: Option<DatumId>,
    pub(super) source: PromiseSource,
    pub(super) sleepers: u32,
    /// The tasks that wait for it, as indices into [`Snapshot::tasks`].
    pub(super) waiters: Vec<usize>,
}

/// The publisher of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromiseSource {
    Nobody,
    Hand,
    /// A task that itself waits, as an index into [`Snapshot::tasks`].
    Task(usize),
    /// A task that waits for no data, as an index into [`Snapshot::busy`]. `None` if nobody waits for its outputs, or
    /// it has already published them.
    Busy(Option<usize>),
    /// A task of another process.
    Away,
}

#[derive(Clone, Debug)]
pub(super) struct TaskNode {
    /// Description of its processing.
    pub(super) description: &'static str,
    /// Arguments and place, if it was described.
    pub(super) view: Option<TaskView>,
    /// The promises that it waits for, as indices into [`Snapshot::data`].
    pub(super) missing: Vec<usize>,
    /// The promises that it is to publish.
    pub(super) outputs: Vec<usize>,
}

/// A task that waits for no data.
#[derive(Clone, Debug)]
pub(super) struct Busy {
    /// Description of its processing.
    pub(super) description: &'static str,
    pub(super) view: TaskView,
    pub(super) whereabouts: Whereabouts,
}

pub(super) fn read(call: &Call) -> Snapshot {
    let before = call.progress();
    let mut reader = Reader::default();
    STORE.each_pending(|datum| {
        if !reader.has_room() {
            return;
        }
        reader.data.push(Datum {
            id: datum.id,
            size: datum.size,
            predecessor: datum.predecessor,
            source: match datum.publisher {
                Publisher::Nobody => PromiseSource::Nobody,
                Publisher::Hand => PromiseSource::Hand,
                Publisher::Task(_) => PromiseSource::Busy(None),
                Publisher::Away => PromiseSource::Away,
            },
            sleepers: datum.sleepers,
            waiters: Vec::new(),
        });
        let mut turn = 0;
        datum.each_waiter(|node| {
            if reader.has_room() {
                reader.task(node.into(), turn < DESCRIBED);
            }
            turn += 1;
        });
    });
    reader.link();
    reader.name(call);
    let engine = call.view();
    let moved = call.progress() != before;
    Snapshot { data: reader.data, tasks: reader.tasks, busy: reader.busy, engine, moved, short: reader.short }
}

/// Number of threads that sleep until a promise is published.
pub(super) fn sleepers() -> u64 {
    let mut sleepers = 0;
    STORE.each_pending(|datum| sleepers += u64::from(datum.sleepers));
    sleepers
}

/// Gathers data and tasks. A waiting task is in the list of one of its missing data; its arguments show the others, and
/// its outputs.
#[derive(Default)]
struct Reader {
    data: Vec<Datum>,
    tasks: Vec<TaskNode>,
    busy: Vec<Busy>,
    /// The arguments of all tasks: index of the task, mode, number of the datum.
    arguments: Vec<(usize, Mode, u64)>,
    /// Number of entries for which the last check found memory.
    room: usize,
    /// Whether a check found no memory.
    short: bool,
}

/// Number of entries from which memory is checked before reading more, ...
const FEW: usize = 1 << 10;

/// ... in bytes per entry, for everything made from it.
const ROOM: usize = 600;

impl Reader {
    /// Whether there is memory for another entry.
    fn has_room(&mut self) -> bool {
        let entries = self.data.len() + self.tasks.len() + self.arguments.len();
        if !self.short && entries >= self.room {
            let next = (2 * entries).max(FEW);
            self.short = entries >= FEW && memory::at_hand(next * ROOM).is_err();
            self.room = next;
        }
        !self.short
    }

    /// Adds a task found through the viewed datum; if `described`, with its arguments.
    fn task(&mut self, task: TaskRef<'_>, described: bool) {
        let place = self.tasks.len();
        let (description, view) = (task.processing(), task.describe());
        self.arguments.extend(view.arguments.iter().map(|&(mode, id)| (place, mode, id.number())));
        let view = described.then_some(view);
        self.tasks.push(TaskNode { description, view, missing: Vec::new(), outputs: Vec::new() });
    }

    /// Links tasks and data both ways.
    fn link(&mut self) {
        let places: HashMap<u64, usize> =
            self.data.iter().enumerate().map(|(place, datum)| (datum.id.number(), place)).collect();
        for &(task, mode, number) in &self.arguments {
            let Some(&place) = places.get(&number) else { continue };
            let (datum, node) = (&mut self.data[place], &mut self.tasks[task]);
            if mode == Mode::Out {
                datum.source = PromiseSource::Task(task);
                node.outputs.push(place);
            } else if !node.missing.contains(&place) {
                // A task may read a datum twice.
                datum.waiters.push(task);
                node.missing.push(place);
            }
        }
    }

    /// Describes the running tasks for whose outputs others wait.
    fn name(&mut self, call: &Call) {
        let wanted = |datum: &&mut Datum| datum.sleepers > 0 || !datum.waiters.is_empty();
        for datum in self.data.iter_mut().filter(wanted).filter(|datum| datum.source == PromiseSource::Busy(None)) {
            STORE.pending(datum.id, |shown| {
                let Publisher::Task(node) = shown.publisher else { return };
                let task = TaskRef::from(node);
                let (description, view) = (task.processing(), task.describe());
                datum.source = PromiseSource::Busy(Some(self.busy.len()));
                self.busy.push(Busy { description, view, whereabouts: call.whereabouts(task) });
            });
        }
    }
}
