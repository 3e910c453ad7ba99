! Components of derived types: numbers, arrays in the object, allocatables and pointers, through elements of arrays of objects.
module grids
  implicit none
  type field
    integer :: lo, hi(0:1)
    real(8) :: weight
    real(8), allocatable :: u(:,:)
    real(8), pointer :: v(:,:)
    real(4) :: edge(-1:50)
  end type
  type chunk
    type(field), allocatable :: fields(:)
    type(field) :: own
    integer(8) :: long
  end type
  type(chunk) :: all
contains
  subroutine make(this, n)
    type(field), intent(inout) :: this
    integer, intent(in) :: n
    integer :: i, j
    allocate(this%u(-2:n, 0:n), this%v(n + 2, -1:n))
    this%lo = 1
    this%hi = [n - 1, n]
    this%weight = 0.3d0
    do j = -1, n
      do i = -2, n
        if (j >= 0) this%u(i,j) = i + 0.25d0*j
        if (i > 0) this%v(i,j) = i*0.5d0 - j
      end do
    end do
    this%edge = [(0.5*i, i = -1, 50)]
  end subroutine

  subroutine kernel(c, t)
    type(chunk), intent(inout) :: c
    integer, intent(in) :: t
    integer :: i, j
    !$dvm region
    do j = c%fields(t)%lo, all%own%hi(1) - 1
      do i = all%own%lo + 1, c%fields(t - 1)%hi(0)
        c%fields(t)%u(i,j) = c%fields(t)%v(i,j)*all%own%weight + all%own%u(i - all%own%lo, j - 1) &
          + c%fields(t)%edge(i)
        all%own%v(i,j) = c%fields(t)%v(i, j - 1) - c%long
      end do
      all % own % edge(j) = c%fields(t)%edge(j - 1)*0.5
    end do
    !$dvm end region
  end subroutine
end module

program main
  use grids
  implicit none
  integer :: t
  type(chunk) :: c
  allocate(c%fields(3:6))
  c%long = 7
  do t = 3, 6
    call make(c%fields(t), 30)
  end do
  call make(all%own, 31)
  call kernel(c, 5)
  print '(8z17.16)', c%fields(5)%u, c%fields(5)%v, all%own%u, all%own%v
  print '(8z9.8)', c%fields(5)%edge, all%own%edge
end program
