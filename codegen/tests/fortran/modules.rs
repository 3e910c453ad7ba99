//! Modules of other files: both compilers want `NAME.mod`, and `make` gives the order.

use super::{can_run, dvmfc, printed, run, said};
use std::path::Path;
use std::process::Command;

const SIZES: &str = "module sizes\nuse, intrinsic :: iso_fortran_env, only: real64\ninteger, parameter :: n = 40\n\
    real(real64), parameter :: half = 0.5_real64, third = 1.0_real64/3\nend module\n";
const GRID: &str = "module grid\nuse sizes\nreal(8) :: u(0:n+1, n) = 1, v(n, n)\nreal(8), private :: hidden(n, n) = 2\ninterface\n\
    module subroutine relax(x)\nreal(8), intent(inout) :: x(:, :)\nend subroutine\nend interface\nend module\n";
const RELAX: &str = "submodule (grid) relaxed\ncontains\nmodule procedure relax\ninteger :: i, j\n!$dvm region\ndo j = 1, n\ndo i = 1, n\n\
    x(i, j) = x(i, j)*third + hidden(i, j)*half + u(i, j)\nend do\nend do\nend procedure\nend submodule\n";
const USER: &str = "subroutine fill(a)\nuse grid\n#ifdef __GFORTRAN__\nreal(8) :: a(n, n)\n#else\nreal(4) :: a(n, n)\n#endif\n\
    integer :: i, j\n!$dvm region\ndo j = 1, n\ndo i = 1, n\na(i, j) = u(i - 1, j)*half + i*third + j\nv(i, j) = a(i, j)\nend do\n\
    end do\nend subroutine\n";
const MAIN: &str =
    "program main\nuse grid\nreal(8) :: a(n, n)\ncall fill(a)\ncall relax(v)\nprint '(4z17.16)', a, v\nend program\n";
const MAKEFILE: &str = "objects = o/sizes.o o/grid.o o/relax.o o/fill.o o/main.o\nall: tiled\ntiled: $(objects)\n\t$(FC) $^ -o $@\n\
    o/sizes.o: a/sizes.f90\n\t$(FC) $(FFLAGS) -J m -c $< -o $@\no/grid.o: b/grid.f90 o/sizes.o\n\t$(FC) $(FFLAGS) -Jm -c $< -o $@\n\
    o/relax.o: b/relax.f90 o/grid.o\n\t$(FC) $(FFLAGS) -Jm -c $< -o $@\no/fill.o: c/fill.F90 o/grid.o\n\t$(FC) $(FFLAGS) -I m -c $< -o $@\n\
    o/main.o: c/main.f90 o/grid.o\n\t$(FC) $(FFLAGS) -Im -c $< -o $@\n";

fn tree() -> testkit::Scratch {
    let folder = testkit::scratch(&[
        ("a/sizes.f90", SIZES),
        ("b/grid.f90", GRID),
        ("b/relax.f90", RELAX),
        ("c/fill.F90", USER),
        ("c/main.f90", MAIN),
        ("Makefile", MAKEFILE),
    ]);
    for place in ["o", "m"] {
        std::fs::create_dir(folder.join(place)).expect("a folder");
    }
    folder
}

fn make(folder: &Path, compiler: &str, options: &str) -> String {
    let mut command = Command::new("make");
    command.current_dir(folder).args(["-s", "-j4"]).env("DVM_FLANG", super::FLANG);
    command.arg(format!("FC={compiler}")).arg(format!("FFLAGS=-O2 {options}"));
    for variable in ["MAKEFLAGS", "MFLAGS", "DVM_FC", "DVM_CC", "CC", "DVM_PREFIX", "DVM_CLANG"] {
        command.env_remove(variable);
    }
    let output = command.output().expect("make runs");
    assert!(output.status.success(), "{}", said(&output));
    said(&output)
}

