//! What tasks and data between two processes cost, beside the same bytes by MPI alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;

/// Measures tasks and data between two processes of this host: over libdvm's rings, started by dvmrun, and, where
/// mpicc.openmpi is installed, the same bytes by Open MPI alone, in turn. Prints medians, minima and maxima in
/// microseconds, and the ratio to MPI. Asserts nothing: on a busy machine only the minima mean something.
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

/// The rows in the order in which they are shown: what, and whether MPI does the same.
const ROWS: &[(&str, &str)] = &[
    ("empty-round-trip", "empty task, there and back"),
    ("8B-round-trip", "task with 8 B there, empty one back"),
    ("4KiB-round-trip", "task with 4 KiB there, empty one back"),
    ("empty-one-way", "empty tasks, one direction, each"),
    ("8B-one-way", "tasks with 8 B, one direction, each"),
    ("1MiB", "first task that reads 1 MiB, and its end"),
    ("1MiB-again", "later ones, each"),
    ("64MiB", "first task that reads 64 MiB, and its end"),
    ("64MiB-again", "later ones, each"),
    ("stencil", "ring of 64 values, halves in two processes, a task"),
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
    let tasks = compile(Path::new("cc"), &sources.join("tasks.c"), release, Some(&root.join("include")))?;
    let mpicc = Path::new("mpicc.openmpi");
    let raw = compile(mpicc, &sources.join("raw.c"), release, None);
    if let Err(why) = &raw {
        println!("without MPI beside it: {why}");
    }
    let (mut ours, mut theirs) = (Samples::new(), Samples::new());
    let (runs, divided) = if options.quick { (1, "100") } else { (options.runs, "1") };
    for _ in 0..runs {
        let mut command = Command::new(release.join("dvmrun"));
        command.args(["-n", "2", "--timeout", "300"]).arg(&tasks).arg(divided);
        command.env("LD_LIBRARY_PATH", release);
        add(&mut ours, &mut command)?;
        if let Ok(raw) = &raw {
            let mut command = Command::new("mpirun.openmpi");
            command.args(["-n", "2", "--oversubscribe", "--bind-to", "core"]).arg(raw).arg(divided);
            for name in ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] {
                command.env(name, "1");
            }
            add(&mut theirs, &mut command)?;
        }
    }
    show(&ours, &theirs)
}

/// Compiles a program; gives its path.
fn compile(compiler: &Path, source: &Path, release: &Path, include: Option<&Path>) -> Result<PathBuf, String> {
    let name = source.file_stem().ok_or("a source has no name")?;
    let folder = release.parent().unwrap_or(release).join("bench/several");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = folder.join(name);
    let mut command = Command::new(compiler);
    command.args(["-std=c99", "-D_GNU_SOURCE", "-O2", "-o"]).arg(&program).arg(source);
    if let Some(include) = include {
        // The name that programs are linked with; cargo makes the file without its version.
        let linked = folder.join("libdvm.so.0");
        let _ = std::fs::remove_file(&linked);
        std::os::unix::fs::symlink(release.join("libdvm.so"), &linked).map_err(|error| error.to_string())?;
        command
            .arg("-I")
            .arg(include)
            .arg("-L")
            .arg(release)
            .arg("-ldvm")
            .arg(format!("-Wl,-rpath,{}", folder.display()));
    }
    let output = command.output().map_err(|error| format!("{}: {error}", compiler.display()))?;
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

fn show(ours: &Samples, theirs: &Samples) -> Result<(), String> {
    println!(
        "{:<52} {:>10} {:>10} {:>10}   {:>10}   ratio of",
        "microseconds", "median", "least", "most", "MPI, least"
    );
    println!("{:<100} the least", "");
    for (row, what) in ROWS {
        let values = ours.get(*row).and_then(|values| spread(values));
        let (median, least, most) = values.ok_or_else(|| format!("{row} was not measured"))?;
        let raw = theirs.get(*row).and_then(|values| spread(values));
        let (raw, ratio) = raw
            .map_or((String::new(), String::new()), |(_, raw, _)| (format!("{raw:.2}"), format!("{:.2}", least / raw)));
        println!("{what:<52} {median:>10.2} {least:>10.2} {most:>10.2}   {raw:>10}   {ratio}");
    }
    Ok(())
}
