//! Schedule trees of sequences and bands.
#![allow(unsafe_code)]

use crate::{Result, Set, UnionMap, UnionSet, raw};

object! {
    /// A schedule tree.
    Schedule(isl_schedule), isl_schedule_copy, isl_schedule_free
}
prints! { Schedule, isl_schedule_to_str }
parses! { Schedule, isl_schedule_read_from_str }

object! {
    /// A node of a schedule tree.
    ScheduleNode(isl_schedule_node), isl_schedule_node_copy, isl_schedule_node_free
}
prints! { ScheduleNode, isl_schedule_node_to_str }

/// The kind of a node in a schedule tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Loops: a partial order given by affine functions.
    Band,
    /// A condition on the parameters.
    Context,
    /// All instances; the root.
    Domain,
    /// A subset of the instances.
    Filter,
    /// A leaf.
    Leaf,
    /// The children run in sequence.
    Sequence,
    /// The children run in any order.
    Set,
    /// A node that schedulers do not make: an extension, a guard, an expansion or a mark.
    Other,
}

/// Options of isl's scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)]
pub struct ScheduleOptions {
    /// Prefer bands as deep as possible.
    pub maximize_band_depth: bool,
    /// Prefer coincident members to a joint band.
    pub maximize_coincidence: bool,
    /// Separate strongly connected components.
    pub serialize: bool,
    /// Make the outermost member of a band coincident if possible.
    pub outer_coincidence: bool,
}

/// The constraints on a schedule.
pub struct ScheduleProblem<'a> {
    /// The instances.
    pub domain: &'a UnionSet,
    /// Known constraints on the parameters.
    pub context: &'a Set,
    /// Pairs that keep their order.
    pub validity: &'a UnionMap,
    /// Pairs to place close together.
    pub proximity: &'a UnionMap,
    /// Pairs that get the same value in a coincident member.
    pub coincidence: &'a UnionMap,
}

impl ScheduleProblem<'_> {
    /// Computes a schedule.
    pub fn solve(&self, options: ScheduleOptions) -> Result<Schedule> {
        let ctx = self.domain.ctx();
        let (domain, validity) = (self.domain.unshared()?, self.validity.unshared()?);
        let (proximity, coincidence) = (self.proximity.unshared()?, self.coincidence.unshared()?);
        // SAFETY: the context is live; isl takes references made for it and passes null on as failure; the
        // schedule is handed over.
        unsafe {
            let raw_ctx = ctx.as_ptr();
            raw::isl_options_set_schedule_maximize_band_depth(raw_ctx, i32::from(options.maximize_band_depth));
            raw::isl_options_set_schedule_maximize_coincidence(raw_ctx, i32::from(options.maximize_coincidence));
            raw::isl_options_set_schedule_serialize_sccs(raw_ctx, i32::from(options.serialize));
            raw::isl_options_set_schedule_outer_coincidence(raw_ctx, i32::from(options.outer_coincidence));
            let mut problem = raw::isl_schedule_constraints_on_domain(domain.give());
            problem = raw::isl_schedule_constraints_set_context(problem, self.context.give());
            problem = raw::isl_schedule_constraints_set_validity(problem, validity.give());
            problem = raw::isl_schedule_constraints_set_proximity(problem, proximity.give());
            problem = raw::isl_schedule_constraints_set_coincidence(problem, coincidence.give());
            Schedule::own(
                ctx,
                "isl_schedule_constraints_compute_schedule",
                raw::isl_schedule_constraints_compute_schedule(problem),
            )
        }
    }
}

impl Schedule {
    /// The root of the tree.
    pub fn root(&self) -> Result<ScheduleNode> {
        // SAFETY: the schedule is live and kept; the node is handed over.
        unsafe { ScheduleNode::own(&self.ctx, "isl_schedule_get_root", raw::isl_schedule_get_root(self.keep())) }
    }
}

