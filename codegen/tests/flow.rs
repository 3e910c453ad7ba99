//! Flow between tiles against brute force: the kernels run instance by instance, each tile belongs to a random process,
//! and what a tile sends to another process is compared element by element with what that process reads of it.

mod kernel;

use dvm_codegen::{
    Refusal,
    analysis::{IslRegion, ValueFlow},
    lowered::{ElementLoops, FlowLoops, TileEnd},
    pipeline::{self, RegionFlow},
    transform::Phase,
};
use dvm_isl::Set;
use kernel::{
    Kernel, Node, Place, Storehouse,
    loops::{Names, Step},
    random, stmt, table, touched,
    trace::{self, Event},
    up,
};
use std::collections::{BTreeMap, BTreeSet};
use testkit::Random;

/// A phase and the numbers of a tile: host values, then the tile's place along each coordinate of the band.
type Tile = (usize, Vec<i64>);
type Elements = BTreeSet<String>;

/// What flows, by brute force or by the generated loops.
#[derive(Default, PartialEq, Debug)]
struct Traffic {
    /// By writing tile and receiving process.
    sent: BTreeMap<(Tile, usize), Elements>,
    /// By reading tile.
    entering: BTreeMap<Tile, Elements>,
    /// By writing tile.
    leaving: BTreeMap<Tile, Elements>,
}

/// The tiles of one run.
struct Tiling<'a> {
    flow: &'a RegionFlow,
    /// By coordinate of a band.
    sizes: Vec<i64>,
    /// By instance.
    tiles: BTreeMap<String, Tile>,
    owners: BTreeMap<Tile, usize>,
}

impl Tiling<'_> {
    fn new<'a>(flow: &'a RegionFlow, here: &Set, dice: &mut Random) -> Tiling<'a> {
        let sizes: Vec<i64> = (0..6).map(|_| *dice.pick(&[1, 2, 3, 3, 4, 5])).collect();
        let mut tiles = BTreeMap::new();
        for (at, phase) in flow.plan.phases.iter().enumerate() {
            for (instance, coordinates) in places(phase, here) {
                let along = |(k, value): (usize, i64)| match k.checked_sub(phase.depth) {
                    Some(k) => value.div_euclid(sizes[k]),
                    None => value,
                };
                let tile = coordinates.into_iter().enumerate().map(along).collect();
                assert!(tiles.insert(instance, (at, tile)).is_none(), "an instance is in two phases");
            }
        }
        let all: BTreeSet<Tile> = tiles.values().cloned().collect();
        let owners = all.into_iter().map(|tile| (tile, dice.below(3))).collect();
        Tiling { flow, sizes, tiles, owners }
    }

    /// Least and end value of each coordinate.
    fn ends(&self, (phase, place): &Tile) -> Vec<(i64, i64)> {
        let depth = self.flow.plan.phases[*phase].depth;
        let end = |(k, value): (usize, &i64)| match k.checked_sub(depth) {
            Some(k) => (value * self.sizes[k], (value + 1) * self.sizes[k]),
            None => (*value, value + 1),
        };
        place.iter().enumerate().map(end).collect()
    }

    /// What the instances do, one after another.
    fn by_force(&self, events: &[Event]) -> Traffic {
        let mut traffic = Traffic::default();
        let mut last: BTreeMap<&String, &Tile> = BTreeMap::new();
        for event in events {
            let tile = &self.tiles[&event.instance];
            // What may be written has to be there as well.
            for element in event.reads.iter().chain(&event.may) {
                match last.get(element) {
                    None => {
                        traffic.entering.entry(tile.clone()).or_default().insert(element.clone());
                    }
                    Some(writer) if self.owners[*writer] != self.owners[tile] => {
                        let to = ((*writer).clone(), self.owners[tile]);
                        traffic.sent.entry(to).or_default().insert(element.clone());
                    }
                    Some(_) => {}
                }
            }
            last.extend(event.writes.iter().map(|element| (element, tile)));
        }
        for (element, tile) in last {
            traffic.leaving.entry(tile.clone()).or_default().insert(element.clone());
        }
        traffic
    }

    /// What the generated loops say.
    fn by_loops(&self, kernel: &Kernel, parameters: &[i64]) -> Traffic {
        let mut traffic = Traffic::default();
        for loops in &self.flow.loops {
            let elements = Elements::new;
            let mut run = Run::new(self, kernel, parameters, loops);
            let of = |phase: Option<usize>| self.owners.keys().filter(move |tile| Some(tile.0) == phase);
            match (loops.writer, loops.reader) {
                (None, reader) => {
                    for tile in of(reader) {
                        run.add(None, Some(tile), traffic.entering.entry(tile.clone()).or_insert_with(elements));
                    }
                }
                (writer, None) => {
                    for tile in of(writer) {
                        run.add(Some(tile), None, traffic.leaving.entry(tile.clone()).or_insert_with(elements));
                    }
                }
                (writer, reader) => {
                    for from in of(writer) {
                        for to in of(reader).filter(|to| self.owners[*to] != self.owners[from]) {
                            let key = (from.clone(), self.owners[to]);
                            run.add(Some(from), Some(to), traffic.sent.entry(key).or_insert_with(elements));
                        }
                    }
                }
            }
        }
        traffic.sent.retain(|_, elements| !elements.is_empty());
        traffic.entering.retain(|_, elements| !elements.is_empty());
        traffic.leaving.retain(|_, elements| !elements.is_empty());
        traffic
    }
}

