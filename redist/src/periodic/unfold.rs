//! Copies between folded places become the copies of the whole: what a zone of the axis holds is repeated.

use crate::error::Result;
use crate::periodic::fold::{Fold, Frame};
use crate::periodic::runs::{Level, Part, compress, compress_fixed};
use crate::room;
use crate::tables::index::IndexTable;

/// One side of a copy: its table, its places, and the memory.
#[derive(Clone, Copy)]
struct End<'a> {
    side: &'a IndexTable,
    frame: &'a Frame,
    memory: u32,
}

/// A level of a folded copy in coordinates, and how far it goes on the axis.
#[derive(Clone)]
struct Step {
    count: i64,
    source: Vec<i64>,
    target: Vec<i64>,
    element: i64,
}

/// Levels of more steps are not taken apart.
const MOST_PIECES: i64 = 8;

impl Fold {
    /// Compresses the copies between two memories; `target` and `from` as [`compress`] takes them, in folded places.
    /// Where a strided copy of the folded places is none of the whole, it is cut.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn parts(
        &self,
        source: (&IndexTable, u32),
        target: (&IndexTable, u32),
        to: &[i64],
        from: &[&[i64]],
    ) -> Result<Vec<Part>> {
        let ends = (
            End { side: source.0, frame: &self.source, memory: source.1 },
            End { side: target.0, frame: &self.target, memory: target.1 },
        );
        let mut parts = Vec::new();
        for part in &compress(to, from)? {
            room::extend(&mut parts, self.whole(part, ends)?)?;
        }
        Ok(parts)
    }

    /// The copies of the whole that a folded copy stands for. Where that is not one, a level joins places whose likeness
    /// is one of the folded axis only: without one of its levels, or by the sections of the axis, it is the fewest.
    fn whole(&self, part: &Part, ends: (End, End)) -> Result<Vec<Part>> {
        if let Some(whole) = self.unfold(part, ends)? {
            let mut one = room::list(1)?;
            one.push(whole);
            return Ok(one);
        }
        let mut best = self.by_sections(part, ends)?;
        for (k, level) in part.levels.iter().enumerate().rev().filter(|(_, l)| l.count <= MOST_PIECES) {
            let mut piece = Part { source: part.source, target: part.target, levels: room::copied(&part.levels)? };
            piece.levels.remove(k);
            let mut pieces = Vec::new();
            for _ in 0..level.count {
                room::extend(&mut pieces, self.whole(&piece, ends)?)?;
                piece.source += level.source;
                piece.target += level.target;
            }
            if pieces.len() < best.len() {
                best = pieces;
            }
        }
        Ok(best)
    }

    /// Takes the sections of the axis one by one: inside one each copy is one of the whole, at most repeated.
    fn by_sections(&self, part: &Part, ends: (End, End)) -> Result<Vec<Part>> {
        let section = |(k, p): (usize, (i64, i64))| (self.axis.section(ends.1.element(p.0)), k, p);
        let mut places = room::collected(part.places()?.into_iter().enumerate().map(section))?;
        places.sort_unstable();
        let mut parts = Vec::new();
        for section in places.chunk_by(|a, b| a.0 == b.0) {
            let to = room::collected(section.iter().map(|p| p.2.0))?;
            let from = room::collected(section.iter().map(|p| p.2.1))?;
            for copy in compress_fixed(&to, &from)? {
                room::push(&mut parts, self.unfold(&copy, ends)?.expect("inside a section every copy unfolds"))?;
            }
        }
        Ok(parts)
    }

    /// The copy of the whole that a folded copy stands for, if it is one strided copy.
    fn unfold(&self, part: &Part, ends: (End, End)) -> Result<Option<Part>> {
        let mut steps: Vec<Step> = part.levels.iter().map(|l| Self::step(l, ends)).collect();
        let period = self.axis.period;
        let once = |end: End| -> Vec<i64> {
            let own = |k| if k == end.frame.place { period / end.frame.coef } else { 0 };
            (0..end.side.data.len()).map(own).collect()
        };
        // A copy that lies in one zone is repeated: as a level of one step it is in the list like any other.
        steps.push(Step { count: 1, source: once(ends.0), target: once(ends.1), element: period });
        let regular = |k: usize| {
            let s = &steps[k];
            let along = |end: End, by: &[i64]| (0..by.len()).all(|i| (by[i] != 0) == (i == end.frame.place));
            along(ends.0, &s.source) && along(ends.1, &s.target) && period % s.element == 0
        };
        let found =
            (0..steps.len()).filter(|&k| regular(k)).find_map(|k| Some((k, self.chains(part, &steps, k, ends)?)));
        let Some((k, (more, shift))) = found else { return Ok(None) };
        steps[k].count += more;
        let mut levels = Vec::new();
        for (step, by) in steps.iter().zip(&shift.steps).filter(|(s, _)| s.count > 1) {
            let (source, target) = (ends.0.difference(&step.source, *by), ends.1.difference(&step.target, *by));
            room::push(&mut levels, Level { count: step.count, source, target })?;
        }
        Ok(Some(Part {
            source: ends.0.whole(part.source, shift.start),
            target: ends.1.whole(part.target, shift.start),
            levels,
        }))
    }

    fn step(level: &Level, ends: (End, End)) -> Step {
        let (source, target) = (ends.0.frame.code.difference(level.source), ends.1.frame.code.difference(level.target));
        let element = target.iter().zip(&ends.1.side.data).map(|(d, &i)| d * ends.1.side.domain.coef[i]).sum();
        Step { count: level.count, source, target, element }
    }

    /// How many steps the k-th level gains, and how far the others are moved, when each of its chains covers the zones
    /// that it meets, all gain as many, and the moves make up one strided copy.
    fn chains(&self, part: &Part, steps: &[Step], k: usize, ends: (End, End)) -> Option<(i64, Shift)> {
        let own = &steps[k];
        let begin = ends.1.element(part.target);
        let chain = |offset: i64| -> Option<(i64, i64)> {
            let (first, last) = (begin + offset, begin + offset + (own.count - 1) * own.element);
            let (low, high, step) = (first.min(last), first.max(last), own.element.abs());
            if !self.axis.covers_whole_zones(low, high, step) {
                return None;
            }
            let (from, to) = (self.axis.shifts(low).0, self.axis.shifts(high).1);
            Some(((to - from) / step, if own.element > 0 { from } else { to }))
        };
        let (more, start) = chain(0)?;
        let mut shift = Shift { start, steps: vec![0; steps.len()] };
        for (j, s) in steps.iter().enumerate().filter(|&(j, s)| j != k && s.count > 1) {
            shift.steps[j] = chain(s.element)?.1 - start;
        }
        let others: Vec<usize> = (0..steps.len()).filter(|&j| j != k).collect();
        let total: i64 = others.iter().map(|&j| steps[j].count).product();
        for n in 0..total {
            let (mut rest, mut offset, mut moved) = (n, 0, start);
            for &j in &others {
                let i = rest % steps[j].count;
                rest /= steps[j].count;
                offset += i * steps[j].element;
                moved += i * shift.steps[j];
            }
            if chain(offset)? != (more, moved) {
                return None;
            }
        }
        Some((more, shift))
    }
}

/// How far the whole is from the folded axis: at the start of a copy, and added by each of its steps.
struct Shift {
    start: i64,
    steps: Vec<i64>,
}

impl End<'_> {
    /// The folded element at a folded place.
    fn element(&self, code: i64) -> i64 {
        self.side.domain.index(0, &self.frame.coordinates(self.side, self.memory, code))
    }

    /// The place in the whole of a folded place that is `shift` elements further.
    fn whole(&self, code: i64, shift: i64) -> i64 {
        let mut at = self.frame.code.decode(code);
        at[self.frame.place] += shift / self.frame.coef;
        self.side.code.encode(at)
    }

    /// The difference of places in the whole of folded increments and `shift` elements.
    fn difference(&self, by: &[i64], shift: i64) -> i64 {
        let own = |(k, d): (usize, &i64)| {
            let more = if k == self.frame.place { shift / self.frame.coef } else { 0 };
            (d + more) * self.side.code.weight(k)
        };
        by.iter().enumerate().map(own).sum()
    }
}
