/* Regions with `across` that all processes enter with values of their own, of every type that a value may have: each process
 * then runs its own loops. With equal values they run across.
 *
 * environment: DVM_TUNE=0 DVM_TILE=100
 */
#include "several.h"
#include <complex.h>

typedef double real;
typedef long double wide;
typedef struct {
    double a;
    int k;
} pair;
typedef double _Complex complex_t;

enum { N = 1000 };
static double x[N];
static int failures;

static void of_real(real w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + w;
}

static void of_byte(uint8_t w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + w;
}

static void of_long_double(long double w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + (double)w;
}

static void of_wide(wide w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + (double)w;
}

static void of_complex(complex_t w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + creal(w);
}

static void of_pair(pair w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + w.k;
}

static void of_truth(_Bool w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + w;
}

static void of_double(const double w)
{
#pragma dvm region across
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 0.5 + w;
}

static void check(const char *what, double expected)
{
    int wrong = 0;
    for (int i = 0; i < N; i++) {
        wrong += x[i] != expected;
        x[i] = 0;
    }
    if (wrong)
        fprintf(stderr, "process %d, a value of type %s: %d elements are wrong\n", (int)process_index, what, wrong);
    failures += wrong != 0;
}

static void with(double w)
{
    pair both;
    memset(&both, 0, sizeof both);
    both.a = w, both.k = (int)w;
    of_real(w), check("real", w);
    of_byte((uint8_t)w), check("uint8_t", w);
    of_long_double(w), check("long double", w);
    of_wide(w), check("wide", w);
    of_complex(w), check("complex", w);
    of_pair(both), check("pair", w);
    of_truth(w != 0), check("_Bool", w != 0);
    of_double(w), check("double", w);
}

int main(void)
{
    if (dvm_init() != DVM_SUCCESS || dvm_process(&process_index, &process_count) != DVM_SUCCESS)
        return 1;
    with((double)process_index);
    with(3);
    if (failures == 0 && process_index == 0)
        puts("values: ok");
    return dvm_finalize() != DVM_SUCCESS || failures != 0;
}
