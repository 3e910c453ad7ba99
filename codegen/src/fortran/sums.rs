//! Sums of values with whole factors: what subscripts differ by.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A sum.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WholeSum {
    /// Factors by the text of C that they stand before; none is 0.
    terms: BTreeMap<String, i64>,
    constant: i64,
}

impl WholeSum {
    /// A number.
    pub fn constant(number: i64) -> WholeSum {
        WholeSum { terms: BTreeMap::new(), constant: number }
    }

    /// A value that is known by its text.
    pub fn term(text: &str) -> WholeSum {
        WholeSum { terms: BTreeMap::from([(text.to_owned(), 1)]), constant: 0 }
    }

    /// This and `factor` times another sum; `None` if a number becomes too large.
    pub fn plus(&self, other: &WholeSum, factor: i64) -> Option<WholeSum> {
        let mut made = self.clone();
        made.constant = made.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (text, own) in &other.terms {
            let entry = made.terms.entry(text.clone()).or_insert(0);
            *entry = entry.checked_add(own.checked_mul(factor)?)?;
        }
        made.terms.retain(|_, factor| *factor != 0);
        Some(made)
    }

    /// This sum, `factor` times.
    pub fn times(&self, factor: i64) -> Option<WholeSum> {
        WholeSum::default().plus(self, factor)
    }

    /// Its value, if that is a number.
    pub fn number(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The factor of a text.
    pub fn factor(&self, text: &str) -> i64 {
        self.terms.get(text).copied().unwrap_or(0)
    }

    /// Whether it has a counter of the loops that arrays as a whole become.
    pub fn has_own(&self) -> bool {
        self.terms.keys().any(|text| text.starts_with("_s"))
    }

    /// As Fortran, if `of` tells the text of each value there.
    pub fn fortran(&self, of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        let mut all = format!("{}_8", self.constant);
        for (name, factor) in &self.terms {
            let sign = if *factor < 0 { '-' } else { '+' };
            let _ = write!(all, "{sign}{}_8*{}", factor.unsigned_abs(), of(name)?);
        }
        Some(all)
    }

    /// As C.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let numbers = self.terms.iter().map(|(name, factor)| (Some(name), *factor));
        for (name, factor) in numbers.chain([(None, self.constant)]) {
            if factor == 0 {
                continue;
            }
            match (text.is_empty(), factor < 0) {
                (true, true) => text.push('-'),
                (true, false) => {}
                (false, true) => text.push_str(" - "),
                (false, false) => text.push_str(" + "),
            }
            let size = factor.unsigned_abs();
            match name {
                Some(name) if size == 1 => text.push_str(name),
                Some(name) => _ = write!(text, "{size}*{name}"),
                None => text.push_str(&size.to_string()),
            }
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_cancel_and_print() {
        let (n, i) = (WholeSum::term("n"), WholeSum::term("i"));
        let sum = i.plus(&n, -2).and_then(|s| s.plus(&WholeSum::constant(3), -1)).unwrap();
        assert_eq!((sum.text().as_str(), sum.factor("n"), sum.number()), ("i - 2*n - 3", -2, None));
        let rest = sum.plus(&i, -1).and_then(|s| s.plus(&n, 2)).unwrap();
        assert_eq!((rest.number(), rest.text().as_str()), (Some(-3), "-3"));
        let spelled = |name: &str| (name != "x").then(|| format!("size({name},1,8)"));
        assert_eq!(sum.fortran(&spelled).as_deref(), Some("-3_8+1_8*size(i,1,8)-2_8*size(n,1,8)"));
        assert_eq!(WholeSum::term("x").fortran(&spelled), None);
        assert_eq!(WholeSum::default().text(), "0");
        assert_eq!(WholeSum::constant(i64::MAX).plus(&WholeSum::constant(1), 1), None);
    }
}
