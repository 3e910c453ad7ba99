//! The transport for the processes of one host, without MPI. It has no thread of its own: whoever polls or sleeps looks
//! after the sockets as well.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::contract::{
    Incoming, KeptMemory, LossCause, Outgoing, Peer, RemoteAddress, Sent, SharedBlock, Transport, TransportEvent, Wake,
};
use super::doorbell;
use super::heap::Heap;
use super::link::{LARGEST_BATCH, MOST_GATHERED, PeerLink};
use super::ring::RecordKind;
use super::shared::Mapping;
use crate::error::{Error, dvm_retcode_t};
use crate::sync::lock::Mutex;
use crate::system::descriptors;

/// Polls between two looks at the clock, and milliseconds between two looks at the sockets by threads that poll.
const LOOKS: u64 = 256;
const SOCKETS: u64 = 20;

/// How long a segment that a peer names may be on its way.
const SEGMENT_TOLD: Duration = Duration::from_millis(50);

/// How a peer's memory is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullBy {
    /// Where it is mapped; what is not, by a system call.
    Heap,
    /// By a system call.
    Vm,
    /// Not at all: all bytes go through the rings.
    Ring,
}

/// All processes of a job on one host.
pub struct Embedded {
    me: Peer,
    /// By index; none at this process's own.
    links: Vec<Option<PeerLink>>,
    /// Its first word counts this process's sleeps.
    card: Mapping,
    /// Held by the one thread that sleeps or looks after the sockets: a bell rings for nobody else.
    attendant: Mutex<()>,
    /// Ends a sleep from inside the process.
    signal: [UnixStream; 2],
    heap: Arc<Heap>,
    pull_by: PullBy,
    start: Instant,
    polls: AtomicU64,
    /// When the sockets were looked at, in milliseconds since the start.
    attended: AtomicU64,
}

impl Embedded {
    pub(crate) fn new(
        me: Peer,
        links: Vec<Option<PeerLink>>,
        card: Mapping,
        pull_by: PullBy,
    ) -> std::io::Result<Embedded> {
        let (writer, reader) = UnixStream::pair()?;
        writer.set_nonblocking(true)?;
        reader.set_nonblocking(true)?;
        Ok(Embedded {
            me,
            links,
            card,
            attendant: Mutex::new(()),
            signal: [writer, reader],
            heap: Arc::new(Heap::new()),
            pull_by,
            start: Instant::now(),
            polls: AtomicU64::new(0),
            attended: AtomicU64::new(0),
        })
    }

    fn links(&self) -> impl Iterator<Item = &PeerLink> {
        self.links.iter().flatten()
    }

    fn link(&self, peer: Peer) -> Option<&PeerLink> {
        self.links.get(peer.index())?.as_ref()
    }

    fn now(&self) -> u64 {
        self.start.elapsed().as_millis() as u64
    }

    /// Waits for the sockets, at most so long, and reads them. For the attendant.
    fn attend(&self, limit: Duration) {
        let mut watched = vec![self.signal[1].as_raw_fd()];
        let mut of = vec![None];
        for link in self.links() {
            if let Some((socket, process)) = link.watched() {
                watched.push(socket);
                of.push(Some((link, false)));
                watched.extend(process);
                of.extend(process.map(|_| Some((link, true))));
            }
        }
        let ready = descriptors::wait(watched.into_iter(), limit);
        let now = self.now();
        self.attended.store(now, Ordering::Relaxed);
        for (of, ready) in of.into_iter().zip(ready) {
            match of {
                Some((link, died)) if ready => link.listen(now, died),
                None if ready => while (&self.signal[1]).read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0) {},
                _ => {}
            }
        }
        self.announce();
    }

    /// Tells all peers of new segments of the heap; whom the socket has no room for is told later.
    fn announce(&self) {
        self.links().for_each(|link| drop(link.announce(&self.heap)));
    }

    /// Looks after the sockets if nobody does, now and then.
    fn attend_seldom(&self) {
        // Polls that are counted twice or not at all do no harm.
        let polls = self.polls.load(Ordering::Relaxed) + 1;
        self.polls.store(polls, Ordering::Relaxed);
        if polls.is_multiple_of(LOOKS) && self.now() >= self.attended.load(Ordering::Relaxed) + SOCKETS {
            self.attend_now();
        }
    }

    fn attend_now(&self) {
        if let Some(_attendant) = self.attendant.try_lock() {
            self.attend(Duration::ZERO);
        }
    }

    /// Waits a moment for a segment that the peer has told of over its socket, which another thread may be about to read.
    fn hear_of(&self, link: &PeerLink, at: RemoteAddress) {
        let begun = Instant::now();
        while !link.knows(at) && link.is_open() && begun.elapsed() < SEGMENT_TOLD {
            self.attend_now();
            std::thread::yield_now();
        }
    }

    /// Sends the next pieces of what this process gives to `gather`. True once all of it was sent.
    fn give(link: &PeerLink, mine: &[u8], sent: &mut usize) -> bool {
        loop {
            let end = mine.len().min(*sent + LARGEST_BATCH);
            let last = end == mine.len();
            if *sent > mine.len() || link.send(RecordKind::Gather, u64::from(last), &mine[*sent..end]) != Sent::Taken {
                return *sent > mine.len();
            }
            *sent = if last { mine.len() + 1 } else { end };
        }
    }

    /// Whether this peer is reached by rings.
    pub(crate) fn reaches(&self, peer: Peer) -> bool {
        self.link(peer).is_some()
    }

    /// As the transport's `sleep`. False: another thread sleeps already.
    pub(crate) fn try_sleep(&self, limit: Duration) -> bool {
        let Some(_attendant) = self.attendant.try_lock() else { return false };
        doorbell::sleep(&self.card.words()[0], || self.is_worth_a_look(), || self.attend(limit));
        true
    }

    fn is_worth_a_look(&self) -> bool {
        self.links().any(PeerLink::keeps_awake)
    }
}

