//! Makes loops and branches again of what flang prints as blocks and jumps. Where a `select case`, or a `cycle` in a block of its
//! loop, stands in a procedure, flang shows that statement and the loops around it as jumps. A block that is not of the forms
//! which are listed here keeps its jumps, and is refused where a region has it.

use super::hlfir::{HlfirOp, KEEP, base};
use blocks::{Case, JumpBlock, Way, labels};
use counted::Counted;
use std::collections::{HashMap, HashSet};

mod blocks;
mod counted;
mod leaves;

/// Branches in each other: what is deeper keeps its jumps.
const DEEPEST: usize = 100;
/// Blocks of a procedure: one with more keeps its jumps.
const MOST_BLOCKS: usize = 2000;
/// How often as long a loop may become by statements that stand in several branches.
const LONGEST: usize = 4;
/// Counters of the loops that are made begin with this number: flang's are smaller.
const FIRST_COUNTER: usize = 1_000_000;

/// Gives procedures their loops and branches back, where these are proven.
pub fn structure(procedures: &mut [HlfirOp]) {
    for procedure in procedures.iter_mut().filter(|op| op.name == "func.func") {
        let [body] = procedure.regions.as_mut_slice() else { continue };
        // A label with arguments gives values names.
        let passes = |op: &HlfirOp| op.name == "^" && op.text.split(':').next().is_some_and(|head| head.contains('('));
        if !body.iter().any(|op| op.name == "^") || body.iter().any(passes) {
            continue;
        }
        if let Some(mut graph) = Graph::of(body) {
            graph.make_loops();
            graph.make_selects();
            *body = graph.ops();
        }
    }
}

struct Graph {
    blocks: Vec<JumpBlock>,
    /// Loops and conditions that were made.
    made: usize,
}

impl Graph {
    fn of(ops: &[HlfirOp]) -> Option<Graph> {
        let mut blocks = vec![JumpBlock { label: "^bb0".to_owned(), ..JumpBlock::default() }];
        for op in ops {
            if op.name == "^" {
                let label = op.text.split(':').next()?.trim().to_owned();
                blocks.push(JumpBlock { label, ..JumpBlock::default() });
            } else {
                blocks.last_mut()?.ops.push(op.clone());
            }
        }
        for block in &mut blocks {
            block.end = block.ops.pop()?;
        }
        (blocks.len() <= MOST_BLOCKS).then_some(Graph { blocks, made: 0 })
    }

    fn ops(self) -> Vec<HlfirOp> {
        let mut all = Vec::new();
        for (at, block) in self.blocks.into_iter().enumerate().filter(|(_, block)| !block.gone) {
            if at > 0 {
                all.push(HlfirOp { name: "^".to_owned(), text: format!("{}:", block.label), ..HlfirOp::default() });
            }
            all.extend(block.ops);
            all.push(block.end);
        }
        all
    }

    fn find(&self, label: &str) -> Option<usize> {
        self.blocks.iter().position(|block| !block.gone && block.label == label)
    }

    /// The blocks that jump to one.
    fn before(&self, at: usize) -> Vec<usize> {
        let label = &self.blocks[at].label;
        let jumps = |block: &JumpBlock| !block.gone && labels(&block.end.text).any(|one| one == label);
        (0..self.blocks.len()).filter(|from| jumps(&self.blocks[*from])).collect()
    }

    /// Makes loops, the inner ones first: their labels stand behind those of the loops around.
    fn make_loops(&mut self) {
        for head in (1..self.blocks.len()).rev() {
            if !self.blocks[head].gone && self.blocks[head].ops.len() == 3 {
                // What is no counted loop of this form stays as it is.
                let _ = self.make_loop(head);
            }
        }
    }

