//! The messages as values.

use super::argument::Arguments;
use super::datum_at::DatumAt;
use crate::error::dvm_retcode_t;
use crate::id::{DatumId, ProcessId, ProcessingId};

/// The longest text of a failure, in bytes.
pub const TEXT_BYTES: usize = 256;
/// The longest description or symbol of a processing, in bytes.
pub const NAME_BYTES: usize = 4096;
/// The longest build-id, in bytes.
pub const BUILD_ID_BYTES: usize = 32;
/// The bytes of the digest of an object: a SHA-256.
pub const DIGEST_BYTES: usize = 32;

/// The longest beginning of a text that has at most `most` bytes.
pub fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// What one process says to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Scheduler to runner: run this.
    Task(TaskMessage<'a>),
    /// Before the first task of it: what a processing is.
    Processing(Processing<'a>),
    /// To a processing's home: what is it?
    ProcessingAsk {
        /// Its number there.
        number: u64,
    },
    /// Runner to scheduler: a task has ended, or its references are free, or both.
    Done(Done<'a>),
    /// Who needs a promise to its home, and on to the process of its producer. The place is who needs it.
    Subscribe(DatumAt),
    /// The producer's process to home and subscribers: there is a value, or there will be none.
    Here(Here<'a>),
    /// To where the bytes lie: send them.
    Fetch(Fetch),
    /// The answer.
    Bytes(Bytes<'a>),
    /// Home to where the bytes lie: nobody needs them.
    Free(DatumId),
    /// Between home and a process that holds references.
    References(DatumId, LoanMessage),
    /// Scheduler to an output's home: this task produces it.
    Claim(ClaimMessage),
    /// Home to runner: it does.
    Claimed {
        /// The claim. Its runner is the process that gets this.
        claim: ClaimMessage,
        /// The output's size.
        size: u64,
        /// The datum whose storage it carries on, and where that is.
        carries: Option<DatumAt>,
    },
    /// Home to runner: another task does; this one fails without having run.
    ClaimRefused(ClaimMessage),
    /// A processing's home to all that know it.
    Unregistered {
        /// Its number there.
        number: u64,
    },
    /// To a process that has the object with this build-id, or gets it for its host: send this piece.
    CodeAsk {
        /// The piece's number.
        piece: u32,
        /// The object.
        build_id: &'a [u8],
        /// Who has announced a function of it.
        of: ProcessId,
    },
    /// The answer.
    Code(Code<'a>),
    /// The answer as well: there will be no piece.
    CodeRefused {
        /// The object.
        build_id: &'a [u8],
        /// Why.
        why: &'a str,
    },
    /// Down the tree: how much have you sent and received?
    Wave {
        /// The wave's number.
        wave: u32,
    },
    /// Up the tree, for all below.
    Answer {
        /// The wave's number.
        wave: u32,
        /// Messages sent.
        sent: u64,
        /// Messages received.
        received: u64,
        /// Failures since the last wait.
        failures: u64,
        /// The first failure of the lowest of them that has one.
        first: Option<FirstFailure<'a>>,
    },
    /// Down the tree: nothing is left.
    End(End<'a>),
    /// I am alive.
    Beat,
    /// Process 0 to all: this process is lost.
    Lost {
        /// The process.
        process: ProcessId,
        /// How it was found out: a number of `protocol`.
        cause: u32,
    },
    /// To all survivors: I know, and what I hold has been told to its home.
    Ack {
        /// The lost process.
        process: ProcessId,
    },
    /// An edge between tiles, or a piece of a redistribution.
    Edge(Edge<'a>),
}

/// A task for another process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskMessage<'a> {
    /// Its number among those from this sender to this receiver.
    pub sequence: u32,
    /// Whether the runner's workers may steal it.
    pub near: bool,
    /// What runs.
    pub processing: ProcessingId,
    /// The worker, machine-wide.
    pub worker: u32,
    /// On what.
    pub arguments: Arguments<'a>,
}

/// Code in an object that other processes may have, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// The object's build-id.
    pub build_id: &'a [u8],
    /// The function's distance from the object's beginning.
    pub offset: u64,
    /// The object's path where it was loaded: for errors, and to tell two copies of one object apart.
    pub object: &'a str,
    /// Whether the object is a program, which no other program can load.
    pub program: bool,
}

/// A processing, for a process that does not know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processing<'a> {
    /// Its id.
    pub id: ProcessingId,
    /// How many arguments it takes.
    pub arguments: u32,
    /// What the program says of each argument, in two bits each, the lowest first (`processing/access.rs`).
    pub accesses: &'a [u8],
    /// How many cores a task of it takes.
    pub cores: u32,
    /// Whether the callback takes a context, an array and a count.
    pub array: bool,
    /// The context, which means something only to its home.
    pub context: u64,
    /// What it is called in errors.
    pub description: &'a str,
    /// The symbol to look up; empty if it was registered by address and has none.
    pub symbol: &'a str,
    /// Where its code is.
    pub image: Option<Image<'a>>,
}

/// What a task or a value came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndState<'a> {
    /// It is as it should be.
    Success,
    /// It failed.
    Failure(dvm_retcode_t, &'a str),
    /// It was cancelled because of a failure elsewhere.
    Cancelled(dvm_retcode_t, &'a str),
}

/// The end of tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<'a> {
    /// The last task's number.
    pub sequence: u32,
    /// How many tasks before it, without a gap, have ended in the same way.
    pub before: u16,
    /// What they came to, if this is said now.
    pub outcome: Option<EndState<'a>>,
    /// Whether the runner needs their references no longer.
    pub returns: bool,
}

/// Bytes, or where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload<'a> {
    /// Here they are.
    Inline(&'a [u8]),
    /// In a heap that processes of the same host map.
    Heap {
        /// The heap.
        heap: u32,
        /// The distance from its beginning.
        offset: u64,
    },
    /// In the memory of the process.
    Away,
}

/// What a promise has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// The bytes exist.
    Published {
        /// How many.
        size: u64,
        /// Where they are.
        payload: Payload<'a>,
    },
    /// There will be none.
    Poisoned(dvm_retcode_t, &'a str),
}

/// A promise has come to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Here<'a> {
    /// The datum, and the process that has its bytes.
    pub datum: DatumAt,
    /// The worker that wrote them, machine-wide.
    pub writer: u32,
    /// What it came to.
    pub value: Value<'a>,
}

/// A request for bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The asker's number of it.
    pub ticket: u32,
    /// The datum, and the process that should have its bytes.
    pub datum: DatumAt,
    /// Who asks.
    pub asker: ProcessId,
    /// The asker's worker, machine-wide.
    pub worker: u32,
    /// The size that the asker expects.
    pub size: u64,
}

/// The answer to a request for bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes<'a> {
    /// The asker's number of the request.
    pub ticket: u32,
    /// The datum.
    pub id: DatumId,
    /// The bytes; `Away` if they come as bulk under this ticket; none if the datum has been freed.
    pub payload: Option<Payload<'a>>,
}

/// What home and a process that holds references tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoanMessage {
    /// To home: I hold references. `acquire`: I held none, and make one.
    Loan {
        /// Whether a reference is made.
        acquire: bool,
    },
    /// To holder: home knows.
    Loaned {
        /// Whether a reference was made.
        acquire: bool,
    },
    /// To home: give me one of yours.
    Take,
    /// To holder: here.
    Taken,
    /// To holder: home has none to give, or no such datum.
    Refused {
        /// Whether `Loan { acquire: true }` is answered, and not `Take`.
        acquire: bool,
    },
    /// To home: I hold none.
    Return,
}

