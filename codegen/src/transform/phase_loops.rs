//! Lowers the instances of a phase or of one tile to loops, in the order of the phase.

use super::{Phase, phase::body, tile::Instances};
use crate::{
    Refusal,
    analysis::{Dependences, IslRegion, order_properties::independent},
    lowered::{Loops, TileSymbols, guard_name},
};
use dvm_isl::{AstBuild, AstNode, AstNodeKind, Map, Set, UnionMap, UnionSet};
use std::collections::{BTreeSet, HashMap};

/// Loops over some instances of a phase.
pub fn loops_over(
    isl_region: &IslRegion,
    dependences: &Dependences,
    phase: &Phase,
    instances: &Instances,
    symbols: &TileSymbols,
) -> Result<Loops, Refusal> {
    let order = body(isl_region, phase)?.intersect_domain(&instances.all)?;
    let mut loops = match exact(isl_region, dependences, &order, &instances.known, symbols) {
        Err(error) if error.is_quota() || error.is_unfaithful() => {
            hulls(isl_region, &instances.all, &instances.known, symbols)?
        }
        loops => loops?,
    };
    loops.statements = instances.all.sets()?.iter().filter_map(Set::name).collect();
    Ok(loops)
}

/// Loops that visit exactly the instances of an order.
fn exact(
    isl_region: &IslRegion,
    dependences: &Dependences,
    order: &UnionMap,
    known: &Set,
    symbols: &TileSymbols,
) -> dvm_isl::Result<Loops> {
    isl_region.begin_stage();
    // Constant coordinates make no loops, and cost isl time.
    let (order, kept) = compact(order)?;
    let counters: Vec<String> = kept.iter().filter_map(|place| symbols.counters.get(*place).cloned()).collect();
    let build = AstBuild::from_context(known)?.with_iterators(&counters)?;
    let mut orders = Vec::new();
    let tree = build.scan(&order, &mut |order| {
        orders.push(order.clone());
        Ok((orders.len() - 1).to_string())
    })?;
    let mut free = vec![false; orders.len()];
    if dependences.exact {
        mark_independent(&tree, &dependences.conflicts, &orders, &mut free)?;
    }
    Ok(Loops { tree, statements: BTreeSet::new(), independent: free, guards: HashMap::new() })
}

/// Marks the innermost loops whose iterations are independent.
fn mark_independent(
    node: &AstNode,
    dependences: &UnionMap,
    orders: &[UnionMap],
    free: &mut [bool],
) -> dvm_isl::Result<()> {
    match node.kind()? {
        AstNodeKind::Block(children) => {
            children.iter().try_for_each(|child| mark_independent(child, dependences, orders, free))
        }
        AstNodeKind::If { then, otherwise, .. } => {
            mark_independent(&then, dependences, orders, free)?;
            otherwise.map_or(Ok(()), |otherwise| mark_independent(&otherwise, dependences, orders, free))
        }
        AstNodeKind::For { degenerate, body, note, .. } => {
            if !degenerate && !has_loop(&body)? {
                let number = note.parse::<usize>().ok();
                if let Some((order, free)) = number.and_then(|n| Some((orders.get(n)?, free.get_mut(n)?))) {
                    *free = independent(dependences, order)?;
                }
            }
            mark_independent(&body, dependences, orders, free)
        }
        AstNodeKind::User(_) => Ok(()),
    }
}

fn has_loop(node: &AstNode) -> dvm_isl::Result<bool> {
    match node.kind()? {
        AstNodeKind::Block(children) => children.iter().try_fold(false, |any, child| Ok(any || has_loop(child)?)),
        AstNodeKind::If { then, otherwise, .. } => {
            Ok(has_loop(&then)? || otherwise.map_or(Ok(false), |otherwise| has_loop(&otherwise))?)
        }
        AstNodeKind::For { degenerate, body, .. } => Ok(!degenerate || has_loop(&body)?),
        AstNodeKind::User(_) => Ok(false),
    }
}

/// The same order without the coordinates that are one constant for all statements, and the places of the others.
///
/// Only if each statement's instances are one piece: for several pieces, isl then makes other and longer loops.
fn compact(order: &UnionMap) -> dvm_isl::Result<(UnionMap, Vec<usize>)> {
    let maps = order.maps()?;
    let length = maps.first().map_or(Ok(0), Map::outputs)?;
    for map in &maps {
        if map.pieces()? > 1 {
            return Ok((order.clone(), (0..length).collect()));
        }
    }
    let constant = |place: &usize| {
        let first = maps.first().and_then(|map| map.fixed_output(*place));
        first.is_some() && maps.iter().all(|map| map.fixed_output(*place) == first)
    };
    let (constants, kept): (Vec<usize>, Vec<usize>) = (0..length).partition(constant);
    let order =
        order.map_each(|map| constants.iter().rev().try_fold(map.clone(), |map, at| map.drop_outputs(*at, 1)))?;
    Ok((order, kept))
}

/// Loops over a convex set around the instances of each statement, with a guard that tests whether the instance exists.
/// They serve domains of many pieces, whose exact loops would be long. Their order is the original one, which is always
/// right.
fn hulls(isl_region: &IslRegion, instances: &UnionSet, known: &Set, symbols: &TileSymbols) -> dvm_isl::Result<Loops> {
    isl_region.begin_stage();
    let build = AstBuild::from_context(known)?.with_iterators(&symbols.counters)?;
    let mut hulls = UnionMap::parse(&isl_region.ctx, "{ }")?;
    let mut guards = HashMap::new();
    for set in instances.sets()? {
        let name = set.name().unwrap_or_default();
        let hull = set.simple_hull()?;
        let statement = isl_region.statements.iter().find(|statement| statement.domain.name().as_ref() == Some(&name));
        let Some(statement) = statement else { continue };
        hulls = hulls.union(&UnionMap::from_map(&statement.everywhere.intersect_domain(&hull)?)?)?;
        let guard = set.gist(&hull)?.intersect_params(known)?.gist_params(known)?;
        let names: Vec<String> = (0..set.dimensions()?).map(guard_name).collect();
        let condition = guard.as_condition(&names)?;
        let anything = AstBuild::from_context(&Set::parse(&isl_region.ctx, "{ : }")?)?;
        guards.insert(name, anything.condition(&condition)?);
    }
    // No loop around guards is marked independent: the exact order of the pieces is unknown here.
    let tree = build.scan(&hulls, &mut |_| Ok(String::new()))?;
    Ok(Loops { tree, statements: BTreeSet::new(), independent: Vec::new(), guards })
}
