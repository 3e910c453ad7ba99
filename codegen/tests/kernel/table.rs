//! Textbook kernels.

use super::{Kernel, Node, Place, Storehouse, stmt, touched, up};

fn kernel(name: &str, parameters: &[&str], arrays: Vec<Storehouse>, body: Vec<Node>) -> Kernel {
    Kernel {
        name: name.into(),
        parameters: parameters.iter().map(|name| (*name).into()).collect(),
        arrays,
        body,
        iterator_type: "int".into(),
        context: "true".into(),
    }
}

fn array(name: &str, dims: &[&str]) -> Storehouse {
    Storehouse {
        name: name.into(),
        element: "double".into(),
        dims: dims.iter().map(|length| (*length).into()).collect(),
        place: Place::Restrict,
    }
}

fn placed(place: Place, array: Storehouse) -> Storehouse {
    Storehouse { place, ..array }
}

fn down(it: &str, first: &str, end: &str, step: i64, body: Vec<Node>) -> Node {
    Node::Loop { it: it.into(), first: first.into(), end: end.into(), step: -step, body }
}

fn by(it: &str, first: &str, end: &str, step: i64, body: Vec<Node>) -> Node {
    Node::Loop { it: it.into(), first: first.into(), end: end.into(), step, body }
}

pub fn jacobi_1d() -> Kernel {
    kernel(
        "jacobi_1d",
        &["n", "m"],
        vec![array("A", &["n"]), array("B", &["n"])],
        vec![up(
            "t",
            "0",
            "m",
            vec![
                up(
                    "i",
                    "1",
                    "n - 1",
                    vec![stmt("B[i] = 0.33333 * (A[i-1] + A[i] + A[i + 1]);", "A[i-1]; A[i]; A[i+1]", "B[i]")],
                ),
                up(
                    "i",
                    "1",
                    "n - 1",
                    vec![stmt("A[i] = 0.33333 * (B[i-1] + B[i] + B[i + 1]);", "B[i-1]; B[i]; B[i+1]", "A[i]")],
                ),
            ],
        )],
    )
}

pub fn jacobi_2d() -> Kernel {
    let sweep = |to: &str, from: &str| {
        let text = format!(
            "{to}[i][j] = 0.2 * ({from}[i][j] + {from}[i][j-1] + {from}[i][1+j] + {from}[1+i][j] + {from}[i-1][j]);"
        );
        let reads = format!("{from}[i,j]; {from}[i,j-1]; {from}[i,j+1]; {from}[i+1,j]; {from}[i-1,j]");
        up("i", "1", "n - 1", vec![up("j", "1", "n - 1", vec![stmt(&text, &reads, &format!("{to}[i,j]"))])])
    };
    let body = vec![up("t", "0", "m", vec![sweep("B", "A"), sweep("A", "B")])];
    kernel("jacobi_2d", &["n", "m"], vec![array("A", &["n", "n"]), array("B", &["n", "n"])], body)
}

pub fn matmul() -> Kernel {
    kernel(
        "matmul",
        &["n"],
        vec![array("A", &["n", "n"]), array("B", &["n", "n"]), array("C", &["n", "n"])],
        vec![up(
            "i",
            "0",
            "n",
            vec![up(
                "j",
                "0",
                "n",
                vec![
                    stmt("C[i][j] = 0;", "", "C[i,j]"),
                    up("k", "0", "n", vec![stmt("C[i][j] += A[i][k] * B[k][j];", "C[i,j]; A[i,k]; B[k,j]", "C[i,j]")]),
                ],
            )],
        )],
    )
}

pub fn matvec() -> Kernel {
    kernel(
        "matvec",
        &["n"],
        vec![array("a", &["n", "n"]), array("b", &["n"]), array("c", &["n"])],
        vec![up(
            "i",
            "0",
            "n",
            vec![
                stmt("c[i] = 0;", "", "c[i]"),
                up("j", "0", "n", vec![stmt("c[i] = c[i] + a[i][j] * b[j];", "c[i]; a[i,j]; b[j]", "c[i]")]),
            ],
        )],
    )
}

