//! Maps between any number of spaces: schedules, accesses and dependences of several statements.
#![allow(unsafe_code)]

use crate::{Map, Result, Set, UnionSet, raw};

object! {
    /// A relation between points of any number of spaces.
    UnionMap(isl_union_map), isl_union_map_copy, isl_union_map_free
}
object! {
    /// A tuple of functions of points of any number of spaces.
    Functions(isl_multi_union_pw_aff), isl_multi_union_pw_aff_copy, isl_multi_union_pw_aff_free
}
prints! { UnionMap, isl_union_map_to_str }
parses! { UnionMap, isl_union_map_read_from_str }
algebra! { UnionMap: isl_union_map_intersect, isl_union_map_union, isl_union_map_subtract,
isl_union_map_is_empty, isl_union_map_is_equal, isl_union_map_is_subset }
operations! { UnionMap:
    /// The inverse relation.
    reverse = isl_union_map_reverse() -> UnionMap;
    /// The points that have an image.
    domain = isl_union_map_domain() -> UnionSet;
    /// The points that are images.
    range = isl_union_map_range() -> UnionSet;
    /// Composition: first this map, then `next`.
    apply_range = isl_union_map_apply_range(next: UnionMap) -> UnionMap;
    /// Replaces each first point by its images under `map`.
    apply_domain = isl_union_map_apply_domain(map: UnionMap) -> UnionMap;
    /// The pairs whose first point is in `set`.
    intersect_domain = isl_union_map_intersect_domain(set: UnionSet) -> UnionMap;
    /// The pairs whose second point is in `set`.
    intersect_range = isl_union_map_intersect_range(set: UnionSet) -> UnionMap;
    /// The pairs whose parameters are in `context`.
    intersect_params = isl_union_map_intersect_params(context: Set) -> UnionMap;
    /// Second point minus first point, for pairs within one space.
    deltas = isl_union_map_deltas() -> UnionSet;
    /// Maps each point to both images, concatenated in one flat tuple.
    flat_range_product = isl_union_map_flat_range_product(other: UnionMap) -> UnionMap;
    /// Each `a -> [b -> c]` as `[a -> b] -> c`.
    uncurry = isl_union_map_uncurry() -> UnionMap;
    /// Each `[a -> b] -> c` as `a -> c`.
    of_first = isl_union_map_domain_factor_domain() -> UnionMap;
    /// Each `[a -> b] -> c` as `b -> c`.
    of_second = isl_union_map_domain_factor_range() -> UnionMap;
    /// Each pair as one point.
    wrap = isl_union_map_wrap() -> UnionSet;
    /// The pairs of points where the first has the lexicographically smaller image; `other` gives the second's image.
    lex_lt = isl_union_map_lex_lt_union_map(other: UnionMap) -> UnionMap;
}
operations! { UnionMap:
    /// The map as a tuple of functions, if it is one.
    functions = isl_multi_union_pw_aff_from_union_map() -> Functions;
    /// The pairs whose points have equal values.
    equal_at = isl_union_map_eq_at_multi_union_pw_aff(functions: Functions) -> UnionMap;
    /// The pairs whose first point has the lexicographically smaller values.
    increasing_at = isl_union_map_lex_lt_at_multi_union_pw_aff(functions: Functions) -> UnionMap;
    /// The pairs whose first point has the lexicographically greater values.
    decreasing_at = isl_union_map_lex_gt_at_multi_union_pw_aff(functions: Functions) -> UnionMap;
}
operations! { UnionSet:
    /// The image under `map`.
    apply = isl_union_set_apply(map: UnionMap) -> UnionSet;
    /// Maps each point to itself.
    identity = isl_union_set_identity() -> UnionMap;
    /// The points that are pairs, as a relation.
    unwrap = isl_union_set_unwrap() -> UnionMap;
    /// All pairs of a point of this set and a point of `other`.
    pairs = isl_union_map_from_domain_and_range(other: UnionSet) -> UnionMap;
}
questions! { UnionMap:
    /// Whether each point has at most one image.
    is_single_valued = isl_union_map_is_single_valued();
}

impl Functions {
    /// The function at one place of the tuple.
    pub fn at(&self, place: usize) -> Result<Functions> {
        // SAFETY: the tuple is live and kept; isl checks the place; the function is handed on, the result handed over.
        unsafe {
            let function = raw::isl_multi_union_pw_aff_get_union_pw_aff(self.keep(), place as i32);
            let alone = raw::isl_multi_union_pw_aff_from_union_pw_aff(function);
            Functions::own(&self.ctx, "isl_multi_union_pw_aff_from_union_pw_aff", alone)
        }
    }
}

impl UnionMap {
    /// The map as a union.
    pub fn from_map(map: &Map) -> Result<UnionMap> {
        // SAFETY: isl takes the reference made here; the result is handed over.
        unsafe { UnionMap::own(map.ctx(), "isl_union_map_from_map", raw::isl_union_map_from_map(map.give())) }
    }

    /// The maps of the union, one per pair of spaces, sorted by their tuple names.
    pub fn maps(&self) -> Result<Vec<Map>> {
        // SAFETY: the list is owned here, only looked at, and freed at the end; its members are handed over.
        unsafe {
            let list = raw::isl_union_map_get_map_list(self.keep());
            let size = self.ctx.count("isl_union_map_get_map_list", raw::isl_map_list_size(list));
            let members = size.and_then(|n| {
                (0..n)
                    .map(|i| Map::own(&self.ctx, "isl_map_list_get_at", raw::isl_map_list_get_at(list, i as i32)))
                    .collect()
            });
            raw::isl_map_list_free(list);
            let mut members: Vec<Map> = members?;
            members.sort_by_cached_key(|map| (map.input_name(), map.output_name()));
            Ok(members)
        }
    }

    /// Applies `change` to each of the maps, one per pair of spaces, and unites the results.
    pub fn map_each(&self, mut change: impl FnMut(&Map) -> Result<Map>) -> Result<UnionMap> {
        let mut all = UnionMap::parse(&self.ctx, "{ }")?;
        for map in self.maps()? {
            all = all.union(&UnionMap::from_map(&change(&map)?)?)?;
        }
        Ok(all)
    }
}
