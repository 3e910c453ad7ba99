//! Arrays of which each iteration has its own, and counters that are assigned between their loops: what is seen to be free, and
//! what others read.

use super::{can_run, compiled, dvmfc, printed, run, said};

/// Regions, each with a name, about an array `t` of four elements, or about a counter `i`.
const PROGRAM: &str = "\
module m
  implicit none
contains
  ! partly written
  subroutine part(n, a)
    integer :: n, i, k
    real(8) :: a(n), t(4)
    t = 1
    !$dvm region name(part)
    do i = 1, n
      if (a(i) > 3) t(2) = a(i)
      a(i) = t(2)*0.5d0 + i
    end do
    a(1) = t(2)
  end subroutine
  ! read after
  subroutine after(n, a)
    integer :: n, i, k
    real(8) :: a(n), t(4)
    !$dvm region name(after)
    do i = 1, n
      do k = 1, 4
        t(k) = a(i)*k
      end do
      a(i) = t(1) + t(4)
    end do
    a(1) = t(2)
  end subroutine
  ! others write it first
  subroutine again(n, a)
    integer :: n, i, k
    real(8) :: a(n), t(4)
    !$dvm region name(again1)
    do i = 1, n
      do k = 1, 4
        t(k) = a(i)*k
      end do
      a(i) = t(1) + t(4)
    end do
    !$dvm region name(again2)
    do i = 1, n
      call fill(a(i), t)
      a(i) = t(1) - t(4)*0.5d0
    end do
    do i = 1, n
      call fill(a(i), t)
      a(i) = a(i) + t(3)
    end do
  end subroutine
  ! a loop around: the next round reads it before
  subroutine around(n, a)
    integer :: n, i, k, r
    real(8) :: a(n), t(4)
    t = 2
    do r = 1, 3
      a(2) = a(2) + t(3)
      !$dvm region name(around)
      do i = 1, n
        do k = 1, 4
          t(k) = a(i)*k
        end do
        a(i) = t(1)*0.5d0 + t(4)*0.125d0
      end do
    end do
  end subroutine
  ! an internal procedure reads it
  subroutine inner(n, a)
    integer :: n, i, k
    real(8) :: a(n), t(4)
    t = 0
    call look()
    !$dvm region name(inner)
    do i = 1, n
      do k = 1, 4
        t(k) = a(i)*k
      end do
      a(i) = t(1)*0.5d0 + t(4)*0.125d0
    end do
    call look()
  contains
    subroutine look()
      a(1) = a(1) + t(2)
    end subroutine
  end subroutine
  ! a namelist, saved, data
  subroutine named(n, a)
    integer :: n, i, k
    real(8) :: a(n), t(4)
    namelist /nl/ t
    character(200) :: line(3)
    t = 0
    !$dvm region name(named)
    do i = 1, n
      do k = 1, 4
        t(k) = a(i)*k
      end do
      a(i) = t(1)*0.5d0 + t(4)*0.125d0
    end do
    write(line, nl)
    print *, line
  end subroutine
  subroutine saved(n, a)
    integer :: n, i, k
    real(8) :: a(n)
    real(8), save :: t(4) = 3
    a(2) = a(2) + t(3)
    !$dvm region name(saved)
    do i = 1, n
      do k = 1, 4
        t(k) = a(i)*k
      end do
      a(i) = t(1)*0.5d0 + t(4)*0.125d0
    end do
  end subroutine
  ! counters
  subroutine edges(n, b)
    integer :: n, i, j
    real(8) :: b(n,n)
    !$dvm region name(edges)
    do j = 1, n
      i = 1
      b(i,j) = b(i,j)*0.5d0 + b(i+1,j)
      i = 2
      b(i,j) = b(i,j)*0.25d0 + b(i+1,j)*i
      do i = 3, n - 2
        b(i,j) = b(i-1,j) - b(i,j)*0.5d0
      end do
      i = n - 1
      b(i,j) = b(i,j) + b(i-2,j)
      i = n
      b(i,j) = b(i,j)*i
    end do
  end subroutine
  ! the counter after its loop
  subroutine behind(n, b)
    integer :: n, i, j
    real(8) :: b(n,n)
    !$dvm region name(behind)
    do j = 1, n
      i = 1
      b(i,j) = 2
      do i = 3, n - 2
        b(i,j) = b(i-1,j) - b(i,j)*0.5d0
      end do
      b(i,j) = 3
    end do
  end subroutine
  ! a loop in a loop changes it
  subroutine twice(n, b)
    integer :: n, i, j, k
    real(8) :: b(n,n)
    !$dvm region name(twice)
    do j = 1, n
      i = 2
      do k = 1, 3
        b(i,j) = b(i,j) + k
        do i = 4, 6
          b(i,j) = b(i,j)*2 + k
        end do
      end do
    end do
  end subroutine
  ! what a branch sets before such a loop
  subroutine branch(n, b)
    integer :: n, i, j
    real(8) :: b(n,n), s
    s = 2
    !$dvm region name(branch)
    do j = 1, n
      i = 2
      b(i,j) = b(i,j)*0.5d0
      if (b(3,j) > 1) then
        s = b(4,j)
        do i = 4, 6
          b(i,j) = b(i,j)*2 + s
        end do
      end if
      b(1,j) = s
    end do
  end subroutine
  ! after the region
  subroutine later(n, b)
    integer :: n, i, j
    real(8) :: b(n,n)
    !$dvm region name(later)
    do j = 1, n
      i = 1
      b(i,j) = 2
      do i = 3, n - 2
        b(i,j) = b(i-1,j) - b(i,j)*0.5d0
      end do
      i = 4
    end do
    b(i,1) = 7
  end subroutine
  subroutine fill(x, t)
    real(8) :: x, t(4)
    integer :: k
    do k = 1, 4
      t(k) = x*k
    end do
  end subroutine
  ! other names
  subroutine alias(n, a)
    integer :: n, i, k
    real(8) :: a(n), t(4)
    t = 2
    associate (seen => t)
      !$dvm region name(alias)
      do i = 1, n
        do k = 1, 4
          t(k) = a(i)*k
        end do
        a(i) = t(1) + t(4)
      end do
      a(1) = seen(2)
    end associate
  end subroutine
  subroutine bound(n, b)
    integer :: n, j, i, many(4)
    real(8) :: b(n,n)
    many = 3
    !$dvm region name(bound)
    do j = 2, n
      many(3) = j
      do i = 1, many(3)
        b(i,j) = b(i,j-1) + 1
      end do
    end do
  end subroutine
  subroutine alike(n, a)
    integer :: n, i
    real(8) :: a(n), s
    s = 3
    associate (last => s)
      !$dvm region name(alike)
      do i = 1, n
        s = a(i)*2
        a(i) = s + 1
      end do
      a(1) = last
    end associate
  end subroutine
