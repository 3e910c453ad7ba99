//! Random affine nests: the generated code gives the original's bytes, whatever the tile sizes and the order.
//!
//! `DVM_TEST_SEED` replays one kernel, `DVM_TEST_CASES` sets how many are tried,
//! `DVM_TEST_FIRST` the first seed (1).

mod kernel;

use kernel::{
    Kernel,
    program::{self, Trials},
    random,
};

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

fn trials() -> Trials {
    Trials { sizes: vec![0, 1, 2, 5, 9], tiles: vec![1, 3, 40, -5], seeds: vec![0, 11, 12], workers: vec![1] }
}

/// What is wrong with a kernel's code; nothing when it is right, or refused for a good reason.
fn wrong(kernel: &Kernel) -> Result<bool, String> {
    match dvm_codegen::generate(&kernel.region(), &kernel.text()) {
        Ok(generated) => {
            let source = program::source(kernel, &generated, &trials());
            program::run(&kernel.name, &source, "-O1").map(|_| true)
        }
        Err(refusal)
            if refusal.remedy.contains("defect")
                || refusal.reason.contains("model")
                || refusal.reason.contains("failed") =>
        {
            Err(refusal.to_string())
        }
        Err(_) => Ok(false),
    }
}

fn shrink(mut kernel: Kernel, mut error: String) -> (Kernel, String) {
    'again: loop {
        for smaller in random::smaller(&kernel) {
            if let Err(other) = wrong(&smaller) {
                (kernel, error) = (smaller, other);
                continue 'again;
            }
        }
        return (kernel, error);
    }
}

#[test]
fn random_nests_give_the_same_bytes() {
    let (first, count) = match setting("DVM_TEST_SEED") {
        Some(seed) => (seed, 1),
        None => (setting("DVM_TEST_FIRST").unwrap_or(1), setting("DVM_TEST_CASES").unwrap_or(25)),
    };
    let mut tiled = 0;
    for seed in first..first + count {
        let kernel = random::kernel(seed);
        let begin = std::time::Instant::now();
        let answer = wrong(&kernel);
        if count == 1 || begin.elapsed().as_secs() > 5 {
            println!("seed {seed}: {:?}, {:.1} s\n{}", answer, begin.elapsed().as_secs_f64(), kernel.text());
        }
        match answer {
            Ok(accepted) => tiled += u64::from(accepted),
            Err(error) => {
                let (kernel, error) = shrink(kernel, error);
                panic!("DVM_TEST_SEED={seed}\n{}\n{:#?}\n{error}", kernel.text(), kernel.arrays);
            }
        }
    }
    println!("{tiled} of {count} kernels from seed {first} were tiled");
    assert!(count == 1 || tiled * 3 > count, "only {tiled} of {count} kernels were tiled");
}
