//! What every transport offers. It knows no messages: it moves batches of bytes, larger memory under tickets, and says
//! who is gone.

use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::time::Duration;

use crate::error::Error;
pub use crate::memory::KeptMemory;

/// A process of the job, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peer(u32);

impl Peer {
    /// The process with this index.
    pub const fn new(index: u32) -> Peer {
        Peer(index)
    }

    /// Its index in the job.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// It arrives, unless a process dies.
    Taken,
    /// There is no room now: `sleep` returns when there may be some.
    Full,
    /// The peer is gone, or left: nothing arrives there any more.
    Gone,
}

/// Why a peer counts as lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LossCause {
    /// Its process ended, or closed its connection, without a word.
    Ended,
    /// What it wrote breaks the rules, which are told here. The connection is closed.
    Broken(&'static str),
    /// MPI does not reach it any more, for the reason told here.
    Mpi(String),
}

impl fmt::Display for LossCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossCause::Ended => f.write_str("its process has ended"),
            LossCause::Broken(why) => write!(f, "what it sent cannot be read: {why}"),
            LossCause::Mpi(why) => write!(f, "MPI does not reach it: {why}"),
        }
    }
}

/// Memory that is sent under a ticket.
pub type Outgoing = Box<dyn AsRef<[u8]> + Send>;

/// Memory that is filled, and comes back as what it was.
pub trait Landing: AsMut<[u8]> + Send {
    /// The value itself.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<T: AsMut<[u8]> + Send + 'static> Landing for T {
    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Memory that is filled under a ticket.
pub type Incoming = Box<dyn Landing>;

/// What a poll hands over.
pub enum TransportEvent<'a> {
    /// A batch, as it was sent. Batches of one peer come in the order in which they were sent.
    Batch(Peer, &'a [u8]),
    /// All bytes of this token's memory were taken, and the memory was dropped.
    BulkSent(u64),
    /// This token's memory is filled.
    BulkReceived(u64, Incoming),
    /// The transfer of this token will not be completed: the peer is gone, or the lengths differ.
    BulkFailed(u64),
    /// The peer has closed in order. All that it had sent came before.
    Left(Peer),
    /// The peer is lost. All that had arrived came before; nothing follows.
    Lost(Peer, LossCause),
}

/// Where a peer's bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteAddress {
    /// In a segment of its heap.
    Heap {
        /// The number of the segment.
        segment: u32,
        /// The first byte in it.
        offset: u64,
    },
    /// In its other memory.
    Memory(u64),
}

/// Memory that peers can map: its owner's until it is dropped. Peers read it once they know where it is: from then on
/// nobody may write.
pub struct SharedBlock {
    /// The memory.
    pub keeper: Box<dyn KeptMemory>,
    /// Whether all its bytes are zero.
    pub is_zero: bool,
}

/// How the transport tells that there may be something to poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// `sleep` returns at once when something arrives.
    Doorbell,
    /// Nothing wakes: poll so often.
    LookEvery(Duration),
}

impl Wake {
    /// How long a thread sleeps that looks for itself, when nothing has come for `idle`: what comes is then late by a small
    /// part of the time that it took. `None`: nobody needs to look.
    pub(crate) fn sleep_after(self, idle: Duration) -> Option<Duration> {
        match self {
            Wake::Doorbell => None,
            Wake::LookEvery(longest) => Some((idle / 8).clamp(SHORTEST_SLEEP, longest)),
        }
    }
}

/// The shortest sleep of a thread that looks for itself.
const SHORTEST_SLEEP: Duration = Duration::from_micros(20);

/// Moves bytes between the processes of a job. Any thread may call anything; no call but `gather` and `sleep` waits.
pub trait Transport: Send + Sync {
    /// The calling process.
    fn me(&self) -> Peer;

    /// The number of processes.
    fn processes(&self) -> usize;

    /// The most bytes of one batch.
    fn largest_batch(&self) -> usize;

    /// Collective: what each process has given, by its index. All call it in the same order, while nobody polls.
    ///
    /// # Errors
    /// A process is gone, has given too much, or sends something else.
    fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Error>;

    /// Sends a batch of at most `largest_batch` bytes to another process.
    fn send(&self, to: Peer, batch: &[u8]) -> Sent;

    /// Hands over what has arrived, and moves memory on. True if there was something. A peer that another thread polls
    /// is passed over. `deliver` may call everything but `gather` and `sleep`.
    fn poll(&self, deliver: &mut dyn FnMut(TransportEvent<'_>)) -> bool;

    /// Sends memory to the receiver that uses the same ticket; the transport drops the memory, then tells the token.
    fn bulk_send(&self, to: Peer, ticket: u64, from: Outgoing, token: u64);

    /// How many bytes have come under this ticket, if the transport knows.
    fn come(&self, _from: Peer, _ticket: u64) -> Option<u64> {
        None
    }

    /// Fills memory with what the sender sends under the same ticket, which is equally long. A ticket names one transfer
    /// at a time for each pair and direction.
    fn bulk_receive(&self, from: Peer, ticket: u64, into: Incoming, token: u64);

    /// A peer's bytes where they lie, for reading. Only the peer knows how long they stay those bytes.
    fn map(&self, from: Peer, at: RemoteAddress, bytes: usize) -> Option<Box<dyn KeptMemory>>;

    /// Copies a peer's bytes without its help. False: this does not work here, and `into` may hold anything.
    fn pull(&self, from: Peer, at: RemoteAddress, into: &mut [u8]) -> bool;

    /// Memory of so many bytes that peers can `map`. `None`: there is no such memory.
    fn allocate(&self, bytes: usize) -> Option<SharedBlock>;

    /// Where this peer can `map` the memory, if it can.
    fn address_for(&self, to: Peer, memory: NonNull<[u8]>) -> Option<RemoteAddress>;

    /// Peers may go on reading what this process gives back: from now on it is not used again.
    fn keep_for_peers(&self) {}

    /// How the process learns that there is something to poll.
    fn wake(&self) -> Wake;

    /// Whether some bytes move only while the calling thread polls: it leaves that to nobody.
    fn depends_on_this_thread(&self) -> bool {
        false
    }

    /// Sleeps until there may be something to poll or room where a batch was refused, `interrupt` is called, or the time
    /// is over. One thread at a time sleeps; others return at once.
    fn sleep(&self, limit: Duration);

    /// Ends the sleep that a thread of this process sleeps, or else the next one.
    fn interrupt(&self);

    /// Says to all others that this process is alive.
    fn beat(&self);

    /// How long ago the peer said by `beat` that it is alive. A peer that is stopped, or without a CPU, is silent.
    fn silence(&self, peer: Peer) -> Duration;

    /// Ends the connection to a peer that the layer above counts as lost: nothing arrives from there or goes there any
    /// more, and transfers with it fail. A peer that MPI reaches cannot be cut off.
    fn cut(&self, peer: Peer);

    /// Leaves. `clean`: the others are told that this is no loss. What was sent still arrives.
    fn close(self: Box<Self>, clean: bool);
}
