//! Tile sizes from a model of the caches.

/// A request for tile sizes of a graph.
pub(crate) struct Request<'a> {
    /// Number of values of each coordinate of the band.
    pub(crate) extent: &'a [i64],
    /// Coordinates that order the tiles.
    pub(crate) carried: &'a [bool],
    /// Sizes that the caller sets (positive) or requests (0).
    pub(crate) given: &'a [i64],
    /// Values of each coordinate that a block has which stays in registers; 1: none.
    pub(crate) unit: &'a [i64],
    /// Bytes that a tile of these sizes touches.
    pub(crate) footprint: &'a dyn Fn(&[i64]) -> i64,
    /// Nanoseconds that a point takes, as far as known; at least 1.
    pub(crate) point: i64,
    /// Nanoseconds that a tile should take at least.
    pub(crate) least_work: i64,
    /// Number of workers to keep busy.
    pub(crate) workers: usize,
    /// Byte limit for a tile that uses each of its bytes often: its share of an L1 cache.
    pub(crate) near: i64,
    /// Byte limit for other tiles: their share of an L2 cache.
    pub(crate) budget: i64,
    /// Points per eight bytes from which the near cache pays: below, the transfer from the next cache shows.
    pub(crate) near_uses: i64,
    /// Points per eight bytes below which a tile only streams: its time is that of the transfer from memory.
    pub(crate) stream_uses: i64,
}

/// What sizes depend on besides the band and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileCost {
    /// Nanoseconds that a point takes, as far as known; at least 1.
    pub(crate) point: i64,
    /// Processes that the tiles are dealt out to.
    pub(crate) processes: u32,
}

impl TileCost {
    /// Nanoseconds per tile below which the cost of a task shows. Over processes a tile finds out what it has for each of
    /// them, and may send and take in messages.
    pub(crate) fn least_work(&self) -> i64 {
        if self.processes > 1 { LEAST_WORK * FAR } else { LEAST_WORK }
    }
}

/// Nanoseconds per tile below which the cost of a task shows in one process.
const LEAST_WORK: i64 = 4096;
/// How many times that cost a tile has over processes. Measured: all pairs' shortest paths, 1000 graphs on two processes of
/// one worker, 0.42 s without it and 0.22 s with it.
const FAR: i64 = 32;
/// Number of tiles per worker that can run at the same time, to balance uneven tiles.
const SLACK: i128 = 4;
/// Points per tile from which a tile for the near cache is worth a task.
const NEAR_WORK: i128 = 16 << 10;
/// Number of long rows' tiles per worker, to balance workers of different speed.
const STREAM_SLACK: i128 = 8;
/// Length, in points, up to which the innermost coordinate grows first: vector loops need it.
const VECTOR: i64 = 64;

/// How many budgets a tile of register blocks may fill: a block reads few of the tile's bytes at a time, and each again
/// and again from the near cache. Measured for a matrix product: 187 GFLOP/s with one, 199 with two, 194 with four.
const BLOCKED: i64 = 2;

/// Chooses the sizes: for the budget if the tiles have register blocks, for the near cache if the tiles use it well
/// enough, else for the budget.
pub(crate) fn choose(request: &Request) -> Vec<i64> {
    if request.unit.iter().any(|&unit| unit > 1) {
        return within(request, request.budget.saturating_mul(BLOCKED));
    }
    let near = within(request, request.near);
    if uses(request, &near) >= i128::from(request.near_uses) << USES && points(&near) >= NEAR_WORK {
        return near;
    }
    let block = within(request, request.budget);
    if uses(request, &block) >= i128::from(request.stream_uses) << USES {
        return block;
    }
    // Rows win unless they stride through memory, as in a transposition, or the block brings clearly fewer bytes.
    let rows = if has_rows(request) { rows(request) } else { return block };
    if uses(request, &rows) >= uses(request, &block) / 4 * 3 { rows } else { block }
}

/// Bytes that pass between a core and its near cache in a nanosecond at most.
const NEAR_BYTES: i64 = 512;

