//! Random programs whose bounds, factors and arrays come from memory: through structs, pointers and tables. The layouts
//! of the calls let them overlap, and let pointers be null where no loop follows them.

use std::fmt::Write;
use testkit::Random;

struct Writer {
    dice: Random,
    counters: Vec<&'static str>,
    deepest: usize,
    late: Late,
    /// Inside a test that keeps away calls with `z = 0`.
    tested: bool,
    /// `own` is a struct of the function.
    local: bool,
    text: String,
}

/// Where pointers are followed that are null in calls with `z = 0`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Late {
    /// No call has such pointers.
    Anywhere,
    /// In the innermost body.
    Innermost,
    /// Under a test.
    Tested,
}

const COUNTERS: [&str; 3] = ["i", "j", "k"];
/// Numbers in memory, and those behind the pointers that may be null: `late` and `len`.
const SIZES: [&str; 14] = [
    "g->n",
    "g->m",
    "g->p->n",
    "dims[1]",
    "dims[0] - 1",
    "s.n",
    "many[3]",
    "whole.n",
    "NN",
    "ID(g->m)",
    "(*g).n",
    "g->q.m",
    "top->n",
    "table[1][0]",
];
const LATE_SIZES: [&str; 4] = ["*len", "late->n", "late->m", "*len - 1"];
const FACTORS: [&str; 9] =
    ["g->c", "s.c", "g->p->c", "whole.c", "rows[0][2]", "top->c", "(number)g->n", "many[2]", "g->q.c"];
const LATE_FACTORS: [&str; 3] = ["late->c", "*len", "late->n"];

