//! The clause `pure(f)`: calls of functions whose text is elsewhere.

use super::{can_run, dvmfc, printed, run, said};
use std::process::Command;

/// Functions of another file: of modules, with interface blocks, generic, elemental, and bound to names of C.
const FUNCTIONS: &str = "\
module others
  use iso_c_binding
  implicit none
  private
  interface twice
    module procedure twice4, twice8
  end interface
  public :: twice, scaled, valued, large, curved, bound, count_of, given
  real(8) :: scale = 0.5d0
  interface
    real(c_double) function in_c(x, y, k) bind(c, name='InC')
      import
      real(c_double), value :: x
      real(c_double), intent(in) :: y
      integer(c_int64_t), value :: k
    end function
    logical(c_bool) function odd(k) bind(c)
      import
      integer(c_int), value :: k
    end function
  end interface
  public :: in_c, odd
contains
  real(8) function scaled(x, k)
    real(8), intent(in) :: x
    integer, intent(in) :: k
    real(8) :: row(2)
    row = [x, scale*k]
    scaled = sum(row)
  end function
  pure real(4) function twice4(x)
    real(4), intent(in) :: x
    twice4 = x*2
  end function
  pure real(8) function twice8(x)
    real(8), intent(in) :: x
    twice8 = x*2.5d0
  end function
  real(8) function valued(x, k)
    real(8), value :: x
    integer, value :: k
    x = x*3 + k
    valued = x
  end function
  logical function large(x, strictly)
    real(8), intent(in) :: x
    logical, intent(in) :: strictly
    large = x > 4 .or. .not. strictly .and. x == 4
  end function
  elemental real(8) function curved(x, y)
    real(8), intent(in) :: x, y
    curved = exp(x/(2 + abs(y)))
  end function
  real(8) function bound(x) bind(c)
    real(c_double), intent(in) :: x
    bound = cos(x)
  end function
  integer(8) function count_of(i, j)
    integer(8), intent(in) :: i
    integer, intent(in) :: j
    count_of = popcnt(i) + j
  end function
  real(8) function given()
    given = scale + 1
  end function
end module
real(8) function outer(x)
  real(8), intent(in) :: x
  outer = sin(x)
end function
integer function hashed(i)
  integer :: i
  hashed = ieor(i, 21) + ishft(i, -1)
end function
";

const IN_C: &str = "#include <stdbool.h>\ndouble InC(double x, const double *y, long k) { return x + *y * k; }\n\
    bool odd(int k) { return k % 2 != 0; }\n";

const CALLER: &str = "\
module own
  implicit none
contains
  real(8) function around(x)
    use others
    real(8), intent(in) :: x
    around = scaled(x, 3)*0.5d0
  end function
  real(8) function listed(x)
    real(8), intent(in) :: x
    real(8) :: row(3)
    row = x
    listed = row(1) + row(3)
  end function
end module
subroutine kernel(n, a, b, r4, k, l)
  use others
  use own
  implicit none
  integer, intent(in) :: n
  real(8) :: a(n,n), b(n)
  real(4) :: r4(n)
  integer :: k(n), i, j
  integer(8) :: l(n)
  integer, external :: hashed
  interface
    real(8) function outer(x)
      real(8), intent(in) :: x
    end function
  end interface
!$dvm region pure(scaled, valued, outer, around, listed, given) pure(in_c, bound, curved)
  do j = 2, n
    do i = 1, n
      a(i,j) = 0.25d0*(a(i,j-1) + scaled(b(i), i)) + valued(b(j)*0.125d0, j)
      a(i,j) = a(i,j) + outer(a(i,j)) - outer(a(i,j-1)*2 + i)
      a(i,j) = a(i,j)*0.5d0 + around(b(i)) + listed(b(j))*given()
      a(i,j) = in_c(a(i,j), b(i), l(j)) + bound(a(i,j)) + curved(b(i), 2d0)
    end do
  end do
!$dvm region pure(twice8, twice) pure(hashed, count_of)
  do i = 1, n
    r4(i) = twice(r4(i)) + real(twice(b(i)), 4)
    k(i) = hashed(i + 1) + k(i)
    l(i) = count_of(l(i), i) + count_of(l(i)*3, hashed(i))
  end do
