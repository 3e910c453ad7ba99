//! What is promised and not published, for whoever explains what waits for what.

use super::DataId;
use super::slot::{Phase, Producer};
use super::store::Store;
use super::waiting::{Owner, Waiters};

/// Who is to publish a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Publisher {
    /// Nobody, so far.
    Nobody,
    /// The program, which has called write.
    Hand,
    /// A task, from its scheduling to its end.
    Task(Owner),
}

/// A promise that is not published, while its lock is held.
pub(crate) struct PendingView<'a> {
    pub(crate) id: DataId,
    pub(crate) size: usize,
    /// The datum whose storage it carries on.
    pub(crate) predecessor: Option<DataId>,
    pub(crate) publisher: Publisher,
    /// Threads that sleep until it is published.
    pub(crate) sleepers: u32,
    waiters: &'a Waiters,
}

impl PendingView<'_> {
    /// The tasks that wait for it. They, and the publisher when it is a task, stay in use while the view lives: a
    /// waiting task is not ready before it is taken off this list, and a publishing one not over before it has been
    /// taken off this datum, both under the lock that the view holds.
    pub(crate) fn waiters(&self) -> impl Iterator<Item = Owner> {
        self.waiters.owners()
    }
}

impl Store {
    /// The size of a promise that is not published.
    pub(crate) fn promised_size(&self, id: DataId) -> Option<usize> {
        let (_, body) = self.lock(id).ok()?;
        (body.phase == Phase::Promised).then_some(body.size)
    }

    /// Shows every promise that is not published, one after the other, each under its lock: `visit` takes no lock of
    /// data, and is short.
    pub(crate) fn each_pending(&self, mut visit: impl FnMut(&PendingView<'_>)) {
        self.each(|id, _, body| {
            if body.phase != Phase::Promised {
                return;
            }
            visit(&PendingView {
                id,
                size: body.size,
                predecessor: (body.predecessor != 0).then_some([0, body.predecessor]),
                publisher: match body.producer {
                    Producer::Nobody => Publisher::Nobody,
                    Producer::Hand => Publisher::Hand,
                    Producer::Task(owner) => Publisher::Task(owner),
                },
                sleepers: body.sleepers,
                waiters: &body.waiters,
            });
        });
    }
}
