! 22 redistribute over processes: a matrix from a ScaLAPACK layout to blocks with a halo, and back, in Fortran.
!
!     gfortran 22_redistribute_over.f90 -o redistribute $(pkg-config --cflags --libs dvm-fortran dvm)
!     dvmrun -n 4 ./redistribute
!
! The same as 21 in C; here the stencil's local arrays are column-major, too, as usual in Fortran.
program redistribute
  use dvm
  use, intrinsic :: iso_c_binding
  implicit none

  integer, parameter :: n = 1000, block = 64, rows = 2, columns = 2, memories = rows * columns, rim = 1
  integer, parameter :: leading = 9 * block
  ! DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_
  integer(c_int), parameter :: descriptor(9) = [1, 0, n, n, block, block, 0, 0, leading]
  integer(c_size_t), parameter :: element(1) = [c_sizeof(1.0_c_double)]
  integer(c_int64_t), parameter :: two_n(2) = n, grid(2) = [rows, columns], rims(2) = rim

  type memory
    real(c_double), pointer :: at(:)
  end type memory

  type(dvm_distribution_t) :: solver, stencil
  type(dvm_redistribution_t) :: to_stencil, to_solver
  integer(c_int64_t) :: solver_id(2, memories), stencil_id(2, memories)
  type(memory) :: a(memories), b(memories)
  integer(c_int64_t) :: me, processes, process_of(memories)
  integer :: i, j, m, wrong

  call check(dvm_init())
  call check(dvm_process(me, processes))
  process_of = [(mod(int(m, c_int64_t), processes), m = 0, memories - 1)]
  call check(dvm_distribution_scalapack(descriptor, rows, columns, solver))
  call check(dvm_distribution_halo(2, two_n, grid, rims, rims, stencil))
  call check(dvm_distribution_set_order(stencil, [1, 0], 2)) ! the first index runs fastest
  call check(dvm_distribution_set_processes(solver, process_of, int(memories, c_int64_t)))
  call check(dvm_distribution_set_processes(stencil, process_of, int(memories, c_int64_t)))
  call check(dvm_redistribution_plan(solver, stencil, DVM_REDISTRIBUTION_COLLECTIVE, to_stencil))
  call check(dvm_redistribution_plan(stencil, solver, DVM_REDISTRIBUTION_COLLECTIVE, to_solver))
  call allocate_all(solver, solver_id, a)
  call allocate_all(stencil, stencil_id, b)
  do j = 0, n - 1
    do i = 0, n - 1
      if (is_here(owner(i, j))) a(owner(i, j))%at(place(i, j)) = real(i * n + j, c_double)
    end do
  end do

  call check(dvm_redistribute(to_stencil, 1, element, solver_id, stencil_id))

  ! Checks each block with its rim inside the matrix, then negates all elements.
  wrong = 0
  do m = 1, memories
    if (is_here(m)) call negate(int(m - 1, c_int64_t), b(m)%at)
  end do
  if (me == 0) print '(a, i0, a)', 'stencil blocks of process 0 with their rims: ', wrong, ' elements wrong'

  call check(dvm_redistribute(to_solver, 1, element, stencil_id, solver_id))

  do j = 0, n - 1
    do i = 0, n - 1
      if (.not. is_here(owner(i, j))) cycle
      if (nint(a(owner(i, j))%at(place(i, j))) /= -(i * n + j)) wrong = wrong + 1
    end do
  end do
  if (me == 0) print '(a, i0, a)', 'back in the solver''s layout: ', wrong, ' elements wrong'

  do m = 1, memories
    if (.not. is_here(m)) cycle
    call check(dvm_data_put(solver_id(:, m)))
    call check(dvm_data_put(stencil_id(:, m)))
    call check(dvm_data_relax(solver_id(:, m)))
    call check(dvm_data_relax(stencil_id(:, m)))
  end do
  call check(dvm_redistribution_free(to_stencil))
  call check(dvm_redistribution_free(to_solver))
  call check(dvm_distribution_free(solver))
  call check(dvm_distribution_free(stencil))
  call check(dvm_finalize())
  if (wrong /= 0) error stop 1

contains

  ! Whether a memory (counted from 1) is this process's.
  logical function is_here(number)
    integer, intent(in) :: number
    is_here = process_of(number) == me
  end function is_here

  ! The memories of this process: data. The ids of others stay 0.
  subroutine allocate_all(distribution, id, memory_of)
    type(dvm_distribution_t), intent(in) :: distribution
    integer(c_int64_t), intent(out) :: id(2, memories)
    type(memory), intent(out) :: memory_of(memories)
    integer(c_int64_t) :: elements
    integer(c_size_t) :: bytes
    type(c_ptr) :: address
    integer :: k

    id = 0
    do k = 1, memories
      if (.not. is_here(k)) cycle
      call check(dvm_distribution_size(distribution, int(k - 1, c_int64_t), elements))
      call check(dvm_data_allocate(elements * element(1), id(:, k)))
      call check(dvm_data_get(id(:, k), address, bytes))
      call c_f_pointer(address, memory_of(k)%at, [elements])
    end do
  end subroutine allocate_all

  ! ScaLAPACK's memory and place (counted from 1) of element (row, column), counted from 0.
  pure integer function owner(row, column)
    integer, intent(in) :: row, column
    owner = mod(row / block, rows) * columns + mod(column / block, columns) + 1
  end function owner

  pure integer function place(row, column)
    integer, intent(in) :: row, column
    place = row / block / rows * block + mod(row, block) &
      + (column / block / columns * block + mod(column, block)) * leading + 1
  end function place

  ! Checks and negates a stencil's block.
  subroutine negate(number, at)
    integer(c_int64_t), intent(in) :: number
    real(c_double), intent(inout) :: at(:)
    integer(c_int64_t) :: extents(2), strides(2), k, l, row, column, here, expected
    integer(c_int64_t), parameter :: height = (n + rows - 1) / rows, width = (n + columns - 1) / columns

    call check(dvm_distribution_extents(stencil, number, extents, 2))
    call check(dvm_distribution_strides(stencil, number, strides, 2))
    do l = 0, extents(2) - 1
      do k = 0, extents(1) - 1
        row = number / columns * height + k - rim
        column = mod(number, int(columns, c_int64_t)) * width + l - rim
        here = k * strides(1) + l * strides(2) + 1
        expected = 0
        if (row >= 0 .and. row < n .and. column >= 0 .and. column < n) expected = row * n + column
        if (nint(at(here), c_int64_t) /= expected) wrong = wrong + 1
        at(here) = -at(here)
      end do
    end do
  end subroutine negate

  ! Every call returns a code; 0 is success.
  subroutine check(code)
    integer(c_int), intent(in) :: code
    if (code == DVM_SUCCESS) return
    print '(4a)', dvm_strerror(code), ': ', dvm_last_error()
    error stop 1
  end subroutine check

end program redistribute
