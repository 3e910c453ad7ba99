//! Rounds in simulated jobs: whatever the processes do, all ends.

use super::*;
use std::collections::VecDeque;
use testkit::Random;

const PLAN: u64 = 77;
const ARRAYS: u64 = 5;
const ROUNDS: usize = 3;

/// What goes from one process to another.
enum Sent {
    Plan(u32, u64),
    Event(RoundKey, RoundEvent),
    Freed(RoundKey),
}

/// What a process does in a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deed {
    TakesPart,
    OtherArrays,
    Refuses,
    /// It has freed the plan.
    Freed,
    Dies,
}

struct Job {
    rounds: Vec<Rounds>,
    alive: Vec<bool>,
    /// By sender and receiver, in order.
    wires: BTreeMap<(usize, usize), VecDeque<Sent>>,
    /// Promises that were kept (true) or broken, by process and number.
    settled: BTreeMap<(usize, u64), bool>,
    actions: Vec<(usize, RoundAction)>,
}

fn id(process: usize) -> ProcessId {
    ProcessId::from_index(process as u32)
}

fn promise(round: u32, which: u64) -> DatumId {
    DatumId::from_raw([0, 2 * u64::from(round) + which + 1])
}

impl Job {
    fn new(processes: usize) -> Job {
        Job {
            rounds: (0..processes).map(|p| Rounds::new(id(p))).collect(),
            alive: vec![true; processes],
            wires: BTreeMap::new(),
            settled: BTreeMap::new(),
            actions: Vec::new(),
        }
    }

    fn send(&mut self, from: usize, to: usize, what: Sent) {
        if self.alive[from] && self.alive[to] {
            self.wires.entry((from, to)).or_default().push_back(what);
        }
    }

    fn act(&mut self, process: usize, actions: Vec<RoundAction>) {
        self.actions.extend(actions.into_iter().map(|action| (process, action)));
    }

    /// Delivers one message, or carries out one action; false if there is none.
    fn step(&mut self, random: &mut Random) -> bool {
        let full: Vec<(usize, usize)> =
            self.wires.iter().filter(|(_, wire)| !wire.is_empty()).map(|(pair, _)| *pair).collect();
        let k = random.below(full.len() + self.actions.len() + 1);
        if k < full.len() {
            let (from, to) = full[k];
            let sent = self.wires.get_mut(&(from, to)).and_then(VecDeque::pop_front).expect("it is not empty");
            if !self.alive[to] {
                return true;
            }
            let mut actions = Vec::new();
            match sent {
                Sent::Plan(plan, digest) => self.rounds[to].told(id(from), plan, digest).unwrap(),
                Sent::Event(key, event) => self.rounds[to].event(id(from), key, event, &mut actions).unwrap(),
                Sent::Freed(key) => self.rounds[to].freed(id(from), key, &mut actions).unwrap(),
            }
            self.act(to, actions);
        } else if k - full.len() < self.actions.len() {
            let (process, action) = self.actions.swap_remove(k - full.len());
            let mut actions = Vec::new();
            match action {
                RoundAction::Keep(promise) | RoundAction::Break(promise) => {
                    let kept = matches!(action, RoundAction::Keep(_));
                    let before = self.settled.insert((process, promise.number()), kept);
                    assert!(before.is_none(), "a promise is settled once");
                }
                RoundAction::Receive { key, from, .. } => {
                    self.rounds[process].filled(key, from, true, &mut actions);
                }
            }
            self.act(process, actions);
        }
        !full.is_empty() || !self.actions.is_empty()
    }

    /// Whether nothing is left to be delivered or done.
    fn is_quiet(&self) -> bool {
        self.actions.is_empty() && self.wires.values().all(VecDeque::is_empty)
    }

    fn die(&mut self, process: usize) {
        self.alive[process] = false;
        for other in 0..self.alive.len() {
            // What had been sent still arrives, before the loss is told: a survivor hears of it last.
            while let Some(sent) = self.wires.get_mut(&(process, other)).and_then(VecDeque::pop_front) {
                if !self.alive[other] {
                    continue;
                }
                let mut actions = Vec::new();
                match sent {
                    Sent::Plan(plan, digest) => self.rounds[other].told(id(process), plan, digest).unwrap(),
                    Sent::Event(key, event) => {
                        self.rounds[other].event(id(process), key, event, &mut actions).unwrap();
                    }
                    Sent::Freed(key) => self.rounds[other].freed(id(process), key, &mut actions).unwrap(),
                }
                self.act(other, actions);
            }
            if self.alive[other] {
                let mut actions = Vec::new();
                self.rounds[other].lost(id(process), &mut actions);
                self.act(other, actions);
            }
        }
    }
}

