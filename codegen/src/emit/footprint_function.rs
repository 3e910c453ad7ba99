//! Prints the C function that estimates how many bytes a tile of given sizes touches.

use super::{expression::CScope, generated_names::Mentions, region_context::Reach, region_context::RegionContext};
use crate::{
    Refusal,
    lowered::{ArrayFootprint, Ends, Factor},
    model::Array,
};
use std::{collections::BTreeSet, fmt::Write};

/// The function that estimates the bytes of a tile: the sum, over the arrays and their groups of accesses, of the
/// product of the subscripts' factors. `hosts` is the greatest distance of the host loops' values from 0.
pub fn function(
    shared: &RegionContext,
    footprints: &[ArrayFootprint],
    dimension: usize,
    hosts: i128,
    name: &str,
) -> Result<String, Refusal> {
    let mentions = Mentions::of(shared.region, []);
    let scope = shared.scope_of_tile(&mentions, Reach { hosts, band: 0 });
    let mut terms = Vec::new();
    for (array, footprint) in shared.region.arrays.iter().zip(footprints) {
        let groups = match footprint {
            ArrayFootprint::EveryPoint => {
                terms.push(every_point(array, dimension, &shared.size));
                continue;
            }
            ArrayFootprint::Groups(groups) => groups,
        };
        for group in groups {
            let mut factors = Vec::new();
            for factor in group {
                factors.push(match factor {
                    Factor::Linear { weights, spread } => linear(weights, &shared.size, *spread),
                    Factor::Whole(ends) => whole(ends, &scope)?,
                });
            }
            // The memory moves in cache lines: a row has at least one.
            let element = format!("(double)sizeof({})", array.element);
            let row = match factors.pop() {
                None => element,
                Some(row) if row == "1.0" => format!("dvm__lines({element})"),
                Some(row) => format!("dvm__lines({element} * {row})"),
            };
            factors.insert(0, row);
            factors.retain(|factor| factor != "1.0");
            terms.push(factors.join(" * "));
        }
    }
    let locals = shared.locals(&scope, &mentions);
    let (argument, size) = (&shared.argument, &shared.size);
    let mut text = String::from("/* About the bytes that a tile of these sizes touches. */\n");
    let _ = writeln!(text, "static dvm__int64 {name}_footprint(void *{argument}, const dvm__int64 *{size})\n{{");
    if locals.is_empty() {
        let _ = writeln!(text, "  (void){argument};");
    } else {
        let _ =
            writeln!(text, "  const struct {} *{} = {argument};\n{}", shared.context, shared.own, locals.trim_end());
    }
    let sum = if terms.is_empty() { "0.0".to_owned() } else { terms.join("\n       + ") };
    if !sum.contains(&format!("{size}[")) {
        let _ = writeln!(text, "  (void){size};");
    }
    let _ = writeln!(text, "  return dvm__bounded({sum});\n}}\n");
    Ok(text)
}

/// `1 + spread + sum of weight * (size - 1)` as a `double`: an estimate may exceed 64 bits.
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

/// The number of values of a subscript in the whole phase.
fn whole(pieces: &[Ends], scope: &CScope) -> Result<String, Refusal> {
    let mut texts = BTreeSet::new();
    for Ends { least, greatest } in pieces {
        let (least, greatest) = (scope.text(least)?, scope.text(greatest)?);
        texts.insert(format!("(1.0 + (double)({greatest}) - (double)({least}))"));
    }
    Ok(texts.into_iter().next().unwrap_or_else(|| "1.0".to_owned()))
}

/// One element for each point of the tile.
fn every_point(array: &Array, dimension: usize, size: &str) -> String {
    let sizes: String = (0..dimension).map(|k| format!(" * (double){size}[{k}]")).collect();
    format!("(double)sizeof({}){sizes}", array.element)
}
