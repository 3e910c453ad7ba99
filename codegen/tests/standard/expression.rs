//! Expressions (6.5) whose values are known to stay in range.

use super::program::{Access, Ex, Odd, Program, Role, View, value};
use super::types::Ty;

/// What an expression may be made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Of {
    /// Counters, sizes and constants.
    Counters,
    /// Integers.
    Integers,
    /// Anything arithmetic.
    Anything,
}

fn binding(operator: &str) -> u8 {
    match operator {
        "*" | "/" | "%" => 12,
        "+" | "-" => 11,
        "<<" | ">>" => 10,
        "<" | ">" | "<=" | ">=" => 9,
        "==" | "!=" => 8,
        "&" => 7,
        "^" => 6,
        "|" => 5,
        "&&" => 4,
        _ => 3,
    }
}

/// The value after a conversion (6.3.1.2 to 6.3.1.5); nothing where it would not be defined.
pub fn converted(e: &Ex, ty: Ty) -> Option<(i128, i128, f64)> {
    if ty.floating() {
        return Some((0, 0, e.most));
    }
    if ty == Ty::Bool {
        return Some((0, 1, 1.0));
    }
    if e.ty.floating() {
        let most = e.most.ceil();
        if e.ty == Ty::Complex || !ty.signed() || most.is_nan() || most > ty.range().1 as f64 / 2.0 {
            return None;
        }
        return Some((-(most as i128), most as i128, most));
    }
    let (low, high) = if ty.holds(e.low, e.high) { (e.low, e.high) } else { ty.range() };
    Some((low, high, low.abs().max(high.abs()) as f64))
}

fn mask(low: i128, high: i128) -> i128 {
    let mut bits = 1;
    while bits <= high.max(-low) {
        bits *= 2;
    }
    bits
}

/// The bounds of an integer operator's result before it is converted to the result's type.
fn bounds(operator: &str, a: (i128, i128), b: (i128, i128), ty: Ty) -> Option<(i128, i128)> {
    let corners = |f: fn(i128, i128) -> i128| {
        let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
    };
    Some(match operator {
        "+" => (a.0 + b.0, a.1 + b.1),
        "-" => (a.0 - b.1, a.1 - b.0),
        "*" => corners(i128::saturating_mul),
        "/" | "%" => {
            if b.0 <= 0 && b.1 >= 0 || a.0 <= ty.range().0 && ty.signed() {
                return None;
            }
            let most = a.1.max(-a.0);
            if operator == "/" {
                let least = b.0.abs().min(b.1.abs());
                let signed = a.0 < 0 || b.0 < 0;
                (if signed { -(most / least) } else { 0 }, most / least)
            } else {
                let most = most.min(b.0.abs().max(b.1.abs()) - 1);
                (if a.0 < 0 { -most } else { 0 }, most)
            }
        }
        "<<" => {
            if a.0 < 0 || b.0 < 0 || b.1 >= i128::from(ty.bits()) {
                return None;
            }
            (a.0 << b.0, a.1 << b.1)
        }
        ">>" => {
            if b.0 < 0 || b.1 >= i128::from(ty.bits()) {
                return None;
            }
            (a.0.min(0), a.1.max(0))
        }
        "&" if a.0 >= 0 && b.0 >= 0 => (0, a.1.min(b.1)),
        "&" if a.0 >= 0 => (0, a.1),
        "&" if b.0 >= 0 => (0, b.1),
        "&" | "|" | "^" => {
            let most = mask(a.0.min(b.0), a.1.max(b.1));
            (if a.0 < 0 || b.0 < 0 { -most } else { 0 }, most - 1)
        }
        _ => return None,
    })
}

