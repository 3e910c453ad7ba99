//! `reassociate`: the result is that of one tree, whatever the tiles, the workers and the compiler's options; `--dvm-remarks`
//! tells that the clause was used.

mod prefix;

use std::path::Path;

/// Reductions beside a model of their tree, which knows nothing of the generated code.
const PROGRAM: &str = r#"#include <math.h>
#include <stdio.h>
#include <string.h>
#define MOST 70000
static double a[3 * MOST + 1], b[3 * MOST + 1];
static float c[3 * MOST + 1];
static long many;

static double dot(int n, double start)
{
    double sum = start;
#pragma dvm region reduction(+:sum) reassociate
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Strides, several variables, conditions, a narrow type, and an integer that needs no clause. */
static double mixed(int n, double start, float *product, double *most, double *least)
{
    double sum = start, high = -1, low = 1;
    float all = 1;
    int i;
    many = 0;
    {
        long count = 0;
#pragma dvm region reduction(+:sum, count) reduction(*:all) reduction(max:high) reduction(min:low) reassociate
        for (i = 5; i < 5 + 3 * n; i += 3) {
            sum -= c[i];
            if (i % 2) {
                sum = a[i] + sum;
                count++;
            }
            all *= 1 + c[i] / 4096;
            high = fmax(high, a[i] - b[i]);
            if (a[i] < low)
                low = a[i];
        }
        many = count;
    }
    *product = all, *most = high, *least = low;
    return sum;
}

static float single(unsigned n)
{
    float sum = 0;
#pragma dvm region reduction(+:sum) reassociate
    for (unsigned i = 0; i < n; i++)
        sum += c[i];
    return sum;
}

typedef double step(double sum, long i);
typedef double join(double one, double other);
static double add(double one, double other) { return one + other; }
static double add_single(double one, double other) { return (float)(one + other); }
static double multiply(double one, double other) { return (float)((float)one * (float)other); }
static double greater(double one, double other) { return other > one ? other : one; }
static double smaller(double one, double other) { return other < one ? other : one; }
static double of_dot(double sum, long i) { return sum + a[i] * b[i]; }
static double of_mixed(double sum, long k)
{
    long i = 5 + 3 * k;
    sum -= c[i];
    return i % 2 ? a[i] + sum : sum;
}
static double of_product(double all, long k) { return (float)((float)all * (1 + c[5 + 3 * k] / 4096)); }
static double of_most(double high, long k) { return fmax(high, a[5 + 3 * k] - b[5 + 3 * k]); }
static double of_least(double low, long k) { return a[5 + 3 * k] < low ? a[5 + 3 * k] : low; }
static double of_single(double sum, long i) { return (float)((float)sum + c[i]); }

/* The values of a list, joined by neighbours. */
static double tree(double *values, long count, join *joined)
{
    for (long apart = 1; apart < count; apart *= 2)
        for (long k = 0; k + apart < count; k += 2 * apart)
            values[k] = joined(values[k], values[k + apart]);
    return values[0];
}

/* The reduction in blocks of at least span iterations that differ by stride in their counters. */
static double model(long n, long stride, double start, double neutral, int parts, step *update, join *joined)
{
    static double of_block[300];
    long counters = n > 0 ? (n - 1) * stride + 1 : 0, span = (counters + 255) / 256, blocks = 0;
    span = span < 1024 ? 1024 : span;
    for (long begin = 0; begin < counters; begin += span) {
        long k = (begin + stride - 1) / stride, end = begin + span < counters ? begin + span : counters;
        long last = (end + stride - 1) / stride;
        double value = neutral, values[32];
        if (last - k >= parts) {
            for (int p = 0; p < parts; p++)
                values[p] = neutral;
            for (; last - k >= parts; k += parts)
                for (int p = 0; p < parts; p++)
                    values[p] = update(values[p], k + p);
            value = joined(value, tree(values, parts, joined));
        }
        for (; k < last; k++)
            value = update(value, k);
        of_block[blocks++] = value;
    }
    return blocks ? joined(start, tree(of_block, blocks, joined)) : start;
}

static int differ(const char *name, long n, double is, double wanted)
{
    if (memcmp(&is, &wanted, sizeof is) == 0)
        return 0;
    printf("%s of %ld: %a, and the model has %a\n", name, n, is, wanted);
    return 1;
}

int main(void)
{
    static const int sizes[] = {0, 1, 2, 15, 16, 17, 31, 32, 33, 100, 341, 342, 343, 1023, 1024, 1025, 1040, 5000, 30011, MOST - 2};
    int wrong = 0;
    unsigned long state = 12345;
    for (long i = 0; i < 3 * MOST + 1; i++) {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
        a[i] = (double)(state >> 40) / 1e7 - 0.7;
        b[i] = 1.0 / (1 + (state >> 50));
        c[i] = (float)(a[i] * 0.3);
    }
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = sizes[s];
        float product;
        double most, least;
        wrong += differ("dot", n, dot(n, 0.1), model(n, 1, 0.1, -0.0, 16, of_dot, add));
        wrong += differ("mixed", n, mixed(n, 7.5, &product, &most, &least), model(n, 3, 7.5, -0.0, 16, of_mixed, add));
        wrong += differ("product", n, product, model(n, 3, 1, 1, 16, of_product, multiply));
        wrong += differ("most", n, most, model(n, 3, -1, -INFINITY, 16, of_most, greater));
        wrong += differ("least", n, least, model(n, 3, 1, INFINITY, 16, of_least, smaller));
        wrong += differ("single", n, single(n), model(n, 1, 0, -0.0, 32, of_single, add_single));
        wrong += many != (n + n % 2) / 2;
    }
    printf(wrong ? "%d differ\n" : "equal\n", wrong);
    return wrong != 0;
}
"#;

fn built(folder: &Path, options: &[&str]) -> String {
    let mut command = prefix::dvmcc();
    command.current_dir(folder).args(["--dvm-strict", "-ffp-contract=off", "--dvm-remarks"]).args(options);
    let output = command.args(["sums.c", "-o", "sums", "-lm"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{options:?}: {said}");
    said
}

/// With any options of the compiler, in C90's style of counters too, one tree of one number of values.
#[test]
fn the_result_follows_from_the_number_of_iterations() {
    let folder = testkit::scratch(&[("sums.c", PROGRAM)]);
    for options in [["-O0", "-std=c11"], ["-O2", "-std=c11"], ["-O3", "-march=native"], ["-O3", "-Wall"]] {
        let said = built(&folder, &options);
        for told in [
            "reassociate: 16 values of `sum` are updated in turn",
            "reassociate: 16 values of `all` are updated in turn",
            "reassociate: 32 values of `sum` are updated in turn",
        ] {
            assert!(said.contains(told), "{told}: {said}");
        }
        assert!(!said.contains("`count` are"), "{said}");
        for (workers, tile) in [("1", "7"), ("2", "1"), ("5", "64"), ("1", "none")] {
            let mut run = prefix::program(&folder.join("sums"));
            run.env("STANDIN_WORKERS", workers).env("STANDIN_SEED", workers);
            if tile == "none" {
                run.env("STANDIN_REFUSE", "1");
            } else {
                run.env("STANDIN_SIZE", tile);
            }
            let output = run.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(
                output.status.success() && text == "equal\n",
                "{options:?}, {workers} workers, tile {tile}: {text}"
            );
        }
    }
}
