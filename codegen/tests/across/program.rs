//! Random programs whose regions share arrays: kept ones, and such as main reads, writes, frees and fills in between.

use super::exchanges;
use crate::kernel::{Kernel, Place, random};
use std::fmt::Write;
use testkit::Random;

/// The largest n of a region of any loops, and the lengths that the subscripts of its kernel need.
const LARGEST: usize = 16;
const LENGTH: usize = 5 * LARGEST + 24;
const LENGTH_OF_THREE: usize = 3 * LARGEST + 12;
/// Elements from one element of an array of rank 1 to the next, and of a row of rank 2: what a region touches of an array
/// has to be at least four pages, or it is not kept.
const APART: usize = 200;
const ROW: usize = 260;
/// Arrays of each rank.
const OF_A_RANK: usize = 3;

/// A region: its loops, the clauses of its pragma, which arrays it keeps.
#[derive(Clone, Debug)]
pub struct Nest {
    pub kernel: Kernel,
    pub clauses: String,
    pub kept: Vec<String>,
    pub column: usize,
    /// The largest n of a call.
    pub largest: usize,
}

/// What main does, as C; some calls a region.
#[derive(Clone, Debug)]
pub struct Action {
    pub text: String,
    pub calls: Option<usize>,
}

/// What all regions of a program are: `dvm_init` or not, the option `--across`.
#[derive(Clone, Debug)]
pub struct Program {
    pub nests: Vec<Nest>,
    /// How main gets each array: of file scope, by `malloc`, from a block of several, from the system.
    pub homes: Vec<usize>,
    pub actions: Vec<Action>,
    pub turns: usize,
    pub collective: bool,
    pub option: bool,
    pub shapes: Vec<Setting>,
}

/// How a program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    pub processes: usize,
    pub environment: Vec<(&'static str, String)>,
}

fn elements(rank: usize) -> usize {
    match rank {
        1 => LENGTH * APART,
        2 => LENGTH * ROW,
        _ => LENGTH_OF_THREE.pow(3),
    }
}

/// The C name of an array of the program.
fn name(rank: usize, at: usize) -> String {
    format!("{}{at}", ["s", "p", "q", "r"][rank])
}

impl Nest {
    fn new(dice: &mut Random, option: bool) -> Nest {
        // Any loops take the compiler long, and seldom run across.
        let (kernel, largest) =
            if dice.chance(85) { exchanges::nest(dice) } else { (random::kernel(dice.number()), LARGEST) };
        let arrays: Vec<String> =
            kernel.arrays.iter().filter(|array| !array.dims.is_empty()).map(|array| array.name.clone()).collect();
        let kept = arrays.into_iter().filter(|_| dice.chance(85)).collect();
        let mut clauses = if option && dice.chance(60) { String::new() } else { " across".to_owned() };
        if dice.one_in(4) {
            let buffers = 1 + dice.below(4);
            let _ = write!(clauses, " buffers({buffers})");
            if dice.one_in(2) {
                let _ = write!(clauses, " ahead({})", dice.below(buffers));
            }
        }
        if !clauses.contains("across") {
            clauses.clear();
        }
        Nest { kernel, clauses, kept, column: dice.below(APART), largest }
    }

    fn pragma(&self) -> String {
        let there = |name: &&String| self.kernel.text().contains(&format!("{name}["));
        let kept: Vec<&str> = self.kept.iter().filter(there).map(String::as_str).collect();
        match self.clauses.as_str() {
            "" => "#pragma dvm region".into(),
            clauses if kept.is_empty() => format!("#pragma dvm region{clauses}"),
            clauses => format!("#pragma dvm region{clauses} keep({})", kept.join(", ")),
        }
    }

    /// The loops; an element of an array of rank 1 is the one of a column.
    fn loops(&self) -> String {
        let mut text = self.kernel.text();
        for array in self.kernel.arrays.iter().filter(|array| array.dims.len() == 1) {
            let parts: Vec<&str> = text.split(&format!("{}[", array.name)).collect();
            let mut all = parts[0].to_owned();
            for part in &parts[1..] {
                let (inside, after) = part.split_once(']').expect("a bracket");
                let _ = write!(all, "{}[{inside}][{}]{after}", array.name, self.column);
            }
            text = all;
        }
        text
    }

