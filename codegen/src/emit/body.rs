//! Prints isl's loops as C loops around the user's statements.

use super::{
    expression::CScope,
    generated_names::{CounterType, declare_const},
    parted_reductions::Parted,
    printer::Printer,
    text_mark::TextMark,
};
use crate::refusal::Code;
use crate::{
    Refusal,
    c_tokens::identifiers,
    lowered::{Loops, guard_name},
    model::{Region, Statement},
};
use dvm_isl::{AstExpr, AstExprKind, AstNode, AstNodeKind, Operator};
use std::collections::BTreeSet;

/// Writes C for isl's syntax trees.
pub struct Body<'a> {
    /// The region whose statements are called.
    pub region: &'a Region,
    /// isl's names in C.
    pub scope: CScope,
    /// By statement and iterator: the original order never goes down.
    pub increasing: &'a [Vec<bool>],
    /// C names that no loop counter takes.
    pub reserved: BTreeSet<String>,
    /// The first part of the names of hoisted bounds.
    pub limit: String,
    /// Number of hoisted bounds.
    pub limits: usize,
    /// The text.
    pub lines: String,
    /// Indices of the statements that occur.
    pub statements: BTreeSet<usize>,
    /// The loops to print.
    pub loops: &'a Loops,
    /// By statement: how many statements its group has, which isl's tree calls by the name of the first.
    pub groups: &'a [usize],
}

/// A call of a statement in isl's tree.
struct Visit {
    statement: usize,
    /// The statement that the tree calls.
    leader: usize,
    arguments: Vec<AstExpr>,
}

/// The C name and type of a loop counter.
struct Counter {
    name: String,
    ctype: String,
    integer: CounterType,
}

impl Printer for Body<'_> {
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
            AstNodeKind::User(call) => self.visits(&call)?.iter().try_for_each(|visit| self.statement(visit, indent)),
            AstNodeKind::For { iterator, init, cond, inc, body, degenerate, note } => {
                check_counter(&iterator)?;
                let counter = self.counter(&iterator, &body)?;
                if degenerate {
                    return self.single(&iterator, &counter, &init, &body, indent);
                }
                let number = note.parse::<usize>().ok();
                let independent = number.and_then(|n| self.loops.independent.get(n)).is_some_and(|known| *known);
                let head = Head { init, cond, inc, independent };
                self.counted(&iterator, &counter, &head, &body, indent)
            }
        }
    }
}

