//! What became of an accepted region, for `--dvm-remarks`: its phases, the loops of its tiles, which of them wait for each
//! other, and about how much memory a tile touches.

use crate::Refusal;
use crate::analysis::{IslRegion, footprint};
use crate::lowered::{ArrayFootprint, Factor};
use crate::model::Region;
use crate::pipeline;
use crate::transform::{Phase, PhaseKind};
use dvm_isl::{Set, UnionMap};
use serde::{Deserialize, Serialize};

/// The size of a tile's loop that neither the pragma nor the machine has told.
const USUAL_SIZE: u64 = 32;

/// A part of a region between two barriers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseRemark {
    /// First and last line of its statements.
    pub lines: (u32, u32),
    /// It runs as tiles, and not in the thread itself.
    pub tiled: bool,
    /// Number of loops around it that the thread runs.
    pub loops_around: usize,
    /// The loops of its tiles, outermost first.
    pub tile_loops: Vec<TileLoop>,
    /// Estimated bytes that a tile of these sizes touches; none if that depends on sizes of the program.
    pub bytes_per_tile: Option<u64>,
}

/// A loop of tiles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TileLoop {
    /// The loop's value, in counters of the program.
    pub value: String,
    /// A tile waits for its predecessor along this loop.
    pub carries: bool,
    /// The size that is assumed for the estimate of bytes.
    pub size: u64,
    /// The pragma gives that size.
    pub given: bool,
}

/// The phases of a region, in their order.
pub fn phases(region: &Region) -> Result<Vec<PhaseRemark>, Refusal> {
    let (isl_region, _, plan) = pipeline::plan(region)?;
    plan.phases.iter().map(|phase| remark(region, &isl_region, phase)).collect()
}

fn remark(region: &Region, isl_region: &IslRegion, phase: &Phase) -> Result<PhaseRemark, Refusal> {
    let names: Vec<String> = phase.domain.sets()?.iter().filter_map(Set::name).collect();
    let statements = region.statements.iter().filter(|statement| names.contains(&statement.name));
    let lines: Vec<u32> = statements.map(|statement| statement.line).collect();
    let mut told = PhaseRemark {
        lines: (lines.iter().copied().min().unwrap_or(0), lines.iter().copied().max().unwrap_or(0)),
        tiled: false,
        loops_around: phase.depth,
        tile_loops: Vec::new(),
        bytes_per_tile: None,
    };
    let PhaseKind::Graph { band, dimension, carried, .. } = &phase.kind else { return Ok(told) };
    told.tiled = true;
    for (at, carries) in carried.iter().enumerate() {
        let size = region.options.tile.get(at).and_then(|size| size.parse().ok()).filter(|size| *size > 0);
        told.tile_loops.push(TileLoop {
            value: value(band, at, *dimension)?,
            carries: *carries,
            size: size.unwrap_or(USUAL_SIZE),
            given: size.is_some(),
        });
    }
    let sizes: Vec<u64> = told.tile_loops.iter().map(|tile_loop| tile_loop.size).collect();
    let footprints = footprint::of_tiles(isl_region, &region.arrays, &phase.domain, band, *dimension)?;
    let bytes = region
        .arrays
        .iter()
        .zip(&footprints)
        .map(|(array, touched)| Some(elements(touched, &sizes)?.saturating_mul(array.element_size.max(1))));
    told.bytes_per_tile = bytes.sum();
    Ok(told)
}

/// The value of a coordinate for the first statement, such as `t + i`.
fn value(band: &UnionMap, at: usize, dimension: usize) -> Result<String, Refusal> {
    let Some(map) = band.maps()?.into_iter().next() else { return Ok(String::new()) };
    let only = map.drop_outputs(at + 1, dimension - at - 1)?.drop_outputs(0, at)?.to_string();
    let value = only.rsplit_once("-> [").and_then(|(_, rest)| rest.split(']').next()).unwrap_or(&only);
    let bare = value.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(value);
    // isl writes `i' = expression` where the range has a name of its own.
    Ok(bare.trim().to_owned())
}

/// The number of elements that a tile touches of an array; none if that depends on sizes of the program.
fn elements(touched: &ArrayFootprint, sizes: &[u64]) -> Option<u64> {
    let ArrayFootprint::Groups(groups) = touched else { return Some(sizes.iter().product()) };
    let factor = |factor: &Factor| match factor {
        Factor::Linear { weights, spread } => {
            let reach = weights.iter().zip(sizes).map(|(weight, size)| weight.unsigned_abs() * (size - 1)).sum::<u64>();
            Some(reach + spread.unsigned_abs() + 1)
        }
        Factor::Whole(_) => None,
    };
    groups.iter().map(|factors| factors.iter().map(factor).product::<Option<u64>>()).sum()
}
