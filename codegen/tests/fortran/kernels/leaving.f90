! Regions in loops that are left, and counters that such loops have afterwards; constants of more than seven digits.
subroutine kernel(n, a, b, last)
  implicit none
  integer, intent(in) :: n
  integer, intent(out) :: last
  real(8), intent(inout) :: a(n,n), b(n)
  real(8) :: rest, t
  integer :: i, j, turn
  rest = 10
  do turn = 1, 100
    rest = rest*0.5d0
    if (rest < 1) exit
!$dvm region
    do j = 1, n
      do i = 1, n
        a(i,j) = a(i,j)*1.0625d0 + 299792458d0*1d-9
      end do
    end do
  end do
  do i = 1, n
    if (b(i) > 20) exit
    b(i) = 3
  end do
  last = turn + 100*i
!$dvm region
  do i = 1, n
    t = b(i) + 16777217d0
    b(i) = t*0.5d0 + real(16777216.0, 8)
  end do
  i = 0
100 i = i + 1
  if (b(i) > 0 .and. i < n) goto 100
  last = last + 10000*i
end subroutine

program main
  implicit none
  real(8) :: a(43,43), b(43)
  integer :: i, last
  a = reshape([(mod(i, 11)*0.25d0, i = 1, 1849)], [43, 43])
  b = [(i*0.75d0, i = 1, 43)]
  call kernel(43, a, b, last)
  print '(4z17.16)', a, b
  print *, last
end program
