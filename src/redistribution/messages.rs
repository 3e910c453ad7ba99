//! Which process copies what: a plan's copies, divided between the processes that have its memories.
//!
//! Copies inside a process are made there. All copies from one process to another are one message. Its elements are *packed*
//! in the order of the copies, each copy in the order of its places at the target: rows. A taker that can read the sender's
//! memories copies out of these; otherwise the sender packs, and the taker unpacks.

use std::collections::{BTreeMap, BTreeSet};

use super::copy_list::{Copies, Copy, Level};
use crate::error::Error;
use crate::memory;

/// The process of each memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holders<'a> {
    pub(super) source: &'a [u32],
    pub(super) target: &'a [u32],
}

impl Holders<'_> {
    /// All processes that have a memory.
    pub(super) fn all(self) -> BTreeSet<u32> {
        self.source.iter().chain(self.target).copied().collect()
    }

    /// The two processes of a copy.
    fn of(self, copy: &Copy) -> (u32, u32) {
        (self.source[copy.source as usize], self.target[copy.target as usize])
    }
}

/// All that one process has for another one.
#[derive(Debug, Default)]
pub(super) struct ElementMessage {
    pub(super) elements: i64,
    /// The source memories that it is of, ascending.
    pub(super) memories: Vec<u32>,
}

/// What one process has to do with a plan.
#[derive(Debug, Default)]
pub(super) struct PlanShare {
    /// Messages of others, by sender.
    pub(super) from: BTreeMap<u32, ElementMessage>,
    /// Messages for others, by taker.
    pub(super) to: BTreeMap<u32, ElementMessage>,
}

/// The elements of a copy.
fn volume(levels: &[Level]) -> i64 {
    levels.iter().map(|level| level.count).product()
}

impl PlanShare {
    /// The part of process `me`.
    pub(super) fn of(copies: &Copies, holders: Holders<'_>, me: u32) -> Self {
        let mut parts = Self::default();
        for copy in &copies.list {
            let message = match holders.of(copy) {
                (from, to) if from == to => continue,
                (from, to) if to == me => parts.from.entry(from).or_default(),
                (from, to) if from == me => parts.to.entry(to).or_default(),
                _ => continue,
            };
            message.elements += volume(&copies.shapes[copy.shape as usize]);
            message.memories.push(copy.source);
        }
        for message in parts.from.values_mut().chain(parts.to.values_mut()) {
            message.memories.sort_unstable();
            message.memories.dedup();
        }
        parts
    }
}

/// The copies of one message, or those inside a process.
fn between<'a>(
    copies: &'a Copies,
    holders: Holders<'a>,
    pair: (u32, u32),
) -> impl Iterator<Item = (&'a Copy, &'a [Level])> {
    let of_pair = copies.list.iter().filter(move |copy| holders.of(copy) == pair);
    of_pair.map(|copy| (copy, &*copies.shapes[copy.shape as usize]))
}

/// The copies out of the memories of the first process into those of the second one.
pub(super) fn direct(copies: &Copies, holders: Holders<'_>, pair: (u32, u32)) -> Result<Copies, Error> {
    let mut found = Copies::default();
    for (copy, levels) in between(copies, holders, pair) {
        let levels = memory::list(levels.iter().copied())?;
        found.add((copy.source, copy.target), (copy.source_at, copy.target_at), levels)?;
    }
    Ok(found)
}

/// The copies into the message, which is memory 0.
pub(super) fn pack(copies: &Copies, holders: Holders<'_>, pair: (u32, u32)) -> Result<Copies, Error> {
    let (mut found, mut at) = (Copies::default(), 0);
    for (copy, levels) in between(copies, holders, pair) {
        let rows = rows(levels).map(|(level, packed)| Level { target: packed, ..level });
        found.add((copy.source, 0), (copy.source_at, at), memory::list(rows)?)?;
        at += volume(levels);
    }
    Ok(found)
}

