//! Random programs of nests that update elements again and again, as products of matrices and factorisations do: their
//! tiles may run as blocks that keep the elements in registers, some of them round by round.

use std::fmt::Write;
use testkit::Random;

struct Writer {
    dice: Random,
    counters: Vec<&'static str>,
    /// The elements' type.
    element: &'static str,
    target: [&'static str; 2],
    text: String,
}

const COUNTERS: [&str; 4] = ["i", "j", "k", "l"];
const ELEMENTS: [&str; 6] = ["double", "double", "float", "unsigned", "unsigned long", "unsigned long long"];

impl Writer {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * depth + 2);
    }

    fn is_floating(&self) -> bool {
        matches!(self.element, "double" | "float")
    }

    /// From 0 to 38 for counters from 0 to 18.
    fn index(&mut self, counter: &str) -> String {
        let other = *self.dice.pick::<&str>(&self.counters);
        match self.dice.below(30) {
            0 => format!("{counter} + 1"),
            1 => format!("{counter} + {other}"),
            2 => format!("18 - {counter}"),
            3 => format!("2 * {counter}"),
            4 => format!("n - {counter} + 18"),
            _ => counter.to_owned(),
        }
    }

    /// An element of an array of two dimensions, or of three.
    fn element_of(&mut self, array: &str, counters: &[&str]) -> String {
        let at: Vec<String> = counters.iter().map(|counter| self.index(counter)).collect();
        match self.dice.below(12) {
            0 => format!("cube[{}][{}][{}]", at[0], at[1 % at.len()], at[at.len() - 1]),
            1 => format!("flat[({}) * 40 + {}]", at[0], at[at.len() - 1]),
            _ => format!("{array}[{}][{}]", at[0], at[at.len() - 1]),
        }
    }

    fn operand(&mut self, arrays: &[&str]) -> String {
        let (mut x, mut y) = (*self.dice.pick::<&str>(&self.counters), *self.dice.pick::<&str>(&self.counters));
        // Mostly rows that follow the target's.
        if x == self.target[1] && !self.dice.one_in(6) {
            (x, y) = (y, x);
        }
        let floating = self.is_floating();
        match self.dice.below(16) {
            0 => "alpha".to_owned(),
            1 => (if floating { "n" } else { "beta" }).to_owned(),
            2 => "2".to_owned(),
            3 if floating => "0.5f".to_owned(),
            4 => format!("({}){x}", self.element),
            _ => {
                let array = *self.dice.pick::<&str>(arrays);
                self.element_of(array, &[x, y])
            }
        }
    }

    /// The product of an element of the target's row and one of its column.
    fn product(&mut self, arrays: &[&str]) -> String {
        let [row, column] = self.target;
        let others: Vec<&str> =
            self.counters.iter().copied().filter(|counter| !self.target.contains(counter)).collect();
        let other = if others.is_empty() { row } else { *self.dice.pick::<&str>(&others) };
        let array = *self.dice.pick::<&str>(arrays);
        let shift = *self.dice.pick(&["", "", " + 1", " + 17"]);
        let second = format!("b[{other}][{column}{shift}]");
        match self.dice.below(5) {
            0 => format!("{second} * {array}[{other}][{row}]"),
            1 => format!("alpha * {second}"),
            2 => format!("{second} - {array}[{other}][{column}]"),
            _ => format!("{array}[{row}][{other}] * {second}"),
        }
    }

    /// A sum or product of two or three operands.
    fn value(&mut self, arrays: &[&str]) -> String {
        if self.dice.one_in(2) {
            return self.product(arrays);
        }
        let (one, two, three) = (self.operand(arrays), self.operand(arrays), self.operand(arrays));
        let division = self.is_floating() && self.dice.one_in(10);
        match self.dice.below(8) {
            0 => format!("{one} - {two} * {three}"),
            1 => format!("-({one} * {two})"),
            2 => format!("({one} + {two}) * {three}"),
            3 => format!("alpha * {one} * {two}"),
            4 if division => format!("{one} / ({two} + 3)"),
            5 => format!("TIMES({one}, {two})"),
            6 => one,
            _ => format!("{one} * {two}"),
        }
    }

    fn loop_head(&mut self, depth: usize, counter: &str) -> String {
        let mut low = vec!["0", "0", "0", "1", "m - 3"];
        let mut high = vec!["n", "m", "n - 1", "17", "n"];
        if depth > 0 {
            let outer = *self.dice.pick::<&str>(&self.counters);
            match self.dice.below(9) {
                0..3 => low = vec![outer],
                3..5 => high = vec![outer],
                _ => {}
            }
        }
        let (low, high) = (*self.dice.pick::<&str>(&low), *self.dice.pick::<&str>(&high));
        match self.dice.below(20) {
            0 => format!("for (int {counter} = {high} - 1; {counter} >= {low}; {counter}--)"),
            1 => format!("for (int {counter} = {low}; {counter} < {high}; {counter} += 2)"),
            2 => format!("for (long {counter} = {low}; {counter} < {high}; {counter}++)"),
            _ => format!("for (int {counter} = {low}; {counter} < {high}; {counter}++)"),
        }
    }

    fn nest(&mut self, depth: usize, deepest: usize, order: &[&'static str]) {
        let target = self.target;
        let head = self.loop_head(depth, order[depth]);
        self.line(depth, &format!("{head} {{"));
        self.counters.push(order[depth]);
        let seen = target.iter().all(|counter| self.counters.contains(counter));
        if seen && depth + 1 < deepest && self.dice.one_in(3) {
            let value = self.operand(&["a", "b"]);
            let operator = *self.dice.pick(&["=", "*=", "+="]);
            self.line(depth + 1, &format!("c[{}][{}] {operator} {value};", target[0], target[1]));
        }
        if depth + 1 < deepest {
            self.nest(depth + 1, deepest, order);
        } else {
            let arrays: &[&str] = if self.dice.one_in(3) { &["c", "a"] } else { &["a", "b"] };
            for _ in 0..=self.dice.below(6) / 5 {
                self.update(depth + 1, arrays);
            }
        }
        if seen && depth + 1 < deepest && self.dice.one_in(6) {
            let value = self.operand(&["a", "b"]);
            self.line(depth + 1, &format!("c[{}][{}] += {value};", target[0], target[1]));
        }
        self.counters.pop();
        self.line(depth, "}");
    }

    fn update(&mut self, depth: usize, arrays: &[&str]) {
        let target = self.target;
        let value = self.value(arrays);
        let to = match self.dice.below(10) {
            0 => self.element_of("c", &target),
            1 => format!("cube[{}][{}][{}]", target[0], self.counters[0], target[1]),
            2 => format!("flat[{} * 40 + {}]", target[0], target[1]),
            _ => format!("c[{}][{}]", target[0], target[1]),
        };
        let line = match self.dice.below(8) {
            0 => format!("{to} = {to} + {value};"),
            1 => format!("{to} = {value} - {to};"),
            2 => format!("{to} -= {value};"),
            3 => format!("{to} = {value};"),
            _ => format!("{to} += {value};"),
        };
        self.line(depth, &line);
    }
}

