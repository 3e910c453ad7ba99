//! `dvmcc` in place of `cc`: command lines, output files, messages and exit codes.

mod prefix;

use prefix::{dvmcc, program};
use std::path::Path;
use std::process::Output;

const REGION: &str = "#include <stdio.h>\n#include \"size.h\"\nstatic double a[N];\nint main(void)\n{\n#pragma dvm region\n  \
     for (int i = 0; i < N; i++)\n    a[i] = i * 2.0;\n  printf(\"%g %d\\n\", a[N - 1], __LINE__);\n  return 0;\n}\n";
const REFUSED: &str =
    "int f(int n, int *restrict a)\n{\n#pragma dvm region\n  while (n > 0)\n    a[--n] = 0;\n  return 0;\n}\n";

/// A fresh folder with `app.c`, its header in `src/`, and more.
fn place() -> testkit::Scratch {
    testkit::scratch(&[
        ("src/app.c", REGION),
        ("src/size.h", "#define N 100\n"),
        ("refused.c", REFUSED),
        ("plain.c", "int plain(void) { return 3; }\n"),
    ])
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    dvmcc().current_dir(folder).args(arguments).output().expect("dvmcc runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn compiles_and_links_in_one_command() {
    let folder = place();
    let output = run(&folder, &["-O1", "src/app.c", "plain.c", "-o", "app"]);
    assert!(output.status.success(), "{}", said(&output));
    let ran = program(&folder.join("app")).env("STANDIN_TELL", "1").output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "198 9\n", "values, and the line of the source");
    assert!(said(&ran).contains("graphs 1"), "{}", said(&ran));
    let alone = |variable: &str| {
        let mut command = program(&folder.join("app"));
        command
            .env("STANDIN_ASKED", "1")
            .env("STANDIN_ALONE", "1")
            .env(variable, "2")
            .output()
            .expect("the program runs")
    };
    assert!(said(&alone("DVM_WORKERS")).contains("asked 0"), "a few iterations do not ask libdvm");
    assert!(said(&alone("DVM_TILE")).contains("asked 1"), "a variable may ask for tiles");
}

