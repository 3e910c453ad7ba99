//! Random nests: what gfortran makes of them and what dvmfc makes of them print the same.

use super::nest_texts::{DECLARED, FUNCTIONS, OUTSIDE};
use super::{can_run, dvmfc, printed, run, said};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use testkit::Random;

/// Nests in one program.
const TOGETHER: u64 = 12;

/// What the statements of a region are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Elements,
    /// Every second one is about sections.
    Sections,
    /// Every second one is a call.
    Calls,
    /// Many are branches.
    Branches,
}

/// A subroutine with one region.
#[allow(clippy::struct_excessive_bools, reason = "what a nest may have")]
pub(super) struct Nest {
    pub(super) random: Random,
    pub(super) text: String,
    pub(super) counters: Vec<&'static str>,
    /// Names of the loops around, if they have names, and how many loops there were.
    pub(super) loops: Vec<String>,
    pub(super) opened: u32,
    /// Where the arrays `a`, `b`, `c` and `k` are.
    pub(super) names: [&'static str; 4],
    /// Bounds may be elements and components.
    has_sizes: bool,
    /// Variables with a `reduction` may be updated.
    may_reduce: bool,
    /// Whole numbers may be computed: `p` and `o`.
    may_compute: bool,
    /// What statements are about.
    about: About,
    /// There is a logical array, and statements may choose.
    pub(super) branches: bool,
    /// A small array `d`, which is written before it is read; `true`: it also has values before and after the region, and
    /// may be written in part.
    small: Option<bool>,
    /// Loops with a whole number `o` that grows.
    growing: u32,
    /// Subroutines that it calls, and the type of elements.
    pub(super) subroutines: Vec<String>,
    pub(super) real: &'static str,
    /// Elements of `a` may be passed as arrays, and `b` where a shape is needed.
    pub(super) passes: (bool, bool),
    /// The number of the nest.
    pub(super) seed: u64,
    /// Scalars that it writes: `s` is private, `q` a sum and `w` a maximum of whole numbers.
    pub(super) written: BTreeSet<&'static str>,
}

impl Nest {
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(&"  ".repeat(self.counters.len() + 1));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// What is a comment without the option that makes a statement of it.
    fn directive(&mut self) {
        if self.random.one_in(3) {
            let lines = *self.random.pick(&[
                "!$omp parallel do private(s) &\n!$omp&  shared(a)",
                "!$omp atomic",
                "!$ c(1) = 9",
                "!$ a(1, 1) = &\n!$ & 7",
                "!$acc loop independent",
                "!dir$ ivdep",
            ]);
            self.text.push_str(lines);
            self.text.push('\n');
        }
    }

    /// A subscript that stays inside -30:60, for counters between 1 and 12.
    pub(super) fn subscript(&mut self) -> String {
        let mut counter = *self.random.pick(&self.counters);
        if self.growing > 0 && self.random.one_in(3) {
            counter = "o";
        }
        let shift = self.random.between(-3, 3);
        let first = match self.random.below(8) {
            0 => format!("2*{counter}"),
            1 => format!("n - {counter}"),
            2 if self.counters.len() > 1 => {
                let other = *self.random.pick(&self.counters);
                let sign = if self.random.one_in(2) { "+" } else { "-" };
                format!("{counter} {sign} {other}")
            }
            3 => return self.random.between(1, 9).to_string(),
            _ => counter.to_owned(),
        };
        match shift {
            1 if self.has_sizes => format!("{first} + sizes(l + 32)"),
            2 if self.has_sizes => format!("{first} + two(l + 31)%n"),
            0 => first,
            shift if shift < 0 => format!("{first} - {}", -shift),
            shift => format!("{first} + {shift}"),
        }
    }

    /// An element that data choose, to be read.
    fn chosen(&mut self) -> String {
        let (from, other) = (self.subscript(), self.subscript());
        let k = format!("mod({}({from}), 17)", self.names[3]);
        match self.random.below(3) {
            0 => format!("{}({k})", self.names[2]),
            1 => format!("{}({k}, {other})", self.names[0]),
            _ => format!("{}({other}, {k} + 1)", self.names[1]),
        }
    }

