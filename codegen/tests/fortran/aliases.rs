//! Storage that two names reach, arrays without elements, gaps and wrong subscripts: the tiles give what gfortran's loops
//! give, or these loops run.

use super::{can_run, dvmfc, printed, run, said};

/// A name; statements that point, allocate or set; the region; whether it runs as tiles.
const CASES: [(&str, &str, &str, bool); 18] = [
    ("apart", "p => x(1:20)\nq => x(21:40)", "do i = 1, 20\np(i) = q(i)*2 + i\nend do", true),
    ("overlapping", "p => x(1:30)\nq => x(2:31)", "do i = 1, 30\nq(i) = p(i)*0.5d0 + i\nend do", false),
    ("pointer and target", "p => x(2:31)", "do i = 1, 30\nx(i + 1) = p(i)*0.5d0 + 1\nend do", false),
    ("bound that the loop writes", "w => k(1:9)", "do i = 1, k(2)\nw(i) = 3\nx(i) = 7\nend do", true),
    (
        "inner bound",
        "w => k(1:9)",
        "do j = 1, 3\ndo i = 1, k(2)\nw(i) = j + 2\nx(i) = x(i) + k(j)\nend do\nend do",
        false,
    ),
    ("number beside", "w => o%list", "do i = 1, 5\nw(i) = w(i) + 4\nx(o%n + i) = i\nend do", true),
    ("number that the loop writes", "w => all(2:2)%n", "do i = 1, all(2)%n\nw(1) = 9\nx(i) = i\nend do", true),
    ("target", "t => m", "do i = 1, m\nx(i + m) = i\nend do", true),
    ("gaps", "p => x(1:40:2)", "do i = 1, 20\np(i) = p(i) + i\nend do", false),
    ("gaps of components", "w => all%n", "do i = 1, 3\nw(i) = w(i) + i\nend do", false),
    ("one component", "w => all(2:2)%n", "do i = 1, zero + 1\nw(i) = w(i) + i\nend do", true),
    ("component at hand", "w => all(2:2)%n", "do i = 1, 3\nx(i + w(1)) = all(2)%n + i\nend do", true),
    ("backwards", "p => x(40:1:-1)", "do i = 1, 40\np(i) = p(i) + i\nend do", false),
    ("columns with gaps", "r => y(2:5,:)", "do j = 1, 8\ndo i = 1, 4\nr(i,j) = i + j\nend do\nend do", false),
    (
        "whole columns",
        "r(0:,-1:) => y(:,2:5)",
        "do j = -1, 2\ndo i = 0, 7\nr(i,j) = r(i,j)*i + j\nend do\nend do",
        true,
    ),
    ("not allocated", "deallocate(heap)", "do i = 1, zero\nx(i) = heap(i)\nend do", false),
    ("no such object", "", "do i = 1, zero\nx(i) = all(zero + 99)%u(i)\nend do", false),
    ("no elements", "r => y(1:0,:)", "do j = 1, 8\ndo i = 1, size_of\nr(i,j) = 1\nend do\nx(j) = 2\nend do", false),
];

/// A name; names of `associate`; the region; whether it runs as tiles.
const ASSOCIATED: [(&str, &str, &str, bool); 9] = [
    ("part and whole", "f => x(2:31)", "do i = 1, 30\nx(i + 1) = f(i)*0.5d0 + 1\nend do", false),
    ("part and pointer", "f => x(2:31), p => o%list", "do i = 1, 9\np(i) = p(i) + 1\nx(i) = i\nend do", true),
    ("two parts", "f => x(2:31), g => x(1:30)", "do i = 1, 30\nf(i) = g(i)*0.5d0\nend do", false),
    ("parts apart", "f => x(2:20), g => x(21:40)", "do i = 1, 19\nf(i) = g(i)*0.5d0\nend do", true),
    ("part of a local array", "f => own(3:40)", "do i = 1, 38\nown(i) = f(i)*0.5d0 + i\nend do", false),
    ("part with gaps", "f => x(1:40:2)", "do i = 1, 20\nf(i) = f(i) + i\nend do", false),
    ("components of all objects", "f => all%n", "do i = 1, 3\nf(i) = f(i) + i\nend do", false),
    ("part of an array that is not written", "f => own(3:40)", "do i = 1, 38\nf(i) = z + i\nend do", true),
    ("a number that the loop writes", "f => k, g => k(2)", "do i = 1, g\nf(i) = 9\nx(i) = i\nend do", true),
];

fn program(body: &str) -> String {
    format!(
        "module things\ntype thing\ninteger :: n\ninteger :: list(9)\nreal(8), allocatable :: u(:)\nend type\n\
         type(thing), allocatable, target :: all(:)\ntype(thing), target :: o\ninteger, target :: k(9), m\n\
         real(8), target :: x(41), y(8,8)\nreal(8), allocatable :: heap(:)\nend module\n\
         {body}\
         program main\nuse things\nx = [(i*0.25d0, i = 1, 41)]\ny = reshape([(i*0.5d0, i = 1, 64)], [8, 8])\nk = [(i + 2, i = 1, 9)]\n\
         o%n = 2\no%list = [(i, i = 1, 9)]\nm = 5\nallocate(all(3), heap(9))\nall%n = 3\n\
         call work(0)\nprint '(4z17.16)', x, y\nprint '(9i8)', k, m, o%n, o%list\nend program\n"
    )
}

