//! What a text says about modules: which it makes, which it uses, and what it renames.

use super::function_names::FunctionNames;
use super::statements::{FortranStatement, SourceForm, statements};
use std::collections::{BTreeMap, BTreeSet};

/// The modules of a text. A submodule is named as flang names its file: `parent-name`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleUses {
    /// Those that it makes.
    pub made: BTreeSet<String>,
    /// Those that it needs.
    pub used: BTreeSet<String>,
    /// Names that stand on either side of a `=>` in a `use` statement.
    pub renamed: BTreeSet<String>,
}

impl ModuleUses {
    /// Reads statements.
    pub fn read(statements: &[FortranStatement]) -> ModuleUses {
        let mut all = ModuleUses::default();
        for statement in statements {
            all.statement(&statement.text);
        }
        all
    }

    fn statement(&mut self, text: &str) {
        if let Some(rest) = text.strip_prefix("submodule").map(str::trim_start).and_then(|rest| rest.strip_prefix('('))
        {
            let Some((parents, name)) = rest.split_once(')') else { return };
            let mut parents = parents.split(':').map(str::trim);
            let Some(module) = parents.next() else { return };
            self.used.insert(module.to_owned());
            self.used.extend(parents.map(|parent| format!("{module}-{parent}")));
            self.made.insert(format!("{module}-{}", name.trim()));
        } else if let Some(name) = text.strip_prefix("module").filter(|rest| rest.starts_with([' ', '\t'])) {
            if is_word(name.trim()) {
                self.made.insert(name.trim().to_owned());
            }
        } else if let Some(rest) = text.strip_prefix("use").filter(|rest| rest.starts_with([' ', '\t', ',', ':'])) {
            self.use_statement(rest);
        }
    }

    fn use_statement(&mut self, rest: &str) {
        let (nature, rest) = rest.split_once("::").unwrap_or(("", rest));
        let (name, list) = rest.split_once(',').unwrap_or((rest, ""));
        // In fixed form, and in assignments to a variable named `use`, this is no `use` statement.
        if !is_word(name.trim()) || !nature.trim().chars().all(|c| c.is_ascii_alphabetic() || "_, ".contains(c)) {
            return;
        }
        if !nature.trim_matches([',', ' ', '\t']).eq("intrinsic") {
            self.used.insert(name.trim().to_owned());
        }
        for item in list.split(',').filter(|item| item.contains("=>")) {
            let item = item.trim().strip_prefix("only").map_or(item, |rest| rest.trim_start().trim_start_matches(':'));
            self.renamed.extend(item.split("=>").map(|side| side.trim().to_owned()));
        }
    }
}

/// Files in an order in which each comes after those that make the modules it uses; where modules use each other in a
/// circle, as they stand.
pub fn in_order_of_use(files: &[ModuleUses]) -> Vec<usize> {
    let (mut order, mut left): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..files.len()).collect());
    while !left.is_empty() {
        let makes = |file: usize, name: &String| files[file].made.contains(name);
        let waits = |file: usize| {
            let needs = files[file].used.iter().filter(|name| !makes(file, name));
            needs.into_iter().any(|name| left.iter().any(|other| makes(*other, name)))
        };
        let next = left.iter().position(|file| !waits(*file)).unwrap_or(0);
        order.push(left.remove(next));
    }
    order
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// What is known of modules in a file.
#[derive(Debug, Clone, Default)]
pub struct FileModules {
    /// Those whose variables flang describes as gfortran has them.
    pub known: BTreeSet<String>,
    /// Names that may mean another variable, because a `use` statement gives or takes them.
    pub renamed: BTreeSet<String>,
    /// Named constants of these modules; `None` where modules differ.
    pub constants: BTreeMap<String, Option<ModuleConstant>>,
    /// Names of their functions.
    pub functions: FunctionNames,
}

/// A named constant, as flang writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleConstant {
    /// Its type.
    pub spelling: String,
    /// The bounds of an array, such as `1_8:2_8`; nothing for a scalar.
    pub bounds: String,
    /// Its value.
    pub value: String,
}

