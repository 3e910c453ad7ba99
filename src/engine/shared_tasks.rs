//! Tasks in which other processes take part, and calls that name what another process made. Whatever these need beyond
//! the engine is the job's ([`RemoteScheduler`](super::context::job::RemoteScheduler)).

use crate::data::{DataCache, DatumId, NOWHERE, Outcome, STORE, Storage};
use crate::engine::context::call::{Call, no_such_rank};
use crate::engine::context::job::{Job, SharedEnd, Target};
use crate::engine::context::task_gets::FEW_ARGUMENTS;
use crate::engine::context::worker_counts::WorkerCounts;
use crate::error::{Error, dvm_retcode_t};
use crate::id::{ProcessId, Rank};
use crate::idle::completion::count;
use crate::processing::{Found, ProcessingId, REGISTRY, Signature};
use crate::sync::inbox::Chain;
use crate::task::{OwnedTask, POOL, UNPLACED};
use crate::trace::{About, MessageKind};
use crate::world::rank_table::WorkerHome;

/// A task that is to be made of local slots.
pub(crate) struct SharedTask<'a> {
    pub(crate) signature: &'static Signature,
    /// The worker that is to run it; `None`: one near its data.
    pub(crate) worker: Option<u16>,
    /// The local slots of its arguments. Its inputs are pinned or taken for it, its outputs are promises that it
    /// produces.
    pub(crate) slots: &'a [DatumId],
    /// Whether it will not run.
    pub(crate) poisoned: bool,
    /// What the job calls it.
    pub(crate) number: u32,
}

impl Call {
    /// The job, if there are several processes.
    #[inline]
    pub(crate) fn job(&self) -> Option<&Job> {
        self.engine().job.as_ref()
    }

    /// The calling process and the number of processes.
    pub(crate) fn process(&self) -> (u64, u64) {
        self.job().map_or((0, 1), |job| (job.me.index(), job.processes))
    }

    /// The number of workers of all processes.
    pub(crate) fn rank_count(&self) -> usize {
        self.job().map_or_else(|| self.machine().workers(), |job| job.ranks.count())
    }

    /// The number of components of a rank.
    pub(crate) fn rank_dimension(&self) -> usize {
        self.job().map_or_else(|| self.machine().dimension(), |job| job.ranks.dimension())
    }

    /// For each component of a rank the largest number of siblings.
    pub(crate) fn rank_sizes(&self) -> [u64; Rank::DEPTH] {
        self.job().map_or_else(|| self.machine().sizes(), |job| job.ranks.sizes())
    }

    /// The rank of the worker with this number among all processes'.
    pub(crate) fn rank_at(&self, number: usize) -> Rank {
        self.job().map_or_else(|| self.machine().rank(number), |job| job.ranks.rank(number))
    }

    /// The rank of a worker of this process.
    pub(crate) fn rank_of(&self, worker: usize) -> Rank {
        match self.job() {
            None => self.machine().rank(worker),
            Some(job) => job.ranks.rank(job.number(worker)),
        }
    }

    /// The distance of two ranks.
    pub(crate) fn rank_distance(&self, a: &Rank, b: &Rank) -> Result<u64, Error> {
        let Some(job) = self.job() else {
            return Ok(self.machine().distance(self.worker_at(a)?, self.worker_at(b)?));
        };
        let find = |rank: &Rank| job.ranks.find(rank).ok_or_else(|| no_such_rank(rank));
        let (a, b) = (find(a)?, find(b)?);
        let (one, other) = (job.ranks.home(a), job.ranks.home(b));
        if one.process == other.process && ProcessId::from_index(one.process) == job.me {
            return Ok(self.machine().distance(one.worker as usize, other.worker as usize));
        }
        Ok(job.ranks.distance(a, b))
    }

