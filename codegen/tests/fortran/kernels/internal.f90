! Internal procedures that use arrays, scalars, pointers and bounds of the procedure or program around, and that hide some.
module mm
  implicit none
  real(8) :: shared(40) = 1
contains
  subroutine kernel(n, a, c, d, p, k)
    integer, intent(in) :: n
    real(8) :: a(n,n), c(:), d(0:n, -1:*)
    real(8), pointer :: p(:)
    integer :: k(n), i, it
    real(8), target :: x(40), v(40)
    real(8), pointer :: q(:)
    real(8), allocatable :: w(:)
    real(8) :: t, s, z(n), loc(-2:40)
    integer :: m = 3
    x = 1; t = 7; s = 0; z = 2; loc = 0.5d0
    v = 3
    q => v(2:35)
    allocate(w(-3:n))
    w = 0.25d0
    i = 77
    do it = 1, 2
      call one
      call two(it)
      call three
      call four(i)
    end do
    call five(z)
    call six
    call seven
    print '(4z17.16)', x, v, w, z, loc(0:5), s, t
    print *, i, k, m
  contains
    subroutine one
      integer :: j, l
      !$dvm region
      do j = 1, n
        do l = 1, n
          a(l,j) = a(l,j)*0.5d0 + c(j)*z(l) + d(l,-1) + d(0,j-1) + w(l-2) + loc(l) + m
        end do
      end do
    end subroutine
    subroutine two(s)
      integer, intent(in) :: s
      integer :: j
      !$dvm region
      do j = 2, 30
        x(j) = q(j)*0.5d0 + s
      end do
      !$dvm region
      do j = 1, n
        q(j) = q(j) + x(j)*2
      end do
      !$dvm region
      do j = 1, n
        c(j) = c(j) + j
      end do
      !$dvm region
      do j = 1, n
        loc(j) = loc(j) + shared(j) + t
        w(j) = w(j)*2 + lbound(w,1)
        k(j) = k(j) + j*m
      end do
    end subroutine
    subroutine three
      integer :: j
      !$dvm region reduction(+:s)
      do j = 1, n
        s = s + z(j)
      end do
    end subroutine
    subroutine four(m)
      integer, intent(in) :: m
      integer :: j, t
      !$dvm region
      do j = 1, n
        t = j*2
        z(j) = z(j) + t + m
      end do
    end subroutine
    subroutine leaf(j)
      integer, intent(in) :: j
      loc(j) = loc(j) + m + n
    end subroutine
    subroutine seven
      integer :: j
      !$dvm region
      do j = 1, n
        call leaf(j)
      end do
    end subroutine
    subroutine five(y)
      real(8), intent(in) :: y(:)
      integer :: j
      !$dvm region
      do j = 2, n
        loc(j) = y(j-1) + loc(j)
      end do
    end subroutine
    subroutine six
      integer :: j, n
      n = 4
      !$dvm region
      do j = 1, n
        z(j) = z(j)*3 + w(n) + p(j)
      end do
      !$dvm region
      do j = 2, 20
        p(j) = x(j - 1) + p(j)
      end do
    end subroutine
  end subroutine
end module
program main
  use mm
  implicit none
  real(8), target :: a(20,20), c(60), d(500)
  real(8), pointer :: p(:)
  integer :: k(20), tot = 0, i
  a = reshape([(mod(i,7)*0.25d0, i=1,400)], [20,20]); c = [(i*1d0, i=1,60)]; d = [(i*0.125d0, i=1,500)]
  p => c(30:60)
  k = 2
  call kernel(20, a, c(1:60:3), d, p, k)
  call kernel(20, a, c, d, p, k)
  print '(4z17.16)', a, c, d(1:20)
  call more(4)
  print *, tot
contains
  subroutine more(n)
    integer, intent(in) :: n
    integer :: i
    !$dvm region
    do i = 1, n
      a(i,i) = a(i,i) + tot + n
    end do
    tot = tot + int(sum(a))
    tot = tot + sum(k)
  end subroutine
end program
