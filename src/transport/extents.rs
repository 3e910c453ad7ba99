//! Which parts of a range of bytes are free: the smallest that fits is taken, and neighbours that are given back become
//! one.

use std::collections::{BTreeMap, BTreeSet};

/// The free parts of a range.
#[derive(Debug)]
pub(crate) struct Extents {
    /// Length by offset.
    by_offset: BTreeMap<u64, u64>,
    /// Length and offset.
    by_length: BTreeSet<(u64, u64)>,
}

impl Extents {
    /// All of so many bytes.
    pub(crate) fn new(bytes: u64) -> Extents {
        let mut extents = Extents { by_offset: BTreeMap::new(), by_length: BTreeSet::new() };
        extents.insert(0, bytes);
        extents
    }

    fn insert(&mut self, offset: u64, bytes: u64) {
        self.by_offset.insert(offset, bytes);
        self.by_length.insert((bytes, offset));
    }

    fn remove(&mut self, offset: u64, bytes: u64) {
        self.by_offset.remove(&offset);
        self.by_length.remove(&(bytes, offset));
    }

    /// Takes so many bytes; where they begin.
    pub(crate) fn take(&mut self, bytes: u64) -> Option<u64> {
        let &(length, offset) = self.by_length.range((bytes, 0)..).next()?;
        self.remove(offset, length);
        if length > bytes {
            self.insert(offset + bytes, length - bytes);
        }
        Some(offset)
    }

    /// Gives back what was taken.
    pub(crate) fn give(&mut self, mut offset: u64, mut bytes: u64) {
        let before = self.by_offset.range(..offset).next_back().map(|(&offset, &bytes)| (offset, bytes));
        let after = self.by_offset.range(offset..).next().map(|(&offset, &bytes)| (offset, bytes));
        if let Some((at, length)) = before.filter(|&(at, length)| at + length == offset) {
            self.remove(at, length);
            (offset, bytes) = (at, length + bytes);
        }
        if let Some((at, length)) = after.filter(|&(at, _)| at == offset + bytes) {
            self.remove(at, length);
            bytes += length;
        }
        self.insert(offset, bytes);
    }
}

/// Parts of a range that have a property, here: they are zero.
#[derive(Debug)]
pub(crate) struct Ranges {
    /// Their ends by their beginnings; none touches another one.
    ends: BTreeMap<u64, u64>,
    bytes: u64,
}

impl Ranges {
    /// All of so many bytes.
    pub(crate) fn new(bytes: u64) -> Ranges {
        Ranges { ends: BTreeMap::from([(0, bytes)]), bytes }
    }

    /// How many bytes have the property.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Removes what is in `from..to`; says whether that was all of it.
    pub(crate) fn remove(&mut self, from: u64, to: u64) -> bool {
        let mut removed = 0;
        while let Some((&begin, &end)) = self.ends.range(..to).next_back().filter(|&(_, &end)| end > from) {
            self.ends.remove(&begin);
            if begin < from {
                self.ends.insert(begin, from);
            }
            if end > to {
                self.ends.insert(to, end);
            }
            removed += end.min(to) - begin.max(from);
        }
        self.bytes -= removed;
        removed == to - from
    }

    /// Adds `from..to`.
    pub(crate) fn add(&mut self, mut from: u64, mut to: u64) {
        self.remove(from, to);
        self.bytes += to - from;
        if let Some((&begin, _)) = self.ends.range(..from).next_back().filter(|&(_, &end)| end == from) {
            self.ends.remove(&begin);
            from = begin;
        }
        if let Some(end) = self.ends.remove(&to) {
            to = end;
        }
        self.ends.insert(from, to);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn parts_never_overlap_and_become_whole_again() {
        const BYTES: u64 = 1 << 16;
        let mut extents = Extents::new(BYTES);
        let mut taken: Vec<(u64, u64)> = Vec::new();
        let mut owner = vec![false; BYTES as usize];
        let mut random = testkit::Random::new(5);
        let mut refused = 0;
        for _ in 0..20_000 {
            if random.chance(60) || taken.is_empty() {
                let bytes = 1 + random.below(4000) as u64;
                let Some(offset) = extents.take(bytes) else {
                    refused += 1;
                    continue;
                };
                for byte in &mut owner[offset as usize..(offset + bytes) as usize] {
                    assert!(!std::mem::replace(byte, true), "a byte has one owner");
                }
                taken.push((offset, bytes));
            } else {
                let (offset, bytes) = taken.swap_remove(random.below(taken.len()));
                owner[offset as usize..(offset + bytes) as usize].fill(false);
                extents.give(offset, bytes);
            }
        }
        assert!(refused > 100, "{refused}");
        for (offset, bytes) in taken {
            extents.give(offset, bytes);
        }
        assert_eq!(extents.take(BYTES), Some(0));
        assert_eq!(extents.take(1), None);
    }

    #[test]
    fn ranges_are_what_a_list_of_all_bytes_says() {
        const BYTES: u64 = 200;
        let mut ranges = Ranges::new(BYTES);
        let mut all = vec![true; BYTES as usize];
        let mut random = testkit::Random::new(6);
        for _ in 0..20_000 {
            let from = random.below(BYTES as usize);
            let to = from + 1 + random.below((BYTES as usize - from).min(40));
            let part = &mut all[from..to];
            if random.chance(50) {
                ranges.add(from as u64, to as u64);
                part.fill(true);
            } else {
                let expected = part.iter().all(|has| *has);
                part.fill(false);
                assert_eq!(ranges.remove(from as u64, to as u64), expected);
            }
            let mut listed = vec![false; BYTES as usize];
            let mut last = None;
            for (&from, &to) in &ranges.ends {
                assert!(last.is_none_or(|last| last < from) && from < to, "{ranges:?}");
                listed[from as usize..to as usize].fill(true);
                last = Some(to);
            }
            assert_eq!(listed, all);
            assert_eq!(ranges.bytes(), all.iter().filter(|has| **has).count() as u64);
        }
    }
}
