//! Integer expressions of parameters and counters, with the values that they may have.

use super::tree::{Node, Sort, join};
use testkit::Random;

/// An arithmetic type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    F64,
    F32,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
}

impl Type {
    /// Its name in C.
    pub fn name(self) -> &'static str {
        match self {
            Type::F64 => "double",
            Type::F32 => "float",
            Type::I8 => "signed char",
            Type::U8 => "unsigned char",
            Type::I16 => "short",
            Type::U16 => "unsigned short",
            Type::I32 => "int",
            Type::U32 => "unsigned",
            Type::I64 => "long",
            Type::U64 => "unsigned long",
        }
    }

    /// How the judge fills memory with it.
    pub fn letter(self) -> char {
        match self {
            Type::F64 => 'd',
            Type::F32 => 'f',
            Type::I8 | Type::U8 => 'b',
            Type::I16 | Type::U16 => 'h',
            Type::I32 | Type::U32 => 'i',
            Type::I64 | Type::U64 => 'l',
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Type::F64 | Type::F32)
    }

    pub fn is_unsigned(self) -> bool {
        matches!(self, Type::U8 | Type::U16 | Type::U32 | Type::U64)
    }

    /// The type after C's promotion.
    pub fn promoted(self) -> Type {
        match self {
            Type::I8 | Type::U8 | Type::I16 | Type::U16 => Type::I32,
            other => other,
        }
    }

    /// The type of a sum.
    pub fn with(self, other: Type) -> Type {
        let rank = |t: Type| match t {
            Type::I32 => 0,
            Type::U32 => 1,
            Type::I64 => 2,
            _ => 3,
        };
        let (a, b) = (self.promoted(), other.promoted());
        if rank(a) >= rank(b) { a } else { b }
    }

    /// Values that fit without a change.
    pub fn holds(self, low: i64, high: i64) -> bool {
        let (least, most) = match self {
            Type::I8 => (-128, 127),
            Type::U8 => (0, 255),
            Type::U16 | Type::U32 | Type::U64 => (0, 65535),
            _ => (-32768, 32767),
        };
        least <= low && high <= most
    }
}

/// A named integer.
#[derive(Clone, Debug)]
pub struct Known {
    pub name: String,
    pub ty: Type,
    pub low: i64,
    pub high: i64,
    /// It is at most n + this.
    pub over: i64,
}

/// An integer expression.
#[derive(Clone, Debug)]
pub struct Number {
    pub node: Node,
    pub ty: Type,
    pub low: i64,
    pub high: i64,
    pub over: i64,
}

impl Number {
    pub fn of(known: &Known) -> Number {
        let node = join![&known.name].sort(Sort::Number);
        Number { node, ty: known.ty.promoted(), low: known.low, high: known.high, over: known.over }
    }

    /// A constant as it is usually written.
    pub fn plain(value: i64) -> Number {
        let text = if value < 0 { format!("({value})") } else { value.to_string() };
        Number { node: join![text].sort(Sort::Number), ty: Type::I32, low: value, high: value, over: value }
    }

    /// What follows from unsigned arithmetic below 0 is undone.
    fn settled(self) -> Number {
        if self.low >= 0 || !self.ty.is_unsigned() {
            return self;
        }
        let ty = if self.ty == Type::U64 { Type::I64 } else { Type::I32 };
        let node = join!["(", ty.name(), ")(", self.node, ")"].sort(Sort::Number);
        Number { node, ty, ..self }
    }

    pub fn cast(self, ty: Type) -> Number {
        let node = join!["(", ty.name(), ")(", self.node, ")"].sort(Sort::Number);
        Number { node, ty: ty.promoted(), ..self }
    }

    pub fn plus(self, other: Number, ty_of_sum: &str) -> Number {
        let node = join!["(", self.node, ty_of_sum, other.node, ")"].sort(Sort::Number).or(&["1", "0"]);
        let over = (self.over + other.high).min(self.high + other.over);
        let ty = self.ty.with(other.ty);
        Number { node, ty, low: self.low + other.low, high: self.high + other.high, over }.settled()
    }

