//! References: those that the program holds, and those that its scheduled tasks have taken.

use super::DatumId;
use super::slot::{Locked, Phase, Slot};
use super::store::{DataCache, Store, name, unknown};
use crate::error::{Error, dvm_retcode_t};
use crate::sync::inbox::Node;

/// The state in which a task finds an input when it takes a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// The input is published, with this size, and this worker wrote it.
    Published { size: usize, home: u32 },
    /// The input is not published yet.
    Promised,
    /// The input will never be published.
    Poisoned,
}

impl Store {
    /// Adds a reference.
    pub(crate) fn acquire(&self, id: DatumId) -> Result<(), Error> {
        let body = self.lock_referenced(id)?;
        if body.carried_on() {
            return Err(ends_with_its_reader(id));
        }
        // A task that is not scheduled after all gives its references back: all of them must fit into one count.
        match body.available().checked_add(body.taken()).and_then(|all| all.checked_add(1)) {
            Some(_) => body.set_available(body.available() + 1),
            None => return Err(too_many(id)),
        }
        Ok(())
    }

    /// Drops a reference of the program.
    pub(crate) fn relax(&self, cache: &mut DataCache, id: DatumId) -> Result<(), Error> {
        let body = self.lock_referenced(id)?;
        let Some(left) = body.available().checked_sub(1) else { return Err(none_left(id, &body)) };
        body.set_available(left);
        self.settle(cache, id, body);
        Ok(())
    }

    /// Takes a reference for a task that reads the datum. If the datum is a promise, appends the task that `waiter`
    /// returns, if any, to the datum's waiters.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "measured: once for each input")]
    pub(crate) fn take(&self, id: DatumId, waiter: impl FnOnce() -> Option<Node>) -> Result<Readiness, Error> {
        let body = self.lock(id)?;
        let Some(left) = body.available().checked_sub(1) else { return Err(none_left(id, &body)) };
        body.set_available(left);
        body.set_taken(body.taken() + 1);
        let slot = body.slot();
        if slot.phase() == Phase::Promised
            && let Some(node) = waiter()
        {
            body.add_waiter(node);
        }
        Ok(Readiness::of(slot))
    }

    /// Returns a taken reference to the program: its task was not scheduled after all.
    pub(crate) fn untake(&self, id: DatumId) {
        if let Ok(body) = self.lock(id) {
            body.set_taken(body.taken() - 1);
            body.set_available(body.available() + 1);
        }
    }

    /// Drops a taken reference: its task has ended.
    #[inline]
    pub(crate) fn drop_taken(&self, cache: &mut DataCache, id: DatumId) {
        let body = self.kept(id).lock();
        body.set_taken(body.taken() - 1);
        self.settle(cache, id, body);
    }

    /// True if the datum exists and is not published yet. Any id is allowed.
    pub(crate) fn is_promised(&self, id: DatumId) -> bool {
        self.lock(id).is_ok_and(|body| body.slot().phase() == Phase::Promised)
    }

    /// The state of an input whose reference was taken.
    #[inline]
    pub(crate) fn readiness(&self, id: DatumId) -> Readiness {
        Readiness::of(self.kept(id))
    }
}

impl Readiness {
    #[inline]
    fn of(slot: &Slot) -> Readiness {
        match slot.phase() {
            Phase::Published => Readiness::Published { size: slot.size(), home: slot.home() },
            Phase::Poisoned | Phase::Free => Readiness::Poisoned,
            Phase::Promised => Readiness::Promised,
        }
    }
}

#[cold]
#[inline(never)]
fn ends_with_its_reader(id: DatumId) -> Error {
    Error::state(format!(
        "{} ends with the task that reads it, which carries its storage on in place: acquire before that task is \
         scheduled, and it will work on a copy",
        name(id)
    ))
}

#[cold]
#[inline(never)]
fn too_many(id: DatumId) -> Error {
    Error::state(format!("{} has as many references as can be counted", name(id)))
}

/// The error of a call that needs a reference when all are taken.
#[cold]
#[inline(never)]
fn none_left(id: DatumId, body: &Locked<'_>) -> Error {
    let taken = body.taken();
    if taken == 0 && !body.is_shared() {
        return unknown(id, true);
    }
    Error::new(
        dvm_retcode_t::DVM_ERR_NO_REFERENCE,
        format!(
            "{} has no reference left: scheduled tasks have taken {taken}; acquire one for each further use before the \
             others are scheduled",
            name(id)
        ),
    )
}
