! Functions of the module and of the procedure: arguments are elements, variables, counters and expressions; they call
! others, have loops and conditions, and constants of the module. Elemental ones take sections.
module laws
  implicit none
  real(8), parameter :: gamma = 7.0d0/5.0d0
  interface larger
    module procedure larger_real, larger_whole
  end interface
contains
  pure real(8) function limited(x, y) result(r)
    real(8), intent(in) :: x, y
    real(8) :: both
    both = x*y
    if (both > 0) then
      r = min(abs(x), abs(y))*gamma
    else if (x < 0) then
      r = larger(x, y)
    else
      r = 0
    end if
  end function

  elemental function square(x)
    real(8), intent(in) :: x
    real(8) :: square
    square = x*x
    return
  end function

  elemental real(8) function larger_real(x, y)
    real(8), intent(in) :: x, y
    larger_real = max(x, y)
  end function

  integer function larger_whole(x, y)
    integer x, y
    larger_whole = y
    if (x > y) larger_whole = x
  end function
end module

subroutine kernel(a, b, k, n)
  use laws
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n, n)
  real(8), intent(in) :: b(n, n)
  integer, intent(inout) :: k(n)
  real(8) :: s
  integer :: i, j
!$dvm region name(points)
  do j = 2, n - 1
    do i = 2, n - 1
      s = limited(b(i,j), b(i,j) - b(i,j+1))
      if (larger(s, 0.5d0) > 0.75d0) s = s*0.5d0
      a(i,j) = square(s) + limited(s, b(i-1,j))*power(i - j, 3)
    end do
  end do
!$dvm end region
!$dvm region name(sections)
  do j = 1, n
    where (larger(a(:,j), b(:,j)) > 0.25d0) a(:,j) = square(a(:,j)*0.5d0) - larger_real(b(:,j), 0.125d0)
    a(2:n,j) = a(2:n,j) + square(b(2:n,j))
    k(j) = larger(k(j), power(j, 2))
  end do
!$dvm end region
contains
  integer function power(x, times)
    integer, intent(in) :: x, times
    integer :: at
    power = 1
    do at = 1, times
      power = mod(power*x, 101)
    end do
  end function
end subroutine

program main
  implicit none
  real(8) :: a(41, 41), b(41, 41)
  integer :: k(41), i, j
  do j = 1, 41
    do i = 1, 41
      a(i,j) = mod(i*7 + j*3, 13)*0.1d0
      b(i,j) = mod(i + j*5, 11)*0.2d0 - 1
    end do
    k(j) = mod(j*j, 17)*10
  end do
  call kernel(a, b, k, 41)
  print '(8z17.16)', a
  print '(8i11)', k
end program
