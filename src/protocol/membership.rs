//! Who belongs to the job. Process 0 alone declares losses, so that a cut network has one truth; the loss of process 0 ends all.
//!
//! Each process learns of a loss once, from process 0 or from another survivor that knows already; then its epoch is one
//! higher, and it does four things in this order: all machines take the loss in ([`MembershipAction::Apply`]; loans that it
//! asks for are sent), it tells every survivor that it knows, and then ([`MembershipAction::Settle`]) it gives up what the
//! lost process had. The order matters: a survivor's `Ack` is what lets a home free again, so that nothing which makes a
//! home free may go before the loans, nor before the `Ack`, which freezes a home that has not yet heard of the loss.

use super::breach::Breach;
use super::planted::planted;
use super::process_set::ProcessSet;
use crate::id::ProcessId;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipEvent {
    /// This process has found out that another one is gone. Process 0 acts on it, and is told, unless it is the one that is gone.
    Gone(ProcessId),
    /// A `Lost` has come.
    Lost {
        /// Who sent it: process 0, which declares it, or one that tells process 0.
        from: ProcessId,
        /// Who is lost.
        process: ProcessId,
    },
    /// An `Ack` has come.
    Ack {
        /// Who sent it.
        from: ProcessId,
        /// Who is lost.
        process: ProcessId,
    },
}

/// What is to be done, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipAction {
    /// Send `Lost` about the second process to the first.
    Tell(ProcessId, ProcessId),
    /// All machines take the loss in; what they say is sent.
    Apply(ProcessId),
    /// Send `Ack` about the second process to the first.
    Ack(ProcessId, ProcessId),
    /// All machines give up what the lost process had.
    Settle(ProcessId),
    /// Every survivor has said that it knows: what was not freed meanwhile may be, unless [`Membership::frozen`].
    Thaw,
    /// This process is declared lost, or process 0 is lost: every further call fails. All other processes are lost to it.
    Ended,
}

use MembershipAction as Action;

/// What to do with a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// Take its messages in.
    Take,
    /// Its sender is lost: forget it.
    Drop,
}

/// Who belongs to the job, as one process knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Membership {
    me: ProcessId,
    count: u32,
    lost: ProcessSet,
    /// The losses that not every survivor has acknowledged, with those that have not.
    awaiting: Vec<(ProcessId, ProcessSet)>,
    /// The epoch of the last batch from each process that was not 0, in the order of processes.
    epochs: Vec<u32>,
    ended: bool,
}

const ROOT: ProcessId = ProcessId::from_index(0);

impl Membership {
    /// All of so many processes are there.
    pub fn new(me: ProcessId, count: u32) -> Membership {
        Membership { me, count, lost: ProcessSet::default(), awaiting: Vec::new(), epochs: Vec::new(), ended: false }
    }

    /// How many losses this process knows of.
    pub fn epoch(&self) -> u32 {
        self.lost.len() as u32
    }

    /// The lost processes.
    pub fn lost(&self) -> &ProcessSet {
        &self.lost
    }

    /// Whether this is a process of the job that is not lost.
    pub fn is_alive(&self, process: ProcessId) -> bool {
        process.index() < u64::from(self.count) && !self.lost.contains(process)
    }

