//! Small graphs that fill a box: a loop over tiles that the entering thread runs with the workers' help. Tiles that wait
//! for each other run in rows (`pipeline.rs`).
//!
//! Nothing is made for such a graph and no thread waits for another one to begin: the entering thread opens a team
//! (`src/idle/team.rs`), runs tiles, and workers that are awake join. The worker on the entering thread's own CPU stays
//! away. A worker that has helped looks for the next loop for a while, so that a start costs the hand-over of a cache
//! line; without loops it sleeps as usual.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::callbacks::Callbacks;
use super::parts::GraphParts;
use super::pipeline::Pipeline;
use super::shares::{MOST_TILES, Shares};
use super::space::{MAX_DIMENSION, Space};
use crate::engine::{Account, Call, Engine, Source, end_section};
use crate::error::{Error, dvm_retcode_t};
use crate::idle::team::Team;
use crate::processing::forced;
use crate::sync::lock::Mutex;
use crate::trace::{Name, Trace};

/// Loops that follow each other within this time are a sequence.
const SEQUENCE: Duration = Duration::from_micros(400);

/// How long a worker looks for the next loop of a sequence.
const PATIENCE: Duration = Duration::from_micros(500);

/// One loop.
struct Tiles {
    name: String,
    space: Space,
    /// The rows of tiles that wait for each other.
    pipeline: Option<Pipeline>,
    callbacks: Callbacks,
    label: Name,
    trace: Trace,
    stopped: AtomicBool,
    failure: Mutex<Option<Error>>,
    /// The tile that each thread runs, counted from 1; 0: none.
    running: Box<[AtomicU64]>,
}

/// The loops of an engine, one at a time.
pub(crate) struct Sweeps {
    team: Team,
    shares: Shares,
    tiles: Mutex<Option<Arc<Tiles>>>,
    /// The worker whose part the entering thread has.
    replaced: AtomicUsize,
    ended: AtomicU64,
    /// The end of the last loop, in nanoseconds since `begun`.
    last: AtomicU64,
    begun: Instant,
}

impl Sweeps {
    fn new(workers: usize) -> Sweeps {
        Sweeps {
            team: Team::default(),
            shares: Shares::new(workers),
            tiles: Mutex::new(None),
            replaced: AtomicUsize::new(0),
            ended: AtomicU64::new(0),
            last: AtomicU64::new(0),
            begun: Instant::now(),
        }
    }

    fn now(&self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    /// Shares out what threads take: tiles, or rows. Rows that wait for others are taken in order.
    fn divide(&self, tiles: &Tiles) {
        match &tiles.pipeline {
            None => self.shares.divide(tiles.space.volume()),
            Some(pipeline) if pipeline.is_independent() => self.shares.divide(pipeline.rows()),
            Some(pipeline) => self.shares.put_in_order(pipeline.rows()),
        }
    }

    /// Runs tiles as `thread` until none is left.
    fn work(&self, tiles: &Tiles, thread: usize, worker: Option<usize>) -> bool {
        let mut ran = 0;
        let in_order = tiles.pipeline.as_ref().is_some_and(|pipeline| !pipeline.is_independent());
        let next = || if in_order { self.shares.next_in_order() } else { self.shares.next(thread) };
        while !tiles.stopped.load(Ordering::Relaxed)
            && let Some(number) = next()
        {
            ran += tiles.run_part(number, thread, worker);
        }
        self.ended.fetch_add(ran, Ordering::Relaxed);
        ran > 0
    }
}

impl Tiles {
    /// Runs a tile, or a row of them; returns how many ran.
    fn run_part(&self, number: u64, thread: usize, worker: Option<usize>) -> u64 {
        let Some(pipeline) = &self.pipeline else {
            self.run(number, thread, worker);
            return 1;
        };
        let mut ran = 0;
        pipeline.run(number, &self.stopped, |number| {
            self.run(number, thread, worker);
            ran += 1;
        });
        ran
    }

    /// Tiles that nobody has begun.
    fn left(&self, parts: u64, running: u64) -> u64 {
        match &self.pipeline {
            None => parts,
            Some(pipeline) => self.space.volume().saturating_sub(pipeline.ended() + running),
        }
    }

    fn run(&self, number: u64, thread: usize, worker: Option<usize>) {
        let mut tile = [0; MAX_DIMENSION];
        self.space.locate(number, &mut tile);
        let running = &self.running[thread];
        running.store(number + 1, Ordering::Relaxed);
        let result = self.callbacks.exists(&tile).and_then(|exists| {
            if !exists {
                return Ok(());
            }
            let start = self.trace.begin();
            let result = self.callbacks.run(&tile);
            end_section();
            if self.trace.is_on() && !crate::engine::forked::is_orphan() {
                self.trace.tile(worker, start, self.label, &tile[..self.space.dimension()]);
            }
            result
        });
        running.store(0, Ordering::Relaxed);
        if let Err(error) = result {
            self.fail(&tile[..self.space.dimension()], &error);
        }
    }

