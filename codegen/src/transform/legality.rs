//! The proof that a plan keeps every dependence, whatever made the plan.
//!
//! The proof compares orders in the space of the instances: it selects the pairs of a dependence whose values compare
//! in a certain way. In the space of an order, the image of a dependence would have existential variables for the
//! instances, which isl cannot eliminate. The orders are functions of all values of the iterators; the dependences
//! already contain the pieces of the domains.

use super::{
    Phase, PhaseKind, Plan,
    phase::{body_everywhere, padded},
};
use crate::refusal::Code;
use crate::{Refusal, analysis::IslRegion, lowered::BodyOrder};
use dvm_isl::UnionMap;
use std::cell::OnceCell;

/// Dependences that orders have to keep.
pub struct Legality {
    dependences: UnionMap,
    /// Every dependence goes forward in the original order; then it does so in each phase.
    original: OnceCell<bool>,
}

impl Legality {
    /// For all plans of a region.
    pub(crate) fn new(dependences: &UnionMap) -> Legality {
        Legality { dependences: dependences.clone(), original: OnceCell::new() }
    }

    /// The dependences within a phase at equal values of its host loops.
    pub(super) fn inside(&self, phase: &Phase, alone: bool) -> dvm_isl::Result<UnionMap> {
        let inside = if alone {
            self.dependences.clone()
        } else {
            self.dependences.intersect_domain(&phase.domain)?.intersect_range(&phase.domain)?
        };
        if phase.depth == 0 {
            return Ok(inside);
        }
        let hosts = &phase.hosts_everywhere;
        // A pair without host values is compared all the same.
        if covers(hosts, &inside)? { inside.equal_at(&hosts.functions()?) } else { Ok(inside) }
    }

    /// Finds which coordinates of the plan's bands carry dependences; or refuses, when one goes backwards.
    pub(super) fn bands(&self, plan: &mut Plan) -> Result<(), Refusal> {
        let alone = plan.phases.len() == 1;
        for phase in &mut plan.phases {
            let inside = self.inside(phase, alone)?;
            let PhaseKind::Graph { everywhere, carried, .. } = &mut phase.kind else { continue };
            if !covers(&everywhere.band, &inside)? {
                return Err(broken("has a band without a place for an instance"));
            }
            let coordinates = everywhere.band.functions()?;
            for (k, carried) in carried.iter_mut().enumerate() {
                let coordinate = coordinates.at(k)?;
                if !inside.decreasing_at(&coordinate)?.is_empty()? {
                    return Err(broken("has a band that a dependence crosses backwards"));
                }
                *carried = !inside.increasing_at(&coordinate)?.is_empty()?;
            }
        }
        Ok(())
    }

    /// Proves the plan right, whose bands are; or refuses.
    ///
    /// Every instance has exactly one phase. A dependence goes to a later phase, or stays in one phase at equal host
    /// values and then no coordinate of the band decreases, so that unit steps along the carried coordinates order
    /// the tiles, and the order inside a tile goes forward.
    pub(super) fn prove(&self, isl_region: &IslRegion, plan: &Plan) -> Result<(), Refusal> {
        if !plan.order.domain()?.is_equal(&isl_region.domain)? || !plan.order.is_single_valued()? {
            return Err(broken("does not place every instance once"));
        }
        let length = plan.phases.iter().map(|phase| phase.steps.len()).max().unwrap_or(0);
        if !never_falls(&self.dependences, &plan.order_everywhere, length, Equal::Allowed)? {
            return Err(broken("orders phases against a dependence"));
        }
        let alone = plan.phases.len() == 1;
        for phase in &plan.phases {
            let own = matches!(&phase.kind, PhaseKind::Graph { body, .. } if *body != BodyOrder::Original);
            if !own && self.original_is_forward(isl_region)? {
                continue;
            }
            if !is_forward(&self.inside(phase, alone)?, &body_everywhere(isl_region, phase)?)? {
                return Err(broken("has an order inside tiles that a dependence crosses backwards"));
            }
        }
        Ok(())
    }

    fn original_is_forward(&self, isl_region: &IslRegion) -> dvm_isl::Result<bool> {
        if let Some(known) = self.original.get() {
            return Ok(*known);
        }
        let forward = is_forward(&self.dependences, &padded(&isl_region.everywhere()?)?)?;
        Ok(*self.original.get_or_init(|| forward))
    }
}

/// True when an order of the instances goes forward along every dependence.
pub(super) fn is_forward(inside: &UnionMap, body: &UnionMap) -> dvm_isl::Result<bool> {
    let length = body.maps()?.first().map_or(Ok(0), dvm_isl::Map::outputs)?;
    never_falls(inside, body, length, Equal::Forbidden)
}

/// Whether the two instances of a pair may have equal places.
#[derive(Clone, Copy)]
enum Equal {
    Allowed,
    Forbidden,
}

