/* What generated programs know of the harness. */
#ifndef STANDARD_HARNESS_H
#define STANDARD_HARNESS_H
/* Fills elements of a type with small values. */
void fill_elements(void *elements, char type, long count, int seed);
/* Adds elements of a type to the case's trace. */
void show_elements(const char *name, const void *elements, char type, long count);
void show_integer(const char *name, long long value);
void show_real(const char *name, long double value);
#endif
