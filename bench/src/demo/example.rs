//! The examples by pragma: how they are built and run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Flags of both compilers.
pub const FLAGS: [&str; 4] = ["-O3", "-march=native", "-ffp-contract=off", "-Wno-unknown-pragmas"];

/// One example.
pub struct Example {
    /// Its name in the table.
    pub name: &'static str,
    /// Its file.
    pub source: &'static str,
    /// What it computes; each `#` stands for a size.
    subject: &'static str,
    /// Its real sizes.
    real: &'static [u64],
}

impl Example {
    /// All examples by pragma.
    pub fn all() -> &'static [Self] {
        const fn example(
            name: &'static str,
            source: &'static str,
            subject: &'static str,
            real: &'static [u64],
        ) -> Example {
            Example { name, source, subject, real }
        }
        const ALL: [Example; 5] = [
            example("jacobi", "06_jacobi.c", "stencil on # points, # steps", &[400_000, 1000]),
            example("matmul", "07_matmul.c", "product of two matrices of order #", &[1024]),
            example("matvec", "08_matvec.c", "product of a matrix of order # and a vector", &[12_000]),
            example("lu", "09_lu.c", "LU factors of a matrix of order #", &[2000]),
            example("floyd", "10_floyd.c", "shortest paths between # places", &[1500]),
        ];
        &ALL
    }

    /// Sizes as arguments, divided by `shrink`.
    pub fn sizes(&self, shrink: u64) -> Vec<String> {
        self.real.iter().map(|size| (size / shrink.max(1)).to_string()).collect()
    }

    /// What it computes with these sizes.
    pub fn subject(&self, sizes: &[String]) -> String {
        sizes.iter().fold(self.subject.to_owned(), |text, size| text.replacen('#', size, 1))
    }
}

/// The compilers and where their programs go.
pub struct Build {
    /// Plain compiler.
    pub cc: String,
    /// dvmcc.
    pub dvmcc: PathBuf,
    /// Folder for programs and results.
    pub out: PathBuf,
}

/// The two programs of an example.
pub struct Programs {
    /// Compiled by the plain compiler.
    pub plain: PathBuf,
    /// Compiled by dvmcc.
    pub tiled: PathBuf,
}

/// What a run gave.
pub struct Run {
    /// Wall time of the region.
    pub seconds: f64,
    /// Bytes of the result.
    pub result: Vec<u8>,
}

impl Build {
    /// Compiles an example plainly and by dvmcc, with the same flags.
    pub fn both(&self, example: &Example, folder: &Path) -> Result<Programs, String> {
        let source = folder.join(example.source);
        let program = |way: &str| self.out.join(format!("{}-{way}", example.name));
        let programs = Programs { plain: program("plain"), tiled: program("dvm") };
        succeed(Command::new(&self.cc).args(FLAGS).arg(&source).arg("-o").arg(&programs.plain))?;
        succeed(
            Command::new(&self.dvmcc).env("DVM_CC", &self.cc).args(FLAGS).arg(&source).arg("-o").arg(&programs.tiled),
        )?;
        Ok(programs)
    }

    /// Runs a program; `workers` and `page` (of `DVM_PROFILE`) go to libdvm.
    pub fn run(
        &self,
        program: &Path,
        sizes: &[String],
        workers: Option<&str>,
        page: Option<&Path>,
    ) -> Result<Run, String> {
        let file = self.out.join("result.bin");
        let mut command = Command::new(program);
        command.arg("-t").arg("-o").arg(&file).args(sizes);
        for (name, value) in [("DVM_WORKERS", workers.map(Path::new)), ("DVM_PROFILE", page)] {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let errors = succeed(&mut command)?;
        let seconds = errors.lines().find_map(|line| line.strip_prefix("seconds ")?.parse().ok());
        let seconds = seconds.ok_or_else(|| format!("{}: printed no time", program.display()))?;
        let result = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(Run { seconds, result })
    }
}

/// Runs a command that must succeed; what it wrote to standard error.
pub fn succeed(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(errors) } else { Err(format!("{command:?}: {}\n{errors}", output.status)) }
}

#[test]
fn each_size_is_in_the_subject() {
    for example in Example::all() {
        let sizes = example.sizes(10);
        let subject = example.subject(&sizes);
        assert!(!subject.contains('#') && sizes.iter().all(|size| subject.contains(size.as_str())), "{subject}");
    }
}
