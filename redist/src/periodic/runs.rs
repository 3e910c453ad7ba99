//! Copies between two memories as few strided descriptors: greedy runs, then folding of equal shapes.

use crate::error::Result;
use crate::room;
use std::collections::HashMap;

/// One level of a strided copy: `count` steps of `source` and `target` (differences of codes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// How many.
    pub count: i64,
    /// Step of the source code.
    pub source: i64,
    /// Step of the target code.
    pub target: i64,
}

/// A strided copy: its first element and its levels, innermost first.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Number of the first source place.
    pub source: i64,
    /// Number of the first target place.
    pub target: i64,
    /// The levels; none: one element.
    pub levels: Vec<Level>,
}

impl Part {
    /// The number of elements.
    pub fn volume(&self) -> i64 {
        self.levels.iter().map(|l| l.count).product()
    }

    /// The codes of all target and source places, target ascending.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn places(&self) -> Result<Vec<(i64, i64)>> {
        let mut all = room::filled((self.target, self.source), 1)?;
        for l in &self.levels {
            let steps = |&(t, s): &(i64, i64)| (0..l.count).map(move |k| (t + k * l.target, s + k * l.source));
            all = room::collected(all.iter().flat_map(steps))?;
        }
        all.sort_unstable();
        Ok(all)
    }
}

/// Compresses the copies `(target[i], from[i])` between two memories; `target` ascends. When an element has several
/// places in the source memory, `from[i]` lists them and one is taken.
///
/// # Errors
/// [`crate::Error::is_no_memory`].
pub fn compress(target: &[i64], from: &[&[i64]]) -> Result<Vec<Part>> {
    if from.iter().all(|f| f.len() == 1) {
        return compress_fixed(target, &room::collected(from.iter().map(|f| f[0]))?);
    }
    let runs = furthest(target, from)?;
    let source = room::collected(runs.iter().flat_map(|r| (0..r.count).map(|k| r.source + k * r.step.1)))?;
    better(&runs, target, &source)
}

/// Compresses copies whose source place is given. Errors as for [`compress`].
pub fn compress_fixed(target: &[i64], source: &[i64]) -> Result<Vec<Part>> {
    better(&greedy(target, source)?, target, source)
}

/// The folded runs, or the folded contiguous pieces where those are not more.
fn better(runs: &[Run], target: &[i64], source: &[i64]) -> Result<Vec<Part>> {
    let mut steps = runs.iter().filter(|r| r.count > 1).map(|r| r.step);
    let first = steps.next();
    let uniform = runs.len() == 1 || first.is_some_and(|f| f.0 == 1 && steps.all(|s| s == f));
    let best = fold(runs)?;
    if uniform || best.len() == 1 {
        return Ok(best);
    }
    let other = fold(&natural(target, source)?)?;
    Ok(if other.len() <= best.len() { other } else { best })
}

/// `count` copies from (target, source) on, a step apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    target: i64,
    source: i64,
    count: i64,
    step: (i64, i64),
}

fn run(target: i64, source: i64, count: usize, step: (i64, i64)) -> Run {
    Run { target, source, count: count as i64, step: if count > 1 { step } else { (0, 0) } }
}

/// Successive copies with equal steps, each run as long as possible.
fn greedy(target: &[i64], source: &[i64]) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let step = |i: usize| (target[i + 1] - target[i], source[i + 1] - source[i]);
    let mut i = 0;
    while i < target.len() {
        let mut j = i + 1;
        let first = if j < target.len() { step(i) } else { (0, 0) };
        while j < target.len() && step(j - 1) == first {
            j += 1;
        }
        room::push(&mut runs, run(target[i], source[i], j - i, first))?;
        i = j;
    }
    Ok(runs)
}

