//! What a redistribution costs: libdvm beside memcpy of the same bytes, in turn, on the same memories.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::Parser;
use serde_json::{Value, json};

/// Redistributes a square matrix of doubles between layouts and copies the same bytes with memcpy, in turn, by the same
/// number of threads; all pages are touched before. Prints medians and spreads of both and of their ratio, and writes
/// redist.json. Every run checks each element.
///
/// Exit status: 0 measured, 1 something failed or gave a wrong result, 2 wrong usage.
#[derive(Parser)]
#[command(name = "dvm-bench-redist", version)]
struct Options {
    /// Rounds: processes for each line of the table. Default: 3, or 1 with --quick.
    #[arg(long)]
    rounds: Option<usize>,
    /// Redistributions of each process. Default: 7, or 1 with --quick.
    #[arg(long)]
    runs: Option<usize>,
    /// Rows and columns of the matrix. Default: 8192, or 500 with --quick.
    #[arg(long)]
    size: Option<usize>,
    /// Numbers of workers, separated by commas.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2])]
    workers: Vec<usize>,
    /// Small size, one round, no goals: only to see that everything runs and gives right results.
    #[arg(long)]
    quick: bool,
    /// The program's source.
    #[arg(long, default_value = "bench/redist/redistribute.c")]
    source: PathBuf,
    /// Folder of dvm.h.
    #[arg(long, default_value = "include")]
    include: PathBuf,
    /// Folder of libdvm.so; default: this program's own.
    #[arg(long)]
    library: Option<PathBuf>,
    /// Folder for the program and redist.json.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
}

/// A case of the program, and what is wanted of it: the time as a multiple of memcpy's.
const CASES: [(&str, f64); 4] =
    [("rows-to-columns", 1.3), ("64-to-96", 1.5), ("transposed", 3.0), ("whole-transposed", 3.0)];

/// The times of one line of the table, in seconds: memcpy and redistribution of each run.
#[derive(Default)]
struct Samples {
    pairs: Vec<(f64, f64)>,
    plan: Vec<f64>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dvm-bench-redist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    let quick = |value: Option<usize>, small, usual| value.unwrap_or(if options.quick { small } else { usual });
    let (rounds, runs) = (quick(options.rounds, 1, 3), quick(options.runs, 1, 7));
    let size = quick(options.size, 500, 8192);
    let program = build(options)?;
    let lines: Vec<(&str, f64, usize)> =
        CASES.iter().flat_map(|&(case, goal)| options.workers.iter().map(move |&w| (case, goal, w))).collect();
    let mut all: Vec<Samples> = lines.iter().map(|_| Samples::default()).collect();
    for round in 0..rounds {
        for k in 0..lines.len() {
            let k = (k + round) % lines.len();
            measure(&program, lines[k].0, size, lines[k].2, runs, &mut all[k])?;
        }
    }
    println!("{size} x {size} doubles, {rounds} x {runs} runs; medians (least .. greatest)");
    println!(
        "{:<18}{:>8}{:>28}{:>28}{:>26}{:>6}",
        "case", "workers", "memcpy, ms", "redistribute, ms", "ratio", "goal"
    );
    let mut table = Vec::new();
    for (&(case, goal, workers), samples) in lines.iter().zip(&all) {
        let of = |value: fn(&(f64, f64)) -> f64| spread(samples.pairs.iter().map(value).collect());
        let (copy, redistribute, ratio) = (of(|p| p.0 * 1e3), of(|p| p.1 * 1e3), of(|p| p.1 / p.0));
        let goal_text = if options.quick { String::new() } else { format!("{goal:.1}") };
        println!(
            "{case:<18}{workers:>8}{:>28}{:>28}{:>26}{goal_text:>6}",
            shown(copy, 1),
            shown(redistribute, 1),
            shown(ratio, 2)
        );
        table.push(json!({"case": case, "workers": workers, "size": size, "memcpy_ms": numbers(copy),
            "redistribute_ms": numbers(redistribute), "ratio": numbers(ratio), "goal": goal,
            "plan_ms": numbers(spread(samples.plan.iter().map(|p| p * 1e3).collect()))}));
    }
    let path = options.out.join("redist.json");
    let text = serde_json::to_string_pretty(&table).map_err(|e| e.to_string())?;
    std::fs::write(&path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    println!("{} passed, 0 failed", lines.len());
    Ok(())
}

/// Compiles the program.
fn build(options: &Options) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let library = options.library.clone().or_else(|| own.parent().map(Path::to_owned)).unwrap_or_default();
    std::fs::create_dir_all(&options.out).map_err(|e| format!("{}: {e}", options.out.display()))?;
    let program = options.out.join("redistribute");
    let compiler = std::env::var_os("CC").filter(|c| !c.is_empty()).unwrap_or_else(|| "cc".into());
    let mut command = Command::new(compiler);
    command.args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-o"]).arg(&program).arg(&options.source);
    command.arg("-I").arg(&options.include).arg("-L").arg(&library).args(["-ldvm", "-pthread"]);
    command.arg(format!("-Wl,-rpath,{}", library.display()));
    output(&mut command).map(|_| program)
}

/// Runs a command; its standard output, or what it said instead.
fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name}: {e}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{name}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end()))
}

/// One process of a case.
fn measure(
    program: &Path,
    case: &str,
    size: usize,
    workers: usize,
    runs: usize,
    into: &mut Samples,
) -> Result<(), String> {
    let mut command = Command::new(program);
    let text = output(command.arg(case).args([size, workers, runs].map(|n| n.to_string())))?;
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |k: usize| words[k].parse::<f64>().map_err(|e| format!("{line}: {e}"));
        match words[..] {
            ["memcpy", _, "redistribute", _] => into.pairs.push((number(1)?, number(3)?)),
            ["plan", _] => into.plan.push(number(1)?),
            _ => return Err(format!("{case}: '{line}' is no result")),
        }
    }
    if into.pairs.is_empty() { Err(format!("{case}: no result")) } else { Ok(()) }
}

/// Median, least and greatest of some values, of which there is one at least.
fn spread(mut values: Vec<f64>) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    (values[(values.len() - 1) / 2], values[0], values[values.len() - 1])
}

fn shown((median, least, greatest): (f64, f64, f64), digits: usize) -> String {
    format!("{median:.digits$} ({least:.digits$} .. {greatest:.digits$})")
}

fn numbers((median, least, greatest): (f64, f64, f64)) -> Value {
    json!({"median": median, "least": least, "greatest": greatest})
}
