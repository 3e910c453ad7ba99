//! The caches of a PU, used to choose tile sizes.

use super::topology::{CacheAbove, Pu};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedCache {
    /// Size in bytes.
    pub bytes: u64,
    /// Number of PUs with a worker that share it, at least 1.
    pub sharers: usize,
}

impl SharedCache {
    /// Bytes per worker when all workers are busy.
    pub fn share(&self) -> u64 {
        self.bytes / self.sharers as u64
    }
}

/// The data caches of a PU. If PUs differ, each level has the smallest share of any PU with a worker.
///
/// If hwloc does not know a level, the level inside it stands for it (no L3: what L2 holds), or [`Caches::DEFAULT`] if
/// hwloc knows no level. Sizes are hwloc's: on virtual machines often those of the host, whose other guests use the
/// outer levels too; do not count on all of an L3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Caches {
    /// Level 1, data (or unified).
    pub l1d: SharedCache,
    /// Level 2.
    pub l2: SharedCache,
    /// Level 3.
    pub l3: SharedCache,
}

impl Caches {
    /// The least of most processors of the last decade: 32 KiB, 256 KiB and 1 MiB for each PU.
    pub const DEFAULT: Caches = Caches {
        l1d: SharedCache { bytes: 32 << 10, sharers: 1 },
        l2: SharedCache { bytes: 256 << 10, sharers: 1 },
        l3: SharedCache { bytes: 1 << 20, sharers: 1 },
    };

    /// The caches of PUs with a worker.
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

/// The cache of `level` with the smallest share per user. `None` if some PU has none of known size.
fn smallest_share(pus: &[&Pu], level: usize) -> Option<SharedCache> {
    let caches = pus.iter().map(|pu| pu.caches[level].filter(|cache| cache.bytes > 0)).collect::<Option<Vec<_>>>()?;
    let sharers = |cache: &CacheAbove| caches.iter().filter(|other| other.object == cache.object).count();
    let caches = caches.iter().map(|cache| SharedCache { bytes: cache.bytes, sharers: sharers(cache) });
    caches.min_by_key(|cache| (cache.share(), cache.bytes))
}
