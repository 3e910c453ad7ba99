//! Calls of procedures of other files: their texts are kept beside objects, and run only where the linked procedure is theirs.

use super::{can_run, dvmfc, printed, run, said};
use std::path::Path;

const CALLEES: &str = "\
subroutine point(i, j)
  common /grid/ u(5,40,40), rhs(5,40,40), dt, m
  do k = 1, m
    rhs(k,i,j) = rhs(k,i,j) + dt*(u(k,i-1,j) - u(k,i,j) + k)
  end do
  call scale(u(1,i,j), rhs(1,i,j), dt*0.5)
end subroutine
subroutine scale(x, y, f)
  dimension x(5), y(*)
  do k = 1, 5
    y(k) = y(k)*f
    if (y(k) > 4.0) then
      y(k) = x(k)*0.25
    end if
  end do
  return
end subroutine
";
const OF_MODULE: &str = "\
module gas
  real(8), parameter :: gamma = 1.4d0
contains
  pure subroutine state(r, e, p)
    real(8), intent(in) :: r, e
    real(8), intent(out) :: p
    p = (gamma - 1)*r*e + twice(e)
  end subroutine
  pure real(8) function twice(x)
    real(8), intent(in) :: x
    twice = x*2 + 1
  end function
end module
";
const FUNCTION: &str = "\
real(4) function root(x, k)
  integer, intent(in) :: k
  real(4), intent(in) :: x
  root = x
  do i = 1, k
    root = root*0.5 + x/root
  end do
end function
";
const MAIN: &str = "\
program main
  use gas
  common /grid/ u(5,40,40), rhs(5,40,40), dt, m
  real(8) :: r(40,40), p(40,40)
  m = 5
  dt = 0.25
  do j = 1, 40
    do i = 1, 40
      r(i,j) = mod(i*j, 17) + 0.5d0
      do k = 1, 5
        u(k,i,j) = mod(i*3 + j*k, 11)*0.75
        rhs(k,i,j) = i - j*0.5 + k
      end do
    end do
  end do
!$dvm region name(sweep)
  do j = 2, 39
    do i = 2, 39
      call point(i, j)
      u(1,i,j) = root(u(1,i,j) + 2, 3)
    end do
  end do
!$dvm region name(gas)
  do j = 1, 40
    do i = 1, 40
      call state(r(i,j), twice(r(i,j)), p(i,j))
    end do
  end do
  print '(8z9.8)', u, rhs
  print '(4z17.16)', p
end program
";
const MAKEFILE: &str = "all: tiled\ntiled: o/main.o o/lib.a\n\t$(FC) $^ -o $@\n\
    o/lib.a: o/callees.o o/gas.o o/root.o\n\tar rcs $@ $^\n\
    o/callees.o: callees.f90\n\t$(FC) $(FFLAGS) -c $< -o $@\no/root.o: root.f90\n\t$(FC) $(FFLAGS) -c $< -o $@\n\
    o/gas.o: gas.f90\n\t$(FC) $(FFLAGS) -Jm -c $< -o $@\n\
    o/main.o: main.f90 o/gas.o o/callees.o o/root.o\n\t$(FC) $(FFLAGS) -Im -c $< -o $@\n";

fn tree() -> testkit::Scratch {
    let folder = testkit::scratch(&[
        ("callees.f90", CALLEES),
        ("gas.f90", OF_MODULE),
        ("root.f90", FUNCTION),
        ("main.f90", MAIN),
        ("Makefile", MAKEFILE),
    ]);
    for place in ["o", "m"] {
        std::fs::create_dir(folder.join(place)).expect("a folder");
    }
    folder
}

fn good(folder: &Path, line: &str) -> String {
    let output = dvmfc(folder, line);
    assert!(output.status.success(), "{line}: {}", said(&output));
    said(&output)
}

