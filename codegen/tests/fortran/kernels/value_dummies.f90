! Dummies with the attribute `value`: bounds, steps, factors and conditions of regions.
module parts
contains
  subroutine scaled(n, a, s, from, big)
    integer, value :: n, from
    real(8) :: a(n)
    real(8), value :: s
    logical, value :: big
    integer :: i
!$dvm region
    do i = from, n
      if (big) then
        a(i) = a(i)*s + n
      else
        a(i) = s - a(i)
      end if
    end do
  end subroutine
  ! The copy changes before the region, and after it.
  real(8) function shifted(n, a, z) result(total)
    integer, value :: n
    real(8), intent(inout) :: a(:, :)
    complex(8), value :: z
    integer :: i, j
    n = n - 1
    z = z*(2.0d0, 1.0d0)
!$dvm region
    do j = 1, n
      do i = 2, n
        a(i, j) = a(i - 1, j) + real(z)*i + aimag(z)
      end do
    end do
    n = n + 5
    total = a(n - 5, 3) + n
  end function
end module
program main
  use parts
  implicit none
  real(8) :: a(150), b(40, 40)
  integer :: i, m
  m = 150
  a = [(0.25d0*i, i = 1, 150)]
  call scaled(m, a, 1.5d0, 3, .true.)
  call scaled(m - 20, a, -0.5d0, 7, .false.)
  b = 1
  print *, m, shifted(37, b, (0.5d0, 0.25d0))
  do i = 1, 150
    print *, a(i)
  end do
  do i = 1, 40
    print *, b(i, :)
  end do
end program
