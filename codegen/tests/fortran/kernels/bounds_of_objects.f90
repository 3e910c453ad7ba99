! Bounds of outermost loops that are components: with a reduction, beside other loops, and changed by the loops themselves.
module grids
  type grid
    integer :: n = 0
    integer :: m = 0
    real(8), allocatable :: u(:,:)
  end type
contains
  subroutine sums(g, s, most)
    type(grid), intent(in) :: g(:)
    real(8), intent(inout) :: s, most
    integer :: i, j
    !$dvm region reduction(+:s)
    do j = 1, g(2)%m
      do i = 1, g(2)%n
        s = s + g(2)%u(i,j)*0.5d0
      end do
    end do
    !$dvm region reduction(max:most)
    do j = 1, g(1)%m
      most = max(most, g(1)%u(2,j))
    end do
  end subroutine
  subroutine step(g, a, k)
    type(grid), intent(inout) :: g
    integer, intent(inout) :: k(:)
    real(8), intent(inout) :: a(:,:)
    integer :: i, j
    !$dvm region
    do j = 2, g%m
      do i = 1, g%n
        a(i,j) = a(i,j) + g%u(i,j-1)
      end do
    end do
    do j = 1, g%m
      g%u(1,j) = a(1,j)
    end do
    !$dvm end region
    !$dvm region
    do j = 1, k(3)
      k(j) = k(j) + 2
    end do
  end subroutine
end module
program main
  use grids
  implicit none
  type(grid) :: g(2)
  real(8) :: s, most, a(30,30)
  integer :: i, j, round, k(12)
  s = 0; most = -1
  k = [(i, i = 2, 13)]
  do i = 1, 2
    g(i)%n = 20 + i
    g(i)%m = 25 - i
    allocate(g(i)%u(g(i)%n, g(i)%m))
    g(i)%u = reshape([(mod(j*7, 31)*0.25d0, j = 1, size(g(i)%u))], shape(g(i)%u))
  end do
  a = 1
  do round = 1, 3
    call sums(g, s, most)
    call step(g(1), a, k)
    print '(2z17.16)', s, most
  end do
  print '(8z17.16)', a, g(1)%u
  print '(6i6)', k
end program