    fn make_loop(&mut self, head: usize) -> Option<()> {
        let [entry, latch] = self.before(head)[..] else { return None };
        if entry >= head || latch <= head {
            return None;
        }
        let counted = Counted::of(&self.blocks[entry], &self.blocks[head], &self.blocks[latch])?;
        // Nothing else counts the iterations.
        let uses = self.blocks.iter().filter(|block| !block.gone).flat_map(|block| &block.ops);
        let uses = uses.flat_map(|op| std::iter::once(op).chain(op.inner()));
        let names = |place: &str| uses.clone().filter(|op| op.operands().iter().any(|one| base(one) == place)).count();
        if names(&counted.left) != 4 || counted.kept_step.as_ref().is_some_and(|step| names(step) != 2) {
            return None;
        }
        let (first, behind) = (self.find(&counted.first)?, self.find(&counted.behind)?);
        if behind <= latch {
            return None;
        }
        let (ways, kept) = self.leave_loop(head, latch, behind)?;
        let Some(mut body) = self.nested(first, latch, Some(head)) else {
            self.keep_jumps(kept);
            return None;
        };
        let latched = &self.blocks[latch].ops;
        body.extend(latched[..latched.len() - Counted::LATCH].iter().cloned());
        self.made += 1;
        let (counter, result) = (format!("%arg{}", FIRST_COUNTER + self.made), format!("%dvm_loop{}", self.made));
        let store = |value: &str| HlfirOp { text: counted.store_of(value), ..counted.store.clone() };
        body.insert(0, store(&counter));
        let (from, to, step) = (&counted.from, &counted.to, &counted.step);
        let made = HlfirOp {
            name: "fir.do_loop".to_owned(),
            results: vec![result.clone()],
            text: format!("{counter} = {from} to {to} step {step}"),
            regions: vec![body],
            ..counted.store.clone()
        };
        let last = store(&format!("{result}#1"));
        self.blocks[head..=latch].iter_mut().for_each(|block| block.gone = true);
        let jump = HlfirOp { text: counted.behind.clone(), ..self.blocks[entry].end.clone() };
        let block = &mut self.blocks[entry];
        block.ops.truncate(block.ops.len() - Counted::ENTRY);
        block.ops.retain(|op| !counted.is_count(op));
        block.ops.extend(ways.iter().map(|way| way.begins(&made)));
        block.ops.extend([made, last]);
        block.end = jump;
        self.lead_on(entry, head, &ways);
        self.join(entry, behind);
        Some(())
    }

    /// Puts a block behind the only one that jumps to it.
    fn join(&mut self, entry: usize, behind: usize) {
        if self.before(behind) != [entry] || behind <= entry || self.blocks[entry].end.name != "cf.br" {
            return;
        }
        let block = std::mem::take(&mut self.blocks[behind]);
        self.blocks[behind].gone = true;
        self.blocks[entry].ops.extend(block.ops);
        self.blocks[entry].end = block.end;
    }

    /// Makes branches of a procedure that has a `select case` and no other jumps than these and branches.
    fn make_selects(&mut self) {
        let is_select = |block: &JumpBlock| !block.gone && block.end.name == "fir.select_case";
        let Some(last) = self.blocks.iter().rposition(|block| !block.gone && block.end.name == "return") else {
            return;
        };
        if !self.blocks.iter().any(is_select) || self.blocks[last + 1..].iter().any(|block| !block.gone) {
            return;
        }
        if let Some(ops) = self.nested(0, last, None) {
            self.blocks[..last].iter_mut().for_each(|block| block.gone = true);
            let end = std::mem::take(&mut self.blocks[last]);
            self.blocks[last].gone = true;
            let ops = ops.into_iter().chain(end.ops).collect();
            self.blocks[0] = JumpBlock { label: "^bb0".to_owned(), ops, end: end.end, gone: false };
        }
    }

    fn length(&self, within: (usize, usize)) -> usize {
        self.blocks[within.0..=within.1].iter().filter(|block| !block.gone).map(|block| count(&block.ops) + 1).sum()
    }

