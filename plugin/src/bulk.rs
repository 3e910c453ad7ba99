//! Larger memory under tickets, by rendezvous: the receiver begins to receive under a tag of its own choice, then tells the
//! sender; so no message comes that nobody waits for, and bytes go straight to where they belong.

use std::collections::{HashMap, VecDeque};

use crate::calls::{Code, Communicator, Ended, Request};
use crate::sends::Sends;

/// Tags of messages of the plugin, on the communicator for batches.
pub const READY: u32 = 1;
pub const REFUSED: u32 = 2;

/// The most bytes of one message: a count of MPI is an `int`.
const PIECE: usize = 1 << 30;

/// Tickets that a peer may ask for before they are sent: more is no program's doing.
const MOST_WANTED: usize = 1 << 20;

/// Memory of libdvm's, which keeps it until the end of its transfer is told.
#[derive(Clone, Copy)]
pub struct Memory {
    pub start: *mut u8,
    pub length: usize,
    pub token: u64,
}

// SAFETY: an address; libdvm lets any thread use it until the transfer's end.
unsafe impl Send for Memory {}

/// How a transfer has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Sent(u64),
    Received(u64),
    Failed(u64),
    /// Failed, and MPI may use the memory at any time: it is never freed.
    Abandoned(u64),
}

/// Messages of one transfer under way.
struct Moving {
    peer: u32,
    token: u64,
    requests: Vec<Request>,
}

impl Moving {
    /// Whether all messages have gone or come.
    fn is_complete(&mut self) -> Result<bool, Code> {
        while let Some(request) = self.requests.last_mut() {
            if !request.is_complete()? {
                return Ok(false);
            }
            self.requests.pop();
        }
        Ok(true)
    }
}

struct Receiving {
    moving: Moving,
    ticket: u64,
    tag: u32,
}

enum Wish {
    Send { to: u32, ticket: u64, from: Memory },
    Receive { from: u32, ticket: u64, into: Memory },
}

/// The transfers to and from all peers.
pub struct Transfers {
    over: Communicator,
    /// What is to be begun by a thread that may call MPI.
    wishes: VecDeque<Wish>,
    /// By peer and ticket.
    offered: HashMap<(u32, u64), Memory>,
    /// What peers are ready for: length and tag.
    wanted: HashMap<(u32, u64), (u64, u32)>,
    sending: Vec<Moving>,
    receiving: Vec<Receiving>,
    free_tags: Vec<u32>,
    next_tag: u32,
    largest_tag: u32,
    pub outcomes: VecDeque<Outcome>,
}

fn words(ticket: u64, length: u64, tag: u32) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&ticket.to_le_bytes());
    bytes[8..16].copy_from_slice(&length.to_le_bytes());
    bytes[16..].copy_from_slice(&u64::from(tag).to_le_bytes());
    bytes
}

impl Transfers {
    pub fn new(over: Communicator, largest_tag: u32) -> Transfers {
        Transfers {
            over,
            wishes: VecDeque::new(),
            offered: HashMap::new(),
            wanted: HashMap::new(),
            sending: Vec::new(),
            receiving: Vec::new(),
            free_tags: Vec::new(),
            next_tag: 0,
            largest_tag,
            outcomes: VecDeque::new(),
        }
    }

    pub fn send(&mut self, to: u32, ticket: u64, from: Memory) {
        self.wishes.push_back(Wish::Send { to, ticket, from });
    }

    pub fn receive(&mut self, from: u32, ticket: u64, into: Memory) {
        self.wishes.push_back(Wish::Receive { from, ticket, into });
    }

    /// Whether there is something that `advance` would look at.
    pub fn are_any(&self) -> bool {
        !(self.wishes.is_empty() && self.sending.is_empty() && self.receiving.is_empty() && self.outcomes.is_empty())
    }

    /// Whether bytes are still on their way out.
    pub fn is_sending(&self) -> bool {
        !self.sending.is_empty()
    }

