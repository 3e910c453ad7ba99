//! Messages on their way to one process: batches that are full, and one that is being filled. No call waits for room.

use std::collections::VecDeque;

use crate::trace::SentTraffic;
use crate::transport::{Peer, Sent, Transport};
use crate::wire::{BatchHead, Done, EndState, Message, Refusal};

/// A batch with this many bytes is full.
const FULL_BYTES: usize = 8 << 10;

/// The bytes of a message that says that a task has ended well.
const DONE_BYTES: usize = 16;

/// Whether one message may say this of several tasks.
fn ends_well(done: &Done<'_>) -> bool {
    done.outcome == Some(EndState::Success) && done.returns && done.before == 0
}

/// What goes to one process.
#[derive(Default)]
pub(super) struct Outbox {
    open: Vec<u8>,
    full: VecDeque<Vec<u8>>,
    /// The last message of the open batch, if it says that tasks have ended well and are returned: where it begins, the last
    /// task's number, and how many there are before it.
    ended: Option<(usize, u32, u16)>,
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

    /// Lets the last message tell of one more task, if it can.
    pub(super) fn add_to_done(&mut self, done: &Done<'_>) -> bool {
        let Some((begin, last, before)) = self.ended else { return false };
        let next = ends_well(done) && done.sequence == last.wrapping_add(1) && before < u16::MAX;
        if next {
            let before = before + 1;
            self.open.truncate(begin);
            let written = Message::Done(Done { before, ..*done }).add_to(&mut self.open);
            debug_assert!(written.is_ok(), "as the message before");
            self.ended = Some((begin, done.sequence, before));
        }
        next
    }

    /// The message that was added last is this one.
    pub(super) fn note_done(&mut self, done: &Done<'_>) {
        let begin = self.open.len().checked_sub(DONE_BYTES).filter(|begin| *begin >= BatchHead::BYTES);
        self.ended = begin.filter(|_| ends_well(done)).map(|begin| (begin, done.sequence, 0));
    }

