//! The sets of a phase: its instances for given values of its host loops, and the instances of one tile.

use super::{Phase, PhaseKind};
use crate::{Refusal, analysis::IslRegion, lowered::TileSymbols};
use dvm_isl::{Set, UnionMap, UnionSet};

/// Instances, and constraints on the parameters for which instances exist.
pub struct Instances {
    /// The instances.
    pub all: UnionSet,
    /// The context within a convex set around the parameters for which an instance exists.
    pub known: Set,
}

/// The sets of one phase.
pub struct PhaseSets {
    /// The whole phase, the values of its host loops as parameters.
    pub whole: Instances,
    /// One tile of a graph, its origin and sizes as further parameters.
    pub tile: Option<Instances>,
}

impl PhaseSets {
    /// The sets of a phase.
    pub fn of(isl_region: &IslRegion, phase: &Phase, symbols: &TileSymbols) -> Result<PhaseSets, Refusal> {
        isl_region.begin_stage();
        let hosts = symbols.hosts[..phase.depth].join(", ");
        let point = UnionSet::parse(&isl_region.ctx, &format!("[{hosts}] -> {{ [{hosts}] }}"))?;
        let all = phase.hosts.intersect_range(&point)?.domain()?.coalesce()?;
        let hull = all.params()?.simple_hull()?;
        let known = isl_region.context.intersect(&hull)?;
        let tile = match &phase.kind {
            PhaseKind::Sequential => None,
            PhaseKind::Graph { band, dimension, .. } => {
                isl_region.begin_stage();
                let coordinates = phase.hosts.flat_range_product(band)?;
                Some(tile(isl_region, &coordinates, phase.depth, *dimension, symbols, &hull)?)
            }
        };
        Ok(PhaseSets { whole: Instances { all, known }, tile })
    }
}

/// The instances of one tile; `coordinates` are the values of its `depth` host loops and of the band.
fn tile(
    isl_region: &IslRegion,
    coordinates: &UnionMap,
    depth: usize,
    dimension: usize,
    symbols: &TileSymbols,
    hull: &Set,
) -> dvm_isl::Result<Instances> {
    let (hosts, origins, sizes) = (&symbols.hosts[..depth], &symbols.origins[..dimension], &symbols.sizes[..dimension]);
    let points: Vec<String> = (0..dimension).map(|k| format!("p{k}")).collect();
    let inside: Vec<String> =
        (0..dimension).map(|k| format!("{0} <= {1} < {0} + {2}", origins[k], points[k], sizes[k])).collect();
    let parameters = [hosts, origins, sizes].concat().join(", ");
    let space = [hosts, points.as_slice()].concat().join(", ");
    let tile = format!("[{parameters}] -> {{ [{space}] : {} }}", inside.join(" and "));
    let tile = UnionSet::parse(&isl_region.ctx, &tile)?;
    let all = coordinates.intersect_range(&tile)?.domain()?.coalesce()?;
    let positive: Vec<String> = sizes.iter().map(|size| format!("{size} >= 1")).collect();
    let known = format!("[{parameters}] -> {{ : {} }}", positive.join(" and "));
    let known = Set::parse(&isl_region.ctx, &known)?.intersect(&isl_region.context)?;
    Ok(Instances { all, known: known.intersect(hull)? })
}