    pub(super) fn element(&mut self) -> String {
        let (x, y) = (self.subscript(), self.subscript());
        match self.random.below(5) {
            0 => format!("{}({x})", self.names[2]),
            1 => format!("{}({x})", self.names[3]),
            2 | 3 => format!("{}({x}, {y})", self.names[0]),
            _ => format!("{}({x}, {y})", self.names[1]),
        }
    }

    /// Values stay small: no sum of factors is above one.
    pub(super) fn term(&mut self, depth: u32, private: bool) -> String {
        if depth == 0 || self.random.one_in(4) {
            return match self.random.below(8) {
                0 => "0.3d0".to_owned(),
                4 if self.seed.is_multiple_of(6) => self.chosen(),
                1 => "r".to_owned(),
                2 => (*self.random.pick(&self.counters)).to_owned(),
                3 if private => "s".to_owned(),
                _ => self.element(),
            };
        }
        let (x, y) = (self.term(depth - 1, private), self.term(depth - 1, private));
        match self.random.below(18) {
            0 if self.branches => format!("merge(real({x}, 8), real({y}, 8), {})*0.5d0", self.truth()),
            17 => format!("softened(real({x}, 8))**{}", self.random.pick(&["3", "(-1)", "4", "5"])),
            14 => format!("crooked(real({x}, 8), {})", self.random.pick(&self.counters)),
            15 => format!("outside(real({x}, 8), {y} < 0.5d0)"),
            16 => format!("bent(crooked(real({x}, 8), {}), outside(0.3d0, .true.))", self.subscript()),
            11 => format!("bent(real({x}, 8), real({y}, 8))"),
            12 => format!("softened(real({x}, 8))"),
            13 => format!("folded({}, 5) + {x}*0.25", self.random.pick(&self.counters)),
            9 => format!("max(real({x}, 8), real({y}, 8))"),
            10 => format!("sign(real({x}, 8), real({y}, 8) - 0.1d0)"),
            0 => format!("({x} + {y})*0.5d0"),
            1 => format!("0.25*{x} - (0.5*{y} - 0.125d0)"),
            2 => format!("({x})*0.5d0/(1.5d0 + abs(real({y}, 8)))"),
            3 => format!("sqrt(abs(real({x}, 8)))"),
            4 => format!("-({x})*0.5"),
            5 => format!("mod({}, 7)/2 + {x}*0.25", self.random.pick(&self.counters)),
            _ => format!("0.5d0*{x} + 0.25d0*{y}"),
        }
    }

    /// An update of a variable with a `reduction`.
    fn update(&mut self) {
        let (from, counter) = (self.subscript(), *self.random.pick(&self.counters));
        let value = format!("{}({from}) - 2*{counter}", self.names[3]);
        if self.random.one_in(2) {
            self.written.insert("q");
            let condition = if self.random.one_in(3) { format!("if ({counter} > 3) ") } else { String::new() };
            self.line(&format!("{condition}q = q + {value}"));
        } else {
            self.written.insert("w");
            let others = ["", ", 3*m - i", ", p(2) + 1, 2*i - p(1)"][self.random.below(3)].replace('i', counter);
            let others = others.replace("p(", &format!("{}(", self.names[3]));
            self.line(&format!("w = max(w, {value}{others})"));
        }
    }

    /// Clauses for what the region has.
    fn clauses(&mut self) -> String {
        let mut all = String::new();
        if self.written.contains("s") && self.random.one_in(2) {
            all.push_str(" private(s)");
        }
        if self.written.contains("q") {
            all.push_str(" reduction(+:q)");
        }
        if self.written.contains("w") {
            all.push_str(" reduction(max : w)");
        }
        // These are not written into the loops.
        for name in ["crooked", "outside", "beyond"].iter().filter(|name| self.text.contains(&format!("{name}("))) {
            let _ = write!(all, " pure({name})");
        }
        all
    }

