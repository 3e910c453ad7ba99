//! Shrinks a program by shrinking its list of choices: parts are left out, or set to the simplest choice.

use super::choices::Choices;
use super::function::{Case, case};
use super::judge::{Verdict, judge};
use std::time::{Duration, Instant};

/// Programs that are tried in one file.
const BATCH: usize = 24;
const TIME: Duration = Duration::from_secs(100);

/// Smaller lists, the boldest first.
fn candidates(list: &[u32]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let mut length = list.len().next_power_of_two();
    while length >= 1 {
        for at in (0..list.len()).step_by(length) {
            let end = (at + length).min(list.len());
            let mut without = list.to_vec();
            without.drain(at..end);
            all.push(without);
            if list[at..end].iter().any(|c| *c != 0) {
                let mut simple = list.to_vec();
                simple[at..end].fill(0);
                all.push(simple);
            }
        }
        length /= 2;
    }
    for (k, choice) in list.iter().enumerate().filter(|(_, c)| **c > 1) {
        for smaller in [choice / 2, choice - 1] {
            let mut list = list.to_vec();
            list[k] = smaller;
            all.push(list);
        }
    }
    all
}

/// The smallest program found that fails in the same way.
pub fn shrunk(original: &Case, kind: &str, level: &str) -> String {
    let begin = Instant::now();
    let mut best = (original.text.clone(), original.made.clone());
    let mut seen = std::collections::HashSet::new();
    'again: while begin.elapsed() < TIME {
        let mut batch: Vec<Case> = Vec::new();
        let all = candidates(&best.1);
        let last = all.len() - 1;
        for (k, list) in all.into_iter().enumerate() {
            let made = case(Choices::replayed(&list));
            let better = (made.text.len(), made.made.len()) < (best.0.len(), best.1.len());
            if better && seen.insert(made.text.clone()) {
                batch.push(made);
            }
            if batch.len() < BATCH && k < last || batch.is_empty() {
                continue;
            }
            if begin.elapsed() > TIME {
                break 'again;
            }
            let texts: Vec<&str> = batch.iter().map(|c| c.text.as_str()).collect();
            let verdicts = judge(&texts, level).verdicts;
            let failing =
                batch.iter().zip(verdicts).filter(|(_, v)| matches!(v, Some(Verdict::Wrong(k, _)) if *k == kind));
            if let Some((smallest, _)) = failing.min_by_key(|(c, _)| c.text.len()) {
                best = (smallest.text.clone(), smallest.made.clone());
                continue 'again;
            }
            batch.clear();
        }
        break;
    }
    best.0
}
