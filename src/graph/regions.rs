//! What is learnt of regions and their phases: which way is faster, by the power of two of the work.
//!
//! Generated code keeps a record for each region and each phase in static memory, and libdvm keeps what belongs to it,
//! for as long as the program runs. `DVM_TUNE_FILE` keeps it between programs.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

use super::sizes::TileCost;
use super::tuner::{RegionWay, TrialStep, Tuner};
use crate::engine::Call;
use crate::error::Error;
use crate::memory;
use crate::sync::lock::Mutex;
use crate::sync::slab::Slab;

/// The number of powers of two.
pub(crate) const CLASSES: usize = 64;

/// Iterations from which an entry is long: half a millisecond and more.
const LARGE: usize = 19;

/// Iterations of all regions together from which two workers win back the 5 ms of libdvm's start: 15 ms and more, of the
/// shortest loops, which wait for memory.
const START: u64 = 32 << 20;

/// Whether libdvm waits to start: the regions that were entered so far, and one of so much work, cost less than the
/// start does, whatever it brings. `asked`: somebody wants it to run at any price.
pub(crate) fn waits_to_start(work: i64, asked: bool) -> bool {
    static ENTERED: AtomicU64 = AtomicU64::new(0);
    !asked && waits(&ENTERED, work)
}

fn waits(entered: &AtomicU64, work: i64) -> bool {
    let work = work.max(1).unsigned_abs();
    entered.load(Ordering::Relaxed) < START
        && work < START
        && entered.fetch_add(work, Ordering::Relaxed).saturating_add(work) < START
}

/// What libdvm and generated code change in a record. Zeros at first.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Record {
    /// Libdvm's number of the record; 0: none yet.
    number: AtomicU64,
    /// By the power of two of the work: entries that run the original loops without asking.
    unasked: [AtomicU32; CLASSES],
}

/// Names a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RecordName {
    pub(crate) region: String,
    pub(crate) line: i64,
    /// The phase's number; negative: the region itself.
    pub(crate) phase: i64,
}

/// Sizes of tiles that were chosen last, and for which extents.
struct ChosenSizes {
    extent: Vec<i64>,
    wanted: Vec<i64>,
    cost: TileCost,
    sizes: Vec<i64>,
}

/// What is learnt by one record.
pub(crate) struct Learner {
    name: RecordName,
    tuners: Mutex<[Option<Tuner>; CLASSES]>,
    sizes: Mutex<Option<ChosenSizes>>,
}

/// An entry into a region or a phase.
#[derive(Clone, Copy)]
pub(crate) struct RegionEntry {
    pub(crate) way: RegionWay,
    pub(crate) class: usize,
    /// When it began, if its time is wanted.
    pub(crate) timed: bool,
}

static LEARNERS: Slab<&'static Learner> = Slab::new();
static GROWING: Mutex<()> = Mutex::new(());
/// What `DVM_TUNE_FILE` had at first use.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

type Kept = HashMap<RecordName, Vec<(usize, Tuner)>>;

/// The power of two of an amount of work.
pub(crate) fn class(work: i64) -> usize {
    work.max(1).ilog2() as usize
}

/// Nanoseconds since an arbitrary moment; never 0.
pub(crate) fn now() -> u64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    BEGUN.get_or_init(Instant::now).elapsed().as_nanos() as u64 + 1
}

impl Record {
    /// What is learnt by this record; `name` is asked when the record is new.
    pub(crate) fn learner(&self, call: &Call, name: impl FnOnce() -> RecordName) -> Result<&'static Learner, Error> {
        match self.known() {
            Some(learner) => Ok(learner),
            None => self.begin(call, name()),
        }
    }

    #[cold]
    fn begin(&self, call: &Call, name: RecordName) -> Result<&'static Learner, Error> {
        let _growing = GROWING.lock();
        if let Some(learner) = self.known() {
            return Ok(learner);
        }
        let mut tuners = [None; CLASSES];
        if let Some(path) = call.engine().config().tune_file() {
            let mut kept = KEPT.lock();
            for (class, tuner) in kept.get_or_insert_with(|| read(call, path)).remove(&name).unwrap_or_default() {
                tuners[class] = Some(tuner);
            }
        }
        let make = || Ok(Box::new(Learner { name, tuners: Mutex::new(tuners), sizes: Mutex::new(None) }));
        let learner: &'static Learner = Box::leak(memory::lasting(make)?);
        let index = LEARNERS.push(learner).ok_or_else(|| Error::argument("there are too many regions"))?;
        self.number.store(u64::from(index) + 1, Ordering::Release);
        Ok(learner)
    }

    fn known(&self) -> Option<&'static Learner> {
        LEARNERS.get((self.number.load(Ordering::Acquire) as u32).wrapping_sub(1)).copied()
    }

    /// Nanoseconds of an entry with so much work, to a power of two, as far as measured.
    pub(crate) fn least_time(&self, work: i64) -> Option<u64> {
        self.known()?.tuners.lock()[class(work)].as_ref()?.least_time()
    }

    /// Entries of this class that need not ask.
    pub(crate) fn leave_unasked(&self, class: usize, entries: u64) {
        self.unasked[class].store(u32::try_from(entries).unwrap_or(u32::MAX), Ordering::Relaxed);
    }
}

