//! One process's part of a call, as a machine without threads: which of its tiles may run, and which messages are unpacked
//! before.
//!
//! A tile is *reached* when the tiles before it of the same process have ended. It then waits for the messages whose gate
//! it is: these are unpacked by the worker that is about to run it, not on arrival. So what older readers still read stays
//! until they have ended, and a message is there before the first tile that may read it. What no tile of the graph reads
//! waits for the end of the graph, in all processes. A tile that is too far ahead of others is set aside (`window`).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

use super::plan::{Plan, priority};
use super::window::{NO_STEP, StepBounds, Telling, Window};
use crate::error::{Error, dvm_retcode_t};
use crate::protocol::planted::planted;

/// A message under way: the number of the tile that it comes from, and its bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arrived {
    pub(crate) source: u64,
    pub(crate) bytes: Vec<u8>,
}

/// What a process has heard of a graph.
#[derive(Default)]
struct Heard {
    /// By source tile.
    messages: HashMap<u64, Vec<u8>>,
    /// How many other processes have ended it.
    ended: u32,
    /// Before it begins here: by process, its least unfinished step.
    steps: HashMap<u32, i64>,
    /// Before it begins here: by process, by how many steps it wants to hear of progress.
    awaited: HashMap<u32, i64>,
}

/// A tile of the graph that runs now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReadyTile {
    pub(crate) tile: Vec<i64>,
    /// What is unpacked before, in this order.
    pub(crate) unpack: Vec<Arrived>,
}

/// What a worker does next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Unpack messages and run a tile; then [`TileMachine::ended`].
    Run(ReadyTile),
    /// Find out what the tile waits for, by [`Plan::sources`], and which of these processes, which it is too far ahead of, it
    /// sends to, by [`Plan::readers_here`]; then [`TileMachine::expect`].
    Ask(Vec<i64>, Vec<u32>),
    /// Nothing until something comes, or a tile ends.
    Wait,
    /// Unpack messages: all processes have ended the graph. Then [`TileMachine::leave`].
    Over(Vec<Arrived>),
}

/// A process's part of one graph after the other.
pub(crate) struct TileMachine {
    plan: Arc<Plan>,
    me: u32,
    /// The graph that runs.
    n: usize,
    /// It has begun, and has not been left.
    begun: bool,
    /// By tile with some but not all of its predecessors: how many are missing.
    missing: HashMap<u64, usize>,
    /// By priority, as those that are ready.
    reached: BinaryHeap<Reverse<(Vec<i64>, u64)>>,
    /// By tile: the sources that it still waits for.
    waiting: HashMap<u64, usize>,
    /// By source: the gate.
    gates: HashMap<u64, u64>,
    /// By gate: what has come for it.
    come: HashMap<u64, Vec<Arrived>>,
    ready: BinaryHeap<Reverse<(Vec<i64>, u64)>>,
    window: Window,
    /// By tile that waits for messages: which processes it must not run ahead of.
    receivers: HashMap<u64, Vec<u32>>,
    /// What [`TileMachine::tellings`] has handed out and is not sent.
    unsent: usize,
    /// The bytes of messages that have come and are not unpacked, now and at most.
    buffered: (u64, u64),
    /// Tiles that have not ended.
    left: u64,
    told: bool,
    /// How many graphs all processes have ended.
    over: usize,
    heard: BTreeMap<usize, Heard>,
}

fn defect(text: String) -> Error {
    Error::new(dvm_retcode_t::DVM_ERR_STATE, text)
}

impl TileMachine {
    pub(crate) fn new(plan: Arc<Plan>, me: u32, bounds: StepBounds) -> TileMachine {
        TileMachine {
            plan,
            me,
            n: 0,
            begun: false,
            missing: HashMap::new(),
            reached: BinaryHeap::new(),
            waiting: HashMap::new(),
            gates: HashMap::new(),
            come: HashMap::new(),
            ready: BinaryHeap::new(),
            window: Window::new(bounds),
            receivers: HashMap::new(),
            unsent: 0,
            buffered: (0, 0),
            left: 0,
            told: true,
            over: 0,
            heard: BTreeMap::new(),
        }
    }

    /// The number of the graph that runs.
    pub(crate) fn graph(&self) -> usize {
        self.n
    }

    /// Begins a graph. The one before has been left.
    pub(crate) fn begin(&mut self, n: usize) {
        let plan = Arc::clone(&self.plan);
        let graph = &plan.graphs[n];
        let own = graph.own(self.me);
        (self.n, self.begun) = (n, true);
        (self.left, self.told) = (own.len() as u64, false);
        self.window.begin((n, graph), (self.me, plan.processes), &own);
        let heard = self.heard.entry(n).or_default();
        for (from, step) in std::mem::take(&mut heard.steps) {
            self.window.heard(from, step);
        }
        for (from, every) in std::mem::take(&mut heard.awaited) {
            self.window.awaited(from, every);
        }
        for tile in own.iter().rev() {
            if self.neighbours(tile, Self::previous).next().is_none() {
                self.reached.push(Reverse((priority(graph, tile), graph.number(tile))));
            }
        }
    }

