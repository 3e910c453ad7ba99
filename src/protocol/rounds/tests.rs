//! Rounds in simulated jobs: whatever the processes do, all ends.

use super::*;
use crate::protocol::planted::with_planted;
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
    Left(RoundKey, ProcessId),
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

fn promise(key: RoundKey, which: u64) -> DatumId {
    DatumId::from_raw([0, 2 * (u64::from(key.plan) << 32 | u64::from(key.round)) + which + 1])
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

    fn deliver(&mut self, from: usize, to: usize, sent: Sent) {
        let mut actions = Vec::new();
        let rounds = &mut self.rounds[to];
        let handled = match sent {
            Sent::Plan(plan, digest) => rounds.told(id(from), plan, digest),
            Sent::Event(key, event) => rounds.event(id(from), key, event, &mut actions),
            Sent::Freed(key) => rounds.freed(id(from), key, &mut actions),
            Sent::Left(key, lost) => rounds.left(id(from), key, lost, &mut actions),
        };
        handled.unwrap();
        self.act(to, actions);
    }

    /// All make a plan, whose memories these processes have; nothing else is under way.
    fn plan(&mut self, holders: &BTreeSet<ProcessId>, random: &mut Random) -> u32 {
        let processes = self.rounds.len();
        let mut plan = 0;
        for a in 0..processes {
            plan = self.rounds[a].plan(PLAN, holders);
            (0..processes).filter(|b| *b != a).for_each(|b| self.send(a, b, Sent::Plan(plan, PLAN)));
        }
        while self.step(random) {}
        assert_eq!(self.rounds[0].agreed(plan, (0..processes).map(id)), Some(Ok(())));
        plan
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
            self.deliver(from, to, sent);
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
                RoundAction::Leave { key, lost } => {
                    let others = (0..self.rounds.len()).filter(|other| *other != process);
                    others.for_each(|other| self.send(process, other, Sent::Left(key, lost)));
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
                self.deliver(process, other, sent);
            }
            if self.alive[other] {
                let mut actions = Vec::new();
                self.rounds[other].lost(id(process), &mut actions);
                self.act(other, actions);
            }
        }
    }
}

type Edges = BTreeSet<(usize, usize)>;

fn some_edges(processes: usize, random: &mut Random) -> Edges {
    let pairs = (0..processes).flat_map(|a| (0..processes).map(move |b| (a, b)));
    pairs.filter(|pair| pair.0 != pair.1 && random.one_in(2)).collect()
}