fn some_offer(random: &mut Random) -> Offer<Vec<u8>> {
    let place = crate::wire::HeapPlace { segment: 1, offset: 64, bytes: 3 };
    match random.below(4) {
        0 => Offer::Inline(vec![1, 2, 3]),
        1 => Offer::Away { ticket: random.number(), bytes: 3 },
        2 => Offer::Packed(place),
        _ => Offer::Memories(vec![place]),
    }
}

/// One process's part of one round: it opens it, offers, and answers when all offers have come.
fn begin(job: &mut Job, process: usize, deed: Deed, edges: &BTreeSet<(usize, usize)>, random: &mut Random) -> u32 {
    let key = job.rounds[process].begin(0);
    let takers: Vec<usize> = edges.iter().filter(|e| e.0 == process).map(|e| e.1).collect();
    let senders: Vec<usize> = edges.iter().filter(|e| e.1 == process).map(|e| e.0).collect();
    if deed == Deed::Refuses {
        for (role, others) in [(RoundRole::Sender, &takers), (RoundRole::Taker, &senders)] {
            for &other in others {
                job.send(process, other, Sent::Event(key, RoundEvent::Refused(role, Error::state("no"))));
            }
        }
        job.rounds[process].close(key);
        return key.round;
    }
    let arrays = if deed == Deed::OtherArrays { ARRAYS + 1 + process as u64 } else { ARRAYS };
    let opening = Opening {
        arrays,
        senders: senders.iter().map(|&sender| (id(sender), 3)).collect(),
        takers: takers.iter().map(|&taker| id(taker)).collect(),
        come: promise(key.round, 0),
        free: promise(key.round, 1),
    };
    let mut actions = Vec::new();
    job.rounds[process].open(key, opening, &mut actions);
    job.act(process, actions);
    for taker in takers {
        let offer = some_offer(random);
        job.send(process, taker, Sent::Event(key, RoundEvent::Offer(arrays, offer)));
    }
    key.round
}

/// What a process tells its senders once it knows whether all offers have come; true when it has just told that.
fn answer(job: &mut Job, process: usize, round: u32, edges: &BTreeSet<(usize, usize)>) -> bool {
    let Some(&come) = job.settled.get(&(process, promise(round, 0).number())) else { return false };
    let key = RoundKey { plan: 0, round };
    for sender in edges.iter().filter(|e| e.1 == process).map(|e| e.0) {
        let event = if come {
            RoundEvent::Taken
        } else {
            RoundEvent::Refused(RoundRole::Taker, Error::state("it did not come"))
        };
        job.send(process, sender, Sent::Event(key, event));
    }
    true
}

#[test]
fn rounds_end_whatever_the_others_do_and_only_good_ones_are_delivered() {
    let (mut good, mut bad) = (0, 0);
    for mut random in testkit::seeds(3000).map(Random::new) {
        let processes = 2 + random.below(4);
        let mut job = Job::new(processes);
        let mut edges = BTreeSet::new();
        for pair in (0..processes).flat_map(|a| (0..processes).map(move |b| (a, b))) {
            if pair.0 != pair.1 && random.one_in(2) {
                edges.insert(pair);
            }
        }
        for a in 0..processes {
            let plan = job.rounds[a].plan(PLAN);
            (0..processes).filter(|b| *b != a).for_each(|b| job.send(a, b, Sent::Plan(plan, PLAN)));
        }
        while job.step(&mut random) {}
        let holders = (0..processes).map(id).collect();
        assert_eq!(job.rounds[0].agreed(0, (0..processes).map(id), &holders), Some(Ok(())));

        let bad_process = random.below(processes);
        let bad_round = random.below(2 * ROUNDS);
        let bad_deed = *random.pick(&[Deed::OtherArrays, Deed::Refuses, Deed::Freed, Deed::Dies]);
        let deed = |process: usize, round: usize| match bad_deed {
            deed if process != bad_process => {
                let _ = deed;
                Deed::TakesPart
            }
            Deed::Freed | Deed::Dies if round >= bad_round => bad_deed,
            deed if round == bad_round => deed,
            _ => Deed::TakesPart,
        };
        // Each process begins its rounds one after the other, whenever.
        let mut next = vec![0; processes];
        let mut open: Vec<(usize, u32)> = Vec::new();
        let mut opened: Vec<(usize, u32)> = Vec::new();
        loop {
            let any = job.step(&mut random);
            open.retain(|&(process, round)| !answer(&mut job, process, round, &edges));
            let process = random.below(processes);
            if next[process] < ROUNDS && random.one_in(3) {
                match deed(process, next[process]) {
                    Deed::Dies => {
                        job.die(process);
                        open.retain(|at| at.0 != process);
                        next[process] = ROUNDS;
                    }
                    Deed::Freed => {
                        let key = job.rounds[process].free(0);
                        for other in (0..processes).filter(|other| *other != process) {
                            job.send(process, other, Sent::Freed(key));
                        }
                        next[process] = ROUNDS;
                    }
                    deed => {
                        let round = begin(&mut job, process, deed, &edges, &mut random);
                        next[process] += 1;
                        if deed != Deed::Refuses {
                            open.push((process, round));
                            opened.push((process, round));
                        }
                    }
                }
            }
            let over = open.is_empty() && next.iter().all(|next| *next == ROUNDS);
            if !any && over && job.is_quiet() {
                break;
            }
        }
        for (process, round) in opened.into_iter().filter(|at| job.alive[at.0]) {
            let settled = |which| job.settled.get(&(process, promise(round, which).number())).copied();
            assert_eq!(settled(1), Some(true), "nobody reads any longer");
            let own = deed(process, round as usize);
            let senders = edges.iter().filter(|e| e.1 == process).map(|e| deed(e.0, round as usize));
            let whole = senders.clone().all(|deed| deed == own);
            let none = senders.count() == 0;
            // Elements may be under way from a process as it dies.
            let dead = bad_deed == Deed::Dies && edges.contains(&(bad_process, process));
            let come = settled(0).expect("the promise is settled");
            assert!(come == (whole || none) || dead && !come, "all offers have come");
            let failed = job.rounds[process].close(RoundKey { plan: 0, round });
            assert!(failed.is_some() || come);
            if failed.is_none() { good += 1 } else { bad += 1 }
        }
    }
    assert!(testkit::selected() || (good > 1000 && bad > 1000), "{good} good, {bad} bad");
}

