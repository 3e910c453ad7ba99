/* The tasks of 20_pool.c, in a shared object. */
#include <dvm.h>

int count_primes(dvm_data_id_t range, dvm_data_id_t count);

int count_primes(dvm_data_id_t range, dvm_data_id_t count)
{
    void *from, *to;
    size_t size;
    if (dvm_data_get(range, &from, &size) != DVM_SUCCESS || dvm_data_get(count, &to, &size) != DVM_SUCCESS)
        return 1;
    uint64_t begin = ((uint64_t *)from)[0], end = ((uint64_t *)from)[1], found = 0;
    for (uint64_t n = begin < 2 ? 2 : begin; n < end; n++) {
        uint64_t d = 2;
        while (d * d <= n && n % d != 0)
            d++;
        found += d * d > n;
    }
    *(uint64_t *)to = found;
    return 0;
}
