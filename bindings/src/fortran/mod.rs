//! The Fortran module: an interface to each C function, and wrappers in Fortran's style for functions with texts or
//! arrays of ids.

mod comment;
mod kinds;
mod procedure;
mod wrapper;

use std::collections::HashSet;
use std::fmt::Write;

use crate::Trouble;
use crate::section::{Constant, Section, Structure};
use comment::print_comment;
use procedure::Procedure;

const TOP: &str = "\
! libdvm for Fortran: every core of every process as one machine of processing units.
!
! Generated from the Rust sources by `DVM_BLESS=1 cargo test -p dvm-bindings`; do not edit.
!
! Every function of dvm.h is here under its name; its comment is that of the C header. What differs:
!
!  - An id is an array of two integers, a list of ids is an array (2, n), a rank has DVM_MAX_RANK_DEPTH integers. C's unsigned
!    64-bit numbers are integer(c_int64_t).
!  - A handle (of a distribution, a plan, a copy engine) is a derived type of one number.
!  - A procedure that is run as a task is an `integer(c_int) function ... bind(C)`; c_funloc(name) names it. With
!    dvm_processing_register its arguments are its ids, each `integer(c_int64_t), intent(in) :: id(2)`; with
!    dvm_processing_register_v they are (context, ids, count): `type(c_ptr), value`, `ids(2, *)`, `integer(c_int), value`.
!  - c_loc(x) is the address of a variable x with the target attribute; c_f_pointer makes an array of an address.
!  - Fortran tells no capitals apart: where a constant of dvm.h has a function's name (DVM_VERSION), only the function is here.
!  - Texts are Fortran's; descriptions and lists of ids may be left out, and the number of ids is that of the list.
module dvm
  use, intrinsic :: iso_c_binding
  implicit none
  private
";

/// The text of `dvm.f90`.
pub fn print(sections: &[Section]) -> Result<String, Trouble> {
    let procedures = procedures(sections)?;
    let mut text = String::from(TOP);
    for section in sections {
        let clashes = |c: &&Constant| procedures.iter().any(|p| p.public_name().eq_ignore_ascii_case(&c.name));
        for constant in section.codes.iter().chain(&section.constants).filter(|c| !clashes(c)) {
            print_constant(&mut text, constant);
        }
    }
    text.push_str("\n  integer(c_int), parameter, public :: DVMSUCCESS = DVM_SUCCESS\n");
    for section in sections {
        for structure in &section.structures {
            print_structure(&mut text, structure).map_err(|what| Trouble::new(&section.path, what))?;
        }
    }

    text.push('\n');
    for procedure in &procedures {
        let _ = writeln!(text, "  public :: {}", procedure.public_name());
    }
    text.push_str("\n  interface\n");
    for procedure in &procedures {
        procedure.print_interface(&mut text);
    }
    text.push_str("  end interface\n\ncontains\n");
    wrapper::print_helpers(&mut text);
    for procedure in procedures.iter().filter(|procedure| procedure.is_wrapped()) {
        wrapper::print(&mut text, procedure);
    }
    text.push_str("end module dvm\n");
    fits(&text)?;
    Ok(text)
}

/// The C functions that Fortran can call: all except variadic ones, whose variants with an array represent them.
fn procedures(sections: &[Section]) -> Result<Vec<Procedure>, Trouble> {
    let variadic: HashSet<_> =
        sections.iter().flat_map(|s| &s.functions).filter(|f| f.variadic).map(|f| f.name.clone()).collect();
    let mut procedures = Vec::new();
    for section in sections {
        let mut opens = opening(section);
        for function in section.functions.iter().filter(|function| !function.variadic) {
            let stands_for = function.name.strip_suffix("_v").filter(|name| variadic.contains(*name));
            let mut procedure =
                Procedure::new(function, stands_for).map_err(|what| Trouble::new(&section.path, what))?;
            procedure.opens = std::mem::take(&mut opens);
            procedures.push(procedure);
        }
    }
    Ok(procedures)
}

/// The title of a section, and what holds for all its functions.
fn opening(section: &Section) -> Vec<String> {
    let mut lines = vec![format!("----- {} -----", section.title.trim_end_matches('.'))];
    if !section.common.is_empty() {
        lines.push("Unless a function says otherwise:".to_owned());
        lines.extend(section.common.iter().cloned());
    }
    lines
}

fn print_constant(text: &mut String, constant: &Constant) {
    text.push('\n');
    print_comment(text, "  ", &constant.text);
    let _ = writeln!(text, "  integer(c_int), parameter, public :: {} = {}", constant.name, constant.value);
}

fn print_structure(text: &mut String, structure: &Structure) -> Result<(), String> {
    text.push('\n');
    print_comment(text, "  ", &structure.text);
    let _ = writeln!(text, "  type, bind(C), public :: {}", structure.name);
    for field in &structure.fields {
        let kind = kinds::of_field(&field.kind)
            .ok_or_else(|| format!("{}: no Fortran for the type of its field {}", structure.name, field.name))?;
        print_comment(text, "    ", &field.text);
        let _ = writeln!(text, "    {} :: {}{} = {}", kind.declaration, field.name, kind.shape, kind.initial);
    }
    let _ = writeln!(text, "  end type {}", structure.name);
    Ok(())
}

/// Checks Fortran's limit of 132 characters per line.
fn fits(text: &str) -> Result<(), Trouble> {
    match text.lines().find(|line| line.chars().count() > 132) {
        Some(line) => Err(Trouble::new("include/dvm.f90".as_ref(), format!("a line is too long for Fortran: {line}"))),
        None => Ok(()),
    }
}
