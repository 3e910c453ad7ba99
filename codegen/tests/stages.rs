//! Each stage of the way through as text: a model goes in, the stage's text comes out.

mod kernel;

use dvm_codegen::{Stage, model::Region, print};
use kernel::table;
use std::{fs, path::Path};

/// Rows that are shifted and scaled: no dependence between rows, one along them.
const SHIFT: &str = r#"region shift
source "shift.c" 3
function "main"
tile "b"
serial "n < 10"
context [n, b] -> { : n >= 1 }
parameter n "n" "int"
parameter b "b" "long" global captured "2 * x"
value "scale" "double"
array A "A" "double" 8 restrict - "n"
statement S0 5 7
  iterator "i" "int"
  iterator "j" "int"
  domain [n] -> { S0[i, j] : 0 <= i < n and 1 <= j < n }
  schedule { S0[i, j] -> [0, i, 0, j, 0] }
  read A { S0[i, j] -> A[i, j - 1] }
  may-write A { S0[i, j] -> A[i, j] }
  locals "double t;"
  text "t = scale;\n\tputs(\"\\\"\");"
"#;

fn shift() -> Region {
    SHIFT.parse().expect("the model is right")
}

fn named(pass: &str) -> Stage {
    pass.parse().expect("a pass")
}

fn stage(region: &Region, pass: &str) -> String {
    print(region, named(pass), "").expect("the region is accepted")
}

#[test]
fn a_model_prints_as_it_was_read() {
    assert_eq!(stage(&shift(), "model"), SHIFT);
    for kernel in table::all() {
        let region = kernel.region();
        assert_eq!(region.to_string().parse(), Ok(region), "{}", kernel.name);
    }
}

#[test]
fn a_wrong_model_says_the_line_and_what_is_wrong() {
    let table = [
        ("", 1, "begins with"),
        ("region", 1, "a word is missing"),
        ("region r\nsource \"a\" x", 2, "`x` is not a number"),
        ("region r\nsource \"a", 2, "closing quote"),
        ("region r\n  read A { }", 2, "before the first statement"),
        ("region r\nstatement S 1 1\n  reed A { }", 3, "`reed` is not known"),
        ("region r\narray A \"A\" \"int\" 4 nowhere", 2, "`nowhere` is no storage"),
        ("region r\nfunction \"f\" g", 2, "`g` is too much"),
        ("region r\nfunction \"\\q\"", 2, "escape"),
        ("region r\nfunction f", 2, "in quotes"),
    ];
    for (text, line, message) in table {
        let error = text.parse::<Region>().expect_err(text);
        assert!(error.line == line && error.message.contains(message), "{text}: {error}");
    }
}

#[test]
fn a_model_with_wrong_sets_is_refused_with_the_text() {
    let wrong = SHIFT.replace("0 <= i < n and", "0 <= i < and");
    let refusal = print(&wrong.parse().expect("a model"), named("deps"), "").expect_err("a set is wrong");
    assert!(refusal.reason.contains("domain `[n] -> { S0[i, j] : 0 <= i < and"), "{refusal}");
}

