//! Regions that run their own loops say why where notes are wanted, and nothing otherwise.

mod place;
mod prefix;

use place::{run, said, told};
use prefix::{dvmcc, program};

const APP: &str = "#include <stdio.h>
static double store[100], wide[10][10];
void shift(int n, double *a, double *b)
{
#pragma dvm region
  for (int i = 0; i < n; i++)
    a[i] = b[i] * 2.0;
}
void rows(int n, int m)
{
#pragma dvm region name(wide)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      wide[i][j] = wide[i][j] + 1.0;
}
void far(long n)
{
#pragma dvm region name(far)
  for (long i = 0; i < n; i++)
    store[i] = 2.0 * store[i];
}
int main(void)
{
  for (int i = 0; i < 100; i++) store[i] = i;
  shift(40, store, store + 50);
  rows(9, 10);
  puts(\"apart\");
  fflush(stdout);
  shift(40, store, store + 1);
  rows(9, 11);
  far(-(1l << 50));
  printf(\"%g\\n\", store[7]);
  return 0;
}
";

#[test]
fn a_region_that_cannot_run_as_tiles_says_why() {
    let folder = testkit::scratch(&[("app.c", APP)]);
    for compiler in ["gcc", "clang"] {
        let output = run(dvmcc().env("DVM_CC", compiler), &folder, "-Wall -Wextra -Werror -O1 app.c -o app");
        assert!(output.status.success(), "{}", said(&output));
        for (verbose, expected) in [
            (None, ""),
            (Some("0"), ""),
            (
                Some("1"),
                "libdvm: region shift_1 (line 5) runs sequentially: `b` and `a` share storage\n\
                 libdvm: region wide (line 11) runs sequentially: a subscript leaves its row\n\
                 libdvm: region far (line 18) runs sequentially: `n` is beyond 2^48\n",
            ),
        ] {
            let mut command = program(&folder.join("app"));
            command.env_remove("DVM_VERBOSE").envs(verbose.map(|value| ("DVM_VERBOSE", value)));
            let ran = command.output().expect("the program runs");
            assert_eq!(told(&ran), "apart\n232\n");
            assert_eq!(said(&ran), expected, "{compiler} {verbose:?}");
        }
    }
}
