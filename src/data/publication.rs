//! Promises: their producers, their one moment of publication, poison, and storage carried on by a successor.

use super::DatumId;
use super::outcome::Outcome;
use super::slot::{Locked, NOWHERE, Phase, Producer, Slot};
use super::storage::Storage;
use super::store::{DataCache, Store, name, too_many_gets, unknown};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::inbox::{Chain, Link, Node};

/// What a successor gets from the datum whose storage it carries on.
#[derive(Debug)]
pub(crate) enum Carry {
    /// The storage itself, or zeros that nobody has asked for yet: the successor has them.
    Moved,
    /// The successor has to copy this number of bytes from here. They stay while the task holds its reference.
    Copy { from: *const u8, size: usize },
}

impl Locked<'_> {
    /// Ends the promise and returns the tasks that waited for it. The caller wakes the sleepers.
    #[inline]
    pub(super) fn conclude(&self, outcome: Outcome, home: u32) -> Chain {
        self.set_home(home);
        self.set_phase(match outcome {
            Outcome::Published => Phase::Published,
            Outcome::Poisoned => Phase::Poisoned,
        });
        self.take_waiters()
    }
}

impl Store {
    /// Makes a task the producer of a promise; returns the datum that the promise carries on.
    ///
    /// # Safety
    /// The task that has this link is in use until it has ended the promise, or the claim is taken back.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    pub(crate) unsafe fn claim(&self, id: DatumId, task: *mut Link) -> Result<Option<DatumId>, Error> {
        let body = self.lock_referenced(id)?;
        let state = (body.slot().phase(), body.producer());
        if state != (Phase::Promised, Producer::Nobody) {
            return Err(no_output(id, state));
        }
        body.set_task(task);
        Ok(body.slot().predecessor().map(DatumId::here))
    }

    /// Takes a claim back: the task was not scheduled after all.
    pub(crate) fn unclaim(&self, cache: &mut DataCache, id: DatumId) {
        if let Ok(body) = self.lock(id) {
            body.set_producer(Producer::Nobody);
            body.set_home(NOWHERE);
            self.settle(cache, id, body);
        }
    }

    /// Appends a task to the waiters of a datum of which it has taken a reference. Returns the task if the datum has
    /// been published or poisoned.
    #[inline]
    pub(crate) fn enlist(&self, id: DatumId, node: Node) -> Option<(Node, Outcome)> {
        let Some(slot) = self.entry(id) else { return Some((node, Outcome::Poisoned)) };
        if slot.phase() == Phase::Promised {
            let body = slot.lock();
            if slot.phase() == Phase::Promised {
                body.add_waiter(node);
                return None;
            }
        }
        Some((node, if slot.phase() == Phase::Published { Outcome::Published } else { Outcome::Poisoned }))
    }

    /// Publishes a promise on behalf of the program. `mine`: the caller is the task whose output the promise is.
    /// `gets`: the addresses of the datum that this task keeps.
    pub(crate) fn publish(
        &self,
        cache: &mut DataCache,
        id: DatumId,
        mine: bool,
        gets: u32,
        home: u32,
    ) -> Result<Chain, Error> {
        let body = self.lock(id)?;
        // The gets of sleeping threads are counted, too.
        let all = body.gets().checked_add(gets).ok_or_else(|| too_many_gets(id))?;
        match body.slot().phase() {
            Phase::Published => {
                return Err(Error::state(format!("{} is published already: a datum is published once", name(id))));
            }
            Phase::Poisoned => return Err(poisoned(id)),
            Phase::Promised | Phase::Free => {}
        }
        match body.producer() {
            Producer::Task if mine => {}
            Producer::Task | Producer::Away => {
                return Err(Error::state(format!("{} is the output of another task, which publishes it", name(id))));
            }
            Producer::Hand => body.set_producer(Producer::Nobody),
            Producer::Nobody if body.slot().predecessor().is_some() => {
                return Err(Error::state(format!(
                    "{} carries another datum on: it can only be the output of a task that reads that datum",
                    name(id)
                )));
            }
            Producer::Nobody if !body.referenced() && !body.is_shared() => return Err(unknown(id, true)),
            Producer::Nobody => {}
        }
        body.set_gets(all);
        let waiters = body.conclude(Outcome::Published, home);
        self.concluded(cache, id, body);
        Ok(waiters)
    }

    /// After the end of a promise: wakes the sleepers, or frees the datum if nobody needs it.
    #[inline]
    pub(super) fn concluded(&self, cache: &mut DataCache, id: DatumId, body: Locked<'_>) {
        if body.is_shared() {
            cache.tell(id);
        }
        if body.sleepers() > 0 {
            // The sleepers' gets keep the datum.
            drop(body);
            self.asleep.wake(id.number() as u32);
        } else {
            self.settle(cache, id, body);
        }
    }

    /// Makes the program the producer of a promise; returns its bytes and their number.
    pub(crate) fn write(&self, cache: &mut DataCache, id: DatumId) -> Result<(*mut u8, usize), Error> {
        let body = self.lock_referenced(id)?;
        match (body.slot().phase(), body.producer()) {
            (Phase::Promised, Producer::Nobody) => {}
            (Phase::Published, _) => {
                return Err(Error::state(format!("{} is published: its bytes do not change any more", name(id))));
            }
            (Phase::Poisoned, _) => return Err(poisoned(id)),
            _ => return Err(Error::state(format!("{} has a producer already", name(id)))),
        }
        if body.slot().predecessor().is_some() {
            return Err(Error::state(format!(
                "{} carries another datum on: it can only be the output of a task that reads that datum",
                name(id)
            )));
        }
        let addr = body.slot().materialise(cache)?;
        body.set_producer(Producer::Hand);
        Ok((addr, body.slot().size()))
    }

    /// Publishes or poisons an output of a task that has ended, unless the task has done so by hand.
    #[inline]
    pub(crate) fn finish(&self, cache: &mut DataCache, id: DatumId, outcome: Outcome, home: u32) -> Chain {
        let body = self.kept(id).lock();
        body.set_producer(Producer::Nobody);
        if body.slot().phase() != Phase::Promised {
            self.settle(cache, id, body);
            return Chain::EMPTY;
        }
        let waiters = body.conclude(outcome, home);
        self.concluded(cache, id, body);
        waiters
    }

    /// The datum that an output of the calling task carries on.
    #[inline]
    pub(crate) fn predecessor(&self, id: DatumId) -> Option<DatumId> {
        self.kept(id).predecessor().map(DatumId::here)
    }

    /// What a starting task that reads `id`, and has taken `mine` references of it, hands on to the successor, an
    /// output of that task. The storage moves if these references are the last ones and nobody holds an address.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each task")]
    pub(crate) fn carry(&self, id: DatumId, successor: DatumId, mine: u32, may_move: bool) -> Carry {
        let successor = self.kept(successor);
        let body = self.kept(id).lock();
        // A producer that has published early may still use addresses that it got of the datum's own predecessor.
        // Nor may other processes know it.
        let last =
            body.available() == 0 && body.taken() == mine && body.gets() == 0 && !body.produced() && !body.is_shared();
        let slot = body.slot();
        if successor.size() != slot.size() {
            successor.set_size(slot.size()); // which was not known when the successor was made
        }
        let Some(addr) = slot.addr() else {
            successor.set_storage(&Storage::Absent);
            return Carry::Moved;
        };
        if last && may_move && !body.carried_on() && slot.is_writable() {
            slot.hand_on(successor);
            return Carry::Moved;
        }
        Carry::Copy { from: addr, size: slot.size() }
    }
}

