//! rayon's programs: the works that it can do, run as processes of their own like those of all others.

use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use rayon::prelude::*;
use rayon::{Scope, ThreadPool};

const DATA: usize = 1024;
const WIDTH: usize = 64;
const WARM_UP: usize = 8;

/// Each thread counts the tasks that it ran; the sum is taken while none runs.
#[repr(align(64))]
struct Counter(AtomicU64);

static COUNTERS: [Counter; 1024] = [const { Counter(AtomicU64::new(0)) }; 1024];

thread_local! {
    static MINE: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn ran() {
    let mut mine = MINE.get();
    if mine == usize::MAX {
        mine = rayon::current_thread_index().map_or(0, |index| (index + 1) % COUNTERS.len());
        MINE.set(mine);
    }
    let counter = &COUNTERS[mine].0;
    counter.store(counter.load(Relaxed) + 1, Relaxed);
}

fn total() -> u64 {
    COUNTERS.iter().map(|counter| counter.0.swap(0, Relaxed)).sum()
}

/// Does a work and prints the line of JSON.
pub fn main(program: &str, workers: usize, size: usize, variant: &str) -> Result<(), String> {
    let threads = if program == "memory" { 1 } else { workers };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    let warm_up = (size / WARM_UP).max(1);
    let passes = if program == "memory" { vec![size] } else { vec![warm_up, size] };
    let mut line = String::new();
    for size in passes {
        let (tasks, seconds) = match (program, variant) {
            ("independent" | "memory", _) => (size as u64, independent(&pool, size)),
            ("chain", _) => (size as u64, chain(&pool, size)?),
            ("tree", "join") => ((2 << size) - 1, timed(&pool, || node(size))),
            ("tree", "join-datum") => ((2 << size) - 1, timed(&pool, || node_on(Box::new(size)))),
            ("tree", "datum") => {
                ((2 << size) - 1, timed(&pool, || rayon::scope(|scope| spawner_on(scope, Box::new(size)))))
            }
            ("tree", _) => ((2 << size) - 1, timed(&pool, || rayon::scope(|scope| spawner(scope, size)))),
            ("graph", _) => ((size * WIDTH) as u64, stencil(&pool, size, workers)?),
            _ => return Err(format!("rayon has no program `{program}`")),
        };
        let ran = total();
        if ran != tasks {
            return Err(format!("{ran} tasks ran, not {tasks}"));
        }
        let ns = 1e9 * seconds / tasks as f64;
        // `join` calls its first function itself.
        let deferred = !variant.starts_with("join");
        line = format!("{{\"ns\":{ns:.4},\"tasks\":{tasks},\"deferred\":{deferred},\"peak_kib\":{}}}", peak_kib());
    }
    println!("{line}");
    Ok(())
}

fn timed(pool: &ThreadPool, body: impl FnOnce() + Send) -> f64 {
    pool.install(|| {
        let began = Instant::now();
        body();
        began.elapsed().as_secs_f64()
    })
}

fn independent(pool: &ThreadPool, tasks: usize) -> f64 {
    let data = [0_u64; DATA];
    let data = &data;
    timed(pool, || {
        rayon::scope(|scope| {
            for i in 0..tasks {
                scope.spawn(move |_| {
                    black_box(&data[i % DATA]);
                    ran();
                });
            }
        });
    })
}

fn chain(pool: &ThreadPool, tasks: usize) -> Result<f64, String> {
    fn link<'scope>(scope: &Scope<'scope>, datum: &'scope AtomicU64, left: usize) {
        datum.store(datum.load(Relaxed) + 1, Relaxed);
        ran();
        if left > 1 {
            scope.spawn(move |scope| link(scope, datum, left - 1));
        }
    }
    let datum = AtomicU64::new(0);
    let seconds = timed(pool, || rayon::scope(|scope| link(scope, &datum, tasks)));
    let value = datum.into_inner();
    if value == tasks as u64 { Ok(seconds) } else { Err(format!("the datum is {value}, not {tasks}")) }
}

fn spawner(scope: &Scope<'_>, levels: usize) {
    ran();
    if levels > 0 {
        scope.spawn(move |scope| spawner(scope, levels - 1));
        scope.spawn(move |scope| spawner(scope, levels - 1));
    }
}

#[allow(clippy::boxed_local, clippy::needless_pass_by_value, reason = "each task owns a datum")]
fn spawner_on(scope: &Scope<'_>, datum: Box<usize>) {
    ran();
    if *datum > 0 {
        let (left, right) = (Box::new(*datum - 1), Box::new(*datum - 1));
        scope.spawn(move |scope| spawner_on(scope, left));
        scope.spawn(move |scope| spawner_on(scope, right));
    }
}

fn node(levels: usize) {
    ran();
    if levels > 0 {
        rayon::join(|| node(levels - 1), || node(levels - 1));
    }
}

#[allow(clippy::boxed_local, clippy::needless_pass_by_value, reason = "each task owns a datum")]
fn node_on(datum: Box<usize>) {
    ran();
    if *datum > 0 {
        let (left, right) = (Box::new(*datum - 1), Box::new(*datum - 1));
        rayon::join(|| node_on(left), || node_on(right));
    }
}

/// A parallel loop in each step.
fn stencil(pool: &ThreadPool, steps: usize, workers: usize) -> Result<f64, String> {
    let first: Vec<u64> = (1..=WIDTH as u64).collect();
    let mut rows = [first.clone(), vec![0; WIDTH]];
    let seconds = timed(pool, || {
        for _ in 0..steps {
            let [from, to] = &mut rows;
            let block = WIDTH.div_ceil(workers);
            to.par_chunks_mut(block).enumerate().for_each(|(index, chunk)| {
                for (offset, value) in chunk.iter_mut().enumerate() {
                    *value = black_box(point)(from, index * block + offset);
                    ran();
                }
            });
            rows.swap(0, 1);
        }
    });
    let expected = (0..steps).fold(first, |row, _| (0..WIDTH).map(|i| point(&row, i)).collect());
    if rows[0] == expected { Ok(seconds) } else { Err("the stencil's values are wrong".into()) }
}

fn point(row: &[u64], i: usize) -> u64 {
    let neighbours = row[(i + WIDTH - 1) % WIDTH].wrapping_add(row[(i + 1) % WIDTH]);
    neighbours.wrapping_add(row[i]).wrapping_add(1)
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|text| text.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
