//! Whether a procedure reads elements of a small array that a region leaves without a value.
//!
//! The procedure runs in the abstract: loops with constant bounds are unrolled, and what is known is which elements are
//! certainly written. What is not listed here counts as a read of the whole array.

use super::hlfir::{BIND, HOLD, HlfirOp, VIEW, base};
use super::variables::FortranArray;
use std::collections::{BTreeSet, HashMap};

/// The number of operations that run in the abstract.
const MOST_OPERATIONS: usize = 1 << 16;
/// Iterations of a loop that is unrolled.
const MOST_ITERATIONS: i64 = 1 << 10;

/// Whether every element of an array that `function` reads outside of the lines of a region has been written before on
/// each path, behind the region. `key` is the result of the array's declaration, whose bounds are constants.
pub fn is_written_elsewhere(function: &HlfirOp, key: &str, array: &FortranArray, region: (u32, u32)) -> bool {
    let constants = |all: &[Option<i64>]| all.iter().copied().collect::<Option<Vec<i64>>>();
    let (Some(lower), Some(extents)) = (constants(&array.lower), constants(&array.extents)) else { return false };
    let count = extents.iter().product();
    let whole = Part { first: 0, lower, extents: extents.into_iter().map(Some).collect() };
    let mut run = Run {
        region,
        count,
        parts: HashMap::from([(key.to_owned(), Some(whole))]),
        elements: HashMap::new(),
        numbers: HashMap::new(),
        local: local_variables(function),
        counters: HashMap::new(),
        left: MOST_OPERATIONS,
    };
    function.regions.iter().all(|block| run.block(block, &mut Written::new()).is_some())
}

/// The results of declarations of local variables without attributes.
fn local_variables(function: &HlfirOp) -> BTreeSet<String> {
    let all = || function.regions.iter().flatten();
    let places: BTreeSet<&str> =
        all().filter(|op| op.name == "fir.alloca").flat_map(|op| &op.results).map(String::as_str).collect();
    let is_local = |op: &&HlfirOp| {
        let plain = op.name == "hlfir.declare" && !op.text.contains("fortran_attrs");
        plain && op.operands().first().is_some_and(|from| places.contains(base(from)))
    };
    all().filter(is_local).flat_map(|op| op.results.clone()).collect()
}

/// The elements that are certainly written, by their place in the array.
type Written = BTreeSet<i64>;

/// The array from an element on, with bounds; the last extent may be unknown.
#[derive(Clone)]
struct Part {
    first: i64,
    lower: Vec<i64>,
    extents: Vec<Option<i64>>,
}

impl Part {
    /// The place of an element.
    fn at(&self, subscripts: &[i64]) -> Option<i64> {
        if subscripts.len() != self.lower.len() {
            return None;
        }
        let (mut place, mut step) = (self.first, 1_i64);
        for (at, subscript) in subscripts.iter().enumerate() {
            place = place.checked_add(subscript.checked_sub(self.lower[at])?.checked_mul(step)?)?;
            if at + 1 < subscripts.len() {
                step = step.checked_mul(self.extents[at]?)?;
            }
        }
        Some(place)
    }
}

struct Run {
    region: (u32, u32),
    /// Elements of the array.
    count: i64,
    /// Names of the array and of what is seen of it; `None`: some of it.
    parts: HashMap<String, Option<Part>>,
    /// Names of elements; `None`: some of them.
    elements: HashMap<String, Option<i64>>,
    /// Whole numbers that are known.
    numbers: HashMap<String, i64>,
    /// Local variables without attributes.
    local: BTreeSet<String>,
    /// Values of these, by the results of their declarations.
    counters: HashMap<String, i64>,
    left: usize,
}

impl Run {
    /// Runs operations; `None`: an element may be read that has no value.
    fn block(&mut self, ops: &[HlfirOp], written: &mut Written) -> Option<()> {
        ops.iter().try_for_each(|op| self.operation(op, written))
    }

