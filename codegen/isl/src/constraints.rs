//! Convex sets as lists of affine constraints.
#![allow(unsafe_code)]

use crate::{Error, Result, Set, object::take_number, raw};
use std::fmt::{self, Write};

/// An affine expression that is not negative on a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The parameters with their factors, which are not 0.
    pub parameters: Vec<(String, i64)>,
    /// By dimension of the set: its factor.
    pub coordinates: Vec<i64>,
    /// What is added.
    pub constant: i64,
}

impl Constraint {
    /// The expression with these names for the dimensions, as isl reads it.
    pub fn text(&self, names: &[String]) -> String {
        let mut text = self.constant.to_string();
        let own = self.coordinates.iter().zip(names).map(|(factor, name)| (name, factor));
        for (name, factor) in self.parameters.iter().map(|(name, factor)| (name, factor)).chain(own) {
            if *factor != 0 {
                let _ = write!(text, " + {factor} * {name}");
            }
        }
        text
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = (0..self.coordinates.len()).map(|k| format!("c{k}")).collect();
        write!(f, "{} >= 0", self.text(&names))
    }
}

impl Set {
    /// The constraints of a convex set around the points; a condition that has divisions is left out.
    pub fn hull_constraints(&self) -> Result<Vec<Constraint>> {
        let hull = self.simple_hull()?;
        let all = hull.rows()?;
        // Only what holds counts: each constraint is tested on the points themselves.
        if self.is_subset(&self.with_all(&all)?)? { Ok(all) } else { Err(Error::unfaithful()) }
    }

    /// The constraints of a convex set without divisions; nothing if it is none.
    pub fn convex_constraints(&self) -> Result<Option<Vec<Constraint>>> {
        if self.pieces()? != 1 {
            return Ok(None);
        }
        let all = self.simple_hull()?.rows()?;
        Ok(if self.is_equal(&self.with_all(&all)?)? { Some(all) } else { None })
    }

    /// All points of the space for which the constraints hold.
    fn with_all(&self, all: &[Constraint]) -> Result<Set> {
        let names: Vec<String> = (0..self.dimensions()?).map(|k| format!("c{k}")).collect();
        let parameters: Vec<String> = self.parameter_names()?;
        let space =
            format!("[{}] -> {{ {}[{}]", parameters.join(", "), self.name().unwrap_or_default(), names.join(", "));
        let conditions: Vec<String> = all.iter().map(|row| format!("{} >= 0", row.text(&names))).collect();
        let conditions = if conditions.is_empty() { String::new() } else { format!(" : {}", conditions.join(" and ")) };
        Set::parse(self.ctx(), &format!("{space}{conditions} }}"))
    }

    /// The first `count` coordinates of the points.
    pub fn first_dimensions(&self, count: usize) -> Result<Set> {
        let rest = self.dimensions()?.saturating_sub(count);
        // SAFETY: isl takes the reference made here and checks the range; the result is handed over.
        unsafe {
            let kind = raw::isl_dim_type_isl_dim_set;
            let set = raw::isl_set_project_out(self.give(), kind, count as u32, rest as u32);
            Set::own(self.ctx(), "isl_set_project_out", set)
        }
    }

    /// The names of the parameters.
    pub fn parameter_names(&self) -> Result<Vec<String>> {
        let kind = raw::isl_dim_type_isl_dim_param;
        // SAFETY: the set is live and only looked at; isl's strings live as long and are copied at once.
        unsafe {
            let count = self.ctx().count("isl_set_dim", raw::isl_set_dim(self.keep(), kind))?;
            let name = |at: usize| {
                let name = raw::isl_set_get_dim_name(self.keep(), kind, at as u32);
                (!name.is_null()).then(|| std::ffi::CStr::from_ptr(name).to_string_lossy().into_owned())
            };
            Ok((0..count).filter_map(name).collect())
        }
    }

    /// The rows of isl's matrices of a set of one piece, of which those without divisions are taken.
    fn rows(&self) -> Result<Vec<Constraint>> {
        let (names, dimensions) = (self.parameter_names()?, self.dimensions()?);
        let mut all = Vec::new();
        let (one, set) = (raw::isl_dim_type_isl_dim_cst, raw::isl_dim_type_isl_dim_set);
        let (parameter, division) = (raw::isl_dim_type_isl_dim_param, raw::isl_dim_type_isl_dim_div);
        // SAFETY: isl takes the reference made here; each matrix and the piece are freed once; elements are within.
        unsafe {
            let piece = raw::isl_set_simple_hull(self.give());
            for equal in [true, false] {
                let matrix = if equal {
                    raw::isl_basic_set_equalities_matrix(piece, one, parameter, set, division)
                } else {
                    raw::isl_basic_set_inequalities_matrix(piece, one, parameter, set, division)
                };
                let (rows, columns) = (raw::isl_mat_rows(matrix), raw::isl_mat_cols(matrix));
                for row in 0..rows {
                    let element = |column: i32| take_number(raw::isl_mat_get_element_val(matrix, row, column));
                    let numbers: Option<Vec<i64>> = (0..columns).map(element).collect();
                    if let Some(row) = numbers.and_then(|row| constraint(&row, &names, dimensions)) {
                        all.extend(equal.then(|| negated(&row)));
                        all.push(row);
                    }
                }
                raw::isl_mat_free(matrix);
                if rows < 0 {
                    raw::isl_basic_set_free(piece);
                    return Err(self.ctx().error("isl_basic_set_inequalities_matrix"));
                }
            }
            raw::isl_basic_set_free(piece);
        }
        Ok(all)
    }
}

/// A row without divisions.
fn constraint(row: &[i64], names: &[String], dimensions: usize) -> Option<Constraint> {
    let (constant, rest) = row.split_first()?;
    let (parameters, rest) = rest.split_at_checked(names.len())?;
    let (coordinates, divisions) = rest.split_at_checked(dimensions)?;
    let used = names.iter().zip(parameters).filter(|(_, factor)| **factor != 0);
    divisions.iter().all(|factor| *factor == 0).then(|| Constraint {
        parameters: used.map(|(name, factor)| (name.clone(), *factor)).collect(),
        coordinates: coordinates.to_vec(),
        constant: *constant,
    })
}

fn negated(row: &Constraint) -> Constraint {
    Constraint {
        parameters: row.parameters.iter().map(|(name, factor)| (name.clone(), -factor)).collect(),
        coordinates: row.coordinates.iter().map(|factor| -factor).collect(),
        constant: -row.constant,
    }
}
