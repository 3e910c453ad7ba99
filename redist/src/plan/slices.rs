//! Slices of a class of wants by rank in target order, as quotas cut them.

use crate::error::Result;
use crate::periodic::fold::Fold;
use crate::plan::choice::{self, Classes, Copy, Holders, Table};
use crate::plan::flow::Spread;
use std::collections::{BTreeMap, HashMap};

/// The wants of each class, cut at some ranks. Where wants stand for several locations, the table is folded once more
/// so that none lies on both sides of a cut.
pub struct Slices<'a> {
    table: &'a Table,
    classes: &'a Classes,
    refined: Option<Refined>,
}

struct Refined {
    table: Table,
    /// By class: the wants in target order, and how many of them come before each rank.
    classes: Vec<(Vec<u32>, BTreeMap<i64, usize>)>,
}

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
                &members[before[&from]..before[&to]]
            }
        }
    }
}

impl Refined {
    fn new(table: &Table, fold: &Fold, classes: &Classes, ranks: &[Vec<i64>]) -> Result<Self> {
        let cut = |k: usize| cuts(table, fold, &classes.members[k], classes.classes[k].weight, &ranks[k]);
        let cuts: Vec<BTreeMap<i64, i128>> = (0..ranks.len()).map(cut).collect();
        let mut all: Vec<i128> = cuts.iter().flat_map(|c| c.values().copied()).collect();
        all.sort_unstable();
        all.dedup();
        let fine = table.refined(fold, &all)?;
        let mut found = Classes::new(&fine, &Holders::new(&fine));
        let number: HashMap<Vec<u32>, usize> =
            found.classes.iter_mut().enumerate().map(|(k, c)| (std::mem::take(&mut c.memories), k)).collect();
        let mut each = Vec::new();
        for (k, class) in classes.classes.iter().enumerate() {
            let members = std::mem::take(&mut found.members[number[&class.memories]]);
            let mut before = BTreeMap::from([(0, 0), (class.weight, members.len())]);
            if let Some(fold) = &fine.fold {
                let rank = |w: &u32| rank(&fine, fold, *w).0;
                before.extend(cuts[k].iter().map(|(&r, &cut)| (r, members.partition_point(|w| rank(w) < cut))));
            }
            each.push((members, before));
        }
        Ok(Self { table: fine, classes: each })
    }
}

/// Copies in which each class is cut into intervals by the quotas of its memories. Errors as for [`Slices::new`].
pub fn balanced(table: &Table, classes: &Classes, spread: &Spread) -> Result<Vec<Copy>> {
    let ends = |quota: &Vec<i64>| -> Vec<i64> {
        let sums = quota.iter().scan(0, |end, q| {
            *end += q;
            Some(*end)
        });
        sums.collect()
    };
    let ends: Vec<Vec<i64>> = spread.quota.iter().map(ends).collect();
    let slices = Slices::new(table, classes, &ends)?;
    let mut from = vec![0; slices.table().owners.wants.len()];
    for (k, class) in classes.classes.iter().enumerate() {
        let mut begin = 0;
        for (&m, &end) in class.memories.iter().zip(&ends[k]) {
            slices.of(k, begin, end).iter().for_each(|&w| from[w as usize] = m);
            begin = end;
        }
    }
    Ok(choice::from_memories(slices.table(), &from))
}

/// The rank in the whole target of the first location that a want stands for, and the step to the next.
fn rank(table: &Table, fold: &Fold, want: u32) -> (i128, i128) {
    fold.ranks(&table.target, &table.owners.wants[want as usize])
}

/// For each rank inside a class, the least rank in the whole target with so many of the class before it.
fn cuts(table: &Table, fold: &Fold, members: &[u32], weight: i64, ranks: &[i64]) -> BTreeMap<i64, i128> {
    let inside: Vec<i64> = ranks.iter().copied().filter(|&r| 0 < r && r < weight).collect();
    if inside.is_empty() {
        return BTreeMap::new();
    }
    let progression = |&w: &u32| {
        let (first, step) = rank(table, fold, w);
        (first, step, i128::from(table.weight(&table.owners.wants[w as usize])))
    };
    let each: Vec<(i128, i128, i128)> = members.iter().map(progression).collect();
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
    inside.into_iter().map(cut).collect()
}
