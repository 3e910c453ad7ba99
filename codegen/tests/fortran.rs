//! `dvmfc`: kernels of Fortran give gfortran's bytes, and what is not taken stays as it was, with a line and a reason.
//! Left out, by name, where flang or gfortran is missing.

#[path = "fortran/aliases.rs"]
mod aliases;
#[path = "fortran/calls.rs"]
mod calls;
#[path = "fortran/data_loops.rs"]
mod data_loops;
#[path = "fortran/drawn_branches.rs"]
mod drawn_branches;
#[path = "fortran/drawn_calls.rs"]
mod drawn_calls;
#[path = "fortran/folded.rs"]
mod folded;
#[path = "fortran/intrinsics.rs"]
mod intrinsics;
#[path = "fortran/marks.rs"]
mod marks;
#[path = "fortran/modules.rs"]
mod modules;
#[path = "fortran/nest_texts.rs"]
mod nest_texts;
#[path = "fortran/nests.rs"]
mod nests;
#[path = "fortran/numbers.rs"]
mod numbers;
#[path = "fortran/other_files.rs"]
mod other_files;
#[path = "fortran/own_arrays.rs"]
mod own_arrays;
#[path = "fortran/refusals.rs"]
mod refusals;
#[path = "fortran/subroutines.rs"]
mod subroutines;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const FLANG: &str = "flang-new-19";

/// Whether the compilers are there; says what is missing past the test harness, which shows nothing of a test that passes.
fn can_run(test: &str) -> bool {
    let there = |program: &str| Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    let missing: Vec<&str> = [FLANG, "gfortran"].into_iter().filter(|program| !there(program)).collect();
    if !missing.is_empty() {
        let line = format!("\nleft out: cargo test fortran: {test} (there is no {})\n", missing.join(" and no "));
        std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
    }
    missing.is_empty()
}

fn run(folder: &Path, program: &str, line: &str) -> Output {
    let mut command = Command::new(program);
    command.current_dir(folder).args(line.split_whitespace()).env("DVM_FLANG", FLANG);
    for variable in ["DVM_FC", "DVM_CC", "CC", "DVM_PREFIX", "DVM_CLANG"] {
        command.env_remove(variable);
    }
    command.output().expect("the compiler runs")
}

fn dvmfc(folder: &Path, line: &str) -> Output {
    run(folder, env!("CARGO_BIN_EXE_dvmfc"), line)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a program prints, and what it says on standard error; `tile` and `workers` are settings of libdvm.
fn printed(folder: &Path, program: &str, tile: &str, workers: &str) -> (String, String) {
    let mut command = Command::new(folder.join(program));
    command.env("DVM_TUNE", "0").env("DVM_TILE", tile).env("DVM_WORKERS", workers).env("DVM_VERBOSE", "1");
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{program}: {}", said(&output));
    (String::from_utf8_lossy(&output.stdout).into_owned(), said(&output))
}

fn kernels() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fortran/kernels")
}

/// Compiles `in.f90` plainly to `plain` and by dvmfc to `tiled`; what dvmfc says.
fn compiled(folder: &Path, options: &str) -> String {
    let plain = run(folder, "gfortran", "-O1 -w in.f90 -o plain");
    assert!(plain.status.success(), "{}", said(&plain));
    let tiled = dvmfc(folder, &format!("-O1 {options} in.f90 -o tiled"));
    assert!(tiled.status.success(), "{}", said(&tiled));
    said(&tiled)
}

/// Compiles a file plainly and by dvmfc, and compares what the programs print, by tiles of several sizes.
fn agree(file: &Path, options: &str) {
    let folder = testkit::scratch(&[]);
    let (file, name) = (file.display(), file.file_name().expect("a name").to_string_lossy());
    let plain = run(&folder, "gfortran", &format!("{options} -w {file} -o plain"));
    assert!(plain.status.success(), "{name}: {}", said(&plain));
    let tiled = dvmfc(&folder, &format!("{options} --dvm-strict --dvm-remarks {file} -o tiled"));
    assert!(tiled.status.success(), "{name}: {}", said(&tiled));
    let (expected, _) = printed(&folder, "plain", "1", "1");
    assert!(expected.lines().count() > 100, "{name} prints its arrays");
    for (tile, workers) in [("1", "2"), ("3,5", "1"), ("7", "5"), ("4,1,9", "2")] {
        let (found, messages) = printed(&folder, "tiled", tile, workers);
        assert!(found == expected, "{name} differs with {options}, tiles of {tile} and {workers} workers");
        // Kernels have steps, and arrays without elements and with gaps, on purpose.
        let is_meant = |line: &str| line.contains("> 0`") || line.ends_with("do not follow each other");
        let mut loops = messages.lines().filter(|line| line.contains("sequentially"));
        assert!(loops.all(is_meant), "{name}: {messages}");
    }
}

#[test]
fn what_is_left_out_without_compilers_is_said_by_name() {
    let mut tests = Command::new(std::env::current_exe().expect("the tests are a file"));
    let output =
        tests.args(["--exact", "flang_prints_what_the_reader_knows"]).env("PATH", "/").output().expect("they run");
    let said = said(&output);
    let line = format!("left out: cargo test fortran: flang's text (there is no {FLANG} and no gfortran)");
    assert!(output.status.success() && said.lines().any(|said| said == line), "{line}, not {said}");
}

