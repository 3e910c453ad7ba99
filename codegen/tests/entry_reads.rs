//! Random programs that read sizes, factors and pointers from memory, which may be null, overlap what they write, or be
//! written by name.

mod loads;
mod prefix;

use loads::judge::{Seen, judge_text};
use loads::program;

/// Functions of one program.
const TOGETHER: usize = 8;

#[test]
fn values_read_at_entry_give_the_same_bytes() {
    let (first, count) = testkit::seeds_from(1, 64).range();
    let seeds: Vec<u64> = (first..first + count).collect();
    let mut all = Seen::default();
    for some in seeds.chunks(TOGETHER) {
        match judge_text(some, &program::source(some)) {
            Ok(seen) => {
                all.accepted += seen.accepted;
                all.tiles += seen.tiles;
            }
            Err(together) => {
                // One function alone, if that suffices.
                for &seed in some {
                    if let Err(why) = judge_text(&[seed], &program::source(&[seed])) {
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
