//! The text of an explanation. Long lists are cut, with the number of omitted entries.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::analysis::{Cause, CycleStep, Findings};
use super::snapshot::{Busy, PromiseSource, Snapshot};
use crate::data::DatumId;
use crate::data::names;
use crate::engine::remote_view::RemoteView;
use crate::engine::view::{AbsenceView, Whereabouts, WorkerView};
use crate::engine::{Account, Missed};
use crate::processing::Mode;
use crate::task::TaskView;

/// Maximum number of printed entries of a list.
pub(super) const TOLD: usize = 16;

/// Maximum number of printed arguments of a task.
pub(super) const ARGUMENTS: usize = 8;

/// Prints a snapshot and its causes; if `times`, also how long things have lasted.
pub(super) fn tell(snapshot: &Snapshot, findings: &Findings, times: bool) -> String {
    let mut text = Words { snapshot, times, text: String::new() };
    text.overview();
    text.together();
    text.region();
    text.peers();
    text.workers();
    text.cycles(&findings.cycles);
    text.causes(&findings.causes);
    text.waiting();
    text.remote();
    snapshot.engine.graphs.iter().for_each(|graph| text.graph(graph));
    if snapshot.short {
        text.line("\nThere is no memory to look at all that waits: more does.");
    }
    text.text
}

pub(super) struct Words<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// Whether to print how long things have lasted.
    pub(super) times: bool,
    text: String,
}

/// `1 task`, `2 tasks`.
pub(super) fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn were(number: u64) -> &'static str {
    if number == 1 { "was" } else { "were" }
}

pub(super) fn name(id: DatumId) -> String {
    names::in_words(id)
}

