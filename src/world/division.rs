//! The division of a host among its processes.
//!
//! No PU goes to two processes unless some process would have none. Each process gets PUs that it may use, and as large
//! a part of them as the others get of theirs. Processes with equal cpusets get contiguous parts of the tree.

use std::collections::BTreeMap;

use crate::machine::share::{CpuClaim, Share};

/// The part of each process. `claims`: what the processes of one host may use, in the order of the job.
///
/// # Panics
/// If a process may use no PU: [`crate::machine`] refuses such a process before.
pub(crate) fn divide(claims: &[CpuClaim]) -> Vec<Share> {
    let mut parts = parts(claims);
    let left: Vec<usize> = (0..claims.len()).filter(|&process| parts[process].is_empty()).collect();
    for (turn, process) in left.into_iter().enumerate() {
        parts[process] = shared(&claims[process].cpus, &parts, turn);
    }
    let mut owners: BTreeMap<u32, usize> = BTreeMap::new();
    for cpu in parts.iter().flatten() {
        *owners.entry(*cpu).or_default() += 1;
    }
    let quotas = quotas(claims);
    let share = |(cpus, quota): (Vec<u32>, Option<usize>)| Share {
        alone: cpus.iter().all(|cpu| owners[cpu] == 1),
        cpus,
        quota,
    };
    parts.into_iter().zip(quotas).map(share).collect()
}

/// The PUs of each process, none of them twice.
fn parts(claims: &[CpuClaim]) -> Vec<Vec<u32>> {
    let mut parts = vec![Vec::new(); claims.len()];
    // PUs that the same processes may use, in tree order; those that the fewest may use come first.
    let mut classes: BTreeMap<(usize, Vec<usize>), Vec<u32>> = BTreeMap::new();
    for (cpu, users) in users(claims) {
        classes.entry((users.len(), users)).or_default().push(cpu);
    }
    for ((_, users), cpus) in classes {
        let counts = counts(&users, cpus.len(), claims, &parts);
        let mut rest = cpus.as_slice();
        for (process, count) in users.into_iter().zip(counts) {
            let (own, others) = rest.split_at(count);
            parts[process].extend_from_slice(own);
            rest = others;
        }
    }
    // Parts of several classes: back into the order of the tree.
    for (part, claim) in parts.iter_mut().zip(claims) {
        let place: BTreeMap<u32, usize> = claim.cpus.iter().enumerate().map(|(place, &cpu)| (cpu, place)).collect();
        part.sort_by_key(|cpu| place[cpu]);
    }
    parts
}

/// Each PU of the host with the processes that may use it, in an order that is the tree's for every process: the
/// trees of processes differ only in what they lack.
fn users(claims: &[CpuClaim]) -> Vec<(u32, Vec<usize>)> {
    let mut users: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (process, claim) in claims.iter().enumerate() {
        for &cpu in &claim.cpus {
            users.entry(cpu).or_default().push(process);
        }
    }
    merged(&claims.iter().map(|claim| claim.cpus.as_slice()).collect::<Vec<_>>())
        .into_iter()
        .filter_map(|cpu| users.remove_entry(&cpu))
        .collect()
}

/// The members of all lists, each once, in an order that agrees with every list where they agree.
pub(super) fn merged<T: Copy + Ord>(lists: &[&[T]]) -> Vec<T> {
    let mut rest: Vec<&[T]> = lists.to_vec();
    // How many lists have a member behind their first one.
    let mut behind: BTreeMap<T, usize> = BTreeMap::new();
    for member in lists.iter().flat_map(|list| list.iter().skip(1)) {
        *behind.entry(*member).or_default() += 1;
    }
    let mut all = Vec::new();
    let mut taken = std::collections::BTreeSet::new();
    while rest.iter().any(|list| !list.is_empty()) {
        let firsts = || rest.iter().filter_map(|list| list.first().copied());
        let free = firsts().find(|first| behind.get(first).is_none_or(|&count| count == 0));
        // Where the lists contradict each other, the longest rest decides.
        let longest = || rest.iter().rev().max_by_key(|list| list.len()).and_then(|list| list.first().copied());
        let next = free.or_else(longest);
        let Some(next) = next else { break };
        if taken.insert(next) {
            all.push(next);
        }
        for list in &mut rest {
            while let Some((_, others)) = list.split_first().filter(|(first, _)| taken.contains(*first)) {
                *list = others;
                if let Some(count) = list.first().and_then(|first| behind.get_mut(first)) {
                    *count -= 1;
                }
            }
        }
    }
    all
}

/// How many of `count` PUs each of `users` gets: one after the other goes to whoever has the smallest part of its own.
fn counts(users: &[usize], count: usize, claims: &[CpuClaim], parts: &[Vec<u32>]) -> Vec<usize> {
    let mut counts = vec![0; users.len()];
    for _ in 0..count {
        let part = |&user: &usize| {
            let process = users[user];
            // Fractions with positive denominators, compared without rounding.
            ((parts[process].len() + counts[user]) as u128, claims[process].cpus.len() as u128)
        };
        let least = (0..users.len()).min_by(|a, b| {
            let ((own_a, all_a), (own_b, all_b)) = (part(a), part(b));
            (own_a * all_b).cmp(&(own_b * all_a)).then(a.cmp(b))
        });
        if let Some(least) = least {
            counts[least] += 1;
        }
    }
    counts
}

/// The PU of a process that is left without one: the one with the fewest owners, in turn.
fn shared(cpus: &[u32], parts: &[Vec<u32>], turn: usize) -> Vec<u32> {
    let owners = |cpu: &u32| parts.iter().filter(|part| part.contains(cpu)).count();
    let least = cpus.iter().map(owners).min().expect("a process may use some PU");
    let fewest: Vec<u32> = cpus.iter().copied().filter(|cpu| owners(cpu) == least).collect();
    vec![fewest[turn % fewest.len()]]
}

/// The workers that each process's part of its quota allows. Processes of one group divide the group's.
fn quotas(claims: &[CpuClaim]) -> Vec<Option<usize>> {
    let mut members: BTreeMap<_, usize> = BTreeMap::new();
    for quota in claims.iter().filter_map(|claim| claim.quota) {
        *members.entry(quota).or_default() += 1;
    }
    let mut before: BTreeMap<_, usize> = BTreeMap::new();
    let mut part = |claim: &CpuClaim| {
        let quota = claim.quota?;
        let (sharers, place) = (members[&quota], before.entry(quota).or_default());
        let part = quota.workers / sharers + usize::from(*place < quota.workers % sharers);
        *place += 1;
        Some(part.max(1))
    };
    claims.iter().map(&mut part).collect()
}
