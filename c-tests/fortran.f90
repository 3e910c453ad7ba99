! The Fortran module: every group of its procedures, texts, lists of ids, call-backs of both forms, errors.
module tasks
  use dvm
  use, intrinsic :: iso_c_binding
  implicit none

  integer(c_int), target :: scale = 3
  integer :: frees = 0

contains

  integer(c_int) function add(a_id, b_id, sum_id) bind(C) result(status)
    integer(c_int64_t), intent(in) :: a_id(2), b_id(2), sum_id(2)
    real(c_double), pointer :: a, b, total
    a => number(a_id)
    b => number(b_id)
    total => number(sum_id)
    total = a + b
    status = 0
  end function add

  ! The form with a context and any number of ids.
  integer(c_int) function scaled_sum(context, ids, count) bind(C) result(status)
    type(c_ptr), value :: context
    integer(c_int), value :: count
    integer(c_int64_t), intent(in) :: ids(2, count)
    integer(c_int), pointer :: factor
    real(c_double), pointer :: total
    integer :: i
    call c_f_pointer(context, factor)
    total => number(ids(:, count))
    total = 0
    do i = 1, count - 1
      associate (term => number(ids(:, i)))
        total = total + term
      end associate
    end do
    total = factor * total
    status = 0
  end function scaled_sum

  integer(c_int) function fail() bind(C) result(status)
    status = 21
  end function fail

  subroutine count_free(addr, size) bind(C)
    type(c_ptr), value :: addr
    integer(c_size_t), value :: size
    if (c_associated(addr) .and. size == 8) frees = frees + 1
  end subroutine count_free

  function number(id) result(value)
    integer(c_int64_t), intent(in) :: id(2)
    real(c_double), pointer :: value
    type(c_ptr) :: address
    integer(c_size_t) :: bytes
    nullify (value)
    if (dvm_data_get(id, address, bytes) == DVM_SUCCESS) call c_f_pointer(address, value)
  end function number

end module tasks

program fortran_test
  use dvm
  use tasks
  use, intrinsic :: iso_c_binding
  implicit none

  integer :: checks = 0, failures = 0
  integer(c_int64_t) :: rank(DVM_MAX_RANK_DEPTH), other(DVM_MAX_RANK_DEPTH), sizes(DVM_MAX_RANK_DEPTH)
  integer(c_int64_t) :: add_id(2), sum_id(2), fail_id(2), none(2)
  integer(c_int64_t) :: ids(2, 3), many(2, 11), pus, distance, load, process, processes
  integer(c_int) :: dimension
  real(c_double), target :: value = 4.0_c_double
  real(c_double), pointer :: p
  integer :: i

  call expect(dvm_wait() == DVM_ERR_NOT_INITIALIZED, 'wait before init')
  call expect(len(dvm_last_error()) > 0, 'an error has a text')
  call expect(dvm_strerror(DVM_SUCCESS) /= dvm_strerror(DVM_ERR_ID), 'codes have texts')

  call good(dvm_init())
  call good(dvm_process(process, processes))
  call expect(process == 0 .and. processes == 1, 'one process')
  call good(dvm_rank_dimension(dimension))
  call good(dvm_rank_size(sizes, DVM_MAX_RANK_DEPTH))
  call expect(all(sizes(:dimension) >= 1), 'sizes')
  call good(dvm_rank_count(pus))
  call good(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH))
  call good(dvm_rank_at(pus - 1, other, DVM_MAX_RANK_DEPTH))
  call good(dvm_rank_distance(rank, other, distance))
  call expect((distance == 0) .eqv. (pus == 1), 'distance')
  call expect(dvm_rank_at(pus, other, DVM_MAX_RANK_DEPTH) == DVM_ERR_RANK, 'no such PU')

  ! Three plain arguments, and a datum that frees itself.
  call good(dvm_processing_register(c_funloc(add), 3, 'add', add_id))
  call good(dvm_processing_access(add_id, [DVM_IN, DVM_IN, DVM_OUT]))
  call good(dvm_data_register(c_loc(value), c_sizeof(value), c_funloc(count_free), ids(:, 1)))
  call good(dvm_data_allocate(8_c_size_t, ids(:, 2)))
  p => number(ids(:, 2))
  p = 0.5
  call good(dvm_data_put(ids(:, 2)))
  call good(dvm_data_promise(8_c_size_t, ids(:, 3)))
  call good(dvm_sched_onto(rank, add_id, ids))
  call expect(dvm_sched_onto(rank, add_id, ids(:, :2)) == DVM_ERR_ARGUMENT, 'a list that is too short')
  call expect(dvm_sched_onto(rank, add_id) == DVM_ERR_ARGUMENT, 'no list')
  call good(dvm_wait())
  p => number(ids(:, 3))
  call expect(p == 4.5, 'add')
  call good(dvm_data_put(ids(:, 3)))
  call good(dvm_data_relax(ids(:, 3)))
  call expect(frees == 1, 'free_cb')
  call expect(dvm_data_relax(ids(:, 1)) == DVM_ERR_ID, 'a stale id')
  call good(dvm_sched_load(rank, load))
  call expect(load == 0, 'load')

  ! Ten inputs and an output, a context, no description, near the data.
  call good(dvm_processing_register_v(c_funloc(scaled_sum), c_loc(scale), 11, id=sum_id))
  call good(dvm_processing_access(sum_id, [(DVM_IN, i = 1, 10), DVM_OUT]))
  do i = 1, 11
    call good(dvm_data_promise(8_c_size_t, many(:, i)))
  end do
  call good(dvm_sched_near(sum_id, many))
  do i = 1, 10
    block
      type(c_ptr) :: address
      integer(c_size_t) :: bytes
      real(c_double), pointer :: x
      call good(dvm_data_write(many(:, i), address, bytes))
      call c_f_pointer(address, x)
      x = i
      call good(dvm_data_publish(many(:, i)))
    end block
  end do
  p => number(many(:, 11))
  call expect(p == 3 * 55, 'a sum of ten')
  call good(dvm_data_put(many(:, 11)))
  call good(dvm_data_relax(many(:, 11)))
  call good(dvm_wait())

  ! Names, failures.
  call expect(dvm_processing_register_by_name('no_such_function', 1, none) == DVM_ERR_SYMBOL, 'no such name')
  call expect(index(dvm_last_error(), 'no_such_function') > 0, 'the name is told')
  call good(dvm_processing_register_by_name('fail', 0, fail_id))
  call good(dvm_sched_onto(rank, fail_id))
  call expect(dvm_wait() == DVM_ERR_TASK, 'a task failed')
  call expect(index(dvm_last_error(), '21') > 0, 'its code is told')
  call good(dvm_processing_unregister(add_id))
  call good(dvm_processing_unregister(sum_id))
  call expect(dvm_processing_unregister(sum_id) == DVM_ERR_PROCESSING, 'unregistered twice')
  call good(dvm_finalize())

  print '(a, i0, a, i0, a)', 'fortran: ', checks, ' checks, ', failures, ' failed'
  if (failures > 0) error stop 1

contains

  subroutine good(code)
    integer(c_int), intent(in) :: code
    call expect(code == DVM_SUCCESS, 'success')
    if (code /= DVM_SUCCESS) print '(3a)', dvm_strerror(code), ': ', dvm_last_error()
  end subroutine good

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    checks = checks + 1
    if (condition) return
    failures = failures + 1
    print '(a, i0, 2a)', 'failed: check ', checks, ': ', what
  end subroutine expect

end program fortran_test
