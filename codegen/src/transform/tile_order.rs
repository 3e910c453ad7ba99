//! The order of the instances of a tile: the original one, or the band's coordinates interchanged.

use super::{
    Phase, PhaseKind, Plan,
    legality::{self, Legality},
    phase::{body, permuted},
};
use crate::{
    Refusal,
    analysis::{Dependences, IslRegion, StatementSets},
    lowered::BodyOrder,
};
use dvm_isl::{Map, Result, UnionMap, UnionSet};

/// Maximum number of coordinates of a searched band; more would have too many permutations.
const SEARCHED: usize = 4;

/// Chooses the order inside the plan's tiles by the dependences of `nearest`, and proves the plan right.
///
/// The proof is against all pairs of accesses to one element. isl computes which of them are nearest: an error there
/// must not become an error in the program. The pairs also say what the coordinates carry.
pub(crate) fn proven(
    isl_region: &IslRegion,
    dependences: &Dependences,
    nearest: &Legality,
    mut plan: Plan,
) -> std::result::Result<Plan, Refusal> {
    let alone = plan.phases.len() == 1;
    for phase in &mut plan.phases {
        choose(isl_region, nearest, phase, alone)?;
    }
    let legality = Legality::new(&dependences.conflicts);
    // Without the exact analysis, the search has looked at all pairs.
    if dependences.exact {
        isl_region.begin_stage();
        legality.bands(&mut plan)?;
    }
    isl_region.begin_stage();
    legality.prove(isl_region, &plan)?;
    Ok(plan)
}

/// Chooses the order inside the tiles of a graph: the original one when compilers vectorise its innermost loops, else
/// the interchange whose innermost loops they vectorise best and that walks memory in the shortest strides.
fn choose(
    isl_region: &IslRegion,
    legality: &Legality,
    phase: &mut Phase,
    alone: bool,
) -> std::result::Result<(), Refusal> {
    if phase.dimension().is_none() {
        return Ok(());
    }
    isl_region.begin_stage();
    match legality.inside(phase, alone).and_then(|inside| search(isl_region, &inside, phase)) {
        // The search took too long. The original order is right in any tile.
        Err(error) if error.is_quota() => Ok(()),
        Err(error) => Err(error.into()),
        Ok(permutation) => {
            if let (PhaseKind::Graph { body, .. }, Some(permutation)) = (&mut phase.kind, permutation) {
                *body = BodyOrder::Permuted(permutation);
            }
            Ok(())
        }
    }
}

/// The best permutation of the band's coordinates, if it is better than the original order. Host loops keep the
/// dependences between their iterations; `inside` contains the others.
fn search(isl_region: &IslRegion, inside: &UnionMap, phase: &Phase) -> Result<Option<Vec<usize>>> {
    let PhaseKind::Graph { band, everywhere, dimension, below, .. } = &phase.kind else { return Ok(None) };
    let mut best = cost(isl_region, &phase.domain, inside, &body(isl_region, phase)?)?;
    let mut chosen = None;
    if best.innermost == 0 || *dimension > SEARCHED {
        return Ok(chosen);
    }
    for permutation in permutations(*dimension) {
        let order = permuted(band, *dimension, below, &permutation)?;
        let candidate = cost(isl_region, &phase.domain, inside, &order)?;
        let forward = || {
            let order = permuted(&everywhere.band, *dimension, &everywhere.below, &permutation)?;
            legality::is_forward(inside, &order)
        };
        if candidate < best && forward()? {
            best = candidate;
            chosen = Some(permutation);
        }
    }
    Ok(chosen)
}

