//! Where a tile belongs: the element that its leading write has at a point of the tile, as a function of the point.
//!
//! The leading write of a phase is that of the statement with the most loops. If its element is a function of the host
//! values and the band's coordinates, a tile belongs to the process that has the element at its middle. A reduction into
//! one element has no such function: then any process will do.

use super::{Phase, PhaseKind};
use crate::{
    Refusal,
    analysis::{IslRegion, StatementSets},
    lowered::{PlaceForm, PlaceKind, TileSymbols},
    model::Region,
};
use dvm_isl::{AstBuild, Map, Set, UnionMap, UnionSet};

/// The place form of a phase; `None`: the phase is sequential, or its leading write's element is no function of the
/// point.
pub fn place_form(
    region: &Region,
    isl_region: &IslRegion,
    phase: &Phase,
    symbols: &TileSymbols,
) -> Result<Option<PlaceForm>, Refusal> {
    let PhaseKind::Graph { dimension, .. } = &phase.kind else { return Ok(None) };
    isl_region.begin_stage();
    let Some((writer, writes)) = leading(isl_region, phase)? else { return Ok(None) };
    let coordinates = phase.coordinates()?.intersect_domain(&UnionSet::from_set(&writer)?)?;
    let Some(form) = coordinates.reverse()?.apply_range(&writes)?.maps()?.pop() else { return Ok(None) };
    let (statement, symbol) = (writer.name().unwrap_or_default(), form.output_name().unwrap_or_default());
    let statement = region.statements.iter().position(|own| own.name == statement);
    let array = region.arrays.iter().position(|array| array.symbol == symbol);
    let (Some(statement), Some(array)) = (statement, array) else { return Ok(None) };
    if !form.is_single_valued()? || form.outputs()? == 0 {
        return Ok(None);
    }
    let names = [&symbols.hosts[..phase.depth], &symbols.origins[..*dimension]].concat();
    let Some(factors) = factors(&form, names.len())? else { return Ok(None) };
    let known = &isl_region.context;
    let values = form.wrap()?.flatten()?.with_parameters(&names)?;
    let build = AstBuild::from_context(known)?;
    let mut subscripts = Vec::new();
    for k in 0..form.outputs()? {
        // The value at a point of the phase, extended by the gist to all points.
        let value = values.dim_min(k)?.coalesce()?;
        let value = value.gist(&values.params()?)?;
        subscripts.push(build.expression(&value)?);
    }
    let band: Vec<Vec<i64>> = factors.iter().map(|own| own[phase.depth..].to_vec()).collect();
    let by_hosts = factors.iter().any(|own| own[..phase.depth].iter().any(|factor| *factor != 0));
    Ok(Some(PlaceForm { statement, array, subscripts, kind: kind(&band, by_hosts), factors }))
}

/// The instances of the statement with the most loops that certainly writes in the phase, and one of its writes.
fn leading(isl_region: &IslRegion, phase: &Phase) -> Result<Option<(Set, UnionMap)>, Refusal> {
    let mut best: Option<(usize, Set, UnionMap)> = None;
    for StatementSets { domain, .. } in &isl_region.statements {
        let own = UnionSet::from_set(domain)?.intersect(&phase.domain)?;
        let Some(map) = isl_region.writes.intersect_domain(&own)?.maps()?.into_iter().next() else { continue };
        let loops = domain.dimensions()?;
        if best.as_ref().is_none_or(|(most, ..)| loops > *most) {
            best = Some((loops, map.domain()?, UnionMap::from_map(&map)?));
        }
    }
    Ok(best.map(|(_, domain, writes)| (domain, writes)))
}