    fn operation(&mut self, op: &HlfirOp, written: &mut Written) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let operands = op.operands();
        for result in &op.results {
            self.numbers.remove(result);
            self.elements.remove(result);
            if op.name != "hlfir.declare" {
                self.parts.remove(result);
            }
        }
        if self.is_in_region(op) {
            // What the region leaves in the array is nothing that may be read.
            if self.names_it(op) || op.inner().into_iter().any(|inner| self.names_it(inner)) {
                written.clear();
            }
            self.forget_assigned(std::slice::from_ref(op));
            return Some(());
        }
        match op.name.as_str() {
            "hlfir.declare" if !self.names_it(op) => Some(()),
            // Other paths may lead here.
            "^" => {
                written.clear();
                self.counters.clear();
                Some(())
            }
            "fir.do_loop" => self.do_loop(op, &operands, written),
            "fir.if" => self.branch(op, written),
            "hlfir.assign" => self.assign(op, &operands, written),
            // Its address is kept for a procedure inside of this one.
            "fir.store" if self.names_it(op) => None,
            "fir.store" => {
                self.set(base(operands.get(1)?), self.number(operands.first()?));
                Some(())
            }
            "fir.load" => self.load(op, &operands, written),
            "hlfir.designate" if self.names_it(op) => self.designate(op, &operands),
            BIND | HOLD if self.names_it(op) => self.passed(op, &operands),
            VIEW if self.names_it(op) => self.view(op, &operands),
            name if name.starts_with("fir.call") && !self.names_it(op) => {
                self.counters.clear();
                Some(())
            }
            _ if op.regions.is_empty() && !self.names_it(op) => {
                if let (Some(number), Some(result)) = (self.computed(op, &operands), op.results.first()) {
                    self.numbers.insert(result.clone(), number);
                }
                Some(())
            }
            _ => self.other(op, written),
        }
    }

    /// What is not listed: it may read the whole array, and so may what uses its results.
    fn other(&mut self, op: &HlfirOp, written: &mut Written) -> Option<()> {
        if op.inner().into_iter().any(|inner| self.is_in_region(inner)) {
            written.clear();
        }
        self.forget_assigned(std::slice::from_ref(op));
        let has = |run: &Run| run.names_it(op) || op.inner().into_iter().any(|inner| run.names_it(inner));
        if has(self) {
            self.reads_all(written)?;
            for one in std::iter::once(op).chain(op.inner()) {
                self.parts.extend(one.results.iter().map(|result| (result.clone(), None)));
            }
        }
        Some(())
    }

    fn is_in_region(&self, op: &HlfirOp) -> bool {
        op.is_own && (self.region.0..=self.region.1).contains(&op.place.0)
    }

    /// Whether an operation names the array or a part of it.
    fn names_it(&self, op: &HlfirOp) -> bool {
        let is_it = |name: &str| self.parts.contains_key(name) || self.elements.contains_key(name);
        op.operands().iter().any(|operand| is_it(base(operand)))
    }

    fn reads_all(&self, written: &Written) -> Option<()> {
        (written.len() as i64 == self.count).then_some(())
    }

    /// Looks at a value that is read.
    fn reads(&self, operand: &str, written: &Written) -> Option<()> {
        match self.elements.get(base(operand)) {
            Some(Some(element)) => written.contains(element).then_some(()),
            Some(None) => self.reads_all(written),
            None if self.parts.contains_key(base(operand)) => self.reads_all(written),
            None => Some(()),
        }
    }

    fn number(&self, operand: &str) -> Option<i64> {
        self.numbers.get(base(operand)).copied()
    }

    /// The value of a whole number that an operation computes.
    fn computed(&self, op: &HlfirOp, operands: &[&str]) -> Option<i64> {
        if op.name == "arith.constant" {
            return op.text.split(' ').next()?.parse().ok();
        }
        let first = self.number(operands.first()?)?;
        let second = operands.get(1).and_then(|second| self.number(second));
        match op.name.as_str() {
            "fir.convert" | "hlfir.no_reassoc" => Some(first),
            "arith.addi" => first.checked_add(second?),
            "arith.subi" => first.checked_sub(second?),
            "arith.muli" => first.checked_mul(second?),
            _ => None,
        }
    }

    /// Notes the value of a variable that nothing else can reach.
    fn set(&mut self, variable: &str, number: Option<i64>) {
        match number.filter(|_| self.local.contains(variable)) {
            Some(number) => self.counters.insert(variable.to_owned(), number),
            None => self.counters.remove(variable),
        };
    }

    fn load(&mut self, op: &HlfirOp, operands: &[&str], written: &Written) -> Option<()> {
        let from = operands.first()?;
        self.reads(from, written)?;
        if let (Some(number), Some(result)) = (self.counters.get(base(from)).copied(), op.results.first()) {
            self.numbers.insert(result.clone(), number);
        }
        Some(())
    }

    fn assign(&mut self, op: &HlfirOp, operands: &[&str], written: &mut Written) -> Option<()> {
        let (value, to) = (operands.first()?, base(operands.get(1)?));
        self.reads(value, written)?;
        if let Some(element) = self.elements.get(to) {
            written.extend(element);
        } else if let Some(part) = self.parts.get(to) {
            // The whole array, unless it is seen through an argument.
            let is_whole = part.as_ref().is_some_and(|part| {
                part.first == 0
                    && part.extents.iter().try_fold(1, |all: i64, one| all.checked_mul((*one)?)) == Some(self.count)
            });
            if is_whole {
                written.extend(0..self.count);
            }
        } else {
            self.set(to, self.number(value));
        }
        op.regions.is_empty().then_some(())
    }

    fn designate(&mut self, op: &HlfirOp, operands: &[&str]) -> Option<()> {
        let (of, result) = (base(operands.first()?), op.results.first()?);
        let inside = op.text.split(" : ").next()?;
        let subscripts = inside.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(all, _)| all);
        let plain = subscripts.filter(|all| !all.contains(':') && !inside.contains('{'));
        let numbers =
            plain.and_then(|all| all.split(',').map(|one| self.number(one.trim())).collect::<Option<Vec<i64>>>());
        let part = self.parts.get(of).cloned().flatten();
        let element = part.zip(numbers).and_then(|(part, numbers)| part.at(&numbers));
        let element = element.filter(|element| (0..self.count).contains(element));
        self.elements.insert(result.clone(), element);
        Some(())
    }

    /// What an argument of a subroutine is whose text stands for a call.
    fn passed(&mut self, op: &HlfirOp, operands: &[&str]) -> Option<()> {
        let (of, result) = (base(operands.first()?), op.results.first()?);
        if op.name == BIND {
            let element = self.elements.get(of).copied().flatten();
            self.elements.insert(result.clone(), element);
            return Some(());
        }
        let from = |first: i64| Part { first, lower: vec![1], extents: vec![None] };
        let part = match self.elements.get(of) {
            Some(element) => element.map(from),
            None => self.parts.get(of).cloned().flatten(),
        };
        self.parts.insert(result.clone(), part);
        Some(())
    }

    /// How a subroutine declares such an array.
    fn view(&mut self, op: &HlfirOp, operands: &[&str]) -> Option<()> {
        let (held, bounds) = operands.split_first()?;
        let (lower, extents) = bounds.split_at(bounds.len() / 2);
        let lower: Option<Vec<i64>> =
            lower.iter().map(|one| if *one == "%none" { Some(1) } else { self.number(one) }).collect();
        let extents: Vec<Option<i64>> = extents.iter().map(|one| self.number(one)).collect();
        let part = self.parts.get(base(held)).cloned().flatten();
        let part = match (part, lower) {
            (Some(part), Some(lower)) if op.text.contains(" as_shape ") => {
                (part.lower.len() == lower.len()).then_some(Part { lower, ..part })
            }
            (Some(part), Some(lower)) => Some(Part { first: part.first, lower, extents }),
            _ => None,
        };
        self.parts.insert(op.results.first()?.clone(), part);
        Some(())
    }

    fn do_loop(&mut self, op: &HlfirOp, operands: &[&str], written: &mut Written) -> Option<()> {
        let ([index, from, to, step, rest @ ..], [body]) = (operands, op.regions.as_slice()) else { return None };
        let bounds = self.number(from).zip(self.number(to)).zip(self.number(step));
        let has_region = op.inner().into_iter().any(|inner| self.is_in_region(inner));
        let short = |((from, to), step): &((i64, i64), i64)| {
            *step != 0 && to.checked_sub(*from).is_some_and(|span| span / step <= MOST_ITERATIONS)
        };
        let Some(((from, to), step)) = bounds.filter(short).filter(|_| !has_region && !op.may_end_early()) else {
            self.forget_assigned(body);
            // An iteration of the region's own loop begins with what the one before it left.
            let mut inside = if has_region { Written::new() } else { written.clone() };
            for name in [index].into_iter().chain(rest.iter().step_by(2)) {
                self.numbers.remove(*name);
            }
            self.block(body, &mut inside)?;
            self.forget_assigned(body);
            if has_region {
                written.clear();
            }
            return Some(());
        };
        let mut at = from;
        while (step > 0 && at <= to) || (step < 0 && at >= to) {
            self.numbers.insert((*index).to_owned(), at);
            if let Some(counter) = rest.first() {
                self.numbers.insert((*counter).to_owned(), at);
            }
            self.block(body, written)?;
            at = at.checked_add(step)?;
        }
        self.forget_assigned(body);
        Some(())
    }

    fn branch(&mut self, op: &HlfirOp, written: &mut Written) -> Option<()> {
        let mut after: Vec<Written> = Vec::new();
        let before = self.counters.clone();
        for block in &op.regions {
            self.counters.clone_from(&before);
            let mut inside = written.clone();
            self.block(block, &mut inside)?;
            after.push(inside);
        }
        self.counters = before;
        self.forget_assigned(std::slice::from_ref(op));
        if after.len() < 2 {
            after.push(written.clone());
        }
        let all = after.into_iter().reduce(|one, other| one.intersection(&other).copied().collect())?;
        *written = all;
        Some(())
    }

    /// Forgets the values of variables that operations assign, or that a call among them may.
    fn forget_assigned(&mut self, ops: &[HlfirOp]) {
        for op in ops.iter().flat_map(|op| std::iter::once(op).chain(op.inner())) {
            match op.name.as_str() {
                "hlfir.assign" | "fir.store" => _ = op.operands().get(1).map(|to| self.counters.remove(base(to))),
                name if name.starts_with("fir.call") => self.counters.clear(),
                _ => {}
            }
        }
    }
}