    /// A section of one or two ranges, that a statement writes: the text of the array with subscripts, and what the ranges are.
    fn section(&mut self, whole: usize) -> (String, Vec<(i64, &'static str)>) {
        const ENDS: [&str; 3] = ["n", "m", "5"];
        let of = self.random.below(3);
        let mut ranges = Vec::new();
        let dimensions = if of == 2 { 1 } else { 2 };
        let fixed = if dimensions == 2 && whole == 1 { self.random.below(2) } else { 2 };
        let mut subscripts = Vec::new();
        for at in 0..dimensions {
            if at == fixed {
                subscripts.push(self.subscript());
                continue;
            }
            let (first, end) = (self.random.between(-3, 3), *self.random.pick(&ENDS));
            subscripts.push(format!("{first}:{end}"));
            ranges.push((first, end));
        }
        (format!("{}({})", self.names[of], subscripts.join(", ")), ranges)
    }

    /// A value with the extents of `ranges`, which may read `target` where it is written and, with `shifted`, elsewhere.
    fn array_term(&mut self, depth: u32, target: &str, ranges: &[(i64, &'static str)], shifted: bool) -> String {
        if depth > 0 && !self.random.one_in(4) {
            let (x, y) = (
                self.array_term(depth - 1, target, ranges, shifted),
                self.array_term(depth - 1, target, ranges, shifted),
            );
            return match self.random.below(8) {
                7 => format!("crooked(real({x}, 8), {})", self.random.pick(&self.counters)),
                6 => format!("bent(real({x}, 8), softened(real({y}, 8)))"),
                5 => format!("min(real({x}, 8), real({y}, 8), 0.8d0)"),
                0 => format!("({x} + {y})*0.5d0"),
                1 => format!("0.5*{x} - 0.25*({y} - 0.125d0)"),
                2 => format!("sqrt(abs(real({x}, 8)))"),
                3 => format!("-({x})*0.5"),
                _ => format!("0.5d0*{x} + 0.25d0*{y}"),
            };
        }
        match self.random.below(7) {
            0 => "0.3d0".to_owned(),
            1 => "r".to_owned(),
            2 => (*self.random.pick(&self.counters)).to_owned(),
            3 => target.to_owned(),
            4 => {
                let element = self.element();
                if shifted { element } else { "0.7d0".to_owned() }
            }
            _ => {
                let shift = self.random.between(-2, 2);
                let moved = |range: &(i64, &str)| match shift {
                    0 => format!("{}:{}", range.0, range.1),
                    shift => format!("{}:{}{shift:+}", range.0 + shift, range.1),
                };
                let back = |range: &(i64, &str)| format!("{}:{}:-1", range.1, range.0);
                let mut all: Vec<String> = ranges.iter().map(moved).collect();
                if self.random.one_in(5) {
                    all = ranges.iter().map(back).collect();
                }
                let (name, other) = (self.random.below(2), self.random.one_in(2));
                if all.len() == 1 {
                    let fixed = self.subscript();
                    match self.random.below(3) {
                        0 => return format!("{}({})", self.names[2], all[0]),
                        1 => all.insert(0, fixed),
                        _ => all.push(fixed),
                    }
                }
                if !shifted && target.starts_with(self.names[name]) && !other {
                    return target.to_owned();
                }
                format!("{}({})", self.names[name], all.join(", "))
            }
        }
    }

    /// An assignment to a section, or a `where`. Not all can be taken: it may read what it writes.
    fn arrays(&mut self) {
        let dimensions = 1 + self.random.below(2);
        let (target, ranges) = self.section(dimensions);
        if self.random.one_in(6) {
            let whole = [format!("{}(:, :)", self.names[0]), format!("{}(-30:60)", self.names[2])];
            let whole = self.random.pick(&whole).clone();
            let value = if self.random.one_in(2) { "0.25d0".to_owned() } else { format!("{whole}*0.5d0 + r") };
            return self.line(&format!("{whole} = {value}"));
        }
        let shifted = self.random.one_in(2);
        if self.random.one_in(3) {
            let mask = self.array_term(1, &target, &ranges, shifted);
            let mask = format!("{target}*0.5d0 + {mask} > 0.4d0");
            let value = self.array_term(2, &target, &ranges, shifted);
            if self.random.one_in(3) {
                return self.line(&format!("where ({mask}) {target} = {value}"));
            }
            self.line(&format!("where ({mask})"));
            self.line(&format!("  {target} = {value}"));
            if self.random.one_in(2) {
                let value = self.array_term(1, &target, &ranges, shifted);
                self.line(&format!("  {target} = {target} - {value}"));
            }
            if self.random.one_in(3) {
                let (mask, value) =
                    (self.array_term(1, &target, &ranges, shifted), self.array_term(1, &target, &ranges, shifted));
                self.line(&format!("elsewhere ({target} < {mask})"));
                self.line(&format!("  {target} = {value}"));
            }
            if self.random.one_in(2) {
                let value = self.array_term(1, &target, &ranges, shifted);
                self.line("elsewhere");
                self.line(&format!("  {target} = {value}"));
            }
            return self.line("end where");
        }
        let value = self.array_term(2, &target, &ranges, shifted);
        let condition = match self.random.below(5) {
            0 => format!("if ({} > 2) ", self.random.pick(&self.counters)),
            _ => String::new(),
        };
        self.line(&format!("{condition}{target} = {value}"));
    }

    fn statement(&mut self) {
        if self.about == About::Sections && self.random.one_in(2) {
            return self.arrays();
        }
        if self.about == About::Calls && self.random.one_in(2) {
            return self.call();
        }
        if self.small.is_some() && self.random.one_in(3) {
            return self.of_small_array();
        }
        if self.may_reduce && self.random.one_in(4) {
            return self.update();
        }
        if self.branches && self.random.one_in(3) {
            match self.random.below(3) {
                0 => return self.choose(),
                1 => return self.set_mask(),
                _ => return self.leave(),
            }
        }
        let private = self.random.one_in(4);
        if private {
            self.written.insert("s");
            let value = self.term(2, false);
            self.line(&format!("s = {value}"));
        }
        let (mut to, value) = (self.element(), self.term(2, private));
        if self.may_compute && self.random.one_in(4) {
            let value = self.subscript();
            self.line(&format!("p = {value}"));
            let second = self.subscript();
            to = format!("{}(p, {second})", self.names[0]);
        }
        let value = if to.starts_with(self.names[3]) {
            let (from, counter) = (self.subscript(), *self.random.pick(&self.counters));
            format!("mod({}({from}) + {counter}*3, 97)/2 - {counter}", self.names[3])
        } else {
            value
        };
        let condition = if self.random.one_in(3) { format!("if ({}) ", self.condition()) } else { String::new() };
        self.directive();
        self.line(&format!("{condition}{to} = {value}"));
    }

    /// What may be true, for `if`.
    fn condition(&mut self) -> String {
        let counter = *self.random.pick(&self.counters);
        let element = self.element();
        match self.random.below(12) {
            1..=4 if self.branches => self.truth(),
            0..=4 => format!("{counter} > {}", self.random.between(2, 6)),
            5 => format!("beyond({element}*1d0) .or. {element} < 0.3d0"),
            6 => format!("beyond({element}*1d0)"),
            7 => (*self.random.pick(&[".false.", ".true.", "never", ".not. never"])).to_owned(),
            8 => (*self.random.pick(&["given", ".not. given", "given .and. n > 3"])).to_owned(),
            9 => {
                let value = self.random.pick(&[format!("{element} < 0.5d0"), format!("{counter} == 3")]).clone();
                self.line(&format!("t = {value}"));
                (*self.random.pick(&["t", ".not. t", "t .or. given"])).to_owned()
            }
            _ => format!("{element} < 1.5d0"),
        }
    }

    /// The bounds of a loop, which are between 1 and 12, with its step.
    fn range(&mut self) -> String {
        let array = self.names[0];
        let low = match self.counters.last() {
            Some(outer) if self.random.one_in(3) => (*outer).to_owned(),
            _ if self.random.one_in(8) => format!("lbound({array},1) + 32"),
            _ => self.random.between(1, 2).to_string(),
        };
        let high = match self.random.below(8) {
            0 if self.has_sizes => "sizes(1)".to_owned(),
            1 if self.has_sizes => "two(1)%n - 1 + one%m".to_owned(),
            2 if self.has_sizes => "two(1)%list(-1) + 4".to_owned(),
            0 => "m".to_owned(),
            1 => "min(n, m + 1)".to_owned(),
            2 if self.random.one_in(2) => format!("ubound({array}, 1) - 52"),
            3 if self.random.one_in(2) => format!("size({array}, dim=2) - 83"),
            _ => "n".to_owned(),
        };
        let step = if self.random.one_in(5) { self.random.between(2, 4) } else { 1 };
        match (self.random.one_in(6), step) {
            (true, step) => format!("{high}, {low}, -{step}"),
            (false, 1) => format!("{low}, {high}"),
            (false, step) => format!("{low}, {high}, {step}"),
        }
    }

    /// Statements about a small array, which they write before they read it.
    fn of_small_array(&mut self) {
        let is_kept = self.small == Some(true);
        let bounds = if is_kept { *self.random.pick(&["0, 1", "-1, min(n, 2)", "-1, 2"]) } else { "-1, 2" };
        let bounds = if self.random.one_in(6) && bounds == "-1, 2" { "2, -1, -1" } else { bounds };
        let value = self.term(1, false);
        self.line(&format!("do at = {bounds}"));
        self.line(&format!("  d(at) = ({value})*0.5d0 + at*0.0625d0"));
        self.line("end do");
        if self.random.one_in(3) {
            self.line("do at = 0, 2");
            self.line("  d(at) = d(at)*0.5d0 + d(at - 1)*0.25d0");
            self.line("end do");
        }
        let (to, other) = (self.element(), self.term(1, false));
        if self.random.one_in(3) {
            self.line(&format!("if (d(1) > 0.25d0) d(0) = {other}"));
        }
        if !to.starts_with(self.names[3]) {
            let from = self.random.between(-1, 2);
            self.line(&format!("{to} = d({from})*0.5d0 + d(0)*0.25d0"));
        }
    }

    fn body(&mut self, depth: usize) {
        const COUNTERS: [&str; 3] = ["i1", "i2", "i3"];
        for _ in 0..=self.random.below(2) {
            if depth > 0 && (self.counters.is_empty() || !self.random.one_in(4)) {
                let counter = COUNTERS[self.counters.len()];
                let range = self.range();
                let grows = self.may_compute && self.growing == 0 && self.random.one_in(3);
                // A region begins with a loop: there, `o` is what it was before.
                let is_first = self.counters.is_empty();
                let grows = grows && (!is_first || !self.written.contains("o"));
                if grows && !is_first {
                    self.line("o = 1");
                }
                if grows {
                    self.written.insert("o");
                }
                self.directive();
                self.open_loop(counter, &range);
                if self.random.one_in(8) {
                    let condition = self.condition();
                    self.line(&format!("if ({condition}) cycle"));
                }
                self.growing += u32::from(grows);
                let first = self.random.one_in(2);
                if grows && first {
                    self.line("o = o + 1");
                }
                self.body(depth - 1);
                self.growing -= u32::from(grows);
                if grows && !first {
                    self.line("o = o + 2");
                }
                self.close_loop();
            } else if !self.counters.is_empty() {
                self.statement();
            }
        }
        if !self.counters.is_empty() && (depth == 0 || self.random.one_in(3)) {
            self.statement();
        }
    }
}

/// A subroutine with a random region.
fn nest(seed: u64, about: About) -> String {
    let mut random = Random::new(seed);
    let (names, set) = *random.pick(&HOLDERS);
    let (has_sizes, may_reduce, may_compute) = (random.one_in(2), random.one_in(3), random.one_in(3));
    let mut nest = Nest {
        random,
        text: String::new(),
        counters: Vec::new(),
        loops: Vec::new(),
        opened: 0,
        names,
        has_sizes,
        may_reduce,
        may_compute,
        about,
        branches: about == About::Branches,
        small: None,
        growing: 0,
        subroutines: Vec::new(),
        real: "",
        passes: (true, true),
        seed,
        written: BTreeSet::new(),
    };
    if nest.random.one_in(3) {
        nest.small = Some(nest.random.one_in(3));
    }
    let depth = 1 + nest.random.below(if about == About::Sections { 2 } else { 3 });
    let arrays = *nest.random.pick(&[
        "a(-30:60,-30:60), b(-30:60,-30:60), c(-30:60)",
        "a(-30:,-30:), b(-30:60,-30:*), c(-30:)",
        "a(l:l+90,-30:60), b(-30:,-30:), c(l:*)",
    ]);
    let real = *nest.random.pick(&["real(8)", "real(8)", "real(4)"]);
    nest.passes = (names[0] != "a" || !arrays.starts_with("a(-30:,"), names[1] != "b" || !arrays.contains("-30:*"));
    nest.real = if names[0].contains('%') { "real(8)" } else { real };
    // Arrays elsewhere get the values of the arguments before the region, and give theirs back after it.
    let (mut copied, mut back) = (String::new(), String::new());
    if !set.is_empty() {
        for (own, name) in ["a(-30:60,-30:60)", "b(-30:60,-30:60)", "c(-30:60)", "k"].into_iter().zip(names) {
            let whole = if name.ends_with("edge") { "(-30:60)" } else { "" };
            let _ = writeln!(copied, "  {name}{whole} = {own}");
            let _ = writeln!(back, "  {own} = {name}{whole}");
        }
    }
    let mask = Nest::mask(seed);
    nest.text = format!(
        "subroutine nest_{seed}(n, m, l, a, b, c, k, r, given)\n  implicit none\n  logical, intent(in) :: given\n  logical :: t\n  integer, intent(in) :: n, m, l\n  real(8) :: r, s\n  \
         {real}, intent(inout) :: {arrays}\n  integer :: k(-30:60), i1, i2, i3, q, w, o, p, at\n  \
         real(8) :: d(-1:2)\n{}  \
         {real}, allocatable :: ha(:,:), hc(:)\n  {real}, pointer :: hb(:,:)\n  integer, allocatable :: hk(:)\n  \
         sizes(1:2) = [n, 1]\n  two(1)%n = m\n  one%m = 1\n  two(1)%list = n - m + 2\n  q = 0\n  w = -500\n  o = 0\n  p = 0\n{set}{copied}{}",
        if nest.branches { mask.0.as_str() } else { "" },
        if nest.branches { mask.1 } else { "" }
    );
    let is_kept = nest.small == Some(true);
    if is_kept {
        nest.text.push_str("  d = 0.5d0\n");
    }
    let before = std::mem::take(&mut nest.text);
    nest.body(depth);
    let clauses = nest.clauses();
    let shown = if nest.random.one_in(3) { "  k(58) = o\n  k(57) = p\n" } else { "" };
    let small = if is_kept { "  k(56) = int(d(0)*1000)\n" } else { "" };
    let mask = if nest.branches { Nest::MASK_SHOWN } else { "" };
    let (begin, body, end) = associated(seed, names, arrays, &std::mem::take(&mut nest.text));
    let body = on_shared_lines(seed, &body);
    nest.text = format!(
        "{before}{begin}  !$dvm region{clauses}\n{body}  !$dvm end region\n{end}{back}  k(60) = q\n  k(59) = w\n{shown}{small}{mask}end subroutine\n{}",
        nest.subroutines.concat()
    );
    nest.text
}

/// A region's text in which names of `associate` stand for some arrays, everywhere or in turns, with what begins and ends that.
fn associated(seed: u64, names: [&str; 4], arrays: &str, text: &str) -> (String, String, String) {
    let mut random = Random::new(seed ^ 0xa550_c1a7);
    let (mut listed, mut text) = (Vec::new(), text.to_owned());
    for (name, own) in names.into_iter().zip(["sa", "sb", "sc", "sk"]) {
        // The whole of an array of assumed size has no extents.
        let is_sized = !arrays.contains('*') || names[0] != "a";
        if !is_sized || !random.one_in(3) {
            continue;
        }
        let in_turns = random.one_in(4);
        listed.push(format!("{own} => {name}"));
        let begin = format!("{name}(");
        let mut parts = text.split(&begin);
        let mut all = parts.next().unwrap_or_default().to_owned();
        for (at, part) in parts.enumerate() {
            let is_name = !all.ends_with(|c: char| c.is_ascii_alphanumeric() || "_%".contains(c));
            all.push_str(if is_name && (!in_turns || at % 2 == 0) { own } else { name });
            all.push('(');
            all.push_str(part);
        }
        text = all;
    }
    if listed.is_empty() {
        return (String::new(), text, String::new());
    }
    (format!("  associate ({})\n", listed.join(", ")), text, "  end associate\n".to_owned())
}

/// A region's text with some statements on the line of the one before.
fn on_shared_lines(seed: u64, text: &str) -> String {
    let mut random = Random::new(seed ^ 0x11_2e5a);
    let (mut all, mut may_follow, often) = (String::new(), false, random.one_in(3));
    for line in text.lines() {
        let is_plain = !line.contains(['!', '&', '#']);
        let follows = may_follow && is_plain && often && random.one_in(3);
        all.push_str(if follows {
            "; "
        } else if all.is_empty() {
            ""
        } else {
            "\n"
        });
        all.push_str(if follows { line.trim_start() } else { line });
        may_follow = is_plain;
    }
    all + "\n"
}

/// Names of the arrays in a region, and statements that make them.
const HOLDERS: [([&str; 4], &str); 5] = [
    (["a", "b", "c", "k"], ""),
    (["a", "b", "c", "k"], ""),
    (["ha", "hb", "hc", "hk"], "  allocate(ha(-30:60,-30:60), hb(-30:60,-30:60), hc(-30:60), hk(-30:60))\n"),
    (
        ["one%u", "one%v", "one%edge", "one%k"],
        "  if (.not. allocated(one%u)) allocate(one%u(-30:60,-30:60), one%v(-30:60,-30:60))\n",
    ),
    (
        ["two(l+31)%u", "one%v", "two(3)%edge", "two(2)%k"],
        "  if (.not. allocated(two(1)%u)) allocate(two(1)%u(-30:60,-30:60))\n  \
         if (.not. allocated(one%u)) allocate(one%u(-30:60,-30:60), one%v(-30:60,-30:60))\n",
    ),
];

/// A program of several nests.
fn program(seeds: &[u64], about: About) -> String {
    let nests: Vec<String> = seeds.iter().map(|seed| nest(*seed, about)).collect();
    let mut text = format!(
        "module nests\n{DECLARED}contains\n{FUNCTIONS}{}end module\nprogram main\n  use nests\n",
        nests.concat()
    );
    text.push_str("  real(8) :: a(-30:60,-30:60), b(-30:60,-30:60), c(-30:60)\n");
    text.push_str("  real(4) :: x(-30:60,-30:60), y(-30:60,-30:60), z(-30:60)\n  integer :: k(-30:60), n, m, i, j\n  allocate(two(3))\n");
    for (seed, nest) in seeds.iter().zip(&nests) {
        let single = nest.contains("real(4), intent");
        let (names, width) = if single { ("x, y, z", 9) } else { ("a, b, c", 17) };
        let _ = write!(
            text,
            "  do n = 1, 12, 11\n    m = n/2 + 3\n    do j = -30, 60\n      do i = -30, 60\n        a(i,j) = mod(i*7 + j*3, 13)*0.1d0\n        \
             b(i,j) = mod(i + j*5, 11)*0.2d0\n      end do\n      c(j) = j*0.05d0\n      k(j) = mod(j*3, 17)\n    end do\n    \
             x = real(a, 4)\n    y = real(b, 4)\n    z = real(c, 4)\n    call nest_{seed}(n, m, -30, {names}, k, 0.7d0, n > {seed}/2*2 - {seed} + 1)\n    \
             print '(a,i0)', 'nest ', {seed}\n    print '(8z{width}.{})', {names}\n    print '(8i11)', k\n  end do\n",
            width - 1
        );
    }
    text.push_str("end program\n");
    text + OUTSIDE
}

/// How many of the regions of these seeds became tiles.
fn accepted(seeds: &[u64], about: About) -> u64 {
    let folder = testkit::scratch(&[("in.f90", &program(seeds, about))]);
    let options = "-O1 -ffree-line-length-none -fallow-argument-mismatch in.f90";
    let plain = run(&folder, "gfortran", &format!("{options} -w -o plain"));
    assert!(plain.status.success(), "seeds {seeds:?}: {}", said(&plain));
    let tiled = dvmfc(&folder, &format!("{options} --dvm-remarks -o tiled"));
    let messages = said(&tiled);
    assert!(tiled.status.success(), "seeds {seeds:?}: {messages}");
    // The generator makes only what is taken; what carries dependences may stay, and what sections may read too late.
    let may_stay = |line: &str| {
        let reasons = [
            "and Fortran reads them all first",
            "may be the same memory, by a pointer",
            "would stand in several branches",
        ];
        // Functions are drawn with constants as arguments, too.
        let is_power =
            line.contains("a power of what all iterations share") || line.contains("has a power, and compilers");
        line.contains("[DVM")
            || is_power
            || about != About::Elements && reasons.iter().any(|reason| line.contains(reason))
    };
    let refused = messages.lines().find(|line| line.contains("warning: region") && !may_stay(line));
    let text = program(seeds, about);
    let line = refused.and_then(|line| text.lines().nth(line.split(':').nth(1)?.parse::<usize>().ok()? - 1));
    assert_eq!(refused, None, "seeds {seeds:?}: {line:?}");
    let (expected, _) = printed(&folder, "plain", "1", "1");
    for (tile, workers) in [("3", "2"), ("1,4", "5"), ("5,2,3", "1")] {
        let (found, _) = printed(&folder, "tiled", tile, workers);
        if found != expected {
            let nest = |at: usize| {
                expected.lines().take(at + 1).collect::<Vec<_>>().into_iter().rfind(|line| line.starts_with("nest"))
            };
            let at = expected.lines().zip(found.lines()).position(|(x, y)| x != y).unwrap_or(0);
            panic!(
                "{:?} differs with tiles of {tile} and {workers} workers; seeds {seeds:?}\n{}",
                nest(at),
                program(seeds, about)
            );
        }
    }
    messages.lines().filter(|line| line.contains("is tiled")).count() as u64
}

/// Compares nests of the seeds from 1 on; at least one of `share` is tiled.
fn compare(about: About, share: u64) {
    let (first, count) = testkit::seeds_from(1, 12).range();
    let seeds: Vec<u64> = (first..first + count).collect();
    let parts: Vec<&[u64]> = seeds.chunks(TOGETHER as usize).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let tiled: u64 = std::thread::scope(|scope| {
        let work = || {
            let mut sum = 0;
            while let Some(part) = parts.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                sum += accepted(part, about);
            }
            sum
        };
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().map(|thread| thread.join().expect("the nests agree")).sum()
    });
    println!("{tiled} of {count} regions of Fortran were tiled, 0 different");
    assert!(count < 12 || tiled * share > count, "only {tiled} of {count} regions were tiled");
}

#[test]
fn random_nests_of_fortran_give_the_same_bytes() {
    if can_run("random nests of Fortran") {
        compare(About::Elements, 4);
    }
}

#[test]
fn random_calls_of_fortran_give_the_same_bytes() {
    if can_run("random calls of Fortran") {
        compare(About::Calls, 6);
    }
}

#[test]
fn random_branches_of_fortran_give_the_same_bytes() {
    if can_run("random branches of Fortran") {
        compare(About::Branches, 8);
    }
}

#[test]
fn random_sections_of_fortran_give_the_same_bytes() {
    if can_run("random sections of Fortran") {
        compare(About::Sections, 6);
    }
}
