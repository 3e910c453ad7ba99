//! Machines from text, and what they are expected to be.

use super::*;

const EVERYTHING: Allowance = Allowance { cpus: None, quota: None };

/// A machine from hwloc's synthetic syntax, with an environment.
fn machine(text: &str, environment: &[(&str, &str)]) -> Machine {
    Machine::new(&synthetic(text).unwrap(), &config(environment), &EVERYTHING).unwrap()
}

fn config(environment: &[(&str, &str)]) -> Config {
    Config::read(|name| environment.iter().find(|(variable, _)| *variable == name).map(|(_, value)| value.into()))
        .unwrap()
}

fn sizes(machine: &Machine) -> String {
    machine.sizes()[..machine.dimension()].iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
}

fn ranks(machine: &Machine) -> String {
    let digits = |rank: [u64; 8]| rank[..machine.dimension()].iter().map(u64::to_string).collect::<String>();
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
    assert_eq!(machine.rank(31), [0, 3, 3, 1, 0, 0, 0, 0]);
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
        let mut outside = machine.rank(0);
        outside[machine.dimension() - 1] = machine.sizes()[machine.dimension() - 1];
        assert_eq!(machine.worker_of(&outside), None);
        assert_eq!(machine.worker_of(&[0, 0, 0, 0, 0, 0, 0, 1]), None, "unused components are 0");
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
    ] {
        let error = synthetic(text).unwrap_err();
        assert_eq!(error.code(), dvm_retcode_t::DVM_ERR_ARGUMENT);
        for part in ["DVM_SYNTHETIC", &format!("{text:?}")] {
            assert!(error.message().contains(part), "{part} is not in {:?}", error.message());
        }
    }
}

#[test]
fn this_machine_binds_every_worker_to_a_pu_of_its_own() {
    let machine = Machine::new(&topology::read(Source::System).unwrap(), &config(&[]), &Allowance::read()).unwrap();
    let cpus = machine.cpus.clone().unwrap();
    assert!(cpus.iter().collect::<BTreeSet<_>>().len() == machine.workers() && !machine.oversubscribed());
    let machine = &machine;
    std::thread::scope(|scope| {
        for worker in 0..machine.workers() {
            scope.spawn(move || assert!(machine.bind(worker)));
        }
    });
}
