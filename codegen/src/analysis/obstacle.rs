//! Names a dependence that stands in the way of parallelism: from which line to which, by which array, how far.

use super::{Dependences, IslRegion};
use crate::model::{AccessKind, Region};
use dvm_isl::{Map, Result, UnionMap};

/// A dependence between different iterations.
pub struct Obstacle {
    /// The dependence in words.
    pub text: String,
    /// The C name of the array.
    pub array: String,
}

/// A dependence between different iterations; nothing if there is none or the search takes too long.
pub fn obstacle(region: &Region, isl_region: &IslRegion, dependences: &Dependences) -> Option<Obstacle> {
    isl_region.begin_stage();
    let Dependences { flow, anti, output, .. } = dependences;
    let kinds: [(&UnionMap, &str, &str, (bool, bool)); 3] = [
        (flow, "needs what", "wrote to", (true, false)),
        (output, "overwrites what", "wrote to", (true, true)),
        (anti, "overwrites what", "read of", (false, true)),
    ];
    kinds.iter().find_map(|(pairs, does, did, writes)| {
        let mut maps = pairs.maps().ok()?;
        maps.sort_by_key(ToString::to_string);
        maps.iter().find_map(|map| {
            let distance = distance(map).ok()??;
            let line = |name: Option<String>| {
                let statement = region.statements.iter().find(|statement| Some(&statement.name) == name.as_ref())?;
                Some(statement.line)
            };
            let array = array(region, isl_region, map, *writes).ok()??;
            let (from, to) = (line(map.input_name())?, line(map.output_name())?);
            let text = format!("line {to} {does} line {from} {did} `{array}`, at distance ({distance})");
            Some(Obstacle { text, array })
        })
    })
}

/// By common loop how many iterations lie between the two instances; nothing if none do.
fn distance(pairs: &Map) -> Result<Option<String>> {
    let common = pairs.inputs()?.min(pairs.outputs()?);
    let pairs = pairs.reverse()?.drop_outputs(common, pairs.inputs()? - common)?;
    let pairs = pairs.reverse()?.drop_outputs(common, pairs.inputs()? - common)?;
    let pairs = pairs.unnamed_output()?.reverse()?.unnamed_output()?.reverse()?;
    let distances = pairs.deltas()?;
    let mut parts = Vec::new();
    for k in 0..common {
        parts.push(match distances.without_params()?.integer_range(k)? {
            Some((least, greatest)) if least == greatest => least.to_string(),
            Some((least, greatest)) => format!("{least} to {greatest}"),
            None => "*".to_owned(),
        });
    }
    Ok(parts.iter().any(|part| part != "0").then(|| parts.join(", ")))
}

/// The C name of an array of which both instances of some pair touch one element; `writes`: whether they write it.
fn array(region: &Region, isl_region: &IslRegion, pairs: &Map, writes: (bool, bool)) -> Result<Option<String>> {
    let accesses = |name: Option<String>, write: bool| {
        let statements = isl_region.statements.iter().zip(&region.statements);
        let named = statements.filter(move |(sets, _)| sets.domain.name() == name);
        let all = named.flat_map(|(sets, statement)| sets.accesses.iter().zip(&statement.accesses));
        all.filter(move |(_, access)| write == (access.kind != AccessKind::Read)).map(|(map, _)| map)
    };
    for first in accesses(pairs.input_name(), writes.0) {
        for second in accesses(pairs.output_name(), writes.1) {
            if first.output_name() == second.output_name()
                && !first.apply_range(&second.reverse()?)?.intersect(pairs)?.is_empty()?
            {
                let symbol = first.output_name();
                let found = region.arrays.iter().find(|array| Some(&array.symbol) == symbol.as_ref());
                return Ok(found.map(|array| region.said(&array.name).to_owned()));
            }
        }
    }
    Ok(None)
}
