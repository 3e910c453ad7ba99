//! Distributions: for each array dimension j, `t_j = offset + sum coef_i * a_i` over bounded variables `a_i`.

pub mod case;
pub mod compaction;
pub mod domain;
pub mod json;
pub mod layouts;
pub mod text;

use crate::error::{Error, Result};
use crate::integer::number::{LIMIT, narrow};
use std::collections::{BTreeMap, BTreeSet};

/// Values of the symbolic parameters, by name.
pub type Parameters = BTreeMap<String, i64>;

/// `constant + sum coefficient * name`; a name is a variable of the same distribution or a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Affine {
    /// The constant term.
    pub constant: i64,
    /// The other terms; no name occurs twice.
    pub terms: Vec<(String, i64)>,
}

impl Affine {
    /// A constant form.
    pub fn constant(constant: i64) -> Self {
        Self { constant, terms: Vec::new() }
    }

    /// `self + coefficient * name`.
    #[must_use]
    pub fn plus(mut self, coefficient: i64, name: &str) -> Self {
        self.terms.push((name.to_owned(), coefficient));
        self
    }
}

impl From<i64> for Affine {
    fn from(constant: i64) -> Self {
        Self::constant(constant)
    }
}

/// One bound: `affine / divisor`, rounded up for a lower bound and down for an upper bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The dividend.
    pub affine: Affine,
    /// The divisor, positive.
    pub divisor: i64,
}

impl From<Affine> for Bound {
    fn from(affine: Affine) -> Self {
        Self { affine, divisor: 1 }
    }
}

impl From<i64> for Bound {
    fn from(constant: i64) -> Self {
        Affine::constant(constant).into()
    }
}

/// The kind of place that a variable counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Memories: all architectural variables together name one memory (a PE).
    Arch,
    /// Places inside one memory.
    Data,
}

/// One variable of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name, unique in the distribution.
    pub name: String,
    /// Its coefficient, the stride between successive elements; may be 0 (replication) or negative.
    pub coef: i64,
    /// Lower bounds; their maximum holds.
    pub lower: Vec<Bound>,
    /// Upper bounds (inclusive); their minimum holds.
    pub upper: Vec<Bound>,
    /// Architectural or data.
    pub kind: Kind,
    /// The level of the machine, for example `proc` or `cell`.
    pub level: String,
}

impl Variable {
    /// An architectural variable at level `proc` with constant bounds.
    pub fn arch(name: &str, coef: i64, lower: i64, upper: i64) -> Self {
        Self::new(name, coef, Kind::Arch, "proc", lower, upper)
    }

    /// A data variable at level `cell` with constant bounds.
    pub fn data(name: &str, coef: i64, lower: i64, upper: i64) -> Self {
        Self::new(name, coef, Kind::Data, "cell", lower, upper)
    }

    fn new(name: &str, coef: i64, kind: Kind, level: &str, lower: i64, upper: i64) -> Self {
        let (lower, upper) = (vec![lower.into()], vec![upper.into()]);
        Self { name: name.to_owned(), coef, lower, upper, kind, level: level.to_owned() }
    }

    /// The same variable at another machine level.
    #[must_use]
    pub fn at(mut self, level: &str) -> Self {
        level.clone_into(&mut self.level);
        self
    }

    /// The same variable with one more upper bound.
    #[must_use]
    pub fn up_to(mut self, bound: impl Into<Bound>) -> Self {
        self.upper.push(bound.into());
        self
    }

    /// The same variable with one more lower bound.
    #[must_use]
    pub fn from(mut self, bound: impl Into<Bound>) -> Self {
        self.lower.push(bound.into());
        self
    }
}

/// One array dimension: `t = offset + sum coef * variable`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dimension {
    /// The origin; parameters only.
    pub offset: Affine,
    /// The variables, in the order of a location's coordinates.
    pub variables: Vec<Variable>,
}

/// A distribution of an array over memories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// One entry per array dimension.
    pub dimensions: Vec<Dimension>,
    /// The data variables in addressing order, slowest first. `None`: in listed order.
    pub layout: Option<Vec<String>>,
}

impl Distribution {
    /// All variables in the order of a location's coordinates, with their dimension.
    pub fn variables(&self) -> impl Iterator<Item = (usize, &Variable)> {
        self.dimensions.iter().enumerate().flat_map(|(j, d)| d.variables.iter().map(move |v| (j, v)))
    }

