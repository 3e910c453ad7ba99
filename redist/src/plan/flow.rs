//! Balance: classes of work, each with the memories that may do it, spread so that the largest load is least.

use crate::error::Result;
use crate::room;

/// Work that any of some memories can do.
#[derive(Clone, Debug)]
pub struct Class {
    /// How much.
    pub weight: i64,
    /// The memories, distinct.
    pub memories: Vec<u32>,
}

/// The least possible largest load, and a spread that reaches it.
#[derive(Clone, Debug)]
pub struct Spread {
    /// The least largest load.
    pub optimum: i64,
    /// For each class, how much of it each of its memories does (in the order of `Class::memories`).
    pub quota: Vec<Vec<i64>>,
}

/// Spreads `classes` over `memories` memories by maximal flows under rising caps. A cap that is too small shows a set
/// of classes whose memories can't hold them; the next cap is what that set needs, so the last cap is the optimum.
///
/// # Errors
/// [`crate::Error::is_no_memory`].
pub fn spread(classes: &[Class], memories: usize) -> Result<Spread> {
    let need = |c: &Class| if c.memories.is_empty() { 0 } else { ceil(c.weight, c.memories.len()) };
    let mut network = Network::new(classes, memories)?;
    let mut cap = classes.iter().map(need).max().unwrap_or(0);
    let used = network.used();
    cap = cap.max(if used == 0 { 0 } else { ceil(classes.iter().map(|c| c.weight).sum(), used) });
    loop {
        match network.fill(cap)? {
            None => return Ok(Spread { optimum: cap, quota: network.flow }),
            Some((weight, reached)) => cap = (cap + 1).max(ceil(weight, reached)),
        }
    }
}

fn ceil(a: i64, b: usize) -> i64 {
    (i128::from(a) + b as i128 - 1).div_euclid(b as i128) as i64
}

struct Network<'a> {
    classes: &'a [Class],
    /// Work of each class that is not placed yet.
    rest: Vec<i64>,
    load: Vec<i64>,
    flow: Vec<Vec<i64>>,
    /// For each memory, the (class, place in its list) pairs that may use it.
    users: Vec<Vec<(u32, u32)>>,
}

impl<'a> Network<'a> {
    fn new(classes: &'a [Class], memories: usize) -> Result<Self> {
        let mut users = room::lists(memories)?;
        for (c, class) in classes.iter().enumerate() {
            for (k, &m) in class.memories.iter().enumerate() {
                room::push(&mut users[m as usize], (c as u32, k as u32))?;
            }
        }
        let flow = room::tried(classes.iter().map(|c| room::filled(0, c.memories.len())))?;
        let rest = room::collected(classes.iter().map(|c| if c.memories.is_empty() { 0 } else { c.weight }))?;
        Ok(Self { classes, rest, load: room::filled(0, memories)?, flow, users })
    }

    fn used(&self) -> usize {
        self.users.iter().filter(|u| !u.is_empty()).count()
    }

    /// Places everything under `cap`; otherwise tells the weight and the number of memories of a set that can't fit.
    fn fill(&mut self, cap: i64) -> Result<Option<(i64, usize)>> {
        let mut order = Vec::new();
        for c in 0..self.classes.len() {
            self.pour(c, cap, &mut order)?;
        }
        loop {
            let Some(level) = self.levels(cap)? else { return Ok(None) };
            if !level.free {
                let weight = (0..self.classes.len()).filter(|&c| level.class[c] != u32::MAX);
                let reached = level.memory.iter().filter(|&&l| l != u32::MAX).count();
                return Ok(Some((weight.map(|c| self.classes[c].weight).sum(), reached)));
            }
            let mut class_at = room::filled(0, self.classes.len())?;
            let mut memory_at = room::filled(0, self.load.len())?;
            for c in 0..self.classes.len() {
                while self.rest[c] > 0 {
                    let pushed = self.push(c, self.rest[c], cap, &level, &mut class_at, &mut memory_at);
                    if pushed == 0 {
                        break;
                    }
                    self.rest[c] -= pushed;
                }
            }
        }
    }

    /// Places what fits at once, filling the least loaded memories first. `order`: a list to use.
    fn pour(&mut self, c: usize, cap: i64, order: &mut Vec<(i64, usize)>) -> Result<()> {
        let class = &self.classes[c];
        order.clear();
        room::extend(order, class.memories.iter().enumerate().map(|(k, &m)| (self.load[m as usize], k)))?;
        order.sort_unstable();
        for &(_, k) in &*order {
            let load = &mut self.load[class.memories[k] as usize];
            let amount = self.rest[c].min(cap - *load).max(0);
            *load += amount;
            self.flow[c][k] += amount;
            self.rest[c] -= amount;
        }
        Ok(())
    }