fn plain(folder: &Path, line: &str) {
    let output = run(folder, "gfortran", line);
    assert!(output.status.success(), "{line}: {}", said(&output));
}

#[test]
fn procedures_of_other_files_are_taken_under_make() {
    if !can_run("procedures of other files") {
        return;
    }
    for options in ["-O2", "-O3 -ffp-contract=off -fPIC", "-O0 -g"] {
        let (expected, tiled) = (tree(), tree());
        plain(&expected, &format!("{options} -w gas.f90 callees.f90 root.f90 main.f90 -o plain"));
        let mut make = std::process::Command::new("make");
        make.current_dir(&*tiled).args(["-s", "-j4"]).env("DVM_FLANG", super::FLANG);
        make.arg(format!("FC={}", env!("CARGO_BIN_EXE_dvmfc")));
        make.arg(format!("FFLAGS={options} --dvm-strict --dvm-remarks"));
        for variable in ["MAKEFLAGS", "MFLAGS", "DVM_FC", "DVM_CC", "CC", "DVM_PREFIX", "DVM_CLANG"] {
            make.env_remove(variable);
        }
        let output = make.output().expect("make runs");
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(said(&output).matches("is tiled").count(), 2, "{}", said(&output));
        let expected = printed(&expected, "plain", "1", "1").0;
        for (tile, workers) in [("1", "2"), ("3,5", "1"), ("7", "5")] {
            let (found, said) = printed(&tiled, "tiled", tile, workers);
            assert!(found == expected && !said.contains("sequentially"), "{options} {tile}: {said}");
            // It says what machine it found, if tiles run at all.
            assert!(!said.is_empty(), "{options}: the original loops run");
        }
    }
}

/// The caller keeps the old text: the program must do what the linked procedure does.
#[test]
fn a_procedure_that_changed_since_is_called() {
    if !can_run("procedures that changed") {
        return;
    }
    let folder = tree();
    let changed = CALLEES.replace("*0.25", "*0.75").replace("y(k)*f", "y(k)*f*0.5");
    let line = "-O1 gas.f90 callees.f90 root.f90 -c";
    good(&folder, line);
    good(&folder, "-O1 --dvm-strict -c main.f90");
    let link = "main.o gas.o callees.o root.o -o tiled";
    good(&folder, link);
    let old = printed(&folder, "tiled", "3", "2").0;
    folder.write("callees.f90", &changed);
    plain(&folder, "-O1 -w gas.f90 callees.f90 root.f90 main.f90 -o plain");
    let new = printed(&folder, "plain", "1", "1").0;
    assert!(old != new);
    // By gfortran, by dvmfc, in an archive, and in a shared library before one with the old text.
    plain(&folder, "-O1 -w -c callees.f90");
    good(&folder, link);
    assert!(printed(&folder, "tiled", "3", "2").0 == new);
    good(&folder, "-O1 -c callees.f90");
    good(&folder, link);
    assert!(printed(&folder, "tiled", "3", "2").0 == new);
    plain(&folder, "-O1 -w -fPIC -shared callees.f90 -o libnew.so");
    folder.write("callees.f90", CALLEES);
    good(&folder, "-O1 -fPIC -c callees.f90");
    plain(&folder, "-shared callees.o -o libold.so");
    for (first, second, expected) in [("new", "old", &new), ("old", "new", &old)] {
        good(&folder, &format!("main.o gas.o root.o -L. -l{first} -l{second} -Wl,-rpath,$ORIGIN -o tiled"));
        assert!(printed(&folder, "tiled", "3", "2").0 == *expected, "{first} before {second}");
    }
    // Text and object of other options of arithmetic differ.
    good(&folder, "-O1 -ffp-contract=off -c callees.f90");
    let messages = good(&folder, "-O1 -c main.f90");
    assert!(
        messages.contains("other options of arithmetic: `-ffp-contract=off`, and this file with none"),
        "{messages}"
    );
}

