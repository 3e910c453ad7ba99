//! The forms in which a statement may run as blocks: which of its loops become vectors and rows, which stay around the
//! blocks, which run inside of them, and what each operand is then.

use crate::{
    analysis::IslRegion,
    lowered::Role,
    model::{AccessKind, Arithmetic, Chain, Named, Operand, Statement},
};
use dvm_isl::{Map, Result, UnionMap};
use std::fmt::Write;

/// Maximum number of operands whose elements are copied: they share the room for copies, and each gets several steps.
const COPIES: usize = 16;

/// Maximum number of operands of a chain: its text stands once for each place of a block.
const OPERANDS: usize = 64;

/// What blocks do with a statement's instances.
pub(super) enum Order {
    /// They run the updates of one element in their order, all of them one after another.
    Serial {
        /// The elements.
        write: Map,
        /// What the statement reads beside the element that it writes.
        reads: Vec<Map>,
    },
    /// They run the parts of some instances by turns: part by part for all of them.
    Lockstep,
}

/// Which of a statement's loops are which in a block.
pub(super) struct Form<'a> {
    /// Its index in the model.
    pub(super) at: usize,
    pub(super) statement: &'a Statement,
    pub(super) order: Order,
    pub(super) vector: usize,
    pub(super) rows: Option<usize>,
    pub(super) serial: Vec<usize>,
    pub(super) roles: Vec<Role>,
}

impl<'a> Form<'a> {
    /// For instances that differ in no `fixed` iterator.
    pub(super) fn of(
        isl_region: &IslRegion,
        (at, statement): (usize, &'a Statement),
        arithmetic: &Arithmetic,
        fixed: &[usize],
    ) -> Result<Option<Form<'a>>> {
        let count = statement.iterators.len();
        let mut writes = statement.accesses.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(write), None) = (writes.next(), writes.next()) else { return Ok(None) };
        let target = arithmetic.operands.first().and_then(|(.., relation)| relation.as_ref());
        if write.kind != AccessKind::Write || target != Some(&write.relation) {
            return Ok(None);
        }
        let parse = |relation: &String| Map::parse(&isl_region.ctx, relation);
        let reads = statement.accesses.iter().filter(|access| access.relation != write.relation);
        let reads = reads.map(|access| parse(&access.relation)).collect::<Result<Vec<_>>>()?;
        let write = parse(&write.relation)?;
        let mut strides = Vec::new();
        for (.., relation) in &arithmetic.operands {
            strides.push(match relation {
                Some(relation) => Strides::of(&parse(relation)?, &statement.name, count)?,
                None => Some(Strides(vec![Vec::new(); count])),
            });
        }
        let Some(strides) = strides.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let kept = |relation: &Option<String>| relation.as_ref() == target;
        let operands = arithmetic.operands.iter().zip(&strides).filter(|((.., relation), _)| !kept(relation));
        let operands: Vec<&Strides> = operands.map(|(_, strides)| strides).collect();
        let Some((vector, rows)) = chosen(&strides[0], &operands, count, fixed) else { return Ok(None) };
        let serial: Vec<usize> = (0..count).filter(|k| !fixed.contains(k) && strides[0].is_still(*k)).collect();
        let roles = arithmetic.operands.iter().zip(&strides).map(|((.., relation), strides)| match relation {
            _ if kept(relation) => Role::Kept,
            None => Role::Number,
            Some(_) if strides.is_still(vector) => Role::Single,
            Some(_) if strides.is_unit(vector) => Role::Vector,
            Some(_) => Role::Packed,
        });
        let roles = roles.collect();
        let ordered = is_ordered(isl_region, statement, &write, (&serial, fixed))?;
        let form = Form { at, statement, order: Order::Serial { write, reads }, vector, rows, serial, roles };
        Ok(ordered.then_some(form))
    }

    /// The pairs of instances that blocks leave in their order: those that differ in a loop around the blocks.
    pub(super) fn order_of_blocks(&self) -> String {
        let count = self.statement.iterators.len();
        let around = (0..count).filter(|k| *k != self.vector && Some(*k) != self.rows);
        let mut equal = String::new();
        let mut before = vec!["false".to_owned()];
        for k in around {
            before.push(format!("({equal}x{k} < y{k})"));
            let _ = write!(equal, "x{k} = y{k} and ");
        }
        pairs_of(self.statement, &before.join(" or "))
    }
}

