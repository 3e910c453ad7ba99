//! Loop nests of a region.

use super::function::Writer;
use super::memory::Rows;
use super::numbers::{Known, Number, Type, condition, constant, number};
use super::tree::{Node, Sort, join};
use super::values::Scalar;

impl Writer {
    /// Everything that bounds and subscripts may use.
    pub fn known(&self) -> Vec<Known> {
        self.constants.iter().chain(&self.counters).cloned().collect()
    }

    /// A region: its pragma and its text.
    pub fn region(&mut self) -> Node {
        self.budget = 1 + self.class.min(1) + if self.class > 1 { self.dice.weigh(&[4, 2]) } else { 0 };
        self.targets.clear();
        let nests = 1 + self.dice.weigh(&[6, 2, 1]);
        let mut all: Vec<Node> = Vec::new();
        for _ in 0..nests {
            if self.budget > 0 {
                all.push(self.nest(0));
            }
        }
        let scop = self.dice.one_in(12);
        let block = all.len() > 1 || (!scop && self.dice.one_in(8));
        let pure: Vec<String> = self.vouched.iter().filter(|_| self.dice.one_in(2)).cloned().collect();
        let mut options = if pure.is_empty() { String::new() } else { format!(" pure({})", pure.join(", ")) };
        if self.dice.one_in(12) {
            options += *self.dice.pick(&[" tile(2)", " tile(3, 2)", " tile(auto)", " name(other)"]);
        }
        if scop {
            return join![format!("#pragma scop{options}\n"), all, "#pragma endscop\n"];
        }
        if block {
            return join![format!("#pragma dvm region{options}\n{{\n"), all, "}\n"];
        }
        join![format!("#pragma dvm region{options}\n"), all]
    }

    /// A counter: its name and type, and whether its declaration stands in the loop.
    fn counter(&mut self, depth: usize, unsigned_fits: bool) -> (String, Type, bool) {
        let declared = !self.dice.one_in(4);
        let free: Vec<Known> =
            self.outer.iter().filter(|k| !self.counters.iter().any(|c| c.name == k.name)).cloned().collect();
        if !declared && !free.is_empty() {
            let known = self.dice.pick(&free).clone();
            if unsigned_fits || !known.ty.is_unsigned() {
                return (known.name, known.ty, false);
            }
        }
        let name = self.counter_name(depth);
        let all = [Type::I32, Type::I64, Type::I16, Type::U32, Type::U64, Type::U8, Type::I8, Type::U16];
        let mut ty = all[self.dice.weigh(&[32, 4, 1, 2, 2, 1, 1, 1])];
        if !unsigned_fits && ty.is_unsigned() {
            ty = Type::I32;
        }
        (name, ty, true)
    }

    /// Between 0 and 12 or so: where a loop ends.
    fn extent(&mut self) -> Number {
        let known = self.known();
        for _ in 0..8 {
            let depth = self.dice.weigh(&[3, 4, 2]);
            let value = number(&mut self.dice, &known, depth);
            if value.high >= 3 && value.high <= 14 && value.low >= -12 {
                return value;
            }
        }
        Number::of(&self.constants[0])
    }

    fn origin(&mut self) -> Number {
        if !self.dice.one_in(3) {
            let value = *self.dice.pick(&[0, 0, 0, 1, 1, 2, -1]);
            return constant(&mut self.dice, value);
        }
        let known = self.known();
        let depth = self.dice.weigh(&[2, 2, 1]);
        let value = number(&mut self.dice, &known, depth);
        if value.low >= -10 && value.high <= 9 { value } else { Number::plain(0) }
    }

