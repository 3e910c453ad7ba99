//! One interleaved run: in each round, each system in turn; the first one is another in each round.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::time::Instant;

use serde::Deserialize;

use crate::probe::{Probe, Probes};
use crate::programs::Workshop;
use crate::samples::{Failure, Run, Samples};
use crate::systems::{Kind, SYSTEMS, System, Toolchain};
use crate::works::{Measure, Work};

/// The exit status of a program whose results were right, but whose measurement came to no figure (`work.h`).
const NO_FIGURE: i32 = 3;

/// How a run is done.
pub struct Plan {
    /// Rounds.
    pub rounds: usize,
    /// Numbers of workers.
    pub workers: Vec<usize>,
    /// Short sizes.
    pub quick: bool,
    /// Seconds that one program may take.
    pub limit: u64,
    /// Seconds that all runs of one program may take together, three runs apart.
    pub patience: f64,
}

/// A system that can be measured, or why it cannot.
pub struct Entrant {
    /// The system.
    pub system: &'static System,
    /// Why it is left out; its peers' packages are named by the system.
    pub absent: Option<String>,
}

/// A system's program for a work, ready to be run.
struct Contestant {
    system: &'static System,
    program: PathBuf,
    arguments: Vec<String>,
    variant: &'static str,
    workers: usize,
    spent: f64,
    samples: Samples,
}

/// Runs that a program is given however slow it is.
const LEAST_RUNS: usize = 3;

/// The figures of a work.
pub struct Figures {
    /// The work.
    pub work: &'static Work,
    /// By number of workers, in the order of the systems.
    pub by_workers: BTreeMap<usize, Vec<(&'static System, Samples)>>,
    /// What the machine cost meanwhile.
    pub probes: Probes,
}

/// The line that a program prints.
#[derive(Deserialize)]
struct Line {
    ns: f64,
    deferred: bool,
    peak_kib: u64,
}

/// Which of the chosen systems are installed.
pub fn entrants(workshop: &Workshop, chosen: impl Fn(&System) -> bool) -> Vec<Entrant> {
    let installed = |system: &System| match system.toolchain {
        Toolchain::Rayon => None,
        toolchain => workshop.compiler(toolchain).err(),
    };
    let entrant = |system| Entrant { system, absent: installed(system) };
    SYSTEMS.iter().filter(|system| chosen(system)).map(entrant).collect()
}

/// How many programs a work runs.
pub fn steps(work: &Work, entrants: &[Entrant], plan: &Plan) -> usize {
    let per_round = |entrant: &&Entrant| pairings(entrant.system, work, plan).len();
    plan.rounds
        * entrants.iter().filter(|entrant| entrant.absent.is_none()).map(|entrant| per_round(&entrant)).sum::<usize>()
}

/// The numbers of workers that a system runs a work with.
fn pairings(system: &System, work: &Work, plan: &Plan) -> Vec<usize> {
    let mut workers = work.workers(&plan.workers);
    if system.kind == Kind::Serial {
        workers = vec![1];
    }
    if system.program(work.key).is_none() {
        workers.clear();
    }
    workers
}

/// Measures one work.
pub fn measure(
    work: &'static Work,
    entrants: &[Entrant],
    workshop: &Workshop,
    plan: &Plan,
    mut progress: impl FnMut(&str),
) -> Result<Figures, String> {
    let mut contestants = Vec::new();
    for entrant in entrants.iter().filter(|entrant| entrant.absent.is_none()) {
        for workers in pairings(entrant.system, work, plan) {
            contestants.push(contestant(entrant.system, work, workshop, workers)?);
        }
    }
    let probe = workshop.probe()?;
    let mut probes = Probes::default();
    for round in 0..plan.rounds {
        probes.add(Probe::run(&probe)?);
        for turn in 0..contestants.len() {
            let index = (turn + round) % contestants.len();
            let contestant = &mut contestants[index];
            progress(&format!("{} {}", work.key, contestant.system.name));
            contestant.run(work, plan);
        }
    }
    let mut by_workers: BTreeMap<usize, Vec<_>> = BTreeMap::new();
    for contestant in contestants {
        by_workers.entry(contestant.workers).or_default().push((contestant.system, contestant.samples));
    }
    Ok(Figures { work, by_workers, probes })
}

/// A program that does not compile is a failure of its system, not the end of the run.
fn contestant(system: &'static System, work: &Work, workshop: &Workshop, workers: usize) -> Result<Contestant, String> {
    let (name, variant) = system.program(work.key).ok_or_else(|| format!("{} has no {}", system.name, work.key))?;
    let mut contestant = Contestant {
        system,
        program: PathBuf::new(),
        arguments: vec![],
        variant,
        workers,
        spent: 0.0,
        samples: Samples::default(),
    };
    if system.toolchain == Toolchain::Rayon {
        contestant.program = std::env::current_exe().map_err(|error| format!("own path: {error}"))?;
        contestant.arguments = vec!["rayon".into(), name.into()];
        return Ok(contestant);
    }
    match workshop.compiler(system.toolchain).and_then(|compiler| workshop.make(&compiler, system, name)) {
        Ok(program) => contestant.program = program,
        Err(message) => contestant.samples.failure = Some(Failure::Failed(message)),
    }
    Ok(contestant)
}

/// What an exit status other than 0 says; `limit`: the seconds after which `timeout` kills.
fn failure(status: ExitStatus, complaint: &str, limit: u64) -> Failure {
    match status.code() {
        None | Some(137) => Failure::TimedOut(limit),
        Some(NO_FIGURE) => Failure::NoFigure(complaint.to_owned()),
        Some(_) => Failure::Failed(format!("{status}: {complaint}")),
    }
}

impl Contestant {
    /// One run more, unless one has failed or all have taken too long. Patience with libdvm does not end: its figures are judged.
    fn run(&mut self, work: &Work, plan: &Plan) {
        let impatient =
            self.system.kind != Kind::Own && self.spent > plan.patience && self.samples.runs.len() >= LEAST_RUNS;
        if self.samples.failure.is_some() || impatient {
            return;
        }
        let began = Instant::now();
        match self.once(work, plan) {
            Ok(run) => self.samples.runs.push(run),
            Err(failure) => self.samples.failure = Some(failure),
        }
        self.spent += began.elapsed().as_secs_f64();
    }

