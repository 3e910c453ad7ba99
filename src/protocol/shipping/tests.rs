//! Processes on a few hosts, some of which need objects that others have: random delays, losses and lies.

use super::*;
use crate::protocol::planted::with_planted;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use testkit::Random;

/// What is said.
#[derive(Clone, Debug)]
enum Said {
    Ask { object: ObjectName, piece: u32, of: ProcessId },
    Piece { object: ObjectName, piece: u32, bytes: ObjectBytes, part: Vec<u8> },
    Refused { object: ObjectName, why: String },
}

/// What a process does beside its machine.
#[derive(Clone, Debug)]
enum Work {
    Prepare(ObjectName),
    Check(ObjectName, ObjectBytes),
    Load(ObjectName),
}

#[derive(Default)]
struct Simulated {
    machine: CodeShipments,
    copies: BTreeMap<ObjectName, Vec<u8>>,
    loaded: BTreeSet<ObjectName>,
    work: Vec<Work>,
    /// What became of what it needs.
    ends: BTreeMap<u64, Result<(), String>>,
    needs: Vec<(u64, ObjectName, ProcessId)>,
}

/// What happened in runs.
#[derive(Debug, Default)]
struct Seen {
    loaded: usize,
    failed: usize,
    killed: usize,
    lies: usize,
    breaches: usize,
    by_porter: usize,
}

struct World {
    processes: Vec<Option<Simulated>>,
    hosts: Vec<usize>,
    /// Which ship: the others have the option off.
    ships: Vec<bool>,
    /// Who can load what comes.
    loads: Vec<bool>,
    liar: Option<usize>,
    channels: Vec<VecDeque<Said>>,
    objects: BTreeMap<ObjectName, (ProcessId, Vec<u8>)>,
    random: Random,
    seen: Seen,
    /// How many needs there were.
    numbers: u64,
    /// Pieces that have gone from host to host, by their object and number.
    between: BTreeMap<(ObjectName, u32, usize), usize>,
}

fn process(index: usize) -> ProcessId {
    ProcessId::from_index(index as u32)
}

fn index(process: ProcessId) -> usize {
    process.index() as usize
}

/// A digest that tells contents apart; the real one is not what is tested here.
fn digest(bytes: &[u8]) -> [u8; DIGEST_BYTES] {
    let mut sum = [0_u8; DIGEST_BYTES];
    for (at, byte) in bytes.iter().enumerate() {
        let place = at % DIGEST_BYTES;
        sum[place] = sum[place].rotate_left(3) ^ byte ^ at as u8;
    }
    sum
}

/// The real lengths would cost time: a piece is one of a byte here, and the machine is told so many bytes.
fn described(contents: &[u8]) -> ObjectBytes {
    let pieces = contents.len() as u64;
    ObjectBytes { total: (pieces - 1) * PIECE_BYTES + 1 + u64::from(contents[0]), digest: digest(contents) }
}

/// Memory for parts of all lengths, whose first byte counts.
fn part(bytes: ObjectBytes, piece: u32, content: u8) -> Vec<u8> {
    let mut part = vec![0; bytes.piece_bytes(piece) as usize];
    part[0] = content;
    part
}

impl World {
    fn new(seed: u64) -> World {
        let mut random = Random::new(seed);
        let count = 2 + random.below(5);
        let hosts: Vec<usize> = (0..count).map(|_| random.below(3)).collect();
        let all = random.one_in(2);
        let mut objects = BTreeMap::new();
        for number in 0..=random.below(2) as u8 {
            let contents = (0..=random.below(4)).map(|_| random.number() as u8).collect();
            objects.insert([number; 20].into(), (process(random.below(count)), contents));
        }
        let ships = (0..count).map(|_| all || !random.one_in(4)).collect();
        let loads = (0..count).map(|_| all || !random.one_in(6)).collect();
        World {
            processes: (0..count).map(|_| Some(Simulated::default())).collect(),
            hosts,
            ships,
            loads,
            liar: None,
            channels: vec![VecDeque::new(); count * count],
            objects,
            random,
            seen: Seen::default(),
            numbers: 0,
            between: BTreeMap::new(),
        }
    }

