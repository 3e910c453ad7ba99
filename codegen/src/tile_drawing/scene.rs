//! Makes a scene from a region and its plan, for given parameter values and tile sizes.

use crate::refusal::Code;
use std::collections::HashMap;

use dvm_isl::{Map, Set, UnionMap};
use serde::{Deserialize, Serialize};

use super::{Point, Scene};
use crate::Refusal;
use crate::analysis::IslRegion;
use crate::model::Region;
use crate::pipeline;
use crate::transform::Phase;

/// Maximum number of points of a drawing.
const MOST_POINTS: usize = 4000;
/// Maximum number of dependences of a drawing.
const MOST_PAIRS: usize = 40_000;
/// Value of a parameter that the user does not set.
const DEFAULT_SIZE: i64 = 12;
/// Tile size, in iterations, that the user does not set.
const DEFAULT_TILE: i64 = 4;

/// The parameter values and tile sizes of a drawing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct View {
    /// Values of parameters, by C name; others are 12.
    pub sizes: Vec<(String, i64)>,
    /// Tile sizes, by coordinate; others are 4.
    pub tile: Vec<i64>,
}

/// An instance, before its place in the drawing is chosen.
struct Instance {
    statement: usize,
    at: Vec<i64>,
    tile: Vec<i64>,
}

/// The scene of a region. Its first two loops are the axes; further loops show the instances with the least values.
pub fn scene(region: &Region, view: &View) -> Result<Scene, Refusal> {
    let (isl_region, dependences, plan) = pipeline::plan(region)?;
    let sizes = fixed(region, &isl_region, view)?;
    let mut instances = Vec::new();
    for (index, phase) in plan.phases.iter().enumerate() {
        add(region, phase, index, &sizes, view, &mut instances)?;
    }
    let drawn = front(&instances);
    let place: HashMap<(usize, &[i64]), usize> =
        drawn.iter().enumerate().map(|(place, one)| ((one.statement, one.at.as_slice()), place)).collect();
    let mut arrows = Vec::new();
    for map in dependences.all.intersect_params(&sizes)?.maps()? {
        let (from, to) =
            (statement(region, map.input_name().as_deref()), statement(region, map.output_name().as_deref()));
        let inputs = map.inputs()?;
        for pair in numbers(&map, MOST_PAIRS)? {
            let (source, sink) = pair.split_at(inputs);
            arrows.extend(place.get(&(from, source)).copied().zip(place.get(&(to, sink)).copied()));
        }
    }
    // isl lists maps in no particular order; a drawing must be reproducible.
    arrows.sort_unstable();
    let count = region.statements.len().max(1) as f64;
    let point = |one: &&Instance| Point {
        statement: one.statement,
        x: one.at.get(1).copied().unwrap_or(0) as f64,
        y: one.at.first().copied().unwrap_or(0) as f64 + one.statement as f64 / count,
        tile: one.tile.clone(),
    };
    let name = |k: usize| loops(region).get(k).cloned().unwrap_or_default();
    Ok(Scene {
        title: title(region, view, plan.phases.iter().find_map(Phase::dimension).unwrap_or(0)),
        axes: [name(1), name(0)],
        statements: region.statements.iter().map(|one| one.name.clone()).collect(),
        points: drawn.iter().map(point).collect(),
        arrows,
    })
}

/// Counters of the statement with the most loops.
fn loops(region: &Region) -> Vec<String> {
    let deepest = region.statements.iter().max_by_key(|one| one.iterators.len());
    deepest.map(|one| one.iterators.iter().map(|counter| counter.name.clone()).collect()).unwrap_or_default()
}

fn statement(region: &Region, name: Option<&str>) -> usize {
    region.statements.iter().position(|one| Some(one.name.as_str()) == name).unwrap_or(0)
}

