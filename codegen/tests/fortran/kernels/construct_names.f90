! Loops and branches with names, and truths that are compared.
subroutine kernel(n, a, b, k, odd)
  implicit none
  integer, intent(in) :: n, k(n)
  logical, intent(in) :: odd
  real(8), intent(inout) :: a(n,n), b(n,n)
  logical :: large
  integer :: i, j
  !$dvm region
  columns: do j = 1, n
    rows: do i = 1, n
      if (k(i) > 3) cycle rows
      a(i,j) = a(i,j) + j
    end do rows
  enddo columns
  !$dvm end region
  !$dvm region
  COLUMNS2 : do j = 2, n
    do i = 1, n
      which: if (odd .eqv. k(j) > 2) then
        b(i,j) = a(i,j)*2
      else if (k(i) == 4) then which
        b(i,j) = a(i,j-1) - 1
      else which
        b(i,j) = 7
      end if which
    end do
  end do columns2
  !$dvm region
  outer: do j = 1, n
    do i = 1, n
      large = a(i,j) > 5 .neqv. odd
      if (large) b(i,j) = b(i,j) + 0.25d0
      if ((b(i,j) < 3 .eqv. .not. large) .or. (odd .neqv. .true.)) a(i,j) = a(i,j)*0.5d0
    end do
  end do outer
  ! What is not transformed keeps its names.
  search: do i = 1, n
    do j = 1, n
      if (k(i) == 3 .and. j == 2) exit search
      if (j > i) cycle search
      a(i,j) = a(i,j) + 1
    end do
  end do search
end subroutine

program main
  implicit none
  integer, parameter :: n = 31
  real(8) :: a(n,n), b(n,n)
  integer :: k(n), i, j
  do j = 1, n
    k(j) = mod(j*7, 5)
    do i = 1, n
      a(i,j) = mod(i*j, 11)
      b(i,j) = i - j
    end do
  end do
  call kernel(n, a, b, k, .true.)
  call kernel(n, a, b, k, .false.)
  print '(4z17.16)', a, b
end program
