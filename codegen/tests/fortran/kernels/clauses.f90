! Sums are exact, so that their order does not show.
module scratch
  implicit none
  real(8) :: shared_s
  integer :: total
  real(8) :: common_s
  common /sums/ common_s
end module

subroutine kernel(n, a, b, k, sum, most)
  use scratch
  implicit none
  integer, intent(in) :: n, k(n)
  real(8), intent(inout) :: a(n,n), b(n,n), sum, most
  integer :: i, j, least
  real(8) :: product
  real(4) :: double
  ! A dummy, a variable of a module, and a name that C keeps.
  double = 0.5
  least = 1000
  product = 1
  !$dvm region reduction(+:sum, total) reduction(+:double)
  do j = 1, n
    do i = 1, n
      sum = sum + a(i,j)*0.5d0
      total = k(i) + total
      double = double - 0.25
    end do
  end do
  !$dvm region reduction(max : most), reduction(min:least) reduction(*:product) name(extremes)
  do i = 1, n
    if (b(i,1) > most) most = b(i,1)
    most = max(most, a(i,1)*0.25d0, abs(b(i,1) - a(1,i)*0.125d0)*0.5d0 + a(i,1)*0.0625d0 - 1.5d0, b(1,i) - 4)
    least = min(least, k(i), n + 3 - 2*k(i), 40 - i)
    product = product*(-1.0d0)
  end do
  !$dvm region private(shared_s, common_s) tile(2,auto)
  do j = 1, n
    do i = 1, n
      shared_s = a(i,j) + 1
      common_s = shared_s*2
      b(i,j) = b(i,j) + common_s
    end do
  end do
  shared_s = 0
  common_s = 1
  ! k is a permutation.
  !$dvm region independent(j)
  do j = 1, n
    do i = 1, n
      a(i,k(j)) = b(i,j) - double
    end do
  end do
  !$dvm region independent
  do i = 1, n
    b(k(i),1) = a(i,1)*2 + mod(k(n + 1 - i), 3)
  end do
  b(1,1) = b(1,1) + product + least
end subroutine

program main
  use scratch
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: a(n,n), b(n,n), sum, most
    integer :: k(n), x, y
    do y = 1, n
      k(y) = n + 1 - y
      do x = 1, n
        a(x,y) = mod(x*5 + y, 17)
        b(x,y) = mod(3*x + 7*y, 11)*0.25d0
      end do
    end do
    sum = 3
    most = 0.5d0
    total = -4
    call kernel(n, a, b, k, sum, most)
    print '(4z17.16)', a, b, sum, most
    print *, total, shared_s, common_s
  end subroutine
end program
