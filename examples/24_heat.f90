! Heat in a plate whose left edge is held at 100 degrees. The one line for libdvm is the mark (docs/fortran.md).
program heat
  implicit none
  integer, parameter :: n = 1000, steps = 100
  real(8) :: u(n,n), v(n,n)
  integer :: i, j, t

  u = 0
  u(:,1) = 100

  !$dvm region
  do t = 1, steps
    do j = 2, n - 1
      do i = 2, n - 1
        v(i,j) = 0.25d0*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1))
      end do
    end do
    do j = 2, n - 1
      do i = 2, n - 1
        u(i,j) = v(i,j)
      end do
    end do
  end do

  print '(a,f10.6)', 'one column from the edge:', u(n/2,2)
  print '(a,f10.6)', 'ten columns from it:', u(n/2,11)
end program