    /// Begins what is to be begun, and sees what is complete. A peer to whom something cannot be sent is told of.
    pub fn advance(&mut self, sends: &mut Sends, is_open: &dyn Fn(u32) -> bool, lost: &mut Vec<(u32, Code)>) {
        for _ in 0..self.wishes.len() {
            let Some(wish) = self.wishes.pop_front() else { break };
            match wish {
                Wish::Send { to, from, .. } if !is_open(to) => self.outcomes.push_back(Outcome::Failed(from.token)),
                Wish::Receive { from, into, .. } if !is_open(from) => {
                    self.outcomes.push_back(Outcome::Failed(into.token));
                }
                Wish::Send { to, ticket, from } => {
                    self.offered.insert((to, ticket), from);
                    self.match_up(to, ticket, sends, lost);
                }
                Wish::Receive { from, ticket, into } => self.get_ready(from, ticket, into, sends, lost),
            }
        }
        self.look_at_sending(lost);
        self.look_at_receiving();
    }

    fn look_at_sending(&mut self, lost: &mut Vec<(u32, Code)>) {
        let mut at = 0;
        while at < self.sending.len() {
            let ended = match self.sending[at].is_complete() {
                Ok(false) => None,
                Ok(true) => Some(Outcome::Sent(self.sending[at].token)),
                Err(code) => {
                    lost.push((self.sending[at].peer, code));
                    Some(Outcome::Failed(self.sending[at].token))
                }
            };
            let Some(outcome) = ended else {
                at += 1;
                continue;
            };
            self.sending.swap_remove(at);
            self.outcomes.push_back(outcome);
        }
    }

    fn look_at_receiving(&mut self) {
        let mut at = 0;
        while at < self.receiving.len() {
            let token = self.receiving[at].moving.token;
            let outcome = match self.receiving[at].moving.is_complete() {
                Ok(false) => {
                    at += 1;
                    continue;
                }
                Ok(true) => Outcome::Received(token),
                Err(_) => Outcome::Failed(token),
            };
            let ended = self.receiving.swap_remove(at);
            self.free_tags.push(ended.tag);
            self.outcomes.push_back(outcome);
        }
    }

    /// Begins to receive, and says so. Waits for another transfer's end when all tags are taken.
    fn get_ready(&mut self, from: u32, ticket: u64, into: Memory, sends: &mut Sends, lost: &mut Vec<(u32, Code)>) {
        let tag = match self.free_tags.pop() {
            Some(tag) => tag,
            None if self.next_tag < self.largest_tag => {
                self.next_tag += 1;
                self.next_tag
            }
            None => return self.wishes.push_back(Wish::Receive { from, ticket, into }),
        };
        let mut requests = Vec::new();
        let begun = pieces(into.length).try_for_each(|(start, length)| {
            // SAFETY: a part of the memory that libdvm keeps until the transfer's end is told.
            requests.push(unsafe { Request::receive(into.start.add(start), length, from, tag, self.over) }?);
            Ok(())
        });
        let told = begun.and_then(|()| sends.begin(from, READY, &words(ticket, into.length as u64, tag)));
        // The last message first: `is_complete` takes them from the end.
        requests.reverse();
        let moving = Moving { peer: from, token: into.token, requests };
        match told {
            Ok(()) => self.receiving.push(Receiving { moving, ticket, tag }),
            Err(code) => {
                lost.push((from, code));
                self.abandon(Receiving { moving, ticket, tag });
            }
        }
    }

    /// Gives a receive up that nobody sends to.
    fn abandon(&mut self, mut receiving: Receiving) {
        let token = receiving.moving.token;
        let ends: Vec<Ended> = receiving.moving.requests.iter_mut().map(Request::cancel).collect();
        let free = ends.iter().all(|ended| *ended == Ended::Over);
        self.outcomes.push_back(if free { Outcome::Failed(token) } else { Outcome::Abandoned(token) });
    }

