//! Statements (6.8): loop nests and what stands in them.

use super::expression::{Of, converted};
use super::program::{Access, Ex, Odd, Program, Role, Scalar, Var, View, value};
use super::types::Ty;

/// Text moved to the right by one level; directives stay at the margin.
pub fn indent(text: &str) -> String {
    let line = |l: &str| if l.is_empty() || l.starts_with('#') { l.to_owned() } else { format!("  {l}") };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The least and the greatest value that a counter may take.
const LEAST: i128 = -12;
const MOST: i128 = 25;

impl Program {
    fn size(&mut self) -> Ex {
        if self.sizes.is_empty() { self.spelled(7) } else { self.sizes[self.choices.below(self.sizes.len())].ex() }
    }

    /// A bound of a loop, between LEAST and MOST.
    fn bound(&mut self, upper: bool) -> Ex {
        for _ in 0..4 {
            let made = if upper { self.upper() } else { self.lower() };
            if let Some(e) = made
                && e.low >= LEAST
                && e.high <= MOST
            {
                return e;
            }
        }
        if upper { self.size() } else { self.spelled(0) }
    }

    fn upper(&mut self) -> Option<Ex> {
        let size = self.size();
        let counter = self.counters.last().map(Var::ex);
        let odd = usize::from(self.has(Odd::Bounds) || self.has(Odd::Remainders));
        let weights =
            [14, 6, if counter.is_some() { 5 } else { 0 }, 2, 2 * odd, 4 * odd, 3 * odd, 3 * odd, odd, 2 * odd];
        match self.choices.weighted(&weights) {
            0 => Some(size),
            1 => {
                let by = self.constant(3);
                let operator = self.pick(&["-", "+"]);
                self.binary(operator, &size, &by)
            }
            2 => {
                let by = self.choices.below(3) as i128;
                counter.map(|c| self.shifted(&c, by))
            }
            3 => Some(self.constant(12)),
            4 => {
                let other = self.size();
                let operator = self.pick(&["-", "+", "*"]);
                self.binary(operator, &size, &other)
            }
            5 => {
                let by = 2 + self.choices.below(3) as i128;
                let by = self.spelled(by);
                let operator = self.pick(&["/", "%"]);
                let e = self.binary(operator, &size, &by)?;
                if self.choices.chance(50) {
                    let third = self.constant(3);
                    let operator = self.pick(&["*", "+", "-"]);
                    return self.binary(operator, &e, &third);
                }
                Some(e)
            }
            6 => {
                let other = match counter {
                    Some(c) if self.choices.chance(50) => c,
                    _ => self.size(),
                };
                let operator = self.pick(&["<", ">"]);
                let test = self.binary(operator, &size, &other)?;
                let e = Self::conditional(&test, &size, &other);
                Some(Ex { text: format!("({})", e.text), binds: 16, ..e })
            }
            7 => counter.and_then(|c| self.binary("-", &size, &c)),
            8 => {
                let e = self.expression(Of::Counters, 1);
                Some(self.small(e, 12))
            }
            _ => {
                let e = self.expression(Of::Counters, 1);
                let by = self.constant(3);
                self.binary("-", &e, &by)
            }
        }
    }

    fn lower(&mut self) -> Option<Ex> {
        let counter = self.counters.last().map(Var::ex);
        let odd = usize::from(self.has(Odd::Bounds) || self.has(Odd::Remainders));
        match self.choices.weighted(&[10, 5, if counter.is_some() { 4 } else { 0 }, odd, 2 * odd, odd]) {
            0 => Some(self.spelled(0)),
            1 => {
                let number = 1 + self.choices.below(2) as i128;
                Some(self.spelled(number))
            }
            2 => {
                let by = self.choices.below(2) as i128;
                counter.map(|c| self.shifted(&c, by))
            }
            3 => {
                let e = self.constant(3);
                Self::unary("-", &e)
            }
            4 => {
                let size = self.size();
                let by = 2 + self.choices.below(3) as i128;
                let by = self.spelled(by);
                let operator = self.pick(&["/", "%"]);
                self.binary(operator, &size, &by)
            }
            _ => {
                let e = self.expression(Of::Counters, 1);
                Some(self.small(e, 5))
            }
        }
    }

    /// A spelling of a step.
    fn step(&mut self, name: &str, ty: Ty, by: i128, up: bool) -> String {
        let (sign, other) = if up { ('+', '-') } else { ('-', '+') };
        let odd = self.has(Odd::Heads);
        if by == 1 && !(odd && self.choices.chance(60)) {
            return match self.choices.below(3) {
                0 => format!("{name}{sign}{sign}"),
                1 => format!("{sign}{sign}{name}"),
                _ => format!("{name} {sign}= 1"),
            };
        }
        let number = self.spelled(by);
        if !odd {
            return format!("{name} {sign}= {}", number.operand(2));
        }
        match self.choices.below(9) {
            0 => format!("{name} {sign}= {}", number.operand(2)),
            1 => format!("{name} = {name} {sign} {}", number.operand(12)),
            2 if up => format!("{name} = {} + {name}", number.operand(11)),
            3 if number.ty.signed() || number.ty.bits() >= ty.bits() => {
                format!("{name} {other}= -{}", number.operand(13))
            }
            4 => format!("{name} {sign}= (unsigned char){}", 256 + by),
            5 => format!("{name} {sign}= {by}L"),
            6 => format!("{name} {other}= -({by})"),
            7 => format!("{name} {sign}= (signed char)'\\{by:o}'"),
            _ => format!("{name} = {name} {other} (-{by})"),
        }
    }

    /// A loop's head: the text in its parentheses, and the counter's declaration if it stands outside.
    fn head(&mut self, depth: usize) -> (String, Var) {
        let mut ty = Ty::Int;
        if self.odd(Odd::CounterTypes, 70) {
            ty = self.pick(&[
                Ty::Long,
                Ty::UInt,
                Ty::ULong,
                Ty::Short,
                Ty::UChar,
                Ty::SChar,
                Ty::LLong,
                Ty::UShort,
                Ty::Char,
            ]);
        }
        let names = if self.has(Odd::IsolatedNames) {
            ["max", "max_", "o0", "S0"]
        } else if self.has(Odd::UniversalNames) {
            ["\\u00e4", "\\u00f6", "i\\u03b1", "i\\u03b2"]
        } else {
            ["i", "j", "k", "l"]
        };
        let mut name = names[depth.min(3)].to_owned();
        let outside = self.odd(Odd::Outside, 70);
        if outside {
            name = format!("{name}{}", if ty == Ty::Int { String::new() } else { format!("_{}", ty.letter()) });
        }
        if outside && self.odd(Odd::Statics, 50) && name.is_ascii() && !name.contains('\\') {
            name += "_@";
        }
        let (low, high) = (self.bound(false), self.bound(true));
        let (low, high) = (Self::fitting(low, ty, 0), Self::fitting(high, ty, 7));
        let down = self.odd(Odd::Down, 60);
        let by = if self.odd(Odd::Strides, 60) { 2 + self.choices.below(3) as i128 } else { 1 };
        let counter = Var::new(name.clone(), ty, low.low, (high.high - 1).max(low.low));
        let (start, test, by) = if down {
            let first = self.shifted(&high, -1);
            // Past the last value an unsigned counter would wrap around.
            let wraps = !ty.signed() && (low.low < by || first.low < 0)
                || !first.ty.signed() && high.low < 1
                || !ty.common(low.ty).signed();
            if wraps {
                let first = if high.low < 0 { Ex::integer("5", 16, Ty::Int, 5, 5) } else { high.clone() };
                (first, format!("{name} > 0"), 1)
            } else {
                let test = match self.pick(&[">=", ">"]) {
                    ">" if low.low > LEAST => {
                        let last = self.shifted(&low, -1);
                        if last.ty.signed() {
                            format!("{name} > {}", last.operand(10))
                        } else {
                            format!("{name} >= {}", low.operand(10))
                        }
                    }
                    _ => format!("{name} >= {}", low.operand(10)),
                };
                (first, test, by)
            }
        } else {
            (low.clone(), self.test(&name, ty, &low, &high, by), by)
        };
        let counter = if down {
            Var { low: counter.low.min(0), high: counter.high.max(high.high).max(5), ..counter }
        } else {
            counter
        };
        let step = self.step(&name, ty, by, !down);
        let declared = if outside {
            if name.ends_with('@') {
                let declared = format!("static {} {name} = 77;", ty.name());
                if !self.file.contains(&declared) {
                    self.file.push(declared);
                    self.shows.push(format!("show_integer(\"{name}\", (long long){name});"));
                }
            } else if !self.locals.iter().any(|l| l.contains(&format!(" {name} = "))) {
                let keyword = if self.odd(Odd::Registers, 50) { "register " } else { "" };
                self.locals.push(format!("{keyword}{} {name} = 77;", ty.name()));
                self.tells.push(format!("show_integer(\"{name}\", (long long){name});").replace("\"\\", "\"\\\\"));
            }
            String::new()
        } else {
            format!("{} ", ty.spelled(&mut self.choices))
        };
        let start = start.operand(1);
        let form = if self.has(Odd::Heads) { self.choices.weighted(&[8, 1, 1, 1]) } else { 0 };
        let text = match form {
            1 if !outside => format!("{declared}{name} = {start}, last = 3; {test}; {step}, (void)last"),
            2 if outside => format!("(void)0, {name} = {start}; {test}; {step}"),
            3 => format!("{declared}{name} = ({start}); (void)0, {test}; (void)0, {step}"),
            _ => format!("{declared}{name} = {start}; {test}; {step}"),
        };
        (text, counter)
    }

    /// A bound that compares with a counter of a type as with an integer.
    fn fitting(e: Ex, ty: Ty, otherwise: i128) -> Ex {
        let common = ty.common(e.ty);
        let wraps = !common.signed() && e.low < 0;
        let fits = ty.holds(e.low, e.high) && !wraps;
        if fits { e } else { Ex::integer(otherwise.to_string(), 16, Ty::Int, otherwise, otherwise) }
    }

    /// The condition of a loop that counts up.
    fn test(&mut self, name: &str, ty: Ty, low: &Ex, high: &Ex, by: i128) -> String {
        if by == 1 && low.high <= high.low && self.odd(Odd::Unequal, 70) {
            return format!("{name} != {}", high.operand(9));
        }
        let signed = high.low > LEAST
            && (high.low > 0 || high.ty.promoted().signed() && ty.common(high.ty).signed() && ty.signed());
        let plain = format!("{name} < {}", high.operand(10));
        if !self.has(Odd::Heads) {
            let last = self.shifted(high, -1);
            return if signed && self.choices.chance(15) { format!("{name} <= {}", last.operand(10)) } else { plain };
        }
        match self.choices.below(6) {
            1 => format!("{} > {name}", high.operand(10)),
            2 if signed => format!("{name} <= {} - 1", high.operand(11)),
            3 => format!("!({name} >= {})", high.operand(10)),
            4 => {
                let size = self.size();
                if size.ty.signed() { format!("{plain} && {name} <= {}", size.operand(10)) } else { plain }
            }
            5 => format!("({name}) < ({})", high.text),
            _ => plain,
        }
    }

    /// A loop with its body.
    pub fn nest(&mut self, deeper: usize) -> String {
        let depth = self.counters.len();
        let (head, counter) = self.head(depth);
        self.counters.push(counter);
        let body = self.body(deeper);
        self.counters.pop();
        format!("for ({head})\n{}", indent(&body))
    }

    /// One statement, or a block of several.
    fn body(&mut self, deeper: usize) -> String {
        let count = 1 + self.choices.weighted(&[6, 4, 1]);
        let scalars = self.scalars.clone();
        let mut list = Vec::new();
        if self.odd(Odd::Locals, 60) {
            list.push(self.local());
        }
        if self.odd(Odd::BodyArrays, 40) {
            list.push(self.local_array());
        }
        let declares = !list.is_empty();
        for k in 0..count {
            // A body is not empty.
            if self.budget > 0 || k == 0 {
                list.push(self.statement(deeper));
            }
        }
        self.scalars = scalars;
        if list.len() == 1 && !declares && !self.choices.chance(25) {
            return list.remove(0);
        }
        format!("{{\n{}\n}}", indent(&list.join("\n")))
    }

    fn local(&mut self) -> String {
        let number = self.number();
        let shadowed = self.has(Odd::Shadows) && self.choices.chance(70);
        let name = if shadowed { ["s", "t", "u"][self.choices.below(3)].to_owned() } else { format!("x{number}") };
        // What has this name outside is hidden from here on, also in the initialiser.
        self.scalars.retain(|s| s.text != name);
        let ty = self.scalar_type();
        let e = self.expression(Of::Anything, 1);
        let e = self.stored(e, ty, role_of(ty));
        let qualifier = if self.odd(Odd::Qualifiers, 50) { "const " } else { "" };
        let keyword = if self.odd(Odd::Registers, 40) { "register " } else { "" };
        let (open, close) = if self.odd(Odd::Initialisers, 30) { ("{ ", " }") } else { ("", "") };
        let text =
            format!("{keyword}{qualifier}{} {name} = {open}{}{close};", ty.spelled(&mut self.choices), e.operand(1));
        self.scalars.push(Scalar { text: name, binds: 16, ty, role: role_of(ty), constant: !qualifier.is_empty() });
        text
    }

    fn local_array(&mut self) -> String {
        let name = format!("y{}", self.number());
        let ty = self.scalar_type();
        let (a, b) = (self.expression(Of::Anything, 1), self.leaf(Of::Anything));
        let (a, b) = (self.stored(a, ty, role_of(ty)), self.stored(b, ty, role_of(ty)));
        let text = match self.choices.below(3) {
            0 => format!("{} {name}[2] = {{ {}, {} }};", ty.name(), a.operand(1), b.operand(1)),
            1 => format!("{} {name}[3] = {{ [1] = {}, {} }};", ty.name(), a.operand(1), b.operand(1)),
            _ => format!("{} {name}[] = {{ {}, [0] = {}, 1 }};", ty.name(), b.operand(1), a.operand(1)),
        };
        for k in 0..2 {
            self.scalars.push(Scalar {
                text: format!("{name}[{k}]"),
                binds: 15,
                ty,
                role: role_of(ty),
                constant: false,
            });
        }
        text
    }

    /// A type for a scalar, after the program's oddities.
    pub fn scalar_type(&mut self) -> Ty {
        if self.odd(Odd::Unsigned, 60) {
            return self.pick(&[Ty::UInt, Ty::ULong, Ty::ULLong, Ty::UShort]);
        }
        if self.odd(Odd::Narrow, 60) {
            return self.pick(&[Ty::Short, Ty::UChar, Ty::SChar, Ty::Char, Ty::UShort]);
        }
        if self.odd(Odd::Bools, 50) {
            return Ty::Bool;
        }
        if self.odd(Odd::Wide, 60) {
            return self.pick(&[Ty::LDouble, Ty::LLong, Ty::Complex, Ty::Long]);
        }
        if self.odd(Odd::Mixed, 70) {
            return self.pick(&[Ty::Float, Ty::Int, Ty::Long, Ty::Double, Ty::UInt, Ty::Short]);
        }
        self.pick(&[Ty::Double, Ty::Double, Ty::Int, Ty::Float, Ty::Int, Ty::Long])
    }

    fn statement(&mut self, deeper: usize) -> String {
        self.budget = self.budget.saturating_sub(1);
        let has = |odd: Odd, weight: usize| if self.has(odd) { weight } else { 0 };
        let weights = [
            10,
            if deeper > 0 { 14 } else { 0 },
            has(Odd::Guards, 8),
            has(Odd::DataGuards, 6),
            has(Odd::Scalars, 8),
            has(Odd::Reductions, 8),
            has(Odd::Nulls, 5),
            has(Odd::Dangling, 5),
            has(Odd::Whiles, 4),
            has(Odd::Commas, 3),
            has(Odd::Chains, 5),
            has(Odd::Shadows, 3),
            has(Odd::Leaves, 5),
            has(Odd::Inner, 8),
            has(Odd::Copies, 10),
        ];
        match self.choices.weighted(&weights) {
            1 => self.nest(deeper - 1),
            2 => {
                let depth = self.choices.below(2);
                let test = self.condition(Of::Counters, depth);
                self.guarded(&test, deeper)
            }
            3 => {
                let test = self.condition(Of::Anything, 0);
                self.guarded(&test, deeper)
            }
            4 => {
                let (scalar, store) = (self.scalar_statement(false), self.store());
                if self.choices.chance(15) {
                    format!("{}, {store}", scalar.trim_end_matches(';'))
                } else {
                    format!("{{\n  {scalar}\n  {store}\n}}")
                }
            }
            5 => self.scalar_statement(true),
            6 => self.pick(&[";", "{ }", "{ ; ; }", "(void)0;", "0;"]).to_owned(),
            7 => {
                let (a, b) = (self.condition(Of::Counters, 0), self.condition(Of::Counters, 0));
                let (x, y) = (self.store(), self.store());
                format!("if ({})\n  if ({})\n    {x}\n  else\n    {y}", a.text, b.text)
            }
            8 => {
                let name = format!("w{}", self.number());
                let store = self.store();
                match self.choices.below(3) {
                    0 => format!("do\n  {store}\nwhile (0);"),
                    1 => format!("{{\n  int {name} = 2;\n  while ({name}--)\n    {store}\n}}"),
                    _ => format!("switch (1)\ncase 1:\n  {store}"),
                }
            }
            9 => {
                let (a, b) = (self.store(), self.store());
                format!("{}, {b}", a.trim_end_matches(';'))
            }
            10 => self.chain(),
            11 => {
                let (scalars, local) = (self.scalars.clone(), self.local());
                let store = self.store();
                self.scalars = scalars;
                format!("{{\n{}\n}}", indent(&format!("{local}\n{store}")))
            }
            12 => {
                let test = self.condition(Of::Anything, 0);
                let jump = self.pick(&["continue", "break"]);
                format!("if ({})\n  {jump};", test.text)
            }
            13 => self.inner(),
            14 => self.copy(),
            _ => self.store(),
        }
    }

    /// Assignments inside of expressions (6.5.13 to 6.5.17), ordered by sequence points.
    fn inner(&mut self) -> String {
        let form = self.choices.below(6);
        let list: Vec<Scalar> = self
            .scalars
            .iter()
            .filter(|s| s.role == Role::Free && !s.constant && s.ty != Ty::Complex)
            .cloned()
            .collect();
        let (a, b) = (self.store(), self.store());
        let (a, b) = (a.trim_end_matches(';'), b.trim_end_matches(';'));
        let test = self.condition(Of::Anything, 0);
        match form {
            0 => format!("{} ? (void)({a}) : (void)({b});", test.operand(3)),
            1 => format!("{} && ({a}, 0);", test.operand(5)),
            2 => format!("{} || ({a}, 1);", test.operand(4)),
            _ if list.is_empty() => format!("({a}), (void)({b});"),
            _ => {
                let s = list[self.choices.below(list.len())].clone();
                let Some(view) = self.views.iter().find(|v| v.role == Role::Free && v.ty.floating()).cloned() else {
                    return format!("{a};");
                };
                let target = self.element(&view);
                let e = self.expression(Of::Integers, 1);
                let e = e.operand(1);
                match form {
                    3 => format!("{} = ({} = {e}, {} * 2);", target.text, s.text, s.operand()),
                    4 => format!("{} = {} = {e};", target.text, s.text),
                    _ => format!("{} = {}++ + 1;", target.text, s.operand()),
                }
            }
        }
    }

    /// A whole structure is copied (6.5.16.1).
    fn copy(&mut self) -> String {
        let list: Vec<View> =
            self.views.iter().filter(|v| v.role.written() && matches!(v.access, Access::Member(_))).cloned().collect();
        let Some(view) = list.first() else { return self.store() };
        let (mut a, mut b) = (self.element(view).text, self.element(view).text);
        a.truncate(a.rfind('.').unwrap_or(a.len()));
        b.truncate(b.rfind('.').unwrap_or(b.len()));
        format!("{a} = {b};")
    }

    fn guarded(&mut self, test: &Ex, deeper: usize) -> String {
        let then = self.body(deeper.min(1));
        if self.choices.chance(30) {
            let other = self.store();
            let then = if then.starts_with('{') { then } else { format!("{{\n{}\n}}", indent(&then)) };
            return format!("if ({}) {then} else\n  {other}", test.text);
        }
        format!("if ({})\n{}", test.text, indent(&then))
    }

    /// An assignment to a scalar.
    fn scalar_statement(&mut self, reduces: bool) -> String {
        let list: Vec<Scalar> = self.scalars.iter().filter(|s| s.role.written() && !s.constant).cloned().collect();
        if list.is_empty() {
            return self.store();
        }
        let s = list[self.choices.below(list.len())].clone();
        let target = value(s.text.clone(), s.binds, s.ty, s.role);
        if reduces && s.ty.floating() {
            let e = self.expression(Of::Anything, 1);
            return format!("{} += {};", s.text, e.operand(1));
        }
        self.assignment(&target, s.role, !reduces) + ";"
    }

    /// An assignment to an element.
    pub fn store(&mut self) -> String {
        let list: Vec<View> = self.views.iter().filter(|v| v.role.written()).cloned().collect();
        if list.is_empty() {
            return ";".to_owned();
        }
        // Two loops that write one dimension are seldom parallel.
        let depth = self.counters.len();
        let alike: Vec<View> = list.iter().filter(|v| v.dims.len() == depth).cloned().collect();
        let list = if alike.is_empty() || self.choices.chance(25) { list } else { alike };
        let view = list[self.choices.below(list.len())].clone();
        let target = self.element(&view);
        let text = self.assignment(&target, view.role, false);
        text + ";"
    }

    /// `a = b = e`, of two elements that are not the same.
    fn chain(&mut self) -> String {
        let list: Vec<View> = self.views.iter().filter(|v| v.role == Role::Free && !v.shared).cloned().collect();
        if list.len() < 2 {
            return self.store();
        }
        let (a, b) = (self.element(&list[0]), self.element(&list[1]));
        let e = self.expression(Of::Anything, 1);
        if e.ty.floating() && !(a.ty.floating() && b.ty.floating()) {
            return self.store();
        }
        if b.ty.floating() && !a.ty.floating() {
            return self.store();
        }
        format!("{} = {} = {};", a.text, b.text, e.operand(1))
    }

    /// A value that an object of a type and role may take.
    pub fn stored(&mut self, e: Ex, ty: Ty, role: Role) -> Ex {
        let e = if e.ty.floating() && !ty.floating() && converted(&e, ty).is_none() { self.small(e, 100) } else { e };
        match role {
            Role::Small if e.ty.floating() => self.small(e, 4000),
            Role::Small if e.low < -4096 || e.high > 4095 => self.small(e, 4000),
            Role::Sum => self.small(e, 500),
            _ => e,
        }
    }

    /// An assignment (6.5.16) or an increment that keeps the target's role.
    fn assignment(&mut self, target: &Ex, role: Role, plain: bool) -> String {
        let depth = 1 + self.choices.weighted(&[4, 5, 1]);
        let of = if target.ty.floating() || self.has(Odd::Mixed) { Of::Anything } else { Of::Integers };
        let e = self.expression(of, depth);
        let e = self.stored(e, target.ty, role);
        let text = &target.text;
        if role == Role::Sum {
            return match self.choices.below(4) {
                1 => format!("{text} -= {}", e.operand(1)),
                2 if self.has(Odd::Increments) => format!("{}++", target.operand(15)),
                2 => format!("{text} = {text} + {}", e.operand(12)),
                _ => format!("{text} += {}", e.operand(1)),
            };
        }
        if plain || !self.choices.chance(45) {
            return format!("{text} = {}", e.operand(1));
        }
        if target.ty.floating() {
            let operator = self.pick(&["+", "-", "*"]);
            if self.odd(Odd::Increments, 50) && target.ty != Ty::Complex {
                return if self.choices.chance(50) { format!("{}++", target.operand(15)) } else { format!("--{text}") };
            }
            return format!("{text} {operator}= {}", e.operand(1));
        }
        let operator = self.pick(&["+", "-", "*", "&", "|", "^", ">>", "%", "/", "<<"]);
        let made = if operator == ">>" || operator == "<<" {
            let by = self.constant(4);
            (self.binary(operator, target, &by), by)
        } else {
            (self.binary(operator, target, &e), e.clone())
        };
        let kept = |r: &Ex| match role {
            Role::Small => r.low >= -4096 && r.high <= 4095,
            _ => true,
        };
        if self.odd(Odd::Increments, 40)
            && role == Role::Free
            && !target.ty.holds(-1 << 33, 1 << 33)
            && target.ty != Ty::Int
        {
            return self.pick(&["++", "--"]).to_owned() + text;
        }
        match made {
            (Some(result), by) if kept(&result) && !result.ty.floating() => {
                format!("{text} {operator}= {}", by.operand(1))
            }
            _ => format!("{text} = {}", e.operand(1)),
        }
    }
}

/// The role of an object that is written.
pub fn role_of(ty: Ty) -> Role {
    if matches!(ty, Ty::Int | Ty::Long | Ty::LLong) { Role::Small } else { Role::Free }
}
