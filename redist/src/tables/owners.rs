//! Which source locations hold each element, and which target locations want it.

use crate::error::Result;
use crate::room;
use crate::tables::index::{IndexTable, Location};
use std::collections::HashMap;

/// Finds the number of an element from its code.
enum Index {
    /// Codes from a start on, `u32::MAX` where there is none.
    Direct(i64, Vec<u32>),
    Hashed(HashMap<i64, u32>),
}

impl Index {
    fn get(&self, code: i64) -> Option<u32> {
        match self {
            Self::Direct(start, table) => {
                let k = usize::try_from(code.checked_sub(*start)?).ok()?;
                table.get(k).copied().filter(|&e| e != u32::MAX)
            }
            Self::Hashed(table) => table.get(&code).copied(),
        }
    }
}

/// A target location whose element the source holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Want {
    /// The element's number.
    pub element: u32,
    /// The target memory.
    pub memory: u32,
    /// The code of the place in the target memory.
    pub code: i64,
}

/// Source elements with all their copies, and the target locations that want them.
pub struct Owners {
    /// `copies[start[e]..start[e + 1]]` hold element e; empty when every element has one copy, `copies[e]`.
    start: Vec<u32>,
    elements: usize,
    /// Indices into the source's locations, ascending, so the first is the lexicographically smallest.
    copies: Vec<u32>,
    /// What can be delivered, in lexicographic order of the target locations.
    pub wants: Vec<Want>,
    /// Codes of the elements that the target wants and the source does not hold, ascending.
    pub missing: Vec<i64>,
    /// How many there are of what.
    pub totals: Totals,
}

/// Counts of one component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Target locations.
    pub target_locations: i128,
    /// Target locations whose element the source holds.
    pub wants: i128,
    /// Distinct source elements.
    pub source_elements: i128,
    /// Distinct elements that both sides hold.
    pub common: i128,
    /// Distinct elements that the target wants and the source does not hold.
    pub missing: i128,
    /// All pairs of a source and a target location of the same element.
    pub pairs: i128,
}

impl Owners {
    /// Joins the two sides of a component. `copies` tells how many elements the code of one stands for.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn new(source: &IndexTable, target: &IndexTable, copies_of: impl Fn(i64) -> i64) -> Result<Self> {
        let (index, elements, start, copies) = group(&source.locations)?;
        let mut wants = room::list(target.locations.len())?;
        let mut missing = Vec::new();
        let mut owners =
            Self { start, elements, copies, wants: Vec::new(), missing: Vec::new(), totals: Totals::default() };
        let mut seen = room::filled(false, elements)?;
        let mut totals = Totals::default();
        for l in &target.locations {
            let count = i128::from(copies_of(l.element));
            totals.target_locations += count;
            let Some(element) = index.get(l.element) else {
                room::push(&mut missing, l.element)?;
                continue;
            };
            wants.push(Want { element, memory: l.memory, code: l.code });
            totals.wants += count;
            totals.pairs += count * owners.copies(element).len() as i128;
            if !std::mem::replace(&mut seen[element as usize], true) {
                totals.common += count;
            }
        }
        missing.sort_unstable();
        missing.dedup();
        totals.missing = missing.iter().map(|&m| i128::from(copies_of(m))).sum();
        let code = |e: usize| source.locations[owners.copies(e as u32)[0] as usize].element;
        totals.source_elements = (0..elements).map(|e| i128::from(copies_of(code(e)))).sum();
        (owners.wants, owners.missing, owners.totals) = (wants, missing, totals);
        Ok(owners)
    }

    /// The number of distinct source elements.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// The source locations that hold an element, smallest first.
    pub fn copies(&self, element: u32) -> &[u32] {
        let e = element as usize;
        if self.start.is_empty() {
            return &self.copies[e..=e];
        }
        &self.copies[self.start[e] as usize..self.start[e + 1] as usize]
    }

    /// Whether some element has more than one copy.
    pub fn redundant(&self) -> bool {
        !self.start.is_empty()
    }
}

/// Numbers the elements and lists the locations of each, in two passes and without sorting where codes are dense.
fn group(locations: &[Location]) -> Result<(Index, usize, Vec<u32>, Vec<u32>)> {
    let low = locations.iter().map(|l| l.element).min().unwrap_or(0);
    let high = locations.iter().map(|l| l.element).max().unwrap_or(-1);
    let span = usize::try_from(i128::from(high) - i128::from(low) + 1).unwrap_or(usize::MAX);
    let mut elements = 0;
    let mut fresh = || {
        elements += 1;
        elements - 1
    };
    let (index, numbers): (Index, Vec<u32>) = if span <= (1 << 20).max(8 * locations.len()) {
        let mut table = room::filled(u32::MAX, span)?;
        let mut number = |l: &Location| {
            let slot = &mut table[(l.element - low) as usize];
            if *slot == u32::MAX {
                *slot = fresh();
            }
            *slot
        };
        let numbers = room::collected(locations.iter().map(&mut number))?;
        (Index::Direct(low, table), numbers)
    } else {
        let mut table = HashMap::new();
        room::keys(&mut table, locations.len())?;
        let numbers = locations.iter().map(|l| *table.entry(l.element).or_insert_with(&mut fresh));
        let numbers = room::collected(numbers)?;
        (Index::Hashed(table), numbers)
    };
    if elements as usize == locations.len() {
        return Ok((index, elements as usize, Vec::new(), numbers));
    }
    let mut start = room::filled(0_u32, elements as usize + 1)?;
    numbers.iter().for_each(|&e| start[e as usize + 1] += 1);
    for e in 0..elements as usize {
        start[e + 1] += start[e];
    }
    let (mut next, mut copies) = (room::copied(&start)?, room::filled(0, locations.len())?);
    for (k, &e) in numbers.iter().enumerate() {
        copies[next[e as usize] as usize] = k as u32;
        next[e as usize] += 1;
    }
    Ok((index, elements as usize, start, copies))
}
