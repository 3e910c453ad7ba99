//! The shape of an array of rank 1 that a program uses as one of higher rank: `a[i * n + j]` is `a[i][j]` in rows of
//! `n`. The strides of the subscripts' counters tell the lengths (Grosser et al., ICS 2015).
//!
//! Different subscripts of the recovered shape are different elements where each subscript but the first stays in a
//! window as long as its dimension. The shape is a guess, and this is checked for each access.

use super::affine::{Affine, Atom};

/// The least number of elements that counts as the length of a row. Shorter distances are those of unrolled loops and
/// of elements with parts.
pub const SHORTEST_ROW: i64 = 16;

/// A number times a product of symbols, over another product that divides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monomial {
    /// The number, above 0.
    pub factor: i64,
    /// The symbols, sorted.
    pub symbols: Vec<String>,
    /// The symbols of the divisor, sorted. Where there are some, the quotient is a guess that the entry checks.
    pub over: Vec<String>,
}

impl Monomial {
    /// A number times a product.
    pub fn product(factor: i64, symbols: Vec<String>) -> Monomial {
        Monomial { factor, symbols, over: vec![] }
    }
}

/// A recovered shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The distance in elements of neighbours along each subscript but the last, which has distance 1.
    strides: Vec<Monomial>,
    /// The lengths of all dimensions but the first.
    pub lengths: Vec<Monomial>,
    /// For each of these, where its window begins: 0, or 1 for subscripts that begin at 1 as Fortran's do.
    pub begins: Vec<i64>,
}

impl Shape {
    /// The parameters that it names.
    pub fn symbols(&self) -> impl Iterator<Item = &str> {
        let all = self.strides.iter().chain(&self.lengths);
        all.flat_map(|product| product.symbols.iter().chain(&product.over).map(String::as_str))
    }

