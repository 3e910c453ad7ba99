//! Whether a variable that a region leaves undefined is read elsewhere before it is written again.

use super::hlfir::{HlfirOp, base};

/// Looks at all uses of `variable`, the result of a declaration, in a function: gives the line of one that may read a
/// value which a loop or a branch before it has left, or through which something else may reach the variable. Values that
/// the lines `region` leave are read by nobody behind them; what is read inside of them is looked at elsewhere.
pub fn escape(function: &HlfirOp, variable: &str, region: (u32, u32)) -> Option<u32> {
    let mut walk = Walk { variable, region, found: None };
    // Behind the loop that has the declaration, others may have its name.
    for region in &holder(function, variable, region.0).unwrap_or(function).regions {
        walk.block(region, false);
    }
    walk.found
}

/// The operation around a line whose blocks declare a variable.
fn holder<'a>(op: &'a HlfirOp, variable: &str, line: u32) -> Option<&'a HlfirOp> {
    let inner = op.regions.iter().flatten().find_map(|inner| holder(inner, variable, line));
    let declares = |op: &HlfirOp| op.name == "hlfir.declare" && op.results.iter().any(|result| result == variable);
    let holds = |block: &Vec<HlfirOp>| block.iter().any(declares) && block.iter().any(|op| stands_at(op, line));
    inner.or_else(|| op.regions.iter().any(holds).then_some(op))
}

fn stands_at(op: &HlfirOp, line: u32) -> bool {
    op.is_own && op.place.0 == line || op.inner().iter().any(|op| op.is_own && op.place.0 == line)
}

struct Walk<'a> {
    variable: &'a str,
    region: (u32, u32),
    found: Option<u32>,
}

/// Whether operations may read a variable before they have surely written it.
pub fn reads_first(ops: &[&HlfirOp], variable: &str) -> bool {
    first_use(ops, variable) == Some(FirstUse::Read)
}

/// What operations surely do to a variable first, or may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FirstUse {
    Read,
    Written,
}

fn first_use(ops: &[&HlfirOp], variable: &str) -> Option<FirstUse> {
    for op in ops {
        let inner: Vec<_> =
            op.regions.iter().map(|region| first_use(&region.iter().collect::<Vec<_>>(), variable)).collect();
        if inner.contains(&Some(FirstUse::Read)) {
            return Some(FirstUse::Read);
        }
        // Both branches write it; a loop may have no iteration.
        if op.name == "fir.if" && inner == [Some(FirstUse::Written); 2] {
            return Some(FirstUse::Written);
        }
        let operands = op.operands();
        let is_it = |operand: Option<&&str>| operand.is_some_and(|operand| base(operand) == variable);
        match op.name.as_str() {
            "fir.load" if is_it(operands.first()) => return Some(FirstUse::Read),
            name if name.starts_with("fir.call") && operands.iter().any(|operand| is_it(Some(operand))) => {
                return Some(FirstUse::Read);
            }
            "hlfir.assign" if is_it(operands.get(1)) => return Some(FirstUse::Written),
            _ => {}
        }
    }
    None
}

/// What a block does to the variable.
#[derive(Default)]
struct Effect {
    writes: bool,
    /// It has a value at the end that the path has written.
    defined: bool,
}