#[test]
fn plans_that_differ_or_are_missing_are_an_error_in_all() {
    for mut random in testkit::seeds(200).map(Random::new) {
        let processes = 2 + random.below(4);
        let odd = random.below(processes);
        let odd_digest = *random.pick(&[PLAN, PLAN + 1, NO_PLAN]);
        let mut job = Job::new(processes);
        for a in 0..processes {
            let digest = if a == odd { odd_digest } else { PLAN };
            let plan = job.rounds[a].plan(digest);
            let (all, holders) = ((0..processes).map(id), BTreeSet::new());
            assert_eq!(job.rounds[a].agreed(plan, all, &holders), None, "the others have told nothing yet");
            (0..processes).filter(|b| *b != a).for_each(|b| job.send(a, b, Sent::Plan(plan, digest)));
        }
        while job.step(&mut random) {}
        for a in 0..processes {
            let agreed = job.rounds[a].agreed(0, (0..processes).map(id), &BTreeSet::new()).expect("all have told");
            assert_eq!(agreed.is_ok(), odd_digest == PLAN, "process {a}, {odd} is odd");
        }
    }
}

#[test]
fn what_the_plan_does_not_say_is_a_breach() {
    let mut rounds = Rounds::new(id(0));
    let mut actions = Vec::new();
    let key = RoundKey { plan: 0, round: 0 };
    assert!(rounds.event(id(1), key, RoundEvent::Taken, &mut actions).is_err(), "there is no plan");
    rounds.plan(PLAN);
    assert!(rounds.event(id(1), key, RoundEvent::Taken, &mut actions).is_err(), "it has not made the plan");
    rounds.told(id(1), 0, PLAN).unwrap();
    rounds.told(id(2), 0, PLAN).unwrap();
    assert!(rounds.told(id(1), 0, PLAN).is_err(), "twice");
    rounds.begin(0);
    let (senders, takers) = (BTreeMap::from([(id(1), 3)]), BTreeSet::from([id(1)]));
    let [come, free] = [promise(0, 0), promise(0, 1)];
    rounds.open(key, Opening { arrays: ARRAYS, senders, takers, come, free }, &mut actions);
    let mut event = |from: usize, event: RoundEvent| rounds.event(id(from), key, event, &mut actions);
    assert!(event(2, RoundEvent::Taken).is_err());
    assert!(event(2, RoundEvent::Offer(ARRAYS, Offer::Inline(vec![1, 2, 3]))).is_err());
    assert!(event(1, RoundEvent::Offer(ARRAYS, Offer::Inline(vec![1, 2]))).is_err(), "too few bytes");
    assert!(event(1, RoundEvent::Taken).is_ok());
    assert!(event(1, RoundEvent::Taken).is_err(), "twice");
    assert!(rounds.freed(id(3), key, &mut actions).is_err(), "it never had the plan");
    assert!(rounds.freed(id(1), key, &mut actions).is_ok());
    assert!(rounds.freed(id(1), key, &mut actions).is_err(), "twice");
}
