//! Causes and cycles of random snapshots, compared with reachability.

use super::analysis::{Findings, find};
use super::snapshot::{Datum, PromiseSource, Snapshot, TaskNode};
use super::words;
use crate::id::DatumId;
use testkit::Random;

/// Waiting and publishing tasks, given as a drawing: for each datum its source and those who wait for it.
fn snapshot(tasks: usize, data: &[(PromiseSource, Vec<usize>, u32)]) -> Snapshot {
    let node = || TaskNode { description: "node", view: None, missing: Vec::new(), outputs: Vec::new() };
    let mut snapshot = Snapshot { tasks: (0..tasks).map(|_| node()).collect(), ..Snapshot::default() };
    for (place, (source, waiters, sleepers)) in data.iter().enumerate() {
        let (id, waiters) = (DatumId::here(place as u64 + 1), waiters.clone());
        for &task in &waiters {
            snapshot.tasks[task].missing.push(place);
        }
        if let PromiseSource::Task(task) = source {
            snapshot.tasks[*task].outputs.push(place);
        }
        snapshot.data.push(Datum { id, size: 8, predecessor: None, source: *source, sleepers: *sleepers, waiters });
    }
    snapshot
}

/// `reach[a][b]`: task a waits for task b, in one or more steps.
fn reachability(snapshot: &Snapshot) -> Vec<Vec<bool>> {
    let count = snapshot.tasks.len();
    let mut reach = vec![vec![false; count]; count];
    for datum in &snapshot.data {
        if let PromiseSource::Task(publisher) = datum.source {
            datum.waiters.iter().for_each(|&task| reach[task][publisher] = true);
        }
    }
    for via in 0..count {
        for a in 0..count {
            for b in 0..count {
                reach[a][b] |= reach[a][via] && reach[via][b];
            }
        }
    }
    reach
}

fn check(snapshot: &Snapshot, found: &Findings) {
    let reach = reachability(snapshot);
    let tasks = snapshot.tasks.len();
    // Each group of tasks that wait for each other has one cycle, and each cycle is a path.
    let groups = (0..tasks).filter(|&task| reach[task][task] && !(0..task).any(|b| reach[task][b] && reach[b][task]));
    assert_eq!(found.cycles.len(), groups.count());
    for cycle in &found.cycles {
        assert!(cycle.len() > 1);
        for (turn, step) in cycle.iter().enumerate() {
            let next = cycle[(turn + 1) % cycle.len()];
            assert!(snapshot.data[step.datum].waiters.contains(&step.task));
            assert_eq!(snapshot.data[step.datum].source, PromiseSource::Task(next.task));
            assert_eq!(cycle.iter().filter(|other| other.task == step.task).count(), 1);
        }
    }
    // Every waiting task ultimately waits for a cause or a cycle.
    let waits = |task: usize| !snapshot.tasks[task].missing.is_empty();
    for task in (0..tasks).filter(|&task| waits(task)) {
        let reached = |other: usize| other == task || reach[task][other];
        let cause = found.causes.iter().any(|cause| snapshot.data[cause.datum].waiters.iter().any(|&t| reached(t)));
        let cycle = found.cycles.iter().flatten().any(|step| reached(step.task));
        assert!(cause || cycle, "task {task} waits for nothing that is told");
    }
    for cause in &found.causes {
        let datum = &snapshot.data[cause.datum];
        assert!(!datum.waiters.is_empty() || datum.sleepers > 0);
        assert!(!matches!(datum.source, PromiseSource::Task(task) if waits(task)));
        let behind =
            |&task: &usize| !datum.waiters.contains(&task) && datum.waiters.iter().any(|&direct| reach[task][direct]);
        assert_eq!(cause.behind.unwrap(), (0..tasks).filter(behind).count());
    }
}

#[test]
fn causes_and_cycles_are_those_that_reachability_gives() {
    let (mut cycles, mut causes) = (0, 0);
    for mut random in testkit::seeds(2_000).map(Random::new) {
        let tasks = 2 + random.below(8);
        let data: Vec<_> = (0..random.below(12))
            .map(|_| {
                let source = match random.below(4) {
                    0 => PromiseSource::Nobody,
                    1 => PromiseSource::Hand,
                    _ => PromiseSource::Task(random.below(tasks)),
                };
                let mut waiters: Vec<usize> = (0..random.below(3)).map(|_| random.below(tasks)).collect();
                waiters.sort_unstable();
                waiters.dedup();
                // No task waits for itself: scheduling refuses that.
                waiters.retain(|&task| source != PromiseSource::Task(task));
                (source, waiters, random.below(4) as u32 / 3)
            })
            .collect();
        let snapshot = snapshot(tasks, &data);
        let found = find(&snapshot);
        if found.causes.len() <= 16 {
            check(&snapshot, &found);
        }
        cycles += found.cycles.len();
        causes += found.causes.len();
        words::tell(&snapshot, &found, true);
    }
    assert!(
        testkit::selected() || cycles > 50 && causes > 1000,
        "the cases are worth something: {cycles} cycles, {causes} causes"
    );
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    let length = 200_000;
    let data: Vec<_> = (0..length)
        .map(|i| (if i == 0 { PromiseSource::Nobody } else { PromiseSource::Task(i - 1) }, vec![i], 0))
        .collect();
    let chain = snapshot(length, &data);
    let found = find(&chain);
    assert_eq!((found.cycles.len(), found.causes.len()), (0, 1));
    assert_eq!((found.causes[0].datum, found.causes[0].behind), (0, Some(length - 1)));
    assert!(words::tell(&chain, &found, true).lines().count() < 40);
}