impl Program {
    /// Two operands and an operator; nothing where the result might not be defined.
    pub fn binary(&mut self, operator: &str, a: &Ex, b: &Ex) -> Option<Ex> {
        let binds = binding(operator);
        let superfluous = !self.has(Odd::Puzzles) && self.choices.chance(10);
        let (left, right) = if superfluous || (!self.has(Odd::Puzzles) && binds < 11) {
            (a.operand(13), b.operand(13))
        } else {
            (a.operand(binds), b.operand(binds + 1))
        };
        let text = format!("{left} {operator} {right}");
        if matches!(operator, "<" | ">" | "<=" | ">=" | "==" | "!=" | "&&" | "||") {
            if a.ty == Ty::Complex || b.ty == Ty::Complex {
                return None;
            }
            return Some(Ex::integer(text, binds, Ty::Int, 0, 1));
        }
        let shift = operator == "<<" || operator == ">>";
        let ty = if shift { a.ty.promoted() } else { a.ty.common(b.ty) };
        if a.ty.floating() || b.ty.floating() {
            let most = match operator {
                "+" | "-" => a.most + b.most,
                "*" => a.most * b.most,
                "/" => f64::INFINITY,
                _ => return None,
            };
            return Some(Ex::real(text, binds, ty, most));
        }
        let (al, ah, _) = converted(a, ty)?;
        let (bl, bh, _) = converted(b, if shift { b.ty.promoted() } else { ty })?;
        let (low, high) = bounds(operator, (al, ah), (bl, bh), ty)?;
        if ty.holds(low, high) {
            return Some(Ex::integer(text, binds, ty, low, high));
        }
        let (low, high) = ty.range();
        (!ty.signed()).then(|| Ex::integer(text, binds, ty, low, high))
    }

    /// An operand of any integer type brought near 0 by a remainder.
    pub fn small(&mut self, e: Ex, most: i128) -> Ex {
        if e.ty.floating() {
            let text = format!("{} > {}", e.operand(10), ["1", "0.5", "-3", "0x1p3"][self.choices.below(4)]);
            return if e.ty == Ty::Complex {
                Ex::integer(format!("{} != 0", e.operand(9)), 8, Ty::Int, 0, 1)
            } else {
                Ex::integer(text, 9, Ty::Int, 0, 1)
            };
        }
        if e.low >= -most && e.high <= most {
            return e;
        }
        let by = [most, 97, 10, 7, 64, 1][self.choices.below(5)].min(most);
        let by = Ex::integer(by.to_string(), 16, Ty::Int, by, by);
        match self.binary("%", &e, &by) {
            Some(e) => e,
            None => Ex::integer(format!("{} & {by}", e.operand(8), by = by.text), 7, e.ty.promoted(), 0, by.high),
        }
    }

    pub fn cast(&mut self, ty: Ty, e: &Ex) -> Option<Ex> {
        let (low, high, most) = converted(e, ty)?;
        let text = format!("({}){}", ty.spelled(&mut self.choices), e.operand(13));
        Some(Ex { text, binds: 13, ty, low, high, most })
    }

    pub fn unary(operator: &str, e: &Ex) -> Option<Ex> {
        let gap = if e.text.starts_with(operator) { " " } else { "" };
        let text = format!("{operator}{gap}{}", e.operand(13));
        if operator == "!" {
            return Some(Ex::integer(text, 14, Ty::Int, 0, 1));
        }
        if e.ty.floating() {
            return (operator != "~").then(|| Ex::real(text, 14, e.ty, e.most));
        }
        let ty = e.ty.promoted();
        let (low, high, _) = converted(e, ty)?;
        let (low, high) = match operator {
            "-" => (-high, -low),
            "~" => (-1 - high, -1 - low),
            _ => (low, high),
        };
        if ty.holds(low, high) {
            return Some(Ex::integer(text, 14, ty, low, high));
        }
        (!ty.signed()).then(|| Ex::integer(text, 14, ty, ty.range().0, ty.range().1))
    }

    /// A constant near 0, in any spelling of 6.4.4.
    pub fn constant(&mut self, most: i128) -> Ex {
        let number = self.choices.below(most as usize + 1) as i128;
        self.spelled(number)
    }

