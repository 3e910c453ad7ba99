// 20 C++: a tiled Cholesky factorisation with dvm.hpp.
//
//     c++ -std=c++17 20_cholesky.cpp -o cholesky $(pkg-config --cflags --libs dvm) && ./cholesky
//
// A tile is a datum. Each task says which tiles it reads and which one it updates; the order follows from that.
#include <dvm.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int TILES = 8, N = 32; // tiles in a row of the matrix, and rows of a tile

using tile = dvm::span<double>;
using seen = dvm::span<const double>;

static void factorise(tile a) // a = L L^T, in place
{
    for (int j = 0; j < N; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < N; i++)
                a[i * N + j] -= a[i * N + k] * a[j * N + k];
        const double root = std::sqrt(a[j * N + j]);
        for (int i = j; i < N; i++)
            a[i * N + j] /= root;
    }
}

static void solve(seen l, tile a) // a = a L^-T
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < j; k++)
                a[i * N + j] -= a[i * N + k] * l[j * N + k];
            a[i * N + j] /= l[j * N + j];
        }
}

static void update(seen x, seen y, tile a) // a = a - x y^T
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                a[i * N + j] -= x[i * N + k] * y[j * N + k];
}

int main()
{
    using dvm::fn, dvm::in, dvm::inout, dvm::near, dvm::out, dvm::submit;
    dvm::machine machine;

    std::vector<std::vector<dvm::datum<double>>> a(TILES);
    for (int i = 0; i < TILES; i++)
        for (int j = 0; j <= i; j++) {
            a[i].emplace_back(N * N);
            submit(near, [i, j](tile t) { // a matrix that is certainly positive definite
                for (int k = 0; k < N * N; k++) {
                    const int row = i * N + k / N, column = j * N + k % N;
                    t[k] = row == column ? TILES * N : 1.0 / (1 + std::abs(row - column));
                }
            }, out(a[i][j]));
        }

    for (int k = 0; k < TILES; k++) {
        submit(near, fn<factorise>, inout(a[k][k]));
        for (int i = k + 1; i < TILES; i++)
            submit(near, fn<solve>, in(a[k][k]), inout(a[i][k]));
        for (int i = k + 1; i < TILES; i++)
            for (int j = k + 1; j <= i; j++)
                submit(near, fn<update>, in(a[i][k]), in(a[j][k]), inout(a[i][j]));
    }

    double logarithm = 0; // of the determinant, from the factors' diagonals
    for (int k = 0; k < TILES; k++) {
        auto l = a[k][k].get();
        for (int i = 0; i < N; i++)
            logarithm += 2 * std::log(l[i * N + i]);
    }
    std::printf("log det A = %.6f\n", logarithm);
    machine.wait();
    return 0;
}
