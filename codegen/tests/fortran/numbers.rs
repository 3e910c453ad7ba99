//! Functions that gfortran may evaluate for vectors: taken where the mark allows it.

use super::{can_run, compiled, dvmfc, printed, run, said};

const TEXT: &str = "module laws
  implicit none
contains
  real(8) function damped(x)
    real(8), intent(in) :: x
    damped = exp(-x)*dcos(x)
  end function
end module
subroutine kernel(n, a, b)
  use laws
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n)
  real(4), intent(inout) :: b(n,n)
  integer :: i, j
!$dvm regionCLAUSE
  do j = 1, n
    do i = 1, n
      a(i,j) = exp(a(i,j)) + log(a(i,j) + 2) - sin(a(i,j))*tan(a(i,j)) + atan2(a(i,j), 0.5d0) + damped(a(i,j))
      b(i,j) = tanh(b(i,j)) + acos(b(i,j)*0.1) + sinh(b(i,j)) - log10(b(i,j) + 3) + hypot(b(i,j), 2.0)
      a(i,j) = a(i,j) + abs(a(i,j))**1.4d0 + 2**b(i,j) + abs(b(i,j))**(1.0/3) + abs(a(i,j))**0.5d0 + a(i,j)**2d0
    end do
  end do
end subroutine
program main
  implicit none
  real(8) :: a(23,23)
  real(4) :: b(23,23)
  integer :: i
  a = reshape([(i*0.003d0, i = 1, 529)], [23, 23])
  b = real(a, 4)
  call kernel(23, a, b)
  print '(4z17.16)', a
  print '(4z9.8)', b
end program
";

const ALL: &str = " pure(exp, dcos, log, sin, tan, atan2, tanh, acos, sinh, log10, hypot, pow)";

#[test]
fn functions_for_vectors_need_a_word() {
    if !can_run("functions for vectors") {
        return;
    }
    let without = TEXT.replace("CLAUSE", &ALL.replace("exp, ", ""));
    let folder = testkit::scratch(&[("in.f90", &TEXT.replace("CLAUSE", ALL)), ("without.f90", &without)]);
    // Without vectors, the functions are the library's in both.
    let options = "-O1 -ffp-contract=off -fno-tree-vectorize";
    let plain = run(&folder, "gfortran", &format!("{options} -w in.f90 -o plain"));
    assert!(plain.status.success(), "{}", said(&plain));
    let tiled = dvmfc(&folder, &format!("{options} --dvm-strict in.f90 -o tiled"));
    assert!(tiled.status.success(), "{}", said(&tiled));
    let (expected, _) = printed(&folder, "plain", "1", "1");
    for (tile, workers) in [("1", "2"), ("3,5", "1"), ("7", "5")] {
        let (found, messages) = printed(&folder, "tiled", tile, workers);
        assert!(found == expected && !messages.contains("sequentially"), "tiles of {tile}: {messages}");
    }
    let refused = dvmfc(&folder, &format!("{options} -c without.f90"));
    let parts = ["without.f90:19:1: warning: region", "`exp`: compilers evaluate it", "write `pure(exp)` in the mark"];
    assert!(parts.iter().all(|part| said(&refused).contains(part)), "{}", said(&refused));
    let power = TEXT.replace("CLAUSE", &ALL.replace(", pow", ""));
    folder.write("power.f90", &power);
    let refused = dvmfc(&folder, &format!("{options} -c power.f90"));
    let parts = ["power.f90:21:1: warning: region", "a power with a real exponent", "write `pure(pow)` in the mark"];
    assert!(parts.iter().all(|part| said(&refused).contains(part)), "{}", said(&refused));
    let unused = TEXT.replace("CLAUSE", &ALL.replace("hypot", "hypot, cosh"));
    folder.write("unused.f90", &unused);
    let refused = dvmfc(&folder, &format!("{options} -c unused.f90"));
    assert!(said(&refused).contains("`pure(cosh)`: the region calls no function `cosh`"), "{}", said(&refused));
}

/// Arrays whose bounds need `integer(8)`.
const FAR: &str = "\
module far
contains
subroutine shape(d, l, n)
  integer(8) :: l, i, n
  integer :: d(l:l + n - 1)
  !$dvm region
  do i = l, l + n - 1
    d(i) = d(i) + int(i - l)
  end do
end subroutine
subroutine assumed(d, l)
  integer(8) :: l, i
  integer :: d(l:)
  !$dvm region
  do i = lbound(d, 1, 8), ubound(d, 1, 8)
    d(i) = d(i)*2 + int(i - l)
  end do
end subroutine
end module
program main
  use far
  integer, target :: c(50)
  integer, pointer :: p(:)
  integer, allocatable :: d(:,:)
  integer(8) :: j, k
  c = [(i, i = 1, 50)]
  call shape(c, 3000000000_8, 50_8)
  call assumed(c, -3000000000_8)
  p(5000000000_8:) => c(3:)
  !$dvm region
  do j = 5000000000_8, 5000000040_8
    p(j) = p(j) + int(j - 5000000000_8)
  end do
  allocate (d(4000000001_8:4000000006_8, -4000000003_8:-4000000001_8))
  !$dvm region
  do k = -4000000003_8, -4000000001_8
    do j = 4000000001_8, 4000000006_8
      d(j, k) = int(j + k)
    end do
  end do
  print '(10i6)', c, d
end program
";

#[test]
fn bounds_may_be_beyond_integers_of_four_bytes() {
    if !can_run("far bounds") {
        return;
    }
    let folder = testkit::scratch(&[("in.f90", FAR)]);
    compiled(&folder, "--dvm-strict");
    assert_eq!(printed(&folder, "tiled", "3", "2").0, printed(&folder, "plain", "1", "1").0);
}
