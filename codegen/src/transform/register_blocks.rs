//! Register tiling: which statements of a tile may run as blocks that keep the elements that they update in registers.
//!
//! The statements of a tile run one component after another: a component has the statements that depend on each other
//! in a circle. A statement of a component may run as blocks if its instances in the tile fill a box, if the other
//! statements of its component have none there, and if no instance reads what another one writes, except the element
//! that both update. What remains are the updates of one element, which the blocks leave in their order.

use super::{
    Legality, Phase, PhaseKind,
    tile::{Instances, PhaseSets},
};
use crate::{
    Refusal,
    analysis::IslRegion,
    lowered::{Block, Ends, Role, TileSymbols},
    model::{AccessKind, Arithmetic, Region, Statement},
    planted::planted,
};
use dvm_isl::{AstBuild, Map, Result, Set, UnionMap, UnionSet};
use std::fmt::Write;

/// Maximum number of statements of a phase.
const STATEMENTS: usize = 12;
/// Maximum number of convex pieces of a condition.
const PIECES: usize = 6;

/// A part of a tile: some statements' instances in the phase's order, or blocks where these may run instead.
pub struct TilePart {
    /// The instances.
    pub instances: Instances,
    /// The statements that may run as blocks, one of them at a time.
    pub blocks: Vec<Block>,
}

/// The components of a phase's tiles in their order; nothing if no statement may run as blocks.
pub(crate) fn components(
    region: &Region,
    isl_region: &IslRegion,
    legality: &Legality,
    (phase, alone): (&Phase, bool),
    sets: &PhaseSets,
    symbols: &TileSymbols,
) -> std::result::Result<Vec<TilePart>, Refusal> {
    let (PhaseKind::Graph { .. }, Some(tile)) = (&phase.kind, &sets.tile) else { return Ok(Vec::new()) };
    isl_region.begin_stage();
    let search = Search { region, isl_region, tile, symbols };
    match search.components(legality, phase, alone) {
        // The phase's own order is right in any tile.
        Err(error) if error.is_quota() || error.is_unfaithful() => Ok(Vec::new()),
        found => Ok(found?),
    }
}

struct Search<'a> {
    region: &'a Region,
    isl_region: &'a IslRegion,
    tile: &'a Instances,
    symbols: &'a TileSymbols,
}

