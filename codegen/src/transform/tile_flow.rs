//! The flow between tiles: which elements a tile hands to another one, gets from before the region, or leaves behind.
//!
//! A tile is the box of its coordinates: the values of its host loops, then those of its band. The box of the writer and
//! that of the reader have parameters of their own, so one set serves all pairs of tiles, of any sizes, and also a
//! reader that is the whole part of a process. Scanned are the writer's instances with the element, by their coordinates: an
//! element that is a function of the instance makes no loop. Of what comes from before the region, or is left behind, the
//! elements are scanned where isl tells them in a few pieces: many instances may read one, and their rows come in order.

use super::{Phase, Plan, convex_scan::convex_scan};
use crate::refusal::Code;
use crate::{
    Refusal,
    analysis::{IslRegion, ValueFlow},
    lowered::{ConvexScan, Distances, ElementLoops, FlowLoops, FlowSymbols, TileEnd},
    model::Region,
};
use dvm_isl::{AstBuild, AstNode, Map, Set, UnionMap, UnionSet};
use std::ops::Range;

/// Maximum number of convex pieces between instances: each is a function of the generated code.
const PIECES: usize = 256;
/// Maximum number of convex pieces of a set of elements that is scanned without the instances that read or write them.
const ELEMENT_PIECES: usize = 4;

/// The flow of a region by phases, lowered to loops over elements.
pub fn tile_flow(
    region: &Region,
    isl_region: &IslRegion,
    plan: &Plan,
    flow: &ValueFlow,
    symbols: &FlowSymbols,
) -> Result<Vec<FlowLoops>, Refusal> {
    let lowering = Lowering { region, isl_region, plan, symbols };
    let phases = || (0..plan.phases.len()).map(Some);
    let mut all = Vec::new();
    for writer in phases() {
        for reader in phases() {
            all.extend(lowering.between(&flow.inside, writer, reader)?);
        }
    }
    for reader in phases() {
        all.extend(lowering.between(&flow.entering, None, reader)?);
    }
    for writer in phases() {
        all.extend(lowering.between(&flow.leaving, writer, None)?);
    }
    Ok(all)
}

struct Lowering<'a> {
    region: &'a Region,
    isl_region: &'a IslRegion,
    plan: &'a Plan,
    symbols: &'a FlowSymbols,
}

/// The instances of one end of a flow.
struct Instances {
    /// All of the phase.
    all: UnionSet,
    /// Those of a tile.
    tile: UnionSet,
    /// Constraints on the tile's parameters.
    known: Set,
}

