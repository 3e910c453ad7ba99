//! What a task costs: libdvm beside its peers, serial code and hand-written floors, in one interleaved run.

mod measure;
mod probe;
mod programs;
mod rayon_peer;
mod report;
mod samples;
mod systems;
mod table;
mod verdicts;
mod works;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use measure::{Entrant, Figures, Plan};
use programs::Workshop;
use systems::{Kind, SYSTEMS};
use works::{WORKS, Work};

/// Measures what a task costs: libdvm beside StarPU, libgomp, libomp, oneTBB, rayon, serial code and loops written by hand for each
/// work. All take turns in one run; the table shows medians, spreads, the ratio to the best peer and the distance to the
/// floor. Every run checks its results. Peers that are not installed are left out.
///
/// Exit status: 0 measured, 1 something failed or gave a wrong result, 2 wrong usage.
#[derive(Parser)]
#[command(name = "dvm-bench", version, args_conflicts_with_subcommands = true)]
struct Options {
    /// Rounds: runs of each program. Default: 7, or 1 with --quick.
    #[arg(long)]
    runs: Option<usize>,
    /// Only these works (a, b, c, c-datum, d, e, metg-fft ..., memory), separated by commas; a part of a name does.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only these systems (serial, floor, dvm, dvm-near, dvm-modes, dvm-cpp, starpu, gomp, libomp, tbb-flow, tbb, rayon, rayon-join), separated by commas.
    #[arg(long, value_delimiter = ',')]
    systems: Vec<String>,
    /// Numbers of workers, separated by commas. Default: 1 and one for each CPU.
    #[arg(long, value_delimiter = ',')]
    workers: Vec<usize>,
    /// Small sizes, one round, no goals: only to see that everything runs and gives right results.
    #[arg(long)]
    quick: bool,
    /// Seconds that one program may take.
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// Seconds after which a peer's program gets no more runs, once it had three.
    #[arg(long, default_value_t = 15.0)]
    patience: f64,
    /// Ask the kernel to prefer this session over others on a shared machine (root; needs autogroup scheduling).
    #[arg(long)]
    prefer: bool,
    /// Folder of the programs' sources.
    #[arg(long, default_value = "bench")]
    sources: PathBuf,
    /// Folder of dvm.h.
    #[arg(long, default_value = "include")]
    include: PathBuf,
    /// Folder of libdvm.so; default: this program's own.
    #[arg(long)]
    library: Option<PathBuf>,
    /// Folder for programs and tasks.json.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    #[command(subcommand)]
    peer: Option<Peer>,
}

