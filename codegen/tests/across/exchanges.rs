//! Nests that run across and have processes exchange: several of them read what one has written, and one reads what
//! several have written.

use crate::kernel::{Kernel, Node, Place, Storehouse, up};
use std::fmt::Write;
use testkit::Random;

/// The largest n of these nests: subscripts stay below n + 12.
pub const LARGEST: usize = 60;

/// What a statement reads and writes: planes `A` and `B`, rows `C` and `D`.
const PLANES: [&str; 2] = ["A", "B"];
const ROWS: [&str; 2] = ["C", "D"];

/// A nest, and the largest n that it is called with.
pub fn nest(dice: &mut Random) -> (Kernel, usize) {
    let largest = 20 + dice.below(LARGEST - 19);
    let (body, largest) = match dice.below(12) {
        0..=3 => (vec![plane(dice, "A", "B")], largest),
        4 | 5 => (vec![wavefront(dice)], largest),
        6 => (vec![sums(dice)], largest),
        7 => (vec![product(dice)], largest.min(24)),
        8 => (vec![plane(dice, "A", "B"), plane(dice, "B", "A")], largest),
        9 => (vec![sums(dice), plane(dice, "A", "B")], largest),
        10 => (vec![row(dice, "D", "C")], largest),
        _ => (vec![row_in_time(dice)], largest),
    };
    let place = if dice.one_in(4) { Place::Pointer } else { Place::Restrict };
    let mut kernel = Kernel {
        name: "exchange".into(),
        parameters: vec!["n".into(), "m".into()],
        arrays: Vec::new(),
        body,
        iterator_type: (*dice.pick(&["int", "int", "long"])).into(),
        context: "n >= 0 and m >= 0".into(),
    };
    let text = kernel.text();
    let used = |name: &&&str| text.contains(&format!("{name}["));
    for (names, rank) in [(PLANES, 2), (ROWS, 1)] {
        kernel.arrays.extend(names.iter().filter(used).map(|name| Storehouse {
            name: (*name).into(),
            element: "unsigned long long".into(),
            dims: vec!["n + 12".into(); rank],
            place,
        }));
    }
    (kernel, largest)
}

/// A loop over most of a coordinate, sometimes downwards or in strides.
fn over(dice: &mut Random, it: &str, body: Vec<Node>) -> Node {
    let first = *dice.pick(&["0", "0", "1", "2"]);
    let end = *dice.pick(&["n", "n", "n - 1", "n + 1"]);
    match dice.below(10) {
        0 => Node::Loop { it: it.into(), first: format!("{end} - 1"), end: format!("{first} - 1"), step: -1, body },
        1 => Node::Loop { it: it.into(), first: first.into(), end: end.into(), step: 2, body },
        _ => up(it, first, end, body),
    }
}

fn statement(target: &str, value: &str) -> Node {
    Node::Stmt { text: format!("{target} = {value};"), reads: Vec::new(), writes: Vec::new(), may: Vec::new() }
}

/// Where another counter, or one element for all, stands for a counter.
fn place(dice: &mut Random, one: &str, other: &str) -> String {
    let offset = dice.below(5);
    match dice.below(12) {
        0 | 1 => format!("{other} + {}", offset + 1),
        2 => format!("n - {one} + {}", offset + 2),
        3 => format!("n - {other} + {}", offset + 2),
        4 | 5 => format!("{}", 2 + 3 * offset),
        6 => format!("m + {offset}"),
        _ => format!("{one} + {}", offset + 1),
    }
}

/// An element of a plane that a statement in loops over these counters reads.
fn element(dice: &mut Random, name: &str, one: &str, other: &str) -> String {
    let shape = dice.below(8);
    let offset = |dice: &mut Random| 1 + dice.below(5);
    match shape {
        // A neighbour, and a neighbour in the transposed plane: the ends of parts go to several processes.
        0..=2 => format!("{name}[{one} + {}][{other} + {}]", offset(dice), offset(dice)),
        3 => format!("{name}[{other} + {}][{one} + {}]", offset(dice), offset(dice)),
        // One row or column that all read.
        4 => format!("{name}[{}][{other} + {}]", 3 * offset(dice), offset(dice)),
        5 => format!("{name}[{one} + {}][{}]", offset(dice), 3 * offset(dice)),
        _ => format!("{name}[{}][{}]", place(dice, one, other), place(dice, other, one)),
    }
}

