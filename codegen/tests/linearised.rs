//! Random programs with arrays whose shape the tool finds: linearised arrays, integer scalars in subscripts, rows behind
//! tables of pointers; nests that update elements again and again. The shape is a guess that it proves or checks, so the sizes also are those of short, overlapping,
//! empty and negative rows.

mod blocks;
mod linear;
mod prefix;
mod rows;
mod scalars;

use linear::judge::{Seen, judge_text};
use linear::program;

/// Functions of one program.
const TOGETHER: usize = 8;

/// Compares the programs of all seeds; one in `share` functions at least has to be accepted.
fn compare(share: u64, source: impl Fn(&[u64]) -> String + Sync) -> Seen {
    let (first, count) = testkit::seeds_from(1, 40).range();
    let judge = |some: &[u64]| judge_text(some, &source(some));
    let mut all = Seen::default();
    for seen in testkit::in_batches(first..first + count, TOGETHER, judge, &source) {
        all.accepted += seen.accepted;
        all.tiles += seen.tiles;
        all.blocks += seen.blocks;
    }
    println!("{count} functions: {all:?}");
    assert!(count < 32 || (all.accepted as u64 * share > count && all.tiles > count), "{all:?}");
    all
}

#[test]
fn linearised_arrays_give_the_same_bytes() {
    compare(4, program::source);
}

/// Rows whose lengths are numbers, with sizes that leave them.
#[test]
fn rows_of_constant_length_give_the_same_bytes() {
    compare(4, program::constant_rows);
}

/// Scalars that loops change by the same amount in each iteration, or by others.
#[test]
fn scalars_that_loops_change_give_the_same_bytes() {
    compare(8, scalars::source);
}

/// Tables of pointers, whose rows may be shared, and steps that only the run knows.
#[test]
fn rows_behind_pointers_give_the_same_bytes() {
    compare(4, rows::source);
}

/// Updates of elements, as in products of matrices: many have tiles that run as blocks.
#[test]
fn elements_that_loops_update_give_the_same_bytes() {
    let seen = compare(4, blocks::source);
    assert!(seen.accepted < 32 || seen.blocks * 6 > seen.accepted, "{seen:?}");
}
