//! Plans: the whole list of strided copies of a redistribution, with its figures and their lower bounds.

pub mod choice;
pub mod descriptor;
pub mod flow;
pub mod recursive_cuts;
pub mod selection;
pub mod slices;
pub mod sums;

use crate::distribution::case::Case;
use crate::distribution::domain::{Domain, components};
use crate::error::{Error, Result};
use crate::integer::number::narrow;
use crate::plan::choice::{Classes, Component, Copy, Holders, Table, Tables};
use crate::plan::descriptor::{Addressing, Descriptor, Transfer};
use crate::plan::flow::{Class, Spread, spread};
use crate::plan::selection::Strategy;
use crate::plan::slices::{Slices, balanced};
use crate::plan::sums::Sums;
use crate::room;
use std::rc::Rc;

/// What to plan for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How redundant copies at the source are eliminated.
    pub strategy: Strategy,
    /// Spread the sending over the copies so that the largest load is least.
    pub balance: bool,
}

/// The figures of a plan. Lower bounds stand beside what was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Source locations.
    pub source_locations: i64,
    /// Distinct source elements.
    pub source_elements: i64,
    /// Target locations.
    pub target_locations: i64,
    /// Distinct target elements.
    pub target_elements: i64,
    /// Elements that both sides have.
    pub common_elements: i64,
    /// Element transfers: target locations whose element the source has; also the least possible.
    pub min_transfers: i64,
    /// All pairs of a source and a target location of the same element, where they were counted.
    pub naive_transfers: Option<i64>,
    /// Target elements that the source does not have.
    pub missing_elements: i64,
    /// Target locations that can't be served.
    pub missing_locations: i64,
    /// Memories that hold a source location.
    pub source_memories: i64,
    /// Strided copies of the plan.
    pub descriptors: i64,
    /// Pairs of memories that exchange something: messages of the plan, and a lower bound of `descriptors`.
    pub messages: i64,
    /// The most elements that one pair of memories exchanges.
    pub largest_message: i64,
    /// The most elements that one source memory sends.
    pub max_load: i64,
    /// A lower bound of `max_load`; known when balancing.
    pub least_max_load: Option<i64>,
    /// Whether `least_max_load` can be reached, or is a bound only.
    pub least_is_exact: bool,
    /// Bytes moved.
    pub bytes: i64,
    /// Remarks: empty ranges, strategies that a component could not follow.
    pub notes: Vec<String>,
}

/// Smaller components are quicker to list than to fold.
const FOLDED_FROM: i128 = 1 << 13;

/// A product of copies: one list per component.
pub type Block = Vec<Vec<Copy>>;

/// A planned redistribution.
pub struct Plan {
    /// The components' tables.
    pub tables: Vec<Component>,
    /// Products of copies; all of them together are the plan.
    pub blocks: Vec<Block>,
    /// What it costs.
    pub figures: Figures,
    /// Addresses of the source memories.
    pub source: Addressing,
    /// Addresses of the target memories.
    pub target: Addressing,
    whole_source: bool,
}

impl Plan {
    /// Plans a case, which is checked first. An error names the place of what is wrong, too large, or past the range of numbers.
    pub fn new(case: &Case, options: Options) -> Result<Self> {
        Self::folding(case, options, FOLDED_FROM)
    }

    /// The same plan where components of `least` locations and more are folded if their sides repeat: the time to plan
    /// depends on the period then, not on the extent. Errors as for [`Plan::new`].
    pub fn folding(case: &Case, options: Options, least: i128) -> Result<Self> {
        case.check()?;
        let source = Domain::new(&case.source, &case.parameters).map_err(|e| e.within("source"))?;
        let target = Domain::new(&case.target, &case.parameters).map_err(|e| e.within("target"))?;
        let addresses = (
            Addressing::new(&case.source, &source).map_err(|e| e.within("source"))?,
            Addressing::new(&case.target, &target).map_err(|e| e.within("target"))?,
        );
        // The rules of the other strategies look at the ends of a range, however far they are.
        let exact = options.balance || options.strategy == Strategy::Exact;
        let wanted = Tables {
            all_copies: options.balance || options.strategy != Strategy::Exact,
            folded_from: exact.then_some(least),
        };
        let mut tables: Vec<Component> = Vec::new();
        for dimensions in components(&source, &target) {
            let next = Component::new(&source, &target, dimensions, wanted, &tables)?;
            tables.push(next);
        }
        let mut figures = counts(&tables, case.element_size)?;
        for (side, domain) in [("source", &source), ("target", &target)] {
            if let Some(i) = domain.empty {
                figures.notes.push(format!("{side}: the range of '{}' is empty", domain.names[i]));
            }
        }
        let whole_source = figures.source_locations > 0;
        let mut plan =
            Self { tables, blocks: Vec::new(), figures, source: addresses.0, target: addresses.1, whole_source };
        if plan.figures.min_transfers > 0 {
            plan.choose(options)?;
        }
        plan.count()?;
        Ok(plan)
    }

