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

/// A task that was scheduled on what the program gave.
pub(crate) struct ScheduledGiven<'a> {
    given: &'a [ArgumentAccess],
    of_task: Ids,
}

impl ScheduledGiven<'_> {
    /// The arguments that the program updates, by place, and which datum each is from here on.
    pub(crate) fn updates(&self) -> impl Iterator<Item = (usize, DatumId)> + '_ {
        let mut end = 0;
        self.given.iter().enumerate().filter_map(move |(place, access)| {
            end += access.modes().len();
            (*access == ArgumentAccess::InOut).then(|| (place, self.of_task[end - 1]))
        })
    }
}

impl Call {
    /// Schedules a task of a processing on what the program gives, `given` says how; `schedule` gets the task's arguments.
    ///
    /// # Errors
    /// Those of an acquire, of a next and of `schedule`. Then all data are as they were.
    #[inline(never)]
    pub(crate) fn schedule_given<'a>(
        &self,
        (signature, given): (&Signature, &'a [ArgumentAccess]),
        ids: &[DatumId],
        schedule: impl FnOnce(&[DatumId]) -> Result<(), Error>,
    ) -> Result<ScheduledGiven<'a>, Error> {
        if ids.len() != given.len() {
            return Err(wrong_count(signature, ids.len()));
        }
        let mut of_task = Ids::new();
        memory::strictly(|| of_task.try_reserve(signature.count))
            .map_err(|_| Error::new(dvm_retcode_t::DVM_ERR_MEMORY, "no memory for the arguments of a task"))?;
        let mut result = Ok(());
        let mut made = 0;
        for (&access, &id) in given.iter().zip(ids) {
            let mut end = Ok(id);
            match access {
                ArgumentAccess::In | ArgumentAccess::Out => {}
                ArgumentAccess::Read => end = self.acquire(id).map(|()| id),
                ArgumentAccess::InOut => {
                    of_task.push(id);
                    end = self.next(id);
                }
            }
            match end {
                Ok(end) => of_task.push(end),
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
            made += 1;
        }
        match result.and_then(|()| schedule(&of_task)) {
            Ok(()) => Ok(ScheduledGiven { given, of_task }),
            Err(error) => {
                self.take_given_back(&given[..made], &of_task);
                Err(error)
            }
        }
    }

    /// Undoes what was made for a task that is not scheduled: references that were taken, and promises.
    #[cold]
    #[inline(never)]
    fn take_given_back(&self, given: &[ArgumentAccess], of_task: &[DatumId]) {
        let mut end = 0;
        for access in given {
            end += access.modes().len();
            if matches!(access, ArgumentAccess::Read | ArgumentAccess::InOut) {
                // The reference is this call's: nobody else has given it up.
                let _ = self.relax(of_task[end - 1]);
            }
        }
    }
}
