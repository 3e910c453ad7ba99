#include "kernel.h"
/* Small arrays that are private: where each iteration of an inner loop writes every element before it reads one, the
 * inner loop is tiled, too. Here the tiles wait for each other along both loops. */

enum { N = 37, M = 29 };
static double v[N][M][3], d[N][M][3][3];

/* Every element is written by loops with constant bounds: a wavefront over i and j. */
static void solve(void)
{
    double block[3][3], factor;
    int i, j, m, k;
#pragma dvm region private(block)
    for (i = 1; i < N; i++)
        for (j = 1; j < M; j++) {
            for (m = 0; m < 3; m++)
                for (k = 0; k <= 2; k++)
                    block[m][k] = d[i][j][m][k] + 0.5 * d[i - 1][j][m][k];
            factor = block[1][0] / (2.0 + block[0][0]);
            block[1][1] = block[1][1] - factor * block[0][1];
            block[1][2] -= factor * block[0][2];
            for (m = 0; m < 3; m++)
                v[i][j][m] = v[i][j][m] + 0.25 * v[i - 1][j][m] - 0.125 * v[i][j - 1][2 - m] * block[m][1] + block[1][m];
        }
}

/* Under a condition, by constants and by a loop: written in both branches. */
static void branches(void)
{
    double pair[2];
    int i, j;
#pragma dvm region private(pair)
    for (i = 0; i < N; i++) {
        for (j = 1; j < M; j++) {
            if (d[i][j][0][0] > 0.5) {
                pair[0] = d[i][j][0][1];
                pair[1] = 1.0;
            } else {
                for (int k = 0; k < 2; k++)
                    pair[k] = d[i][j][1][k];
            }
            v[i][j][0] += pair[0] * pair[1] * v[i][j - 1][0];
        }
    }
}

/* `carry[1]` comes from the iteration of j before: the loop over j stays in one piece, and those of i are apart. */
static void carried(void)
{
    double carry[2];
    int i, j;
#pragma dvm region private(carry)
    for (i = 0; i < N; i++) {
        carry[1] = 0.0;
        for (j = 0; j < M; j++) {
            carry[0] = d[i][j][2][2] + carry[1];
            v[i][j][1] += carry[0];
            carry[1] = 0.5 * carry[0];
        }
    }
}

/* Near misses: an element that nothing writes in this iteration of the inner loop, or only sometimes. */
static void kept(int n)
{
    double part[4];
    int i, j, k;
#pragma dvm region private(part)
    for (i = 0; i < n; i++) {
        for (k = 0; k < 4; k++)
            part[k] = i + k;
        for (j = 1; j < M; j++) {
            for (k = 0; k < j % 4; k++)
                part[k] = d[i][j][k % 3][0];
            part[3] = v[i][j][2] + part[2];
            v[i][j][2] = part[3] + part[0] - part[1];
        }
    }
}

int main(int argc, char **argv)
{
    int n = size_argument(argc, argv, 1, N);
    fill_double(&v[0][0][0], N * M * 3, 1);
    fill_double(&d[0][0][0][0], N * M * 9, 2);
    solve();
    branches();
    carried();
    kept(n < N ? n : N);
    show("v", v, sizeof v);
}
