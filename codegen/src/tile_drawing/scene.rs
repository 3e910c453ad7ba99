//! Makes a scene from a region and its plan, for given parameter values and tile sizes.

use crate::refusal::Code;
use std::collections::HashMap;

use dvm_isl::{Set, UnionMap, UnionSet};
use serde::{Deserialize, Serialize};

use super::statement_name::statement_name;
use super::window::{WINDOWS, Window};
use super::{Point, Scene};
use crate::Refusal;
use crate::analysis::IslRegion;
use crate::model::{Parameter, Region, Statement};
use crate::pipeline;
use crate::transform::{Phase, Plan};

/// Maximum number of points of a drawing.
const MOST_POINTS: usize = 4000;
/// Maximum number of dependences of a drawing.
const MOST_PAIRS: usize = 40_000;
/// Value of a parameter that the user does not set.
const DEFAULT_SIZE: i64 = 12;
/// Tile size, in iterations, that the user does not set.
const DEFAULT_TILE: i64 = 4;

/// Maximum number of names that a message lists.
const MOST_NAMES: usize = 20;

/// The parameter values and tile sizes of a drawing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct View {
    /// Values of parameters and constants, as the program names them; other parameters are 12.
    pub sizes: Vec<(String, i64)>,
    /// Tile sizes, by coordinate; others are 4.
    pub tile: Vec<i64>,
    /// The constants of the file, which may be in `sizes`: the region was read with their values.
    pub constants: Vec<String>,
    /// The models of the file's regions with the constants' own values, as text: tiles are those of these regions. With
    /// small constants the analysis may find others, or none.
    pub originals: Vec<String>,
}

/// An instance, before its place in the drawing is chosen.
struct Instance {
    statement: usize,
    at: Vec<i64>,
    tile: Vec<i64>,
}

/// What stands for a region in a drawing, before places are chosen.
struct Content {
    instances: Vec<Instance>,
    /// Each dependence: the statement and counters of its source, and of its sink.
    dependences: Vec<[(usize, Vec<i64>); 2]>,
}

/// The scene of a region, or of a part that is small enough. Its first two loops are the axes; further loops show the
/// instances with the least values.
pub fn scene(region: &Region, view: &View) -> Result<Scene, Refusal> {
    let instances = IslRegion::read(region)?.domain.to_string();
    let mut planned = pipeline::plan(original(region, view).as_ref().unwrap_or(region))?;
    let mut whole = UnionSet::parse(&planned.0.ctx, &instances)?;
    if !whole.is_subset(&planned.0.domain)? {
        planned = pipeline::plan(region)?;
        whole = planned.0.domain.clone();
    }
    let (isl_region, dependences, plan) = planned;
    let whole = whole.intersect_params(&fixed(region, &isl_region, view)?)?;
    let mut found = content(region, &plan, &dependences.all, &whole, view)?;
    let mut window = None;
    for smaller in WINDOWS {
        if found.is_some() {
            break;
        }
        isl_region.begin_stage();
        found = content(region, &plan, &dependences.all, &smaller.of(&isl_region.ctx, &whole)?, view)?;
        window = Some(smaller);
    }
    let content = found.ok_or_else(too_many)?;
    let drawn = front(&content.instances);
    let count = region.statements.len().max(1) as f64;
    let point = |one: &&Instance| Point {
        statement: one.statement,
        x: one.at.get(1).copied().unwrap_or(0) as f64,
        y: one.at.first().copied().unwrap_or(0) as f64 + one.statement as f64 / count,
        tile: one.tile.clone(),
    };
    let name = |k: usize| loops(region).get(k).cloned().unwrap_or_default();
    Ok(Scene {
        title: title(region, view, plan.phases.iter().find_map(Phase::dimension).unwrap_or(0), window),
        axes: [name(1), name(0)],
        note: window.map(|window| note(window, view)),
        statements: region.statements.iter().map(|one| statement_name(region, one)).collect(),
        points: drawn.iter().map(point).collect(),
        arrows: arrows(&drawn, &content.dependences),
    })
}

/// The region with its own constants, if it has the same statements.
fn original(region: &Region, view: &View) -> Option<Region> {
    let parsed = view.originals.iter().filter_map(|text| text.parse::<Region>().ok());
    let is_same = |one: &Statement, other: &Statement| one.name == other.name && one.iterators == other.iterators;
    let mut same = parsed.filter(|own| {
        own.name == region.name
            && own.statements.len() == region.statements.len()
            && own.statements.iter().zip(&region.statements).all(|(one, other)| is_same(one, other))
    });
    same.next()
}

/// The instances in `part`, with the dependences between them; `None`: too many.
fn content(
    region: &Region,
    plan: &Plan,
    dependences: &UnionMap,
    part: &UnionSet,
    view: &View,
) -> Result<Option<Content>, Refusal> {
    let mut content = Content { instances: Vec::new(), dependences: Vec::new() };
    for (index, phase) in plan.phases.iter().enumerate() {
        if !add(region, phase, index, part, view, &mut content.instances)? {
            return Ok(None);
        }
    }
    for map in dependences.intersect_domain(part)?.intersect_range(part)?.maps()? {
        let (from, to) =
            (statement(region, map.input_name().as_deref()), statement(region, map.output_name().as_deref()));
        let inputs = map.inputs()?;
        let Some(pairs) = map.wrap()?.points(MOST_PAIRS)? else { return Ok(None) };
        content.dependences.extend(pairs.into_iter().map(|pair| {
            let (source, sink) = pair.split_at(inputs);
            [(from, source.to_vec()), (to, sink.to_vec())]
        }));
    }
    Ok((content.dependences.len() <= MOST_PAIRS).then_some(content))
}

