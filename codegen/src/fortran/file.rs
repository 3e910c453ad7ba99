//! A file of Fortran: its statements, and what flang says about it. Looks at the words of regions and of the functions
//! that they call.

use super::constant_powers::{self, OperandKind};
use super::external_functions::mark_of;
use super::function_names::FunctionNames;
use super::hlfir::HlfirOp;
use super::intrinsic_names::is_intrinsic;
use super::modules::FileModules;
use super::refused::FortranRefusal;
use super::shown_calls::{self, Expected};
use super::statements::FortranStatement;
use super::variables::{Declared, FortranArray, FortranKind, attribute};
use super::words;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a file of a program consists of.
pub struct FileParts<'a> {
    /// Its statements, in order.
    pub statements: &'a [FortranStatement],
    /// Its procedures and globals.
    pub all: &'a [HlfirOp],
    /// The modules that it makes or uses.
    pub modules: &'a FileModules,
    /// Names of functions in it.
    pub functions: FunctionNames,
    /// What is known of it if it is another file than the one that is compiled.
    pub kept: Option<KeptParts<'a>>,
}

/// What is known of a file that was compiled before.
pub struct KeptParts<'a> {
    /// Its source.
    pub source: &'a Path,
    /// The number of its text.
    pub number: u64,
    /// Its procedures' names for the linker.
    pub labels: &'a BTreeMap<String, String>,
}

impl<'a> FileParts<'a> {
    /// The file that is compiled.
    pub fn own(statements: &'a [FortranStatement], all: &'a [HlfirOp], modules: &'a FileModules) -> FileParts<'a> {
        FileParts { statements, all, modules, functions: FunctionNames::read(statements), kept: None }
    }
}

/// Files whose procedures call each other: first the one that is compiled.
pub struct FileGroup<'a> {
    /// The files.
    pub files: Vec<FileParts<'a>>,
    /// Procedures of others that are not taken: a reason and a remedy.
    pub problems: &'a BTreeMap<String, (String, String)>,
}

/// A procedure that is called.
pub struct FoundProcedure<'a> {
    /// Its file.
    pub file: FortranFile<'a>,
    /// What flang says about it.
    pub procedure: &'a HlfirOp,
    /// If it is of another file, and may be linked: its name for the linker and the one that its object has at the same place.
    pub identity: Option<(String, String)>,
}

/// A file.
#[derive(Clone)]
pub struct FortranFile<'a> {
    /// Its statements, in order.
    pub statements: &'a [FortranStatement],
    /// Its procedures and globals.
    pub all: &'a [HlfirOp],
    /// The modules that it makes or uses.
    pub modules: &'a FileModules,
    /// Names of functions in it and in these modules.
    pub functions: FunctionNames,
    /// It, and the files whose procedures may be called.
    group: &'a FileGroup<'a>,
    /// Its place among these.
    at: usize,
}

