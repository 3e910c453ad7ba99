//! Larger memory under tickets, in pieces through a ring: the receiver says that it is ready, the sender sends, and
//! neither waits. No I/O here: `pump` is given the ring's push.

use std::collections::{HashMap, VecDeque};

use super::contract::{Incoming, LossCause, Outgoing, TransportEvent};
use super::ring::RecordKind;

/// The bytes of a piece, and what pieces leave free for batches.
const PIECE: usize = 32 << 10;
const FOR_BATCHES: usize = 96 << 10;

/// Tickets that a peer may ask for before they are sent: more is no program's doing.
const MOST_WANTED: usize = 1 << 20;

struct Sending {
    from: Outgoing,
    done: usize,
    token: u64,
}

struct Receiving {
    into: Incoming,
    filled: usize,
    bytes: usize,
    token: u64,
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
    /// What the peer is ready for, by ticket: its length.
    wanted: HashMap<u64, u64>,
    /// Tickets whose pieces are to be sent, in the order in which both sides were ready.
    order: VecDeque<u64>,
    receiving: HashMap<u64, Receiving>,
    /// Records to be sent before pieces.
    answers: VecDeque<(RecordKind, u64, u64)>,
    outcomes: VecDeque<Outcome>,
    /// The ring had no room for the last record.
    blocked: bool,
}

impl Transfers {
    /// This side has memory to send.
    pub(crate) fn send(&mut self, ticket: u64, from: Outgoing, token: u64) {
        let before = self.sending.insert(ticket, Sending { from, done: 0, token });
        // A peer that asks twice under one ticket gets what it can make of that.
        self.outcomes.extend(before.map(|sending| Outcome::Failed(sending.token)));
        self.match_up(ticket);
    }

    /// This side has memory to fill.
    pub(crate) fn receive(&mut self, ticket: u64, mut into: Incoming, token: u64) {
        let bytes = (*into).as_mut().len();
        let before = self.receiving.insert(ticket, Receiving { into, filled: 0, bytes, token });
        self.outcomes.extend(before.map(|receiving| Outcome::Failed(receiving.token)));
        self.answers.push_back((RecordKind::Ready, ticket, bytes as u64));
    }

    /// Begins a transfer that both sides are ready for, if they agree about its length.
    fn match_up(&mut self, ticket: u64) {
        let Some(sending) = self.sending.get(&ticket) else { return };
        let Some(bytes) = self.wanted.remove(&ticket) else { return };
        if (*sending.from).as_ref().len() as u64 == bytes {
            self.order.push_back(ticket);
        } else {
            self.outcomes.push_back(Outcome::Failed(sending.token));
            self.sending.remove(&ticket);
            self.answers.push_back((RecordKind::Refused, ticket, 0));
        }
    }

    /// A record of the peer.
    pub(crate) fn take(&mut self, kind: RecordKind, ticket: u64, bytes: &[u8]) -> Result<(), LossCause> {
        match kind {
            RecordKind::Ready => {
                let Ok(length) = bytes.try_into() else { return Err(LossCause::Broken("the length of a transfer")) };
                if self.wanted.len() >= MOST_WANTED || self.order.contains(&ticket) {
                    return Err(LossCause::Broken("a ticket that is asked for twice"));
                }
                self.wanted.insert(ticket, u64::from_le_bytes(length));
                self.match_up(ticket);
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
        let Some(receiving) = self.receiving.get_mut(&ticket) else {
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

    /// Sends what fits. `push` takes kind, note, bytes and what is to stay free, and says whether there was room. True if
    /// something was sent.
    pub(crate) fn pump(
        &mut self,
        mut push: impl FnMut(RecordKind, u64, &[u8], usize) -> Result<bool, LossCause>,
    ) -> Result<bool, LossCause> {
        let mut some = false;
        self.blocked = false;
        while let Some(&(kind, ticket, length)) = self.answers.front() {
            if !push(kind, ticket, &length.to_le_bytes(), 0)? {
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
            if !push(RecordKind::Piece, ticket, piece, FOR_BATCHES)? {
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
        !(self.answers.is_empty() && self.order.is_empty() && self.outcomes.is_empty())
    }

    /// Whether a poll would do something now.
    pub(crate) fn can_go_on(&self) -> bool {
        let sends = !(self.answers.is_empty() && self.order.is_empty());
        !self.outcomes.is_empty() || (sends && !self.blocked)
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
                some |= sides[side].pump(|kind, note, bytes, _| {
                    room -= i32::from(room > 0);
                    if room > 0 {
                        records.push((kind, note, bytes.to_vec()));
                    }
                    Ok(room > 0)
                })?;
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

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at * 31 + length) as u8).collect()
    }

    #[test]
    fn memory_of_all_lengths_arrives_whoever_begins() {
        let mut sides: [Transfers; 2] = Default::default();
        let lengths = [0, 1, PIECE - 1, PIECE, PIECE + 1, 10 * PIECE + 7];
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
