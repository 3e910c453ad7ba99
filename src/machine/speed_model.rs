//! What the choice of tile sizes knows of a machine's speed, as a TOML text that `dvm-info --model` writes and
//! `DVM_MODEL` reads back.
#![forbid(unsafe_code)]

use std::fmt::{self, Write as _};
use std::path::Path;

use serde::Deserialize;

use super::caches::{Caches, SharedCache};
use crate::error::{Error, dvm_retcode_t};

/// A machine's caches and speeds. All of it may be absent: then libdvm takes what hwloc tells, and its own defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeedModel {
    /// The version of the keys.
    #[serde(default)]
    pub version: Version,
    /// The caches of a worker.
    #[serde(default)]
    pub caches: CacheModels,
    /// The main memory.
    pub memory: Option<MemoryModel>,
    /// Arithmetic in registers.
    pub peak: Option<PeakModel>,
}

/// The version of the keys: 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct Version;

impl TryFrom<i64> for Version {
    type Error = String;

    fn try_from(number: i64) -> Result<Version, String> {
        if number == 1 { Ok(Version) } else { Err(format!("this libdvm reads version 1, not {number}")) }
    }
}

/// The data caches, by level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheModels {
    /// Level 1.
    pub l1d: Option<CacheModel>,
    /// Level 2.
    pub l2: Option<CacheModel>,
    /// Level 3.
    pub l3: Option<CacheModel>,
}

/// A cache.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheModel {
    /// Size in bytes.
    pub bytes: Count,
    /// The PUs with a worker that share it.
    pub sharers: Count,
    /// 10^9 bytes that a worker reads from it in a second, while all workers read.
    pub bandwidth: Option<Rate>,
}

/// The main memory.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryModel {
    /// 10^9 bytes that a worker reads from it in a second, while all workers read.
    pub bandwidth: Rate,
}

/// The most operations in a second.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PeakModel {
    /// 10^9 additions and multiplications of `double` by a worker in a second, while all workers compute.
    pub double: Rate,
    /// The same of `float`.
    pub single: Rate,
}

/// A whole number from 1 to 2^48.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct Count(u64);

impl Count {
    /// The number; `None` beyond the limits.
    pub fn new(number: u64) -> Option<Count> {
        (1..=1 << 48).contains(&number).then_some(Count(number))
    }
}

impl TryFrom<i64> for Count {
    type Error = String;

    fn try_from(number: i64) -> Result<Count, String> {
        let count = u64::try_from(number).ok().and_then(Count::new);
        count.ok_or_else(|| format!("{number} is no whole number from 1 to 2^48"))
    }
}

/// A speed: a number from 0.001 to 10^9.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Number")]
pub struct Rate(f64);

/// A number as TOML writes it: `3` is one as well as `3.0`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(i64),
    Real(f64),
}

impl Rate {
    /// The speed; `None` beyond the limits.
    pub fn new(speed: f64) -> Option<Rate> {
        (1e-3..=1e9).contains(&speed).then_some(Rate(speed))
    }
}

impl TryFrom<Number> for Rate {
    type Error = String;

    fn try_from(number: Number) -> Result<Rate, String> {
        let speed = match number {
            Number::Whole(whole) => whole as f64,
            Number::Real(real) => real,
        };
        Rate::new(speed).ok_or_else(|| format!("{speed} is no number from 0.001 to 10^9"))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl SpeedModel {
    /// Reads a text.
    ///
    /// # Errors
    /// What is wrong, with its line: a key that is not known, a value out of its limits, no TOML.
    fn parse(text: &str) -> Result<SpeedModel, String> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            format!("line {line}: {}", error.message().replace('\n', "; "))
        })
    }

    /// Reads the file of `DVM_MODEL`.
    ///
    /// # Errors
    /// `DVM_ERR_ARGUMENT` with the file, the line and what is wrong.
    pub(super) fn read(path: &Path) -> Result<SpeedModel, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("the file cannot be read: {error}"));
        text.and_then(|text| SpeedModel::parse(&text)).map_err(|reason| {
            let hint = "`dvm-info --model` writes a file that is right";
            let message = format!("the environment variable DVM_MODEL names {}: {reason}; {hint}", path.display());
            Error::new(dvm_retcode_t::DVM_ERR_ARGUMENT, message)
        })
    }

    /// The caches that hold for so many workers: those of the model, else of the machine.
    pub(super) fn caches(&self, machine: Caches, workers: usize) -> Caches {
        let own = |model: Option<CacheModel>, machine: SharedCache| {
            model.map_or(machine, |CacheModel { bytes, sharers, .. }| SharedCache {
                bytes: bytes.0,
                sharers: usize::try_from(sharers.0).unwrap_or(workers).min(workers).max(1),
            })
        };
        let CacheModels { l1d, l2, l3 } = self.caches;
        Caches { l1d: own(l1d, machine.l1d), l2: own(l2, machine.l2), l3: own(l3, machine.l3) }
    }

    /// What the choice of tile sizes takes from the speeds.
    pub(crate) fn balance(&self) -> Balance {
        let peak = self.peak.map(|peak| peak.double.0);
        // Transfer of 8 bytes over an addition and a multiplication.
        let points = |bandwidth: Option<Rate>| Some(4.0 * peak? / bandwidth?.0);
        let limited = |uses: f64, least: f64, most: f64| uses.round().clamp(least, most) as i64;
        let stream = points(self.memory.map(|memory| memory.bandwidth));
        let near = points(self.caches.l2.and_then(|cache| cache.bandwidth));
        Balance {
            stream: stream.map_or(Balance::DEFAULT.stream, |uses| limited(uses / 8.0, 1.0, 16.0)),
            near: near.map_or(Balance::DEFAULT.near, |uses| limited(uses * 8.0, 8.0, 64.0)),
        }
    }
}

