//! Prints and parses the text form of a distribution.
//!
//! ```text
//! t = O + 3
//!   + 200*ps  arch proc  0 .. 1
//!   - 5*cs    data cell  max(-4, -17*ps) .. min(20, (59 - ps)/16)
//! layout cs
//! ```
//! A semicolon also ends a line. `t = ...` begins a dimension and gives its origin; each further line has a variable's
//! coefficient, kind, level and bounds. A bound `(...)/d` is rounded up before `..` and down after it.

use crate::distribution::{Affine, Bound, Dimension, Distribution, Kind, Variable, is_name};
use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (name, c) in &self.terms {
            let sign = match (first, *c < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            f.write_str(sign)?;
            if c.unsigned_abs() != 1 {
                write!(f, "{}*", c.unsigned_abs())?;
            }
            f.write_str(name)?;
            first = false;
        }
        match (first, self.constant) {
            (true, c) => write!(f, "{c}"),
            (false, 0) => Ok(()),
            (false, c) if c < 0 => write!(f, " - {}", c.unsigned_abs()),
            (false, c) => write!(f, " + {c}"),
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.divisor == 1 { write!(f, "{}", self.affine) } else { write!(f, "({})/{}", self.affine, self.divisor) }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for d in &self.dimensions {
            writeln!(f, "t = {}", d.offset)?;
            for v in &d.variables {
                let kind = if v.kind == Kind::Arch { "arch" } else { "data" };
                let sign = if v.coef < 0 { '-' } else { '+' };
                write!(f, "  {sign} {}*{}  {kind} {}  ", v.coef.unsigned_abs(), v.name, v.level)?;
                write_bounds(f, &v.lower, "max")?;
                f.write_str(" .. ")?;
                write_bounds(f, &v.upper, "min")?;
                f.write_str("\n")?;
            }
        }
        match &self.layout {
            Some(names) => writeln!(f, "layout {}", names.join(", ")),
            None => Ok(()),
        }
    }
}

fn write_bounds(f: &mut fmt::Formatter<'_>, bounds: &[Bound], name: &str) -> fmt::Result {
    if let [one] = bounds {
        return write!(f, "{one}");
    }
    let all: Vec<String> = bounds.iter().map(Bound::to_string).collect();
    write!(f, "{name}({})", all.join(", "))
}

impl FromStr for Distribution {
    type Err = Error;

    /// Parses the text form; [`Distribution::check`] checks names and cycles.
    fn from_str(text: &str) -> Result<Self> {
        let mut found = Self::default();
        for (n, line) in text.split(['\n', ';']).enumerate() {
            let place = format!("line {}", n + 1);
            let mut words = Words { rest: line.trim(), place: &place };
            if words.rest.is_empty() || words.rest.starts_with('#') {
                continue;
            }
            if words.take_word("layout") {
                found.layout =
                    Some(words.rest.split([',', ' ']).filter(|w| !w.is_empty()).map(str::to_owned).collect());
            } else if words.take_word("t") {
                words.expect('=')?;
                let offset = words.affine()?;
                words.end()?;
                found.dimensions.push(Dimension { offset, variables: Vec::new() });
            } else {
                let variable = words.variable()?;
                let Some(d) = found.dimensions.last_mut() else {
                    return Err(Error::new(
                        place,
                        "a variable before the first dimension",
                        "begin with a line 't = 0'",
                    ));
                };
                d.variables.push(variable);
            }
        }
        Ok(found)
    }
}

/// The rest of a line.
struct Words<'a> {
    rest: &'a str,
    place: &'a str,
}

impl<'a> Words<'a> {
    fn wrong(&self, wanted: &str) -> Error {
        let found = if self.rest.is_empty() { "the end of the line" } else { self.rest };
        Error::new(self.place, format!("expected {wanted}, found '{found}'"), "see the text form of distributions")
    }

    fn take(&mut self, c: char) -> bool {
        let found = self.rest.strip_prefix(c);
        if let Some(rest) = found {
            self.rest = rest.trim_start();
        }
        found.is_some()
    }

    fn expect(&mut self, c: char) -> Result<()> {
        if self.take(c) { Ok(()) } else { Err(self.wrong(&format!("'{c}'"))) }
    }

