//! One worker's part of a running graph.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::sync::deque::{Deque, Steal};
use crate::sync::hand_off_slot::HandOffSlot;

/// Number of looks at another worker's kept tile before taking it: about the time in which a worker busy with tiles
/// returns.
const PATIENCE: u32 = 64;

/// Tile counts of a worker. Only the worker writes them; others read them when they run out of tiles.
#[repr(align(64))]
#[derive(Default)]
pub(super) struct TileCounts {
    /// Root candidates checked, after `created` has counted them.
    pub(super) scanned: AtomicU64,
    /// Tiles that began a chain here: roots, and tiles from the deque.
    pub(super) created: AtomicU64,
    /// Chains that ended here, after `created` has counted the tiles that they left in the deque.
    pub(super) ended: AtomicU64,
    /// Tiles that continued a chain here.
    pub(super) followed: AtomicU64,
    /// Tiles checked here that wait for predecessors, in a graph that gives its edges.
    pub(super) waiting: AtomicU64,
    /// Root tiles that were found here.
    pub(super) rooted: AtomicU64,
    /// One more than the number of the running tile; 0: none.
    pub(super) running: AtomicU64,
}

/// State that only the worker uses.
#[repr(align(64))]
#[derive(Default)]
struct Own {
    /// Whether this worker has checked for the end of the graph since it last counted something.
    settled: AtomicBool,
    /// The kept tile that this worker saw last at another worker, and how often.
    watched: AtomicU64,
    looks: AtomicU32,
}

/// A worker's ready tiles and counts.
pub(super) struct WorkerTiles {
    pub(super) ready: Deque,
    /// The tile to continue with after a pause.
    pub(super) kept: HandOffSlot,
    pub(super) counts: TileCounts,
    own: Own,
}

impl WorkerTiles {
    pub(super) fn new() -> Self {
        Self { ready: Deque::new(), kept: HandOffSlot::new(), counts: TileCounts::default(), own: Own::default() }
    }

    /// Notes that something was counted.
    #[inline]
    pub(super) fn unsettle(&self) {
        self.own.settled.store(false, Ordering::Relaxed);
    }

    /// True once after something was counted, and the first time.
    pub(super) fn settle(&self) -> bool {
        let before = self.own.settled.load(Ordering::Relaxed);
        self.own.settled.store(true, Ordering::Relaxed);
        !before
    }

    /// Takes the oldest ready tile, for another worker.
    pub(super) fn steal(&self) -> Option<u64> {
        loop {
            match self.ready.steal() {
                Steal::Item(number) => return Some(number),
                Steal::Empty => return None,
                Steal::Retry => std::hint::spin_loop(),
            }
        }
    }

    /// Takes the tile that `victim` kept, if it has been there for long: the victim's core is busy elsewhere.
    pub(super) fn take_kept(&self, victim: &WorkerTiles) -> Option<u64> {
        let number = victim.kept.seen()?;
        let looks = if self.own.watched.load(Ordering::Relaxed) == number {
            self.own.looks.load(Ordering::Relaxed) + 1
        } else {
            self.own.watched.store(number, Ordering::Relaxed);
            0
        };
        self.own.looks.store(looks, Ordering::Relaxed);
        (looks >= PATIENCE && victim.kept.take_same(number)).then_some(number)
    }
}

/// Adds to a counter that only this thread writes.
#[inline]
pub(super) fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed) + by, Ordering::Release);
}
