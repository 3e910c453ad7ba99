//! A ring of records in memory that two processes share: one writes, one reads, and neither trusts the other.
//!
//! Invariant: the words from `tail` to `head` hold whole records. The producer writes a record behind `head` and then
//! stores `head` with release; a producer that dies in between leaves nothing behind. Both positions count words and
//! never decrease. Each side keeps its own position in private memory, and takes the other's only within these bounds.
//!
//! A producer that finds no room counts up `hungry`; a consumer that has made room looks at it (`README.md`).

use super::contract::LossCause;
use crate::idle::planted::planted;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::fence;

/// Words of a line, with the one that the processor fetches beside it.
const LINE: usize = 16;

/// Words of a record before its bytes.
const HEADER: usize = 2;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordKind {
    /// Bytes for the layer above.
    Batch = 1,
    /// A piece of what a process gives to `gather`; the note is 1 in the last one.
    Gather,
    /// The sender wants this ticket (the note); the bytes say how long it is.
    Ready,
    /// A piece of this ticket.
    Piece,
    /// This ticket is not as long as that.
    Refused,
    /// As `Ready`, of a sender that can read the receiver of this record.
    ReadyToPull,
    /// The bytes of this ticket lie at this address, in the memory of the record's sender.
    LiesAt,
    /// The bytes of this ticket were read.
    Pulled,
}

impl RecordKind {
    fn from_number(number: u64) -> Option<RecordKind> {
        use RecordKind::{Batch, Gather, LiesAt, Piece, Pulled, Ready, ReadyToPull, Refused};
        let all = [Batch, Gather, Ready, Piece, Refused, ReadyToPull, LiesAt, Pulled];
        all.into_iter().find(|kind| *kind as u64 == number)
    }
}

/// The words of a ring, as either side has them mapped.
#[derive(Clone, Copy)]
pub(crate) struct SharedRing<'a> {
    head: &'a AtomicU64,
    hungry: &'a AtomicU64,
    tail: &'a AtomicU64,
    data: &'a [AtomicU64],
}

/// What the producer knows.
#[derive(Debug, Default)]
pub(crate) struct RingProducer {
    head: u64,
    /// The tail that it has seen.
    tail: u64,
    hungry: u64,
    /// The tail at the first refusal that nobody was told to try again. A record that is taken meanwhile, of another
    /// thread perhaps, changes nothing: the refused one may fit now as well.
    refused_at: Option<u64>,
}

/// What the consumer knows.
#[derive(Debug, Default)]
pub(crate) struct RingConsumer {
    tail: u64,
    /// The `hungry` that it has answered.
    answered: u64,
}

/// The words of a shared file for a ring with so many words of data.
pub(crate) const fn words_for(data: usize) -> usize {
    2 * LINE + data
}

/// The words of a record with so many bytes.
fn size(bytes: usize) -> u64 {
    (HEADER + bytes.div_ceil(8)) as u64
}

impl<'a> SharedRing<'a> {
    /// A ring in these words, of which the data are a power of two.
    pub(crate) fn over(words: &'a [AtomicU64]) -> SharedRing<'a> {
        let (lines, data) = words.split_at(2 * LINE);
        assert!(data.len().is_power_of_two(), "positions are masked");
        SharedRing { head: &lines[0], hungry: &lines[1], tail: &lines[LINE], data }
    }

    fn at(&self, position: u64) -> &'a AtomicU64 {
        &self.data[position as usize & (self.data.len() - 1)]
    }

    /// The words from a position on, in the two parts that the end of the ring makes of them.
    fn parts(&self, position: u64, words: usize) -> [&'a [AtomicU64]; 2] {
        let from = position as usize & (self.data.len() - 1);
        let first = words.min(self.data.len() - from);
        [&self.data[from..from + first], &self.data[..words - first]]
    }

    /// Appends a record and makes it visible, if that leaves room for `spare` bytes more. False: there is no room. The
    /// producer that then sleeps by its doorbell, and looks at `has_fed` before, is rung for when there may be.
    pub(crate) fn push(
        &self,
        own: &mut RingProducer,
        kind: RecordKind,
        note: u64,
        bytes: &[u8],
        spare: usize,
    ) -> Result<bool, LossCause> {
        let needed = size(bytes.len()) + (spare / 8) as u64;
        assert!(needed <= self.data.len() as u64, "a record fits into an empty ring");
        if !self.has_room(own, needed) && !self.look_again(own, needed)? {
            return Ok(false);
        }
        self.at(own.head).store(bytes.len() as u64 | (kind as u64) << 32, Ordering::Relaxed);
        self.at(own.head + 1).store(note, Ordering::Relaxed);
        let end = own.head + size(bytes.len());
        if planted("head_before_words") {
            self.head.store(end, Ordering::Release);
        }
        self.write(own.head + HEADER as u64, bytes);
        own.head = end;
        let order = if planted("head_relaxed") { Ordering::Relaxed } else { Ordering::Release };
        self.head.store(end, order);
        Ok(true)
    }

