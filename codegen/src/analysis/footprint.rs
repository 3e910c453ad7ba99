//! How many elements of each array a tile touches, as a function of its sizes.

use super::IslRegion;
use crate::{Refusal, model::Array};
use dvm_isl::{Map, PwAff, Set, UnionMap, UnionSet};
use std::fmt;

/// How many values a subscript takes in a tile.
pub enum Factor {
    /// `1 + spread + the sum of weight * (size - 1)` over the coordinates of the band.
    Linear {
        /// By coordinate: how far one step moves the subscript.
        weights: Vec<i64>,
        /// How far the accesses of one point differ.
        spread: i64,
    },
    /// The tile's sizes do not bound it: from the least to the greatest value in the whole phase, by isl's pieces.
    Whole(Vec<(PwAff, PwAff)>),
}

/// What a tile touches of one array.
pub enum ArrayFootprint {
    /// For each group of accesses that move alike with the tile: a factor for each subscript.
    Groups(Vec<Vec<Factor>>),
    /// As if each point of the tile had an element of its own: the analysis takes too long.
    EveryPoint,
}

/// How far the accesses of one shape reach within a tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    Linear(Vec<i64>),
    Whole,
}

/// Accesses to an array that move alike with the tile.
struct Group {
    shape: Vec<Extent>,
    accesses: UnionMap,
}

impl ArrayFootprint {
    /// What tiles of a band touch of an array; `domain` are the instances of the phase.
    pub fn of(
        isl_region: &IslRegion,
        array: &Array,
        domain: &UnionSet,
        band: &UnionMap,
        dimension: usize,
    ) -> Result<ArrayFootprint, Refusal> {
        let groups = match groups(isl_region, array, domain, band, dimension) {
            // The sizes of tiles are as good as the estimate: one element for each point will do.
            Err(error) if error.is_quota() => {
                isl_region.begin_stage();
                return Ok(ArrayFootprint::EveryPoint);
            }
            groups => groups?,
        };
        let mut all = Vec::new();
        for group in groups {
            let mut factors = Vec::new();
            for (at, extent) in group.shape.into_iter().enumerate() {
                factors.push(match extent {
                    Extent::Linear(weights) => {
                        Factor::Linear { weights, spread: spread(&group.accesses, band, at, dimension)? }
                    }
                    Extent::Whole => Factor::Whole(ends(&group.accesses, at)?),
                });
            }
            all.push(factors);
        }
        Ok(ArrayFootprint::Groups(all))
    }
}

impl fmt::Display for ArrayFootprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArrayFootprint::Groups(groups) = self else { return f.write_str("an element for each point") };
        let groups: Vec<String> =
            groups.iter().map(|factors| factors.iter().map(ToString::to_string).collect()).collect();
        f.write_str(&groups.join(" + "))
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Linear { weights, spread } => write!(f, "[{weights:?} spread {spread}]"),
            Factor::Whole(ends) => {
                let ends: Vec<String> = ends.iter().map(|(least, greatest)| format!("{least} to {greatest}")).collect();
                write!(f, "[{}]", ends.join(" or "))
            }
        }
    }
}

/// Least and greatest value of subscript `at` in the whole phase, for each set of elements.
fn ends(accesses: &UnionMap, at: usize) -> dvm_isl::Result<Vec<(PwAff, PwAff)>> {
    let touched: UnionSet = accesses.range()?.coalesce()?;
    touched.sets()?.iter().map(|set| Ok((set.dim_min(at)?.coalesce()?, set.dim_max(at)?.coalesce()?))).collect()
}

/// The phase's accesses to one array, those together that move alike.
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

/// How subscript `at` moves with each coordinate of the band.
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

/// How far the accesses of one point differ in subscript `at`.
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
    let step = Map::parse(subscript.ctx(), &format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", ")))?;
    let pairs = subscript.reverse()?.apply_range(&step)?.apply_range(subscript)?;
    if pairs.is_empty()? {
        return Ok(Some((0, 0)));
    }
    let differences: Set = pairs.deltas()?.without_params()?;
    differences.integer_range(0)
}
