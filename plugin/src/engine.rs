//! A connection to the other processes of a communicator.
//!
//! Two locks: whoever polls has that of `receives`, and tries only; that of `traffic` is held for each call of MPI, and
//! never while an event is handed over. So whoever is handed one may send. Calls of two threads at a time would be allowed
//! at MPI_THREAD_MULTIPLE; inside MPI they would wait for each other.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::abi;
use crate::bulk::{self, Memory, Outcome, Transfers};
use crate::calls::{self, Arrival, Code, Communicator};
use crate::faults::Faults;
use crate::receives::Receives;
use crate::sends::{Begun, Sends};

/// Tags on the communicator for batches, besides those of `bulk`.
const BATCH: u32 = 0;
const LEAVING: u32 = 3;

/// Messages that one poll takes at most.
const LONGEST_TURN: usize = 64;

/// States of a peer.
const OPEN: u32 = 0;
const HAS_LEFT: u32 = 1;
const IS_LOST: u32 = 2;

/// Whether the connection works, and why not.
const WORKS: u32 = 0;
const CLOSED: u32 = 1;
const BROKEN: u32 = 2;

/// What a poll hands over.
pub enum Event<'a> {
    Batch(u32, &'a [u8]),
    Bulk(Outcome),
    Left(u32),
    Lost(u32, String),
}

struct Traffic {
    sends: Sends,
    transfers: Transfers,
    /// Ends that are to be told, and whether they were losses.
    ends: Vec<(u32, Option<String>)>,
}

pub struct Engine {
    pub me: u32,
    pub processes: u32,
    batches: Communicator,
    large: Communicator,
    /// How the MPI tells who is gone, if it does.
    faults: Option<Faults>,
    /// The one thread that may call MPI; none where all may.
    driver: Option<usize>,
    receives: Mutex<Option<Receives>>,
    traffic: Mutex<Traffic>,
    /// Whether `traffic` has something for a poll.
    busy: AtomicBool,
    peers: Vec<AtomicU32>,
    state: AtomicU32,
    /// Some peer was lost.
    has_losses: AtomicBool,
    has_said_goodbye: AtomicBool,
}