    fn has_room(&self, own: &RingProducer, needed: u64) -> bool {
        let capacity = self.data.len() as u64 + u64::from(planted("one_word_too_many"));
        own.head + needed - own.tail <= capacity
    }

    /// Looks at how far the consumer is; if that does not help, says that there is no room.
    #[cold]
    fn look_again(&self, own: &mut RingProducer, needed: u64) -> Result<bool, LossCause> {
        let tail = self.tail.load(Ordering::Acquire);
        if tail < own.tail || tail > own.head {
            return Err(LossCause::Broken("the position of a ring's reader"));
        }
        own.tail = tail;
        let room = self.has_room(own, needed);
        if !room && !planted("refuse_in_silence") {
            own.hungry += 1;
            own.refused_at = own.refused_at.or(Some(tail));
            self.hungry.store(own.hungry, Ordering::Relaxed);
        }
        Ok(room)
    }

    /// Whether room was made since a refusal. True once: whoever asks tries again.
    pub(crate) fn has_fed(&self, own: &mut RingProducer) -> bool {
        let fed = own.refused_at.is_some_and(|tail| self.tail.load(Ordering::Relaxed) != tail);
        if fed {
            own.refused_at = None;
        }
        fed
    }

    fn write(&self, position: u64, bytes: &[u8]) {
        let (whole, rest) = bytes.as_chunks::<8>();
        let [first, second] = self.parts(position, bytes.len().div_ceil(8));
        let mut places = first.iter().chain(second);
        if first.len() >= whole.len() {
            // In one piece: a loop over two slices of equal length has no bounds to check.
            for (place, word) in first.iter().zip(whole) {
                place.store(u64::from_le_bytes(*word), Ordering::Relaxed);
            }
            places = first[whole.len()..].iter().chain(second);
        } else {
            for (word, place) in whole.iter().zip(places.by_ref()) {
                place.store(u64::from_le_bytes(*word), Ordering::Relaxed);
            }
        }
        if let Some(place) = places.next() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            place.store(u64::from_le_bytes(last), Ordering::Relaxed);
        }
    }

    /// Whether there is a record behind this position of the consumer.
    #[inline]
    pub(crate) fn has_record(&self, tail: u64) -> bool {
        self.head.load(Ordering::Relaxed) != tail
    }

    /// Takes the next record: its kind, its note, and its bytes, which replace those of `into`.
    pub(crate) fn pop(
        &self,
        own: &mut RingConsumer,
        into: &mut Vec<u8>,
    ) -> Result<Option<(RecordKind, u64)>, LossCause> {
        let order = if planted("head_seen_relaxed") { Ordering::Relaxed } else { Ordering::Acquire };
        let there = self.head.load(order).wrapping_sub(own.tail);
        if there == 0 {
            return Ok(None);
        }
        if there > self.data.len() as u64 || there < HEADER as u64 {
            return Err(LossCause::Broken("the position of a ring's writer"));
        }
        let header = self.at(own.tail).load(Ordering::Relaxed);
        let (bytes, kind) = ((header & 0xffff_ffff) as usize, RecordKind::from_number(header >> 32));
        let Some(kind) = kind else { return Err(LossCause::Broken("the kind of a record")) };
        if size(bytes) > there {
            return Err(LossCause::Broken("the length of a record"));
        }
        let note = self.at(own.tail + 1).load(Ordering::Relaxed);
        let end = own.tail + size(bytes);
        if planted("tail_before_copy") {
            self.tail.store(end, Ordering::Release);
        }
        self.read(own.tail + HEADER as u64, bytes, into);
        own.tail = end;
        self.tail.store(end, Ordering::Release);
        Ok(Some((kind, note)))
    }

    /// The bytes are copied once, into private memory: what was checked cannot change any more.
    fn read(&self, position: u64, bytes: usize, into: &mut Vec<u8>) {
        let words = bytes.div_ceil(8);
        into.clear();
        into.resize(words * 8, 0);
        let [first, second] = self.parts(position, words);
        let (front, back) = into.split_at_mut(first.len() * 8);
        for (part, out) in [(first, front), (second, back)] {
            for (place, out) in part.iter().zip(out.as_chunks_mut::<8>().0) {
                *out = place.load(Ordering::Relaxed).to_le_bytes();
            }
        }
        into.truncate(bytes);
    }

    /// Whether the producer has found no room since the last call. To be called after records were taken.
    pub(crate) fn freed(&self, own: &mut RingConsumer) -> bool {
        if !planted("freed_without_fence") {
            fence::full();
        }
        let hungry = self.hungry.load(Ordering::Relaxed);
        let asked = hungry != own.answered;
        own.answered = hungry;
        asked
    }
}