    /// A loop and what is in it.
    pub fn nest(&mut self, depth: usize) -> Node {
        let up = !self.dice.one_in(4);
        let (mut origin, extent) = (self.origin(), self.extent());
        if origin.high + 3 > extent.high && !self.dice.one_in(20) {
            origin = Number::plain(0);
        }
        let unsigned_fits = up && origin.low >= 0 && extent.low >= 0;
        let (name, ty, declared) = self.counter(depth, unsigned_fits);
        let step = *self.dice.pick(&[1, 1, 1, 1, 1, 1, 2, 2, 3]);
        let ([begin, test, advance], known) = if up {
            self.rising(&name, ty, step, origin, &extent)
        } else {
            self.falling(&name, ty, step, origin, extent)
        };
        let declaration = if declared { format!("{} ", ty.name()) } else { String::new() };
        let with_another = self.pairs && self.dice.one_in(2);
        let beside = if with_another { self.beside(&known, step, declared) } else { None };
        let around = self.counters.len();
        self.counters.push(known);
        self.counters.extend(beside.iter().map(|other| other.known.clone()));
        let body = self.body(depth + 1);
        self.counters.truncate(around);
        let Some(other) = beside else {
            return join!["for (", declaration, join![begin, "; ", test, "; ", advance], ")", body].statement();
        };
        let head = join![other.begin(begin), "; ", test, "; ", other.advance(advance)];
        join!["for (", declaration, head, ")", other.body(body)].statement()
    }

    fn rising(&mut self, name: &str, ty: Type, step: i64, origin: Number, extent: &Number) -> ([Node; 3], Known) {
        let inclusive = self.dice.one_in(5);
        let last = i64::from(!inclusive);
        let compare = if inclusive { "<=" } else { "<" };
        // A negative counter is large in a comparison with unsigned numbers, and the loop then ends.
        let test = if self.dice.one_in(8) {
            join![&extent.node, if inclusive { " >= " } else { " > " }, name]
        } else {
            join![name, " ", compare, " ", &extent.node]
        };
        let (low, high) = (origin.low, (extent.high - last).max(origin.low));
        let known = Known { name: name.to_owned(), ty, low, high, over: (extent.over - last).min(high) };
        let over = if extent.high - last < origin.low { high } else { known.over };
        ([join![name, " = ", origin.node], test, self.step(name, step)], Known { over, ..known })
    }

    fn falling(&mut self, name: &str, ty: Type, step: i64, origin: Number, extent: Number) -> ([Node; 3], Known) {
        let inclusive = self.dice.one_in(2);
        let compare = if inclusive { ">=" } else { ">" };
        // An unsigned end would never be passed by a counter below 0.
        let origin = if origin.ty.is_unsigned() { origin.cast(Type::I32) } else { origin };
        let (over, high) = (extent.over, extent.high.max(origin.low));
        let known = Known {
            name: name.to_owned(),
            ty,
            low: origin.low,
            high,
            over: if extent.high < origin.low { high } else { over },
        };
        let (begin, test) = (join![name, " = ", extent.node], join![name, " ", compare, " ", origin.node]);
        ([begin, test, self.step(name, -step)], known)
    }

    fn step(&mut self, name: &str, step: i64) -> Node {
        let size = step.abs();
        let (sign, other) = if step > 0 { ("+", "-") } else { ("-", "+") };
        let plain = match size {
            1 => format!("{name}{sign}{sign}"),
            _ => format!("{name} {sign}= {size}"),
        };
        let text = match self.dice.weigh(&[14, 2, 3, 2, 1, 2, 2, 1, 1]) {
            0 => plain.clone(),
            1 if size == 1 => format!("{sign}{sign}{name}"),
            1 | 2 => format!("{name} {sign}= {size}"),
            3 => format!("{name} = {name} {sign} {size}"),
            4 if step > 0 => format!("{name} = {size} + {name}"),
            4 => format!("{name} = -{size} + {name}"),
            5 => format!("{name} {other}= -{size}"),
            6 => {
                let c = constant(&mut self.dice, size).node.text();
                format!("{name} {sign}= {c}")
            }
            7 => {
                let c = constant(&mut self.dice, -size).node.text();
                format!("{name} {other}= {c}")
            }
            _ => format!(
                "{name} {other}= {}",
                self.dice.pick(&[format!("-{size}u"), format!("-(unsigned char){}", 256 + size), format!("-{size}L")])
            ),
        };
        join![join![text].sort(Sort::Fixed).or(&[&plain])]
    }

    /// Statements in braces.
    pub fn body(&mut self, depth: usize) -> Node {
        let before = self.scalars.len();
        let mut all = Vec::new();
        for _ in 0..=self.dice.weigh(&[5, 2]) {
            if self.budget > 0 || all.is_empty() {
                all.push(self.inside(depth));
            }
        }
        self.scalars.truncate(before);
        join![" {\n", all, "}\n"]
    }

