//! A distribution with its local layouts: which memory a location is in, and where in it.
//!
//! A memory is a local array with one index per array dimension: its data variables of that dimension, counted from their
//! least values, the later ones running faster. The place of an element is `sum stride_j * index_j`. A layout that interleaves
//! variables of several dimensions (tiles stored one after the other) has a weight for each variable instead.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use dvm_redist::distribution::domain::{Domain, components};
use dvm_redist::periodic::progressions::Progressions;
use dvm_redist::plan::descriptor::Addressing;
use dvm_redist::{Distribution, Parameters};

use super::refused;
use crate::error::Error;
use crate::memory;

/// More memories than this have no numbers.
const MOST_MEMORIES: i64 = 1 << 24;

/// An architectural variable's part in the number of a memory.
#[derive(Clone, Debug)]
struct Grid {
    variable: usize,
    least: i64,
    size: i64,
    weight: i64,
    /// The value that its least value stands for: grids whose first block is not at process 0.
    first: i64,
}

/// Where a location lies in its memory.
#[derive(Clone, Debug)]
enum Place {
    /// A local array: a stride for each dimension, and for some memories their own.
    Array { strides: Vec<i64>, own: Own },
    /// A weight for each variable, and the elements of a memory.
    Interleaved { weights: Vec<i64>, extent: i64 },
}

/// The strides of memories that have their own.
#[derive(Clone, Debug, Default)]
struct Own {
    /// The memories, ascending.
    memories: Vec<i64>,
    /// The strides of each, one after the other.
    strides: Vec<i64>,
}

impl Own {
    fn get(&self, memory: i64) -> Option<&[i64]> {
        let k = self.memories.binary_search(&memory).ok()?;
        let each = self.strides.len() / self.memories.len();
        Some(&self.strides[k * each..][..each])
    }

    /// The same with the strides of one more memory, or with other ones.
    fn with(&self, memory: i64, strides: &[i64]) -> Result<Self, Error> {
        let known = self.memories.partition_point(|&m| m < memory);
        let after = known + usize::from(self.memories.get(known) == Some(&memory));
        let replaced = |all: &[i64], new: &[i64]| -> Result<Vec<i64>, Error> {
            let (from, to) = (known * new.len(), after * new.len());
            let mut next = Vec::new();
            memory::room_for(&mut next, all.len() + new.len())?;
            for part in [&all[..from], new, &all[to..]] {
                next.extend_from_slice(part);
            }
            Ok(next)
        };
        Ok(Self { memories: replaced(&self.memories, &[memory])?, strides: replaced(&self.strides, strides)? })
    }
}

/// The local extents of some dimensions that bounds link: the same in all memories, or by architectural coordinates.
#[derive(Debug)]
enum Extents {
    Same(Vec<i64>),
    By(HashMap<Vec<i64>, Vec<i64>>),
}

#[derive(Debug)]
struct Group {
    dimensions: Vec<usize>,
    /// Indices into the grid.
    grid: Vec<usize>,
    extents: Extents,
}

/// A distribution with its local layouts.
#[derive(Debug)]
pub(crate) struct Layout {
    distribution: Distribution,
    domain: Domain,
    grid: Vec<Grid>,
    memories: i64,
    /// As large as there are memories: layouts of one distribution share them.
    groups: Arc<Vec<Group>>,
    /// The range that each data variable is counted over: its own, or more where room is kept.
    room: Vec<(i64, i64)>,
    /// What a step of each data variable adds to its dimension's local index.
    digit: Vec<i64>,
    place: Place,
    /// The process of each memory, if they are not all of the process that plans.
    holders: Option<Arc<[u32]>>,
}

impl Layout {
    /// The layout of a distribution: row-major over the data variables in the distribution's order.
    pub(crate) fn new(distribution: &Distribution, parameters: &Parameters) -> Result<Self, Error> {
        Self::with_room(distribution, parameters, &BTreeMap::new())
    }

