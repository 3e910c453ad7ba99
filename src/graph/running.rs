//! A graph while it runs: tiles are found, run and release their successors.

mod account;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering, fence};

use parking_lot::{Condvar, Mutex};

use super::callbacks::Callbacks;
use super::pending::Pending;
use super::roots::Roots;
use super::space::{Space, Tile};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::deque::{Deque, Steal};

/// Tiles that one call of `poll` runs at most, so that the worker looks at its own queue from time to time.
const BATCH: usize = 16;

/// What one worker has: its ready tiles and how many tiles it has seen. Only the owner writes the counters.
#[repr(align(64))]
struct Lane {
    ready: Deque,
    /// Root candidates that were looked at, after `created` has counted them.
    scanned: AtomicU64,
    /// Tiles that became ready here.
    created: AtomicU64,
    /// Tiles that ended here, after `created` has counted their successors.
    ended: AtomicU64,
    /// Tiles that were looked at here and wait for predecessors, in a graph that tells its edges.
    waiting: AtomicU64,
    /// Root tiles that were found here.
    rooted: AtomicU64,
    /// One more than the number of the tile that runs here; 0: none.
    running: AtomicU64,
}

/// What a graph needs of the engine whose workers run it.
pub(crate) trait Host {
    /// The workers other than `worker`, nearest first.
    fn neighbours(&self, worker: usize) -> &[u32];
    /// There are more tiles than this worker runs next.
    fn work_ready(&self);
    /// Runs a tile by calling `run`; the place to record it.
    fn observe(&self, _worker: usize, _tile: &[i64], run: &mut dyn FnMut()) {
        run();
    }
}

/// A running graph.
pub(crate) struct Running {
    name: String,
    space: Space,
    callbacks: Callbacks,
    /// Coordinates that order the tiles.
    carried: Vec<usize>,
    /// Coordinates that number the roots, and the roots' box.
    free: Vec<usize>,
    root_count: u64,
    roots: Roots,
    lanes: Box<[Lane]>,
    pending: Pending,
    stopped: AtomicBool,
    failure: Mutex<Option<Error>>,
    finishing: AtomicBool,
    done: Mutex<bool>,
    over: Condvar,
}

impl Running {
    /// A graph over `space` in which a tile waits for its predecessors along the coordinates with `carried` set, unless the
    /// callbacks tell its predecessors and successors.
    pub(crate) fn new(name: String, space: Space, carried: &[bool], callbacks: Callbacks, workers: usize) -> Self {
        let dimension = space.dimension();
        let general = callbacks.tells_edges();
        let is_carried = |k: &usize| !general && carried.get(*k).copied().unwrap_or(false);
        let free: Vec<usize> = (0..dimension).filter(|k| !is_carried(k)).collect();
        let root_count = if space.volume() == 0 { 0 } else { free.iter().map(|&k| space.extent(k)).product() };
        let lane = || Lane {
            ready: Deque::new(),
            scanned: AtomicU64::new(0),
            created: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            rooted: AtomicU64::new(0),
            running: AtomicU64::new(0),
        };
        Self {
            name,
            carried: (0..dimension).filter(is_carried).collect(),
            free,
            root_count,
            roots: Roots::new(root_count, workers),
            lanes: (0..workers).map(|_| lane()).collect(),
            pending: Pending::new(workers),
            space,
            callbacks,
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
            finishing: AtomicBool::new(false),
            done: Mutex::new(false),
            over: Condvar::new(),
        }
    }

    /// Runs some tiles as worker `worker`, which no other thread is meanwhile. False when there were none.
    pub(crate) fn poll(&self, worker: usize, host: &dyn Host) -> bool {
        for ran in 0..BATCH {
            let Some(number) = self.next(worker, host) else {
                self.finish_if_over();
                return ran > 0;
            };
            self.run(worker, number, host);
        }
        true
    }

