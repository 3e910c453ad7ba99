//! `dvm-codegen`: turns C loop nests into tiles, and shows each pass.

use super::name::CHOOSE;
use super::named_constants::{named_constants, with_values};
use crate::Stage;
use crate::driver::compiler::Compiler;
use crate::driver::compiler_text::CompilerText;
use crate::driver::invocation::Invocation;
use crate::driver::limited_process::{Guarded, Product};
use crate::driver::{self, Outcome, output_file};
use crate::limits;
use crate::redist_c::{self, RedistArgs};
use crate::refusal;
use crate::scratch_folder::ScratchFolder;
use crate::source::Source;
use crate::tile_drawing::{self, Scene, View};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// The command line.
#[derive(Parser)]
#[command(version, about = "Turns marked C loops into tiles that run on libdvm", after_help = AFTER_HELP)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// What follows the options in `--help`.
pub const AFTER_HELP: &str = "\
Examples:
  dvm-codegen tile jacobi.c -o jacobi.dvm.c
  dvm-codegen tile jacobi.c --print=model
  dvm-codegen tile solver.c --strict -o out.c -- -Iinclude -DN=1000 -std=c99
  dvm-codegen draw jacobi.c --set T=5 --set N=20 --tile 2,6 -o tiles.svg

Environment: DVM_CLANG names the clang that reads the source (default clang).

Exit status: 0: success; 1: a region was refused under --strict, or a redistribution; 2: wrong usage,
unreadable or unwritable file; 3: clang is missing or does not accept the file.";

#[derive(Subcommand)]
enum Command {
    /// Transform the regions of a C file.
    #[command(after_help = AFTER_HELP)]
    Tile(Tile),
    /// Plan, write as C or draw the redistribution of an array.
    Redist(RedistArgs),
    /// Draw the tiled iteration space of a region, with its dependences, as SVG.
    Draw(Draw),
    /// Say what the code of a message means, with a failing and a mended example.
    Explain {
        /// The code, as DVM032 (default: a list of all codes).
        #[arg(default_value = "", hide_default_value = true)]
        code: String,
    },
}

#[derive(clap::Args)]
struct Draw {
    /// C source with a region.
    file: PathBuf,
    /// File for the drawing (default: standard output).
    #[arg(short, long, value_name = "OUT.svg")]
    out: Option<PathBuf>,
    /// Name of the region (default: the file's first region).
    #[arg(long)]
    region: Option<String>,
    /// Value of a parameter of the region, or of a constant that the file or -D defines, as N=12 (default: 12 for each
    /// parameter).
    #[arg(long = "set", visible_alias = "size", value_name = "NAME=VALUE", value_parser = size)]
    sizes: Vec<(String, i64)>,
    /// Tile sizes (default: 4 each).
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(i64).range(1..))]
    tile: Vec<i64>,
    /// Options for the C compiler (-I, -D, -std ...).
    #[arg(last = true, value_name = "CC FLAGS")]
    flags: Vec<String>,
}

/// Parses the name of a pass.
fn stages() -> impl TypedValueParser<Value = Stage> {
    PossibleValuesParser::new(Stage::all().map(Stage::name)).try_map(|name| name.parse::<Stage>())
}

/// Parses NAME=VALUE.
fn size(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.parse().map_err(|_| format!("`{value}` is no whole number"))?))
}

#[derive(clap::Args)]
struct Tile {
    /// C source with `#pragma dvm region` or `#pragma scop` pairs.
    file: PathBuf,
    /// File for the new source (default: standard output).
    #[arg(short, long, value_name = "OUT.c")]
    output: Option<PathBuf>,
    /// Print the state of each region after a pass, instead of the new source.
    #[arg(long, value_name = "PASS", value_parser = stages())]
    print: Option<Stage>,
    /// Make a region that stays sequential an error.
    #[arg(long)]
    strict: bool,
    /// Options for the C compiler (-I, -D, -std ...).
    #[arg(last = true, value_name = "CC FLAGS")]
    flags: Vec<String>,
}