    /// The blocks between two, `last` first: each stands behind those to which it jumps. No block jumps back, or elsewhere than to
    /// those from `begin` on.
    fn order(&self, first: usize, last: usize, begin: usize) -> Option<Vec<usize>> {
        let (mut done, mut is_done, mut path) = (vec![last], HashSet::from([last]), HashSet::new());
        let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut next = Some(first).filter(|first| *first != last);
        loop {
            if let Some(at) = next.take() {
                let to: Option<Vec<usize>> =
                    self.blocks[at].way().labels().into_iter().map(|to| self.find(to)).collect();
                open.push((at, to.filter(|to| !to.is_empty())?));
                path.insert(at);
            }
            let Some((at, to)) = open.last_mut() else { return Some(done) };
            match to.pop() {
                None => {
                    path.remove(at);
                    is_done.insert(*at);
                    done.push(*at);
                    open.pop();
                }
                Some(to) if to < begin || to > last || path.contains(&to) => return None,
                Some(to) => next = Some(to).filter(|to| !is_done.contains(to)),
            }
        }
    }

    /// Where all paths from a block meet again, for the blocks in `order`.
    fn meets(&self, order: &[usize]) -> Option<HashMap<usize, usize>> {
        let places: HashMap<usize, usize> = order.iter().enumerate().map(|(place, at)| (*at, place)).collect();
        let last = *order.first()?;
        let mut meets = HashMap::from([(last, last)]);
        for at in &order[1..] {
            let mut met = None;
            for to in self.blocks[*at].way().labels() {
                let mut other = self.find(to)?;
                let mut one = met.unwrap_or(other);
                while one != other {
                    let early = if places.get(&one)? > places.get(&other)? { &mut one } else { &mut other };
                    *early = *meets.get(early)?;
                }
                met = Some(one);
            }
            meets.insert(*at, met?);
        }
        Some(meets)
    }

    /// The values of a block that comparisons behind its branch take, and nothing else: flang compares a logical value or one of
    /// characters with each case in a block of its own.
    fn compared(&self, at: usize) -> Vec<String> {
        // The comparisons that follow each other, from the branch on.
        let (mut compares, mut from) = (HashSet::new(), vec![at]);
        while let Some(one) = from.pop() {
            let behind = self.blocks[one].way().labels().into_iter().filter_map(|label| self.find(label));
            let behind: Vec<usize> =
                behind.filter(|to| self.blocks[*to].only_compares() && self.before(*to) == [one]).collect();
            from.extend(behind.into_iter().filter(|to| compares.insert(*to)));
        }
        if compares.is_empty() {
            return Vec::new();
        }
        let takes = |at: usize, value: &str| {
            let block = &self.blocks[at];
            let mut all = block.ops.iter().chain([&block.end]).flat_map(|op| std::iter::once(op).chain(op.inner()));
            all.any(|op| op.operands().iter().any(|operand| base(operand) == value))
        };
        let others: Vec<usize> =
            (0..self.blocks.len()).filter(|other| *other != at && !self.blocks[*other].gone).collect();
        let results = self.blocks[at].ops.iter().flat_map(|op| &op.results);
        let is_compared = |value: &&String| {
            let mut uses = others.iter().filter(|other| takes(**other, value)).peekable();
            uses.peek().is_some() && uses.all(|other| compares.contains(other))
        };
        results.filter(is_compared).cloned().collect()
    }

    /// The operations of the blocks from `first` up to `last`, without those of `last`, as branches. They are all blocks behind
    /// `head` up to `last`, without loops; only `head` jumps into them, to the first.
    fn nested(&mut self, first: usize, last: usize, head: Option<usize>) -> Option<Vec<HlfirOp>> {
        let begin = head.map_or(0, |head| head + 1);
        let order = self.order(first, last, begin)?;
        let inside = || (begin..=last).filter(|at| !self.blocks[*at].gone);
        if inside().count() != order.len() {
            return None;
        }
        let is_inside: HashSet<usize> = order.iter().copied().collect();
        let mut known: HashMap<&str, Vec<usize>> = HashMap::new();
        for (from, block) in self.blocks.iter().enumerate().filter(|(_, block)| !block.gone) {
            labels(&block.end.text).for_each(|label| known.entry(label).or_default().push(from));
        }
        let enters = |at: usize| {
            let is_known =
                |from: &usize| is_inside.contains(from) && *from != last || at == first && Some(*from) == head;
            !known.get(self.blocks[at].label.as_str()).is_none_or(|all| all.iter().all(is_known))
        };
        if inside().any(enters) {
            return None;
        }
        let meets = self.meets(&order)?;
        let most = LONGEST * self.length((begin, last)) + 16;
        let mut nest = Nest { graph: self, meets: &meets, times: HashMap::new(), length: 0, most };
        nest.part(first, last, 0)
    }
}

