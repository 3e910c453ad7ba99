//! Redistributions over processes: plans that all processes agree on, and their rounds.
//!
//! Each process numbers its plans and tells all others their digests: a plan is good once all have told the same. Each round
//! of a plan has a number, counted in each process. A *sender* offers each of its takers elements, a *taker* says that it has
//! taken them, and who does not take part says so as well, so that nobody waits for it. What comes before the round was opened
//! here waits for that; what comes after its end is dropped.
//!
//! A round has two promises of its process: that all offers have come, poisoned by the first one that will not come; and that
//! no taker reads any longer, which is always kept.

use super::breach::Breach;
use crate::error::{Error, dvm_retcode_t};
use crate::id::{DatumId, ProcessId};
use crate::wire::{Offer, RoundKey, RoundRole};
use std::collections::{BTreeMap, BTreeSet};

type Handled = Result<(), Breach>;

/// The digest of a plan that could not be made.
pub const NO_PLAN: u64 = 0;

/// What a process tells of a round.
#[derive(Debug)]
pub enum RoundEvent {
    /// Elements: the digest of the arrays, and where they are.
    Offer(u64, Offer<Vec<u8>>),
    /// The elements were taken.
    Taken,
    /// It does not take part.
    Refused(RoundRole, Error),
}

/// What is to be done.
#[derive(Debug)]
pub enum RoundAction {
    /// Publish a promise of this process.
    Keep(DatumId),
    /// Poison a promise of this process.
    Break(DatumId),
    /// Receive bytes under a ticket, then call [`Rounds::filled`].
    Receive {
        /// The round.
        key: RoundKey,
        /// The sender.
        from: ProcessId,
        /// The ticket.
        ticket: u64,
        /// How many bytes.
        bytes: u64,
    },
}

/// Elements that have come, or can be read.
#[derive(Debug)]
pub struct Delivery {
    /// Whose they are.
    pub from: ProcessId,
    /// Where they are.
    pub offer: Offer<Vec<u8>>,
}

/// What a process opens a round with.
#[derive(Debug)]
pub struct Opening {
    /// The digest of the arrays.
    pub arrays: u64,
    /// Who has elements for this process, and the bytes of each when packed.
    pub senders: BTreeMap<ProcessId, u64>,
    /// Who wants elements of this process.
    pub takers: BTreeSet<ProcessId>,
    /// The promise that all offers have come.
    pub come: DatumId,
    /// The promise that no taker reads any longer.
    pub free: DatumId,
}

/// A plan, as it is agreed on.
#[derive(Debug, Default)]
struct Agreement {
    told: BTreeMap<ProcessId, u64>,
    /// How many rounds this process has begun.
    rounds: u32,
    /// After how many rounds others have freed it.
    freed: BTreeMap<ProcessId, u32>,
}

#[derive(Debug, Default)]
struct Round {
    open: Option<Open>,
    /// What has come before.
    early: Vec<(ProcessId, RoundEvent)>,
}

#[derive(Debug)]
struct Open {
    arrays: u64,
    /// Senders whose offers have not come, and the bytes that they have.
    missing: BTreeMap<ProcessId, u64>,
    /// Offers under way.
    filling: BTreeSet<ProcessId>,
    deliveries: Vec<Delivery>,
    takers: BTreeSet<ProcessId>,
    come: Option<DatumId>,
    free: Option<DatumId>,
    failure: Option<Error>,
}

/// All plans and rounds of a process.
#[derive(Debug)]
pub struct Rounds {
    me: ProcessId,
    /// How many plans this process has numbered.
    plans: u32,
    agreements: BTreeMap<u32, Agreement>,
    under_way: BTreeMap<RoundKey, Round>,
    lost: BTreeSet<ProcessId>,
}

fn peer_lost(process: ProcessId) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_PEER_LOST,
        format!("process {process} is lost, which takes part in the redistribution"),
    )
}

fn freed(process: ProcessId) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_ID,
        format!("process {process} has freed the plan and takes no part in this round"),
    )
}

