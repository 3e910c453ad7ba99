//! Addresses: get and put.

use super::DataId;
use super::publication::poisoned;
use super::slot::Phase;
use super::store::{Cache, Store, name, unknown};
use crate::error::{Error, dvm_retcode_t};

/// From where a datum is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A thread that may sleep until the datum is published.
    Outside,
    /// A free callback: as outside, but it may not sleep.
    Callback,
    /// A task, and the datum is none of its arguments.
    Task,
    /// A task, and the datum is one of its inputs.
    Input,
    /// A task, and the datum is one of its outputs.
    Output,
}

/// A datum's bytes on this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Got {
    pub(crate) addr: *mut u8,
    pub(crate) size: usize,
    /// True when the get was counted and a put has to take it back.
    pub(crate) counted: bool,
}

impl Store {
    /// Gives a datum's bytes. A task's own inputs and unpublished outputs stay without being counted: inputs by the
    /// references that the task has taken, outputs by their producer being at work.
    #[inline]
    pub(crate) fn get(&self, cache: &mut Cache, id: DataId, reach: Reach) -> Result<Got, Error> {
        let (slot, mut body) = self.lock(id)?;
        if !body.referenced() && reach != Reach::Output {
            return Err(unknown(id, true));
        }
        if body.carried_on() && reach != Reach::Input {
            return Err(Error::state(format!("the storage of {} is being carried on in place by a task", name(id))));
        }
        if body.phase == Phase::Promised && !matches!(reach, Reach::Outside | Reach::Output) {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_NOT_READY,
                format!(
                    "{} is not published yet and a task may not wait for it: schedule a task that reads it",
                    name(id)
                ),
            ));
        }
        let counted = match reach {
            Reach::Input => false,
            Reach::Output => body.phase != Phase::Promised,
            _ => true,
        };
        let outside = matches!(reach, Reach::Outside | Reach::Callback);
        body.gets += u32::from(counted);
        body.outside += u32::from(outside);
        if reach == Reach::Outside && body.phase == Phase::Promised {
            body.sleepers += 1;
            while body.phase == Phase::Promised && !body.abandoned() {
                slot.changed.wait(&mut body);
            }
            body.sleepers -= 1;
        }
        let bytes = match body.phase {
            Phase::Poisoned => Err(poisoned(id)),
            Phase::Promised if reach == Reach::Outside => Err(unknown(id, true)),
            _ => body.materialise(),
        };
        match bytes {
            Ok(addr) => Ok(Got { addr, size: body.size, counted }),
            Err(error) => {
                body.gets -= u32::from(counted);
                body.outside -= u32::from(outside);
                self.settle(cache, id, slot, body);
                Err(error)
            }
        }
    }

    /// Ends a get that was made outside tasks.
    pub(crate) fn put_outside(&self, cache: &mut Cache, id: DataId) -> Result<(), Error> {
        let (slot, mut body) = self.lock(id)?;
        if body.outside <= body.sleepers {
            return Err(if body.needed() && !body.referenced() && !body.produced() {
                unknown(id, true)
            } else {
                not_got(id)
            });
        }
        body.outside -= 1;
        body.gets -= 1;
        self.settle(cache, id, slot, body);
        Ok(())
    }

    /// Ends a counted get of a task.
    pub(crate) fn put_counted(&self, cache: &mut Cache, id: DataId) {
        let (slot, mut body) = self.lock(id).expect("a datum that somebody has got exists");
        body.gets -= 1;
        self.settle(cache, id, slot, body);
    }

    /// The failure of a task's put of a datum that it has not got.
    pub(crate) fn refuse_put(&self, id: DataId) -> Error {
        match self.lock_referenced(id) {
            Ok(_) => not_got(id),
            Err(error) => error,
        }
    }
}

/// The failure of a put without a get.
fn not_got(id: DataId) -> Error {
    Error::state(format!("put of {} without a get", name(id)))
}