impl ScheduleNode {
    /// The kind of this node.
    pub fn kind(&self) -> NodeKind {
        // SAFETY: the node is live and only looked at.
        match unsafe { raw::isl_schedule_node_get_type(self.keep()) } {
            raw::isl_schedule_node_type_isl_schedule_node_band => NodeKind::Band,
            raw::isl_schedule_node_type_isl_schedule_node_context => NodeKind::Context,
            raw::isl_schedule_node_type_isl_schedule_node_domain => NodeKind::Domain,
            raw::isl_schedule_node_type_isl_schedule_node_filter => NodeKind::Filter,
            raw::isl_schedule_node_type_isl_schedule_node_leaf => NodeKind::Leaf,
            raw::isl_schedule_node_type_isl_schedule_node_sequence => NodeKind::Sequence,
            raw::isl_schedule_node_type_isl_schedule_node_set => NodeKind::Set,
            _ => NodeKind::Other,
        }
    }

    /// The child nodes.
    pub fn children(&self) -> Result<Vec<ScheduleNode>> {
        // SAFETY: the node is live and kept; each child is handed over.
        unsafe {
            let size =
                self.ctx.count("isl_schedule_node_n_children", raw::isl_schedule_node_n_children(self.keep()))?;
            (0..size)
                .map(|i| {
                    let child = raw::isl_schedule_node_get_child(self.keep(), i as i32);
                    ScheduleNode::own(&self.ctx, "isl_schedule_node_get_child", child)
                })
                .collect()
        }
    }

    /// The only child of a band or a filter.
    pub fn child(&self) -> Result<ScheduleNode> {
        // SAFETY: the node is live and kept; the child is handed over.
        unsafe {
            ScheduleNode::own(
                &self.ctx,
                "isl_schedule_node_get_child",
                raw::isl_schedule_node_get_child(self.keep(), 0),
            )
        }
    }

    /// The instances that a filter selects.
    pub fn filter(&self) -> Result<UnionSet> {
        // SAFETY: the node is live and kept; isl checks that it is a filter; the set is handed over.
        unsafe {
            let filter = raw::isl_schedule_node_filter_get_filter(self.keep());
            UnionSet::own(&self.ctx, "isl_schedule_node_filter_get_filter", filter)
        }
    }

    /// The whole order of the subtree as a flat map.
    pub fn subtree_order(&self) -> Result<UnionMap> {
        // SAFETY: the node is live and kept; the map is handed over.
        unsafe {
            let order = raw::isl_schedule_node_get_subtree_schedule_union_map(self.keep());
            UnionMap::own(&self.ctx, "isl_schedule_node_get_subtree_schedule_union_map", order)
        }
    }

    /// A band's functions as a map.
    pub fn band_functions(&self) -> Result<UnionMap> {
        // SAFETY: the node is live and kept; isl checks that it is a band; the map is handed over.
        unsafe {
            let functions = raw::isl_schedule_node_band_get_partial_schedule_union_map(self.keep());
            UnionMap::own(&self.ctx, "isl_schedule_node_band_get_partial_schedule_union_map", functions)
        }
    }

    /// Number of a band's functions.
    pub fn band_members(&self) -> Result<usize> {
        // SAFETY: the node is live and kept; isl checks that it is a band.
        let size = unsafe { raw::isl_schedule_node_band_n_member(self.keep()) };
        self.ctx.count("isl_schedule_node_band_n_member", size)
    }

    /// Whether the band's functions may be interchanged, and so tiled.
    pub fn band_permutable(&self) -> Result<bool> {
        // SAFETY: the node is live and kept; isl checks that it is a band.
        let answer = unsafe { raw::isl_schedule_node_band_get_permutable(self.keep()) };
        self.ctx.truth("isl_schedule_node_band_get_permutable", answer)
    }

    /// Whether every dependence of the band has distance 0 in this function.
    pub fn band_coincident(&self, member: usize) -> Result<bool> {
        // SAFETY: the node is live and kept; isl checks that it is a band and the position.
        let answer = unsafe { raw::isl_schedule_node_band_member_get_coincident(self.keep(), member as i32) };
        self.ctx.truth("isl_schedule_node_band_member_get_coincident", answer)
    }
}
