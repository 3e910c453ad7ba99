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
        Ok(Receives { places, next: 0, failures: 0 })
    }

    /// Hands the next message over, if it is there.
    pub fn take(&mut self, hand_over: impl FnOnce(Arrival, &[u8])) -> Result<bool, Code> {
        let Some(place) = self.places.get_mut(self.next) else { return Ok(false) };
        let arrival = match place.request.test() {
            Ok(None) => return Ok(false),
            Ok(Some(arrival)) => arrival,
            Err(code) => return self.again(code),
        };
        hand_over(arrival, &place.memory[..arrival.bytes.min(LARGEST)]);
        self.failures = 0;
        self.restart()?;
        Ok(true)
    }

    fn restart(&mut self) -> Result<(), Code> {
        self.places[self.next].request.start()?;
        self.next = (self.next + 1) % MANY;
        Ok(())
    }

    /// A receive has failed: MPI tells so that some peer is gone, not which. The others go on until nothing else comes.
    fn again(&mut self, code: Code) -> Result<bool, Code> {
        self.failures += 1;
        if self.failures > 1000 {
            return Err(code);
        }
        self.restart().map(|()| false)
    }

    /// Nothing more is received.
    pub fn end(&mut self) {
        for mut place in self.places.drain(..) {
            match place.request.cancel() {
                Ended::Over => place.request.free(),
                Ended::Never => std::mem::forget(place.memory),
            }
        }
    }
}
