//! Access to the bytes of data: get and put.

use super::DatumId;
use super::publication::poisoned;
use super::slot::{Locked, Phase};
use super::store::{DataCache, Store, name, too_many_gets, unknown};
use crate::error::{Error, dvm_retcode_t};

/// The kind of caller that asks for a datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A thread that may sleep until the datum is published.
    Outside,
    /// A free callback: as a thread outside tasks, but it may not sleep.
    Callback,
    /// A task, and the datum is not one of its arguments.
    Task,
    /// A task, and the datum is one of its inputs.
    Input,
    /// A task, and the datum is one of its outputs.
    Output,
}

/// The bytes of a datum in this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Got {
    pub(crate) addr: *mut u8,
    pub(crate) size: usize,
    /// True if the get was counted, and a put has to undo that.
    pub(crate) counted: bool,
}

impl Store {
    /// The bytes of an argument of the running task, without a lock, if they exist. The get is not counted: the task's
    /// references keep the bytes of inputs, and the running producer keeps those of outputs. On `None` the caller uses
    /// [`Store::get`].
    #[inline]
    pub(crate) fn argument(&self, id: DatumId, reach: Reach) -> Option<Got> {
        let slot = self.kept(id);
        // A counted get keeps an output that its task has published by hand.
        let wanted = if reach == Reach::Output { Phase::Promised } else { Phase::Published };
        let addr = slot.addr().filter(|_| slot.phase() == wanted)?;
        Some(Got { addr, size: slot.size(), counted: false })
    }

    /// The bytes of an output of the running task. Before publication only this task asks for them, so bytes that do
    /// not exist yet are created here, without a lock.
    #[inline]
    pub(crate) fn output(&self, cache: &mut DataCache, id: DatumId) -> Option<Got> {
        let slot = self.kept(id);
        if slot.phase() != Phase::Promised {
            return None;
        }
        let addr = match slot.addr() {
            Some(addr) => addr,
            None => slot.materialise(cache).ok()?,
        };
        Some(Got { addr, size: slot.size(), counted: false })
    }

    /// The bytes of a datum.
    #[inline]
    pub(crate) fn get(&self, cache: &mut DataCache, id: DatumId, reach: Reach) -> Result<Got, Error> {
        let mut body = self.lock(id)?;
        let slot = body.slot();
        if !body.referenced() && !body.is_shared() && reach != Reach::Output {
            return Err(unknown(id, true));
        }
        if body.carried_on() && reach != Reach::Input {
            return Err(in_use_by_successor(id));
        }
        let promised = slot.phase() == Phase::Promised;
        if promised && !matches!(reach, Reach::Outside | Reach::Output) {
            return Err(not_ready(id));
        }
        let counted = match reach {
            Reach::Input => false,
            Reach::Output => !promised,
            _ => true,
        };
        match body.gets().checked_add(u32::from(counted)) {
            Some(gets) => body.set_gets(gets),
            None => return Err(too_many_gets(id)),
        }
        if reach == Reach::Outside && promised {
            body = self.sleep_until_published(id, body);
        }
        let bytes = match slot.phase() {
            Phase::Poisoned => Err(poisoned(id)),
            Phase::Promised if reach == Reach::Outside => Err(unknown(id, true)),
            _ => slot.materialise(cache),
        };
        match bytes {
            Ok(addr) => {
                if matches!(reach, Reach::Outside | Reach::Callback) {
                    body.set_outside(body.outside() + 1); // published by now
                }
                Ok(Got { addr, size: slot.size(), counted })
            }
            Err(error) => {
                body.set_gets(body.gets() - u32::from(counted));
                self.settle(cache, id, body);
                Err(error)
            }
        }
    }

    /// Sleeps until the datum is published or poisoned, or no producer is left. The caller's get keeps the datum.
    #[cold]
    fn sleep_until_published<'a>(&self, id: DatumId, body: Locked<'a>) -> Locked<'a> {
        let slot = body.slot();
        body.set_sleepers(body.sleepers() + 1);
        drop(body);
        // The thread that ends or abandons the promise sees the sleeper under the datum's lock, and then wakes it.
        self.asleep.sleep(id.number() as u32, || {
            let body = slot.lock();
            let over = slot.phase() != Phase::Promised || body.abandoned();
            over.then(|| {
                body.set_sleepers(body.sleepers() - 1);
                body
            })
        })
    }

    /// Ends a get that was made outside tasks.
    pub(crate) fn put_outside(&self, cache: &mut DataCache, id: DatumId) -> Result<(), Error> {
        let body = self.lock(id)?;
        if body.slot().phase() != Phase::Published || body.outside() == 0 {
            return Err(if body.needed() && !body.referenced() && !body.produced() && !body.is_shared() {
                unknown(id, true)
            } else {
                not_got(id)
            });
        }
        body.set_outside(body.outside() - 1);
        body.set_gets(body.gets() - 1);
        self.settle(cache, id, body);
        Ok(())
    }

    /// Ends a counted get of a task.
    pub(crate) fn put_counted(&self, cache: &mut DataCache, id: DatumId) {
        let body = self.kept(id).lock();
        body.set_gets(body.gets() - 1);
        self.settle(cache, id, body);
    }

    /// The error of a task's put of a datum that the task has not got.
    pub(crate) fn refuse_put(&self, id: DatumId) -> Error {
        match self.lock_referenced(id) {
            Ok(_) => not_got(id),
            Err(error) => error,
        }
    }
}

#[cold]
#[inline(never)]
fn in_use_by_successor(id: DatumId) -> Error {
    Error::state(format!("the storage of {} is being carried on in place by a task", name(id)))
}

#[cold]
#[inline(never)]
fn not_ready(id: DatumId) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_NOT_READY,
        format!("{} is not published yet and a task may not wait for it: schedule a task that reads it", name(id)),
    )
}

/// The error of a put without a get.
#[cold]
#[inline(never)]
pub(crate) fn not_got(id: DatumId) -> Error {
    Error::state(format!("put of {} without a get", name(id)))
}
