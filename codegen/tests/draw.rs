//! `dvm-codegen draw`: sizes, colours of neighbours, the legend, and what is told.

use std::collections::BTreeMap;
use std::process::{Command, Output};

const HEAT: &str = "#define N 1000
enum { STEPS = 100 };
static double u[N][N], v[N][N];
void heat(void)
{
#pragma dvm region
    for (int t = 0; t < STEPS; t++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                v[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = v[i][j];
    }
}
";

const JACOBI: &str = "void jacobi(int T, int N, double *restrict a, double *restrict b)
{
#pragma dvm region
    for (int t = 0; t < T; t++) {
        for (int i = 1; i < N - 1; i++)
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1]);
        for (int i = 1; i < N - 1; i++)
            a[i] = b[i];
    }
}
";

/// Two phases: an element of the second needs elements of the first that no order has before it.
const PHASES: &str = "void two(int n, double a[restrict n][n], double b[restrict n][n])
{
#pragma dvm region
    {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a[i][j] = i + j;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                b[i][j] = a[i][j] + a[n - 1 - i][j] + a[j][i];
    }
}
";

const DEEP: &str = "void deep(int n, double a[restrict n][n][n][n])
{
#pragma dvm region
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            for (int k = 1; k < n; k++)
                for (int l = 1; l < n; l++)
                    a[i][j][k][l] += a[i - 1][j][k][l] + a[i][j - 1][k][l] + a[i][j][k - 1][l] + a[i][j][k][l - 1];
}
";

