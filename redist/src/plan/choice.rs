//! Which source memory serves each target location, and the copies that follow.

use crate::distribution::domain::Domain;
use crate::error::{Error, Result};
use crate::periodic::fold::{Fold, Folded};
use crate::periodic::graver::Cuts;
use crate::periodic::runs::{Part, compress, compress_fixed};
use crate::plan::flow::{Class, Spread, spread};
use crate::room;
use crate::tables::index::{IndexTable, MOST_LOCATIONS};
use crate::tables::mixed_radix::MixedRadix;
use crate::tables::owners::{Owners, Want};
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

/// One component of a redistribution: some dimensions, and where their variables are in the whole.
pub struct Component {
    /// The array dimensions it covers.
    pub dimensions: Vec<usize>,
    /// The source variables, as indices into the whole distribution.
    pub source_variables: Vec<usize>,
    /// The target variables.
    pub target_variables: Vec<usize>,
    /// Its tables; components of the same shape share them.
    pub table: Rc<Table>,
}

impl Component {
    /// The component of some dimensions, sharing the tables of an equal one among `known`.
    pub fn new(
        source: &Domain,
        target: &Domain,
        dimensions: Vec<usize>,
        tables: Tables,
        known: &[Self],
    ) -> Result<Self> {
        let (source, target) = (source.restrict(&dimensions), target.restrict(&dimensions));
        let (source_variables, target_variables) = (source.global.clone(), target.global.clone());
        let same = |c: &&Self| c.source.domain.same_shape(&source) && c.target.domain.same_shape(&target);
        let table = match known.iter().find(same) {
            Some(c) => Rc::clone(&c.table),
            None => Rc::new(Table::new(source, target, tables)?),
        };
        Ok(Self { dimensions, source_variables, target_variables, table })
    }
}

impl Deref for Component {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.table
    }
}

/// Which tables a plan needs.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// Every source copy may be wanted (to balance, or by a strategy).
    pub all_copies: bool,
    /// From this number of locations on, a component is folded where it can be; `None`: never.
    pub folded_from: Option<i128>,
}

/// Both sides of a component in tables. Locations of a folded component stand for several, and their codes are the
/// fold's; the sides' codes are those of the whole.
pub struct Table {
    /// The source side.
    pub source: IndexTable,
    /// The target side.
    pub target: IndexTable,
    /// How its places lead back to those of the whole; `None`: the tables list each location.
    pub fold: Option<Fold>,
    /// Who holds what, who wants what.
    pub owners: Owners,
    /// The code of its elements.
    pub elements: MixedRadix,
    /// Source locations, the dropped copies among them.
    pub source_locations: i128,
    /// Source memories that hold a location.
    pub source_memories: i128,
    /// All pairs of a source and a target location of the same element; unknown when copies were dropped early.
    pub pairs: Option<i128>,
}

/// From this number of source locations on, a redundant box gives up all copies but one before it is enumerated.
const DROPPED_EARLY: i128 = 1 << 19;

/// Where elements are held or wanted more than once, a search for few copies may end otherwise in folded tables: so
/// many times larger components only are folded.
const REPEATED: i128 = 128;

