//! `--dvm-remarks`: what became of each region, as text and as JSON, and the count at the end of linking.

mod prefix;

use prefix::dvmcc;
use serde_json::Value;
use std::path::Path;

const STENCIL: &str = "\
static double u[2][400][400];
void smooth(int steps)
{
#pragma dvm region tile(4, 16, 32)
    for (int t = 0; t < steps; t++)
        for (int i = 1; i < 399; i++)
            for (int j = 1; j < 399; j++)
                u[(t + 1) % 2][i][j] = u[t % 2][i - 1][j] + u[t % 2][i + 1][j] + u[t % 2][i][j];
}
void scale(int n, double *restrict x)
{
#pragma dvm region
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
int main(void) { return 0; }
";

const CHAIN: &str = "\
void chain(int n, double *restrict x)
{
#pragma dvm region name(chained)
    for (int i = 1; i < n; i++)
        x[i] = 0.5 * x[i - 1];
}
";

fn run(folder: &Path, words: &[&str]) -> String {
    let output = dvmcc().current_dir(folder).args(words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_text_names_loops_dependences_and_bytes() {
    let folder = testkit::scratch(&[("stencil.c", STENCIL), ("chain.c", CHAIN)]);
    let told = run(&folder, &["-O1", "--dvm-remarks", "stencil.c", "chain.c", "-o", "all"]);
    for part in [
        "stencil.c:4:1: remark: region 'smooth_1' is tiled: 1 phase",
        "phase 1 (line 8): ",
        "carries dependences: a tile waits for the one before it",
        "bytes per tile of 4 x 16 x 32\n",
        "stencil.c:12:1: remark: region 'scale_1' is tiled: 1 phase",
        "phase 1 (line 14): all tiles run in parallel",
        "tile loop i: free",
        "about 256 bytes per tile of 32 (assumed; the caches decide)",
        "chain.c:4:5: remark: region 'chained' is not tiled\n  [DVM100] no parallelism was found: line 5 needs",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.ends_with("dvmcc: 2 of 3 regions tiled\n"), "{told}");
}

/// A region that is to run on several processes and cannot.
const ALONE: &str = "\
double total(int n, const double *restrict x)
{
    double sum = 0;
#pragma dvm region name(sum_up) across reduction(+ : sum)
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
int main(void) { return 0; }
";

#[test]
fn a_region_that_runs_in_its_own_process_is_told_with_its_reason() {
    let folder = testkit::scratch(&[("alone.c", ALONE)]);
    let told = run(&folder, &["-O1", "--dvm-remarks", "alone.c", "-o", "all"]);
    for part in ["warning: region 'sum_up' runs in its own process: ", "it runs in its own process:\n  [DVM106] "] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.ends_with("dvmcc: 1 of 1 region tiled\n"), "{told}");
    let strict = dvmcc().current_dir(&*folder).args(["--dvm-strict", "-c", "alone.c"]).output().unwrap();
    let told = String::from_utf8(strict.stderr).unwrap();
    assert!(!strict.status.success() && told.contains("error: region 'sum_up' runs in its own process"), "{told}");
}

#[test]
fn separate_commands_share_a_file_of_json() {
    let folder = testkit::scratch(&[("stencil.c", STENCIL), ("chain.c", CHAIN)]);
    let option = "--dvm-remarks=remarks.json";
    // A source that is compiled again counts once.
    for source in ["stencil.c", "chain.c", "stencil.c"] {
        let told = run(&folder, &["-O1", "-c", option, source]);
        assert!(!told.contains("remark:") && !told.contains("regions tiled"), "{told}");
    }
    let told = run(&folder, &[option, "stencil.o", "chain.o", "-o", "all"]);
    assert_eq!(told, "dvmcc: 2 of 3 regions tiled\n");
    let text = std::fs::read_to_string(folder.join("remarks.json")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 3);
    let smooth = &lines[0]["regions"][0];
    assert_eq!((&smooth["name"], &smooth["tiled"], &smooth["line"]), (&"smooth_1".into(), &true.into(), &4.into()));
    let loops = smooth["phases"][0]["tile_loops"].as_array().unwrap();
    assert_eq!(loops.iter().map(|l| l["size"].as_u64().unwrap()).collect::<Vec<_>>(), [4, 16, 32]);
    assert!(loops.iter().any(|l| l["carries"] == true) && loops.iter().any(|l| l["carries"] == false));
    // Of 2 planes the 4 columns and as many rows as two skewed loops and the neighbours reach, 8 bytes each.
    assert_eq!(smooth["phases"][0]["bytes_per_tile"], 2 * 4 * (15 + 31 + 2 + 1) * 8);
    let chained = &lines[1]["regions"][0];
    assert_eq!((&chained["tiled"], &chained["obstacles"][0]["code"]), (&false.into(), &"DVM100".into()));
}

#[test]
fn linking_counts_the_regions_of_objects_and_archives() {
    let main = "int main(void) { return 0; }\n";
    let stencil = STENCIL.replace(main, "");
    let unused = "void unused(int n, double *restrict x)\n{\n#pragma dvm region\n    for (int i = 0; i < n; i++)\n        x[i] = 1;\n}\n";
    let user = "void smooth(int);\nvoid chain(int, double *);\nint main(void) { double x[9] = {1}; smooth(0); chain(9, x); return 0; }\n";
    let folder =
        testkit::scratch(&[("stencil.c", &stencil), ("chain.c", CHAIN), ("unused.c", unused), ("user.c", user)]);
    let told = run(
        &folder,
        &["-O1", "-c", "-pedantic-errors", "-std=c99", "--dvm-remarks", "stencil.c", "chain.c", "unused.c"],
    );
    assert!(!told.contains("regions tiled"), "{told}");
    run(&folder, &["-c", "user.c"]);
    let link = ["--dvm-remarks", "user.o", "stencil.o", "chain.o", "-o", "all"];
    assert_eq!(run(&folder, &link), "dvmcc: 2 of 3 regions tiled\n");
    // Without -o, and where the linker leaves sections out that nothing needs.
    assert_eq!(
        run(&folder, &["--dvm-remarks", "-Wl,--gc-sections", "-s", "user.o", "stencil.o", "chain.o"]),
        "dvmcc: 2 of 3 regions tiled\n"
    );
    // Sources of the command itself count with the objects, and of an archive what the program needs.
    let archive = std::process::Command::new("ar")
        .current_dir(&*folder)
        .args(["rc", "libparts.a", "stencil.o", "unused.o"])
        .status()
        .unwrap();
    assert!(archive.success());
    let told = run(&folder, &["-O1", "--dvm-remarks", "chain.c", "user.o", "-L.", "-lparts", "-o", "all"]);
    assert!(told.ends_with("dvmcc: 2 of 3 regions tiled\n"), "{told}");
    let mut names: Vec<_> = std::fs::read_dir(&*folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    let expected = [
        "a.out",
        "all",
        "chain.c",
        "chain.o",
        "libparts.a",
        "stencil.c",
        "stencil.o",
        "unused.c",
        "unused.o",
        "user.c",
        "user.o",
    ];
    assert_eq!(names, expected, "nothing else is left");
    // Objects that were compiled without the option count nothing.
    run(&folder, &["-O1", "-c", "-Wno-dvm", "stencil.c", "chain.c"]);
    assert_eq!(run(&folder, &link), "");
}

#[test]
fn a_file_whose_regions_are_all_refused_counts() {
    let folder = testkit::scratch(&[("chain.c", CHAIN), ("main.c", "int main(void) { return 0; }\n")]);
    run(&folder, &["-O1", "-c", "--dvm-remarks", "chain.c", "main.c"]);
    assert_eq!(run(&folder, &["--dvm-remarks", "chain.o", "main.o", "-o", "all"]), "dvmcc: 0 of 1 region tiled\n");
}

#[test]
fn without_the_option_nothing_is_told() {
    let folder = testkit::scratch(&[("stencil.c", STENCIL)]);
    assert_eq!(run(&folder, &["-O1", "stencil.c", "-o", "all"]), "");
}

/// gcc takes functions inside of functions, and clang does not.
#[test]
fn a_file_that_cannot_be_read_is_told_without_warnings_too() {
    let text = "int f(int n, int *a)\n{\n    int g(int x) { return x + n; }\n#pragma dvm region\n    for (int i = 0; i < n; i++)\n        \
                a[i] = i;\n    return g(n);\n}\n";
    let folder = testkit::scratch(&[("inner.c", text)]);
    let told = run(&folder, &["-O1", "-w", "--dvm-remarks", "-c", "inner.c"]);
    assert!(told.contains("inner.c: warning: its regions stay sequential: ") && told.contains("[DVM011]"), "{told}");
    assert_eq!(run(&folder, &["-O1", "-w", "-c", "inner.c"]), "");
}
