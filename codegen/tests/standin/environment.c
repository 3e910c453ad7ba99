/* Lets a program that was linked with the stand-in be steered from its environment. */
#include "standin.h"
#include <stdio.h>
#include <stdlib.h>

static long number(const char *name, long otherwise)
{
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void steer(void)
{
  for (int k = 0; k < 16; k++)
    standin_size[k] = number("STANDIN_SIZE", 8);
  standin_seed = (uint64_t)number("STANDIN_SEED", 0);
  standin_workers = (int)number("STANDIN_WORKERS", 1);
  standin_ways = (uint64_t)number("STANDIN_WAYS", 0);
  standin_refuse = (int)number("STANDIN_REFUSE", 0);
}

__attribute__((destructor)) static void tell(void)
{
  if (getenv("STANDIN_TELL"))
    fprintf(stderr, "graphs %lld tiles %lld\n", (long long)standin_graphs, (long long)standin_tiles);
  if (getenv("STANDIN_ASKED"))
    fprintf(stderr, "asked %lld\n", (long long)standin_asked);
}
