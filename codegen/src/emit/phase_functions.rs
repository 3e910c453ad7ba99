//! One phase as C: the tile's function, its footprint, and the function that runs them all.

use super::{
    body::Body,
    expression::too_large,
    footprint_function,
    generated_names::Mentions,
    line_mark::LineMark,
    shared_names::{Reach, SharedNames},
};
use crate::{
    Refusal,
    analysis::{IslRegion, footprint::ArrayFootprint},
    transform::{
        self, Phase, PhaseKind,
        phase_loops::Loops,
        tile::{Instances, PhaseSets},
    },
};
use dvm_isl::{AstBuild, UnionMap};
use std::{collections::BTreeSet, fmt::Write};

/// What the functions of all phases are made from.
pub struct Writer<'a> {
    /// isl's sets.
    pub isl_region: &'a IslRegion,
    /// Names.
    pub shared: &'a SharedNames<'a>,
    /// By statement and iterator: the original order never goes down.
    pub increasing: &'a [Vec<bool>],
    /// How far from 0 the values of host loops can be.
    pub hosts: i128,
}

/// One phase with what the passes found out about it.
pub struct PhaseParts<'a> {
    /// The phase.
    pub phase: &'a Phase,
    /// Its instances, and those of a tile.
    pub sets: &'a PhaseSets,
    /// What a tile touches, by array.
    pub footprints: &'a [ArrayFootprint],
    /// The loops over the instances of a tile, or of a sequential phase.
    pub loops: &'a Loops,
}

