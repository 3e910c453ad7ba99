//! Machines from text, with the expected results.

use super::*;
use testkit::Random;

const EVERYTHING: Allowance = Allowance { cpus: None, quota: None };

/// A machine from hwloc's synthetic syntax, with an environment.
fn machine(text: &str, environment: &[(&str, &str)]) -> Machine {
    Machine::new(&synthetic::read(text).unwrap(), &config(environment), &EVERYTHING).unwrap()
}

/// A machine from a drawing.
fn drawn(drawing: &str, latencies: &[u64], environment: &[(&str, &str)]) -> Machine {
    Machine::new(&machine_text::read(drawing, latencies), &config(environment), &EVERYTHING).unwrap()
}

fn config(environment: &[(&str, &str)]) -> Config {
    Config::read(|name| environment.iter().find(|(variable, _)| *variable == name).map(|(_, value)| value.into()))
        .unwrap()
}

fn sizes(machine: &Machine) -> String {
    machine.sizes()[..machine.dimension()].iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn ranks(machine: &Machine) -> String {
    let digits = |rank: Rank| rank.outer(machine.dimension()).iter().map(u64::to_string).collect::<String>();
    (0..machine.workers()).map(|worker| digits(machine.rank(worker))).collect::<Vec<_>>().join(" ")
}

/// Distances from worker 0.
fn distances(machine: &Machine) -> String {
    (0..machine.workers()).map(|worker| machine.distance(0, worker).to_string()).collect::<Vec<_>>().join(" ")
}

#[test]
fn synthetic_machines_have_the_expected_ranks_and_distances() {
    #[rustfmt::skip]
    let table = [
        ("pu:1", "1", "0", "0"),
        ("core:1 pu:1", "1", "0", "0"),
        ("pu:3", "1 3", "00 01 02", "0 1 1"),
        ("pack:1 core:2 pu:1", "1 2", "00 01", "0 1"),
        ("pack:2 core:1 pu:2", "1 2 2", "000 001 010 011", "0 1 2 2"),
        ("pack:2 l3:1 core:2 pu:1", "1 2 2", "000 001 010 011", "0 1 2 2"),
        ("numa:2 core:2 pu:1", "1 2 2", "000 001 010 011", "0 1 2 2"),
        ("pack:2 [numa] l3:2 core:1 pu:2", "1 2 2 2", "0000 0001 0010 0011 0100 0101 0110 0111", "0 1 2 2 3 3 3 3"),
        ("pack:1 [numa(memory=1GB)] [numa] core:2 pu:1", "1 2", "00 01", "0 1"),
    ];
    for (text, expected_sizes, expected_ranks, expected_distances) in table {
        let machine = machine(text, &[]);
        assert_eq!(sizes(&machine), expected_sizes, "sizes of {text}");
        assert_eq!(ranks(&machine), expected_ranks, "ranks of {text}");
        assert_eq!(distances(&machine), expected_distances, "distances of {text}");
    }
}

#[test]
fn four_packages_of_four_cores_of_two_pus_have_sizes_1_4_4_2() {
    let machine = machine("pack:4 core:4 pu:2", &[]);
    assert_eq!((machine.workers(), machine.dimension()), (32, 4));
    assert_eq!(machine.sizes(), [1, 4, 4, 2, 0, 0, 0, 0]);
    assert_eq!(machine.rank(31).raw(), &[0, 3, 3, 1, 0, 0, 0, 0]);
    assert_eq!(machine.title(31), "rank 0 3 3 1");
    assert_eq!([0, 1, 2, 7, 8, 31].map(|other| machine.distance(0, other)), [0, 1, 2, 2, 3, 3]);
    assert!(!machine.bind(0), "a synthetic machine has no PU to bind to");
}

#[test]
fn a_rank_names_one_worker_and_only_its_own() {
    for text in ["pu:1", "pack:4 core:4 pu:2", "pack:2 [numa] l3:2 l2:2 core:1 pu:2"] {
        let machine = machine(text, &[]);
        for worker in 0..machine.workers() {
            assert_eq!(machine.worker_of(&machine.rank(worker)), Some(worker));
        }
        let mut outside = *machine.rank(0).raw();
        outside[machine.dimension() - 1] = machine.sizes()[machine.dimension() - 1];
        assert_eq!(machine.worker_of(&Rank::from_raw(outside)), None);
        assert_eq!(machine.worker_of(&Rank::from_raw([0, 0, 0, 0, 0, 0, 0, 1])), None, "unused components are 0");
    }
}

#[test]
fn fewer_workers_take_cores_of_their_own_in_order() {
    let table = [
        ("pack:2 core:2 pu:2", "1", "1", "0"),
        ("pack:2 core:2 pu:2", "2", "1 2", "00 01"),
        ("pack:2 core:2 pu:2", "4", "1 2 2", "000 001 010 011"),
        ("pack:2 core:2 pu:2", "5", "1 2 2 2", "0000 0001 0010 0100 0110"),
        ("pack:2 core:2 pu:2", "8", "1 2 2 2", "0000 0001 0010 0011 0100 0101 0110 0111"),
    ];
    for (text, workers, expected_sizes, expected_ranks) in table {
        let machine = machine(text, &[("DVM_WORKERS", workers)]);
        assert_eq!(sizes(&machine), expected_sizes, "sizes of {workers} workers on {text}");
        assert_eq!(ranks(&machine), expected_ranks, "ranks of {workers} workers on {text}");
    }
}

#[test]
fn more_workers_than_pus_share_them_and_the_last_component_tells_them_apart() {
    let shared = machine("core:2 pu:1", &[("DVM_WORKERS", "5")]);
    assert_eq!((sizes(&shared), ranks(&shared)), ("1 2 3".into(), "000 001 002 010 011".into()));
    assert_eq!(distances(&shared), "0 1 1 2 2");
    let one = machine("pu:1", &[("DVM_WORKERS", "3")]);
    assert_eq!((sizes(&one), ranks(&one), distances(&one)), ("1 3".into(), "00 01 02".into(), "0 1 1".into()));
}

#[test]
fn neighbours_are_nearest_first_and_start_behind_the_worker() {
    let machine = machine("pack:2 core:2 pu:2", &[]);
    assert_eq!(machine.neighbours(0), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(machine.neighbours(3), [2, 0, 1, 4, 5, 6, 7]);
    assert_eq!(machine.neighbours(6), [7, 4, 5, 0, 1, 2, 3]);
    assert_eq!(super::tests::machine("pu:1", &[]).neighbours(0), [0; 0]);
}

#[test]
fn wrong_synthetic_machines_are_refused_with_their_text() {
    for text in [
        "nonsense",
        "pack:2 core:0 pu:1",
        "pack:",
        "pu:2 core:2",
        "core:100000 pu:100000",
        "pu:4097",
        "999999999999999999999",
        "a\0b",
        "pack:0x1000 pu:0x1000",
        "pack:+90000 pu:+90000",
        "pu:-1",
        "pack:2 core:2(",
    ] {
        let error = synthetic::read(text).unwrap_err();
        assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_ARGUMENT);
        for part in ["DVM_SYNTHETIC", &format!("{text:?}")] {
            assert!(error.message().contains(part), "{part} is not in {:?}", error.message());
        }
    }
}

#[test]
fn this_machine_binds_every_worker_to_a_pu_of_its_own() {
    let machine =
        Machine::new(&topology::read(TopologySource::System).unwrap(), &config(&[]), &Allowance::read()).unwrap();
    let cpus = machine.cpus.clone().unwrap();
    assert!(cpus.iter().collect::<BTreeSet<_>>().len() == machine.workers() && !machine.oversubscribed());
    let machine = &machine;
    std::thread::scope(|scope| {
        for worker in 0..machine.workers() {
            scope.spawn(move || assert!(machine.bind(worker)));
        }
    });
}

#[test]
fn irregular_machines_have_one_rank_for_each_pu() {
    #[rustfmt::skip]
    let table = [
        ("machine{pack{core{pu}}}", "1", "0", "0"),
        ("machine{pack{core{pu} core{pu} core{pu}} pack{core{pu}}}", "1 2 3", "000 001 002 010", "0 1 1 2"),
        ("machine{pack{core{pu pu} core{pu}} pack{core{pu pu}}}", "1 2 2 2", "0000 0001 0010 0100 0101", "0 1 2 3 3"),
        // Fast cores with L2 caches of their own, slow ones with a shared L2.
        ("machine{pack{l2=1000{core{pu pu}} l2=1000{core{pu pu}} l2=2000{core{pu} core{pu} core{pu}}}}", "1 3 3 2",
            "0000 0001 0100 0101 0200 0210 0220", "0 1 3 3 3 3 3"),
        // One package with L3 caches, one without: each of its cores has a stand-in.
        ("machine{pack{l3=9000{core{pu} core{pu}} l3=9000{core{pu}}} pack{core{pu} core{pu}}}", "1 2 2 2", "0000 0001 0010 0100 0110", "0 1 2 3 3"),
        // Memory is attached beside the tree and does not form a level.
        ("machine{pack{numa core{pu} core{pu}} pack{numa core{pu}}}", "1 2 2", "000 001 010", "0 1 2"),
    ];
    for (drawing, expected_sizes, expected_ranks, expected_distances) in table {
        let machine = drawn(drawing, &[], &[]);
        assert_eq!(sizes(&machine), expected_sizes, "sizes of {drawing}");
        assert_eq!(ranks(&machine), expected_ranks, "ranks of {drawing}");
        assert_eq!(distances(&machine), expected_distances, "distances of {drawing}");
    }
}

/// Four packages in a ring, the opposite one farther: the tree cannot distinguish them.
const RING: &[u64] = &[10, 16, 22, 16, 16, 10, 16, 22, 22, 16, 10, 16, 16, 22, 16, 10];

#[test]
fn latencies_tell_apart_what_the_tree_does_not() {
    let drawing = "machine{pack{numa core{pu} core{pu}} pack{numa core{pu}} pack{numa core{pu}} pack{numa core{pu}}}";
    let ring = drawn(drawing, RING, &[]);
    assert_eq!((sizes(&ring), distances(&ring)), ("1 4 2".into(), "0 13 32 38 32".into()));
    assert_eq!(ring.neighbours(0), [1, 2, 4, 3]);
    let alike = drawn("machine{pack{numa core{pu} core{pu}} pack{numa core{pu}}}", &[10, 21, 21, 10], &[]);
    assert_eq!(distances(&alike), "0 1 2", "a matrix that repeats the tree changes nothing");
}

/// Checks by brute force that distances are a metric, and that workers that share more of the rank are nearer.
fn check_metric(machine: &Machine, what: &str) {
    let workers = machine.workers();
    let common = |a: usize, b: usize| {
        machine.rank(a).raw().iter().zip(machine.rank(b).raw()).take_while(|(a, b)| a == b).count()
    };
    let distance = |a, b| machine.distance(a, b);
    for a in 0..workers {
        assert_eq!(machine.worker_of(&machine.rank(a)), Some(a), "{what}");
        for b in 0..workers {
            assert_eq!(distance(a, b) == 0, a == b, "{what}: identity of {a} and {b}");
            assert_eq!(distance(a, b), distance(b, a), "{what}: symmetry of {a} and {b}");
            for c in 0..workers {
                assert!(distance(a, c) <= distance(a, b) + distance(b, c), "{what}: triangle {a} {b} {c}");
                assert!(
                    common(a, b) <= common(a, c) || distance(a, b) < distance(a, c),
                    "{what}: {b} shares more with {a} than {c} does"
                );
            }
        }
        let neighbours: Vec<u64> = machine.neighbours(a).iter().map(|&other| distance(a, other as usize)).collect();
        assert!(neighbours.is_sorted() && neighbours.len() == workers - 1, "{what}: neighbours of {a}");
    }
}

#[test]
fn distances_are_a_metric_on_regular_machines() {
    for text in ["pu:1", "pu:7", "pack:4 core:4 pu:2", "pack:2 [numa] l3:2 l2:2 core:1 pu:2", "pack:3 core:2 pu:3"] {
        check_metric(&machine(text, &[]), text);
        check_metric(&machine(text, &[("DVM_WORKERS", "5")]), text);
    }
}

/// An irregular object below `level` of the kinds, with its subtree.
fn draw(random: &mut Random, kinds: &[&str]) -> String {
    let [kind, inner @ ..] = kinds else { return "pu".into() };
    if random.one_in(4) && (kind.starts_with('l') || *kind == "pack") {
        return draw(random, inner);
    }
    let below: Vec<_> = (0..=random.below(3)).map(|_| draw(random, inner)).collect();
    format!("{kind}{{{}}}", below.join(" "))
}

#[test]
fn distances_are_a_metric_on_random_irregular_machines() {
    for mut random in testkit::seeds_from(20_261_120, 60).map(Random::new) {
        let packages: Vec<_> = (0..=random.below(3)).map(|_| draw(&mut random, &["l3=9", "l2=3", "core"])).collect();
        let with_memory: Vec<_> = packages.iter().map(|package| format!("pack{{numa {package}}}")).collect();
        let drawing = format!("machine{{{}}}", with_memory.join(" "));
        let nodes = packages.len();
        let latencies: Vec<u64> = (0..nodes * nodes).map(|_| random.between(10, 39) as u64).collect();
        let latencies = if nodes > 1 && random.one_in(2) { latencies.as_slice() } else { &[] };
        check_metric(&drawn(&drawing, latencies, &[]), &format!("{drawing} {latencies:?}"));
    }
}

#[test]
fn the_cpuset_and_the_quota_limit_a_real_machine_and_not_a_synthetic_one() {
    // The process's CPUs, quota and environment; the expected CPUs of the workers, and sizes.
    type Row = (&'static [u32], Option<usize>, &'static [(&'static str, &'static str)], &'static [u32], &'static str);
    let mut topology = machine_text::read("machine{pack{core{pu pu} core{pu pu}} pack{core{pu pu} core{pu pu}}}", &[]);
    let built = |topology: &Topology, cpus: &[u32], quota: Option<usize>, environment: &[(&str, &str)]| {
        let quota = quota.map(|workers| Quota { workers, group: (0, 0) });
        let allowance = Allowance { cpus: Some(cpus.iter().copied().collect()), quota };
        Machine::new(topology, &config(environment), &allowance)
    };
    let imagined = built(&topology, &[1], Some(1), &[]).unwrap();
    assert_eq!((imagined.workers(), imagined.oversubscribed(), imagined.cpus), (8, true, None));
    topology.is_this_system = true;
    #[rustfmt::skip]
    let table: &[Row] = &[
        (&[0, 1, 2, 3, 4, 5, 6, 7, 99], None, &[], &[0, 1, 2, 3, 4, 5, 6, 7], "1 2 2 2"),
        (&[1], None, &[], &[1], "1"),
        (&[2, 3, 6], None, &[], &[2, 3, 6], "1 2 2"),
        (&[0, 1, 2, 3, 4, 5, 6, 7], Some(3), &[], &[0, 2, 4], "1 2 2"),
        (&[1, 2, 3, 5], Some(3), &[], &[1, 2, 5], "1 2 2"),
        (&[0, 1, 2, 3], Some(16), &[], &[0, 1, 2, 3], "1 2 2"),
        (&[0, 1, 2, 3], Some(3), &[("DVM_WORKERS", "2")], &[0, 2], "1 2"),
    ];
    for (cpus, quota, environment, expected_cpus, expected_sizes) in table {
        let machine = built(&topology, cpus, *quota, environment).unwrap();
        assert_eq!(machine.cpus.as_deref(), Some(*expected_cpus), "CPUs of {cpus:?} {quota:?} {environment:?}");
        assert_eq!(sizes(&machine), *expected_sizes, "sizes of {cpus:?} {quota:?} {environment:?}");
        assert!(!machine.oversubscribed());
    }
    let capped = built(&topology, &[0, 1], Some(1), &[("DVM_WORKERS", "8")]).unwrap();
    assert_eq!((capped.workers(), capped.oversubscribed()), (1, false), "DVM_WORKERS does not go beyond the quota");
    let crowded = built(&topology, &[0, 1], None, &[("DVM_WORKERS", "3")]).unwrap();
    assert_eq!((crowded.workers(), crowded.oversubscribed(), &crowded.cpus), (3, true, &None));
    assert!(!built(&topology, &[0, 1], None, &[("DVM_BIND", "0")]).unwrap().bind(0));
    let nowhere = built(&topology, &[99], None, &[]).unwrap_err();
    assert_eq!(nowhere.code(), dvm_retcode_t::DVM_ERR_UNSUPPORTED);
}

#[test]
fn caches_are_those_of_the_pu_that_has_the_least() {
    let cache = |bytes, sharers| caches::SharedCache { bytes, sharers };
    let of = |drawing: &str, environment: &[(&str, &str)]| {
        let Caches { l1d, l2, l3 } = drawn(drawing, &[], environment).cache();
        [l1d, l2, l3]
    };
    let regular = "machine{pack{l3=9000{l2=200{l1=32{core{pu pu}}} l2=200{l1=32{core{pu pu}}}}}}";
    assert_eq!(of(regular, &[]), [cache(32, 2), cache(200, 2), cache(9000, 4)]);
    assert_eq!(of(regular, &[("DVM_WORKERS", "2")]), [cache(32, 1), cache(200, 1), cache(9000, 2)]);
    assert_eq!(of(regular, &[("DVM_WORKERS", "8")]), [cache(32, 2), cache(200, 2), cache(9000, 4)]);
    let hybrid = "machine{pack{l2=1200{l1=48{core{pu}}} l2=2000{l1=32{core{pu}} l1=32{core{pu}}}}}";
    assert_eq!(of(hybrid, &[]), [cache(32, 1), cache(2000, 2), cache(2000, 2)], "no L3: what L2 holds");
    let unknown = of("machine{core{pu} core{pu}}", &[]);
    assert_eq!(unknown, [Caches::DEFAULT.l1d, Caches::DEFAULT.l2, Caches::DEFAULT.l3]);
}

/// Runs this test again, bound to one CPU by taskset.
#[test]
fn under_taskset_there_is_one_worker_on_that_cpu() {
    if testkit::playing() {
        println!("[{}]", Machine::configured(&Config::load().unwrap()).unwrap());
        return;
    }
    let cpus = binding::process_cpus().unwrap();
    for cpu in [cpus.first().unwrap(), cpus.last().unwrap()] {
        let test = "machine::tests::under_taskset_there_is_one_worker_on_that_cpu";
        let mut taskset = std::process::Command::new("taskset");
        taskset.arg("-c").arg(cpu.to_string());
        let mut child = testkit::part_by(taskset, test);
        for variable in ["DVM_WORKERS", "DVM_SYNTHETIC", "DVM_BIND"] {
            child.env_remove(variable);
        }
        let output = testkit::passes(&mut child);
        assert!(output.contains(&format!("[1 worker, sizes 1, bound to CPUs {cpu} (")), "{output}");
    }
}

#[test]
fn a_file_of_the_machines_speed_gives_caches_and_balance() {
    let model = "[caches.l2]\nbytes = 98304\nsharers = 4\n[memory]\nbandwidth = 4\n[peak]\ndouble = 32\nsingle = 64\n";
    let folder = testkit::scratch(&[("model.toml", model), ("wrong.toml", "[memory]\nbandwith = 4\n")]);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let with = machine("l2:4(size=262144) core:1 pu:1", &[("DVM_MODEL", &path("model.toml"))]);
    let without = machine("l2:4(size=262144) core:1 pu:1", &[]);
    assert_eq!((with.cache().l2.share(), without.cache().l2.share()), (24576, 262_144));
    assert_eq!(with.cache().l1d, without.cache().l1d);
    assert_eq!(with.balance(), Balance { stream: 4, ..Balance::DEFAULT });
    assert_eq!(without.balance(), Balance::DEFAULT);
    let two = machine("l2:4(size=262144) core:1 pu:1", &[("DVM_MODEL", &path("model.toml")), ("DVM_WORKERS", "2")]);
    assert_eq!(two.cache().l2.share(), 49152, "no more workers share it than there are");
    let wrong = config(&[("DVM_MODEL", &path("wrong.toml"))]);
    let error = Machine::new(&synthetic::read("pu:2").unwrap(), &wrong, &EVERYTHING).unwrap_err();
    assert!(error.message().contains("wrong.toml: line 2: unknown field"), "{}", error.message());
}