#[test]
fn compiles_first_and_links_later() {
    let folder = place();
    let output = run(&folder, &["-c", "src/app.c", "--show"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("wrote app.dvm.c"), "{}", said(&output));
    assert!(folder.join("app.o").is_file() && folder.join("app.dvm.c").is_file());
    let output = run(&folder, &["app.o", "-o", "app"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(program(&folder.join("app")).status().expect("the program runs").success());
}

#[test]
fn assembles_and_preprocesses() {
    let folder = place();
    assert!(run(&folder, &["-S", "src/app.c"]).status.success());
    assert!(folder.join("app.s").is_file());
    let output = run(&folder, &["-E", "src/app.c"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("dvm_region_run"));
    let output = run(&folder, &["-fsyntax-only", "src/app.c"]);
    assert!(output.status.success() && !folder.join("a.out").exists());
}

#[test]
fn dependencies_name_the_original_sources() {
    let folder = place();
    let output = run(&folder, &["-MMD", "-MP", "-c", "src/app.c", "-o", "out.o"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = std::fs::read_to_string(folder.join("out.d")).expect("the dependency file");
    assert!(text.starts_with("out.o: src/app.c src/size.h"), "{text}");
    assert!(text.contains("src/size.h:\n"), "-MP: {text}");
    let output = run(&folder, &["-MD", "-MF", "x.d", "-MT", "target", "-c", "src/app.c"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = std::fs::read_to_string(folder.join("x.d")).expect("the dependency file");
    assert!(text.starts_with("target: src/app.c"), "{text}");
    let output = run(&folder, &["-MM", "src/app.c"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "app.o: src/app.c src/size.h\n");
}

#[test]
fn response_files_and_languages() {
    let folder = place();
    folder.write("words", "-O1 'src/app.c'\n-o \"my app\"");
    assert!(run(&folder, &["@words"]).status.success());
    assert!(folder.join("my app").is_file());
    std::fs::copy(folder.join("src/app.c"), folder.join("src/app.txt")).expect("a copy");
    let output = run(&folder, &["-x", "c", "src/app.txt", "-o", "other"]);
    assert!(output.status.success(), "{}", said(&output));
    let ran = program(&folder.join("other")).env("STANDIN_TELL", "1").output().expect("the program runs");
    assert!(said(&ran).contains("graphs 1"));
}

#[test]
fn refusals_warn_and_go_on_or_fail_when_strict() {
    let folder = place();
    let output = run(&folder, &["-c", "refused.c"]);
    assert!(output.status.success() && folder.join("refused.o").is_file());
    assert!(said(&output).starts_with("refused.c:4:3: warning: region 'f:3' stays sequential"), "{}", said(&output));
    for strict in ["--dvm-strict", "-Werror=dvm"] {
        let output = run(&folder, &["-c", "refused.c", "-o", "strict.o", strict]);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("refused.c:4:3: error: region"), "{}", said(&output));
        assert!(!folder.join("strict.o").exists());
    }
    assert_eq!(said(&run(&folder, &["-c", "refused.c", "-Wno-dvm"])), "");
}

#[test]
fn a_missing_clang_leaves_a_sequential_program_and_says_so() {
    let folder = place();
    let missing = |strict: &[&str]| {
        let mut command = dvmcc();
        command.current_dir(&folder).env("DVM_CLANG", "/nowhere/clang").args(["src/app.c", "-o", "app"]).args(strict);
        command.output().expect("dvmcc runs")
    };
    let output = missing(&[]);
    assert!(output.status.success());
    let text = said(&output);
    assert!(
        text.contains("warning")
            && text.contains("cannot run `/nowhere/clang`")
            && text.contains("apt-get install clang"),
        "{text}"
    );
    let ran = program(&folder.join("app")).output().expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "198 9\n");
    assert_eq!(missing(&["--dvm-strict"]).status.code(), Some(1));
}

#[test]
fn the_compilers_errors_are_its_own() {
    let folder = place();
    std::fs::write(folder.join("wrong.c"), "int f(void) { return x; }\n").expect("a file");
    let output = run(&folder, &["-c", "wrong.c"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("wrong.c:1:"), "{}", said(&output));
    let output = run(&folder, &["-c", "absent.c"]);
    assert!(!output.status.success() && said(&output).contains("absent.c"));
    let output = run(&folder, &["-c", "src/app.c", "-o", "no/such/folder/x.o"]);
    assert!(!output.status.success() && said(&output).contains("no/such/folder/x.o"), "{}", said(&output));
    assert_eq!(said(&run(&folder, &["-c", "plain.c", "-o"])), "dvmcc: error: option `-o` needs an argument\n");
}

#[test]
fn messages_outside_regions_keep_their_lines() {
    let folder = place();
    let text = REGION.replace("return 0;", "int unused;\n  return 0;");
    folder.write("src/app.c", text);
    let output = run(&folder, &["-Wall", "-c", "src/app.c"]);
    assert!(output.status.success());
    assert!(said(&output).contains("src/app.c:10:7: warning: unused variable"), "{}", said(&output));
    assert_eq!(said(&output).matches("warning:").count(), 1, "{}", said(&output));
}

#[test]
fn the_compiler_is_chosen_without_calling_itself() {
    let folder = place();
    folder.write("stub", "#!/bin/sh\nprintf '%s\\n' \"$@\" > words\nexit 7\n");
    let output = dvmcc()
        .current_dir(&folder)
        .env("DVM_CC", folder.join("stub"))
        .args(["-c", "-O2", "-DX=a b", "plain.c"])
        .output();
    assert_eq!(output.expect("dvmcc runs").status.code(), Some(7), "the compiler's exit code");
    let words = std::fs::read_to_string(folder.join("words")).expect("the stub's words");
    assert!(words.starts_with("-c\n-O2\n-DX=a b\nplain.c\n"), "{words}");
    let mut command = dvmcc();
    command.current_dir(&folder).env_remove("DVM_CC").env("CC", env!("CARGO_BIN_EXE_dvmcc")).args(["-c", "plain.c"]);
    assert!(command.output().expect("dvmcc runs").status.success(), "CC=dvmcc falls back to cc");
    let output = dvmcc().env("DVM_CC", "dvmcc").args(["-c", "plain.c"]).output().expect("dvmcc runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("DVM_CC names dvmcc itself"));
    let output = dvmcc().current_dir(&folder).env("DVM_CC", "/nowhere/cc").args(["-c", "plain.c"]).output();
    assert!(said(&output.expect("dvmcc runs")).contains("cannot run the compiler `/nowhere/cc`"));
}

#[test]
fn help_and_version() {
    let help = dvmcc().arg("--help").output().expect("dvmcc runs");
    assert!(help.status.success() && String::from_utf8_lossy(&help.stdout).contains("Examples:"));
    let version = dvmcc().arg("--version").output().expect("dvmcc runs");
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("dvmcc "));
}

#[test]
fn nothing_stays_in_the_temporary_folder() {
    let folder = place();
    let own = folder.join("tmp");
    std::fs::create_dir(&own).expect("a folder");
    for arguments in [["-c", "src/app.c"], ["-c", "refused.c"], ["-c", "absent.c"]] {
        let _ = dvmcc().current_dir(&folder).env("TMPDIR", &own).args(arguments).output().expect("dvmcc runs");
    }
    assert_eq!(std::fs::read_dir(&own).expect("the folder").count(), 0);
}

/// Warnings that a program makes errors are about its own text, not about what stands in for it.
#[test]
fn errors_from_warnings_spare_the_generated_code() {
    let folder = place();
    let text = "static double a[9], b[9][9];\nvoid f(int n);\n__attribute__((noinline)) void f(int n)\n{\n  int i, j;\n\
                #pragma dvm region\n  for (i = 0; i < n; i++)\n    for (j = 0; j < i; j++)\n      b[i][j] += a[j] * 2.0;\n}\n";
    folder.write("strict.c", text);
    // A header as libdvm's: callbacks of any parameters.
    let header = std::fs::read_to_string(prefix::folder().join("include/dvm.h")).expect("the header");
    let header = header.replacen("#endif", "#endif\nint register_callback(int (*callback)());", 1);
    folder.write("prefix/include/dvm.h", header);
    let installed = folder.join("prefix");
    let flags = "-std=c99 -pedantic -Wall -Wextra -Werror -Wno-unknown-pragmas -Wshadow -Wconversion -Wsign-conversion \
                 -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wdeclaration-after-statement -O2 -c strict.c";
    for compiler in ["gcc", "clang"] {
        let mut command = dvmcc();
        command.current_dir(&folder).env("DVM_CC", compiler).env("DVM_PREFIX", &installed);
        let output = command.args(flags.split_whitespace()).output().expect("dvmcc runs");
        assert!(output.status.success() && said(&output).is_empty(), "{compiler}: {}", said(&output));
    }
}

/// A pragma that the compiler sees is transformed or spoken of, wherever it stands; one that it does not see is neither.
#[test]
fn pragmas_are_those_that_the_compiler_sees() {
    let folder = place();
    let header = "static void g(int n, int *restrict a)\n{\n#pragma dvm region\n  for (int i = 0; i < n; i++)\n    \
                  a[i] = i;\n}\n";
    folder.write("kernel.h", header);
    std::fs::write(folder.join("user.c"), "#include \"kernel.h\"\nvoid f(int *a) { g(3, a); }\n").expect("a file");
    let output = run(&folder, &["-c", "user.c"]);
    assert!(output.status.success());
    let text = said(&output);
    assert!(
        text.starts_with("./kernel.h:3:1: warning: region stays sequential: the pragma stands in an included"),
        "{text}"
    );
    assert!(text.contains("./kernel.h:3:1: note: move the function"), "{text}");
    assert_eq!(run(&folder, &["-c", "user.c", "--dvm-strict"]).status.code(), Some(1));
    let skipped = "#if 0\n#pragma dvm region\n#pragma dvm rubbish\n#pragma scop\n#endif\n#define X \"\\\n#pragma scop\"\n\
                   int skipped;\n";
    folder.write("skipped.c", skipped);
    let output = run(&folder, &["-c", "skipped.c", "--dvm-strict"]);
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    for spelling in
        ["# /**/ pragma\tdvm/* */region", "#pra\\\ngma dvm \\  \nregion tile(4)", "%:pragma dvm region // so"]
    {
        let text = REGION.replace("#pragma dvm region", spelling).replace("size.h", "src/size.h");
        folder.write("spelled.c", text);
        let output = run(&folder, &["spelled.c", "-o", "spelled", "--dvm-strict"]);
        assert!(output.status.success() && said(&output).is_empty(), "{spelling}: {}", said(&output));
        let ran = program(&folder.join("spelled")).env("STANDIN_TELL", "1").output().expect("the program runs");
        assert!(said(&ran).contains("graphs 1"), "{spelling}: {}", said(&ran));
    }
}

/// ccache takes a result for equal preprocessed text; it preprocesses into files of changing names.
#[test]
fn preprocessed_text_is_the_same_each_time_and_names_the_source() {
    let folder = place();
    let text = |arguments: &[&str]| {
        let output = run(&folder, &[&["-E", "src/app.c"], arguments].concat());
        assert!(output.status.success(), "{}", said(&output));
        String::from_utf8(output.stdout).expect("the text is UTF-8")
    };
    let printed = text(&[]);
    assert!(printed.contains("\"src/app.c\"") && printed.contains("dvm__"), "{printed}");
    assert!(!printed.contains("/dvmcc-"), "{printed}");
    for name in ["one.i", "other.i"] {
        assert_eq!(text(&["-o", name]), "");
        assert_eq!(std::fs::read_to_string(folder.join(name)).expect("the text was written"), printed);
    }
}

/// C90 has no declaration in a loop's header, no `restrict` and no `inline`.
#[test]
fn the_older_language_is_accepted() {
    let folder = place();
    folder.write("old.c", OLD);
    for standard in ["-ansi", "-std=c89", "-std=gnu90", "-std=iso9899:199409"] {
        for compiler in ["gcc", "clang"] {
            let flags =
                [standard, "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "--dvm-strict", "old.c", "-o", "old"];
            let output =
                dvmcc().current_dir(&*folder).env("DVM_CC", compiler).args(flags).output().expect("dvmcc runs");
            assert!(output.status.success() && said(&output).is_empty(), "{standard} {compiler}: {}", said(&output));
            let ran = program(&folder.join("old")).env("STANDIN_TELL", "1").output().expect("the program runs");
            assert!(ran.status.success(), "{standard} {compiler}: {}", said(&ran));
            assert!(said(&ran).contains("graphs 4"), "{standard} {compiler}: {}", said(&ran));
        }
    }
}

/// A sweep, a time loop around sweeps, a triangle over an array with lengths of the run, and a counted scalar.
const OLD: &str = r"
static double restrict[60], other[60];

static void sweeps(int times, int n)
{
    int t, i;
#pragma dvm region
    for (t = 0; t < times; t++) {
        for (i = 1; i < n - 1; i++)
            other[i] = 0.5 * (restrict[i - 1] + restrict[i + 1]);
        for (i = 1; i < n - 1; i++)
            restrict[i] = other[i];
    }
}

static void triangle(int n, double *a)
{
    int i, j;
#pragma dvm region
    for (i = 0; i < n; i++)
        for (j = 0; j <= i; j++)
            a[i * n + j] += i - 2 * j;
}

/* The last value of a counted scalar is a closed form, which stands in the program's own text. */
static int counted(int n, double *a)
{
    int i, k = 1;
#pragma dvm region
    for (i = 0; i < n; i++) {
        k += 2;
        a[i] = a[i] + k;
    }
    return k;
}

int main(void)
{
    static double a[90000];
    double sum = 0;
    int i;
#pragma dvm region reduction(+:sum)
    for (i = 0; i < 90000; i++)
        sum += a[i];
    for (i = 0; i < 60; i++)
        restrict[i] = i * i;
    sweeps(3, 60);
    triangle(300, a);
    if (counted(90000, a) != 180001)
        return 1;
    for (i = 0; i < 60; i++)
        sum += restrict[i];
    for (i = 0; i < 90000; i++)
        sum += i * a[i];
    return sum == 0;
}
";

/// `//*` is a comment's beginning in C99, and a division in strict C90.
#[test]
fn a_comment_that_c90_reads_as_a_division_is_refused() {
    let folder = place();
    let text = "int f(int n, int *a)\n{\n  int i;\n#pragma dvm region\n  for (i = 0; i < n; i++)\n    a[i] = i;\n  \
                return n //**/ 2\n ;\n}\n";
    folder.write("old.c", text);
    let output = run(&folder, &["-c", "-std=c90", "old.c"]);
    assert!(said(&output).contains("begins a comment in C99 and is a division in C90"), "{}", said(&output));
}

/// Macros that a file brings into the function are not there before the function, where the tiles are.
#[test]
fn macros_of_files_included_in_a_function_are_refused() {
    let folder = place();
    folder.write("weights.h", "#define WEIGHT 3\n");
    let text = "void f(int n, int *restrict a)\n{\n#include \"weights.h\"\n#pragma dvm region\n  for (int i = 0; i < n; i++)\n    \
                a[i] = WEIGHT;\n}\n";
    folder.write("within.c", text);
    let output = run(&folder, &["-c", "within.c"]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("within.c:4:1: warning") && text.contains("defines the macro `WEIGHT`"), "{text}");
    assert!(text.contains("include the file before the function"), "{text}");
}

/// What generated code knows of dvm.h without including it.
#[test]
fn the_generated_helpers_agree_with_the_header() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::from("#include <dvm.h>\n#include <stddef.h>\n#include \"emit/helpers.h\"\n");
    let equal = |left: &str, right: &str| format!("_Static_assert({left} == {right}, \"{left}\");\n");
    text += &equal("sizeof(struct dvm__graph)", "sizeof(dvm_graph_t)");
    text += &equal("DVM__DIMENSIONS", "DVM_GRAPH_MAX_DIMENSION");
    text += &equal("sizeof(int)", "sizeof(dvm_retcode_t)");
    for (own, public) in [
        ("success", "SUCCESS"),
        ("argument", "ERR_ARGUMENT"),
        ("not_initialized", "ERR_NOT_INITIALIZED"),
        ("in_task", "ERR_IN_TASK"),
    ] {
        text += &equal(&format!("(int)dvm__{own}"), &format!("(int)DVM_{public}"));
    }
    let members = [
        "bytes",
        "name",
        "dimension",
        "lower",
        "upper",
        "carried",
        "run",
        "predecessors",
        "successors",
        "context",
        "bounds",
        "exists",
    ];
    for member in members {
        let public = if member == "bytes" { "size" } else { member };
        text +=
            &equal(&format!("offsetof(struct dvm__graph, dvm__{member})"), &format!("offsetof(dvm_graph_t, {public})"));
    }
    text += &equal("sizeof(struct dvm__record)", "sizeof(dvm_region_t)");
    for member in ["bytes", "name", "line", "phase", "number", "unasked"] {
        let public = if member == "bytes" { "size" } else { member };
        text += &equal(
            &format!("offsetof(struct dvm__record, dvm__{member})"),
            &format!("offsetof(dvm_region_t, {public})"),
        );
    }
    text += &equal("sizeof(struct dvm__entry)", "sizeof(dvm_region_entry_t)");
    for member in ["way", "work", "begun"] {
        text += &equal(
            &format!("offsetof(struct dvm__entry, dvm__{member})"),
            &format!("offsetof(dvm_region_entry_t, {member})"),
        );
    }
    text += "_Static_assert(_Generic((dvm__int64)0, int64_t: 1, default: 0) == 1, \"the integer\");\n";
    let folder = place();
    for (header, which) in [(root.join("../include"), "libdvm's"), (root.join("tests/standin"), "the stand-in's")] {
        folder.write("agree.c", &text);
        let mut command = std::process::Command::new("gcc");
        command.current_dir(&folder).args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "agree.c",
            "-I",
        ]);
        let output = command.arg(header).arg("-I").arg(root.join("src")).output().expect("gcc runs");
        assert!(output.status.success(), "{which}: {}", said(&output));
    }
}

/// What is no C file is passed on as it is; its regions are not silently sequential.
#[test]
fn regions_in_other_inputs_are_spoken_of() {
    let folder = place();
    let text = "double a[9];\nint main()\n{\n#pragma dvm region\n  for (int i = 0; i < 9; i++)\n    a[i] = i;\n  return \
                (int)a[7];\n}\n";
    for (file, strict) in [("app.cpp", None), ("app.i", None), ("-", None), ("app.cpp", Some("--dvm-strict"))] {
        std::fs::write(folder.join(file), text).expect("a file");
        let mut command = dvmcc();
        let input = std::fs::File::open(folder.join(file)).expect("the file");
        let language = if file == "-" { vec!["-x", "c"] } else { vec![] };
        let compiler = if file == "app.cpp" { "g++" } else { "gcc" };
        command.current_dir(&folder).env("DVM_CC", compiler).stdin(input).args(language).args([file, "-o", "app"]);
        let output = command.args(strict).output().expect("dvmcc runs");
        let name = if file == "-" { "<stdin>" } else { file };
        let severity = if strict.is_some() { "error" } else { "warning" };
        let said = said(&output);
        assert!(said.contains(&format!("{name}:4:1: {severity}: its regions stay sequential")), "{file}: {said}");
        assert!(said.contains(&format!("{name}:4:1: note: put the function")), "{file}: {said}");
        assert_eq!(output.status.success(), strict.is_none(), "{file}: {said}");
        if strict.is_none() {
            assert_eq!(program(&folder.join("app")).status().expect("the program runs").code(), Some(7), "{file}");
        }
    }
}

#[test]
fn a_byte_order_mark_stays_at_the_beginning() {
    let folder = place();
    let text = format!("\u{feff}{}", REGION.replace("size.h", "src/size.h"));
    folder.write("marked.c", text);
    let output = run(&folder, &["marked.c", "-o", "marked"]);
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    let ran = program(&folder.join("marked")).env("STANDIN_TELL", "1").output().expect("the program runs");
    assert!(said(&ran).contains("graphs 1"), "{}", said(&ran));
}

#[test]
fn types_tell_nothing_without_strict_aliasing() {
    let folder = place();
    folder.write("types.c", TYPES);
    let last = ["-fno-strict-aliasing", "-fstrict-aliasing"];
    for (flags, compared) in [(&last[..0], false), (&last[..1], true), (&last[..], false)] {
        let output = run(&folder, &[&["types.c", "-o", "types"], flags].concat());
        assert!(output.status.success() && said(&output).is_empty(), "{flags:?}: {}", said(&output));
        let ran = program(&folder.join("types")).env("DVM_VERBOSE", "1").output().expect("the program runs");
        let told = said(&ran).contains("the region writes `scale`, which it reads at entry");
        assert!(ran.status.success() && told == compared, "{flags:?}: {}", said(&ran));
    }
}

/// The array is the variable: C's rule for types excludes that, unless an option says otherwise.
const TYPES: &str = "int scale = 3;\nvoid f(int n, float *a)\n{\n#pragma dvm region\n  for (int i = 0; i < n; i++)\n    \
                     a[i] = scale;\n}\nint main(void) { f(1, (float *)&scale); return scale != 0x40400000; }\n";

/// A tile of whole register blocks needs a size that the blocks divide; where the band cuts tiles, small ones are better.
#[test]
fn tiles_of_boxes_ask_for_whole_register_blocks() {
    let product = "static double a[90][90], b[90][90], c[90][90];
void product(void);
void product(void)
{
#pragma dvm region
  for (int i = 0; i < 90; i++)
    for (int j = 0; j < END; j++)
      for (int k = 0; k < 90; k++)
        c[i][j] += a[i][k] * b[k][j];
}
";
    let box_of_tiles = product.replace("END", "90");
    let folder = testkit::scratch(&[("box.c", &box_of_tiles), ("triangle.c", &product.replace("END", "i + 1"))]);
    for (name, expected) in [("box", 1), ("triangle", 0)] {
        let output = run(&folder, &["-O2", "-c", "--show", &format!("{name}.c")]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read_to_string(folder.join(format!("{name}.dvm.c"))).expect("the generated C");
        let wish = "dvm__multiples[] = { DVM__BLOCK_ROWS, DVM__BLOCK_COLUMNS * DVM__LANES(double), 1 };";
        assert_eq!(text.matches(wish).count(), expected, "{name}");
        assert!(text.contains("dvm__kept"), "{name} has blocks");
    }
}