pub fn lu() -> Kernel {
    let dot = || stmt("A[i][j] -= A[i][k] * A[k][j];", "A[i,j]; A[i,k]; A[k,j]", "A[i,j]");
    kernel(
        "lu",
        &["n"],
        vec![array("A", &["n", "n"])],
        vec![up(
            "i",
            "0",
            "n",
            vec![
                up(
                    "j",
                    "0",
                    "i",
                    vec![up("k", "0", "j", vec![dot()]), stmt("A[i][j] /= A[j][j];", "A[i,j]; A[j,j]", "A[i,j]")],
                ),
                up("j", "i", "n", vec![up("k", "0", "i", vec![dot()])]),
            ],
        )],
    )
}

pub fn floyd_warshall() -> Kernel {
    let text = "p[i][j] = p[i][j] < p[i][k] + p[k][j] ? p[i][j] : p[i][k] + p[k][j];";
    let inner = up("j", "0", "n", vec![stmt(text, "p[i,j]; p[i,k]; p[k,j]", "p[i,j]")]);
    kernel(
        "floyd_warshall",
        &["n"],
        vec![array("p", &["n", "n"])],
        vec![up("k", "0", "n", vec![up("i", "0", "n", vec![inner])])],
    )
}

pub fn trisolv() -> Kernel {
    kernel(
        "trisolv",
        &["n"],
        vec![array("L", &["n", "n"]), array("x", &["n"]), array("b", &["n"])],
        vec![up(
            "i",
            "0",
            "n",
            vec![
                stmt("x[i] = b[i];", "b[i]", "x[i]"),
                up("j", "0", "i", vec![stmt("x[i] -= L[i][j] * x[j];", "x[i]; L[i,j]; x[j]", "x[i]")]),
                stmt("x[i] = x[i] / L[i][i];", "x[i]; L[i,i]", "x[i]"),
            ],
        )],
    )
}

pub fn seidel_2d() -> Kernel {
    let text = "A[i][j] = (A[i-1][j-1] + A[i-1][j] + A[i-1][j+1] + A[i][j-1] + A[i][j] + A[i][j+1] + A[i+1][j-1] + A[i+1][j] + A[i+1][j+1]) / 9.0;";
    let reads = "A[i-1,j-1]; A[i-1,j]; A[i-1,j+1]; A[i,j-1]; A[i,j]; A[i,j+1]; A[i+1,j-1]; A[i+1,j]; A[i+1,j+1]";
    let nest = up("i", "1", "n - 1", vec![up("j", "1", "n - 1", vec![stmt(text, reads, "A[i,j]")])]);
    kernel("seidel_2d", &["n", "m"], vec![array("A", &["n", "n"])], vec![up("t", "0", "m", vec![nest])])
}

pub fn cholesky() -> Kernel {
    kernel(
        "cholesky",
        &["n"],
        vec![array("A", &["n", "n"])],
        vec![up(
            "i",
            "0",
            "n",
            vec![
                up(
                    "j",
                    "0",
                    "i",
                    vec![
                        up(
                            "k",
                            "0",
                            "j",
                            vec![stmt("A[i][j] -= A[i][k] * A[j][k];", "A[i,j]; A[i,k]; A[j,k]", "A[i,j]")],
                        ),
                        stmt("A[i][j] /= A[j][j];", "A[i,j]; A[j,j]", "A[i,j]"),
                    ],
                ),
                up("k", "0", "i", vec![stmt("A[i][i] -= A[i][k] * A[i][k];", "A[i,i]; A[i,k]", "A[i,i]")]),
                stmt("A[i][i] = sqrt(A[i][i] < 0 ? -A[i][i] : A[i][i]) + 1;", "A[i,i]", "A[i,i]"),
            ],
        )],
    )
}

