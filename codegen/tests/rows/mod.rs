//! Random programs with tables of pointers, whose rows may be shared, and with steps that only the run knows.

use std::fmt::Write;
use testkit::Random;

struct Writer {
    dice: Random,
    counters: Vec<&'static str>,
    /// Pointers to rows that the body has set, and whether their rows are written.
    rows: Vec<&'static str>,
    text: String,
}

const COUNTERS: [&str; 3] = ["i", "j", "k"];
/// Amounts between loops' iterations, all of them from 1 to 3.
const STEPS: [&str; 6] = ["step", "*stride", "every", "g->step", "step", "2"];

impl Writer {
    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * depth + 2);
    }

    fn counter(&mut self) -> &'static str {
        self.dice.pick::<&str>(&self.counters)
    }

    /// Between -6 and 16 for counters from 0 to 7.
    fn index(&mut self) -> String {
        let (one, other) = (self.counter(), self.counter());
        match self.dice.below(9) {
            0 => format!("{one} + 1"),
            1 => format!("{one} - 1"),
            2 => format!("n - 1 - {one}"),
            3 => format!("{one} + {other}"),
            4 => "1".to_owned(),
            _ => one.to_owned(),
        }
    }

    fn element(&mut self) -> String {
        let (x, y, z) = (self.index(), self.index(), self.index());
        if !self.rows.is_empty() && self.dice.one_in(3) {
            return format!("{}[{x}]", self.dice.pick::<&str>(&self.rows));
        }
        match self.dice.below(10) {
            0 | 1 => format!("t[{x}][{y}]"),
            2 | 3 => format!("u[{x}][{y}]"),
            4 => format!("w[{x}][{y}][{z}]"),
            5 => format!("*(*(u + ({x})) + ({y}))"),
            6 => format!("g->t[{x}][{y}]"),
            7 => format!("fixed[({x}) + 6][{y}]"),
            8 => format!("v[({x}) * 20 + ({y})]"),
            _ => format!("v[{x}]"),
        }
    }

    /// Mostly another element in each iteration.
    fn target(&mut self) -> String {
        if self.dice.one_in(8) {
            return self.element();
        }
        let (row, all) = match self.counters[..] {
            [x] => (format!("{x}][1"), format!("1][1][{x}")),
            [x, y] => (format!("{x}][{y}"), format!("{x}][1][{y}")),
            [x, y, z, ..] => (format!("{x}][{y} + {z}"), format!("{x}][{y}][{z}")),
            [] => ("0][0".to_owned(), "0][0][0".to_owned()),
        };
        match self.dice.below(6) {
            0 => format!("w[{all}]"),
            1 => format!("g->t[{row}]"),
            2 => format!("v[{}]", self.counters.join(" * 20 + ")),
            3 => format!("u[{row}]"),
            _ => format!("t[{row}]"),
        }
    }

    fn statement(&mut self, depth: usize) {
        let (to, one, other, it) = (self.target(), self.element(), self.element(), self.counter());
        let one = if self.dice.one_in(3) { to.clone() } else { one };
        let operator = *self.dice.pick(&["=", "=", "+="]);
        let condition = match self.dice.below(7) {
            0 => format!("if ({it} < m - 1) "),
            1 => format!("if ({it} != n) "),
            2 => format!("if ({other} & 1) "),
            _ => String::new(),
        };
        self.line(depth, &format!("{condition}{to} {operator} {one} * 3 + {other} + (number)({it} + 4);"));
    }

    fn loop_head(&mut self, depth: usize) -> String {
        let it = COUNTERS[depth];
        let mut high = vec!["n", "m", "n - 1", "m + 1", "5", "g->n", "*size"];
        if depth > 0 {
            high.push(COUNTERS[depth - 1]);
        }
        let (low, high) = (*self.dice.pick(&["0", "0", "1"]), *self.dice.pick(&high));
        let step = *self.dice.pick(&STEPS);
        match self.dice.below(8) {
            0 => format!("for (int {it} = {high} - 1; {it} >= {low}; {it}--)"),
            1 => format!("for (int {it} = {high} - 1; {it} >= {low}; {it} -= {step})"),
            2 | 3 => format!("for (int {it} = {low}; {it} < {high}; {it} += {step})"),
            4 => format!("for (int {it} = {low}; {it} < {high}; {it} = {it} + {step})"),
            _ => format!("for (int {it} = {low}; {it} < {high}; {it}++)"),
        }
    }

    fn nest(&mut self, depth: usize, deepest: usize) {
        let head = self.loop_head(depth);
        self.line(depth, &format!("{head} {{"));
        self.counters.push(COUNTERS[depth]);
        let known = self.rows.len();
        if known < 2 && self.dice.one_in(3) {
            let (name, x, y) = (["row", "line"][known], self.index(), self.index());
            let value = match self.dice.below(4) {
                0 => format!("w[{x}][{y}]"),
                1 => format!("u[{x}]"),
                2 => format!("g->t[{x}]"),
                _ => format!("t[{x}]"),
            };
            self.line(depth + 1, &format!("number *{name} = {value};"));
            self.rows.push(name);
        }
        if depth + 1 < deepest {
            self.nest(depth + 1, deepest);
        }
        if depth + 1 == deepest || self.dice.one_in(4) {
            for _ in 0..=self.dice.below(2) {
                self.statement(depth + 1);
            }
        }
        self.rows.truncate(known);
        self.counters.pop();
        self.line(depth, "}");
    }
}

