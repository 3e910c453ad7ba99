//! Messages on their way out: copies, so that whoever sends does not wait. Most are complete at once.

use std::collections::VecDeque;

use crate::calls::{Code, Communicator, Request};

/// Messages to one peer that are under way at a time; those of the plugin itself do not count.
const MANY: usize = 8;

/// Memories that are kept for later messages.
const SPARE: usize = 64;

struct Flight {
    request: Request,
    memory: Vec<u8>,
}

/// To all peers.
pub struct Sends {
    over: Communicator,
    to: Vec<VecDeque<Flight>>,
    spare: Vec<Vec<u8>>,
    /// All that are under way.
    many: usize,
}

/// What became of a message.
pub enum Begun {
    Taken,
    Full,
}

impl Sends {
    pub fn new(over: Communicator, processes: u32) -> Sends {
        Sends { over, to: (0..processes).map(|_| VecDeque::new()).collect(), spare: Vec::new(), many: 0 }
    }

    /// Sends a batch, if there is room.
    pub fn batch(&mut self, to: u32, tag: u32, bytes: &[u8]) -> Result<Begun, Code> {
        if self.to[to as usize].len() >= MANY {
            self.look_at(to)?;
            if self.to[to as usize].len() >= MANY {
                return Ok(Begun::Full);
            }
        }
        self.begin(to, tag, bytes)?;
        Ok(Begun::Taken)
    }

    /// Sends a message whatever is under way: for those of the plugin, which are few.
    pub fn begin(&mut self, to: u32, tag: u32, bytes: &[u8]) -> Result<(), Code> {
        let mut memory = self.spare.pop().unwrap_or_default();
        memory.clear();
        memory.extend_from_slice(bytes);
        // SAFETY: the memory is kept where it is until the request is complete; `drop` keeps it for ever otherwise.
        let mut request = unsafe { Request::send(memory.as_ptr(), memory.len(), to, tag, self.over) }?;
        if request.is_complete()? {
            self.keep(memory);
        } else {
            self.to[to as usize].push_back(Flight { request, memory });
            self.many += 1;
        }
        Ok(())
    }

    fn keep(&mut self, memory: Vec<u8>) {
        if self.spare.len() < SPARE {
            self.spare.push(memory);
        }
    }

    /// Sees which messages to this peer are complete.
    pub fn look_at(&mut self, to: u32) -> Result<(), Code> {
        while let Some(flight) = self.to[to as usize].front_mut() {
            if !flight.request.is_complete()? {
                break;
            }
            self.many -= 1;
            let Some(flight) = self.to[to as usize].pop_front() else { break };
            self.keep(flight.memory);
        }
        Ok(())
    }

    pub fn are_any(&self) -> bool {
        self.many > 0
    }

    /// No more is expected of this peer: what was on its way to it stays where MPI may read it.
    pub fn give_up(&mut self, to: u32) {
        let left: VecDeque<_> = std::mem::take(&mut self.to[to as usize]);
        self.many -= left.len();
        std::mem::forget(left);
    }
}

impl Drop for Sends {
    fn drop(&mut self) {
        for to in 0..self.to.len() {
            self.give_up(to as u32);
        }
    }
}