/// Pairs of a statement's instances x and y.
fn pairs_of(statement: &Statement, condition: &str) -> String {
    let count = statement.iterators.len();
    let names = |side: &str| (0..count).map(|k| format!("{side}{k}")).collect::<Vec<_>>().join(", ");
    format!("{{ {0}[{1}] -> {0}[{2}] : {condition} }}", statement.name, names("x"), names("y"))
}

/// Whether the instances that write one element, and differ in no fixed loop, differ in serial loops only and run in the
/// order of these.
fn is_ordered(
    isl_region: &IslRegion,
    statement: &Statement,
    write: &Map,
    (serial, fixed): (&[usize], &[usize]),
) -> Result<bool> {
    let name = &statement.name;
    let pairs = |condition: &str| Map::parse(&isl_region.ctx, &pairs_of(statement, condition));
    let free: Vec<usize> = (0..statement.iterators.len()).filter(|k| !serial.contains(k)).collect();
    let other = free.iter().filter(|k| !fixed.contains(k)).map(|k| format!("x{k} != y{k}"));
    let other = other.collect::<Vec<_>>().join(" or ");
    let here: String = fixed.iter().map(|k| format!("x{k} = y{k} and ")).collect();
    let same = write.apply_range(&write.reverse()?)?;
    if !other.is_empty() && !same.intersect(&pairs(&format!("{here}({other})"))?)?.is_empty()? {
        return Ok(false);
    }
    let Some(sets) = isl_region.statements.iter().find(|sets| sets.domain.name().as_ref() == Some(name)) else {
        return Ok(false);
    };
    let everywhere = UnionMap::from_map(&sets.everywhere)?.functions()?;
    let mut equal: String = free.iter().map(|k| format!("x{k} = y{k} and ")).collect();
    for k in serial {
        let up = UnionMap::from_map(&pairs(&format!("{equal}x{k} < y{k}"))?)?;
        if !up.decreasing_at(&everywhere)?.is_empty()? {
            return Ok(false);
        }
        let _ = write!(equal, "x{k} = y{k} and ");
    }
    Ok(true)
}

/// The forms of a chain for instances that differ in no `fixed` iterator: all of its targets follow each other in vectors, and with rows something serves all of these.
pub(super) fn chain_forms<'a>(
    (at, statement): (usize, &'a Statement),
    chain: &Chain,
    fixed: &[usize],
) -> Vec<Form<'a>> {
    let count = statement.iterators.len();
    let strides = |operand: &Operand| match &operand.named {
        Named::Element(steps) => Some(Strides(steps.clone())),
        _ => None,
    };
    let targets: Vec<Strides> = chain.steps.iter().filter_map(|step| strides(&step.target)).collect();
    let reads: Vec<Strides> = chain.steps.iter().flat_map(|step| &step.operands).filter_map(strides).collect();
    if chain.operands().count() > OPERANDS {
        return Vec::new();
    }
    let even = (0..count).filter(|k| !chain.uneven.contains(k) && !fixed.contains(k));
    let mut forms = Vec::new();
    for v in even.clone().filter(|v| targets.iter().all(|target| target.is_unit(*v))) {
        let served = |k: usize| reads.iter().filter(|read| read.is_still(k)).count();
        let rows =
            even.clone().filter(|k| *k != v && served(*k) > 0 && targets.iter().all(|target| !target.is_still(*k)));
        for rows in rows.max_by_key(|k| served(*k)).map(Some).into_iter().chain([None]) {
            let role = |operand: &Operand| match strides(operand) {
                None if operand.named == Named::Number => Role::Number,
                None => Role::Kept,
                Some(strides) if strides.is_still(v) => Role::Single,
                Some(strides) if strides.is_unit(v) => Role::Vector,
                Some(_) => Role::Gathered,
            };
            let roles = chain.operands().map(role).collect();
            forms.push(Form { at, statement, order: Order::Lockstep, vector: v, rows, serial: Vec::new(), roles });
        }
    }
    forms
}