#[test]
fn texts_that_are_not_those_of_their_files_are_not_taken() {
    if !can_run("stale texts") {
        return;
    }
    let folder = tree();
    let region = |messages: &str, reason: &str| {
        assert!(messages.contains("main.f90:19:1: warning: region 'sweep'") && messages.contains(reason), "{messages}");
        assert!(messages.contains("main.f90:19:1: note: "), "{messages}");
    };
    good(&folder, "-c gas.f90 root.f90");
    region(&good(&folder, "-c main.f90"), "none that dvmfc has kept of another file");
    good(&folder, "-c callees.f90");
    assert_eq!(good(&folder, "-c main.f90"), "");
    folder.write("callees.f90", CALLEES.replace("+ k)", "+ 2)"));
    region(&good(&folder, "-c main.f90"), "callees.f90` has changed since dvmfc compiled it");
    good(&folder, "-fdefault-integer-8 -c callees.f90");
    region(&good(&folder, "-c main.f90"), "its file was compiled with `-fdefault-integer-8`");
    good(&folder, "-c callees.f90");
    folder.write("again.f90", CALLEES);
    good(&folder, "-c again.f90");
    region(&good(&folder, "-c main.f90"), "both have a procedure `point`");
    std::fs::remove_file(folder.join("again.f90")).expect("it is there");
    assert_eq!(good(&folder, "-c main.f90"), "");
    std::fs::remove_file(folder.join("again.o.dvmtext")).expect("it is there");
    folder.write("callees.o.dvmtext", "dvmtext 1 zz\n");
    region(&good(&folder, "-c main.f90"), "its text is not in this file");
}

/// A procedure has the kinds of its own file's options.
#[test]
fn files_may_have_other_default_kinds() {
    if !can_run("default kinds of several files") {
        return;
    }
    let main = |kind: &str| {
        format!(
            "program main\nreal({kind}) :: a(200)\ndo i = 1, 200\na(i) = i\nend do\n!$dvm region name(sweep)\ndo i = 1, 200\n\
             call tenth(a(i))\nend do\nprint '(z17)', a\nend program\n"
        )
    };
    let callee = "subroutine tenth(x)\nreal x\nx = x*0.1 + 1/3d0\nend subroutine\n";
    let folder = testkit::scratch(&[("main.f90", &main("8")), ("tenth.f90", callee)]);
    let wide = "-fdefault-real-8 -fdefault-double-8";
    for line in [&format!("{wide} -c tenth.f90"), "-c main.f90", "main.o tenth.o -o tiled"] {
        let output = dvmfc(&folder, &format!("{line} --dvm-strict"));
        assert!(output.status.success(), "{}", said(&output));
    }
    for line in [&format!("{wide} -c tenth.f90"), "main.f90 tenth.o -o plain"] {
        assert!(run(&folder, "gfortran", line).status.success(), "{line}");
    }
    let expected = printed(&folder, "plain", "1", "1").0;
    assert!(expected.lines().count() == 200 && printed(&folder, "tiled", "7", "2").0 == expected);
    folder.write("main.f90", main("4"));
    let refused = said(&dvmfc(&folder, "-c main.f90"));
    assert!(
        refused.contains("region 'sweep' stays sequential") && refused.contains("argument 1 has another type"),
        "{refused}"
    );
}