#[test]
fn modules_of_other_folders_are_read_under_make() {
    if !can_run("modules of other folders") {
        return;
    }
    let (plain, tiled) = (tree(), tree());
    make(&plain, "gfortran", "");
    let messages = make(&tiled, env!("CARGO_BIN_EXE_dvmfc"), "--dvm-strict --dvm-remarks");
    assert_eq!(messages.matches("is tiled").count(), 2, "{messages}");
    let expected = printed(&plain, "tiled", "1", "1").0;
    assert!(expected.lines().count() > 100);
    for (tile, workers) in [("3,5", "2"), ("7", "5")] {
        let (found, said) = printed(&tiled, "tiled", tile, workers);
        assert!(found == expected && !said.contains("sequentially"), "{said}");
    }
    // What gfortran writes does not depend on dvmfc, or make would build more than it must.
    let module = |folder: &Path| std::fs::read(folder.join("m/grid.mod")).expect("a module");
    assert_eq!(module(&plain), module(&tiled));
}

/// A module compiled by another command since: the text of flang may not be true any more.
#[test]
fn a_module_that_changed_behind_dvmfc_is_not_read() {
    if !can_run("stale modules") {
        return;
    }
    let folder = tree();
    let compile = |line: &str| {
        let output = dvmfc(&folder, line);
        assert!(output.status.success(), "{line}: {}", said(&output));
        said(&output)
    };
    compile("-Jm -c a/sizes.f90");
    compile("-Jm -c b/grid.f90");
    assert_eq!(compile("-Im -c c/fill.F90"), "");
    folder.write("b/grid.f90", GRID.replace("real(8) ::", "real(4) ::"));
    assert!(run(&folder, "gfortran", "-Jm -c b/grid.f90").status.success());
    let messages = compile("-Im -c c/fill.F90");
    assert!(
        messages.contains("fill.F90:9:1: warning: region") && messages.contains("by another command"),
        "{messages}"
    );
    // The same command again makes it good.
    compile("-Jm -c b/grid.f90");
    assert_eq!(compile("-Im -c c/fill.F90"), "");
    // Kinds that an option changes are not those that flang has read.
    compile("-Jm -fdefault-integer-8 -c a/sizes.f90");
    folder.write("a/sizes.f90", SIZES.replace("half", "quarter"));
    compile("-Jm -fdefault-integer-8 -c a/sizes.f90");
    let messages = compile("-Im -c c/fill.F90");
    assert!(messages.contains("was compiled with `-fdefault-integer-8`"), "{messages}");
    std::fs::remove_file(folder.join("m/grid.dvmod")).expect("it is there");
    let messages = compile("-Im -c c/fill.F90");
    assert!(messages.contains("`grid`: it was not compiled by dvmfc"), "{messages}");
    assert!(messages.contains("note: have its source compiled by dvmfc"), "{messages}");
}

#[test]
fn names_that_a_use_statement_changes_are_refused() {
    if !can_run("renamed variables of modules") {
        return;
    }
    let store = "module store\nreal(8) :: a(40) = 1, b(40) = 2, c(40) = 3\nend module\n";
    let between = "module between\nuse store, d => c\nend module\n";
    let user = |uses: &str, text: &str| {
        format!(
            "program main\nuse {uses}\ninteger :: i\n!$dvm region\ndo i = 1, 40\n{text}\nend do\nprint *, a, b\nend program\n"
        )
    };
    // Swapped names: flang names variables by their modules' names, the text by its own.
    for (name, uses, text, reason) in [
        ("swapped", "store, a => b, b => a", "a(i) = b(i)*2", "by `=>`"),
        ("inner", "between", "d(i) = d(i)*2\na(i) = d(i)", "`d(...)` is neither"),
        ("plain", "between", "a(i) = b(i)*2", ""),
    ] {
        let folder = testkit::scratch(&[("s.f90", store), ("b.f90", between), ("u.f90", &user(uses, text))]);
        let messages = said(&dvmfc(&folder, "-O1 s.f90 b.f90 u.f90 -o tiled"));
        assert_eq!(messages.is_empty(), name == "plain", "{name}: {messages}");
        assert!(messages.contains(reason), "{name}: {messages}");
        assert!(run(&folder, "gfortran", "-O1 s.f90 b.f90 u.f90 -o plain").status.success());
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{name}");
    }
}

