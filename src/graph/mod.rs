//! Parameterised task graphs for generated code: functions of integer coordinates describe the tiles.
//!
//! A tile becomes a task when its first input arrives, and is forgotten after it has run, so the whole graph is never
//! in memory. All workers search for tiles without predecessors, while others already run. The tile that became ready
//! last runs next on the same worker: depth first, since its data are in the cache. Other ready tiles are one word each
//! (the number in the box) in the worker's deque; thieves take the oldest.

mod callbacks;
mod parts;
mod pipeline;
mod regions;
mod roots;
mod running;
mod shape;
mod shares;
mod sizes;
mod space;
mod sweep;
mod tile_list;
mod tuner;
mod worker_tiles;

#[cfg(test)]
mod bounded_tests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(crate) use callbacks::{Bounds, Callbacks, Exists, Predecessors, Run, Successors, Visit};
pub(crate) use parts::GraphParts;
pub(crate) use regions::{CLASSES, Record, RecordName, RegionEntry, class, learnt, now, waits_to_start};
pub(crate) use sizes::TileCost;
pub(crate) use space::{MAX_DIMENSION, Space};

pub(crate) use tuner::RegionWay;

use crate::engine::{Account, Call, Engine, Source, end_section};
use crate::error::{Error, dvm_retcode_t};
use crate::processing::forced;
use crate::trace::{Name, Trace};
use running::{Host, Running};

/// A running graph as one of the engine's sources of work.
struct Attached {
    running: Running,
    engine: *const Engine,
    name: Name,
}

// SAFETY: the engine may be used by all threads; it is reached through this address only between `attach` and `detach`.
#[allow(unsafe_code)]
unsafe impl Send for Attached {}
// SAFETY: as for Send.
#[allow(unsafe_code)]
unsafe impl Sync for Attached {}

impl Attached {
    fn engine(&self) -> &Engine {
        // SAFETY: the thread that runs the graph is inside a call, which keeps the engine, until the graph is detached.
        #[allow(unsafe_code)]
        unsafe {
            &*self.engine
        }
    }
}

impl Source for Attached {
    fn poll(&self, worker: usize) -> bool {
        self.running.poll(worker, self)
    }

    fn make_stealable(&self, worker: usize) {
        self.running.make_stealable(worker, self);
    }

    fn ended(&self) -> u64 {
        self.running.ended()
    }

    fn account(&self) -> Option<Account> {
        Some(self.running.account())
    }
}

impl Host for Attached {
    fn neighbours(&self, worker: usize) -> &[u32] {
        self.engine().machine().neighbours(worker)
    }

    fn work_ready(&self) {
        self.engine().wake_one();
    }

    #[inline(always)]
    #[allow(clippy::inline_always, reason = "what it runs and it use one look-up of the thread's variables")]
    fn observe(&self, worker: usize, tile: &[i64], run: impl FnOnce()) {
        let trace = self.engine().trace();
        let start = trace.begin();
        run();
        end_section();
        trace.tile(Some(worker), start, self.name, tile);
    }
}

/// The calling thread as a graph's only worker.
struct Alone<'a> {
    trace: &'a Trace,
    name: Name,
}

impl Host for Alone<'_> {
    fn neighbours(&self, _worker: usize) -> &[u32] {
        &[]
    }

    fn work_ready(&self) {}

    fn observe(&self, _worker: usize, tile: &[i64], run: impl FnOnce()) {
        let start = self.trace.begin();
        run();
        if !crate::engine::forked::is_orphan() {
            self.trace.tile(None, start, self.name, tile); // its lock may be held for ever in a forked child
        }
    }
}

/// Runs a graph of a region: the calling thread takes part in small graphs, and where the tiles wait for nothing.
pub(crate) fn execute_region(call: &Call, parts: GraphParts) -> Result<(), Error> {
    if !sweep::fits(call.engine(), &parts) {
        return execute(call, parts);
    }
    admit(call, &parts)?;
    sweep::execute(call, parts)
}

