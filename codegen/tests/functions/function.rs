//! Whole functions around regions, with what calls them.

use super::memory::{Array, Home};
use super::numbers::{Known, Type};
use super::pure::Function;
use super::tree::{Node, join};
use super::values::Scalar;
use testkit::Random;

/// What every file begins with.
pub const PRELUDE: &str = "\
struct unit_ { long id; const char *kinds; void (*run)(unsigned char *, int); };
enum small_ { E_LOW = -2, E_ONE = 1, E_TWO };
enum __attribute__((packed)) packed_ { P_LOW = -2, P_HIGH = 200 };
enum big_ { B_ONE = 1, B_HIGH = 4294967295 };
#define MIN_(a, b) ((a) < (b) ? (a) : (b))
#define MAX_(a, b) ((a) > (b) ? (a) : (b))
#define AT_(a, i) a[(i)]
#define HALF_ 0.5
#define HALF_OF_(x) (HALF_ * (x))
#define SQUARE_(x) ((x) * (x) % 100)
#define PASTE_(a, b) a##b
#define REAL_(x) x##f
#ifndef ROWS_
#define ROWS_
#endif
static double twice_(double x) __attribute__((const, unused));
static double twice_(double x) { return 2 * x; }
__attribute__((const, unused)) static int odd_(int x) { return x % 2; }
extern int fesetround(int);
static unsigned long long result_;
static double record_[8];
";

/// Names that tools like, or take for one another.
const NAMES: [&[&str]; 5] = [
    &["max", "max_", "min", "min_", "max$", "min$"],
    &["i_", "i$", "j_", "j$", "n_", "n$", "é", "è"],
    &["o0", "S0", "c0", "e0", "b0", "i0", "i1", "t0", "p0", "S1", "c1", "o1"],
    &["floor", "mod", "exists", "and", "or", "not", "rat", "implies", "infty", "ceild", "floord", "div"],
    &["dvm_b0", "tile", "lower", "upper", "size", "context", "run", "self", "begin", "end", "dvm_", "extent"],
];

/// A function that was written.
#[derive(Clone, Debug)]
pub struct Unit {
    pub seed: u64,
    /// `@` stands for the seed.
    pub text: Node,
    pub kinds: String,
    /// Subscripts leave their rows.
    pub leaves_rows: bool,
}

impl Unit {
    /// Its part of a file.
    pub fn source(&self) -> String {
        self.text.text().replace('@', &self.seed.to_string())
    }
}

/// What is known while a function is written.
#[allow(clippy::struct_excessive_bools, reason = "what a case has, drawn one by one")]
pub struct Writer {
    pub dice: Random,
    pub favourite: Type,
    pub kinds: String,
    /// Text before the function.
    pub before: Vec<Node>,
    /// Where the function begins and ends.
    pub begin: Vec<Node>,
    pub end: Vec<Node>,
    /// Around the call.
    pub enter: String,
    pub leave: String,
    /// Declaration and argument.
    pub parameters: Vec<(String, String)>,
    pub arrays: Vec<Array>,
    pub scalars: Vec<Scalar>,
    /// Integers that no region changes; the first is the size.
    pub constants: Vec<Known>,
    pub size: String,
    /// Counters of the loops around.
    pub counters: Vec<Known>,
    /// Counters that are declared outside.
    pub outer: Vec<Known>,
    pub functions: Vec<Function>,
    /// Regions call them often.
    pub calls: bool,
    /// What they read.
    pub read: Option<Home>,
    /// Two names of one array: by which regions write it, and by which they read it.
    pub pair: Option<(String, String)>,
    /// Those that the pragma may have to name.
    pub vouched: Vec<String>,
    /// 0: regions of one statement, 1: of two, 2: of several. Most defects show in small ones, which cost least.
    pub class: usize,
    pub budget: usize,
    /// What the region writes.
    pub targets: Vec<Home>,
    pub leaves_rows: bool,
    pub odd_names: bool,
    /// How often loops have jumps, or 0. Functions without these and pairs are those of the same seeds before there were any,
    /// which `planted` names.
    pub jumps: usize,
    /// Headers of loops have another variable beside the counter.
    pub pairs: bool,
    pool: &'static [&'static str],
    names: Vec<String>,
}

