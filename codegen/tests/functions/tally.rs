//! What became of the functions that were tried.

use std::collections::BTreeMap;
use std::time::Duration;

/// Numbers to add up.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub functions: usize,
    /// Functions whose behaviour C does not define, with sizes that the judge tried.
    pub undefined: usize,
    pub regions: usize,
    pub accepted: usize,
    pub different: usize,
    pub tiles: u64,
    refused: BTreeMap<String, usize>,
    pub transforming: Duration,
    pub compiling: Duration,
    pub running: Duration,
}

impl Tally {
    /// Notes a message; names are left out of it.
    pub fn refuse(&mut self, message: &str) {
        let message = message.split_once("stays sequential: ").map_or(message, |m| m.1);
        let reason: String = message.split('`').enumerate().map(|(k, s)| if k % 2 == 0 { s } else { "_" }).collect();
        *self.refused.entry(reason).or_default() += 1;
    }

    /// Adds another tally.
    pub fn add(&mut self, other: Tally) {
        self.functions += other.functions;
        self.undefined += other.undefined;
        self.regions += other.regions;
        self.accepted += other.accepted;
        self.different += other.different;
        self.tiles += other.tiles;
        self.transforming += other.transforming;
        self.compiling += other.compiling;
        self.running += other.running;
        other.refused.into_iter().for_each(|(reason, count)| *self.refused.entry(reason).or_default() += count);
    }

    /// The numbers as text, with the `most` most frequent reasons.
    pub fn text(&self, most: usize) -> String {
        let mut text = format!(
            "{} functions, {} undefined, {} regions, {} accepted, {} different, {} tiles; transforming {:.1} s, compiling {:.1} s, \
             running {:.1} s\n",
            self.functions,
            self.undefined,
            self.regions,
            self.accepted,
            self.different,
            self.tiles,
            self.transforming.as_secs_f64(),
            self.compiling.as_secs_f64(),
            self.running.as_secs_f64()
        );
        let mut reasons: Vec<(&String, &usize)> = self.refused.iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), (*reason).clone()));
        for (reason, count) in reasons.into_iter().take(most) {
            text += &format!("  {count:6} {reason}\n");
        }
        text
    }
}
