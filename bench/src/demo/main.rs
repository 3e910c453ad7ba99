//! The main job on real input: the examples by pragma, at real sizes, against the same source compiled plainly.

mod example;
mod progress;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use example::{Build, Example, FLAGS};
use progress::Progress;
use table::{Row, count, median};

/// Runs the examples by pragma at real sizes, as compiled by the plain compiler and by dvmcc, compares the results bit by
/// bit, prints a table and a verdict. Also writes a page about a run and a drawing of a tiled iteration space.
///
/// Exit status: 0 all results are equal, whatever the times; 1 a result differs; 2 wrong usage, or a program could not be
/// compiled or run.
#[derive(Parser)]
#[command(name = "dvm-demo", version)]
struct Options {
    /// Folder of the examples.
    #[arg(long, default_value = "examples")]
    examples: PathBuf,
    /// Folder for programs, results, the page and the drawing.
    #[arg(long, default_value = "target/demo")]
    out: PathBuf,
    /// Folder of dvmcc and dvm-codegen; default: this program's own.
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Runs of each program; the table shows medians.
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Only examples whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// The plain compiler.
    #[arg(long, env = "CC", default_value = "cc")]
    cc: String,
    /// Divide all sizes by this (for a quick look).
    #[arg(long, default_value_t = 1)]
    shrink: u64,
}

fn main() -> ExitCode {
    match demonstrate(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("dvm-demo: {message}");
            ExitCode::from(2)
        }
    }
}

fn demonstrate(options: &Options) -> Result<bool, String> {
    std::fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let bin = match &options.bin {
        Some(bin) => bin.clone(),
        None => own_folder()?,
    };
    let build = Build { cc: options.cc.clone(), dvmcc: bin.join("dvmcc"), out: options.out.clone() };
    let wanted = |example: &&Example| options.only.as_ref().is_none_or(|part| example.name.contains(part.as_str()));
    let examples: Vec<&Example> = Example::all().iter().filter(wanted).collect();
    let Some(first) = examples.first() else {
        return Err("no example has such a name (--only)".into());
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);

    println!("{}", announcement(options, examples.len(), workers));
    let progress = Progress::new(examples.len() * (1 + 3 * options.runs.max(1)));
    let mut rows = Vec::new();
    for (index, example) in examples.iter().enumerate() {
        let sizes = example.sizes(options.shrink);
        progress.program(&format!("{}/{} {}: {}", index + 1, examples.len(), example.name, example.subject(&sizes)));
        rows.push(measure(example, options, &build, &progress)?);
    }
    progress.finish();
    println!("{}", table::render(&rows, workers));
    println!("{}\n", table::verdict(&rows));
    draw(first, options, &build, &bin)?;
    Ok(rows.iter().all(|row| row.equal))
}

/// What will happen.
fn announcement(options: &Options, examples: usize, workers: usize) -> String {
    format!(
        "{} with loops that are marked by `#pragma dvm region`, from {}. Each is compiled twice, with the same\n\
         options ({}):\n  \
         by `{}`, which ignores the pragma: one core\n  \
         by `dvmcc`, which cuts the loops into tiles: 1 worker, then {} (one on each core)\n\
         Each program runs {}; all results are compared bit by bit.\n",
        count(examples, "C program"),
        options.examples.display(),
        FLAGS.join(" "),
        options.cc,
        count(workers, "worker"),
        count(options.runs.max(1), "time")
    )
}

fn own_folder() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("own path: {error}"))?;
    own.parent().map(Path::to_path_buf).ok_or_else(|| "own path has no folder".into())
}

/// Builds an example both ways and runs it in turn: plain, one worker, all workers.
fn measure(example: &Example, options: &Options, build: &Build, progress: &Progress) -> Result<Row, String> {
    progress.step(format!("{}: compile", example.name));
    let programs = build.both(example, &options.examples)?;
    progress.done();
    let sizes = example.sizes(options.shrink);
    let mut seconds = [Vec::new(), Vec::new(), Vec::new()];
    let mut equal = true;
    for _ in 0..options.runs.max(1) {
        let mut expected: Option<Vec<u8>> = None;
        for (column, (program, workers)) in
            [(&programs.plain, None), (&programs.tiled, Some("1")), (&programs.tiled, None)].into_iter().enumerate()
        {
            let way = ["plain", "one worker", "all workers"][column];
            progress.step(format!("{}: {way}", example.name));
            let run = build.run(program, &sizes, workers, None)?;
            seconds[column].push(run.seconds);
            match &expected {
                None => expected = Some(run.result),
                Some(expected) => equal &= *expected == run.result,
            }
            progress.done();
        }
    }
    let [plain, one, all] = seconds.map(|mut runs| median(&mut runs));
    Ok(Row { name: example.name.into(), subject: example.subject(&sizes), plain, one, all, equal })
}

/// Writes the two files to look at, and says what to do next.
fn draw(example: &Example, options: &Options, build: &Build, bin: &Path) -> Result<(), String> {
    let page = options.out.join(format!("{}.html", example.name));
    let programs = build.both(example, &options.examples)?;
    build.run(&programs.tiled, &example.sizes(options.shrink), None, Some(&page))?;
    let drawing = options.out.join(format!("{}-tiles.svg", example.name));
    let source = options.examples.join(example.source);
    let arguments = ["draw".into(), source.into_os_string(), "--out".into(), drawing.clone().into_os_string()];
    example::succeed(std::process::Command::new(bin.join("dvm-codegen")).args(arguments))?;
    println!("What to do next");
    for (what, how) in [
        ("look at a run, in a browser", page.display().to_string()),
        ("look at its tiles", drawing.display().to_string()),
        ("ask about your own loops", format!("{} --why YOUR.c", bin.join("dvmcc").display())),
        ("install", "make install PREFIX=$HOME/dvm".to_owned()),
        ("read", "docs/SUMMARY.md (porting by pragma: docs/book/pragma.md)".to_owned()),
    ] {
        println!("  {what:<28} {how}");
    }
    Ok(())
}