/// What tells this thread from all others that live.
pub fn this_thread() -> usize {
    thread_local!(static HERE: u8 = const { 0 });
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// Collective. `driver` as the field.
    pub fn new(of: Communicator, driver: Option<usize>) -> Result<Engine, Code> {
        let batches = of.duplicate()?;
        let large = of.duplicate()?;
        let processes = batches.size()?;
        Ok(Engine {
            me: batches.rank()?,
            processes,
            batches,
            large,
            faults: Faults::find(),
            driver,
            receives: Mutex::new(Some(Receives::new(batches))),
            traffic: Mutex::new(Traffic {
                sends: Sends::new(batches, processes),
                transfers: Transfers::new(large, large.largest_tag()),
                ends: Vec::new(),
            }),
            busy: AtomicBool::new(false),
            peers: (0..processes).map(|_| AtomicU32::new(OPEN)).collect(),
            state: AtomicU32::new(WORKS),
            has_losses: AtomicBool::new(false),
            has_said_goodbye: AtomicBool::new(false),
        })
    }

    /// Whether this thread may call MPI.
    pub fn may_call(&self) -> bool {
        self.driver.is_none_or(|driver| driver == this_thread())
    }

    pub fn works(&self) -> bool {
        self.state.load(Ordering::Acquire) == WORKS
    }

    fn is_peer(&self, peer: u32) -> bool {
        peer < self.processes && peer != self.me
    }

    fn is_open(&self, peer: u32) -> bool {
        self.is_peer(peer) && self.peers[peer as usize].load(Ordering::Acquire) == OPEN && self.works()
    }

    /// A peer's end, once.
    fn end_peer(&self, traffic: &mut Traffic, peer: u32, lost: Option<String>) {
        let end = if lost.is_some() { IS_LOST } else { HAS_LEFT };
        if !self.is_peer(peer) {
            return;
        }
        let state = &self.peers[peer as usize];
        if state.compare_exchange(OPEN, end, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return;
        }
        self.has_losses.fetch_or(lost.is_some(), Ordering::Relaxed);
        if self.works() {
            traffic.transfers.forget(peer);
            // What is on its way to one that leaves in order arrives.
            if lost.is_some() {
                traffic.sends.give_up(peer);
            }
        }
        traffic.ends.push((peer, lost));
        self.busy.store(true, Ordering::Release);
    }

    fn lose(&self, traffic: &mut Traffic, lost: Vec<(u32, Code)>) {
        for (peer, code) in lost {
            self.end_peer(traffic, peer, Some(calls::text(code)));
        }
    }

    pub fn send(&self, to: u32, bytes: &[u8]) -> i32 {
        if !self.is_open(to) {
            return abi::GONE;
        }
        if !self.may_call() {
            return abi::FULL;
        }
        let mut traffic = locked(&self.traffic);
        if !self.works() {
            return abi::GONE;
        }
        let begun = traffic.sends.batch(to, BATCH, bytes);
        if traffic.sends.are_any() {
            self.busy.store(true, Ordering::Release);
        }
        match begun {
            Ok(Begun::Taken) => abi::TAKEN,
            Ok(Begun::Full) => abi::FULL,
            Err(code) => {
                self.lose(&mut traffic, vec![(to, code)]);
                abi::GONE
            }
        }
    }

    /// Begins a transfer, now or when a thread that may call MPI polls.
    fn transfer(&self, wish: impl FnOnce(&mut Transfers)) {
        let mut traffic = locked(&self.traffic);
        wish(&mut traffic.transfers);
        self.busy.store(true, Ordering::Release);
        if self.may_call() && self.works() {
            self.advance(&mut traffic);
        }
    }

    pub fn bulk_send(&self, to: u32, ticket: u64, from: Memory) {
        self.transfer(|transfers| transfers.send(to, ticket, from));
    }

    pub fn bulk_receive(&self, from: u32, ticket: u64, into: Memory) {
        self.transfer(|transfers| transfers.receive(from, ticket, into));
    }

    fn advance(&self, traffic: &mut Traffic) {
        let mut lost = Vec::new();
        traffic.transfers.advance(&mut traffic.sends, &|peer| self.is_open(peer), &mut lost);
        if traffic.sends.are_any() {
            for to in 0..self.processes {
                lost.extend(traffic.sends.look_at(to).err().map(|code| (to, code)));
            }
        }
        self.lose(traffic, lost);
    }

    /// Hands over what has come: how many events.
    pub fn poll(&self, deliver: &mut dyn FnMut(Event<'_>)) -> u32 {
        if !self.may_call() && self.works() {
            return 0;
        }
        let mut receives = match self.receives.try_lock() {
            Ok(receives) => receives,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return 0,
        };
        let mut events = 0;
        if let Some(receives) = receives.as_mut().filter(|_| self.works()) {
            // After a single message nothing is looked for in vain before it can be answered; of many, more are taken.
            let turn = receives.turn;
            receives.turn = (2 * turn).min(LONGEST_TURN);
            for _ in 0..turn {
                match self.next(receives) {
                    Ok(Some(arrival)) => events += self.handle(arrival, receives.bytes(arrival), deliver),
                    Ok(None) => {
                        receives.turn = 1;
                        break;
                    }
                    Err(code) => {
                        self.break_down(&calls::text(code));
                        break;
                    }
                }
            }
        }
        if self.busy.load(Ordering::Acquire) {
            events += self.tell(deliver);
        }
        events
    }

    /// The next message, unless another thread calls MPI.
    fn next(&self, receives: &mut Receives) -> Result<Option<Arrival>, Code> {
        let mut traffic = match self.traffic.try_lock() {
            Ok(traffic) => traffic,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        if !self.works() {
            return Ok(None);
        }
        receives.next().or_else(|failure| {
            let failed = self.faults.map_or_else(Vec::new, |faults| faults.acknowledge(self.batches));
            for peer in &failed {
                self.end_peer(&mut traffic, *peer, Some("MPI tells that it has failed".to_owned()));
            }
            if let Some(arrival) = failure.complete.filter(|arrival| self.is_open(arrival.source)) {
                return Ok(Some(receives.take(arrival)));
            }
            // Where nobody says who is gone, others go on until nothing else comes.
            if receives.may_go_on() { Ok(None) } else { Err(failure.code) }
        })
    }

    /// What a message means.
    fn handle(&self, arrival: Arrival, bytes: &[u8], deliver: &mut dyn FnMut(Event<'_>)) -> u32 {
        let from = arrival.source;
        if !self.is_open(from) {
            return 0;
        }
        if arrival.tag == BATCH {
            deliver(Event::Batch(from, bytes));
            return 1;
        }
        let mut traffic = locked(&self.traffic);
        let Traffic { sends, transfers, .. } = &mut *traffic;
        let mut lost = Vec::new();
        let sound = match arrival.tag {
            bulk::READY => transfers.ready(from, bytes, sends, &mut lost),
            bulk::REFUSED => transfers.refused(from, bytes),
            LEAVING => {
                self.end_peer(&mut traffic, from, None);
                true
            }
            _ => false,
        };
        self.lose(&mut traffic, lost);
        if !sound {
            self.end_peer(&mut traffic, from, Some("what it sent cannot be read".to_owned()));
        }
        self.busy.store(true, Ordering::Release);
        0
    }

    /// Moves on what is under way, and tells what has ended.
    fn tell(&self, deliver: &mut dyn FnMut(Event<'_>)) -> u32 {
        let mut traffic = locked(&self.traffic);
        if self.works() {
            self.advance(&mut traffic);
        }
        let outcomes = std::mem::take(&mut traffic.transfers.outcomes);
        let ends = std::mem::take(&mut traffic.ends);
        let busy = self.works() && (traffic.sends.are_any() || traffic.transfers.are_any());
        self.busy.store(busy, Ordering::Release);
        drop(traffic);
        let events = outcomes.len() + ends.len();
        outcomes.into_iter().for_each(|outcome| deliver(Event::Bulk(outcome)));
        for (peer, lost) in ends {
            deliver(match lost {
                None => Event::Left(peer),
                Some(why) => Event::Lost(peer, why),
            });
        }
        events as u32
    }

    /// Nothing comes any more: all peers are lost.
    fn break_down(&self, why: &str) {
        let mut traffic = locked(&self.traffic);
        self.end_all(&mut traffic, why);
        self.state.store(BROKEN, Ordering::Release);
    }

    fn end_all(&self, traffic: &mut Traffic, why: &str) {
        for peer in 0..self.processes {
            self.end_peer(traffic, peer, Some(why.to_owned()));
        }
    }

    /// What each process has given, by its index. Collective.
    pub fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Code> {
        let many = self.processes as usize;
        let lengths = self.gather_equal(&(mine.len() as u64).to_le_bytes())?;
        let lengths: Vec<usize> =
            lengths.as_chunks::<8>().0.iter().map(|&length| u64::from_le_bytes(length) as usize).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let piece = longest.min(((64 << 20) / many).max(1024)).max(1);
        let mut all: Vec<Vec<u8>> = lengths.iter().map(|&length| Vec::with_capacity(length)).collect();
        let mut start = 0;
        while start < longest {
            let mut part = vec![0; piece];
            let from = mine.get(start..).unwrap_or_default();
            let from = &from[..from.len().min(piece)];
            part[..from.len()].copy_from_slice(from);
            let parts = self.gather_equal(&part)?;
            for (process, part) in parts.chunks_exact(piece).enumerate() {
                let rest = lengths[process].saturating_sub(start).min(piece);
                all[process].extend_from_slice(&part[..rest]);
            }
            start += piece;
        }
        Ok(all)
    }

    fn gather_equal(&self, mine: &[u8]) -> Result<Vec<u8>, Code> {
        let mut all = vec![0; mine.len() * self.processes as usize];
        let calling = locked(&self.traffic);
        // SAFETY: the loop below does not end before the request is complete.
        let mut request = unsafe { calls::gather_equal(mine.as_ptr(), mine.len(), all.as_mut_ptr(), self.batches) }?;
        drop(calling);
        let begun = Instant::now();
        let mut is_complete = || {
            let _calling = locked(&self.traffic);
            request.is_complete()
        };
        while !is_complete()? {
            // Others may come much later: no reason to keep a core.
            if begun.elapsed() < Duration::from_millis(1) {
                std::thread::yield_now();
            } else {
                std::thread::sleep(Duration::from_micros(100));
            }
        }
        Ok(all)
    }

    /// Leaves in order, if that takes no longer than `limit`: tells all peers, and goes on until all have told this
    /// process. True: the connection is closed. False: call this again, when the others may have come so far.
    pub fn leave(&self, limit: Duration) -> bool {
        let end = Instant::now() + limit;
        // Another thread may be polling, and is soon done.
        let mut receives = loop {
            match self.receives.try_lock() {
                Ok(receives) => break receives,
                Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
                Err(TryLockError::WouldBlock) if Instant::now() > end => return false,
                Err(TryLockError::WouldBlock) => std::thread::yield_now(),
            }
        };
        if self.state.load(Ordering::Acquire) == BROKEN {
            return false;
        }
        let Some(incoming) = receives.as_mut() else { return true };
        self.say_goodbye();
        loop {
            let next = self.next(incoming);
            if let Ok(Some(arrival)) = next {
                self.handle(arrival, incoming.bytes(arrival), &mut |_| {});
            }
            let mut traffic = locked(&self.traffic);
            self.advance(&mut traffic);
            let waits = traffic.sends.are_any() || traffic.transfers.is_sending();
            let peers = (0..self.processes).any(|peer| self.is_open(peer));
            drop(traffic);
            if !waits && !peers {
                break;
            }
            if next.is_err() || Instant::now() > end {
                return false;
            }
            std::thread::yield_now();
        }
        self.close_now(&mut receives);
        true
    }

    /// Tells all peers that this process leaves; once.
    fn say_goodbye(&self) {
        if self.has_said_goodbye.swap(true, Ordering::AcqRel) {
            return;
        }
        let mut traffic = locked(&self.traffic);
        let mut lost = Vec::new();
        // Those that have left wait for it.
        let waits = |to: u32| self.is_peer(to) && self.peers[to as usize].load(Ordering::Acquire) != IS_LOST;
        for to in (0..self.processes).filter(|&to| waits(to)) {
            lost.extend(traffic.sends.begin(to, LEAVING, &[]).err().map(|code| (to, code)));
        }
        self.lose(&mut traffic, lost);
    }

    /// Uses MPI no more. For a thread that may call it, while it works.
    pub fn abandon(&self) {
        let end = Instant::now() + Duration::from_secs(1);
        while Instant::now() < end {
            if let Ok(mut receives) = self.receives.try_lock() {
                return self.close_now(&mut receives);
            }
            std::thread::yield_now();
        }
        // A thread that polls for so long hangs in MPI, or in libdvm: what it uses is left as it is.
        self.state.store(BROKEN, Ordering::Release);
    }

    fn close_now(&self, receives: &mut Option<Receives>) {
        let mut traffic = locked(&self.traffic);
        if !self.works() {
            return;
        }
        if let Some(receives) = receives.take() {
            receives.end();
        }
        self.end_all(&mut traffic, "MPI is finalized, or libdvm has closed the connection");
        let unused = traffic.transfers.end() && !traffic.sends.are_any();
        self.state.store(CLOSED, Ordering::Release);
        self.busy.store(true, Ordering::Release);
        // Collective, if only in name: not where somebody is missing.
        if unused && !self.has_losses() {
            self.large.free();
            self.batches.free();
        }
    }

    pub fn has_losses(&self) -> bool {
        self.has_losses.load(Ordering::Relaxed)
    }

    /// Whether MPI uses no memory of transfers any more. For a connection that was closed.
    pub fn is_at_rest(&self) -> bool {
        self.state.load(Ordering::Acquire) == CLOSED && locked(&self.traffic).transfers.end()
    }
}
