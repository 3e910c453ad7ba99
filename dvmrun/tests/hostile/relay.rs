//! A hostile process: what an honest one sends passes through it, and some of it is spoiled on the way.
//!
//! The others of the job meet the relay as one of theirs (`front`). The honest process is in a second job, where the relay
//! stands for all others (`back`).

use std::collections::{HashMap, VecDeque};
use std::thread;
use std::time::{Duration, Instant};

use dvm::transport::job::Ticket;
use dvm::transport::{Embedded, Peer, PullBy, Sent, Transport, TransportEvent, connect};
use dvm::wire::{BatchHead, Message, Payload};
use testkit::Random;

use super::lies::{Liar, Seen};

/// How a hostile process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastWord {
    /// It dies.
    None,
    /// It sends to each what is certainly no batch, and lives on.
    Nonsense,
}

/// What a hostile process does.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub seed: u64,
    pub processes: usize,
    /// Which of them is hostile.
    pub hostile: usize,
    /// One batch in so many is spoiled; 0: none.
    pub one_in: usize,
    /// When it ends, after the job has begun.
    pub after: Duration,
    pub last_word: LastWord,
}

/// What each process tells all others at the start: cards, then places.
#[derive(Clone, Debug)]
pub struct Told {
    pub cards: Vec<Vec<u8>>,
    pub places: Vec<Vec<u8>>,
}

/// The relay's transport to others, with what it has not got rid of.
struct Side {
    transport: Embedded,
    unsent: HashMap<usize, VecDeque<Vec<u8>>>,
}

impl Side {
    fn new(ticket: Ticket, told: [&[u8]; 2]) -> Side {
        let transport = connect(ticket.seat().unwrap(), PullBy::Ring).unwrap();
        for mine in told {
            transport.gather(mine).unwrap();
        }
        Side { transport, unsent: HashMap::new() }
    }

    fn send(&mut self, to: usize, batch: Vec<u8>) {
        self.unsent.entry(to).or_default().push_back(batch);
        self.flush();
    }

    fn flush(&mut self) {
        for (to, batches) in &mut self.unsent {
            while let Some(batch) = batches.front() {
                if self.transport.send(Peer::new(*to as u32), batch) == Sent::Full {
                    break;
                }
                batches.pop_front();
            }
        }
    }
}

/// A request for bytes: who asks whom, and its ticket.
type Request = (usize, usize, u64);

/// What has come, by who sent it.
enum Came {
    Batch(usize, Vec<u8>),
    Bulk(u64, Vec<u8>),
}

fn poll(side: &Side) -> Vec<Came> {
    let mut came = Vec::new();
    side.transport.poll(&mut |event| match event {
        TransportEvent::Batch(from, batch) => came.push(Came::Batch(from.index(), batch.to_vec())),
        TransportEvent::BulkReceived(token, memory) => {
            let memory = memory.into_any().downcast::<Vec<u8>>().unwrap();
            came.push(Came::Bulk(token, *memory));
        }
        _ => {}
    });
    came
}

pub struct Relay {
    plan: Plan,
    front: Side,
    /// By the process that it stands for.
    back: Vec<Option<Side>>,
    liar: Liar,
    /// The sizes of requests that have passed; transfers by their tokens.
    requests: HashMap<Request, u64>,
    transfers: Vec<Request>,
    /// Nothing is spoiled before.
    begin: Instant,
}

impl Relay {
    /// Joins both jobs. `front`: the hostile process's ticket; `back`: those of all but the honest process.
    pub fn join(plan: Plan, front: Ticket, back: Vec<(usize, Ticket)>, told: &Told) -> Relay {
        let told_by = |process: usize| [told.cards[process].clone(), told.places[process].clone()];
        let join = |process: usize, ticket: Ticket| {
            let told = told_by(process);
            thread::spawn(move || Side::new(ticket, [&told[0], &told[1]]))
        };
        let front = join(plan.hostile, front);
        let back: Vec<_> = back.into_iter().map(|(process, ticket)| (process, join(process, ticket))).collect();
        let mut sides: Vec<Option<Side>> = (0..plan.processes).map(|_| None).collect();
        for (process, side) in back {
            sides[process] = Some(side.join().unwrap());
        }
        let liar =
            Liar { random: Random::new(plan.seed), seen: Seen::default(), me: plan.hostile, processes: plan.processes };
        Relay {
            plan,
            front: front.join().unwrap(),
            back: sides,
            liar,
            requests: HashMap::new(),
            transfers: Vec::new(),
            begin: Instant::now(),
        }
    }