impl Body<'_> {
    /// Writes a loop that runs once, as a block with a constant.
    fn single(
        &mut self,
        iterator: &str,
        counter: &Counter,
        init: &AstExpr,
        body: &AstNode,
        indent: usize,
    ) -> Result<(), Refusal> {
        let bound = self.scope.bound(init)?;
        let init = if counter.integer == CounterType::Wide {
            self.scope.text(init)?
        } else {
            format!("({}){}", counter.ctype, self.scope.tight(init)?)
        };
        self.line(indent, "{");
        let place = self.lines.len();
        let former = self.scope.bind(iterator, &counter.name, counter.integer);
        self.scope.limit(iterator, bound);
        self.node(body, indent + 1)?;
        self.scope.restore(iterator, former);
        if identifiers(&self.lines[place..]).contains(&counter.name) {
            let declaration =
                format!("{}{} = {init};\n", "  ".repeat(indent + 1), declare_const(&counter.ctype, &counter.name));
            self.lines.insert_str(place, &declaration);
        }
        self.line(indent, "}");
        Ok(())
    }

    fn counted(
        &mut self,
        iterator: &str,
        counter: &Counter,
        head: &Head,
        body: &AstNode,
        indent: usize,
    ) -> Result<(), Refusal> {
        let Counter { name, ctype, integer } = counter;
        let step = match head.inc.kind()? {
            AstExprKind::Int(one) if one == "1" => format!("++{name}"),
            _ => format!("{name} += {}", self.scope.text(&head.inc)?),
        };
        let (last, simple, bound) = self.last_value(iterator, &head.cond)?;
        let bound = bound.max(self.scope.bound(&head.init)?);
        let init = self.scope.text(&head.init)?;
        let literal = matches!(head.init.kind()?, AstExprKind::Int(_));
        // A loop may be empty with bounds that a narrow counter cannot hold. The counter starts at most one past the
        // end: the loop stays empty.
        let clamps = matches!(integer, CounterType::Int | CounterType::Unsigned) && !literal;
        let hoists = clamps || !simple;
        let limit = if hoists {
            let name = format!("{}{}", self.limit, self.limits);
            self.limits += 1;
            self.line(indent, &format!("const dvm__int64 {name} = {last};"));
            name
        } else {
            last
        };
        let first = match (clamps, integer) {
            (true, _) => format!("({ctype})dvm__min({init}, {limit} + 1)"),
            (false, CounterType::WideUnsigned) => format!("({ctype})({init})"),
            _ => init,
        };
        let counted = if matches!(integer, CounterType::Wide | CounterType::Int) {
            name.clone()
        } else {
            format!("(dvm__int64){name}")
        };
        if self.region.c90 {
            self.line(indent, &format!("{{ {ctype} {name};"));
        }
        if head.independent {
            self.line(indent, "DVM__INDEPENDENT");
        }
        let declared = if self.region.c90 { name.clone() } else { format!("{ctype} {name}") };
        let former = self.scope.bind(iterator, name, *integer);
        self.scope.limit(iterator, bound);
        let parted = Parted::of(self.region);
        let first = if let Some(parted) = &parted {
            let step = self.scope.text(&head.inc)?;
            parted.begin(&first, &step, &limit).lines().for_each(|line| self.line(indent, line));
            self.line(indent + 4, &Parted::counter(ctype, name));
            self.line(indent + 4, &parted.take());
            self.node(body, indent + 4)?;
            self.line(indent + 4, &parted.put());
            parted.end().lines().for_each(|line| self.line(indent, line));
            format!("({ctype})dvm__at")
        } else {
            first
        };
        self.line(indent, &format!("for ({declared} = {first}; {counted} <= {limit}; {step}) {{"));
        self.node(body, indent + 1)?;
        self.scope.restore(iterator, former);
        let closing = if parted.is_some() { "} }" } else { "}" };
        self.line(indent, &format!("{closing}{}", if self.region.c90 { " }" } else { "" }));
        Ok(())
    }

    /// The greatest value of a loop's counter, whether the condition can have that value as it is, and the value's
    /// greatest distance from 0.
    fn last_value(&self, iterator: &str, cond: &AstExpr) -> Result<(String, bool, i128), Refusal> {
        if let AstExprKind::Op(operator @ (Operator::Le | Operator::Lt), sides) = cond.kind()?
            && let AstExprKind::Id(left) = sides[0].kind()?
            && left == iterator
        {
            let simple = is_simple(&sides[1])?;
            let text = self.scope.text(&sides[1])?;
            let bound = self.scope.bound(&sides[1])? + 1;
            let text = if operator == Operator::Le { text } else { format!("{text} - 1") };
            return Ok((text, simple, bound));
        }
        Err(Refusal::new(
            Code::Defect,
            "isl made a loop with a condition of an unexpected form",
            "report this region as a defect",
        ))
    }

    /// Gives a loop counter the user's name if every statement in the loop means the counter by that name.
    fn counter(&self, iterator: &str, body: &AstNode) -> Result<Counter, Refusal> {
        let plain = Counter { name: iterator.to_owned(), ctype: "dvm__int64".to_owned(), integer: CounterType::Wide };
        let mut visits = Vec::new();
        self.collect(body, &mut visits)?;
        let mut chosen: Option<(&str, &str)> = None;
        for visit in &visits {
            for (k, argument) in visit.arguments.iter().enumerate() {
                let own = &self.region.statements[visit.statement].iterators[k];
                if !is_id(argument, iterator)? {
                    continue;
                }
                let integer = CounterType::of(&own.ctype);
                let narrow = matches!(integer, CounterType::Int | CounterType::Unsigned);
                let usable = integer != CounterType::Other && (!narrow || self.increasing[visit.statement][k]);
                if !usable || *chosen.get_or_insert((&own.name, &own.ctype)) != (own.name.as_str(), own.ctype.as_str())
                {
                    return Ok(plain);
                }
            }
        }
        let Some((name, ctype)) = chosen else { return Ok(plain) };
        if self.reserved.contains(name) {
            return Ok(plain);
        }
        for visit in &visits {
            let statement = &self.region.statements[visit.statement];
            let locals = identifiers(&statement.locals);
            for (own, argument) in statement.iterators.iter().zip(&visit.arguments) {
                if locals.contains(name) || (own.name == name && !is_id(argument, iterator)?) {
                    return Ok(plain);
                }
            }
        }
        Ok(Counter { name: name.to_owned(), ctype: ctype.to_owned(), integer: CounterType::of(ctype) })
    }

    fn collect(&self, node: &AstNode, visits: &mut Vec<Visit>) -> Result<(), Refusal> {
        match node.kind()? {
            AstNodeKind::Block(children) => children.iter().try_for_each(|child| self.collect(child, visits)),
            AstNodeKind::If { then, otherwise, .. } => {
                self.collect(&then, visits)?;
                otherwise.map_or(Ok(()), |otherwise| self.collect(&otherwise, visits))
            }
            AstNodeKind::For { body, .. } => self.collect(&body, visits),
            AstNodeKind::User(call) => {
                visits.extend(self.visits(&call)?);
                Ok(())
            }
        }
    }

    /// The statements of the group that the tree calls.
    fn visits(&self, call: &AstExpr) -> Result<Vec<Visit>, Refusal> {
        if let AstExprKind::Op(Operator::Call, operands) = call.kind()?
            && let AstExprKind::Id(name) = operands[0].kind()?
            && let Some(statement) = self.region.statements.iter().position(|statement| statement.name == name)
        {
            let members = statement..statement + self.groups[statement].max(1);
            let visit = |member| Visit { statement: member, leader: statement, arguments: operands[1..].to_vec() };
            return Ok(members.map(visit).collect());
        }
        Err(Refusal::new(
            Code::Defect,
            "isl's code calls a statement that the model does not have",
            "report this region as a defect",
        ))
    }

    fn statement(&mut self, visit: &Visit, indent: usize) -> Result<(), Refusal> {
        self.statements.insert(visit.statement);
        let statement: &Statement = &self.region.statements[visit.statement];
        let mentions = super::generated_names::Mentions::of(self.region, [statement]);
        let guard = self.guard(visit)?;
        let guarded = guard.as_deref().map(identifiers).unwrap_or_default();
        let mut declarations = Vec::new();
        for (iterator, argument) in statement.iterators.iter().zip(&visit.arguments) {
            let surely = mentions.surely(&iterator.name) || guarded.contains(&iterator.name);
            if self.is_counter(argument, &iterator.name)? || !(surely || mentions.perhaps(&iterator.name)) {
                continue;
            }
            let value = match CounterType::of(&iterator.ctype) {
                CounterType::Wide => self.scope.text(argument)?,
                _ => format!("({}){}", iterator.ctype, self.scope.tight(argument)?),
            };
            declarations.push(format!("{} = {value};", declare_const(&iterator.ctype, &iterator.name)));
            if !surely {
                declarations.push(format!("(void){};", iterator.name));
            }
        }
        if declarations.is_empty() && statement.locals.is_empty() && guard.is_none() {
            self.user_text(statement, indent);
            return Ok(());
        }
        self.line(indent, "{");
        // A variable of the region may hide a counter. Such a variable needs a block of its own.
        let locals = identifiers(&statement.locals);
        let hides =
            statement.iterators.iter().any(|iterator| locals.contains(&iterator.name)) && !declarations.is_empty();
        for declaration in declarations {
            self.line(indent + 1, &declaration);
        }
        let nested = guard.is_some() || hides;
        let inner = indent + 1 + usize::from(nested);
        match &guard {
            Some(guard) => self.line(indent + 1, &format!("if ({guard}) {{")),
            None if hides => self.line(indent + 1, "{"),
            None => {}
        }
        if !statement.locals.is_empty() {
            self.line(inner, statement.locals.trim());
        }
        self.user_text(statement, inner);
        if nested {
            self.line(indent + 1, "}");
        }
        self.line(indent, "}");
        Ok(())
    }

    /// The condition under which an instance exists, in the user's iterators.
    fn guard(&mut self, visit: &Visit) -> Result<Option<String>, Refusal> {
        let statement: &Statement = &self.region.statements[visit.statement];
        let loops = self.loops;
        let leader = &self.region.statements[visit.leader].name;
        let Some(guard) = loops.guards.get(leader) else { return Ok(None) };
        for (k, (iterator, argument)) in statement.iterators.iter().zip(&visit.arguments).enumerate() {
            let bound = self.scope.bound(argument)?;
            self.scope.bind(&guard_name(k), &iterator.name, CounterType::of(&iterator.ctype));
            self.scope.limit(&guard_name(k), bound);
        }
        let text = self.scope.text(guard)?;
        Ok((text != "1").then_some(text))
    }

    /// Whether the argument is a loop's counter that already has the user's name.
    fn is_counter(&self, argument: &AstExpr, name: &str) -> Result<bool, Refusal> {
        Ok(matches!(argument.kind()?, AstExprKind::Id(symbol) if self.scope.name_of(&symbol) == Some(name)))
    }

    /// Writes the user's text with its place in the source. Its later lines keep their indentation.
    fn user_text(&mut self, statement: &Statement, indent: usize) {
        self.line(0, &TextMark::At(statement.line, statement.column).to_string());
        self.line(indent, statement.text.trim());
        self.line(0, &TextMark::End.to_string());
    }
}

/// Refuses a counter that isl named itself: the loops are deeper than the series of names.
pub fn check_counter(iterator: &str) -> Result<(), Refusal> {
    if iterator.starts_with("dvm__") {
        return Ok(());
    }
    Err(Refusal::new(
        Code::TooLarge,
        "the generated loops would be nested too deeply",
        "mark an inner loop of the nest instead",
    ))
}

/// A loop's control.
struct Head {
    init: AstExpr,
    cond: AstExpr,
    inc: AstExpr,
    independent: bool,
}

fn is_id(expr: &AstExpr, name: &str) -> Result<bool, Refusal> {
    Ok(matches!(expr.kind()?, AstExprKind::Id(id) if id == name))
}

/// Whether an expression is a sum of names and numbers.
fn is_simple(expr: &AstExpr) -> Result<bool, Refusal> {
    match expr.kind()? {
        AstExprKind::Id(_) | AstExprKind::Int(_) => Ok(true),
        AstExprKind::Op(Operator::Add | Operator::Sub, sides) => {
            sides.iter().try_fold(true, |all, side| Ok(all && is_simple(side)?))
        }
        AstExprKind::Op(..) => Ok(false),
    }
}
