module laws
  implicit none
contains
  real(8) function cubed(x)
    real(8), intent(in) :: x
    cubed = x**3 + 1
  end function
end module

subroutine kernel(n, m, a, b, k)
  use laws
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(n,n)
  real(4), intent(inout) :: b(n,n)
  integer, intent(inout) :: k(n,n)
  integer :: i, j
  !$dvm region
  do j = 1, n
    do i = 1, n
      a(i,j) = a(i,j)**3 + a(i,j)**(-2) - a(i,j)**5*0.5d0 + a(i,j)**1 + a(i,j)**0 + a(i,j)**(-1)
      b(i,j) = b(i,j)**4 + (b(i,j) + 1)**7
    end do
  end do
  !$dvm region pure(pow)
  do j = 1, n
    do i = 1, n
      a(i,j) = (a(i,j)*1d-3)**(i - j) + (a(i,j)*1d-2)**m + cubed(a(i,j))
      a(i,j) = a(i,j) + floor(a(i,j)*0.1d0) - ceiling(b(i,j)) + aint(a(i,j)*0.3d0) - anint(a(i,j)*0.5d0)
      b(i,j) = b(i,j) + anint(b(i,j)*0.25) + nint(b(i,j)*0.5)
      k(i,j) = abs(k(i,j) - 7) + int(nint(b(i,j)*0.01, 8), 4) + iabs(i - j)*(k(i,j)**2 + (i - j)**3) + abs(-k(i,j))
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 31]
  integer :: one
  do one = 1, 6
    call run(sizes(one), one - 3)
  end do
contains
  subroutine run(n, m)
    integer, intent(in) :: n, m
    real(8) :: a(n,n)
    real(4) :: b(n,n)
    integer :: k(n,n)
    integer :: x, y
    do y = 1, n
      do x = 1, n
        a(x,y) = 1.0d0/(x + 2*y) - 0.3d0
        b(x,y) = x*0.125 - y*0.25
        k(x,y) = mod(7*x + 3*y, 15)
      end do
    end do
    call kernel(n, m, a, b, k)
    print '(4z17.16)', a
    print '(4z9.8)', b
    print '(9i9)', k
  end subroutine
end program
