//! Work that is found by polling.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::sync::lock::Mutex;

/// Work that is found by polling: a running parameterised graph.
pub(crate) trait Source: Send + Sync {
    /// Runs a bounded amount of work on worker `worker` (0-based). True if work was run.
    fn poll(&self, worker: usize) -> bool;
    /// Makes the work stealable that the worker has set aside for its next `poll`: the worker may run something long
    /// before it.
    fn make_stealable(&self, _worker: usize) {}
    /// The number of tiles that have ended.
    fn ended(&self) -> u64;
    /// The progress of the source; `None` if it is no work of the program.
    fn account(&self) -> Option<Account>;
}

/// The progress of a graph.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) name: String,
    /// The number of points of the graph's box.
    pub(crate) volume: u64,
    /// Whether the program's functions give the edges: then only they know the predecessors of a tile.
    pub(crate) general: bool,
    /// Coordinates bound each other: `volume` counts points, and nothing tells which of them are tiles.
    pub(crate) bounded: bool,
    pub(crate) ended: u64,
    /// Tiles that are ready and do not run yet.
    pub(crate) ready: u64,
    /// The running tiles, each with its worker.
    pub(crate) running: Vec<(usize, Vec<i64>)>,
    /// The number of tiles with some but not all predecessors.
    pub(crate) waiting: u64,
    /// Some of these tiles.
    pub(crate) told: Vec<WaitingTile>,
}

/// A tile that waits for predecessors.
#[derive(Clone, Debug)]
pub(crate) struct WaitingTile {
    pub(crate) tile: Vec<i64>,
    /// The number of its missing predecessors.
    pub(crate) missing: u64,
    /// Those of the missing predecessors that are known.
    pub(crate) missed: Vec<(Vec<i64>, Missed)>,
}

/// Why a predecessor has not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// The predecessor runs on this worker.
    Runs(usize),
    /// The predecessor waits itself.
    Waits,
    /// None of its own predecessors has run.
    Unreached,
}

/// The attached sources. Workers copy the list, and otherwise compare versions only.
#[derive(Default)]
pub(crate) struct Sources {
    version: AtomicU64,
    list: Mutex<Vec<Arc<dyn Source>>>,
}

/// A worker's copy of the list.
#[derive(Default)]
pub(crate) struct Copied {
    version: u64,
    list: Vec<Arc<dyn Source>>,
}

/// The source that a worker is polling, by address.
#[derive(Default)]
pub(crate) struct Polling(AtomicPtr<()>);

fn address(source: &Arc<dyn Source>) -> *mut () {
    Arc::as_ptr(source).cast::<()>().cast_mut()
}

/// The source that a worker was polling at some moment.
pub(crate) type Mark = *mut ();

impl Polling {
    /// The source that is being polled.
    pub(crate) fn mark(&self) -> Mark {
        self.0.load(Ordering::Relaxed)
    }

    /// Sets the source that is being polled: for a thread that continues an interrupted poll.
    pub(crate) fn set(&self, mark: Mark) {
        self.0.store(mark, Ordering::SeqCst);
    }
}

impl Sources {
    /// Adds a source. The caller then wakes the workers.
    pub(crate) fn attach(&self, source: Arc<dyn Source>) {
        let mut list = self.list.lock();
        list.push(source);
        self.version.fetch_add(1, Ordering::SeqCst);
    }

    /// Removes a source. `polling` are the marks of all workers except the calling one: when this returns, none of them
    /// is inside the source, and none will be again.
    pub(crate) fn detach<'a>(&self, source: &Arc<dyn Source>, polling: impl Iterator<Item = &'a Polling>) {
        let mut list = self.list.lock();
        list.retain(|attached| !ptr::addr_eq(Arc::as_ptr(attached), Arc::as_ptr(source)));
        self.version.fetch_add(1, Ordering::SeqCst);
        drop(list);
        for mark in polling {
            while mark.0.load(Ordering::SeqCst) == address(source) {
                std::thread::yield_now();
            }
        }
    }

    /// True if a source has work of the program under way.
    pub(crate) fn any(&self) -> bool {
        self.list.lock().iter().any(|source| source.account().is_some())
    }

    /// Shows each attached source. `visit` is short: no source can be detached during it.
    pub(crate) fn each(&self, mut visit: impl FnMut(&dyn Source)) {
        self.list.lock().iter().for_each(|source| visit(source.as_ref()));
    }

    /// Polls each source once; true if work was run.
    #[inline]
    pub(crate) fn poll(&self, copied: &mut Copied, polling: &Polling, worker: usize) -> bool {
        self.visit(copied, polling, |source, several| {
            let any = source.poll(worker);
            if several {
                source.make_stealable(worker); // the next one may run something long
            }
            any
        })
    }

    /// Makes the work stealable that the sources have set aside for the worker.
    pub(crate) fn make_stealable(&self, copied: &mut Copied, polling: &Polling, worker: usize) {
        let mut make_stealable = |source: &dyn Source, _| {
            source.make_stealable(worker);
            false
        };
        while self.visit(copied, polling, &mut make_stealable) {}
    }

    /// Visits each source once; `visit` also learns whether there are several. True if a visit returned true, or if the
    /// list has changed during the visits.
    #[inline]
    fn visit(&self, copied: &mut Copied, polling: &Polling, mut visit: impl FnMut(&dyn Source, bool) -> bool) -> bool {
        if self.version.load(Ordering::Acquire) != copied.version {
            self.copy(copied);
        }
        let mut any = false;
        for source in &copied.list {
            polling.0.store(address(source), Ordering::SeqCst);
            // A source that was detached before the mark was set is skipped; a later detach waits for the mark.
            if self.version.load(Ordering::SeqCst) == copied.version {
                any |= visit(source.as_ref(), copied.list.len() > 1);
            } else {
                any = true;
            }
            polling.0.store(ptr::null_mut(), Ordering::Release);
        }
        any
    }

    #[cold]
    fn copy(&self, copied: &mut Copied) {
        let list = self.list.lock();
        copied.version = self.version.load(Ordering::SeqCst);
        copied.list.clone_from(&list);
    }
}

impl Copied {
    /// Drops the copies of the sources; the next poll copies the list again.
    pub(crate) fn forget(&mut self) {
        self.list.clear();
        self.version = u64::MAX;
    }

    /// After a panic: stops marking a source as polled.
    pub(crate) fn recover(&mut self, polling: &Polling) {
        polling.0.store(ptr::null_mut(), Ordering::Release);
        self.forget();
    }
}
