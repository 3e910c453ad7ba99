//! Random graphs run by plain threads: every tile once, after all its predecessors.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use super::callbacks::{Callbacks, Predecessors, Visit};
use super::running::{Host, Running};
use super::space::Space;
use testkit::Random;

/// Workers without an engine.
struct Threads(Vec<Vec<u32>>);

impl Threads {
    fn new(workers: u32) -> Self {
        Self((0..workers).map(|w| (0..workers).filter(|&v| v != w).collect()).collect())
    }
}

impl Host for Threads {
    fn neighbours(&self, worker: usize) -> &[u32] {
        &self.0[worker]
    }
    fn work_ready(&self) {}
}

/// The context of the C callbacks in the tests.
struct Scene {
    space: Space,
    carried: Vec<bool>,
    /// How often each tile has run.
    runs: Vec<AtomicU32>,
    /// Tiles that ran before one of their predecessors.
    early: AtomicU64,
    /// A value per tile, computed from its predecessors' values: plain memory, ordered only by the graph's edges.
    values: Vec<UnsafeCell<u64>>,
    fails_at: Option<u64>,
    /// Holes: numbers divisible by this are not tiles (for graphs that give their edges).
    hole: u64,
    /// The numbers of a tile's successors, where the graph tells its edges.
    after: fn(&Scene, u64) -> Vec<u64>,
}

impl Scene {
    fn is_tile(&self, number: u64) -> bool {
        self.hole == 0 || number % self.hole != self.hole - 1
    }

    fn before(&self, number: u64) -> Vec<u64> {
        let tile = self.space.tile(number);
        let steps = (0..self.space.dimension()).filter(|&k| self.carried[k] && self.space.index(&tile, k) > 0);
        steps.map(|k| number - self.space.stride(k)).filter(|&n| self.is_tile(n)).collect()
    }

    fn after(&self, number: u64) -> Vec<u64> {
        let tile = self.space.tile(number);
        let inside = |k: usize| self.space.index(&tile, k) + 1 < self.space.extent(k);
        let steps = (0..self.space.dimension()).filter(|&k| self.carried[k] && inside(k));
        steps.map(|k| number + self.space.stride(k)).filter(|&n| self.is_tile(n)).collect()
    }

    fn callbacks(&self, tells_edges: bool) -> Callbacks {
        self.with_edges(tells_edges.then_some(predecessors))
    }

    fn with_edges(&self, before: Option<Predecessors>) -> Callbacks {
        let context = std::ptr::from_ref(self).cast_mut().cast();
        let after = before.map(|_| successors as _);
        // SAFETY: the functions below only use atomics of the scene, which outlives the graph in every test.
        unsafe { Callbacks::new(context, self.space.dimension(), run, before, after) }
    }
}

/// What a test's function is passed: its scene, the coordinates of a tile, and a place for two ends.
pub(super) fn passed<'a, S>(
    (context, tile, ends): (*mut c_void, *const i64, *mut i64),
    dimension: impl Fn(&S) -> usize,
) -> (&'a S, &'a [i64], Option<&'a mut [i64; 2]>) {
    // SAFETY: the tests pass a scene as context, tiles of its dimension, and no place or one for two numbers.
    unsafe {
        let scene = &*context.cast::<S>();
        (scene, std::slice::from_raw_parts(tile, dimension(scene)), ends.cast::<[i64; 2]>().as_mut())
    }
}

fn scene<'a>(context: *mut c_void, tile: *const i64) -> (&'a Scene, u64) {
    let (scene, tile, _) = passed((context, tile, std::ptr::null_mut()), |scene: &Scene| scene.space.dimension());
    (scene, scene.space.number(tile).expect("a tile of the box"))
}

