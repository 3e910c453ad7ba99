//! Random programs over several processes: regions with `across` and `keep` over the same arrays, a loop around them,
//! and main between them print what the plain program prints, for any tiles, placement, window and number of processes.
//!
//! `DVM_TEST_SEED=N` replays one program; `DVM_TEST_SHOW=1` prints its text and the compiler's remarks.

mod across;
mod kernel;

use across::judge::{Judge, Judged};
use across::program::{Program, program};

/// The kind of a failure: another one found while a program shrinks is not this one.
fn kind(why: &str) -> &str {
    ["prints something else", "signal", "124", "137", "compile"]
        .into_iter()
        .find(|kind| why.contains(kind))
        .unwrap_or("")
}

#[test]
fn programs_of_several_processes_print_what_plain_ones_print() {
    let (first, count) = testkit::seeds_from(10_000, 10).range();
    let judge = Judge::new();
    let mut all = Judged::default();
    for seed in first..first + count {
        let program = program(seed);
        if std::env::var_os("DVM_TEST_SHOW").is_some() {
            println!("{}\n{:#?}", program.text(), program.shapes);
        }
        let begin = std::time::Instant::now();
        match judge.judge(&program) {
            Ok(judged) => {
                if count > 10 {
                    let seconds = begin.elapsed().as_secs_f64();
                    println!("seed {seed}: {} of {} regions across, {seconds:.1} s", judged.across, judged.regions);
                }
                all.runs += judged.runs;
                all.regions += judged.regions;
                all.accepted += judged.accepted;
                all.across += judged.across;
                all.entries += judged.entries;
                all.sent += judged.sent;
                all.slow += judged.slow;
            }
            Err(why) => {
                println!("seed {seed} is wrong: {why}");
                let wanted = kind(&why).to_owned();
                let wrong = |program: &Program| {
                    let late = begin.elapsed().as_secs() > testkit::setting("DVM_TEST_SECONDS").unwrap_or(240);
                    let why = if late { None } else { judge.judge(program).err() };
                    why.filter(|why| kind(why) == wanted)
                };
                let (program, why) = testkit::smallest(program, why, Program::smaller, wrong);
                panic!("{}\nseed {seed}: {why}\n{:?}", program.text(), program.shapes);
            }
        }
    }
    println!(
        "across: {count} programs, {} runs ({} given up); of {} regions {} are accepted, {} ran across, {} times; {} bytes before tiles",
        all.runs, all.slow, all.regions, all.accepted, all.across, all.entries, all.sent
    );
    assert!(testkit::selected() || 2 * all.across >= all.regions, "too few regions ran across: {all:?}");
}
