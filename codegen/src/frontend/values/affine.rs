//! Quasi-affine integer values: sums of symbols with constant factors, split into cases where C's rules require them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The factor of a term that is not a number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Atom {
    /// A counter or parameter, by its isl name.
    Symbol(String),
    /// A product of two or more counters and parameters, sorted. Only subscripts of linearised arrays have them.
    Product(Vec<String>),
    /// A quasi-affine expression in isl's notation, e.g. `floor((i)/2)` or `max(0, i - 3)`.
    Expression {
        /// isl text.
        text: String,
        /// The symbols in the text.
        symbols: BTreeSet<String>,
        /// Lower bounds of the value.
        low: Vec<Affine>,
        /// Upper bounds of the value.
        high: Vec<Affine>,
    },
}

impl Atom {
    /// The symbols whose product the atom is.
    pub fn factors(&self) -> Option<&[String]> {
        match self {
            Atom::Symbol(name) => Some(std::slice::from_ref(name)),
            Atom::Product(names) => Some(names),
            Atom::Expression { .. } => None,
        }
    }

    /// All symbols in it.
    pub fn symbols(&self) -> BTreeSet<String> {
        match self {
            Atom::Symbol(name) => BTreeSet::from([name.clone()]),
            Atom::Product(names) => names.iter().cloned().collect(),
            Atom::Expression { symbols, .. } => symbols.clone(),
        }
    }
}

/// The largest number of symbols in a product, and of products in a sum.
const MAX_FACTORS: usize = 8;
const MAX_TERMS: usize = 64;

/// `sum of factor * atom + constant`.
#[derive(Debug, Clone, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct Affine {
    /// Factors, none of them 0.
    pub terms: BTreeMap<Atom, i64>,
    /// The constant term.
    pub constant: i64,
}

impl Affine {
    /// A constant.
    pub fn constant(value: i64) -> Affine {
        Affine { terms: BTreeMap::new(), constant: value }
    }

    /// A symbol.
    pub fn symbol(name: &str) -> Affine {
        Affine { terms: BTreeMap::from([(Atom::Symbol(name.to_owned()), 1)]), constant: 0 }
    }

    /// An expression that is not a sum.
    pub fn expression(text: String, symbols: BTreeSet<String>, low: Vec<Affine>, high: Vec<Affine>) -> Affine {
        Affine { terms: BTreeMap::from([(Atom::Expression { text, symbols, low, high }, 1)]), constant: 0 }
    }

    /// `floor(self / divisor)`, for a value of at least 0.
    #[must_use]
    pub fn floor_div(&self, divisor: i64) -> Affine {
        let text = format!("floor(({self})/{divisor})");
        Affine::expression(text, self.symbols(), vec![Affine::constant(0)], vec![self.clone()])
    }

    /// `self mod divisor`, for a value of at least 0.
    #[must_use]
    pub fn modulo(&self, divisor: i64) -> Affine {
        let text = format!("(({self}) mod {divisor})");
        Affine::expression(text, self.symbols(), vec![Affine::constant(0)], vec![Affine::constant(divisor - 1)])
    }

    /// The maximum (`greater`) or minimum of two values.
    pub fn extreme(greater: bool, a: &Affine, b: &Affine) -> Affine {
        let text = format!("{}({a}, {b})", if greater { "max" } else { "min" });
        let symbols = a.symbols().into_iter().chain(b.symbols()).collect();
        let both = vec![a.clone(), b.clone()];
        if greater {
            Affine::expression(text, symbols, both, vec![])
        } else {
            Affine::expression(text, symbols, vec![], both)
        }
    }

    /// Upper bounds of this value, each with one expression replaced by something simpler.
    pub fn relaxed(&self) -> Vec<Affine> {
        let mut all = Vec::new();
        for (atom, factor) in &self.terms {
            let Atom::Expression { low, high, .. } = atom else { continue };
            let mut rest = self.clone();
            rest.terms.remove(atom);
            let bounds = if *factor < 0 { low } else { high };
            all.extend(bounds.iter().filter_map(|b| rest.plus(b, *factor)));
        }
        all
    }

    /// Lower bounds of this value, each with one expression replaced by something simpler.
    pub fn tightened(&self) -> Vec<Affine> {
        let opposite = self.times(-1).map(|a| a.relaxed()).unwrap_or_default();
        opposite.iter().filter_map(|a| a.times(-1)).collect()
    }

