//! What is promised and not published, for whoever explains what waits for what.

use super::DatumId;
use super::slot::{Locked, Phase, Producer};
use super::store::Store;
use crate::sync::inbox::NodeRef;

/// Who is to publish a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Publisher<'a> {
    /// Nobody, so far.
    Nobody,
    /// The program, which has called write.
    Hand,
    /// This task, from its scheduling to its end.
    Task(NodeRef<'a>),
}

/// A promise that is not published, while its lock is held.
pub(crate) struct PendingView<'a> {
    pub(crate) id: DatumId,
    pub(crate) size: usize,
    /// The datum whose storage it carries on.
    pub(crate) predecessor: Option<DatumId>,
    pub(crate) publisher: Publisher<'a>,
    /// Threads that sleep until it is published.
    pub(crate) sleepers: u32,
    body: &'a Locked<'a>,
}

impl PendingView<'_> {
    /// Shows the tasks that wait for it; one that misses several data waits for one of them at a time. They stay in use
    /// meanwhile: a waiting task is not ready before it is taken off this list.
    pub(crate) fn each_waiter(&self, visit: impl FnMut(NodeRef<'_>)) {
        self.body.each_waiter(visit);
    }
}

impl Store {
    /// The size of a promise that is not published.
    #[cold] // asked for traces only
    pub(crate) fn promised_size(&self, id: DatumId) -> Option<usize> {
        let body = self.lock(id).ok()?;
        (body.slot().phase() == Phase::Promised).then(|| body.slot().size())
    }

    /// Shows every promise that is not published, one after the other, each under its lock: `visit` takes no lock of
    /// data, and is short.
    pub(crate) fn each_pending(&self, mut visit: impl FnMut(&PendingView<'_>)) {
        self.each(|id, body| show(id, &body, &mut visit));
    }

    /// Shows this promise, if it is still none that is published.
    pub(crate) fn pending(&self, id: DatumId, visit: impl FnOnce(&PendingView<'_>)) {
        if let Ok(body) = self.lock(id) {
            show(id, &body, visit);
        }
    }
}

fn show(id: DatumId, body: &Locked<'_>, visit: impl FnOnce(&PendingView<'_>)) {
    let slot = body.slot();
    if slot.phase() != Phase::Promised {
        return;
    }
    let producer = || {
        // SAFETY: a task ends its promise, under this lock, before it is given back: `Store::claim` demands that.
        unsafe { NodeRef::of(body.task()) }
    };
    visit(&PendingView {
        id,
        size: slot.size(),
        predecessor: slot.predecessor().map(DatumId::here),
        publisher: match body.producer() {
            Producer::Nobody => Publisher::Nobody,
            Producer::Hand => Publisher::Hand,
            Producer::Task => producer().map_or(Publisher::Nobody, Publisher::Task),
        },
        sleepers: body.sleepers(),
        body,
    });
}