#[test]
fn kernels_give_the_bytes_of_gfortran() {
    if !can_run("kernels of Fortran") {
        return;
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(kernels()).expect("kernels").flatten().map(|e| e.path()).collect();
    files.sort();
    assert!(files.len() >= 20, "{files:?}");
    for (at, file) in files.iter().enumerate() {
        let options = ["-O2", "-O3 -ffp-contract=off", "-O0", "-O2 -march=native -ffp-contract=off"][at % 4];
        agree(file, options);
    }
}

#[test]
fn kinds_are_those_that_options_give() {
    if !can_run("default kinds of Fortran") {
        return;
    }
    for options in ["-O2 -fdefault-real-8 -fdefault-double-8", "-fdefault-real-8", "-fdefault-double-8 -O1"] {
        agree(&kernels().join("default_kinds.f90"), options);
    }
}

#[test]
fn a_shape_with_gaps_keeps_its_loops() {
    if !can_run("a shape with gaps") {
        return;
    }
    let folder = testkit::scratch(&[]);
    let file = kernels().join("assumed_shape.f90");
    let output = dvmfc(&folder, &format!("-O1 --show {} -c -o kept.o", file.display()));
    assert!(output.status.success(), "{}", said(&output));
    let generated = std::fs::read_to_string(folder.join("assumed_shape.11.dvm.c")).expect("the generated C");
    assert!(generated.contains("smooth_run"), "{generated}");
    assert!(folder.join("kept.o").is_file());
}

#[test]
fn objects_and_programs_are_made_as_gfortran_does() {
    if !can_run("objects and programs of Fortran") {
        return;
    }
    let text = "subroutine s(n, a)\ninteger n, i\nreal a(n)\n!$dvm region\ndo i = 1, n\na(i) = a(i)*2\nend do\nend subroutine\n";
    let main = "program p\nreal a(5)\na = 1.5\ncall s(5, a)\nprint '(5f4.1)', a\nend program\n";
    let folder = testkit::scratch(&[("s.f90", text), ("p.f90", main), ("bad.f90", &text.replace("a(i)*2", "a(i)*"))]);
    // Names that files in between have as well.
    for name in ["calls.f90", "3.f90"] {
        folder.write(name, text);
    }
    for line in [
        "-c s.f90",
        "-c p.f90 -o q.o",
        "s.o q.o -o one",
        "-g s.f90 p.f90 -o two",
        "-O2 -Wall -Wextra -Werror s.f90 p.f90 -o three",
        "calls.f90 p.f90 -o four",
        "3.f90 p.f90 -o five",
    ] {
        let output = dvmfc(&folder, line);
        assert!(output.status.success() && said(&output).is_empty(), "{line}: {}", said(&output));
    }
    for program in ["one", "two", "three", "four", "five"] {
        assert_eq!(printed(&folder, program, "2", "2").0, " 3.0 3.0 3.0 3.0 3.0\n");
    }
    let broken = dvmfc(&folder, "-c bad.f90");
    assert!(!broken.status.success() && said(&broken).contains("Error: "), "{}", said(&broken));
    assert!(!folder.join("bad.o").exists());
    let without = Command::new(env!("CARGO_BIN_EXE_dvmfc"))
        .current_dir(&*folder)
        .env("DVM_FLANG", "flang-that-is-not-there")
        .args(["-c", "s.f90", "-o", "without.o"])
        .output()
        .expect("dvmfc runs");
    assert!(without.status.success() && said(&without).contains("s.f90:4:1: warning: region"), "{}", said(&without));
}

/// What is read of flang's text: another version that prints another thing fails here.
#[test]
fn flang_prints_what_the_reader_knows() {
    if !can_run("flang's text") {
        return;
    }
    let folder = testkit::scratch(&[("golden.f90", GOLDEN)]);
    let output = run(&folder, FLANG, "-fc1 -emit-hlfir -mmlir --mlir-print-debuginfo -o - golden.f90");
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).expect("text");
    let plain: Vec<&str> = text.lines().filter(|line| !line.starts_with("module") && !line.starts_with('#')).collect();
    let whole = std::fs::canonicalize(&*folder).expect("a folder").join("golden.f90").display().to_string();
    let shown = plain.join("\n").replace(&whole, "golden.f90") + "\n";
    testkit::expect(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fortran/golden.hlfir"), &shown);
}

const GOLDEN: &str = "\
subroutine golden(n, u, v, k)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(0:n, *), v(:, -1:)
  integer(8) :: k(10)
  real(8), parameter :: third = 1.0d0/3.0d0
  real(8) :: s
  integer :: i, j
  do j = 1, min(n, 9)
    do i = n - 1, 2*j, -1
      s = -u(i-1,j) + (v(i,j) - third)
      if (i > 3 .and. .not. s < 0) then
        u(i,j) = s**2 + sqrt(abs(s))/2
      else
        k(j) = k(j)*3_8 + mod(i, 5)
      end if
    end do
  end do
end subroutine
";
