//! Lets flang read a file as gfortran reads it: the same macros, and the modules that gfortran has.

use super::command_line::FortranCommand;
use super::flang::{self, Flang};
use super::module_files::{GatheredModules, ModuleFolders};
use super::modules::{FileModules, ModuleUses};
use super::preprocessed::active_text;
use super::statements::{SourceForm, statements};
use crate::driver::output_file;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads files for one command line.
#[derive(Debug)]
pub struct Lowering<'a> {
    /// The command line.
    pub command: &'a FortranCommand,
    /// The words of gfortran.
    pub fortran: &'a [String],
    /// Folders that the compiler adds by itself.
    pub added: &'a [PathBuf],
}

/// The words that a compiler command of an MPI adds.
pub fn added_words(fortran: &[String]) -> Vec<String> {
    let name = Path::new(&fortran[0]).file_name().unwrap_or_default().to_string_lossy().into_owned();
    if !name.starts_with("mpi") {
        return Vec::new();
    }
    let shown = Command::new(&fortran[0]).arg("-show").stdin(Stdio::null()).output();
    let shown = shown.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    shown.split_whitespace().map(str::to_owned).collect()
}

/// The folders among words of a command.
pub fn folders_of(words: &[String]) -> Vec<PathBuf> {
    words.iter().filter_map(|word| word.strip_prefix("-I")).map(PathBuf::from).collect()
}

/// What flang says about a file.
#[derive(Debug)]
pub struct LoweredFile {
    /// Its text, or why there is none: a reason and a remedy.
    pub text: Result<String, (String, String)>,
    /// The modules that the file makes, uses and renames.
    pub uses: ModuleUses,
    /// What is known of the modules that it uses.
    pub modules: GatheredModules,
    /// Where flang has put the modules that the file makes.
    pub made: PathBuf,
}

impl LoweredFile {
    /// What is known of the modules that the file makes or uses.
    pub fn file_modules(&self) -> FileModules {
        let mut all = self.modules.file.clone();
        for name in &self.uses.made {
            if let Ok(text) = std::fs::read_to_string(self.made.join(format!("{name}.mod"))) {
                all.take(&text);
                all.known.insert(name.clone());
            }
        }
        all
    }

    /// Flang's texts of the modules that the file makes or uses, in the order of their names.
    pub fn module_texts(&self) -> Vec<String> {
        let used = self.made.with_file_name("used");
        let names = self.file_modules().known;
        let read = |name: &String| {
            let file = format!("{name}.mod");
            std::fs::read_to_string(self.made.join(&file)).or_else(|_| std::fs::read_to_string(used.join(&file))).ok()
        };
        names.iter().filter_map(read).collect()
    }
}

/// Macros that flang defines and gfortran does not.
const OF_FLANG: [&str; 11] = [
    "__flang__",
    "__flang_major__",
    "__flang_minor__",
    "__flang_patchlevel__",
    "__x86_64__",
    "__x86_64",
    "__aarch64__",
    "__aarch64",
    "__linux__",
    "__riscv",
    "__powerpc__",
];

const AS_HLFIR: [&str; 3] = ["-emit-hlfir", "-mmlir", "--mlir-print-debuginfo"];

