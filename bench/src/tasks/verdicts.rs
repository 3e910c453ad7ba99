//! The figures against the goals, and against the peers.

use crate::measure::Figures;
use crate::samples::Samples;
use crate::systems::{Kind, System};

/// One sentence about one figure.
#[derive(Debug)]
pub struct Verdict {
    /// Whether it is as it should be.
    pub met: bool,
    /// What, in words.
    pub text: String,
}

/// A peer that libdvm is compared with: `limit` times its figure is allowed.
struct Rule {
    works: &'static [&'static str],
    peers: &'static [&'static str],
    /// Numbers of workers: from, to.
    workers: (usize, usize),
    limit: f64,
}

const ANY: (usize, usize) = (1, usize::MAX);
const SEVERAL: (usize, usize) = (2, usize::MAX);

const RULES: &[Rule] = &[
    Rule { works: &["a", "b", "d"], peers: &["starpu", "tbb-flow"], workers: ANY, limit: 1.0 },
    Rule { works: &["a", "b", "d"], peers: &["gomp", "libomp"], workers: SEVERAL, limit: 1.0 },
    Rule { works: &["a"], peers: &["tbb", "rayon"], workers: (1, 1), limit: 1.75 },
    Rule { works: &["a"], peers: &["tbb", "rayon"], workers: SEVERAL, limit: 1.0 },
    Rule { works: &["c"], peers: &["starpu", "gomp", "libomp", "tbb", "rayon"], workers: ANY, limit: 1.2 },
];

fn own(rows: &[(&'static System, Samples)]) -> impl Iterator<Item = (&'static str, f64)> {
    let own = rows.iter().filter(|(system, _)| system.kind == Kind::Own);
    own.filter_map(|(system, samples)| Some((system.name, samples.median()?)))
}

/// The goals of a work.
pub fn goals(figures: &Figures) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (&workers, rows) in &figures.by_workers {
        let Some(goal) = figures.work.goal(workers) else { continue };
        for (name, value) in own(rows) {
            let text = format!("{}, {workers} workers: {name} {value:.1}, goal {goal:.0}", figures.work.key);
            verdicts.push(Verdict { met: value <= goal, text });
        }
    }
    verdicts
}

/// libdvm against its peers.
pub fn comparisons(figures: &Figures) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (&workers, rows) in &figures.by_workers {
        let holds = |rule: &&Rule| {
            rule.works.contains(&figures.work.key) && (rule.workers.0..=rule.workers.1).contains(&workers)
        };
        for rule in RULES.iter().filter(holds) {
            for (peer, samples) in rows.iter().filter(|(system, _)| rule.peers.contains(&system.name)) {
                let Some(theirs) = samples.median().filter(|_| samples.deferred()) else { continue };
                for (name, value) in own(rows) {
                    let ratio = value / theirs;
                    let text = format!(
                        "{}, {workers} workers: {name} {value:.1} is {ratio:.2} of {} {theirs:.1} ({} runs), allowed {}",
                        figures.work.key,
                        peer.name,
                        samples.runs.len(),
                        rule.limit
                    );
                    verdicts.push(Verdict { met: ratio <= rule.limit, text });
                }
            }
        }
    }
    verdicts
}

/// The verdicts as text.
pub fn render(title: &str, verdicts: &[Verdict]) -> String {
    let met = verdicts.iter().filter(|verdict| verdict.met).count();
    let mut text = format!("{title}: {met} of {}\n", verdicts.len());
    for verdict in verdicts {
        text.push_str(if verdict.met { "    met     " } else { "    MISSED  " });
        text.push_str(&verdict.text);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::probe::Probes;
    use crate::samples::Run;
    use crate::systems::SYSTEMS;
    use crate::works::WORKS;

    fn figures(work: &str, workers: usize, values: &[(&str, f64)]) -> Figures {
        let row = |&(name, value): &(&str, f64)| {
            let runs = vec![Run { value, peak_kib: 0, deferred: true }];
            (SYSTEMS.iter().find(|system| system.name == name).unwrap(), Samples { runs, failure: None })
        };
        let work = WORKS.iter().find(|known| known.key == work).unwrap();
        let by_workers = BTreeMap::from([(workers, values.iter().map(row).collect())]);
        Figures { work, by_workers, probes: Probes::default() }
    }

    #[test]
    fn goals_are_met_or_missed() {
        let verdicts = goals(&figures("a", 1, &[("dvm", 80.0), ("dvm-near", 80.1), ("tbb", 1.0)]));
        assert_eq!(verdicts.iter().map(|verdict| verdict.met).collect::<Vec<_>>(), [true, false]);
        assert!(goals(&figures("a", 3, &[("dvm", 1.0)])).is_empty());
    }

    #[test]
    fn openmp_counts_with_several_workers_only() {
        let compare = |workers| comparisons(&figures("b", workers, &[("dvm", 50.0), ("gomp", 40.0), ("starpu", 60.0)]));
        assert_eq!(compare(1).iter().map(|verdict| verdict.met).collect::<Vec<_>>(), [true]);
        assert_eq!(compare(2).iter().map(|verdict| verdict.met).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn data_free_tasks_give_some_room_to_one_worker() {
        let compare = |workers| comparisons(&figures("a", workers, &[("dvm", 70.0), ("rayon", 41.0)]))[0].met;
        assert!(compare(1) && !compare(2));
    }
}
