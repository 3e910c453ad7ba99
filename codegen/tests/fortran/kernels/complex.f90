! Complex numbers: products and quotients by Fortran's rules, parts, functions, constants, reductions.
module complex_of
  implicit none
  complex(8), parameter :: quarter = (0.25d0, -0.5d0)
contains
  pure complex(8) function turned(z, r)
    complex(8), intent(in) :: z
    real(8), intent(in) :: r
    turned = z*cmplx(r, 1d0 - r, 8)
  end function
  pure real(8) function size_of(z)
    complex(8), intent(in) :: z
    size_of = abs(z)
  end function
  subroutine shift(z, w)
    complex(8), intent(inout) :: z
    complex(8), intent(in) :: w
    z = z + conjg(w)
  end subroutine
end module
subroutine kernel(n, a, b, c, x, alpha)
  use complex_of
  implicit none
  integer, intent(in) :: n
  complex(8), intent(inout) :: a(n,n), b(n,n), alpha
  complex(4), intent(inout) :: c(:,:)
  real(8), intent(inout) :: x(n)
  complex(8) :: t
  complex(8) zero
  parameter (zero = (0d0, 0d0))
  integer :: i, j, l
  !$dvm region
  do j = 1, n
    do l = 1, n
      t = alpha*b(l,j)
      do i = 1, n
        a(i,j) = a(i,j) + t*b(i,l)
      end do
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      b(i,j) = conjg(b(i,j))/(a(i,j) + (3d0, -1d0)) - dble(i)*a(i,j) + (0.5d0, -0.25d0)
      if (a(i,j) /= (0d0, 0d0)) b(i,j) = -b(i,j)*real(a(i,j), 8)
      c(i,j) = cmplx(c(i,j)*(2., 1.) + aimag(b(i,j))*1e-3) / (1.5, 0.25)
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      a(i,j) = turned(a(i,j), x(i)) + c(i,j)
      call shift(a(i,j), b(i,j))
      if (i == j) a(i,j) = cmplx(real(a(i,j)), 0d0, 8)
    end do
    x(j) = dble(a(1,j))*0.001d0 + dimag(alpha)
  end do
  !$dvm region
  b(:,1) = a(:,1)*alpha
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (b(i,j) == zero) b(i,j) = quarter
      b(i,j) = b(i,j)/x(i) + quarter*c(i,j) - i*alpha
      c(i,j) = conjg(c(i,j) - (b(i,j)*0.001d0)) / (c(i,j) + 2)
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      t = a(i,j)*alpha
      b(i,j) = b(i,j) + abs(t)*size_of(b(i,j)) + cdabs(-conjg(a(j,i)))
      c(i,j) = c(i,j) + abs(c(i,j)) + cabs(c(i,j)*2)
    end do
  end do
end subroutine
program main
  implicit none
  interface
    subroutine kernel(n, a, b, c, x, alpha)
      integer, intent(in) :: n
      complex(8), intent(inout) :: a(n,n), b(n,n), alpha
      complex(4), intent(inout) :: c(:,:)
      real(8), intent(inout) :: x(n)
    end subroutine
  end interface
  integer, parameter :: sizes(4) = [1, 2, 7, 13]
  complex(8), allocatable :: a(:,:), b(:,:)
  complex(8) :: alpha
  complex(4), allocatable :: c(:,:)
  real(8), allocatable :: x(:)
  integer :: i, j, k, n
  do k = 1, 4
    n = sizes(k)
    allocate(a(n,n), b(n,n), c(n,n), x(n))
    alpha = (0.3d0, -0.7d0)
    do j = 1, n
      x(j) = j*0.1d0
      do i = 1, n
        a(i,j) = cmplx(i*0.3d0, j*0.7d0, 8)
        b(i,j) = cmplx(1d0/i, -j*0.01d0, 8)
        c(i,j) = cmplx(i, j)*0.1
      end do
    end do
    call kernel(n, a, b, c, x, alpha)
    do j = 1, n
      do i = 1, n
        print '(4z17.16,2z9.8)', a(i,j), b(i,j), c(i,j)
      end do
    end do
    print '(z17.16)', x
    deallocate(a, b, c, x)
  end do
end program