impl Lowering<'_> {
    /// Where modules of this command line are.
    pub fn folders(&self) -> ModuleFolders {
        let (mut searched, mut written) = (vec![PathBuf::from(".")], PathBuf::from("."));
        for option in self.command.options() {
            let folder =
                |begin: &str| option[0].strip_prefix(begin).map(|rest| option.get(1).map_or(rest, String::as_str));
            if let Some(folder) = folder("-I").or(folder("-J")) {
                searched.push(folder.into());
            }
            if let Some(folder) = folder("-J") {
                written = folder.into();
            }
        }
        searched.extend(self.added.iter().cloned());
        ModuleFolders { searched, written }
    }

    /// Lowers a file with text `text`, to HLFIR or only to the modules that it makes; `folder` is empty, for files in between.
    pub fn lower(&self, source: &Path, text: &str, folder: &Path, to_hlfir: bool) -> Result<LoweredFile, String> {
        let form = self.command.form(source);
        let (modules, made) = (folder.join("used"), folder.join("made"));
        for place in [&modules, &made] {
            std::fs::create_dir(place).map_err(|e| format!("cannot make `{}`: {e}", place.display()))?;
        }
        let uses = ModuleUses::read(&statements(text, form));
        let mut file = LoweredFile { text: Ok(String::new()), uses, modules: GatheredModules::default(), made };
        file.text = self.text(source, text, &modules, &mut file, to_hlfir)?;
        Ok(file)
    }

    fn text(
        &self,
        source: &Path,
        text: &str,
        modules: &Path,
        file: &mut LoweredFile,
        to_hlfir: bool,
    ) -> Result<Result<String, (String, String)>, String> {
        let Some(program) = flang::find() else {
            let remedy = "install it (Debian: flang-19), or set DVM_FLANG to it";
            return Ok(Err(("flang, which reads Fortran for dvmfc, is not found".to_owned(), remedy.to_owned())));
        };
        let has_directives = text.lines().any(|line| line.starts_with('#'));
        let is_preprocessed = self.command.is_preprocessed(source);
        if has_directives && !is_preprocessed {
            let remedy = "end the file's name in a capital, such as `.F90`, or give `-cpp`";
            return Ok(Err(("gfortran does not preprocess this file, and flang would".to_owned(), remedy.to_owned())));
        }
        let (folders, mut options) = self.options(source);
        if has_directives {
            let Some(macros) = self.macros()? else {
                let remedy = "set DVM_FC to a gfortran that answers `-cpp -dM -E`";
                return Ok(Err(("the compiler does not tell its macros".to_owned(), remedy.to_owned())));
            };
            options.extend(macros);
        }
        // Flang names files by their whole paths.
        let whole = std::fs::canonicalize(source).unwrap_or_else(|_| source.to_owned());
        let flang = Flang { program, source: whole, options, modules: modules.to_owned(), made: file.made.clone() };
        let form = self.command.form(source);
        if has_directives || includes(text, form) {
            match flang.print(&["-E", "-P"]) {
                Ok(expanded) => file.uses = ModuleUses::read(&statements(&expanded, form)),
                Err(why) => {
                    let remedy = if why.contains(NO_MPIF) { COMPILER_OF_MPI } else { ALL_MESSAGES };
                    return Ok(Err((why, remedy.to_owned())));
                }
            }
        }
        file.modules = self.folders().gather(&file.uses, modules, &folders)?;
        if file.modules.problems.contains_key("mpi") {
            stand_in_of_mpi(&flang, &folders)?;
        }
        let action: &[&str] = if to_hlfir { &AS_HLFIR } else { &["-fsyntax-only"] };
        let remedy = "have its source compiled by dvmfc before this file, with the same compiler and options";
        Ok(flang.print(action).map_err(|why| {
            let missing = file.modules.problems.iter().find(|(name, _)| why.contains(&format!("module '{name}'")));
            match missing {
                Some((name, problem)) => {
                    let remedy = if name.starts_with("mpi") { OF_MPI } else { remedy };
                    (format!("flang cannot read the module `{name}`: {problem}"), remedy.to_owned())
                }
                None => match missing_module(&why) {
                    Some(name) => {
                        let remedy = if name.starts_with("mpi") { COMPILER_OF_MPI } else { WITH_MODULES };
                        (format!("the module `{name}` is not found"), remedy.to_owned())
                    }
                    None if why.contains(NO_MPIF) => (why, COMPILER_OF_MPI.to_owned()),
                    None => (why, ALL_MESSAGES.to_owned()),
                },
            }
        }))
    }

    /// The folders in which flang looks for included files, and its options.
    fn options(&self, source: &Path) -> (Vec<PathBuf>, Vec<String>) {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let beside = source.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut folders = vec![absolute(beside)];
        folders
            .extend(self.folders().searched.iter().skip(1).chain(&[PathBuf::from(".")]).map(|folder| absolute(folder)));
        let mut options: Vec<String> =
            folders.iter().flat_map(|folder| ["-I".to_owned(), folder.display().to_string()]).collect();
        options.extend(self.command.for_flang());
        (folders, options)
    }

    /// The text of a file with blank lines where gfortran's preprocessor takes lines out; as it is if it does not tell.
    pub fn active(&self, source: &Path, text: &str) -> Result<String, String> {
        if !self.command.is_preprocessed(source) || !text.lines().any(|line| line.starts_with('#')) {
            return Ok(text.to_owned());
        }
        let mut command = Command::new(&self.fortran[0]);
        command.args(&self.fortran[1..]).args(self.command.options().flatten());
        command.args(["-E", "-w"]).arg(source).env("LC_ALL", "C");
        let output =
            command.stdin(Stdio::null()).output().map_err(|e| format!("cannot run `{}`: {e}", self.fortran[0]))?;
        let preprocessed = String::from_utf8_lossy(&output.stdout).into_owned();
        let file = source.display().to_string();
        let whole = output.status.success() && preprocessed.contains(&format!("\"{file}\""));
        Ok(if whole { active_text(text, &preprocessed, &file) } else { text.to_owned() })
    }

    /// Options that give flang the macros of gfortran, and take its own away.
    fn macros(&self) -> Result<Option<Vec<String>>, String> {
        let mut command = Command::new(&self.fortran[0]);
        command.args(&self.fortran[1..]);
        for option in
            self.command.options().filter(|o| !["-I", "-J", "-L", "-l", "-D"].contains(&&o[0][..2.min(o[0].len())]))
        {
            command.args(option);
        }
        command.args(["-cpp", "-dM", "-E", "-x", "f95-cpp-input", "/dev/null", "-w"]).env("LC_ALL", "C");
        let output =
            command.stdin(Stdio::null()).output().map_err(|e| format!("cannot run `{}`: {e}", self.fortran[0]))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.contains("#define ").then(|| as_options(&text)))
    }
}

