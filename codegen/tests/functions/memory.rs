//! The memory that a function reaches, under all the names that it has there.

use super::function::Writer;
use super::numbers::{Known, Number, Type, constant, number};
use super::tree::{Node, Sort, join};

/// Length of rows of fixed length.
pub const ROW: i64 = 20;
/// What rows of variable length have beyond `n`.
pub const BEYOND: i64 = 12;
/// Number of rows.
pub const ROWS: i64 = 24;
/// Elements of an array object.
pub const OBJECT: i64 = 160;
/// Element of a store or object that subscript 0 of a pointer leads to.
pub const BASE: i64 = 40;

/// How long rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// There is one dimension.
    None,
    Fixed,
    /// `n + BEYOND`
    Variable,
}

/// Where elements live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// A store of the judge's arena.
    Store(usize),
    /// An array at file scope.
    Object(String),
    /// A local array.
    Local,
}

/// A name for an array.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    pub element: Type,
    pub rows: Rows,
    pub home: Home,
    /// Subscripts of the first dimension.
    pub low: i64,
    pub high: i64,
    pub writable: bool,
    /// No other pointer reaches it but those that were derived from it.
    pub alone: bool,
    pub restrict: bool,
}

impl Writer {
    /// One more store of the judge's arena.
    pub fn store(&mut self, element: Type) -> Home {
        self.kinds.push(element.letter());
        Home::Store(self.kinds.len() - 1)
    }

    fn element(&mut self) -> Type {
        if !self.dice.one_in(3) {
            return self.favourite;
        }
        let all = [
            Type::F64,
            Type::F64,
            Type::F32,
            Type::I32,
            Type::U32,
            Type::I64,
            Type::U64,
            Type::I8,
            Type::U8,
            Type::I16,
            Type::U16,
        ];
        *self.dice.pick(&all)
    }

    /// The arrays that the function meets.
    pub fn arrays(&mut self) {
        for at in 0..=self.dice.weigh(&[3, 5, 4, 1]) {
            match self.dice.weigh(&[14, 8, 5, 3, 2]) {
                0 => self.pointer(at),
                1 => self.matrix(at),
                2 => self.object(at),
                3 => self.member(at),
                _ => self.local(at),
            }
        }
        for _ in 0..self.dice.weigh(&[9, 6, 2]) {
            self.derive();
        }
        if self.arrays.iter().all(|a| !a.writable) {
            self.pointer(9);
        }
    }

