//! How the tiles of a graph are dealt out along a coordinate when the user leaves that open: as the graph ends first, by an
//! estimate that knows how many tiles there are, what waits for what, and that a neighbour elsewhere costs a message.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::layout::Deal;
use crate::error::Error;

/// What tiles wait for along the coordinate that is dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// For nothing.
    Free,
    /// For their neighbours.
    Neighbours,
    /// For the first ones of their step, as those of a triangle for its corner.
    First,
}

/// The tiles of a graph by step, which is the index of the coordinate along which processes wait for each other in turn,
/// and by place along the coordinate that is dealt out.
#[derive(PartialEq, Eq)]
pub(crate) struct StepCounts {
    pub(crate) tiles: Vec<Vec<u64>>,
    pub(crate) waits: Waits,
}

/// The cost of a tile, where that of packing or unpacking what one has for its neighbour is 1.
const TILE: u64 = 8;

/// Most boxes of tiles that are looked at to count a graph.
const MOST_VISITS: usize = 1 << 14;

/// Most processes and steps that are simulated; more steps are taken together.
const MOST_PROCESSES: u32 = 64;
const MOST_STEPS: usize = 64;

impl StepCounts {
    /// The best way to deal them out to so many processes; nothing for very many. Few and large runs are preferred where
    /// others gain little.
    pub(crate) fn deal(&self, processes: u32) -> Option<Deal> {
        if processes > MOST_PROCESSES {
            return None;
        }
        let places = self.tiles.first().map_or(0, Vec::len) as i64;
        let few = self.with_steps_together();
        let mut best = (Deal::Block, few.end(processes, Deal::Block));
        let most = places / (2 * i64::from(processes));
        let widths: Vec<i64> = (0..62).map(|n| 1 << n).take_while(|width| *width <= most).collect();
        for width in widths.into_iter().rev() {
            let deal = Deal::Cyclic(width);
            let end = few.end(processes, deal);
            if end + end / 32 < best.1 {
                best = (deal, end);
            }
        }
        Some(best.0)
    }

    /// The same with few steps: neighbouring ones are taken together.
    fn with_steps_together(&self) -> StepCounts {
        let together = self.tiles.len().div_ceil(MOST_STEPS).max(1);
        let sum = |steps: &[Vec<u64>]| {
            (0..steps[0].len()).map(|place| steps.iter().map(|step| step[place]).sum()).collect::<Vec<u64>>()
        };
        StepCounts { tiles: self.tiles.chunks(together).map(sum).collect(), waits: self.waits }
    }

    /// When the last process ends. Each takes the least run, by step and place, of those that need not wait. A process goes
    /// through its run along the coordinate that is dealt out first: the run of its neighbour begins after the first of these
    /// rows of tiles, and ends at least one row later.
    fn end(&self, processes: u32, deal: Deal) -> u64 {
        let places = self.tiles.first().map_or(0, Vec::len) as i64;
        let runs = deal.all_runs(places, processes);
        let mut queues = Queues::new(processes as usize, self.tiles.len(), runs.len());
        let counts = |(step, run): Task| {
            let (first, end) = runs[run].1;
            &self.tiles[step][first as usize..end as usize]
        };
        let first = |step: usize| (0..runs.len()).find(|run| counts((step, *run)).iter().any(|count| *count > 0));
        let firsts: Vec<usize> = (0..self.tiles.len()).map(|step| first(step).unwrap_or(0)).collect();
        let awaited = |(step, run): Task| match self.waits {
            Waits::Free => None,
            Waits::Neighbours => run.checked_sub(1),
            Waits::First => (run != firsts[step]).then_some(firsts[step]),
        };
        for step in 0..self.tiles.len() {
            for (run, (owner, _)) in runs.iter().enumerate() {
                queues.missing[step][run] = u8::from(step > 0) + u8::from(awaited((step, run)).is_some());
                if queues.missing[step][run] == 0 {
                    queues.release((step, run), *owner, 0);
                }
            }
        }
        let mut ends = vec![vec![0; runs.len()]; self.tiles.len()];
        while let Some((process, task, start)) = queues.next() {
            let (own, before) = (counts(task), awaited(task));
            let edge = own.iter().copied().find(|count| *count > 0).unwrap_or(0);
            let elsewhere = before.is_some_and(|run| runs[run].0 != runs[task.1].0);
            let (step, run) = task;
            let mut end = start + TILE * own.iter().sum::<u64>() + if elsewhere { 2 * edge } else { 0 };
            let mut begun = end;
            if let (Waits::Neighbours, true) = (self.waits, edge > 0) {
                let row = TILE * own.iter().filter(|count| **count > 0).count() as u64;
                end = before.map_or(end, |before| end.max(ends[step][before] + row));
                begun = end.min(start + row);
            }
            ends[step][run] = end;
            queues.free[process] = end;
            let after = if step + 1 < self.tiles.len() { Some((step + 1, run)) } else { None };
            let beside: Box<dyn Iterator<Item = usize>> = match self.waits {
                Waits::Neighbours => Box::new((run + 1..runs.len()).take(1)),
                Waits::First if run == firsts[step] => Box::new((0..runs.len()).filter(move |other| *other != run)),
                Waits::Free | Waits::First => Box::new(std::iter::empty()),
            };
            if let Some(next) = after {
                queues.ended(next, runs[next.1].0, end);
            }
            beside.for_each(|run| queues.ended((step, run), runs[run].0, begun));
        }
        queues.free.into_iter().max().unwrap_or(0)
    }
}

