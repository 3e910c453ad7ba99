//! What the engine is at, for whoever explains what waits for what. Nothing here stops a worker: what is told may have
//! changed by the time it is read.

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

/// What one worker is at.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkerView {
    /// The rank, in words.
    pub(crate) title: String,
    /// The processing of the task that it runs.
    pub(crate) running: Option<&'static str>,
    /// For how long it has been seen at that task: it may have begun before.
    pub(crate) seen: Duration,
    /// Tasks that were given to it and have not ended, the running one among them.
    pub(crate) given: u64,
}

/// A task in a blocking section.
#[derive(Clone, Debug)]
pub(crate) struct AbsenceView {
    /// Of its processing.
    pub(crate) description: &'static str,
    pub(crate) worker: usize,
    pub(crate) lasts: Duration,
}

/// Where a task is that waits for no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    /// A worker runs it.
    Runs { worker: usize },
    /// It has left its worker for a blocking section.
    Blocks { worker: usize, lasts: Duration },
    /// It is in a queue.
    Queued,
}

impl Call {
    /// Tells what the engine is at.
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
        engine.sources.each(|source| graphs.push(source.account()));
        EngineView {
            outstanding: context::outstanding(),
            awaited: engine.completion.is_awaited(),
            workers,
            blocked_tasks,
            graphs,
        }
    }

    /// Looks at what the workers run, so that it is known later for how long they have been at that.
    pub(crate) fn look(&self) {
        let now = Instant::now();
        (0..self.engine().workers.len()).for_each(|worker| {
            self.engine().seen(worker, now);
        });
    }

    /// Where a task is that data know, and that waits for none. A view of a pending datum has to show it during the call:
    /// then no other task has its address, and none has been seen anywhere with that address since it was scheduled.
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
