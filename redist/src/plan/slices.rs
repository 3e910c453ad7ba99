//! Slices of a class of wants by rank in target order, as quotas cut them.

use crate::error::Result;
use crate::periodic::fold::Fold;
use crate::plan::choice::{self, Classes, Copy, Holders, Table};
use crate::plan::flow::Spread;
use crate::room;
use std::collections::HashMap;

/// The wants of each class, cut at some ranks. Where wants stand for several locations, the table is folded once more
/// so that none lies on both sides of a cut.
pub struct Slices<'a> {
    table: &'a Table,
    classes: &'a Classes,
    refined: Option<Refined>,
}

struct Refined {
    table: Table,
    classes: Vec<Members>,
}

/// The wants of a class in target order, and how many of them come before each rank, ranks ascending.
type Members = (Vec<u32>, Vec<(i64, usize)>);

impl<'a> Slices<'a> {
    /// Prepares to cut each class at its `ranks`. An error when the table that the cuts need is too large.
    pub fn new(table: &'a Table, classes: &'a Classes, ranks: &[Vec<i64>]) -> Result<Self> {
        let refined = match &table.fold {
            Some(fold) => Some(Refined::new(table, fold, classes, ranks)?),
            None => None,
        };
        Ok(Self { table, classes, refined })
    }

    /// The table that the wants are of: memories are numbered as in the first.
    pub fn table(&self) -> &Table {
        self.refined.as_ref().map_or(self.table, |r| &r.table)
    }

    /// The wants of a class from one rank to another.
    pub fn of(&self, class: usize, from: i64, to: i64) -> &[u32] {
        match &self.refined {
            None => &self.classes.members[class][from as usize..to as usize],
            Some(refined) => {
                let (members, before) = &refined.classes[class];
                let place = |rank| {
                    let (cut, place) = before[before.partition_point(|b| b.0 < rank)];
                    debug_assert_eq!(cut, rank, "the classes were cut there");
                    place
                };
                &members[place(from)..place(to)]
            }
        }
    }
}

impl Refined {
    fn new(table: &Table, fold: &Fold, classes: &Classes, ranks: &[Vec<i64>]) -> Result<Self> {
        let cut = |k: usize| cuts(table, fold, &classes.members[k], classes.classes[k].weight, &ranks[k]);
        let cuts: Vec<Vec<(i64, i128)>> = room::tried((0..ranks.len()).map(cut))?;
        let mut all: Vec<i128> = room::collected(cuts.iter().flat_map(|c| c.iter().map(|c| c.1)))?;
        all.sort_unstable();
        all.dedup();
        let fine = table.refined(fold, &all)?;
        let mut found = Classes::new(&fine, &Holders::new(&fine)?)?;
        let mut number: HashMap<&[u32], usize> = HashMap::new();
        room::keys(&mut number, found.classes.len())?;
        number.extend(found.classes.iter().enumerate().map(|(k, c)| (&c.memories[..], k)));
        let mut each = Vec::new();
        for (k, class) in classes.classes.iter().enumerate() {
            let members = std::mem::take(&mut found.members[number[&class.memories[..]]]);
            let mut before = room::list(2 + cuts[k].len())?;
            before.push((0, 0));
            if let Some(fold) = &fine.fold {
                let rank = |w: &u32| rank(&fine, fold, *w).0;
                before.extend(cuts[k].iter().map(|&(r, cut)| (r, members.partition_point(|w| rank(w) < cut))));
            }
            before.push((class.weight, members.len()));
            room::push(&mut each, (members, before))?;
        }
        Ok(Self { table: fine, classes: each })
    }
}

/// Copies in which each class is cut into intervals by the quotas of its memories. Errors as for [`Slices::new`].
pub fn balanced(table: &Table, classes: &Classes, spread: &Spread) -> Result<Vec<Copy>> {
    let ends = |quota: &Vec<i64>| {
        room::collected(quota.iter().scan(0, |end, q| {
            *end += q;
            Some(*end)
        }))
    };
    let ends: Vec<Vec<i64>> = room::tried(spread.quota.iter().map(ends))?;
    let slices = Slices::new(table, classes, &ends)?;
    let mut from = room::filled(0, slices.table().owners.wants.len())?;
    for (k, class) in classes.classes.iter().enumerate() {
        let mut begin = 0;
        for (&m, &end) in class.memories.iter().zip(&ends[k]) {
            slices.of(k, begin, end).iter().for_each(|&w| from[w as usize] = m);
            begin = end;
        }
    }
    choice::from_memories(slices.table(), &from)
}

/// The rank in the whole target of the first location that a want stands for, and the step to the next.
fn rank(table: &Table, fold: &Fold, want: u32) -> (i128, i128) {
    fold.ranks(&table.target, &table.owners.wants[want as usize])
}

/// For each rank inside a class, ascending, the least rank in the whole target with so many of the class before it.
fn cuts(table: &Table, fold: &Fold, members: &[u32], weight: i64, ranks: &[i64]) -> Result<Vec<(i64, i128)>> {
    let mut inside: Vec<i64> = room::collected(ranks.iter().copied().filter(|&r| 0 < r && r < weight))?;
    if inside.is_empty() {
        return Ok(Vec::new());
    }
    inside.sort_unstable();
    inside.dedup();
    let progression = |&w: &u32| {
        let (first, step) = rank(table, fold, w);
        (first, step, i128::from(table.weight(&table.owners.wants[w as usize])))
    };
    let each: Vec<(i128, i128, i128)> = room::collected(members.iter().map(progression))?;
    let before = |cut: i128| -> i128 {
        each.iter().map(|&(first, step, count)| ((cut - first + step - 1) / step).clamp(0, count)).sum()
    };
    let (least, most) = each.iter().fold((i128::MAX, 0), |(a, b), e| (a.min(e.0), b.max(e.0 + e.1 * e.2)));
    let cut = |rank: i64| {
        let (mut low, mut high) = (least, most);
        while low < high {
            let middle = low + (high - low) / 2;
            if before(middle) < rank.into() { low = middle + 1 } else { high = middle }
        }
        (rank, low)
    };
    room::collected(inside.into_iter().map(cut))
}
