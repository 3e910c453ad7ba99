module state
  implicit none
  type field
    real(8), allocatable :: u(:,:)
    real(8) :: edge(0:50)
  end type
end module

subroutine kernel(n, a, b, c, h, single)
  use state
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(0:n,*), c(:,:)
  type(field), intent(inout) :: h
  real(4), intent(inout) :: single(-2:n-3)
  integer :: i, j
  !$dvm region
  do j = 1, n
    a(:, j) = b(1:n, j)*0.5d0 + h%edge(1:n)
    a(1:n-1, j) = a(2:n, j)
    if (j > 3) a(2:n, j) = a(1:n-1, j)
    b(0:n, j) = sqrt(abs(b(0:n, j))) - 0.25d0
  end do
  !$dvm region
  do j = 2, n
    c(:, j) = c(:, j - 1) + a(n:1:-1, j)
    h%u(:, j) = -c(:, j)
  end do
  !$dvm region
  do j = 1, n
    where (a(:, j) > b(1:n, j))
      a(:, j) = a(:, j)*2
      c(:, j) = a(:, j)
    elsewhere (a(:, j) < -0.5d0 .or. .not. h%u(:, j) >= 0.1d0)
      a(:, j) = (a(:, j) + 1)*j
    elsewhere
      c(1:n, j) = 7
    end where
    where (h%u(:, j) < 0) h%u(:, j) = 0
  end do
  !$dvm region
  do i = 1, 3
    a = a*0.5d0 + i
    h%u(:,:) = a(:,:) - (c - a)
    single = single + 0.5
  end do
end subroutine

program main
  use state
  implicit none
  interface
    subroutine kernel(n, a, b, c, h, single)
      use state
      integer, intent(in) :: n
      real(8), intent(inout) :: a(n,n), b(0:n,*), c(:,:)
      type(field), intent(inout) :: h
      real(4), intent(inout) :: single(-2:n-3)
    end subroutine
  end interface
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: a(n,n), b(0:n,n), c(n,n)
    real(4) :: single(n)
    type(field) :: h
    integer :: x, y
    allocate(h%u(n,n))
    do y = 1, n
      do x = 1, n
        a(x,y) = 1.0d0/(x + 2*y)
        b(x,y) = x*0.25d0 - y*0.125d0
        c(x,y) = mod(3*x + 7*y, 11)*0.1d0
        h%u(x,y) = x - y
      end do
      b(0,y) = y
      single(y) = y*0.1
    end do
    h%edge = [(mod(x, 7)*0.3d0, x = 0, 50)]
    call kernel(n, a, b, c, h, single)
    print '(4z17.16)', a, b, c, h%u
    print '(4z9.8)', single
  end subroutine
end program