impl Learner {
    /// The sizes that were chosen last, if the question was the same.
    pub(crate) fn known_sizes(&self, extent: &[i64], wanted: &[i64], cost: TileCost) -> Option<Vec<i64>> {
        let chosen = self.sizes.lock();
        let same = |chosen: &&ChosenSizes| chosen.extent == extent && chosen.wanted == wanted && chosen.cost == cost;
        chosen.as_ref().filter(same).map(|chosen| chosen.sizes.clone())
    }

    /// Keeps chosen sizes for the next question.
    pub(crate) fn keep_sizes(&self, extent: &[i64], wanted: &[i64], cost: TileCost, sizes: &[i64]) {
        let [extent, wanted, sizes] = [extent, wanted, sizes].map(<[i64]>::to_vec);
        *self.sizes.lock() = Some(ChosenSizes { extent, wanted, cost, sizes });
    }

    /// Nanoseconds that a point takes in one tile, as far as known, to a power of two; at least 1.
    pub(crate) fn point_time(&self, work: i64) -> i64 {
        let class = class(work);
        let plain = self.tuners.lock()[class].as_ref().and_then(Tuner::plain_time).unwrap_or(0);
        i64::try_from((plain >> class).max(1)).map_or(i64::MAX, |time| 1 << time.ilog2())
    }

    /// The way of an entry.
    pub(crate) fn enter(&self, work: i64) -> RegionEntry {
        let class = class(work);
        let (way, timed) = self.tuners.lock()[class].get_or_insert_with(|| Tuner::new(class >= LARGE)).next();
        RegionEntry { way, class, timed }
    }

    /// Entries that go the plain way and that the caller counts, from now on.
    pub(crate) fn take_plain(&self, class: usize) -> u64 {
        self.tuners.lock()[class].as_mut().map_or(0, Tuner::take_plain)
    }

    /// A timed entry has ended.
    pub(crate) fn leave(&self, call: &Call, entry: RegionEntry, nanoseconds: u64) {
        let mut tuners = self.tuners.lock();
        let Some(tuner) = tuners[entry.class].as_mut() else { return };
        if tuner.took(entry.way, nanoseconds) != TrialStep::Changed {
            return;
        }
        let told = tuner.learnt();
        drop(tuners);
        let config = call.engine().config();
        if let Some((way, times)) = told {
            config.note(|| self.name.words(entry.class, way, times));
        }
        if let Some(path) = config.tune_file()
            && let Err(error) = write(path)
        {
            config.note(|| format!("DVM_TUNE_FILE: {}: {error}", path.display()));
        }
    }

    fn learnt(&self) -> Vec<(usize, RegionWay, [u64; 2])> {
        let tuners = self.tuners.lock();
        let known =
            |(class, tuner): (usize, &Option<Tuner>)| tuner.as_ref()?.learnt().map(|(way, times)| (class, way, times));
        tuners.iter().enumerate().filter_map(known).collect()
    }
}

impl RecordName {
    /// What is learnt, as a line for people.
    fn words(&self, class: usize, way: RegionWay, times: [u64; 2]) -> String {
        let (part, names) = if self.phase < 0 {
            (String::new(), ["the original loops", "tiles"])
        } else {
            (format!(", phase {}", self.phase), ["one tile", "several tiles"])
        };
        let microseconds = |time: u64| {
            if time == u64::MAX { "not tried".to_owned() } else { format!("{:.1} us", time as f64 / 1e3) }
        };
        let (best, other) = if way == RegionWay::Plain { (0, 1) } else { (1, 0) };
        format!(
            "region '{}' (line {}){part}, 2^{class} iterations: {}, {} ({}: {})",
            self.region,
            self.line,
            names[best],
            microseconds(times[best]),
            names[other],
            microseconds(times[other])
        )
    }
}

fn learners() -> impl Iterator<Item = &'static Learner> {
    (0..LEARNERS.len()).filter_map(|index| LEARNERS.get(index).copied())
}

/// All that is learnt, a line each.
pub(crate) fn learnt() -> Vec<String> {
    let lines = |learner: &'static Learner| {
        learner.learnt().into_iter().map(move |(class, way, times)| learner.name.words(class, way, times))
    };
    learners().flat_map(lines).collect()
}

/// The first words of a file: later versions may write another format.
const HEAD: &str = "libdvm regions 1: name line phase class way plain-ns tiled-ns";

