//! `dvmcc`: a replacement for `cc`.

use super::explained::explained;
use crate::clause_form::help_of_clauses;
use crate::driver::invocation::Invocation;
use crate::driver::limited_process::{Guarded, Product};
use crate::driver::{advice, dvmcc, non_utf8_words, output_file};
use crate::frontend::CLAUSES;
use crate::refusal;
use std::ffi::OsString;

/// What `--help` prints before the clauses.
const HELP: &str = "\
dvmcc: a C compiler command that runs marked loops as tiles on libdvm

Usage: dvmcc [cc options] file...

Use it in place of cc (`make CC=dvmcc`). Loops under `#pragma dvm region` (or between
`#pragma scop` and `#pragma endscop`) become tiles that run on all cores; everything else is
passed to the real compiler. A region that cannot be transformed is reported and stays as it is.

Options of its own:
  --show         keep the generated C as FILE.dvm.c next to the object, and print its path
  --across       regions without a clause run on all processes where that pays, in a program started
                 as several that uses neither MPI nor dvm_init
  --dvm-strict   a region that stays sequential is an error (also -Werror=dvm, until -Wno-error=dvm)
  -Wno-dvm       no messages about regions (also -w); -Werror alone makes none an error
  --dvm-remarks  print what became of each region: phases, tile loops, which of them carry dependences,
                 bytes per tile, or what stands in the way; linking ends with `3 of 4 regions tiled`,
                 of all objects in the program that were compiled with this option
  --dvm-remarks=FILE   add that to FILE, a line of JSON for each source; linking counts those of FILE
  --why          read the loops outside of regions, of all files the largest first, and print which
                 can be tiled, by which pragma, and what stands in the way of the others;
                 nothing is compiled
  --explain DVM032   what the code of a message means, with a failing and a mended example;
                 without a code: all of them
  --help         this text
  --version      versions of dvmcc and of the compiler behind it

Environment:
  DVM_CC, CC     the real compiler (default cc); one that calls dvmcc again, as mpicc does with
                 OMPI_CC=dvmcc, is used once, and then the next of the three
  DVM_CLANG      the clang that reads the sources (default clang)
  DVM_PREFIX     where libdvm is installed (default: found from dvmcc's own place)

Exit status: that of the compiler; 1 where dvmcc itself fails, or a refused region is an error.

Examples:
  dvmcc -O3 -march=native -o jacobi jacobi.c
  dvmcc -O3 -c --show stencil.c && dvmcc -o app main.o stencil.o

Pragma: #pragma dvm region CLAUSE ... (docs/pragma.md)
";

/// What `--help` prints behind the clauses.
const SCOP: &str = "\
  #pragma scop   makes the statements of a block up to `#pragma endscop` a region, without clauses
";

/// What `--help` prints.
pub fn help() -> String {
    format!("{HELP}{}{SCOP}", help_of_clauses(&CLAUSES))
}

/// Runs the command; the compiler's exit status.
pub fn run(words: &[OsString]) -> Result<i32, String> {
    let arguments: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(code) = explained(&arguments) {
        let text = refusal::explanation_of(code)?;
        return output_file::print(text.as_bytes()).map(|()| 0);
    }
    let invocation = Invocation::parse(&arguments)?;
    if invocation.help {
        output_file::print(help().as_bytes())?;
        return Ok(0);
    }
    if invocation.version {
        output_file::print(format!("dvmcc {}\n", env!("CARGO_PKG_VERSION")).as_bytes())?;
        return dvmcc::show_version();
    }
    if non_utf8_words::any(words) {
        return non_utf8_words::run(words, &invocation);
    }
    if invocation.why {
        return advice::run(&invocation, &Guarded::new(Product::Text));
    }
    let product = if invocation.remarks.is_some() { Product::Remarked } else { Product::Text };
    dvmcc::run(&invocation, &Guarded::new(product))
}