    /// A peer is ready. False: what it says is nonsense.
    pub fn ready(&mut self, peer: u32, bytes: &[u8], sends: &mut Sends, lost: &mut Vec<(u32, Code)>) -> bool {
        let (parts, rest) = bytes.as_chunks::<8>();
        let ([ticket, length, tag], []) = (parts, rest) else { return false };
        let (ticket, length) = (u64::from_le_bytes(*ticket), u64::from_le_bytes(*length));
        let tag = u64::from_le_bytes(*tag);
        if self.wanted.len() >= MOST_WANTED || tag == 0 || tag > u64::from(self.largest_tag) {
            return false;
        }
        self.wanted.insert((peer, ticket), (length, tag as u32));
        self.match_up(peer, ticket, sends, lost);
        true
    }

    /// Begins to send what both sides are ready for, if they agree about its length.
    fn match_up(&mut self, to: u32, ticket: u64, sends: &mut Sends, lost: &mut Vec<(u32, Code)>) {
        let (Some(&from), Some(&(length, tag))) = (self.offered.get(&(to, ticket)), self.wanted.get(&(to, ticket)))
        else {
            return;
        };
        self.offered.remove(&(to, ticket));
        self.wanted.remove(&(to, ticket));
        if from.length as u64 != length {
            self.outcomes.push_back(Outcome::Failed(from.token));
            lost.extend(sends.begin(to, REFUSED, &words(ticket, 0, 0)).err().map(|code| (to, code)));
            return;
        }
        let mut requests = Vec::new();
        let begun = pieces(from.length).try_for_each(|(start, length)| {
            // SAFETY: a part of the memory that libdvm keeps until the transfer's end is told.
            requests.push(unsafe { Request::send(from.start.add(start), length, to, tag, self.over) }?);
            Ok(())
        });
        requests.reverse();
        match begun {
            Ok(()) => self.sending.push(Moving { peer: to, token: from.token, requests }),
            Err(code) => {
                lost.push((to, code));
                self.outcomes.push_back(Outcome::Failed(from.token));
            }
        }
    }

    /// A peer refuses what this side is ready for. False: what it says is nonsense.
    pub fn refused(&mut self, peer: u32, bytes: &[u8]) -> bool {
        let Some((ticket, _)) = bytes.split_first_chunk::<8>() else { return false };
        let ticket = u64::from_le_bytes(*ticket);
        let found = self.receiving.iter().position(|one| one.moving.peer == peer && one.ticket == ticket);
        let Some(at) = found else { return false };
        let ended = self.receiving.swap_remove(at);
        // Nothing was sent under this tag.
        self.free_tags.push(ended.tag);
        self.abandon(ended);
        true
    }

    /// A peer is gone: nothing more comes from it or goes to it. What had come counts.
    pub fn forget(&mut self, peer: u32) {
        self.look_at_receiving();
        let theirs = |moving: &Moving| moving.peer == peer;
        let (gone, stay) = std::mem::take(&mut self.receiving).into_iter().partition(|one| theirs(&one.moving));
        self.receiving = stay;
        let gone: Vec<Receiving> = gone;
        // Their tags are not used again: a message may still come under them.
        gone.into_iter().for_each(|one| self.abandon(one));
        let (gone, stay) = std::mem::take(&mut self.sending).into_iter().partition(theirs);
        self.sending = stay;
        let gone: Vec<Moving> = gone;
        let offered: Vec<_> = self.offered.extract_if(|(to, _), _| *to == peer).collect();
        self.wanted.retain(|(from, _), _| *from != peer);
        self.outcomes.extend(gone.iter().map(|moving| Outcome::Abandoned(moving.token)));
        self.outcomes.extend(offered.into_iter().map(|(_, from)| Outcome::Failed(from.token)));
    }

    /// Ends all receives. False: MPI still uses memory of libdvm's.
    pub fn end(&mut self) -> bool {
        std::mem::take(&mut self.receiving).into_iter().for_each(|one| self.abandon(one));
        self.sending.is_empty() && !self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Abandoned(_)))
    }
}

/// The messages of so many bytes, where each begins and its length: at least one.
fn pieces(length: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..length.div_ceil(PIECE).max(1)).map(move |at| (at * PIECE, PIECE.min(length - at * PIECE)))
}
