//! Functions that have no effect: they compute, or read memory that regions may write under another name.

use super::function::Writer;
use super::memory::{Array, BASE, Home, OBJECT, Rows};
use super::numbers::{Number, Type, number};
use super::tree::{Node, join};

/// A function that regions may call.
#[derive(Clone, Debug)]
pub struct Function {
    name: String,
    /// It reads the first elements that this argument leads to.
    pointer: Option<Type>,
    takes_float: bool,
    gives_float: bool,
}

impl Writer {
    /// The functions that regions may call.
    pub fn functions(&mut self) {
        if !self.calls && !self.dice.one_in(6) {
            return;
        }
        let weights = if self.calls { [0, 1, 6, 3] } else { [3, 1, 2, 1] };
        match self.dice.weigh(&weights) {
            0 => self.computes(),
            1 => self.reads_its_thread(),
            2 => self.reads_an_object(),
            _ => self.reads_through_a_pointer(),
        }
    }

    fn computes(&mut self) {
        let name = "r_@".to_owned();
        let attribute = *self.dice.pick(&["__attribute__((pure)) ", "__attribute__((const, unused)) ", ""]);
        let body = "double y = x; for (int q = 0; q < 2; q++) y = y * 0.5 + q; return y;";
        self.before.push(join![format!("{attribute}static double {name}(double x) {{ {body} }}\n")]);
        if attribute.is_empty() {
            self.vouched.push(name.clone());
        }
        self.functions.push(Function { name, pointer: None, takes_float: true, gives_float: true });
    }

    fn reads_its_thread(&mut self) {
        let name = "r_@".to_owned();
        self.before.push(join!["static _Thread_local int tl_@;\n"]);
        self.enter.push_str("  tl_@ = z_ + 3;\n");
        let attribute = *self.dice.pick(&["__attribute__((pure)) ", "__attribute__((pure, unused)) ", ""]);
        self.before.push(join![format!("{attribute}static int {name}(int x) {{ return tl_@ % 9 + x; }}\n")]);
        if attribute.is_empty() {
            self.vouched.push(name.clone());
        }
        self.functions.push(Function { name, pointer: None, takes_float: false, gives_float: false });
    }

    /// The function names an array, which the region may find through a pointer.
    fn reads_an_object(&mut self) {
        let flat = |a: &&Array| a.rows == Rows::None && a.name.starts_with('g');
        if !self.arrays.iter().any(|a| flat(&a)) {
            self.object(7);
        }
        let objects: Vec<Array> = self.arrays.iter().filter(flat).cloned().collect();
        if objects.is_empty() {
            return self.computes();
        }
        let array = self.dice.pick(&objects).clone();
        self.read = Some(array.home.clone());
        let through = self.dice.one_in(2);
        if through {
            self.second_name(&array);
        }
        let from = if through { BASE } else { 0 };
        let by_argument = self.dice.one_in(2);
        let subscript =
            if by_argument { format!("{from} + (x & 7)") } else { (from + self.dice.between(0, 6)).to_string() };
        let read = format!("{}[{subscript}]", array.name);
        let float = array.element.is_float();
        let (ty, value) =
            if float { ("double", format!("{read} * 0.5")) } else { ("int", format!("(int)({read} % 9)")) };
        let takes_float = float && !by_argument;
        let takes = if takes_float { "double" } else { "int" };
        let attribute = *self.dice.pick(&["pure", "pure", "pure, unused"]);
        let name = "r_@".to_owned();
        let head = format!("__attribute__(({attribute})) static {ty} {name}({takes} x)");
        self.before.push(join![format!("{head} {{ return {value} + x; }}\n")]);
        self.functions.push(Function { name, pointer: None, takes_float, gives_float: float });
    }

    /// A parameter that leads to an array object.
    fn second_name(&mut self, of: &Array) {
        let name = self.name("z");
        let at = BASE + self.dice.between(-2, 3);
        self.parameters.push((format!("{} *{name}", of.element.name()), format!("{} + {at}", of.name)));
        let (low, high, home) = (-BASE + 4, OBJECT - BASE - 4, Home::Object(of.name.clone()));
        self.arrays.push(Array { name, home, low, high, writable: true, alone: false, restrict: false, ..of.clone() });
    }

    fn reads_through_a_pointer(&mut self) {
        let flat: Vec<Array> = self.arrays.iter().filter(|a| is_readable(a)).cloned().collect();
        if flat.is_empty() {
            return self.computes();
        }
        let array = self.dice.pick(&flat).clone();
        self.read = Some(array.home);
        let element = array.element;
        let float = element.is_float();
        let (ty, value) = if float { ("double", "q[x & 7] * 0.5") } else { ("int", "(int)(q[x & 7] % 9)") };
        let name = "r_@".to_owned();
        let restrict = *self.dice.pick(&["", "", "restrict "]);
        let head = format!("__attribute__((pure)) static {ty} {name}(const {} *{restrict}q, int x)", element.name());
        self.before.push(join![format!("{head} {{ return {value} + x; }}\n")]);
        self.functions.push(Function { name, pointer: Some(element), takes_float: false, gives_float: float });
    }

    /// A value with a call, where regions call often.
    pub fn with_call(&mut self, value: Node, ty: Type) -> Node {
        if !self.calls || self.functions.is_empty() || self.dice.one_in(2) {
            return value;
        }
        join!["(", value, " + ", self.call(ty.is_float()), ")"]
    }

    /// A call of a function that only computes; it may read what others write.
    pub fn call(&mut self, float: bool) -> Node {
        if self.functions.is_empty() || (!self.calls && self.dice.one_in(3)) {
            let name = if float {
                *self.dice.pick(&["HALF_OF_", "twice_", "__builtin_fabs"])
            } else {
                *self.dice.pick(&["odd_", "SQUARE_"])
            };
            let argument = self.argument(float);
            return join![name, "(", argument, ")"];
        }
        let function = self.dice.pick(&self.functions).clone();
        let argument = self.argument(function.takes_float);
        let leads: Vec<Array> =
            self.arrays.iter().filter(|a| is_readable(a) && Some(a.element) == function.pointer).cloned().collect();
        if function.pointer.is_some() && leads.is_empty() {
            return join!["1"];
        }
        let first = if leads.is_empty() { String::new() } else { format!("{}, ", self.dice.pick(&leads).name) };
        let call = join![function.name, "(", first, argument, ")"];
        if function.gives_float == float {
            return call;
        }
        if function.gives_float { join!["(", call, " > 1)"] } else { join!["(double)", call] }
    }

    fn argument(&mut self, float: bool) -> Node {
        if float {
            return self.scalar_value(true);
        }
        let known = self.known();
        if self.dice.one_in(2) && !known.is_empty() {
            return number(&mut self.dice, &known, 1).node;
        }
        Number::plain(self.dice.between(0, 5)).node
    }
}

/// Whether elements 0 to 7 are there.
fn is_readable(array: &Array) -> bool {
    array.rows == Rows::None && array.low <= 0 && array.high >= 7
}
