//! A kernel as a C program that compares the generated code with the original, byte by byte.

use super::{Kernel, Place, Storehouse};
use dvm_codegen::Generated;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
};

/// What the program tries: every combination.
pub struct Trials {
    pub sizes: Vec<i64>,
    pub tiles: Vec<i64>,
    pub seeds: Vec<u64>,
    pub workers: Vec<u32>,
}

fn declared(array: &Storehouse) -> String {
    let lengths = |from: usize| array.dims[from..].iter().map(|length| format!("[{length}]")).collect::<String>();
    let element = &array.element;
    match array.place {
        Place::Restrict if array.dims.len() == 1 => format!("{element} *restrict {}", array.name),
        Place::Restrict => format!("{element} (*restrict {}){}", array.name, lengths(1)),
        Place::Pointer if array.dims.len() == 1 => format!("{element} *{}", array.name),
        Place::Pointer => format!("{element} (*{}){}", array.name, lengths(1)),
        Place::Global => format!("{element} {}{}", array.name, lengths(0)),
        Place::Scalar => format!("{element} *{}_result", array.name),
    }
}

/// Number of elements, at least one.
fn elements(array: &Storehouse) -> String {
    let product: String = array.dims.iter().map(|length| format!(" * (size_t)({length})")).collect();
    format!("(1{product} + 1)")
}

fn function(kernel: &Kernel, name: &str, text: &str) -> String {
    let scalars = kernel.arrays.iter().filter(|array| array.place == Place::Scalar);
    let mut begin = String::new();
    let mut end = String::new();
    for scalar in scalars {
        let _ = writeln!(begin, "  {} {name} = *{name}_result;", scalar.element, name = scalar.name);
        let _ = writeln!(end, "  *{name}_result = {name};", name = scalar.name);
    }
    let unused = kernel.arrays.iter().filter(|array| !matches!(array.place, Place::Global | Place::Scalar));
    for name in kernel.parameters.iter().chain(unused.map(|array| &array.name)) {
        let _ = writeln!(begin, "  (void){name};");
    }
    let parameters = kernel.parameters.iter().map(|name| format!("int {name}"));
    let arrays = kernel.arrays.iter().filter(|array| array.place != Place::Global).map(declared);
    let all: Vec<String> = parameters.chain(arrays).collect();
    format!("static void {name}({})\n{{\n{begin}{text}{end}}}\n\n", all.join(", "))
}

/// The whole program.
pub fn source(kernel: &Kernel, generated: &Generated, trials: &Trials) -> String {
    let mut text = String::from(
        "#include \"standin.h\"\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n#define quot(a, b) ((a) / (b))\n#define rest(a, b) ((a) % (b))\nstatic int turn;\n\n",
    );
    for array in kernel.arrays.iter().filter(|array| array.place == Place::Global) {
        let _ = writeln!(text, "static {};", declared(array));
    }
    text.push_str(&function(kernel, "original", &kernel.text()));
    text.push_str(&generated.file_scope);
    text.push_str(&function(kernel, "transformed", &generated.call));
    // Bytes of small doubles, of which a random integer is as good as any other.
    text.push_str("static void fill(void *p, size_t n)\n{\n  for (size_t i = 0; i < n; i++) {\n    const double value = (double)((i * 7919 + 13) % 101) / 50.0 + 0.01;\n    memcpy((char *)p + i * sizeof value, &value, sizeof value);\n  }\n}\n\n");
    text.push_str("static int check(int size)\n{\n  (void)turn;\n");
    for (at, name) in kernel.parameters.iter().enumerate() {
        // The first parameter is the problem's size; others are steps in time and stay small, `m` changes each time.
        let value = match (at, name.as_str()) {
            (0, _) => "size",
            (_, "m") => "turn++ % 11",
            _ => "size < 9 ? size : 5 + size % 7",
        };
        let _ = writeln!(text, "  const int {name} = {value};");
    }
    let mut calls = [Vec::new(), Vec::new()];
    let mut compare = String::new();
    for array in &kernel.arrays {
        let (name, count) = (&array.name, elements(array));
        if array.place == Place::Global {
            let _ = writeln!(text, "  void *{name}_0 = malloc(sizeof {name});");
            let _ = writeln!(compare, "  bad |= memcmp({name}_0, {name}, sizeof {name}) != 0;\n  free({name}_0);");
            continue;
        }
        for (copy, call) in calls.iter_mut().enumerate() {
            let _ = writeln!(
                text,
                "  void *{name}_{copy} = malloc({count} * sizeof(double));\n  fill({name}_{copy}, {count});"
            );
            call.push(format!("{name}_{copy}"));
        }
        let _ = writeln!(
            compare,
            "  bad |= memcmp({name}_0, {name}_1, {count} * sizeof(double)) != 0;\n  free({name}_0);\n  free({name}_1);"
        );
    }
    let globals: Vec<&Storehouse> = kernel.arrays.iter().filter(|array| array.place == Place::Global).collect();
    for (copy, function) in ["original", "transformed"].iter().enumerate() {
        for array in &globals {
            let _ = writeln!(text, "  fill({0}, sizeof {0} / sizeof(double));", array.name);
        }
        let arguments: Vec<String> = kernel.parameters.iter().cloned().chain(calls[copy].iter().cloned()).collect();
        let _ = writeln!(text, "  {function}({});", arguments.join(", "));
        if copy == 0 {
            for array in &globals {
                let _ = writeln!(text, "  memcpy({0}_0, {0}, sizeof {0});", array.name);
            }
        }
    }
    let _ = writeln!(text, "  int bad = 0;\n{compare}  return bad;\n}}\n");
    text.push_str(&main(trials));
    text
}

