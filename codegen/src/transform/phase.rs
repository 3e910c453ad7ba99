//! Cuts a schedule tree into phases: graphs of tiles and sequential pieces, under loops of the calling thread.

use crate::refusal::Code;
use crate::{Refusal, analysis::IslRegion, lowered::BodyOrder};
use dvm_isl::{NodeKind, ScheduleNode, UnionMap, UnionSet};
use std::fmt::Write;

/// One step on the way from the root to a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The n-th of a sequence.
    Sequence(usize),
    /// Each value of the n-th host loop, in increasing order.
    Host(usize),
}

/// The phases of a region; each ends before the next begins.
pub struct Plan {
    /// In textual order of the tree.
    pub phases: Vec<Phase>,
    /// Maps instances to the place of their phase, with one dimension per step of the longest path.
    pub order: UnionMap,
    /// The same for all values of the statements' iterators, including those without an instance.
    pub order_everywhere: UnionMap,
    /// isl's schedule tree as text.
    pub schedule: String,
}

/// A set of instances that runs between two barriers, for each value of its host loops.
pub struct Phase {
    /// The path from the root of the tree.
    pub steps: Vec<Step>,
    /// The instances for all values of the host loops.
    pub domain: UnionSet,
    /// Maps instances to the values of the host loops, one dimension each.
    pub hosts: UnionMap,
    /// The same for all values of the iterators.
    pub hosts_everywhere: UnionMap,
    /// Number of host loops.
    pub depth: usize,
    /// What runs.
    pub kind: PhaseKind,
}

/// How a phase runs.
pub enum PhaseKind {
    /// By the calling thread in the original order.
    Sequential,
    /// As a graph of tiles.
    Graph {
        /// Maps instances to the band's coordinates.
        band: UnionMap,
        /// The band and what is below it for all values of the iterators.
        everywhere: Everywhere,
        /// Number of coordinates.
        dimension: usize,
        /// By coordinate: it carries a dependence, so a tile waits for its predecessor along it.
        carried: Vec<bool>,
        /// Order of the instances below the band.
        below: UnionMap,
        /// Order of the instances of a tile.
        body: BodyOrder,
    },
}

/// Functions of all values of the statements' iterators, including those without an instance.
pub struct Everywhere {
    /// To the band's coordinates.
    pub band: UnionMap,
    /// To the order below the band.
    pub below: UnionMap,
}

impl Phase {
    /// Maps instances to host values, followed by the band's coordinates in a graph.
    pub fn coordinates(&self) -> Result<UnionMap, Refusal> {
        match &self.kind {
            PhaseKind::Sequential => Ok(self.hosts.clone()),
            PhaseKind::Graph { band, .. } => Ok(self.hosts.flat_range_product(band)?),
        }
    }

    /// The number of the band's coordinates; `None` for a sequential phase.
    pub fn dimension(&self) -> Option<usize> {
        match &self.kind {
            PhaseKind::Sequential => None,
            PhaseKind::Graph { dimension, .. } => Some(*dimension),
        }
    }
}

/// Walks a schedule tree down to its phases.
pub fn phases(isl_region: &IslRegion, root: &ScheduleNode) -> Result<Plan, Refusal> {
    let mut walk = Walk { phases: Vec::new() };
    let hosts = Hosts { here: to_nothing(&isl_region.schedule)?, everywhere: to_nothing(&isl_region.everywhere()?)? };
    walk.visit(root, isl_region.domain.clone(), hosts, Vec::new())?;
    let order_everywhere = order(isl_region, &walk.phases, |phase| Ok(phase.hosts_everywhere.clone()))?;
    let order = order(isl_region, &walk.phases, |phase| phase.hosts.intersect_domain(&phase.domain))?;
    Ok(Plan { phases: walk.phases, order, order_everywhere, schedule: String::new() })
}

/// Maps instances to the values of the host loops so far.
#[derive(Clone)]
struct Hosts {
    here: UnionMap,
    everywhere: UnionMap,
}

struct Walk {
    phases: Vec<Phase>,
}

