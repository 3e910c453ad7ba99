!> Several statements on a line, and loops that begin and end on one.
module on_lines
  implicit none
contains
  real(8) function bent(x)
    real(8), intent(in) :: x
    bent = x*0.5d0; if (x > 3) then; bent = 1; else; bent = bent - x; end if
  end function

  subroutine mix(a, b)
    real(8), intent(inout) :: a, b
    a = a*0.5d0 + b; b = a - b*0.25d0
  end subroutine

  subroutine kernel(n, a, b)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n), b(n,n)
    real(8) :: t, u
    integer :: i, j, k
    !$dvm region
    do j = 1, n; do i = 1, n; a(i,j) = b(i,j)*i - j; end do; end do
    !$dvm region
    do j = 2, n; do i = 1, n
      t = a(i,j) + 1; u = t*2; if (t > 3) then; b(i,j) = u; else; b(i,j) = t; end if
      a(i,j) = bent(u); call mix(a(i,j), b(i,j)); call mix(b(i,j), a(i,j))
    end do; end do
    !$dvm region
    do j = 1, n; k = n + 1 - j; if (j > 7) cycle; do i = 1, n; a(i,k) = a(i,k) + j; end do; end do;
    !$dvm region
    do 10 j = 1, n; do 20 i = 1, n; t = b(i,j)
      b(i,j) = t*0.75d0 + a(i,j)
 20 continue
 10 continue
    !$dvm region
    b(1:n,1) = a(1:n,2); a(1:n,3) = b(1:n,1)*2
    !$dvm end region
  end subroutine
end module

program main
  use on_lines
  implicit none
  integer, parameter :: n = 29
  real(8) :: a(n,n), b(n,n)
  integer :: i, j
  a = 0; b = reshape([((i*0.25d0 - j*0.125d0, i = 1, n), j = 1, n)], [n, n])
  call kernel(n, a, b)
  print '(8z17.16)', a, b
end program
