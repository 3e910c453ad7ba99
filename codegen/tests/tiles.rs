//! Graphs run the tiles that have points, and no others: counted against an enumeration of all points.

mod kernel;

use dvm_codegen::{
    analysis::IslRegion,
    pipeline,
    transform::{Phase, PhaseKind},
};
use dvm_isl::{Set, UnionSet};
use kernel::{
    Kernel, Node, Place, Storehouse,
    program::{self, Trials},
    stmt, table, up,
};
use std::collections::{BTreeMap, BTreeSet};

const SIZES: [i64; 5] = [0, 3, 6, 11, 14];
const TILES: [i64; 5] = [1, 2, 3, 5, 8];

/// The points of a phase as values of its host loops and coordinates of its band.
fn points(isl_region: &IslRegion, phase: &Phase, values: &Set) -> Vec<Vec<i64>> {
    isl_region.ctx.allow_operations(0);
    let domain = phase.domain.intersect_params(values).expect("parameters");
    let coordinates = phase.coordinates().expect("coordinates");
    let images = UnionSet::sets(&domain.apply(&coordinates).expect("an image")).expect("sets");
    images
        .iter()
        .flat_map(|set| {
            let set = set.without_params().expect("a set");
            set.points(1_000_000).expect("points").expect("few points")
        })
        .collect()
}

/// The tiles with points in the graphs that run for one size; a box of one tile is no graph.
fn tiles(isl_region: &IslRegion, phases: &[Phase], values: &Set, size: i64) -> usize {
    let mut count = 0;
    for phase in phases {
        let PhaseKind::Graph { dimension, .. } = &phase.kind else { continue };
        let mut graphs: BTreeMap<Vec<i64>, Vec<Vec<i64>>> = BTreeMap::new();
        for mut point in points(isl_region, phase, values) {
            let band = point.split_off(point.len() - dimension);
            graphs.entry(point).or_default().push(band);
        }
        for points in graphs.values() {
            let end = |k: usize, greatest: bool| {
                let values = points.iter().map(|point| point[k]);
                if greatest { values.max() } else { values.min() }.expect("a point")
            };
            let place = |point: &Vec<i64>| -> Vec<i64> {
                (0..*dimension)
                    .map(|k| (point[k] - end(k, false)) / size.min(end(k, true) - end(k, false) + 1))
                    .collect()
            };
            let single = (0..*dimension).all(|k| size > end(k, true) - end(k, false));
            let tiles: BTreeSet<Vec<i64>> = points.iter().map(place).collect();
            count += if single { 0 } else { tiles.len() };
        }
    }
    count
}

fn check(kernel: &Kernel) {
    count(kernel, &SIZES, &TILES);
}

fn count(kernel: &Kernel, sizes: &[i64], sides: &[i64]) {
    let region = kernel.region();
    let (isl_region, _, plan) = pipeline::plan(&region).expect("the kernel is accepted");
    let (mut wanted, mut turn) = (0, 0);
    for &n in sizes {
        for &size in sides {
            // As the program of the kernel sets them.
            let texts = kernel.parameters.iter().enumerate().map(|(at, name)| {
                let value = if at == 0 { n } else { turn % 11 };
                format!("{name} = {value}")
            });
            let values: Vec<String> = texts.collect();
            let text = format!("[{}] -> {{ : {} }}", kernel.parameters.join(", "), values.join(" and "));
            turn += 1;
            let values = Set::parse(&isl_region.ctx, &text).expect("values");
            wanted += tiles(&isl_region, &plan.phases, &values, size);
        }
    }
    let generated = dvm_codegen::generate(&region, &kernel.text()).expect("the kernel is accepted");
    let trials = Trials { sizes: sizes.to_vec(), tiles: sides.to_vec(), seeds: vec![7], workers: vec![2] };
    let said = program::run(&kernel.name, &program::source(kernel, &generated, &trials), "-O1");
    let said = said.unwrap_or_else(|error| panic!("{error}"));
    let ran: usize = said.split_whitespace().nth(3).and_then(|count| count.parse().ok()).expect("a count of tiles");
    assert!(wanted > 100, "{}: only {wanted} tiles", kernel.name);
    assert_eq!(ran, wanted, "{}", kernel.name);
}

