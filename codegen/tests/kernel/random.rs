//! Random affine loop nests, from a seed.

use super::{Kernel, Node, Place, Storehouse};
use testkit::Random;

/// The kernel of a seed. All iterators stay between -2 and n + 3, and every subscript in its array.
pub fn kernel(seed: u64) -> Kernel {
    let mut dice = Random::new(seed);
    let arrays: Vec<Storehouse> = (0..=dice.below(3)).map(|at| array(&mut dice, at)).collect();
    let mut budget = 1 + dice.below(4);
    let mut body = Vec::new();
    for _ in 0..=dice.below(3) {
        if budget > 0 {
            body.push(nest(&mut dice, &arrays, &mut Vec::new(), &mut budget));
        }
    }
    let iterator_type = (*dice.pick(&["int", "int", "int", "long", "short"])).to_owned();
    Kernel {
        name: format!("random_{seed}"),
        parameters: vec!["n".into(), "m".into()],
        arrays,
        body,
        iterator_type,
        // `/` and `%` of the parameters are those of values that are at least 0.
        context: (*dice.pick(&["n >= 0 and m >= 0", "m >= 0 and n >= 0"])).to_owned(),
    }
}

fn array(dice: &mut Random, at: usize) -> Storehouse {
    let rank = *dice.pick(&[0, 1, 1, 2, 2, 2, 3]);
    let place = match rank {
        0 => Place::Scalar,
        _ => *dice.pick(&[Place::Restrict, Place::Restrict, Place::Pointer]),
    };
    let length = if rank == 3 { "3 * n + 12" } else { "5 * n + 24" };
    Storehouse {
        name: ["A", "B", "C"][at].into(),
        element: "unsigned long long".into(),
        dims: vec![length.into(); rank],
        place,
    }
}

const NAMES: [&str; 4] = ["i", "j", "k", "l"];

fn nest(dice: &mut Random, arrays: &[Storehouse], around: &mut Vec<String>, budget: &mut usize) -> Node {
    let depth = around.len();
    if depth > 0 && (depth == 3 || dice.one_in(3)) {
        *budget -= 1;
        return statement(dice, arrays, around);
    }
    if depth > 0 && dice.one_in(6) {
        let cond = condition(dice, around);
        return Node::If { cond, body: several(dice, arrays, around, budget) };
    }
    let it = NAMES[depth].to_owned();
    let outer = around.last().cloned();
    let step = *dice.pick(&[1, 1, 1, 1, 1, 2, 3, -1, -1, -2]);
    let mut low = vec!["0".to_owned(), "1".into(), "0".into()];
    let mut high = vec!["n".to_owned(), "n - 1".into(), "n + 2".into(), "n".into()];
    if let Some(outer) = &outer {
        low.extend([outer.clone(), format!("{outer} + 1"), format!("n - {outer}")]);
        high.extend([outer.clone(), format!("{outer} + 1"), format!("n - {outer}")]);
    }
    if dice.one_in(4) {
        low.push(remainder(dice, around));
        high.push(format!("n - {}", remainder(dice, around)));
    }
    let (first, end) = if step > 0 {
        (dice.pick(&low).clone(), dice.pick(&high).clone())
    } else {
        (format!("{} - 1", dice.pick(&high)), format!("{} - 1", dice.pick(&low)))
    };
    around.push(it.clone());
    let body = several(dice, arrays, around, budget);
    around.pop();
    Node::Loop { it, first, end, step, body }
}

fn several(dice: &mut Random, arrays: &[Storehouse], around: &mut Vec<String>, budget: &mut usize) -> Vec<Node> {
    let mut body = Vec::new();
    for _ in 0..=dice.below(2) {
        if *budget > 0 {
            body.push(nest(dice, arrays, around, budget));
        }
    }
    if body.is_empty() {
        body.push(statement(dice, arrays, around));
    }
    body
}

fn condition(dice: &mut Random, around: &[String]) -> String {
    let (one, other) = (dice.pick(around).clone(), dice.pick(around).clone());
    match dice.below(11) {
        6 => format!("{} {} {}", remainder(dice, &[]), dice.pick(&["==", "!=", "<", ">="]), dice.below(3)),
        7 => format!("{one} != {}", remainder(dice, &[])),
        8 => format!("{} != {}", remainder(dice, &[]), remainder(dice, &[])),
        9 => format!("{} == {}", remainder(dice, around), remainder(dice, &[])),
        10 => format!("3 * quot(m, 3) {} m && {one} > {}", dice.pick(&["==", "!="]), remainder(dice, &[])),
        0 => format!("{one} < n - {other}"),
        1 => format!("{one} + {other} < n"),
        2 => format!("2 * {one} >= {other} + 1"),
        3 => format!("{one} != 3"),
        4 => format!("{one} > 1 && {other} < n - 2"),
        _ => format!("{one} == {other}"),
    }
}