impl Rounds {
    /// No plan yet.
    pub fn new(me: ProcessId) -> Rounds {
        Rounds { me, plans: 0, agreements: BTreeMap::new(), under_way: BTreeMap::new(), lost: BTreeSet::new() }
    }

    /// This process has made its next plan, with this digest: gives the number that all others are to be told.
    pub fn plan(&mut self, digest: u64) -> u32 {
        let number = self.plans;
        self.plans += 1;
        self.agreements.entry(number).or_default().told.insert(self.me, digest);
        number
    }

    /// Another process has made a plan.
    ///
    /// # Errors
    /// It tells a plan twice.
    pub fn told(&mut self, from: ProcessId, plan: u32, digest: u64) -> Handled {
        match self.agreements.entry(plan).or_default().told.insert(from, digest) {
            None => Ok(()),
            Some(_) => Err(Breach::new(from, "it makes a plan twice")),
        }
    }

    /// Whether all survivors have made this plan; the error says who has made another one. `holders`: whose memories it has.
    pub fn agreed(
        &self,
        plan: u32,
        survivors: impl Iterator<Item = ProcessId>,
        holders: &BTreeSet<ProcessId>,
    ) -> Option<Result<(), Error>> {
        if let Some(lost) = self.lost.intersection(holders).next() {
            return Some(Err(peer_lost(*lost)));
        }
        let told = &self.agreements.get(&plan)?.told;
        let mine = *told.get(&self.me)?;
        let mut all = Ok(());
        for process in survivors {
            match *told.get(&process)? {
                NO_PLAN if all.is_ok() && process != self.me => {
                    let text = format!("process {process} could not make the plan");
                    all = Err(Error::state(text));
                }
                digest if digest != mine && all.is_ok() => {
                    all = Err(Error::argument(format!(
                        "process {process} has made another plan than process {}: all processes give the same \
                         distributions, processes of memories and flags, in the same order",
                        self.me
                    )));
                }
                _ => {}
            }
        }
        Some(all)
    }

    /// This process has freed a plan: gives what all others are to be told.
    pub fn free(&mut self, plan: u32) -> RoundKey {
        let round = self.agreements.get(&plan).map_or(0, |agreement| agreement.rounds);
        self.freed_by(self.me, RoundKey { plan, round });
        RoundKey { plan, round }
    }

    /// Another process has freed a plan.
    ///
    /// # Errors
    /// It has done so before, or has never made it.
    pub fn freed(&mut self, from: ProcessId, key: RoundKey, actions: &mut Vec<RoundAction>) -> Handled {
        let known = self.agreements.get(&key.plan).is_some_and(|agreement| agreement.told.contains_key(&from));
        if !known || !self.freed_by(from, key) {
            return Err(Breach::new(from, "it frees a plan that it does not have"));
        }
        let after = self.under_way.range_mut(key..).take_while(|(at, _)| at.plan == key.plan);
        for open in after.filter_map(|(_, round)| round.open.as_mut()) {
            open.gone(from, &freed(from), actions);
        }
        Ok(())
    }

    /// False if that process has freed it before.
    fn freed_by(&mut self, process: ProcessId, key: RoundKey) -> bool {
        let Some(agreement) = self.agreements.get_mut(&key.plan) else { return false };
        if agreement.freed.insert(process, key.round).is_some() {
            return false;
        }
        self.forget(key.plan);
        true
    }

    /// Forgets a plan that nobody has any more.
    fn forget(&mut self, plan: u32) {
        let Some(agreement) = self.agreements.get(&plan) else { return };
        let mut users = agreement.told.keys().filter(|process| !self.lost.contains(process));
        if agreement.freed.contains_key(&self.me) && users.all(|user| agreement.freed.contains_key(user)) {
            self.agreements.remove(&plan);
        }
    }

