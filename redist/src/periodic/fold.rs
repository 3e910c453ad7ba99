//! Folded components: one dimension whose two sides repeat with a common period is tabulated without the repetitions.
//!
//! Both sides are progressions of elements. Where no progression begins or ends, everything that a location of
//! the element t is, one of the element t + period is too, some steps further along its progression: same memories, same
//! owners. So the tables list the elements of a folded [`Axis`]; an element in a zone of the axis stands for several.

use crate::distribution::domain::Domain;
use crate::error::Result;
use crate::integer::number::{ceil_div, gcd, narrow};
use crate::periodic::element_axis::Axis;
use crate::periodic::graver::Interval;
use crate::periodic::progressions::{Progression, Progressions};
use crate::room;
use crate::tables::index::{IndexTable, Location, MOST_LOCATIONS};
use crate::tables::mixed_radix::MixedRadix;
use crate::tables::owners::Want;
use std::rc::Rc;

/// How a folded component's places lead back to the places of the whole.
#[derive(Debug)]
pub struct Fold {
    /// The axis that both sides are folded on.
    pub axis: Axis,
    /// The source's places.
    pub source: Frame,
    /// The target's places.
    pub target: Frame,
    progressions: (Rc<Progressions>, Rc<Progressions>),
}

/// One side's places. A location's `code` is over its data variables, of which one is counted on the folded axis.
#[derive(Debug)]
pub struct Frame {
    /// The folded variable's place among the data variables.
    pub place: usize,
    /// The folded variable's coefficient.
    pub coef: i64,
    /// The code of folded places.
    pub code: MixedRadix,
    along: usize,
    /// What a step of each variable adds to a location's rank in lexicographic order.
    order: Vec<i128>,
}

/// A fold with the tables of both sides.
pub type Folded = (Fold, IndexTable, IndexTable);

impl Fold {
    /// Folds a component where its tables become small enough; `None` where they do not, or where a number leaves its
    /// range. `needed`: it is too large to be tabulated otherwise.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn new(source: &Domain, target: &Domain, elements: &MixedRadix, needed: bool) -> Result<Option<Folded>> {
        if source.offset.len() != 1 || !small(source) || !small(target) {
            return Ok(None);
        }
        let (mut sources, mut targets) = (Progressions::all(source)?, Progressions::all(target)?);
        let mut best: Option<(Axis, usize, usize)> = None;
        for (s, from) in sources.iter().enumerate() {
            // More locations than elements: there are quicker ways to drop copies than to list those of a large fold.
            let repeated = from.locations() > (i128::from(elements.size()) + 1) / 2;
            for (t, to) in targets.iter().enumerate() {
                let half = i128::midpoint(from.locations(), to.locations());
                let (most, zones) = match (needed, repeated) {
                    (true, _) => (MOST_LOCATIONS as i128, usize::MAX),
                    (false, true) => (half.min(MOST_REPEATED), MOST_ZONES),
                    (false, false) => (half, MOST_ZONES),
                };
                let Some(axis) = axis((source, from), (target, to), &[])? else { continue };
                let size = size(source, from, &axis) + size(target, to, &axis);
                // The fewer zones, the longer what repeats.
                let better = best.as_ref().is_none_or(|b| axis.zones() < b.0.zones());
                if axis.zones() > 0 && axis.zones() <= zones && size <= most && better {
                    best = Some((axis, s, t));
                }
            }
        }
        let Some((axis, from, to)) = best else { return Ok(None) };
        let progressions = (Rc::new(sources.swap_remove(from)), Rc::new(targets.swap_remove(to)));
        Self::on(axis, (source, target), progressions, elements)
    }

    /// Folds again so that no element stands for target locations on both sides of a rank of `cuts`.
    /// Errors as for [`Fold::new`].
    pub fn refined(
        &self,
        sides: (&IndexTable, &IndexTable),
        elements: &MixedRadix,
        cuts: &[i128],
    ) -> Result<Option<Folded>> {
        let domains = (&sides.0.domain, &sides.1.domain);
        let (source, target) = ((domains.0, &*self.progressions.0), (domains.1, &*self.progressions.1));
        let events = self.events_at(target.0, cuts)?;
        let Some(axis) = axis(source, target, &events)? else { return Ok(None) };
        let size = size(source.0, source.1, &axis) + size(target.0, target.1, &axis);
        if size > MOST_LOCATIONS as i128 {
            return Ok(None);
        }
        let progressions = (Rc::clone(&self.progressions.0), Rc::clone(&self.progressions.1));
        Self::on(axis, domains, progressions, elements)
    }

    fn on(
        axis: Axis,
        domains: (&Domain, &Domain),
        progressions: (Rc<Progressions>, Rc<Progressions>),
        elements: &MixedRadix,
    ) -> Result<Option<Folded>> {
        let Some((from, source)) = index_table(domains.0, &progressions.0, &axis, elements)? else { return Ok(None) };
        let Some((to, target)) = index_table(domains.1, &progressions.1, &axis, elements)? else { return Ok(None) };
        Ok(Some((Self { axis, source, target, progressions }, from, to)))
    }

    /// The elements at which target progressions pass some ranks.
    fn events_at(&self, domain: &Domain, cuts: &[i128]) -> Result<Vec<i64>> {
        let (frame, progressions) = (&self.target, &self.progressions.1);
        let (step, mut events) = (frame.order[frame.along], Vec::new());
        for progression in &progressions.list {
            let first = frame.rank(domain, &progression.at);
            let count = i128::from(progression.last) - i128::from(progression.at[frame.along]);
            let mut at = progression.at.clone();
            let inside = cuts.partition_point(|&c| c <= first)..cuts.partition_point(|&c| c <= first + count * step);
            for &cut in &cuts[inside] {
                // The event is at the greater element of the first location at or past the cut and the last before.
                at[frame.along] = progression.at[frame.along] + ceil_div(cut - first, step) as i64;
                at[frame.along] -= i64::from(frame.coef < 0);
                room::push(&mut events, domain.index(0, &at))?;
            }
        }
        Ok(events)
    }

    /// The rank, in the whole target, of the first location that a folded one stands for, and from each to the next
    /// how much is added.
    pub fn ranks(&self, target: &IndexTable, want: &Want) -> (i128, i128) {
        let frame = &self.target;
        let mut at = frame.coordinates(target, want.memory, want.code);
        let (first, last) = self.axis.shifts(target.domain.index(0, &at));
        at[frame.along] += (first / frame.coef).min(last / frame.coef);
        let step = i128::from((self.axis.period / frame.coef).abs()) * frame.order[frame.along];
        (frame.rank(&target.domain, &at), step)
    }
}