impl Slot {
    /// The address of the bytes. Bytes that nobody has asked for yet are created here, as zeros. The caller holds the
    /// lock, or is the task that produces the datum.
    #[inline]
    pub(super) fn materialise(&self, cache: &mut DataCache) -> Result<*mut u8, Error> {
        if let Some(addr) = self.addr() {
            return Ok(addr);
        }
        let storage = cache.zeroed(self.size())?;
        self.set_storage(&storage);
        Ok(self.addr().expect("memory has an address"))
    }
}

/// The error of a task that would produce a datum that has another producer.
#[cold]
#[inline(never)]
fn no_output(id: DatumId, state: (Phase, Producer)) -> Error {
    if state.0 == Phase::Poisoned {
        return poisoned(id);
    }
    let datum = name(id);
    Error::state(match state {
        (Phase::Published, _) => {
            format!("{datum} is published: only a promise can be an output, and of one task only")
        }
        (Phase::Promised, Producer::Hand) => {
            format!("{datum} is being written by hand: it cannot be an output as well")
        }
        _ => format!("{datum} is the output of another task: it has one producer"),
    })
}

/// The error of a call that needs bytes which will never exist.
#[cold]
#[inline(never)]
pub(super) fn poisoned(id: DatumId) -> Error {
    Error::new(
        dvm_retcode_t::DVM_ERR_POISONED,
        format!("{} will never have a value: the task that was to produce it has failed or was cancelled", name(id)),
    )
}