    pub fn minus(self, other: Number) -> Number {
        let node = join!["(", self.node, " - ", other.node, ")"].sort(Sort::Number).or(&["1", "0"]);
        let over = self.over - other.low;
        let ty = self.ty.with(other.ty);
        Number { node, ty, low: self.low - other.high, high: self.high - other.low, over }.settled()
    }

    fn times(self, factor: i64, dice: &mut Random) -> Number {
        let (a, b) = (self.low * factor, self.high * factor);
        let over = if factor > 0 { (factor - 1) * self.high.max(0) + self.over } else { a.max(b) };
        let constant = constant(dice, factor);
        let ty = self.ty.with(constant.ty);
        let node = if dice.one_in(2) {
            join!["(", self.node, " * ", constant.node, ")"]
        } else {
            join!["(", constant.node, " * ", self.node, ")"]
        };
        Number { node: node.sort(Sort::Number), ty, low: a.min(b), high: a.max(b), over }.settled()
    }

    fn divided(self, by: i64, dice: &mut Random) -> Number {
        // An unsigned divisor would make a negative dividend large.
        let constant = if self.low < 0 { Number::plain(by) } else { constant(dice, by) };
        let node = join!["(", self.node, " / ", constant.node, ")"].sort(Sort::Number).or(&["1", "0"]);
        let (a, b) = (self.low / by, self.high / by);
        let ty = self.ty.with(constant.ty);
        let over = if self.over < 0 { 0 } else { self.over };
        Number { node, ty, low: a.min(b).min(0), high: a.max(b), over: over.max(0) }.settled()
    }

    pub fn modulo(self, by: i64, dice: &mut Random) -> Number {
        let constant = if self.low < 0 { Number::plain(by) } else { constant(dice, by) };
        let node = join!["(", self.node, " % ", constant.node, ")"].sort(Sort::Number).or(&["1", "0"]);
        let low = if self.low < 0 { (1 - by.abs()).max(self.low) } else { 0 };
        let high = (by.abs() - 1).min(self.high).max(0);
        let ty = self.ty.with(constant.ty);
        Number { node, ty, low, high, over: high }.settled()
    }
}

/// Constants in all the ways that C knows.
pub fn constant(dice: &mut Random, value: i64) -> Number {
    if !dice.one_in(6) {
        return Number::plain(value);
    }
    let text = match value {
        -2 => *dice.pick(&["(1 - 3)", "(-2)", "(-E_TWO)", "E_LOW", "P_LOW", "'\\376'", "(int)-2u", "(signed char)254"]),
        -1 => *dice.pick(&[
            "(0 - 1)",
            "~0",
            "(-E_ONE)",
            "'\\377'",
            "(int)-1u",
            "(E_LOW + 1)",
            "(signed char)255",
            "- - -1",
        ]),
        0 => *dice.pick(&["0", "(1 - 1)", "!1", "'\\0'", "(unsigned char)256", "(P_LOW + 2)", "(char)0", "B_ONE - 1"]),
        1 => *dice.pick(&[
            "(2 - 1)",
            "E_ONE",
            "- -1",
            "'b' - 'a'",
            "(int)sizeof(char)",
            "(unsigned char)257",
            "('\\377' + 2)",
            "B_ONE",
            "!0",
            "(E_LOW + 3)",
            "(int)1.75",
            "-(-1)",
            "1L",
            "(short)65537",
            "-~0 * 1",
            "(-7 % 2 + 2)",
            "-'\\377'",
            "(P_HIGH & 1)",
        ]),
        2 => *dice.pick(&[
            "E_TWO",
            "(int)sizeof(short)",
            "(unsigned char)258",
            "(1 << 1)",
            "- -2",
            "'c' - 'a'",
            "-E_LOW",
            "(5 / 2)",
            "(-5 / 2 + 4)",
            "-P_LOW",
            "(int)sizeof(int) / 2",
            "(int)(B_ONE * 2)",
            "(1 ? 2 : 3)",
        ]),
        3 => *dice.pick(&[
            "(E_ONE + E_TWO)",
            "(unsigned char)259",
            "'d' - 'a'",
            "- -3",
            "(7 & 3)",
            "0x3",
            "03",
            "(int)3.9f",
            "P_HIGH - 197",
        ]),
        4 => *dice.pick(&["(int)sizeof(int)", "(1 << 2)", "'\\004'", "0x4", "(E_TWO * E_TWO)"]),
        _ => return Number::plain(value),
    };
    let ty = match text {
        "1L" | "B_ONE - 1" | "B_ONE" => Type::I64,
        _ => Type::I32,
    };
    Number {
        node: join!["(", text, ")"].sort(Sort::Number).or(&[&Number::plain(value).node.text()]),
        ty,
        ..Number::plain(value)
    }
}

