//! A view of the engine, for explanations of what waits for what. Nothing here stops a worker: the state may have
//! changed by the time the view is read.

use std::time::{Duration, Instant};

use super::blocked_tasks::Absence;
use super::progress_samples::Sight;
use crate::engine::context;
use crate::engine::context::call::Call;
use crate::engine::context::shared::{Engine, Worker};
use crate::engine::context::source::Account;
use crate::task::TaskRef;

/// The engine's counts and queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineView {
    /// Tasks that were scheduled and have not ended.
    pub(crate) outstanding: u64,
    /// Whether a thread is in wait or finalize.
    pub(crate) awaited: bool,
    pub(crate) workers: Vec<WorkerView>,
    /// Tasks in blocking sections.
    pub(crate) blocked_tasks: Vec<AbsenceView>,
    /// The graphs that run.
    pub(crate) graphs: Vec<Account>,
}

/// The state of one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkerView {
    /// The rank, as text.
    pub(crate) title: String,
    /// The description of the processing whose task the worker runs.
    pub(crate) running: Option<&'static str>,
    /// For how long the worker has been seen at that task; the task may have begun earlier.
    pub(crate) seen: Duration,
    /// Tasks that were given to the worker and have not ended, including the running one.
    pub(crate) given: u64,
}

/// A task in a blocking section.
#[derive(Clone, Debug)]
pub(crate) struct AbsenceView {
    /// The description of its processing.
    pub(crate) description: &'static str,
    pub(crate) worker: usize,
    pub(crate) lasts: Duration,
}

/// The place of a task that waits for no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    /// A worker runs the task.
    Runs { worker: usize },
    /// The task has left its worker for a blocking section.
    Blocks { worker: usize, lasts: Duration },
    /// The task is in a queue.
    Queued,
}

impl Call {
    /// A view of the engine.
    pub(crate) fn view(&self) -> EngineView {
        let engine = self.engine();
        let now = Instant::now();
        let worker = |place: usize| WorkerView {
            title: engine.machine.title(place),
            running: engine.workers[place].counts.0.description(),
            seen: engine.seen(place, now),
            given: self.load(place),
        };
        let workers = (0..engine.workers.len()).map(worker).collect();
        let absence = |absence: &Absence| AbsenceView {
            description: absence.description,
            worker: absence.worker,
            lasts: now.saturating_duration_since(absence.since),
        };
        let blocked_tasks = engine.blocked_tasks.hold().all().iter().map(absence).collect();
        let mut graphs = Vec::new();
        engine.sources.each(|source| graphs.extend(source.account()));
        EngineView {
            outstanding: context::outstanding(),
            awaited: engine.completion.is_awaited(),
            workers,
            blocked_tasks,
            graphs,
        }
    }

    /// Samples the workers, so that a later view knows for how long they have been at their tasks.
    pub(crate) fn look(&self) {
        let now = Instant::now();
        (0..self.engine().workers.len()).for_each(|worker| {
            self.engine().seen(worker, now);
        });
    }

    /// The place of a task that a datum knows and that waits for none. The caller is showing a pending datum of that
    /// task: no other task has this address meanwhile, and none has been seen with it since this task was scheduled.
    pub(crate) fn whereabouts(&self, task: TaskRef<'_>) -> Whereabouts {
        let (engine, task) = (self.engine(), task.address());
        let blocked_tasks = engine.blocked_tasks.hold();
        if let Some(absence) = blocked_tasks.find(task) {
            return Whereabouts::Blocks { worker: absence.worker, lasts: absence.since.elapsed() };
        }
        let runs = |worker: &Worker| worker.counts.0.task() == Some(task);
        match engine.workers.iter().position(runs) {
            Some(worker) => Whereabouts::Runs { worker },
            None => Whereabouts::Queued,
        }
    }

    /// A number that changes whenever a task or a tile ends, and whenever a task is scheduled.
    pub(crate) fn progress(&self) -> u64 {
        let mut tiles = 0_u64;
        self.engine().sources.each(|source| tiles = tiles.wrapping_add(source.ended()));
        context::movements().wrapping_add(tiles)
    }

    /// Whether tasks or graphs are under way.
    pub(crate) fn busy(&self) -> bool {
        let mut graphs = false;
        self.engine().sources.each(|_| graphs = true);
        graphs || context::outstanding() > 0
    }
}

impl Engine {
    /// For how long a worker has been seen at the same task.
    fn seen(&self, worker: usize, now: Instant) -> Duration {
        let sight = Sight::of(&self.workers[worker].counts.0);
        self.progress_samples
            .note(worker, sight, now)
            .map_or(Duration::ZERO, |first| now.saturating_duration_since(first))
    }
}