    /// The parameters: all names in use that are not variables.
    pub fn parameters(&self) -> BTreeSet<String> {
        let own: BTreeSet<&str> = self.variables().map(|(_, v)| v.name.as_str()).collect();
        let bounds = self.variables().flat_map(|(_, v)| v.lower.iter().chain(&v.upper)).map(|b| &b.affine);
        let offsets = self.dimensions.iter().map(|d| &d.offset);
        let names = bounds.chain(offsets).flat_map(|a| a.terms.iter().map(|(n, _)| n));
        names.filter(|n| !own.contains(n.as_str())).cloned().collect()
    }

    /// The same distribution with parameter values substituted, after [`Distribution::check`].
    pub fn with(&self, parameters: &Parameters) -> Result<Self> {
        self.check(parameters)?;
        let put = |a: &mut Affine, place: &str| -> Result<()> {
            let mut constant = i128::from(a.constant);
            a.terms.retain(|(name, c)| {
                let value = parameters.get(name);
                constant += value.map_or(0, |&v| i128::from(*c) * i128::from(v));
                value.is_none()
            });
            a.constant = narrow(constant).ok_or_else(|| Error::overflow(place, "the constant with its parameters"))?;
            Ok(())
        };
        let mut fixed = self.clone();
        for (j, d) in fixed.dimensions.iter_mut().enumerate() {
            put(&mut d.offset, &format!("dims[{j}].offset"))?;
            for (i, v) in d.variables.iter_mut().enumerate() {
                let place = format!("dims[{j}].vars[{i}]");
                v.lower.iter_mut().chain(&mut v.upper).try_for_each(|b| put(&mut b.affine, &place))?;
            }
        }
        Ok(fixed)
    }

    /// The data variables' names, slowest first.
    pub fn layout(&self) -> Vec<String> {
        self.layout.clone().unwrap_or_else(|| {
            self.variables().filter(|(_, v)| v.kind == Kind::Data).map(|(_, v)| v.name.clone()).collect()
        })
    }

    /// Checks everything that does not depend on parameter values: names, bounds, divisors, ranges, layout, cycles.
    pub fn check(&self, known: &Parameters) -> Result<()> {
        self.check_names(known)?;
        self.check_forms(known)?;
        self.check_layout()?;
        self.order().map(|_| ())
    }

    fn check_names(&self, known: &Parameters) -> Result<()> {
        let mut seen = BTreeMap::new();
        for (place, v) in self.places() {
            if v.name.is_empty() || !is_name(&v.name) {
                let what = format!("'{}' is not a name", v.name);
                return Err(Error::new(place, what, "use letters, digits and _, not starting with a digit"));
            }
            if let Some(first) = seen.insert(v.name.clone(), place.clone()) {
                let what = format!("variable '{}' is already declared at {first}", v.name);
                return Err(Error::new(place, what, "variable names are unique in a distribution: rename one"));
            }
            if known.contains_key(&v.name) {
                let what = format!("'{}' is a variable and a parameter", v.name);
                return Err(Error::new(place, what, "rename one of them"));
            }
        }
        Ok(())
    }

    fn check_forms(&self, known: &Parameters) -> Result<()> {
        let own: BTreeSet<&str> = self.variables().map(|(_, v)| v.name.as_str()).collect();
        for (j, d) in self.dimensions.iter().enumerate() {
            let place = format!("dims[{j}].offset");
            check_affine(&d.offset, &place, |n| {
                if own.contains(n) {
                    return Err(format!("the offset uses the variable '{n}'"));
                }
                if known.contains_key(n) { Ok(()) } else { Err(format!("unknown name '{n}'")) }
            })?;
        }
        for (place, v) in self.places() {
            if v.coef.unsigned_abs() > LIMIT.unsigned_abs() {
                return Err(Error::overflow(format!("{place}.coef"), "the coefficient"));
            }
            for (side, bounds) in [("lo", &v.lower), ("hi", &v.upper)] {
                let place = format!("{place}.{side}");
                if bounds.is_empty() {
                    return Err(Error::new(place, "there is no bound", "give at least one"));
                }
                for (k, b) in bounds.iter().enumerate() {
                    let place = if bounds.len() == 1 { place.clone() } else { format!("{place}[{k}]") };
                    if b.divisor <= 0 || b.divisor > LIMIT {
                        let what = format!("the divisor {} is not positive", b.divisor);
                        return Err(Error::new(format!("{place}.div"), what, "a divisor is at least 1"));
                    }
                    check_affine(&b.affine, &place, |n| {
                        if own.contains(n) || known.contains_key(n) {
                            Ok(())
                        } else {
                            Err(format!("unknown name '{n}'"))
                        }
                    })?;
                }
            }
        }
        Ok(())
    }

