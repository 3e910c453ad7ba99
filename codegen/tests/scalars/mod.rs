//! Random programs with scalars that loops change.

use std::fmt::Write;
use testkit::Random;

/// Elements before and after the address that a function gets: no subscript below leaves them.
const HALF: usize = 1 << 14;

struct Writer {
    dice: Random,
    counters: Vec<&'static str>,
    text: String,
}

const COUNTERS: [&str; 3] = ["i", "j", "l"];

impl Writer {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * depth + 2);
    }

    fn scalar(&mut self) -> &'static str {
        self.dice.pick::<&str>(&["k", "k", "q"])
    }

    fn counter(&mut self) -> String {
        if self.counters.is_empty() { "1".to_owned() } else { (*self.dice.pick(&self.counters)).to_owned() }
    }

    fn change(&mut self, depth: usize) {
        let name = self.scalar();
        let all = [
            "@++;",
            "++@;",
            "@--;",
            "@ += 2;",
            "@ = @ + 3;",
            "@ += m;",
            "@ = m + @;",
            "@ -= step;",
            "@ = @ - 1;",
            "@ += step + 1;",
        ];
        let change = self.dice.pick::<&str>(&all).replace('@', name);
        let it = self.counter();
        match self.dice.below(14) {
            0 => self.line(depth, &format!("if (b[{it}] & 1) {change}")),
            1 => self.line(depth, &format!("{name} = {it} * 2;")),
            2 => self.line(depth, &format!("if ({it} > 2) {change}")),
            _ => self.line(depth, &change),
        }
    }

    fn statement(&mut self, depth: usize) {
        let (name, other, it) = (self.scalar(), self.scalar(), self.counter());
        let text = match self.dice.below(9) {
            0 => format!("a[{name}] += b[{it}] + {it};"),
            1 => format!("a[{name} + {it}] = a[{name} + {it}] * 3 + b[{it} + 1];"),
            2 => format!("a[{name}++] += {it};"),
            3 => format!("a[--{name}] = b[{it}] + {it};"),
            4 => format!("a[{it}] += {name} + b[{other}];"),
            5 => format!("if (b[{it}] & 2) a[{name}] = {other};"),
            6 => {
                format!("{{ number s = b[{it}]; for (int x = 0; x < 3; x++) s += a[{name} + x] * x; a[{name}] = s; }}")
            }
            7 => format!("for (int x = 0; x < 2; x++) a[{it} * 8 + x] += b[{name}++];"),
            _ => format!("a[{name}] = a[{name}] + b[{name}];"),
        };
        self.line(depth, &text);
    }

    fn nest(&mut self, depth: usize, deepest: usize) {
        let it = COUNTERS[depth];
        let high = *self.dice.pick(&["n", "m", "n", "5", "m + 1"]);
        let beside = self.scalar();
        let head = match self.dice.below(8) {
            0 => format!("for ({it} = {high} - 1; {it} >= 0; {it}--)"),
            1 => format!("for ({it} = 0; {it} < {high}; {it} += 2)"),
            2 => format!("for ({it} = 0, {beside} = 1; {it} < {high}; {it}++, {beside} += 2)"),
            3 => format!("for ({it} = 1; {it} <= {high}; {it}++, {beside}--)"),
            4 if depth == 0 => format!("for (; {it} < {high}; {it}++)"),
            5 => format!("for (int {it} = 0; {it} < {high}; {it}++)"),
            _ => format!("for ({it} = 0; {it} < {high}; {it}++)"),
        };
        self.line(depth, &format!("{head} {{"));
        self.counters.push(it);
        for _ in 0..self.dice.below(2) {
            self.change(depth + 1);
        }
        if depth + 1 == deepest || self.dice.one_in(3) {
            self.statement(depth + 1);
        }
        if depth + 1 < deepest {
            self.nest(depth + 1, deepest);
        }
        for _ in 0..=self.dice.below(2) {
            self.change(depth + 1);
        }
        if self.dice.one_in(3) {
            self.statement(depth + 1);
        }
        self.counters.pop();
        self.line(depth, "}");
    }
}

/// The function of a seed.
pub fn function(seed: u64) -> String {
    let mut dice = Random::new(seed);
    let kinds = ["int", "int", "int", "long", "short"];
    let (one, other) = (*dice.pick(&kinds), *dice.pick(&kinds));
    let (deepest, block, alive) = (1 + dice.below(3), dice.one_in(4), dice.below(4));
    let text = format!(
        "static void f{seed}(int n, int m, int step, number *restrict a, number *restrict b)\n{{\n  \
         int i = 1, j = 0, l = 0;\n  {one} k = 4;\n  {other} q = step;\n#pragma dvm region\n"
    );
    let mut writer = Writer { dice, counters: vec![], text };
    if block {
        writer.line(0, "{");
    }
    writer.nest(0, deepest);
    if block {
        writer.change(0);
        writer.nest(0, 1);
        writer.line(0, "}");
    }
    let after = ["", "  b[0] += k;\n", "  b[1] += q;\n  b[0] += k;\n", "  b[2] += k + i + j + l;\n"];
    writer.text + after[alive] + "}\n\n"
}

/// A program that runs the functions of these seeds, and prints what each leaves behind.
pub fn source(seeds: &[u64]) -> String {
    let mut text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\ntypedef unsigned long long number;\n\
         static number one[2 * {HALF}], other[2 * {HALF}];\n\n\
         static void fill(void)\n{{\n  for (int i = 0; i < 2 * {HALF}; i++)\n    one[i] = 3 * i + 1, other[i] = 7 * i + 5;\n}}\n\n\
         static number sum(void)\n{{\n  number all = 1;\n  for (int i = 0; i < 2 * {HALF}; i++)\n    \
         all = (all ^ one[i]) * 1099511628211u + other[i];\n  return all;\n}}\n\n"
    );
    let mut calls = String::new();
    for &seed in seeds {
        text.push_str(&function(seed));
        for (n, m, step) in [(5, 7, 1), (7, 4, 3), (3, 3, -2), (6, 0, 5), (1, 5, 0), (0, 3, 4), (4, -2, 5), (-3, 6, 2)]
        {
            let _ = writeln!(
                calls,
                "  fill();\n  f{seed}({n}, {m}, {step}, one + {HALF}, other + {HALF});\n  \
                 printf(\"f{seed}({n}, {m}, {step}) %llx\\n\", sum());"
            );
        }
    }
    format!("{text}int main(void)\n{{\n{calls}}}\n")
}