/// Programs that are part of this one.
#[derive(Subcommand)]
enum Peer {
    /// Do one work with rayon and print its line.
    #[command(hide = true)]
    Rayon { program: String, workers: usize, size: usize, variant: Option<String> },
}

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.peer {
        Some(Peer::Rayon { program, workers, size, variant }) => {
            rayon_peer::main(program, *workers, *size, variant.as_deref().unwrap_or("")).map(|()| true)
        }
        None => run(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("dvm-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, String> {
    let works = chosen_works(&options.only)?;
    let plan = plan(options)?;
    if let Some(unknown) = options.systems.iter().find(|name| SYSTEMS.iter().all(|system| system.name != name.as_str()))
    {
        let known = SYSTEMS.iter().map(|system| system.name).collect::<Vec<_>>().join(", ");
        return Err(format!("--systems: no system is called `{unknown}`; there are {known}"));
    }
    let workshop = workshop(options)?;
    if options.prefer {
        std::fs::write("/proc/self/autogroup", "-20")
            .map_err(|error| format!("--prefer: /proc/self/autogroup: {error}"))?;
    }
    let wanted =
        |system: &systems::System| options.systems.is_empty() || options.systems.iter().any(|name| name == system.name);
    let entrants = measure::entrants(&workshop, wanted);
    println!("{}, {} CPUs, median of {}\n", report::processor(), cpus(), plan.rounds);
    println!("{}", table::legend(&entrants));

    let all = measure_all(&works, &entrants, &workshop, &plan)?;
    let goals: Vec<_> = all.iter().flat_map(verdicts::goals).collect();
    let comparisons: Vec<_> = all.iter().flat_map(verdicts::comparisons).collect();
    if !plan.quick {
        println!("{}", verdicts::render("goals", &goals));
        println!("{}", verdicts::render("against the peers", &comparisons));
    }
    let json = options.out.join("tasks.json");
    let text = report::render(&all, &entrants, &plan, &goals, &comparisons);
    std::fs::write(&json, text).map_err(|error| format!("{}: {error}", json.display()))?;
    println!("all figures: {}", json.display());
    Ok(count(&all, &entrants))
}

/// Says how many programs gave right results. Who takes too long on a busy machine, or comes to no figure there, is no failure, but for libdvm; libdvm is one also when it is not built.
fn count(all: &[Figures], entrants: &[Entrant]) -> bool {
    let absent = entrants.iter().filter(|entrant| entrant.system.kind == Kind::Own && entrant.absent.is_some()).count();
    let cells = || all.iter().flat_map(|figures| figures.by_workers.values().flatten());
    let failed = cells().filter(|(system, samples)| match &samples.failure {
        Some(samples::Failure::TimedOut(_) | samples::Failure::NoFigure(_)) => system.kind == Kind::Own,
        Some(samples::Failure::Failed(_)) => true,
        None => false,
    });
    let failed = failed.count() + absent;
    println!("{} passed, {failed} failed", cells().count() + absent - failed);
    failed == 0
}

fn measure_all(
    works: &[&'static Work],
    entrants: &[Entrant],
    workshop: &Workshop,
    plan: &Plan,
) -> Result<Vec<Figures>, String> {
    let steps: usize = works.iter().map(|work| measure::steps(work, entrants, plan)).sum();
    let progress = ProgressBar::new(steps as u64);
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {pos}/{len} {msg}");
    progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    // No steady tick: a thread that wakes up is noise for what is measured.
    let mut all = Vec::new();
    for work in works {
        let figures = measure::measure(work, entrants, workshop, plan, |doing| {
            progress.set_message(doing.to_owned());
            progress.inc(1);
            progress.tick();
        })?;
        progress.suspend(|| println!("{}", table::render(&figures, plan.rounds, plan.quick)));
        all.push(figures);
    }
    progress.finish_and_clear();
    if let Some(figures) = all.last() {
        println!("the machine meanwhile: {}\n", figures.probes.all());
    }
    Ok(all)
}

fn cpus() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn chosen_works(only: &[String]) -> Result<Vec<&'static Work>, String> {
    let exact = |part: &String| WORKS.iter().any(|work| work.key == part.as_str());
    let fits = |part: &String, work: &Work| {
        if exact(part) { work.key == part.as_str() } else { work.key.contains(part.as_str()) }
    };
    if let Some(part) = only.iter().find(|part| WORKS.iter().all(|work| !fits(part, work))) {
        let known = WORKS.iter().map(|work| work.key).collect::<Vec<_>>().join(", ");
        return Err(format!("--only: no work is called `{part}`; there are {known}"));
    }
    Ok(WORKS.iter().filter(|work| only.is_empty() || only.iter().any(|part| fits(part, work))).collect())
}

fn plan(options: &Options) -> Result<Plan, String> {
    let mut workers = if options.workers.is_empty() { vec![1, cpus()] } else { options.workers.clone() };
    workers.sort_unstable();
    workers.dedup();
    if workers.first() == Some(&0) {
        return Err("--workers: there is no work without workers; numbers from 1 on".into());
    }
    let rounds = options.runs.unwrap_or(if options.quick { 1 } else { 7 });
    if rounds == 0 {
        return Err("--runs: at least 1".into());
    }
    Ok(Plan { rounds, workers, quick: options.quick, limit: options.limit, patience: options.patience })
}

fn workshop(options: &Options) -> Result<Workshop, String> {
    std::fs::create_dir_all(&options.out).map_err(|error| format!("{}: {error}", options.out.display()))?;
    let library = if let Some(library) = &options.library {
        library.clone()
    } else {
        let own = std::env::current_exe().map_err(|error| format!("own path: {error}"))?;
        own.parent().ok_or("own path has no folder")?.to_path_buf()
    };
    let (sources, include) = (options.sources.clone(), options.include.clone());
    Ok(Workshop { sources, include, library, out: options.out.clone() })
}