    /// Relays until its end, or until all is over; `is_over` is asked now and then.
    pub fn run(mut self, is_over: &dyn Fn() -> bool) {
        let end = self.begin + self.plan.after;
        let mut beaten: Option<Instant> = None;
        while !is_over() {
            let last = Instant::now() > end && self.plan.one_in > 0;
            if last && self.plan.last_word == LastWord::None {
                return; // its sockets close, as those of a process that dies
            }
            if beaten.is_none_or(|beaten| beaten.elapsed() > Duration::from_millis(100)) {
                beaten = Some(Instant::now());
                self.front.transport.beat();
                self.back.iter().flatten().for_each(|side| side.transport.beat());
            }
            let busy = if last { self.talk_nonsense() } else { self.relay() };
            if !busy {
                thread::sleep(Duration::from_micros(20));
            }
        }
    }

    fn talk_nonsense(&mut self) -> bool {
        drop(poll(&self.front));
        for to in (0..self.plan.processes).filter(|to| *to != self.plan.hostile) {
            let nonsense = self.liar.nonsense();
            self.front.transport.send(Peer::new(to as u32), &nonsense);
        }
        false
    }

    fn relay(&mut self) -> bool {
        let hostile = self.plan.hostile;
        let mut busy = false;
        for came in poll(&self.front) {
            busy = true;
            match came {
                Came::Batch(from, batch) => {
                    self.liar.seen.note(&batch, &mut self.liar.random);
                    self.look_for_bytes(&batch, from, hostile);
                    if let Some(side) = &mut self.back[from] {
                        side.send(hostile, batch);
                    }
                }
                Came::Bulk(token, memory) => self.pass_bulk(token, memory),
            }
        }
        for to in 0..self.plan.processes {
            let came = self.back[to].as_ref().map(poll).unwrap_or_default();
            busy |= !came.is_empty();
            for came in came {
                match came {
                    Came::Batch(_, batch) => self.pass(to, batch),
                    Came::Bulk(token, memory) => self.pass_bulk(token, memory),
                }
            }
        }
        self.front.flush();
        self.back.iter_mut().flatten().for_each(Side::flush);
        busy
    }

    /// Passes a batch of the honest process on, spoiled now and then.
    fn pass(&mut self, to: usize, batch: Vec<u8>) {
        self.liar.note_sent(&batch);
        self.look_for_bytes(&batch, self.plan.hostile, to);
        if self.plan.one_in > 0 && self.liar.random.one_in(self.plan.one_in) {
            for lie in self.liar.spoil(Peer::new(to as u32), &batch) {
                self.front.send(to, lie);
            }
        } else {
            self.front.send(to, batch);
        }
    }

    /// Requests for bytes are noted, and bytes that follow as bulk are received.
    fn look_for_bytes(&mut self, batch: &[u8], from: usize, to: usize) {
        let Ok((_, messages)) = BatchHead::read(batch) else { return };
        for message in messages.flatten() {
            match message {
                Message::Fetch(fetch) => drop(self.requests.insert((from, to, fetch.ticket.into()), fetch.size)),
                Message::Bytes(bytes) if bytes.payload == Some(Payload::Away) => {
                    let request = (to, from, u64::from(bytes.ticket));
                    let Some(size) = self.requests.remove(&request).filter(|size| *size < 1 << 30) else { continue };
                    let into = Box::new(vec![0_u8; size as usize]);
                    let token = self.transfers.len() as u64;
                    self.transfers.push(request);
                    self.side_of(to, from).transport.bulk_receive(Peer::new(from as u32), request.2, into, token);
                }
                _ => {}
            }
        }
    }

    /// Where the relay hears from a process what is for another one.
    fn side_of(&self, to: usize, from: usize) -> &Side {
        if from == self.plan.hostile { self.back[to].as_ref().unwrap() } else { &self.front }
    }

    fn pass_bulk(&mut self, token: u64, mut memory: Vec<u8>) {
        let (to, from, ticket) = self.transfers[token as usize];
        if from == self.plan.hostile && self.plan.one_in > 0 && self.liar.random.one_in(8) {
            // Too few bytes, or too many.
            memory.resize(self.liar.random.below(2 * memory.len() + 1), 1);
        }
        let out = self.side_of(from, to);
        out.transport.bulk_send(Peer::new(to as u32), ticket, Box::new(memory), u64::MAX);
    }
}
