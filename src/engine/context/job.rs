//! The job of several processes that the engine is a part of, as the engine sees it: the ranks of all workers, and who
//! takes over where another process takes part. `remote` does that.

use std::sync::Arc;

use crate::data::DatumId;
use crate::engine::context::across::RemoteAcross;
use crate::engine::context::rounds::RemoteRounds;
use crate::engine::context::source::Source;
use crate::engine::observe::remote_view::RemoteView;
use crate::error::Error;
use crate::id::{ProcessId, Rank};
use crate::processing::{Found, ProcessingId, Signature};
use crate::sync::lock::Mutex;
use crate::trace::JobClock;
use crate::world::rank_table::{RankTable, WorkerHome};

/// Where a task is to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// On this worker of the job.
    Worker(WorkerHome),
    /// Near its data.
    Near,
}

/// How a task that other processes take part in has ended.
#[derive(Debug)]
pub(crate) enum SharedEnd {
    /// As it should.
    Success,
    /// Failed; the message.
    Failure(Error),
    /// Cancelled.
    Cancelled,
}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// `dvm_wait`: the next end.
    Wait,
    /// `dvm_serve`: that process 0 finalizes.
    Serve,
    /// `dvm_finalize`: nothing can run, in any process.
    Quiet,
    /// `dvm_finalize`: what was cancelled has ended, in all processes.
    Closed,
}

/// Takes over calls and tasks in which other processes take part. The calling thread is inside the engine.
pub(crate) trait RemoteScheduler: Send + Sync {
    /// Schedules a task: elsewhere, or here on data of other homes.
    fn schedule(
        &self,
        target: Target,
        function: (ProcessingId, &'static Signature),
        ids: &[DatumId],
    ) -> Result<(), Error>;

    /// The calling worker is about to sleep: it polls no longer.
    fn worker_sleeps(&self);

    /// A marked datum, by its local id, has come to something, or nobody here needs it.
    fn told(&self, local: DatumId);

    /// Somebody here begins to wait for these data, as far as they are promises of this process.
    fn awaited(&self, ids: &[DatumId]);

    /// The ids of a shared task's arguments as its function gets them, in a list of their number.
    fn arguments(&self, number: u32, ids: &mut [DatumId]);

    /// A shared task has ended: its outputs are published or poisoned, and its references of local slots dropped. The
    /// number is free from now on.
    fn ended(&self, number: u32, end: SharedEnd);

    /// Adds a reference to a far datum.
    fn acquire(&self, id: DatumId) -> Result<(), Error>;

    /// Drops a reference of a far datum.
    fn relax(&self, id: DatumId) -> Result<(), Error>;

    /// Makes the local promise `next` carry a far datum on.
    fn carry_on(&self, current: DatumId, next: DatumId) -> Result<(), Error>;

    /// Waits until the bytes of a far datum are here; gives its local slot, which stays until it was put.
    fn bring(&self, id: DatumId) -> Result<DatumId, Error>;

    /// The bytes in the slot that [`RemoteScheduler::bring`] gave were got, or could not be.
    fn got(&self, id: DatumId);

    /// A thread of the program begins to wait for a promise of this process: its bytes are brought, wherever they come to be.
    fn begin_wait(&self, id: DatumId);

    /// The thread waits no longer.
    fn end_wait(&self, id: DatumId);

    /// Waits until a promise of this process has come to something, where the thread that waits has to make messages
    /// arrive.
    fn drive_to_value(&self, id: DatumId);

    /// The local slot of a far datum that was brought.
    fn slot(&self, id: DatumId) -> Option<DatumId>;

    /// What is known of a far processing; asks its home if nothing is.
    fn find(&self, function: ProcessingId) -> Result<Found, Error>;

    /// A processing of this process was unregistered.
    fn unregistered(&self, function: ProcessingId);

    /// Tasks that were sent to this process from here and have not ended.
    fn load(&self, process: u32) -> u64;

    /// The arrow in the trace that leads to a shared task, and the process that has sent it, if another one has.
    fn arrow(&self, number: u32) -> Option<(u64, u64)>;

    /// Collects what all processes have recorded. All call it, when the job has ended.
    fn collect(&self);

    /// What waits for other processes.
    fn view(&self) -> RemoteView;

    /// Whether a thread waits, with all processes, for the end of tasks.
    fn is_awaited(&self) -> bool;

    /// Waits, with all processes; gives what has failed.
    fn wait(&self, goal: Goal) -> Result<(), Error>;

    /// Redistributions over processes.
    fn rounds(&self) -> &dyn RemoteRounds;

    /// Regions that run on all processes.
    fn across(&self) -> &dyn RemoteAcross;

    /// Ends the threads and the transport; all processes do so together.
    fn close(&self);

    /// After that, once no task runs: tasks that still wait end without having run.
    fn give_up_waiting(&self);
}

/// The job that an engine is a part of.
pub(crate) struct Job {
    pub(crate) me: ProcessId,
    pub(crate) processes: u64,
    pub(crate) ranks: RankTable,
    /// The process's place in the trace.
    pub(crate) clock: JobClock,
    pub(crate) scheduler: Arc<dyn RemoteScheduler>,
    /// What the workers poll for it.
    pub(crate) source: Mutex<Option<Arc<dyn Source>>>,
}

impl Job {
    /// While the value exists, a thread of the program waits for this promise of this process.
    #[cold]
    #[inline(never)]
    pub(crate) fn waits_for(&self, id: DatumId) -> impl Drop + '_ {
        struct Waits<'a>(&'a dyn RemoteScheduler, DatumId);
        impl Drop for Waits<'_> {
            fn drop(&mut self) {
                self.0.end_wait(self.1);
            }
        }
        self.scheduler.begin_wait(id);
        Waits(&*self.scheduler, id)
    }

    /// Somebody here begins to wait for these data.
    #[cold]
    #[inline(never)]
    pub(crate) fn awaited(&self, ids: &[DatumId]) {
        self.scheduler.awaited(ids);
    }

    /// The worker with this rank.
    pub(crate) fn find(&self, rank: &Rank) -> Option<WorkerHome> {
        self.ranks.find(rank).map(|number| self.ranks.home(number))
    }

    /// The rank of a worker of this process, as text.
    pub(crate) fn title(&self, worker: usize) -> String {
        let rank = self.ranks.rank(self.number(worker));
        rank.outer(self.ranks.dimension()).iter().fold("rank".into(), |title, index| format!("{title} {index}"))
    }

    /// The number in the job of a worker of this process.
    pub(crate) fn number(&self, worker: usize) -> usize {
        self.ranks.number(WorkerHome { process: self.me.index() as u32, worker: worker as u32 })
    }
}
