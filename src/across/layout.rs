//! How tiles are dealt out to the processes: what `DVM_PLACE` says, and the owner of each tile.

use crate::error::Error;

/// How the tiles along one coordinate are dealt out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deal {
    /// In blocks of almost equal numbers of tiles.
    Block,
    /// So many tiles to each part in turn.
    Cyclic(i64),
}

/// What `DVM_PLACE` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    /// By placed coordinate; empty: the phase's own choice.
    pub(crate) deals: Vec<Deal>,
    /// The numbers of parts; empty: as square as the number of processes allows.
    pub(crate) grid: Vec<u32>,
}

impl Deal {
    /// All runs of consecutive tiles of a coordinate, in order, with the part of each.
    pub(crate) fn all_runs(self, tiles: i64, parts: u32) -> Vec<(u32, (i64, i64))> {
        let along = Along { tiles, parts, stride: 1, deal: self };
        let mut all: Vec<_> =
            (0..parts).flat_map(|part| along.runs(part).into_iter().map(move |run| (part, run))).collect();
        all.sort_unstable_by_key(|(_, run)| *run);
        all
    }
}

impl Placement {
    /// Reads `block`, `cyclic`, `cyclic(4)`, some of them after commas for several coordinates, and a grid after `@`.
    pub(crate) fn parse(text: &str) -> Result<Placement, Error> {
        let wrong = |what: &str| {
            Error::argument(format!(
                "DVM_PLACE={text}: {what}; allowed are block, cyclic and cyclic(TILES), with commas for several coordinates, \
                 and a grid of processes after @, as cyclic(2),block@2x3"
            ))
        };
        let (deals, grid) = text.split_once('@').map_or((text, None), |(deals, grid)| (deals, Some(grid)));
        let deal = |word: &str| match word.trim() {
            "block" => Ok(Deal::Block),
            "cyclic" => Ok(Deal::Cyclic(1)),
            other => {
                let tiles = other.strip_prefix("cyclic(").and_then(|rest| rest.strip_suffix(')'));
                let tiles = tiles.and_then(|tiles| tiles.trim().parse::<i32>().ok()).filter(|tiles| *tiles > 0);
                tiles
                    .map(|tiles| Deal::Cyclic(tiles.into()))
                    .ok_or_else(|| wrong(&format!("`{other}` is no way to deal")))
            }
        };
        let deals = deals.split(',').map(deal).collect::<Result<Vec<_>, _>>()?;
        let part = |word: &str| {
            let parts = word.trim().parse::<u32>().ok().filter(|parts| (1..=1 << 20).contains(parts));
            parts.ok_or_else(|| wrong(&format!("`{word}` is no number of processes")))
        };
        let grid = grid.map_or(Ok(Vec::new()), |grid| grid.split('x').map(part).collect::<Result<Vec<_>, _>>())?;
        if !grid.is_empty() && grid.len() != deals.len() {
            return Err(wrong("the grid has not as many numbers as there are coordinates"));
        }
        Ok(Placement { deals, grid })
    }
}

/// The numbers of parts along so many coordinates: as equal as their product, the number of processes, allows.
fn square(processes: u32, coordinates: usize) -> Vec<u32> {
    let mut grid = vec![1; coordinates];
    let (mut left, mut factor, mut factors) = (processes, 2, Vec::new());
    while left > 1 {
        if left.is_multiple_of(factor) {
            factors.push(factor);
            left /= factor;
        } else {
            factor += 1;
        }
    }
    for factor in factors.into_iter().rev() {
        if let Some(least) = grid.iter_mut().min() {
            *least *= factor;
        }
    }
    grid
}

/// How a phase prefers its tiles to be dealt out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Preference {
    /// Coordinates, the best to place first; others follow.
    pub(crate) coordinates: Vec<usize>,
    /// The tiles are no box: blocks would have different numbers of them.
    pub(crate) cyclic: bool,
    /// Values go from a tile to near ones only, along the coordinate that is dealt out first.
    pub(crate) near: bool,
}

impl Preference {
    /// The coordinates of a box of this dimension in the order in which they are dealt out.
    pub(crate) fn order(&self, dimension: usize) -> Vec<usize> {
        let mut order: Vec<usize> = self.coordinates.iter().copied().filter(|k| *k < dimension).collect();
        order.extend((0..dimension).filter(|k| !self.coordinates.contains(k)));
        order
    }
}