    /// The tasks of the processing unit with this rank that were scheduled and have not ended.
    pub(crate) fn load_at(&self, rank: &Rank) -> Result<u64, Error> {
        let Some(job) = self.job() else { return Ok(self.load(self.worker_at(rank)?)) };
        let home = job.find(rank).ok_or_else(|| no_such_rank(rank))?;
        if ProcessId::from_index(home.process) == job.me {
            return Ok(self.load(home.worker as usize));
        }
        Ok(job.scheduler.load(home.process))
    }

    /// The processing with this id, whoever registered it.
    #[inline]
    pub(crate) fn find(&self, function: ProcessingId) -> Result<Found, Error> {
        match REGISTRY.find(function) {
            Err(error) => self.find_far(function, error),
            found => found,
        }
    }

    #[cold]
    #[inline(never)]
    fn find_far(&self, function: ProcessingId, unknown: Error) -> Result<Found, Error> {
        match self.job().filter(|_| !function.is_here()) {
            Some(job) => job.scheduler.find(function),
            None => Err(unknown),
        }
    }

    /// Schedules a task in a job of several processes.
    #[cold]
    #[inline(never)]
    pub(crate) fn schedule_in_job(
        &self,
        job: &Job,
        target: Target,
        function: ProcessingId,
        found: Found,
        ids: &[DatumId],
    ) -> Result<(), Error> {
        self.open()?;
        // The bytes of a marked datum may lie elsewhere.
        let marked = |id: &DatumId| target == Target::Near && STORE.is_marked(*id);
        let far = ids.iter().any(|id| !id.is_here() || marked(id));
        let here = match target {
            Target::Worker(home) => ProcessId::from_index(home.process) == job.me,
            Target::Near => true,
        };
        let worker = match target {
            Target::Worker(home) => home.worker as u16,
            Target::Near => UNPLACED,
        };
        let schedule = |signature: &'static Signature| {
            if here && !far {
                return self.schedule(worker, signature, ids);
            }
            job.scheduler.schedule(target, (function, signature), ids)
        };
        if found.fresh && function.is_here() {
            return REGISTRY.first(function, found.signature, schedule);
        }
        schedule(found.signature)
    }

    /// Runs or cancels a task that is marked, and releases everything that it held.
    #[cold]
    #[inline(never)]
    pub(crate) fn run_marked(&self, task: OwnedTask, me: usize, counts: &WorkerCounts) {
        let signature = task.signature();
        // From the end of `finish` on, the descriptor may be another task's.
        let shared = task.is_shared().then(|| (self.job().expect("a job shares its tasks"), task.number()));
        let (task, end) = match shared {
            Some((job, number)) if !task.is_poisoned() => self.run_shared(job, number, task, me, counts),
            _ => {
                self.engine().failures.cancelled();
                (task, SharedEnd::Cancelled)
            }
        };
        let outcome = if matches!(end, SharedEnd::Success) { Outcome::Published } else { Outcome::Poisoned };
        self.finish(task, signature, outcome, me);
        if let Some((job, number)) = shared {
            job.scheduler.ended(number, end);
        }
        self.ended(counts);
    }

    /// Runs a task in which other processes take part.
    fn run_shared(
        &self,
        job: &Job,
        number: u32,
        task: OwnedTask,
        me: usize,
        counts: &WorkerCounts,
    ) -> (OwnedTask, SharedEnd) {
        let (signature, scheduler) = (task.signature(), &job.scheduler);
        let (mut few, mut many) = ([DatumId::NONE; FEW_ARGUMENTS], Vec::new());
        let ids = if signature.count <= FEW_ARGUMENTS {
            &mut few[..signature.count]
        } else {
            many.resize(signature.count, DatumId::NONE);
            &mut many[..]
        };
        if !ids.is_empty() {
            scheduler.arguments(number, ids);
        }
        let execute = |task| {
            if self.engine().trace().is_on() {
                self.trace_arrow(scheduler.arrow(number));
            }
            self.execute_shared(task, signature, ids)
        };
        match self.traced(task, signature, me, counts, execute) {
            (task, Ok(())) => (task, SharedEnd::Success),
            (task, Err(message)) => {
                self.task_failed(&task, signature, &message, me);
                (task, SharedEnd::Failure(message))
            }
        }
    }

    /// The ids of a task's arguments, if other processes take part in it: its own are those of local slots.
    pub(crate) fn far_ids(&self, task: &OwnedTask, count: usize) -> Vec<DatumId> {
        let Some(job) = self.job().filter(|_| task.is_shared()) else { return Vec::new() };
        let mut ids = vec![DatumId::NONE; count];
        job.scheduler.arguments(task.number(), &mut ids);
        ids
    }

    /// Records that a task begins which another process has sent.
    #[cold]
    fn trace_arrow(&self, arrow: Option<(u64, u64)>) {
        let Some((arrow, from)) = arrow else { return };
        let trace = self.engine().trace();
        let about = About { arrow, peer: from as u16, ..About::default() };
        trace.message(self.worker(), trace.begin(), MessageKind::BeginTask, &about);
    }

    /// Makes a task of local slots; it runs once [`Call::start_shared`] gets it.
    pub(crate) fn make_shared(&self, shared: &SharedTask<'_>) -> Result<OwnedTask, Error> {
        let worker = shared.worker.unwrap_or(UNPLACED);
        let task = self.context.with(|own| POOL.take(&mut own.tasks, shared.signature, shared.slots, worker))?;
        task.share(shared.number);
        if shared.poisoned {
            task.poison();
        }
        for place in shared.signature.outputs() {
            // SAFETY: the task is in use until it has ended the promise.
            unsafe { STORE.produce(shared.slots[place], task.link()) };
        }
        if let Some(worker) = shared.worker {
            self.context.give(worker as usize, 1);
        }
        Ok(task)
    }

    /// Hands a task over that misses no input.
    pub(crate) fn start_shared(&self, task: OwnedTask) {
        self.ready(task, false);
    }

    /// Counts a task that was scheduled.
    pub(crate) fn count_scheduled(&self) {
        count(&self.context.counters.scheduled);
    }

    /// Counts the end of a task that was counted as scheduled, and has not run here.
    pub(crate) fn count_ended_elsewhere(&self) {
        count(&self.context.counters.activated);
        count(&self.context.counters.ended);
        self.engine().completion.notify();
    }

    /// New memory with these bytes, for a datum.
    pub(crate) fn storage_of(&self, bytes: &[u8]) -> Result<Storage, Error> {
        self.context.with(|own| own.data.copied(bytes))
    }

    /// The worker near which bytes are put that no worker has written.
    pub(crate) fn any_home(&self) -> u32 {
        self.context.home(self.engine().workers())
    }

    /// Continues the tasks that waited for a promise of this process, which has come to something elsewhere.
    pub(crate) fn arrived(&self, local: DatumId, storage: Option<Storage>) {
        let outcome = if storage.is_some() { Outcome::Published } else { Outcome::Poisoned };
        let home = if storage.is_some() { self.any_home() } else { NOWHERE };
        let waiters = self.context.with(|own| STORE.arrive(&mut own.data, local, storage, home));
        self.activate(waiters, outcome);
    }

    /// Publishes a promise of 0 bytes that no other process uses, or poisons it.
    pub(crate) fn settle(&self, promise: DatumId, kept: bool) {
        let storage = kept.then(|| self.storage_of(&[]).ok()).flatten();
        self.arrived(promise, storage);
    }

    /// Poisons the promises of this process that nobody produces.
    pub(crate) fn poison_unproduced(&self) {
        let mut all: Vec<Chain> = Vec::new();
        self.context.with(|own| STORE.poison_unproduced(&mut own.data, |waiters| all.push(waiters)));
        for waiters in all {
            self.activate(waiters, Outcome::Poisoned);
        }
        self.give_back();
    }

    /// The local slot of a far datum, for a call that uses its bytes: an argument of the running task, or one that
    /// was brought before.
    pub(crate) fn slot_of(&self, id: DatumId) -> Option<DatumId> {
        let argument = self.context.with(|own| own.frame.slot_of(id));
        argument.or_else(|| self.job()?.scheduler.slot(id))
    }

    /// Adds a reference to a datum that the store does not have, if another process has it.
    #[cold]
    #[inline(never)]
    pub(crate) fn acquire_far(&self, id: DatumId, error: Error) -> Result<(), Error> {
        if id.is_here() {
            return Err(error);
        }
        self.far(id)?.scheduler.acquire(id)
    }

    /// Drops a reference of a far datum.
    #[cold]
    #[inline(never)]
    pub(crate) fn relax_far(&self, id: DatumId) -> Result<(), Error> {
        self.far(id)?.scheduler.relax(id)
    }

    /// The job that has this far datum.
    #[cold]
    #[inline(never)]
    pub(crate) fn far(&self, id: DatumId) -> Result<&Job, Error> {
        self.job().filter(|job| id.home().index() < job.processes).ok_or_else(|| {
            Error::new(
                dvm_retcode_t::DVM_ERR_ID,
                format!("datum {id} does not exist: there is no process {}", id.home()),
            )
        })
    }
}