impl Frame {
    fn rank(&self, domain: &Domain, at: &[i64]) -> i128 {
        rank(at, &domain.bounding, &self.order)
    }

    /// The folded coordinates of a place in a memory.
    pub fn coordinates(&self, side: &IndexTable, memory: u32, code: i64) -> Vec<i64> {
        let mut at = vec![0; side.domain.len()];
        side.arch.iter().zip(&side.memories[memory as usize]).for_each(|(&i, &v)| at[i] = v);
        side.data.iter().zip(self.code.digits(code)).for_each(|(&i, v)| at[i] = v);
        at
    }
}

/// Whether sums of a few products of coefficients and values are far from the end of the range.
fn small(domain: &Domain) -> bool {
    let most = |i: usize| i128::from(domain.bounding[i].0).abs().max(i128::from(domain.bounding[i].1).abs());
    let products = (0..domain.len()).map(|i| (i128::from(domain.coef[i]).abs() + 1) * (most(i) + 1));
    products.sum::<i128>() + i128::from(domain.offset[0]).abs() < 1 << 60
}

/// Periods that are kept on each side of what is left out: so many at least, and more of short ones, so that what
/// repeats with the period is longer than what seems to repeat otherwise.
const GUARD: (i64, i64) = (2, 16);

/// Elements on each side that make the guard longer than the least.
const GUARDED: i64 = 1 << 12;

/// A component that can be tabulated is not folded in more places than this: what is alike in two of them shows less.
const MOST_ZONES: usize = 64;

/// A redundant component that can be tabulated is folded where its tables become so small.
const MOST_REPEATED: i128 = 1 << 16;

/// Variables that span fewer periods than this make rows across progressions, which are to be seen whole: the guard is wider
/// by what they span.
const WIDEST: i64 = 32;

/// The common axis of two lists of progressions, with more events.
fn axis(source: (&Domain, &Progressions), target: (&Domain, &Progressions), more: &[i64]) -> Result<Option<Axis>> {
    let (a, b) = (source.0.coef[source.1.along], target.0.coef[target.1.along]);
    let Some(period) = narrow(i128::from(a / gcd(a, b)) * i128::from(b)).map(i64::abs) else { return Ok(None) };
    let (mut events, mut skew) = (room::copied(more)?, 0);
    for (domain, progressions) in [source, target] {
        if progressions.list.is_empty() {
            continue; // The ranges of an empty side may have a negative length.
        }
        for (low, high) in progressions.list.iter().map(|s| ends(domain, progressions.along, s)) {
            let Some(end) = narrow(i128::from(low.max(high)) + 1) else { return Ok(None) };
            room::extend(&mut events, [low.min(high), end])?;
        }
        let others = (0..domain.len()).filter(|&i| i != progressions.along && !domain.arch[i]);
        let spans = others.map(|i| domain.coef[i].abs() * (domain.bounding[i].1 - domain.bounding[i].0));
        skew += spans.filter(|s| s / WIDEST < period).sum::<i64>();
    }
    Axis::new(period, events, (GUARDED / period).clamp(GUARD.0, GUARD.1) + skew / period)
}

