! Named constants that are arrays: elements that flang puts into its text, and elements that a loop chooses.
module constant_arrays_of
  implicit none
  integer, private :: q
  real(8), parameter :: weights(3) = [0.1d0, 0.25d0, 1d0/3d0], fixed(2) = [0.7d0, -1.5d-3]
  real(8), parameter :: square(0:1,-1:1) = reshape([1d0, 2d0, 0.3d0, 4d0, 5d0, -0.5d0], [2, 3])
  real(4), parameter :: same(2) = 0.1
  integer, parameter :: offsets(0:3) = [1, -1, 0, 0]
  real(8), parameter :: many(120) = [(q*0.1d0, q = 1, 120)]
  integer, parameter :: counts(300) = [(q*q, q = 1, 300)]
contains
  pure real(8) function weighed(x)
    real(8), intent(in) :: x
    weighed = x*fixed(1) + fixed(2)
  end function
  subroutine add(x, k)
    real(8), intent(inout) :: x
    integer, intent(in) :: k
    x = x + weights(k)*square(1,0) + same(2)
  end subroutine
  subroutine in_module(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i, k
    real(8) :: s
    real(8), parameter :: own(-1:1) = [0.3d0, 0.4d0, 0.3d0]
    !$dvm region
    do i = 2, n - 1
      s = own(0)
      do k = -1, 1
        s = s + own(k)*b(i + k)**2 + own(k)**3 + square(mod(i, 2), k)
      end do
      a(i) = a(i) + s*fixed(1)**2
    end do
    !$dvm region
    do i = 1, n
      do k = 1, 3
        call add(a(i), k)
      end do
    end do
    !$dvm region
    do i = 1, n
      a(i) = a(i) + many(i) + counts(2*i)*0.001d0 + counts(7)
    end do
  end subroutine
end module

subroutine kernel(n, a, b)
  use constant_arrays_of
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n), b(n)
  integer :: i
  !$dvm region
  do i = 1, n
    a(i) = a(i)*fixed(1) + weighed(b(i)) + size(weights)
  end do
  call in_module(n, a, b)
  call inner(0.5d0)
contains
  subroutine inner(x)
    real(8), intent(in) :: x
    real(8), parameter :: local(2) = [1.25d0, 0.3d0]
    integer :: i
    !$dvm region
    do i = 3, n - 2
      b(i) = a(i + offsets(mod(i, 4)))*x + local(1 + mod(i, 2)) + a(i + offsets(1))
    end do
  end subroutine
end subroutine

program main
  implicit none
  integer, parameter :: sizes(5) = [1, 2, 7, 16, 31]
  real(8) :: a(31), b(31)
  integer :: i, size
  do size = 1, 5
    do i = 1, 31
      a(i) = i*0.7d0
      b(i) = 1d0/i
    end do
    call kernel(sizes(size), a, b)
    do i = 1, 31
      print '(2z17.16)', a(i), b(i)
    end do
  end do
end program
