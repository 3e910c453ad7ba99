subroutine kernel(n, a, b, k)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(n,n)
  integer, intent(in) :: k(n)
  integer :: i, j
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (a(i,j) < 0.2d0) cycle
      a(i,j) = sqrt(a(i,j))
      if (i == j) cycle
      b(i,j) = b(i,j) + a(i,j)
    end do
  end do
  !$dvm region
  do j = 1, n
    if (mod(j, 3) == 0) cycle
    do i = 1, n
      b(i,j) = b(i,j)*2
    end do
  end do
  ! Elements that data choose.
  !$dvm region
  do j = 1, n
    do i = 1, n
      a(i,j) = a(i,j) + b(k(i),j)*b(i,k(j))
    end do
  end do
end subroutine

subroutine together(n, a, b)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n), b(n,n)
  integer :: i, j
  i = 77
  !$dvm region
  do concurrent (j = 1:n, i = 1:n)
    a(i,j) = a(i,j) + b(i,j)
  end do
  print '(i0)', i
  !$dvm region
  do concurrent (j = 2:n:2, i = 1:n, i /= j)
    b(i,j) = b(i,j-1)*0.5d0
  end do
  !$dvm region
  do j = 1, n
    do concurrent (i = 1:n)
      a(i,j) = a(i,j) - b(i,j)
    end do
    do i = 2, n
      a(i,j) = a(i,j) + a(i-1,j)
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: a(n,n), b(n,n)
    integer :: x, y, k(n)
    do y = 1, n
      k(y) = 1 + mod(5*y + 2, n)
      do x = 1, n
        a(x,y) = 1.0d0/(x + 2*y)
        b(x,y) = x*0.25d0 - y*0.125d0
      end do
    end do
    call kernel(n, a, b, k)
    call together(n, a, b)
    print '(4z17.16)', a, b
  end subroutine
end program