/// Loops that go down, by steps, over a triangle, with an imperfect nest.
pub fn backward_triangle() -> Kernel {
    kernel(
        "backward_triangle",
        &["n"],
        vec![array("A", &["n", "n"]), array("x", &["n"])],
        vec![down(
            "i",
            "n - 1",
            "-1",
            1,
            vec![
                stmt("x[i] = x[i] * 2 + 1;", "x[i]", "x[i]"),
                by("j", "i", "n", 3, vec![stmt("A[i][j] = A[i][j] + x[i] * (i - 2 * j);", "A[i,j]; x[i]", "A[i,j]")]),
                down("j", "i", "-1", 2, vec![stmt("A[i][j] += x[j] * j;", "A[i,j]; x[j]", "A[i,j]")]),
            ],
        )],
    )
}

/// Several nests one after the other, sharing arrays.
pub fn sequence() -> Kernel {
    kernel(
        "sequence",
        &["n"],
        vec![array("A", &["n", "n"]), array("x", &["n"]), array("y", &["n"])],
        vec![
            up(
                "i",
                "0",
                "n",
                vec![up("j", "0", "n", vec![stmt("A[i][j] = A[i][j] + x[i] * y[j];", "A[i,j]; x[i]; y[j]", "A[i,j]")])],
            ),
            up(
                "i",
                "0",
                "n",
                vec![up(
                    "j",
                    "0",
                    "n",
                    vec![stmt("x[i] = x[i] + 0.5 * A[j][i] * y[j];", "x[i]; A[j,i]; y[j]", "x[i]")],
                )],
            ),
            up("i", "0", "n", vec![stmt("x[i] = x[i] + i;", "x[i]", "x[i]")]),
            up(
                "i",
                "0",
                "n",
                vec![up("j", "0", "n", vec![stmt("y[i] = y[i] + A[i][j] * x[j];", "y[i]; A[i,j]; x[j]", "y[i]")])],
            ),
        ],
    )
}

/// A scalar that is accumulated, and one that is carried through rows.
pub fn accumulator() -> Kernel {
    kernel(
        "accumulator",
        &["n"],
        vec![placed(Place::Scalar, array("s", &[])), array("A", &["n", "n"]), array("x", &["n"])],
        vec![
            up(
                "i",
                "0",
                "n",
                vec![up("j", "0", "n", vec![stmt("A[i][j] = A[i][j] * x[j] + i;", "A[i,j]; x[j]", "A[i,j]")])],
            ),
            up("i", "0", "n", vec![up("j", "0", "i + 1", vec![stmt("(*s) += A[i][j];", "s[]; A[i,j]", "s[]")])]),
            up("i", "0", "n", vec![stmt("x[i] = x[i] - (*s);", "x[i]; s[]", "x[i]")]),
        ],
    )
}

/// Global arrays, conditions, and a write that may not happen.
pub fn conditional() -> Kernel {
    let may = Node::Stmt {
        text: "if (G[i][j] > 0.5) H[j] = G[i][j] + i;".into(),
        reads: touched("G[i,j]"),
        writes: Vec::new(),
        may: touched("H[j]"),
    };
    let guarded = Node::If {
        cond: "2 * i + j < n && j > 2".into(),
        body: vec![stmt("G[i][j] = G[i][j-1] * 0.75;", "G[i,j-1]", "G[i,j]"), may],
    };
    kernel(
        "conditional",
        &["n"],
        vec![placed(Place::Global, array("G", &["70", "70"])), placed(Place::Global, array("H", &["70"]))],
        vec![up("i", "0", "n", vec![up("j", "0", "n", vec![guarded, stmt("G[i][j] += 0.25;", "G[i,j]", "G[i,j]")])])],
    )
}

/// Plain pointers: compared when the region runs.
pub fn pointers() -> Kernel {
    let mut kernel = sequence();
    kernel.name = "pointers".into();
    kernel.arrays.iter_mut().for_each(|array| array.place = Place::Pointer);
    kernel.iterator_type = "unsigned".into();
    kernel.body.truncate(2);
    kernel
}

/// All of them.
pub fn all() -> Vec<Kernel> {
    vec![
        jacobi_1d(),
        jacobi_2d(),
        matmul(),
        matvec(),
        lu(),
        floyd_warshall(),
        trisolv(),
        seidel_2d(),
        cholesky(),
        backward_triangle(),
        sequence(),
        accumulator(),
        conditional(),
        pointers(),
    ]
}
