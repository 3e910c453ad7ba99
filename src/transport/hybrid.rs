//! Processes of several hosts: rings to those of this one, an MPI to the others.

use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::contract::{Incoming, Outgoing, Peer, RemoteAddress, Sent, SharedBlock, Transport, TransportEvent, Wake};
use super::embedded::{Embedded, PullBy};
use super::join::connect_to;
use super::meeting;
use super::plugin::Plugin;
use crate::error::Error;

/// An MPI wakes nobody: a sleep lasts no longer than this, in microseconds, and at first much less.
const FIRST_SLEEP: u64 = 20;
const LONGEST_SLEEP: u64 = 1000;

/// Two transports, of which each peer has one.
pub(crate) struct Hybrid {
    rings: Embedded,
    mpi: Plugin,
    /// How long the next sleep lasts at most.
    sleep: AtomicU64,
}

/// The transport over an MPI, and whether it is rings alone: where all processes are on one host, MPI has made them meet,
/// and is used no more.
///
/// # Errors
/// A process is gone, or the system refuses something.
pub(crate) fn connect(mpi: Plugin, by_rings: bool, pull_by: PullBy) -> Result<(Box<dyn Transport>, bool), Error> {
    let (me, processes) = (mpi.me(), mpi.processes());
    let met = meeting::meet(me, by_rings, &|mine| mpi.gather(mine))?;
    // The launcher's process on this host is the parent of all of them.
    let launcher = std::os::unix::process::parent_id() as i32;
    let rings = connect_to(me, processes, met.sockets, launcher, pull_by)?;
    if met.all {
        mpi.close(true);
        return Ok((Box::new(rings), true));
    }
    Ok((Box::new(Hybrid { rings, mpi, sleep: AtomicU64::new(FIRST_SLEEP) }), false))
}

impl Transport for Hybrid {
    fn me(&self) -> Peer {
        self.mpi.me()
    }

    fn processes(&self) -> usize {
        self.mpi.processes()
    }

    fn largest_batch(&self) -> usize {
        self.rings.largest_batch().min(self.mpi.largest_batch())
    }

    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        self.mpi.gather(mine)
    }

    fn send(&self, to: Peer, batch: &[u8]) -> Sent {
        if self.rings.reaches(to) { self.rings.send(to, batch) } else { self.mpi.send(to, batch) }
    }

    fn poll(&self, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> bool {
        let near = self.rings.poll(deliver);
        let far = self.mpi.poll(&mut |event| match event {
            // Of one that is reached by rings these tell: they hold what it has sent before.
            TransportEvent::Left(peer) | TransportEvent::Lost(peer, _) if self.rings.reaches(peer) => {}
            event => deliver(event),
        });
        if far {
            self.sleep.store(FIRST_SLEEP, Ordering::Relaxed);
        }
        near || far
    }

    fn bulk_send(&self, to: Peer, ticket: u64, from: Outgoing, token: u64) {
        if self.rings.reaches(to) {
            self.rings.bulk_send(to, ticket, from, token);
        } else {
            self.mpi.bulk_send(to, ticket, from, token);
        }
    }

    fn bulk_receive(&self, from: Peer, ticket: u64, into: Incoming, token: u64) {
        if self.rings.reaches(from) {
            self.rings.bulk_receive(from, ticket, into, token);
        } else {
            self.mpi.bulk_receive(from, ticket, into, token);
        }
    }

    fn map(&self, from: Peer, at: RemoteAddress, bytes: usize) -> Option<NonNull<[u8]>> {
        self.rings.map(from, at, bytes)
    }

    fn pull(&self, from: Peer, at: RemoteAddress, into: &mut [MaybeUninit<u8>]) -> bool {
        self.rings.pull(from, at, into)
    }

    fn allocate(&self, bytes: usize) -> Option<Box<dyn SharedBlock>> {
        self.rings.allocate(bytes)
    }

    fn wake(&self) -> Wake {
        Wake::LookEvery(Duration::from_micros(LONGEST_SLEEP))
    }

    fn sleep(&self, limit: Duration) {
        let most = self.sleep.load(Ordering::Relaxed);
        self.sleep.store((most * 2).min(LONGEST_SLEEP), Ordering::Relaxed);
        let limit = limit.min(Duration::from_micros(most));
        // The one thread that moves bytes by MPI has nobody to leave that to.
        if !self.rings.try_sleep(limit) && self.mpi.depends_on_this_thread() {
            std::thread::sleep(limit);
        }
    }

    fn interrupt(&self) {
        self.rings.interrupt();
    }

    fn beat(&self) {
        self.rings.beat();
    }

    /// Nothing is said by MPI of those that it reaches: silence never means that they are gone.
    fn silence(&self, peer: Peer) -> Duration {
        if self.rings.reaches(peer) { self.rings.silence(peer) } else { Duration::ZERO }
    }

    fn close(self: Box<Self>, clean: bool) {
        let Hybrid { rings, mpi, .. } = *self;
        Box::new(rings).close(clean);
        mpi.close(clean);
    }
}