/// Successive copies whose step is the smallest of all; contiguous pieces stay whole.
fn natural(target: &[i64], source: &[i64]) -> Result<Vec<Run>> {
    let steps = |i: usize| (target[i + 1] - target[i], source[i + 1] - source[i]);
    let Some(least) = (0..target.len() - 1).map(steps).min_by_key(|&(t, s)| (t, s.abs(), s)) else {
        return greedy(target, source);
    };
    let mut runs = Vec::new();
    let mut i = 0;
    while i < target.len() {
        let mut j = i + 1;
        while j < target.len() && steps(j - 1) == least {
            j += 1;
        }
        room::push(&mut runs, run(target[i], source[i], j - i, least))?;
        i = j;
    }
    Ok(runs)
}

/// Candidates looked at per element when a memory holds several copies.
const CANDIDATES: usize = 12;

/// Greedy runs that choose among the places of each element the ones that carry the run furthest.
fn furthest(target: &[i64], from: &[&[i64]]) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let mut i = 0;
    while i < target.len() {
        let mut best = (1, from[i][0], (0_i64, 0_i64));
        if i + 1 < target.len() {
            let dt = target[i + 1] - target[i];
            for &s in from[i].iter().take(CANDIDATES) {
                for &next in from[i + 1].iter().take(CANDIDATES) {
                    let ds = next - s;
                    let mut k = 2;
                    while i + k < target.len()
                        && target[i + k] - target[i] == k as i64 * dt
                        && from[i + k].contains(&(s + k as i64 * ds))
                    {
                        k += 1;
                    }
                    if k > best.0 || (k == best.0 && ds.abs() < best.2.1.abs()) {
                        best = (k, s, (dt, ds));
                    }
                }
            }
        }
        room::push(&mut runs, run(target[i], best.1, best.0, best.2))?;
        i += best.0;
    }
    Ok(runs)
}

/// The shapes met while folding: a shape is one level around another shape; shape 0 is one element.
#[derive(Default)]
struct Shapes {
    known: HashMap<Shape, u32>,
    list: Vec<Shape>,
    last: Option<(Shape, u32)>,
}

/// The inner shape, the count and the step.
type Shape = (u32, i64, (i64, i64));

impl Shapes {
    fn around(&mut self, inner: u32, run: &Run) -> Result<u32> {
        if run.count == 1 {
            return Ok(inner);
        }
        let key = (inner, run.count, run.step);
        if let Some((k, shape)) = self.last.filter(|l| l.0 == key) {
            debug_assert_eq!(k, key);
            return Ok(shape);
        }
        let next = self.list.len() as u32 + 1;
        room::keys(&mut self.known, 1)?;
        let shape = *self.known.entry(key).or_insert(next);
        if shape == next {
            room::push(&mut self.list, key)?;
        }
        self.last = Some((key, shape));
        Ok(shape)
    }

    /// The levels of a shape, innermost first.
    fn levels(&self, mut shape: u32) -> Result<Vec<Level>> {
        let mut levels = Vec::new();
        while shape != 0 {
            let (inner, count, step) = self.list[shape as usize - 1];
            room::push(&mut levels, Level { count, target: step.0, source: step.1 })?;
            shape = inner;
        }
        levels.reverse();
        Ok(levels)
    }
}

/// Folds runs of equal shape that lie in arithmetic progression into one more level, until nothing is gained.
fn fold(runs: &[Run]) -> Result<Vec<Part>> {
    let mut shapes = Shapes::default();
    let mut pieces: Vec<(u32, i64, i64)> =
        room::tried(runs.iter().map(|r| Ok((shapes.around(0, r)?, r.target, r.source))))?;
    let mut points = Vec::new();
    while pieces.len() > 1 {
        let before = pieces.len();
        pieces.sort_unstable();
        let mut folded = Vec::new();
        for group in pieces.chunk_by(|a, b| a.0 == b.0) {
            points.clear();
            room::extend(&mut points, group.iter().map(|p| (p.1, p.2)))?;
            for r in chains(&points)? {
                room::push(&mut folded, (shapes.around(group[0].0, &r)?, r.target, r.source))?;
            }
        }
        pieces = folded;
        if pieces.len() == before {
            break;
        }
    }
    pieces.sort_unstable_by_key(|p| (p.1, p.2));
    let part = |&(shape, target, source): &_| Ok(Part { source, target, levels: shapes.levels(shape)? });
    room::tried(pieces.iter().map(part))
}

