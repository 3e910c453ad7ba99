//! Which points of the box of tiles are in the graph: limits of inner coordinates by outer ones, and whether a tile has
//! an instance.
//!
//! A limit comes from a constraint of a convex set around the band's points. A dependence joins two points of that set,
//! so the segment between them stays in it. The graph orders tiles by unit steps: it has to have each tile that the
//! segment meets, also at corners. Hence a tile stands for the real box from half a step before its origin to half a
//! step after its last point, and a limit holds if the constraint does somewhere in that box. The boxes share their
//! faces, so a segment goes from one to the next by unit steps. Tiles without an instance stay in the graph, but nothing
//! runs there.

use super::tile::{Instances, PhaseSets};
use crate::{
    Refusal,
    analysis::IslRegion,
    lowered::{Link, TileSymbols},
};
use dvm_isl::{AstBuild, AstExpr, Constraint, Result, Set, UnionMap};

/// Maximum number of pieces of an exact condition; a convex set around more pieces replaces them.
const PIECES: usize = 8;

/// Which points of the box are in the graph, and which of them have instances.
#[derive(Default)]
pub struct TileShape {
    /// The limits of inner coordinates by outer ones.
    pub links: Vec<Link>,
    /// A tile within all limits has an instance. `None`: always, or too long to tell.
    pub exists: Option<AstExpr>,
}

impl TileShape {
    /// The shape of a graph. The box alone is right as well: an analysis that takes too long leaves it at that.
    pub fn of(
        isl_region: &IslRegion,
        sets: &PhaseSets,
        band: &UnionMap,
        symbols: &TileSymbols,
    ) -> std::result::Result<TileShape, Refusal> {
        isl_region.begin_stage();
        let Some(limits) = unless_too_long(limits(sets, band))? else { return Ok(TileShape::default()) };
        isl_region.begin_stage();
        let exists = match &sets.tile {
            Some(tile) => unless_too_long(exists(tile, &limits, symbols))?.flatten(),
            None => None,
        };
        let depends = |link: &Link| {
            let (own, outer) = link.origins.split_last().unwrap_or((&0, &[]));
            *own != 0 && outer.iter().any(|factor| *factor != 0)
        };
        Ok(TileShape { links: limits.into_iter().filter(depends).collect(), exists })
    }
}

fn unless_too_long<T>(answer: Result<T>) -> std::result::Result<Option<T>, Refusal> {
    match answer {
        Err(error) if error.is_quota() || error.is_unfaithful() => Ok(None),
        answer => Ok(Some(answer?)),
    }
}

/// The limits of all coordinates: for each, those of the points' first coordinates up to it.
fn limits(sets: &PhaseSets, band: &UnionMap) -> Result<Vec<Link>> {
    let mut all: Vec<Link> = Vec::new();
    for points in sets.whole.all.apply(band)?.sets()? {
        for coordinate in 0..points.dimensions()? {
            let first = points.first_dimensions(coordinate + 1)?.coalesce()?;
            for constraint in first.hull_constraints()? {
                let link = link(coordinate, &constraint);
                if constraint.coordinates[coordinate] != 0 && !all.contains(&link) {
                    all.push(link);
                }
            }
        }
    }
    Ok(all)
}

/// The limit for tiles. In a box from `o - 1/2` to `o + b - 1/2`, `a * p` is at most `a * (o + b) - a / 2` for positive
/// `a`, else `a * o - a / 2`; integers let the halves be rounded up together.
fn link(coordinate: usize, constraint: &Constraint) -> Link {
    let origins = constraint.coordinates.clone();
    let halves: i64 = origins.iter().sum();
    Link {
        coordinate,
        sizes: origins.iter().map(|factor| (*factor).max(0)).collect(),
        origins,
        parameters: constraint.parameters.clone(),
        constant: constraint.constant - (halves.div_euclid(2) + halves.rem_euclid(2)),
    }
}

/// The condition under which a tile within all limits has an instance; nothing if that is always so.
fn exists(tile: &Instances, limits: &[Link], symbols: &TileSymbols) -> Result<Option<AstExpr>> {
    let mut known = tile.known.clone();
    let names = known.parameter_names()?;
    for link in limits {
        let mut names = names.clone();
        let used = link.parameters.iter().map(|(name, _)| name);
        for name in used.chain(&symbols.origins).chain(&symbols.sizes) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let text = format!("[{}] -> {{ : {} >= 0 }}", names.join(", "), link.text(symbols));
        known = known.intersect(&Set::parse(known.context(), &text)?)?;
    }
    let has = tile.all.params()?.coalesce()?;
    if known.is_subset(&has)? {
        return Ok(None);
    }
    let has = if has.pieces()? > PIECES { has.simple_hull()? } else { has };
    let shorter = has.gist(&known)?;
    Ok(Some(AstBuild::from_context(&known)?.condition(&shorter)?))
}
