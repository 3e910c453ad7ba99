//! Strided copies between numbered memories, in elements.

use std::collections::HashMap;

use crate::error::Error;
use crate::memory;

/// One level of a strided copy: `count` steps, in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Level {
    pub(crate) count: i64,
    pub(crate) source: i64,
    pub(crate) target: i64,
}

/// A strided copy between two memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    pub(crate) source: u32,
    pub(crate) target: u32,
    pub(crate) source_at: i64,
    pub(crate) target_at: i64,
    /// Its levels: an index into the plan's shapes.
    pub(crate) shape: u32,
}

/// Strided copies between numbered memories; equal levels are kept once.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    pub(crate) list: Vec<Copy>,
    pub(crate) shapes: Vec<Vec<Level>>,
    known: HashMap<Vec<Level>, u32>,
}

impl Copies {
    /// Adds a copy; its levels are brought into a normal form first. When there is no memory, nothing is added.
    pub(crate) fn add(
        &mut self,
        (source, target): (u32, u32),
        (mut source_at, mut target_at): (i64, i64),
        mut levels: Vec<Level>,
    ) -> Result<(), Error> {
        memory::room_for(&mut self.list, 1)?;
        for level in &mut levels {
            if level.target < 0 {
                // Backwards: begin at the other end.
                source_at += (level.count - 1) * level.source;
                target_at += (level.count - 1) * level.target;
                (level.source, level.target) = (-level.source, -level.target);
            }
        }
        let shape = self.shape(&normal(levels))?;
        self.list.push(Copy { source, target, source_at, target_at, shape });
        Ok(())
    }

    fn shape(&mut self, levels: &[Level]) -> Result<u32, Error> {
        if let Some(&known) = self.known.get(levels) {
            return Ok(known);
        }
        let next = self.shapes.len() as u32;
        let (kept, key) = (memory::list(levels.iter().copied())?, memory::list(levels.iter().copied())?);
        memory::room_for(&mut self.shapes, 1)?;
        memory::room_in(&mut self.known)?;
        self.shapes.push(kept);
        self.known.insert(key, next);
        Ok(next)
    }
}

/// Levels by ascending target stride, without those of one step; two that are one longer one are joined.
fn normal(mut levels: Vec<Level>) -> Vec<Level> {
    levels.retain(|l| l.count > 1);
    levels.sort_unstable_by_key(|l| (l.target, l.source));
    let mut joined: Vec<Level> = Vec::with_capacity(levels.len());
    for level in levels {
        match joined.last_mut() {
            Some(last) if level.source == last.source * last.count && level.target == last.target * last.count => {
                last.count *= level.count;
            }
            _ => joined.push(level),
        }
    }
    joined
}
