//! Compilers, and runs of what they build.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::nests::Nest;

/// Flags of all compilers.
const FLAGS: [&str; 3] = ["-O3", "-march=native", "-Wno-unknown-pragmas"];

/// Where the programs are, and where what is built goes.
pub struct Folders<'a> {
    /// The sources.
    pub programs: &'a Path,
    /// What is built.
    pub out: &'a Path,
}

/// A way to compile a nest.
pub struct Compiler {
    /// Its part of the programs' names.
    name: &'static str,
    program: PathBuf,
    flags: Vec<&'static str>,
    /// Behind the sources.
    libraries: Vec<&'static str>,
    environment: Vec<(&'static str, String)>,
    /// The file that it compiles instead of the nest's.
    source: Option<&'static str>,
}

/// A program.
pub struct Program(PathBuf);

/// What a run told.
pub struct Run {
    /// Time of each pass.
    passes: Vec<f64>,
    /// Operations of a pass.
    pub operations: f64,
    /// The least bytes that a pass moves.
    pub bytes: f64,
    /// What stands for the bits of the result.
    pub bits: String,
}

impl Compiler {
    fn new(name: &'static str, program: impl Into<PathBuf>) -> Compiler {
        let (flags, libraries, environment) = (Vec::new(), Vec::new(), Vec::new());
        Compiler { name, program: program.into(), flags, libraries, environment, source: None }
    }

    /// The plain compiler.
    pub fn plain(cc: &str) -> Compiler {
        Compiler::new("plain", cc)
    }

    /// dvmcc before that compiler.
    pub fn tiled(dvmcc: &Path, cc: &str) -> Compiler {
        Compiler { environment: vec![("DVM_CC", cc.to_owned())], ..Compiler::new("tiled", dvmcc) }
    }

    /// A clang with Polly, on all processors.
    pub fn polly(clang: &str) -> Compiler {
        let flags = ["-mllvm", "-polly", "-mllvm", "-polly-parallel", "-mllvm", "-polly-vectorizer=stripmine"];
        Compiler { flags: flags.to_vec(), libraries: vec!["-lgomp"], ..Compiler::new("polly", clang) }
    }

    /// A BLAS.
    pub fn library(cc: &str) -> Compiler {
        let libraries = vec!["-lopenblas"];
        Compiler { libraries, source: Some("reference.c"), ..Compiler::new("library", cc) }
    }

    /// Whether it is there and takes its flags.
    pub fn works(&self) -> bool {
        let mut command = Command::new(&self.program);
        command.args(&self.flags).args(["-x", "c", "-fsyntax-only", "/dev/null"]);
        command.output().is_ok_and(|output| output.status.success())
    }

    /// Compiles a nest.
    pub fn build(&self, nest: &Nest, folders: &Folders, more: &[&str]) -> Result<Program, String> {
        let program = folders.out.join(format!("{}-{}{}", nest.name.replace(' ', "-"), self.name, more.concat()));
        let source = folders.programs.join(self.source.unwrap_or(nest.source));
        let mut command = Command::new(&self.program);
        command.args(FLAGS).args(&self.flags).args(nest.definitions).args(more).arg(source);
        command.arg("-o").arg(&program).args(&self.libraries).envs(self.environment.iter().cloned());
        succeed(&mut command)?;
        Ok(Program(program))
    }
}

impl Program {
    /// Runs it.
    pub fn run(&self, size: usize, passes: usize, environment: &[(&str, &str)]) -> Result<Run, String> {
        let mut command = Command::new(&self.0);
        command.args([size, passes].map(|number| number.to_string())).envs(environment.iter().copied());
        let told = succeed(&mut command)?;
        let after = |word: &str| told.lines().filter_map(move |line| line.strip_prefix(word)).collect::<Vec<_>>();
        let number = |word: &str| after(word).first().and_then(|number| number.parse().ok()).unwrap_or(f64::NAN);
        let passes: Vec<f64> = after("pass ").iter().filter_map(|number| number.parse().ok()).collect();
        let bits = after("bits ").concat();
        if passes.is_empty() || bits.is_empty() {
            return Err(format!("{}: printed no time or no result", self.0.display()));
        }
        Ok(Run { passes, operations: number("operations "), bytes: number("bytes "), bits })
    }
}

impl Run {
    /// The times of the later half of the passes: in the earlier one pages are touched, and regions learn how to run.
    pub fn settled(&self) -> Vec<f64> {
        self.passes[self.passes.len() / 2..].to_vec()
    }
}

/// Runs a command that must succeed; what it wrote to standard output.
fn succeed(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}