    /// The nearest tiles of this process on one side, along the carried coordinates.
    fn neighbours<'a>(
        &'a self,
        tile: &'a [i64],
        nearest: fn(&TileMachine, usize, i64) -> Option<i64>,
    ) -> impl Iterator<Item = Vec<i64>> + 'a {
        let carried = self.plan.graphs[self.n].carried.iter().enumerate().filter(|(_, carried)| **carried);
        carried.filter_map(move |(k, _)| {
            let mut other = tile.to_vec();
            other[k] = nearest(self, k, tile[k])?;
            Some(other)
        })
    }

    fn previous(&self, k: usize, index: i64) -> Option<i64> {
        let owners = &self.plan.graphs[self.n].owners;
        if planted("across-unit-edges") {
            return owners.from(self.me, k, index - 1).filter(|near| index > 0 && *near == index - 1);
        }
        owners.before(self.me, k, index)
    }

    fn following(&self, k: usize, index: i64) -> Option<i64> {
        let owners = &self.plan.graphs[self.n].owners;
        let next = owners.from(self.me, k, index + 1);
        if planted("across-unit-edges") { next.filter(|near| *near == index + 1) } else { next }
    }

    /// What is to be done next.
    pub(crate) fn next(&mut self) -> Next {
        let plan = Arc::clone(&self.plan);
        let graph = &plan.graphs[self.n];
        if planted("across-window-at-the-head") && self.head_is_too_far() {
            return Next::Wait;
        }
        // A reached tile may be the next one, before those that are ready.
        let asks = self
            .reached
            .peek()
            .is_some_and(|Reverse(reached)| self.ready.peek().is_none_or(|Reverse(ready)| reached < ready));
        if asks && let Some(Reverse((_, number))) = self.reached.pop() {
            let tile = graph.tile(number);
            let too_far = self.window.too_far(&tile, self.me);
            return Next::Ask(tile, too_far);
        }
        if let Some(Reverse((_, number))) = self.ready.pop() {
            let mut unpack = self.come.remove(&number).unwrap_or_default();
            if planted("across-on-arrival") {
                unpack = std::mem::take(&mut self.come).into_values().flatten().collect();
            }
            unpack.sort_by_key(|message| message.source);
            self.unbuffer(&unpack);
            return Next::Run(ReadyTile { tile: graph.tile(number), unpack });
        }
        let heard = self.heard.entry(self.n).or_default();
        let alone = planted("across-next-graph-at-once");
        if self.told && self.over == self.n && (alone || heard.ended + 1 == plan.processes) {
            self.over += 1;
            let mut unpack: Vec<Arrived> =
                heard.messages.drain().map(|(source, bytes)| Arrived { source, bytes }).collect();
            unpack.sort_by_key(|message| message.source);
            self.unbuffer(&unpack);
            return Next::Over(unpack);
        }
        Next::Wait
    }

    /// A reached tile is the gate of the messages of these sources, and must not run ahead of these processes.
    pub(crate) fn expect(&mut self, tile: &[i64], sources: impl IntoIterator<Item = u64>, receivers: Vec<u32>) {
        let gate = self.plan.graphs[self.n].number(tile);
        let (mut missing, mut come) = (0, Vec::new());
        let heard = self.heard.entry(self.n).or_default();
        for source in sources {
            if let Some(bytes) = heard.messages.remove(&source) {
                come.push(Arrived { source, bytes });
            } else {
                missing += 1;
                self.gates.insert(source, gate);
            }
        }
        if !come.is_empty() {
            self.come.insert(gate, come);
        }
        if !receivers.is_empty() {
            self.receivers.insert(gate, receivers);
        }
        if missing == 0 {
            self.make_ready(gate);
        } else {
            self.waiting.insert(gate, missing);
        }
    }

    /// A tile waits for nothing but the window.
    fn make_ready(&mut self, number: u64) {
        let tile = self.plan.graphs[self.n].tile(number);
        if planted("across-window-at-the-head") {
            return self.queue(number);
        }
        let receivers = self.receivers.remove(&number).unwrap_or_default();
        if receivers.is_empty() || !self.window.hold(number, &tile, receivers) {
            self.queue(number);
        }
    }

    fn queue(&mut self, number: u64) {
        let graph = &self.plan.graphs[self.n];
        self.ready.push(Reverse((priority(graph, &graph.tile(number)), number)));
    }

    /// The defect that tests plant: a tile that is too far ahead stays at the head of the queue.
    fn head_is_too_far(&mut self) -> bool {
        let Some(&Reverse((_, number))) = self.ready.peek() else { return false };
        let tile = self.plan.graphs[self.n].tile(number);
        let far = self.window.too_far(&tile, self.me);
        let receiver = self.receivers.get(&number).and_then(|all| all.iter().find(|to| far.contains(to)));
        receiver.is_some_and(|to| {
            self.window.ask(*to);
            true
        })
    }

    /// What a tile that has run has for process `to`: it is sent now, or the machine keeps it until it may be. `gated`: a
    /// tile of the graph reads some of it.
    pub(crate) fn post(&mut self, to: u32, tile: &[i64], gated: bool, bytes: Vec<u8>) -> Option<Telling> {
        let graph = &self.plan.graphs[self.n];
        let source = graph.number(tile);
        if !gated {
            return Some(self.window.parcel(to, source, bytes));
        }
        self.window.post(to, graph.gate_step(tile, to), source, bytes)
    }

    /// What is to be told other processes, in this order; then [`TileMachine::sent`].
    pub(crate) fn tellings(&mut self) -> Vec<Telling> {
        let tellings = self.window.take_tellings();
        self.unsent += tellings.len();
        tellings
    }

    /// So many tellings are sent.
    pub(crate) fn sent(&mut self, count: usize) {
        self.unsent -= count;
    }

    /// Process `from` has told its least unfinished step of a graph.
    pub(crate) fn progressed(&mut self, from: u32, n: usize, step: i64) {
        if self.runs(n) {
            self.window.heard(from, step).into_iter().for_each(|number| self.queue(number));
        } else if n >= self.over {
            let known = self.heard.entry(n).or_default().steps.entry(from).or_insert(step);
            *known = step.max(*known);
        }
    }

    /// Process `from` wants to hear each time when the least unfinished step here has risen by so much.
    pub(crate) fn awaited(&mut self, from: u32, n: usize, every: i64) {
        if self.runs(n) {
            self.window.awaited(from, every);
        } else if n >= self.over {
            self.heard.entry(n).or_default().awaited.insert(from, every);
        }
    }

    /// Whether graph `n` has begun here and has not been left.
    fn runs(&self, n: usize) -> bool {
        n == self.n && self.begun
    }

    #[cfg(test)]
    pub(super) fn least_step(&self) -> i64 {
        self.window.least()
    }

    /// Most bytes of messages that have waited here at once.
    pub(crate) fn most_buffered(&self) -> u64 {
        self.buffered.1
    }

    fn unbuffer(&mut self, messages: &[Arrived]) {
        self.buffered.0 -= messages.iter().map(|message| message.bytes.len() as u64).sum::<u64>();
    }

    /// A tile has ended, and what it has for others is packed.
    pub(crate) fn ended(&mut self, tile: &[i64]) {
        self.left -= 1;
        self.window.ended(tile);
        let next: Vec<Vec<i64>> = self.neighbours(tile, Self::following).collect();
        for tile in next {
            let graph = &self.plan.graphs[self.n];
            let number = graph.number(&tile);
            let all = self.neighbours(&tile, Self::previous).count();
            let missing = self.missing.entry(number).or_insert(all);
            *missing -= 1;
            if *missing == 0 {
                let key = priority(graph, &tile);
                self.missing.remove(&number);
                self.reached.push(Reverse((key, number)));
            }
        }
    }

    /// True once, when all tiles of this process have ended and what they have for others is sent: these are to be told.
    pub(crate) fn takes_leave(&mut self) -> bool {
        let first = self.left == 0 && !self.told && self.unsent == 0 && self.window.is_quiet();
        self.told |= first;
        first
    }

    /// A message has come for a graph.
    ///
    /// # Errors
    /// The graph is over, or the message has come before.
    pub(crate) fn arrived(&mut self, n: usize, source: u64, bytes: Vec<u8>) -> Result<(), Error> {
        if n < self.over || n >= self.plan.graphs.len() {
            return Err(defect(format!("a message of graph {n} comes after {} graphs", self.over)));
        }
        self.buffered.0 += bytes.len() as u64;
        self.buffered.1 = self.buffered.1.max(self.buffered.0);
        let gate = if n == self.n { self.gates.remove(&source) } else { None };
        let Some(gate) = gate else {
            let before = self.heard.entry(n).or_default().messages.insert(source, bytes);
            return match before {
                None => Ok(()),
                Some(_) => Err(defect(format!("tile {source} of graph {n} sends twice"))),
            };
        };
        self.come.entry(gate).or_default().push(Arrived { source, bytes });
        if let Some(missing) = self.waiting.get_mut(&gate) {
            *missing -= 1;
            if *missing == 0 {
                self.waiting.remove(&gate);
                self.make_ready(gate);
            }
        }
        Ok(())
    }

    /// Process `from` has ended a graph, and has sent all that it has of it.
    pub(crate) fn other_ended(&mut self, from: u32, n: usize) {
        self.heard.entry(n).or_default().ended += 1;
        self.progressed(from, n, NO_STEP);
    }

    /// Leaves the graph, whose last messages are unpacked.
    pub(crate) fn leave(&mut self) {
        self.heard.remove(&self.n);
        self.begun = false;
        debug_assert!(self.gates.is_empty() && self.come.is_empty() && self.waiting.is_empty());
    }

    /// How many tiles have not ended, are ready, and wait for messages or are set aside.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        let waiting = self.waiting.len() + self.window.held();
        (self.left, (self.ready.len() + self.reached.len()) as u64, waiting as u64)
    }
}
