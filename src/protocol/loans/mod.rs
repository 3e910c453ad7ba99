//! References belong to processes; a loan, known at home, keeps the datum while another process holds some.
//!
//! The rules (numbers as in the comments of the code):
//! 1. A process uses its own references. Without any it asks home: `Take` moves one of home's here, `Loan` with `acquire`
//!    makes one. Both are loans. Who holds something makes further references without asking.
//! 2. A sender keeps what it took for a task until the runner returns it; the outcome alone does not.
//! 3. A runner that at the end of a task holds references of its own, and has no confirmed loan, asks for one, and
//!    withholds the return until the answer: as long as that takes, the task's sender keeps the datum.
//! 4. With a confirmed loan, no references and no question under way, the loan is returned. Home frees when it holds nothing
//!    and no loan is out.
//! 5. After a loss home frees nothing until every survivor has said that it knows (`membership`). Before it says so, a
//!    survivor that holds without a confirmed loan asks for one. It takes over as its own the tasks that the lost process has sent it.
//!
//! A datum that no other process has touched needs nothing of this: its home makes a [`LoanHome`] with the first message about
//! it, and another process a [`Holder`] with the first task or call that names it. `exhaustive` explores all
//! interleavings of a few processes.

#[cfg(test)]
mod exhaustive;
mod holder;
mod home;

pub use holder::{Holder, HolderAction, HolderEvent, WithheldTask};
pub use home::LoanHome;

/// What a process holds of a datum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Held {
    /// References that the program may use.
    pub available: u32,
    /// References that tasks use: its own until they end, those sent away until they are returned.
    pub taken: u32,
}

impl Held {
    /// Whether it holds nothing.
    pub fn is_nothing(self) -> bool {
        self.available == 0 && self.taken == 0
    }

    /// Uses an available reference for a task; says whether there was one.
    pub fn take(&mut self) -> bool {
        let there = self.available > 0;
        if there {
            self.available -= 1;
            self.taken += 1;
        }
        there
    }
}
