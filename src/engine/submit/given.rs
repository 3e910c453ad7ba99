//! Tasks whose arguments are not just what the program gives: it keeps its reference of some, and updates others in place.

use super::wrong_count;
use crate::data::DatumId;
use crate::engine::context::call::Call;
use crate::error::Error;
use crate::memory;
use crate::processing::{ArgumentAccess, Signature};

impl Call {
    /// Schedules a task of such a processing on what the program gives; `schedule` gets the task's arguments. Gives the
    /// arguments that the program updates, by place, and which datum each is from here on.
    ///
    /// # Errors
    /// Those of an acquire, of a next and of `schedule`. Then all data are as they were.
    #[cold]
    #[inline(never)]
    pub(crate) fn schedule_given(
        &self,
        signature: &Signature,
        ids: &[DatumId],
        schedule: impl FnOnce(&[DatumId]) -> Result<(), Error>,
    ) -> Result<Vec<(usize, DatumId)>, Error> {
        if ids.len() != signature.arguments() {
            return Err(wrong_count(signature, ids.len()));
        }
        let (mut of_task, mut updates) = (Vec::new(), Vec::new());
        let mut made = Made { call: self, ids: Vec::new() };
        memory::room_for(&mut of_task, signature.count)?;
        memory::room_for(&mut updates, ids.len())?;
        memory::room_for(&mut made.ids, ids.len())?;
        for (place, (&access, &id)) in signature.given.into_iter().flatten().zip(ids).enumerate() {
            of_task.push(id);
            match access {
                ArgumentAccess::In | ArgumentAccess::Out => {}
                ArgumentAccess::Read => {
                    self.acquire(id)?;
                    made.ids.push(id);
                }
                ArgumentAccess::InOut => {
                    let next = self.next(id)?;
                    made.ids.push(next);
                    of_task.push(next);
                    updates.push((place, next));
                }
            }
        }
        schedule(&of_task)?;
        made.ids.clear();
        Ok(updates)
    }
}

/// What was made for a task: references that were taken, and promises. It goes again when the task is not scheduled.
struct Made<'a> {
    call: &'a Call,
    ids: Vec<DatumId>,
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        for &id in &self.ids {
            // The reference is this call's: nobody else has given it up.
            let _ = self.call.relax(id);
        }
    }
}