#[test]
fn storage_that_two_names_reach_keeps_the_order_of_the_loops() {
    if !can_run("aliases of Fortran") {
        return;
    }
    for (name, setting, region, tiles) in CASES {
        agrees(name, setting, region, "", tiles);
    }
    for (name, names, region, tiles) in ASSOCIATED {
        agrees(name, &format!("associate ({names})"), region, "end associate\n", tiles);
    }
}

/// Compares what the region behind `setting` prints as tiles with what gfortran makes of it.
fn agrees(name: &str, setting: &str, region: &str, after: &str, tiles: bool) {
    let body = format!(
        "subroutine work(zero)\nuse things\nimplicit none\ninteger :: zero, size_of, i, j\nreal(8) :: own(40), z\n\
         real(8), pointer :: p(:), q(:), r(:,:)\ninteger, pointer :: w(:), t\nsize_of = zero\nown = 0.75d0\nz = 2\n\
         {setting}\n!$dvm region\n{region}\n!$dvm end region\n{after}x(41) = x(41) + own(7)\nend subroutine\n"
    );
    let folder = testkit::scratch(&[("in.f90", &program(&body))]);
    let plain = run(&folder, "gfortran", "-O0 -w in.f90 -o plain");
    assert!(plain.status.success(), "{name}: {}", said(&plain));
    let tiled = dvmfc(&folder, "-O1 -w --dvm-strict in.f90 -o tiled");
    assert!(tiled.status.success(), "{name}: {}", said(&tiled));
    let (expected, _) = printed(&folder, "plain", "1", "1");
    let (found, messages) = printed(&folder, "tiled", "3", "2");
    assert_eq!(found, expected, "{name}");
    assert_eq!(messages.contains("tiles of ["), tiles, "{name}: {messages}");
    assert_eq!(messages.contains("runs sequentially: "), !tiles, "{name}: {messages}");
}

/// In the procedure around, `n` is the argument; where the region stands, it is a name of `associate`.
const HIDDEN: &str = "\
subroutine outer(n, k, a)
  implicit none
  integer :: n, k, i
  real(8) :: a(40)
  associate (n => k + 1)
    !$dvm region
    do i = 1, 20
      call inner(i)
    end do
    a(21) = n
  end associate
contains
  subroutine inner(i)
    integer, intent(in) :: i
    a(i) = n
  end subroutine
end subroutine
program main
  implicit none
  real(8) :: a(40)
  a = 1
  call outer(5, 77, a)
  print *, a
end program
";

#[test]
fn a_name_of_associate_hides_the_variable_of_a_subroutine() {
    if !can_run("names of associate") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", HIDDEN)]);
    let plain = run(&folder, "gfortran", "-O1 -w in.f90 -o plain");
    assert!(plain.status.success(), "{}", said(&plain));
    let tiled = dvmfc(&folder, "-O1 in.f90 -o tiled");
    assert!(tiled.status.success() && said(&tiled).contains("it uses `n`, a name that means"), "{}", said(&tiled));
    assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0);
}

/// Extents that flang computes from variables whose names mean others where the regions stand, or no longer mean what an
/// `associate` that has ended made of them. How many regions are refused.
const HIDDEN_BOUNDS: (&str, usize) = (
    "\
subroutine outer(a, b, n, m)
  implicit none
  integer, intent(in) :: n, m
  integer :: i
  real(8) :: a(n), b(m)
  real(8), allocatable :: c(:), d(:)
  allocate(c(0:n-1), d(5:m+4))
  c = 1; d = 2
  associate (y => a, z => c)
    associate (a => b, c => d, n => m)
      !$dvm region
      do i = 1, size(y)
        y(i) = y(i) + a(3)
      end do
      !$dvm region
      do i = lbound(c, 1), ubound(c, 1)
        c(i) = c(i) + i
      end do
      !$dvm region
      z(:) = 3
      !$dvm region
      do i = 1, n
        a(i) = a(i)*2
      end do
    end associate
    print *, a, c
  end associate
  associate (n => m, v => b)
    !$dvm region
    do i = 1, size(a)
      a(i) = a(i) + i
    end do
  end associate
  !$dvm region
  b(:) = b(:)*0.5d0
  print *, d
end subroutine
program main
  implicit none
  real(8) :: a(40), b(25)
  a = 1; b = 2
  call outer(a, b, 40, 25)
  print *, a, b
end program
",
    1,
);

#[test]
fn bounds_are_not_taken_from_names_that_mean_others() {
    if !can_run("bounds behind names of associate") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", HIDDEN_BOUNDS.0)]);
    let plain = run(&folder, "gfortran", "-O1 -w in.f90 -o plain");
    assert!(plain.status.success(), "{}", said(&plain));
    // Which of several variables flang's text leads to must not be left to chance.
    for _ in 0..4 {
        let tiled = dvmfc(&folder, "-O1 in.f90 -o tiled");
        assert!(tiled.status.success(), "{}", said(&tiled));
        let refused = said(&tiled).lines().filter(|line| line.contains("warning: region")).count();
        assert_eq!(refused, HIDDEN_BOUNDS.1, "{}", said(&tiled));
        assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "3", "2").0);
    }
}