impl Table {
    /// Enumerates both sides, folded where they are large and repeat.
    pub fn new(source: Domain, target: Domain, tables: Tables) -> Result<Self> {
        let ranges: Vec<(i64, i64)> =
            source.elements()?.into_iter().zip(target.elements()?).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect();
        let elements = MixedRadix::new(&ranges, "dims")?;
        let whole = source.bounding_size().saturating_add(target.bounding_size());
        if let Some(from) = tables.folded_from.filter(|&from| whole >= from)
            && let Some(fold) = Fold::new(&source, &target, &elements, false)?
        {
            let folded = Self::folded(fold, elements.clone())?;
            if whole / REPEATED >= from || (!folded.owners.redundant() && folded.target.holds_once()?) {
                return Ok(folded);
            }
        }
        let size = if source.is_box() { source.box_size() } else { (0, 0) };
        let early = size.0 >= DROPPED_EARLY && !tables.all_copies;
        let cuts = if early { Cuts::of_domain(&source, false)? } else { None };
        let boxes = cuts.map(|c| c.boxes(64)).transpose()?.flatten().filter(|b| b.len() > 1);
        let dropped = boxes.is_some();
        if !dropped
            && tables.folded_from.is_some()
            && whole > MOST_LOCATIONS as i128
            && let Some(fold) = Fold::new(&source, &target, &elements, true)?
        {
            return Self::folded(fold, elements);
        }
        let source = match boxes {
            Some(boxes) => IndexTable::of_boxes(source, &boxes, &elements, "source")?,
            None => IndexTable::new(source, &elements, "source")?,
        };
        let target = IndexTable::new(target, &elements, "target")?;
        let owners = Owners::new(&source, &target, |_| 1)?;
        let whole = |known: i128, counted: usize| if dropped { known } else { counted as i128 };
        Ok(Self {
            source_locations: whole(size.0, source.locations.len()),
            source_memories: whole(size.1, source.memories.len()),
            pairs: (!dropped).then_some(owners.totals.pairs),
            source,
            target,
            fold: None,
            owners,
            elements,
        })
    }

    fn folded((fold, source, target): Folded, elements: MixedRadix) -> Result<Self> {
        let copies = |element: i64| fold.axis.copies(elements.first(element));
        let owners = Owners::new(&source, &target, copies)?;
        Ok(Self {
            source_locations: source.locations.iter().map(|l| i128::from(copies(l.element))).sum(),
            source_memories: source.memories.len() as i128,
            pairs: Some(owners.totals.pairs),
            source,
            target,
            fold: Some(fold),
            owners,
            elements,
        })
    }

    /// The same table where no target location stands for others on both sides of one of the ranks, ascending. An error
    /// when it has too many locations.
    pub fn refined(&self, fold: &Fold, cuts: &[i128]) -> Result<Self> {
        let refined = fold.refined((&self.source, &self.target), &self.elements, cuts)?;
        let what = || format!("there are more than {MOST_LOCATIONS} locations in one component");
        let refined = refined.ok_or_else(|| Error::new("target", what(), "redistribute a smaller part at a time"))?;
        Self::folded(refined, self.elements.clone())
    }

    /// How many target locations a want stands for.
    pub fn weight(&self, want: &Want) -> i64 {
        let element = |e: u32| self.source.locations[self.owners.copies(e)[0] as usize].element;
        self.fold.as_ref().map_or(1, |f| f.axis.copies(self.elements.first(element(want.element))))
    }

    /// The wants in target order: by the first location that each stands for.
    fn order(&self) -> Result<Vec<u32>> {
        let wants = 0..self.owners.wants.len() as u32;
        let Some(fold) = &self.fold else { return room::collected(wants) };
        let rank = |k: u32| fold.ranks(&self.target, &self.owners.wants[k as usize]).0;
        let mut keyed: Vec<(i128, u32)> = room::collected(wants.map(|k| (rank(k), k)))?;
        keyed.sort_unstable();
        room::collected(keyed.iter().map(|k| k.1))
    }

    /// The strided copies between two memories; a folded table's are stretched.
    fn parts(&self, memories: (u32, u32), target: &[i64], from: &[&[i64]]) -> Result<Vec<Part>> {
        match &self.fold {
            None => compress(target, from),
            Some(fold) => fold.parts((&self.source, memories.0), (&self.target, memories.1), target, from),
        }
    }
}

/// A strided copy between two memories of a component.
#[derive(Debug, PartialEq, Eq)]
pub struct Copy {
    /// Index of the source memory.
    pub source: u32,
    /// Index of the target memory.
    pub target: u32,
    /// The places.
    pub part: Part,
}