/// True when an order has a place for both instances of each pair: isl's comparisons leave out pairs without one.
fn covers(order: &UnionMap, pairs: &UnionMap) -> dvm_isl::Result<bool> {
    let placed = order.domain()?;
    Ok(pairs.domain()?.is_subset(&placed)? && pairs.range()?.is_subset(&placed)?)
}

/// True when no pair has its first instance at the lexicographically later place of an order of `length` coordinates,
/// and all have places.
fn never_falls(pairs: &UnionMap, order: &UnionMap, length: usize, equal: Equal) -> dvm_isl::Result<bool> {
    if !covers(order, pairs)? {
        return Ok(false);
    }
    let mut undecided = pairs.clone();
    if length > 0 && !pairs.is_empty()? {
        let places = order.functions()?;
        for k in 0..length {
            let place = places.at(k)?;
            if !undecided.decreasing_at(&place)?.is_empty()? {
                return Ok(false);
            }
            undecided = undecided.equal_at(&place)?;
            if undecided.is_empty()? {
                return Ok(true);
            }
        }
    }
    Ok(matches!(equal, Equal::Allowed) || undecided.is_empty()?)
}

fn broken(what: &str) -> Refusal {
    Refusal::new(Code::Defect, format!("the schedule {what}"), "report this region as a defect: it was left as it is")
}

#[cfg(test)]
mod tests {
    use crate::{
        analysis::{Dependences, IslRegion},
        model::Region,
        transform::{PhaseKind, Search, proven},
    };

    /// isl leaves pairs without a place out of its comparisons, which would prove them.
    #[test]
    fn an_instance_without_a_place_is_no_proof() {
        let ctx = dvm_isl::Ctx::new(100_000);
        let relation = |text: &str| dvm_isl::UnionMap::parse(&ctx, text).unwrap();
        let pairs = relation("{ S[i] -> S[i - 1] : 0 < i < 6; S[i] -> T[i] : 0 < i < 6 }");
        for (order, right) in [
            ("{ S[i] -> [0, -i]; T[i] -> [1, i] }", true),
            ("{ S[i] -> [0, i]; T[i] -> [1, i] }", false),
            ("{ S[i] -> [0, -i]; T[i] -> [1, i] : i < 5 }", false),
            ("{ S[i] -> [0, -i] }", false),
        ] {
            assert_eq!(super::is_forward(&pairs, &relation(order)).unwrap(), right, "{order}");
        }
    }

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
        let isl_region = IslRegion::read(&CHAIN.parse::<Region>().unwrap()).unwrap();
        let dependences = Dependences::of(&isl_region).unwrap();
        let (legality, mut search) = (super::Legality::new(&dependences.all), Search::default());
        let found = search.next(&isl_region, &dependences, &legality).unwrap();
        let mut plan = proven(&isl_region, &dependences, &legality, found).unwrap();
        let changed = change(&dependences).unwrap();
        let legality = super::Legality::new(&changed);
        let proven = legality.bands(&mut plan).and_then(|()| legality.prove(&isl_region, &plan));
        proven.map_err(|refusal| refusal.reason)?;
        let PhaseKind::Graph { carried, .. } = &plan.phases[0].kind else { panic!("a graph") };
        Ok(carried.clone())
    }

    #[test]
    fn what_is_carried_is_found_from_the_dependences() {
        assert_eq!(prove(|dependences| Ok(dependences.all.clone())), Ok(vec![false, true]));
        assert_eq!(prove(|dependences| dependences.all.subtract(&dependences.all)), Ok(vec![false, false]));
    }

    /// isl's flow may lack a dependence: the pairs of accesses lack none.
    #[test]
    fn a_plan_for_too_few_dependences_is_refused() {
        let isl_region = IslRegion::read(&CHAIN.parse::<Region>().unwrap()).unwrap();
        let mut dependences = Dependences::of(&isl_region).unwrap();
        let (conflicts, all) = (dependences.conflicts.clone(), dependences.all.clone());
        assert!(all.is_subset(&conflicts).unwrap());
        for lost in [false, true] {
            if lost {
                dependences.all = all.subtract(&all).unwrap();
            }
            let (legality, mut search) = (super::Legality::new(&dependences.all), Search::default());
            let mut plan = search.next(&isl_region, &dependences, &legality).unwrap();
            if lost {
                let PhaseKind::Graph { carried, .. } = &mut plan.phases[0].kind else { panic!("a graph") };
                assert!(!carried.contains(&true), "nothing is known to be carried");
            }
            let plan = proven(&isl_region, &dependences, &legality, plan).unwrap();
            let PhaseKind::Graph { carried, .. } = &plan.phases[0].kind else { panic!("a graph") };
            assert_eq!(*carried, [false, true]);
        }
        dependences.conflicts = conflicts.reverse().unwrap();
        let (legality, mut search) = (super::Legality::new(&all), Search::default());
        let plan = search.next(&isl_region, &dependences, &legality).unwrap();
        assert!(proven(&isl_region, &dependences, &legality, plan).is_err());
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