/// The dependences between drawn instances, by their numbers.
fn arrows(drawn: &[&Instance], dependences: &[[(usize, Vec<i64>); 2]]) -> Vec<(usize, usize)> {
    let place: HashMap<(usize, &[i64]), usize> =
        drawn.iter().enumerate().map(|(place, one)| ((one.statement, one.at.as_slice()), place)).collect();
    let at = |(statement, at): &(usize, Vec<i64>)| place.get(&(*statement, at.as_slice())).copied();
    let mut arrows: Vec<(usize, usize)> =
        dependences.iter().filter_map(|[source, sink]| at(source).zip(at(sink))).collect();
    // isl lists maps in no particular order; a drawing must be reproducible.
    arrows.sort_unstable();
    arrows
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
    let is_known = |name: &str| {
        view.constants.iter().any(|own| own == name) || region.parameters.iter().any(|one| shown(region, one) == name)
    };
    if let Some((name, _)) = view.sizes.iter().find(|(name, _)| !is_known(name)) {
        let parameters: Vec<&str> = region.parameters.iter().map(|one| shown(region, one)).collect();
        let listed = |what: &str, names: &[&str]| match names.len() {
            0 => format!("{what}: none"),
            1..=MOST_NAMES => format!("{what}: {}", names.join(", ")),
            _ => format!("{what}: {} and more", names[..MOST_NAMES].join(", ")),
        };
        let constants: Vec<&str> = view.constants.iter().map(String::as_str).collect();
        return Err(Refusal::new(
            Code::Drawing,
            format!("region '{}' has no parameter `{name}`, and its file no constant of that name", region.name),
            format!("{}; {}", listed("parameters", &parameters), listed("constants", &constants)),
        ));
    }
    let symbols: Vec<&str> = region.parameters.iter().map(|one| one.symbol.as_str()).collect();
    let mut equations: Vec<String> =
        region.parameters.iter().map(|one| format!("{} = {}", one.symbol, size(region, one, view))).collect();
    equations.push("0 = 0".into());
    Ok(Set::parse(&isl_region.ctx, &format!("[{}] -> {{ : {} }}", symbols.join(", "), equations.join(" and ")))?)
}

/// The user's text for a parameter.
fn shown<'a>(region: &'a Region, parameter: &'a Parameter) -> &'a str {
    parameter.expression.as_deref().unwrap_or_else(|| region.said(&parameter.name))
}

/// The value of a parameter.
fn size(region: &Region, parameter: &Parameter, view: &View) -> i64 {
    let own = view.sizes.iter().find(|(name, _)| name == shown(region, parameter));
    own.map_or(DEFAULT_SIZE, |(_, value)| *value)
}

/// Adds the instances of a phase in `part`, each with its tile: phase, host values, tile coordinates counted from the
/// least. Says whether they are not too many.
fn add(
    region: &Region,
    phase: &Phase,
    index: usize,
    part: &UnionSet,
    view: &View,
    instances: &mut Vec<Instance>,
) -> Result<bool, Refusal> {
    let coordinates: UnionMap = phase.coordinates()?.intersect_domain(&phase.domain)?.intersect_domain(part)?;
    let mut found = Vec::new();
    for map in coordinates.maps()? {
        let (own, inputs) = (statement(region, map.input_name().as_deref()), map.inputs()?);
        let Some(all) = map.wrap()?.points(MOST_POINTS)? else { return Ok(false) };
        for numbers in all {
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
    Ok(instances.len() <= MOST_POINTS)
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

fn too_many() -> Refusal {
    Refusal::new(
        Code::Drawing,
        format!(
            "even a small part of the drawing would have more than {MOST_POINTS} points or {MOST_PAIRS} dependences"
        ),
        "give smaller sizes, as --set N=12, or mark a part of the region",
    )
}

/// What is said about a drawing of a part.
fn note(window: Window, view: &View) -> String {
    let Window { axes, further } = window;
    let part = if axes == further { String::new() } else { format!(" (of a third or further loop, {further})") };
    let remedy = match view.constants.first() {
        Some(name) => format!("smaller sizes show all, as --set {name}=12"),
        None => "smaller sizes show all, as --set N=12 for a parameter N".to_owned(),
    };
    format!(
        "the whole has more than {MOST_POINTS} points or {MOST_PAIRS} dependences; drawn are the least {axes} values of \
         each counter{part}; {remedy}"
    )
}

fn title(region: &Region, view: &View, dimension: usize, window: Option<Window>) -> String {
    let parameters = region.parameters.iter().map(|one| (shown(region, one), size(region, one, view)));
    let is_parameter = |name: &str| region.parameters.iter().any(|one| shown(region, one) == name);
    let constants = view.sizes.iter().filter(|(name, _)| !is_parameter(name));
    let sizes = parameters.chain(constants.map(|(name, value)| (name.as_str(), *value)));
    let sizes: Vec<String> = sizes.map(|(name, value)| format!("{name} = {value}")).collect();
    let tile: Vec<String> =
        (0..dimension).map(|k| view.tile.get(k).copied().unwrap_or(DEFAULT_TILE).to_string()).collect();
    let part = window.map(|window| format!("the least {} values of each counter", window.axes));
    let tiles = if tile.is_empty() { "no tiles".to_owned() } else { format!("tiles of {}", tile.join(" x ")) };
    let parts: Vec<String> =
        [sizes.join(", "), tiles].into_iter().chain(part).filter(|part| !part.is_empty()).collect();
    format!("{}: {}", region.name, parts.join("; "))
}