impl Walk<'_> {
    fn writes(&self, ops: &[HlfirOp]) -> bool {
        let written = |op: &HlfirOp| {
            let operands = op.operands();
            ["hlfir.assign", "fir.store"].contains(&op.name.as_str())
                && operands.get(1).is_some_and(|to| base(to) == self.variable)
        };
        ops.iter().any(|op| written(op) || op.regions.iter().any(|region| self.writes(region)))
    }

    /// Operations with jumps. `defined`: the variable has a value that the path to here has written.
    fn block(&mut self, ops: &[HlfirOp], defined: bool) -> Effect {
        let begins = (0..ops.len()).filter(|at| *at > 0 && ops[*at].name == "^");
        let ends: Vec<usize> = begins.chain([ops.len()]).collect();
        let parts: Vec<&[HlfirOp]> =
            ends.iter().scan(0, |begin, end| Some(&ops[std::mem::replace(begin, *end)..*end])).collect();
        // Without labels, one look is enough: branches in each other would be looked at twice as often on each level.
        if let [all] = parts.as_slice() {
            return self.straight(all, defined);
        }
        // At a label it has a value if it has one at each jump to it: the most that is true everywhere.
        let mut at_begin = vec![true; parts.len()];
        at_begin[0] = defined;
        loop {
            let found = self.found;
            let at_end: Vec<bool> =
                parts.iter().zip(&at_begin).map(|(part, defined)| self.straight(part, *defined).defined).collect();
            self.found = found;
            let mut next = vec![defined];
            for part in &parts[1..] {
                let mut from = parts.iter().zip(&at_end).filter(|(from, _)| jumps_to(from, &part[0])).peekable();
                next.push(from.peek().is_some() && from.all(|(_, defined)| *defined));
            }
            if next == at_begin {
                break;
            }
            at_begin = next;
        }
        let all: Vec<Effect> =
            parts.iter().zip(&at_begin).map(|(part, defined)| self.straight(part, *defined)).collect();
        Effect { writes: all.iter().any(|part| part.writes), defined: all.iter().all(|part| part.defined) }
    }

    /// The body of a loop: an iteration begins with what was before the loop, or with what the one before it has left.
    fn body(&mut self, ops: &[HlfirOp], defined: bool) -> Effect {
        let found = self.found;
        let once = self.block(ops, defined);
        if !defined || once.defined {
            return once;
        }
        self.found = found;
        self.block(ops, false)
    }

    /// Operations in their order.
    fn straight(&mut self, ops: &[HlfirOp], defined: bool) -> Effect {
        let (mut defined, mut effect) = (defined, Effect::default());
        for op in ops {
            let (mut after, mut branches) = (true, 0);
            for region in &op.regions {
                let inner = match op.name.as_str() {
                    "fir.if" => self.block(region, defined),
                    "fir.do_loop" => self.body(region, defined),
                    _ => {
                        let again = self.writes(region);
                        self.block(region, defined && !again)
                    }
                };
                effect.writes |= inner.writes;
                // What leaves a loop early has passed over some of its operations.
                let is_followed = ["fir.if", "fir.do_loop"].contains(&op.name.as_str()) && !op.may_end_early();
                after &= if is_followed { inner.defined } else { !inner.writes };
                branches += usize::from(op.name == "fir.if" && inner.defined);
            }
            // Both branches have written it.
            defined = defined && after || branches == 2;
            let operands = op.operands();
            if !operands.iter().any(|o| base(o) == self.variable) {
                continue;
            }
            let inside = op.is_own && (self.region.0..=self.region.1).contains(&op.place.0);
            match (op.name.as_str(), operands.as_slice()) {
                ("fir.load", [_]) if defined || inside => {}
                // What a region calls was seen to read its arguments only; elsewhere, a call has what the path has written.
                (name, _) if (defined || inside) && name.starts_with("fir.call") => {}
                ("hlfir.assign", [value, _]) if base(value) != self.variable => {
                    effect.writes = true;
                    defined = !inside;
                }
                // Loops store their counter at the begin of each iteration, and its last value behind them. What another region
                // leaves is looked at for that region.
                ("fir.store", [value, _]) if base(value) != self.variable => {
                    effect.writes = true;
                    defined = !inside;
                }
                _ => self.found = self.found.or(Some(op.place.0)),
            }
        }
        effect.defined = defined;
        effect
    }
}

/// Whether operations jump to a label.
fn jumps_to(ops: &[HlfirOp], label: &HlfirOp) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let Some(name) = label.text.strip_prefix('^').and_then(|text| text.split(|c| !is_word(c)).next()) else {
        return true;
    };
    let names = |text: &str| text.split('^').skip(1).any(|word| word.split(|c| !is_word(c)).next() == Some(name));
    ops.iter().any(|op| op.name != "^" && names(&op.text))
}

#[cfg(test)]
mod tests {
    use super::super::hlfir::parse;
    use super::*;

    fn escapes(body: &str) -> bool {
        let text = format!(
            "func.func @f() {{\n%1:2 = hlfir.declare %0 {{}} : (a) -> (b, b) loc(\"a\":1:1)\n{body}\n}} loc(\"a\":1:1)\n"
        );
        let all = parse(&text, "a").unwrap();
        escape(&all[0], "%1", (0, 0)).is_some()
    }

    #[test]
    fn what_a_region_writes_is_not_there_behind_it() {
        let write = |line: u32| format!("hlfir.assign %5 to %1#0 : f64, !f loc(\"a\":{line}:1)");
        let read = |line: u32| format!("%9 = fir.load %1#0 : !f loc(\"a\":{line}:1)");
        let found = |body: &[String]| {
            let text = format!(
                "func.func @f() {{\n%1:2 = hlfir.declare %0 {{}} : (a) -> (b, b) loc(\"a\":1:1)\n{}\n}} loc(\"a\":1:1)\n",
                body.join("\n")
            );
            let all = parse(&text, "a").unwrap();
            let inside: Vec<&HlfirOp> = all[0].regions[0].iter().filter(|op| (3..=4).contains(&op.place.0)).collect();
            (escape(&all[0], "%1", (3, 4)), reads_first(&inside, "%1"))
        };
        assert_eq!(found(&[write(3), read(4)]), (None, false));
        assert_eq!(found(&[read(3), write(4)]), (None, true));
        assert_eq!(found(&[write(3), read(5)]), (Some(5), false));
        assert_eq!(found(&[write(3), write(5), read(5)]), (None, false));
        let around = |line: u32, text: &str| format!("fir.do_loop %arg1 = %2 to %3 {{\n{text}\n}} loc(\"a\":{line}:1)");
        assert_eq!(found(&[write(3), around(4, &format!("{}\n{}", read(4), write(4)))]), (None, false));
        assert_eq!(found(&[around(3, &write(3)), read(4)]), (None, true));
        let either = |line: u32, one: &str, other: &str| {
            format!("fir.if %7 {{\n{one}\n}} else {{\n{other}\n}} loc(\"a\":{line}:1)")
        };
        // In a loop around the region, with a read before it or behind it.
        let again = |text: &[String]| around(1, &text.join("\n"));
        assert_eq!(found(&[write(1), again(&[write(2), read(2), write(3)])]).0, None);
        assert_eq!(found(&[write(1), again(&[read(2), write(3)])]).0, Some(2));
        assert_eq!(found(&[write(1), again(&[write(3), read(5)])]).0, Some(5));
        assert_eq!(found(&[write(1), again(&[read(2)]), write(3)]).0, None);
        assert_eq!(found(&[write(1), again(&[read(2), write(2)]), write(3)]).0, None);
        assert_eq!(found(&[write(1), again(&[again(&[read(2), write(2)]), write(3)])]).0, Some(2));
        // A jump out of the loop passes over what is written behind it.
        let leaves = either(4, "dvm.exit", "");
        let jumps = |text: &[String]| found(&[write(1), again(text), read(6)]).0;
        assert_eq!(jumps(&[write(3), write(5)]), None);
        assert_eq!(jumps(&[write(3), leaves.clone(), write(5)]), Some(6));
        assert_eq!(jumps(&[write(3), around(4, &leaves), write(5)]), None);
        assert_eq!(found(&[either(3, &write(3), &write(3)), read(4)]), (None, false));
        assert_eq!(found(&[either(3, &write(3), ""), read(4)]), (None, true));
        assert_eq!(found(&[either(3, &write(3), &read(3)), read(4)]), (None, true));
    }

