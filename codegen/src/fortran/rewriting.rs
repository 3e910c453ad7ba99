//! The function of C for a region, and the Fortran text that calls it.

use super::clauses::FortranClauses;
use super::external_functions::ExternalFunction;
use super::numeric_functions::NumericFunction;
use super::places::Need;
use super::refused::FortranRefusal;
use super::region::{OwnArray, TranslatedFunction, TranslatedRegion, c_name};
use super::statements::SourceForm;
use super::types::Element;
use super::words::{OF_LOGICAL, OF_THE_CALL};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A region that can be replaced.
#[derive(Debug, Clone)]
pub struct FortranRegion {
    /// Its name in messages.
    pub name: String,
    /// The line of the mark, and the first and last line of the loops.
    pub mark: u32,
    /// The first line of the loops.
    pub first: u32,
    /// Their last line.
    pub last: u32,
    /// The name of the function of C.
    pub symbol: String,
    /// The clauses of its mark.
    pub clauses: FortranClauses,
    /// Its loops.
    pub translated: TranslatedRegion,
    /// Conditions of Fortran under which the values that flang put in are those of gfortran.
    pub conditions: Vec<String>,
}

/// Conditions in one statement: it then has no more lines than each standard of Fortran takes.
const TOGETHER: usize = 8;

/// A condition of Fortran under which the call may run.
struct CallCondition {
    text: String,
    /// What is told where it is false.
    reason: String,
}

/// An argument: in C, in the interface and in the call.
struct Argument {
    c: String,
    interface: String,
    is_array: bool,
    /// Logical values, which the interface has as integers.
    is_logical: bool,
    call: String,
}

impl FortranRegion {
    fn arguments(&self) -> Vec<Argument> {
        let mut all = Vec::new();
        let mut value = |c: String, element: Element, call: String| {
            let interface = format!("{}, value", element.fortran_type());
            all.push(Argument {
                c: format!("{} {c}", element.c_type()),
                interface,
                is_array: false,
                is_logical: false,
                call,
            });
        };
        for (name, element) in &self.translated.parameters {
            let is_truth = *element == Element::Condition;
            let call = if is_truth { format!("merge(1_4,0_4,{name})") } else { name.clone() };
            value(c_name(name), *element, call);
        }
        for (name, (text, element)) in &self.translated.captured {
            value(name.clone(), *element, text.clone());
        }
        for (name, (text, array)) in &self.translated.arrays {
            for (lower, at) in array.lower.iter().zip(1..) {
                if lower.is_none() {
                    value(format!("_l{at}_{name}"), Element::I64, format!("int(lbound({text},{at},8),8)"));
                }
            }
            let rank = array.extents.len();
            for (extent, at) in array.extents[..rank - 1].iter().zip(1..) {
                if extent.is_none() {
                    value(format!("_e{at}_{name}"), Element::I64, format!("size({text},{at},8)"));
                }
            }
            if self.translated.sized.contains(name) {
                value(format!("_e{rank}_{name}"), Element::I64, format!("size({text},{rank},8)"));
            }
        }
        for (name, (text, array)) in &self.translated.arrays {
            // What data choose has no bounds to compare: there, Fortran's rules must say that arrays are apart.
            let is_alone = self.translated.has_computed && array.is_alone();
            let restrict = if is_alone { "restrict" } else { "" };
            let mut c = format!("{} {}[{restrict}]", array.element.c_type(), c_name(name));
            let rank = array.extents.len();
            for (at, extent) in array.extents[..rank - 1].iter().enumerate().rev() {
                c.push_str(&extent.map_or(format!("[_e{}_{name}]", at + 1), |extent| format!("[{extent}]")));
            }
            let interface = array.element.fortran_type().to_owned();
            // As an element, an array behind a descriptor is never copied: its address tells what it overlaps.
            let is_array = !array.holder.may_have_gaps();
            let call = if is_array { text.clone() } else { element_of(text, rank, None) };
            let is_logical = array.element.is_logical();
            all.push(Argument { c, interface, is_array, is_logical, call });
        }
        // Numbers that others may write are read where the loops read them.
        for (name, (text, element)) in &self.translated.references {
            let (c, interface) = (format!("{} {name}[]", element.c_type()), element.fortran_type().to_owned());
            let is_logical = element.is_logical();
            all.push(Argument { c, interface, is_array: false, is_logical, call: text.clone() });
        }
        // The value from before the loops, and a place for the one after them.
        for (name, element) in &self.translated.carried {
            let (c, interface) = (format!("{} *_r_{name}", element.c_type()), element.fortran_type().to_owned());
            all.push(Argument { c, interface, is_array: false, is_logical: false, call: name.clone() });
        }
        all
    }

