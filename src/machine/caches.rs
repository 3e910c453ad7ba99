//! The caches of a PU, for the choice of tile sizes.

use super::topology::{CacheAbove, Pu};

/// One cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cache {
    /// Its size.
    pub bytes: u64,
    /// How many PUs that have a worker use it, at least 1.
    pub sharers: usize,
}

impl Cache {
    /// The bytes for each worker when all of them work.
    pub fn share(&self) -> u64 {
        self.bytes / self.sharers as u64
    }
}

/// The data caches of a PU. Where PUs differ, on each level the smallest share of any PU that has a worker.
///
/// A level that hwloc does not know is given by [`Caches::DEFAULT`] when it knows none, and else by the level inside it
/// (no L3: what L2 holds). Sizes are what hwloc reports: on virtual machines often those of the host, whose other
/// guests use the outer levels too; do not count on all of an L3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caches {
    /// Level 1, data (or unified).
    pub l1d: Cache,
    /// Level 2.
    pub l2: Cache,
    /// Level 3.
    pub l3: Cache,
}

impl Caches {
    /// What most processors of the last decade have at least: 32 KiB, 256 KiB and 1 MiB of its own for each PU.
    pub const DEFAULT: Caches = Caches {
        l1d: Cache { bytes: 32 << 10, sharers: 1 },
        l2: Cache { bytes: 256 << 10, sharers: 1 },
        l3: Cache { bytes: 1 << 20, sharers: 1 },
    };

    /// The caches of the PUs that have a worker.
    pub(super) fn of(pus: &[&Pu]) -> Caches {
        let [l1d, l2, l3] = [0, 1, 2].map(|level| smallest_share(pus, level));
        if (l1d, l2, l3) == (None, None, None) {
            return Caches::DEFAULT;
        }
        let l1d = l1d.unwrap_or(Caches::DEFAULT.l1d);
        let l2 = l2.unwrap_or(l1d);
        Caches { l1d, l2, l3: l3.unwrap_or(l2) }
    }
}

/// The cache of `level` that has the least for each of its users. `None` when some PU has none of known size.
fn smallest_share(pus: &[&Pu], level: usize) -> Option<Cache> {
    let caches = pus.iter().map(|pu| pu.caches[level].filter(|cache| cache.bytes > 0)).collect::<Option<Vec<_>>>()?;
    let sharers = |cache: &CacheAbove| caches.iter().filter(|other| other.object == cache.object).count();
    let caches = caches.iter().map(|cache| Cache { bytes: cache.bytes, sharers: sharers(cache) });
    caches.min_by_key(|cache| (cache.share(), cache.bytes))
}
