// The header from C++: DVM_CALLBACK, a method behind a context, an exception that stays inside its task.
#include <dvm.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <vector>

static int failures;

static void expect(bool good, int line, const char *what)
{
    if (!good) {
        std::fprintf(stderr, "cxx.cpp:%d: failed: %s (%s)\n", line, what, dvm_last_error());
        failures++;
    }
}
#define EXPECT(condition) expect((condition), __LINE__, #condition)

static std::atomic<int> plain_ran;

static int plain(dvm_data_id_t a, dvm_data_id_t b)
{
    plain_ran += a[1] != b[1];
    return 0;
}

// An object whose method is the task.
class Sum {
  public:
    explicit Sum(std::vector<double> values) : values_(std::move(values)) {}

    static int entry(void *self, dvm_data_id_t *ids, int count) { return static_cast<Sum *>(self)->run(ids, count); }

    double total = 0;

  private:
    int run(dvm_data_id_t *, int count)
    {
        for (double value : values_)
            total += value;
        return count;
    }

    std::vector<double> values_;
};

static int throws_inside(void *, dvm_data_id_t *, int)
{
    try {
        throw std::runtime_error("no exception may leave a task");
    } catch (const std::exception &) {
        return 5;
    }
}

int main()
{
    dvm_processing_id_t plain_id, sum_id, throwing_id;
    dvm_data_id_t a, b;
    dvm_rank_t rank;
    Sum sum({1, 2, 3.5});

    EXPECT(dvm_init() == DVMSUCCESS);
    EXPECT(dvm_rank_get(rank, DVM_MAX_RANK_DEPTH) == DVM_SUCCESS);
    EXPECT(dvm_processing_register(DVM_CALLBACK(plain), 2, "plain", plain_id) == DVM_SUCCESS);
    EXPECT(dvm_processing_register_v(Sum::entry, &sum, 0, nullptr, sum_id) == DVM_SUCCESS);
    EXPECT(dvm_processing_register_v(throws_inside, nullptr, 0, nullptr, throwing_id) == DVM_SUCCESS);
    EXPECT(dvm_data_allocate(8, &a) == DVM_SUCCESS);
    EXPECT(dvm_data_allocate(8, &b) == DVM_SUCCESS);
    EXPECT(dvm_sched_onto(rank, plain_id, a, b) == DVM_SUCCESS);
    EXPECT(dvm_sched_onto(rank, sum_id) == DVM_SUCCESS);
    EXPECT(dvm_wait() == DVM_SUCCESS);
    EXPECT(plain_ran == 1);
    EXPECT(sum.total == 6.5);

    EXPECT(dvm_sched_onto(rank, throwing_id) == DVM_SUCCESS);
    EXPECT(dvm_wait() == DVM_ERR_TASK);
    EXPECT(dvm_finalize() == DVM_SUCCESS);
    std::printf("cxx: %d failures\n", failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
