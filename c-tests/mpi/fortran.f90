! A Fortran program with module mpi, whose communicators are numbers: libdvm on the odd processes.
module tasks
   use, intrinsic :: iso_c_binding
   use dvm
   implicit none

contains

   integer(c_int) function add(in_id, out_id) bind(C) result(status)
      integer(c_int64_t), intent(in) :: in_id(2), out_id(2)
      type(c_ptr) :: address
      integer(c_size_t) :: bytes
      integer(c_int64_t), pointer :: in, out
      status = 1
      if (dvm_data_get(in_id, address, bytes) /= DVM_SUCCESS) return
      call c_f_pointer(address, in)
      if (dvm_data_get(out_id, address, bytes) /= DVM_SUCCESS) return
      call c_f_pointer(address, out)
      out = in + 1000
      status = 0
   end function add

end module tasks

program fortran
   use, intrinsic :: iso_c_binding
   use mpi
   use dvm
   use tasks
   implicit none
   integer :: error, rank, half, half_rank, half_size, failed, all_failed
   integer(c_int64_t) :: number, processes
   failed = 0
   call mpi_init(error)
   call mpi_comm_rank(mpi_comm_world, rank, error)
   call mpi_comm_split(mpi_comm_world, modulo(rank, 2), rank, half, error)
   call mpi_comm_rank(half, half_rank, error)
   call mpi_comm_size(half, half_size, error)
   if (modulo(rank, 2) == 1) then
      call expect(dvm_init_comm(int(half, c_int)) == DVM_SUCCESS)
      call expect(dvm_process(number, processes) == DVM_SUCCESS)
      call expect(number == half_rank .and. processes == half_size)
      if (half_rank == 0) then
         call drive
      else
         call expect(dvm_serve() == DVM_SUCCESS)
      end if
      call expect(dvm_finalize() == DVM_SUCCESS)
   end if
   call mpi_allreduce(failed, all_failed, 1, mpi_integer, mpi_max, mpi_comm_world, error)
   call mpi_finalize(error)
   if (all_failed > 0) error stop 'fortran: failed'
   if (rank == 0) print '(a)', 'fortran: ok'

contains

   subroutine expect(good)
      logical, intent(in) :: good
      if (.not. good) failed = failed + 1
   end subroutine

   ! A task on each processing unit of the half adds to what it reads, and leaves what it has found.
   subroutine drive
      integer(c_int64_t) :: add_id(2), count, at, place(DVM_MAX_RANK_DEPTH), ids(2, 2)
      integer(c_int64_t), allocatable :: results(:, :)
      type(c_ptr) :: address
      integer(c_size_t) :: bytes
      integer(c_int64_t), pointer :: value
      call expect(dvm_rank_count(count) == DVM_SUCCESS)
      call expect(dvm_processing_register(c_funloc(add), 2_c_int, 'add', add_id) == DVM_SUCCESS)
      call expect(dvm_processing_access(add_id, [DVM_IN, DVM_OUT]) == DVM_SUCCESS)
      allocate (results(2, count))
      do at = 1, count
         call expect(dvm_data_allocate(8_c_size_t, ids(:, 1)) == DVM_SUCCESS)
         call expect(dvm_data_get(ids(:, 1), address, bytes) == DVM_SUCCESS)
         call c_f_pointer(address, value)
         value = at
         call expect(dvm_data_put(ids(:, 1)) == DVM_SUCCESS)
         call expect(dvm_data_promise(8_c_size_t, ids(:, 2)) == DVM_SUCCESS)
         results(:, at) = ids(:, 2)
         call expect(dvm_rank_at(at - 1, place, DVM_MAX_RANK_DEPTH) == DVM_SUCCESS)
         call expect(dvm_sched_onto(place, add_id, ids) == DVM_SUCCESS)
      end do
      call expect(dvm_wait() == DVM_SUCCESS)
      do at = 1, count
         call expect(dvm_data_get(results(:, at), address, bytes) == DVM_SUCCESS)
         call c_f_pointer(address, value)
         call expect(value == at + 1000)
         call expect(dvm_data_put(results(:, at)) == DVM_SUCCESS)
         call expect(dvm_data_relax(results(:, at)) == DVM_SUCCESS)
      end do
   end subroutine
end program