    /// Adds a message. `most`: the largest batch that the transport takes.
    pub(super) fn add(&mut self, message: &Message<'_>, most: usize) -> Result<(), Refusal> {
        self.ended = None;
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

    /// Sends what there is room for. What has found none grows with what is added, up to full batches: the process is behind,
    /// and takes one large batch sooner than many.
    pub(super) fn flush(&mut self, transport: &dyn Transport, to: u32, head: BatchHead, sent: &mut SentTraffic) {
        self.send(piece_bytes(transport), head, &mut |piece| {
            let outcome = transport.send(Peer::new(to), piece);
            if outcome == Sent::Taken {
                sent.batches += 1;
                sent.bytes += piece.len() as u64;
            }
            outcome
        });
    }

    /// The same by this function. `most`: the bytes of a piece.
    fn send(&mut self, most: usize, head: BatchHead, send: &mut dyn FnMut(&[u8]) -> Sent) {
        self.ended = None;
        if self.open.len() > most {
            self.full.push_back(std::mem::take(&mut self.open));
        }
        while let Some(batch) = self.full.front_mut() {
            if self.gone == 0 {
                head.finish(batch);
            }
            let end = batch.len().min(self.gone + most);
            match send(&batch[self.gone..end]) {
                Sent::Full => return,
                Sent::Taken if end < batch.len() => self.gone = end,
                Sent::Taken | Sent::Gone => {
                    self.gone = 0;
                    self.full.pop_front();
                }
            }
        }
        if !self.open.is_empty() {
            head.finish(&mut self.open);
            if send(&self.open) != Sent::Full {
                self.open.clear();
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

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::id::DatumId;

    const MOST: usize = 64 << 10;

    fn end(sequence: u32) -> Done<'static> {
        Done { sequence, before: 0, outcome: Some(EndState::Success), returns: true }
    }

    fn tell(outbox: &mut Outbox, done: Done<'_>) {
        if !outbox.add_to_done(&done) {
            outbox.add(&Message::Done(done), MOST).unwrap();
            outbox.note_done(&done);
        }
    }

    /// The messages of the open batch.
    fn open(outbox: &mut Outbox) -> Vec<String> {
        BatchHead::default().finish(&mut outbox.open);
        let (_, messages) = BatchHead::read(&outbox.open).unwrap();
        messages.map(|message| format!("{:?}", message.unwrap())).collect()
    }

    fn told(done: Done<'_>) -> String {
        format!("{:?}", Message::Done(done))
    }

    #[test]
    fn ends_that_follow_each_other_are_one_message() {
        let mut outbox = Outbox::default();
        for sequence in [7, 8, 9, 11, 12] {
            tell(&mut outbox, end(sequence));
        }
        let [first, second] = [Done { before: 2, ..end(9) }, Done { before: 1, ..end(12) }].map(told);
        assert_eq!(open(&mut outbox), [first, second]);
    }

    #[test]
    fn what_lies_between_keeps_ends_apart() {
        let mut outbox = Outbox::default();
        let free = Message::Free(DatumId::from_raw([0, 5]));
        let withheld = Done { returns: false, ..end(2) };
        let failed =
            Done { outcome: Some(EndState::Failure(crate::error::dvm_retcode_t::DVM_ERR_TASK, "it failed")), ..end(5) };
        tell(&mut outbox, end(0));
        outbox.add(&free, MOST).unwrap();
        tell(&mut outbox, end(1));
        tell(&mut outbox, withheld);
        tell(&mut outbox, end(3));
        tell(&mut outbox, end(4));
        tell(&mut outbox, failed);
        tell(&mut outbox, end(6));
        let [a, b, c, d] = [end(0), end(1), withheld, Done { before: 1, ..end(4) }].map(told);
        assert_eq!(open(&mut outbox), [a, format!("{free:?}"), b, c, d, told(failed), told(end(6))]);
    }

    #[test]
    fn what_finds_no_room_goes_as_one_batch_later() {
        let mut outbox = Outbox::default();
        let (mut room, mut batches) = (false, Vec::new());
        for number in 1..=5 {
            outbox.add(&Message::Free(DatumId::from_raw([0, number])), MOST).unwrap();
            room |= number == 5;
            outbox.send(MOST, BatchHead::default(), &mut |batch| {
                if room {
                    let (_, messages) = BatchHead::read(batch).unwrap();
                    batches.push(messages.map(|message| format!("{:?}", message.unwrap())).collect::<Vec<_>>());
                }
                if room { Sent::Taken } else { Sent::Full }
            });
        }
        let all: Vec<String> =
            (1..=5).map(|number| format!("{:?}", Message::Free(DatumId::from_raw([0, number])))).collect();
        assert_eq!(batches, [all]);
        assert!(outbox.is_empty());
    }

    /// Full batches go first, in order, and none exceeds what a piece may have.
    #[test]
    fn a_long_backlog_keeps_its_order() {
        let mut outbox = Outbox::default();
        let count = 2000;
        for number in 1..=count {
            outbox.add(&Message::Free(DatumId::from_raw([0, number])), MOST).unwrap();
            outbox.send(MOST, BatchHead::default(), &mut |_| Sent::Full);
        }
        assert!(outbox.waiting() > 1);
        let mut came = Vec::new();
        outbox.send(MOST, BatchHead::default(), &mut |batch| {
            assert!(batch.len() <= MOST);
            let (_, messages) = BatchHead::read(batch).unwrap();
            came.extend(messages.map(|message| format!("{:?}", message.unwrap())));
            Sent::Taken
        });
        let all: Vec<String> =
            (1..=count).map(|number| format!("{:?}", Message::Free(DatumId::from_raw([0, number])))).collect();
        assert_eq!(came, all);
        assert!(outbox.is_empty());
    }

    #[test]
    fn numbers_wrap_and_a_full_count_begins_a_new_message() {
        let mut outbox = Outbox::default();
        let first = u32::MAX - 5;
        for step in 0..u32::from(u16::MAX) + 3 {
            tell(&mut outbox, end(first.wrapping_add(step)));
        }
        let full = Done { before: u16::MAX, ..end(first.wrapping_add(u32::from(u16::MAX))) };
        let rest = Done { before: 1, ..end(first.wrapping_add(u32::from(u16::MAX) + 2)) };
        assert_eq!(open(&mut outbox), [told(full), told(rest)]);
    }
}
