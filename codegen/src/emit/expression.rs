//! Prints isl's expressions as C, with all arithmetic in 64 bits.

use super::generated_names::CounterType;
use crate::Refusal;
use crate::refusal::Code;
use dvm_isl::{AstExpr, AstExprKind, Operator};
use std::{
    cell::RefCell,
    collections::{BTreeSet, HashMap},
    fmt::Write,
};

/// The C names of isl's names, and which of them the printed expressions use.
#[derive(Default)]
pub struct CScope {
    names: HashMap<String, (String, CounterType)>,
    bounds: HashMap<String, i128>,
    used: RefCell<BTreeSet<String>>,
}

impl CScope {
    /// Gives an isl name its C name and type, and returns the former ones.
    pub fn bind(&mut self, symbol: &str, name: &str, integer: CounterType) -> Option<(String, CounterType)> {
        self.names.insert(symbol.to_owned(), (name.to_owned(), integer))
    }

    /// Undoes `bind`.
    pub fn restore(&mut self, symbol: &str, former: Option<(String, CounterType)>) {
        match former {
            Some(former) => self.names.insert(symbol.to_owned(), former),
            None => self.names.remove(symbol),
        };
    }

    /// Sets the greatest distance from 0 of an isl name's value.
    pub fn limit(&mut self, symbol: &str, bound: i128) {
        self.bounds.insert(symbol.to_owned(), bound);
    }

    /// Binds a generated name, which is the same in C, and sets its bound.
    pub fn own(&mut self, symbol: &str, bound: i128) {
        self.bind(symbol, symbol, CounterType::Wide);
        self.limit(symbol, bound);
    }

    /// Binds the counter of a loop of isl; what it is compared with bounds it.
    pub fn own_counter(&mut self, counter: &str, init: &AstExpr, cond: &AstExpr) -> Result<(), Refusal> {
        let mut bound = self.bound(init)?;
        let AstExprKind::Op(_, sides) = cond.kind()? else {
            let reason = "isl made a loop of an unexpected form";
            return Err(Refusal::new(Code::Defect, reason, "report this region as a defect"));
        };
        for side in &sides {
            if !matches!(side.kind()?, AstExprKind::Id(name) if name == counter) {
                bound = bound.max(self.bound(side)?);
            }
        }
        self.own(counter, bound);
        Ok(())
    }

    /// The greatest distance of an expression's value from 0.
    pub fn bound(&self, expr: &AstExpr) -> Result<i128, Refusal> {
        Ok(self.print(expr)?.bound)
    }

    /// The C name of an isl name.
    pub fn name_of(&self, symbol: &str) -> Option<&str> {
        self.names.get(symbol).map(|(name, _)| name.as_str())
    }

    /// Whether a printed expression contains the isl name.
    pub fn has_used(&self, symbol: &str) -> bool {
        self.used.borrow().contains(symbol)
    }

    /// The expression as C text.
    pub fn text(&self, expr: &AstExpr) -> Result<String, Refusal> {
        Ok(self.print(expr)?.text)
    }

    /// The expression as C text that binds at least as tightly as a unary operator.
    pub fn tight(&self, expr: &AstExpr) -> Result<String, Refusal> {
        Ok(self.print(expr)?.within(UNARY))
    }

