//! How far the tiles of a graph run ahead of the processes that they send to, and when what they have for these is sent.
//!
//! The step of a tile is its index along the first carried coordinate. With a window of B steps, a tile starts only when
//! its step is at most B above the least unfinished step of each process that one of its parcels waits for; others are set
//! aside, and their process goes on with what may start. With `ahead` steps a, a parcel leaves only when the least
//! unfinished step of its receiver is at most a below the parcel's gate; until then it is kept here.
//!
//! What a process knows of another one's steps comes with parcels. Where it knows too little it asks once for more: then the
//! other one tells each time when its least step has risen by T, in a message of its own if no parcel has told. What is
//! known is at most T - 1 steps old then. T is at most B and at most a + 1, so the least unfinished tile of all processes
//! is never set aside, and no parcel that it waits for is kept: some tile can always run.

use std::collections::BTreeMap;

use super::plan::Graph;

/// The limits of a region's window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepBounds {
    /// Most steps of a tile above the least unfinished one of a process that it sends to; 1 at least.
    pub(crate) steps: i64,
    /// Most steps that a parcel is sent before its reader's.
    pub(crate) ahead: i64,
}

impl StepBounds {
    /// A window of so many steps, in which parcels leave at once.
    pub(crate) fn new(steps: u64) -> StepBounds {
        let steps = steps.clamp(1, 1 << 40) as i64;
        StepBounds { steps, ahead: steps }
    }

    /// A window of so many steps, in which a parcel leaves at most `ahead` steps before its reader's.
    pub(crate) fn with_ahead(steps: u64, ahead: Option<u64>) -> StepBounds {
        let bounds = StepBounds::new(steps);
        StepBounds { ahead: ahead.map_or(bounds.ahead, |ahead| bounds.ahead.min(ahead as i64)), ..bounds }
    }

    /// By how much another process's least step rises before it tells.
    fn every(self) -> i64 {
        (self.steps / 2).min(self.ahead + 1).max(1)
    }
}

/// The least unfinished step of a process that has ended its tiles.
pub(crate) const NO_STEP: i64 = i64::MAX;

/// What is to be told another process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    /// What a tile has for it, with the least unfinished step of this process.
    Parcel { to: u32, graph: usize, source: u64, progress: i64, bytes: Vec<u8> },
    /// The least unfinished step of this process.
    Progress { to: u32, graph: usize, step: i64 },
    /// It is to tell each time when its least step has risen by so much.
    Await { to: u32, graph: usize, every: i64 },
}

/// What is known of another process, and what it knows.
#[derive(Clone, Debug)]
struct Peer {
    /// Its least unfinished step, as far as it has told.
    least: i64,
    /// It was asked to tell.
    asked: bool,
    /// What it knows of the least step here.
    told: i64,
    /// It wants to hear each time when this has risen by so much.
    every: Option<i64>,
}

/// A tile that is set aside, and the other processes that it must not run ahead of.
struct Held {
    tile: u64,
    receivers: Vec<u32>,
}

/// A parcel that is kept: the tile that it comes from, and its bytes.
type Kept = (u64, Vec<u8>);

/// The window of one process, of one graph after the other.
pub(super) struct Window {
    bounds: StepBounds,
    graph: usize,
    /// The coordinate that steps go along; none is carried: all tiles are of one step.
    along: Option<usize>,
    /// By step: the tiles of this process that have not ended.
    unfinished: BTreeMap<i64, u64>,
    peers: Vec<Peer>,
    /// By process and the least step of it that they wait for.
    held: BTreeMap<(u32, i64), Vec<Held>>,
    /// By receiver and the least step of it that they wait for.
    kept: BTreeMap<(u32, i64), Vec<Kept>>,
    tellings: Vec<Telling>,
}

impl Window {
    pub(super) fn new(bounds: StepBounds) -> Window {
        Window {
            bounds,
            graph: 0,
            along: None,
            unfinished: BTreeMap::new(),
            peers: Vec::new(),
            held: BTreeMap::new(),
            kept: BTreeMap::new(),
            tellings: Vec::new(),
        }
    }

    /// Begins a graph, of which this process has the tiles `own`. All processes have ended the one before.
    pub(super) fn begin(&mut self, (n, graph): (usize, &Graph), (me, processes): (u32, u32), own: &[Vec<i64>]) {
        debug_assert!(self.held.is_empty() && self.kept.is_empty() && self.tellings.is_empty());
        self.graph = n;
        self.along = graph.carried.iter().position(|carried| *carried);
        self.unfinished.clear();
        for tile in own {
            *self.unfinished.entry(self.step(tile)).or_default() += 1;
        }
        let first = |process: u32| match self.along {
            _ if !graph.owners.has_tiles(process) => NO_STEP,
            None => 0,
            Some(k) => graph.owners.from(process, k, 0).unwrap_or(NO_STEP),
        };
        let peer = |process: u32| Peer { least: first(process), asked: false, told: first(me), every: None };
        self.peers = (0..processes).map(peer).collect();
    }

