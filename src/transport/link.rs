//! The connection to one peer of the same host: two rings, a socket, the peer's card and heap.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use super::bulk::{Mover, Transfers};
use super::contract::{Incoming, KeptMemory, LossCause, Outgoing, Peer, RemoteAddress, Sent, TransportEvent};
use super::doorbell;
use super::heap::{Heap, MOST_SEGMENTS};
use super::ring::{RecordKind, RingConsumer, RingProducer, SharedRing, words_for};
use super::shared::{MappedPart, Mapping};
use super::socket_message::{self, Said, SocketMessage};
use crate::sync::lock::Mutex;
use crate::system::descriptors;

/// The words of data of a ring: 256 KiB.
const DATA: usize = 1 << 15;

/// The bytes of a ring's file and of a card's.
pub(crate) const RING_BYTES: usize = words_for(DATA) * 8;
pub(crate) const CARD_BYTES: usize = 4096;

/// The most bytes of a batch: a quarter of a ring.
pub(crate) const LARGEST_BATCH: usize = DATA * 2;

/// Records that one poll takes of one peer.
const TURN: usize = 64;

/// The most bytes that a process may give to `gather`.
pub(crate) const MOST_GATHERED: usize = 64 << 20;

/// States of a link. It ends once, by whoever sees it first.
const OPEN: u8 = 0;
const LEFT: u8 = 1;
const LOST: u8 = 2;
/// The layer above was told.
const TOLD: u8 = 3;

/// What has come and was not handed over.
#[derive(Default)]
struct Arrivals {
    consumer: RingConsumer,
    buffer: Vec<u8>,
    /// Of `gather`, whose records may come while this process still polls; and whether the last piece is there.
    gathered: Vec<u8>,
    complete: bool,
}

/// What a new link is made of.
pub(crate) struct Parts {
    pub peer: Peer,
    pub socket: OwnedFd,
    /// The peer's number; 0 where it cannot be seen.
    pub pid: i32,
    pub outbound: Mapping,
    pub inbound: Mapping,
    pub card: Mapping,
}

/// A segment of the peer's heap.
struct PeerSegment {
    mapping: Arc<Mapping>,
    base: u64,
}

/// The connection to one peer.
pub(crate) struct PeerLink {
    parts: Parts,
    /// Tells the end of the peer even where others have its socket.
    process: Option<OwnedFd>,
    producer: Mutex<RingProducer>,
    arrivals: Mutex<Arrivals>,
    /// The position of the consumer, for a look without the lock.
    read: AtomicU64,
    /// The sleep of the peer that was rung for.
    rung: AtomicU64,
    state: AtomicU8,
    cause: Mutex<LossCause>,
    /// Milliseconds since the transport's start.
    heard: AtomicU64,
    transfers: Mutex<Transfers>,
    /// Whether transfers have something to do.
    active: AtomicBool,
    segments: Mutex<Vec<PeerSegment>>,
    /// Segments of this process's heap that the peer was told of.
    announced: Mutex<usize>,
}

impl PeerLink {
    /// `pulls`: whether this process is to read the peer's memory, where the system lets it.
    pub(crate) fn new(parts: Parts, pulls: bool) -> PeerLink {
        let process = (parts.pid > 0).then(|| descriptors::process(parts.pid).ok()).flatten();
        PeerLink {
            producer: Mutex::default(),
            arrivals: Mutex::default(),
            read: AtomicU64::new(0),
            rung: AtomicU64::new(0),
            state: AtomicU8::new(OPEN),
            cause: Mutex::new(LossCause::Ended),
            heard: AtomicU64::new(0),
            transfers: Mutex::new(Transfers::new(pulls && process.is_some())),
            active: AtomicBool::new(false),
            segments: Mutex::new(Vec::new()),
            announced: Mutex::new(0),
            process,
            parts,
        }
    }

    pub(crate) fn peer(&self) -> Peer {
        self.parts.peer
    }