/// The elements of a progression's first and last location.
fn ends(domain: &Domain, along: usize, progression: &Progression) -> (i64, i64) {
    let first = domain.index(0, &progression.at);
    (first, first + domain.coef[along] * (progression.last - progression.at[along]))
}

/// The folded values of a progression's variable at its first and last location.
fn folded(domain: &Domain, along: usize, progression: &Progression, axis: &Axis) -> (i128, i128) {
    let (first, last) = ends(domain, along, progression);
    let at = |value: i64, t: i64| i128::from(value) - i128::from(axis.left_out(t) / domain.coef[along]);
    (at(progression.at[along], first), at(progression.last, last))
}

/// The locations of some progressions on a folded axis.
fn size(domain: &Domain, progressions: &Progressions, axis: &Axis) -> i128 {
    let count = |(first, last): (i128, i128)| last - first + 1;
    progressions.list.iter().map(|s| count(folded(domain, progressions.along, s, axis))).sum()
}

/// The locations of one side on a folded axis, in lexicographic order of their folded coordinates.
fn index_table(
    domain: &Domain,
    progressions: &Progressions,
    axis: &Axis,
    elements: &MixedRadix,
) -> Result<Option<(IndexTable, Frame)>> {
    let along = progressions.along;
    let arch: Vec<usize> = (0..domain.len()).filter(|&i| domain.arch[i]).collect();
    let data: Vec<usize> = (0..domain.len()).filter(|&i| !domain.arch[i]).collect();
    let values = room::collected(progressions.list.iter().map(|s| folded(domain, along, s, axis)))?;
    let Some((whole, frame, bounding)) = codes(domain, along, &data, &values) else { return Ok(None) };
    let Some(folded_order) = order(&bounding) else { return Ok(None) };
    let own = |at: &[i64]| room::collected(arch.iter().map(|&i| at[i]));
    let mut memories: Vec<Vec<i64>> = room::tried(progressions.list.iter().map(|s| own(&s.at)))?;
    memories.sort_unstable();
    memories.dedup();
    let mut keyed = Vec::new();
    for (progression, &(first, last)) in progressions.list.iter().zip(&values) {
        let Ok(memory) = memories.binary_search(&own(&progression.at)?) else { return Ok(None) };
        let mut at = progression.at.clone();
        for value in first..=last {
            at[along] = value as i64;
            let element = elements.encode([domain.index(0, &at)]);
            let code = frame.code.encode(data.iter().map(|&i| at[i]));
            let location = Location { element, code, memory: memory as u32 };
            room::push(&mut keyed, (rank(&at, &bounding, &folded_order), location))?;
        }
    }
    keyed.sort_unstable_by_key(|k| k.0);
    let locations = room::collected(keyed.iter().map(|k| k.1))?;
    Ok(Some((IndexTable { domain: domain.clone(), arch, data, code: whole, memories, locations }, frame)))
}

/// The code of the whole's places, the folded places, and the box of those. `values`: first and last of the folded variable.
fn codes(
    domain: &Domain,
    along: usize,
    data: &[usize],
    values: &[(i128, i128)],
) -> Option<(MixedRadix, Frame, Interval)> {
    let mut ranges: Vec<(i64, i64)> = data.iter().map(|&i| domain.bounding[i]).collect();
    let whole = MixedRadix::new(&ranges, "fold").ok()?;
    let place = data.iter().position(|&i| i == along)?;
    let least = values.iter().map(|v| v.0).min().unwrap_or(0);
    let most = values.iter().map(|v| v.1).max().unwrap_or(0);
    ranges[place] = (narrow(least)?, narrow(most)?);
    let code = MixedRadix::new(&ranges, "fold").ok()?;
    let frame = Frame { place, coef: domain.coef[along], code, along, order: order(&domain.bounding)? };
    let mut bounding = domain.bounding.clone();
    bounding[along] = ranges[place];
    Some((whole, frame, bounding))
}

/// The lexicographic rank of a point of a box.
fn rank(at: &[i64], bounding: &[(i64, i64)], order: &[i128]) -> i128 {
    let each = at.iter().zip(bounding).zip(order);
    each.map(|((&a, b), w)| (i128::from(a) - i128::from(b.0)) * w).sum()
}

/// What a step of each variable adds to the lexicographic rank over a box.
fn order(bounding: &[(i64, i64)]) -> Option<Vec<i128>> {
    let (mut order, mut next) = (vec![0; bounding.len()], 1_i128);
    for (w, b) in order.iter_mut().zip(bounding).rev() {
        *w = next;
        next = next.checked_mul(i128::from(b.1) - i128::from(b.0) + 1)?;
    }
    (next < i128::MAX / 4).then_some(order)
}