    fn function(&self, at: usize) -> String {
        let mut head = format!("static void region_{at}(int n, int m");
        let (mut before, mut after) = (String::new(), String::new());
        for array in &self.kernel.arrays {
            let own = &array.name;
            let restrict = if array.place == Place::Restrict { "restrict " } else { "" };
            let _ = match array.dims.len() {
                0 => {
                    let _ = write!(before, "  word {own} = *at_{own};\n  (void){own};\n");
                    let _ = writeln!(after, "  *at_{own} = {own};");
                    write!(head, ", word *at_{own}")
                }
                1 => write!(head, ", word (*{restrict}{own})[{APART}]"),
                2 => write!(head, ", word (*{restrict}{own})[{ROW}]"),
                _ => write!(head, ", word (*{restrict}{own})[{LENGTH_OF_THREE}][{LENGTH_OF_THREE}]"),
            };
        }
        format!("{head})\n{{\n  (void)n, (void)m;\n{before}{}\n  {{\n{}  }}\n{after}}}\n", self.pragma(), self.loops())
    }

    /// A call with arrays of the program.
    fn call(&self, dice: &mut Random, at: usize) -> String {
        let largest = self.largest;
        let n = match dice.below(9) {
            0 => format!("(t * 5 + {}) % {}", dice.below(9), largest + 1),
            1 => format!("{largest} - t"),
            2 => format!("{}", dice.below(largest + 1)),
            _ => format!("{largest}"),
        };
        let mut call = format!("region_{at}({n}, (t + {}) % {}", dice.below(5), 1 + dice.below(9));
        let mut free: Vec<Vec<usize>> = (0..4).map(|_| (0..OF_A_RANK).collect()).collect();
        for array in &self.kernel.arrays {
            let rank = array.dims.len();
            let chosen = dice.below(free[rank].len());
            let chosen = free[rank].remove(chosen);
            let _ = match rank {
                0 => write!(call, ", &{}", name(rank, chosen)),
                _ => write!(call, ", (void *){}", name(rank, chosen)),
            };
        }
        call + ");"
    }
}

/// Something that main does with an array.
fn touch(dice: &mut Random, homes: &[usize]) -> String {
    let (rank, at) = (1 + dice.below(3), dice.below(OF_A_RANK));
    let (own, other) = (name(rank, at), name(rank, (at + 1) % OF_A_RANK));
    let all = elements(rank);
    let place = dice.below(all);
    match dice.below(if homes[(rank - 1) * OF_A_RANK + at] == 1 { 9 } else { 6 }) {
        0 => format!("tell({own}, {all});"),
        1 => format!("for (int k = 0; k < 20; k++) seen = seen * 31 + {own}[(k * {place}u + t) % {all}];"),
        2 | 3 => format!("for (int k = 0; k < 9; k++) {own}[(k * {place}u + t) % {all}] += k + t;"),
        4 => format!("memset({own} + {place}, t, {} * sizeof(word));", dice.below((all - place).min(3000))),
        5 => format!(
            "memcpy({own} + {place}, {other} + {place}, {} * sizeof(word));",
            dice.below((all - place).min(9000))
        ),
        6 => format!("free({own}); {own} = filled(malloc({all} * sizeof(word)), {all}, t);"),
        7 => format!("{own} = realloc({own}, {all} * sizeof(word) + {} * (t % 3));", 1 << dice.below(20)),
        _ => format!(
            "free({own}); churn({}, t); {own} = filled(malloc({all} * sizeof(word)), {all}, t + 1);",
            1 << dice.below(18)
        ),
    }
}