    /// The shape that the strides of `values`, the array's subscripts, tell. `depth`: how many loops are around the one
    /// of a counter. Of strides that are independent of each other, those of outer loops are guessed to be multiples of
    /// those of inner loops.
    pub fn of<'v>(
        values: impl Iterator<Item = &'v Affine> + Clone,
        depth: impl Fn(&str) -> Option<usize>,
    ) -> Result<Shape, String> {
        let is_counter = |name: &str| depth(name).is_some();
        let mut strides: Vec<Monomial> = Vec::new();
        let mut depths: Vec<usize> = Vec::new();
        for symbols in values.clone().flat_map(|v| v.terms.keys()).filter_map(Atom::factors) {
            let (counters, rest): (Vec<String>, Vec<String>) = symbols.iter().cloned().partition(|s| is_counter(s));
            match counters.as_slice() {
                [] => {}
                [counter] => {
                    let at = depth(counter).unwrap_or(0);
                    match strides.iter().position(|s| s.symbols == rest) {
                        Some(known) => depths[known] = depths[known].min(at),
                        None if rest.is_empty() => {}
                        None => {
                            strides.push(Monomial::product(0, rest));
                            depths.push(at);
                        }
                    }
                }
                [one, other, ..] => return Err(format!("the counters `{one}` and `{other}` are multiplied")),
            }
        }
        let mut strides = sorted(strides, &depths)?;
        for (atom, factor) in values.flat_map(|v| &v.terms) {
            let Some(symbols) = atom.factors() else { continue };
            if let Some(stride) = strides.iter_mut().find(|s| without(symbols, &s.symbols).is_some()) {
                stride.factor = common_divisor(stride.factor, *factor);
            }
        }
        for k in 1..strides.len() {
            strides[k].factor = common_divisor(strides[k].factor, strides[k - 1].factor);
        }
        let one = Monomial::product(1, vec![]);
        let next = strides.iter().skip(1).chain([&one]);
        let length = |(stride, next): (&Monomial, &Monomial)| {
            let factor = stride.factor / next.factor;
            match without(&stride.symbols, &next.symbols) {
                Some(symbols) => Monomial::product(factor, symbols),
                None => Monomial { factor, symbols: stride.symbols.clone(), over: next.symbols.clone() },
            }
        };
        let lengths: Vec<Monomial> = strides.iter().zip(next).map(length).collect();
        let begins = vec![0; lengths.len()];
        Ok(Shape { strides, lengths, begins })
    }

    /// The shapes in rows of constant length that the factors of counters tell, the one of the highest rank first.
    pub fn of_constants<'v>(values: impl Iterator<Item = &'v Affine>, is_counter: impl Fn(&str) -> bool) -> Vec<Shape> {
        let mut strides: Vec<i64> = values
            .flat_map(|v| &v.terms)
            .filter(|(atom, _)| atom.symbols().iter().any(|s| is_counter(s)))
            .filter_map(|(_, factor)| factor.checked_abs().filter(|stride| *stride >= SHORTEST_ROW))
            .collect();
        strides.sort_unstable_by_key(|stride| std::cmp::Reverse(*stride));
        strides.dedup();
        // Factors of one subscript, as in `a[2 * i][j]`.
        let mut merged: Vec<i64> = Vec::new();
        for stride in &strides {
            match merged.last_mut() {
                Some(last) if *last / stride < SHORTEST_ROW => *last = common_divisor(*last, *stride),
                _ => merged.push(*stride),
            }
        }
        let mut shapes: Vec<Shape> = [&strides, &merged].into_iter().filter_map(|s| Shape::of_strides(s)).collect();
        shapes.dedup();
        shapes
    }

    /// The shape with these strides, which fall; `None` if they do not divide each other.
    fn of_strides(strides: &[i64]) -> Option<Shape> {
        let next = strides.iter().skip(1).chain(&[1]);
        let lengths = strides.iter().zip(next).map(|(stride, next)| (stride % next == 0).then_some(stride / next));
        let lengths: Vec<i64> = lengths.collect::<Option<_>>()?;
        let numbers = |all: &[i64]| all.iter().map(|n| Monomial::product(*n, vec![])).collect();
        let begins = vec![0; lengths.len()];
        (!strides.is_empty()).then(|| Shape { strides: numbers(strides), lengths: numbers(&lengths), begins })
    }

    /// Whether the lengths are numbers.
    pub fn is_constant(&self) -> bool {
        self.lengths.iter().all(|length| length.symbols.is_empty())
    }

    /// The subscripts that an element of the array has in this shape; `None` if they are not affine.
    pub fn divide(&self, value: &Affine) -> Option<Vec<Affine>> {
        self.parts(value).filter(|subscripts| !subscripts.iter().any(Affine::has_products))
    }

    /// The subscripts that an element of the array has in this shape, which may have products.
    pub fn parts(&self, value: &Affine) -> Option<Vec<Affine>> {
        let mut subscripts = Vec::new();
        let mut rest = value.clone();
        for stride in &self.strides {
            let mut quotient = Affine::default();
            for (atom, factor) in rest.terms.clone() {
                let left = if stride.symbols.is_empty() {
                    Some(Affine { terms: [(atom.clone(), 1)].into(), constant: 0 })
                } else {
                    atom.factors().and_then(|symbols| without(symbols, &stride.symbols)).map(Affine::product)
                };
                let Some(left) = left.filter(|_| factor % stride.factor == 0) else { continue };
                quotient = quotient.plus(&left, factor / stride.factor)?;
                rest.terms.remove(&atom);
            }
            if stride.symbols.is_empty() {
                // The nearest row: `a[260 * i + j - 261]` is `a[i - 1][j - 1]`.
                let rows = rest.constant.checked_add(stride.factor / 2)?.div_euclid(stride.factor);
                quotient.constant = quotient.constant.checked_add(rows)?;
                rest.constant -= rows * stride.factor;
            }
            subscripts.push(quotient);
        }
        subscripts.push(rest);
        Some(subscripts)
    }
}

/// Strides with the largest first: each before those that divide it, and else by how deep their loops are. Two
/// strides of one counter are those of two shapes.
fn sorted(strides: Vec<Monomial>, depths: &[usize]) -> Result<Vec<Monomial>, String> {
    let divides = |one: &Monomial, other: &Monomial| without(&other.symbols, &one.symbols).is_some();
    let mut by_length = strides.clone();
    by_length.sort_by_key(|s| std::cmp::Reverse(s.symbols.len()));
    let unordered = by_length.windows(2).find(|pair| !divides(&pair[1], &pair[0]));
    let Some(pair) = unordered else { return Ok(by_length) };
    let mut all: Vec<(usize, Monomial)> = depths.iter().copied().zip(strides).collect();
    all.sort_by_key(|(depth, _)| *depth);
    if all.windows(2).any(|two| two[0].0 == two[1].0) {
        let (one, other) = (pair[0].symbols.join(" * "), pair[1].symbols.join(" * "));
        return Err(format!("the strides `{one}` and `{other}` do not divide each other"));
    }
    let mut sorted: Vec<Monomial> = Vec::new();
    for (_, stride) in all {
        let at = sorted.iter().position(|other| divides(other, &stride)).unwrap_or(sorted.len());
        sorted.insert(at, stride);
    }
    Ok(sorted)
}

/// `symbols` without `others`; `None` if some are not among them.
fn without(symbols: &[String], others: &[String]) -> Option<Vec<String>> {
    let mut left = symbols.to_vec();
    for other in others {
        left.remove(left.iter().position(|s| s == other)?);
    }
    Some(left)
}