unsafe extern "C" fn run(context: *mut c_void, tile: *const i64) -> c_int {
    let (scene, number) = scene(context, tile);
    if scene.before(number).iter().any(|&n| scene.runs[n as usize].load(Ordering::Relaxed) == 0) {
        scene.early.fetch_add(1, Ordering::Relaxed);
    }
    let inputs = scene.before(number).into_iter();
    // SAFETY: the predecessors have run, and nobody else writes this tile's value: what the test is about.
    unsafe {
        let sum = inputs.fold(number, |sum, n| sum.wrapping_mul(3).wrapping_add(*scene.values[n as usize].get()));
        *scene.values[number as usize].get() = sum;
    }
    scene.runs[number as usize].fetch_add(1, Ordering::Relaxed);
    c_int::from(scene.fails_at == Some(number)) * 42
}

unsafe extern "C" fn predecessors(context: *mut c_void, tile: *const i64) -> i64 {
    let (scene, number) = scene(context, tile);
    if scene.is_tile(number) { scene.before(number).len() as i64 } else { -1 }
}

unsafe extern "C" fn successors(context: *mut c_void, tile: *const i64, visit: Visit, visitor: *mut c_void) {
    let (scene, number) = scene(context, tile);
    for next in (scene.after)(scene, number) {
        // SAFETY: the graph passed this pair of function and visitor for exactly this call.
        unsafe { visit(visitor, scene.space.tile(next).as_ptr()) };
    }
}

fn execute(scene: &Scene, tells_edges: bool, workers: usize) -> Result<(), crate::error::Error> {
    let host = &Threads::new(workers as u32);
    let graph = Running::new("g".into(), scene.space.clone(), &scene.carried, scene.callbacks(tells_edges), workers);
    let over = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let graph = &graph;
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
        result
    })
}

fn new_scene(lower: &[i64], upper: &[i64], carried: Vec<bool>, hole: u64) -> Scene {
    let space = Space::new(lower, upper).expect("space");
    let runs = (0..space.volume()).map(|_| AtomicU32::new(0)).collect();
    let values = (0..space.volume()).map(|_| UnsafeCell::new(0)).collect();
    Scene { space, carried, runs, early: AtomicU64::new(0), values, fails_at: None, hole, after: Scene::after }
}

/// The values of all tiles, computed sequentially.
fn sequential(scene: &Scene) -> Vec<u64> {
    let mut values: Vec<u64> = Vec::new();
    for number in 0..scene.space.volume() {
        let inputs = if scene.is_tile(number) { scene.before(number) } else { Vec::new() };
        let sum = inputs.into_iter().fold(number, |sum, n| sum.wrapping_mul(3).wrapping_add(values[n as usize]));
        values.push(if scene.is_tile(number) { sum } else { 0 });
    }
    values
}

#[test]
fn every_tile_runs_once_and_in_order() {
    for mut random in testkit::seeds(400).map(Random::new) {
        let dimension = random.below(5);
        let lower: Vec<i64> = (0..dimension).map(|_| random.between(-4, 4)).collect();
        let upper: Vec<i64> = lower.iter().map(|low| low + random.between(-1, 6)).collect();
        let carried: Vec<bool> = (0..dimension).map(|_| !random.one_in(3)).collect();
        let (tells_edges, workers) = (random.one_in(2), 1 + random.below(4));
        let hole = if tells_edges && random.one_in(2) { random.between(2, 6) as u64 } else { 0 };
        let scene = new_scene(&lower, &upper, carried, hole);
        execute(&scene, tells_edges, workers).expect("graph");
        let wrong = (0..scene.space.volume())
            .find(|&n| scene.runs[n as usize].load(Ordering::Relaxed) != u32::from(scene.is_tile(n)));
        assert_eq!(wrong, None, "{lower:?} {upper:?} {:?} hole {hole} workers {workers}", scene.carried);
        assert_eq!(scene.early.load(Ordering::Relaxed), 0, "order");
        let expected = sequential(&scene);
        let values: Vec<u64> = scene.values.into_iter().map(UnsafeCell::into_inner).collect();
        assert_eq!(values, expected, "values");
    }
}

#[test]
fn a_failed_tile_stops_the_graph_and_says_where() {
    for tells_edges in [false, true] {
        let mut scene = new_scene(&[0, 0], &[30, 30], vec![true, true], 0);
        scene.fails_at = scene.space.number(&[10, 10]);
        let error = execute(&scene, tells_edges, 3).expect_err("fails");
        assert!(error.message().contains("tile [10, 10] failed with code 42"), "{}", error.message());
        let after = scene.space.number(&[11, 10]).expect("inside") as usize;
        assert_eq!(scene.runs[after].load(Ordering::Relaxed), 0);
    }
}