fn setting(dice: &mut Random) -> Setting {
    let mut environment = vec![("DVM_WORKERS", (1 + dice.below(3)).to_string())];
    let mut add = |name, value: String| environment.push((name, value));
    if dice.chance(90) {
        add("DVM_TUNE", "0".into());
    }
    if dice.chance(95) {
        let sizes: Vec<String> = (0..=dice.below(3)).map(|_| (1 + dice.below(14)).to_string()).collect();
        add("DVM_TILE", sizes.join("x"));
    }
    let processes = *dice.pick(&[1, 2, 3, 3, 4, 4, 5, 6, 7]);
    match dice.below(7) {
        0 => add("DVM_PLACE", "block".into()),
        1 => add("DVM_PLACE", "cyclic".into()),
        2 => add("DVM_PLACE", format!("cyclic({})", 1 + dice.below(4))),
        3 => add("DVM_PLACE", "block,cyclic".into()),
        4 if processes >= 4 => add("DVM_PLACE", (*dice.pick(&["block,block@2x2", "cyclic,cyclic(2)@2x2"])).into()),
        _ => (),
    }
    if dice.one_in(3) {
        add("DVM_REGION_STEPS", (1 + dice.below(3)).to_string());
    }
    // Then nothing is kept.
    if dice.one_in(12) {
        add("DVM_RECOVER", "1".into());
    }
    if dice.one_in(2) {
        add("DVM_ACROSS", "1".into());
    }
    Setting { processes, environment }
}

/// The program of a seed.
pub fn program(seed: u64) -> Program {
    let mut dice = Random::new(seed);
    let option = dice.one_in(6);
    // In most programs main leaves the arrays to the regions for a while.
    let calling = *dice.pick(&[60, 85, 100]);
    let nests: Vec<Nest> = (0..=dice.below(4)).map(|_| Nest::new(&mut dice, option)).collect();
    let homes: Vec<usize> = (0..3 * OF_A_RANK).map(|_| *dice.pick(&[0, 1, 1, 1, 2, 3])).collect();
    let mut actions = Vec::new();
    for _ in 0..4 + dice.below(10) {
        let calls = dice.chance(calling).then(|| dice.below(nests.len()));
        let text = match calls {
            Some(at) => nests[at].call(&mut dice, at),
            None => touch(&mut dice, &homes),
        };
        let text = if dice.one_in(6) { format!("if (t % 2 == {}) {{ {text} }}", dice.below(2)) } else { text };
        actions.push(Action { text, calls });
    }
    let shapes = (0..6).map(|_| setting(&mut dice)).collect();
    Program { nests, homes, actions, turns: 1 + dice.below(5), collective: dice.one_in(8), option, shapes }
}