impl Search<'_> {
    fn components(&self, legality: &Legality, phase: &Phase, alone: bool) -> Result<Vec<TilePart>> {
        let sets = self.tile.all.sets()?;
        let mut candidates = Vec::new();
        for set in &sets {
            candidates.push(self.candidate(&set.name().unwrap_or_default())?);
        }
        if sets.len() > STATEMENTS || candidates.iter().all(Option::is_none) {
            return Ok(Vec::new());
        }
        let inside = legality.inside(phase, alone)?;
        let mut all = Vec::new();
        for members in circles(&edges(&sets, &inside)?) {
            self.isl_region.begin_stage();
            let mut blocks = Vec::new();
            for member in &members {
                let Some(form) = &candidates[*member] else { continue };
                let others = members.iter().filter(|other| *other != member).map(|other| &sets[*other]);
                blocks.extend(self.block(form, &sets[*member], &others.collect::<Vec<_>>())?);
            }
            let mut instances = UnionSet::parse(&self.isl_region.ctx, "{ }")?;
            for member in &members {
                instances = instances.union(&UnionSet::from_set(&sets[*member])?)?;
            }
            all.push(TilePart { instances: Instances { all: instances, known: self.tile.known.clone() }, blocks });
        }
        if all.iter().all(|component| component.blocks.is_empty()) {
            return Ok(Vec::new());
        }
        Ok(all)
    }

    /// A statement's form, if it may run as blocks somewhere.
    fn candidate(&self, name: &str) -> Result<Option<Form<'_>>> {
        let Some(at) = self.region.statements.iter().position(|statement| statement.name == name) else {
            return Ok(None);
        };
        let statement = &self.region.statements[at];
        let Some(arithmetic) = &statement.arithmetic else { return Ok(None) };
        let alone = self.isl_region.groups[at] == 1 && statement.independent.is_none();
        if !alone || !self.region.reductions.is_empty() || !statement.locals.is_empty() {
            return Ok(None);
        }
        Form::of(self.isl_region, (at, statement), arithmetic)
    }

    /// The blocks of a statement with these instances in the tile.
    fn block(&self, form: &Form, own: &Set, others: &[&Set]) -> Result<Option<Block>> {
        let count = form.statement.iterators.len();
        let (first, last) = (&self.symbols.box_first[..count], &self.symbols.box_last[..count]);
        let points: Vec<String> = (0..count).map(|k| format!("x{k}")).collect();
        let tuple = format!("{}[{}]", form.statement.name, points.join(", "));
        let names = [first, last].concat().join(", ");
        let within: Vec<String> = (0..count).map(|k| format!("{} <= x{k} <= {}", first[k], last[k])).collect();
        let full = Set::parse(own.context(), &format!("[{names}] -> {{ {tuple} : {} }}", within.join(" and ")))?;
        // What is not in the tile, and pairs of which one writes what the other one reads.
        let mut wrong = full.subtract(own)?.params()?;
        if planted("a30-box") {
            wrong = wrong.subtract(&wrong)?;
        }
        let written = full.apply(&form.write)?;
        for read in form.reads.iter().filter(|_| !planted("a31-reads")) {
            let touched = full.apply(read)?;
            if touched.name() == written.name() {
                wrong = wrong.union(&touched.intersect(&written)?.params()?)?;
            }
        }
        for other in others.iter().filter(|_| !planted("a32-others")) {
            wrong = wrong.union(&other.params()?)?;
        }
        let exists = own.params()?.coalesce()?;
        let mut known = self.tile.known.intersect(&exists)?;
        for (k, end) in (0..count).flat_map(|k| [(k, &first[k]), (k, &last[k])]) {
            let at = Set::parse(own.context(), &format!("[{end}] -> {{ {tuple} : x{k} = {end} }}"))?;
            known = known.intersect(&own.intersect(&at)?.params()?)?;
        }
        known = known.intersect(&full.params()?)?.coalesce()?;
        let right = Set::parse(own.context(), "{ : }")?.subtract(&wrong)?.intersect(&known)?.coalesce()?;
        // A box of one row or one column is no block.
        let wide = |k: usize| format!("{} < {}", first[k], last[k]);
        let wide = format!("[{names}] -> {{ : {} and {} }}", wide(form.rows), wide(form.vector));
        if right.intersect(&Set::parse(own.context(), &wide)?)?.is_empty()? {
            return Ok(None);
        }
        let right = right.gist(&known)?.coalesce()?;
        let exists = exists.gist(&self.tile.known)?;
        if right.pieces()? > PIECES || exists.pieces()? > PIECES {
            return Ok(None);
        }
        let build = AstBuild::from_context(&self.tile.known)?;
        let mut ends = Vec::new();
        for k in 0..count {
            let least = build.expression(&own.dim_min(k)?.coalesce()?.gist(&self.tile.known)?)?;
            let greatest = build.expression(&own.dim_max(k)?.coalesce()?.gist(&self.tile.known)?)?;
            ends.push(Ends { least, greatest });
        }
        let anything = AstBuild::from_context(&Set::parse(own.context(), "{ : }")?)?;
        Ok(Some(Block {
            statement: form.at,
            exists: build.condition(&exists)?,
            full: anything.condition(&right)?,
            ends,
            vector: form.vector,
            rows: form.rows,
            serial: form.serial.clone(),
            roles: form.roles.clone(),
        }))
    }
}

/// A statement that updates elements: which of its loops are which in a block.
struct Form<'a> {
    /// Its index in the model.
    at: usize,
    statement: &'a Statement,
    write: Map,
    /// What it reads beside the element that it writes.
    reads: Vec<Map>,
    vector: usize,
    rows: usize,
    serial: Vec<usize>,
    roles: Vec<Role>,
}