/// Covers points (target, source), ascending, by arithmetic progressions: the better of two greedy covers.
fn chains(points: &[(i64, i64)]) -> Result<Vec<Run>> {
    if let &[(target, source)] = points {
        return room::filled(run(target, source, 1, (0, 0)), 1);
    }
    let target = room::collected(points.iter().map(|p| p.0))?;
    let source = room::collected(points.iter().map(|p| p.1))?;
    let simple = greedy(&target, &source)?;
    if simple.len() == 1 || points.len() < 4 {
        return Ok(simple);
    }
    let leaping = Cover::new(points)?.chains()?;
    Ok(if leaping.len() < simple.len() { leaping } else { simple })
}

/// How many following points are tried as the second of a progression.
const LEAPS: usize = 16;

/// A cover of points by progressions that may leap over points of other progressions.
struct Cover<'a> {
    points: &'a [(i64, i64)],
    slots: Vec<u32>,
    taken: Vec<bool>,
}

impl<'a> Cover<'a> {
    fn new(points: &'a [(i64, i64)]) -> Result<Self> {
        let size = (points.len() * 2).next_power_of_two();
        let (slots, taken) = (room::filled(u32::MAX, size)?, room::filled(false, points.len())?);
        let mut cover = Self { points, slots, taken };
        for (k, p) in points.iter().enumerate() {
            let mut slot = cover.slot(p.0);
            while cover.slots[slot] != u32::MAX {
                slot = (slot + 1) & (size - 1);
            }
            cover.slots[slot] = k as u32;
        }
        Ok(cover)
    }

    fn slot(&self, target: i64) -> usize {
        (target as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32) as usize & (self.slots.len() - 1)
    }

    /// The free point at these places.
    fn find(&self, point: (i64, i64)) -> Option<usize> {
        let mut slot = self.slot(point.0);
        while self.slots[slot] != u32::MAX {
            let k = self.slots[slot] as usize;
            if self.points[k].0 == point.0 {
                return (self.points[k].1 == point.1 && !self.taken[k]).then_some(k);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        None
    }

    fn chains(mut self) -> Result<Vec<Run>> {
        let mut parts = Vec::new();
        let mut single: Option<usize> = None;
        for i in 0..self.points.len() {
            if self.taken[i] {
                continue;
            }
            let (count, step) = self.longest(i);
            if count >= 3 {
                room::push(&mut parts, self.take(i, count, step))?;
            }
        }
        for i in 0..self.points.len() {
            if self.taken[i] {
                continue;
            }
            if let Some(first) = single.take() {
                let (a, b) = (self.points[first], self.points[i]);
                room::push(&mut parts, run(a.0, a.1, 2, (b.0 - a.0, b.1 - a.1)))?;
            } else {
                single = Some(i);
            }
        }
        room::extend(&mut parts, single.map(|i| run(self.points[i].0, self.points[i].1, 1, (0, 0))))?;
        Ok(parts)
    }

    /// The longest progression from point `i` whose second point is one of the next few.
    fn longest(&self, i: usize) -> (usize, (i64, i64)) {
        let (p, mut best) = (self.points[i], (1, (0, 0)));
        let next = (i + 1..self.points.len()).filter(|&j| !self.taken[j]).take(LEAPS);
        for j in next {
            let step = (self.points[j].0 - p.0, self.points[j].1 - p.1);
            let mut count = 2;
            while self.find(at(p, step, count)).is_some() {
                count += 1;
            }
            if count > best.0 {
                best = (count, step);
            }
        }
        best
    }

    fn take(&mut self, i: usize, count: usize, step: (i64, i64)) -> Run {
        let p = self.points[i];
        for k in 0..count {
            if let Some(j) = self.find(at(p, step, k)) {
                self.taken[j] = true;
            }
        }
        run(p.0, p.1, count, step)
    }
}

fn at(p: (i64, i64), step: (i64, i64), k: usize) -> (i64, i64) {
    (p.0.wrapping_add(step.0.wrapping_mul(k as i64)), p.1.wrapping_add(step.1.wrapping_mul(k as i64)))
}
