//! Deterministic simulation: a few processes, each with all machines, run a random program over channels with random delays.
//! One seed is one run. Its oracle is the sequential run of the program: every task comes to what it comes to there, reads
//! the same bytes, the end is announced when nothing is left and not before, and all data are freed. With a loss: whatever runs
//! reads the right bytes, and every survivor comes to its end. With recovery: every task comes to what it should all the same.
//!
//! `testkit::seeds_from` says which seeds are run.

mod process;
mod program;

use super::planted::with_planted;
use crate::wire::{BatchHead, Message};
use process::{Fate, LifePhase, SimulatedProcess, Wrong, counted};
use program::{JobProgram, PreparedProgram, Scheduler, TaskSpec, UNIT};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use testkit::Random;

/// What a run may count on beside its program.
#[derive(Clone, Copy, Debug)]
struct Conditions {
    /// How many processes may die.
    kills: usize,
    /// How many processes may be accused, by others that count them as gone: they live, and are declared lost.
    accusations: usize,
}

/// What happened in runs, so that a test can say that it saw something.
#[derive(Debug, Default)]
struct Seen {
    steps: usize,
    in_place: usize,
    fetches: usize,
    /// Looks at bytes that a running task reads in another process's memory.
    mapped: usize,
    cancelled: usize,
    killed: usize,
    accused: usize,
    over: u64,
    /// Tasks that were sent again after a loss.
    again: usize,
}

struct World<'a> {
    prepared: &'a PreparedProgram,
    processes: Vec<Option<SimulatedProcess>>,
    channels: Vec<VecDeque<Vec<u8>>>,
    /// Processes that are dead and not yet declared lost.
    dead: Vec<usize>,
    random: Random,
    /// Channels that are slow in this run.
    slow: Vec<usize>,
}

enum Event {
    Deliver(usize, usize),
    End(usize, u64),
    Script(usize),
    Declare(usize),
}

const PATIENCE_STEPS: usize = 200_000;