/// The tiles along one coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Along {
    tiles: i64,
    parts: u32,
    /// What a part adds to the number of its process.
    stride: u32,
    deal: Deal,
}

impl Along {
    fn part(&self, tile: i64) -> u32 {
        match self.deal {
            Deal::Block => (i128::from(tile) * i128::from(self.parts) / i128::from(self.tiles)) as u32,
            Deal::Cyclic(block) => (tile / block % i64::from(self.parts)) as u32,
        }
    }

    /// The runs of consecutive tiles of a part, as first and end.
    fn runs(&self, part: u32) -> Vec<(i64, i64)> {
        let (parts, own) = (i64::from(self.parts), i64::from(part));
        match self.deal {
            Deal::Block => {
                let begin = |part: i64| {
                    ((i128::from(part) * i128::from(self.tiles) + i128::from(parts) - 1) / i128::from(parts)) as i64
                };
                let (first, end) = (begin(own), begin(own + 1));
                if first < end { vec![(first, end)] } else { Vec::new() }
            }
            Deal::Cyclic(block) => (own * block..self.tiles)
                .step_by((parts * block) as usize)
                .map(|first| (first, (first + block).min(self.tiles)))
                .collect(),
        }
    }
}

/// The owners of a box of tiles: along each coordinate by a table of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owners {
    along: Vec<Along>,
    /// By coordinate and part: the runs of tiles.
    runs: Vec<Vec<Vec<(i64, i64)>>>,
}

impl Owners {
    /// Deals out a box of so many tiles along each coordinate.
    pub(crate) fn new(extent: &[i64], processes: u32, preference: &Preference, layout: &Placement) -> Owners {
        let order = preference.order(extent.len());
        let own = if preference.cyclic { Deal::Cyclic(1) } else { Deal::Block };
        let deals = if layout.deals.is_empty() { vec![own] } else { layout.deals.clone() };
        let placed = deals.len().min(order.len());
        let given = layout.grid.len() == placed
            && layout.grid.iter().try_fold(1_u32, |all, n| all.checked_mul(*n)).is_some_and(|all| all <= processes);
        let grid = if given { layout.grid.clone() } else { square(processes, placed) };
        let mut along: Vec<Along> =
            extent.iter().map(|&tiles| Along { tiles, parts: 1, stride: 0, deal: Deal::Block }).collect();
        let mut stride = 1;
        for ((&k, deal), parts) in order.iter().zip(deals).zip(grid) {
            along[k] = Along { tiles: extent[k], parts, stride, deal };
            stride *= parts;
        }
        let runs = along.iter().map(|along| (0..along.parts).map(|part| along.runs(part)).collect()).collect();
        Owners { along, runs }
    }

    /// The process that runs a tile.
    pub(crate) fn owner(&self, tile: &[i64]) -> u32 {
        self.along.iter().zip(tile).map(|(along, &index)| along.part(index) * along.stride).sum()
    }

    /// The process that owns all tiles of a box that is not empty, if it is one.
    pub(crate) fn of_all(&self, tiles: &[(i64, i64)]) -> Option<u32> {
        let together = |(along, (first, end)): (&Along, &(i64, i64))| match along.deal {
            _ if along.parts <= 1 => true,
            Deal::Block => along.part(*first) == along.part(end - 1),
            Deal::Cyclic(block) => first / block == (end - 1) / block,
        };
        let one = self.along.iter().zip(tiles).all(together);
        one.then(|| self.owner(&tiles.iter().map(|(first, _)| *first).collect::<Vec<_>>()))
    }

    /// A process's runs of tiles along a coordinate, as first and end; none: it has no tiles.
    pub(crate) fn runs(&self, process: u32, k: usize) -> &[(i64, i64)] {
        let parts = self.along.iter().map(|along| along.parts).product::<u32>().max(1);
        if process >= parts {
            return &[];
        }
        let along = &self.along[k];
        let part = process.checked_div(along.stride).map_or(0, |place| place % along.parts);
        &self.runs[k][part as usize]
    }

    /// Whether tiles are dealt out along a coordinate.
    pub(crate) fn is_dealt(&self, k: usize) -> bool {
        self.along[k].parts > 1
    }