    fn choose(&mut self, options: Options) -> Result<()> {
        if options.balance {
            return self.balance();
        }
        let mut block: Block = Vec::new();
        for (k, table) in self.tables.iter().enumerate() {
            if let Some(same) = self.tables[..k].iter().position(|t| Rc::ptr_eq(&t.table, &table.table)) {
                block.push(Copy::again(&block[same])?);
                continue;
            }
            block.push(if options.strategy == Strategy::Exact {
                choice::fewest(table)?
            } else {
                let (copies, note) = selection::select(table, options.strategy)?;
                self.figures.notes.extend(note);
                choice::from_copies(table, &copies)?
            });
        }
        self.blocks = vec![block];
        Ok(())
    }

    /// Balances each component alone; where that is not the optimum of the product, balances the product.
    fn balance(&mut self) -> Result<()> {
        let classes: Vec<Classes> =
            self.tables.iter().map(|t| Classes::new(t, &Holders::new(t)?)).collect::<Result<_>>()?;
        let alone: Vec<Spread> = classes.iter().zip(&self.tables).map(|(c, t)| c.spread(t)).collect::<Result<_>>()?;
        let separate = alone.iter().map(|s| i128::from(s.optimum)).product();
        let separate = narrow(separate).ok_or_else(|| Error::overflow("plan", "the load of a memory"))?;
        let shared = classes.iter().any(|c| c.classes.iter().any(|k| k.memories.len() > 1));
        let mut best = separate;
        if self.tables.len() > 1 && shared {
            if let Some(product) = Product::new(&self.tables, &classes)? {
                best = product.spread.optimum;
                if best < separate {
                    self.blocks = product.blocks(&self.tables, &classes)?;
                }
            } else {
                self.figures.notes.push("too many classes of owners: each dimension is balanced alone".to_owned());
                let memories = i128::from(self.figures.source_memories.max(1));
                best = crate::integer::number::ceil_div(self.figures.min_transfers.into(), memories) as i64;
                self.figures.least_is_exact = false;
            }
        }
        if self.blocks.is_empty() {
            let pairs = self.tables.iter().zip(&classes).zip(&alone);
            self.blocks = vec![pairs.map(|((t, c), s)| balanced(t, c, s)).collect::<Result<_>>()?];
        }
        self.figures.least_max_load = Some(best);
        Ok(())
    }

    /// Counts descriptors, messages and loads of the blocks.
    fn count(&mut self) -> Result<()> {
        let mut descriptors: i128 = 0;
        for block in &self.blocks {
            descriptors += block.iter().map(|c| c.len() as i128).product::<i128>();
        }
        self.figures.descriptors =
            narrow(descriptors).ok_or_else(|| Error::overflow("plan", "the number of descriptors"))?;
        if let [block] = self.blocks.as_slice() {
            let sums = |key: fn(&Copy) -> (u32, u32)| -> Result<Vec<Volumes>> {
                block.iter().map(|copies| volumes(copies, key)).collect()
            };
            let (pairs, loads) = (sums(|c| (c.source, c.target))?, sums(|c| (c.source, 0))?);
            let largest = |all: &[Volumes]| -> i64 { all.iter().map(|sums| most(sums)).product() };
            self.figures.messages = pairs.iter().map(|m| m.len() as i64).product();
            self.figures.largest_message = largest(&pairs);
            self.figures.max_load = largest(&loads);
            return Ok(());
        }
        let (mut pairs, mut loads) = (Sums::new(), Sums::new());
        for block in &self.blocks {
            for (source, target, volume) in products(block)? {
                loads.add(room::copied(&source)?, volume)?;
                pairs.add((source, target), volume)?;
            }
        }
        let pairs = pairs.ascending();
        self.figures.messages = pairs.len() as i64;
        self.figures.largest_message = most(&pairs);
        self.figures.max_load = most(&loads.ascending());
        Ok(())
    }

