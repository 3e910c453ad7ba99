//! Which source memory serves each target location, and the copies that follow.

use crate::flow::{Class, Spread, spread};
use crate::owners::Owners;
use crate::runs::{Part, compress, compress_fixed};
use crate::side::Side;
use std::collections::HashMap;

/// One component of a redistribution: both sides in tables.
pub struct Table {
    /// The array dimensions it covers.
    pub dimensions: Vec<usize>,
    /// The source side.
    pub source: Side,
    /// The target side.
    pub target: Side,
    /// Who holds what, who wants what.
    pub owners: Owners,
    /// The code of its elements.
    pub elements: crate::codes::Code,
}

/// A strided copy between two memories of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Index of the source memory.
    pub source: u32,
    /// Index of the target memory.
    pub target: u32,
    /// The places.
    pub part: Part,
}

/// The distinct memories that hold each element, ascending.
pub struct Holders {
    start: Vec<u32>,
    memories: Vec<u32>,
}

impl Holders {
    /// Lists them.
    pub fn new(table: &Table) -> Self {
        let (mut start, mut memories) = (vec![0], Vec::new());
        for e in 0..table.owners.elements() {
            let from = memories.len();
            memories.extend(table.owners.copies(e as u32).iter().map(|&l| table.source.locations[l as usize].memory));
            memories[from..].sort_unstable();
            let mut kept = from;
            for k in from..memories.len() {
                if k == from || memories[k] != memories[kept - 1] {
                    memories[kept] = memories[k];
                    kept += 1;
                }
            }
            memories.truncate(kept);
            start.push(kept as u32);
        }
        Self { start, memories }
    }

    /// The memories that hold an element.
    pub fn of(&self, element: u32) -> &[u32] {
        &self.memories[self.start[element as usize] as usize..self.start[element as usize + 1] as usize]
    }
}

/// How copies of one memory are told apart when a memory is chosen.
enum Place<'a> {
    /// The given copy of each element.
    Given(&'a [u32]),
    /// Whatever carries a run furthest.
    Free,
}

/// Every element from the given copy (an index into the source's locations).
pub fn from_copies(table: &Table, copy: &[u32]) -> Vec<Copy> {
    let memory = |e: u32| table.source.locations[copy[e as usize] as usize].memory;
    let choice: Vec<u32> = table.owners.wants.iter().map(|w| memory(w.element)).collect();
    copies(table, &choice, None, &Place::Given(copy))
}

/// The fewest copies that the policies find: smallest copy, smallest memory, staying with a memory, largest memory.
pub fn fewest(table: &Table) -> Vec<Copy> {
    let first: Vec<u32> = (0..table.owners.elements()).map(|e| table.owners.copies(e as u32)[0]).collect();
    let mut best = from_copies(table, &first);
    let pairs = |copies: &[Copy]| {
        let mut p: Vec<(u32, u32)> = copies.iter().map(|c| (c.target, c.source)).collect();
        p.dedup();
        p.len()
    };
    if !table.owners.redundant() || best.len() <= 1 {
        return best;
    }
    let holders = Holders::new(table);
    let wants = &table.owners.wants;
    let policies: [&dyn Fn() -> Vec<u32>; 3] =
        [&|| stay(table, &holders), &|| wants.iter().map(|w| holders.of(w.element)[0]).collect(), &|| {
            wants.iter().map(|w| holders.of(w.element)[holders.of(w.element).len() - 1]).collect()
        }];
    for policy in policies {
        let found = copies(table, &policy(), None, &Place::Free);
        if (found.len(), pairs(&found)) < (best.len(), pairs(&best)) {
            best = found;
        }
    }
    best
}

/// For each target memory in turn: stays with a source memory while it holds what comes next, and changes to the one
/// that holds the most of what follows.
fn stay(table: &Table, holders: &Holders) -> Vec<u32> {
    let wants = &table.owners.wants;
    let mut by_memory: Vec<Vec<u32>> = vec![Vec::new(); table.target.memories.len()];
    wants.iter().enumerate().for_each(|(k, w)| by_memory[w.memory as usize].push(k as u32));
    let mut choice = vec![0; wants.len()];
    for sequence in by_memory {
        // reach[k][h]: how many wants from the k-th on the h-th holder of the k-th serves without a break.
        let mut reach: Vec<Vec<u32>> = vec![Vec::new(); sequence.len()];
        for k in (0..sequence.len()).rev() {
            let own = holders.of(wants[sequence[k] as usize].element);
            let next = sequence.get(k + 1).map_or(&[][..], |&n| holders.of(wants[n as usize].element));
            let after = |m: &u32| next.binary_search(m).map_or(0, |h| reach[k + 1][h]);
            reach[k] = own.iter().map(|m| 1 + after(m)).collect();
        }
        let mut current = u32::MAX;
        for (k, &want) in sequence.iter().enumerate() {
            let own = holders.of(wants[want as usize].element);
            if own.binary_search(&current).is_err() {
                let furthest = (0..own.len()).rev().max_by_key(|&h| reach[k][h]);
                current = furthest.map_or(u32::MAX, |h| own[h]);
            }
            choice[want as usize] = current;
        }
    }
    choice
}

