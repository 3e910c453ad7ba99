//! Names for isl. Each denotes one object of the region, and differs from the tool's own names.

use crate::planted::planted;
use std::collections::{BTreeSet, HashMap};

/// Words that isl does not read as names, in upper or lower case.
const RESERVED: [&str; 19] = [
    "and", "or", "not", "exists", "implies", "mod", "min", "max", "floor", "ceil", "floord", "ceild", "true", "false",
    "rat", "infty", "infinity", "nan", "int",
];

/// The names in use.
#[derive(Debug, Clone, Default)]
pub struct Symbols {
    taken: BTreeSet<String>,
    counters: HashMap<String, String>,
}

impl Symbols {
    /// The names of a region's counters. Counters of the same C name share a symbol: loops of a nest cannot share a
    /// counter's name, so the two never occur in one set.
    pub fn of_counters<'n>(names: impl Iterator<Item = &'n str>) -> Symbols {
        let mut symbols = Symbols::default();
        let sorted: BTreeSet<&str> = names.collect();
        // Names that isl accepts stay as they are, whatever the others become.
        let (plain, other): (Vec<&str>, Vec<&str>) = sorted.into_iter().partition(|name| isl_safe(name) == **name);
        for name in plain.into_iter().chain(other) {
            let symbol = if planted("a4-names") { isl_safe(name) } else { symbols.fresh(name) };
            symbols.counters.insert(name.to_owned(), symbol);
        }
        symbols
    }

    /// The symbol of a counter.
    pub fn counter(&mut self, name: &str) -> String {
        if let Some(symbol) = self.counters.get(name) {
            return symbol.clone();
        }
        let symbol = self.fresh(name);
        self.counters.insert(name.to_owned(), symbol.clone());
        symbol
    }

    /// A name that is not yet in use.
    pub fn fresh(&mut self, base: &str) -> String {
        let mut name = isl_safe(base);
        while is_own(&name) || !self.taken.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// The tuple variable of the `k`-th subscript of an access.
pub fn subscript(k: usize) -> String {
    format!("o{k}")
}

/// The name of the `k`-th statement.
pub fn statement(k: usize) -> String {
    format!("S{k}")
}

/// Whether the tool uses the name beside names of the region.
fn is_own(name: &str) -> bool {
    let numbered =
        name.strip_prefix(['o', 'S']).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    numbered && !planted("a4-names")
}

/// A name that isl accepts; names of C may contain other letters.
fn isl_safe(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if RESERVED.contains(&plain.to_ascii_lowercase().as_str()) { format!("{plain}_") } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_names_become_one() {
        let mut symbols = Symbols::of_counters(["max", "max_", "i$", "i_", "é", "o0", "n"].into_iter());
        let names: Vec<String> =
            ["max", "max_", "i$", "i_", "é", "o0", "n"].iter().map(|n| symbols.counter(n)).collect();
        assert_eq!(names, ["max__", "max_", "i__", "i_", "_", "o0_", "n"]);
        assert_eq!(
            (symbols.fresh("n"), symbols.fresh("S12"), symbols.fresh("ü")),
            ("n_".into(), "S12_".into(), "__".into())
        );
    }
}
