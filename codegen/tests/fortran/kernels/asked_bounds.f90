module shapes
  implicit none
  real(8), allocatable :: held(:,:)
contains
  subroutine kernel(a, b, n, c, e, v)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(:,:), b(0:,-3:), c(n,*), e(2:,-n:)
    real(8), intent(inout) :: v(:)
    integer :: i, j
    integer(8) :: k
    !$dvm region
    do j = lbound(a,2) + 1, ubound(a,2) - 1
      do i = 2, size(a,1) - 1
        a(i,j) = a(i-1,j) + a(i,j+1)*0.5d0
      end do
    end do
    !$dvm region
    do j = lbound(b,2), ubound(b,2)
      do i = lbound(b,1), ubound(b,1)
        b(i,j) = b(i,j)*2 + size(b,1) + ubound(b,2)
      end do
    end do
    !$dvm region
    do j = 1, size(a, dim=2)
      do i = 1, ubound(c,1)
        c(i,j) = c(i,j) + a(i,j) + size(a)
      end do
    end do
    !$dvm region
    do j = lbound(held,2), ubound(held,2)
      do i = lbound(held,1), ubound(held,1)
        held(i,j) = held(i,j) + i - j
      end do
    end do
    !$dvm region
    do k = lbound(e,2,8), ubound(e,2,kind=8)
      do i = lbound(e,1), ubound(e,1)
        e(i,k) = e(i,k) + 1
      end do
    end do
    !$dvm region
    do i = size(v), 1, -1
      v(i) = v(i)*ubound(v,1)
    end do
  end subroutine
end module

program main
  use shapes
  implicit none
  integer, parameter :: sizes(7) = [0, 1, 2, 3, 7, 24, 31]
  integer :: one
  do one = 1, 7
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: a(n,n), b(n,n), c(n,n), e(n,n), v(2*n)
    integer :: x, y
    allocate(held(-1:n-2,4:n+3))
    do y = 1, n
      do x = 1, n
        a(x,y) = 1.0d0/(x + 2*y)
        b(x,y) = x*0.25d0 - y*0.125d0
        c(x,y) = x - y
        e(x,y) = x*y
        held(x-2,y+3) = x + 3*y
      end do
    end do
    v = [(x*0.5d0, x = 1, 2*n)]
    call kernel(a, b, n, c, e, v)
    print '(4z17.16)', a, b, c, e, held, v
    deallocate(held)
  end subroutine
end program
