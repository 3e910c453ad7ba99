//! Processes of one worker each that run the graphs of a call, simulated event by event: `DVM_FORECAST`.
//!
//! Each process has the machine of tiles that it would have (`machine`), and asks the plan what it would ask. A process does
//! one thing at a time: it takes in what has come, asks, packs, or runs a tile. Its link sends and receives one message after
//! the other, both at once. Nothing is said of what enters a region before it and leaves it at the end.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::machine::{Arrived, Next, TileMachine};
use super::plan::Plan;
use super::rows::ElementRows;
use super::window::{StepBounds, Telling};
use crate::error::Error;
use crate::system;

/// Bytes of a message besides its elements.
const HEADER: u64 = 64;

/// Bytes that a processor packs or unpacks in a microsecond.
const COPIED: u64 = 8_000;

/// What connects the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    /// Nanoseconds from the end of sending to the arrival.
    pub(super) latency: u64,
    /// Bytes per microsecond.
    pub(super) bandwidth: u64,
}

/// What a process tells another one.
enum Letter {
    Parcel { graph: usize, source: u64, progress: i64, bytes: u64 },
    Progress(usize, i64),
    Await(usize, i64),
    Ended(usize),
}

enum Event {
    Arrives {
        to: u32,
        from: u32,
        letter: Letter,
    },
    /// The process has ended its tile, or begins the graph.
    Free(u32),
}

struct Timed {
    at: u64,
    /// Of equal times the one that was known first.
    order: u64,
    event: Event,
}

impl PartialEq for Timed {
    fn eq(&self, other: &Timed) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timed {}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Timed) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timed {
    fn cmp(&self, other: &Timed) -> Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

/// Where the time of a process has gone, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) tiles: u64,
    /// What it asks the plan and its machine.
    pub(super) asking: u64,
    pub(super) copying: u64,
    /// When it has ended.
    pub(super) end: u64,
}

struct Process {
    machine: TileMachine,
    inbox: Vec<(u32, Letter)>,
    /// The tile that it runs.
    running: Option<Vec<i64>>,
    /// It waits for messages.
    idle: bool,
    /// It has begun the graph, and left it.
    begun: bool,
    left: bool,
    /// Until when its link is busy.
    sends_until: u64,
    receives_until: u64,
    spent: Spent,
}

/// A process while it does something: the time passes with what it costs here.
struct Moment {
    begun: u64,
    copied: u64,
    /// The processor's time of this thread when it began; none: asking costs nothing.
    clock: Option<u64>,
}

impl Moment {
    fn asked(&self) -> u64 {
        self.clock.map_or(0, |begun| system::thread_nanoseconds().saturating_sub(begun))
    }

    fn now(&self) -> u64 {
        self.begun + self.copied + self.asked()
    }

    fn copy(&mut self, bytes: u64) {
        self.copied += bytes * 1000 / COPIED;
    }
}

/// The nanoseconds of a tile; none: nothing runs there.
pub(super) type TimeOfTile<'a> = dyn FnMut(&[i64]) -> Result<Option<u64>, Error> + 'a;

/// The processes of a call.
pub(super) struct SimulatedJob {
    plan: Arc<Plan>,
    network: Network,
    /// By array: the bytes of an element.
    elements: Vec<usize>,
    /// What asking costs here counts.
    asking_counts: bool,
    processes: Vec<Process>,
    events: BinaryHeap<Reverse<Timed>>,
    order: u64,
    pub(super) messages: u64,
    pub(super) bytes: u64,
    /// Tiles in which something runs.
    pub(super) tiles: u64,
}

impl SimulatedJob {
    pub(super) fn new(
        plan: Arc<Plan>,
        network: Network,
        elements: Vec<usize>,
        bounds: StepBounds,
        asking_counts: bool,
    ) -> SimulatedJob {
        let process = |me| Process {
            machine: TileMachine::new(Arc::clone(&plan), me, bounds),
            inbox: Vec::new(),
            running: None,
            idle: false,
            begun: false,
            left: false,
            sends_until: 0,
            receives_until: 0,
            spent: Spent::default(),
        };
        SimulatedJob {
            processes: (0..plan.processes).map(process).collect(),
            plan,
            network,
            elements,
            asking_counts,
            events: BinaryHeap::new(),
            order: 0,
            messages: 0,
            bytes: 0,
            tiles: 0,
        }
    }

