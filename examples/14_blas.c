/* 14 blas: tasks that are themselves parallel. One fills matrices with OpenMP, others multiply them with a threaded BLAS.
 *
 *     cc -fopenmp 14_blas.c -o blas $(pkg-config --cflags --libs dvm) -lopenblas && ./blas
 *
 * A worker thread per core and a library with a thread per core make twice as many threads as cores, which slow each
 * other down. dvm_processing_cores declares that a task needs several cores: before it starts, the nearest
 * workers end their tasks, and they pause until it has ended.
 *
 * needs: -fopenmp
 * needs: -lopenblas (Debian: apt install libopenblas-dev) */
#include <cblas.h>
#include <dvm.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 256, PRODUCTS = 8 };

static int cores; /* number of cores of a parallel task */

static void check(dvm_retcode_t code)
{
    if (code != DVM_SUCCESS) {
        fprintf(stderr, "%s: %s\n", dvm_strerror(code), dvm_last_error());
        exit(EXIT_FAILURE);
    }
}

static double *matrix(dvm_data_id_t id)
{
    void *memory;
    size_t size;
    check(dvm_data_get(id, &memory, &size));
    return memory;
}

/* A task with an OpenMP region of one thread per core. */
static int fill(dvm_data_id_t out)
{
    double *m = matrix(out);
#pragma omp parallel for num_threads(cores)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            m[i * N + j] = (i + 2 * j) % 5; /* small whole numbers: sums of products are exact */
    return 0;
}

/* A task that calls BLAS with the number of threads set by main. */
static int multiply(dvm_data_id_t a, dvm_data_id_t b, dvm_data_id_t product)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1.0, matrix(a), N, matrix(b), N, 0.0,
                matrix(product), N);
    return 0;
}

/* An ordinary task: many run at once, but never on the cores of a parallel task. */
static int sum(dvm_data_id_t in, dvm_data_id_t out)
{
    double *m = matrix(in), *total = matrix(out);
    for (int i = 0; i < N * N; i++)
        *total += m[i];
    return 0;
}

static void processing(int (*callback)(), int count, int *modes, int wanted, dvm_processing_id_t id)
{
    check(dvm_processing_register(callback, count, "example", id));
    check(dvm_processing_access(id, modes));
    check(dvm_processing_cores(id, wanted));
}

int main(void)
{
    dvm_processing_id_t fill_id, multiply_id, sum_id;
    dvm_data_id_t a, pair[2], totals[PRODUCTS];
    uint64_t workers;
    double all = 0;

    check(dvm_init());
    check(dvm_rank_count(&workers));
    cores = workers < 4 ? (int)workers : 4;
    openblas_set_num_threads(cores);

    processing(DVM_CALLBACK(fill), 1, (int[]){DVM_OUT}, cores, fill_id);
    processing(DVM_CALLBACK(multiply), 3, (int[]){DVM_IN, DVM_IN, DVM_OUT}, cores, multiply_id);
    processing(DVM_CALLBACK(sum), 2, (int[]){DVM_IN, DVM_OUT}, 1, sum_id);

    check(dvm_data_promise(N * N * sizeof(double), &a));
    check(dvm_sched_near(fill_id, &a, 1));
    for (int k = 0; k < PRODUCTS; k++) {
        dvm_data_id_t product;
        check(dvm_data_promise(N * N * sizeof(double), &product));
        check(dvm_data_promise(sizeof(double), &totals[k]));
        check(dvm_data_acquire(a)); /* each product reads it twice; the first reference is main's */
        check(dvm_data_acquire(a));
        check(dvm_sched_near(multiply_id, (dvm_data_id_t[]){{a[0], a[1]}, {a[0], a[1]}, {product[0], product[1]}}, 3));
        pair[0][0] = product[0], pair[0][1] = product[1];
        pair[1][0] = totals[k][0], pair[1][1] = totals[k][1];
        check(dvm_sched_near(sum_id, pair, 2));
    }
    check(dvm_data_relax(a));
    check(dvm_wait());
    for (int k = 0; k < PRODUCTS; k++) {
        all += *matrix(totals[k]);
        check(dvm_data_put(totals[k]));
        check(dvm_data_relax(totals[k]));
    }
    printf("%d products of %d x %d matrices, sum of all elements: %.0f\n", PRODUCTS, N, N, all);
    check(dvm_finalize());
    return 0;
}