    /// A spelling of a small constant that is not negative.
    pub fn spelled(&mut self, number: i128) -> Ex {
        let plain = Ex::integer(number.to_string(), 16, Ty::Int, number, number);
        if self.odd(Odd::Constants, 60) {
            let (suffix, ty) = self.pick(&[
                ("", Ty::Int),
                ("u", Ty::UInt),
                ("L", Ty::Long),
                ("uL", Ty::ULong),
                ("ll", Ty::LLong),
                ("LLU", Ty::ULLong),
            ]);
            let text = match self.choices.below(4) {
                0 => format!("0x{number:X}"),
                1 => format!("0{number:o}"),
                2 => number.to_string(),
                _ => format!("0x0{number:x}"),
            };
            return Ex::integer(text + suffix, 16, ty, number, number);
        }
        if self.odd(Odd::Characters, 60) {
            let text = match self.choices.below(4) {
                0 => format!("'\\{number:o}'"),
                1 => format!("'\\x{number:x}'"),
                2 if number < 10 => return Ex::integer(format!("('{number}' - '0')"), 16, Ty::Int, number, number),
                2 => format!("L'\\{number:o}'"),
                _ => {
                    let low = format!("('\\x{:x}' + {})", 256 - 5, number + 5);
                    return Ex::integer(low, 16, Ty::Int, number, number);
                }
            };
            return Ex::integer(text, 16, Ty::Int, number, number);
        }
        if self.odd(Odd::Sizes, 40) {
            let (text, size) = self.pick(&[
                ("sizeof(char)", 1),
                ("sizeof(short)", 2),
                ("sizeof 0", 4),
                ("sizeof(double)", 8),
                ("sizeof(char[3])", 3),
                ("sizeof \"ab\"", 3),
                ("sizeof(struct { char a, b; })", 2),
                ("_Alignof(int)", 4),
            ]);
            if number == 0 || size == number {
                return Ex::integer(text, 14, Ty::ULong, size, size);
            }
        }
        let known: Vec<_> = self.known.iter().filter(|k| k.2 == number).cloned().collect();
        if !known.is_empty() && self.choices.chance(70) {
            let (text, ty, _) = known[self.choices.below(known.len())].clone();
            return Ex::integer(text, 16, ty, number, number);
        }
        plain
    }

    /// `e + shift`, in one of its spellings.
    pub fn shifted(&mut self, e: &Ex, shift: i128) -> Ex {
        if shift == 0 {
            return e.clone();
        }
        let by = self.spelled(shift.abs());
        let minus = Self::unary("-", &by);
        let form = if self.has(Odd::Puzzles) { self.choices.below(3) } else { 0 };
        let made = match (form, minus) {
            (1, Some(minus)) => self.binary(if shift < 0 { "+" } else { "-" }, e, &minus),
            (2, _) if shift > 0 => self.binary("+", &by, e),
            (2, Some(minus)) => self.binary("+", &minus, e),
            _ => self.binary(if shift < 0 { "-" } else { "+" }, e, &by),
        };
        match made {
            Some(made) if made.low == e.low + shift && made.high == e.high + shift => made,
            _ => {
                let text = format!("{} {} {}", e.operand(11), if shift < 0 { '-' } else { '+' }, shift.abs());
                let ty = e.ty.promoted();
                Ex::integer(text, 11, ty, e.low + shift, e.high + shift)
            }
        }
    }

    /// A subscript that lies in 0 .. extent.
    pub fn subscript(&mut self, extent: i128) -> Ex {
        let base = if self.odd(Odd::DataSubscripts, 50) && self.views.iter().any(|v| v.role == Role::Index) {
            let index: Vec<View> = self.views.iter().filter(|v| v.role == Role::Index).cloned().collect();
            let view = index[self.choices.below(index.len())].clone();
            self.element(&view)
        } else {
            self.place()
        };
        if base.high - base.low >= extent || base.low < -1000 || base.high > 1000 {
            let number = self.choices.below(4) as i128;
            return self.spelled(number.min(extent - 1));
        }
        let (least, most) = (-base.low, extent - 1 - base.high);
        let wish = [0, 0, -1, 1, 2, -2][self.choices.below(6)];
        self.shifted(&base, wish.max(least).min(most))
    }

