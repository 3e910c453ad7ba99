module cells
  implicit none
  type cell
    logical :: wall, open(3)
    real(8) :: x
  end type
  logical :: fluid(45,45)
contains
  subroutine mark(m, x)
    logical, intent(out) :: m
    real(8), intent(in) :: x
    m = x > 0.25d0
  end subroutine
  subroutine columns(n, m, x)
    integer, intent(in) :: n
    logical, intent(inout) :: m(n)
    real(8), intent(inout) :: x(n)
    integer :: i
    do i = 2, n
      m(i) = m(i-1) .neqv. x(i) < 0
      if (.not. m(i)) x(i) = x(i)*0.5d0
    end do
  end subroutine
end module

subroutine kernel(n, obj, m1, m4, m8, x, y)
  use cells
  implicit none
  integer, intent(in) :: n
  type(cell), intent(inout) :: obj
  logical(1), intent(inout) :: m1(n,n)
  logical, intent(inout) :: m4(0:n+1,n)
  logical(8), intent(inout) :: m8(n,-1:n)
  real(8), intent(inout) :: x(n,n), y(n,n)
  logical :: own(n), mine(3)
  integer :: i, j
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (m4(i,j)) x(i,j) = x(i,j) + 1
      if (m1(i,j) .and. .not. m8(i,j)) y(i,j) = x(i,j)*2
      if (m1(i,j) .eqv. m8(i,j-1)) y(i,j) = y(i,j) - 0.5d0
    end do
  end do
  ! Comparisons, constants, other kinds, copies, NaN.
  !$dvm region
  do j = 1, n
    do i = 1, n
      m4(i,j) = x(i,j) > y(i,j)
      m1(i,j) = m4(i-1,j) .or. m8(i,j) .and. y(i,j) < 0.25d0
      m8(i,j) = .not. m1(i,j) .and. i /= j
    end do
  end do
  !$dvm region
  do j = 1, n
    m4(0,j) = .true.
    m4(n+1,j) = .false.
    do i = 1, n
      m1(i,j) = m4(i,j)
      m8(i,j) = m1(i,j) .neqv. m8(i,j-1)
    end do
  end do
  ! Statements about arrays.
  !$dvm region
  where (m4(1:n,:))
    x = y*0.5d0
  elsewhere
    y = y + x
  end where
  !$dvm region
  m1(:,:) = x(:,:) < y(:,:) .or. m4(1:n,:)
  !$dvm region
  m4(1:n,:) = m4(0:n-1,:)
  !$dvm region
  where (x > 0.5d0) m1 = m8(:,1:n)
  !$dvm region
  m8(:,1:n) = .false.
  ! Components, a module's array, an array of each iteration, subroutines.
  !$dvm region
  do j = 1, n
    do i = 1, n
      if (obj%wall) x(i,j) = x(i,j) + obj%x
      if (obj%open(2) .and. .not. obj%open(3)) y(i,j) = -y(i,j)
      fluid(i,j) = m4(i,j) .and. .not. obj%open(1)
    end do
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      mine(1) = x(i,j) > 0
      mine(2) = fluid(i,j)
      mine(3) = mine(1) .and. mine(2)
      if (mine(3)) y(i,j) = y(i,j) + 0.125d0
      call mark(m4(i,j), y(i,j))
    end do
  end do
  !$dvm region
  do j = 1, n
    call columns(n, m4(1,j), x(:,j))
  end do
  !$dvm region
  do i = 1, n
    own(i) = m4(i,1) .or. m8(i,n)
  end do
  ! Which one is taken, by a mask, of whole arrays and of elements.
  !$dvm region
  do j = 1, n
    do i = 1, n
      x(i,j) = merge(x(i,j), y(i,j), x(i,j) < y(i,j)) + merge(1.5d0, 0.25d0, m4(i,j))
      m8(i,j) = merge(m8(i,j), m8(i,j-1), fluid(i,j) .or. own(i))
      y(merge(i, 1, m4(i,j)),j) = y(i,j)*0.5d0
    end do
  end do
  !$dvm region
  y(:,:) = merge(x(:,:), 0.125d0, m8(:,1:n)) - merge(y(:,:), x(:,:), x(:,:) > y(:,:))
  !$dvm region independent
  do i = 1, 3
    obj%open(i) = obj%wall .neqv. mod(i, 2) == 0
  end do
  print '(40l2)', own, obj%open
end subroutine

subroutine shapes(m, n, x)
  implicit none
  logical, intent(inout) :: m(:,:)
  logical, allocatable :: t(:)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n,n)
  integer :: i, j
  allocate (t(n))
  !$dvm region
  do i = 1, n
    t(i) = x(i,1) > 0.75d0
  end do
  !$dvm region
  do j = 1, n
    do i = 1, n
      m(i,j) = t(i) .or. x(i,j) < 0.1d0
    end do
  end do
  print '(40l2)', t
end subroutine

program main
  use cells
  implicit none
  interface
    subroutine shapes(m, n, x)
      logical, intent(inout) :: m(:,:)
      integer, intent(in) :: n
      real(8), intent(inout) :: x(n,n)
    end subroutine
  end interface
  integer, parameter :: sizes(6) = [1, 2, 3, 7, 24, 45]
  integer :: one
  do one = 1, 6
    call run(sizes(one))
  end do
contains
  subroutine run(n)
    integer, intent(in) :: n
    real(8) :: x(n,n), y(n,n), none
    logical(1) :: m1(n,n)
    logical :: m4(0:n+1,n), wide(2*n,n)
    logical(8) :: m8(n,-1:n)
    type(cell) :: obj
    integer :: i, j
    none = 0
    none = none/none
    obj = cell(n > 2, [mod(n, 2) == 0, .true., mod(n, 3) == 0], 0.0625d0)
    m4 = .false.
    m8 = .true.
    do j = 1, n
      do i = 1, n
        x(i,j) = 1.0d0/(i + 2*j) - mod(i, 5)*0.1d0
        y(i,j) = i*0.25d0 - j*0.125d0
        m1(i,j) = mod(i*j, 3) == 0
        m4(i,j) = mod(i + j, 4) < 2
        m8(i,j) = i > j
      end do
    end do
    if (n > 3) x(3,2) = none
    call kernel(n, obj, m1, m4, m8, x, y)
    print '(4z17.16)', x, y
    print '(20z4)', m1
    print '(16z9)', m4
    print '(8z17)', m8
    wide = .false.
    call shapes(wide(1:n,:), n, y)
    call shapes(wide(1:2*n:2,:), n, x)
    print '(16z9)', wide
    print '(16z9)', fluid(1:n,1:n)
  end subroutine
end program
