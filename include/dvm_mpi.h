/* dvm_mpi.h: libdvm beside a program that uses MPI. libdvm.so itself links no MPI, so this header has all of it. */
#ifndef DVM_MPI_H
#define DVM_MPI_H

#include <dvm.h>
#include <mpi.h>

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

#ifdef __cplusplus
}
#endif

#endif