    #[cold]
    fn fail(&self, tile: &[i64], error: &Error) {
        self.stopped.store(true, Ordering::Relaxed);
        self.failure.lock().get_or_insert_with(|| {
            let text = format!("graph '{}': tile {tile:?} {}; other tiles did not run", self.name, error.message());
            Error::new(dvm_retcode_t::DVM_ERR_TASK, text)
        });
    }
}

impl Source for Sweeps {
    fn poll(&self, worker: usize) -> bool {
        if !self.team.is_open() || self.replaced.load(Ordering::Relaxed) == worker {
            return false;
        }
        let Some(_member) = self.team.join() else { return false };
        let Some(tiles) = self.tiles.lock().clone() else { return false };
        self.work(&tiles, worker, Some(worker))
    }

    fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    fn account(&self) -> Option<Account> {
        let _member = self.team.join()?;
        let tiles = self.tiles.lock().clone()?;
        let at = |number: u64| tiles.space.tile(number)[..tiles.space.dimension()].to_vec();
        let running = tiles.running.iter().map(|number| number.load(Ordering::Relaxed)).enumerate();
        let running: Vec<_> =
            running.filter(|(_, number)| *number > 0).map(|(thread, number)| (thread, at(number - 1))).collect();
        let left = tiles.left(self.shares.left(), running.len() as u64);
        let (ready, waiting) = if tiles.pipeline.is_some() { (0, left) } else { (left, 0) };
        Some(Account {
            name: tiles.name.clone(),
            volume: tiles.space.volume(),
            general: false,
            bounded: false,
            ended: tiles.space.volume().saturating_sub(left + running.len() as u64),
            ready,
            running,
            waiting,
            told: Vec::new(),
        })
    }
}

/// Tiles that wait for each other, up to which a loop is faster than a graph, whose start takes some tens of microseconds.
const MOST_CARRIED: u64 = 1 << 12;

/// Whether a graph runs as such a loop.
pub(super) fn fits(engine: &Engine, GraphParts { space, carried, callbacks, .. }: &GraphParts) -> bool {
    let most = if carried.contains(&true) { MOST_CARRIED } else { MOST_TILES };
    !callbacks.tells_edges() && !callbacks.tells_bounds() && space.volume() <= most && !engine.is_seeded()
}

/// Runs a graph that fits. The entering thread runs tiles as well; if another thread's loop has the workers, it runs all.
pub(super) fn execute(call: &Call, GraphParts { name, space, carried, callbacks }: GraphParts) -> Result<(), Error> {
    let engine = call.engine();
    let trace = engine.trace();
    let workers = engine.workers();
    let tiles = Arc::new(Tiles {
        label: if trace.is_on() { trace.name(&name) } else { Name::default() },
        name,
        callbacks,
        trace: trace.clone(),
        stopped: AtomicBool::new(false),
        failure: Mutex::new(None),
        running: (0..workers).map(|_| AtomicU64::new(0)).collect(),
        pipeline: Pipeline::new(&space, &carried),
        space,
    });
    let sweeps = engine.sweeps(|| Arc::new(Sweeps::new(workers)));
    let Some(sweeps) = sweeps.downcast_ref::<Sweeps>() else { return Err(Error::argument("another kind of sweeps")) };
    let alone = |tiles: &Tiles| {
        let space = &tiles.space;
        for number in 0..space.volume() {
            if tiles.stopped.load(Ordering::Relaxed) {
                break;
            }
            tiles.run(number, 0, None);
        }
    };
    match sweeps.team.lead() {
        Some(leader) if workers > 1 => {
            let replaced = engine.machine().worker_here().unwrap_or(0);
            sweeps.replaced.store(replaced, Ordering::Relaxed);
            sweeps.divide(&tiles);
            *sweeps.tiles.lock() = Some(Arc::clone(&tiles));
            let since = sweeps.now() - sweeps.last.load(Ordering::Relaxed);
            let patience = if u128::from(since) < SEQUENCE.as_nanos() { PATIENCE } else { Duration::ZERO };
            engine.linger(patience, replaced);
            let open = leader.open();
            engine.wake_others(replaced);
            forced::with_place(|| call.as_task(|| sweeps.work(&tiles, replaced, None)));
            drop(open);
            *sweeps.tiles.lock() = None;
            sweeps.last.store(sweeps.now(), Ordering::Relaxed);
        }
        _ => forced::with_place(|| call.as_task(|| alone(&tiles))),
    }
    tiles.failure.lock().take().map_or(Ok(()), Err)
}
