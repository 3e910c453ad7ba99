//! Random cases from a seed, and smaller versions of a case.
#![allow(dead_code, missing_docs)]

use dvm_redist::distribution::layouts;
use dvm_redist::{Affine, Bound, Case, Dimension, Distribution, Kind, Parameters, Variable};
pub use testkit::Random;

/// A case with about `size` locations per side at most.
pub fn case(random: &mut Random, size: i64) -> Case {
    let dims = [1, 1, 1, 2, 2, 3][random.between(0, 5) as usize];
    let mut parameters = Parameters::new();
    if random.chance(25) {
        parameters.insert("N".to_owned(), random.between(-5, 30));
    }
    let source = distribution(random, dims, size, "s", &parameters);
    let target = distribution(random, dims, size, "r", &parameters);
    Case { id: "random".to_owned(), parameters, family: None, element_size: 8, source, target }
}

fn distribution(random: &mut Random, dims: usize, size: i64, side: &str, parameters: &Parameters) -> Distribution {
    let each = (size as f64).powf(1.0 / dims as f64) as i64;
    let mut dimensions: Vec<Dimension> =
        (0..dims).map(|j| dimension(random, each, &format!("{side}{j}"), parameters)).collect();
    if random.chance(25) {
        couple(random, &mut dimensions, parameters);
    }
    if random.chance(20) {
        for d in &mut dimensions {
            let k = d.variables.len();
            if k > 1 {
                d.variables.swap(0, k - 1);
            }
        }
    }
    Distribution { dimensions, layout: None }
}

fn dimension(random: &mut Random, size: i64, name: &str, parameters: &Parameters) -> Dimension {
    let n = if random.chance(3) { 0 } else { random.between(1, size) };
    let p = random.between(1, 4);
    let known = match random.between(0, 9) {
        0 => layouts::block(n, p),
        1 => layouts::cyclic(n, p),
        2 | 3 => layouts::block_cyclic(n, p, random.between(1, 7)),
        4 | 5 => layouts::halo(n, p, random.between(0, 3), random.between(0, 3)),
        _ => return strided(random, size, name, parameters),
    };
    let mut d = layouts::suffixed(known.unwrap(), name);
    if random.chance(20) {
        d.offset = Affine::constant(random.between(-5, 5));
    }
    d
}

fn strided(random: &mut Random, size: i64, name: &str, parameters: &Parameters) -> Dimension {
    let count = [1, 2, 2, 2, 2, 3, 3, 4, 5, 0][random.between(0, 9) as usize];
    let largest = [2, 3, 5, 12, 30][random.between(0, 4) as usize];
    let (mut room, mut variables) = (size.max(1), Vec::new());
    for i in 0..count {
        let width = random.between(2, 1 + room.min((size as f64).powf(1.6 / f64::from(count)) as i64 + 1).max(1));
        room = (room / width).max(1);
        let low = random.between(-3, 3);
        let mut coef = random.between(1, largest);
        if random.chance(8) {
            coef = 0;
        } else if random.chance(20) {
            coef = -coef;
        }
        let kind = if random.chance(45) { Kind::Arch } else { Kind::Data };
        let mut high = low + width - 1;
        if random.chance(1) {
            high = low - 1;
        }
        variables.push(Variable {
            name: format!("v{i}{name}"),
            coef,
            lower: vec![low.into()],
            upper: vec![high.into()],
            kind,
            level: if kind == Kind::Arch { "proc" } else { "cell" }.to_owned(),
        });
    }
    let mut offset = Affine::constant(random.between(-4, 8));
    if random.chance(10) {
        offset.terms = parameters.keys().map(|n| (n.clone(), random.between(-1, 1))).filter(|t| t.1 != 0).collect();
    }
    Dimension { offset, variables }
}

/// Adds bounds that use other variables and parameters, always looking at variables of a random earlier rank.
fn couple(random: &mut Random, dimensions: &mut [Dimension], parameters: &Parameters) {
    let mut places: Vec<(usize, usize)> =
        dimensions.iter().enumerate().flat_map(|(j, d)| (0..d.variables.len()).map(move |i| (j, i))).collect();
    random.shuffle(&mut places);
    // Ranks must agree with bounds that are there already.
    let uses = |dims: &[Dimension], (j, i): (usize, usize)| -> Vec<String> {
        let v = &dims[j].variables[i];
        v.lower.iter().chain(&v.upper).flat_map(|b| b.affine.terms.iter().map(|t| t.0.clone())).collect()
    };
    if places.iter().any(|&p| !uses(dimensions, p).is_empty()) {
        return;
    }
    let across = random.chance(30);
    for k in 1..places.len() {
        if !random.chance(50) {
            continue;
        }
        let (j, i) = places[k];
        let earlier: Vec<(usize, usize)> = places[..k].iter().copied().filter(|p| across || p.0 == j).collect();
        if earlier.is_empty() {
            continue;
        }
        let (from, at) = earlier[random.between(0, earlier.len() as i64 - 1) as usize];
        let other = &dimensions[from].variables[at].name.clone();
        let v = &mut dimensions[j].variables[i];
        let mut affine = Affine::constant(random.between(-2, 14));
        let same = random.chance(40) && v.coef != 0;
        let coefficient = if same { random.between(-12, 12) } else { random.between(-2, 2) };
        if coefficient != 0 {
            affine = affine.plus(coefficient, other);
        }
        for name in parameters.keys() {
            affine = affine.plus(random.between(1, 2), name);
        }
        let divisor = if random.chance(30) { random.between(2, 5) } else { 1 };
        let bound = Bound { affine, divisor };
        if random.chance(60) {
            v.upper.push(bound);
        } else {
            v.lower.push(bound);
        }
    }
}

/// Cases that are simpler than this one by one step.
pub fn smaller(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    for j in (0..case.source.dimensions.len()).filter(|_| case.source.dimensions.len() > 1) {
        let mut next = case.clone();
        next.source.dimensions.remove(j);
        next.target.dimensions.remove(j);
        found.push(next);
    }
    for side in 0..2 {
        let edit = |change: &dyn Fn(&mut Distribution)| {
            let mut next = case.clone();
            change(if side == 0 { &mut next.source } else { &mut next.target });
            next
        };
        let whole = if side == 0 { &case.source } else { &case.target };
        for (j, d) in whole.dimensions.iter().enumerate() {
            found.push(edit(&|w| w.dimensions[j].offset = 0.into()));
            for i in 0..d.variables.len() {
                found.push(edit(&|w| drop(w.dimensions[j].variables.remove(i))));
                for k in 1..d.variables[i].upper.len() {
                    found.push(edit(&|w| drop(w.dimensions[j].variables[i].upper.remove(k))));
                }
                for k in 1..d.variables[i].lower.len() {
                    found.push(edit(&|w| drop(w.dimensions[j].variables[i].lower.remove(k))));
                }
                let v = &d.variables[i];
                if v.lower[0].affine.constant >= v.upper[0].affine.constant {
                    continue;
                }
                found.push(edit(&|w| w.dimensions[j].variables[i].upper[0].affine.constant -= 1));
                found.push(edit(&|w| w.dimensions[j].variables[i].lower[0].affine.constant += 1));
                found.push(edit(&|w| w.dimensions[j].variables[i].coef -= w.dimensions[j].variables[i].coef.signum()));
            }
        }
    }
    found.retain(|c| c != case && c.check().is_ok());
    found
}
