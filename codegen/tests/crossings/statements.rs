//! Statements and expressions of the bodies of loops.

use super::function::{Claim, Writer};

impl Writer {
    fn counter(&mut self) -> &'static str {
        let list = self.counters.clone();
        self.choices.pick(&list)
    }

    fn outer(&self) -> &'static str {
        self.counters[0]
    }

    fn innermost(&self) -> &'static str {
        self.counters[self.counters.len() - 1]
    }

    /// A subscript from 0 to about 100.
    fn index(&mut self) -> String {
        let it = self.counter();
        let kinds = if self.gathers { 13 } else { 8 };
        match self.choices.below(kinds) {
            1 => format!("{it} + 1"),
            2 => format!("{it} + {}", self.counter()),
            3 => format!("{it} * 8 + {}", self.counter()),
            4 => format!("{it} * {} + {}", self.size(), self.counter()),
            5 => format!("{} - {it} + 7", self.size()),
            8 if self.apart && self.globals => format!("ga[{it} + 20]"),
            9 if self.apart && self.globals => format!("whole.u[{it}] + {}", self.counter()),
            8 => format!("idx[{it}]"),
            9 => format!("b[{it} + 1] + {}", self.counter()),
            10 if self.claim != Claim::True => format!("ga[{it}] * 8 + {}", self.counter()),
            6 if !self.scalars.is_empty() && self.claim != Claim::True => "at".to_owned(),
            7 if !self.scalars.is_empty() && self.claim != Claim::True => format!("at + {it}"),
            11 => format!("perm[{it}]"),
            12 => format!("{it} * 3 % 8"),
            _ => it.to_owned(),
        }
    }

    fn short_index(&mut self) -> String {
        let it = self.counter();
        match self.choices.below(6) {
            1 => format!("{it} + 1"),
            2 if self.gathers => {
                if self.apart && self.globals {
                    format!("perm8[{it} & 7]")
                } else {
                    format!("idx[{it}]")
                }
            }
            3 => format!("{it} + {}", self.counter()),
            _ => it.to_owned(),
        }
    }

    /// An element that is read. Where iterations truly are independent it is none that they write.
    fn element(&mut self) -> String {
        let (index, short, row) = (self.index(), self.short_index(), self.short_index());
        let truly = self.claim == Claim::True;
        if self.gathers && self.apart {
            if self.globals {
                return match self.choices.below(6) {
                    1 => format!("ga[{index}]"),
                    2 => format!("whole.v[{row}][{short}]"),
                    3 => format!("whole.u[{short}]"),
                    4 if self.private => format!("own[{} & 7]", self.index()),
                    _ => format!("perm[{short}]"),
                };
            }
            return match self.choices.below(9) {
                1 | 2 => format!("b[{index}]"),
                3 => format!("s.v[{row}][{short}]"),
                4 if !truly => format!("a[{index}]"),
                6 => format!("s.u[{short}]"),
                7 if self.private => format!("own[{} & 7]", self.index()),
                _ => format!("idx[{short}]"),
            };
        }
        match self.choices.below(14) {
            1 => format!("b[{index}]"),
            2 => format!("g->b[{index}]"),
            3 => format!("rows[1][{index}]"),
            4 => format!("g->p->u[{short}]"),
            5 => format!("s.v[{row}][{short}]"),
            6 => format!("PU({short})"),
            7 if !truly => format!("g->a[{index}]"),
            8 if !truly => format!("a[{index}]"),
            9 if !truly => format!("ga[{index}]"),
            10 if !truly => format!("whole.v[{row}][{short}]"),
            11 if !truly => format!("g->q.v[{row}][{short}]"),
            12 if self.choices.chance(20) => format!("g->bytes[{short}]"),
            13 if self.private => format!("own[{} & 7]", self.index()),
            _ => format!("idx[{short}]"),
        }
    }

    /// A number.
    fn number(&mut self, deep: usize) -> String {
        if deep == 0 {
            return match self.choices.below(9) {
                1 => self.counter().to_owned(),
                2 => self.size().to_owned(),
                3 if self.private => self.choices.pick(&["t", "two.one", "two.two"]).to_owned(),
                4 if !self.scalars.is_empty() && self.claim != Claim::True => "at".to_owned(),
                5 => "3".to_owned(),
                6 => self.choices.pick(&["s.c", "g->c", "whole.c", "rows[0][2]"]).to_owned(),
                _ => self.element(),
            };
        }
        let (one, other) = (self.number(deep - 1), self.number(deep - 1));
        match self.choices.below(14) {
            1 => format!("({one} * 3 - {other})"),
            2 => format!("({one} & {other})"),
            3 => format!("({one} < {other} ? {other} : {one})"),
            4 => format!("value_@({one}, {other})"),
            5 => format!("(number)real_@({one}, {other})"),
            6 | 7 if self.claim == Claim::True => format!("sum_@(b + {})", self.counter()),
            6 => format!("sum_@(&ga[{}])", self.counter()),
            7 => {
                let places = if self.gathers { 3 } else { 5 };
                let from = self.choices.pick(&["b", "a", "whole.u", "g->b", "rows[1]"][..places]);
                format!("sum_@({from} + {})", self.counter())
            }
            8 => format!("({one} ^ ({other} & 3))"),
            9 => format!("({one} == {other})"),
            10 => one,
            _ => format!("({one} + {other})"),
        }
    }

    fn target(&mut self) -> String {
        let (out, inn) = (self.outer(), self.innermost());
        let flat = match self.counters.len() {
            1 => out.to_owned(),
            2 => format!("{out} * 10 + {inn}"),
            _ => format!("({out} * 10 + {}) * 10 + {inn}", self.counters[1]),
        };
        let row = if self.counters.len() > 1 { format!("{out}][{inn}") } else { format!("{out}][2") };
        if self.claim == Claim::True {
            // Another element in each iteration of the outermost loops.
            let inner = if self.counters.len() > 1 { format!(" + {inn}") } else { String::new() };
            return match self.choices.below(4) {
                1 => format!("whole.v[perm[{out}]][perm[{inn}]]"),
                2 => {
                    self.seen = false;
                    format!("a[perm[{out}] * 16{inner}]")
                }
                3 => format!("g->a[{out} * 20{inner}]"),
                _ => format!("ga[perm[{out}] * 16{inner}]"),
            };
        }
        let index = self.index();
        if self.gathers && self.apart {
            if self.globals {
                return match self.choices.below(6) {
                    1 | 2 => format!("whole.v[{row}]"),
                    3 => format!("ga[{index}]"),
                    4 => format!("whole.u[{}]", self.short_index()),
                    _ => format!("ga[{flat}]"),
                };
            }
            return match self.choices.below(6) {
                3 => format!("b[{flat}]"),
                5 => {
                    self.seen = false;
                    format!("a[{index}]")
                }
                _ => format!("a[{flat}]"),
            };
        }
        match self.choices.below(18) {
            1 => format!("g->a[{flat}]"),
            2 => format!("ga[{flat}]"),
            3 => format!("whole.v[{row}]"),
            4 => format!("g->p->v[{row}]"),
            5 => format!("rows[1][{flat}]"),
            6 => format!("b[{flat}]"),
            7 => format!("g->q.v[{row}]"),
            8 => format!("ga[{index}]"),
            9 => {
                self.seen = false;
                format!("a[{index}]")
            }
            10 => format!("g->b[{flat} + 1]"),
            11 if self.choices.chance(15) => {
                self.seen = false;
                format!("g->bytes[{}]", self.short_index())
            }
            12 if self.choices.chance(30) => self
                .choices
                .pick(&["g->c", "g->n", "*len", "dims[1]", "whole.c", "many[3]", "gn", "g->sizes[2]", "idx[2]"])
                .to_owned(),
            13 => format!("whole.u[{}]", self.short_index()),
            _ => format!("a[{flat}]"),
        }
    }

    /// Each iteration first writes what it has of its own.
    pub fn private_values(&mut self) {
        let declared = if self.old { "" } else { "int " };
        if self.old {
            self.declarations.push("int e;".to_owned());
        }
        self.private = false;
        let value = self.number(1);
        self.private = true;
        self.line(1, &format!("t = ({value}) & 7;"));
        let more = self.choices.pick(&["t", "t + e", "e"]);
        self.line(1, &format!("for ({declared}e = 0; e < 8; e++)\n  own[e] = ({more}) & 7;"));
        self.line(1, "two.one = t;\ntwo.two = own[3];\ntwo.three = 0;");
    }

    pub fn reduction(&mut self, depth: usize, name: &str, operator: &str) {
        let value = if name == "rr" { self.real() } else { format!("({}) & 7", self.number(1)) };
        let text = match operator {
            "+" => match self.choices.below(5) {
                1 => format!("{name} -= {value};"),
                2 => format!("{name} = {name} + ({value});"),
                3 if name != "rr" => format!("{name}++;"),
                4 => format!("{name} += {value};\n{name} += 1;"),
                _ => format!("{name} += {value};"),
            },
            "*" if name == "rr" => format!("{name} *= 1 + ({value}) / 64;"),
            "*" => format!("{name} *= ({value}) % 2 * 2 - 1;"),
            "min" | "max" => {
                let sign = if operator == "min" { "<" } else { ">" };
                match self.choices.below(4) {
                    1 => format!("{name} = {value} {sign} {name} ? {value} : {name};"),
                    2 if name != "rr" => format!("{name} = {name} {sign} ({value}) ? {name} : ({value});"),
                    _ => format!("if (({value}) {sign} {name})\n  {name} = ({value});"),
                }
            }
            "&&" | "||" => format!("{name} = {name} {operator} (({value}) > 2);"),
            _ => format!("{name} {operator}= {value};"),
        };
        let condition = match self.choices.below(5) {
            1 => format!("if (({}) & 1) ", self.element()),
            2 => format!("if ({} < {}) ", self.counter(), self.size()),
            _ => String::new(),
        };
        if condition.is_empty() {
            self.line(depth, &text);
        } else {
            self.line(depth, &format!("{condition}{{\n{text}\n}}"));
        }
    }

    /// A number of which sums, minima and maxima are exact.
    fn real(&mut self) -> String {
        let (index, it) = (self.index(), self.counter());
        let kinds = if self.gathers { 5 } else { 7 };
        match self.choices.below(kinds) {
            1 => format!("y[{it}] * 2"),
            // Where `gx` is written, no other iteration may read it.
            2 if self.claim == Claim::True => format!("x[{it}] + {it}"),
            2 => format!("gx[{it}] + {it}"),
            3 => format!("y[{index}] - x[{it}]"),
            4 => format!("real_@(y[{it}], 2)"),
            5 => format!("g->x[{index}]"),
            6 => format!("({} & 7)", self.number(0)),
            _ => format!("x[{it}]"),
        }
    }

    fn real_target(&mut self) -> String {
        let (out, inn) = (self.outer(), self.innermost());
        let flat = if self.counters.len() > 1 { format!("{out} * 16 + {inn}") } else { out.to_owned() };
        if self.claim == Claim::True {
            return if self.counters.len() > 1 { format!("gx[{out} * 10 + {inn}]") } else { format!("gx[{out} * 10]") };
        }
        match self.choices.below(5) {
            1 => format!("y[{flat}]"),
            2 if !self.gathers => format!("g->x[{flat} + 2]"),
            3 => format!("gx[{}]", self.short_index()),
            _ => format!("x[{flat}]"),
        }
    }

    fn change(&mut self, depth: usize) {
        let change = self.choices.pick(&["at++;", "at += 2;", "at--;", "at = at + m;", "at += g->c;", "++at;"]);
        let it = self.counter();
        let condition = match self.choices.below(8) {
            1 => format!("if (idx[{it}] & 1) "),
            2 => format!("if ({it} > 2) "),
            _ => String::new(),
        };
        self.line(depth, &format!("{condition}{change}"));
    }

    fn call(&mut self, depth: usize) {
        let value = self.number(0);
        if self.choices.chance(25) {
            // By a number of the iteration whose address a function gets.
            self.line(depth, &format!("{{ number kept = {value};"));
            self.line(depth + 1, "step_@(&kept);");
            self.call_by(depth + 1, "kept");
            return self.line(depth, "}");
        }
        self.call_by(depth, &value);
    }

    fn call_by(&mut self, depth: usize, value: &str) {
        let (out, inn) = (self.outer(), self.innermost());
        if self.claim == Claim::True {
            let to = self.choices.pick(&["&ga[perm[i] * 16]", "g->a + i * 20"]);
            return self.line(depth, &format!("array_@({to}, b + {inn}, {value});"));
        }
        let kinds = if self.gathers && self.apart { 4 } else { 8 };
        let to = match self.choices.below(kinds) {
            _ if kinds == 4 && self.globals => format!("&ga[{out} * 8]"),
            1 => format!("&ga[{out} * 8]"),
            2 | 6 if kinds == 4 => {
                self.seen = false;
                format!("a + idx[{inn}]")
            }
            2 => format!("g->a + {out} * 4"),
            3 => format!("whole.v[{out}]"),
            4 => format!("g->p->v[{inn}]"),
            5 => format!("&whole.v[{out}][{inn}]"),
            6 => format!("a + idx[{inn}]"),
            7 => format!("rows[1] + 4 * {inn}"),
            _ => format!("a + 4 * {out}"),
        };
        let from = match self.choices.below(7) {
            _ if self.gathers && self.apart && self.globals => format!("&whole.u[{inn}]"),
            _ if self.strict || self.gathers => format!("b + {inn}"),
            1 => format!("&ga[{inn} + 8]"),
            2 => format!("g->b + {out} * 4"),
            3 => format!("whole.v[{out} + 1]"),
            4 => format!("g->q.v[{inn}]"),
            5 if !self.apart => format!("a + 4 * {inn}"),
            6 => "idx".to_owned(),
            _ => format!("b + {inn}"),
        };
        self.line(depth, &format!("array_@({to}, {from}, {value});"));
    }

    /// What leaves out a part of an iteration, or of a loop in it.
    fn jump(&mut self, depth: usize) {
        let (left, to, value) = (self.number(0), self.target(), self.number(1));
        let text = match self.choices.below(5) {
            0 | 1 => format!("if (({left}) & 1)\n  continue;\n{to} = ({value}) & 7;"),
            2 if self.counters.len() > 1 && !self.both => {
                format!("if ((({left}) & 3) == 3)\n  break;\n{to} = ({value}) & 7;")
            }
            3 => {
                let (other, more) = (self.target(), self.number(0));
                let end = self.choices.pick(&["break;", "", "continue;"]);
                format!(
                    "switch (({left}) & 3) {{\ncase 0:\n  {to} = ({value}) & 7;\n  {end}\ncase 2:\n  {other} = ({more}) & 7;\n}}"
                )
            }
            _ => {
                self.declare_once("int q;");
                let end = if self.choices.chance(40) { format!(" && {to} < 5") } else { String::new() };
                format!("q = 0;\nwhile (q++ < 2{end})\n  {to} = ({to} + ({value})) & 7;")
            }
        };
        self.line(depth, &text);
    }

    fn declare_once(&mut self, declaration: &str) {
        if !self.declarations.iter().any(|d| d == declaration) {
            self.declarations.push(declaration.to_owned());
        }
    }

    pub fn statement(&mut self, depth: usize) {
        if !self.reduced.is_empty() && self.choices.chance(50) {
            let at = self.choices.below(self.reduced.len());
            let (name, operator) = self.reduced[at];
            return self.reduction(depth, name, operator);
        }
        match self.choices.below(18) {
            1 | 2 => {
                let (to, from, other) = (self.real_target(), self.real(), self.real());
                let operator = self.choices.pick(&["=", "=", "+="]);
                if self.claim == Claim::True {
                    let (out, it) = (self.outer(), self.counter());
                    return self.line(depth, &format!("{to} {operator} y[{out}] + {it};"));
                }
                self.line(depth, &format!("{to} {operator} {from} + ({other}) / 2;"));
            }
            3 | 4 if !self.scalars.is_empty() && self.claim != Claim::True => self.change(depth),
            5 if !self.scalars.is_empty() && self.claim != Claim::True => {
                let value = self.number(1);
                let to = self.choices.pick(&["a[at++]", "ga[at + 1]", "g->b[--at + 9]", "b[at]"]);
                self.line(depth, &format!("{to} = ({value}) & 7;"));
            }
            6 | 7 if !(self.both && self.claim == Claim::True) => self.call(depth),
            8 if self.gathers => {
                let (to, from, low) = (self.target(), self.element(), self.counter());
                let declared = if self.old { "" } else { "int " };
                if self.old {
                    self.declare_once("int w;");
                }
                let places = if self.claim == Claim::True { 4 } else { 5 };
                let globals = self.apart && self.globals;
                let lists = [["idx[i]", "b[i + 1]", "3", "3", "a[i]"], ["perm[i]", "whole.u[i]", "3", "3", "ga[i]"]];
                let high = self.choices.pick(&lists[usize::from(globals)][..places]);
                self.line(
                    depth,
                    &format!("for ({declared}w = {low}; w < {high}; w++)\n  {to} = ({to} + {from} + w) & 7;"),
                );
            }
            9 | 10 => {
                let (left, right) = (self.number(0), self.number(0));
                let sign = self.choices.pick(&["<", "==", ">=", "!="]);
                let (to, value) = (self.target(), self.number(1));
                let otherwise = if self.choices.chance(40) {
                    let (to, value) = (self.target(), self.number(0));
                    format!("else\n  {to} = ({value}) & 7;")
                } else {
                    String::new()
                };
                self.line(depth, &format!("if ({left} {sign} {right})\n  {to} = ({value}) & 7;\n{otherwise}"));
            }
            11 => {
                let (to, value) = (self.target(), self.number(1));
                self.line(depth, &format!("{to} = ({to} + ({value})) & 7;"));
            }
            13 | 14 => self.jump(depth),
            12 if self.private && !self.both => {
                let (at, value) = (self.number(0), self.number(0));
                self.line(depth, &format!("own[({at}) & 7] = ({value}) & 7;"));
            }
            _ => {
                let (to, value) = (self.target(), self.number(2));
                self.line(depth, &format!("{to} = ({value}) & 7;"));
            }
        }
    }
}
