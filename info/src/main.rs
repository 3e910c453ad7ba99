//! `dvm-info`: prints what libdvm sees, as found by the library's own code (`dvm::report`) in the caller's environment.

mod check;
mod json;
#[cfg(test)]
mod man;
mod speed;
mod text;

use std::io::{ErrorKind, Write, stdout};
use std::process::ExitCode;

use clap::Parser;
use dvm::report::{self, Report};

/// Prints what libdvm sees: its version and build, the machine as a tree with workers and ranks, the distances between
/// workers, binding and limits, the ways to other processes, and every option with its value and origin.
#[allow(clippy::struct_excessive_bools, reason = "options of a command line")]
#[derive(Parser)]
#[command(name = "dvm-info", version, after_help = EXIT_STATUS)]
struct Arguments {
    /// Only the options, with what they do
    #[arg(long, conflicts_with = "machine")]
    options: bool,
    /// Only the machine
    #[arg(long)]
    machine: bool,
    /// Only the ways to other processes: which plugins for MPI are there, what is chosen here, and why
    #[arg(long, conflicts_with_all = ["machine", "options"])]
    transports: bool,
    /// Measures the caches, the bandwidths and the peak, for about half a second, and prints them as TOML, for DVM_MODEL
    #[arg(long, conflicts_with_all = ["machine", "options", "transports", "json"])]
    model: bool,
    /// What libdvm and its programs need (clang, isl, binding, CPU quota, plugins for MPI, spelling of variables), and what
    /// to do where something is missing
    #[arg(long, conflicts_with_all = ["machine", "options", "transports", "model", "json"])]
    check: bool,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

const EXIT_STATUS: &str = "Exit status: 0: the report is complete; 1: an option has a value that is not allowed, the \
    machine cannot be read, or other processes cannot be reached (dvm_init would fail here); 2: the command line is \
    wrong; 3: the output cannot be written.";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.model {
        return model();
    }
    let report = report::report();
    if arguments.check {
        return tell_check(&report);
    }
    if let Err(failed) = print(&show(&report, &arguments)) {
        return failed;
    }
    match trouble(&report, arguments.transports) {
        Some(why) => {
            eprintln!("dvm-info: {why}");
            ExitCode::from(1)
        }
        None => ExitCode::SUCCESS,
    }
}

/// Measures, and prints what was measured.
fn model() -> ExitCode {
    match speed::measure() {
        Ok(model) => print(&model.to_string()).err().unwrap_or(ExitCode::SUCCESS),
        Err(why) => {
            eprintln!("dvm-info: {why}");
            ExitCode::from(1)
        }
    }
}

/// Writes a text to standard output; else the exit status.
fn print(output: &str) -> Result<(), ExitCode> {
    let written = stdout().write_all(output.as_bytes()).and_then(|()| stdout().flush());
    match written {
        // The reader closed the pipe: not an error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        Err(error) => {
            eprintln!("dvm-info: the output cannot be written: {error}");
            return Err(ExitCode::from(3));
        }
        Ok(()) => {}
    }
    Ok(())
}

/// Prints the findings; fails if something would.
fn tell_check(report: &Report) -> ExitCode {
    let (text, fine) = check::check(report);
    print(&text).err().unwrap_or_else(|| ExitCode::from(u8::from(!fine)))
}

fn show(report: &Report, arguments: &Arguments) -> String {
    let Arguments { machine, options, transports, .. } = *arguments;
    let parts = text::Parts { machine, options, transports };
    if arguments.json { json::show(report, parts) } else { text::show(report, parts) }
}

/// Why `dvm_init` would fail, if it would.
fn trouble(report: &Report, only_transports: bool) -> Option<&str> {
    let transports = report.transports.chosen.as_ref().err().map(String::as_str);
    if only_transports {
        return transports;
    }
    let refused = report.options.iter().find_map(|option| option.refusal.as_deref());
    refused.or(report.machine.as_ref().err().map(String::as_str)).or(transports)
}
