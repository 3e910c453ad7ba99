//! `redist c`: loops over target and source memories around pairs of DMA_SEND and DMA_RECEIVE.

use super::case_files::{Failure, cases, write};
use super::expression::{all, any_of, bound, fails, form};
use super::names::{NestNames, counter, mentions};
use clap::Args;
use dvm_redist::integer::affine::AffineForm;
use dvm_redist::nest::{Known, Nest, bounds_in};
use dvm_redist::{Case, Kind};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The arguments of `redist c`.
#[derive(Debug, Args)]
pub struct CArgs {
    /// The cases (JSON, schema redist-vectors/1)
    file: PathBuf,
    /// The folder for the C files, one per case or family; standard output unless given
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Only the case of this name
    #[arg(long, value_name = "ID")]
    case: Option<String>,
}

/// Writes one C file per case, or per family of cases.
pub fn run(arguments: &CArgs) -> Result<(), Failure> {
    let mut done = BTreeSet::new();
    let mut files = Vec::new();
    for case in cases(&arguments.file, arguments.case.as_deref())? {
        let name = function_name(&case);
        if done.insert(name.clone()) {
            let text = generate(&case)
                .map_err(|e| Failure::Case(arguments.file.clone(), e.within(&format!("case '{}'", case.id))))?;
            files.push((name, text));
        }
    }
    for (name, text) in files {
        let path = arguments.out.as_deref().map(|folder: &Path| folder.join(format!("{name}.c")));
        write(path.as_deref(), &text)?;
    }
    Ok(())
}

/// The name of a case's C function: its family's name, else its own.
pub fn function_name(case: &Case) -> String {
    let clean = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    format!("redistribute_{}", case.family.as_ref().unwrap_or(&case.id).chars().map(clean).collect::<String>())
}

/// The C text of a case, for all values of the case's parameters.
pub fn generate(case: &Case) -> dvm_redist::Result<String> {
    let nest = Nest::new(case)?;
    let names = NestNames::new(case, &nest)?;
    let mut body = Body { nest: &nest, names: &names, case, text: String::new(), depth: 1 };
    body.write();
    let text = body.text;
    let parameters: Vec<String> = case.parameters.keys().map(|n| format!(", int64_t {}", names.parameter(n))).collect();
    let mut out = comment(case, &nest);
    out.push_str("#include <dvm_dma.h>\n\n");
    let head = format!("int {}(DVM_DMA_ENGINE dma{})", function_name(case), parameters.concat());
    let _ = writeln!(out, "{head};\n\n{head} {{");
    let definitions = names.definitions(&text);
    let whole = format!("{definitions}{text}");
    for n in case.parameters.keys().map(|n| names.parameter(n)) {
        if !mentions(&whole, &n) {
            let _ = writeln!(out, "  (void){n};");
        }
    }
    let _ = writeln!(out, "{whole}  return DMA_WAIT();\n}}");
    Ok(out)
}

fn comment(case: &Case, nest: &Nest) -> String {
    let mut out = format!("/* {}: every element of the target that the source holds, once.\n", function_name(case));
    for (side, d) in [("source", &case.source), ("target", &case.target)] {
        for (j, dimension) in d.dimensions.iter().enumerate() {
            let terms = dimension.variables.iter().map(|v| format!("{}*{}", v.coef, v.name));
            let offset = &dimension.offset;
            let constant =
                (offset.constant != 0 || dimension.variables.is_empty()).then(|| offset.constant.to_string());
            let terms = terms.chain(offset.terms.iter().map(|(n, c)| format!("{c}*{n}"))).chain(constant);
            let _ = writeln!(out, " * {side}: t{} = {}", j + 1, terms.collect::<Vec<_>>().join(" + "));
        }
    }
    if !nest.cuts.is_empty() {
        let _ = writeln!(out, " * A source location is left out when one of these steps leads to another copy:");
        let names: Vec<&str> = case.source.variables().map(|(_, v)| v.name.as_str()).collect();
        for cut in &nest.cuts {
            let moved = names.iter().zip(&cut.vector).filter(|(_, x)| **x != 0);
            let steps: Vec<String> = moved.map(|(n, x)| format!("{n} {x:+}")).collect();
            let _ = writeln!(out, " *   {}", steps.join(", "));
        }
    }
    let end = first_of_run(nest, case);
    for level in nest.guards.unknown.iter().filter(|l| end > l.map_or(0, |k| k + 1)) {
        let place =
            level.map_or_else(|| "The function".to_owned(), |k| format!("The body of the loop over {}", counter(k)));
        let _ = writeln!(
            out,
            " * {place} may be entered where no copy follows: to say where one does takes too many systems."
        );
    }
    out.push_str(" */\n");
    out
}

