! Directives are comments where no option makes statements of them.
subroutine kernel(n, u, v)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n,n), v(n,n)
  integer :: i, j
!$omp parallel
!$dvm region
  !$omp do private(i) &
  !$omp& schedule(static)
  do j = 2, n - 1
    !$ u(1,1) = 17
    !$omp simd
    !dir$ vector always
    do i = 2, n - 1
      v(i,j) = u(i-1,j)*0.5d0 &
!$         + 1000 &
!$omp    &
               + u(i+1,j)
    end do
!$acc end loop
  end do
  !$omp end do
  !$omp do
  do j = 2, n - 1
    !GCC$ ivdep
    do i = 2, n - 1
      u(i,j) = v(i,j-1) + v(i,j+1)
!$    u(i,j) = 0
    end do
  end do
!$dvm end region
!$omp end parallel
end subroutine

program main
  implicit none
  real(8) :: u(40,40), v(40,40)
  integer :: i, j
  do j = 1, 40
    do i = 1, 40
      u(i,j) = i + 0.3d0*j
      v(i,j) = i - 0.1d0*j
    end do
  end do
  call kernel(40, u, v)
  print '(8z17.16)', u, v
end program
