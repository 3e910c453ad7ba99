//! Makes the programs of the systems that are installed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::systems::{System, Toolchain};

/// Where things are, and which compilers make programs.
pub struct Workshop {
    /// The folder of the bench's sources.
    pub sources: PathBuf,
    /// The folder of dvm.h.
    pub include: PathBuf,
    /// The folder of libdvm.so.
    pub library: PathBuf,
    /// Where programs go.
    pub out: PathBuf,
}

/// A compiler and its options, ready for a system.
#[derive(Debug)]
pub struct Compiler {
    program: OsString,
    before: Vec<OsString>,
    after: Vec<OsString>,
}

fn environment(variable: &str, default: &str) -> OsString {
    std::env::var_os(variable).filter(|value| !value.is_empty()).unwrap_or_else(|| default.into())
}

/// Runs a command; its standard output, or what it said instead.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()))
    }
}

fn package(name: &str) -> Result<(Vec<OsString>, Vec<OsString>), String> {
    let ask = |what| output(Command::new("pkg-config").args([what, name]));
    let words = |text: String| text.split_whitespace().map(OsString::from).collect();
    Ok((words(ask("--cflags")?), words(ask("--libs")?)))
}

impl Workshop {
    /// The compiler for a system, or why it is not installed.
    pub fn compiler(&self, toolchain: Toolchain) -> Result<Compiler, String> {
        let c = || environment("CC", "cc");
        let (program, mut before, after) = match toolchain {
            Toolchain::C => (c(), vec![], vec![]),
            Toolchain::Dvm => {
                let (before, after) = self.libdvm()?;
                (c(), before, after)
            }
            Toolchain::DvmCxx => {
                let (mut before, after) = self.libdvm()?;
                before.push("-std=c++17".into());
                (environment("CXX", "c++"), before, after)
            }
            Toolchain::Gomp => (environment("GCC", "gcc"), vec!["-fopenmp".into()], vec![]),
            Toolchain::Libomp => (environment("CLANG", "clang"), vec!["-fopenmp=libomp".into()], vec![]),
            Toolchain::CWith(name) => {
                let (before, after) = package(name)?;
                (c(), before, after)
            }
            Toolchain::CxxWith(name) => {
                let (mut before, after) = package(name)?;
                before.push("-std=c++17".into());
                (environment("CXX", "c++"), before, after)
            }
            Toolchain::Rayon => return Err("rayon's programs are in this one".into()),
        };
        before.extend(["-O2", "-pthread"].map(OsString::from));
        for folder in ["peers/common", "peers/starpu", "peers/tbb"] {
            before.extend(["-I".into(), self.sources.join(folder).into_os_string()]);
        }
        let compiler = Compiler { program, before, after };
        if matches!(toolchain, Toolchain::Gomp | Toolchain::Libomp) {
            self.try_openmp(&compiler)?;
        }
        Ok(compiler)
    }

    /// The options for libdvm, which is linked as a user links it: the folder gets the name that the loader looks for.
    fn libdvm(&self) -> Result<(Vec<OsString>, Vec<OsString>), String> {
        let library = self.library.join("libdvm.so");
        let header = self.include.join("dvm.h");
        for needed in [&library, &header] {
            if !needed.exists() {
                return Err(format!("{} does not exist; run `make` first", needed.display()));
            }
        }
        let folder = self.out.join("lib");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let library = fs::canonicalize(&library).map_err(|error| format!("{}: {error}", library.display()))?;
        for name in ["libdvm.so", "libdvm.so.0"] {
            let link = folder.join(name);
            let _ = fs::remove_file(&link);
            std::os::unix::fs::symlink(&library, &link).map_err(|error| format!("{}: {error}", link.display()))?;
        }
        let folder = fs::canonicalize(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let before = vec!["-I".into(), self.include.clone().into_os_string()];
        let mut path = OsString::from("-Wl,-rpath,");
        path.push(&folder);
        Ok((before, vec!["-L".into(), folder.into_os_string(), "-ldvm".into(), path]))
    }

    /// Whether the compiler makes OpenMP programs: its run-time may not be installed.
    fn try_openmp(&self, compiler: &Compiler) -> Result<(), String> {
        let source = self.out.join("openmp.c");
        let text = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n";
        fs::write(&source, text).map_err(|error| format!("{}: {error}", source.display()))?;
        output(&mut compiler.command(&source, &self.out.join("openmp"))).map(drop)
    }

    /// The source of a system's program.
    fn source(&self, system: &System, program: &str) -> PathBuf {
        let is_cxx = matches!(system.toolchain, Toolchain::CxxWith(_) | Toolchain::DvmCxx);
        let extension = if is_cxx { "cpp" } else { "c" };
        self.sources.join(system.folder).join(program).with_extension(extension)
    }

    /// Makes a system's program when it is older than the sources, or was made by another command.
    pub fn make(&self, compiler: &Compiler, system: &System, program: &str) -> Result<PathBuf, String> {
        self.compile(compiler, &self.source(system, program), &format!("{}-{program}", system.name))
    }

    /// Makes the probe of the machine.
    pub fn probe(&self) -> Result<PathBuf, String> {
        self.compile(&self.compiler(Toolchain::C)?, &self.sources.join("peers/common/probe.c"), "probe")
    }

    fn compile(&self, compiler: &Compiler, source: &Path, name: &str) -> Result<PathBuf, String> {
        let made = self.out.join(name);
        let note = self.out.join(format!("{name}.command"));
        let mut command = compiler.command(source, &made);
        let text = format!("{command:?}");
        let same = fs::read_to_string(&note).is_ok_and(|old| old == text);
        let made_at = made.metadata().and_then(|made| made.modified()).ok();
        if same && made_at.is_some() && made_at > newest(&self.sources).max(newest(&self.include)) {
            return Ok(made);
        }
        output(&mut command)?;
        fs::write(&note, text).map_err(|error| format!("{}: {error}", note.display()))?;
        Ok(made)
    }
}

/// When the youngest C or C++ file below a folder was written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let mut youngest = None;
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        let time = if path.is_dir() {
            newest(&path)
        } else if path
            .extension()
            .is_some_and(|extension| ["c", "cpp", "h", "hpp"].iter().any(|known| extension == *known))
        {
            entry.metadata().and_then(|entry| entry.modified()).ok()
        } else {
            None
        };
        youngest = youngest.max(time);
    }
    youngest
}

impl Compiler {
    fn command(&self, source: &Path, made: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.before).arg(source).arg("-o").arg(made).args(&self.after).arg("-lm");
        command
    }
}
