!> Names of `associate` for components, elements, sections and objects, around loops and inside of them.
module tiles_of_a_field
  implicit none
  type tile
    integer :: lo, hi
    real(8) :: weight
    real(8), allocatable :: u(:,:)
    real(8), pointer :: v(:,:)
    real(4) :: edge(-1:50)
  end type
  type chunk
    type(tile), allocatable :: tiles(:)
    integer :: count
  end type
contains
  subroutine make(this, n)
    type(tile), intent(inout) :: this
    integer, intent(in) :: n
    integer :: i, j
    allocate(this%u(-2:n, 0:n), this%v(n + 2, -1:n))
    this%lo = 1
    this%hi = n - 1
    this%weight = 0.3d0
    do j = -1, n
      do i = -2, n
        if (j >= 0) this%u(i,j) = i + 0.25d0*j
        if (i > 0) this%v(i,j) = i*0.5d0 - j
      end do
    end do
    this%edge = [(0.5*i, i = -1, 50)]
  end subroutine

  subroutine kernel(c, a, n)
    type(chunk), intent(inout) :: c
    integer, intent(in) :: n
    real(8), intent(inout) :: a(0:n,0:n)
    real(8) :: y, scale
    integer :: i, j, k
    do k = 1, c%count
      associate (t => c%tiles(k), first => c%tiles(1))
        associate (u => t%u, v => t%v, lo => t%lo, hi => t%hi, shift => 2*k)
          !$dvm region
          do j = lo, hi
            do i = lo, hi - 1
              y = v(i,j - 1)*t%weight + shift
              u(i,j) = y*0.5d0 + u(i - 1,j)
            end do
          end do
        end associate
        if (k > 1) then
          associate (tiles => c%tiles)
            !$dvm region
            do j = first%lo, tiles(k)%hi
              t%edge(j) = tiles(1)%edge(j - 1)*2 + real(first%weight, 4)
            end do
          end associate
        end if
      end associate
    end do
    scale = 0.5d0
    associate (column => a(:,n), corner => a(1,1), inner => a(1:n,1:n - 1), s => scale)
      !$dvm region
      do j = 2, n
        do i = 1, n
          column(i + 1) = column(i + 1) + inner(2,2)*s
        end do
      end do
      !$dvm region
      do i = lbound(column, 1), ubound(column, 1)
        column(i) = column(i) - corner
      end do
    end associate
    !$dvm region
    do j = 0, n
      do i = 0, n
        a(i,j) = a(i,j) + scale
      end do
    end do
  end subroutine
end module

program main
  use tiles_of_a_field
  implicit none
  integer :: k, i, j
  integer, parameter :: n = 30
  type(chunk) :: c
  real(8) :: a(0:n,0:n)
  c%count = 3
  allocate(c%tiles(3))
  do k = 1, 3
    call make(c%tiles(k), 28 + k)
  end do
  a = reshape([((i*0.5d0 - j, i = 0, n), j = 0, n)], [n + 1, n + 1])
  call kernel(c, a, n)
  do k = 1, 3
    print '(8z17.16)', c%tiles(k)%u, c%tiles(k)%v
    print '(8z9.8)', c%tiles(k)%edge
  end do
  print '(8z17.16)', a
end program
