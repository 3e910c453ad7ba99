/* Heat in a plate whose upper edge is held at 100 degrees. The one line for libdvm is the pragma. */
#include <stdio.h>

#define N 1000
#define STEPS 100

static double u[N][N], v[N][N];

int main(void)
{
    for (int j = 0; j < N; j++)
        u[0][j] = 100.0;

#pragma dvm region
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = v[i][j];
    }

    printf("one row below the edge: %.6f\n", u[1][N / 2]);
    printf("ten rows below: %.6f\n", u[10][N / 2]);
    return 0;
}