    /// The plan over coordinates, one product of copies at a time.
    pub fn transfers(&self) -> impl Iterator<Item = Transfer> {
        self.blocks.iter().flat_map(|block| {
            let total: usize = block.iter().map(Vec::len).product();
            (0..total).map(|mut k| {
                let mut chosen: Vec<&Copy> = Vec::with_capacity(block.len());
                for copies in block.iter().rev() {
                    chosen.push(&copies[k % copies.len()]);
                    k /= copies.len();
                }
                chosen.reverse();
                Transfer::product(&self.tables, &chosen)
            })
        })
    }

    /// The plan over memories and linear addresses, sorted by source memory, target memory and place.
    ///
    /// # Errors
    /// [`Error::is_no_memory`].
    pub fn descriptors(&self) -> Result<Vec<Descriptor>> {
        let mut all = room::tried(self.transfers().map(|t| Descriptor::linear(&t, &self.source, &self.target)))?;
        all.sort_unstable();
        Ok(all)
    }

    /// The first `most` missing elements, ascending. Errors as for [`Plan::descriptors`].
    pub fn missing_sample(&self, most: usize) -> Result<Vec<Vec<i64>>> {
        let mut found = Vec::new();
        if self.figures.missing_elements == 0 {
            return Ok(found);
        }
        let lists: Vec<Vec<(Vec<i64>, bool)>> =
            self.tables.iter().map(|t| wanted(t, self.whole_source, most)).collect::<Result<_>>()?;
        let dims: usize = self.tables.iter().map(|t| t.dimensions.len()).sum();
        if let [only] = lists.as_slice() {
            return Ok(only.iter().filter(|e| e.1).take(most).map(|e| e.0.clone()).collect());
        }
        let ascending = self.tables.iter().flat_map(|t| &t.dimensions).is_sorted();
        let mut at = vec![0; lists.len()];
        loop {
            let chosen = lists.iter().zip(&at).map(|(l, &k)| &l[k]);
            if chosen.clone().any(|e| e.1) {
                let mut t = room::filled(0, dims)?;
                for (table, e) in self.tables.iter().zip(chosen) {
                    table.dimensions.iter().zip(&e.0).for_each(|(&j, &v)| t[j] = v);
                }
                room::push(&mut found, t)?;
            }
            let Some(k) = (0..at.len()).rev().find(|&k| at[k] + 1 < lists[k].len()) else { break };
            at[k] += 1;
            at[k + 1..].fill(0);
            if found.len() >= most && ascending {
                break;
            }
        }
        found.sort_unstable();
        found.truncate(most);
        Ok(found)
    }
}

/// The elements that one component's target wants, ascending, and whether the source misses them: the first `most`,
/// and the first `most` missing ones. In the first tuples with something missing no other elements occur.
fn wanted(table: &Table, whole_source: bool, most: usize) -> Result<Vec<(Vec<i64>, bool)>> {
    let mut codes: Vec<i64> = room::collected(table.target.locations.iter().map(|l| l.element))?;
    codes.sort_unstable();
    codes.dedup();
    let missing = |c: i64| !whole_source || table.owners.missing.binary_search(&c).is_ok();
    if let Some(fold) = &table.fold {
        // One dimension: where the axis is folded, elements and their codes differ.
        let each = |&c: &i64| fold.axis.first(table.elements.first(c), most).map(move |t| (t, missing(c)));
        let mut all: Vec<(i64, bool)> = room::collected(codes.iter().flat_map(each))?;
        all.sort_unstable();
        let kept = all.into_iter().filter(among_the_first(most)).map(|(t, m)| Ok((room::filled(t, 1)?, m)));
        return room::tried(kept);
    }
    let kept = codes.into_iter().map(|c| (c, missing(c))).filter(among_the_first(most));
    room::tried(kept.map(|(c, m)| Ok((room::collected(table.elements.digits(c))?, m))))
}

