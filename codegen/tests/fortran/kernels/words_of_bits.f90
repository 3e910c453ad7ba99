! Functions of whole numbers and of their bits, and `dim`: all values, also at the limits of types.
module lists
  implicit none
  integer, parameter :: n = 13, m = 67
  integer(4), parameter :: most = huge(0_4)
  integer(8), parameter :: last = huge(0_8)
  integer(4), parameter :: half = 1073741822
  integer(8), parameter :: wide_half = 4611686018427387902_8
contains
  subroutine narrow(x, y, k, q)
    integer(4), intent(in) :: x(n), y(n), k(-33:33)
    integer(4), intent(inout) :: q(n,n,8)
    integer :: i, j
    !$dvm region
    do j = 1, n
      do i = 1, n
        if (abs(x(i)/2 - y(j)/2) < half) q(i,j,1) = dim(x(i), y(j))
        if (y(j) /= 0 .and. y(j) /= -1) q(i,j,2) = modulo(x(i), y(j)) + modulo(i - 7, 5) + modulo(7 - j, -3)
        q(i,j,3) = iand(x(i), y(j))
        q(i,j,4) = ior(x(i), y(j))
        q(i,j,5) = ieor(x(i), y(j))
        q(i,j,6) = not(x(i))/2 - iand(not(y(j)), 255)
        q(i,j,7) = ior(ishft(x(i), 5), ishft(y(j), -7))
        q(i,j,8) = ieor(ibset(x(i), j), ibclr(y(j), i + 18))
      end do
    end do
    !$dvm region independent
    do j = 1, n
      q(modulo(j - 3, n) + 1, j, 1) = iand(k(j - 7), 31) + k(modulo(-j, 12) - 6)
    end do
  end subroutine
  subroutine wide(x, y, q)
    integer(8), intent(in) :: x(n), y(n)
    integer(8), intent(inout) :: q(n,n,8)
    integer :: i, j
    !$dvm region
    do j = 1, n
      do i = 1, n
        if (abs(x(i)/2 - y(j)/2) < wide_half) q(i,j,1) = dim(x(i), y(j))
        if (y(j) /= 0 .and. y(j) /= -1) q(i,j,2) = modulo(x(i), y(j)) + modulo(i - 7_8, 5_8)
        q(i,j,3) = iand(x(i), y(j))
        q(i,j,4) = ior(x(i), y(j))
        q(i,j,5) = ieor(x(i), y(j))
        q(i,j,6) = not(x(i))
        q(i,j,7) = ieor(ishft(x(i), j*5), ishft(y(j), -i*4))
        q(i,j,8) = ieor(ibset(x(i), j*4), ibclr(y(j), i*3 + 18))
      end do
    end do
  end subroutine
  ! Each shift and position.
  subroutine shifts(x, l, s, t, a, b, on)
    integer(4), intent(in) :: x(n)
    integer(8), intent(in) :: l(n)
    integer(4), intent(inout) :: s(-m:m,n), a(-m:m,n)
    integer(8), intent(inout) :: t(-m:m,n), b(-m:m,n)
    logical, intent(inout) :: on(0:31,n)
    integer :: i, j
    !$dvm region
    do j = 1, n
      do i = -64, 64
        if (i >= -32 .and. i <= 32) s(i,j) = ishft(x(j), i)
        t(i,j) = ishft(l(j), i)
        if (i >= 0 .and. i < 32) then
          on(i,j) = btest(x(j), i)
          a(i,j) = ibset(x(j), i)
          a(-i - 1,j) = ibclr(x(j), i)
        end if
        if (i >= 0 .and. i < 64) then
          if (btest(l(j), i)) b(i,j) = ibset(l(j), 63 - i)
          if (.not. btest(l(j), i)) b(-i - 1,j) = ibclr(l(j), i)
        end if
      end do
    end do
  end subroutine
  subroutine reals(x, y, u, v, q, r)
    real(8), intent(in) :: x(n), y(n)
    real(4), intent(in) :: u(n), v(n)
    real(8), intent(inout) :: q(n,n)
    real(4), intent(inout) :: r(n,n,2)
    integer :: i, j
    !$dvm region
    do j = 1, n
      do i = 1, n
        q(i,j) = dim(x(i), y(j))
        r(i,j,1) = dim(u(i), v(j))
      end do
      r(:,j,2) = dim(u, v(j)) - dim(1.5, v)
    end do
  end subroutine
  ! `max` of a difference beside `dim`: bounds of loops may be one.
  subroutine both(a)
    integer, intent(inout) :: a(n,n)
    integer :: i, j
    !$dvm region
    do j = 1, n
      do i = max(j - 4, 1), min(j + 3, n)
        a(i,j) = max(a(i,j) - 8, 0) + dim(a(i,j), 4) + max(i - j, 0)*10
      end do
    end do
  end subroutine
end module

program main
  use lists
  use, intrinsic :: ieee_arithmetic
  implicit none
  integer(4) :: x(n), y(n), k(-33:33), q4(n,n,8), s(-m:m,n), a(-m:m,n), c(n,n), i
  integer(8) :: l(n), o(n), q8(n,n,8), t(-m:m,n), b(-m:m,n)
  real(8) :: d(n), e(n), q(n,n)
  real(4) :: u(n), v(n), r(n,n,2)
  logical :: on(0:31,n)
  x = [0, 1, -1, 7, -7, most, -most, -most - 1, 1431655765, -1431655766, 12345, -98765, 2]
  y = [3, -3, 0, -1, 1, most, -most, -most - 1, 7, -7, 65536, -65536, 1431655765]
  l = [0_8, 1_8, -1_8, 7_8, -7_8, last, -last, -last - 1, 6148914691236517205_8, -12345678901234_8, 5000000000_8, -3_8, 2_8]
  o = [3_8, -3_8, 0_8, -1_8, 1_8, last, -last, -last - 1, 7_8, -7_8, 4294967296_8, -4294967296_8, 99999999999_8]
  d = [0d0, -0d0, 1d0, -1d0, 0.1d0, 0.3d0, 1d300, -1d300, 5d-324, -5d-324, 0d0, 0d0, 0d0]
  d(11:13) = [ieee_value(1d0, ieee_positive_inf), ieee_value(1d0, ieee_negative_inf), ieee_value(1d0, ieee_quiet_nan)]
  e = d(n:1:-1)
  u = [0., -0., 1., -1., .1, .3, 1e38, -1e38, 1e-45, -1e-45, 0., 0., 0.]
  u(11:13) = [ieee_value(1., ieee_positive_inf), ieee_value(1., ieee_negative_inf), ieee_value(1., ieee_quiet_nan)]
  v = u(n:1:-1)
  k = [(i*i*i - 700, i = -33, 33)]
  q4 = -5; q8 = -5; s = -5; t = -5; a = -5; b = -5; on = .false.; q = -5; r = -5
  c = reshape([(mod(i*7, 23) - 4, i = 1, n*n)], [n, n])
  call narrow(x, y, k, q4)
  call wide(l, o, q8)
  call shifts(x, l, s, t, a, b, on)
  call reals(d, e, u, v, q, r)
  call both(c)
  print '(6i12)', q4, s, a, c
  print '(4i21)', q8, t, b
  print '(32l2)', on
  print '(5z17)', q
  ! Which bits a difference of a NaN has is not said.
  print '(8z9)', r(:,:,1), pack(r(:,:,2), .not. ieee_is_nan(r(:,:,2)))
end program