impl RingConsumer {
    /// The position behind the last record that was taken.
    pub(crate) fn position(&self) -> u64 {
        self.tail
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn memory(data: usize) -> Vec<AtomicU64> {
        (0..words_for(data)).map(|_| AtomicU64::new(0)).collect()
    }

    #[test]
    fn records_of_all_lengths_come_out_as_they_went_in() {
        let words = memory(64);
        let (ring, mut producer, mut consumer) =
            (SharedRing::over(&words), RingProducer::default(), RingConsumer::default());
        let mut bytes = Vec::new();
        for turn in 0..5000_usize {
            let sent: Vec<u8> = (0..turn % 496).map(|at| (turn * 7 + at) as u8).collect();
            assert!(ring.push(&mut producer, RecordKind::Batch, turn as u64, &sent, 0).unwrap());
            assert!(ring.has_record(consumer.position()));
            assert_eq!(ring.pop(&mut consumer, &mut bytes).unwrap(), Some((RecordKind::Batch, turn as u64)));
            assert_eq!(bytes, sent);
        }
        assert_eq!(ring.pop(&mut consumer, &mut bytes).unwrap(), None);
    }

    #[test]
    fn a_full_ring_refuses_and_says_when_there_is_room() {
        let words = memory(8);
        let (ring, mut producer, mut consumer) =
            (SharedRing::over(&words), RingProducer::default(), RingConsumer::default());
        let mut bytes = Vec::new();
        let push =
            |producer: &mut RingProducer, spare| ring.push(producer, RecordKind::Piece, 1, &[7; 16], spare).unwrap();
        assert!(push(&mut producer, 0));
        assert!(!push(&mut producer, 8));
        assert!(push(&mut producer, 0));
        assert!(!ring.has_fed(&mut producer));
        assert!(!push(&mut producer, 0));
        assert!(!ring.has_fed(&mut producer), "nothing was taken");
        ring.pop(&mut consumer, &mut bytes).unwrap().unwrap();
        assert!(ring.freed(&mut consumer), "the producer waits");
        assert!(!ring.freed(&mut consumer), "once");
        assert!(push(&mut producer, 0), "another thread is first");
        assert!(ring.has_fed(&mut producer) && !ring.has_fed(&mut producer), "the refused one may try again, too");
    }

    /// Whatever the other side writes is an error or a record, and nothing else.
    #[test]
    fn hostile_words_break_the_connection_and_nothing_else() {
        let words = memory(64);
        let ring = SharedRing::over(&words);
        let mut numbers = testkit::Random::new(13);
        let mut next = || {
            let random = numbers.number();
            // Small numbers, numbers near the ends, and anything.
            match random % 4 {
                0 => random >> 32 & 127,
                1 => u64::MAX - (random >> 40 & 127),
                2 => (random >> 8 & 7) << 32 | (random >> 16 & 1023),
                _ => random,
            }
        };
        let (mut broken, mut taken) = (0, 0);
        for _ in 0..20_000 {
            for word in words.iter().take(2 * LINE + 8) {
                word.store(next(), Ordering::Relaxed);
            }
            let mut consumer = RingConsumer { tail: next() % 200, answered: 0 };
            let mut bytes = Vec::new();
            words[0].store(if next() % 2 == 0 { consumer.tail + next() % 70 } else { next() }, Ordering::Relaxed);
            for _ in 0..20 {
                match ring.pop(&mut consumer, &mut bytes) {
                    Ok(Some(_)) => taken += 1,
                    Ok(None) => break,
                    Err(_) => {
                        broken += 1;
                        break;
                    }
                }
                assert!(bytes.len() <= 64 * 8);
            }
            let head = 64 + next() % 64;
            let mut producer = RingProducer { head, tail: head - next() % 64, ..RingProducer::default() };
            let _ = ring.push(&mut producer, RecordKind::Batch, 0, &[1; 100], 0);
        }
        assert!(broken > 1000 && taken > 100, "{broken} {taken}");
    }
}