/// By subscript and coordinate: the change of the subscript in one step of the coordinate; nothing if it is not
/// constant.
fn factors(form: &Map, coordinates: usize) -> Result<Option<Vec<Vec<i64>>>, Refusal> {
    let mut all = Vec::new();
    for k in 0..form.outputs()? {
        let own = form.drop_outputs(k + 1, form.outputs()? - k - 1)?.drop_outputs(0, k)?.unnamed_output()?;
        let mut factors = Vec::new();
        for at in 0..coordinates {
            let Some(factor) = factor(&own, at, coordinates)? else { return Ok(None) };
            factors.push(factor);
        }
        all.push(factors);
    }
    Ok(Some(all))
}

/// The change of a subscript in one step of coordinate `at`; a coordinate with one value has no step.
fn factor(subscript: &Map, at: usize, coordinates: usize) -> Result<Option<i64>, Refusal> {
    let from: Vec<String> = (0..coordinates).map(|k| format!("q{k}")).collect();
    let to = |k: usize| if k == at { format!("q{k} + 1") } else { format!("q{k}") };
    let to: Vec<String> = (0..coordinates).map(to).collect();
    let step = Map::parse(subscript.context(), &format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", ")))?;
    let change = subscript.reverse()?.apply_range(&step)?.apply_range(subscript)?;
    if change.is_empty()? {
        return Ok(Some(0));
    }
    let change = change.deltas()?.without_params()?;
    Ok(change.integer_range(0)?.and_then(|(least, greatest)| (least == greatest).then_some(least)))
}

/// The kind of a form with these factors by subscript and coordinate of the band.
fn kind(factors: &[Vec<i64>], by_hosts: bool) -> PlaceKind {
    let dimension = factors.first().map_or(0, Vec::len);
    if by_hosts {
        return PlaceKind::Other;
    }
    // Each subscript follows one coordinate, each coordinate is followed by one subscript at most.
    let follows = |own: &Vec<i64>| own.iter().filter(|factor| **factor != 0).count() <= 1;
    let single = |k: usize| factors.iter().filter(|own| own[k] != 0).count() <= 1;
    let steps = factors.iter().flatten().all(|factor| factor.abs() <= 1);
    if factors.iter().all(follows) && (0..dimension).all(single) && steps {
        return PlaceKind::Product;
    }
    let lowers = |k: usize| factors.iter().all(|own| own[k] <= 0);
    let raised_once = |time: usize| {
        let others = (0..dimension).filter(|k| *k != time);
        let raises = |k: usize| single(k) && factors.iter().all(|own| own[k] >= 0);
        let one_each = |own: &Vec<i64>| (0..dimension).filter(|k| *k != time && own[*k] > 0).count() <= 1;
        others.clone().all(raises) && factors.iter().all(one_each)
    };
    match (0..dimension).find(|time| lowers(*time) && raised_once(*time)) {
        Some(time) => PlaceKind::Oblique { time },
        None => PlaceKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{PlaceKind, kind};

    #[test]
    fn forms_are_products_or_fall_with_time() {
        let of = |factors: &[&[i64]]| kind(&factors.iter().map(|own| own.to_vec()).collect::<Vec<_>>(), false);
        assert_eq!(of(&[&[1, 0, 0], &[0, 1, 0]]), PlaceKind::Product);
        assert_eq!(of(&[&[0, 0, -1], &[0, 1, 0]]), PlaceKind::Product);
        assert_eq!(of(&[&[-2, 1, 0], &[-2, 0, 1]]), PlaceKind::Oblique { time: 0 });
        assert_eq!(of(&[&[1, -1]]), PlaceKind::Oblique { time: 1 });
        assert_eq!(of(&[&[1, 1]]), PlaceKind::Other, "two coordinates raise one form");
        assert_eq!(of(&[&[1, 0], &[1, -1]]), PlaceKind::Other, "one coordinate raises two forms");
        assert_eq!(of(&[&[-2, 1, 0], &[0, 1, 1]]), PlaceKind::Other);
        assert_eq!(kind(&[vec![1, 0]], true), PlaceKind::Other, "the place moves with a host loop");
    }
}
