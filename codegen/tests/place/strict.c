#include <stddef.h>
#include <stdint.h>
#define SCALAR(x) x##f
#define MAX2(a, b) ((a) > (b) ? (a) : (b))
struct par { float w; short k; unsigned char c; };
enum kind { FIRST, SECOND = 7 };
float g1[64], g2[64][64];
static unsigned short us[100];
static const int table[4] = { 1, 2, 3, 4 };
void a1(size_t n, float *restrict x, const float *restrict y, struct par p, enum kind k);
void a1(size_t n, float *restrict x, const float *restrict y, struct par p, enum kind k)
{
#pragma dvm region tile(auto)
  for (size_t i = 1; i < n; i++)
    x[i] = y[i - 1] * p.w + SCALAR(1.5) * (float)p.k + (float)k + (float)p.c;
}
void a2(unsigned n, unsigned m, double *x, double *y);
void a2(unsigned n, unsigned m, double *x, double *y)
{
#pragma dvm region tile(8) serial(n < 3u)
  for (unsigned i = 0; i < n; i++)
    if (i % 3u == m % 3u)
      x[i] = y[i] + 1.0;
}
void a3(int n, int64_t *restrict x, uint8_t *restrict b, int8_t s);
void a3(int n, int64_t *restrict x, uint8_t *restrict b, int8_t s)
{
#pragma scop
  for (int i = 0; i < n; i++) {
    int64_t t = (int64_t)i * s;
    x[i] = t > 5 ? t : MAX2(t, 2);
    b[i] = (uint8_t)(b[i] + table[i & 3]);
  }
#pragma endscop
}
double a4(int n, double a[n][n], double w);
double a4(int n, double a[n][n], double w)
{
  double s = 0.0;
  int i, j = 0, t;
#pragma dvm region name(sweep) tile(4, 8)
  for (t = 0; t < 10; t++)
    for (i = 1; i < n - 1; i++)
      for (j = 1; j < n - 1; j++)
        a[i][j] = (a[i - 1][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j]) * w;
#pragma dvm region
  for (i = 0; i < n; i++)
    for (j = 0; j < n; j++)
      s += a[i][j];
  return s + i + j + t;
}
void a5(long n, char *restrict c);
void a5(long n, char *restrict c)
{
#pragma dvm region
  for (long i = n; i-- > 0;)
    c[i] = (char)(c[i] + 1);
#pragma dvm region
  for (long i = n - 1; i >= 0; i -= 2) {
    const float v = (float)i;
    c[i] = (char)(v * 0.5f);
    us[i % 100] = 3;
  }
}
void a6(void);
void a6(void)
{
#pragma dvm region
  for (int i = 0; i < 64; i++) {
    g1[i] = 0.0f;
    for (int j = 0; j <= i; j++)
      g1[i] += g2[i][j] * g2[j][i];
  }
#pragma dvm region
  for (unsigned short i = 2; i < 60; i++)
    us[i] = (unsigned short)(us[i] * 2u);
#pragma dvm region
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++) {
      if (j < 3 && i > 4) g2[i][j] = 1.0f; else if (i + j == 10) g2[i][j] = 2.0f;
      else g2[i][j] = -g2[i][j];
    }
}
void a7(int n, int m, double (*restrict p)[7], double *restrict q);
void a7(int n, int m, double (*restrict p)[7], double *restrict q)
{
  const int lo = n / 3, hi = m % 5 + n;
#pragma dvm region
  for (int i = lo; i < hi; i += 2)
    for (int j = 0; j < 7; j++) {
      p[i][j] += q[i * 7 + j];
      q[i * 7 + j] = 0.0;
    }
  while (n > 0)
#pragma dvm region
    for (int k = 0; k < n--; k++) q[k] = 0.0;
}
