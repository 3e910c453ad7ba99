//! Every interleaving of a few processes that use one datum: it is never freed while somebody holds it, and it is freed in the
//! end. The code that is explored is the machines' own, with [`Membership`]; channels, tasks and programs are modelled.

use super::{Held, Holder, HolderAction, HolderEvent, LoanHome, WithheldTask};
use crate::id::ProcessId;
use crate::protocol::membership::{Membership, MembershipAction, MembershipEvent};
use crate::protocol::planted::{planted, with_planted};
use crate::wire::LoanMessage;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is explored.
#[derive(Clone, Copy)]
struct Bounds {
    processes: usize,
    home: usize,
    /// Calls of the program: tasks, references made and dropped.
    operations: u8,
    /// References made, among them.
    acquires: u8,
    /// The processes, as bits, that call although they hold nothing.
    strangers: u8,
    /// Whether a process that is neither process 0 nor home may die.
    loss: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Letter {
    Task,
    Done,
    Loan(LoanMessage),
    Lost(usize),
    Ack(usize),
}

/// A use of a reference.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Use {
    Relax,
    Task(usize),
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Process {
    held: Held,
    holder: Holder,
    /// The senders of the tasks that run here.
    running: Vec<usize>,
    /// How many tasks were sent to each process and are not returned.
    sent: Vec<u32>,
    wants: Vec<Use>,
    membership: Membership,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct World {
    processes: Vec<Process>,
    channels: Vec<Vec<Letter>>,
    home: LoanHome,
    freed: bool,
    operations: u8,
    acquires: u8,
    dead: Option<usize>,
}

fn process(index: usize) -> ProcessId {
    ProcessId::from_index(index as u32)
}

fn index(process: ProcessId) -> usize {
    process.index() as usize
}

type Wrong = String;

impl World {
    fn new(bounds: Bounds) -> World {
        let count = bounds.processes;
        let one = |at| Process {
            held: Held { available: u32::from(at == bounds.home), taken: 0 },
            holder: Holder::default(),
            running: Vec::new(),
            sent: vec![0; count],
            wants: Vec::new(),
            membership: Membership::new(process(at), count as u32),
        };
        World {
            processes: (0..count).map(one).collect(),
            channels: vec![Vec::new(); count * count],
            home: LoanHome::default(),
            freed: false,
            operations: bounds.operations,
            acquires: bounds.acquires,
            dead: None,
        }
    }

    fn send(&mut self, from: usize, to: usize, letter: Letter) {
        if self.dead != Some(to) {
            let at = from * self.processes.len() + to;
            self.channels[at].push(letter);
        }
    }

    /// Frees the datum if home may.
    fn settle(&mut self, home: usize) {
        let at = &self.processes[home];
        self.freed |= self.home.may_free(at.held, at.membership.frozen());
    }

    /// An event of the holder at a process other than home, with what follows.
    fn hold(&mut self, at: usize, home: usize, event: HolderEvent) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        let Process { held, holder, .. } = &mut self.processes[at];
        holder.step(held, event, &mut actions).map_err(|breach| breach.to_string())?;
        self.act(at, home, actions)
    }

    fn act(&mut self, at: usize, home: usize, actions: Vec<HolderAction>) -> Result<(), Wrong> {
        for action in actions {
            match action {
                HolderAction::Send(message) => self.send(at, home, Letter::Loan(message)),
                HolderAction::Granted => {
                    let wanted = self.processes[at].wants.remove(0);
                    self.used(at, home, wanted)?;
                }
                HolderAction::Denied => drop(self.processes[at].wants.remove(0)),
                HolderAction::AcquireDenied => {}
                HolderAction::Return(task) => self.send(at, index(task.from), Letter::Done),
            }
        }
        Ok(())
    }

    /// A reference has been taken for this use.
    fn used(&mut self, at: usize, home: usize, wanted: Use) -> Result<(), Wrong> {
        match wanted {
            Use::Relax => self.release(at, home)?,
            Use::Task(to) if to == at => self.run(at, at),
            // The task fails before it is sent.
            Use::Task(to) if self.knows(at, to) => self.release(at, home)?,
            Use::Task(to) => {
                self.processes[at].sent[to] += 1;
                self.send(at, to, Letter::Task);
                if planted("a sender forgets its task with the outcome") {
                    self.release(at, home)?;
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, at: usize, sender: usize) {
        self.processes[at].running.push(sender);
        self.processes[at].running.sort_unstable();
    }

    /// A taken reference is not used any longer.
    fn release(&mut self, at: usize, home: usize) -> Result<(), Wrong> {
        if at != home {
            return self.hold(at, home, HolderEvent::Release);
        }
        self.processes[at].held.taken -= 1;
        Ok(())
    }

    /// The program uses a reference.
    fn want(&mut self, at: usize, home: usize, wanted: Use) -> Result<(), Wrong> {
        if at == home {
            return if self.processes[at].held.take() { self.used(at, home, wanted) } else { Ok(()) };
        }
        self.processes[at].wants.push(wanted);
        self.hold(at, home, HolderEvent::Use)
    }

    fn acquire(&mut self, at: usize, home: usize) -> Result<(), Wrong> {
        if at != home {
            return self.hold(at, home, HolderEvent::Acquire);
        }
        self.processes[at].held.available += 1;
        Ok(())
    }

    /// A task that runs here, from this sender, ends.
    fn end(&mut self, at: usize, home: usize, sender: usize) -> Result<(), Wrong> {
        let running = &mut self.processes[at].running;
        let place = running.iter().position(|one| *one == sender).expect("it runs");
        running.remove(place);
        if sender == at {
            self.release(at, home)
        } else if at == home {
            self.send(at, sender, Letter::Done);
            Ok(())
        } else {
            self.hold(at, home, HolderEvent::End(WithheldTask { from: process(sender), sequence: 0 }))
        }
    }

    fn member(&mut self, at: usize, home: usize, event: MembershipEvent) -> Result<(), Wrong> {
        let mut actions = Vec::new();
        self.processes[at].membership.step(event, &mut actions).map_err(|breach| breach.to_string())?;
        for action in actions {
            match action {
                MembershipAction::Tell(to, lost) => self.send(at, index(to), Letter::Lost(index(lost))),
                MembershipAction::Ack(to, lost) => self.send(at, index(to), Letter::Ack(index(lost))),
                MembershipAction::Apply(lost) => self.apply(at, home, index(lost))?,
                MembershipAction::Settle(lost) => self.give_up(at, home, index(lost))?,
                MembershipAction::Thaw | MembershipAction::Ended => {}
            }
        }
        Ok(())
    }

    /// The machines of a process take a loss in.
    fn apply(&mut self, at: usize, home: usize, lost: usize) -> Result<(), Wrong> {
        let count = self.processes.len();
        self.channels[lost * count + at].clear();
        self.channels[at * count + lost].clear();
        let Process { held, holder, running, .. } = &mut self.processes[at];
        let tasks = running.iter().filter(|sender| **sender == lost).count() as u32;
        running.iter_mut().filter(|sender| **sender == lost).for_each(|sender| *sender = at);
        running.sort_unstable();
        let mut actions = Vec::new();
        if at == home {
            self.home.lost(held, process(lost), tasks);
        } else {
            holder.adopt(held, process(lost), tasks, &mut actions);
            if planted("nobody takes over a lost process's tasks") {
                running.retain(|sender| *sender != at);
            }
        }
        self.act(at, home, actions)
    }

    /// The tasks that were sent to a lost process have failed.
    fn give_up(&mut self, at: usize, home: usize, lost: usize) -> Result<(), Wrong> {
        for _ in 0..std::mem::take(&mut self.processes[at].sent[lost]) {
            self.release(at, home)?;
        }
        let mut actions = Vec::new();
        if at != home {
            let Process { held, holder, .. } = &mut self.processes[at];
            holder.adopted(*held, &mut actions);
        }
        self.act(at, home, actions)
    }

    fn deliver(&mut self, from: usize, to: usize, home: usize) -> Result<(), Wrong> {
        let at = from * self.processes.len() + to;
        match self.channels[at].remove(0) {
            Letter::Task => {
                self.run(to, from);
                if to != home {
                    self.hold(to, home, HolderEvent::Begin)?;
                }
            }
            Letter::Done => {
                self.processes[to].sent[from] -= 1;
                if !planted("a sender forgets its task with the outcome") {
                    self.release(to, home)?;
                }
            }
            Letter::Loan(message) if to != home => self.hold(to, home, HolderEvent::Answer(process(from), message))?,
            Letter::Loan(message) if self.freed => {
                let answer = LoanHome::unknown(process(from), message).map_err(|breach| breach.to_string())?;
                self.send(to, from, Letter::Loan(answer));
            }
            Letter::Loan(message) => {
                let held = &mut self.processes[home].held;
                let answer = self.home.message(held, process(from), message).map_err(|breach| breach.to_string())?;
                if let Some(answer) = answer {
                    self.send(to, from, Letter::Loan(answer));
                }
            }
            Letter::Lost(lost) => {
                self.member(to, home, MembershipEvent::Lost { from: process(from), process: process(lost) })?;
            }
            Letter::Ack(lost) => {
                self.member(to, home, MembershipEvent::Ack { from: process(from), process: process(lost) })?;
            }
        }
        Ok(())
    }

    /// A process dies: what it had is gone, what it has sent is under way.
    fn die(&mut self, victim: usize) {
        let count = self.processes.len();
        let fresh = Membership::new(process(victim), count as u32);
        let nothing = Process {
            held: Held::default(),
            holder: Holder::default(),
            running: Vec::new(),
            sent: vec![0; count],
            wants: Vec::new(),
            membership: fresh,
        };
        self.processes[victim] = nothing;
        for from in 0..count {
            self.channels[from * count + victim].clear();
        }
        self.dead = Some(victim);
    }

    /// Whether this process knows that this one is dead.
    fn knows(&self, at: usize, other: usize) -> bool {
        !self.processes[at].membership.is_alive(process(other))
    }

    /// All that may happen next.
    fn next(&self, bounds: Bounds, then: &mut dyn FnMut(Result<World, Wrong>)) {
        let home = bounds.home;
        let mut with = |change: &mut dyn FnMut(&mut World) -> Result<(), Wrong>| {
            let mut world = self.clone();
            let changed = change(&mut world);
            then(changed.map(|()| {
                world.settle(home);
                world
            }));
        };
        let alive = (0..bounds.processes).filter(|at| self.dead != Some(*at));
        for at in alive.clone().filter(|_| self.operations > 0) {
            let one = &self.processes[at];
            let stranger = bounds.strangers >> at & 1 != 0;
            let mut call = |acquires: u8, change: &mut dyn FnMut(&mut World) -> Result<(), Wrong>| {
                with(&mut |world| {
                    world.operations -= 1;
                    world.acquires -= acquires;
                    change(world)
                });
            };
            if one.held.available > 0 {
                for to in (0..bounds.processes).filter(|to| !self.knows(at, *to)) {
                    call(0, &mut |world| world.want(at, home, Use::Task(to)));
                }
                call(0, &mut |world| world.want(at, home, Use::Relax));
            } else if stranger && at != home && !self.freed && one.wants.len() < 2 {
                // The program has the id only, and a reference at home; or one that it has asked for.
                call(0, &mut |world| world.want(at, home, Use::Relax));
                if !self.knows(at, (at + 1) % bounds.processes) {
                    call(0, &mut |world| world.want(at, home, Use::Task((at + 1) % bounds.processes)));
                }
            }
            let holds = !one.held.is_nothing() || !one.running.is_empty();
            if self.acquires > 0 && !self.freed && (holds || stranger) {
                call(1, &mut |world| world.acquire(at, home));
            }
        }
        for at in alive.clone() {
            let mut last = None;
            for sender in &self.processes[at].running {
                if last.replace(*sender) != Some(*sender) {
                    with(&mut |world| world.end(at, home, *sender));
                }
            }
            for from in 0..bounds.processes {
                if !self.channels[from * bounds.processes + at].is_empty() {
                    with(&mut |world| world.deliver(from, at, home));
                }
            }
        }
        match self.dead {
            None if bounds.loss => {
                for victim in (1..bounds.processes).filter(|victim| *victim != home) {
                    with(&mut |world| {
                        world.die(victim);
                        Ok(())
                    });
                }
            }
            Some(victim) if !self.knows(0, victim) => {
                with(&mut |world| world.member(0, home, MembershipEvent::Gone(process(victim))));
            }
            _ => {}
        }
    }

    /// Whether the datum is freed while somebody holds it.
    fn check(&self) -> Result<(), Wrong> {
        let holds = |one: &Process| !one.held.is_nothing() || !one.running.is_empty();
        if self.freed && self.processes.iter().any(holds) {
            return Err("the datum is freed while it is held".into());
        }
        Ok(())
    }

    /// Nothing can happen any more.
    fn check_end(&self) -> Result<(), Wrong> {
        if !self.freed && self.processes.iter().all(|one| one.held.available == 0) {
            return Err("nobody holds the datum, and it is not freed".into());
        }
        if self.processes.iter().any(|one| !one.wants.is_empty() || one.held.taken > 0) {
            return Err("a use waits for ever".into());
        }
        Ok(())
    }
}

struct Explored {
    states: usize,
    ends: usize,
}

fn explore(bounds: Bounds) -> Result<Explored, Wrong> {
    let seen_as = |world: &World| {
        let mut hasher = DefaultHasher::new();
        world.hash(&mut hasher);
        hasher.finish()
    };
    let start = World::new(bounds);
    let mut seen = HashSet::from([seen_as(&start)]);
    let mut open = vec![start];
    let mut explored = Explored { states: 0, ends: 0 };
    while let Some(world) = open.pop() {
        explored.states += 1;
        world.check()?;
        let mut wrong = None;
        let mut count = 0;
        world.next(bounds, &mut |next| {
            count += 1;
            match next {
                Ok(next) if seen.insert(seen_as(&next)) => open.push(next),
                Ok(_) => {}
                Err(found) => wrong = Some(found),
            }
        });
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        if count == 0 {
            explored.ends += 1;
            world.check_end()?;
        }
    }
    Ok(explored)
}

fn explore_and_say(name: &str, bounds: Bounds) {
    let began = std::time::Instant::now();
    let explored = explore(bounds).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    let Bounds { processes, home, operations, acquires, strangers, loss } = bounds;
    println!(
        "{processes} processes, home {home}, {operations} operations, {acquires} acquires, strangers {strangers:b}, loss {loss}: {} states, {} ends, {:.1} s",
        explored.states,
        explored.ends,
        began.elapsed().as_secs_f64()
    );
}

const ALL: u8 = u8::MAX;
const QUIET: Bounds = Bounds { processes: 3, home: 0, operations: 5, acquires: 2, strangers: ALL, loss: false };
const LOSS: Bounds = Bounds { processes: 3, home: 0, operations: 3, acquires: 1, strangers: ALL, loss: true };
/// Who declares a loss is not home, which may hear of it last.
const FAR_HOME: Bounds = Bounds { processes: 4, home: 1, operations: 3, acquires: 1, strangers: 1 << 2, loss: true };

#[test]
fn no_interleaving_frees_what_is_held_or_leaks() {
    explore_and_say("quiet", QUIET);
}

#[test]
fn no_interleaving_with_a_loss_frees_what_is_held_or_leaks() {
    explore_and_say("loss", LOSS);
}

#[test]
fn no_interleaving_with_a_loss_that_home_hears_of_last_frees_what_is_held() {
    explore_and_say("far home", FAR_HOME);
}

/// The bounds of `make soak`.
#[test]
#[ignore = "minutes, and some gigabytes"]
fn long_no_interleaving_frees_what_is_held_or_leaks() {
    explore_and_say("quiet", Bounds { operations: 7, acquires: 3, ..QUIET });
    explore_and_say("loss", Bounds { operations: 5, acquires: 2, ..LOSS });
    explore_and_say("far home", Bounds { strangers: ALL, ..FAR_HOME });
    explore_and_say("far home", Bounds { operations: 4, ..FAR_HOME });
}

#[test]
fn each_rule_is_needed() {
    for (defect, bounds) in [
        ("a taken reference is no loan", QUIET),
        ("a sender forgets its task with the outcome", QUIET),
        ("a runner returns before its loan is confirmed", QUIET),
        ("a loan is returned while a question is under way", QUIET),
        ("home does not wait for the survivors", FAR_HOME),
        ("a survivor does not ask for a loan", FAR_HOME),
        ("nobody takes over a lost process's tasks", FAR_HOME),
        ("a survivor settles before it acknowledges", FAR_HOME),
    ] {
        let found = with_planted(defect, || explore(bounds)).err();
        println!("{defect}: {}", found.as_deref().unwrap_or("not found"));
        assert!(found.is_some(), "{defect}: not found");
    }
}