fn permutations(length: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .into_iter()
            .flat_map(|start: Vec<usize>| {
                (0..length)
                    .filter(|k| !start.contains(k))
                    .map(|k| [start.as_slice(), &[k]].concat())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// The cost of an order, the most important part first; lower is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cost {
    /// Statements of the deepest nests whose innermost loop carries a dependence or strides through memory.
    innermost: u32,
    /// Strides of the outer loops, inner ones counting more.
    strides: u32,
}

fn cost(isl_region: &IslRegion, domain: &UnionSet, inside: &UnionMap, order: &UnionMap) -> Result<Cost> {
    let mut cost = Cost { innermost: 0, strides: 0 };
    let mut deepest = 0;
    for statement in &isl_region.statements {
        deepest = deepest.max(statement.domain.dimensions()?);
    }
    for statement in &isl_region.statements {
        let own = UnionSet::from_set(&statement.domain)?.intersect(domain)?;
        // Statements with fewer loops have fewer instances.
        if own.is_empty()? || statement.domain.dimensions()? < deepest {
            continue;
        }
        for map in order.intersect_domain(&own)?.maps()? {
            add_statement(statement, inside, &map, &mut cost)?;
        }
    }
    Ok(cost)
}

/// What the two innermost loops of an order do to one of the deepest statements of a phase.
pub(super) struct NestWalk {
    /// The coordinate of the order that the innermost loop counts.
    pub(super) innermost: usize,
    /// The innermost loop carries a dependence of the statement on itself.
    pub(super) carried: bool,
    /// The loop around it does.
    pub(super) carried_around: bool,
    /// Accesses that stride in the innermost loop.
    pub(super) strided: usize,
    /// Accesses that stride in both loops.
    pub(super) strided_twice: usize,
}

/// The walks of the deepest statements of a phase; nothing if one of them has less than two loops in the order.
pub(super) fn walks(
    isl_region: &IslRegion,
    domain: &UnionSet,
    inside: &UnionMap,
    order: &UnionMap,
) -> Result<Option<Vec<NestWalk>>> {
    let mut present = Vec::new();
    for statement in &isl_region.statements {
        let own = UnionSet::from_set(&statement.domain)?.intersect(domain)?;
        if !own.is_empty()? {
            present.push((statement.domain.dimensions()?, statement, own));
        }
    }
    let deepest = present.iter().map(|(depth, ..)| *depth).max();
    let mut all = Vec::new();
    for (_, statement, own) in present.iter().filter(|(depth, ..)| Some(*depth) == deepest) {
        for map in order.intersect_domain(own)?.maps()? {
            let range = map.range()?;
            let mut varying = Vec::new();
            for k in (0..range.dimensions()?).rev() {
                if range.fixed(k).is_none() && !neighbours(&map, k)?.is_empty()? {
                    varying.push(k);
                }
            }
            let &[innermost, around, ..] = varying.as_slice() else { return Ok(None) };
            let [inner_steps, outer_steps] = [neighbours(&map, innermost)?, neighbours(&map, around)?];
            let carried = carries(inside, &map, innermost)?;
            let carried_around = carries(inside, &map, around)?;
            let mut walk = NestWalk { innermost, carried, carried_around, strided: 0, strided_twice: 0 };
            for access in &statement.accesses {
                if !is_short(access, &inner_steps)? {
                    walk.strided += 1;
                    walk.strided_twice += usize::from(!is_short(access, &outer_steps)?);
                }
            }
            all.push(walk);
        }
    }
    Ok(Some(all))
}

/// Weights of the loops from the innermost outwards.
const WEIGHTS: [u32; 4] = [64, 16, 4, 1];

/// Cost of an innermost loop that carries a dependence: compilers do not vectorise the loop.
const CARRIED: u32 = 3;
/// Cost of an access that strides in an innermost loop: a cache line for each element, worse than a scalar loop.
const STRIDED: u32 = 4;

fn add_statement(statement: &StatementSets, inside: &UnionMap, order: &Map, cost: &mut Cost) -> Result<()> {
    let range = order.range()?;
    let varying: Vec<usize> = (0..range.dimensions()?).filter(|k| range.fixed(*k).is_none()).collect();
    for (place, (&loop_at, weight)) in varying.iter().rev().zip(WEIGHTS).enumerate() {
        let next = neighbours(order, loop_at)?;
        if next.is_empty()? {
            // An equality fixes the loop's value: the loop runs once.
            continue;
        }
        let carried = place == 0 && carries(inside, order, loop_at)?;
        let mut strided = 0;
        for access in &statement.accesses {
            strided += u32::from(!is_short(access, &next)?);
        }
        if place == 0 {
            cost.innermost += if carried { CARRIED } else { 0 } + STRIDED * strided;
        }
        cost.strides += weight * strided;
    }
    Ok(())
}

/// Pairs of instances that follow each other in one loop of an order, all other coordinates equal.
fn neighbours(order: &Map, loop_at: usize) -> Result<Map> {
    let step = shifted(order, loop_at, "y = x + 1")?;
    order.apply_range(&step)?.apply_range(&order.reverse()?)
}

/// Whether one loop of an order carries a dependence of the statement on itself.
fn carries(inside: &UnionMap, order: &Map, loop_at: usize) -> Result<bool> {
    let own = UnionSet::from_set(&order.domain()?)?;
    let inside = inside.intersect_domain(&own)?.intersect_range(&own)?;
    let order = UnionMap::from_map(order)?;
    let steps = inside.apply_domain(&order)?.apply_range(&order)?;
    for map in steps.maps()? {
        if !map.intersect(&shifted(&map, loop_at, "y > x")?)?.is_empty()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Pairs of points in the range space of `map` that differ in one coordinate, as `relation` says.
fn shifted(map: &Map, loop_at: usize, relation: &str) -> Result<Map> {
    let names = |own: &str| -> Result<String> {
        let names = (0..map.outputs()?).map(|k| if k == loop_at { own.to_owned() } else { format!("e{k}") });
        Ok(names.collect::<Vec<_>>().join(", "))
    };
    Map::parse(map.context(), &format!("{{ [{}] -> [{}] : {relation} }}", names("x")?, names("y")?))
}

/// Whether neighbours touch the same element or adjacent elements.
fn is_short(access: &Map, next: &Map) -> Result<bool> {
    let distances = access.reverse()?.apply_range(next)?.apply_range(access)?;
    if distances.is_empty()? {
        return Ok(true);
    }
    let distances = distances.deltas()?;
    let rank = distances.dimensions()?;
    for at in 0..rank {
        let short = match distances.fixed(at) {
            Some(0) => true,
            Some(step) => at + 1 == rank && step.abs() == 1,
            None => false,
        };
        if !short {
            return Ok(false);
        }
    }
    Ok(true)
}