impl Writer {
    fn pick(&mut self, usual: &[&'static str], late: &[&'static str]) -> &'static str {
        if self.reached() && self.dice.one_in(4) { self.dice.pick::<&str>(late) } else { self.dice.pick::<&str>(usual) }
    }

    /// Whether all pointers may be followed here.
    fn reached(&self) -> bool {
        match self.late {
            Late::Anywhere => true,
            Late::Innermost => self.counters.len() == self.deepest,
            Late::Tested => self.tested,
        }
    }

    fn counter(&mut self) -> &'static str {
        if self.counters.is_empty() { "0" } else { self.dice.pick::<&str>(&self.counters) }
    }

    fn index(&mut self) -> String {
        let it = self.counter();
        match self.dice.below(8) {
            0 => format!("{it} + 1"),
            1 => format!("{it} + {}", self.counter()),
            2 => format!("{it} + {} + 1", self.pick(&SIZES, &LATE_SIZES)),
            3 => format!("{} - {it} + 7", self.pick(&SIZES, &LATE_SIZES)),
            _ => it.to_owned(),
        }
    }

    /// A subscript from 0 to about 100.
    fn long_index(&mut self) -> String {
        let (one, other) = (self.counter(), self.index());
        match self.dice.below(4) {
            0 => format!("{one} * {} + {other}", self.pick(&SIZES, &LATE_SIZES)),
            1 => format!("{one} * 8 + {other}"),
            _ => other,
        }
    }

    fn element(&mut self) -> String {
        let (index, row, long) = (self.index(), self.index(), self.long_index());
        let late = self.reached();
        match self.dice.below(14) {
            0 | 1 => format!("g->a[{long}]"),
            4 => format!("a[{long}]"),
            5 => format!("g->p->u[{index}]"),
            6 => format!("g->p->v[{row}][{index}]"),
            7 => format!("g->q.u[{index}]"),
            8 if late => format!("late->v[{row}][{index}]"),
            9 => format!("rows[1][{index}]"),
            10 => format!("PU({index})"),
            11 => format!("whole.v[{row}][{index}]"),
            12 if self.local => format!("own.u[{index}]"),
            13 => format!("ID(g->a)[{long}]"),
            _ => format!("g->b[{long}]"),
        }
    }

    /// What a statement writes: mostly another element in each iteration.
    fn target(&mut self) -> String {
        if self.dice.one_in(24) {
            let numbers = ["g->c", "g->n", "*len", "dims[1]", "whole.c", "many[3]", "g->p->m"];
            let number = *self.dice.pick(&numbers);
            let late = self.reached();
            return if number == "*len" && !late { "g->c".to_owned() } else { number.to_owned() };
        }
        if self.dice.one_in(4) {
            return self.element();
        }
        let (one, two) = match self.counters[..] {
            [x] => (x.to_owned(), format!("0][{x}")),
            [x, y] => (format!("{x} * 8 + {y}"), format!("{x}][{y}")),
            [x, y, z] => (format!("{x} * 16 + {y} * 4 + {z}"), format!("{x}][{y} + {z}")),
            _ => ("0".to_owned(), "0][0".to_owned()),
        };
        match self.dice.below(6) {
            0 | 1 => format!("g->a[{one}]"),
            2 => format!("g->p->v[{two}]"),
            3 => format!("whole.v[{two}]"),
            4 => format!("a[{one}]"),
            _ => format!("rows[1][{one}]"),
        }
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * depth + 2);
    }

    fn statement(&mut self, depth: usize) {
        let (to, from, it) = (self.target(), self.element(), self.counter());
        let factor = self.pick(&FACTORS, &LATE_FACTORS);
        let condition = match self.dice.below(8) {
            0 => format!("if ({it} < {}) ", self.pick(&SIZES, &LATE_SIZES)),
            1 => format!("if ({it} > 0 && {it} != {}) ", self.pick(&SIZES, &LATE_SIZES)),
            _ => String::new(),
        };
        // Small numbers: they may become bounds.
        self.line(depth, &format!("{condition}{to} = ({from} * 3 + {factor} + {it}) & 3;"));
    }

    fn body(&mut self, depth: usize, innermost: bool) {
        if !innermost {
            self.nest(depth + 1);
        }
        if innermost || self.dice.one_in(5) {
            for _ in 0..=self.dice.below(2) {
                self.statement(depth + 1);
            }
        }
    }

    fn nest(&mut self, depth: usize) {
        let it = COUNTERS[depth];
        let innermost = depth + 1 == self.deepest;
        let mut high = self.pick(&SIZES, &LATE_SIZES).to_owned();
        if depth > 0 && self.dice.one_in(6) {
            COUNTERS[depth - 1].clone_into(&mut high);
        }
        if innermost && (self.late == Late::Innermost || self.dice.one_in(8)) {
            "z".clone_into(&mut high);
        }
        let kind = *self.dice.pick(&["int", "number", "int"]);
        let more = if self.dice.one_in(8) && high != "z" {
            format!(" && {it} < {}", self.pick(&SIZES, &LATE_SIZES))
        } else {
            String::new()
        };
        let head = match self.dice.below(5) {
            0 => format!("for ({kind} {it} = {high} - 1; {it} >= 0; {it}--)"),
            1 => format!("for ({kind} {it} = 1; {it} < {high}{more}; {it}++)"),
            _ => format!("for ({kind} {it} = 0; {it} < {high}{more}; {it}++)"),
        };
        self.line(depth, &format!("{head} {{"));
        self.counters.push(it);
        let test = if self.late == Late::Tested && !self.tested && self.dice.one_in(2) {
            Some(*self.dice.pick(&TESTS))
        } else {
            None
        };
        if let Some((test, before)) = test {
            self.tested = before;
            self.line(depth + 1, &format!("if ({test}) {{"));
            self.body(depth, innermost);
            self.line(depth + 1, "} else {");
            self.tested = !before;
        }
        if test.is_none() || self.dice.one_in(2) {
            self.body(depth, innermost);
        }
        if test.is_some() {
            self.tested = false;
            self.line(depth + 1, "}");
        }
        self.counters.pop();
        self.line(depth, "}");
    }
}

/// Tests, and whether calls with `z = 0` come to the first branch.
const TESTS: [(&str, bool); 9] = [
    ("z", true),
    ("z > 0 && real == 1.0", true),
    ("z == 0", false),
    ("!z || late->c == 2", false),
    ("z != 0 && *len > 1", true),
    ("*weight > 0. && z", true),
    ("z ? *len > 1 : 0", true),
    ("(z > 0) & (g->c != 7)", true),
    ("i > 0 && z", true),
];

