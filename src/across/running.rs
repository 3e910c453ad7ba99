//! A graph of a call while it runs: the workers take its tiles, pack what they have for others, and unpack what has come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::exchange::Exchange;
use super::machine::{Arrived, Next};
use super::plan::Plan;
use crate::engine::{Account, Call, Engine, Source, Worked, end_section};
use crate::error::{Error, dvm_retcode_t};
use crate::graph::{Callbacks, MAX_DIMENSION};
use crate::processing::forced;
use crate::sync::lock::{Condvar, Mutex};
use crate::trace::Name;

/// Most steps of a worker before it looks at its other work.
const BATCH: usize = 16;

/// A running graph.
pub(super) struct RunningPart {
    name: String,
    label: Name,
    n: usize,
    exchange: Arc<Exchange>,
    callbacks: Callbacks,
    engine: *const Engine,
    /// The thread that runs the graph does the work.
    alone: bool,
    stopped: AtomicBool,
    ended: AtomicU64,
    done: Mutex<Option<Result<(), Error>>>,
    over: Condvar,
}

// SAFETY: the engine may be used by all threads; it is reached through this address only while the source is attached.
#[allow(unsafe_code)]
unsafe impl Send for RunningPart {}
// SAFETY: as for Send.
#[allow(unsafe_code)]
unsafe impl Sync for RunningPart {}

/// Runs graph `n` of a call to its end, in all processes. The calling thread does the work of a single worker, or where there
/// is one tile: it need not be woken.
pub(super) fn run(
    call: &Call,
    name: &str,
    n: usize,
    exchange: &Arc<Exchange>,
    callbacks: Callbacks,
) -> Result<(), Error> {
    let engine = call.engine();
    exchange.machine.lock().begin(n);
    exchange.tell_progress();
    engine.trace().shared_graph(name);
    let alone = engine.workers() == 1 || exchange.plan.graphs[n].owners.tiles(exchange.me) <= 1;
    let running = Arc::new(RunningPart {
        name: name.to_owned(),
        label: engine.trace().name(name),
        n,
        exchange: Arc::clone(exchange),
        callbacks,
        engine,
        alone,
        stopped: AtomicBool::new(false),
        ended: AtomicU64::new(0),
        done: Mutex::new(None),
        over: Condvar::new(),
    });
    let source: Arc<dyn Source> = running.clone();
    if alone {
        engine.attach_for_others(Arc::clone(&source));
    } else {
        exchange.job.across().has_workers(true);
        engine.attach(Arc::clone(&source));
    }
    let waits = engine.program_waits();
    if alone {
        forced::with_place(|| call.as_task(|| exchange.job.across().work(&mut || running.work())));
    } else {
        // Where nothing wakes the process, this thread makes messages arrive.
        exchange.job.rounds().drive(&|| running.done.lock().is_some());
    }
    let mut done = running.done.lock();
    while done.is_none() {
        running.over.wait(&mut done);
    }
    let result = done.take().unwrap_or(Ok(()));
    drop(done);
    drop(waits);
    exchange.job.across().has_workers(false);
    engine.detach(&source);
    result
}

impl RunningPart {
    fn plan(&self) -> &Plan {
        &self.exchange.plan
    }

    fn engine(&self) -> &Engine {
        // SAFETY: the thread that runs the graph is inside a call, which keeps the engine, until the source is detached.
        #[allow(unsafe_code)]
        unsafe {
            &*self.engine
        }
    }

    fn finish(&self, result: Result<(), Error>) {
        self.stopped.store(true, Ordering::Release);
        self.done.lock().get_or_insert(result);
        self.over.notify_all();
        if self.alone {
            self.exchange.job.across().wake(); // a worker that was awake may have had the last tile
        }
    }

    /// One step; false if there is nothing to do now.
    fn step(&self, worker: Option<usize>) -> Result<bool, Error> {
        self.exchange.receive()?;
        let next = self.exchange.machine.lock().next();
        match next {
            Next::Run(ready) => {
                self.unpack(ready.unpack)?;
                self.run(worker, &ready.tile)?;
            }
            Next::Ask(tile, ahead_of) => {
                let sources = self.plan().sources(self.n, &tile, self.exchange.me);
                let receivers = self.plan().readers_here(self.n, &tile, self.exchange.me, ahead_of);
                self.exchange.machine.lock().expect(&tile, sources, receivers);
                self.exchange.tell_progress();
            }
            Next::Over(messages) => {
                self.unpack(messages)?;
                self.exchange.machine.lock().leave();
                self.finish(Ok(()));
            }
            Next::Wait => return Ok(false),
        }
        Ok(true)
    }

    fn unpack(&self, messages: Vec<Arrived>) -> Result<(), Error> {
        let graph = &self.plan().graphs[self.n];
        messages.into_iter().try_for_each(|Arrived { source, bytes }| {
            let parcel = self.plan().parcel(self.n, &graph.tile(source), self.exchange.me);
            self.exchange.functions.unpack(&parcel.rows, &bytes)
        })
    }

    /// Runs a tile, sends what it has for others, and releases the tiles after it.
    fn run(&self, worker: Option<usize>, tile: &[i64]) -> Result<(), Error> {
        let mut place = [0; MAX_DIMENSION];
        place[..tile.len()].copy_from_slice(tile);
        let failed = |error: Error| {
            let text = format!("graph '{}', tile {tile:?}: {}", self.name, error.message());
            Error::new(dvm_retcode_t::DVM_ERR_TASK, text)
        };
        let trace = self.engine().trace();
        if self.callbacks.has(&self.plan().graphs[self.n].extent, &place).map_err(failed)? {
            let start = trace.begin();
            let ran = self.callbacks.run(&place);
            end_section();
            trace.tile(worker, start, self.label, tile);
            ran.map_err(failed)?;
            self.exchange.send_parcels(self.n, tile);
        }
        let mut machine = self.exchange.machine.lock();
        machine.ended(tile);
        let (_, ready, _) = machine.counts();
        drop(machine);
        self.ended.fetch_add(1, Ordering::Relaxed);
        self.exchange.tell_progress();
        if ready > 1 {
            self.engine().wake_one();
        }
        Ok(())
    }
}

impl RunningPart {
    /// At most so many steps; whether there was something to do.
    fn steps(&self, worker: Option<usize>, most: usize) -> bool {
        let mut any = false;
        for _ in 0..most {
            if self.stopped.load(Ordering::Acquire) {
                break;
            }
            match self.step(worker) {
                Ok(true) => any = true,
                Ok(false) => break,
                Err(error) => {
                    self.exchange.tell_failure(&error);
                    self.finish(Err(error));
                    return true;
                }
            }
        }
        any
    }

    /// What the thread that runs the graph can do now.
    fn work(&self) -> Worked {
        let any = self.steps(None, BATCH);
        match self.stopped.load(Ordering::Acquire) {
            true => Worked::Over,
            false if any => Worked::Some,
            false => Worked::Nothing,
        }
    }
}

impl Source for RunningPart {
    fn poll(&self, worker: usize) -> bool {
        self.steps(Some(worker), BATCH)
    }

    fn ended(&self) -> u64 {
        self.ended.load(Ordering::Relaxed)
    }

    fn account(&self) -> Option<Account> {
        let (left, ready, waiting) = self.exchange.machine.lock().counts();
        let ended = Source::ended(self);
        Some(Account {
            name: self.name.clone(),
            volume: left + ended,
            general: false,
            bounded: false,
            ended,
            ready,
            running: Vec::new(),
            waiting,
            told: Vec::new(),
        })
    }
}