fn draw(text: &str, arguments: &[&str]) -> Output {
    let folder = testkit::scratch(&[("in.c", text), ("own.h", "#define OWN 3\n")]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_dvm-codegen"));
    command.current_dir(&*folder).args(["draw", "in.c"]).args(arguments).env_remove("DVM_CLANG");
    command.output().expect("dvm-codegen runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn picture(text: &str, arguments: &[&str]) -> String {
    let output = draw(text, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", said(&output));
    String::from_utf8(output.stdout).expect("the picture is text")
}

/// What stands between two texts.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("{before} in {text}"));
    rest.split_once(after).unwrap_or_else(|| panic!("{after} in {text}")).0
}

/// A tile of a picture: coordinates, colour, and corners in pixels.
struct Tile {
    coordinates: Vec<i64>,
    fill: String,
    corners: Vec<(f64, f64)>,
}

fn tiles(picture: &str) -> Vec<Tile> {
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let tile = |line: &str| {
        let coordinates = between(line, "<title>tile (", ")").split(", ").map(|k| k.parse().expect("a coordinate"));
        let corners = if line.starts_with("<circle") {
            vec![(number(between(line, "cx=\"", "\"")), number(between(line, "cy=\"", "\"")))]
        } else {
            let path = between(line, "d=\"M", " z");
            let corner = |corner: &str| corner.split_once(',').map(|(x, y)| (number(x), number(y))).expect("a corner");
            path.split(" L").map(corner).collect()
        };
        Tile { coordinates: coordinates.collect(), fill: between(line, "fill=\"", "\"").to_owned(), corners }
    };
    picture.lines().filter(|line| line.contains("<title>tile (")).map(tile).collect()
}

/// How far the corners of two tiles are apart.
fn apart(one: &Tile, other: &Tile) -> f64 {
    let pairs = one.corners.iter().flat_map(|a| other.corners.iter().map(move |b| (a.0 - b.0).hypot(a.1 - b.1)));
    pairs.fold(f64::INFINITY, f64::min)
}

#[test]
fn neighbouring_tiles_differ_in_colour() {
    let mut phases = 0;
    for (text, arguments) in [
        (JACOBI, &["--set", "T=8", "--set", "N=20", "--tile", "2,6"][..]),
        (JACOBI, &["--tile", "1,1"]),
        (HEAT, &["--set", "N=10", "--set", "STEPS=6", "--tile", "2,2,2"]),
        (HEAT, &["--set", "N=10", "--set", "STEPS=5", "--tile", "1,3,1"]),
        (PHASES, &["--tile", "3,2"]),
        (DEEP, &["--set", "n=6", "--tile", "2,2,2,2"]),
        (DEEP, &["--set", "n=6", "--tile", "1,2,1,3"]),
    ] {
        let tiles = tiles(&picture(text, arguments));
        assert!(tiles.len() > 3, "{arguments:?}: {} tiles", tiles.len());
        let by_phase: BTreeMap<i64, usize> = tiles.iter().map(|tile| (tile.coordinates[0], 0)).collect();
        phases = phases.max(by_phase.len());
        for (k, one) in tiles.iter().enumerate() {
            for other in &tiles[..k] {
                let (a, b) = (&one.coordinates, &other.coordinates);
                let are_adjacent = a[0] == b[0] && a.iter().zip(b).all(|(x, y)| x.abs_diff(*y) <= 1);
                // Points of a drawing are 30 pixels apart.
                if are_adjacent || apart(one, other) < 44.0 {
                    assert_ne!(one.fill, other.fill, "{arguments:?}: {a:?} and {b:?}");
                }
            }
        }
    }
    assert!(phases > 1, "some nest has two phases");
}

#[test]
fn a_tile_of_one_point_is_a_disc() {
    let picture = picture(JACOBI, &["--set", "T=3", "--set", "N=6", "--tile", "1,1"]);
    let single = |tile: &Tile| tile.corners.len() == 1;
    assert!(tiles(&picture).iter().any(single), "{picture}");
    for line in picture.lines().filter(|line| line.starts_with("<path") && line.contains("<title>")) {
        assert!(line.contains(" L"), "a path without length: {line}");
    }
}

#[test]
fn the_legend_has_the_text_of_the_statements_and_is_not_cut_off() {
    let long = JACOBI.replace("0.33333 *", "0.11111 * 3.0 * 0.5 * 2.0 *");
    for text in [JACOBI, &long, HEAT] {
        let picture = picture(text, &["--tile", "3,3"]);
        assert!(picture.contains(">a[i] = b[i]<") || picture.contains(">u[i][j] = v[i][j]<"), "{picture}");
        assert!(!picture.contains(">S0<") && !picture.contains(">S1<"), "{picture}");
        let width: f64 = between(&picture, "width=\"", "\"").parse().expect("a width");
        for line in picture.lines().filter(|line| line.contains("<text") && !line.contains("text-anchor")) {
            let shown = &line[line.find("<text").expect("a text")..];
            let start: f64 = between(shown, "x=\"", "\"").parse().expect("a place");
            let letters = between(shown, ">", "<").chars().count() as f64;
            assert!(start + letters * 6.0 < width, "{width} pixels: {line}");
        }
    }
    assert!(picture(&long, &[]).contains(">b[i] = 0.11111 * 3.0 * 0.5 * 2.0 * (a[i - 1] +…<"));
}

#[test]
fn constants_of_the_text_are_set_as_parameters_are() {
    let picture = picture(HEAT, &["--set", "N=10", "--set", "STEPS=3", "--tile", "2,2,2"]);
    assert!(picture.contains(">heat_1: N = 10, STEPS = 3; tiles of 2 x 2 x 2<"), "{picture}");
    let points = picture
        .lines()
        .filter(|line| line.starts_with("<circle") && line.contains("r=\"4\"") && !line.contains("<text"))
        .count();
    assert_eq!(points, 2 * 3 * 8, "two statements, three steps, eight rows");
    let size = draw(JACOBI, &["--size", "T=3", "--set", "N=9"]);
    assert!(String::from_utf8_lossy(&size.stdout).contains(">jacobi_1: T = 3, N = 9;"), "{}", said(&size));
    let flag = HEAT.replace("#define N 1000\n", "");
    let flagged = draw(&flag, &["--set", "N=10", "--set", "STEPS=3", "--", "-DN=1000"]);
    assert!(String::from_utf8_lossy(&flagged.stdout).contains(">heat_1: N = 10, STEPS = 3;"), "{}", said(&flagged));
    let beside = format!("#include \"own.h\"\n{}", HEAT.replace("t < STEPS", "t < STEPS / OWN"));
    let picture = self::picture(&beside, &["--set", "N=10", "--set", "STEPS=9"]);
    assert_eq!(
        picture.lines().filter(|line| line.starts_with("<circle") && line.contains("r=\"4\"")).count(),
        points + 2
    );
    let wrong = draw(&format!("{HEAT}int wrong = ;\n"), &["--set", "N=10"]);
    assert_eq!(wrong.status.code(), Some(3));
    assert!(said(&wrong).contains("in.c: ") && !said(&wrong).contains("/in.c:18"), "{}", said(&wrong));
}

/// An array of so few numbers is one of each iteration: the region is another one.
#[test]
fn constants_that_change_the_region_are_told() {
    let output = draw(HEAT, &["--set", "N=4"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("DVM100") && said(&output).contains("greater values keep it"), "{}", said(&output));
}

/// With constants as small as these, the analysis alone would find a single tile.
#[test]
fn tiles_are_those_of_the_constants_of_the_text() {
    let shapes = |sizes: &[&str]| -> Vec<Vec<i64>> {
        tiles(&picture(HEAT, sizes)).into_iter().map(|tile| tile.coordinates).collect()
    };
    let small = shapes(&["--set", "N=10", "--set", "STEPS=2", "--tile", "1,4,4"]);
    let large = shapes(&["--set", "N=10", "--set", "STEPS=12", "--tile", "1,4,4"]);
    assert!(small.iter().all(|tile| large.contains(tile)), "{small:?} in {large:?}");
}

#[test]
fn a_name_that_is_not_there_is_refused() {
    let output = draw(HEAT, &["--set", "M=8"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let said = said(&output);
    assert!(said.contains("no parameter `M`") && said.contains("DVM105"), "{said}");
    assert!(said.contains("parameters: none; constants: N, STEPS"), "{said}");
    let output = draw(JACOBI, &["--set", "M=8"]);
    assert!(self::said(&output).contains("parameters: T, N; constants: none"), "{}", self::said(&output));
}

#[test]
fn a_part_of_a_large_region_is_drawn_with_a_note() {
    let output = draw(HEAT, &[]);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("note: the whole has more than 4000 points") && said.contains("--set N=12"), "{said}");
    let picture = String::from_utf8_lossy(&output.stdout);
    assert!(picture.contains("the least 12 values of each counter<"), "{picture}");
    assert!(!tiles(&picture).is_empty(), "{picture}");
    let whole = draw(HEAT, &["--set", "N=10", "--set", "STEPS=3"]);
    assert_eq!(self::said(&whole), "", "a small region needs no note");
}
