//! Larger memory under tickets: the receiver says that it is ready, the sender sends, and neither waits. Where the system
//! lets the receiver read the sender's memory, the sender only says where it lies; else it goes through the ring in
//! pieces. No I/O here: `pump` is given the ring's push and the system's read.

use std::collections::{HashMap, VecDeque};

use super::contract::{Incoming, LossCause, Outgoing, TransportEvent};
use super::ring::RecordKind;

/// The bytes of a piece, and what pieces leave free for batches.
const PIECE: usize = 32 << 10;
const FOR_BATCHES: usize = 96 << 10;

/// The least bytes that are worth a read of the sender's memory, and the bytes of one such read, which holds up what else
/// the thread polls.
const LEAST_PULLED: usize = 16 << 10;
const PULL: usize = 256 << 10;

/// Tickets that a peer may ask for before they are sent: more is no program's doing.
const MOST_WANTED: usize = 1 << 20;

struct Sending {
    from: Outgoing,
    done: usize,
    token: u64,
    stage: Stage,
}

/// How far this side has come with what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The receiver was not ready yet.
    Waits,
    /// It reads where the bytes are.
    Pulled,
    /// It gets pieces.
    Pieces,
}

/// What the peer is ready for.
struct Wanted {
    bytes: u64,
    /// It reads this side's memory.
    pulls: bool,
}

struct Receiving {
    into: Incoming,
    filled: usize,
    bytes: usize,
    token: u64,
    /// The sender has said where the bytes are.
    pulls: bool,
}

/// What the layer above is still to be told.
enum Outcome {
    Sent(u64),
    Received(u64, Incoming),
    Failed(u64),
}

/// The transfers to and from one peer.
#[derive(Default)]
pub(crate) struct Transfers {
    sending: HashMap<u64, Sending>,
    /// What the peer is ready for, by ticket.
    wanted: HashMap<u64, Wanted>,
    /// Tickets whose pieces are to be sent, in the order in which both sides were ready.
    order: VecDeque<u64>,
    receiving: HashMap<u64, Receiving>,
    /// Tickets whose bytes are to be read where the peer says that they are, in turns.
    pulled: VecDeque<(u64, u64)>,
    /// Whether this side can read the peer's memory.
    can_pull: bool,
    /// Records to be sent before pieces.
    answers: VecDeque<(RecordKind, u64, u64)>,
    outcomes: VecDeque<Outcome>,
    /// The ring had no room for the last record.
    blocked: bool,
}

/// What moves bytes between both sides.
pub(crate) trait Mover {
    /// Puts a record into the ring, if `spare` bytes stay free; says whether there was room.
    fn push(&mut self, kind: RecordKind, note: u64, bytes: &[u8], spare: usize) -> Result<bool, LossCause>;
    /// Reads the peer's memory.
    fn pull(&mut self, address: u64, into: &mut [u8]) -> bool;
}

impl Transfers {
    /// `can_pull`: whether this side can read the peer's memory.
    pub(crate) fn new(can_pull: bool) -> Transfers {
        Transfers { can_pull, ..Transfers::default() }
    }

    /// This side has memory to send.
    pub(crate) fn send(&mut self, ticket: u64, from: Outgoing, token: u64) {
        let before = self.sending.insert(ticket, Sending { from, done: 0, token, stage: Stage::Waits });
        // A peer that asks twice under one ticket gets what it can make of that.
        self.outcomes.extend(before.map(|sending| Outcome::Failed(sending.token)));
        self.match_up(ticket);
    }

    /// This side has memory to fill.
    pub(crate) fn receive(&mut self, ticket: u64, mut into: Incoming, token: u64) {
        let bytes = (*into).as_mut().len();
        let before = self.receiving.insert(ticket, Receiving { into, filled: 0, bytes, token, pulls: false });
        self.outcomes.extend(before.map(|receiving| Outcome::Failed(receiving.token)));
        let how = if self.can_pull && bytes >= LEAST_PULLED { RecordKind::ReadyToPull } else { RecordKind::Ready };
        self.answers.push_back((how, ticket, bytes as u64));
    }

