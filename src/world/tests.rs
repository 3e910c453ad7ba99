//! Jobs from text, with the expected results, and random jobs.

use std::collections::{BTreeMap, BTreeSet};

use super::card::{Card, PROTOCOL, hosts};
use super::division::divide;
use super::rank_table::{RankTable, WorkerHome};
use crate::config::Config;
use crate::machine::quota::Quota;
use crate::machine::share::{CpuClaim, Positions, Share};
use crate::machine::survey::Survey;

/// A claim from `0-3 8; 2@7`: CPUs, and a quota of 2 workers of group 7.
fn claim(text: &str) -> CpuClaim {
    let (cpus, quota) = text.split_once(';').unwrap_or((text, ""));
    let range = |word: &str| {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        first.parse::<u32>().unwrap()..=last.parse().unwrap()
    };
    let quota = quota.trim().split_once('@');
    CpuClaim {
        cpus: cpus.split_whitespace().flat_map(range).collect(),
        quota: quota
            .map(|(workers, group)| Quota { workers: workers.parse().unwrap(), group: (0, group.parse().unwrap()) }),
    }
}

fn text(share: &Share) -> String {
    let cpus = share.cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let quota = share.quota.map_or(String::new(), |quota| format!("; {quota}"));
    format!("{cpus}{}{quota}", if share.alone { "" } else { " shared" })
}

#[test]
fn a_host_is_divided_fairly_and_no_pu_twice() {
    #[rustfmt::skip]
    let table: &[(&[&str], &[&str])] = &[
        (&["0-7"], &["0 1 2 3 4 5 6 7"]),
        (&["0-7", "0-7"], &["0 1 2 3", "4 5 6 7"]),
        (&["0-7", "0-7", "0-7"], &["0 1 2", "3 4 5", "6 7"]),
        (&["0-3", "4-7"], &["0 1 2 3", "4 5 6 7"]),
        (&["0-3", "0-7"], &["0 1 2", "3 4 5 6 7"]),
        (&["0-3", "2-5"], &["0 1 2", "3 4 5"]),
        (&["0-7", "0", "1"], &["2 3 4 5 6 7", "0", "1"]),
        (&["0 4 1 5", "0 4 1 5"], &["0 4", "1 5"]),
        (&["0", "0"], &["0 shared", "0 shared"]),
        (&["0-1", "0-1", "0-1", "0-1", "0-1"], &["0 shared", "1 shared", "0 shared", "1 shared", "0 shared"]),
        (&["0-1", "0", "0"], &["1", "0 shared", "0 shared"]),
        (&["0-7; 3@1", "0-7; 3@1"], &["0 1 2 3; 2", "4 5 6 7; 1"]),
        (&["0-7; 3@1", "0-7; 3@2"], &["0 1 2 3; 3", "4 5 6 7; 3"]),
        (&["0-3; 1@1", "0-3; 1@1", "0-3"], &["0 1; 1", "2; 1", "3"]),
    ];
    for (claims, expected) in table {
        let claims: Vec<CpuClaim> = claims.iter().map(|text| claim(text)).collect();
        assert_eq!(divide(&claims).iter().map(text).collect::<Vec<_>>(), *expected, "{claims:?}");
    }
}

/// The positions of the workers of a process that has this part of a machine in hwloc's synthetic syntax.
fn positions(machine: &str, cpus: &[u32], workers: Option<usize>) -> Positions {
    let survey = Survey::synthetic(machine);
    let set = |name: &str| workers.filter(|_| name == "DVM_WORKERS").map(|count| count.to_string().into());
    let share = Share { cpus: cpus.to_vec(), alone: true, quota: None };
    survey.positions(&survey.machine(&Config::read(set).unwrap(), &share).unwrap())
}

/// A process: the number of its host, its host in hwloc's synthetic syntax, its CPUs.
type Process = (usize, &'static str, &'static str);

/// The table of a job.
fn table(job: &[Process]) -> RankTable {
    let process = |&(host, machine, cpus): &Process| (host, positions(machine, &claim(cpus).cpus, None));
    RankTable::new(&job.iter().map(process).collect::<Vec<_>>())
}

/// The rank of each worker, with its process.
fn ranks(table: &RankTable) -> String {
    let rank = |number: usize| {
        let digits: String = table.rank(number).outer(table.dimension()).iter().map(u64::to_string).collect();
        format!("{digits}:{}", table.home(number).process)
    };
    (0..table.count()).map(rank).collect::<Vec<_>>().join(" ")
}

