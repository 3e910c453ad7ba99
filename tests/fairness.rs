//! No task starves behind others, whatever makes these. Waits are counted in tasks, as in the bound of `dvm_sched_near`.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

mod support;

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use dvm::ffi::c_functions::{dvm_graph_run, dvm_graph_t};
use support::*;

/// The header's bound: each of n ready tasks begins before this many times n + 2 others.
const ROUND: u64 = 256;

/// So many tasks of the endless kind end it all the same, when they have taken so long: then the test fails instead of hanging. Both,
/// because a thread of the program that is to schedule the others may lose the processor for a while.
const ENOUGH: u64 = 3_000_000;
const LONG: Duration = Duration::from_secs(5);

/// Tasks that wait for their turn.
const VICTIMS: usize = 20;

/// How endless tasks follow one another.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Endless {
    /// A near task without arguments schedules itself.
    Near,
    /// A near task with a datum does.
    NearData,
    /// A placed task does.
    Placed,
    /// The links of a pipeline, each of which schedules the next one on its own output.
    Pipeline,
    /// The same, placed.
    PlacedPipeline,
    /// A near task schedules two others, the first of which ends.
    Pairs,
}

/// Where the waiting tasks lie.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lies {
    /// Scheduled by a task of the worker, before the endless ones.
    Kept,
    /// The same, with a datum.
    KeptData,
    /// Scheduled by a thread of the program.
    Mailed,
    /// Placed by a thread of the program.
    Placed,
    /// Tiles of a graph.
    Graph,
}

/// How many endless tasks each worker has run.
struct Counts {
    workers: Vec<(Rank, AtomicU64)>,
    all: AtomicU64,
    through: AtomicUsize,
    over: AtomicBool,
    begun: Instant,
    given_up: AtomicBool,
}

impl Counts {
    fn here(&self) -> usize {
        let here = here();
        self.workers.iter().position(|(rank, _)| *rank == here).unwrap()
    }
    /// Counts a task; whether another follows.
    fn another(&self) -> bool {
        self.workers[self.here()].1.fetch_add(1, Ordering::Relaxed);
        if self.all.fetch_add(1, Ordering::Relaxed) >= ENOUGH && self.begun.elapsed() >= LONG && !self.over() {
            self.given_up.store(true, Ordering::Relaxed);
        }
        !self.over() && !self.given_up()
    }
    fn over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }
    fn given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }
    fn now(&self) -> Vec<u64> {
        self.workers.iter().map(|(_, count)| count.load(Ordering::Relaxed)).collect()
    }
    /// Counts a waiting task that ran.
    fn got_through(&self, most: usize) {
        if self.through.fetch_add(1, Ordering::AcqRel) + 1 == most {
            self.over.store(true, Ordering::Release);
        }
    }
}

/// Starts endless tasks.
fn endless(kind: Endless, counts: &Arc<Counts>) -> Box<dyn Fn() + Send + Sync> {
    let me: Arc<OnceLock<Id>> = Arc::default();
    let (mine, counts) = (me.clone(), counts.clone());
    let modes: &[c_int] = match kind {
        Endless::Near | Endless::Placed | Endless::Pairs => &[],
        Endless::NearData => &[IN],
        Endless::Pipeline | Endless::PlacedPipeline => &[IN, OUT],
    };
    let quick = processing(&[], c"quick", |_| 0);
    let id = processing(modes, c"endless", move |ids| {
        let another = counts.another();
        let me = *mine.get().unwrap();
        match kind {
            _ if !another => {}
            Endless::Near => near(me, &[]).unwrap(),
            Endless::NearData => near(me, &[number(0)]).unwrap(),
            Endless::Placed => onto(here(), me, &[]).unwrap(),
            Endless::Pairs => {
                near(me, &[]).unwrap();
                near(quick, &[]).unwrap();
            }
            Endless::Pipeline | Endless::PlacedPipeline => {
                let after = next(ids[1]).unwrap();
                let arguments = [ids[1], after];
                if kind == Endless::Pipeline { near(me, &arguments) } else { onto(here(), me, &arguments) }.unwrap();
                return 0;
            }
        }
        ids.get(1).map_or(0, |&id| c_int::from(relax(id).is_err()))
    });
    me.set(id).unwrap();
    Box::new(move || match kind {
        Endless::Near | Endless::Pairs => near(id, &[]).unwrap(),
        Endless::NearData => near(id, &[number(0)]).unwrap(),
        Endless::Placed => onto(here(), id, &[]).unwrap(),
        Endless::Pipeline | Endless::PlacedPipeline => {
            let first = number(0);
            let arguments = [first, next(first).unwrap()];
            if kind == Endless::Pipeline { near(id, &arguments) } else { onto(here(), id, &arguments) }.unwrap();
        }
    })
}

unsafe extern "C" fn tile(context: *mut c_void, _: *const i64) -> c_int {
    unsafe { &*context.cast::<Counts>() }.got_through(VICTIMS);
    0
}

