// A program that only uses installed files.
#include <dvm.h>

#include <iostream>

static int ran;
static int task() { return ran++; }

int main()
{
    dvm_processing_id_t id;
    dvm_rank_t rank;
    const bool good = dvm_init() == DVM_SUCCESS && dvm_rank_get(rank, DVM_MAX_RANK_DEPTH) == DVM_SUCCESS &&
                      dvm_processing_register(DVM_CALLBACK(task), 0, nullptr, id) == DVM_SUCCESS &&
                      dvm_sched_onto(rank, id) == DVM_SUCCESS && dvm_finalize() == DVM_SUCCESS;
    if (!good)
        std::cerr << "consumer: " << dvm_last_error() << '\n';
    std::cout << "consumer in C++: " << ran << " task ran\n";
    return good && ran == 1 ? 0 : 1;
}
