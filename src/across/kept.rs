//! Arrays that stay on the processes between the regions of a program of one process (clause `keep`): which process has
//! the value of which byte. Places are addresses in process 0.
//!
//! All processes know the same of it, since the same regions and requests change it everywhere in the same order. Process 0
//! runs main, which may touch any byte: it sees no access to what shares a page with other data, so there process 0 has all
//! values between regions, and is the only one.

use super::spans::Spans;
use crate::error::Error;

/// What main may do with a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Some value on it is that of another process.
    Nothing,
    /// Other processes have values of it as well.
    Read,
}

/// An access of main that it has to wait for, and the pages that are treated together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Process 0 is to have the values.
    Reads(Spans),
    /// Process 0 alone is to have them.
    Writes(Spans),
}

/// The memory of an array that is kept, and what each process has of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Its number in the program.
    pub(crate) id: u32,
    /// What regions have touched, as first place and end.
    pub(crate) span: (i64, i64),
    /// By process.
    valid: Vec<Spans>,
    /// The bytes of a page.
    page: i64,
}

impl Extent {
    /// Process 0 has all of it.
    pub(crate) fn new(id: u32, span: (i64, i64), processes: u32, page: i64) -> Extent {
        let mut valid = vec![Spans::default(); processes.max(1) as usize];
        valid[0] = Spans::one(span.0, span.1);
        Extent { id, span, valid, page }
    }

    /// How many spans it is told by.
    pub(crate) fn spans(&self) -> usize {
        self.valid.iter().map(|valid| valid.list().len()).sum()
    }

    /// Regions touch more: process 0 has it. What was an edge may not be one any more.
    pub(crate) fn grow(&mut self, span: (i64, i64)) {
        self.begin();
        let grown = (self.span.0.min(span.0), self.span.1.max(span.1));
        let new = Spans::one(grown.0, grown.1).without(&Spans::one(self.span.0, self.span.1));
        self.valid[0] = self.valid[0].union(&new);
        self.span = grown;
    }

    /// The pages that lie inside, as first place and end.
    pub(crate) fn pages(&self) -> Option<(i64, i64)> {
        let (first, end) = self.span;
        let pages = ((first + self.page - 1).div_euclid(self.page) * self.page, end.div_euclid(self.page) * self.page);
        (pages.0 < pages.1).then_some(pages)
    }

    /// What lies on no page of its own.
    pub(crate) fn edges(&self) -> Spans {
        let whole = Spans::one(self.span.0, self.span.1);
        self.pages().map_or_else(|| whole.clone(), |(first, end)| whole.without(&Spans::one(first, end)))
    }

    /// A region begins: what main may have written unseen is that of process 0.
    pub(crate) fn begin(&mut self) {
        self.main_wrote(&self.edges());
    }

    /// Where a process gets the places from that it needs and does not have.
    ///
    /// # Errors
    /// Nobody has some of them.
    pub(crate) fn sources(&self, process: u32, needed: &Spans) -> Result<Vec<(u32, Spans)>, Error> {
        let mut missing = needed.without(&self.valid[process as usize]);
        let mut sources = Vec::new();
        for (source, valid) in self.valid.iter().enumerate() {
            if missing.is_empty() {
                break;
            }
            let part = missing.common(valid);
            if !part.is_empty() {
                missing = missing.without(&part);
                sources.push((source as u32, part));
            }
        }
        if missing.is_empty() {
            Ok(sources)
        } else {
            Err(Error::state("a region reads more of a kept array than it touches"))
        }
    }

    /// A process has got these places.
    pub(crate) fn received(&mut self, process: u32, places: &Spans) {
        let valid = &mut self.valid[process as usize];
        *valid = valid.union(places);
    }

    /// Main has written these places.
    pub(crate) fn main_wrote(&mut self, places: &Spans) {
        for valid in &mut self.valid[1..] {
            *valid = valid.without(places);
        }
        self.received(0, places);
    }

    /// The last values of these places, by process, were written by its tiles; process 0 has got those `returned`.
    pub(crate) fn written(&mut self, written: &[Spans], returned: &Spans) {
        let all = written.iter().fold(Spans::default(), |all, one| all.union(one));
        for (valid, own) in self.valid.iter_mut().zip(written) {
            *valid = valid.without(&all).union(own);
        }
        self.received(0, &returned.common(&all));
    }

    /// The pages to which main has no full access.
    pub(crate) fn protection(&self) -> Vec<((i64, i64), Access)> {
        let Some((first, end)) = self.pages() else { return Vec::new() };
        let inside = Spans::one(first, end);
        let stale = inside.without(&self.valid[0]).pages(self.page);
        let shared = self.valid[1..].iter().fold(Spans::default(), |all, valid| all.union(valid));
        let shared = shared.common(&inside).pages(self.page).without(&stale);
        let of = |spans: Spans, access| spans.list().iter().map(|span| (*span, access)).collect::<Vec<_>>();
        [of(stale, Access::Nothing), of(shared, Access::Read)].concat()
    }

    /// The pages of which process 0 has nothing.
    pub(crate) fn empty_pages(&self) -> Spans {
        let inside = self.pages().map_or_else(Spans::default, |(first, end)| Spans::one(first, end));
        inside.without(&self.valid[0].pages(self.page))
    }

    /// What process 0 does not have.
    pub(crate) fn elsewhere(&self) -> Spans {
        Spans::one(self.span.0, self.span.1).without(&self.valid[0])
    }