fn holders(edges: &Edges) -> BTreeSet<ProcessId> {
    edges.iter().flat_map(|edge| [id(edge.0), id(edge.1)]).collect()
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
fn begin(
    job: &mut Job,
    (process, plan): (usize, u32),
    deed: Deed,
    edges: &BTreeSet<(usize, usize)>,
    random: &mut Random,
) -> Option<RoundKey> {
    let key = job.rounds[process].begin(plan).ok()?;
    let takers: Vec<usize> = edges.iter().filter(|e| e.0 == process).map(|e| e.1).collect();
    let senders: Vec<usize> = edges.iter().filter(|e| e.1 == process).map(|e| e.0).collect();
    if deed == Deed::Refuses {
        for (role, others) in [(RoundRole::Sender, &takers), (RoundRole::Taker, &senders)] {
            for &other in others {
                job.send(process, other, Sent::Event(key, RoundEvent::Refused(role, Error::state("no"))));
            }
        }
        job.rounds[process].close(key);
        return Some(key);
    }
    let arrays = if deed == Deed::OtherArrays { ARRAYS + 1 + process as u64 } else { ARRAYS };
    let opening = Opening {
        arrays,
        senders: senders.iter().map(|&sender| (id(sender), 3)).collect(),
        takers: takers.iter().map(|&taker| id(taker)).collect(),
        come: promise(key, 0),
        free: promise(key, 1),
    };
    let mut actions = Vec::new();
    job.rounds[process].open(key, opening, &mut actions);
    job.act(process, actions);
    for taker in takers {
        let offer = some_offer(random);
        job.send(process, taker, Sent::Event(key, RoundEvent::Offer(arrays, offer)));
    }
    Some(key)
}

/// What a process tells its senders once it knows whether all offers have come; true when it has just told that.
fn answer(job: &mut Job, (process, key): (usize, RoundKey), edges: &BTreeSet<(usize, usize)>) -> bool {
    let Some(&come) = job.settled.get(&(process, promise(key, 0).number())) else { return false };
    for sender in edges.iter().filter(|e| e.1 == process).map(|e| e.0) {
        let event = if come {
            RoundEvent::Taken
        } else {
            RoundEvent::Refused(RoundRole::Taker, job.rounds[process].failure(key).expect("the promise was broken"))
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
        let edges = some_edges(processes, &mut random);
        job.plan(&holders(&edges), &mut random);

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
        let mut open: Vec<(usize, RoundKey)> = Vec::new();
        let mut opened: Vec<(usize, RoundKey)> = Vec::new();
        loop {
            let any = job.step(&mut random);
            open.retain(|&at| !answer(&mut job, at, &edges));
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
                        next[process] += 1;
                        match begin(&mut job, (process, 0), deed, &edges, &mut random) {
                            Some(_) if deed == Deed::Refuses => {}
                            Some(key) => {
                                open.push((process, key));
                                opened.push((process, key));
                            }
                            None => assert_eq!(bad_deed, Deed::Dies, "only a loss ends a plan"),
                        }
                    }
                }
            }
            let over = open.is_empty() && next.iter().all(|next| *next == ROUNDS);
            if !any && over && job.is_quiet() {
                break;
            }
        }
        for (process, key) in opened.into_iter().filter(|at| job.alive[at.0]) {
            let settled = |which| job.settled.get(&(process, promise(key, which).number())).copied();
            assert_eq!(settled(1), Some(true), "nobody reads any longer");
            let own = deed(process, key.round as usize);
            let mut senders = edges.iter().filter(|e| e.1 == process).map(|e| deed(e.0, key.round as usize));
            let whole = senders.all(|deed| deed == own);
            // Elements may be under way from a process as it dies, and who has heard of it begins no further round.
            let come = settled(0).expect("the promise is settled");
            assert!(come == whole || bad_deed == Deed::Dies && !come, "all offers have come");
            let failed = job.rounds[process].close(key);
            assert!(failed.is_some() || come);
            if failed.is_none() { good += 1 } else { bad += 1 }
        }
    }
    assert!(testkit::selected() || (good > 1000 && bad > 1000), "{good} good, {bad} bad");
}

/// A process of a job that loses another one.
struct Program {
    /// The call that it is in.
    inside: Option<RoundKey>,
    /// It has told its senders of this round whether their elements have come.
    answered: bool,
    /// The calls that it has still to make, by plan.
    calls: VecDeque<u32>,
}

