subroutine kernel(n, m, lo, hi, a, b)
  implicit none
  integer, intent(in) :: n, m
  integer(8), intent(in) :: lo, hi
  real(8), intent(inout) :: a(n,n), b(0:n-1,n)
  real(8) :: c(0:4*n)
  integer :: i, j
  integer(8) :: k
  !$dvm region
  do j = 2, n, 2
    do i = 1, n, 3
      a(i,j) = a(i,j-1)*2 + i
    end do
  end do
  !$dvm region
  do j = n, 1, -3
    do i = n - 1, 0, -2
      b(i,j) = b(i,j) + a(i+1,j)
    end do
  end do
  ! A step of the run: of either sign.
  !$dvm region
  do j = 1, n, m
    do i = 1, n
      a(i,j) = a(i,j) - b(i-1,j)*j
    end do
  end do
  !$dvm region
  do k = lo, hi, 4
    do i = 2, n, 2
      b(i-1,k) = b(i-2,k) + k
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = j, n, 2
      a(i,j) = a(i,j) + 1
    end do
  end do
  ! Products with a number of the run.
  c = 0
  j = abs(m)
  !$dvm region
  do i = 1, n
    c(i*j) = c(i*j) + a(i,1)
  end do
  a(1,1) = sum(c)
end subroutine

program main
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 31]
  integer :: one
  do one = 1, 6
    call run(sizes(one), 1)
    call run(sizes(one), -2)
  end do
contains
  subroutine run(n, m)
    integer, intent(in) :: n, m
    real(8) :: a(n,n), b(n,n)
    integer :: x, y
    do y = 1, n
      do x = 1, n
        a(x,y) = 1.0d0/(x + 2*y)
        b(x,y) = x*0.25d0 - y*0.125d0
      end do
    end do
    call kernel(n, m, int(1, 8), int(n, 8), a, b)
    print '(4z17.16)', a, b
  end subroutine
end program
