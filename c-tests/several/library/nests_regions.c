/* Nests with the clause `across`, each also without a pragma: that one runs in each process by itself. */
#include "nests.h"

void lu(int n, word A[restrict n][n])
{
#pragma dvm region name(lu) across
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            A[i][k] *= A[k][k] | 1;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

void lu_alone(int n, word A[restrict n][n])
{
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++)
            A[i][k] *= A[k][k] | 1;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                A[i][j] -= A[i][k] * A[k][j];
    }
}

void stencil(int t, int n, word a[restrict n][n], word b[restrict n][n])
{
#pragma dvm region name(stencil) across
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 3 * a[i][j] + a[i][j - 1] + 5 * a[i][1 + j] + a[1 + i][j] + 7 * a[i - 1][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = 5 * b[i][j] + b[i][j - 1] + 3 * b[i][1 + j] + b[1 + i][j] + 9 * b[i - 1][j];
    }
}

void stencil_alone(int t, int n, word a[restrict n][n], word b[restrict n][n])
{
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                b[i][j] = 3 * a[i][j] + a[i][j - 1] + 5 * a[i][1 + j] + a[1 + i][j] + 7 * a[i - 1][j];
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = 5 * b[i][j] + b[i][j - 1] + 3 * b[i][1 + j] + b[1 + i][j] + 9 * b[i - 1][j];
    }
}

void product(int n, word C[restrict n][n], word A[restrict n][n], word B[restrict n][n])
{
#pragma dvm region name(product) across
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] = 0;
            for (int k = 0; k < n; k++)
                C[i][j] = 3 * C[i][j] + A[i][k] * B[k][j];
        }
}

void product_alone(int n, word C[restrict n][n], word A[restrict n][n], word B[restrict n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            C[i][j] = 0;
            for (int k = 0; k < n; k++)
                C[i][j] = 3 * C[i][j] + A[i][k] * B[k][j];
        }
}

void paths(int n, word P[restrict n][n])
{
#pragma dvm region name(paths) across
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                P[i][j] = P[i][j] < P[i][k] + P[k][j] ? P[i][j] : P[i][k] + P[k][j];
}

void paths_alone(int n, word P[restrict n][n])
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                P[i][j] = P[i][j] < P[i][k] + P[k][j] ? P[i][j] : P[i][k] + P[k][j];
}

void triangle(int n, word A[restrict n][n], word x[restrict n])
{
#pragma dvm region name(triangle) across
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i][j] = 3 * A[i][j] + x[i] * x[j];
}

void triangle_alone(int n, word A[restrict n][n], word x[restrict n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[i][j] = 3 * A[i][j] + x[i] * x[j];
}

void crossing(int t, int n, word X[restrict t][n], word a[restrict n])
{
#pragma dvm region name(crossing) across
    for (int s = 0; s < t; s++)
        for (int i = 0; i < n - 1; i++) {
            X[s][i] = a[i + 1];
            a[i] = s + 5 * i;
        }
}

void crossing_alone(int t, int n, word X[restrict t][n], word a[restrict n])
{
    for (int s = 0; s < t; s++)
        for (int i = 0; i < n - 1; i++) {
            X[s][i] = a[i + 1];
            a[i] = s + 5 * i;
        }
}

void seidel(int t, int n, word a[restrict n][n])
{
#pragma dvm region name(seidel) across
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = a[i - 1][j] + 3 * a[i][j - 1] + 5 * a[i][j] + 7 * a[i][j + 1] + 9 * a[i + 1][j];
}

void seidel_alone(int t, int n, word a[restrict n][n])
{
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                a[i][j] = a[i - 1][j] + 3 * a[i][j - 1] + 5 * a[i][j] + 7 * a[i][j + 1] + 9 * a[i + 1][j];
}

void sweeps(int t, int n, word u[restrict n][n], word v[restrict n][n])
{
#pragma dvm region name(sweeps) across
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                u[i][j] = u[i][j] + 3 * u[i][j - 1] + 5 * v[j][i];
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                v[i][j] = v[i][j] - 7 * v[i][j - 1] + 9 * u[j][i];
    }
}

void sweeps_alone(int t, int n, word u[restrict n][n], word v[restrict n][n])
{
    for (int s = 0; s < t; s++) {
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                u[i][j] = u[i][j] + 3 * u[i][j - 1] + 5 * v[j][i];
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                v[i][j] = v[i][j] - 7 * v[i][j - 1] + 9 * u[j][i];
    }
}

void maybe(int t, int n, word a[restrict n][n], word b[restrict n])
{
#pragma dvm region name(maybe) across
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                if (b[j] % 3 == 1)
                    a[i][j] = 3 * a[i - 1][j] + a[i][j - 1] + s;
}

void maybe_alone(int t, int n, word a[restrict n][n], word b[restrict n])
{
    for (int s = 0; s < t; s++)
        for (int i = 1; i < n; i++)
            for (int j = 1; j < n; j++)
                if (b[j] % 3 == 1)
                    a[i][j] = 3 * a[i - 1][j] + a[i][j - 1] + s;
}