/// Runs a graph on the engine's workers; returns when all tiles have run.
pub(crate) fn execute(call: &Call, parts: GraphParts) -> Result<(), Error> {
    admit(call, &parts)?;
    let GraphParts { name, space, carried, callbacks } = parts;
    let engine = call.engine();
    let trace = engine.trace();
    let label = trace.name(&name);
    if space.volume() == 1 && !callbacks.tells_edges() {
        let running = Running::new(name, space, &carried, callbacks, 1);
        return forced::with_place(|| call.as_task(|| running.run_alone(&Alone { trace, name: label })));
    }
    let running = Running::new(name, space, &carried, callbacks, engine.workers());
    let attached = Arc::new(Attached { running, engine, name: label });
    let source: Arc<dyn Source> = attached.clone();
    engine.attach(Arc::clone(&source));
    let waits = engine.program_waits();
    let result = attached.running.wait();
    drop(waits);
    engine.detach(&source);
    result
}

/// Refuses a graph that cannot begin here; shows the others to a drawing.
fn admit(call: &Call, GraphParts { name, space, carried, callbacks }: &GraphParts) -> Result<(), Error> {
    crate::memory::check()?;
    if call.inside_task() {
        return Err(Error::new(
            dvm_retcode_t::DVM_ERR_IN_TASK,
            format!(
                "graph '{name}': a task or tile cannot wait for a graph: run its loops as they are, or run the graph outside"
            ),
        ));
    }
    call.open()?;
    call.engine().trace().graph(name, space.volume(), |tiles| {
        forced::with_place(|| call.as_task(|| tile_list::draw(space, carried, callbacks, tiles)));
    });
    Ok(())
}

/// A band whose tiles need sizes.
pub(crate) struct Band<'a> {
    /// The number of values of each coordinate.
    pub(crate) extent: &'a [i64],
    /// Coordinates that order the tiles.
    pub(crate) carried: &'a [bool],
    /// Sizes that the caller sets, 0: none.
    pub(crate) wanted: &'a [i64],
    /// What the sizes should be multiples of, 1: of nothing else.
    pub(crate) unit: &'a [i64],
    /// What a point takes, and for how many processes the tiles are.
    pub(crate) cost: TileCost,
}

/// Tile sizes for a band: from the caller, else from the environment, else from the caches.
pub(crate) fn choose_sizes(
    call: &Call,
    name: &str,
    Band { extent, carried, wanted, unit, cost }: Band,
    footprint: &dyn Fn(&[i64]) -> i64,
) -> Vec<i64> {
    let engine = call.engine();
    let environment =
        |k: usize| engine.config().tile().size(k).map_or(0, |size| i64::try_from(size).unwrap_or(i64::MAX));
    let given: Vec<i64> =
        wanted.iter().enumerate().map(|(k, &size)| if size > 0 { size } else { environment(k) }).collect();
    let cache = engine.machine().cache();
    // Measured: three quarters of L1 for data used often; an eighth of L2 for other data, which leaves room for
    // neighbouring tiles' data and hardware prefetching.
    let (near, budget) = (cache.l1d.share() / 4 * 3, (cache.l2.share() / 8).max(2 * cache.l1d.share()));
    let bytes = |bytes: u64| i64::try_from(bytes).unwrap_or(i64::MAX);
    let (near, budget) = (bytes(near), bytes(budget));
    let workers = engine.workers().saturating_mul(cost.processes as usize);
    let balance = engine.machine().balance();
    let request = sizes::Request {
        extent,
        carried,
        given: &given,
        unit,
        footprint,
        point: cost.point,
        least_work: cost.least_work(),
        workers,
        near,
        budget,
        near_uses: balance.near,
        stream_uses: balance.stream,
    };
    let chosen = sizes::choose(&request);
    engine.config().note(|| format!("region '{name}': tiles of {chosen:?} in a band of {extent:?}"));
    chosen
}