/// Runs the command; `hint` follows the message about a wrong command line.
pub fn main(mut words: Vec<OsString>, hint: &str) -> ExitCode {
    let held = words.first().is_some_and(|word| word == HELD);
    if held {
        words.remove(0);
    }
    let line = [OsString::from("dvm-codegen")].into_iter().chain(words.iter().cloned());
    let command = match Arguments::try_parse_from(line) {
        Ok(arguments) => arguments.command,
        // The user asked for help or the version, so a failure to print it counts.
        Err(answer) if !answer.use_stderr() => {
            return output_file::print(answer.to_string().as_bytes())
                .map_or_else(|message| fail(&message, 2), |()| ExitCode::SUCCESS);
        }
        Err(error) => {
            let _ = error.print();
            output_file::tell(hint);
            return ExitCode::from(2);
        }
    };
    let work = move || {
        Ok(match command {
            Command::Redist(_) if !held => return hold(&words),
            Command::Redist(arguments) => return Ok(redist_c::run(&arguments)),
            Command::Tile(tile) => ExitCode::from(run(&tile)),
            Command::Draw(draw) => ExitCode::from(run_draw(&draw)),
            Command::Explain { code } => {
                let printed = refusal::explanation_of(&code).and_then(|text| output_file::print(text.as_bytes()));
                ExitCode::from(printed.map_or_else(|message| complain(message, 2), |()| 0))
            }
        })
    };
    match driver::with_room(work) {
        Ok(code) => code,
        Err(message) => fail(&message, 2),
    }
}

/// First argument of this program in a process with limited time and memory.
const HELD: &str = "--dvm-held";