    /// The next round of a plan begins: gives its key. It is then opened or closed.
    pub fn begin(&mut self, plan: u32) -> RoundKey {
        let agreement = self.agreements.entry(plan).or_default();
        let key = RoundKey { plan, round: agreement.rounds };
        agreement.rounds += 1;
        self.under_way.entry(key).or_default();
        key
    }

    /// Opens a round that has begun.
    pub fn open(&mut self, key: RoundKey, opening: Opening, actions: &mut Vec<RoundAction>) {
        let gone: Vec<(ProcessId, Error)> = self.gone(key);
        let round = self.under_way.entry(key).or_default();
        let mut open = Open {
            arrays: opening.arrays,
            missing: opening.senders,
            filling: BTreeSet::new(),
            deliveries: Vec::new(),
            takers: opening.takers,
            come: Some(opening.come),
            free: Some(opening.free),
            failure: None,
        };
        open.settle(actions);
        for (from, event) in std::mem::take(&mut round.early) {
            // What cannot be is refused as well where it comes early: its sender gets no elements.
            if let Err(breach) = open.event(key, from, event, actions) {
                open.gone(from, &Error::argument(breach.to_string()), actions);
            }
        }
        for (process, why) in gone {
            open.gone(process, &why, actions);
        }
        round.open = Some(open);
    }

    /// Who takes no part in a round any more.
    fn gone(&self, key: RoundKey) -> Vec<(ProcessId, Error)> {
        let freed_before = self.agreements.get(&key.plan).into_iter().flat_map(|agreement| &agreement.freed);
        let freed_before = freed_before.filter(|(process, rounds)| **process != self.me && **rounds <= key.round);
        let lost = self.lost.iter().map(|process| (*process, peer_lost(*process)));
        lost.chain(freed_before.map(|(process, _)| (*process, freed(*process)))).collect()
    }

    /// A process has told something of a round.
    ///
    /// # Errors
    /// It has no such plan, or takes no such part in the round.
    pub fn event(
        &mut self,
        from: ProcessId,
        key: RoundKey,
        event: RoundEvent,
        actions: &mut Vec<RoundAction>,
    ) -> Handled {
        if let Some(round) = self.under_way.get_mut(&key) {
            if let Some(open) = &mut round.open {
                return open.event(key, from, event, actions);
            }
            round.early.push((from, event));
            return Ok(());
        }
        match self.agreements.get(&key.plan) {
            Some(agreement) if key.round >= agreement.rounds && agreement.told.contains_key(&from) => {
                self.under_way.entry(key).or_default().early.push((from, event));
                Ok(())
            }
            Some(agreement) if key.round < agreement.rounds => Ok(()), // the round is over here
            None if key.plan < self.plans => Ok(()),                   // so is the plan
            _ => Err(Breach::new(from, "it redistributes by a plan that it has not made")),
        }
    }

    /// The bytes of an offer have come, or will not.
    pub fn filled(&mut self, key: RoundKey, from: ProcessId, come: bool, actions: &mut Vec<RoundAction>) {
        if let Some(open) = self.under_way.get_mut(&key).and_then(|round| round.open.as_mut())
            && open.filling.remove(&from)
        {
            if come {
                open.settle(actions);
            } else {
                let text = format!("the elements of process {from} did not arrive, or have no room here");
                open.fail(&Error::new(dvm_retcode_t::DVM_ERR_MEMORY, text), actions);
            }
        }
    }

    /// The elements that have come.
    pub fn deliveries(&mut self, key: RoundKey) -> Vec<Delivery> {
        let open = self.under_way.get_mut(&key).and_then(|round| round.open.as_mut());
        open.map_or_else(Vec::new, |open| std::mem::take(&mut open.deliveries))
    }

    /// What a round has failed with.
    pub fn failure(&self, key: RoundKey) -> Option<Error> {
        self.under_way.get(&key)?.open.as_ref()?.failure.clone()
    }

    /// Ends a round; what it has failed with.
    pub fn close(&mut self, key: RoundKey) -> Option<Error> {
        self.under_way.remove(&key)?.open?.failure
    }

