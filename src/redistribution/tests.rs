//! Plans, run on memories that are plain vectors, against brute force: every place gets the bytes of its element.
#![allow(unsafe_code, reason = "runs programs on vectors of this file")]
#![allow(clippy::many_single_char_names, clippy::needless_for_each, reason = "the formulas' own names")]

use std::collections::HashMap;

use dvm_redist::distribution::domain::Domain;
use dvm_redist::distribution::layouts;
use dvm_redist::{Distribution, Parameters};
use testkit::Random;

use super::copy_list::{Copies, Level};
use super::layout::Layout;
use super::plan::Redistribution;
use super::program::Program;

/// All locations of a layout: memory, place and element.
fn locations(layout: &Layout) -> Vec<(i64, i64, Vec<i64>)> {
    let domain = Domain::new(layout.distribution(), &Parameters::new()).unwrap();
    let mut all = Vec::new();
    domain.rows(|at, inner, lo, hi| {
        for v in lo..=hi {
            let mut next = at.to_vec();
            inner.into_iter().for_each(|i| next[i] = v);
            let memory = layout.memory(&next);
            all.push((memory, layout.offset(&next, &layout.weights(memory)), domain.element(&next)));
        }
    });
    all
}

/// Runs a plan for elements of so many bytes and compares every byte of every target memory.
fn check(source: &Layout, target: &Layout, element: usize, balance: bool) {
    let plan = Redistribution::plan(source, target, balance).unwrap();
    let mut number: HashMap<Vec<i64>, usize> = HashMap::new();
    let bytes = |n: usize| (0..element).map(move |k| (n * 31 + k * 7 + 1) as u8);
    let memories =
        |sizes: &[i64], fill: u8| -> Vec<Vec<u8>> { sizes.iter().map(|&s| vec![fill; s as usize * element]).collect() };
    let mut from = memories(&plan.source_sizes, 0xee);
    let mut to = memories(&plan.target_sizes, 0xdd);
    let mut expected = to.clone();
    for (memory, place, t) in locations(source) {
        let next = number.len();
        let n = *number.entry(t).or_insert(next);
        from[memory as usize].splice(place as usize * element..(place as usize + 1) * element, bytes(n));
    }
    let mut missing = 0;
    for (memory, place, t) in locations(target) {
        match number.get(&t) {
            Some(&n) => {
                expected[memory as usize].splice(place as usize * element..(place as usize + 1) * element, bytes(n));
            }
            None => missing += 1,
        }
    }
    let address = |m: &mut Vec<Vec<u8>>| -> Vec<*mut u8> { m.iter_mut().map(Vec::as_mut_ptr).collect() };
    assert_eq!(plan.figures.missing_locations, missing);
    let blank = to.clone();
    for stream in [false, true] {
        to.clone_from(&blank);
        let (s, t) = (address(&mut from), address(&mut to));
        let program = Program::cut(&plan.copies, element, stream).unwrap();
        for unit in 0..program.units() {
            // SAFETY: the vectors have the sizes that the plan asks for, and are this function's own.
            unsafe { program.run(unit, &s, &t) };
        }
        compare(&to, &expected, source, target);
    }
}

fn compare(to: &[Vec<u8>], expected: &[Vec<u8>], source: &Layout, target: &Layout) {
    assert!(to == expected, "wrong bytes: {}\n->\n{}", source.distribution(), target.distribution());
}

fn layout(dimensions: Vec<dvm_redist::Dimension>) -> Layout {
    let dimensions = dimensions.into_iter().enumerate().map(|(j, d)| layouts::suffixed(d, &format!("_{j}"))).collect();
    Layout::new(&Distribution { dimensions, layout: None }, &Parameters::new()).unwrap()
}

/// A usual distribution of one dimension.
fn usual(random: &mut Random, n: i64) -> dvm_redist::Dimension {
    let p = random.between(1, 4);
    match random.below(4) {
        0 => layouts::block(n, p),
        1 => layouts::cyclic(n, p),
        2 => layouts::block_cyclic(n, p, random.between(1, 9)),
        _ => layouts::halo(n, p, random.between(0, 2), random.between(0, 2)),
    }
    .unwrap()
}

/// Random local layouts: an order, paddings, and a memory with paddings of its own.
fn shuffled(random: &mut Random, layout: &Layout) -> Layout {
    let d = layout.dimensions();
    let mut order: Vec<usize> = (0..d).collect();
    random.shuffle(&mut order);
    let mut next = layout.ordered(&order).unwrap();
    if layout.memories() == 0 {
        return next;
    }
    for memory in [None, Some(random.between(0, layout.memories() - 1))] {
        if random.one_in(2) {
            let mut strides = vec![0; d];
            let dense = next.strides(0).unwrap().to_vec();
            let mut sorted: Vec<usize> = (0..d).collect();
            sorted.sort_by_key(|&j| dense[j]);
            let mut factor = 1;
            for j in sorted {
                factor *= random.between(1, 2);
                strides[j] = dense[j] * factor;
            }
            next = next.strided(memory, &strides).unwrap();
        }
    }
    next
}

