//! How often a region ran without tiles: as the loops of its source, or in one tile, which the calling thread runs.

use std::collections::BTreeMap;

use crate::sync::lock::Mutex;

/// By the number of a region's name.
#[derive(Debug, Default)]
pub(in crate::trace) struct PlainEntries(Mutex<BTreeMap<u32, u64>>);

impl PlainEntries {
    /// An entry into this region has no tiles.
    pub(in crate::trace) fn note(&self, name: u32) {
        *self.0.lock().entry(name).or_default() += 1;
    }

    /// Those that were noted: names, and how many entries each.
    pub(in crate::trace) fn noted(&self) -> Vec<(u32, u64)> {
        self.0.lock().iter().map(|(&name, &entries)| (name, entries)).collect()
    }
}