    fn send(&mut self, from: usize, to: ProcessId, said: Said) {
        assert_ne!(from, index(to), "nobody writes to himself: {said:?}");
        let count = self.processes.len();
        if let Said::Piece { object, piece, .. } = &said
            && self.hosts[from] != self.hosts[index(to)]
        {
            *self.between.entry((object.clone(), *piece, self.hosts[index(to)])).or_default() += 1;
        }
        self.channels[from * count + index(to)].push_back(said);
    }

    /// Does what a machine says; a piece that has come is among it.
    fn act(&mut self, at: usize, actions: Vec<Action>, came: &[u8]) {
        for action in actions {
            let own = self.processes[at].as_mut().expect("it is alive");
            match action {
                Action::Ask { to, object, piece, of } => self.send(at, to, Said::Ask { object, piece, of }),
                Action::Refuse { to, object, why } => self.send(at, to, Said::Refused { object, why }),
                Action::Keep { object, piece, .. } => {
                    let copy = own.copies.entry(object).or_default();
                    copy.truncate(piece as usize);
                    assert_eq!(copy.len(), piece as usize, "no piece is lost");
                    copy.push(came[0]);
                }
                Action::Send { to, object, piece, bytes } => {
                    let content = own.copies[&object][piece as usize];
                    let part = part(bytes, piece, content);
                    self.send(at, to, Said::Piece { object, piece, bytes, part });
                }
                Action::Prepare(object) => own.work.push(Work::Prepare(object)),
                Action::Check(object, bytes) => own.work.push(Work::Check(object, bytes)),
                Action::Load(object) => own.work.push(Work::Load(object)),
                Action::Ready(processings) => {
                    for id in processings {
                        assert!(own.ends.insert(id.number(), Ok(())).is_none(), "an end is told once");
                    }
                }
                Action::Failed(processings, why) => {
                    for id in processings {
                        assert!(own.ends.insert(id.number(), Err(why.clone())).is_none(), "an end is told once");
                    }
                }
            }
        }
    }

    fn sources(&self, at: usize, of: ProcessId) -> Vec<ProcessId> {
        let alive = (0..self.processes.len()).filter(|at| self.processes[*at].is_some()).map(process);
        sources(process(at), of, alive, |process| self.hosts[index(process)])
    }

    /// A process needs an object that it has not loaded.
    fn need(&mut self, at: usize, number: u64, name: &ObjectName, of: ProcessId) {
        let sources = self.sources(at, of);
        self.seen.by_porter += usize::from(sources.len() > 1);
        let own = self.processes[at].as_mut().expect("it is alive");
        own.needs.push((number, name.clone(), of));
        let mut actions = Vec::new();
        own.machine.need(ProcessingId::from_raw([of.index(), number]), name, of, &sources, &mut actions);
        self.act(at, actions, &[]);
    }

    /// A message arrives; `Err`: its sender broke the protocol.
    fn deliver(&mut self, from: usize, at: usize, said: &Said) -> Result<(), Breach> {
        let mut actions = Vec::new();
        let (mut came, sender) = (&[][..], process(from));
        let ships = self.ships[at];
        let offers = |name: &ObjectName| self.objects.get(name).is_some_and(|(of, _)| *of == process(at));
        let carries = |of: &ProcessId| {
            index(*of) != at && self.hosts[at] == self.hosts[from] && self.hosts[index(*of)] != self.hosts[at]
        };
        let alive: Vec<bool> = self.processes.iter().map(Option::is_some).collect();
        let own = self.processes[at].as_mut().expect("it is alive");
        let before = format!("{:?}", own.machine);
        let result = match said {
            Said::Ask { object, piece, of } => {
                let own_word = if ships { Ok(*of == process(at) && offers(object)) } else { Err("off".to_owned()) };
                let sources = if carries(of) && alive[index(*of)] { vec![*of] } else { Vec::new() };
                own.machine.asked(sender, (object, *piece, *of), own_word, &sources, &mut actions)
            }
            Said::Piece { object, piece, bytes, part } => {
                came = part;
                let ObjectBytes { total, digest } = *bytes;
                let code = Code { piece: *piece, build_id: object, total, digest, bytes: part };
                own.machine.came(sender, &code, &mut actions)
            }
            Said::Refused { object, why } => own.machine.refused(sender, object, why, &mut actions),
        };
        if result.is_err() {
            assert_eq!(before, format!("{:?}", own.machine), "a breach leaves the machine as it was");
            assert!(actions.is_empty(), "{actions:?}");
            return result;
        }
        self.act(at, actions, came);
        Ok(())
    }

