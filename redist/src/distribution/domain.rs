//! A distribution with parameter values substituted: ranges, enumeration, membership, bounding boxes.

use crate::distribution::{Affine, Bound, Distribution, Kind, Parameters};
use crate::error::{Error, Result};
use crate::integer::number::{ceil_div, floor_div, narrow};

/// `(constant + sum coefficient * a[index]) / divisor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The constant.
    pub constant: i64,
    /// `(variable, coefficient)`.
    pub terms: Vec<(usize, i64)>,
    /// The divisor, positive.
    pub divisor: i64,
}

impl Form {
    fn value(&self, at: &[i64]) -> i128 {
        self.terms.iter().fold(i128::from(self.constant), |s, &(k, c)| s + i128::from(c) * i128::from(at[k]))
    }

    /// Minimum and maximum over a box.
    fn range(&self, bounding: &[(i64, i64)]) -> (i128, i128) {
        self.terms.iter().fold((self.constant.into(), self.constant.into()), |(lo, hi), &(k, c)| {
            let (a, b) = (i128::from(c) * i128::from(bounding[k].0), i128::from(c) * i128::from(bounding[k].1));
            (lo + a.min(b), hi + a.max(b))
        })
    }
}

/// The integer points of one side of a redistribution, or of some of its dimensions.
#[derive(Clone, Debug)]
pub struct Domain {
    /// The variable of the whole distribution for each coordinate.
    pub global: Vec<usize>,
    /// The variables' names.
    pub names: Vec<String>,
    /// Whether each variable is architectural.
    pub arch: Vec<bool>,
    /// The dimension (of this domain) of each variable.
    pub dimension: Vec<usize>,
    /// The variables' coefficients.
    pub coef: Vec<i64>,
    /// The dimensions' origins.
    pub offset: Vec<i64>,
    /// Lower bounds by variable; all hold.
    pub lower: Vec<Vec<Form>>,
    /// Upper bounds by variable; all hold.
    pub upper: Vec<Vec<Form>>,
    /// A permutation in which bounds only use earlier variables.
    pub order: Vec<usize>,
    /// A box around all points, by interval arithmetic on the bounds.
    pub bounding: Vec<(i64, i64)>,
    /// A variable with an empty interval: the domain has no point.
    pub empty: Option<usize>,
}

