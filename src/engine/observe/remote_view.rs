//! What a process of a job waits for from other processes, for explanations.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::data::DatumId;
use crate::id::{ProcessId, ProcessingId};
use crate::processing::Mode;

/// One process's part of the job, as far as something waits.
#[derive(Clone, Debug, Default)]
pub(crate) struct RemoteView {
    pub(crate) me: ProcessId,
    pub(crate) processes: u64,
    /// The thread that waits together with all processes.
    pub(crate) together: Option<TogetherView>,
    /// The thread in a region that runs on all processes.
    pub(crate) region: Option<RegionView>,
    /// Tasks that were sent to other processes and have not ended: how many of each description.
    pub(crate) sent: BTreeMap<ProcessId, BTreeMap<&'static str, u64>>,
    /// Tasks of this process that are no tasks of its engine yet, the oldest first: some of them.
    pub(crate) tasks: Vec<RemoteTaskView>,
    /// How many there are.
    pub(crate) waiting: u64,
    /// Far data for which threads wait outside of their tasks' arguments.
    pub(crate) gets: Vec<(DatumId, Lack)>,
    /// Promises of this process that come to something elsewhere.
    pub(crate) promises: BTreeMap<DatumId, Lack>,
    /// The far data of local slots.
    pub(crate) slots: BTreeMap<DatumId, DatumId>,
    pub(crate) questions: BTreeMap<(ProcessId, Question), u64>,
    pub(crate) peers: BTreeMap<ProcessId, PeerView>,
}

/// A thread that waits together with all processes.
#[derive(Clone, Debug)]
pub(crate) struct TogetherView {
    pub(crate) call: TogetherCall,
    /// Whether this process has nothing to do.
    pub(crate) idle: bool,
    /// The processes right below this one that have not answered, each with those that it answers for.
    pub(crate) unanswered: Vec<(ProcessId, Vec<ProcessId>)>,
    /// Who finds the end, if that is another process.
    pub(crate) root: Option<ProcessId>,
}

/// The call in which it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TogetherCall {
    Wait,
    Serve,
    Finalize,
}

/// A thread in a region that runs on all processes, and waits for some of them outside of its graphs.
#[derive(Clone, Debug)]
pub(crate) struct RegionView {
    pub(crate) name: String,
    pub(crate) stage: RegionStage,
    pub(crate) awaited: Vec<ProcessId>,
}

/// What it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RegionStage {
    /// That they enter the region.
    Enter,
    /// The sizes of the tiles.
    Sizes,
    /// What the tiles read from before the region.
    Entering,
    /// What they leave behind.
    LeftBehind,
}

/// A task that waits for other processes.
#[derive(Clone, Debug)]
pub(crate) struct RemoteTaskView {
    pub(crate) description: String,
    pub(crate) arguments: Vec<(Mode, DatumId)>,
    /// Who has scheduled the task.
    pub(crate) scheduler: ProcessId,
    /// What the task lacks; nothing, if it is about to become ready.
    pub(crate) lacks: Vec<(DatumId, Lack)>,
    /// The code that it lacks.
    pub(crate) code: Option<AwaitedCode>,
}

/// A shared object that is on its way here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AwaitedCode {
    /// Its file's name.
    pub(crate) object: String,
    /// Who sends it; none while it is checked and loaded.
    pub(crate) from: Option<ProcessId>,
    /// How many pieces have come, and of how many, once that is known.
    pub(crate) pieces: (u32, Option<u32>),
}

/// Why a datum cannot be used yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lack {
    /// Its home has not said what becomes of it.
    Promised,
    /// A promise of this process, which nobody has published.
    Own,
    /// A task of this process is to publish it.
    ProducedHere,
    /// A task of that process is to publish it.
    ProducedBy(ProcessId),
    /// Its bytes lie there and are not asked for yet: other copies fill the cache.
    NoRoom(ProcessId),
    /// Its bytes lie there, and nobody here has needed them so far.
    LiesIn(ProcessId),
    /// Its bytes are on their way from there: how many there are, and how many have come, if that is known.
    Fetched { from: ProcessId, bytes: u64, come: Option<u64> },
    /// Its home has not said whether the task may produce it.
    Unclaimed,
    /// Its home has not given a reference.
    NoReference,
    /// Nobody has said where its bytes are, near which the task is to run.
    NoPlace,
}

/// A question that a process has not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Question {
    /// What this processing is.
    Processing(ProcessingId),
    /// For the code of this processing.
    Code(ProcessingId),
    /// To confirm, make or give a reference of this datum.
    Reference(DatumId),
}

/// What is wrong with another process.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeerView {
    pub(crate) lost: bool,
    /// Why this process believes that it is lost, while process 0 has not declared it lost.
    pub(crate) suspected: Option<String>,
    /// For how long it has given no sign of life, if that is unusual.
    pub(crate) silent: Option<Duration>,
    /// Batches of messages for which there is no room.
    pub(crate) unsent: usize,
}

impl RemoteView {
    /// Whether anything waits for another process. A thread that serves waits for nothing.
    pub(crate) fn waits(&self) -> bool {
        let together = self.together.as_ref().is_some_and(|together| together.call != TogetherCall::Serve);
        together || self.region.is_some() || self.waiting > 0 || !self.sent.is_empty() || !self.gets.is_empty()
    }

    /// How many tasks were sent to other processes and have not ended.
    pub(crate) fn sent_tasks(&self) -> u64 {
        self.sent.values().flat_map(BTreeMap::values).sum()
    }
}