impl World<'_> {
    fn new(prepared: &PreparedProgram, seed: u64) -> World<'_> {
        let count = prepared.program.processes;
        let mut random = Random::new(seed);
        let slow = (0..count * count).filter(|_| random.one_in(3)).collect();
        World {
            prepared,
            processes: (0..count).map(|me| Some(SimulatedProcess::new(me, prepared))).collect(),
            channels: vec![VecDeque::new(); count * count],
            dead: Vec::new(),
            random,
            slow,
        }
    }

    fn alive(&self) -> impl Iterator<Item = &SimulatedProcess> {
        self.processes.iter().flatten()
    }

    fn events(&self) -> Vec<Event> {
        let count = self.processes.len();
        let mut events = Vec::new();
        for (at, channel) in self.channels.iter().enumerate() {
            if !channel.is_empty() && self.processes[at % count].is_some() {
                events.push(Event::Deliver(at / count, at % count));
            }
        }
        for process in self.alive() {
            events.extend(process.running().into_iter().map(|arrival| Event::End(process.me, arrival)));
            if process.has_script(self.prepared) {
                events.push(Event::Script(process.me));
            }
        }
        events.extend(self.dead.iter().map(|dead| Event::Declare(*dead)));
        events
    }

    /// Every process begins.
    fn begin(&mut self) -> Result<(), Wrong> {
        for at in 0..self.processes.len() {
            if let Some(process) = &mut self.processes[at] {
                process.look_around(self.prepared)?;
            }
            self.post(at);
        }
        Ok(())
    }

    /// What a process has to send is under way.
    fn post(&mut self, at: usize) {
        let count = self.processes.len();
        for (to, batch) in self.processes[at].iter_mut().flat_map(|process| std::mem::take(&mut process.out)) {
            self.channels[at * count + to].push_back(batch);
        }
    }

    fn step(&mut self, event: &Event, seen: &mut Seen) -> Result<(), Wrong> {
        let at = match *event {
            Event::Deliver(_, at) | Event::End(at, _) | Event::Script(at) => at,
            Event::Declare(_) => 0,
        };
        let count = self.processes.len();
        let process = self.processes[at].as_mut().expect("it is alive");
        match *event {
            Event::Deliver(from, to) => {
                let batch = self.channels[from * count + to].pop_front().expect("a batch");
                process.receive(self.prepared, from, &batch)?;
            }
            Event::End(_, arrival) => process.end_task(self.prepared, arrival)?,
            Event::Script(_) => process.run_script(self.prepared)?,
            Event::Declare(dead) => {
                self.dead.retain(|one| *one != dead);
                process.gone(self.prepared, dead)?;
            }
        }
        process.look_around(self.prepared)?;
        let was_closed = process.phase == LifePhase::Closed;
        self.post(at);
        self.cut_off();
        for at in self.alive().flat_map(SimulatedProcess::freed) {
            if let Some(holder) = self.alive().find(|process| process.holds(at)) {
                return Err(format!("datum {at} is freed, and process {} holds it", holder.me));
            }
        }
        self.check_mapped(seen)?;
        if was_closed { self.check_quiet() } else { Ok(()) }
    }

    /// What running tasks read in another process's memory is there.
    fn check_mapped(&self, seen: &mut Seen) -> Result<(), Wrong> {
        for reader in self.alive() {
            for (datum, owner) in reader.read_elsewhere(self.prepared) {
                seen.mapped += 1;
                if self.processes[owner].as_ref().is_some_and(|owner| !owner.keeps(datum)) {
                    let me = reader.me;
                    return Err(format!("process {me} reads datum {datum} in process {owner}, which has it no more"));
                }
            }
        }
        Ok(())
    }

    /// The end was announced: nothing that counts is under way. A loss may be found out after the end was decided, and has
    /// consequences then.
    fn check_quiet(&self) -> Result<(), Wrong> {
        let lossless = self.processes.iter().all(Option::is_some);
        for channel in self.channels.iter().filter(|_| lossless) {
            for batch in channel {
                let (_, messages) = BatchHead::read(batch).map_err(|refusal| refusal.to_string())?;
                // An accusation may come at any time.
                let ends = |message: &Message<'_>| counted(message) && !matches!(message, Message::Lost { .. });
                if let Some(message) = messages.flatten().find(ends) {
                    return Err(format!("the end is announced, and {message:?} is under way"));
                }
            }
        }
        match self.alive().find(|process| !process.running().is_empty() || process.has_script(self.prepared)) {
            Some(process) => Err(format!("the end is announced, and process {} runs", process.me)),
            None => Ok(()),
        }
    }

    fn run(&mut self, conditions: Conditions, seen: &mut Seen) -> Result<(), Wrong> {
        let Conditions { mut kills, mut accusations } = conditions;
        self.begin()?;
        for _ in 0..PATIENCE_STEPS {
            if self.alive().all(|process| process.phase == LifePhase::Closed) {
                return self.finished(seen);
            }
            if kills > 0 && self.random.one_in(60) {
                kills -= 1;
                let victim = 1 + self.random.below(self.processes.len() - 1);
                if self.processes[victim].take().is_some() {
                    seen.killed += 1;
                    self.dead.push(victim);
                }
            }
            if accusations > 0 && self.random.one_in(60) {
                accusations -= 1;
                self.accuse(seen)?;
                continue;
            }
            let events = self.events();
            if events.is_empty() {
                return Err(format!(
                    "nothing happens any more: {:?}",
                    self.alive().find_map(SimulatedProcess::leftovers)
                ));
            }
            seen.steps += 1;
            let mut chosen = self.random.below(events.len());
            for _ in 0..3 {
                let count = self.processes.len();
                match events[chosen] {
                    Event::Deliver(from, to) if self.slow.contains(&(from * count + to)) => {
                        chosen = self.random.below(events.len());
                    }
                    _ => break,
                }
            }
            self.step(&events[chosen], seen)?;
        }
        Err("it does not end".into())
    }

    /// A process counts another one as gone, which lives.
    fn accuse(&mut self, seen: &mut Seen) -> Result<(), Wrong> {
        let count = self.processes.len();
        let (accuser, accused) = (self.random.below(count), 1 + self.random.below(count - 1));
        if accuser != accused
            && self.processes[accused].is_some()
            && let Some(process) = &mut self.processes[accuser]
        {
            seen.accused += 1;
            process.gone(self.prepared, accused)?;
            process.look_around(self.prepared)?;
            self.post(accuser);
            self.cut_off();
        }
        Ok(())
    }

    /// Whom process 0 has declared lost is out of the job.
    fn cut_off(&mut self) {
        for at in 1..self.processes.len() {
            if self.processes[0].as_ref().is_some_and(|root| !root.membership.is_alive(program::process(at))) {
                self.processes[at] = None;
            }
        }
    }

    fn finished(&self, seen: &mut Seen) -> Result<(), Wrong> {
        self.check_quiet()?;
        let lossless = self.processes.iter().all(Option::is_some);
        let mut fates: BTreeMap<usize, Fate> = BTreeMap::new();
        for process in self.alive() {
            if let Some(wrong) = process.leftovers() {
                return Err(wrong);
            }
            for (task, fate) in &process.fates {
                if fates.insert(*task, *fate).is_some() {
                    return Err(format!("task {task} ran twice"));
                }
                seen.cancelled += usize::from(*fate == Fate::Cancelled);
            }
            seen.in_place += process.in_place;
            seen.again += process.again;
            seen.fetches += process.fetches;
            let program = &self.prepared.program;
            let most = program.tasks.iter().map(|task| task.inputs.len() as u64 * 2 * UNIT).max().unwrap_or(0);
            if process.most_bytes > program.cache + most {
                return Err(format!("{} bytes of copies with a limit of {}", process.most_bytes, program.cache));
            }
            seen.over = seen.over.max(process.most_bytes.saturating_sub(program.cache));
        }
        for (task, spec) in self.prepared.program.tasks.iter().enumerate() {
            let expected = match (self.prepared.runs[task], spec.fails) {
                (false, _) => Fate::Cancelled,
                (true, true) => Fate::Failure,
                (true, false) => Fate::Success,
            };
            if self.prepared.program.recovers {
                self.check_told(task, expected)?;
            }
            let found = fates.get(&task);
            if lossless && found != Some(&expected) {
                return Err(format!("task {task} should come to {expected:?} and came to {found:?}"));
            }
            if found == Some(&Fate::Success) && expected != Fate::Success {
                return Err(format!("task {task} should come to {expected:?} and came to {found:?}"));
            }
        }
        for process in self.alive().filter(|_| lossless) {
            for (task, fate) in &process.told {
                if fates.get(task) != Some(fate) {
                    return Err(format!("process {} was told {fate:?} of task {task}", process.me));
                }
            }
        }
        Ok(())
    }
}

