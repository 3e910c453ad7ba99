//! How many bytes a tile of a region touches, by its footprint: noted when the sizes of tiles are chosen.

use std::collections::BTreeMap;

use crate::sync::lock::Mutex;

/// So many changes of one region are noted.
const MOST_CHANGES: usize = 100_000;

/// By the number of a region's name: from when on its tiles touch so many bytes each.
pub(in crate::trace) type TileBytesByName = BTreeMap<u32, Vec<(u64, u64)>>;

#[derive(Debug, Default)]
pub(in crate::trace) struct TileBytes(Mutex<BTreeMap<u32, Changes>>);

#[derive(Debug, Default)]
struct Changes {
    /// Times in units of the trace's clock, and bytes.
    list: Vec<(u64, u64)>,
    /// There were more.
    lost: bool,
}

impl TileBytes {
    /// From `now` on each tile of this region touches so many bytes.
    pub(in crate::trace) fn note(&self, name: u32, bytes: u64, now: u64) {
        let mut all = self.0.lock();
        let changes = all.entry(name).or_default();
        if changes.list.last().is_none_or(|&(_, last)| last != bytes) {
            if changes.list.len() < MOST_CHANGES {
                changes.list.push((now, bytes));
            } else {
                changes.lost = true;
            }
        }
    }

    /// What is known of all tiles of a region; times are converted.
    pub(in crate::trace) fn noted(&self, time: impl Fn(u64) -> u64) -> TileBytesByName {
        let all = self.0.lock();
        let known = all.iter().filter(|(_, changes)| !changes.lost);
        known
            .map(|(&name, Changes { list, .. })| (name, list.iter().map(|&(at, bytes)| (time(at), bytes)).collect()))
            .collect()
    }
}