    /// How many bytes have come.
    pub(crate) fn come(&self, ticket: u64) -> Option<u64> {
        self.receiving.get(&ticket).map(|receiving| receiving.filled as u64)
    }

    /// Begins a transfer that both sides are ready for, if they agree about its length.
    fn match_up(&mut self, ticket: u64) {
        let Some(sending) = self.sending.get_mut(&ticket) else { return };
        let Some(Wanted { bytes, pulls }) = self.wanted.remove(&ticket) else { return };
        let memory = (*sending.from).as_ref();
        if memory.len() as u64 != bytes {
            self.outcomes.push_back(Outcome::Failed(sending.token));
            self.sending.remove(&ticket);
            self.answers.push_back((RecordKind::Refused, ticket, 0));
        } else if pulls {
            let address = memory.as_ptr() as u64;
            self.answers.push_back((RecordKind::LiesAt, ticket, address));
            sending.stage = Stage::Pulled;
        } else {
            self.order.push_back(ticket);
            sending.stage = Stage::Pieces;
        }
    }

    /// A record of the peer.
    pub(crate) fn take(&mut self, kind: RecordKind, ticket: u64, bytes: &[u8]) -> Result<(), LossCause> {
        let number = |what| bytes.try_into().map(u64::from_le_bytes).map_err(|_| LossCause::Broken(what));
        match kind {
            RecordKind::Ready | RecordKind::ReadyToPull => {
                let pulls = kind == RecordKind::ReadyToPull;
                // Whoever could not read gets pieces.
                let ready = self.sending.get(&ticket).is_none_or(|sending| match sending.stage {
                    Stage::Waits => true,
                    Stage::Pulled => !pulls,
                    Stage::Pieces => false,
                });
                if self.wanted.len() >= MOST_WANTED || !ready {
                    return Err(LossCause::Broken("a ticket that is asked for twice"));
                }
                self.wanted.insert(ticket, Wanted { bytes: number("the length of a transfer")?, pulls });
                self.match_up(ticket);
            }
            RecordKind::LiesAt => {
                let address = number("the address of a transfer")?;
                let pulling = self.receiving.get_mut(&ticket).filter(|_| self.can_pull);
                let Some(pulling) = pulling.filter(|receiving| !receiving.pulls) else {
                    return Err(LossCause::Broken("the address of a transfer that is not under way"));
                };
                pulling.pulls = true;
                self.pulled.push_back((ticket, address));
            }
            RecordKind::Pulled => {
                let sent = self.sending.remove(&ticket).filter(|sending| sending.stage == Stage::Pulled);
                let Some(sent) = sent else {
                    return Err(LossCause::Broken("the end of a transfer that was not begun"));
                };
                self.outcomes.push_back(Outcome::Sent(sent.token));
            }
            RecordKind::Piece => return self.fill(ticket, bytes),
            _ => {
                let failed = self.receiving.remove(&ticket);
                self.outcomes.extend(failed.map(|receiving| Outcome::Failed(receiving.token)));
            }
        }
        Ok(())
    }

    fn fill(&mut self, ticket: u64, bytes: &[u8]) -> Result<(), LossCause> {
        let Some(receiving) = self.receiving.get_mut(&ticket).filter(|receiving| !receiving.pulls) else {
            return Err(LossCause::Broken("a piece of a transfer that is not under way"));
        };
        let end = receiving.filled + bytes.len();
        let Some(place) = (*receiving.into).as_mut().get_mut(receiving.filled..end) else {
            return Err(LossCause::Broken("more bytes than a transfer has"));
        };
        place.copy_from_slice(bytes);
        receiving.filled = end;
        if receiving.filled == receiving.bytes
            && let Some(Receiving { into, token, .. }) = self.receiving.remove(&ticket)
        {
            self.outcomes.push_back(Outcome::Received(token, into));
        }
        Ok(())
    }

