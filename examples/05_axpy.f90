! 05 axpy: y = a x + y in Fortran, block by block on all cores, in place.
!
!     gfortran 05_axpy.f90 -o axpy $(pkg-config --cflags --libs dvm-fortran dvm) && ./axpy
!
! A task is a bind(C) function. Its arguments are identifiers of data; dvm_data_get returns the address behind one, and
! c_f_pointer turns an address into a Fortran array. A datum is written once: dvm_data_next makes the datum that takes over the
! memory of a block of y, without a copy.
module axpy_task
  use dvm
  use, intrinsic :: iso_c_binding
  implicit none

  real(c_double), parameter :: a = 2.0_c_double

contains

  ! Reads x and y, writes y_new: it is in y's memory, so it begins with y's numbers.
  integer(c_int) function axpy(x_id, y_id, y_new_id) bind(C) result(status)
    integer(c_int64_t), intent(in) :: x_id(2), y_id(2), y_new_id(2)
    real(c_double), pointer :: x(:), y(:)

    status = 1 ! a task that returns anything but 0 has failed, and dvm_wait says so
    if (y_id(2) == y_new_id(2)) return
    if (.not. numbers(x_id, x)) return
    if (.not. numbers(y_new_id, y)) return
    y = a * x + y
    status = 0
  end function axpy

  ! The numbers behind an identifier.
  logical function numbers(id, values)
    integer(c_int64_t), intent(in) :: id(2)
    real(c_double), pointer, intent(out) :: values(:)
    type(c_ptr) :: address
    integer(c_size_t) :: bytes

    nullify (values)
    numbers = dvm_data_get(id, address, bytes) == DVM_SUCCESS
    if (numbers) call c_f_pointer(address, values, [bytes / c_sizeof(1.0_c_double)])
  end function numbers

end module axpy_task

program axpy_program
  use dvm
  use axpy_task
  use, intrinsic :: iso_c_binding
  implicit none

  integer, parameter :: blocks = 16, length = 1000
  integer(c_size_t), parameter :: bytes = length * c_sizeof(1.0_c_double) ! of one block
  real(c_double), target :: x(length, blocks), y(length, blocks)
  integer(c_int64_t) :: axpy_id(2), rank(DVM_MAX_RANK_DEPTH), cores
  integer(c_int64_t) :: ids(2, 3), result_ids(2, blocks)
  integer :: i, block

  x = 1
  do block = 1, blocks
    y(:, block) = [(real(i, c_double), i = 1, length)]
  end do

  call check(dvm_init())
  call check(dvm_rank_count(cores))
  call check(dvm_processing_register(c_funloc(axpy), 3, "axpy", axpy_id))
  call check(dvm_processing_access(axpy_id, [DVM_IN, DVM_IN, DVM_OUT]))

  do block = 1, blocks
    ! The program's own arrays, used in place. c_null_funptr: no call when they are free again.
    call check(dvm_data_register(c_loc(x(1, block)), bytes, c_null_funptr, ids(:, 1)))
    call check(dvm_data_register(c_loc(y(1, block)), bytes, c_null_funptr, ids(:, 2)))
    call check(dvm_data_next(ids(:, 2), ids(:, 3)))
    call check(dvm_rank_at(mod(int(block, c_int64_t), cores), rank, DVM_MAX_RANK_DEPTH))
    call check(dvm_sched_onto(rank, axpy_id, ids))
    result_ids(:, block) = ids(:, 3)
  end do
  call check(dvm_wait())

  print '(a, f0.1, a, f0.1, a, f0.1)', 'y(1) = ', y(1, 1), ', y(2) = ', y(2, 1), ', y(last) = ', y(length, blocks)
  print '(a, f0.1)', 'sum of y = ', sum(y)

  do block = 1, blocks
    call check(dvm_data_relax(result_ids(:, block)))
  end do
  call check(dvm_finalize())

contains

  ! Every call returns a code; 0 is success.
  subroutine check(code)
    integer(c_int), intent(in) :: code
    if (code == DVM_SUCCESS) return
    print '(4a)', dvm_strerror(code), ': ', dvm_last_error()
    error stop 1
  end subroutine check

end program axpy_program