/// An affine expression (as C understands it: with quotients and remainders) of what is known.
pub fn number(dice: &mut Random, known: &[Known], depth: usize) -> Number {
    if depth == 0 || known.is_empty() || dice.one_in(4) {
        return leaf(dice, known);
    }
    let next = |dice: &mut Random| number(dice, known, depth - 1);
    match dice.weigh(&[24, 10, 10, 8, 6, 8, 12, 2, 2, 4, 4, 1]) {
        0 => {
            let (a, c) = (next(dice), dice.between(-2, 3));
            let c = constant(dice, c);
            a.plus(c, " + ")
        }
        1 => next(dice).plus(leaf(dice, known), " + "),
        2 => {
            let (a, b) = (next(dice), leaf(dice, known));
            if a.node.text() == b.node.text() { a } else { a.minus(b) }
        }
        3 => {
            let c = dice.between(1, 3);
            let c = constant(dice, c);
            next(dice).minus(c)
        }
        4 => {
            let factor = *dice.pick(&[2, 2, 3, -1]);
            next(dice).times(factor, dice)
        }
        5 => {
            let by = *dice.pick(&[2, 2, 2, 3, 3, 4, 4, -2]);
            next(dice).divided(by, dice)
        }
        6 => {
            let by = *dice.pick(&[2, 2, 3, 3, 4, 4, 5, 6, -3]);
            next(dice).modulo(by, dice)
        }
        7 => {
            let a = next(dice);
            let sign = *dice.pick(&["-", "- ", "-(-(-", "+"]);
            let close = if sign.ends_with("(-") { "))" } else { "" };
            let node = join!["(", sign, &a.node, close, ")"].sort(Sort::Number);
            if sign == "+" {
                return Number { node, ..a };
            }
            Number { node, low: -a.high, high: -a.low, over: -a.low, ty: a.ty }.settled()
        }
        8 => {
            // Two signs in a row keep the value.
            let a = next(dice);
            Number { node: join!["(- -", &a.node, ")"].sort(Sort::Number), ..a }.settled()
        }
        9 => {
            let a = next(dice);
            let types = [Type::I64, Type::I32, Type::I16, Type::I8, Type::U8, Type::U32, Type::U64, Type::U16];
            let ty = types[dice.weigh(&[4, 6, 2, 1, 1, 1, 1, 1])];
            if ty.holds(a.low, a.high) { a.cast(ty) } else { a.cast(Type::I64) }
        }
        10 => {
            let a = next(dice);
            smaller_or_larger(dice, a, known)
        }
        _ => wrapped(dice, known),
    }
}

/// A product that goes round in its unsigned type.
fn wrapped(dice: &mut Random, known: &[Known]) -> Number {
    // What depends on parameters alone is computed as it is written.
    let (a, b) = match known.last() {
        Some(inner) if !dice.one_in(3) => (Number::of(inner), leaf(dice, known)),
        _ => (leaf(dice, known), leaf(dice, known)),
    };
    // A power of two would not show that a product went round.
    let by = *dice.pick(&[3, 5, 6, 7, 7]);
    // With operands of 64 bits the product of a narrow constant would be signed.
    let narrow = ![a.ty, b.ty].iter().any(|t| matches!(t, Type::I64 | Type::U64));
    let suffix = if narrow { *dice.pick(&["ul", "ul", "ul", "u"]) } else { "ul" };
    let wide = [
        ["1000000007ul", "998244353ul"],
        ["6364136223846793005ul", "1442695040888963407ul"],
        ["1000000007ul * 4300000000ul", "3ul"],
        ["3000000019ul * 1500000001ul", "998244353ul"],
    ];
    let factors = if suffix == "u" { ["2654435761u", "40503u"] } else { *dice.pick(&wide) };
    let node = if dice.one_in(2) {
        join!["((", a.node, " * ", factors[0], " + ", b.node, " * ", factors[1], ") % ", format!("{by}{suffix}"), ")"]
    } else {
        join!["((", a.node, " * ", factors[0], ") % ", format!("{by}{suffix}"), ")"]
    };
    Number { node: node.sort(Sort::Number), ty: Type::U64, low: 0, high: by - 1, over: by - 1 }
}

