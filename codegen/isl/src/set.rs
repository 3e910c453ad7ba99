//! Sets in one space, and piecewise affine expressions.
#![allow(unsafe_code)]

use crate::{Result, object::c_text, raw};

object! {
    /// A set of integer points of one space, or of parameter values.
    Set(isl_set), isl_set_copy, isl_set_free
}
prints! { Set, isl_set_to_str }
parses! { Set, isl_set_read_from_str }
algebra! { Set: isl_set_intersect, isl_set_union, isl_set_subtract, isl_set_is_empty, isl_set_is_equal, isl_set_is_subset }
operations! { Set:
    /// The parameter values for which there is a point.
    params = isl_set_params() -> Set;
    /// The points whose parameters are in `context`.
    intersect_params = isl_set_intersect_params(context: Set) -> Set;
    /// The same points without parameters: those that exist for some parameter values.
    without_params = isl_set_project_out_all_params() -> Set;
    /// The same points with all coordinates in one unnamed tuple, if they are pairs.
    flatten = isl_set_flatten() -> Set;
    /// The same set with an unnamed tuple.
    unnamed = isl_set_reset_tuple_id() -> Set;
}

object! {
    /// A piecewise affine expression over the parameters; undefined outside its pieces.
    PwAff(isl_pw_aff), isl_pw_aff_copy, isl_pw_aff_free
}
prints! { PwAff, isl_pw_aff_to_str }
operations! { PwAff:
    /// Where it has a value.
    domain = isl_pw_aff_domain() -> Set;
    /// The pairs of nothing and its value.
    graph = isl_set_from_pw_aff() -> Set;
}

impl Set {
    /// Number of dimensions.
    pub fn dimensions(&self) -> Result<usize> {
        // SAFETY: the set is live and only looked at.
        let size = unsafe { raw::isl_set_dim(self.keep(), raw::isl_dim_type_isl_dim_set) };
        self.ctx.count("isl_set_dim", size)
    }

    /// Number of convex pieces.
    pub fn pieces(&self) -> Result<usize> {
        // SAFETY: the set is live and only looked at.
        let size = unsafe { raw::isl_set_n_basic_set(self.keep()) };
        self.ctx.count("isl_set_n_basic_set", size)
    }

    /// The tuple name, if any.
    pub fn name(&self) -> Option<String> {
        // SAFETY: the set is live; isl's string lives as long and is copied at once.
        unsafe {
            let name = raw::isl_set_get_tuple_name(self.keep());
            (!name.is_null()).then(|| std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned())
        }
    }

    /// The same points with a new tuple name.
    pub fn named(&self, name: &str) -> Result<Set> {
        let name = c_text(name);
        // SAFETY: isl takes the reference made here and copies the name; the result is handed over.
        unsafe {
            Set::own(&self.ctx, "isl_set_set_tuple_name", raw::isl_set_set_tuple_name(self.give(), name.as_ptr()))
        }
    }

    /// The dimensions as parameters of these names: the condition for a point to be in the set.
    pub fn as_condition(&self, names: &[String]) -> Result<Set> {
        let moved = self.with_parameters(names)?;
        // SAFETY: isl takes the reference made here; the result is handed over.
        unsafe { Set::own(&self.ctx, "isl_set_params", raw::isl_set_params(moved.give())) }
    }

    /// The first dimensions as parameters of these names.
    pub fn with_parameters(&self, names: &[String]) -> Result<Set> {
        // SAFETY: isl takes references made for it, copies the names and passes null on as failure; the result is
        // handed over.
        unsafe {
            let mut set = self.give();
            for (at, name) in names.iter().enumerate() {
                let name = c_text(name);
                set = raw::isl_set_set_dim_name(set, raw::isl_dim_type_isl_dim_set, at as u32, name.as_ptr());
            }
            let (from, to) = (raw::isl_dim_type_isl_dim_set, raw::isl_dim_type_isl_dim_param);
            set = raw::isl_set_move_dims(set, to, 0, from, 0, names.len() as u32);
            Set::own(&self.ctx, "isl_set_move_dims", set)
        }
    }