!$dvm region pure(large, odd)
  do i = 1, n
    if (large(b(i), i > 5) .and. .true.) then
      b(i) = b(i)*0.25d0
    else if (odd(i) .and. .not. large(b(i)*2, .true.)) then
      b(i) = b(i) + 1
    end if
  end do
!$dvm region pure(curved)
  a(2:n, 1) = curved(b(1:n-1), a(2:n, 2)*0.5d0)
end subroutine
program main
  implicit none
  integer, parameter :: n = 33
  real(8) :: a(n,n), b(n)
  real(4) :: r4(n)
  integer :: k(n), i, j
  integer(8) :: l(n)
  do i = 1, n
    b(i) = i*0.25d0
    r4(i) = i*0.5
    k(i) = i
    l(i) = mod(i*7, 13)
    do j = 1, n
      a(i,j) = i*0.125d0 - j
    end do
  end do
  call kernel(n, a, b, r4, k, l)
  print '(8z17.16)', a, b
  print '(8z9.8)', r4
  print '(8i12)', k, l
end program
";

#[test]
fn functions_of_other_files_are_called_where_the_mark_declares_them_pure() {
    if !can_run("functions of other files") {
        return;
    }
    let folder = testkit::scratch(&[("others.f90", FUNCTIONS), ("c.c", IN_C), ("in.f90", CALLER)]);
    let made = Command::new("cc").current_dir(&*folder).args(["-O1", "-c", "c.c"]).status().expect("a compiler of C");
    assert!(made.success());
    for options in ["-O2 -ffp-contract=off", "-O0", "-O3 -fPIC"] {
        let plain = run(&folder, "gfortran", &format!("{options} others.f90 in.f90 c.o -o plain"));
        assert!(plain.status.success(), "{}", said(&plain));
        let tiled = dvmfc(&folder, &format!("{options} --dvm-strict --dvm-remarks others.f90 in.f90 c.o -o tiled"));
        assert!(said(&tiled).contains("dvmfc: 4 of 4 regions tiled"), "{options}: {}", said(&tiled));
        let (expected, _) = printed(&folder, "plain", "1", "1");
        for (tile, workers) in [("1", "2"), ("3,5", "1"), ("7", "5")] {
            let (found, messages) = printed(&folder, "tiled", tile, workers);
            assert!(found == expected, "{options}: tiles of {tile} and {workers} workers differ");
            assert!(!messages.contains("sequentially"), "{messages}");
        }
    }
}

/// The clause, a statement, and a part of the reason.
const REFUSED: [(&str, &str, &str); 15] = [
    ("pure(nowhere)", "a(i) = 1", "`pure(nowhere)`: the region calls no function `nowhere`"),
    ("pure(other)", "a(i) = plain(a(i))", "`pure(other)`: the region calls no function `other`"),
    ("pure(a)", "a(i) = a(i) + 1", "`pure(a)`: the region calls no function `a`"),
    ("pure(maybe)", "a(i) = maybe(a(i))", "an argument that is left out"),
    ("pure(maybe)", "a(i) = maybe(a(i), 2d0)", "`maybe` has `optional` arguments"),
    ("pure(whole)", "a(i) = whole(a(i))", "a section or a whole array as an argument of `whole`"),
    ("pure(whole)", "a(i) = whole(b)", "a section or a whole array as an argument of `whole`"),
    ("pure(bare)", "a(i) = bare(a(i))", "an element is passed to `bare`, whose interface is not seen"),
    ("pure(named)", "a(i) = named('x')", "characters"),
    ("pure(short)", "a(i) = short(a(i))", "the result of `short` has a type that is not taken"),
    ("pure(tiny_of)", "a(i) = tiny_of(int(a(i), 2))", ""),
    ("pure(given)", "a(i) = given(a(i))", "an expression that is not taken"),
    ("pure(inner)", "a(i) = inner(a(i))", "a call of `inner`, which uses variables of the procedure around it"),
    ("pure(two8)", "a(i) = real(two(1.0), 8)", "`pure(two8)`: the region calls no function `two8`"),
    ("pure(hidden)", "a(i) = hidden(a(i))", "gfortran makes no `hidden` that others may call"),
];

