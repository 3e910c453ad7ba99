//! Values of statements: what is computed in a region.

use super::function::Writer;
use super::numbers::{Type, number};
use super::tree::{Node, Sort, join};

/// A scalar of the function or region.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub name: String,
    pub ty: Type,
    /// The region may write it.
    pub writable: bool,
}

impl Writer {
    /// A value of a type, from `depth` levels of operators.
    pub fn value(&mut self, ty: Type, depth: usize) -> Node {
        let node = if ty.is_float() { self.float(depth) } else { self.integer(depth) };
        node.sort(Sort::Value).or(&["1"])
    }

    fn float(&mut self, depth: usize) -> Node {
        if depth == 0 {
            return self.float_leaf();
        }
        match self.dice.weigh(&[6, 4, 5, 2, 1, 1, 1]) {
            0 => join!["(", self.value(Type::F64, depth - 1), " + ", self.value(Type::F64, depth - 1), ")"],
            1 => join!["(", self.value(Type::F64, depth - 1), " - ", self.float_leaf(), ")"],
            2 => {
                join![*self.dice.pick(&["0.5 * ", "0.25 * ", "0.125f * ", "-0.5 * "]), self.value(Type::F64, depth - 1)]
            }
            3 => join!["(", self.float_leaf(), " * 0.0625 * ", self.float_leaf(), ")"],
            4 => join!["(", self.data_condition(), " ? ", self.float_leaf(), " : ", self.float_leaf(), ")"],
            5 => join!["(float)(", self.value(Type::F64, depth - 1), ")"],
            _ => join!["(", self.float_leaf(), " / 3)"],
        }
    }

    fn float_leaf(&mut self) -> Node {
        let node = match self.dice.weigh(&[12, 3, 3, 1, if self.calls { 10 } else { 2 }]) {
            0 => {
                let (text, ty) = self.access(false);
                if ty.is_float() { text } else { join!["(double)(", text, " % 128)"] }
            }
            1 => self.scalar_value(true),
            2 => {
                let known = self.known();
                let number = number(&mut self.dice, &known, 1);
                join!["(double)", number.node]
            }
            3 => join![*self.dice.pick(&[
                "1.5",
                "0.25f",
                "3",
                "'a'",
                "E_LOW",
                "1e-3",
                "HALF_",
                "PASTE_(0., 75)",
                "REAL_(1.5)"
            ])],
            _ => self.call(true),
        };
        node.sort(Sort::Value).or(&["1"])
    }

    fn integer(&mut self, depth: usize) -> Node {
        if depth == 0 {
            return self.integer_leaf();
        }
        match self.dice.weigh(&[6, 4, 4, 2, 2, 2, 2, 1, 1, 2]) {
            0 => join!["(", self.integer(depth - 1), " + ", self.integer_leaf(), ")"],
            1 => join!["(", self.integer_leaf(), " - ", self.integer_leaf(), ")"],
            2 => join!["(", *self.dice.pick(&["2 * ", "3 * ", "-1 * ", "5 * "]), self.integer_leaf(), ")"],
            3 => join!["(", self.integer_leaf(), " % 7)"],
            4 => join!["(", self.integer_leaf(), " / ", *self.dice.pick(&["3", "(2 - 5)", "4"]), ")"],
            5 => join!["((unsigned)(", self.integer_leaf(), ") * 2654435761u)"],
            6 => join!["(", self.integer_leaf(), *self.dice.pick(&[" ^ ", " & ", " | "]), self.integer_leaf(), ")"],
            7 => join!["(", self.data_condition(), " ? ", self.integer_leaf(), " : ", self.integer_leaf(), ")"],
            8 => join!["((unsigned)", self.integer_leaf(), " >> 3)"],
            _ => {
                let known = self.known();
                let (a, b) = (number(&mut self.dice, &known, 1), number(&mut self.dice, &known, 0));
                join![
                    "((",
                    a.node,
                    " * 1000000007ul + ",
                    b.node,
                    " * 998244353ul) % ",
                    *self.dice.pick(&["10007ul", "97u", "255"]),
                    ")"
                ]
            }
        }
        .sort(Sort::Value)
        .or(&["1"])
    }

    fn integer_leaf(&mut self) -> Node {
        let node = match self.dice.weigh(&[12, 3, 4, 1, if self.calls { 10 } else { 1 }]) {
            0 => {
                let (text, ty) = self.access(false);
                match ty {
                    Type::I32 | Type::I64 => join!["(", text, " % 997)"],
                    Type::F64 | Type::F32 => join!["(", text, " > 1)"],
                    _ => text,
                }
            }
            1 => self.scalar_value(false),
            2 => {
                let known = self.known();
                number(&mut self.dice, &known, 1).node
            }
            3 => {
                let value = self.dice.between(-2, 4);
                super::numbers::constant(&mut self.dice, value).node
            }
            _ => self.call(false),
        };
        join![node].sort(Sort::Value).or(&["1"])
    }

    pub fn scalar_value(&mut self, float: bool) -> Node {
        let fitting: Vec<Scalar> = self.scalars.iter().filter(|s| s.ty.is_float() == float).cloned().collect();
        if fitting.is_empty() {
            return join![if float { "2.5" } else { "3" }];
        }
        let scalar = self.dice.pick(&fitting);
        match scalar.ty {
            Type::I32 | Type::I64 => join!["(", &scalar.name, " % 997)"],
            _ => join![&scalar.name],
        }
    }

    /// A condition on data.
    pub fn data_condition(&mut self) -> Node {
        let (text, _) = self.access(false);
        let one = join![text, *self.dice.pick(&[" > 0", " < 3", " != 1"])];
        let node = if self.dice.one_in(5) {
            let (other, _) = self.access(false);
            join!["(", one, *self.dice.pick(&[" && ", " || "]), other, " > 1)"]
        } else {
            join!["(", one, ")"]
        };
        node.sort(Sort::Condition).or(&["1", "0"])
    }
}