    fn work(&mut self, at: usize, chosen: usize) {
        let loads = self.loads[at];
        let own = self.processes[at].as_mut().expect("it is alive");
        let mut actions = Vec::new();
        match own.work.remove(chosen) {
            Work::Prepare(name) => {
                let contents = self.objects[&name].1.clone();
                let bytes = described(&contents);
                own.copies.insert(name.clone(), contents);
                own.machine.prepared(&name, Ok(bytes), &mut actions);
            }
            Work::Check(name, bytes) => {
                let genuine = own.copies.get(&name).is_some_and(|copy| digest(copy) == bytes.digest);
                let outcome = if genuine { Ok(()) } else { Err("it is not genuine".to_owned()) };
                own.machine.checked(&name, outcome, &mut actions);
            }
            Work::Load(name) => {
                let outcome = if loads { Ok(()) } else { Err("something is missing".to_owned()) };
                if loads {
                    assert_eq!(digest(&own.copies[&name]), digest(&self.objects[&name].1), "nothing else is loaded");
                    own.loaded.insert(name.clone());
                }
                own.machine.loaded(&name, outcome, &mut actions);
            }
        }
        self.act(at, actions, &[]);
    }

    /// A process is gone, and all others know.
    fn kill(&mut self, victim: usize) {
        let count = self.processes.len();
        self.processes[victim] = None;
        for other in 0..count {
            self.channels[victim * count + other].clear();
            self.channels[other * count + victim].clear();
            if let Some(own) = &mut self.processes[other] {
                let mut actions = Vec::new();
                own.machine.lost(process(victim), &mut actions);
                self.act(other, actions, &[]);
            }
        }
        // What was said to it as it was declared lost goes nowhere.
        for other in 0..count {
            self.channels[other * count + victim].clear();
        }
    }

    /// A lie, made of what was to be said.
    fn spoil(&mut self, said: Said) -> Vec<Said> {
        self.seen.lies += 1;
        match (self.random.below(7), said) {
            (0, said) => vec![said.clone(), said],
            (1, _) => Vec::new(),
            (2, Said::Piece { object, piece, bytes, part }) => {
                let part = part[..part.len() - 1].to_vec();
                vec![Said::Piece { object, piece, bytes, part }]
            }
            (3, Said::Piece { object, piece, bytes, mut part }) => {
                part[0] ^= 1;
                vec![Said::Piece { object, piece, bytes, part }]
            }
            (4, Said::Piece { object, piece, mut bytes, part }) => {
                match self.random.below(3) {
                    0 => bytes.digest[3] ^= 1,
                    1 => bytes.total = *self.random.pick(&[0, 1, PIECE_BYTES, MOST_CODE_BYTES + 1, u64::MAX]),
                    _ => bytes.total += 1,
                }
                vec![Said::Piece { object, piece, bytes, part }]
            }
            (_, Said::Piece { object, bytes, part, .. }) => {
                vec![Said::Piece { object, piece: self.random.below(6) as u32, bytes, part }]
            }
            (5, Said::Ask { object, piece, of }) => vec![Said::Refused { object, why: format!("{piece} of {of}") }],
            (_, Said::Ask { object, of, .. }) => vec![Said::Ask { object, piece: self.random.below(6) as u32, of }],
            (_, Said::Refused { object, .. }) => {
                vec![Said::Ask { object, piece: 0, of: process(self.random.below(self.processes.len())) }]
            }
        }
    }

