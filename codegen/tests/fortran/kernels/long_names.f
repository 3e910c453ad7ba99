c     Names as long as a line, whose names for the linker are longer.
      module a_module_of_which_the_name_is_as_long_as_a_line_may_be_long
      implicit none
      real(8) :: scaled_by = 1.5d0
      contains
      subroutine a_procedure_of_which_the_name_is_as_long_as_a_line_may_
     &  (a, n)
      integer, intent(in) :: n
      real(8), intent(inout) :: a(:,:)
      integer :: i, j
!$dvm region
      do 20 j = 1, n
        do 10 i = 1, n
          a(i,j) = a(i,j)*scaled_by + i
   10   continue
   20 continue
      end subroutine
      end module
      program main
      use a_module_of_which_the_name_is_as_long_as_a_line_may_be_long
      implicit none
      integer, parameter :: n = 25
      real(8) :: a(n,n)
      integer :: i, j
      do j = 1, n
        do i = 1, n
          a(i,j) = i - 0.25d0*j
        end do
      end do
      call a_procedure_of_which_the_name_is_as_long_as_a_line_may_
     &  (a, n)
      print '(4z17.16)', a
      end program