    /// What a subscript is made of: usually a counter.
    fn place(&mut self) -> Ex {
        let count = self.counters.len();
        if count == 0 {
            return self.constant(5);
        }
        // The inner counters first.
        let one = self.counters[count - 1 - self.choices.below(count)].ex();
        let form = self.choices.weighted(&[30, 2, 2, 1, 1, 1, 1]);
        let other = self.counters[self.choices.below(count)].ex();
        let size =
            if self.sizes.is_empty() { other.clone() } else { self.sizes[self.choices.below(self.sizes.len())].ex() };
        let two = self.spelled(2);
        let made = match form {
            0 => None,
            1 => self.binary("+", &one, &other),
            2 => self.binary("-", &size, &one),
            3 => self.binary("*", &two, &one),
            4 => self.binary("-", &one, &other),
            5 => {
                let operator = self.pick(&["/", "%"]);
                self.binary(operator, &one, &two)
            }
            _ => return self.constant(5),
        };
        made.unwrap_or(one)
    }

    /// An element of a view, as an lvalue.
    pub fn element(&mut self, view: &View) -> Ex {
        let mut list = Vec::new();
        for extent in &view.dims {
            list.push(self.subscript(*extent));
        }
        let (text, binds) = self.named(view, &list);
        value(text, binds, view.ty, view.role)
    }

    /// The spelling of an element (6.5.2.1, 6.5.3.2).
    fn named(&mut self, view: &View, list: &[Ex]) -> (String, u8) {
        let name = &view.name;
        if let Access::Macro = view.access {
            let list: Vec<String> = list.iter().map(|e| e.operand(1)).collect();
            return (format!("{name}({})", list.join(", ")), 15);
        }
        if let Access::Flat = view.access {
            let row = view.dims[1];
            return (format!("{name}[{} * {row} + {}]", list[0].operand(12), list[1].operand(12)), 15);
        }
        let mut plain = name.clone();
        let odd = self.odd(Odd::Subscripts, 70);
        for (k, e) in list.iter().enumerate() {
            let form = if odd { self.choices.below(6) } else { 0 };
            plain = match form {
                1 => format!("{}[{plain}]", e.operand(15)),
                2 => format!("(*({plain} + {}))", e.operand(12)),
                3 => format!("(&{plain}[0])[{}]", e.text),
                4 if k == 0 => format!("({plain})[{}]", e.text),
                5 => format!("(*&{plain}[{}])", e.text),
                _ => format!("{plain}[{}]", e.text),
            };
        }
        if let Access::Member(member) = view.access {
            plain = format!("{plain}.{member}");
        }
        (plain, 15)
    }

    /// A constant at the edge of a type.
    fn extreme(&mut self) -> Ex {
        let (text, ty, value) = self.pick(&[
            ("4294967295u", Ty::UInt, 4_294_967_295),
            ("2147483647", Ty::Int, 2_147_483_647),
            ("1000000007ul", Ty::ULong, 1_000_000_007),
            ("0xffffffff", Ty::UInt, 4_294_967_295),
            ("4294967296", Ty::Long, 4_294_967_296),
            ("0xFFFFFFFFFFFFFFFF", Ty::ULong, 18_446_744_073_709_551_615),
            ("037777777777", Ty::UInt, 4_294_967_295),
            ("998244353ull", Ty::ULLong, 998_244_353),
            ("65535", Ty::Int, 65_535),
        ]);
        Ex::integer(text, 16, ty, value, value)
    }