    /// A process is lost: nothing comes from it any more.
    pub fn lost(&mut self, process: ProcessId, actions: &mut Vec<RoundAction>) {
        self.lost.insert(process);
        for open in self.under_way.values_mut().filter_map(|round| round.open.as_mut()) {
            open.gone(process, &peer_lost(process), actions);
        }
        let plans: Vec<u32> = self.agreements.keys().copied().collect();
        for plan in plans {
            self.forget(plan);
        }
    }
}

impl Open {
    fn event(&mut self, key: RoundKey, from: ProcessId, event: RoundEvent, actions: &mut Vec<RoundAction>) -> Handled {
        match event {
            RoundEvent::Offer(arrays, offer) => return self.offer(key, from, (arrays, offer), actions),
            RoundEvent::Refused(RoundRole::Sender, error) => {
                if self.missing.remove(&from).is_none() {
                    return Err(Breach::new(from, "it refuses what it was not to send, or has sent"));
                }
                self.fail(&error, actions);
            }
            RoundEvent::Refused(RoundRole::Taker, error) => {
                self.failure.get_or_insert(error);
                return self.taken(from, actions);
            }
            RoundEvent::Taken => return self.taken(from, actions),
        }
        Ok(())
    }

    fn offer(
        &mut self,
        key: RoundKey,
        from: ProcessId,
        (arrays, offer): (u64, Offer<Vec<u8>>),
        actions: &mut Vec<RoundAction>,
    ) -> Handled {
        let Some(wanted) = self.missing.remove(&from) else {
            return Err(Breach::new(from, "it offers elements that nobody wants"));
        };
        let has = match &offer {
            Offer::Inline(bytes) => Some(bytes.len() as u64),
            Offer::Away { bytes, .. } => Some(*bytes),
            Offer::Packed(place) => Some(place.bytes),
            Offer::Memories(_) => None,
        };
        if arrays != self.arrays {
            self.fail(
                &Error::argument(format!(
                    "process {from} redistributes other arrays: all give the same number and sizes"
                )),
                actions,
            );
        } else if has.is_some_and(|has| has != wanted) {
            self.fail(&Error::argument(format!("process {from} does not offer what the plan says")), actions);
            return Err(Breach::new(from, "it offers more or fewer elements than the plan says"));
        } else {
            if let Offer::Away { ticket, bytes } = offer {
                self.filling.insert(from);
                actions.push(RoundAction::Receive { key, from, ticket, bytes });
            }
            self.deliveries.push(Delivery { from, offer });
            self.settle(actions);
        }
        Ok(())
    }

    fn taken(&mut self, from: ProcessId, actions: &mut Vec<RoundAction>) -> Handled {
        if !self.takers.remove(&from) {
            return Err(Breach::new(from, "it takes elements that it was not to get, or takes them twice"));
        }
        self.settle(actions);
        Ok(())
    }

    /// A process takes no part any more.
    fn gone(&mut self, process: ProcessId, why: &Error, actions: &mut Vec<RoundAction>) {
        let sends = self.missing.remove(&process).is_some() | self.filling.remove(&process);
        let takes = self.takers.remove(&process);
        if sends {
            self.fail(why, actions);
        }
        if takes {
            self.failure.get_or_insert_with(|| why.clone());
            self.settle(actions);
        }
    }

    fn fail(&mut self, why: &Error, actions: &mut Vec<RoundAction>) {
        self.failure.get_or_insert_with(|| why.clone());
        if let Some(come) = self.come.take() {
            actions.push(RoundAction::Break(come));
        }
    }

    fn settle(&mut self, actions: &mut Vec<RoundAction>) {
        if self.missing.is_empty() && self.filling.is_empty() {
            actions.extend(self.come.take().map(RoundAction::Keep));
        }
        if self.takers.is_empty() {
            actions.extend(self.free.take().map(RoundAction::Keep));
        }
    }
}

#[cfg(test)]
mod tests {
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
}