/// A callee, and a reason.
const REFUSED: [(&str, &str); 17] = [
    ("subroutine s(x, y)\nreal(8) x, y\nx = y\nend", "1 arguments are passed, and it has 2"),
    ("subroutine s(x)\nreal(4) x\nx = 1\nend", "argument 1 has another type"),
    ("subroutine s(x)\ninteger(8) x\nx = 1\nend", "argument 1 has another type"),
    ("subroutine s(x)\nreal(8) x(:)\nx(1) = 1\nend", "argument 1 has another type than it declares, or is passed"),
    ("subroutine s(x)\nreal(8), value :: x\nx = 1\nend", "argument 1"),
    (
        "subroutine s(x)\nreal(8) x\ncommon /c/ a(4), k\nx = a(2)\nend",
        "the region's procedure does not declare as it does",
    ),
    ("subroutine s(x)\nreal(8) x\ncommon /c/ b(3), k\nx = b(2)\nend", "does not declare as it does"),
    ("subroutine s(x)\nreal(8) x\nsave t\nx = x + t\nt = 1\nend", "keeps its value between calls"),
    ("recursive subroutine s(x)\nreal(8) x\nx = x/2\nif (x > 1) call s(x)\nend", "it calls itself"),
    ("subroutine s(x)\nreal(8) x\nx = 1\nwrite (*,*) x\nend", "it does input or output"),
    ("subroutine s(x)\nreal(8) x, a, b\nequivalence (a, b)\na = x\nx = b\nend", "EQUIVALENCE"),
    ("subroutine s(x)\nreal(8) x\nx = 1\nif (x > 2) return\nentry t(x)\nx = x + 1\nend", "s"),
    ("subroutine s(x)\nreal(8) x, f, y\nf(y) = y*2\nx = f(x)\nend", "s"),
    ("subroutine s(x)\nreal(8) x\nx = 1\nstop\nend", "s"),
    ("subroutine s(x)\nuse, intrinsic :: iso_c_binding\nreal(8) x\ninclude 's.inc'\nend", "s"),
    ("subroutine s(x) bind(c, name='s_')\nreal(8) x\nx = 1\nend", "is not taken"),
    ("function s(x)\nreal(8) x\ns = x\nend", "has another type here than it declares"),
];

#[test]
fn procedures_of_other_files_that_are_not_taken_are_named() {
    if !can_run("refused procedures of other files") {
        return;
    }
    let main = "program p\ncommon /c/ a(2), b(2), k\nreal(8) x(9)\na = 2\nb = 3\nx = 4\n!$dvm region\ndo i = 1, 9\n\
        call s(x(i))\nend do\nprint *, x\nend program\n";
    for (callee, reason) in REFUSED {
        let folder = testkit::scratch(&[("s.f90", callee), ("p.f90", main), ("s.inc", "x = 3\n")]);
        good(&folder, "-O1 -w -c s.f90");
        let messages = good(&folder, "-O1 -c p.f90");
        assert!(messages.contains("p.f90:9:1: warning: region 'line_7' stays sequential"), "{callee}: {messages}");
        assert!(messages.contains(reason) && messages.contains("p.f90:9:1: note: "), "{callee}: {messages}");
    }
}

/// Private procedures of a module have no name for others: their texts belong to that of the procedure that calls them.
#[test]
fn what_a_procedure_of_another_file_calls_is_taken_too() {
    if !can_run("calls in other files") {
        return;
    }
    let module = "module m\nprivate\npublic s\ncontains\nsubroutine s(x)\nreal(8) x\ncall inner(x)\nend subroutine\n\
        subroutine inner(y)\nreal(8) y\ny = y*3 + 1\nend subroutine\nend module\n";
    let main = "program p\nuse m\nreal(8) x(200)\nx = 4\n!$dvm region\ndo i = 1, 200\ncall s(x(i))\nend do\n\
        print '(4z17.16)', x\nend program\n";
    for options in ["-O0", "-O3"] {
        let folder = testkit::scratch(&[("m.f90", module), ("p.f90", main)]);
        good(&folder, &format!("{options} -c m.f90"));
        good(&folder, &format!("{options} --dvm-strict p.f90 m.o -o tiled"));
        plain(&folder, &format!("{options} m.f90 p.f90 -o plain"));
        let (found, said) = printed(&folder, "tiled", "7", "2");
        assert_eq!(found, printed(&folder, "plain", "1", "1").0);
        assert!(!said.is_empty(), "{options}: the original loops run");
    }
}