impl World<'_> {
    /// Process 0, which schedules all tasks, was told what this one came to, and nothing else: once, or again after a loss.
    fn check_told(&self, task: usize, expected: Fate) -> Result<(), Wrong> {
        let root = self.processes[0].as_ref().ok_or("process 0 is gone")?;
        let mut told = root.told.iter().filter(|(about, _)| *about == task).map(|(_, fate)| *fate).peekable();
        if told.peek().is_none() {
            return Err(format!("task {task} came to nothing"));
        }
        match told.find(|fate| *fate != expected) {
            Some(fate) => Err(format!("task {task} should come to {expected:?} and came to {fate:?}")),
            None => Ok(()),
        }
    }
}

fn run(program: &JobProgram, seed: u64, conditions: Conditions, seen: &mut Seen) -> Result<(), Wrong> {
    let prepared = program.prepare();
    World::new(&prepared, seed).run(conditions, seen)
}

fn conditions(seed: u64) -> Conditions {
    Conditions { kills: [0, 0, 1, 0, 2][(seed % 5) as usize], accusations: [0, 0, 0, 1, 0, 0, 2][(seed % 7) as usize] }
}

/// What a seed is run with.
type Cases = (fn(&mut Random) -> JobProgram, fn(u64) -> Conditions);

const USUAL: Cases = (JobProgram::random, conditions);

/// Most processes are lost, but for process 0.
fn losses(seed: u64) -> Conditions {
    Conditions { kills: [1, 1, 2, 3][(seed % 4) as usize], accusations: [0, 0, 1][(seed % 3) as usize] }
}

const RECOVERING: Cases = (JobProgram::random_recoverable, losses);

fn run_seed((program, conditions): Cases, seed: u64, seen: &mut Seen) -> Result<(), Wrong> {
    run(&program(&mut Random::new(seed)), seed, conditions(seed), seen)
}

