//! Processes of several hosts: rings to those of this one, an MPI to the others.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::contract::{
    Incoming, KeptMemory, Outgoing, Peer, RemoteAddress, Sent, SharedBlock, Transport, TransportEvent, Wake,
};
use super::embedded::{Embedded, PullBy};
use super::join::connect_to;
use super::meeting;
use super::plugin::{EndOfMpi, Plugin};
use crate::error::Error;

/// An MPI wakes nobody: a sleep lasts no longer than this, and at first much less. With 1.5 ms, sleeping took up to 1.5 % of a
/// core that others use as well.
const LONGEST_SLEEP: Duration = Duration::from_millis(3);

/// Two transports, of which each peer has one.
pub(crate) struct Hybrid {
    rings: Embedded,
    /// None where rings reach all.
    mpi: Option<Plugin>,
    end: EndOfMpi,
    begun: Instant,
    /// When something came by MPI last: microseconds from the beginning.
    came: AtomicU64,
}

impl Hybrid {
    /// Makes rings to the processes of this host. Where all are on one, MPI has made them meet, and is used no more.
    ///
    /// # Errors
    /// A process is gone, or the system refuses something.
    pub(crate) fn connect(mpi: Plugin, by_rings: bool, pull_by: PullBy) -> Result<Hybrid, Error> {
        let (me, processes, end) = (mpi.me(), mpi.processes(), mpi.end());
        let met = meeting::meet(me, by_rings, &|mine| mpi.gather(mine))?;
        // The launcher's process on this host is the parent of all of them.
        let launcher = std::os::unix::process::parent_id() as i32;
        let rings = connect_to(me, processes, met.sockets, launcher, pull_by)?;
        let mut mpi = Some(mpi);
        if let Some(mpi) = mpi.take_if(|_| met.all) {
            mpi.close(true);
        }
        Ok(Hybrid { rings, mpi, end, begun: Instant::now(), came: AtomicU64::new(0) })
    }

    /// Whether MPI reaches no peer.
    pub(crate) fn is_rings_alone(&self) -> bool {
        self.mpi.is_none()
    }

    fn now(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    /// What reaches this peer, if rings do not.
    fn far(&self, peer: Peer) -> Option<&Plugin> {
        self.mpi.as_ref().filter(|_| !self.rings.reaches(peer))
    }
}

impl Transport for Hybrid {
    fn me(&self) -> Peer {
        self.rings.me()
    }

    fn processes(&self) -> usize {
        self.rings.processes()
    }

    fn largest_batch(&self) -> usize {
        let rings = self.rings.largest_batch();
        self.mpi.as_ref().map_or(rings, |mpi| mpi.largest_batch().min(rings))
    }

    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let gathered = self.mpi.as_ref().map_or_else(|| self.rings.gather(mine), |mpi| mpi.gather(mine));
        gathered.inspect_err(|_| self.end.forgo())
    }

    fn send(&self, to: Peer, batch: &[u8]) -> Sent {
        self.far(to).map_or_else(|| self.rings.send(to, batch), |mpi| mpi.send(to, batch))
    }

    fn poll(&self, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> bool {
        let mut deliver = |event: TransportEvent<'_>| {
            if matches!(event, TransportEvent::Lost(..)) {
                self.end.forgo();
            }
            deliver(event);
        };
        let near = self.rings.poll(&mut deliver);
        let Some(mpi) = &self.mpi else { return near };
        let far = mpi.poll(&mut |event| match event {
            // Of one that is reached by rings these tell: they hold what it has sent before.
            TransportEvent::Left(peer) | TransportEvent::Lost(peer, _) if self.rings.reaches(peer) => {}
            event => deliver(event),
        });
        if far {
            self.came.store(self.now(), Ordering::Relaxed);
        }
        near || far
    }

    fn bulk_send(&self, to: Peer, ticket: u64, from: Outgoing, token: u64) {
        match self.far(to) {
            Some(mpi) => mpi.bulk_send(to, ticket, from, token),
            None => self.rings.bulk_send(to, ticket, from, token),
        }
    }

    fn come(&self, from: Peer, ticket: u64) -> Option<u64> {
        // MPI does not tell how far it has come.
        if self.far(from).is_some() { None } else { self.rings.come(from, ticket) }
    }

    fn bulk_receive(&self, from: Peer, ticket: u64, into: Incoming, token: u64) {
        match self.far(from) {
            Some(mpi) => mpi.bulk_receive(from, ticket, into, token),
            None => self.rings.bulk_receive(from, ticket, into, token),
        }
    }

    fn map(&self, from: Peer, at: RemoteAddress, bytes: usize) -> Option<Box<dyn KeptMemory>> {
        self.rings.map(from, at, bytes)
    }

    fn pull(&self, from: Peer, at: RemoteAddress, into: &mut [u8]) -> bool {
        self.rings.pull(from, at, into)
    }

    fn allocate(&self, bytes: usize) -> Option<SharedBlock> {
        self.rings.allocate(bytes)
    }

    fn address_for(&self, to: Peer, memory: NonNull<[u8]>) -> Option<RemoteAddress> {
        self.rings.address_for(to, memory)
    }

    fn keep_for_peers(&self) {
        self.rings.keep_for_peers();
    }

    fn wake(&self) -> Wake {
        match self.mpi {
            Some(_) => Wake::LookEvery(LONGEST_SLEEP),
            None => Wake::Doorbell,
        }
    }

    fn depends_on_this_thread(&self) -> bool {
        self.mpi.as_ref().is_some_and(Plugin::depends_on_this_thread)
    }

    fn sleep(&self, limit: Duration) {
        let Some(mpi) = &self.mpi else { return self.rings.sleep(limit) };
        // The thread that moves bytes by MPI looks for itself when there are some.
        if mpi.depends_on_another_thread() {
            return self.rings.sleep(limit);
        }
        let idle = self.now().saturating_sub(self.came.load(Ordering::Relaxed));
        let limit = self.wake().sleep_after(Duration::from_micros(idle)).map_or(limit, |most| most.min(limit));
        // The one thread that moves bytes by MPI has nobody to leave that to.
        if !self.rings.try_sleep(limit) && mpi.depends_on_this_thread() {
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
        if self.far(peer).is_some() { Duration::ZERO } else { self.rings.silence(peer) }
    }

    fn cut(&self, peer: Peer) {
        self.rings.cut(peer);
    }

    fn close(self: Box<Self>, clean: bool) {
        let Hybrid { rings, mpi, end, .. } = *self;
        if !clean {
            end.forgo();
        }
        Box::new(rings).close(clean);
        if let Some(mpi) = mpi {
            mpi.close(clean);
        }
    }
}
