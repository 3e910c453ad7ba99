//! Random programs against a sequential model: the same values, references, poison, and codes of wait and finalize.
//!
//! A program that fails is shrunk to a small one that still does, and printed.
#![allow(unsafe_code, reason = "calls the C interface")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "all for one reason: what is passed lives until the call, or the task, has ended"
)]

#[path = "random/execute.rs"]
mod execute;
#[path = "random/model.rs"]
mod model;
#[path = "random/program.rs"]
mod program;
mod support;

use std::sync::atomic::{AtomicU64, Ordering};

use execute::Stage;
use program::Program;

/// Runs after which a failure that did not return counts as gone.
const RUNS_PER_CANDIDATE: usize = 10;

/// Runs a program several times, each on a fresh engine; its first failure.
fn fails(program: &Program) -> Option<String> {
    (0..RUNS_PER_CANDIDATE).find_map(|_| Stage::new().run(program).err())
}

/// Removes statements, in ever smaller runs, while the program still fails.
fn shrink(mut program: Program) -> Program {
    let mut size = program.statements.len() / 2;
    while size > 0 {
        let mut start = 0;
        while start < program.statements.len() {
            let mut smaller = program.clone();
            let end = (start + size).min(smaller.statements.len());
            smaller.statements.drain(start..end);
            if fails(&smaller).is_some() {
                program = smaller;
            } else {
                start += size;
            }
        }
        size /= 2;
    }
    program
}

static PROGRESS: AtomicU64 = AtomicU64::new(0);

#[test]
fn random_programs_do_what_the_model_says() {
    let _turn = support::turn();
    support::workers(3);
    support::watch(&PROGRESS, |seed| {
        format!("the program with DVM_TEST_SEED={seed} hangs:\n{}", Program::random(seed))
    });
    let mut stage = Stage::new();
    for seed in testkit::seeds(10_000) {
        PROGRESS.store(seed, Ordering::Relaxed);
        let program = Program::random(seed);
        if let Err(failure) = stage.run(&program) {
            drop(stage);
            let small = shrink(program);
            let again = fails(&small).unwrap_or_else(|| "(did not fail again)".to_owned());
            panic!("{failure}\nshrunk to:\n{small}which fails with: {again}");
        }
    }
    PROGRESS.store(0, Ordering::Relaxed);
    println!("{}", stage.tally());
}

/// With a seed and one worker a program runs the same way each time, and other seeds give other ways: the orders that
/// the first test meets by chance are met here by choice, and a failure replays exactly.
#[test]
fn programs_replay_from_their_seed() {
    let _turn = support::turn();
    support::watch(&PROGRESS, |seed| {
        format!("the program with DVM_TEST_SEED={seed} hangs:\n{}", Program::random(seed))
    });
    let (mut distinct, mut several) = (0, 0);
    let seeds = testkit::costly_seeds(400, 20);
    let alone = seeds.cases == 1;
    for seed in seeds {
        PROGRESS.store(seed, Ordering::Relaxed);
        let program = Program::random(seed);
        let orders = [seed, seed, !seed].map(|order| {
            support::seeded(order, || {
                let outcome = Stage::new().run(&program);
                outcome.unwrap_or_else(|message| panic!("with DVM_SEED={order}: {message}\n{program}"));
                Stage::order()
            })
        });
        assert_eq!(orders[0], orders[1], "it runs in two ways:\n{program}");
        several += u64::from(orders[0].len() > 3);
        distinct += u64::from(orders[0] != orders[2]);
    }
    PROGRESS.store(0, Ordering::Relaxed);
    assert!(alone || distinct * 4 > several, "{distinct} of {several} programs have run in two orders");
}

/// The model must notice: a runtime that computes something else than the model says is caught and shrunk.
#[test]
fn a_wrong_value_is_found_and_shrunk() {
    let _turn = support::turn();
    let program = Program::with_a_wrong_value(7);
    assert!(fails(&program).is_some());
    let small = shrink(program);
    assert!(small.statements.len() <= 4, "{small}");
}