    /// The same, with room for some data variables' values that no element has: a halo at the end of the array.
    pub(crate) fn with_room(
        distribution: &Distribution,
        parameters: &Parameters,
        wanted: &BTreeMap<String, (i64, i64)>,
    ) -> Result<Self, Error> {
        let distribution = distribution.with(parameters).map_err(|e| refused(&e))?;
        let domain = Domain::new(&distribution, &Parameters::new()).map_err(|e| refused(&e))?;
        let addressing = Addressing::new(&distribution, &domain).map_err(|e| refused(&e))?;
        if addressing.memories > MOST_MEMORIES {
            return Err(Error::argument(format!(
                "the architectural variables count {} memories: more than {MOST_MEMORIES} have no numbers",
                addressing.memories
            )));
        }
        let grid: Vec<Grid> = (0..domain.len())
            .filter(|&i| domain.arch[i])
            .map(|i| Grid {
                variable: i,
                least: domain.bounding[i].0,
                size: (domain.bounding[i].1 - domain.bounding[i].0 + 1).max(0),
                weight: addressing.memory[i],
                first: 0,
            })
            .collect();
        let mut room = domain.bounding.clone();
        if domain.empty.is_none() {
            for (r, name) in room.iter_mut().zip(&domain.names) {
                *r = wanted.get(name).map_or(*r, |w| (r.0.min(w.0), r.1.max(w.1)));
            }
        }
        let digit = digits(&domain, &room)?;
        let each = components(&domain, &domain).into_iter();
        let groups = Arc::new(each.map(|d| group(&domain, &grid, &digit, &room, d)).collect::<Result<_, _>>()?);
        let place = match array_strides(&distribution, &domain, &room)? {
            Some(strides) => Place::Array { strides, own: Own::default() },
            None => Place::Interleaved { weights: addressing.place, extent: addressing.extent },
        };
        Ok(Self {
            distribution,
            domain,
            grid,
            memories: addressing.memories,
            groups,
            room,
            digit,
            place,
            holders: None,
        })
    }

    /// The same with the k-th grid coordinate turned: its least value stands for process `first[k]`.
    pub(crate) fn turned(mut self, first: &[i64]) -> Self {
        self.grid.iter_mut().zip(first).for_each(|(g, &f)| g.first = f);
        self
    }

    /// The distribution, parameters put in.
    pub(crate) fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// The number of array dimensions.
    pub(crate) fn dimensions(&self) -> usize {
        self.distribution.dimensions.len()
    }

    /// The number of memories, empty ones among them.
    pub(crate) fn memories(&self) -> i64 {
        self.memories
    }

    /// The number of a location's memory.
    pub(crate) fn memory(&self, at: &[i64]) -> i64 {
        self.grid.iter().map(|g| (at[g.variable] - g.least + g.first) % g.size * g.weight).sum()
    }

    /// The coordinates of a memory in the grid.
    fn coordinates(&self, memory: i64) -> Vec<i64> {
        let value = |g: &Grid| (memory / g.weight % g.size - g.first).rem_euclid(g.size) + g.least;
        self.grid.iter().map(value).collect()
    }

    fn known(&self, memory: i64) -> Result<(), Error> {
        if (0..self.memories).contains(&memory) {
            return Ok(());
        }
        Err(Error::argument(format!("memory {memory} is none of the {} of the distribution", self.memories)))
    }

    /// How many local indices a memory has in each dimension; all 0 when it holds nothing.
    pub(crate) fn extents(&self, memory: i64) -> Result<Vec<i64>, Error> {
        self.known(memory)?;
        let at = self.coordinates(memory);
        let mut extents = vec![0; self.dimensions()];
        for group in &*self.groups {
            let key: Vec<i64> = group.grid.iter().map(|&k| at[k]).collect();
            let own = match &group.extents {
                Extents::Same(own) => Some(own),
                Extents::By(table) => table.get(&key),
            };
            let Some(own) = own else { return Ok(vec![0; self.dimensions()]) };
            group.dimensions.iter().zip(own).for_each(|(&j, &e)| extents[j] = e);
        }
        if extents.contains(&0) { Ok(vec![0; self.dimensions()]) } else { Ok(extents) }
    }

    /// The strides of a memory's local array.
    pub(crate) fn strides(&self, memory: i64) -> Result<&[i64], Error> {
        self.known(memory)?;
        match &self.place {
            Place::Array { strides, own } => Ok(own.get(memory).unwrap_or(strides)),
            Place::Interleaved { .. } => Err(Error::state(
                "the layout interleaves variables of several dimensions: it has no stride for each dimension",
            )),
        }
    }

    /// The elements that a memory must have room for.
    pub(crate) fn size(&self, memory: i64) -> Result<i64, Error> {
        let extents = self.extents(memory)?;
        if extents.contains(&0) {
            return Ok(0);
        }
        match &self.place {
            Place::Interleaved { extent, .. } => Ok(*extent),
            Place::Array { .. } => {
                let strides = self.strides(memory)?;
                let last = extents.iter().zip(strides).map(|(&e, &s)| i128::from(e - 1) * i128::from(s)).sum::<i128>();
                i64::try_from(last + 1).map_err(|_| Error::argument(format!("memory {memory} exceeds 2^63 elements")))
            }
        }
    }

