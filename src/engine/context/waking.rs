//! Waking workers for work. The protocol is in `src/idle/README.md`.

use std::any::Any;
use std::sync::Arc;

use super::ThreadContext;
use super::shared::Engine;
use super::source::Source;

impl Engine {
    /// Adds a source. Workers without tasks poll it from now on.
    pub(crate) fn attach(&self, source: Arc<dyn Source>) {
        self.sources.attach(source);
        self.wake_all();
    }

    /// Adds a source that needs no worker: those that are awake poll it.
    pub(crate) fn attach_for_others(&self, source: Arc<dyn Source>) {
        self.sources.attach(source);
    }

    /// The source that stays for all loops of this engine; `make` makes the first one.
    pub(crate) fn sweeps<S: Source + Any>(&self, make: impl FnOnce() -> Arc<S>) -> &(dyn Any + Send + Sync) {
        let sweeps = self.sweeps.get_or_init(|| {
            let source = make();
            self.sources.attach(Arc::clone(&source) as Arc<dyn Source>);
            source
        });
        sweeps.as_ref()
    }

    /// Wakes all workers but one, for work that is already visible.
    pub(crate) fn wake_others(&self, spared: usize) {
        if self.idle_set.announce() {
            self.workers.iter().enumerate().filter(|(worker, _)| *worker != spared).for_each(|(_, worker)| {
                worker.parker.0.wake();
            });
        }
    }

    /// Removes a source. When this returns, no worker except the calling one is inside the source, and none will be
    /// again.
    pub(crate) fn detach(&self, source: &Arc<dyn Source>) {
        let me = ThreadContext::current().worker();
        let others = self.workers.iter().enumerate().filter(|&(worker, _)| Some(worker) != me);
        self.sources.detach(source, others.map(|(_, worker)| &worker.polling.0));
    }

    /// Wakes one sleeping worker, if there is one, for work that is already visible. Cheap if no worker sleeps.
    pub(crate) fn wake_one(&self) {
        if self.idle_set.announce() {
            self.wake_near(ThreadContext::current().worker().unwrap_or(0));
        }
    }

    /// Wakes all workers, for work that is already visible.
    pub(crate) fn wake_all(&self) {
        if self.idle_set.announce() {
            self.workers.iter().for_each(|worker| {
                worker.parker.0.wake();
            });
        }
    }

    /// Adds a worker to the holders, and wakes a worker for what was just put into its queue: the holder itself, the
    /// nearest sleeper, or none if enough workers are about to look around.
    #[inline]
    pub(crate) fn show_tasks(&self, worker: usize) {
        self.holders.add(worker);
        self.wake_for_task(worker);
    }

    /// Wakes a worker, preferably this one, for a visible task that any worker may run.
    #[inline]
    pub(crate) fn wake_for_task(&self, worker: usize) {
        if self.idle_set.announce_task() {
            self.wake_near(worker);
        }
    }

    /// Wakes this worker if it sleeps, else the nearest sleeper.
    fn wake_near(&self, worker: usize) {
        let nearest = || self.machine.neighbours(worker).iter().map(|&other| other as usize);
        self.idle_set.wake_near(worker, |worker| &self.workers[worker].parker.0, nearest);
    }
}
