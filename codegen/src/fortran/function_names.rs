//! What names of functions mean: generic names, names that `bind(c)` gives, and whether an interface is seen.

use super::statements::FortranStatement;
use std::collections::{BTreeMap, BTreeSet};

/// Names of functions in a file and in the modules that it uses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionNames {
    /// The functions behind each generic name.
    generic: BTreeMap<String, BTreeSet<String>>,
    /// Names for the linker that `bind(c)` gives, and the functions that have them; `None` where several do.
    bound: BTreeMap<String, Option<String>>,
    /// Functions of which an interface block tells the arguments.
    explicit: BTreeSet<String>,
}

impl FunctionNames {
    /// Reads statements of a file, or of flang's text about a module.
    pub fn read(statements: &[FortranStatement]) -> FunctionNames {
        let mut all = FunctionNames::default();
        // The generic name of the interface block around; empty, if it has none.
        let mut block: Option<&str> = None;
        for statement in statements {
            let text = statement.text.as_str();
            if text == "interface" || text == "abstract interface" {
                block = Some("");
            } else if let Some(name) = text.strip_prefix("interface ") {
                block = Some(name.trim());
            } else if text.starts_with("end interface") || text.starts_with("endinterface") {
                block = None;
            } else if let Some((name, rest)) = function_head(text) {
                all.function(name, rest, block);
            } else if let Some(generic) = block.filter(|generic| !generic.is_empty()) {
                let specific = all.generic.entry(generic.to_owned()).or_default();
                specific.extend(listed_procedures(text).map(str::to_owned));
            }
        }
        all
    }

    /// Takes what another text says.
    pub fn join(&mut self, other: &FunctionNames) {
        for (name, functions) in &other.generic {
            self.generic.entry(name.clone()).or_default().extend(functions.iter().cloned());
        }
        for (label, name) in &other.bound {
            self.bind(label, name.as_deref());
        }
        self.explicit.extend(other.explicit.iter().cloned());
    }

    fn function(&mut self, name: &str, rest: &str, block: Option<&str>) {
        let label = bound_name(name, rest);
        if let Some(block) = block {
            // Another function may have the same name for Fortran, where this one has another for the linker.
            if label.is_none() {
                self.explicit.insert(name.to_owned());
            }
            if !block.is_empty() {
                self.generic.entry(block.to_owned()).or_default().insert(name.to_owned());
            }
        }
        if let Some(label) = label {
            self.bind(&label, Some(name));
        }
    }

    fn bind(&mut self, label: &str, name: Option<&str>) {
        let known = self.bound.entry(label.to_owned()).or_insert_with(|| name.map(str::to_owned));
        if known.as_deref() != name {
            *known = None;
        }
    }

    /// The name in Fortran of the function that flang calls `symbol`.
    pub fn name_of<'t>(&'t self, symbol: &'t str) -> &'t str {
        if symbol.starts_with("_Q") {
            return symbol.rsplit_once('P').map_or(symbol, |(_, name)| name);
        }
        self.bound.get(symbol).and_then(Option::as_deref).unwrap_or(symbol)
    }

    /// Whether one of `names` means the function `name`: by its own name, or as a generic name.
    pub fn means(&self, names: &[String], name: &str) -> bool {
        names.iter().any(|one| one == name || self.generic.get(one).is_some_and(|functions| functions.contains(name)))
    }

    /// Generic names of functions among `names`.
    pub fn generic_names<'t>(&'t self, names: &'t [String]) -> impl Iterator<Item = &'t String> {
        let has = |functions: &BTreeSet<String>| names.iter().any(|name| functions.contains(name));
        self.generic.iter().filter(move |(_, functions)| has(functions)).map(|(name, _)| name)
    }

    /// Whether an interface block tells the arguments of a function that is in no module.
    pub fn is_explicit(&self, name: &str) -> bool {
        self.explicit.contains(name)
    }
}

/// The name and the rest of `... function name(...) ...`.
fn function_head(text: &str) -> Option<(&str, &str)> {
    let at = text.find("function ").filter(|at| *at == 0 || text[..*at].ends_with([' ', ')']))?;
    let (before, rest) = (&text[..at], text[at + "function ".len()..].trim_start());
    let is_prefix = |c: char| c.is_ascii_alphanumeric() || " ()_*=,:".contains(c);
    if before.starts_with("end") || before.contains("::") || !before.chars().all(is_prefix) {
        return None;
    }
    let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let (name, rest) = rest.split_at(length);
    rest.trim_start().strip_prefix('(').filter(|_| !name.is_empty()).map(|rest| (name, rest))
}

/// The name for the linker of a function whose head ends in `rest`, if it has `bind(c)`.
fn bound_name(name: &str, rest: &str) -> Option<String> {
    let (_, rest) = rest.split_once(')')?;
    let (_, rest) = rest.split_once("bind")?;
    let inside = rest.trim_start().strip_prefix('(')?;
    let Some(quoted) = inside.split_once(['"', '\'']) else { return Some(name.to_owned()) };
    let label = quoted.1.split(['"', '\'']).next()?.trim();
    (!label.is_empty()).then(|| label.to_owned())
}

/// The names of `procedure a, b`, `procedure :: a` and `module procedure a`.
fn listed_procedures(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix("module").map_or(text, str::trim_start);
    let list = text.strip_prefix("procedure").unwrap_or_default();
    list.trim_start().trim_start_matches(':').split(',').map(str::trim).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::statements::{SourceForm, statements};
    use super::*;

    #[test]
    fn functions_and_their_names_are_found() {
        let text = "interface g\nmodule procedure g4, g8\nprocedure :: g1\npure real function g2(x)\nend function\n\
            end interface\ninterface\nreal(8) function e(x) result(y)\nend function e\n\
            function q(x, y) bind(c, name=\"Cq\")\nend function\nend interface\n\
            Pure Real(Kind=8) Function own(x) Bind(C)\nend function\nx = function (3)\n";
        let all = FunctionNames::read(&statements(text, SourceForm::Free));
        let generic: BTreeSet<String> = ["g4", "g8", "g1", "g2"].map(str::to_owned).into();
        assert_eq!(all.generic, [("g".to_owned(), generic)].into());
        assert!(["g2", "e"].iter().all(|name| all.is_explicit(name)));
        assert!(!["q", "own"].iter().any(|name| all.is_explicit(name)));
        assert_eq!((all.name_of("Cq"), all.name_of("own"), all.name_of("_QMmPf")), ("q", "own", "f"));
        let names = ["g".to_owned(), "e".to_owned()];
        assert!(all.means(&names, "g8") && all.means(&names, "e") && !all.means(&names, "q"));
        assert_eq!(all.generic_names(&["g8".to_owned()]).collect::<Vec<_>>(), ["g"]);
        let mut both = all.clone();
        both.join(&FunctionNames { bound: [("Cq".to_owned(), Some("r".to_owned()))].into(), ..Default::default() });
        assert_eq!(both.name_of("Cq"), "Cq");
    }
}
