//! Sleeping and waking. A lost wake-up is a deadlock, which loom reports.

use loom::sync::Arc;
use loom::thread;

use super::models;
use crate::idle::parking::{IdleSet, Parker};
use crate::idle::planted::planted;
use crate::sync::atomic::{AtomicBool, Ordering};

models! {
    own_work finds [own_work_without_fence, sleep_without_fence, wake_without_lock, wake_before_the_push];
    work_for_anybody finds [announce_without_fence, enter_without_fence, announce_without_epoch, sleep_through_epoch,
        look_for_sleepers_without_fence, announce_before_the_push];
    the_stop finds [announce_without_fence, wake_without_lock];
    many_workers finds [sleep_unlisted];
    lookers finds [looker_without_fence, lookers_counted_without_fence];
}

/// Workers that take tasks which any worker may run, as the engine's workers do.
struct Shared {
    idle_set: IdleSet,
    parkers: Vec<Parker>,
    /// Tasks for any worker, each at its place until a worker takes it.
    tasks: [AtomicBool; 2],
    /// Tasks for worker 0.
    own: AtomicBool,
    stopping: AtomicBool,
}

impl Shared {
    fn new(workers: usize, enough: usize) -> Arc<Shared> {
        Arc::new(Shared {
            idle_set: IdleSet::new(workers, enough),
            parkers: (0..workers).map(|_| Parker::default()).collect(),
            tasks: Default::default(),
            own: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
        })
    }

    fn wake_near(&self, worker: usize) {
        let nearest = || (0..self.parkers.len()).filter(move |&other| other != worker);
        self.idle_set.wake_near(worker, |worker| &self.parkers[worker], nearest);
    }

    /// Puts a task where any worker finds it.
    fn push(&self, task: usize) {
        let push = || self.tasks[task].store(true, Ordering::Release);
        let announce = || {
            if self.idle_set.announce_task() {
                self.wake_near(0);
            }
        };
        in_order(push, announce, "announce_before_the_push");
    }

    fn sees_task(&self) -> bool {
        self.tasks.iter().any(|task| task.load(Ordering::Relaxed))
    }

    fn take(&self) -> bool {
        self.tasks.iter().any(|task| task.load(Ordering::Relaxed) && task.swap(false, Ordering::AcqRel))
    }

    /// One turn of a worker without tasks: it ends when there may be work.
    fn sleep(&self, me: usize, own: impl Fn() -> bool) {
        let idle = self.idle_set.enter();
        if !own() && !self.sees_task() && !self.stopping.load(Ordering::SeqCst) {
            idle.sleep(me, &self.parkers[me], || own() || self.stopping.load(Ordering::SeqCst));
        }
    }
}

/// Makes work visible, and then wakes a worker; the other way round if the defect of this name is put back.
fn in_order(push: impl Fn(), wake: impl Fn(), defect: &str) {
    if planted(defect) {
        wake();
        push();
    } else {
        push();
        wake();
    }
}

/// Work that only one worker finds.
fn own_work() {
    let shared = Shared::new(1, 0);
    let worker = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        while !worker.own.load(Ordering::Acquire) {
            worker.sleep(0, || worker.own.load(Ordering::Acquire));
        }
    });
    let push = || shared.own.store(true, Ordering::Release);
    in_order(push, || shared.parkers[0].wake_for_own(), "wake_before_the_push");
    worker.join().unwrap();
}

/// Two tasks that any worker may run: one worker runs both.
fn work_for_anybody() {
    let shared = Shared::new(1, 0);
    let worker = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        for _ in 0..2 {
            while !worker.take() {
                worker.sleep(0, || false);
            }
        }
    });
    shared.push(0);
    shared.push(1);
    worker.join().unwrap();
}

/// A worker sleeps, or is about to, when the engine stops.
fn the_stop() {
    let shared = Shared::new(1, 0);
    let worker = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        while !worker.stopping.load(Ordering::Acquire) {
            worker.sleep(0, || false);
        }
    });
    shared.stopping.store(true, Ordering::SeqCst);
    if shared.idle_set.announce() {
        shared.parkers[0].wake();
    }
    worker.join().unwrap();
}

/// With sets of workers: worker 0 is awake and busy; worker 1, which sleeps or is about to, is found.
fn many_workers() {
    let shared = Shared::new(2, 0);
    let worker = Arc::clone(&shared);
    let worker = thread::spawn(move || {
        while !worker.take() {
            worker.sleep(1, || false);
        }
    });
    shared.push(0);
    worker.join().unwrap();
}

/// Worker 0 yields its CPU, and the pusher relies on it; then it takes one task and does not return. Worker 1, which
/// sleeps, has to get the second task.
fn lookers() {
    let shared = Shared::new(2, 1);
    let workers = [0, 1].map(|me| {
        let worker = Arc::clone(&shared);
        thread::spawn(move || {
            let mut looked = me == 0 && worker.idle_set.yield_cpu();
            while !worker.take() {
                looked = worker.idle_set.are_lookers_counted();
                worker.sleep(me, || false);
            }
            if looked && worker.sees_task() && worker.idle_set.announce_task() {
                worker.wake_near(me);
            }
        })
    });
    shared.push(0);
    shared.push(1);
    workers.into_iter().for_each(|worker| worker.join().unwrap());
}