/// Puts branches in each other.
struct Nest<'g> {
    graph: &'g mut Graph,
    meets: &'g HashMap<usize, usize>,
    /// How often the operations of each block stand there.
    times: HashMap<usize, usize>,
    length: usize,
    most: usize,
}

impl Nest<'_> {
    fn part(&mut self, first: usize, stop: usize, depth: usize) -> Option<Vec<HlfirOp>> {
        let (mut at, mut all) = (first, Vec::new());
        while at != stop {
            let block = self.graph.blocks[at].clone();
            let times = self.times.entry(at).or_insert(0);
            *times += 1;
            self.length += count(&block.ops) + 1;
            let is_loop = |op: &HlfirOp| std::iter::once(op).chain(op.inner()).any(|op| op.name == "fir.do_loop");
            // A loop stands once, as in the source.
            if *times > 1 && block.ops.iter().any(is_loop) || self.length > self.most || depth > DEEPEST {
                return None;
            }
            all.extend(block.ops.iter().cloned());
            let meet = *self.meets.get(&at)?;
            match block.way() {
                Way::To(_) => {}
                Way::Either(condition, one, other) => {
                    let compared = self.graph.compared(at);
                    if !compared.is_empty() {
                        all.push(HlfirOp { name: KEEP.to_owned(), text: compared.join(", "), ..block.end.clone() });
                    }
                    let branches = [self.branch(one, meet, depth)?, self.branch(other, meet, depth)?];
                    all.push(branch(&block.end, condition, branches));
                }
                Way::Select(cases) => all.extend(self.select(&block.end, &cases, meet, depth)?),
                Way::Unknown => return None,
            }
            at = meet;
        }
        Some(all)
    }

    fn branch(&mut self, label: &str, stop: usize, depth: usize) -> Option<Vec<HlfirOp>> {
        let first = self.graph.find(label)?;
        self.part(first, stop, depth + 1)
    }

    /// The comparisons of a `select case`, and its branches in each other. Nothing is written between comparison and branch.
    fn select(&mut self, end: &HlfirOp, cases: &[Case], stop: usize, depth: usize) -> Option<Vec<HlfirOp>> {
        let (all, other) = (cases.split_last()?.1, cases.split_last()?.0);
        if !other.tests.is_empty() || all.iter().any(|case| case.tests.is_empty()) {
            return None;
        }
        let selected = end.operands().first().map(|name| (*name).to_owned())?;
        let of = end.text.split(" : ").nth(1)?.split(' ').next()?.to_owned();
        let mut ops = Vec::new();
        let mut conditions: Vec<(&str, String)> = Vec::new();
        // No value is one of two cases: those that lead to one block are one, and those that lead to the block of all other
        // values belong to these.
        for case in all.iter().filter(|case| case.label != other.label) {
            let mut both: Option<String> = None;
            for (compare, with) in &case.tests {
                let text = format!("{compare}, {selected}, {with} : {of}");
                let test = self.made(end, "arith.cmpi", &text, &mut ops);
                both = Some(self.joined(end, "arith.andi", both.as_deref(), test, &mut ops));
            }
            let known = conditions.iter().position(|(label, _)| *label == case.label);
            let before = known.map(|at| conditions.remove(at).1);
            let condition = self.joined(end, "arith.ori", before.as_deref(), both?, &mut ops);
            conditions.insert(known.unwrap_or(conditions.len()), (case.label, condition));
        }
        if depth + conditions.len() > DEEPEST {
            return None;
        }
        let names: Vec<&str> = conditions.iter().map(|(_, name)| name.as_str()).collect();
        ops.push(HlfirOp { name: KEEP.to_owned(), text: names.join(", "), ..end.clone() });
        let mut inner = self.branch(other.label, stop, depth + conditions.len())?;
        for (label, condition) in conditions.iter().rev() {
            let first = self.branch(label, stop, depth)?;
            inner = vec![branch(end, condition, [first, inner])];
        }
        ops.extend(inner);
        Some(ops)
    }

    fn joined(
        &mut self,
        end: &HlfirOp,
        name: &str,
        one: Option<&str>,
        other: String,
        ops: &mut Vec<HlfirOp>,
    ) -> String {
        match one {
            Some(one) => self.made(end, name, &format!("{one}, {other} : i1"), ops),
            None => other,
        }
    }

    /// An operation at the place of `end`; the name of its result.
    fn made(&mut self, end: &HlfirOp, name: &str, text: &str, ops: &mut Vec<HlfirOp>) -> String {
        self.graph.made += 1;
        let result = format!("%dvm_case{}", self.graph.made);
        let results = vec![result.clone()];
        ops.push(HlfirOp { name: name.to_owned(), results, text: text.to_owned(), regions: Vec::new(), ..end.clone() });
        result
    }
}