#[test]
fn independent_tiles_stop_at_a_failure_too() {
    let mut scene = new_scene(&[0], &[1_000_000], vec![false], 0);
    scene.fails_at = Some(3);
    execute(&scene, false, 1).expect_err("fails");
    assert_eq!(scene.runs[5].load(Ordering::Relaxed), 0);
}

/// Another worker takes the tile that a worker kept for its next turn, if that turn does not come.
#[test]
fn a_chain_goes_on_elsewhere_when_its_worker_stays_away() {
    for tells_edges in [false, true] {
        let scene = new_scene(&[0], &[99], vec![true], 0);
        let graph = Running::new("g".into(), scene.space.clone(), &scene.carried, scene.callbacks(tells_edges), 2);
        let host = Threads::new(2);
        let ran = || scene.runs.iter().filter(|times| times.load(Ordering::Relaxed) > 0).count();
        assert!(graph.poll(0, &host));
        assert!((1..100).contains(&ran()), "{}", ran());
        for _ in 0..100_000 {
            graph.poll(1, &host);
        }
        assert_eq!(ran(), 100);
        while graph.poll(1, &host) || graph.poll(0, &host) {}
        graph.wait().expect("graph");
    }
}

/// Missing announcements of predecessors: the graph ends with an error instead of hanging.
#[test]
fn edges_that_disagree_are_an_error() {
    let cases: [fn(&Scene, u64) -> Vec<u64>; 2] = [nobody, |_, number| if number == 0 { vec![3] } else { Vec::new() }];
    for after in cases {
        let mut scene = new_scene(&[0, 0], &[1, 1], vec![true, true], 0);
        scene.after = after;
        let graph = Running::new("g".into(), scene.space.clone(), &scene.carried, scene.callbacks(true), 1);
        while graph.poll(0, &Threads::new(1)) {}
        assert!(graph.wait().is_err());
    }
}

/// Tiles with unannounced predecessors, in a graph without a root, once counted as a success.
#[test]
fn a_graph_that_runs_no_tile_for_want_of_roots_is_an_error() {
    assert_disagreement(waits_for_one, nobody, "tiles have predecessors");
}

/// Tiles announced as successors that claim to have no predecessors once ran again and again.
#[test]
fn a_successor_without_predecessors_is_an_error() {
    assert_disagreement(waits_for_none, Scene::after, "has no predecessors");
}

/// A cycle behind a root once never ended.
#[test]
fn a_cycle_behind_a_root_is_an_error() {
    assert_disagreement(all_but_the_first_wait, there_and_back, "has a cycle");
}

unsafe extern "C" fn waits_for_one(_: *mut c_void, _: *const i64) -> i64 {
    1
}

unsafe extern "C" fn waits_for_none(_: *mut c_void, _: *const i64) -> i64 {
    0
}

unsafe extern "C" fn all_but_the_first_wait(context: *mut c_void, tile: *const i64) -> i64 {
    i64::from(scene(context, tile).1 != 0)
}

fn nobody(_: &Scene, _: u64) -> Vec<u64> {
    Vec::new()
}

fn there_and_back(_: &Scene, number: u64) -> Vec<u64> {
    vec![if number == 1 { 2 } else { 1 }]
}

fn assert_disagreement(before: Predecessors, after: fn(&Scene, u64) -> Vec<u64>, message: &str) {
    let mut scene = new_scene(&[0, 0], &[1, 1], vec![true, true], 0);
    scene.after = after;
    let callbacks = scene.with_edges(Some(before));
    let graph = Running::new("g".into(), scene.space.clone(), &scene.carried, callbacks, 1);
    while graph.poll(0, &Threads::new(1)) {}
    let error = graph.wait().expect_err("the edges do not agree");
    assert!(error.message().contains(message), "{}", error.message());
}