/// Whether something is among the first `most`, or among the first `most` that are marked.
fn among_the_first(most: usize) -> impl FnMut(&(i64, bool)) -> bool {
    let (mut all, mut marked) = (0, 0);
    move |e| {
        all += 1;
        marked += usize::from(e.1);
        all <= most || (e.1 && marked <= most)
    }
}

/// The volumes of copies by memories, ascending.
type Volumes = Vec<((u32, u32), i64)>;

fn volumes(copies: &[Copy], key: impl Fn(&Copy) -> (u32, u32)) -> Result<Volumes> {
    let mut sums = Sums::new();
    copies.iter().try_for_each(|c| sums.add(key(c), c.part.volume()))?;
    Ok(sums.ascending())
}

/// The largest of some sums.
fn most<K>(sums: &[(K, i64)]) -> i64 {
    sums.iter().map(|s| s.1).max().unwrap_or(0)
}

/// `(source memory, target memory, volume)` of a product of copies, memories as tuples over the components.
type Exchange = (Vec<u32>, Vec<u32>, i64);

/// All exchanges of a block.
fn products(block: &Block) -> Result<Vec<Exchange>> {
    let mut all: Vec<Exchange> = room::list(1)?;
    all.push((Vec::new(), Vec::new(), 1));
    for copies in block {
        let pairs = volumes(copies, |c| (c.source, c.target))?;
        let longer = |(s, t, v): &Exchange, &((a, b), w): &_| Ok((and(s, a)?, and(t, b)?, v * w));
        all = room::tried(all.iter().flat_map(|e| pairs.iter().map(move |p| longer(e, p))))?;
    }
    Ok(all)
}

/// A list with one more item.
fn and<T: std::marker::Copy>(list: &[T], item: T) -> Result<Vec<T>> {
    room::collected(list.iter().copied().chain([item]))
}

fn counts(tables: &[Component], element_size: i64) -> Result<Figures> {
    let product = |of: &dyn Fn(&Table) -> i128| -> Result<i64> {
        let exact = tables.iter().try_fold(1_i128, |p, t| p.checked_mul(of(t)));
        exact.and_then(narrow).ok_or_else(|| Error::overflow("plan", "a count of locations"))
    };
    let target_locations = product(&|t| t.owners.totals.target_locations)?;
    let target_elements = product(&|t| t.owners.totals.common + t.owners.totals.missing)?;
    let common_elements = product(&|t| t.owners.totals.common)?;
    let min_transfers = product(&|t| t.owners.totals.wants)?;
    let bytes = narrow(i128::from(min_transfers) * i128::from(element_size));
    Ok(Figures {
        source_locations: product(&|t| t.source_locations)?,
        source_elements: product(&|t| t.owners.totals.source_elements)?,
        target_locations,
        target_elements,
        common_elements,
        min_transfers,
        naive_transfers: if tables.iter().all(|t| t.pairs.is_some()) {
            Some(product(&|t| t.pairs.unwrap_or(0))?)
        } else {
            None
        },
        missing_elements: target_elements - common_elements,
        missing_locations: target_locations - min_transfers,
        source_memories: product(&|t| t.source_memories)?,
        bytes: bytes.ok_or_else(|| Error::overflow("plan", "the volume in bytes"))?,
        least_is_exact: true,
        ..Figures::default()
    })
}

/// More product classes, or more ways to serve them, than this are balanced per component only.
const MOST_CLASSES: usize = 1 << 13;
const MOST_WAYS: usize = 1 << 18;

/// The balance of a product of components: classes are tuples of the components' classes.
struct Product {
    tuples: Vec<Vec<usize>>,
    spread: Spread,
    sizes: Vec<usize>,
}

