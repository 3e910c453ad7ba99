//! Promises that are not published, for explanations of what waits for what.

use super::DatumId;
use super::slot::{Locked, Phase, Producer};
use super::store::Store;
use crate::sync::inbox::NodeRef;

/// The publisher of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Publisher<'a> {
    /// There is none so far.
    Nobody,
    /// The program, which has called write.
    Hand,
    /// This task, from its scheduling to its end.
    Task(NodeRef<'a>),
    /// A task of another process.
    Away,
}

/// An unpublished promise, while its lock is held.
pub(crate) struct PendingView<'a> {
    pub(crate) id: DatumId,
    pub(crate) size: usize,
    /// The datum whose storage the promise carries on.
    pub(crate) predecessor: Option<DatumId>,
    pub(crate) publisher: Publisher<'a>,
    /// Threads that sleep until the promise is published.
    pub(crate) sleepers: u32,
    body: &'a Locked<'a>,
}

impl PendingView<'_> {
    /// Shows the tasks that wait for the promise. A task that misses several data waits for one of them at a time. The
    /// tasks stay in use during the call: a waiting task is not ready before it is taken off this list.
    pub(crate) fn each_waiter(&self, visit: impl FnMut(NodeRef<'_>)) {
        self.body.each_waiter(visit);
    }
}

impl Store {
    /// The size of an unpublished promise.
    #[cold] // asked for traces only
    pub(crate) fn promised_size(&self, id: DatumId) -> Option<usize> {
        let body = self.lock(id).ok()?;
        (body.slot().phase() == Phase::Promised).then(|| body.slot().size())
    }

    /// Shows each unpublished promise under its lock, one after the other. `visit` locks no datum, and is short.
    pub(crate) fn each_pending(&self, mut visit: impl FnMut(&PendingView<'_>)) {
        self.each(|id, body| show(id, &body, &mut visit));
    }

    /// Shows this promise, if it is still unpublished.
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
        // SAFETY: a task ends its promise, under this lock, before the task is freed: `Store::claim` demands that.
        unsafe { NodeRef::of(body.task()) }
    };
    visit(&PendingView {
        id,
        size: slot.size(),
        predecessor: slot.predecessor().map(DatumId::here),
        publisher: match body.producer() {
            Producer::Nobody => Publisher::Nobody,
            Producer::Hand => Publisher::Hand,
            Producer::Away => Publisher::Away,
            Producer::Task => producer().map_or(Publisher::Nobody, Publisher::Task),
        },
        sleepers: body.sleepers(),
        body,
    });
}