#[test]
fn random_redistributions_deliver_every_byte() {
    for mut random in testkit::seeds(400).map(Random::new) {
        let d = 1 + random.below(3);
        let n: Vec<i64> = (0..d).map(|_| random.between(0, if d == 3 { 13 } else { 39 })).collect();
        let mut side = || layout(n.iter().map(|&n| usual(&mut random, n)).collect());
        let (source, target) = (side(), side());
        let (source, target) = (shuffled(&mut random, &source), shuffled(&mut random, &target));
        let element = *random.pick(&[1, 2, 3, 4, 8, 12, 16, 24, 33, 64]);
        check(&source, &target, element, random.one_in(2));
    }
}

#[test]
fn large_planes_are_cut_and_transposed() {
    for mut random in testkit::seeds(9).map(Random::new) {
        let element = *random.pick(&[1, 4, 8, 12, 16, 40]);
        let (n, m) = (random.between(150, 449), random.between(150, 449));
        let source = layout(vec![layouts::block_cyclic(n, 2, 64).unwrap(), layouts::block(m, 1).unwrap()]);
        let target = layout(vec![layouts::block(n, 1).unwrap(), layouts::block_cyclic(m, 3, 48).unwrap()]);
        check(&source, &target, element, false);
        check(&source, &target.ordered(&[1, 0]).unwrap(), element, false);
        check(&source.ordered(&[1, 0]).unwrap(), &target, element, false);
    }
}

#[test]
fn a_plan_does_not_depend_on_the_extent() {
    let large = |block| layout(vec![layouts::block_cyclic(1_000_000_000_000, 4, block).unwrap()]);
    let plan = Redistribution::plan(&large(64), &large(96), false).unwrap();
    assert_eq!((plan.figures.min_transfers, plan.copies.list.len()), (1_000_000_000_000, 16));
    assert_eq!((0..16).map(|k| plan.message(k / 4, k % 4)).sum::<i64>(), 1_000_000_000_000);
    assert_eq!(plan.source_sizes.iter().sum::<i64>(), 1_000_000_000_000);
}

#[test]
fn irregular_distributions_deliver_every_byte() {
    let texts = [
        "t = 0; + 200*p arch proc 0 .. 1; + 40*m arch mem 0 .. 3; + 1*c data cell 0 .. 49",
        "t = 3; - 5*x data cell -20 .. 20; + 3*y data cell 0 .. 30; + 1*p arch proc 0 .. 3",
        "t = 0; + 7*p arch proc 0 .. 5; + 1*a data cell 0 .. 6; + 0*r data cell 0 .. 1",
        "t = 0; + 1*p arch proc 0 .. 9; + 10*c data cell 0 .. min(9, (60 - p)/7)",
        "t = -30; + 1*a data cell 0 .. 100",
        "t = 100; - 1*a data cell 0 .. 100",
        "t = 5; + 0*p arch proc 0 .. 2",
    ];
    let all: Vec<Layout> =
        texts.iter().map(|t| Layout::new(&t.parse().unwrap(), &Parameters::new()).unwrap()).collect();
    for source in &all {
        for target in &all {
            for balance in [false, true] {
                check(source, target, 8, balance);
                check(source, target, 5, balance);
            }
        }
    }
}

/// Any levels, also such that no plan has, byte by byte.
#[test]
fn strided_copies_of_any_shape_are_cut_without_loss() {
    for mut random in testkit::seeds(300).map(Random::new) {
        let element = 1 + random.below(64);
        let levels: Vec<Level> = {
            // Mixed-radix strides in two random orders are distinct on both sides.
            let counts: Vec<i64> = (0..random.below(5)).map(|_| random.between(1, 12)).collect();
            let mut strides = |gap: i64| {
                let mut order: Vec<usize> = (0..counts.len()).collect();
                random.shuffle(&mut order);
                let (mut found, mut next) = (vec![0; counts.len()], 1);
                for k in order {
                    found[k] = next * if random.one_in(4) { gap } else { 1 };
                    next = found[k] * counts[k];
                }
                found
            };
            let (source, target) = (strides(2), strides(3));
            let sign = |on: bool| if on { -1 } else { 1 };
            (0..counts.len())
                .map(|k| Level {
                    count: counts[k],
                    source: source[k] * sign(k % 3 == 2),
                    target: target[k] * sign(k % 2 == 1),
                })
                .collect()
        };
        let reach = |of: &dyn Fn(&Level) -> i64| -> (i64, i64) {
            levels.iter().fold((0, 0), |(lo, hi), l| {
                let far = (l.count - 1) * of(l);
                (lo + far.min(0), hi + far.max(0))
            })
        };
        let (s, t) = (reach(&|l| l.source), reach(&|l| l.target));
        let mut from: Vec<u8> =
            (0..(s.1 - s.0 + 1) as usize * element).map(|k| (k ^ (k >> 8) ^ (k >> 16)) as u8).collect();
        let mut to = vec![0xaa_u8; (t.1 - t.0 + 1) as usize * element];
        let mut expected = to.clone();
        let mut at = vec![0; levels.len()];
        loop {
            let place = |of: &dyn Fn(&Level) -> i64, low: i64| {
                ((levels.iter().zip(&at).map(|(l, a)| of(l) * a).sum::<i64>() - low) * element as i64) as usize
            };
            let (a, b) = (place(&|l| l.source, s.0), place(&|l| l.target, t.0));
            expected[b..b + element].copy_from_slice(&from[a..a + element]);
            let Some(k) = (0..at.len()).find(|&k| at[k] + 1 < levels[k].count) else { break };
            at[k] += 1;
            at[..k].fill(0);
        }
        let mut copies = Copies::default();
        copies.add((0, 0), (-s.0, -t.0), levels.clone()).unwrap();
        let program = Program::cut(&copies, element, random.one_in(2)).unwrap();
        for unit in 0..program.units() {
            // SAFETY: the vectors cover all places of the levels.
            unsafe { program.run(unit, &[from.as_mut_ptr()], &[to.as_mut_ptr()]) };
        }
        assert!(to == expected, "element {element}, {levels:?}");
    }
}

