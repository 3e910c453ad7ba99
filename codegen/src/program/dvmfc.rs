//! `dvmfc`: a replacement for `gfortran`.

use super::explained::explained;
use crate::driver::limited_process::{Guarded, Product};
use crate::driver::output_file;
use crate::fortran::{command, remedies};
use std::ffi::OsString;

/// What `--help` prints.
pub const HELP: &str = "\
dvmfc: a Fortran compiler command that runs marked loops as tiles on libdvm

Usage: dvmfc [gfortran options] file...

Use it in place of gfortran (`make FC=dvmfc`). Loops behind `!$dvm region` become tiles that run
on all cores; everything else is passed to gfortran. A region that cannot be transformed is
reported and stays as it is.

Options of its own:
  --show         keep the generated C as FILE.LINE.dvm.c next to the object, and print its path
  --dvm-strict   a region that stays sequential is an error
  -Wno-dvm       no messages about regions
  --dvm-remarks  print which regions are tiled, and how many
  --why          read sources without marks, of all files the largest loops first, and print which
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
  tile(32,auto)  sizes of the tiles, outermost loop first; auto: chosen at run time
  name(x)        the region's name in messages and reports
  pure(f,g)      you assert: these functions only compute a value
  independent    you assert: no iteration touches what another one writes; independent(i): of the
                 loop with the counter i
  private(x,y)   you assert: nothing reads these after the region; each iteration has its own
  reduction(+:x) the updates of x may be joined in another order (+ * min max)
";

/// Runs the command; the compiler's exit status.
pub fn run(words: &[OsString]) -> Result<i32, String> {
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(code) = explained(&words) {
        return output_file::print(remedies::explanation(code)?.as_bytes()).map(|()| 0);
    }
    if words.iter().any(|word| word == "--help") {
        output_file::print(HELP.as_bytes())?;
        return Ok(0);
    }
    if words.iter().any(|word| word == "--version") {
        output_file::print(format!("dvmfc {}\n", env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    command::run(&words, &Guarded::new(Product::Text))
}
