//! Prints the functions that tell which points of a box of tiles are in the graph.

use super::{
    expression::CScope,
    generated_names::Mentions,
    region_context::{Reach, RegionContext},
};
use crate::{
    Refusal,
    c_tokens::identifiers,
    lowered::{Link, TileBox},
};
use std::fmt::Write;

/// The functions, and the names of those that there are.
#[derive(Default)]
pub struct ShapeFunctions {
    /// C text.
    pub text: String,
    /// Narrows the ends of a coordinate.
    pub bounds: Option<String>,
    /// Whether a tile has an instance.
    pub exists: Option<String>,
}

/// The functions of one phase; `name` is that of its launcher.
pub fn functions(shared: &RegionContext, tiles: &TileBox, reach: Reach, name: &str) -> Result<ShapeFunctions, Refusal> {
    let mut functions = ShapeFunctions::default();
    if let Some(text) = bounds(shared, tiles, reach, name)? {
        functions.text.push_str(&text);
        functions.bounds = Some(format!("{name}_bounds"));
    }
    if let Some(text) = exists(shared, tiles, reach, name) {
        functions.text.push_str(&text);
        functions.exists = Some(format!("{name}_exists"));
    }
    Ok(functions)
}

/// The function that narrows the ends of a coordinate; nothing where 64 bits might not hold its numbers.
fn bounds(shared: &RegionContext, tiles: &TileBox, reach: Reach, name: &str) -> Result<Option<String>, Refusal> {
    let mentions = Mentions::of(shared.region, []);
    let scope = shared.scope_of_tile(&mentions, reach);
    let mut body = String::new();
    for coordinate in 1..tiles.carried.len() {
        let own: Vec<&Link> = tiles.links.iter().filter(|link| link.coordinate == coordinate).collect();
        if own.is_empty() {
            continue;
        }
        let _ = writeln!(body, "  if ({} == {coordinate}) {{", shared.coordinate);
        for link in own {
            let Some(line) = limit(shared, &scope, reach, link)? else { return Ok(None) };
            let _ = writeln!(body, "    {line}");
        }
        body.push_str("  }\n");
    }
    if body.is_empty() {
        return Ok(None);
    }
    let mut text = String::from("/* The ends of a coordinate beside the tiles of the coordinates before it. */\n");
    let (argument, tile, ends) = (&shared.argument, &shared.tile, &shared.ends);
    let _ = writeln!(
        text,
        "static void {name}_bounds(void *{argument}, dvm__int64 {}, const dvm__int64 *{tile}, dvm__int64 *{ends})\n{{",
        shared.coordinate
    );
    let _ = writeln!(text, "  const struct {} *{} = {argument};", shared.context, shared.own);
    text.push_str(&shared.locals(&scope, &mentions));
    text.push_str(&place(shared, &scope, tiles.carried.len()));
    let _ = writeln!(text, "{body}}}\n");
    Ok(Some(text))
}

/// The call that narrows the ends by one limit.
fn limit(shared: &RegionContext, scope: &CScope, reach: Reach, link: &Link) -> Result<Option<String>, Refusal> {
    let Some((own, outer)) = link.origins.split_last() else { return Ok(None) };
    let symbols = &shared.symbols;
    let terms = link
        .parameters
        .iter()
        .map(|(name, factor)| (name, *factor))
        .chain(symbols.origins.iter().zip(outer.iter().copied()))
        .chain(symbols.sizes.iter().zip(link.sizes.iter().copied()));
    let Some((sum, bound)) = scope.sum(terms, link.constant)? else { return Ok(None) };
    let reached = i128::from(own.unsigned_abs()) * (2 * reach.band + 1);
    if bound + reached > 1 << 62 {
        return Ok(None);
    }
    let (context, tiles, ends) = (&shared.own, &shared.tiles, &shared.ends);
    let (k, size) = (link.coordinate, own.unsigned_abs());
    let factor = if size == 1 { String::new() } else { format!("{size} * ") };
    let (side, sign) = if *own > 0 { ("dvm__from", '+') } else { ("dvm__up_to", '-') };
    let place = format!("{factor}{context}->{tiles}");
    Ok(Some(format!("{side}({ends}, {sum} {sign} {place}.dvm__first[{k}], {place}.dvm__size[{k}]);")))
}

/// The sizes and origins that the scope has used.
fn place(shared: &RegionContext, scope: &CScope, dimension: usize) -> String {
    let (own, tiles, tile) = (&shared.own, &shared.tiles, &shared.tile);
    let mut text = String::new();
    for k in 0..dimension {
        let (origin, size) = (&shared.symbols.origins[k], &shared.symbols.sizes[k]);
        let placed = scope.has_used(origin);
        if placed || scope.has_used(size) {
            let _ = writeln!(text, "  const dvm__int64 {size} = {own}->{tiles}.dvm__size[{k}];");
        }
        if placed {
            let _ =
                writeln!(text, "  const dvm__int64 {origin} = {own}->{tiles}.dvm__first[{k}] + {tile}[{k}] * {size};");
        }
    }
    text
}

/// The function that tells whether a tile has an instance.
fn exists(shared: &RegionContext, tiles: &TileBox, reach: Reach, name: &str) -> Option<String> {
    let condition = tiles.exists.as_ref()?;
    let mentions = Mentions::of(shared.region, []);
    let scope = shared.scope_of_tile(&mentions, reach);
    let condition = scope.text(condition).ok()?;
    let (argument, tile) = (&shared.argument, &shared.tile);
    let mut text = String::from("/* Whether a tile has anything to run. */\n");
    let _ = writeln!(text, "static int {name}_exists(void *{argument}, const dvm__int64 *{tile})\n{{");
    let _ = writeln!(text, "  const struct {} *{} = {argument};", shared.context, shared.own);
    let mut body = shared.locals(&scope, &mentions) + &place(shared, &scope, tiles.carried.len());
    let _ = writeln!(body, "  return {condition};\n}}\n");
    // The condition may be one of parameters only, or of none.
    let named = identifiers(&body);
    for unused in [&shared.own, tile].into_iter().filter(|name| !named.contains(*name)) {
        let _ = writeln!(text, "  (void){unused};");
    }
    Some(text + &body)
}
