//! A file of Fortran: its statements, and what flang says about it. Looks at the words of regions and of the functions
//! that they call.

use super::function_names::FunctionNames;
use super::hlfir::HlfirOp;
use super::modules::FileModules;
use super::refused::FortranRefusal;
use super::statements::FortranStatement;
use super::types::Element;
use super::values::fortran_real;
use super::variables::{Declared, FortranKind, attribute};
use super::words;
use std::collections::{BTreeMap, BTreeSet};

/// A file.
pub struct FortranFile<'a> {
    /// Its statements, in order.
    pub statements: &'a [FortranStatement],
    /// Its procedures and globals.
    pub all: &'a [HlfirOp],
    /// The modules that it makes or uses.
    pub modules: &'a FileModules,
    /// Names of functions in it and in these modules.
    pub functions: FunctionNames,
}

/// A real named constant that a text names, and the value that flang has put in.
pub struct NamedReal {
    /// Its name.
    pub name: String,
    /// Its value, as Fortran.
    pub value: String,
}

impl<'a> FortranFile<'a> {
    /// A file of these parts.
    pub fn new(statements: &'a [FortranStatement], all: &'a [HlfirOp], modules: &'a FileModules) -> FortranFile<'a> {
        let mut functions = FunctionNames::read(statements);
        functions.join(&modules.functions);
        FortranFile { statements, all, modules, functions }
    }

    /// The procedure with a name of flang's, such as `_QMmPf`.
    pub fn procedure(&self, symbol: &str) -> Option<&HlfirOp> {
        let is_it = |op: &&HlfirOp| op.name == "func.func" && attribute(&op.text, "@", '(') == Some(symbol);
        self.all.iter().find(|op| is_it(op) && !op.regions.is_empty())
    }

    /// Names under which procedures of the file may be called.
    fn callable(&self) -> impl Iterator<Item = String> {
        let symbols = self.all.iter().filter(|op| op.name == "func.func" && !op.regions.is_empty());
        let names = symbols.filter_map(|op| attribute(&op.text, "@", '(')?.rsplit_once('P').map(|(_, name)| name));
        let generic = self.statements.iter().filter_map(|s| s.text.strip_prefix("interface "));
        names.chain(generic).map(|name| name.trim().to_owned())
    }

    /// The actions of a procedure, without the `return` at its end; or the line of a statement that is not taken.
    pub fn actions(&self, procedure: &HlfirOp) -> Result<Vec<&FortranStatement>, FortranRefusal> {
        let begin = self.statements.iter().position(|s| procedure.is_own && s.first == procedure.place.0);
        let Some(begin) = begin else {
            let remedy = "write its statements into this file";
            return Err(FortranRefusal::new(procedure.place.0, "its text is not in this file", remedy));
        };
        let ends = |text: &str| {
            ["end", "contains", "endfunction", "endsubroutine"].contains(&text)
                || ["end function", "endfunction ", "end subroutine", "endsubroutine "]
                    .iter()
                    .any(|end| text.starts_with(end))
        };
        let inside = self.statements[begin + 1..].iter().take_while(|s| !ends(&s.text));
        // Included declarations show in flang's text, where actions of other files are refused.
        let actions = inside.skip_while(|s| words::is_declaration(&s.text) || s.text.starts_with("include "));
        let mut all: Vec<&FortranStatement> = actions.filter(|s| !words::is_declaration(&s.text)).collect();
        if all.last().is_some_and(|s| s.text == "return" && s.label.is_none()) {
            all.pop();
        }
        Ok(all)
    }

    /// Checks the words of statements of a procedure, which may call functions of a clause `pure`; gives those that are names.
    pub fn names_used(
        &self,
        declared: &Declared,
        statements: &[&FortranStatement],
        pure: &[String],
    ) -> Result<BTreeMap<String, u32>, FortranRefusal> {
        let mut names = BTreeSet::new();
        for variable in declared.variables.values() {
            let same = declared.variables.values().filter(|v| v.name == variable.name && v.scope != variable.scope);
            if same.count() == 0 {
                names.insert(variable.name.clone());
            }
        }
        names.extend(declared.constants.keys().cloned());
        names.extend(self.callable());
        names.extend(pure.iter().chain(self.functions.generic_names(pure)).cloned());
        let mut lines = BTreeMap::new();
        for statement in statements {
            let mut used = BTreeSet::new();
            words::check(statement, &names, &mut used)?;
            for name in used {
                lines.entry(name).or_insert(statement.first);
            }
        }
        Ok(lines)
    }

    /// Refuses names that are also macros: flang has put in what they stand for.
    pub fn without_macros(&self, used: &BTreeMap<String, u32>, line: u32) -> Result<(), FortranRefusal> {
        let macros =
            self.statements.iter().filter_map(|s| s.text.strip_prefix('#')?.trim_start().strip_prefix("define "));
        let mut macros = macros.filter_map(|rest| rest.split(['(', ' ', '\t']).find(|word| !word.is_empty()));
        let is_used = |word: &str| used.contains_key(word) || used.contains_key(&format!("%{word}"));
        match macros.find(|word| is_used(&word.to_ascii_lowercase())) {
            Some(word) => {
                let reason = format!("`{}` is also a macro", word.to_ascii_lowercase());
                Err(FortranRefusal::new(line, &reason, "give the macro another name"))
            }
            None => Ok(()),
        }
    }
}

/// Refuses variables that are not taken; gives the real constants among the names, in order.
pub fn real_constants(
    declared: &Declared,
    used: &BTreeMap<String, u32>,
    line: u32,
) -> Result<Vec<NamedReal>, FortranRefusal> {
    let mut all = Vec::new();
    let variables = declared.variables.values().map(|variable| (&variable.name, &variable.kind));
    for (name, kind) in variables.chain(&declared.constants) {
        let Some(used) = used.get(name) else { continue };
        let (element, value) = match kind {
            FortranKind::Constant { element, value } => (element, value),
            FortranKind::Other(reason, remedy) => {
                return Err(FortranRefusal::new(*used, &format!("`{name}` {reason}"), remedy));
            }
            _ => continue,
        };
        if matches!(element, Element::F32 | Element::F64) {
            let Some(value) = fortran_real(value, *element) else {
                let reason = format!("the constant `{name}` has a value that is not taken");
                return Err(FortranRefusal::new(line, &reason, "copy it to a variable before the region"));
            };
            all.push(NamedReal { name: name.clone(), value });
        }
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}
