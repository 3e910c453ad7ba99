//! Sets of points of several spaces, such as the instances of several statements.
#![allow(unsafe_code)]

use crate::{Result, Set, raw};

object! {
    /// A set of integer points of any number of spaces.
    UnionSet(isl_union_set), isl_union_set_copy, isl_union_set_free
}
prints! { UnionSet, isl_union_set_to_str }
parses! { UnionSet, isl_union_set_read_from_str }
algebra! { UnionSet: isl_union_set_intersect, isl_union_set_union, isl_union_set_subtract,
isl_union_set_is_empty, isl_union_set_is_equal, isl_union_set_is_subset }
operations! { UnionSet:
    /// The parameter values for which there is a point.
    params = isl_union_set_params() -> Set;
    /// The points whose parameters are in `context`.
    intersect_params = isl_union_set_intersect_params(context: Set) -> UnionSet;
}

impl UnionSet {
    /// The set as a union.
    pub fn from_set(set: &Set) -> Result<UnionSet> {
        // SAFETY: isl takes the reference made here; the result is handed over.
        unsafe { UnionSet::own(set.ctx(), "isl_union_set_from_set", raw::isl_union_set_from_set(set.give())) }
    }

    /// The sets of the union, one per space, sorted by their tuple names.
    pub fn sets(&self) -> Result<Vec<Set>> {
        // SAFETY: the list is owned here, only looked at, and freed at the end; its members are handed over.
        unsafe {
            let list = raw::isl_union_set_get_set_list(self.keep());
            let size = self.ctx.count("isl_union_set_get_set_list", raw::isl_set_list_size(list));
            let members = size.and_then(|n| {
                (0..n)
                    .map(|i| Set::own(&self.ctx, "isl_set_list_get_at", raw::isl_set_list_get_at(list, i as i32)))
                    .collect()
            });
            raw::isl_set_list_free(list);
            let mut members: Vec<Set> = members?;
            members.sort_by_cached_key(Set::name);
            Ok(members)
        }
    }
}