    /// Reads the next bytes of a transfer where the peer says that they are. True if there was something to do.
    fn pull_next(&mut self, mover: &mut impl Mover) -> bool {
        let Some((ticket, address)) = self.pulled.pop_front() else { return false };
        let Some(receiving) = self.receiving.get_mut(&ticket).filter(|receiving| receiving.pulls) else { return true };
        let memory = (*receiving.into).as_mut();
        let end = memory.len().min(receiving.filled + PULL);
        if !mover.pull(address.wrapping_add(receiving.filled as u64), &mut memory[receiving.filled..end]) {
            // The sender is gone, as its end will tell; or the system refuses from now on what it allowed before.
            self.can_pull = false;
            (receiving.filled, receiving.pulls) = (0, false);
            self.answers.push_back((RecordKind::Ready, ticket, receiving.bytes as u64));
            return true;
        }
        receiving.filled = end;
        if end < memory.len() {
            self.pulled.push_back((ticket, address));
            return true;
        }
        self.answers.push_back((RecordKind::Pulled, ticket, 0));
        if let Some(Receiving { into, token, .. }) = self.receiving.remove(&ticket) {
            self.outcomes.push_back(Outcome::Received(token, into));
        }
        true
    }

    /// Moves on what can be. True if there was something.
    pub(crate) fn pump(&mut self, mover: &mut impl Mover) -> Result<bool, LossCause> {
        let mut some = self.pull_next(mover);
        self.blocked = false;
        while let Some(&(kind, ticket, length)) = self.answers.front() {
            if !mover.push(kind, ticket, &length.to_le_bytes(), 0)? {
                self.blocked = true;
                return Ok(some);
            }
            self.answers.pop_front();
            some = true;
        }
        while let Some(&ticket) = self.order.front() {
            let Some(sending) = self.sending.get_mut(&ticket) else {
                self.order.pop_front();
                continue;
            };
            let bytes = (*sending.from).as_ref();
            let end = bytes.len().min(sending.done + PIECE);
            let piece = bytes.get(sending.done..end).unwrap_or_default();
            if !mover.push(RecordKind::Piece, ticket, piece, FOR_BATCHES)? {
                self.blocked = true;
                return Ok(some);
            }
            some = true;
            sending.done = end;
            let over = end == bytes.len();
            self.order.pop_front();
            if over {
                let token = sending.token;
                self.sending.remove(&ticket);
                self.outcomes.push_back(Outcome::Sent(token));
            } else {
                // Behind the others: a large transfer does not hold up small ones.
                self.order.push_back(ticket);
            }
        }
        Ok(some)
    }

    /// Whether there is something to send or to tell.
    pub(crate) fn is_active(&self) -> bool {
        !(self.answers.is_empty() && self.order.is_empty() && self.outcomes.is_empty() && self.pulled.is_empty())
    }

    /// Whether a poll would do something now.
    pub(crate) fn can_go_on(&self) -> bool {
        let sends = !(self.answers.is_empty() && self.order.is_empty());
        !self.outcomes.is_empty() || !self.pulled.is_empty() || (sends && !self.blocked)
    }

