//! Promises: their producers, their one moment of publication, poison, and storage carried on by a successor.

use super::DataId;
use super::slot::{Body, NOWHERE, Phase, Producer};
use super::storage::Storage;
use super::store::{Cache, Store, name, no_memory, unknown};
use super::waiting::{Owner, Wait, Waiters};
use crate::error::{Error, dvm_retcode_t};

/// What a promise comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Its bytes exist.
    Published,
    /// They never will.
    Poisoned,
}

/// What a successor gets from the datum whose storage it carries on.
#[derive(Debug)]
pub(crate) enum Carry {
    /// The storage itself, or zeros that nobody has asked for yet.
    Moved(Storage),
    /// It is to copy so many bytes from here; they stay while the task holds its reference.
    Copy { from: *const u8, size: usize },
}

impl Body {
    /// Ends the promise and hands out who waited for it. The caller wakes the sleepers.
    pub(super) fn conclude(&mut self, outcome: Outcome, home: u32) -> Waiters {
        self.phase = match outcome {
            Outcome::Published => Phase::Published,
            Outcome::Poisoned => Phase::Poisoned,
        };
        if home != NOWHERE {
            self.home = home;
        }
        self.waiters.take_all()
    }
}

impl Store {
    /// Makes a task the producer of a promise; gives the datum that the promise carries on.
    pub(crate) fn claim(&self, id: DataId, owner: Owner) -> Result<Option<DataId>, Error> {
        let (_, mut body) = self.lock_referenced(id)?;
        match (body.phase, body.producer) {
            (Phase::Promised, Producer::Nobody) => {}
            (Phase::Published, _) => {
                return Err(Error::state(format!(
                    "{} is published: only a promise can be an output, and of one task only",
                    name(id)
                )));
            }
            (Phase::Promised, Producer::Hand) => {
                return Err(Error::state(format!(
                    "{} is being written by hand: it cannot be an output as well",
                    name(id)
                )));
            }
            _ => {
                return Err(Error::state(format!("{} is the output of another task: it has one producer", name(id))));
            }
        }
        body.producer = Producer::Task(owner);
        Ok((body.predecessor != 0).then_some([0, body.predecessor]))
    }

    /// Takes a claim back: the task was not scheduled after all.
    pub(crate) fn unclaim(&self, cache: &mut Cache, id: DataId) {
        if let Ok((slot, mut body)) = self.lock(id) {
            body.producer = Producer::Nobody;
            self.settle(cache, id, slot, body);
        }
    }

    /// Takes a claim back without letting the datum go: the caller still counts it among its claims.
    pub(crate) fn abandon(&self, id: DataId) {
        if let Ok((_, mut body)) = self.lock(id) {
            body.producer = Producer::Nobody;
        }
    }

    /// Puts a task on the list of those that wait for the datum, unless it is published or poisoned by now.
    ///
    /// # Safety
    /// The node is prepared, in no list, and stays valid until its owner is handed out by [`Waiters`].
    pub(crate) unsafe fn enlist(&self, id: DataId, node: *mut Wait) -> Option<Outcome> {
        let (_, mut body) = self.lock(id).expect("a datum with a taken reference exists");
        match body.phase {
            Phase::Promised => {
                // SAFETY: by this function's contract.
                unsafe { body.waiters.append(node) };
                None
            }
            Phase::Published => Some(Outcome::Published),
            Phase::Poisoned | Phase::Free => Some(Outcome::Poisoned),
        }
    }