    /// Why the region cannot be linked, if it calls a function by a name that is not among those of gfortran's object of the
    /// source as it is; `listed` is what `nm -P` prints about that. Names end in an underscore only if they are `underscored`.
    pub fn unlinked(&self, listed: &str, underscored: bool) -> Option<FortranRefusal> {
        let is_global = |label: &str| {
            let mut words = listed.lines().map(str::split_whitespace);
            let is_it =
                |kind: Option<&str>| kind.is_some_and(|kind| kind.starts_with(|c: char| c.is_ascii_uppercase()));
            words.any(|mut words| words.next() == Some(label) && is_it(words.next()))
        };
        let is_clear = |one: &ExternalFunction| is_global(&one.label) && (underscored || !one.is_underscored());
        let external = self.translated.externals.iter().find(|external| !is_clear(external))?;
        let reason =
            format!("gfortran makes no `{}` that others may call as `{}`", external.fortran_name, external.label);
        let remedy = "make it public in its module, and compile without options that change the names of procedures";
        Some(FortranRefusal::new(self.mark, &reason, remedy))
    }

    /// The text of C, and for each of its lines one of the source, whose name is `file`.
    pub fn c_text(&self, file: &str) -> (String, Vec<u32>) {
        let parameters: Vec<String> = self.arguments().into_iter().map(|argument| argument.c).collect();
        let mut all = vec![("#include <math.h>".to_owned(), self.mark)];
        for element in self.dense_elements() {
            let (name, c) = (self.dense_symbol(element), element.c_type());
            all.push((format!("int {name}({c} *a, {c} *b, long step)"), self.mark));
            all.push(("{ return (char *)b - (char *)a == step; }".to_owned(), self.mark));
        }
        if !self.translated.identities.is_empty() {
            all.extend(self.same_texts().into_iter().map(|text| (text, self.mark)));
        }
        if !self.call_conditions().is_empty() {
            all.extend(self.untiled_text().into_iter().map(|text| (text, self.mark)));
        }
        all.extend(self.translated.numeric.iter().map(|function| (function.text(), self.mark)));
        for external in &self.translated.externals {
            all.extend(external.c_lines().into_iter().map(|text| (text, self.mark)));
        }
        for function in &self.translated.functions {
            all.extend(c_function(function));
        }
        all.push((format!("void {}({})", self.symbol, parameters.join(", ")), self.mark));
        all.push(("{".to_owned(), self.mark));
        for (name, element) in &self.translated.locals {
            all.push((format!("    {} {};", element.c_type(), c_name(name)), self.mark));
        }
        for (name, own) in &self.translated.own_arrays {
            all.push((format!("    {};", own.array.c_declaration(&c_name(name))), self.mark));
        }
        for (at, element) in (1..).zip(&self.translated.bounds) {
            all.push((format!("    {} _b{at};", element.c_type()), self.mark));
        }
        for (name, element) in &self.translated.carried {
            all.push((format!("    {} {} = *_r_{name};", element.c_type(), c_name(name)), self.mark));
        }
        // Bounds of the first loop that are read: what the region leaves as it is, and no statement beside its loop.
        let lines = &self.translated.lines;
        let (before, lines) =
            lines.split_at(lines.iter().take_while(|(text, _)| text.trim_start().starts_with("_b")).count());
        all.extend(before.iter().map(|(text, line)| (format!("    {}", text.trim_start()), *line)));
        // What is told of the region when it runs names the source.
        if !file.contains(['"', '\\', '\n']) {
            all.push((format!("#line {} \"{file}\"", self.mark), self.mark));
        }
        all.push((format!("#pragma dvm region name({}){}", self.name, self.c_clauses()), self.mark));
        all.push(("    {".to_owned(), self.mark));
        all.extend(lines.iter().map(|(text, line)| (format!("    {text}"), *line)));
        all.push(("    }".to_owned(), self.last));
        for name in self.translated.carried.keys() {
            all.push((format!("    *_r_{name} = {};", c_name(name)), self.last));
        }
        all.push(("}".to_owned(), self.last));
        (all.iter().map(|(text, _)| format!("{text}\n")).collect(), all.iter().map(|(_, line)| *line).collect())
    }