/// Runs this command in a process with limited time and memory. A file's own limits on redistributions come first, and
/// say more.
fn hold(words: &[OsString]) -> Result<ExitCode, String> {
    let program = std::env::current_exe().map_err(|e| format!("this program cannot be found: {e}"))?;
    let mut command = limits::held(&program.to_string_lossy(), limits::FILE.as_secs(), limits::MEMORY + limits::STACK);
    let status = command.args([&format!("{CHOOSE}dvm-codegen"), HELD]).args(words).status();
    let status = status.map_err(|e| format!("cannot run this program again: {e}"))?;
    match status.code() {
        Some(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        None => Err(format!(
            "the redistributions take more than {} s or 2 GB; divide the file, or give the cases fewer dimensions, \
             locations or elements",
            limits::FILE.as_secs()
        )),
    }
}

fn fail(message: &str, code: u8) -> ExitCode {
    output_file::tell(&format!("dvm-codegen: error: {message}\n"));
    ExitCode::from(code)
}

fn complain(message: impl std::fmt::Display, code: u8) -> u8 {
    output_file::tell(&format!("dvm-codegen: error: {message}\n"));
    code
}

/// Draws the requested region.
fn run_draw(draw: &Draw) -> u8 {
    let source = match Source::read(&draw.file) {
        Ok(source) => source,
        Err(e) => return complain(format!("cannot read `{}`: {e}", draw.file.display()), 2),
    };
    let view = view(draw, &source);
    let changed = !view.originals.is_empty();
    let constants = named_constants(&source, &draw.flags);
    let (source, flags) = with_values(&source, &draw.flags, &constants, &view.sizes);
    let outcome = match read_copy(&source, flags, &Guarded::new(Product::Drawing(view, draw.region.clone()))) {
        Ok(outcome) => outcome,
        Err((message, code)) => return complain(format!("{}: {message}", draw.file.display()), code),
    };
    output_file::tell(&outcome.messages(&source));
    let mut scenes = outcome.regions.iter().map(|(_, drawing)| &drawing.file_scope);
    let Some(scene) = scenes.find_map(|text| serde_json::from_str::<Scene>(text).ok()) else {
        if changed && outcome.refused > 0 {
            let path = draw.file.display();
            output_file::tell(&format!(
                "{path}: note: small constants may change what a region is; greater values keep it\n"
            ));
        }
        let region = draw.region.as_ref().map_or_else(|| "a region".to_owned(), |name| format!("a region '{name}'"));
        return complain(format!("{}: there is no drawing of {region}", draw.file.display()), 1);
    };
    if let Some(note) = &scene.note {
        output_file::tell(&format!("{}: note: {note}\n", draw.file.display()));
    }
    let text = tile_drawing::svg(&scene);
    let written = match &draw.out {
        Some(path) => output_file::write(path, text.as_bytes()),
        None => output_file::print(text.as_bytes()),
    };
    written.map_or_else(|message| complain(message, 2), |()| 0)
}

/// What is to be drawn. If constants get other values, the regions are read with their own, too.
fn view(draw: &Draw, source: &Source) -> View {
    // The last value of a name counts, as of a compiler's options.
    let sizes: BTreeMap<String, i64> = draw.sizes.iter().cloned().collect();
    let constants: BTreeSet<String> =
        named_constants(source, &draw.flags).into_iter().map(|constant| constant.name).collect();
    let changes = sizes.keys().any(|name| constants.contains(name));
    let model = Stage::all().next().filter(|_| changes).map(|stage| Guarded::new(Product::Stage(stage)));
    let read = model.and_then(|model| driver::transform(source, &draw.flags, &model).ok());
    let originals = read.into_iter().flat_map(|outcome| outcome.regions).map(|(_, model)| model.file_scope).collect();
    View {
        sizes: sizes.into_iter().collect(),
        tile: draw.tile.clone(),
        constants: constants.into_iter().collect(),
        originals,
    }
}

/// Transforms a copy of the file with the source's text, which is not the file's own where a constant has another value.
/// The error is a message and an exit status.
fn read_copy(source: &Source, mut flags: Vec<String>, guarded: &Guarded) -> Result<Outcome, (String, u8)> {
    let folder = ScratchFolder::open(u64::from(std::process::id())).map_err(|message| (message, 2))?;
    let path = folder.path.join(source.path.file_name().unwrap_or_default());
    std::fs::write(&path, &source.bytes).map_err(|e| (format!("cannot write `{}`: {e}", path.display()), 2))?;
    let quoted = std::fs::canonicalize(source.folder()).unwrap_or_else(|_| source.folder());
    flags.extend(["-iquote".to_owned(), quoted.display().to_string()]);
    let copy = Source::new(&path, source.bytes.clone());
    driver::transform(&copy, &flags, guarded).map_err(|e| {
        let said = e.to_string().replace(&path.display().to_string(), &source.path.display().to_string());
        (said, 3)
    })
}

fn run(tile: &Tile) -> u8 {
    let source = match Source::read(&tile.file) {
        Ok(source) => source,
        Err(e) => return complain(format!("cannot read `{}`: {e}", tile.file.display()), 2),
    };
    // The last pass gives the new source itself.
    let stage = tile.print.filter(|s| !s.is_last());
    let guarded = Guarded::new(stage.map_or(Product::Text, Product::Stage));
    // What is printed is for the user's compiler, as far as it is known.
    let asked = tile.flags.iter().cloned().chain([tile.file.display().to_string()]).collect::<Vec<_>>();
    let known = Compiler::find().ok().zip(Invocation::parse(&asked).ok());
    let seen = known.map(|(compiler, invocation)| CompilerText::of(&compiler, &invocation, &[], &source));
    let flags: Vec<String> = tile.flags.iter().cloned().chain(seen.iter().map(CompilerText::option)).collect();
    let mut outcome = match driver::transform(&source, &flags, &guarded) {
        Ok(outcome) => outcome,
        Err(e) => return complain(format!("{}: {e}", tile.file.display()), 3),
    };
    let fatal = tile.strict && outcome.refused > 0;
    if fatal {
        outcome.harden();
    }
    output_file::tell(&outcome.messages(&source));
    if fatal {
        return 1;
    }
    let name = tile.output.as_ref().map_or_else(|| "<stdout>".to_owned(), |o| o.display().to_string());
    let text = match stage {
        None => outcome.text(&source, &name),
        Some(_) => {
            outcome.regions.iter().map(|(_, printed)| printed.file_scope.as_str()).collect::<String>().into_bytes()
        }
    };
    let written = match &tile.output {
        Some(path) => output_file::write(path, &text),
        None => output_file::print(&text),
    };
    written.map_or_else(|message| complain(message, 2), |()| 0)
}
