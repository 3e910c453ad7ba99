//! `dvmfc`: a replacement for `gfortran`.

use super::explained::explained;
use crate::clause_form::help_of_clauses;
use crate::driver::limited_process::{Guarded, Product};
use crate::driver::output_file;
use crate::fortran::{FORTRAN_CLAUSES, command, remedies};
use std::ffi::OsString;

/// What `--help` prints before the clauses.
const HELP: &str = "\
dvmfc: a Fortran compiler command that runs marked loops as tiles on libdvm

Usage: dvmfc [gfortran options] file...

Use it in place of gfortran (`make FC=dvmfc`). Loops behind `!$dvm region` become tiles that run
on all cores; everything else is passed to gfortran. A region that cannot be transformed is
reported and stays as it is.

Options of its own:
  --show         keep the generated C as FILE.LINE.dvm.c next to the object, and print its path
  --dvm-strict   a region that stays sequential is an error
  -Wno-dvm       no messages about regions
  --dvm-remarks  print which regions are tiled, and how many; linking adds up those of all objects
                 that were compiled with it
  --why          read loops outside of regions, of all files the largest first, and print which
                 can be tiled, by which mark, and what stands in the way of the others;
                 nothing is compiled
  --explain DVM032   what the code of a message means, with examples in C, and what helps in
                 Fortran; without a code: all of them
  --help         this text
  --version      versions of dvmfc and of the compiler behind it

Environment:
  DVM_FC         the real Fortran compiler (default gfortran)
  DVM_FLANG      the flang (LLVM 19) that reads the sources (default: flang-new-19, flang-19,
                 flang-new or flang); without it all regions stay sequential
  DVM_CC, CC     the compiler for the generated C (default cc)
  DVM_PREFIX     where libdvm is installed (default: found from dvmfc's own place)

Exit status: that of the compiler; 1 where dvmfc itself fails, or a refused region is an error.

Examples:
  dvmfc -O3 -o heat heat.f90
  dvmfc -O3 -c solver.f90 && dvmfc -o app main.o solver.o

Pragma: !$dvm region CLAUSE ... (docs/fortran.md)
";

/// What `--help` prints.
pub fn help() -> String {
    format!("{HELP}{}", help_of_clauses(&FORTRAN_CLAUSES))
}

/// Runs the command; the compiler's exit status.
pub fn run(words: &[OsString]) -> Result<i32, String> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(code) = explained(&words) {
        return output_file::print(remedies::explanation(code)?.as_bytes()).map(|()| 0);
    }
    if words.iter().any(|word| word == "--help") {
        output_file::print(help().as_bytes())?;
        return Ok(0);
    }
    if words.iter().any(|word| word == "--version") {
        output_file::print(format!("dvmfc {}\n", env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    command::run(&words, &Guarded::new(Product::Text))
}
