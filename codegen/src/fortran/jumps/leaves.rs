//! Jumps out of a loop: an `exit` goes on behind it, and a `cycle` or an `exit` of a loop around, or a `goto`, elsewhere. Flags keep
//! which of these jumps has left the loop.

use super::Graph;
use super::blocks::{JumpBlock, Way};
use crate::fortran::hlfir::{EXIT, FLAG, HlfirOp, RAISED};

/// Blocks as they were, with their places.
type KeptBlocks = Vec<(usize, JumpBlock)>;

/// Where a loop is left to, if that is not the block behind it.
pub(super) struct Elsewhere {
    /// The label.
    to: String,
    /// The value that stands for the flag.
    flag: String,
    number: usize,
    /// The first jump there: a refusal names its line.
    jump: HlfirOp,
}

impl Elsewhere {
    /// Lowers the flag, at the place of the loop that follows.
    pub fn begins(&self, made: &HlfirOp) -> HlfirOp {
        HlfirOp { results: vec![self.flag.clone()], ..named(FLAG, "", made) }
    }
}

/// An operation of another name at the place of one.
fn named(name: &str, text: &str, at: &HlfirOp) -> HlfirOp {
    HlfirOp { name: name.to_owned(), text: text.to_owned(), results: Vec::new(), regions: Vec::new(), ..at.clone() }
}

impl Graph {
    /// Makes operations of the jumps out of the loop between two blocks, as if each led to its last block: where they lead, but for
    /// the block behind the loop, and the blocks as they were.
    pub(super) fn leave_loop(
        &mut self,
        head: usize,
        latch: usize,
        behind: usize,
    ) -> Option<(Vec<Elsewhere>, KeptBlocks)> {
        let (mut ways, mut kept) = (Vec::<Elsewhere>::new(), KeptBlocks::new());
        for at in head + 1..latch {
            let block = &self.blocks[at];
            let Way::To(label) = block.way() else { continue };
            let Some(to) = self.find(label).filter(|to| !block.gone && *to > latch) else { continue };
            let flag = (to != behind).then(|| {
                let known = ways.iter().find(|way| way.to == label).map(|way| way.flag.clone());
                known.unwrap_or_else(|| {
                    self.made += 1;
                    let (number, flag) = (self.made, format!("%dvm_flag{}", self.made));
                    ways.push(Elsewhere { to: label.to_owned(), flag: flag.clone(), number, jump: block.end.clone() });
                    flag
                })
            });
            kept.push((at, block.clone()));
            let last = self.blocks[latch].label.clone();
            let block = &mut self.blocks[at];
            block.ops.push(named(EXIT, &flag.unwrap_or_default(), &block.end));
            block.end.text = last;
        }
        // Each way but the block behind needs two blocks of those that the loop had.
        if 2 * ways.len() > latch - head + 1 {
            self.keep_jumps(kept);
            return None;
        }
        Some((ways, kept))
    }

    /// Puts blocks back.
    pub(super) fn keep_jumps(&mut self, kept: Vec<(usize, JumpBlock)>) {
        for (at, block) in kept {
            self.blocks[at] = block;
        }
    }

    /// Asks the flags behind the loop that `entry` now has, in blocks which take the places of those that the loop had from `free` on.
    pub(super) fn lead_on(&mut self, entry: usize, free: usize, ways: &[Elsewhere]) {
        let mut from = entry;
        for (way, free) in ways.iter().zip((free..).step_by(2)) {
            let (number, end) = (way.number, self.blocks[from].end.clone());
            let raised = format!("%dvm_raised{number}");
            let (yes, no) = (format!("^dvm_leave{number}"), format!("^dvm_stay{number}"));
            let ask = HlfirOp { results: vec![raised.clone()], ..named(RAISED, &way.flag, &end) };
            self.blocks[free] = JumpBlock { label: yes.clone(), end: way.jump.clone(), ..JumpBlock::default() };
            self.blocks[free + 1] = JumpBlock { label: no.clone(), end: end.clone(), ..JumpBlock::default() };
            let block = &mut self.blocks[from];
            block.ops.push(ask);
            block.end = named("cf.cond_br", &format!("{raised}, {yes}, {no}"), &end);
            from = free + 1;
        }
    }
}
