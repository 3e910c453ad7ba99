//! Functions with regions that cross the constructs of the language, from lists of choices.

use super::choices::Choices;
use std::fmt::Write;

/// What an author asserts of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    None,
    /// `independent`, which holds where all storage is apart.
    True,
    /// `independent`, which may be false.
    Unknown,
}

/// A function, where `@` stands for its number.
#[derive(Clone, Debug)]
pub struct Case {
    pub text: String,
    /// The same with the loop of an `independent` backwards.
    pub backwards: String,
    /// It may be called only where nothing shares storage.
    pub apart: bool,
    pub claim: Claim,
    /// Whether a check sees all that it writes.
    pub seen: bool,
    pub made: Vec<u32>,
}

/// How a program is compiled: one for all its functions.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    pub standard: &'static str,
    pub number: &'static str,
    pub real: &'static str,
    pub level: &'static str,
    /// The functions that a function calls stand in a header.
    pub included: bool,
}

/// What stands around the functions that a function calls.
pub const CALLED: [&str; 2] = ["/* called functions */\n", "/* their end */\n"];

impl Dialect {
    pub fn of(program: u64) -> Dialect {
        let pick = |at: u64, list: &[&'static str]| list[(at % list.len() as u64) as usize];
        Dialect {
            standard: pick(program, &["-std=gnu99", "-std=c90", "-std=gnu11", "-ansi"]),
            number: pick(program / 2, &["long", "int", "int", "short", "unsigned"]),
            real: pick(program / 3, &["double", "double", "float"]),
            level: pick(program / 7, &["-O0", "-O0", "-O2"]),
            included: program % 3 == 1,
        }
    }

    pub fn old(self) -> bool {
        matches!(self.standard, "-std=c90" | "-ansi")
    }
}

#[allow(clippy::struct_excessive_bools)]
pub struct Writer {
    pub choices: Choices,
    pub old: bool,
    pub unsigned: bool,
    pub apart: bool,
    pub claim: Claim,
    pub seen: bool,
    /// Subscripts may depend on data: all pointers have `restrict` then, or iterations are independent.
    pub gathers: bool,
    /// Those that depend on data are of global arrays.
    pub globals: bool,
    /// `independent` names the two loops.
    pub both: bool,
    /// The function of arrays may have parameters with `restrict`.
    pub strict: bool,
    pub declarations: Vec<String>,
    pub counters: Vec<&'static str>,
    /// Scalars that loops change by one amount.
    pub scalars: Vec<&'static str>,
    /// Variables with `reduction`, and their operators.
    pub reduced: Vec<(&'static str, &'static str)>,
    /// Variables with `private` have a value here.
    pub private: bool,
    pub deepest: usize,
    pub body: String,
    /// What is done after the region.
    pub after: String,
}

pub const COUNTERS: [&str; 3] = ["i", "j", "k"];

pub const SIZES: [&str; 17] = [
    "n",
    "m",
    "g->n",
    "g->m",
    "g->p->n",
    "dims[1]",
    "s.n",
    "many[3]",
    "whole.n",
    "*len",
    "top->m",
    "table[1][0]",
    "g->sizes[2]",
    "gn",
    "NN",
    "5",
    "ID(g->q.n)",
];

impl Writer {
    pub fn line(&mut self, depth: usize, line: &str) {
        for one in line.split('\n') {
            let _ = writeln!(self.body, "{:indent$}{one}", "", indent = 2 * depth + 2);
        }
    }

    pub fn size(&mut self) -> &'static str {
        let places = if self.choices.chance(if self.gathers { 5 } else { 50 }) { SIZES.len() } else { 2 };
        self.choices.pick(&SIZES[..places])
    }

    /// The pragma's clauses, with the variables they name.
    fn clauses(&mut self) -> String {
        let mut clauses = String::new();
        if self.choices.chance(25) {
            let truly = self.choices.chance(60);
            self.claim = if truly { Claim::True } else { Claim::Unknown };
            self.both = self.deepest > 1 && self.choices.chance(30);
            clauses += if self.both { " independent(i, j)" } else { " independent" };
            if self.both {
                self.deepest = 2;
            }
        }
        if self.choices.chance(30) {
            let name = self.choices.pick(&["r", "rr"]);
            let operators: &[&str] = if name == "r" {
                &["+", "min", "max", "*", "&", "|", "^", "&&", "||"]
            } else {
                &["+", "min", "max", "*"]
            };
            let operator = self.choices.pick(operators);
            self.reduced.push((name, operator));
            let _ = write!(clauses, " reduction({operator}:{name})");
            if self.choices.chance(30) {
                self.reduced.push(("r2", "+"));
                let _ = write!(clauses, "{} reduction(+:r2)", self.choices.pick(&["", ","]));
            }
            if name == "rr" && !self.both && self.choices.chance(60) {
                // With inner loops the region is refused.
                self.deepest = 1;
                clauses += " reassociate";
            }
        }
        if self.choices.chance(25) {
            self.private = true;
            clauses += self.choices.pick(&[" private(t, own, two)", " private(t) private(own, two)"]);
        }
        if self.choices.chance(12) {
            clauses += " pure(value_@)";
        }
        if self.choices.chance(6) {
            clauses += " serial(n == 2)";
        }
        if self.choices.chance(6) {
            clauses += self.choices.pick(&[" tile(2)", " tile(auto)"]);
        }
        clauses
    }

