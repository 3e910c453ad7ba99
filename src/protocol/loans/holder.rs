//! A datum in another process than its home.

use super::Held;
use crate::id::ProcessId;
use crate::protocol::breach::Breach;
use crate::protocol::planted::planted;
use crate::wire::LoanMessage;

/// A task from another process that has ended here, while this process still holds the datum without home's knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WithheldTask {
    /// Who sent it.
    pub from: ProcessId,
    /// Its number among the tasks from there.
    pub sequence: u32,
}

/// What a process keeps of a datum with another home, beside its references.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Holder {
    /// Home knows that this process holds the datum.
    confirmed: bool,
    /// Questions under way: plain loans, loans that make a reference, references to be moved here.
    loans: u32,
    acquires: u32,
    takes: u32,
    /// Uses without a reference, in the order in which the owner of this machine keeps them; at most one per question.
    wants: u32,
    /// Tasks from other processes that read it and have not ended.
    reading: u32,
    withheld: Vec<WithheldTask>,
}

/// What happens to a datum in such a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HolderEvent {
    /// A task is scheduled here, or a reference is dropped by the program: it wants a reference.
    Use,
    /// The program makes a reference.
    Acquire,
    /// A reference that was granted is not used any longer.
    Release,
    /// A task from another process that reads it has come.
    Begin,
    /// It has ended.
    End(WithheldTask),
    /// This process, which must be home, says this.
    Answer(ProcessId, LoanMessage),
}

/// What is to be done, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HolderAction {
    /// Tell home.
    Send(LoanMessage),
    /// The oldest use that waits has its reference, which is counted as taken.
    Granted,
    /// The oldest use that waits gets none: `DVM_ERR_NO_REFERENCE`.
    Denied,
    /// The program's oldest question for a reference that is made failed: the datum does not exist.
    AcquireDenied,
    /// Nothing withholds the task's return any more on account of this datum.
    Return(WithheldTask),
}

use HolderAction as Action;

impl Holder {
    /// Takes an event in; appends what is to be done.
    pub fn step(&mut self, held: &mut Held, event: HolderEvent, actions: &mut Vec<Action>) -> Result<(), Breach> {
        match event {
            HolderEvent::Use => self.want(held, actions),
            HolderEvent::Acquire => self.acquire(held, actions),
            HolderEvent::Release => {
                held.taken -= 1;
                self.review(*held, actions);
            }
            HolderEvent::Begin => self.reading += 1,
            HolderEvent::End(task) => {
                self.reading -= 1;
                self.withheld.push(task);
                self.review(*held, actions);
            }
            HolderEvent::Answer(from, message) => {
                self.answer(held, from, message, actions)?;
                self.review(*held, actions);
            }
        }
        Ok(())
    }

    /// Rule 1: one of its own, else one of home's.
    fn want(&mut self, held: &mut Held, actions: &mut Vec<Action>) {
        if held.take() {
            actions.push(Action::Granted);
            return;
        }
        self.wants += 1;
        if self.wants > self.acquires + self.takes {
            self.takes += 1;
            actions.push(Action::Send(LoanMessage::Take));
        }
    }

    /// Rule 1: who holds something adds to it, who holds nothing asks home.
    fn acquire(&mut self, held: &mut Held, actions: &mut Vec<Action>) {
        if held.is_nothing() && self.reading == 0 && self.withheld.is_empty() {
            self.acquires += 1;
            actions.push(Action::Send(LoanMessage::Loan { acquire: true }));
        } else {
            self.gain(held, actions);
        }
    }

    /// One reference more: for the oldest use that waits, else for the program.
    fn gain(&mut self, held: &mut Held, actions: &mut Vec<Action>) {
        if self.wants > 0 {
            self.wants -= 1;
            held.taken += 1;
            actions.push(Action::Granted);
        } else {
            held.available += 1;
        }
    }

