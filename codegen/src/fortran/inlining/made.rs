//! What becomes of a subroutine at a call: names of its values, variables and arguments.

use super::super::hlfir::HlfirOp;
use std::collections::HashMap;

/// What an argument is.
pub(super) enum Argument {
    /// An element, or a number in an object: the operation that names it.
    Element(String),
    /// A whole number that is computed from what stays as it is: what `hlfir.associate` makes of it.
    Value(String),
    /// Another value, of which the callee has a copy. It must not write either of the two.
    Copy(String),
    /// An array: the actual one; whether the dummy takes its shape; lower bounds and extents.
    Array { actual: String, as_shape: bool, lower: Vec<String>, extents: Vec<String> },
}

/// What is made of a subroutine at a call.
pub(super) struct Made {
    /// The ending of names.
    pub ending: String,
    /// Names that stand for others.
    pub names: HashMap<String, String>,
    /// Variables that are not taken: a reason and a remedy.
    pub unknown: HashMap<String, (String, &'static str)>,
    /// Arguments that are no variables, by their names.
    pub arguments: Vec<(String, Argument)>,
    /// Its local arrays, by their names.
    pub local_arrays: Vec<String>,
    /// Variables of the region's procedure that are arguments, or are named by the subroutine: the declaration's result and the name.
    pub whole: Vec<(String, String)>,
}

impl Made {
    /// The name of a value of the subroutine.
    pub fn own(&self, name: &str) -> String {
        self.names.get(name).cloned().unwrap_or_else(|| format!("{name}{}", self.ending))
    }

    /// An operation of the subroutine that stands for a call.
    pub fn renamed(&self, op: &HlfirOp, call: &HlfirOp, callee: &str) -> HlfirOp {
        let regions = op.regions.iter().map(|ops| ops.iter().map(|one| self.renamed(one, call, callee)).collect());
        HlfirOp {
            name: op.name.clone(),
            results: op.results.iter().map(|result| self.own(result)).collect(),
            text: self.text(&op.text),
            place: call.place,
            is_own: call.is_own,
            regions: regions.collect(),
            reference: call.reference.clone(),
            inlined: Some((callee.to_owned(), op.place.0)),
        }
    }

    fn text(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('%') {
            let (before, from) = rest.split_at(at);
            let of_name = |c: char| c.is_ascii_alphanumeric() || "_-$.".contains(c);
            let length = 1 + from[1..].find(|c| !of_name(c)).unwrap_or(from.len() - 1);
            out.push_str(before);
            out.push_str(&self.own(&from[..length]));
            rest = &from[length..];
        }
        out.push_str(rest);
        out
    }
}
