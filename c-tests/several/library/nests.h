/* The nests of library/nests_regions.c. */
#ifndef NESTS_H
#define NESTS_H

#include <stdint.h>

typedef uint64_t word;

void lu(int n, word A[restrict n][n]);
void lu_alone(int n, word A[restrict n][n]);
void stencil(int t, int n, word a[restrict n][n], word b[restrict n][n]);
void stencil_alone(int t, int n, word a[restrict n][n], word b[restrict n][n]);
void product(int n, word C[restrict n][n], word A[restrict n][n], word B[restrict n][n]);
void product_alone(int n, word C[restrict n][n], word A[restrict n][n], word B[restrict n][n]);
void paths(int n, word P[restrict n][n]);
void paths_alone(int n, word P[restrict n][n]);
void triangle(int n, word A[restrict n][n], word x[restrict n]);
void triangle_alone(int n, word A[restrict n][n], word x[restrict n]);
void crossing(int t, int n, word X[restrict t][n], word a[restrict n]);
void crossing_alone(int t, int n, word X[restrict t][n], word a[restrict n]);
void seidel(int t, int n, word a[restrict n][n]);
void seidel_alone(int t, int n, word a[restrict n][n]);
void sweeps(int t, int n, word u[restrict n][n], word v[restrict n][n]);
void sweeps_alone(int t, int n, word u[restrict n][n], word v[restrict n][n]);
void maybe(int t, int n, word a[restrict n][n], word b[restrict n]);
void maybe_alone(int t, int n, word a[restrict n][n], word b[restrict n]);

#endif