    fn run(&mut self, kills: usize) {
        let count = self.processes.len();
        let (mut kills, mut needs) = (kills, 1 + self.random.below(8));
        for _ in 0..20_000 {
            let channels: Vec<usize> = (0..count * count).filter(|at| !self.channels[*at].is_empty()).collect();
            let works: Vec<usize> = (0..count)
                .filter(|at| self.processes[*at].as_ref().is_some_and(|process| !process.work.is_empty()))
                .collect();
            if channels.is_empty() && works.is_empty() && needs == 0 {
                return self.finished();
            }
            if needs > 0 && (self.random.one_in(4) || channels.len() + works.len() == 0) {
                needs -= 1;
                let names: Vec<ObjectName> = self.objects.keys().cloned().collect();
                let (at, name) = (self.random.below(count), self.random.pick(&names).clone());
                let of = self.objects[&name].0;
                let able = self.processes[at].as_ref().is_some_and(|own| !own.loaded.contains(&name));
                if able && self.ships[at] && of != process(at) && self.processes[index(of)].is_some() {
                    self.numbers += 1;
                    self.need(at, self.numbers, &name, of);
                }
            } else if kills > 0 && self.random.one_in(12) {
                kills -= 1;
                let victim = self.random.below(count);
                self.seen.killed += usize::from(self.processes[victim].is_some());
                self.kill(victim);
            } else if !works.is_empty() && (channels.is_empty() || self.random.one_in(3)) {
                let at = *self.random.pick(&works);
                let jobs = self.processes[at].as_ref().map_or(0, |process| process.work.len());
                let chosen = self.random.below(jobs);
                self.work(at, chosen);
            } else if !channels.is_empty() {
                let channel = *self.random.pick(&channels);
                let said = self.channels[channel].pop_front().expect("a message");
                let (from, at) = (channel / count, channel % count);
                let lies = self.liar == Some(from) && self.random.one_in(3);
                for said in if lies { self.spoil(said) } else { vec![said] } {
                    if self.processes[from].is_none() || self.processes[at].is_none() {
                        break;
                    }
                    if let Err(breach) = self.deliver(from, at, &said) {
                        // A liar gets answers to questions that it did not mean to ask.
                        let guilty = if self.liar == Some(at) { at } else { from };
                        assert_eq!(self.liar, Some(guilty), "process {from} to process {at}: {breach}");
                        self.seen.breaches += 1;
                        self.kill(guilty);
                    }
                }
            }
        }
        panic!("it does not end");
    }

    /// Nothing is under way: all have come to an end.
    fn finished(&mut self) {
        let lossless = self.processes.iter().all(Option::is_some);
        // A liar may say nothing at all: who waits for it waits until it is declared lost.
        if let Some(liar) = self.liar.filter(|liar| self.processes[*liar].is_some()) {
            self.kill(liar);
            self.liar = None;
            return self.run(0);
        }
        for (at, own) in self.processes.iter().enumerate().filter_map(|(at, own)| Some((at, own.as_ref()?))) {
            assert!(!own.machine.is_busy(), "process {at} is busy");
            for (number, name, of) in &own.needs {
                let end = own.ends.get(number).unwrap_or_else(|| panic!("process {at} waits for {number}"));
                match end {
                    Ok(()) => {
                        self.seen.loaded += 1;
                        assert!(own.loaded.contains(name));
                    }
                    Err(why) => {
                        self.seen.failed += 1;
                        let has_reason = !self.ships[index(*of)] || !self.loads[at];
                        assert!(
                            !lossless || has_reason || self.seen.lies > 0,
                            "process {at} fails, and should not: {why}"
                        );
                    }
                }
            }
        }
        if lossless
            && self.seen.lies == 0
            && self.ships.iter().all(|ships| *ships)
            && self.loads.iter().all(|loads| *loads)
        {
            for ((_, piece, host), times) in &self.between {
                assert_eq!(*times, 1, "piece {piece} has gone to host {host} so often");
            }
        }
    }
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.loaded += other.loaded;
        self.failed += other.failed;
        self.killed += other.killed;
        self.lies += other.lies;
        self.breaches += other.breaches;
        self.by_porter += other.by_porter;
    }
}

fn runs(first: u64, cases: u64, kills: usize, lies: bool) -> Seen {
    let mut seen = Seen::default();
    for seed in testkit::seeds_from(first, cases) {
        let mut world = World::new(seed);
        if lies {
            world.liar = Some(world.random.below(world.processes.len()));
        }
        world.run(kills);
        seen.add(&world.seen);
    }
    seen
}

#[test]
fn shipments_come_once_to_each_host_whatever_the_delays() {
    let seen = runs(0, 400, 0, false);
    assert!(testkit::selected() || seen.loaded > 100 && seen.failed > 10 && seen.by_porter > 50, "{seen:?}");
}

#[test]
fn shipments_end_when_processes_are_lost() {
    let seen = runs(10_000, 400, 2, false);
    assert!(testkit::selected() || seen.loaded > 50 && seen.failed > 50 && seen.killed > 100, "{seen:?}");
}

