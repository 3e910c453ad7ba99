//! What is read of the running engine.
//!
//! Each datum is read under its own lock, one after the other, so the whole is no single moment: while tasks still end,
//! parts may be out of date, and the text says so. When nothing moves any more, which is when it matters, it is exact.

use std::collections::HashMap;

use crate::data::{DataId, Owner, Publisher, STORE};
use crate::engine::Call;
use crate::engine::view::{self, EngineView};
use crate::task::TaskView;

/// The first so many tasks that wait for a datum are described with their arguments; all are named and counted.
const DESCRIBED: usize = 16;

/// Everything that an explanation needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// Promises that are not published, in the order of their ids' indices.
    pub(super) data: Vec<Datum>,
    /// Tasks that wait for them or are to publish them.
    pub(super) tasks: Vec<Node>,
    pub(super) engine: EngineView,
    /// Whether tasks began or ended while all this was read.
    pub(super) moved: bool,
}

/// A promise that is not published.
#[derive(Clone, Debug)]
pub(super) struct Datum {
    pub(super) id: DataId,
    pub(super) size: usize,
    pub(super) predecessor: Option<DataId>,
    pub(super) source: Source,
    pub(super) sleepers: u32,
    /// The tasks that wait for it, as places in [`Snapshot::tasks`].
    pub(super) waiters: Vec<usize>,
}

/// Who is to publish a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Nobody,
    Hand,
    /// A task, as a place in [`Snapshot::tasks`].
    Task(usize),
}

/// A task.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Of its processing.
    pub(super) description: &'static str,
    /// More of it, when it was described.
    pub(super) view: Option<TaskView>,
    /// The promises that it waits for, as places in [`Snapshot::data`].
    pub(super) missing: Vec<usize>,
    /// The promises that it is to publish.
    pub(super) outputs: Vec<usize>,
}

/// Reads the running engine.
pub(super) fn read(call: &Call) -> Snapshot {
    let before = call.progress();
    let mut reader = Reader::default();
    STORE.each_pending(|datum| {
        let place = reader.data.len();
        let source = match datum.publisher {
            Publisher::Nobody => Source::Nobody,
            Publisher::Hand => Source::Hand,
            Publisher::Task(owner) => Source::Task(reader.task(owner, true)),
        };
        let waiters = datum.waiters().enumerate().map(|(turn, owner)| reader.task(owner, turn < DESCRIBED)).collect();
        reader.data.push(Datum {
            id: datum.id,
            size: datum.size,
            predecessor: datum.predecessor,
            source,
            sleepers: datum.sleepers,
            waiters,
        });
        reader.link(place);
    });
    let engine = call.view();
    let moved = call.progress() != before;
    Snapshot { data: reader.data, tasks: reader.tasks, engine, moved }
}

/// Threads that sleep until a promise is published.
pub(super) fn sleepers() -> u64 {
    let mut sleepers = 0;
    STORE.each_pending(|datum| sleepers += u64::from(datum.sleepers));
    sleepers
}

/// Gathers data and tasks.
#[derive(Default)]
struct Reader {
    data: Vec<Datum>,
    tasks: Vec<Node>,
    places: HashMap<usize, usize>,
}

impl Reader {
    /// The place of a task that the datum in view shows; with its arguments when it is to be `described`.
    #[allow(unsafe_code, reason = "a task in view is in use")]
    fn task(&mut self, owner: Owner, described: bool) -> usize {
        let place = *self.places.entry(owner.0.addr()).or_insert_with(|| {
            // SAFETY: the view of the datum that shows the task lives.
            let description = unsafe { view::processing_of(owner) };
            self.tasks.push(Node { description, view: None, missing: Vec::new(), outputs: Vec::new() });
            self.tasks.len() - 1
        });
        if described && self.tasks[place].view.is_none() {
            // SAFETY: as above.
            self.tasks[place].view = Some(unsafe { view::describe(owner) });
        }
        place
    }

    /// Tells the tasks of a datum about it.
    fn link(&mut self, place: usize) {
        let datum = &self.data[place];
        if let Source::Task(task) = datum.source {
            self.tasks[task].outputs.push(place);
        }
        for &task in &datum.waiters {
            // A task may read a datum twice.
            if self.tasks[task].missing.last() != Some(&place) {
                self.tasks[task].missing.push(place);
            }
        }
    }
}