    /// The lines of C that say whether procedures of other files are those whose texts the region has: their objects have
    /// another name at the same places, and what lacks a name has the address 0.
    fn same_texts(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (at, (label, mark)) in (1..).zip(&self.translated.identities) {
            for (letter, name) in [('p', label), ('q', mark)] {
                all.push(format!("extern char _t{at}{letter}[] __asm__(\"{name}\") __attribute__((weak));"));
            }
        }
        all.push(format!("int {}_texts(void)", self.symbol));
        all.push("{".to_owned());
        all.push("    char *volatile p, *volatile q;".to_owned());
        for at in 1..=self.translated.identities.len() {
            all.push(format!("    p = _t{at}p; q = _t{at}q;"));
            all.push("    if (!p || p != q) return 0;".to_owned());
        }
        all.extend(["    return 1;".to_owned(), "}".to_owned()]);
        all
    }

    /// Names in C of arrays that only the region uses. That each iteration has its own is left to C.
    pub fn scratch(&self) -> Vec<String> {
        let all = self.translated.own_arrays.iter().filter(|(_, own)| !own.is_asserted);
        all.map(|(name, _)| c_name(name)).collect()
    }

    /// What the names of the C text are in Fortran, where they differ.
    pub fn names(&self) -> BTreeMap<String, String> {
        let made = &self.translated;
        let scalars = made.parameters.keys().chain(made.locals.keys()).chain(made.carried.keys());
        let plain = scalars.chain(made.own_arrays.keys());
        let mut all: BTreeMap<String, String> = plain.map(|name| (c_name(name), name.clone())).collect();
        all.extend(made.captured.iter().map(|(name, (text, _))| (name.clone(), text.clone())));
        all.extend(made.references.iter().map(|(name, (text, _))| (name.clone(), text.clone())));
        all.extend(made.carried.keys().map(|name| (format!("_r_{name}"), name.clone())));
        for (name, (text, array)) in &made.arrays {
            all.insert(c_name(name), text.clone());
            for at in 1..=array.extents.len() {
                all.insert(format!("_l{at}_{name}"), format!("lbound({text},{at})"));
                all.insert(format!("_e{at}_{name}"), format!("size({text},{at})"));
            }
        }
        all.retain(|name, text| name != text);
        all
    }

    /// The same region with arrays, by their names in C, as any others.
    pub fn with_shared(mut self, names: &BTreeSet<String>) -> FortranRegion {
        let all = std::mem::take(&mut self.translated.own_arrays);
        let (shared, own): (BTreeMap<String, OwnArray>, _) =
            all.into_iter().partition(|(name, own)| !own.is_asserted && names.contains(&c_name(name)));
        self.translated.own_arrays = own;
        self.translated.arrays.extend(shared.into_iter().map(|(name, own)| (name.clone(), (name, own.array))));
        self
    }

    /// The refusal of an array, by its name in C, that the iterations of independent loops all write.
    pub fn shared_by_iterations(&self, name: &str) -> FortranRefusal {
        let name = self.translated.arrays.keys().find(|own| c_name(own) == name).map_or(name, String::as_str);
        let reason = format!(
            "the iterations of an independent loop all write `{name}`, and are not seen to write each element before they read it"
        );
        let remedy = format!("write `private({name})`, if each iteration does");
        FortranRefusal::new(self.mark, &reason, &remedy)
    }

