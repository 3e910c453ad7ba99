//! Refused regions are told once, and break no build that makes warnings errors.

mod place;
mod prefix;

use place::{place, run, said};
use prefix::dvmcc;

const MIXED: &str = "#include \"kernel.h\"
static double a[20], b[20][20];
#define MARK _Pragma(\"dvm region\")
double f(int n, double w);
double f(int n, double w)
{
  double s = 0;
#pragma dvm region
  for (int i = 1; i < 20; i++)
    for (int j = 0; j < 20; j++)
      b[i][j] = b[i - 1][j] * w + i * 2.0;
#pragma dvm region
  while (n > 3)
    n--;
  /* one */ #pra\\
gma dvm region /* two
  lines */ tile(4)
  while (n > 2)
    n--;
#pragma scop
  while (n > 1)
    n--;
#pragma endscop
#pragma dvm regoin
  MARK
  for (int i = 0; i < 20; i++)
    s += a[i] + b[i][3];
#if 0
#pragma dvm region
#endif
  return s + h(n) + __LINE__;
}
";
const HEADER: &str = "static double h(int n)
{
#pragma dvm region
  while (n > 0)
    n--;
  return n;
}
";
const STRICT: &str = "-Wall -Wextra -Werror -pedantic -Wshadow -Wconversion -Wunused -O1 -c";

/// Only what the build says itself is an error, and there is nothing to say.
#[test]
fn refused_regions_build_with_all_warnings_as_errors() {
    let folder = place("mixed", &[("src/mixed.c", MIXED), ("src/kernel.h", HEADER)]);
    for compiler in ["gcc", "clang"] {
        for standard in ["c99", "gnu11", "c17"] {
            let line = format!("-std={standard} {STRICT} src/mixed.c -o mixed.o");
            let output = run(dvmcc().env("DVM_CC", compiler), &folder, &line);
            let text = said(&output);
            assert!(output.status.success(), "{compiler} {standard}: {text}");
            let places =
                ["mixed.c:13:3", "mixed.c:18:3", "mixed.c:21:3", "mixed.c:24:1", "mixed.c:25:3", "kernel.h:3:1"];
            for place in places {
                let warning = format!("src/{place}: warning: region");
                let count = text.matches(&warning).count();
                assert_eq!(count, 1, "{compiler} {standard}: {place}: {text}");
            }
            assert_eq!(text.matches("warning:").count(), places.len(), "{text}");
            for silence in ["-Wno-dvm", "-w"] {
                let output = run(dvmcc().env("DVM_CC", compiler), &folder, &format!("{silence} {line}"));
                assert!(output.status.success() && said(&output).is_empty(), "{silence}: {}", said(&output));
            }
        }
    }
}

/// A file with nothing but refused regions, and one whose pragma the compiler alone could complain about.
#[test]
fn files_that_are_not_transformed_build_too() {
    let refused = "int f(int n);\nint f(int n)\n{\n#pragma dvm region\n  while (n > 0)\n    n--;\n  return n;\n}\n";
    let unknown =
        "int g(void);\nint g(void)\n{\n#pragma other thing\n#pragma dvm region\n  while (0)\n    ;\n  return 0;\n}\n";
    let files = [("refused.c", refused), ("app.cpp", refused), ("app.i", refused), ("unknown.c", unknown)];
    let folder = place("untouched", &files);
    for (file, compiler) in [("refused.c", "gcc"), ("refused.c", "clang"), ("app.i", "gcc"), ("app.cpp", "g++")] {
        let output = run(dvmcc().env("DVM_CC", compiler), &folder, &format!("-Wall -Werror -c {file} -o x.o"));
        let text = said(&output);
        assert!(output.status.success(), "{file} {compiler}: {text}");
        assert_eq!(text.matches("warning:").count(), 1, "{file} {compiler}: {text}");
    }
    let mut command = dvmcc();
    let output = run(command.env("DVM_CLANG", "/nowhere/clang"), &folder, "-Wall -Werror -c refused.c -o x.o");
    assert!(output.status.success() && said(&output).matches("warning:").count() == 1, "{}", said(&output));
    let output = run(&mut dvmcc(), &folder, "-Wall -Werror -c unknown.c -o x.o");
    let text = said(&output);
    assert!(!output.status.success() && text.contains("unknown.c:4"), "another unknown pragma is told: {text}");
}

#[test]
fn options_about_warnings_are_those_of_compilers() {
    let refused = "int f(int n)\n{\n#pragma dvm region\n  while (n > 0)\n    n--;\n  return n;\n}\n";
    let folder = place("options", &[("refused.c", refused)]);
    for (options, succeeds, speaks) in [
        ("-Werror", true, true),
        ("-w", true, false),
        ("-w -Werror=dvm", true, false),
        ("-Werror=dvm -Wno-error=dvm", true, true),
        ("-Werror=dvm", false, true),
        ("-Wno-dvm -Wdvm", true, true),
        ("-Wno-dvm -Werror=dvm", false, true),
        ("-w --dvm-strict", false, true),
    ] {
        let output = run(&mut dvmcc(), &folder, &format!("{options} -c refused.c"));
        assert_eq!(output.status.success(), succeeds, "{options}: {}", said(&output));
        assert_eq!(!said(&output).is_empty(), speaks, "{options}: {}", said(&output));
    }
}