/// Processes redistribute by a few plans, one blocking call after the other, until one dies at any point. A call that fails by
/// the loss ends the program's use of that plan, or does not: it may be made again, before or after those by other plans. Plans
/// without memories of the lost process go on. Gives the calls that survivors have made in vain, or the processes that hang.
fn lose_one(random: &mut Random) -> Result<usize, Vec<usize>> {
    let processes = 3 + random.below(3);
    let mut job = Job::new(processes);
    let plans: Vec<Edges> = (0..2 + random.below(2)).map(|_| some_edges(processes, random)).collect();
    for edges in &plans {
        job.plan(&holders(edges), random);
    }
    let calls: VecDeque<u32> = (0..3 + random.below(6)).map(|_| random.below(plans.len()) as u32).collect();
    let program = || Program { inside: None, answered: false, calls: calls.clone() };
    let mut programs: Vec<Program> = (0..processes).map(|_| program()).collect();
    let victim = random.below(processes);
    let over = |plan: u32| holders(&plans[plan as usize]).contains(&id(victim));
    let (mut lives, mut in_vain, mut idle) = (random.below(40 * calls.len()), 0, 0);
    while idle < 200 {
        idle = if job.step(random) { 0 } else { idle + 1 };
        if lives == 0 && job.alive[victim] {
            job.die(victim);
        }
        lives = lives.saturating_sub(1);
        let process = random.below(processes);
        let program = &mut programs[process];
        let failed = match program.inside {
            _ if !job.alive[process] => None,
            None => program.calls.pop_front().and_then(|plan| {
                let edges = &plans[plan as usize];
                program.inside = begin(&mut job, (process, plan), Deed::TakesPart, edges, random);
                program.answered = false;
                idle = 0;
                program.inside.is_none().then_some(plan)
            }),
            Some(key) => {
                program.answered = program.answered || answer(&mut job, (process, key), &plans[key.plan as usize]);
                let is_free = job.settled.contains_key(&(process, promise(key, 1).number()));
                let ended = program.answered && is_free;
                let failure = if ended { job.rounds[process].close(key) } else { None };
                program.inside = program.inside.filter(|_| !ended);
                failure.map(|error| {
                    assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_PEER_LOST, "{}", error.message());
                    key.plan
                })
            }
        };
        if let Some(plan) = failed {
            assert!(over(plan), "a plan fails whose processes are alive");
            in_vain += 1;
            program.calls.retain(|plan| !over(*plan) || random.one_in(2));
            if random.one_in(4) {
                program.calls.push_front(plan);
            }
        }
    }
    let hang: Vec<usize> = (0..processes).filter(|&k| job.alive[k] && programs[k].inside.is_some()).collect();
    if hang.is_empty() { Ok(in_vain) } else { Err(hang) }
}

#[test]
fn survivors_end_whatever_they_go_on_with() {
    let mut in_vain = 0;
    for (seed, mut random) in testkit::seeds(3000).map(|seed| (seed, Random::new(seed))) {
        in_vain += lose_one(&mut random).unwrap_or_else(|hang| panic!("seed {seed}: {hang:?} hang"));
    }
    assert!(testkit::selected() || in_vain > 3000, "{in_vain} calls in vain");
    let hang = with_planted("no survivor leaves a plan", || {
        testkit::seeds(3000).map(Random::new).filter(|random| lose_one(&mut random.clone()).is_err()).count()
    });
    assert!(testkit::selected() || hang > 10, "{hang} of 3000 hang where no survivor leaves a plan");
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
            let plan = job.rounds[a].plan(digest, &BTreeSet::new());
            let all = (0..processes).map(id);
            assert_eq!(job.rounds[a].agreed(plan, all), None, "the others have told nothing yet");
            (0..processes).filter(|b| *b != a).for_each(|b| job.send(a, b, Sent::Plan(plan, digest)));
        }
        while job.step(&mut random) {}
        for a in 0..processes {
            let agreed = job.rounds[a].agreed(0, (0..processes).map(id)).expect("all have told");
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
    rounds.plan(PLAN, &BTreeSet::new());
    assert!(rounds.event(id(1), key, RoundEvent::Taken, &mut actions).is_err(), "it has not made the plan");
    rounds.told(id(1), 0, PLAN).unwrap();
    rounds.told(id(2), 0, PLAN).unwrap();
    assert!(rounds.told(id(1), 0, PLAN).is_err(), "twice");
    rounds.begin(0).unwrap();
    let (senders, takers) = (BTreeMap::from([(id(1), 3)]), BTreeSet::from([id(1)]));
    let [come, free] = [promise(key, 0), promise(key, 1)];
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
    assert!(rounds.left(id(3), key, id(2), &mut actions).is_err(), "it never had the plan");
    assert!(rounds.left(id(1), key, id(2), &mut actions).is_ok());
    assert!(rounds.left(id(1), key, id(2), &mut actions).is_err(), "twice");
}