/// Nests whose body carries values in scalars through inner loops.
impl Writer {
    /// Loops around the body, then the body; its own loops have the other counters.
    fn chain_nest(&mut self, depth: usize, around: &[&'static str], inside: &[&'static str]) {
        let Some((counter, rest)) = around.split_first() else { return self.chain(depth, inside) };
        let head = self.loop_head(depth, counter);
        self.line(depth, &format!("{head} {{"));
        self.counters.push(counter);
        self.chain_nest(depth + 1, rest, inside);
        self.counters.pop();
        self.line(depth, "}");
    }

    fn chain(&mut self, depth: usize, inside: &[&'static str]) {
        let arrays: &[&str] = if self.dice.one_in(4) { &["c", "a"] } else { &["a", "b"] };
        let first = self.scalar_value(arrays, &["alpha"]);
        let element = self.element;
        let qualifier = *self.dice.pick(&["", "", "register "]);
        let second = self.dice.one_in(3);
        if second && self.dice.one_in(2) {
            let value = self.scalar_value(arrays, &["s"]);
            self.line(depth, &format!("{qualifier}{element} s = {first}, t = {value};"));
        } else {
            // An element can stand for a scalar that has its first value by an assignment.
            if self.dice.one_in(2) {
                self.line(depth, &format!("{element} s;"));
                let own = format!("c[{}][{}]", self.target[0], self.target[1]);
                let first = if self.dice.one_in(3) { own } else { first };
                self.line(depth, &format!("s = {first};"));
            } else {
                self.line(depth, &format!("{qualifier}{element} s = {first};"));
            }
            if second {
                self.line(depth, &format!("{element} t;"));
                self.line(depth, "t = 1;");
            }
        }
        let scalars: &[&str] = if second { &["s", "t"] } else { &["s"] };
        self.chain_loops(depth, inside, arrays, scalars);
        let [row, column] = self.target;
        let operator = *self.dice.pick(&["=", "=", "+=", "-="]);
        let value = self.scalar_value(arrays, scalars);
        let last = if second { "s - t" } else { "s" };
        let value = if self.dice.one_in(2) { last.to_owned() } else { value };
        self.line(depth, &format!("c[{row}][{column}] {operator} {value};"));
    }

    fn chain_loops(&mut self, depth: usize, inside: &[&'static str], arrays: &[&str], scalars: &[&str]) {
        let Some((counter, rest)) = inside.split_first() else { return };
        let head = self.loop_head(depth, counter);
        self.line(depth, &format!("{head} {{"));
        self.counters.push(counter);
        for _ in 0..=self.dice.below(2) {
            let to = *self.dice.pick::<&str>(scalars);
            let operator = *self.dice.pick(&["+=", "+=", "-=", "=", "*="]);
            let value = if self.dice.one_in(3) { self.scalar_value(arrays, scalars) } else { self.value(arrays) };
            self.line(depth + 1, &format!("{to} {operator} {value};"));
        }
        if self.dice.one_in(5) {
            let column = self.target[1];
            let to = self.dice.pick(&["c", "cube[3]"]).to_string();
            let value = self.scalar_value(arrays, scalars);
            self.line(depth + 1, &format!("{to}[{counter}][{column}] += {value};"));
        }
        self.chain_loops(depth + 1, rest, arrays, scalars);
        self.counters.pop();
        self.line(depth, "}");
    }

    fn scalar_value(&mut self, arrays: &[&str], scalars: &[&str]) -> String {
        let (operand, scalar) = (self.operand(arrays), *self.dice.pick::<&str>(scalars));
        match self.dice.below(6) {
            0 => scalar.to_owned(),
            1 => format!("{scalar} * {operand}"),
            2 => format!("{operand} - {scalar}"),
            3 => format!("-{scalar}"),
            4 => "1".to_owned(),
            _ => operand,
        }
    }
}

/// A loop around several nests, each of which reads what others write: in the same round, or in earlier ones.
impl Writer {
    fn rounds(&mut self) {
        let around: &[&'static str] = if self.dice.one_in(4) { &["l", "k"] } else { &["k"] };
        for (depth, counter) in around.iter().enumerate() {
            let head = self.loop_head(depth, counter);
            self.line(depth, &format!("{head} {{"));
            self.counters.push(counter);
        }
        let depth = around.len();
        for _ in 0..2 + self.dice.below(3) {
            let (loops, target) = *self.dice.pick::<(&[&'static str], [&'static str; 2])>(&[
                (&["i", "j"], ["i", "j"]),
                (&["j", "i"], ["i", "j"]),
                (&["j", "i"], ["k", "j"]),
                (&["i", "j"], ["i", "k"]),
                (&["j"], ["k", "j"]),
                (&["i"], ["i", "k"]),
            ]);
            self.target = target;
            if loops.len() == 2 && self.dice.one_in(5) {
                self.target = if loops[0] == "i" { ["i", "k"] } else { ["k", "j"] };
                self.chain_nest(depth, &loops[..1], &loops[1..]);
            } else {
                self.round(depth, loops);
            }
        }
        for depth in (0..depth).rev() {
            self.line(depth, "}");
        }
    }

    fn round(&mut self, depth: usize, loops: &[&'static str]) {
        let arrays = &["c", "c", "a"];
        let Some((counter, rest)) = loops.split_first() else { return self.update(depth, arrays) };
        let head = if self.dice.one_in(2) {
            format!("for (int {counter} = k + 1; {counter} < n; {counter}++)")
        } else {
            self.loop_head(depth, counter)
        };
        self.line(depth, &format!("{head} {{"));
        self.counters.push(counter);
        self.round(depth + 1, rest);
        self.counters.pop();
        self.line(depth, "}");
    }
}

/// The function of a seed.
pub fn function(seed: u64) -> String {
    let mut dice = Random::new(seed);
    let deepest = if dice.one_in(4) { 4 } else { 3 };
    let mut order = COUNTERS[..deepest].to_vec();
    for k in 0..deepest {
        let other = dice.below(deepest);
        order.swap(k, other);
    }
    let element = *dice.pick(&ELEMENTS);
    let target = if dice.one_in(8) { ["j", "i"] } else { ["i", "j"] };
    let text = format!(
        "#define R{seed} {element}\nstatic void f{seed}(int n, int m, {element} alpha, {element} beta, {element} (*restrict a)[40], \
         {element} (*restrict b)[40], {element} (*restrict c)[40], {element} (*restrict cube)[40][40], {element} *restrict flat)\n{{\n\
         #pragma dvm region\n"
    );
    let mut writer = Writer { dice, counters: vec![], element, target, text };
    match writer.dice.below(5) {
        0..2 => writer.nest(0, deepest, &order),
        2 => writer.rounds(),
        _ => {
            // The target's counters stand around the body, mostly in this order.
            let mut around: Vec<&'static str> = if writer.dice.one_in(6) { vec!["j", "i"] } else { vec!["i", "j"] };
            if writer.dice.one_in(8) {
                around.pop();
                writer.target[1] = around[0];
                writer.target[0] = around[0];
            }
            let inside = if deepest == 4 { &["k", "l"][..] } else { &["k"] };
            writer.chain_nest(0, &around, inside);
        }
    }
    writer.text + "}\n\n"
}

const HEAD: &str = "#include <stdio.h>
#include <string.h>
#define TIMES(x, y) ((x) * (y))
static unsigned long long memory[40 * 40 * 44];

/* The bits of all elements; what is no number counts as one. */
#define SUM(type) static unsigned long long sum_##type(void) \\
{ \\
  unsigned long long all = 1; \\
  for (int at = 0; at < 40 * 40 * 44; at++) { \\
    type value = ((type *)memory)[at]; \\
    unsigned long long bits = 0; \\
    memcpy(&bits, &value, sizeof value); \\
    all = (all ^ (value != value ? 7 : bits)) * 1099511628211u; \\
  } \\
  return all; \\
}
typedef unsigned long word;
typedef unsigned long long longest;
SUM(double) SUM(float) SUM(unsigned) SUM(word) SUM(longest)
#define FILL(type) for (int at = 0; at < 40 * 40 * 44; at++) ((type *)memory)[at] = (type)(at * 7 % 13 - 5) / 4 + 1

";

/// A program that runs the functions of these seeds, and prints what each leaves behind.
pub fn source(seeds: &[u64]) -> String {
    let mut text = HEAD.to_owned();
    let mut calls = String::new();
    for &seed in seeds {
        let function = function(seed);
        let element =
            ELEMENTS.into_iter().find(|element| function.starts_with(&format!("#define R{seed} {element}\n")));
        let element = element.unwrap_or("double");
        let name = match element {
            "unsigned long" => "word",
            "unsigned long long" => "longest",
            name => name,
        };
        text.push_str(&function);
        for (n, m) in [(18, 17), (11, 9), (0, 4)] {
            let _ = writeln!(
                calls,
                "  {{ {element} (*p)[40] = (void *)memory; FILL({element});\n    f{seed}({n}, {m}, 3, 2, p, p + 40, p + 80, (void *)(p + 120), \
                 *(p + 1720));\n    printf(\"f{seed} {n} {m} %llx\\n\", sum_{name}()); }}"
            );
        }
    }
    format!("{text}int main(void)\n{{\n{calls}}}\n")
}
