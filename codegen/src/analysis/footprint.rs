//! Estimates how many elements of each array a tile touches, as a function of its sizes.

use super::IslRegion;
use crate::{
    Refusal,
    lowered::{ArrayFootprint, Ends, Factor},
    model::Array,
};
use dvm_isl::{AstBuild, Map, PwAff, Set, UnionMap, UnionSet};

/// Maximum of isl's operations for one array.
const OPERATIONS: u64 = 200_000;

/// What tiles of a band touch of each array; `domain` are the instances of the phase.
pub fn of_tiles(
    isl_region: &IslRegion,
    arrays: &[Array],
    domain: &UnionSet,
    band: &UnionMap,
    dimension: usize,
) -> Result<Vec<ArrayFootprint>, Refusal> {
    isl_region.begin_stage();
    let touched = arrays.iter().map(|array| Touched::of(isl_region, array, domain, band, dimension));
    let touched = touched.collect::<Result<Vec<_>, _>>()?;
    isl_region.begin_stage();
    let build = AstBuild::from_context(&isl_region.context.intersect(&domain.params()?)?)?;
    Ok(touched.into_iter().map(|touched| touched.lowered(&build)).collect::<dvm_isl::Result<_>>()?)
}

/// The number of values of a subscript in a tile.
enum Reach {
    /// By the weights of the coordinates and the spread of one point's accesses.
    Linear(Vec<i64>, i64),
    /// From the least to the greatest value in the whole phase, by isl's pieces.
    Whole(Vec<(PwAff, PwAff)>),
}

/// The accesses of a tile to one array: for each group the reach of each subscript. `None`: the analysis takes too
/// long.
struct Touched(Option<Vec<Vec<Reach>>>);

/// The extent of a subscript within a tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    Linear(Vec<i64>),
    Whole,
}

/// Accesses to an array whose subscripts have the same extents.
struct Group {
    shape: Vec<Extent>,
    accesses: UnionMap,
}

impl Touched {
    fn of(
        isl_region: &IslRegion,
        array: &Array,
        domain: &UnionSet,
        band: &UnionMap,
        dimension: usize,
    ) -> Result<Touched, Refusal> {
        isl_region.ctx.allow_operations(OPERATIONS);
        match Touched::exact(isl_region, array, domain, band, dimension) {
            // The footprint is an estimate, which only tile sizes depend on: one element for each point will do.
            Err(error) if error.is_quota() => {
                isl_region.begin_stage();
                Ok(Touched(None))
            }
            touched => Ok(touched?),
        }
    }

    fn exact(
        isl_region: &IslRegion,
        array: &Array,
        domain: &UnionSet,
        band: &UnionMap,
        dimension: usize,
    ) -> dvm_isl::Result<Touched> {
        let groups = groups(isl_region, array, domain, band, dimension)?;
        let mut all = Vec::new();
        for group in groups {
            let mut subscripts = Vec::new();
            for (at, extent) in group.shape.into_iter().enumerate() {
                subscripts.push(match extent {
                    Extent::Linear(weights) => Reach::Linear(weights, spread(&group.accesses, band, at, dimension)?),
                    Extent::Whole => Reach::Whole(ends(&group.accesses, at)?),
                });
            }
            all.push(subscripts);
        }
        Ok(Touched(Some(all)))
    }

    fn lowered(self, build: &AstBuild) -> dvm_isl::Result<ArrayFootprint> {
        let Some(groups) = self.0 else { return Ok(ArrayFootprint::EveryPoint) };
        let group = |subscripts: Vec<Reach>| subscripts.into_iter().map(|reach| reach.lowered(build)).collect();
        Ok(ArrayFootprint::Groups(groups.into_iter().map(group).collect::<dvm_isl::Result<_>>()?))
    }
}

impl Reach {
    fn lowered(self, build: &AstBuild) -> dvm_isl::Result<Factor> {
        let ends = |(least, greatest): (PwAff, PwAff)| {
            Ok(Ends { least: build.expression(&least)?, greatest: build.expression(&greatest)? })
        };
        Ok(match self {
            Reach::Linear(weights, spread) => Factor::Linear { weights, spread },
            Reach::Whole(pieces) => Factor::Whole(pieces.into_iter().map(ends).collect::<dvm_isl::Result<_>>()?),
        })
    }
}