end module
program main
  use m
  real(8) :: a(50), b(20,20)
  integer :: i
  a = [(i*0.25d0, i = 1, 50)]
  b = reshape([(mod(i,7)*0.5d0, i = 1, 400)], [20,20])
  call part(50, a)
  call after(50, a)
  call again(50, a)
  call around(50, a)
  call inner(50, a)
  call named(50, a)
  call saved(50, a)
  call saved(50, a)
  call alias(50, a)
  call alike(50, a)
  call bound(20, b)
  call edges(20, b)
  call behind(20, b)
  call twice(20, b)
  call branch(20, b)
  call later(20, b)
  print '(6z17.16)', a, b
end program
";

/// Regions that have the array for themselves, and those that share it.
const OWN: [&str; 2] = ["again1", "again2"];
const SHARED: [&str; 6] = ["after", "around", "inner", "named", "saved", "alias"];
/// Regions that are not taken, with a statement of the line that is named and a part of the reason.
const REFUSED: [(&str, &str, &str); 7] = [
    ("part", "!$dvm region name(part)", "no parallelism was found"),
    ("behind", "b(i,j) = 3", "`i` is read where the same iteration has not surely written it"),
    ("twice", "b(i,j) = b(i,j) + k", "`i` is read where the same iteration has not surely written it"),
    ("branch", "b(1,j) = s", "`s` is read where the same iteration has not surely written it"),
    ("bound", "!$dvm region name(bound)", "no parallelism was found"),
    ("alike", "s = a(i)*2", "`s` is written, and an `associate` of the procedure names it"),
    ("later", "b(i,1) = 7", "`i` is used here, where it may have the value that the region at line"),
];

