//! The end: process 0 sends waves down a tree of degree 4; each process answers when it is idle and all below it have answered.
//! When two waves bring the same numbers, and as many messages were sent as received, nothing was under way between them.
//! `Wave`, `Answer`, `End` and `Beat` are not counted.
//!
//! The numbers are kept per peer: those of a lost process are left out on both sides. A wave belongs to an epoch, which is the
//! upper half of its number: all who answer it know of the same losses, and so have the same tree. Who knows of fewer keeps
//! the wave until it has learned of the others; a wave of an older epoch is forgotten, and process 0, which knows of a
//! loss before everybody else, begins another one.

use super::breach::Breach;
use super::planted::planted;
use crate::id::ProcessId;

const DEGREE: usize = 4;
const EPOCH_SHIFT: u32 = 16;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminationEvent {
    /// The process waits, and has nothing to do or to send; or not any more.
    Idle(bool),
    /// A wave has come.
    Wave {
        /// Who sent it.
        from: ProcessId,
        /// Its number.
        wave: u32,
    },
    /// An answer has come.
    Answer {
        /// Who sent it.
        from: ProcessId,
        /// The wave's number.
        wave: u32,
        /// What all below have counted.
        sum: Counts,
    },
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Messages sent.
    pub sent: u64,
    /// Messages received.
    pub received: u64,
    /// Failures.
    pub failures: u64,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminationAction {
    /// Send `Wave` with this number to this process.
    Wave(ProcessId, u32),
    /// Send `Answer` with this number to this process.
    Answer(ProcessId, u32, Counts),
    /// Nothing is left: process 0 takes this as the end with this number, counted from 1; all pass it on to their children.
    End(u32, Counts),
    /// A new child may not have heard of the last end: send it again.
    EndAgain(ProcessId),
}

use TerminationAction as Action;

/// One process's part in finding the end.
#[derive(Clone, Debug)]
pub struct Termination {
    me: ProcessId,
    /// The processes that are not lost, the lowest first: the tree's nodes in the order of its levels.
    members: Vec<ProcessId>,
    /// Per process of the job.
    sent: Vec<u64>,
    received: Vec<u64>,
    failures: u64,
    /// Those of them that the last answer has told.
    told: u64,
    idle: bool,
    /// The last wave that has begun.
    wave: u32,
    /// Waves of epochs that this process has not reached: the last one of each sender. Which of them is its parent then, is
    /// not known yet.
    later: Vec<(ProcessId, u32)>,
    /// The wave to which no answer was given, with what has been answered from below and how many have not.
    open: Option<(Counts, usize)>,
    answered: Vec<ProcessId>,
    previous: Option<Counts>,
    /// How many ends this process has heard of.
    ends: u32,
}

impl Termination {
    /// A job of so many processes.
    pub fn new(me: ProcessId, count: u32) -> Termination {
        Termination {
            me,
            members: (0..count).map(ProcessId::from_index).collect(),
            sent: vec![0; count as usize],
            received: vec![0; count as usize],
            failures: 0,
            told: 0,
            idle: false,
            wave: 0,
            later: Vec::new(),
            open: None,
            answered: Vec::new(),
            previous: None,
            ends: 0,
        }
    }

    /// A message was sent.
    pub fn count_sent(&mut self, to: ProcessId) {
        self.sent[to.index() as usize] += 1;
    }

    /// A message was received.
    pub fn count_received(&mut self, from: ProcessId) {
        self.received[from.index() as usize] += 1;
    }

    /// A task of this process has failed.
    pub fn count_failure(&mut self) {
        self.failures += 1;
    }

    /// So many failures were there since the last end.
    pub fn set_failures(&mut self, failures: u64) {
        self.failures = failures;
    }

    /// An end has come, or was found. If it is new: how many failures of this process it has told. What has failed since
    /// the last answer is for the next end: a task that was scheduled after the end may come before it, over a shorter way.
    pub fn end(&mut self, number: u32) -> Option<u64> {
        if number <= self.ends {
            return None;
        }
        self.ends = number;
        let told = std::mem::take(&mut self.told);
        self.failures = self.failures.saturating_sub(told);
        self.previous = None;
        Some(told)
    }

    fn place(&self, process: ProcessId) -> Option<usize> {
        self.members.binary_search(&process).ok()
    }

    /// The processes right below this one.
    pub fn children(&self) -> impl Iterator<Item = ProcessId> + '_ {
        let first = self.place(self.me).map_or(usize::MAX, |place| DEGREE * place + 1);
        self.members.iter().copied().skip(first).take(DEGREE)
    }

    /// The process right above this one.
    pub fn parent(&self) -> Option<ProcessId> {
        let place = self.place(self.me)?.checked_sub(1)?;
        self.members.get(place / DEGREE).copied()
    }

    /// Whether this process waits and has nothing to do.
    pub fn is_idle(&self) -> bool {
        self.idle
    }

    /// The children whose answers to the open wave are missing, each with those that it answers for.
    pub fn unanswered(&self) -> Vec<(ProcessId, Vec<ProcessId>)> {
        let silent = self.children().filter(|child| self.open.is_some() && !self.answered.contains(child));
        silent.map(|child| (child, self.below(child))).collect()
    }

    /// All processes below this one, the lowest first.
    fn below(&self, process: ProcessId) -> Vec<ProcessId> {
        let mut all: Vec<usize> = self.place(process).into_iter().collect();
        let mut next = 0;
        while let Some(&place) = all.get(next) {
            all.extend((DEGREE * place + 1..=DEGREE * place + DEGREE).filter(|child| *child < self.members.len()));
            next += 1;
        }
        all.iter().skip(1).map(|place| self.members[*place]).collect()
    }

    fn own(&self) -> Counts {
        let sum = |counts: &[u64]| self.members.iter().map(|member| counts[member.index() as usize]).sum();
        Counts { sent: sum(&self.sent), received: sum(&self.received), failures: self.failures }
    }

    /// Takes an event in; appends what is to be done.
    pub fn step(&mut self, event: TerminationEvent, actions: &mut Vec<Action>) -> Result<(), Breach> {
        match event {
            TerminationEvent::Idle(idle) => self.idle = idle,
            TerminationEvent::Wave { from, wave } if wave >> EPOCH_SHIFT > self.wave >> EPOCH_SHIFT => {
                self.later.retain(|(sender, _)| *sender != from);
                self.later.push((from, wave));
            }
            TerminationEvent::Wave { wave, .. } | TerminationEvent::Answer { wave, .. }
                if wave >> EPOCH_SHIFT != self.wave >> EPOCH_SHIFT => {}
            TerminationEvent::Wave { from, wave } => {
                if self.parent() != Some(from)
                    || (wave as u16).wrapping_sub(self.wave as u16).wrapping_sub(1) >= 1 << 15
                {
                    return Err(Breach::new(from, "it sends a wave that is not its to send, or not again"));
                }
                self.begin(wave, actions);
            }
            TerminationEvent::Answer { from, wave, sum } => {
                let child = self.children().any(|child| child == from);
                let Some((counts, missing)) = self.open.as_mut().filter(|_| wave == self.wave && child) else {
                    return Err(Breach::new(from, "it answers a wave that was not sent to it"));
                };
                if self.answered.contains(&from) {
                    return Err(Breach::new(from, "it answers a wave twice"));
                }
                self.answered.push(from);
                counts.add(sum);
                *missing -= 1;
            }
        }
        self.answer(actions);
        Ok(())
    }

    /// A process is lost: a new tree, and a new wave.
    pub fn lost(&mut self, process: ProcessId, actions: &mut Vec<Action>) {
        let Some(place) = self.place(process) else { return };
        self.members.remove(place);
        (self.open, self.previous) = (None, None);
        if self.ends > 0 {
            actions.extend(self.children().map(Action::EndAgain));
        }
        self.wave = ((self.wave >> EPOCH_SHIFT) + 1) << EPOCH_SHIFT;
        let (epoch, parent) = (self.wave >> EPOCH_SHIFT, self.parent());
        let due = self.later.iter().find(|(from, wave)| wave >> EPOCH_SHIFT == epoch && parent == Some(*from)).copied();
        self.later.retain(|(_, wave)| wave >> EPOCH_SHIFT > epoch);
        if let Some((_, wave)) = due {
            self.begin(wave, actions);
        }
        self.answer(actions);
    }

    /// The number of the next wave of this epoch.
    fn next_wave(&self) -> u32 {
        self.wave & !u32::from(u16::MAX) | u32::from((self.wave as u16).wrapping_add(1))
    }

    fn begin(&mut self, wave: u32, actions: &mut Vec<Action>) {
        self.wave = wave;
        self.answered.clear();
        actions.extend(self.children().map(|child| Action::Wave(child, wave)));
        self.open = Some((Counts::default(), self.children().count()));
    }

    /// Answers the open wave if all below have, or begins the next one.
    fn answer(&mut self, actions: &mut Vec<Action>) {
        let root = self.parent().is_none();
        if !self.idle && !planted("a busy process answers") {
            return;
        }
        if root && self.open.is_none() {
            self.begin(self.next_wave(), actions);
        }
        let Some((mut counts, 0)) = self.open else { return };
        counts.add(self.own());
        self.told = self.failures;
        self.open = None;
        if let Some(parent) = self.parent() {
            actions.push(Action::Answer(parent, self.wave, counts));
            return;
        }
        let twice = self.previous == Some(counts) || planted("one wave is enough");
        self.previous = Some(counts);
        if twice && counts.sent == counts.received {
            actions.push(Action::End(self.ends + 1, counts));
        } else {
            self.begin(self.next_wave(), actions);
            if self.members.len() == 1 {
                self.answer(actions);
            }
        }
    }
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.sent = self.sent.wrapping_add(other.sent);
        self.received = self.received.wrapping_add(other.received);
        self.failures = self.failures.wrapping_add(other.failures);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A process that counts as lost elsewhere, but not here, may say anything until this one knows.
    #[test]
    fn a_wave_of_a_later_epoch_is_not_displaced_by_anothers() {
        let [root, me, liar] = [0, 1, 2].map(ProcessId::from_index);
        let mut termination = Termination::new(me, 3);
        let mut actions = Vec::new();
        let wave = 1 << EPOCH_SHIFT | 1;
        termination.step(TerminationEvent::Idle(true), &mut actions).unwrap();
        for from in [liar, root, liar] {
            termination.step(TerminationEvent::Wave { from, wave }, &mut actions).unwrap();
        }
        assert_eq!(actions, [], "this process knows of no loss");
        termination.lost(liar, &mut actions);
        assert_eq!(actions, [Action::Answer(root, wave, Counts::default())]);
    }

    /// The end goes down the tree, and a task of whoever has heard of it already comes at once.
    #[test]
    fn a_failure_between_the_last_answer_and_the_end_is_told_by_the_next_one() {
        let [parent, me] = [1, 5].map(ProcessId::from_index);
        let mut termination = Termination::new(me, 6);
        let answered = |termination: &mut Termination, wave| {
            let mut actions = Vec::new();
            termination.step(TerminationEvent::Idle(true), &mut actions).unwrap();
            termination.step(TerminationEvent::Wave { from: parent, wave }, &mut actions).unwrap();
            let [Action::Answer(_, _, counts)] = actions[..] else { panic!("{actions:?}") };
            counts.failures
        };
        termination.count_failure();
        assert_eq!((1, 1), (answered(&mut termination, 1), answered(&mut termination, 2)));
        termination.count_failure();
        assert_eq!(termination.end(1), Some(1));
        assert_eq!(termination.end(1), None);
        assert_eq!(answered(&mut termination, 3), 1);
        assert_eq!(termination.end(2), Some(1));
        assert_eq!(answered(&mut termination, 4), 0);
    }
}
