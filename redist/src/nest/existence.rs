//! Existence: the elements of a source as conditions on t and the parameters, and when a target misses elements.
//!
//! The variables of a dimension are projected out exactly (see [`project`]). Without an exact projection the answer is
//! `None`, and the caller counts in the plan for given parameters.

use crate::distribution::case::Case;
use crate::distribution::{Bound, Dimension, Distribution};
use crate::error::{Error, Result};
use crate::integer::affine::{AffineForm, project};
use crate::integer::isolve::{divisor, isolve};
use crate::integer::omega::{Piece, project_exactly};

/// The elements in one dimension of a side: t with `t - offset` divisible by `divisor` and all rows >= 0. The only
/// counter of the rows is t; the parameters are the case's, ascending by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The greatest common divisor of the coefficients; 0: only the element `offset`.
    pub divisor: i64,
    /// The origin, over the parameters.
    pub offset: AffineForm,
    /// The other conditions.
    pub rows: Vec<AffineForm>,
}

impl Held {
    /// Whether the side holds element `t` for these parameter values.
    pub fn holds(&self, t: i64, parameters: &[i64]) -> bool {
        let rest = i128::from(t) - self.offset.value(&[t], parameters);
        let fits = if self.divisor == 0 { rest == 0 } else { rest % i128::from(self.divisor) == 0 };
        fits && self.rows.iter().all(|r| r.value(&[t], parameters) >= 0)
    }
}

/// The exact elements in a dimension of a distribution: t such that u with `t = offset + divisor * u` is an integer in
/// one of the systems, whose only counter is u.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Members {
    /// The greatest common divisor of the coefficients; 0: at most the element `offset`.
    pub divisor: i64,
    /// The origin, over the parameters.
    pub offset: AffineForm,
    /// The systems over u and the parameters.
    pub systems: Vec<Piece>,
}

impl Members {
    /// Whether the dimension holds element `t` for these parameter values.
    pub fn holds(&self, t: i64, parameters: &[i64]) -> bool {
        let rest = i128::from(t) - self.offset.value(&[0], parameters);
        let u = if self.divisor == 0 { 0 } else { rest / i128::from(self.divisor) };
        let Some(u) = crate::integer::number::narrow(u) else { return false };
        i128::from(u) * i128::from(self.divisor) == rest && self.systems.iter().any(|p| p.holds(&[u], parameters))
    }
}

/// The elements in a dimension of a distribution, for any coefficients; `None` if bounds use other dimensions, or there
/// would be too many systems.
pub fn members(distribution: &Distribution, dimension: usize, parameters: &[String]) -> Result<Option<Members>> {
    let own = &distribution.dimensions[dimension];
    let Some((divisor, free, rows)) = bounds_in_u(own, parameters)? else { return Ok(None) };
    let mut systems = vec![Piece::new(rows)];
    for k in (1..=free).rev() {
        let Some(next) = project_exactly(&systems, k)? else { return Ok(None) };
        systems = next;
    }
    for row in systems.iter_mut().flat_map(|p| p.rows.iter_mut().chain(p.congruences.iter_mut().map(|c| &mut c.0))) {
        row.counter.truncate(1);
    }
    Ok(Some(Members { divisor, offset: parameters_form(own, parameters)?, systems }))
}

/// The elements in a dimension as one system; `None` if the projection is not exact, or bounds use other dimensions.
pub fn held(distribution: &Distribution, dimension: usize, parameters: &[String]) -> Result<Option<Held>> {
    let own = &distribution.dimensions[dimension];
    let Some((g, free, mut rows)) = bounds_in_u(own, parameters)? else { return Ok(None) };
    for k in (1..=free).rev() {
        let Some(next) = project(&rows, k) else { return Ok(None) };
        rows = next;
    }
    let offset = parameters_form(own, parameters)?;
    let in_t = |r: &AffineForm| -> Result<AffineForm> {
        // g * row(u) with u = (t - offset) / g.
        let mut own = AffineForm { counter: vec![0], ..r.clone() }.times(g.max(1))?;
        if g != 0 {
            let mut t = AffineForm { counter: vec![1], ..AffineForm::constant(1, parameters.len(), 0) };
            t = t.plus(-1, &offset)?;
            own = own.plus(r.counter[0], &t)?;
        }
        Ok(own.tightened())
    };
    let rows = rows.iter().map(in_t).collect::<Result<Vec<_>>>()?;
    Ok(Some(Held { divisor: g, offset, rows }))
}