/// What the job needs of the thread and of the engine.
impl Call {
    /// Lends the thread's cache of data.
    pub(crate) fn data_cache<R>(&self, body: impl FnOnce(&mut DataCache) -> R) -> R {
        self.context.with(|own| body(&mut own.data))
    }

    /// Gives the memory of freed data back, and tells the job of marked data that have changed.
    pub(crate) fn give_back(&self) {
        self.context.give_back();
    }

    /// Whether the thread has freed something that it has not given back.
    pub(crate) fn owes(&self) -> bool {
        self.context.with(|own| !own.data.owes_nothing())
    }

    /// Wakes the thread that waits, if there is one, to look again.
    pub(crate) fn notice(&self) {
        self.engine().completion.notify();
    }

    /// Notes a defect of libdvm.
    pub(crate) fn note_defect(&self, message: &str) {
        self.engine().note_defect(message);
    }

    /// The defect that was found, if there is one.
    pub(crate) fn defect(&self) -> Option<Error> {
        self.engine().defect()
    }

    /// Prints a note, if the user wants notes.
    pub(crate) fn note(&self, text: impl FnOnce() -> String) {
        self.engine().config().note(text);
    }

    /// Counts a task that failed.
    pub(crate) fn count_failure(&self, text: impl FnOnce() -> String) {
        self.engine().failures.failed(text);
    }

