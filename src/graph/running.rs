//! A running graph: finds and runs tiles, and releases their successors.

mod bounded;
mod progress;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::sync::lock::{Condvar, Mutex};

use super::callbacks::Callbacks;
use super::roots::Roots;
use super::space::{MAX_DIMENSION, Space, Tile};
use super::worker_tiles::{TileCounts, WorkerTiles, bump};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::countdown::Countdown;
use crate::sync::fence;

/// Maximum number of tiles per call of `poll`, so that the worker looks at its own queue from time to time.
const BATCH: usize = 16;

/// Maximum number of root candidates to check at a time while none is a root.
const MOST_CANDIDATES: u64 = 256;

/// Number of root candidates after which a worker looks once for other workers' tiles.
const CANDIDATES_PER_LOOK: u64 = 4096;

/// A tile with its number and coordinates.
struct Position {
    number: u64,
    tile: Tile,
}

impl Position {
    fn new() -> Self {
        Self { number: 0, tile: [0; MAX_DIMENSION] }
    }
}

/// What has become of a finished tile's successors.
struct Released<'a> {
    mine: &'a WorkerTiles,
    /// The tile that became ready last, if `any` did.
    next: &'a mut Position,
    any: bool,
    /// Whether others may take some.
    pushed: bool,
}

/// The engine, as far as a graph uses it.
pub(crate) trait Host {
    /// The workers other than `worker`, nearest first.
    fn neighbours(&self, worker: usize) -> &[u32];
    /// Announces that there are more tiles than this worker runs next.
    fn work_ready(&self);
    /// Runs a tile by calling `run`; may record it.
    fn observe(&self, _worker: usize, _tile: &[i64], run: impl FnOnce()) {
        run();
    }
}

/// The result of checking root candidates.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Scanned {
    /// A tile to run was found.
    Root,
    /// Many candidates were not roots; there are more.
    Some,
    /// No candidates are left.
    None,
}

pub(crate) struct Running {
    name: String,
    space: Space,
    callbacks: Callbacks,
    /// Coordinates that order the tiles.
    carried: Vec<usize>,
    /// Coordinates that number the roots, and the box of roots; of a graph with bounds the slices are numbered.
    free: Vec<usize>,
    root_count: u64,
    roots: Roots,
    workers: Box<[WorkerTiles]>,
    /// Missing inputs of tiles that have some but not all of their inputs.
    pending: Countdown,
    stopped: AtomicBool,
    failure: Mutex<Option<Error>>,
    finishing: AtomicBool,
    done: Mutex<bool>,
    over: Condvar,
}

impl Running {
    /// A graph over `space`. A tile waits for its predecessors along the coordinates with `carried` set, unless the
    /// callbacks give its predecessors and successors.
    pub(crate) fn new(name: String, space: Space, carried: &[bool], callbacks: Callbacks, workers: usize) -> Self {
        let dimension = space.dimension();
        let general = callbacks.tells_edges();
        let is_carried = |k: &usize| !general && carried.get(*k).copied().unwrap_or(false);
        let free: Vec<usize> = (0..dimension).filter(|k| !is_carried(k)).collect();
        let root_count = match space.volume() {
            0 => 0,
            _ if callbacks.tells_bounds() => space.slices(),
            _ => free.iter().map(|&k| space.extent(k)).product(),
        };
        Self {
            name,
            carried: (0..dimension).filter(is_carried).collect(),
            free,
            root_count,
            roots: Roots::new(root_count, workers),
            workers: (0..workers).map(|_| WorkerTiles::new()).collect(),
            pending: Countdown::new(space.volume(), space.cross_section(), workers == 1),
            space,
            callbacks,
            stopped: AtomicBool::new(false),
            failure: Mutex::new(None),
            finishing: AtomicBool::new(false),
            done: Mutex::new(false),
            over: Condvar::new(),
        }
    }

    /// Runs some tiles as `worker`; no other thread may be that worker meanwhile. False if there were none.
    pub(crate) fn poll<H: Host>(&self, worker: usize, host: &H) -> bool {
        let (mut at, mut next) = (Position::new(), Position::new());
        let mut left = BATCH;
        while left > 0 {
            if !self.next(worker, host, &mut at) {
                self.finish_if_over(worker);
                break;
            }
            left -= self.run_chain(worker, &mut at, &mut next, left, host);
        }
        let mine = &self.workers[worker];
        if left == 0 && mine.kept.seen().is_none() && mine.ready.is_empty() {
            self.finish_if_over(worker);
        }
        left < BATCH
    }

