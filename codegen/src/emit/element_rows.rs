//! Prints loops over elements of an array as a call for each row of elements that follow each other.

use super::{
    body,
    expression::{CScope, too_large},
    overlap_check::row_length,
    printer::Printer,
};
use crate::{
    Refusal,
    lowered::{ConvexScan, ElementLoops, FlowLoops, Quotient, ScanLoop, Sum},
    model::Array,
    refusal::Code,
};
use dvm_isl::{AstExpr, AstExprKind, AstNode, AstNodeKind, Operator};

/// Writes the loops over the elements of a flow: a call for each row.
pub struct RowWriter<'a> {
    array: &'a Array,
    /// The array's number.
    at: usize,
    rank: usize,
    /// The names that the loops may use.
    pub scope: CScope,
    /// The loops.
    pub lines: String,
}

impl Printer for RowWriter<'_> {
    fn scope(&self) -> &CScope {
        &self.scope
    }

    fn lines(&mut self) -> &mut String {
        &mut self.lines
    }

    fn node(&mut self, node: &AstNode, indent: usize) -> Result<(), Refusal> {
        match node.kind()? {
            AstNodeKind::Block(children) => self.block(&children, indent),
            AstNodeKind::If { cond, then, otherwise } => self.branch(&cond, &then, otherwise.as_ref(), indent),
            AstNodeKind::For { iterator, init, cond, inc, body, .. } => {
                body::check_counter(&iterator)?;
                self.scope.own_counter(&iterator, &init, &cond)?;
                if self.row(&iterator, (&init, &cond, &inc), &body, indent)? {
                    return Ok(());
                }
                let (init, cond) = (self.scope.text(&init)?, self.scope.text(&cond)?);
                let inc = self.scope.text(&inc)?;
                self.line(indent, &format!("{{ dvm__int64 {iterator};"));
                self.line(indent, &format!("for ({iterator} = {init}; {cond}; {iterator} += {inc}) {{"));
                self.node(&body, indent + 1)?;
                self.line(indent, "} }");
                Ok(())
            }
            AstNodeKind::User(call) => {
                let element = self.element(&subscripts(&call, self.rank)?)?;
                self.line(indent, &format!("dvm__visit(dvm__visitor, {}, {element}, 1);", self.at));
                Ok(())
            }
        }
    }
}

