//! Prints one phase: the function of a tile, the footprint of a tile, and the launcher of all tiles.

use super::{
    body::Body,
    expression::too_large,
    footprint_function,
    generated_names::Mentions,
    printer::Printer,
    reductions,
    region_context::{Reach, RegionContext},
    register_blocks::{BlockWriter, Multiple},
    shape_functions::{self, ShapeFunctions},
    text_mark::TextMark,
};
use crate::{
    Refusal,
    lowered::{ArrayFootprint, BodyOrder, Component, Ends, Loops, Ordered, STRIP, TileBox},
};
use std::{collections::BTreeSet, fmt::Write};

/// Writes the functions of phases.
pub struct Writer<'a> {
    /// Names.
    pub shared: &'a RegionContext<'a>,
    /// By statement and iterator: the original order never goes down.
    pub increasing: &'a [Vec<bool>],
    /// Greatest distance of the host loops' values from 0.
    pub hosts: i128,
    /// The region may run on several processes.
    pub across: bool,
}

/// One phase with the results of the passes.
pub struct PhaseParts<'a> {
    /// The number of host loops that repeat the phase.
    pub depth: usize,
    /// The loops over the instances of a tile, or of a sequential phase.
    pub loops: &'a Loops,
    /// The parts of a tile, if some may run as blocks.
    pub components: &'a [Component],
    /// The box of the tiles; a sequential phase has none.
    pub tiles: Option<&'a TileBox>,
    /// What a tile touches, by array.
    pub footprints: &'a [ArrayFootprint],
}

