/* expect: region 'fill:6' stays sequential: the macro `count` has the name of a variable that the generated code must write */
static struct { int count, room[9]; } all;
#define count all.count
static void fill(int *p)
{
#pragma dvm region
  for (int i = 0; i < count; i++)
    p[i] = 2;
}
int main(void)
{
  int p[4];
  count = 4;
  fill(p);
  return p[3] + all.room[0];
}
