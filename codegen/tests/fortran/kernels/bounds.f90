subroutine kernel(n, a, b, c)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(n,n), c(n,n)
  integer :: i, j, k
  !$dvm region
  do j = 1, n
    do i = max(1, j - 3), min(n, j + 4)
      do k = i, min(i + 2, n)
        c(i,j) = c(i,j) + a(k,j)*2.5
      end do
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
