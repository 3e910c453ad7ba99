//! Calls of subroutines of the file: what is not taken, and what is found when the program runs.

use super::{can_run, dvmfc, printed, run, said};

/// Subroutines that are not taken, or not with every argument.
const SUBROUTINES: &str = "\
subroutine near(x, y)
real(8) :: x, y
x = x + y
end subroutine
recursive subroutine again(x)
real(8) :: x
x = x*0.5d0
if (x > 100) call again(x)
end subroutine
subroutine early(x)
real(8) :: x
if (x > 3) return
x = x*2
end subroutine
subroutine counted(x)
real(8) :: x
real(8), save :: calls = 0
calls = calls + 1
x = x + calls
end subroutine
subroutine heard(x)
real(8) :: x
if (x > 900) print *, x
x = 1
end subroutine
subroutine perhaps(x, y)
real(8) :: x
real(8), optional :: y
x = 2
end subroutine
subroutine valued(x)
real(8), value :: x
shared = x
end subroutine
subroutine alternate(x, *)
real(8) :: x
if (x > 900) return 1
x = 2
end subroutine
subroutine own_array(x)
real(8) :: x, t(max(3, int(x)))
t = x
x = t(1)*t(3)
end subroutine
subroutine held(x)
real(8), allocatable :: x(:)
x(1) = 2
end subroutine
subroutine pointed(x)
real(8), pointer :: x(:)
x(1) = 2
end subroutine
subroutine flat(x, n)
integer :: n
real(8) :: x(n)
x(n) = 2
end subroutine
subroutine square(x, n)
integer :: n
real(8) :: x(n,n)
x(1,1) = 2
end subroutine
subroutine small(x)
real(8) :: x(3,4)
x(1,2) = 2
end subroutine
subroutine bounded(x, n)
integer :: n
real(8) :: x(n)
n = 2
x(n) = 3
end subroutine
subroutine moved(x, i)
real(8) :: x
integer :: i
i = i + 1
x = i
end subroutine
subroutine twice(x, y)
real(8) :: x(:), y(:)
x(1) = y(2)
end subroutine
subroutine unset(x, y)
real(8) :: x, y
if (x > 1) y = x
end subroutine
subroutine reads_first(x)
real(8) :: x, t
x = x + t
t = x
end subroutine
subroutine passes_own(x)
real(8) :: x
real(8), save :: t(3) = 1
call flat(t, 3)
x = 1
end subroutine
subroutine both_ways(x)
real(8) :: x, t(4)
t = x
call twice(t, t)
x = t(1)
end subroutine
subroutine huge_array(x)
real(8) :: x, t(400000)
t(1) = x
x = t(1)
end subroutine
subroutine aimed(x)
real(8) :: x
real(8), target :: t(4)
t = x
x = t(1)
end subroutine
subroutine never(x)
real(8) :: x, t
x = x + t
end subroutine
subroutine third(x)
real(8) :: x
real(8), parameter :: part = 1.0d0/3
x = x*part
end subroutine
subroutine hidden(x)
use other
real(8) :: x
x = x*elsewhere
end subroutine
subroutine objects(p)
type(pair) :: p
p%x = 2
end subroutine
subroutine truth(x, is_small)
real(8) :: x
logical :: is_small
if (is_small) x = 2
end subroutine
subroutine outer(x)
real(8) :: x
call counted(x)
end subroutine
subroutine uses_shared(x)
real(8) :: x
shared = x*2
end subroutine
subroutine singles(x)
real(4) :: x(:)
x(1) = 2
end subroutine
subroutine writes(x)
real(8) :: x
x = 2
end subroutine
integer function whole(x)
real(8), intent(in) :: x
whole = int(x)
end function
subroutine counts(k, x, y)
integer, intent(in) :: k
real(8) :: x, y
x = x + 10
y = k
end subroutine
subroutine turns(k, z, y)
integer, intent(in) :: k
complex(8) :: z
real(8) :: y
z = z + 10
y = k
end subroutine
";