#[test]
fn shipments_of_a_liar_load_nothing_that_is_not_genuine() {
    let seen = runs(20_000, 600, 1, true);
    assert!(testkit::selected() || seen.loaded > 50 && seen.lies > 200 && seen.breaches > 50, "{seen:?}");
}

#[test]
fn defects_of_shipments_are_found() {
    for name in ["another object goes on", "short pieces are kept"] {
        let found = with_planted(name, || {
            std::panic::catch_unwind(|| {
                let fetching = fetching();
                let mut machine = fetching.0;
                let bytes = fetching.1;
                let other = ObjectBytes { digest: [9; DIGEST_BYTES], ..bytes };
                for (bytes, cut) in [(other, 0), (bytes, 1)] {
                    let part = &part(bytes, 1, 1)[cut..];
                    let code =
                        Code { piece: 1, build_id: &[1; 20], total: bytes.total, digest: bytes.digest, bytes: part };
                    assert!(machine.came(process(1), &code, &mut Vec::new()).is_err());
                }
            })
        });
        assert!(found.is_err(), "{name}");
    }
}

/// A machine that has the first piece of three.
fn fetching() -> (CodeShipments, ObjectBytes) {
    let (mut machine, mut actions) = (CodeShipments::default(), Vec::new());
    let bytes = ObjectBytes { total: 2 * PIECE_BYTES + 5, digest: [7; DIGEST_BYTES] };
    machine.need(ProcessingId::from_raw([1, 1]), &[1; 20], process(1), &[process(1)], &mut actions);
    let first = part(bytes, 0, 1);
    let code = Code { piece: 0, build_id: &[1; 20], total: bytes.total, digest: bytes.digest, bytes: &first };
    machine.came(process(1), &code, &mut actions).unwrap();
    (machine, bytes)
}

#[test]
fn pieces_that_were_not_asked_for_are_a_breach() {
    let (mut machine, bytes) = fetching();
    assert_eq!(bytes.pieces(), 3);
    let expected = CodeProgress::Coming { from: process(1), come: 1, pieces: Some(3) };
    assert_eq!(machine.progress(ProcessingId::from_raw([1, 1])), Some(expected));
    let state = format!("{machine:?}");
    let good = part(bytes, 1, 1);
    let told = Code { piece: 1, build_id: &[1; 20], total: bytes.total, digest: bytes.digest, bytes: &good };
    let mut refused = |from: usize, code: Code<'_>| {
        let breach = machine.came(process(from), &code, &mut Vec::new()).unwrap_err();
        assert_eq!(format!("{machine:?}"), state);
        breach.what
    };
    assert_eq!(refused(2, told), "it sends code that nobody asked for");
    assert_eq!(refused(1, Code { build_id: &[2; 20], ..told }), "it sends code that nobody asked for");
    assert_eq!(refused(1, Code { piece: 0, ..told }), "it sends code that nobody asked for", "a replay");
    assert_eq!(refused(1, Code { piece: 2, ..told }), "it sends code that nobody asked for", "out of order");
    assert_eq!(refused(1, Code { total: 1 << 20, ..told }), "it goes on with another object");
    assert_eq!(refused(1, Code { digest: [8; 32], ..told }), "it goes on with another object");
    assert_eq!(
        refused(1, Code { bytes: &good[1..], ..told }),
        "its piece of code has another length than it must have"
    );
    assert!(machine.refused(process(2), &[1; 20], "", &mut Vec::new()).is_err());
    assert!(machine.refused(process(1), &[3; 20], "", &mut Vec::new()).is_err());
}

#[test]
fn an_object_that_is_too_large_is_a_breach() {
    let (mut machine, mut actions) = (CodeShipments::default(), Vec::new());
    machine.need(ProcessingId::from_raw([1, 1]), &[1; 20], process(1), &[process(1)], &mut actions);
    let bytes = vec![0; PIECE_BYTES as usize];
    for total in [0, MOST_CODE_BYTES + 1, u64::MAX] {
        let code = Code { piece: 0, build_id: &[1; 20], total, digest: [0; 32], bytes: &bytes };
        let breach = machine.came(process(1), &code, &mut actions).unwrap_err();
        assert_eq!(breach.what, "it sends an object of a size that is not shipped");
    }
}
