//! Redistributions over processes: plans that all processes agree on, and their rounds.
//!
//! Each process numbers its plans and tells all others their digests: a plan is good once all have told the same. Each round
//! of a plan has a number, counted in each process. A *sender* offers each of its takers elements, a *taker* says that it has
//! taken them, and who does not take part says so as well, so that nobody waits for it. What comes before the round was opened
//! here waits for that; what comes after its end is dropped.
//!
//! A plan ends for good when a process is lost that holds memories of it. Each survivor *leaves* it as it hears of the loss: it
//! begins no further round of it, and tells all others after how many. Survivors hear of a loss at different points of their
//! programs, and may go on with different plans: without this, two of them could wait for each other in different rounds.
//!
//! A round has two promises of its process: that all offers have come, poisoned by the first one that will not come; and that
//! no taker reads any longer, which is always kept.

use super::breach::Breach;
use super::planted::planted;
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
    /// Tell all others that this process takes part in no round of this plan from this one on.
    Leave {
        /// The round.
        key: RoundKey,
        /// A process that is lost and holds memories of the plan.
        lost: ProcessId,
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
    /// Whose memories it has.
    holders: BTreeSet<ProcessId>,
    /// After how many rounds processes have freed it.
    freed: BTreeMap<ProcessId, u32>,
    /// After how many rounds processes have left it, and which loss they had heard of.
    left: BTreeMap<ProcessId, (u32, ProcessId)>,
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

    /// This process has made its next plan, with this digest: gives the number that all others are to be told, before what
    /// [`Rounds::hold`] has them told. `holders`: whose memories it has.
    pub fn plan(&mut self, digest: u64, holders: &BTreeSet<ProcessId>) -> u32 {
        let number = self.plans;
        self.plans += 1;
        let agreement = self.agreements.entry(number).or_default();
        agreement.told.insert(self.me, digest);
        agreement.holders.clone_from(holders);
        number
    }

    /// All others have been told of the plan: leaves it if a holder is lost already.
    pub fn hold(&mut self, plan: u32, actions: &mut Vec<RoundAction>) {
        let lost = self.agreements.get(&plan).and_then(|it| self.lost.intersection(&it.holders).next().copied());
        if let Some(lost) = lost {
            self.leave(plan, lost, actions);
        }
    }

    /// This process leaves a plan, for good.
    fn leave(&mut self, plan: u32, lost: ProcessId, actions: &mut Vec<RoundAction>) {
        let Some(agreement) = self.agreements.get_mut(&plan) else { return };
        let is_over = agreement.freed.contains_key(&self.me) || agreement.left.contains_key(&self.me);
        if is_over || !agreement.told.contains_key(&self.me) || planted("no survivor leaves a plan") {
            return;
        }
        let key = RoundKey { plan, round: agreement.rounds };
        agreement.left.insert(self.me, (key.round, lost));
        actions.push(RoundAction::Leave { key, lost });
        // What has come of rounds that will not begin here.
        let early = self.under_way.range(key..).map(|(at, _)| *at).take_while(|at| at.plan == plan);
        for key in early.collect::<Vec<RoundKey>>() {
            self.under_way.remove(&key);
        }
    }

    /// Another process has left a plan.
    ///
    /// # Errors
    /// It has done so before, or has never made it.
    pub fn left(&mut self, from: ProcessId, key: RoundKey, lost: ProcessId, actions: &mut Vec<RoundAction>) -> Handled {
        let Some(agreement) = self.agreements.get_mut(&key.plan).filter(|it| it.told.contains_key(&from)) else {
            return Err(Breach::new(from, "it leaves a plan that it does not have"));
        };
        if agreement.left.insert(from, (key.round, lost)).is_some() {
            return Err(Breach::new(from, "it leaves a plan twice"));
        }
        self.no_part(from, key, &peer_lost(lost), actions);
        Ok(())
    }

    /// A process takes part in no round of a plan from this one on.
    fn no_part(&mut self, process: ProcessId, key: RoundKey, why: &Error, actions: &mut Vec<RoundAction>) {
        let after = self.under_way.range_mut(key..).take_while(|(at, _)| at.plan == key.plan);
        for open in after.filter_map(|(_, round)| round.open.as_mut()) {
            open.gone(process, why, actions);
        }
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

    /// Whether all survivors have made this plan; the error says who has made another one.
    pub fn agreed(&self, plan: u32, survivors: impl Iterator<Item = ProcessId>) -> Option<Result<(), Error>> {
        let Agreement { told, holders, .. } = self.agreements.get(&plan)?;
        if let Some(lost) = self.lost.intersection(holders).next() {
            return Some(Err(peer_lost(*lost)));
        }
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
        self.no_part(from, key, &freed(from), actions);
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
    ///
    /// # Errors
    /// `DVM_ERR_PEER_LOST`: this process has left the plan. Nobody waits for its part in the round.
    pub fn begin(&mut self, plan: u32) -> Result<RoundKey, Error> {
        let agreement = self.agreements.entry(plan).or_default();
        if let Some((_, lost)) = agreement.left.get(&self.me) {
            return Err(peer_lost(*lost));
        }
        let key = RoundKey { plan, round: agreement.rounds };
        agreement.rounds += 1;
        self.under_way.entry(key).or_default();
        Ok(key)
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
        let lost = self.lost.iter().map(|process| (*process, peer_lost(*process)));
        let Some(agreement) = self.agreements.get(&key.plan) else { return lost.collect() };
        let before = |process: ProcessId, rounds: u32| process != self.me && rounds <= key.round;
        let left = agreement.left.iter().filter(|(process, (rounds, _))| before(**process, *rounds));
        let left = left.map(|(process, (_, lost))| (*process, peer_lost(*lost)));
        let freed_before = agreement.freed.iter().filter(|(process, rounds)| before(**process, **rounds));
        lost.chain(left).chain(freed_before.map(|(process, _)| (*process, freed(*process)))).collect()
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
            Some(agreement) if agreement.left.contains_key(&self.me) => Ok(()), // no further round begins here
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
            if self.agreements.get(&plan).is_some_and(|agreement| agreement.holders.contains(&process)) {
                self.leave(plan, process, actions);
            }
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
mod tests;
