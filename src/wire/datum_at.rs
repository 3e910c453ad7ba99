//! A datum and where: `{home u32, where u32, number u64}`.

use super::refusal::{Refusal, Why};
use super::words::{Reader, Writer};
use crate::id::{DatumId, ProcessId};

/// A datum and a process: the one where its bytes lie, or the one that is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DatumAt {
    /// The datum.
    pub id: DatumId,
    /// The process.
    pub at: ProcessId,
}

impl DatumAt {
    /// A datum, and its home.
    pub fn home(id: DatumId) -> DatumAt {
        DatumAt { id, at: id.home() }
    }

    pub(super) fn read(from: &mut Reader<'_>) -> Result<DatumAt, Refusal> {
        let home = from.process("a datum's home")?;
        let at = from.process("a datum's place")?;
        let number = from.u64("a datum's number")?;
        Ok(DatumAt { id: DatumId::from_raw([home.index(), number]), at })
    }

    /// Writes it, unless it is no datum.
    pub(super) fn write(self, to: &mut Writer<'_>) -> Result<(), Refusal> {
        if self.id == DatumId::NONE {
            return to.refuse(Why::Value { what: "a datum", value: 0 });
        }
        self.write_any(to)
    }

    /// Writes it, also where it is none.
    pub(super) fn write_any(self, to: &mut Writer<'_>) -> Result<(), Refusal> {
        to.process(self.id.home())?;
        to.process(self.at)?;
        to.u64(self.id.number());
        Ok(())
    }
}
