//! Estimates how many elements of each array a tile touches, as a function of its sizes.

use super::IslRegion;
use crate::{
    Refusal,
    lowered::{ArrayFootprint, Ends, Factor},
    model::Array,
};
use dvm_isl::{AstBuild, Map, PwAff, Set, UnionMap, UnionSet};
use std::collections::HashMap;

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
    let band = Band::new(isl_region, band, dimension)?;
    let touched = arrays.iter().map(|array| Touched::of(isl_region, array, domain, &band));
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
    fn of(isl_region: &IslRegion, array: &Array, domain: &UnionSet, band: &Band) -> Result<Touched, Refusal> {
        if array.scattered.is_some() {
            return Ok(Touched(None));
        }
        isl_region.ctx.allow_operations(OPERATIONS);
        match Touched::exact(isl_region, array, domain, band) {
            // The footprint is an estimate, which only tile sizes depend on: one element for each point will do.
            Err(error) if error.is_quota() => {
                isl_region.begin_stage();
                Ok(Touched(None))
            }
            touched => Ok(touched?),
        }
    }

    fn exact(isl_region: &IslRegion, array: &Array, domain: &UnionSet, band: &Band) -> dvm_isl::Result<Touched> {
        let groups = groups(isl_region, array, domain, band)?;
        let mut all = Vec::new();
        for group in groups {
            let subscripts = band.subscripts(&group.accesses.coalesce()?, group.shape.len())?;
            let mut reaches = Vec::new();
            for (at, (extent, subscripts)) in group.shape.into_iter().zip(subscripts).enumerate() {
                reaches.push(match extent {
                    Extent::Linear(weights) => Reach::Linear(weights, band.spread(&subscripts)?),
                    Extent::Whole => Reach::Whole(ends(&group.accesses, at)?),
                });
            }
            all.push(reaches);
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
fn groups(isl_region: &IslRegion, array: &Array, domain: &UnionSet, band: &Band) -> dvm_isl::Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    // Most accesses of a large body share their subscripts with others.
    let mut known = HashMap::new();
    for access in isl_region.statements.iter().flat_map(|statement| &statement.accesses) {
        if access.output_name().as_ref() != Some(&array.symbol) {
            continue;
        }
        let accesses = UnionMap::from_map(access)?.intersect_domain(domain)?;
        if accesses.is_empty()? {
            continue;
        }
        let mut shape = Vec::new();
        for subscripts in band.subscripts(&accesses, array.dims.len())? {
            let text: Vec<String> = subscripts.iter().map(Map::to_string).collect();
            let extent = match known.get(&text) {
                Some(extent) => Extent::clone(extent),
                None => band.extent(&subscripts)?,
            };
            known.insert(text, extent.clone());
            shape.push(extent);
        }
        match groups.iter_mut().find(|group| group.shape == shape) {
            Some(group) => group.accesses = group.accesses.union(&accesses)?,
            None => groups.push(Group { shape, accesses }),
        }
    }
    Ok(groups)
}

/// The coordinates of a band of loops, and the steps between its points.
struct Band {
    /// From coordinates to instances.
    instances: UnionMap,
    /// From a point to itself.
    same: Map,
    /// By coordinate: from a point to its neighbour.
    steps: Vec<Map>,
}

impl Band {
    fn new(isl_region: &IslRegion, band: &UnionMap, dimension: usize) -> dvm_isl::Result<Band> {
        let step = |k: Option<usize>| {
            let from: Vec<String> = (0..dimension).map(|at| format!("p{at}")).collect();
            let plus = |at: usize| if Some(at) == k { format!("p{at} + 1") } else { format!("p{at}") };
            let to: Vec<String> = (0..dimension).map(plus).collect();
            Map::parse(&isl_region.ctx, &format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", ")))
        };
        let steps = (0..dimension).map(|k| step(Some(k))).collect::<dvm_isl::Result<_>>()?;
        Ok(Band { instances: band.reverse()?, same: step(None)?, steps })
    }

    /// By subscript of an array of rank `rank`: from coordinates to the subscript's values.
    fn subscripts(&self, accesses: &UnionMap, rank: usize) -> dvm_isl::Result<Vec<Vec<Map>>> {
        let touched = self.instances.apply_range(accesses)?.maps()?;
        let at = |at: usize| {
            touched.iter().map(|map| map.drop_outputs(at + 1, map.outputs()? - at - 1)?.drop_outputs(0, at)).collect()
        };
        (0..rank).map(at).collect()
    }

    /// The extent of a subscript: its change with each coordinate of the band.
    fn extent(&self, subscripts: &[Map]) -> dvm_isl::Result<Extent> {
        let mut weights = vec![0; self.steps.len()];
        for subscript in subscripts {
            if differences(subscript, &self.same)?.is_none() {
                return Ok(Extent::Whole);
            }
            for (step, weight) in self.steps.iter().zip(&mut weights) {
                match differences(subscript, step)? {
                    Some((least, greatest)) => *weight = (*weight).max((least + greatest).abs() / 2),
                    None => return Ok(Extent::Whole),
                }
            }
        }
        Ok(Extent::Linear(weights))
    }

    /// The greatest difference of a subscript between accesses of one point.
    fn spread(&self, subscripts: &[Map]) -> dvm_isl::Result<i64> {
        let mut spread = 0;
        for subscript in subscripts {
            if let Some((_, greatest)) = differences(&subscript.coalesce()?, &self.same)? {
                spread = spread.max(greatest);
            }
        }
        Ok(spread)
    }
}

/// Least and greatest difference of a subscript between a point and its neighbour by `step`.
fn differences(subscript: &Map, step: &Map) -> dvm_isl::Result<Option<(i64, i64)>> {
    let pairs = subscript.reverse()?.apply_range(step)?.apply_range(subscript)?;
    if pairs.is_empty()? {
        return Ok(Some((0, 0)));
    }
    let differences: Set = pairs.deltas()?.without_params()?;
    match differences.fixed(0) {
        Some(difference) => Ok(Some((difference, difference))),
        None => differences.integer_range(0),
    }
}
