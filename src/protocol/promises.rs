//! Promises: the account is at home, the bytes are where the producer runs, and whoever needs them hears from there: one hop.

use super::breach::Breach;
use super::process_set::ProcessSet;
use crate::id::ProcessId;

/// Who produces a promise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Producer {
    #[default]
    Nobody,
    /// The program, in the home process.
    Hand,
    /// A task that runs there.
    Task(ProcessId),
    /// It has come to something.
    Settled,
}

/// A promise at its home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Promise {
    producer: Producer,
    /// Who needs it, and has not been passed on to the producer's process.
    waiting: ProcessSet,
}

/// What home does with a `Subscribe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subscription {
    /// Nothing: home answers when the promise has come to something.
    Kept,
    /// Pass it on to this process.
    PassOn(ProcessId),
    /// Answer at once.
    Answer,
}

impl Promise {
    /// Somebody needs it. `me` is home, which hears of the end anyhow.
    pub fn subscribe(&mut self, me: ProcessId, needer: ProcessId) -> Subscription {
        match self.producer {
            Producer::Settled => Subscription::Answer,
            _ if needer == me => Subscription::Kept,
            Producer::Task(runner) if runner != me => Subscription::PassOn(runner),
            _ => {
                self.waiting.insert(needer);
                Subscription::Kept
            }
        }
    }

    /// The program produces it by hand; says whether it may.
    pub fn write(&mut self) -> bool {
        let free = self.producer == Producer::Nobody;
        if free {
            self.producer = Producer::Hand;
        }
        free
    }

    /// A task that runs there produces it: gives those who need it and are to be passed on; none if it has a producer.
    pub fn claim(&mut self, me: ProcessId, runner: ProcessId) -> Option<ProcessSet> {
        if self.producer != Producer::Nobody {
            return None;
        }
        self.producer = Producer::Task(runner);
        if runner == me {
            return Some(ProcessSet::default());
        }
        Some(std::mem::take(&mut self.waiting))
    }

    /// Whether somebody produces it, or has.
    pub fn has_producer(&self) -> bool {
        self.producer != Producer::Nobody
    }

    /// Where its producer runs, if it has one that has not ended.
    pub fn runner(&self) -> Option<ProcessId> {
        if let Producer::Task(runner) = self.producer { Some(runner) } else { None }
    }

    /// Whether it has come to something.
    pub fn is_settled(&self) -> bool {
        self.producer == Producer::Settled
    }

    /// The producer's process says what it has come to: gives those whom home has to tell.
    pub fn here(&mut self, from: ProcessId) -> Result<ProcessSet, Breach> {
        if self.producer != Producer::Task(from) {
            return Err(Breach::new(from, "it gives a value to a promise that it does not produce"));
        }
        Ok(self.settle())
    }

    /// It has come to something at home: gives those whom home has to tell.
    pub fn settle(&mut self) -> ProcessSet {
        self.producer = Producer::Settled;
        std::mem::take(&mut self.waiting)
    }

    /// Its task's process is lost, and the bytes with it, if there were any: the task is sent again, and nobody produces it
    /// until then. Who needs it was passed on and asks again, or waits here.
    pub fn reopen(&mut self) {
        self.producer = Producer::Nobody;
    }

    /// A process is lost. If it was to produce, nobody will: gives those whom home has to tell that it is poisoned. Who
    /// was passed on asks again (`copies`).
    pub fn lost(&mut self, process: ProcessId) -> Option<ProcessSet> {
        self.waiting.remove(process);
        (self.producer == Producer::Task(process)).then(|| self.settle())
    }
}

/// An output in the process where its producer runs, which is not its home. It is kept until home says `Free`: a
/// `Subscribe` that home passed on may come after the end of the task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OutputClaim {
    subscribers: ProcessSet,
    settled: bool,
}

impl OutputClaim {
    /// Somebody needs it; says whether to answer at once.
    pub fn subscribe(&mut self, needer: ProcessId) -> bool {
        if !self.settled {
            self.subscribers.insert(needer);
        }
        self.settled
    }

    /// It has come to something: gives those who are told, beside home.
    pub fn settle(&mut self) -> ProcessSet {
        self.settled = true;
        std::mem::take(&mut self.subscribers)
    }

    /// Whether it has come to something.
    pub fn is_settled(&self) -> bool {
        self.settled
    }

    /// A process is lost.
    pub fn lost(&mut self, process: ProcessId) {
        self.subscribers.remove(process);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: ProcessId = ProcessId::from_index(0);
    const RUNNER: ProcessId = ProcessId::from_index(1);
    const NEEDER: ProcessId = ProcessId::from_index(2);
    const OTHER: ProcessId = ProcessId::from_index(3);

    fn list(set: &ProcessSet) -> Vec<ProcessId> {
        set.iter().collect()
    }

    #[test]
    fn subscriptions_go_to_the_producer_and_home_hears_once() {
        let mut promise = Promise::default();
        assert_eq!(promise.subscribe(HOME, NEEDER), Subscription::Kept);
        assert!(promise.here(RUNNER).is_err(), "nobody produces it");
        assert_eq!(promise.claim(HOME, RUNNER).as_ref().map(list), Some(vec![NEEDER]));
        assert_eq!(promise.claim(HOME, OTHER), None, "a second producer");
        assert!(!promise.write());
        assert_eq!(promise.subscribe(HOME, OTHER), Subscription::PassOn(RUNNER));
        assert!(promise.here(OTHER).is_err(), "another one produces it");
        assert_eq!(promise.here(RUNNER).as_ref().map(list), Ok(vec![]), "the producer tells them");
        assert!(promise.here(RUNNER).is_err(), "a replay");
        assert_eq!(promise.subscribe(HOME, OTHER), Subscription::Answer);
    }

    #[test]
    fn a_promise_of_a_lost_producer_is_settled() {
        let mut promise = Promise::default();
        promise.subscribe(HOME, NEEDER);
        promise.claim(HOME, RUNNER);
        promise.subscribe(HOME, OTHER);
        assert_eq!(promise.lost(NEEDER), None);
        assert_eq!(promise.lost(RUNNER).as_ref().map(list), Some(vec![]));
        assert!(promise.is_settled());
        assert_eq!(promise.subscribe(HOME, OTHER), Subscription::Answer, "it asks again");
    }

    #[test]
    fn an_output_tells_its_subscribers_once() {
        let mut output = OutputClaim::default();
        assert!(!output.subscribe(NEEDER));
        output.lost(NEEDER);
        assert!(!output.subscribe(OTHER));
        assert_eq!(list(&output.settle()), [OTHER]);
        assert!(output.subscribe(NEEDER), "answered at once");
    }
}
