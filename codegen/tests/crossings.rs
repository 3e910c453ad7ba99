//! Random programs that cross what regions accept: clauses, functions of the file, data-dependent accesses, scalars that
//! loops change, values read at entry, C90, and `DVM_CHECK=1`.
//!
//! `DVM_TEST_SEED=N` replays one function, in the dialect of its program.

#[path = "crossings/mod.rs"]
mod crossings;

use crossings::choices::Choices;
use crossings::function::{Case, Dialect, case};
use crossings::judge::{Judged, judge, program};

/// Functions of one program.
const TOGETHER: u64 = 24;

/// Smaller lists of choices, the boldest first.
#[allow(clippy::ptr_arg)]
fn smaller(list: &Vec<u32>) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let mut length = list.len().next_power_of_two();
    while length >= 1 {
        for at in (0..list.len()).step_by(length) {
            let end = (at + length).min(list.len());
            all.push([&list[..at], &list[end..]].concat());
            if list[at..end].iter().any(|choice| *choice != 0) {
                let mut simple = list.clone();
                simple[at..end].fill(0);
                all.push(simple);
            }
        }
        length /= 2;
    }
    all
}

/// The smallest function found that is wrong as well, as a program, and why.
fn shrunk(found: &Case, why: String, dialect: Dialect) -> (String, String) {
    let kind = |why: &str| why.split(':').next_back().unwrap_or_default().to_owned();
    let (wanted, begin) = (kind(&why), std::time::Instant::now());
    let (mut seen, mut size) = (std::collections::HashSet::new(), found.text.len());
    let (list, why) = testkit::smallest(found.made.clone(), why, smaller, |list| {
        let made = case(Choices::replayed(list), dialect);
        if made.text.len() >= size || begin.elapsed().as_secs() > 120 || !seen.insert(made.text.clone()) {
            return None;
        }
        let why = judge(std::slice::from_ref(&made), dialect).wrong.remove(&0)?;
        if kind(&why) != wanted {
            return None;
        }
        size = made.text.len();
        Some(why)
    });
    let made = case(Choices::replayed(&list), dialect);
    (program(&[&made.text], dialect), why)
}

fn tell(all: &Judged, functions: u64) {
    println!(
        "crossings: {functions} functions, {} regions: {} accepted, {} in functions that ran as tiles ({} tiles); {} functions \
         undefined, {} of {} false assertions told",
        all.regions, all.accepted, all.ran, all.tiles, all.undefined, all.told, all.false_claims
    );
    let mut list: Vec<_> = all.refused.iter().collect();
    list.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, count) in list {
        println!("  refused {count:5} {reason}");
    }
}

#[test]
fn crossed_constructs_give_the_same_bytes() {
    let (first, count) = testkit::seeds_from(1, 32).range();
    let (mut all, mut wrong) = (Judged::default(), Vec::new());
    let mut at = first;
    while at < first + count {
        let end = ((at / TOGETHER + 1) * TOGETHER).min(first + count);
        let dialect = Dialect::of(at / TOGETHER);
        let cases: Vec<Case> = (at..end).map(|seed| case(Choices::seeded(seed), dialect)).collect();
        let mut judged = judge(&cases, dialect);
        for (number, why) in std::mem::take(&mut judged.wrong) {
            println!("seed {} is wrong ({dialect:?}): {why}", at + number as u64);
            wrong.push((at + number as u64, dialect, cases[number].clone(), why));
        }
        all.add(judged);
        at = end;
    }
    tell(&all, count);
    println!("ledger crossings {first} {} {} {} {}", first + count - 1, all.regions, all.ran, wrong.len());
    for (seed, dialect, found, why) in wrong.iter().take(testkit::setting("DVM_TEST_SHRUNK").unwrap_or(1) as usize) {
        let (smallest, why) = shrunk(found, why.clone(), *dialect);
        println!("\nseed {seed} ({dialect:?}): {why}\n{smallest}");
    }
    assert!(wrong.is_empty(), "{} functions are wrong", wrong.len());
    assert!(count < 32 || (all.ran as u64 * 5 > count), "{all:?}");
}
