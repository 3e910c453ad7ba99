//! The three programs, which are one file under three names: `dvm-codegen`, `dvmcc` and `dvmfc`.
//!
//! An installation has the file once, with a hard link for each of the other names (docs/decisions.md says why).

mod dvmcc;
mod dvmfc;
mod explained;
mod generator;
mod name;
mod named_constants;

#[cfg(test)]
mod man;

use crate::driver::{ARGUMENT, limited_process, output_file, with_room};
use name::Program;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the program that the first word of the command line names, or else the program's file.
pub fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().map(PathBuf::from);
    let mut words: Vec<OsString> = words.collect();
    if words == [ARGUMENT] {
        let serve = || {
            limited_process::serve();
            Ok(0)
        };
        return ended("dvm-codegen", with_room(serve));
    }
    let chosen = words.first().and_then(|word| word.to_str()).and_then(name::chosen);
    if chosen.is_some() {
        words.remove(0);
    }
    let file = std::env::current_exe().ok();
    match chosen.or_else(|| Program::of(called.as_deref(), file.as_deref())) {
        Some(Program::C) => ended("dvmcc", with_room(move || dvmcc::run(&words))),
        Some(Program::Fortran) => ended("dvmfc", with_room(move || dvmfc::run(&words))),
        Some(Program::Generator) => generator::main(words, ""),
        None => generator::main(words, &name::hint(&called.unwrap_or_default())),
    }
}

fn ended(program: &str, outcome: Result<i32, String>) -> ExitCode {
    match outcome {
        Ok(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Err(message) => {
            output_file::tell(&format!("{program}: error: {message}\n"));
            ExitCode::from(1)
        }
    }
}