    /// The points of a set without parameters, in no order; nothing when there are more than `most`, or infinitely
    /// many.
    pub fn points(&self, most: usize) -> Result<Option<Vec<Vec<i64>>>> {
        // SAFETY: the set is live and only looked at.
        if unsafe { raw::isl_set_is_bounded(self.keep()) } != raw::isl_bool_isl_bool_true {
            return Ok(None);
        }
        let mut found = Found { dimensions: self.dimensions()?, most, points: Vec::new() };
        // SAFETY: the set is live; `Found` outlives the call, which is the only one that uses its address.
        let status = unsafe { raw::isl_set_foreach_point(self.keep(), Some(collect), (&raw mut found).cast()) };
        if status == raw::isl_stat_isl_stat_ok {
            Ok(Some(found.points))
        } else if found.points.len() == most {
            Ok(None)
        } else {
            Err(self.ctx.error("isl_set_foreach_point"))
        }
    }

    /// The value of a dimension, if it is one constant over the set and fits.
    pub fn fixed(&self, dimension: usize) -> Option<i64> {
        // SAFETY: the set is live and only looked at; the value is handed over.
        unsafe {
            let kind = raw::isl_dim_type_isl_dim_set;
            crate::object::take_number(raw::isl_set_plain_get_val_if_fixed(self.keep(), kind, dimension as u32))
        }
    }

    /// The range of a dimension of a set without parameters; `None` if it is unbounded, empty or too large.
    pub fn integer_range(&self, dimension: usize) -> Result<Option<(i64, i64)>> {
        let (least, greatest) = self.integer_ends(dimension)?;
        Ok(least.zip(greatest))
    }

    /// The least and the greatest value of a dimension of a set without parameters, each if it exists and is not too large.
    pub fn integer_ends(&self, dimension: usize) -> Result<(Option<i64>, Option<i64>)> {
        // SAFETY: isl takes the references made here and checks the position.
        unsafe {
            let least = raw::isl_set_dim_min_val(self.give(), dimension as i32);
            Ok((self.number(least)?, self.number(raw::isl_set_dim_max_val(self.give(), dimension as i32))?))
        }
    }

    /// Converts and frees a value.
    ///
    /// # Safety
    /// `value` is null or a value that the caller owns and hands over.
    unsafe fn number(&self, value: *mut raw::isl_val) -> Result<Option<i64>> {
        if value.is_null() {
            return Err(self.ctx.error("isl_set_dim_val"));
        }
        // SAFETY: the value is owned here and freed once; only a whole number is asked for its numerator.
        unsafe {
            let whole = raw::isl_val_is_int(value) == raw::isl_bool_isl_bool_true;
            let number =
                (whole && raw::isl_val_n_abs_num_chunks(value, 8) <= 1).then(|| raw::isl_val_get_num_si(value));
            raw::isl_val_free(value);
            Ok(number)
        }
    }
}

/// The points that [`Set::points`] has found so far.
struct Found {
    dimensions: usize,
    most: usize,
    points: Vec<Vec<i64>>,
}

/// Adds a point; an error ends the walk.
///
/// # Safety
/// isl hands a point over, together with the address of the `Found` that it was given.
unsafe extern "C" fn collect(point: *mut raw::isl_point, found: *mut std::ffi::c_void) -> raw::isl_stat {
    // SAFETY: by the contract above; nobody else uses the value during the walk.
    let found = unsafe { &mut *found.cast::<Found>() };
    let coordinate = |k: usize| {
        // SAFETY: the point is live and has that many dimensions; the value is freed here once.
        unsafe {
            let value = raw::isl_point_get_coordinate_val(point, raw::isl_dim_type_isl_dim_set, k as i32);
            let number = raw::isl_val_get_num_si(value);
            raw::isl_val_free(value);
            number
        }
    };
    let coordinates = (0..found.dimensions).map(coordinate).collect();
    // SAFETY: the point was handed over.
    unsafe { raw::isl_point_free(point) };
    if found.points.len() == found.most {
        return raw::isl_stat_isl_stat_error;
    }
    found.points.push(coordinates);
    raw::isl_stat_isl_stat_ok
}