/// The parameters' values as a set.
fn fixed(region: &Region, isl_region: &IslRegion, view: &View) -> Result<Set, Refusal> {
    if let Some((name, _)) = view.sizes.iter().find(|(name, _)| region.parameters.iter().all(|one| one.name != *name)) {
        let known: Vec<&str> = region.parameters.iter().map(|one| one.name.as_str()).collect();
        return Err(Refusal::new(
            Code::Drawing,
            format!("region '{}' has no parameter `{name}`", region.name),
            format!("its parameters are: {}", known.join(", ")),
        ));
    }
    let value = |name: &str| view.sizes.iter().find(|(own, _)| own == name).map_or(DEFAULT_SIZE, |(_, value)| *value);
    let symbols: Vec<&str> = region.parameters.iter().map(|one| one.symbol.as_str()).collect();
    let mut equations: Vec<String> =
        region.parameters.iter().map(|one| format!("{} = {}", one.symbol, value(&one.name))).collect();
    equations.push("0 = 0".into());
    Ok(Set::parse(&isl_region.ctx, &format!("[{}] -> {{ : {} }}", symbols.join(", "), equations.join(" and ")))?)
}

/// Adds the instances of a phase, each with its tile: phase, host values, tile coordinates counted from the least.
fn add(
    region: &Region,
    phase: &Phase,
    index: usize,
    sizes: &Set,
    view: &View,
    instances: &mut Vec<Instance>,
) -> Result<(), Refusal> {
    let coordinates: UnionMap = phase.coordinates()?.intersect_domain(&phase.domain)?.intersect_params(sizes)?;
    let mut found = Vec::new();
    for map in coordinates.maps()? {
        let (own, inputs) = (statement(region, map.input_name().as_deref()), map.inputs()?);
        for numbers in numbers(&map, MOST_POINTS)? {
            let (at, place) = numbers.split_at(inputs);
            found.push((own, at.to_vec(), place.to_vec()));
        }
    }
    let least = |k: usize| found.iter().map(|(_, _, place)| place[k]).min().unwrap_or(0);
    let first: Vec<i64> = (0..found.first().map_or(0, |(_, _, place)| place.len())).map(least).collect();
    for (statement, at, place) in found {
        let band = place.iter().enumerate().map(|(k, &value)| match k.checked_sub(phase.depth) {
            None => value,
            Some(coordinate) => {
                let size = view.tile.get(coordinate).copied().unwrap_or(DEFAULT_TILE).max(1);
                (value - first[k]).div_euclid(size)
            }
        });
        let tile = std::iter::once(index as i64).chain(band).collect();
        instances.push(Instance { statement, at, tile });
    }
    if instances.len() > MOST_POINTS {
        return Err(too_many());
    }
    Ok(())
}

/// The instances to draw: of those with the same statement and place, the one whose further counters are least.
fn front(instances: &[Instance]) -> Vec<&Instance> {
    let mut least: HashMap<(usize, &[i64]), &Instance> = HashMap::new();
    for one in instances {
        let plane = &one.at[..one.at.len().min(2)];
        let kept = least.entry((one.statement, plane)).or_insert(one);
        if one.at < kept.at {
            *kept = one;
        }
    }
    let mut drawn: Vec<&Instance> = least.into_values().collect();
    drawn.sort_by(|a, b| (a.statement, &a.at).cmp(&(b.statement, &b.at)));
    drawn
}

fn numbers(map: &Map, most: usize) -> Result<Vec<Vec<i64>>, Refusal> {
    map.wrap()?.points(most)?.ok_or_else(too_many)
}

fn too_many() -> Refusal {
    Refusal::new(
        Code::Drawing,
        format!("the drawing would have more than {MOST_POINTS} points or {MOST_PAIRS} dependences"),
        "give smaller parameter values, as --size N=12; sizes that are constants in the source cannot be changed here",
    )
}

fn title(region: &Region, view: &View, dimension: usize) -> String {
    let value = |name: &str| view.sizes.iter().find(|(own, _)| own == name).map_or(DEFAULT_SIZE, |(_, value)| *value);
    let sizes: Vec<String> =
        region.parameters.iter().map(|one| format!("{} = {}", one.name, value(&one.name))).collect();
    let tile: Vec<String> =
        (0..dimension).map(|k| view.tile.get(k).copied().unwrap_or(DEFAULT_TILE).to_string()).collect();
    format!("{}: {}; tiles of {}", region.name, sizes.join(", "), tile.join(" x "))
}
