/* Runs the calls of a program's functions, and prints what each leaves: `NUMBER CALL BYTES REASSOCIATED TILES`.
   Arguments: calls `NUMBER.CALL` that are left out. With JUDGE each call has a process of its own, which a sanitizer may
   end. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct trial { void (*run)(int layout, long n, long m); long seed; int apart; };
extern const struct trial trials[];
extern const int trial_count;
extern unsigned long left_bytes(void), left_reassociated(void);
extern long standin_tiles __attribute__((weak));

static const int calls[][3] = {
  { 0, 6, 5 }, { 0, 1, 7 }, { 0, 7, 1 }, { 0, 0, 4 }, { 0, 4, 0 }, { 0, 9, 3 }, { 0, 2, 2 }, { 20, 0, 0 }, { 21, 0, 0 },
  { 1, 5, 6 }, { 2, 7, 4 }, { 3, 6, 5 }, { 4, 5, 5 }, { 5, 6, 3 }, { 6, 5, 6 }, { 7, 7, 5 }, { 8, 6, 4 }, { 9, 7, 7 },
  { 10, 6, 6 }, { 11, 4, 7 }, { 12, 5, 4 }, { 13, 7, 3 }, { 14, 6, 6 }, { 15, 5, 7 }, { 16, 6, 5 }, { 17, 5, 6 }, { 18, 6, 7 },
};
enum { COUNT = sizeof calls / sizeof *calls };
static unsigned char skipped[256][COUNT];

static void call(int number, int at)
{
  long before = &standin_tiles ? standin_tiles : 0;
  printf("begin %d %d\n", number, at);
  fflush(stdout);
  fprintf(stderr, "call %d %d\n", number, at);
  trials[number].run(calls[at][0], calls[at][1], calls[at][2]);
  printf("%d %d %lx %lx %ld\n", number, at, left_bytes(), left_reassociated(), &standin_tiles ? standin_tiles - before : 0);
  fflush(stdout);
}

int main(int argc, char **argv)
{
  for (int k = 1; k < argc; k++) {
    int number, at;
    if (sscanf(argv[k], "%d.%d", &number, &at) == 2)
      skipped[number][at] = 1;
  }
  for (int number = 0; number < trial_count; number++)
    for (int at = 0; at < COUNT; at++) {
      const int layout = calls[at][0];
      if (skipped[number][at] || (trials[number].apart && layout > 0 && layout < 20))
        continue;
#ifdef JUDGE
      fflush(stdout);
      const pid_t child = fork();
      if (child == 0) {
        alarm(5);
        call(number, at);
        _exit(0);
      }
      int status;
      waitpid(child, &status, 0);
      if (status)
        printf("undefined %d %d\n", number, at);
#else
      call(number, at);
#endif
    }
  puts("done");
}