    fn answer(
        &mut self,
        held: &mut Held,
        from: ProcessId,
        message: LoanMessage,
        actions: &mut Vec<Action>,
    ) -> Result<(), Breach> {
        match message {
            LoanMessage::Loaned { acquire: false } if self.loans > 0 => {
                self.loans -= 1;
                self.confirmed = true;
            }
            LoanMessage::Loaned { acquire: true } if self.acquires > 0 => {
                self.acquires -= 1;
                self.confirmed = true;
                self.gain(held, actions);
            }
            LoanMessage::Taken if self.takes > 0 => {
                self.takes -= 1;
                self.confirmed = true;
                self.gain(held, actions);
            }
            LoanMessage::Refused { acquire: true } if self.acquires > 0 => {
                self.acquires -= 1;
                actions.push(Action::AcquireDenied);
                self.deny(actions);
            }
            LoanMessage::Refused { acquire: false } if self.takes > 0 => {
                self.takes -= 1;
                self.deny(actions);
            }
            _ => return Err(Breach::new(from, "it answers a question about a datum that nobody has asked")),
        }
        Ok(())
    }

    /// Uses that no question stands for any more get nothing.
    fn deny(&mut self, actions: &mut Vec<Action>) {
        while self.wants > self.acquires + self.takes {
            self.wants -= 1;
            actions.push(Action::Denied);
        }
    }

    /// Whether home has not answered a question.
    pub fn asks(&self) -> bool {
        self.loans > 0 || self.acquires > 0 || self.takes > 0
    }

    /// Rules 3 and 4.
    fn review(&mut self, held: Held, actions: &mut Vec<Action>) {
        let careless = planted("a runner returns before its loan is confirmed");
        if !self.withheld.is_empty() && (!self.asks() && (self.confirmed || held.is_nothing()) || careless) {
            actions.extend(self.withheld.drain(..).map(Action::Return));
        }
        if !self.withheld.is_empty() && !self.asks() {
            self.loans += 1;
            actions.push(Action::Send(LoanMessage::Loan { acquire: false }));
        }
        let asks = self.asks() && !planted("a loan is returned while a question is under way");
        if self.confirmed && held.is_nothing() && !asks {
            self.confirmed = false;
            actions.push(Action::Send(LoanMessage::Return));
        }
    }

    /// Rule 5, first half: a process is lost that had sent this many tasks on the datum which have not ended. What is
    /// appended must be sent before this process says that it knows of the loss, and nothing else about the datum.
    pub fn adopt(&mut self, held: &mut Held, process: ProcessId, tasks: u32, actions: &mut Vec<Action>) {
        if !planted("nobody takes over a lost process's tasks") {
            held.taken += tasks;
        }
        self.reading -= tasks;
        self.withheld.retain(|task| task.from != process);
        let holds = !held.is_nothing() || self.reading > 0;
        if holds && !self.confirmed && !planted("a survivor does not ask for a loan") {
            self.loans += 1;
            actions.push(Action::Send(LoanMessage::Loan { acquire: false }));
        }
    }

    /// Rule 5, second half: this process has said that it knows of the loss.
    pub fn adopted(&mut self, held: Held, actions: &mut Vec<Action>) {
        self.review(held, actions);
    }

    /// Home is lost: nobody answers any more, and nobody frees.
    pub fn home_lost(&mut self, actions: &mut Vec<Action>) {
        for _ in 0..std::mem::take(&mut self.acquires) {
            actions.push(Action::AcquireDenied);
        }
        (self.takes, self.loans, self.confirmed) = (0, 0, false);
        self.deny(actions);
        actions.extend(self.withheld.drain(..).map(Action::Return));
    }

    /// Whether a task of another process reads the datum here.
    pub fn is_read(&self) -> bool {
        self.reading > 0
    }

    /// Whether nothing is left to remember.
    pub fn is_idle(&self) -> bool {
        *self == Holder::default()
    }
}