    fn end(&self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.wrong("the end of the line")) }
    }

    /// Consumes exactly this word.
    fn take_word(&mut self, word: &str) -> bool {
        let Some(rest) = self.rest.strip_prefix(word) else { return false };
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return false;
        }
        self.rest = rest.trim_start();
        true
    }

    fn name(&mut self) -> Result<String> {
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if !is_name(name) {
            return Err(self.wrong("a name"));
        }
        self.rest = rest.trim_start();
        Ok(name.to_owned())
    }

    fn digits(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        (end > 0).then_some(digits)
    }

    fn number(&mut self, negative: bool) -> Result<Option<i64>> {
        let Some(digits) = self.digits() else { return Ok(None) };
        let value = format!("{}{digits}", if negative { "-" } else { "" }).parse::<i64>();
        let value = value.map_err(|_| Error::overflow(self.place, digits))?;
        Ok(Some(value))
    }

    fn affine(&mut self) -> Result<Affine> {
        let mut sum = Affine::default();
        let mut negative = self.take('-');
        loop {
            if let Some(c) = self.number(negative)? {
                if self.take('*') {
                    sum.terms.push((self.name()?, c));
                } else {
                    let total = sum.constant.checked_add(c);
                    sum.constant = total.ok_or_else(|| Error::overflow(self.place, "the constant"))?;
                }
            } else {
                sum.terms.push((self.name()?, if negative { -1 } else { 1 }));
            }
            negative = if self.take('+') {
                false
            } else if self.take('-') {
                true
            } else {
                return Ok(sum);
            };
        }
    }

    fn bound(&mut self) -> Result<Bound> {
        if !self.take('(') {
            return Ok(self.affine()?.into());
        }
        let affine = self.affine()?;
        self.expect(')')?;
        self.expect('/')?;
        let divisor = self.number(false)?.ok_or_else(|| self.wrong("a divisor"))?;
        Ok(Bound { affine, divisor })
    }

    fn bounds(&mut self, function: &str) -> Result<Vec<Bound>> {
        let before = self.rest;
        if self.take_word(function) && self.take('(') {
            let mut all = vec![self.bound()?];
            while self.take(',') {
                all.push(self.bound()?);
            }
            self.expect(')')?;
            return Ok(all);
        }
        self.rest = before;
        Ok(vec![self.bound()?])
    }

    fn variable(&mut self) -> Result<Variable> {
        let negative = self.take('-');
        if !negative {
            self.expect('+')?;
        }
        let coef = self.number(negative)?.ok_or_else(|| self.wrong("a coefficient"))?;
        self.expect('*')?;
        let name = self.name()?;
        let kind = match (self.take_word("arch"), self.take_word("data")) {
            (true, _) => Kind::Arch,
            (_, true) => Kind::Data,
            _ => return Err(self.wrong("'arch' or 'data'")),
        };
        let level = self.name()?;
        let lower = self.bounds("max")?;
        self.expect('.')?;
        self.expect('.')?;
        let upper = self.bounds("min")?;
        self.end()?;
        Ok(Variable { name, coef, lower, upper, kind, level })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::layouts::{block_cyclic, halo, suffixed};

    #[test]
    fn what_is_printed_parses_to_the_same() {
        let dimensions =
            vec![suffixed(block_cyclic(60, 2, 8).unwrap(), "1"), suffixed(halo(50, 3, 2, 1).unwrap(), "2")];
        let mut d = Distribution { dimensions, layout: Some(vec!["l2".into(), "c1".into(), "l1".into()]) };
        d.dimensions[1].offset = Affine::constant(-3).plus(2, "O").plus(-1, "N");
        d.dimensions[1].variables[1].coef = -5;
        let text = d.to_string();
        assert_eq!(text.parse::<Distribution>().unwrap(), d, "{text}");
    }

    #[test]
    fn mistakes_name_the_line() {
        for (text, place) in [
            ("+ 1*l data cell 0 .. 3", "line 1"),
            ("t = 0\n  + 1*l data cell 0 . 3", "line 2"),
            ("t = 0\n\n  1*l data cell 0 .. 3", "line 3"),
            ("t = 99999999999999999999", "line 1"),
            ("t = 0\n+ 1*l disk cell 0 .. 3", "line 2"),
        ] {
            assert_eq!(text.parse::<Distribution>().unwrap_err().place, place, "{text}");
        }
    }
}