    fn declare(&mut self) {
        let kinds: &[&str] = if self.unsigned {
            &["int", "int", "long", "number"]
        } else {
            &["int", "int", "int", "long", "number", "long", "int", "int", "short", "signed char"]
        };
        for name in COUNTERS {
            let kind = self.choices.pick(kinds);
            self.declarations.push(format!("{kind} {name} = 0;"));
        }
        if self.choices.chance(30) {
            self.scalars.push("at");
            let kind = self.choices.pick(&["int", "int", "long", "number", "short"]);
            let start = self.choices.pick(&["0", "4", "n", "g->m"]);
            self.declarations.push(format!("{kind} at = {start};"));
            if self.choices.chance(50) {
                self.after += "  out[5] = at;\n";
            }
        }
        // Backwards, loops leave other counters.
        if self.choices.chance(50) && self.claim != Claim::Unknown {
            self.after += "  out[6] = i + 10 * j + 100 * k;\n";
        }
        for (name, operator) in self.reduced.clone() {
            let (kind, start) = if name == "rr" {
                ("real", self.choices.pick(&["0", "1.5", "-4"]))
            } else {
                ("number", self.choices.pick(&["0", "1", "5"]))
            };
            self.declarations.push(format!("{kind} {name} = {start};"));
            self.after += &match (name, operator) {
                ("rr", "*" | "+") => "  loose[0] = rr;\n".to_owned(),
                ("rr", _) => "  exact[0] = rr;\n".to_owned(),
                ("r", _) => "  out[0] = r;\n".to_owned(),
                _ => "  out[1] = r2;\n".to_owned(),
            };
        }
        if self.private {
            self.declarations.push("number t = 0;\n  NUMBER own[8];".to_owned());
            self.declarations.push("struct pair two = { 0 };".to_owned());
        }
    }

    /// A loop's head, forwards and backwards.
    pub fn head(&mut self, depth: usize) -> [String; 2] {
        let it = COUNTERS[depth];
        let low = if depth > 0 && self.choices.chance(10) {
            COUNTERS[depth - 1]
        } else {
            self.choices.pick(&["0", "0", "0", "1"])
        };
        let mut high = self.size().to_owned();
        if depth > 0 && self.choices.chance(25) {
            let outer = COUNTERS[depth - 1];
            high = match self.choices.below(if !self.gathers {
                1
            } else if self.claim == Claim::True {
                3
            } else {
                4
            }) {
                0 => outer.to_owned(),
                1 => format!("idx[{outer}]"),
                2 => format!("b[{outer} + 1]"),
                _ => format!("ga[{outer}]"),
            };
        }
        if self.choices.chance(15) {
            high += " - 1";
        }
        let declared = if self.old { "" } else { self.choices.pick(&["", "int ", "long "]) };
        // An unsigned bound would make -1 large.
        let bound = if self.unsigned { format!("(int)({high})") } else { high };
        let backwards = format!("for ({declared}{it} = {bound} - 1; {it} >= {low}; {it}--)");
        let reduces = depth == 0 && !self.reduced.is_empty();
        if reduces && self.choices.chance(25) {
            let step = self.choices.pick(&["2", "3", "7", "40"]);
            let last = format!("{low} + (({bound}) - 1 - ({low})) / {step} * {step}");
            return [
                format!("for ({declared}{it} = {low}; {it} < {bound}; {it} += {step})"),
                format!("for ({declared}{it} = {last}; {it} >= {low} && {it} < {bound}; {it} -= {step})"),
            ];
        }
        let forwards = match self.choices.below(9) {
            1 if !reduces => return [backwards.clone(), backwards],
            2 if depth > 0 => format!("for ({declared}{it} = {low}; {it} < {bound}; {it} += 2)"),
            3 => format!("for ({declared}{it} = {low}; {it} <= {bound} - 1; {it} = {it} + 1)"),
            4 if depth > 0 && declared.is_empty() && !self.scalars.is_empty() => {
                format!("for ({it} = {low}, at = 3; {it} < {bound}; {it}++, at += 2)")
            }
            _ => format!("for ({declared}{it} = {low}; {it} < {bound}; {it}++)"),
        };
        [forwards, backwards]
    }

