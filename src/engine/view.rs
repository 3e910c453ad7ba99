//! What the engine is at, for whoever explains what waits for what. Nothing here stops a worker: what is told may have
//! changed by the time it is read.

use std::sync::atomic::Ordering;

use super::Call;
use super::lane;
use super::source::Account;
use super::worker::Counts;
use crate::sync::inbox::Link;
use crate::task::{Task, TaskView};

/// The engine's counts and queues.
#[derive(Clone, Debug, Default)]
pub(crate) struct EngineView {
    /// Tasks that were scheduled and have not ended.
    pub(crate) outstanding: u64,
    /// Whether a thread is in wait or finalize.
    pub(crate) awaited: bool,
    pub(crate) workers: Vec<WorkerView>,
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
    /// Tasks that were given to it and have not ended, the running one among them.
    pub(crate) given: u64,
}

impl Call {
    /// Tells what the engine is at.
    pub(crate) fn view(&self) -> EngineView {
        let engine = self.engine();
        let worker = |(place, worker): (usize, &super::Worker)| WorkerView {
            title: engine.machine.title(place),
            // SAFETY: descriptions are never freed.
            running: unsafe { worker.counts.0.running.load(Ordering::Acquire).as_ref() }.map(String::as_str),
            given: self.load(place),
        };
        let mut graphs = Vec::new();
        engine.sources.each(|source| graphs.push(source.account()));
        EngineView {
            outstanding: lane::outstanding(),
            awaited: engine.completion.is_awaited(),
            workers: engine.workers.iter().enumerate().map(worker).collect(),
            graphs,
        }
    }

    /// A number that changes whenever a task or a tile ends, and whenever a task is scheduled.
    pub(crate) fn progress(&self) -> u64 {
        let mut tiles = 0_u64;
        self.engine().sources.each(|source| tiles = tiles.wrapping_add(source.ended()));
        lane::movements().wrapping_add(tiles)
    }

    /// Whether tasks or graphs are under way.
    pub(crate) fn busy(&self) -> bool {
        let mut graphs = false;
        self.engine().sources.each(|_| graphs = true);
        graphs || lane::outstanding() > 0
    }
}

impl Counts {
    /// Notes what the worker runs, or that it runs nothing.
    #[inline]
    pub(super) fn note_running(&self, description: Option<&'static String>) {
        let address = description.map_or(std::ptr::null_mut(), |text| std::ptr::from_ref(text).cast_mut());
        self.running.store(address, Ordering::Release);
    }
}

/// The description of the processing of a task that data know.
///
/// # Safety
/// The task is in use during the call: it was shown by a view of a pending datum, which still lives.
pub(crate) unsafe fn processing_of(link: *mut Link) -> &'static str {
    // SAFETY: by this function's contract.
    unsafe { Task::processing(Task::of(link)) }
}

/// Tells what a task is that data know.
///
/// # Safety
/// As for [`processing_of`].
pub(crate) unsafe fn describe(link: *mut Link) -> TaskView {
    // SAFETY: by this function's contract.
    unsafe { Task::describe(Task::of(link)) }
}
