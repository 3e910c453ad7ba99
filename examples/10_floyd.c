/* Floyd and Warshall's all shortest paths in a graph of N nodes.
 *
 *   dvmcc -O3 10_floyd.c -o floyd && ./floyd 1000 */
#include "result.h"

static void floyd(int n, int path[restrict n][n])
{
#pragma dvm region name(floyd)
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int n = 120;
    result_options(argc, argv, 1, &n);
    size_t bytes = sizeof(int) * n * n;
    int *path = result_allocate(bytes);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int length = (i * j) % 7 + 1;
            path[(size_t)i * n + j] = (i + j) % 13 == 0 || (i + j) % 7 == 0 || (i + j) % 11 == 0 ? 999 : length;
        }
    }
    result_begin();
    floyd(n, (void *)path);
    result_end("floyd", path, bytes);
    free(path);
    return 0;
}