#[test]
fn ranks_of_several_processes_are_those_of_one_tree() {
    #[rustfmt::skip]
    let jobs: &[(&[Process], &str)] = &[
        // One process, as without others.
        (&[(0, "pack:2 core:2 pu:1", "0-3")], "000:0 001:0 010:0 011:0"),
        // Two on a host.
        (&[(0, "pack:2 core:2 pu:1", "0-1"), (0, "pack:2 core:2 pu:1", "2-3")], "000:0 001:0 010:1 011:1"),
        (&[(0, "pack:2 core:2 pu:1", "2-3"), (0, "pack:2 core:2 pu:1", "0-1")], "000:1 001:1 010:0 011:0"),
        (&[(0, "core:4 pu:1", "0 2"), (0, "core:4 pu:1", "1 3")], "00:0 01:1 02:0 03:1"),
        // One worker each: only hosts tell them apart.
        (&[(0, "pu:1", "0"), (1, "pu:1", "0"), (2, "pu:1", "0")], "0:0 1:1 2:2"),
        // Two hosts, alike and unlike.
        (&[(0, "core:2 pu:1", "0-1"), (1, "core:2 pu:1", "0-1")], "00:0 01:0 10:1 11:1"),
        (&[(0, "pack:2 core:1 pu:1", "0-1"), (1, "core:3 pu:1", "0-2")], "00:0 01:0 10:1 11:1 12:1"),
        (&[(0, "pack:2 core:2 pu:1", "0-3"), (1, "l3:2 core:1 pu:1", "0-1")], "000:0 001:0 010:0 011:0 100:1 110:1"),
        // Processes that share a PU.
        (&[(0, "core:2 pu:1", "0"), (0, "core:2 pu:1", "0"), (0, "core:2 pu:1", "1")], "000:0 001:1 010:2"),
        (&[(0, "pu:1", "0"), (0, "pu:1", "0")], "00:0 01:1"),
    ];
    for (job, expected) in jobs {
        assert_eq!(ranks(&table(job)), *expected, "{job:?}");
    }
}

#[test]
fn one_process_has_the_ranks_that_its_machine_has() {
    for machine in ["pu:1", "pack:4 core:4 pu:2", "pack:2 [numa] l3:2 l2:2 core:1 pu:2", "numa:2 pack:2 core:3 pu:1"] {
        for workers in [None, Some(1), Some(3), Some(70)] {
            let survey = Survey::synthetic(machine);
            let set =
                |name: &str| workers.filter(|_| name == "DVM_WORKERS").map(|count: usize| count.to_string().into());
            let config = Config::read(set).unwrap();
            let share = &divide(&[survey.claim()])[0];
            let own = survey.machine(&config, share).unwrap();
            let table = RankTable::new(&[(0, survey.positions(&own))]);
            assert_eq!(
                (table.count(), table.dimension(), table.sizes()),
                (own.workers(), own.dimension(), own.sizes())
            );
            for a in 0..own.workers() {
                assert_eq!(table.rank(a), own.rank(a), "{machine} {workers:?}");
                assert_eq!(table.home(a), WorkerHome { process: 0, worker: a as u32 });
                for b in 0..own.workers() {
                    assert_eq!(table.distance(a, b), own.distance(a, b), "{machine} {workers:?} {a} {b}");
                }
            }
        }
    }
}

#[test]
fn the_processes_of_this_host_divide_it() {
    let config = Config::read(|_| None).unwrap();
    let survey = Survey::read(&config).unwrap();
    let claim = survey.claim();
    for processes in 1..=2 * claim.cpus.len() {
        let shares = divide(&vec![claim.clone(); processes]);
        let machines: Vec<_> = shares.iter().map(|share| survey.machine(&config, share).unwrap()).collect();
        let job: Vec<_> = machines.iter().map(|machine| (0, survey.positions(machine))).collect();
        check_table(&RankTable::new(&job), &job, 0);
        let owned: usize = shares.iter().map(|share| share.cpus.len()).sum();
        assert_eq!(owned, claim.cpus.len().max(processes), "{processes} processes");
    }
}

#[test]
fn random_jobs_divide_their_hosts_and_name_each_worker_once() {
    const MACHINES: [&str; 6] = [
        "pu:1",
        "core:2 pu:1",
        "pack:2 core:2 pu:2",
        "numa:2 l3:2 core:2 pu:1",
        "l3:3 core:1 pu:2",
        "pack:1 core:5 pu:1",
    ];
    for seed in testkit::seeds(200) {
        let mut random = testkit::Random::new(seed);
        let mut below = |bound: usize| random.below(bound);
        let mut job: Vec<(usize, Positions)> = Vec::new();
        for host in 0..=below(4) {
            let machine = MACHINES[below(MACHINES.len())];
            let survey = Survey::synthetic(machine);
            let all = survey.claim().cpus;
            let claims: Vec<CpuClaim> = (0..=below(5))
                .map(|_| {
                    let some: Vec<u32> = all.iter().copied().filter(|_| below(3) > 0).collect();
                    CpuClaim { cpus: if some.is_empty() { all.clone() } else { some }, quota: None }
                })
                .collect();
            let shares = divide(&claims);
            check_division(&claims, &shares, seed);
            job.extend(shares.iter().map(|share| (host, positions(machine, &share.cpus, [None, Some(2)][below(2)]))));
        }
        check_table(&RankTable::new(&job), &job, seed);
    }
}