/// A step and a run.
type Task = (usize, usize);

/// What the simulated processes may do.
struct Queues {
    /// By process: when it has nothing to do.
    free: Vec<u64>,
    /// By process: runs that wait no more at its time, and those that wait until later.
    now: Vec<BinaryHeap<Reverse<Task>>>,
    later: Vec<BinaryHeap<Reverse<(u64, Task)>>>,
    /// By step and run: for how many it waits, and until when at least.
    missing: Vec<Vec<u8>>,
    since: Vec<Vec<u64>>,
}

impl Queues {
    fn new(processes: usize, steps: usize, runs: usize) -> Queues {
        Queues {
            free: vec![0; processes],
            now: vec![BinaryHeap::new(); processes],
            later: vec![BinaryHeap::new(); processes],
            missing: vec![vec![0; runs]; steps],
            since: vec![vec![0; runs]; steps],
        }
    }

    fn release(&mut self, task: Task, owner: u32, since: u64) {
        self.later[owner as usize].push(Reverse((since, task)));
    }

    /// One of those that a run waits for has ended.
    fn ended(&mut self, task: Task, owner: u32, end: u64) {
        let (missing, since) = (&mut self.missing[task.0][task.1], &mut self.since[task.0][task.1]);
        *missing -= 1;
        *since = (*since).max(end);
        if *missing == 0 {
            let since = *since;
            self.release(task, owner, since);
        }
    }

    /// The run that begins next anywhere: its process, itself, and when.
    fn next(&mut self) -> Option<(usize, Task, u64)> {
        let starts = |process: usize| {
            let waits = self.later[process].peek().map(|Reverse((since, _))| (*since).max(self.free[process]));
            if self.now[process].is_empty() { waits } else { Some(self.free[process]) }
        };
        let (start, process) = (0..self.free.len()).filter_map(|process| Some((starts(process)?, process))).min()?;
        while let Some(Reverse((_, task))) = self.later[process].peek().copied().filter(|next| next.0.0 <= start) {
            self.later[process].pop();
            self.now[process].push(Reverse(task));
        }
        self.now[process].pop().map(|Reverse(task)| (process, task, start))
    }
}