    fn outbound(&self) -> SharedRing<'_> {
        SharedRing::over(self.parts.outbound.words())
    }

    fn inbound(&self) -> SharedRing<'_> {
        SharedRing::over(self.parts.inbound.words())
    }

    /// The link is over, if it was not before.
    fn end(&self, how: u8, cause: LossCause) {
        // Before the state, under its lock: whoever sees the state finds the cause of whoever set it.
        let mut told = self.cause.lock();
        if self.state.compare_exchange(OPEN, how, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            if matches!(cause, LossCause::Broken(_)) {
                descriptors::end_connection(&self.parts.socket);
            }
            *told = cause;
        }
    }

    /// Ends the link on behalf of the layer above. A poll tells that, and that transfers have failed.
    pub(crate) fn cut(&self) {
        self.end(LOST, LossCause::Broken("it counts as lost"));
    }

    /// The answer to what a ring has said; a broken one ends the link.
    fn checked<T>(&self, result: Result<T, LossCause>) -> Option<T> {
        result.map_err(|cause| self.end(LOST, cause)).ok()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.state.load(Ordering::Acquire) == OPEN
    }

    /// The cause of the end.
    pub(crate) fn cause(&self) -> LossCause {
        self.cause.lock().clone()
    }

    fn rouse(&self) {
        let bell = || drop(socket_message::send(&self.parts.socket, &SocketMessage::Bell));
        doorbell::rouse(|| self.parts.card.load(0), &self.rung, bell);
    }

    fn push(&self, kind: RecordKind, note: u64, bytes: &[u8], spare: usize) -> Result<bool, LossCause> {
        let mut producer = self.producer.lock();
        self.outbound().push(&mut producer, kind, note, bytes, spare)
    }

    pub(crate) fn send(&self, kind: RecordKind, note: u64, bytes: &[u8]) -> Sent {
        if !self.is_open() {
            return Sent::Gone;
        }
        match self.checked(self.push(kind, note, bytes, 0)) {
            Some(true) => {
                self.rouse();
                Sent::Taken
            }
            Some(false) => Sent::Full,
            None => Sent::Gone,
        }
    }

    /// Whether a poll would find something here.
    fn is_quiet(&self) -> bool {
        let over = matches!(self.state.load(Ordering::Relaxed), LEFT | LOST);
        !over && !self.inbound().has_record(self.read.load(Ordering::Relaxed)) && !self.active.load(Ordering::Relaxed)
    }

    /// Whether this process should not fall asleep; a thread that sends now will not either.
    pub(crate) fn keeps_awake(&self) -> bool {
        let state = self.state.load(Ordering::Acquire);
        if state != OPEN {
            return state != TOLD || self.active.load(Ordering::Relaxed);
        }
        if self.inbound().has_record(self.read.load(Ordering::Relaxed)) {
            return true;
        }
        let Some(mut producer) = self.producer.try_lock() else { return true };
        if self.outbound().has_fed(&mut producer) {
            return true;
        }
        drop(producer);
        self.active.load(Ordering::Relaxed) && self.transfers.try_lock().is_none_or(|transfers| transfers.can_go_on())
    }

    /// Hands over what has come, and moves transfers on. True if there was something.
    pub(crate) fn poll(&self, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> bool {
        if self.is_quiet() {
            return false;
        }
        let Some(mut arrivals) = self.arrivals.try_lock() else { return false };
        // Read before the ring: what a process has written before its end is seen.
        let state = self.state.load(Ordering::Acquire);
        let (taken, emptied) = if state == TOLD { (0, false) } else { self.take_all(&mut arrivals, deliver) };
        let moved = state == OPEN && self.active.load(Ordering::Relaxed) && self.pump();
        let over = state != OPEN && emptied;
        if over {
            // In this order: a transfer that begins now either fails here, or sees that the end was told.
            self.state.store(TOLD, Ordering::Release);
            self.transfers.lock().fail();
            self.active.store(true, Ordering::Relaxed);
        }
        let told = self.tell_outcomes(deliver);
        if over {
            deliver(if state == LEFT {
                TransportEvent::Left(self.peer())
            } else {
                TransportEvent::Lost(self.peer(), self.cause())
            });
        }
        taken > 0 || moved || told || over
    }

    /// Takes records, as many as are one peer's turn: how many, and whether none is left.
    fn take_all(&self, arrivals: &mut Arrivals, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> (usize, bool) {
        if !self.is_open() && matches!(self.cause(), LossCause::Broken(_)) {
            return (0, true);
        }
        let mut taken = 0;
        let mut emptied = false;
        while taken < TURN && !emptied {
            match self.take(arrivals, deliver) {
                Ok(true) => taken += 1,
                Ok(false) => emptied = true,
                Err(cause) => {
                    self.end(LOST, cause);
                    emptied = true;
                }
            }
        }
        if taken > 0 && self.inbound().freed(&mut arrivals.consumer) {
            self.rouse();
        }
        (taken, emptied)
    }

    /// Takes one record. False: there is none.
    fn take(&self, arrivals: &mut Arrivals, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> Result<bool, LossCause> {
        let Arrivals { consumer, buffer, gathered, complete } = arrivals;
        let Some((kind, note)) = self.inbound().pop(consumer, buffer)? else { return Ok(false) };
        self.read.store(consumer.position(), Ordering::Relaxed);
        match kind {
            RecordKind::Batch => deliver(TransportEvent::Batch(self.peer(), buffer)),
            RecordKind::Gather => {
                if gathered.len() + buffer.len() > MOST_GATHERED || *complete {
                    return Err(LossCause::Broken("too much was given to gather"));
                }
                gathered.extend_from_slice(buffer);
                *complete = note == 1;
            }
            RecordKind::Ready
            | RecordKind::ReadyToPull
            | RecordKind::LiesAt
            | RecordKind::Pulled
            | RecordKind::Piece
            | RecordKind::Refused => {
                self.transfers.lock().take(kind, note, buffer)?;
                self.active.store(true, Ordering::Relaxed);
            }
        }
        Ok(true)
    }

    /// What the peer has given to `gather`, once all of it is there. An event that comes instead is an error.
    pub(crate) fn gathered(&self) -> Result<Option<Vec<u8>>, LossCause> {
        let mut arrivals = self.arrivals.lock();
        let open = self.is_open();
        let mut other = false;
        while !arrivals.complete && self.take(&mut arrivals, &mut |_| other = true)? {}
        if self.inbound().freed(&mut arrivals.consumer) {
            self.rouse();
        }
        if other {
            return Err(LossCause::Broken("a batch that comes before what is gathered"));
        }
        if std::mem::take(&mut arrivals.complete) {
            return Ok(Some(std::mem::take(&mut arrivals.gathered)));
        }
        if open { Ok(None) } else { Err(self.cause()) }
    }

    fn pump(&self) -> bool {
        let mut mover = Pumping { link: self, pushed: false };
        let moved = self.transfers.lock().pump(&mut mover);
        if mover.pushed {
            self.rouse();
        }
        self.checked(moved).unwrap_or(false)
    }

    fn tell_outcomes(&self, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> bool {
        let mut told = false;
        if self.active.load(Ordering::Relaxed) {
            loop {
                let mut transfers = self.transfers.lock();
                let Some(event) = transfers.outcome() else {
                    self.active.store(transfers.is_active(), Ordering::Relaxed);
                    break;
                };
                drop(transfers);
                deliver(event);
                told = true;
            }
        }
        told
    }

    /// Changes the transfers, and sends what can be sent.
    fn transfer(&self, change: impl FnOnce(&mut Transfers)) {
        let mut transfers = self.transfers.lock();
        change(&mut transfers);
        // After the end they fail; the poll that has told the end does not come again.
        if self.state.load(Ordering::Acquire) == TOLD {
            transfers.fail();
        }
        self.active.store(true, Ordering::Relaxed);
        drop(transfers);
        if self.is_open() {
            self.pump();
        }
    }

    pub(crate) fn bulk_send(&self, ticket: u64, from: Outgoing, token: u64) {
        self.transfer(|transfers| transfers.send(ticket, from, token));
    }

    pub(crate) fn bulk_receive(&self, ticket: u64, into: Incoming, token: u64) {
        self.transfer(|transfers| transfers.receive(ticket, into, token));
    }

    /// How many bytes have come under this ticket.
    pub(crate) fn come(&self, ticket: u64) -> Option<u64> {
        self.transfers.lock().come(ticket)
    }

    /// What a thread that waits for this peer watches: its socket, and its process where there is a descriptor of that.
    /// None once the link is over.
    pub(crate) fn watched(&self) -> Option<(RawFd, Option<RawFd>)> {
        let open = self.is_open();
        open.then(|| (self.parts.socket.as_raw_fd(), self.process.as_ref().map(AsRawFd::as_raw_fd)))
    }

    /// Reads what the peer says over its socket. `died`: its process has ended.
    pub(crate) fn listen(&self, now: u64, died: bool) {
        while self.is_open() {
            match socket_message::receive(&self.parts.socket) {
                Said::Message(message, _) => {
                    self.heard.store(now, Ordering::Relaxed);
                    self.hear(message);
                }
                Said::Nothing => break,
                Said::End => self.end(LOST, LossCause::Ended),
                Said::Nonsense => self.end(LOST, LossCause::Broken("a message over its socket")),
            }
        }
        if died {
            self.end(LOST, LossCause::Ended);
        }
    }

    fn has_died(&self) -> bool {
        let process = self.process.iter().map(AsRawFd::as_raw_fd);
        descriptors::wait(process, Duration::ZERO).contains(&true)
    }

    fn hear(&self, message: SocketMessage) {
        match message {
            SocketMessage::Bell | SocketMessage::Beat => {}
            SocketMessage::Close => self.end(LEFT, LossCause::Ended),
            SocketMessage::Hello { .. } => self.end(LOST, LossCause::Broken("a second greeting")),
            SocketMessage::Segment { number, bytes, base, file } => {
                let mut segments = self.segments.lock();
                let next = number == segments.len() as u64 && segments.len() < MOST_SEGMENTS;
                let mapping = usize::try_from(bytes).ok().and_then(|bytes| Mapping::new(&file, bytes, false).ok());
                match mapping {
                    Some(mapping) if next => segments.push(PeerSegment { mapping: Arc::new(mapping), base }),
                    _ => self.end(LOST, LossCause::Broken("a segment of its heap")),
                }
            }
        }
    }

    pub(crate) fn heard(&self) -> u64 {
        self.heard.load(Ordering::Relaxed)
    }

    pub(crate) fn beat(&self) {
        if self.is_open() {
            // A peer that does not read them has got enough.
            let _ = socket_message::send(&self.parts.socket, &SocketMessage::Beat);
        }
    }

    /// Tells the peer of segments that it does not know. What does not fit goes with the next call.
    pub(crate) fn announce(&self, heap: &Heap) -> io::Result<()> {
        let mut announced = self.announced.lock();
        while self.is_open()
            && let Some(told) = heap.announcement(*announced)?
        {
            let segment = SocketMessage::Segment {
                number: *announced as u64,
                bytes: told.bytes,
                base: told.base,
                file: told.file,
            };
            socket_message::send(&self.parts.socket, &segment)?;
            *announced += 1;
        }
        Ok(())
    }

    /// Where the peer's bytes are mapped.
    pub(crate) fn map(&self, at: RemoteAddress, bytes: usize) -> Option<Box<dyn KeptMemory>> {
        let RemoteAddress::Heap { segment, offset } = at else { return None };
        let mapping = Arc::clone(&self.segments.lock().get(segment as usize)?.mapping);
        Some(Box::new(MappedPart::new(mapping, offset, bytes)?))
    }

    /// Whether the peer has told of this segment, or of other memory needs not to.
    pub(crate) fn knows(&self, at: RemoteAddress) -> bool {
        match at {
            RemoteAddress::Heap { segment, .. } => (segment as usize) < self.segments.lock().len(),
            RemoteAddress::Memory(_) => true,
        }
    }

    /// Copies the peer's bytes by the system call for that.
    pub(crate) fn pull(&self, at: RemoteAddress, into: &mut [u8]) -> bool {
        let address = match at {
            RemoteAddress::Memory(address) => Some(address),
            RemoteAddress::Heap { segment, offset } => self.segments.lock().get(segment as usize).and_then(|segment| {
                segment.mapping.part(offset, into.len())?;
                segment.base.checked_add(offset)
            }),
        };
        let Some(address) = address else { return false };
        // The number is the peer's as long as it lives: if it does afterwards, it did.
        self.process.is_some()
            && self.is_open()
            && descriptors::read_process(self.parts.pid, address, into)
            && !self.has_died()
    }

    /// Says that this process leaves in order. Waits a moment for a peer that has not read for long.
    pub(crate) fn leave(&self) {
        for _ in 0..100 {
            match socket_message::send(&self.parts.socket, &SocketMessage::Close) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(1)),
                _ => return,
            }
        }
    }
}

/// How transfers move bytes.
struct Pumping<'a> {
    link: &'a PeerLink,
    pushed: bool,
}

impl Mover for Pumping<'_> {
    fn push(&mut self, kind: RecordKind, note: u64, bytes: &[u8], spare: usize) -> Result<bool, LossCause> {
        let pushed = self.link.push(kind, note, bytes, spare)?;
        self.pushed |= pushed;
        Ok(pushed)
    }

    fn pull(&mut self, address: u64, into: &mut [u8]) -> bool {
        self.link.pull(RemoteAddress::Memory(address), into)
    }
}