impl Walk {
    fn visit(&mut self, node: &ScheduleNode, domain: UnionSet, hosts: Hosts, steps: Vec<Step>) -> Result<(), Refusal> {
        match node.kind() {
            NodeKind::Domain | NodeKind::Context => self.visit(&node.child()?, domain, hosts, steps),
            NodeKind::Sequence | NodeKind::Set => {
                for (place, child) in node.children()?.iter().enumerate() {
                    let mut steps = steps.clone();
                    steps.push(Step::Sequence(place));
                    self.visit(child, domain.clone(), hosts.clone(), steps)?;
                }
                Ok(())
            }
            NodeKind::Filter => {
                let filter = node.filter()?;
                let domain = domain.intersect(&filter)?;
                let here = hosts.here.intersect_domain(&domain)?;
                let hosts = Hosts { here, everywhere: hosts.everywhere.intersect_domain(&filter)? };
                self.visit(&node.child()?, domain, hosts, steps)
            }
            NodeKind::Leaf => {
                self.push(domain, hosts, steps, PhaseKind::Sequential);
                Ok(())
            }
            NodeKind::Band => self.band(node, domain, hosts, steps),
            NodeKind::Other => Err(Refusal::new(
                Code::Defect,
                "isl's schedule has a node of an unexpected kind",
                "report this region as a defect",
            )),
        }
    }

    fn band(
        &mut self,
        node: &ScheduleNode,
        domain: UnionSet,
        hosts: Hosts,
        mut steps: Vec<Step>,
    ) -> Result<(), Refusal> {
        let dimension = node.band_members()?;
        let coincident = (0..dimension).map(|member| node.band_coincident(member)).collect::<Result<Vec<_>, _>>()?;
        let functions = node.band_functions()?;
        let everywhere = unnamed(&functions)?;
        let functions = unnamed(&functions.intersect_domain(&domain)?)?;
        if node.band_permutable()? && dimension > 0 && (dimension > 1 || coincident[0]) {
            let below = node.child()?.subtree_order()?;
            let everywhere = Everywhere { band: everywhere, below: padded(&below)? };
            let below = padded(&below.intersect_domain(&domain)?)?;
            let carried = coincident.iter().map(|free| !free).collect();
            let (band, body) = (functions, BodyOrder::Original);
            let kind = PhaseKind::Graph { band, everywhere, dimension, carried, below, body };
            self.push(domain, hosts, steps, kind);
            return Ok(());
        }
        let mut hosts = hosts;
        for member in 0..dimension {
            let depth = steps.iter().filter(|step| matches!(step, Step::Host(_))).count();
            steps.push(Step::Host(depth));
            let here = hosts.here.flat_range_product(&only_output(&functions, member, dimension)?)?;
            let own = only_output(&everywhere, member, dimension)?;
            hosts = Hosts { here, everywhere: hosts.everywhere.flat_range_product(&own)? };
        }
        self.visit(&node.child()?, domain, hosts, steps)
    }

    fn push(&mut self, domain: UnionSet, hosts: Hosts, steps: Vec<Step>, kind: PhaseKind) {
        let depth = steps.iter().filter(|step| matches!(step, Step::Host(_))).count();
        let Hosts { here: hosts, everywhere: hosts_everywhere } = hosts;
        self.phases.push(Phase { steps, domain, hosts, hosts_everywhere, depth, kind });
    }
}

/// Maps every instance to the point without dimensions.
fn to_nothing(schedule: &UnionMap) -> Result<UnionMap, Refusal> {
    let all = schedule.map_each(|map| {
        let dimensions = map.outputs()?;
        map.drop_outputs(0, dimensions)
    })?;
    Ok(all)
}

/// The same functions to a tuple without a name.
fn unnamed(functions: &UnionMap) -> Result<UnionMap, Refusal> {
    Ok(functions.map_each(|map| {
        let dimensions = map.outputs()?;
        map.drop_outputs(dimensions, 0)?.unnamed_output()
    })?)
}

fn only_output(functions: &UnionMap, member: usize, dimension: usize) -> Result<UnionMap, Refusal> {
    Ok(functions.map_each(|map| map.drop_outputs(member + 1, dimension - member - 1)?.drop_outputs(0, member))?)
}