/// The divisor of a dimension's coefficients, the number of its free variables, and its bounds as rows over the
/// counters u with `t = offset + divisor * u` and then the free variables; `None` if a bound uses another dimension.
fn bounds_in_u(own: &Dimension, parameters: &[String]) -> Result<Option<(i64, usize, Vec<AffineForm>)>> {
    let delta: Vec<i64> = own.variables.iter().map(|v| v.coef).collect();
    let g = divisor(&delta);
    let free = delta.len() - usize::from(g != 0);
    let names: Vec<&str> = own.variables.iter().map(|v| v.name.as_str()).collect();
    let mut u = AffineForm::constant(1 + free, parameters.len(), 0);
    u.counter[0] = 1;
    let x = isolve(&delta, &u, |i| i + 1)?.x;
    let mut rows = Vec::new();
    for (i, v) in own.variables.iter().enumerate() {
        for (bounds, sign) in [(&v.lower, 1), (&v.upper, -1)] {
            for b in bounds {
                let Some(form) = form(b, &names, &x, parameters)? else { return Ok(None) };
                rows.push(form.times(-1)?.plus(b.divisor, &x[i])?.times(sign)?);
            }
        }
    }
    Ok(Some((g, free, rows)))
}

/// A bound's form; `None` if it uses a variable of another dimension.
fn form(b: &Bound, names: &[&str], x: &[AffineForm], parameters: &[String]) -> Result<Option<AffineForm>> {
    let counters = x.first().map_or(0, |r| r.counter.len());
    let mut row = AffineForm::constant(counters, parameters.len(), b.affine.constant);
    for (name, c) in &b.affine.terms {
        if let Some(i) = names.iter().position(|n| n == name) {
            row = row.plus(*c, &x[i])?;
        } else if let Some(p) = parameters.iter().position(|n| n == name) {
            row.parameter[p] += c;
        } else {
            return Ok(None);
        }
    }
    Ok(Some(row))
}

fn parameters_form(d: &Dimension, parameters: &[String]) -> Result<AffineForm> {
    let mut row = AffineForm::constant(1, parameters.len(), d.offset.constant);
    for (name, c) in &d.offset.terms {
        let p = parameters.iter().position(|n| n == name);
        let p = p.ok_or_else(|| Error::new("offset", format!("unknown name '{name}'"), "give it a value"))?;
        row.parameter[p] += c;
    }
    Ok(row)
}

/// The parameter values for which a dimension of the target misses elements: those for which one of the systems holds
/// (all rows >= 0; rows use parameters only). No system: never. `None`: not known symbolically.
pub fn missing(case: &Case, dimension: usize) -> Result<Option<Vec<Vec<AffineForm>>>> {
    case.check()?;
    let parameters: Vec<String> = case.parameters.keys().cloned().collect();
    let (Some(source), Some(target)) =
        (held(&case.source, dimension, &parameters)?, held(&case.target, dimension, &parameters)?)
    else {
        return Ok(None);
    };
    // The congruences must agree, so that comparing intervals suffices.
    let apart = source.offset.plus(-1, &target.offset)?;
    let coarse = source.divisor > 1 || source.divisor == 0;
    let agree = apart.is_constant()
        && source.divisor != 0
        && target.divisor % source.divisor == 0
        && apart.constant % source.divisor == 0;
    if coarse && !agree {
        return Ok(None);
    }
    // t = target.offset + target.divisor * u: conditions over u.
    let g = target.divisor;
    let in_u = |r: &AffineForm| -> Result<AffineForm> {
        let c = r.counter[0];
        let own = AffineForm { counter: vec![0], ..r.clone() }.plus(c, &target.offset)?;
        let mut u = AffineForm::constant(1, parameters.len(), 0);
        u.counter[0] = g;
        Ok(own.plus(c, &u)?.tightened())
    };
    let inside = target.rows.iter().map(in_u).collect::<Result<Vec<_>>>()?;
    let mut systems = Vec::new();
    for row in &source.rows {
        // row < 0 is -row - 1 >= 0.
        let below = AffineForm::constant(1, parameters.len(), -1).plus(-1, row)?;
        let mut rows = inside.clone();
        rows.push(in_u(&below)?);
        let Some(rows) = project(&rows, 0) else { return Ok(None) };
        if rows.iter().all(|r| !r.is_constant() || r.constant >= 0) {
            systems.push(rows.into_iter().filter(|r| !r.is_constant()).collect());
        }
    }
    Ok(Some(systems))
}
