! Loops that an `exit` leaves, also of a loop around, and a `cycle` or a `goto` of one around.
module leaving
  implicit none
contains
  subroutine simple(n, a, k, t)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n)
    integer, intent(inout) :: k(n)
    real(8), intent(in) :: t
    integer :: i, j, count
    real(8) :: s
    !$dvm region
    do j = 1, n
      do i = 1, n
        if (a(i,j) > t) exit
        a(i,j) = a(i,j)*2
      end do
      k(j) = 3*j
    end do
    ! The counter of what was met, downwards and by steps, and an exit by the counters alone.
    !$dvm region
    do j = 1, n
      count = 0
      s = 0
      do i = n, 1, -2
        if (a(i,j) < 0.1d0) then
          s = s + 0.5d0
          if (s > 1) exit
        else
          count = count + 1
        end if
        if (i < j - 3) exit
        a(i,j) = a(i,j) + s
      end do
      k(j) = k(j) + count
    end do
    !$dvm region
    cols: do j = 1, n
      inner: do i = 1, n
        select case (k(j) - i)
        case (:0)
          exit inner
        case (3, 7:9)
          cycle
        case default
          a(i,j) = a(i,j) - 0.25d0
        end select
      end do inner
      if (k(j) > 40) cycle
      a(1,j) = a(1,j)*0.5d0
    end do cols
  end subroutine
  subroutine around(n, a, c, k)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n), c(n,n)
    integer, intent(inout) :: k(n)
    integer :: i, j, m
    !$dvm region
    rows: do j = 1, n
      k(j) = k(j) + 5
      do i = 1, n
        if (a(i,j) > 1.5d0) cycle rows
        a(i,j) = a(i,j)*1.25d0
      end do
      k(j) = -k(j)
    end do rows
    ! All kinds of ways out of one loop.
    !$dvm region
    outer: do j = 1, n
      middle: do i = 1, n
        do m = 1, 4
          if (a(i,j) > 3) exit middle
          if (a(i,j) > 2.5d0 .and. m == 2) cycle outer
          if (c(i,j) > 1) cycle middle
          if (c(i,j) < 0.01d0) exit
          a(i,j) = a(i,j) + 0.125d0*m
          c(i,j) = c(i,j)*0.5d0
        end do
        c(i,j) = c(i,j) + 0.0625d0
      end do middle
      k(j) = k(j) + i_of(j)
    end do outer
    !$dvm region
    do j = 1, n
      do i = 1, n
        if (c(i,j) > 0.75d0) goto 10
        c(i,j) = c(i,j) + 0.03d0
      end do
      k(j) = k(j)*2
10    a(j,j) = a(j,j) + k(j)
    end do
  end subroutine
  integer function i_of(j)
    integer, intent(in) :: j
    integer :: l
    i_of = 0
    do l = 1, 20
      if (l*l > j) exit
      i_of = i_of + l
    end do
  end function
  ! Places of the first element that is large enough.
  subroutine first(n, a, t, found)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), t
    integer, intent(inout) :: found
    integer :: l
    found = 0
    do l = 1, n
      if (a(l) > t) then
        found = l
        exit
      end if
    end do
  end subroutine
  subroutine called(n, a, k)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n,n)
    integer, intent(inout) :: k(n)
    integer :: j
    !$dvm region
    do j = 1, n
      call first(n, a(:,j), 0.7d0, k(j))
    end do
  end subroutine
  ! A region in a loop that is left, and what each iteration keeps for itself.
  subroutine inside(n, a, c)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n,n), c(n,n)
    real(8) :: s, r, t(3)
    integer :: i, j, m, step
    do step = 1, 5
      !$dvm region
      do j = 1, n
        do i = 1, n
          s = a(i,j)*0.75d0
          do m = 1, 3
            t(m) = s - c(i,j)*m
          end do
          a(i,j) = a(i,j) + t(1)*t(3)*0.125d0
          r = c(i,j)
          do m = 1, 3
            if (r < 0.2d0*m) exit
            r = r + 0.125d0*m
          end do
          c(i,j) = (c(i,j) + r)*0.5d0
        end do
      end do
      if (c(1,1) > 0.9d0) exit
      a = a + 0.01d0
    end do
  end subroutine
  ! Texts of a subroutine and a function with several ways out, which stand twice.
  subroutine twice(n, a, x)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: x
    integer :: l, m
    x = 0
    big: do l = 1, n
      do m = 1, 3
        if (a(l) > 0.3d0*m) cycle big
        if (a(l) < 0.02d0) exit big
        x = x + a(l)*m
      end do
      x = x - 0.5d0
    end do big
  end subroutine
  real(8) function ways(y)
    real(8), intent(in) :: y
    integer :: l, m
    ways = y
    big: do l = 1, 5
      do m = 1, 3
        if (ways > 0.3d0*m) cycle big
        if (ways < -9) exit big
        ways = ways - 0.25d0*m*l
      end do
      ways = ways - 0.5d0
    end do big
  end function
  subroutine both(n, a, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n,n)
    real(8), intent(inout) :: x(n), y(n)
    integer :: j
    !$dvm region
    do j = 1, n
      call twice(n, a(:,j), x(j))
      call twice(n, a(:,j), y(j))
      y(j) = y(j)*0.5d0 + ways(a(1,j)) + ways(x(j))
    end do
  end subroutine
end module

program main
  use leaving
  implicit none
  integer, parameter :: sizes(5) = [1, 2, 7, 24, 33]
  real(8), allocatable :: a(:,:), c(:,:), x(:), y(:)
  integer, allocatable :: k(:)
  integer :: at, n, i
  do at = 1, 5
    n = sizes(at)
    allocate (a(n,n), c(n,n), k(n), x(n), y(n))
    a = reshape([(mod(i*37, 101)*0.01d0, i = 1, n*n)], [n, n])
    c = reshape([(mod(i*53, 97)*0.0175d0, i = 1, n*n)], [n, n])
    k = [(mod(i*29, 31), i = 1, n)]
    call simple(n, a, k, 0.95d0)
    print '(4z17.16)', a
    print '(12i6)', k
    call around(n, a, c, k)
    print '(4z17.16)', a, c
    print '(12i6)', k
    call called(n, a, k)
    call inside(n, a, c)
    print '(4z17.16)', a, c
    print '(12i6)', k
    call both(n, a, x, y)
    print '(4z17.16)', x, y
    deallocate (a, c, k, x, y)
  end do
end program