    /// A ready tile: the newest of the own ones, a root, or another worker's oldest.
    fn next(&self, worker: usize, host: &dyn Host) -> Option<u64> {
        let lane = &self.lanes[worker];
        if let Some(number) = lane.ready.pop() {
            return Some(number);
        }
        loop {
            if let Some(number) = self.next_root(worker) {
                return Some(number);
            }
            if self.stopped.load(Ordering::Relaxed) {
                bump(&lane.scanned, self.roots.abandon(worker));
            }
            for &victim in host.neighbours(worker) {
                if let Some(number) = self.steal(victim as usize) {
                    return Some(number);
                }
            }
            if !host.neighbours(worker).iter().any(|&victim| self.roots.take_half(worker, victim as usize)) {
                return None;
            }
            host.work_ready();
        }
    }

    /// The next root of the worker's own part that is a tile without predecessors.
    fn next_root(&self, worker: usize) -> Option<u64> {
        let lane = &self.lanes[worker];
        while !self.stopped.load(Ordering::Relaxed) {
            let number = self.root(self.roots.next(worker)?);
            let predecessors = self.callbacks.predecessors(&self.space.tile(number)).unwrap_or(0);
            let is_root = predecessors == 0;
            if is_root {
                bump(&lane.rooted, 1);
                bump(&lane.created, 1);
            } else if predecessors > 0 {
                bump(&lane.waiting, 1);
            }
            bump(&lane.scanned, 1);
            if is_root {
                return Some(number);
            }
        }
        None
    }

    /// The tile number of a root number: its digits are the free coordinates, the carried ones are at their lower bounds.
    fn root(&self, mut root: u64) -> u64 {
        let mut number = 0;
        for &k in self.free.iter().rev() {
            number += root % self.space.extent(k) * self.space.stride(k);
            root /= self.space.extent(k);
        }
        number
    }

    fn steal(&self, victim: usize) -> Option<u64> {
        loop {
            match self.lanes[victim].ready.steal() {
                Steal::Item(number) => return Some(number),
                Steal::Empty => return None,
                Steal::Retry => std::hint::spin_loop(),
            }
        }
    }

    fn run(&self, worker: usize, number: u64, host: &dyn Host) {
        if !self.stopped.load(Ordering::Relaxed) {
            let tile = self.space.tile(number);
            let mut code = 0;
            self.lanes[worker].running.store(number + 1, Ordering::Release);
            host.observe(worker, &tile[..self.space.dimension()], &mut || code = self.callbacks.run(&tile));
            self.lanes[worker].running.store(0, Ordering::Release);
            if code == 0 {
                self.release(worker, number, &tile, host);
            } else {
                self.fail(dvm_retcode_t::DVM_ERR_TASK, &tile, &format!("failed with code {code}"));
            }
        }
        bump(&self.lanes[worker].ended, 1);
    }

    /// Tells the successors of a tile that it has run.
    fn release(&self, worker: usize, number: u64, tile: &Tile, host: &dyn Host) {
        let lane = &self.lanes[worker];
        let mut ready = 0;
        let mut make_ready = |successor: u64| {
            bump(&lane.created, 1);
            lane.ready.push(successor);
            ready += 1;
        };
        let told = self.callbacks.successors(tile, self.space.dimension(), &mut |coordinates| {
            let Some(successor) = self.space.number(coordinates) else {
                let what = format!("has a successor outside the graph's box: {coordinates:?}");
                return self.fail(dvm_retcode_t::DVM_ERR_ARGUMENT, tile, &what);
            };
            let mut total = 1;
            let arrived = self.pending.arrive(successor, || {
                total = self.callbacks.predecessors(&self.space.tile(successor)).unwrap_or(1);
                total.max(1) as u64
            });
            if total <= 0 {
                let what = format!(
                    "has the successor {coordinates:?}, which {}: predecessors and successors do not agree",
                    if total == 0 { "has no predecessors" } else { "is no tile" }
                );
                return self.fail(dvm_retcode_t::DVM_ERR_STATE, tile, &what);
            }
            // A cycle makes tiles run again and again: more of them than the box has points.
            if arrived && lane.created.load(Ordering::Relaxed) >= self.space.volume() {
                let what = "has run again and again: the graph has a cycle";
                return self.fail(dvm_retcode_t::DVM_ERR_STATE, tile, what);
            }
            if arrived {
                make_ready(successor);
            }
        });
        if !told {
            let reached = self.carried.iter().filter(|&&k| self.space.index(tile, k) > 0).count() as u64;
            for &k in &self.carried {
                let index = self.space.index(tile, k);
                if index + 1 < self.space.extent(k) {
                    let (successor, total) = (number + self.space.stride(k), reached + u64::from(index == 0));
                    // With one input there is nothing to count.
                    if total == 1 || self.pending.arrive(successor, || total) {
                        make_ready(successor);
                    }
                }
            }
        }
        // One of them runs here next; the others may run elsewhere.
        if ready > 1 {
            host.work_ready();
        }
    }