/// The claim of an output by a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimMessage {
    /// The output.
    pub id: DatumId,
    /// Who has scheduled the task.
    pub scheduler: ProcessId,
    /// Its number among those from scheduler to runner.
    pub sequence: u32,
    /// Who runs it.
    pub runner: ProcessId,
}

/// A piece of a shared object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code<'a> {
    /// The piece's number.
    pub piece: u32,
    /// The object.
    pub build_id: &'a [u8],
    /// The length of the whole object.
    pub total: u64,
    /// The SHA-256 of the whole object.
    pub digest: [u8; DIGEST_BYTES],
    /// The piece.
    pub bytes: &'a [u8],
}

/// A process, and its first failure: code and text.
pub type FirstFailure<'a> = (ProcessId, dvm_retcode_t, &'a str);

/// The verdict on what a wait waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End<'a> {
    /// Its number, counted from 1.
    pub number: u32,
    /// Whether libdvm ends.
    pub closing: bool,
    /// The first failure of the lowest process that has one.
    pub first: Option<FirstFailure<'a>>,
    /// How many failures there are.
    pub failures: u64,
}

/// Bytes between two parts of a graph or of a redistribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge<'a> {
    /// Which part of libdvm it is for.
    pub room: u32,
    /// Which object there.
    pub handle: u32,
    /// The bytes.
    pub bytes: &'a [u8],
}
