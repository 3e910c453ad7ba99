//! The function of C for a region, and the Fortran text that calls it.

use super::refused::FortranRefusal;
use super::region::{TranslatedRegion, c_name};
use super::statements::SourceForm;
use super::variables::Element;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A region that can be replaced.
#[derive(Debug)]
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
    /// The sizes of tiles, as `tile(...)`, or nothing.
    pub clauses: String,
    /// Its loops.
    pub translated: TranslatedRegion,
    /// Conditions of Fortran under which the values that flang put in are those of gfortran.
    pub conditions: Vec<String>,
}

/// An argument: in C, in the interface and in the call.
struct Argument {
    c: String,
    interface: String,
    call: String,
}

impl FortranRegion {
    fn arguments(&self) -> Vec<Argument> {
        let mut all = Vec::new();
        let mut value = |c: String, element: Element, call: String| {
            let interface = format!("{}, value", element.fortran_type());
            all.push(Argument { c: format!("{} {c}", element.c_type()), interface, call });
        };
        for (name, element) in &self.translated.parameters {
            value(c_name(name), *element, name.clone());
        }
        for (name, array) in &self.translated.arrays {
            for (lower, at) in array.lower.iter().zip(1..) {
                if lower.is_none() {
                    value(format!("_l{at}_{name}"), Element::I64, format!("lbound({name},{at},8)"));
                }
            }
            let rank = array.extents.len();
            for (extent, at) in array.extents[..rank - 1].iter().zip(1..) {
                if extent.is_none() {
                    value(format!("_e{at}_{name}"), Element::I64, format!("size({name},{at},8)"));
                }
            }
        }
        for (name, array) in &self.translated.arrays {
            let mut c = format!("{} {}[]", array.element.c_type(), c_name(name));
            let rank = array.extents.len();
            for (at, extent) in array.extents[..rank - 1].iter().enumerate().rev() {
                c.push_str(&extent.map_or(format!("[_e{}_{name}]", at + 1), |extent| format!("[{extent}]")));
            }
            all.push(Argument { c, interface: array.element.fortran_type().to_owned(), call: name.clone() });
        }
        all
    }

    /// The text of C, and for each of its lines one of the source.
    pub fn c_text(&self) -> (String, Vec<u32>) {
        let parameters: Vec<String> = self.arguments().into_iter().map(|argument| argument.c).collect();
        let mut all = vec![("#include <math.h>".to_owned(), self.mark)];
        all.push((format!("void {}({})", self.symbol, parameters.join(", ")), self.mark));
        all.push(("{".to_owned(), self.mark));
        for (name, element) in &self.translated.locals {
            all.push((format!("    {} {};", element.c_type(), c_name(name)), self.mark));
        }
        let clauses = if self.clauses.is_empty() { String::new() } else { format!(" {}", self.clauses) };
        all.push((format!("#pragma dvm region name({}){clauses}", self.name), self.mark));
        all.push(("    {".to_owned(), self.mark));
        all.extend(self.translated.lines.iter().map(|(text, line)| (format!("    {text}"), *line)));
        all.push(("    }".to_owned(), self.last));
        all.push(("}".to_owned(), self.last));
        (all.iter().map(|(text, _)| format!("{text}\n")).collect(), all.iter().map(|(_, line)| *line).collect())
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
        text.put(&["intrinsic :: lbound, size, is_contiguous"]);
        text.put(&["interface"]);
        let listed = |items: &[String]| -> Vec<String> {
            let last = items.len().saturating_sub(1);
            items
                .iter()
                .enumerate()
                .map(|(at, item)| if at < last { format!("{item},") } else { item.clone() })
                .collect()
        };
        let bind = format!(") bind(c, name=\"{}\")", self.symbol);
        text.put_all(&["subroutine dvm__region(".to_owned()], &listed(&names), &bind);
        for (argument, name) in arguments.iter().zip(&names) {
            let shape = if argument.interface.ends_with("value") { "" } else { "(*)" };
            text.put(&[&format!("{} :: {name}{shape}", argument.interface)]);
        }
        text.put(&["end subroutine"]);
        text.put(&["end interface"]);
        let contiguous = self.translated.arrays.iter().filter(|(_, array)| array.may_have_gaps);
        let mut conditions: Vec<String> = contiguous.map(|(name, _)| format!("is_contiguous({name})")).collect();
        conditions.extend(self.conditions.iter().cloned());
        for condition in &conditions {
            text.put(&[&format!("if ({condition}) then")]);
        }
        let calls: Vec<String> = arguments.into_iter().map(|argument| argument.call).collect();
        text.put_all(&["call dvm__region(".to_owned()], &listed(&calls), ")");
        text.put(&["dvm__done = .true."]);
        for _ in &conditions {
            text.put(&["end if"]);
        }
        text.put(&["end block"]);
        text.put(&["if (.not. dvm__done) then"]);
        text.text
    }
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
                SourceForm::Fixed => writeln!(self.text, "     {}{part}", if at > 0 { "&" } else { " " }),
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

/// The clauses of a mark: `name(x)` and `tile(...)`.
pub fn clauses(text: &str, line: u32) -> Result<(Option<String>, String), FortranRefusal> {
    let mut rest = text.strip_prefix("region").unwrap_or_default().trim().to_owned();
    let (mut name, mut tile) = (None, String::new());
    while !rest.is_empty() {
        let bad = || {
            let remedy = "the clauses are `tile(32,auto)` and `name(x)`";
            FortranRefusal::new(line, &format!("`{rest}` is not a clause of a region of Fortran"), remedy)
        };
        let (word, after) = rest.split_once('(').ok_or_else(bad)?;
        let (inside, after) = after.split_once(')').ok_or_else(bad)?;
        let is_size = |size: &str| size == "auto" || size.parse::<u32>().is_ok_and(|n| n > 0);
        match word.trim() {
            "name" if is_name(inside.trim()) && name.is_none() => name = Some(inside.trim().to_owned()),
            "tile" if inside.split(',').all(|size| is_size(size.trim())) && tile.is_empty() => {
                tile = format!("tile({inside})");
            }
            _ => return Err(bad()),
        }
        rest = after.trim_start().trim_start_matches(',').trim_start().to_owned();
    }
    Ok((name, tile))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_are_read_or_refused() {
        assert_eq!(clauses("region tile(4, auto), name(x)", 1), Ok((Some("x".to_owned()), "tile(4, auto)".to_owned())));
        assert!(clauses("region serial(n < 3)", 1).unwrap_err().reason.contains("serial"));
        assert!(clauses("region tile(0)", 1).is_err());
    }
}
