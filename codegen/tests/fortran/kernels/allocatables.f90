! Allocatable arrays of a module, of the procedure and of its arguments; pointers and targets; bounds that are elements.
module store
  implicit none
  real(8), allocatable :: heap(:,:)
  integer, target :: sizes(-1:2)
  real(8), target :: aim(40)
end module

subroutine kernel(a, p, k, weight)
  use store
  implicit none
  real(8), allocatable, intent(inout) :: a(:,:)
  real(8), pointer :: p(:,:)
  integer, intent(in) :: k(3)
  real(8), intent(in), target :: weight
  real(8), allocatable :: own(:)
  integer :: i, j
  allocate(own(-3:60))
  own = [(0.125d0*i, i = -3, 60)]
!$dvm region
  do j = sizes(-1), k(3) - 1
    do i = k(1), sizes(0)
      a(i,j) = heap(i,j)*weight + p(i,j - 1)
      heap(i,j) = own(i - k(1)) + aim(i)
    end do
  end do
  do i = k(1), sizes(1), 1
    own(i) = own(i) + heap(i, k(2))
  end do
!$dvm end region
  heap(1,:) = own(1:size(heap, 2))
end subroutine

program main
  use store
  implicit none
  interface
    subroutine kernel(a, p, k, weight)
      real(8), allocatable, intent(inout) :: a(:,:)
      real(8), pointer :: p(:,:)
      integer, intent(in) :: k(3)
      real(8), intent(in), target :: weight
    end subroutine
  end interface
  real(8), allocatable :: a(:,:)
  real(8), pointer :: p(:,:)
  integer :: i, j
  allocate(a(0:40,-1:35), p(40,0:33), heap(-1:42,1:35))
  sizes = [2, 34, 30, 0]
  do j = -1, 35
    do i = -1, 42
      if (i >= 0 .and. i <= 40) a(i,j) = i*0.1d0 - j
      if (i > 0 .and. i <= 40 .and. j >= 0 .and. j <= 33) p(i,j) = i + j*0.01d0
      if (j > 0) heap(i,j) = i - 0.3d0*j
    end do
  end do
  aim = [(1.0d0/i, i = 1, 40)]
  call kernel(a, p, [1, 2, 34], 0.75d0)
  print '(8z17.16)', a, p, heap
end program