    /// What the layer above is to be told next.
    pub(crate) fn outcome(&mut self) -> Option<TransportEvent<'static>> {
        self.outcomes.pop_front().map(|outcome| match outcome {
            Outcome::Sent(token) => TransportEvent::BulkSent(token),
            Outcome::Received(token, into) => TransportEvent::BulkReceived(token, into),
            Outcome::Failed(token) => TransportEvent::BulkFailed(token),
        })
    }

    /// The peer is gone.
    pub(crate) fn fail(&mut self) {
        let sending = self.sending.drain().map(|(_, sending)| sending.token);
        let receiving = self.receiving.drain().map(|(_, receiving)| receiving.token);
        self.outcomes.extend(sending.chain(receiving).map(Outcome::Failed));
        self.answers.clear();
        self.order.clear();
        self.pulled.clear();
        self.wanted.clear();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Moves records between two sides until neither has any; the events of both.
    fn run(sides: &mut [Transfers; 2]) -> Result<Vec<(usize, String)>, LossCause> {
        let mut told = Vec::new();
        loop {
            let mut some = false;
            for side in 0..2 {
                let mut records = Vec::new();
                let mut room = 3;
                some |= sides[side].pump(&mut Script { records: &mut records, room: &mut room })?;
                for (kind, note, bytes) in records {
                    sides[1 - side].take(kind, note, &bytes)?;
                }
                while let Some(event) = sides[side].outcome() {
                    some = true;
                    told.push((
                        side,
                        match event {
                            TransportEvent::BulkSent(token) => format!("sent {token}"),
                            TransportEvent::BulkReceived(token, mut into) => {
                                let bytes = (*into).as_mut();
                                let right =
                                    bytes.iter().enumerate().all(|(at, &byte)| byte == (at * 31 + bytes.len()) as u8);
                                format!("received {token} {} {right}", bytes.len())
                            }
                            TransportEvent::BulkFailed(token) => format!("failed {token}"),
                            _ => "another event".to_owned(),
                        },
                    ));
                }
            }
            if !some {
                told.sort();
                return Ok(told);
            }
        }
    }

    thread_local! {
        /// How many reads of the other side's memory the system still allows.
        static READS: std::cell::Cell<u32> = const { std::cell::Cell::new(u32::MAX) };
    }

    /// Room for two records, and memory that is read where it lies: both sides are in one process.
    struct Script<'a> {
        records: &'a mut Vec<(RecordKind, u64, Vec<u8>)>,
        room: &'a mut i32,
    }

    impl Mover for Script<'_> {
        fn push(&mut self, kind: RecordKind, note: u64, bytes: &[u8], _: usize) -> Result<bool, LossCause> {
            *self.room -= i32::from(*self.room > 0);
            if *self.room > 0 {
                self.records.push((kind, note, bytes.to_vec()));
            }
            Ok(*self.room > 0)
        }

        fn pull(&mut self, address: u64, into: &mut [u8]) -> bool {
            let allowed = READS.get() > 0;
            READS.set(READS.get().saturating_sub(1));
            allowed && crate::system::descriptors::read_process(std::process::id() as i32, address, into)
        }
    }

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * 31 + length) as u8).collect()
    }

    #[test]
    fn memory_of_all_lengths_arrives_whoever_begins() {
        // Pieces; reads; reads that the system refuses from the third on.
        for (can_pull, reads) in [(false, 0), (true, u32::MAX), (true, 2)] {
            READS.set(reads);
            all_lengths_arrive(can_pull);
            assert_eq!(READS.get() < reads, can_pull, "what can be read is read");
        }
    }

    fn all_lengths_arrive(can_pull: bool) {
        let mut sides = [Transfers::new(can_pull), Transfers::new(can_pull)];
        let lengths = [0, 1, PIECE - 1, PIECE, PIECE + 1, 10 * PIECE + 7, PULL, 3 * PULL + 1];
        let mut expected = Vec::new();
        for (ticket, length) in (0..).zip(lengths) {
            let (sender, receiver) = (ticket as usize % 2, 1 - ticket as usize % 2);
            if ticket % 3 == 0 {
                sides[sender].send(ticket, Box::new(bytes(length)), 100 + ticket);
                run(&mut sides).unwrap();
                sides[receiver].receive(ticket, Box::new(vec![0; length]), 200 + ticket);
            } else {
                sides[receiver].receive(ticket, Box::new(vec![0; length]), 200 + ticket);
                sides[sender].send(ticket, Box::new(bytes(length)), 100 + ticket);
            }
            expected = vec![
                (sender, format!("sent {}", 100 + ticket)),
                (receiver, format!("received {} {length} true", 200 + ticket)),
            ];
            expected.sort();
            assert_eq!(run(&mut sides).unwrap(), expected);
        }
        assert!(!expected.is_empty() && !sides[0].is_active() && !sides[1].is_active());
    }

    #[test]
    fn lengths_that_differ_fail_on_both_sides() {
        let mut sides: [Transfers; 2] = Default::default();
        sides[0].send(1, Box::new(bytes(10)), 5);
        sides[1].receive(1, Box::new(vec![0; 11]), 6);
        assert_eq!(run(&mut sides).unwrap(), [(0, "failed 5".to_owned()), (1, "failed 6".to_owned())]);
    }

    #[test]
    fn the_second_transfer_of_a_ticket_ends_the_first_one() {
        let mut side = Transfers::default();
        side.send(1, Box::new(bytes(10)), 5);
        side.send(1, Box::new(bytes(20)), 6);
        side.receive(1, Box::new(vec![0; 11]), 7);
        side.receive(1, Box::new(vec![0; 12]), 8);
        let told: Vec<_> = std::iter::from_fn(|| side.outcome()).collect();
        assert!(matches!(told[..], [TransportEvent::BulkFailed(5), TransportEvent::BulkFailed(7)]));
    }

    #[test]
    fn what_was_not_agreed_on_breaks_the_connection() {
        let mut side = Transfers::default();
        assert!(side.take(RecordKind::Piece, 1, &[]).is_err());
        assert!(side.take(RecordKind::Ready, 1, &[0; 7]).is_err());
        side.receive(1, Box::new(vec![0; 4]), 9);
        assert!(side.take(RecordKind::Piece, 1, &[0; 5]).is_err());
        assert!(side.take(RecordKind::Refused, 77, &[]).is_ok());
        assert!(side.take(RecordKind::LiesAt, 1, &[0; 8]).is_err(), "this side reads no memory");
        let mut side = Transfers::new(true);
        assert!(side.take(RecordKind::LiesAt, 1, &[0; 8]).is_err());
        assert!(side.take(RecordKind::Pulled, 1, &[]).is_err());
        side.receive(1, Box::new(vec![0; LEAST_PULLED]), 9);
        assert!(side.take(RecordKind::LiesAt, 1, &[0; 8]).is_ok());
        assert!(side.take(RecordKind::LiesAt, 1, &[0; 8]).is_err(), "twice");
        assert!(side.take(RecordKind::Piece, 1, &[0; 8]).is_err(), "pieces of what is read");
        side.send(2, Box::new(bytes(LEAST_PULLED)), 5);
        assert!(side.take(RecordKind::Pulled, 2, &[]).is_err(), "before it was said where the bytes are");
        side.send(3, Box::new(bytes(LEAST_PULLED)), 5);
        assert!(side.take(RecordKind::ReadyToPull, 3, &(LEAST_PULLED as u64).to_le_bytes()).is_ok());
        assert!(side.take(RecordKind::ReadyToPull, 3, &(LEAST_PULLED as u64).to_le_bytes()).is_err());
        assert!(side.take(RecordKind::Ready, 3, &(LEAST_PULLED as u64).to_le_bytes()).is_ok(), "it cannot read");
        assert!(side.take(RecordKind::Ready, 3, &(LEAST_PULLED as u64).to_le_bytes()).is_err());
    }

    #[test]
    fn all_transfers_fail_with_the_peer() {
        let mut side = Transfers::default();
        side.send(1, Box::new(bytes(10)), 5);
        side.receive(2, Box::new(vec![0; 11]), 6);
        side.fail();
        let told =
            std::iter::from_fn(|| side.outcome()).filter(|event| matches!(event, TransportEvent::BulkFailed(5 | 6)));
        assert_eq!(told.count(), 2);
        assert!(!side.is_active());
    }
}