/// By iterator of a statement: the coordinate of the band that changes by one in a step of this iterator, and in no step
/// of another one.
pub(super) fn coordinates(band: &UnionMap, name: &str, count: usize) -> Result<Vec<Option<usize>>> {
    let own = band.maps()?.into_iter().find(|map| map.input_name().as_deref() == Some(name));
    let strides = own.map(|map| Strides::of(&map, name, count)).transpose()?.flatten();
    let Some(Strides(strides)) = strides else { return Ok(vec![None; count]) };
    let counts =
        |k: usize, at: usize| strides.iter().enumerate().all(|(other, steps)| steps[at].abs() == i64::from(other == k));
    Ok((0..count).map(|k| (0..strides[k].len()).find(|at| counts(k, *at))).collect())
}

/// By iterator: how an access's subscripts change in one step.
struct Strides(Vec<Vec<i64>>);

impl Strides {
    /// `None`: not by constants.
    fn of(access: &Map, name: &str, count: usize) -> Result<Option<Strides>> {
        let names: Vec<String> = (0..count).map(|k| format!("x{k}")).collect();
        let mut all = Vec::new();
        for k in 0..count {
            let next: Vec<String> =
                (0..count).map(|at| format!("x{at}{}", if at == k { " + 1" } else { "" })).collect();
            let step = format!("{{ {name}[{}] -> {name}[{}] }}", names.join(", "), next.join(", "));
            let deltas = access.reverse()?.apply_range(&Map::parse(access.context(), &step)?)?.apply_range(access)?;
            let deltas = deltas.deltas()?;
            let stride: Option<Vec<i64>> = (0..deltas.dimensions()?).map(|at| deltas.fixed(at)).collect();
            let Some(stride) = stride else { return Ok(None) };
            all.push(stride);
        }
        Ok(Some(Strides(all)))
    }

    /// Whether all steps of a loop touch one element.
    fn is_still(&self, k: usize) -> bool {
        self.0[k].iter().all(|step| *step == 0)
    }

    /// Whether the steps of a loop touch elements that follow each other.
    fn is_unit(&self, k: usize) -> bool {
        let Some((last, outer)) = self.0[k].split_last() else { return false };
        *last == 1 && outer.iter().all(|step| *step == 0)
    }
}

/// The loops for the vectors and the rows of a block: there is a vector to read, and each serves all rows, or other steps
/// of the serial loops. Elements that lie apart are worth a copy if it serves all rows. Of equal loops, inner ones stride
/// less. Without rows, blocks are worth it if the vectors' loop is not the inner one anyway. The target is the element
/// that the statement writes.
fn chosen(target: &Strides, operands: &[&Strides], count: usize, fixed: &[usize]) -> Option<(usize, Option<usize>)> {
    let (serial, free): (Vec<usize>, Vec<usize>) =
        (0..count).filter(|k| !fixed.contains(k)).partition(|k| target.is_still(*k));
    let mut best: Option<(usize, (usize, usize))> = None;
    for v in free.iter().filter(|v| target.is_unit(**v)) {
        for rows in free.iter().filter(|rows| *rows != v) {
            let serves = |operand: &&Strides| {
                let again = |k: &usize| operand.is_still(*k) || operand.0[*k] == operand.0[*rows];
                operand.is_still(*rows) || (operand.is_unit(*v) && serial.iter().any(again))
            };
            let mut vectors = operands.iter().copied().filter(|operand| !operand.is_still(*v)).peekable();
            let copies = vectors.clone().filter(|operand| !operand.is_unit(*v)).count();
            if vectors.peek().is_none() || !vectors.all(|operand| serves(&operand)) {
                continue;
            }
            let still = operands.iter().filter(|operand| operand.is_still(*rows)).count();
            let fits = match copies {
                0 => !serial.is_empty(),
                _ => serial.len() == 1 && copies <= COPIES,
            };
            if fits && best.is_none_or(|(most, _)| still >= most) {
                best = Some((still, (*v, *rows)));
            }
        }
    }
    if let Some((_, (v, rows))) = best {
        return Some((v, Some(rows)));
    }
    let outer = free.iter().rev().copied().find(|v| target.is_unit(*v) && *v + 1 != count);
    let follows = |v: usize, operand: &&Strides| operand.is_still(v) || operand.is_unit(v);
    let vectors = |v: usize| operands.iter().any(|operand| operand.is_unit(v));
    outer.filter(|v| vectors(*v) && operands.iter().all(|operand| follows(*v, operand))).map(|v| (v, None))
}
