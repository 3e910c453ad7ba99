//! Random affine nests: the generated code gives the original's bytes, whatever the tile sizes and the order.

mod kernel;

use dvm_codegen::Generated;
use kernel::{
    Kernel,
    program::{self, Trials},
    random,
};

fn trials() -> Trials {
    Trials { sizes: vec![0, 1, 2, 5, 9, 12], tiles: vec![1, 3, 40, -5], seeds: vec![0, 11, 12], workers: vec![1] }
}

/// What is wrong with a kernel's code; nothing when it is right, or refused for a good reason.
fn wrong(kernel: &Kernel) -> Result<Option<Generated>, String> {
    match dvm_codegen::generate(&kernel.region(), &kernel.text()) {
        Ok(generated) => {
            let source = program::source(kernel, &generated, &trials());
            program::run(&kernel.name, &source, "-O1").map(|_| Some(generated))
        }
        Err(refusal)
            if refusal.remedy.contains("defect")
                || refusal.reason.contains("model")
                || refusal.reason.contains("failed") =>
        {
            Err(refusal.to_string())
        }
        Err(_) => Ok(None),
    }
}

/// A condition of the sizes alone tells whether a tile has anything to run: the tile's place is no unused parameter.
#[test]
fn a_nest_whose_tiles_exist_by_sizes_alone_draws_no_warning() {
    assert_eq!(wrong(&random::kernel(1_795_999_073)).err(), None);
}

/// Of an array that no iteration touches, the check for overlap has no lengths of rows.
#[test]
fn a_nest_with_an_array_that_is_never_touched_draws_no_warning() {
    assert_eq!(wrong(&random::kernel(1_796_018_853)).err(), None);
}

/// An estimate of the work that is too long leaves no variables behind.
#[test]
fn a_nest_with_an_estimate_that_is_too_long_draws_no_warning() {
    assert_eq!(wrong(&random::kernel(1_796_019_262)).err(), None);
}

/// Quotients and remainders in subscripts, for which isl's scheduler fails: no fault of the region's size.
#[test]
fn a_nest_for_which_isl_has_no_schedule_is_refused_for_that() {
    let kernel = random::kernel(1_796_018_560);
    assert_eq!(wrong(&kernel).err(), None);
}

#[test]
fn random_nests_give_the_same_bytes() {
    let seeds = testkit::seeds_from(1, 16);
    let (mut tiled, mut jammed, count) = (0, 0, seeds.cases);
    for seed in seeds {
        let kernel = random::kernel(seed);
        let begin = std::time::Instant::now();
        let answer = wrong(&kernel);
        if count == 1 || begin.elapsed().as_secs() > 5 {
            println!(
                "seed {seed}: {:?}, {:.1} s\n{}",
                answer.as_ref().map(Option::is_some),
                begin.elapsed().as_secs_f64(),
                kernel.text()
            );
        }
        match answer {
            Ok(generated) => {
                tiled += u64::from(generated.is_some());
                jammed += u64::from(generated.is_some_and(|generated| generated.file_scope.contains("dvm__strip_end")));
            }
            Err(error) => {
                let (kernel, error) = testkit::smallest(kernel, error, random::smaller, |kernel| wrong(kernel).err());
                panic!("{}\n{:#?}\n{error}", kernel.text(), kernel.arrays);
            }
        }
    }
    println!("{tiled} of {count} kernels were tiled, {jammed} have strips");
    assert!(count == 1 || tiled * 3 > count, "only {tiled} of {count} kernels were tiled");
}