/// Nanoseconds that a point takes at least: as far as known, and as its bytes alone need. A point with loops of its own
/// touches many.
fn point_time(request: &Request) -> i64 {
    let single = vec![1; request.given.len()];
    request.point.max((request.footprint)(&single) / NEAR_BYTES).max(1)
}

/// Points of a row that share their cache lines with each other.
const SHORT: i64 = 8;

/// Whether neighbours along the innermost coordinate lie side by side: footprints count whole cache lines.
fn has_rows(request: &Request) -> bool {
    let mut sizes = vec![1; request.given.len()];
    let one = (request.footprint)(&sizes);
    let Some(last) = sizes.last_mut() else { return false };
    *last = SHORT;
    (request.footprint)(&sizes) < one.saturating_mul(2)
}

/// Bits behind the point of `uses`.
const USES: u32 = 10;

/// Points per eight bytes of the footprint, in units of 2^-10.
fn uses(request: &Request, sizes: &[i64]) -> i128 {
    (points(sizes).saturating_mul(8) << USES) / i128::from((request.footprint)(sizes)).max(1)
}

/// Sizes for a tile that streams: from the innermost coordinate outwards each is as large as the budget allows with single
/// points of the coordinates around it. Along the outermost one the tile streams: only what neighbours share has to stay
/// in the cache, so parallelism alone limits it.
fn rows(request: &Request) -> Vec<i64> {
    let mut sizes: Vec<i64> = request.given.iter().map(|&size| size.max(1)).collect();
    let least = (STREAM_SLACK * request.workers as i128).min(parallelism(request, &sizes));
    let mut free: Vec<usize> = (0..sizes.len()).filter(|&k| request.given[k] == 0).collect();
    while let Some(k) = free.pop() {
        let budget = if free.is_empty() { i64::MAX } else { request.budget };
        let fits = |size: i64| {
            let mut next = sizes.clone();
            next[k] = size;
            (request.footprint)(&next) <= budget && parallelism(request, &next) >= least
        };
        let most = request.extent[k].max(1);
        let size = if fits(most) { most } else { greatest(most, fits) };
        sizes[k] = size;
    }
    let workers = request.workers as i128;
    worth_a_task(request, &mut sizes, workers.min(least));
    sizes
}

/// The greatest power of two below `most` that fits, at least 1.
fn greatest(most: i64, fits: impl Fn(i64) -> bool) -> i64 {
    let mut size = 1;
    while size < most / 2 + most % 2 && fits(2 * size) {
        size *= 2;
    }
    size
}

/// Doubles sizes from single points, each time where the footprint grows least for the work, while the tile fits the
/// budget and enough tiles can run at the same time; then until the tile is worth a task.
fn within(request: &Request, budget: i64) -> Vec<i64> {
    let mut sizes: Vec<i64> = request.given.iter().map(|&size| size.max(1)).collect();
    let workers = request.workers as i128;
    let most = parallelism(request, &sizes);
    grow(request, &mut sizes, i128::MAX, (SLACK * workers).min(most), budget);
    worth_a_task(request, &mut sizes, workers.min(most));
    sizes
}

/// Grows a tile until it is worth a task, with less than `least` tiles at the same time only if it is far from that. What
/// points take by their bytes alone stops the growth only where too few tiles would be left: larger tiles use their bytes
/// more often.
fn worth_a_task(request: &Request, sizes: &mut Vec<i64>, least: i128) {
    let mut points = i128::from(request.least_work / request.point.max(1));
    let time = point_time(request);
    if time > request.point {
        grow(request, sizes, points, least.max(SLACK * request.workers as i128), i64::MAX);
        points = i128::from(request.least_work / time);
    }
    grow(request, sizes, points, least, i64::MAX);
    grow(request, sizes, points / 4, 1, i64::MAX);
}