fn common_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `sum of factor * product of the letters`.
    fn sum(terms: &[(i64, &str)]) -> Affine {
        let product = |letters: &str| Affine::product(letters.chars().map(String::from).collect());
        terms.iter().fold(Affine::default(), |all, (f, l)| all.plus(&product(l), *f).unwrap_or_default())
    }

    fn depth(name: &str) -> Option<usize> {
        "ijk".find(name)
    }

    fn is_counter(name: &str) -> bool {
        depth(name).is_some()
    }

    fn texts(shape: &Shape, value: &Affine) -> Option<Vec<String>> {
        Some(shape.divide(value)?.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn strides_tell_the_lengths() -> Result<(), String> {
        let values = [sum(&[(1, "imn"), (1, "jm"), (1, "k")]), sum(&[(1, "imn"), (-1, "mn"), (1, "k"), (3, "")])];
        let shape = Shape::of(values.iter(), depth)?;
        let names: Vec<String> = shape.lengths.iter().map(|l| l.symbols.join("*")).collect();
        assert_eq!(names, ["n", "m"]);
        assert_eq!(texts(&shape, &values[0]), Some(vec!["i".into(), "j".into(), "k".into()]));
        assert_eq!(texts(&shape, &values[1]), Some(vec!["i - 1".into(), "0".into(), "k + 3".into()]));
        Ok(())
    }

    #[test]
    fn factors_of_strides_belong_to_the_lengths() -> Result<(), String> {
        let pixels = [sum(&[(3, "in"), (3, "j"), (1, "")])];
        let shape = Shape::of(pixels.iter(), depth)?;
        assert_eq!(shape.lengths, [Monomial::product(3, vec!["n".into()])]);
        assert_eq!(texts(&shape, &pixels[0]), Some(vec!["i".into(), "3 * j + 1".into()]));
        let odd = [sum(&[(2, "in"), (1, "j")]), sum(&[(2, "in"), (1, "n"), (1, "j")])];
        let shape = Shape::of(odd.iter(), depth)?;
        assert_eq!(texts(&shape, &odd[1]), Some(vec!["2 * i + 1".into(), "j".into()]));
        assert_eq!(texts(&shape, &sum(&[(1, "abn"), (1, "j")])), None);
        Ok(())
    }

    #[test]
    fn numbers_are_lengths_of_rows() {
        let shapes = |values: &[Affine]| Shape::of_constants(values.iter(), is_counter);
        let rows = [sum(&[(260, "i"), (1, "j"), (-261, "")]), sum(&[(-260, "i"), (-1, "j"), (519, "")])];
        let [shape] = &shapes(&rows)[..] else { panic!("{:?}", shapes(&rows)) };
        assert_eq!(texts(shape, &rows[0]), Some(vec!["i - 1".into(), "j - 1".into()]));
        assert_eq!(texts(shape, &rows[1]), Some(vec!["-i + 2".into(), "-j - 1".into()]));
        let planes = [sum(&[(2080, "i"), (260, "j"), (1, "k")])];
        let [all, merged] = &shapes(&planes)[..] else { panic!("{:?}", shapes(&planes)) };
        assert_eq!(texts(all, &planes[0]), Some(vec!["i".into(), "j".into(), "k".into()]));
        assert_eq!(texts(merged, &planes[0]), Some(vec!["8 * i + j".into(), "k".into()]));
        let odd = [sum(&[(520, "i"), (1, "j")]), sum(&[(390, "i"), (1, "j")])];
        assert_eq!(shapes(&odd).len(), 1);
        assert!(shapes(&[sum(&[(3, "i"), (1, "j")])]).is_empty());
    }

    #[test]
    fn what_has_no_shape_is_told() {
        let told = |value: Affine| Shape::of([value].iter(), depth).err().unwrap_or_default();
        assert!(told(sum(&[(1, "ij")])).contains("are multiplied"));
        assert!(told(sum(&[(1, "in"), (1, "im"), (1, "j")])).contains("do not divide"));
    }

    #[test]
    fn independent_strides_are_multiples_by_depth() -> Result<(), String> {
        let box_ = [sum(&[(1, "jm"), (2, "in"), (1, "k"), (1, "")])];
        let shape = Shape::of(box_.iter(), depth)?;
        let quotient = Monomial { factor: 2, symbols: vec!["n".into()], over: vec!["m".into()] };
        assert_eq!(shape.lengths, [quotient, Monomial::product(1, vec!["m".into()])]);
        assert_eq!(texts(&shape, &box_[0]), Some(vec!["i".into(), "j".into(), "k + 1".into()]));
        // A stride that others divide comes before them, wherever its loop is.
        let shape = Shape::of([sum(&[(1, "il"), (1, "jmn"), (1, "km")])].iter(), depth)?;
        let names: Vec<String> = shape.strides.iter().map(|s| s.symbols.join("")).collect();
        assert_eq!(names, ["l", "mn", "m"]);
        Ok(())
    }
}