    /// What a step of each variable adds to the place in a memory.
    pub(crate) fn weights(&self, memory: i64) -> Vec<i64> {
        match &self.place {
            Place::Interleaved { weights, .. } => weights.clone(),
            Place::Array { strides, own } => {
                let strides = own.get(memory).unwrap_or(strides);
                self.digit.iter().zip(&self.domain.dimension).map(|(d, &j)| d * strides[j]).collect()
            }
        }
    }

    /// Whether all memories have the same weights.
    pub(crate) fn uniform(&self) -> bool {
        !matches!(&self.place, Place::Array { own, .. } if !own.memories.is_empty())
    }

    /// The place of a location in a memory with these weights.
    pub(crate) fn offset(&self, at: &[i64], weights: &[i64]) -> i64 {
        at.iter().zip(&self.room).zip(weights).map(|((a, b), w)| (a - b.0) * w).sum()
    }

    /// The same distribution in dense local arrays with dimensions in this order, slowest first.
    pub(crate) fn ordered(&self, order: &[usize]) -> Result<Self, Error> {
        let dimensions = self.dimensions();
        let mut seen = vec![false; dimensions];
        for &j in order {
            if seen.get(j).copied() != Some(false) {
                return Err(Error::argument(format!(
                    "the order {order:?} does not name each of the dimensions 0 to {} once",
                    dimensions.saturating_sub(1)
                )));
            }
            seen[j] = true;
        }
        if order.len() != dimensions {
            return Err(Error::argument(format!("{} dimensions are ordered, there are {dimensions}", order.len())));
        }
        let (mut strides, mut next) = (vec![0; dimensions], 1_i64);
        for &j in order.iter().rev() {
            strides[j] = next;
            next = next
                .checked_mul(whole_extent(&self.domain, &self.digit, &self.room, j).max(1))
                .ok_or_else(|| Error::argument("a memory exceeds 2^63 elements"))?;
        }
        Ok(self.placed(Place::Array { strides, own: Own::default() }))
    }

    /// The same distribution with other strides, in one memory or (`None`) in all.
    pub(crate) fn strided(&self, memory: Option<i64>, strides: &[i64]) -> Result<Self, Error> {
        if strides.len() != self.dimensions() {
            let (given, wanted) = (strides.len(), self.dimensions());
            return Err(Error::argument(format!("{given} strides for {wanted} dimensions")));
        }
        let extents = match memory {
            Some(memory) => self.extents(memory)?,
            None => (0..strides.len()).map(|j| whole_extent(&self.domain, &self.digit, &self.room, j)).collect(),
        };
        distinct(&extents, strides)?;
        let place = match (memory, &self.place) {
            (Some(memory), Place::Array { strides: all, own }) => {
                Place::Array { strides: all.clone(), own: own.with(memory, strides)? }
            }
            (Some(_), Place::Interleaved { .. }) => {
                return Err(Error::state(
                    "the layout interleaves variables of several dimensions: set strides or an order for all memories \
                     first",
                ));
            }
            (None, _) => Place::Array { strides: strides.to_vec(), own: Own::default() },
        };
        Ok(self.placed(place))
    }

    /// The same distribution with its locations in other places.
    fn placed(&self, place: Place) -> Self {
        Self {
            distribution: self.distribution.clone(),
            domain: self.domain.clone(),
            grid: self.grid.clone(),
            memories: self.memories,
            groups: Arc::clone(&self.groups),
            room: self.room.clone(),
            digit: self.digit.clone(),
            place,
            holders: self.holders.clone(),
        }
    }

    /// The number of each memory's process in a grid whose processes are counted row by row, or column by column.
    pub(crate) fn grid_numbers(&self, by_columns: bool) -> Result<Vec<i64>, Error> {
        let number = |memory: i64| {
            let (mut number, mut weight) = (0, 1);
            for g in &self.grid {
                number += memory / g.weight % g.size * weight;
                weight *= g.size;
            }
            if by_columns { number } else { memory }
        };
        memory::list((0..self.memories as usize).map(|memory| number(memory as i64)))
    }

    /// The process of each memory, if they were named.
    pub(crate) fn holders(&self) -> Option<&Arc<[u32]>> {
        self.holders.as_ref()
    }