impl Product {
    fn new(tables: &[Component], classes: &[Classes]) -> Result<Option<Self>> {
        let count = classes.iter().map(|c| c.classes.len()).try_fold(1_usize, usize::checked_mul);
        let ways = classes.iter().map(|c| c.classes.iter().map(|k| k.memories.len()).sum::<usize>());
        let ways = ways.into_iter().try_fold(1_usize, usize::checked_mul);
        if count.is_none_or(|c| c > MOST_CLASSES) || ways.is_none_or(|w| w > MOST_WAYS) {
            return Ok(None);
        }
        let sizes: Vec<usize> = tables.iter().map(|t| t.source.memories.len()).collect();
        let (mut tuples, mut joined) = (room::lists(1)?, room::list(1)?);
        joined.push(Class { weight: 1, memories: room::filled(0, 1)? });
        for (c, &size) in classes.iter().zip(&sizes) {
            let mut next = (Vec::new(), Vec::new());
            for (tuple, class) in tuples.iter().zip(&joined) {
                for (k, with) in c.classes.iter().enumerate() {
                    let weight = narrow(i128::from(class.weight) * i128::from(with.weight));
                    let weight = weight.ok_or_else(|| Error::overflow("plan", "the load of a memory"))?;
                    let pairs = class.memories.iter().flat_map(|&m| with.memories.iter().map(move |&n| (m, n)));
                    let memories = room::collected(pairs.map(|(m, n)| m * size as u32 + n))?;
                    room::push(&mut next.0, and(tuple, k)?)?;
                    room::push(&mut next.1, Class { weight, memories })?;
                }
            }
            (tuples, joined) = next;
        }
        let spread = spread(&joined, sizes.iter().product())?;
        Ok(Some(Self { tuples, spread, sizes }))
    }

    /// Cuts each class, in the order of its products, into intervals by quota, and each interval into products.
    fn blocks(&self, tables: &[Component], classes: &[Classes]) -> Result<Vec<Block>> {
        let mut parts = Vec::new();
        for (tuple, quota) in self.tuples.iter().zip(&self.spread.quota) {
            let shape: Vec<i64> = tuple.iter().zip(classes).map(|(&k, c)| c.classes[k].weight).collect();
            let mut from = 0;
            for (memory, &amount) in self.memories(tuple, classes)?.into_iter().zip(quota) {
                for part in boxes(&shape, from, from + amount)? {
                    room::push(&mut parts, (tuple, room::copied(&memory)?, part))?;
                }
                from += amount;
            }
        }
        let mut slices = Vec::new();
        for (k, (table, classes)) in tables.iter().zip(classes).enumerate() {
            let mut ranks = room::lists(classes.classes.len())?;
            for (tuple, _, part) in &parts {
                room::extend(&mut ranks[tuple[k]], [part[k].0, part[k].1])?;
            }
            slices.push(Slices::new(table, classes, &ranks)?);
        }
        let product = |(tuple, memory, part): &(&Vec<usize>, Vec<u32>, Vec<(i64, i64)>)| -> Result<Block> {
            let each = slices.iter().zip(tuple.iter().zip(memory)).zip(part);
            room::tried(
                each.map(|((s, (&class, &memory)), &(a, b))| choice::from_memory(s.table(), s.of(class, a, b), memory)),
            )
        };
        room::tried(parts.iter().map(product))
    }

    /// The memories of a class tuple, in the order of its quotas, as tuples over the components.
    fn memories(&self, tuple: &[usize], classes: &[Classes]) -> Result<Vec<Vec<u32>>> {
        let mut all: Vec<Vec<u32>> = room::lists(1)?;
        for (&k, c) in tuple.iter().zip(classes) {
            let with = &c.classes[k].memories;
            all = room::tried(all.iter().flat_map(|m| with.iter().map(move |&n| and(m, n))))?;
        }
        debug_assert!(all.iter().all(|m: &Vec<u32>| m.len() == self.sizes.len()));
        Ok(all)
    }
}

/// The interval `from..to` of the row-major numbering of a shape, as boxes (one range per coordinate).
fn boxes(shape: &[i64], from: i64, to: i64) -> Result<Vec<Vec<(i64, i64)>>> {
    let Some((&n, rest)) = shape.split_first() else { return room::lists(usize::from(from < to)) };
    let row: i64 = rest.iter().product();
    let (mut found, mut at) = (Vec::new(), from);
    while at < to {
        let (k, inside) = (at / row, at % row);
        let whole = (to / row).min(n);
        if inside == 0 && whole > k {
            let rows = rest.iter().map(|&r| (0, r));
            room::push(&mut found, room::collected([(k, whole)].into_iter().chain(rows))?)?;
            at = whole * row;
            continue;
        }
        let end = to.min((k + 1) * row);
        for inner in boxes(rest, inside, end - k * row)? {
            room::push(&mut found, room::collected([(k, k + 1)].into_iter().chain(inner))?)?;
        }
        at = end;
    }
    Ok(found)
}