/// Loops that are run for pairs of tiles.
struct Run<'a> {
    tiling: &'a Tiling<'a>,
    step: Step,
    values: Vec<i64>,
    name: &'a str,
    rank: usize,
    /// By coordinate: where its least and its end value stand.
    writer: Vec<(usize, usize)>,
    reader: Vec<(usize, usize)>,
}

impl<'a> Run<'a> {
    fn new(tiling: &'a Tiling, kernel: &'a Kernel, parameters: &[i64], loops: &FlowLoops) -> Run<'a> {
        let mut names = Names::default();
        let step = match &loops.elements {
            ElementLoops::Tree(tree) => names.step(tree),
            ElementLoops::Convex(scan) => names.scan(scan),
        };
        let symbols = &tiling.flow.symbols;
        let mut ends = |end: &TileEnd| -> Vec<(usize, usize)> {
            end.first.iter().zip(&end.end).map(|(first, end)| (names.place(first), names.place(end))).collect()
        };
        let (writer, reader) = (ends(&symbols.writer), ends(&symbols.reader));
        let places: Vec<usize> = kernel.parameters.iter().map(|name| names.place(name)).collect();
        let mut values = vec![0; names.count()];
        places.iter().zip(parameters).for_each(|(place, value)| values[*place] = *value);
        Run { tiling, step, values, name: &kernel.arrays[loops.array].name, rank: loops.rank, writer, reader }
    }

    /// Adds the elements that go from one tile to another.
    fn add(&mut self, writer: Option<&Tile>, reader: Option<&Tile>, elements: &mut Elements) {
        for (tile, places) in [(writer, &self.writer), (reader, &self.reader)] {
            let ends = tile.map(|tile| self.tiling.ends(tile)).unwrap_or_default();
            for ((first, end), (least, beyond)) in places.iter().zip(ends) {
                (self.values[*first], self.values[*end]) = (least, beyond);
            }
        }
        let (name, rank) = (self.name, self.rank);
        self.step.run(&mut self.values, &mut |arguments| {
            let subscripts: Vec<String> = arguments[arguments.len() - rank..].iter().map(i64::to_string).collect();
            elements.insert(format!("{name}[{}]", subscripts.join(", ")));
        });
    }
}

/// The instances of a phase with their host values and coordinates.
fn places(phase: &Phase, here: &Set) -> Vec<(String, Vec<i64>)> {
    let coordinates =
        phase.coordinates().and_then(|all| Ok(all.intersect_domain(&phase.domain)?.intersect_params(here)?));
    let mut all = Vec::new();
    for map in coordinates.expect("coordinates").maps().expect("maps") {
        let (name, inputs) = (map.input_name().expect("a name"), map.inputs().expect("a number"));
        let points = map.wrap().and_then(|set| set.flatten()?.without_params()).expect("points");
        for point in points.points(1_000_000).expect("points").expect("few points") {
            let own: Vec<String> = point[..inputs].iter().map(i64::to_string).collect();
            all.push((format!("{name}[{}]", own.join(", ")), point[inputs..].to_vec()));
        }
    }
    all
}

/// Compares one kernel at one size with random tile sizes and owners; the number of elements sent.
fn check(kernel: &Kernel, flow: &RegionFlow, parameters: &[i64], seed: u64) -> usize {
    let known: Vec<String> =
        kernel.parameters.iter().zip(parameters).map(|(name, value)| format!("{name} = {value}")).collect();
    let here = format!("[{}] -> {{ : {} }}", kernel.parameters.join(", "), known.join(" and "));
    let here = Set::parse(&flow.isl_region.ctx, &here).expect("a point");
    flow.isl_region.ctx.allow_operations(0);
    let tiling = Tiling::new(flow, &here, &mut Random::new(seed));
    let expected = tiling.by_force(&trace::run(kernel, parameters));
    let found = tiling.by_loops(kernel, parameters);
    assert_eq!(found, expected, "{} at {parameters:?}, seed {seed}, sizes {:?}", kernel.name, tiling.sizes);
    expected.sent.values().map(BTreeSet::len).sum()
}

