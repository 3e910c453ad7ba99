//! A part of a region's instances that is small enough to draw.

use crate::Refusal;
use dvm_isl::{Ctx, Set, UnionSet};

/// How many values of each counter are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// Of the two counters that are the axes.
    pub(super) axes: i64,
    /// Of each further one.
    pub(super) further: i64,
}

/// The windows to try, when all is too much to draw.
pub(super) const WINDOWS: [Window; 6] = [
    Window { axes: 12, further: 12 },
    Window { axes: 12, further: 6 },
    Window { axes: 12, further: 3 },
    Window { axes: 8, further: 4 },
    Window { axes: 6, further: 3 },
    Window { axes: 4, further: 2 },
];

impl Window {
    /// The instances with the least values: loop by loop from outside, as inner bounds depend on outer counters.
    pub(super) fn of(self, ctx: &Ctx, instances: &UnionSet) -> Result<UnionSet, Refusal> {
        let mut all = UnionSet::parse(ctx, "{ }")?;
        for set in instances.sets()? {
            if !set.is_empty()? {
                all = all.union(&UnionSet::from_set(&self.of_statement(ctx, set)?)?)?;
            }
        }
        Ok(all)
    }

    fn of_statement(self, ctx: &Ctx, mut set: Set) -> Result<Set, Refusal> {
        let dimensions = set.dimensions()?;
        let counters: Vec<String> = (0..dimensions).map(|k| format!("c{k}")).collect();
        let (name, counters) = (set.name().unwrap_or_default(), counters.join(", "));
        for k in 0..dimensions {
            let (Some(least), _) = set.integer_ends(k)? else { continue };
            let last = least.saturating_add(if k < 2 { self.axes } else { self.further } - 1);
            set = set.intersect(&Set::parse(ctx, &format!("{{ {name}[{counters}] : c{k} <= {last} }}"))?)?;
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_loop_keeps_its_least_values() {
        let ctx = Ctx::new(0);
        let all = "{ S[t, i, j] : 0 <= t < 1000 and 1000 - t <= i < 1000 and 5 <= j < 99; T[] }";
        let kept = Window { axes: 4, further: 2 }.of(&ctx, &UnionSet::parse(&ctx, all).unwrap()).unwrap();
        let expected = "{ S[t, i, j] : 0 <= t <= 4 and 1000 - t <= i < 1000 and 5 <= j < 7; T[] }";
        assert!(kept.is_equal(&UnionSet::parse(&ctx, expected).unwrap()).unwrap(), "{kept}");
    }
}
