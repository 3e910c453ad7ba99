struct cell { double x, y; int count; };
extern struct cell grid[10][20];
void f(int n,  const int *limits)
{
#pragma dvm region name(cells) tile(4, 8) serial(n < 3)
  for (int i = 0; i < limits[2]; i++)
    for (int j = 0; j < 20; j++)
      grid[i][j].x += grid[i][j].y;
}