    /// Counts a task that was cancelled.
    pub(crate) fn count_cancelled(&self) {
        self.engine().failures.cancelled();
    }

    /// How many tasks failed since the last report, and the first message.
    pub(crate) fn failures(&self) -> (u64, Option<String>) {
        self.engine().failures.so_far()
    }

    /// So many failures, the first ones, were reported.
    pub(crate) fn forget_failures(&self, told: u64) {
        self.engine().failures.told(told);
    }

    /// Waits for another process: in a task, another thread runs tasks in its place meanwhile.
    pub(crate) fn while_blocked<R>(&self, wait: impl FnOnce() -> R) -> R {
        let section = self.worker().is_some() && self.blocking_begin().is_ok();
        let result = wait();
        if section {
            let _ = self.blocking_end();
        }
        result
    }

    /// Refuses an id of a process that does not exist.
    pub(crate) fn far_or_here(&self, id: DatumId) -> Result<(), Error> {
        if id.is_here() { Ok(()) } else { self.far(id).map(|_| ()) }
    }

    /// The number of a worker in the job.
    pub(crate) fn number_of(&self, home: WorkerHome) -> u32 {
        self.job().map_or(0, |job| job.ranks.number(home) as u32)
    }

    /// The worker with this number in the job.
    pub(crate) fn home_of_number(&self, number: usize) -> Option<WorkerHome> {
        self.job().filter(|job| number < job.ranks.count()).map(|job| job.ranks.home(number))
    }
}