    fn inside(&mut self, depth: usize) -> Node {
        // Where all that is written has one dimension, two loops are seldom parallel.
        let rows = self.arrays.iter().any(|a| a.writable && a.rows != Rows::None);
        let jumps = self.jumps;
        let deeper = match depth {
            1 => self.dice.weigh(&[5, if rows { 5 } else { 1 }, 2, 2 * jumps]),
            2 => self.dice.weigh(&[8, usize::from(self.class > 1), 2, 4 * jumps]),
            _ => self.dice.weigh(&[8, 0, 1, 2 * jumps]),
        };
        match deeper {
            1 if self.budget > 0 => self.nest(depth),
            2 if self.budget > 0 => {
                let known = self.known();
                let body = self.body(depth + 1);
                let other = if self.dice.one_in(3) { join![" else", self.body(depth + 1)] } else { join![""] };
                // Knows what the body writes.
                let test = if self.dice.one_in(5) { self.data_condition() } else { condition(&mut self.dice, &known) };
                join!["if (", test, ")", body, other].statement()
            }
            3 if self.budget > 0 => self.jump(depth),
            _ => self.statement(),
        }
    }

    pub fn statement(&mut self) -> Node {
        self.budget = self.budget.saturating_sub(1);
        let node = match self.dice.weigh(&[24, 1, 4, 2, 1, 1]) {
            0 => {
                let (text, ty) = self.access(true);
                self.assignment(text, ty)
            }
            1 => {
                let writable: Vec<Scalar> = self.scalars.iter().filter(|s| s.writable).cloned().collect();
                if writable.is_empty() {
                    return self.statement();
                }
                let scalar = self.dice.pick(&writable).clone();
                self.assignment(join![&scalar.name], scalar.ty)
            }
            2 => {
                // A scalar that each iteration has for itself.
                let name = self.name("w");
                let ty = if self.dice.one_in(3) { Type::I32 } else { self.favourite };
                let first = self.value(ty, 1);
                let scalar = Scalar { name: name.clone(), ty, writable: self.dice.one_in(2) };
                self.scalars.push(scalar);
                let (text, element) = self.access(true);
                let value = self.value(element, 1);
                join![ty.name(), " ", &name, " = ", first, ";\n", text, " = ", value, ";\n"]
            }
            3 => {
                let (text, ty) = self.access(true);
                let test = self.data_condition();
                join!["if (", test, ") ", self.assignment(text, ty)]
            }
            4 => {
                let (text, ty) = self.access(true);
                if ty.is_float() || ty.promoted() == ty && !ty.is_unsigned() {
                    return self.statement();
                }
                join!["(", text, ")", *self.dice.pick(&["++", "--"]), ";\n"]
            }
            _ => {
                let writable: Vec<Scalar> = self.scalars.iter().filter(|s| s.writable).cloned().collect();
                if writable.is_empty() {
                    return self.statement();
                }
                // Written, then read.
                let scalar = self.dice.pick(&writable).clone();
                let value = self.value(scalar.ty, 1);
                let (text, ty) = self.access(true);
                join![&scalar.name, " = ", value, ";\n", text, " = ", self.value(ty, 1), ";\n"]
            }
        };
        node.statement()
    }

    fn assignment(&mut self, text: Node, ty: Type) -> Node {
        let depth = self.dice.weigh(&[2, 4, 3]);
        let value = self.value(ty, depth);
        let value = self.with_call(value, ty);
        let wide = matches!(ty, Type::I32 | Type::I64);
        let operator = match self.dice.weigh(&[6, 3, 1, 1]) {
            0 => " = ",
            1 if wide => " ^= ",
            1 => " += ",
            2 if wide => " = ",
            2 => " -= ",
            _ if ty.is_float() => " += ",
            _ => " ^= ",
        };
        if !ty.is_float() && self.dice.one_in(20) {
            let (other, _) = self.access(true);
            // Two writes of one element would not be ordered.
            let apart = matches!(self.targets.as_slice(), [.., one, another] if one != another);
            if apart {
                return join![text, " = ", other, " = ", value, ";\n"];
            }
        }
        let value = if ty == Type::I32 { join!["(int)(", value, ")"] } else { value };
        join![text, operator, value, ";\n"]
    }
}
