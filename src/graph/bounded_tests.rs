//! Random graphs whose coordinates bound each other, against an enumeration of their boxes.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::callbacks::Callbacks;
use super::running::{Host, Running};
use super::space::Space;
use super::tests::passed;
use testkit::Random;

struct Threads(Vec<Vec<u32>>);

impl Host for Threads {
    fn neighbours(&self, worker: usize) -> &[u32] {
        &self.0[worker]
    }
    fn work_ready(&self) {}
}

/// A graph: coordinate k from 1 on lies in `slope * coordinate before it + start ..= that + length`.
struct Scene {
    space: Space,
    carried: Vec<bool>,
    slopes: Vec<i64>,
    starts: Vec<i64>,
    lengths: Vec<i64>,
    /// Numbers divisible by this have nothing to run.
    hole: u64,
    runs: Vec<AtomicU32>,
    early: AtomicU64,
    calls: AtomicU64,
}

impl Scene {
    fn ends(&self, k: usize, tile: &[i64]) -> [i64; 2] {
        let least = self.slopes[k] * tile[k - 1] + self.starts[k];
        [least, least + self.lengths[k]]
    }

    fn holds(&self, tile: &[i64]) -> bool {
        (1..tile.len()).all(|k| (self.ends(k, tile)[0]..=self.ends(k, tile)[1]).contains(&tile[k]))
    }

    fn exists(&self, number: u64) -> bool {
        self.hole == 0 || !number.is_multiple_of(self.hole)
    }

    /// Tiles that run before this one: all that a chain of unit steps in the graph leads to it.
    fn before(&self, number: u64, all: &mut Vec<u64>) {
        let tile = self.space.tile(number);
        for k in (0..self.space.dimension()).filter(|&k| self.carried[k] && self.space.index(&tile, k) > 0) {
            let mut before = tile;
            before[k] -= 1;
            if self.holds(&before[..self.space.dimension()]) {
                let number = number - self.space.stride(k);
                if self.exists(number) { all.push(number) } else { self.before(number, all) }
            }
        }
    }
}

fn scene<'a>(context: *mut c_void, tile: *const i64) -> (&'a Scene, &'a [i64]) {
    let (scene, tile, _) = passed((context, tile, null_mut()), |scene: &Scene| scene.space.dimension());
    (scene, tile)
}

unsafe extern "C" fn run(context: *mut c_void, tile: *const i64) -> c_int {
    let (scene, tile) = scene(context, tile);
    let number = scene.space.number(tile).expect("a point of the box");
    let mut before = Vec::new();
    scene.before(number, &mut before);
    if before.iter().any(|&n| scene.runs[n as usize].load(Ordering::Relaxed) == 0) {
        scene.early.fetch_add(1, Ordering::Relaxed);
    }
    scene.runs[number as usize].fetch_add(1, Ordering::Relaxed);
    0
}

unsafe extern "C" fn bounds(context: *mut c_void, coordinate: i64, tile: *const i64, ends: *mut i64) {
    let (scene, tile, ends) = passed((context, tile, ends), |scene: &Scene| scene.space.dimension());
    scene.calls.fetch_add(1, Ordering::Relaxed);
    let narrow = scene.ends(coordinate as usize, tile);
    let ends = ends.expect("a place");
    *ends = [ends[0].max(narrow[0]), ends[1].min(narrow[1])];
}

unsafe extern "C" fn exists(context: *mut c_void, tile: *const i64) -> c_int {
    let (scene, tile) = scene(context, tile);
    c_int::from(scene.exists(scene.space.number(tile).expect("a point of the box")))
}

fn execute(scene: &Scene, workers: usize) {
    let context = std::ptr::from_ref(scene).cast_mut().cast();
    // SAFETY: the functions only use atomics of the scene, which outlives the graph.
    let callbacks = unsafe {
        Callbacks::new(context, scene.space.dimension(), run, None, None)
            .with_shape(Some(bounds), (scene.hole > 0).then_some(exists))
    };
    let graph = Running::new("g".into(), scene.space.clone(), &scene.carried, callbacks, workers);
    let others = |worker: u32| (0..workers as u32).filter(|&other| other != worker).collect();
    let host = Threads((0..workers as u32).map(others).collect());
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (graph, host, over) = (&graph, &host, &over);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    if !graph.poll(worker, host) {
                        std::thread::yield_now();
                    }
                }
            });
        }
        let result = graph.wait();
        over.store(true, Ordering::Relaxed);
        result.expect("the graph ends");
    });
}

fn new_scene(lower: &[i64], upper: &[i64], carried: Vec<bool>, shape: [Vec<i64>; 3], hole: u64) -> Scene {
    let space = Space::new(lower, upper).expect("space");
    let runs = (0..space.volume()).map(|_| AtomicU32::new(0)).collect();
    let [slopes, starts, lengths] = shape;
    let (early, calls) = (AtomicU64::new(0), AtomicU64::new(0));
    Scene { space, carried, slopes, starts, lengths, hole, runs, early, calls }
}

#[test]
fn the_points_within_the_ends_run_once_and_in_order() {
    for mut random in testkit::seeds(300).map(Random::new) {
        let dimension = 1 + random.below(4);
        let lower: Vec<i64> = (0..dimension).map(|_| random.between(-4, 4)).collect();
        let upper: Vec<i64> = lower.iter().map(|low| low + random.between(-1, 7)).collect();
        let carried: Vec<bool> = (0..dimension).map(|_| !random.one_in(3)).collect();
        let mut list = |least, greatest| (0..dimension).map(|_| random.between(least, greatest)).collect::<Vec<i64>>();
        let shape = [list(-1, 2), list(-3, 3), list(-1, 6)];
        let (hole, workers) = (random.below(4) as u64, 1 + random.below(4));
        let scene = new_scene(&lower, &upper, carried, shape, hole);
        execute(&scene, workers);
        for number in 0..scene.space.volume() {
            let wanted = scene.holds(&scene.space.tile(number)[..dimension]) && scene.exists(number);
            let runs = scene.runs[number as usize].load(Ordering::Relaxed);
            assert_eq!(runs, u32::from(wanted), "{lower:?} {upper:?} {:?} hole {hole}", scene.space.tile(number));
        }
        assert_eq!(scene.early.load(Ordering::Relaxed), 0, "order");
    }
}

/// A thin band in a large box: the time follows its points.
#[test]
fn points_outside_the_ends_cost_nothing() {
    let last = 400;
    for carried in [true, false] {
        let shape = [vec![0, 1, 1], vec![0; 3], vec![0, 1, 1]];
        let scene = new_scene(&[0; 3], &[last; 3], vec![carried; 3], shape, 0);
        execute(&scene, 2);
        let ran = scene.runs.iter().filter(|runs| runs.load(Ordering::Relaxed) == 1).count() as u64;
        assert!(ran > last as u64 && ran < 5 * last as u64, "{ran}");
        let calls = scene.calls.load(Ordering::Relaxed);
        assert!(calls < 60 * ran, "{calls} calls for {ran} tiles");
    }
}
