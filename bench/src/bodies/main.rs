//! The speed of tile bodies: twenty loop nests, as compiled by the plain compiler, by dvmcc and by peers.

mod build;
mod nests;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use build::{Compiler, Folders, Run};
use clap::Parser;
use nests::Nest;
use table::Row;

/// Runs twenty loop nests as compiled by the plain compiler and by dvmcc, and by Polly where a clang with it is there, in
/// turn, and prints a table of speeds and ratios. Before, each is run at a small size without contraction and has to give
/// the same bits. The matrix product runs beside OpenBLAS where it is there.
///
/// Exit status: 0 all results equal, 1 something differs or failed, 2 wrong usage.
#[derive(Parser)]
#[command(name = "dvm-bench-bodies", version)]
struct Options {
    /// Folder of the programs.
    #[arg(long, default_value = "bench/bodies")]
    programs: PathBuf,
    /// Folder for what is built.
    #[arg(long, default_value = "target/bench/bodies")]
    out: PathBuf,
    /// Folder of dvmcc; default: this program's own.
    #[arg(long)]
    bin: Option<PathBuf>,
    /// Rounds in which all programs of a nest take turns; the table shows medians.
    #[arg(long, default_value_t = 5)]
    runs: usize,
    /// Only nests whose name contains one of these, separated by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// The plain compiler.
    #[arg(long, env = "CC", default_value = "gcc")]
    cc: String,
    /// A clang with Polly.
    #[arg(long, default_value = "clang-19")]
    polly: String,
    /// Only the comparison of bits, no statement about time: for tests.
    #[arg(long)]
    quick: bool,
}

impl Options {
    fn folders(&self) -> Folders<'_> {
        Folders { programs: &self.programs, out: &self.out }
    }
}

fn main() -> ExitCode {
    match compare(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("dvm-bench-bodies: {message}");
            ExitCode::FAILURE
        }
    }
}

fn compare(options: &Options) -> Result<bool, String> {
    std::fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let bin = match &options.bin {
        Some(bin) => bin.clone(),
        None => own_folder()?,
    };
    let plain = Compiler::plain(&options.cc);
    let tiled = Compiler::tiled(&bin.join("dvmcc"), &options.cc);
    let polly = Some(Compiler::polly(&options.polly)).filter(Compiler::works);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted =
        |nest: &&Nest| options.only.is_empty() || options.only.iter().any(|part| nest.name.contains(part.as_str()));
    let mut equal = true;
    if !options.quick {
        println!("{}", table::head(workers));
    }
    for nest in Nest::all().iter().filter(wanted) {
        let same = same_bits(nest, options, &plain, &tiled)?;
        equal &= same;
        let verdict = if same { "" } else { "  DIFFERENT BITS" };
        if options.quick {
            println!("{:<13} {}", nest.name, if same { "same bits" } else { verdict.trim_start() });
        } else {
            println!("{}{verdict}", table::line(&measure(nest, options, [&plain, &tiled], polly.as_ref(), workers)?));
        }
    }
    Ok(equal)
}

fn own_folder() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("own path: {error}"))?;
    own.parent().map(Path::to_path_buf).ok_or_else(|| "own path has no folder".into())
}

/// Whether tiles, with one worker and with three, give the plain compiler's bits at a small size.
fn same_bits(nest: &Nest, options: &Options, plain: &Compiler, tiled: &Compiler) -> Result<bool, String> {
    let strict = ["-ffp-contract=off"];
    let expected = plain.build(nest, &options.folders(), &strict)?.run(nest.small, 2, &[])?;
    let program = tiled.build(nest, &options.folders(), &strict)?;
    for workers in ["1", "3"] {
        let run = program.run(nest.small, 2, &[("DVM_WORKERS", workers), ("DVM_TUNE", "0")])?;
        if run.bits != expected.bits {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Runs the programs of a nest in turn.
fn measure(
    nest: &Nest,
    options: &Options,
    [plain, tiled]: [&Compiler; 2],
    polly: Option<&Compiler>,
    workers: usize,
) -> Result<Row, String> {
    let (plain, tiled) = (plain.build(nest, &options.folders(), &[])?, tiled.build(nest, &options.folders(), &[])?);
    let polly = polly.map(|polly| polly.build(nest, &options.folders(), &[])).transpose()?;
    let library =
        nest.library.then(|| Compiler::library(&options.cc).build(nest, &options.folders(), &[])).and_then(Result::ok);
    let (size, passes) = (nest.size, nest.passes);
    let all = workers.to_string();
    let ways = [
        (Some(&plain), vec![]),
        (Some(&tiled), vec![("DVM_WORKERS", "1")]),
        (Some(&tiled), vec![("DVM_WORKERS", all.as_str())]),
        (polly.as_ref(), vec![("OMP_NUM_THREADS", all.as_str())]),
        (library.as_ref(), vec![("OPENBLAS_NUM_THREADS", all.as_str())]),
    ];
    let mut seconds: [Vec<f64>; 5] = Default::default();
    let mut last: Option<Run> = None;
    for round in 0..options.runs.max(1) {
        for turn in 0..ways.len() {
            let way = (round + turn) % ways.len();
            let (Some(program), environment) = &ways[way] else { continue };
            let run = program.run(size, passes, environment)?;
            seconds[way].push(table::median(&run.settled()));
            last = Some(run);
        }
    }
    let work = last.ok_or("nothing ran")?;
    let medians = seconds.map(|seconds| (!seconds.is_empty()).then(|| table::median(&seconds)));
    Ok(Row { name: nest.name, size, operations: work.operations, bytes: work.bytes, medians })
}