/// MPI's own module has no source that flang could read; regions that do not need it are taken.
#[test]
fn regions_stand_beside_mpi() {
    let there = Command::new("mpif90").arg("-show").output().is_ok_and(|o| o.status.success());
    if !can_run("regions beside MPI") || !there {
        println!("left out: regions beside MPI: mpif90 is not there");
        return;
    }
    let text = |module: &str| {
        format!(
            "subroutine s(a, n)\nuse {module}\nimplicit none\ninteger :: n, i, rank, ierr\nreal(8) :: a(n)\n\
             call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)\n!$dvm region\ndo i = 1, n\na(i) = a(i)*2 + rank\nend do\nend subroutine\n"
        )
    };
    let folder = testkit::scratch(&[("s.f90", &text("mpi")), ("t.f90", &text("mpi_f08"))]);
    let compile = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dvmfc"));
        command
            .current_dir(&*folder)
            .args(line.split_whitespace())
            .env("DVM_FLANG", super::FLANG)
            .env("DVM_FC", "mpif90");
        let output = command.output().expect("dvmfc runs");
        assert!(output.status.success(), "{}", said(&output));
        said(&output)
    };
    // `rank` is passed to a procedure, and only read in the region.
    assert_eq!(compile("-O2 --dvm-strict -c s.f90"), "");
    let messages = compile("-O2 -c t.f90");
    assert!(messages.contains("t.f90:7:1: warning") && messages.contains("write `use mpi` here"), "{messages}");
}

#[test]
fn a_file_that_only_flang_would_preprocess_is_not_read() {
    if !can_run("directives that gfortran ignores") {
        return;
    }
    let text = "subroutine s(a)\nreal :: a(9)\ninteger :: i\n#if 0\na = 1\n#endif\n!$dvm region\ndo i = 1, 9\na(i) = a(i)*2\nend do\nend subroutine\n";
    let folder = testkit::scratch(&[("s.f90", text), ("t.F90", text)]);
    let output = dvmfc(&folder, "-w -c s.f90");
    assert!(output.status.success() && said(&output).contains("does not preprocess"), "{}", said(&output));
    assert_eq!(said(&dvmfc(&folder, "-w -c t.F90")), "");
    assert_eq!(said(&dvmfc(&folder, "-cpp -w -c s.f90")), "");
}

#[test]
fn advice_reads_the_files_of_a_program_in_any_order() {
    if !can_run("advice for several files") {
        return;
    }
    let folder = tree();
    let unmarked = USER.replace("!$dvm region\n", "");
    std::fs::write(folder.join("c/fill.F90"), unmarked).expect("a file");
    let alone = dvmfc(&folder, "--why c/fill.F90");
    assert!(!alone.status.success());
    let missing = said(&alone);
    assert!(missing.contains("the module `grid` is not found; have the file that makes it compiled"), "{missing}");
    let all = dvmfc(&folder, "--why -J m c/main.f90 c/fill.F90 b/grid.f90 a/sizes.f90");
    let told = String::from_utf8_lossy(&all.stdout).into_owned();
    assert!(all.status.success(), "{told}{}", said(&all));
    assert!(told.contains("c/fill.F90: 1 loop nest, of which 1 can be tiled"), "{told}");
    assert!(told.ends_with("\n4 files: 1 loop nest, of which 1 can be tiled\n"), "{told}");
    assert_eq!(std::fs::read_dir(folder.join("m")).expect("a folder").count(), 0, "nothing is left behind");
    assert!(!folder.join("grid.mod").exists() && !folder.join("grid.dvmod").exists());
}

#[test]
fn a_file_that_needs_mpi_is_told_which_compiler_to_name() {
    if !can_run("the compiler of an MPI") {
        return;
    }
    let body = "implicit none\ninteger :: i\nreal :: a(9)\ndo i = 1, 9\na(i) = i\nend do\nprint *, a\nend program\n";
    let with = format!("program p\nuse mpi\n{body}");
    let fixed = format!("program p\n{}", body.replacen("none\n", "none\ninclude 'mpif.h'\n", 1));
    let folder = testkit::scratch(&[("module.f90", &with), ("included.f90", &fixed)]);
    for file in ["module.f90", "included.f90"] {
        let told = said(&dvmfc(&folder, &format!("--why {file}")));
        assert!(told.contains("set DVM_FC to the compiler of the MPI, as in DVM_FC=mpifort"), "{told}");
    }
}