    #[test]
    fn values_are_read_only_on_the_path_that_wrote_them() {
        let (write, read) = ("hlfir.assign %5 to %1#0 : f64, !f loc(#a)", "%9 = fir.load %1#0 : !f loc(#a)");
        let inside = |text: &str| format!("fir.do_loop %arg1 = %2 to %3 {{\n{text}\n}} loc(#a)");
        assert!(!escapes(&format!("{write}\n{read}")));
        assert!(escapes(&format!("{read}\n{write}")));
        assert!(!escapes(&inside(&format!("{write}\n{read}"))));
        assert!(escapes(&format!("{}\n{read}", inside(write))));
        assert!(!escapes(&format!("{write}\n{}\n{read}", inside(write))));
        assert!(escapes(&inside(&format!("{read}\n{write}"))));
        // Jumps: past the write, around a loop, and from where it was written only.
        assert!(escapes(&format!("{write}\n^bb1:\n{read}")));
        let jump = |to: &str| format!("cf.br ^{to} loc(#a)");
        let either_of = |one: &str, other: &str| format!("cf.cond_br %7, ^{one}, ^{other} loc(#a)");
        assert!(!escapes(&format!("{write}\n{}\n^bb1:\n{read}", jump("bb1"))));
        assert!(escapes(&format!("{}\n^bb1:\n{write}\n{}\n^bb2:\n{read}", either_of("bb1", "bb2"), jump("bb2"))));
        let around = format!("{}\n^bb2:\n{read}\n{}\n^bb3:\n{read}", either_of("bb2", "bb3"), jump("bb1"));
        assert!(!escapes(&format!("{write}\n{}\n^bb1:\n{around}", jump("bb1"))));
        assert!(escapes(&format!("{}\n^bb1:\n{around}", jump("bb1"))));
        assert!(escapes(&format!("{}\n^bb1:\n{read}\n{write}\n{}", jump("bb1"), either_of("bb1", "bb2"))));
        assert!(!escapes(&format!("{write}\n{}\n^bb10:\n{read}", jump("bb10"))));
        assert!(!escapes(&format!("{write}\n{}", inside(&format!("{read}\n{write}")))));
        let branch = |text: &str| format!("fir.if %7 {{\n{text}\n}} loc(#a)");
        assert!(!escapes(&format!("{write}\n{}\n{read}", branch(write))));
        assert!(escapes(&format!("{}\n{read}", branch(write))));
        assert!(!escapes(&format!("{write}\n{}\n{read}", branch(&inside(write)))));
        let either = |one: &str, other: &str| format!("fir.if %7 {{\n{one}\n}} else {{\n{other}\n}} loc(#a)");
        assert!(!escapes(&format!("{}\n{read}", either(write, write))));
        assert!(escapes(&format!("{}\n{read}", either(write, ""))));
        assert!(escapes(&inside(&format!("{read}\n{}", either(write, write)))));
        let call = "fir.call @x(%1#0) : (a) -> () loc(#a)";
        assert!(escapes(call));
        assert!(!escapes(&format!("{write}\n{call}")));
        assert!(!escapes(&inside(&format!("fir.store %arg2 to %1#1 : !f loc(#a)\n{read}"))));
        assert!(escapes(&format!("{write}\n%2:2 = hlfir.declare %1#0 {{}} : (a) -> (b, b) loc(#a)")));
        assert!(!escapes(&format!("fir.store %67#1 to %1#1 : !f loc(#a)\n{read}")));
    }
}