fn check_division(claims: &[CpuClaim], shares: &[Share], seed: u64) {
    let mut owners: BTreeMap<u32, usize> = BTreeMap::new();
    for (claim, share) in claims.iter().zip(shares) {
        assert!(!share.cpus.is_empty() && share.cpus.iter().all(|cpu| claim.cpus.contains(cpu)), "seed {seed}");
        share.cpus.iter().for_each(|cpu| *owners.entry(*cpu).or_default() += 1);
    }
    for share in shares {
        assert_eq!(share.alone, share.cpus.iter().all(|cpu| owners[cpu] == 1), "seed {seed}");
        assert!(share.alone || share.cpus.len() == 1 || share.cpus.iter().any(|cpu| owners[cpu] > 1), "seed {seed}");
    }
    let usable: BTreeSet<u32> = claims.iter().flat_map(|claim| claim.cpus.clone()).collect();
    assert_eq!(owners.keys().copied().collect::<BTreeSet<_>>(), usable, "seed {seed}: every PU has an owner");
}

fn check_table(table: &RankTable, job: &[(usize, Positions)], seed: u64) {
    assert_eq!(table.count(), job.iter().map(|(_, own)| own.workers.len()).sum::<usize>(), "seed {seed}");
    for number in 0..table.count() {
        let home = table.home(number);
        assert_eq!((table.find(&table.rank(number)), table.number(home)), (Some(number), number), "seed {seed}");
        assert_eq!(
            table.rank(number).raw()[0] as usize,
            job[home.process as usize].0,
            "seed {seed}: component 0 is the host"
        );
        for other in 0..table.count() {
            let distance = table.distance(number, other);
            assert_eq!(distance == 0, number == other, "seed {seed}");
            assert_eq!(distance, table.distance(other, number), "seed {seed}");
        }
    }
    for host in 0..=job.last().map_or(0, |(host, _)| *host) {
        let on = |number: usize| job[table.home(number).process as usize].0 == host;
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..table.count()).partition(|&number| on(number));
        let largest = inside.iter().flat_map(|&a| inside.iter().map(move |&b| table.distance(a, b))).max();
        let least = inside.iter().flat_map(|&a| outside.iter().map(move |&b| table.distance(a, b))).min();
        assert!(least.is_none_or(|least| Some(least) > largest), "seed {seed}: other hosts are farther");
    }
}

fn card(build: &str, host: &str, cpus: &str) -> Card {
    let (build, host) = (build.to_owned(), host.to_owned());
    let claim = claim(cpus);
    Card { protocol: PROTOCOL, build, host, pid: 7, claim, clock: 3, timeline: true, summary: false, profile: false }
}

#[test]
fn cards_travel_as_bytes_and_others_are_refused() {
    let sent = card("b", "h", "0-3; 2@5");
    assert_eq!(Card::decode(3, &sent.encode()).unwrap(), sent);
    let bytes = sent.encode();
    for length in 0..bytes.len() {
        assert!(Card::decode(3, &bytes[..length]).unwrap_err().message().contains("process 3"), "{length}");
    }
    let older = String::from_utf8(bytes).unwrap().replace("\"protocol\":1", "\"protocol\":99");
    let told = Card::decode(3, older.as_bytes()).unwrap_err();
    assert!(told.message().contains("process 3 has a libdvm of protocol 99"), "{told}");
}

#[test]
fn hosts_are_numbered_by_their_lowest_process_and_builds_compared() {
    let job = [card("b", "y", "0"), card("b", "x", "0"), card("b", "y", "1")];
    assert_eq!(hosts(&job).unwrap(), [0, 1, 0]);
    let told = hosts(&[card("b", "y", "0"), card("c", "y", "0")]).unwrap_err();
    assert!(told.message().contains("process 0 has libdvm b and process 1 has libdvm c"), "{told}");
    assert!(hosts(&[card("b", "y", "0"), card("b", "y", "")]).unwrap_err().message().contains("cpuset"));
}