impl<'a> Form<'a> {
    fn of(
        isl_region: &IslRegion,
        (at, statement): (usize, &'a Statement),
        arithmetic: &Arithmetic,
    ) -> Result<Option<Form<'a>>> {
        let count = statement.iterators.len();
        let mut writes = statement.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(write), None) = (writes.next(), writes.next()) else { return Ok(None) };
        let target = arithmetic.operands.first().and_then(|(.., relation)| relation.as_ref());
        if count < 3 || write.kind != AccessKind::Write || target != Some(&write.relation) {
            return Ok(None);
        }
        let parse = |relation: &String| Map::parse(&isl_region.ctx, relation);
        let reads = statement.accesses.iter().filter(|access| access.relation != write.relation);
        let reads = reads.map(|access| parse(&access.relation)).collect::<Result<Vec<_>>>()?;
        let write = parse(&write.relation)?;
        let mut strides = Vec::new();
        for (.., relation) in &arithmetic.operands {
            strides.push(match relation {
                Some(relation) => Strides::of(&parse(relation)?, &statement.name, count)?,
                None => Some(Strides(vec![Vec::new(); count])),
            });
        }
        let Some(strides) = strides.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let kept = |relation: &Option<String>| relation.as_ref() == target;
        let operands = arithmetic.operands.iter().zip(&strides).filter(|((.., relation), _)| !kept(relation));
        let operands: Vec<&Strides> = operands.map(|(_, strides)| strides).collect();
        let Some((vector, rows)) = chosen(&strides[0], &operands, count) else { return Ok(None) };
        let serial: Vec<usize> = (0..count).filter(|k| strides[0].is_still(*k)).collect();
        let roles = arithmetic.operands.iter().zip(&strides).map(|((.., relation), strides)| match relation {
            _ if kept(relation) => Role::Kept,
            None => Role::Number,
            Some(_) if strides.is_still(vector) => Role::Single,
            Some(_) if strides.is_unit(vector) => Role::Vector,
            Some(_) => Role::Packed,
        });
        let roles = roles.collect();
        let form = Form { at, statement, write, reads, vector, rows, serial, roles };
        Ok(if form.is_ordered(isl_region)? { Some(form) } else { None })
    }

    /// Whether the instances that write one element differ in serial loops only, and run in the order of these.
    fn is_ordered(&self, isl_region: &IslRegion) -> Result<bool> {
        let count = self.statement.iterators.len();
        let name = &self.statement.name;
        let names = |side: &str| (0..count).map(|k| format!("{side}{k}")).collect::<Vec<_>>().join(", ");
        let pairs = |condition: &str| {
            let text = format!("{{ {name}[{}] -> {name}[{}] : {condition} }}", names("x"), names("y"));
            Map::parse(&isl_region.ctx, &text)
        };
        let free: Vec<usize> = (0..count).filter(|k| !self.serial.contains(k)).collect();
        let other: Vec<String> = free.iter().map(|k| format!("x{k} != y{k}")).collect();
        let same = self.write.apply_range(&self.write.reverse()?)?;
        if !same.intersect(&pairs(&other.join(" or "))?)?.is_empty()? {
            return Ok(false);
        }
        let Some(sets) = isl_region.statements.iter().find(|sets| sets.domain.name().as_ref() == Some(name)) else {
            return Ok(false);
        };
        let everywhere = UnionMap::from_map(&sets.everywhere)?.functions()?;
        let mut equal: String = free.iter().map(|k| format!("x{k} = y{k} and ")).collect();
        for k in &self.serial {
            let up = UnionMap::from_map(&pairs(&format!("{equal}x{k} < y{k}"))?)?;
            if !up.decreasing_at(&everywhere)?.is_empty()? {
                return Ok(false);
            }
            let _ = write!(equal, "x{k} = y{k} and ");
        }
        Ok(true)
    }
}

/// By iterator: how an access's subscripts change in one step.
struct Strides(Vec<Vec<i64>>);

impl Strides {
    /// `None`: not by constants.
    fn of(access: &Map, name: &str, count: usize) -> Result<Option<Strides>> {
        let names: Vec<String> = (0..count).map(|k| format!("x{k}")).collect();
        let mut all = Vec::new();
        for k in 0..count {
            let next: Vec<String> =
                (0..count).map(|at| format!("x{at}{}", if at == k { " + 1" } else { "" })).collect();
            let step = format!("{{ {name}[{}] -> {name}[{}] }}", names.join(", "), next.join(", "));
            let deltas = access.reverse()?.apply_range(&Map::parse(access.context(), &step)?)?.apply_range(access)?;
            let deltas = deltas.deltas()?;
            let stride: Option<Vec<i64>> = (0..deltas.dimensions()?).map(|at| deltas.fixed(at)).collect();
            let Some(stride) = stride else { return Ok(None) };
            all.push(stride);
        }
        Ok(Some(Strides(all)))
    }