impl Writer<'_> {
    /// The functions of a phase; `name` is the function that runs it, given the context.
    pub fn phase(&self, parts: &PhaseParts, name: &str) -> Result<String, Refusal> {
        self.isl_region.begin_stage();
        match (&parts.phase.kind, &parts.sets.tile) {
            (PhaseKind::Graph { band, dimension, carried, .. }, Some(tile)) => {
                let (launcher, reach) = self.launcher(parts, band, carried, name)?;
                self.isl_region.begin_stage();
                let mut text = self.tile(parts, tile, *dimension, name, reach)?;
                self.isl_region.begin_stage();
                let (shared, hosts) = (self.shared, self.hosts);
                text.push_str(&footprint_function::function(
                    shared,
                    self.isl_region,
                    parts.phase,
                    parts.footprints,
                    hosts,
                    name,
                )?);
                Ok(text + &launcher)
            }
            _ => self.sequential(parts, name),
        }
    }

    fn tile(
        &self,
        parts: &PhaseParts,
        instances: &Instances,
        dimension: usize,
        name: &str,
        reach: Reach,
    ) -> Result<String, Refusal> {
        let (body, mentions) = self.body(parts.loops, instances, reach)?;
        let shared = self.shared;
        let mut text = self.comment(parts.phase, dimension)?;
        let _ =
            writeln!(text, "static int {name}_tile(void *{}, const dvm__int64 *{})\n{{", shared.argument, shared.tile);
        let _ = writeln!(text, "  const struct {} *{} = {};", shared.context, shared.own, shared.argument);
        text.push_str(&shared.locals(&body.scope, &mentions));
        for k in 0..dimension {
            let (origin, size, own) = (&shared.symbols.origins[k], &shared.symbols.sizes[k], &shared.own);
            let (tiles, tile) = (&shared.tiles, &shared.tile);
            let _ = writeln!(text, "  const dvm__int64 {size} = {own}->{tiles}.dvm__size[{k}];");
            let _ =
                writeln!(text, "  const dvm__int64 {origin} = {own}->{tiles}.dvm__first[{k}] + {tile}[{k}] * {size};");
        }
        let _ = writeln!(text, "{}\n{}{}\n  return 0;\n}}\n", LineMark::Loops, body.lines, LineMark::Helpers);
        Ok(text)
    }

    /// The loops over some instances as C.
    fn body<'s>(
        &'s self,
        loops: &'s Loops,
        instances: &Instances,
        reach: Reach,
    ) -> Result<(Body<'s>, Mentions), Refusal> {
        let region = self.shared.region;
        // Which statements occur is known from the instances; their text decides the parameters' types.
        let mut occurring = Vec::new();
        for set in instances.all.sets()? {
            occurring.extend(region.statements.iter().filter(|statement| Some(&statement.name) == set.name().as_ref()));
        }
        let mentions = Mentions::of(region, occurring);
        let mut reserved: BTreeSet<String> = region.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        reserved.extend(region.values.iter().map(|value| value.name.clone()));
        reserved.extend(region.arrays.iter().map(|array| array.name.clone()));
        let mut body = Body {
            region,
            scope: self.shared.scope_of_tile(&mentions, reach),
            increasing: self.increasing,
            reserved,
            limit: self.shared.limit.clone(),
            limits: 0,
            lines: String::new(),
            statements: BTreeSet::new(),
            loops,
        };
        body.node(&loops.tree, 1)?;
        Ok((body, mentions))
    }

    fn sequential(&self, parts: &PhaseParts, name: &str) -> Result<String, Refusal> {
        let reach = Reach { hosts: self.hosts, band: 0 };
        let (body, mentions) = self.body(parts.loops, &parts.sets.whole, reach)?;
        let shared = self.shared;
        let mut text = String::from("/* Runs in the calling thread, in the original order. */\n");
        let _ = writeln!(text, "static void {name}(const struct {} *{})\n{{", shared.context, shared.own);
        let locals = shared.locals(&body.scope, &mentions);
        if locals.is_empty() {
            let _ = writeln!(text, "  (void){};", shared.own);
        }
        let _ = writeln!(text, "{locals}{}\n{}{}\n}}\n", LineMark::Loops, body.lines, LineMark::Helpers);
        Ok(text)
    }

    /// What a tile is, in the user's names.
    fn comment(&self, phase: &Phase, dimension: usize) -> Result<String, Refusal> {
        let mut text = String::from("/* One tile:");
        for (at, map) in phase.coordinates()?.maps()?.iter().enumerate() {
            let range = map.to_string();
            let functions = range.split("->").last().and_then(|text| text.split(['}', ':']).next()).unwrap_or_default();
            let functions = functions.trim().trim_start_matches('[').trim_end_matches(']');
            let statement = map.input_name().unwrap_or_default();
            let _ = write!(text, "{} {statement} by ({functions})", if at > 0 { "," } else { "" });
        }
        let order = match &phase.kind {
            PhaseKind::Graph { body: transform::BodyOrder::Permuted(permutation), .. } => {
                let order: Vec<String> = permutation.iter().map(ToString::to_string).collect();
                format!("coordinates in the order {}", order.join(", "))
            }
            _ => "in the original order".to_owned(),
        };
        let origins = self.shared.symbols.origins[..dimension].join(", ");
        let _ = writeln!(text, " from ({origins}); {order}. */");
        Ok(text)
    }

    /// The function that runs the tiles, and how far from 0 their coordinates can be.
    fn launcher(
        &self,
        parts: &PhaseParts,
        band: &UnionMap,
        carried: &[bool],
        name: &str,
    ) -> Result<(String, Reach), Refusal> {
        let (phase, shared) = (parts.phase, self.shared);
        let Instances { all: instances, known } = &parts.sets.whole;
        let build = AstBuild::from_context(known)?;
        let mentions = Mentions::of(shared.region, []);
        let mut reach = Reach { hosts: self.hosts, band: 0 };
        let scope = shared.scope_of_tile(&mentions, reach);
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for set in instances.apply(band)?.sets()? {
            for k in 0..carried.len() {
                let least = build.expression(&set.dim_min(k)?.coalesce()?.gist(known)?)?;
                let greatest = build.expression(&set.dim_max(k)?.coalesce()?.gist(known)?)?;
                reach.band = reach.band.max(scope.bound(&least)?).max(scope.bound(&greatest)?);
                first.push(scope.text(&least)?);
                last.push(scope.text(&greatest)?);
            }
        }
        // Extents, origins and the ends of tiles are computed from them.
        if reach.band > 1 << 60 {
            return Err(too_large());
        }
        let dimension = carried.len();
        let [lowest, highest, waiting] = &shared.corners;
        let waits: Vec<&str> = carried.iter().map(|carried| if *carried { "1" } else { "0" }).collect();
        let mut text = format!("/* Runs the tiles of `{}`", shared.region.name);
        let _ = match phase.depth {
            0 => writeln!(text, ". */"),
            _ => writeln!(text, " for one value of the loops around them. */"),
        };
        let _ = writeln!(text, "static void {name}(struct {} *{})\n{{", shared.context, shared.own);
        text.push_str(&shared.locals(&scope, &mentions));
        let _ = writeln!(text, "  const dvm__int64 {lowest}[] = {{ {} }};", first.join(", "));
        let _ = writeln!(text, "  const dvm__int64 {highest}[] = {{ {} }};", last.join(", "));
        let _ = writeln!(text, "  static const int {waiting}[] = {{ {} }};", waits.join(", "));
        let _ = writeln!(
            text,
            "  dvm__run_tiles(\"{}\", {dimension}, {lowest}, {highest}, {waiting}, {name}_tile, {name}_footprint, &{own}->{tiles}, {own});\n}}\n",
            shared.region.name,
            own = shared.own,
            tiles = shared.tiles
        );
        Ok((text, reach))
    }
}