/// Counts the tiles of a box by the index of coordinate `step` (none: all in one step) and of coordinate `place`. `narrow`
/// tells the ends of a coordinate when those before it are known. `None`: they are too many to count.
pub(crate) fn count(
    extent: &[i64],
    step: Option<usize>,
    place: usize,
    narrow: impl Fn(usize, &[i64], &mut [i64; 2]) -> Result<(), Error>,
) -> Result<Option<Vec<Vec<u64>>>, Error> {
    let rows = step.map_or(1, |k| extent[k]) as usize;
    if rows.saturating_mul(extent[place] as usize) > MOST_VISITS {
        return Ok(None);
    }
    // Coordinates behind these change only how many there are.
    let last = (0..extent.len()).rfind(|k| extent[*k] > 1 && Some(*k) != step && *k != place);
    let mut counts = vec![vec![0; extent[place] as usize]; rows];
    let mut tile = vec![0; extent.len()];
    let (mut ends, mut k, mut visits) = (vec![[0, -1]; extent.len()], 0, 0);
    // An odometer: coordinate `k` is to be entered.
    loop {
        if k < extent.len() {
            ends[k] = [0, extent[k] - 1];
            narrow(k, &tile, &mut ends[k])?;
            tile[k] = ends[k][0];
            visits += 1;
            if visits > MOST_VISITS {
                return Ok(None);
            }
            let innermost = k + 1 == extent.len() && last == Some(k);
            if ends[k][0] <= ends[k][1] && !innermost {
                k += 1;
                continue;
            }
            if ends[k][0] <= ends[k][1] {
                let row = step.map_or(0, |k| tile[k]) as usize;
                counts[row][tile[place] as usize] += (ends[k][1] - ends[k][0] + 1) as u64;
            }
        } else {
            counts[step.map_or(0, |k| tile[k]) as usize][tile[place] as usize] += 1;
        }
        // The next index of the innermost coordinate that has one.
        loop {
            let Some(before) = k.checked_sub(1) else { return Ok(Some(counts)) };
            k = before;
            tile[k] += 1;
            if tile[k] <= ends[k][1] {
                k += 1;
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    /// Tiles whose index along the first coordinate is at most `shift` less than that along the second one, and so on.
    fn narrow(shift: i64, width: i64) -> impl Fn(usize, &[i64], &mut [i64; 2]) -> Result<(), Error> {
        move |k, tile, ends| {
            if k > 0 {
                ends[0] = ends[0].max(shift * tile[k - 1]);
                ends[1] = ends[1].min(shift * tile[k - 1] + width);
            }
            Ok(())
        }
    }

    #[test]
    fn counts_are_those_of_all_tiles() {
        for mut random in testkit::seeds(300).map(Random::new) {
            let dimension = random.below(3) + 1;
            let extent: Vec<i64> = (0..dimension).map(|_| random.below(5) as i64 + 1).collect();
            let place = random.below(dimension);
            let step = (0..dimension).find(|k| *k != place).filter(|_| random.below(3) > 0);
            let (shift, width) = (random.below(2) as i64, random.below(4) as i64);
            let found = count(&extent, step, place, narrow(shift, width)).unwrap().unwrap();
            let mut expected = vec![vec![0; extent[place] as usize]; step.map_or(1, |k| extent[k]) as usize];
            for number in 0..extent.iter().product::<i64>() {
                let mut rest = number;
                let mut tile: Vec<i64> = extent.iter().rev().map(|n| (rest % n, rest /= n).0).collect();
                tile.reverse();
                let inside = (1..dimension).all(|k| {
                    let mut ends = [0, extent[k] - 1];
                    narrow(shift, width)(k, &tile, &mut ends).unwrap();
                    (ends[0]..=ends[1]).contains(&tile[k])
                });
                if inside {
                    expected[step.map_or(0, |k| tile[k]) as usize][tile[place] as usize] += 1;
                }
            }
            assert_eq!(found, expected, "{extent:?} {step:?} {place}");
        }
    }

    fn deal(tiles: Vec<Vec<u64>>, waits: Waits, processes: u32) -> Deal {
        StepCounts { tiles, waits }.deal(processes).unwrap()
    }

    #[test]
    fn equal_places_are_dealt_out_in_blocks() {
        assert_eq!(deal(vec![vec![7; 60]], Waits::Free, 4), Deal::Block);
        assert_eq!(deal(vec![vec![]], Waits::Free, 4), Deal::Block);
    }

    #[test]
    fn a_triangle_is_dealt_out_in_turn() {
        let rows =
            |n: u64| (0..n).map(move |step| (0..n).map(move |row| if row < step { 0 } else { n - step }).collect());
        assert!(matches!(deal(rows(40).collect(), Waits::First, 4), Deal::Cyclic(1 | 2)));
        assert!(matches!(deal(rows(40).collect(), Waits::Free, 4), Deal::Cyclic(_)));
    }

    /// A few steps through a wide array: the blocks hardly move. Many steps: in blocks one process works after the other.
    #[test]
    fn a_slanted_band_is_dealt_out_by_how_far_it_moves() {
        let band = |steps: u64, width: u64| -> Vec<Vec<u64>> {
            let of =
                |step: u64| (0..steps + width).map(|at| u64::from((step..step + width).contains(&at)) * 9).collect();
            (0..steps).map(of).collect()
        };
        assert!(matches!(deal(band(6, 60), Waits::Neighbours, 2), Deal::Block | Deal::Cyclic(16..)));
        assert!(matches!(deal(band(100, 60), Waits::Neighbours, 2), Deal::Cyclic(width) if width > 1));
    }
}
