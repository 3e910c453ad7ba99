//! How long tiles take: measured, by where in its graph a tile lies, in a file, or one time for all.
//!
//! The kind of a tile says for each coordinate whether the tile is the first, the last, the only one or an inner one of those
//! with its outer coordinates. So times that were measured with few tiles stand for those of many equal ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::graph::{Callbacks, MAX_DIMENSION};

/// Where the times come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TimesFrom {
    /// The tiles run in this process; their times by kind are kept in a file.
    Run { kept: Option<PathBuf> },
    /// All take these nanoseconds. Nothing runs.
    Given(u64),
    /// A file has the times by kind. Nothing runs.
    File(PathBuf),
}

/// Region, phase and kind of a tile.
type Key = (String, usize, String);

/// How many tiles of each kind were measured, and their nanoseconds together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KindTimes(BTreeMap<Key, (u64, u64)>);

/// A point of a graph with all coordinates.
pub(super) fn whole(tile: &[i64]) -> [i64; MAX_DIMENSION] {
    let mut place = [0; MAX_DIMENSION];
    place[..tile.len()].copy_from_slice(tile);
    place
}

/// A letter for each coordinate: `f`irst, `l`ast, `o`nly, `i`nner.
pub(super) fn kind(callbacks: &Callbacks, extent: &[i64], tile: &[i64]) -> Result<String, Error> {
    let place = whole(tile);
    let letter = |k: usize| {
        let mut ends = [0, extent[k] - 1];
        if k > 0 {
            callbacks.narrow(k, &place, &mut ends)?;
        }
        Ok(match (tile[k] <= ends[0], tile[k] >= ends[1]) {
            (true, true) => 'o',
            (true, false) => 'f',
            (false, true) => 'l',
            (false, false) => 'i',
        })
    };
    (0..extent.len()).map(letter).collect()
}

impl KindTimes {
    pub(super) fn add(&mut self, region: &str, phase: usize, kind: String, nanoseconds: u64) {
        let (count, sum) = self.0.entry((region.to_owned(), phase, kind)).or_default();
        (*count, *sum) = (*count + 1, *sum + nanoseconds);
    }

    /// The mean of the tiles of this kind.
    pub(super) fn mean(&self, region: &str, phase: usize, kind: String) -> Option<u64> {
        let (count, sum) = self.0.get(&(region.to_owned(), phase, kind))?;
        Some(sum / count.max(&1))
    }

    /// Adds these times to those of a file.
    pub(super) fn keep(&self, path: &Path) -> Result<(), Error> {
        let mut all = if path.exists() { KindTimes::read(path)? } else { KindTimes::default() };
        for (key, (count, sum)) in &self.0 {
            let known = all.0.entry(key.clone()).or_default();
            *known = (known.0 + count, known.1 + sum);
        }
        std::fs::write(path, all.text()).map_err(|error| at(path, &error.to_string()))
    }

    pub(super) fn read(path: &Path) -> Result<KindTimes, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| at(path, &error.to_string()))?;
        KindTimes::parse(&text)
            .map_err(|line| at(path, &format!("line {line} is not `PHASE KIND TILES NANOSECONDS REGION`")))
    }

    fn text(&self) -> String {
        self.0.iter().fold(String::new(), |mut text, ((region, phase, kind), (count, sum))| {
            let _ = writeln!(text, "{phase} {kind} {count} {sum} {region}");
            text
        })
    }

    /// The times of a text, or the number of the line that cannot be read.
    fn parse(text: &str) -> Result<KindTimes, usize> {
        let mut times = KindTimes::default();
        for (number, line) in text.lines().enumerate() {
            let mut words = line.splitn(5, ' ');
            let mut word = || words.next().filter(|word| !word.is_empty()).ok_or(number + 1);
            let (phase, kind, count, sum, region) = (word()?, word()?, word()?, word()?, word()?);
            let wrong = |_| number + 1;
            let key = (region.to_owned(), phase.parse().map_err(wrong)?, kind.to_owned());
            times.0.insert(key, (count.parse().map_err(wrong)?, sum.parse().map_err(wrong)?));
        }
        Ok(times)
    }
}

fn at(path: &Path, why: &str) -> Error {
    Error::argument(format!("DVM_FORECAST: {}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_what_was_measured() {
        let mut times = KindTimes::default();
        for (phase, kind, nanoseconds) in [(0, "if", 10), (0, "if", 30), (1, "o", 7)] {
            times.add("a region", phase, kind.into(), nanoseconds);
        }
        let read = KindTimes::parse(&times.text()).unwrap();
        assert_eq!(read, times);
        assert_eq!(read.mean("a region", 0, "if".into()), Some(20));
        assert_eq!(read.mean("a region", 0, "il".into()), None);
        assert_eq!(KindTimes::parse("0 if 1 10 r\n0 if 1 x r\n"), Err(2));
        assert_eq!(KindTimes::parse("0 if 1\n"), Err(1));
    }
}
