! Calls of contained subroutines, which use variables of the host, and of one with COMMON.
subroutine shared(i, x)
  real(8) u(10,10), v(50), x
  integer k
  common /blk/ u, v, k
  u(i,2) = u(i,3)*x + k
  v(i) = x
end subroutine
subroutine kernel(a, w, n)
  implicit none
  integer n, i, j, m
  real(8) :: a(n,n), w(3,3,n), f, g
  real(8), allocatable :: al(:,:)
  real(8) u(10,10), v(50)
  integer k
  common /blk/ u, v, k
  allocate(al(0:n,n))
  al = 1
  g = 0.5d0
!$dvm region name(inner)
  do j = 1, n
    do i = 2, n
      call inner(a(i,j), f)
      a(i,j) = a(i,j) + f
    end do
    call row(n, a(j,:))
    call rows(a(2:n,j), al(:,j), n - 1)
    call rows(a(:,j), al(1,j), n)
    call cell(w(:,:,j))
    m = j
    call cell2(w(1,1,m), 3)
  end do
!$dvm end region
!$dvm region name(shared)
  do i = 1, 10
    call shared(i, a(i,1))
  end do
!$dvm end region
  a = a + al(1:n,1:n)
contains
  subroutine inner(x, y)
    real(8) :: x, y
    integer :: step
    step = 2
    x = x*g + a(1,1)*0
    y = x + step
  end subroutine
  subroutine row(n, x)
   integer n, i
   real(8) x(n)
   do i = 1, n
   x(i) = x(i)*2
   end do
  end subroutine
  subroutine rows(x, y, m)
   integer m
   real(8) x(m), y(m)
   where (x > 0.5d0) y = y + x
   x(1:m-1) = y(2:m)*0.5d0
  end subroutine
  subroutine cell(x)
   real(8) x(-1:,2:)
   x(0,:) = x(1,:)*0.5d0
   x(-1,2) = x(0,4)
  end subroutine
  subroutine cell2(x, n)
   integer n, i
   real(8) x(3,n)
   do i = 1, n
   x(2,i) = x(1,i)*0.25d0 + 0.5d0
   end do
  end subroutine
end subroutine
program main
  implicit none
  integer, parameter :: n = 37
  real(8) :: a(n,n), w(3,3,n)
  real(8) u(10,10), v(50)
  integer k
  common /blk/ u, v, k
  integer :: i, j
  do j = 1, n
    do i = 1, n
      a(i,j) = mod(i*7 + j*3, 13)*0.1d0
    end do
    w(:,:,j) = j*0.01d0
  end do
  u = 0.25d0; v = 0; k = 2
  call kernel(a, w, n)
  print '(8z17.16)', a, w, u, v
end program