/// A program that fails, as small as it gets, with what it comes to.
fn shrink((program, conditions): Cases, seed: u64) -> (JobProgram, u64, Wrong) {
    let conditions = conditions(seed);
    let mut program = program(&mut Random::new(seed));
    let fails = |program: &JobProgram| {
        let seeds = std::iter::once(seed).chain(0..60);
        seeds
            .into_iter()
            .find_map(|seed| run(program, seed, conditions, &mut Seen::default()).err().map(|wrong| (seed, wrong)))
    };
    let (mut at, mut wrong) = fails(&program).unwrap_or((seed, "nothing".into()));
    let mut task = 0;
    while task < program.tasks.len() {
        let smaller = program.without(task);
        match fails(&smaller) {
            Some((seed, found)) => {
                (program, at, wrong) = (smaller, seed, found);
                task = 0;
            }
            None => task += 1,
        }
    }
    (program, at, wrong)
}

fn text(program: &JobProgram) -> String {
    let mut text = format!("{} processes\n", program.processes);
    for (at, task) in program.tasks.iter().enumerate() {
        let TaskSpec { scheduler, runner, inputs, outputs, next, fails, acquires } = task;
        let from = match scheduler {
            Scheduler::Main(process) => format!("main of {process}"),
            Scheduler::Task(task) => format!("task {task}"),
        };
        let home = |data: &Vec<usize>| -> Vec<String> {
            data.iter().map(|datum| format!("{datum}@{}", program.homes[*datum])).collect()
        };
        let _ = writeln!(
            text,
            "task {at} from {from} on {runner}: {:?} -> {:?}, next {next:?}, fails {fails}, acquires {acquires:?}",
            home(inputs),
            home(outputs)
        );
    }
    text
}

/// Runs all seeds: how many, and what was seen.
fn run_seeds(cases: Cases, usual: u64) -> (u64, Seen) {
    let mut seen = Seen::default();
    let seeds = testkit::seeds_from(0, usual);
    let count = seeds.cases;
    for seed in seeds {
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run_seed(cases, seed, &mut seen)));
        let wrong = match found {
            Ok(Ok(())) => continue,
            Ok(Err(wrong)) => wrong,
            Err(panic) => panic!("seed {seed} panics: {:?}", panic.downcast_ref::<&str>()),
        };
        let (program, at, smallest) = shrink(cases, seed);
        panic!("seed {seed}: {wrong}\nwith delays of seed {at}: {smallest}\n{}", text(&program));
    }
    println!("{count} seeds: {seen:?}");
    (count, seen)
}

#[test]
fn random_programs_come_to_what_their_sequential_run_comes_to() {
    let (count, seen) = run_seeds(USUAL, 10_000);
    if count >= 1_000 {
        assert!(seen.in_place > 0 && seen.cancelled > 0 && seen.killed > 0 && seen.over > 0, "{seen:?}");
        assert!(seen.accused > 0 && seen.mapped > 0, "{seen:?}");
    }
}

#[test]
fn with_recovery_a_loss_changes_nothing() {
    let (count, seen) = run_seeds(RECOVERING, 10_000);
    if count >= 1_000 {
        assert!(seen.killed > 0 && seen.accused > 0 && seen.again > 0 && seen.in_place > 0, "{seen:?}");
    }
}

#[test]
fn each_planted_defect_is_found() {
    for defect in [
        "a taken reference is no loan",
        "a runner returns before its loan is confirmed",
        "a loan is returned while a question is under way",
        "home does not wait for the survivors",
        "a survivor does not ask for a loan",
        "nobody takes over a lost process's tasks",
        "the head waits for room like all others",
        "a busy process answers",
        "one wave is enough",
        "a survivor settles before it acknowledges",
    ] {
        let found = with_planted(defect, || first_wrong(USUAL));
        println!("{defect}: {found:?}");
        assert!(found.is_some(), "{defect}: not found");
    }
}

/// The first seed whose run comes to something wrong.
fn first_wrong(cases: Cases) -> Option<(u64, Wrong)> {
    (0..20_000).find_map(|seed| {
        let run = std::panic::catch_unwind(|| run_seed(cases, seed, &mut Seen::default()));
        run.unwrap_or_else(|_| Err("a panic".into())).err().map(|wrong| (seed, wrong))
    })
}

#[test]
fn each_planted_defect_of_recovery_is_found() {
    for defect in [
        "an output is freed before its task is returned",
        "a task that has ended is not sent again",
        "the end does not wait for tasks that are sent again",
    ] {
        let found = with_planted(defect, || first_wrong(RECOVERING));
        println!("{defect}: {found:?}");
        assert!(found.is_some(), "{defect}: not found");
    }
}
