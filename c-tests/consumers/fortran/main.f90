! A program that only uses installed files.
module consumer_task
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ran = 0
contains
  integer(c_int) function task() bind(C)
    ran = ran + 1
    task = 0
  end function task
end module consumer_task

program consumer
  use dvm
  use consumer_task
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int64_t) :: id(2), rank(DVM_MAX_RANK_DEPTH)

  call check(dvm_init())
  call check(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH))
  call check(dvm_processing_register(c_funloc(task), 0, 'task', id))
  call check(dvm_sched_onto(rank, id))
  call check(dvm_finalize())
  print '(a, i0, a)', 'consumer in Fortran: ', ran, ' task ran'
  if (ran /= 1) error stop 1
contains
  subroutine check(code)
    integer(c_int), intent(in) :: code
    if (code == DVM_SUCCESS) return
    print '(2a)', 'consumer: ', dvm_last_error()
    error stop 1
  end subroutine check
end program consumer
