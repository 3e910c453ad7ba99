! Subscripts and conditions that are remainders: layers of time, red and black points, borders that go around, and negative counters.
module periodic
  implicit none
  integer, parameter :: n = 24, steps = 9
contains
  subroutine layers(u)
    real(8), intent(inout) :: u(n,2)
    integer :: t, i
    !$dvm region
    do t = 1, steps
      do i = 2, n - 1
        u(i, modulo(t, 2) + 1) = 0.5d0*u(i-1, modulo(t - 1, 2) + 1) + 0.5d0*u(i+1, modulo(t - 1, 2) + 1)
      end do
    end do
    !$dvm region
    do t = 1, steps
      do i = 2, n - 1
        u(i, mod(t, 2) + 1) = 0.25d0*u(i-1, mod(t + 1, 2) + 1) + 0.75d0*u(i+1, mod(t - 1, 2) + 1)
      end do
    end do
  end subroutine
  subroutine red_and_black(u)
    real(8), intent(inout) :: u(0:n,0:n)
    integer :: i, j
    !$dvm region
    do j = 1, n - 1
      do i = 1, n - 1
        if (modulo(i - j, 2) == 0) u(i,j) = (u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))*0.25d0
      end do
    end do
    !$dvm region
    do j = 1, n - 1
      do i = 1, n - 1
        if (modulo(i - j, 2) == 1) u(i,j) = (u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))*0.25d0
      end do
    end do
  end subroutine
  subroutine around(m, a, b, k, old)
    integer, intent(in) :: m
    real(8), intent(inout) :: a(m,m), b(m,m)
    integer(8), intent(inout) :: k(-20:20,0:6)
    integer(8), intent(in) :: old(-20:20,0:6)
    integer :: i, j
    integer(8) :: l
    !$dvm region
    do j = 1, m
      do i = 1, m
        b(i,j) = b(i,j) + a(modulo(i, m) + 1, j) - a(modulo(i - 2, m) + 1, modulo(j - 2, n) + 1)*a(i, mod(j, m) + 1)
      end do
    end do
    !$dvm region
    do j = 1, m
      do i = 1, m
        a(i, modulo(j, n) + 1) = b(i,j) + modulo(j, 5)*modulo(-i, 7)
      end do
    end do
    !$dvm region
    do l = -20, 20
      k(l, modulo(l, 7_8)) = old(modulo(l, 21_8), modulo(-l, 3_8)) + modulo(-5_8*l, 1073741824_8) - modulo(l*3, -4_8)
      k(l, modulo(l + 2, 7_8)) = modulo(l, 19_8)*mod(l, 4_8) + modulo(l, 1073741825_8)
    end do
  end subroutine
end module

program main
  use periodic
  implicit none
  real(8) :: u(n,2), v(0:n,0:n), a(n,n), b(n,n)
  integer(8) :: k(-20:20,0:6)
  integer :: i
  u = reshape([(sqrt(i*1d0), i = 1, 2*n)], [n, 2])
  v = reshape([(mod(i*17, 41)*0.25d0, i = 1, (n + 1)**2)], [n + 1, n + 1])
  a = v(:n - 1,:n - 1)
  b = v(1:,1:)
  k = reshape([(i*i*i - 40, i = 1, 287)], [41, 7])
  call layers(u)
  call red_and_black(v)
  call around(n, a, b, k, 3 - k)
  print '(4z17.16)', u, v, a, b
  print '(6i21)', k
end program
