! handles.c in Fortran: without WRONG the file compiles; each value of WRONG inserts one mistake. All ids are arrays of one
! type, in C and in Fortran: the compiler does not tell a processing from a datum.
#ifndef WRONG
#define WRONG 0
#endif
subroutine handles()
  use dvm
  use, intrinsic :: iso_c_binding
  implicit none
  type(dvm_distribution_t) :: from, to
  type(dvm_redistribution_t) :: plan
  type(dvm_dma_t) :: dma
  integer(c_int64_t) :: memory(2, 1), n, number
  integer(c_size_t) :: element(1)
  integer :: short(2)
  integer(c_int) :: code

  element = 8
  number = 0
  memory = 0
  short = 0
  code = dvm_redistribution_plan(from, to, 0, plan)
  code = dvm_redistribute(plan, 1, element, memory, memory)
  code = dvm_dma_open(dma, element(1), memory, 1_c_int64_t, memory, 1_c_int64_t)
  code = dvm_distribution_memories(from, n)
  code = dvm_data_relax(memory(:, 1))

#if WRONG == 1
  code = dvm_redistribute(from, 1, element, memory, memory)
#elif WRONG == 2
  code = dvm_redistribution_plan(from, plan, 0, plan)
#elif WRONG == 3
  code = dvm_redistribution_plan(from, to, 0, to)
#elif WRONG == 4
  code = dvm_distribution_memories(plan, n)
#elif WRONG == 5
  code = dvm_distribution_free(dma)
#elif WRONG == 6
  code = dvm_redistribution_free(from)
#elif WRONG == 7
  code = dvm_dma_wait(plan)
#elif WRONG == 8
  code = dvm_dma_close(number)
#elif WRONG == 9
  code = dvm_distribution_free(1)
#elif WRONG == 10
  plan = from
#elif WRONG == 11
  number = dma
#elif WRONG == 12
  code = dvm_dma_open(plan, element(1), memory, 1_c_int64_t, memory, 1_c_int64_t)
#elif WRONG == 13
  code = dvm_distribution_free(memory(:, 1))
#elif WRONG == 14
  code = dvm_data_relax(plan)
#elif WRONG == 15
  code = dvm_redistribution_plan(from, to, 0, number)
#elif WRONG == 16
  ! An id is two numbers of 64 bits.
  code = dvm_data_relax(number)
#elif WRONG == 17
  code = dvm_data_relax(short)
#elif WRONG == 18
  code = dvm_data_relax(memory(1:1, 1))
#endif
end subroutine handles
