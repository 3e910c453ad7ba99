/* dvm_mpi.h: libdvm beside a program that uses MPI. libdvm.so itself links no MPI, so this header has all of it. */
#ifndef DVM_MPI_H
#define DVM_MPI_H

#include <dvm.h>
#include <mpi.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief Start libdvm on the processes of a communicator: dvm_init_comm for MPI_Comm.
 *
 * Collective over the communicator. MPI is initialised, at any thread level; the level decides which threads drive libdvm's
 * messages between hosts (docs/several-processes.md). The communicator is duplicated and may be freed afterwards. Call
 * dvm_finalize before MPI_Finalize.
 *
 * @param[in] comm  a communicator within one group, not MPI_COMM_NULL
 * @retval DVM_ERR_ARGUMENT     comm is MPI_COMM_NULL
 * @retval DVM_ERR_UNSUPPORTED  this MPI does not give the communicator back for its number (Intel MPI 2021.18 by the binary
 *                              interface of the standard, for communicators other than MPI_COMM_WORLD and MPI_COMM_SELF)
 * @return otherwise as dvm_init_comm
 */
static inline dvm_retcode_t dvm_init_mpi(MPI_Comm comm)
{
    if (comm == MPI_COMM_NULL)
        return DVM_ERR_ARGUMENT;
#if defined MPI_ABI_VERSION && MPI_ABI_VERSION > 0
    /* The standard's binary interface has the same number under this name, and no MPI_Fint. */
    const int number = MPI_Comm_toint(comm);
    if (MPI_Comm_fromint(number) != comm)
        return DVM_ERR_UNSUPPORTED;
    return dvm_init_comm(number);
#else
    return dvm_init_comm((int)MPI_Comm_c2f(comm));
#endif
}

/**
 * @brief Say that the memories of a distribution belong to the processes of a grid of a communicator, one to each.
 *
 * Collective over the communicator, whose processes are in libdvm's job. Process k of the communicator is number k of the grid,
 * as for Cblacs_gridinit with the communicator's context.
 *
 * @param[in] distribution  the distribution
 * @param[in] order         DVM_GRID_BY_ROWS or DVM_GRID_BY_COLUMNS
 * @param[in] comm          the communicator
 * @retval DVM_ERR_ARGUMENT     comm is MPI_COMM_NULL or has fewer processes than there are memories, or order is unknown
 * @retval DVM_ERR_UNSUPPORTED  MPI has failed
 * @return otherwise as dvm_distribution_set_grid and dvm_process
 */
static inline dvm_retcode_t dvm_distribution_set_grid_mpi(dvm_distribution_t distribution, int order, MPI_Comm comm)
{
    uint64_t me = 0, job = 0;
    int64_t mine, *processes;
    int count = 0;
    dvm_retcode_t code = DVM_ERR_UNSUPPORTED, own;
    if (comm == MPI_COMM_NULL)
        return DVM_ERR_ARGUMENT;
    own = dvm_process(&me, &job);
    mine = own == DVM_SUCCESS ? (int64_t)me : -1;
    if (MPI_Comm_size(comm, &count) != MPI_SUCCESS)
        return DVM_ERR_UNSUPPORTED;
    processes = (int64_t *)malloc((size_t)count * sizeof *processes);
    if (processes == NULL)
        return DVM_ERR_MEMORY;
    if (MPI_Allgather(&mine, 1, MPI_INT64_T, processes, 1, MPI_INT64_T, comm) == MPI_SUCCESS)
        code = own != DVM_SUCCESS ? own : dvm_distribution_set_grid(distribution, order, processes, count);
    free(processes);
    return code;
}

#ifdef __cplusplus
}
#endif

#endif