fn write(path: &Path) -> std::io::Result<()> {
    let _growing = GROWING.lock();
    let mut text = format!("{HEAD}\n");
    let mut line = |RecordName { region, line, phase }: &RecordName, class: usize, way, [plain, tiled]: [u64; 2]| {
        let way = if way == RegionWay::Plain { "plain" } else { "tiled" };
        let _ = writeln!(text, "{region} {line} {phase} {class} {way} {plain} {tiled}");
    };
    for learner in learners() {
        learner.learnt().into_iter().for_each(|(class, way, times)| line(&learner.name, class, way, times));
    }
    // What this program has not met stays.
    for (name, tuners) in KEPT.lock().iter().flatten() {
        for (class, way, times) in tuners.iter().filter_map(|(class, tuner)| tuner.learnt().map(|(w, t)| (class, w, t)))
        {
            line(name, *class, way, times);
        }
    }
    let new = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&new, text)?;
    std::fs::rename(&new, path)
}

/// What a file says; lines that are not understood count as absent.
fn read(call: &Call, path: &Path) -> Kept {
    let Ok(text) = std::fs::read_to_string(path) else { return Kept::new() };
    let mut kept = Kept::new();
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        call.engine().config().note(|| format!("DVM_TUNE_FILE: {} is not in this version's format", path.display()));
        return kept;
    }
    for (name, class, tuner) in lines.filter_map(parse) {
        kept.entry(name).or_default().push((class, tuner));
    }
    kept
}

fn parse(line: &str) -> Option<(RecordName, usize, Tuner)> {
    let mut words = line.split(' ');
    let mut next = || words.next();
    let region = next()?.to_owned();
    let name = RecordName { region, line: next()?.parse().ok()?, phase: next()?.parse().ok()? };
    let class = next()?.parse().ok().filter(|class| *class < CLASSES)?;
    let way = match next()? {
        "plain" => RegionWay::Plain,
        "tiled" => RegionWay::Tiled,
        _ => return None,
    };
    let times = [next()?.parse().ok()?, next()?.parse().ok()?];
    next().is_none().then(|| (name, class, Tuner::known(way, times)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_two() {
        assert_eq!([-5, 0, 1, 2, 3, 4, i64::MAX].map(class), [0, 0, 0, 1, 1, 2, 62]);
    }

    #[test]
    fn libdvm_waits_until_the_regions_have_had_more_work_than_its_start() {
        let entered = AtomicU64::new(0);
        let small = START as i64 / 8;
        assert_eq!((0..10).filter(|_| waits(&entered, small)).count(), 7, "seven eighths");
        let entered = AtomicU64::new(0);
        assert!(waits(&entered, 0) && waits(&entered, i64::MIN), "no work");
        assert!(!waits(&AtomicU64::new(0), START as i64), "one long entry");
        assert!(!waits_to_start(1, true), "somebody wants tiles");
    }

    #[test]
    fn the_time_of_a_point_is_that_of_one_tile_by_its_points() {
        let name = RecordName { region: "r".to_owned(), line: 1, phase: 0 };
        let learner = Learner { name, tuners: Mutex::new([None; CLASSES]), sizes: Mutex::new(None) };
        assert_eq!(learner.point_time(484), 1, "nothing is known");
        let entry = learner.enter(484);
        assert_eq!((entry.way, entry.class), (RegionWay::Plain, 8));
        learner.tuners.lock()[8].as_mut().expect("entered").took(RegionWay::Plain, 70_000);
        assert_eq!(learner.point_time(484), 256, "of 273, by 2^8 points");
        assert_eq!(learner.point_time(512), 1, "another amount of work");
        let cost = |point, processes| TileCost { point, processes };
        learner.keep_sizes(&[22, 22], &[0, 0], cost(256, 1), &[2, 22]);
        assert_eq!(learner.known_sizes(&[22, 22], &[0, 0], cost(256, 1)), Some(vec![2, 22]));
        assert_eq!(learner.known_sizes(&[22, 22], &[0, 0], cost(1, 1)), None, "asked again");
        assert_eq!(learner.known_sizes(&[22, 22], &[0, 0], cost(256, 2)), None, "for several processes");
    }

    #[test]
    fn a_line_of_the_file_is_read_as_it_was_written_and_others_are_left_out() {
        let (name, class, tuner) = parse("r 12 -1 20 tiled 900 500").expect("a line");
        assert_eq!((name.region.as_str(), name.line, name.phase, class), ("r", 12, -1, 20));
        assert_eq!(tuner.learnt(), Some((RegionWay::Tiled, [900, 500])));
        assert_eq!(
            name.words(class, RegionWay::Tiled, [900, 500]),
            "region 'r' (line 12), 2^20 iterations: tiles, 0.5 us (the original loops: 0.9 us)"
        );
        for wrong in ["", "r 12 -1 64 tiled 1 2", "r 1 0 3 best 1 2", "r 1 0 3 plain 1", "r 1 0 3 plain 1 2 3"] {
            assert!(parse(wrong).is_none(), "{wrong}");
        }
    }
}