    fn step(&self, tile: &[i64]) -> i64 {
        self.along.map_or(0, |k| tile[k])
    }

    /// The least unfinished step of this process.
    pub(super) fn least(&self) -> i64 {
        self.unfinished.first_key_value().map_or(NO_STEP, |(step, _)| *step)
    }

    /// The processes that a tile is too far ahead of, as far as is known.
    pub(super) fn too_far(&self, tile: &[i64], me: u32) -> Vec<u32> {
        let need = self.step(tile) - self.bounds.steps;
        (0..self.peers.len() as u32).filter(|to| *to != me && self.peers[*to as usize].least < need).collect()
    }

    /// Sets a tile aside if it is still too far ahead of one of these processes, which it sends to; false: it may start.
    pub(super) fn hold(&mut self, number: u64, tile: &[i64], receivers: Vec<u32>) -> bool {
        self.hold_at(self.step(tile) - self.bounds.steps, Held { tile: number, receivers })
    }

    fn hold_at(&mut self, need: i64, mut held: Held) -> bool {
        held.receivers.retain(|to| self.peers[*to as usize].least < need);
        let Some(&to) = held.receivers.last() else { return false };
        self.held.entry((to, need)).or_default().push(held);
        self.ask(to);
        true
    }

    /// Has process `to` tell of its progress from now on.
    pub(super) fn ask(&mut self, to: u32) {
        if !std::mem::replace(&mut self.peers[to as usize].asked, true) {
            let every = self.bounds.every();
            self.tellings.push(Telling::Await { to, graph: self.graph, every });
        }
    }

    /// A tile has something for process `to`, whose gate is of the step `gate`: it leaves now, or is kept.
    pub(super) fn post(&mut self, to: u32, gate: i64, source: u64, bytes: Vec<u8>) -> Option<Telling> {
        let least = self.peers[to as usize].least;
        // Half the window before it would be needed, so that nothing waits for the answer.
        if gate.saturating_sub(least) > self.bounds.steps / 2 {
            self.ask(to);
        }
        let need = gate.saturating_sub(self.bounds.ahead);
        if least < need {
            self.ask(to);
            self.kept.entry((to, need)).or_default().push((source, bytes));
            return None;
        }
        Some(self.parcel(to, source, bytes))
    }

    /// What leaves at once, with what it tells of this process.
    pub(super) fn parcel(&mut self, to: u32, source: u64, bytes: Vec<u8>) -> Telling {
        let progress = self.least();
        let peer = &mut self.peers[to as usize];
        peer.told = peer.told.max(progress);
        Telling::Parcel { to, graph: self.graph, source, progress, bytes }
    }

    /// A tile of this process has ended.
    pub(super) fn ended(&mut self, tile: &[i64]) {
        let step = self.step(tile);
        if let Some(left) = self.unfinished.get_mut(&step) {
            *left -= 1;
            if *left == 0 {
                self.unfinished.remove(&step);
            }
        }
        // That the process has ended the graph tells more, as soon as nothing is kept.
        if self.least() != NO_STEP || !self.kept.is_empty() {
            (0..self.peers.len() as u32).for_each(|to| self.tell(to));
        }
    }

    fn tell(&mut self, to: u32) {
        let step = self.least();
        let peer = &mut self.peers[to as usize];
        if peer.every.is_some_and(|every| step.saturating_sub(peer.told) >= every) {
            peer.told = step;
            self.tellings.push(Telling::Progress { to, graph: self.graph, step });
        }
    }

    /// Process `from` wants to hear each time when the least step here has risen by so much.
    pub(super) fn awaited(&mut self, from: u32, every: i64) {
        self.peers[from as usize].every = Some(every.max(1));
        self.tell(from);
    }

    /// The least unfinished step of process `from` is at least this; returns the tiles that may start now.
    pub(super) fn heard(&mut self, from: u32, step: i64) -> Vec<u64> {
        let least = &mut self.peers[from as usize].least;
        *least = step.max(*least);
        let least = *least;
        let mut free = Vec::new();
        while let Some((&at, _)) = self.held.range((from, i64::MIN)..=(from, least)).next() {
            for held in self.held.remove(&at).unwrap_or_default() {
                let tile = held.tile;
                if !self.hold_at(at.1, held) {
                    free.push(tile);
                }
            }
        }
        while let Some((&at, _)) = self.kept.range((from, i64::MIN)..=(from, least)).next() {
            for (source, bytes) in self.kept.remove(&at).unwrap_or_default() {
                let parcel = self.parcel(from, source, bytes);
                self.tellings.push(parcel);
            }
        }
        free
    }

    /// What is to be told, in this order.
    pub(super) fn take_tellings(&mut self) -> Vec<Telling> {
        std::mem::take(&mut self.tellings)
    }

    /// Whether nothing is kept and nothing is to be told.
    pub(super) fn is_quiet(&self) -> bool {
        self.kept.is_empty() && self.tellings.is_empty()
    }

    /// How many tiles are set aside.
    pub(super) fn held(&self) -> usize {
        self.held.values().map(Vec::len).sum()
    }
}
