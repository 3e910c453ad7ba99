//! Marks before statements about arrays, regions with conditions of the preprocessor, loops without marks, and counts of regions.

use super::{can_run, dvmfc, printed, run, said};
use std::process::Command;

const TEXT: &str = "\
module m
contains
subroutine s(a, n)
  integer n, i, j, k, last
  real(8) a(n)
!$dvm region
  do i = 2, n
#ifdef HALF
    a(i) = a(i)*0.5d0
#else
    a(i) = a(i)*0.25d0 &
#if defined(MORE) && \\
    MORE > 3
      + 2 &
#endif
      - 1
#endif
  end do
#ifdef NEVER
!$dvm region
  do i = 2, n
    call nothing(i)
  end do
#endif
!$dvm region
  a(2:n) = a(2:n) + &
    1
!$dvm region
  where (a(:) > 3)
    a(:) = 3
  elsewhere
    a(:) = a(:)*2
  end where
!$dvm region
  where (a(:) > 4) a(:) = a(:) - 1
!$dvm region
  a(1:n-1) = a(2:n)
  do i = 1, n
    a(i) = a(i) + 1
  end do
!$dvm end region
  do k = 1, 2
    do i = 1, 3
      last = k
!$dvm region
      do j = 1, n
        a(j) = a(j) + i*j
      end do
    end do
  end do
  do j = n, 1, -1
    if (j > 3) then
!$dvm region
      a(1:j) = a(1:j) + 1
    end if
  end do
end subroutine
end module
program p
  use m
  real(8) a(30)
  do i = 1, 30
    a(i) = i
  end do
  call s(a, 30)
  print '(5z17.16)', a
end program
";

#[test]
fn conditions_and_statements_about_arrays_are_taken() {
    if !can_run("marks of Fortran") {
        return;
    }
    let folder = testkit::scratch(&[("in.F90", TEXT)]);
    for macros in ["", "-DHALF", "-DMORE=5", "-DMORE=3"] {
        let plain = run(&folder, "gfortran", &format!("-O1 {macros} -w in.F90 -o plain"));
        assert!(plain.status.success(), "{}", said(&plain));
        let tiled = dvmfc(&folder, &format!("-O1 {macros} --dvm-remarks in.F90 -o tiled"));
        let messages = said(&tiled);
        assert!(messages.contains("dvmfc: 7 of 7 regions tiled"), "{macros}: {messages}");
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{macros}");
    }
}

/// Statements behind a mark, the line of the message, counted from the mark, and a part of the reason.
const REFUSED: [(&str, i64, &str); 8] = [
    ("x = a(1)", 0, "neither a loop nor a statement about arrays"),
    ("call s(a)", 0, "no `do` loop and no statement about arrays follows"),
    ("if (n > 2) a(:) = 1", 0, "no `do` loop and no statement about arrays follows"),
    ("a(2:n-1) = a(1:n-2) + a(3:n)", 1, "`a` is read at other elements"),
    ("do 7 i = 1, n\n7 if (a(i) > 5) goto 8\n8 x = 1", 2, "what the loop ends with is not taken"),
    ("do 7 i = 1, n\nif (a(i) > 5) goto 9\na(i) = 1\n7 a(i) = a(i) + 1\n9 continue", 2, "an `exit` or `goto` out of"),
    ("do i = 1, n\n#include \"one.inc\"\nend do", 2, "a line of the preprocessor"),
    ("do i = 1, n\n#define N n\na(i) = 1\nend do", 2, "a line of the preprocessor"),
];

#[test]
fn other_statements_behind_a_mark_are_refused() {
    if !can_run("refused marks of Fortran") {
        return;
    }
    for (body, line, reason) in REFUSED {
        let text = format!(
            "subroutine s(a)\nreal(8) a(9)\na = a + 1\nend subroutine\nsubroutine t(a, n)\ninteger n, i\nreal(8) a(n), x\n\
             !$dvm region\n{body}\nend subroutine\n"
        );
        let folder = testkit::scratch(&[("in.F90", &text), ("one.inc", "a(i) = 2\n")]);
        let output = dvmfc(&folder, "-c in.F90 -o in.o");
        let messages = said(&output);
        assert!(output.status.success(), "{body}: {messages}");
        assert!(messages.starts_with(&format!("in.F90:{}:1: warning: region '", 8 + line)), "{body}: {messages}");
        assert!(messages.contains(reason) && messages.contains(": note: "), "{body}: {messages}");
    }
}

const UNMARKED: &str = "\
subroutine small(a, n)
  integer n, i
  real(8) a(n)
  do i = 2, 9
    a(i) = a(i-1)/2 + a(i)
  end do
end subroutine
subroutine large(a, b, k, n, s)
  integer n, i, j, k(n)
  real(8) a(n, n), b(n), s
  do j = 1, n
    do i = 1, n
      a(i,j) = a(i,j)*2
    end do
  end do
  do i = 1, n
    s = s + b(i)
  end do
  do i = 1, n
    b(k(i)) = 1
  end do
end subroutine
";

