/* A handle of the wrong kind must not compile. Without WRONG the file compiles; each value of WRONG inserts one mistake.
 * run.sh counts and tries them. */
#include <dvm_dma.h>

#ifndef WRONG
#define WRONG 0
#endif

void handles(void);

void handles(void)
{
    dvm_distribution_t from = {0}, to = {0};
    dvm_redistribution_t plan = {0};
    dvm_dma_t dma = {0};
    dvm_data_id_t memory[1] = {{0, 0}};
    const size_t element = 8;
    int64_t n = 0;
    uint64_t number = plan.number + dma.number;
    (void)number;

    (void)dvm_redistribution_plan(from, to, 0, &plan);
    (void)dvm_redistribute(plan, 1, &element, memory, memory);
    (void)dvm_dma_open(&dma, element, memory, 1, memory, 1);
    DMA_SEND(0, 0, 1, 1);
    DMA_RECEIVE(0, 0, 1, 1);
    (void)DMA_WAIT();
    (void)dvm_distribution_memories(from, &n);

#if WRONG == 1
    (void)dvm_redistribute(from, 1, &element, memory, memory);
#elif WRONG == 2
    (void)dvm_redistribution_plan(from, plan, 0, &plan);
#elif WRONG == 3
    (void)dvm_redistribution_plan(from, to, 0, &to);
#elif WRONG == 4
    (void)dvm_distribution_memories(plan, &n);
#elif WRONG == 5
    (void)dvm_distribution_free(dma);
#elif WRONG == 6
    (void)dvm_redistribution_free(from);
#elif WRONG == 7
    (void)dvm_dma_wait(plan);
#elif WRONG == 8
    (void)dvm_dma_close(number);
#elif WRONG == 9
    (void)dvm_distribution_free(1);
#elif WRONG == 10
    plan = from;
#elif WRONG == 11
    number = dma;
#elif WRONG == 12
    (void)dvm_dma_open(&plan, element, memory, 1, memory, 1);
#elif WRONG == 13
    (void)dvm_distribution_free(memory[0]);
#elif WRONG == 14
    (void)dvm_data_relax(plan);
#elif WRONG == 15
    (void)dvm_redistribution_plan(from, to, 0, &number);
#endif
}