impl Writer<'_> {
    /// The functions of phase `at`. The function `name` runs the phase and takes the context.
    pub fn phase(&self, parts: &PhaseParts, at: usize, name: &str) -> Result<String, Refusal> {
        let Some(tiles) = parts.tiles else { return self.sequential(parts.loops, name) };
        let reach = self.reach(tiles)?;
        let shape = shape_functions::functions(self.shared, tiles, reach, name)?;
        let launcher = self.launcher(parts, tiles, &shape, (at, name))?;
        let tile = self.tile(parts, tiles, name, reach)?;
        let dimension = tiles.carried.len();
        let footprint = footprint_function::function(self.shared, parts.footprints, dimension, self.hosts, name)?;
        Ok(tile + &footprint + &shape.text + &launcher)
    }

    fn tile(&self, parts: &PhaseParts, tiles: &TileBox, name: &str, reach: Reach) -> Result<String, Refusal> {
        let (mut body, mentions) = self.body(parts.loops, reach);
        let shared = self.shared;
        let mut text = String::new();
        for component in parts.components {
            body.line(1, &if component.has_blocks() { format!("{{ int {} = 0;", shared.done) } else { "{".to_owned() });
            text.push_str(&Self::component(component, shared, &mut body, name, 2)?);
            body.line(1, "}");
        }
        let strip = match tiles.order {
            BodyOrder::Jammed { free, .. } => Some(free),
            _ => None,
        };
        if parts.components.is_empty() {
            body.node(&parts.loops.tree, 1 + usize::from(strip.is_some()))?;
        }
        text.push_str(&self.comment(tiles));
        let _ =
            writeln!(text, "static int {name}_tile(void *{}, const dvm__int64 *{})\n{{", shared.argument, shared.tile);
        let _ = writeln!(text, "  const struct {} *{} = {};", shared.context, shared.own, shared.argument);
        text.push_str(&shared.locals(&body.scope, &mentions));
        for k in 0..tiles.carried.len() {
            let (origin, size, own) = (&shared.symbols.origins[k], &shared.symbols.sizes[k], &shared.own);
            let (tiles, tile, end) = (&shared.tiles, &shared.tile, &shared.strip_end);
            if strip == Some(k) {
                let first = format!("{own}->{tiles}.dvm__first[{k}] + {tile}[{k}] * {own}->{tiles}.dvm__size[{k}]");
                let _ = writeln!(text, "  dvm__int64 {origin} = {first};");
                let _ = writeln!(text, "  const dvm__int64 {end} = {origin} + {own}->{tiles}.dvm__size[{k}];");
                continue;
            }
            let _ = writeln!(text, "  const dvm__int64 {size} = {own}->{tiles}.dvm__size[{k}];");
            let _ =
                writeln!(text, "  const dvm__int64 {origin} = {own}->{tiles}.dvm__first[{k}] + {tile}[{k}] * {size};");
        }
        text.push_str(&reductions::begin(shared.region));
        let (begin, end) = strip.map(|free| self.strips(free)).unwrap_or_default();
        let _ = write!(text, "{}\n{begin}{}{end}{}\n", TextMark::Loops, body.lines, TextMark::Helpers);
        let _ = writeln!(text, "{}  return 0;\n}}\n", reductions::end(shared));
        Ok(text)
    }

    /// The loop over the strips of a tile, and its end.
    fn strips(&self, free: usize) -> (String, String) {
        let (origin, size) = (&self.shared.symbols.origins[free], &self.shared.symbols.sizes[free]);
        let last = &self.shared.strip_end;
        let begin = format!(
            "  for (; {origin} < {last}; {origin} += {STRIP}) {{\n    \
             const dvm__int64 {size} = dvm__min({last} - {origin}, {STRIP});\n"
        );
        (begin, "  }\n".to_owned())
    }

    /// Adds a component to a tile's body: blocks if they may run, else its own order. Returns the blocks' functions.
    fn component<'s>(
        component: &'s Component,
        shared: &RegionContext,
        body: &mut Body<'s>,
        name: &str,
        indent: usize,
    ) -> Result<String, Refusal> {
        let mut functions = String::new();
        let done = &shared.done;
        for block in &component.blocks {
            let Some(writer) = BlockWriter::of(shared, block, name) else { continue };
            functions.push_str(&writer.functions());
            let exists = body.scope.text(&block.exists)?;
            body.line(indent, &format!("if (DVM__BLOCKS && !{done} && {exists}) {{"));
            for (k, Ends { least, greatest }) in block.ends.iter().enumerate() {
                let (first, last) = (&shared.symbols.box_first[k], &shared.symbols.box_last[k]);
                let bound = body.scope.bound(least)?.max(body.scope.bound(greatest)?);
                let (least, greatest) = (body.scope.text(least)?, body.scope.text(greatest)?);
                body.line(indent + 1, &format!("const dvm__int64 {first} = {least}, {last} = {greatest};"));
                body.scope.own(first, bound);
                body.scope.own(last, bound);
            }
            let full = body.scope.text(&block.full)? + &writer.worth_copies();
            if full == "1" {
                body.line(indent + 1, &format!("{};", writer.call()));
                body.line(indent + 1, &format!("{done} = 1;"));
            } else {
                body.line(indent + 1, &format!("if ({full}) {{"));
                body.line(indent + 2, &format!("{};", writer.call()));
                body.line(indent + 2, &format!("{done} = 1;"));
                body.line(indent + 1, "}");
            }
            body.line(indent, "}");
        }
        if component.blocks.is_empty() {
            return Ok(functions + &Self::ordered(&component.order, shared, body, name, indent)?);
        }
        body.line(indent, &format!("if (!{done}) {{"));
        functions.push_str(&Self::ordered(&component.order, shared, body, name, indent + 1)?);
        body.line(indent, "}");
        Ok(functions)
    }

    /// Adds what runs of a component where no blocks do. Returns the functions of blocks in it.
    fn ordered<'s>(
        order: &'s Ordered,
        shared: &RegionContext,
        body: &mut Body<'s>,
        name: &str,
        indent: usize,
    ) -> Result<String, Refusal> {
        let (counter, symbol, exists, ends, falls, components) = match order {
            Ordered::Loops(loops) => {
                body.loops = loops;
                body.node(&loops.tree, indent)?;
                return Ok(String::new());
            }
            Ordered::Rounds { counter, symbol, exists, ends, falls, components } => {
                (counter, symbol, exists, ends, falls, components)
            }
        };
        let bound = body.scope.bound(&ends.least)?.max(body.scope.bound(&ends.greatest)?);
        let (least, greatest) = (body.scope.text(&ends.least)?, body.scope.text(&ends.greatest)?);
        let last = format!("{}{}", body.limit, body.limits);
        body.limits += 1;
        let (from, to, compare, step) =
            if *falls { (greatest, least, ">=", "--") } else { (least, greatest, "<=", "++") };
        let exists = body.scope.text(exists)?;
        body.line(indent, &format!("/* One value of {counter} after another. */"));
        body.line(indent, &format!("if ({exists}) {{"));
        body.line(indent, &format!("dvm__int64 {symbol};"));
        body.line(indent, &format!("const dvm__int64 {last} = {to};"));
        body.line(indent, &format!("for ({symbol} = {from}; {symbol} {compare} {last}; {step}{symbol}) {{"));
        body.scope.own(symbol, bound + 1);
        let name = format!("{name}_at_{counter}");
        let mut functions = String::new();
        for component in components {
            if !component.blocks.is_empty() {
                body.line(indent + 1, &format!("{} = 0;", shared.done));
            }
            body.line(indent + 1, "{");
            functions.push_str(&Self::component(component, shared, body, &name, indent + 2)?);
            body.line(indent + 1, "}");
        }
        body.line(indent, "} }");
        Ok(functions)
    }

    /// An empty body for some loops, and what their statements mention.
    fn body<'s>(&'s self, loops: &'s Loops, reach: Reach) -> (Body<'s>, Mentions) {
        let region = self.shared.region;
        // The text of the statements that occur decides the parameters' types.
        let mut leads = false;
        let occurring = region.statements.iter().zip(&self.shared.groups).filter_map(|(statement, count)| {
            leads = if *count > 0 { loops.statements.contains(&statement.name) } else { leads };
            leads.then_some(statement)
        });
        let mentions = Mentions::of(region, occurring);
        let mut reserved: BTreeSet<String> = region.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        reserved.extend(region.values.iter().map(|value| value.name.clone()));
        reserved.extend(region.reductions.iter().map(|reduction| reduction.name.clone()));
        reserved.extend(region.arrays.iter().map(|array| array.name.clone()));
        let body = Body {
            region,
            scope: self.shared.scope_of_tile(&mentions, reach),
            increasing: self.increasing,
            reserved,
            limit: self.shared.limit.clone(),
            limits: 0,
            lines: String::new(),
            statements: BTreeSet::new(),
            loops,
            groups: &self.shared.groups,
        };
        (body, mentions)
    }

    fn sequential(&self, loops: &Loops, name: &str) -> Result<String, Refusal> {
        let reach = Reach { hosts: self.hosts, band: 0 };
        let (mut body, mentions) = self.body(loops, reach);
        body.node(&loops.tree, 1)?;
        let shared = self.shared;
        let mut text = String::from("/* Runs in the calling thread, in the original order. */\n");
        let _ = writeln!(text, "static void {name}(const struct {} *{})\n{{", shared.context, shared.own);
        let locals = shared.locals(&body.scope, &mentions);
        if locals.is_empty() {
            let _ = writeln!(text, "  (void){};", shared.own);
        }
        let _ = writeln!(text, "{locals}{}\n{}{}\n}}\n", TextMark::Loops, body.lines, TextMark::Helpers);
        Ok(text)
    }

    /// A comment that describes a tile in the user's names.
    fn comment(&self, tiles: &TileBox) -> String {
        let statements: Vec<String> = tiles
            .coordinates
            .iter()
            .map(|(statement, coordinates)| format!(" {statement} by ({coordinates})"))
            .collect();
        let order = match &tiles.order {
            BodyOrder::Permuted(permutation) => {
                let order: Vec<String> = permutation.iter().map(ToString::to_string).collect();
                format!("coordinates in the order {}", order.join(", "))
            }
            BodyOrder::Jammed { free, .. } => {
                format!("coordinate {free}, {STRIP} values at a time, inside of the others")
            }
            BodyOrder::Original => "in the original order".to_owned(),
        };
        let origins = self.shared.symbols.origins[..tiles.carried.len()].join(", ");
        format!("/* One tile:{} from ({origins}); {order}. */\n", statements.join(","))
    }

    /// The greatest distances of the tiles' coordinates from 0.
    pub fn reach(&self, tiles: &TileBox) -> Result<Reach, Refusal> {
        let mut reach = Reach { hosts: self.hosts, band: 0 };
        let scope = self.shared.scope_of_tile(&Mentions::of(self.shared.region, []), reach);
        for Ends { least, greatest } in &tiles.ends {
            reach.band = reach.band.max(scope.bound(least)?).max(scope.bound(greatest)?);
        }
        // The run-time adds and subtracts these numbers: extents, origins and ends of tiles.
        if reach.band > 1 << 60 {
            return Err(too_large());
        }
        Ok(reach)
    }

    /// By coordinate: what its tiles' sizes should be multiples of, in C; nothing if there are no blocks that care.
    fn multiples(&self, components: &[Component], dimension: usize, name: &str) -> Option<String> {
        let mut wanted: Vec<Option<Multiple>> = (0..dimension).map(|_| None).collect();
        let mut open: Vec<&Component> = components.iter().rev().collect();
        while let Some(component) = open.pop() {
            if let Ordered::Rounds { components, .. } = &component.order {
                open.extend(components.iter().rev());
            }
            let writers = component.blocks.iter().filter_map(|block| BlockWriter::of(self.shared, block, name));
            for (at, multiple) in writers.flat_map(|writer| writer.multiples()) {
                let better = matches!((&wanted[at], &multiple), (Some(Multiple::Rows(_)), Multiple::Vectors(_)));
                if wanted[at].is_none() || better {
                    wanted[at] = Some(multiple);
                }
            }
        }
        wanted.iter().any(Option::is_some).then(|| {
            let text = |multiple: Option<Multiple>| match multiple {
                None => "1".to_owned(),
                Some(Multiple::Rows(text) | Multiple::Vectors(text)) => text,
            };
            wanted.into_iter().map(text).collect::<Vec<_>>().join(", ")
        })
    }

    /// The function that runs the tiles.
    fn launcher(
        &self,
        parts: &PhaseParts,
        tiles: &TileBox,
        shape: &ShapeFunctions,
        (at, name): (usize, &str),
    ) -> Result<String, Refusal> {
        let (shared, carried, depth) = (self.shared, &tiles.carried, parts.depth);
        let mentions = Mentions::of(shared.region, []);
        let scope = shared.scope_of_tile(&mentions, Reach { hosts: self.hosts, band: 0 });
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for Ends { least, greatest } in &tiles.ends {
            first.push(scope.text(least)?);
            last.push(scope.text(greatest)?);
        }
        let dimension = carried.len();
        let [lowest, highest, waiting] = &shared.corners;
        let waits: Vec<&str> = carried.iter().map(|carried| if *carried { "1" } else { "0" }).collect();
        let mut text = format!("/* Runs the tiles of `{}`", shared.region.name);
        text.push_str(if depth > 0 { " for one value of the loops around them. */\n" } else { ". */\n" });
        let _ = writeln!(text, "static void {name}(struct {} *{})\n{{", shared.context, shared.own);
        text.push_str(&shared.locals(&scope, &mentions));
        let _ = writeln!(text, "  const dvm__int64 {lowest}[] = {{ {} }};", first.join(", "));
        let _ = writeln!(text, "  const dvm__int64 {highest}[] = {{ {} }};", last.join(", "));
        text.push_str(&reductions::blocks(shared));
        let _ = writeln!(text, "  static const int {waiting}[] = {{ {} }};", waits.join(", "));
        // In a triangular band larger tiles leave more points to tiles that the band's limits cut, where no blocks run.
        let boxes = tiles.links.is_empty();
        let multiples = if boxes { self.multiples(parts.components, dimension, name) } else { None };
        if let Some(multiples) = &multiples {
            text.push_str("  /* Tiles of whole register blocks. */\n");
            let _ = writeln!(text, "  static const dvm__int64 dvm__multiples[] = {{ {multiples} }};");
        }
        let multiples = multiples.map(|_| "dvm__multiples".to_owned());
        let shape = [("bounds", &shape.bounds), ("exists", &shape.exists), ("multiples", &multiples)];
        if self.across {
            let hosts: Vec<String> =
                shared.symbols.hosts[..depth].iter().map(|host| format!("{}->{host}", shared.own)).collect();
            let hosts = if hosts.is_empty() { "0".to_owned() } else { hosts.join(", ") };
            let place = format!("{}->{}", shared.own, shared.tiles);
            let _ = writeln!(text, "  const dvm__int64 dvm__hosts[] = {{ {hosts} }};");
            let _ = writeln!(
                text,
                "  {place}.dvm__phase = {at};\n  {place}.dvm__hosts_count = {depth};\n  {place}.dvm__hosts = dvm__hosts;"
            );
        }
        let told: Vec<(&str, &String)> =
            shape.iter().filter_map(|(member, function)| Some((*member, function.as_ref()?))).collect();
        for (member, function) in &told {
            let _ = writeln!(text, "  {}->{}.dvm__{member} = {function};", shared.own, shared.tiles);
        }
        let _ = writeln!(
            text,
            "  dvm__run_tiles(&dvm__{}_records[{}], {dimension}, {lowest}, {highest}, {waiting}, {name}_tile, {name}_footprint, &{own}->{tiles}, {own});",
            shared.region.name,
            at + 1,
            own = shared.own,
            tiles = shared.tiles
        );
        // The next phase has a shape of its own.
        for (member, _) in &told {
            let _ = writeln!(text, "  {}->{}.dvm__{member} = 0;", shared.own, shared.tiles);
        }
        text.push_str("}\n\n");
        Ok(text)
    }
}
