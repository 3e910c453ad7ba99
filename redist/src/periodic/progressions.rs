//! A domain of one dimension as arithmetic progressions of locations along one data variable.

use crate::distribution::domain::{Domain, Form};
use crate::error::Result;
use crate::integer::number::{ceil_div, floor_div, narrow};
use crate::room;

/// More progressions than this are not listed.
const MOST_PROGRESSIONS: i128 = 1 << 16;

/// The locations that differ in one variable only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progression {
    /// The first location.
    pub at: Vec<i64>,
    /// The greatest value of the variable; its least is in `at`.
    pub last: i64,
}

/// All progressions of a domain along one variable.
#[derive(Clone, Debug)]
pub struct Progressions {
    /// The variable.
    pub along: usize,
    /// The progressions that are not empty, in the order of their other coordinates.
    pub list: Vec<Progression>,
}

impl Progressions {
    /// Lists the progressions along each data variable that has a coefficient, where there are few.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn all(domain: &Domain) -> Result<Vec<Self>> {
        let own = (0..domain.len()).filter(|&i| !domain.arch[i] && domain.coef[i] != 0);
        own.filter_map(|i| Self::new(domain, i).transpose()).collect()
    }

    /// How many locations there are.
    pub fn locations(&self) -> i128 {
        self.list.iter().map(|s| i128::from(s.last) - i128::from(s.at[self.along]) + 1).sum()
    }

    /// Lists the progressions along a variable; `None` when there are too many, or numbers leave their range.
    ///
    /// # Errors
    /// [`crate::Error::is_no_memory`].
    pub fn new(domain: &Domain, along: usize) -> Result<Option<Self>> {
        let mut list = Vec::new();
        if domain.empty.is_some() {
            return Ok(Some(Self { along, list }));
        }
        let others: Vec<usize> = (0..domain.len()).filter(|&i| i != along).collect();
        let width = |&i: &usize| i128::from(domain.bounding[i].1) - i128::from(domain.bounding[i].0) + 1;
        let count = others.iter().map(width).try_fold(1_i128, i128::checked_mul);
        let Some(count) = count.filter(|&c| c <= MOST_PROGRESSIONS) else { return Ok(None) };
        let mut at: Vec<i64> = domain.bounding.iter().map(|b| b.0).collect();
        for _ in 0..count {
            let Some((lo, hi)) = span(domain, along, &at) else { return Ok(None) };
            if lo <= hi {
                let (Some(first), Some(last)) = (narrow(lo), narrow(hi)) else { return Ok(None) };
                at[along] = first;
                room::push(&mut list, Progression { at: room::copied(&at)?, last })?;
            }
            for &i in others.iter().rev() {
                at[i] += 1;
                if at[i] <= domain.bounding[i].1 {
                    break;
                }
                at[i] = domain.bounding[i].0;
            }
        }
        Ok(Some(Self { along, list }))
    }
}

/// The range of a variable where the others have the values of `at`: each bound is a linear inequality, whichever
/// variable it is written at, so that the range is an interval.
fn span(domain: &Domain, along: usize, at: &[i64]) -> Option<(i128, i128)> {
    let (mut lo, mut hi) = (i128::from(domain.bounding[along].0), i128::from(domain.bounding[along].1));
    for x in 0..domain.len() {
        let bounds = domain.lower[x].iter().map(|f| (-1, f)).chain(domain.upper[x].iter().map(|f| (1, f)));
        for (sign, form) in bounds {
            // slope * variable + rest >= 0
            let (slope, rest) = inequality(form, x, along, at)?;
            let (slope, rest) = (sign * slope, sign * rest);
            match slope {
                0 if rest < 0 => return Some((0, -1)),
                0 => {}
                1.. => lo = lo.max(ceil_div(-rest, slope)),
                _ => hi = hi.min(floor_div(rest, -slope)),
            }
        }
    }
    Some((lo, hi))
}

/// The form minus divisor * x, as slope * variable + rest.
fn inequality(form: &Form, x: usize, along: usize, at: &[i64]) -> Option<(i128, i128)> {
    let (mut slope, mut rest) = (0_i128, i128::from(form.constant));
    for (k, c) in form.terms.iter().copied().chain([(x, -form.divisor)]) {
        if k == along {
            slope += i128::from(c);
        } else {
            rest = rest.checked_add(i128::from(c) * i128::from(at[k]))?;
        }
    }
    Some((slope, rest))
}
