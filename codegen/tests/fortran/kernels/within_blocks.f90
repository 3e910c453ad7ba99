! Variables of `block ... end block`: counters, scalars and arrays, beside others of the same names.
module held
  implicit none
  integer :: shared = 3
  real(8) :: t(40) = 7
contains
  subroutine plain(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n), b(n)
    integer :: k
    block
      integer :: i, j
      real(8) :: r
      !$dvm region
      do j = 2, n
        do i = 1, n
          r = a(i,j-1)*0.5d0
          a(i,j) = a(i,j) + r*r
        end do
      end do
    end block
    block
      integer(8) :: i
      real(8) :: t(5), w(n), p(2:n)
      real(8), allocatable :: g(:)
      real(8), parameter :: half = 0.5d0
      allocate (g(n))
      g = 2
      w = 3
      p = 4
      !$dvm region
      do i = 1, n
        do k = 1, 5
          t(k) = b(i)*k + half
        end do
        b(i) = t(1)*t(5) + w(i) + g(i)*p(2)
        w(i) = b(i)
      end do
      b(1) = w(n) + b(1)
    end block
    t(1) = b(1)
  end subroutine
  ! The same names mean others around, and in a block before.
  subroutine nested(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    integer :: i, j, shared
    i = 5
    shared = 9
    block
      real(8) :: j
      j = 2.5d0
      b(1) = j
    end block
    outer: block
      integer :: j, shared
      real(8), save :: kept = 1.5d0
      shared = 2
      do j = 1, 3
        inner: block
          integer :: i, m
          real(8) :: x(n)
          x = shared*j
          m = j + shared
          !$dvm region
          do i = 2, n
            x(i) = b(i-1) + shared + m
          end do
          !$dvm region
          do i = 2, n
            b(i) = x(i)*0.5d0 + kept
          end do
        end block inner
      end do
      kept = b(2)
    end block outer
    !$dvm region
    do j = 2, n
      b(j) = b(j) + shared + i
    end do
    b(2) = b(2) + i
  end subroutine
  ! `associate` in a block, and a block in it.
  subroutine named(n, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: b(n)
    associate (c => b)
      block
        integer :: i
        !$dvm region
        do i = 1, n
          c(i) = c(i) + 1
        end do
      end block
    end associate
  end subroutine
end module

program main
  use held
  implicit none
  integer, parameter :: n = 37
  real(8) :: a(n,n), b(n)
  integer :: i
  a = reshape([(mod(i*7, 31)*0.11d0, i = 1, n*n)], [n, n])
  b = a(:,3)
  call plain(n, a, b)
  call nested(n, b)
  call nested(n, b)
  call named(n, b)
  block
    real(8) :: total(n)
    integer :: j
    !$dvm region
    do j = 1, n
      total(j) = b(j)*2
      do i = 1, n
        total(j) = total(j) + a(i,j)
      end do
    end do
    print '(z17.16)', total
  end block
  print '(4z17.16)', a, b, t(:3)
end program