/// Statements of a loop over `i`, and a part of the reason.
const CASES: [(&str, &str); 36] = [
    ("call again(a(i))", "a call of `again`, which is not taken"),
    ("call early(a(i))", "a `return`"),
    ("call counted(a(i))", "keeps its value between calls"),
    ("call heard(a(i))", "input or output"),
    ("call perhaps(a(i))", "attribute `optional`"),
    ("call valued(a(i))", "attribute `value`"),
    ("call own_array(a(i))", "its array `t` has extents of the run, or keeps its values"),
    ("call held(w)", "attribute `allocatable`"),
    ("call pointed(v)", "attribute `pointer`"),
    ("call flat(b, n)", "another number of dimensions than `b`"),
    ("call square(a, 5)", "another number of dimensions than `a`"),
    ("call small(c)", "has extent 5 in dimension 1, and the subroutine declares 3"),
    ("j = i\ncall bounded(a, j)", "it changes a bound of an array that is passed to it"),
    ("j = i\ncall moved(a(j), j)", "it changes a subscript of an element that is passed to it"),
    ("call twice(a, a)", "`a` is passed twice, or passed and used by itself, and it is written"),
    ("call near(s, s)", "`s` is passed twice, or passed and used by itself, and it is written"),
    ("call unset(a(i), s)\na(i) = s", "`s` is read where the same iteration has not surely written it"),
    ("call reads_first(a(i))", "`t` is read where the same iteration has not surely written it"),
    ("call passes_own(a(i))", "its array `t` has extents of the run, or keeps its values"),
    ("call both_ways(a(i))", "`t` is passed twice, or passed and used by itself, and it is written"),
    ("call huge_array(a(i))", "the region's local variables, `t` first of all, have about"),
    ("call aimed(a(i))", "its array `t` has extents of the run, or keeps its values"),
    ("call never(a(i))", "`t` is read where the same iteration has not surely written it"),
    ("call third(a(i))", "the real constant `part` is not one of the region"),
    ("call hidden(a(i))", "which the region's procedure does not see"),
    ("call objects(p)", "its argument `p` is no number and no array of numbers"),
    ("call outer(a(i))", "a call of `counted`, which is not taken"),
    ("call uses_shared(shared)", "`shared` is passed twice"),
    ("call uses_shared(a(i))", "`shared` is written, and others can see it"),
    ("call writes(a(i)*2)", "an expression is passed as an argument that it writes"),
    ("call counts(int(a(i)), a(i), b(i,1))", "it changes a variable of an expression that is passed to it"),
    ("call counts(whole(a(i)), a(i), b(i,1))", "it changes a variable of an expression that is passed to it"),
    ("call turns(int(real(z(i))), z(i), a(i))", "it changes a variable of an expression that is passed to it"),
    ("call chosen(a(i))", "shows only when the program runs"),
    ("call away(a(i))", "text is not in this file"),
    ("call alternate(a(i), *90)\n90 continue", "an alternate return"),
];

fn program(body: &str) -> String {
    format!(
        "module other\nreal(8) :: elsewhere = 2\nend module\n\
         module kinds\nimplicit none\ntype pair\nreal(8) :: x = 1\nend type\nreal(8) :: shared = 1\ncontains\n{SUBROUTINES}end module\n\
         subroutine kernel(n, a, b, c, p)\nuse kinds\nimplicit none\ninteger :: n, i, j\nreal(8) :: a(40), b(40,40), c(5,8), s\n\
         type(pair) :: p\nreal(8), allocatable :: w(:)\nreal(8), pointer :: v(:)\nprocedure(writes), pointer :: chosen\nlogical :: flags(40)\ncomplex(8) :: z(40)\n\
         z = 1\nallocate(w(4), v(4))\nw = 1\nv = 1\ns = 3\nj = 1\nchosen => writes\nflags = .true.\n!$dvm region\ndo i = 1, n\n{body}\nend do\nend subroutine\n\
         program main\nuse kinds\nreal(8) :: a(40), b(40,40), c(5,8)\ntype(pair) :: p\ninteger :: i\n\
         a = [(i*0.5d0, i = 1, 40)]\nb = 1\nc = 1\ncall kernel(30, a, b, c, p)\nprint *, a, sum(b), sum(c), p%x, shared\nend program\n"
    )
}

