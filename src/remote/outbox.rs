//! Messages on their way to one process: batches that are full, and one that is being filled. No call waits for room.

use std::collections::VecDeque;

use crate::trace::SentTraffic;
use crate::transport::{Peer, Sent, Transport};
use crate::wire::{BatchHead, Message, Refusal};

/// A batch with this many bytes is full.
const FULL_BYTES: usize = 8 << 10;

/// What goes to one process.
#[derive(Default)]
pub(super) struct Outbox {
    open: Vec<u8>,
    full: VecDeque<Vec<u8>>,
    /// How many bytes of the first of them are gone: what the transport does not take at once goes in pieces.
    gone: usize,
}

impl Outbox {
    /// Whether nothing is left to be sent.
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty() && self.full.is_empty()
    }

    /// How many batches have found no room.
    pub(super) fn waiting(&self) -> usize {
        self.full.len()
    }

    /// Adds a message. `most`: the largest batch that the transport takes.
    pub(super) fn add(&mut self, message: &Message<'_>, most: usize) -> Result<(), Refusal> {
        if self.open.is_empty() {
            BatchHead::begin(&mut self.open);
        }
        let before = self.open.len();
        message.add_to(&mut self.open)?;
        if self.open.len() > most && before > BatchHead::BYTES {
            // The message begins a batch of its own.
            let mut next = Vec::new();
            BatchHead::begin(&mut next);
            next.extend_from_slice(&self.open[before..]);
            self.open.truncate(before);
            self.full.push_back(std::mem::replace(&mut self.open, next));
        }
        if self.open.len() >= FULL_BYTES {
            self.full.push_back(std::mem::take(&mut self.open));
        }
        Ok(())
    }

    /// Sends what there is room for.
    pub(super) fn flush(&mut self, transport: &dyn Transport, to: u32, head: BatchHead, sent: &mut SentTraffic) {
        let most = piece_bytes(transport);
        if self.full.is_empty() && !self.open.is_empty() && self.open.len() <= most {
            head.finish(&mut self.open);
            let outcome = transport.send(Peer::new(to), &self.open);
            if outcome == Sent::Taken {
                sent.batches += 1;
                sent.bytes += self.open.len() as u64;
            }
            if outcome != Sent::Full {
                return self.open.clear();
            }
        }
        if !self.open.is_empty() {
            self.full.push_back(std::mem::take(&mut self.open));
        }
        while let Some(batch) = self.full.front_mut() {
            if self.gone == 0 {
                head.finish(batch);
            }
            let end = batch.len().min(self.gone + most);
            let outcome = transport.send(Peer::new(to), &batch[self.gone..end]);
            if outcome == Sent::Taken {
                sent.batches += 1;
                sent.bytes += (end - self.gone) as u64;
            }
            match outcome {
                Sent::Full => return,
                Sent::Taken if end < batch.len() => self.gone = end,
                Sent::Taken | Sent::Gone => {
                    self.gone = 0;
                    self.full.pop_front();
                }
            }
        }
    }

    /// The process is lost: nothing goes there any more.
    pub(super) fn clear(&mut self) {
        *self = Outbox::default();
    }
}

/// The length of each piece of a batch but the last.
pub(super) fn piece_bytes(transport: &dyn Transport) -> usize {
    transport.largest_batch() & !7
}
