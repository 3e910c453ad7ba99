//! Inner loops whose bounds data choose, and counters that are read behind their loops, as searches do.

use super::{can_run, compiled, dvmfc, printed, said};

/// Rows of a sparse matrix, ragged rows, bounds that are no sums, and bounds that the loop changes after Fortran has read them.
const BOUNDS: &str = "
subroutine product(n, first, column, a, x, y)
  integer, intent(in) :: n, first(n+1), column(*)
  real(8), intent(in) :: a(*), x(n)
  real(8), intent(out) :: y(n)
  real(8) :: s
  integer :: i, k
  !$dvm region
  do i = 1, n
    s = 0
    do k = first(i), first(i+1) - 1
      s = s + a(k)*x(column(k))
    end do
    y(i) = s
  end do
end subroutine
subroutine ragged(n, m, length, b)
  integer, intent(in) :: n, m
  integer, intent(in) :: length(n)
  real(8), intent(inout) :: b(m,n)
  integer :: i, j
  !$dvm region independent
  do i = 1, n
    do j = length(i), 1, -2
      b(j,i) = b(j,i) + i
    end do
    do j = m/2, min(m, length(i)*2/3 + abs(length(i) - 3))
      b(j,i) = b(j,i)*1.5d0
    end do
  end do
end subroutine
subroutine moving(n, m, b, c)
  integer, intent(in) :: n, m
  real(8), intent(inout) :: b(m,n)
  integer, intent(inout) :: c(m,n)
  integer :: i, j
  !$dvm region
  do i = 1, n
    do j = 1, c(1,i)
      c(1,i) = c(1,i) + 1
      b(1,i) = b(1,i) + j*c(1,i)
    end do
  end do
end subroutine
program main
  integer, parameter :: n = 23, m = 12
  integer :: first(n+1), column(200), length(n), c(m,n), i
  real(8) :: a(200), x(n), y(n), b(m,n)
  first(1) = 1
  do i = 1, n
    first(i+1) = first(i) + mod(i*5, 7)
    length(i) = mod(i*3, 13)
    x(i) = 1d0/i
  end do
  do i = 1, 200
    column(i) = mod(i*11, n) + 1
    a(i) = i*0.37d0
  end do
  b = 1
  c = 3
  call product(n, first, column, a, x, y)
  call ragged(n, m, length, b)
  call moving(n, m, b, c)
  print '(4z17.16)', y, b
  print '(20i4)', c
end program
";

/// Searches, also nested ones and by jumps, and what whole loops leave, with steps and without iterations.
const COUNTERS: &str = "
subroutine search(n, m, a, at)
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(m,n)
  integer, intent(out) :: at(3,n)
  integer :: i, j, k
  !$dvm region
  do i = 1, n
    do j = 1, m
      if (a(j,i) > 6) exit
    end do
    at(1,i) = j
    do k = m, 1, -3
      if (a(k,i) < 3) goto 10
    end do
    k = -9
10  continue
    at(2,i) = 0
    if (j <= m) at(2,i) = j*j
    at(3,i) = 1
  end do
end subroutine
subroutine nested(n, m, a, at)
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(m,n)
  integer, intent(out) :: at(3,n)
  integer :: i, j, k
  !$dvm region
  do i = 1, n
    outer: do j = 1, m
      do k = j, m, 2
        if (a(k,i) + a(j,i) > 14) exit outer
      end do
      if (k > m + 1) cycle outer
      if (a(j,i) > 8) exit
    end do outer
    at(1,i) = j
    do k = j, i, 3
      at(2,i) = k
    end do
    at(3,i) = k
  end do
end subroutine
subroutine triangle(n, t, c)
  integer, intent(in) :: n
  real(8), intent(inout) :: t(n,n)
  real(8), intent(in) :: c(n,n)
  integer :: i, j
  !$dvm region
  do j = 1, n
    do i = 1, j - 1
      t(i,j) = t(i,j) + c(i,j)
    end do
    t(j,j) = c(i,j)*2 + i
  end do
end subroutine
program main
  integer, parameter :: n = 40, m = 9
  real(8) :: a(m,n), t(n,n), c(n,n)
  integer :: at(3,n), i, j
  do i = 1, n
    do j = 1, m
      a(j,i) = mod(i*7 + j*j*3, 11)
    end do
    do j = 1, n
      c(j,i) = j + i*0.125d0
    end do
  end do
  a(:,5) = 0
  at = -1
  t = 1
  call search(n, m, a, at)
  print '(24i4)', at
  call nested(n, m, a, at)
  print '(24i4)', at
  call triangle(n, t, c)
  print '(4z17.16)', t
end program
";

fn agrees(name: &str, text: &str, regions: usize) {
    let folder = testkit::scratch(&[("in.f90", text)]);
    let messages = compiled(&folder, "--dvm-remarks");
    assert!(messages.contains(&format!("dvmfc: {regions} of {regions} regions tiled")), "{name}: {messages}");
    let (expected, _) = printed(&folder, "plain", "1", "1");
    assert!(expected.lines().count() > 10, "{name} prints its arrays");
    for (tile, workers) in [("1", "2"), ("3,5", "1"), ("7", "5")] {
        let (found, told) = printed(&folder, "tiled", tile, workers);
        assert_eq!(found, expected, "{name}: tiles of {tile}, {workers} workers");
        assert!(!told.contains("sequentially"), "{name}: {told}");
    }
}

#[test]
fn bounds_that_data_choose_give_the_bytes_of_gfortran() {
    if can_run("bounds that data choose") {
        agrees("bounds", BOUNDS, 3);
    }
}

#[test]
fn counters_behind_their_loops_give_the_bytes_of_gfortran() {
    if can_run("counters behind their loops") {
        agrees("counters", COUNTERS, 3);
    }
}

/// A loop that stands in one branch, or is around the read itself, may not have left the counter a value.
#[test]
fn counters_of_loops_that_may_not_have_run_are_refused() {
    if !can_run("counters of loops that may not have run") {
        return;
    }
    let bodies = [
        ("if (a(i) > 2) then\ndo j = 1, 3\na(i) = a(i) + j\nend do\nend if\na(i) = j", 10),
        ("a(i) = j\ndo j = 1, 3\na(i) = a(i) + j\nend do", 5),
    ];
    for (body, line) in bodies {
        let text =
            format!("subroutine s(n, a)\ninteger n, i, j\nreal a(n)\n!$dvm region\ndo i = 1, n\n{body}\nend do\nend\n");
        let folder = testkit::scratch(&[("in.f90", &text)]);
        let messages = said(&dvmfc(&folder, "-c --dvm-remarks in.f90"));
        let told = format!("in.f90:{}:1: warning: region", line + 1);
        assert!(messages.contains(&told) && messages.contains("`j` is read outside of its loop"), "{body}: {messages}");
    }
}
