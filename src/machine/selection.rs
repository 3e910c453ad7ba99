//! Selects the PUs that get workers.

use std::collections::{BTreeMap, BTreeSet};

use super::topology::Pu;

/// The PU of each worker, as an index into `pus`, in tree order.
///
/// Only takes PUs in `allowed`, if given. With fewer workers than PUs, each core gets one worker, in tree order, before
/// any core gets a second one. With more, the first PUs get one more than the others.
pub(super) fn select(pus: &[Pu], allowed: Option<&BTreeSet<u32>>, workers: usize) -> Vec<usize> {
    let usable = usable(pus, allowed);
    if usable.is_empty() {
        return Vec::new();
    }
    if workers > usable.len() {
        let (each, more) = (workers / usable.len(), workers % usable.len());
        let repeat = |(i, &pu): (usize, &usize)| std::iter::repeat_n(pu, each + usize::from(i < more));
        return usable.iter().enumerate().flat_map(repeat).collect();
    }
    let mut taken_of_core = BTreeMap::new();
    let mut turns: Vec<(usize, usize)> = usable
        .iter()
        .map(|&pu| {
            let turn = taken_of_core.entry(pus[pu].core).or_insert(0);
            *turn += 1;
            (*turn, pu)
        })
        .collect();
    turns.sort_unstable();
    let mut selected: Vec<usize> = turns[..workers].iter().map(|&(_, pu)| pu).collect();
    selected.sort_unstable();
    selected
}

/// The PUs that may be used.
pub(super) fn usable(pus: &[Pu], allowed: Option<&BTreeSet<u32>>) -> Vec<usize> {
    (0..pus.len()).filter(|&pu| allowed.is_none_or(|allowed| allowed.contains(&pus[pu].os_index))).collect()
}
