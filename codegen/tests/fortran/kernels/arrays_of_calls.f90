module parts
  implicit none
contains
  subroutine point(u, v, k)
    real(8), intent(inout) :: u(5)
    real(8), intent(in) :: v(5)
    integer, intent(in) :: k
    real(8) :: t(5), w(0:2,5)
    integer :: m, l
    do m = 1, 5
      t(m) = u(m)*0.5d0 + v(6-m)
      do l = 0, 2
        w(l,m) = t(m)*l + k*0.125d0
      end do
    end do
    t = t*0.25d0
    call turned(t, u, w(1,:))
    do m = 1, 5
      u(m) = u(m)*0.5d0 + t(m) + w(2,m)*0.25d0
    end do
  end subroutine
  subroutine turned(x, y, z)
    real(8), intent(inout) :: x(5)
    real(8), intent(in) :: y(5), z(5)
    real(8) :: old(5)
    integer :: m
    old(:) = x(:)
    do m = 1, 5
      x(m) = old(6-m) - y(m)*0.125d0 + z(m)*0.0625d0
    end do
  end subroutine
  subroutine column(n, a, p)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8), intent(in) :: p(n)
    real(8) :: c(0:100)
    integer :: i
    do i = 0, n
      c(i) = 0.5d0*i
    end do
    do i = 1, n
      c(i) = a(i)*0.5d0 + p(i)
    end do
    do i = 1, n
      a(i) = c(i-1) + c(i)*0.25d0
    end do
  end subroutine
end module
program main
  use parts
  implicit none
  integer, parameter :: n = 40
  real(8) :: u(5,n,n), v(5,n), a(n,n)
  integer :: i, j
  do j = 1, n
    do i = 1, n
      u(:,i,j) = i*0.25d0 - j
      a(i,j) = i - j*0.5d0
    end do
    v(:,j) = j*0.125d0
  end do
  call kernel(n, u, v, a)
  print '(8z17.16)', u, v, a
end program
subroutine kernel(n, u, v, a)
  use parts
  implicit none
  integer, intent(in) :: n
  real(8) :: u(5,n,n), v(5,n), a(n,n)
  integer :: i, j
!$dvm region
  do j = 1, n
    do i = 1, n
      call point(u(:,i,j), v(:,i), j)
      if (i > 3) call point(u(1,i,j), v(1,i), i)
    end do
  end do
!$dvm region
  do j = 2, n
    call column(n, a(:,j), a(:,1))
  end do
end subroutine