    /// The same distribution with its memories in these processes, one for each memory.
    pub(crate) fn held_by(&self, processes: &[i64]) -> Result<Self, Error> {
        if processes.len() as i64 != self.memories {
            let (given, wanted) = (processes.len(), self.memories);
            return Err(Error::argument(format!("{given} processes for {wanted} memories")));
        }
        let mut holders = Vec::new();
        memory::room_for(&mut holders, processes.len())?;
        for (memory, &process) in processes.iter().enumerate() {
            holders.push(u32::try_from(process).map_err(|_| {
                Error::argument(format!("memory {memory} is to be of process {process}, which no job has"))
            })?);
        }
        Ok(Self { holders: Some(holders.into()), ..self.placed(self.place.clone()) })
    }
}

/// Makes sure that no two indices have one place.
fn distinct(extents: &[i64], strides: &[i64]) -> Result<(), Error> {
    if let Some(stride) = strides.iter().find(|&&s| s < 1) {
        return Err(Error::argument(format!("a stride is {stride}: strides are positive")));
    }
    let mut levels: Vec<(i64, i64, usize)> = (0..strides.len()).map(|j| (strides[j], extents[j], j)).collect();
    levels.retain(|l| l.1 > 1);
    levels.sort_unstable();
    let mut reach = 0_i128;
    for (stride, extent, j) in levels {
        if i128::from(stride) <= reach {
            return Err(Error::argument(format!(
                "the stride {stride} of dimension {j} is too small: the dimensions with smaller strides reach {reach} \
                 elements further, so that two elements would have one place"
            )));
        }
        reach += i128::from(stride) * i128::from(extent - 1);
        if i64::try_from(reach).is_err() {
            return Err(Error::argument(format!("the stride {stride} of dimension {j} exceeds 2^63 elements")));
        }
    }
    Ok(())
}

/// What a step of each data variable adds to its dimension's local index: the later ones run faster.
fn digits(domain: &Domain, room: &[(i64, i64)]) -> Result<Vec<i64>, Error> {
    let mut digit = vec![0; domain.len()];
    let mut next = vec![1_i64; domain.offset.len()];
    for i in (0..domain.len()).rev().filter(|&i| !domain.arch[i]) {
        let (j, (lo, hi)) = (domain.dimension[i], room[i]);
        digit[i] = next[j];
        next[j] = i64::try_from(i128::from(next[j]) * (i128::from(hi) - i128::from(lo) + 1).max(1))
            .map_err(|_| Error::argument(format!("the local indices of dimension {j} exceed 2^63")))?;
    }
    Ok(digit)
}

/// The local indices that dimension `j` has at most.
fn whole_extent(domain: &Domain, digit: &[i64], room: &[(i64, i64)], j: usize) -> i64 {
    let own = (0..domain.len()).filter(|&i| !domain.arch[i] && domain.dimension[i] == j);
    let last = own.map(|i| (room[i].1 - room[i].0) * digit[i]).sum::<i64>();
    if domain.empty.is_some() { 0 } else { last + 1 }
}

/// The strides per dimension, when the layout lists the data variables of each dimension together and in order.
///
/// # Errors
/// The elements of a memory have no numbers.
fn array_strides(distribution: &Distribution, domain: &Domain, room: &[(i64, i64)]) -> Result<Option<Vec<i64>>, Error> {
    let layout = distribution.layout();
    let places = layout.iter().map(|n| domain.names.iter().position(|m| m == n)).collect::<Option<Vec<usize>>>();
    let Some(places) = places else { return Ok(None) };
    let listed: Vec<usize> = places.iter().map(|&i| domain.dimension[i]).collect();
    for j in 0..domain.offset.len() {
        let own: Vec<usize> = places.iter().copied().filter(|&i| domain.dimension[i] == j).collect();
        let first = listed.iter().position(|&d| d == j).unwrap_or(0);
        if !own.is_sorted() || listed[first..].iter().take(own.len()).any(|&d| d != j) {
            return Ok(None);
        }
    }
    let (mut strides, mut next) = (vec![1; domain.offset.len()], 1_i64);
    for &i in places.iter().rev() {
        let j = domain.dimension[i];
        if places.iter().rev().find(|&&k| domain.dimension[k] == j) == Some(&i) {
            strides[j] = next;
        }
        let count = (i128::from(room[i].1) - i128::from(room[i].0) + 1).max(1);
        // Nothing has a place in an empty distribution.
        next = i64::try_from(i128::from(next) * count)
            .or_else(|_| domain.empty.as_ref().map(|_| 1).ok_or_else(too_large))?;
    }
    Ok(Some(strides))
}

fn too_large() -> Error {
    Error::argument("the local array of a memory, with the room that is kept, exceeds 2^63 elements")
}

