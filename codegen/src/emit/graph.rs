//! One phase as C: the tile's function, its footprint, and the function that runs them all.

use super::{
    body::{self, Body},
    expression::too_large,
    footprint,
    frame::{Frame, Reach},
    mark::Mark,
    names::Mentions,
};
use crate::{
    Refusal,
    analysis::{Dependences, Program},
    transform::{self, Phase, PhaseKind},
};
use dvm_isl::{AstBuild, AstExpr, AstNode, Set, UnionMap, UnionSet};
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write,
};

/// Operations of isl that each loop of a body may take after the stage's own are used up.
pub const LOOP_OPERATIONS: u64 = 100_000;

/// Loops, and by statement the condition under which an instance of them exists.
struct Scanned {
    tree: AstNode,
    /// By loop, as its note says: the order of the instances in it.
    orders: Vec<UnionMap>,
    guards: HashMap<String, AstExpr>,
}

/// What the functions of all phases are made from.
pub struct Source<'a> {
    /// isl's sets.
    pub program: &'a Program,
    /// What must stay in order.
    pub dependences: &'a Dependences,
    /// Names.
    pub frame: &'a Frame<'a>,
    /// By statement and iterator: the original order never goes down.
    pub increasing: &'a [Vec<bool>],
    /// How far from 0 the values of host loops can be.
    pub hosts: i128,
}

