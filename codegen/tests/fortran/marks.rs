//! Marks before statements about arrays, regions with conditions of the preprocessor, and files without marks.

use super::{can_run, dvmfc, printed, run, said};

const TEXT: &str = "\
module m
contains
subroutine s(a, n)
  integer n, i
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
        assert!(messages.contains("dvmfc: 5 of 5 regions tiled"), "{macros}: {messages}");
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{macros}");
    }
}

/// Statements behind a mark, the line of the message, counted from the mark, and a part of the reason.
const REFUSED: [(&str, i64, &str); 6] = [
    ("x = a(1)", 0, "neither a loop nor a statement about arrays"),
    ("call s(a)", 0, "no `do` loop and no statement about arrays follows"),
    ("if (n > 2) a(:) = 1", 0, "no `do` loop and no statement about arrays follows"),
    ("a(2:n-1) = a(1:n-2) + a(3:n)", 1, "`a` is read at other elements"),
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