impl Transport for Embedded {
    fn me(&self) -> Peer {
        self.me
    }

    fn processes(&self) -> usize {
        self.links.len()
    }

    fn largest_batch(&self) -> usize {
        LARGEST_BATCH
    }

    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        if mine.len() > MOST_GATHERED {
            return Err(Error::argument(format!("{} bytes are too many to gather", mine.len())));
        }
        let mut sent = vec![0; self.links.len()];
        let mut all: Vec<Option<Vec<u8>>> = vec![None; self.links.len()];
        all[self.me.index()] = Some(mine.to_vec());
        loop {
            let mut missing = false;
            for link in self.links() {
                let at = link.peer().index();
                let gone = |cause: LossCause| {
                    let text = format!("process {at} is gone while all processes gather: {cause}");
                    Error::new(dvm_retcode_t::DVM_ERR_PEER_LOST, text)
                };
                let given = Embedded::give(link, mine, &mut sent[at]);
                missing |= !given;
                if all[at].is_none() {
                    all[at] = link.gathered().map_err(gone)?;
                    missing |= all[at].is_none();
                } else if !given && !link.is_open() {
                    // It has given, and does not take any more.
                    return Err(gone(link.cause()));
                }
            }
            if !missing {
                return Ok(all.into_iter().flatten().collect());
            }
            // One that has ended keeps this process awake, which then does not hear of the others over their sockets.
            self.attend_now();
            // Not for ever: one that has only begun to give is no reason to stay awake.
            self.sleep(Duration::from_millis(10));
        }
    }

    fn send(&self, to: Peer, batch: &[u8]) -> Sent {
        assert!(batch.len() <= LARGEST_BATCH, "a batch has at most {LARGEST_BATCH} bytes");
        self.link(to).map_or(Sent::Gone, |link| link.send(RecordKind::Batch, 0, batch))
    }

    fn poll(&self, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> bool {
        self.attend_seldom();
        // Each peer has its turn: not `any`, which would end with the first.
        self.links().filter(|link| link.poll(deliver)).count() > 0
    }

    fn bulk_send(&self, to: Peer, ticket: u64, from: Outgoing, token: u64) {
        let link = self.link(to).expect("memory is sent to another process of the job");
        link.bulk_send(ticket, from, token);
    }

    fn come(&self, from: Peer, ticket: u64) -> Option<u64> {
        self.link(from)?.come(ticket)
    }

    fn bulk_receive(&self, from: Peer, ticket: u64, into: Incoming, token: u64) {
        let link = self.link(from).expect("memory is received from another process of the job");
        link.bulk_receive(ticket, into, token);
    }

    fn map(&self, from: Peer, at: RemoteAddress, bytes: usize) -> Option<Box<dyn KeptMemory>> {
        let link = self.link(from).filter(|_| self.pull_by == PullBy::Heap)?;
        self.hear_of(link, at);
        link.map(at, bytes)
    }

    fn pull(&self, from: Peer, at: RemoteAddress, into: &mut [u8]) -> bool {
        let Some(link) = self.link(from).filter(|_| self.pull_by != PullBy::Ring) else { return false };
        self.hear_of(link, at);
        link.pull(at, into)
    }

    fn allocate(&self, bytes: usize) -> Option<SharedBlock> {
        if self.pull_by != PullBy::Heap || self.links().next().is_none() {
            return None;
        }
        let before = self.heap.segments();
        let block = self.heap.allocate(bytes)?;
        if self.heap.segments() != before {
            self.announce();
        }
        let is_zero = block.is_zero();
        Some(SharedBlock { keeper: Box::new(block), is_zero })
    }

    fn address_for(&self, to: Peer, memory: NonNull<[u8]>) -> Option<RemoteAddress> {
        self.link(to)?;
        self.heap.find(memory)
    }

    fn keep_for_peers(&self) {
        self.heap.keep_all();
    }

    fn wake(&self) -> Wake {
        Wake::Doorbell
    }

    fn sleep(&self, limit: Duration) {
        self.try_sleep(limit);
    }

    fn interrupt(&self) {
        // A full pipe ends the sleep as well.
        let _ = (&self.signal[0]).write(&[1]);
    }

    fn beat(&self) {
        self.links().for_each(PeerLink::beat);
    }

    fn silence(&self, peer: Peer) -> Duration {
        let heard = self.link(peer).map_or_else(|| self.now(), PeerLink::heard);
        Duration::from_millis(self.now().saturating_sub(heard))
    }

    fn cut(&self, peer: Peer) {
        if let Some(link) = self.link(peer) {
            link.cut();
        }
    }

    fn close(self: Box<Self>, clean: bool) {
        if clean {
            self.attend(Duration::ZERO);
            self.links().for_each(PeerLink::leave);
        }
    }
}