/// The same order with zeros appended so that all statements have one length.
pub(super) fn padded(order: &UnionMap) -> dvm_isl::Result<UnionMap> {
    let mut length = 0;
    for map in order.maps()? {
        length = length.max(map.outputs()?);
    }
    order.map_each(|map| {
        let own = map.outputs()?;
        map.unnamed_output()?.add_zero_outputs(length - own)
    })
}

/// The order of the instances of a phase's tiles as a map.
pub(crate) fn body(isl_region: &IslRegion, phase: &Phase) -> dvm_isl::Result<UnionMap> {
    match &phase.kind {
        PhaseKind::Graph { band, dimension, below, body: BodyOrder::Permuted(permutation), .. } => {
            permuted(band, *dimension, below, permutation)
        }
        PhaseKind::Graph { band, dimension, below, body: BodyOrder::Jammed { free, place }, .. } => {
            jammed(band, *dimension, below, (*free, *place))
        }
        _ => padded(&isl_region.schedule.intersect_domain(&phase.domain)?),
    }
}

/// The same for all values of the statements' iterators.
pub(super) fn body_everywhere(isl_region: &IslRegion, phase: &Phase) -> dvm_isl::Result<UnionMap> {
    match &phase.kind {
        PhaseKind::Graph { everywhere, dimension, body: BodyOrder::Permuted(permutation), .. } => {
            permuted(&everywhere.band, *dimension, &everywhere.below, permutation)
        }
        PhaseKind::Graph { everywhere, dimension, body: BodyOrder::Jammed { free, place }, .. } => {
            jammed(&everywhere.band, *dimension, &everywhere.below, (*free, *place))
        }
        _ => padded(&isl_region.everywhere()?),
    }
}

/// A band's coordinates in the order of a permutation, then the order below the band.
pub(super) fn permuted(
    band: &UnionMap,
    dimension: usize,
    below: &UnionMap,
    permutation: &[usize],
) -> dvm_isl::Result<UnionMap> {
    let from: Vec<String> = (0..dimension).map(|k| format!("p{k}")).collect();
    let to: Vec<String> = permutation.iter().map(|k| format!("p{k}")).collect();
    let exchange = UnionMap::parse(band.context(), &format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", ")))?;
    band.apply_range(&exchange)?.flat_range_product(below)
}

/// A band's coordinates and the order below the band, with a coordinate of the band moved to a place among the others.
pub(super) fn jammed(
    band: &UnionMap,
    dimension: usize,
    below: &UnionMap,
    (free, place): (usize, usize),
) -> dvm_isl::Result<UnionMap> {
    let length = dimension + below.maps()?.first().map_or(Ok(0), dvm_isl::Map::outputs)?;
    let from: Vec<String> = (0..length).map(|k| format!("p{k}")).collect();
    let mut to = from.clone();
    let moved = to.remove(free);
    to.insert(place, moved);
    let exchange = UnionMap::parse(band.context(), &format!("{{ [{}] -> [{}] }}", from.join(", "), to.join(", ")))?;
    band.flat_range_product(below)?.apply_range(&exchange)
}

/// Maps instances to the place of their phase.
fn order(
    isl_region: &IslRegion,
    phases: &[Phase],
    hosts: impl Fn(&Phase) -> dvm_isl::Result<UnionMap>,
) -> Result<UnionMap, Refusal> {
    let length = phases.iter().map(|phase| phase.steps.len()).max().unwrap_or(0);
    let mut all = UnionMap::parse(&isl_region.ctx, "{ }")?;
    for phase in phases {
        let place = UnionMap::parse(&isl_region.ctx, &place_text(phase, length))?;
        all = all.union(&hosts(phase)?.apply_range(&place)?)?;
    }
    Ok(all)
}

/// The map from host values to the phase's place, as isl text.
pub(crate) fn place_text(phase: &Phase, length: usize) -> String {
    let hosts: Vec<String> = (0..phase.depth).map(|k| format!("v{k}")).collect();
    let mut text = format!("{{ [{}] -> [", hosts.join(", "));
    for at in 0..length {
        let _ = match phase.steps.get(at) {
            Some(Step::Sequence(place)) => write!(text, "{place}"),
            Some(Step::Host(k)) => write!(text, "v{k}"),
            None => write!(text, "0"),
        };
        text.push_str(if at + 1 < length { ", " } else { "" });
    }
    text.push_str("] }");
    text
}
