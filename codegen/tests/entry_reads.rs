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
    let (first, count) = testkit::seeds_from(1, 40).range();
    let judge = |some: &[u64]| judge_text(some, &program::source(some));
    let mut all = Seen::default();
    for seen in testkit::in_batches(first..first + count, TOGETHER, judge, program::source) {
        all.accepted += seen.accepted;
        all.tiles += seen.tiles;
    }
    println!("{count} functions: {all:?}");
    assert!(count < 32 || (all.accepted as u64 * 4 > count && all.tiles > count), "{all:?}");
}
