//! Register tiling: which statements of a tile may run as blocks that keep the elements that they update in registers.
//!
//! The statements of a tile run one component after another: a component has the statements that depend on each other
//! in a circle. A statement of a component may run as blocks if its instances in the tile fill a box, if the other
//! statements of its component have none there, and if no instance reads what another one writes, except the element
//! that both update. What remains are the updates of one element, which the blocks leave in their order.
//!
//! Where a loop around all statements of a component carries dependences between them, the component may also run round
//! by round, one value of that loop after another: each round has components of its own (Allen and Kennedy, "Automatic
//! translation of Fortran programs to vector form", 1987, section 5: the codegen procedure).

use super::{
    Legality, Phase, PhaseKind,
    block_forms::{Form, Order, chain_forms, coordinates},
    tile::{Instances, PhaseSets},
};
use crate::{
    Refusal,
    analysis::IslRegion,
    lowered::{Block, Ends, TileSymbols},
    model::Region,
    planted::planted,
};
use dvm_isl::{AstBuild, AstExpr, Map, Result, Set, UnionMap, UnionSet};

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
    /// What runs where no blocks do, if it is not the phase's order.
    pub rounds: Option<Rounds>,
}

impl TilePart {
    fn has_blocks(&self) -> bool {
        !self.blocks.is_empty() || self.rounds.is_some()
    }
}

/// The instances of a part by the values of a loop that is around all of its statements: one value after another.
pub struct Rounds {
    /// The iterator of each statement that counts this loop.
    pub iterator: usize,
    /// The tile has such values.
    pub exists: AstExpr,
    /// The loop's first and last value in the tile.
    pub ends: Ends,
    /// The loop counts down.
    pub falls: bool,
    /// The parts of one round in their order.
    pub parts: Vec<TilePart>,
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
    let (PhaseKind::Graph { band, .. }, Some(tile)) = (&phase.kind, &sets.tile) else { return Ok(Vec::new()) };
    isl_region.begin_stage();
    let search = Search { region, isl_region, symbols, band };
    match search.components(legality, phase, alone, tile) {
        // The phase's own order is right in any tile.
        Err(error) if error.is_quota() || error.is_unfaithful() => Ok(Vec::new()),
        found => Ok(found?),
    }
}

struct Search<'a> {
    region: &'a Region,
    isl_region: &'a IslRegion,
    symbols: &'a TileSymbols,
    band: &'a UnionMap,
}

/// Statements whose instances are to be ordered: those of a tile, or of one round.
struct Place {
    /// By statement: its instances.
    sets: Vec<Set>,
    /// The dependences between instances of the place, and perhaps others.
    inside: UnionMap,
    /// What is known of the parameters if there are instances.
    known: Set,
    /// The iterators that have one value each here.
    fixed: Vec<usize>,
}

impl Place {
    /// The instances of some statements.
    fn instances(&self, isl_region: &IslRegion, members: &[usize]) -> Result<Instances> {
        let mut all = UnionSet::parse(&isl_region.ctx, "{ }")?;
        for member in members {
            all = all.union(&UnionSet::from_set(&self.sets[*member])?)?;
        }
        Ok(Instances { all, known: self.known.clone() })
    }
}

