//! What memory the process has, as the system says.

use std::fs;

use super::spans::Spans;

/// The memory of the process, in order of addresses.
pub(super) struct MemoryRanges(Vec<MemoryRange>);

pub(super) struct MemoryRange {
    pub(super) first: i64,
    pub(super) end: i64,
    /// As `rw-p`.
    pub(super) rights: [u8; 4],
    /// The heap that grows at its end, as the C library's `malloc` uses it.
    pub(super) is_heap: bool,
}

impl MemoryRanges {
    pub(super) fn read() -> MemoryRanges {
        let text = fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let maps = text.lines().filter_map(|line| {
            let (range, rest) = line.split_once(' ')?;
            let (first, end) = range.split_once('-')?;
            let number = |text| i64::from_str_radix(text, 16).ok();
            let rights = rest.as_bytes().get(..4)?.try_into().ok()?;
            Some(MemoryRange { first: number(first)?, end: number(end)?, rights, is_heap: rest.ends_with("[heap]") })
        });
        MemoryRanges(maps.collect())
    }

    /// The parts of a span that have these rights.
    pub(super) fn with_rights(&self, (first, end): (i64, i64), rights: [u8; 4]) -> Spans {
        let maps = self.0.iter().filter(|map| map.rights == rights);
        Spans::of(maps.map(|map| (map.first, map.end)).collect()).common(&Spans::one(first, end))
    }

    /// Whether all of a span lies in memory of which this holds.
    pub(super) fn all(&self, (first, end): (i64, i64), holds: impl Fn(&MemoryRange) -> bool) -> bool {
        let mut at = first;
        for map in self.0.iter().filter(|map| map.end > first && map.first < end) {
            if map.first > at || !holds(map) {
                return false;
            }
            at = map.end;
        }
        at >= end
    }

    /// Whether the bytes at these addresses can be written.
    pub(super) fn are_writable(&self, addresses: &[i64]) -> bool {
        let writable = |at: &i64| self.0.iter().any(|map| map.rights[1] == b'w' && (map.first..map.end).contains(at));
        addresses.iter().all(writable)
    }
}