#[test]
fn a_tile_sends_each_element_that_another_process_reads_and_nothing_else() {
    let mut sent = 0;
    for kernel in table::all() {
        let flow = pipeline::flow(&kernel.region()).unwrap_or_else(|refusal| panic!("{}: {refusal}", kernel.name));
        for (seed, parameters) in [(1, [6, 3]), (2, [7, 2]), (3, [5, 4]), (4, [8, 3]), (5, [4, 0])] {
            sent += check(&kernel, &flow, &parameters[..kernel.parameters.len()], seed);
        }
    }
    assert!(sent > 1_000, "only {sent} elements");
}

/// isl alone gives up on the flow between skewed tiles of a sweep in place.
#[test]
fn a_sweep_in_place_sends_what_other_processes_read() {
    let kernel = table::seidel_2d();
    let flow = pipeline::flow(&kernel.region()).unwrap_or_else(|refusal| panic!("{refusal}"));
    assert!(flow.loops.iter().all(|loops| matches!(loops.elements, ElementLoops::Convex(_))));
    let sent: usize =
        [(1, [6, 3]), (2, [5, 2]), (3, [7, 1])].iter().map(|(seed, sizes)| check(&kernel, &flow, sizes, *seed)).sum();
    assert!(sent > 20, "only {sent} elements");
}

/// Kernels that the tool leaves as they are, and those whose flow takes too long, have no flow to compare.
#[test]
fn random_nests_send_what_other_processes_read() {
    let (mut compared, mut sent) = (0, 0);
    for seed in testkit::seeds_from(1, 30) {
        let kernel = random::kernel(seed);
        match pipeline::flow(&kernel.region()) {
            Ok(flow) => {
                compared += 1;
                for (turn, parameters) in [[4, 7], [9, 2], [14, 3]].iter().enumerate() {
                    sent += check(&kernel, &flow, parameters, seed + turn as u64);
                }
            }
            Err(Refusal { remedy, .. }) => assert!(!remedy.is_empty()),
        }
    }
    assert!(testkit::selected() || (compared > 5 && sent > 20), "only {compared} kernels, {sent} elements");
}

/// A statement that may write an element hands on whatever is there afterwards: the element has to be there before.
#[test]
fn what_may_be_written_is_there_before() {
    let maybe = Node::Stmt {
        text: "if (B[i] > 0) A[i] = t;".into(),
        reads: touched("B[i]"),
        writes: Vec::new(),
        may: touched("A[i]"),
    };
    let reads = stmt("B[i] = A[i] + A[i + 1];", "A[i]; A[i+1]", "B[i]");
    let body = vec![up("t", "0", "m", vec![up("i", "0", "n", vec![maybe]), up("i", "0", "n - 1", vec![reads])])];
    let array = |name: &str| Storehouse {
        name: name.into(),
        element: "double".into(),
        dims: vec!["n".into()],
        place: Place::Restrict,
    };
    let kernel = Kernel {
        name: "maybe".into(),
        parameters: vec!["n".into(), "m".into()],
        arrays: vec![array("A"), array("B")],
        body,
        iterator_type: "int".into(),
        context: "true".into(),
    };
    let flow = pipeline::flow(&kernel.region()).expect("the kernel is accepted");
    let sent: usize = (1..=6).map(|seed| check(&kernel, &flow, &[9, 4], seed)).sum();
    assert!(sent > 100, "only {sent} elements");
}

/// What hides the value that a read sees is refused, with what to do about it.
#[test]
fn flow_that_is_not_known_is_refused() {
    let mut region = table::jacobi_1d().region();
    region.statements[0].independent = Some(1);
    let mut scattered = table::jacobi_1d().region();
    scattered.arrays[1].scattered = Some(("its subscript is read from memory".into(), "use a loop's counter".into()));
    let mut rows = table::matmul().region();
    rows.arrays[0].tables = 1;
    for (region, word) in [(region, "independent"), (scattered, "read from memory"), (rows, "pointers")] {
        let isl_region = IslRegion::read(&region).expect("a model");
        let refusal = ValueFlow::of(&region, &isl_region).err().expect("a refusal");
        assert!(refusal.reason.contains(word) && !refusal.remedy.is_empty(), "{refusal}");
    }
}
