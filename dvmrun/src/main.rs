//! `dvmrun`: starts a program as several processes on this host, which can reach each other.

mod keeper;
mod labels;
#[cfg(test)]
mod man;
mod processes;
mod run;
mod stdin_relay;
mod system;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

/// Starts a program as several processes on this host, which dvm_init joins to one machine. No MPI is needed. A program
/// that does not use libdvm runs as it does alone.
///
/// Process 0 gets the standard input, the others get none. Signals (HUP, INT, QUIT, TERM, USR1, USR2, TSTP, CONT) are
/// passed on to each process and to what it has started. When a process fails, the others are ended: by TERM, and after
/// a while by KILL. When dvmrun itself is killed, so are they. With DVM_RECOVER=1 a process other than 0 that a signal
/// ends is no failure: the others go on.
#[derive(Parser)]
#[command(name = "dvmrun", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Arguments {
    /// How many processes to start, from 1 to 1024
    #[arg(short = 'n', long = "processes", value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..=dvm::transport::job::MOST_PROCESSES as u64))]
    processes: u64,
    /// Begin each line of output with the index of its process, as `[2] `
    #[arg(short, long)]
    label: bool,
    /// Let the others go on when a process fails; the exit status is the same
    #[arg(short, long)]
    keep_going: bool,
    /// End everything after so many seconds
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// How long processes that are told to end may take before they are killed, in seconds
    #[arg(short, long, value_name = "SECONDS", value_parser = seconds, default_value = "5")]
    grace: Duration,
    /// The program, and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

const AFTER_HELP: &str = "Exit status: 0: all processes ended with 0; 2: the command line is wrong; 124: the time of \
    --timeout is over; 125: dvmrun itself failed; 126: the program cannot be executed; 127: there is no such program; \
    else: that of the process that failed first, or 128 plus the number of the signal that ended it.\n\n\
    Examples:\n  dvmrun -n 4 ./program input.dat\n  dvmrun -n 2 --label --timeout 60 ./test\n  \
    dvmrun -n 2 gdb -batch -ex run -ex backtrace ./program";

/// Seconds with a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == keeper::ARGUMENT) {
        keeper::keep();
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::parse();
    let wishes = run::Wishes {
        processes: arguments.processes as usize,
        label: arguments.label,
        keep_going: arguments.keep_going,
        recovers: std::env::var_os("DVM_RECOVER").is_some_and(|set| set == "1"),
        timeout: arguments.timeout,
        grace: arguments.grace,
        program: &arguments.program,
    };
    match run::run(&wishes) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("dvmrun: {}", failure.text);
            ExitCode::from(failure.code)
        }
    }
}
