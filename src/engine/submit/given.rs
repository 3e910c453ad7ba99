//! Tasks whose arguments are not just what the program gives: it keeps its reference of some, and updates others in place.

use smallvec::SmallVec;

use super::wrong_count;
use crate::data::DatumId;
use crate::engine::context::call::Call;
use crate::error::{Error, dvm_retcode_t};
use crate::memory;
use crate::processing::{ArgumentAccess, Signature};

/// Most tasks have no more arguments.
type Ids = SmallVec<[DatumId; 16]>;

/// The arguments of a task, made of what the program gives: references that were taken, and promises. They go again with
/// the value, unless a task was scheduled with them.
pub(crate) struct MadeArguments<'a> {
    call: &'a Call,
    /// What the program said of those that were made.
    given: &'a [ArgumentAccess],
    of_task: Ids,
}

/// An argument that the program updates.
pub(crate) struct UpdatedArgument {
    pub(crate) place: usize,
    pub(crate) before: DatumId,
    pub(crate) after: DatumId,
}

impl MadeArguments<'_> {
    /// What a task has.
    pub(crate) fn of_task(&self) -> &[DatumId] {
        &self.of_task
    }

    /// The arguments that the program updates.
    pub(crate) fn updates(&self) -> impl Iterator<Item = UpdatedArgument> + '_ {
        let mut end = 0;
        self.given.iter().enumerate().filter_map(move |(place, access)| {
            end += access.modes().len();
            (*access == ArgumentAccess::InOut).then(|| UpdatedArgument {
                place,
                before: self.of_task[end - 2],
                after: self.of_task[end - 1],
            })
        })
    }

    /// A task was scheduled with them.
    pub(crate) fn keep(&mut self) {
        self.given = &[];
    }
}

impl Drop for MadeArguments<'_> {
    fn drop(&mut self) {
        let mut end = 0;
        for access in self.given {
            end += access.modes().len();
            if matches!(access, ArgumentAccess::Read | ArgumentAccess::InOut) {
                // The reference is this call's: nobody else has given it up.
                let _ = self.call.relax(self.of_task[end - 1]);
            }
        }
    }
}

impl<'a> MadeArguments<'a> {
    /// None yet.
    #[inline]
    pub(crate) fn none(call: &'a Call) -> MadeArguments<'a> {
        MadeArguments { call, given: &[], of_task: Ids::new() }
    }

    /// Makes the arguments of a task of what the program gives; `given` says how. Into a value that
    /// stays where it is: moving its ids was a call of memmove for each task.
    ///
    /// # Errors
    /// The number of ids, no memory, or those of an acquire and of a next. All data are as they were once the value is dropped.
    #[inline(never)]
    pub(crate) fn make(
        &mut self,
        (signature, given): (&Signature, &'a [ArgumentAccess]),
        ids: &[DatumId],
    ) -> Result<(), Error> {
        if ids.len() != given.len() {
            return Err(wrong_count(signature, ids.len()));
        }
        if signature.count > self.of_task.capacity() {
            memory::strictly(|| self.of_task.try_reserve(signature.count))
                .map_err(|_| Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "no memory for the arguments of a task"))?;
        }
        for (place, (&id, access)) in ids.iter().zip(given).enumerate() {
            match access {
                ArgumentAccess::In | ArgumentAccess::Out => self.of_task.push(id),
                ArgumentAccess::Read => {
                    self.call.acquire(id)?;
                    self.of_task.push(id);
                }
                ArgumentAccess::InOut => {
                    let next = self.call.next(id)?;
                    self.of_task.extend_from_slice(&[id, next]);
                }
            }
            self.given = &given[..=place];
        }
        Ok(())
    }
}
