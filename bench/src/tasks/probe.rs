//! What the machine itself costs while others are measured.

use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// One look, in ns.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// An uncontended atomic addition.
    pub atomic: f64,
    /// A cache line handed from one core to another: between the nearest pair; absent with one core.
    pub hand_over_least: Option<f64>,
    /// Between the farthest pair.
    pub hand_over_most: Option<f64>,
    /// From waking a sleeping thread to the first thing that it does.
    pub wake: Option<f64>,
}

impl Probe {
    /// Runs the probe.
    pub fn run(program: &Path) -> Result<Self, String> {
        let output = Command::new(program).output().map_err(|error| format!("{}: {error}", program.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        serde_json::from_str(text.trim()).map_err(|error| format!("the probe printed {text:?}: {error}"))
    }
}

/// All looks during a work.
#[derive(Default, Debug, Serialize)]
#[serde(transparent)]
pub struct Probes(Vec<Probe>);

impl Probes {
    /// One more.
    pub fn add(&mut self, probe: Probe) {
        self.0.push(probe);
    }

    /// Least, middle and greatest of a quantity.
    fn range(&self, of: impl Fn(&Probe) -> Option<f64>) -> Option<[f64; 3]> {
        let mut values: Vec<f64> = self.0.iter().filter_map(of).collect();
        values.sort_by(f64::total_cmp);
        Some([*values.first()?, values[(values.len() - 1) / 2], *values.last()?])
    }

    /// The hand-over of a cache line, for the headings of figures with several workers.
    pub fn hand_over(&self) -> Option<String> {
        let [least, ..] = self.range(|probe| probe.hand_over_least)?;
        let [_, middle, most] = self.range(|probe| probe.hand_over_most)?;
        Some(format!("cache line to another core {middle:.0} ns ({least:.0} .. {most:.0})"))
    }

    /// Everything, for the head of the report.
    pub fn all(&self) -> String {
        let mut parts = Vec::new();
        if let Some([least, middle, most]) = self.range(|probe| Some(probe.atomic)) {
            parts.push(format!("uncontended atomic {middle:.1} ns ({least:.1} .. {most:.1})"));
        }
        parts.extend(self.hand_over());
        if let Some([least, middle, most]) = self.range(|probe| probe.wake) {
            parts.push(format!("futex wake {:.0} us ({:.0} .. {:.0})", middle / 1e3, least / 1e3, most / 1e3));
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_core_has_no_hand_over() {
        let mut probes = Probes::default();
        probes.add(serde_json::from_str("{\"atomic\":4.5}").unwrap());
        assert_eq!(probes.hand_over(), None);
        assert_eq!(probes.all(), "uncontended atomic 4.5 ns (4.5 .. 4.5)");
    }

    #[test]
    fn ranges_over_runs_and_pairs() {
        let mut probes = Probes::default();
        for (least, most) in [(20.0, 30.0), (25.0, 140.0), (21.0, 31.0)] {
            let probe =
                Probe { atomic: 4.0, hand_over_least: Some(least), hand_over_most: Some(most), wake: Some(20e3) };
            probes.add(probe);
        }
        assert_eq!(probes.hand_over().unwrap(), "cache line to another core 31 ns (20 .. 140)");
    }
}