    fn check_layout(&self) -> Result<()> {
        let Some(layout) = &self.layout else { return Ok(()) };
        let mut rest: BTreeSet<&str> =
            self.variables().filter(|(_, v)| v.kind == Kind::Data).map(|(_, v)| v.name.as_str()).collect();
        for (k, name) in layout.iter().enumerate() {
            if !rest.remove(name.as_str()) {
                let what = format!("'{name}' is not a data variable, or is listed twice");
                return Err(Error::new(format!("layout[{k}]"), what, "list each data variable once"));
            }
        }
        match rest.first() {
            Some(name) => Err(Error::new("layout", format!("'{name}' is missing"), "list each data variable once")),
            None => Ok(()),
        }
    }

    fn places(&self) -> impl Iterator<Item = (String, &Variable)> {
        let each = |(j, d): (usize, &'_ Dimension)| (j, d.variables.len());
        let index: Vec<(usize, usize)> = self.dimensions.iter().enumerate().map(each).collect();
        let names = index.into_iter().flat_map(|(j, n)| (0..n).map(move |i| format!("dims[{j}].vars[{i}]")));
        names.zip(self.variables().map(|(_, v)| v))
    }

    /// A permutation of the variables in which bounds only use earlier ones; an error names the cycle.
    pub fn order(&self) -> Result<Vec<usize>> {
        let names: Vec<&str> = self.variables().map(|(_, v)| v.name.as_str()).collect();
        let uses: Vec<Vec<usize>> = self
            .variables()
            .map(|(_, v)| {
                let affine = v.lower.iter().chain(&v.upper).flat_map(|b| &b.affine.terms);
                affine.filter_map(|(n, _)| names.iter().position(|m| m == n)).collect()
            })
            .collect();
        let (mut order, mut done) = (Vec::with_capacity(names.len()), vec![false; names.len()]);
        while order.len() < names.len() {
            let Some(i) = (0..names.len()).find(|&i| !done[i] && uses[i].iter().all(|&k| done[k])) else {
                return Err(self.circle(&names, &uses, &done));
            };
            done[i] = true;
            order.push(i);
        }
        Ok(order)
    }

    fn circle(&self, names: &[&str], uses: &[Vec<usize>], done: &[bool]) -> Error {
        let blocked = |i: usize| uses[i].iter().copied().find(|&k| !done[k]).unwrap_or(i);
        let mut at = (0..names.len()).find(|&i| !done[i]).unwrap_or(0);
        for _ in 0..names.len() {
            at = blocked(at);
        }
        let (start, mut path) = (at, vec![names[at]]);
        loop {
            at = blocked(at);
            path.push(names[at]);
            if at == start {
                break;
            }
        }
        let place = self.places().nth(start).map_or_else(String::new, |(p, _)| p);
        let what = format!("bounds refer to each other in a circle: {}", path.join(" -> "));
        Error::new(place, what, "bound at least one of them by constants, parameters or earlier variables")
    }
}

/// Letters, digits and underscores, not starting with a digit.
pub fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.all(|c| c.is_alphanumeric() || c == '_')
}

fn check_affine(a: &Affine, place: &str, allowed: impl Fn(&str) -> std::result::Result<(), String>) -> Result<()> {
    let remedy = "bounds use variables of the same distribution and parameters, offsets parameters only";
    for (k, (name, c)) in a.terms.iter().enumerate() {
        allowed(name).map_err(|what| Error::new(place, what, remedy))?;
        if a.terms[..k].iter().any(|(n, _)| n == name) {
            return Err(Error::new(place, format!("'{name}' occurs twice"), "add the coefficients up"));
        }
        if c.unsigned_abs() > LIMIT.unsigned_abs() {
            return Err(Error::overflow(place, &format!("the coefficient of '{name}'")));
        }
    }
    if a.constant.unsigned_abs() > LIMIT.unsigned_abs() {
        return Err(Error::overflow(place, "the constant"));
    }
    Ok(())
}
