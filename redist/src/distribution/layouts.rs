//! Constructors of well-known distributions; each builds one dimension of `n` elements.

use crate::distribution::{Affine, Bound, Dimension, Distribution, Variable};
use crate::error::{Error, Result};
use crate::integer::number::{ceil_div, narrow};

/// Checks that an element count or stride is at least `least`.
fn at_least(place: &str, value: i64, least: i64) -> Result<i64> {
    if value < least {
        return Err(Error::new(place, format!("{value} is too small"), format!("give at least {least}")));
    }
    narrow(value.into()).ok_or_else(|| Error::overflow(place, "the value"))
}

fn product(place: &str, a: i64, b: i64) -> Result<i64> {
    narrow(i128::from(a) * i128::from(b)).ok_or_else(|| Error::overflow(place, "the extent"))
}

fn data(name: &str, coef: i64, last: i64) -> Variable {
    Variable::data(name, coef, 0, last)
}

/// `n` elements in consecutive blocks of `ceil(n / processes)`: variables `p` and `l`.
pub fn block(n: i64, processes: i64) -> Result<Dimension> {
    let (n, p) = (at_least("n", n, 0)?, at_least("processes", processes, 1)?);
    blocks(n, p, ceil_div(n.into(), p.into()).max(1) as i64)
}

/// `n` elements in consecutive blocks of `size`, at most one per process: variables `p` and `l`.
pub fn blocks(n: i64, processes: i64, size: i64) -> Result<Dimension> {
    let (n, p, b) = (at_least("n", n, 0)?, at_least("processes", processes, 1)?, at_least("size", size, 1)?);
    product("size", p, b)?;
    let rest = Affine::constant(n - 1).plus(-b, "p");
    let variables = vec![Variable::arch("p", b, 0, p - 1), data("l", 1, b - 1).up_to(rest)];
    Ok(Dimension { offset: 0.into(), variables })
}

/// Element t on process t mod `processes`: variables `p` and `c`.
pub fn cyclic(n: i64, processes: i64) -> Result<Dimension> {
    let (n, p) = (at_least("n", n, 0)?, at_least("processes", processes, 1)?);
    let rounds = Bound { affine: Affine::constant(n - 1).plus(-1, "p"), divisor: p };
    let mut c = data("c", p, 0);
    c.upper = vec![rounds];
    Ok(Dimension { offset: 0.into(), variables: vec![Variable::arch("p", 1, 0, p - 1), c] })
}

/// Blocks of `size` dealt round-robin: variables `p`, `c` (the round) and `l`.
pub fn block_cyclic(n: i64, processes: i64, size: i64) -> Result<Dimension> {
    let (n, p, b) = (at_least("n", n, 0)?, at_least("processes", processes, 1)?, at_least("size", size, 1)?);
    let round = product("size", p, b)?;
    let mut c = data("c", round, 0);
    c.upper = vec![Bound { affine: Affine::constant(n - 1).plus(-b, "p"), divisor: round }];
    let l = data("l", 1, b - 1).up_to(Affine::constant(n - 1).plus(-b, "p").plus(-round, "c"));
    Ok(Dimension { offset: 0.into(), variables: vec![Variable::arch("p", b, 0, p - 1), c, l] })
}

/// Blocks of `ceil(n / processes)` that also hold `before` elements of their left and `after` of their right
/// neighbours, clipped at the ends of the array: variables `p` and `l` (from `-before`).
pub fn halo(n: i64, processes: i64, before: i64, after: i64) -> Result<Dimension> {
    let (n, p) = (at_least("n", n, 0)?, at_least("processes", processes, 1)?);
    let (before, after) = (at_least("before", before, 0)?, at_least("after", after, 0)?);
    let b = ceil_div(n.into(), p.into()).max(1) as i64;
    product("processes", p, b)?;
    let last = narrow(i128::from(b) - 1 + i128::from(after)).ok_or_else(|| Error::overflow("after", "the extent"))?;
    let own = Affine::constant(n - 1).plus(-b, "p");
    let l = Variable::data("l", 1, -before, last).from(Affine::constant(0).plus(-b, "p")).up_to(own);
    Ok(Dimension { offset: 0.into(), variables: vec![Variable::arch("p", b, 0, p - 1), l] })
}

