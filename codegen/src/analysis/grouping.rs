//! Groups of statements that the analysis takes as one: neighbours in one body, with the same loops.
//!
//! The work on dependences grows with the square of the number of statements. The bodies of large codes have dozens of
//! statements in one nest, which are best kept together anyway. A group runs its statements in their order, so any
//! schedule of the groups that keeps the dependences between their instances is right for the statements.

use crate::model::{Region, Statement};

/// The least number of statements of a body that are grouped: a schedule may take fewer ones apart.
const MANY: usize = 5;

/// For each statement the number of statements in the group that it begins; 0: it belongs to the group before it.
pub fn groups(region: &Region) -> Vec<usize> {
    let mut sizes = vec![1; region.statements.len()];
    let mut first = 0;
    while first < region.statements.len() {
        let follows = |pair: &[Statement]| is_next(&pair[0], &pair[1]);
        let count = 1 + region.statements[first..].windows(2).take_while(|pair| follows(pair)).count();
        if count >= MANY {
            sizes[first..first + count].fill(0);
            sizes[first] = count;
        }
        first += count;
    }
    sizes
}

/// Whether a statement follows another one in the same body and runs as often.
fn is_next(one: &Statement, next: &Statement) -> bool {
    let own = |statement: &Statement, text: &str| text.replace(&format!("{}[", statement.name), "[");
    let places = |statement: &Statement| -> Option<Vec<String>> {
        let (_, range) = statement.schedule.rsplit_once("->")?;
        let (_, range) = range.split_once('[')?;
        let (range, rest) = range.split_once(']')?;
        (rest.trim() == "}").then(|| range.split(',').map(|place| place.trim().to_owned()).collect())
    };
    let (Some(before), Some(after)) = (places(one), places(next)) else { return false };
    if one.iterators != next.iterators || own(one, &one.domain) != own(next, &next.domain) {
        return false;
    }
    let Some(at) = before.iter().zip(&after).position(|(before, after)| before != after) else { return false };
    let number = |place: &String| place.parse::<i64>().ok();
    let ends = |places: &[String]| places[at + 1..].iter().all(|place| place == "0");
    before.len() == after.len()
        && ends(&before)
        && ends(&after)
        && number(&before[at]).is_some_and(|place| number(&after[at]) == Some(place + 1))
}