    /// Publishes a promise on behalf of the program; `actor` is the task that asks, if it is one, and `gets` the
    /// addresses of the datum that this task keeps.
    pub(crate) fn publish(
        &self,
        cache: &mut Cache,
        id: DataId,
        actor: Option<Owner>,
        gets: u32,
        home: u32,
    ) -> Result<Waiters, Error> {
        let (slot, mut body) = self.lock(id)?;
        match body.phase {
            Phase::Published => {
                return Err(Error::state(format!("{} is published already: a datum is published once", name(id))));
            }
            Phase::Poisoned => return Err(poisoned(id)),
            Phase::Promised | Phase::Free => {}
        }
        match body.producer {
            Producer::Task(owner) if Some(owner) == actor => {}
            Producer::Task(_) => {
                return Err(Error::state(format!("{} is the output of another task, which publishes it", name(id))));
            }
            Producer::Hand => body.producer = Producer::Nobody,
            Producer::Nobody if body.predecessor != 0 => {
                return Err(Error::state(format!(
                    "{} carries another datum on: it can only be the output of a task that reads that datum",
                    name(id)
                )));
            }
            Producer::Nobody if !body.referenced() => return Err(unknown(id, true)),
            Producer::Nobody => {}
        }
        body.gets += gets;
        let waiters = body.conclude(Outcome::Published, home);
        if body.sleepers > 0 {
            slot.changed.notify_all();
        }
        self.settle(cache, id, slot, body);
        Ok(waiters)
    }

    /// Makes the program the producer of a promise; gives its bytes and their number.
    pub(crate) fn write(&self, id: DataId) -> Result<(*mut u8, usize), Error> {
        let (_, mut body) = self.lock_referenced(id)?;
        match (body.phase, body.producer) {
            (Phase::Promised, Producer::Nobody) => {}
            (Phase::Published, _) => {
                return Err(Error::state(format!("{} is published: its bytes do not change any more", name(id))));
            }
            (Phase::Poisoned, _) => return Err(poisoned(id)),
            _ => return Err(Error::state(format!("{} has a producer already", name(id)))),
        }
        if body.predecessor != 0 {
            return Err(Error::state(format!(
                "{} carries another datum on: it can only be the output of a task that reads that datum",
                name(id)
            )));
        }
        let addr = body.materialise()?;
        body.producer = Producer::Hand;
        Ok((addr, body.size))
    }

    /// The task that was to produce the datum has ended: publishes or poisons it, unless the task has done so by hand.
    pub(crate) fn finish(&self, cache: &mut Cache, id: DataId, outcome: Outcome, home: u32) -> Waiters {
        let (slot, mut body) = self.lock(id).expect("a datum with a producer exists");
        body.producer = Producer::Nobody;
        let mut waiters = Waiters::NONE;
        if body.phase == Phase::Promised {
            waiters = body.conclude(outcome, home);
            if body.sleepers > 0 {
                slot.changed.notify_all();
            }
        }
        self.settle(cache, id, slot, body);
        waiters
    }

    /// The datum that a promise carries on.
    pub(crate) fn predecessor(&self, id: DataId) -> Option<DataId> {
        let (_, body) = self.lock(id).ok()?;
        (body.predecessor != 0).then_some([0, body.predecessor])
    }

    /// What a starting task that reads `id` and has taken `mine` references of it hands on to its successor. The
    /// storage moves when these references are the last ones and nobody holds an address.
    pub(crate) fn carry(&self, id: DataId, mine: u32, may_move: bool) -> Result<Carry, Error> {
        let (_, mut body) = self.lock(id)?;
        let last = body.available == 0 && body.taken == mine && body.gets == 0;
        let Some(addr) = body.storage.addr() else { return Ok(Carry::Moved(Storage::Absent)) };
        if last && may_move && !body.carried_on() {
            return Ok(Carry::Moved(std::mem::replace(&mut body.storage, Storage::Lent { addr })));
        }
        Ok(Carry::Copy { from: addr, size: body.size })
    }
}

impl Body {
    /// The address of the bytes; those that nobody has asked for yet come into being here, as zeros.
    pub(super) fn materialise(&mut self) -> Result<*mut u8, Error> {
        if let Some(addr) = self.storage.addr() {
            return Ok(addr);
        }
        self.storage = Storage::zeroed(self.size).ok_or_else(|| no_memory(self.size))?;
        Ok(self.storage.addr().expect("memory has an address"))
    }
}

/// The failure of a call that needs bytes which will never be.
#[cold]
pub(super) fn poisoned(id: DataId) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_POISONED,
        format!("{} will never have a value: the task that was to produce it has failed or was cancelled", name(id)),
    )
}
