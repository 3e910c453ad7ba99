//! Prints a model as text.
//!
//! One item per line; free text is in quotes with C's escapes, isl text extends to the end of its line:
//!
//! ```text
//! region scale
//! source "scale.c" 3
//! function "main"
//! context [n] -> {  :  }
//! parameter n "n" "int"
//! array A "A" "double" 8 restrict -
//! statement S0 5 5
//!   iterator "i" "int"
//!   domain [n] -> { S0[i] : 0 <= i < n }
//!   schedule [n] -> { S0[i] -> [0, i, 0] }
//!   read A [n] -> { S0[i] -> A[i] }
//!   write A [n] -> { S0[i] -> A[i] }
//!   text "A[i] = 2 * A[i];"
//! ```

use super::{
    AccessKind, Arithmetic, Array, Chain, ChainStep, Entry, ExtremeForm, Kept, Named, Operand, Reduction, Region,
    Statement, Storage,
};
use std::fmt;

impl From<Region> for String {
    fn from(region: Region) -> String {
        region.to_string()
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "region {}", self.name)?;
        writeln!(f, "source {} {}", Quoted(&self.file), self.line)?;
        writeln!(f, "function {}", Quoted(&self.function))?;
        if self.c90 {
            writeln!(f, "c90")?;
        }
        for size in &self.options.tile {
            writeln!(f, "tile {}", Quoted(size))?;
        }
        if self.options.across {
            writeln!(f, "across")?;
        }
        if self.options.offered {
            writeln!(f, "offered")?;
        }
        if self.options.in_loop {
            writeln!(f, "in_loop")?;
        }
        for name in &self.options.keep {
            writeln!(f, "keep {}", Quoted(name))?;
        }
        if self.options.buffers > 0 {
            writeln!(f, "buffers {}", self.options.buffers)?;
        }
        if let Some(ahead) = self.options.ahead {
            writeln!(f, "ahead {ahead}")?;
        }
        if let Some(serial) = &self.options.serial {
            writeln!(f, "serial {}", Quoted(serial))?;
        }
        writeln!(f, "context {}", one_line(&self.context))?;
        for parameter in &self.parameters {
            let place = if parameter.global { " global" } else { "" };
            let (symbol, name, ctype) = (&parameter.symbol, Quoted(&parameter.name), Quoted(&parameter.ctype));
            write!(f, "parameter {symbol} {name} {ctype}{place}")?;
            if let Some(expression) = &parameter.expression {
                write!(f, " captured {}", Quoted(expression))?;
            }
            writeln!(f)?;
        }
        for value in &self.values {
            let place = if value.global { " global" } else { "" };
            writeln!(f, "value {} {}{place}", Quoted(&value.name), Quoted(&value.ctype))?;
        }
        self.arrays.iter().try_for_each(|array| write_array(f, array))?;
        for condition in &self.conditions {
            writeln!(f, "condition {} {}", Quoted(&condition.reason), Quoted(&condition.fails))?;
        }
        for Reduction { name, ctype, partial, operation, neutral, form, or_equal, parts } in &self.reductions {
            let (name, ctype, partial) = (Quoted(name), Quoted(ctype), Quoted(partial));
            let parts = if *parts > 1 { format!(" parts {parts}") } else { String::new() };
            let form = match form {
                ExtremeForm::Keeps => "",
                ExtremeForm::Takes => " takes",
                ExtremeForm::Function => " function",
            };
            let equal = if *or_equal { " or-equal" } else { "" };
            writeln!(f, "reduction {operation} {name} {ctype} {partial} {}{form}{equal}{parts}", Quoted(neutral))?;
        }
        for entry in &self.entry {
            match entry {
                Entry::Condition(text) => writeln!(f, "entry-condition {}", Quoted(text))?,
                Entry::Read { name, ctype, guard, expression, text } => {
                    let (name, ctype, guard) = (Quoted(name), Quoted(ctype), Quoted(guard));
                    writeln!(f, "entry-read {name} {ctype} {guard} {} {}", Quoted(expression), Quoted(text))?;
                }
            }
        }
        for Kept { object, text, against } in &self.kept {
            writeln!(f, "kept {} {} {}", Quoted(object), Quoted(text), against.join(" "))?;
        }
        for symbol in &self.entry_arrays {
            writeln!(f, "entry-array {symbol}")?;
        }
        for tie in &self.ties {
            writeln!(f, "tie {}", Quoted(tie))?;
        }
        for row in &self.rows {
            writeln!(f, "outside {} {}", Quoted(&row.text), one_line(&row.outside))?;
        }
        self.statements.iter().try_for_each(|statement| write_statement(f, statement))
    }
}

