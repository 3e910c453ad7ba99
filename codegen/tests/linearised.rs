//! Random programs with linearised arrays and with integer scalars in subscripts: the shape that the tool recovers is a
//! guess that it proves or checks, so the sizes also are those of short, overlapping, empty and negative rows.

mod linear;
mod prefix;
mod scalars;

use linear::judge::{Seen, judge, judge_text};
use linear::program;

/// Functions of one program.
const TOGETHER: usize = 8;

#[test]
fn linearised_arrays_give_the_same_bytes() {
    let (first, count) = testkit::seeds_from(1, 64).range();
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut all = Seen::default();
    for some in seeds.chunks(TOGETHER) {
        match judge(some) {
            Ok(seen) => {
                all.accepted += seen.accepted;
                all.tiles += seen.tiles;
            }
            Err(together) => {
                // One function alone, if that suffices.
                for &seed in some {
                    if let Err(why) = judge(&[seed]) {
                        panic!("seed {seed}: {why}\n{}", program::function(seed).0);
                    }
                }
                panic!("seeds {some:?}: {together}\n{}", program::source(some));
            }
        }
    }
    println!("{count} functions: {all:?}");
    assert!(count < 32 || (all.accepted as u64 * 4 > count && all.tiles > count), "{all:?}");
}

/// Scalars that loops change by the same amount in each iteration, or by others.
#[test]
fn scalars_that_loops_change_give_the_same_bytes() {
    let (first, count) = testkit::seeds_from(1, 64).range();
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut all = Seen::default();
    for some in seeds.chunks(TOGETHER) {
        match judge_text(some, &scalars::source(some)) {
            Ok(seen) => {
                all.accepted += seen.accepted;
                all.tiles += seen.tiles;
            }
            Err(together) => {
                // One function alone, if that suffices.
                for &seed in some {
                    if let Err(why) = judge_text(&[seed], &scalars::source(&[seed])) {
                        panic!("seed {seed}: {why}\n{}", scalars::function(seed));
                    }
                }
                panic!("seeds {some:?}: {together}\n{}", scalars::source(some));
            }
        }
    }
    println!("{count} functions: {all:?}");
    assert!(count < 32 || (all.accepted as u64 * 8 > count && all.tiles > count), "{all:?}");
}
