//! Elements of a region's arrays, as rows of consecutive ones.

/// Consecutive elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ElementRow {
    /// The array's number in the region.
    pub(crate) array: u32,
    /// The first element, counted from the array's first one.
    pub(crate) first: i64,
    /// How many there are.
    pub(crate) count: i64,
}

/// A set of elements.
#[derive(Clone, Debug, Default)]
pub(crate) struct ElementRows {
    all: Vec<ElementRow>,
    /// At this length they are united: what is told again and again takes no more memory.
    limit: usize,
}

/// Rows up to this number are not united before the end.
const FEW: usize = 1 << 12;

impl ElementRows {
    /// Adds a row; rows may meet or overlap until they are united.
    pub(crate) fn add(&mut self, row: ElementRow) {
        if row.count <= 0 {
            return;
        }
        match self.all.last_mut() {
            Some(last) if last.array == row.array && last.first + last.count == row.first => last.count += row.count,
            _ => {
                if self.all.len() >= self.limit.max(FEW) {
                    self.unite();
                    self.limit = 2 * self.all.len();
                }
                self.all.push(row);
            }
        }
    }

    /// Leaves each element once, in order.
    pub(crate) fn unite(&mut self) {
        if !self.all.is_sorted() {
            self.all.sort_unstable();
        }
        let mut kept: Vec<ElementRow> = Vec::with_capacity(self.all.len());
        for row in self.all.drain(..) {
            match kept.last_mut() {
                Some(last) if last.array == row.array && row.first <= last.first + last.count => {
                    last.count = last.count.max(row.first + row.count - last.first);
                }
                _ => kept.push(row),
            }
        }
        self.all = kept;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn list(&self) -> &[ElementRow] {
        &self.all
    }

    /// The bytes of all rows; `sizes`: of an element, by array.
    pub(crate) fn bytes(&self, sizes: &[usize]) -> usize {
        self.all.iter().map(|row| row.count as usize * sizes[row.array as usize]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use testkit::Random;

    #[test]
    fn what_is_told_again_takes_no_memory() {
        let mut rows = ElementRows::default();
        for turn in 0..40 * FEW as i64 {
            rows.add(ElementRow { array: 0, first: turn * 7 % 1000, count: 1 });
        }
        assert!(rows.list().len() <= 2 * FEW, "{}", rows.list().len());
        rows.unite();
        assert_eq!(rows.list(), [ElementRow { array: 0, first: 0, count: 1000 }]);
    }

    #[test]
    fn each_element_stays_once() {
        for mut random in testkit::seeds(300).map(Random::new) {
            let (mut rows, mut elements) = (ElementRows::default(), BTreeSet::new());
            for _ in 0..random.below(30) {
                let row = ElementRow {
                    array: random.below(2) as u32,
                    first: random.below(40) as i64,
                    count: random.below(6) as i64 - 1,
                };
                rows.add(row);
                elements.extend((row.first..row.first + row.count).map(|element| (row.array, element)));
            }
            rows.unite();
            let listed: Vec<(u32, i64)> =
                rows.list().iter().flat_map(|row| (row.first..row.first + row.count).map(|e| (row.array, e))).collect();
            assert_eq!(listed, elements.iter().copied().collect::<Vec<_>>());
            assert_eq!(rows.bytes(&[8, 8]), 8 * elements.len());
        }
    }
}
