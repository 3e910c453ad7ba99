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
    model::{AccessKind, Arithmetic, Chain, Named, Operand, Region, Statement},
    planted::planted,
};
use dvm_isl::{AstBuild, Map, Result, Set, UnionMap, UnionSet};
use std::fmt::Write;

/// Maximum number of statements of a phase.
const STATEMENTS: usize = 12;
/// Maximum number of convex pieces of a condition.
const PIECES: usize = 6;
/// Maximum number of operands whose elements are copied: they share the room for copies, and each gets several steps.
const COPIES: usize = 16;

/// Maximum number of operands of a chain: its text stands once for each place of a block.
const OPERANDS: usize = 64;

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
        if sets.len() > STATEMENTS || candidates.iter().all(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let inside = legality.inside(phase, alone)?;
        let mut all = Vec::new();
        for members in circles(&edges(&sets, &inside)?) {
            self.isl_region.begin_stage();
            let mut blocks = Vec::new();
            for member in &members {
                let others = members.iter().filter(|other| *other != member).map(|other| &sets[*other]);
                let others: Vec<&Set> = others.collect();
                for form in &candidates[*member] {
                    if let Some(block) = self.block(form, &sets[*member], &others, &inside)? {
                        blocks.push(block);
                        break;
                    }
                }
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

    /// The forms in which a statement may run as blocks somewhere, the best one first.
    fn candidate(&self, name: &str) -> Result<Vec<Form<'_>>> {
        let Some(at) = self.region.statements.iter().position(|statement| statement.name == name) else {
            return Ok(Vec::new());
        };
        let statement = &self.region.statements[at];
        let alone = self.isl_region.groups[at] == 1 && statement.independent.is_none();
        if !alone || !self.region.reductions.is_empty() {
            return Ok(Vec::new());
        }
        match (&statement.arithmetic, &statement.chain) {
            (Some(arithmetic), _) if statement.locals.is_empty() => {
                Ok(Form::of(self.isl_region, (at, statement), arithmetic)?.into_iter().collect())
            }
            (_, Some(chain)) => Ok(chain_forms((at, statement), chain)),
            _ => Ok(Vec::new()),
        }
    }

    /// What the instances of a statement in a box touch and order among themselves, where blocks would change that: a
    /// condition that excludes them.
    fn disturbed(form: &Form, full: &Set, inside: &UnionMap) -> Result<Set> {
        let mut wrong = Set::parse(full.context(), "{ : false }")?;
        match &form.order {
            Order::Serial { write, reads } => {
                let written = full.apply(write)?;
                for read in reads.iter().filter(|_| !planted("a31-reads")) {
                    let touched = full.apply(read)?;
                    if touched.name() == written.name() {
                        wrong = wrong.union(&touched.intersect(&written)?.params()?)?;
                    }
                }
            }
            Order::Lockstep => {
                let kept = Map::parse(full.context(), &form.order_of_blocks())?;
                let name = &form.statement.name;
                for pairs in inside.maps()? {
                    if pairs.input_name().as_ref() == Some(name) && pairs.output_name().as_ref() == Some(name) {
                        let lost = pairs.subtract(&kept)?.intersect_domain(full)?.intersect_range(full)?;
                        let lost = if planted("a33-lockstep") { lost.subtract(&lost)? } else { lost };
                        wrong = wrong.union(&lost.domain()?.params()?)?;
                    }
                }
            }
        }
        Ok(wrong)
    }

    /// The blocks of a statement with these instances in the tile.
    fn block(&self, form: &Form, own: &Set, others: &[&Set], inside: &UnionMap) -> Result<Option<Block>> {
        let count = form.statement.iterators.len();
        let (first, last) = (&self.symbols.box_first[..count], &self.symbols.box_last[..count]);
        let points: Vec<String> = (0..count).map(|k| format!("x{k}")).collect();
        let tuple = format!("{}[{}]", form.statement.name, points.join(", "));
        let names = [first, last].concat().join(", ");
        let within: Vec<String> = (0..count).map(|k| format!("{} <= x{k} <= {}", first[k], last[k])).collect();
        let full = Set::parse(own.context(), &format!("[{names}] -> {{ {tuple} : {} }}", within.join(" and ")))?;
        // What is not in the tile, and what the order of blocks would change.
        let mut wrong = full.subtract(own)?.params()?;
        if planted("a30-box") {
            wrong = wrong.subtract(&wrong)?;
        }
        wrong = wrong.union(&Self::disturbed(form, &full, inside)?)?;
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
        let wide: Vec<String> =
            std::iter::once(form.vector).chain(form.rows).map(|k| format!("{} < {}", first[k], last[k])).collect();
        let wide = format!("[{names}] -> {{ : {} }}", wide.join(" and "));
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

/// What blocks do with a statement's instances.
enum Order {
    /// They run the updates of one element in their order, all of them one after another.
    Serial {
        /// The elements.
        write: Map,
        /// What the statement reads beside the element that it writes.
        reads: Vec<Map>,
    },
    /// They run the parts of some instances by turns: part by part for all of them.
    Lockstep,
}

/// Which of a statement's loops are which in a block.
struct Form<'a> {
    /// Its index in the model.
    at: usize,
    statement: &'a Statement,
    order: Order,
    vector: usize,
    rows: Option<usize>,
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
        if write.kind != AccessKind::Write || target != Some(&write.relation) {
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
        let ordered = is_ordered(isl_region, statement, &write, &serial)?;
        let form = Form { at, statement, order: Order::Serial { write, reads }, vector, rows, serial, roles };
        Ok(ordered.then_some(form))
    }

    /// The pairs of instances that blocks leave in their order: those that differ in a loop around the blocks.
    fn order_of_blocks(&self) -> String {
        let count = self.statement.iterators.len();
        let around = (0..count).filter(|k| *k != self.vector && Some(*k) != self.rows);
        let mut equal = String::new();
        let mut before = vec!["false".to_owned()];
        for k in around {
            before.push(format!("({equal}x{k} < y{k})"));
            let _ = write!(equal, "x{k} = y{k} and ");
        }
        pairs_of(self.statement, &before.join(" or "))
    }
}

/// Pairs of a statement's instances x and y.
fn pairs_of(statement: &Statement, condition: &str) -> String {
    let count = statement.iterators.len();
    let names = |side: &str| (0..count).map(|k| format!("{side}{k}")).collect::<Vec<_>>().join(", ");
    format!("{{ {0}[{1}] -> {0}[{2}] : {condition} }}", statement.name, names("x"), names("y"))
}

/// Whether the instances that write one element differ in serial loops only, and run in the order of these.
fn is_ordered(isl_region: &IslRegion, statement: &Statement, write: &Map, serial: &[usize]) -> Result<bool> {
    let name = &statement.name;
    let pairs = |condition: &str| Map::parse(&isl_region.ctx, &pairs_of(statement, condition));
    let free: Vec<usize> = (0..statement.iterators.len()).filter(|k| !serial.contains(k)).collect();
    let other: Vec<String> = free.iter().map(|k| format!("x{k} != y{k}")).collect();
    let same = write.apply_range(&write.reverse()?)?;
    if !same.intersect(&pairs(&other.join(" or "))?)?.is_empty()? {
        return Ok(false);
    }
    let Some(sets) = isl_region.statements.iter().find(|sets| sets.domain.name().as_ref() == Some(name)) else {
        return Ok(false);
    };
    let everywhere = UnionMap::from_map(&sets.everywhere)?.functions()?;
    let mut equal: String = free.iter().map(|k| format!("x{k} = y{k} and ")).collect();
    for k in serial {
        let up = UnionMap::from_map(&pairs(&format!("{equal}x{k} < y{k}"))?)?;
        if !up.decreasing_at(&everywhere)?.is_empty()? {
            return Ok(false);
        }
        let _ = write!(equal, "x{k} = y{k} and ");
    }
    Ok(true)
}

/// The forms of a chain: all of its targets follow each other in vectors, and with rows something serves all of these.
fn chain_forms<'a>((at, statement): (usize, &'a Statement), chain: &Chain) -> Vec<Form<'a>> {
    let count = statement.iterators.len();
    let strides = |operand: &Operand| match &operand.named {
        Named::Element(steps) => Some(Strides(steps.clone())),
        _ => None,
    };
    let targets: Vec<Strides> = chain.steps.iter().filter_map(|step| strides(&step.target)).collect();
    let reads: Vec<Strides> = chain.steps.iter().flat_map(|step| &step.operands).filter_map(strides).collect();
    if chain.operands().count() > OPERANDS {
        return Vec::new();
    }
    let even = (0..count).filter(|k| !chain.uneven.contains(k));
    let mut forms = Vec::new();
    for v in even.clone().filter(|v| targets.iter().all(|target| target.is_unit(*v))) {
        let served = |k: usize| reads.iter().filter(|read| read.is_still(k)).count();
        let rows =
            even.clone().filter(|k| *k != v && served(*k) > 0 && targets.iter().all(|target| !target.is_still(*k)));
        for rows in rows.max_by_key(|k| served(*k)).map(Some).into_iter().chain([None]) {
            let role = |operand: &Operand| match strides(operand) {
                None if operand.named == Named::Number => Role::Number,
                None => Role::Kept,
                Some(strides) if strides.is_still(v) => Role::Single,
                Some(strides) if strides.is_unit(v) => Role::Vector,
                Some(_) => Role::Gathered,
            };
            let roles = chain.operands().map(role).collect();
            forms.push(Form { at, statement, order: Order::Lockstep, vector: v, rows, serial: Vec::new(), roles });
        }
    }
    forms
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
/// less. Without rows, blocks are worth it if the vectors' loop is not the inner one anyway. The target is the element
/// that the statement writes.
fn chosen(target: &Strides, operands: &[&Strides], count: usize) -> Option<(usize, Option<usize>)> {
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
            let copies = vectors.clone().filter(|operand| !operand.is_unit(*v)).count();
            if vectors.peek().is_none() || !vectors.all(|operand| serves(&operand)) {
                continue;
            }
            let still = operands.iter().filter(|operand| operand.is_still(*rows)).count();
            let fits = match copies {
                0 => !serial.is_empty(),
                _ => serial.len() == 1 && copies <= COPIES,
            };
            if fits && best.is_none_or(|(most, _)| still >= most) {
                best = Some((still, (*v, *rows)));
            }
        }
    }
    if let Some((_, (v, rows))) = best {
        return Some((v, Some(rows)));
    }
    let outer = free.iter().rev().copied().find(|v| target.is_unit(*v) && *v + 1 != count);
    let follows = |v: usize, operand: &&Strides| operand.is_still(v) || operand.is_unit(v);
    let vectors = |v: usize| operands.iter().any(|operand| operand.is_unit(v));
    outer
        .filter(|v| !serial.is_empty() && vectors(*v) && operands.iter().all(|operand| follows(*v, operand)))
        .map(|v| (v, None))
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