/// Marks that no region comes of are told, also where the file has no other.
#[test]
fn marks_in_included_files_are_told() {
    if !can_run("included marks of Fortran") {
        return;
    }
    let loops = "!$dvm region\ndo i = 1, n\na(i) = i\nend do\n";
    let text = |inside: &str| {
        format!("subroutine s(a, n)\ninteger n, i\nreal(8) a(n)\ninclude 'loops.inc'\n{inside}end subroutine\n")
    };
    let folder =
        testkit::scratch(&[("plain.f90", &text("")), ("marked.f90", &text(loops)), ("parts/loops.inc", loops)]);
    for (file, tiled) in [("plain.f90", ""), ("marked.f90", "dvmfc: 1 of 1 regions tiled\n")] {
        let output = dvmfc(&folder, &format!("-Iparts --dvm-remarks -c {file} -o x.o"));
        let told = said(&output);
        assert!(output.status.success() && told.ends_with(tiled), "{told}");
        let place =
            "parts/loops.inc:1:1: warning: region 'line_1' stays sequential: the mark stands in an included file";
        assert_eq!(told.matches(place).count(), 1, "{told}");
        let strict = dvmfc(&folder, &format!("-Iparts --dvm-strict -c {file} -o strict.o"));
        assert!(!strict.status.success() && said(&strict).contains("loops.inc:1:1: error"), "{}", said(&strict));
        assert!(!folder.join("strict.o").exists());
    }
    for wrong in ["!$dvm\n", "!$dvmregion\n"] {
        folder.write("wrong.f90", format!("subroutine s\n{wrong}end subroutine\n"));
        let output = dvmfc(&folder, "-c wrong.f90 -o x.o");
        let told = said(&output);
        assert!(output.status.success() && told.contains("wrong.f90:2:1: warning"), "{told}");
        assert!(told.contains("this mark is not understood"), "{told}");
    }
}

/// A region; a loop around a region and around another loop; a loop behind it.
const HALF_MARKED: &str = "subroutine half(n, a, b)
  integer n, i, t
  real(8) a(n), b(n)
!$dvm region
  do i = 1, n
    a(i) = i
  end do
  do t = 1, 3
!$dvm region
    do i = 1, n
      a(i) = a(i) + t
    end do
    do i = 1, 200
      b(i) = b(i) * 2
    end do
  end do
  do i = 1, n
    b(i) = b(i) + a(i)
  end do
end subroutine
";

#[test]
fn loops_without_marks_are_told_with_what_they_need() {
    if !can_run("advice for Fortran") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", UNMARKED), ("half.f90", HALF_MARKED)]);
    let output = dvmfc(&folder, "--why -O2 -c in.f90");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{told}{}", said(&output));
    let parts = [
        "in.f90: 4 loop nests, of which 2 can be tiled; the largest first\n",
        "\nin.f90:11:1: `large`, 2 loops deep, about 4e4 operations: can be tiled\n    !$dvm region\n",
        "\nin.f90:16:1: `large`, 1 loop, about 4e2 operations: can be tiled\n    !$dvm region reduction(+:s)\n    (you allow",
        "\nin.f90:19:1: `large`, 1 loop, about 3e2 operations: stays sequential\n  in.f90:19:1: warning: no parallelism was found: line 20 overwrites what line 20 wrote to `b`",
        "  it would be accepted with\n    !$dvm region independent\n    (only you",
        "\nin.f90:4:1: `small`, 1 loop, about 5e1 operations: stays sequential\n  in.f90:4:1: warning: no parallelism",
        "  in.f90:4:1: note: write what no other iteration needs into loops of their own",
    ];
    let mut from = 0;
    for part in parts {
        let at = told[from..].find(part).unwrap_or_else(|| panic!("{part} is not in\n{told}"));
        from += at;
    }
    assert!(!folder.join("in.o").exists(), "nothing is compiled");
    let half = dvmfc(&folder, "--why -c half.f90");
    let told = String::from_utf8_lossy(&half.stdout).into_owned();
    let begins = "half.f90: 2 loop nests, of which 2 can be tiled; 2 regions already";
    assert!(half.status.success() && told.starts_with(begins), "{told}{}", said(&half));
    let places: Vec<&str> =
        told.lines().filter(|line| line.starts_with("half.f90:") && line.ends_with("can be tiled")).collect();
    assert!(
        places.len() == 2 && places[0].starts_with("half.f90:13:") && places[1].starts_with("half.f90:17:"),
        "{told}"
    );
    let fast = dvmfc(&folder, "--why -Ofast in.f90");
    assert!(!fast.status.success() && said(&fast).contains("the option `-Ofast`"), "{}", said(&fast));
    let explained = dvmfc(&folder, "--explain DVM100");
    assert!(String::from_utf8_lossy(&explained.stdout).contains("In Fortran: write what"), "{}", said(&explained));
    let unknown = dvmfc(&folder, "--explain DVM999");
    assert!(!unknown.status.success(), "{}", said(&unknown));
}

#[test]
fn regions_of_separate_commands_are_added_up() {
    if !can_run("counts of Fortran's regions") {
        return;
    }
    let chain = "subroutine chain(a)\n  real(8) a(9)\n  integer i\n!$dvm region\n  do i = 2, 9\n    a(i) = a(i - 1) * a(i)\n  end do\n\
        end subroutine\n";
    let main = "program main\n  real(8) a(9)\n  integer i\n!$dvm region\n  do i = 1, 9\n    a(i) = i\n  end do\n  call chain(a)\n\
        end program\n";
    let folder = testkit::scratch(&[("chain.f90", chain), ("main.f90", main)]);
    let compiled = dvmfc(&folder, "-O1 --dvm-remarks -c chain.f90");
    assert!(said(&compiled).ends_with("dvmfc: 0 of 1 regions tiled\n"), "{}", said(&compiled));
    assert!(dvmfc(&folder, "-O1 --dvm-remarks -c main.f90").status.success());
    let linked = dvmfc(&folder, "--dvm-remarks main.o chain.o -o program");
    assert_eq!(said(&linked), "dvmfc: 1 of 2 regions tiled\n");
    assert!(Command::new(folder.join("program")).status().expect("it runs").success());
}
