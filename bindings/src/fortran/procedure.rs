//! The Fortran view of a C function.

use std::fmt::Write;

use super::comment::{print_comment, print_plain_comment};
use super::kinds::{self, Kind};
use crate::section::{Direction, Function};

/// The Fortran view of a C function.
pub struct Procedure {
    /// Its name in C.
    pub name: String,
    /// The variadic function that it represents.
    stands_for: Option<String>,
    /// For the first function of a section: the section's title and what holds there.
    pub opens: Vec<String>,
    /// Its documentation.
    pub text: Vec<String>,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Its result.
    pub result: Outcome,
}

/// An argument.
pub struct Argument {
    /// Its name in Fortran.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The direction of the data.
    pub direction: Direction,
    /// The name of its structure.
    pub structure: Option<String>,
    /// Whether C accepts NULL.
    pub optional: bool,
}

/// The result of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A code, or another number.
    Code,
    /// A text.
    Text,
}

impl Procedure {
    /// The Fortran view of a C function, which may represent a variadic one.
    pub fn new(function: &Function, stands_for: Option<&str>) -> Result<Procedure, String> {
        let wrong = |what: &str| format!("{}: no Fortran for {what}; add it to bindings/src/fortran", function.name);
        let mut arguments = Vec::new();
        for (place, parameter) in function.parameters.iter().enumerate() {
            let direction = function.direction(&parameter.name).ok_or_else(|| {
                format!("{}: its documentation says nothing of @param[...] {}", function.name, parameter.name)
            })?;
            let counted =
                function.parameters.get(place + 1).is_some_and(|next| next.name == "count" && !next.is_pointer());
            let (kind, structure) = kinds::of(&parameter.kind, direction, counted)
                .ok_or_else(|| wrong(&format!("the type of its parameter {}", parameter.name)))?;
            let optional = kind == Kind::Text && parameter.name == "description";
            // `function` is a keyword of Fortran.
            let name = if parameter.name == "function" { "processing" } else { &parameter.name };
            arguments.push(Argument { name: name.to_owned(), kind, direction, structure, optional });
        }
        let result = match &function.result {
            Some(kind) if kinds::is_text(kind) => Outcome::Text,
            Some(kind) if kinds::name(kind).is_some_and(|name| kinds::integer(&name) == Some("c_int")) => Outcome::Code,
            _ => return Err(wrong("its result")),
        };
        Ok(Procedure {
            name: function.name.clone(),
            stands_for: stands_for.map(str::to_owned),
            opens: Vec::new(),
            text: function.text.iter().map(|line| line.replacen("] function ", "] processing", 1)).collect(),
            arguments,
            result,
        })
    }

    /// The name for Fortran programs.
    pub fn public_name(&self) -> &str {
        self.stands_for.as_deref().unwrap_or(&self.name)
    }

    /// Whether programs call a wrapper in the module instead of C itself.
    pub fn is_wrapped(&self) -> bool {
        self.result == Outcome::Text || self.arguments.iter().any(|a| matches!(a.kind, Kind::Text | Kind::Ids))
    }

    /// The name of the interface to C.
    pub fn interface_name(&self) -> String {
        if self.is_wrapped() { format!("c_{}", self.name) } else { self.name.clone() }
    }

    /// The name of the C function's result.
    fn outcome_name(&self) -> &'static str {
        if self.result == Outcome::Text { "address" } else { "code" }
    }

    /// Prints the interface to C.
    pub fn print_interface(&self, text: &mut String) {
        text.push('\n');
        if !self.opens.is_empty() {
            print_plain_comment(text, "    ", &self.opens);
            text.push('\n');
        }
        if !self.is_wrapped() {
            print_comment(text, "    ", &self.text);
        }
        let names: Vec<_> = self.arguments.iter().map(|argument| argument.name.as_str()).collect();
        let name = self.interface_name();
        let _ = writeln!(text, "    function {name}({}) &", joined(&names, name.len()));
        let outcome = self.outcome_name();
        let _ = writeln!(text, "        bind(C, name=\"{}\") result({outcome})", self.name);
        text.push_str("      import\n");
        for argument in &self.arguments {
            let _ = writeln!(text, "      {} :: {}", argument.in_interface(), argument.in_shape());
        }
        let result = if self.result == Outcome::Text { "type(c_ptr)" } else { "integer(c_int)" };
        let _ = writeln!(text, "      {result} :: {outcome}");
        let _ = writeln!(text, "    end function {name}");
    }
}

/// Names separated by commas, broken into two lines if too long for one.
pub fn joined(names: &[&str], before: usize) -> String {
    let line = names.join(", ");
    if before + line.len() < 100 {
        return line;
    }
    let (first, second) = names.split_at(names.len() / 2);
    format!("{}, &\n        {}", first.join(", "), second.join(", "))
}

impl Argument {
    /// The type and attributes in the interface to C.
    pub fn in_interface(&self) -> String {
        let intent = match self.direction {
            Direction::In => "intent(in)",
            Direction::Out => "intent(out)",
            Direction::InOut => "intent(inout)",
        };
        match self.kind {
            Kind::Integer(kind) => format!("integer({kind}), value"),
            Kind::IntegerOut(kind) => format!("integer({kind}), intent(out)"),
            Kind::Integers(kind) => format!("integer({kind}), {intent}"),
            Kind::Id | Kind::Ids | Kind::Rank => format!("integer(c_int64_t), {intent}"),
            Kind::ManyIds => "integer(c_int64_t), intent(in)".to_owned(),
            Kind::Address => "type(c_ptr), value".to_owned(),
            Kind::AddressOut => "type(c_ptr), intent(out)".to_owned(),
            Kind::Procedure => "type(c_funptr), value".to_owned(),
            Kind::Text => "character(kind=c_char), intent(in)".to_owned(),
            Kind::Handle => format!("type({}), value", self.structure.as_deref().unwrap_or_default()),
            Kind::Structure => format!("type({}), {intent}", self.structure.as_deref().unwrap_or_default()),
        }
    }

    /// The name and shape in the interface to C.
    pub fn in_shape(&self) -> String {
        let shape = match self.kind {
            Kind::Id => "(2)",
            Kind::Ids | Kind::ManyIds => "(2, *)",
            Kind::Rank | Kind::Integers(_) | Kind::Text => "(*)",
            _ => "",
        };
        format!("{}{shape}", self.name)
    }
}
