//! Random programs with arrays of one dimension that are used as arrays of several.

use std::fmt::Write;
use testkit::Random;

/// Elements before and after the address that a function gets: no subscript below leaves them.
const HALF: usize = 1 << 15;

/// What a function's arrays are used as: the lengths of their rows.
struct Use {
    name: &'static str,
    widths: [String; 2],
}

struct Writer {
    dice: Random,
    uses: Vec<Use>,
    /// The lengths of rows to choose from.
    widths: &'static [&'static str],
    counters: Vec<&'static str>,
    /// Integer variables that hold subscripts.
    scalars: Vec<&'static str>,
    text: String,
}

const COUNTERS: [&str; 3] = ["i", "j", "k"];

/// The lengths of rows: parameters, and sums of them.
const WIDTHS: [&str; 8] = ["n", "m", "l", "n", "m", "(n + 1)", "(m + 2)", "(n + m)"];
/// Lengths that are numbers; parameters may be larger.
const NUMBERS: [&str; 4] = ["16", "17", "18", "17"];

impl Writer {
    fn counter(&mut self) -> &'static str {
        self.dice.pick::<&str>(&self.counters)
    }

    /// Between -2 and 16 for counters and parameters from -3 to 7; to 42 for parameters up to 20.
    fn index(&mut self) -> String {
        let (one, other) = (self.counter(), self.counter());
        match self.dice.below(11) {
            0 => format!("{one} + 1"),
            1 => format!("{one} - 1"),
            2 => format!("n - 1 - {one}"),
            3 => format!("{one} + {other}"),
            4 => "1".to_owned(),
            // A row or plane that is the same in the whole region.
            5 => "l".to_owned(),
            6 => "l - 1".to_owned(),
            _ => one.to_owned(),
        }
    }

    /// A subscript, as rows of rows, rows, columns, or none of them.
    fn subscript(&mut self, of: usize) -> String {
        let [usual, second] = self.uses[of].widths.clone();
        let first = if self.dice.one_in(12) { (*self.dice.pick(self.widths)).to_owned() } else { usual };
        if !self.scalars.is_empty() && self.dice.one_in(4) {
            let scalar = *self.dice.pick(&self.scalars);
            return if self.dice.one_in(2) { scalar.to_owned() } else { format!("{scalar} + {}", self.index()) };
        }
        let (x, y, z) = (self.index(), self.index(), self.index());
        match self.dice.below(10) {
            0 => format!("(({x}) * {first} + {y}) * {second} + {z}"),
            1 => format!("({x}) * {first} * {second} + ({y}) * {second} + {z}"),
            2 => format!("{y} + ({x}) * {first}"),
            3 => y,
            4 => format!("IDX({x}, {y}, {first})"),
            _ => format!("({x}) * {first} + {y}"),
        }
    }

    fn element(&mut self, of: usize) -> String {
        let subscript = self.subscript(of);
        format!("{}[{subscript}]", self.uses[of].name)
    }

    /// An element of `a` that is another one in each iteration, where rows are long enough; at times any element.
    fn target(&mut self) -> String {
        if self.dice.one_in(6) {
            return self.element(0);
        }
        let [first, second] = self.uses[0].widths.clone();
        let subscript = match self.counters[..] {
            [x] => x.to_owned(),
            [x, y] => format!("{x} * {first} + {y}"),
            [x, y, z] => format!("({x} * {first} + {y}) * {second} + {z}"),
            _ => "0".to_owned(),
        };
        format!("a[{subscript}]")
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * depth + 2);
    }

    fn statement(&mut self, depth: usize) {
        let to = self.target();
        let from = usize::from(!self.dice.one_in(5));
        let one = if self.dice.one_in(2) { to.clone() } else { self.element(from) };
        let (other, it) = (self.element(1), self.counter());
        let operator = *self.dice.pick(&["=", "=", "+="]);
        let condition = match self.dice.below(6) {
            0 => format!("if ({it} < m - 1) "),
            1 => format!("if ({it} != n) "),
            _ => String::new(),
        };
        self.line(depth, &format!("{condition}{to} {operator} {one} * 3 + {other} + (number)({it} + 4);"));
    }

    /// A variable for subscripts, set here, and perhaps once more.
    fn scalar(&mut self, depth: usize) {
        let name = ["at", "to"][self.scalars.len()];
        let value = self.subscript(0);
        let declared = if self.dice.one_in(3) { "" } else { "int " };
        if declared.is_empty() {
            self.text = self.text.replacen("#pragma", &format!("int {name} = 1;\n#pragma"), 1);
        }
        self.line(depth, &format!("{declared}{name} = {value};"));
        self.scalars.push(name);
        if self.dice.one_in(3) {
            self.statement(depth);
            let more = 1 + self.dice.below(2);
            self.line(depth, &format!("{name} += {more};"));
        }
    }

    fn loop_head(&mut self, depth: usize) -> String {
        let it = COUNTERS[depth];
        let mut low = vec!["0", "0", "1"];
        let mut high = vec!["n", "m", "l", "n - 1", "m + 1", "5", "n"];
        if depth > 0 {
            low.push(COUNTERS[depth - 1]);
            high.push(COUNTERS[depth - 1]);
        }
        let (low, high) = (*self.dice.pick(&low), *self.dice.pick(&high));
        match self.dice.below(5) {
            0 => format!("for (int {it} = {high} - 1; {it} >= {low}; {it}--)"),
            1 => format!("for (int {it} = {low}; {it} < {high}; {it} += 2)"),
            _ => format!("for (int {it} = {low}; {it} < {high}; {it}++)"),
        }
    }

    fn nest(&mut self, depth: usize, deepest: usize) {
        let head = self.loop_head(depth);
        self.line(depth, &format!("{head} {{"));
        self.counters.push(COUNTERS[depth]);
        let scalars = self.scalars.len();
        if scalars < 2 && self.dice.one_in(3) {
            self.scalar(depth + 1);
        }
        if depth + 1 < deepest {
            self.nest(depth + 1, deepest);
        }
        if depth + 1 == deepest || self.dice.one_in(4) {
            for _ in 0..=self.dice.below(2) {
                self.statement(depth + 1);
            }
        }
        self.scalars.truncate(scalars);
        self.counters.pop();
        self.line(depth, "}");
    }
}

