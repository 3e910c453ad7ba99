module tests
  implicit none
  logical, parameter :: debug = .false.
  logical :: of_module = .true.
contains
  logical function is_large(x)
    real(8), intent(in) :: x
    is_large = x > 0.2d0
  end function
  subroutine moved(x, is_small)
    real(8), intent(inout) :: x
    logical, intent(in) :: is_small
    logical :: high
    high = x > 0.3d0
    if (is_small .and. .not. high) then
      x = x + 1
    else
      x = x - 0.5d0
    end if
  end subroutine
end module

subroutine kernel(n, l, m, a, b)
  use tests
  implicit none
  integer, intent(in) :: n
  logical, intent(in) :: l
  logical(1), intent(in) :: m
  real(8), intent(inout) :: a(n,n), b(n,n)
  integer :: i, j
  logical :: low, far
  logical, parameter :: own = .false.
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (debug) then
        a(i,j) = 0
      end if
      if (.true.) a(i,j) = a(i,j) + 1
      if (.false.) a(i,j) = 7
      if (own .and. i > 1) a(i,j) = 8
    end do
  end do
  !$dvm region pure(is_large)
  do j = 1, n
    do i = 1, n
      if (is_large(b(i,j))) then
        b(i,j) = b(i,j)*3
      end if
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (is_large(b(i,j)) .and. i > 2) b(i,j) = b(i,j) - 5
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (l) then
        a(i,j) = a(i,j)*2
      else if (.not. m .or. of_module) then
        a(i,j) = b(i,j)
      end if
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      low = a(i,j) < b(i,j)
      far = l .and. i > j
      if (low .and. .not. far) then
        a(i,j) = a(i,j) + b(i,j)
      else
        b(i,j) = b(i,j) + a(i,j)
      end if
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      low = a(i,j) < 0
      call moved(a(i,j), i > 3)
      call moved(b(i,j), low)
      call moved(b(i,j), l)
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one), mod(one, 2) == 0, int(one) > 3)
  end do
contains
  subroutine run(n, l, m)
    integer, intent(in) :: n
    logical, intent(in) :: l, m
    real(8) :: a(n,n), b(n,n)
    integer :: x, y
    do y = 1, n
      do x = 1, n
        a(x,y) = 1.0d0/(x + 2*y)
        b(x,y) = x*0.25d0 - y*0.125d0
      end do
    end do
    call kernel(n, l, logical(m, 1), a, b)
    print '(4z17.16)', a, b
  end subroutine
end program