    /// The clauses of the pragma of C. Private scalars are variables of the function: they need no clause.
    fn c_clauses(&self) -> String {
        let mut all = String::new();
        if !self.clauses.tile.is_empty() {
            let _ = write!(all, " {}", self.clauses.tile);
        }
        match self.clauses.independent.as_deref() {
            Some([]) => all.push_str(" independent"),
            Some(counters) => {
                let counters: Vec<String> = counters.iter().map(|counter| c_name(counter)).collect();
                let _ = write!(all, " independent({})", counters.join(", "));
            }
            None => {}
        }
        let mut all_pure: Vec<String> = self.translated.externals.iter().map(ExternalFunction::wrapper).collect();
        // Of the others C looks at what they call, and with which arguments.
        let vouched = |f: &&NumericFunction| f.is_vouched() || self.clauses.pure.iter().any(|name| f.is_named(name));
        all_pure.extend(self.translated.numeric.iter().filter(vouched).map(NumericFunction::name));
        if !all_pure.is_empty() {
            let _ = write!(all, " pure({})", all_pure.join(", "));
        }
        for (name, _) in self.translated.own_arrays.iter().filter(|(_, own)| own.is_asserted) {
            let _ = write!(all, " private({})", c_name(name));
        }
        for (operator, variable) in &self.clauses.reductions {
            let _ = write!(all, " reduction({operator}:{})", c_name(variable));
        }
        all
    }

    /// The types of elements of arrays that may have gaps.
    fn dense_elements(&self) -> Vec<Element> {
        let has = |element: &Element| {
            self.translated.needs.iter().any(|need| matches!(need, Need::Dense(_, e, _) if e == element))
        };
        Element::STORED.into_iter().filter(has).collect()
    }

    /// The function of C that says whether an element stands a number of bytes behind another one.
    fn dense_symbol(&self, element: Element) -> String {
        format!("{}_{}", self.symbol, element.word())
    }

    /// Conditions under which the call may run, each evaluated only if those before are true.
    fn call_conditions(&self) -> Vec<CallCondition> {
        let mut all = Vec::new();
        if !self.translated.identities.is_empty() {
            let reason = "a procedure of another file is not the one whose text the region has";
            all.push(CallCondition { text: "dvm__texts()/=0".to_owned(), reason: reason.to_owned() });
        }
        // Affine numbers are written as sums.
        let plain = |text: &str| text.replace("0_8+1_8*", "");
        let is_false = |text: String| CallCondition { reason: format!("`{}` is false", plain(&text)), text };
        for need in &self.translated.needs {
            match need {
                Need::True(condition) => all.push(is_false(condition.clone())),
                Need::Dense(text, element, rank) => all.extend(dense_conditions(text, *element, *rank)),
            }
        }
        // None of these needs another one to be true.
        all.extend(self.conditions.chunks(TOGETHER).map(|some| match some {
            [one] => is_false(one.clone()),
            some => CallCondition {
                text: some.join(" .and. "),
                reason: format!("one of these is false: `{}`", plain(&some.join("`, `"))),
            },
        }));
        all
    }

    /// The name in C of what tells that a condition of the call is false.
    fn untiled_symbol(&self) -> String {
        format!("{}_untiled", self.symbol)
    }

    /// The lines of C that tell, where notes are wanted, which condition of the call is false: no name of Fortran begins
    /// with an underscore.
    fn untiled_text(&self) -> Vec<String> {
        let quoted = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut all = vec![
            "extern char *_v_getenv(const char *) __asm__(\"getenv\");".to_owned(),
            "extern int _v_print(int, const char *, ...) __asm__(\"dprintf\");".to_owned(),
            format!("void {}(int at)", self.untiled_symbol()),
            "{".to_owned(),
            "    static const char *const why[] = {".to_owned(),
        ];
        all.extend(self.call_conditions().iter().map(|one| format!("        \"{}\",", quoted(&one.reason))));
        all.extend([
            "    };".to_owned(),
            "    const char *wanted = _v_getenv(\"DVM_VERBOSE\");".to_owned(),
            "    if (wanted && wanted[0] == '1' && wanted[1] == 0)".to_owned(),
            "        _v_print(2, \"libdvm: region %s (line %d) runs sequentially: %s\\n\",".to_owned(),
            format!("            \"{}\", {}, why[at]);", self.name, self.mark),
            "}".to_owned(),
        ]);
        all
    }