/// The local extents of some dimensions in every memory.
fn group(
    domain: &Domain,
    grid: &[Grid],
    digit: &[i64],
    room: &[(i64, i64)],
    dimensions: Vec<usize>,
) -> Result<Group, Error> {
    let own: Vec<usize> =
        (0..grid.len()).filter(|&k| dimensions.contains(&domain.dimension[grid[k].variable])).collect();
    let part = domain.restrict(&dimensions);
    if domain.empty.is_some() {
        return Ok(Group { dimensions, grid: own, extents: Extents::By(HashMap::new()) });
    }
    if part.is_box() {
        let used: Vec<(i64, i64)> = room.iter().zip(&domain.bounding).map(|(r, b)| (r.0, b.1)).collect();
        let extents = dimensions.iter().map(|&j| whole_extent(domain, digit, &used, j)).collect();
        return Ok(Group { dimensions, grid: own, extents: Extents::Same(extents) });
    }
    let (arch, data): (Vec<usize>, Vec<usize>) = (0..part.len()).partition(|&i| part.arch[i]);
    let step: Vec<i64> = part.global.iter().map(|&g| digit[g]).collect();
    let mut table: HashMap<Vec<i64>, Vec<i64>> = HashMap::new();
    let mut short = false;
    let (mut key, mut local) = (vec![0_i64; arch.len()], vec![0_i64; dimensions.len()]);
    // Called up to MOST_LOOKS times, and seldom with a new key: it allocates for these alone.
    let mut put = |at: &[i64]| {
        local.fill(0);
        for &i in &data {
            local[part.dimension[i]] += (at[i] - room[part.global[i]].0) * step[i];
        }
        key.iter_mut().zip(&arch).for_each(|(k, &i)| *k = at[i]);
        if let Some(known) = table.get_mut(key.as_slice()) {
            known.iter_mut().zip(&local).for_each(|(k, &l)| *k = (*k).max(l + 1));
            return;
        }
        let full = table.len() == table.capacity();
        short |= memory::check().is_err() || !short && full && memory::strictly(|| table.try_reserve(1)).is_err();
        if !short {
            table.insert(key.clone(), local.iter().map(|&l| (l + 1).max(0)).collect());
        }
    };
    // Few progressions say as much as many rows: the last place of each is its greatest.
    let progressions = Progressions::all(&part).map_err(|e| refused(&e))?;
    if let Some(progressions) = progressions.into_iter().min_by_key(|s| s.list.len()) {
        for progression in progressions.list {
            let mut at = progression.at;
            at[progressions.along] = progression.last;
            put(&at);
        }
        return refuse_short(short).map(|()| Group { dimensions, grid: own, extents: Extents::By(table) });
    }
    // Later data variables run faster: in one dimension the last location of a memory has its greatest local index.
    let ordered = part.order.iter().copied().skip(arch.len());
    if dimensions.len() == 1 && part.order[..arch.len()].iter().all(|&i| part.arch[i]) && ordered.is_sorted() {
        if !part.last_locations(arch.len(), MOST_LOOKS, &mut put) {
            return Err(too_long(&dimensions));
        }
        return refuse_short(short).map(|()| Group { dimensions, grid: own, extents: Extents::By(table) });
    }
    let mut left = MOST_LOOKS;
    let mut here = Vec::new();
    let whole = part.rows_while(|at, inner, lo, hi| {
        here.clear();
        here.extend_from_slice(at);
        let at = &mut here;
        let looks = if inner.is_some_and(|i| part.arch[i]) { hi.abs_diff(lo).saturating_add(1) } else { 1 };
        if looks > left {
            return false;
        }
        match inner {
            None => put(at),
            Some(i) if part.arch[i] => (lo..=hi).for_each(|v| {
                at[i] = v;
                put(at);
            }),
            // The last place of a row is its greatest.
            Some(i) => {
                at[i] = hi;
                put(at);
            }
        }
        left = left.saturating_sub(looks);
        left > 0
    });
    if whole {
        refuse_short(short).map(|()| Group { dimensions, grid: own, extents: Extents::By(table) })
    } else {
        Err(too_long(&dimensions))
    }
}

fn refuse_short(short: bool) -> Result<(), Error> {
    if short { Err(memory::none()) } else { Ok(()) }
}

/// More locations than this are not looked at to find the local extents: that takes some seconds.
const MOST_LOOKS: u64 = 1 << 27;

#[cold]
fn too_long(dimensions: &[usize]) -> Error {
    Error::argument(format!(
        "the local extents of dimension {dimensions:?} are not found within {MOST_LOOKS} steps: the bounds of its \
         variables leave too many locations to look at; bound each variable by those before it"
    ))
}