/// Doubles sizes until the tile has `work` points, or no step keeps `parallelism` and the budget. A step that brings no
/// further bytes is within any budget.
fn grow(request: &Request, sizes: &mut Vec<i64>, work: i128, least: i128, budget: i64) {
    let bytes = |sizes: &[i64]| (request.footprint)(sizes);
    while points(sizes) < work {
        let step = |k: usize| {
            let mut next = sizes.clone();
            next[k] = sizes[k].saturating_mul(2).max(request.unit[k]).min(request.extent[k].max(1));
            let fits = request.given[k] == 0
                && next[k] > sizes[k]
                && bytes(&next) <= budget.max(bytes(sizes))
                && parallelism(request, &next) >= least;
            fits.then_some(next)
        };
        let last = (0..sizes.len()).rev().find(|&k| request.given[k] == 0);
        let vector = last.filter(|&k| sizes[k] < VECTOR).and_then(step);
        let cheapest = || (0..sizes.len()).rev().filter_map(step).min_by_key(|next| price(request, sizes, next));
        match vector.or_else(cheapest) {
            Some(next) => *sizes = next,
            None => return,
        }
    }
}

/// Growth of the footprint divided by growth of the work, in units of 2^-20.
fn price(request: &Request, sizes: &[i64], next: &[i64]) -> i128 {
    let bytes = |sizes: &[i64]| i128::from((request.footprint)(sizes)).max(1);
    (bytes(next) << 20) * points(sizes) / (bytes(sizes) * points(next)).max(1)
}

fn points(sizes: &[i64]) -> i128 {
    sizes.iter().fold(1, |product: i128, &size| product.saturating_mul(i128::from(size)))
}

