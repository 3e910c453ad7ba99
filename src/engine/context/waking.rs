//! Telling workers that there is something to do. The protocol is in `src/idle/README.md`.

use std::sync::Arc;

use super::ThreadContext;
use super::shared::Engine;
use super::source::Source;

impl Engine {
    /// Adds a source: workers without tasks poll it from now on.
    pub(crate) fn attach(&self, source: Arc<dyn Source>) {
        self.sources.attach(source);
        self.wake_all();
    }

    /// Removes a source. When this returns no worker is inside it, apart from the calling one, and none will be.
    pub(crate) fn detach(&self, source: &Arc<dyn Source>) {
        let me = ThreadContext::current().worker();
        let others = self.workers.iter().enumerate().filter(|&(worker, _)| Some(worker) != me);
        self.sources.detach(source, others.map(|(_, worker)| &worker.polling.0));
    }

    /// Wakes one sleeping worker, if there is one, for work that is visible already. Cheap when nobody sleeps.
    pub(crate) fn wake_one(&self) {
        if self.idle_set.announce() {
            self.wake_near(ThreadContext::current().worker().unwrap_or(0));
        }
    }

    /// Wakes all workers, for work that is visible already.
    pub(crate) fn wake_all(&self) {
        if self.idle_set.announce() {
            self.workers.iter().for_each(|worker| {
                worker.parker.0.wake();
            });
        }
    }

    /// Adds a worker to those that have tasks for others, and wakes somebody for what was just put into its queue: that
    /// worker, the nearest that sleeps, or nobody if enough others are about to look around.
    #[inline]
    pub(crate) fn show_tasks(&self, worker: usize) {
        self.holders.add(worker);
        self.wake_for_task(worker);
    }

    /// Wakes somebody, best this worker, for a task that any worker may run and that is visible already.
    #[inline]
    pub(crate) fn wake_for_task(&self, worker: usize) {
        if self.idle_set.announce_task() {
            self.wake_near(worker);
        }
    }

    /// Wakes this worker if it sleeps, else the nearest that does.
    fn wake_near(&self, worker: usize) {
        let nearest = || self.machine.neighbours(worker).iter().map(|&other| other as usize);
        self.idle_set.wake_near(worker, |worker| &self.workers[worker].parker.0, nearest);
    }
}