/// The function of a seed.
pub fn function(seed: u64) -> String {
    let mut dice = Random::new(seed);
    let deepest = 1 + dice.below(3);
    let table = *dice.pick(&["number **", "number **", "number **restrict ", "number *const *"]);
    let text = format!(
        "static void f{seed}(int n, int m, int step, const int *stride, const int *size, struct grid *g, {table}t, number **u, \
         number ***w, number *v)\n{{\n#pragma dvm region\n"
    );
    let mut writer = Writer { dice, counters: vec![], rows: vec![], text };
    writer.nest(0, deepest);
    writer.text + "}\n\n"
}

const HEAD: &str = "#include <stdio.h>
typedef unsigned long long number;
struct grid { int n, step; number **t; };
enum { ROWS = 24, ROW = 48 };
static number pool[5 * ROWS * ROW], cube[ROWS * ROWS * 32], *tables[3][ROWS], *fixed[ROWS], *inner[ROWS][ROWS], **outer[ROWS];
static int every;

/* All rows apart, but what the layout says. */
static void prepare(int layout, struct grid *g, number ***t, number ***u, number ****w, number **v)
{
  for (int i = 0; i < 5 * ROWS * ROW; i++)
    pool[i] = 3 * i + 1;
  for (int i = 0; i < ROWS * ROWS * 32; i++)
    cube[i] = 5 * i + 2;
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < 3; k++)
      tables[k][i] = pool + (k * ROWS + i) * ROW + 8;
    fixed[i] = pool + (3 * ROWS + i) * ROW + 8;
    outer[i] = inner[i] + 6;
    for (int k = 0; k < ROWS; k++)
      inner[i][k] = cube + (i * ROWS + k) * 32 + 8;
  }
  *t = tables[0] + 6, *u = tables[1] + 6, *w = outer + 6, g->t = tables[2] + 6, *v = pool + 4 * ROWS * ROW + 150;
  switch (layout) {
  case 1: *u = *t + 1; break;
  case 2: for (int i = 0; i < ROWS; i++) tables[1][i] = tables[0][i] + 1; break;
  case 3: for (int i = 0; i < ROWS; i++) tables[1][i] = tables[0][ROWS - 1 - i]; break;
  case 4: tables[0][10] = tables[0][8]; tables[1][7] = tables[1][9]; break;
  case 5: *v = tables[0][9]; break;
  case 6: for (int i = 0; i < ROWS; i++) tables[0][i] = inner[i][7]; break;
  case 7: g->t = *t; break;
  case 8: outer[8] = outer[7]; outer[9] = tables[1] + 6; break;
  case 9: tables[2][8] = fixed[9] - 2; tables[1][8] = pool + 4 * ROWS * ROW + 160; break;
  case 10: *u = *t; break;
  }
}

static number sum(void)
{
  number all = 1;
  for (int i = 0; i < 5 * ROWS * ROW; i++)
    all = (all ^ pool[i]) * 1099511628211u;
  for (int i = 0; i < ROWS * ROWS * 32; i++)
    all = (all ^ cube[i]) * 1099511628211u;
  return all;
}

";

/// A program that runs the functions of these seeds, and prints what each leaves behind.
pub fn source(seeds: &[u64]) -> String {
    let mut text = HEAD.to_owned();
    let mut calls = String::new();
    for &seed in seeds {
        text.push_str(&function(seed));
        let mut call = |layout: u64, n: u64, m: u64, steps: [u64; 3]| {
            let [step, stride, every] = steps;
            let _ = writeln!(
                calls,
                "  prepare({layout}, &grid, &t, &u, &w, &v);\n  size = {m}, stride = {stride}, every = {every}, grid.n = {n}, grid.step = {step};\n  \
                 f{seed}({n}, {m}, {step}, &stride, &size, &grid, t, u, w, v);\n  \
                 printf(\"f{seed} {layout} {n} {m} {step}{stride}{every} %llx\\n\", sum());"
            );
        };
        for layout in 0..11 {
            call(layout, 5 + layout % 3, 6 - layout % 2, [1, 1, 1]);
        }
        call(0, 7, 6, [2, 1, 1]);
        call(0, 6, 7, [1, 3, 2]);
        call(2, 7, 7, [3, 2, 1]);
        call(0, 0, 3, [1, 1, 1]);
        call(0, 4, 0, [1, 2, 1]);
    }
    format!(
        "{text}int main(void)\n{{\n  struct grid grid;\n  number **t, **u, ***w, *v;\n  int size, stride;\n{calls}}}\n"
    )
}