    /// Stops the graph: what has not begun does not run. The first failure is kept.
    fn fail(&self, code: dvm_retcode_t, tile: &Tile, what: &str) {
        let mut failure = self.failure.lock();
        if failure.is_none() {
            let (name, tile) = (&self.name, &tile[..self.space.dimension()]);
            *failure =
                Some(Error::new(code, format!("graph '{name}': tile {tile:?} {what}; the tiles after it did not run")));
        }
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Ends the graph when every root has been looked at and every tile that became ready has ended.
    ///
    /// The counters only grow and are read in this order: scanned (all: no further roots), ended, created. A tile's end is
    /// counted after its successors' readiness, so equal sums mean that nothing is left, at the moment when `ended` was read.
    /// The fence makes at least the last worker to come here see everybody's counts.
    fn finish_if_over(&self) {
        fence(Ordering::SeqCst);
        if self.sum(|lane| &lane.scanned) < self.root_count {
            return;
        }
        let ended = self.sum(|lane| &lane.ended);
        if ended == self.sum(|lane| &lane.created) && !self.finishing.swap(true, Ordering::Relaxed) {
            *self.done.lock() = true;
            self.over.notify_all();
        }
    }

    /// A counter over all lanes.
    fn sum(&self, counter: fn(&Lane) -> &AtomicU64) -> u64 {
        self.lanes.iter().map(|lane| counter(lane).load(Ordering::Acquire)).sum()
    }

    /// Runs the graph on the calling thread, which is its only worker.
    pub(crate) fn run_alone(&self, host: &dyn Host) -> Result<(), Error> {
        while self.poll(0, host) {}
        self.wait()
    }

    /// Sleeps until the graph is over; its first failure.
    pub(crate) fn wait(&self) -> Result<(), Error> {
        let mut done = self.done.lock();
        while !*done {
            self.over.wait(&mut done);
        }
        drop(done);
        if let Some(error) = self.failure.lock().take() {
            return Err(error);
        }
        match self.pending.left() {
            (count, Some(number)) => {
                let tile = &self.space.tile(number)[..self.space.dimension()];
                Err(Error::new(
                    dvm_retcode_t::DVM_ERR_STATE,
                    format!(
                        "graph '{}': {count} tiles wait for predecessors that never ran, among them {tile:?}: \
                         its predecessors and successors functions do not agree, or the graph has a cycle",
                        self.name
                    ),
                ))
            }
            _ => self.all_reached(),
        }
    }

    /// The tiles with predecessors that became ready are as many as there are: the edges were told in agreement.
    fn all_reached(&self) -> Result<(), Error> {
        let waiting = self.sum(|lane| &lane.waiting);
        let reached = self.sum(|lane| &lane.created) - self.sum(|lane| &lane.rooted);
        if !self.callbacks.tells_edges() || reached == waiting {
            return Ok(());
        }
        Err(Error::new(
            dvm_retcode_t::DVM_ERR_STATE,
            format!(
                "graph '{}': {waiting} tiles have predecessors, but successors have made {reached} tiles ready: \
                 its predecessors and successors functions do not agree, or the graph has a cycle",
                self.name
            ),
        ))
    }
}

/// Adds to a counter that only this thread writes.
fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed) + by, Ordering::Release);
}
