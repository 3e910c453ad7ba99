//! Maps between two spaces.
#![allow(unsafe_code)]

use crate::{Result, Set, object::c_text, raw};

object! {
    /// A relation between the points of two spaces.
    Map(isl_map), isl_map_copy, isl_map_free
}
prints! { Map, isl_map_to_str }
parses! { Map, isl_map_read_from_str }
algebra! { Map: isl_map_intersect, isl_map_union, isl_map_subtract, isl_map_is_empty, isl_map_is_equal, isl_map_is_subset }
operations! { Map:
    /// The inverse relation.
    reverse = isl_map_reverse() -> Map;
    /// The points that have an image.
    domain = isl_map_domain() -> Set;
    /// The points that are images.
    range = isl_map_range() -> Set;
    /// Composition: first this map, then `next`.
    apply_range = isl_map_apply_range(next: Map) -> Map;
    /// The pairs whose first point is in `set`.
    intersect_domain = isl_map_intersect_domain(set: Set) -> Map;
    /// The pairs whose second point is in `set`.
    intersect_range = isl_map_intersect_range(set: Set) -> Map;
    /// The pairs whose parameters are in `context`.
    intersect_params = isl_map_intersect_params(context: Set) -> Map;
    /// The pairs as points with the coordinates of both.
    wrap = isl_map_wrap() -> Set;
    /// Second point minus first point.
    deltas = isl_map_deltas() -> Set;
}
operations! { Set:
    /// The image under `map`.
    apply = isl_set_apply(map: Map) -> Set;
}
questions! { Map:
    /// Whether each point has at most one image.
    is_single_valued = isl_map_is_single_valued();
}

/// One end of a map.
#[derive(Clone, Copy)]
enum End {
    In,
    Out,
}

impl End {
    fn raw(self) -> raw::isl_dim_type {
        match self {
            End::In => raw::isl_dim_type_isl_dim_in,
            End::Out => raw::isl_dim_type_isl_dim_out,
        }
    }
}

impl Map {
    /// Number of dimensions of the first space.
    pub fn inputs(&self) -> Result<usize> {
        self.dimensions(End::In)
    }

    /// Number of dimensions of the second space.
    pub fn outputs(&self) -> Result<usize> {
        self.dimensions(End::Out)
    }

    fn dimensions(&self, end: End) -> Result<usize> {
        // SAFETY: the map is live and only looked at.
        let size = unsafe { raw::isl_map_dim(self.keep(), end.raw()) };
        self.ctx.count("isl_map_dim", size)
    }

    /// The tuple name of the first space, if any.
    pub fn input_name(&self) -> Option<String> {
        self.tuple_name(End::In)
    }

    /// The tuple name of the second space, if any.
    pub fn output_name(&self) -> Option<String> {
        self.tuple_name(End::Out)
    }

    fn tuple_name(&self, end: End) -> Option<String> {
        // SAFETY: the map is live; isl's string lives as long and is copied at once.
        unsafe {
            let name = raw::isl_map_get_tuple_name(self.keep(), end.raw());
            (!name.is_null()).then(|| std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// The same map with a new tuple name for the first space.
    pub fn named_input(&self, name: &str) -> Result<Map> {
        let name = c_text(name);
        // SAFETY: isl takes the reference made here and copies the name; the result is handed over.
        unsafe {
            let map = raw::isl_map_set_tuple_name(self.give(), End::In.raw(), name.as_ptr());
            Map::own(&self.ctx, "isl_map_set_tuple_name", map)
        }
    }

    /// The same map with a new tuple name for the second space.
    pub fn named_output(&self, name: &str) -> Result<Map> {
        let name = c_text(name);
        // SAFETY: isl takes the reference made here and copies the name; the result is handed over.
        unsafe {
            let map = raw::isl_map_set_tuple_name(self.give(), End::Out.raw(), name.as_ptr());
            Map::own(&self.ctx, "isl_map_set_tuple_name", map)
        }
    }

    /// The same map without `count` dimensions of the second space from `at` on.
    pub fn drop_outputs(&self, at: usize, count: usize) -> Result<Map> {
        // SAFETY: isl takes the reference made here and checks the range; the result is handed over.
        unsafe {
            let map = raw::isl_map_project_out(self.give(), End::Out.raw(), at as u32, count as u32);
            Map::own(&self.ctx, "isl_map_project_out", map)
        }
    }

    /// Number of convex pieces in the map's representation.
    pub fn pieces(&self) -> Result<usize> {
        // SAFETY: the map is live and only looked at.
        let size = unsafe { raw::isl_map_n_basic_map(self.keep()) };
        self.ctx.count("isl_map_n_basic_map", size)
    }

    /// The convex pieces, each as a map; they may overlap.
    pub fn convex(&self) -> Result<Vec<Map>> {
        // SAFETY: the list is owned here, only looked at, and freed at the end; its members are handed over.
        unsafe {
            let list = raw::isl_map_get_basic_map_list(self.keep());
            let size = self.ctx.count("isl_map_get_basic_map_list", raw::isl_basic_map_list_size(list));
            let piece = |at| {
                let piece = raw::isl_map_from_basic_map(raw::isl_basic_map_list_get_at(list, at as i32));
                Map::own(&self.ctx, "isl_map_from_basic_map", piece)
            };
            let pieces = size.and_then(|count| (0..count).map(piece).collect());
            raw::isl_basic_map_list_free(list);
            pieces
        }
    }

    /// The value of a dimension of the second space, if it is an explicit constant that fits.
    pub fn fixed_output(&self, dimension: usize) -> Option<i64> {
        // SAFETY: the map is live and only looked at; the value is handed over.
        unsafe {
            crate::object::take_number(raw::isl_map_plain_get_val_if_fixed(
                self.keep(),
                End::Out.raw(),
                dimension as u32,
            ))
        }
    }

    /// The pairs whose second point has `value` at dimension `at`.
    pub fn fix_output(&self, at: usize, value: i32) -> Result<Map> {
        // SAFETY: isl takes the reference made here and checks the position; the result is handed over.
        unsafe {
            let map = raw::isl_map_fix_si(self.give(), End::Out.raw(), at as u32, value);
            Map::own(&self.ctx, "isl_map_fix_si", map)
        }
    }

    /// The same map with an unnamed second tuple.
    pub fn unnamed_output(&self) -> Result<Map> {
        // SAFETY: isl takes the reference made here; the result is handed over.
        unsafe {
            let map = raw::isl_map_reset_tuple_id(self.give(), End::Out.raw());
            Map::own(&self.ctx, "isl_map_reset_tuple_id", map)
        }
    }

    /// The same map with `count` zero dimensions appended to the second space.
    pub fn add_zero_outputs(&self, count: usize) -> Result<Map> {
        let at = self.outputs()?;
        // SAFETY: isl takes the reference made here; the result is handed over.
        let mut map = unsafe {
            let map = raw::isl_map_add_dims(self.give(), End::Out.raw(), count as u32);
            Map::own(&self.ctx, "isl_map_add_dims", map)?
        };
        for k in 0..count {
            map = map.fix_output(at + k, 0)?;
        }
        Ok(map)
    }
}
