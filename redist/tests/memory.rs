//! Plans that find no memory: refused wherever an allocation fails, and what cannot be refused stays small.
//!
//! The allocator of this program tells what the planner can do without (`room::asks`) from the rest. It fails the n-th request
//! of the first kind, for all n, and adds up the second: an allocation of the standard library that fails ends the process, so
//! together they must stay small, however large the problem is.
#![allow(unsafe_code, reason = "an allocator")]
#![allow(clippy::cast_ptr_alignment, reason = "heads are aligned with their blocks")]
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

use dvm_redist::distribution::layouts::{block, block_cyclic, cyclic, halo, suffixed, whole};
use dvm_redist::plan::descriptor::Descriptor;
use dvm_redist::{Case, Dimension, Distribution, Figures, Options, Parameters, Plan, Strategy, Variable, room};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::{Duration, Instant};
use testkit::Random;

/// What cannot be refused takes no more bytes than this, in all.
const SMALL: usize = 32 << 10;

/// What the allocator puts before each block: its size while it counts, and whether it was asked for.
type Head = (usize, bool);

#[derive(Clone, Copy)]
struct Count {
    /// The bytes that there are, asked for and not.
    live: [usize; 2],
    /// The most that were not asked for.
    most: usize,
    /// The requests so far that were asked for.
    asked: u64,
    /// The request that fails first; all later ones fail, too, with `for_good`. 0: none fails.
    fails: u64,
    for_good: bool,
}

const NOTHING: Count = Count { live: [0; 2], most: 0, asked: 0, fails: 0, for_good: false };

thread_local! {
    static WATCHED: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<Count> = const { Cell::new(NOTHING) };
    /// Where too much was allocated that cannot be refused, once.
    static TOLD: Cell<bool> = const { Cell::new(false) };
}

struct Watching;

fn head(layout: Layout) -> usize {
    size_of::<Head>().next_multiple_of(layout.align())
}

fn with_head(layout: Layout) -> Layout {
    Layout::from_size_align(head(layout) + layout.size(), layout.align().max(align_of::<Head>())).unwrap()
}

/// Notes a request; false: it fails.
fn granted(size: usize) -> bool {
    let mut count = COUNT.get();
    let asks = room::asks();
    if asks {
        count.asked += 1;
        if count.fails > 0 && (count.asked == count.fails || (count.for_good && count.asked > count.fails)) {
            COUNT.set(count);
            return false;
        }
    }
    count.live[usize::from(asks)] += size;
    count.most = count.most.max(count.live[0]);
    COUNT.set(count);
    if count.live[0] > SMALL && !TOLD.replace(true) {
        WATCHED.set(false);
        eprintln!("{} bytes that cannot be refused:\n{}", count.live[0], std::backtrace::Backtrace::force_capture());
        WATCHED.set(true);
    }
    true
}

