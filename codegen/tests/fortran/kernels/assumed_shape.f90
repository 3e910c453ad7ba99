! Assumed shapes: contiguous ones run as tiles, others keep their loops.
module smoothing
  implicit none
  real(8), parameter :: weight = 0.25d0
  real(8) :: kept(0:40,40)
contains
  subroutine smooth(u, v)
    real(8), intent(in) :: u(0:,:)
    real(8), intent(inout) :: v(:,-1:)
    integer :: i, j
    !$dvm region name(smooth)
    do j = 2, 39
      do i = 2, 38
        kept(i,j) = weight*(u(i-1,j) + u(i+1,j)) + kept(i,j)
        v(i,j-2) = kept(i,j) - 1
      end do
    end do
  end subroutine
end module

program main
  use smoothing
  implicit none
  real(8) :: u(0:40,40), v(40,40), wide(120,40)
  integer :: j
  kept = 0
  v = 0
  do j = 1, 40
    u(:,j) = 0.1d0*j
    wide(:,j) = [(j*0.7d0, j = 1, 120)]
  end do
  call smooth(u, v)
  call smooth(wide(1:120:2,:), v)
  print '(4z17.16)', kept, v
end program
