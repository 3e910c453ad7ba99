//! Loops as flang shows them where something jumps: a variable counts the iterations that are left.

use super::blocks::{JumpBlock, Way};
use crate::fortran::hlfir::HlfirOp;

/// A loop of which flang counts the iterations that are left.
pub(super) struct Counted {
    /// The variable with the number of iterations that are left.
    pub left: String,
    /// Its first and last value, and the step.
    pub from: String,
    pub to: String,
    pub step: String,
    /// What gives the counter its first value.
    pub store: HlfirOp,
    /// The operations that compute the number of iterations.
    pub counts: Vec<String>,
    /// The variable that keeps the step, if that is no constant.
    pub kept_step: Option<String>,
    /// The labels of the loop's first block, and of what follows the loop.
    pub first: String,
    pub behind: String,
}

impl Counted {
    /// The operations that count on, at the end of each iteration.
    pub const LATCH: usize = 8;
    /// The operations that store the number of iterations and the first value, before the loop.
    pub const ENTRY: usize = 2;

    pub fn of(entry: &JumpBlock, head: &JumpBlock, latch: &JumpBlock) -> Option<Counted> {
        let [.., counting, store] = entry.ops.as_slice() else { return None };
        let (count, left) = stored(counting)?;
        let (from, counter) = stored(store)?;
        let (sum, step) = computed(entry, count, "arith.divsi")?;
        let (span, added) = computed(entry, sum, "arith.addi")?;
        let (to, start) = computed(entry, span, "arith.subi")?;
        if entry.end.name != "cf.br" || step != added || start != from {
            return None;
        }
        let (first, behind) = more_left(head, left)?;
        let KeptStep(kept_step) = counts_on(latch, left, counter, &|last| is_same_step(entry, step, last))?;
        Some(Counted {
            left: left.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            step: step.to_owned(),
            store: store.clone(),
            counts: [count, sum, span].map(str::to_owned).to_vec(),
            kept_step,
            first: first.to_owned(),
            behind: behind.to_owned(),
        })
    }

    pub fn store_of(&self, value: &str) -> String {
        let rest = self.store.text.split_once(' ').map_or("", |(_, rest)| rest);
        format!("{value} {rest}")
    }

    /// Whether an operation before the loop only computes the number of iterations, or keeps the step.
    pub fn is_count(&self, op: &HlfirOp) -> bool {
        let keeps = |place: &str| stored(op).is_some_and(|(_, to)| to == place);
        op.results.first().is_some_and(|result| self.counts.contains(result))
            || self.kept_step.as_deref().is_some_and(keeps)
    }
}

/// The value and the place of a `fir.store`.
fn stored(op: &HlfirOp) -> Option<(&str, &str)> {
    match op.operands()[..] {
        [value, to] if op.name == "fir.store" => Some((value, to)),
        _ => None,
    }
}

/// The operands of the operation of this name that computes a value in a block.
fn computed<'b>(block: &'b JumpBlock, value: &str, name: &str) -> Option<(&'b str, &'b str)> {
    let op = block.ops.iter().rev().find(|op| op.results.first().is_some_and(|result| result == value))?;
    match op.operands()[..] {
        [one, other] if op.name == name => Some((one, other)),
        _ => None,
    }
}

/// Whether iterations are left: the labels for yes and no.
fn more_left<'b>(head: &'b JumpBlock, left: &str) -> Option<(&'b str, &'b str)> {
    let [load, zero, compare] = head.ops.as_slice() else { return None };
    let is_left = load.name == "fir.load" && load.operands() == [left] && zero.text.starts_with("0 : ");
    let (count, none) = (load.results.first()?.as_str(), zero.results.first()?.as_str());
    let is_more =
        compare.name == "arith.cmpi" && compare.text.starts_with("sgt, ") && compare.operands() == [count, none];
    match head.way() {
        Way::Either(condition, first, behind)
            if is_left && is_more && compare.results.first().is_some_and(|result| result == condition) =>
        {
            Some((first, behind))
        }
        _ => None,
    }
}

/// The variable that keeps the step of a loop, if that is no constant.
struct KeptStep(Option<String>);

/// Whether the last operations of a block count one iteration less, and add the step to the counter; where the step is kept.
fn counts_on(
    latch: &JumpBlock,
    left: &str,
    counter: &str,
    is_step: &dyn Fn(&HlfirOp) -> Option<KeptStep>,
) -> Option<KeptStep> {
    let at = latch.ops.len().checked_sub(Counted::LATCH)?;
    let [load, one, less, store, current, step, next, store_next] = &latch.ops[at..] else { return None };
    let result = |op: &'_ HlfirOp| op.results.first().cloned().unwrap_or_default();
    let has = |op: &HlfirOp, name: &str, operands: [&str; 2]| op.name == name && op.operands() == operands;
    let counts = load.name == "fir.load"
        && load.operands() == [left]
        && one.name == "arith.constant"
        && one.text.starts_with("1 : ")
        && has(less, "arith.subi", [&result(load), &result(one)])
        && stored(store) == Some((&result(less), left));
    let adds = current.name == "fir.load"
        && current.operands() == [counter]
        && has(next, "arith.addi", [&result(current), &result(step)])
        && stored(store_next) == Some((&result(next), counter));
    let is_last = matches!(latch.way(), Way::To(_));
    if counts && adds && is_last { is_step(step) } else { None }
}

/// Whether an operation gives the step again: the same constant, or what was kept of it before the loop, with its place.
fn is_same_step(entry: &JumpBlock, step: &str, again: &HlfirOp) -> Option<KeptStep> {
    let first = entry.ops.iter().rev().find(|op| op.results.first().is_some_and(|result| result == step))?;
    if again.name == "arith.constant" && first.name == "arith.constant" && again.text == first.text {
        return Some(KeptStep(None));
    }
    let [from] = again.operands()[..] else { return None };
    let keeps = |op: &&HlfirOp| stored(op) == Some((step, from));
    let kept = again.name == "fir.load" && entry.ops.iter().any(|op| keeps(&op));
    kept.then(|| KeptStep(Some(from.to_owned())))
}
