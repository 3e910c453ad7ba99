! Whole numbers that the region computes: positions, and numbers that grow from iteration to iteration.
module counted
  implicit none
  integer :: seen
end module

subroutine kernel(n, a, b, c, idx)
  use counted
  implicit none
  integer, intent(in) :: n, idx(n)
  real(8), intent(inout) :: a(2*n + 2), b(n), c(2*n,n)
  integer :: i, j, k, ip, l, first, factor
  integer(8) :: down
  real(8) :: s
  k = 0
  !$dvm region
  do i = 1, n
    k = k + 1
    a(k) = b(i)
  end do
  b(1) = b(1) + k
  !$dvm region
  do i = 2, n - 1
    ip = i + 1
    a(ip) = a(ip) + b(i - 1)*ip
  end do
  !$dvm region
  do j = 1, n
    l = 0
    do i = 1, n
      l = l + 2
      c(l,j) = b(i) + 1
      c(l - 1,j) = b(i)*2
    end do
  end do
  !$dvm region
  do i = 1, n
    seen = seen + 1
    c(seen - 3,1) = b(i)
  end do
  !$dvm region
  do i = 1, n
    first = i + 1
    do j = first, n
      c(i,j) = b(i)
    end do
  end do
  down = n + 1
  !$dvm region
  do i = 1, n
    down = down - 1
    b(down) = a(i)*0.5d0
  end do
  !$dvm region
  do i = 1, n
    factor = idx(i)
    do j = 1, n
      c(j,i) = c(j,i) + b(j)*factor
    end do
  end do
  ! A number of each iteration that an inner loop adds to.
  !$dvm region
  do j = 1, n
    s = 0
    do i = 1, n
      s = s + c(i,j)*b(i)
    end do
    a(j) = s
  end do
end subroutine

program main
  use counted
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: a(2*n + 2), b(n), c(2*n,n)
    integer :: idx(n), x, y
    a = 0.25d0
    do y = 1, n
      idx(y) = mod(y*5, 7)
      b(y) = mod(y*3, 11)*0.1d0
      do x = 1, 2*n
        c(x,y) = 1.0d0/(x + 2*y)
      end do
    end do
    seen = 3
    call kernel(n, a, b, c, idx)
    print '(4z17.16)', a, b, c
    print *, seen
  end subroutine
end program