fn write_array(f: &mut fmt::Formatter<'_>, array: &Array) -> fmt::Result {
    let storage = match array.storage {
        Storage::Object => "object",
        Storage::Restrict => "restrict",
        Storage::Pointer => "pointer",
    };
    let (name, element) = (Quoted(&array.name), Quoted(&array.element));
    write!(f, "array {} {name} {element} {} {storage}", array.symbol, array.element_size)?;
    if array.global {
        write!(f, " global")?;
    }
    if array.linearised {
        write!(f, " linearised")?;
    }
    if array.tables > 0 {
        write!(f, " tables {}", array.tables)?;
    }
    if array.unsure_tables {
        write!(f, " unsure")?;
    }
    if let Some((reason, remedy)) = &array.scattered {
        write!(f, " scattered {} {}", Quoted(reason), Quoted(remedy))?;
    }
    for length in &array.dims {
        match length {
            Some(length) => write!(f, " {}", Quoted(length))?,
            None => write!(f, " -")?,
        }
    }
    writeln!(f)
}

fn write_statement(f: &mut fmt::Formatter<'_>, statement: &Statement) -> fmt::Result {
    writeln!(f, "statement {} {} {}", statement.name, statement.line, statement.column)?;
    for iterator in &statement.iterators {
        writeln!(f, "  iterator {} {}", Quoted(&iterator.name), Quoted(&iterator.ctype))?;
    }
    writeln!(f, "  domain {}", one_line(&statement.domain))?;
    writeln!(f, "  schedule {}", one_line(&statement.schedule))?;
    for access in &statement.accesses {
        let kind = match access.kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::MayWrite => "may-write",
        };
        writeln!(f, "  {kind} {} {}", access.array, one_line(&access.relation))?;
    }
    if let Some(outer) = statement.independent {
        writeln!(f, "  independent {outer}")?;
    }
    if let Some(Arithmetic { element, operands }) = &statement.arithmetic {
        writeln!(f, "  arithmetic {}", Quoted(element))?;
        for (begin, end, relation) in operands {
            writeln!(f, "  operand {begin} {end} {}", relation.as_deref().map_or("-".to_owned(), one_line))?;
        }
    }
    if let Some(chain) = &statement.chain {
        write_chain(f, chain)?;
    }
    if !statement.locals.is_empty() {
        writeln!(f, "  locals {}", Quoted(&statement.locals))?;
    }
    writeln!(f, "  text {}", Quoted(&statement.text))
}

fn write_chain(f: &mut fmt::Formatter<'_>, chain: &Chain) -> fmt::Result {
    writeln!(f, "  chain {} {} {}", Quoted(&chain.element), chain.scalars, Quoted(&chain.counters))?;
    if !chain.uneven.is_empty() {
        let uneven: Vec<String> = chain.uneven.iter().map(usize::to_string).collect();
        writeln!(f, "  uneven {}", uneven.join(" "))?;
    }
    for ChainStep { place, operator, target, value, operands } in &chain.steps {
        writeln!(f, "  step {} {} {} {} {}", place.0, place.1, Quoted(operator), value.0, value.1)?;
        for (word, Operand { place, named }) in
            std::iter::once(("target", target)).chain(operands.iter().map(|operand| ("names", operand)))
        {
            write!(f, "  {word} {} {} ", place.0, place.1)?;
            match named {
                Named::Number => writeln!(f, "number")?,
                Named::Scalar(at) => writeln!(f, "scalar {at}")?,
                Named::Element(steps) => {
                    let numbers = |step: &Vec<i64>| match step.as_slice() {
                        [] => "-".to_owned(),
                        step => step.iter().map(i64::to_string).collect::<Vec<_>>().join(","),
                    };
                    writeln!(f, "element {}", steps.iter().map(numbers).collect::<Vec<_>>().join(" "))?;
                }
            }
        }
    }
    Ok(())
}

/// isl text on one line: its line breaks mean nothing.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Prints text in quotes.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
