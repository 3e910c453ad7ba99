//! Tasks that one process sends to another one: numbered without a gap, ended once, returned once.

use super::breach::Breach;
use crate::id::{DatumId, ProcessId};
use std::collections::{BTreeMap, VecDeque};

/// Entries by running numbers, of which the oldest go first, more or less.
#[derive(Debug)]
struct Window<T> {
    first: u32,
    entries: VecDeque<Option<T>>,
}

impl<T> Window<T> {
    const fn new() -> Window<T> {
        Window { first: 0, entries: VecDeque::new() }
    }

    fn next(&self) -> u32 {
        self.first.wrapping_add(self.entries.len() as u32)
    }

    fn push(&mut self, entry: T) -> u32 {
        let number = self.next();
        self.entries.push_back(Some(entry));
        number
    }

    fn slot(&mut self, number: u32) -> Option<&mut Option<T>> {
        self.entries.get_mut(number.wrapping_sub(self.first) as usize)
    }

    fn get(&mut self, number: u32) -> Option<&mut T> {
        self.slot(number)?.as_mut()
    }

    fn remove(&mut self, number: u32) -> Option<T> {
        let entry = self.slot(number)?.take();
        while let Some(None) = self.entries.front() {
            self.entries.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        entry
    }

    fn drain(&mut self) -> impl Iterator<Item = (u32, T)> + use<T> {
        let (first, next) = (self.first, self.next());
        self.first = next;
        let entries = std::mem::take(&mut self.entries);
        (0..).zip(entries).filter_map(move |(place, entry)| Some((first.wrapping_add(place), entry?)))
    }
}

/// The tasks that were sent to one process. `T` is what the scheduler keeps of a task: its inputs' references first of all
/// (rule 2 of `loans`).
#[derive(Debug)]
pub struct SentTasks<T> {
    tasks: Window<Sent<T>>,
    running: usize,
}

#[derive(Debug)]
struct Sent<T> {
    task: T,
    ended: bool,
}

/// What a `Done` says about a sent task.
#[derive(Debug, PartialEq, Eq)]
pub enum TaskEnd<'a, T> {
    /// It has come to the outcome that is said.
    Ended(&'a T),
    /// Its references are free.
    Returned(T),
}

impl<T> Default for SentTasks<T> {
    fn default() -> Self {
        SentTasks { tasks: Window::new(), running: 0 }
    }
}

impl<T> SentTasks<T> {
    /// Keeps a task that is being sent; gives its number.
    pub fn send(&mut self, task: T) -> u32 {
        self.running += 1;
        self.tasks.push(Sent { task, ended: false })
    }

    /// How many have not come to an outcome.
    pub fn running(&self) -> usize {
        self.running
    }

    /// Whether all have ended and were returned.
    pub fn is_empty(&self) -> bool {
        self.tasks.entries.is_empty()
    }

    /// The tasks that are not returned.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.tasks.entries.iter().flatten().map(|sent| &sent.task)
    }

    /// The tasks that have not come to an outcome.
    pub fn running_tasks(&self) -> impl Iterator<Item = &T> {
        self.tasks.entries.iter().flatten().filter(|sent| !sent.ended).map(|sent| &sent.task)
    }

    /// Tasks up to this number, and so many before it, have come to an outcome, or are returned, or both.
    pub fn done(
        &mut self,
        from: ProcessId,
        (sequence, before): (u32, u16),
        (outcome, returns): (bool, bool),
        then: &mut dyn FnMut(TaskEnd<'_, T>),
    ) -> Result<(), Breach> {
        let numbers = (0..=u32::from(before)).rev().map(|back| sequence.wrapping_sub(back));
        for number in numbers.clone() {
            match self.tasks.get(number) {
                None => return Err(Breach::new(from, "it ends a task that it was not sent, or has returned")),
                Some(sent) if outcome && sent.ended => return Err(Breach::new(from, "it ends a task twice")),
                Some(sent) if !outcome && !sent.ended => {
                    return Err(Breach::new(from, "it returns a task that it has not ended"));
                }
                Some(_) => {}
            }
        }
        for number in numbers {
            if outcome && let Some(sent) = self.tasks.get(number) {
                sent.ended = true;
                self.running -= 1;
                then(TaskEnd::Ended(&sent.task));
            }
            if returns && let Some(sent) = self.tasks.remove(number) {
                then(TaskEnd::Returned(sent.task));
            }
        }
        Ok(())
    }

    /// The process is lost: gives its tasks, each with whether it had come to an outcome.
    pub fn lost(&mut self) -> impl Iterator<Item = (T, bool)> + use<T> {
        self.running = 0;
        self.tasks.drain().map(|(_, sent)| (sent.task, sent.ended))
    }
}

/// The tasks that came from one process.
#[derive(Debug)]
pub struct ReceivedTasks {
    tasks: Window<Received>,
    /// Answers to claims for tasks that have not come yet: of which outputs, and whether they are granted.
    early: BTreeMap<u32, Vec<(DatumId, bool)>>,
}

#[derive(Debug)]
struct Received {
    /// Claims that are not answered.
    claims: u32,
    refused: bool,
    /// Inputs that withhold the return.
    withheld: u32,
    ended: bool,
}

/// What is known about the outputs that a task has claimed elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimState {
    /// Some answers are missing: the task waits.
    Waiting,
    /// All outputs are its own.
    Granted,
    /// All answers are there, and one is a refusal: the task fails without having run.
    Refused,
}