/// The copies out of the message, which is memory 0.
pub(super) fn unpack(copies: &Copies, holders: Holders<'_>, pair: (u32, u32)) -> Result<Copies, Error> {
    let (mut found, mut at) = (Copies::default(), 0);
    for (copy, levels) in between(copies, holders, pair) {
        let rows = rows(levels).map(|(level, packed)| Level { source: packed, ..level });
        found.add((0, copy.target), (at, copy.target_at), memory::list(rows)?)?;
        at += volume(levels);
    }
    Ok(found)
}

/// Levels with their strides in the message. They are in normal form: the smallest target stride first.
fn rows(levels: &[Level]) -> impl ExactSizeIterator<Item = (Level, i64)> {
    let mut next = 1;
    levels.iter().map(move |level| {
        let packed = next;
        next *= level.count;
        (*level, packed)
    })
}

/// FNV-1a over numbers: what all processes have to agree on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, number: i64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The digest, which is not 0.
    pub(super) fn end(self) -> u64 {
        self.0.max(1)
    }

    /// That of a plan over processes.
    pub(super) fn of_plan(copies: &Copies, sizes: [&[i64]; 2], holders: Holders<'_>) -> u64 {
        let mut digest = Self::new();
        for (sizes, holders) in sizes.into_iter().zip([holders.source, holders.target]) {
            digest.add(sizes.len() as i64);
            for number in sizes.iter().copied().chain(holders.iter().map(|&process| process.into())) {
                digest.add(number);
            }
        }
        for copy in &copies.list {
            let levels = &copies.shapes[copy.shape as usize];
            [copy.source.into(), copy.target.into(), copy.source_at, copy.target_at, levels.len() as i64]
                .into_iter()
                .chain(levels.iter().flat_map(|level| [level.count, level.source, level.target]))
                .for_each(|number| digest.add(number));
        }
        digest.end()
    }

    /// That of the arrays of a round.
    pub(super) fn of_arrays(elements: &[usize]) -> u64 {
        let mut digest = Self::new();
        for &element in elements {
            digest.add(element as i64);
        }
        digest.add(elements.len() as i64);
        digest.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    /// Copies that write each place of each target memory at most once.
    fn some_copies(random: &mut Random, memories: (usize, usize)) -> (Copies, usize, usize) {
        let mut copies = Copies::default();
        let (source_size, target_size) = (400, 1000);
        for target in 0..memories.1 {
            let mut at = 0;
            while at < target_size - 64 {
                let (rows, columns) = (random.between(1, 4), random.between(1, 8));
                let levels = match random.below(3) {
                    0 => vec![
                        Level { count: columns, source: random.between(-3, 9), target: 1 },
                        Level { count: rows, source: random.between(0, 20), target: columns },
                    ],
                    1 => vec![
                        Level { count: columns, source: 1, target: rows },
                        Level { count: rows, source: random.between(9, 20), target: 1 },
                    ],
                    _ => vec![Level { count: rows * columns, source: 1, target: -1 }],
                };
                let place = if levels[0].target < 0 { at + rows * columns - 1 } else { at };
                let pair = (random.below(memories.0) as u32, target as u32);
                copies.add(pair, (random.between(60, 200), place), levels).unwrap();
                at += rows * columns + random.between(0, 3);
            }
        }
        (copies, source_size, target_size as usize)
    }

    /// Makes copies one element after the other.
    fn make(copies: &Copies, source: &[&[u64]], target: &mut [&mut [u64]]) -> i64 {
        let mut made = 0;
        for copy in &copies.list {
            let levels = &copies.shapes[copy.shape as usize];
            for k in 0..volume(levels) {
                let (mut left, mut from, mut to) = (k, copy.source_at, copy.target_at);
                for level in levels {
                    let step = left % level.count;
                    left /= level.count;
                    from += step * level.source;
                    to += step * level.target;
                }
                let place = &mut target[copy.target as usize][to as usize];
                assert_eq!(*place, 0, "a place is written twice");
                *place = source[copy.source as usize][from as usize];
                made += 1;
            }
        }
        made
    }

    fn views(all: &mut [Vec<u64>]) -> Vec<&mut [u64]> {
        all.iter_mut().map(Vec::as_mut_slice).collect()
    }

    #[test]
    fn messages_and_copies_inside_processes_deliver_what_the_plan_does() {
        for mut random in testkit::seeds(300).map(Random::new) {
            let memories = (1 + random.below(5), 1 + random.below(5));
            let processes = 1 + random.below(4);
            let (copies, source_size, target_size) = some_copies(&mut random, memories);
            let some = |random: &mut Random, count| -> Vec<u32> {
                (0..count).map(|_| random.below(processes) as u32).collect()
            };
            let (source_holders, target_holders) = (some(&mut random, memories.0), some(&mut random, memories.1));
            let holders = Holders { source: &source_holders, target: &target_holders };
            let source: Vec<Vec<u64>> =
                (0..memories.0).map(|_| (0..source_size).map(|_| random.number() | 1).collect()).collect();
            let source: Vec<&[u64]> = source.iter().map(Vec::as_slice).collect();
            let room = || vec![vec![0_u64; target_size]; memories.1];
            let (mut expected, mut packed, mut read) = (room(), room(), room());
            make(&copies, &source, &mut views(&mut expected));
            for to in 0..processes as u32 {
                let parts = PlanShare::of(&copies, holders, to);
                for from in 0..processes as u32 {
                    let pair = (from, to);
                    let out_of_memories = direct(&copies, holders, pair).unwrap();
                    let volume = make(&out_of_memories, &source, &mut views(&mut read));
                    if from == to {
                        make(&out_of_memories, &source, &mut views(&mut packed));
                        assert!(!parts.from.contains_key(&from) && !parts.to.contains_key(&from));
                        continue;
                    }
                    let mut message = vec![0; volume as usize];
                    assert_eq!(make(&pack(&copies, holders, pair).unwrap(), &source, &mut [&mut message]), volume);
                    let unpacked = unpack(&copies, holders, pair).unwrap();
                    assert_eq!(make(&unpacked, &[&message], &mut views(&mut packed)), volume);
                    let sent = PlanShare::of(&copies, holders, from);
                    for told in [parts.from.get(&from), sent.to.get(&to)] {
                        assert_eq!(told.map_or(0, |message| message.elements), volume);
                        let memories: BTreeSet<u32> = out_of_memories.list.iter().map(|copy| copy.source).collect();
                        assert!(told.map_or(&[][..], |message| &message.memories).iter().eq(&memories));
                    }
                }
            }
            assert_eq!(read, expected);
            assert_eq!(packed, expected);
        }
    }

    #[test]
    fn what_differs_has_another_digest() {
        for mut random in testkit::seeds(100).map(Random::new) {
            let (copies, ..) = some_copies(&mut random, (2, 2));
            let (sizes, holders) = ([3, 4], Holders { source: &[0, 1], target: &[1, 0] });
            let digest = Digest::of_plan(&copies, [&sizes, &sizes], holders);
            assert_eq!(digest, Digest::of_plan(&copies, [&sizes, &sizes], holders));
            let other = Holders { source: &[0, 1], target: &[0, 0] };
            assert_ne!(digest, Digest::of_plan(&copies, [&sizes, &sizes], other));
            assert_ne!(digest, Digest::of_plan(&copies, [&[3, 5], &sizes], holders));
            let mut changed = copies;
            changed.list[0].source_at += 1;
            assert_ne!(digest, Digest::of_plan(&changed, [&sizes, &sizes], holders));
        }
        let arrays = |elements: &[usize]| Digest::of_arrays(elements);
        assert!(arrays(&[8]) != arrays(&[4]) && arrays(&[8]) != arrays(&[8, 8]) && arrays(&[4, 8]) != arrays(&[8, 4]));
    }
}