    fn qualifier(&mut self, restrict: bool) -> &'static str {
        let plain = if self.dice.one_in(4) { "*const " } else { "*" };
        if restrict { "*restrict " } else { plain }
    }

    /// A pointer parameter; several may lead to one object.
    fn pointer(&mut self, at: usize) {
        let restrict = self.dice.one_in(2);
        let name = self.name(["a", "b", "c", "x", "y", "A"][at.min(5)]);
        let shared: Vec<Array> =
            self.arrays.iter().filter(|a| !a.alone && a.rows == Rows::None && a.home != Home::Local).cloned().collect();
        let shift = self.dice.between(-2, 3);
        let (element, home, low, high) = if !restrict && !shared.is_empty() && self.dice.one_in(2) {
            let other = self.dice.pick(&shared).clone();
            // Both lead to the middle of one object.
            (other.element, other.home, -BASE + 4, OBJECT - BASE - 4)
        } else {
            let element = self.element();
            (element, self.store(element), -BASE + 4, OBJECT - BASE - 4)
        };
        let writable = at == 9 || !self.dice.one_in(4);
        let constant = if writable { "" } else { "const " };
        let qualifier = self.qualifier(restrict);
        let declared = if !restrict && self.dice.one_in(8) {
            format!("{constant}{} {name}[]", element.name())
        } else {
            format!("{constant}{} {qualifier}{name}", element.name())
        };
        let argument = match &home {
            Home::Store(k) => format!("({} *)(m_ + {k} * 16384) + {}", element.name(), BASE + shift),
            Home::Object(object) => format!("{object} + {}", BASE + shift),
            Home::Local => unreachable!("a local array has no pointer parameter"),
        };
        self.parameters.push((declared, argument));
        self.arrays.push(Array {
            name,
            element,
            rows: Rows::None,
            home,
            low,
            high,
            writable,
            alone: restrict,
            restrict,
        });
    }

    /// A parameter with rows.
    fn matrix(&mut self, at: usize) {
        let restrict = self.dice.one_in(2);
        let name = self.name(["A", "B", "C", "D", "E", "F"][at.min(5)]);
        let element = self.element();
        let rows = if self.dice.one_in(2) { Rows::Fixed } else { Rows::Variable };
        let shared: Vec<Array> = self
            .arrays
            .iter()
            .filter(|a| !a.alone && a.rows == rows && a.element == element && matches!(a.home, Home::Store(_)))
            .cloned()
            .collect();
        let home = if !restrict && !shared.is_empty() && self.dice.one_in(2) {
            self.dice.pick(&shared).home.clone()
        } else {
            self.store(element)
        };
        let shift = if restrict { 0 } else { self.dice.between(0, 2) };
        let length = match rows {
            Rows::Fixed => ROW.to_string(),
            _ => format!("{} + {BEYOND}", self.size),
        };
        let writable = !self.dice.one_in(5);
        let constant = if writable { "" } else { "const " };
        let declared = match self.dice.below(3) {
            0 if !restrict => format!("{constant}{} {name}[{ROWS}][{length}]", element.name()),
            1 if !restrict => format!("{constant}{} {name}[][{length}]", element.name()),
            _ if restrict => format!("{constant}{} (*restrict {name})[{length}]", element.name()),
            _ => format!("{constant}{} (*{name})[{length}]", element.name()),
        };
        let Home::Store(k) = home else { unreachable!("rows live in stores") };
        let columns = if rows == Rows::Fixed { ROW.to_string() } else { format!("(z_ + {BEYOND})") };
        let argument = format!("(void *)(({} *)(m_ + {k} * 16384) + {shift} * {columns})", element.name());
        self.parameters.push((declared, argument));
        let home = Home::Store(k);
        self.arrays.push(Array {
            name,
            element,
            rows,
            home,
            low: 0,
            high: ROWS - 1,
            writable,
            alone: restrict,
            restrict,
        });
    }

    /// An array at file scope, sometimes with a second name.
    pub fn object(&mut self, at: usize) {
        let name = format!("g{at}_@");
        let element = self.element();
        let Home::Store(k) = self.store(element) else { unreachable!("a store") };
        let two = self.dice.one_in(3);
        let length = if two { format!("[{ROWS}][{ROW}]") } else { format!("[{OBJECT}]") };
        let storage = if self.dice.one_in(40) { "static _Thread_local" } else { "static" };
        let aligned = if self.dice.one_in(6) { " __attribute__((aligned(64)))" } else { "" };
        self.before.push(join![format!("{storage} {} {name}{length}{aligned};\n", element.name())]);
        self.enter.push_str(&format!("  __builtin_memcpy({name}, m_ + {k} * 16384, sizeof {name});\n"));
        self.leave.push_str(&format!("  __builtin_memcpy(m_ + {k} * 16384, {name}, sizeof {name});\n"));
        let (low, high) = if two { (0, ROWS - 1) } else { (0, OBJECT - 1) };
        let rows = if two { Rows::Fixed } else { Rows::None };
        let home = Home::Object(name.clone());
        let array = Array { name, element, rows, home, low, high, writable: true, alone: two, restrict: false };
        if !two && storage == "static" && self.dice.one_in(9) {
            let other = format!("h{at}_@");
            let text = if self.dice.one_in(2) {
                format!("extern {} {other}[{OBJECT}] __attribute__((alias(\"{}\")));\n", element.name(), array.name)
            } else {
                format!("static {} {other}[{OBJECT}] __attribute__((alias(\"{}\")));\n", element.name(), array.name)
            };
            self.before.push(join![text]);
            self.pair = Some((other.clone(), array.name.clone()));
            self.arrays.push(Array { name: other, ..array.clone() });
        }
        self.arrays.push(array);
    }

    /// An array in a struct variable.
    fn member(&mut self, at: usize) {
        let (name, tag) = (format!("v{at}_@"), format!("struct s{at}_@"));
        let element = self.element();
        let Home::Store(k) = self.store(element) else { unreachable!("a store") };
        let ty = element.name();
        self.before.push(join![format!("{tag} {{ int first; {ty} part[{OBJECT}]; }};\nstatic {tag} {name};\n")]);
        self.enter.push_str(&format!("  __builtin_memcpy(&{name}, m_ + {k} * 16384, sizeof {name});\n"));
        self.leave.push_str(&format!("  __builtin_memcpy(m_ + {k} * 16384, &{name}, sizeof {name});\n"));
        let local = self.dice.one_in(3);
        let root = if local { self.name("own") } else { name.clone() };
        if local {
            self.begin.push(join![format!("  {tag} {root} = {name};\n")]);
            self.end.push(join![format!("  {name} = {root};\n")].statement());
        }
        let home = if local { Home::Local } else { Home::Object(format!("{name}.part")) };
        let name = format!("{root}.part");
        let array = Array {
            name: name.clone(),
            element,
            rows: Rows::None,
            home,
            low: 0,
            high: OBJECT - 1,
            writable: true,
            alone: local,
            restrict: false,
        };
        self.arrays.push(array.clone());
        if local && self.dice.one_in(2) {
            // The array decays: its address is known without an operator that takes it.
            let (pointer, by) = (self.name("p"), self.dice.between(0, 2));
            self.begin.push(join![format!("  {ty} *{pointer} = {name} + {by};\n")]);
            self.pair = Some(if self.dice.one_in(3) { (name, pointer.clone()) } else { (pointer.clone(), name) });
            self.arrays.push(Array { name: pointer, low: -by, high: OBJECT - 4, ..array });
        }
    }

    /// A local array, which the function gives back.
    fn local(&mut self, at: usize) {
        let name = self.name(&format!("l{at}"));
        let element = self.element();
        let Home::Store(k) = self.store(element) else { unreachable!("a store") };
        let two = self.dice.one_in(3);
        let length = if two { format!("[{ROWS}][{ROW}]") } else { format!("[{OBJECT}]") };
        let declared = format!("void *i{at}_");
        self.parameters.push((declared, format!("m_ + {k} * 16384")));
        self.begin.push(join![format!(
            "  {} {name}{length};\n  __builtin_memcpy({name}, i{at}_, sizeof {name});\n",
            element.name()
        )]);
        self.end.push(join![format!("  __builtin_memcpy(i{at}_, {name}, sizeof {name});\n")].statement());
        let (low, high) = if two { (0, ROWS - 1) } else { (0, OBJECT - 1) };
        let rows = if two { Rows::Fixed } else { Rows::None };
        self.arrays.push(Array {
            name,
            element,
            rows,
            home: Home::Local,
            low,
            high,
            writable: true,
            alone: false,
            restrict: false,
        });
    }

    /// A local pointer into another array.
    fn derive(&mut self) {
        let at = self.dice.below(self.arrays.len());
        let from = self.arrays[at].clone();
        let wish = *self.dice.pick(&["p", "q", "left", "last"]);
        let name = self.name(wish);
        let ty = from.element.name();
        let constant = if from.writable { "" } else { "const " };
        let size = self.size.clone();
        let of = &from.name;
        if from.rows != Rows::None {
            let length = if from.rows == Rows::Fixed { ROW.to_string() } else { format!("{size} + {BEYOND}") };
            let offset = ["", " + 1", " + 2"][self.dice.below(3)];
            self.begin.push(join![format!("  {constant}{ty} (*{name})[{length}] = {of}{offset};\n")]);
            self.arrays.push(Array { name, high: from.high - 4, restrict: false, ..from });
            return;
        }
        // With how many elements the new subscript 0 lies at least behind the old one.
        let mut alone = false;
        let (start, ahead) = match self.dice.below(9) {
            0 | 1 => {
                let by = self.dice.between(1, 3);
                (format!("{of} + {by}"), by)
            }
            2 => (format!("&{of}[{size} + 1]"), 1),
            3 => (of.clone(), 0),
            4 => {
                let by = self.dice.between(1, 3);
                (format!("&{of}[{by}]"), by)
            }
            5 => {
                let tag = format!("struct p{}_@", self.arrays.len());
                self.before.push(join![format!("{tag} {{ {constant}{ty} *to; int other; }};\n")]);
                self.begin.push(join![format!("  {tag} u{} = {{ {of} + 1, 2 }};\n", self.arrays.len())]);
                (format!("u{}.to", self.arrays.len()), 1)
            }
            6 => (format!("({size} > 2 ? {of} + 1 : {of} + 2)"), 1),
            // Objects have other names, which the function's end or a pure function uses.
            7 if matches!(from.home, Home::Store(_)) => {
                // A pointer that only a local `restrict` pointer was made from.
                alone = true;
                let between = self.name("u");
                self.begin.push(join![format!("  {constant}{ty} *restrict {between} = {of};\n")]);
                self.arrays[at].name.clone_from(&between);
                self.arrays[at].restrict = true;
                let by = self.dice.between(0, 2);
                (format!("{between} + {by}"), by)
            }
            _ => (format!("1 + {of}"), 1),
        };
        // The others that lead there may not, when a local `restrict` pointer was made.
        if alone {
            let home = from.home.clone();
            let kept = self.arrays[at].name.clone();
            self.arrays.retain(|a| a.name == kept || a.home != home);
        }
        let (low, high) = (from.low - ahead, from.high - 16);
        self.begin.push(join![format!("  {constant}{ty} *{name} = {start};\n")]);
        self.arrays.push(Array { name, low, high, restrict: false, ..from });
    }

    /// The counter that is `back` loops away, and a constant.
    fn own_subscript(&mut self, back: usize, low: i64, high: i64, over: Option<i64>) -> Number {
        let all = std::mem::take(&mut self.counters);
        self.counters = all[all.len().saturating_sub(back)..].iter().take(1).cloned().collect();
        let own = self.counters.first().map(Number::of);
        let room = |n: &Number, c: i64| n.low + c >= low && n.high + c <= high && over.is_none_or(|o| n.over + c < o);
        let shift = if self.dice.one_in(2) { 0 } else { self.dice.between(-1, 2) };
        let number = match own {
            Some(own) if shift == 0 && room(&own, 0) => own,
            Some(own) if shift != 0 && room(&own, shift) => {
                let c = constant(&mut self.dice, shift);
                own.plus(c, " + ")
            }
            Some(own) if room(&own, 3) => own.plus(Number::plain(3), " + "),
            _ => self.subscript(low, high, over),
        };
        self.counters = all;
        number
    }

    /// An expression of parameters and counters from `low` to `high`, and beyond `n` by less than `over`.
    pub fn subscript(&mut self, low: i64, high: i64, over: Option<i64>) -> Number {
        let counters = self.counters.clone();
        let known: Vec<Known> = if self.dice.one_in(4) { self.known() } else { counters };
        for _ in 0..6 {
            let depth = self.dice.weigh(&[8, 4, 1]);
            let value = number(&mut self.dice, &known, depth);
            let (least, most) = (low - value.low, (high - value.high).min(over.map_or(high, |o| o - 1 - value.over)));
            if least > most {
                continue;
            }
            let wanted = self.dice.between(-1, 2).clamp(least, most);
            return match wanted {
                0 => value,
                c if c < 0 => {
                    let c = constant(&mut self.dice, -c);
                    value.minus(c)
                }
                c => {
                    let c = constant(&mut self.dice, c);
                    value.plus(c, " + ")
                }
            };
        }
        Number::plain(self.dice.between(low.max(0), high.min(low.max(0) + 3)))
    }

    /// An element: its text and type.
    pub fn access(&mut self, write: bool) -> (Node, Type) {
        let fitting: Vec<Array> = self.arrays.iter().filter(|a| a.writable || !write).cloned().collect();
        // What is read is mostly not what the region writes: else few loops would be parallel.
        let other: Vec<Array> = fitting.iter().filter(|a| !self.targets.contains(&a.home)).cloned().collect();
        let fitting = if write || other.is_empty() || self.dice.one_in(7) { fitting } else { other };
        // The other names of what is written are met now and then.
        let own = if write { None } else { self.targets.last().cloned() };
        let again: Vec<Array> = self.arrays.iter().filter(|a| Some(&a.home) == own.as_ref()).cloned().collect();
        let fitting = if again.len() > 1 && self.dice.one_in(5) { again } else { fitting };
        // As many dimensions as loops make elements that only one iteration writes.
        let deep = self.counters.len() > 1;
        let alike: Vec<Array> = fitting.iter().filter(|a| (a.rows != Rows::None) == deep).cloned().collect();
        let fitting = if write && !alike.is_empty() && !self.dice.one_in(4) { alike } else { fitting };
        // Functions that are called often read what is written.
        let prey: Vec<Array> =
            self.arrays.iter().filter(|a| a.writable && self.read.as_ref() == Some(&a.home)).cloned().collect();
        let fitting = if write && self.calls && !prey.is_empty() && !self.dice.one_in(3) { prey } else { fitting };
        let wanted = self.pair.as_ref().map(|(written, read)| if write { written } else { read });
        let one: Vec<Array> = self.arrays.iter().filter(|a| Some(&a.name) == wanted).cloned().collect();
        let fitting = if !one.is_empty() && self.dice.one_in(2) { one } else { fitting };
        let array = self.dice.pick(&fitting).clone();
        let own = write && !self.dice.one_in(14);
        if write {
            self.targets.push(array.home.clone());
        }
        if array.rows == Rows::None {
            let i = if own {
                self.own_subscript(1, array.low, array.high, None)
            } else {
                self.subscript(array.low, array.high, None)
            };
            let i = i.node;
            let text = match self.dice.weigh(&[16, 1, 1, 1, 1]) {
                0 => join![&array.name, "[", i, "]"],
                1 => join!["*(", &array.name, " + ", i, ")"],
                2 => join!["(", i, ")[", &array.name, "]"],
                3 => join!["AT_(", &array.name, ", ", i, ")"],
                _ => join!["(&", &array.name, "[1])[", i, " - 1]"],
            };
            return (text, array.element);
        }
        let (over, last) = match array.rows {
            Rows::Variable => (Some(BEYOND), 40),
            _ => (None, ROW - 1),
        };
        let (i, j) = if self.leaves_rows {
            (
                self.subscript(array.low + 1, array.high - 1, None).node,
                self.subscript(-3, last + 1, over.map(|o| o + 2)).node,
            )
        } else if own {
            (self.own_subscript(2, array.low, array.high, None).node, self.own_subscript(1, 0, last, over).node)
        } else {
            (self.subscript(array.low, array.high, None).node, self.subscript(0, last, over).node)
        };
        let text = match self.dice.weigh(&[16, 1, 1]) {
            0 => join![&array.name, "[", i, "][", j, "]"],
            1 => join!["(*(", &array.name, " + ", i, "))[", j, "]"],
            _ => join!["*(", &array.name, "[", i, "] + ", j, ")"],
        };
        (text.sort(Sort::Fixed), array.element)
    }
}