impl FileModules {
    /// Takes the named constants and the functions of a module; `text` is flang's file about it.
    pub fn take(&mut self, text: &str) {
        let statements = statements(text, SourceForm::Free);
        self.functions.join(&FunctionNames::read(&statements));
        for statement in statements {
            let Some((head, rest)) = statement.text.split_once("::") else { continue };
            let Some((name, value)) = rest.split_once('=') else { continue };
            let mut attributes = head.split(',');
            let Some(spelling) = attributes.next() else { continue };
            if !attributes.any(|attribute| attribute == "parameter") {
                continue;
            }
            let (name, bounds) = name.strip_suffix(')').and_then(|name| name.split_once('(')).unwrap_or((name, ""));
            if !is_word(name) {
                continue;
            }
            let [spelling, bounds, value] = [spelling, bounds, value].map(str::to_owned);
            let constant = Some(ModuleConstant { spelling, bounds, value });
            let same = self.constants.get(name).is_none_or(|known| *known == constant);
            self.constants.insert(name.to_owned(), constant.filter(|_| same));
        }
    }
}

/// What `dvmfc` keeps about a module beside gfortran's file: which file of gfortran it belongs to, and flang's text or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleRecord {
    /// A number of gfortran's file.
    pub stamp: u64,
    /// Flang's module file, or a reason.
    pub text: Result<String, String>,
}

const HEAD: &str = "dvmod 1 ";

impl ModuleRecord {
    /// As a file.
    pub fn print(&self) -> String {
        match &self.text {
            Ok(text) => format!("{HEAD}{:016x}\nflang\n{text}", self.stamp),
            Err(reason) => format!("{HEAD}{:016x}\nrefused {}\n", self.stamp, reason.replace('\n', " ")),
        }
    }

    /// Reads a file; `None` if it is none.
    pub fn parse(text: &str) -> Option<ModuleRecord> {
        let (head, rest) = text.split_once('\n')?;
        let stamp = u64::from_str_radix(head.strip_prefix(HEAD)?, 16).ok()?;
        let (kind, rest) = rest.split_once('\n')?;
        let text = match kind.strip_prefix("refused ") {
            Some(reason) => Err(reason.to_owned()),
            None => (kind == "flang").then(|| Ok(rest.to_owned()))?,
        };
        Some(ModuleRecord { stamp, text })
    }
}

/// Modules that a module file of flang needs, but for those of the language itself.
pub fn needs(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("!need$ "));
    let names = lines.filter_map(|line| {
        let mut words = line.split_whitespace().skip(1);
        (words.next()? == "n").then(|| words.next().map(str::to_owned))?
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn modules_of_a_text() {
        let text = "module a\nuse b\nuse, intrinsic :: iso_c_binding\nuse, non_intrinsic :: c, only : x => y, &\n z\n\
            USE::D, e=>f\nmodule procedure q\nmodule subroutine s(x)\nuse = 3\nuse(1) = 2\nend module\n\
            submodule (a:m) n\n";
        let all = ModuleUses::read(&statements(text, SourceForm::Free));
        assert_eq!(all.made, set(&["a", "a-n"]));
        assert_eq!(all.used, set(&["a", "a-m", "b", "c", "d"]));
        assert_eq!(all.renamed, set(&["e", "f", "x", "y"]));
    }

    #[test]
    fn constants_of_modules() {
        let mut all = FileModules::default();
        all.take("integer(4),parameter,private::n=8_4\nreal(8),parameter::w(1_8:2_8)=[1._8]\nreal(8)::x=1._8\n");
        all.take("real(8),parameter::pi=3.5_8\ninteger(4),parameter::n=9_4\n");
        let constant = |bounds: &str, value: &str| {
            let [spelling, bounds, value] = ["real(8)", bounds, value].map(str::to_owned);
            Some(ModuleConstant { spelling, bounds, value })
        };
        let (pi, w) = (constant("", "3.5_8"), constant("1_8:2_8", "[1._8]"));
        assert_eq!(all.constants, [("n".to_owned(), None), ("pi".to_owned(), pi), ("w".to_owned(), w)].into());
    }

    #[test]
    fn records_print_and_parse() {
        for text in [Ok("!mod$ x\nmodule a\nend\n".to_owned()), Err("why".to_owned())] {
            let record = ModuleRecord { stamp: 77, text };
            assert_eq!(ModuleRecord::parse(&record.print()), Some(record));
        }
        assert_eq!(ModuleRecord::parse("GFORTRAN module\nflang\n"), None);
        assert_eq!(needs("\u{feff}!mod$ v1 sum:1\n!need$ 72 i iso_fortran_env\n!need$ 5 n b\nmodule a\n"), set(&["b"]));
    }
}