/// Columns beyond which each part of a guard gets its own line.
const LINE: usize = 100;

/// The statements of a function.
struct Body<'a> {
    nest: &'a Nest,
    names: &'a NestNames,
    case: &'a Case,
    text: String,
    depth: usize,
}

impl Body<'_> {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:indent$}{line}", "", indent = 2 * self.depth);
    }

    fn write(&mut self) {
        if self.nest.never {
            self.line("/* The two sides have no element in common. */");
            return;
        }
        for (i, known) in self.nest.known.iter().enumerate() {
            if let Known::Quotient { form: f, divisor, .. } = known {
                let f = form(f, self.names);
                let test = if *divisor == 0 { f.clone() } else { format!("({f}) % {divisor}") };
                self.line(&format!("if ({test} != 0)"));
                self.line("  return DMA_WAIT();");
                if *divisor != 0 {
                    self.line(&format!("const int64_t {} = ({f}) / {divisor};", self.names.known(i)));
                }
            }
        }
        let conditions = self.nest.conditions();
        if !conditions.is_empty() {
            self.line(&format!("if ({})", any_of(&conditions, self.names)));
            self.line("  return DMA_WAIT();");
        }
        let end = first_of_run(self.nest, self.case);
        self.guard(None, end, "return DMA_WAIT();");
        self.variables(None);
        self.loops(0, end);
    }

    /// Skips an iteration without copies; for the last loop, the test around the calls does that.
    fn guard(&mut self, level: Option<usize>, end: usize, leave: &str) {
        let early = end > level.map_or(0, |k| k + 1);
        for guard in self.nest.guards.list.iter().filter(|g| early && g.level == level) {
            let (parts, [open, close]) = fails(&guard.tests, self.names);
            let long = parts.iter().map(String::len).sum::<usize>() > LINE;
            let between =
                if long { format!(" ||\n{:1$}", "", 2 * self.depth + 4 + open.len()) } else { " || ".to_owned() };
            self.line(&format!("if ({open}{}{close})", parts.join(&between)));
            self.line(&format!("  {leave}"));
        }
    }

    /// Defines the variables that depend only on counters up to `last`.
    fn variables(&mut self, last: Option<usize>) {
        for (name, row) in self.names.variables(self.nest) {
            if row.last() == last {
                self.line(&format!("const int64_t {name} = {};", form(row, self.names)));
            }
        }
    }

    fn loops(&mut self, k: usize, end: usize) {
        if k == end {
            return self.calls(end);
        }
        let (lower, upper) = self.nest.bounds_of(k);
        let counter = counter(k);
        self.line(&format!("const int64_t inf_{counter} = {};", bound(&lower, true, self.names)));
        self.line(&format!("const int64_t sup_{counter} = {};", bound(&upper, false, self.names)));
        self.line(&format!("for (int64_t {counter} = inf_{counter}; {counter} <= sup_{counter}; {counter}++) {{"));
        self.depth += 1;
        self.guard(Some(k), end, "continue;");
        for cut in self.nest.cuts.iter().filter(|c| c.level == Some(k)) {
            let rows: Vec<&AffineForm> = cut.rows.iter().collect();
            self.line(&format!("if ({})", all(&rows, self.names)));
            self.line("  continue;");
        }
        self.variables(Some(k));
        self.loops(k + 1, end);
        self.depth -= 1;
        self.line("}");
    }

    /// The pair of calls for the counters from `first` on.
    fn calls(&mut self, first: usize) {
        let n = self.nest.counters.len();
        for k in first..n {
            let (lower, upper) = self.nest.bounds_of(k);
            let counter = counter(k);
            self.line(&format!("const int64_t inf_{counter} = {};", bound(&lower, true, self.names)));
            self.line(&format!("const int64_t sup_{counter} = {};", bound(&upper, false, self.names)));
        }
        if first == n {
            return self.pair(first, "");
        }
        let names: Vec<String> = (first..n).map(counter).collect();
        let last = &names[names.len() - 1];
        let outer = &names[..names.len() - 1];
        let guard =
            |names: &[String]| names.iter().map(|c| format!("inf_{c} <= sup_{c}")).collect::<Vec<_>>().join(" && ");
        let spans = self.spans(n - 1);
        if spans.is_empty() {
            self.line(&format!("if ({}) {{", guard(&names)));
            self.depth += 1;
            self.started(&names, first, &format!("sup_{last} - inf_{last} + 1"));
        } else {
            if !outer.is_empty() {
                self.line(&format!("if ({}) {{", guard(outer)));
                self.depth += 1;
            }
            self.line(&format!("const dvm_span_t cut[{}] = {{", spans.len()));
            for span in &spans {
                self.line(&format!("  {span},"));
            }
            self.line("};");
            self.line(&format!("int64_t {last} = inf_{last}, to;"));
            self.line(&format!(
                "for (; dvm_next_run(cut, {}, sup_{last}, &{last}, &to); {last} = to + 1) {{",
                spans.len()
            ));
            self.depth += 1;
            self.started(outer, first, &format!("to - {last} + 1"));
            if !outer.is_empty() {
                self.depth -= 1;
                self.line("}");
            }
        }
        self.depth -= 1;
        self.line("}");
    }

    /// The pair of calls, after setting the counters that they use to their first values.
    fn started(&mut self, counters: &[String], first: usize, count: &str) {
        let before = std::mem::take(&mut self.text);
        self.pair(first, count);
        let pair = std::mem::replace(&mut self.text, before);
        for c in counters.iter().filter(|c| mentions(&pair, c)) {
            self.line(&format!("const int64_t {c} = inf_{c};"));
        }
        self.text.push_str(&pair);
    }

    /// The values of counter `k` that each cut at this level covers.
    fn spans(&self, k: usize) -> Vec<String> {
        let counter = counter(k);
        let span = |rows: &[AffineForm]| {
            let (lower, upper) = bounds_in(rows, k);
            let lower = if lower.is_empty() { format!("inf_{counter}") } else { bound(&lower, true, self.names) };
            let upper = if upper.is_empty() { format!("sup_{counter}") } else { bound(&upper, false, self.names) };
            let fixed: Vec<&AffineForm> = rows.iter().filter(|r| r.counter[k] == 0).collect();
            if fixed.is_empty() {
                return format!("{{{lower}, {upper}}}");
            }
            let condition = all(&fixed, self.names);
            format!("{{{lower}, ({condition}) ? {upper} : INT64_MIN}}")
        };
        self.nest.cuts.iter().filter(|c| c.level == Some(k)).map(|c| span(&c.rows)).collect()
    }

    /// DMA_SEND and DMA_RECEIVE, with the counters from `first` on at their first values.
    fn pair(&mut self, first: usize, count: &str) {
        let n = self.nest.counters.len();
        for k in first..n {
            self.variables(Some(k));
        }
        let form = if n - first > 1 { format!("_{}D", n - first) } else { String::new() };
        for (call, side) in [("SEND", 0), ("RECEIVE", 1)] {
            let (memory, offset) = (self.names.memory(side), self.names.offset(side));
            let mut arguments = vec![memory, offset];
            if first == n {
                arguments.extend(["1".to_owned(), "1".to_owned()]);
            }
            for k in (first..n).rev() {
                let c = counter(k);
                let extent = if k == n - 1 { count.to_owned() } else { format!("sup_{c} - inf_{c} + 1") };
                arguments.extend([extent, self.names.stride(side, k, self.nest)]);
            }
            self.line(&format!("DMA_{call}{form}({});", arguments.join(", ")));
        }
    }
}

/// The first of the counters that form one call: at most three, up to the last. No memory changes along them, and their
/// bounds do not depend on each other.
fn first_of_run(nest: &Nest, case: &Case) -> usize {
    let n = nest.counters.len();
    let mut run = 0;
    while run < 3.min(n) {
        let k = n - 1 - run;
        let memory_moves = memory_rows(nest, case).any(|r| r.counter[k] != 0);
        let later = k + 1..n;
        let used = |r: &AffineForm| r.counter[k] != 0 && later.clone().any(|l| r.counter[l] != 0);
        let bound_moves = nest.bounds.iter().any(used);
        let cut_moves = run > 0 && nest.cuts.iter().flat_map(|c| &c.rows).any(|r| r.counter[k] != 0);
        if memory_moves || bound_moves || cut_moves {
            break;
        }
        run += 1;
    }
    n - run
}

/// The forms of the architectural variables.
fn memory_rows<'a>(nest: &'a Nest, case: &'a Case) -> impl Iterator<Item = &'a AffineForm> {
    let source = nest.source.iter().zip(case.source.variables());
    let target = nest.target.iter().zip(case.target.variables());
    source.chain(target).filter(|(_, (_, v))| v.kind == Kind::Arch).map(|(r, _)| r)
}
