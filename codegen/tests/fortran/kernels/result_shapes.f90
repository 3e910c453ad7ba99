! Functions whose results have shapes of their arguments, called beside regions: flang computes the shapes with the dummies,
! which have names of the caller's variables.
module shapes
contains
  function ramp(n, k) result(r)
    integer, intent(in) :: n, k
    real(8) :: r(n + k)
    integer :: i
    !$dvm region
    do i = 1, n + k
      r(i) = i*0.5d0 + k
    end do
  end function
end module
program main
  use shapes
  implicit none
  integer :: n, i, j, k
  real(8) :: b(60,20)
  n = 55
  k = 4
  b = 0
  print '(8z17.16)', ramp(n, k)
  !$dvm region
  do j = 1, 20
    do i = 1, n
      b(i,j) = b(i,j) + i*k - j
    end do
  end do
  print '(8z17.16)', inner(k, n)
  !$dvm region
  do j = 2, 20
    do i = 1, n
      b(i,j) = b(i,j) + i*k
    end do
  end do
  print '(8z17.16)', b, rest(3), rest(4)
contains
  function inner(n, b)
    integer, intent(in) :: n, b
    real(8) :: inner(n*b)
    inner = n - b*0.25d0
  end function
  function rest(k)
    integer, intent(in) :: k
    real(8) :: rest(k)
    integer :: i
    !$dvm region
    do i = 1, k
      rest(i) = k + n*0.125d0 + i
    end do
  end function
end program
