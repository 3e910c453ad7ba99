! Parts of words, shifts and rotations by each count, and remainders of reals: all values, also at the limits of types.
module words
  implicit none
  integer, parameter :: n = 13
contains
  subroutine narrow(x, parts, turned, shifted, count)
    integer(4), intent(in) :: x(n)
    integer(4), intent(inout) :: parts(0:32,0:32,n), turned(-32:32,32,n), shifted(0:32,7,n), count(n)
    integer :: i, j, k
    !$dvm region
    do k = 1, n
      do j = 0, 31
        do i = 0, 32 - j
          parts(i,j,k) = ibits(x(k), i, j)
        end do
      end do
      do j = 1, 32
        do i = -j, j
          turned(i,j,k) = ishftc(x(k), i, j)
        end do
      end do
      do i = 0, 32
        shifted(i,1,k) = shiftl(x(k), i)
        shifted(i,2,k) = shiftr(x(k), i)
        shifted(i,3,k) = shifta(x(k), i)
        shifted(i,4,k) = ishftc(x(k), i) - ishftc(x(k), -i)/3
        shifted(i,5,k) = ibits(x(k), 0, 32)/2 + ibits(x(k), 31, 1) + ibits(i, 2, 3)
        shifted(i,6,k) = ieor(shifta(x(k), 32), shiftr(shiftl(x(k), 32), 5)) + shiftl(i, 3)
        shifted(i,7,k) = ishftc(ishftc(x(k), 3, size=32), -5, 9)
      end do
      count(k) = popcnt(x(k)) + 100*popcnt(iand(x(k), 65535))
    end do
  end subroutine
  subroutine wide(x, parts, turned, shifted, count)
    integer(8), intent(in) :: x(n)
    integer(8), intent(inout) :: parts(0:64,0:64,n), turned(-64:64,4,n), shifted(0:64,6,n)
    integer(4), intent(inout) :: count(n)
    integer :: i, j, k
    !$dvm region
    do k = 1, n
      do j = 0, 63
        do i = 0, 64 - j
          parts(i,j,k) = ibits(x(k), i, j)
        end do
      end do
      do i = -64, 64
        turned(i,1,k) = ishftc(x(k), i, 64)
        turned(i,2,k) = ishftc(x(k), i)
        if (abs(i) <= 37) turned(i,3,k) = ishftc(x(k), i, 37)
        if (abs(i) <= 1) turned(i,4,k) = ishftc(x(k), i, 1)
      end do
      do i = 0, 64
        shifted(i,1,k) = shiftl(x(k), i)
        shifted(i,2,k) = shiftr(x(k), i)
        shifted(i,3,k) = shifta(x(k), i)
        shifted(i,4,k) = popcnt(x(k)) - i
        shifted(i,5,k) = shiftl(x(k), int(i, 8)) - ibits(x(k), 0, 64)
        shifted(i,6,k) = ieor(shifta(x(k), 64), shiftr(x(k), 3))
      end do
      count(k) = popcnt(x(k))
    end do
  end subroutine
  subroutine reals(x, y, u, v, q, r)
    real(8), intent(in) :: x(n), y(n)
    real(4), intent(in) :: u(n), v(n)
    real(8), intent(inout) :: q(n,n,3)
    real(4), intent(inout) :: r(n,n,4)
    integer :: i, j
    !$dvm region
    do j = 1, n
      do i = 1, n
        q(i,j,1) = mod(x(i), y(j))
        q(i,j,2) = modulo(x(i), y(j))
        q(i,j,3) = dmod(x(i), 0.7d0) - modulo(y(j), -3d0) + modulo(-7.3d0, 2.1d0)
        r(i,j,1) = mod(u(i), v(j))
        r(i,j,2) = modulo(u(i), v(j))
        if (mod(u(i), 2.) > 0.5) r(i,j,3) = amod(u(i), 0.3)
      end do
      r(:,j,4) = modulo(u, v(j)) + mod(2.5, v)
    end do
  end subroutine
  ! Subscripts that are parts of words.
  subroutine tables(k, a, h)
    integer, intent(in) :: k(n,n)
    integer, intent(in) :: a(0:15)
    integer, intent(inout) :: h(n,n)
    integer :: i, j
    !$dvm region
    do j = 1, n
      do i = 1, n
        h(i,j) = a(ibits(k(i,j), 2, 4)) + a(popcnt(k(i,j))/4) + a(int(modulo(k(i,j)*0.37, 15.)))
      end do
    end do
  end subroutine
end module

program main
  use words
  use, intrinsic :: ieee_arithmetic
  implicit none
  integer(4), parameter :: most = huge(0_4)
  integer(8), parameter :: last = huge(0_8)
  integer(4) :: x(n), p4(0:32,0:32,n), t4(-32:32,32,n), s4(0:32,7,n), c4(n), c8(n), h(n,n), i
  integer(8) :: l(n), p8(0:64,0:64,n), t8(-64:64,4,n), s8(0:64,6,n)
  real(8) :: d(n), e(n), q(n,n,3)
  real(4) :: u(n), v(n), r(n,n,4)
  x = [0, 1, -1, 7, -7, most, -most, -most - 1, 1431655765, -1431655766, 12345, -98765, 2]
  l = [0_8, 1_8, -1_8, 7_8, -7_8, last, -last, -last - 1, 6148914691236517205_8, -12345678901234_8, 5000000000_8, -3_8, 2_8]
  d = [0d0, -0d0, 1d0, -1d0, 0.1d0, 7.5d0, 1d300, -1d300, 5d-324, -0.3d0, 0d0, 0d0, 0d0]
  d(11:13) = [ieee_value(1d0, ieee_positive_inf), ieee_value(1d0, ieee_negative_inf), ieee_value(1d0, ieee_quiet_nan)]
  e = d(n:1:-1)
  u = [0., -0., 1., -1., .1, 7.5, 1e38, -1e38, 1e-45, -.3, 0., 0., 0.]
  u(11:13) = [ieee_value(1., ieee_positive_inf), ieee_value(1., ieee_negative_inf), ieee_value(1., ieee_quiet_nan)]
  v = u(n:1:-1)
  p4 = -5; t4 = -5; s4 = -5; p8 = -5; t8 = -5; s8 = -5; q = -5; r = -5
  call narrow(x, p4, t4, s4, c4)
  call wide(l, p8, t8, s8, c8)
  call reals(d, e, u, v, q, r)
  call tables(reshape([(i*i*53 + i, i = 1, n*n)], [n, n]), [(i*i - 40, i = 0, 15)], h)
  print '(11i12)', p4, t4, s4, c4, c8, h
  print '(6i21)', p8, t8, s8
  ! Which sign a NaN has is not said.
  print '(5z17)', pack(q, .not. ieee_is_nan(q)), count(ieee_is_nan(q))
  print '(8z9)', pack(r, .not. ieee_is_nan(r)), count(ieee_is_nan(r))
end program
