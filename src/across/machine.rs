//! One process's part of a call, as a machine without threads: which of its tiles may run, and which messages are unpacked
//! before.
//!
//! A tile is *reached* when the tiles before it of the same process have ended. It then waits for the messages whose gate
//! it is: these are unpacked by the worker that is about to run it, not on arrival. So what older readers still read stays
//! until they have ended, and a message is there before the first tile that may read it. What no tile of the graph reads
//! waits for the end of the graph, in all processes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::sync::Arc;

use super::plan::{Plan, priority};
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
    /// Find out what the tile waits for, by [`Plan::sources`]; then [`TileMachine::expect`].
    Ask(Vec<i64>),
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
    /// By tile with some but not all of its predecessors: how many are missing.
    missing: HashMap<u64, usize>,
    reached: Vec<u64>,
    /// By tile: the sources that it still waits for.
    waiting: HashMap<u64, usize>,
    /// By source: the gate.
    gates: HashMap<u64, u64>,
    /// By gate: what has come for it.
    come: HashMap<u64, Vec<Arrived>>,
    ready: BinaryHeap<Reverse<(Vec<i64>, u64)>>,
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
    pub(crate) fn new(plan: Arc<Plan>, me: u32) -> TileMachine {
        TileMachine {
            plan,
            me,
            n: 0,
            missing: HashMap::new(),
            reached: Vec::new(),
            waiting: HashMap::new(),
            gates: HashMap::new(),
            come: HashMap::new(),
            ready: BinaryHeap::new(),
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
        self.n = n;
        (self.left, self.told) = (own.len() as u64, false);
        for tile in own.iter().rev() {
            if self.neighbours(tile, Self::previous).next().is_none() {
                self.reached.push(graph.number(tile));
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
        if let Some(Reverse((_, number))) = self.ready.pop() {
            let mut unpack = self.come.remove(&number).unwrap_or_default();
            if planted("across-on-arrival") {
                unpack = std::mem::take(&mut self.come).into_values().flatten().collect();
            }
            unpack.sort_by_key(|message| message.source);
            return Next::Run(ReadyTile { tile: graph.tile(number), unpack });
        }
        if let Some(number) = self.reached.pop() {
            return Next::Ask(graph.tile(number));
        }
        let heard = self.heard.entry(self.n).or_default();
        let alone = planted("across-next-graph-at-once");
        if self.told && self.over == self.n && (alone || heard.ended + 1 == plan.processes) {
            self.over += 1;
            let mut unpack: Vec<Arrived> =
                heard.messages.drain().map(|(source, bytes)| Arrived { source, bytes }).collect();
            unpack.sort_by_key(|message| message.source);
            return Next::Over(unpack);
        }
        Next::Wait
    }

    /// The messages whose gate a reached tile is, by their sources.
    pub(crate) fn expect(&mut self, tile: &[i64], sources: impl IntoIterator<Item = u64>) {
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
        if missing == 0 {
            self.make_ready(gate);
        } else {
            self.waiting.insert(gate, missing);
        }
    }

    fn make_ready(&mut self, number: u64) {
        let graph = &self.plan.graphs[self.n];
        self.ready.push(Reverse((priority(graph, &graph.tile(number)), number)));
    }

    /// A tile has ended, and what it has for others is packed.
    pub(crate) fn ended(&mut self, tile: &[i64]) {
        self.left -= 1;
        let next: Vec<Vec<i64>> = self.neighbours(tile, Self::following).collect();
        for tile in next {
            let number = self.plan.graphs[self.n].number(&tile);
            let all = self.neighbours(&tile, Self::previous).count();
            let missing = self.missing.entry(number).or_insert(all);
            *missing -= 1;
            if *missing == 0 {
                self.missing.remove(&number);
                self.reached.push(number);
            }
        }
    }

    /// True once, when all tiles of this process have ended: the others are to be told.
    pub(crate) fn takes_leave(&mut self) -> bool {
        let first = self.left == 0 && !self.told;
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

    /// Another process has ended a graph, and has sent all that it has of it.
    pub(crate) fn other_ended(&mut self, n: usize) {
        self.heard.entry(n).or_default().ended += 1;
    }

    /// Leaves the graph, whose last messages are unpacked.
    pub(crate) fn leave(&mut self) {
        self.heard.remove(&self.n);
        debug_assert!(self.gates.is_empty() && self.come.is_empty() && self.waiting.is_empty());
    }

    /// How many tiles have not ended, are ready, and wait for messages.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        (self.left, (self.ready.len() + self.reached.len()) as u64, self.waiting.len() as u64)
    }
}
