//! Brute force: enumerates everything and judges a list of transfers, independently of the library's tables.
#![allow(dead_code, missing_docs)]

use dvm_redist::plan::descriptor::Transfer;
use dvm_redist::{Affine, Bound, Case, Distribution, Kind, Parameters};
use std::collections::{BTreeMap, BTreeSet};

pub struct Side<'a> {
    distribution: &'a Distribution,
    parameters: &'a Parameters,
    names: Vec<&'a str>,
    /// Every location, ascending, and its element.
    pub locations: BTreeMap<Vec<i64>, Vec<i64>>,
}

impl<'a> Side<'a> {
    pub fn new(distribution: &'a Distribution, parameters: &'a Parameters) -> Self {
        let names = distribution.variables().map(|(_, v)| v.name.as_str()).collect();
        let mut side = Self { distribution, parameters, names, locations: BTreeMap::new() };
        let mut partial: Vec<Vec<Option<i64>>> = vec![vec![None; side.names.len()]];
        for _ in 0..side.names.len() {
            partial = partial.iter().flat_map(|p| side.extend(p)).collect();
        }
        for p in partial {
            let at: Vec<i64> = p.into_iter().map(|v| v.expect("all assigned")).collect();
            let t = side.element(&at);
            side.locations.insert(at, t);
        }
        side
    }

    /// Assigns the first variable whose bounds are known.
    fn extend(&self, at: &[Option<i64>]) -> Vec<Vec<Option<i64>>> {
        for (i, (_, v)) in self.distribution.variables().enumerate() {
            if at[i].is_some() {
                continue;
            }
            let lo: Option<Vec<i64>> = v.lower.iter().map(|b| self.bound(b, at, true)).collect();
            let hi: Option<Vec<i64>> = v.upper.iter().map(|b| self.bound(b, at, false)).collect();
            if let (Some(lo), Some(hi)) = (lo, hi) {
                let range = *lo.iter().max().unwrap()..=*hi.iter().min().unwrap();
                let with = |x: i64| {
                    let mut next = at.to_vec();
                    next[i] = Some(x);
                    next
                };
                return range.map(with).collect();
            }
        }
        panic!("circular bounds");
    }

    fn bound(&self, b: &Bound, at: &[Option<i64>], up: bool) -> Option<i64> {
        let v = self.affine(&b.affine, at)?;
        Some(if up { -(-v).div_euclid(b.divisor) } else { v.div_euclid(b.divisor) })
    }

    fn affine(&self, a: &Affine, at: &[Option<i64>]) -> Option<i64> {
        let mut sum = a.constant;
        for (name, c) in &a.terms {
            sum += c * match self.names.iter().position(|n| n == name) {
                Some(i) => at[i]?,
                None => self.parameters[name],
            };
        }
        Some(sum)
    }

    pub fn element(&self, at: &[i64]) -> Vec<i64> {
        let offsets = self.distribution.dimensions.iter().map(|d| self.affine(&d.offset, &[]).unwrap());
        let mut t: Vec<i64> = offsets.collect();
        self.distribution.variables().zip(at).for_each(|((j, v), a)| t[j] += v.coef * a);
        t
    }

    pub fn memory(&self, at: &[i64]) -> Vec<i64> {
        self.distribution.variables().zip(at).filter(|((_, v), _)| v.kind == Kind::Arch).map(|(_, &a)| a).collect()
    }
}

pub struct Oracle<'a> {
    pub source: Side<'a>,
    pub target: Side<'a>,
    pub holders: BTreeMap<Vec<i64>, Vec<Vec<i64>>>,
}

pub struct Verdict {
    pub transfers: i64,
    pub descriptors: i64,
    pub max_load: i64,
    pub digest: String,
}

impl<'a> Oracle<'a> {
    pub fn new(case: &'a Case) -> Self {
        let source = Side::new(&case.source, &case.parameters);
        let target = Side::new(&case.target, &case.parameters);
        let mut holders: BTreeMap<Vec<i64>, Vec<Vec<i64>>> = BTreeMap::new();
        for (at, t) in &source.locations {
            holders.entry(t.clone()).or_default().push(at.clone());
        }
        Self { source, target, holders }
    }

    pub fn missing(&self) -> BTreeSet<Vec<i64>> {
        self.target.locations.values().filter(|t| !self.holders.contains_key(*t)).cloned().collect()
    }

    pub fn deliverable(&self) -> impl Iterator<Item = (&Vec<i64>, &Vec<i64>)> {
        self.target.locations.iter().filter(|(_, t)| self.holders.contains_key(*t))
    }