/// Least and greatest value of subscript `at` in the whole phase, for each set of elements.
fn ends(accesses: &UnionMap, at: usize) -> dvm_isl::Result<Vec<(PwAff, PwAff)>> {
    let touched: UnionSet = accesses.range()?.coalesce()?;
    touched.sets()?.iter().map(|set| Ok((set.dim_min(at)?.coalesce()?, set.dim_max(at)?.coalesce()?))).collect()
}

/// The phase's accesses to one array, in groups of equal extents.
fn groups(
    isl_region: &IslRegion,
    array: &Array,
    domain: &UnionSet,
    band: &UnionMap,
    dimension: usize,
) -> dvm_isl::Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for access in isl_region.statements.iter().flat_map(|statement| &statement.accesses) {
        let accesses = UnionMap::from_map(access)?.intersect_domain(domain)?;
        if access.output_name().as_ref() != Some(&array.symbol) || accesses.is_empty()? {
            continue;
        }
        let mut shape = Vec::new();
        for at in 0..array.dims.len() {
            shape.push(extent(&accesses, band, at, dimension)?);
        }
        match groups.iter_mut().find(|group| group.shape == shape) {
            Some(group) => group.accesses = group.accesses.union(&accesses)?,
            None => groups.push(Group { shape, accesses }),
        }
    }
    Ok(groups)
}

/// Coordinates of the band to subscript `at`.
fn subscripts(accesses: &UnionMap, band: &UnionMap, at: usize) -> dvm_isl::Result<Vec<Map>> {
    let touched = band.reverse()?.apply_range(accesses)?;
    let mut all = Vec::new();
    for map in touched.maps()? {
        let rank = map.outputs()?;
        all.push(map.drop_outputs(at + 1, rank - at - 1)?.drop_outputs(0, at)?);
    }
    Ok(all)
}

/// The extent of subscript `at`: its change with each coordinate of the band.
fn extent(accesses: &UnionMap, band: &UnionMap, at: usize, dimension: usize) -> dvm_isl::Result<Extent> {
    let mut weights = vec![0; dimension];
    for subscript in subscripts(accesses, band, at)? {
        if distances(&subscript, dimension, None)?.is_none() {
            return Ok(Extent::Whole);
        }
        for (k, weight) in weights.iter_mut().enumerate() {
            match distances(&subscript, dimension, Some(k))? {
                Some((least, greatest)) => *weight = (*weight).max((least + greatest).abs() / 2),
                None => return Ok(Extent::Whole),
            }
        }
    }
    Ok(Extent::Linear(weights))
}

/// The greatest difference of subscript `at` between accesses of one point.
fn spread(accesses: &UnionMap, band: &UnionMap, at: usize, dimension: usize) -> dvm_isl::Result<i64> {
    let mut spread = 0;
    for subscript in subscripts(accesses, band, at)? {
        if let Some((_, greatest)) = distances(&subscript, dimension, None)? {
            spread = spread.max(greatest);
        }
    }
    Ok(spread)
}

/// Least and greatest difference of a subscript between a point and its neighbour along `k` (or the point itself).
fn distances(subscript: &Map, dimension: usize, k: Option<usize>) -> dvm_isl::Result<Option<(i64, i64)>> {
    let from: Vec<String> = (0..dimension).map(|at| format!("p{at}")).collect();
    let to: Vec<String> =
        (0..dimension).map(|at| if Some(at) == k { format!("p{at} + 1") } else { format!("p{at}") }).collect();
    let step = Map::parse(subscript.context(), &format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", ")))?;
    let pairs = subscript.reverse()?.apply_range(&step)?.apply_range(subscript)?;
    if pairs.is_empty()? {
        return Ok(Some((0, 0)));
    }
    let differences: Set = pairs.deltas()?.without_params()?;
    differences.integer_range(0)
}