fn branch(end: &HlfirOp, condition: &str, branches: [Vec<HlfirOp>; 2]) -> HlfirOp {
    let (name, text) = ("fir.if".to_owned(), condition.to_owned());
    HlfirOp { name, text, results: Vec::new(), regions: branches.into(), ..end.clone() }
}

fn count(ops: &[HlfirOp]) -> usize {
    ops.iter().map(|op| 1 + op.inner().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::hlfir::parse;
    use super::*;

    /// Operations as nested words: `s` for a store or an assignment, with the value that it takes.
    fn shown(ops: &[HlfirOp]) -> String {
        let mut all = Vec::new();
        for op in ops {
            let inner: Vec<String> = op.regions.iter().map(|region| shown(region)).collect();
            all.push(match op.name.as_str() {
                "fir.do_loop" => format!("{}{{{}}}", op.text, inner.concat()),
                "fir.if" => format!("if {}{{{}}}", op.text, inner.join("|")),
                "hlfir.assign" | "fir.store" => op.operands()[0].to_owned(),
                "arith.constant" | "fir.load" => continue,
                name => format!("{} {}", name.trim_start_matches("arith."), op.text),
            });
        }
        all.join(" ")
    }

    fn structured(body: &str) -> String {
        let mut all = parse(&format!("func.func @f() {{\n{body}\nreturn\n}} loc(\"a\":1:1)\n"), "a").unwrap();
        structure(&mut all);
        shown(&all[0].regions[0])
    }

    /// A loop as flang prints it, with the body between `^bb2` and `^latch`.
    fn counted(body: &str) -> String {
        format!(
            "%s = arith.constant 2 : i32\n%n = fir.load %m : i32\n%a = arith.subi %n, %f : i32\n%b = arith.addi %a, %s : i32\n\
             %c = arith.divsi %b, %s : i32\nfir.store %c to %left : !i\nfir.store %f to %i#1 : !i\ncf.br ^bb1\n\
             ^bb1:  // 2 preds: ^bb0, ^latch\n%l = fir.load %left : !i\n%z = arith.constant 0 : i32\n%g = arith.cmpi sgt, %l, %z : i32\n\
             cf.cond_br %g, ^bb2, ^end\n^bb2:\n{body}\n^latch:\n%o = fir.load %left : !i\n%p = arith.constant 1 : i32\n\
             %q = arith.subi %o, %p : i32\nfir.store %q to %left : !i\n%r = fir.load %i#1 : !i\n%t = arith.constant 2 : i32\n\
             %u = arith.addi %r, %t : i32\nfir.store %u to %i#1 : !i\ncf.br ^bb1\n^end:"
        )
    }

    const HEAD: &str = "%arg1000001 = %f to %n step %s{%arg1000001";
    const TAIL: &str = "} %dvm_loop1#1 return ";

    #[test]
    fn loops_and_branches_are_made_of_jumps() {
        // Names are numbered: those of a `select case` come before that of the loop.
        let made =
            |body: &str| structured(&counted(body)).replace("1000007", "1000001").replace("dvm_loop7", "dvm_loop1");
        let assign = |value: &str| format!("hlfir.assign {value} to %y : !f");
        let is = |body: String, expected: &str| assert_eq!(made(&body), format!("{HEAD} {expected}{TAIL}"), "{body}");
        is(format!("{}\ncf.br ^latch", assign("%1")), "%1");
        // A `cycle` in a block, and one behind which a statement stands in two branches.
        is(
            format!("cf.cond_br %1, ^a, ^b\n^a:\n{}\ncf.br ^latch\n^b:\n{}\ncf.br ^latch", assign("%2"), assign("%3")),
            "if %1{%2|%3}",
        );
        let inner = format!(
            "cf.cond_br %1, ^a, ^c\n^a:\ncf.cond_br %2, ^latch, ^b\n^b:\n{}\ncf.br ^c\n^c:\n{}\ncf.br ^latch",
            assign("%3"),
            assign("%4")
        );
        is(inner, "if %1{if %2{|%3 %4}|%4}");
        // A `select case`: two cases are one block, and one is that of all other values.
        let select = format!(
            "fir.select_case %1 : i32 [#fir.point, %5, ^a, #fir.interval, %6, %7, ^a, #fir.upper, %8, ^c, #fir.lower, %9, ^b, unit, \
             ^c]\n^a:\n{}\ncf.br ^c\n^b:\n{}\ncf.br ^c\n^c:\n{}\ncf.br ^latch",
            assign("%2"),
            assign("%3"),
            assign("%4")
        );
        is(
            select,
            "cmpi eq, %1, %5 : i32 cmpi sge, %1, %6 : i32 cmpi sle, %1, %7 : i32 andi %dvm_case2, %dvm_case3 : i1 \
             ori %dvm_case1, %dvm_case4 : i1 cmpi sge, %1, %9 : i32 dvm.keep %dvm_case5, %dvm_case6 \
             if %dvm_case5{%2|if %dvm_case6{%3|}} %4",
        );
    }

    /// A jump to the block behind the loop, one to a block beyond that, which a flag tells, and one back.
    #[test]
    fn jumps_out_of_loops_become_operations() {
        let assign = |value: &str| format!("hlfir.assign {value} to %y : !f");
        let left = |to: &str| {
            let body = format!(
                "cf.cond_br %1, ^a, ^b\n^a:\n{}\ncf.br ^{to}\n^b:\n{}\ncf.br ^latch",
                assign("%2"),
                assign("%3")
            );
            structured(&format!("{}\n{}\ncf.br ^far\n^far:\n{}", counted(&body), assign("%4"), assign("%5")))
        };
        let is = left("end");
        assert!(is.contains("if %1{%2 dvm.exit |%3}} %dvm_loop1#1 %4 cf.br ^far"), "{is}");
        let is = left("far");
        assert!(
            is.contains("dvm.flag  ")
                && is.contains("if %1{%2 dvm.exit %dvm_flag1|%3}} %dvm_loop2#1 dvm.raised %dvm_flag1"),
            "{is}"
        );
        assert!(is.contains("cond_br %dvm_raised1, ^dvm_leave1, ^dvm_stay1 ^ ^dvm_leave1: cf.br ^far"), "{is}");
        assert!(left("bb0").contains("cf.cond_br %1, ^a, ^b"), "{}", left("bb0"));
    }

    #[test]
    fn blocks_stand_in_any_order_and_compare_what_one_computes() {
        let assign = |value: &str| format!("hlfir.assign {value} to %y : !f");
        let chain = format!(
            "%v = fir.convert %x : i1\n%c1 = arith.cmpi eq, %v, %true : i1\ncf.cond_br %c1, ^t, ^o\n^d:\n{}\ncf.br ^latch\n^o:\n\
             %c2 = arith.cmpi eq, %v, %false : i1\ncf.cond_br %c2, ^f, ^d\n^t:\n{}\ncf.br ^latch\n^f:\n{}\ncf.br ^latch",
            assign("%1"),
            assign("%2"),
            assign("%3")
        );
        let expected = format!(
            "{HEAD} fir.convert %x : i1 cmpi eq, %v, %true : i1 dvm.keep %v if %c1{{%2|cmpi eq, %v, %false : i1 if %c2{{%3|%1}}}}{TAIL}"
        );
        assert_eq!(structured(&counted(&chain)), expected);
        // Something is written before the value is compared, or it is read elsewhere too.
        for (from, to) in [("^o:\n", "^o:\nhlfir.assign %7 to %w : !f\n"), ("assign %3", "assign %v")] {
            let other = chain.replace(from, to);
            assert_ne!(other, chain);
            assert!(!structured(&counted(&other)).contains("dvm.keep"), "{other}");
        }
    }

    #[test]
    fn other_jumps_stay() {
        let stays = |text: &str| {
            let kept = structured(text);
            assert!(kept.contains("cf.") && !kept.contains("step"), "{kept}");
        };
        // Out of the loop, back, and behind the loop.
        stays(&counted("cf.cond_br %1, ^end, ^latch"));
        stays(&counted("cf.br ^a\n^a:\ncf.cond_br %1, ^a, ^latch"));
        stays(&counted("cf.cond_br %1, ^a, ^latch\n^a:\nfir.unreachable"));
        stays(&counted("fir.select_case %1 : i16 [#fir.point, %5, ^latch, unit, ^latch]"));
        stays(&counted("llvm.switch %1, ^latch, ^latch"));
        // Who jumps into the loop, another step, another count, and a count that something else reads.
        stays(&format!("cf.cond_br %1, ^in, ^bb2\n^in:\n{}", counted("cf.br ^latch")));
        let plain = counted("cf.br ^latch");
        for (from, to) in [
            ("%t = arith.constant 2", "%t = arith.constant 3"),
            ("%p = arith.constant 1", "%p = arith.constant 2"),
            ("%z = arith.constant 0", "%z = arith.constant 1"),
            ("cmpi sgt", "cmpi sge"),
            ("%a = arith.subi %n, %f", "%a = arith.subi %n, %h"),
            ("%b = arith.addi %a, %s", "%b = arith.addi %a, %h"),
            ("arith.divsi", "arith.divui"),
            ("%r = fir.load %i#1", "%r = fir.load %k#1"),
            ("^bb2:\n", "^bb2:\n%v = fir.load %left : !i\n"),
            ("^bb2:\n", "^bb2(%v: i32):\n"),
        ] {
            assert!(plain.contains(from), "{from}");
            stays(&plain.replace(from, to));
        }
        // A loop does not stand in two branches.
        let twice = "cf.cond_br %1, ^a, ^c\n^a:\ncf.cond_br %2, ^latch, ^c\n^c:\nfir.do_loop %arg1 = %5 to %6 step %7 {\n} loc(#a)\n\
                     cf.br ^latch";
        assert!(structured(&counted(twice)).contains("cf.cond_br"));
    }

    #[test]
    fn a_variable_step_is_the_one_that_was_kept() {
        let text = counted("cf.br ^latch")
            .replace("%s = arith.constant 2 : i32", "%s = fir.load %w : !i\nfir.store %s to %kept : !i");
        let kept = text.replace("%t = arith.constant 2 : i32", "%t = fir.load %kept : !i");
        assert_eq!(structured(&kept), format!("{HEAD}{TAIL}"));
        for other in [
            kept.replace("%t = fir.load %kept", "%t = fir.load %w"),
            kept.replace("^bb2:\n", "^bb2:\nfir.store %5 to %kept : !i\n"),
        ] {
            assert!(structured(&other).contains("cf.cond_br"), "{other}");
        }
    }
}