impl Copy {
    /// The same copies once more.
    ///
    /// # Errors
    /// [`Error::is_no_memory`].
    pub fn again(all: &[Self]) -> Result<Vec<Self>> {
        let one = |c: &Self| {
            let levels = room::copied(&c.part.levels)?;
            Ok(Self { source: c.source, target: c.target, part: Part { levels, ..c.part } })
        };
        room::tried(all.iter().map(one))
    }
}

/// The distinct memories that hold each element, ascending.
pub struct Holders {
    start: Vec<u32>,
    memories: Vec<u32>,
}

impl Holders {
    /// Lists them.
    ///
    /// # Errors
    /// [`Error::is_no_memory`].
    pub fn new(table: &Table) -> Result<Self> {
        let mut start = room::list(table.owners.elements() + 1)?;
        let mut memories = room::list(table.source.locations.len())?;
        start.push(0);
        for e in 0..table.owners.elements() {
            let from = memories.len();
            let own = table.owners.copies(e as u32).iter().map(|&l| table.source.locations[l as usize].memory);
            memories.extend(own);
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
        Ok(Self { start, memories })
    }

    /// The memories that hold an element.
    pub fn of(&self, element: u32) -> &[u32] {
        &self.memories[self.start[element as usize] as usize..self.start[element as usize + 1] as usize]
    }
}

/// Every element from the given copy (an index into the source's locations).
///
/// # Errors
/// [`Error::is_no_memory`].
pub fn from_copies(table: &Table, copy: &[u32]) -> Result<Vec<Copy>> {
    let sources = table.source.memories.len() as u64;
    let item = |w: &Want| {
        let l = &table.source.locations[copy[w.element as usize] as usize];
        (u64::from(w.memory) * sources + u64::from(l.memory), w.code, l.code)
    };
    let pairs = Pairs::new(room::collected(table.owners.wants.iter().map(item))?)?;
    let mut found = Vec::new();
    for (key, from, to) in pairs.each() {
        let (source, target) = ((key % sources) as u32, (key / sources) as u32);
        let places = (&pairs.target[from..to], &pairs.source[from..to]);
        let parts = if table.fold.is_some() {
            table.parts((source, target), places.0, &room::collected(places.1.chunks(1))?)?
        } else {
            compress_fixed(places.0, places.1)?
        };
        room::extend(&mut found, parts.into_iter().map(|part| Copy { source, target, part }))?;
    }
    Ok(found)
}

/// Places at both sides, those with one key together, keys ascending; with equal keys the order is kept.
struct Pairs {
    /// Each key, and where its places end.
    keys: Vec<(u64, usize)>,
    target: Vec<i64>,
    source: Vec<i64>,
}

impl Pairs {
    /// Groups (key, target, source). Keys in a small range are dealt out: reading them in the order of a sorted list
    /// of indices would miss the cache at nearly each.
    fn new(items: Vec<(u64, i64, i64)>) -> Result<Self> {
        let most = items.iter().map(|i| i.0).max().unwrap_or(0);
        let sorted = items.is_sorted_by_key(|i| i.0);
        if sorted || most >= 2 * items.len() as u64 + 1024 {
            let mut items = items;
            if !sorted {
                let order = sorted_by_key(items.iter().map(|i| i.0))?;
                items = room::collected(order.iter().map(|&k| items[k as usize]))?;
            }
            let groups = items.chunk_by(|a, b| a.0 == b.0);
            let ends = groups.scan(0, |end, g| {
                *end += g.len();
                Some((g[0].0, *end))
            });
            return Ok(Self {
                keys: room::collected(ends)?,
                target: room::collected(items.iter().map(|i| i.1))?,
                source: room::collected(items.iter().map(|i| i.2))?,
            });
        }
        let mut next = room::filled(0_u32, most as usize + 2)?;
        items.iter().for_each(|i| next[i.0 as usize + 1] += 1);
        for k in 1..next.len() {
            next[k] += next[k - 1];
        }
        let (mut target, mut source) = (room::filled(0, items.len())?, room::filled(0, items.len())?);
        for (key, t, s) in items {
            let slot = &mut next[key as usize];
            (target[*slot as usize], source[*slot as usize]) = (t, s);
            *slot += 1;
        }
        // Each slot has moved to where its key's places end.
        let mut begin = 0;
        let ends = next.iter().enumerate().take(most as usize + 1).filter_map(|(key, &end)| {
            let used = end > begin;
            begin = end;
            used.then_some((key as u64, end as usize))
        });
        Ok(Self { keys: room::collected(ends)?, target, source })
    }

