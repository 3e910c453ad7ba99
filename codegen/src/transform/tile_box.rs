//! The box of a graph's tiles: its ends, as expressions in the parameters and the values of the host loops.

use super::{Phase, PhaseKind, tile::PhaseSets, tile_shape::TileShape};
use crate::{
    Refusal,
    analysis::IslRegion,
    lowered::{Ends, TileBox, TileSymbols},
};
use dvm_isl::{AstBuild, UnionMap};

/// The box of a phase's tiles; a sequential phase has none.
pub fn tile_box(
    isl_region: &IslRegion,
    phase: &Phase,
    sets: &PhaseSets,
    symbols: &TileSymbols,
) -> Result<Option<TileBox>, Refusal> {
    let PhaseKind::Graph { band, carried, body, .. } = &phase.kind else { return Ok(None) };
    isl_region.begin_stage();
    let ends = ends(sets, band, carried.len())?;
    isl_region.begin_stage();
    let coordinates = coordinates(phase)?;
    let TileShape { links, exists } = TileShape::of(isl_region, sets, band, symbols)?;
    Ok(Some(TileBox { carried: carried.clone(), order: body.clone(), coordinates, ends, links, exists }))
}

/// The least and greatest coordinates of a band.
fn ends(sets: &PhaseSets, band: &UnionMap, dimension: usize) -> Result<Vec<Ends>, Refusal> {
    let known = &sets.whole.known;
    let build = AstBuild::from_context(known)?;
    let mut ends = Vec::new();
    for set in sets.whole.all.apply(band)?.sets()? {
        for k in 0..dimension {
            let least = build.expression(&set.dim_min(k)?.coalesce()?.gist(known)?)?;
            let greatest = build.expression(&set.dim_max(k)?.coalesce()?.gist(known)?)?;
            ends.push(Ends { least, greatest });
        }
    }
    Ok(ends)
}

/// For each statement its name, and its instances' host values and coordinates as text.
fn coordinates(phase: &Phase) -> Result<Vec<(String, String)>, Refusal> {
    let mut all = Vec::new();
    for map in phase.coordinates()?.maps()? {
        let range = map.to_string();
        let functions = range.split("->").last().and_then(|text| text.split(['}', ':']).next()).unwrap_or_default();
        let functions = functions.trim().trim_start_matches('[').trim_end_matches(']');
        all.push((map.input_name().unwrap_or_default(), functions.to_owned()));
    }
    Ok(all)
}