impl Source<'_> {
    /// The functions of a phase; `name` is the function that runs it, given the context.
    pub fn phase(&self, phase: &Phase, name: &str) -> Result<String, Refusal> {
        self.program.begin_stage();
        match &phase.kind {
            PhaseKind::Sequential => self.sequential(phase, name),
            PhaseKind::Graph { band, dimension, carried, .. } => {
                let (driver, reach) = self.driver(phase, band, carried, name)?;
                self.program.begin_stage();
                let mut text = self.tile(phase, *dimension, name, reach)?;
                self.program.begin_stage();
                text.push_str(&footprint::function(self, phase, band, *dimension, name)?);
                Ok(text + &driver)
            }
        }
    }

    /// The instances of a phase for the host loops' values as parameters.
    fn at_hosts(&self, phase: &Phase) -> Result<UnionSet, Refusal> {
        Ok(phase.hosts.intersect_range(&self.host_point(phase.depth)?)?.domain()?.coalesce()?)
    }

    fn host_point(&self, depth: usize) -> Result<UnionSet, Refusal> {
        let hosts = self.frame.hosts[..depth].join(", ");
        Ok(UnionSet::parse(&self.program.ctx, &format!("[{hosts}] -> {{ [{hosts}] }}"))?)
    }

    /// The instances of one tile, its origin and sizes parameters, and what is known of the parameters.
    pub fn tile_instances(&self, phase: &Phase, dimension: usize) -> Result<(UnionSet, Set), Refusal> {
        let frame = self.frame;
        let (hosts, origins, sizes) =
            (&frame.hosts[..phase.depth], &frame.origins[..dimension], &frame.sizes[..dimension]);
        let points: Vec<String> = (0..dimension).map(|k| format!("p{k}")).collect();
        let inside: Vec<String> =
            (0..dimension).map(|k| format!("{0} <= {1} < {0} + {2}", origins[k], points[k], sizes[k])).collect();
        let parameters = [hosts, origins, sizes].concat().join(", ");
        let space = [hosts, points.as_slice()].concat().join(", ");
        let tile = format!("[{parameters}] -> {{ [{space}] : {} }}", inside.join(" and "));
        let tile = UnionSet::parse(&self.program.ctx, &tile)?;
        let instances = phase.coordinates()?.intersect_range(&tile)?.domain()?.coalesce()?;
        let positive: Vec<String> = sizes.iter().map(|size| format!("{size} >= 1")).collect();
        let known = format!("[{parameters}] -> {{ : {} }}", positive.join(" and "));
        let known = Set::parse(&self.program.ctx, &known)?.intersect(&self.program.context)?;
        Ok((instances, known.intersect(&self.at_hosts(phase)?.params()?.simple_hull()?)?))
    }

    fn tile(&self, phase: &Phase, dimension: usize, name: &str, reach: Reach) -> Result<String, Refusal> {
        let (instances, known) = self.tile_instances(phase, dimension)?;
        let (body, mentions) = self.body(phase, &instances, &known, reach)?;
        let frame = self.frame;
        let mut text = self.comment(phase, dimension)?;
        let _ =
            writeln!(text, "static int {name}_tile(void *{}, const dvm__int64 *{})\n{{", frame.argument, frame.tile);
        let _ = writeln!(text, "  const struct {} *{} = {};", frame.context, frame.own, frame.argument);
        text.push_str(&frame.locals(&body.scope, &mentions));
        for k in 0..dimension {
            let (origin, size, own) = (&frame.origins[k], &frame.sizes[k], &frame.own);
            let (tiles, tile) = (&frame.tiles, &frame.tile);
            let _ = writeln!(text, "  const dvm__int64 {size} = {own}->{tiles}.dvm__size[{k}];");
            let _ =
                writeln!(text, "  const dvm__int64 {origin} = {own}->{tiles}.dvm__first[{k}] + {tile}[{k}] * {size};");
        }
        let _ = writeln!(text, "{}\n{}{}\n  return 0;\n}}\n", Mark::Loops, body.lines, Mark::Helpers);
        Ok(text)
    }

    /// Loops over some instances of a phase, in the order of its tiles.
    fn body<'s>(
        &'s self,
        phase: &Phase,
        instances: &UnionSet,
        known: &Set,
        reach: Reach,
    ) -> Result<(Body<'s>, Mentions), Refusal> {
        let region = self.frame.region;
        let order = transform::body(self.program, phase)?.intersect_domain(instances)?;
        let scanned = match self.scan(&order, known) {
            Err(error) if error.is_quota() => self.scan_hulls(instances, known)?,
            scanned => scanned?,
        };
        // Which statements occur is known from the instances; their text decides the parameters' types.
        let mut occurring = Vec::new();
        for set in instances.sets()? {
            occurring.extend(region.statements.iter().filter(|statement| Some(&statement.name) == set.name().as_ref()));
        }
        let mentions = Mentions::of(region, occurring);
        let mut reserved: BTreeSet<String> = region.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        reserved.extend(region.values.iter().map(|value| value.name.clone()));
        reserved.extend(region.arrays.iter().map(|array| array.name.clone()));
        let mut body = Body {
            region,
            scope: self.frame.scope_of_tile(&mentions, reach),
            increasing: self.increasing,
            reserved,
            limit: self.frame.limit.clone(),
            limits: 0,
            lines: String::new(),
            statements: BTreeSet::new(),
            guards: scanned.guards,
            loops: body::Loops {
                orders: scanned.orders,
                dependences: self.dependences.exact.then_some(&self.dependences.all),
            },
        };
        body.node(&scanned.tree, 1)?;
        Ok((body, mentions))
    }

    /// Loops that visit exactly the instances of an order.
    fn scan(&self, order: &UnionMap, known: &Set) -> dvm_isl::Result<Scanned> {
        self.program.begin_stage();
        // Constants make no loops, but isl looks at each of them.
        let (order, kept) = transform::compact(order)?;
        let counters: Vec<String> = kept.iter().filter_map(|place| self.frame.counters.get(*place).cloned()).collect();
        let build = AstBuild::from_context(known)?.with_iterators(&counters)?;
        let mut orders = Vec::new();
        let tree = build.scan(&order, &mut |order| {
            orders.push(order.clone());
            Ok((orders.len() - 1).to_string())
        })?;
        Ok(Scanned { tree, orders, guards: HashMap::new() })
    }

    /// Loops that visit a convex set around the instances of each statement, which then asks whether the instance exists:
    /// for domains of many pieces, whose exact loops would be long. The order is the original one, which is always right.
    fn scan_hulls(&self, instances: &UnionSet, known: &Set) -> Result<Scanned, Refusal> {
        self.program.begin_stage();
        let build = AstBuild::from_context(known)?.with_iterators(&self.frame.counters)?;
        let mut hulls = UnionMap::parse(&self.program.ctx, "{ }")?;
        let mut guards = HashMap::new();
        for set in instances.sets()? {
            let name = set.name().unwrap_or_default();
            let hull = set.simple_hull()?;
            let statement =
                self.program.statements.iter().find(|statement| statement.domain.name().as_ref() == Some(&name));
            let Some(statement) = statement else { continue };
            hulls = hulls.union(&UnionMap::from_map(&statement.everywhere.intersect_domain(&hull)?)?)?;
            let guard = set.gist(&hull)?.intersect_params(known)?.gist_params(known)?;
            let names: Vec<String> = (0..set.dimensions()?).map(body::guard_name).collect();
            let condition = guard.as_condition(&names)?;
            let anything = AstBuild::from_context(&Set::parse(&self.program.ctx, "{ : }")?)?;
            guards.insert(name, anything.condition(&condition)?);
        }
        // Iterations of loops around guards are not asked for independence: the exact order of pieces is unknown here.
        let tree = build.scan(&hulls, &mut |_| Ok(String::new()))?;
        Ok(Scanned { tree, orders: Vec::new(), guards })
    }

    fn sequential(&self, phase: &Phase, name: &str) -> Result<String, Refusal> {
        let instances = self.at_hosts(phase)?;
        let known = self.program.context.intersect(&instances.params()?.simple_hull()?)?;
        let reach = Reach { hosts: self.hosts, band: 0 };
        let (body, mentions) = self.body(phase, &instances, &known, reach)?;
        let frame = self.frame;
        let mut text = String::from("/* Runs in the calling thread, in the original order. */\n");
        let _ = writeln!(text, "static void {name}(const struct {} *{})\n{{", frame.context, frame.own);
        let locals = frame.locals(&body.scope, &mentions);
        if locals.is_empty() {
            let _ = writeln!(text, "  (void){};", frame.own);
        }
        let _ = writeln!(text, "{locals}{}\n{}{}\n}}\n", Mark::Loops, body.lines, Mark::Helpers);
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
        let origins = self.frame.origins[..dimension].join(", ");
        let _ = writeln!(text, " from ({origins}); {order}. */");
        Ok(text)
    }

    /// The function that runs the tiles, and how far from 0 their coordinates can be.
    fn driver(&self, phase: &Phase, band: &UnionMap, carried: &[bool], name: &str) -> Result<(String, Reach), Refusal> {
        let frame = self.frame;
        let instances = self.at_hosts(phase)?;
        let known = self.program.context.intersect(&instances.params()?.simple_hull()?)?;
        let build = AstBuild::from_context(&known)?;
        let mentions = Mentions::of(frame.region, []);
        let mut reach = Reach { hosts: self.hosts, band: 0 };
        let scope = frame.scope_of_tile(&mentions, reach);
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for set in instances.apply(band)?.sets()? {
            for k in 0..carried.len() {
                let least = build.expression(&set.dim_min(k)?.coalesce()?.gist(&known)?)?;
                let greatest = build.expression(&set.dim_max(k)?.coalesce()?.gist(&known)?)?;
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
        let [lowest, highest, waiting] = &frame.corners;
        let waits: Vec<&str> = carried.iter().map(|carried| if *carried { "1" } else { "0" }).collect();
        let mut text = format!("/* Runs the tiles of `{}`", frame.region.name);
        let _ = match phase.depth {
            0 => writeln!(text, ". */"),
            _ => writeln!(text, " for one value of the loops around them. */"),
        };
        let _ = writeln!(text, "static void {name}(struct {} *{})\n{{", frame.context, frame.own);
        text.push_str(&frame.locals(&scope, &mentions));
        let _ = writeln!(text, "  const dvm__int64 {lowest}[] = {{ {} }};", first.join(", "));
        let _ = writeln!(text, "  const dvm__int64 {highest}[] = {{ {} }};", last.join(", "));
        let _ = writeln!(text, "  static const int {waiting}[] = {{ {} }};", waits.join(", "));
        let _ = writeln!(
            text,
            "  dvm__run_tiles(\"{}\", {dimension}, {lowest}, {highest}, {waiting}, {name}_tile, {name}_footprint, &{own}->{tiles}, {own});\n}}\n",
            frame.region.name,
            own = frame.own,
            tiles = frame.tiles
        );
        Ok((text, reach))
    }
}