    /// The pages around a place, of so many bytes.
    pub(crate) fn around(&self, place: i64, bytes: i64) -> Spans {
        let bytes = bytes.max(self.page);
        let first = place.div_euclid(bytes) * bytes;
        let (from, to) = self.pages().unwrap_or_default();
        Spans::one(first.max(from), (first + bytes).min(to))
    }

    /// What an access of main to this place means; nothing: main may access it.
    pub(crate) fn touched(&self, place: i64) -> Option<Touch> {
        let access = self.protection().into_iter().find(|((first, end), _)| (*first..*end).contains(&place))?.1;
        let around = self.around(place, CLUSTER);
        Some(match access {
            Access::Nothing => Touch::Reads(around),
            // Some pages beside it may not have the values of process 0.
            Access::Read => Touch::Writes(around.without(&self.elsewhere().pages(self.page))),
        })
    }
}

/// The bytes that process 0 fetches at an access of main.
const CLUSTER: i64 = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    const PAGE: i64 = 8;
    const PLACES: i64 = 90;

    /// The newest version of each place, and the version that each process has.
    struct World {
        newest: Vec<u32>,
        has: Vec<Vec<u32>>,
        version: u32,
    }

    impl World {
        fn at(spans: &Spans) -> impl Iterator<Item = usize> + '_ {
            spans.list().iter().flat_map(|(first, end)| *first as usize..*end as usize)
        }

        fn write(&mut self, process: u32, spans: &Spans) {
            for at in World::at(spans) {
                self.version += 1;
                self.newest[at] = self.version;
                self.has[process as usize][at] = self.version;
            }
        }

        fn copy(&mut self, from: u32, to: u32, spans: &Spans) {
            for at in World::at(spans) {
                self.has[to as usize][at] = self.has[from as usize][at];
            }
        }
    }

    fn some(random: &mut Random, within: &Spans) -> Spans {
        let spans = (0..random.below(4)).map(|_| {
            let first = random.below(PLACES as usize) as i64;
            (first, first + random.below(20) as i64)
        });
        Spans::of(spans.collect()).common(within)
    }

    fn bring(world: &mut World, extent: &mut Extent, process: u32, needed: &Spans) {
        for (source, spans) in extent.sources(process, needed).expect("somebody has it") {
            assert_ne!(source, process);
            world.copy(source, process, &spans);
        }
        extent.received(process, needed);
        let has = &world.has[process as usize];
        assert!(World::at(needed).all(|at| has[at] == world.newest[at]), "process {process} reads an old value");
    }

    /// Main: what it may read it reads as it was written last; what it may write is nobody else's.
    fn main_runs(random: &mut Random, world: &mut World, extent: &mut Extent) {
        let allowed = |extent: &Extent| {
            let of = |least| {
                let spans = extent.protection().into_iter().filter(|(_, access)| *access == Access::Nothing || least);
                Spans::of(spans.map(|(span, _)| span).collect())
            };
            let all = Spans::one(extent.span.0, extent.span.1);
            (all.without(&of(false)), all.without(&of(true)))
        };
        for _ in 0..random.below(5) {
            let all = Spans::one(extent.span.0, extent.span.1);
            let (reads, writes) = allowed(extent);
            assert!(World::at(&reads).all(|at| world.has[0][at] == world.newest[at]), "main reads an old value");
            let place = some(random, &all).list().first().map_or(extent.span.0, |span| span.0);
            let one = Spans::one(place, place + 1);
            match extent.touched(place) {
                Some(Touch::Reads(pages)) => {
                    assert!(reads.common(&one).is_empty());
                    bring(world, extent, 0, &pages);
                }
                Some(Touch::Writes(pages)) => {
                    assert!(writes.common(&one).is_empty());
                    extent.main_wrote(&pages);
                }
                None => world.write(0, &some(random, &writes)),
            }
        }
    }

    #[test]
    fn nobody_reads_an_old_value() {
        for mut random in testkit::seeds(1500).map(Random::new) {
            let processes = random.below(4) as u32 + 1;
            let mut world = World {
                newest: vec![0; PLACES as usize],
                has: vec![vec![0; PLACES as usize]; processes as usize],
                version: 0,
            };
            let first = random.below(20) as i64;
            let mut extent = Extent::new(0, (first, first + 1 + random.below(40) as i64), processes, PAGE);
            world.write(0, &Spans::one(0, PLACES));
            for _ in 0..8 {
                main_runs(&mut random, &mut world, &mut extent);
                if random.below(3) == 0 {
                    extent.grow((
                        extent.span.0 - random.below(extent.span.0 as usize + 1) as i64,
                        PLACES.min(extent.span.1 + 9),
                    ));
                }
                extent.begin();
                let all = Spans::one(extent.span.0, extent.span.1);
                let mut left = all.clone();
                let mut written = Vec::new();
                for process in 0..processes {
                    let needed = some(&mut random, &all);
                    bring(&mut world, &mut extent, process, &needed);
                    written.push(some(&mut random, &left));
                    left = left.without(&written[process as usize]);
                }
                let returned = if random.below(2) == 0 { extent.edges() } else { all };
                for (process, spans) in written.iter().enumerate() {
                    world.write(process as u32, spans);
                    world.copy(process as u32, 0, &spans.common(&returned));
                }
                extent.written(&written, &returned);
            }
        }
    }
}