#[test]
fn a_scalapack_grid_may_begin_anywhere() {
    let descriptor = [1, 0, 10, 7, 3, 2, 1, 2, 9];
    let distribution = layouts::scalapack(&descriptor, 2, 3).unwrap();
    let layout = Layout::new(&distribution, &Parameters::new()).unwrap().turned(&[1, 2]);
    let layout = layout.strided(None, &[1, 9]).unwrap();
    for (memory, place, t) in locations(&layout) {
        // The rule of ScaLAPACK: block b is with process (b + first) mod processes, in its place b / processes.
        let (i, j) = (t[0], t[1]);
        let (p, q) = ((i / 3 + 1) % 2, (j / 2 + 2) % 3);
        let (row, column) = (i / 3 / 2 * 3 + i % 3, j / 2 / 3 * 2 + j % 2);
        assert_eq!((memory, place), (p * 3 + q, row + 9 * column), "{t:?}");
    }
    assert_eq!(layout.extents(3 + 2).unwrap(), [6, 3]);
    assert_eq!(layout.size(3 + 2).unwrap(), 6 + 2 * 9);
}

#[test]
fn strides_that_put_two_elements_in_one_place_are_refused() {
    let layout = layout(vec![layouts::block(8, 2).unwrap(), layouts::block(6, 1).unwrap()]);
    for strides in [&[6, 1][..], &[1, 4], &[7, 1], &[2, 8]] {
        assert!(layout.strided(None, strides).is_ok(), "{strides:?}");
    }
    for strides in [&[5, 1][..], &[1, 3], &[0, 1], &[-6, 1], &[1, 1], &[i64::MAX, i64::MAX], &[6]] {
        assert!(layout.strided(None, strides).is_err(), "{strides:?}");
    }
    assert!(layout.strided(Some(2), &[6, 1]).is_err());
    assert_eq!(layout.strided(Some(1), &[1, 4]).unwrap().strides(0).unwrap(), [6, 1]);
}

/// The program of copies of runs of 32 elements of 8 bytes: for each its place at the source, and the step and number of its
/// runs; at the target they lie one after the other.
fn woven(copies: &[(i64, i64, i64)]) -> Program {
    let (mut all, mut target) = (Copies::default(), 0);
    for &(source, step, count) in copies {
        let levels = vec![Level { count: 32, source: 1, target: 1 }, Level { count, source: step, target: 64 }];
        all.add((0, 0), (source, target), levels).unwrap();
        target += 64 * count;
    }
    Program::cut(&all, 8, true).unwrap()
}

#[test]
fn copies_that_read_one_region_are_woven() {
    if !super::streamed_lines::can_stream() {
        return;
    }
    assert_eq!(woven(&[(0, 96, 20), (32, 96, 20), (64, 96, 19)]).groups(), [3], "whatever their numbers of runs");
    assert_eq!(woven(&[(0, 96, 20), (32, 128, 20)]).groups(), [1, 1], "other steps");
    assert_eq!(woven(&[(0, 96, 20), (96, 96, 20)]).groups(), [1, 1], "one behind the other's first step");
    let many: Vec<_> = (0..65).map(|k| (32 * k, 32 * 65, 2)).collect();
    assert_eq!(woven(&many).groups(), [64, 1], "so many at most");
    let large: Vec<_> = (0..8).map(|k| (32 * k, 32 * 8, 1 << 12)).collect();
    assert!(woven(&large).groups().iter().all(|&group| group > 1));
    assert!(woven(&large).units() >= 8, "several workers can help");
}

#[test]
fn a_run_that_is_read_again_and_again_is_cut_for_all_workers() {
    let program = woven(&[(0, 0, 1 << 16)]);
    assert!(program.units() >= 16, "{} units", program.units());
}