    pub(super) fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    pub(super) fn spent(&self) -> impl Iterator<Item = Spent> + '_ {
        self.processes.iter().map(|process| process.spent)
    }

    fn others(&self, me: u32) -> impl Iterator<Item = u32> + use<> {
        (0..self.plan.processes).filter(move |to| *to != me)
    }

    /// Runs graph `n` in all processes; each begins when it has left the one before.
    pub(super) fn run(&mut self, n: usize, time: &mut TimeOfTile<'_>) -> Result<(), Error> {
        for me in 0..self.plan.processes {
            let process = &mut self.processes[me as usize];
            (process.begun, process.left) = (false, false);
            let at = process.spent.end;
            self.add(at, Event::Free(me));
        }
        while let Some(Reverse(Timed { at, event, .. })) = self.events.pop() {
            match event {
                Event::Free(me) => self.work(me, n, at, time)?,
                Event::Arrives { to, from, letter } => {
                    let process = &mut self.processes[to as usize];
                    process.inbox.push((from, letter));
                    if std::mem::take(&mut process.idle) {
                        self.work(to, n, at, time)?;
                    }
                }
            }
        }
        if self.processes.iter().all(|process| process.left) {
            return Ok(());
        }
        Err(Error::state("the simulated processes wait for each other"))
    }

    fn add(&mut self, at: u64, event: Event) {
        self.order += 1;
        self.events.push(Reverse(Timed { at, order: self.order, event }));
    }

    /// What a process does from now on, until a tile runs or it waits.
    fn work(&mut self, me: u32, n: usize, now: u64, time: &mut TimeOfTile<'_>) -> Result<(), Error> {
        let clock = self.asking_counts.then(system::thread_nanoseconds);
        let mut moment = Moment { begun: now, copied: 0, clock };
        let at = me as usize;
        if !std::mem::replace(&mut self.processes[at].begun, true) {
            self.processes[at].machine.begin(n);
            self.tell(me, &moment);
        }
        if let Some(tile) = self.processes[at].running.take() {
            self.end_tile(me, n, &tile, &mut moment);
        }
        let runs = loop {
            self.take_in(me)?;
            self.tell(me, &moment);
            match self.processes[at].machine.next() {
                Next::Ask(tile, ahead_of) => {
                    let sources = self.plan.sources(n, &tile, me);
                    let receivers = self.plan.readers_here(n, &tile, me, ahead_of);
                    self.processes[at].machine.expect(&tile, sources, receivers);
                }
                Next::Run(ready) => {
                    self.unpack(me, n, &ready.unpack, &mut moment);
                    if let Some(runs) = time(&ready.tile)? {
                        self.processes[at].running = Some(ready.tile);
                        break Some(runs);
                    }
                    self.processes[at].machine.ended(&ready.tile);
                }
                Next::Over(messages) => {
                    self.unpack(me, n, &messages, &mut moment);
                    let process = &mut self.processes[at];
                    process.machine.leave();
                    process.left = true;
                    process.spent.end = moment.now();
                    break None;
                }
                Next::Wait => {
                    self.processes[at].idle = true;
                    break None;
                }
            }
        };
        let (asked, done) = (moment.asked(), moment.now());
        let spent = &mut self.processes[at].spent;
        spent.asking += asked;
        spent.copying += moment.copied;
        if self.processes[at].left {
            let end = &mut self.processes[at].spent.end;
            *end = done.max(*end);
        }
        if let Some(runs) = runs {
            self.tiles += 1;
            self.processes[at].spent.tiles += runs;
            self.add(done + runs, Event::Free(me));
        }
        Ok(())
    }

    /// A tile has run: what it has for others leaves, then the tiles after it are released.
    fn end_tile(&mut self, me: u32, n: usize, tile: &[i64], moment: &mut Moment) {
        for (to, parcel) in self.plan.parcels(n, tile, me) {
            let bytes = self.size(&parcel.rows);
            moment.copy(bytes);
            // The machine gets the number of the bytes instead of them.
            let number = bytes.to_le_bytes().to_vec();
            let posted = self.processes[me as usize].machine.post(to, tile, parcel.gated, number);
            if let Some(telling) = posted {
                self.send(me, telling, moment.now());
            }
        }
        self.processes[me as usize].machine.ended(tile);
    }

    fn size(&self, rows: &ElementRows) -> u64 {
        rows.bytes(&self.elements) as u64
    }

    fn unpack(&self, me: u32, n: usize, messages: &[Arrived], moment: &mut Moment) {
        for message in messages {
            let parcel = self.plan.parcel(n, &self.plan.graphs[n].tile(message.source), me);
            debug_assert_eq!(self.size(&parcel.rows), bytes_of(&message.bytes));
            moment.copy(self.size(&parcel.rows));
        }
    }

    fn take_in(&mut self, me: u32) -> Result<(), Error> {
        let process = &mut self.processes[me as usize];
        for (from, letter) in std::mem::take(&mut process.inbox) {
            match letter {
                Letter::Parcel { graph, source, progress, bytes } => {
                    process.machine.arrived(graph, source, bytes.to_le_bytes().to_vec())?;
                    process.machine.progressed(from, graph, progress);
                }
                Letter::Progress(graph, step) => process.machine.progressed(from, graph, step),
                Letter::Await(graph, every) => process.machine.awaited(from, graph, every),
                Letter::Ended(graph) => process.machine.other_ended(from, graph),
            }
        }
        Ok(())
    }

    /// Tells the others what the machine has for them, and, once, that the process has ended its tiles.
    fn tell(&mut self, me: u32, moment: &Moment) {
        let at = me as usize;
        loop {
            let tellings = self.processes[at].machine.tellings();
            if tellings.is_empty() {
                break;
            }
            let count = tellings.len();
            for telling in tellings {
                self.send(me, telling, moment.now());
            }
            self.processes[at].machine.sent(count);
        }
        if self.processes[at].machine.takes_leave() {
            let graph = self.processes[at].machine.graph();
            for to in self.others(me) {
                self.post(me, to, Letter::Ended(graph), moment.now());
            }
        }
    }

    fn send(&mut self, me: u32, telling: Telling, now: u64) {
        match telling {
            Telling::Parcel { to, graph, source, progress, bytes } => {
                let bytes = bytes_of(&bytes);
                self.messages += 1;
                self.bytes += bytes;
                self.post(me, to, Letter::Parcel { graph, source, progress, bytes }, now);
            }
            Telling::Progress { to, graph, step } => self.post(me, to, Letter::Progress(graph, step), now),
            Telling::Await { to, graph, every } => self.post(me, to, Letter::Await(graph, every), now),
        }
    }

    /// A letter leaves when the sender's link is free, and has come when all of it has passed the receiver's.
    fn post(&mut self, me: u32, to: u32, letter: Letter, now: u64) {
        let bytes = HEADER + if let Letter::Parcel { bytes, .. } = letter { bytes } else { 0 };
        let passes = bytes * 1000 / self.network.bandwidth;
        let sender = &mut self.processes[me as usize];
        let leaves = now.max(sender.sends_until);
        sender.sends_until = leaves + passes;
        let receiver = &mut self.processes[to as usize];
        let at = receiver.receives_until.max(leaves + self.network.latency) + passes;
        receiver.receives_until = at;
        self.add(at, Event::Arrives { to, from: me, letter });
    }
}

fn bytes_of(number: &[u8]) -> u64 {
    number.try_into().map_or(0, u64::from_le_bytes)
}