// SAFETY: the system's memory behind a head; the head is as long as the alignment needs.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let watched = WATCHED.get();
        if watched && !granted(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the layout has a size; the head lies before the block, and is aligned as its end is.
        unsafe {
            let whole = System.alloc(with_head(layout));
            assert!(!whole.is_null(), "the machine has memory");
            let block = whole.add(head(layout));
            block.cast::<Head>().sub(1).write((if watched { layout.size() } else { 0 }, room::asks()));
            block
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: a block that `alloc` gave, with its head.
        unsafe {
            let (size, asked) = block.cast::<Head>().sub(1).read();
            if size > 0 {
                let mut count = COUNT.get();
                count.live[usize::from(asked)] -= size;
                COUNT.set(count);
            }
            System.dealloc(block.sub(head(layout)), with_head(layout));
        }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// Runs `body` under the allocator's eyes, where its requests fail from one on.
fn watched<R>(fails: u64, for_good: bool, body: impl FnOnce() -> R) -> (R, Count) {
    COUNT.set(Count { fails, for_good, ..NOTHING });
    WATCHED.set(true);
    let result = body();
    WATCHED.set(false);
    (result, COUNT.get())
}

/// A plan in one form, so that two can be compared.
fn all(case: &Case, options: Options) -> dvm_redist::Result<(Figures, Vec<Descriptor>, Vec<Vec<i64>>)> {
    let plan = Plan::new(case, options)?;
    Ok((plan.figures.clone(), plan.descriptors()?, plan.missing_sample(4)?))
}

fn case(id: &str, source: Vec<Dimension>, target: Vec<Dimension>) -> Case {
    let side = |dimensions| Distribution { dimensions, layout: None };
    let parameters = Parameters::new();
    Case { id: id.to_owned(), parameters, family: None, element_size: 8, source: side(source), target: side(target) }
}

fn tile(variables: Vec<Variable>) -> Vec<Dimension> {
    vec![Dimension { offset: 0.into(), variables }]
}

/// Shapes of all kinds, `n` elements large.
fn cases(n: i64) -> Vec<Case> {
    let both = |a: Dimension, b: Dimension| vec![suffixed(a, "1"), suffixed(b, "2")];
    let root = n.isqrt();
    let linked = |text: String| text.parse::<Distribution>().unwrap().dimensions;
    // Values without a pattern, as bounds: what a table of numbers would say.
    let scattered = |p: i64| {
        let v = (0..p).map(|k| Variable::arch(&format!("p{k}"), [7, 31, 97, 211, 499][k as usize], 0, 2 + k));
        tile(v.chain([Variable::data("l", 1013, 0, n / 360)]).collect())
    };
    vec![
        case("block-cyclic to block", vec![block_cyclic(n, 7, 3).unwrap()], vec![block(n, 5).unwrap()]),
        case("cyclic to prime cyclic", vec![cyclic(n, 61).unwrap()], vec![cyclic(n, 67).unwrap()]),
        case("many processes", vec![block_cyclic(n, n / 8, 2).unwrap()], vec![cyclic(n, n / 16).unwrap()]),
        case("halo to cyclic", vec![halo(n, 9, 4, 5).unwrap()], vec![block_cyclic(n, 4, 5).unwrap()]),
        case("scattered", scattered(4), scattered(5)),
        case("held by all", vec![whole(n).unwrap()], vec![block_cyclic(n, 3, 11).unwrap()]),
        case(
            "overlapping strides",
            tile(vec![Variable::arch("x", 31, 0, root), Variable::data("y", 17, 0, root)]),
            tile(vec![Variable::arch("p", 5, 0, 4), Variable::data("l", 25, 0, n / 25 + 9)]),
        ),
        case(
            "many copies",
            tile(vec![Variable::arch("x", 3, 0, root), Variable::data("y", 5, 0, root), Variable::data("z", 19, 0, 6)]),
            tile(vec![Variable::arch("p", 1, 0, 2), Variable::data("l", 3, 0, root)]),
        ),
        case(
            "a product",
            both(block_cyclic(n / 4, 4, 3).unwrap(), block_cyclic(n / 3, 3, 7).unwrap()),
            both(halo(n / 4, 3, 1, 2).unwrap(), block(n / 3, 4).unwrap()),
        ),
        case(
            "a product of overlaps",
            both(halo(root, 6, 2, 2).unwrap(), halo(root / 2, 5, 1, 3).unwrap()),
            both(block_cyclic(root, 2, 3).unwrap(), cyclic(root / 2, 3).unwrap()),
        ),
        case(
            "linked dimensions",
            linked(format!(
                "t = 0\n+ 1*i data local 0 .. {root}\n\nt = 0\n+ 50*p arch pe 0 .. 2\n+ 1*j data local 0 .. min(49, i)"
            )),
            linked(format!(
                "t = 0\n+ 7*p arch pe 0 .. {}\n+ 1*i data local 0 .. 6\n\nt = 0\n+ 1*j data local 0 .. 149",
                root / 7
            )),
        ),
        case(
            "against the order",
            linked(format!("t = 0\n+ 64*i data local 0 .. {}\n+ 1*j arch pe max(0, i - {n}) .. 63", n / 64)),
            linked(format!("t = 0\n+ 1*a data local max(0, b - 5) .. min(40, b)\n+ 40*b arch pe 0 .. {}", n / 40)),
        ),
    ]
}

fn ways() -> Vec<Options> {
    let balanced = Options { strategy: Strategy::Exact, balance: true };
    Strategy::ALL.iter().map(|&strategy| Options { strategy, balance: false }).chain([balanced]).collect()
}

#[test]
fn what_cannot_be_refused_stays_small() {
    let mut wrong = Vec::new();
    for n in [1 << 12, 1 << 17] {
        for case in cases(n) {
            for options in ways() {
                TOLD.set(false);
                let (made, count) = watched(0, false, || all(&case, options).map(drop));
                let what = format!("{} {options:?} {n}: {} of {} requests", case.id, count.most, count.asked);
                assert!(made.is_ok(), "{what}: {made:?}");
                if count.most > SMALL {
                    wrong.push(what);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Each request fails once: all of them where they are few, and else so many at most.
const TRIED: u64 = 300;

#[test]
fn a_plan_without_memory_is_refused_and_made_afterwards() {
    let mut seeds = testkit::seeds(1);
    let mut random = Random::new(seeds.next().expect("a seed"));
    let longest = Duration::from_millis(200);
    for case in cases(1 << 12) {
        for options in ways() {
            let start = Instant::now();
            let (expected, count) = watched(0, false, || all(&case, options).unwrap());
            let every = count.asked <= TRIED;
            for k in 0..count.asked.min(TRIED) {
                let at = if every { k + 1 } else { random.between(1, count.asked as i64) as u64 };
                let for_good = k % 2 == 1;
                let (refused, after) = watched(at, for_good, || all(&case, options).map(drop));
                let what = format!("{} {options:?}: request {at} of {}", case.id, count.asked);
                let error = refused.expect_err(&what);
                assert!(error.is_no_memory(), "{what}: {error}");
                drop(error);
                assert_eq!(COUNT.get().live, [0; 2], "{what} leaks");
                assert!(after.most <= SMALL, "{what}: {}", after.most);
                if start.elapsed() > longest {
                    break;
                }
            }
            assert!(all(&case, options).unwrap() == expected, "{} {options:?}: the plan is another one", case.id);
        }
    }
}
