//! The same for programs: JSON.

use serde_json::{Value, json};

use crate::measure::{Entrant, Figures, Plan};
use crate::samples::{Failure, Samples};
use crate::verdicts::Verdict;

fn samples(samples: &Samples) -> Value {
    let spread = samples.spread();
    json!({
        "median": samples.median(),
        "least": spread.map(|(least, _)| least),
        "greatest": spread.map(|(_, greatest)| greatest),
        "runs": samples.runs.iter().map(|run| run.value).collect::<Vec<_>>(),
        "deferred": samples.deferred(),
        "peak_kib": samples.peak_kib(),
        "failure": samples.failure.as_ref().map(|failure| match failure {
            Failure::TimedOut(limit) => format!("not within {limit} s"),
            Failure::NoFigure(message) | Failure::Failed(message) => message.clone(),
        }),
    })
}

fn work(figures: &Figures, quick: bool) -> Value {
    let at = |(workers, rows): (&usize, &Vec<_>)| {
        let systems: serde_json::Map<String, Value> = rows
            .iter()
            .map(|(system, runs): &(&crate::systems::System, Samples)| (system.name.into(), samples(runs)))
            .collect();
        json!({ "workers": workers, "goal": figures.work.goal(*workers), "systems": systems })
    };
    json!({
        "key": figures.work.key,
        "title": figures.work.title(quick),
        "unit": figures.work.measure.unit(),
        "size": figures.work.size(quick),
        "machine_ns": figures.probes,
        "figures": figures.by_workers.iter().map(at).collect::<Vec<_>>(),
    })
}

fn verdicts(verdicts: &[Verdict]) -> Vec<Value> {
    verdicts.iter().map(|verdict| json!({ "met": verdict.met, "text": verdict.text })).collect()
}

/// Everything that was measured.
pub fn render(
    all: &[Figures],
    entrants: &[Entrant],
    plan: &Plan,
    goals: &[Verdict],
    comparisons: &[Verdict],
) -> String {
    let absent = |entrant: &&Entrant| entrant.absent.is_some();
    let report = json!({
        "processor": processor(),
        "cpus": std::thread::available_parallelism().map_or(1, usize::from),
        "rounds": plan.rounds,
        "quick": plan.quick,
        "not_installed": entrants.iter().filter(absent).map(|entrant| entrant.system.name).collect::<Vec<_>>(),
        "works": all.iter().map(|figures| work(figures, plan.quick)).collect::<Vec<_>>(),
        "goals": verdicts(goals),
        "comparisons": verdicts(comparisons),
    });
    format!("{report:#}\n")
}

/// The processor's name.
pub fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name.trim()));
    name.unwrap_or("unknown processor").into()
}