impl Lowering<'_> {
    /// The loops of all convex pieces between two phases. `None`: outside the region.
    fn between(
        &self,
        flow: &UnionMap,
        writer: Option<usize>,
        reader: Option<usize>,
    ) -> Result<Vec<FlowLoops>, Refusal> {
        self.isl_region.begin_stage();
        let pieces = ValueFlow::pieces(flow)?;
        if pieces.len() > PIECES {
            return Err(Refusal::new(
                Code::AnalysisLimit,
                format!("the flow between tiles has {} parts, and at most {PIECES} are generated", pieces.len()),
                "mark each nest with a pragma of its own; within one nest, use fewer different subscripts",
            ));
        }
        let mut all = Vec::new();
        for piece in &pieces {
            all.extend(self.loops(piece, writer, reader)?);
        }
        // isl promises no order of the pieces.
        all.sort_by(|one, other| (one.array, &one.pairs).cmp(&(other.array, &other.pairs)));
        Ok(all)
    }

    /// The loops of one convex piece; nothing if it is empty there.
    fn loops(&self, piece: &Map, writer: Option<usize>, reader: Option<usize>) -> Result<Option<FlowLoops>, Refusal> {
        self.isl_region.begin_stage();
        let piece = UnionMap::from_map(piece)?;
        let ends = piece.domain()?.unwrap()?;
        let from = self.instances(writer, &ends.domain()?, &self.symbols.writer)?;
        let to = self.instances(reader, &ends.range()?, &self.symbols.reader)?;
        let pairs = piece.intersect_domain(&from.all.pairs(&to.all)?.wrap()?)?;
        if pairs.is_empty()? {
            return Ok(None);
        }
        let tiles = pairs.intersect_domain(&from.tile.pairs(&to.tile)?.wrap()?)?;
        let elements = if writer.is_some() { tiles.of_first()? } else { tiles.of_second()? };
        let Some(elements) = elements.maps()?.pop() else { return Ok(None) };
        let symbol = elements.output_name().unwrap_or_default();
        let Some(array) = self.region.arrays.iter().position(|array| array.symbol == symbol) else { return Ok(None) };
        let rank = elements.outputs()?;
        let outside = writer.is_none() || reader.is_none();
        let alone = if outside { self.alone(&elements)? } else { None };
        let known = from.known.intersect(&to.known)?.intersect(&self.isl_region.context)?;
        self.isl_region.begin_stage();
        let phase = writer.or(reader).and_then(|at| self.plan.phases.get(at));
        let coordinates = phase.map(Phase::coordinates).transpose()?;
        let convex = self.convex(&elements, (alone.as_ref(), outside), coordinates.as_ref(), &known);
        let elements = match convex.unwrap_or_default() {
            Some(scan) => ElementLoops::Convex(scan),
            None => ElementLoops::Tree(self.tree(&elements, alone, &known)?),
        };
        let distances = self.distances(&pairs, writer, reader)?;
        Ok(Some(FlowLoops { writer, reader, array, rank, distances, pairs: pairs.to_string(), elements }))
    }

    /// Loops over the elements of instances, if isl tells in time that they are a convex set: over the elements alone; for a
    /// flow from or to outside over those for which there is an instance; or over the instances, by the coordinates that
    /// tiles are boxes of.
    fn convex(
        &self,
        elements: &Map,
        (alone, outside): (Option<&Set>, bool),
        coordinates: Option<&UnionMap>,
        known: &Set,
    ) -> dvm_isl::Result<Option<ConvexScan>> {
        let rank = elements.outputs()?;
        let scan = |points: &Set, order: &[usize], asked: Range<usize>| -> dvm_isl::Result<Option<ConvexScan>> {
            if points.pieces()? != 1 {
                return Ok(None);
            }
            let constraints = points.gist_params(known)?.convex_constraints()?;
            Ok(constraints.and_then(|rows| convex_scan(&rows, order, asked, &self.symbols.counters)))
        };
        if let Some(points) = alone
            && let Some(scan) = scan(&points.unnamed()?, &(0..rank).collect::<Vec<_>>(), 0..rank)?
        {
            return Ok(Some(scan));
        }
        let Some(coordinates) = coordinates else { return Ok(None) };
        let both = coordinates.flat_range_product(&UnionMap::from_map(elements)?)?;
        let Some(both) = both.maps()?.pop() else { return Ok(None) };
        let (iterators, all) = (elements.inputs()?, elements.inputs()? + both.outputs()?);
        let points = both.wrap()?.flatten()?.unnamed()?;
        let instances = (iterators..all - rank).chain(0..iterators);
        if outside {
            // Many instances may read an element: each comes once.
            let order: Vec<usize> = (all - rank..all).chain(instances.clone()).collect();
            if let Some(scan) = scan(&points, &order, 0..rank)? {
                return Ok(Some(scan));
            }
        }
        let order: Vec<usize> = instances.chain(all - rank..all).collect();
        scan(&points, &order, all - rank..all)
    }

    /// isl's loops.
    fn tree(&self, elements: &Map, alone: Option<Set>, known: &Set) -> Result<AstNode, Refusal> {
        self.isl_region.begin_stage();
        let points = match alone {
            Some(points) => points,
            None => elements.wrap()?.flatten()?.named(&elements.output_name().unwrap_or_default())?,
        };
        let order = UnionSet::from_set(&points)?.identity()?.map_each(Map::unnamed_output)?;
        let build = AstBuild::from_context(known)?.with_iterators(&self.symbols.counters)?;
        Ok(build.scan(&order, &mut |_| Ok(String::new()))?)
    }

    /// The elements without the instances, if isl tells them in a few pieces.
    fn alone(&self, elements: &Map) -> Result<Option<Set>, Refusal> {
        let found = elements
            .range()
            .and_then(|set| set.unnamed()?.coalesce()?.named(elements.output_name().as_deref().unwrap_or_default()));
        self.isl_region.begin_stage();
        let Ok(found) = found else { return Ok(None) };
        Ok((found.pieces()? <= ELEMENT_PIECES).then_some(found))
    }

    /// How far apart, by coordinate, the ends of a flow within one phase are; nothing between two phases.
    fn distances(
        &self,
        pairs: &UnionMap,
        writer: Option<usize>,
        reader: Option<usize>,
    ) -> Result<Vec<Distances>, Refusal> {
        let phase = writer.filter(|_| writer == reader).and_then(|at| self.plan.phases.get(at));
        let Some(phase) = phase else { return Ok(Vec::new()) };
        self.isl_region.begin_stage();
        let coordinates = phase.coordinates()?.intersect_domain(&phase.domain)?;
        let apart = pairs.domain()?.unwrap()?.apply_domain(&coordinates)?.apply_range(&coordinates)?.deltas()?;
        let Some(apart) = apart.sets()?.pop() else { return Ok(Vec::new()) };
        let apart = apart.without_params()?;
        Ok((0..apart.dimensions()?).map(|k| apart.integer_ends(k)).collect::<dvm_isl::Result<_>>()?)
    }

    /// The instances of a phase, or the one outside the region.
    fn instances(&self, phase: Option<usize>, outside: &UnionSet, end: &TileEnd) -> Result<Instances, Refusal> {
        let anything = Set::parse(&self.isl_region.ctx, "{ : }")?;
        match phase.and_then(|at| self.plan.phases.get(at)) {
            None => Ok(Instances { all: outside.clone(), tile: outside.clone(), known: anything }),
            Some(phase) => self.of_phase(phase, end),
        }
    }

    fn of_phase(&self, phase: &Phase, end: &TileEnd) -> Result<Instances, Refusal> {
        let length = phase.depth + phase.dimension().unwrap_or(0);
        let (first, last) = (&end.first[..length], &end.end[..length]);
        let coordinates: Vec<String> = (0..length).map(|k| format!("q{k}")).collect();
        let inside: Vec<String> =
            (0..length).map(|k| format!("{} <= {} < {}", first[k], coordinates[k], last[k])).collect();
        let some: Vec<String> = (0..length).map(|k| format!("{} < {}", first[k], last[k])).collect();
        let parameters = [first, last].concat().join(", ");
        let condition = |all: &[String]| if all.is_empty() { String::new() } else { all.join(" and ") };
        let tile = format!("[{parameters}] -> {{ [{}] : {} }}", coordinates.join(", "), condition(&inside));
        let tile = UnionSet::parse(&self.isl_region.ctx, &tile)?;
        let known = format!("[{parameters}] -> {{ : {} }}", condition(&some));
        Ok(Instances {
            all: phase.domain.clone(),
            tile: phase.coordinates()?.intersect_range(&tile)?.domain()?.intersect(&phase.domain)?.coalesce()?,
            known: Set::parse(&self.isl_region.ctx, &known)?,
        })
    }
}
