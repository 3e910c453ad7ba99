! Kinds that options change: of `real`, of `double precision`, of constants, and of functions that give one of the two.
module default_kinds_of
  implicit none
  real, parameter :: third = 1./3.
  real :: step = 0.1
  type points
    real :: x(31)
    real(4) :: narrow(31)
    real(8) :: wide(31)
  end type
contains
  elemental real function curve(x)
    real, intent(in) :: x
    curve = x*0.7 + third
  end function
end module

subroutine kernel(n, a, b, c, d, p)
  use default_kinds_of
  implicit none
  integer, intent(in) :: n
  real, intent(inout) :: a(n,n), b(0:n+1,n)
  real(4), intent(inout) :: c(n,n)
  real*8, intent(inout) :: d(n,n)
  type(points), intent(inout) :: p
  integer :: i, j
  real :: s
  s = 0.25
  !$dvm region
  do j = 1, n
    do i = 1, n
      a(i,j) = curve(b(i,j)) + float(i)*0.1 + real(j)/7 + step*s
      b(i,j) = amax1(a(i,j), 0.2, sign(a(i,j), -0.9)) + abs(s - 0.4)
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      d(i,j) = d(i,j)*0.1 + c(i,j)*0.1_4 + 1.1_8
      c(i,j) = real(d(i,j), 4) + 0.1_4
    end do
  end do
  !$dvm region
  do i = 1, n
    p%x(i) = p%x(i) + 0.1
    p%narrow(i) = p%narrow(i)*0.1_4
    p%wide(i) = p%wide(i)*0.1_8
  end do
  !$dvm region reduction(+:s)
  do i = 1, n
    s = s + i*0.5
  end do
  a(1,1) = s
end subroutine

program main
  use default_kinds_of
  implicit none
  integer :: n, i, j, size
  real, allocatable :: a(:,:), b(:,:)
  real(4), allocatable :: c(:,:)
  real*8, allocatable :: d(:,:)
  type(points) :: p
  integer, parameter :: sizes(5) = [1, 2, 7, 16, 31]
  do size = 1, 5
    n = sizes(size)
    allocate(a(n,n), b(0:n+1,n), c(n,n), d(n,n))
    do j = 1, n
      p%x(j) = j*0.3
      p%narrow(j) = j*0.3_4
      p%wide(j) = j*0.3_8
      do i = 0, n + 1
        b(i,j) = i*0.1 - j*0.7
      end do
      do i = 1, n
        a(i,j) = i*0.1 + j
        c(i,j) = i*0.1_4 + j
        d(i,j) = i*0.1_8 + j
      end do
    end do
    call kernel(n, a, b, c, d, p)
    print '(2z17)', (real(a(i,1), 8), real(b(i,1), 8), c(i,1), d(1,i), i = 1, n)
    print *, sum(a), sum(b), sum(c), sum(d), sum(p%x(:n)), sum(p%narrow(:n)), sum(p%wide(:n))
    deallocate(a, b, c, d)
  end do
end program
