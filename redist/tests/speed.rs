//! Large regular and irregular redistributions: few descriptors, nothing lost. Prints the times (`-- --nocapture`).
#![allow(clippy::many_single_char_names, clippy::needless_for_each)]

use dvm_redist::distribution::layouts::{block_cyclic, suffixed};
use dvm_redist::{Case, Dimension, Distribution, Options, Parameters, Plan, Variable};

fn case(source: Vec<Dimension>, target: Vec<Dimension>) -> Case {
    let side = |dimensions| Distribution { dimensions, layout: None };
    Case {
        id: "speed".to_owned(),
        parameters: Parameters::new(),
        family: None,
        element_size: 8,
        source: side(source),
        target: side(target),
    }
}

/// Nanoseconds that this thread has run, so that other work on the machine does not count.
fn now() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse().unwrap()
}

/// Plans a case some times; the average is what counts, since the clock ticks in milliseconds.
fn average_of(times: u32, case: &Case, options: Options) -> (Plan, f64) {
    let start = now();
    let plan = || {
        let plan = Plan::new(case, options).unwrap();
        assert_eq!(plan.descriptors().unwrap().len() as i64, plan.figures.descriptors);
        plan
    };
    let last = (1..times).fold(plan(), |_, _| plan());
    (last, (now() - start) / 1e6 / f64::from(times))
}

#[test]
fn block_cyclic_64_to_96_takes_64_descriptors_of_four_levels() {
    let grid = |block| {
        vec![
            suffixed(block_cyclic(98_304, 2, block).unwrap(), "1"),
            suffixed(block_cyclic(98_304, 2, block).unwrap(), "2"),
        ]
    };
    let (plan, time) = average_of(30, &case(grid(64), grid(96)), Options::default());
    assert_eq!(plan.figures.min_transfers, 98_304 * 98_304);
    assert!(plan.figures.descriptors <= 64, "{}", plan.figures.descriptors);
    assert!(plan.transfers().all(|t| t.levels.len() <= 4));
    println!("64 -> 96, N = 98304: {time:.2} ms, {} descriptors", plan.figures.descriptors);
}

#[test]
fn two_generators_with_arbitrary_strides_and_a_million_elements() {
    // Sources whose elements are 0 .. about 10^6 (but for the gaps at both ends), with more locations than elements.
    for (a, x, b, y) in [(997, 1000, 1, 1000), (7, 1000, 11, 90_000), (31, 300, 17, 58_000), (1009, 900, 97, 950)] {
        let source = vec![Dimension {
            offset: 0.into(),
            variables: vec![Variable::arch("x", a, 0, x - 1), Variable::data("y", b, 0, y - 1)],
        }];
        let span = a * (x - 1) + b * (y - 1);
        for target in [
            vec![Dimension { offset: 0.into(), variables: vec![Variable::data("t", 1, 0, span)] }],
            vec![block_cyclic(span + 1, 4, 1000).unwrap()],
        ] {
            let case = case(source.clone(), target);
            let (plan, time) = average_of(5, &case, Options::default());
            let f = &plan.figures;
            println!(
                "{a}x+{b}y: {} locations, {} elements, {} descriptors: {time:.1} ms",
                f.source_locations, f.source_elements, f.descriptors
            );
            assert_eq!(f.missing_locations, f.target_locations - f.min_transfers);
        }
    }
}