    fn nest(&mut self, depth: usize) {
        let [forwards, backwards] = self.head(depth);
        if depth == 0 {
            // The outermost loop's head stands in the text by a mark.
            let _ = write!(self.body, "@head {forwards}@or {backwards}@end");
        } else {
            self.line(depth, &format!("{forwards} {{"));
        }
        self.counters.push(COUNTERS[depth]);
        if depth == 0 && self.private {
            self.private_values();
        }
        let innermost = depth + 1 >= self.deepest;
        if !innermost && self.choices.chance(25) {
            self.statement(depth + 1);
        }
        if !innermost {
            self.nest(depth + 1);
        }
        if innermost || self.choices.chance(30) {
            if innermost {
                for (name, operator) in self.reduced.clone() {
                    self.reduction(depth + 1, name, operator);
                }
            }
            for _ in 0..=self.choices.below(3) {
                self.statement(depth + 1);
            }
        }
        self.counters.pop();
        self.line(depth, "}");
    }

    fn finish(mut self) -> Case {
        let before = self.callees();
        let restrict = if self.apart && (self.gathers || self.choices.chance(60)) { "__restrict " } else { "" };
        let constant = if self.choices.chance(30) { "const int" } else { "int" };
        let declarations: String = self.declarations.iter().flat_map(|line| ["  ", line, "\n"]).collect();
        let text = |body: &str| {
            format!(
                "{}{before}{}static void f_@(struct grid *g, struct part s, number *{restrict}len, number *{restrict}dims, number **rows, \
                 number *{restrict}a, number *{restrict}b, number *{restrict}idx, real *{restrict}x, real *{restrict}y, {constant} n, {constant} m)\n\
                 {{\n{declarations}{body}{}}}\nstatic void run_@(int layout, long n, long m)\n{{\n  prepare(layout, n, m);\n  \
                 f_@(g, whole, len, dims, rows, a, b, idx, x, y, n, m);\n}}\n",
                CALLED[0], CALLED[1], self.after
            )
        };
        let (mut forwards, mut backwards) = (String::new(), String::new());
        for (at, part) in self.body.split("@head ").enumerate() {
            if at == 0 {
                forwards += part;
                backwards += part;
                continue;
            }
            let (head, rest) = part.split_once("@end").expect("an end");
            let (one, other) = head.split_once("@or ").expect("two heads");
            let _ = write!(forwards, "  {one} {{\n{rest}");
            let _ = write!(backwards, "  {other} {{\n{rest}");
        }
        Case {
            text: text(&forwards),
            backwards: text(&backwards),
            apart: self.apart,
            claim: self.claim,
            seen: self.seen,
            made: self.choices.made,
        }
    }
}

/// The function of a list of choices.
pub fn case(choices: Choices, dialect: Dialect) -> Case {
    let mut writer = Writer {
        choices,
        old: dialect.old(),
        unsigned: dialect.number == "unsigned",
        apart: false,
        claim: Claim::None,
        seen: true,
        gathers: false,
        globals: false,
        both: false,
        strict: false,
        declarations: Vec::new(),
        counters: Vec::new(),
        scalars: Vec::new(),
        reduced: Vec::new(),
        private: false,
        deepest: 1,
        body: String::new(),
        after: String::new(),
    };
    writer.gathers = writer.choices.chance(45);
    writer.globals = writer.choices.chance(50);
    writer.apart = writer.gathers || writer.choices.chance(15);
    writer.strict = writer.apart && writer.choices.chance(30);
    writer.deepest = 1 + writer.choices.weighted(&[4, 4, 1]);
    let clauses = writer.clauses();
    if writer.claim != Claim::None && writer.choices.chance(60) {
        writer.apart = false;
        writer.gathers = true;
    }
    writer.declare();
    let _ = writeln!(writer.body, "#pragma dvm region{clauses}");
    writer.nest(0);
    if writer.claim == Claim::None && writer.choices.chance(15) {
        writer.reduced.clear();
        writer.private = false;
        writer.deepest = 1 + writer.choices.below(2);
        writer.body += "#pragma dvm region\n";
        writer.nest(0);
    }
    writer.finish()
}