/// A sum of elements of a plane, at times with those of a row.
fn value(dice: &mut Random, from: &str, one: &str, other: &str) -> String {
    let mut terms: Vec<String> = ["", "3 * ", "5 * ", "7 * "]
        .iter()
        .take(1 + dice.below(4))
        .map(|factor| format!("{factor}{}", element(dice, from, one, other)))
        .collect();
    if dice.one_in(3) {
        terms.push(format!("11 * {}[{}]", dice.pick(&ROWS), place(dice, one, other)));
    }
    terms.push(format!("(unsigned long long){one}"));
    terms.join(" + ")
}

/// All elements of a plane, of those of another one.
fn plane(dice: &mut Random, from: &str, to: &str) -> Node {
    let own = format!("{to}[i + 3][j + {}]", 2 + dice.below(3));
    let before = if dice.one_in(3) { format!("{own} * 13 + ") } else { String::new() };
    let value = before + &value(dice, from, "i", "j");
    let inner = over(dice, "j", vec![statement(&own, &value)]);
    over(dice, "i", vec![inner])
}

/// A plane whose elements need those before them.
fn wavefront(dice: &mut Random) -> Node {
    let earlier = ["A[i + 2][j + 3]", "A[i + 3][j + 2]", "A[i + 2][j + 2]", "A[i + 2][j + 4]", "A[i + 1][j + 3]"];
    let mut value = format!("{} + 3 * {}", dice.pick(&earlier), dice.pick(&earlier));
    if dice.chance(60) {
        let _ = write!(value, " + 5 * {}", element(dice, "B", "i", "j"));
    }
    if dice.one_in(3) {
        let _ = write!(value, " + {}[{}]", dice.pick(&ROWS), place(dice, "i", "j"));
    }
    up("i", "0", "n", vec![up("j", "0", "n", vec![statement("A[i + 3][j + 3]", &value)])])
}

/// A row of sums over a plane.
fn sums(dice: &mut Random) -> Node {
    let value = format!("C[i + 3] * 3 + {}", element(dice, "B", "i", "j"));
    let inner = over(dice, "j", vec![statement("C[i + 3]", &value)]);
    over(dice, "i", vec![inner])
}

/// A product of planes.
fn product(dice: &mut Random) -> Node {
    let [one, other] =
        if dice.one_in(2) { ["[i + 1][k + 2]", "[k + 3][j + 1]"] } else { ["[k + 2][i + 1]", "[k + 1][j + 2]"] };
    let value = format!("B[i + 3][j + 3] + A{one} * A{other}");
    let inner = up("k", "0", "n", vec![statement("B[i + 3][j + 3]", &value)]);
    up("i", "0", "n", vec![up("j", "0", "n", vec![inner])])
}

/// A row of a plane's row or column, and of another row.
fn row(dice: &mut Random, from: &str, to: &str) -> Node {
    let first = place(dice, "i", "i");
    let second = if dice.one_in(2) {
        format!("A[{}][i + {}]", 2 + 3 * dice.below(5), dice.below(5))
    } else {
        format!("A[i + {}][{}]", dice.below(5), 2 + 3 * dice.below(5))
    };
    over(dice, "i", vec![statement(&format!("{to}[i + 3]"), &format!("{from}[{first}] + 3 * {second}"))])
}

/// Two rows in turn, several times.
fn row_in_time(dice: &mut Random) -> Node {
    let step = |dice: &mut Random, from: &str, to: &str| {
        let [left, right] = [dice.below(3), 4 + dice.below(3)];
        let value = format!("{from}[i + {left}] + 3 * {from}[i + 3] + 5 * {from}[i + {right}]");
        up("i", "0", "n", vec![statement(&format!("{to}[i + 3]"), &value)])
    };
    let body = vec![step(dice, "C", "D"), step(dice, "D", "C")];
    up("t", "0", "m", body)
}