const MODULE: &str = "module others
  interface two
    procedure two8
  end interface
  interface three
    procedure two4
  end interface
contains
  real(8) function plain(x)
    real(8) :: x
    plain = x
  end function
  real(8) function maybe(x, y)
    real(8) :: x
    real(8), optional :: y
    maybe = x
    if (present(y)) maybe = y
  end function
  real(8) function whole(x)
    real(8) :: x(*)
    whole = x(1)
  end function
  real(8) function named(x)
    character(*) :: x
    named = len(x)
  end function
  integer(2) function short(x)
    real(8) :: x
    short = 3
  end function
  real(8) function tiny_of(x)
    integer(2) :: x
    tiny_of = x
  end function
  real(4) function two4(x)
    real(4) :: x
    two4 = x
  end function
  real(8) function two8(x)
    real(8) :: x
    two8 = x
  end function
end module
real(8) function bare(x)
  real(8) :: x
  bare = x
  if (x > 900) print *, x
end function
";

fn caller(clause: &str, statement: &str) -> String {
    let two = if statement.contains("two(") { "  interface two\n    procedure two4\n  end interface\n" } else { "" };
    format!(
        "module m\n  private :: hidden\ncontains\nreal(8) function hidden(x)\n  real(8) :: x, row(2)\n  row = x\n  \
         hidden = row(2)\nend function\nsubroutine s(n, a, b, given)\n  use others\n  integer n, i\n  real(8) a(n), b(n)\n  \
         real(8), external :: given, bare\n{two}!$dvm region {clause}\n  do i = 1, n\n    {statement}\n  end do\ncontains\n  \
         real(8) function inner(x)\n    real(8) :: x, row(2)\n    row = x + n\n    inner = row(1)\n  end function\n\
         end subroutine\nend module\n\
         program p\n  use m\n  use others, only: plain\n  real(8) a(20), b(20)\n  a = 3\n  b = 4\n  call s(20, a, b, plain)\n  print *, a\nend program\n"
    )
}

#[test]
fn calls_that_are_not_clear_are_refused() {
    if !can_run("refused calls of other files") {
        return;
    }
    for (clause, statement, reason) in REFUSED {
        let folder = testkit::scratch(&[("others.f90", MODULE), ("in.f90", &caller(clause, statement))]);
        let output = dvmfc(&folder, "-O1 --dvm-remarks others.f90 in.f90 -o tiled");
        let messages = said(&output);
        assert!(output.status.success(), "{statement}: {messages}");
        let first = messages.lines().find(|l| l.contains("warning: region")).unwrap_or_default();
        assert!(first.contains(reason), "{statement}: {messages}");
        assert!(messages.contains("1: note: ") && messages.contains("dvmfc: 0 of 1"), "{statement}: {messages}");
        let plain = run(&folder, "gfortran", "-O1 -w others.f90 in.f90 -o plain");
        assert!(plain.status.success(), "{statement}: {}", said(&plain));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{statement}");
    }
}

#[test]
fn names_for_the_linker_are_looked_at() {
    if !can_run("names for the linker") {
        return;
    }
    let text = "subroutine s(n, a)\n  integer n, i\n  real(8) a(n)\n  interface\n    real(8) function f(x)\n      real(8) x\n    \
        end function\n  end interface\n!$dvm region pure(f)\n  do i = 1, n\n    a(i) = f(a(i))\n  end do\nend subroutine\n";
    let folder = testkit::scratch(&[("in.f90", text)]);
    let taken = dvmfc(&folder, "-O2 --dvm-remarks -c in.f90");
    assert!(said(&taken).contains("1 of 1 regions tiled"), "{}", said(&taken));
    let refused = dvmfc(&folder, "-O2 --dvm-remarks -fno-underscoring -c in.f90");
    assert!(
        refused.status.success() && said(&refused).contains("gfortran makes no `f` that others may call as `f_`"),
        "{}",
        said(&refused)
    );
    let strict = dvmfc(&folder, "-O2 --dvm-strict -fno-underscoring -c in.f90 -o strict.o");
    assert!(!strict.status.success() && !folder.join("strict.o").exists(), "{}", said(&strict));
}
