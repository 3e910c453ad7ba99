//! What comes in: messages from anybody, asked for and then received one after the other. No receive from anybody is ever
//! under way: MPICH 5.0.2 by UCX over TCP loses messages that match one.

use crate::calls::{self, Arrival, Communicator, Ended, Failure, NOBODY, Request};

/// The most bytes of a message.
pub const LARGEST: usize = 64 << 10;

/// Failures one after the other, without a message between them, at which nothing more is expected.
const MOST_FAILURES: u32 = 1000;

pub struct Receives {
    over: Communicator,
    memory: Box<[u8]>,
    /// The message that comes into the memory.
    coming: Option<Request>,
    /// How many the next poll takes.
    pub turn: usize,
    /// Failures since the last message.
    failures: u32,
}

impl Receives {
    pub fn new(over: Communicator) -> Receives {
        Receives { over, memory: vec![0; LARGEST].into_boxed_slice(), coming: None, turn: 1, failures: 0 }
    }

    /// The next message, if it is there. The one before is over.
    pub fn next(&mut self) -> Result<Option<Arrival>, Failure> {
        let arrival = self.arrival().inspect_err(|_| self.failures += 1)?;
        Ok(arrival.map(|arrival| self.take(arrival)))
    }

    fn arrival(&mut self) -> Result<Option<Arrival>, Failure> {
        if self.coming.is_none() {
            let mut message = calls::next_message(self.over)?;
            // Some look first and move on what comes then.
            if message.is_none() {
                message = calls::next_message(self.over)?;
            }
            let Some(message) = message else { return Ok(None) };
            // SAFETY: the memory stays where it is, and nobody reads it, until the request is complete or `end` forgets it.
            self.coming = Some(unsafe { message.receive(self.memory.as_mut_ptr(), LARGEST) }?);
        }
        let Some(request) = &mut self.coming else { return Ok(None) };
        let tested = request.test();
        let is_under_way = matches!(tested, Ok(None) | Err(Failure { complete: None, .. }));
        if !is_under_way {
            self.coming = None;
        }
        Ok(tested?.filter(|arrival| arrival.source != NOBODY))
    }

    /// A message has come.
    pub fn take(&mut self, arrival: Arrival) -> Arrival {
        self.failures = 0;
        arrival
    }

    /// After a failure of `next`: whether there were not too many to go on.
    pub fn may_go_on(&self) -> bool {
        self.failures <= MOST_FAILURES
    }

    /// The bytes of the message that `next` has told of.
    pub fn bytes(&self, arrival: Arrival) -> &[u8] {
        &self.memory[..arrival.bytes.min(LARGEST)]
    }

    /// Nothing more is received.
    pub fn end(self) {
        if self.coming.is_some_and(|mut request| request.cancel() == Ended::Never) {
            std::mem::forget(self.memory);
        }
    }
}