    /// A sum of isl names with factors and a constant, in 64 bits, with its greatest distance from 0; nothing if 64 bits
    /// might not hold it.
    pub fn sum<'n>(
        &self,
        terms: impl Iterator<Item = (&'n String, i64)>,
        constant: i64,
    ) -> Result<Option<(String, i128)>, Refusal> {
        let (mut text, mut bound) = (String::new(), i128::from(constant).abs());
        for (name, factor) in terms.filter(|(_, factor)| *factor != 0) {
            let value = self.name(name)?.widened();
            bound = bound.saturating_add(value.bound.saturating_mul(i128::from(factor).abs()));
            let value = value.within(UNARY);
            let sign = match (text.is_empty(), factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let factor = factor.unsigned_abs();
            let value = if factor == 1 { value } else { format!("{factor} * {value}") };
            text.push_str(sign);
            text.push_str(&value);
        }
        match (text.is_empty(), constant) {
            (true, _) => text = constant.to_string(),
            (false, 0) => {}
            (false, 1..) => {
                let _ = write!(text, " + {constant}");
            }
            _ => {
                let _ = write!(text, " - {}", constant.unsigned_abs());
            }
        }
        Ok((bound < 1 << 62).then_some((text, bound)))
    }

    fn print(&self, expr: &AstExpr) -> Result<Printed, Refusal> {
        match expr.kind()? {
            AstExprKind::Int(digits) => number(&digits),
            AstExprKind::Id(symbol) => self.name(&symbol),
            AstExprKind::Op(operator, operands) => {
                let operands = operands.iter().map(|operand| self.print(operand)).collect::<Result<Vec<_>, _>>()?;
                operation(operator, operands)
            }
        }
    }

    fn name(&self, symbol: &str) -> Result<Printed, Refusal> {
        let unknown = || {
            Refusal::new(
                Code::Defect,
                format!("isl's code has an unknown name `{symbol}`"),
                "report this region as a defect",
            )
        };
        self.used.borrow_mut().insert(symbol.to_owned());
        let bound = *self.bounds.get(symbol).ok_or_else(unknown)?;
        let (name, integer) = self.names.get(symbol).ok_or_else(unknown)?;
        let (text, binding, width) = match integer {
            CounterType::Wide => (name.clone(), PRIMARY, Width::Wide),
            CounterType::Int => (name.clone(), PRIMARY, Width::Narrow),
            _ => (format!("(dvm__int64){name}"), UNARY, Width::Wide),
        };
        Ok(Printed { text, binding, width, bound })
    }
}

const PRIMARY: u8 = 10;
const UNARY: u8 = 9;
const PRODUCT: u8 = 8;
const SUM: u8 = 7;
const RELATION: u8 = 6;
const EQUALITY: u8 = 5;
const AND: u8 = 4;
const OR: u8 = 3;
const CHOICE: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Wide,
    Narrow,
    Literal,
}

struct Printed {
    text: String,
    binding: u8,
    width: Width,
    /// Greatest distance of the value from 0.
    bound: i128,
}

impl Printed {
    /// The text, in parentheses if it binds less tightly than `binding`.
    fn within(&self, binding: u8) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text.clone() }
    }

    /// The same value computed in 64 bits.
    fn widened(self) -> Printed {
        match self.width {
            Width::Narrow => {
                let text = format!("(dvm__int64){}", self.within(UNARY));
                Printed { text, binding: UNARY, width: Width::Wide, bound: self.bound }
            }
            _ => self,
        }
    }
}

fn number(digits: &str) -> Result<Printed, Refusal> {
    let bound = digits.parse::<i128>().map_err(|_| too_large())?.abs();
    let small = digits.parse::<i32>().is_ok();
    // A literal without a suffix has the first type that holds it. C has no literal for the least value.
    let least = digits == "-9223372036854775808";
    let text = if least { "(-9223372036854775807 - 1)".to_owned() } else { digits.to_owned() };
    let binding = if digits.starts_with('-') && !least { UNARY } else { PRIMARY };
    if bound > i128::from(i64::MAX) + i128::from(least) {
        return Err(too_large());
    }
    Ok(Printed { text, binding, width: if small { Width::Literal } else { Width::Wide }, bound })
}

/// The refusal of generated arithmetic that 64 bits might not hold.
pub fn too_large() -> Refusal {
    Refusal::new(
        Code::WideNumbers,
        "the generated code would compute numbers that 64 bits do not hold",
        "use smaller constant factors, or narrower types such as int for sizes and counters",
    )
}