    /// Distances from the classes with unplaced work; `None` when there are none.
    fn levels(&self, cap: i64) -> Result<Option<Levels>> {
        let class = room::filled(u32::MAX, self.classes.len())?;
        let mut level = Levels { class, memory: room::filled(u32::MAX, self.load.len())?, free: false };
        // Each class comes into the queue once.
        let mut queue = room::list(self.classes.len())?;
        for c in (0..self.classes.len()).filter(|&c| self.rest[c] > 0) {
            level.class[c] = 0;
            queue.push(c);
        }
        if queue.is_empty() {
            return Ok(None);
        }
        let mut next = 0;
        while let Some(&c) = queue.get(next) {
            next += 1;
            for &m in &self.classes[c].memories {
                let m = m as usize;
                if level.memory[m] != u32::MAX {
                    continue;
                }
                level.memory[m] = level.class[c] + 1;
                level.free |= self.load[m] < cap;
                for &(d, k) in &self.users[m] {
                    if self.flow[d as usize][k as usize] > 0 && level.class[d as usize] == u32::MAX {
                        level.class[d as usize] = level.memory[m] + 1;
                        queue.push(d as usize);
                    }
                }
            }
        }
        Ok(Some(level))
    }

    /// Pushes up to `amount` from a class along rising levels; returns what arrived.
    fn push(
        &mut self,
        c: usize,
        amount: i64,
        cap: i64,
        level: &Levels,
        class_at: &mut [usize],
        memory_at: &mut [usize],
    ) -> i64 {
        while class_at[c] < self.classes[c].memories.len() {
            let k = class_at[c];
            let m = self.classes[c].memories[k] as usize;
            if level.memory[m] == level.class[c] + 1 {
                let got = self.drain(m, amount, cap, level, class_at, memory_at);
                if got > 0 {
                    self.flow[c][k] += got;
                    return got;
                }
            }
            class_at[c] += 1;
        }
        0
    }

    /// Makes room in a memory: below the cap, or by moving another class's work on.
    fn drain(
        &mut self,
        m: usize,
        amount: i64,
        cap: i64,
        level: &Levels,
        class_at: &mut [usize],
        memory_at: &mut [usize],
    ) -> i64 {
        let room = (cap - self.load[m]).min(amount);
        if room > 0 {
            self.load[m] += room;
            return room;
        }
        while memory_at[m] < self.users[m].len() {
            let (d, k) = self.users[m][memory_at[m]];
            let (d, k) = (d as usize, k as usize);
            let held = self.flow[d][k];
            if held > 0 && level.class[d] == level.memory[m] + 1 {
                let got = self.push(d, amount.min(held), cap, level, class_at, memory_at);
                if got > 0 {
                    self.flow[d][k] -= got;
                    return got;
                }
            }
            memory_at[m] += 1;
        }
        0
    }
}

struct Levels {
    class: Vec<u32>,
    memory: Vec<u32>,
    /// Whether a memory below the cap was reached.
    free: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(classes: &[Class], memories: usize, optimum: i64) {
        let s = spread(classes, memories).unwrap();
        let mut load = vec![0; memories];
        for (c, q) in classes.iter().zip(&s.quota) {
            assert_eq!(q.iter().sum::<i64>(), c.weight);
            c.memories.iter().zip(q).for_each(|(&m, &x)| load[m as usize] += x);
        }
        assert_eq!((s.optimum, load.into_iter().max().unwrap_or(0)), (optimum, optimum));
    }

    #[test]
    fn a_chain_of_overlaps_is_levelled() {
        let class = |weight, memories: &[u32]| Class { weight, memories: memories.to_vec() };
        check(&[class(10, &[0]), class(4, &[0, 1]), class(2, &[1]), class(4, &[1, 2])], 3, 10);
        check(&[class(9, &[0, 1]), class(9, &[0, 1, 2]), class(0, &[2])], 3, 6);
        check(&[class(7, &[0]), class(5, &[0])], 4, 12);
        check(&[], 2, 0);
    }

    #[test]
    fn work_moves_over_several_memories() {
        let class = |weight, memories: &[u32]| Class { weight, memories: memories.to_vec() };
        let classes: Vec<Class> = (0..9).map(|m| class(if m == 0 { 90 } else { 0 }, &[m, m + 1])).collect();
        check(&classes, 10, 45);
        let ring: Vec<Class> = (0..9).map(|m| class(10, &[m, m + 1])).collect();
        check(&ring, 10, 9);
    }
}