    /// `self + factor * other`; `None` if a factor does not fit into 64 bits.
    pub fn plus(&self, other: &Affine, factor: i64) -> Option<Affine> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (atom, coefficient) in &other.terms {
            let entry = sum.terms.entry(atom.clone()).or_insert(0);
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
            if *entry == 0 {
                sum.terms.remove(atom);
            }
        }
        Some(sum)
    }

    /// `factor * self`.
    pub fn times(&self, factor: i64) -> Option<Affine> {
        Affine::default().plus(self, factor)
    }

    /// Whether the value is no sum of symbols, but has products of them.
    pub fn has_products(&self) -> bool {
        self.terms.keys().any(|atom| matches!(atom, Atom::Product(_)))
    }

    /// The value without its products.
    #[must_use]
    pub fn without_products(&self) -> Affine {
        let terms = self.terms.iter().filter(|(atom, _)| !matches!(atom, Atom::Product(_)));
        Affine { terms: terms.map(|(a, f)| (a.clone(), *f)).collect(), constant: self.constant }
    }

    /// `self * other`; `None` if a factor is no sum of symbols, or if the product is too large.
    pub fn multiplied(&self, other: &Affine) -> Option<Affine> {
        let mut product = other.times(self.constant)?;
        for (atom, factor) in &self.terms {
            let names = atom.factors()?;
            let own = Affine::product(names.to_vec()).times(factor.checked_mul(other.constant)?)?;
            product = product.plus(&own, 1)?;
            for (second, times) in &other.terms {
                let all: Vec<String> = names.iter().chain(second.factors()?).cloned().collect();
                if all.len() > MAX_FACTORS {
                    return None;
                }
                product = product.plus(&Affine::product(all), factor.checked_mul(*times)?)?;
            }
        }
        (product.terms.len() <= MAX_TERMS).then_some(product)
    }

    /// The product of symbols; of none, 1.
    pub fn product(mut names: Vec<String>) -> Affine {
        names.sort();
        let atom = match names.len() {
            0 => return Affine::constant(1),
            1 => Atom::Symbol(names.remove(0)),
            _ => Atom::Product(names),
        };
        Affine { terms: BTreeMap::from([(atom, 1)]), constant: 0 }
    }

    /// The value, if it is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// All symbols.
    pub fn symbols(&self) -> BTreeSet<String> {
        self.terms.keys().flat_map(Atom::symbols).collect()
    }

    /// Factor of a symbol; `None` if the symbol occurs inside an expression.
    pub fn factor(&self, symbol: &str) -> Option<i64> {
        let hidden = self.terms.keys().any(|a| match a {
            Atom::Symbol(_) => false,
            Atom::Product(names) => names.iter().any(|name| name == symbol),
            Atom::Expression { symbols, .. } => symbols.contains(symbol),
        });
        (!hidden).then(|| self.terms.get(&Atom::Symbol(symbol.to_owned())).copied().unwrap_or(0))
    }
}

impl std::fmt::Display for Affine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        for (atom, factor) in &self.terms {
            let sign = match (*factor < 0, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            let name = match atom {
                Atom::Symbol(name) => name,
                Atom::Product(names) => &names.join(" * "),
                Atom::Expression { text, .. } => text,
            };
            let size = factor.unsigned_abs();
            let _ = if size == 1 { write!(text, "{sign}{name}") } else { write!(text, "{sign}{size} * {name}") };
        }
        let constant = self.constant;
        let _ = match (text.is_empty(), constant) {
            (true, _) => write!(text, "{constant}"),
            (false, 0) => Ok(()),
            (false, c) if c < 0 => write!(text, " - {}", c.unsigned_abs()),
            (false, c) => write!(text, " + {c}"),
        };
        f.write_str(&text)
    }
}

/// A condition as isl text, with linear forms that are at least 0 wherever it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Formula {
    /// Conjuncts in isl's notation; empty: true.
    pub conjuncts: Vec<String>,
    /// Forms that are at least 0 where the formula holds.
    pub facts: Vec<Affine>,
}

impl Formula {
    /// One constraint.
    pub fn constraint(text: String, facts: Vec<Affine>) -> Formula {
        Formula { conjuncts: vec![text], facts }
    }

    /// `true` or `false`.
    pub fn constant(value: bool) -> Formula {
        Formula { conjuncts: if value { vec![] } else { vec!["false".to_owned()] }, facts: vec![] }
    }

    /// The conjunction.
    #[must_use]
    pub fn and(mut self, other: Formula) -> Formula {
        for conjunct in other.conjuncts {
            if !self.conjuncts.contains(&conjunct) {
                self.conjuncts.push(conjunct);
            }
        }
        self.facts.extend(other.facts);
        self
    }

    /// The disjunction.
    #[must_use]
    pub fn or(self, other: Formula) -> Formula {
        if self.is_true() || other.is_false() {
            return self;
        }
        if other.is_true() || self.is_false() {
            return other;
        }
        let facts = self.facts.iter().filter(|f| other.facts.contains(f)).cloned().collect();
        Formula { conjuncts: vec![format!("({} or {})", self.grouped(), other.grouped())], facts }
    }

    /// Whether the formula is trivially true.
    pub fn is_true(&self) -> bool {
        self.conjuncts.is_empty()
    }

    /// Whether the formula is trivially false.
    pub fn is_false(&self) -> bool {
        self.conjuncts.iter().any(|c| c == "false")
    }

    /// isl text.
    pub fn text(&self) -> String {
        if self.conjuncts.is_empty() { "true".to_owned() } else { self.conjuncts.join(" and ") }
    }

    fn grouped(&self) -> String {
        if self.conjuncts.len() > 1 { format!("({})", self.text()) } else { self.text() }
    }
}

