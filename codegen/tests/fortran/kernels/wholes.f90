! Whole numbers of both kinds, and real(4).
subroutine kernel(n, k, l, x)
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: k(0:n,n)
  integer(8), intent(inout) :: l(n,-1:n)
  real(4), intent(inout) :: x(n,n)
  integer(8) :: i
  integer :: j
  !$dvm region
  do j = 1, n
    do i = 1, n
      k(i,j) = mod(k(i-1,j)*7 + 3, 101)/2 - k(i,j)
      l(i,j) = l(i,j-2) + int(k(i,j), 8)*3_8 + max(i, 4_8)
      x(i,j) = x(i,j)*1.1 + real(j)/3.0 - l(i,j)
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: n = 33
  integer :: k(0:n,n)
  integer(8) :: l(n,-1:n)
  real(4) :: x(n,n)
  integer :: j
  do j = 1, n
    k(:,j) = j
    l(j,:) = j - 7
    x(:,j) = 0.3*j
  end do
  call kernel(n, k, l, x)
  print '(4z17)', k, l, x
end program