impl Words<'_> {
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn overview(&mut self) {
        let Self { snapshot, .. } = *self;
        let engine = &snapshot.engine;
        let waiting = snapshot.tasks.iter().filter(|task| !task.missing.is_empty()).count() as u64;
        let running = engine.workers.iter().filter(|worker| worker.running.is_some()).count() as u64;
        let sleepers: u64 = snapshot.data.iter().map(|datum| u64::from(datum.sleepers)).sum();
        self.line("libdvm: what waits for what");
        let remote = engine.remote.as_ref();
        if engine.outstanding == 0
            && engine.graphs.is_empty()
            && sleepers == 0
            && !remote.is_some_and(RemoteView::waits)
        {
            self.line("Nothing waits: every task has ended, no graph runs, and no thread sleeps in dvm_data_get.");
            return;
        }
        let blocked_tasks = engine.blocked_tasks.len() as u64;
        let (elsewhere, remotely) = remote.map_or((0, 0), |remote| (remote.sent_tasks(), remote.waiting));
        let others = waiting + running + blocked_tasks + elsewhere + remotely;
        let ready = engine.outstanding.saturating_sub(others);
        let blocking =
            if blocked_tasks > 0 { format!(" {blocked_tasks} in blocking sections,") } else { String::new() };
        let have = if engine.outstanding == 1 { "has" } else { "have" };
        let mut line = if engine.outstanding == 0 {
            "No task is outstanding.".to_owned()
        } else {
            format!(
                "{} {have} not ended: {running} running,{blocking} {ready} ready, {} waiting for data{}.",
                count(engine.outstanding, "task"),
                waiting + remotely,
                if elsewhere > 0 { format!(", {elsewhere} in other processes") } else { String::new() }
            )
        };
        if let Some(remote) = remote {
            line.insert_str(0, &format!("Process {} of {}. ", remote.me, remote.processes));
        }
        if sleepers > 0 {
            let _ = write!(line, " In dvm_data_get: {}.", count(sleepers, "thread"));
        }
        if engine.awaited && remote.is_none() {
            line.push_str(" A thread is in dvm_wait or dvm_finalize.");
        }
        self.line(&line);
        if snapshot.moved {
            self.line("Tasks began or ended while this was read: parts of it may be out of date.");
        }
    }

    /// Prints workers that run something, and tasks in blocking sections.
    fn workers(&mut self) {
        let line = |worker: &WorkerView| {
            let runs = worker.running?;
            let more = match worker.given.saturating_sub(1) {
                0 => String::new(),
                more => format!("; {} that did not end {} given to it", count(more, "more task"), were(more)),
            };
            Some(format!("  the worker of {} runs '{runs}'{}{more}", worker.title, self.lasting(worker.seen)))
        };
        let lines: Vec<String> = self.snapshot.engine.workers.iter().filter_map(line).collect();
        self.list(&lines, lines.len());
        let line = |absence: &AbsenceView| {
            let lasts = self.lasting(absence.lasts);
            format!("  '{}' is in a blocking section on {}{lasts}", absence.description, self.title(absence.worker))
        };
        let lines: Vec<String> = self.snapshot.engine.blocked_tasks.iter().map(line).collect();
        self.list(&lines, lines.len());
    }

    /// Prints the first lines of a list with `all` entries, and the number of omitted ones.
    pub(super) fn list(&mut self, lines: &[String], all: usize) {
        lines.iter().take(TOLD).for_each(|line| self.line(line));
        let told = lines.len().min(TOLD);
        if all > told {
            self.line(&format!("  and {} more", all - told));
        }
    }

    /// A task with its arguments and place.
    fn task(&self, task: usize) -> String {
        let node = &self.snapshot.tasks[task];
        match &node.view {
            Some(view) => self.described(node.description, view),
            None => format!("'{}'", node.description),
        }
    }

    fn described(&self, description: &str, view: &TaskView) -> String {
        let place = view.worker.map_or("near its data".into(), |worker| format!("on {}", self.title(worker as usize)));
        format!("{} {place}", self.call(description, &view.arguments))
    }

    /// A processing with the arguments of a task.
    pub(super) fn call(&self, description: &str, all: &[(Mode, DatumId)]) -> String {
        let argument = |(mode, id): &(Mode, DatumId)| {
            let way = if *mode == Mode::In { "in" } else { "out" };
            format!("{way} {}", self.known_as(*id))
        };
        let mut arguments: Vec<String> = all.iter().take(ARGUMENTS).map(argument).collect();
        if all.len() > ARGUMENTS {
            arguments.push(format!("{} more", all.len() - ARGUMENTS));
        }
        format!("'{description}' ({})", arguments.join(", "))
    }

    /// A datum as the program knows it: a local slot may be that of another process's datum.
    fn known_as(&self, id: DatumId) -> DatumId {
        let far = self.snapshot.engine.remote.as_ref().and_then(|remote| remote.slots.get(&id));
        far.copied().unwrap_or(id)
    }

    fn name(&self, id: DatumId) -> String {
        name(self.known_as(id))
    }

    /// The rank of a worker.
    fn title(&self, worker: usize) -> &str {
        self.snapshot.engine.workers.get(worker).map_or("a worker", |worker| &worker.title)
    }

    /// How long something has lasted; empty if not worth printing.
    fn lasting(&self, time: Duration) -> String {
        let seconds = time.as_secs();
        if self.times && seconds > 0 { format!(", for {seconds} s at least") } else { String::new() }
    }

    /// What a task that waits for no data is doing.
    fn state(&self, busy: &Busy) -> String {
        match busy.whereabouts {
            Whereabouts::Runs { worker } => {
                let seen = self.snapshot.engine.workers.get(worker).map_or(Duration::ZERO, |worker| worker.seen);
                format!("runs on {}{}", self.title(worker), self.lasting(seen))
            }
            Whereabouts::Blocks { worker, lasts } => {
                format!("is in a blocking section on {}{}", self.title(worker), self.lasting(lasts))
            }
            Whereabouts::Queued => "is ready, in a queue".into(),
        }
    }

    /// The publisher of a datum, after a colon.
    fn publisher(&self, datum: usize) -> String {
        let datum = &self.snapshot.data[datum];
        match datum.source {
            PromiseSource::Nobody => match datum.predecessor {
                Some(id) => {
                    format!("nobody is to publish it: it carries on {}, and no task has it as an output", self.name(id))
                }
                None => "nobody is to publish it".into(),
            },
            PromiseSource::Hand => "written by hand, not published yet".into(),
            PromiseSource::Busy(None) => "the output of a task that has just ended".into(),
            PromiseSource::Away => self.elsewhere(datum.id),
            PromiseSource::Busy(Some(busy)) => {
                let busy = &self.snapshot.busy[busy];
                format!("the output of '{}', which {}", busy.description, self.state(busy))
            }
            PromiseSource::Task(task) => {
                format!("the output of '{}', which waits itself", self.snapshot.tasks[task].description)
            }
        }
    }

    fn cycles(&mut self, cycles: &[Vec<CycleStep>]) {
        for steps in cycles.iter().take(TOLD) {
            self.line(&format!(
                "\nCycle of {}: each waits for what the next is to publish, and the last for the first's",
                count(steps.len() as u64, "task")
            ));
            let line = |step: &CycleStep| {
                format!("  {} waits for {}", self.task(step.task), self.name(self.snapshot.data[step.datum].id))
            };
            let lines: Vec<String> = steps.iter().map(line).collect();
            self.list(&lines, lines.len());
            self.line("  What to do: no order of publication ends this; take one of these inputs away, or publish it by other means.");
        }
        if cycles.len() > TOLD {
            self.line(&format!("\nand {} more", count((cycles.len() - TOLD) as u64, "cycle")));
        }
    }

    fn causes(&mut self, causes: &[Cause]) {
        for cause in causes.iter().take(TOLD) {
            self.cause(cause);
        }
        if causes.len() > TOLD {
            self.line(&format!(
                "\nand {} more that somebody waits for",
                count((causes.len() - TOLD) as u64, "promise")
            ));
        }
    }

    fn cause(&mut self, cause: &Cause) {
        let Self { snapshot, .. } = *self;
        let datum = &snapshot.data[cause.datum];
        self.line(&format!(
            "\nMissing: {} ({}): {}",
            self.name(datum.id),
            count(datum.size as u64, "byte"),
            self.publisher(cause.datum)
        ));
        match datum.source {
            PromiseSource::Nobody if datum.predecessor.is_some() => {
                self.line("  What to do: schedule a task that reads that datum and has this one as an output.");
            }
            PromiseSource::Nobody => self.line(
                "  What to do: schedule the task that has it as an output, or write it (dvm_data_write) and publish it (dvm_data_publish).",
            ),
            PromiseSource::Hand => self.line("  What to do: the thread that called dvm_data_write has to call dvm_data_publish."),
            PromiseSource::Busy(Some(busy)) => {
                let busy = &snapshot.busy[busy];
                let told = self.described(busy.description, &busy.view);
                self.line(&format!("  Its publisher: {told} {}", self.state(busy)));
            }
            PromiseSource::Busy(None) | PromiseSource::Away => {}
            PromiseSource::Task(task) => self.line(&format!("  Its publisher: {}", self.task(task))),
        }
        let mut held = vec![format!("{} for it", count(datum.waiters.len() as u64, "task"))];
        match cause.behind {
            Some(0) => {}
            Some(behind) => held.push(format!("{} for what these are to publish", count(behind as u64, "task"))),
            None => held.push("others for what these are to publish (not counted)".into()),
        }
        if datum.sleepers > 0 {
            held.push(format!("{} in dvm_data_get", count(u64::from(datum.sleepers), "thread")));
        }
        self.line(&format!("  Waiting: {}.", held.join(", ")));
    }

    /// Prints the waiting tasks, each with its missing data.
    fn waiting(&mut self) {
        let Self { snapshot, .. } = *self;
        let all: Vec<usize> =
            (0..snapshot.tasks.len()).filter(|&task| !snapshot.tasks[task].missing.is_empty()).collect();
        if all.is_empty() {
            return;
        }
        self.line("\nTasks that wait:");
        let lines: Vec<String> = all
            .iter()
            .take(TOLD)
            .map(|&task| {
                let missing = &snapshot.tasks[task].missing;
                let first = missing[0];
                let more =
                    if missing.len() > 1 { format!(" (and for {} more)", missing.len() - 1) } else { String::new() };
                format!(
                    "  {} waits for {}{more}: {}",
                    self.task(task),
                    self.name(snapshot.data[first].id),
                    self.publisher(first)
                )
            })
            .collect();
        self.list(&lines, all.len());
        if all.len() > TOLD {
            let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
            for &task in &all {
                *kinds.entry(snapshot.tasks[task].description).or_default() += 1;
            }
            let mut kinds: Vec<(&str, u64)> = kinds.into_iter().collect();
            kinds.sort_by_key(|&(description, number)| (std::cmp::Reverse(number), description));
            let told: Vec<String> =
                kinds.iter().take(TOLD).map(|(description, number)| format!("{number} '{description}'")).collect();
            let more =
                if kinds.len() > TOLD { format!(", and {} more kinds", kinds.len() - TOLD) } else { String::new() };
            self.line(&format!("  In all: {}{more}", told.join(", ")));
        }
    }

    fn graph(&mut self, graph: &Account) {
        let points = if graph.general || graph.bounded { "points of its box" } else { "tiles" };
        self.line(&format!(
            "\nGraph '{}': of {} {points} {} have run, {} running, {} ready, {} waiting for predecessors that have not run",
            graph.name,
            graph.volume,
            graph.ended,
            graph.running.len(),
            graph.ready,
            graph.waiting
        ));
        let title = |worker: usize| self.title(worker);
        let lines: Vec<String> =
            graph.running.iter().map(|(worker, tile)| format!("  tile {tile:?} runs on {}", title(*worker))).collect();
        let waiting: Vec<String> = graph
            .told
            .iter()
            .map(|waits| {
                let predecessor = |(tile, why): &(Vec<i64>, Missed)| {
                    let why = match why {
                        Missed::Runs(worker) => format!("which runs on {}", title(*worker)),
                        Missed::Waits => "which waits itself".into(),
                        Missed::Unreached => "which has not been reached".into(),
                    };
                    format!("{tile:?}, {why}")
                };
                let mut missed: Vec<String> = waits.missed.iter().map(predecessor).collect();
                let unknown = waits.missing.saturating_sub(missed.len() as u64);
                if unknown > 0 {
                    let (what, why) = match (graph.general, graph.bounded) {
                        (true, _) => ("no tile has announced yet", "its successors function has to tell"),
                        (_, true) => ("have not run", "they wait, are ready, or run"),
                        _ => ("could run", "ready, or just over"),
                    };
                    missed.push(format!("{unknown} that {what} ({why})"));
                }
                format!("  tile {:?} misses {}: {}", waits.tile, count(waits.missing, "predecessor"), missed.join("; "))
            })
            .collect();
        self.list(&lines, lines.len());
        self.list(&waiting, graph.waiting as usize);
    }
}
