//! The main job on real input: the examples by pragma, at real sizes, against the same source compiled plainly.

mod example;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use example::{Build, Example};
use indicatif::{ProgressBar, ProgressStyle};
use table::{Row, median};

/// Runs the examples by pragma at real sizes, as compiled by the plain compiler and by dvmcc, compares the results bit by
/// bit and prints a table. Also writes a timeline of a run and a drawing of a tiled iteration space.
///
/// Exit status: 0 all results equal, 1 something differs or failed, 2 wrong usage.
#[derive(Parser)]
#[command(name = "dvm-demo", version)]
struct Options {
    /// Folder of the examples.
    #[arg(long, default_value = "examples")]
    examples: PathBuf,
    /// Folder for programs, results, the timeline and the drawing.
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
            ExitCode::FAILURE
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
    let workers = std::thread::available_parallelism().map_or(1, usize::from);

    let progress = progress_bar(examples.len() * (1 + 3 * options.runs));
    let mut rows = Vec::new();
    for example in &examples {
        rows.push(measure(example, options, &build, &progress)?);
    }
    progress.finish_and_clear();
    println!("{}", table::render(&rows, workers));
    if let Some(first) = examples.first() {
        draw(first, options, &build, &bin)?;
    }
    Ok(rows.iter().all(|row| row.equal))
}

fn own_folder() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("own path: {error}"))?;
    own.parent().map(Path::to_path_buf).ok_or_else(|| "own path has no folder".into())
}

fn progress_bar(steps: usize) -> ProgressBar {
    let progress = ProgressBar::new(steps as u64);
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}");
    progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    progress.enable_steady_tick(Duration::from_millis(200));
    progress
}

/// Builds an example both ways and runs it in turn: plain, one worker, all workers.
fn measure(example: &Example, options: &Options, build: &Build, progress: &ProgressBar) -> Result<Row, String> {
    progress.set_message(format!("{}: compile", example.name));
    let programs = build.both(example, &options.examples)?;
    progress.inc(1);
    let sizes = example.sizes(options.shrink);
    let mut seconds = [Vec::new(), Vec::new(), Vec::new()];
    let mut equal = true;
    for _ in 0..options.runs.max(1) {
        let mut expected: Option<Vec<u8>> = None;
        for (column, (program, workers)) in
            [(&programs.plain, None), (&programs.tiled, Some("1")), (&programs.tiled, None)].into_iter().enumerate()
        {
            let way = ["plain", "one worker", "all workers"][column];
            progress.set_message(format!("{} {}: {way}", example.name, sizes.join(" x ")));
            let run = build.run(program, &sizes, workers, None)?;
            seconds[column].push(run.seconds);
            match &expected {
                None => expected = Some(run.result),
                Some(expected) => equal &= *expected == run.result,
            }
            progress.inc(1);
        }
    }
    let [plain, one, all] = seconds.map(|mut runs| median(&mut runs));
    Ok(Row { name: example.name.into(), sizes: sizes.join(" x "), plain, one, all, equal })
}

/// Writes the two files to look at.
fn draw(example: &Example, options: &Options, build: &Build, bin: &Path) -> Result<(), String> {
    let timeline = options.out.join("timeline.json");
    let programs = build.both(example, &options.examples)?;
    build.run(&programs.tiled, &example.sizes(options.shrink), None, Some(&timeline))?;
    println!(
        "timeline of {}: {} (open it in a browser at ui.perfetto.dev or chrome://tracing)",
        example.name,
        timeline.display()
    );
    let drawing = options.out.join(format!("{}-tiles.svg", example.name));
    let source = options.examples.join(example.source);
    let arguments = ["draw".into(), source.into_os_string(), "--out".into(), drawing.clone().into_os_string()];
    example::succeed(std::process::Command::new(bin.join("dvm-codegen")).args(arguments))?;
    println!("tiled iteration space: {}", drawing.display());
    Ok(())
}
