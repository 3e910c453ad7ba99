#pragma GCC system_header
static inline void add(double *to, double from)
{
#ifdef __clang__
  to[0] += from;
#else
  to[1] += from;
#endif
}