    /// Whether a process has tiles at all; a box without coordinates is one tile of process 0.
    pub(crate) fn has_tiles(&self, process: u32) -> bool {
        let all = (0..self.along.len()).all(|k| !self.runs(process, k).is_empty());
        all && (process == 0 || !self.along.is_empty())
    }

    /// How many tiles a process has in the box.
    pub(crate) fn tiles(&self, process: u32) -> u64 {
        let along = |k: usize| self.runs(process, k).iter().map(|(first, end)| (end - first) as u64).sum::<u64>();
        if self.has_tiles(process) { (0..self.along.len()).map(along).product() } else { 0 }
    }

    /// The first tile of the process at or after `index` along a coordinate.
    pub(crate) fn from(&self, process: u32, k: usize, index: i64) -> Option<i64> {
        let runs = self.runs(process, k);
        let run = runs.get(runs.partition_point(|(_, end)| *end <= index))?;
        Some(run.0.max(index))
    }

    /// The last tile of the process before `index` along a coordinate.
    pub(crate) fn before(&self, process: u32, k: usize, index: i64) -> Option<i64> {
        let runs = self.runs(process, k);
        let at = runs.partition_point(|(first, _)| *first < index).checked_sub(1)?;
        Some(runs[at].1.min(index) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Random;

    #[test]
    fn what_is_written_is_read() {
        let layout = Placement::parse("cyclic(2), block@2x3").unwrap();
        assert_eq!(layout, Placement { deals: vec![Deal::Cyclic(2), Deal::Block], grid: vec![2, 3] });
        assert_eq!(Placement::parse("cyclic").unwrap(), Placement { deals: vec![Deal::Cyclic(1)], grid: vec![] });
        for wrong in ["", "rows", "cyclic(0)", "cyclic(x)", "block@2x2", "block@0", "block,", "block@"] {
            let error = Placement::parse(wrong).unwrap_err();
            assert!(error.message().contains("allowed are"), "{wrong}: {error}");
        }
    }

    #[test]
    fn grids_are_nearly_square() {
        for (processes, expected) in [(1, [1, 1]), (4, [2, 2]), (6, [3, 2]), (7, [7, 1]), (12, [4, 3])] {
            let mut grid = square(processes, 2);
            grid.sort_unstable_by(|one, other| other.cmp(one));
            assert_eq!(grid, expected, "{processes}");
        }
    }

    /// The tables say of each tile what the owner of the tile says.
    #[test]
    fn tables_agree_with_the_owner() {
        for mut random in testkit::seeds(400).map(Random::new) {
            let dimension = random.below(3) + 1;
            let extent: Vec<i64> = (0..dimension).map(|_| random.below(9) as i64 + 1).collect();
            let processes = random.below(6) as u32 + 1;
            let deals = (0..random.below(dimension + 1))
                .map(|_| if random.below(2) == 0 { Deal::Block } else { Deal::Cyclic(random.below(3) as i64 + 1) })
                .collect();
            let preference =
                Preference { coordinates: vec![random.below(dimension)], cyclic: random.below(2) == 0, near: false };
            let owners = Owners::new(&extent, processes, &preference, &Placement { deals, grid: vec![] });
            let mut counted = 0;
            for number in 0..extent.iter().product::<i64>() {
                let mut rest = number;
                let tile: Vec<i64> = extent.iter().map(|tiles| (rest % tiles, rest /= tiles).0).collect();
                let owner = owners.owner(&tile);
                assert!(owner < processes);
                for process in 0..processes {
                    let inside = (0..dimension).all(|k| owners.from(process, k, tile[k]) == Some(tile[k]));
                    assert_eq!(inside, process == owner, "{owners:?} {tile:?} {process}");
                    counted += i64::from(inside);
                    for (k, &index) in tile.iter().enumerate() {
                        let own: Vec<i64> =
                            owners.runs(process, k).iter().flat_map(|(first, end)| *first..*end).collect();
                        assert_eq!(owners.from(process, k, index), own.iter().copied().find(|i| *i >= index));
                        assert_eq!(owners.before(process, k, index), own.iter().copied().rfind(|i| *i < index));
                    }
                }
            }
            assert_eq!(counted, extent.iter().product::<i64>());
        }
    }
}