fn smaller_or_larger(dice: &mut Random, a: Number, known: &[Known]) -> Number {
    let b = loop {
        let b = leaf(dice, known);
        if b.node.text() != a.node.text() {
            break b;
        }
    };
    // Values below 0 would be large ones in an unsigned comparison.
    let (a, b) = if a.ty.with(b.ty).is_unsigned() && (a.low < 0 || b.low < 0) {
        (a.cast(Type::I64), b.cast(Type::I64))
    } else {
        (a, b)
    };
    let least = dice.one_in(2);
    let ty = a.ty.with(b.ty);
    let node = if dice.one_in(3) {
        join![if least { "MIN_(" } else { "MAX_(" }, &a.node, ", ", &b.node, ")"]
    } else {
        join!["(", &a.node, if least { " < " } else { " > " }, &b.node, " ? ", &a.node, " : ", &b.node, ")"]
    };
    let node = node.sort(Sort::Number);
    if least {
        Number { node, ty, low: a.low.min(b.low), high: a.high.min(b.high), over: a.over.min(b.over) }
    } else {
        Number { node, ty, low: a.low.max(b.low), high: a.high.max(b.high), over: a.over.max(b.over) }
    }
}

fn leaf(dice: &mut Random, known: &[Known]) -> Number {
    if known.is_empty() || dice.one_in(5) {
        let value = dice.between(-1, 4);
        return constant(dice, value);
    }
    // Inner counters and the size are met most.
    let at = if dice.one_in(3) { dice.below(known.len()) } else { known.len() - 1 - dice.below(known.len().min(2)) };
    Number::of(&known[at])
}

/// A condition of what is known.
pub fn condition(dice: &mut Random, known: &[Known]) -> Node {
    let text = match dice.weigh(&[10, 2, 2, 1]) {
        0 => comparison(dice, known),
        1 => join!["(", comparison(dice, known), " && ", comparison(dice, known), ")"],
        2 => join!["(", comparison(dice, known), " || ", comparison(dice, known), ")"],
        _ => join!["!(", comparison(dice, known), ")"],
    };
    text.sort(Sort::Condition).or(&["1", "0"])
}

fn comparison(dice: &mut Random, known: &[Known]) -> Node {
    // Most comparisons can come out either way.
    loop {
        let (a, b) = sides(dice, known);
        if (a.low > b.high || b.low > a.high || a.node.text() == b.node.text() || a.low == a.high) && !dice.one_in(20) {
            continue;
        }
        let operator = *dice.pick(&["<", "<", "<=", ">", ">=", "==", "!=", "!="]);
        return join!["(", a.node, " ", operator, " ", b.node, ")"].sort(Sort::Condition).or(&["1", "0"]);
    }
}

fn sides(dice: &mut Random, known: &[Known]) -> (Number, Number) {
    let depth = dice.below(3);
    let mut a = if dice.one_in(16) { wrapped(dice, known) } else { number(dice, known, depth) };
    if dice.one_in(3) {
        let by = *dice.pick(&[2, 3, 5, 6]);
        a = a.modulo(by, dice);
    }
    let depth = dice.below(2);
    let mut b = number(dice, known, depth);
    if dice.one_in(2) {
        let value = dice.between(-1, 4);
        b = constant(dice, value);
    }
    (a, b)
}
