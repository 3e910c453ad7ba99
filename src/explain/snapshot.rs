//! What is read of the running engine.
//!
//! Each datum is read under its own lock, one after the other, so the whole is no single moment: while tasks still end,
//! parts may be out of date, and the text says so. When nothing moves any more, which is when it matters, it is exact.

use std::collections::HashMap;

use crate::data::{DatumId, Publisher, STORE};
use crate::engine::Call;
use crate::engine::view::{self, EngineView, Whereabouts};
use crate::memory;
use crate::processing::Mode;
use crate::sync::inbox::Link;
use crate::task::TaskView;

/// The first so many tasks that wait for a datum are described with their arguments; all are named and counted.
const DESCRIBED: usize = 16;

/// Everything that an explanation needs.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// Promises that are not published, in the order of their ids' indices.
    pub(super) data: Vec<Datum>,
    /// Tasks that wait for them; those that are to publish them are among these when they wait.
    pub(super) tasks: Vec<Node>,
    /// Tasks that are to publish what somebody waits for, and do not wait themselves.
    pub(super) busy: Vec<Busy>,
    pub(super) engine: EngineView,
    /// Whether tasks began or ended while all this was read.
    pub(super) moved: bool,
    /// Whether some are left out because there is no memory for them.
    pub(super) short: bool,
}

/// A promise that is not published.
#[derive(Clone, Debug)]
pub(super) struct Datum {
    pub(super) id: DatumId,
    pub(super) size: usize,
    pub(super) predecessor: Option<DatumId>,
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
    /// A task that waits itself, as a place in [`Snapshot::tasks`].
    Task(usize),
    /// A task that waits for no data, as a place in [`Snapshot::busy`]. `None` when nobody waits for what it publishes,
    /// or when it has done so meanwhile.
    Busy(Option<usize>),
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

/// A task that waits for no data.
#[derive(Clone, Debug)]
pub(super) struct Busy {
    /// Of its processing.
    pub(super) description: &'static str,
    pub(super) view: TaskView,
    pub(super) whereabouts: Whereabouts,
}

/// Reads the running engine.
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
                Publisher::Nobody => Source::Nobody,
                Publisher::Hand => Source::Hand,
                Publisher::Task(_) => Source::Busy(None),
            },
            sleepers: datum.sleepers,
            waiters: Vec::new(),
        });
        let mut turn = 0;
        datum.each_waiter(|link| {
            if reader.has_room() {
                reader.task(link, turn < DESCRIBED);
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

/// Threads that sleep until a promise is published.
pub(super) fn sleepers() -> u64 {
    let mut sleepers = 0;
    STORE.each_pending(|datum| sleepers += u64::from(datum.sleepers));
    sleepers
}

/// Gathers data and tasks. A waiting task is on the list of one of the data that it misses; its arguments tell the others,
/// and what it is to publish.
#[derive(Default)]
struct Reader {
    data: Vec<Datum>,
    tasks: Vec<Node>,
    busy: Vec<Busy>,
    /// The arguments of all tasks: the task's place, the mode, the number of the datum.
    arguments: Vec<(usize, Mode, u64)>,
    /// For so many entries there was memory when it was asked for last.
    room: usize,
    /// Whether there was none.
    short: bool,
}

/// From so many entries on memory is asked for before more are read, ...
const FEW: usize = 1 << 10;

/// ... so much for each, for all that is made of it.
const ROOM: usize = 600;

impl Reader {
    /// Whether there is memory for one entry more.
    fn has_room(&mut self) -> bool {
        let entries = self.data.len() + self.tasks.len() + self.arguments.len();
        if !self.short && entries >= self.room {
            let next = (2 * entries).max(FEW);
            self.short = entries >= FEW && memory::at_hand(next * ROOM).is_err();
            self.room = next;
        }
        !self.short
    }

    /// Notes a task that the datum in view shows; with its arguments in words when it is to be `described`.
    #[allow(unsafe_code, reason = "a task in view is in use")]
    fn task(&mut self, link: *mut Link, described: bool) {
        let place = self.tasks.len();
        // SAFETY: the view of the datum that shows the task lives.
        let (description, view) = unsafe { (view::processing_of(link), view::describe(link)) };
        self.arguments.extend(view.arguments.iter().map(|&(mode, id)| (place, mode, id.number())));
        let view = described.then_some(view);
        self.tasks.push(Node { description, view, missing: Vec::new(), outputs: Vec::new() });
    }

    /// Tells tasks and data about each other.
    fn link(&mut self) {
        let places: HashMap<u64, usize> =
            self.data.iter().enumerate().map(|(place, datum)| (datum.id.number(), place)).collect();
        for &(task, mode, number) in &self.arguments {
            let Some(&place) = places.get(&number) else { continue };
            let (datum, node) = (&mut self.data[place], &mut self.tasks[task]);
            if mode == Mode::Out {
                datum.source = Source::Task(task);
                node.outputs.push(place);
            } else if !node.missing.contains(&place) {
                // A task may read a datum twice.
                datum.waiters.push(task);
                node.missing.push(place);
            }
        }
    }

    /// Describes the tasks that do not wait, and for whose outputs others do.
    #[allow(unsafe_code, reason = "a task in view is in use")]
    fn name(&mut self, call: &Call) {
        let wanted = |datum: &&mut Datum| datum.sleepers > 0 || !datum.waiters.is_empty();
        for datum in self.data.iter_mut().filter(wanted).filter(|datum| datum.source == Source::Busy(None)) {
            STORE.pending(datum.id, |shown| {
                let Publisher::Task(link) = shown.publisher else { return };
                // SAFETY: the view of the datum that shows the task lives.
                let (description, view) = unsafe { (view::processing_of(link), view::describe(link)) };
                datum.source = Source::Busy(Some(self.busy.len()));
                self.busy.push(Busy { description, view, whereabouts: call.whereabouts(link) });
            });
        }
    }
}
