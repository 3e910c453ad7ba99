subroutine kernel(n, a, b, c)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(n,n), c(n,n)
  integer :: i, j
  real(8) :: s, r
  real(8), parameter :: third = 1.0d0/3.0d0
  r = 2
  !$dvm region
  do j = 2, n - 1
    do i = 2, n - 1
      s = a(i-1,j) + (a(i+1,j) + a(i,j-1)) + a(i,j+1)
      if (s > 1.0d0) s = -s
      c(i,j) = third*s + sqrt(abs(s)) - s**2*r
    end do
  end do
  do i = 1, n
    s = 1
    b(i,1) = b(i,1) + s
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