/// The function of a seed.
pub fn unit(seed: u64) -> Unit {
    let mut dice = Random::new(seed);
    let favourite =
        *dice.pick(&[Type::F64, Type::F64, Type::F64, Type::U64, Type::U32, Type::I32, Type::F32, Type::I16, Type::U8]);
    let mut writer = Writer {
        favourite,
        kinds: String::new(),
        before: Vec::new(),
        begin: Vec::new(),
        end: Vec::new(),
        enter: String::new(),
        leave: String::new(),
        parameters: Vec::new(),
        arrays: Vec::new(),
        scalars: Vec::new(),
        constants: Vec::new(),
        size: String::new(),
        counters: Vec::new(),
        outer: Vec::new(),
        functions: Vec::new(),
        calls: dice.one_in(14),
        read: None,
        pair: None,
        vouched: Vec::new(),
        class: dice.weigh(&[20, 7, 2]),
        budget: 0,
        targets: Vec::new(),
        leaves_rows: dice.one_in(24),
        odd_names: dice.one_in(4),
        jumps: usize::from(matches!(seed % 7, 1 | 4)),
        pairs: matches!(seed % 7, 4 | 6),
        names: Vec::new(),
        pool: NAMES[dice.below(NAMES.len())],
        dice,
    };
    writer.numbers();
    writer.arrays();
    writer.scalars();
    writer.functions();
    let body = writer.around();
    writer.finish(seed, body)
}

impl Writer {
    /// A name that the function does not have yet.
    pub fn name(&mut self, wish: &str) -> String {
        if self.odd_names && self.dice.one_in(2) {
            let name = *self.dice.pick(self.pool);
            if !self.names.iter().any(|n| n == name) {
                self.names.push(name.to_owned());
                return name.to_owned();
            }
        }
        let mut name = wish.to_owned();
        while self.names.contains(&name) {
            name.push(*self.dice.pick(&['1', '2', '3', 'x']));
        }
        self.names.push(name.clone());
        name
    }

    /// A counter's name; a loop after another one may use it again.
    pub fn counter_name(&mut self, depth: usize) -> String {
        let wish = ["i", "j", "k", "l", "m"][depth.min(4)];
        let taken = |w: &Writer, name: &str| {
            w.counters.iter().any(|c| c.name == name)
                || w.outer.iter().any(|c| c.name == name)
                || w.constants.iter().any(|c| c.name == name)
                || w.arrays.iter().any(|a| a.name == name)
                || w.scalars.iter().any(|s| s.name == name)
        };
        if self.odd_names || taken(self, wish) { self.name(wish) } else { wish.to_owned() }
    }

    /// Parameters and constants that are integers.
    fn numbers(&mut self) {
        let size = self.name("n");
        let all = [Type::I32, Type::I64, Type::U32, Type::U64, Type::I16, Type::U8];
        let ty = all[self.dice.weigh(&[24, 3, 1, 1, 1, 1])];
        self.parameters.push((format!("{} {size}", ty.name()), "z_".to_owned()));
        self.constants.push(Known { name: size.clone(), ty, low: 0, high: 9, over: 0 });
        self.size = size;
        for at in 0..self.dice.weigh(&[4, 5, 3]) {
            let name = self.name(["m", "d", "e"][at]);
            let (text, low, high, over) = *self.dice.pick(&[
                ("z_ / 2", 0, 4, 0),
                ("z_ % 3", 0, 2, 0),
                ("z_ - 4", -4, 5, -4),
                ("7 - z_", -2, 7, 7),
                ("z_ * 3 % 7", 0, 6, 6),
                ("-z_", -9, 0, 0),
                ("z_ * 5 % 11 - 3", -3, 7, 7),
                ("z_ + 1", 1, 10, 1),
            ]);
            let ty = [Type::I32, Type::I64, Type::U32, Type::U64, Type::I16, Type::U8, Type::I8]
                [self.dice.weigh(&[20, 3, 2, 1, 1, 1, 1])];
            let ty = if low < 0 && ty.is_unsigned() { Type::I32 } else { ty };
            self.constants.push(Known { name: name.clone(), ty, low, high, over });
            if self.dice.one_in(8) {
                self.reached(at, ty, text);
                continue;
            }
            if self.dice.one_in(6) {
                // At file scope.
                let global = format!("k{at}_@");
                self.before.push(join![format!("static {} {global};\n", ty.name())]);
                self.enter.push_str(&format!("  {global} = {text};\n"));
                self.constants.last_mut().expect("it was added").name = global;
            } else {
                let constant = if self.dice.one_in(6) { "const " } else { "" };
                self.parameters.push((format!("{constant}{} {name}", ty.name()), text.to_owned()));
            }
        }
    }