impl<'a> RowWriter<'a> {
    /// For the elements of an array.
    pub fn new(array: &'a Array, loops: &FlowLoops, scope: CScope) -> RowWriter<'a> {
        RowWriter { array, at: loops.array, rank: loops.rank, scope, lines: String::new() }
    }

    /// Writes the loops of a function.
    pub fn elements(&mut self, elements: &ElementLoops) -> Result<(), Refusal> {
        match elements {
            ElementLoops::Tree(tree) => self.node(tree, 1),
            ElementLoops::Convex(scan) => self.convex(scan),
        }
    }

    /// Writes loops over a convex set; the innermost one is a row where elements that follow each other are asked for.
    fn convex(&mut self, scan: &ConvexScan) -> Result<(), Refusal> {
        for guard in &scan.guards {
            let (guard, _) = self.sum(guard)?;
            self.line(1, &format!("if ({guard} < 0)"));
            self.line(2, "return;");
        }
        for (depth, ScanLoop { counter, least, greatest }) in scan.loops.iter().enumerate() {
            let (first, one) = self.extreme("dvm__max", least, true)?;
            let (last, other) = self.extreme("dvm__min", greatest, false)?;
            self.scope.own(counter, one.max(other));
            let indent = depth + 1;
            if depth + 1 == scan.loops.len() && scan.exists.is_none() && follow(&scan.results, counter) {
                self.line(indent, &format!("{{ const dvm__int64 {counter} = {first}, {counter}_last = {last};"));
                self.line(indent, &format!("if ({counter} <= {counter}_last)"));
                let element = self.place(&scan.results)?;
                let count = format!("{counter}_last - {counter} + 1");
                self.line(indent + 1, &format!("dvm__visit(dvm__visitor, {}, {element}, {count}); }}", self.at));
                self.close(depth);
                return Ok(());
            }
            self.line(indent, &format!("{{ dvm__int64 {counter}; const dvm__int64 {counter}_last = {last};"));
            self.line(indent, &format!("for ({counter} = {first}; {counter} <= {counter}_last; {counter} += 1) {{"));
        }
        let mut indent = scan.loops.len() + 1;
        if let Some(ScanLoop { least, greatest, .. }) = &scan.exists {
            let (first, _) = self.extreme("dvm__max", least, true)?;
            let (last, _) = self.extreme("dvm__min", greatest, false)?;
            self.line(indent, &format!("if ({first} <= {last})"));
            indent += 1;
        }
        let element = self.place(&scan.results)?;
        self.line(indent, &format!("dvm__visit(dvm__visitor, {}, {element}, 1);", self.at));
        self.close(scan.loops.len());
        Ok(())
    }

    /// Ends so many loops.
    fn close(&mut self, loops: usize) {
        (0..loops).rev().for_each(|depth| self.line(depth + 1, "} }"));
    }

    fn sum(&self, sum: &Sum) -> Result<(String, i128), Refusal> {
        let terms = sum.terms.iter().map(|(name, factor)| (name, *factor));
        self.scope.sum(terms, sum.constant)?.ok_or_else(too_large)
    }

    /// The greatest or the least of quotients, rounded up or down, and a bound on its distance from 0 on the side of the
    /// loop: a counter is at least each of the ones and at most each of the others, so one of each kind bounds it.
    fn extreme(&self, function: &str, quotients: &[Quotient], up: bool) -> Result<(String, i128), Refusal> {
        let (mut text, mut least) = (String::new(), i128::MAX);
        for Quotient { sum, divisor } in quotients {
            let (own, bound) = match (divisor, up) {
                (1, _) => self.sum(sum)?,
                (_, false) => {
                    let (own, bound) = self.sum(sum)?;
                    (format!("dvm__floor_div({own}, {divisor})"), bound + 1)
                }
                (_, true) => {
                    let terms = sum.terms.iter().map(|(name, factor)| (name.clone(), -factor)).collect();
                    let (own, bound) = self.sum(&Sum { terms, constant: -sum.constant })?;
                    (format!("-dvm__floor_div({own}, {divisor})"), bound + 1)
                }
            };
            least = least.min(bound);
            text = if text.is_empty() { own } else { format!("{function}({text}, {own})") };
        }
        Ok((text, least))
    }

    /// An element's place in the array, in elements.
    fn place(&self, subscripts: &[Sum]) -> Result<String, Refusal> {
        let mut text = "0".to_owned();
        for (at, subscript) in subscripts.iter().enumerate() {
            let (own, _) = self.sum(subscript)?;
            text = if at == 0 {
                format!("({own})")
            } else {
                format!("({text} * {} + ({own}))", row_length(self.array, at))
            };
        }
        Ok(text)
    }

    /// Writes an innermost loop over consecutive elements as one call; false if it is none.
    fn row(
        &mut self,
        iterator: &str,
        (init, cond, inc): (&AstExpr, &AstExpr, &AstExpr),
        body: &AstNode,
        indent: usize,
    ) -> Result<bool, Refusal> {
        let AstNodeKind::User(call) = body.kind()? else { return Ok(false) };
        let AstExprKind::Op(operator, sides) = cond.kind()? else { return Ok(false) };
        let subscripts = subscripts(&call, self.rank)?;
        let Some((last, outer)) = subscripts.split_last() else { return Ok(false) };
        for subscript in outer {
            if mentions(subscript, iterator)? {
                return Ok(false);
            }
        }
        let steps = matches!(inc.kind()?, AstExprKind::Int(step) if step == "1") && follows(last, iterator)?;
        if !steps || sides.len() != 2 || !is_name(&sides[0], iterator)? {
            return Ok(false);
        }
        let more = match operator {
            Operator::Le => " + 1",
            Operator::Lt => "",
            _ => return Ok(false),
        };
        let (first, end) = (self.scope.text(init)?, self.scope.tight(&sides[1])?);
        let element = self.element(&subscripts)?;
        self.line(indent, &format!("{{ const dvm__int64 {iterator} = {first};"));
        self.line(indent, &format!("dvm__visit(dvm__visitor, {}, {element}, {end}{more} - {iterator}); }}", self.at));
        Ok(true)
    }

    /// The element's place in the array, in elements.
    fn element(&self, subscripts: &[AstExpr]) -> Result<String, Refusal> {
        let mut text = "0".to_owned();
        for (at, subscript) in subscripts.iter().enumerate() {
            let own = self.scope.tight(subscript)?;
            text = if at == 0 { own } else { format!("({text}) * {} + {own}", row_length(self.array, at)) };
        }
        Ok(text)
    }
}

/// Whether elements follow each other as the counter goes up by one.
fn follow(subscripts: &[Sum], counter: &str) -> bool {
    let factor = |sum: &Sum| sum.terms.iter().find(|(name, _)| name == counter).map_or(0, |(_, factor)| *factor);
    subscripts.split_last().is_some_and(|(last, outer)| factor(last) == 1 && outer.iter().all(|sum| factor(sum) == 0))
}

fn unexpected() -> Refusal {
    Refusal::new(Code::Defect, "isl made loops over elements of an unexpected form", "report this region as a defect")
}

/// The subscripts of the element: the last operands of the call.
fn subscripts(call: &AstExpr, rank: usize) -> Result<Vec<AstExpr>, Refusal> {
    let AstExprKind::Op(Operator::Call, mut operands) = call.kind()? else { return Err(unexpected()) };
    let at = operands.len().checked_sub(rank).filter(|at| *at > 0).ok_or_else(unexpected)?;
    Ok(operands.split_off(at))
}

fn is_name(expr: &AstExpr, name: &str) -> Result<bool, Refusal> {
    Ok(matches!(expr.kind()?, AstExprKind::Id(own) if own == name))
}

fn mentions(expr: &AstExpr, name: &str) -> Result<bool, Refusal> {
    match expr.kind()? {
        AstExprKind::Id(own) => Ok(own == name),
        AstExprKind::Int(_) => Ok(false),
        AstExprKind::Op(_, operands) => {
            for operand in &operands {
                if mentions(operand, name)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
    }
}

/// Whether the subscript is the counter, or the counter and something that does not depend on it.
fn follows(subscript: &AstExpr, name: &str) -> Result<bool, Refusal> {
    match subscript.kind()? {
        AstExprKind::Id(own) => Ok(own == name),
        AstExprKind::Op(Operator::Add, operands) if operands.len() == 2 => {
            let (one, other) = (&operands[0], &operands[1]);
            Ok(follows(one, name)? && !mentions(other, name)? || follows(other, name)? && !mentions(one, name)?)
        }
        AstExprKind::Op(Operator::Sub, operands) if operands.len() == 2 => {
            Ok(follows(&operands[0], name)? && !mentions(&operands[1], name)?)
        }
        _ => Ok(false),
    }
}
