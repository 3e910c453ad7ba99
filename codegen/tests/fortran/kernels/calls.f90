! Calls of subroutines of a module: with elements, expressions, columns, blocks and sections.
module laws
  implicit none
  real(8), parameter :: gamma = 7.0d0/5.0d0
  real(8) :: table(0:60, 3), factor
  interface set
    module procedure positions
  end interface
contains
  subroutine point(x, y, z, k)
    real(8), intent(in) :: x
    real(8), intent(out) :: y, z
    integer, intent(in) :: k
    real(8) :: t
    integer :: l
    t = x*gamma
    y = t + factor + k
    z = t
    do l = 1, k
      z = z*0.5d0 + l
    end do
    if (x > 3) z = z - 1
  end subroutine
  subroutine column(n, v, w, q)
    integer n, i
    real(8) :: v(n), w(0:*), q(:)
    do i = 1, n
      v(i) = v(i)*0.5d0 + w(i-1)*0.25d0 + table(i,3) + q(i)
    end do
    return
  end subroutine
  subroutine block5(b, n, m)
    integer :: n, m, i
    real(8) :: b(n,m)
    do i = 1, m
      b(1,i) = b(2,i)*0.5d0 + b(n,i)
    end do
    call two(b(2,1), b(3,m))
  end subroutine
  subroutine two(x, y)
    real(8) :: x, y
    x = x*0.75d0 + 1
    y = y - x
  end subroutine
  subroutine whole(x)
    real(8) :: x(0:)
    x = x*0.5d0
    x(0) = x(1) + 3
  end subroutine
  subroutine positions(k, i)
    integer :: k, i
    k = 2*i - 1
  end subroutine
end module
subroutine kernel(a, b, c3, sh, n)
  use laws
  implicit none
  integer n, i, j, p
  real(8) :: a(n,n), b(0:n), c3(5,5,n), sh(:,:), loc
  real(8) :: d(n,n)
  d = 0
!$dvm region name(points)
  do j = 1, n
    do i = 1, n
      call point(a(i,j), d(i,j), loc, 3)
      if (i > 2) call point(loc*0.5d0, loc, a(i,j), k=2)
      call set(i=i, k=p)
      a(i,j) = a(i,j) + loc*0.125d0 + p
    end do
  end do
!$dvm end region
!$dvm region name(columns)
  do j = 1, n
    call column(n, a(1,j), b, sh(:,j))
  end do
!$dvm end region
!$dvm region name(blocks)
  do j = 1, n
    call block5(c3(1,1,j), 5, 4 + 1)
    call whole(sh(2:n,j))
    call whole(d(:,j))
  end do
!$dvm end region
  a = a + d
end subroutine
program main
  use laws
  implicit none
  integer, parameter :: n = 41
  real(8) :: a(n,n), b(0:n), c3(5,5,n), sh(n,n)
  interface
   subroutine kernel(a, b, c3, sh, n)
    integer n
    real(8) :: a(n,n), b(0:n), c3(5,5,n), sh(:,:)
   end subroutine
  end interface
  integer :: i, j, k
  do j = 1, n
    do i = 1, n
      a(i,j) = mod(i*7 + j*3, 13)*0.1d0
      sh(i,j) = mod(i + j*5, 11)*0.2d0 - 1
    end do
    b(j) = j*0.25d0
    do k = 1, 25
      c3(mod(k-1,5)+1, (k-1)/5+1, j) = mod(k*j, 17)*0.3d0
    end do
  end do
  b(0) = 3
  do j = 1, 3
    do i = 0, 60
      table(i,j) = i*0.01d0*j
    end do
  end do
  factor = 0.7d0
  call kernel(a, b, c3, sh, n)
  print '(8z17.16)', a, sh, c3
end program