/// The largest number of cases of a value; a value with more is refused.
const MAX_CASES: usize = 16;

/// A value by cases: a condition and the value under it. Most values have one case with a true condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cases(pub Vec<(Formula, Affine)>);

impl Cases {
    /// A value without cases.
    pub fn one(value: Affine) -> Cases {
        Cases(vec![(Formula::default(), value)])
    }

    /// A value that nothing is known about: it has no cases.
    pub fn unknown() -> Cases {
        Cases(vec![])
    }

    /// Whether nothing is known about the value.
    pub fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, if there is only one case.
    pub fn single(&self) -> Option<&Affine> {
        match self.0.as_slice() {
            [(condition, value)] if condition.is_true() => Some(value),
            _ => None,
        }
    }

    /// Combines two values case by case.
    pub fn combine(&self, other: &Cases, f: impl Fn(&Affine, &Affine) -> Option<Affine>) -> Option<Cases> {
        let mut all = Vec::new();
        if self.0.len() * other.0.len() > MAX_CASES {
            return None;
        }
        for (c1, v1) in &self.0 {
            for (c2, v2) in &other.0 {
                all.push((c1.clone().and(c2.clone()), f(v1, v2)?));
            }
        }
        (all.len() <= MAX_CASES).then_some(Cases(all))
    }

    /// `self operator other` as a condition, with an operator of C.
    pub fn compare(&self, operator: &str, other: &Cases) -> Option<Formula> {
        let mut whole = Formula::constant(false);
        if self.0.len() * other.0.len() > MAX_CASES * MAX_CASES {
            return None;
        }
        for (c1, v1) in &self.0 {
            for (c2, v2) in &other.0 {
                whole = whole.or(c1.clone().and(c2.clone()).and(compare(operator, v1, v2)?));
            }
        }
        Some(whole)
    }
}

/// One comparison of two affine values.
pub fn compare(operator: &str, a: &Affine, b: &Affine) -> Option<Formula> {
    let difference = a.plus(b, -1)?;
    if let Some(d) = difference.as_constant() {
        return Some(Formula::constant(match operator {
            "<" => d < 0,
            "<=" => d <= 0,
            ">" => d > 0,
            ">=" => d >= 0,
            "==" => d == 0,
            _ => d != 0,
        }));
    }
    let (minus, one) = (difference.times(-1)?, Affine::constant(1));
    let mut facts = match operator {
        "<" => vec![minus.plus(&one, -1)?],
        "<=" => vec![minus],
        ">" => vec![difference.plus(&one, -1)?],
        ">=" => vec![difference],
        "==" => vec![difference, minus],
        _ => vec![],
    };
    let simpler: Vec<Affine> = facts.iter().flat_map(Affine::relaxed).collect();
    facts.extend(simpler);
    // Prints `a >= b` as `b <= a`, as in a loop's header.
    let text = match operator {
        ">=" => format!("{b} <= {a}"),
        ">" => format!("{b} < {a}"),
        "==" => format!("{a} = {b}"),
        other => format!("{a} {other} {b}"),
    };
    Some(Formula::constraint(text, facts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_print_as_isl_reads_them() {
        let i = Affine::symbol("i");
        let e =
            i.times(2).and_then(|e| e.plus(&Affine::symbol("n"), -1)).and_then(|e| e.plus(&Affine::constant(3), -1));
        assert_eq!(e.map(|e| e.to_string()).as_deref(), Some("2 * i - n - 3"));
        assert_eq!(i.plus(&i, -1).map(|e| e.to_string()).as_deref(), Some("0"));
    }

    #[test]
    fn products_multiply_out() {
        let (i, n, one) = (Affine::symbol("i"), Affine::symbol("n"), Affine::constant(1));
        let e = i.plus(&one, -1).and_then(|e| e.multiplied(&n)).and_then(|e| e.plus(&one, 2));
        assert_eq!(e.as_ref().map(ToString::to_string).as_deref(), Some("-n + i * n + 2"));
        assert!(e.as_ref().is_some_and(Affine::has_products) && !i.has_products());
        assert_eq!(e.map(|e| (e.factor("i"), e.without_products().to_string())), Some((None, "-n + 2".into())));
        assert_eq!(i.floor_div(2).multiplied(&n), None);
    }

    #[test]
    fn comparisons_carry_facts() {
        let f = compare(">", &Affine::symbol("i"), &Affine::constant(0));
        assert_eq!(f.as_ref().map(Formula::text).as_deref(), Some("0 < i"));
        assert_eq!(f.map(|f| f.facts[0].to_string()).as_deref(), Some("i - 1"));
    }

    #[test]
    fn disjunctions_are_bracketed() {
        let a = compare("<", &Affine::symbol("i"), &Affine::constant(3)).unwrap_or_default();
        let b = compare("==", &Affine::symbol("j"), &Affine::constant(0)).unwrap_or_default();
        assert_eq!(a.clone().or(b.clone()).and(a).text(), "(i < 3 or j = 0) and i < 3");
        assert!(Formula::constant(false).or(Formula::constant(true)).is_true());
        assert_eq!(b.text(), "j = 0");
    }
}
