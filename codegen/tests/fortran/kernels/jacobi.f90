subroutine kernel(n, a, b, c)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(n,n), c(n,n)
  integer :: i, j, t
  !$dvm region name(jacobi)
  do t = 1, 6
    do j = 2, n - 1
      do i = 2, n - 1
        b(i,j) = 0.2d0*(a(i,j) + a(i-1,j) + a(i+1,j) + a(i,j-1) + a(i,j+1))
      end do
    end do
    do j = 2, n - 1
      do i = 2, n - 1
        a(i,j) = b(i,j)
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