fn statement(dice: &mut Random, arrays: &[Storehouse], around: &[String]) -> Node {
    let (target, target_text, target_subscripts) = reference(dice, arrays, around);
    let mut value = String::new();
    let mut reads = Vec::new();
    for factor in ["", "3 * ", "5 * "].iter().take(1 + dice.below(3)) {
        let same = dice.one_in(3);
        let (name, text, subscripts) = if same {
            (target.clone(), target_text.clone(), target_subscripts.clone())
        } else {
            reference(dice, arrays, around)
        };
        value += &format!("{factor}{text} + ");
        reads.push((name, subscripts));
    }
    let it = dice.pick(around);
    let assignment = format!("{target_text} = {value}(unsigned long long){it};");
    let write = vec![(target, target_subscripts)];
    if dice.one_in(6) {
        let (name, text, subscripts) = reference(dice, arrays, around);
        reads.push((name, subscripts));
        return Node::Stmt { text: format!("if ({text} & 4) {assignment}"), reads, writes: Vec::new(), may: write };
    }
    Node::Stmt { text: assignment, reads, writes: write, may: Vec::new() }
}

/// A reference: array, C text, subscripts.
fn reference(dice: &mut Random, arrays: &[Storehouse], around: &[String]) -> (String, String, String) {
    let array = dice.pick(arrays).clone();
    if array.dims.is_empty() {
        return (array.name.clone(), format!("(*{})", array.name), String::new());
    }
    let simple = array.dims.len() == 3;
    let subscripts: Vec<String> = array.dims.iter().map(|_| subscript(dice, around, simple)).collect();
    let text: String = subscripts.iter().map(|subscript| format!("[{subscript}]")).collect();
    (array.name.clone(), format!("{}{text}", array.name), subscripts.join(", "))
}

/// A quotient or remainder of a parameter or counter, between 0 and 3.
fn remainder(dice: &mut Random, around: &[String]) -> String {
    let mut values = vec!["n".to_owned(), "m".to_owned(), "n + m".to_owned(), "2 * m + 1".to_owned()];
    values.extend(around.iter().flat_map(|it| [format!("{it} + 6"), format!("{it} + m + 6")]));
    let (value, divisor) = (dice.pick(&values).clone(), 2 + dice.below(3));
    if dice.one_in(4) { format!("rest(quot({value}, 2), {divisor})") } else { format!("rest({value}, {divisor})") }
}

/// Between 0 and 5 n + 23; when simple between 0 and 3 n + 11.
fn subscript(dice: &mut Random, around: &[String], simple: bool) -> String {
    let (one, other) = (dice.pick(around).clone(), dice.pick(around).clone());
    let offset = dice.below(4);
    match dice.below(if simple { 6 } else { 12 }) {
        9 => format!("{} + {}", remainder(dice, around), offset + 2),
        10 => format!("{one} + {} + 6", remainder(dice, &[])),
        11 => format!("quot({one} + {other} + 6, 2) + {}", remainder(dice, around)),
        0..=2 => format!("{one} + {}", offset + 3),
        3 => format!("n - {one} + {}", offset + 4),
        4 => format!("{offset}"),
        5 if simple => format!("{one} + {} + 4", remainder(dice, &[])),
        5 => format!("{one} + {other} + {}", offset + 5),
        6 => format!("{one} - {other} + n + {}", offset + 6),
        7 => format!("2 * {one} + {}", offset + 5),
        _ => format!("3 * {one} - {other} + n + {}", offset + 9),
    }
}

/// Smaller kernels: without a node, a condition, an array's access.
pub fn smaller(kernel: &Kernel) -> Vec<Kernel> {
    let mut all = Vec::new();
    for at in 0..count(&kernel.body) {
        for way in 0..3 {
            let mut body = kernel.body.clone();
            let mut left = at;
            if change(&mut body, &mut left, way) && !body.is_empty() {
                all.push(Kernel { body, ..kernel.clone() });
            }
        }
    }
    all
}

fn count(body: &[Node]) -> usize {
    body.iter()
        .map(|node| match node {
            Node::Loop { body, .. } | Node::If { body, .. } => 1 + count(body),
            Node::Stmt { .. } => 1,
        })
        .sum()
}

/// Changes the `left`-th node; false when that way does nothing there.
fn change(body: &mut Vec<Node>, left: &mut usize, way: usize) -> bool {
    for at in 0..body.len() {
        if *left == 0 {
            return change_here(body, at, way);
        }
        *left -= 1;
        if let Node::Loop { body: inner, .. } | Node::If { body: inner, .. } = &mut body[at] {
            let inside = count(inner);
            if *left < inside {
                let changed = change(inner, left, way);
                if inner.is_empty() {
                    body.remove(at);
                }
                return changed;
            }
            *left -= inside;
        }
    }
    false
}

fn change_here(body: &mut Vec<Node>, at: usize, way: usize) -> bool {
    match (way, &mut body[at]) {
        (0, _) => {
            body.remove(at);
            true
        }
        (1, Node::If { body: inner, .. }) => {
            let inner = std::mem::take(inner);
            body.splice(at..=at, inner);
            true
        }
        (1, Node::Loop { first, end, step, .. }) if *step != 1 => {
            (*first, *end, *step) = ("0".into(), "n".into(), 1);
            true
        }
        (1, Node::Stmt { text, writes, .. }) if text.starts_with("if") && writes.is_empty() => false,
        (2, Node::Loop { first, end, step, .. }) if (first.as_str(), end.as_str()) != ("0", "n") => {
            (*first, *end, *step) = ("0".into(), "n".into(), 1);
            true
        }
        _ => false,
    }
}
