subroutine kernel(n, a, b, c)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(n,n), c(n,n)
  integer :: i, j
  real(8) :: w(-2:n+1,0:n), fixed(-3:60)
  !$dvm region
  do j = 1, n
    fixed(j-4) = j
    do i = 1, n
      w(i-3,j) = a(i,j) + 1
      w(i,0) = 0
    end do
  end do
  !$dvm end region
  !$dvm region
  do j = 1, n
    do i = 1, n
      c(i,j) = w(i-3,j)*fixed(j-4)
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: a(n,n), b(n,n), c(n,n)
    integer :: x, y
    do y = 1, n
      do x = 1, n
        a(x,y) = 1.0d0/(x + 2*y) + merge(n, 0, x == y)
        b(x,y) = x*0.25d0 - y*0.125d0
        c(x,y) = mod(3*x + 7*y, 11)*0.1d0
      end do
    end do
    call kernel(n, a, b, c)
    print '(4z17.16)', a, b, c
  end subroutine
end program