fn of(name: &str, arrays: &[(&str, &[&str])], body: Vec<Node>) -> Kernel {
    let array = |(name, dims): &(&str, &[&str])| Storehouse {
        name: (*name).into(),
        element: "double".into(),
        dims: dims.iter().map(|length| (*length).into()).collect(),
        place: Place::Restrict,
    };
    Kernel {
        name: name.into(),
        parameters: vec!["n".into(), "m".into()],
        arrays: arrays.iter().map(array).collect(),
        body,
        iterator_type: "int".into(),
        context: "true".into(),
    }
}

fn in_time(body: Vec<Node>) -> Vec<Node> {
    vec![up("t", "0", "m", body)]
}

#[test]
fn stencils_in_one_and_two_dimensions() {
    check(&table::jacobi_1d());
    check(&table::jacobi_2d());
}

#[test]
fn a_stencil_in_three_dimensions() {
    let sweep = |to: &str, from: &str| {
        let text = format!(
            "{to}[i][j][k] = 0.1 * ({from}[i-1][j][k] + {from}[i+1][j][k] + {from}[i][j-1][k] + {from}[i][j+1][k] + {from}[i][j][k-1] + {from}[i][j][k+1]);"
        );
        let reads = format!(
            "{from}[i-1,j,k]; {from}[i+1,j,k]; {from}[i,j-1,k]; {from}[i,j+1,k]; {from}[i,j,k-1]; {from}[i,j,k+1]"
        );
        let inner = up("k", "1", "n - 1", vec![stmt(&text, &reads, &format!("{to}[i,j,k]"))]);
        up("i", "1", "n - 1", vec![up("j", "1", "n - 1", vec![inner])])
    };
    let arrays: [(&str, &[&str]); 2] = [("A", &["n", "n", "n"]), ("B", &["n", "n", "n"])];
    // A stand-in walks its whole box: the sizes stay small.
    count(&of("heat_3d", &arrays, in_time(vec![sweep("B", "A"), sweep("A", "B")])), &[0, 3, 5, 8], &[2, 3, 5]);
}

#[test]
fn sweeps_in_place() {
    check(&table::seidel_2d());
    let line = stmt("A[i] = 0.5 * (A[i-1] + A[i+1]);", "A[i-1]; A[i+1]", "A[i]");
    check(&of("gauss_1d", &[("A", &["n"])], in_time(vec![up("i", "1", "n - 1", vec![line])])));
    let far = stmt("A[i] = 0.5 * (A[i-2] + A[i+2]);", "A[i-2]; A[i+2]", "A[i]");
    check(&of("gauss_far", &[("A", &["n"])], in_time(vec![up("i", "2", "n - 2", vec![far])])));
}

#[test]
fn several_statements_in_time() {
    let e = stmt("E[i] = E[i] - 0.5 * (H[i] - H[i-1]);", "E[i]; H[i]; H[i-1]", "E[i]");
    let h = stmt("H[i] = H[i] - 0.7 * (E[i+1] - E[i]);", "H[i]; E[i+1]; E[i]", "H[i]");
    let border = stmt("E[0] = t;", "", "E[0]");
    let body = in_time(vec![border, up("i", "1", "n", vec![e]), up("i", "0", "n - 1", vec![h])]);
    check(&of("fdtd_1d", &[("E", &["n"]), ("H", &["n"])], body));
}

#[test]
fn triangles() {
    check(&table::lu());
    check(&table::cholesky());
    check(&table::trisolv());
    check(&table::backward_triangle());
    let own = stmt("A[i][j] = A[i][j] * 2 + i;", "A[i,j]", "A[i,j]");
    check(&of("free_triangle", &[("A", &["n", "n"])], vec![up("i", "0", "n", vec![up("j", "0", "i", vec![own])])]));
    let band = stmt("A[i][j] = A[i][j] * 2 + i;", "A[i,j]", "A[i,j]");
    let inner = Node::If { cond: "j >= i - 2 && j <= i + 1".into(), body: vec![band] };
    check(&of("thin_band", &[("A", &["n", "n"])], vec![up("i", "0", "n", vec![up("j", "0", "n", vec![inner])])]));
    let last = stmt("A[i][j] = A[i-1][j-1] + 1;", "A[i-1,j-1]", "A[i,j]");
    check(&of("diagonals", &[("A", &["n", "n"])], vec![up("i", "1", "n", vec![up("j", "1", "i", vec![last])])]));
}

#[test]
fn full_boxes() {
    check(&table::matmul());
    check(&table::floyd_warshall());
}