    fn once(&self, work: &Work, plan: &Plan) -> Result<Run, Failure> {
        let mut command = Command::new("timeout");
        command.args(["--signal=KILL", &plan.limit.to_string()]).arg(&self.program).args(&self.arguments);
        command.args([self.workers.to_string(), work.size(plan.quick).to_string()]);
        if !self.variant.is_empty() {
            command.arg(self.variant);
        }
        command.env("DVM_WORKERS", self.workers.to_string()).env("STARPU_SILENT", "1");
        let output = command.output().map_err(|error| Failure::Failed(format!("timeout: {error}")))?;
        if !output.status.success() {
            return Err(failure(output.status, String::from_utf8_lossy(&output.stderr).trim(), plan.limit));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let line: Line = serde_json::from_str(text.trim())
            .map_err(|error| Failure::Failed(format!("it printed {text:?}: {error}")))?;
        let value = if work.measure == Measure::Memory { line.peak_kib as f64 / 1024.0 } else { line.ns };
        Ok(Run { value, peak_kib: line.peak_kib, deferred: line.deferred })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn the_exit_status_tells_failures_from_runs_without_figure() {
        let said = |code: i32| failure(ExitStatus::from_raw(code << 8), "why", 60);
        assert_eq!(said(NO_FIGURE), Failure::NoFigure("why".into()));
        assert_eq!(said(137), Failure::TimedOut(60));
        assert!(matches!(said(1), Failure::Failed(message) if message.ends_with("1: why")));
        assert_eq!(failure(ExitStatus::from_raw(9), "", 60), Failure::TimedOut(60));
        let header = include_str!("../../peers/common/work.h");
        assert!(header.contains(&format!("BENCH_NO_FIGURE = {NO_FIGURE} ")), "the header says another status");
    }
}
