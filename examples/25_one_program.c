/* 25 one program: a sequential program whose region runs on several processes.
 *
 *     dvmcc 25_one_program.c -o one_program $(pkg-config --cflags --libs dvm) && dvmrun -n 4 ./one_program
 *
 * The program knows nothing of processes. Process 0 runs main; the others wait before main, take part in the region, and end
 * with process 0. They get the elements that their tiles read from before the region, and what the region leaves behind
 * comes back. Without dvmrun, the program runs in one process. DVM_VERBOSE=1 tells how many bytes went where. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    int n = 300, steps = 30;
    double(*heat)[n] = malloc(sizeof(double[n][n])), (*next)[n] = malloc(sizeof(double[n][n]));

    if (heat == NULL || next == NULL)
        return 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            heat[i][j] = next[i][j] = i == 0 ? 100.0 : 0.0;

#pragma dvm region across
    for (int t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                next[i][j] = 0.25 * (heat[i - 1][j] + heat[i + 1][j] + heat[i][j - 1] + heat[i][j + 1]);
        for (int i = 1; i < n - 1; i++)
            for (int j = 1; j < n - 1; j++)
                heat[i][j] = next[i][j];
    }

    printf("one row below the edge: %.6f\n", heat[1][n / 2]);
    printf("ten rows below: %.6f\n", heat[10][n / 2]);
    free(heat);
    free(next);
    return 0;
}