    /// Lets other workers take the tile that the worker kept.
    pub(crate) fn make_stealable<H: Host>(&self, worker: usize, host: &H) {
        let mine = &self.workers[worker];
        if let Some(number) = mine.kept.take() {
            self.push(mine, number);
            host.work_ready();
        }
    }

    /// A ready tile: the kept one, the newest of the worker's own, a root, or the oldest of another worker.
    fn next<H: Host>(&self, worker: usize, host: &H, at: &mut Position) -> bool {
        let mine = &self.workers[worker];
        let mut found = mine.kept.take().or_else(|| mine.ready.pop());
        while found.is_none() {
            let scanned = self.scan(worker, host, at);
            if scanned == Scanned::Root {
                return true;
            }
            found = host.neighbours(worker).iter().find_map(|&victim| self.workers[victim as usize].steal());
            if found.is_some() || scanned == Scanned::Some {
                continue;
            }
            if host.neighbours(worker).iter().any(|&victim| self.roots.take_half(worker, victim as usize)) {
                host.work_ready();
                continue;
            }
            // One victim at a time: `take_kept` counts looks at the same victim, and alternating would restart it.
            let mut others = host.neighbours(worker).iter().map(|&victim| &self.workers[victim as usize]);
            found = others.find(|victim| victim.kept.seen().is_some()).and_then(|victim| mine.take_kept(victim));
            break;
        }
        let Some(number) = found else { return false };
        at.number = number;
        self.space.locate(number, &mut at.tile);
        true
    }

    /// Searches the worker's own part of the candidates for a tile without predecessors.
    fn scan<H: Host>(&self, worker: usize, host: &H, at: &mut Position) -> Scanned {
        let (mine, mut most, mut looked) = (&self.workers[worker], 1, 0);
        while looked < CANDIDATES_PER_LOOK {
            if self.stopped.load(Ordering::Relaxed) {
                bump(&mine.counts.scanned, self.roots.abandon(worker));
                mine.unsettle();
                return Scanned::None;
            }
            let Some(candidates) = self.roots.next(worker, most) else { return Scanned::None };
            let (past, is_root) = if self.callbacks.tells_bounds() {
                self.scan_slices(worker, &candidates, at, host)
            } else {
                self.scan_some(worker, &candidates, at)
            };
            if past < candidates.end {
                // While this worker held the candidates, others may have found none and gone to sleep.
                self.roots.give_back(worker, past..candidates.end);
                host.work_ready();
            }
            if is_root {
                return Scanned::Root;
            }
            looked += past - candidates.start;
            most = (2 * most).min(MOST_CANDIDATES);
        }
        Scanned::Some
    }

    /// Searches some candidates for a tile without predecessors. Returns the end of the checked range, and whether `at`
    /// is such a tile.
    fn scan_some(&self, worker: usize, candidates: &Range<u64>, at: &mut Position) -> (u64, bool) {
        let mine = &self.workers[worker];
        let (mut waiting, mut past) = (0, candidates.start);
        at.number = self.root(past);
        self.space.locate(at.number, &mut at.tile);
        let is_root = loop {
            let predecessors = self.predecessors(&at.tile, 0);
            past += 1;
            waiting += u64::from(predecessors > 0);
            if predecessors == 0 || past == candidates.end {
                break predecessors == 0;
            }
            // Only a graph that gives its edges gets here: its candidates are all tiles in sequence.
            at.number += 1;
            self.space.advance(&mut at.tile);
        };
        bump(&mine.counts.waiting, waiting);
        bump(&mine.counts.rooted, u64::from(is_root));
        bump(&mine.counts.created, u64::from(is_root));
        bump(&mine.counts.scanned, past - candidates.start);
        mine.unsettle();
        (past, is_root)
    }

    /// The tile number of a root: its digits are the free coordinates; the carried ones are at their lower bounds.
    fn root(&self, mut root: u64) -> u64 {
        if self.callbacks.tells_edges() {
            return root;
        }
        let mut number = 0;
        for &k in self.free.iter().rev() {
            number += root % self.space.extent(k) * self.space.stride(k);
            root /= self.space.extent(k);
        }
        number
    }

