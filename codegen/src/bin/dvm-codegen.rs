//! `dvm-codegen`: C loop nests to tiles, stage by stage.

use clap::{Parser, Subcommand, ValueEnum};
use dvm_codegen::driver::{self, write};
use dvm_codegen::frontend::source::Source;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Parser)]
#[command(version, about = "Turns marked C loops into tiles that run on libdvm", after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 success; 1 a region was refused under --strict; 2 wrong usage, unreadable or \
unwritable file; 3 clang is missing or does not accept the file.";

const EXAMPLES: &str = "\
Examples:
  dvm-codegen tile jacobi.c -o jacobi.dvm.c
  dvm-codegen tile jacobi.c --print=model
  dvm-codegen tile solver.c --strict -o out.c -- -Iinclude -DN=1000 -std=c99

Environment: DVM_CLANG names the clang that reads the source (default clang).

Exit codes: 0 success; 1 a region was refused under --strict; 2 wrong usage, unreadable or
unwritable file; 3 clang is missing or does not accept the file.";

#[derive(Subcommand)]
enum Command {
    /// Transform the regions of a C file.
    #[command(after_help = EXAMPLES)]
    Tile(Tile),
}

#[derive(clap::Args)]
struct Tile {
    /// C source with `#pragma dvm region` or `#pragma scop` pairs.
    file: PathBuf,
    /// Where the new source goes (default: standard output).
    #[arg(short, long, value_name = "OUT.c")]
    output: Option<PathBuf>,
    /// Print a stage of the work on each region instead of the new source.
    #[arg(long, value_enum)]
    print: Option<Stage>,
    /// A region that stays sequential is an error.
    #[arg(long)]
    strict: bool,
    /// Options that the C compiler would get (-I, -D, -std ...).
    #[arg(last = true, value_name = "CC FLAGS")]
    flags: Vec<String>,
}

/// A stage of the pipeline.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Statements, domains, accesses and the original order.
    Model,
    /// Flow, anti and output dependences.
    Deps,
    /// The new order.
    Schedule,
    /// Bands, tile coordinates and the sets of tiles.
    Tiles,
    /// The new source.
    C,
}

fn main() -> ExitCode {
    let Command::Tile(tile) = Arguments::parse().command;
    match driver::with_room(move || Ok(run(&tile))) {
        Ok(code) => ExitCode::from(code),
        Err(message) => fail(&message, 2),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    eprintln!("dvm-codegen: error: {message}");
    ExitCode::from(code)
}

fn run(tile: &Tile) -> u8 {
    let complain = |message: String, code: u8| {
        eprintln!("dvm-codegen: error: {message}");
        code
    };
    let source = match Source::read(&tile.file) {
        Ok(source) => source,
        Err(e) => return complain(format!("cannot read `{}`: {e}", tile.file.display()), 2),
    };
    let mut outcome = match driver::transform(&source, &tile.flags, &driver::back_end) {
        Ok(outcome) => outcome,
        Err(e) => return complain(format!("{}: {e}", tile.file.display()), 3),
    };
    let fatal = tile.strict && outcome.refused > 0;
    if fatal {
        driver::harden(&mut outcome.diagnostics);
    }
    eprint!("{}", outcome.messages(&source));
    if fatal {
        return 1;
    }
    let name = tile.output.as_ref().map_or_else(|| "<stdout>".to_owned(), |o| o.display().to_string());
    let text = match tile.print {
        None | Some(Stage::C) => outcome.text(&source, &name),
        Some(stage) => {
            let shown = outcome.regions.iter().map(|(found, _)| {
                dvm_codegen::print(&found.region, stage.into(), &source.text(found.begin, found.end))
            });
            match shown.collect::<Result<String, _>>() {
                Ok(text) => text.into_bytes(),
                Err(refusal) => return complain(refusal.to_string(), 3),
            }
        }
    };
    let written = match &tile.output {
        Some(path) => write::write(path, &text),
        None => std::io::Write::write_all(&mut std::io::stdout(), &text).map_err(|e| format!("cannot write: {e}")),
    };
    written.map_or_else(|message| complain(message, 2), |()| 0)
}

impl From<Stage> for dvm_codegen::Stage {
    fn from(stage: Stage) -> dvm_codegen::Stage {
        match stage {
            Stage::Model => dvm_codegen::Stage::Model,
            Stage::Deps => dvm_codegen::Stage::Deps,
            Stage::Schedule => dvm_codegen::Stage::Schedule,
            Stage::Tiles => dvm_codegen::Stage::Tiles,
            Stage::C => dvm_codegen::Stage::C,
        }
    }
}