/// The function of a seed, and whether calls with `z = 0` may give it null pointers.
pub fn function(seed: u64) -> (String, bool) {
    let mut dice = Random::new(seed);
    let late = *dice.pick(&[Late::Anywhere, Late::Anywhere, Late::Innermost, Late::Tested]);
    let (local, deepest) = (dice.one_in(4), 1 + dice.below(3));
    let text = format!(
        "static void f{seed}(struct grid *g, struct part s, struct part *late, number *len, number *dims, number **rows, \
         number *a, number z)\n{{\n{}#pragma dvm region\n",
        if local { "  struct part own = s;\n" } else { "" }
    );
    let mut writer = Writer { dice, counters: vec![], deepest, late, tested: false, local, text };
    writer.nest(0);
    let after = if local { "  for (int i = 0; i < 64; i++)\n    pool[3900 + i] ^= own.u[i];\n" } else { "" };
    (format!("{}{after}}}\n\n", writer.text), late != Late::Anywhere)
}

const HEAD: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef long long number;
struct part { number n, m, c, u[256], v[24][64]; };
struct grid { number n, m, c; number *a, *b; struct part *p; struct part q; };
static number pool[12288], many[8], table[3][2];
static struct part whole;
static double real, reals[2], *weight = reals;
static struct grid grid, *top;
#define NN g->n
#define ID(x) x
#define PU(x) g->p->u[x]

static struct grid *g;
static struct part *late;
static number *len, *dims, *rows[3], *a;

/* All apart, but what the layout says. */
static void prepare(int layout, number n, number m)
{
  for (int i = 0; i < 12288; i++)
    pool[i] = i * 7 % 4;
  memset(&grid, 0, sizeof grid);
  memset(&whole, 0, sizeof whole);
  g = top = &grid;
  g->n = whole.n = g->q.m = n;
  g->m = whole.m = g->q.n = m;
  g->c = 3;
  whole.c = 2;
  g->a = pool + 512;
  g->b = pool + 1024;
  a = pool + 1536;
  rows[0] = pool + 2048;
  rows[1] = pool + 2560;
  rows[2] = pool + 3072;
  len = pool + 3584;
  dims = pool + 3600;
  g->p = (struct part *)(pool + 4096);
  late = (struct part *)(pool + 8192);
  *len = n;
  dims[0] = m;
  dims[1] = many[3] = n;
  table[1][0] = m;
  g->p->n = late->m = n;
  g->p->m = late->n = m;
  real = n % 2;
  reals[0] = m % 2;
  switch (layout) {
  case 1: g->a = (number *)g->p - 2; break;
  case 2: g->b = g->a + 5; break;
  case 3: len = g->a + 9; *len = n; break;
  case 4: dims = g->p->u; dims[0] = m; dims[1] = n; break;
  case 5: rows[1] = g->a + 3; break;
  case 6: g->p = &g->q; break;
  case 7: a = (number *)late - 3; break;
  case 8: late = g->p; break;
  case 9: rows[1] = (number *)g->p - 1; break;
  case 10: g->a = a = g->b; break;
  }
}

static number sum(void)
{
  number all = 1;
  for (int i = 0; i < 12288; i++)
    all = (all * 31 + pool[i]) % 1000003;
  for (int i = 0; i < 8; i++)
    all = (all * 31 + many[i]) % 1000003;
  const number *parts[2] = { (const number *)&whole, (const number *)&grid.q };
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof whole / sizeof(number); i++)
      all = (all * 31 + parts[k][i]) % 1000003;
  return all + grid.n + 100 * grid.m + 10000 * grid.c;
}

";

/// A program that runs the functions of these seeds, and prints what each leaves behind.
pub fn source(seeds: &[u64]) -> String {
    let mut text = HEAD.to_owned();
    let mut calls = String::new();
    for &seed in seeds {
        let (function, may_be_null) = function(seed);
        text.push_str(&function);
        let mut call = |layout: u64, n: u64, m: u64, z: u64, null: bool| {
            let (late, len) = if null { ("0", "0") } else { ("late", "len") };
            let _ = writeln!(
                calls,
                "  prepare({layout}, {n}, {m});\n  f{seed}(g, whole, {late}, {len}, dims, rows, a, {z});\n  \
                 printf(\"f{seed} {layout} {n} {m} {z} %lld\\n\", sum());"
            );
        };
        for layout in 0..11 {
            call(layout, 5 + layout % 3, 6 - layout % 2, 5, false);
        }
        call(0, 0, 3, 4, false);
        call(0, 4, 0, 3, false);
        if may_be_null {
            call(0, 4, 5, 0, true);
            call(0, 0, 5, 0, true);
        }
    }
    format!("{text}int main(void)\n{{\n{calls}}}\n")
}
