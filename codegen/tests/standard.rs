//! Random programs written from the C standard, clause by clause, around regions: the original under gcc's sanitizers
//! against what the tool makes of it.

#[path = "standard/choices.rs"]
mod choices;
#[path = "standard/expression.rs"]
mod expression;
#[path = "standard/function.rs"]
mod function;
#[path = "standard/judge.rs"]
mod judge;
#[path = "standard/objects.rs"]
mod objects;
#[path = "standard/program.rs"]
mod program;
#[path = "standard/shrink.rs"]
mod shrink;
#[path = "standard/statements.rs"]
mod statements;
#[path = "standard/types.rs"]
mod types;

use choices::Choices;
use judge::Verdict;
use std::collections::BTreeMap;

/// Programs a file.
const UNIT: u64 = 48;

#[derive(Default)]
struct Tally {
    programs: usize,
    regions: usize,
    refused: BTreeMap<String, usize>,
    discarded: BTreeMap<String, usize>,
    /// Seed, kind, details and the level of optimisation.
    wrong: Vec<(u64, &'static str, String, &'static str)>,
    /// Programs by oddity: all, and those without a refused region.
    odds: BTreeMap<program::Odd, (usize, usize)>,
}

impl Tally {
    fn run(&mut self, seeds: &[u64], level: &'static str) {
        let cases: Vec<function::Case> = seeds.iter().map(|s| function::case(Choices::seeded(*s))).collect();
        let texts: Vec<&str> = cases.iter().map(|c| c.text.as_str()).collect();
        let judged = judge::judge(&texts, level);
        self.programs += seeds.len();
        self.regions += judged.regions;
        for (reason, count) in judged.refused {
            *self.refused.entry(reason).or_default() += count;
        }
        for (k, case) in cases.iter().enumerate() {
            for odd in &case.odds {
                let counts = self.odds.entry(*odd).or_default();
                counts.0 += 1;
                counts.1 += usize::from(!judged.sequential.contains(&k));
            }
        }
        for (seed, verdict) in seeds.iter().zip(judged.verdicts) {
            match verdict {
                Some(Verdict::Discarded(why)) => {
                    if std::env::var_os("DVM_TEST_DISCARDED").is_some() {
                        eprintln!("seed {seed} discarded: {why}");
                    }
                    let why = why.split("runtime error: ").last().unwrap_or("").chars().filter(|c| !c.is_ascii_digit());
                    *self.discarded.entry(why.take(60).collect()).or_default() += 1;
                }
                Some(Verdict::Wrong(kind, details)) => self.wrong.push((*seed, kind, details, level)),
                _ => {}
            }
        }
    }

    fn tell(&self) {
        let refused: usize = self.refused.values().sum();
        let discarded: usize = self.discarded.values().sum();
        println!(
            "standard: {} programs, {} regions: {} accepted, {refused} refused; {discarded} programs discarded, {} wrong",
            self.programs,
            self.regions,
            self.regions.saturating_sub(refused),
            self.wrong.len()
        );
        for (what, list) in [("refused", &self.refused), ("discarded", &self.discarded)] {
            let mut list: Vec<_> = list.iter().collect();
            list.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
            for (reason, count) in list {
                println!("  {what} {count:5} {reason}");
            }
        }
        if std::env::var_os("DVM_TEST_ODDS").is_some() {
            for (odd, (all, accepted)) in &self.odds {
                println!("  {odd:?}: {accepted} of {all}");
            }
        }
        for (seed, kind, details, _) in &self.wrong {
            println!("  seed {seed} {kind} {details}");
        }
    }
}

#[test]
fn programs_from_the_standard_keep_their_meaning() {
    let (first, count) = testkit::seeds_from(1, 128).range();
    let mut tally = Tally::default();
    let mut at = first;
    while at < first + count {
        let seeds: Vec<u64> = (at..(at + UNIT).min(first + count)).collect();
        // Most units are only translated: optimisation costs three times as much.
        let level = if at / UNIT % 8 == 7 { "-O1" } else { "-O0" };
        tally.run(&seeds, level);
        at += UNIT;
    }
    tally.tell();
    let refused: usize = tally.refused.values().sum();
    let accepted = tally.regions.saturating_sub(refused);
    println!("ledger standard {first} {} {} {accepted} {}", first + count - 1, tally.regions, tally.wrong.len());
    for (seed, kind, _, level) in tally.wrong.iter().take(testkit::setting("DVM_TEST_SHRUNK").unwrap_or(3) as usize) {
        let case = function::case(Choices::seeded(*seed));
        println!("\nseed {seed} ({kind}), {:?}", case.odds);
        println!("{}", shrink::shrunk(&case, kind, level));
    }
    judge::clean();
    assert!(tally.wrong.is_empty(), "{} programs changed their meaning", tally.wrong.len());
}
