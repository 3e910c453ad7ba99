//! What tasks and data between two processes cost, beside the same bytes by MPI alone and the same tasks by StarPU-MPI.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

/// Measures tasks and data between two processes of this host: over libdvm's rings, started by dvmrun; and in turn,
/// where mpicc.openmpi is installed, the same bytes by Open MPI alone, and where StarPU-MPI is installed as well, a
/// Cholesky factorisation and a ring of values by that, one worker a process. Prints medians, minima and maxima in
/// microseconds, and the ratios of the least. Asserts nothing: on a busy machine only the least mean something.
///
/// Exit status: 0 measured, 1 something failed, 2 wrong usage.
#[derive(Parser)]
#[command(name = "dvm-bench-several", version)]
struct Options {
    /// Few repetitions: only to see that everything runs.
    #[arg(long)]
    quick: bool,
    /// How often each program runs.
    #[arg(long, default_value_t = 5)]
    runs: u32,
}

/// The rows in the order in which they are shown, and what they are.
const ROWS: &[(&str, &str)] = &[
    ("empty-round-trip", "empty task, there and back"),
    ("8B-round-trip", "task with 8 B there, empty one back"),
    ("4KiB-round-trip", "task with 4 KiB there, empty one back"),
    ("empty-one-way", "empty tasks, one direction, each"),
    ("8B-one-way", "tasks with 8 B, one direction, each"),
    ("1MiB", "a task that is the first to read 1 MiB, and its end"),
    ("1MiB-again", "later ones, each"),
    ("64MiB", "a task that is the first to read 64 MiB, and its end"),
    ("64MiB-again", "later ones, each"),
    ("stencil", "ring of 64 values, halves in two processes, a task"),
    ("cholesky-32", "Cholesky, 32 x 32 tiles of 32 x 32 values"),
    ("cholesky-512", "Cholesky, 8 x 8 tiles of 512 x 512 values"),
    ("wait", "wait, nothing left"),
    ("wake", "all asleep: a task, its end, a wait (least of 10)"),
];

type Samples = BTreeMap<String, Vec<f64>>;

fn main() -> ExitCode {
    match measure(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dvm-bench-several: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(options: &Options) -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("this program has no folder")?;
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let release = here.parent().ok_or("this program has no folder")?;
    let sources = root.join("bench/several");
    let ours = [
        compile(Path::new("cc"), &sources.join("tasks.c"), release, &ours(root, release))?,
        compile(Path::new("cc"), &sources.join("cholesky.c"), release, &ours(root, release))?,
    ];
    let mpicc = Path::new("mpicc.openmpi");
    let raw = compile(mpicc, &sources.join("raw.c"), release, &[]);
    let starpu = starpu().and_then(|options| compile(mpicc, &sources.join("starpu.c"), release, &options));
    for (what, peer) in [("MPI", &raw), ("StarPU-MPI", &starpu)] {
        if let Err(why) = peer {
            println!("without {what} beside it: {why}");
        }
    }
    let mut samples = [const { Samples::new() }; 3];
    let (runs, divided) = if options.quick { (1, "100") } else { (options.runs, "1") };
    for _ in 0..runs {
        for program in &ours {
            let mut command = Command::new(release.join("dvmrun"));
            command.args(["-n", "2", "--timeout", "300"]).arg(program).arg(divided);
            command.env("LD_LIBRARY_PATH", release);
            add(&mut samples[0], &mut command)?;
        }
        for (at, program) in [&raw, &starpu].into_iter().enumerate() {
            let Ok(program) = program else { continue };
            let mut command = Command::new("mpirun.openmpi");
            command
                .args(["-n", "2", "--timeout", "300", "--oversubscribe", "--bind-to", "core"])
                .arg(program)
                .arg(divided);
            for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "STARPU_SILENT", "STARPU_NCPU"] {
                command.env(name, "1");
            }
            add(&mut samples[at + 1], &mut command)?;
        }
    }
    show(&samples)
}

/// Options for a program of libdvm.
fn ours(root: &Path, release: &Path) -> Vec<String> {
    let (include, release) = (root.join("include"), release.display());
    vec![format!("-I{}", include.display()), format!("-L{release}"), "-ldvm".into(), format!("-Wl,-rpath,{release}")]
}

/// Options for a program of StarPU-MPI.
fn starpu() -> Result<Vec<String>, String> {
    let output = Command::new("pkg-config").args(["--cflags", "--libs", "starpumpi-1.3"]).output();
    let output = output.map_err(|error| format!("pkg-config: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect())
}

/// Compiles a program; gives its path.
fn compile(compiler: &Path, source: &Path, release: &Path, options: &[String]) -> Result<PathBuf, String> {
    let name = source.file_stem().ok_or("a source has no name")?;
    let folder = release.parent().unwrap_or(release).join("bench/several");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = folder.join(name);
    let mut command = Command::new(compiler);
    command.args(["-std=c99", "-D_GNU_SOURCE", "-O3", "-march=native", "-o"]).arg(&program).arg(source);
    let output =
        command.args(options).arg("-lm").output().map_err(|error| format!("{}: {error}", compiler.display()))?;
    if output.status.success() { Ok(program) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// Runs a program and adds its rows.
fn add(samples: &mut Samples, command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!("{name}: {}\n{text}{}", output.status, String::from_utf8_lossy(&output.stderr)));
    }
    for line in text.lines() {
        let row = line.split_once(' ').and_then(|(row, value)| Some((row, value.trim().parse::<f64>().ok()?)));
        let (row, value) = row.ok_or_else(|| format!("{name} printed '{line}'"))?;
        samples.entry(row.to_owned()).or_default().push(value);
    }
    Ok(())
}

/// The median, the least and the largest.
fn spread(values: &[f64]) -> Option<(f64, f64, f64)> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some((*sorted.get(sorted.len() / 2)?, *sorted.first()?, *sorted.last()?))
}

fn show([ours, mpi, starpu]: &[Samples; 3]) -> Result<(), String> {
    println!(
        "{:<52} {:>10} {:>10} {:>10}   {:>10} {:>6}   {:>10} {:>6}",
        "microseconds", "median", "least", "most", "MPI, least", "ratio", "StarPU-MPI", "ratio"
    );
    for (row, what) in ROWS {
        let values = ours.get(*row).and_then(|values| spread(values));
        let (median, least, most) = values.ok_or_else(|| format!("{row} was not measured"))?;
        print!("{what:<52} {median:>10.2} {least:>10.2} {most:>10.2}");
        for peer in [mpi, starpu] {
            match peer.get(*row).and_then(|values| spread(values)) {
                Some((_, theirs, _)) => print!("   {theirs:>10.2} {:>6.2}", least / theirs),
                None => print!("   {:>10} {:>6}", "", ""),
            }
        }
        println!();
    }
    Ok(())
}
