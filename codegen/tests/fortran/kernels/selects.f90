module materials
  implicit none
  integer, parameter :: ice = -7, water = 3
  integer(8), parameter :: first = 10_8, last = 14_8
end module

subroutine phases(n, kind, wide, t, q)
  use materials
  implicit none
  integer, intent(in) :: n, kind(n,n)
  integer(8), intent(in) :: wide(0:n+1)
  real(8), intent(inout) :: t(n,n), q(n,n)
  integer :: i, j, m
  integer, parameter :: most = 12
  ! Values, ranges, named constants and a default in the middle.
  !$dvm region
  do j = 1, n
    do i = 1, n
      select case (kind(i,j))
      case (1, ice, 5:6)
        t(i,j) = t(i,j)*0.5d0
      case default
        t(i,j) = t(i,j) - 1
      case (:-9)
        q(i,j) = t(i,j) + q(i,j)
      case (water)
      case (20:)
        do m = 1, 3
          t(i,j) = t(i,j) + m*q(i,j)
        end do
      end select
      q(i,j) = q(i,j)*0.75d0
    end do
  end do
  ! No default; computed selectors; the other kind; a range without values.
  !$dvm region
  do j = n, 2, -1
    select case (mod(j, 4) + 1)
    case (2)
      do i = 1, n
        q(i,j) = q(i,j) + t(i,j)
      end do
    case (4, 1)
      do i = 2, n - 1, 2
        q(i,j) = q(i,j-1)*0.25d0
      end do
    end select
    do i = 1, n
      select case (wide(i))
      case (first:last)
        t(i,j) = 2
      case (9_8:8_8)
        t(i,j) = 99
      case (5000000000_8:)
        t(i,j) = 3
      end select
    end do
  end do
  ! One in another, names, a branch in one, and a loop around that only one part has.
  !$dvm region
  rows: do j = 1, n
    columns: do i = 1, n
      which: select case (kind(i,j)/2 - ice)
      case (:-1) which
        if (t(i,j) > 0) then
          t(i,j) = -t(i,j)
        else
          select case (i - j)
          case (0)
            t(i,j) = t(i,j) + 0.125d0
          case default
            t(i,j) = q(i,j)
          end select
        end if
      case (0:most)
        if (q(i,j) < 0) cycle columns
        q(i,j) = sqrt(q(i,j))
      case default which
        t(i,j) = t(i,j) + 0.0625d0
      end select which
      t(i,j) = t(i,j) + q(i,j)
    end do columns
  end do rows
end subroutine

subroutine blocks(n, kind, t, q)
  implicit none
  integer, intent(in) :: n, kind(n,n)
  real(8), intent(inout) :: t(n,n), q(n,n)
  integer :: i, j
  real(8) :: s
  ! A `cycle` in a block, alone and behind statements, in parts of branches, and in loops that run down.
  !$dvm region
  do j = 1, n
    do i = n, 1, -2
      if (kind(i,j) > 3) then
        t(i,j) = 1
        cycle
      end if
      if (t(i,j) > 0) then
        s = q(i,j) + 3
        if (s < 0.5d0) cycle
        t(i,j) = s
      else if (t(i,j) < -7) then
        t(i,j) = 2
      end if
      t(i,j) = t(i,j) + 1
    end do
  end do
  !$dvm region
  do j = 1, n
    if (mod(j, 3) == 0) then
      q(1,j) = q(1,j) + 1
      cycle
    else if (kind(1,j) > 2) then
      cycle
    end if
    do i = 1, n
      if (t(i,j) < 0.3d0) then
        q(i,j) = q(i,j)*2
        if (kind(i,j) < 0) then
          t(i,j) = t(i,j) + 1
          cycle
        end if
        q(i,j) = q(i,j) - t(i,j)
        cycle
      end if
      t(i,j) = t(i,j) - q(i,j)
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      select case (kind(i,j))
      case (1:4)
        cycle
      case (5)
        t(i,j) = t(i,j)*3
        cycle
      end select
      call step(kind(i,j), t(i,j), q(i,j))
    end do
  end do
contains
  subroutine step(k, a, b)
    integer, intent(in) :: k
    real(8), intent(inout) :: a, b
    select case (k)
    case (:-1)
      a = a + b
    case (0)
      a = 4
    case default
      b = a*0.5d0
    end select
  end subroutine
end subroutine

program main
  implicit none
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: t(n,n), q(n,n)
    integer :: kind(n,n), x, y
    integer(8) :: wide(0:n+1)
    do y = 1, n
      do x = 1, n
        kind(x,y) = mod(7*x + 11*y, 39) - 12
        t(x,y) = 1.0d0/(x + 2*y) - mod(x, 5)*0.1d0
        q(x,y) = x*0.25d0 - y*0.125d0
      end do
    end do
    do x = 0, n + 1
      wide(x) = mod(5*x, 17) + 1000000000_8*mod(x, 7)
    end do
    if (n > 2) kind(2,1) = -huge(1) - 1
    if (n > 2) kind(1,2) = huge(1)
    call phases(n, kind, wide, t, q)
    print '(4z17.16)', t, q
    call blocks(n, kind, t, q)
    print '(4z17.16)', t, q
  end subroutine
end program