const HEAD: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/mman.h>\n\
    #ifdef COLLECTIVE\n#include <dvm.h>\n#endif\n\
    #define quot(e, k) ((e) / (k))\n#define rest(e, k) ((e) % (k))\n\
    typedef unsigned long long word;\nstatic word seen;\nstatic FILE *out;\n\
    static void tell(const word *a, size_t n)\n{\n  word all = n;\n  for (size_t i = 0; i < n; i++)\n    all = (all ^ a[i]) * 0x9e3779b97f4a7c15u + (all >> 29);\n  fprintf(out, \"%llx %llx\\n\", all, seen);\n}\n\
    static word *filled(void *at, size_t n, word seed)\n{\n  word *a = at;\n  for (size_t i = 0; i < n; i++)\n    a[i] = (i + seed) * 0xd1342543de82ef95u >> 7;\n  return a;\n}\n\
    static inline void churn(size_t size, int t)\n{\n  for (int k = 0; k < 5; k++) {\n    char *p = malloc(size + k);\n    memset(p, t, size + k);\n    seen += (unsigned char)p[size / 2];\n    free(p);\n  }\n}\n\
    static void *mapped(size_t size)\n{\n  return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);\n}\n";

impl Program {
    /// Whether a pragma has the clause: then the processes are one program, also where that region is refused.
    pub fn asks_across(&self) -> bool {
        self.nests.iter().any(|nest| nest.clauses.contains("across"))
    }

    /// The C text.
    pub fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        let (mut begin, mut end, mut block) = (String::new(), String::new(), 0);
        for rank in 1..=3 {
            for at in 0..OF_A_RANK {
                let (own, all) = (name(rank, at), elements(rank));
                let place = match self.homes[(rank - 1) * OF_A_RANK + at] {
                    0 => {
                        let _ = writeln!(text, "static word own_{own}[{all}];");
                        format!("own_{own}")
                    }
                    1 => format!("malloc({all} * sizeof(word))"),
                    2 => {
                        block += all + 3;
                        format!("block + {}", block - all - 3)
                    }
                    _ => format!("mapped({all} * sizeof(word))"),
                };
                let _ = writeln!(text, "static word *{own};");
                let _ = writeln!(begin, "  {own} = filled({place}, {all}, {at});");
                let _ = writeln!(end, "  tell({own}, {all});");
            }
        }
        text += "static word s0 = 3, s1 = 5, s2 = 7;\n";
        for (at, nest) in self.nests.iter().enumerate() {
            text += &nest.function(at);
        }
        text += "int main(int argc, char **argv)\n{\n  out = stdout;\n";
        text += "#ifdef COLLECTIVE\n  if (dvm_init() != DVM_SUCCESS)\n    return 1;\n  (void)argc;\n  char path[600];\n  snprintf(path, sizeof path, \"%s.%s\", argv[1], getenv(\"DVM_PROCESS\") ? getenv(\"DVM_PROCESS\") : \"0\");\n  out = fopen(path, \"w\");\n#else\n  (void)argc, (void)argv;\n#endif\n";
        let _ = writeln!(
            text,
            "  word *block = malloc(({block} + 1) * sizeof(word));\n  (void)block;\n{begin}  for (int t = 0; t < {}; t++) {{",
            self.turns
        );
        for action in &self.actions {
            let _ = writeln!(text, "    {}", action.text);
        }
        let _ =
            writeln!(text, "  }}\n{end}  fprintf(out, \"%llx %llx %llx %llx\\n\", s0, s1, s2, seen);\n  fclose(out);");
        text + "#ifdef COLLECTIVE\n  return dvm_finalize() != DVM_SUCCESS;\n#else\n  return 0;\n#endif\n}\n"
    }

    /// Simpler programs, the much simpler ones first.
    pub fn smaller(&self) -> Vec<Program> {
        let mut all = Vec::new();
        let mut add = |change: &dyn Fn(&mut Program)| {
            let mut program = self.clone();
            change(&mut program);
            all.push(program);
        };
        if self.shapes.len() > 1 {
            (0..self.shapes.len()).for_each(|at| add(&|program| program.shapes = vec![self.shapes[at].clone()]));
        }
        for at in 0..self.nests.len() {
            if self.actions.iter().any(|action| action.calls == Some(at)) {
                add(&|program| program.actions.retain(|action| action.calls != Some(at)));
            } else if self.pragma(at) {
                add(&|program| program.nests[at].kernel.body.truncate(0));
            }
        }
        (0..self.actions.len()).for_each(|at| add(&|program| drop(program.actions.remove(at))));
        if self.turns > 1 {
            add(&|program| program.turns -= 1);
        }
        for at in 0..self.nests.len() {
            for kernel in random::smaller(&self.nests[at].kernel) {
                add(&|program| program.nests[at].kernel = kernel.clone());
            }
            (0..self.nests[at].kept.len()).for_each(|kept| add(&|program| drop(program.nests[at].kept.remove(kept))));
        }
        if let [only] = self.shapes.as_slice() {
            if only.processes > 2 {
                add(&|program| program.shapes[0].processes -= 1);
            }
            (0..only.environment.len()).for_each(|at| add(&|program| drop(program.shapes[0].environment.remove(at))));
        }
        all
    }

    fn pragma(&self, at: usize) -> bool {
        !self.nests[at].kernel.body.is_empty()
    }
}