impl Domain {
    /// The domain of a whole, checked distribution.
    pub fn new(distribution: &Distribution, parameters: &Parameters) -> Result<Self> {
        let names: Vec<String> = distribution.variables().map(|(_, v)| v.name.clone()).collect();
        let resolve = |a: &Affine, divisor: i64, place: &str| resolve(a, divisor, &names, parameters, place);
        let side = |bounds: &[Bound], place: &str| -> Result<Vec<Form>> {
            bounds.iter().map(|b| resolve(&b.affine, b.divisor, place)).collect()
        };
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (_, v) in distribution.variables() {
            lower.push(side(&v.lower, &format!("{}.lo", v.name))?);
            upper.push(side(&v.upper, &format!("{}.hi", v.name))?);
        }
        let mut offset = Vec::new();
        for (j, d) in distribution.dimensions.iter().enumerate() {
            offset.push(resolve(&d.offset, 1, &format!("dims[{j}].offset"))?.constant);
        }
        let mut domain = Self {
            global: (0..names.len()).collect(),
            arch: distribution.variables().map(|(_, v)| v.kind == Kind::Arch).collect(),
            dimension: distribution.variables().map(|(j, _)| j).collect(),
            coef: distribution.variables().map(|(_, v)| v.coef).collect(),
            order: distribution.order()?,
            bounding: vec![(0, -1); names.len()],
            names,
            offset,
            lower,
            upper,
            empty: None,
        };
        domain.bound()?;
        domain.elements().map(|_| domain)
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are no variables: then there is a single location, not none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Computes the bounding box and checks that it stays in range.
    fn bound(&mut self) -> Result<()> {
        for k in 0..self.order.len() {
            let i = self.order[k];
            let lowest = |f: &Form| ceil_div(f.range(&self.bounding).0, f.divisor.into());
            let highest = |f: &Form| floor_div(f.range(&self.bounding).1, f.divisor.into());
            let lo = self.lower[i].iter().map(lowest).max().unwrap_or(0);
            let hi = self.upper[i].iter().map(highest).min().unwrap_or(-1);
            let fit = |v: i128, side: &str| {
                narrow(v).ok_or_else(|| Error::overflow(format!("{}.{side}", self.names[i]), "the bound"))
            };
            let range = (fit(lo, "lo")?, fit(hi, "hi")?);
            if range.0 > range.1 {
                self.empty = Some(i);
                self.bounding = vec![(0, -1); self.len()];
                return Ok(());
            }
            self.bounding[i] = range;
        }
        Ok(())
    }

    /// Minimum and maximum element index per dimension over the bounding box.
    pub fn elements(&self) -> Result<Vec<(i64, i64)>> {
        (0..self.offset.len())
            .map(|j| {
                let mut range = (i128::from(self.offset[j]), i128::from(self.offset[j]));
                if self.empty.is_none() {
                    for i in (0..self.len()).filter(|&i| self.dimension[i] == j) {
                        let (a, b) = self.bounding[i];
                        let (a, b) =
                            (i128::from(self.coef[i]) * i128::from(a), i128::from(self.coef[i]) * i128::from(b));
                        range = (range.0 + a.min(b), range.1 + a.max(b));
                    }
                }
                let place = || Error::overflow(format!("dims[{j}]"), "an element index");
                Ok((narrow(range.0).ok_or_else(place)?, narrow(range.1).ok_or_else(place)?))
            })
            .collect()
    }

    /// The variable's range, with the variables in its bounds set as in `at`.
    pub fn range(&self, i: usize, at: &[i64]) -> (i64, i64) {
        let lo = self.lower[i].iter().map(|f| ceil_div(f.value(at), f.divisor.into())).max();
        let hi = self.upper[i].iter().map(|f| floor_div(f.value(at), f.divisor.into())).min();
        let clamp = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        (clamp(lo.unwrap_or(0)), clamp(hi.unwrap_or(-1)))
    }

    /// Whether `at` is a location.
    pub fn contains(&self, at: &[i64]) -> bool {
        let inside = |i: usize| {
            let (lo, hi) = self.range(i, at);
            (lo..=hi).contains(&at[i])
        };
        at.len() == self.len() && (0..self.len()).all(inside)
    }

    /// The element that a location holds.
    pub fn element(&self, at: &[i64]) -> Vec<i64> {
        let mut t = self.offset.clone();
        for (i, a) in at.iter().enumerate() {
            t[self.dimension[i]] += self.coef[i] * a;
        }
        t
    }

    /// The index of that element in one dimension.
    pub fn index(&self, dimension: usize, at: &[i64]) -> i64 {
        let own = self.dimension.iter().zip(&self.coef).zip(at).filter(|((j, _), _)| **j == dimension);
        own.fold(self.offset[dimension], |t, ((_, c), a)| t + c * a)
    }

    /// Calls `row(base, inner, lo, hi)` for every non-empty line along the last variable of the order: `base` has the
    /// other variables; `inner` is the last variable (`None`: there is none, and one location).
    pub fn rows(&self, mut row: impl FnMut(&[i64], Option<usize>, i64, i64)) {
        self.rows_while(|at, inner, lo, hi| {
            row(at, inner, lo, hi);
            true
        });
    }

    /// The same, until `row` returns false; returns whether it never did.
    pub fn rows_while(&self, mut row: impl FnMut(&[i64], Option<usize>, i64, i64) -> bool) -> bool {
        if self.empty.is_some() {
            return true;
        }
        let mut at = vec![0; self.len()];
        let Some((&inner, outer)) = self.order.split_last() else { return row(&at, None, 0, 0) };
        self.descend(outer, inner, &mut at, &mut row)
    }

    fn descend(
        &self,
        outer: &[usize],
        inner: usize,
        at: &mut Vec<i64>,
        row: &mut impl FnMut(&[i64], Option<usize>, i64, i64) -> bool,
    ) -> bool {
        let (&i, rest) = outer.split_first().map_or((&inner, outer), |(i, rest)| (i, rest));
        let (lo, hi) = self.range(i, at);
        if outer.is_empty() {
            at[inner] = lo;
            return lo > hi || row(at, Some(inner), lo, hi);
        }
        (lo..=hi).all(|v| {
            at[i] = v;
            self.descend(rest, inner, at, row)
        })
    }

    /// Visits, for each choice of the first `outer` variables of the order, the location whose further variables are
    /// maximal, one after the other. Tries at most `most` values; returns whether that was enough.
    pub fn last_locations(&self, outer: usize, most: u64, mut visit: impl FnMut(&[i64])) -> bool {
        let (mut at, mut left) = (vec![0; self.len()], most);
        self.empty.is_some() || self.last_from(0, outer, &mut at, &mut left, &mut visit).is_some()
    }

    /// Whether there is a location with the values of `at` before variable `k`; `None`: the limit was reached.
    fn last_from(
        &self,
        k: usize,
        outer: usize,
        at: &mut Vec<i64>,
        left: &mut u64,
        visit: &mut impl FnMut(&[i64]),
    ) -> Option<bool> {
        let Some(&i) = self.order.get(k) else {
            visit(at);
            return Some(true);
        };
        let (lo, hi) = self.range(i, at);
        let mut any = false;
        for step in 0.. {
            let v = if k < outer { lo.checked_add(step) } else { hi.checked_sub(step) };
            let Some(v) = v.filter(|v| (lo..=hi).contains(v)) else { break };
            *left = left.checked_sub(1)?;
            at[i] = v;
            any |= self.last_from(k + 1, outer, at, left, visit)?;
            if any && k >= outer {
                break;
            }
        }
        Some(any)
    }

    /// Whether variables and coordinates have the same order, so that rows come in lexicographic order.
    pub fn lexicographic(&self) -> bool {
        self.order.iter().copied().eq(0..self.len())
    }

    /// The domain of some dimensions; no bound may use a variable of others.
    #[must_use]
    pub fn restrict(&self, dimensions: &[usize]) -> Self {
        let keep: Vec<usize> = (0..self.len()).filter(|&i| dimensions.contains(&self.dimension[i])).collect();
        let local = |i: usize| keep.iter().position(|&k| k == i).unwrap_or(0);
        let forms = |all: &[Vec<Form>]| -> Vec<Vec<Form>> {
            let one = |f: &Form| Form { terms: f.terms.iter().map(|&(k, c)| (local(k), c)).collect(), ..f.clone() };
            keep.iter().map(|&i| all[i].iter().map(one).collect()).collect()
        };
        Self {
            global: keep.iter().map(|&i| self.global[i]).collect(),
            names: keep.iter().map(|&i| self.names[i].clone()).collect(),
            arch: keep.iter().map(|&i| self.arch[i]).collect(),
            dimension: keep
                .iter()
                .map(|&i| dimensions.iter().position(|&d| d == self.dimension[i]).unwrap_or(0))
                .collect(),
            coef: keep.iter().map(|&i| self.coef[i]).collect(),
            offset: dimensions.iter().map(|&j| self.offset[j]).collect(),
            lower: forms(&self.lower),
            upper: forms(&self.upper),
            order: self.order.iter().filter(|i| keep.contains(i)).map(|&i| local(i)).collect(),
            bounding: keep.iter().map(|&i| self.bounding[i]).collect(),
            empty: self.empty.map(|_| 0),
        }
    }

    /// Whether another domain differs only in names.
    pub fn same_shape(&self, other: &Self) -> bool {
        self.arch == other.arch
            && self.dimension == other.dimension
            && self.coef == other.coef
            && self.offset == other.offset
            && self.lower == other.lower
            && self.upper == other.upper
            && self.order == other.order
            && self.bounding == other.bounding
            && self.empty == other.empty
    }

    /// The same variables, ranging over a box.
    #[must_use]
    pub fn boxed(&self, bounds: &[(i64, i64)]) -> Self {
        let side = |of: fn(&(i64, i64)) -> i64| -> Vec<Vec<Form>> {
            bounds.iter().map(|b| vec![Form { constant: of(b), terms: Vec::new(), divisor: 1 }]).collect()
        };
        Self { lower: side(|b| b.0), upper: side(|b| b.1), bounding: bounds.to_vec(), ..self.clone() }
    }

    /// Whether all bounds are constant, so that the domain is its bounding box.
    pub fn is_box(&self) -> bool {
        self.lower.iter().chain(&self.upper).flatten().all(|f| f.terms.is_empty())
    }

    /// The numbers of locations and of memories, for constant bounds.
    pub fn box_size(&self) -> (i128, i128) {
        let width = |i: usize| i128::from(self.bounding[i].1) - i128::from(self.bounding[i].0) + 1;
        let product = |keep: &dyn Fn(usize) -> bool| {
            (0..self.len()).filter(|&i| keep(i)).try_fold(1_i128, |p, i| p.checked_mul(width(i))).unwrap_or(i128::MAX)
        };
        if self.empty.is_some() { (0, 0) } else { (product(&|_| true), product(&|i| self.arch[i])) }
    }

    /// An upper bound on the number of locations, saturating.
    pub fn bounding_size(&self) -> i128 {
        let width = |b: &(i64, i64)| (i128::from(b.1) - i128::from(b.0) + 1).max(0);
        self.bounding.iter().map(width).fold(1, i128::saturating_mul)
    }

    /// Pairs of dimensions linked by a bound.
    pub fn links(&self) -> Vec<(usize, usize)> {
        let side = |forms: &Vec<Vec<Form>>| -> Vec<(usize, usize)> {
            let all = forms.iter().enumerate().flat_map(|(i, fs)| fs.iter().map(move |f| (i, f)));
            let pairs = all.flat_map(|(i, f)| f.terms.iter().map(move |&(k, _)| (i, k)));
            pairs.map(|(i, k)| (self.dimension[i], self.dimension[k])).filter(|(a, b)| a != b).collect()
        };
        let mut links = side(&self.lower);
        links.extend(side(&self.upper));
        links
    }
}

fn resolve(a: &Affine, divisor: i64, names: &[String], parameters: &Parameters, place: &str) -> Result<Form> {
    let (mut constant, mut terms) = (i128::from(a.constant), Vec::new());
    for (name, c) in &a.terms {
        match (names.iter().position(|n| n == name), parameters.get(name)) {
            (Some(i), _) if *c != 0 => terms.push((i, *c)),
            (Some(_), _) => {}
            (None, Some(&v)) => constant += i128::from(*c) * i128::from(v),
            (None, None) => {
                let what = format!("unknown name '{name}'");
                return Err(Error::new(place, what, "declare it as a variable or give the parameter a value"));
            }
        }
    }
    let constant = narrow(constant).ok_or_else(|| Error::overflow(place, "the constant with its parameters"))?;
    Ok(Form { constant, terms, divisor })
}

/// Groups of dimensions that no bound of either side links: a redistribution is a product over the groups.
pub fn components(source: &Domain, target: &Domain) -> Vec<Vec<usize>> {
    let n = source.offset.len();
    let mut group: Vec<usize> = (0..n).collect();
    for (a, b) in source.links().into_iter().chain(target.links()) {
        let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
        group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
    }
    (0..n).filter(|&j| group[j] == j).map(|j| (0..n).filter(|&k| group[k] == j).collect()).collect()
}