/// Points per eight bytes at which a tile's time is no longer that of transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Balance {
    /// Below, a tile streams from memory: at an eighth of the peak its points take less time than its bytes.
    pub stream: i64,
    /// From this on the nearest cache pays: at the peak the transfer from the next one takes an eighth of the time.
    pub near: i64,
}

impl Balance {
    /// Without speeds.
    pub const DEFAULT: Balance = Balance { stream: 4, near: 24 };
}

impl fmt::Display for SpeedModel {
    /// Writes the TOML text, each key with its meaning.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::from(
            "# The speed of a machine, as `dvm-info --model` has measured it. DVM_MODEL=FILE lets programs read it.\n\
             # Each worker does the same at the same time; a speed is that of one worker, the least of all.\n\
             # Each table may be left out; a key that is not known is an error.\n\
             version = 1\n",
        );
        let CacheModels { l1d, l2, l3 } = self.caches;
        for (level, cache) in [("l1d", l1d), ("l2", l2), ("l3", l3)] {
            let Some(CacheModel { bytes, sharers, bandwidth }) = cache else { continue };
            let _ = write!(
                text,
                "\n[caches.{level}]\n# Size in bytes.\nbytes = {}\n# PUs with a worker that share it.\nsharers = {}\n",
                bytes.0, sharers.0
            );
            if let Some(bandwidth) = bandwidth {
                let _ = writeln!(text, "# 10^9 bytes that a worker reads in a second.\nbandwidth = {bandwidth}");
            }
        }
        if let Some(MemoryModel { bandwidth }) = self.memory {
            let _ =
                writeln!(text, "\n[memory]\n# 10^9 bytes that a worker reads in a second.\nbandwidth = {bandwidth}");
        }
        if let Some(PeakModel { double, single }) = self.peak {
            let _ = writeln!(
                text,
                "\n[peak]\n# 10^9 additions and multiplications of a worker in a second.\ndouble = {double}\nsingle = {single}"
            );
        }
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> SpeedModel {
        let cache = |bytes, sharers, speed| {
            Some(CacheModel {
                bytes: Count::new(bytes).unwrap(),
                sharers: Count::new(sharers).unwrap(),
                bandwidth: Rate::new(speed),
            })
        };
        SpeedModel {
            version: Version,
            caches: CacheModels {
                l1d: cache(32 << 10, 1, 100.0),
                l2: cache(1 << 20, 2, 40.5),
                l3: cache(32 << 20, 8, 12.125),
            },
            memory: Rate::new(8.0).map(|bandwidth| MemoryModel { bandwidth }),
            peak: Some(PeakModel { double: Rate::new(64.0).unwrap(), single: Rate::new(128.0).unwrap() }),
        }
    }

    #[test]
    fn a_model_prints_and_parses() {
        assert_eq!(SpeedModel::parse(&whole().to_string()), Ok(whole()));
        assert_eq!(SpeedModel::parse(&SpeedModel::default().to_string()), Ok(SpeedModel::default()));
        assert_eq!(SpeedModel::parse(""), Ok(SpeedModel::default()));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let cases = [
            ("version = 1\n\n[caches.l1d]\nbytes = 7\nsharers = 1\nways = 8\n", "line 6", "ways"),
            ("version = 1\n[links]\n", "line 2", "links"),
            ("version = 2\n", "line 1", "version 1"),
            ("[caches.l2]\nbytes = 0\nsharers = 1\n", "line 2", "2^48"),
            ("[caches.l2]\nbytes = 4096\n", "line 1", "sharers"),
            ("# none\n[memory]\nbandwidth = -3\n", "line 3", "0.001"),
            ("[memory]\nbandwidth = nan\n", "line 2", "0.001"),
            ("[memory]\nbandwidth = \"9\"\n", "line 2", ""),
            ("\n\n[memory\n", "line 3", ""),
            ("[peak]\ndouble = 1\ndouble = 2\nsingle = 1\n", "line 3", "duplicate"),
        ];
        for (text, line, word) in cases {
            let told = SpeedModel::parse(text).unwrap_err();
            assert!(told.starts_with(line) && told.contains(word) && !told.contains('\n'), "{text}: {told}");
        }
    }

    #[test]
    fn the_caches_of_a_model_replace_the_machines() {
        let machine = Caches::DEFAULT;
        assert_eq!(SpeedModel::default().caches(machine, 4), machine);
        let caches = whole().caches(machine, 4);
        assert_eq!((caches.l1d.bytes, caches.l2.sharers, caches.l3.sharers), (32 << 10, 2, 4));
        assert_eq!(whole().caches(machine, 1).l2.share(), 1 << 20);
    }

    #[test]
    fn speeds_give_the_balance_of_transfers_and_points() {
        assert_eq!(SpeedModel::default().balance(), Balance::DEFAULT);
        // 32 points of two operations for eight bytes of memory; 6.3 for those of the second level.
        assert_eq!(whole().balance(), Balance { stream: 4, near: 51 });
        let slow = SpeedModel { memory: Some(MemoryModel { bandwidth: Rate::new(0.5).unwrap() }), ..whole() };
        assert_eq!(slow.balance().stream, 16);
        let half = SpeedModel { peak: None, ..whole() };
        assert_eq!(half.balance(), Balance::DEFAULT);
    }
}
