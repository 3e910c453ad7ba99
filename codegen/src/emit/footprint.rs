//! About how many bytes a tile touches, as a function of its sizes.

use super::{
    frame::{self, Frame},
    graph::Source,
    names::Mentions,
};
use crate::{Refusal, model::Array, transform::Phase};
use dvm_isl::{AstBuild, Map, Set, UnionMap, UnionSet};
use std::{collections::BTreeSet, fmt::Write};

/// How far one subscript reaches within a tile.
enum Reach {
    /// 1 + the sum of `weight * (size - 1)`, plus a constant spread.
    Linear(Vec<i64>, i64),
    /// The tile's sizes do not bound it: as far as in the whole phase.
    Whole,
}

/// The function that estimates the bytes of a tile: for each array the product of how far its subscripts reach.
pub fn function(
    source: &Source,
    phase: &Phase,
    band: &UnionMap,
    dimension: usize,
    name: &str,
) -> Result<String, Refusal> {
    let frame: &Frame = source.frame;
    let mentions = Mentions::of(frame.region, []);
    let scope = frame.scope(&mentions);
    let build = AstBuild::from_context(&source.program.context.intersect(&phase.domain.params()?)?)?;
    let mut terms = Vec::new();
    for array in &frame.region.arrays {
        let accesses = accesses_of(source, phase, array)?;
        if accesses.is_empty()? {
            continue;
        }
        let mut factors = vec![format!("(int64_t)sizeof({})", array.element)];
        for at in 0..array.dims.len() {
            match reach(&accesses, band, at, dimension)? {
                Reach::Linear(weights, spread) => factors.push(linear(&weights, spread)),
                Reach::Whole => factors.push(whole(&accesses, at, &build, &scope)?),
            }
        }
        terms.push(factors.join(" * "));
    }
    let locals = frame.locals(&scope, &mentions);
    let mut text = String::from("/* About the bytes that a tile of these sizes touches. */\n");
    let _ = writeln!(text, "static int64_t {name}_footprint(void *context, const int64_t *size)\n{{");
    if locals.is_empty() {
        text.push_str("  (void)context;\n");
    } else {
        let _ = writeln!(text, "  const struct {} *{} = context;\n{}", frame.context, frame.own, locals.trim_end());
    }
    let sum = if terms.is_empty() { "0".to_owned() } else { terms.join("\n       + ") };
    if !sum.contains("size[") {
        text.push_str("  (void)size;\n");
    }
    let _ = writeln!(text, "  return {sum};\n}}\n");
    Ok(text)
}

/// The phase's accesses to one array.
fn accesses_of(source: &Source, phase: &Phase, array: &Array) -> Result<UnionMap, Refusal> {
    let mut all = UnionMap::parse(&source.program.ctx, "{ }")?;
    for statement in &source.program.statements {
        for access in statement.accesses.iter().filter(|access| access.output_name().as_ref() == Some(&array.symbol)) {
            all = all.union(&UnionMap::from_map(access)?)?;
        }
    }
    Ok(all.intersect_domain(&phase.domain)?)
}

/// How far subscript `at` reaches: how it moves with each coordinate of the band, and how far accesses at one point differ.
fn reach(accesses: &UnionMap, band: &UnionMap, at: usize, dimension: usize) -> Result<Reach, Refusal> {
    let touched = band.reverse()?.apply_range(accesses)?;
    let mut weights = vec![0; dimension];
    let mut spread = 0;
    for map in touched.maps()? {
        let rank = map.outputs()?;
        let subscript = map.drop_outputs(at + 1, rank - at - 1)?.drop_outputs(0, at)?;
        match distances(&subscript, dimension, None)? {
            Some((least, greatest)) => spread = spread.max(greatest - least),
            None => return Ok(Reach::Whole),
        }
        for (k, weight) in weights.iter_mut().enumerate() {
            match distances(&subscript, dimension, Some(k))? {
                Some((least, greatest)) => *weight = (*weight).max((least + greatest).abs() / 2),
                None => return Ok(Reach::Whole),
            }
        }
    }
    Ok(Reach::Linear(weights, spread / 2))
}

/// Least and greatest difference of a subscript between a point and its neighbour along `k` (or the point itself).
fn distances(subscript: &Map, dimension: usize, k: Option<usize>) -> Result<Option<(i64, i64)>, Refusal> {
    let from: Vec<String> = (0..dimension).map(|at| format!("p{at}")).collect();
    let to: Vec<String> =
        (0..dimension).map(|at| if Some(at) == k { format!("p{at} + 1") } else { format!("p{at}") }).collect();
    let step = Map::parse(subscript.ctx(), &format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", ")))?;
    let pairs = subscript.reverse()?.apply_range(&step)?.apply_range(subscript)?;
    if pairs.is_empty()? {
        return Ok(Some((0, 0)));
    }
    let differences: Set = pairs.deltas()?.without_params()?;
    Ok(differences.integer_range(0)?)
}

fn linear(weights: &[i64], spread: i64) -> String {
    let mut text = (1 + spread).to_string();
    for (k, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0) {
        let _ = match weight {
            1 => write!(text, " + (size[{k}] - 1)"),
            _ => write!(text, " + {weight} * (size[{k}] - 1)"),
        };
    }
    let sum = format!("({text})");
    if text == "1" { text } else { sum.replace("(1 + (size", "((size").replace("((size[", "(1 + (size[") }
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
        texts.insert(format!("(1 + ({greatest}) - ({least}))"));
    }
    Ok(texts.into_iter().next().unwrap_or_else(|| "1".to_owned()))
}

/// The names of arrays that some functions need, for the region's overlap checks.
pub fn lengths(array: &Array) -> Vec<String> {
    (1..array.dims.len()).map(|at| frame::length_text(array, at)).collect()
}