fn main(trials: &Trials) -> String {
    let list = |values: Vec<String>| values.join(", ");
    format!(
        "int main(void)
{{
  const int sizes[] = {{ {} }};
  const int64_t tiles[] = {{ {} }};
  const uint64_t seeds[] = {{ {} }};
  const int workers[] = {{ {} }};
  int failures = 0;
  uint64_t mix = 88172645463325252u;
  if (getenv(\"STANDIN_ALONE\")) {{
    /* Once for each size: the first region that is worth libdvm's start is the last one that begins without it. */
    for (int k = 0; k < 16; k++)
      standin_size[k] = 1 + k % 3;
    for (size_t s = sizeof sizes / sizeof *sizes; s-- > 0;)
      failures += check(sizes[s]);
    return failures != 0;
  }}
  for (size_t w = 0; w < sizeof workers / sizeof *workers; w++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
        for (size_t r = 0; r < sizeof seeds / sizeof *seeds; r++) {{
          for (int k = 0; k < 16; k++) {{
            mix ^= mix << 13, mix ^= mix >> 7, mix ^= mix << 17;
            /* A negative size: mixed ones. */
            standin_size[k] = tiles[t] > 0 ? tiles[t] : 1 + (int64_t)(mix % (uint64_t)-tiles[t]);
          }}
          standin_seed = seeds[r];
          standin_workers = workers[w];
          if (check(sizes[s])) {{
            printf(\"differs: size %d, tiles %lld %lld %lld %lld, seed %llu, workers %d\\n\", sizes[s], (long long)standin_size[0],
                (long long)standin_size[1], (long long)standin_size[2], (long long)standin_size[3], (unsigned long long)seeds[r], workers[w]);
            if (++failures > 10)
              return 1;
          }}
        }}
  standin_in_task = 1;
  if (check(sizes[sizeof sizes / sizeof *sizes - 1])) {{
    printf(\"differs: in a task\\n\");
    failures++;
  }}
  standin_refuse = 1;
  if (check(sizes[sizeof sizes / sizeof *sizes - 1])) {{
    printf(\"differs: fallback\\n\");
    failures++;
  }}
  const long long graphs = standin_graphs, tiles_run = standin_tiles;
  standin_in_task = standin_refuse = 0;
  for (int entry = 0; entry < 200; entry++) {{
    mix ^= mix << 13, mix ^= mix >> 7, mix ^= mix << 17;
    const int size = sizes[mix % (sizeof sizes / sizeof *sizes)];
    standin_ways = mix;
    for (int k = 0; k < 16; k++)
      standin_size[k] = 1 + (int64_t)((mix >> k) % 9);
    standin_workers = entry % 50 == 0 ? 2 : 1;
    if (check(size)) {{
      printf(\"differs: size %d, ways by %llu\\n\", size, (unsigned long long)mix);
      failures++;
      break;
    }}
  }}
  printf(\"graphs %lld tiles %lld plain %lld\\n\", graphs, tiles_run, (long long)standin_plain);
  return failures != 0;
}}
",
        list(trials.sizes.iter().map(ToString::to_string).collect()),
        list(trials.tiles.iter().map(ToString::to_string).collect()),
        list(trials.seeds.iter().map(ToString::to_string).collect()),
        list(trials.workers.iter().map(ToString::to_string).collect()),
    )
}

/// Where the stand-in's sources are.
fn standin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/standin")
}

/// Compiles and runs a program; what it says when something differs.
pub fn run(name: &str, source: &str, optimise: &str) -> Result<String, String> {
    let name = format!("{name}.c");
    let folder = testkit::scratch(&[(&name, source)]);
    let (file, program) = (folder.join(&name), folder.join("program"));
    let flags = [
        "-std=c99",
        "-D_POSIX_C_SOURCE=200809L",
        optimise,
        "-ffp-contract=off",
        "-Wall",
        "-Wextra",
        "-Wno-sign-compare",
        "-Wno-tautological-compare",
        "-Werror",
        "-pthread",
    ];
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let output = Command::new(compiler)
        .args(flags)
        .arg("-I")
        .arg(standin())
        .arg(&file)
        .arg(standin().join("standin.c"))
        .arg("-lm")
        .arg("-o")
        .arg(&program)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", file.display(), String::from_utf8_lossy(&output.stderr)));
    }
    let output = Command::new(&program).output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        return Err(format!("{}: {}\n{text}", file.display(), output.status));
    }
    for looks in ["1", "2", "4", "7"] {
        let alone = Command::new(&program).env("STANDIN_ALONE", looks).output().map_err(|error| error.to_string())?;
        if !alone.status.success() {
            return Err(format!("{}, without libdvm for {looks} looks at the clock: {}", file.display(), alone.status));
        }
    }
    Ok(text)
}
