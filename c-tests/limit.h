/* For tests under RLIMIT_AS. */
#ifndef LIMIT_H
#define LIMIT_H

#include <stdio.h>
#include <unistd.h>

/* The bytes that the process has mapped. */
static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

#endif
