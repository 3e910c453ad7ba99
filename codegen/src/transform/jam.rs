//! Jam: some values of a free loop run together through the serial chain that the loop is around, one step of the chain
//! after another. Their chains are independent: they hide each other's latency, and compilers may run them in vectors. What a
//! chain reads in strides, it reads beside what its neighbours read (Callahan, Carr and Kennedy, "Improving register
//! allocation for subscripted variables", 1990: unroll-and-jam).
//!
//! The tile runs in strips of `STRIP` values, which are tiles of their own: a free coordinate has no order. The strip has
//! the free loop innermost, which the pass proves right like any other order.

use super::{
    Legality, Phase, PhaseKind, legality,
    phase::{body, jammed},
    tile_order::{NestWalk, walks},
};
use crate::{Refusal, analysis::IslRegion, lowered::BodyOrder, model::Region};
use dvm_isl::{Result, UnionMap};

/// Maximum number of accesses of a statement that stride along the free loop: each has `STRIP` cache lines in use.
const STRIDED: usize = 12;

/// The order with a free coordinate innermost, if that is legal and pays.
pub(crate) fn jam(
    region: &Region,
    isl_region: &IslRegion,
    legality: &Legality,
    (phase, alone): (&Phase, bool),
) -> std::result::Result<Option<BodyOrder>, Refusal> {
    let PhaseKind::Graph { carried, .. } = &phase.kind else { return Ok(None) };
    if !region.reductions.is_empty() || carried.iter().all(|carried| *carried) {
        return Ok(None);
    }
    isl_region.begin_stage();
    match legality.inside(phase, alone).and_then(|inside| search(isl_region, &inside, phase)) {
        // The search took too long. The phase's order is right in any tile.
        Err(error) if error.is_quota() => Ok(None),
        found => Ok(found?),
    }
}

fn search(isl_region: &IslRegion, inside: &UnionMap, phase: &Phase) -> Result<Option<BodyOrder>> {
    let PhaseKind::Graph { band, everywhere, dimension, carried, below, .. } = &phase.kind else { return Ok(None) };
    let own = body(isl_region, phase)?.intersect_domain(&phase.domain)?;
    let Some(present) = walks(isl_region, &phase.domain, inside, &own)? else { return Ok(None) };
    if !present.iter().any(|walk| walk.carried || walk.strided > 0) {
        return Ok(None);
    }
    let mut best: Option<(usize, BodyOrder)> = None;
    for free in (0..*dimension).filter(|k| !carried[*k]) {
        let place = place(band, *dimension, below, free)?;
        let order = jammed(band, *dimension, below, (free, place))?;
        let Some(walks) = walks(isl_region, &phase.domain, inside, &order)? else { continue };
        let strided = walks.iter().map(|walk| walk.strided).sum();
        let better = best.as_ref().is_none_or(|(least, _)| strided < *least);
        let near = |walk: &NestWalk| walk.innermost == place && stays_near(walk);
        if !better || !walks.iter().any(|walk| walk.carried_around) || !walks.iter().all(near) {
            continue;
        }
        let everywhere = jammed(&everywhere.band, *dimension, &everywhere.below, (free, place))?;
        if legality::is_forward(inside, &everywhere)? {
            best = Some((strided, BodyOrder::Jammed { free, place }));
        }
    }
    Ok(best.map(|(_, order)| order))
}

/// The place of the free loop in the order: behind the last of the other loops of any statement.
fn place(band: &UnionMap, dimension: usize, below: &UnionMap, free: usize) -> Result<usize> {
    let last = below.maps()?.first().map_or(Ok(0), dvm_isl::Map::outputs)? + dimension - 1;
    let mut place = 0;
    for map in jammed(band, dimension, below, (free, last))?.maps()? {
        let range = map.range()?;
        let varying = (0..last).rev().find(|k| range.fixed(*k).is_none());
        place = place.max(varying.map_or(0, |k| k + 1));
    }
    Ok(place)
}

/// Whether all accesses of a statement find what they touch in the cache lines of the step before, or of a neighbour.
fn stays_near(walk: &NestWalk) -> bool {
    !walk.carried && walk.strided <= STRIDED && walk.strided_twice == 0
}
