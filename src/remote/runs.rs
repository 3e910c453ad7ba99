//! Tasks that have come: those that wait, by their arrivals, and those that the engine has, by numbers that are used again.

use crate::data::DatumId;
use crate::error::Error;
use crate::id::{IdMap, ProcessId};
use crate::processing::Signature;
use crate::protocol::copies::Arrival;

/// With more places than this, those of started tasks are given up once all have ended.
const KEPT_PLACES: usize = 4096;

/// How a task that has come uses an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Input {
        /// Whether the task takes the last reference.
        last: bool,
    },
    /// An input whose bytes have come along, and lie in a slot that nobody else uses. Its home has sent the task, and keeps
    /// the task's reference until the task has ended: nothing is noted of the datum here.
    Private {
        /// The slot, in which the task has a reference.
        slot: DatumId,
    },
    Output {
        /// The place of the input that it carries on.
        next: Option<usize>,
    },
}

/// An argument of a task that has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunArgument {
    pub(super) id: DatumId,
    pub(super) usage: Use,
    pub(super) size: u64,
}

impl Use {
    /// Whether the task reads it.
    pub(super) fn is_read(self) -> bool {
        !matches!(self, Use::Output { .. })
    }

    /// Whether its bytes lie in a slot that nobody else uses.
    pub(super) fn is_private(self) -> bool {
        matches!(self, Use::Private { .. })
    }
}

/// A task that waits or runs here on account of another process, or on far data.
pub(super) struct ArrivedTask {
    pub(super) from: ProcessId,
    pub(super) sequence: u32,
    /// The number under which `copies` knows it, if it does.
    pub(super) arrival: Option<Arrival>,
    /// Its scheduler is lost: its references are this process's, and nobody hears of its end.
    pub(super) adopted: bool,
    /// The local worker; none if it runs near its data.
    pub(super) worker: Option<u16>,
    pub(super) signature: Result<&'static Signature, Error>,
    pub(super) arguments: Vec<RunArgument>,
    /// Outputs whose homes have not answered.
    pub(super) claims: Vec<DatumId>,
    pub(super) granted: Vec<DatumId>,
    pub(super) poisoned: bool,
}

/// The tasks that wait or run here on account of other processes, or on far data.
#[derive(Default)]
pub(super) struct Runs {
    waiting: IdMap<Arrival, ArrivedTask>,
    /// By number.
    started: Vec<Option<ArrivedTask>>,
    /// Numbers that no task has; the one that was free last is given first.
    free: Vec<u32>,
}

impl Runs {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.started.len() - self.free.len()
    }

    /// A task waits.
    pub(super) fn wait(&mut self, arrival: Arrival, run: ArrivedTask) {
        self.waiting.insert(arrival, run);
    }

    /// A task that waits.
    pub(super) fn waiting(&self, arrival: Arrival) -> Option<&ArrivedTask> {
        self.waiting.get(&arrival)
    }

    /// The same, to be changed.
    pub(super) fn waiting_mut(&mut self, arrival: Arrival) -> Option<&mut ArrivedTask> {
        self.waiting.get_mut(&arrival)
    }

    /// A task waits no longer.
    pub(super) fn take(&mut self, arrival: Arrival) -> Option<ArrivedTask> {
        self.waiting.remove(&arrival)
    }

    /// All that wait.
    pub(super) fn all_waiting(&self) -> impl Iterator<Item = (Arrival, &ArrivedTask)> {
        self.waiting.iter().map(|(arrival, run)| (*arrival, run))
    }

    /// The engine gets a task; gives its number.
    pub(super) fn start(&mut self, run: ArrivedTask) -> u32 {
        if let Some(number) = self.free.pop()
            && let Some(place) = self.started.get_mut(number as usize)
        {
            *place = Some(run);
            return number;
        }
        self.started.push(Some(run));
        self.started.len() as u32 - 1
    }

    /// A task that the engine has.
    pub(super) fn started(&self, number: u32) -> Option<&ArrivedTask> {
        self.started.get(number as usize)?.as_ref()
    }

    /// All that the engine has.
    pub(super) fn all_started(&self) -> impl Iterator<Item = &ArrivedTask> {
        self.started.iter().flatten()
    }

    /// A task has ended: its number is free.
    pub(super) fn end(&mut self, number: u32) -> Option<ArrivedTask> {
        let run = self.started.get_mut(number as usize)?.take()?;
        self.free.push(number);
        if self.free.len() == self.started.len() && self.free.len() > KEPT_PLACES {
            (self.started, self.free) = (Vec::new(), Vec::new());
        }
        Some(run)
    }

    /// All tasks.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut ArrivedTask> {
        self.waiting.values_mut().chain(self.started.iter_mut().flatten())
    }
}