impl<'a> FortranFile<'a> {
    /// The file that is compiled.
    pub fn new(group: &'a FileGroup<'a>) -> FortranFile<'a> {
        FortranFile::of(group, 0)
    }

    fn of(group: &'a FileGroup<'a>, at: usize) -> FortranFile<'a> {
        let parts = &group.files[at];
        let mut functions = parts.functions.clone();
        functions.join(&parts.modules.functions);
        FortranFile { statements: parts.statements, all: parts.all, modules: parts.modules, functions, group, at }
    }

    /// The procedure with a name of flang's, such as `_QMmPf`, in this file or another; or why it is not taken.
    pub fn find(&self, symbol: &str) -> Result<FoundProcedure<'a>, Option<(String, String)>> {
        let others = (0..self.group.files.len()).filter(|at| *at != self.at);
        for at in std::iter::once(self.at).chain(others) {
            let Some(procedure) = procedure_in(self.group.files[at].all, symbol) else { continue };
            let mut identity = None;
            if let Some(kept) = &self.group.files[at].kept {
                match kept.labels.get(symbol).filter(|label| !label.is_empty()) {
                    Some(label) => identity = Some((label.clone(), mark_of(label, kept.number))),
                    None if at == self.at => {}
                    None => {
                        let reason = "gfortran makes no name of it that other files may call";
                        return Err(Some((reason.to_owned(), "make it public in its module".to_owned())));
                    }
                }
            }
            let file = FortranFile::of(self.group, at);
            if file.equivalence(procedure).is_some() {
                let remedy = "give its arrays storage of their own";
                return Err(Some(("the subprogram has an EQUIVALENCE".to_owned(), remedy.to_owned())));
            }
            return Ok(FoundProcedure { file, procedure, identity });
        }
        Err(self.group.problems.get(symbol).cloned())
    }

    /// The EQUIVALENCE that concerns a procedure of this file: names that reach the same memory are not told apart. Those of
    /// other external procedures do not: their names are their own, also of what is in COMMON.
    pub fn equivalence(&self, procedure: &HlfirOp) -> Option<&'a FortranStatement> {
        let unit = external_procedure(procedure);
        let mut all = self.statements.iter().filter(|s| s.text.starts_with("equivalence"));
        all.find(|s| self.external_procedure_at(s.first).is_none_or(|owner| Some(owner) == unit))
    }

    /// The external procedure that surely has the declaration at a line.
    fn external_procedure_at(&self, line: u32) -> Option<&'a str> {
        let own = self.all.iter().filter(|op| op.name == "func.func" && op.is_own && !op.regions.is_empty());
        let begin = own.filter(|op| op.place.0 > 0 && op.place.0 <= line).max_by_key(|op| op.place.0)?;
        // Text of a module, a program or another unit may stand between.
        let ends = |s: &FortranStatement| {
            let begins = ["module", "submodule", "program", "block", "contains", "interface", "entry", "#"];
            s.text.starts_with("end") || begins.iter().any(|begin| s.text.starts_with(begin))
        };
        let mut between = self.statements.iter().filter(|s| s.first > begin.place.0 && s.first < line);
        external_procedure(begin).filter(|_| !between.any(ends))
    }

    /// What messages call a procedure.
    pub fn spoken(&self, symbol: &str) -> String {
        let name = self.functions.name_of(symbol).to_owned();
        let file = self.find(symbol).ok().and_then(|found| self.group.files[found.file.at].kept.as_ref());
        let file = file.and_then(|kept| kept.source.file_name());
        file.map_or(name.clone(), |file| format!("{name}` of `{}", file.to_string_lossy()))
    }

    /// The procedure with a name of flang's, in this file.
    pub fn procedure(&self, symbol: &str) -> Option<&'a HlfirOp> {
        procedure_in(self.all, symbol)
    }

    /// Names under which procedures of the file may be called.
    fn callable(&self) -> impl Iterator<Item = String> {
        let all = self.group.files.iter().flat_map(|file| file.all);
        let symbols = all.filter(|op| op.name == "func.func" && !op.regions.is_empty());
        let symbols = symbols.filter_map(|op| attribute(&op.text, "@", '('));
        // Of those that are not taken, the reason is told where they are looked for.
        let symbols = symbols.chain(self.group.problems.keys().map(String::as_str));
        let names = symbols.filter_map(|symbol| symbol.rsplit_once('P').map(|(_, name)| name));
        let generic = self.statements.iter().filter_map(|s| s.text.strip_prefix("interface "));
        names.chain(generic).map(|name| name.trim().to_owned())
    }

    /// The statements of a procedure before its first action.
    pub fn declarations(&self, procedure: &HlfirOp) -> impl Iterator<Item = &FortranStatement> {
        let begin = self.statements.iter().position(|s| procedure.is_own && s.first == procedure.place.0);
        let inside = begin.map_or(&[][..], |begin| &self.statements[begin + 1..]).iter();
        inside.take_while(|s| words::is_declaration(&s.text) || s.text.starts_with("include "))
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
        procedure: &HlfirOp,
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
        let of_variables = |name: &str| {
            declared.constants.contains_key(name) || declared.variables.values().any(|variable| variable.name == name)
        };
        let of_statements = self.statement_functions(procedure, statements.first().map_or(0, |s| s.first));
        let may_be_intrinsic = |name: &str| is_intrinsic(name) && !of_variables(name);
        let (mut lines, mut taken) = (BTreeMap::new(), BTreeSet::new());
        for statement in statements {
            let referenced = shown_calls::referenced(&statement.text);
            if let Some(name) = referenced.iter().find(|name| of_statements.contains(*name) && !of_variables(name)) {
                let reason = format!("`{name}` is a statement function here, which flang does not show");
                let remedy =
                    "write a function of the module for it; or assign its value to a variable before the region";
                return Err(FortranRefusal::new(statement.first, &reason, remedy));
            }
            let candidates = referenced.into_iter().filter(|name| may_be_intrinsic(name)).collect();
            let intrinsic = self.intrinsic_of(candidates, statement, procedure);
            for name in check_words(statement, &intrinsic, &names, pure)? {
                lines.entry(name).or_insert(statement.first);
            }
            taken
                .extend(intrinsic.into_iter().filter(|name| words::is_taken(name)).map(|name| (statement.first, name)));
            constant_powers::check(statement, &|name| operand_kind(declared, name))?;
        }
        let is_function =
            |line: u32, name: &str| names.contains(name) && !of_variables(name) && !taken.contains(&(line, name));
        let powers =
            |statement: &FortranStatement| constant_powers::shown(statement, &|name| operand_kind(declared, name));
        let is_constant =
            |kind: &FortranKind| matches!(kind, FortranKind::Constant { element, .. } if element.is_complex());
        let is_complex = |name: &str| {
            declared.constants.get(name).is_some_and(is_constant)
                || declared.variables.values().any(|variable| variable.name == name && is_constant(&variable.kind))
        };
        let expected = Expected { is_function: &is_function, powers: &powers, is_complex: &is_complex };
        shown_calls::check(statements, procedure, &self.functions, &expected)?;
        Ok(lines)
    }

    /// Those of `names` in a statement of a procedure that surely are intrinsic functions: flang calls no function of the program there, by
    /// such a name or by one that the statement does not have.
    fn intrinsic_of<'s>(
        &self,
        mut names: BTreeSet<&'s str>,
        statement: &'s FortranStatement,
        procedure: &HlfirOp,
    ) -> BTreeSet<&'s str> {
        if names.is_empty() {
            return names;
        }
        let words = words::tokens(&statement.text);
        let is_here = |op: &&HlfirOp| op.is_own && (statement.first..=statement.last).contains(&op.place.0);
        for call in procedure.inner().into_iter().filter(is_here).filter(|op| op.name.starts_with("fir.call")) {
            // A call of a dummy procedure has no name.
            let Some(symbol) = attribute(&call.text, "@", '(') else { return BTreeSet::new() };
            let called = self.functions.name_of(symbol);
            if symbol.starts_with("_Q") || call.text.contains("is_bind_c") {
                if !words.contains(&called) {
                    return BTreeSet::new();
                }
                names.remove(called);
            }
        }
        names
    }

    /// Names of statement functions of a procedure, or of the one around it, before a line, and of arrays whose elements are assigned: both
    /// have the same form.
    fn statement_functions(&self, procedure: &HlfirOp, line: u32) -> BTreeSet<&str> {
        let behind = |from: u32| self.statements.iter().filter(move |s| s.first > from && s.first < line);
        let host = around(procedure).and_then(|symbol| self.procedure(&symbol)).map(|host| host.place.0);
        let of_host = behind(host.unwrap_or(line)).take_while(|s| s.text != "contains");
        let all = of_host.chain(behind(procedure.place.0)).filter(|s| words::is_assignment(&s.text));
        let names = all.filter_map(|s| {
            let all = words::tokens(&s.text);
            let end = all.iter().position(|token| *token == ")")?;
            (all.get(1) == Some(&"(") && all.get(end + 1) == Some(&"=")).then_some(all[0])
        });
        names.collect()
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

/// Checks the words of a statement in which `intrinsic` are surely intrinsic functions; gives those of `names` that it has.
fn check_words(
    statement: &FortranStatement,
    intrinsic: &BTreeSet<&str>,
    names: &BTreeSet<String>,
    pure: &[String],
) -> Result<BTreeSet<String>, FortranRefusal> {
    let is_called = |name: &&String| intrinsic.contains(name.as_str());
    if let Some(name) = pure.iter().filter(is_called).find(|name| words::is_taken(name)) {
        let reason = format!("the intrinsic function `{name}` needs no `pure`");
        return Err(FortranRefusal::new(statement.first, &reason, "leave it out of the mark"));
    }
    // Another procedure of the file, or the mark, may have the name of an intrinsic function.
    let mut names = Cow::Borrowed(names);
    if intrinsic.iter().any(|name| names.contains(*name) && !words::is_function(name)) {
        names.to_mut().retain(|name| !intrinsic.contains(name.as_str()) || words::is_function(name));
    }
    let mut used = BTreeSet::new();
    words::check(statement, &names, &|name| !intrinsic.contains(name), &mut used)?;
    Ok(used)
}

/// What a name is, if it is that of a variable or a constant.
fn operand_kind(declared: &Declared, name: &str) -> Option<OperandKind> {
    let own = declared.variables.values().filter(|variable| variable.name == name).map(|variable| &variable.kind);
    let kinds = own.chain(declared.constants.get(name)).map(|kind| match kind {
        FortranKind::Constant { element, .. } | FortranKind::Array(FortranArray { element, values: Some(_), .. }) => {
            if element.is_whole() {
                OperandKind::WholeConstant
            } else {
                OperandKind::RealConstant
            }
        }
        _ => OperandKind::Variable,
    });
    // If one of several with the name is a real constant, the name may mean that.
    kinds.max_by_key(|kind| *kind == OperandKind::RealConstant)
}

/// The name of the external procedure that a procedure is or lies in, by flang's name such as `_QPouter` and `_QFouterPinner`.
fn external_procedure(procedure: &HlfirOp) -> Option<&str> {
    let symbol = attribute(&procedure.text, "@", '(')?;
    let rest = symbol.strip_prefix("_QP").or_else(|| symbol.strip_prefix("_QF"))?;
    let name = rest.split(|c: char| c.is_ascii_uppercase()).next()?;
    Some(name).filter(|name| !name.is_empty())
}

/// Flang's name of the procedure or program around an internal one.
fn around(procedure: &HlfirOp) -> Option<String> {
    let (before, _) = attribute(&procedure.text, "@", '(')?.rsplit_once('P')?;
    let (scope, host) = before.rsplit_once('F')?;
    Some(if host.is_empty() { "_QQmain".to_owned() } else { format!("{scope}P{host}") })
}

fn procedure_in<'a>(all: &'a [HlfirOp], symbol: &str) -> Option<&'a HlfirOp> {
    let is_it = |op: &&HlfirOp| op.name == "func.func" && attribute(&op.text, "@", '(') == Some(symbol);
    all.iter().find(|op| is_it(op) && !op.regions.is_empty())
}