#[test]
fn subroutines_that_are_not_taken_are_refused_at_the_call() {
    if !can_run("subroutines of Fortran") {
        return;
    }
    let away = "subroutine away(x)\nreal(8) :: x\nx = 3\nend subroutine\n";
    let mut wrong = Vec::new();
    for (body, reason) in CASES {
        let text = program(body);
        let folder = testkit::scratch(&[("in.f90", &text), ("away.f90", away)]);
        let text = if body.contains("away") {
            text.replace("type(pair) :: p\nreal(8), alloc", "type(pair) :: p\nexternal away\nreal(8), alloc")
        } else {
            text
        };
        folder.write("in.f90", &text);
        let output = dvmfc(&folder, "-O1 --dvm-remarks in.f90 away.f90 -o tiled");
        let messages = said(&output);
        assert!(output.status.success(), "{body}: {messages}");
        let first =
            messages.lines().find(|l| l.contains("warning: region")).unwrap_or_else(|| panic!("{body}: {messages}"));
        if !first.contains(reason) {
            wrong.push(format!("{body}: {messages}"));
        }
        let line: usize = first.split(':').nth(1).and_then(|line| line.parse().ok()).expect("a line");
        let shown = text.lines().nth(line - 1).unwrap_or_default();
        assert!(body.lines().any(|own| own == shown), "{body} is refused at `{shown}`: {messages}");
        assert!(messages.contains(&format!("in.f90:{line}:1: note: ")), "{body} has no remedy: {messages}");
        for word in ["fir.", "hlfir.", "arith.", "dvm.", "_c1_"] {
            assert!(!messages.contains(word), "{body}: {messages}");
        }
        let plain = run(&folder, "gfortran", "-O1 -w in.f90 away.f90 -o plain");
        assert!(plain.status.success(), "{body}: {}", said(&plain));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0, "{body}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Arrays that the subroutine declares in another way than the region: what becomes of it shows when the program runs.
const SHAPES: &str = "\
subroutine kernel(a, b, c, n, m)
  implicit none
  integer :: n, m, i, j
  real(8) :: a(n,m), b(n,m), c(5,5)
  !$dvm region name(far)
  do j = 1, 2
    call run(a(1,j), 2*n)
  end do
  !$dvm region name(wide)
  do j = 1, m
    call grid(b, n - 1, m, j)
  end do
  !$dvm region name(same)
  do j = 1, m
    call grid(b, n, m, j)
  end do
  !$dvm region name(fixed)
  do j = 1, 5
    call run(c(j,1), 6)
  end do
contains
  subroutine run(x, l)
    integer :: l, i
    real(8) :: x(l)
    do i = 1, l
      x(i) = x(i)*0.5d0 + i
    end do
  end subroutine
  subroutine grid(x, k, l, j)
    integer :: k, l, j, i
    real(8) :: x(k,l)
    do i = 1, k
      x(i,j) = x(i,j)*0.5d0 + i
    end do
  end subroutine
end subroutine
program main
  real(8) :: a(12,12), b(12,12), c(5,5)
  a = 1
  b = 2
  c = 3
  call kernel(a, b, c, 12, 12)
  print '(8z17.16)', a, b, c
end program
";

#[test]
fn arrays_of_other_shapes_keep_their_loops() {
    if !can_run("shapes of arguments") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", SHAPES)]);
    let plain = run(&folder, "gfortran", "-O2 -ffp-contract=off in.f90 -o plain");
    assert!(plain.status.success(), "{}", said(&plain));
    let tiled = dvmfc(&folder, "-O2 -ffp-contract=off --dvm-remarks in.f90 -o tiled");
    assert!(tiled.status.success(), "{}", said(&tiled));
    let (expected, _) = printed(&folder, "plain", "1", "1");
    let (found, messages) = printed(&folder, "tiled", "3", "2");
    assert_eq!(found, expected, "{}", said(&tiled));
    assert!(messages.contains("region far (line 5) runs sequentially: a subscript leaves its row"), "{messages}");
    assert!(messages.contains("region 'same': tiles of"), "{messages}");
    assert!(!messages.contains("region 'wide'") && !messages.contains("region 'fixed'"), "{messages}");
}