/// The greatest distance of an operation's result from 0.
fn bound_of(operator: Operator, operands: &[Printed]) -> Result<i128, Refusal> {
    let all = || operands.iter().map(|operand| operand.bound);
    let largest = all().max().unwrap_or(0);
    let bound = match operator {
        Operator::Add | Operator::Sub => all().sum(),
        Operator::Mul => all().try_fold(1_i128, i128::checked_mul).ok_or_else(too_large)?,
        Operator::Minus | Operator::Max | Operator::Min | Operator::Div | Operator::PositiveDiv => largest,
        // Rounded down, a quotient can be one further from 0.
        Operator::FloorDiv => largest + 1,
        Operator::PositiveRem | Operator::ZeroRem => operands.last().map_or(0, |divisor| divisor.bound),
        Operator::Cond | Operator::Select => all().skip(1).max().unwrap_or(0),
        _ => 1,
    };
    // Some bounds of loops get one more.
    let most = i128::from(i64::MAX) - 1;
    if bound > most && !crate::planted::planted("a7-wrap") { Err(too_large()) } else { Ok(bound.min(most)) }
}

fn operation(operator: Operator, operands: Vec<Printed>) -> Result<Printed, Refusal> {
    let bound = bound_of(operator, &operands)?;
    let infix = |text: &str, binding: u8, width: Width, operands: Vec<Printed>| {
        // At equal binding, a right operand needs parentheses: a - (b - c).
        let parts: Vec<String> =
            operands.iter().enumerate().map(|(at, operand)| operand.within(binding + u8::from(at > 0))).collect();
        Printed { text: parts.join(text), binding, width, bound }
    };
    let truth = |text: &str, binding: u8, operands: Vec<Printed>| infix(text, binding, Width::Literal, operands);
    let fold = |name: &str, operands: Vec<Printed>| {
        let mut rest = operands.into_iter();
        let first = rest.next().map(|first| first.text).unwrap_or_default();
        let text = rest.fold(first, |text, next| format!("{name}({text}, {})", next.text));
        Printed { text, binding: PRIMARY, width: Width::Wide, bound }
    };
    let wide = |operands: Vec<Printed>| operands.into_iter().map(Printed::widened).collect::<Vec<_>>();
    Ok(match operator {
        Operator::Add => infix(" + ", SUM, Width::Wide, wide(operands)),
        Operator::Sub => infix(" - ", SUM, Width::Wide, wide(operands)),
        Operator::Mul => infix(" * ", PRODUCT, Width::Wide, wide(operands)),
        Operator::Div | Operator::PositiveDiv => infix(" / ", PRODUCT, Width::Wide, wide(operands)),
        Operator::PositiveRem | Operator::ZeroRem => infix(" % ", PRODUCT, Width::Wide, wide(operands)),
        Operator::Minus => {
            let text = wide(operands).iter().map(|operand| format!("-{}", operand.within(PRIMARY))).collect();
            Printed { text, binding: UNARY, width: Width::Wide, bound }
        }
        Operator::Max => fold("dvm__max", operands),
        Operator::Min => fold("dvm__min", operands),
        Operator::FloorDiv => fold("dvm__floor_div", operands),
        Operator::Eq => truth(" == ", EQUALITY, operands),
        Operator::Le => truth(" <= ", RELATION, operands),
        Operator::Lt => truth(" < ", RELATION, operands),
        Operator::Ge => truth(" >= ", RELATION, operands),
        Operator::Gt => truth(" > ", RELATION, operands),
        Operator::And | Operator::AndThen => truth(" && ", AND, operands),
        Operator::Or | Operator::OrElse => {
            let parts: Vec<String> = operands.iter().map(|operand| operand.within(EQUALITY)).collect();
            Printed { text: parts.join(" || "), binding: OR, width: Width::Literal, bound }
        }
        Operator::Cond | Operator::Select => {
            let parts: Vec<String> = wide(operands).iter().map(|operand| operand.within(OR)).collect();
            let text = format!("{} ? {} : {}", parts[0], parts[1], parts[2]);
            Printed { text, binding: CHOICE, width: Width::Wide, bound }
        }
        Operator::Call => {
            return Err(Refusal::new(
                Code::Defect,
                "isl made an expression with an unexpected call",
                "report this region as a defect",
            ));
        }
    })
}