/// What is to be sent to a task's scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoneParts {
    /// Whether the outcome is said.
    pub outcome: bool,
    /// Whether the references are returned.
    pub returns: bool,
}

/// Tasks may be this far from the first that is not returned.
const WINDOW: u32 = 1 << 30;

impl Default for ReceivedTasks {
    fn default() -> Self {
        ReceivedTasks { tasks: Window::new(), early: BTreeMap::new() }
    }
}

impl ReceivedTasks {
    /// A task has come, which has this many inputs, and outputs that it waits to be granted. What was answered before about
    /// other data counts for nothing: its scheduler or their home lies, and nobody can say which of them.
    pub fn accept(
        &mut self,
        from: ProcessId,
        sequence: u32,
        inputs: u32,
        claims: &[DatumId],
    ) -> Result<ClaimState, Breach> {
        if sequence != self.tasks.next() {
            return Err(Breach::new(from, "it sends a task out of order"));
        }
        let early = self.early.remove(&sequence).unwrap_or_default();
        let granted = |id: &DatumId| early.iter().find(|(answered, _)| answered == id).map(|(_, granted)| *granted);
        let unanswered = claims.iter().filter(|id| granted(id).is_none()).count() as u32;
        let refused = claims.iter().any(|id| granted(id) == Some(false));
        let received = Received { claims: unanswered, refused, withheld: inputs, ended: false };
        let state = received.state();
        self.tasks.push(received);
        Ok(state)
    }

    /// The home of an output has answered a task's claim. The task may not have come yet; the owner of this machine knows of
    /// one that has come whether it claims the output.
    pub fn claim(&mut self, output: DatumId, sequence: u32, granted: bool) -> Result<ClaimState, Breach> {
        let home = output.home();
        if let Some(task) = self.tasks.get(sequence) {
            let Some(claims) = task.claims.checked_sub(1) else {
                return Err(Breach::new(home, "it answers a claim twice"));
            };
            task.claims = claims;
            task.refused |= !granted;
            return Ok(task.state());
        }
        if sequence.wrapping_sub(self.tasks.next()) >= WINDOW {
            return Err(Breach::new(home, "it answers the claim of a task that has been returned"));
        }
        let early = self.early.entry(sequence).or_default();
        if early.iter().any(|(answered, _)| *answered == output) {
            return Err(Breach::new(home, "it answers a claim twice"));
        }
        early.push((output, granted));
        Ok(ClaimState::Waiting)
    }

    /// One of a task's inputs does not withhold its return; says what is to be sent.
    pub fn release(&mut self, sequence: u32) -> Option<DoneParts> {
        let task = self.tasks.get(sequence)?;
        task.withheld -= 1;
        let returns = task.withheld == 0 && task.ended;
        if returns {
            self.tasks.remove(sequence);
        }
        returns.then_some(DoneParts { outcome: false, returns: true })
    }

    /// A task has ended. Each of its inputs has been given to `loans` before, which released it or withholds it.
    pub fn end(&mut self, sequence: u32) -> Option<DoneParts> {
        let task = self.tasks.get(sequence)?;
        task.ended = true;
        let returns = task.withheld == 0;
        if returns {
            self.tasks.remove(sequence);
        }
        Some(DoneParts { outcome: true, returns })
    }

    /// The process is lost: its tasks go on as this process's own, which nobody waits for.
    pub fn lost(&mut self) {
        self.tasks.drain().for_each(drop);
        self.early.clear();
    }
}