impl Search<'_> {
    fn components(&self, legality: &Legality, phase: &Phase, alone: bool, tile: &Instances) -> Result<Vec<TilePart>> {
        let sets = tile.all.sets()?;
        if sets.len() > STATEMENTS {
            return Ok(Vec::new());
        }
        let inside = legality.inside(phase, alone)?;
        let parts = self.parts(&Place { sets, inside, known: tile.known.clone(), fixed: Vec::new() })?;
        Ok(if parts.iter().any(TilePart::has_blocks) { parts } else { Vec::new() })
    }

    fn parts(&self, place: &Place) -> Result<Vec<TilePart>> {
        let mut candidates = Vec::new();
        for set in &place.sets {
            candidates.push(self.candidate(&set.name().unwrap_or_default(), &place.fixed)?);
        }
        let mut all = Vec::new();
        for members in circles(&edges(&place.sets, &place.inside)?) {
            self.isl_region.begin_stage();
            let mut blocks = Vec::new();
            for member in &members {
                let others = members.iter().filter(|other| *other != member).map(|other| &place.sets[*other]);
                let others: Vec<&Set> = others.collect();
                for form in &candidates[*member] {
                    if let Some(block) = self.block(form, place, &place.sets[*member], &others)? {
                        blocks.push(block);
                        break;
                    }
                }
            }
            let instances = place.instances(self.isl_region, &members)?;
            let circle = members.len() > 1 || blocks.is_empty();
            let rounds = if circle { self.rounds(place, &members)? } else { None };
            all.push(TilePart { instances, blocks, rounds });
        }
        Ok(all)
    }

    /// A loop around all of some statements that carries dependences between them, all in one direction; without these
    /// some of the statements may run as blocks.
    fn rounds(&self, place: &Place, members: &[usize]) -> Result<Option<Rounds>> {
        if place.fixed.len() >= self.symbols.rounds.len() {
            return Ok(None);
        }
        let names: Vec<String> = members.iter().filter_map(|member| place.sets[*member].name()).collect();
        let statements = self.region.statements.iter().filter(|statement| names.contains(&statement.name));
        let counters = |k: usize| statements.clone().map(move |statement| statement.iterators.get(k));
        let all = place.instances(self.isl_region, members)?.all;
        let pairs = place.inside.intersect_domain(&all)?.intersect_range(&all)?;
        let first = place.fixed.last().map_or(0, |k| k + 1);
        let common = |k: &usize| {
            let mut names = counters(*k).map(|iterator| iterator.map(|iterator| &iterator.name));
            names.next().flatten().is_some_and(|name| names.all(|other| other == Some(name)))
        };
        for k in (first..).take_while(common) {
            let mut values = UnionMap::parse(&self.isl_region.ctx, "{ }")?;
            for member in members {
                values = values.union(&UnionMap::from_map(&value_of(&place.sets[*member], k)?)?)?;
            }
            let values = values.functions()?;
            let value = values.at(0)?;
            let rises = !pairs.increasing_at(&value)?.is_empty()?;
            let falls = !pairs.decreasing_at(&value)?.is_empty()?;
            if rises == falls {
                continue;
            }
            let inside = pairs.equal_at(&values)?;
            let inside = if planted("a34-rounds") { inside.reverse()? } else { inside };
            let found = self.one_round(place, members, k, inside)?;
            return Ok(found
                .filter(|(.., parts)| parts.iter().any(TilePart::has_blocks))
                .map(|(exists, ends, parts)| Rounds { iterator: k, exists, ends, falls, parts }));
        }
        Ok(None)
    }

    /// Whether iterator `k` has values, their ends, and the parts for one of them; nothing if no statement may run as
    /// blocks there. A value may be one between others that has no instances.
    fn one_round(
        &self,
        place: &Place,
        members: &[usize],
        k: usize,
        inside: UnionMap,
    ) -> Result<Option<(AstExpr, Ends, Vec<TilePart>)>> {
        let mut fixed = place.fixed.clone();
        fixed.push(k);
        let mut possible = false;
        for member in members {
            possible |= !self.candidate(&place.sets[*member].name().unwrap_or_default(), &fixed)?.is_empty();
        }
        if !possible {
            return Ok(None);
        }
        self.isl_region.begin_stage();
        let symbol = &self.symbols.rounds[place.fixed.len()];
        let mut values: Option<Set> = None;
        let mut sets = Vec::new();
        for member in members {
            let own = &place.sets[*member];
            let round = value_of(own, k)?;
            let at = Set::parse(own.context(), &format!("[{symbol}] -> {{ [{symbol}] }}"))?;
            sets.push(own.intersect(&round.reverse()?.intersect_domain(&at)?.range()?)?.coalesce()?);
            let own = own.apply(&round)?;
            values = Some(match values {
                Some(values) => values.union(&own)?,
                None => own,
            });
        }
        let Some(values) = values else { return Ok(None) };
        let values = values.coalesce()?.simple_hull()?;
        let build = AstBuild::from_context(&place.known)?;
        let end = |value: dvm_isl::PwAff| build.expression(&value.coalesce()?.gist(&place.known)?);
        // Without values, the ends mean nothing.
        let exists = build.condition(&values.params()?.gist(&place.known)?)?;
        let ends = Ends { least: end(values.dim_min(0)?)?, greatest: end(values.dim_max(0)?)? };
        let at = Set::parse(values.context(), &format!("[{symbol}] -> {{ [{symbol}] }}"))?;
        let known = place.known.intersect(&values.intersect(&at)?.params()?)?;
        Ok(Some((exists, ends, self.parts(&Place { sets, inside, known, fixed })?)))
    }

    /// The forms in which a statement may run as blocks somewhere, the best one first.
    fn candidate(&self, name: &str, fixed: &[usize]) -> Result<Vec<Form<'_>>> {
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
                Ok(Form::of(self.isl_region, (at, statement), arithmetic, fixed)?.into_iter().collect())
            }
            (_, Some(chain)) => Ok(chain_forms((at, statement), chain, fixed)),
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
    fn block(&self, form: &Form, place: &Place, own: &Set, others: &[&Set]) -> Result<Option<Block>> {
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
        wrong = wrong.union(&Self::disturbed(form, &full, &place.inside)?)?;
        for other in others.iter().filter(|_| !planted("a32-others")) {
            wrong = wrong.union(&other.params()?)?;
        }
        let exists = own.params()?.coalesce()?;
        let mut known = place.known.intersect(&exists)?;
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
        let exists = exists.gist(&place.known)?;
        if right.pieces()? > PIECES || exists.pieces()? > PIECES {
            return Ok(None);
        }
        let build = AstBuild::from_context(&place.known)?;
        let mut ends = Vec::new();
        for k in 0..count {
            let least = build.expression(&own.dim_min(k)?.coalesce()?.gist(&place.known)?)?;
            let greatest = build.expression(&own.dim_max(k)?.coalesce()?.gist(&place.known)?)?;
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
            coordinates: coordinates(self.band, &form.statement.name, count)?,
        }))
    }
}

/// The value of a statement's iterator.
fn value_of(instances: &Set, k: usize) -> Result<Map> {
    let names: Vec<String> = (0..instances.dimensions()?).map(|at| format!("x{at}")).collect();
    let name = instances.name().unwrap_or_default();
    Map::parse(instances.context(), &format!("{{ {name}[{}] -> [x{k}] }}", names.join(", ")))
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
