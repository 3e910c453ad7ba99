! Ten arrays, each with bounds of its own.
subroutine kernel(x1, x2, y1, y2, d, vol, p, q, xa, ya, u, v, un, vn)
  implicit none
  integer :: x1, x2, y1, y2, j, k
  real(8), dimension(x1-2:x2+2,y1-2:y2+2) :: d, vol, p, q
  real(8) :: xa(x1-2:x2+3,y1-2:y2+2), ya(x1-2:x2+2,y1-2:y2+3)
  real(8), dimension(x1-2:x2+3,y1-2:y2+3) :: u, v, un, vn
  real(8) :: s
  !$dvm region
  do k = y1, y2 + 1
    do j = x1, x2 + 1
      s = 0.5d0/((d(j-1,k-1)*vol(j-1,k-1) + d(j,k-1)*vol(j,k-1) + d(j,k)*vol(j,k) + d(j-1,k)*vol(j-1,k))*0.25d0)
      un(j,k) = u(j,k) - s*(xa(j,k)*(p(j,k) - p(j-1,k)) + xa(j,k-1)*(p(j,k-1) - p(j-1,k-1)))
      vn(j,k) = v(j,k) - s*(ya(j,k)*(p(j,k) - p(j,k-1)) + ya(j-1,k)*(p(j-1,k) - p(j-1,k-1)))
      un(j,k) = un(j,k) - s*(xa(j,k)*(q(j,k) - q(j-1,k)) + xa(j,k-1)*(q(j,k-1) - q(j-1,k-1)))
    end do
  end do
end subroutine

program main
  implicit none
  integer, parameter :: sizes(5) = [1, 2, 7, 24, 45]
  integer :: one
  do one = 1, 5
    call run(sizes(one), sizes(6 - one))
  end do
contains
  subroutine run(m, n)
    integer, intent(in) :: m, n
    real(8) :: d(m+6,n+6), vol(m+6,n+6), p(m+6,n+6), q(m+6,n+6), xa(m+6,n+6)
    real(8) :: ya(m+6,n+6), u(m+6,n+6), v(m+6,n+6), un(m+6,n+6), vn(m+6,n+6)
    integer :: x, y
    do y = 1, n + 6
      do x = 1, m + 6
        d(x,y) = 1 + mod(x*3 + y, 7)*0.1d0
        p(x,y) = mod(x + y*5, 11)*0.3d0
      end do
    end do
    vol = 0.5d0
    q = p*0.25d0
    xa = d
    ya = d*2
    u = p
    v = -p
    un = 0
    vn = 0
    call kernel(3, m + 2, -1, n - 2, d, vol, p, q, xa, ya, u, v, un, vn)
    print '(4z17.16)', un, vn
  end subroutine
end program