fn run_graph(counts: &Arc<Counts>) {
    let (lower, upper) = ([0], [VICTIMS as i64 - 1]);
    let graph = dvm_graph_t {
        size: size_of::<dvm_graph_t>(),
        name: c"victims".as_ptr(),
        dimension: 1,
        lower: lower.as_ptr(),
        upper: upper.as_ptr(),
        carried: ptr::null(),
        run: Some(tile),
        predecessors: None,
        successors: None,
        context: Arc::as_ptr(counts).cast_mut().cast(),
        bounds: None,
        exists: None,
    };
    assert_eq!(unsafe { dvm_graph_run(&raw const graph) }, Code::DVM_SUCCESS);
}

/// One case. `Err` says how long a task has waited.
fn case(kind: Endless, lies: Lies, count: usize) -> Result<(), String> {
    workers(count);
    init().unwrap();
    let ranks: Vec<Rank> = (0..count as u64).map(rank_at).collect();
    let counts = Arc::new(Counts {
        workers: ranks.iter().map(|&rank| (rank, AtomicU64::new(0))).collect(),
        all: AtomicU64::new(0),
        through: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        begun: Instant::now(),
        given_up: AtomicBool::new(false),
    });
    // When the tasks became ready, and the longest wait.
    let since: Arc<OnceLock<Vec<u64>>> = Arc::default();
    let longest = Arc::new(Mutex::new(0));
    let victim = |modes: &[c_int]| {
        let (counts, since, longest) = (counts.clone(), since.clone(), longest.clone());
        processing(modes, c"victim", move |_| {
            let worker = counts.here();
            let waited = counts.now()[worker] - since.get().unwrap()[worker];
            let mut longest = longest.lock().unwrap();
            *longest = waited.max(*longest);
            drop(longest);
            counts.got_through(VICTIMS);
            0
        })
    };
    let (bare, with_datum) = (victim(&[]), victim(&[IN]));
    let begins: Vec<_> = ranks.iter().map(|_| endless(kind, &counts)).collect();
    let begun = Arc::new(AtomicUsize::new(0));
    let (there, theirs, ready) = (begun.clone(), counts.clone(), since.clone());
    let start = processing(&[IN], c"start", move |ids| {
        let worker = value(ids[0]).unwrap() as usize;
        // Each worker's endless tasks stay with it: no worker idles before all have some.
        there.fetch_add(1, Ordering::AcqRel);
        while there.load(Ordering::Acquire) < count {
            std::thread::yield_now();
        }
        if worker == 0 {
            ready.get_or_init(|| theirs.now());
            for _ in 0..VICTIMS {
                match lies {
                    Lies::Kept => near(bare, &[]).unwrap(),
                    Lies::KeptData => near(with_datum, &[number(1)]).unwrap(),
                    _ => {}
                }
            }
        }
        begins[worker]();
        0
    });
    for (worker, &rank) in ranks.iter().enumerate() {
        onto(rank, start, &[number(worker as u64)]).unwrap();
    }
    if !matches!(lies, Lies::Kept | Lies::KeptData) {
        while counts.now().iter().any(|&ran| ran < 1000) && !counts.given_up() {
            std::thread::yield_now();
        }
    }
    match lies {
        Lies::Mailed => (0..VICTIMS).for_each(|_| near(bare, &[]).unwrap()),
        Lies::Placed => (0..VICTIMS).for_each(|_| onto(ranks[0], bare, &[]).unwrap()),
        Lies::Graph => run_graph(&counts),
        Lies::Kept | Lies::KeptData => {}
    }
    let told = !counts.given_up();
    wait().unwrap();
    finalize().unwrap();
    assert_eq!(counts.through.load(Ordering::Relaxed), VICTIMS);
    if lies == Lies::Graph {
        return if told { Ok(()) } else { Err(format!("{kind:?}, {count} workers: no tile has run")) };
    }
    // A thread outside does not know when a task becomes ready: its tasks count from the start.
    let waited = *longest.lock().unwrap();
    let most = ROUND * (VICTIMS as u64 + 2 + 3 * count as u64);
    let outside = matches!(lies, Lies::Mailed | Lies::Placed);
    if (outside && !counts.given_up()) || waited <= most {
        return Ok(());
    }
    Err(format!("{kind:?}, {lies:?}, {count} workers: one waited for {waited} others, {most} are allowed"))
}

#[test]
fn no_ready_task_waits_for_ever() {
    let _turn = turn();
    let mut failures = Vec::new();
    for kind in
        [Endless::Near, Endless::NearData, Endless::Placed, Endless::Pipeline, Endless::PlacedPipeline, Endless::Pairs]
    {
        for lies in [Lies::Kept, Lies::KeptData, Lies::Mailed, Lies::Placed, Lies::Graph] {
            for count in [1, 2] {
                // A placed task is behind those that were placed before it, and a placed start holds no near one back.
                if let Err(failure) = case(kind, lies, count) {
                    failures.push(failure);
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