    /// All processes that are not lost.
    pub fn survivors(&self) -> impl Iterator<Item = ProcessId> + '_ {
        (0..self.count).map(ProcessId::from_index).filter(|process| !self.lost.contains(*process))
    }

    /// Whether some survivor has not yet acknowledged a loss: home frees nothing.
    pub fn frozen(&self) -> bool {
        !self.awaiting.is_empty()
    }

    /// Whether this process is out of the job.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// What to do with a batch of this process, whose head says this epoch.
    pub fn receive(&mut self, from: ProcessId, epoch: u32) -> Result<Reception, Breach> {
        if from.index() >= u64::from(self.count) || from == self.me {
            return Err(Breach::new(from, "it is no peer"));
        }
        if self.lost.contains(from) {
            return Ok(Reception::Drop);
        }
        let index = from.index() as usize;
        let known = self.epochs.get(index).copied().unwrap_or(0);
        if epoch < known || epoch >= self.count {
            return Err(Breach::new(from, "its batch is of an epoch that cannot be"));
        }
        if epoch > known {
            self.epochs.resize(self.epochs.len().max(index + 1), 0);
            self.epochs[index] = epoch;
        }
        Ok(Reception::Take)
    }

    /// Whether the next message of a batch that was taken is taken in. The one before it may have declared this process lost:
    /// then the sender is lost to it, and what waits for the sender was given up already.
    pub fn hears(&self, from: ProcessId) -> bool {
        self.is_alive(from)
    }

    /// Takes an event in; appends what is to be done.
    pub fn step(&mut self, event: MembershipEvent, actions: &mut Vec<Action>) -> Result<(), Breach> {
        match event {
            _ if self.ended => {}
            MembershipEvent::Gone(ROOT) => self.end(actions),
            MembershipEvent::Gone(process) => {
                if self.me == ROOT && process != ROOT && self.is_alive(process) {
                    self.lost.insert(process);
                    actions.extend(self.others().map(|to| Action::Tell(to, process)));
                    self.learn(process, actions);
                } else if self.me != ROOT && process != self.me && self.is_alive(process) {
                    actions.push(Action::Tell(ROOT, process));
                }
            }
            MembershipEvent::Lost { from, process } if self.me == ROOT && from != process && process != ROOT => {
                // Another process has found it out.
                return self.step(MembershipEvent::Gone(process), actions);
            }
            MembershipEvent::Lost { from, process } => {
                if from != ROOT || process == ROOT || process.index() >= u64::from(self.count) {
                    return Err(Breach::new(from, "it declares a loss"));
                }
                if process == self.me {
                    self.end(actions);
                } else if self.lost.insert(process) {
                    self.learn(process, actions);
                }
            }
            MembershipEvent::Ack { from, process } => {
                if process == ROOT || process == self.me || process == from || process.index() >= u64::from(self.count)
                {
                    return Err(Breach::new(from, "it acknowledges a loss that cannot be"));
                }
                if self.lost.insert(process) {
                    if self.me == ROOT {
                        self.lost.remove(process);
                        return Err(Breach::new(from, "it acknowledges a loss that was not declared"));
                    }
                    self.learn(process, actions);
                }
                self.acknowledged(from, process, actions)?;
            }
        }
        Ok(())
    }

    fn others(&self) -> impl Iterator<Item = ProcessId> + '_ {
        self.survivors().filter(|process| *process != self.me)
    }

    fn end(&mut self, actions: &mut Vec<Action>) {
        if !std::mem::replace(&mut self.ended, true) {
            // To a process that is out, all the others are lost.
            for process in self.others().collect::<Vec<_>>() {
                self.lost.insert(process);
            }
            self.awaiting.clear();
            actions.push(Action::Ended);
        }
    }

    /// This process has just learned of a loss.
    fn learn(&mut self, process: ProcessId, actions: &mut Vec<Action>) {
        actions.push(Action::Apply(process));
        if planted("a survivor settles before it acknowledges") {
            actions.push(Action::Settle(process));
            actions.extend(self.others().map(|to| Action::Ack(to, process)));
        } else {
            actions.extend(self.others().map(|to| Action::Ack(to, process)));
            actions.push(Action::Settle(process));
        }
        for (_, from) in &mut self.awaiting {
            from.remove(process);
        }
        self.awaiting.push((process, self.others().collect()));
        self.thaw(actions);
    }

    fn acknowledged(&mut self, from: ProcessId, process: ProcessId, actions: &mut Vec<Action>) -> Result<(), Breach> {
        let awaited = self.awaiting.iter_mut().find(|(lost, _)| *lost == process);
        if !awaited.is_some_and(|(_, set)| set.remove(from)) {
            return Err(Breach::new(from, "it acknowledges a loss twice"));
        }
        self.thaw(actions);
        Ok(())
    }

    fn thaw(&mut self, actions: &mut Vec<Action>) {
        let frozen = self.frozen();
        self.awaiting.retain(|(_, set)| !set.is_empty());
        if frozen && !self.frozen() {
            actions.push(Action::Thaw);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use testkit::Random;

    fn process(index: usize) -> ProcessId {
        ProcessId::from_index(index as u32)
    }

    /// Everybody learns of every loss once, in four steps, and thaws, whatever the delays; several losses may overlap.
    #[test]
    fn every_survivor_learns_of_every_loss_once() {
        for seed in 0..3_000 {
            let mut random = Random::new(seed);
            let count = 2 + random.below(6);
            let mut all: Vec<Membership> = (0..count).map(|p| Membership::new(process(p), count as u32)).collect();
            let mut channels = vec![VecDeque::new(); count * count];
            let mut learned = vec![Vec::new(); count];
            let mut gone = ProcessSet::default();
            let mut left = random.below(count);
            loop {
                let full: Vec<usize> = (0..count * count).filter(|channel| !channels[*channel].is_empty()).collect();
                let (at, event) = if left > 0 && (full.is_empty() || random.one_in(4)) {
                    left -= 1;
                    let victim = process(1 + random.below(count - 1));
                    gone.insert(victim);
                    (0, MembershipEvent::Gone(victim))
                } else if full.is_empty() {
                    break;
                } else {
                    let channel = full[random.below(full.len())];
                    (channel % count, channels[channel].pop_front().expect("a message"))
                };
                let from = match event {
                    MembershipEvent::Gone(_) => process(0),
                    MembershipEvent::Lost { from, .. } | MembershipEvent::Ack { from, .. } => from,
                };
                if gone.contains(process(at)) || !all[at].is_alive(from) {
                    continue;
                }
                let mut actions = Vec::new();
                all[at].step(event, &mut actions).unwrap_or_else(|breach| panic!("seed {seed}: {breach}"));
                let me = process(at);
                for action in actions {
                    let (to, event) = match action {
                        Action::Tell(to, process) => (to, MembershipEvent::Lost { from: me, process }),
                        Action::Ack(to, process) => (to, MembershipEvent::Ack { from: me, process }),
                        Action::Apply(process) => {
                            assert!(!learned[at].contains(&process), "seed {seed}");
                            learned[at].push(process);
                            continue;
                        }
                        _ => continue,
                    };
                    channels[at * count + to.index() as usize].push_back(event);
                }
            }
            for (at, membership) in all.iter().enumerate().filter(|(at, _)| !gone.contains(process(*at))) {
                assert_eq!(membership.lost(), &gone, "seed {seed}, process {at}");
                assert_eq!(membership.epoch() as usize, gone.len());
                assert_eq!(learned[at].len(), gone.len());
                assert!(!membership.frozen(), "seed {seed}, process {at}");
            }
        }
    }

    #[test]
    fn strangers_and_replays_are_refused() {
        let mut third = Membership::new(process(2), 4);
        let mut actions = Vec::new();
        let mut said = |event| third.step(event, &mut actions).expect_err("a breach").what;
        let lost = |from, lost| MembershipEvent::Lost { from: process(from), process: process(lost) };
        let ack = |from, lost| MembershipEvent::Ack { from: process(from), process: process(lost) };
        assert_eq!(said(lost(1, 3)), "it declares a loss");
        assert_eq!(said(lost(0, 4)), "it declares a loss");
        assert_eq!(said(ack(1, 0)), "it acknowledges a loss that cannot be");
        assert_eq!(said(ack(1, 2)), "it acknowledges a loss that cannot be");
        third.step(ack(1, 3), &mut actions).expect("it may know first");
        assert_eq!(third.step(ack(1, 3), &mut actions).expect_err("a breach").what, "it acknowledges a loss twice");
        assert_eq!(third.receive(process(3), 9), Ok(Reception::Drop));
        assert_eq!(third.receive(process(1), 1), Ok(Reception::Take));
        assert!(third.receive(process(1), 0).is_err(), "a replay");
        assert!(third.receive(process(1), 4).is_err());
        assert!(third.receive(process(2), 0).is_err());
        assert!(third.receive(process(9), 0).is_err());
    }

    #[test]
    fn the_loss_of_process_0_ends_all_and_who_is_declared_lost_is_out() {
        let mut actions = Vec::new();
        let mut one = Membership::new(process(1), 3);
        one.step(MembershipEvent::Gone(process(0)), &mut actions).expect("no breach");
        assert_eq!(actions, [Action::Ended]);
        let mut two = Membership::new(process(2), 3);
        actions.clear();
        two.step(MembershipEvent::Lost { from: process(0), process: process(2) }, &mut actions).expect("no breach");
        assert_eq!(actions, [Action::Ended]);
        assert!(one.ended() && two.ended());
        assert!(!two.hears(process(0)) && !two.hears(process(1)), "nor what follows in the batch that has said so");
    }
}