#[test]
fn dependences_are_the_nearest_accesses() {
    let table = [
        (
            "shift",
            stage(&shift(), "deps"),
            "flow [n, b] -> { S0[i, j] -> S0[i' = i, j' = 1 + j] : 0 <= i < n and 0 < j <= -2 + n }\n",
        ),
        (
            "matvec",
            stage(&table::matvec().region(), "deps"),
            "\
flow [n] -> { S0[i] -> S1[i' = i, j = 0] : 0 <= i < n }
flow [n] -> { S1[i, j] -> S1[i' = i, j' = 1 + j] : 0 <= i < n and 0 <= j <= -2 + n }
anti [n] -> { S1[i, j] -> S1[i' = i, j' = 1 + j] : 0 <= i < n and 0 <= j <= -2 + n }
output [n] -> { S0[i] -> S1[i' = i, j = 0] : 0 <= i < n }
output [n] -> { S1[i, j] -> S1[i' = i, j' = 1 + j] : 0 <= i < n and 0 <= j <= -2 + n }
",
        ),
    ];
    for (name, found, expected) in table {
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn schedules_are_trees() {
    let text = stage(&shift(), "schedule");
    assert!(text.contains("permutable: 1") && text.contains("coincident: [ 1, 0 ]"), "{text}");
}

#[test]
fn tiles_are_phases_with_bands() {
    let heads = |region: &Region| -> Vec<String> {
        let text = stage(region, "tiles");
        text.lines().filter(|line| line.starts_with("phase")).map(str::to_owned).collect()
    };
    let table: [(Region, &[&str]); 8] = [
        (shift(), &["phase [] graph (free, carried), original order"]),
        (table::matmul().region(), &["phase [] graph (free, free, carried), order [0, 2, 1]"]),
        (table::jacobi_1d().region(), &["phase [] graph (carried, carried), original order"]),
        (table::lu().region(), &["phase [] graph (carried, carried, carried), order [1, 0, 2]"]),
        (table::seidel_2d().region(), &["phase [] graph (carried, carried, carried), original order"]),
        (table::floyd_warshall().region(), &["phase [h0] graph (carried, carried), original order"]),
        (table::matvec().region(), &["phase [] graph (free, carried), original order"]),
        (table::trisolv().region(), &["phase [] graph (carried, carried), original order"]),
    ];
    for (region, expected) in table {
        assert_eq!(heads(&region), expected, "{}", region.name);
    }
}

#[test]
fn the_c_of_a_tile_is_readable() {
    let text = stage(&table::matvec().region(), "c");
    let tile =
        text.split("/* One tile:").nth(1).and_then(|rest| rest.split("\n}\n").next()).expect("a tile's function");
    let expected = r" S0 by (i, 0), S1 by (i, j) from (dvm__o0, dvm__o1); coordinate 0, 8 values at a time, inside of the others. */
static int dvm__matvec_graph_tile(void *dvm__context, const dvm__int64 *dvm__tile)
{
  const struct dvm__matvec_context *dvm__self = dvm__context;
  const dvm__int64 n = dvm__self->n;
  const dvm__int64 dvm__a_length1 = dvm__self->dvm__a_length1;
  double (*restrict a)[dvm__a_length1] = dvm__self->a;
  double *restrict b = dvm__self->b;
  double *restrict c = dvm__self->c;
  dvm__int64 dvm__o0 = dvm__self->dvm__tiles.dvm__first[0] + dvm__tile[0] * dvm__self->dvm__tiles.dvm__size[0];
  const dvm__int64 dvm__strip_end = dvm__o0 + dvm__self->dvm__tiles.dvm__size[0];
  const dvm__int64 dvm__b1 = dvm__self->dvm__tiles.dvm__size[1];
  const dvm__int64 dvm__o1 = dvm__self->dvm__tiles.dvm__first[1] + dvm__tile[1] * dvm__b1;
/*dvm: loops*/
  for (; dvm__o0 < dvm__strip_end; dvm__o0 += 8) {
    const dvm__int64 dvm__b0 = dvm__min(dvm__strip_end - dvm__o0, 8);
";
    assert!(tile.starts_with(expected), "{tile}");
    assert!(tile.contains("for (int i = ") && tile.contains("c[i] = c[i] + a[i][j] * b[j];"), "{tile}");
}

#[test]
fn tiles_belong_where_their_leading_write_is() {
    let place = |region: &Region| stage(region, "place");
    let lu = place(&table::lu().region());
    assert_eq!(lu, "phase 0: S0 writes A[dvm__o1, dvm__o2], product\n");
    let jacobi = place(&table::jacobi_2d().region());
    let form = "B[-2 * dvm__o0 + dvm__o1, -2 * dvm__o0 + dvm__o2], oblique, falling with coordinate 0";
    assert_eq!(jacobi, format!("phase 0: S0 writes {form}\n"));
    let sum = SHIFT
        .replace("-> A[i, j - 1]", "-> A[i, 0]")
        .replace("may-write A { S0[i, j] -> A[i, j]", "write A { S0[i, j] -> A[i, 0]");
    assert_eq!(place(&sum.parse().expect("a model")), "phase 0: S0 writes A[dvm__o0, 0], product\n");
    assert_eq!(place(&shift()), "phase 0: no place\n", "nothing is certainly written");
}

#[test]
fn no_parallelism_is_a_refusal_with_a_remedy() {
    let serial = SHIFT.replace("A[i, j - 1]", "A[0, 0]").replace("-> A[i, j]", "-> A[0, 0]");
    let refusal =
        print(&serial.parse().expect("a model"), named("tiles"), "").expect_err("all iterations share an element");
    assert!(refusal.reason.contains("no parallelism") && !refusal.remedy.is_empty(), "{refusal}");
}

#[test]
fn the_kernels_give_under_260_lines_each() {
    for kernel in table::all() {
        let text = stage(&kernel.region(), "c");
        let (_, own) =
            text.rsplit_once("DVM__LOUD\n#pragma GCC diagnostic pop\n#endif\n").expect("the helpers come first");
        let count = own.lines().filter(|line| !line.starts_with("/*dvm: ")).count();
        assert!(count < 260, "{}: {count} lines", kernel.name);
    }
}

/// The region of `stages/phases.model` has tiles, host loops, a sequential phase, a row that a subscript may leave, and
/// arrays that may overlap. `stages/phases.PASS` is what stands after each pass; `DVM_BLESS=1` rewrites the files.
#[test]
fn each_pass_gives_its_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stages");
    let model = fs::read_to_string(folder.join("phases.model")).expect("the model");
    let region: Region = model.parse().expect("the model is right");
    for pass in Stage::all() {
        let text = print(&region, pass, "").expect("the region is accepted");
        // The helpers are the same in every file.
        let own =
            text.rsplit_once("DVM__LOUD\n#pragma GCC diagnostic pop\n#endif\n").map_or(text.as_str(), |(_, own)| own);
        let file = folder.join(format!("phases.{}", pass.name()));
        testkit::expect(file, own);
    }
    let files = fs::read_dir(&folder).expect("the folder of stages").flatten();
    let mut files: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    let mut expected: Vec<String> = Stage::all().map(|pass| format!("phases.{}", pass.name())).collect();
    files.sort();
    expected.sort();
    assert_eq!(files, expected, "a file for each pass and no other");
}

#[test]
fn passes_are_named_in_their_order() {
    let names: Vec<&str> = Stage::all().map(Stage::name).collect();
    let expected = "model deps schedule tiles rows sets footprint loops blocks jam boxes hosts overlaps flow place c";
    assert_eq!(names.join(" "), expected);
    assert_eq!(stage(&shift(), "footprint"), "phase 0\n  A [[1, 0] spread 0][[0, 1] spread 1]\n");
    assert_eq!(stage(&shift(), "rows") + &stage(&shift(), "overlaps"), "");
}

/// Which free loops run in strips inside of chains, and which do not. `DVM_BLESS=1` rewrites the file.
#[test]
fn free_loops_are_jammed_around_chains() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut tool = std::process::Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    tool.arg("tile").arg(tests.join("kernels/jam.c")).arg("--print=jam");
    let output = tool.output().expect("dvm-codegen runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    testkit::expect(tests.join("printed/jam.jam"), &String::from_utf8_lossy(&output.stdout));
}

/// Rows of constant length give the bands that arrays of several dimensions give: their coordinates have small factors.
#[test]
fn rows_of_constant_length_give_bands_without_empty_tiles() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut tool = std::process::Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    tool.arg("tile").arg(tests.join("kernels/constant_rows.c")).arg("--print=tiles");
    let output = tool.output().expect("dvm-codegen runs");
    testkit::expect(tests.join("printed/constant_rows.tiles"), &String::from_utf8_lossy(&output.stdout));
}

/// What of the kernels of register tiling runs as blocks: updates, chains of scalars, rounds. `printed/NAME.blocks` is
/// what stands after the pass; `DVM_BLESS=1` rewrites the files.
#[test]
fn blocks_are_found() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for name in ["register_blocks", "chain_blocks", "rounds"] {
        let mut tool = std::process::Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
        tool.arg("tile").arg(tests.join("kernels").join(format!("{name}.c"))).arg("--print=blocks");
        let output = tool.output().expect("dvm-codegen runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        testkit::expect(tests.join("printed").join(format!("{name}.blocks")), &String::from_utf8_lossy(&output.stdout));
    }
}
