//! The strided copies between the memories of two layouts, made once.

use std::sync::Arc;

use crate::sync::lock::Mutex;
use dvm_redist::plan::descriptor::Transfer;
use dvm_redist::plan::sums::Sums;
use dvm_redist::{Case, Figures, Options, Parameters, Plan, Strategy};

use super::copy_list::{Copies, Level};
use super::far_plan::FarPlan;
use super::layout::Layout;
use super::program::Program;
use super::refused;
use crate::error::{Error, dvm_retcode_t};
use crate::memory;

/// A plan with more strided copies than this is refused: they would not fit in memory.
const MOST_COPIES: i64 = 1 << 24;

/// A planned redistribution.
pub(crate) struct Redistribution {
    /// The elements that each source memory must hold.
    pub(crate) source_sizes: Vec<i64>,
    /// The elements that each target memory must have room for.
    pub(crate) target_sizes: Vec<i64>,
    pub(crate) copies: Copies,
    pub(crate) figures: Figures,
    /// Elements by source and target memory, ascending.
    messages: Vec<((u32, u32), i64)>,
    /// What this process does with it, if its memories lie in several processes.
    pub(crate) far: Option<FarPlan>,
    /// By size of element.
    programs: Mutex<Vec<(usize, Arc<Program>)>>,
}

impl Redistribution {
    /// Plans the redistribution between two layouts.
    pub(crate) fn plan(source: &Layout, target: &Layout, balance: bool) -> Result<Self, Error> {
        let case = Case {
            id: "plan".to_owned(),
            parameters: Parameters::new(),
            family: None,
            element_size: 1,
            source: source.distribution().clone(),
            target: target.distribution().clone(),
        };
        let plan = Plan::new(&case, Options { strategy: Strategy::Exact, balance }).map_err(|e| refused(&e))?;
        let figures = plan.figures.clone();
        if figures.descriptors > MOST_COPIES {
            return Err(Error::new(
                dvm_retcode_t::DVM_ERR_UNSUPPORTED,
                format!(
                    "the plan has {} strided copies, more than {MOST_COPIES}: redistribute a part of the array at a time",
                    figures.descriptors
                ),
            ));
        }
        let mut copies = Copies::default();
        memory::room_for(&mut copies.list, figures.descriptors as usize)?;
        let mut messages = Sums::new();
        let (mut from, mut to) = (Weights::new(source), Weights::new(target));
        for transfer in plan.transfers() {
            let pair = (source.memory(&transfer.source), target.memory(&transfer.target));
            let levels = levels(&transfer, from.of(pair.0), to.of(pair.1))?;
            let places =
                (source.offset(&transfer.source, from.of(pair.0)), target.offset(&transfer.target, to.of(pair.1)));
            let pair = (pair.0 as u32, pair.1 as u32);
            messages.add(pair, transfer.volume()).map_err(|e| refused(&e))?;
            copies.add(pair, places, levels)?;
        }
        copies.list.sort_unstable_by_key(|c| (c.target, c.target_at, c.source, c.source_at));
        let sizes = |layout: &Layout| memory::tried((0..layout.memories() as usize).map(|m| layout.size(m as i64)));
        Ok(Self {
            source_sizes: sizes(source)?,
            target_sizes: sizes(target)?,
            copies,
            figures,
            messages: messages.ascending(),
            far: None,
            programs: Mutex::new(Vec::new()),
        })
    }

    /// A plan of copies that were listed one by one: a memory reaches as far as they do.
    pub(super) fn of_copies(mut copies: Copies, sources: usize, targets: usize) -> Result<Self, Error> {
        copies.list.sort_unstable_by_key(|c| (c.target, c.target_at, c.source, c.source_at));
        let none = |count: usize| memory::list((0..count).map(|_| 0_i64));
        let (mut source_sizes, mut target_sizes) = (none(sources)?, none(targets)?);
        for copy in &copies.list {
            let levels = &copies.shapes[copy.shape as usize];
            let reach = |at: i64, stride: fn(&Level) -> i64| {
                at + 1 + levels.iter().map(|l| (l.count - 1) * stride(l).max(0)).sum::<i64>()
            };
            let (from, to) = (reach(copy.source_at, |l| l.source), reach(copy.target_at, |l| l.target));
            let (source, target) = (&mut source_sizes[copy.source as usize], &mut target_sizes[copy.target as usize]);
            *source = from.max(*source);
            *target = to.max(*target);
        }
        Ok(Self {
            source_sizes,
            target_sizes,
            copies,
            figures: Figures::default(),
            messages: Vec::new(),
            far: None,
            programs: Mutex::new(Vec::new()),
        })
    }

    /// The elements by source and target memory, ascending.
    pub(super) fn messages(&self) -> &[((u32, u32), i64)] {
        &self.messages
    }

    /// The elements that one memory sends another.
    pub(crate) fn message(&self, source: u32, target: u32) -> i64 {
        self.messages.binary_search_by_key(&(source, target), |m| m.0).map_or(0, |k| self.messages[k].1)
    }

    /// The strided copies, and the elements that each target memory must have room for.
    pub(super) fn copies_and_targets(&self) -> (&Copies, &[i64]) {
        (&self.copies, &self.target_sizes)
    }

    /// The plan for elements of so many bytes.
    pub(crate) fn program(&self, element: usize) -> Result<Arc<Program>, Error> {
        let mut programs = self.programs.lock();
        if let Some((_, known)) = programs.iter().find(|p| p.0 == element) {
            return Ok(Arc::clone(known));
        }
        memory::room_for(&mut programs, 1)?;
        let program = Arc::new(Program::new(&self.copies, element)?);
        programs.push((element, Arc::clone(&program)));
        Ok(program)
    }
}

/// The weights of the memory that was asked for last.
struct Weights<'a> {
    layout: &'a Layout,
    memory: i64,
    own: Vec<i64>,
}

impl<'a> Weights<'a> {
    fn new(layout: &'a Layout) -> Self {
        Self { layout, memory: 0, own: layout.weights(0) }
    }

    fn of(&mut self, memory: i64) -> &[i64] {
        if memory != self.memory && !self.layout.uniform() {
            self.own = self.layout.weights(memory);
        }
        self.memory = memory;
        &self.own
    }
}

fn levels(transfer: &Transfer, source: &[i64], target: &[i64]) -> Result<Vec<Level>, Error> {
    let dot = |step: &[i64], weights: &[i64]| -> Result<i64, Error> {
        let sum = step.iter().zip(weights).map(|(&s, &w)| i128::from(s) * i128::from(w)).sum::<i128>();
        i64::try_from(sum).map_err(|_| Error::argument("a stride of the plan exceeds 2^63 elements"))
    };
    transfer
        .levels
        .iter()
        .map(|(count, s, t)| Ok(Level { count: *count, source: dot(s, source)?, target: dot(t, target)? }))
        .collect()
}