    /// Whether all steps of a loop touch one element.
    fn is_still(&self, k: usize) -> bool {
        self.0[k].iter().all(|step| *step == 0)
    }

    /// Whether the steps of a loop touch elements that follow each other.
    fn is_unit(&self, k: usize) -> bool {
        let Some((last, outer)) = self.0[k].split_last() else { return false };
        *last == 1 && outer.iter().all(|step| *step == 0)
    }
}

/// The loops for the vectors and the rows of a block: there is a vector to read, and each serves all rows, or other steps
/// of the serial loops. Elements that lie apart are worth a copy if it serves all rows. Of equal loops, inner ones stride
/// less. The target is the element that the statement writes.
fn chosen(target: &Strides, operands: &[&Strides], count: usize) -> Option<(usize, usize)> {
    let serial: Vec<usize> = (0..count).filter(|k| target.is_still(*k)).collect();
    let free: Vec<usize> = (0..count).filter(|k| !serial.contains(k)).collect();
    let mut best: Option<(usize, (usize, usize))> = None;
    for v in free.iter().filter(|v| target.is_unit(**v)) {
        for rows in free.iter().filter(|rows| *rows != v) {
            let serves = |operand: &&Strides| {
                let again = |k: &usize| operand.is_still(*k) || operand.0[*k] == operand.0[*rows];
                operand.is_still(*rows) || (operand.is_unit(*v) && serial.iter().any(again))
            };
            let mut vectors = operands.iter().copied().filter(|operand| !operand.is_still(*v)).peekable();
            let packs = vectors.clone().any(|operand| !operand.is_unit(*v));
            if vectors.peek().is_none() || !vectors.all(|operand| serves(&operand)) {
                continue;
            }
            let still = operands.iter().filter(|operand| operand.is_still(*rows)).count();
            let fits = if packs { serial.len() == 1 } else { !serial.is_empty() };
            if fits && best.is_none_or(|(most, _)| still >= most) {
                best = Some((still, (*v, *rows)));
            }
        }
    }
    best.map(|(_, roles)| roles)
}

/// By statement: which statements come after one of its instances.
fn edges(sets: &[Set], inside: &UnionMap) -> Result<Vec<Vec<bool>>> {
    let place = |name: Option<String>| sets.iter().position(|set| set.name() == name);
    let mut edges = vec![vec![false; sets.len()]; sets.len()];
    for map in inside.maps()? {
        if let (Some(from), Some(to)) = (place(map.input_name()), place(map.output_name())) {
            edges[from][to] |= !map.is_empty()?;
        }
    }
    Ok(edges)
}

/// The statements in groups whose members reach each other, in an order in which no edge goes back.
fn circles(edges: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let count = edges.len();
    let mut reach = edges.to_vec();
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    let together = |one: usize, other: usize| one == other || (reach[one][other] && reach[other][one]);
    let mut left: Vec<usize> = (0..count).collect();
    let mut all = Vec::new();
    while let Some(next) =
        left.iter().copied().find(|at| left.iter().all(|other| together(*at, *other) || !reach[*other][*at]))
    {
        let (group, rest) = left.iter().partition(|other| together(next, **other));
        all.push(group);
        left = rest;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::circles;

    #[test]
    fn groups_stand_in_an_order_that_keeps_all_edges() {
        let edges = |pairs: &[(usize, usize)]| {
            let mut all = vec![vec![false; 4]; 4];
            for (from, to) in pairs {
                all[*from][*to] = true;
            }
            circles(&all)
        };
        assert_eq!(edges(&[(3, 0), (0, 1), (1, 0)]), [vec![2], vec![3], vec![0, 1]]);
        assert_eq!(edges(&[(0, 1), (1, 2), (2, 3), (3, 0)]), [vec![0, 1, 2, 3]]);
        assert_eq!(edges(&[(0, 0)]), [vec![0], vec![1], vec![2], vec![3]]);
    }
}