    /// What stands before the loops: it calls the function of C if that may run.
    fn before(&self, form: SourceForm) -> String {
        let arguments = self.arguments();
        let mut text = Lines { text: String::new(), form };
        let names: Vec<String> = (1..=arguments.len()).map(|at| format!("dvm__a{at}")).collect();
        text.put(&["block"]);
        text.put(&["logical(4) :: dvm__done"]);
        text.put(&["dvm__done = .false."]);
        text.put(&["block"]);
        let intrinsic =
            if self.translated.has_logical { [&OF_THE_CALL[..], &[OF_LOGICAL]].concat() } else { OF_THE_CALL.to_vec() };
        text.put_all(&["intrinsic :: ".to_owned()], &pieces(&intrinsic.join(",")), "");
        text.put(&["interface"]);
        let listed = |items: &[String]| -> Vec<String> {
            let last = items.len().saturating_sub(1);
            let ends = |at: usize| if at < last { "," } else { "" };
            items.iter().enumerate().flat_map(|(at, item)| pieces(&format!("{item}{}", ends(at)))).collect()
        };
        let head: Vec<String> = std::iter::once("subroutine dvm__region(".to_owned()).chain(listed(&names)).collect();
        text.put_all(&head, &bound(") ", &self.symbol), "");
        for (argument, name) in arguments.iter().zip(&names) {
            let shape = if argument.is_array { "(*)" } else { "" };
            text.put(&[&format!("{} :: {name}{shape}", argument.interface)]);
            if argument.is_logical {
                text.takes_any(name);
            }
        }
        text.put(&["end subroutine"]);
        for element in self.dense_elements() {
            let (name, own) = (format!("dvm__{}", element.word()), element.fortran_type());
            let bind = bound("", &self.dense_symbol(element));
            text.put_all(&[format!("function {name}(a, b, step)")], &bind, "");
            text.put(&[&format!("integer(4) :: {name}")]);
            text.put(&[&format!("{own} :: a, b")]);
            if element.is_logical() {
                text.takes_any("a, b");
            }
            text.put(&["integer(8), value :: step"]);
            text.put(&["end function"]);
        }
        if !self.translated.identities.is_empty() {
            let bind = bound("", &format!("{}_texts", self.symbol));
            text.put_all(&["function dvm__texts() ".to_owned()], &bind, "");
            text.put(&["integer(4) :: dvm__texts"]);
            text.put(&["end function"]);
        }
        let conditions = self.call_conditions();
        if !conditions.is_empty() {
            let bind = bound("", &self.untiled_symbol());
            text.put_all(&["subroutine dvm__untiled(at) ".to_owned()], &bind, "");
            text.put(&["integer(4), value :: at"]);
            text.put(&["end subroutine"]);
        }
        text.put(&["end interface"]);
        if !conditions.is_empty() {
            text.put(&["integer(4) :: dvm__at"]);
        }
        for (at, condition) in conditions.iter().enumerate() {
            text.put(&[&format!("dvm__at = {at}")]);
            text.put_all(&["if (".to_owned()], &pieces(&condition.text), ") then");
        }
        let calls: Vec<String> = arguments.into_iter().map(|argument| argument.call).collect();
        text.put_all(&["call dvm__region(".to_owned()], &listed(&calls), ")");
        text.put(&["dvm__done = .true."]);
        for _ in &conditions {
            text.put(&["end if"]);
        }
        if !conditions.is_empty() {
            text.put(&["if (.not. dvm__done) call dvm__untiled(dvm__at)"]);
        }
        text.put(&["end block"]);
        text.put(&["if (.not. dvm__done) then"]);
        text.text
    }
}

/// The conditions that the elements of an array follow each other.
fn dense_conditions(text: &str, element: Element, rank: usize) -> Vec<CallCondition> {
    let mut all = Vec::new();
    let mut step = format!("{}_8", element.bytes());
    for at in 1..=rank {
        let (first, next) = (element_of(text, rank, None), element_of(text, rank, Some(at)));
        let (name, bytes) = (element.word(), format!("{step}*min(size({text},{at},8)-1_8,1_8)"));
        all.push(CallCondition {
            text: format!("dvm__{name}({first},{next},{bytes})/=0"),
            reason: format!("the elements of `{text}` do not follow each other"),
        });
        let _ = write!(step, "*size({text},{at},8)");
    }
    all
}

