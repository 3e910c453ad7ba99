//! About how many bytes a tile touches, as a function of its sizes.

use super::{
    frame::{self, Frame},
    graph::Source,
    names::Mentions,
};
use crate::{Refusal, model::Array, transform::Phase};
use dvm_isl::{AstBuild, Map, Set, UnionMap, UnionSet};
use std::{collections::BTreeSet, fmt::Write};

/// How far the accesses of one shape reach within a tile.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// 1 + the sum of `weight * (size - 1)`, plus how far accesses of one point differ.
    Linear(Vec<i64>),
    /// The tile's sizes do not bound it: as far as in the whole phase.
    Whole,
}

/// Accesses to an array that move alike with the tile.
struct Group {
    shape: Vec<Reach>,
    accesses: UnionMap,
}

/// The function that estimates the bytes of a tile: for each array and each way to walk it, the product of how far the
/// subscripts reach.
pub fn function(
    source: &Source,
    phase: &Phase,
    band: &UnionMap,
    dimension: usize,
    name: &str,
) -> Result<String, Refusal> {
    let frame: &Frame = source.frame;
    let mentions = Mentions::of(frame.region, []);
    let scope = frame.scope_of_tile(&mentions, super::frame::Reach { hosts: source.hosts, band: 0 });
    let build = AstBuild::from_context(&source.program.context.intersect(&phase.domain.params()?)?)?;
    let mut terms = Vec::new();
    for array in &frame.region.arrays {
        let groups = match groups(source, phase, array, band, dimension) {
            // The sizes of tiles are as good as the estimate: one element for each point will do.
            Err(error) if error.is_quota() => {
                source.program.begin_stage();
                terms.push(every_point(array, dimension, &frame.size));
                continue;
            }
            groups => groups?,
        };
        for group in groups {
            let mut factors = vec![format!("(double)sizeof({})", array.element)];
            for (at, reach) in group.shape.iter().enumerate() {
                factors.push(match reach {
                    Reach::Linear(weights) => {
                        linear(weights, &frame.size, spread(&group.accesses, band, at, dimension)?)
                    }
                    Reach::Whole => whole(&group.accesses, at, &build, &scope)?,
                });
            }
            factors.retain(|factor| factor != "1.0");
            terms.push(factors.join(" * "));
        }
    }
    let locals = frame.locals(&scope, &mentions);
    let (argument, size) = (&frame.argument, &frame.size);
    let mut text = String::from("/* About the bytes that a tile of these sizes touches. */\n");
    let _ = writeln!(text, "static dvm__int64 {name}_footprint(void *{argument}, const dvm__int64 *{size})\n{{");
    if locals.is_empty() {
        let _ = writeln!(text, "  (void){argument};");
    } else {
        let _ = writeln!(text, "  const struct {} *{} = {argument};\n{}", frame.context, frame.own, locals.trim_end());
    }
    let sum = if terms.is_empty() { "0.0".to_owned() } else { terms.join("\n       + ") };
    if !sum.contains(&format!("{size}[")) {
        let _ = writeln!(text, "  (void){size};");
    }
    let _ = writeln!(text, "  return dvm__bounded({sum});\n}}\n");
    Ok(text)
}

/// The phase's accesses to one array, those together that move alike.
fn groups(
    source: &Source,
    phase: &Phase,
    array: &Array,
    band: &UnionMap,
    dimension: usize,
) -> dvm_isl::Result<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for access in source.program.statements.iter().flat_map(|statement| &statement.accesses) {
        let accesses = UnionMap::from_map(access)?.intersect_domain(&phase.domain)?;
        if access.output_name().as_ref() != Some(&array.symbol) || accesses.is_empty()? {
            continue;
        }
        let mut shape = Vec::new();
        for at in 0..array.dims.len() {
            shape.push(reach(&accesses, band, at, dimension)?);
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
fn reach(accesses: &UnionMap, band: &UnionMap, at: usize, dimension: usize) -> dvm_isl::Result<Reach> {
    let mut weights = vec![0; dimension];
    for subscript in subscripts(accesses, band, at)? {
        if distances(&subscript, dimension, None)?.is_none() {
            return Ok(Reach::Whole);
        }
        for (k, weight) in weights.iter_mut().enumerate() {
            match distances(&subscript, dimension, Some(k))? {
                Some((least, greatest)) => *weight = (*weight).max((least + greatest).abs() / 2),
                None => return Ok(Reach::Whole),
            }
        }
    }
    Ok(Reach::Linear(weights))
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

/// `1 + spread + sum of weight * (size - 1)`, as a `double`: an estimate may be larger than any integer.
fn linear(weights: &[i64], size: &str, spread: i64) -> String {
    let constant = 1 + i128::from(spread) - weights.iter().map(|weight| i128::from(*weight)).sum::<i128>();
    let mut terms: Vec<String> = Vec::new();
    for (k, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0) {
        let own = format!("(double){size}[{k}]");
        terms.push(if *weight == 1 { own } else { format!("{weight}.0 * {own}") });
    }
    match (terms.len(), constant) {
        (0, _) => format!("{constant}.0"),
        (1, 0) => terms.remove(0),
        (_, 0) => format!("({})", terms.join(" + ")),
        (_, 1..) => format!("({} + {constant}.0)", terms.join(" + ")),
        _ => format!("({} - {}.0)", terms.join(" + "), -constant),
    }
}

/// How far a subscript reaches in the whole phase.
fn whole(
    accesses: &UnionMap,
    at: usize,
    build: &AstBuild,
    scope: &super::expression::Scope,
) -> Result<String, Refusal> {
    let touched: UnionSet = accesses.range()?.coalesce()?;
    let mut texts = BTreeSet::new();
    for set in touched.sets()? {
        let least = scope.text(&build.expression(&set.dim_min(at)?.coalesce()?)?)?;
        let greatest = scope.text(&build.expression(&set.dim_max(at)?.coalesce()?)?)?;
        texts.insert(format!("(1.0 + (double)({greatest}) - (double)({least}))"));
    }
    Ok(texts.into_iter().next().unwrap_or_else(|| "1.0".to_owned()))
}

/// The names of arrays that some functions need, for the region's overlap checks.
pub fn lengths(array: &Array) -> Vec<String> {
    (1..array.dims.len()).map(|at| frame::length_text(array, at)).collect()
}

/// As if each point of the tile had an element of its own.
fn every_point(array: &Array, dimension: usize, size: &str) -> String {
    let sizes: String = (0..dimension).map(|k| format!(" * (double){size}[{k}]")).collect();
    format!("(double)sizeof({}){sizes}", array.element)
}
