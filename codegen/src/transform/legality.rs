//! The proof that a plan keeps every dependence, whatever made the plan.

use super::{Phase, PhaseKind, Plan, order};
use crate::{Refusal, analysis::Program};
use dvm_isl::UnionMap;
use std::fmt::Write;

/// Proves the plan right and finds which coordinates carry dependences; or refuses.
///
/// Every instance has exactly one phase. A dependence goes to a later phase, or stays in one phase at equal host
/// values and then no coordinate of the band decreases, so that unit steps along the carried coordinates order
/// the tiles, and the order inside a tile goes forward.
pub(super) fn prove(program: &Program, dependences: &UnionMap, plan: &mut Plan) -> Result<(), Refusal> {
    if !plan.order.domain()?.is_equal(&program.domain)? || !plan.order.is_single_valued()? {
        return Err(broken("does not place every instance once"));
    }
    let length = plan.phases.iter().map(|phase| phase.steps.len()).max().unwrap_or(0);
    let places = dependences.apply_domain(&plan.order)?.apply_range(&plan.order)?;
    let backward = UnionMap::parse(&program.ctx, &lexicographic(length, 0, Relation::Greater))?;
    if !places.intersect(&backward)?.is_empty()? {
        return Err(broken("orders phases against a dependence"));
    }
    for phase in &mut plan.phases {
        prove_phase(program, dependences, phase)?;
    }
    Ok(())
}

fn prove_phase(program: &Program, dependences: &UnionMap, phase: &mut Phase) -> Result<(), Refusal> {
    let inside = dependences.intersect_domain(&phase.domain)?.intersect_range(&phase.domain)?;
    let depth = phase.depth;
    let coordinates = phase.coordinates()?;
    let body = order::body(program, phase)?;
    if let PhaseKind::Graph { dimension, carried, .. } = &mut phase.kind {
        let steps = inside.apply_domain(&coordinates)?.apply_range(&coordinates)?;
        for (k, carried) in carried.iter_mut().enumerate() {
            let compare = |operator| UnionMap::parse(&program.ctx, &one_coordinate(depth, *dimension, k, operator));
            if !steps.intersect(&compare("<")?)?.is_empty()? {
                return Err(broken("has a band that a dependence crosses backwards"));
            }
            *carried = !steps.intersect(&compare(">")?)?.is_empty()?;
        }
    }
    if !is_forward(&inside, &phase.hosts, depth, &body)? {
        return Err(broken("has an order inside tiles that a dependence crosses backwards"));
    }
    Ok(())
}

/// True when an order of the instances goes forward along every dependence at equal host values.
pub(super) fn is_forward(inside: &UnionMap, hosts: &UnionMap, depth: usize, body: &UnionMap) -> dvm_isl::Result<bool> {
    let full = hosts.flat_range_product(body)?;
    let orders = inside.apply_domain(&full)?.apply_range(&full)?;
    let length = body.range()?.sets()?.first().map_or(Ok(0), dvm_isl::Set::dimensions)?;
    let not_forward = lexicographic(length, depth, Relation::GreaterOrEqual);
    orders.intersect(&UnionMap::parse(body.ctx(), &not_forward)?)?.is_empty()
}

#[derive(Clone, Copy)]
enum Relation {
    Greater,
    GreaterOrEqual,
}

/// Pairs `[e, x] -> [e, y]` with `depth` equal coordinates `e` and x after (or at) y: isl text.
fn lexicographic(length: usize, depth: usize, relation: Relation) -> String {
    let (left, right) = (tuple("x", depth, length), tuple("y", depth, length));
    let mut cases = Vec::new();
    for at in 0..length {
        let mut case: Vec<String> = (0..at).map(|k| format!("x{k} = y{k}")).collect();
        case.push(format!("x{at} > y{at}"));
        cases.push(format!("({})", case.join(" and ")));
    }
    if matches!(relation, Relation::GreaterOrEqual) {
        let equal: Vec<String> = (0..length).map(|k| format!("x{k} = y{k}")).collect();
        cases.push(if equal.is_empty() { "true".to_owned() } else { format!("({})", equal.join(" and ")) });
    }
    if cases.is_empty() {
        cases.push("false".to_owned());
    }
    format!("{{ [{left}] -> [{right}] : {} }}", cases.join(" or "))
}

/// Pairs with equal host values whose coordinate `k` compares as `operator` says: isl text.
fn one_coordinate(depth: usize, dimension: usize, k: usize, operator: &str) -> String {
    let (left, right) = (tuple("x", depth, dimension), tuple("y", depth, dimension));
    format!("{{ [{left}] -> [{right}] : y{k} {operator} x{k} }}")
}

/// `e0, e1, x0, x1, x2`: shared coordinates, then one's own.
fn tuple(own: &str, depth: usize, length: usize) -> String {
    let mut text = String::new();
    for k in 0..depth {
        let _ = write!(text, "{}e{k}", if k > 0 { ", " } else { "" });
    }
    for k in 0..length {
        let _ = write!(text, "{}{own}{k}", if depth + k > 0 { ", " } else { "" });
    }
    text
}

fn broken(what: &str) -> Refusal {
    Refusal::new(format!("the schedule {what}"), "report this region as a defect: it was left as it is")
}

#[cfg(test)]
mod tests {
    use crate::{
        analysis::{Dependences, Program},
        model::Region,
        transform::{PhaseKind, plan},
    };

    const CHAIN: &str = r#"region chain
source "chain.c" 1
function "f"
context [n] -> { : }
parameter n "n" "int"
array A "A" "int" 4 restrict - "n"
statement S0 1 1
  iterator "i" "int"
  iterator "j" "int"
  domain [n] -> { S0[i, j] : 0 <= i < n and 0 < j < n }
  schedule { S0[i, j] -> [i, j] }
  read A { S0[i, j] -> A[i, j - 1] }
  write A { S0[i, j] -> A[i, j] }
  text "A[i][j] = A[i][j - 1];"
"#;

    /// A plan that was made for `made_for` is proven against the dependences of the chain.
    fn prove(change: impl Fn(&Dependences) -> dvm_isl::Result<dvm_isl::UnionMap>) -> Result<Vec<bool>, String> {
        let program = Program::read(&CHAIN.parse::<Region>().unwrap()).unwrap();
        let dependences = Dependences::of(&program).unwrap();
        let mut plan = plan(&program, &dependences).unwrap();
        let changed = change(&dependences).unwrap();
        super::prove(&program, &changed, &mut plan).map_err(|refusal| refusal.reason)?;
        let PhaseKind::Graph { carried, .. } = &plan.phases[0].kind else { panic!("a graph") };
        Ok(carried.clone())
    }

    #[test]
    fn what_is_carried_is_found_from_the_dependences() {
        assert_eq!(prove(|dependences| Ok(dependences.all.clone())), Ok(vec![false, true]));
        assert_eq!(prove(|dependences| dependences.all.subtract(&dependences.all)), Ok(vec![false, false]));
    }

    #[test]
    fn a_plan_against_a_dependence_is_refused() {
        let reason = prove(|dependences| dependences.all.reverse()).unwrap_err();
        assert!(reason.contains("a band that a dependence crosses backwards"), "{reason}");
    }

    #[test]
    fn a_body_against_a_dependence_is_refused() {
        // A pair in one point of the band has no tile between it: only the order inside the tile can tell.
        let reason = prove(|dependences| dependences.all.domain()?.identity()).unwrap_err();
        assert!(reason.contains("an order inside tiles"), "{reason}");
    }
}