/// The wants of a component by the set of memories that can serve them.
pub struct Classes {
    /// The sets, with the number of wants as weight.
    pub classes: Vec<Class>,
    /// The wants of each, in target order.
    pub members: Vec<Vec<u32>>,
}

impl Classes {
    /// Groups the wants.
    pub fn new(table: &Table, holders: &Holders) -> Self {
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut of_element = vec![u32::MAX; table.owners.elements()];
        let mut found = Self { classes: Vec::new(), members: Vec::new() };
        for (k, w) in table.owners.wants.iter().enumerate() {
            let class = &mut of_element[w.element as usize];
            if *class == u32::MAX {
                let set = holders.of(w.element);
                *class = *numbers.entry(set).or_insert_with(|| {
                    found.classes.push(Class { weight: 0, memories: set.to_vec() });
                    found.members.push(Vec::new());
                    found.classes.len() as u32 - 1
                });
            }
            found.classes[*class as usize].weight += 1;
            found.members[*class as usize].push(k as u32);
        }
        found
    }

    /// The least possible largest load of this component alone.
    pub fn spread(&self, table: &Table) -> Spread {
        spread(&self.classes, table.source.memories.len())
    }
}

/// Copies in which each class is cut into intervals by the quotas of its memories.
pub fn balanced(table: &Table, classes: &Classes, spread: &Spread) -> Vec<Copy> {
    let mut choice = vec![0; table.owners.wants.len()];
    for ((class, members), quota) in classes.classes.iter().zip(&classes.members).zip(&spread.quota) {
        let mut next = members.iter();
        for (&m, &q) in class.memories.iter().zip(quota) {
            next.by_ref().take(q as usize).for_each(|&k| choice[k as usize] = m);
        }
    }
    copies(table, &choice, None, &Place::Free)
}

/// Copies of some wants, all from one source memory.
pub fn from_memory(table: &Table, wants: &[u32], memory: u32) -> Vec<Copy> {
    let choice = vec![memory; wants.len()];
    copies(table, &choice, Some(wants), &Place::Free)
}

/// The copies when `choice[k]` serves the k-th want (of `only`, or of all).
fn copies(table: &Table, choice: &[u32], only: Option<&[u32]>, place: &Place) -> Vec<Copy> {
    let all = &table.owners.wants;
    let want = |k: u32| &all[only.map_or(k, |o| o[k as usize]) as usize];
    let order = by_pair(choice, table.source.memories.len(), |k| want(k).memory);
    let mut found = Vec::new();
    let (mut target, mut fixed, mut places, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut i = 0;
    while i < order.len() {
        let pair = (want(order[i]).memory, choice[order[i] as usize]);
        target.clear();
        fixed.clear();
        places.clear();
        ends.clear();
        while i < order.len() && (want(order[i]).memory, choice[order[i] as usize]) == pair {
            let w = want(order[i]);
            target.push(w.code);
            let location = |l: u32| &table.source.locations[l as usize];
            match place {
                Place::Given(copy) => fixed.push(location(copy[w.element as usize]).code),
                Place::Free => {
                    let here = table.owners.copies(w.element).iter().map(|&l| location(l));
                    places.extend(here.filter(|l| l.memory == pair.1).map(|l| l.code));
                    ends.push(places.len());
                }
            }
            i += 1;
        }
        let parts = match place {
            Place::Given(_) => compress_fixed(&target, &fixed),
            Place::Free => {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                let from: Vec<&[i64]> = starts.zip(&ends).map(|(a, &b)| &places[a..b]).collect();
                compress(&target, &from)
            }
        };
        found.extend(parts.into_iter().map(|part| Copy { source: pair.1, target: pair.0, part }));
    }
    found
}

/// The wants ordered by (target memory, source memory), keeping the target order inside a pair.
fn by_pair(choice: &[u32], sources: usize, target: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..choice.len() as u32).collect();
    let key = |k: u32| u64::from(target(k)) * sources as u64 + u64::from(choice[k as usize]);
    let most = order.iter().map(|&k| key(k)).max().unwrap_or(0);
    if most < 2 * order.len() as u64 + 1024 {
        let mut start = vec![0_u32; most as usize + 2];
        order.iter().for_each(|&k| start[key(k) as usize + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut sorted = vec![0; order.len()];
        for &k in &order {
            let slot = &mut start[key(k) as usize];
            sorted[*slot as usize] = k;
            *slot += 1;
        }
        return sorted;
    }
    order.sort_by_key(|&k| key(k));
    order
}
