//! Descriptors of a plan: over coordinates, and over memories with linear addresses.

use crate::distribution::Distribution;
use crate::distribution::domain::Domain;
use crate::error::{Error, Result};
use crate::integer::number::narrow;
use crate::plan::choice::{Component, Copy};
use crate::room;

/// A strided copy over coordinates: what the checking oracle reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The first source location.
    pub source: Vec<i64>,
    /// The first target location.
    pub target: Vec<i64>,
    /// `(count, source increments, target increments)`.
    pub levels: Vec<(i64, Vec<i64>, Vec<i64>)>,
}

/// A strided copy between two memories, in elements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Descriptor {
    /// The source memory.
    pub source_memory: i64,
    /// The target memory.
    pub target_memory: i64,
    /// The first element's place in the source memory.
    pub source_offset: i64,
    /// The first element's place in the target memory.
    pub target_offset: i64,
    /// `(count, source stride, target stride)`, the most contiguous first.
    pub levels: Vec<(i64, i64, i64)>,
}

impl Transfer {
    /// The copy that is the product of one copy per component.
    pub fn product(components: &[Component], copies: &[&Copy]) -> Self {
        let mut source = vec![0; components.iter().map(|c| c.source_variables.len()).sum()];
        let mut target = vec![0; components.iter().map(|c| c.target_variables.len()).sum()];
        let mut levels = Vec::new();
        for (c, copy) in components.iter().zip(copies) {
            let (s, t) = (&c.source, &c.target);
            place(&mut source, &c.source_variables, &s.arch, &s.memories[copy.source as usize]);
            place(&mut source, &c.source_variables, &s.data, &s.code.decode(copy.part.source));
            place(&mut target, &c.target_variables, &t.arch, &t.memories[copy.target as usize]);
            place(&mut target, &c.target_variables, &t.data, &t.code.decode(copy.part.target));
            for l in &copy.part.levels {
                let (mut from, mut to) = (vec![0; source.len()], vec![0; target.len()]);
                place(&mut from, &c.source_variables, &s.data, &s.code.difference(l.source));
                place(&mut to, &c.target_variables, &t.data, &t.code.difference(l.target));
                levels.push((l.count, from, to));
            }
        }
        Self { source, target, levels }
    }

    /// The number of elements.
    pub fn volume(&self) -> i64 {
        self.levels.iter().map(|l| l.0).product()
    }
}

fn place(into: &mut [i64], global: &[usize], variables: &[usize], values: &[i64]) {
    for (&i, &v) in variables.iter().zip(values) {
        into[global[i]] = v;
    }
}

/// Memory numbers and linear addresses of one side: memories are numbered row-major over the box of the
/// architectural variables; a memory is addressed row-major over the box of the data variables in layout order.
#[derive(Clone, Debug)]
pub struct Addressing {
    /// The least value of each variable.
    pub low: Vec<i64>,
    /// What a step of each variable adds to the memory's number.
    pub memory: Vec<i64>,
    /// What a step of each variable adds to the place in a memory.
    pub place: Vec<i64>,
    /// The number of memories in the box.
    pub memories: i64,
    /// Elements per memory.
    pub extent: i64,
}

impl Addressing {
    /// The addressing of a distribution with its parameters put in.
    pub fn new(distribution: &Distribution, domain: &Domain) -> Result<Self> {
        let layout = distribution.layout();
        let index = |name: &String| domain.names.iter().position(|n| n == name);
        let data: Vec<usize> = layout.iter().filter_map(index).collect();
        let arch: Vec<usize> = (0..domain.len()).filter(|&i| domain.arch[i]).collect();
        let (memory, memories) = weights(domain, &arch)?;
        let (place, extent) = weights(domain, &data)?;
        Ok(Self { low: domain.bounding.iter().map(|b| b.0).collect(), memory, place, memories, extent })
    }

    /// The number of a location's memory.
    pub fn memory(&self, at: &[i64]) -> i64 {
        at.iter().zip(&self.low).zip(&self.memory).map(|((a, l), w)| (a - l) * w).sum()
    }

    /// A location's place in its memory.
    pub fn offset(&self, at: &[i64]) -> i64 {
        at.iter().zip(&self.low).zip(&self.place).map(|((a, l), w)| (a - l) * w).sum()
    }

    /// The address step of coordinate increments.
    pub fn stride(&self, step: &[i64]) -> i64 {
        step.iter().zip(&self.place).map(|(s, w)| s * w).sum()
    }
}

fn weights(domain: &Domain, slowest_first: &[usize]) -> Result<(Vec<i64>, i64)> {
    let (mut weight, mut next) = (vec![0; domain.len()], 1_i64);
    for &i in slowest_first.iter().rev() {
        weight[i] = next;
        let (lo, hi) = domain.bounding[i];
        let size = (i128::from(hi) - i128::from(lo) + 1).max(0) * i128::from(next);
        next = narrow(size).ok_or_else(|| Error::overflow(domain.names[i].clone(), "the size of a memory"))?;
    }
    Ok((weight, next))
}

impl Descriptor {
    /// The linear form of a transfer.
    ///
    /// # Errors
    /// [`Error::is_no_memory`].
    pub fn linear(transfer: &Transfer, source: &Addressing, target: &Addressing) -> Result<Self> {
        let level = |(n, s, t): &(i64, Vec<i64>, Vec<i64>)| (*n, source.stride(s), target.stride(t));
        let mut levels: Vec<(i64, i64, i64)> = room::collected(transfer.levels.iter().map(level))?;
        levels.sort_by_key(|&(n, s, t)| ((s, t) != (1, 1), t.unsigned_abs().min(s.unsigned_abs()), n));
        Ok(Self {
            source_memory: source.memory(&transfer.source),
            target_memory: target.memory(&transfer.target),
            source_offset: source.offset(&transfer.source),
            target_offset: target.offset(&transfer.target),
            levels,
        })
    }
}