    /// Runs the transfers; an error says what is wrong with which.
    pub fn check(&self, transfers: impl Iterator<Item = Transfer>) -> Result<Verdict, String> {
        let mut got: BTreeMap<Vec<i64>, Vec<i64>> = BTreeMap::new();
        let mut load: BTreeMap<Vec<i64>, i64> = BTreeMap::new();
        let mut descriptors = 0;
        for (n, transfer) in transfers.enumerate() {
            descriptors += 1;
            let mut pairs = BTreeSet::new();
            for (from, to) in expand(&transfer) {
                let Some(s) = self.source.locations.get(&from) else {
                    return Err(format!("descriptor {n}: {from:?} is no source location"));
                };
                let Some(t) = self.target.locations.get(&to) else {
                    return Err(format!("descriptor {n}: {to:?} is no target location"));
                };
                if s != t {
                    return Err(format!("descriptor {n}: {from:?} holds {s:?}, {to:?} wants {t:?}"));
                }
                let memory = self.source.memory(&from);
                *load.entry(memory.clone()).or_default() += 1;
                pairs.insert((memory, self.target.memory(&to)));
                if got.insert(to.clone(), t.clone()).is_some() {
                    return Err(format!("descriptor {n}: {to:?} is delivered twice"));
                }
            }
            if pairs.len() > 1 {
                return Err(format!("descriptor {n} crosses memories: {pairs:?}"));
            }
        }
        if let Some((r, t)) = self.deliverable().find(|(r, _)| !got.contains_key(*r)) {
            return Err(format!("{r:?} does not get {t:?}"));
        }
        Ok(Verdict {
            transfers: got.len() as i64,
            descriptors,
            max_load: load.values().copied().max().unwrap_or(0),
            digest: digest(got.iter()),
        })
    }

    /// 1-D runs of the lexicographically smallest copies, greedy in target order: the reference that plans must not exceed.
    pub fn reference_runs(&self) -> i64 {
        let mut groups: BTreeMap<_, Vec<(&Vec<i64>, &Vec<i64>)>> = BTreeMap::new();
        for (r, t) in self.deliverable() {
            let s = &self.holders[t][0];
            groups.entry((self.target.memory(r), self.source.memory(s))).or_default().push((r, s));
        }
        let minus = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(x, y)| x - y).collect::<Vec<i64>>();
        let step = |a: (&Vec<i64>, &Vec<i64>), b: (&Vec<i64>, &Vec<i64>)| (minus(b.0, a.0), minus(b.1, a.1));
        let mut runs = 0;
        for g in groups.values() {
            let mut i = 0;
            while i < g.len() {
                let mut j = i + 1;
                while j < g.len() && step(g[j - 1], g[j]) == step(g[i], g[i + 1]) {
                    j += 1;
                }
                runs += 1;
                i = j;
            }
        }
        runs
    }

    /// The least possible largest load, by augmenting one unit at a time under a rising cap.
    pub fn least_max_load(&self) -> i64 {
        let mut units: Vec<Vec<usize>> = Vec::new();
        let mut numbers: BTreeMap<Vec<i64>, usize> = BTreeMap::new();
        for (_, t) in self.deliverable() {
            let memories: BTreeSet<Vec<i64>> = self.holders[t].iter().map(|s| self.source.memory(s)).collect();
            let fresh = numbers.len();
            let mut number = |m: Vec<i64>| {
                let next = numbers.len().max(fresh);
                *numbers.entry(m).or_insert(next)
            };
            units.push(memories.into_iter().map(&mut number).collect());
        }
        let mut held: Vec<Vec<usize>> = vec![Vec::new(); numbers.len()];
        let mut cap = 0;
        for u in 0..units.len() {
            while !place(u, &units, &mut held, cap, &mut vec![false; numbers.len()]) {
                cap += 1;
            }
        }
        cap as i64
    }
}

fn place(u: usize, units: &[Vec<usize>], held: &mut [Vec<usize>], cap: usize, seen: &mut [bool]) -> bool {
    for &m in &units[u] {
        if std::mem::replace(&mut seen[m], true) {
            continue;
        }
        if held[m].len() < cap {
            held[m].push(u);
            return true;
        }
        for k in 0..held[m].len() {
            let other = held[m][k];
            if place(other, units, held, cap, seen) {
                held[m][k] = u;
                return true;
            }
        }
    }
    false
}

pub fn expand(transfer: &Transfer) -> Vec<(Vec<i64>, Vec<i64>)> {
    let mut all = vec![(transfer.source.clone(), transfer.target.clone())];
    let moved = |at: &[i64], step: &[i64], k: i64| at.iter().zip(step).map(|(a, s)| a + k * s).collect();
    for (count, from, to) in &transfer.levels {
        all = all.iter().flat_map(|(s, t)| (0..*count).map(move |k| (moved(s, from, k), moved(t, to, k)))).collect();
    }
    all
}

/// FNV-1a over the lines `r1,r2,..:t1,t2,..` of all deliveries, ascending.
pub fn digest<'a>(deliveries: impl Iterator<Item = (&'a Vec<i64>, &'a Vec<i64>)>) -> String {
    let list = |v: &Vec<i64>| v.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (r, t) in deliveries {
        for b in format!("{}:{}\n", list(r), list(t)).bytes() {
            hash = (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