/// Number of tiles that can run at the same time: all along the free coordinates; along the carried ones a wavefront,
/// as wide as all of them but the longest.
fn parallelism(request: &Request, sizes: &[i64]) -> i128 {
    let tiles = |k: usize| ((i128::from(request.extent[k]) + i128::from(sizes[k]) - 1) / i128::from(sizes[k])).max(1);
    let of = |carried: bool| (0..sizes.len()).filter(move |&k| request.carried[k] == carried).map(tiles);
    let product = |product: i128, count: i128| product.saturating_mul(count);
    let longest = of(true).max().unwrap_or(1);
    of(false).fold(1, product).saturating_mul(of(true).fold(1, product) / longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(extent: &[i64], carried: &[bool], given: &[i64], footprint: &dyn Fn(&[i64]) -> i64) -> Vec<i64> {
        slow_sizes(1, extent, carried, given, footprint)
    }

    fn slow_sizes(
        point: i64,
        extent: &[i64],
        carried: &[bool],
        given: &[i64],
        footprint: &dyn Fn(&[i64]) -> i64,
    ) -> Vec<i64> {
        balanced_sizes((24, 4), point, extent, carried, given, footprint)
    }

    const ANY: [i64; 8] = [1; 8];

    fn balanced_sizes(
        (near_uses, stream_uses): (i64, i64),
        point: i64,
        extent: &[i64],
        carried: &[bool],
        given: &[i64],
        footprint: &dyn Fn(&[i64]) -> i64,
    ) -> Vec<i64> {
        let (near, budget) = (36 << 10, 256 << 10);
        let request = Request {
            extent,
            carried,
            given,
            unit: &ANY[..extent.len()],
            footprint,
            point,
            least_work: LEAST_WORK,
            workers: 2,
            near,
            budget,
            near_uses,
            stream_uses,
        };
        let sizes = choose(&request);
        for (k, &size) in sizes.iter().enumerate() {
            assert!(size >= 1 && (given[k] == 0 || size == given[k]));
        }
        sizes
    }

    #[test]
    fn a_matrix_product_gets_blocks_that_fit() {
        let footprint = |b: &[i64]| 8 * (b[0] * b[1] + b[1] * b[2] + b[0] * b[2]);
        let chosen = sizes(&[1024; 3], &[false, false, true], &[0; 3], &footprint);
        assert!(footprint(&chosen) <= 256 << 10 && footprint(&chosen) > 32 << 10, "{chosen:?}");
        assert!(chosen[2] >= VECTOR);
    }

    #[test]
    fn tiles_over_processes_are_worth_their_messages() {
        let rows = |b: &[i64]| part(b[0], b[1]);
        let with = |extent: i64, processes: u32| {
            let request = Request {
                extent: &[extent; 2],
                carried: &[false; 2],
                given: &[0; 2],
                unit: &[1; 2],
                footprint: &rows,
                point: 1,
                least_work: TileCost { point: 1, processes }.least_work(),
                workers: 2 * processes as usize,
                near: 36 << 10,
                budget: 256 << 10,
                near_uses: 24,
                stream_uses: 4,
            };
            points(&choose(&request))
        };
        assert!(with(1000, 1) < with(1000, 2), "in one process they are small");
        assert!(with(1000, 2) >= i128::from(LEAST_WORK * FAR) / 4, "few and large");
        assert!(with(1000, 2) <= 500_000, "each process has some");
        assert_eq!(with(100, 2), 10_000, "so small that one does it");
    }

    #[test]
    fn tiles_of_register_blocks_are_whole_blocks() {
        let product = |b: &[i64]| part(b[0], b[2]) + part(b[2], b[1]) + part(b[0], b[1]);
        let (budget, carried) = (128 << 10, [false, false, true]);
        let with = |extent: [i64; 3], given: [i64; 3]| {
            let request = Request {
                extent: &extent,
                carried: &carried,
                given: &given,
                unit: &[8, 24, 1],
                footprint: &product,
                point: 1,
                least_work: LEAST_WORK,
                workers: 2,
                near: 36 << 10,
                budget,
                near_uses: 24,
                stream_uses: 4,
            };
            choose(&request)
        };
        let chosen = with([1200; 3], [0; 3]);
        assert!(chosen[0] % 8 == 0 && chosen[1] % 24 == 0, "{chosen:?}");
        assert!(product(&chosen) > budget && product(&chosen) <= BLOCKED * budget, "{chosen:?}");
        assert_eq!(with([1200; 3], [0, 64, 0])[1], 64, "a size that is given need not be a multiple");
        let few = with([100, 20, 3], [0; 3]);
        assert!(few[0] % 8 == 0 && few[1] == 20 && few[2] == 3, "an extent is not exceeded: {few:?}");
    }

    /// Bytes of a part of an array: its rows in whole cache lines.
    fn part(rows: i64, row: i64) -> i64 {
        rows * (8 * row).max(64)
    }

    #[test]
    fn a_sweep_without_reuse_gets_whole_rows() {
        let five_point = |b: &[i64]| part(b[0] + 2, b[1] + 2) + part(b[0], b[1]);
        let chosen = sizes(&[2046, 2046], &[false, false], &[0; 2], &five_point);
        assert_eq!(chosen[1], 2046);
        assert_eq!(chosen[0], 128, "16 tiles for 2 workers");
        // Three rows have to stay in the cache.
        let long = sizes(&[100, 1_000_000], &[false, false], &[0; 2], &five_point);
        assert!(long[1] < 16 << 10 && long[1] >= 4 << 10, "{long:?}");
        let seven_point = |b: &[i64]| b[0] * part(b[1], b[2]) + (b[0] + 2) * part(b[1] + 2, b[2] + 2);
        let chosen = sizes(&[254; 3], &[false; 3], &[0; 3], &seven_point);
        assert_eq!(chosen[2], 254);
        assert!(chosen[1] >= 8 && chosen[0] >= 8, "{chosen:?}");
        assert_eq!(sizes(&[1_280_000], &[false], &[0], &|b| 2 * part(1, b[0])), [65_536]);
    }

    #[test]
    fn the_balance_of_transfers_and_points_decides_between_caches_and_streams() {
        let product = |b: &[i64]| part(b[0], b[1]) + part(b[1], b[2]) + part(b[0], b[2]);
        let with = |balance| balanced_sizes(balance, 1, &[1024; 3], &[false, false, true], &[0; 3], &product);
        let bytes = |sizes: Vec<i64>| product(&sizes);
        assert!(bytes(with((8, 4))) <= 36 << 10, "few uses are enough for the near cache");
        assert!(bytes(with((64, 4))) > 36 << 10, "the near cache needs more uses than its tiles have");
        let five_point = |b: &[i64]| part(b[0] + 2, b[1] + 2) + part(b[0], b[1]);
        let with = |balance| balanced_sizes(balance, 1, &[2046; 2], &[false; 2], &[0; 2], &five_point);
        assert_eq!(with((24, 4))[1], 2046, "half a point for eight bytes: the tile streams along rows");
        let rows = with((24, 4));
        assert_ne!(with((24, 0)), rows, "nothing streams: blocks");
    }

    #[test]
    fn a_transposition_keeps_blocks() {
        let transposition = |b: &[i64]| part(b[0], b[1]) + part(b[1], b[0]);
        let chosen = sizes(&[4096, 4096], &[false, false], &[0; 2], &transposition);
        assert!(chosen[0] >= 8 && chosen[1] <= 2048, "{chosen:?}");
    }

    #[test]
    fn a_wavefront_stays_wide_enough() {
        let footprint = |b: &[i64]| 16 * (b[1] + 2 * b[0]);
        let chosen = sizes(&[1000, 402_000], &[true, true], &[0; 2], &footprint);
        assert!(1000 / chosen[0] >= 7, "{chosen:?}");
        assert!(chosen[1] >= 1024, "{chosen:?}");
        assert!(footprint(&chosen) <= 36 << 10, "each element is used often: near cache, {chosen:?}");
    }

    #[test]
    fn few_points_that_take_long_are_several_tiles() {
        let blocks = |b: &[i64]| b[0] * b[1] * 384;
        assert_eq!(sizes(&[22, 22], &[false; 2], &[0; 2], &blocks), [22, 22], "half a microsecond");
        let tiles = |point| {
            let sizes = slow_sizes(point, &[22, 22], &[false; 2], &[0; 2], &blocks);
            (22 + sizes[0] - 1) / sizes[0] * ((22 + sizes[1] - 1) / sizes[1])
        };
        assert!((2..8).contains(&tiles(16)), "{}", tiles(16));
        assert!((8..=16).contains(&tiles(256)), "{}: four for each worker", tiles(256));
        assert_eq!(tiles(i64::MAX), tiles(4096));
    }

    #[test]
    fn points_with_loops_of_their_own_are_several_tiles() {
        let rows = |b: &[i64]| 2 * b[0] * 17_280;
        let chosen = sizes(&[4096], &[false], &[0], &rows);
        assert!((8..=512).contains(&(4096 / chosen[0])), "{chosen:?}: the rows of an image");
        let band = |b: &[i64]| 1000 * (8 * b[0]).max(64) + 1000 * (8 * b[1]).max(64);
        let chosen = sizes(&[1200, 1200], &[true, true], &[0; 2], &band);
        assert!(chosen[0] * chosen[1] >= 4096, "{chosen:?}: columns times columns use their bytes often");
        // A column of floats brings the lines of its neighbours.
        let columns = |b: &[i64]| 2 * 4096 * (4 * b[0]).max(64);
        let chosen = sizes(&[2160], &[false], &[0], &columns);
        assert!(
            chosen[0] % 16 == 0 && 2160 / chosen[0] >= 8,
            "{chosen:?}: whole lines, though a column fills the budget"
        );
    }

    #[test]
    fn a_tiny_problem_is_one_tile_and_given_sizes_stay() {
        let footprint = |b: &[i64]| 8 * b[0] * b[1];
        assert_eq!(sizes(&[5, 7], &[false, false], &[0; 2], &footprint), [5, 7]);
        assert_eq!(sizes(&[500, 700], &[false, false], &[3, 0], &footprint)[0], 3);
        assert_eq!(sizes(&[0, 0], &[false, false], &[0; 2], &footprint), [1, 1]);
        assert_eq!(sizes(&[], &[], &[], &|_| 8), Vec::<i64>::new());
    }
}
