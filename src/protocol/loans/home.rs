//! A datum at home: who else holds it.

use super::Held;
use crate::id::ProcessId;
use crate::protocol::breach::Breach;
use crate::protocol::planted::planted;
use crate::protocol::process_set::ProcessSet;
use crate::wire::LoanMessage;

/// What home keeps of a datum that other processes hold. Home's own references are counted in a [`Held`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LoanHome {
    lent: ProcessSet,
}

impl LoanHome {
    /// A message of a process that is alive; gives the answer, if there is one.
    pub fn message(
        &mut self,
        held: &mut Held,
        from: ProcessId,
        message: LoanMessage,
    ) -> Result<Option<LoanMessage>, Breach> {
        Ok(match message {
            LoanMessage::Loan { acquire } => {
                self.lent.insert(from);
                Some(LoanMessage::Loaned { acquire })
            }
            LoanMessage::Take if held.available > 0 => {
                held.available -= 1;
                if !planted("a taken reference is no loan") {
                    self.lent.insert(from);
                }
                Some(LoanMessage::Taken)
            }
            LoanMessage::Take => Some(LoanMessage::Refused { acquire: false }),
            LoanMessage::Return => {
                if !self.lent.remove(from) {
                    return Err(Breach::new(from, "it returns a loan that it does not have"));
                }
                None
            }
            LoanMessage::Loaned { .. } | LoanMessage::Taken | LoanMessage::Refused { .. } => {
                return Err(Breach::new(from, "it answers the home of a datum, which has asked nothing"));
            }
        })
    }

    /// What home answers for a datum that it does not have.
    pub fn unknown(from: ProcessId, message: LoanMessage) -> Result<LoanMessage, Breach> {
        match message {
            LoanMessage::Loan { acquire: true } => Ok(LoanMessage::Refused { acquire: true }),
            LoanMessage::Take => Ok(LoanMessage::Refused { acquire: false }),
            _ => Err(Breach::new(from, "it holds a datum that has been freed")),
        }
    }

    /// A process is lost, which had sent home this many tasks on the datum that have not ended.
    pub fn lost(&mut self, held: &mut Held, process: ProcessId, tasks: u32) {
        self.lent.remove(process);
        held.taken += tasks;
    }

    /// Who has a loan.
    pub fn lent(&self) -> &ProcessSet {
        &self.lent
    }

    /// Whether the datum may be freed. `frozen`: not all survivors of a loss have said that they know.
    pub fn may_free(&self, held: Held, frozen: bool) -> bool {
        held.is_nothing() && self.lent.is_empty() && (!frozen || planted("home does not wait for the survivors"))
    }
}