/// A function that the region calls.
fn c_function(function: &TranslatedFunction) -> Vec<(String, u32)> {
    let first = function.lines.first().map_or(0, |(_, line)| *line);
    let parameters = function.parameters.iter().map(|(name, element)| format!("{} {}", element.c_type(), c_name(name)));
    let parameters: Vec<String> = parameters.collect();
    let list = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let mut all = vec![(format!("static {} {}({list})", function.element.c_type(), function.name), first)];
    all.push(("{".to_owned(), first));
    for (name, element) in &function.locals {
        all.push((format!("    {} {};", element.c_type(), c_name(name)), first));
    }
    for (at, element) in (1..).zip(&function.bounds) {
        all.push((format!("    {} _b{at};", element.c_type()), first));
    }
    all.extend(function.lines.iter().cloned());
    all.push(("}".to_owned(), function.lines.last().map_or(first, |(_, line)| *line)));
    all
}

/// The first element of an array, or the one after it in a dimension, if there is one.
fn element_of(text: &str, rank: usize, next: Option<usize>) -> String {
    let subscripts = (1..=rank).map(|at| {
        if next == Some(at) {
            format!("min(int(lbound({text},{at},8),8)+1,int(ubound({text},{at},8),8))")
        } else {
            format!("int(lbound({text},{at},8),8)")
        }
    });
    format!("{text}({})", subscripts.collect::<Vec<_>>().join(","))
}

/// The name of C that a procedure of an interface has, in parts that fit into a line of either form: modules and procedures
/// may have names of 63 letters each.
fn bound(before: &str, symbol: &str) -> Vec<String> {
    let mut all = vec![format!("{before}bind(c, name=")];
    for (at, part) in symbol.as_bytes().chunks(50).enumerate() {
        let joined = if at > 0 { "//" } else { "" };
        all.push(format!("{joined}\"{}\"", String::from_utf8_lossy(part)));
    }
    all.push(")".to_owned());
    all
}

/// A text without characters in parts that fit into a line of either form.
fn pieces(text: &str) -> Vec<String> {
    text.as_bytes().chunks(60).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// Lines of Fortran that are short in either form.
struct Lines {
    text: String,
    form: SourceForm,
}

impl Lines {
    fn put(&mut self, parts: &[&str]) {
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        self.put_all(&parts, &[], "");
    }

    /// Says that arguments of an interface may have any type: gfortran warns about logical ones in an interface to C.
    fn takes_any(&mut self, names: &str) {
        let _ = writeln!(self.text, "!GCC$ ATTRIBUTES NO_ARG_CHECK :: {names}");
    }

    /// A statement: each part stands on a line of its own.
    fn put_all(&mut self, first: &[String], rest: &[String], last: &str) {
        let parts: Vec<&str> =
            first.iter().chain(rest).map(String::as_str).chain([last]).filter(|p| !p.is_empty()).collect();
        for (at, part) in parts.iter().enumerate() {
            let goes_on = at + 1 < parts.len();
            let _ = match self.form {
                SourceForm::Free => {
                    writeln!(self.text, "{}{part}{}", if at > 0 { "&" } else { "" }, if goes_on { "&" } else { "" })
                }
                SourceForm::Fixed(_) => writeln!(self.text, "     {}{part}", if at > 0 { "&" } else { " " }),
            };
        }
    }
}

/// The text with calls in front of the loops of `regions`, which are in order; lines keep their numbers for the compiler.
pub fn rewrite(text: &str, file: &str, form: SourceForm, regions: &[FortranRegion]) -> String {
    let mut out = format!("# 1 \"{file}\"\n");
    let starts: BTreeMap<u32, &FortranRegion> = regions.iter().map(|region| (region.first, region)).collect();
    let ends: BTreeMap<u32, &FortranRegion> = regions.iter().map(|region| (region.last, region)).collect();
    for (line, at) in text.lines().zip(1_u32..) {
        if let Some(region) = starts.get(&at) {
            let _ = writeln!(out, "{}# {at} \"{file}\"", region.before(form));
        }
        let _ = writeln!(out, "{line}");
        if ends.contains_key(&at) {
            let mut after = Lines { text: String::new(), form };
            after.put(&["end if"]);
            after.put(&["end block"]);
            let _ = writeln!(out, "{}# {} \"{file}\"", after.text, at + 1);
        }
    }
    out
}