/// The function of a seed, and how it is called: without and with storage that both arrays share.
fn function(seed: u64, widths: &'static [&'static str]) -> (String, bool) {
    let mut dice = Random::new(seed);
    let mut two = || [(*dice.pick(widths)).to_owned(), (*dice.pick(widths)).to_owned()];
    let uses = vec![Use { name: "a", widths: two() }, Use { name: "b", widths: two() }];
    let shares = dice.one_in(2);
    let kind = *dice.pick(&["int", "int", "long", "short", "const int"]);
    let restrict = if shares { "" } else { "restrict " };
    let deepest = 1 + dice.below(3);
    let parameters = format!("{kind} n, {kind} m, {kind} l, number *{restrict}a, number *{restrict}b");
    let text = format!("static void f{seed}({parameters})\n{{\n#pragma dvm region\n");
    let mut writer = Writer { dice, uses, widths, counters: vec![], scalars: vec![], text };
    writer.nest(0, deepest);
    (writer.text + "}\n\n", shares)
}

/// A program that runs the functions of these seeds, and prints what each leaves behind.
pub fn source(seeds: &[u64]) -> String {
    let sizes = [(5, 7, 6), (7, 4, 4), (3, 3, 7), (6, 2, 5), (1, 5, 0), (0, 3, 4), (4, -2, 5), (-3, 6, 2)];
    source_with(seeds, &WIDTHS, &sizes)
}

/// As `source`, of rows whose lengths are numbers, which the sizes reach and pass.
pub fn constant_rows(seeds: &[u64]) -> String {
    source_with(seeds, &NUMBERS, &[(5, 7, 6), (16, 14, 4), (17, 16, 3), (9, 20, 15), (20, 3, 18), (4, -2, 5)])
}

fn source_with(seeds: &[u64], widths: &'static [&'static str], sizes: &[(i32, i32, i32)]) -> String {
    let mut text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\ntypedef unsigned long long number;\n#define IDX(x, y, w) ((x) * (w) + (y))\n\
         static number one[2 * {HALF}], other[2 * {HALF}];\n\n\
         static void fill(void)\n{{\n  for (int i = 0; i < 2 * {HALF}; i++)\n    one[i] = 3 * i + 1, other[i] = 7 * i + 5;\n}}\n\n\
         static number sum(void)\n{{\n  number all = 1;\n  for (int i = 0; i < 2 * {HALF}; i++)\n    \
         all = (all ^ one[i]) * 1099511628211u + other[i];\n  return all;\n}}\n\n"
    );
    let mut calls = String::new();
    for &seed in seeds {
        let (function, shares) = function(seed, widths);
        text.push_str(&function);
        let mut call = |n: &str, m: &str, l: &str, b: &str| {
            let _ = writeln!(
                calls,
                "  fill();\n  f{seed}({n}, {m}, {l}, one + {HALF}, {b});\n  printf(\"f{seed}({n}, {m}, {l}, {b}) %llx\\n\", sum());"
            );
        };
        for &(n, m, l) in sizes {
            call(&n.to_string(), &m.to_string(), &l.to_string(), &format!("other + {HALF}"));
            if shares {
                let distance = seed % 40;
                call(&n.to_string(), &m.to_string(), &l.to_string(), &format!("one + {}", HALF as u64 + distance));
            }
        }
    }
    format!("{text}int main(void)\n{{\n{calls}}}\n")
}