    /// An operand that is not evaluated, though it looks like a side effect (6.5.3.4, 6.5.1.1).
    fn unevaluated(&mut self) -> Option<Ex> {
        let list: Vec<_> = self.scalars.iter().filter(|s| !s.constant && s.binds == 16 && s.ty == Ty::Int).collect();
        let name = list.first()?.text.clone();
        let (form, ty, value) = self.pick(&[
            ("(int)sizeof(X = 4)", Ty::Int, 4),
            ("_Generic((X = 4), int: 2, default: 1)", Ty::Int, 2),
            ("(int)sizeof X++", Ty::Int, 4),
        ]);
        Some(Ex::integer(form.replace('X', &name), 13, ty, value, value))
    }

    /// An operand without operators.
    pub fn leaf(&mut self, of: Of) -> Ex {
        if of != Of::Counters && self.odd(Odd::Extremes, 25) {
            return self.extreme();
        }
        if of != Of::Counters
            && (self.odd(Odd::Sizes, 15) || self.odd(Odd::Generic, 15))
            && let Some(e) = self.unevaluated()
        {
            return e;
        }
        let arrays: Vec<View> = self.views.iter().filter(|v| of == Of::Anything || !v.ty.floating()).cloned().collect();
        let scalars: Vec<_> = self.scalars.iter().filter(|s| of == Of::Anything || !s.ty.floating()).cloned().collect();
        let data = of != Of::Counters;
        let weights = [
            if self.counters.is_empty() {
                0
            } else if data {
                2
            } else {
                6
            },
            3,
            if self.sizes.is_empty() {
                0
            } else if data {
                1
            } else {
                4
            },
            if data && !arrays.is_empty() { 12 } else { 0 },
            if data && !scalars.is_empty() { 4 } else { 0 },
            if of == Of::Anything { 3 } else { 0 },
        ];
        match self.choices.weighted(&weights) {
            0 => self.counters[self.choices.below(self.counters.len())].ex(),
            2 => self.sizes[self.choices.below(self.sizes.len())].ex(),
            3 => {
                let view = arrays[self.choices.below(arrays.len())].clone();
                self.element(&view)
            }
            4 => {
                let s = &scalars[self.choices.below(scalars.len())];
                value(s.text.clone(), s.binds, s.ty, s.role)
            }
            5 => {
                let (text, ty, most) = self.pick(&[
                    ("0.25", Ty::Double, 0.25),
                    ("0.5", Ty::Double, 0.5),
                    ("1.5f", Ty::Float, 1.5),
                    ("3.", Ty::Double, 3.0),
                    (".125", Ty::Double, 0.125),
                    ("0x1.8p-2", Ty::Double, 0.375),
                    ("1e-1L", Ty::LDouble, 0.1),
                ]);
                Ex::real(text, 16, ty, most)
            }
            _ => self.constant(9),
        }
    }

    /// An expression of so many levels.
    pub fn expression(&mut self, of: Of, depth: usize) -> Ex {
        if depth == 0 {
            return self.leaf(of);
        }
        let a = self.expression(of, depth - 1);
        match self.compound(&a, of, depth) {
            Some(e) => e,
            None => a,
        }
    }