    /// Runs a tile, then a tile that it made ready, and so on, up to `most` tiles; keeps the next one for later.
    /// Returns the number of tiles.
    fn run_chain<'a, H: Host>(
        &self,
        worker: usize,
        mut at: &'a mut Position,
        mut next: &'a mut Position,
        most: usize,
        host: &H,
    ) -> usize {
        let mine = &self.workers[worker];
        for ran in 1..=most {
            if !self.run(worker, at, next, host) {
                bump(&mine.counts.ended, 1);
                mine.unsettle();
                return ran;
            }
            bump(&mine.counts.followed, 1);
            std::mem::swap(&mut at, &mut next);
        }
        if mine.kept.seen().is_some() {
            // A thread that replaced this worker during a blocking section has already kept one.
            self.push(mine, at.number);
        } else {
            mine.kept.keep(at.number);
        }
        most
    }

    /// Runs a tile; true if it wrote the tile to run next here.
    fn run<H: Host>(&self, worker: usize, at: &Position, next: &mut Position, host: &H) -> bool {
        if self.stopped.load(Ordering::Relaxed) {
            return false;
        }
        let mut result = Ok(());
        let running = &self.workers[worker].counts.running;
        running.store(at.number + 1, Ordering::Release);
        match self.callbacks.exists(&at.tile) {
            Ok(true) => {
                host.observe(worker, &at.tile[..self.space.dimension()], || result = self.callbacks.run(&at.tile));
            }
            Ok(false) => {}
            Err(thrown) => result = Err(thrown),
        }
        running.store(0, Ordering::Release);
        match result {
            Ok(()) => return self.release(worker, at, next, host),
            Err(message) => self.fail(dvm_retcode_t::DVM_ERR_TASK, &at.tile, message.message()),
        }
        false
    }

    /// Releases a finished tile's successors. Writes the last one that becomes ready to `next` and returns true; the
    /// others may run elsewhere.
    fn release<H: Host>(&self, worker: usize, at: &Position, next: &mut Position, host: &H) -> bool {
        let mine = &self.workers[worker];
        let mut released = Released { mine, next, any: false, pushed: false };
        let table = self.pending.table_in_use();
        let told = self.callbacks.successors(&at.tile, |coordinates| {
            let Some(successor) = self.space.number(coordinates) else {
                return self.fail_outside(at, coordinates);
            };
            let mut total = 1;
            let arrived = self.pending.arrive(table, successor, || {
                // Inside the program's `successors`. If `predecessors` ends its thread, the outer cleanup handlers are
                // lost, too: saving them first would cost every tile of every graph.
                total = self.predecessors(coordinates, 1);
                total.max(1) as u64
            });
            if total <= 0 {
                return self.fail_disagreeing(at, coordinates, total);
            }
            if arrived {
                // A cycle runs tiles repeatedly: more of them than the box has points.
                let ready = mine.counts.created.load(Ordering::Relaxed) + mine.counts.followed.load(Ordering::Relaxed);
                if ready >= self.space.volume() {
                    return self.fail_cyclic(at);
                }
                self.make_ready(&mut released, successor, coordinates);
            }
        });
        let told = told.unwrap_or_else(|message| {
            self.fail(dvm_retcode_t::DVM_ERR_TASK, &at.tile, message.message());
            true
        });
        if !told && self.callbacks.tells_bounds() {
            self.release_bounded(at, &mut released);
        } else if !told {
            self.release_carried(at, &mut released);
        }
        if released.pushed {
            host.work_ready();
        }
        released.any
    }

    /// Notes a ready successor as the tile to run next here; offers the one noted before to all.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each tile")]
    fn make_ready(&self, released: &mut Released, number: u64, tile: &[i64]) {
        if released.any {
            bump(&released.mine.counts.created, 1);
            self.push(released.mine, released.next.number);
            released.pushed = true;
        }
        released.any = true;
        let next = &mut *released.next;
        next.number = number;
        match *tile {
            // A call of memcpy takes longer than these assignments.
            [a] => next.tile[0] = a,
            [a, b] => [next.tile[0], next.tile[1]] = [a, b],
            [a, b, c] => [next.tile[0], next.tile[1], next.tile[2]] = [a, b, c],
            _ => next.tile[..tile.len()].copy_from_slice(tile),
        }
    }

    /// Number of predecessors. A function that throws fails the graph, and its tile counts as absent.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each tile")]
    fn predecessors(&self, tile: &[i64], untold: i64) -> i64 {
        match self.callbacks.predecessors(tile, untold) {
            Ok(told) => told,
            Err(message) => self.predecessors_threw(tile, &message),
        }
    }

    #[cold]
    #[inline(never)]
    fn predecessors_threw(&self, tile: &[i64], message: &Error) -> i64 {
        let mut at = [0; MAX_DIMENSION];
        at.iter_mut().zip(tile).for_each(|(to, from)| *to = *from);
        self.fail(dvm_retcode_t::DVM_ERR_TASK, &at, message.message());
        -1
    }

    /// Offers a ready tile, which starts a chain, to this worker and others. Without memory for that, the graph fails,
    /// and the chain ends here.
    #[inline]
    fn push(&self, mine: &WorkerTiles, number: u64) {
        if !mine.ready.push(number) {
            self.lose(mine, number);
        }
    }

    #[cold]
    #[inline(never)]
    fn lose(&self, mine: &WorkerTiles, number: u64) {
        self.fail(
            dvm_retcode_t::DVM_ERR_MEMORY,
            &self.space.tile(number),
            "is ready, and there is no memory to note that",
        );
        bump(&mine.counts.ended, 1);
        mine.unsettle();
    }

    /// Notifies the neighbours along the carried coordinates that a tile has run.
    fn release_carried(&self, at: &Position, released: &mut Released) {
        let table = self.pending.table_in_use();
        let reached = self.carried.iter().filter(|&&k| self.space.index(&at.tile, k) > 0).count() as u64;
        let mut tile = at.tile;
        for &k in &self.carried {
            let index = self.space.index(&at.tile, k);
            if index + 1 < self.space.extent(k) {
                let (successor, total) = (at.number + self.space.stride(k), reached + u64::from(index == 0));
                // With a single input there is nothing to count.
                if total == 1 || self.pending.arrive(table, successor, || total) {
                    tile[k] += 1;
                    self.make_ready(released, successor, &tile[..self.space.dimension()]);
                    tile[k] -= 1;
                }
            }
        }
    }

    #[cold]
    fn fail_outside(&self, at: &Position, successor: &[i64]) {
        let what = format!("has a successor outside the graph's box: {successor:?}");
        self.fail(dvm_retcode_t::DVM_ERR_ARGUMENT, &at.tile, &what);
    }

    #[cold]
    fn fail_disagreeing(&self, at: &Position, successor: &[i64], predecessors: i64) {
        let what = format!(
            "has the successor {successor:?}, which {}: predecessors and successors do not agree",
            if predecessors == 0 { "has no predecessors" } else { "is no tile" }
        );
        self.fail(dvm_retcode_t::DVM_ERR_STATE, &at.tile, &what);
    }

    #[cold]
    fn fail_cyclic(&self, at: &Position) {
        let what = "has run again and again: the graph has a cycle";
        self.fail(dvm_retcode_t::DVM_ERR_STATE, &at.tile, what);
    }

    /// Stops the graph: tiles that have not begun do not run. Keeps the first failure.
    fn fail(&self, code: dvm_retcode_t, tile: &Tile, what: &str) {
        let mut failure = self.failure.lock();
        if failure.is_none() {
            let (name, tile) = (&self.name, &tile[..self.space.dimension()]);
            *failure =
                Some(Error::new(code, format!("graph '{name}': tile {tile:?} {what}; the tiles after it did not run")));
        }
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Ends the graph once every root candidate has been checked and every chain has ended.
    ///
    /// The counters only grow and are read in this order: scanned (all: no further roots), ended, created. The end of a
    /// chain is counted after the beginnings of chains that it left behind, so equal sums mean that nothing is left, at
    /// the moment when `ended` was read. Each worker checks once after it last counted something; the fence makes at
    /// least the last of them see all counts.
    fn finish_if_over(&self, worker: usize) {
        if !self.workers[worker].settle() {
            return;
        }
        fence::full();
        if self.sum(|counts| &counts.scanned) < self.root_count {
            return;
        }
        let ended = self.sum(|counts| &counts.ended);
        if ended == self.sum(|counts| &counts.created) && !self.finishing.swap(true, Ordering::Relaxed) {
            *self.done.lock() = true;
            self.over.notify_all();
        }
    }

    /// The sum of a counter over all workers.
    fn sum(&self, counter: fn(&TileCounts) -> &AtomicU64) -> u64 {
        self.workers.iter().map(|mine| counter(&mine.counts).load(Ordering::Acquire)).sum()
    }

    /// Runs the graph on the calling thread, which is its only worker.
    pub(crate) fn run_alone<H: Host>(&self, host: &H) -> Result<(), Error> {
        while self.poll(0, host) {}
        self.wait()
    }

    /// Sleeps until the graph has ended; returns its first failure.
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

    /// Checks that as many tiles became ready as have predecessors: otherwise the given edges contradict each other.
    fn all_reached(&self) -> Result<(), Error> {
        let waiting = self.sum(|counts| &counts.waiting);
        let ready = self.sum(|counts| &counts.created) + self.sum(|counts| &counts.followed);
        let reached = ready - self.sum(|counts| &counts.rooted);
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
