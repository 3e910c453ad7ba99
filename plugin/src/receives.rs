//! What comes in: persistent receives from anybody. A message matches the earliest of them, so they are looked at in the
//! order in which they were started: messages of a peer come in theirs, whichever is complete first.

use crate::calls::{Arrival, Code, Communicator, Ended, Failure, NOBODY, Request};

/// Receives that are under way at a time, and the most bytes of a message.
const MANY: usize = 8;
pub const LARGEST: usize = 64 << 10;

/// Failures of receives one after the other, without a message between them, at which nothing more is expected.
const MOST_FAILURES: u32 = 1000;

struct Place {
    request: Request,
    memory: Box<[u8]>,
}

pub struct Receives {
    places: Vec<Place>,
    /// The one that was started first.
    next: usize,
    /// Its message was taken: it is not under way.
    is_taken: bool,
    /// How many the next poll takes.
    pub turn: usize,
    /// Failures since the last message.
    failures: u32,
}

impl Receives {
    pub fn new(over: Communicator) -> Result<Receives, Code> {
        let mut places = Vec::new();
        for _ in 0..MANY {
            let mut memory = vec![0; LARGEST].into_boxed_slice();
            // SAFETY: the memory stays where it is until `end` has freed the request.
            let mut request = unsafe { Request::persistent(memory.as_mut_ptr(), LARGEST, over) }?;
            request.start()?;
            places.push(Place { request, memory });
        }
        Ok(Receives { places, next: 0, is_taken: false, turn: 1, failures: 0 })
    }

    /// The next message, if it is there. The one before is over.
    pub fn next(&mut self) -> Result<Option<Arrival>, Failure> {
        if self.is_taken {
            self.restart()?;
        }
        let Some(place) = self.places.get_mut(self.next) else { return Ok(None) };
        match place.request.test() {
            Ok(None) => Ok(None),
            Ok(Some(Arrival { source: NOBODY, .. })) => Ok(self.restart().map(|()| None)?),
            Ok(Some(arrival)) => Ok(Some(self.take(arrival))),
            // MPI tells so that some peer is gone.
            Err(failure) => {
                self.failures += 1;
                Err(failure)
            }
        }
    }

    /// The earliest receive has a message.
    pub fn take(&mut self, arrival: Arrival) -> Arrival {
        (self.failures, self.is_taken) = (0, true);
        arrival
    }

    /// After a failure of `next`: goes on, if there were not too many. `is_under_way`: MPI has not ended the receive.
    pub fn go_on(&mut self, is_under_way: bool) -> bool {
        let may = self.failures <= MOST_FAILURES;
        may && (is_under_way || self.restart().is_ok())
    }

    /// The bytes of the message that `next` has told of.
    pub fn bytes(&self, arrival: Arrival) -> &[u8] {
        &self.places[self.next].memory[..arrival.bytes.min(LARGEST)]
    }

    fn restart(&mut self) -> Result<(), Code> {
        self.places[self.next].request.start()?;
        self.is_taken = false;
        self.next = (self.next + 1) % MANY;
        Ok(())
    }

    /// Nothing more is received.
    pub fn end(&mut self) {
        for (at, mut place) in self.places.drain(..).enumerate() {
            if self.is_taken && at == self.next {
                place.request.free();
                continue;
            }
            match place.request.cancel() {
                Ended::Over => place.request.free(),
                Ended::Never => std::mem::forget(place.memory),
            }
        }
    }
}
