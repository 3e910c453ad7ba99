//! What comes in: persistent receives from anybody. A message matches the earliest of them, so they are looked at in the
//! order in which they were started: messages of a peer come in theirs, whichever is complete first.

use crate::calls::{Arrival, Code, Communicator, Ended, Request};

/// Receives that are under way at a time, and the most bytes of a message.
const MANY: usize = 8;
pub const LARGEST: usize = 64 << 10;

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
    pub fn next(&mut self) -> Result<Option<Arrival>, Code> {
        if self.is_taken {
            self.restart()?;
        }
        let Some(place) = self.places.get_mut(self.next) else { return Ok(None) };
        match place.request.test() {
            Ok(None) => Ok(None),
            Ok(Some(arrival)) => {
                self.failures = 0;
                self.is_taken = true;
                Ok(Some(arrival))
            }
            // MPI tells so that some peer is gone, not which: the others go on until nothing else comes.
            Err(code) => {
                self.failures += 1;
                if self.failures > 1000 { Err(code) } else { self.restart().map(|()| None) }
            }
        }
    }

    /// The bytes of the message that `next` has told of.
    pub fn bytes(&self, arrival: Arrival) -> &[u8] {
        &self.places[self.next].memory[..arrival.bytes.min(LARGEST)]
    }

    fn restart(&mut self) -> Result<(), Code> {
        self.is_taken = false;
        self.places[self.next].request.start()?;
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