    /// The number that was added last is a part of something else.
    fn reached(&mut self, at: usize, ty: Type, text: &str) {
        let ty = ty.name();
        let known = self.constants.last_mut().expect("it was added");
        let plain = std::mem::take(&mut known.name);
        let (name, declared, argument) = match self.dice.below(4) {
            0 => (format!("{plain}->rows"), format!("struct q{at}_@ *{plain}"), format!("&q{at}v_@")),
            1 => (format!("{plain}->rows"), format!("const struct q{at}_@ *{plain}"), format!("&q{at}v_@")),
            2 => (format!("{plain}.rows"), format!("struct q{at}_@ {plain}"), format!("q{at}v_@")),
            _ => (format!("{plain}[1]"), format!("const {ty} *{plain}"), format!("&q{at}v_@.columns - 1")),
        };
        let by_element = name.ends_with(']');
        known.name = name;
        self.before
            .push(join![format!("struct q{at}_@ {{ {ty} rows, columns, more; }};\nstatic struct q{at}_@ q{at}v_@;\n")]);
        let member = if by_element { "columns" } else { "rows" };
        self.enter.push_str(&format!("  q{at}v_@.{member} = {text};\n"));
        self.parameters.push((declared, argument));
    }

    /// Scalars and counters that live outside of regions.
    fn scalars(&mut self) {
        for at in 0..self.dice.weigh(&[3, 4, 2]) {
            let ty = if self.dice.one_in(3) {
                *self.dice.pick(&[Type::I32, Type::U32, Type::I64, Type::F64, Type::U8])
            } else {
                self.favourite
            };
            let writable = !self.dice.one_in(5);
            let first = self.dice.between(0, 3);
            let name = match self.dice.weigh(&[10, 3, 1, 1, 2]) {
                0 => {
                    let name = self.name(["s", "t", "v"][at]);
                    let attribute =
                        *self.dice.pick(&["", "", "", " __attribute__((unused))", " __attribute__((aligned(16)))"]);
                    self.begin.push(join![format!("  {} {name}{attribute} = {first};\n", ty.name())]);
                    name
                }
                1 => {
                    let name = format!("x{at}_@");
                    self.before.push(join![format!("static {} {name};\n", ty.name())]);
                    self.enter.push_str(&format!("  {name} = {first};\n"));
                    self.leave.push_str(&format!("  record_[{at}] = (double){name};\n"));
                    name
                }
                2 => {
                    let name = self.name(["s", "t", "v"][at]);
                    self.before.push(join![format!(
                        "static void clean{at}_@({} *it) {{ record_[{}] += (double)*it; }}\n",
                        ty.name(),
                        at + 2
                    )]);
                    self.begin.push(join![format!(
                        "  {} {name} __attribute__((cleanup(clean{at}_@))) = {first};\n",
                        ty.name()
                    )]);
                    name
                }
                3 => {
                    let name = self.name(["s", "t", "v"][at]);
                    self.begin.push(join![format!("  static {} {name};\n  {name} = {first};\n", ty.name())]);
                    name
                }
                _ => {
                    let name = self.name(["s", "t", "v"][at]);
                    self.parameters.push((format!("{} {name}", ty.name()), first.to_string()));
                    name
                }
            };
            self.scalars.push(Scalar { name, ty, writable });
        }
        for at in 0..self.dice.weigh(&[4, 3, 2]) {
            let name = self.name(["i", "j", "k"][at]);
            let ty = [Type::I32, Type::I64, Type::U32, Type::U8, Type::I16][self.dice.weigh(&[16, 2, 1, 1, 1])];
            self.begin.push(join![format!("  {} {name} = {};\n", ty.name(), at + 5)]);
            self.outer.push(Known { name, ty, low: 0, high: 0, over: 0 });
        }
    }

    fn finish(mut self, seed: u64, body: Node) -> Unit {
        let parameters: Vec<String> = self.parameters.iter().map(|p| p.0.clone()).collect();
        let arguments: Vec<String> = self.parameters.iter().map(|p| p.1.clone()).collect();
        let attribute = *self.dice.pick(&[
            "__attribute__((unused)) ",
            "__attribute__((noinline)) ",
            "__attribute__((optimize(\"O2\"))) ",
        ]);
        let attribute = if self.dice.one_in(30) { attribute } else { "" };
        let head = format!("{attribute}static ROWS_ void f_@({})\n{{\n", parameters.join(", "));
        let head = if self.leaves_rows { head } else { head.replace("ROWS_ ", "") };
        let run = format!(
            "static void run_@(unsigned char *m_, int z_)\n{{\n  result_ = 0;\n  \
             __builtin_memset(record_, 0, sizeof record_);\n{}  f_@({});\n{}  \
             __builtin_memcpy(m_ + 7 * 16384, &result_, sizeof result_);\n  \
             __builtin_memcpy(m_ + 7 * 16384 + 64, record_, sizeof record_);\n}}\n",
            self.enter,
            arguments.join(", "),
            self.leave
        );
        let text = join![self.before, head, self.begin, body, self.end, "}\n", run];
        Unit { seed, text, kinds: self.kinds, leaves_rows: self.leaves_rows }
    }
}