impl Received {
    fn state(&self) -> ClaimState {
        match (self.claims, self.refused) {
            (0, false) => ClaimState::Granted,
            (0, true) => ClaimState::Refused,
            _ => ClaimState::Waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: ProcessId = ProcessId::from_index(1);

    fn output(number: u64) -> DatumId {
        DatumId::from_raw([PEER.index(), number])
    }

    fn ends(tasks: &mut SentTasks<char>, sequence: (u32, u16), parts: (bool, bool)) -> Result<String, &'static str> {
        let mut said = String::new();
        let done = tasks.done(PEER, sequence, parts, &mut |end| match end {
            TaskEnd::Ended(task) => said.push(*task),
            TaskEnd::Returned(task) => said.extend(task.to_uppercase()),
        });
        done.map(|()| said).map_err(|breach| breach.what)
    }

    #[test]
    fn sent_tasks_end_once_and_are_returned_once() {
        let mut tasks = SentTasks::default();
        for (number, task) in "abcde".chars().enumerate() {
            assert_eq!(tasks.send(task), number as u32);
        }
        assert_eq!(ends(&mut tasks, (1, 0), (true, false)).as_deref(), Ok("b"));
        assert_eq!(ends(&mut tasks, (1, 0), (true, false)), Err("it ends a task twice"));
        assert_eq!(ends(&mut tasks, (2, 0), (false, true)), Err("it returns a task that it has not ended"));
        assert_eq!(ends(&mut tasks, (3, 1), (true, true)).as_deref(), Ok("cCdD"));
        assert_eq!(ends(&mut tasks, (4, 1), (true, true)), Err("it ends a task that it was not sent, or has returned"));
        assert_eq!(tasks.running(), 2, "a refused message changes nothing");
        assert_eq!(ends(&mut tasks, (1, 0), (false, true)).as_deref(), Ok("B"));
        assert_eq!(ends(&mut tasks, (9, 0), (true, true)), Err("it ends a task that it was not sent, or has returned"));
        assert_eq!(tasks.lost().collect::<Vec<_>>(), [('a', false), ('e', false)]);
        assert!(tasks.is_empty());
        assert_eq!(tasks.send('f'), 5, "numbers are not given again");
    }

    #[test]
    fn numbers_pass_their_greatest_value() {
        let mut tasks = SentTasks::default();
        tasks.tasks.first = u32::MAX - 1;
        assert_eq!([tasks.send('a'), tasks.send('b'), tasks.send('c')], [u32::MAX - 1, u32::MAX, 0]);
        assert_eq!(ends(&mut tasks, (0, 1), (true, true)).as_deref(), Ok("bBcC"));
        assert_eq!(ends(&mut tasks, (u32::MAX - 1, 0), (true, true)).as_deref(), Ok("aA"));
        assert!(tasks.is_empty());
    }

    #[test]
    fn received_tasks_wait_for_their_claims_and_are_returned_with_the_last_input() {
        let mut tasks = ReceivedTasks::default();
        let [one, two] = [1, 2].map(output);
        assert_eq!(tasks.claim(one, 0, true), Ok(ClaimState::Waiting), "before the task");
        assert_eq!(tasks.accept(PEER, 0, 2, &[one, two]), Ok(ClaimState::Waiting));
        assert!(tasks.accept(PEER, 0, 0, &[]).is_err(), "a replay");
        assert!(tasks.accept(PEER, 2, 0, &[]).is_err(), "a gap");
        assert_eq!(tasks.claim(two, 0, false), Ok(ClaimState::Refused));
        assert!(tasks.claim(two, 0, true).is_err());
        assert_eq!(tasks.release(0), None);
        assert_eq!(tasks.end(0), Some(DoneParts { outcome: true, returns: false }));
        assert_eq!(tasks.release(0), Some(DoneParts { outcome: false, returns: true }));
        assert_eq!(tasks.end(0), None);
        assert!(tasks.claim(one, 0, true).is_err(), "returned");
        assert_eq!(tasks.accept(PEER, 1, 0, &[]), Ok(ClaimState::Granted));
        assert_eq!(tasks.end(1), Some(DoneParts { outcome: true, returns: true }));
    }

    #[test]
    fn answers_about_what_a_task_does_not_claim_count_for_nothing() {
        let mut tasks = ReceivedTasks::default();
        let [one, two, other] = [1, 2, 3].map(output);
        assert_eq!(tasks.claim(other, 0, true), Ok(ClaimState::Waiting));
        assert_eq!(tasks.claim(one, 0, true), Ok(ClaimState::Waiting));
        assert!(tasks.claim(one, 0, true).is_err(), "twice");
        assert_eq!(tasks.accept(PEER, 0, 0, &[one, two]), Ok(ClaimState::Waiting), "nobody has granted the second");
        assert_eq!(tasks.claim(two, 0, true), Ok(ClaimState::Granted));
        assert_eq!(tasks.claim(other, 1, false), Ok(ClaimState::Waiting));
        assert_eq!(tasks.accept(PEER, 1, 0, &[]), Ok(ClaimState::Granted), "the refusal is of another datum");
    }
}