    /// Each key with its range of places.
    fn each(&self) -> impl Iterator<Item = (u64, usize, usize)> {
        let begins = std::iter::once(0).chain(self.keys.iter().map(|k| k.1));
        self.keys.iter().zip(begins).map(|(&(key, end), begin)| (key, begin, end))
    }
}

/// With more wants than this, the smallest copies are taken without a search for fewer descriptors.
const SEARCHED: usize = 1 << 18;

/// The fewest copies that the policies find: smallest copy, smallest memory, staying with a memory, largest memory.
///
/// # Errors
/// [`Error::is_no_memory`].
pub fn fewest(table: &Table) -> Result<Vec<Copy>> {
    let first: Vec<u32> = room::collected((0..table.owners.elements()).map(|e| table.owners.copies(e as u32)[0]))?;
    let mut best = from_copies(table, &first)?;
    let pairs = |copies: &[Copy]| {
        let pair = |c: &Copy| (c.target, c.source);
        copies.chunk_by(|a, b| pair(a) == pair(b)).count()
    };
    if !table.owners.redundant() || best.len() <= 1 || table.owners.wants.len() > SEARCHED {
        return Ok(best);
    }
    let holders = Holders::new(table)?;
    let wants = &table.owners.wants;
    let policies: [&dyn Fn() -> Result<Vec<u32>>; 3] =
        [&|| stay(table, &holders), &|| room::collected(wants.iter().map(|w| holders.of(w.element)[0])), &|| {
            room::collected(wants.iter().map(|w| holders.of(w.element)[holders.of(w.element).len() - 1]))
        }];
    for policy in policies {
        let found = copies(table, &policy()?, None)?;
        if (found.len(), pairs(&found)) < (best.len(), pairs(&best)) {
            best = found;
        }
    }
    Ok(best)
}

/// For each target memory in turn: stays with a source memory while it holds what comes next, and changes to the one
/// that holds the most of what follows.
fn stay(table: &Table, holders: &Holders) -> Result<Vec<u32>> {
    let wants = &table.owners.wants;
    let mut by_memory: Vec<Vec<u32>> = room::lists(table.target.memories.len())?;
    for (k, w) in wants.iter().enumerate() {
        room::push(&mut by_memory[w.memory as usize], k as u32)?;
    }
    let mut choice = room::filled(0, wants.len())?;
    for sequence in by_memory {
        // reach[k][h]: how many wants from the k-th on the h-th holder of the k-th serves without a break.
        let mut reach: Vec<Vec<u32>> = room::lists(sequence.len())?;
        for k in (0..sequence.len()).rev() {
            let own = holders.of(wants[sequence[k] as usize].element);
            let next = sequence.get(k + 1).map_or(&[][..], |&n| holders.of(wants[n as usize].element));
            let after = |m: &u32| next.binary_search(m).map_or(0, |h| reach[k + 1][h]);
            reach[k] = room::collected(own.iter().map(|m| 1 + after(m)))?;
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
    Ok(choice)
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
    ///
    /// # Errors
    /// [`Error::is_no_memory`].
    pub fn new(table: &Table, holders: &Holders) -> Result<Self> {
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut of_element = room::filled(u32::MAX, table.owners.elements())?;
        let mut found = Self { classes: Vec::new(), members: Vec::new() };
        for k in table.order()? {
            let w = &table.owners.wants[k as usize];
            let class = &mut of_element[w.element as usize];
            if *class == u32::MAX {
                let set = holders.of(w.element);
                room::keys(&mut numbers, 1)?;
                *class = *numbers.entry(set).or_insert(found.classes.len() as u32);
                if *class as usize == found.classes.len() {
                    room::push(&mut found.classes, Class { weight: 0, memories: room::copied(set)? })?;
                    room::push(&mut found.members, Vec::new())?;
                }
            }
            found.classes[*class as usize].weight += table.weight(w);
            room::push(&mut found.members[*class as usize], k)?;
        }
        Ok(found)
    }

    /// The least possible largest load of this component alone.
    ///
    /// # Errors
    /// [`Error::is_no_memory`].
    pub fn spread(&self, table: &Table) -> Result<Spread> {
        spread(&self.classes, table.source.memories.len())
    }
}

/// Copies of all wants, the k-th from the source memory `choice[k]`.
///
/// # Errors
/// [`Error::is_no_memory`].
pub fn from_memories(table: &Table, choice: &[u32]) -> Result<Vec<Copy>> {
    copies(table, choice, None)
}

/// Copies of some wants, all from one source memory.
///
/// # Errors
/// [`Error::is_no_memory`].
pub fn from_memory(table: &Table, wants: &[u32], memory: u32) -> Result<Vec<Copy>> {
    let choice = room::filled(memory, wants.len())?;
    if table.fold.is_some() {
        // Runs show in the order of the folded places.
        let mut wants: Vec<u32> = room::copied(wants)?;
        wants.sort_unstable();
        return copies(table, &choice, Some(&wants));
    }
    copies(table, &choice, Some(wants))
}

/// The copies when memory `choice[k]` serves the k-th want (of `only`, or of all), from whichever of its places
/// carries the runs furthest.
fn copies(table: &Table, choice: &[u32], only: Option<&[u32]>) -> Result<Vec<Copy>> {
    let all = &table.owners.wants;
    let want = |k: u32| &all[only.map_or(k, |o| o[k as usize]) as usize];
    let sources = table.source.memories.len() as u64;
    let key = |k: u32| u64::from(want(k).memory) * sources + u64::from(choice[k as usize]);
    let keys: Vec<u64> = room::collected((0..choice.len() as u32).map(key))?;
    let order = sorted_by_key(keys.iter().copied())?;
    let (mut found, mut target, mut places, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for pair in order.chunk_by(|&a, &b| keys[a as usize] == keys[b as usize]) {
        let key = keys[pair[0] as usize];
        let (to, from) = ((key / sources) as u32, (key % sources) as u32);
        target.clear();
        places.clear();
        ends.clear();
        for &k in pair {
            let here = table.owners.copies(want(k).element).iter().map(|&l| &table.source.locations[l as usize]);
            room::push(&mut target, want(k).code)?;
            room::extend(&mut places, here.filter(|l| l.memory == from).map(|l| l.code))?;
            room::push(&mut ends, places.len())?;
        }
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let each: Vec<&[i64]> = room::collected(starts.zip(&ends).map(|(a, &b)| &places[a..b]))?;
        let parts = table.parts((from, to), &target, &each)?.into_iter();
        room::extend(&mut found, parts.map(|part| Copy { source: from, target: to, part }))?;
    }
    Ok(found)
}

/// The indices ordered by their keys, equal keys in ascending order.
fn sorted_by_key(keys: impl ExactSizeIterator<Item = u64> + Clone) -> Result<Vec<u32>> {
    let mut order: Vec<u32> = room::collected(0..keys.len() as u32)?;
    if keys.clone().is_sorted() {
        return Ok(order);
    }
    let most = keys.clone().max().unwrap_or(0);
    if most < 2 * order.len() as u64 + 1024 {
        let mut start = room::filled(0_u32, most as usize + 2)?;
        keys.clone().for_each(|k| start[k as usize + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        for (i, k) in keys.enumerate() {
            let slot = &mut start[k as usize];
            order[*slot as usize] = i as u32;
            *slot += 1;
        }
        return Ok(order);
    }
    let keys: Vec<u64> = room::collected(keys)?;
    order.sort_unstable_by_key(|&k| (keys[k as usize], k));
    Ok(order)
}