#[test]
fn arrays_and_counters_are_own_only_where_nothing_reads_them_later() {
    if !can_run("own arrays of Fortran") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", PROGRAM)]);
    let options = "-O2 -ffp-contract=off in.f90";
    let plain = run(&folder, "gfortran", &format!("{options} -w -o plain"));
    assert!(plain.status.success(), "{}", said(&plain));
    let tiled = dvmfc(&folder, &format!("{options} --dvm-remarks --show -o tiled"));
    let messages = said(&tiled);
    assert!(tiled.status.success(), "{messages}");
    let place = |text: &str| PROGRAM.lines().position(|line| line.trim() == text).expect("a line") + 1;
    for (names, is_own) in [(OWN.as_slice(), true), (SHARED.as_slice(), false)] {
        for name in names {
            let line = place(&format!("!$dvm region name({name})"));
            let shown = std::fs::read_to_string(folder.join(format!("in.{line}.dvm.c")));
            let shown = shown.unwrap_or_else(|e| panic!("{name}: {e}: {messages}"));
            assert_eq!(shown.contains("double t[4];"), is_own, "{name}");
        }
    }
    for (name, statement, reason) in REFUSED {
        let begin = format!("in.f90:{}:1: warning: region '{name}' stays sequential: ", place(statement));
        let is_it = |line: &str| line.starts_with(&begin) && line.contains(reason);
        assert!(messages.lines().any(is_it), "{name}: {messages}");
    }
    let (expected, _) = printed(&folder, "plain", "1", "1");
    for (tile, workers) in [("1", "2"), ("3,5", "1"), ("7", "5")] {
        let (found, _) = printed(&folder, "tiled", tile, workers);
        assert!(found == expected, "tiles of {tile} and {workers} workers differ");
    }
}

/// Small local arrays that regions only read: what is computed before the loops needs their values.
const READ: &str = "\
subroutine s(a, n)
  implicit none
  integer :: n, i, j, ends(5), begins(3)
  real(8) :: a(20,n)
  ends = 7
  begins = 2
  !$dvm region
  do j = 1, n
    do i = begins(2), ends(3)
      a(i,j) = a(i,j) + 1
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, min(ends(3), 8)
      a(i,j) = a(i,j) + 1
    end do
  end do
  !$dvm region
  do i = 1, ends(3)
    a(i,2) = a(i,2) + 1
  end do
  !$dvm region
  do i = 1, 7
    a(i + ends(2),3) = a(i,3) + 1
  end do
end subroutine
program main
  implicit none
  real(8) :: a(20,20)
  a = 0
  call s(a, 20)
  print '(20f4.1)', a
end program
";

#[test]
fn arrays_that_only_the_entry_reads_are_shared() {
    if !can_run("arrays that the entry reads") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", READ)]);
    let messages = compiled(&folder, "--dvm-remarks");
    assert!(messages.matches("is tiled").count() >= 3, "{messages}");
    assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "1", "1").0);
}

/// Small local arrays in loops that are said to be independent. `w` is each iteration's own where that is seen, also beside
/// `v`, of which data choose the element that is read.
const INDEPENDENT: &str = "\
subroutine s(a, n)
  implicit none
  integer :: n, i, q, a(n), w(3), v(3), only(3)
  only = [1, 5, 2]
  !$dvm region name(seen) independent
  do i = 1, n
    w(1) = i; w(2) = i*2; w(3) = i*3
    do q = 1, 500
      a(i) = mod(a(i)*7 + q, 1001)
    end do
    a(i) = a(i) + w(1)*w(2) + w(3) + only(mod(i,3)+1)
  end do
  !$dvm region name(unseen) independent
  do i = 1, n
    w(1) = i; w(2) = i*2; w(3) = i*3
    do q = 1, 500
      a(i) = mod(a(i)*7 + q, 1001)
    end do
    v(1) = i; v(2) = 1; v(3) = 2
    a(i) = a(i) + w(1)*w(2) + w(3) + v(mod(i,3)+1)
  end do
  !$dvm region name(told) independent private(v)
  do i = 1, n
    w(1) = i; w(2) = i*2; w(3) = i*3
    do q = 1, 500
      a(i) = mod(a(i)*7 + q, 1001)
    end do
    v(1) = i; v(2) = 1; v(3) = 2
    a(i) = a(i) + w(1)*w(2) + w(3) + v(mod(i,3)+1)
  end do
end subroutine
program main
  implicit none
  integer :: a(400)
  a = 0
  call s(a, 400)
  print '(10i8)', a
end program
";

#[test]
fn iterations_of_independent_loops_share_no_array_that_they_write() {
    if !can_run("own arrays of independent loops") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", INDEPENDENT)]);
    let messages = compiled(&folder, "--dvm-remarks");
    for name in ["seen", "told"] {
        assert!(messages.contains(&format!("region '{name}' is tiled")), "{messages}");
    }
    let refused = "region 'unseen' stays sequential: the iterations of an independent loop all write `v`";
    assert!(messages.contains(refused) && messages.contains("note: write `private(v)`"), "{messages}");
    let expected = printed(&folder, "plain", "1", "1").0;
    for workers in ["2", "4"] {
        assert_eq!(printed(&folder, "tiled", "1", workers).0, expected);
    }
}
