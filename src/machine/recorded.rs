//! Real machines, one test each: a file in `recorded/` describes the machine, and why these workers, ranks and
//! distances are expected.
//!
//! The lines of a file: `#` and the reason; `synthetic TEXT`, `xml FILE` (from lstopo) or `drawing TEXT`; the limits
//! (`latencies`, `system`, `cpuset`, `quota`, `workers`); the expected result, which `DVM_BLESS=1` rewrites.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::topology::{Topology, TopologySource};
use super::*;

/// The machine and limits in a file.
#[derive(Default)]
struct Record {
    topology: Option<Topology>,
    cpuset: Option<BTreeSet<u32>>,
    quota: Option<usize>,
    workers: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/machine/recorded")
}

fn numbers<T: std::str::FromStr<Err: fmt::Debug>>(text: &str) -> impl Iterator<Item = T> {
    text.split_whitespace().map(|number| number.parse().expect("a number"))
}

impl Record {
    /// Parses the lines before the expected result.
    fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Record {
        let mut record = Record::default();
        let mut drawn = "";
        for line in lines.filter(|line| !line.starts_with('#')) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "synthetic" => record.topology = Some(synthetic::read(rest).expect("hwloc's syntax")),
                "xml" => {
                    let text = std::fs::read_to_string(folder().join(rest)).expect("the XML");
                    record.topology = Some(topology::read(TopologySource::Xml(&text)).expect("hwloc's XML"));
                }
                "drawing" => {
                    drawn = rest;
                    record.topology = Some(machine_text::read(rest, &[]));
                }
                "latencies" => record.topology = Some(machine_text::read(drawn, &numbers(rest).collect::<Vec<_>>())),
                "system" => record.topology.as_mut().expect("a machine above").is_this_system = true,
                "cpuset" => record.cpuset = Some(numbers(rest).collect()),
                "quota" => record.quota = numbers(rest).next(),
                "workers" => record.workers = Some(rest.to_owned()),
                _ => panic!("`{line}` is not understood"),
            }
        }
        record
    }

    fn machine(&self) -> Machine {
        let read = |name: &str| (name == "DVM_WORKERS").then(|| self.workers.clone().map(Into::into)).flatten();
        let quota = self.quota.map(|workers| Quota { workers, group: (0, 0) });
        let allowance = Allowance { cpus: self.cpuset.clone(), quota };
        Machine::new(self.topology.as_ref().expect("a machine"), &Config::read(read).unwrap(), &allowance).unwrap()
    }
}

/// The rank of a worker, `host.level.level`.
fn rank(machine: &Machine, worker: usize) -> String {
    let rank = machine.rank(worker);
    rank.outer(machine.dimension()).iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

/// Numbers, with `xN` for N repetitions.
fn runs(numbers: impl Iterator<Item = u64>) -> String {
    let mut runs: Vec<(u64, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((last, times)) if *last == number => *times += 1,
            _ => runs.push((number, 1)),
        }
    }
    let run =
        |(number, times): &(u64, usize)| if *times == 1 { format!("{number}") } else { format!("{number}x{times}") };
    runs.iter().map(run).collect::<Vec<_>>().join(" ")
}

/// The result: all ranks of up to 32 workers, otherwise the first eight and the last.
fn found(machine: &Machine) -> String {
    let workers = machine.workers();
    let mut text = String::from("found\n");
    let _ = writeln!(text, "{machine}");
    let shown = if workers <= 32 { workers } else { 8 };
    let ranks: Vec<_> = (0..shown).map(|worker| rank(machine, worker)).collect();
    let last = if shown < workers { format!(" ... {}", rank(machine, workers - 1)) } else { String::new() };
    let _ = writeln!(text, "ranks {}{last}", ranks.join(" "));
    for from in BTreeSet::from([0, workers - 1]) {
        let distances = runs((0..workers).map(|other| machine.distance(from, other)));
        let _ = writeln!(text, "distances from {from}: {distances}");
    }
    text
}

fn check(name: &str) {
    let path = folder().join(name).with_extension("machine");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let about: Vec<&str> = text.lines().take_while(|line| *line != "found").collect();
    assert!(about.first().is_some_and(|line| line.starts_with("# ")), "{name}: the reason comes first");
    let expected = format!("{}\n{}", about.join("\n"), found(&Record::read(about.iter().copied()).machine()));
    testkit::expect(path, &expected);
}

testkit::file_tests! {
    check in "src/machine/recorded", "machine":
    a64fx
    a64fx_with_assistants
    arm_server_64_cores
    big_little
    cpuset_across_packages
    cpuset_of_one_core
    desktop_two_ccx
    laptop_four_cores_smt
    laptop_hybrid
    laptop_two_cores
    manycore_memory_side_caches
    more_workers_than_pus
    phone_three_kinds
    power8_smt8
    power9_pairs_of_cores
    quota_of_two_and_a_half
    quota_within_a_cpuset
    server_asymmetric
    server_ccx_nps1
    server_ccx_nps4
    server_eight_sockets
    server_eight_sockets_in_two_boxes
    server_four_sockets_ring
    server_high_bandwidth_memory
    server_snc2
    server_snc4
    server_two_sockets
    virtual_machine_one_core_sockets
    virtual_machine_one_cpu
    workstation_ccx_three_of_four
}