    fn compound(&mut self, a: &Ex, of: Of, depth: usize) -> Option<Ex> {
        if self.odd(Odd::Casts, 30) {
            let ty = self.pick(&[
                Ty::Int,
                Ty::UChar,
                Ty::Short,
                Ty::UInt,
                Ty::Long,
                Ty::SChar,
                Ty::Float,
                Ty::ULong,
                Ty::Bool,
            ]);
            if of == Of::Anything || !ty.floating() {
                return self.cast(ty, a);
            }
        }
        let small = depth.saturating_sub(2);
        if self.odd(Odd::Choice, 40) {
            let test = self.condition(of, 0);
            let b = self.expression(of, small);
            return Some(Self::conditional(&test, a, &b));
        }
        if self.odd(Odd::Commas, 30) {
            let first = self.leaf(of);
            return Some(Ex { text: format!("(void){}, {}", first.operand(13), a.operand(1)), binds: 0, ..a.clone() });
        }
        if self.odd(Odd::Logic, 40) {
            return Some(self.condition(of, 1));
        }
        if self.odd(Odd::Generic, 30) {
            let text = format!("_Generic({}, int: 1, double: 2, default: 3)", a.operand(1));
            return Some(Ex::integer(text, 16, Ty::Int, 1, 3));
        }
        if self.odd(Odd::Calls, 50) && of != Of::Counters && !self.functions.is_empty() {
            let (name, ty, real) = self.functions[self.choices.below(self.functions.len())].clone();
            let argument = if real { a.clone() } else { self.small(a.clone(), 1000) };
            if argument.ty == Ty::Complex {
                return None;
            }
            let text = format!("{name}({})", argument.operand(1));
            return Some(if ty.floating() {
                Ex::real(text, 15, ty, f64::INFINITY)
            } else {
                Ex::integer(text, 15, ty, -3000, 3000)
            });
        }
        let b = self.expression(of, small);
        if self.odd(Odd::Bits, 50) {
            let operator = self.pick(&["&", "|", "^"]);
            return self.binary(operator, a, &b);
        }
        if self.odd(Odd::Bits, 30) {
            return Self::unary("~", a);
        }
        if self.odd(Odd::Shifts, 50) {
            let by = self.constant(5);
            let operator = self.pick(&[">>", "<<"]);
            return self.binary(operator, a, &by);
        }
        if self.odd(Odd::Remainders, 50) {
            let number = 1 + self.choices.below(7) as i128;
            let by = self.spelled(number);
            let operator = self.pick(&["%", "/"]);
            let by = if self.choices.chance(20) { Self::unary("-", &by)? } else { by };
            return self.binary(operator, a, &by);
        }
        match self.choices.weighted(&[6, 4, 5, 1, 1]) {
            0 => self.binary("+", a, &b),
            1 => self.binary("-", a, &b),
            2 => self.binary("*", a, &b),
            3 => Self::unary("-", a),
            _ if a.ty.floating() => {
                let by = Ex::real("3.0", 16, Ty::Double, 3.0);
                self.binary("/", a, &by)
            }
            _ => {
                let number = 2 + self.choices.below(4) as i128;
                let by = self.spelled(number);
                self.binary("/", a, &by)
            }
        }
    }

    /// `test ? a : b` (6.5.15).
    pub fn conditional(test: &Ex, a: &Ex, b: &Ex) -> Ex {
        let ty = a.ty.common(b.ty);
        let text = format!("{} ? {} : {}", test.operand(3), a.operand(0), b.operand(2));
        if ty.floating() {
            return Ex::real(text, 2, ty, a.most.max(b.most));
        }
        let bounds = |e: &Ex| converted(e, ty).unwrap_or((0, 0, 0.0));
        let ((al, ah, _), (bl, bh, _)) = (bounds(a), bounds(b));
        Ex::integer(text, 2, ty, al.min(bl), ah.max(bh))
    }

    /// A condition: comparisons, and with more levels what joins them.
    pub fn condition(&mut self, of: Of, depth: usize) -> Ex {
        if depth > 0 {
            let (a, b) = (self.condition(of, depth - 1), self.condition(of, depth - 1));
            return match self.choices.below(4) {
                0 => self.binary("&&", &a, &b).unwrap_or(a),
                1 => self.binary("||", &a, &b).unwrap_or(a),
                2 => Self::unary("!", &a).unwrap_or(a),
                _ => a,
            };
        }
        let a = self.expression(of, 1);
        let b = if self.choices.chance(50) { self.leaf(of) } else { self.constant(5) };
        let operator = self.pick(&["<", ">", "<=", ">=", "==", "!="]);
        match self.binary(operator, &a, &b) {
            Some(e) => e,
            None => Ex::integer("1", 16, Ty::Int, 1, 1),
        }
    }
}