/// Windows of `width` elements, one every `shift` elements, not clipped: they overlap if `width > shift`.
pub fn overlap(count: i64, shift: i64, width: i64) -> Result<Dimension> {
    tiles(0, &[("p", shift, count)], "l", 1, width)
}

/// Tiles as in a signal mapping: an origin, architectural strides (name, stride, count), and `points` elements per
/// memory with stride `step`.
pub fn tiles(origin: i64, strides: &[(&str, i64, i64)], data_name: &str, step: i64, points: i64) -> Result<Dimension> {
    let mut variables = Vec::new();
    for &(name, stride, count) in strides {
        at_least(name, count, 0)?;
        product(name, stride, count)?;
        variables.push(Variable::arch(name, stride, 0, count - 1));
    }
    at_least(data_name, points, 0)?;
    product(data_name, step, points)?;
    variables.push(data(data_name, step, points - 1));
    Ok(Dimension { offset: origin.into(), variables })
}

/// A whole dimension in every memory: variable `l`.
pub fn whole(n: i64) -> Result<Dimension> {
    Ok(Dimension { offset: 0.into(), variables: vec![data("l", 1, at_least("n", n, 0)? - 1)] })
}

/// ScaLAPACK's array descriptor: the nine integers DTYPE_, CTXT_, M_, N_, MB_, NB_, RSRC_, CSRC_, LLD_, and the shape
/// of the process grid. Memories are column-major. The architectural variables count from the process with the first
/// block: memory (p1, p2) is the grid's process ((p1 + RSRC_) mod rows, (p2 + CSRC_) mod columns). The caller's
/// addressing must account for a leading dimension larger than the local rows.
pub fn scalapack(descriptor: &[i64; 9], rows: i64, columns: i64) -> Result<Distribution> {
    let [kind, _, m, n, mb, nb, rsrc, csrc, lld] = *descriptor;
    if kind != 1 {
        let what = format!("DTYPE_ is {kind}");
        return Err(Error::new("descriptor[0]", what, "only dense matrices (DTYPE_ = 1) have this descriptor"));
    }
    for (place, first, processes) in [(6, rsrc, rows), (7, csrc, columns)] {
        if !(0..processes).contains(&first) {
            let what = format!("process {first} is outside a grid of {processes}");
            return Err(Error::new(format!("descriptor[{place}]"), what, "name a row or column of the grid"));
        }
    }
    at_least("descriptor[8]", lld, 1)?;
    let first = block_cyclic(m, rows, mb).map_err(|e| e.within("rows"))?;
    let second = block_cyclic(n, columns, nb).map_err(|e| e.within("columns"))?;
    let dimensions = vec![suffixed(first, "1"), suffixed(second, "2")];
    let layout = ["c2", "l2", "c1", "l1"].map(str::to_owned).to_vec();
    Ok(Distribution { dimensions, layout: Some(layout) })
}

/// The same dimension with `suffix` appended to every variable name, to combine several in one distribution.
pub fn suffixed(mut dimension: Dimension, suffix: &str) -> Dimension {
    let rename = |a: &mut Affine, own: &[String]| {
        a.terms.iter_mut().filter(|(n, _)| own.contains(n)).for_each(|(n, _)| n.push_str(suffix));
    };
    let own: Vec<String> = dimension.variables.iter().map(|v| v.name.clone()).collect();
    for v in &mut dimension.variables {
        v.name.push_str(suffix);
        v.lower.iter_mut().chain(&mut v.upper).for_each(|b| rename(&mut b.affine, &own));
    }
    dimension
}
