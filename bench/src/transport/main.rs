//! What bytes between two processes of a host cost: libdvm's transport alone, on two cores.

mod measures;

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use clap::Parser;
use dvm::transport::{Transport, from_environment};

/// Measures the transport between two processes that dvmrun starts on two cores, or mpirun (`DVM_RINGS=0`: over MPI): round trips, batches, waking up, idling, 64
/// MiB by each method; beside them the time of a cache line that goes to another core and back. Prints medians and minima,
/// and the goals where there are some. Asserts nothing: on a busy machine only the minima mean something.
///
/// Exit status: 0 measured, 1 something failed, 2 wrong usage.
#[derive(Parser)]
#[command(name = "dvm-bench-transport", version)]
struct Options {
    /// Few repetitions: only to see that everything runs.
    #[arg(long)]
    quick: bool,
    /// The program that starts the processes; default: the one beside this.
    #[arg(long)]
    dvmrun: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    match from_environment() {
        Ok(Some(transport)) => play(transport, options.quick),
        Ok(None) => start(&options),
        Err(error) => {
            eprintln!("dvm-bench-transport: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Starts this program as two processes, each on a core of its own.
fn start(options: &Options) -> ExitCode {
    let cpus = cpus();
    if cpus.len() < 2 {
        println!("two processes on one CPU would measure the scheduler: nothing is measured here");
        return ExitCode::SUCCESS;
    }
    let quick = if options.quick { "--quick" } else { "" };
    measures::cache_line(&cpus, options.quick);
    let this = std::env::current_exe().expect("this program has a path");
    let dvmrun = options.dvmrun.clone().unwrap_or_else(|| this.with_file_name("dvmrun"));
    let line = format!(
        "[ $DVM_PROCESS = 0 ] && cpu={} || cpu={}; exec taskset -c $cpu \"$0\" {quick}",
        cpus[0],
        cpus[cpus.len() - 1]
    );
    let mut command = Command::new(&dvmrun);
    command.args(["-n", "2", "--timeout", "300", "sh", "-c", &line]).arg(this);
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(status) => {
            eprintln!("dvm-bench-transport: {status}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("dvm-bench-transport: {} cannot be started: {error}", dvmrun.display());
            ExitCode::FAILURE
        }
    }
}

/// The CPUs that this process may use.
fn cpus() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("");
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse::<usize>().ok()?..=last.parse().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

/// One of the two processes: the first one measures, the second one answers.
fn play(transport: Box<dyn Transport>, quick: bool) -> ExitCode {
    let all = measures::Both { transport: &*transport, quick };
    all.round_trips();
    all.throughput();
    all.waking();
    all.idling();
    all.large();
    let _ = transport.gather(&[]);
    transport.close(true);
    ExitCode::SUCCESS
}
