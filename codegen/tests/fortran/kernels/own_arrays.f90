! Arrays of which each iteration has its own: small ones that only the region names, and those of `private`.
module lines
  implicit none
  real(8) :: held(-1:60)
contains
  subroutine solve(n, rhs, u, speed)
    integer, intent(in) :: n
    real(8), intent(inout) :: rhs(5,n,n)
    real(8), intent(in) :: u(n,n), speed(0:n+1,n)
    real(8) :: cv(0:61), rhon(0:61), tmat(5,5), tv(5)
    common /lines_of_cells/ cv, rhon
    real(8) :: pivot, factor
    integer :: i, j, m, l
    !$dvm region private(cv, rhon)
    do j = 1, n
      do i = 0, n + 1
        cv(i) = speed(i,j)*0.5d0
        rhon(i) = max(cv(i), 0.25d0)
      end do
      do i = 1, n
        rhs(1,i,j) = rhs(1,i,j) + 0.5d0*(cv(i-1) + cv(i+1)) - rhon(i)
      end do
    end do
    !$dvm region
    do j = 2, n
      do i = 2, n
        do m = 1, 5
          tv(m) = rhs(m,i,j) - 0.125d0*(rhs(m,i-1,j) + rhs(m,i,j-1))
          do l = 1, 5
            tmat(m,l) = 0.0625d0*u(i,j)*(m - l)
          end do
          tmat(m,m) = 2 + u(i,j)*0.25d0
        end do
        do m = 1, 4
          pivot = 1/tmat(m,m)
          do l = m + 1, 5
            factor = pivot*tmat(l,m)
            tmat(l,5) = tmat(l,5) - factor*tmat(m,5)
            tv(l) = tv(l) - tv(m)*factor
          end do
        end do
        rhs(5,i,j) = tv(5)/tmat(5,5)
        do m = 4, 1, -1
          rhs(m,i,j) = (tv(m) - tmat(m,5)*rhs(5,i,j))/tmat(m,m)
        end do
      end do
    end do
    !$dvm region private(held)
    do j = 1, n
      held(1:n) = u(:,j)*0.5d0
      held(0) = u(1,j)
      do i = 1, n
        rhs(2,i,j) = rhs(2,i,j)*0.5d0 + held(i-1) - held(i)*0.25d0
      end do
    end do
  end subroutine
end module
program main
  use lines
  implicit none
  integer, parameter :: n = 30
  real(8) :: rhs(5,n,n), u(n,n), speed(0:n+1,n)
  integer :: i, j, m
  do j = 1, n
    do i = 1, n
      u(i,j) = mod(i*7 + j*3, 11)*0.125d0
      do m = 1, 5
        rhs(m,i,j) = mod(i + j*5 + m, 13)*0.25d0
      end do
    end do
    do i = 0, n + 1
      speed(i,j) = mod(i*3 + j, 7)*0.5d0
    end do
  end do
  do m = 1, 3
    call solve(n, rhs, u, speed)
  end do
  print '(8z17.16)', rhs
end program
