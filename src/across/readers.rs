//! Which tiles may read what another one writes, or write what others read: found by halving the box of those that may, since
//! mostly few do, and these are near.

/// A box of tiles: by coordinate the first and the end.
pub(super) type TileBox = [(i64, i64)];

/// A search among the tiles of one graph.
pub(super) struct Search<'a> {
    /// The coordinates along which boxes are cut.
    pub(super) cut: &'a dyn Fn(usize) -> bool,
    /// A tile that is not asked about, nor are its neighbours: they mostly do.
    pub(super) near: Option<&'a [i64]>,
    /// Whether some tile of a box may.
    pub(super) ask: &'a mut dyn FnMut(&TileBox) -> bool,
    /// How often the answer may be yes, which takes longest: it costs about as much as to ask about one process or tile.
    pub(super) most: usize,
    /// Takes a box in which some may; false: it is to be cut.
    pub(super) take: &'a mut dyn FnMut(&TileBox) -> bool,
}

impl Search<'_> {
    /// Has all tiles of the box taken that may; false: there are many, and some are missing.
    pub(super) fn run(&mut self, tiles: &TileBox) -> bool {
        if tiles.iter().any(|(first, end)| first >= end) || (self.take)(tiles) {
            return true;
        }
        if !self.is_near(tiles) {
            if !(self.ask)(tiles) {
                return true;
            }
            if self.most == 0 {
                return false;
            }
            self.most -= 1;
        }
        let cut = (0..tiles.len()).filter(|k| (self.cut)(*k));
        let Some(k) = cut.max_by_key(|k| tiles[*k].1 - tiles[*k].0) else { return false };
        let mut part = tiles.to_vec();
        self.cuts(k, tiles[k]).windows(2).all(|ends| {
            part[k] = (ends[0], ends[1]);
            self.run(&part)
        })
    }

    /// Whether the box holds that tile or a neighbour.
    fn is_near(&self, tiles: &TileBox) -> bool {
        let beside = |(k, tile): (usize, &i64)| !(self.cut)(k) || (tiles[k].0 <= tile + 1 && tile - 1 < tiles[k].1);
        self.near.is_some_and(|near| near.iter().enumerate().all(beside))
    }

    /// Where a range is cut: around that tile and its neighbours, or in the middle.
    fn cuts(&self, k: usize, (first, end): (i64, i64)) -> Vec<i64> {
        let around = self.near.map_or([first, end], |near| [near[k] - 1, near[k] + 2]);
        let inner: Vec<i64> = around.into_iter().filter(|at| first < *at && *at < end).collect();
        let middle = if inner.is_empty() { vec![first + (end - first) / 2] } else { inner };
        [vec![first], middle, vec![end]].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::across::layout::{Deal, Owners, Placement, Preference};
    use std::collections::BTreeSet;
    use testkit::Random;

    fn owners(extent: &[i64], processes: u32, deals: Vec<Deal>) -> Owners {
        let preference = Preference { coordinates: vec![0], cyclic: false, near: false };
        Owners::new(extent, processes, &preference, &Placement { deals, grid: vec![] })
    }

    /// Searches all tiles for owners.
    fn search(
        owners: &Owners,
        extent: &[i64],
        near: Option<&[i64]>,
        most: usize,
        mut ask: impl FnMut(&TileBox) -> bool,
    ) -> (bool, BTreeSet<u32>) {
        let mut found = BTreeSet::new();
        let mut take = |tiles: &TileBox| owners.of_all(tiles).map(|owner| found.insert(owner)).is_some();
        let cut = |k| owners.is_dealt(k);
        let whole: Vec<(i64, i64)> = extent.iter().map(|tiles| (0, *tiles)).collect();
        let complete = Search { cut: &cut, near, ask: &mut ask, most, take: &mut take }.run(&whole);
        (complete, found)
    }

    #[test]
    fn no_reader_is_missed() {
        for mut random in testkit::seeds(500).map(Random::new) {
            let extent: Vec<i64> = (0..=random.below(2)).map(|_| 1 + random.below(12) as i64).collect();
            let deal = |random: &mut Random| match random.below(2) {
                0 => Deal::Block,
                _ => Deal::Cyclic(1 + random.below(3) as i64),
            };
            let deals = (0..extent.len()).map(|_| deal(&mut random)).collect();
            let owners = owners(&extent, 1 + random.below(9) as u32, deals);
            let tile = |random: &mut Random| extent.iter().map(|tiles| random.below(*tiles as usize) as i64).collect();
            let readers: Vec<Vec<i64>> = (0..random.below(5)).map(|_| tile(&mut random)).collect();
            let writer: Vec<i64> = tile(&mut random);
            let near = (random.below(3) > 0).then_some(&writer[..]);
            let most = if near.is_some() { 1000 } else { 3 };
            let (complete, found) = search(&owners, &extent, near, most, |tiles| {
                let inside = |reader: &Vec<i64>| {
                    reader.iter().zip(tiles).all(|(index, (first, end))| first <= index && index < end)
                };
                readers.iter().any(inside) || random.below(5) == 0
            });
            assert!(complete || most == 3);
            assert!(!complete || readers.iter().all(|reader| found.contains(&owners.owner(reader))));
        }
    }

    #[test]
    fn few_questions_find_a_neighbour_however_tiles_are_dealt_out() {
        for deal in [Deal::Block, Deal::Cyclic(1), Deal::Cyclic(3)] {
            let owners = owners(&[1000, 40], 64, vec![deal]);
            let mut questions = 0;
            let (complete, found) = search(&owners, &[1000, 40], Some(&[500, 7]), 0, |_| {
                questions += 1;
                false
            });
            assert!(complete && found.len() <= 3);
            assert!((499..502).all(|index| found.contains(&owners.owner(&[index, 7]))));
            assert!(questions <= 2, "{questions}");
        }
    }

    #[test]
    fn many_readers_end_the_search() {
        let owners = owners(&[1000], 64, vec![Deal::Cyclic(1)]);
        let mut questions = 0;
        let (complete, _) = search(&owners, &[1000], None, 8, |_| {
            questions += 1;
            true
        });
        assert!(!complete);
        assert!(questions <= 9, "{questions}");
    }
}