/// MPI's module comes without a source. Its constants stand in `mpif.h` as well; a text that needs more of it is not taken by flang.
/// Variables and constants of this stand-in are not known ones.
fn stand_in_of_mpi(flang: &Flang, folders: &[PathBuf]) -> Result<(), String> {
    if !folders.iter().any(|folder| folder.join("mpif.h").is_file()) {
        return Ok(());
    }
    let source = flang.made.join("mpi.f90");
    output_file::write(&source, b"module mpi\n  include 'mpif.h'\nend module\n")?;
    let own = Flang {
        program: flang.program.clone(),
        source,
        options: flang.options.clone(),
        modules: flang.modules.clone(),
        made: flang.modules.clone(),
    };
    // If that fails, reading the file fails as well, and says that it misses the module.
    let _ = own.print(&["-fsyntax-only"]);
    Ok(())
}

/// The module that flang has not found, as its message says.
fn missing_module(why: &str) -> Option<&str> {
    let (_, rest) = why.split_once("Cannot read module file for module '")?;
    let (name, rest) = rest.split_once('\'')?;
    rest.contains("was not found").then_some(name)
}

const WITH_MODULES: &str = "have the file that makes it compiled by dvmfc before (`--why` takes the files of a program in \
    any order), or name its folder with `-I`";
const NO_MPIF: &str = "'mpif.h' was not found";
const COMPILER_OF_MPI: &str =
    "set DVM_FC to the compiler of the MPI, as in DVM_FC=mpifort, or name the folder with `-I`";
const OF_MPI: &str = "have the region in a procedure of another file, or write `use mpi` here";
const ALL_MESSAGES: &str = "compile the file with flang to see all of its messages";

/// The options of flang for the macros that gfortran prints.
fn as_options(printed: &str) -> Vec<String> {
    let lines = printed.lines().filter_map(|line| line.strip_prefix("#define "));
    let macros: Vec<(&str, &str)> = lines.map(|line| line.split_once(' ').unwrap_or((line, ""))).collect();
    let own = OF_FLANG.iter().filter(|name| !macros.iter().any(|(defined, _)| defined == *name));
    let away = own.map(|name| format!("-U{name}"));
    away.chain(macros.iter().filter(|(name, _)| !name.contains('(')).map(|(name, value)| format!("-D{name}={value}")))
        .collect()
}

fn includes(text: &str, form: SourceForm) -> bool {
    let quoted = |rest: &str| rest.trim_start().starts_with(['\'', '"']);
    statements(text, form).iter().any(|s| s.text.strip_prefix("include").is_some_and(quoted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_become_options() {
        let options = as_options("#define __GNUC__ 12\n#define f(x) x\n#define __x86_64__ 1\n#define E\n");
        assert!(options.contains(&"-D__GNUC__=12".to_owned()) && options.contains(&"-DE=".to_owned()), "{options:?}");
        assert!(options.contains(&"-U__flang__".to_owned()) && !options.contains(&"-U__x86_64__".to_owned()));
        assert!(!options.iter().any(|option| option.contains('(')), "{options:?}");
    }

    #[test]
    fn folders_of_a_command_line() {
        let words = ["-I", "a", "-Ib", "-J", "c", "-Jd", "-c", "x.f90"].map(str::to_owned);
        let command = FortranCommand::parse(&words).unwrap();
        let folders = Lowering { command: &command, fortran: &[], added: &[] }.folders();
        assert_eq!(folders.searched, [".", "a", "b", "c", "d"].map(PathBuf::from));
        assert_eq!(folders.written, PathBuf::from("d"));
    }
}
